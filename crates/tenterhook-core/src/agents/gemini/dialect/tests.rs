//! Compares the dialect with the observed behaviour of Gemini CLI.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::GEMINI;
use crate::answer::{Failure, Restraint};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Cap, DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{
    Arming, Compat, Hook, HookId, Inherit, Invocation, Layer, OnFailure, Run, Shell,
};
use crate::matcher::MatcherSpec;
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source, Switch};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

fn conformance(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

fn event(fields: &Value) -> Event {
    GEMINI
        .decode_event(fields.as_object().expect("an object"), &Roots::default())
        .expect("an event")
}

fn read(text: &str, compat: Compat) -> ReadConfig {
    let source =
        Source::from_text("/p/.gemini/settings.json", DialectId::GEMINI, text, "/p/.gemini");
    GEMINI.read_config(&Source { compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn verdict(event: &Event, report: &Report, compat: Compat) -> Verdict {
    let row = GEMINI.event_row(&event.name).expect("a row");
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::GEMINI, event.name.clone(), run);
    hook.compat = compat;
    let answer = GEMINI.read_answer(event, row, report);
    judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer)
}

/// Whether the agent skipped the action, or continued a turn that was about to end.
fn was_blocked(event: &str, seen: &Value) -> bool {
    let result = seen["tool_result_seen_by_model"].to_string();
    match event {
        "BeforeTool" => result.contains("blocked"),
        "AfterTool" => result.contains("error") || seen["model_requests"] == json!(1),
        "AfterAgent" => seen["model_requests"] == json!(2),
        "AfterModel" => seen.to_string().contains("execution blocked"),
        _ => seen["prompt_reached_model"] == json!(false),
    }
}

/// GM-40 to GM-46.
#[test]
fn exact_reading_matches_every_run_and_guarded_reading_only_adds_denials() {
    let table = conformance("gemini-cli-outcomes.json");
    let (mut compared, mut gained) = (0, Vec::new());
    for case in table["cases"].as_array().expect("cases") {
        let (name, hook) = (case["event"].as_str().expect("event"), &case["hook"]);
        let title = format!("{name} {}", case["case"].as_str().expect("case"));
        // Skips runs whose hook asks for a different tool: that field is not supported.
        if hook.get("cmd").is_some() || title == "AfterTool tail" {
            continue;
        }
        let text = |key: &str| hook[key].as_str().expect("text").as_bytes();
        let code = i32::try_from(hook["code"].as_i64().expect("code")).expect("small");
        let said =
            StepOutput::Bytes { stdout: text("stdout").into(), stderr: text("stderr").into() };
        let report = Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) };
        let event = event(&json!({"hook_event_name": name, "tool_name": "run_shell_command",
            "tool_input": {"command": "echo RAN-ORIG"}, "prompt": "PROMPT-ORIG"}));
        let blocks = |verdict: &Verdict| {
            verdict.restraint > Restraint::Allow || verdict.effects.stop.is_some()
        };
        let exact = verdict(&event, &report, Compat::Exact);
        let observed = &case["observed"];
        assert_eq!(blocks(&exact), was_blocked(name, observed), "{title}: {exact:?}");
        let text = observed.to_string();
        assert_eq!(!exact.effects.context.is_empty(), text.contains("<hook_co"), "{title}");
        for mark in ["MARK-r\"", "MARK-err\"", "MARK-stop\""] {
            if exact.restraint > Restraint::Allow && text.contains(mark) {
                let reason = exact.reason.clone().expect("a reason").text;
                assert!(reason.contains(mark.trim_end_matches('"')), "{title}: {reason}");
            }
        }
        let guarded = blocks(&verdict(&event, &report, Compat::Guarded));
        if guarded != blocks(&exact) {
            assert!(guarded, "{title}");
            gained.push(title);
        }
        compared += 1;
    }
    assert_eq!(compared, 26);
    let expected = [
        "BeforeTool cc-deny-PreToolUse",
        "BeforeTool invalid-json",
        "BeforeTool json-then-text",
        "BeforeTool text-then-json",
    ];
    assert_eq!(gained, expected);
}

