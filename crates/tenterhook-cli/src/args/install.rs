//! What `install` and `uninstall` are told: whose files, and how far.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Whose configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Yours, for all projects
    User,
    /// The project's, which others share
    Project,
    /// The organisation's, which needs its rights
    Managed,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The agents: claude, codex, copilot, opencode, goose, qwen, cline, gemini
    #[arg(value_name = "AGENT", required_unless_present = "all")]
    pub(crate) agents: Vec<String>,
    /// Every agent that is found here
    #[arg(long, conflicts_with = "agents")]
    pub(crate) all: bool,
    /// Move your own hooks from the agent's file to one that Tenterhook runs them from; `uninstall` moves them back
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Write a guard into your own settings of Claude Code, too, that keeps modules of plugins from silencing hooks
    #[arg(long)]
    pub(crate) guard: bool,
    /// Whose configuration is written
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the whole files as they would be, and change nothing
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) print: bool,
    /// The program that agents start; without it, the path at which this one stays when it is upgraded
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The agents
    #[arg(value_name = "AGENT", required_unless_present = "all")]
    pub(crate) agents: Vec<String>,
    /// Every agent
    #[arg(long, conflicts_with = "agents")]
    pub(crate) all: bool,
    /// Whose configuration is written
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
