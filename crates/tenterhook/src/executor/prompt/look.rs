//! The two tools with which an agent hook reads the project: bounded, and never outside the
//! project.
//!
//! Every refusal is reported to the model as text, because the model can try a different call.
//! Nothing is written, no program runs, and no link is followed out of the project.

mod project_path;
mod refusal;
mod search;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::super::model::{Tool, ToolCall, ToolResult};
use refusal::Refusal;

/// How many bytes of a file are shown at once: a long source file, and a small part of a model's
/// context.
const SHOWN: usize = 64 << 10;

/// How many calls of one reply are made; further ones are refused.
const AT_ONCE: usize = 8;

/// Whether the caller has gone; a search ends then.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(Arc<AtomicBool>);

impl Given {
    /// Whether the caller is gone, so that a search should end.
    pub(super) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels the work when it is dropped.
struct GiveUp(Given);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Describes the tools for a model.
pub(super) fn project_tool_descriptions() -> Vec<Tool> {
    vec![
        Tool {
            name: "read".to_owned(),
            about: format!(
                "Reads a text file of the project, at most {} KiB at once. Paths count from the project's root.",
                SHOWN >> 10
            ),
            input: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "the file" },
                    "line": { "type": "integer", "description": "the first line to show; 1 without it" },
                },
                "required": ["path"],
            }),
        },
        Tool {
            name: "search".to_owned(),
            about: "Finds files of the project, or lines in them. Give `glob` to find files by name, `pattern` to find \
                    lines, or both."
                .to_owned(),
            input: json!({
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "description": "a regular expression that lines match" },
                    "glob": { "type": "string", "description": "which files, such as `src/**/*.rs`" },
                    "path": { "type": "string", "description": "the directory to begin in; the project's root without it" },
                },
            }),
        },
    ]
}

/// Makes the calls of one reply, in order. Dropping the future ends a running search.
pub(super) async fn run_tool_calls(project: &Path, calls: &[ToolCall]) -> Vec<ToolResult> {
    let given = Given::default();
    let guard = GiveUp(given.clone());
    let project = project.to_owned();
    let wanted = calls.to_vec();
    // Files may be slow, and a search takes time: neither may block the host's other work.
    let made = tokio::task::spawn_blocking(move || {
        let make =
            |(at, c): (usize, &ToolCall)| tool_result(c, run_tool_call(&project, c, at, &given));
        wanted.iter().enumerate().map(make).collect::<Vec<_>>()
    });
    let made = made.await;
    drop(guard);
    made.unwrap_or_else(|_| {
        calls.iter().map(|call| tool_result(call, Err(Refusal::Failed))).collect()
    })
}

fn tool_result(call: &ToolCall, said: Result<String, Refusal>) -> ToolResult {
    let text = said.unwrap_or_else(|why| format!("refused: {why}"));
    ToolResult { id: call.id.clone(), name: call.name.clone(), text }
}

/// Makes one tool call. A refusal is returned as text for the model.
fn run_tool_call(
    project: &Path,
    call: &ToolCall,
    at: usize,
    given: &Given,
) -> Result<String, Refusal> {
    if at >= AT_ONCE {
        return Err(Refusal::TooMany(AT_ONCE));
    }
    let root = project_path::project_root(project)?;
    match call.name.as_str() {
        "read" => read_file_from_line(&root, &call.input),
        "search" => search::search_project(&root, &call.input, given),
        other => Err(Refusal::UnknownTool(other.to_owned())),
    }
}

/// Reads a file of the project from a line on, for the model.
fn read_file_from_line(root: &Path, input: &Value) -> Result<String, Refusal> {
    let wrong = |field, wanted| Refusal::WrongField { field, wanted };
    let path = input.get("path").and_then(Value::as_str).ok_or(wrong("path", "a string"))?;
    let line = match input.get("line").filter(|line| !line.is_null()) {
        None => 1,
        Some(line) => line.as_u64().ok_or(wrong("line", "a whole number"))?.max(1),
    };
    let file: PathBuf = project_path::resolve_if_in_project(root, path)?;
    let text = project_path::read_text(&file, path)?;
    let from: usize = usize::try_from(line - 1).unwrap_or(usize::MAX);
    let rest: String = text.split_inclusive('\n').skip(from).collect();
    if rest.is_empty() && line > 1 {
        return Err(Refusal::Short { path: path.to_owned(), line });
    }
    let shown = truncate_at_line(&rest, SHOWN);
    if shown.len() == rest.len() {
        return Ok(rest);
    }
    let next = line + u64::try_from(shown.lines().count()).unwrap_or(0);
    Ok(format!("{shown}\n[more follows; read again with `line`: {next}]"))
}

/// Returns the start of `text`, at most `most` bytes long, cut between two lines if possible,
/// otherwise between two characters.
fn truncate_at_line(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = text.get(..end).unwrap_or_default();
    start.rfind('\n').and_then(|at| start.get(..=at)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
