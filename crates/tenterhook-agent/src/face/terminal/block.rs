//! One block of the conversation. Every text in it is safe to show.

use std::cell::RefCell;

use ratatui::text::Line;
use serde_json::Value;
use tokio::time::Instant;

use super::did::Did;
use super::style::{PLAIN, marked_lines_reversed};
use super::{markdown, shown};
use crate::conversation::{Call, ToolResult};
use crate::update::Hold;

/// One block, and the depth of its subagent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) depth: usize,
    pub(super) block: Block,
}

/// The content of one block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    User(String),
    Model(ModelText),
    Thought(String),
    Rewrite { by: String, text: String },
    Tool(Tool),
    Did(Did),
    Warn(String),
    Notice(String),
    Refused(String),
    Page { title: String, text: String },
}

/// What the model said, and how it was drawn last: a long text is not read anew for each frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ModelText {
    pub(super) text: String,
    /// Whether it is complete.
    pub(super) whole: bool,
    drawn: RefCell<Option<Drawn>>,
}

/// The lines of a text of that length in that width.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    length: usize,
    width: usize,
    lines: Vec<Line<'static>>,
}

/// How long a text may be that is drawn as Markdown while it still grows.
const GROWING: usize = 20_000;

impl ModelText {
    /// Creates the block of a text that is complete.
    pub(super) fn from_complete(text: String) -> Self {
        Self { text, whole: true, ..Self::default() }
    }

    /// Adds the last lines of the text, from the last upwards, until there are `wanted` lines.
    pub(super) fn push_last_lines(
        &self,
        width: usize,
        wanted: usize,
        lines: &mut Vec<Line<'static>>,
    ) {
        let room = wanted.saturating_sub(lines.len());
        if !self.whole && self.text.len() > GROWING {
            lines.extend(marked_lines_reversed("", &self.text, width, PLAIN).take(room));
            return;
        }
        let mut drawn = self.drawn.borrow_mut();
        let length = self.text.len();
        let drawn = match drawn.take_if(|d| (d.length, d.width) == (length, width)) {
            Some(same) => drawn.insert(same),
            None => drawn.insert(Drawn {
                length,
                width,
                lines: markdown::render_markdown(&self.text, width),
            }),
        };
        lines.extend(drawn.lines.iter().rev().take(room).cloned());
    }
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) state: State,
    /// Since when it is in that state.
    pub(super) since: Instant,
    /// The hooks that delay it, and since when.
    pub(super) holds: Vec<(Holder, Instant)>,
    /// What hooks did to it.
    pub(super) deeds: Vec<Did>,
}

/// The hooks that delay a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Holder {
    Hooks(Hold),
    Person,
}

/// How far a tool is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    /// The model asks for it; hooks, rules or the person judge it.
    Delayed,
    Running,
    /// It ended, and what it did stands below it.
    Steps,
    Done(Output),
    Failed(Output),
}

/// What came of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Output {
    pub(super) text: String,
    /// How many lines there were.
    pub(super) lines: usize,
}

impl Block {
    /// Returns the tool block if it shows this call and the call has not ended.
    pub(super) fn unfinished_call_mut(&mut self, call: &str) -> Option<&mut Tool> {
        match self {
            Self::Tool(tool) if tool.id == call && tool.state.is_unfinished() => Some(tool),
            _ => None,
        }
    }
}

impl Tool {
    /// Creates the block of a call that has been in this state since `since`.
    pub(super) fn new(call: &Call, state: State, since: Instant) -> Self {
        let (holds, deeds) = (Vec::new(), Vec::new());
        Self { id: call.id.clone(), title: call_title(call), state, since, holds, deeds }
    }

    /// Updates the block with the call as hooks left it, and with its new state.
    pub(super) fn update_call(&mut self, call: &Call, state: State, now: Instant) {
        self.title = call_title(call);
        (self.state, self.since) = (state, now);
        self.holds.clear();
    }

    /// Removes a holder that no longer delays the call.
    pub(super) fn remove_holder(&mut self, holder: &Holder) {
        self.holds.retain(|(other, _)| other != holder);
    }
}

impl State {
    /// Returns whether the call has not ended.
    pub(super) const fn is_unfinished(&self) -> bool {
        matches!(self, Self::Delayed | Self::Running)
    }

    /// Returns the state that the result of a tool call leads to.
    pub(super) fn from_result(result: &ToolResult) -> Self {
        let raw = result.text.trim_end();
        let output =
            Output { text: shown::safe_text(raw, shown::OPENED), lines: raw.split('\n').count() };
        if result.is_error { Self::Failed(output) } else { Self::Done(output) }
    }
}

fn call_title(call: &Call) -> String {
    let title = format!(
        "{} {}",
        shown::escape_invisible(&call.tool, shown::NAME),
        input_subject(&call.input)
    );
    title.trim_end().to_owned()
}

/// Which arguments say what a call is about; without them, its first text does.
const SUBJECTS: &[&str] = &["command", "file_path", "pattern", "description", "stdout"];

/// Returns the subject of a call or a text on one line.
pub(super) fn input_subject(input: &Value) -> String {
    let named = SUBJECTS.iter().find_map(|name| input.get(name)?.as_str());
    let mut texts = input.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
    let text = input.as_str().or(named).or_else(|| texts.next()).unwrap_or_default();
    let more = if text.trim_end().contains('\n') { " …" } else { "" };
    let first = shown::escape_invisible(text.lines().next().unwrap_or_default(), shown::NAME);
    format!("{}{more}", shown::single_line(&first))
}
