//! Which command of other systems does what a cmdlet or a program of Windows does?
//!
//! It is listed behind the command, so that one rule about `rm` or one table of files holds for all systems. Runs nothing.

use std::sync::Arc;

use super::super::word::Word;
use super::super::{SimpleCommand, Via};
use super::argument::{Argument, Piece};
use super::names::{self, Bound, Cmdlet};

/// Returns whether a command was derived as the equivalent of a cmdlet or a program of Windows.
pub(super) fn is_derived_equivalent(command: &SimpleCommand) -> bool {
    matches!(command.via.last(), Some(Via::Equivalent(_)))
}

/// Makes a command that is found one step behind another.
pub(super) fn derive_command(
    command: &SimpleCommand,
    words: Vec<Word>,
    step: Via,
) -> SimpleCommand {
    let via: Arc<[Via]> = command.via.iter().cloned().chain([step]).collect();
    SimpleCommand { words: words.into(), via, ..command.clone() }
}

/// Returns the commands of other systems that do the same as a command.
pub(super) fn equivalent_commands(
    command: &SimpleCommand,
    cmdlet: Option<&'static Cmdlet>,
    words: &[Argument],
    piped: &[Word],
) -> Vec<SimpleCommand> {
    let Some(program) = words.first().filter(|word| word.is_value_known()) else {
        return Vec::new();
    };
    let found = match cmdlet {
        Some(cmdlet) => cmdlet_equivalent(cmdlet, words, piped).map(|words| (cmdlet.name, words)),
        None => match program.value_text() {
            "set" => equivalent_of_set_command(words).map(|words| ("set", words)),
            "ren" => equivalent_of_rename(words.get(1), words.get(2)).map(|words| ("ren", words)),
            "reg" => equivalent_of_reg_add(words).map(|words| ("reg", words)),
            name => match names::find_native_program(name, words) {
                Some((name, form)) => {
                    native_program_equivalent(form, words).map(|words| (name, words))
                }
                None => paths_with_slashes(words).map(|words| ("\\", words)),
            },
        },
    };
    found
        .map(|(name, words)| derive_command(command, words, Via::Equivalent(name)))
        .into_iter()
        .collect()
}

fn literal_word(text: &str) -> Word {
    Word::literal(text)
}

fn cmdlet_equivalent(cmdlet: &Cmdlet, words: &[Argument], piped: &[Word]) -> Option<Vec<Word>> {
    let bound = cmdlet.bind_parameters(words);
    if bound.parameter_values("WhatIf").is_some() {
        return None;
    }
    let (program, parts) = cmdlet.form.split_first()?;
    let path = bound
        .parameter_values("Path")
        .or_else(|| bound.parameter_values("LiteralPath"))
        .and_then(|paths| paths.first());
    if let Some(name) = path.and_then(|path| path_on_drive(path.value_text(), "env:")) {
        return variable_item_equivalent(cmdlet.name, name, &bound);
    }
    match *program {
        "rename" => {
            return equivalent_of_rename(
                path,
                bound.parameter_values("NewName").and_then(|names| names.first()),
            );
        }
        "new" => return equivalent_of_new_item(&bound, path),
        "set" => return None,
        "stop" if bound.parameter_values("Name").is_none() => {
            return Some(equivalent_of_stop_process(&bound));
        }
        "property" => return item_property_equivalent(cmdlet.name, &bound, path),
        // The text in the pipe runs.
        "eval" if bound.parameter_values("Command").is_none() => {
            return Some(vec![literal_word("bash")]);
        }
        _ => {}
    }
    let mut found = vec![literal_word(if *program == "stop" { "pkill" } else { program })];
    found.extend(bound.others.iter().map(|word| word.posix.clone()));
    let mut has_value = false;
    for part in parts {
        match part.split_once(':') {
            Some((name, option)) => found.extend(option_equivalent(&bound, name, option)),
            None if part.starts_with(|c: char| c.is_ascii_uppercase()) => {
                if let Some(values) = bound.parameter_values(part) {
                    has_value = true;
                    found.extend(values.iter().map(|word| word.posix.clone()));
                }
            }
            None => found.push(literal_word(part)),
        }
    }
    // `... | Remove-Item -Recurse`: what the pipe holds.
    if !has_value {
        found.extend(piped.iter().cloned());
    }
    Some(found)
}

