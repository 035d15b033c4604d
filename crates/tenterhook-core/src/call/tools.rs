//! What do tools other than the shell do? Files, addresses, statements and commands in their inputs.

pub(super) mod name;
pub(super) mod table;
pub(super) mod text;
mod verbs;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenterhook_shell::strings::texts;

use self::name::{Does, ToolName, field, is_one_of, is_path_key, plain};
use self::table::{
    ARGUMENTS, BASES, CODE, DIRECTORIES, ENCODED, EXPORTS, KINDS, LINES, NAMES, PROGRAMS, SHELLS,
    SOURCES, STATEMENTS, STEPS, TYPED, VARIABLES,
};
use self::text::path_in;
use super::path::Paths;
use super::{Found, disarm, hosts, literals};
use crate::event::meter::Meter;
use crate::event::tool::{Tool, ToolCall};
use crate::protect::moves_an_agent;

/// Deepest nest of an input that is walked.
const DEEPEST: usize = 16;

pub(super) fn note_tool_call(
    call: ToolCall<'_>,
    paths: &Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    let tool = call.tool();
    let name = ToolName::new(call);
    let at = Paths { cwd: directory(call.input, paths), ..paths.clone() };
    let exports = exports(call.input, 0);
    let mut look = Look { tool, name, paths, at: &at, exports, meter, found };
    match tool {
        Tool::Agent => {}
        // What a search goes through, it prints; the names that it finds are no content.
        Tool::Search if call.name == "Glob" => {}
        _ => look.value("", call.input, 0),
    }
}

/// The directory in which a call runs its commands: the one that a field names, else the agent's.
pub(super) fn directory(input: &Value, paths: &Paths<'_>) -> String {
    named_directory(input)
        .map_or_else(|| paths.cwd.clone(), |path| paths.absolute(&path, &paths.cwd))
}

/// The directory that a field of an input, or of an object in it, names.
pub(super) fn named_directory(input: &Value) -> Option<Cow<'_, str>> {
    let own = || field(input, DIRECTORIES)?.as_str();
    let nested =
        || input.as_object()?.values().find_map(|value| field(value, DIRECTORIES)?.as_str());
    own().or_else(nested).and_then(path_in)
}

/// Deepest nest in which variables are looked for.
const DEEPEST_VARIABLES: usize = 3;

/// Lines that set the variables which a call hands to what it starts, as far as they move the home of an agent.
pub(super) fn exports(input: &Value, depth: usize) -> String {
    let Some(fields) = input.as_object() else { return String::new() };
    let mut lines = String::new();
    let mut add = |name: &str, value: &str| {
        if moves_an_agent(name) {
            lines.push_str(&format!("export {name}={}\n", tenterhook_shell::quote(value)));
        }
    };
    match field(input, VARIABLES) {
        Some(Value::Object(own)) => {
            own.iter().for_each(|(name, value)| add(name, value.as_str().unwrap_or_default()));
        }
        Some(Value::Array(items)) => {
            let pairs = items.iter().filter_map(|item| item.as_str()?.split_once('='));
            pairs.for_each(|(name, value)| add(name, value));
        }
        _ => {}
    }
    if depth < DEEPEST_VARIABLES {
        fields.values().for_each(|value| lines.push_str(&exports(value, depth + 1)));
    }
    lines
}

/// A list of words as a line; nothing where something else is in it.
fn line_of(items: &[Value]) -> Option<String> {
    let quoted: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(tenterhook_shell::quote)).collect();
    quoted.filter(|quoted| !quoted.is_empty()).map(|quoted| quoted.join(" "))
}

/// Whether an item of a list is a line of code, and no path.
fn is_line(item: &Value) -> bool {
    item.as_str().is_some_and(|text| text.contains([' ', '(', '\n']))
}

/// The object that a text holds as JSON.
pub(super) fn encoded(key: &str, text: &str) -> Option<Value> {
    let may_be = text.trim_start().starts_with(['{', '[']) && is_one_of(key, ENCODED);
    may_be.then(|| serde_json::from_str(text).ok()).flatten()
}

