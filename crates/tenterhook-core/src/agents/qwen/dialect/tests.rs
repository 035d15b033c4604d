//! The dialect, held against what the agent was seen to do.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::QWEN;
use crate::diagnostic::Diagnostic;
use crate::dialect::{DialectId, Fit, Roots};
use crate::hook::{Arming, Command, Compat, Hook, Invocation, Layer, Run, Shell, Wait};
use crate::matcher::MatcherSpec;
use crate::source::{ReadConfig, Source, Switch};

fn read(text: &str) -> ReadConfig {
    let source = Source::from_text("/p/.qwen/settings.json", DialectId::QWEN, text, "/p/.qwen");
    QWEN.read_config(&Source { compat: Compat::Guarded, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

/// QW-20, QW-30.
#[test]
fn observed_payloads_survive_decoding_and_encoding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../../conformance/observed/payloads/qwen-code");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("payloads").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a text");
        let given: Value = serde_json::from_str(&text).expect("JSON");
        let fields = given.as_object().expect("an object");
        let event = QWEN.decode_event(fields, &Roots::default()).expect("an event");
        assert!(QWEN.event_row(&event.name).is_some(), "{given}");
        if event.text("tool_name").is_some() {
            assert_eq!(event.text("tool_name"), Some("Bash"));
        }
        let written: Value = serde_json::from_slice(&QWEN.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given);
        count += 1;
    }
    assert_eq!(count, 9);
}

/// QW-21.
#[test]
fn hook_gets_the_project_variables() {
    let fields = serde_json::json!({"hook_event_name": "Stop", "cwd": "/p"});
    let fields = fields.as_object().expect("an object");
    let event = QWEN.decode_event(fields, &Roots::default()).expect("an event");
    let env = QWEN.encode_event(&event).env;
    assert!(env.contains(&("QWEN_PROJECT_DIR".to_owned(), "/p".to_owned())), "{env:?}");
}

/// QW-1.
#[test]
fn candidates_cover_all_layers() {
    let homes = vec![(DialectId::QWEN, "/q".into())];
    let managed = Some("/etc/claude-code".into());
    let roots = Roots { cwd: "/r".into(), home: "/h".into(), managed, homes, ..Roots::default() };
    let found = QWEN.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    let expected = [
        ("/etc/qwen-code/settings.json", Layer::Managed),
        ("/q/settings.json", Layer::User),
        ("/r/.qwen/settings.json", Layer::Project),
    ];
    assert_eq!(found, expected);
    let fit = |path: &str| QWEN.recognize_config_file(Path::new(path), None);
    assert_eq!(fit("/r/.qwen/settings.json"), Fit::Certain);
    assert_eq!(fit("/r/.gemini/settings.json"), Fit::No);
}

/// QW-7 to QW-10.
#[test]
fn handlers_of_each_type_are_read() {
    let read = read(
        r#"{"hooks": {
        "PreToolUse": [{"matcher": "Bash|edit", "hooks": [
            {"type": "command", "command": "a", "timeout": 30, "async": true},
            {"type": "command", "command": "b", "timeout": 45000},
            {"type": "http", "url": "https://localhost/x", "headers": {"A": "b"}},
            {"type": "prompt", "prompt": "Is it safe?", "model": "m"},
            {"type": "function", "name": "f"}]}],
        "Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "c", "if": "x"}]}]}}"#,
    );
    let expected = ["handler-type-not-accepted", "matcher-ignored", "unknown-handler-field"];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    let [a, b, http, prompt, function, _] = read.hooks.as_slice() else { panic!("{read:?}") };
    assert_eq!((a.timeout, a.wait), (Some(Duration::from_secs(30)), Wait::Detached));
    assert_eq!(b.timeout, Some(Duration::from_secs(45)), "milliseconds");
    assert_eq!(*a.matcher.spec(), MatcherSpec::Regex("Bash|edit".to_owned()));
    assert!(matches!(&http.run, Run::Http(http) if http.headers.len() == 1));
    assert!(matches!(&prompt.run, Run::Prompt(prompt) if prompt.model.as_deref() == Some("m")));
    assert!(matches!(function.run, Run::Unusable { .. }));
    let row = QWEN.event_row(&"PreToolUse".into()).expect("a row");
    let times = [a, http, prompt].map(|hook| QWEN.default_timeout(&hook.run, row).as_secs());
    assert_eq!(times, [60, 600, 30]);
}

/// QW-4: the rules of Gemini CLI's settings apply, but no list of disabled hooks.
#[test]
fn settings_follow_the_rules_of_gemini() {
    let text = r#"{ // The agent takes comments.
        "disableAllHooks": true,
        "hooksConfig": {"disabled": ["off"]},
        "hooks": {
            "PreToolUse": [
                {"sequential": true, "hooks": [{"type": "command"}, {"type": "command", "command": "a"}]},
                "b",
                {"hooks": [{"type": "command", "command": "c", "name": "off"}, {"type": "command", "command": "d", "statusMessage": "off"}]}],
            "BeforeTool": [{"hooks": [{"type": "command", "command": "e"}]}]}}"#;
    let source = Source::from_text("/p/.qwen/settings.json", DialectId::QWEN, text, "/p/.qwen");
    let mut read = read(text);
    let expected = [
        "hooks-disabled",
        "switch-not-heard",
        "handler-missing-field",
        "group-not-object",
        "unknown-event",
    ];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    assert_eq!(read.switches, [Switch::DisableAll]);
    QWEN.apply_layer_settings(&mut [(&source, &mut read)]);
    let rule = |hook: &Hook| hook.arming.disabled_reason().map_or("", |(_, rule)| rule);
    let rules: Vec<_> = read.hooks.iter().map(rule).collect();
    assert_eq!(rules, ["QW-4", "", "", "", "QW-4"]);
}

