//! Compares the dialect with the observed agent.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{COPILOT, PASCAL};
use crate::answer::{Answer, Failure, Restraint};
use crate::diagnostic::Code;
use crate::dialect::kit::reply_form::Ended;
use crate::dialect::{Dialect, DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Http, Invocation, Layer, OnFailure, Run};
use crate::matcher::MatcherSpec;
use crate::source::{ReadConfig, Source, Switch};

fn read(text: &str, compat: Compat) -> ReadConfig {
    let source =
        Source::from_text("/p/.github/hooks/h.json", DialectId::COPILOT, text, "/p/.github/hooks");
    COPILOT.read_config(&Source { compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn event(dialect: &Dialect, fields: &Value) -> Event {
    let fields = fields.as_object().expect("an object");
    dialect.decode_event(fields, &Roots::default()).expect("an event")
}

/// CP-6: entries that Copilot CLI 1.0.102 was played with, and whether it ran them.
#[test]
fn entry_with_a_wrong_value_is_skipped_by_exact_reading_alone() {
    for (field, runs) in [
        (r#""matcher": {"toolName": "bash"}"#, false),
        (r#""matcher": ["bash"]"#, false),
        (r#""matcher": 5"#, false),
        (r#""matcher": null"#, false),
        (r#""timeoutSec": "10""#, false),
        (r#""timeoutSec": 0"#, false),
        (r#""timeoutSec": -1"#, false),
        (r#""matcher": "bash""#, true),
    ] {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"preToolUse": [{{"type": "command", "bash": "a", {field}}}]}}}}"#
        );
        let guarded = read(&text, Compat::Guarded);
        assert_eq!(guarded.hooks[0].arming, Arming::Armed, "{field}");
        let skipped = "Copilot CLI skips the hook; it runs here: ";
        let says_so = guarded.diagnostics.iter().any(|found| found.message.starts_with(skipped));
        assert_eq!(says_so, !runs, "{field}: {:?}", guarded.diagnostics);
        let exact = read(&text, Compat::Exact);
        let off = exact.hooks[0].arming.disabled_reason().map(|(_, rule)| rule);
        assert_eq!(off, (!runs).then_some("CP-6"), "{field}");
    }
}

/// CP-20, CP-30.
#[test]
fn observed_payloads_survive_decoding_and_encoding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed/payloads");
    let mut count = 0;
    for (form, dialect) in [("copilot-cli-camel", &COPILOT), ("copilot-cli-pascal", &PASCAL)] {
        for file in std::fs::read_dir(folder.join(form)).expect("payloads").flatten() {
            let name = file.file_name().into_string().expect("text");
            let text = std::fs::read_to_string(file.path()).expect("a text");
            let given: Value = serde_json::from_str(&text).expect("JSON");
            let event = event(dialect, &given);
            let named = name.split(['-', '.']).next().expect("a name");
            let row = dialect.event_row(&event.name).expect("a row");
            assert_eq!(row.name, named, "{form} {name}");
            let written: Value =
                serde_json::from_slice(&dialect.encode_event(&event).body).expect("JSON");
            assert_eq!(written, given, "{form} {name}");
            count += 1;
        }
    }
    assert_eq!(count, 15);
}

/// CP-20: in both forms, the agent's own keys of an input become neutral keys.
#[test]
fn inputs_have_neutral_keys_in_both_forms() {
    let input = json!({"path": "/a", "file_text": "b"});
    let camel =
        event(&COPILOT, &json!({"sessionId": "s", "toolName": "create", "toolArgs": input}));
    let pascal =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input});
    for event in [camel, event(&PASCAL, &pascal)] {
        assert_eq!(event.text("tool_name"), Some("Write"));
        assert_eq!(event.payload["tool_input"], json!({"file_path": "/a", "content": "b"}));
    }
}

/// CP-1, CP-3.
#[test]
fn candidates_and_recognition_cover_all_layers() {
    let roots = Roots {
        cwd: "/r/a".into(),
        repository: Some("/r".into()),
        home: "/h".into(),
        managed: Some("/etc/claude-code".into()),
        ..Roots::default()
    };
    let found = COPILOT.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    let expected = [
        ("/etc/github-copilot/policy.d/*.json", Layer::Managed),
        ("/h/.copilot/hooks/*.json", Layer::User),
        ("/h/.copilot/settings.json", Layer::User),
        ("/r/.github/hooks/*.json", Layer::Project),
        ("/r/.github/copilot/settings.json", Layer::Project),
        ("/r/.github/copilot/settings.local.json", Layer::Local),
    ];
    assert_eq!(found, expected);
    let fit = |path: &str| COPILOT.recognize_config_file(Path::new(path), None);
    assert_eq!(fit("/r/.github/hooks/any.json"), Fit::Certain);
    assert_eq!(fit("/r/.github/hooks.json"), Fit::No);
    assert!(PASCAL.candidate_files(&roots).is_empty());
}

/// CP-3, CP-6, CP-9, CP-10.
#[test]
fn hooks_are_read_from_events_and_groups() {
    let text = r#"{"version": 1, "hooks": {
        "preToolUse": [
            {"type": "command", "bash": "a", "cwd": "s", "timeoutSec": 15, "matcher": "bash|create"},
            {"exec": "/bin/x", "args": ["y"], "env": {"A": "b"}},
            {"type": "http", "url": "https://localhost/x"}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "c", "timeout": 5}]}]}}"#;
    let read = read(text, Compat::Guarded);
    if cfg!(windows) {
        return;
    }
    assert_eq!(codes(&read), [""; 0], "{:?}", read.diagnostics);
    let [a, exec, http, group] = read.hooks.as_slice() else { panic!("{read:?}") };
    assert_eq!(a.timeout, Some(Duration::from_secs(15)));
    assert_eq!(*a.matcher.spec(), MatcherSpec::Regex("^(?:bash|create)$".to_owned()));
    let Run::Command(command) = &a.run else { panic!("{a:?}") };
    assert!(command.cwd.as_ref().is_some_and(|cwd| cwd.ends_with("s")));
    let argv = Invocation::Argv { program: "/bin/x".into(), args: vec!["y".into()] };
    assert!(matches!(&exec.run, Run::Command(command) if command.invocation == argv));
    assert!(matches!(http.run, Run::Http(_)));
    assert_eq!((a.dialect, group.dialect), (DialectId::COPILOT, DialectId::COPILOT_PASCAL));
    assert_eq!(*group.matcher.spec(), MatcherSpec::Words(vec!["Bash".into()]));
    assert_eq!(group.event, a.event);
}

