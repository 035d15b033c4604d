//! One block of the conversation. Every text in it is safe to show.

use std::cell::RefCell;

use ratatui::text::Line;
use serde_json::Value;
use tokio::time::Instant;

use super::did::Did;
use super::style::{PLAIN, marked};
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
    /// A text that is complete.
    pub(super) fn whole(text: String) -> Self {
        Self { text, whole: true, ..Self::default() }
    }

    /// Adds its last lines, from the last upwards, until there are so many.
    pub(super) fn lines(&self, width: usize, wanted: usize, lines: &mut Vec<Line<'static>>) {
        let room = wanted.saturating_sub(lines.len());
        if !self.whole && self.text.len() > GROWING {
            lines.extend(marked("", &self.text, width, PLAIN).take(room));
            return;
        }
        let mut drawn = self.drawn.borrow_mut();
        let length = self.text.len();
        let drawn = match drawn.take_if(|d| (d.length, d.width) == (length, width)) {
            Some(same) => drawn.insert(same),
            None => {
                drawn.insert(Drawn { length, width, lines: markdown::lines(&self.text, width) })
            }
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
    /// Whether it is that call, and has not ended.
    pub(super) fn open_call(&mut self, call: &str) -> Option<&mut Tool> {
        match self {
            Self::Tool(tool) if tool.id == call && tool.state.is_open() => Some(tool),
            _ => None,
        }
    }
}

impl Tool {
    /// A call that is so far since now.
    pub(super) fn new(call: &Call, state: State, since: Instant) -> Self {
        let (holds, deeds) = (Vec::new(), Vec::new());
        Self { id: call.id.clone(), title: title(call), state, since, holds, deeds }
    }

    /// It is further on, as hooks have left it.
    pub(super) fn goes_on(&mut self, call: &Call, state: State, now: Instant) {
        self.title = title(call);
        (self.state, self.since) = (state, now);
        self.holds.clear();
    }

    /// These hooks no longer delay it.
    pub(super) fn release(&mut self, holder: &Holder) {
        self.holds.retain(|(other, _)| other != holder);
    }
}

impl State {
    /// Whether it has not ended.
    pub(super) const fn is_open(&self) -> bool {
        matches!(self, Self::Delayed | Self::Running)
    }

    /// What came of a tool.
    pub(super) fn from_result(result: &ToolResult) -> Self {
        let raw = result.text.trim_end();
        let output =
            Output { text: shown::text(raw, shown::OPENED), lines: raw.split('\n').count() };
        if result.is_error { Self::Failed(output) } else { Self::Done(output) }
    }
}

fn title(call: &Call) -> String {
    let title = format!("{} {}", shown::spelled(&call.tool, shown::NAME), subject(&call.input));
    title.trim_end().to_owned()
}

/// Which arguments say what a call is about; without them, its first text does.
const SUBJECTS: &[&str] = &["command", "file_path", "pattern", "description", "stdout"];

/// What a call, or a text, is about, on one line.
pub(super) fn subject(input: &Value) -> String {
    let named = SUBJECTS.iter().find_map(|name| input.get(name)?.as_str());
    let mut texts = input.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
    let text = input.as_str().or(named).or_else(|| texts.next()).unwrap_or_default();
    let more = if text.trim_end().contains('\n') { " …" } else { "" };
    let first = shown::spelled(text.lines().next().unwrap_or_default(), shown::NAME);
    format!("{}{more}", shown::line(&first))
}
