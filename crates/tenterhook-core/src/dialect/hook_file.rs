//! Writes hooks as a hook file of an agent, and reports what of them the file does not say (C-150).
//! Pure: writes no file and runs nothing.
//!
//! A hook is written by the table of the agent, read again by the agent's own reader, and compared
//! with what was meant: every difference is reported, so that no field is lost in silence.

mod compare;
mod entry;
mod matcher;
mod render;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::agents::{AGENTS, HookFile};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, EventRow};
use crate::hook::{Compat, Hook, Run};
use crate::matcher::{Condition, MatcherSpec};
use crate::source::{ReadConfig, Source};
pub(crate) use matcher::OWN_TOOLS_ALONE;
use matcher::{ToolNames, Translated};
use render::render_file;
pub(crate) use render::{action_entry, actions_text, json_file_text, whole_entry};

/// A hook as it is written.
pub(crate) struct WrittenEntry {
    /// The agent's name of the event.
    pub(crate) event: String,
    /// The matcher of its group or of its entry.
    pub(crate) matcher: Option<String>,
    /// The entry, without event and matcher.
    pub(crate) entry: Map<String, Value>,
}

/// An entry, with what the agent reads of it.
struct Best {
    written: WrittenEntry,
    /// What it does not say.
    lost: Vec<String>,
    /// How many of these a check of the file reports as errors.
    errors: usize,
    /// What the hook in it matches.
    matcher: MatcherSpec,
}

/// Why nothing of a hook is written.
#[derive(Debug)]
pub(super) struct NotWritten(String);

impl Dialect {
    /// Returns the path of the agent's hook file below a home or project, if one can be written.
    #[must_use]
    pub fn written_file_path(&self) -> Option<&'static str> {
        self.files.written.ok().map(|file| file.path)
    }

    /// Returns why no hook file of the agent is written, as a clause; empty if one can be written.
    #[must_use]
    pub fn why_not_written(&self) -> &'static str {
        self.files.written.err().unwrap_or_default()
    }

    /// Returns the agent's name for people.
    fn agent_title(&self) -> &'static str {
        let name = self.id().as_str();
        let agent = || AGENTS.iter().find(|agent| agent.name == name);
        self.calling_agent_title().or_else(|| Some(agent()?.title)).unwrap_or(name)
    }

    /// Writes hooks as a hook file of this agent, in their order; `None` if its files cannot be
    /// written. A diagnostic names each hook, and each field of one, that the file does not say.
    #[must_use]
    pub fn write_hook_file(&self, hooks: &[Arc<Hook>]) -> Option<(String, Vec<Diagnostic>)> {
        let file = self.files.written.ok()?;
        let target = Target { dialect: self, file, agent: self.agent_title() };
        let mut writer = Writer { target, diagnostics: Vec::new() };
        let (mut written, mut kept) = (Vec::new(), Vec::new());
        for hook in hooks {
            let entries = writer.write(hook);
            kept.extend((!entries.is_empty()).then_some(hook));
            written.extend(entries);
        }
        writer.report_foreign_protocols(&kept);
        Some((render_file(file, &written), writer.diagnostics))
    }
}

/// The agent that hooks are written for.
#[derive(Clone, Copy)]
struct Target<'a> {
    dialect: &'a Dialect,
    file: &'static HookFile,
    /// Its name for people.
    agent: &'static str,
}

