//! The dialect of Copilot CLI, version 1.0.102, in two forms by the spelling of an event: camel
//! case, whose payloads do not name the event, and Claude Code's names, with Claude Code's
//! payloads.
//!
//! Implements `docs/spec/dialect-copilot.md` (CP-).

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::copilot::HOOK_FILE;
use crate::answer::{Failure, Powers};
use crate::diagnostic::Code;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::reply::Replies;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{
    Calls, Checks, Core, Dialect, Failures, Files, Layers, Matching, Requests, VersionSource,
};
use crate::dialect::{Candidate, DialectId, Envelope, EventRow, Fit, Roots, machine};
use crate::event::Event;
use crate::hook::{Interpolation, Layer, OnFailure, Run};
use crate::source::{ReadConfig, Source};
pub(crate) use crate::syntax::Node;

/// Describes how the agent calls Tenterhook, with these replies to its calls.
const fn how_agent_calls_tenterhook(replies: &'static Replies) -> Calls {
    Calls {
        replies: Some(replies),
        project_variables: &["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        versions: &[VersionSource::Variable { name: "COPILOT_CLI_BINARY_VERSION", prefix: "" }],
        ..Calls::DEFAULT
    }
}

const LAYERS: Layers = Layers { loads: is_source_loaded_by_agent, ..Layers::DEFAULT };
const FAILURES: Failures = Failures {
    promise: |hook, row, failure| failure_policy_of_own_hook(&hook.run, row, failure),
    without_answer: missing_answer_policy,
    ..Failures::DEFAULT
};
/// Its treatment of a variable that is not set is unknown. An empty text is safer than a gate that is not asked.
const REQUESTS: Requests = Requests { interpolation: Interpolation::EMPTY, ..Requests::DEFAULT };

const MATCHING: Matching = Matching {
    server_tool: "SERVER-TOOL",
    unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "CP-10"),
    ..Matching::DEFAULT
};

/// The dialect of events in camel case, which reads all files.
pub static COPILOT: Dialect = Dialect {
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::File(|root| config::ACCEPTED.find_refused_value(root)),
        ..Files::DEFAULT
    },
    calls: how_agent_calls_tenterhook(&reply::CAMEL_REPLIES),
    matching: Matching { tests_other_names: false, ..MATCHING },
    layers: LAYERS,
    failures: FAILURES,
    requests: REQUESTS,
    ..Dialect::new(Core {
        id: DialectId::COPILOT,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_camel_event,
        encode_event: |event| {
            add_environment_variables(event, vocabulary::encode_camel_event(event))
        },
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The dialect of events with Claude Code's names.
pub static PASCAL: Dialect = Dialect {
    calls: how_agent_calls_tenterhook(&reply::PASCAL_REPLIES),
    matching: MATCHING,
    layers: LAYERS,
    failures: FAILURES,
    requests: REQUESTS,
    ..Dialect::new(Core {
        id: DialectId::COPILOT_PASCAL,
        rows: || &vocabulary::PASCAL_ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: |_, _| Fit::No,
        places: |_| Vec::new(),
        // `COPILOT` reads the files of both.
        read_config: |_| ReadConfig::default(),
        decode_event: vocabulary::decode_pascal_event,
        encode_event: |event| {
            add_environment_variables(event, vocabulary::encode_pascal_event(event))
        },
        read_answer: |event, row, report| {
            reply_form::read_report(&reply::PASCAL_FORM, event, row, report)
        },
    })
};

/// Returns what happens without an answer: a failed hook before a tool denies, unless it timed out
/// (BR-9).
fn missing_answer_policy(event: &str, failure: &Failure) -> OnFailure {
    match event == "PreToolUse" && failure.code != Code::TimedOut {
        true => OnFailure::Block,
        false => OnFailure::Continue,
    }
}

/// Returns what happens if the agent's own hook gives no answer: a failed HTTP hook denies nothing
/// (CP-43).
fn failure_policy_of_own_hook(run: &Run, row: &EventRow, failure: &Failure) -> OnFailure {
    match run {
        Run::Http(_) => OnFailure::Continue,
        _ => missing_answer_policy(&row.event, failure),
    }
}

/// Whether the agent loads a source. It also reads a project's settings of Claude Code.
fn is_source_loaded_by_agent(source: &Source, _: DialectId) -> bool {
    let of_project = matches!(source.layer, Layer::Project | Layer::Local);
    let own = [DialectId::COPILOT, DialectId::COPILOT_PASCAL].contains(&source.dialect);
    own || (of_project && source.dialect == DialectId::CLAUDE)
}

/// Adds the environment variables of its hooks to an envelope (CP-21).
fn add_environment_variables(event: &Event, envelope: Envelope) -> Envelope {
    let project = event.within.project.to_string_lossy().into_owned();
    let env = non_empty_variables([
        ("COPILOT_CLI", "1"),
        ("COPILOT_PROJECT_DIR", &project),
        ("CLAUDE_PROJECT_DIR", &project),
    ]);
    Envelope { env, ..envelope }
}

/// The organization's policies.
pub(crate) const MACHINE: &[machine::File] = &[(Some("github-copilot"), "policy.d/*.json")];

/// The organization's policies, the user's files, and the project's (CP-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let home = roots.agent_home(DialectId::COPILOT);
    let project = roots.repository.as_ref().unwrap_or(&roots.cwd);
    let others = [
        (home.join("hooks/*.json"), Layer::User),
        (home.join("settings.json"), Layer::User),
        (project.join(".github/hooks/*.json"), Layer::Project),
        (project.join(".github/copilot/settings.json"), Layer::Project),
        (project.join(".github/copilot/settings.local.json"), Layer::Local),
    ];
    let others = others.into_iter().map(|(path, layer)| Candidate { path, layer });
    machine::machine_wide_files(MACHINE, roots).into_iter().chain(others).collect()
}

/// Ends of directories that only this agent reads.
const OWN: &[&str] =
    &[".github/hooks", ".copilot/hooks", ".github/copilot", "github-copilot/policy.d"];

/// How certainly a file is a config of this agent: by its path, or by the spelling of an event.
fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let place = path.parent().is_some_and(|parent| OWN.iter().any(|own| parent.ends_with(own)));
    if is_json && (place || path.ends_with(".copilot/settings.json")) {
        return Fit::Certain;
    }
    let hooks = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let is_own =
        |key: &str| vocabulary::ROWS.iter().any(|row| row.name == key && row.name != row.event);
    let lists = hooks.iter().any(|hook| is_own(&hook.key) && hook.node.as_array().is_some());
    if lists { Fit::Shape } else { Fit::No }
}
