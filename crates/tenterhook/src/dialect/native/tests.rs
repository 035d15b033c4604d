//! From a text to hooks, and what is said of a text that is wrong.

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
use crate::report::{End, Output, Said};
use crate::source::{ReadConfig, Source, Switch};

mod hostile;
mod near_misses;
mod protocol;
mod unusable;

fn source(text: &str) -> Source {
    let mut source = Source::given("/p/tenterhook.toml", DialectId::NATIVE, text, "/p");
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
    let said = Said::Bytes {
        stdout: Output::from(stdout.as_bytes()),
        stderr: Output::from(stderr.as_bytes()),
    };
    Report { said, ..Report::silent(end, Duration::ZERO) }
}

fn read(end: End, stdout: &str, stderr: &str) -> Answer {
    answer::read(gate(), &report(end, stdout, stderr), false)
}

/// What a native hook may do before a tool.
fn gate() -> &'static EventRow {
    NATIVE.row(&"PreToolUse".into()).expect("a row")
}

fn said(stdout: &str) -> Answer {
    read(End::Exited(0), stdout, "")
}

/// C-42, C-44 (paths start at the file), C-45 (the short list), C-57 (one entry, two events, one name).
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
    assert_eq!(hook.matcher.words().unwrap_or_default(), ["Bash", "PowerShell"]);
    assert_eq!(
        hook.condition.as_ref().map(crate::matcher::Condition::text),
        Some("Bash(git push *)")
    );
    assert_eq!(hook.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(hook.on_failure, Some(OnFailure::Ask));
    assert_eq!((hook.phase, hook.wait), (Phase::Rewrite, Wait::Attached));
    assert!(hook.once && hook.answer_required);
    assert_eq!(hook.place.as_ref().map(|it| it.line), Some(2));
    let Run::Command(command) = &hook.run else { panic!("{:?}", hook.run) };
    let argv = Invocation::Argv { program: "/p/guard.py".into(), args: vec!["--strict".into()] };
    assert_eq!(command.invocation, argv);
    assert_eq!((command.inherit, command.cwd.clone()), (Inherit::Listed, Some("/p/sub".into())));
    assert_eq!(command.env, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(command.pass, ["TOKEN"]);
}

#[test]
fn json_has_the_same_shape() {
    let read = clean(r#"{"hook": {"a": {"on": "Stop", "shell": "exit 0", "wake": true}}}"#);
    assert_eq!(read.hooks.len(), 1);
    assert_eq!(read.hooks[0].wait, Wait::Rewake);
}

#[test]
fn an_entry_of_nothing_but_enabled_switches_a_hook_off() {
    let read =
        clean("[hook.a]\nenabled = false\n[hook.b]\non = 'Stop'\nshell = 'x'\nenabled = false\n");
    let [Switch::DisableHook { name, place }] = read.switches.as_slice() else {
        panic!("{:?}", read.switches)
    };
    assert_eq!((name.as_str(), place.as_ref().map(|it| it.line)), ("a", Some(1)));
    assert_ne!(read.hooks[0].arming, crate::hook::Arming::Armed);
}

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
    assert!(!NATIVE.unknown_row(&"deploy.after".into()).powers.has(Power::Deny));
}

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
    assert_eq!(read.diagnostics[0].help.as_deref().map(|it| it.contains("/Edit.*/")), Some(true));
}

/// C-1.
#[test]
fn a_bad_hook_is_rejected_alone() {
    let read = load("[hook.bad]\non = 'Stop'\n[hook.good]\non = 'Stop'\nshell = 'true'\n");
    let runs: Vec<_> = read.hooks.iter().map(|hook| (hook.id.as_str(), unusable(hook))).collect();
    assert_eq!(runs, [("bad", true), ("good", false)]);
    assert_eq!(read.diagnostics.len(), 1);
    assert!(!read.unreadable);
    assert!(load("[hook").unreadable);
}

