//! What would agents run of a repository? Finds the files that the agents' tables name, and prints the commands in them; runs nothing
//! and changes nothing (T-65, T-190).

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tenterhook::internal::discover;
use tenterhook_core::agents::{Commands, Consent, repository_files_by_agent};
use tenterhook_core::dialect::{RepositoryCommand, read_repository_commands};
use tenterhook_core::entry::digest::Digest;
use tenterhook_core::install;

use crate::ambient::Here;
use crate::load::shorten_path;
use crate::show::layout::{format_count, to_safe_line};
use crate::show::paint::{BOLD, DIM, paint};

/// How many folders deep `**` looks, and how many files of one kind are read.
const DEEPEST: usize = 6;
const MOST: usize = 2_000;

/// A command that an agent runs of a repository.
pub(crate) struct FoundCommand {
    /// The agent's name for people.
    pub(crate) agent: &'static str,
    /// Whether the agent asks before it runs it.
    pub(crate) consent: Consent,
    /// The directory in which the agent would be started.
    pub(crate) directory: PathBuf,
    /// The file.
    pub(crate) path: PathBuf,
    /// The file, for people.
    pub(crate) file: String,
    /// The digest of the file's text.
    pub(crate) digest: Digest,
    /// The command.
    pub(crate) command: RepositoryCommand,
}

/// Returns the commands that agents would run of this project, if they were started here or in the
/// root of the repository.
pub(crate) fn find_commands(here: &Here) -> Vec<FoundCommand> {
    let repository = here.roots.repository.iter().filter(|root| **root != here.roots.cwd);
    let directories: Vec<PathBuf> =
        std::iter::once(&here.roots.cwd).chain(repository).cloned().collect();
    find_commands_in(&directories, here)
}

/// Returns the commands that agents would run if they were started in one of the directories, in the
/// order of the agents and files. What `install` writes is left out (T-192).
pub(crate) fn find_commands_in(directories: &[PathBuf], here: &Here) -> Vec<FoundCommand> {
    let mut found = Vec::new();
    for (agent, kind) in repository_files_by_agent() {
        for directory in directories {
            let mut files = Vec::new();
            let real = directory.canonicalize().unwrap_or_else(|_| directory.clone());
            let walk = Walk { root: &real, deepest: DEEPEST };
            for path in alternatives(kind.path) {
                collect_matching_files(directory, &path, &walk, &mut files);
            }
            for path in files {
                let read = discover::read_config_file(&path);
                let text = read.as_deref().unwrap_or_default();
                let commands = match &read {
                    Ok(text) => read_repository_commands(kind, text),
                    Err(error) => vec![unreadable_file(&error.to_string())],
                };
                let is_own = |command: &RepositoryCommand| match kind.commands {
                    Commands::Code(_) => is_own_text(text, &real),
                    _ => command.is_hook && is_own_text(&command.text, &real),
                };
                let foreign = commands.into_iter().filter(|command| !is_own(command));
                found.extend(foreign.map(|command| FoundCommand {
                    agent,
                    consent: kind.consent,
                    directory: directory.clone(),
                    file: shorten_path(&path.to_string_lossy(), &here.roots),
                    path: path.clone(),
                    digest: Digest::hash(text.as_bytes()),
                    command,
                }));
            }
        }
    }
    found
}

/// Returns the row that represents the commands of a file that cannot be read.
fn unreadable_file(error: &str) -> RepositoryCommand {
    RepositoryCommand {
        line: 1,
        when: "what runs of it is not known".to_owned(),
        text: format!("the file cannot be read: {error}"),
        is_hook: false,
    }
}

/// Returns `true` if `install` writes exactly this text, and the program in it is not one of the
/// project.
fn is_own_text(text: &str, project: &Path) -> bool {
    install::program_called_by_own_text(text).is_some_and(|program| {
        let path = Path::new(program);
        path.file_name().is_some_and(|name| name == "tenterhook")
            && (!program.contains('/') || (path.is_absolute() && !path.starts_with(project)))
    })
}

/// How a walk over folders goes on.
struct Walk<'a> {
    /// The real path of the project.
    root: &'a Path,
    /// How many folders deep it still looks.
    deepest: usize,
}

impl Walk<'_> {
    /// Returns whether a path lies in the project, and not behind a symlink that leads out of it.
    fn is_inside_project(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| real.starts_with(self.root))
    }
}

/// Returns the paths that a path with `{a,b}` stands for.
fn alternatives(path: &str) -> Vec<String> {
    let parts = path.split_once('{').and_then(|(start, rest)| {
        let (names, end) = rest.split_once('}')?;
        Some((start, names, end))
    });
    let Some((start, names, end)) = parts else { return vec![path.to_owned()] };
    names.split(',').flat_map(|name| alternatives(&format!("{start}{name}{end}"))).collect()
}

