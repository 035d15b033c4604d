//! What the commands over recorded sessions are told: which sessions, and how to show what comes of them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use tenterhook::transcript::Agent;

use super::Output;
use super::values::{Named, moment, named, recorder};

#[derive(Debug, Args)]
pub(crate) struct Transcripts {
    /// Files or directories with recorded sessions; without any, where each agent keeps its own
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only what this agent recorded
    #[arg(long, value_name = "AGENT", value_parser = recorder)]
    pub(crate) agent: Option<Agent>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Backtest {
    /// The files with hooks; without any, what the agent would load from here
    #[arg(value_name = "[DIALECT=]FILE", value_parser = named)]
    pub(crate) hooks: Vec<Named>,
    /// Say only what differs from the hooks of this file; may be given more than once
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = named)]
    pub(crate) against: Vec<Named>,
    /// A file or directory with recorded sessions; without any, where each agent keeps its own
    #[arg(long = "sessions", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only what happened later than this long ago (`2h`, `30 days`), or than a date
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only what this agent recorded
    #[arg(long, value_name = "AGENT", value_parser = recorder)]
    pub(crate) agent: Option<Agent>,
    /// Only what happened in this directory, or below it
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) project: Option<PathBuf>,
    /// Output for people (text), for programs (json), or for what shows findings (sarif)
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: BacktestFormat,
    /// Write a page to look at, with nothing outside of it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// How much of what was said is in the page: none, without what looks like a secret (redacted), or full
    #[arg(long, value_name = "HOW", default_value = "redacted", requires = "html")]
    pub(crate) content: PageContent,
}

/// How much of what was said a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageContent {
    /// Nothing.
    None,
    /// All but what looks like a secret.
    Redacted,
    /// All.
    Full,
}

/// Which output of `backtest`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BacktestFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For what shows findings.
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct Reconcile {
    /// Files or directories with recorded sessions; without any, where each agent keeps its own
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only what happened later than this long ago (`2h`, `30 days`), or than a date
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only what this agent recorded
    #[arg(long, value_name = "AGENT", value_parser = recorder)]
    pub(crate) agent: Option<Agent>,
    #[command(flatten)]
    pub(crate) output: Output,
}