/// Returns the equivalent of a parameter: the option and its values, or no word if the parameter is
/// not written or is switched off.
fn option_equivalent(bound: &Bound, name: &str, option: &str) -> Vec<Word> {
    let Some(values) = bound.parameter_values(name) else { return Vec::new() };
    let first = values.first();
    if first.is_some_and(|word| word.value_text().eq_ignore_ascii_case("$false")) {
        return Vec::new();
    }
    let is_switch = first.is_none_or(|word| word.value_text().starts_with("$true"));
    let values = values.iter().filter(|_| !is_switch).map(|word| word.posix.clone());
    std::iter::once(literal_word(option)).chain(values).collect()
}

/// Returns the equivalent of `Stop-Process -Id 1`, or of one that gets its process otherwise.
fn equivalent_of_stop_process(bound: &Bound) -> Vec<Word> {
    let id = bound.parameter_values("Id").or_else(|| bound.parameter_values("InputObject"));
    let id = id.unwrap_or_default().iter().map(|word| word.posix.clone());
    std::iter::once(literal_word("kill")).chain(id).collect()
}

/// Returns the path after the name of a drive.
fn path_on_drive<'t>(path: &'t str, name: &str) -> Option<&'t str> {
    let start = path.get(..name.len())?;
    let rest = path.get(name.len()..).filter(|_| start.eq_ignore_ascii_case(name))?;
    Some(rest.trim_start_matches(['\\', '/'])).filter(|rest| !rest.is_empty())
}

/// Returns the equivalent of a cmdlet on a variable: `Remove-Item Env:\X`, `Set-Item Env:X value`.
fn variable_item_equivalent(cmdlet: &str, name: &str, bound: &Bound) -> Option<Vec<Word>> {
    match cmdlet {
        "Remove-Item" | "Clear-Item" | "Clear-Content" => {
            Some(vec![literal_word("unset"), literal_word(name)])
        }
        "Set-Item" | "New-Item" | "Set-Content" => {
            let value = bound.parameter_values("Value").and_then(|values| values.first()).cloned();
            let value = value.unwrap_or_else(|| Argument::unknown("$_"));
            Some(vec![literal_word("export"), assignment_word(name, &value)])
        }
        _ => None,
    }
}

/// Returns the word `NAME=value`.
pub(super) fn assignment_word(name: &str, value: &Argument) -> Word {
    let start = Argument::literal(format!("{name}="));
    if value.is_value_known() {
        return Argument::literal(format!("{name}={}", value.value_text().replace('\\', "/")))
            .posix;
    }
    let source = format!("{}{}", start.posix.source, value.posix.source);
    Word::unknown(source)
}

/// Returns whether a path is `HKCU:\Environment`, which holds the user's variables.
fn is_user_environment_key(path: &str) -> bool {
    let small = path.to_ascii_lowercase();
    small.trim_end_matches(['\\', '/']).ends_with("environment")
}

fn item_property_equivalent(
    cmdlet: &str,
    bound: &Bound,
    path: Option<&Argument>,
) -> Option<Vec<Word>> {
    let path = path?;
    if !is_user_environment_key(path.value_text()) {
        // Whether a file is read-only is such a property.
        let is_file = !path.value_text().contains(':');
        return is_file
            .then(|| vec![literal_word("chmod"), literal_word("444"), path.posix.clone()]);
    }
    let name = bound.parameter_values("Name")?.first()?;
    let value = bound.parameter_values("Value").and_then(|values| values.first()).cloned();
    Some(match value {
        Some(value) if !cmdlet.starts_with("Remove") => {
            vec![literal_word("setx"), name.posix.clone(), value.posix]
        }
        _ => vec![literal_word("setx"), name.posix.clone(), literal_word("")],
    })
}

/// Returns the equivalent of `reg add HKCU\Environment /v NAME /d VALUE`.
fn equivalent_of_reg_add(words: &[Argument]) -> Option<Vec<Word>> {
    let verb = words.get(1)?.value_text().to_ascii_lowercase();
    words.get(2).filter(|path| is_user_environment_key(path.value_text()))?;
    let behind = |option: &str| {
        let at = words.iter().position(|word| word.value_text().eq_ignore_ascii_case(option))?;
        words.get(at + 1)
    };
    let name = behind("/v")?;
    match (verb.as_str(), behind("/d")) {
        ("add", Some(value)) => {
            Some(vec![literal_word("setx"), name.posix.clone(), value.posix.clone()])
        }
        ("delete", _) => Some(vec![literal_word("setx"), name.posix.clone(), literal_word("")]),
        _ => None,
    }
}

