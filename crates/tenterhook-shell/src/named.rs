//! Finds the program that a computed word names, as far as the line tells: by a lookup, or by a
//! variable that the line sets. Expands nothing.

use super::word::{Word, WordKind};
use super::{Context, SimpleCommand, Via};

/// Returns the words of a variable that the line sets exactly once, by a command that was already
/// found: `CMD='npm test'; $CMD`.
pub(super) fn words_assigned_to_variable(
    text: &str,
    commands: &[SimpleCommand],
    via: &[Via],
    source: &str,
) -> Option<Vec<Word>> {
    let name = expanded_variable(source)?;
    if count_unexpanded_mentions(text, name) != 1 || may_have_other_value(text, name) {
        return None;
    }
    if commands.iter().any(may_set_unnamed_variable) {
        return None;
    }
    let mut set = commands.iter().enumerate().filter(|(at, command)| {
        let is_run =
            command.context == Context::TopLevel || *at == 0 && command.context == Context::List;
        is_run && command.words.is_empty() && *command.via == *via
    });
    let value = set.find_map(|(_, command)| {
        command.assignments.iter().find(|assignment| assignment.name == name)
    });
    let value = &value?.value;
    if let Some(name) = looked_up_program(&value.source) {
        return Some(vec![Word::literal(name)]);
    }
    let is_plain = |c: char| c.is_alphanumeric() || " -_./=:,@+%".contains(c);
    let value_text = Some(&value.text)
        .filter(|text| value.kind == WordKind::Literal && text.chars().all(is_plain))?;
    let words: Vec<Word> = match text_in_quotes(source) {
        Some(_) if value_text.contains(' ') => return None,
        _ => value_text.split(' ').filter(|word| !word.is_empty()).map(Word::literal).collect(),
    };
    (!words.is_empty()).then_some(words)
}

/// Returns the variable, if a word expands only one variable: `$X`, `"${X}"`.
pub(super) fn expanded_variable(source: &str) -> Option<&str> {
    let source = text_in_quotes(source).unwrap_or(source);
    let name = source.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(name);
    let is_name = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        && name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    is_name.then_some(name)
}

/// Returns the text between the quotes of a word.
fn text_in_quotes(source: &str) -> Option<&str> {
    source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
}

/// Programs that may set any variable, and those that set the variables that their words name.
const LOADERS: &[&str] = &["source", ".", "eval"];
const SETTERS: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
];

/// Returns whether a command may set a variable that the line does not name.
fn may_set_unnamed_variable(command: &SimpleCommand) -> bool {
    let program = command.program_name().unwrap_or_default();
    LOADERS.contains(&program)
        || SETTERS.contains(&program) && command.words.iter().any(Word::is_dynamic)
}

/// Returns whether a variable may have a value other than the assigned one: it is appended to,
/// split at characters other than blanks, or assigned in a different process (`X=ls &`).
fn may_have_other_value(text: &str, name: &str) -> bool {
    let plain = text.replace("&&", "").replace(">&", "").replace("&>", "");
    text.contains("IFS") || text.contains(&format!("{name}+=")) || plain.contains('&')
}

/// Returns whether a text may redefine a program: `which() { ...; }`, `alias which=...`.
pub(super) fn may_redefine_program(text: &str) -> bool {
    text.contains("()") || text.contains("function ") || text.contains("alias ")
}

/// Counts how often a text names a variable without expanding it.
fn count_unexpanded_mentions(text: &str, name: &str) -> usize {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let names = text.match_indices(name).filter(|(at, _)| {
        let (before, after) = text.split_at_checked(*at).unwrap_or_default();
        let after = after.strip_prefix(name).unwrap_or_default();
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        let is_expanded = before.ends_with('$') || before.ends_with("${") && after.starts_with('}');
        is_whole && !is_expanded
    });
    names.count()
}

/// Returns the program that a lookup names: `$(which node)`, `"$(command -v python3)"`.
pub(super) fn looked_up_program(source: &str) -> Option<&str> {
    let bare = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(source);
    let inner = bare.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.or_else(|| bare.strip_prefix('`')?.strip_suffix('`'))?;
    let words: Vec<&str> = inner.split_whitespace().collect();
    let (["which", name] | ["command", "-v", name] | ["type", "-P" | "-p", name]) =
        words.as_slice()
    else {
        return None;
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    (name.chars().all(is_plain) && !name.starts_with('-')).then_some(name)
}