/// What is found by who compiles rules.
const OF_RULES: &[&str] =
    &["bad-rule", "bad-rule-pattern", "empty-rule", "rule-too-costly", "unknown-rule-name"];

#[test]
fn every_bad_sample_has_its_code_on_its_line() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/check/native");
    let mut count = 0;
    for entry in std::fs::read_dir(samples).expect("the samples are there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a sample is text");
        // A build without rules cannot say what is wrong with one (C-76).
        let name = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        if !cfg!(feature = "rule") && OF_RULES.contains(&name) {
            continue;
        }
        let first = text.lines().next().unwrap_or_default();
        let words: Vec<&str> = first.split(' ').collect();
        let ["#", "expect:", code, "at", "line", line] = words.as_slice() else {
            panic!("{}: {first}", path.display());
        };
        let line = line.parse().ok();
        let read = load(&text);
        let found: Vec<_> = read
            .diagnostics
            .iter()
            .map(|it| {
                (it.code.name(), it.place.as_ref().map(|place| place.line), it.help.is_some())
            })
            .collect();
        assert_eq!(found, [(*code, line, true)], "{}", path.display());
        assert_eq!(path.file_stem().and_then(|it| it.to_str()), Some(*code));
        count += 1;
    }
    assert!(count > 20, "only {count} samples");
}

#[test]
fn a_matcher_without_words_is_an_error() {
    for value in ["[]", "['']", "['Bash', '']", "''", "'//'"] {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\nmatch = {value}\n"));
        let codes: Vec<_> = read.diagnostics.iter().map(|it| it.code.name()).collect();
        assert_eq!(codes, ["bad-matcher"], "{value}");
    }
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
        let told: Vec<_> =
            read.diagnostics.iter().map(|it| (it.code.name(), it.help.is_some())).collect();
        assert_eq!(told, [(code, true)], "{value}");
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
            read.diagnostics.iter().map(|it| it.code.name()).collect::<Vec<_>>(),
            codes,
            "{keys}"
        );
    }
}

/// PW-19.
#[cfg(not(feature = "prewarm-forms"))]
#[test]
fn a_form_that_this_build_leaves_out_names_the_feature() {
    for text in [
        "[hook.a]\non = 'Stop'\nrun = ['python3', 'a.py']\nprewarm = 'python'\n",
        "[source.\"settings.json\"]\nprewarm = 'node'\n",
    ] {
        let read = load(text);
        let [told] = read.diagnostics.as_slice() else { panic!("{read:?}") };
        assert_eq!(told.code, crate::diagnostic::Code::PrewarmWithoutEffect);
        assert!(told.help.as_ref().is_some_and(|it| it.contains("`prewarm-forms`")), "{told:?}");
        let runs_cold = |hook: &crate::hook::Hook| !hook.is_prewarmed();
        assert!(read.hooks.iter().all(runs_cold), "{read:?}");
    }
}

#[test]
fn an_empty_rule_is_an_error() {
    let read = load("[hook.a]\non = 'PreToolUse'\nshell = 'x'\nif = ' '\n");
    assert_eq!(
        read.diagnostics.iter().map(|it| it.code.name()).collect::<Vec<_>>(),
        ["bad-condition"]
    );
}

/// C-48, C-43.
#[test]
fn an_expression_is_a_condition() {
    let told = |rest: &str| {
        let read = load(&format!("[hook.a]\non = 'Stop'\nshell = 'x'\n{rest}\n"));
        let told = |it: &Diagnostic| (it.code.name(), it.help.clone().unwrap_or_default());
        read.diagnostics.iter().map(told).collect::<Vec<_>>()
    };
    let codes = |rest: &str| told(rest).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    for right in ["if = { when = 'true' }", "if = [{ when = 'true' }, { when = \"cwd == 'x'\" }]"] {
        assert_eq!(codes(right), [""; 0], "{right}");
    }
    for wrong in ["if = { when = '' }", "if = { when = 1 }", "if = { when = 'true', deny = 'x' }"] {
        assert_eq!(codes(wrong), ["bad-condition"], "{wrong}");
    }
    let [(code, help)] = &told("when = 'true'")[..] else { panic!() };
    assert_eq!(*code, "several-runs");
    assert!(help.contains("`if = { when = "), "{help}");
    let [(code, _)] = &told("speaks = 'codewhale'\nif = { type = 'mode', when = 'true' }")[..]
    else {
        panic!()
    };
    assert_eq!(*code, "bad-condition");
}

