//! What do the functions of rules do? Each takes values and gives one; patterns that are written
//! down are compiled here.

use std::collections::HashSet;

use tenterhook_shell::program::{Argument, matches_long_option, split_arguments};
use tenterhook_shell::{SimpleCommand, Word, WordKind};

use super::bad_pattern::BadPattern;
use super::eval::{ELEMENT, Machine, Stop};
use super::expr::{Constant, Expr, Pattern};
use super::input::RuleInput;
use super::path;
use super::search::{Search, Written};
use super::secret;
use super::value::{List, Map, Record, Text, Value};
use super::vocabulary::Do;
use crate::call::path_kind;

/// Longest pattern that is worked out by a rule, in bytes (RU-36).
const LONGEST_SAID: usize = 1024;
/// What it costs to compile such a pattern, in steps: so many, and so many for each byte.
const COMPILING: usize = 10_000;
const COMPILING_A_BYTE: usize = 400;

/// A call as it is compiled.
pub(super) enum Compiling {
    /// It is.
    Done(Expr),
    /// Its pattern is invalid.
    BadPattern(BadPattern),
}

/// Compiles a function call, and its pattern if that is a constant.
pub(super) fn compile_function_call(does: Do, mut args: Vec<Expr>) -> Compiling {
    if matches!(does, Do::Matches | Do::Find | Do::Glob)
        && args.len() == 2
        && let Some(Expr::Constant(Constant::Text(text))) = args.last()
    {
        let made = match compile_pattern(does, text, Written::InRule) {
            Ok(pattern) => pattern,
            Err(why) => return Compiling::BadPattern(why),
        };
        args.pop();
        if let Some(subject) = args.pop() {
            return Compiling::Done(Expr::Pattern(subject.into(), made.into()));
        }
    }
    Compiling::Done(Expr::Call(does, args))
}

fn compile_pattern(does: Do, text: &str, written: Written) -> Result<Pattern, BadPattern> {
    match does {
        Do::Matches => Search::compile(text, written).map(Pattern::Matches),
        Do::Find => Search::compile(text, written).map(Pattern::Find),
        _ => path::compile_glob(text, written).map(Pattern::Glob),
    }
}

/// Matches a compiled pattern against a text.
pub(super) fn match_pattern<'a>(
    machine: &Machine<'a, '_>,
    pattern: &Pattern,
    subject: Value<'a>,
) -> Result<Value<'a>, Stop> {
    let Value::Text(subject) = subject else { return Err(Stop::wrong_type("a string", &subject)) };
    let spend = |steps| machine.spend_steps(steps);
    Ok(match pattern {
        Pattern::Matches(regex) => Value::Bool(regex.is_match(&subject, &spend)?),
        Pattern::Find(regex) => match &subject {
            Text::Borrowed(text) => regex.find_first(text, &spend)?.unwrap_or_default().into(),
            Text::Made(text) => {
                regex.find_first(text, &spend)?.unwrap_or_default().to_owned().into()
            }
        },
        Pattern::Glob(glob) => {
            machine.spend_steps(subject.len() / PATH_A_STEP)?;
            Value::Bool(path::glob_matches(glob, &subject, machine.rule_input.event(), &spend)?)
        }
    })
}

/// Calls a function of the rule language.
pub(super) fn call_function<'a>(
    machine: &Machine<'a, '_>,
    does: Do,
    args: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    let weight: usize = args.iter().map(Value::walk_cost).sum();
    machine.spend_steps(weight / 16 + base_cost_of_function_call(does, args))?;
    if args.iter().any(Value::is_open_ended_list) {
        return machine.unread_part_error();
    }
    let event = machine.rule_input.event();
    Ok(match (does, args) {
        (Do::Size, [of]) => size_of_value(of)?,
        (Do::String, [of]) => machine.format_value(of, usize::MAX)?.into(),
        (Do::Int, [of]) => convert_to_int(of)?,
        (Do::Join, [Value::List(list), Value::Text(between)]) => join_list(machine, list, between)?,
        (Do::With, [Value::Map(map), Value::Map(changes)]) => merge_maps(machine, map, changes)?,
        (Do::Flag, [Value::Record(Record::Command(command)), Value::Text(flag)]) => {
            Value::Bool(has_flag(command, flag))
        }
        (Do::Runs, [Value::Record(Record::Command(command)), Value::Text(words)]) => {
            match is_program_and_subcommand(command, words, machine.rule_input) {
                Some(runs) => Value::Bool(runs),
                None if machine.treats_doubt_as_unknown() => {
                    return machine.computed_word_error(command);
                }
                None => Value::Bool(false),
            }
        }
        (Do::Matches | Do::Find | Do::Glob, [of @ Value::Text(_), Value::Text(text)]) => {
            match_computed_pattern(machine, does, of.clone(), text)?
        }
        (Do::Replace, [Value::Text(text), Value::Text(old), Value::Text(new)]) => {
            replace_text(machine, text, old, new)?
        }
        (Do::Split, [Value::Text(text), Value::Text(between)]) => {
            split_text(machine, text, between)?
        }
        (Do::CarriesSecret, [Value::Text(text)]) => {
            Value::Bool(secret::contains_secret(text, &|steps| machine.spend_steps(steps))?)
        }
        (_, [Value::Text(text)]) => call_text_function(does, text, event),
        (_, [Value::Text(text), Value::Text(other)]) => Value::Bool(match does {
            Do::Contains => text.contains(&**other),
            Do::StartsWith => text.starts_with(&**other),
            Do::EndsWith => text.ends_with(&**other),
            Do::Inside => path::is_inside_directory(text, other, event),
            _ => false,
        }),
        (_, args) => return Err(Stop::wrong_arguments(does, args)),
    })
}

