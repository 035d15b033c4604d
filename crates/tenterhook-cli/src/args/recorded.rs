//! Arguments of the commands over recorded sessions: which sessions, and how to show the result.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use tenterhook_core::transcript::TranscriptAgent;

use super::Output;
use super::values::{Named, parse_named_file, parse_timestamp, transcript_agent_parser};

/// Which recorded sessions to read.
#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Files or directories with recorded sessions [default: where each agent stores them]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A file or directory with recorded sessions (the same as naming it without `--sessions`)
    #[arg(long = "sessions", value_name = "PATH")]
    named: Vec<PathBuf>,
}

impl Sessions {
    /// Returns the files and directories, however they were named.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.paths.iter().chain(&self.named).cloned().collect()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Transcripts {
    #[command(flatten)]
    pub(crate) sessions: Sessions,
    /// Only sessions of this agent
    #[arg(long, value_name = "AGENT", value_parser = transcript_agent_parser())]
    pub(crate) agent: Option<TranscriptAgent>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Backtest {
    /// The files with hooks [default: those that the agents would load from here]
    #[arg(value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) hooks: Vec<Named>,
    /// Show only differences from the hooks of this file; may be repeated
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) against: Vec<Named>,
    /// A file or directory with recorded sessions [default: where each agent stores them]
    #[arg(long = "sessions", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only events newer than this age (`2h`, `30 days`) or date
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub(crate) since: Option<Timestamp>,
    /// Only sessions of this agent
    #[arg(long, value_name = "AGENT", value_parser = transcript_agent_parser())]
    pub(crate) agent: Option<TranscriptAgent>,
    /// Only events in this directory or below it
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) project: Option<PathBuf>,
    /// Also run the hooks that are scripts, in a sandbox that can read but not write or reach the network; at most N runs
    /// [default: 1000]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1000", conflicts_with = "against")]
    pub(crate) run_scripts: Option<usize>,
    /// Output for people (text), for programs (json), or for code scanners (sarif)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub(crate) format: BacktestFormat,
    /// Write an HTML page that needs no other file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// How much text of the sessions the page holds: none, redacted (without likely secrets) or full
    #[arg(
        long,
        value_name = "HOW",
        default_value = "redacted",
        requires = "html",
        hide_possible_values = true
    )]
    pub(crate) content: PageContent,
}

/// How much text of the sessions a page holds.
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
    /// For code scanners.
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct Reconcile {
    #[command(flatten)]
    pub(crate) sessions: Sessions,
    /// Only calls newer than this age (`2h`, `30 days`) or date
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub(crate) since: Option<Timestamp>,
    /// Only sessions of this agent
    #[arg(long, value_name = "AGENT", value_parser = transcript_agent_parser())]
    pub(crate) agent: Option<TranscriptAgent>,
    #[command(flatten)]
    pub(crate) output: Output,
}
