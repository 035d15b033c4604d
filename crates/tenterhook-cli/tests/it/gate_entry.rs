//! An event that the agent's table does not have, at the entry of a gate and at that of an observer: BR-17 of `docs/spec/bridge.md`.

use serde_json::{Map, Value};

use crate::bridge::{CALLS, GATE};
use crate::fixture::{CliOutput, Fixture};

/// Names that no agent has for the event before a tool.
const UNKNOWN: &[&str] = &["before-tool-call", "PRETOOLUSE", "PreToolUse "];

/// Where agents write the name of an event; Copilot CLI names an event there if at all.
const NAME_KEYS: &[&str] = &["hookName", "event", "hook_event_name"];

/// The fields that describe the tool call.
const TOOL_KEYS: &[&str] =
    &["tool_name", "tool_input", "toolName", "toolArgs", "tool_call", "matcher_context"];

/// The call of an agent under another name.
fn renamed(call: &str, name: &str) -> Map<String, Value> {
    let mut fields: Map<String, Value> = serde_json::from_str(call).unwrap();
    let key = NAME_KEYS.iter().find(|key| fields.contains_key(**key));
    fields.insert((*key.unwrap_or(&"hookName")).to_owned(), name.into());
    fields
}

fn hook(fixture: &Fixture, agent: &str, event: &str, fields: Map<String, Value>) -> CliOutput {
    fixture.run(&["hook", "--agent", agent, "--event", event], &Value::Object(fields).to_string())
}

fn guarded_room() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", GATE);
    fixture
}

/// BR-17.
#[test]
fn event_of_unknown_name_at_a_gate_is_judged_as_the_registered_event() {
    let fixture = guarded_room();
    for (agent, event, call, denial) in CALLS {
        for name in UNKNOWN {
            let answer = hook(&fixture, agent, event, renamed(call, name));
            let is_denied = answer.stdout.contains(denial) && answer.stdout.contains("not here");
            assert!(is_denied, "{agent}: `{name}`: {}", answer.all());
            assert_eq!(answer.code, 0, "{agent}: `{name}`");
            // Gemini CLI reads standard error as an answer.
            let lines: Vec<&str> = answer.stderr.lines().map(str::trim_start).collect();
            let is_reported = lines.join(" ").contains(&format!("`{name}` is no event of"));
            assert_eq!(is_reported, *agent != "gemini", "{agent}: {}", answer.stderr);
        }
    }
}

/// BR-17, BR-112.
#[test]
fn event_of_unknown_name_without_a_tool_at_a_gate_is_denied_with_both_names() {
    let fixture = guarded_room();
    for (agent, event, call, denial) in CALLS {
        let mut fields = renamed(call, "before-tool-call");
        fields.retain(|key, _| !TOOL_KEYS.contains(&key.as_str()));
        let answer = hook(&fixture, agent, event, fields);
        // Cline ends the run where there is no command to replace.
        let cancels = answer.stdout.starts_with("HOOK_CONTROL\t{\"cancel\":true");
        assert!(cancels || answer.stdout.contains(denial), "{agent}: {}", answer.all());
        for name in ["`before-tool-call`", &format!("`{event}`")] {
            assert!(answer.stdout.contains(name), "{agent}: {name}: {}", answer.all());
        }
    }
}

/// BR-112: such as after an agent renamed its keys.
#[test]
fn shell_call_without_a_command_and_prompt_without_text_are_denied_at_a_gate() {
    let fixture = guarded_room();
    for (agent, event, call, denial) in [
        (
            "droid",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"Execute","toolInput":{"command":"x"}}"#,
            r#""deny""#,
        ),
        (
            "antigravity",
            "PreToolUse",
            r#"{"toolCall":{"name":"run_command","args":{"commandLine":"x"}}}"#,
            r#""deny""#,
        ),
        (
            "hermes",
            "pre_tool_call",
            r#"{"hook_event_name":"pre_tool_call","tool_name":"terminal","tool_input":null,"extra":{}}"#,
            r#""block""#,
        ),
        (
            "cursor",
            "preToolUse",
            r#"{"hook_event_name":"preToolUse","conversation_id":"s","workspace_roots":["/"],"tool_name":"Shell"}"#,
            r#""deny""#,
        ),
        (
            "pi",
            "UserPromptSubmit",
            r#"{"agent":"pi","hook_event_name":"UserPromptSubmit","text":"x"}"#,
            r#""deny""#,
        ),
        (
            "cursor",
            "beforeSubmitPrompt",
            r#"{"hook_event_name":"beforeSubmitPrompt","conversation_id":"s","workspace_roots":["/"],"prompt":[{"text":"x"}]}"#,
            r#""continue":false"#,
        ),
        (
            "antigravity",
            "PreToolUse",
            r#"{"toolCall":{"name":"view_file","arguments":{"AbsolutePath":"/x"}}}"#,
            r#""deny""#,
        ),
        (
            "crush",
            "PreToolUse",
            r#"{"event":"PreToolUse","session_id":"s","cwd":"/","tool_name":"view","tool_input":["/x"]}"#,
            r#""deny""#,
        ),
        (
            "cursor",
            "beforeMCPExecution",
            r#"{"hook_event_name":"beforeMCPExecution","conversation_id":"s","workspace_roots":["/"],"tool_input":"{}"}"#,
            r#""deny""#,
        ),
    ] {
        let answer = fixture.run(&["hook", "--agent", agent, "--event", event], call);
        assert!(answer.stdout.contains(denial), "{agent}: {}", answer.all());
    }
    // Agents that take a denial as an exit code.
    for (agent, event, call) in [
        ("kiro", "PreTaskExec", "no JSON"),
        (
            "windsurf",
            "pre_mcp_tool_use",
            r#"{"agent_action_name":"pre_mcp_tool_use","tool_info":{"tool":"x"}}"#,
        ),
        (
            "kiro",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","cwd":"/","tool_name":"execute_pwsh","tool_input":{"script":"x"}}"#,
        ),
    ] {
        let answer = fixture.run(&["hook", "--agent", agent, "--event", event], call);
        assert_eq!(answer.code, 2, "{agent}: {}", answer.all());
    }
}

/// BR-17.
#[test]
fn event_of_unknown_name_at_an_observer_is_not_judged() {
    let fixture = guarded_room();
    for (agent, _, call, _) in CALLS {
        let answer = hook(&fixture, agent, "SessionStart", renamed(call, "before-tool-call"));
        assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{agent}: {}", answer.stderr);
        assert!(!answer.stderr.contains("is registered"), "{agent}: {}", answer.stderr);
    }
}
