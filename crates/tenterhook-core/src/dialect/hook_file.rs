//! Writes hooks as a hook file of an agent, and reports what of them the file does not say (C-150).
//! Pure: writes no file and runs nothing.
//!
//! A hook is written by the table of the agent, read again by the agent's own reader, and compared
//! with what was meant: every difference is reported, so that no field is lost in silence.

mod compare;
mod entry;
mod matcher;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, EventRow};
use crate::hook::{Hook, Run};
use crate::source::Source;

/// How the hook file of an agent is written.
#[derive(Debug)]
pub(crate) struct HookFile {
    /// The agent's name for people.
    pub(crate) agent: &'static str,
    /// The path of the file, below a home or a project.
    pub(crate) path: &'static str,
    /// How its entries are arranged.
    pub(crate) layout: Layout,
    /// The keys of an entry, by what they say. What has no key cannot be said.
    pub(crate) keys: &'static [(Field, &'static str)],
    /// How many units of its timeout are a second.
    pub(crate) second: f64,
    /// The key and value by which a missing answer denies.
    pub(crate) closed: Option<(&'static str, &'static str)>,
}

/// How the entries of a file are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Below `hooks`, each event has a list of groups: a matcher, and a list of entries.
    Groups,
    /// The same at the root of the file.
    BareGroups,
    /// Below `hooks`, each event has a list of entries. The other keys of the root are these.
    Entries(&'static [(&'static str, u64)]),
    /// A TOML file with a table `[[hooks]]` for each entry, which names its event.
    Tables,
}

/// What a key of an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The type: `command`, `http`, `prompt` or `mcp_tool`.
    Type,
    /// The event, in a file without lists of events.
    Event,
    /// The matcher.
    Matcher,
    /// The line for a shell.
    Line,
    /// The program and its arguments.
    Argv,
    /// The arguments of the program in the line, which no shell reads then.
    Args,
    /// The time that it may take.
    Timeout,
    /// Variables.
    Env,
    /// The directory in which it starts.
    Cwd,
    /// The text that is shown while it runs.
    Status,
    /// That it runs once in a session.
    Once,
    /// That the event does not wait for it.
    Background,
    /// The same, and that a denial wakes the agent.
    Wake,
    /// A condition on the call, as a rule.
    Condition,
    /// The address of a request, its headers, and the variables that these may name.
    Url,
    /// The question to a model.
    Prompt,
    /// The server and tool of a call.
    Server,
}

impl HookFile {
    pub(crate) fn key(&self, field: Field) -> Option<&'static str> {
        self.keys.iter().find(|(known, _)| *known == field).map(|(_, key)| *key)
    }
}

/// A hook as it is written.
pub(super) struct WrittenEntry {
    /// The agent's name of the event.
    event: String,
    /// The matcher of its group or of its entry.
    matcher: Option<String>,
    /// The entry, without event and matcher.
    entry: Map<String, Value>,
}

/// Why nothing of a hook is written.
#[derive(Debug)]
pub(super) struct NotWritten(String);

impl Dialect {
    /// Returns the path of the agent's hook file below a home or project, if one can be written.
    #[must_use]
    pub fn written_file_path(&self) -> Option<&'static str> {
        self.files.written.map(|file| file.path)
    }

    /// Writes hooks as a hook file of this agent, in their order; `None` if its files cannot be
    /// written. A diagnostic names each hook, and each field of one, that the file does not say.
    #[must_use]
    pub fn write_hook_file(&self, hooks: &[Arc<Hook>]) -> Option<(String, Vec<Diagnostic>)> {
        let file = self.files.written?;
        let mut writer = Writer { target: self, file, diagnostics: Vec::new() };
        let written: Vec<WrittenEntry> =
            hooks.iter().filter_map(|hook| writer.write(hook)).collect();
        writer.report_foreign_protocols(hooks);
        Some((render_file(file, &written), writer.diagnostics))
    }
}

