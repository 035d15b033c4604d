//! Which parts of a guard does a tool other than the shell change? Any text of its input that leads to one, whatever its field, alone
//! or joined with another, unless the tool only reads by its name.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{modules, names, note_guard_in_written_text, patch};
use crate::call::Found;
use crate::call::path::Paths;
use crate::call::tools::name::{
    Does, ToolName, first_named_field, is_path_key, key_is_one_of, normalize_key,
};
use crate::call::tools::table::{ARGUMENTS, DESTINATIONS, PROGRAMS, SOURCES, TEXTS};
use crate::call::tools::text::path_in_text;
use crate::call::tools::{named_directory, parse_encoded_object};
use crate::event::meter::Meter;
use crate::event::tool::{Tool, ToolCall};
use crate::protect::{self, Hold};

/// Deepest nest of an input that is walked.
const DEEPEST: usize = 8;
/// What it costs to hold a path against all that a guard is made of, in steps.
const A_PATH: usize = 64;
/// Most directories and most names that are joined with each other.
const MOST_BASES: usize = 8;
const MOST_NAMES: usize = 24;
/// Longest ending of a file's name that stands in a separate field.
const LONGEST_ENDING: usize = 8;

/// Whether a call may concern a guard, whatever its texts: it changes whole directories, or the
/// settings of its agent.
pub(super) fn may_tool_concern_guard(call: ToolCall<'_>) -> bool {
    protect::tool_can_change_settings(call.name)
        || ToolName::from_call(call).says_tool_has_effect(Does::Whole)
}

/// Calls `each` for each text of an input that may be a path or a line, including the names of
/// fields.
pub(super) fn visit_texts(value: &Value, depth: usize, each: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) if depth < DEEPEST => {
            items.iter().for_each(|item| visit_texts(item, depth + 1, each))
        }
        Value::Object(fields) if depth < DEEPEST => {
            for (key, value) in fields {
                each(key);
                visit_texts(value, depth + 1, each);
            }
        }
        _ => {}
    }
}

/// Appends each text of an input that is not a path to `all`, one per line.
fn append_content_texts(key: &str, value: &Value, depth: usize, all: &mut String) {
    match value {
        Value::String(text) if !is_path_key(key) => all.extend([text, "\n"]),
        Value::Array(items) if depth < DEEPEST => {
            items.iter().for_each(|item| append_content_texts(key, item, depth + 1, all));
        }
        Value::Object(fields) if depth < DEEPEST => {
            fields.iter().for_each(|(key, value)| append_content_texts(key, value, depth + 1, all));
        }
        _ => {}
    }
}

/// Notes the guards that a call of any tool but the shell would change.
pub(super) fn note_guards_changed_by_tool(
    call: ToolCall<'_>,
    paths: &Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    if protect::call_loosens_guard_setting(call.name, call.input) {
        found.disarms.insert("changes a setting that loosens this agent's guard".to_owned());
    }
    let name = ToolName::from_call(call);
    let is_unknown = matches!(call.tool(), Tool::Other | Tool::Mcp);
    let looks = match call.tool() {
        Tool::Read | Tool::Search | Tool::Fetch | Tool::Agent => true,
        Tool::Write | Tool::Edit => false,
        _ => {
            name.says_tool_has_effect(Does::Talk)
                || name.only_reads() && !changes_database(call.input)
        }
    };
    if looks {
        return;
    }
    // A tool that no table knows is taken to write what it names: most of those that only read are called so.
    if is_unknown {
        let mut named = Named {
            paths,
            meter,
            is_copy: name.says_tool_has_effect(Does::Copy),
            found: Vec::new(),
            destinations: Vec::new(),
        };
        named.collect_paths_of_value("", call.input, 0);
        let cwd = named_directory(call.input)
            .map_or_else(|| paths.cwd.clone(), |path| paths.to_absolute(&path, &paths.cwd));
        named.note_named_guards(name.says_tool_has_effect(Does::Whole), &cwd, found);
    }
    visit_texts(call.input, 0, &mut |text| patch::note_guards_in_applied_patch(text, paths, found));
    if !is_unknown {
        // As the file would hold it: JSON writes the end of a line as a letter.
        let whole = || {
            let mut all = String::new();
            append_content_texts("", call.input, 0, &mut all);
            Cow::Owned(all)
        };
        note_guard_in_written_text(whole, found);
    }
}

/// First words of statements that change a database.
const CHANGES: &[&str] =
    &["alter", "create", "delete", "drop", "insert", "pragma", "replace", "update", "vacuum"];

/// Whether a call contains a statement that changes a database.
fn changes_database(input: &Value) -> bool {
    let statement =
        first_named_field(input, &["sql", "query", "statement"]).and_then(Value::as_str);
    let first = statement.and_then(|text| text.split_whitespace().next());
    first.is_some_and(|first| CHANGES.contains(&first.to_ascii_lowercase().as_str()))
}

