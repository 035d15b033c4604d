//! What `trust` and `untrust` are told: which sources, and what to do beside approving them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    #[command(flatten)]
    pub(crate) which: TrustWhich,
    /// Run each gate once from the project and once from its copy, confined, and report where they differ; approves nothing
    #[arg(long = "try", conflicts_with = "yes")]
    pub(crate) compare: bool,
    #[command(subcommand)]
    pub(crate) what: Option<TrustDo>,
}

/// Of which sources.
#[derive(Debug, Args)]
pub(crate) struct TrustWhich {
    /// The files; without any, all that the agents would load from here and that came with the repository
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// Without a question, for scripts: the answer is yes to exactly the review of this digest, and to no other
    #[arg(long, value_name = "DIGEST")]
    pub(crate) yes: Vec<String>,
}

/// What to do beside approving.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustDo {
    /// Say of each source what was said of it; ends with 1 unless all is approved
    Status,
    /// Show what changed since it was approved
    Diff {
        /// The files; without any, all
        #[arg(value_name = "SOURCE")]
        sources: Vec<PathBuf>,
    },
    /// Run the hooks once in a sandbox, on events made up for them, and say what they ask for beyond `standard`
    Try {
        /// The files; without any, all that came with the repository
        #[arg(value_name = "SOURCE")]
        sources: Vec<PathBuf>,
    },
    /// Sign what you approved, so that it runs unasked wherever your key is pinned
    Sign {
        /// The file of the key that signs
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// The files; without any, all that came with the repository but those for you alone
        #[arg(value_name = "SOURCE")]
        sources: Vec<PathBuf>,
    },
    /// Make a key that signs, and print what is pinned of it
    Key {
        /// Where it is kept; of a key that is there already, what is pinned is printed again
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}