/// QW-7: there are four types; the default is a command; a function is reported and never runs.
#[test]
fn unsupported_types_are_reported_and_never_run() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "a"},
        {"type": "command", "command": "a"},
        {"type": "http", "url": "https://localhost/x"},
        {"type": "prompt", "prompt": "Is it safe?"},
        {"type": "function", "name": "f"},
        {"type": "agent", "prompt": "Is it safe?"}]}]}}"#;
    let read = read(text);
    assert_eq!(codes(&read), ["handler-type-not-accepted", "unknown-handler-type"]);
    let runs = |hook: &Hook| match (&hook.run, &hook.arming) {
        (Run::Command(_), Arming::Armed) => "command",
        (Run::Http(_), Arming::Armed) => "http",
        (Run::Prompt(_), Arming::Armed) => "prompt",
        (_, Arming::Armed) => "something else",
        (_, Arming::Disarmed { .. } | Arming::Unapproved { .. }) => "never",
    };
    let texts: Vec<_> = read.hooks.iter().map(runs).collect();
    assert_eq!(texts, ["command", "command", "http", "prompt", "never", "never"]);
}

/// QW-10.
#[test]
fn matcher_is_read_as_alternatives() {
    let regex = |text: &str| MatcherSpec::Regex(text.to_owned());
    for (text, expected) in [
        ("", MatcherSpec::Any),
        (" ", MatcherSpec::Any),
        (".*", MatcherSpec::Any),
        ("Bash|*", MatcherSpec::Any),
        ("|", MatcherSpec::Never("it has no alternative".to_owned())),
        ("shell", regex("shell")),
        (" x | run_shell_command ", regex("x|run_shell_command")),
        ("Bash||edit|", regex("Bash|edit")),
        ("a(b | c)|[|]|d", regex("a(b | c)|[|]|d")),
        (r"a\| b|c", regex(r"a\| b|c")),
        ("^a | b$", regex("^a | b$")),
        ("(a | b)", regex("(a | b)")),
    ] {
        let matcher = serde_json::json!(text);
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": {matcher}, "hooks": [{{"type": "command", "command": "a"}}]}}]}}}}"#
        );
        assert_eq!(*read(&text).hooks[0].matcher.spec(), expected, "{text}");
    }
}

/// QW-4: for an event without a subject the agent does not look at the matcher.
#[test]
fn matcher_that_is_no_string_stops_its_event() {
    let group = r#"{"matcher": 5, "hooks": [{"type": "command", "command": "a"}]}"#;
    let text = format!(
        r#"{{"hooks": {{"PreToolUse": [{group}], "Stop": [{group}],
        "PostToolUse": [{{"matcher": 5, "hooks": []}}]}}}}"#
    );
    let read = read(&text);
    let stopped = |found: &&Diagnostic| found.message.starts_with("Qwen Code runs no hook of");
    let messages: Vec<_> =
        read.diagnostics.iter().filter(stopped).map(|found| found.message.as_str()).collect();
    let expected = "Qwen Code runs no hook of `PreToolUse`, of any file: \
        `hooks.PreToolUse.0.matcher` takes a string, found a number";
    assert_eq!(messages, [expected], "{:?}", read.diagnostics);
}

/// QW-8.
#[test]
fn command_runs_in_bash_or_the_named_shell() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "a", "env": {"A": "b"}},
        {"type": "command", "command": "a", "shell": "bash", "async": true},
        {"type": "command", "command": "a", "shell": "powershell", "once": true}]}]}}"#;
    let read = read(text);
    assert_eq!(codes(&read), [""; 0]);
    let said = |hook: &Hook| match &hook.run {
        Run::Command(Command { invocation: Invocation::Shell { text, shell }, env, .. }) => {
            assert_eq!(text, "a");
            (*shell, env.len(), hook.wait, hook.once)
        }
        other => panic!("{other:?}"),
    };
    let said: Vec<_> = read.hooks.iter().map(said).collect();
    let expected = [
        (Shell::Bash, 1, Wait::Attached, false),
        (Shell::Bash, 0, Wait::Detached, false),
        (Shell::PowerShell, 0, Wait::Attached, true),
    ];
    assert_eq!(said, expected);
}

/// QW-9.
#[test]
fn timeout_below_1000_is_in_seconds() {
    for (number, millis) in [
        ("0.5", Some(500)),
        ("30", Some(30_000)),
        ("999", Some(999_000)),
        ("1000", Some(1000)),
        ("45000", Some(45_000)),
        ("0", None),
        ("\"30\"", None),
    ] {
        let text = format!(
            r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "a", "timeout": {number}}}]}}]}}}}"#
        );
        let read = read(&text);
        assert_eq!(read.hooks[0].timeout, millis.map(Duration::from_millis), "{number}");
        let texts = if millis.is_some() { &[][..] } else { &["wrong-field-type"] };
        assert_eq!(codes(&read), texts, "{number}");
    }
}
