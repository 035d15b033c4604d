//! Tests with samples of real agents, against the index beside them, and with invented files.

use super::*;

mod agents;

#[derive(Debug, Default, PartialEq)]
struct Counted {
    calls: usize,
    denied: usize,
    subagent: usize,
    unknown: u64,
}

fn count(agent: TranscriptAgent, text: &[u8]) -> Counted {
    let mut counted = Counted::default();
    let mut decoder = Decoder::new(agent);
    let mut lines = Lines::new(text);
    while let Some(line) = lines.read_line().expect("memory") {
        decoder.decode_line(line, &mut |record| match record.action {
            Action::Call(call) if call.kind != Kind::Nested => {
                counted.calls += 1;
                counted.subagent += usize::from(record.subagent.is_some());
            }
            Action::Denial { .. } => counted.denied += 1,
            _ => {}
        });
    }
    counted.unknown = decoder.facts_so_far().count_unusable_records();
    counted
}

fn samples() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed/transcripts")
}

/// TR-1, TR-4: the counts equal the index, and no record is unknown.
/// TR-2, TR-8.
#[test]
fn counts_of_every_sample_equal_the_index() {
    let index = std::fs::read_to_string(samples().join("index.tsv")).expect("the index");
    let mut read = 0;
    for row in index.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [file, _, version, calls, denied, subagent, ..] = fields[..] else { panic!("{row}") };
        if file.ends_with(".meta.json") {
            continue;
        }
        let text = std::fs::read(samples().join(file)).expect(file);
        let first = text.split(|byte| *byte == b'\n').next().expect("a line");
        let agent = TranscriptAgent::recognize_by_line(first).expect(file);
        assert!(file.starts_with(agent.key()), "{file}: {agent:?}");
        let number = |text: &str| text.parse().expect(row);
        let expected = Counted {
            calls: number(calls),
            denied: number(denied),
            subagent: number(subagent),
            unknown: 0,
        };
        assert_eq!(count(agent, &text), expected, "{file} of {version}");
        read += 1;
    }
    assert_eq!(read, 16);
}

/// TR-3: a file that is cut off at any byte does not stop the decoder, and the loss is counted.
#[test]
fn sample_cut_off_anywhere_counts_one_unread_line() {
    for file in [
        "claude-2.1.330-main-resumed",
        "codex-0.169.0-gpt5-main-resumed",
        "qwen-0.15.10-main-resumed",
    ] {
        let text = std::fs::read(samples().join(format!("{file}.jsonl"))).expect(file);
        let agent = TranscriptAgent::recognize_by_line(
            text.split(|byte| *byte == b'\n').next().expect("a line"),
        )
        .expect(file);
        let whole = count(agent, &text);
        for at in (1..text.len()).step_by(997) {
            let torn = count(agent, &text[..at]);
            assert!(torn.calls <= whole.calls && torn.unknown <= 1, "{file} at {at}: {torn:?}");
            let is_inside = text[at - 1] != b'\n' && text[at] != b'\n';
            assert_eq!(torn.unknown == 1, is_inside, "{file} at {at}");
        }
    }
}

/// TR-8: older versions of the reference agent wrote no time, and no outcome of a call.
#[test]
fn files_of_older_reference_agents_are_read() {
    let text = r#"{"type":"session","id":"s","model":"m","cwd":"/p"}
{"type":"message","role":"user","text":"go"}
{"type":"message","role":"assistant","text":"","calls":[{"id":"call-1","tool":"Bash","input":{"command":"ls"}},{"id":"call-2","tool":"No","input":{}}]}
{"type":"message","role":"tools","results":[{"id":"call-1","text":"the call was refused: no","is_error":true},{"id":"call-2","text":"there is no tool `No`","is_error":true}]}
"#;
    let mut texts = Vec::new();
    let mut decoder = Decoder::new(TranscriptAgent::Tenterhook);
    let mut lines = Lines::new(text.as_bytes());
    while let Some(line) = lines.read_line().expect("memory") {
        decoder.decode_line(line, &mut |record| {
            assert_eq!(
                (record.time, record.mode.as_deref(), record.is_copied),
                (None, None, false)
            );
            texts.push(match record.action {
                Action::Prompt(_) => "prompt",
                Action::Call(_) => "call",
                Action::Denial { by: Refuser::Unsaid, .. } => "denied",
                Action::Result { ended: Ended::Failed, .. } => "failed",
                _ => "other",
            });
        });
    }
    assert_eq!(texts, ["prompt", "call", "call", "denied", "failed"]);
    assert_eq!(decoder.facts_so_far().count_unusable_records(), 0);
}

