//! Which command of other systems does what a cmdlet or a program of Windows does?
//!
//! It is listed behind the command, so that one rule about `rm` or one table of files holds for all systems. Runs nothing.

use std::sync::Arc;

use super::super::word::Word;
use super::super::{SimpleCommand, Via};
use super::argument::{Argument, Piece};
use super::names::{self, Bound, Cmdlet};

/// Whether a command was found by what a cmdlet or a program of Windows does.
pub(super) fn is_equivalent(command: &SimpleCommand) -> bool {
    matches!(command.via.last(), Some(Via::Equivalent(_)))
}

/// The command that is found one step behind another.
pub(super) fn derived(command: &SimpleCommand, words: Vec<Word>, step: Via) -> SimpleCommand {
    let via: Arc<[Via]> = command.via.iter().cloned().chain([step]).collect();
    SimpleCommand { words: words.into(), via, ..command.clone() }
}

/// What a command does in other words.
pub(super) fn equivalents(
    command: &SimpleCommand,
    cmdlet: Option<&'static Cmdlet>,
    words: &[Argument],
    piped: &[Word],
) -> Vec<SimpleCommand> {
    let Some(program) = words.first().filter(|word| word.is_known()) else { return Vec::new() };
    let found = match cmdlet {
        Some(cmdlet) => of_cmdlet(cmdlet, words, piped).map(|words| (cmdlet.name, words)),
        None => match program.text() {
            "set" => set(words).map(|words| ("set", words)),
            "ren" => renamed(words.get(1), words.get(2)).map(|words| ("ren", words)),
            "reg" => registry(words).map(|words| ("reg", words)),
            name => match names::native(name, words) {
                Some((name, form)) => of_native(form, words).map(|words| (name, words)),
                None => with_slashes(words).map(|words| ("\\", words)),
            },
        },
    };
    found.map(|(name, words)| derived(command, words, Via::Equivalent(name))).into_iter().collect()
}

fn plain(text: &str) -> Word {
    Word::literal(text)
}

fn of_cmdlet(cmdlet: &Cmdlet, words: &[Argument], piped: &[Word]) -> Option<Vec<Word>> {
    let bound = cmdlet.bind(words);
    if bound.get("WhatIf").is_some() {
        return None;
    }
    let (program, parts) = cmdlet.form.split_first()?;
    let path =
        bound.get("Path").or_else(|| bound.get("LiteralPath")).and_then(|paths| paths.first());
    if let Some(name) = path.and_then(|path| drive(path.text(), "env:")) {
        return variable(cmdlet.name, name, &bound);
    }
    match *program {
        "rename" => return renamed(path, bound.get("NewName").and_then(|names| names.first())),
        "new" => return new_item(&bound, path),
        "set" => return None,
        "stop" if bound.get("Name").is_none() => {
            let id = bound.get("Id").or_else(|| bound.get("InputObject")).unwrap_or_default();
            let id = id.iter().map(|word| word.posix.clone());
            return Some(std::iter::once(plain("kill")).chain(id).collect());
        }
        "property" => return property(cmdlet.name, &bound, path),
        // The text in the pipe runs.
        "eval" if bound.get("Command").is_none() => return Some(vec![plain("bash")]),
        _ => {}
    }
    let mut found = vec![plain(if *program == "stop" { "pkill" } else { program })];
    found.extend(bound.others.iter().map(|word| word.posix.clone()));
    let mut has_value = false;
    for part in parts {
        match part.split_once(':') {
            Some((name, option)) => {
                if let Some(values) = bound.get(name) {
                    let is_off = values
                        .first()
                        .is_some_and(|word| word.text().eq_ignore_ascii_case("$false"));
                    if !is_off {
                        found.push(plain(option));
                        let is_switch =
                            values.first().is_none_or(|word| word.text().starts_with("$true"));
                        found.extend(
                            values.iter().filter(|_| !is_switch).map(|word| word.posix.clone()),
                        );
                    }
                }
            }
            None if part.starts_with(|c: char| c.is_ascii_uppercase()) => {
                if let Some(values) = bound.get(part) {
                    has_value = true;
                    found.extend(values.iter().map(|word| word.posix.clone()));
                }
            }
            None => found.push(plain(part)),
        }
    }
    // `... | Remove-Item -Recurse`: what the pipe holds.
    if !has_value {
        found.extend(piped.iter().cloned());
    }
    Some(found)
}

/// The path after the name of a drive.
fn drive<'t>(path: &'t str, name: &str) -> Option<&'t str> {
    let start = path.get(..name.len())?;
    let rest = path.get(name.len()..).filter(|_| start.eq_ignore_ascii_case(name))?;
    Some(rest.trim_start_matches(['\\', '/'])).filter(|rest| !rest.is_empty())
}

/// `Remove-Item Env:\X`, `Set-Item Env:X value`
fn variable(cmdlet: &str, name: &str, bound: &Bound) -> Option<Vec<Word>> {
    match cmdlet {
        "Remove-Item" | "Clear-Item" | "Clear-Content" => Some(vec![plain("unset"), plain(name)]),
        "Set-Item" | "New-Item" | "Set-Content" => {
            let value = bound.get("Value").and_then(|values| values.first()).cloned();
            let value = value.unwrap_or_else(|| Argument::unknown("$_"));
            Some(vec![plain("export"), assignment(name, &value)])
        }
        _ => None,
    }
}

