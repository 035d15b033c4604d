//! Reads the files of an agent entry by entry, each with its line, and finds mistakes. Runs nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenterhook_core::agents::{Agent, Approvals, Event, Form, Installation, Scope};
use tenterhook_core::install::{self, Approval, tenterhook_files_with_texts};

use super::finding::{Finding, Kind, Mend};
use super::switches;
use crate::ambient::Here;
use crate::command::install::files::{
    agent_file_paths, agent_user_directory, read_if_exists, scope_name,
};
use crate::show::layout::format_count;

/// An entry of ours.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) event: &'static Event,
    /// What the agent runs for it: a shell line or a program.
    pub(super) call: Call,
    pub(super) line: Option<usize>,
    /// The program of ours that it starts.
    pub(super) program: String,
}

#[derive(Clone, Debug)]
pub(super) enum Call {
    Line(String),
    Script(PathBuf),
}

/// A file of an agent.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) scope: Scope,
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) entries: Vec<Entry>,
    broken: Option<(Option<usize>, String)>,
}

/// Returns the files of an agent that exist.
pub(super) fn existing_agent_files(agent: &'static Agent, here: &Here) -> Vec<File> {
    agent_file_paths(agent, here)
        .iter()
        .flat_map(|(scope, root)| files_in_scope(agent, *scope, root))
        .collect()
}

/// Returns whether the agent was never run with Tenterhook and no file of it has an entry of ours:
/// `install --all` leaves it out, too (BR-170).
pub(super) fn is_left_out(agent: &'static Agent, here: &Here) -> bool {
    agent.evidence.source_if_only_read().is_some()
        && existing_agent_files(agent, here).iter().all(|file| file.entries.is_empty())
}

fn files_in_scope(agent: &'static Agent, scope: Scope, root: &Path) -> Vec<File> {
    let names: Vec<String> = match agent.installation.form {
        Form::Scripts | Form::Plugin(_) => tenterhook_files_with_texts(agent, "tenterhook")
            .into_iter()
            .map(|file| file.0)
            .collect(),
        _ => vec![String::new()],
    };
    let path = |name: &String| if name.is_empty() { root.to_owned() } else { root.join(name) };
    names.iter().filter_map(|name| read_agent_file(agent, scope, path(name), name)).collect()
}

fn read_agent_file(agent: &'static Agent, scope: Scope, path: PathBuf, name: &str) -> Option<File> {
    let mut file = File { scope, path, text: String::new(), entries: Vec::new(), broken: None };
    match read_if_exists(&file.path) {
        Ok(None) => return None,
        Ok(Some(text)) => file.text = text,
        Err(error) => file.broken = Some((None, error.to_string())),
    }
    let commands = match agent.installation.form {
        Form::Missing => Ok(Vec::new()),
        Form::Shared(_) | Form::Own(_) => install::installed_events_and_commands(agent, &file.text),
        Form::Scripts => Ok(command_in_script(&file.text, name)),
        Form::Plugin(_) => Ok(commands_in_plugin(agent, &file.text)),
    };
    match commands {
        Ok(commands) => file.entries = entries_from_commands(agent, &file, commands),
        Err(wrong) if file.broken.is_none() => {
            file.broken = Some((Some(wrong.line), wrong.message));
        }
        Err(_) => {}
    }
    Some(file)
}

fn command_in_script(text: &str, name: &str) -> Vec<(String, String)> {
    let command = text.lines().find(|line| line.contains(" hook --agent "));
    command.map(|command| (name.to_owned(), command.to_owned())).into_iter().collect()
}

/// Returns the commands that the plugin runs: the same command for each event that it names.
fn commands_in_plugin(agent: &Agent, text: &str) -> Vec<(String, String)> {
    let program = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = "));
    let program = program
        .and_then(|program| serde_json::from_str::<String>(program.trim_end_matches(';')).ok());
    let Some(program) = program else { return Vec::new() };
    let named = |event: &&Event| text.contains(&format!("\"{}\"", event.name));
    let events = agent.installation.events.iter().filter(named);
    events
        .map(|event| (event.name.to_owned(), install::hook_command_line(agent, event, &program)))
        .collect()
}