/// RU-30: a mistake in an expression stands at its place.
#[cfg(feature = "rule")]
#[test]
fn a_mistake_in_an_expression_is_named_where_it_stands() {
    let text = "[hook.a]\non = 'Stop'\nshell = 'x'\nif = { when = \"tol.name == 'x'\" }\n";
    let read = load(text);
    let told = &read.diagnostics[0];
    assert_eq!(told.code.name(), "unknown-rule-name");
    let span = told.place.as_ref().expect("a place").span;
    assert_eq!(text.get(span.start..span.end), Some("tol"));
    assert!(unusable(&read.hooks[0]));
}

#[test]
fn a_wrong_item_is_named_where_it_stands() {
    let read = load("[hook.a]\non = 'PreToolUse'\nrun = [\n  './guard',\n  5,\n]\n");
    let told = &read.diagnostics[0];
    assert_eq!(
        (told.code.name(), told.place.as_ref().map(|place| place.line)),
        ("wrong-type", Some(5))
    );
    assert!(told.message.ends_with("not one that holds a number"), "{}", told.message);
}

#[test]
fn every_code_has_an_entry_in_the_book() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = std::fs::read_to_string(root.join("docs/spec/diagnostics.md")).expect("the book");
    let ours = book.split("\n## ").find(|it| it.starts_with("`tenterhook.toml`")).expect("ours");
    let told: std::collections::BTreeSet<&str> =
        ours.split("\n### `").skip(1).filter_map(|it| it.split('`').next()).collect();
    let samples = std::fs::read_dir(root.join("conformance/check/native")).expect("samples");
    let mut known: std::collections::BTreeSet<String> = samples
        .map(|it| it.expect("an entry").path())
        .filter_map(|it| Some(it.file_stem()?.to_str()?.to_owned()))
        .collect();
    // Two that TOML cannot show.
    let duplicate =
        r#"{"hook": {"a": {"on": "Stop", "shell": "x"}, "a": {"on": "Stop", "shell": "y"}}}"#;
    for (code, text) in [("duplicate-key", duplicate), ("not-strict-json", "{\"hook\": {},}")] {
        let read = load(text);
        assert_eq!(read.diagnostics.iter().map(|it| it.code.name()).collect::<Vec<_>>(), [code]);
        known.insert(code.to_owned());
    }
    assert_eq!(told, known.iter().map(String::as_str).collect());
}

#[test]
fn every_diagnostic_of_an_error_costs_the_hook() {
    let read = load("[hook.a]\non = 'Stop'\nshell = 'x'\nmtach = 'y'\n");
    assert!(read.hooks.iter().all(unusable));
    assert_eq!(read.diagnostics[0].severity, Severity::Error);
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `match`?"));
}

/// C-56, TE-1.
#[test]
fn cases_are_kept() {
    let text = "[hook.a]\non = 'PreToolUse'\nrun = ['x']\n[[hook.a.test]]\nname = 'n'\nevent = { tool = { name = 'Bash' } }\nexpect = 'silent'\n";
    clean(text);
    let cases = cases(&source(text));
    assert_eq!(cases.len(), 1);
    assert_eq!((cases[0].expect.decision, cases[0].place.line), (Restraint::Silent, 4));
    assert_eq!(cases[0].on.as_deref(), Some("PreToolUse"));
}

