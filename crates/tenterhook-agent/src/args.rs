//! The options of the command line. Values only.

use std::path::PathBuf;

use crate::face::headless::Format;
use crate::sandbox::Sandbox;

/// A small terminal coding agent whose every step can be hooked.
#[derive(Debug, clap::Parser)]
#[command(version, about)]
pub(crate) struct Args {
    /// Print the answer to this prompt and leave; `-` reads it from standard input.
    #[arg(short, long, value_name = "PROMPT")]
    pub(crate) print: Option<String>,

    /// Which model: a name such as `gpt-5` or `ollama::qwen3`, or `scripted:FILE` to play from a file. Without it the one that
    /// `TENTERHOOK_MODEL` names, or one of the first service that a key is set for.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// Take prompts and decisions as lines of JSON from standard input.
    #[arg(long, conflicts_with = "print")]
    pub(crate) stdin: bool,

    /// The output format without a terminal.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output_format: Format,

    /// How much is done without asking: default, acceptEdits, plan, bypassPermissions.
    #[arg(long, value_name = "MODE", default_value = "default")]
    pub(crate) permission_mode: String,

    /// What the shell commands of the model may touch. Where this machine cannot confine them, none is run.
    #[arg(long, value_enum, value_name = "PROFILE", default_value_t)]
    pub(crate) sandbox: Sandbox,

    /// How often one prompt may have the model asked, by subagents too, before the turn ends.
    #[arg(long, value_name = "TIMES", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: u64,

    /// Start no MCP server for the model, and offer it none of their tools.
    #[arg(long)]
    pub(crate) no_mcp_tools: bool,

    /// Go on with the session of this transcript.
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,

    /// Go on in a copy of that session, and leave it as it is.
    #[arg(long, requires = "resume")]
    pub(crate) fork: bool,

    /// Set the repository up first: hooks of `Setup` run.
    #[arg(long, conflicts_with = "maintenance")]
    pub(crate) init: bool,

    /// Put the repository in order first: hooks of `Setup` run.
    #[arg(long)]
    pub(crate) maintenance: bool,

    /// After how many seconds without an answer to a question hooks of `Notification` run.
    #[arg(long, value_name = "SECONDS", default_value_t = 6.0)]
    pub(crate) notify_after: f64,

    /// After how many seconds without a prompt hooks of `Notification` run.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub(crate) idle_after: f64,

    /// How many seconds the end waits for hooks: those of `SessionEnd` and those in the background. At most 60; Ctrl-C twice
    /// ends the wait at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub(crate) exit_wait: f64,

    /// Calls that run without a question, such as `Bash(git status)`.
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Calls that are always asked about.
    #[arg(long, value_name = "RULE")]
    pub(crate) ask: Vec<String>,

    /// Calls that never run.
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
}
