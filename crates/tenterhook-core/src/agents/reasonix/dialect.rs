//! The dialect of Reasonix: commands that answer with an exit code, and two words on stdout. Its rooms are one file per
//! direction, and this file only opens their doors. Rules: `docs/spec/dialect-reasonix.md` (RX-).

mod answer;
mod config;
mod directives;
mod event;
mod events;
mod places;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::time::Duration;

use crate::answer::{Failure, Power, Powers};
use crate::diagnostic::Code;
pub(crate) use crate::dialect::parts::{Core, Dialect, Failures, Runs};
use crate::dialect::{DialectId, EventRow};
use crate::hook::row::Mode;
pub(crate) use crate::hook::{Compat, Hook, OnFailure};

/// The dialect. The agent reads exit codes: whatever slipped, its own reading of the same report stands (RX-32).
pub static REASONIX: Dialect = Dialect {
    failures: Failures { promise, ..Failures::DEFAULT },
    // One after the other, until one blocks (RX-22).
    runs: Runs { mode: |_| Mode::Serial, ..Runs::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::REASONIX,
        rows: || &events::ROWS,
        unknown_row: |event| {
            EventRow::unknown(event, Powers::from_slice(&[Power::Message]), Duration::from_secs(30))
        },
        recognizes: places::recognizes,
        places: places::places,
        read_config: config::read,
        decode_event: event::decode,
        encode_event: event::encode,
        read_answer: answer::read,
    })
};

/// Running out of time blocks where the event can be blocked; another exit code, a signal or a program that cannot be
/// started never does (RX-21). A matcher that cannot be used is a gate that nobody can ask: it blocks, where the agent
/// itself would drop it without a word (RX-14).
fn promise(hook: &Hook, row: &EventRow, failure: &Failure) -> OnFailure {
    match failure.code {
        Code::TimedOut | Code::Cancelled => row.failure,
        Code::MatcherFailed if hook.compat == Compat::Guarded => row.failure,
        _ => OnFailure::Continue,
    }
}