/// Writes hooks one by one.
struct Writer<'a> {
    target: &'a Dialect,
    file: &'static HookFile,
    diagnostics: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// Writes one hook as well as the file can, and reports what is lost; `None` if nothing of it
    /// can be written.
    fn write(&mut self, hook: &Hook) -> Option<WrittenEntry> {
        let agent = self.file.agent;
        if let Some((because, _)) = hook.arming.disabled_reason() {
            self.report_lost(hook, &format!("it never runs here ({because}), and would there"));
            return None;
        }
        if hook.enforcement.is_shadow() {
            self.report_lost(
                hook,
                &format!("it is in shadow mode, and {agent} has none: there it would enforce"),
            );
            return None;
        }
        let row = self.target.event_rows().iter().find(|row| row.event == hook.event.as_str());
        let Some(row) = row else {
            self.report_lost(hook, &format!("`event`: {agent} has no event `{}`", hook.event));
            return None;
        };
        let (written, lost) = match self.best_entry(hook, row) {
            Ok(best) => best,
            Err(NotWritten(why)) => {
                self.report_lost(hook, &why);
                return None;
            }
        };
        for loss in lost {
            // What an event ignores is reported once, with the first hook.
            let is_of_event = loss.starts_with("`answer`: on ");
            if !is_of_event || !self.diagnostics.iter().any(|known| known.message.ends_with(&loss))
            {
                self.report(Code::PartlyCarriedOver, hook, &loss);
            }
        }
        Some(written)
    }

    /// Returns the entry that says most of the hook, and what it does not say.
    fn best_entry(
        &self,
        hook: &Hook,
        row: &EventRow,
    ) -> Result<(WrittenEntry, Vec<String>), NotWritten> {
        let mut best: Option<(WrittenEntry, Vec<String>)> = None;
        let mut refused = None;
        for candidate in entry::entry_candidates(hook, self.target, self.file, row)? {
            match self.losses(hook, row, &candidate) {
                Err(why) => refused = refused.or(Some(why)),
                Ok(lost) if lost.is_empty() => return Ok((candidate, lost)),
                Ok(lost) if best.as_ref().is_none_or(|(_, least)| lost.len() < least.len()) => {
                    best = Some((candidate, lost));
                }
                Ok(_) => {}
            }
        }
        let agent = self.file.agent;
        let nothing = || NotWritten(format!("{agent} has no entry for what it runs"));
        best.ok_or_else(|| refused.unwrap_or_else(nothing))
    }

    /// Reads the entry as the agent would, and returns how the hook in it differs.
    fn losses(
        &self,
        hook: &Hook,
        row: &EventRow,
        written: &WrittenEntry,
    ) -> Result<Vec<String>, NotWritten> {
        let text = render_file(self.file, std::slice::from_ref(written));
        let name = format!("/{}", self.file.path);
        let directory = std::path::Path::new(&name).parent().unwrap_or_else(|| "/".as_ref());
        let source = Source::from_text(&name, self.target.id(), &text, directory);
        let read = self.target.read_config(&source);
        let mut lost = compare::differences(hook, row, &read.hooks, self.target, self.file)?;
        // What a check of the new file would find, such as a tool that the agent does not have.
        let found = read.diagnostics.into_iter();
        let found = found.filter(|finding| finding.severity > Severity::Advice);
        lost.extend(found.map(|finding| format!("in {}, {}", self.file.agent, finding.message)));
        Ok(lost)
    }

    /// Reports once for each dialect that the programs of hooks get another input here.
    fn report_foreign_protocols(&mut self, hooks: &[Arc<Hook>]) {
        let mut reported = vec![self.target.id()];
        let reads_input =
            |hook: &&Arc<Hook>| matches!(hook.run, Run::Command(_) | Run::Worker(_) | Run::Http(_));
        for hook in hooks.iter().filter(reads_input) {
            if reported.contains(&hook.dialect) {
                continue;
            }
            reported.push(hook.dialect);
            let (from, agent) = (hook.dialect.as_str(), self.file.agent);
            let message = format!(
                "`input` and `answer`: programs written for `{from}` get {agent}'s input there, and must answer in its form"
            );
            let found = Diagnostic::new(Code::PartlyCarriedOver, message, hook.place.clone());
            self.diagnostics.push(found.help(format!(
                "to keep the programs as they are, keep this file and run `tenterhook install {}`, which translates",
                self.target.id()
            )));
        }
    }

    fn report_lost(&mut self, hook: &Hook, message: &str) {
        self.report(Code::NotCarriedOver, hook, message);
    }

    fn report(&mut self, code: Code, hook: &Hook, message: &str) {
        let message = format!("hook `{}`: {message}", hook.id);
        self.diagnostics.push(Diagnostic::new(code, message, hook.place.clone()));
    }
}

/// Renders entries as a file.
fn render_file(file: &HookFile, written: &[WrittenEntry]) -> String {
    match file.layout {
        Layout::Groups => to_json_text(&json!({ "hooks": groups_by_event(file, written) })),
        Layout::BareGroups => to_json_text(&groups_by_event(file, written)),
        Layout::Entries(beside) => {
            let mut root: Map<String, Value> =
                beside.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
            root.insert("hooks".to_owned(), entries_by_event(file, written));
            to_json_text(&Value::Object(root))
        }
        Layout::Tables => entry::toml_tables(file, written),
    }
}

fn to_json_text(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Returns the events with their groups. Neighbours with the same matcher share a group.
fn groups_by_event(file: &HookFile, written: &[WrittenEntry]) -> Value {
    let key = file.key(Field::Matcher).unwrap_or("matcher");
    let mut events: Map<String, Value> = Map::new();
    for entry in written {
        let groups = events.entry(entry.event.clone()).or_insert_with(|| json!([]));
        let Some(groups) = groups.as_array_mut() else { continue };
        let matcher = entry.matcher.as_deref();
        let same =
            groups.last_mut().filter(|group| group.get(key).and_then(Value::as_str) == matcher);
        if let Some(hooks) = same.and_then(|group| group.get_mut("hooks")?.as_array_mut()) {
            hooks.push(Value::Object(entry.entry.clone()));
            continue;
        }
        let mut group = Map::new();
        if let Some(matcher) = matcher {
            group.insert(key.to_owned(), matcher.into());
        }
        group.insert("hooks".to_owned(), json!([entry.entry]));
        groups.push(Value::Object(group));
    }
    Value::Object(events)
}

/// Returns the events with their entries.
fn entries_by_event(file: &HookFile, written: &[WrittenEntry]) -> Value {
    let mut events: Map<String, Value> = Map::new();
    for entry in written {
        let list = events.entry(entry.event.clone()).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(Value::Object(entry::with_matcher(file, entry)));
        }
    }
    Value::Object(events)
}

#[cfg(test)]
mod tests;
