//! What do tools other than the shell do? Files, addresses, statements and commands in their inputs.

pub(super) mod name;
pub(super) mod table;
pub(super) mod text;
mod verbs;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenterhook_shell::strings::quoted_texts;

use self::name::{Does, ToolName, first_named_field, is_path_key, key_is_one_of, normalize_key};
use self::table::{
    ARGUMENTS, BASES, CODE, DIRECTORIES, ENCODED, EXPORTS, KINDS, LINES, NAMES, OUTPUTS, PROGRAMS,
    SHELLS, SOURCES, STATEMENTS, STEPS, TYPED, VARIABLES,
};
use self::text::path_in_text;
use super::path::Paths;
use super::{Found, disarm, hosts, literals};
use crate::event::meter::Meter;
use crate::event::tool::{Tool, ToolCall};
use crate::protect::redirects_any_agent_config;

/// Deepest nest of an input that is walked.
const DEEPEST: usize = 16;

/// Adds to `found` what a tool call would do: the files, hosts and commands that its input names.
pub(super) fn note_tool_call(
    call: ToolCall<'_>,
    paths: &Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    let tool = call.tool();
    let name = ToolName::from_call(call);
    let at = Paths { cwd: working_directory(call.input, paths), ..paths.clone() };
    let exports = export_lines_of_home_variables(call.input, 0);
    let mut look = Look { tool, name, paths, at: &at, exports, meter, found };
    match tool {
        Tool::Agent => {}
        // What a search goes through, it prints; the names that it finds are no content.
        Tool::Search if call.name == "Glob" => {}
        _ => look.inspect_value("", call.input, 0),
    }
}

/// Returns the directory in which a call runs its commands: the one that a field of its input
/// names, else the agent's.
pub(super) fn working_directory(input: &Value, paths: &Paths<'_>) -> String {
    named_directory(input)
        .map_or_else(|| paths.cwd.clone(), |path| paths.to_absolute(&path, &paths.cwd))
}

/// Returns the directory that a field of an input, or of an object in it, names.
pub(super) fn named_directory(input: &Value) -> Option<Cow<'_, str>> {
    let own = || first_named_field(input, DIRECTORIES)?.as_str();
    let nested = || {
        input
            .as_object()?
            .values()
            .find_map(|value| first_named_field(value, DIRECTORIES)?.as_str())
    };
    own().or_else(nested).and_then(path_in_text)
}

/// Deepest nest in which variables are looked for.
const DEEPEST_VARIABLES: usize = 3;

/// Returns shell lines that set the variables which a call passes to its process, limited to those
/// that move an agent's home.
pub(super) fn export_lines_of_home_variables(input: &Value, depth: usize) -> String {
    let Some(fields) = input.as_object() else { return String::new() };
    let mut lines = String::new();
    let mut add = |name: &str, value: &str| {
        if redirects_any_agent_config(name) {
            lines.push_str(&format!("export {name}={}\n", tenterhook_shell::quote_word(value)));
        }
    };
    match first_named_field(input, VARIABLES) {
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
        fields
            .values()
            .for_each(|value| lines.push_str(&export_lines_of_home_variables(value, depth + 1)));
    }
    lines
}

/// Joins a list of strings into a command line; returns `None` if the list holds anything else.
fn join_as_line(items: &[Value]) -> Option<String> {
    let quoted: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(tenterhook_shell::quote_word)).collect();
    quoted.filter(|quoted| !quoted.is_empty()).map(|quoted| quoted.join(" "))
}

/// Returns `true` if an item of a list is a line of code and not a path.
fn is_item_code_line(item: &Value) -> bool {
    item.as_str().is_some_and(|text| text.contains([' ', '(', '\n']))
}

