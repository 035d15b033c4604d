//! Decides whether this process is a descendant of an agent. Each process that calls a hook is
//! recorded with its ID and start time; a process belongs to an agent if one of its ancestors is
//! recorded and has the same start time.
//!
//! It reads `/proc`. On systems without it nothing is recorded, and only a terminal tells a person
//! from an agent.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::discover;

/// A process with its start time, because the system reuses IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    start: u64,
    parent: u32,
}

/// Shells that may stand between an agent and a hook: `sh -c 'tenterhook fire -'`.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "fish"];
/// Maximum number of ancestors to look at.
const DEEPEST: usize = 64;

/// Records the process that called this one with an agent's event, in the state directory. Errors
/// are ignored.
pub fn record_caller_as_agent(state: &Path) {
    if let Some(caller) = caller_behind_shells() {
        record_agent(state, &caller);
    }
}

/// Records this process as an agent.
pub fn record_self_as_agent(state: &Path) {
    if let Some(own) = read_process(std::process::id()) {
        record_agent(state, &own);
    }
}

/// The process ID of the agent that this process descends from, if one is recorded.
#[must_use]
pub fn recorded_agent_ancestor_id(state: &Path) -> Option<u32> {
    let directory = state.join("agents");
    let noted = |process: &Process| directory.join(record_file_name(process)).exists();
    process_ancestors(std::process::id()).find(noted).map(|parent| parent.id)
}

/// Returns the nearest ancestor that is not a shell running a line or a script. If it is an
/// interactive shell, there is no caller, because no agent is behind it.
fn caller_behind_shells() -> Option<Process> {
    for parent in process_ancestors(std::process::id()) {
        match parse_shell_arguments(&process_arguments(parent.id)) {
            Some(Shell::RunsScript) => {}
            Some(Shell::Interactive) => return None,
            // Process 1 adopts orphans: the caller has already exited.
            None => return Some(parent).filter(|parent| parent.id > 1),
        }
    }
    None
}

/// How a shell was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    /// With a line or a script.
    RunsScript,
    /// At a prompt.
    Interactive,
}

/// Options of shells that take the next argument as their value.
const WITH_VALUE: &[&str] = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "--init-command"];
/// An option that takes a value only in fish.
const FISH_WITH_VALUE: &str = "-C";

/// How a command line starts a shell, or `None` if its program is not a shell.
fn parse_shell_arguments(arguments: &[String]) -> Option<Shell> {
    let mut arguments = arguments.iter().map(String::as_str);
    let program = arguments.next()?.rsplit('/').next()?.trim_start_matches('-');
    if !SHELLS.contains(&program) {
        return None;
    }
    let mut arguments =
        arguments.skip_while(|argument| program == "busybox" && SHELLS.contains(argument));
    while let Some(argument) = arguments.next() {
        if WITH_VALUE.contains(&argument) || program == "fish" && argument == FISH_WITH_VALUE {
            arguments.next();
        } else if argument.starts_with("--") || argument.starts_with('+') {
            if matches!(argument, "--command" | "--") || argument.starts_with("--command=") {
                return Some(Shell::RunsScript);
            }
        } else if !argument.starts_with('-') || argument.contains('c') {
            return Some(Shell::RunsScript);
        }
    }
    Some(Shell::Interactive)
}

fn record_agent(state: &Path, agent_process: &Process) {
    let directory = state.join("agents");
    let file = directory.join(record_file_name(agent_process));
    if file.exists() {
        return;
    }
    // Remove the records of processes that have exited.
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let known = entry.file_name().to_string_lossy().into_owned();
        let id = known.split('-').next().and_then(|part| part.parse().ok());
        let is_alive =
            id.and_then(read_process).is_some_and(|process| record_file_name(&process) == known);
        if !is_alive {
            let _ = fs::remove_file(entry.path());
        }
    }
    if discover::create_private_dir(&directory).is_ok() {
        let mut mark = fs::OpenOptions::new();
        let mark =
            discover::set_owner_only_create_mode(mark.write(true).create(true).truncate(true));
        let _ = mark.and_then(|mark| discover::set_nonblocking_open(mark).open(file));
    }
}

fn record_file_name(process: &Process) -> String {
    format!("{}-{}", process.id, process.start)
}

/// The ancestors of a process, nearest first.
fn process_ancestors(id: u32) -> impl Iterator<Item = Process> {
    let parent = |other: &Process| read_process(other.parent).filter(|_| other.parent > 0);
    std::iter::successors(read_process(id), parent).skip(1).take(DEEPEST)
}

fn read_process(id: u32) -> Option<Process> {
    let text = String::from_utf8(read_process_file(id, "stat").ok()?).ok()?;
    // The program's name is in parentheses and may contain any character.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    Some(Process { id, parent: fields.get(1)?.parse().ok()?, start: fields.get(19)?.parse().ok()? })
}

/// Reads a file of `/proc`, whose length is not known ahead: with room for it, in one piece.
fn read_process_file(id: u32, name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(4096);
    fs::File::open(format!("/proc/{id}/{name}"))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The non-empty arguments of a process.
fn process_arguments(id: u32) -> Vec<String> {
    let text = read_process_file(id, "cmdline").unwrap_or_default();
    let arguments =
        text.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    arguments.filter(|argument| !argument.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-18: an interactive shell is not an agent, whatever options it was started with.
    #[test]
    fn shell_with_a_prompt_is_interactive_whatever_its_options() {
        let read = |line: &str| {
            let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
            parse_shell_arguments(&arguments)
        };
        for line in [
            "bash",
            "-bash",
            "/bin/zsh -i",
            "bash --norc",
            "bash --noprofile --norc -i",
            "bash --rcfile /tmp/rc -i",
            "bash --init-file /ide/shell.sh",
            "zsh -o vi",
            "dash -i",
            "busybox sh",
            "fish -C greet",
            "bash -O extglob --login",
        ] {
            assert_eq!(read(line), Some(Shell::Interactive), "{line}");
        }
        for line in [
            "sh -c hook",
            "/bin/bash -lc hook",
            "bash script.sh",
            "bash --norc script.sh",
            "zsh -fc x",
            "busybox sh -c x",
            "fish --command=x",
            "bash -o pipefail -c x",
            "sh -e script",
            "bash -C script",
        ] {
            assert_eq!(read(line), Some(Shell::RunsScript), "{line}");
        }
        for line in ["node /usr/bin/claude", "tmux", "python3 -c x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
