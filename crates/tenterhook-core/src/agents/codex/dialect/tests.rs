//! The dialect, held against what the agent was seen to do.

mod observed;

use std::path::Path;

use serde_json::{Value, json};

use super::CODEX;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Invocation, Layer, Run, Shell, Wait};
use crate::matcher::MatcherSpec;
use crate::source::{ReadConfig, Source, Switch};
use crate::syntax::{Format, parse_by_format};

fn read(name: &str, text: &str, compat: Compat) -> ReadConfig {
    let source = Source::from_text(name, DialectId::CODEX, text, "/p/.codex");
    CODEX.read_config(&Source { compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn event(fields: &Value) -> Event {
    let fields = fields.as_object().expect("an object");
    CODEX.decode_event(fields, &Roots::default()).expect("an event")
}

const TOML: &str = r#"
model = "gpt-5"
[features]
hooks = false
[[hooks.PreToolUse]]
matcher = "^Bash$"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "guard"
timeout = 30
async = true
[hooks.state."/p/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:0"
"#;

/// CX-4, CX-6, CX-7, CX-9.
#[test]
fn both_forms_configure_hooks() {
    let toml = read("/p/.codex/config.toml", TOML, Compat::Guarded);
    assert_eq!(codes(&toml), ["hooks-disabled"], "{:?}", toml.diagnostics);
    assert_eq!(toml.switches, [Switch::DisableAll]);
    let json = json!({"description": "d", "hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": [
        {"type": "command", "command": "guard", "timeout": 30, "async": true}]}]}});
    let json = read("/p/.codex/hooks.json", &json.to_string(), Compat::Guarded);
    assert_eq!(codes(&json), [""; 0]);
    for read in [toml, json] {
        let [hook] = read.hooks.as_slice() else { panic!("{read:?}") };
        assert_eq!(
            (hook.wait, hook.timeout),
            (
                Wait::Detached,
                Some(crate::dialect::kit::field::seconds_to_duration(30.0).expect("30 s"))
            )
        );
        assert_eq!(*hook.matcher.spec(), MatcherSpec::Regex("^Bash$".to_owned()));
        let Run::Command(command) = &hook.run else { panic!("{hook:?}") };
        let shell = Invocation::Shell { text: "guard".to_owned(), shell: Shell::Login };
        assert_eq!(command.invocation, shell);
    }
}

/// CX-5.
#[test]
fn unknown_key_disables_the_file_only_in_exact_mode() {
    let text = r#"{"$schema": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "t"}]}]}}"#;
    for (compat, runs) in [(Compat::Guarded, true), (Compat::Exact, false)] {
        let read = read("/p/.codex/hooks.json", text, compat);
        assert_eq!(codes(&read), ["unknown-key"]);
        assert_eq!(read.hooks[0].arming == Arming::Armed, runs);
    }
}

/// CX-5: events outside of `hooks` have one finding, which says where they belong.
#[test]
fn events_at_the_top_level_are_one_finding() {
    let text =
        r#"{"Stop": [{"hooks": [{"type": "command", "command": "t"}]}], "SessionStart": []}"#;
    let read = read("/p/.codex/hooks.json", text, Compat::Guarded);
    assert_eq!(codes(&read), ["missing-hooks-wrapper"]);
}

/// CX-4: the help for a TOML file is written in TOML.
#[test]
fn help_has_the_format_of_the_file() {
    let text = "[[hooks]]\nevent = \"Stop\"\ncommand = \"t\"\n";
    let read = read("/p/.codex/config.toml", text, Compat::Guarded);
    let help: Vec<_> = read.diagnostics.iter().filter_map(|found| found.help.as_deref()).collect();
    assert!(help.iter().any(|help| help.starts_with("write `[[hooks.PreToolUse]]`")), "{help:?}");
    assert!(help.contains(&"add `type = \"command\"`"), "{help:?}");
}

/// CX-9.
#[test]
fn timeout_of_zero_is_reported_as_one_second() {
    let text =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "t", "timeout": 0}]}]}}"#;
    let read = read("/p/.codex/hooks.json", text, Compat::Guarded);
    assert_eq!(codes(&read), ["timeout-is-zero"]);
    assert_eq!(read.hooks[0].timeout, Some(std::time::Duration::from_secs(1)));
}

