//! Arguments of the commands about one event: `explain`, `fire` and `hook`.

use std::time::Duration;

use clap::Args;
use tenterhook_core::dialect::DialectId;

use super::values::{Named, calling_agent_parser, parse_duration, parse_named_file};
use super::{Format, Output, WHAT, Which};
use crate::last_word::Form;

/// The event, in one of the ways to write it.
#[derive(Debug, Args)]
pub(crate) struct What {
    /// The name of an event in words (the same as writing it first)
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// The event: a file, `-` or nothing for standard input, JSON, a tool and its input, or an event name and its text
    #[arg(value_name = WHAT, num_args = 0..)]
    what: Vec<String>,
}

impl What {
    /// Returns the arguments that describe the event, its name first.
    pub(crate) fn event_arguments(&self) -> Vec<String> {
        self.event.iter().chain(&self.what).cloned().collect()
    }
}

#[derive(Debug, Args)]
#[command(mut_arg("what", |arg| arg.help("The event, as for `fire`; or a rule number or code to look up, e.g. of a finding or a denial")))]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Show the hooks that would run behind this agent, without those that the agent runs itself
    #[arg(long, value_name = "NAME", value_parser = calling_agent_parser())]
    pub(crate) agent: Option<DialectId>,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Show the last recorded firing, and what the current hooks would decide
    #[arg(long, conflicts_with_all = ["event", "what", "record"])]
    pub(crate) last: bool,
    /// Show the recorded firing with this number, which `tenterhook log` prints
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["event", "what"])]
    pub(crate) record: Option<u64>,
    #[command(flatten)]
    pub(crate) what: What,
}

#[derive(Debug, Args)]
pub(crate) struct Fire {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) output: Output,
    /// How long all hooks together may take, such as `5s` or `500ms`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Default model for prompt hooks that name none, e.g. `openai::gpt-5.4-mini`
    #[arg(long, value_name = "[SERVICE::]MODEL")]
    pub(crate) model: Option<String>,
    /// Report every access that the sandbox refused, and which program asked (slower)
    #[arg(long)]
    pub(crate) explain_denials: bool,
    /// Read one event per line, and write one outcome per line
    #[arg(long, conflicts_with_all = ["event", "what"])]
    pub(crate) stream: bool,
    #[command(flatten)]
    pub(crate) what: What,
}

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The agent that calls
    #[arg(long, value_name = "NAME", value_parser = calling_agent_parser())]
    pub(crate) agent: DialectId,
    /// The event, by the agent's name for it
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: String,
    /// Reply within this time, e.g. `55s`; choose less than the timeout of the agent
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) within: Option<Duration>,
    /// Fire the hooks of this file only; may be repeated
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) config: Vec<Named>,
    /// Run the background hooks of a call that has its reply; the value is the number of its record
    #[arg(long, value_name = "NUMBER", hide = true)]
    pub(crate) aside: Option<u64>,
}

impl Fire {
    /// Returns the format in which the caller expects the outcome.
    pub(crate) const fn outcome_form(&self) -> Form {
        match (self.stream, self.output.format) {
            (true, _) => Form::Line,
            (false, Format::Json) => Form::Object,
            (false, Format::Text) => Form::Page,
        }
    }
}
