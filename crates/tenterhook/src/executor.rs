//! Runs one step. Each kind of hook has one executor, which turns a task into a report and knows no
//! dialect.

mod command;
mod confine;
#[cfg(feature = "rule")]
mod disk;
mod env_file;
#[cfg(feature = "env")]
mod environment;
mod function;
pub mod http;
pub mod mcp;
pub mod model;
mod prompt;
mod restart;
mod rule;
mod scratch;
mod sealed;
pub(crate) mod worker;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::session::{Session, Wanted};
pub(crate) use command::start_spares;
#[cfg(feature = "rule")]
pub(crate) use disk::disk_files;
pub(crate) use rule::{Asked, evaluate_rule};
pub(crate) use sealed::Sealed;
use tenterhook_core::dialect::{Dialect, EventRow};
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Hook, Run};
use tenterhook_core::report::{End, Report};
use tenterhook_core::rule::RuleInput;

/// What only the programs use (see [`crate::internal`]).
pub(crate) mod internal {
    pub use super::command::{
        missing_interpreter_remedy, process_for_command, script_interpreter, shebang_text,
    };
    pub use super::confine::{ConfinedShell, Shell};
    #[cfg(feature = "rule")]
    pub use super::disk::disk_files;
    pub use super::scratch::{create_scratch_root, scratch_prefix};

    #[cfg(feature = "model")]
    pub mod services {
        //! The services that models run on.

        pub use crate::executor::model::services::*;
    }
}

/// What hooks get from the host's process. A library reads no environment itself, so hooks get
/// nothing unless the host sets it.
///
/// ```
/// use tenterhook::executor::Ambient;
///
/// let ambient = Ambient::default().env([("PATH", "/usr/bin:/bin")]).scratch("/home/me/.my-agent/run");
/// assert_eq!(ambient.env.len(), 1);
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Ambient {
    /// The host's environment.
    pub env: Vec<(String, String)>,
    /// Where session files (env files, spilled context) may be written; `None`: nowhere. It must be
    /// private, and no directory that a hook may be granted, such as `/tmp`: use one of the host's
    /// own below `~/.local/state`.
    pub scratch: Option<PathBuf>,
    /// The model that answers `prompt` and `agent` hooks, for all sessions. `None`: such a hook
    /// fails, and its policy decides.
    pub model: Option<Arc<dyn model::Model>>,
    /// The connections that call the tools of `mcp` hooks. `None`: such a hook fails, and its
    /// policy decides.
    pub servers: Option<Arc<dyn mcp::Servers>>,
    /// Exemptions from the built-in rules that the user granted to agents. `None`: no exemptions.
    #[cfg(feature = "rule")]
    pub exemptions: Option<crate::exemptions::Exemptions>,
    /// Whether each access that the sandbox refused is reported as one fault `sandbox-refused`,
    /// even if the program prints nothing about it (X-24). Watching each system call makes hooks
    /// slower: use it to examine a hook.
    pub explains_denials: bool,
    /// Replaces what this machine can confine with: for tests of machines that can do less.
    // Hidden because only our tests and benches set it: a host must not pretend.
    #[doc(hidden)]
    pub pretended: Option<tenterhook_process::Means>,
    /// The connections that `http` hooks share, and the certificates that they trust.
    pub network: http::Network,
}

impl Ambient {
    /// Replaces the environment.
    #[must_use]
    pub fn env<N: Into<String>, V: Into<String>>(
        mut self,
        env: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self
    }

    /// Sets a directory for the files of sessions.
    #[must_use]
    pub fn scratch(mut self, directory: impl Into<PathBuf>) -> Self {
        self.scratch = Some(directory.into());
        self
    }

    /// Sets the model that answers `prompt` and `agent` hooks.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn model::Model>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the connections that call the tools of `mcp` hooks. A host without MCP
    /// connections lets the engine connect: `Builder::connect`.
    #[must_use]
    pub fn servers(mut self, servers: Arc<dyn mcp::Servers>) -> Self {
        self.servers = Some(servers);
        self
    }

    /// Sets the user's state directory, which holds the exemptions that the user granted to agents:
    /// for one call that the built-in rules denied, or for all of them for a while. It is that of
    /// `tenterhook allow` and `tenterhook pause`.
    #[cfg(feature = "rule")]
    #[must_use]
    pub fn state(mut self, directory: impl Into<PathBuf>) -> Self {
        self.exemptions = Some(crate::exemptions::Exemptions::in_directory(directory));
        self
    }

