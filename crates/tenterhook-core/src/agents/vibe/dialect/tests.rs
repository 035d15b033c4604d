//! Compares the dialect with the observed behaviour of Mistral Vibe 3.0.3.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::VIBE;
use crate::answer::Restraint;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Layer, OnFailure, Run};
use crate::matcher::{MatchContext, Picked};
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

fn read_file(text: &str, compat: Compat) -> ReadConfig {
    let source = Source::from_text("/h/.vibe/hooks.toml", DialectId::VIBE, text, "/h/.vibe");
    VIBE.read_config(&Source { layer: Layer::User, compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    VIBE.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"session_id": "s", "transcript_path": "/h/.vibe/logs/session/unified/s", "cwd": "/p",
        "parent_session_id": null, "hook_event_name": "pre_tool", "tool_name": tool,
        "tool_call_id": "c", "tool_input": input})
}

/// VI-20, VI-30: an observed payload is neutral here and comes out as it was.
#[test]
fn observed_payloads_round_trip_unchanged() {
    let command = json!({"timeout": 120, "command": "ls"});
    for (tool, input, neutral) in [
        ("file_system.bash", &command, "Bash"),
        ("process.start", &command, "Bash"),
        ("file_system.read_file", &json!({"file_path": "a", "limit": null}), "Read"),
        ("agents.spawn", &json!({"name": "n", "message": "m", "config_name": null}), "Agent"),
        ("mcp_db.query", &json!({"sql": "x"}), "mcp__db__query"),
        ("process.write", &json!({"processId": "p", "text": "ls\n"}), "process.write"),
    ] {
        let given = call(tool, input);
        let event = decode_event(&given);
        assert_eq!(event.text("tool_name"), Some(neutral));
        let written: Value = serde_json::from_slice(&VIBE.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given, "{tool}");
    }
}

/// VI-1.
#[test]
fn files_are_recognized_by_path_or_by_an_event() {
    let text = "[[hooks]]\ntype = \"pre_tool\"\n";
    let root = crate::syntax::parse_by_format(text, crate::syntax::Format::Toml).root;
    let fit = |path: &str, root| VIBE.recognize_config_file(Path::new(path), root);
    assert_eq!(fit("/h/.vibe/hooks.toml", None), Fit::Certain);
    assert_eq!(fit("/h/.vibe/config.toml", None), Fit::No);
    assert_eq!(fit("/h/hooks.toml", root.as_ref()), Fit::Shape);
    let roots = Roots { cwd: "/p".into(), home: "/h".into(), ..Roots::default() };
    let found = VIBE.candidate_files(&roots);
    let found: Vec<_> = found.iter().map(|file| (file.path.to_str(), file.layer)).collect();
    let user = (Some("/h/.vibe/hooks.toml"), Layer::User);
    assert_eq!(found, [user, (Some("/p/.vibe/hooks.toml"), Layer::Project)]);
}

/// VI-3, VI-6, VI-8: the fields of an entry.
#[test]
fn fields_of_entries_are_read() {
    let text = "[[hooks]]\nname = \"a\"\ntype = \"pre_tool\"\ncommand = \"a\"\ntimeout = 1.5\nstrict = true\n\
        [[hooks]]\nname = \"b\"\ntype = \"post_agent\"\ncommand = \"b\"\ntimeout = 0\ndescription = \"d\"\nstrict = false\n";
    let read = read_file(text, Compat::Guarded);
    assert_eq!(codes(&read), ["zero-timeout"]);
    let [first, second] = read.hooks.as_slice() else { panic!("two hooks") };
    assert!(matches!(first.run, Run::Command(_)));
    assert_eq!((first.event.as_str(), second.event.as_str()), ("PreToolUse", "Stop"));
    assert_eq!((first.timeout, second.timeout), (Some(Duration::from_millis(1500)), None));
    let policies = (first.on_failure, second.on_failure);
    assert_eq!(policies, (Some(OnFailure::Block), Some(OnFailure::Continue)));
}

/// VI-4, VI-7: entries that Mistral Vibe 3.0.3 drops, each alone.
#[test]
fn entries_that_the_agent_drops_never_run() {
    let good = "name = \"a\"\ntype = \"pre_tool\"\ncommand = \"a\"\n";
    for (bad, code) in [
        ("type = \"pre_tool\"\ncommand = \"a\"\n", "handler-missing-field"),
        ("name = \"b\"\ncommand = \"a\"\n", "missing-event"),
        ("name = \"b\"\ntype = \"PreToolUse\"\ncommand = \"a\"\n", "unknown-event"),
        ("name = \"b\"\ntype = \"pre_tool\"\n", "handler-missing-field"),
        ("name = \"b\"\ntype = \"pre_tool\"\ncommand = \" \"\n", "handler-missing-field"),
        ("name = \"b\"\ntype = \"pre_tool\"\ncommand = \"a\"\nmatch = \"\"\n", "invalid-matcher"),
        ("name = \"b\"\ntype = \"post_agent\"\ncommand = \"a\"\nstrict = true\n", "no-effect"),
    ] {
        let text = format!("[[hooks]]\n{good}[[hooks]]\n{bad}");
        let read = read_file(&text, Compat::Guarded);
        assert_eq!(codes(&read), [code], "{bad}");
        let armed = read.hooks.iter().filter(|hook| matches!(hook.arming, Arming::Armed)).count();
        assert_eq!((read.hooks.len(), armed), (2, 1), "{bad}");
    }
    let old = good.replace("pre_tool", "before_tool");
    let read = read_file(&format!("[[hooks]]\n{old}"), Compat::Guarded);
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `pre_tool`?"));
    let twice = format!("[[hooks]]\n{good}[[hooks]]\n{good}");
    for (compat, expected) in [(Compat::Guarded, 2), (Compat::Exact, 1)] {
        let read = read_file(&twice, compat);
        assert_eq!(codes(&read), ["duplicate-keys"]);
        let armed = read.hooks.iter().filter(|hook| matches!(hook.arming, Arming::Armed)).count();
        assert_eq!(armed, expected);
    }
}

