//! Tests of the dialect: its config, its layers, and what the neutral cases do not cover.

mod layers;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{GEN, matcher};
use crate::answer::Restraint;
use crate::dialect::{DialectId, Roots};
use crate::event::{Event, Surroundings};
use crate::hook::{Arming, Command, Compat, Hook, Invocation, Layer, Run, Shell, Wait};
use crate::matcher::{Matcher, MatcherSpec};
use crate::report::{End, Output, Report, StepOutput};
use crate::source::{Plugin, ReadConfig, Source};
use crate::verdict::{JudgeContext, judge_answer};

fn source(text: &str) -> Source {
    Source::from_text(".gen/settings.json", DialectId::GEN, text, "/repo/.gen")
}

fn load(hooks: &Value) -> ReadConfig {
    GEN.read_config(&source(&json!({ "hooks": hooks }).to_string()))
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn handler(handler: &Value) -> (Hook, Vec<String>) {
    let mut read = load(&json!({ "PreToolUse": [{ "hooks": [handler] }] }));
    let found = codes(&read).into_iter().map(str::to_owned).collect();
    (read.hooks.remove(0), found)
}

fn is_armed(hook: &Hook) -> bool {
    hook.arming == Arming::Armed
}

fn command(hook: &Hook) -> &Command {
    match &hook.run {
        Run::Command(command) => command,
        other => panic!("{other:?}"),
    }
}

/// G-4, X3.7: the agent skips a file with one wrong value, and its deny rules with it.
#[test]
fn bad_field_rejects_only_its_entry() {
    let read = GEN.read_config(&source(
        r#"{"permissions": {"deny": ["Bash(rm *)"]}, "hooks": {
            "PreToolUse": [{"matcher": 3, "hooks": [{"command": "a"}]},
                {"hooks": [{"command": "b", "timeout": "30"}, {"command": ["c"]}, {"type": "Command", "command": "d"},
                    "e", {"command": ""}, {"command": "f"}]}],
            "Stop": [{"type": "command", "command": "g"}],
            "Stopp": [{"hooks": [{"command": "h"}]}],
            "Setup": {"hooks": [{"command": "i"}]}, "SessionEnd": 1}}"#,
    ));
    assert_eq!(
        codes(&read),
        [
            "matcher-not-string",
            "wrong-field-type",
            "wrong-field-type",
            "handler-missing-field",
            "unknown-handler-type",
            "handler-not-object",
            "handler-missing-field",
            "missing-inner-hooks-array",
            "unknown-event",
            "event-value-is-object-not-array",
            "event-value-not-array"
        ]
    );
    assert!(
        read.diagnostics.iter().all(|diagnostic| diagnostic.place.is_some()),
        "each finding has a location"
    );
    let armed: Vec<_> = read
        .hooks
        .iter()
        .filter(|hook| is_armed(hook))
        .map(|hook| hook.run.one_line_description())
        .collect();
    assert_eq!(armed, ["b", "f", "h"]);
    let rejected = read.hooks.iter().filter(|hook| !is_armed(hook)).count();
    assert_eq!(rejected, 6, "rejected hooks are listed");
}