/// Returns the equivalent of `ren DIRECTORY\NAME OTHER`; the new name is in the same directory.
fn equivalent_of_rename(from: Option<&Argument>, to: Option<&Argument>) -> Option<Vec<Word>> {
    let (from, to) = (from?, to?);
    let path = from.posix.source.as_str();
    let to = match path.rsplit_once('/') {
        Some((directory, _)) if from.is_value_known() && to.is_value_known() => {
            Argument::new(
                &[Piece::Text(format!("{directory}/{}", to.value_text()))],
                to.value_text(),
            )
            .posix
        }
        _ => to.posix.clone(),
    };
    Some(vec![literal_word("mv"), from.posix.clone(), to])
}

/// Returns the equivalent of `New-Item -ItemType SymbolicLink -Path x -Target y`.
fn equivalent_of_new_item(bound: &Bound, path: Option<&Argument>) -> Option<Vec<Word>> {
    let first = |name: &str| bound.parameter_values(name).and_then(|values| values.first());
    let kind = first("ItemType")
        .or_else(|| first("Type"))
        .map_or("", Argument::value_text)
        .to_ascii_lowercase();
    let path = match (path, first("Name")) {
        (Some(path), Some(name)) if path.is_value_known() && name.is_value_known() => {
            Argument::literal(format!("{}/{}", path.value_text(), name.value_text())).posix
        }
        (Some(path), _) => path.posix.clone(),
        (None, name) => name?.posix.clone(),
    };
    let target = first("Target").or_else(|| first("Value"));
    Some(match (kind.as_str(), target) {
        ("symboliclink" | "junction" | "hardlink", Some(target)) => {
            vec![literal_word("ln"), literal_word("-s"), target.posix.clone(), path]
        }
        ("directory", _) => vec![literal_word("mkdir"), path],
        _ if bound.parameter_values("Force").is_some() || target.is_some() => {
            vec![literal_word("tee"), path]
        }
        _ => vec![literal_word("touch"), path],
    })
}

/// Returns the equivalent of cmd's `set NAME=value`.
fn equivalent_of_set_command(words: &[Argument]) -> Option<Vec<Word>> {
    let text = words.get(1..)?.iter().map(Argument::value_text).collect::<Vec<_>>().join(" ");
    let (name, value) = text.trim_matches('"').split_once('=')?;
    let name = name.trim_start_matches("/p ").trim();
    Some(vec![literal_word("export"), assignment_word(name, &Argument::literal(value))])
}

/// Returns a form of `natives.txt`, filled with the words of a command.
fn native_program_equivalent(form: &'static str, words: &[Argument]) -> Option<Vec<Word>> {
    let is_option = |word: &Argument| {
        let name = word.value_text().strip_prefix(['/', '-']);
        name.is_some_and(|name| !name.contains(['/', '\\', '.']) && !name.is_empty())
    };
    let operands: Vec<&Argument> = words.iter().skip(1).filter(|word| !is_option(word)).collect();
    let mut found = Vec::new();
    for part in form.split(' ') {
        if part == "*" {
            found.extend(operands.iter().map(|word| word.posix.clone()));
        } else if let Ok(at) = part.parse::<usize>()
            && at < 10
        {
            found.push(operands.get(at)?.posix.clone());
        } else if let Some((name, value)) = part.split_once('=') {
            let name = operands.get(name.parse::<usize>().ok()?)?;
            found.push(assignment_word(
                name.value_text(),
                operands.get(value.parse::<usize>().ok()?)?,
            ));
        } else if let Some((switch, option)) = part.split_once(':') {
            let is = |word: &Argument| word.value_text().eq_ignore_ascii_case(switch);
            found.extend(words.iter().any(is).then(|| literal_word(option)));
        } else {
            found.push(literal_word(part));
        }
    }
    Some(found)
}

/// Returns the words of a program with `/` instead of `\` in its paths, if some have `\`.
fn paths_with_slashes(words: &[Argument]) -> Option<Vec<Word>> {
    let rest = words.get(1..)?;
    let has = |word: &Argument| word.word.source.contains('\\') || word.value_text().contains('\\');
    rest.iter().any(has).then(|| words.iter().map(|word| word.posix.clone()).collect())
}
