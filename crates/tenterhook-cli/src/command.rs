//! One module for each command: what it reads, what it prints, how it ends.

pub(crate) mod allow;
pub(crate) mod backtest;
mod change;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod fire;
mod fix;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod input;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod log;
mod lookup;
mod presence;
pub(crate) mod probe;
pub(crate) mod promote;
pub(crate) mod reconcile;
pub(crate) mod recorded;
pub(crate) mod rules;
mod sample;
pub(crate) mod schema;
pub(crate) mod status;
pub(crate) mod stream;
pub(crate) mod test;
pub(crate) mod transcripts;
pub(crate) mod trust;
pub(crate) mod what;

use std::sync::Arc;

use serde_json::Value;
use tenterhook::record::Journal;

use self::input::Lost;
pub(crate) use self::what::unquoted_input_problem;
use crate::exit::Exit;
use crate::last_word::CallerReply;
use crate::problem::Problem;
use crate::term::Term;
use crate::{journal, last_word};

/// Prints one JSON value with indentation.
pub(crate) fn print_json(value: &Value, term: Term) -> Result<(), Problem> {
    term.print_data(&to_pretty_json(value)?)
}

/// Serializes one JSON value with indentation.
fn to_pretty_json(value: &Value) -> Result<String, Problem> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Problem::new(format!("the output cannot be written as JSON: {error}")))?;
    Ok(text + "\n")
}

/// Records an unreadable event and denies it. If there is no event at all, reports the caller's
/// mistake.
fn deny_unreadable_event(
    lost: Lost,
    journal: Option<&Arc<Journal>>,
    term: Term,
    reply: &CallerReply,
) -> Result<Exit, Problem> {
    match lost {
        Lost::NotGiven(problem) => Err(problem),
        Lost::Unreadable { code, problem, .. } => {
            journal::record_unseen_event(
                journal,
                &last_word::denial_outcome(code, &problem.message),
                term,
            );
            Ok(reply.deny_unseen_event(code, &problem, term))
        }
    }
}