/// TE-2, TE-4, TE-6.
#[test]
fn a_file_of_cases_is_read_with_every_key() {
    let text = r#"
        config = ["a.toml", "claude=b.json"]
        dialect = "claude"
        copy = "lib"
        [[case]]
        name = "n"
        hook = "a"
        event = "Bash git push -f"
        expect = "deny"
        reason = "force"
        context = "c+"
        rewrite = { command = "x" }
        within = "2s"
        faults = ["exit-code"]
        files = { "a/b" = "text" }
        [[case]]
        event = { hook_event_name = "Stop" }
        expect = "stop"
        "#;
    let file = read_case_file(&source(text));
    assert_eq!(file.diagnostics, []);
    assert_eq!((file.config.len(), file.copy.len(), file.dialect), (2, 1, Some(DialectId::CLAUDE)));
    let [first, second] = file.cases.as_slice() else { panic!("{:?}", file.cases) };
    assert_eq!(first.hook, Some(HookId::new("a")));
    assert_eq!(first.event, Happens::Words("Bash git push -f".into()));
    let expected = Expectation {
        decision: Restraint::Deny,
        stop: false,
        reason: Some("force".into()),
        context: Some("c+".into()),
        rewrite: Some(json!({ "command": "x" })),
        within: Some(Duration::from_secs(2)),
        faults: vec!["exit-code".into()],
    };
    assert_eq!(first.expect, expected);
    assert_eq!(first.files, [("a/b".to_owned(), "text".to_owned())]);
    assert!(second.expect.stop && second.hook.is_none(), "{second:?}");
}

/// TE-8.
#[test]
fn a_case_that_cannot_be_used_is_said_and_left_out() {
    for (text, code) in [
        ("case = [{ event = 'Stop' }]", "missing-key"),
        ("case = [{ event = 'Stop', expect = 'no' }]", "unknown-word"),
        ("case = [{ event = 'Stop', expect = 'deny', reason = '(' }]", "bad-expression"),
        ("case = [{ event = 'Stop', expect = 'deny', faults = ['exitcode'] }]", "unknown-word"),
        ("case = [{ event = 1, expect = 'deny' }]", "wrong-type"),
        ("case = [{ event = 'Stop', expect = 'deny', when = '' }]", "unknown-key"),
        ("dialect = 'klaude'", "unknown-dialect"),
        ("tests = []", "unknown-key"),
        ("case = [", "broken-file"),
    ] {
        let file = read_case_file(&source(text));
        assert_eq!(file.cases, [], "{text}");
        let codes: Vec<_> = file.diagnostics.iter().map(|it| it.code.to_string()).collect();
        assert_eq!(codes, [code], "{text}");
    }
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
    let said: Vec<_> = loaded.diagnostics.iter().map(|it| (it.code.name(), it.severity)).collect();
    #[rustfmt::skip]
    assert_eq!(said, [("nothing-of-that-name", Severity::Advice), ("nothing-of-that-name", Severity::Warning)]);
    assert!(loaded.diagnostics[0].message.contains("`/q/x`"));
    let lines: Vec<_> =
        loaded.diagnostics.iter().map(|it| it.place.as_ref().map(|it| it.line)).collect();
    assert_eq!(lines, [Some(5), Some(3)]);
}

