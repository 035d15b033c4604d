//! The hooks and findings of settings files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Command, Compat, Invocation, Layer, Phase, Run, Wait};
use crate::matcher::{MatchContext, Matcher, MatcherSpec, PatternError, Picked};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, parse_by_format};

use super::super::REASONIX;

fn source(text: &str) -> Source {
    let name = "/p/.reasonix/settings.json";
    let mut source = Source::from_text(name, DialectId::REASONIX, text, "/p/.reasonix");
    (source.layer, source.project, source.home) = (Layer::Project, "/p".into(), "/home/u".into());
    source
}

fn load(text: &str) -> ReadConfig {
    REASONIX.read_config(&source(text))
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

/// A file with one entry under one event.
fn entry(event: &str, entry: &str) -> String {
    format!(r#"{{"hooks": {{"{event}": [{entry}]}}}}"#)
}

fn command(run: &Run) -> &Command {
    let Run::Command(command) = run else { panic!("a command") };
    command
}

/// RX-11, RX-17, RX-18: every field of the first version.
#[test]
fn an_entry_with_every_field_is_read() {
    let read = load(&entry(
        "PreToolUse",
        r#"{"match": "edit_file|write_file", "command": "guard --all | tee log", "description": "d", "timeout": 1500, "cwd": "tools"}"#,
    ));
    assert_eq!(read.diagnostics, []);
    let hook = &read.hooks[0];
    assert_eq!(hook.id.as_str(), "project:PreToolUse:edit_file|write_file:1");
    assert_eq!(
        (hook.event.as_str(), hook.phase, hook.wait),
        ("PreToolUse", Phase::Decide, Wait::Attached)
    );
    assert_eq!(hook.matcher.exact_names().expect("names"), ["edit_file", "write_file"]);
    assert_eq!(hook.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(hook.status.as_deref(), Some("d"));
    let command = command(&hook.run);
    assert!(
        matches!(&command.invocation, Invocation::Shell { text, .. } if text == "guard --all | tee log")
    );
    assert_eq!(command.cwd, Some(PathBuf::from("/p/tools")));
    assert_eq!(hook.place.as_ref().map(|location| (location.line, location.column)), Some((1, 27)));
}

/// RX-9: hooks that can neither block nor add anything observe, so they run whatever others
/// decided.
#[test]
fn hooks_without_powers_are_observers() {
    for (event, phase) in [
        ("SessionStart", Phase::Decide),
        ("TurnEnd", Phase::Decide),
        ("PreModelCall", Phase::Decide),
        ("PostToolUse", Phase::Observe),
        ("Stop", Phase::Observe),
        ("SessionEnd", Phase::Observe),
    ] {
        let read = load(&entry(event, r#"{"command": "x"}"#));
        assert_eq!(read.hooks[0].phase, phase, "{event}");
    }
}

fn matches(text: &str, tool: &str) -> Result<bool, PatternError> {
    let json = serde_json::json!({"match": text, "command": "x"}).to_string();
    let read = load(&entry("PreToolUse", &json));
    Matcher::clone(&read.hooks[0].matcher).matches(Some(tool))
}

/// RX-12: the expression is anchored at both ends.
#[test]
fn match_tests_the_whole_name() {
    for (text, tool, expected) in [
        ("file", "read_file", false),
        (".*file", "read_file", true),
        ("a|b", "ab", false),
        ("edit_file|write_file", "write_file", true),
        ("edit_file|write_.*", "edit_files", false),
        ("*", "bash", true),
        ("", "bash", true),
        ("Bash", "bash", false),
        (r"mcp__\w+", "mcp__x", true),
    ] {
        assert_eq!(matches(text, tool), Ok(expected), "{text} on {tool}");
    }
    for escaping in ["a)|(b", "a)|(?:b", "(", "["] {
        assert!(matches(escaping, "b").is_err(), "{escaping}");
    }
}

/// RX-13: other events ignore `match`, unlike in other agents.
#[test]
fn match_is_ignored_on_events_without_a_tool() {
    let read = load(&entry("UserPromptSubmit", r#"{"match": "bash", "command": "x"}"#));
    assert_eq!(
        (codes(&read), read.hooks[0].matcher.spec()),
        (vec!["matcher-ignored"], &MatcherSpec::Any)
    );
}

/// RX-5, RX-11 to RX-18: each mistake that the agent ignores is reported at its line, and the other
/// entries stay armed.
#[test]
fn mistakes_that_the_agent_ignores_are_reported() {
    for (event, bad, code, stays_armed) in [
        ("PreToolUse", r#"{"match": "("}"#, "invalid-matcher", false),
        ("PreToolUse", r#"{"match": "(", "command": "x"}"#, "invalid-matcher", true),
        ("PreToolUse", r#"{"match": ["a"], "command": "x"}"#, "matcher-not-string", true),
        ("PreToolUse", r#"{"matcher": "a", "command": "x"}"#, "matcher-instead-of-match", true),
        ("PreToolUse", r#"{"comand": "x"}"#, "unknown-entry-field", false),
        ("PreToolUse", r#"{"command": 1}"#, "command-not-string", false),
        ("PreToolUse", r#"{"command": "  "}"#, "empty-command", false),
        ("PreToolUse", r#"{"command": "x", "timeout": 0}"#, "wrong-field-type", true),
        ("PreToolUse", r#"{"command": "x", "timeout": "5s"}"#, "wrong-field-type", true),
        ("PreToolUse", r#"{"command": "x", "timeout": 5}"#, "timeout-looks-like-seconds", true),
        ("PreToolUse", r#"{"command": "x", "cwd": 1}"#, "wrong-field-type", true),
        ("PreToolUse", r#"{"command": "x", "env": {"A": 1}}"#, "wrong-field-type", true),
        ("PreToolUse", r#"{"command": "x", "async": true}"#, "async-on-gate", true),
        ("PreToolUse", r#""x""#, "entry-not-object", false),
        ("PreToolUse", r#"{"matcher": "a", "hooks": [{"command": "x"}]}"#, "nested-hooks", false),
        ("preToolUse", r#"{"command": "x"}"#, "wrong-case-event", false),
        ("BeforeTool", r#"{"command": "x"}"#, "unknown-event", false),
    ] {
        let read = load(&entry(event, &format!(r#"{bad}, {{"command": "good"}}"#)));
        let found = read.diagnostics.iter().find(|diagnostic| diagnostic.code.name() == code);
        assert!(
            found.is_some_and(|diagnostic| diagnostic.place.is_some()),
            "{bad}: {:?}",
            codes(&read)
        );
        let armed = read.hooks.iter().filter(|hook| hook.arming == Arming::Armed).count();
        let known = !code.ends_with("-event");
        assert_eq!(armed, usize::from(known) + usize::from(stays_armed), "{bad}");
    }
}

/// RX-15: hooks in a place where the agent reads none are listed, and never run.
#[test]
fn hooks_outside_the_expected_structure_are_listed_but_never_run() {
    for (text, code) in [
        (r#"{"hooks": [{"event": "Stop", "command": "x"}]}"#, "hooks-is-array"),
        (r#"{"hooks": {"Stop": {"command": "x"}}}"#, "event-value-is-object-not-array"),
        (r#"{"Stop": [{"command": "x"}]}"#, "missing-hooks-wrapper"),
        (r#"{"hook": {"Stop": [{"command": "x"}]}}"#, "missing-hooks-wrapper"),
        (r#"{"hooks": {"Stop": [{"command": "x"}], "Stop": []}}"#, "duplicate-keys"),
        (r#"{"hooks": {"Stop": [{"command": "x"}]}, "hooks": {}}"#, "duplicate-keys"),
    ] {
        let read = load(text);
        assert!(codes(&read).contains(&code), "{text}: {:?}", codes(&read));
        assert_eq!(read.hooks.len(), 1, "{text}");
        assert!(matches!(read.hooks[0].arming, Arming::Disarmed { rule: "RX-15", .. }), "{text}");
    }
    for (text, code) in [
        ("[]", "not-an-object"),
        ("", "empty-file"),
        (r#"{"hooks": 1}"#, "hooks-not-object"),
        (r#"{"hooks": {"Stop": 1}}"#, "event-value-not-array"),
        (r#"{"hooks": {"Stop": []}}"#, "empty-event-array"),
        ("{", "not-strict-json"),
    ] {
        assert_eq!(codes(&load(text)), [code], "{text}");
    }
}

/// RX-16: the agent drops the whole file for one comment.
#[test]
fn readable_hooks_of_an_invalid_file_run_unless_exact() {
    let text = "// mine\n{\"hooks\": {\"Stop\": [{\"command\": \"x\"},]}}";
    let read = load(text);
    assert_eq!((codes(&read).first(), read.unreadable), (Some(&"not-strict-json"), false));
    assert_eq!(read.hooks[0].arming, Arming::Armed);
    let exact = REASONIX.read_config(&Source { compat: Compat::Exact, ..source(text) });
    assert!(matches!(exact.hooks[0].arming, Arming::Disarmed { rule: "RX-16", .. }));
}

/// RX-19: the fields that later versions added to an entry.
#[test]
fn later_fields_are_read() {
    let read = load(&entry(
        "Stop",
        r#"{"command": "x", "args": ["a b", "$c"], "env": {"A": "1"}, "name": "n", "async": true}"#,
    ));
    assert_eq!(read.diagnostics, []);
    let hook = &read.hooks[0];
    let command = command(&hook.run);
    assert!(
        matches!(&command.invocation, Invocation::Argv { program, args } if program == "x" && *args == ["a b", "$c"])
    );
    assert_eq!((command.env.len(), hook.wait), (1, Wait::Detached));
}

/// RX-34.
#[test]
fn payload_format_claude_selects_the_protocol_of_claude_code() {
    let read = load(&entry(
        "PreToolUse",
        r#"{"command": "x", "match": "bash|Write", "payloadFormat": "claude"}"#,
    ));
    assert_eq!(read.diagnostics, []);
    let hook = &read.hooks[0];
    assert_eq!((hook.dialect, hook.timeout), (DialectId::CLAUDE, Some(Duration::from_secs(5))));
    let condition = hook.condition.as_ref().expect("its match");
    for (tool, expected) in [("Bash", true), ("Write", true), ("Edit", false)] {
        let event = Event::new("PreToolUse", Default::default()).with("tool_name", tool);
        let picked = condition.pick(&MatchContext::for_event(&event), Compat::Guarded);
        assert_eq!(picked == Picked::Exactly, expected, "{tool}");
    }
    let odd = load(&entry("Stop", r#"{"command": "x", "payloadFormat": "codex"}"#));
    assert_eq!(
        (codes(&odd), odd.hooks[0].dialect),
        (vec!["wrong-field-type"], DialectId::REASONIX)
    );
}

/// RX-10: the settings of the project come before those of the user.
#[test]
fn settings_are_found_and_recognized_by_path_or_structure() {
    let roots = Roots { cwd: "/p".into(), home: "/home/u".into(), ..Roots::default() };
    let found = REASONIX.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    assert_eq!(
        found,
        [
            ("/p/.reasonix/settings.json", Layer::Project),
            ("/home/u/.reasonix/settings.json", Layer::User)
        ]
    );
    for (path, text, fit) in [
        ("/p/.reasonix/settings.json", "{", Fit::Certain),
        ("/p/x.json", r#"{"hooks": {"TurnEnd": []}}"#, Fit::Certain),
        (
            "/p/x.json",
            r#"{"hooks": {"PreToolUse": [{"match": "a", "command": "x"}]}}"#,
            Fit::Certain,
        ),
        ("/p/x.json", r#"{"hooks": {"PreToolUse": [{"command": "x"}]}}"#, Fit::Shape),
        ("/p/x.json", r#"{"hooks": {"PreToolUse": [{"matcher": "a", "hooks": []}]}}"#, Fit::No),
        ("/p/x.json", "{}", Fit::No),
    ] {
        let root = parse_by_format(text, Format::Json).root;
        assert_eq!(REASONIX.recognize_config_file(Path::new(path), root.as_ref()), fit, "{text}");
    }
}

/// RX-5, RX-11 to RX-18: each sample has exactly the finding that it is named after, at its line.
#[test]
fn every_sample_has_its_finding_and_its_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let samples = root.join("conformance/check/reasonix");
    let text = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let documentation = text(&root.join("docs/spec/diagnostics.md"));
    let has_entry = |code: &str| {
        let name = format!("`{code}`");
        documentation.lines().any(|line| line.starts_with("### ") && line.contains(&name))
    };
    let expected: toml_edit::DocumentMut =
        text(&samples.join("expect.toml")).parse().expect("TOML");
    for (file, case) in expected.iter() {
        let found = load(&text(&samples.join(file))).diagnostics;
        let reported: Vec<_> = found
            .iter()
            .map(|diagnostic| {
                let line = diagnostic.place.as_ref().map_or(0, |place| place.line);
                (diagnostic.code.name(), line, diagnostic.severity.to_string())
            })
            .collect();
        let code = file.trim_end_matches(".json");
        let line = case["line"].as_integer().and_then(|n| usize::try_from(n).ok());
        let severity = case["severity"].as_str().expect("a severity").to_owned();
        assert_eq!(reported, [(code, line.expect("a line"), severity)], "{file}");
        assert!(has_entry(code), "{code} has no entry");
    }
    let files = std::fs::read_dir(&samples).expect("samples").count();
    assert_eq!(files, expected.len() + 2, "each file has an expectation");
    assert_eq!(load(&text(&samples.join("sound.json"))).diagnostics, []);
}