/// The texts of an input that may be paths.
struct Named<'a> {
    paths: &'a Paths<'a>,
    meter: &'a Meter<'a>,
    /// Whether the tool reads one file and writes another.
    is_copy: bool,
    found: Vec<String>,
    /// Those that say where something is put.
    destinations: Vec<String>,
}

impl Named<'_> {
    /// Collects the paths in a value of the input.
    fn collect_paths_of_value(&mut self, key: &str, value: &Value, depth: usize) {
        match value {
            Value::String(text) => {
                match parse_encoded_object(key, text).filter(|_| depth < DEEPEST) {
                    Some(value) => self.collect_paths_of_value(key, &value, depth + 1),
                    None => self.collect_path_in_text(key, text),
                }
            }
            Value::Array(items) if depth < DEEPEST => {
                let parts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                if let Some(parts) = parts.filter(|parts| parts.len() > 1) {
                    self.collect_path_in_text(key, &parts.join("/"));
                }
                items.iter().for_each(|item| self.collect_paths_of_value(key, item, depth + 1));
            }
            Value::Object(fields) if depth < DEEPEST => {
                self.collect_paths_of_object(value, fields, depth)
            }
            _ => {}
        }
    }

    /// Collects the paths in the fields of an object and in their names.
    fn collect_paths_of_object(
        &mut self,
        value: &Value,
        fields: &Map<String, Value>,
        depth: usize,
    ) {
        // The arguments of a program are judged with it, as a line.
        let is_called = first_named_field(value, &["tool", "toolname", "name"]).is_some();
        let is_line = |key: &str| {
            key_is_one_of(key, ARGUMENTS)
                && (first_named_field(value, PROGRAMS).is_some()
                    || !is_called && key_is_one_of(key, &["args", "argv"]))
        };
        for (key, value) in fields {
            let is_path = key.contains(['/', '.']);
            if is_path {
                self.collect_path_in_text("", key);
            }
            // The text that belongs to a path is the file's content.
            if !(is_path && value.is_string()) && (value.is_object() || !is_line(key)) {
                self.collect_paths_of_value(key, value, depth + 1);
            }
        }
    }

    /// Collects the path that a text stands for, and whether it is a destination.
    fn collect_path_in_text(&mut self, key: &str, text: &str) {
        let is_read = self.is_copy && key_is_one_of(key, SOURCES);
        if is_read
            || TEXTS.contains(&normalize_key(key).as_str())
            || !self.meter.spend_steps(A_PATH)
        {
            return;
        }
        // Sentences begin with no path.
        let is_path = !text.trim().contains(char::is_whitespace)
            || text.trim().starts_with(['/', '~', '.', '$'])
            || is_path_key(key);
        let path = path_in_text(text).filter(|_| is_path).map(Cow::into_owned);
        self.destinations.extend(path.clone().filter(|_| key_is_one_of(key, DESTINATIONS)));
        self.found.extend(path);
    }

    /// Adds the guards that the texts name: each text, and each name in each directory.
    fn note_named_guards(&self, is_whole: bool, cwd: &str, found: &mut Found) {
        for path in &self.found {
            let seen = self.paths.path_seen_from_project(path, cwd);
            let is_home = || {
                protect::is_guard_directory(&seen)
                    || names::resolve_path_links(&seen, self.paths)
                        .is_some_and(|real| protect::is_guard_directory(&real))
            };
            let is_guard = names::is_or_contains_guard(&seen, Hold::Part, self.paths)
                || modules::is_plugin_file(&seen, self.paths);
            let is_shared_parent_of_guard = || {
                !self.destinations.contains(path)
                    && names::is_shared_parent_of_guard(
                        &self.paths.to_absolute(path, cwd),
                        self.paths,
                    )
            };
            if is_guard || is_whole && (is_home() || is_shared_parent_of_guard()) {
                found.guards.insert(seen);
            }
        }
        let bases = self.found.iter().filter(|path| {
            names::is_or_contains_guard(
                &self.paths.path_seen_from_project(path, cwd),
                Hold::Parent,
                self.paths,
            )
        });
        for base in bases.take(MOST_BASES) {
            self.note_joined_paths(base, cwd, found);
        }
    }

    /// Notes the files that the other texts name in a directory: `settings.json`, or `settings` and
    /// `json`.
    fn note_joined_paths(&self, base: &str, cwd: &str, found: &mut Found) {
        let names = || {
            self.found
                .iter()
                .filter(|name| *name != base && !name.starts_with(['/', '~']))
                .take(MOST_NAMES)
        };
        let endings = || {
            names()
                .map(|name| name.trim_start_matches('.'))
                .filter(|name| name.len() <= LONGEST_ENDING)
        };
        for name in names() {
            let whole = std::iter::once(format!("{base}/{name}"));
            for path in whole.chain(endings().map(|ending| format!("{base}/{name}.{ending}"))) {
                if !self.meter.spend_steps(A_PATH) {
                    return;
                }
                let seen = self.paths.path_seen_from_project(&path, cwd);
                if protect::relation_of_path_to_guards(&seen) == Hold::Part {
                    found.guards.insert(seen);
                }
            }
        }
    }
}