/// GM-20.
#[test]
fn every_observed_payload_round_trips_unchanged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../../conformance/observed/payloads/gemini-cli");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("payloads").flatten() {
        let name = file.file_name().into_string().expect("text");
        let given = conformance(&format!("payloads/gemini-cli/{name}"));
        let event = event(&given);
        assert!(GEMINI.event_row(&event.name).is_some(), "{name}");
        let written: Value =
            serde_json::from_slice(&GEMINI.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given, "{name}");
        count += 1;
    }
    assert_eq!(count, 16);
}

/// GM-30: `run_shell_command` is the neutral tool `Bash`.
#[test]
fn tools_have_their_neutral_names() {
    let event = event(&json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
        "tool_input": {"command": "ls"}}));
    assert_eq!((event.name.as_str(), event.text("tool_name")), ("PreToolUse", Some("Bash")));
    let row = GEMINI.event_row(&event.name).expect("a row");
    assert_eq!(row.subject.matcher_text(&event), Some("run_shell_command"));
    assert_eq!(row.subject.alternative_names(&event), ["Bash"]);
}

/// GM-1, GM-2.
#[test]
fn settings_are_read_from_machine_user_and_project() {
    let roots = Roots {
        cwd: "/r/a".into(),
        repository: Some("/r".into()),
        home: "/h".into(),
        managed: Some("/etc/claude-code".into()),
        ..Roots::default()
    };
    let found = GEMINI.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    let expected = [
        ("/etc/gemini-cli/settings.json", Layer::Managed),
        ("/h/.gemini/settings.json", Layer::User),
        ("/r/a/.gemini/settings.json", Layer::Project),
    ];
    assert_eq!(found, expected);
    let fit = |path: &str| GEMINI.recognize_config_file(Path::new(path), None);
    assert_eq!(fit("/r/.gemini/settings.json"), Fit::Certain);
    assert_eq!(fit("/r/.claude/settings.json"), Fit::No);
}

/// GM-3, GM-6 to GM-10: `sequential` is accepted and has no effect.
#[test]
fn groups_are_read_with_times_in_milliseconds() {
    let text = r#"{ // The agent takes comments.
        "hooksConfig": {"disabled": ["off"]},
        "hooks": {
            "BeforeTool": [{"matcher": "write_.*", "sequential": true, "hooks": [
                {"type": "command", "command": "guard", "timeout": 5000, "name": "n", "env": {"A": "b"}}]}],
            "SessionStart": [{"matcher": "startup|resume", "hooks": [{"type": "command", "command": "x", "name": "off"}]}]
        }}"#;
    let mut guarded = read(text, Compat::Guarded);
    assert_eq!(codes(&guarded), [""; 0]);
    let source = Source::from_text("s", DialectId::GEMINI, text, "/p");
    GEMINI.apply_layer_settings(&mut [(&source, &mut guarded)]);
    let [gate, off] = guarded.hooks.as_slice() else { panic!("{guarded:?}") };
    assert_eq!(gate.timeout, Some(Duration::from_secs(5)));
    assert_eq!(*gate.matcher.spec(), MatcherSpec::Regex("write_.*".to_owned()));
    assert!(
        matches!(&gate.run, Run::Command(command) if command.env == [("A".into(), "b".into())])
    );
    assert!(matches!(off.arming, Arming::Disarmed { .. }));
    let names = MatcherSpec::Words(vec!["startup".into(), "resume".into()]);
    assert_eq!(*off.matcher.spec(), names);
    let exact = read(text, Compat::Exact);
    let whole = MatcherSpec::Words(vec!["startup|resume".into()]);
    assert_eq!(*exact.hooks[1].matcher.spec(), whole, "the agent compares the whole text");
}