    /// Sets connections that trust the host's certificates.
    #[must_use]
    pub fn network(mut self, network: http::Network) -> Self {
        self.network = network;
        self
    }
}

/// Hides the values of the environment: some are secrets.
impl fmt::Debug for Ambient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Ambient")
            .field("env", &names)
            .field("scratch", &self.scratch)
            .field("model", &self.model)
            .field("servers", &self.servers)
            .field("network", &self.network)
            .finish()
    }
}

/// One step, ready to run.
#[derive(Debug)]
pub(crate) struct Task {
    /// The hook.
    pub(crate) hook: Arc<Hook>,
    /// The event.
    pub(crate) event: Arc<Event>,
    /// What the hook's dialect lets it do on the event.
    pub(crate) row: Arc<EventRow>,
    /// The hook's input in its dialect; written when the executor first reads it.
    pub(crate) envelope: Arc<Sealed>,
    /// How long it may take once it runs.
    pub(crate) timeout: Duration,
    /// When it must end, whatever its own timeout: the end of the event's budget.
    pub(crate) deadline: Option<Instant>,
    /// What hooks get from the host's process.
    pub(crate) ambient: Arc<Ambient>,
    /// The session, which owns the processes that outlive a step.
    pub(crate) session: Session,
    /// The event as rules see it, shared by all of them; `None` if no rule runs.
    pub(crate) rule_input: Option<Arc<RuleInput>>,
    /// Whether the caller still waits for the event.
    pub(crate) wanted: Wanted,
}

impl Task {
    /// Returns how long a step that starts now may take.
    #[must_use]
    pub(crate) fn remaining_time(&self) -> Duration {
        cap_timeout_to_deadline(self.timeout, self.deadline)
    }

    /// The dialect that the hook speaks.
    #[must_use]
    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.hook.dialect.dialect()
    }
}

/// Returns the timeout, or the time that is left until the deadline if that is shorter.
pub(crate) fn cap_timeout_to_deadline(timeout: Duration, deadline: Option<Instant>) -> Duration {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    left.map_or(timeout, |left| left.min(timeout))
}

/// How far a step has come.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one a step, and it is taken apart at once")]
pub(crate) enum Progress {
    /// It is over.
    Ended(Report),
    /// It asked in its first line to run in the background; this is the rest of its run.
    Detached(Rest),
}

/// The rest of a step that goes on in the background.
pub(crate) struct Rest(pub(crate) std::pin::Pin<Box<dyn Future<Output = Report> + Send>>);

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rest")
    }
}

/// Reports a step that could not run, and why.
fn not_started_report(why: impl Into<String>) -> Report {
    Report::without_output(End::NotStarted { why: why.into() }, Duration::ZERO)
}

/// Reports a step whose executor is not part of this build. That is a fault, never silence.
#[cfg(not(all(feature = "http", feature = "rule")))]
fn missing_executor_report(executor: &str) -> Report {
    not_started_report(format!("this build has no executor for `{executor}` hooks"))
}

/// Runs a step. Dropping the future cancels the step: its program is killed as if it had timed out.
pub(crate) async fn run_task(task: Task) -> Progress {
    match &task.hook.run {
        Run::Function(function) => Progress::Ended(function::run_function(&task, function).await),
        Run::Rule(rule) => Progress::Ended(rule::run_rule(&task, rule)),
        // Boxed: these executors wait for processes or servers, and their large futures would
        // otherwise also enlarge the two below.
        Run::Command(_) => Box::pin(command::run_command(task)).await,
        Run::Worker(worker) => Progress::Ended(Box::pin(worker::run_worker(&task, worker)).await),
        Run::Http(http) => Progress::Ended(Box::pin(http::run_http_hook(&task, http)).await),
        Run::Prompt(prompt) => Progress::Ended(Box::pin(prompt::run_prompt(&task, prompt)).await),
        Run::McpTool(call) => Progress::Ended(Box::pin(mcp::run_mcp_call(&task, call)).await),
        // Planning settles such a hook earlier. If one comes here anyway, it gave no answer.
        Run::Unusable { part, why } => {
            Progress::Ended(not_started_report(part.problem_message(why)))
        }
    }
}
