//! One prompt, one answer, no terminal: for scripts and for continuous integration.

use std::io::{self, Write};

use serde_json::json;
use tokio::sync::mpsc;

use crate::update::{Input, Update};

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The last words of the model.
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON object for each thing that happens.
    StreamJson,
}

/// How it went.
#[derive(Clone, Debug, Default)]
struct Result {
    text: String,
    error: Option<String>,
    refused: bool,
    session: String,
}

/// Sends the prompts, one after the other, and prints what comes of them; the exit code.
pub(crate) async fn run(
    prompts: Vec<String>,
    format: Format,
    inputs: mpsc::UnboundedSender<Input>,
    mut updates: mpsc::UnboundedReceiver<Update>,
) -> io::Result<u8> {
    let mut result = Result::default();
    let mut left = prompts.into_iter();
    let mut next = |inputs: &mpsc::UnboundedSender<Input>| {
        let input = left.next().map_or(Input::Quit("other"), Input::Prompt);
        let _ = inputs.send(input);
    };
    next(&inputs);
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    while let Some(update) = updates.recv().await {
        if format == Format::StreamJson
            && let Some(line) = line(&update)
        {
            writeln!(out, "{line}")?;
        }
        match update {
            Update::Session { id, .. } => result.session = id,
            Update::Reply { text, shown } => result.text = shown.unwrap_or(text),
            Update::Refused { reason, .. } => {
                result.refused = true;
                result.error = Some(reason);
                next(&inputs);
            }
            Update::TurnEnded { error } => result.error = error,
            Update::Loading(false) => next(&inputs),
            Update::Warn { event, reason } if format == Format::Text => {
                writeln!(err, "[warn] {event}: {reason}")?;
            }
            Update::Notice(text) if format == Format::Text => writeln!(err, "{text}")?,
            Update::Ended => break,
            _ => {}
        }
    }
    match format {
        Format::Text => {
            if let Some(error) = &result.error {
                writeln!(err, "error: {error}")?;
            } else {
                writeln!(out, "{}", result.text)?;
            }
        }
        Format::Json => {
            let value = json!({
                "session_id": result.session,
                "result": result.text,
                "error": result.error,
                "blocked": result.refused,
            });
            writeln!(out, "{value}")?;
        }
        Format::StreamJson => {}
    }
    Ok(if result.error.is_some() { 1 } else { 0 })
}

/// An update as one line of JSON; what only a screen needs is left out.
fn line(update: &Update) -> Option<serde_json::Value> {
    Some(match update {
        Update::Session { id, model, cwd } => {
            json!({"type": "session", "session_id": id, "model": model, "cwd": cwd})
        }
        Update::Prompt { text } => json!({"type": "prompt", "text": text}),
        Update::Refused { text, reason } => {
            json!({"type": "refused", "text": text, "reason": reason})
        }
        Update::Text(text) => json!({"type": "text", "text": text}),
        Update::Reasoning(text) => json!({"type": "reasoning", "text": text}),
        Update::Reply { text, shown } => json!({"type": "reply", "text": text, "shown": shown}),
        Update::ToolStarted(call) => {
            json!({"type": "tool", "id": call.id, "tool": call.tool, "input": call.input})
        }
        Update::ToolEnded { call, result } => json!({
            "type": "tool_result", "id": call.id, "tool": call.tool,
            "text": result.text, "is_error": result.is_error,
        }),
        Update::Warn { event, reason } => {
            json!({"type": "warn", "event": event, "reason": reason})
        }
        Update::Notice(text) => json!({"type": "notice", "text": text}),
        Update::Hooks(trace) => json!({
            "type": "hooks", "event": trace.event, "came": trace.came,
            "hooks": trace.steps.iter().map(|step| json!({
                "hook": step.hook, "ended": step.ended, "took_ms": step.took_ms,
                "verdict": step.verdict,
            })).collect::<Vec<_>>(),
        }),
        Update::TurnEnded { error } => json!({"type": "turn_ended", "error": error}),
        Update::Page { title, text } => json!({"type": "page", "title": title, "text": text}),
        Update::Ended => json!({"type": "ended"}),
        Update::Queued(_)
        | Update::Loading(_)
        | Update::Ask(_)
        | Update::AskVoid { .. }
        | Update::Status(_) => return None,
    })
}