/// Collects the files below a directory that match a path with `*` and `**`. A directory that `*`
/// matches may be a symlink to anywhere, as for the agent; files that `*` matches and directories
/// that `**` matches have to lie in the project.
fn collect_matching_files(
    directory: &Path,
    path: &str,
    walks: &Walk<'_>,
    files: &mut Vec<PathBuf>,
) {
    let (name, rest) = path.split_once('/').map_or((path, None), |(name, rest)| (name, Some(rest)));
    if files.len() >= MOST {
        return;
    }
    if !name.contains('*') {
        return match rest {
            Some(rest) => collect_matching_files(&directory.join(name), rest, walks, files),
            None => files.extend(Some(directory.join(name)).filter(|file| file.is_file())),
        };
    }
    if let (true, Some(rest)) = (name == "**", rest) {
        collect_matching_files(directory, rest, walks, files);
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    let (start, end) = name.split_once('*').unwrap_or((name, ""));
    let is_match = |entry: &Path| {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
    };
    for entry in entries {
        if name == "**" && rest.is_some() {
            if walks.deepest > 0 && entry.is_dir() && walks.is_inside_project(&entry) {
                let deepest = walks.deepest - 1;
                collect_matching_files(&entry, path, &Walk { deepest, ..*walks }, files);
            }
            continue;
        }
        match rest {
            Some(rest) if entry.is_dir() && is_match(&entry) => {
                collect_matching_files(&entry, rest, walks, files)
            }
            None if is_match(&entry) && entry.is_file() && walks.is_inside_project(&entry) => {
                files.push(entry);
            }
            _ => {}
        }
    }
}

/// Lists the files with hooks and the agents that run them, for people; empty without hooks.
pub(crate) fn hook_files_text(found: &[FoundCommand]) -> String {
    let mut out = String::new();
    let hooks: Vec<&FoundCommand> = found.iter().filter(|found| found.command.is_hook).collect();
    let mut files: Vec<&str> = hooks.iter().map(|hook| hook.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    for (at, file) in files.iter().enumerate() {
        if at == 0 {
            let heading =
                "Agents run hooks of this project by themselves, whatever you approve here:";
            out.push_str(&format!("{}\n", paint(BOLD, heading)));
        }
        let of_file: Vec<&FoundCommand> =
            hooks.iter().filter(|hook| hook.file == **file).copied().collect();
        let mut places: Vec<_> = of_file.iter().map(|hook| &hook.command).collect();
        places.sort();
        places.dedup();
        let count = format_count(places.len(), "hook");
        out.push_str(&format!("  {}  {count}\n", to_safe_line(file)));
        for (agents, consent) in agents_by(&of_file, |hook| hook.consent.to_string()) {
            let line = format!("{agents}: {consent}");
            out.push_str(&format!("      {}\n", paint(DIM, to_safe_line(&line))));
        }
    }
    if !files.is_empty() {
        out.push('\n');
    }
    out
}

/// Lists the commands that are no hooks for people, under one heading; empty without commands.
pub(crate) fn commands_beside_tool_calls_text(found: &[FoundCommand]) -> String {
    let beside: Vec<&FoundCommand> = found.iter().filter(|found| !found.command.is_hook).collect();
    match beside.is_empty() {
        true => String::new(),
        false => {
            let heading = "This project has agents run, without asking a gate of tool calls:";
            format!("{}\n{}\n", paint(BOLD, heading), command_lines(&beside, |_| String::new()))
        }
    }
}

/// Renders each command once, with the agents that run it, when, and whether they ask. `note` is added
/// behind the command.
pub(crate) fn command_lines(
    found: &[&FoundCommand],
    note: impl Fn(&FoundCommand) -> String,
) -> String {
    let mut out = String::new();
    let key =
        |found: &FoundCommand| (found.file.clone(), found.command.line, found.command.text.clone());
    let mut shown = Vec::new();
    for command in found {
        if shown.contains(&key(command)) {
            continue;
        }
        shown.push(key(command));
        let same: Vec<&FoundCommand> =
            found.iter().filter(|other| key(other) == key(command)).copied().collect();
        let place = format!("{}:{}", command.file, command.command.line);
        let text = to_safe_line(&command.command.text);
        out.push_str(&format!("  {}  {text}{}\n", to_safe_line(&place), note(command)));
        let clause = |found: &FoundCommand| format!("{}; {}", found.command.when, found.consent);
        for (agents, clause) in agents_by(&same, clause) {
            let line = format!("{agents}, {clause}");
            out.push_str(&format!("      {}\n", paint(DIM, to_safe_line(&line))));
        }
    }
    out
}

/// Groups agents by a clause, in the order of the clauses: the names of the agents, and the clause.
fn agents_by(
    found: &[&FoundCommand],
    clause: impl Fn(&FoundCommand) -> String,
) -> Vec<(String, String)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for command in found {
        let clause = clause(command);
        let at = groups.iter().position(|(known, _)| *known == clause);
        match at.and_then(|at| groups.get_mut(at)) {
            Some((_, agents)) if agents.contains(&command.agent) => {}
            Some((_, agents)) => agents.push(command.agent),
            None => groups.push((clause, vec![command.agent])),
        }
    }
    groups.into_iter().map(|(clause, agents)| (agents.join(", "), clause)).collect()
}

/// Returns the commands that are no hooks as JSON.
pub(crate) fn commands_beside_tool_calls_json(found: &[FoundCommand]) -> Value {
    let beside = found.iter().filter(|found| !found.command.is_hook);
    beside.map(|found| Value::Object(command_json(found))).collect()
}

/// Returns a command as the fields of a JSON object.
pub(crate) fn command_json(found: &FoundCommand) -> Map<String, Value> {
    let fields = [
        ("agent", found.agent.into()),
        ("file", found.file.as_str().into()),
        ("line", found.command.line.into()),
        ("when", found.command.when.as_str().into()),
        ("command", found.command.text.as_str().into()),
        ("consent", found.consent.name().into()),
        ("condition", found.consent.condition().into()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
