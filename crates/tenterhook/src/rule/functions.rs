//! What do the functions of rules do? Each takes values and gives one; patterns that are written down are compiled here.

use regex::{Regex, RegexBuilder};

use super::eval::{Machine, Stop};
use super::expr::{Constant, Expr, Pattern};
use super::path;
use super::secret;
use super::value::{List, Map, Record, Text, Value};
use super::words::Do;
use crate::call::place;
use crate::shell::SimpleCommand;

/// Largest compiled pattern, in bytes (RU-33).
const LARGEST_PATTERN: usize = 1 << 20;
/// What it costs to compile a pattern that is worked out by the rule, in steps.
const COMPILING: usize = 20_000;

/// A call as it is compiled.
pub(super) enum Compiling {
    /// It is.
    Done(Expr),
    /// Its pattern is none.
    BadPattern(String),
}

/// Compiles a call; a pattern that is written down is compiled with it.
pub(super) fn compile(does: Do, mut args: Vec<Expr>) -> Compiling {
    let make = match does {
        Do::Matches => |text: &str| regex(text).map(Pattern::Matches),
        Do::Find => |text: &str| regex(text).map(Pattern::Find),
        Do::Glob => |text: &str| path::glob(text).map(Pattern::Glob),
        _ => return Compiling::Done(Expr::Call(does, args)),
    };
    if args.len() == 2
        && let Some(Expr::Constant(Constant::Text(text))) = args.last()
    {
        let made = match make(text) {
            Ok(pattern) => pattern,
            Err(why) => return Compiling::BadPattern(why),
        };
        args.pop();
        if let Some(subject) = args.pop() {
            return Compiling::Done(Expr::Pattern(subject.into(), made));
        }
    }
    Compiling::Done(Expr::Call(does, args))
}

fn regex(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text)
        .size_limit(LARGEST_PATTERN)
        .dfa_size_limit(LARGEST_PATTERN)
        .nest_limit(64)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
            other => last_line(&other.to_string()),
        })
}

/// The crate draws the pattern and says what is wrong below it.
fn last_line(message: &str) -> String {
    let last = message.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Holds a pattern that is compiled against a text.
pub(super) fn pattern<'a>(
    machine: &Machine<'a, '_>,
    pattern: &Pattern,
    subject: Value<'a>,
) -> Result<Value<'a>, Stop> {
    let Value::Text(subject) = subject else { return Err(Stop::needs("a text", &subject)) };
    machine.spend(subject.len() / 2)?;
    Ok(match pattern {
        Pattern::Matches(regex) => Value::Bool(regex.is_match(&subject)),
        Pattern::Find(regex) => found(regex, &subject),
        Pattern::Glob(glob) => Value::Bool(path::selects(glob, &subject, machine.sight.event())),
    })
}

fn found<'a>(regex: &Regex, subject: &Text<'a>) -> Value<'a> {
    match subject {
        Text::Borrowed(text) => regex.find(text).map_or("", |it| it.as_str()).into(),
        Text::Made(text) => regex.find(text).map_or("", |it| it.as_str()).to_owned().into(),
    }
}