/// G-4: the agent refuses a file that is not strict JSON; only an exact reading does the same.
#[test]
fn comment_in_settings_is_accepted_unless_exact() {
    let text = "{\"hooks\": {// why\n\"Stop\": [{\"hooks\": [{\"command\": \"x\"}]}],}}";
    let read = GEN.read_config(&source(text));
    assert_eq!(codes(&read)[0], "not-strict-json");
    assert!(is_armed(&read.hooks[0]) && !read.unreadable);
    let exact = GEN.read_config(&Source { compat: Compat::Exact, ..source(text) });
    assert!(!is_armed(&exact.hooks[0]) && exact.mentions.is_empty());
    let broken = GEN.read_config(&source("{\"hooks\": {\"Stop\": [...]}}"));
    assert!(broken.unreadable && codes(&broken) == ["not-strict-json"]);
    let twice = load_text(r#"{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}], "Stop": []}}"#);
    assert_eq!(codes(&twice), ["duplicate-keys"]);
    assert!(!is_armed(&twice.hooks[0]), "the last list wins");
}

fn load_text(text: &str) -> ReadConfig {
    GEN.read_config(&source(text))
}

/// G-5, ruling 13.
#[test]
fn hook_of_unknown_event_stays_armed_and_suggests_the_nearest_name() {
    let read = load(&json!({ "preToolUse": [{ "hooks": [{ "command": "x" }] }] }));
    assert_eq!(codes(&read), ["unknown-event"]);
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `PreToolUse`?"));
    assert!(is_armed(&read.hooks[0]) && read.hooks[0].event.as_str() == "preToolUse");
}

/// G-6.
#[test]
fn handler_options_are_read_with_their_defaults() {
    let (plain, found) = handler(&json!({ "command": "x" }));
    assert!(found.is_empty());
    assert_eq!((plain.timeout, plain.wait, plain.once), (None, Wait::Attached, false));
    assert_eq!(
        GEN.event_row(&"PreToolUse".into()).map(|row| row.timeout),
        Some(Duration::from_mins(10))
    );
    for (fields, timeout, finding) in [
        (json!({ "timeout": 30 }), Some(30_000), ""),
        (json!({ "timeout": 0 }), None, "no-effect"),
        (json!({ "timeout": -1 }), None, "no-effect"),
        (json!({ "timeout": 1.5 }), Some(1500), "wrong-field-type"),
        (json!({ "timeout": 3000 }), Some(3_000_000), "timeout-looks-like-ms"),
        (json!({ "blocking": false }), None, "unknown-handler-field"),
        (json!({ "async": "yes" }), None, "wrong-field-type"),
    ] {
        let mut all = fields.clone();
        all["command"] = "x".into();
        let (hook, found) = handler(&all);
        assert_eq!(hook.timeout, timeout.map(Duration::from_millis), "{fields}");
        assert_eq!(found.first().map_or("", |text| text.as_str()), finding, "{fields}");
        assert!(is_armed(&hook), "{fields}");
    }
    for (shell, expected) in [
        ("sh", Shell::Sh),
        (" PowerShell ", Shell::PowerShell),
        ("pwsh", Shell::PowerShell),
        ("bash", Shell::Sh),
    ] {
        let (hook, _) = handler(&json!({ "command": "x", "shell": shell }));
        let expected = Invocation::Shell { text: "x".to_owned(), shell: expected };
        assert_eq!(command(&hook).invocation, expected, "{shell}");
    }
    for (fields, wait) in [
        (json!({ "async": true }), Wait::Detached),
        (json!({ "asyncRewake": true }), Wait::Rewake),
        (json!({ "async": true, "asyncRewake": true }), Wait::Rewake),
    ] {
        let mut all = fields;
        all["command"] = "x".into();
        all["statusMessage"] = "scanning".into();
        let (hook, _) = handler(&all);
        assert_eq!((hook.wait, hook.status.as_deref()), (wait, Some("scanning")));
    }
}

/// G-7: `timeout` applies to every type.
#[test]
fn http_prompt_and_agent_handlers_are_read() {
    for kind in ["http", "prompt", "agent"] {
        let (hook, found) = handler(
            &json!({ "type": kind, "url": "https://u", "prompt": "p", "timeout": 2, "model": "m",
                "headers": { "A": "$B" }, "allowedEnvVars": ["B"] }),
        );
        assert!(found.is_empty() && is_armed(&hook), "{kind} {found:?}");
        assert_eq!((hook.run.executor_name(), hook.timeout), (kind, Some(Duration::from_secs(2))));
    }
}

/// G-8.
#[test]
fn plugin_hooks_receive_the_plugin_root_in_variables() {
    let plugin = Plugin { name: "my-guard.x".to_owned(), root: "/p/a b".into(), data: "/d".into() };
    let text = |shell: &str| {
        json!({ "hooks": { "hooks": { "Stop": [{ "hooks": [
            { "command": "${GEN_PLUGIN_ROOT}/run", "shell": shell }] }] } } })
        .to_string()
    };
    let read = |shell: &str| {
        let source = Source { plugin: Some(plugin.clone()), ..source(&text(shell)) };
        GEN.read_config(&Source { name: "/p/a b/.gen-plugin/plugin.json".into(), ..source })
    };
    let unix = read("sh");
    let names: BTreeSet<_> =
        command(&unix.hooks[0]).env.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT_MY_GUARD_X",
        "GEN_PLUGIN_ROOT",
        "GEN_PLUGIN_ROOT_MY_GUARD_X",
    ];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(unix.hooks[0].run.one_line_description(), "${GEN_PLUGIN_ROOT}/run");
    assert_eq!(read("pwsh").hooks[0].run.one_line_description(), "${env:GEN_PLUGIN_ROOT}/run");
}

