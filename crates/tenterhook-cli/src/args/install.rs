//! Arguments of `install`, `uninstall` and `status`: which agents, which scope, which rules are expected.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tenterhook_core::agents::Agent;
use tenterhook_core::entry::digest::Digest;

use super::Output;
use super::values::{installable_agent_parser, parse_digest};

/// Which configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Your configuration, for all projects
    User,
    /// The configuration of the project, which others share
    Project,
    /// The configuration of the organisation, which needs administrator rights
    Managed,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The agents
    #[arg(value_name = "AGENT", required_unless_present = "all", value_parser = installable_agent_parser())]
    pub(crate) agents: Vec<&'static Agent>,
    /// Every agent that is found here
    #[arg(long, conflicts_with = "agents")]
    pub(crate) all: bool,
    /// Also install into agents that were never run with Tenterhook: their hooks are known only from documents
    #[arg(long)]
    pub(crate) experimental: bool,
    /// Move your hooks from the agent's file into one that Tenterhook reads; `uninstall` moves them back
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Also write a guard into your Claude Code settings, so that plugins cannot silence hooks
    #[arg(long)]
    pub(crate) guard: bool,
    /// Behind this agent, run only the hooks of `tenterhook.toml` and of its files, not those of other agents
    #[arg(long)]
    pub(crate) only_own: bool,
    /// Which configuration to write
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Show what would change, and change nothing
    #[arg(long, visible_alias = "diff")]
    pub(crate) dry_run: bool,
    /// Print the resulting files in full, and change nothing
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) print: bool,
    /// Path of the `tenterhook` program to register [default: the stable path of this program]
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The agents
    #[arg(value_name = "AGENT", required_unless_present = "all", value_parser = installable_agent_parser())]
    pub(crate) agents: Vec<&'static Agent>,
    /// Every agent
    #[arg(long, conflicts_with = "agents")]
    pub(crate) all: bool,
    /// Also remove what Tenterhook stored about you: records, approvals and sessions; your `tenterhook.toml` stays
    #[arg(long, requires = "all")]
    pub(crate) purge: bool,
    /// Which configuration to change
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Show what would change, and change nothing
    #[arg(long, visible_alias = "diff")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Require that a managed file with this SHA-256 applies here; may be given more than once
    #[arg(long, value_name = "DIGEST", value_parser = parse_digest)]
    pub(crate) expect: Vec<Digest>,
    #[command(flatten)]
    pub(crate) output: Output,
}
