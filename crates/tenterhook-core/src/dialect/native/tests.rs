//! From a text to hooks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::answer::{Power, Restraint, SlipKind};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{Fit, Roots, Subject};
use crate::event::Event;
use crate::hook::{Hook, HookId, Inherit, Invocation, OnFailure, Phase, Run, Wait};
use crate::matcher::MatcherSpec;
use crate::report::{End, Output, StepOutput};
use crate::source::{ReadConfig, Source, Switch};

mod cases;
mod hostile;
mod managed;
mod mistakes;
mod protocol;
mod unusable;

fn source(text: &str) -> Source {
    let mut source = Source::from_text("/p/tenterhook.toml", DialectId::NATIVE, text, "/p");
    source.home = PathBuf::from("/home/u");
    source
}

fn load(text: &str) -> ReadConfig {
    NATIVE.read_config(&source(text))
}

fn unusable(hook: &Hook) -> bool {
    matches!(hook.run, Run::Unusable { .. })
}

/// Loads a text that must be clean.
fn clean(text: &str) -> ReadConfig {
    let read = load(text);
    assert_eq!(read.diagnostics, [], "{text}");
    read
}

fn report(end: End, stdout: &str, stderr: &str) -> Report {
    let said = StepOutput::Bytes {
        stdout: Output::from(stdout.as_bytes()),
        stderr: Output::from(stderr.as_bytes()),
    };
    Report { said, ..Report::without_output(end, Duration::ZERO) }
}

fn read(end: End, stdout: &str, stderr: &str) -> Answer {
    answer::read_answer(gate(), &report(end, stdout, stderr), false)
}

/// What a native hook may do before a tool.
fn gate() -> &'static EventRow {
    NATIVE.event_row(&"PreToolUse".into()).expect("a row")
}

fn read_stdout(stdout: &str) -> Answer {
    read(End::Exited(0), stdout, "")
}