/// Returns an entry, with its event, program and line, for each command whose event name the agent
/// knows.
fn entries_from_commands(
    agent: &'static Agent,
    file: &File,
    commands: Vec<(String, String)>,
) -> Vec<Entry> {
    let entry = |(name, command): (String, String)| {
        let event = agent.installation.events.iter().find(|event| event.name == name)?;
        let program = install::program_in_command_line(&command)?;
        let written = Value::from(command.as_str()).to_string();
        let line = find_line_number(&file.text, &written)
            .or_else(|| find_line_number(&file.text, &command));
        let line = line.or_else(|| find_line_number(&file.text, "const PROGRAM = "));
        let call = match agent.installation.form {
            Form::Scripts => Call::Script(file.path.clone()),
            _ => Call::Line(command),
        };
        Some(Entry { event, call, line, program })
    };
    commands.into_iter().filter_map(entry).collect()
}

/// Returns the number of the first line that contains `wanted`, from 1.
pub(super) fn find_line_number(text: &str, wanted: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(wanted)).map(|at| at + 1)
}

/// Returns the findings about the entries in the files of an agent.
pub(super) fn entry_findings(agent: &'static Agent, files: &[File], here: &Here) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        files.iter().filter_map(|file| unreadable_file_finding(file, here)).collect();
    let ours: Vec<&File> = files.iter().filter(|file| !file.entries.is_empty()).collect();
    if ours.is_empty() && found.is_empty() {
        let what = format!("{} does not call Tenterhook: none of its hooks runs", agent.title);
        found.push(Finding::new(Kind::NotInstalled, what, fix_by_installing(agent, Scope::User)));
    }
    if !ours.is_empty() {
        found.extend(missing_entry_findings(agent, &ours, here));
    }
    found.extend(ours.iter().filter_map(|file| altered_entry_finding(agent, file, here)));
    found.extend(ours.iter().flat_map(|file| files_beside_plugin_findings(agent, file, here)));
    found.extend(called_twice_finding(agent, &ours, here));
    found.extend(switches::switch_findings(agent, files, here));
    found.extend(ours.iter().flat_map(|file| unapproved_entries_findings(agent, file, here)));
    found
}

pub(super) fn fix_by_installing(agent: &Agent, scope: Scope) -> Mend {
    match scope {
        Scope::User => Mend::from_command(format!("tenterhook install {}", agent.name)),
        _ => Mend::from_command(format!(
            "tenterhook install {} --scope {}",
            agent.name,
            scope_name(scope)
        )),
    }
}

fn unreadable_file_finding(file: &File, here: &Here) -> Option<Finding> {
    let (line, why) = file.broken.as_ref()?;
    let mend = Mend::from_advice(
        "fix the file by hand; until then `tenterhook install` does not change it",
    );
    Some(
        Finding::new(Kind::FileUnreadable, why.as_str(), mend)
            .with_location(&file.path, *line, here),
    )
}

fn missing_entry_findings(agent: &'static Agent, ours: &[&File], here: &Here) -> Vec<Finding> {
    let calls = |event: &&Event| {
        !ours.iter().flat_map(|file| &file.entries).any(|e| e.event.name == event.name)
    };
    let Some(first) = ours.first() else { return Vec::new() };
    let gone: Vec<&Event> = agent.installation.events.iter().filter(calls).collect();
    let of = |gates: bool, kind: Kind, then: &str| {
        let names: Vec<String> = gone
            .iter()
            .filter(|event| event.gates == gates)
            .map(|event| format!("`{}`", event.name))
            .collect();
        (!names.is_empty()).then(|| {
            let what = format!("there is no entry for {}: {then}", names.join(", "));
            Finding::new(kind, what, fix_by_installing(agent, first.scope)).with_location(
                &first.path,
                None,
                here,
            )
        })
    };
    let gates = of(true, Kind::GateMissing, "nothing is asked before these happen");
    let others = of(false, Kind::EventMissing, "hooks for these do not run");
    gates.into_iter().chain(others).collect()
}

/// Reports an entry that differs from what `install` writes, at the first line that `install` would
/// change.
fn altered_entry_finding(agent: &'static Agent, file: &File, here: &Here) -> Option<Finding> {
    let program = file.entries.first()?.program.as_str();
    let wanted = match agent.installation.form {
        Form::Shared(_) => reinstalled_text(agent, file, program)?,
        _ => {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut all = tenterhook_files_with_texts(agent, program).into_iter();
            all.find(|pair| pair.0.is_empty() || pair.0 == name)?.1
        }
    };
    if wanted == file.text {
        return None;
    }
    let same = file.text.lines().zip(wanted.lines()).take_while(|(one, other)| one == other);
    let line = same.count() + 1;
    let what =
        "this entry differs from what `install` writes (timeout, matcher or fail-closed wrapper)";
    Some(
        Finding::new(Kind::EntryAltered, what, fix_by_installing(agent, file.scope)).with_location(
            &file.path,
            Some(line),
            here,
        ),
    )
}

