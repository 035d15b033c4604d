//! The dialect, held against what the agent was seen to do.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::CLINE;
use crate::answer::Restraint;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Compat, Hook, HookId, Invocation, Layer, Run};
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

fn read(name: &str, text: &str) -> ReadConfig {
    let name = format!("/p/.clinerules/hooks/{name}");
    CLINE.read_config(&Source::from_text(&name, DialectId::CLINE, text, "/p/.clinerules/hooks"))
}

fn event(fields: &Value) -> Event {
    CLINE.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn call() -> Value {
    json!({"clineVersion": "", "timestamp": "t", "taskId": "conv_1", "workspaceRoots": ["/p"],
        "hookName": "tool_call", "iteration": 1,
        "tool_call": {"id": "call_1", "name": "run_commands", "input": {"commands": ["echo X"]}},
        "preToolUse": {"toolName": "run_commands", "parameters": {"commands": "[\"echo X\"]"}}})
}

/// CL-2: a program that Cline does not start is reported; a note is not.
#[test]
fn hook_file_that_is_never_started_is_an_error() {
    for (name, count) in [("PreToolUse.cmd", 1), ("pretooluse.BAT", 1), ("PreToolUse.md", 0)] {
        let read = read(name, "@echo off");
        assert_eq!((read.hooks.len(), read.diagnostics.len()), (0, count), "{name}");
        let mut help = read.diagnostics.iter().filter_map(|found| found.help.as_deref());
        assert!(help.all(|help| help.contains("`PreToolUse.ps1` on Windows")), "{read:?}");
    }
}

/// CL-20, CL-30.
#[test]
fn payload_survives_decoding_and_encoding() {
    let given = call();
    let event = event(&given);
    assert_eq!((event.name.as_str(), event.text("tool_name")), ("PreToolUse", Some("Bash")));
    assert_eq!(event.payload["tool_input"], json!({"command": "echo X"}));
    assert_eq!(event.within.cwd, Path::new("/p"));
    let written: Value = serde_json::from_slice(&CLINE.encode_event(&event).body).expect("JSON");
    assert_eq!(written, given);
    let named = |name: &str| {
        CLINE.event_rows().iter().find(|row| row.name == name).expect("a row").event.clone()
    };
    // CL-31.
    assert_eq!(named("TaskResume"), "SessionStart");
    assert_eq!(named("SessionShutdown"), "SessionEnd");
}

fn verdict(stdout: &str, code: i32, compat: Compat) -> Verdict {
    let event = event(&call());
    let row = CLINE.event_row(&event.name).expect("a row");
    let said =
        StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: "words".as_bytes().into() };
    let report = Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) };
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::CLINE, "PreToolUse".into(), run);
    hook.compat = compat;
    let answer = CLINE.read_answer(&event, row, &report);
    judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer)
}

/// CL-40 to CL-44: each observed answer, with whether the tool ran.
#[test]
fn exact_reading_equals_the_observation_and_guarded_reading_denies_more() {
    let cancel = r#"{"cancel":true,"errorMessage":"R"}"#;
    let seen: &[(String, i32, bool, bool)] = &[
        (cancel.to_owned(), 0, true, true),
        (cancel.to_owned(), 1, true, true),
        (r#"{"cancel":true}"#.to_owned(), 0, true, true),
        (format!("stray\nHOOK_CONTROL\t{cancel}\nmore"), 0, true, true),
        ("HOOK_CONTROL\t{\"cancel\": true}\nHOOK_CONTROL\t{}".to_owned(), 0, false, true),
        (String::new(), 2, false, true),
        (String::new(), 1, false, false),
        (format!("stray\n{cancel}"), 0, false, true),
        (r#"{"decision":"block","reason":"R"}"#.to_owned(), 0, false, true),
        (r#"{"review":true}"#.to_owned(), 0, false, false),
        ("{}".to_owned(), 0, false, false),
    ];
    for (stdout, code, blocked, held) in seen {
        for (compat, denies) in [(Compat::Exact, blocked), (Compat::Guarded, held)] {
            let verdict = verdict(stdout, *code, compat);
            assert_eq!(verdict.restraint > Restraint::Allow, *denies, "{stdout} {code} {compat:?}");
            assert!(verdict.effects.stop.is_none(), "the call alone is denied");
        }
    }
}

/// CL-42.
#[test]
fn new_input_is_one_script_and_context_has_two_keys() {
    let rewritten = verdict(r#"{"overrideInput":{"commands":["a","b"]}}"#, 0, Compat::Exact);
    assert_eq!(rewritten.effects.updated_input, Some(json!({"command": "a\nb"})));
    for key in ["contextModification", "context"] {
        let said = verdict(&json!({ key: "C" }).to_string(), 0, Compat::Exact);
        assert_eq!(said.effects.context.len(), 1, "{key}");
    }
}

/// CL-1, CL-2.
#[test]
fn hook_is_a_file_with_the_name_of_its_event() {
    let roots = Roots { cwd: "/r".into(), home: "/h".into(), ..Roots::default() };
    let found = CLINE.candidate_files(&roots);
    let has = |path: &str, layer| {
        found.iter().any(|candidate| candidate.path == Path::new(path) && candidate.layer == layer)
    };
    assert!(has("/h/Documents/Cline/Hooks/PreToolUse*", Layer::User));
    assert!(has("/r/.clinerules/hooks/PreToolUse*", Layer::Project));
    for (name, fit) in [
        ("PreToolUse", Fit::Certain),
        ("pretooluse.PY", Fit::Certain),
        ("PreToolUse.md", Fit::No),
        ("PreToolUseful", Fit::No),
        ("README", Fit::No),
    ] {
        let path = format!("/r/.clinerules/hooks/{name}");
        assert_eq!(CLINE.recognize_config_file(Path::new(&path), None), fit, "{name}");
        assert_eq!(read(name, "").hooks.len(), usize::from(fit == Fit::Certain), "{name}");
    }
    assert_eq!(CLINE.recognize_config_file(Path::new("/r/PreToolUse"), None), Fit::No);
}

/// CL-3, CL-4, CL-9.
#[test]
fn first_line_or_extension_selects_the_program() {
    let argv = |name: &str, text: &str| {
        let read = read(name, text);
        let Run::Command(command) = &read.hooks[0].run else { panic!("{read:?}") };
        match command.invocation.clone() {
            Invocation::Argv { program, args } => [&[program][..], &args].concat().join(" "),
            Invocation::Shell { text, .. } => text,
        }
    };
    let file = "/p/.clinerules/hooks/PreToolUse";
    let by_line = argv("PreToolUse", "#!/usr/bin/env python3\nprint()");
    assert_eq!(by_line, format!("/usr/bin/env python3 {file}"));
    assert_eq!(argv("PreToolUse", "echo"), format!("bash {file}"));
    assert_eq!(argv("PreToolUse.py", "print()"), format!("python3 {file}.py"));
    let ours =
        "#!/bin/sh\n# Written by `tenterhook install cline`.\ntenterhook hook --agent cline\n";
    assert_eq!(argv("PreToolUse", ours), ours, "it is known by the line that it runs");
    let row = CLINE.event_row(&"PreToolUse".into()).expect("a row");
    assert_eq!(row.timeout, Duration::from_mins(2));
}