/// Calls a function.
pub(super) fn call<'a>(
    machine: &Machine<'a, '_>,
    does: Do,
    args: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    let weight: usize = args.iter().map(Value::weight).sum();
    machine.spend(weight / 16 + base(does, args))?;
    let event = machine.sight.event();
    Ok(match (does, args) {
        (Do::Size, [of]) => size(of)?,
        (Do::String, [of]) => {
            let made = of.to_string();
            machine.spend(made.len())?;
            made.into()
        }
        (Do::Int, [of]) => int(of)?,
        (Do::Join, [Value::List(list), Value::Text(between)]) => join(machine, list, between)?,
        (Do::With, [Value::Map(map), Value::Map(changes)]) => with(machine, map, changes)?,
        (Do::Flag, [Value::Record(Record::Command(command)), Value::Text(flag)]) => {
            Value::Bool(has_flag(command, flag))
        }
        (Do::Runs, [Value::Record(Record::Command(command)), Value::Text(words)]) => {
            Value::Bool(runs(command, words))
        }
        (Do::Matches, [of @ Value::Text(_), Value::Text(text)]) => {
            worked_out(machine, of.clone(), regex(text).map(Pattern::Matches))?
        }
        (Do::Find, [of @ Value::Text(_), Value::Text(text)]) => {
            worked_out(machine, of.clone(), regex(text).map(Pattern::Find))?
        }
        (Do::Glob, [of @ Value::Text(_), Value::Text(text)]) => {
            worked_out(machine, of.clone(), path::glob(text).map(Pattern::Glob))?
        }
        (Do::Replace, [Value::Text(text), Value::Text(old), Value::Text(new)]) => {
            replace(machine, text, old, new)?
        }
        (Do::Split, [Value::Text(text), Value::Text(between)]) => {
            machine.spend(text.len())?;
            text.split(&**between).map(|it| Value::from(it.to_owned())).collect()
        }
        (_, [Value::Text(text)]) => of_text(does, text, event),
        (_, [Value::Text(text), Value::Text(other)]) => Value::Bool(match does {
            Do::Contains => text.contains(&**other),
            Do::StartsWith => text.starts_with(&**other),
            Do::EndsWith => text.ends_with(&**other),
            Do::Inside => path::is_inside(text, other, event),
            _ => false,
        }),
        (_, args) => return Err(Stop::arguments(does, args)),
    })
}

/// What a call costs beside the walk over its values, in steps.
fn base(does: Do, args: &[Value<'_>]) -> usize {
    match (does, args) {
        (Do::IsSecret, _) => 40,
        (Do::CarriesSecret, [Value::Text(text)]) => 40 + text.len(),
        (Do::Resolve | Do::Inside | Do::Glob, _) => 10,
        (Do::Flag | Do::Runs, [Value::Record(Record::Command(command)), ..]) => command.words.len(),
        _ => 1,
    }
}

fn of_text<'a>(does: Do, text: &Text<'a>, event: &crate::Event) -> Value<'a> {
    match does {
        Do::Lower => text.to_lowercase().into(),
        Do::Upper => text.to_uppercase().into(),
        Do::Trim => text.trim().to_owned().into(),
        Do::Basename => path::basename(text).to_owned().into(),
        Do::Dirname => path::dirname(text).to_owned().into(),
        Do::Extension => path::extension(text).to_owned().into(),
        Do::Resolve => path::resolve(text, event).into(),
        Do::IsSecret => Value::Bool(secret::is_secret(text, event)),
        Do::CarriesSecret => Value::Bool(secret::carries(text)),
        Do::Place(kind) => Value::Bool(place::is(&crate::call::seen(text, &event.within), kind)),
        _ => Value::Null,
    }
}

fn worked_out<'a>(
    machine: &Machine<'a, '_>,
    subject: Value<'a>,
    made: Result<Pattern, String>,
) -> Result<Value<'a>, Stop> {
    machine.spend(COMPILING)?;
    pattern(machine, &made.map_err(Stop::Failed)?, subject)
}

#[expect(clippy::cast_possible_wrap, reason = "no text in memory is that long")]
fn size<'a>(of: &Value<'a>) -> Result<Value<'a>, Stop> {
    let size = match of {
        Value::Text(text) => text.chars().count(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        other => return Err(Stop::needs("a text, a list or an object", other)),
    };
    Ok(Value::Int(size as i64))
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
fn int<'a>(of: &Value<'a>) -> Result<Value<'a>, Stop> {
    /// Beyond these, a double holds no exact whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = match of {
        Value::Int(number) => Some(*number),
        Value::Double(number) => (number.abs() <= EXACT).then_some(*number as i64),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    };
    let no_number = || Stop::Failed(format!("{} is no whole number", of.word()));
    Ok(Value::Int(number.ok_or_else(no_number)?))
}

fn join<'a>(machine: &Machine<'a, '_>, list: &List<'a>, between: &str) -> Result<Value<'a>, Stop> {
    let mut joined = String::new();
    for (at, item) in list.iter().enumerate() {
        let Value::Text(text) = &item else { return Err(Stop::needs("a text", &item)) };
        machine.spend(1 + (text.len() + between.len()) / 16)?;
        if at > 0 {
            joined.push_str(between);
        }
        joined.push_str(text);
    }
    Ok(joined.into())
}

