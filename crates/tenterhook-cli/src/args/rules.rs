//! What `rules` is told: of which pack, and what to do with it.

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct Rules {
    #[command(subcommand)]
    pub(crate) what: RulesDo,
}

/// What to do with packs of rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesDo {
    /// List the packs, and where they are in place
    List(Output),
    /// Say what the rules of a pack hold up, or print one of them
    Show {
        /// The pack
        pack: String,
        /// One rule of it
        rule: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Put a pack where hooks are read; a file that was changed stays
    Add {
        /// The pack
        pack: String,
        /// For this project alone, beside its `tenterhook.toml`; else for all of yours
        #[arg(long)]
        project: bool,
        /// Replace a file that was changed
        #[arg(long)]
        force: bool,
    },
    /// Take a pack away again; a file that was changed stays
    Remove {
        /// The pack
        pack: String,
        /// From this project, and not from all of yours
        #[arg(long)]
        project: bool,
        /// Remove a file that was changed, too
        #[arg(long)]
        force: bool,
    },
}