/// GM-4: each bad entry is reported at its line, and its siblings still run.
#[test]
fn a_bad_entry_is_rejected_alone() {
    let text = r#"{"hooks": {
        "BeforeTool": [
            {"hooks": [{"type": "command"},
                {"type": "command", "command": "a"}, 7]},
            "b",
            {"hooks": [{"type": "command", "command": "c"}]}],
        "PreToolUse": [{"hooks": [{"type": "command", "command": "d"}]}]}}"#;
    let read = read(text, Compat::Guarded);
    let line =
        |diagnostic: &Diagnostic| diagnostic.place.as_ref().map_or(0, |location| location.line);
    let reported: Vec<_> = read
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.code.name(), line(diagnostic)))
        .collect();
    let expected = [
        ("handler-missing-field", 3),
        ("handler-not-object", 4),
        ("group-not-object", 5),
        ("unknown-event", 7),
    ];
    assert_eq!(reported, expected);
    let rule = |hook: &Hook| hook.arming.disabled_reason().map_or("", |(_, rule)| rule);
    assert_eq!(read.hooks.iter().map(rule).collect::<Vec<_>>(), ["GM-4", "", "", "GM-4"]);
}

/// GM-5, GM-6, GM-7: what Gemini CLI 0.61.0 does not read.
#[test]
fn switches_in_hooks_and_handlers_without_type_have_no_effect() {
    let text = r#"{"disableAllHooks": true,
        "hooks": {"enabled": false, "disabled": ["n"], "BeforeTool": [{"hooks": [
        {"type": "command", "command": "a", "name": "n"}, {"command": "b"}]}]}}"#;
    let read = read(text, Compat::Exact);
    let ignored = "switch-not-heard";
    let expected = [ignored, ignored, ignored, "handler-missing-field"];
    assert_eq!((codes(&read), read.switches.len()), (expected.to_vec(), 0));
    let armed: Vec<_> = read.hooks.iter().map(|hook| hook.arming == Arming::Armed).collect();
    assert_eq!(armed, [true, false]);
}

/// GM-6: the hooks that a list of each layer disables.
#[test]
fn disabled_list_disables_hooks_by_name_or_else_by_command() {
    let hooks = r#""BeforeTool": [{"hooks": [
        {"type": "command", "command": "a", "name": "n"},
        {"type": "command", "command": "b"},
        {"type": "command", "command": "c", "description": "n"}]}]"#;
    let with = |config: &str, older: &str| {
        format!(r#"{{"hooksConfig": {config}, "hooks": {{"disabled": {older}, {hooks}}}}}"#)
    };
    let plain = with("{}", "[]");
    let runs = |files: [(Layer, &str); 3]| {
        let sources = files.map(|(layer, text)| {
            let source = Source::from_text("s", DialectId::GEMINI, text, "/p");
            Source { layer, ..source }
        });
        let mut read = sources.each_ref().map(|source| GEMINI.read_config(source));
        let mut layers: Vec<_> = sources.iter().zip(&mut read).collect();
        GEMINI.apply_layer_settings(&mut layers);
        let armed = |hook: &Hook| {
            let off = hook.arming.disabled_reason();
            assert!(off.is_none_or(|(_, rule)| rule == "GM-6"), "{off:?}");
            off.is_none()
        };
        read.map(|config| config.hooks.iter().map(armed).collect::<Vec<_>>())
    };
    let (on, named, command) = ([true; 3], [false, true, true], [true, false, true]);
    let all = |listing: &str, at: usize| {
        let mut files =
            [(Layer::Managed, &*plain), (Layer::User, &plain), (Layer::Project, &plain)];
        files[at].1 = listing;
        runs(files)
    };
    let list = with(r#"{"disabled": ["n", "a", "x"]}"#, "[]");
    assert_eq!(all(&list, 0), [named; 3], "the machine's");
    assert_eq!(all(&list, 1), [on, named, named], "the user's");
    assert_eq!(all(&list, 2), [on, on, named], "a project's");
    assert_eq!(all(&with("{}", r#"["n", "a", "b"]"#), 0), [on; 3], "`hooks.disabled` is not read");
    let list = with(r#"{"disabled": ["a", "b"]}"#, "[]");
    assert_eq!(all(&list, 0), [command; 3], "a hook with a name is not matched by its command");
    // Each of two files of one layer has its own list.
    let given = [(Layer::Given, &*list), (Layer::Given, &plain), (Layer::Project, &plain)];
    assert_eq!(runs(given), [command, on, on]);
}

/// GM-8: a command runs in Bash and inherits the whole environment.
#[test]
fn command_runs_in_bash_with_the_whole_environment() {
    let read = read(
        r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "a", "env": {"A": "b"}}]}]}}"#,
        Compat::Guarded,
    );
    let Run::Command(command) = &read.hooks[0].run else { panic!("{read:?}") };
    let line = Invocation::Shell { text: "a".to_owned(), shell: Shell::Bash };
    assert_eq!(command.invocation, line);
    assert_eq!(command.env, [("A".to_owned(), "b".to_owned())]);
    assert_eq!((command.inherit, &command.cwd), (Inherit::All, &None));
}

