//! Arguments of `schema`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// The format to print the schema of
    #[arg(value_name = "FORMAT")]
    pub(crate) of: SchemaOf,
}

/// The forms that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A native config file
    Config,
    /// What a native hook reads on standard input
    Event,
    /// What a native hook prints
    Answer,
    /// What `fire --format json` prints
    Outcome,
    /// The requests of a host to `fire --stream`, and the lines beside outcomes
    Stream,
    /// A file of cases, `tenterhook.test.toml`
    Cases,
    /// What `test --format json` prints
    Test,
    /// What `check --format json` prints
    Check,
    /// What `check --repo --format json` prints
    Repository,
    /// What `list --format json` prints
    List,
    /// What `explain --format json` prints
    Explain,
    /// What `rules list` and `rules show` print with `--format json`
    Rules,
    /// What `events --format json` prints
    Events,
    /// What `convert --format json` prints
    Convert,
    /// What `transcripts --format json` prints
    Transcripts,
    /// What `backtest --format json` prints
    Backtest,
    /// What `reconcile --format json` prints
    Reconcile,
    /// What `doctor --format json` prints
    Doctor,
    /// Each line that `log --format json` prints
    Log,
    /// What `status --format json` prints
    Status,
}
