//! Tests of the whole dialect: files, and events read and written.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::config::{self, Added};
use crate::diagnostic::Severity;
use crate::dialect::{Fit, Roots};
use crate::event::{Event, EventName};
use crate::hook::{Arming, Hook, Layer, Wait};
use crate::matcher::{MatchContext, Picked};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, parse_by_format};

fn source(name: &str, layer: Layer, text: &str) -> Source {
    Source { layer, ..Source::from_text(name, DialectId::CODEWHALE, text, "/p") }
}

fn load(text: &str) -> ReadConfig {
    CODEWHALE.read_config(&source("/p/.codewhale/hooks.toml", Layer::Given, text))
}

fn decoded(json: Value) -> Event {
    let roots = Roots { cwd: "/p".into(), home: "/home/u".into(), ..Roots::default() };
    CODEWHALE.decode_event(json.as_object().expect("an object"), &roots).expect("an event")
}

fn stdin_json(event: &Event) -> Value {
    serde_json::from_slice(&CODEWHALE.encode_event(event).body).unwrap_or_default()
}

fn variable(event: &Event, name: &str) -> Option<String> {
    let env = CODEWHALE.encode_event(event).env;
    env.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// CW-20, `all_eleven_event_names_are_stable_and_exhaustive`,
/// `every_event_name_round_trips_through_serde`.
#[test]
fn every_event_has_a_row_for_each_neutral_event_it_covers() {
    let mut names: Vec<&str> = CODEWHALE.event_rows().iter().map(|row| &*row.name).collect();
    names.dedup();
    assert_eq!(names.len(), 11);
    for spec in events::EVENTS {
        for event in spec.covers {
            let row = CODEWHALE.event_row(&EventName::from(*event)).expect("a row");
            assert!(row.name == spec.name || *event == events::FAILED_TOOL, "{event}");
        }
        let text = format!("[[hooks]]\nevent = '{}'\ncommand = 'x'\n", spec.name);
        let read = load(&text);
        assert_eq!(read.diagnostics, [], "{}", spec.name);
        let events: Vec<&str> = read.hooks.iter().map(|hook| hook.event.as_str()).collect();
        assert_eq!(events, spec.covers, "{}", spec.name);
    }
}

/// CW-S17, `steering_allowlist_is_exactly_three_events`.
#[test]
fn only_three_events_read_answers() {
    let steering: Vec<&str> = CODEWHALE
        .event_rows()
        .iter()
        .filter(|row| row.powers != crate::answer::Powers::NONE)
        .map(|row| &*row.name)
        .collect();
    assert_eq!(steering, ["message_submit", "tool_call_before", "shell_env"]);
    let row = CODEWHALE.event_row(&"UserPromptSubmit".into()).expect("a row");
    assert!(row.when.contains("transform or block"), "{}", row.when);
}

/// `minimal_hook_toml_keeps_its_documented_defaults`.
#[test]
fn minimal_entry_has_the_documented_defaults() {
    let read = load("[[hooks]]\nevent = 'tool_call_before'\ncommand = 'x'\n");
    let hook = &read.hooks[0];
    assert_eq!((hook.wait, hook.on_failure, hook.timeout), (Wait::Attached, None, None));
    assert!(hook.condition.is_none());
    let row = CODEWHALE.event_row(&hook.event).expect("a row");
    assert_eq!((row.timeout, row.failure), (events::TIMEOUT, crate::hook::OnFailure::Continue));
}

/// C-42, C-43, X-14.
#[test]
fn every_bad_sample_has_its_code_on_its_line() {
    let samples =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/check/codewhale");
    let mut count = 0;
    for entry in std::fs::read_dir(samples).expect("the samples are there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a sample is text");
        let first = text.lines().next().unwrap_or_default();
        let parts: Vec<&str> = first.split(' ').collect();
        let ["#", "expect:", code, "at", "line", line] = parts.as_slice() else {
            panic!("{}: {first}", path.display());
        };
        let found: Vec<_> = load(&text)
            .diagnostics
            .iter()
            .map(|diagnostic| {
                (
                    diagnostic.code.name(),
                    diagnostic.place.as_ref().map(|place| place.line),
                    diagnostic.help.is_some(),
                )
            })
            .collect();
        assert_eq!(found, [(*code, line.parse().ok(), true)], "{}", path.display());
        count += 1;
    }
    assert!(count > 10, "only {count} samples");
}

