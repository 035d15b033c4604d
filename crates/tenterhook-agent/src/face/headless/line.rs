//! The lines of JSON in both directions: `docs/guide/agent.md` lists them. Pure.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::submission::Submission;
use crate::update::{Decision, Deed, Hold, Input, Trace, Update};

/// A parsed line of standard input.
#[derive(Debug)]
pub(super) enum LineCommand {
    Input(Input),
    Decide(String, Decision),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Prompt {
        text: String,
    },
    Queue {
        text: String,
    },
    TakeBack,
    NextMode,
    Interrupt,
    Typing,
    Quit,
    QuitNow,
    Decide {
        id: String,
        allow: bool,
        #[serde(default)]
        always: bool,
        #[serde(default)]
        reason: String,
    },
}

/// A line of standard input that is no command.
#[derive(Debug, thiserror::Error)]
#[error(
    "unknown type of line: expected one of prompt, queue, take_back, next_mode, interrupt, typing, decide, quit, quit_now: {0}"
)]
pub(super) struct LineError(#[from] serde_json::Error);

/// Parses a line of input as a command.
pub(super) fn parse_line_command(line: &[u8]) -> Result<LineCommand, LineError> {
    let line: Line = serde_json::from_slice(line)?;
    Ok(LineCommand::Input(match line {
        Line::Prompt { text } => Input::Prompt(Submission::new(text)),
        Line::Queue { text } => Input::Queue(Submission::new(text)),
        Line::TakeBack => Input::TakeBack,
        Line::NextMode => Input::NextMode,
        Line::Interrupt => Input::Interrupt,
        Line::Typing => Input::Typing,
        Line::Quit => Input::Quit("prompt_input_exit"),
        Line::QuitNow => Input::QuitNow,
        Line::Decide { id, allow, always, reason } => {
            let decision = match (allow, always) {
                (true, true) => Decision::Always,
                (true, false) => Decision::Once,
                (false, _) if reason.is_empty() => Decision::No("the user said no".to_owned()),
                (false, _) => Decision::No(reason),
            };
            return Ok(LineCommand::Decide(id, decision));
        }
    }))
}

/// Encodes an update as one JSON line, or returns `None` if only a screen needs it.
pub(super) fn encode_update(update: &Update) -> Option<Value> {
    Some(match update {
        Update::Session { id, model, cwd, transcript, sandbox } => json!({
            "type": "session", "session_id": id, "model": model, "cwd": cwd,
            "transcript_path": transcript, "sandbox": sandbox.name(),
        }),
        Update::Cleared => json!({"type": "cleared"}),
        Update::Prompt { text, .. } => json!({"type": "prompt", "text": text}),
        Update::Refused { text, reason, .. } => {
            json!({"type": "refused", "text": text, "reason": reason})
        }
        Update::Loading(loading) => json!({"type": "loading", "loading": loading}),
        Update::Text(text) => json!({"type": "text", "text": text}),
        Update::Reasoning(text) => json!({"type": "reasoning", "text": text}),
        Update::Reply(text) => json!({"type": "reply", "text": text}),
        Update::Rewrite { text, hooks } => {
            json!({"type": "hook_rewrite", "text": text, "hooks": hooks})
        }
        Update::ToolAsked(call) => {
            json!({"type": "tool_asked", "id": call.id, "tool": call.tool, "input": call.input})
        }
        Update::ToolStarted(call) => {
            json!({"type": "tool", "id": call.id, "tool": call.tool, "input": call.input})
        }
        Update::ToolEnded { call, result } => json!({
            "type": "tool_result", "id": call.id, "tool": call.tool,
            "text": result.text, "is_error": result.is_error,
        }),
        Update::Ask(ask) => json!({
            "type": "ask", "id": ask.id, "tool": ask.call.tool, "input": ask.call.input,
            "reason": ask.reason,
            "was": ask.was.as_ref().map(|rewritten| rewritten.was.clone()),
        }),
        Update::AskVoid { id } => json!({"type": "ask_void", "id": id}),
        Update::Unanswered { call, reason } => json!({
            "type": "unanswered", "id": call.id, "tool": call.tool, "input": call.input,
            "reason": reason,
        }),
        Update::Warn { event, reason } => {
            json!({"type": "warn", "event": event, "reason": reason})
        }
        Update::Notice(text) => json!({"type": "notice", "text": text}),
        Update::Hooks(trace) => trace_to_json(trace),
        Update::Did(deed) => deed_to_json(deed),
        Update::Delayed(hold) => hold_to_json(hold),
        Update::TurnEnded { error } => json!({"type": "turn_ended", "error": error}),
        Update::Page { title, text } => json!({"type": "page", "title": title, "text": text}),
        Update::Leaving(hooks) => json!({"type": "leaving", "hooks": hooks}),
        Update::Ended => json!({"type": "ended"}),
        Update::Queued(queue) => queue_to_json(queue),
        Update::TakenBack(Submission { text, .. }) => {
            json!({"type": "taken_back", "text": text})
        }
        Update::Mode(mode) => json!({"type": "mode", "mode": mode}),
        Update::Used(used) => json!({"type": "used", "full": used.full, "tokens": used.tokens}),
        Update::Obeyed(_) | Update::Status(_) | Update::Released(_) | Update::Within { .. } => {
            return None;
        }
    })
}

fn queue_to_json(queue: &[Submission]) -> Value {
    let texts: Vec<&str> = queue.iter().map(|submission| &*submission.text).collect();
    json!({"type": "queued", "texts": texts})
}

fn hold_to_json(hold: &Hold) -> Value {
    json!({
        "type": "held", "event": hold.event.neutral, "own_events": hold.event.own,
        "id": hold.call, "hooks": hold.hooks,
    })
}

fn trace_to_json(trace: &Trace) -> Value {
    let hooks = trace.steps.iter().map(|step| {
        json!({
            "hook": step.hook, "ended": step.ended, "took_ms": step.took_ms,
            "verdict": step.verdict,
        })
    });
    json!({
        "type": "hooks", "event": trace.event.neutral, "own_events": trace.event.own,
        "came": trace.came,
        "hooks": hooks.collect::<Vec<_>>(),
    })
}

fn deed_to_json(deed: &Deed) -> Value {
    let change = deed.change.as_ref();
    json!({
        "type": "hook_did", "text": deed.summary_line(), "event": deed.event.neutral,
        "own_events": deed.event.own, "hooks": deed.hooks,
        "did": deed.did, "why": deed.why, "id": deed.call,
        "was": change.map(|change| &change.was), "now": change.map(|change| &change.now),
    })
}