struct Look<'a> {
    tool: Tool,
    name: ToolName,
    paths: &'a Paths<'a>,
    /// The same with the directory in which the call runs its commands.
    at: &'a Paths<'a>,
    /// Lines that set the variables which the call hands on.
    exports: String,
    meter: &'a Meter<'a>,
    found: &'a mut Found,
}

impl Look<'_> {
    fn value(&mut self, key: &str, value: &Value, depth: usize) {
        if !self.meter.spend(2) {
            return;
        }
        match value {
            Value::String(text) => self.text(key, text, depth),
            Value::Object(fields) if depth < DEEPEST => self.object(value, fields, depth),
            Value::Array(items) if depth < DEEPEST => self.array(key, items, depth),
            _ => {}
        }
    }

    fn object(&mut self, value: &Value, fields: &Map<String, Value>, depth: usize) {
        let argv = self.argv(value);
        if let Some(line) = &argv {
            self.text("command", line, depth);
        }
        if let (Some(Value::String(base)), Some(Value::String(name))) =
            (field(value, BASES), field(value, NAMES))
            && let (Some(base), Some(name)) = (path_in(base), path_in(name))
            && !name.starts_with(['/', '~'])
        {
            self.path("path", &format!("{base}/{name}"));
        }
        // `{"type": "shell", "value": LINE}`
        let kind = field(value, KINDS).and_then(Value::as_str).unwrap_or_default();
        if SHELLS.contains(&kind.to_ascii_lowercase().as_str())
            && let Some(Value::String(line)) = field(value, STEPS)
        {
            self.text("command", line, depth);
        }
        for (key, value) in fields {
            let is_used = argv.is_some() && (is_one_of(key, PROGRAMS) || is_one_of(key, ARGUMENTS));
            if !is_used || value.is_object() {
                self.value(key, value, depth + 1);
            }
        }
    }

    fn array(&mut self, key: &str, items: &[Value], depth: usize) {
        let (key, lines): (&str, Option<String>) = match plain(key).as_str() {
            "commands" | "scripts" | "lines" | "keys" => {
                let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                (key, lines.map(|lines| lines.join("\n")))
            }
            // The lines of a script or of a notebook's cell; paths are no lines.
            "script" | "code" | "source" if items.iter().any(is_line) => {
                let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                (key, lines.map(|lines| lines.join("\n")))
            }
            name if LINES.contains(&name) => (key, line_of(items)),
            // Arguments without a program begin with it.
            "args" | "argv" if self.runs() => {
                let is_git = self.name.is_of("git") && items.first() != Some(&Value::from("git"));
                let line = line_of(items);
                ("command", if is_git { line.map(|line| format!("git {line}")) } else { line })
            }
            _ => (key, None),
        };
        match lines {
            Some(line) => self.text(key, &line, depth),
            None => items.iter().for_each(|item| self.value(key, item, depth + 1)),
        }
    }

    /// `{"command": "rm", "args": ["-rf", "/"]}`
    fn argv(&self, value: &Value) -> Option<String> {
        let args = match field(value, ARGUMENTS)? {
            Value::Array(items) => line_of(items)?,
            Value::String(text) if !text.trim_start().starts_with(['{', '[']) => text.clone(),
            _ => return None,
        };
        let program = field(value, PROGRAMS).or_else(|| field(value, &["name"]))?.as_str()?;
        Some(format!("{program} {args}"))
    }

    /// Whether the tool may run commands: one that no table knows may.
    const fn runs(&self) -> bool {
        matches!(self.tool, Tool::Mcp | Tool::Other)
    }

    fn changes(&self) -> bool {
        self.name.does(Does::Change) && !self.name.only_reads()
    }

    fn text(&mut self, key: &str, text: &str, depth: usize) {
        if !self.meter.spend(1 + text.len() / 64) {
            return;
        }
        let is_remote = matches!(self.tool, Tool::Mcp | Tool::Fetch);
        // A search is held against the names that it takes.
        let names_file = is_path_key(key)
            || is_remote && text.starts_with("file:")
            || self.tool == Tool::Search && key == "glob";
        if names_file && let Some(file) = path_in(text) {
            self.path(key, &file);
        }
        if is_remote
            && let Some(host) = hosts::of_address(text).filter(|host| !hosts::is_local(host))
        {
            if hosts::is_catcher(&host) || (self.changes() && hosts::is_drop(&host)) {
                self.found.drops.insert(host.clone());
            }
            self.found.hosts.insert(host);
        }
        if self.runs() {
            self.run(key, text);
            if let Some(value) = encoded(key, text).filter(|_| depth < DEEPEST) {
                self.value(key, &value, depth + 1);
            }
        }
    }

    /// What a text runs: a line, code of another language, or a statement.
    fn run(&mut self, key: &str, text: &str) {
        let is = |names: &[&str]| is_one_of(key, names);
        if is(STATEMENTS) {
            self.statement(text);
        }
        let shows = self.name.does(Does::Talk) || self.name.only_reads();
        let is_typed = is(TYPED) && self.name.does(Does::Type);
        let is_code = (is(CODE) || is_typed) && !shows;
        let is_script = self.tool == Tool::Other && is(&["script"]);
        if is(LINES) || is_script || is(CODE) && self.name.does(Does::Shell) || is_typed {
            let whole = format!("{}{text}", self.exports);
            super::inner(&whole, self.at, self.meter, self.found);
        } else if is_code || is(TYPED) && self.name.does(Does::Shell) {
            self.for_guard(text);
        }
        if is_code && self.meter.read(text.len()) {
            literals::in_code(text, self.at, self.meter, self.found);
            self.note_notebook_cell(text);
        }
    }

    /// The lines of a notebook's cell that are no code: `!rm x`, `%%writefile x`.
    fn note_notebook_cell(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            if let Some(command) = line.strip_prefix('!') {
                self.for_guard(command);
            }
            let file = ["%%writefile ", "%%file ", "%save "].iter();
            let mut file = file.filter_map(|magic| line.strip_prefix(magic));
            if let Some(file) = file.next().and_then(|rest| rest.split_whitespace().last()) {
                self.found.writes.insert(self.at.seen(file, &self.at.cwd));
            }
        }
    }

    fn statement(&mut self, text: &str) {
        if self.tool == Tool::Mcp {
            self.found.sql.insert(text.to_owned());
        }
        let small = text.to_ascii_lowercase();
        if EXPORTS.iter().any(|export| small.contains(export)) && self.meter.read(4 * text.len()) {
            let files = texts(text).into_iter().filter_map(|(_, file)| path_in(file));
            self.found.writes.extend(files.map(|file| self.paths.seen(&file, &self.paths.cwd)));
        }
    }

    /// A text that is a line if the tool runs it with a shell, which its name does not tell: it is read for what it does to a guard.
    fn for_guard(&mut self, text: &str) {
        if !self.found.concerns {
            return;
        }
        let mut own = Found { concerns: true, lines: self.found.lines, ..Found::default() };
        super::inner(text, self.at, self.meter, &mut own);
        disarm::settle(self.at, self.meter, &mut own);
        self.found.lines = own.lines;
        self.found.guards.append(&mut own.guards);
        self.found.unguarded.append(&mut own.unguarded);
        self.found.disarms.append(&mut own.disarms);
    }

    fn path(&mut self, key: &str, written: &str) {
        if !self.meter.read(4 * (written.len() + self.paths.cwd.len())) {
            return;
        }
        let path = self.paths.seen(written, &self.paths.cwd);
        match self.tool {
            // An edit shows what it changes.
            Tool::Write | Tool::Edit => drop(self.found.writes.insert(path)),
            Tool::Mcp | Tool::Other
                if self.changes() && !(self.name.does(Does::Copy) && is_one_of(key, SOURCES)) =>
            {
                if self.name.does(Does::Remove) {
                    self.found.deletes.insert(path.clone());
                }
                self.found.shows.insert(path.clone());
                self.found.writes.insert(path);
            }
            _ => drop(self.found.shows.insert(path)),
        }
    }
}
