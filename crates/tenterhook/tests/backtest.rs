//! BT-2: the same event, fired live and read back from a transcript, has the same verdict. Over
//! every call of the tables of the guardrails, as Claude Code and as Codex record it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]
#![expect(dead_code, reason = "other tests need more of what they share")]

mod pack;

use std::fs;

use serde_json::{Value, json};
use tenterhook::backtest::Backtest;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::answer::Answer;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::{Enforcement, Function, Hook, Run};
use tenterhook_core::transcript::{Decoder, EventContext, Line, Lines, TranscriptAgent};
use tenterhook_testkit::case::Case;

const GUARDRAILS: &str = include_str!("../../tenterhook-cli/packs/guardrails.toml");

/// What a program would do is not judged: a hook that would leave a mark.
const SCRIPT: &str = "[hook.script]\non = \"PreToolUse\"\nrun = [\"/nowhere/marks\"]\n";

fn engine(extra: &str) -> Engine {
    let source = |name: &str, text: &str| {
        let mut source = Source::from_text(name, DialectId::NATIVE, text, "/home/u/project");
        source.home = "/home/u".into();
        source
    };
    let sources = [source("tenterhook.pack.toml", GUARDRAILS), source("tenterhook.toml", extra)];
    Engine::builder().sources(sources).build().0
}

fn calls() -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for file in fs::read_dir(pack::conformance().join("guardrails/attacks")).unwrap() {
        let table: toml::Value =
            toml::from_str(&fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        let list =
            |key: &str| table.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for command in
            list("commands").iter().chain(&list("misses")).filter_map(toml::Value::as_str)
        {
            calls.push(("Bash".to_owned(), json!({ "command": command })));
        }
        for call in list("calls").iter().chain(&list("miss_calls")) {
            let call = serde_json::to_value(call).unwrap();
            let Some(tool) = call.get("tool").and_then(Value::as_str) else { continue };
            calls.push((tool.to_owned(), call.get("input").cloned().unwrap_or(json!({}))));
        }
    }
    calls
}

/// A call as Claude Code writes it.
fn claude(tool: &str, input: &Value) -> String {
    let block = json!({ "type": "tool_use", "id": "toolu_1", "name": tool, "input": input });
    json!({
        "type": "assistant", "uuid": "u", "sessionId": "s", "timestamp": "2026-11-22T10:00:00Z", "cwd": "/home/u/project",
        "version": "2.1.330", "message": { "role": "assistant", "content": [block] },
    })
    .to_string()
}