/// CP-4, CP-5, CP-6, CP-10.
#[test]
fn entry_that_never_runs_has_a_finding() {
    let text = r#"{"disableAllHooks": true, "hooks": {
        "preToolUse": [
            {"matcher": "", "hooks": [{"type": "command", "bash": "a"}]},
            {"bash": "b", "matcher": "*"},
            {"type": "prompt", "prompt": "c"}],
        "copilot:tool.pre": [{"bash": "d"}],
        "agentStop": [{"powershell": "e", "async": true}]}}"#;
    let guarded = read(text, Compat::Guarded);
    let expected = [
        "hooks-disabled",
        "invalid-matcher",
        "handler-type-not-accepted",
        "unknown-event",
        "unknown-entry-field",
        "handler-missing-field",
    ];
    if cfg!(unix) {
        assert_eq!(codes(&guarded), expected, "{:?}", guarded.diagnostics);
    }
    assert_eq!(guarded.switches, [Switch::DisableAll]);
    let armed = |config: &ReadConfig| {
        config.hooks.iter().map(|hook| hook.arming == Arming::Armed).collect::<Vec<_>>()
    };
    assert_eq!(armed(&guarded), [true, true, false, false, false]);
    assert_eq!(*guarded.hooks[1].matcher.spec(), MatcherSpec::Any);
    assert_eq!(armed(&read(text, Compat::Exact)), [true, false, false, false, false]);
}

