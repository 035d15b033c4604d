//! What runs a step. One arm a kind of hook; each executor turns a task into a report and knows no dialect.

#[doc(hidden)]
pub mod command;
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
pub(crate) use command::start_ahead;
#[doc(hidden)]
pub use confine::{ConfinedShell, Shell};
#[cfg(feature = "rule")]
#[doc(hidden)]
pub use disk::disk;
pub(crate) use rule::{Asked, ask};
#[doc(hidden)]
pub use scratch::{scratch_prefix, scratches};
#[doc(hidden)]
pub use sealed::Sealed;
use tenterhook_core::dialect::{Dialect, EventRow};
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Hook, Run};
use tenterhook_core::report::{End, Report};
use tenterhook_core::rule::RuleInput;

/// What the host's process gives its hooks, because a library reads no environment itself: nothing, unless the
/// host says so.
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
    /// Where session files (env files, spilled context) may be written; `None`: nowhere. It is private, and no place that a hook may be
    /// granted, such as `/tmp`: one of the host's own below `~/.local/state`.
    pub scratch: Option<PathBuf>,
    /// Who answers `prompt` and `agent` hooks, for all sessions; `None`: such a hook fails, and its policy decides.
    pub model: Option<Arc<dyn model::Model>>,
    /// Who calls the tools of `mcp` hooks; `None`: such a hook fails, and its policy decides.
    pub servers: Option<Arc<dyn mcp::Servers>>,
    /// What the person left to agents of what the built-in rules deny; `None`: nothing.
    #[cfg(feature = "rule")]
    pub exemptions: Option<crate::exemptions::Exemptions>,
    /// Whether all that confined commands ask for and are not granted is told, one fault `sandbox-refused` each, also where they keep
    /// silent about it (X-24). Their calls are heard one by one, so that they take longer: for looking at a hook.
    pub explains_denials: bool,
    /// In place of what this machine can confine with: for tests of machines that can do less.
    #[doc(hidden)]
    pub pretended: Option<tenterhook_process::Means>,
    /// The connections that `http` hooks share, and whom they trust.
    pub network: http::Network,
}

impl Ambient {
    /// The same, with this environment in place of what it had.
    #[must_use]
    pub fn env<N: Into<String>, V: Into<String>>(
        mut self,
        env: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self
    }

    /// The same, with a directory for the files of sessions.
    #[must_use]
    pub fn scratch(mut self, directory: impl Into<PathBuf>) -> Self {
        self.scratch = Some(directory.into());
        self
    }

    /// The same, with somebody who answers `prompt` and `agent` hooks.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn model::Model>) -> Self {
        self.model = Some(model);
        self
    }

    /// The same, with somebody who calls the tools of `mcp` hooks. A host that is connected to no servers itself has the
    /// engine do it: `Builder::connect`.
    #[must_use]
    pub fn servers(mut self, servers: Arc<dyn mcp::Servers>) -> Self {
        self.servers = Some(servers);
        self
    }

    /// The same, with a directory of the person's own in which stands what they left to agents: one call that the built-in
    /// rules denied, or all of them for a while. It is that of `tenterhook allow` and `tenterhook pause`.
    #[cfg(feature = "rule")]
    #[must_use]
    pub fn state(mut self, directory: impl Into<PathBuf>) -> Self {
        self.exemptions = Some(crate::exemptions::Exemptions::at(directory));
        self
    }

    /// The same, with connections that trust whom the host trusts.
    #[must_use]
    pub fn network(mut self, network: http::Network) -> Self {
        self.network = network;
        self
    }
}

/// Without the values of the environment: some are secrets.
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
#[doc(hidden)]
pub struct Task {
    /// The hook.
    pub hook: Arc<Hook>,
    /// The event.
    pub event: Arc<Event>,
    /// What the hook's dialect lets it do on the event.
    pub row: Arc<EventRow>,
    /// What the hook is handed, in its dialect; written when the executor looks into it.
    pub envelope: Arc<Sealed>,
    /// How long it may take, from the moment it runs.
    pub timeout: Duration,
    /// When it must be over, whatever its own time-out says: the end of the event's budget.
    pub deadline: Option<Instant>,
    /// What the host's process gives it.
    pub ambient: Arc<Ambient>,
    /// The session, which owns the processes that outlive a step.
    pub session: Session,
    /// What rules see of the event, shared by all of them; `None` where no rule runs.
    pub rule_input: Option<Arc<RuleInput>>,
    /// Whether anybody still wants the event.
    pub wanted: Wanted,
}

impl Task {
    /// How long a step that starts now may take.
    #[must_use]
    pub fn budget(&self) -> Duration {
        within(self.timeout, self.deadline)
    }

    /// The dialect that the hook speaks.
    #[must_use]
    pub fn dialect(&self) -> &'static Dialect {
        self.hook.dialect.dialect()
    }
}

/// What a deadline leaves of a time-out.
pub(crate) fn within(timeout: Duration, deadline: Option<Instant>) -> Duration {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    left.map_or(timeout, |left| left.min(timeout))
}

/// How far a step has come.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one a step, and it is taken apart at once")]
#[doc(hidden)]
pub enum Progress {
    /// It is over.
    Ended(Report),
    /// It asked, in its first line, to go on in the background; the rest of its run.
    Detached(Rest),
}

/// The rest of a step that goes on in the background.
#[doc(hidden)]
pub struct Rest(pub std::pin::Pin<Box<dyn Future<Output = Report> + Send>>);

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rest")
    }
}

/// A step that could not run, and why.
fn not_started(why: impl Into<String>) -> Report {
    Report::silent(End::NotStarted { why: why.into() }, Duration::ZERO)
}

/// A step whose executor this build leaves out: to fire it is a fault, never silence.
#[cfg(not(all(feature = "http", feature = "rule")))]
fn left_out(executor: &str) -> Report {
    not_started(format!("this build has no executor for `{executor}` hooks"))
}

/// Runs a step. Dropping the future cancels the step: its program is ended as if its time were up.
#[doc(hidden)]
pub async fn run(task: Task) -> Progress {
    match &task.hook.run {
        Run::Function(function) => Progress::Ended(function::run(&task, function).await),
        Run::Rule(rule) => Progress::Ended(rule::run(&task, rule)),
        // The others wait for somebody outside and need room for that, which those two should not have to carry about.
        Run::Command(_) => Box::pin(command::run(task)).await,
        Run::Worker(worker) => Progress::Ended(Box::pin(worker::run(&task, worker)).await),
        Run::Http(http) => Progress::Ended(Box::pin(http::run(&task, http)).await),
        Run::Prompt(prompt) => Progress::Ended(Box::pin(prompt::run(&task, prompt)).await),
        Run::McpTool(call) => Progress::Ended(Box::pin(mcp::run(&task, call)).await),
        // Planning settles such a hook before it comes here; should one come, it gave no answer.
        Run::Unusable { part, why } => Progress::Ended(not_started(part.because(why))),
    }
}