/// `NAME=value`
pub(super) fn assignment(name: &str, value: &Argument) -> Word {
    let start = Argument::literal(format!("{name}="));
    if value.is_known() {
        return Argument::literal(format!("{name}={}", value.text().replace('\\', "/"))).posix;
    }
    let source = format!("{}{}", start.posix.source, value.posix.source);
    Word::unknown(source)
}

/// `HKCU:\Environment`, the variables of the user.
fn is_environment(path: &str) -> bool {
    let small = path.to_ascii_lowercase();
    small.trim_end_matches(['\\', '/']).ends_with("environment")
}

fn property(cmdlet: &str, bound: &Bound, path: Option<&Argument>) -> Option<Vec<Word>> {
    let path = path?;
    if !is_environment(path.text()) {
        // Whether a file is read-only is such a property.
        let is_file = !path.text().contains(':');
        return is_file.then(|| vec![plain("chmod"), plain("444"), path.posix.clone()]);
    }
    let name = bound.get("Name")?.first()?;
    let value = bound.get("Value").and_then(|values| values.first()).cloned();
    Some(match value {
        Some(value) if !cmdlet.starts_with("Remove") => {
            vec![plain("setx"), name.posix.clone(), value.posix]
        }
        _ => vec![plain("setx"), name.posix.clone(), plain("")],
    })
}

/// `reg add HKCU\Environment /v NAME /d VALUE`
fn registry(words: &[Argument]) -> Option<Vec<Word>> {
    let verb = words.get(1)?.text().to_ascii_lowercase();
    words.get(2).filter(|path| is_environment(path.text()))?;
    let behind = |option: &str| {
        let at = words.iter().position(|word| word.text().eq_ignore_ascii_case(option))?;
        words.get(at + 1)
    };
    let name = behind("/v")?;
    match (verb.as_str(), behind("/d")) {
        ("add", Some(value)) => Some(vec![plain("setx"), name.posix.clone(), value.posix.clone()]),
        ("delete", _) => Some(vec![plain("setx"), name.posix.clone(), plain("")]),
        _ => None,
    }
}

/// `ren DIRECTORY\NAME OTHER`: the other name is one in the same directory.
fn renamed(from: Option<&Argument>, to: Option<&Argument>) -> Option<Vec<Word>> {
    let (from, to) = (from?, to?);
    let path = from.posix.source.as_str();
    let to = match path.rsplit_once('/') {
        Some((directory, _)) if from.is_known() && to.is_known() => {
            Argument::new(&[Piece::Text(format!("{directory}/{}", to.text()))], to.text()).posix
        }
        _ => to.posix.clone(),
    };
    Some(vec![plain("mv"), from.posix.clone(), to])
}

/// `New-Item -ItemType SymbolicLink -Path x -Target y`
fn new_item(bound: &Bound, path: Option<&Argument>) -> Option<Vec<Word>> {
    let first = |name: &str| bound.get(name).and_then(|values| values.first());
    let kind =
        first("ItemType").or_else(|| first("Type")).map_or("", Argument::text).to_ascii_lowercase();
    let path = match (path, first("Name")) {
        (Some(path), Some(name)) if path.is_known() && name.is_known() => {
            Argument::literal(format!("{}/{}", path.text(), name.text())).posix
        }
        (Some(path), _) => path.posix.clone(),
        (None, name) => name?.posix.clone(),
    };
    let target = first("Target").or_else(|| first("Value"));
    Some(match (kind.as_str(), target) {
        ("symboliclink" | "junction" | "hardlink", Some(target)) => {
            vec![plain("ln"), plain("-s"), target.posix.clone(), path]
        }
        ("directory", _) => vec![plain("mkdir"), path],
        _ if bound.get("Force").is_some() || target.is_some() => vec![plain("tee"), path],
        _ => vec![plain("touch"), path],
    })
}

/// `set NAME=value` of cmd.
fn set(words: &[Argument]) -> Option<Vec<Word>> {
    let text = words.get(1..)?.iter().map(Argument::text).collect::<Vec<_>>().join(" ");
    let (name, value) = text.trim_matches('"').split_once('=')?;
    let name = name.trim_start_matches("/p ").trim();
    Some(vec![plain("export"), assignment(name, &Argument::literal(value))])
}

/// A form of `natives.txt` with the words of a command.
fn of_native(form: &'static str, words: &[Argument]) -> Option<Vec<Word>> {
    let is_option = |word: &Argument| {
        let name = word.text().strip_prefix(['/', '-']);
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
            found.push(assignment(name.text(), operands.get(value.parse::<usize>().ok()?)?));
        } else if let Some((switch, option)) = part.split_once(':') {
            let is = |word: &Argument| word.text().eq_ignore_ascii_case(switch);
            found.extend(words.iter().any(is).then(|| plain(option)));
        } else {
            found.push(plain(part));
        }
    }
    Some(found)
}

/// A program with `/` in its paths, where some have `\`.
fn with_slashes(words: &[Argument]) -> Option<Vec<Word>> {
    let rest = words.get(1..)?;
    let has = |word: &Argument| word.word.source.contains('\\') || word.text().contains('\\');
    rest.iter().any(has).then(|| words.iter().map(|word| word.posix.clone()).collect())
}
