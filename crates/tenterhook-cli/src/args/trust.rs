//! Arguments of `trust` and `untrust`: which sources, and what to do with them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    #[command(flatten)]
    pub(crate) which: TrustWhich,
    /// Run each gate in a sandbox, from the project and from its copy, and report differences; approves nothing
    #[arg(long, alias = "try", conflicts_with = "yes")]
    pub(crate) compare: bool,
    #[command(subcommand)]
    pub(crate) what: Option<TrustDo>,
}

/// Which sources to use.
#[derive(Debug, Args)]
pub(crate) struct TrustWhich {
    /// The files [default: all that came with the repository and that the agents would load from here]
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// Answer yes without a question, for scripts, about the source whose review has this digest
    #[arg(long, value_name = "DIGEST")]
    pub(crate) yes: Vec<String>,
}

/// What to do other than approving.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustDo {
    /// Show the approval of each source; exits with 1 unless all are approved
    Status,
    /// Show what changed since the approval
    Diff {
        /// The files [default: all]
        #[arg(value_name = "SOURCE")]
        sources: Vec<PathBuf>,
    },
    /// Run the hooks once in a sandbox, on sample events, and report which rights they need beyond `standard`
    Try {
        /// The files [default: all that came with the repository]
        #[arg(value_name = "SOURCE")]
        sources: Vec<PathBuf>,
    },
    /// Write a lock file with your signature, so that the hooks run without approval wherever your key is pinned
    Sign {
        /// The file of the secret key
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// The files [default: all that came with the repository, except those for you alone]
        #[arg(value_name = "SOURCE")]
        sources: Vec<PathBuf>,
    },
    /// Create a secret key, and print the line that pins its public key
    Key {
        /// Where to store the key; for an existing key, only the line is printed
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}
