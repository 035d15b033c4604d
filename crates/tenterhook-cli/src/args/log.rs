//! Arguments of `log`: which firings to show, and what else to do with the record.

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::Output;
use super::values::{Known, parse_known_digest, parse_timestamp};

#[derive(Clone, Debug, Args)]
pub(crate) struct Log {
    #[command(subcommand)]
    pub(crate) what: Option<LogDo>,
    /// Keep printing new firings
    #[arg(long, conflicts_with = "stats")]
    pub(crate) follow: bool,
    /// Show for each hook its last firing, number of runs, durations, denials and faults
    #[arg(long)]
    pub(crate) stats: bool,
    /// With `--stats`, one row for each day and hook
    #[arg(long, requires = "stats", conflicts_with = "shadow")]
    pub(crate) by_day: bool,
    /// Only firings newer than this age (`2h`, `3 days`) or date
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub(crate) since: Option<Timestamp>,
    /// Only this event
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Only firings in which this hook ran
    #[arg(long, value_name = "HOOK")]
    pub(crate) hook: Option<String>,
    /// Only this session
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Only calls of this agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Only firings that were denied or stopped
    #[arg(long)]
    pub(crate) denied: bool,
    /// Show what shadow hooks would have done; with `--stats`, how often
    #[arg(long, conflicts_with_all = ["denied", "follow"])]
    pub(crate) shadow: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What else to do with the record.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum LogDo {
    /// Find records that were changed, cut, moved or removed, and state what that cannot prove
    Verify {
        /// A record that you noted elsewhere, which must still exist: the value after `last:`
        #[arg(long, value_name = "NUMBER:DIGEST", value_parser = parse_known_digest)]
        head: Option<Known>,
        #[command(flatten)]
        output: Output,
    },
}