#[test]
fn files_are_found_from_the_strongest_layer_down() {
    use crate::hook::Layer::{Local, Managed, Project, User};
    let roots = Roots {
        cwd: "/p/src".into(),
        repository: Some("/p".into()),
        home: "/home/u".into(),
        managed: Some("/etc/tenterhook".into()),
        ..Roots::default()
    };
    let found: Vec<_> = NATIVE.places(&roots).into_iter().map(|it| (it.path, it.layer)).collect();
    let toml: Vec<_> = found
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "toml"))
        .cloned()
        .collect();
    let expected = [
        ("/etc/tenterhook/tenterhook.toml", Managed),
        ("/etc/tenterhook/tenterhook.guardrails.toml", Managed),
        ("/home/u/.config/tenterhook/tenterhook.toml", User),
        ("/home/u/.config/tenterhook/tenterhook.guardrails.toml", User),
        ("/p/tenterhook.toml", Project),
        ("/p/tenterhook.guardrails.toml", Project),
        ("/p/tenterhook.local.toml", Local),
    ];
    assert_eq!(toml, expected.map(|(path, layer)| (PathBuf::from(path), layer)));
    assert_eq!(found.len(), 11);
    let named = |name: &str, text: &str| {
        let root = crate::syntax::parse(text, crate::syntax::Format::Toml).root;
        NATIVE.recognizes(Path::new(name), root.as_ref())
    };
    assert_eq!(named("/x/tenterhook.toml", ""), Fit::Certain);
    assert_eq!(named("/x/hooks.toml", "[hook.a]\non = 'Stop'\nshell = 'x'"), Fit::Certain);
    assert_eq!(named("/x/Cargo.toml", "[package]\nname = 'x'"), Fit::No);
}

#[test]
fn a_gate_fails_closed_and_an_observer_does_not() {
    let failure = |event: &str| NATIVE.row(&event.into()).map(|row| row.failure);
    assert_eq!(failure("PreToolUse"), Some(OnFailure::Block));
    assert_eq!(failure("Stop"), Some(OnFailure::Block));
    assert_eq!(failure("PermissionRequest"), Some(OnFailure::Ask));
    assert_eq!(failure("PostToolUse"), Some(OnFailure::Continue));
    assert_eq!(failure("SessionStart"), Some(OnFailure::Continue));
    for row in NATIVE.rows() {
        assert!(row.failure == OnFailure::Continue || row.powers.has(Power::Deny), "{}", row.name);
    }
    let claude = DialectId::CLAUDE.dialect().rows();
    let ours: Vec<_> = NATIVE.rows().iter().map(|row| &row.event).collect();
    assert!(claude.iter().all(|row| ours.contains(&&row.event)), "an event is missing");
    assert_eq!(ours.len(), claude.len() + 8, "eight names cover what other agents tell");
}

#[test]
fn a_gate_whose_expression_is_broken_stays() {
    let read = load("[hook.a]\non = 'PreToolUse'\nmatch = '/(/'\nrun = ['x']\n");
    assert_eq!((read.hooks.len(), read.diagnostics[0].code.name()), (1, "bad-expression"));
}