/// CW-22, CW-29, `rejection_drops_only_the_offending_entry`,
/// `rejected_hooks_are_dropped_at_load_and_reported`.
#[test]
fn rejected_hooks_are_listed_and_their_siblings_stay_armed() {
    let read = load(
        "[[hooks]]\nname = 'g'\nevent = 'nothing'\ncommand = 'x'\n\
         [[hooks]]\nname = 'g'\nevent = 'turn_end'\ncommand = 'x'\ntimeout_secs = 0\n\
         [[hooks]]\nname = 'g'\nevent = 'turn_end'\ncommand = 'y'\n",
    );
    let found: Vec<_> = read
        .hooks
        .iter()
        .map(|hook| {
            let rule = hook.arming.disabled_reason().map_or("", |(_, rule)| rule);
            (hook.id.as_str(), rule)
        })
        .collect();
    assert_eq!(found, [("g", "CW-22"), ("g:2", "CW-24"), ("g:3", "")]);
    assert!(!read.unreadable);
    assert!(load("[[hooks").unreadable);
}

/// CW-29, `hook_labels_are_bounded_and_defanged`,
/// `problem_summaries_bound_and_defang_the_hook_name`.
#[test]
fn hook_name_is_cleaned_and_cut_to_64_characters() {
    let name = format!("a\\u001b[31mb\\nc{}", "x".repeat(100));
    let read = load(&format!("[[hooks]]\nname = \"{name}\"\nevent = 'turn_end'\ncommand = 'x'\n"));
    let id = read.hooks[0].id.as_str();
    assert!(id.starts_with("ab c") && id.chars().count() == 64, "{id}");
}

/// CW-35, `exit_code_conditions_are_rejected_only_where_no_exit_code_exists`,
/// `mode_conditions_are_rejected_on_shell_env_only`,
/// `tool_conditions_are_rejected_on_events_with_no_tool`,
/// `unsupported_conditions_nested_in_combinators_are_still_rejected`.
#[test]
fn conditions_that_cannot_hold_disarm_the_hook_on_every_event() {
    let kinds = [
        ("{ type = 'tool_name', name = 'bash' }", "tool"),
        ("{ type = 'tool_category', category = 'shell' }", "tool"),
        ("{ type = 'mode', mode = 'plan' }", "mode"),
        ("{ type = 'exit_code', code = 3221225477 }", "code"),
        ("{ type = 'always' }", ""),
    ];
    for spec in events::EVENTS {
        for (condition, needs) in kinds {
            let possible = match needs {
                "tool" => matches!(
                    spec.name,
                    "tool_call_before" | "tool_call_after" | "shell_env" | "on_error"
                ),
                "mode" => spec.name != "shell_env",
                "code" => matches!(spec.name, "tool_call_after" | "on_error"),
                _ => true,
            };
            let nested =
                format!("{{ type = 'any', conditions = [{{ type = 'always' }}, {condition}] }}");
            for text in [condition, nested.as_str()] {
                let read = load(&format!(
                    "[[hooks]]\nevent = '{}'\ncommand = 'x'\ncondition = {text}\n",
                    spec.name
                ));
                let armed = read.hooks.iter().all(|hook| hook.arming == Arming::Armed);
                assert_eq!(armed, possible, "{} {text}", spec.name);
                assert_eq!(read.diagnostics.is_empty(), possible, "{} {text}", spec.name);
            }
        }
    }
}

/// CW-33, CW-34, `exit_code_condition_matches_only_a_real_exit_code`,
/// `tool_exit_code_env_var_survives_a_windows_crash_code`,
/// `tool_exit_code_env_var_is_absent_when_the_tool_reported_none`.
#[test]
fn exit_code_condition_matches_only_a_reported_exit_code() {
    let read = load(
        "[[hooks]]\nevent = 'tool_call_after'\ncommand = 'x'\n\
         condition = { type = 'exit_code', code = 3221225477 }\n",
    );
    let condition = read.hooks[0].condition.as_ref().expect("a condition");
    for (code, expected) in
        [(json!(3_221_225_477_i64), true), (json!(0), false), (json!(null), false)]
    {
        let event = decoded(json!({
            "event": "tool_call_after", "tool_name": "bash", "tool_result": "x", "tool_exit_code": code
        }));
        let picked = condition.pick(&MatchContext::for_event(&event), crate::hook::Compat::Guarded);
        assert_eq!(picked == Picked::Exactly, expected, "{code}");
        let received = variable(&event, "DEEPSEEK_TOOL_EXIT_CODE");
        assert_eq!(received, code.as_i64().map(|code| code.to_string()));
    }
}

