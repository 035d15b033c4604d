//! What runs a step. One arm a kind of hook; each executor turns a task into a report and knows no dialect.

pub mod command;
mod env_file;
pub mod function;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::dialect::{Dialect, Envelope};
use crate::event::Event;
use crate::hook::{Hook, Run};
use crate::report::{End, Report};

/// What the host's process gives its hooks, because a library reads no environment itself.
#[derive(Clone, Debug, Default)]
pub struct Ambient {
    /// The host's environment.
    pub env: Vec<(String, String)>,
    /// Where session files (env files, spilled context) may be written; `None`: nowhere.
    pub scratch: Option<PathBuf>,
}

/// One step, ready to run.
#[derive(Debug)]
pub struct Task {
    /// The hook.
    pub hook: Arc<Hook>,
    /// The event.
    pub event: Arc<Event>,
    /// What the hook is handed, in its dialect.
    pub envelope: Arc<Envelope>,
    /// How long it may take, from the moment it runs.
    pub timeout: Duration,
    /// When it must be over, whatever its own time-out says: the end of the event's budget.
    pub by: Option<Instant>,
    /// What the host's process gives it.
    pub ambient: Arc<Ambient>,
}

impl Task {
    /// How long a step that starts now may take.
    #[must_use]
    pub fn budget(&self) -> Duration {
        let left = self.by.map(|by| by.saturating_duration_since(Instant::now()));
        left.map_or(self.timeout, |left| left.min(self.timeout))
    }

    /// The dialect that the hook speaks.
    #[must_use]
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.hook.dialect.dialect()
    }
}

/// How far a step has come.
#[derive(Debug)]
pub enum Progress {
    /// It is over.
    Ended(Report),
    /// It asked, in its first line, to go on in the background; the rest of its run.
    Detached(Rest),
}

/// The rest of a step that goes on in the background.
pub struct Rest(pub std::pin::Pin<Box<dyn Future<Output = Report> + Send>>);

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rest")
    }
}

/// Runs a step. Dropping the future cancels the step: its program is ended as if its time were up.
pub async fn run(task: Task) -> Progress {
    match &task.hook.run {
        Run::Command(_) => command::run(task).await,
        Run::Function(_) => Progress::Ended(function::run(task).await),
        Run::Missing { executor } => {
            let why = format!("this build has no executor for `{executor}` hooks");
            Progress::Ended(Report::silent(End::NotStarted { why }, Duration::ZERO))
        }
        // Planning settles such a hook before it comes here; should one come, it gave no answer.
        Run::Unusable { why } => {
            let why = format!("its entry cannot be used: {why}");
            Progress::Ended(Report::silent(End::NotStarted { why }, Duration::ZERO))
        }
    }
}
