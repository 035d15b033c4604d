//! What is one thing that was said or done? Every text in it is fit to be shown.

use serde_json::Value;

use super::shown;
use crate::conversation::{Call, ToolResult};

/// How many lines of a tool's output are shown.
const OUTPUT: usize = 8;

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    User(String),
    Model(String),
    Thought(String),
    Rewrite(String),
    Tool { id: String, title: String, state: State },
    Warn(String),
    Notice(String),
    Refused(String),
    Page { title: String, text: String },
}

/// How far a tool is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    /// The model asks for it; hooks, rules or the person judge it.
    Held,
    Running,
    Done {
        text: String,
        more: usize,
    },
    Failed {
        text: String,
        more: usize,
    },
}

impl Block {
    /// Whether it is that call, and not begun.
    pub(super) fn is_held(&self, call: &str) -> bool {
        matches!(self, Self::Tool { id, state: State::Held, .. } if id == call)
    }

    /// A call of a tool that is so far.
    pub(super) fn tool(call: &Call, state: State) -> Self {
        let title = format!("{} {}", shown::spelled(&call.tool, shown::NAME), subject(&call.input));
        Self::Tool { id: call.id.clone(), title: title.trim_end().to_owned(), state }
    }
}

impl State {
    /// Whether it has not ended.
    pub(super) const fn is_open(&self) -> bool {
        matches!(self, Self::Held | Self::Running)
    }

    /// What came of a tool.
    pub(super) fn of(result: &ToolResult) -> Self {
        let (text, more) = shown::head(&result.text, OUTPUT);
        match result.is_error {
            true => Self::Failed { text, more },
            false => Self::Done { text, more },
        }
    }
}

/// Which arguments say what a call is about; without them, its first text does.
const SUBJECTS: &[&str] = &["command", "file_path", "pattern", "description"];

/// What a call is about, on one line.
fn subject(input: &Value) -> String {
    let named = SUBJECTS.iter().find_map(|name| input.get(name)?.as_str());
    let mut texts = input.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
    let text = named.or_else(|| texts.next()).unwrap_or_default();
    let more = if text.trim_end().contains('\n') { " …" } else { "" };
    let first = shown::spelled(text.lines().next().unwrap_or_default(), shown::NAME);
    format!("{}{more}", shown::line(&first))
}