/// C-42, C-44 (paths start at the file), C-45 (the short list), C-57 (one entry, two events, one
/// name).
#[test]
fn a_hook_with_every_key_is_read() {
    let read = clean(
        r#"
        [hook.guard]
        on = ["PreToolUse", "PermissionRequest"]
        match = "Bash|PowerShell"
        if = "Bash(git push *)"
        run = ["./guard.py", "--strict"]
        timeout = "1.5s"
        on_failure = "ask"
        answer = "required"
        phase = "rewrite"
        once = true
        env = { A = "1" }
        pass = ["TOKEN"]
        cwd = "sub"
        status = "checking"
        test = { event = { tool = { name = "Bash", input = { command = "git push" } } }, expect = "deny" }
        "#,
    );
    assert_eq!(read.hooks.len(), 2);
    let hook = &read.hooks[1];
    assert_eq!((hook.id.as_str(), hook.event.as_str()), ("guard", "PermissionRequest"));
    assert_eq!(hook.matcher.exact_names().unwrap_or_default(), ["Bash", "PowerShell"]);
    assert_eq!(
        hook.condition.as_ref().map(crate::matcher::Condition::text),
        Some("Bash(git push *)")
    );
    assert_eq!(hook.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(hook.on_failure, Some(OnFailure::Ask));
    assert_eq!((hook.phase, hook.wait), (Phase::Rewrite, Wait::Attached));
    assert!(hook.once && hook.answer_required);
    assert_eq!(hook.place.as_ref().map(|location| location.line), Some(2));
    let Run::Command(command) = &hook.run else { panic!("{:?}", hook.run) };
    let argv = Invocation::Argv { program: "/p/guard.py".into(), args: vec!["--strict".into()] };
    assert_eq!(command.invocation, argv);
    assert_eq!((command.inherit, command.cwd.clone()), (Inherit::Listed, Some("/p/sub".into())));
    assert_eq!(command.env, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(command.pass, ["TOKEN"]);
}

/// C-40.
#[test]
fn json_has_the_same_shape() {
    let read = clean(r#"{"hook": {"a": {"on": "Stop", "shell": "exit 0", "wake": true}}}"#);
    assert_eq!(read.hooks.len(), 1);
    assert_eq!(read.hooks[0].wait, Wait::Rewake);
}

/// C-50.
#[test]
fn an_entry_of_nothing_but_enabled_switches_a_hook_off() {
    let read =
        clean("[hook.a]\nenabled = false\n[hook.b]\non = 'Stop'\nshell = 'x'\nenabled = false\n");
    let [Switch::DisableHook { name, place }] = read.switches.as_slice() else {
        panic!("{:?}", read.switches)
    };
    assert_eq!((name.as_str(), place.as_ref().map(|location| location.line)), ("a", Some(1)));
    assert_ne!(read.hooks[0].arming, crate::hook::Arming::Armed);
}

/// C-54.
#[test]
fn a_source_is_governed_and_an_event_declared() {
    let read = clean(
        r#"
        [source."~/.claude/settings.json"]
        on_failure = "block"
        compat = "exact"
        enabled = false
        [event."deploy.before"]
        subject = "environment"
        gate = true
        answers = ["deny", "context"]
        timeout = "30s"
        [hook.deploy]
        on = "deploy.before"
        match = "production"
        run = ["check"]
        "#,
    );
    let [Switch::Govern(govern)] = read.switches.as_slice() else { panic!("{:?}", read.switches) };
    assert_eq!(govern.file, PathBuf::from("/home/u/.claude/settings.json"));
    assert_eq!((govern.on_failure, govern.enabled), (Some(OnFailure::Block), Some(false)));
    let row = &read.events[0];
    assert_eq!(row.subject, Subject::Declared("environment".into()));
    assert!(row.powers.has(Power::Deny) && !row.powers.has(Power::Ask));
    assert_eq!((row.failure, row.timeout), (OnFailure::Block, Duration::from_secs(30)));
    assert!(!NATIVE.row_for_unknown_event(&"deploy.after".into()).powers.has(Power::Deny));
}

/// C-53.
#[test]
fn a_script_of_another_dialect_keeps_the_promises_of_this_file() {
    let read = clean("[hook.a]\non = 'PreToolUse'\nrun = ['x']\nspeaks = 'claude'\n");
    let hook = &read.hooks[0];
    assert_eq!(hook.dialect, DialectId::CLAUDE);
    assert_eq!(hook.on_failure, Some(OnFailure::Block));
    assert_eq!(hook.timeout, Some(Duration::from_secs(10)));
    let Run::Command(command) = &hook.run else { panic!("{:?}", hook.run) };
    assert_eq!(command.inherit, Inherit::All);
}

/// C-48.
#[test]
fn patterns_say_what_they_are() {
    let spec = |text: &str| {
        let read = clean(&format!("[hook.a]\non = 'PreToolUse'\nrun = ['x']\nmatch = {text}\n"));
        read.hooks[0].matcher.spec().clone()
    };
    assert_eq!(spec("'/^mcp__/'"), MatcherSpec::Regex("^mcp__".into()));
    assert_eq!(spec("['Edit', 'Write']"), MatcherSpec::Words(vec!["Edit".into(), "Write".into()]));
    let read = load("[hook.a]\non = 'PreToolUse'\nrun = ['x']\nmatch = 'Edit.*'\n");
    assert_eq!(read.diagnostics[0].code.name(), "bad-matcher");
    assert_eq!(
        read.diagnostics[0].help.as_deref().map(|help| help.contains("/Edit.*/")),
        Some(true)
    );
}

#[test]
fn a_worker_is_a_list_that_names_a_program() {
    for (value, code) in [
        ("[]", "empty-run"),
        ("['']", "empty-run"),
        ("'python3 guard.py'", "wrong-type"),
        ("['python3', 5]", "wrong-type"),
        ("['python3']\nprewarm = true", "no-effect"),
        ("['python3']\nenv = { '1' = 'x' }", "bad-variable"),
        ("['python3']\nrun = ['x']", "several-runs"),
    ] {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nworker = {value}\n"));
        let reported: Vec<_> = read
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.name(), diagnostic.help.is_some()))
            .collect();
        assert_eq!(reported, [(code, true)], "{value}");
    }
}

#[test]
fn the_form_of_an_interpreter_needs_a_script_that_is_certain() {
    for (value, found) in [("'nod'", "not another word"), ("1", "not a number")] {
        let read = load(&format!("[hook.a]\non = 'Stop'\nrun = ['x']\nprewarm = {value}\n"));
        let message = &read.diagnostics[0].message;
        assert!(message.ends_with(found), "{message}");
    }
    if !cfg!(feature = "prewarm-forms") {
        return;
    }
    for (keys, codes) in [
        ("run = ['node', 'a.mjs']\nprewarm = 'node'", &[][..]),
        ("run = ['python3', 'a.py']\nprewarm = 'python'", &[]),
        ("shell = 'npx tsx a.ts'\nprewarm = 'node'", &["prewarm-without-effect"]),
        ("run = ['python3', 'a.py']\nprewarm = 'node'", &["prewarm-without-effect"]),
        ("run = ['node', 'a.mjs']\nprewarm = 'python'", &["prewarm-without-effect"]),
        ("run = ['node', 'a.mjs']\nprewarm = 'node'\nonce = true", &["prewarm-without-effect"]),
    ] {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\n{keys}\n"));
        assert_eq!(
            read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
            codes,
            "{keys}"
        );
    }
}

/// RU-3.
#[test]
fn decision_on_an_event_that_no_hook_can_deny_is_reported() {
    for (event, key, codes) in [
        ("SubagentStart", "deny", &["no-effect"][..]),
        ("PreTaskExec", "deny", &["no-effect"]),
        ("Notification", "ask", &["no-effect"]),
        ("SubagentStart", "context", &[]),
        ("PreToolUse", "deny", &[]),
        ("PostToolUse", "deny", &[]),
        ("Stop", "deny", &[]),
    ] {
        let read = load(&format!("[hook.a]\non = '{event}'\nwhen = 'true'\n{key} = 'x'\n"));
        let found = read.diagnostics.iter().map(|diagnostic| diagnostic.code.name());
        assert_eq!(found.collect::<Vec<_>>(), codes, "{event} {key}");
    }
}

/// C-48, C-117, C-43.
#[test]
fn an_expression_is_a_condition() {
    let findings = |rest: &str| {
        let read = load(&format!("[hook.a]\non = 'Stop'\nshell = 'x'\n{rest}\n"));
        let finding = |diagnostic: &Diagnostic| {
            (diagnostic.code.name(), diagnostic.help.clone().unwrap_or_default())
        };
        read.diagnostics.iter().map(finding).collect::<Vec<_>>()
    };
    let codes = |rest: &str| findings(rest).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    for right in ["if = { when = 'true' }", "if = [{ when = 'true' }, { when = \"cwd == 'x'\" }]"] {
        assert_eq!(codes(right), [""; 0], "{right}");
    }
    for wrong in ["if = { when = '' }", "if = { when = 1 }", "if = { when = 'true', deny = 'x' }"] {
        assert_eq!(codes(wrong), ["bad-condition"], "{wrong}");
    }
    let [(code, help)] = &findings("when = 'true'")[..] else { panic!() };
    assert_eq!(*code, "several-runs");
    assert!(help.contains("`if = { when = "), "{help}");
    let [(code, _)] = &findings("speaks = 'codewhale'\nif = { type = 'mode', when = 'true' }")[..]
    else {
        panic!()
    };
    assert_eq!(*code, "bad-condition");
}

/// C-17, C-18.
#[test]
fn entries_of_one_name_are_set_apart() {
    let entry = "[hook.a]\non = ['Stop', 'PreToolUse']\nshell = 'x'\n";
    let mut project = source(entry);
    project.name = "/q/tenterhook.toml".into();
    project.layer = crate::hook::Layer::Project;
    let mut local = source(
        "[hook.a]\nenabled = false\n[hook.gaurd]\nenabled = false\n[source.'../q/x']\nenabled = true\n",
    );
    local.name = "/p/tenterhook.local.toml".into();
    let user = source(&entry.replace("hook.a", "hook.guard"));
    let sources = [user, project.clone(), Source { name: "/r/t.toml".into(), ..project }, local];
    let loaded = crate::config::load(&sources, &crate::config::Added::default(), None);
    let ids: Vec<&str> = loaded.ruleset.hooks().iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(ids, ["guard", "guard", "a", "a", "a@project", "a@project"]);
    let off = |hook: &crate::hook::Hook| hook.arming != crate::hook::Arming::Armed;
    assert_eq!(loaded.ruleset.hooks().iter().filter(|hook| off(hook)).count(), 4);
    let said: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.code.name(), diagnostic.severity))
        .collect();
    #[rustfmt::skip]
    assert_eq!(said, [("nothing-of-that-name", Severity::Advice), ("nothing-of-that-name", Severity::Warning)]);
    assert!(loaded.diagnostics[0].message.contains("`/q/x`"));
    let lines: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.place.as_ref().map(|location| location.line))
        .collect();
    assert_eq!(lines, [Some(5), Some(3)]);
}