/// How much of a path is one step, where it is taken apart and put together.
const PATH_A_STEP: usize = 4;

/// Returns the cost of a call in steps, without the cost of reading its arguments.
fn base_cost_of_function_call(does: Do, args: &[Value<'_>]) -> usize {
    let text = || args.iter().map(Value::walk_cost).sum::<usize>();
    match (does, args) {
        (Do::IsSecret | Do::Resolve | Do::Inside, _) => 40 + text() / PATH_A_STEP,
        // Each of some hundred places is held against each part of the path.
        (Do::Place(_), _) => 40 + text() * 2,
        (Do::Lower | Do::Upper, _) => text() / 4,
        (Do::Flag | Do::Runs, [Value::Record(Record::Command(command)), ..]) => command.words.len(),
        _ => 1,
    }
}

fn call_text_function<'a>(does: Do, text: &Text<'a>, event: &crate::Event) -> Value<'a> {
    match does {
        Do::Lower => text.to_lowercase().into(),
        Do::Upper => text.to_uppercase().into(),
        Do::Trim => text.trim().to_owned().into(),
        Do::Basename => path::basename(text).to_owned().into(),
        Do::Dirname => path::dirname(text).to_owned().into(),
        Do::Extension => path::extension(text).to_owned().into(),
        Do::Resolve => path::resolve_path(text, event).into(),
        Do::IsSecret => Value::Bool(secret::is_secret_path(text, event)),
        Do::Place(kind) => Value::Bool(path_kind::is_of_kind(
            &crate::call::path_seen_from_project(text, &event.within),
            kind,
        )),
        _ => Value::Null,
    }
}

/// Matches a pattern that the rule computes, perhaps from the event, against a text.
fn match_computed_pattern<'a>(
    machine: &Machine<'a, '_>,
    does: Do,
    subject: Value<'a>,
    text: &str,
) -> Result<Value<'a>, Stop> {
    if text.len() > LONGEST_SAID {
        let most = format!("a pattern that a rule works out has at most {LONGEST_SAID} bytes");
        return Err(Stop::TooCostly(format!("{most}, and this one has {}", text.len())));
    }
    machine.spend_steps(COMPILING + COMPILING_A_BYTE * text.len())?;
    let made = compile_pattern(does, text, Written::InEvent);
    let made = made.map_err(|why| Stop::Failed(why.to_string()))?;
    match_pattern(machine, &made, subject)
}

/// Splits a text; an empty separator yields its characters.
fn split_text<'a>(
    machine: &Machine<'a, '_>,
    text: &Text<'a>,
    between: &str,
) -> Result<Value<'a>, Stop> {
    let most = if between.is_empty() { text.len() } else { text.matches(between).count() + 1 };
    machine.spend_steps(text.len() / 16 + most * ELEMENT)?;
    Ok(match text {
        Text::Borrowed(text) => {
            split_parts_or_chars(text, between).map(|part| Value::Text(part.into())).collect()
        }
        Text::Made(text) => {
            split_parts_or_chars(text, between).map(|part| Value::from(part.to_owned())).collect()
        }
    })
}

fn split_parts_or_chars<'t>(text: &'t str, between: &str) -> impl Iterator<Item = &'t str> {
    // The library finds something before the first character and behind the last one, too.
    let of_characters = between.is_empty();
    text.split(between).filter(move |part| !of_characters || !part.is_empty())
}

#[expect(clippy::cast_possible_wrap, reason = "no text in memory is that long")]
fn size_of_value<'a>(of: &Value<'a>) -> Result<Value<'a>, Stop> {
    let size = match of {
        Value::Text(text) => text.chars().count(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        other => return Err(Stop::wrong_type("a string, an array or an object", other)),
    };
    Ok(Value::Int(size as i64))
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
fn convert_to_int<'a>(of: &Value<'a>) -> Result<Value<'a>, Stop> {
    /// Beyond these, a double holds no exact whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = match of {
        Value::Int(number) => Some(*number),
        Value::Double(number) => (number.abs() <= EXACT).then_some(*number as i64),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    };
    let no_number = || Stop::Failed(format!("{} is not a whole number", of.kind_name()));
    Ok(Value::Int(number.ok_or_else(no_number)?))
}

fn join_list<'a>(
    machine: &Machine<'a, '_>,
    list: &List<'a>,
    between: &str,
) -> Result<Value<'a>, Stop> {
    let mut joined = String::new();
    for (at, item) in list.iter().enumerate() {
        let Value::Text(text) = &item else { return Err(Stop::wrong_type("a string", &item)) };
        machine.spend_steps(1 + (text.len() + between.len()) / 16)?;
        if at > 0 {
            joined.push_str(between);
        }
        joined.push_str(text);
    }
    Ok(joined.into())
}

