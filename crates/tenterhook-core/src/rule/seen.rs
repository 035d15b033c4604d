//! What can a rule ask of the event? Everything in neutral words; what the event does not say is empty (RU-11).

use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use serde_json::Value;
use tenterhook_shell::{Doubt, Line, Parsed, SimpleCommand, Target};

use super::RuleInput;
use super::eval::Stop;
use crate::agents::language;
use crate::call::{self, CallFootprint};
use crate::event::meter::{Cut, Meter};
use crate::event::tool::command::Command;
use crate::event::tool::{Tool, ToolCall};

/// Input fields that hold a path, in every dialect's neutral words.
const PATHS: &[&str] = &["file_path", "path", "notebook_path"];
/// Input fields that hold a list of paths.
const PATH_LISTS: &[&str] = &["paths", "file_paths", "files"];
/// Input fields that hold what a file tool writes.
const WRITTEN: &[&str] = &["content", "new_string", "new_source", "edits"];
/// The key of what is written in one of several edits.
const EDITED: &str = "new_string";
/// Redirections that read a file; every other one that has a file writes it.
const READING: &[&str] = &["<"];
/// Redirections whose target is no file.
const NO_FILE: &[&str] = &["<<<", "<<", "<<-", "<&", ">&"];

impl RuleInput {
    pub(super) fn tool(&self) -> Option<ToolCall<'_>> {
        self.event.tool()
    }

    /// The fact or field of the event under that key.
    pub(super) fn fact(&self, key: &str) -> &str {
        let fact = || self.event.within.facts.get(key).and_then(Value::as_str);
        self.event.text(key).or_else(fact).unwrap_or_default()
    }

    /// The facts about the calling agent (BR-14).
    pub(super) fn host(&self, key: &str) -> Option<&Value> {
        self.event.within.facts.get("host")?.get(key)
    }

    /// The same where it is a list.
    pub(super) fn host_words(&self, key: &str) -> impl Iterator<Item = &str> {
        let words = self.host(key).and_then(Value::as_array);
        words.into_iter().flatten().filter_map(Value::as_str)
    }

    fn input(&self, key: &str) -> &str {
        let tool = self.tool();
        tool.and_then(|tool| tool.input.get(key)).and_then(Value::as_str).unwrap_or_default()
    }

    /// The shell line that a shell tool would run.
    pub(super) fn command(&self) -> &str {
        match self.shell_command() {
            Command::Line(line) => line,
            Command::Missing | Command::Unclear(_) => "",
        }
    }

    fn shell_command(&self) -> &Command<'static> {
        self.command.get_or_init(|| match self.tool() {
            Some(call) if call.tool() == Tool::Shell => Command::from_call(call).into_owned(),
            _ => Command::Missing,
        })
    }

    /// A caller checks this before it asks for the command or anything derived from it: an unreadable line has no
    /// value (RU-38).
    pub(super) fn know_command(&self) -> Result<(), Stop> {
        match self.shell_command() {
            Command::Unclear(why) => Err(Stop::Failed((*why).to_owned())),
            Command::Line(_) | Command::Missing => Ok(()),
        }
    }

    /// The first path that the call names.
    pub(super) fn first_path(&self) -> &str {
        self.paths().next().unwrap_or_default()
    }

    /// Every path that the call names.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let input = self.tool().map_or(&Value::Null, |tool| tool.input);
        let one = PATHS.iter().filter_map(|key| input.get(key)?.as_str());
        let lists = PATH_LISTS.iter().filter_map(|key| input.get(key)?.as_array());
        one.chain(lists.flatten().filter_map(Value::as_str))
    }

    /// How many values there are to look at for a path.
    pub(super) fn listed_paths(&self) -> usize {
        let input = self.tool().map_or(&Value::Null, |tool| tool.input);
        let lists = PATH_LISTS.iter().filter_map(|key| input.get(key)?.as_array());
        PATHS.len() + lists.map(Vec::len).sum::<usize>()
    }

    pub(super) fn url(&self) -> &str {
        self.input("url")
    }

    /// The server of an MCP tool.
    pub(super) fn server(&self) -> &str {
        let name = self.tool().map_or("", |tool| tool.name);
        let rest = name.strip_prefix("mcp__").unwrap_or_default();
        rest.split_once("__").map_or(rest, |(server, _)| server)
    }

    /// What the call would put somewhere: what a file tool writes, else every text that a tool other than a shell, a
    /// reader or a searcher is given.
    pub(super) fn text(&self) -> &str {
        self.text.get_or_init(|| self.put())
    }

    fn put(&self) -> String {
        let Some(tool) = self.tool() else { return String::new() };
        match tool.tool() {
            Tool::Shell | Tool::Read | Tool::Search => String::new(),
            Tool::Write | Tool::Edit => {
                joined(WRITTEN.iter().filter_map(|key| tool.input.get(key)), Some(EDITED))
            }
            Tool::Fetch | Tool::Agent | Tool::Mcp | Tool::Other => {
                joined(std::iter::once(tool.input), None)
            }
        }
    }

    /// Every text of what came back.
    pub(super) fn output(&self) -> &str {
        let response = || self.event.payload.get("tool_response").into_iter();
        self.output.get_or_init(|| joined(response(), None))
    }

    /// The line as the readers of its languages see it.
    fn line(&self) -> &Line {
        let unread = || Line::unread(Doubt::TooDeep);
        self.line.get_or_init(|| self.read(&|_| true).unwrap_or_else(unread))
    }

    fn read(&self, spend: &dyn Fn(usize) -> bool) -> Option<Line> {
        let tool = self.tool().map_or("", |call| call.name);
        let languages = language::languages(language::agent(&self.event), tool);
        language::read(languages, self.command(), spend)
    }

    /// Reads the line, once: a caller runs this before it asks for the line (RU-37).
    pub(super) fn read_line(&self, go_on: &dyn Fn() -> bool) -> Result<(), Stop> {
        self.know_command()?;
        if self.line.get().is_some() {
            return Ok(());
        }
        let meter = Meter::new(go_on);
        let read = self.read(&|steps| meter.spend(steps));
        self.spent.fetch_add(meter.spent(), Ordering::Relaxed);
        match (read, meter.cut()) {
            (Some(line), _) => drop(self.line.set(line)),
            (None, Some(Cut::OutOfTime)) => return Err(Stop::OutOfTime),
            // A line that costs too much is unreadable.
            (None, _) => drop(self.line.set(Line::unread(Doubt::TooDeep))),
        }
        Ok(())
    }

    /// Whether the call may concern an agent's guard, by its letters or by links: most do not, and are not read for it (SP-4).
    pub(super) fn may_concern_guard(&self) -> bool {
        *self.concerns_guard.get_or_init(|| match self.shell_command() {
            // An unreadable line has no value (RU-38), which is found out where it is read.
            Command::Unclear(_) => true,
            Command::Line(line) => {
                call::may_concern_guard(&self.event, line, self.files.as_deref())
            }
            Command::Missing => call::may_concern_guard(&self.event, "", self.files.as_deref()),
        })
    }

    /// Works out what the call would do, once. What costs too much costs too much for all rules of the event, and
    /// only the first of them waits for it.
    pub(super) fn work_out(&self, go_on: &dyn Fn() -> bool) -> Result<(), Stop> {
        self.read_line(go_on)?;
        if self.footprint.get().is_none() {
            let line = Some(self.line()).filter(|_| !self.command().is_empty());
            // What other tools are given has no length that counts: it holds lines only now and then.
            let meter = match line {
                Some(_) => Meter::of_text(self.command().len(), go_on),
                None => Meter::new(go_on),
            };
            let (files, concerns) = (self.files.as_deref(), self.may_concern_guard());
            let footprint = call::footprint(&self.event, line, files, concerns, &meter);
            self.spent.fetch_add(meter.spent(), Ordering::Relaxed);
            match footprint {
                Err(Cut::OutOfTime) => return Err(Stop::OutOfTime),
                Err(Cut::TooCostly | Cut::EventTooCostly) => {
                    drop(self.footprint.set(Err(meter.most())));
                }
                Ok(footprint) => drop(self.footprint.set(Ok(footprint))),
            }
        }
        match self.footprint.get() {
            Some(Err(most)) => Err(Stop::TooCostly(format!(
                "to work out what the call would do takes more than {most} steps"
            ))),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// What the call would do, which [`Self::work_out`] has worked out.
    pub(super) fn footprint(&self) -> &CallFootprint {
        static NOTHING: LazyLock<CallFootprint> = LazyLock::new(CallFootprint::default);
        self.footprint.get().and_then(|footprint| footprint.as_ref().ok()).unwrap_or(&NOTHING)
    }

    /// What it cost so far to read the event's line and to work out what its call would do, in steps (RU-37).
    #[must_use]
    pub fn spent(&self) -> usize {
        self.spent.load(Ordering::Relaxed)
    }

    pub(super) fn commands(&self) -> &[SimpleCommand] {
        if self.command().is_empty() {
            return &[];
        }
        &self.line().commands
    }

    /// Why it is not known what the line would run; empty where it is.
    pub(super) fn doubt(&self) -> String {
        if self.command().is_empty() {
            return String::new();
        }
        match &self.line().parsed {
            Parsed::Full => String::new(),
            Parsed::Doubtful(doubt) => doubt.to_string(),
        }
    }

    /// Whether the call is about one thing: what holds of a part of it holds of all of it.
    pub(crate) fn is_one_thing(&self) -> bool {
        let one = |line: &Line| line.parsed == Parsed::Full && line.written().count() == 1;
        self.command().is_empty() || one(self.line())
    }

    pub(super) fn is_complete(&self) -> bool {
        self.command().is_empty() || self.line().parsed == Parsed::Full
    }

    /// Whether no command of the line can be hidden: it was read whole, but for the code that sets up a shell (S-66) and for scripts (S-83).
    pub(super) fn is_whole(&self) -> bool {
        let hides = |parsed: &Parsed| match parsed {
            Parsed::Full => false,
            Parsed::Doubtful(doubt) => doubt.hides_commands(),
        };
        self.command().is_empty() || !hides(&self.line().parsed)
    }

    /// Whether `call.*` lacks nothing that the line would do.
    pub(super) fn is_followed(&self) -> bool {
        self.is_whole() && !self.footprint().is_cut
    }

    /// Why the lists may lack something.
    pub(super) fn incomplete_because(&self) -> String {
        let mut why = self.doubt();
        if why.is_empty() {
            why.push_str("the line holds more than is followed");
        }
        format!("{why}, so there may be more than the rule sees")
    }

    /// Whether the line sets a variable, or hands its name to a command that may.
    pub(super) fn names_variable(&self, name: &str) -> bool {
        let is_name = |text: &str| text.split('=').next() == Some(name);
        let sets = |command: &SimpleCommand| {
            command.assignments.iter().any(|assignment| assignment.name == name)
                || command.words.iter().skip(1).any(|word| is_name(&word.text))
        };
        let loops = self.line().loops.iter().any(|each| each.variable == name);
        loops || self.commands().iter().any(sets)
    }

    /// How many redirections the line has, and commands that may have some.
    pub(super) fn redirects(&self) -> usize {
        self.commands().iter().map(|command| 1 + command.redirects.len()).sum()
    }

    /// The files that redirections read, or write, each once: a command behind a wrapper has its wrapper's, too.
    pub(super) fn redirected(&self, reads: bool) -> Vec<&str> {
        let groups = match self.command() {
            "" => &[][..],
            _ => &self.line().redirects,
        };
        let all = self.commands().iter().flat_map(|command| command.redirects.iter()).chain(groups);
        let files = all.filter_map(|redirect| {
            let op = redirect.operator.as_str();
            let both = op == "<>";
            let wanted = both || READING.contains(&op) == reads;
            match &redirect.target {
                Target::Word(word) if wanted && !NO_FILE.contains(&op) => Some(word.text.as_str()),
                Target::Word(_) | Target::HereDocument { .. } | Target::Closed => None,
            }
        });
        let mut seen = HashSet::new();
        files.filter(|file| seen.insert(*file)).collect()
    }
}

/// Every text in `values`, one after the other, a line each; of objects in a list only the field `only`, where given.
fn joined<'a>(values: impl Iterator<Item = &'a Value>, only: Option<&str>) -> String {
    let mut found = Vec::new();
    for value in values {
        collect(value, only, &mut found);
    }
    found.join("\n")
}

/// Depth is bounded by the reader of the event's JSON.
fn collect<'a>(value: &'a Value, only: Option<&str>, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|value| collect(value, only, found)),
        Value::Object(fields) => {
            let wanted = fields.iter().filter(|(key, _)| only.is_none_or(|only| only == *key));
            wanted.for_each(|(_, value)| collect(value, only, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
