//! Reads an event from a file or from standard input. Fires nothing.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use serde_json::{Map, Value};
use tenterhook::Event;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::{DIALECTS, DialectId, Roots, Whole, whole_object};
use tenterhook_core::outcome::Fault;

use crate::problem::Problem;

/// How large an event may be. A tool's output is in it, so this is generous.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// An event that was read.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) event: Event,
    /// Problems of the event that block nothing.
    pub(crate) faults: Vec<Fault>,
}

/// Why there is no event to fire.
#[derive(Debug)]
pub(crate) enum Lost {
    /// None was given: the call is wrong.
    NotGiven(Problem),
    /// The input is not a readable event.
    Unreadable {
        /// The code of its fault.
        code: Code,
        problem: Problem,
        /// Whether it may have been an event that hooks can deny.
        at_stake: bool,
    },
}

impl Lost {
    /// Turns this into an error of the arguments: no agent waits for the outcome of such an event.
    pub(super) fn into_argument_error(self) -> Self {
        Self::NotGiven(self.into())
    }

    /// Returns whether the input had no text.
    pub(super) fn is_empty_event(&self) -> bool {
        matches!(self, Self::Unreadable { problem, .. } if problem.help.as_deref() == Some(EMPTY))
    }

    pub(super) fn from_unreadable(problem: Problem) -> Self {
        Self::Unreadable { code: Code::UnreadableEvent, problem, at_stake: true }
    }
}

impl From<Lost> for Problem {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::NotGiven(problem) | Lost::Unreadable { problem, .. } => problem,
        }
    }
}

/// What to give where standard input holds no event.
const EMPTY: &str = "write the event, such as `Bash 'git push'` or `Stop`, name a file with it, or pipe it in as JSON";

/// Reads the event at `path`; standard input when it is `-` or missing.
pub(crate) fn read_event(
    path: Option<&Path>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Given, Lost> {
    let path = path.filter(|path| *path != Path::new("-"));
    let bytes = match path {
        Some(path) => File::open(path).and_then(read_limited).map_err(|error| {
            Lost::NotGiven(Problem::new(format!(
                "the event `{}` cannot be read: {error}",
                path.display()
            )))
        })?,
        None if io::stdin().is_terminal() => {
            let problem = Problem::new("no event was given");
            return Err(Lost::NotGiven(
                problem.with_help("name a file, or pipe an event in: `tenterhook fire EVENT.json`"),
            ));
        }
        None => read_stdin()?,
    };
    decode_event(&bytes, dialect, roots)
}

fn read_stdin() -> Result<Vec<u8>, Lost> {
    read_limited(io::stdin()).map_err(|error| {
        let why = format!("standard input cannot be read: {error}");
        Lost::from_unreadable(Problem::new(why))
    })
}

/// Reads the object of an event from standard input, before its agent is known.
pub(crate) fn read_object_from_stdin() -> Result<Whole, Lost> {
    parse_object(&read_stdin()?).map_err(Lost::from_unreadable)
}

fn read_limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Decodes an event in the stdin form of `dialect`.
pub(crate) fn decode_event(bytes: &[u8], dialect: DialectId, roots: &Roots) -> Result<Given, Lost> {
    decode_object(&parse_object(bytes).map_err(Lost::from_unreadable)?, dialect, roots)
}

/// Parses a JSON object.
pub(crate) fn parse_object(bytes: &[u8]) -> Result<Whole, Problem> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem::new("the event is larger than 64 MiB"));
    }
    whole_object(bytes).map_err(|why| {
        let problem = Problem::new(format!("the event {why}"));
        let is_empty = bytes.iter().all(u8::is_ascii_whitespace);
        if is_empty { problem.with_help(EMPTY) } else { problem }
    })
}

/// Decodes an event from its object.
pub(crate) fn decode_object(
    whole: &Whole,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Given, Lost> {
    let map = &whole.fields;
    let event = dialect.dialect().decode_event(map, roots).map_err(|fault| {
        let help = match dialects_that_decode(map, roots) {
            Some(options) => format!("it can be read with {options}"),
            None => format!(
                "`tenterhook events --dialect {dialect}` lists the events; `--dialect` names another agent's"
            ),
        };
        let problem = Problem::new(format!("the event cannot be read as {dialect}: {fault}"));
        let name = NAMES.iter().find_map(|key| map.get(*key)?.as_str());
        let at_stake = has_two_event_names(whole) || name.is_none_or(|name| dialect.may_precede_effect(name));
        Lost::Unreadable { code: Code::UnreadableEvent, problem: problem.with_help(help), at_stake }
    })?;
    let Some(key) = whole.twice.first() else { return Ok(Given { event, faults: Vec::new() }) };
    let message = format!("`{key}` occurs twice in the event: it is unclear which value applies");
    if has_two_event_names(whole) || dialect.may_precede_effect(event.name.as_str()) {
        let problem = Problem::new(message);
        return Err(Lost::Unreadable { code: Code::DoubledKey, problem, at_stake: true });
    }
    let fault = Fault { code: Code::DoubledKey, hook: None, message };
    Ok(Given { event, faults: vec![fault] })
}

/// The keys under which dialects write what happened.
const NAMES: &[&str] = &["event", "hook_event_name"];

/// Returns whether the event has two names.
fn has_two_event_names(whole: &Whole) -> bool {
    whole.twice.iter().any(|key| NAMES.contains(&key.as_str()))
}

/// Returns the options that name the dialects that can decode such an event.
fn dialects_that_decode(map: &Map<String, Value>, roots: &Roots) -> Option<String> {
    let reads = DIALECTS.iter().filter(|dialect| dialect.decode_event(map, roots).is_ok());
    let options: Vec<String> =
        reads.map(|dialect| format!("`--dialect {}`", dialect.id())).collect();
    (!options.is_empty()).then(|| options.join(" or "))
}