/// Replacing an empty text puts the new one between all letters; the result is charged before it is made.
fn replace<'a>(
    machine: &Machine<'a, '_>,
    text: &str,
    old: &str,
    new: &str,
) -> Result<Value<'a>, Stop> {
    machine.spend((text.matches(old).count().saturating_mul(new.len()) + text.len()) / 16)?;
    Ok(text.replace(old, new).into())
}

/// The fields of `map`, and those of `changes` in their place or behind them.
fn with<'a>(
    machine: &Machine<'a, '_>,
    map: &Map<'a>,
    changes: &Map<'a>,
) -> Result<Value<'a>, Stop> {
    machine.spend(map.len().saturating_mul(1 + changes.len()))?;
    let mut fields = map.fields();
    for (key, value) in changes.fields() {
        match fields.iter_mut().find(|(name, _)| **name == *key) {
            Some((_, old)) => *old = value,
            None => fields.push((key, value)),
        }
    }
    Ok(Value::Map(Map::Made(fields.into())))
}

/// Whether a flag is given: `--force` also as `--force=x`, `-f` also among others as in `-rf`; nothing behind `--`.
fn has_flag(command: &SimpleCommand, flag: &str) -> bool {
    let args = command.words.iter().skip(1).map(|word| word.text.as_str());
    let mut args = args.take_while(|arg| *arg != "--");
    let mut letters = flag.strip_prefix('-').unwrap_or_default().chars();
    let letter = match (letters.next(), letters.next()) {
        (Some(letter), None) if letter != '-' => Some(letter),
        _ => None,
    };
    args.any(|arg| {
        let valued = || arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
        let among = |letter: char| {
            let cluster = arg.strip_prefix('-').filter(|it| !it.starts_with('-'));
            cluster.is_some_and(|it| {
                it.chars().take_while(char::is_ascii_alphabetic).any(|it| it == letter)
            })
        };
        arg == flag || (flag.starts_with("--") && valued()) || letter.is_some_and(among)
    })
}

/// Options that take the next word, before the words that say what a program does.
const VALUED: &[(&str, &[&str])] = &[
    ("git", &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"]),
    ("docker", &["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"]),
    ("podman", &["--connection", "--url", "--root", "--log-level"]),
    ("kubectl", &["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-s", "--user"]),
    ("helm", &["-n", "--namespace", "--kube-context", "--kubeconfig"]),
    ("npm", &["--prefix", "-w", "--workspace"]),
    ("pnpm", &["-C", "--dir", "-F", "--filter"]),
    ("yarn", &["--cwd"]),
    ("cargo", &["--config", "-C", "-Z", "--color"]),
    ("aws", &["--profile", "--region", "--endpoint-url", "--output"]),
    ("gcloud", &["--project", "--account", "--configuration"]),
    ("az", &["--subscription"]),
    ("gh", &["-R", "--repo"]),
    ("terraform", &[]),
    ("systemctl", &["-H", "--host", "-M", "--machine"]),
];

/// The words of a command that are no options, nor the values of such options of its program as are known.
pub(super) fn operands(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    let program = command.program().map(path::basename).unwrap_or_default();
    let known = VALUED.iter().find(|(name, _)| *name == program);
    let valued = known.map_or(&[][..], |(_, valued)| *valued);
    let (mut is_value, mut only_operands) = (false, false);
    command.words.iter().skip(1).map(|word| word.text.as_str()).filter(move |arg| {
        if std::mem::take(&mut is_value) {
            return false;
        }
        if only_operands || !arg.starts_with(['-', '+']) || arg.len() < 2 {
            return true;
        }
        only_operands = *arg == "--";
        is_value = valued.contains(arg);
        false
    })
}

/// Whether the command is the program and the first words of `words`, whatever options stand among them.
fn runs(command: &SimpleCommand, words: &str) -> bool {
    let mut wanted = words.split_whitespace();
    if wanted.next() != command.program() {
        return false;
    }
    let mut operands = operands(command);
    wanted.all(|word| operands.next() == Some(word))
}
