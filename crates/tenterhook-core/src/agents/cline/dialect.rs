//! The dialect of Cline's command line, version 3.0.65: a hook is a file with the name of its
//! event. Cline continues whenever a hook fails.
//!
//! Implements `docs/spec/dialect-cline.md` (CL-).

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::time::Duration;

pub(crate) use crate::answer::Powers;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files, VersionSource};
use crate::dialect::{DialectId, EventRow};

/// The dialect.
pub static CLINE: Dialect = Dialect {
    files: Files {
        written: Err("each of its hooks is a script, in a file with the name of an event"),
        ..Files::DEFAULT
    },
    calls: Calls {
        versions: &[VersionSource::Field("clineVersion")],
        replies: Some(&reply::REPLIES),
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::CLINE,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, TIMEOUT),
        recognizes: config::recognize_hook_file,
        places: config::hook_file_candidates,
        read_config: config::read_hook_file,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The timeout of every hook.
const TIMEOUT: Duration = Duration::from_mins(2);