/// Reports the files beside a plugin that are missing or differ from what `install` writes.
fn files_beside_plugin_findings(agent: &'static Agent, file: &File, here: &Here) -> Vec<Finding> {
    let Form::Plugin(plugin) = agent.installation.form else { return Vec::new() };
    let beside = plugin.beside.iter().filter_map(|(name, text)| {
        let path = file.path.with_file_name(name);
        let what = match read_if_exists(&path).ok().flatten() {
            Some(found) if found == *text => return None,
            Some(_) => "this file differs from what `install` writes",
            None => "this file is missing: the plugin does not load without it",
        };
        let finding = Finding::new(Kind::EntryAltered, what, fix_by_installing(agent, file.scope));
        Some(finding.with_location(&path, None, here))
    });
    beside.collect()
}

/// Returns the text as `install` would write it, without adding missing entries: these have their
/// own finding.
fn reinstalled_text(agent: &'static Agent, file: &File, program: &str) -> Option<String> {
    let events: Vec<Event> = agent
        .installation
        .events
        .iter()
        .filter(|event| file.entries.iter().any(|entry| entry.event.name == event.name))
        .copied()
        .collect();
    // A table of rows is static; one that holds fewer events lives as long as this program does, which is not long.
    let installation = Installation { events: Vec::leak(events), ..agent.installation };
    let row = Agent { installation, ..*agent };
    install::add_own_entries(&row, program, Some(&file.text)).ok()
}

/// Reports a second file through which the agent also calls Tenterhook: hooks would run once for
/// each file.
fn called_twice_finding(agent: &'static Agent, ours: &[&File], here: &Here) -> Option<Finding> {
    let gate = agent.installation.events.iter().find(|event| event.gates)?;
    let calls = |file: &&&File| file.entries.iter().any(|entry| entry.event.name == gate.name);
    let all: Vec<&&File> = ours.iter().filter(calls).collect();
    // The organisation's entry stays: a user could not write it again.
    let is_removable = |file: &&&&File| file.scope != Scope::Managed;
    let second = all.iter().rev().find(is_removable).or(all.last()).filter(|_| all.len() > 1)?;
    let mend = format!("tenterhook uninstall {} --scope {}", agent.name, scope_name(second.scope));
    let what = "a second file also calls Tenterhook: hooks run once for each file";
    Some(Finding::new(Kind::CalledTwice, what, Mend::Run(mend)).with_location(
        &second.path,
        None,
        here,
    ))
}

fn unapproved_entries_findings(agent: &Agent, file: &File, here: &Here) -> Vec<Finding> {
    let Some(name) = agent.installation.approvals_file(file.scope) else { return Vec::new() };
    let text = read_text_or_empty(&agent_user_directory(agent, here).join(name));
    let approvals = install::own_approvals(agent, &file.path.to_string_lossy(), &file.text, &text);
    let of = |state: Approval| {
        let events: Vec<&String> = approvals
            .iter()
            .filter(|approval| approval.1 == state)
            .map(|approval| &approval.0)
            .collect();
        let first = file
            .entries
            .iter()
            .find(|entry| events.first().is_some_and(|e| *e == entry.event.name))?;
        let what = format!(
            "{} {}: {} silently skips these entries",
            format_count(events.len(), "event"),
            state.label(),
            agent.title
        );
        let mend = match agent.installation.approvals {
            Approvals::ByInstall(_) => fix_by_installing(agent, file.scope),
            _ => Mend::from_advice(agent.installation.next),
        };
        let finding = Finding::new(Kind::NotApproved, what, mend);
        Some(finding.with_location(&file.path, first.line, here))
    };
    [Approval::Unknown, Approval::Changed, Approval::Off].into_iter().filter_map(of).collect()
}

/// Reads a text file. An unreadable file gives an empty text, which approves nothing.
fn read_text_or_empty(path: &Path) -> String {
    read_if_exists(path).ok().flatten().unwrap_or_default()
}