/// CW-51, `payload_env_vars_are_bounded`, `hook_context_bounds_tool_args_environment_value`.
#[test]
fn variables_are_cut_but_standard_input_is_not() {
    let long = "é".repeat(20_000);
    let message = decoded(json!({"event": "message_submit", "text": long}));
    assert_eq!(
        variable(&message, "DEEPSEEK_MESSAGE").map(|variable| variable.len()),
        Some(5_000 + 14)
    );
    assert_eq!(stdin_json(&message)["text"], long);
    let call = decoded(
        json!({"event": "tool_call_before", "tool_name": "bash", "tool_args": {"command": long}}),
    );
    let args = variable(&call, "DEEPSEEK_TOOL_ARGS").expect("arguments");
    assert!(args.len() <= 10_000 + 14 && args.ends_with("...[truncated]"), "{}", args.len());
    assert_eq!(stdin_json(&call)["tool_args"]["command"], long);
    let nul =
        decoded(json!({"event": "tool_call_after", "tool_name": "bash", "tool_result": "a\0b"}));
    assert_eq!(variable(&nul, "DEEPSEEK_TOOL_RESULT").as_deref(), Some("a\u{fffd}b"));
}

/// CW-54, CW-56, V-7.
#[test]
fn events_round_trip_unchanged() {
    for form in [
        json!({"event": "message_submit", "text": "hi", "session_id": "s", "workspace": "/p", "mode": "plan", "model": "m", "total_tokens": 1}),
        json!({"event": "tool_call_before", "session_id": "s", "workspace": "/p", "mode": "agent", "model": "m", "total_tokens": 7, "tool_name": "edit_file", "tool_call_id": "c", "tool_args": {"path": "/a", "search": "x", "replace": "y"}}),
        json!({"event": "shell_env", "session_id": "s", "workspace": "/p", "mode": "yolo", "model": "m", "tool_name": "bash", "tool_args": {"command": "ls"}}),
        json!({"event": "subagent_spawn", "agent_id": "a", "session_id": "s", "workspace": "/p", "mode": "agent", "model": "m", "prompt_preview": "x", "prompt_truncated": true}),
    ] {
        let json = stdin_json(&decoded(form.clone()));
        for (key, value) in form.as_object().expect("an object") {
            assert_eq!(json.get(key), Some(value), "{form} {key}");
        }
    }
    let edit = decoded(
        json!({"event": "tool_call_before", "tool_name": "edit_file", "tool_args": {"path": "/a", "search": "x"}}),
    );
    assert_eq!(edit.text("tool_name"), Some("Edit"));
    assert_eq!(edit.payload["tool_input"], json!({"file_path": "/a", "old_string": "x"}));
}

#[test]
fn unreadable_event_is_refused_with_a_reason() {
    let roots = Roots::default();
    for (form, expected) in [
        (json!({}), "`event`"),
        (json!({"event": "tool_call_befor"}), "did you mean `tool_call_before`?"),
        (json!({"event": "PreToolUse"}), "it has session_start"),
        (json!({"event": "tool_call_before"}), "`tool_name`"),
        (json!({"event": "tool_call_before", "tool_name": 5}), "must be a string"),
        (json!({"event": "message_submit"}), "`text`"),
        (json!({"event": "session_start", "mode": 5}), "`mode`"),
    ] {
        let fault = CODEWHALE.decode_event(form.as_object().expect("an object"), &roots);
        let message = fault.expect_err("a fault").to_string();
        assert!(message.contains(expected), "{form}: {message}");
    }
}

/// CW-25, CW-26, CW-27: the settings of one file apply to the hooks of others.
#[test]
fn user_settings_apply_to_hooks_of_the_project() {
    let hook = "[[hooks]]\nevent = 'turn_end'\ncommand = 'x'\ntimeout_secs = 90\n";
    let load = |sources: &[Source]| {
        let loaded = config::load(sources, &Added::default(), None);
        loaded.ruleset.hooks().iter().map(|hook| Hook::clone(hook)).collect::<Vec<_>>()
    };
    let project = || source("/p/.codewhale/hooks.toml", Layer::Project, hook);
    let user = |text: &str| source("/home/u/.codewhale/config.toml", Layer::User, text);
    let governed =
        load(&[user("[hooks]\ndefault_timeout_secs = 5\nworking_dir = '/w'\n"), project()]);
    assert_eq!(governed[0].timeout.map(|timeout| timeout.as_secs()), Some(5));
    let off = load(&[project(), user("[hooks]\nenabled = false\n")]);
    assert!(matches!(&off[0].arming, Arming::Disarmed { rule: "CW-26", .. }));
    assert_eq!(load(&[user("model = 'x'\n"), project()])[0].arming, Arming::Armed);
    let old = source("/home/u/.deepseek/config.toml", Layer::User, hook);
    assert_eq!(load(std::slice::from_ref(&old))[0].arming, Arming::Armed);
    let replaced = load(&[user(""), old]);
    assert!(matches!(&replaced[0].arming, Arming::Disarmed { rule: "CW-27", .. }));
    let own =
        "enabled = false\ndefault_timeout_secs = 1\n[[hooks]]\nevent = 'turn_end'\ncommand = 'x'\n";
    let own = load(&[source("/p/.codewhale/hooks.toml", Layer::Project, own)]);
    assert_eq!((own[0].arming.clone(), own[0].timeout), (Arming::Armed, None));
}

