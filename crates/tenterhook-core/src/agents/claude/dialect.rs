//! The dialect of Claude Code, version 2.1.330. Only the table: each submodule reads or writes one
//! format.

mod accepted;
mod answer;
mod env_file;
mod event;
mod events;
pub(crate) mod guard;
mod model;
mod reply;
#[cfg(test)]
mod tests;

mod config;
mod handler;
mod lint;
mod matcher_text;
mod mods;
mod paths;
mod placeholders;
mod plugins;
mod servers;
mod silence;
mod vocabulary;

use std::time::Duration;

pub(crate) use plugins::settings_refusal_reason;

use crate::agents::claude::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::protocol;
pub(crate) use crate::dialect::parts::{
    Calls, Checks, Commands, Core, Dialect, Failures, Files, Inherited, Layers, Matching,
    ModelHooks, Requests, Runs, VersionSource,
};
pub(crate) use crate::dialect::{DialectId, EventRow, SlipPolicy, first_line, parse_condition};
use crate::hook::Interpolation;
pub(crate) use crate::matcher::rule::Reading;

/// The dialect.
pub static CLAUDE: Dialect = Dialect {
    // Since 2.1.128, the agent withholds the variables of its telemetry from hooks.
    commands: Commands { inherited: Inherited::AllBut(&["OTEL_"]), ..Commands::DEFAULT },
    // Observed in 2.1.197 and 2.1.330: text after the object, a broken object, an array and a string are
    // log text. A wrong or missing `hookEventName`, an unknown decision or a value of the wrong type
    // rejects the whole answer, and the action continues. An unknown key, a decision of a different
    // event and exit code 2 of a permission request are ignored. The failure or the remark of the plain
    // reading reports which of these applied.
    failures: Failures { slips: |_| SlipPolicy::PlainText, ..Failures::DEFAULT },
    models: ModelHooks { shape: model::answer_instructions, read: model::read_answer },
    runs: Runs {
        timeout: model::default_timeout,
        detaches: first_line::asks_to_detach,
        ..Runs::DEFAULT
    },
    matching: Matching {
        subjects: |event| answer::ANSWERS.matcher_values(event),
        condition: |node, source| {
            Ok(parse_condition(node, source, Reading::Claude)?
                .with_aliases(matcher_text::tool_aliases()))
        },
        unreachable: lint::unreachable_hook_reason,
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        plugins: plugins::find_plugins,
        silencers: Some(silence::find_silencers),
        checks: Checks::File(accepted::find_refused_value),
        servers: Some(&servers::FILES),
    },
    layers: Layers { drops_repeats: true, ..Layers::DEFAULT },
    requests: Requests { interpolation: Interpolation::EMPTY, ..Requests::DEFAULT },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &["CLAUDE_PROJECT_DIR"],
        versions: &[VersionSource::Variable { name: "AI_AGENT", prefix: "claude-code_" }],
        pairs_calls: true,
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::CLAUDE,
        rows: || &events::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, Duration::from_mins(10))
        },
        recognizes: paths::recognize_config,
        places: paths::config_candidates,
        read_config: config::read_config,
        decode_event: event::decode_event,
        encode_event: event::encode_event,
        read_answer: |event, row, report| {
            protocol::read_report(&answer::ANSWERS, event, row, report)
        },
    })
};
