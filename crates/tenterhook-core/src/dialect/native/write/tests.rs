//! Written files are read back as the same hooks; hooks that cannot be written are reported.

use std::time::Duration;

use super::*;
use crate::config::{self, Added, Ruleset};
use crate::diagnostic::{Code, Severity};
use crate::event::{Event, Surroundings};
use crate::hook::{Compat, OnFailure};
use crate::plan;
use crate::settle::View;
use crate::source::Source;

fn ruleset(dialect: DialectId, text: &str) -> Ruleset {
    config::load(&[Source::from_text("/p/hooks", dialect, text, "/p")], &Added::default(), None)
        .ruleset
}

fn converted(hooks: &Ruleset) -> (Ruleset, String, Vec<&'static str>) {
    let (text, diagnostics) = write(hooks.hooks());
    let codes = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
    let source = Source::from_text("/p/tenterhook.toml", DialectId::NATIVE, &text, "/p");
    let read = config::load(&[source], &Added::default(), None);
    let errors: Vec<_> =
        // What this build cannot run is written all the same (C-76).
        read.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error && diagnostic.code != Code::LeftOut).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    (read.ruleset, text, codes)
}

fn selected(ruleset: &Ruleset, event: &Event) -> Vec<bool> {
    let explained = plan::explain(ruleset, &View::default(), event);
    explained.into_iter().map(|(_, because)| because.selected).collect()
}

const CLAUDE: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "a \"b\"\nc"}]},
    {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "x", "args": ["y z"], "timeout": 1.5, "onFailure": "block"}]},
    {"hooks": [{"type": "command", "command": "git", "if": "Bash(git push *)", "async": true, "statusMessage": "s"}]}
  ],
  "Stop": [{"hooks": [{"type": "command", "command": "z", "shell": "bash"}]}]
}}"#;
const GEN: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash(git:*)", "hooks": [{"type": "command", "command": "x", "if": "Bash(git push:*)", "once": true}]}]}}"#;
const CODEWHALE: &str = "[[hooks.hooks]]\nevent = 'tool_call_before'\ncommand = 'x'\ncontinue_on_error = false\n\
    condition = { type = 'any', conditions = [{ type = 'tool_name', name = 'b*h' }, { type = 'tool_category', category = 'file_write' }] }\n\
    [[hooks.hooks]]\nevent = 'message_submit'\ncommand = 'y'\ncondition = { type = 'mode', mode = 'plan' }\n\
    [[hooks.hooks]]\nevent = 'tool_call_after'\ncommand = 'z'\nbackground = true\n";
const REASONIX: &str = r#"{"hooks": {"PreToolUse": [{"match": "bash|write_.*", "command": "x", "env": {"A": "1"}}], "SessionEnd": [{"command": "y"}]}}"#;
const IGNIS: &str = r#"{"hooks": {"PreToolUse": [{"argv": ["./x", "a b"], "matcher": "bash", "env": ["K"]}], "PostToolUse": [{"command": "y", "timeout_ms": 250, "sandbox": false}], "UserPromptSubmit": [{"command": "z"}]}}"#;

fn samples() -> Vec<(DialectId, &'static str)> {
    vec![
        (DialectId::CLAUDE, CLAUDE),
        (DialectId::GEN, GEN),
        (DialectId::CODEWHALE, CODEWHALE),
        (DialectId::REASONIX, REASONIX),
        (DialectId::IGNIS, IGNIS),
    ]
}

/// C-58.
/// C-53, C-68.
#[test]
fn what_is_written_is_read_as_the_same_hooks() {
    for (dialect, text) in samples() {
        let before = ruleset(dialect, text);
        let (after, written, codes) = converted(&before);
        assert!(codes.is_empty(), "{dialect}: {codes:?}");
        assert_eq!(before.hooks().len(), after.hooks().len(), "{written}");
        assert!(!before.hooks().is_empty());
        for (before, after) in before.hooks().iter().zip(after.hooks()) {
            assert_eq!(after.dialect, before.dialect, "{written}");
            assert_eq!(after.event, before.event);
            assert_eq!(after.matcher.spec(), before.matcher.spec());
            assert_eq!((after.wait, after.once), (before.wait, before.once));
            assert_eq!((&after.status, &after.arming), (&before.status, &before.arming));
            assert!(after.phase == before.phase || before.wait != Wait::Attached);
            if before.wait == Wait::Attached {
                assert_eq!(after.on_failure, before.on_failure, "{written}");
            }
            let row = dialect.dialect().event_row(&before.event).expect("a row");
            assert_eq!(after.timeout, before.timeout.or(Some(row.timeout)));
            let (Run::Command(one), Run::Command(two)) = (&before.run, &after.run) else {
                panic!()
            };
            assert_eq!((&one.env, &one.pass, one.inherit), (&two.env, &two.pass, two.inherit));
        }
    }
}