/// VI-3: a file that Python's `tomllib` refuses.
#[test]
fn value_of_toml_1_1_is_reported() {
    let text = "x = { a = 1, }\n[[hooks]]\nname = \"a\"\ntype = \"pre_tool\"\ncommand = \"a\"\n";
    for (compat, armed) in [(Compat::Guarded, true), (Compat::Exact, false)] {
        let read = read_file(text, compat);
        assert_eq!(codes(&read), ["broken-file"]);
        assert_eq!(matches!(read.hooks[0].arming, Arming::Armed), armed);
    }
}

/// VI-10 to VI-12: what a pattern matches.
#[test]
fn pattern_matches_a_whole_name_of_the_tool() {
    let picks = |pattern: &str, event: &Value, compat: Compat| {
        let text = format!(
            "[[hooks]]\nname = \"a\"\ntype = {}\ncommand = \"a\"\nmatch = {}\n",
            event["hook_event_name"],
            json!(pattern)
        );
        let read = read_file(&text, compat);
        let event = decode_event(event);
        let condition = read.hooks[0].condition.as_ref();
        condition.map_or(Picked::Exactly, |condition| {
            condition.pick(&MatchContext::for_event(&event), compat)
        })
    };
    let bash = call("file_system.bash", &json!({"command": "ls"}));
    let mcp = call("mcp_db.query", &json!({}));
    let start = call("process.start", &json!({"command": "ls"}));
    let end = |parent: Value| json!({"hook_event_name": "post_agent", "agent_name": "ask", "parent_session_id": parent});
    for (pattern, event, matches) in [
        ("*", &bash, true),
        ("bash", &bash, true),
        ("BASH", &bash, true),
        ("file_system.bash", &bash, true),
        ("file_system_bash", &bash, true),
        ("file_system?bash", &bash, true),
        ("[a-c]ash", &bash, true),
        ("[!a-c]ash", &bash, false),
        ("bas", &bash, false),
        ("bash|edit", &bash, false),
        ("re:bash|edit", &bash, true),
        ("re:bas", &bash, false),
        ("re:(", &bash, false),
        ("process_start", &start, true),
        ("bash", &start, false),
        ("mcp_db.*", &mcp, true),
        ("query", &mcp, true),
        ("mcp_db_query", &mcp, true),
        ("ask", &end(Value::Null), true),
        ("main", &end(Value::Null), true),
        ("main", &end(json!("p")), false),
    ] {
        let picked = picks(pattern, event, Compat::Exact) == Picked::Exactly;
        assert_eq!(picked, matches, "{pattern} {event}");
    }
    assert_eq!(picks("mcp__db__query", &mcp, Compat::Guarded), Picked::Exactly);
    assert!(matches!(picks("re:(", &bash, Compat::Guarded), Picked::Failed(_)));
}

/// VI-10: patterns that match no tool of the agent are reported.
#[test]
fn pattern_that_matches_no_tool_is_reported() {
    for (pattern, code) in [
        ("Agent", Some("foreign-tool-name-in-matcher")),
        ("bash|edit", Some("dead-matcher")),
        ("re:(", Some("invalid-matcher")),
        ("grep", Some("dead-matcher")),
        ("write_file", None),
        ("create_issue", None),
        ("re:bash|process_start", None),
    ] {
        let text = format!(
            "[[hooks]]\nname = \"a\"\ntype = \"pre_tool\"\ncommand = \"a\"\nmatch = \"{pattern}\"\n"
        );
        let read = read_file(&text, Compat::Guarded);
        assert_eq!(codes(&read), code.into_iter().collect::<Vec<_>>(), "{pattern}");
    }
}

fn verdict(stdout: &str, code: i32, compat: Compat) -> Verdict {
    let event = decode_event(&call("file_system.bash", &json!({"command": "ls"})));
    let row = VIBE.event_row(&event.name).expect("a row");
    let said =
        StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: "words".as_bytes().into() };
    let report = Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) };
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::VIBE, "PreToolUse".into(), run);
    hook.compat = compat;
    let answer = VIBE.read_answer(&event, row, &report);
    judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer)
}

/// VI-40, VI-44: each observed answer without `strict`, with whether the tool ran.
#[test]
fn exact_reading_equals_the_observation_and_guarded_reading_denies_more() {
    let deny = r#"{"decision":"deny","reason":"R"}"#;
    for (stdout, code, blocked, held) in [
        (deny.to_owned(), 0, true, true),
        (r#"{"decision":"deny"}"#.to_owned(), 0, true, true),
        (format!("text\n{deny}"), 0, false, true),
        (format!("{deny}\ntext"), 0, false, true),
        (r#"{"decision":"DENY","reason":"R"}"#.to_owned(), 0, false, true),
        (r#"{"decision":"block","reason":"R"}"#.to_owned(), 0, false, true),
        (r#"{"decision":"ask","reason":"R"}"#.to_owned(), 0, false, true),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#
                .to_owned(),
            0,
            false,
            true,
        ),
        (deny.to_owned(), 1, false, true),
        (String::new(), 2, false, true),
        (String::new(), 0, false, false),
        (r#"{"decision":"allow"}"#.to_owned(), 0, false, false),
    ] {
        for (compat, denies) in [(Compat::Exact, blocked), (Compat::Guarded, held)] {
            let verdict = verdict(&stdout, code, compat);
            assert_eq!(verdict.restraint > Restraint::Allow, denies, "{stdout} {code} {compat:?}");
        }
    }
}
