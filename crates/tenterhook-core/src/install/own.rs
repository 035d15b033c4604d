//! Finds foreign content in a file that only Tenterhook should write: removing or rewriting the
//! file would lose it. Reads a text.

use super::entry::{hook_command_line, tenterhook_files_with_texts};
use super::json::item_entries;
use crate::agents::{AGENTS, Agent, Form};
use crate::config::is_tenterhook_entry_line;
use crate::diagnostic::{Location, Span};
use crate::syntax::{Format, Node, parse_by_format};

/// Foreign content in a file of Tenterhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// Its command or key, for messages.
    pub what: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The keys of the root of a file of Tenterhook.
const ROOT: &[&str] = &["version", "hooks"];

/// The first part of a file of Tenterhook that is neither its entry nor a container of entries
/// (BR-63).
#[must_use]
pub fn find_foreign_part(agent: &Agent, text: &str) -> Option<Stranger> {
    match agent.installation.form {
        Form::Own(_) => find_foreign_part_in_json(agent, text),
        Form::Scripts => find_foreign_line_in_script(text),
        Form::Plugin(_) => find_foreign_line_in_module(agent, text),
        Form::Missing | Form::Shared(_) => None,
    }
}

fn find_foreign_part_in_json(agent: &Agent, text: &str) -> Option<Stranger> {
    let at = |span: Span, what: String| {
        let line = Location::find(&std::sync::Arc::from(""), text, span).line;
        Some(Stranger { what, line })
    };
    let parsed = parse_by_format(text, Format::Json);
    if let Some(fault) = parsed.faults.first() {
        return at(fault.span, fault.message.clone());
    }
    let root = parsed.root?;
    if let Some(entry) = root.entries().iter().find(|entry| !ROOT.contains(&entry.key.as_str())) {
        return at(entry.key_span, format!("`{}`", entry.key));
    }
    let hooks = root.get("hooks");
    let events = hooks.map_or(&[][..], Node::entries).iter();
    let entries = events.flat_map(|event| {
        let items = event.node.as_array().into_iter().flatten();
        items.flat_map(|item| item_entries(agent, &event.key, item))
    });
    // In a list for all events, an object below `action` holds the command.
    let list = hooks.and_then(Node::as_array).into_iter().flatten();
    let mut entries = entries.chain(list.map(|node| node.get("action").unwrap_or(node)));
    let command = |entry: &Node| entry.get("command").and_then(Node::as_str).map(str::to_owned);
    let foreign = entries
        .find(|entry| !command(entry).is_some_and(|command| is_tenterhook_entry_line(&command)))?;
    at(
        foreign.span,
        command(foreign).map_or_else(|| "an entry".to_owned(), |command| format!("`{command}`")),
    )
}

/// Returns the first line that Tenterhook did not write. Its script is one command; comments are
/// ignored.
fn find_foreign_line_in_script(text: &str) -> Option<Stranger> {
    let is_code = |line: &str| !line.is_empty() && !line.starts_with('#');
    let mut lines = text.lines().map(str::trim).enumerate();
    let (at, line) = lines.find(|(_, line)| is_code(line) && !is_tenterhook_entry_line(line))?;
    Some(Stranger { what: format!("`{line}`"), line: at + 1 })
}

/// Stands for the path of the program in a text that `install` would write.
const PROGRAM: &str = "/@/tenterhook";

/// Returns the program that a text calls if the text is exactly what `install` writes: the command
/// of an event, or a separate file (T-192). A program with quoted characters is not recognized.
#[must_use]
pub fn program_called_by_own_text(text: &str) -> Option<&str> {
    AGENTS.iter().find_map(|agent| {
        let events = agent.installation.events.iter();
        let commands = events.map(|event| hook_command_line(agent, event, PROGRAM));
        let files = tenterhook_files_with_texts(agent, PROGRAM).into_iter().map(|(_, file)| file);
        commands.chain(files).find_map(|template| program_at_its_place(text, &template))
    })
}

/// Returns the program in a text that differs from the template in the program only.
fn program_at_its_place<'a>(text: &'a str, template: &str) -> Option<&'a str> {
    let (before, after) = template.split_once(PROGRAM)?;
    let end = after.chars().next()?;
    let (program, _) = text.strip_prefix(before)?.split_once(end)?;
    let is_plain = program.chars().all(|char| char.is_alphanumeric() || "/._-+:".contains(char));
    (is_plain && template.replace(PROGRAM, program) == text).then_some(program)
}

/// How the line begins that holds the path of the program in a module.
const PROGRAM_LINE: &str = "const PROGRAM = ";

/// Digests of the modules of earlier versions, with `"tenterhook"` as their program.
const EARLIER_MODULES: &[u64] = &[
    // OpenCode, before it sealed the calls that were judged.
    0x8318_a34d_d276_3b8c,
];

/// Returns the first line that differs from the module that this version writes, unless an earlier
/// version wrote the whole text.
fn find_foreign_line_in_module(agent: &Agent, text: &str) -> Option<Stranger> {
    let written = text.lines().find_map(|line| line.strip_prefix(PROGRAM_LINE));
    let program = written.and_then(|written| serde_json::from_str::<String>(written).ok());
    let own = tenterhook_files_with_texts(agent, program.as_deref().unwrap_or_default());
    if own.iter().any(|(_, own)| own == text) || EARLIER_MODULES.contains(&module_digest(text)) {
        return None;
    }
    let is_same_file = |own: &str| own.lines().next() == text.lines().next();
    let (_, own) = own.iter().find(|(_, own)| is_same_file(own)).or(own.first())?;
    let mut own_lines = own.lines();
    let found = text.lines().enumerate().find(|(_, line)| own_lines.next() != Some(line));
    let (at, line) = found.unwrap_or_else(|| (text.lines().count(), "the end is missing"));
    Some(Stranger { what: format!("`{}`", line.trim()), line: at + 1 })
}

/// Returns the FNV-1a digest of a module, whatever its program.
fn module_digest(text: &str) -> u64 {
    let lines = text.split_inclusive('\n').map(|line| match line.starts_with(PROGRAM_LINE) {
        true => "const PROGRAM = \"tenterhook\"\n",
        false => line,
    });
    lines.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{CLAUDE, CLINE, PI};

    /// T-192.
    #[test]
    fn own_text_names_its_program_and_any_change_makes_it_foreign() {
        for agent in [&CLAUDE, &CLINE, &PI] {
            for program in ["tenterhook", "/opt/bin/tenterhook"] {
                let files = tenterhook_files_with_texts(agent, program).into_iter();
                let events = agent.installation.events.iter();
                let commands = events.map(|event| hook_command_line(agent, event, program));
                for text in files.map(|(_, file)| file).chain(commands) {
                    assert_eq!(program_called_by_own_text(&text), Some(program), "{text}");
                    assert_eq!(program_called_by_own_text(&format!("{text}; ls")), None);
                    assert_eq!(
                        program_called_by_own_text(&text.replacen("--agent", "--agnt", 1)),
                        None
                    );
                }
            }
        }
        let spaced = hook_command_line(&CLAUDE, &CLAUDE.installation.events[0], "/a b/tenterhook");
        assert_eq!(program_called_by_own_text(&spaced), None);
    }
}
