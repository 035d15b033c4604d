//! Reads a file for the model.

use serde_json::json;

use super::{Effect, Output, Running, Tool, Workplace, failed_output, text_argument};
use crate::conversation::Call;
use crate::file;
use crate::model::ToolSpec;

/// How many lines one call gives.
const LINES: usize = 2000;

pub(super) struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Read".into(),
            about: "Reads a text file. Long files are read in parts with `offset` and `limit`, in lines.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "The file."},
                    "offset": {"type": "integer", "minimum": 1, "description": "The first line."},
                    "limit": {"type": "integer", "minimum": 1, "description": "How many lines."}
                },
                "required": ["file_path"],
                "additionalProperties": false
            }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Looks
    }

    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a> {
        Box::pin(async move { read_file(call, place).await })
    }
}

async fn read_file(call: &Call, place: &Workplace) -> Output {
    let Some(name) = text_argument(call, "file_path") else {
        return failed_output("`file_path` is missing");
    };
    let judged = match place.judged_target() {
        Ok(judged) => judged,
        Err(why) => return failed_output(format!("`{name}` cannot be read: {why}")),
    };
    let bytes = match file::read_judged_file(judged).await {
        Ok(bytes) => bytes,
        Err(error) => return failed_output(format!("`{name}` cannot be read: {error}")),
    };
    // Invalid UTF-8 is shown with the replacement character: a file is read, whatever is in it.
    let content = String::from_utf8_lossy(&bytes);
    let number = |key: &str| {
        call.input
            .get(key)
            .and_then(serde_json::Value::as_u64)
            .and_then(|value| usize::try_from(value).ok())
    };
    let (from, limit) = (number("offset").unwrap_or(1).max(1), number("limit").unwrap_or(LINES));
    let lines: Vec<String> = content
        .lines()
        .enumerate()
        .skip(from - 1)
        .take(limit.min(LINES))
        .map(|(at, line)| format!("{:>6}\t{line}", at + 1))
        .collect();
    let shown = lines.join("\n");
    Output::Done {
        response: json!({"file_path": name, "content": content, "lines": lines.len()}),
        text: if shown.is_empty() { "(the file is empty)".to_owned() } else { shown },
    }
}
