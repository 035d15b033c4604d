//! The dialect of Qwen Code, version 0.24: settings, events and answers shaped like Claude Code's,
//! and tools with the names of Gemini CLI, of which it is a fork.
//!
//! Implements `docs/spec/dialect-qwen.md` (QW-).

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::time::Duration;

use crate::agents::qwen::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::gemini::settings;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{
    Calls, Checks, Core, Dialect, Files, Matching, Requests, Runs,
};
use crate::dialect::{DialectId, Envelope, EventRow};
use crate::event::Event;
pub(crate) use crate::hook::{Interpolation, Run};

/// The dialect.
pub static QWEN: Dialect = Dialect {
    matching: Matching {
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "QW-10"),
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::Events(|root| settings::find_stopped_events(&vocabulary::ROWS, root)),
        ..Files::DEFAULT
    },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        // It sets `stop_hook_active` on the first stop, too.
        says_stopped_before: false,
        // After the results of tools it sends an empty prompt that the user did not type.
        is_noise: |event| {
            event.name.as_str() == "UserPromptSubmit" && event.text("prompt") == Some("")
        },
        ..Calls::DEFAULT
    },
    runs: Runs {
        timeout: |run, row| match run {
            Run::Http(_) => Duration::from_mins(10),
            Run::Prompt(_) => Duration::from_secs(30),
            _ => row.timeout,
        },
        ..Runs::DEFAULT
    },
    requests: Requests {
        interpolation: Interpolation { in_url: true, ..Interpolation::EMPTY_LOOSE },
        ..Requests::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::QWEN,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
        },
        recognizes: |path, root| {
            settings::recognize_config(&config::SETTINGS_PATHS, &vocabulary::ROWS, path, root)
        },
        places: |roots| settings::config_candidates(&config::SETTINGS_PATHS, roots),
        read_config: config::read_config,
        decode_event: |json, roots| vocabulary::WORDS.decode_event(json, roots),
        encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// Encodes an event, with the environment variables of its hooks (QW-21).
fn encode_event(event: &Event) -> Envelope {
    let project = event.within.project.to_string_lossy().into_owned();
    let names = ["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];
    let env = non_empty_variables(names.map(|name| (name, project.as_str())));
    Envelope { env, ..vocabulary::WORDS.encode_event(event) }
}
