//! Tests with invented sessions in the form that agents were seen to write (TR-41).

use super::*;

/// Reads lines and describes each record.
fn described(agent: TranscriptAgent, lines: &[&str]) -> Vec<String> {
    let mut decoder = Decoder::new(agent);
    let mut descriptions = Vec::new();
    for (number, line) in (1..).zip(lines) {
        let line = Line { number, bytes: Some(line.as_bytes()), is_whole: true };
        decoder.decode_line(line, &mut |record| {
            descriptions.push(match &record.action {
                Action::Prompt(text) => format!("prompt {text}"),
                Action::Call(call) => {
                    let (tool, input) = call.to_neutral(agent);
                    let kind = if call.kind == Kind::Script { "script" } else { "call" };
                    format!("{kind} {} {tool} {input}", call.id)
                }
                Action::Result { call, ended } => format!("{call} {ended:?}"),
                Action::Denial { call, by } => format!("{call} denied by {}", by.label()),
                Action::Asked(call) => format!("{call} asked"),
                Action::Rewritten { call, .. } => format!("{call} rewritten"),
                Action::Stop => "stop".to_owned(),
            });
        });
    }
    assert_eq!(decoder.facts_so_far().count_unusable_records(), 0, "{:?}", decoder.facts_so_far());
    descriptions
}

/// Returns the surroundings of the first call: session, directory, subagent, time.
fn surroundings(agent: TranscriptAgent, lines: &[&str]) -> [String; 4] {
    let mut decoder = Decoder::new(agent);
    let mut found = None;
    for (number, line) in (1..).zip(lines) {
        let line = Line { number, bytes: Some(line.as_bytes()), is_whole: true };
        decoder.decode_line(line, &mut |record| {
            if matches!(record.action, Action::Call(_)) && found.is_none() {
                let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or_default().to_owned();
                let time = record.time.map(|time| time.to_string()).unwrap_or_default();
                found =
                    Some([text(&record.session), text(&record.cwd), text(&record.subagent), time]);
            }
        });
    }
    found.expect("a call")
}

const DROID: &[&str] = &[
    r#"{"type":"session_start","id":"s","title":"go","owner":"o","version":2,"cwd":"/p","hostId":"h"}"#,
    r#"{"type":"message","id":"m1","timestamp":"2026-11-28T20:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>x"}],"visibility":"llm_only"}}"#,
    r#"{"type":"message","id":"m2","timestamp":"2026-11-28T20:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"go"}],"interactionMode":"auto"}}"#,
    r#"{"type":"message","id":"m3","timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Execute","input":{"command":"ls"}},{"type":"tool_use","id":"c2","name":"Edit","input":{"file_path":"a","old_str":"x","new_str":"y"}},{"type":"tool_use","id":"c3","name":"Execute","input":{"command":"a"}},{"type":"tool_use","id":"c4","name":"Execute","input":{"command":"b"}},{"type":"tool_use","id":"c5","name":"Nothing","input":{}},{"type":"tool_use","id":"c6","name":"Execute","input":{"command":"c"}}]}}"#,
    r#"{"type":"message","id":"m4","timestamp":"2026-11-28T20:00:03.000Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse","hookStatus":"completed","hookResults":[{"exitCode":0,"stdout":"{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}\n","stderr":""}],"hookToolCallId":"c1"}}"#,
    r#"{"type":"message","id":"m5","timestamp":"2026-11-28T20:00:03.000Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse","hookStatus":"error","hookResults":[{"exitCode":2,"stdout":"","stderr":"no"}],"hookToolCallId":"c2"}}"#,
    r#"{"type":"message","id":"m6","timestamp":"2026-11-28T20:00:03.000Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse","hookStatus":"completed","hookResults":[{"exitCode":0,"stdout":"{\"decision\":\"block\"}","stderr":""}],"hookToolCallId":"c3"}}"#,
    r#"{"type":"message","id":"m7","timestamp":"2026-11-28T20:00:03.500Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PostToolUse","hookResults":[{"exitCode":2,"stdout":"","stderr":""}],"hookToolCallId":"c3"}}"#,
    r#"{"type":"message","id":"m8","timestamp":"2026-11-28T20:00:04.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"Error: no"},{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":"Error: no"},{"type":"tool_result","tool_use_id":"c3","is_error":false,"content":"ok"},{"type":"tool_result","tool_use_id":"c4","is_error":true,"content":"Error: Command failed (exit code: 3)"},{"type":"tool_result","tool_use_id":"c5","is_error":true,"content":"Error: Not found: Nothing."},{"type":"tool_result","tool_use_id":"c6","is_error":true,"content":"Error: Exec ended early: insufficient permission to proceed."}]}}"#,
    r#"{"type":"agent_turn_outcome","turnId":"m2","reason":"completed","resultKind":"text"}"#,
];

