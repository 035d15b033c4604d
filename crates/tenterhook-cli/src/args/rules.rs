//! Arguments of `rules`: which pack, and what to do with it.

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
    /// List the packs, and where they are installed
    List(Output),
    /// Show what the rules of a pack block, or print one rule
    Show {
        /// The pack
        pack: String,
        /// One rule of the pack
        rule: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Add a pack to your hooks; an edited file is kept
    Add {
        /// The pack
        pack: String,
        /// Add it to this project, beside its `tenterhook.toml` [default: to your own configuration]
        #[arg(long)]
        project: bool,
        /// Replace an edited file
        #[arg(long)]
        force: bool,
    },
    /// Remove a pack; an edited file is kept
    Remove {
        /// The pack
        pack: String,
        /// Remove it from this project [default: from your own configuration]
        #[arg(long)]
        project: bool,
        /// Remove an edited file, too
        #[arg(long)]
        force: bool,
    },
}