/// GM-11.
#[test]
fn invalid_matcher_is_an_error_on_tool_events_and_a_warning_elsewhere() {
    let text = r#"{"hooks": {
        "AfterTool": [{"matcher": "(", "hooks": [{"type": "command", "command": "a"}]}],
        "AfterAgent": [{"matcher": "(", "hooks": [{"type": "command", "command": "b"}]}]}}"#;
    for compat in [Compat::Guarded, Compat::Exact] {
        let read = read(text, compat);
        let reported: Vec<_> = read
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.name(), diagnostic.severity))
            .collect();
        let expected =
            [("invalid-matcher", Severity::Error), ("matcher-ignored", Severity::Warning)];
        assert_eq!(reported, expected);
        assert!(read.hooks.iter().all(|hook| hook.arming == Arming::Armed));
        let whole = MatcherSpec::Words(vec!["(".to_owned()]);
        let broken = MatcherSpec::Regex("(".to_owned());
        let expected = if compat == Compat::Exact { whole } else { broken };
        assert_eq!(*read.hooks[0].matcher.spec(), expected);
    }
}

/// GM-31.
#[test]
fn stop_event_is_allowed_after_eight_denials() {
    let cap = |event: &str| GEMINI.event_row(&event.into()).expect("a row").cap;
    assert_eq!(cap("Stop"), Some(Cap::continue_after(8)));
    assert_eq!(cap("PreToolUse"), None);
}

/// GM-5, GM-7, GM-9.
#[test]
fn each_mistake_in_settings_is_reported() {
    let text = r#"{"hooksConfig": {"enabled": false}, "hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}],
        "BeforeTool": [{"matcher": "[", "hooks": [{"type": "command", "command": "a", "timeout": 15}]}],
        "BeforeAgent": [{"matcher": "x", "hooks": [{"type": "command", "command": "a", "statusMessage": "b"}]}]}}"#;
    let read = read(text, Compat::Guarded);
    let expected = [
        "hooks-disabled",
        "unknown-event",
        "invalid-matcher",
        "timeout-looks-like-seconds",
        "matcher-ignored",
        "unknown-handler-field",
    ];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    assert_eq!(read.switches, [Switch::DisableAll]);
}

/// BR-9: the exit code decides, not the text on stderr.
#[test]
fn exit_code_1_continues_and_higher_codes_block_whatever_stderr_contains() {
    let then = |failure: Failure| GEMINI.policy_without_answer("PreToolUse", &failure);
    assert_eq!(then(Failure::exit_code_failure(1, "")), OnFailure::Continue);
    assert_eq!(then(Failure::exit_code_failure(1, "not found")), OnFailure::Continue);
    assert_eq!(then(Failure::exit_code_failure(12, "")), OnFailure::Block);
    let quoted =
        Failure { exit: Some(3), ..Failure::new(Code::ExitCode, "it exited with code 1: x") };
    assert_eq!(then(quoted), OnFailure::Block);
}