/// A command as Codex writes it.
fn codex(command: &str) -> String {
    let meta = json!({ "timestamp": "2026-11-22T10:00:00Z", "type": "session_meta",
        "payload": { "id": "s", "session_id": "s", "cwd": "/home/u/project", "cli_version": "0.169.0" } });
    let arguments = json!({ "cmd": command }).to_string();
    let call = json!({ "timestamp": "2026-11-22T10:00:00Z", "type": "response_item",
        "payload": { "type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "call_1" } });
    format!("{meta}\n{call}")
}

/// The one event that a text tells.
fn read(agent: TranscriptAgent, text: &str) -> Event {
    let around = EventContext { home: "/home/u".into(), ..EventContext::default() };
    let mut decoder = Decoder::new(agent);
    let mut lines = Lines::new(text.as_bytes());
    let mut event = None;
    while let Some(line) = lines.read_line().unwrap() {
        let line: Line<'_> = line;
        decoder.decode_line(line, &mut |received| {
            event = received.event(agent, &around).or(event.take())
        });
    }
    event.unwrap()
}

fn verdict(outcome: &Outcome) -> (String, Option<String>, Option<Value>) {
    (format!("{:?}", outcome.restraint), outcome.reason(), outcome.effects.updated_input.clone())
}

/// BT-1, BT-2, SH-13.
#[tokio::test]
async fn what_was_fired_live_is_judged_the_same() {
    let live = engine("");
    let backtest = Backtest::new(&engine(SCRIPT).ruleset());
    let (mut held, mut all) = (0, 0);
    for (tool, input) in calls() {
        let fired = live.fire(pack::call(&tool, input.clone()), &Session::of_one_event()).await;
        held += usize::from(fired.blocked());
        let mut received = vec![read(TranscriptAgent::Claude, &claude(&tool, &input))];
        if let Some(command) = input
            .get("command")
            .and_then(Value::as_str)
            .filter(|_| tool == "Bash" && input.as_object().unwrap().len() == 1)
        {
            received.push(read(TranscriptAgent::Codex, &codex(command)));
        }
        for event in received {
            let judged = backtest.judge(event, &Session::of_one_event()).await;
            assert_eq!(verdict(&judged.outcome), verdict(&fired), "{tool} {input}");
            assert_eq!(judged.not_replayed.len(), 1, "{tool} {input}");
            all += 1;
        }
    }
    assert!(all > 1000 && held > 300, "{held} of {all}");
}

/// The fields of an event that a transcript records, for each kind of event.
const RECORDED: &[(&str, &[&str])] = &[
    ("PreToolUse", &["tool_name", "tool_input", "tool_use_id"]),
    ("UserPromptSubmit", &["prompt"]),
    ("Stop", &[]),
];

/// An event as Claude Code records it; `None` where its record would not tell all of it.
fn recorded(event: &Event) -> Option<String> {
    let (_, fields) = RECORDED.iter().find(|(name, _)| event.name.as_str() == *name)?;
    let facts = &event.within.facts;
    let is_complete = event.payload.keys().all(|key| fields.contains(&key.as_str()))
        && facts.keys().all(|key| key == "permission_mode");
    if !is_complete {
        return None;
    }
    let line = |kind: &str, message: Value| {
        json!({ "type": kind, "uuid": "u", "sessionId": event.within.session_id, "timestamp": "2026-11-22T10:00:00Z",
            "cwd": event.within.cwd, "version": "2.1.330", "permissionMode": facts.get("permission_mode"), "message": message })
        .to_string()
    };
    let says = |content: Value, end: Value| {
        line("assistant", json!({ "role": "assistant", "content": content, "stop_reason": end }))
    };
    Some(match event.name.as_str() {
        "UserPromptSubmit" => {
            line("user", json!({ "role": "user", "content": event.text("prompt")? }))
        }
        "Stop" => says(json!([{ "type": "text", "text": "done" }]), "end_turn".into()),
        _ => {
            let input = event.payload.get("tool_input")?;
            let (name, id) =
                (event.text("tool_name")?, event.text("tool_use_id").unwrap_or("toolu_1"));
            says(
                json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]),
                Value::Null,
            )
        }
    })
}

/// The hooks of a case as they are, but that each which would run something says no instead, in its
/// own name.
fn saying_no(case: &Case) -> Vec<Hook> {
    let place = |name: &str| match name.strip_prefix("~/") {
        Some(rest) => format!("/home/u/{rest}"),
        None => format!("/home/u/project/{name}"),
    };
    let source = |case_source: &tenterhook_testkit::case::Source| {
        let name = place(&case_source.name);
        let directory = std::path::Path::new(&name).parent().unwrap().to_owned();
        let dialect = DialectId::from_name(&case_source.dialect).unwrap();
        let mut source = Source::from_text(&name, dialect, &case_source.text, directory);
        (source.home, source.project) = ("/home/u".into(), "/home/u/project".into());
        source
    };
    let sources = case.source.iter().map(source);
    let (engine, _) = Engine::builder().sources(sources).build();
    let hooks = engine.ruleset().hooks().to_vec().into_iter().map(|hook| {
        let mut hook = Hook::clone(&hook);
        hook.enforcement = Enforcement::Usual;
        if !matches!(hook.run, Run::Rule(_) | Run::Unusable { .. }) {
            let id = hook.id.to_string();
            hook.run = Run::Function(Function::new("no", move |_| {
                let no = Answer::deny(id.clone());
                async move { no }
            }));
        }
        hook
    });
    hooks.collect()
}

/// BT-2: over every event of every conformance case of which a transcript tells all: planned and
/// judged the same, whatever hooks there are.
#[tokio::test]
async fn every_case_that_a_transcript_tells_is_judged_the_same() {
    let roots = Roots { cwd: "/home/u/project".into(), home: "/home/u".into(), ..Roots::default() };
    let (mut all, mut held) = (0, 0);
    for folder in tenterhook_testkit::case::folders(&pack::conformance()).unwrap() {
        for case in Case::all(&folder).unwrap() {
            let Ok(case) = case else { continue };
            let Some(dialect) = DialectId::from_name(&case.dialect) else { continue };
            let mut fields = case.event.clone();
            for (key, value) in [("session_id", "s"), ("cwd", "/home/u/project")] {
                if dialect == DialectId::CLAUDE {
                    fields.entry(key).or_insert_with(|| value.into());
                }
            }
            let Ok(event) = dialect.dialect().decode_event(&fields, &roots) else { continue };
            let Some(text) = recorded(&event) else { continue };
            let builder = saying_no(&case)
                .into_iter()
                .fold(Engine::builder(), tenterhook::engine::Builder::hook);
            let (live, _) = builder.build();
            let backtest = Backtest::new(&live.ruleset());
            let fired = live.fire(event, &Session::of_one_event()).await;
            let received = read(TranscriptAgent::Claude, &text);
            let judged = backtest.judge(received, &Session::of_one_event()).await;
            let (mut now, mut then) = (verdict(&judged.outcome), verdict(&fired));
            // How long a rule ran before its timeout differs in each run.
            for (_, reason, _) in [&mut now, &mut then] {
                *reason = reason
                    .take()
                    .map(|reason| reason.split(" (").next().unwrap_or_default().to_owned());
            }
            assert_eq!(now, then, "{}", case.file.display());
            (all, held) = (all + 1, held + usize::from(fired.blocked()));
        }
    }
    assert!(all > 150 && held > 50, "{held} of {all}");
}
