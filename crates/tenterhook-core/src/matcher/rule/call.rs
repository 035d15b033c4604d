//! What do rules see of one tool call?

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use serde_json::Value;
use tenterhook_shell::{Doubt, Language, Line};

use super::file::PathAnchors;
use crate::agents::language::{self, shell_languages};
use crate::event::Event;
use crate::event::meter::{Account, Cut, Meter};
use crate::event::tool::command::Command;
use crate::event::tool::{Tool, ToolCall};
use crate::rule::{RuleInput, SharedLine};

/// A line of which nothing is known, because there was no time to read it.
static UNREAD: LazyLock<Line> = LazyLock::new(|| Line::unknown(Doubt::TooDeep));

/// One tool call as rules see it; its command line is read once, at the first rule that asks.
pub struct Call<'a> {
    pub(super) tool: ToolCall<'a>,
    pub(super) places: PathAnchors<'a>,
    aliases: &'a [(&'a str, &'a str)],
    /// The languages that its line may be written in.
    languages: &'static [Language],
    line: SharedLine,
    account: Arc<Account>,
    go_on: &'a dyn Fn() -> bool,
}

impl<'a> Call<'a> {
    /// Creates a call at these path anchors; `aliases` are pairs of an old tool name and its
    /// current name.
    #[must_use]
    pub fn new(
        tool: ToolCall<'a>,
        places: PathAnchors<'a>,
        aliases: &'a [(&'a str, &'a str)],
    ) -> Self {
        let (line, account) = (SharedLine::default(), Arc::default());
        let languages = shell_languages("", tool.name);
        Self { tool, places, aliases, languages, line, account, go_on: &|| true }
    }

    /// Creates the call of an event that is a tool call, without path anchors.
    pub(crate) fn from_event(
        event: &'a Event,
        rule_input: &RuleInput,
        go_on: &'a dyn Fn() -> bool,
    ) -> Option<Self> {
        let call = Self::new(event.tool()?, PathAnchors::default(), &[]);
        // Expressions read no line of a tool that is no shell.
        let is_shared = call.tool.tool() == Tool::Shell;
        let languages = shell_languages(language::agent_name(event), call.tool.name);
        let line = if is_shared { Arc::clone(rule_input.shared_parsed_line()) } else { call.line };
        Some(Self {
            line,
            languages,
            account: Arc::clone(rule_input.step_account()),
            go_on,
            ..call
        })
    }

    /// Returns the same call with the path anchors and aliases of another rule. Both share the
    /// parsed line.
    #[must_use]
    pub fn with_anchors_and_aliases<'b>(
        &'b self,
        places: PathAnchors<'b>,
        aliases: &'b [(&'b str, &'b str)],
    ) -> Call<'b> {
        let (line, account) = (Arc::clone(&self.line), Arc::clone(&self.account));
        let Self { tool, languages, go_on, .. } = *self;
        Call { tool, places, aliases, languages, line, account, go_on }
    }

    /// Parses the command line, once; `None` if the input has none.
    pub fn parsed_line(&self) -> Option<&Line> {
        if let Some(line) = self.line.get() {
            return Some(line);
        }
        let meter = Meter::new(self.go_on);
        let read = match self.command_text() {
            Some(text) => language::read_line_in_languages(self.languages, &text, &|steps| {
                meter.spend_steps(steps)
            }),
            None => return None,
        };
        match (read, meter.why_cut()) {
            (Some(line), _) => Some(self.line.get_or_init(|| line)),
            // A later caller may have more time.
            (None, Some(Cut::OutOfTime)) => Some(&UNREAD),
            (None, _) => Some(self.line.get_or_init(|| Line::unknown(Doubt::TooDeep))),
        }
    }

    /// Creates a meter that limits the steps of one rule.
    pub(super) fn new_meter(&self) -> Meter<'_> {
        Meter::new_with_shared_account(&self.account, self.go_on)
    }

    /// Returns the command line as text, whatever the tool's name; `None` if the input has no
    /// readable one.
    pub(super) fn command_text(&self) -> Option<Cow<'a, str>> {
        match Command::from_call(self.tool) {
            Command::Line(line) => Some(line),
            Command::Missing | Command::Unclear(_) => None,
        }
    }

    /// Returns the first of these input fields that is a string.
    pub(super) fn first_text_field(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.tool.input.get(key).and_then(Value::as_str))
    }

    pub(super) fn canonical_tool_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
    }
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("tool", &self.tool).field("places", &self.places).finish()
    }
}