/// TR-5: the telemetry of Qwen Code 0.24 repeats every call, and the file of a subagent repeats its
/// calls.
#[test]
fn call_that_telemetry_repeats_is_one_call() {
    let line = |rest: &str| {
        format!(
            r#"{{"sessionId":"s","timestamp":"2026-11-23T14:26:33.397Z","cwd":"/p","version":"0.24.4",{rest}}}"#
        )
    };
    let call = |id: &str, more: &str| {
        line(&format!(
            r#""type":"assistant",{more}"message":{{"role":"model","parts":[{{"functionCall":{{"id":"{id}","name":"run_shell_command","args":{{"command":"ls"}}}}}}]}}"#
        ))
    };
    let again = |id: &str, prompt: &str| {
        line(&format!(
            r#""type":"system","subtype":"ui_telemetry","systemPayload":{{"uiEvent":{{"event.name":"qwen-code.tool_call","call_id":"{id}","function_name":"run_shell_command","function_args":{{"command":"ls"}},"status":"success","decision":"auto_accept","prompt_id":"{prompt}"}}}}"#
        ))
    };
    let main = [call("c1", ""), again("c1", "s########0"), again("c2", "s#helper-c1#0")].join("\n");
    let sub = call("c2", r#""agentId":"helper-c1","isSidechain":true,"#);
    let mut copies = Copies::default();
    let mut calls = Vec::new();
    for text in [main, sub] {
        let mut decoder = Decoder::new(TranscriptAgent::Qwen);
        let mut lines = Lines::new(text.as_bytes());
        while let Some(line) = lines.read_line().expect("memory") {
            decoder.decode_line(line, &mut |record| {
                if let Action::Call(call) = &record.action {
                    let copy =
                        copies.is_known_call_else_remember(TranscriptAgent::Qwen, &record, call);
                    calls.push((
                        call.id.to_string(),
                        record.subagent.as_deref().map(str::to_owned),
                        copy,
                    ));
                }
            });
        }
    }
    let helper = Some("helper-c1".to_owned());
    let expected = [("c1", None, false), ("c2", helper.clone(), false), ("c2", helper, true)];
    assert_eq!(calls, expected.map(|(id, by, copy)| (id.to_owned(), by, copy)));
}

/// TR-4: the kind of an unknown record is copied only if it looks like a name.
#[test]
fn unknown_records_are_counted_and_named() {
    let text = b"{\"type\":\"new-thing\",\"sessionId\":\"s\"}\n{\"type\":\"a secret: hunter2 \\u001b[2J\",\"sessionId\":\"s\"}\n\xff\xfe\x00\n[1]\n{\"type\":";
    let mut decoder = Decoder::new(TranscriptAgent::Claude);
    let mut lines = Lines::new(&text[..]);
    while let Some(line) = lines.read_line().expect("memory") {
        decoder.decode_line(line, &mut |_| panic!("a record was emitted"));
    }
    let facts = decoder.facts_so_far();
    assert_eq!(facts.unknown.get("new-thing"), Some(&1));
    assert_eq!(facts.unknown.get("(no word)"), Some(&2));
    assert_eq!(facts.unread.get("no record"), Some(&1));
    assert_eq!(facts.unread.get("half a line at the end"), Some(&1));
}

/// TR-5: a call and its copy in a fork are one call; the same id in a second session is a second
/// call.
#[test]
fn copy_in_a_fork_is_counted_once() {
    let mut copies = Copies::default();
    let mut calls = (0, 0);
    for file in
        ["claude-2.1.330-main-resumed", "claude-2.1.330-fork", "claude-2.1.197-main-resumed"]
    {
        let text = std::fs::read(samples().join(format!("{file}.jsonl"))).expect(file);
        let mut decoder = Decoder::new(TranscriptAgent::Claude);
        let mut lines = Lines::new(&text[..]);
        while let Some(line) = lines.read_line().expect("memory") {
            decoder.decode_line(line, &mut |record| {
                if let Action::Call(call) = &record.action {
                    calls.0 += 1;
                    calls.1 += usize::from(copies.is_known_call_else_remember(
                        TranscriptAgent::Claude,
                        &record,
                        call,
                    ));
                }
            });
        }
    }
    assert_eq!(calls, (24 + 25 + 24, 24));
}

/// TR-6: an agent's call becomes the event that its hooks receive.
#[test]
fn calls_become_events_with_neutral_names() {
    let call = |tool: &str, input: &str| Call {
        id: "x".to_owned().into(),
        tool: tool.to_owned().into(),
        input: input.to_owned().into(),
        kind: Kind::Plain,
    };
    for (agent, own, input, tool, neutral) in [
        (
            TranscriptAgent::Codex,
            "exec_command",
            r#"{"cmd":"ls","workdir":"/"}"#,
            "Bash",
            r#"{"command":"ls"}"#,
        ),
        (
            TranscriptAgent::Codex,
            "shell",
            r#"{"command":["bash","-lc","ls -l"]}"#,
            "Bash",
            r#"{"command":"ls -l"}"#,
        ),
        (
            TranscriptAgent::Codex,
            "apply_patch",
            r#"{"command":"*** x"}"#,
            "apply_patch",
            r#"{"command":"*** x"}"#,
        ),
        (
            TranscriptAgent::Copilot,
            "create",
            r#"{"path":"a","file_text":"b"}"#,
            "Write",
            r#"{"file_path":"a","content":"b"}"#,
        ),
        (TranscriptAgent::Gemini, "mcp_t_echo", "{}", "mcp__t__echo", "{}"),
        (TranscriptAgent::OpenCode, "read", r#"{"filePath":"a"}"#, "Read", r#"{"file_path":"a"}"#),
        (TranscriptAgent::Claude, "Bash", r#"{"command":"ls"}"#, "Bash", r#"{"command":"ls"}"#),
    ] {
        let (is, with) = call(own, input).to_neutral(agent);
        assert_eq!((is.as_str(), with.to_string().as_str()), (tool, neutral), "{agent:?} {own}");
    }
}