/// CW-40.
#[test]
fn files_are_found_and_recognized_by_path_or_entries() {
    let roots = Roots { cwd: "/r/api".into(), home: "/home/a".into(), ..Roots::default() };
    let found = CODEWHALE.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().unwrap_or_default(), candidate.layer))
        .collect();
    assert_eq!(
        found,
        [
            ("/home/a/.codewhale/config.toml", Layer::User),
            ("/home/a/.deepseek/config.toml", Layer::User),
            ("/r/api/.codewhale/hooks.toml", Layer::Project),
        ]
    );
    for (path, text, expected) in [
        ("/a/.codewhale/config.toml", "", Fit::Certain),
        ("/a/.codewhale/hooks.toml", "", Fit::Certain),
        ("/a/.codewhale/other.toml", "", Fit::No),
        ("/a/config.toml", "[[hooks.hooks]]\nevent = 'turn_end'\ncommand = 'x'\n", Fit::Certain),
        ("/a/x.toml", "[[hooks]]\nevent = 'turn_end'\ncommand = 'x'\n", Fit::Certain),
        ("/a/x.toml", "[[hooks]]\nevent = 'typo'\ncommand = 'x'\n", Fit::Shape),
        ("/a/x.toml", "[hook.a]\non = 'Stop'\n", Fit::No),
    ] {
        let root = parse_by_format(text, Format::Toml).root;
        assert_eq!(
            CODEWHALE.recognize_config_file(Path::new(path), root.as_ref()),
            expected,
            "{path} {text}"
        );
    }
}

/// The agent silently ignores unknown keys.
#[test]
fn key_of_a_different_agent_is_reported_with_the_right_key() {
    for (key, own) in [("timeout", "timeout_secs"), ("matcher", "condition"), ("comand", "command")]
    {
        let read = load(&format!("[[hooks]]\nevent = 'turn_end'\ncommand = 'x'\n{key} = 1\n"));
        let help = read.diagnostics[0].help.clone().unwrap_or_default();
        assert_eq!(help, format!("did you mean `{own}`?"), "{key}");
        assert_eq!(read.hooks[0].arming, Arming::Armed);
    }
}

/// `config_problems_are_not_part_of_the_serialized_config`; the other tables of a big file are
/// ignored.
#[test]
fn other_tables_of_a_config_are_ignored() {
    let text = "model = 'x'\n[memory]\nenabled = true\n[hooks]\nenabled = true\n";
    let read = CODEWHALE.read_config(&source("/h/.codewhale/config.toml", Layer::User, text));
    assert_eq!((read.hooks.len(), read.diagnostics.as_slice()), (0, &[][..]));
    let wrong = "[hooks]\nenabled = 'no'\nhooks = 'x'\nworking_dir = 5\n";
    let read = CODEWHALE.read_config(&source("/h/.codewhale/config.toml", Layer::User, wrong));
    assert_eq!(read.diagnostics.len(), 3);
    assert!(read.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Error));
}

/// The guide documents what hooks read and print, and which event may change a text.
#[test]
fn guide_states_the_contract_of_every_event() {
    let guide = include_str!("../../../../../../docs/guide/dialects/codewhale.md");
    for statement in [
        "| event | standard input |",
        "| `message_submit` | `{\"text\": \"...\"}` replaces the text | blocks |",
        "| `shell_env` | lines `KEY=VALUE` |",
        "| the others | nothing is read |",
    ] {
        assert!(guide.contains(statement), "{statement}");
    }
    for event in CODEWHALE.event_rows() {
        assert!(guide.contains(&format!("`{}`", event.name)), "{}", event.name);
    }
}
