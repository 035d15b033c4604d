//! What can a rule ask of the event? Everything in neutral words; what the event does not say is empty (RU-11).

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use serde_json::Value;
use tenterhook_shell::{Doubt, Line, Parsed, SimpleCommand, Target};

use super::eval::Stop;
use super::history::{
    self, CallEnd, HistoryLines, LazyHistory, PastCall, PastCalls, PastWrites, SessionHistory,
    UnusableHistory,
};
use super::path;
use super::{CallQuestions, RuleInput};
use crate::agents::language;
use crate::call::{self, CallFootprint};
use crate::event::meter::{Cut, Meter};
use crate::event::tool::command::Command;
use crate::event::tool::encoded::decoded_input;
use crate::event::tool::{Tool, ToolCall};

/// Input fields that hold a path, in every dialect's neutral words.
const PATHS: &[&str] = &["file_path", "path", "notebook_path"];
/// Input fields that hold a list of paths.
const PATH_LISTS: &[&str] = &["paths", "file_paths", "files"];
/// Fields of the parts of a call, such as edits of several files, that hold a path in agents' words.
const PART_PATHS: &[&str] = &["file_path", "filePath", "path"];
/// Input fields that hold what a file tool writes, in small letters without dashes, underscores and
/// a number at the end: agents rename those of a whole call, and those of its parts keep their names.
const WRITTEN: &[&str] = &[
    "codeedit",
    "content",
    "contents",
    "filecontent",
    "filetext",
    "newsource",
    "newstr",
    "newstring",
    "newtext",
    "replacement",
    "replacementcontent",
];
/// Redirections that read a file; every other one that has a file writes it.
const READING: &[&str] = &["<"];
/// Redirections whose target is no file.
const NO_FILE: &[&str] = &["<<<", "<<", "<<-", "<&", ">&"];