/// C-41, C-115.
#[test]
fn files_are_found_from_the_strongest_layer_down() {
    use crate::hook::Layer::{Local, Managed, Project, User};
    let roots = Roots {
        cwd: "/p/src".into(),
        repository: Some("/p".into()),
        home: "/home/u".into(),
        managed: Some("/etc/claude-code".into()),
        ..Roots::default()
    };
    let found: Vec<_> = NATIVE
        .candidate_files(&roots)
        .into_iter()
        .map(|candidate| (candidate.path, candidate.layer))
        .collect();
    let toml: Vec<_> = found
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "toml"))
        .cloned()
        .collect();
    let expected = [
        ("/etc/tenterhook/tenterhook.toml", Managed),
        ("/etc/tenterhook/tenterhook.guardrails.toml", Managed),
        ("/etc/tenterhook/tenterhook.hold-subagents.toml", Managed),
        ("/etc/claude-code/tenterhook.toml", Managed),
        ("/etc/claude-code/tenterhook.guardrails.toml", Managed),
        ("/etc/claude-code/tenterhook.hold-subagents.toml", Managed),
        ("/home/u/.config/tenterhook/tenterhook.toml", User),
        ("/home/u/.config/tenterhook/tenterhook.guardrails.toml", User),
        ("/home/u/.config/tenterhook/tenterhook.hold-subagents.toml", User),
        ("/p/tenterhook.toml", Project),
        ("/p/tenterhook.guardrails.toml", Project),
        ("/p/tenterhook.hold-subagents.toml", Project),
        ("/p/tenterhook.local.toml", Local),
    ];
    assert_eq!(toml, expected.map(|(path, layer)| (PathBuf::from(path), layer)));
    assert_eq!(found.len(), 18);
    let named = |name: &str, text: &str| {
        let root = crate::syntax::parse_by_format(text, crate::syntax::Format::Toml).root;
        NATIVE.recognize_config_file(Path::new(name), root.as_ref())
    };
    assert_eq!(named("/x/tenterhook.toml", ""), Fit::Certain);
    assert_eq!(named("/x/hooks.toml", "[hook.a]\non = 'Stop'\nshell = 'x'"), Fit::Certain);
    assert_eq!(named("/x/Cargo.toml", "[package]\nname = 'x'"), Fit::No);
}