/// G-20 to G-22, X3.9: the cases of the agent's own tests, and cases that its code gets wrong.
#[test]
fn matcher_text_is_read_as_names_expression_or_tool_pattern() {
    for (text, subject, expected) in [
        ("", "Bash", Ok(true)),
        ("*", "Bash", Ok(true)),
        ("Bash", "Bash", Ok(true)),
        ("bash", "Bash", Ok(false)),
        ("(?i)bash", "BASH", Ok(true)),
        ("mcp__*", "mcp__foo__bar", Ok(false)),
        ("mcp__.*", "mcp__foo__bar", Ok(true)),
        ("Edit|Write", "EditX", Ok(false)),
        ("Bash", "Bash\n", Ok(false)),
        ("a|b.*", "xb", Ok(false)),
        ("a)|(b", "axyz", Err(())),
        ("a)|(?:b", "axyz", Err(())),
        ("**", "x", Err(())),
        ("[a", "[a", Err(())),
    ] {
        let parsed = matcher::parse_matcher("PreToolUse", text, Compat::Guarded);
        let found = Matcher::new(parsed.spec).matches(Some(subject)).map_err(drop);
        assert_eq!(found, expected, "{text} on {subject}");
    }
    let exact = matcher::parse_matcher("PreToolUse", "[a", Compat::Exact);
    assert_eq!(exact.spec, MatcherSpec::Words(vec!["[a".to_owned()]));
    for (event, text, pattern) in [
        ("PreToolUse", "Bash(git:*)", Some("Bash(git:*)")),
        ("PreToolUse", "Bash(git:push *)", Some("Bash(git push *)")),
        ("PreToolUse", "Bash(git push:*)", Some("Bash(git push:*)")),
        ("PreToolUse", "mcp__db__query(table:users)", Some("mcp__db__query(table:users)")),
        ("PreToolUse", "Edit(/etc/**)", Some("Edit(//etc/**)")),
        ("PreToolUse", "Edit(//etc/**)", Some("Edit(//etc/**)")),
        ("PreToolUse", "Read(*/.env)", Some("Read(//**/.env)")),
        ("PreToolUse", "Edit|Bash(git:*)", Some("Edit|Bash(git:*)")),
        ("PreToolUse", "(Edit|Write)|mcp__.*", None),
        ("PreToolUse", "mcp__(a|b)|Bash", None),
        ("PreToolUse", "Task(Create|Update)", None),
        ("PreToolUse", "Notebook(Edit)", None),
        ("Stop", "Bash(git:*)", None),
    ] {
        let parsed = matcher::parse_matcher(event, text, Compat::Guarded);
        let condition = parsed.condition.as_ref().map(crate::matcher::Condition::text);
        assert_eq!(condition, pattern, "{event} {text}");
    }
}

