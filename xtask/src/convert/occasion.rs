//! Events on which the hooks of a file are compared: for each event that it names, those that its matchers can tell apart.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook_core::event::{EventName, Surroundings};
use tenterhook_core::hook::Hook;

/// Tool calls that matchers and rules of public configs tell apart.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("Bash", json!({"command": "git push --force && npm test"})),
        ("Bash", json!({"command": "sudo rm -rf build"})),
        ("Write", json!({"file_path": "/p/src/main.rs", "content": "x"})),
        ("Edit", json!({"file_path": "/p/.env", "old_string": "a", "new_string": "b"})),
        ("Read", json!({"file_path": "/p/README.md"})),
        ("mcp__files__write", json!({"path": "x"})),
    ]
}

/// Every field that some matcher is tested on, each with a value that configs name.
fn subjects() -> Value {
    json!({
        "source": "startup", "trigger": "manual", "reason": "other", "notification_type": "idle_prompt",
        "agent_type": "Explore", "prompt": "hello", "delta": "text", "message": "m", "error": "rate_limit",
        "file_path": "/p/.envrc", "load_reason": "session_start", "command_name": "review",
        "to_model": "m", "mcp_server_name": "files", "text": "t",
    })
}

/// The events.
pub(super) fn events(hooks: &[Arc<Hook>]) -> Vec<Event> {
    let names: BTreeSet<&EventName> = hooks.iter().map(|hook| &hook.event).collect();
    names.into_iter().flat_map(events_named).collect()
}

fn events_named(name: &EventName) -> Vec<Event> {
    let within = Surroundings {
        session_id: "s-1".to_owned(),
        cwd: "/tmp".into(),
        project: "/tmp".into(),
        home: "/home/user".into(),
        facts: [("permission_mode".to_owned(), "plan".into())].into_iter().collect(),
        ..Surroundings::default()
    };
    let mut bare = Event::new(name.clone(), within);
    let about_tool = ["Tool", "Permission", "ShellEnv", "HostError"];
    if about_tool.iter().any(|text| name.as_str().contains(text)) {
        let call = |(tool, input): (&str, Value)| {
            let call = bare.clone().with("tool_name", tool).with("tool_input", input);
            call.with("tool_response", "done").with("error", "failed").with("tool_use_id", "t-1")
        };
        return calls().into_iter().map(call).collect();
    }
    if let Value::Object(fields) = subjects() {
        bare.payload.extend(fields);
    }
    vec![bare]
}