/// C-46.
#[test]
fn a_gate_fails_closed_and_an_observer_does_not() {
    let failure = |event: &str| NATIVE.event_row(&event.into()).map(|row| row.failure);
    assert_eq!(failure("PreToolUse"), Some(OnFailure::Block));
    assert_eq!(failure("Stop"), Some(OnFailure::Block));
    assert_eq!(failure("PermissionRequest"), Some(OnFailure::Ask));
    assert_eq!(failure("PostToolUse"), Some(OnFailure::Continue));
    assert_eq!(failure("SessionStart"), Some(OnFailure::Continue));
    for row in NATIVE.event_rows() {
        assert!(row.failure == OnFailure::Continue || row.powers.has(Power::Deny), "{}", row.name);
    }
    let claude = DialectId::CLAUDE.dialect().event_rows();
    let ours: Vec<_> = NATIVE.event_rows().iter().map(|row| &row.event).collect();
    assert!(claude.iter().all(|row| ours.contains(&&row.event)), "an event is missing");
    assert_eq!(ours.len(), claude.len() + 8, "eight names cover what other agents tell");
}

/// C-47: ten seconds, on `SessionEnd` less; a duration has its unit.
#[test]
fn durations_have_units_and_the_default_is_short() {
    let own = |text: &str| {
        let read = load(&format!("[hook.a]\non = 'Stop'\nshell = 'x'\ntimeout = {text}\n"));
        read.hooks.first().and_then(|hook| hook.timeout).map(|timeout| timeout.as_millis())
    };
    for (text, millis) in [
        ("'250ms'", Some(250)),
        ("'1.5s'", Some(1500)),
        ("'2m'", Some(120_000)),
        ("'1h'", Some(3_600_000)),
        ("5", None),
        ("'5'", None),
        ("'0s'", None),
        ("'-1s'", None),
        ("'25h'", None),
        ("'1e9s'", None),
    ] {
        assert_eq!(own(text), millis, "{text}");
    }
    for row in NATIVE.event_rows() {
        let millis = if row.event == "SessionEnd" { 1500 } else { 10_000 };
        assert_eq!(row.timeout, Duration::from_millis(millis), "{}", row.name);
    }
}

