//! Sequences of events, with and without calls that are kept from their gates: each is found, and ordinary ones have no finding.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tenterhook_core::answer::Restraint;
use tenterhook_core::event::Surroundings;

use super::*;

/// One session of Claude Code.
struct Played {
    directory: tempfile::TempDir,
    transcript: PathBuf,
    prompt: u32,
}

impl Played {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let transcript = directory.path().join("transcript.jsonl");
        Self { directory, transcript, prompt: 0 }
    }

    /// A session whose hooks are registered when it starts.
    fn started() -> Self {
        let played = Self::new();
        played.event("SessionStart", json!({"source": "startup"}));
        played
    }

    fn event(&self, name: &str, payload: Value) -> Vec<Fault> {
        self.reply(name, payload, &Outcome::without_answer())
    }

    fn reply(&self, name: &str, payload: Value, outcome: &Outcome) -> Vec<Fault> {
        let mut within = Surroundings::at("/p").session("s");
        within.transcript = Some(self.transcript.clone());
        within.facts.insert("prompt_id".into(), format!("prompt-{}", self.prompt).into());
        let mut event = Event::new(name, within);
        event.payload = payload.as_object().unwrap().clone();
        let kept = SessionStore::open(self.directory.path(), "claude", "s").unwrap();
        let check = CallCheck::new(&event, DialectId::CLAUDE, &kept).unwrap();
        let faults = check.note_and_find_faults();
        check.note_reply(outcome);
        faults
    }

    fn prompt(&mut self) {
        self.prompt += 1;
        self.event("UserPromptSubmit", json!({"prompt": "go on"}));
    }

    fn wants(&self, call: &str, tool: &str, input: &Value) {
        let block = json!({"type": "tool_use", "id": call, "name": tool, "input": input});
        let line = json!({"type": "assistant", "sessionId": "s", "version": "2.1.332", "cwd": "/p",
            "timestamp": "2026-11-22T13:07:28.0Z", "message": {"role": "assistant", "content": [block]}});
        let before = fs::read_to_string(&self.transcript).unwrap_or_default();
        fs::write(&self.transcript, format!("{before}{line}\n")).unwrap();
    }

    fn before(&self, call: &str, tool: &str, input: &Value) -> Vec<Fault> {
        self.event(
            "PreToolUse",
            json!({"tool_name": tool, "tool_input": input, "tool_use_id": call}),
        )
    }

    fn after(&self, call: &str, tool: &str, input: &Value) -> Vec<&'static str> {
        self.took(call, tool, input, 5)
    }

    fn took(&self, call: &str, tool: &str, input: &Value, duration: u64) -> Vec<&'static str> {
        let payload = json!({"tool_name": tool, "tool_input": input, "tool_response": {},
            "tool_use_id": call, "duration_ms": duration});
        self.event("PostToolUse", payload).iter().map(|fault| fault.code.name()).collect()
    }
}

fn denial() -> Outcome {
    let mut outcome = Outcome::without_answer();
    outcome.restraint = Restraint::Deny;
    outcome
}

/// Inputs of every kind of tool.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("Bash", json!({"command": "git push", "description": "push"})),
        ("Read", json!({"file_path": "/p/a.txt"})),
        ("Write", json!({"file_path": "/p/a.txt", "content": "x"})),
        (
            "Edit",
            json!({"file_path": "/p/a", "old_string": "a", "new_string": "b", "replace_all": false}),
        ),
        ("WebFetch", json!({"url": "https://example.org", "prompt": "read"})),
        ("Agent", json!({"prompt": "look", "subagent_type": "general-purpose"})),
        ("mcp__db__query", json!({"sql": "select 1", "options": {"a": 1, "b": 2}})),
    ]
}

/// BR-93 to BR-95: each of 100 calls of each kind is found.
/// BR-94.
#[test]
fn each_silenced_call_is_found() {
    let mut found = [0; 6];
    let kinds = calls();
    for number in 0..100 {
        let (tool, input) = &kinds[number % kinds.len()];
        let mut shown = input.clone();
        let key = shown.as_object().unwrap().keys().next().unwrap().clone();
        shown[&key] = "true".into();
        let mut played = if number % 2 == 0 { Played::started() } else { Played::new() };
        played.prompt();
        // A call that is asked about as it should be.
        played.before("first", tool, input);
        assert!(played.after("first", tool, input).is_empty());
        let ran =
            |call: &str, code: &str| usize::from(played.after(call, tool, input).contains(&code));
        found[0] += ran("no-gate", "silenced-call");
        let payload = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "denied"});
        played.reply("PreToolUse", payload, &denial());
        found[1] += ran("denied", "overruled-denial");
        played.before("masked", tool, &shown);
        found[2] += ran("masked", "masked-call");
        played.before("empty", tool, &json!({}));
        found[5] += ran("empty", "masked-call");
        // The event after it is masked, too: the transcript has what the model wanted.
        played.wants("both", tool, input);
        played.before("both", tool, &shown);
        found[3] += usize::from(played.after("both", tool, &shown) == ["masked-call"]);
        // Gates were never asked in this session.
        let silent = Played::started();
        found[4] += usize::from(silent.after("x", tool, input) == ["silenced-call"]);
    }
    assert_eq!(found, [100; 6]);
}

