//! What would agents run of this project's files without asking a gate of tool calls? Finds the files and prints what the library
//! reads in them; runs nothing and changes nothing (T-65).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook_core::dialect::DialectId;

use crate::ambient::Here;
use crate::load::shorten_path;
use crate::show::layout::to_safe_line;
use crate::show::paint::{BOLD, DIM, paint};

/// How many folders deep `**` looks, and how many files of one kind are read.
const DEEPEST: usize = 6;
const MOST: usize = 2_000;

/// One command.
pub(crate) struct Unasked {
    agent: &'static str,
    file: String,
    line: usize,
    when: String,
    command: String,
}

/// Returns the commands in this project's files that agents run without asking a gate, in the order
/// of the files.
pub(crate) fn find_commands_run_without_gate(here: &Here) -> Vec<Unasked> {
    let mut found = Vec::new();
    let repository = here.roots.repository.iter().filter(|root| **root != here.roots.cwd);
    let roots: Vec<&PathBuf> = std::iter::once(&here.roots.cwd).chain(repository).collect();
    for agent in DialectId::agents() {
        let dialect = agent.dialect();
        for path in dialect.automatic_command_files() {
            let mut files = Vec::new();
            for root in &roots {
                let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
                collect_matching_files(
                    root,
                    path,
                    &Walk { root: &real, deepest: DEEPEST },
                    &mut files,
                );
            }
            for file in files {
                let Ok(text) = discover::read_config_file(&file) else { continue };
                let commands = dialect.automatic_commands_in(path, &text).into_iter();
                found.extend(commands.map(|(line, when, command)| Unasked {
                    agent: dialect.calling_agent_title().unwrap_or_default(),
                    file: shorten_path(&file.to_string_lossy(), &here.roots),
                    line,
                    when,
                    command,
                }));
            }
        }
    }
    found
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
    let ending = name.trim_start_matches('*');
    for entry in entries {
        if name == "**" && rest.is_some() {
            if walks.deepest > 0 && entry.is_dir() && walks.is_inside_project(&entry) {
                let deepest = walks.deepest - 1;
                collect_matching_files(&entry, path, &Walk { deepest, ..*walks }, files);
            }
            continue;
        }
        match rest {
            Some(rest) if entry.is_dir() => collect_matching_files(&entry, rest, walks, files),
            None if entry.to_string_lossy().ends_with(ending)
                && entry.is_file()
                && walks.is_inside_project(&entry) =>
            {
                files.push(entry);
            }
            _ => {}
        }
    }
}

/// Lists the commands for people, under one heading; empty without commands.
pub(crate) fn commands_text(found: &[Unasked]) -> String {
    let mut out = String::new();
    for (at, setting) in found.iter().enumerate() {
        if at == 0 {
            let heading = "This project has agents run, without asking a gate of tool calls:";
            out.push_str(&format!("{}\n", paint(BOLD, heading)));
        }
        let place = format!("{}:{}", setting.file, setting.line);
        let when = format!("{}, {}", setting.agent, setting.when);
        out.push_str(&format!("  {}  {}\n", to_safe_line(&place), to_safe_line(&setting.command)));
        out.push_str(&format!("      {}\n", paint(DIM, to_safe_line(&when))));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Returns the commands as JSON.
pub(crate) fn commands_json(found: &[Unasked]) -> Value {
    let each = found.iter().map(|unasked| {
        json!({ "agent": unasked.agent, "file": unasked.file, "line": unasked.line, "when": unasked.when, "command": unasked.command })
    });
    each.collect()
}
