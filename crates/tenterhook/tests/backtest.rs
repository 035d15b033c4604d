//! BT-2: the same event, fired live and read back from a transcript, has the same verdict. Over every call of the tables of the
//! guardrails, as Claude Code and as Codex record it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]
#![expect(dead_code, reason = "other tests need more of what they share")]

mod pack;

use std::fs;

use serde_json::{Value, json};
use tenterhook::backtest::Backtest;
use tenterhook::config::Source;
use tenterhook::dialect::DialectId;
use tenterhook::transcript::{Agent, Around, Decoder, Line, Lines};
use tenterhook::{Engine, Event, Outcome, Session};

const GUARDRAILS: &str = include_str!("../../tenterhook-cli/packs/guardrails.toml");

/// What a program would do is not judged: a hook that would leave a mark.
const SCRIPT: &str = "[hook.script]\non = \"PreToolUse\"\nrun = [\"/nowhere/marks\"]\n";

fn engine(extra: &str) -> Engine {
    let source = |name: &str, text: &str| {
        let mut source = Source::given(name, DialectId::NATIVE, text, "/home/u/project");
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
fn read(agent: Agent, text: &str) -> Event {
    let around = Around { home: "/home/u".into(), ..Around::default() };
    let mut decoder = Decoder::new(agent);
    let mut lines = Lines::new(text.as_bytes());
    let mut event = None;
    while let Some(line) = lines.read().unwrap() {
        let line: Line<'_> = line;
        decoder.line(line, &mut |told| event = told.event(agent, &around).or(event.take()));
    }
    event.unwrap()
}

fn verdict(outcome: &Outcome) -> (String, Option<String>, Option<Value>) {
    (format!("{:?}", outcome.restraint), outcome.reason(), outcome.effects.updated_input.clone())
}

#[tokio::test]
async fn what_was_fired_live_is_judged_the_same() {
    let live = engine("");
    let backtest = Backtest::of(&engine(SCRIPT).ruleset());
    let (mut held, mut all) = (0, 0);
    for (tool, input) in calls() {
        let fired = live.fire(pack::call(&tool, input.clone()), &Session::of_one_event()).await;
        held += usize::from(fired.blocked());
        let mut told = vec![read(Agent::Claude, &claude(&tool, &input))];
        if let Some(command) = input
            .get("command")
            .and_then(Value::as_str)
            .filter(|_| tool == "Bash" && input.as_object().unwrap().len() == 1)
        {
            told.push(read(Agent::Codex, &codex(command)));
        }
        for event in told {
            let judged = backtest.judge(event, &Session::of_one_event()).await;
            assert_eq!(verdict(&judged.outcome), verdict(&fired), "{tool} {input}");
            assert_eq!(judged.not_replayed.len(), 1, "{tool} {input}");
            all += 1;
        }
    }
    assert!(all > 1000 && held > 300, "{held} of {all}");
}