/// C-47: ten seconds, on `SessionEnd` less; a duration has its unit.
#[test]
fn durations_have_units_and_the_default_is_short() {
    let own = |text: &str| {
        let read = load(&format!("[hook.a]\non = 'Stop'\nshell = 'x'\ntimeout = {text}\n"));
        read.hooks.first().and_then(|hook| hook.timeout).map(|it| it.as_millis())
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
    for row in NATIVE.rows() {
        let millis = if row.event == "SessionEnd" { 1500 } else { 10_000 };
        assert_eq!(row.timeout, Duration::from_millis(millis), "{}", row.name);
    }
}

/// C-49: a name that nobody declared is armed, warned of, and only observed.
#[test]
fn an_unknown_event_is_armed_and_observed() {
    let read = load("[hook.a]\non = 'PreToolUze'\nshell = 'x'\n");
    assert_eq!((read.hooks.len(), read.diagnostics[0].code.name()), (1, "unknown-event"));
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `PreToolUse`?"));
    let row = NATIVE.unknown_row(&"PreToolUze".into());
    assert_eq!(row.powers.iter().collect::<Vec<_>>(), [Power::Message]);
}

/// C-51: in the background nothing is rewritten and nothing decided.
#[test]
fn nobody_waits_for_the_background() {
    let told = |more: &str| {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\n{more}\n"));
        (read.hooks.first().map(|it| it.wait), read.diagnostics.first().map(|it| it.code.name()))
    };
    assert_eq!(told("background = true"), (Some(Wait::Detached), None));
    assert_eq!(told("wake = true"), (Some(Wait::Rewake), None));
    let both = "background = true\nphase = 'decide'";
    assert_eq!(told(both), (Some(Wait::Detached), Some("background-gate")));
    let rewrite = "background = true\nphase = 'rewrite'";
    assert_eq!(told(rewrite), (Some(Wait::Attached), Some("background-rewrite")));
}

/// C-60: whatever is wrong with what an executor is given, the finding names its line and says what to write.
#[test]
fn a_mistake_in_what_runs_says_what_to_write() {
    for (line, code, help) in [
        ("run = 'x'", "wrong-type", "`shell = \"...\"` for a shell line"),
        ("run = ['']", "empty-run", "write `run = [\"program\", \"argument\"]`"),
        ("shell = ['x']", "wrong-type", "write `shell = \"...\"`"),
        (
            "run = ['x']\nprewarm = 'ruby'",
            "wrong-type",
            "`prewarm = \"python\"` or `prewarm = \"node\"`",
        ),
        ("shell = 'x'\ntimeout = -1", "bad-duration", "`\"5s\"`"),
        ("shell = 'x'\ntimeout = 5", "duration-without-unit", "write `\"5s\"`"),
        ("worker = 'x'", "wrong-type", "write `worker = [\"program\", \"argument\"]`"),
        ("http = 1", "wrong-type", "write `http = \"...\"`, or a table with `url`"),
        ("http = { uri = 'https://e' }", "unknown-key", "did you mean `url`?"),
        ("http = {}", "empty-run", "write `url = \"...\"`"),
        ("http = 'ftp://e'", "unusable-url", "write `https://HOST/PATH`"),
        ("prompt = ['x']", "wrong-type", "write `prompt = \"...\"`, or a table with `text`"),
        ("prompt = { text = 'x', turns = 3 }", "unknown-key", "`prompt` has `text`"),
        ("prompt = { text = 'x', allow = 'yes' }", "wrong-type", "write `allow = true`"),
        ("agent = { text = 'x', turns = 0 }", "wrong-type", "write `turns = 10`"),
        ("agent = { prompt = 'x' }", "unknown-key", "`agent` has `text`"),
        ("mcp = 's/t'", "wrong-type", "give it `server`, `tool` and `input`"),
        ("mcp = { server = 's' }", "empty-run", "write `tool = \"...\"`"),
        ("mcp = { server = 's', tool = 't', args = {} }", "unknown-key", "and `input`"),
        ("mcp = { server = 's', tool = 't', input = { a = '${' } }", "bad-place", "write `${tool"),
        ("when = 1\ndeny = 'x'", "wrong-type", "write `when = \"...\"`"),
        ("when = ''\ndeny = 'x'", "empty-run", "write `when = \"...\"`"),
        ("when = 'true'", "empty-rule", "add `deny`"),
        ("deny = 'x'", "missing-run", "write a rule, `when = \"...\"`, beside `deny`"),
        ("shell = 'x'\nhttp = 'https://e'", "several-runs", "keep `shell`"),
        ("args = ['x']", "unknown-key", "behind the program"),
        ("status = 'x'", "missing-run", "give it exactly one of `run`"),
    ] {
        if !cfg!(feature = "rule") && OF_RULES.contains(&code) {
            continue;
        }
        let text = format!("[hook.a]\non = 'PreToolUse'\n{line}\n");
        let source = Source::given("t.toml", DialectId::NATIVE, &text, "/p");
        let read = DialectId::NATIVE.dialect().read_config(&source);
        let [found] = read.diagnostics.as_slice() else { panic!("{line}: {read:?}") };
        assert_eq!(found.code.name(), code, "{line}: {}", found.message);
        assert!(found.place.is_some(), "{line}");
        let says = found.help.as_deref().unwrap_or_default();
        assert!(says.contains(help), "{line}: {says}");
        let [hook] = read.hooks.as_slice() else { panic!("{line}: {read:?}") };
        assert_eq!(hook.run.executor(), "none", "{line}");
    }
}