/// TR-1, TR-6, TR-41.
#[test]
fn droid_denial_is_recognized_by_the_record_of_the_hook() {
    assert_eq!(
        TranscriptAgent::recognize_by_line(DROID[0].as_bytes()),
        Some(TranscriptAgent::Droid)
    );
    assert_eq!(surroundings(TranscriptAgent::Droid, DROID), ["s", "/p", "", "1795896002000"]);
    assert_eq!(
        described(TranscriptAgent::Droid, DROID),
        [
            "prompt go",
            r#"call c1 Bash {"command":"ls"}"#,
            r#"call c2 Edit {"file_path":"a","old_string":"x","new_string":"y"}"#,
            r#"call c3 Bash {"command":"a"}"#,
            r#"call c4 Bash {"command":"b"}"#,
            "call c5 Nothing {}",
            r#"call c6 Bash {"command":"c"}"#,
            "c1 asked",
            "c2 asked",
            "c3 asked",
            "c1 denied by hook",
            "c2 denied by hook",
            "c3 Ran",
            "c4 Failed",
            "c5 Refused",
            "c6 denied by mode",
            "stop",
        ]
    );
}

/// The records of Pi, where `duration` stands in each record that 1.6 gives one.
fn pi_session(duration: &str) -> Vec<String> {
    let line = |id: &str, message: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":null,"timestamp":"2026-11-28T20:00:02.000Z","message":{message}}}"#
        )
    };
    let result = |call: &str, text: &str, more: &str| {
        line(
            call,
            &format!(
                r#"{{"role":"toolResult","toolCallId":"{call}","toolName":"bash","content":[{{"type":"text","text":"{text}"}}],{more}}}"#
            ),
        )
    };
    let call = |id: &str, name: &str, arguments: &str| {
        format!(r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{arguments}}}"#)
    };
    let calls = [
        call("c1", "bash", r#"{"command":"ls"}"#),
        call("c2", "edit", r#"{"path":"a","edits":[{"oldText":"x","newText":"y"}]}"#),
        call("c3", "nosuch", "{}"),
        call("c4", "bash", "{}"),
        call("c5", "bash", r#"{"command":"a"}"#),
    ]
    .join(",");
    let failed = format!(r#""isError":true{duration}"#);
    vec![
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-28T20:00:00.000Z","cwd":"/p"}"#
            .to_owned(),
        r#"{"type":"model_change","id":"m","parentId":null,"timestamp":"2026-11-28T20:00:00.000Z"}"#
            .to_owned(),
        line("m1", r#"{"role":"system","content":""}"#),
        line("m2", r#"{"role":"user","content":[{"type":"text","text":"go"}]}"#),
        line(
            "m3",
            &format!(r#"{{"role":"assistant","content":[{calls}],"stopReason":"toolUse"{duration}}}"#),
        ),
        result("c1", "ok", &format!(r#""isError":false{duration}"#)),
        result("c2", "Could not find the exact text", &failed),
        result("c3", "Tool nosuch not found", r#""isError":true"#),
        result("c4", r#"Validation failed for tool \"bash\": x"#, r#""isError":true"#),
        result("c5", "no", r#""details":{},"isError":true"#),
        line(
            "m4",
            &format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"done"}}],"stopReason":"stop"{duration}}}"#
            ),
        ),
    ]
}

/// TR-1, TR-6, TR-41.
#[test]
fn pi_error_without_duration_is_a_denial_if_calls_have_durations() {
    for (duration, last) in [(r#","durationMs":3"#, "c5 denied by hook"), ("", "c5 Failed")] {
        let session = pi_session(duration);
        let lines: Vec<&str> = session.iter().map(String::as_str).collect();
        let agent = TranscriptAgent::recognize_by_line(lines[0].as_bytes());
        assert_eq!(agent, Some(TranscriptAgent::Pi));
        assert_eq!(surroundings(TranscriptAgent::Pi, &lines), ["s", "/p", "", "1795896002000"]);
        assert_eq!(
            described(TranscriptAgent::Pi, &lines),
            [
                "prompt go",
                r#"call c1 Bash {"command":"ls"}"#,
                r#"call c2 MultiEdit {"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}"#,
                "call c3 nosuch {}",
                "call c4 Bash {}",
                r#"call c5 Bash {"command":"a"}"#,
                "c1 Ran",
                "c2 Failed",
                "c3 Refused",
                "c4 Refused",
                last,
                "stop",
            ],
            "{duration}"
        );
    }
}

const OPENCLAW: &[&str] = &[
    r#"{"table":"schema_meta","app_version":"2026.9.6"}"#,
    r#"{"table":"session_windows","session_id":"t","session_key":"agent:main:subagent:t"}"#,
    r#"{"type":"session","version":4,"id":"t","timestamp":"2026-11-28T20:00:00.000Z","cwd":"/p"}"#,
    r#"{"type":"message","id":"1","parentId":null,"timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"user","content":"go"}}"#,
    r#"{"type":"message","id":"2","parentId":"1","timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls"}},{"type":"toolCall","id":"c2","name":"exec","arguments":{"command":"a"}},{"type":"toolCall","id":"c3","name":"exec","arguments":{"command":"b"}},{"type":"toolCall","id":"c4","name":"exec","arguments":{}}],"stopReason":"toolUse"}}"#,
    r#"{"type":"message","id":"3","parentId":"2","timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"toolResult","toolCallId":"c1","content":[{"type":"text","text":"no"}],"details":{"status":"blocked","deniedReason":"plugin-before-tool-call","reason":"no"},"isError":true}}"#,
    r#"{"type":"message","id":"4","parentId":"2","timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"toolResult","toolCallId":"c2","content":[{"type":"text","text":"ok"}],"details":{"status":"completed","exitCode":3},"isError":false}}"#,
    r#"{"type":"message","id":"5","parentId":"2","timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"toolResult","toolCallId":"c3","content":[{"type":"text","text":"{}"}],"details":{"status":"error","error":"x"},"isError":true}}"#,
    r#"{"type":"message","id":"5b","parentId":"2","timestamp":"2026-11-28T20:00:02.000Z","message":{"role":"toolResult","toolCallId":"c4","content":[],"details":{"status":"error","error":"Tool call blocked because before_tool_call hook failed"},"isError":true}}"#,
    r#"{"type":"custom","customType":"x","data":{},"id":"6","parentId":"5","timestamp":"2026-11-28T20:00:02.000Z"}"#,
];

/// TR-1, TR-6, TR-41.
#[test]
fn openclaw_denial_is_recognized_by_the_details_of_the_result() {
    assert_eq!(
        surroundings(TranscriptAgent::OpenClaw, OPENCLAW),
        ["t", "/p", "t", "1795896002000"]
    );
    assert_eq!(
        described(TranscriptAgent::OpenClaw, OPENCLAW),
        [
            "prompt go",
            r#"call c1 Bash {"command":"ls"}"#,
            r#"call c2 Bash {"command":"a"}"#,
            r#"call c3 Bash {"command":"b"}"#,
            "call c4 Bash {}",
            "c1 denied by hook",
            "c2 Failed",
            "c3 Failed",
            "c4 denied by hook",
        ]
    );
}

const HERMES: &[&str] = &[
    r#"{"table":"sessions","id":"s","source":"cli","cwd":"/p"}"#,
    r#"{"table":"sessions","id":"t","source":"subagent","parent_session_id":"s"}"#,
    r#"{"table":"messages","session_id":"t","role":"user","content":"go","timestamp":1795896001.25}"#,
    r#"{"table":"messages","session_id":"t","role":"assistant","content":"","tool_calls":"[{\"id\":\"c1\",\"function\":{\"name\":\"terminal\",\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}},{\"id\":\"c2\",\"function\":{\"name\":\"execute_code\",\"arguments\":\"{\\\"code\\\":\\\"x\\\"}\"}},{\"id\":\"c3\",\"function\":{\"name\":\"terminal\",\"arguments\":\"{}\"}},{\"id\":\"c4\",\"function\":{\"name\":\"nosuch\",\"arguments\":\"{}\"}},{\"id\":\"c5\",\"function\":{\"name\":\"terminal\",\"arguments\":\"{}\"}}]","timestamp":1795896002.0,"finish_reason":"tool_calls"}"#,
    r#"{"table":"messages","session_id":"t","role":"tool","tool_call_id":"c1","content":"{\"error\": \"no\"}","timestamp":1795896002.5}"#,
    r#"{"table":"messages","session_id":"t","role":"tool","tool_call_id":"c2","content":"{\"error\": \"no\"}","timestamp":1795896002.5}"#,
    r#"{"table":"messages","session_id":"t","role":"tool","tool_call_id":"c3","content":"{\"output\": \"\", \"exit_code\": 0, \"error\": null}","timestamp":1795896002.5}"#,
    r#"{"table":"messages","session_id":"t","role":"tool","tool_call_id":"c4","content":"Tool 'nosuch' does not exist. Available tools: a","timestamp":1795896002.5}"#,
    r#"{"table":"messages","session_id":"t","role":"tool","tool_call_id":"c5","content":"{\"output\": \"\", \"exit_code\": -1, \"error\": \"x\", \"status\": \"blocked\"}","timestamp":1795896002.5}"#,
    r#"{"table":"messages","session_id":"t","role":"assistant","content":"done","timestamp":1795896003.0,"finish_reason":"stop"}"#,
];

/// TR-1, TR-6, TR-41.
#[test]
fn hermes_denial_is_recognized_only_for_the_shell() {
    assert_eq!(surroundings(TranscriptAgent::Hermes, HERMES), ["t", "/p", "t", "1795896002000"]);
    assert_eq!(
        described(TranscriptAgent::Hermes, HERMES),
        [
            "prompt go",
            r#"call c1 Bash {"command":"ls"}"#,
            r#"call c2 Bash {"code":"x","command":"python3 -c x"}"#,
            "call c3 Bash {}",
            "call c4 nosuch {}",
            "call c5 Bash {}",
            "c1 denied by hook",
            "c2 Failed",
            "c3 Ran",
            "c4 Refused",
            "c5 denied by unsaid",
            "stop",
        ]
    );
}

const VIBE: &[&str] = &[
    r#"{"generation":"01","session_id":"s","snapshot_sequence":1,"store_format":"mistral.vibe.unified-session-store/v1"}"#,
    r#"{"session_id":"s","environment":{"working_directory":"/p"}}"#,
    r#"{"type":"notice","createdAt":1795896002000,"detail":{"kind":"hook_run_started","scope":"pre_tool","toolCallId":"c1"}}"#,
    r#"{"type":"notice","createdAt":1795896002000,"detail":{"kind":"hook_completed","scope":"pre_tool","content":"Denied tool 'bash'","status":"error","toolCallId":"c1"}}"#,
    r#"{"type":"effect","createdAt":1795896002000,"detail":{"kind":"tool","input":null,"toolName":"tool"}}"#,
    r#"{"message":{"content":[{"text":"go","type":"text"}],"role":"user"},"source":"history","turn_index":0}"#,
    r#"{"message":{"content":[{"arguments":{"raw":"","type":"json","value":{"command":"ls"}},"id":"c1","name":"bash","type":"tool_call"},{"arguments":{"value":{"code":"x"}},"id":"c2","name":"run_typescript","type":"tool_call"},{"arguments":{"value":{}},"id":"c3","name":"nosuch","type":"tool_call"},{"arguments":{"value":{"command":"a"}},"id":"c4","name":"bash","type":"tool_call"}],"role":"assistant"},"source":"history","turn_index":0}"#,
    r#"{"message":{"content":[{"text":"no","type":"text"}],"outcome":"failure","role":"tool","tool_call_id":"c1"},"source":"history"}"#,
    r#"{"message":{"content":[{"text":"null","type":"text"}],"outcome":"success","role":"tool","tool_call_id":"c2"},"source":"history"}"#,
    r#"{"message":{"content":[{"text":"{\"result\":{\"type\":\"error\",\"error\":{\"name\":\"InvalidToolCall\"}}}","type":"text"}],"outcome":"failure","role":"tool","tool_call_id":"c3"},"source":"history"}"#,
    r#"{"message":{"content":[{"text":"{\"returncode\":3}","type":"text"}],"outcome":"success","role":"tool","tool_call_id":"c4"},"source":"history"}"#,
    r#"{"message":{"content":[{"text":"a notification","type":"text"}],"role":"user"},"source":"injection"}"#,
    r#"{"message":{"content":[{"text":"done","type":"text"}],"role":"assistant"},"source":"history"}"#,
    r#"{"type":"action_result","payload":{"result":{"result":{"parts":[{"arguments_json":"{\"command\":\"b\"}","id":"c5","name":"bash","type":"tool_call"}]},"type":"completion_succeeded"}}}"#,
];

/// TR-1, TR-2, TR-6, TR-41.
#[test]
fn vibe_denial_is_recognized_by_a_notice() {
    assert_eq!(TranscriptAgent::recognize_by_line(VIBE[0].as_bytes()), Some(TranscriptAgent::Vibe));
    assert_eq!(surroundings(TranscriptAgent::Vibe, VIBE), ["s", "/p", "", "1795896002000"]);
    assert_eq!(
        described(TranscriptAgent::Vibe, VIBE),
        [
            "c1 asked",
            "prompt go",
            r#"call c1 Bash {"command":"ls"}"#,
            r#"script c2 run_typescript {"code":"x"}"#,
            "call c3 nosuch {}",
            r#"call c4 Bash {"command":"a"}"#,
            "c1 denied by hook",
            "c2 Ran",
            "c3 Refused",
            "c4 Failed",
            "stop",
            r#"call c5 Bash {"command":"b"}"#,
        ]
    );
}

/// TR-6.
#[test]
fn kilo_calls_have_the_names_of_its_dialect() {
    let rows = [
        r#"{"table":"session","id":"s","directory":"/p","version":"7.7.9"}"#,
        r#"{"table":"part","id":"p","message_id":"m","session_id":"s","time_created":1,"data":{"type":"tool","tool":"background_process","callID":"c1","state":{"status":"completed","input":{"action":"start","command":"ls"}}}}"#,
    ];
    assert_eq!(
        described(TranscriptAgent::Kilo, &rows),
        [r#"call c1 Bash {"action":"start","command":"ls"}"#, "c1 Ran"]
    );
}