/// Parses a text field that holds JSON, if its key may hold some.
pub(super) fn parse_encoded_object(key: &str, text: &str) -> Option<Value> {
    let may_be = text.trim_start().starts_with(['{', '[']) && key_is_one_of(key, ENCODED);
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
    /// Inspects one value of the input: a text, an object or an array, down to a maximum depth.
    fn inspect_value(&mut self, key: &str, value: &Value, depth: usize) {
        if !self.meter.spend_steps(2) {
            return;
        }
        match value {
            Value::String(text) => self.inspect_text(key, text, depth),
            Value::Object(fields) if depth < DEEPEST => self.inspect_object(value, fields, depth),
            Value::Array(items) if depth < DEEPEST => self.inspect_array(key, items, depth),
            _ => {}
        }
    }

    /// Inspects an object of the input: a program with arguments, a path in two parts, then each
    /// field.
    fn inspect_object(&mut self, value: &Value, fields: &Map<String, Value>, depth: usize) {
        let argv = self.command_line_of_object(value);
        if let Some(line) = &argv {
            self.inspect_text("command", line, depth);
        }
        if let (Some(Value::String(base)), Some(Value::String(name))) =
            (first_named_field(value, BASES), first_named_field(value, NAMES))
            && let (Some(base), Some(name)) = (path_in_text(base), path_in_text(name))
            && !name.starts_with(['/', '~'])
        {
            self.note_path("path", &format!("{base}/{name}"));
        }
        // `{"type": "shell", "value": LINE}`
        let kind = first_named_field(value, KINDS).and_then(Value::as_str).unwrap_or_default();
        if SHELLS.contains(&kind.to_ascii_lowercase().as_str())
            && let Some(Value::String(line)) = first_named_field(value, STEPS)
        {
            self.inspect_text("command", line, depth);
        }
        for (key, value) in fields {
            let is_used =
                argv.is_some() && (key_is_one_of(key, PROGRAMS) || key_is_one_of(key, ARGUMENTS));
            if !is_used || value.is_object() {
                self.inspect_value(key, value, depth + 1);
            }
        }
    }

    /// Inspects an array of the input: as one command line or script if its key says so, else item
    /// by item.
    fn inspect_array(&mut self, key: &str, items: &[Value], depth: usize) {
        let (key, lines): (&str, Option<String>) = match normalize_key(key).as_str() {
            "commands" | "scripts" | "lines" | "keys" => {
                let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                (key, lines.map(|lines| lines.join("\n")))
            }
            // The lines of a script or of a notebook's cell; paths are no lines.
            "script" | "code" | "source" if items.iter().any(is_item_code_line) => {
                let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                (key, lines.map(|lines| lines.join("\n")))
            }
            name if LINES.contains(&name) => (key, join_as_line(items)),
            // Arguments without a program begin with it.
            "args" | "argv" if self.may_run_commands() => {
                let is_git =
                    self.name.names_program("git") && items.first() != Some(&Value::from("git"));
                let line = join_as_line(items);
                ("command", if is_git { line.map(|line| format!("git {line}")) } else { line })
            }
            _ => (key, None),
        };
        match lines {
            Some(line) => self.inspect_text(key, &line, depth),
            None => items.iter().for_each(|item| self.inspect_value(key, item, depth + 1)),
        }
    }

    /// Returns the command line of an object such as `{"command": "rm", "args": ["-rf", "/"]}`.
    fn command_line_of_object(&self, value: &Value) -> Option<String> {
        let args = match first_named_field(value, ARGUMENTS)? {
            Value::Array(items) => join_as_line(items)?,
            Value::String(text) if !text.trim_start().starts_with(['{', '[']) => text.clone(),
            _ => return None,
        };
        let program = first_named_field(value, PROGRAMS)
            .or_else(|| first_named_field(value, &["name"]))?
            .as_str()?;
        Some(format!("{program} {args}"))
    }

    /// Returns `true` if the tool may run commands, as every tool may that no table knows.
    const fn may_run_commands(&self) -> bool {
        matches!(self.tool, Tool::Mcp | Tool::Other)
    }

    /// Returns `true` if the tool's name says that it changes something.
    fn does_tool_change_something(&self) -> bool {
        self.name.says_tool_has_effect(Does::Change) && !self.name.only_reads()
    }

    /// Inspects one text of the input: as a path, as an address, and as a command that the tool may
    /// run.
    fn inspect_text(&mut self, key: &str, text: &str, depth: usize) {
        if !self.meter.spend_steps(1 + text.len() / 64) {
            return;
        }
        // A text of an unknown tool may only mention an address.
        let is_remote = matches!(self.tool, Tool::Mcp | Tool::Fetch)
            || self.tool == Tool::Other && hosts::is_url(text);
        // A search is held against the names that it takes.
        let names_file = is_path_key(key)
            || is_remote && text.starts_with("file:")
            || self.tool == Tool::Search && key == "glob";
        if names_file && let Some(file) = path_in_text(text) {
            self.note_path(key, &file);
        }
        if is_remote
            && let Some(host) = hosts::host_of_url(text).filter(|host| !hosts::is_local_host(host))
        {
            if hosts::is_request_catcher(&host)
                || (self.does_tool_change_something() && hosts::is_public_upload_host(&host))
            {
                self.found.drops.insert(host.clone());
            }
            self.found.hosts.insert(host);
        }
        if self.may_run_commands() {
            self.inspect_code(key, text);
            if let Some(value) = parse_encoded_object(key, text).filter(|_| depth < DEEPEST) {
                self.inspect_value(key, &value, depth + 1);
            }
        }
    }

    /// Inspects a text that the tool may run: a command line, code of another language, or an SQL
    /// statement.
    fn inspect_code(&mut self, key: &str, text: &str) {
        let is = |names: &[&str]| key_is_one_of(key, names);
        if is(STATEMENTS) {
            self.note_sql_statement(text);
        }
        let shows = self.name.says_tool_has_effect(Does::Talk) || self.name.only_reads();
        let is_typed = is(TYPED) && self.name.says_tool_has_effect(Does::Type);
        let is_code = (is(CODE) || is_typed) && !shows;
        let is_script = self.tool == Tool::Other && is(&["script"]);
        if is(LINES)
            || is_script
            || is(CODE) && self.name.says_tool_has_effect(Does::Shell)
            || is_typed
        {
            let whole = format!("{}{text}", self.exports);
            super::note_inner_line(&whole, self.at, self.meter, self.found);
        } else if is_code || is(TYPED) && self.name.says_tool_has_effect(Does::Shell) {
            self.inspect_line_for_guards(text);
        }
        if is_code && self.meter.spend_steps_for_bytes(text.len()) {
            literals::note_code_literals(text, self.at, self.meter, self.found);
            self.note_notebook_commands(text);
        }
    }

    /// Notes the lines of a notebook cell that are not code: `!rm x`, `%%writefile x`.
    fn note_notebook_commands(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            if let Some(command) = line.strip_prefix('!') {
                self.inspect_line_for_guards(command);
            }
            let file = ["%%writefile ", "%%file ", "%save "].iter();
            let mut file = file.filter_map(|magic| line.strip_prefix(magic));
            if let Some(file) = file.next().and_then(|rest| rest.split_whitespace().last()) {
                self.found.writes.insert(self.at.path_seen_from_project(file, &self.at.cwd));
            }
        }
    }

    /// Notes an SQL statement and the files that it exports to.
    fn note_sql_statement(&mut self, text: &str) {
        if self.tool == Tool::Mcp {
            self.found.sql.insert(text.to_owned());
        }
        let small = text.to_ascii_lowercase();
        if EXPORTS.iter().any(|export| small.contains(export))
            && self.meter.spend_steps_for_bytes(4 * text.len())
        {
            let files = quoted_texts(text).into_iter().filter_map(|(_, file)| path_in_text(file));
            self.found.writes.extend(
                files.map(|file| self.paths.path_seen_from_project(&file, &self.paths.cwd)),
            );
        }
    }

    /// Inspects a text that may be a shell line, but only for what it does to a guard: the tool's
    /// name does not tell whether it runs a shell.
    fn inspect_line_for_guards(&mut self, text: &str) {
        if !self.found.concerns {
            return;
        }
        let mut own = Found { concerns: true, lines: self.found.lines, ..Found::default() };
        super::note_inner_line(text, self.at, self.meter, &mut own);
        disarm::note_guards_in_found_files(self.at, self.meter, &mut own);
        self.found.lines = own.lines;
        self.found.guards.append(&mut own.guards);
        self.found.unguarded.append(&mut own.unguarded);
        self.found.disarms.append(&mut own.disarms);
    }

    /// Notes a path of the input as read, written or deleted, by what the tool does.
    fn note_path(&mut self, key: &str, written: &str) {
        if !self.meter.spend_steps_for_bytes(4 * (written.len() + self.paths.cwd.len())) {
            return;
        }
        let path = self.paths.path_seen_from_project(written, &self.paths.cwd);
        match self.tool {
            // An edit shows what it changes.
            Tool::Write | Tool::Edit => drop(self.found.writes.insert(path)),
            _ if key_is_one_of(key, OUTPUTS) => drop(self.found.writes.insert(path)),
            Tool::Mcp | Tool::Other
                if self.does_tool_change_something()
                    && !(self.name.says_tool_has_effect(Does::Copy)
                        && key_is_one_of(key, SOURCES)) =>
            {
                if self.name.says_tool_has_effect(Does::Remove) {
                    self.found.deletes.insert(path.clone());
                }
                self.found.shows.insert(path.clone());
                self.found.writes.insert(path);
            }
            _ => drop(self.found.shows.insert(path)),
        }
    }
}
