//! Cline CLI 3.0.65 (BR-26). A denial ends its whole run; for the shell tool there is a softer one: the call becomes one that
//! prints the reason and fails. What stands behind `HOOK_CONTROL` and a tab is heard whatever stands round it.

use serde_json::{Map, Value, json};
use tenterhook_shell::quote;

use super::{Caller, caller, decode, own_input, row};
use crate::answer::Power::{self, Context, Deny, Input, Stop};
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventFault, EventRow, Roots};
use crate::event::Event;

pub(super) static CLINE: Dialect =
    caller(Caller { id: DialectId::CLINE, rows: || ROWS, decode: read, replies: &REPLIES });

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("TaskStart", "SessionStart", &[]),
    row("TaskResume", "SessionStart", &[]),
    row("TaskComplete", "TaskComplete", &[]),
    row("TaskError", "StopFailure", &[]),
    row("TaskCancel", "Interrupt", &[]),
    row("SessionShutdown", "SessionEnd", &[]),
    row("UserPromptSubmit", "UserPromptSubmit", &[Deny]),
    row("PreToolUse", "PreToolUse", &[Deny]),
    row("PostToolUse", "PostToolUse", &[]),
];

/// What its payloads call what happened.
const NAMES: &[(&str, &str)] = &[
    ("tool_call", "PreToolUse"),
    ("tool_result", "PostToolUse"),
    ("agent_start", "TaskStart"),
    ("agent_end", "TaskComplete"),
];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_commands", "execute_command"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["editor", "write_to_file"], neutral: "Write", keys: &[("path", "file_path"), ("new_text", "content")] },
    ToolWords { own: &["replace_in_file"], neutral: "Edit", keys: &[("path", "file_path")] },
    ToolWords { own: &["read_files", "read_file"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["search_codebase", "search_files"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["fetch_web_content"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["spawn_agent"], neutral: "Task", keys: &[] },
];

const KEYS: super::Keys = &[
    ("taskId", "session_id"),
    ("hookName", ""),
    ("clineVersion", ""),
    ("tool_call", ""),
    ("preToolUse", ""),
    ("postToolUse", ""),
];

fn read(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let text = |key: &str| json.get(key).and_then(Value::as_str);
    let called = text("hookName").unwrap_or_default();
    let known = NAMES.iter().find(|(own, _)| *own == called).map(|(_, name)| *name);
    let name = known.or_else(|| text("hook_event_name")).unwrap_or(called);
    let mut fields = json.clone();
    let root = json.get("workspaceRoots").and_then(|it| it.get(0)).cloned();
    fields.extend(root.map(|root| ("cwd".to_owned(), root)));
    // `preToolUse.parameters` are texts all: the call itself is read.
    let call = json.get("tool_call").or_else(|| json.get("tool_result"));
    for (key, neutral) in [("name", "tool_name"), ("input", "tool_input"), ("id", "tool_use_id")] {
        let value = call.and_then(|it| it.get(key)).cloned();
        fields.extend(value.map(|value| (neutral.to_owned(), value)));
    }
    if let Some(output) = json.get("tool_result").and_then(|it| it.get("output")) {
        fields.insert("tool_response".to_owned(), output.clone());
    }
    if let Some(prompt) = json.get("userPromptSubmit").and_then(|it| it.get("prompt")) {
        fields.insert("prompt".to_owned(), prompt.clone());
    }
    let mut event = decode(name, &fields, KEYS, TOOLS, ROWS, roots)?;
    if event.text("tool_name") == Some("Bash") {
        one_script(&mut event)?;
    }
    Ok(event)
}

/// A list of commands is one script, a line each: what holds of any of them holds of the call.
fn one_script(event: &mut Event) -> Result<(), EventFault> {
    let Some(Value::Object(input)) = event.payload.get_mut("tool_input") else { return Ok(()) };
    let Some(commands) = input.shift_remove("commands") else { return Ok(()) };
    let unread = || EventFault { message: "`commands` must be a list of strings".to_owned() };
    let list = commands.as_array().ok_or_else(unread)?;
    let lines: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    input.insert("command".to_owned(), lines.ok_or_else(unread)?.join("\n").into());
    Ok(())
}

static REPLIES: Replies = Replies {
    agent: "Cline",
    lead: "HOOK_CONTROL\t",
    hears_stderr: true,
    tools: TOOLS,
    events: EVENTS,
};

const CANCEL: Phrase = &[(&["cancel"], Part::Flag(true)), (&["errorMessage"], Part::Reason)];
const CONTEXT: Phrase = &[(&["contextModification"], Part::Given)];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, input, ..Say::of(event) }
}

const EVENTS: &[Say] = &[
    Say {
        denies: softly,
        ..say(
            "PreToolUse",
            &[
                (Deny, CANCEL),
                (Stop, CANCEL),
                (Input, &[(&["overrideInput"], Part::Given)]),
                (Context, CONTEXT),
            ],
        )
    },
    say("PostToolUse", &[(Stop, CANCEL), (Context, CONTEXT)]),
    say("UserPromptSubmit", &[(Deny, CANCEL), (Stop, CANCEL), (Context, CONTEXT)]),
];

/// The call of the shell tool that says why and fails, so that the run goes on.
fn softly(event: &Event, reason: &str) -> Option<Value> {
    let is_shell = event.text("tool_name") == Some("Bash");
    let line = format!("printf '%s\\n' {}; exit 1", quote(reason));
    is_shell.then(|| json!({"overrideInput": {"commands": [line]}}))
}

fn input(event: &Event, input: &Value) -> Result<Value, String> {
    let own = own_input(TOOLS, event, input);
    match (event.text("tool_name"), own.get("command").and_then(Value::as_str)) {
        (Some("Bash"), Some(command)) => Ok(json!({"commands": [command]})),
        (Some("Bash"), None) => Err("a changed call needs a `command`".to_owned()),
        _ => Ok(own),
    }
}