/// Writes hooks one by one.
struct Writer<'a> {
    target: Target<'a>,
    diagnostics: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// Writes one hook as well as the file can, and reports what is lost; no entry if nothing of it
    /// can be written.
    fn write(&mut self, hook: &Hook) -> Vec<WrittenEntry> {
        match self.best_entries(hook) {
            Ok((written, lost)) => {
                for loss in lost {
                    self.report_part_lost(hook, &loss);
                }
                written
            }
            Err(NotWritten(why)) => {
                self.report(Code::NotCarriedOver, hook, &why);
                Vec::new()
            }
        }
    }

    /// Reports a lost part. What an event ignores is reported once, with the first hook.
    fn report_part_lost(&mut self, hook: &Hook, loss: &str) {
        let is_of_event = loss.starts_with("`answer`: on ");
        if !is_of_event || !self.diagnostics.iter().any(|known| known.message.ends_with(loss)) {
            self.report(Code::PartlyCarriedOver, hook, loss);
        }
    }

    /// Returns the entries that say most of the hook, and what they do not say. An agent with
    /// several events for this one gets an entry for each of them whose tools the hook is about.
    fn best_entries(&self, hook: &Hook) -> Result<(Vec<WrittenEntry>, Vec<String>), NotWritten> {
        let agent = self.target.agent;
        if let Some((because, _)) = hook.arming.disabled_reason() {
            return Err(NotWritten(format!("it never runs here ({because}), and would there")));
        }
        if hook.enforcement.is_shadow() {
            let why = format!("it is in shadow mode, and {agent} has none: there it would enforce");
            return Err(NotWritten(why));
        }
        let rows =
            self.target.dialect.event_rows().iter().filter(|row| row.event == hook.event.as_str());
        let rows: Vec<&EventRow> = rows.collect();
        match rows[..] {
            [] => Err(NotWritten(format!("`event`: {agent} has no event `{}`", hook.event))),
            [row] => self.best_entry(hook, row, false).map(|best| (vec![best.written], best.lost)),
            _ => self.best_entries_of_rows(hook, &rows),
        }
    }

    /// Returns the best entry of each of several events whose tools the hook is about.
    fn best_entries_of_rows(
        &self,
        hook: &Hook,
        rows: &[&EventRow],
    ) -> Result<(Vec<WrittenEntry>, Vec<String>), NotWritten> {
        let own = hook.dialect.dialect();
        let from = row_of_hook(hook).and_then(|row| ToolNames::of_event(own, row));
        let best: Vec<Best> = rows
            .iter()
            .map(|row| self.best_entry(hook, row, true))
            .collect::<Result<_, NotWritten>>()?;
        let parts: Vec<&MatcherSpec> = best.iter().map(|best| &best.matcher).collect();
        let (spec, _) = selection_of_hook(hook);
        let split = matcher::split_by_event(&spec, from, &parts, self.target.agent);
        if !split.chosen.contains(&true) {
            let why = split.lost.into_iter().next().unwrap_or_default();
            return Err(NotWritten(format!("`matcher`: {why}")));
        }
        let mut lost: Vec<String> =
            split.lost.into_iter().map(|loss| format!("`matcher`: {loss}")).collect();
        let mut written = Vec::new();
        for (best, _) in best.into_iter().zip(split.chosen).filter(|(_, is_chosen)| *is_chosen) {
            let new: Vec<String> =
                best.lost.into_iter().filter(|loss| !lost.contains(loss)).collect();
            lost.extend(new);
            written.push(best.written);
        }
        Ok((written, lost))
    }

    /// Returns the entry that says most of the hook. If the event `is_part` of several, its matcher
    /// is not compared.
    fn best_entry(&self, hook: &Hook, row: &EventRow, is_part: bool) -> Result<Best, NotWritten> {
        let mut best: Option<Best> = None;
        let mut refused = None;
        let names = names_of_hook(hook, self.target.dialect, row);
        let translated = matcher::translate_matcher(&selection_of_hook(hook).0, names);
        let wanted = (!is_part).then_some(&translated);
        let all = entry::entry_candidates(hook, self.target, row, &translated.matcher)?;
        for candidate in all {
            match self.read_back(hook, row, candidate, wanted) {
                Err(why) => refused = refused.or(Some(why)),
                Ok(found) if found.lost.is_empty() => return Ok(found),
                Ok(found) => {
                    let rank = |best: &Best| (best.errors, best.lost.len());
                    if best.as_ref().is_none_or(|best| rank(&found) < rank(best)) {
                        best = Some(found);
                    }
                }
            }
        }
        let agent = self.target.agent;
        let nothing = || NotWritten(format!("{agent} has no entry for what it runs"));
        best.ok_or_else(|| refused.unwrap_or_else(nothing))
    }

    /// Reads the entry as the agent would, and lists how the hook in it differs.
    fn read_back(
        &self,
        hook: &Hook,
        row: &EventRow,
        written: WrittenEntry,
        wanted: Option<&Translated>,
    ) -> Result<Best, NotWritten> {
        let agent = self.target.agent;
        let read = self.read(&written, Compat::Guarded);
        let matcher = read.hooks.first().map(|read| selection_of_hook(read).0);
        let matcher = matcher.unwrap_or(MatcherSpec::Any);
        let mut lost = compare::differences(hook, row, &read.hooks, self.target, wanted)?;
        // What a check of the new file would find, such as a tool that the agent does not have.
        let found = read.diagnostics.into_iter();
        let found: Vec<Diagnostic> =
            found.filter(|finding| finding.severity > Severity::Advice).collect();
        let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
        // A variable that is not set is reported once.
        let is_said = |finding: &Diagnostic| {
            let unset = lost.iter().filter_map(|loss| loss.split_once("does not set `"));
            let mut names = unset.filter_map(|(_, name)| name.strip_suffix('`'));
            names.any(|name| finding.message.contains(&format!("`{name}`")))
        };
        let new: Vec<String> = found
            .iter()
            .filter(|finding| !is_said(finding))
            .map(|finding| format!("in {agent}, {}", finding.message))
            .collect();
        lost.extend(new);
        let best = Best { written, lost, errors, matcher };
        match self.why_dropped(hook, &best.written) {
            Some(because) => Err(NotWritten(format!("{agent} would not run it: {because}"))),
            None => Ok(best),
        }
    }

    /// Returns why the agent drops the entry, if it does.
    fn why_dropped(&self, hook: &Hook, written: &WrittenEntry) -> Option<String> {
        let exact = self.read(written, Compat::Exact);
        let read = exact.hooks.iter().find(|read| read.event == hook.event)?;
        read.arming.disabled_reason().map(|(because, _)| because.to_owned())
    }

    /// Reads a file with only this entry.
    fn read(&self, written: &WrittenEntry, compat: Compat) -> ReadConfig {
        let Target { dialect, file, .. } = self.target;
        let text = render_file(file, std::slice::from_ref(written));
        let name = format!("/{}", file.path);
        let directory = std::path::Path::new(&name).parent().unwrap_or_else(|| "/".as_ref());
        let source = Source::from_text(&name, dialect.id(), &text, directory);
        dialect.read_config(&Source { compat, ..source })
    }

    /// Reports once for each agent that the programs of hooks get another input here.
    fn report_foreign_protocols(&mut self, hooks: &[&Arc<Hook>]) {
        let mut reported = vec![self.target.dialect.id().as_str()];
        let reads_input =
            |hook: &&Arc<Hook>| matches!(hook.run, Run::Command(_) | Run::Worker(_) | Run::Http(_));
        for hook in hooks.iter().copied().filter(reads_input) {
            // A second form of a protocol has a name such as `cursor-action`.
            let from = hook.dialect.as_str().split('-').next().unwrap_or_default();
            if reported.contains(&from) {
                continue;
            }
            reported.push(from);
            let agent = self.target.agent;
            let message = format!(
                "`input` and `answer`: programs written for `{from}` get {agent}'s input there, and must answer in its form"
            );
            let found = Diagnostic::new(Code::PartlyCarriedOver, message, hook.place.clone());
            self.diagnostics.push(found.help(format!(
                "to keep the programs as they are, keep this file and run `tenterhook install {}`, which translates",
                self.target.dialect.id()
            )));
        }
    }

    fn report(&mut self, code: Code, hook: &Hook, message: &str) {
        let message = format!("hook `{}`: {message}", hook.id);
        self.diagnostics.push(Diagnostic::new(code, message, hook.place.clone()));
    }
}

/// Returns the row of a hook's event in its agent's table.
fn row_of_hook(hook: &Hook) -> Option<&'static EventRow> {
    hook.dialect.dialect().event_row(&hook.event)
}

/// Returns how a hook's own agent and the target name the tools that its event is about, if it is
/// about tools in both.
fn names_of_hook(hook: &Hook, target: &Dialect, row: &EventRow) -> Option<(ToolNames, ToolNames)> {
    let own = hook.dialect.dialect();
    let from = ToolNames::of_event(own, row_of_hook(hook).unwrap_or(row))?;
    Some((from, ToolNames::of_event(target, row)?))
}

/// Returns what a hook matches, and the text of a condition that says more. A condition that a
/// matcher can say is part of the matcher.
fn selection_of_hook(hook: &Hook) -> (MatcherSpec, Option<&str>) {
    let condition = hook.condition.as_ref();
    match condition.and_then(Condition::as_matcher) {
        Some(matcher) if *hook.matcher.spec() == MatcherSpec::Any => (matcher.clone(), None),
        _ => (hook.matcher.spec().clone(), condition.map(Condition::text)),
    }
}

#[cfg(test)]
mod tests;