impl RuleInput {
    pub(super) fn tool_call(&self) -> Option<ToolCall<'_>> {
        self.event.tool()
    }

    /// Returns the field of the payload, or else the fact about the event, under that key.
    pub(super) fn payload_field_or_fact(&self, key: &str) -> &str {
        let fact = || self.event.within.facts.get(key).and_then(Value::as_str);
        self.event.text(key).or_else(fact).unwrap_or_default()
    }

    /// Returns a fact about the calling agent (BR-14).
    pub(super) fn fact_about_calling_agent(&self, key: &str) -> Option<&Value> {
        self.event.within.facts.get("host")?.get(key)
    }

    /// Returns the strings of a fact about the calling agent that is a list.
    pub(super) fn fact_list_about_calling_agent(&self, key: &str) -> impl Iterator<Item = &str> {
        let words = self.fact_about_calling_agent(key).and_then(Value::as_array);
        words.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns a number about the session's tokens (UG-1).
    pub(super) fn usage_number(&self, name: &str) -> Option<&Value> {
        self.event.within.facts.get("usage")?.get(name).filter(|value| value.is_number())
    }

    /// Returns the shell line that a shell tool would run.
    pub(super) fn shell_line(&self) -> &str {
        match self.shell_command() {
            Command::Line(line) => line,
            Command::Missing | Command::Unclear(_) => "",
        }
    }

    fn shell_command(&self) -> &Command<'static> {
        self.command.get_or_init(|| match self.tool_call() {
            Some(call) if call.tool() == Tool::Shell => Command::from_call(call).into_owned(),
            _ => Command::Missing,
        })
    }

    /// Fails if the shell line is unreadable, because it then has no value (RU-38). Callers check
    /// this before they read the command.
    pub(super) fn check_command_is_readable(&self) -> Result<(), Stop> {
        match self.shell_command() {
            Command::Unclear(why) => Err(Stop::Failed((*why).to_owned())),
            Command::Line(_) | Command::Missing => Ok(()),
        }
    }

    /// Returns the first path that the call names.
    pub(super) fn first_path_of_call(&self) -> &str {
        self.paths_named_by_call().next().unwrap_or_default()
    }

    /// Returns every path that the call names.
    pub(super) fn paths_named_by_call(&self) -> impl Iterator<Item = &str> {
        let input = self.tool_call().map_or(&Value::Null, |tool| tool.input);
        let one = PATHS.iter().filter_map(|key| input.get(key)?.as_str());
        let lists = PATH_LISTS.iter().filter_map(|key| input.get(key)?.as_array());
        let parts = lists_in_object(input).flatten().filter_map(Value::as_object);
        let in_parts = parts.flat_map(|part| PART_PATHS.iter().filter_map(|key| part.get(*key)));
        one.chain(lists.flatten().chain(in_parts).filter_map(Value::as_str))
    }

    /// Counts the input values that may be paths.
    pub(super) fn count_path_candidates(&self) -> usize {
        let input = self.tool_call().map_or(&Value::Null, |tool| tool.input);
        PATHS.len() + PART_PATHS.len() * lists_in_object(input).map(Vec::len).sum::<usize>()
    }

    /// Returns the address of a fetch; several, one per line.
    pub(super) fn url_of_call(&self) -> String {
        let input = self.tool_call().map_or(&Value::Null, |tool| tool.input);
        join_texts(["url", "urls"].iter().filter_map(|key| input.get(key)))
    }

    /// Returns the server of an MCP tool.
    pub(super) fn mcp_server_name(&self) -> &str {
        let name = self.tool_call().map_or("", |tool| tool.name);
        let rest = name.strip_prefix("mcp__").unwrap_or_default();
        rest.split_once("__").map_or(rest, |(server, _)| server)
    }

    /// Returns the text that the call would write: what a file tool writes, otherwise every text in
    /// the input of a tool that is no shell, reader or searcher.
    pub(super) fn text_call_would_write(&self) -> &str {
        self.text.get_or_init(|| self.collect_written_text())
    }

    fn collect_written_text(&self) -> String {
        let Some(tool) = self.tool_call() else { return String::new() };
        match tool.tool() {
            Tool::Shell | Tool::Read | Tool::Search => String::new(),
            Tool::Write | Tool::Edit => join_written_texts(tool.input),
            Tool::Fetch | Tool::Agent | Tool::Mcp | Tool::Other => {
                let decoded = decoded_input(tool.input);
                join_texts(std::iter::once(decoded.as_ref().unwrap_or(tool.input)))
            }
        }
    }

    /// Returns every text of the tool's response.
    pub(super) fn tool_response_text(&self) -> &str {
        let response = || self.event.payload.get("tool_response").into_iter();
        self.output.get_or_init(|| join_texts(response()))
    }

    /// Returns true if the event says that the tool failed.
    pub(super) fn has_tool_failed(&self) -> bool {
        self.event.name.as_str() == "PostToolUseFailure"
    }

    /// Fails if the session's history cannot be read, because then it has no value (SS-21). Callers
    /// check this before they read the history.
    pub(super) fn check_history_is_readable(&self) -> Result<(), Stop> {
        match self.history.as_deref().map(LazyHistory::get) {
            Some(Err(why)) => Err(Stop::Failed(why.to_string())),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Fails if the session's calls cannot be read. Callers check this before they read them.
    pub(super) fn check_calls_are_readable(&self) -> Result<(), Stop> {
        self.check_history_is_readable()?;
        self.history().past_calls().map(drop).map_err(unusable_history)
    }

    /// Fails if the files that the session wrote cannot be read. Callers check this before they read
    /// them.
    pub(super) fn check_past_writes_are_readable(&self) -> Result<(), Stop> {
        self.check_history_is_readable()?;
        self.history().past_writes().map(drop).map_err(unusable_history)
    }

    /// Returns the files that the session wrote, as checked by
    /// [`Self::check_past_writes_are_readable`].
    pub(super) fn past_writes(&self) -> &PastWrites {
        static NOTHING: LazyLock<PastWrites> = LazyLock::new(PastWrites::default);
        self.history().past_writes().unwrap_or(&NOTHING)
    }

    /// Returns the session's history; without one, nothing happened before.
    pub(super) fn history(&self) -> &SessionHistory {
        static NOTHING: LazyLock<SessionHistory> = LazyLock::new(SessionHistory::default);
        let read = self.history.as_deref().map(LazyHistory::get);
        read.and_then(|read| read.as_ref().ok()).unwrap_or(&NOTHING)
    }

    /// Adds the call to the lines of a history: with `ended`, and with the files that it would write
    /// if it may run (SS-11, SS-13). Works out its programs and files only if `asked` has them
    /// (SS-15). Does nothing for an event that is no call.
    pub fn note_call(
        &self,
        ended: CallEnd,
        asked: CallQuestions,
        lines: &mut HistoryLines,
        go_on: &dyn Fn() -> bool,
    ) {
        let (Some(tool), Some(id)) = (self.tool_call(), history::call_id(&self.event)) else {
            return;
        };
        let may_write = asked.writes && ended != CallEnd::Denied;
        // What costs too much to work out is unknown.
        let writes = match may_write {
            false => Some(Vec::new()),
            true if self.compute_footprint_once(go_on).is_ok() => {
                let absolute =
                    |path: &String| call::absolute_path_of_entry(path, &self.event.within);
                let trees = self.footprint().written_trees.iter();
                let trees = trees.map(|path| format!("{}/*", absolute(path).trim_end_matches('/')));
                Some(self.footprint().writes.iter().map(absolute).chain(trees).collect())
            }
            true => None,
        };
        let programs = match asked.programs && self.parse_line_once(go_on).is_ok() {
            true => self.line_commands(),
            false => &[],
        };
        let programs = programs.iter().filter_map(SimpleCommand::program_name);
        let call = PastCall {
            id,
            tool: tool.name.into(),
            kind: tool.tool().as_str().into(),
            programs: programs.map(Arc::from).collect(),
            ended,
        };
        lines.push_call(&call, writes);
    }

    /// Returns true if the session wrote the file: a relative path begins at the project, as in the
    /// lists of a call, or at the working directory. A pattern stands for what lies there.
    pub(super) fn has_session_written(&self, path: &str) -> bool {
        let from_project = call::absolute_path_of_entry(path, &self.event.within);
        let from_cwd = path::resolve_path(path, &self.event);
        let past = self.past_writes();
        [from_project, from_cwd].iter().any(|path| match path.split_once('*') {
            Some((before, _)) => {
                let directory = before.rsplit_once('/').map_or("", |(directory, _)| directory);
                let is_in = |written: &str| {
                    written.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
                };
                past.paths.iter().any(|written| is_in(written))
            }
            None => past.contains(path),
        })
    }

    /// Returns the files that the session wrote, as seen from the project.
    pub(super) fn files_written_by_session(&self) -> impl Iterator<Item = String> {
        let within = &self.event.within;
        let seen = |path: &Arc<str>| call::path_seen_from_project(path, within).into_owned();
        self.past_writes().paths.iter().map(seen)
    }

    /// Returns the last `number` calls of the session before this one.
    pub(super) fn last_calls_of_session(&self, number: usize) -> Result<&[PastCall], Stop> {
        self.check_history_is_readable()?;
        let own = history::call_id(&self.event);
        self.history().last_calls(number, own).map_err(unusable_history)
    }

    /// Returns the session's calls before this one.
    pub(super) fn calls_of_session(&self) -> &[PastCall] {
        static NOTHING: LazyLock<PastCalls> = LazyLock::new(PastCalls::default);
        let past = self.history().past_calls().unwrap_or(&NOTHING);
        past.calls_before(history::call_id(&self.event))
    }

    /// Parses the line in the languages of the tool.
    fn parsed_line(&self) -> &Line {
        let unread = || Line::unknown(Doubt::TooDeep);
        self.line.get_or_init(|| self.parse_line(&|_| true).unwrap_or_else(unread))
    }

    fn parse_line(&self, spend: &dyn Fn(usize) -> bool) -> Option<Line> {
        let tool = self.tool_call().map_or("", |call| call.name);
        let languages = language::shell_languages(language::agent_name(&self.event), tool);
        language::read_line_in_languages(languages, self.shell_line(), spend)
    }

    /// Parses the line, once. Callers run this before they use the line (RU-37).
    pub(super) fn parse_line_once(&self, go_on: &dyn Fn() -> bool) -> Result<(), Stop> {
        self.check_command_is_readable()?;
        if self.line.get().is_some() {
            return Ok(());
        }
        let meter = Meter::new(go_on);
        let read = self.parse_line(&|steps| meter.spend_steps(steps));
        self.spent.fetch_add(meter.spent_steps(), Ordering::Relaxed);
        match (read, meter.why_cut()) {
            (Some(line), _) => drop(self.line.set(line)),
            (None, Some(Cut::OutOfTime)) => return Err(Stop::OutOfTime),
            // A line that costs too much is unreadable.
            (None, _) => drop(self.line.set(Line::unknown(Doubt::TooDeep))),
        }
        Ok(())
    }

    /// Returns true if the call may concern an agent's guard, by its text or by links. Most calls
    /// do not, and are not parsed for it (SP-4).
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

    /// Computes what the call would do, once. If that costs too much, all rules of the event fail,
    /// and only the first one spends the time.
    pub(super) fn compute_footprint_once(&self, go_on: &dyn Fn() -> bool) -> Result<(), Stop> {
        self.parse_line_once(go_on)?;
        if self.footprint.get().is_none() {
            let line = Some(self.parsed_line()).filter(|_| !self.shell_line().is_empty());
            // What other tools are given has no length that counts: it holds lines only now and then.
            let meter = match line {
                Some(_) => Meter::for_text(self.shell_line().len(), go_on),
                None => Meter::new(go_on),
            };
            let (files, concerns) = (self.files.as_deref(), self.may_concern_guard());
            let footprint = call::call_footprint(&self.event, line, files, concerns, &meter);
            self.spent.fetch_add(meter.spent_steps(), Ordering::Relaxed);
            match footprint {
                Err(Cut::OutOfTime) => return Err(Stop::OutOfTime),
                Err(Cut::TooCostly | Cut::EventTooCostly) => {
                    drop(self.footprint.set(Err(meter.max_steps())));
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

    /// Returns what the call would do, as computed by [`Self::compute_footprint_once`].
    pub(super) fn footprint(&self) -> &CallFootprint {
        static NOTHING: LazyLock<CallFootprint> = LazyLock::new(CallFootprint::default);
        self.footprint.get().and_then(|footprint| footprint.as_ref().ok()).unwrap_or(&NOTHING)
    }

    /// Returns the steps spent so far to read the event's line and to compute what its call would
    /// do (RU-37).
    #[must_use]
    pub fn steps_spent(&self) -> usize {
        self.spent.load(Ordering::Relaxed)
    }

    pub(super) fn line_commands(&self) -> &[SimpleCommand] {
        if self.shell_line().is_empty() {
            return &[];
        }
        &self.parsed_line().commands
    }

    /// Returns why the commands of the line are not all known; empty if they are.
    pub(super) fn line_doubt_message(&self) -> String {
        if self.shell_line().is_empty() {
            return String::new();
        }
        match &self.parsed_line().parsed {
            Parsed::Full => String::new(),
            Parsed::Doubtful(doubt) => doubt.to_string(),
        }
    }

    /// Returns true if the line is a single known command, so that what is true of a part is true
    /// of all.
    pub(crate) fn is_single_command(&self) -> bool {
        let one =
            |line: &Line| line.parsed == Parsed::Full && line.commands_as_written().count() == 1;
        self.shell_line().is_empty() || one(self.parsed_line())
    }

    pub(super) fn is_line_fully_parsed(&self) -> bool {
        self.shell_line().is_empty() || self.parsed_line().parsed == Parsed::Full
    }

    /// Returns true if the line can hide no command: all of it was read, apart from shell setup
    /// code (S-66) and scripts (S-83).
    pub(super) fn hides_no_commands(&self) -> bool {
        let hides = |parsed: &Parsed| match parsed {
            Parsed::Full => false,
            Parsed::Doubtful(doubt) => doubt.may_hide_commands(),
        };
        self.shell_line().is_empty() || !hides(&self.parsed_line().parsed)
    }

    /// Returns true if `call.*` lists everything that the line would do.
    pub(super) fn is_footprint_complete(&self) -> bool {
        self.hides_no_commands() && !self.footprint().is_cut
    }

    /// Returns why the lists may be incomplete.
    pub(super) fn lists_incomplete_reason(&self) -> String {
        let mut why = self.line_doubt_message();
        if why.is_empty() {
            let is_line_whole = self.is_footprint_complete() && self.past_writes().lacks_some;
            why.push_str(match is_line_whole {
                true => "the session wrote more files than are remembered",
                false => "the line holds more than is followed",
            });
        }
        format!("{why}, so there may be more than the rule sees")
    }

    /// Returns true if the line sets a variable, or passes its name to a command that may.
    pub(super) fn line_may_set_variable(&self, name: &str) -> bool {
        let is_name = |text: &str| text.split('=').next() == Some(name);
        let sets = |command: &SimpleCommand| {
            command.assignments.iter().any(|assignment| assignment.name == name)
                || command.words.iter().skip(1).any(|word| is_name(&word.text))
        };
        let loops = self.parsed_line().loops.iter().any(|each| each.variable == name);
        loops || self.line_commands().iter().any(sets)
    }

    /// Returns an upper bound of the number of redirections in the line.
    pub(super) fn count_redirects(&self) -> usize {
        self.line_commands().iter().map(|command| 1 + command.redirects.len()).sum()
    }

    /// Returns the files that redirections read or write, each once. A command behind a wrapper
    /// also has the redirections of the wrapper.
    pub(super) fn redirected_files(&self, reads: bool) -> Vec<&str> {
        let groups = match self.shell_line() {
            "" => &[][..],
            _ => &self.parsed_line().redirects,
        };
        let all =
            self.line_commands().iter().flat_map(|command| command.redirects.iter()).chain(groups);
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

fn unusable_history(why: &UnusableHistory) -> Stop {
    Stop::Failed(format!("the session's history cannot be used: {why}"))
}

/// Returns the lists that are fields of an object.
fn lists_in_object(value: &Value) -> impl Iterator<Item = &Vec<Value>> {
    value.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_array)
}

/// Joins every text in `values`, one per line.
fn join_texts<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let mut found = Vec::new();
    values.for_each(|value| collect_texts(value, true, &mut found));
    found.join("\n")
}

/// Joins the texts that the input of a file tool holds under keys of what it writes.
fn join_written_texts(input: &Value) -> String {
    let mut found = Vec::new();
    collect_texts(input, false, &mut found);
    found.join("\n")
}

/// Collects the texts of a value: all of them if it is `wanted`, else those under keys of what is
/// written. The JSON reader of the event bounds the depth.
fn collect_texts<'a>(value: &'a Value, wanted: bool, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if wanted => found.push(text),
        Value::Array(items) => items.iter().for_each(|value| collect_texts(value, wanted, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            // A list of edits may be written as a text.
            let is_encoded = value.is_string() && key == "edits";
            let wanted = wanted || is_encoded || is_key_of_written_text(key);
            collect_texts(value, wanted, found);
        }),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_key_of_written_text(key: &str) -> bool {
    let name: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    WRITTEN.contains(&name.as_str())
}
