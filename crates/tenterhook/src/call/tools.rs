//! What do tools other than the shell do? Files, addresses and statements in their inputs.

use serde_json::Value;

use super::Found;
use super::hosts;
use super::path::Paths;
use crate::event::meter::Meter;
use crate::event::tool::{Tool, ToolCall};

/// Fields that name files.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "notebook_path",
    "filePath",
    "filename",
    "file",
    "paths",
    "files",
    "source",
    "destination",
    "target",
    "uri",
    "from",
    "to",
    "old_path",
    "new_path",
    "target_file",
    "absolute_path",
];
/// Fields that hold statements for a database.
const STATEMENTS: &[&str] = &["sql", "query", "statement", "command", "pipeline"];
/// Fields that hold a line for a shell.
const LINES: &[&str] = &["command", "cmd", "script", "shell_command"];
/// Those of them that say so whatever the tool is called.
const PLAIN_LINES: &[&str] = &["command", "cmd", "shell_command"];
/// Fields that hold the arguments of a program.
const ARGUMENTS: &[&str] = &["args", "arguments", "argv"];
/// Parts of the names of MCP tools that change files.
const CHANGING: &[&str] = &[
    "write", "edit", "create", "move", "rename", "delete", "remove", "append", "update", "patch",
    "replace", "insert", "put", "save", "copy",
];
/// Parts of the names of MCP tools that delete whole directories.
const REMOVING: &[&str] = &["delete", "remove", "rmdir"];
/// Parts of the names of MCP tools that run shell lines.
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "terminal",
    "exec",
    "run_command",
    "execute_command",
    "start_process",
    "command",
];

/// Deepest nest of an input that is walked.
const DEEPEST: usize = 16;

pub(super) fn look(call: ToolCall<'_>, paths: &Paths<'_>, meter: &Meter<'_>, found: &mut Found) {
    let tool = call.tool();
    let named = |parts: &[&str]| {
        let name = call.name.to_ascii_lowercase();
        parts.iter().any(|part| name.contains(part))
    };
    let mut look = Look {
        tool,
        changes: named(CHANGING),
        removes: named(REMOVING),
        shell: named(SHELLS),
        paths,
        meter,
        found,
    };
    match tool {
        Tool::Agent => {}
        // What a search goes through, it prints; the names that it finds are no content.
        Tool::Search if call.name == "Glob" => {}
        _ => look.value("", call.input, 0),
    }
}

/// A list of words as a line.
fn words(items: &[Value]) -> String {
    let words = items.iter().filter_map(Value::as_str).map(tenterhook_shell::quote);
    words.collect::<Vec<_>>().join(" ")
}

struct Look<'a> {
    tool: Tool,
    changes: bool,
    removes: bool,
    shell: bool,
    paths: &'a Paths<'a>,
    meter: &'a Meter<'a>,
    found: &'a mut Found,
}

impl Look<'_> {
    fn value(&mut self, key: &str, value: &Value, depth: usize) {
        if !self.meter.spend(2) {
            return;
        }
        match value {
            Value::String(text) => self.text(key, text),
            Value::Object(fields) if depth < DEEPEST && self.argv(fields).is_some() => {
                let line = self.argv(fields).unwrap_or_default();
                self.text("command", &line);
            }
            Value::Array(items) if depth < DEEPEST && LINES.contains(&key) => {
                self.text(key, &words(items));
            }
            Value::Array(items) if depth < DEEPEST => {
                items.iter().for_each(|it| self.value(key, it, depth + 1))
            }
            Value::Object(fields) if depth < DEEPEST => {
                fields.iter().for_each(|(key, it)| self.value(key, it, depth + 1));
            }
            _ => {}
        }
    }

    /// `{"command": "rm", "args": ["-rf", "/"]}`
    fn argv(&self, fields: &serde_json::Map<String, Value>) -> Option<String> {
        let args = ARGUMENTS.iter().find_map(|key| fields.get(*key)?.as_array())?;
        let program = LINES.iter().find_map(|key| fields.get(*key)?.as_str())?;
        Some(format!("{program} {}", words(args)))
    }

    fn text(&mut self, key: &str, text: &str) {
        if !self.meter.spend(1 + text.len() / 64) {
            return;
        }
        let remote = matches!(self.tool, Tool::Mcp | Tool::Fetch);
        if PATHS.contains(&key) && !text.contains('\n') {
            let file = text.strip_prefix("file://").unwrap_or(text);
            if !file.contains("://") {
                self.path(file);
            }
        }
        if remote && let Some(host) = hosts::of_address(text).filter(|it| !hosts::is_local(it)) {
            if hosts::is_catcher(&host) || (self.changes && hosts::is_drop(&host)) {
                self.found.drops.insert(host.clone());
            }
            self.found.hosts.insert(host);
        }
        if remote && let Some(file) = text.strip_prefix("file://") {
            self.path(file);
        }
        if self.tool == Tool::Mcp && STATEMENTS.contains(&key) {
            self.found.sql.insert(text.to_owned());
        }
        // A search is held against the names that it takes.
        if self.tool == Tool::Search && key == "glob" {
            self.path(text);
        }
        if self.tool == Tool::Mcp
            && (self.shell || PLAIN_LINES.contains(&key))
            && LINES.contains(&key)
        {
            super::inner(text, self.paths, self.meter, self.found);
        }
        // Some tools of other agents are shells by another name.
        if self.tool == Tool::Other && LINES.contains(&key) {
            super::inner(text, self.paths, self.meter, self.found);
        }
    }

    fn path(&mut self, written: &str) {
        if !self.meter.read(4 * (written.len() + self.paths.cwd.len())) {
            return;
        }
        let path = self.paths.seen(written, &self.paths.cwd);
        match self.tool {
            Tool::Write => drop(self.found.writes.insert(path)),
            // An edit shows what it changes.
            Tool::Edit => {
                self.found.writes.insert(path);
            }
            Tool::Mcp if self.changes => {
                if self.removes {
                    self.found.deletes.insert(path.clone());
                }
                self.found.reads.insert(path.clone());
                self.found.writes.insert(path);
            }
            _ => drop(self.found.reads.insert(path)),
        }
    }
}