/// C-58.
#[test]
fn what_is_written_selects_the_same() {
    let within = Surroundings { cwd: "/p".into(), project: "/p".into(), ..Surroundings::default() };
    let call = |tool: &str, input: serde_json::Value| {
        let event = Event::new("PreToolUse", within.clone());
        event.with("tool_name", tool).with("tool_input", input)
    };
    let planned = Surroundings {
        facts: [("permission_mode".to_owned(), "plan".into())].into_iter().collect(),
        ..within.clone()
    };
    let events = [
        call("Bash", serde_json::json!({"command": "git push -f"})),
        call("Bash", serde_json::json!({"command": "cd x && sudo git push"})),
        call("Bash", serde_json::json!({"command": "ls"})),
        call("Write", serde_json::json!({"file_path": "a"})),
        call("mcp__a__b", serde_json::json!({})),
        Event::new("UserPromptSubmit", within.clone()).with("prompt", "x"),
        Event::new("UserPromptSubmit", planned).with("prompt", "x"),
        Event::new("Stop", within.clone()),
        Event::new("PostToolUse", within.clone()).with("tool_name", "Bash"),
        Event::new("SessionEnd", within.clone()),
    ];
    let mut hits = 0;
    for (dialect, text) in samples() {
        let before = ruleset(dialect, text);
        let (after, written, _) = converted(&before);
        for event in &events {
            let wanted = selected(&before, event);
            hits += wanted.iter().filter(|flag| **flag).count();
            assert_eq!(selected(&after, event), wanted, "{dialect} {event:?}\n{written}");
        }
    }
    assert!(hits >= 15, "{hits}");
}

/// S-58.
#[test]
fn an_expression_is_written_as_one() {
    let text = r#"[hook.a]
on = "PreToolUse"
if = ["Bash(git *)", { when = "tool.name == 'x' || prompt == \"\"" }]
run = ["x"]
[hook.b]
on = "Stop"
if = { when = "true" }
run = ["x"]
"#;
    let before = ruleset(DialectId::NATIVE, text);
    let (after, written, codes) = converted(&before);
    assert!(codes.is_empty(), "{written}");
    let texts = |of: &Ruleset| -> Vec<String> {
        let conditions = of.hooks().iter().filter_map(|hook| hook.condition.as_ref());
        conditions.map(|condition| condition.text().to_owned()).collect()
    };
    assert_eq!(texts(&after), texts(&before), "{written}");
    assert_eq!(texts(&after).len(), 2);
}

/// C-59.
#[test]
fn what_cannot_be_written_is_said() {
    let http = ruleset(
        DialectId::CLAUDE,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": null}}, {"type": "command", "command": ["x"]}]}]}}"#,
    );
    let (after, text, codes) = converted(&http);
    assert_eq!(codes, ["not-carried-over", "not-carried-over"]);
    assert_eq!(after.hooks().len(), 0, "{text}");
    let plain = ruleset(DialectId::IGNIS, r#"{"hooks": {"PreToolUse": [{"command": "x"}]}}"#);
    let mut exact = Hook::clone(&plain.hooks()[0]);
    exact.compat = Compat::Exact;
    let (_, diagnostics) = write(&[Arc::new(exact)]);
    assert_eq!(diagnostics.len(), 1);
}

/// X-1, I-37: a hook runs in the same sandbox behind a native file.
#[test]
fn a_sandbox_is_carried_over() {
    let ignis = ruleset(
        DialectId::IGNIS,
        r#"{"hooks": {"PreToolUse": [{"command": "hooks/x"}, {"command": "x", "sandbox": false}]}}"#,
    );
    let native = ruleset(
        DialectId::NATIVE,
        r#"
        [hook.a]
        on = "Stop"
        run = ["a"]
        sandbox = "strict"
        [hook.b]
        on = "Stop"
        run = ["b"]
        sandbox = { read = ["/r"], write = ["$PROJECT/w"], net = ["tcp:443"], env = ["CI"], attributes = true, memory = 1048576, cpu = "2s", isolation_min = "T2" }
        "#,
    );
    for before in [ignis, native] {
        let (after, text, codes) = converted(&before);
        assert_eq!(codes, Vec::<&str>::new(), "{text}");
        let sandboxes = |ruleset: &Ruleset| {
            ruleset.hooks().iter().map(|hook| hook.sandbox.clone()).collect::<Vec<_>>()
        };
        assert_eq!(sandboxes(&after), sandboxes(&before), "{text}");
    }
}

#[test]
fn a_hook_that_is_off_stays_off_and_says_why() {
    let text = r#"{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let (after, text, _) = converted(&ruleset(DialectId::CLAUDE, text));
    assert!(matches!(after.hooks()[0].arming, Arming::Disarmed { .. }));
    assert!(text.contains("# disarmed: "), "{text}");
}

#[test]
fn values_stand_as_the_format_has_them() {
    for (time, expected) in [
        (Duration::from_millis(1500), "1500ms"),
        (Duration::from_secs(600), "600s"),
        (Duration::from_nanos(5), "1ms"),
        (Duration::MAX, "86400s"),
    ] {
        assert_eq!(value::duration_text(time), expected);
    }
    assert_eq!(value::comment_line("a\nb\u{1b}"), "# a b \n");
    let hook = Hook {
        on_failure: Some(OnFailure::Ask),
        answer_required: true,
        ..Hook::clone(&ruleset(DialectId::IGNIS, IGNIS).hooks()[0])
    };
    let (text, _) = write(&[Arc::new(hook)]);
    for line in ["on_failure = \"ask\"", "answer = \"required\"", "exec"] {
        assert!(text.contains(line), "{text}");
    }
}
