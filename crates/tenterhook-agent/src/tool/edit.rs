//! Replaces a text in a file for the model: one that stands there once, or all of them where it says so.

use serde_json::{Value, json};

use super::error::ToolError;
use super::{Effect, Output, Running, Tool, Workplace, failed_output, text_argument};
use crate::conversation::Call;
use crate::file;
use crate::model::ToolSpec;

pub(super) struct Edit;

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Edit".into(),
            about: "Replaces a text in a file. The text must stand there exactly once, unless `replace_all` is true.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "The file."},
                    "old_string": {"type": "string", "description": "The text to replace, exactly."},
                    "new_string": {"type": "string", "description": "What comes in its place."},
                    "replace_all": {"type": "boolean", "description": "Replace every one."}
                },
                "required": ["file_path", "old_string", "new_string"],
                "additionalProperties": false
            }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Writes
    }

    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a> {
        Box::pin(async move {
            edit_file(call, place).await.unwrap_or_else(|why| failed_output(why.to_string()))
        })
    }
}

async fn edit_file(call: &Call, place: &Workplace) -> Result<Output, ToolError> {
    let name = text_argument(call, "file_path").ok_or(ToolError::Missing("file_path"))?;
    let old = text_argument(call, "old_string").filter(|old| !old.is_empty());
    let old = old.ok_or(ToolError::Empty("old_string"))?;
    let new = text_argument(call, "new_string").ok_or(ToolError::Missing("new_string"))?;
    let all = call.input.get("replace_all").and_then(Value::as_bool) == Some(true);
    let judged =
        place.judged_target().map_err(|_| ToolError::CircleAt { name: name.to_owned() })?;
    let before = file::read_judged_file(judged.clone()).await;
    let before = before.map_err(|source| ToolError::Unread { name: name.to_owned(), source })?;
    // A file that is no text is not changed: to write it back would destroy it.
    let before = String::from_utf8(before).map_err(|_| ToolError::NoText(name.to_owned()))?;
    let count = before.matches(old).count();
    match count {
        0 => return Err(ToolError::NotFound(name.to_owned())),
        1 => {}
        _ if all => {}
        _ => return Err(ToolError::Ambiguous { name: name.to_owned(), count }),
    }
    let after = before.replace(old, new);
    let written = file::write(judged, after).await;
    written.map_err(|source| ToolError::Unwritten { name: name.to_owned(), source })?;
    let text = format!("replaced {count} in `{name}`");
    let response = json!({
        "filePath": name, "oldString": old, "newString": new, "replaceAll": all, "text": text,
    });
    Ok(Output::Done { text, response })
}