/// Replaces text. An empty `old` inserts the new text between all characters. Steps are counted
/// before the result is built.
fn replace_text<'a>(
    machine: &Machine<'a, '_>,
    text: &str,
    old: &str,
    new: &str,
) -> Result<Value<'a>, Stop> {
    machine.spend_steps((text.matches(old).count().saturating_mul(new.len()) + text.len()) / 16)?;
    Ok(text.replace(old, new).into())
}

/// Returns `map` with the fields of `changes` replaced or appended.
fn merge_maps<'a>(
    machine: &Machine<'a, '_>,
    map: &Map<'a>,
    changes: &Map<'a>,
) -> Result<Value<'a>, Stop> {
    machine.spend_steps(map.len().saturating_mul(1 + changes.len()))?;
    let mut fields = map.fields();
    for (key, value) in changes.fields() {
        match fields.iter_mut().find(|(name, _)| **name == *key) {
            Some((_, old)) => *old = value,
            None => fields.push((key, value)),
        }
    }
    Ok(Value::Map(Map::Made(fields.into())))
}

/// Programs that take the start of a long option for the whole: git and GNU's, as far as rules are
/// about them.
const ABBREVIATING: &str = "git rm cp mv ln chmod chown chgrp install shred truncate tee tar wget xargs env timeout sudo make patch date dd mkdir rmdir touch sort grep sed wipefs killall pkill rsync openssl gpg shutdown reboot poweroff halt";

/// Returns true if the command has a flag: `--force` also as `--force=x` or abbreviated if the
/// program allows that, `-f` also in a cluster such as `-rf`; nothing after `--`.
fn has_flag(command: &SimpleCommand, flag: &str) -> bool {
    let name = command.program_name().unwrap_or_default();
    // The value of an option is no flag: `git commit -m -n`.
    let own: HashSet<usize> = split_arguments(name, &command.words).map(|(at, _)| at).collect();
    let args = command.words.iter().enumerate().skip(1);
    let args = args.map(|(at, word)| (at, word.text.as_str()));
    let args = args.take_while(|(_, arg)| *arg != "--");
    let mut args = args.filter(|(at, _)| own.contains(at)).map(|(_, arg)| arg);
    let mut letters = flag.strip_prefix('-').unwrap_or_default().chars();
    let letter = match (letters.next(), letters.next()) {
        (Some(letter), None) if letter != '-' => Some(letter),
        _ => None,
    };
    let abbreviates =
        command.program_name().is_some_and(|name| ABBREVIATING.split(' ').any(|word| word == name));
    let cut = |arg: &str| abbreviates && matches_long_option(arg, flag);
    args.any(|arg| {
        let valued = || arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
        let among = |letter: char| {
            let cluster = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            cluster.is_some_and(|text| {
                text.chars().take_while(char::is_ascii_alphabetic).any(|c| c == letter)
            })
        };
        arg == flag
            || (flag.starts_with("--") && (valued() || cut(arg)))
            || letter.is_some_and(among)
    })
}

/// Returns the words of a command that are neither options nor values of its program's known
/// options.
pub(super) fn command_operands(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    let all = split_arguments(command.program_name().unwrap_or_default(), &command.words);
    all.filter_map(|(_, argument)| match argument {
        Argument::Operand(text) => Some(text),
        Argument::Option(_) => None,
    })
}

/// Returns true if the command is the program and subcommand in `words`, with any options between
/// them; `None` if one of those words is computed (RU-60).
fn is_program_and_subcommand(
    command: &SimpleCommand,
    words: &str,
    rule_input: &RuleInput,
) -> Option<bool> {
    let mut wanted = words.split_whitespace();
    if wanted.next() != command.program_name() {
        return Some(false);
    }
    let all = split_arguments(command.program_name().unwrap_or_default(), &command.words);
    let mut operands = all.filter_map(|(at, argument)| match argument {
        Argument::Operand(text) => Some((at, text)),
        Argument::Option(_) => None,
    });
    for word in wanted {
        match operands.next() {
            Some((_, text)) if text == word => {}
            Some((at, _)) if is_computed_word(command.words.get(at), rule_input) => return None,
            _ => return Some(false),
        }
    }
    Some(true)
}

/// Returns true if the value of a word is unknown: it has a substitution, or a variable that the
/// line does not set (RU-46).
fn is_computed_word(word: Option<&Word>, rule_input: &RuleInput) -> bool {
    let Some(word) = word.filter(|word| word.kind == WordKind::Expansion) else { return false };
    let source = word.source.trim_start_matches('"');
    let Some(rest) = source.strip_prefix('$') else { return source.starts_with('`') };
    let rest = rest.strip_prefix('{').unwrap_or(rest);
    let end = rest.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(rest.len());
    let name = rest.get(..end).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    rest.starts_with('(') || is_name && !rule_input.line_may_set_variable(name)
}