/// CX-7, CX-9, CX-11.
#[test]
fn skipped_handler_is_off_for_a_reason() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"matcher": "[", "hooks": [{"type": "command", "command": "a"}]}],
        "PreToolUze": [{"hooks": [{"type": "command", "command": "b"}]}],
        "Stop": [{"matcher": "x", "hooks": [{"type": "prompt", "prompt": "c"}]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "d", "timeout": 60, "if": "x"}]}]
    }}"#;
    let guarded = read("/p/.codex/hooks.json", text, Compat::Guarded);
    let found = codes(&guarded);
    let expected = [
        "invalid-matcher",
        "unknown-event",
        "matcher-ignored",
        "handler-type-not-accepted",
        "unknown-handler-field",
    ];
    assert_eq!(found, expected, "{:?}", guarded.diagnostics);
    let armed: Vec<bool> = guarded.hooks.iter().map(|hook| hook.arming == Arming::Armed).collect();
    assert_eq!(armed, [true, false, false, true]);
    assert_eq!(guarded.hooks[3].timeout, Some(std::time::Duration::from_secs(3)));
    let exact = read("/p/.codex/hooks.json", text, Compat::Exact);
    assert!(matches!(exact.hooks[0].matcher.spec(), MatcherSpec::Never(_)));
}

/// CX-1 to CX-3.
#[test]
fn layers_have_two_files_and_a_project_has_them_in_each_directory() {
    let roots = Roots {
        cwd: "/r/a".into(),
        repository: Some("/r".into()),
        home: "/h".into(),
        managed: Some("/etc/claude-code".into()),
        ..Roots::default()
    };
    let found = CODEX.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    assert_eq!(
        found,
        [
            ("/etc/codex/requirements.toml", Layer::Managed),
            ("/etc/codex/hooks.json", Layer::Managed),
            ("/etc/codex/config.toml", Layer::Managed),
            ("/h/.codex/hooks.json", Layer::User),
            ("/h/.codex/config.toml", Layer::User),
            ("/r/.codex/hooks.json", Layer::Project),
            ("/r/.codex/config.toml", Layer::Project),
            ("/r/a/.codex/hooks.json", Layer::Project),
            ("/r/a/.codex/config.toml", Layer::Project),
        ]
    );
    let homes = vec![(DialectId::CODEX, "/c".into())];
    let elsewhere = CODEX.candidate_files(&Roots { homes, ..roots });
    assert!(elsewhere.iter().any(|candidate| candidate.path == Path::new("/c/hooks.json")));
}

/// CX-3.
#[test]
fn config_is_recognized_by_its_path_or_as_toml_with_groups() {
    for (path, text, fit) in [
        ("/r/.codex/hooks.json", "{", Fit::Certain),
        ("/r/.codex/config.toml", "", Fit::Certain),
        ("/x/a.toml", TOML, Fit::Shape),
        ("/x/a.toml", "[hook.a]\non = 'Stop'", Fit::No),
    ] {
        let root = parse_by_format(text, Format::Toml).root;
        assert_eq!(
            CODEX.recognize_config_file(Path::new(path), root.as_ref()),
            fit,
            "{path} {text}"
        );
    }
}

/// CX-12.
#[test]
fn matchers_of_edit_and_write_match_a_patch() {
    let row = CODEX.event_row(&"PreToolUse".into()).expect("a row");
    let names = |tool: &str| {
        let event = event(&json!({"hook_event_name": "PreToolUse", "tool_name": tool}));
        let others = row.subject.alternative_names(&event).into_iter();
        row.subject
            .matcher_text(&event)
            .into_iter()
            .chain(others)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("apply_patch"), ["apply_patch", "Edit", "Write", "apply_patch"]);
    assert!(names("Edit").contains(&"apply_patch".to_owned()));
    assert_eq!(names("mcp__a__b"), ["mcp__a__b"]);
}

/// CX-5 to CX-13: each sample has exactly the finding that it is named after, at its line.
#[test]
fn every_sample_has_its_documented_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let samples = root.join("conformance/check/codex");
    let text = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let book = text(&root.join("docs/spec/diagnostics.md"));
    let has_entry = |code: &str| {
        let name = format!("`{code}`");
        book.lines().any(|line| line.starts_with("### ") && line.contains(&name))
    };
    let expected: toml_edit::DocumentMut =
        text(&samples.join("expect.toml")).parse().expect("TOML");
    let load = |file: &str| read(file, &text(&samples.join(file)), Compat::Guarded).diagnostics;
    for (file, case) in expected.iter() {
        let found: Vec<_> = load(file)
            .iter()
            .map(|diagnostic| {
                let line = diagnostic.place.as_ref().map_or(0, |place| place.line);
                (diagnostic.code.name().to_owned(), line, diagnostic.severity.to_string())
            })
            .collect();
        let code = file.trim_end_matches(".json").to_owned();
        let line = case["line"].as_integer().and_then(|n| usize::try_from(n).ok());
        let severity = case["severity"].as_str().expect("a severity").to_owned();
        assert!(has_entry(&code), "{code} has no entry");
        assert_eq!(found, [(code, line.expect("a line"), severity)], "{file}");
    }
    let files = std::fs::read_dir(&samples).expect("samples").count();
    assert_eq!(files, expected.len() + 2, "each file has an expectation");
    assert_eq!(load("sound.json"), []);
}
