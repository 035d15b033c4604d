//! What `test` is told: which cases, and what to make of them.

use clap::{Args, ValueEnum};

use super::WHAT;
use super::values::{Named, named};

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Native files with cases beside their hooks, and files of cases (`*.test.toml`); without any, those that are found
    /// from here
    #[arg(value_name = "[DIALECT=]FILE", value_parser = named)]
    pub(crate) files: Vec<Named>,
    /// Make a case of an event, or of the last one that is on record, and of what the hooks make of it now: into the
    /// file of cases that is named, or the project's `tenterhook.test.toml`
    #[arg(long, value_name = WHAT, num_args = 0..=3, conflicts_with_all = ["mutate", "canaries", "only", "watch"])]
    pub(crate) record: Option<Vec<String>>,
    /// Run again whenever a file changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// The same; with `--record`, a file with hooks
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = named)]
    pub(crate) config: Vec<Named>,
    /// Run only cases whose name, hook or event has this text in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Neuter each gate in the ways that people do, and say which of that no case notices
    #[arg(long, conflicts_with_all = ["only", "canaries"])]
    pub(crate) mutate: bool,
    /// Send 200 ordinary calls of developers through the hooks, and say which are stopped
    #[arg(long, conflicts_with = "only")]
    pub(crate) canaries: bool,
    /// Output for people (text), for programs (json), or for what shows tests (junit) and findings (sarif)
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: TestFormat,
}

/// Which output of `test`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For what shows tests.
    Junit,
    /// For what shows findings.
    Sarif,
}