/// CP-4: as Copilot CLI 1.0.102 does.
#[test]
fn group_under_own_name_runs_and_event_that_is_no_list_refuses_the_file() {
    let group = r#"{"matcher": "bash", "hooks": [{"command": "a"}]}"#;
    let text =
        |end: &str| format!(r#"{{"hooks": {{"preToolUse": [{group}], "sessionEnd": {end}}}}}"#);
    let sound = read(&text("[]"), Compat::Exact);
    assert_eq!(codes(&sound), [""; 0], "{:?}", sound.diagnostics);
    assert_eq!(sound.hooks[0].arming, Arming::Armed);
    assert_eq!(*sound.hooks[0].matcher.spec(), MatcherSpec::Regex("^(?:bash)$".to_owned()));
    for end in ["{}", "null", "5"] {
        let broken = read(&text(end), Compat::Guarded);
        assert!(broken.diagnostics[0].message.contains("refuses the whole file"), "{broken:?}");
        assert_eq!(broken.hooks[0].arming, Arming::Armed);
        let exact = read(&text(end), Compat::Exact);
        assert!(exact.hooks.iter().all(|hook| hook.arming != Arming::Armed), "{exact:?}");
    }
}

/// CP-43.
#[test]
fn failed_command_before_a_tool_denies_and_failed_request_does_not() {
    let row = COPILOT.event_row(&"PreToolUse".into()).expect("a row");
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::COPILOT, "PreToolUse".into(), run);
    let promise = |hook: &Hook, code| {
        COPILOT.default_failure_policy(hook, row, &Failure::new(code, String::new()))
    };
    assert_eq!(promise(&hook, Code::NotStarted), OnFailure::Block);
    assert_eq!(promise(&hook, Code::TimedOut), OnFailure::Continue);
    let (url, secret) = ("https://localhost/x".to_owned(), None);
    let interpolation = COPILOT.interpolation();
    let (headers, variables) = (Vec::new(), Vec::new());
    hook.run = Run::Http(Http { url, headers, variables, secret, interpolation });
    assert_eq!(promise(&hook, Code::NotStarted), OnFailure::Continue);
}

/// CP-2, BR-30.
#[test]
fn agent_loads_its_files_and_a_projects_claude_settings() {
    let source = |dialect, layer| Source { layer, ..Source::from_text("f", dialect, "", "/p") };
    for (dialect, layer, loads) in [
        (DialectId::COPILOT, Layer::User, true),
        (DialectId::CLAUDE, Layer::Project, true),
        (DialectId::CLAUDE, Layer::User, false),
        (DialectId::CODEX, Layer::Project, false),
    ] {
        for agent in [&COPILOT, &PASCAL] {
            assert_eq!(agent.loads_source(&source(dialect, layer)), loads, "{dialect} {layer:?}");
        }
    }
}

/// CP-42: any exit code but 0 denies before a tool, with the hook's stderr as the reason if there
/// is any.
#[test]
fn exit_code_denies_only_before_a_tool() {
    let ended = |event: &str, code, stderr| {
        let row = COPILOT.event_row(&event.into()).expect("a row");
        (super::reply::FORM.ended)(&Ended { row, code, stdout: "", stderr })
    };
    assert_eq!(ended("PreToolUse", 0, "noise"), Answer::default());
    assert_eq!(ended("PreToolUse", 1, ""), Answer::deny("the hook exited with code 1"));
    assert_eq!(ended("PreToolUse", 3, "no"), Answer::deny("no"));
    for words in ["", "no"] {
        let after = ended("PostToolUse", 1, words);
        assert!(after.restraint == Restraint::Silent && after.failure.is_some(), "{words}");
    }
}

/// CP-40: lines of progress are removed, and the rest stays unchanged.
#[test]
fn progress_is_removed_from_an_answer() {
    let part = |text: &'static str| {
        String::from_utf8((super::reply::FORM.part)(text.as_bytes(), "").into_owned())
            .expect("text")
    };
    let answer = "{\"permissionDecision\":\"deny\"}";
    assert_eq!(part(answer), answer);
    assert_eq!(part("{\"type\":\"progress\"}\n{\"permissionDecision\":\"deny\"}"), answer);
    assert_eq!(part("{\"type\":\"other\"}"), "{\"type\":\"other\"}");
}
