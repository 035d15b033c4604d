//! What the commands are told that are about one event: to explain, to fire, to answer an agent.

use std::time::Duration;

use clap::Args;
use tenterhook::dialect::DialectId;

use super::values::{Named, agent, duration, named};
use super::{Format, Output, WHAT, Which};
use crate::last_word::Form;

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) which: Which,
    /// As the hooks stand when this agent calls: those that it runs itself are left to it
    #[arg(long, value_name = "NAME", value_parser = agent)]
    pub(crate) agent: Option<DialectId>,
    #[command(flatten)]
    pub(crate) output: Output,
    /// What is on record of the last firing, and what the hooks would make of it now; it needs no event
    #[arg(long, conflicts_with_all = ["what", "record"])]
    pub(crate) last: bool,
    /// The same of the firing of this number, which `tenterhook log` prints
    #[arg(long, value_name = "NUMBER", conflicts_with = "what")]
    pub(crate) record: Option<u64>,
    /// What happens: an event file, `-` for standard input, JSON, a tool and its input, or an event and its text
    #[arg(value_name = WHAT, num_args = 0..)]
    pub(crate) what: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Fire {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) output: Output,
    /// How long all hooks together may take, such as `5s` or `500ms`
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// The model that hooks ask which name none, such as `openai::gpt-5.4-mini`
    #[arg(long, value_name = "[SERVICE::]MODEL")]
    pub(crate) model: Option<String>,
    /// Say all that confined hooks ask for and are refused, with the program that asks; they take longer then
    #[arg(long)]
    pub(crate) explain_denials: bool,
    /// Read one event a line, write one outcome a line
    #[arg(long, conflicts_with = "what")]
    pub(crate) stream: bool,
    /// What happens: an event file, `-` or nothing for standard input, JSON, a tool and its input, or an event and its text
    #[arg(value_name = WHAT, num_args = 0..)]
    pub(crate) what: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The agent that calls
    #[arg(long, value_name = "NAME", value_parser = agent)]
    pub(crate) agent: DialectId,
    /// The event that it calls for, by its own name
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: String,
    /// The reply comes within this time, such as `55s`: less than the agent waits
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) within: Option<Duration>,
    /// Fire the hooks of this file alone; may be given more than once
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = named)]
    pub(crate) config: Vec<Named>,
    /// Ask those hooks in shadow that take time, of a call that had its reply: the number of its record
    #[arg(long, value_name = "NUMBER", hide = true)]
    pub(crate) aside: Option<u64>,
}

impl Fire {
    /// In which form its outcome is waited for.
    pub(crate) const fn form(&self) -> Form {
        match (self.stream, self.output.format) {
            (true, _) => Form::Line,
            (false, Format::Json) => Form::Object,
            (false, Format::Text) => Form::Page,
        }
    }
}
