//! The dialect of Reasonix: commands that answer with an exit code and with two directives on
//! stdout. This file only assembles the dialect; its modules read and write each format.
//!
//! Implements `docs/spec/dialect-reasonix.md` (RX-).

mod answer;
mod config;
mod directives;
mod event;
mod events;
mod paths;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::time::Duration;

use crate::agents::reasonix::HOOK_FILE;
use crate::answer::{Failure, Power, Powers};
use crate::diagnostic::Code;
pub(crate) use crate::dialect::parts::{Core, Dialect, Failures, Files, Matching, Runs};
use crate::dialect::{DialectId, EventRow};
use crate::hook::row::Mode;
pub(crate) use crate::hook::{Compat, Hook, OnFailure};

/// The dialect. The agent reads only exit codes; if an answer breaks the protocol, the agent's
/// reading of the same report is kept beside it (RX-32).
pub static REASONIX: Dialect = Dialect {
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    matching: Matching {
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "RX-12"),
        ..Matching::DEFAULT
    },
    failures: Failures { promise: failure_policy, ..Failures::DEFAULT },
    // Hooks run one after another until one blocks (RX-22).
    runs: Runs { mode: |_| Mode::Serial, ..Runs::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::REASONIX,
        rows: || &events::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(
                event,
                Powers::from_slice(&[Power::Message]),
                Duration::from_secs(30),
            )
        },
        recognizes: paths::recognize_config,
        places: paths::config_candidates,
        read_config: config::read_config,
        decode_event: event::decode_event,
        encode_event: event::encode_event,
        read_answer: answer::read_answer,
    })
};

/// The failure policy of Reasonix. A timeout blocks if the event can be blocked; an exit code other
/// than 2, a signal or a program that cannot be started never blocks (RX-21). The agent silently
/// drops a hook with an invalid matcher; a guarded reading blocks instead (RX-14).
fn failure_policy(hook: &Hook, row: &EventRow, failure: &Failure) -> OnFailure {
    match failure.code {
        Code::TimedOut | Code::Cancelled => row.failure,
        Code::MatcherFailed if hook.compat == Compat::Guarded => row.failure,
        _ => OnFailure::Continue,
    }
}
