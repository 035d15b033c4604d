//! What `log` is told: of which firings, and what else to do with the record.

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::Output;
use super::values::{Known, known, moment};

#[derive(Clone, Debug, Args)]
pub(crate) struct Log {
    #[command(subcommand)]
    pub(crate) what: Option<LogDo>,
    /// Go on with what is fired from now on
    #[arg(long, conflicts_with = "stats")]
    pub(crate) follow: bool,
    /// Of each hook: when it fired last, how often, how long it took, denials and faults
    #[arg(long)]
    pub(crate) stats: bool,
    /// Only what ended later than this long ago (`2h`, `3 days`), or than a date
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only this event
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Only what this hook was asked about
    #[arg(long, value_name = "HOOK")]
    pub(crate) hook: Option<String>,
    /// Only this session
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Only what was denied or stopped
    #[arg(long)]
    pub(crate) denied: bool,
    /// What would have come of the hooks in shadow; with `--stats`, how often
    #[arg(long, conflicts_with_all = ["denied", "follow"])]
    pub(crate) shadow: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What else to do with the record.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum LogDo {
    /// Find what was changed, cut, moved or removed, and say what that cannot prove
    Verify {
        /// A record that was noted elsewhere, which must still be there: what `last:` says
        #[arg(long, value_name = "NUMBER:DIGEST", value_parser = known)]
        head: Option<Known>,
        #[command(flatten)]
        output: Output,
    },
}
