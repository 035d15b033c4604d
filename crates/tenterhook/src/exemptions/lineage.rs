//! Is a process the child of an agent? Recorded, not guessed: whoever calls a hook is noted with its number and its start, and
//! a process is an agent's where one of those is among its parents and still the same.
//!
//! It reads `/proc`; where there is none, nobody is noted, and a terminal alone tells a person from an agent.

use std::fs;
use std::path::Path;

use crate::discover;

/// A process, and when it began: numbers are used again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    start: u64,
    parent: u32,
}

/// Programs that hand a call of a hook on: `sh -c 'tenterhook fire -'`.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "fish"];
/// Most parents that are looked at.
const DEEPEST: usize = 64;

/// Notes who called this process with an agent's event, in the state directory. What cannot be written is not noted.
pub fn note_caller(state: &Path) {
    if let Some(caller) = caller() {
        note(state, &caller);
    }
}

/// Notes this process: it is an agent.
pub fn note_self(state: &Path) {
    if let Some(own) = process(std::process::id()) {
        note(state, &own);
    }
}

/// The number of the agent of which this process is a child, if one is noted.
#[must_use]
pub fn agent_above(state: &Path) -> Option<u32> {
    let directory = state.join("agents");
    let noted = |process: &Process| directory.join(name(process)).exists();
    parents(std::process::id()).find(noted).map(|parent| parent.id)
}

/// The first parent that is no shell which hands on a line or a script. A shell at which somebody types calls no hook.
fn caller() -> Option<Process> {
    for parent in parents(std::process::id()) {
        match as_shell(&words(parent.id)) {
            Some(Shell::HandsOn) => {}
            Some(Shell::IsTypedAt) => return None,
            // The first process is nobody's caller: whoever called before is gone.
            None => return Some(parent).filter(|parent| parent.id > 1),
        }
    }
    None
}

/// What a shell was started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    /// A line or a script.
    HandsOn,
    /// Somebody who types.
    IsTypedAt,
}

/// Options of shells whose value is the next word.
const WITH_VALUE: &[&str] = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "--init-command"];
/// One that is such an option of fish alone.
const OF_FISH: &str = "-C";

/// What the words of a command line start, where that is a shell.
fn as_shell(words: &[String]) -> Option<Shell> {
    let mut words = words.iter().map(String::as_str);
    let program = words.next()?.rsplit('/').next()?.trim_start_matches('-');
    if !SHELLS.contains(&program) {
        return None;
    }
    let mut words = words.skip_while(|word| program == "busybox" && SHELLS.contains(word));
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) || program == "fish" && word == OF_FISH {
            words.next();
        } else if word.starts_with("--") || word.starts_with('+') {
            if matches!(word, "--command" | "--") || word.starts_with("--command=") {
                return Some(Shell::HandsOn);
            }
        } else if !word.starts_with('-') || word.contains('c') {
            return Some(Shell::HandsOn);
        }
    }
    Some(Shell::IsTypedAt)
}

fn note(state: &Path, agent_process: &Process) {
    let directory = state.join("agents");
    let file = directory.join(name(agent_process));
    if file.exists() {
        return;
    }
    // Those that are gone go now, so that the directory holds the living.
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let known = entry.file_name().to_string_lossy().into_owned();
        let id = known.split('-').next().and_then(|part| part.parse().ok());
        let lives = id.and_then(process).is_some_and(|process| name(&process) == known);
        if !lives {
            let _ = fs::remove_file(entry.path());
        }
    }
    if discover::make_private(&directory).is_ok() {
        let mut mark = fs::OpenOptions::new();
        let mark = discover::owner_only(mark.write(true).create(true).truncate(true));
        let _ = mark.and_then(|mark| discover::without_waiting(mark).open(file));
    }
}

fn name(process: &Process) -> String {
    format!("{}-{}", process.id, process.start)
}

/// The parents of a process, nearest first.
fn parents(of: u32) -> impl Iterator<Item = Process> {
    let parent = |other: &Process| process(other.parent).filter(|_| other.parent > 0);
    std::iter::successors(process(of), parent).skip(1).take(DEEPEST)
}

fn process(id: u32) -> Option<Process> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name stands in brackets and may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    Some(Process { id, parent: fields.get(1)?.parse().ok()?, start: fields.get(19)?.parse().ok()? })
}

fn words(id: u32) -> Vec<String> {
    let text = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words =
        text.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-18: whoever types at a shell is no agent, however that shell was started.
    #[test]
    fn a_shell_at_which_somebody_types_hands_nothing_on() {
        let read = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            as_shell(&words)
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
            assert_eq!(read(line), Some(Shell::IsTypedAt), "{line}");
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
            assert_eq!(read(line), Some(Shell::HandsOn), "{line}");
        }
        for line in ["node /usr/bin/claude", "tmux", "python3 -c x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