/// G-22, G-23, G-24.
#[test]
fn matchers_and_conditions_that_never_hold_are_reported() {
    for (event, group, code, armed) in [
        ("Stop", json!({ "matcher": "Bash" }), "matcher-ignored", true),
        ("PreToolUse", json!({ "matcher": "a)|(b" }), "invalid-matcher", true),
        ("PreToolUse", json!({ "matcher": "Task(Create|Get)" }), "matcher-is-expression", true),
        ("SessionStart", json!({ "if": "Bash(*)" }), "if-outside-tool-event", false),
        ("PreToolUse", json!({ "if": "Bash(" }), "if-never-holds", true),
    ] {
        let mut handler = json!({ "command": "x" });
        if let Some(condition) = group.get("if") {
            handler["if"] = condition.clone();
        }
        let mut all = json!({ "hooks": [handler] });
        if let Some(matcher) = group.get("matcher") {
            all["matcher"] = matcher.clone();
        }
        let read = load(&json!({ event: [all] }));
        assert_eq!(codes(&read), [code], "{event} {group}");
        assert_eq!(is_armed(&read.hooks[0]), armed, "{event} {group}");
    }
}

/// G-10, G-12.
#[test]
fn events_round_trip_unchanged() {
    let wire = json!({ "session_id": "s", "transcript_path": "/t", "cwd": "/w", "permission_mode": "auto",
        "hook_event_name": "StopFailure", "error": "billing", "last_assistant_message": "m" });
    let Value::Object(fields) = &wire else { panic!("an object") };
    let event = GEN.decode_event(fields, &Roots::default()).expect("an event");
    assert_eq!(event.text("error"), Some("billing_error"));
    assert_eq!(event.within.facts["permission_mode"], "acceptEdits");
    let envelope = GEN.encode_event(&event);
    assert_eq!(String::from_utf8(envelope.body).expect("UTF-8"), wire.to_string());
    // The agent has one value for two neutral ones; it reads back as the first.
    let event = event.with("error", "overloaded");
    let text = String::from_utf8(GEN.encode_event(&event).body).expect("UTF-8");
    assert!(text.contains(r#""error":"server""#), "{text}");
    let fault = GEN.decode_event(&Map::new(), &Roots::default()).expect_err("no name");
    assert!(fault.to_string().starts_with("not an event of Gen"), "{fault}");
}

fn report(stdout: &str, stderr: &str, exit: i32) -> Report {
    let said = StepOutput::Bytes {
        stdout: Output::from(stdout.as_bytes()),
        stderr: Output::from(stderr.as_bytes()),
    };
    Report { said, ..Report::without_output(End::Exited(exit), Duration::ZERO) }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    /// G-31, G-38: text around an `allow` cancels it (except for a byte order mark, J-3), and no
    /// text makes the readers panic.
    #[test]
    fn allow_with_surrounding_text_is_not_consent(before in "[^{}\\s\u{feff}]{1,12}", config in ".{0,60}", exit in 0..4i32) {
        let allow = r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#;
        let event = Event::new("PreToolUse", Surroundings::default()).with("tool_name", "Bash");
        let row = GEN.event_row(&event.name).expect("an event of the table");
        for text in [format!("{before}{allow}"), format!("{allow}{before}"), config.clone()] {
            let answer = GEN.read_answer(&event, row, &report(&text, "", exit));
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let hook = Hook::new(crate::hook::HookId::new("h"), DialectId::GEN, event.name.clone(), run);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            proptest::prop_assert_ne!(verdict.restraint, Restraint::Allow, "{}", text);
        }
        let _ = load_text(&config);
        let _ = load(&json!({ "PreToolUse": [{ "matcher": config, "hooks": [{ "command": "x", "if": config }] }] }));
    }
}

/// A source in a layer.
fn layer(layer: Layer, name: &str, text: &str) -> Source {
    Source { layer, name: name.into(), ..source(text) }
}
