//! What do rules see of one tool call?

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tenterhook_shell::{self as shell, Line};

use super::file::Places;
use crate::event::tool::ToolCall;
use crate::event::tool::command::Command;

/// One tool call as rules see it; its command line is read once, at the first rule that asks.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) tool: ToolCall<'a>,
    pub(super) places: Places<'a>,
    aliases: &'a [(&'a str, &'a str)],
    line: Arc<OnceLock<Option<Line>>>,
}

impl<'a> Call<'a> {
    /// A call that is made at these places; `aliases` are pairs of an old tool name and the present one.
    #[must_use]
    pub fn new(tool: ToolCall<'a>, places: Places<'a>, aliases: &'a [(&'a str, &'a str)]) -> Self {
        Self { tool, places, aliases, line: Arc::new(OnceLock::new()) }
    }

    /// The same call as another rule sees it; the line that was read for one is read for both.
    #[must_use]
    pub fn placed<'b>(&'b self, places: Places<'b>, aliases: &'b [(&'b str, &'b str)]) -> Call<'b> {
        Call { tool: self.tool, places, aliases, line: Arc::clone(&self.line) }
    }

    /// The command line, read; `None` where the input holds none.
    pub fn line(&self) -> Option<&Line> {
        self.line.get_or_init(|| self.command().map(|text| shell::read(&text))).as_ref()
    }

    /// The command line as text, whatever the tool's name; `None` where the input holds none that can be read.
    pub(super) fn command(&self) -> Option<Cow<'a, str>> {
        match Command::of(self.tool) {
            Command::Line(line) => Some(line),
            Command::Missing | Command::Unclear => None,
        }
    }

    /// The first of these fields that is a text.
    pub(super) fn field(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.tool.input.get(key).and_then(Value::as_str))
    }

    pub(super) fn canonical<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
    }
}
