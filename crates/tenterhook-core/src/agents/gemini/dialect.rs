//! The dialect of Gemini CLI 0.61: settings with groups as in Claude Code, but with different names
//! for events and tools, and with timeouts in milliseconds. One table describes the replies to
//! Gemini CLI; the answers of its hooks are read with the same table.
//!
//! Implements `docs/spec/dialect-gemini.md` (GM-).

mod config;
mod reply;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::agents::gemini::HOOK_FILE;
use crate::answer::{Failure, Powers};
use crate::diagnostic::Code;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{
    Calls, Checks, Core, Dialect, Failures, Files, Layers, Matching,
};
use crate::dialect::{DialectId, Envelope, EventRow};
use crate::event::Event;
pub(crate) use crate::hook::OnFailure;

/// The dialect.
pub static GEMINI: Dialect = Dialect {
    matching: Matching {
        server_tool: "mcp_SERVER_TOOL",
        tests_other_names: false,
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "GM-10"),
        ..Matching::DEFAULT
    },
    failures: Failures { without_answer: missing_answer_policy, ..Failures::DEFAULT },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        ..Calls::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::Events(|root| settings::find_stopped_events(&vocabulary::ROWS, root)),
        ..Files::DEFAULT
    },
    layers: Layers { settle: settings::disable_listed_hooks, ..Layers::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::GEMINI,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: |path, root| {
            settings::recognize_config(&config::SETTINGS_PATHS, &vocabulary::ROWS, path, root)
        },
        places: |roots| settings::config_candidates(&config::SETTINGS_PATHS, roots),
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The failure policy of Gemini CLI: an exit code other than 0 and 1 blocks the call or the prompt
/// (BR-9).
fn missing_answer_policy(event: &str, failure: &Failure) -> OnFailure {
    let blocks =
        matches!(event, "PreToolUse" | "UserPromptSubmit") && failure.code == Code::ExitCode;
    if blocks && failure.exit != Some(1) { OnFailure::Block } else { OnFailure::Continue }
}

/// Writes the payload and the environment variables of hooks (GM-21).
fn encode_event(event: &Event) -> Envelope {
    let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let (project, cwd) = (path(&event.within.project), path(&event.within.cwd));
    let env = non_empty_variables([
        ("GEMINI_PROJECT_DIR", &project),
        ("GEMINI_CWD", &cwd),
        ("GEMINI_SESSION_ID", &event.within.session_id),
        ("CLAUDE_PROJECT_DIR", &project),
    ]);
    Envelope { env, ..vocabulary::WORDS.encode_event(event) }
}