/// BR-95: the mark that a person changed a call excuses the text of a file, no command, and no call that differs from the transcript.
#[test]
fn mark_of_a_changed_edit_excuses_no_other_difference() {
    let played = Played::started();
    let modified = |call: &str, tool: &str, input: Value| -> Vec<&'static str> {
        let payload = json!({"tool_name": tool, "tool_input": input, "tool_use_id": call,
            "tool_response": {"userModified": true}});
        played.event("PostToolUse", payload).iter().map(|fault| fault.code.name()).collect()
    };
    played.before("line", "Bash", &json!({"command": "true"}));
    assert_eq!(modified("line", "Bash", json!({"command": "git push"})), ["masked-call"]);
    let file = |path: &str, content: &str| json!({"file_path": path, "content": content});
    played.wants("other", "Write", &file("/p/b", "x"));
    played.before("other", "Write", &file("/p/a", "x"));
    assert_eq!(modified("other", "Write", file("/p/b", "x")), ["masked-call"]);
    played.wants("edited", "Write", &file("/p/a", "theirs"));
    played.before("edited", "Write", &file("/p/a", "theirs"));
    assert_eq!(modified("edited", "Write", file("/p/a", "mine")), Vec::<&str>::new());
}

/// BR-93 to BR-95: no finding in 1,000 ordinary calls, whatever else happens in their sessions.
/// BR-94.
#[test]
fn ordinary_calls_have_no_finding() {
    let kinds = calls();
    let mut findings = Vec::new();
    for session in 0..100 {
        let mut played = if session % 3 == 0 { Played::new() } else { Played::started() };
        if session % 3 == 0 {
            // Hooks are registered while two calls run: neither was asked about, and no hook saw the prompt.
            findings.extend(played.took("early", "Bash", &kinds[0].1, 60_000));
            played.before("one", "Bash", &kinds[0].1);
            findings.extend(played.took("earlier", "Bash", &kinds[0].1, 60_000));
            findings.extend(played.after("one", "Bash", &kinds[0].1));
        }
        played.prompt();
        for number in 0..10 {
            let (tool, input) = &kinds[(session + number) % kinds.len()];
            let call = format!("call-{session}-{number}");
            played.wants(&call, tool, input);
            played.before(&call, tool, input);
            findings.extend(ordinary(&mut played, number, &call, (tool, input)));
        }
    }
    assert!(findings.is_empty(), "{findings:?}");
}

/// What may follow the event before a call.
fn ordinary(
    played: &mut Played,
    number: usize,
    call: &str,
    (tool, input): (&str, &Value),
) -> Vec<&'static str> {
    let changed = json!({"command": "changed"});
    match number {
        // The call failed, was cancelled or was denied by a rule of the agent, or its hook took too long: no event after it.
        0 => {
            let failed =
                json!({"tool_name": tool, "tool_input": input, "tool_use_id": call, "error": "x"});
            played.event("PostToolUseFailure", failed);
            Vec::new()
        }
        1 => Vec::new(),
        // A gate of ours denied it, and it did not run.
        2 => {
            let payload = json!({"tool_name": tool, "tool_input": input, "tool_use_id": call});
            played.reply("PreToolUse", payload, &denial());
            Vec::new()
        }
        // A hook of ours changed it.
        3 => {
            let mut outcome = Outcome::without_answer();
            outcome.effects.updated_input = Some(changed.clone());
            let payload = json!({"tool_name": tool, "tool_input": input, "tool_use_id": call});
            played.reply("PreToolUse", payload, &outcome);
            played.after(call, tool, &changed)
        }
        // A hook of ours changed it when permission was asked for, which has no id.
        4 => {
            let mut outcome = Outcome::without_answer();
            outcome.effects.updated_input = Some(changed.clone());
            played.reply(
                "PermissionRequest",
                json!({"tool_name": tool, "tool_input": input}),
                &outcome,
            );
            played.after(call, tool, &changed)
        }
        // The session goes on after a compaction or in another process.
        5 => {
            played.event("SessionStart", json!({"source": "compact"}));
            played.after(call, tool, input)
        }
        // A second call runs at the same time and ends first.
        6 => {
            let beside = format!("{call}-beside");
            played.before(&beside, "Bash", &json!({"command": "ls"}));
            let mut found = played.after(&beside, "Bash", &json!({"command": "ls"}));
            found.extend(played.after(call, tool, input));
            found
        }
        // The person answered a question, or changed an edit in their editor.
        7 => {
            let asked = json!({"questions": []});
            played.before("asked", "AskUserQuestion", &asked);
            let mut found = played.after(
                "asked",
                "AskUserQuestion",
                &json!({"questions": [], "answers": {"a": "b"}}),
            );
            let edited = json!({"tool_name": "Write", "tool_input": {"file_path": "/p/a", "content": "mine"},
                "tool_response": {"userModified": true}, "tool_use_id": "edited"});
            played.before("edited", "Write", &json!({"file_path": "/p/a", "content": "theirs"}));
            found.extend(played.event("PostToolUse", edited).iter().map(|fault| fault.code.name()));
            found.extend(played.after(call, tool, input));
            found
        }
        // Asked about twice: the entry stands in two files. The next prompt comes while it runs.
        8 => {
            played.before(call, tool, input);
            played.prompt();
            played.after(call, tool, input)
        }
        _ => played.after(call, tool, input),
    }
}