/// C-49: a hook on an undeclared event is armed, reported, and only observes.
#[test]
fn an_unknown_event_is_armed_and_observed() {
    let read = load("[hook.a]\non = 'PostToolUze'\nmatch = 'Bash'\nshell = 'x'\n");
    let codes: Vec<_> = read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
    assert_eq!((read.hooks.len(), codes), (1, vec!["unknown-event"]));
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `PostToolUse`?"));
    let row = NATIVE.row_for_unknown_event(&"PostToolUze".into());
    assert_eq!(row.powers.iter().collect::<Vec<_>>(), [Power::Message]);
}

/// C-49, C-116: a gate under a slip of the pen holds what it was meant for, and declaring the name
/// makes it one's own.
#[test]
fn a_gate_of_a_misspelt_event_is_a_gate() {
    let events = |text: &str| {
        let read = load(text);
        let hooks = read.hooks.iter();
        hooks
            .map(|hook| (hook.event.to_string(), matches!(hook.run, Run::Unusable { .. })))
            .collect::<Vec<_>>()
    };
    let gate =
        |event: &str| events(&format!("[hook.a]\non = {event}\nmatch = 'Bash'\nshell = 'x'\n"));
    let held = vec![("PreToolUse".to_owned(), true)];
    for slip in ["'PreTolUse'", "'pretooluse'", "'Pre-Tool-Use'", "['PreTolUse', 'PreToolUse']"] {
        assert_eq!(gate(slip), held, "{slip}");
    }
    // What an agent calls it, in its own way of writing.
    for own in ["'BeforeTool'", "'before_tool'", "'pre_tool_use'", "'preToolUse'"] {
        assert_eq!(gate(own), held, "{own}");
    }
    assert_eq!(gate("'PermisionRequest'"), [("PermissionRequest".to_owned(), true)]);
    let declared = "[event.PreTolUse]\ngate = true\n[hook.a]\non = 'PreTolUse'\nshell = 'x'\n";
    assert_eq!(events(declared), [("PreTolUse".to_owned(), false)]);
}

/// A misspelt name of a common tool is reported; the name of a tool that only one host has is not.
#[test]
fn misspelt_tool_is_reported() {
    let finding = |word: &str| {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nmatch = '{word}'\nshell = 'x'\n"));
        read.diagnostics
            .first()
            .map(|diagnostic| (diagnostic.code.name(), diagnostic.help.clone().unwrap_or_default()))
    };
    assert_eq!(finding("Bsh"), Some(("dead-matcher", "did you mean `Bash`?".to_owned())));
    assert_eq!(finding("Edit|Wirte"), Some(("dead-matcher", "did you mean `Write`?".to_owned())));
    for fine in ["Deploy", "Edits.*x", "mcp__db__query", "Bath2x", "Bash"] {
        assert_eq!(finding(fine).filter(|(code, _)| *code == "dead-matcher"), None, "{fine}");
    }
}

/// C-51: in the background nothing is rewritten and nothing decided.
#[test]
fn background_hook_cannot_rewrite_or_decide() {
    let wait_and_code = |more: &str| {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\n{more}\n"));
        (
            read.hooks.first().map(|hook| hook.wait),
            read.diagnostics.first().map(|diagnostic| diagnostic.code.name()),
        )
    };
    assert_eq!(wait_and_code("background = true"), (Some(Wait::Detached), None));
    assert_eq!(wait_and_code("wake = true"), (Some(Wait::Rewake), None));
    let both = "background = true\nphase = 'decide'";
    assert_eq!(wait_and_code(both), (Some(Wait::Detached), Some("background-gate")));
    let rewrite = "background = true\nphase = 'rewrite'";
    assert_eq!(wait_and_code(rewrite), (Some(Wait::Attached), Some("background-rewrite")));
}
