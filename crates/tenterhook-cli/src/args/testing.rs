//! Arguments of `test`: which cases, and what to do with them.

use clap::{Args, ValueEnum};

use super::WHAT;
use super::values::{Named, parse_named_file};

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Native files with cases beside their hooks, and files of cases (`*.test.toml`) [default: those found from here]
    #[arg(value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) files: Vec<Named>,
    /// Record a case: the event (or the last recorded one) and the current answer of the hooks. It is added to the named file of
    /// cases, or to the project's `tenterhook.test.toml`
    #[arg(long, value_name = WHAT, num_args = 0..=3, conflicts_with_all = ["mutate", "canaries", "only", "watch"])]
    pub(crate) record: Option<Vec<String>>,
    /// Run again whenever a file changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// A file to test (the same as naming it without `--config`); with `--record`, the file whose hooks decide
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) config: Vec<Named>,
    /// Run only cases whose name, hook or event contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Mutation-test: break each gate in typical ways and list the breakages that no case catches
    #[arg(long, conflicts_with_all = ["only", "canaries"])]
    pub(crate) mutate: bool,
    /// Send 200 ordinary developer calls through the hooks, and list those that are stopped
    #[arg(long, conflicts_with = "only")]
    pub(crate) canaries: bool,
    /// Output for people (text), for programs (json), for test reports (junit) or for code scanners (sarif)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
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
    /// For test reports.
    Junit,
    /// For code scanners.
    Sarif,
}
