//! Writes a whole file for the model.

use serde_json::json;

use super::{Effect, Output, Running, Tool, Workplace, failed_output, text_argument};
use crate::conversation::Call;
use crate::file;
use crate::model::ToolSpec;

pub(super) struct Write;

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Write".into(),
            about: "Writes a file, whole; what was there is replaced.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "The file."},
                    "content": {"type": "string", "description": "Everything that it holds."}
                },
                "required": ["file_path", "content"],
                "additionalProperties": false
            }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Writes
    }

    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a> {
        Box::pin(async move { write_file(call, place).await })
    }
}

async fn write_file(call: &Call, place: &Workplace) -> Output {
    let (Some(name), Some(content)) =
        (text_argument(call, "file_path"), text_argument(call, "content"))
    else {
        return failed_output("`file_path` or `content` is missing");
    };
    let judged = match place.judged_target() {
        Ok(judged) => judged,
        Err(why) => return failed_output(format!("`{name}` cannot be written: {why}")),
    };
    match file::write(judged, content.to_owned()).await {
        Ok(()) => {
            let text = format!("wrote {} bytes to `{name}`", content.len());
            let response = json!({"filePath": name, "success": true, "text": text});
            Output::Done { text, response }
        }
        Err(error) => failed_output(format!("`{name}` cannot be written: {error}")),
    }
}
