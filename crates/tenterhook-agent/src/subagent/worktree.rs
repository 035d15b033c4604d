//! The worktree of a task: where a hook made one, else a new one of Git's. It goes with the task, unless there is work in it.

use std::path::{Path, PathBuf};

use tenterhook_process as process;

use crate::agent::Agent;
use crate::hooks::Hooks;
use crate::tool;
use crate::update::{Update, Updates};

/// Where a task works.
#[derive(Clone)]
pub(super) struct Worktree {
    path: PathBuf,
    /// The commit that it began at; none where a hook made it, and knows how to remove it.
    from: Option<String>,
    /// The project that it belongs to.
    project: PathBuf,
    hooks: Hooks,
    updates: Updates,
}

impl Worktree {
    /// Creates a worktree, or uses the one that a hook made.
    pub(super) async fn create(agent: &Agent, name: &str) -> Result<Self, WorktreeError> {
        let verdict = agent.hooks.fire_before_worktree_creation(name).await;
        if let Some(reason) = verdict.blocked {
            return Err(WorktreeError::Denied { reason });
        }
        let project = agent.settings.project.clone();
        let (path, from) = match verdict.output.as_ref().and_then(|output| output.as_str()) {
            Some(made) if Path::new(made).is_dir() => (PathBuf::from(made), None),
            Some(made) => return Err(WorktreeError::NoDirectory(made.to_owned())),
            None => {
                let path = agent.transcript.path().with_extension(format!("{name}.worktree"));
                let text = path.display().to_string();
                run_git(&project, &["worktree", "add", "--detach", &text]).await?;
                let from = run_git(&path, &["rev-parse", "HEAD"]).await?;
                (path, Some(from))
            }
        };
        let (hooks, updates) = (agent.hooks.clone(), agent.updates.clone());
        Ok(Self { path, from, project, hooks, updates })
    }

    /// Returns the path of the worktree.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the worktree, or leaves it if it contains work. Returns a message about work that
    /// stays.
    pub(super) async fn remove_unless_it_has_work(self) -> Option<String> {
        let path = self.path.display().to_string();
        if let Some(from) = &self.from {
            let changed = run_git(&self.path, &["status", "--porcelain"]).await;
            let head = run_git(&self.path, &["rev-parse", "HEAD"]).await;
            let is_clean = changed.is_ok_and(|changed| changed.is_empty());
            let is_same = head.is_ok_and(|head| head == *from);
            if !is_clean || !is_same {
                return Some(format!("The work is in the worktree `{path}`."));
            }
        }
        self.hooks.fire_before_worktree_removal(&self.path).await;
        if self.from.is_some()
            && let Err(why) = run_git(&self.project, &["worktree", "remove", &path]).await
        {
            self.hooks.warn_about_event("WorktreeRemove", why.to_string());
        }
        None
    }

    /// Removes the worktree of a stopped task, unless it contains work, without waiting, and shows
    /// the user where remaining work is.
    pub(super) fn remove_in_background(self) {
        let (hooks, updates) = (self.hooks.clone(), self.updates.clone());
        hooks.spawn_background_work(async move {
            if let Some(words) = self.remove_unless_it_has_work().await {
                updates.send(Update::Notice(words));
            }
        });
    }
}

/// Why there is no worktree, or why Git did nothing with it.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorktreeError {
    #[error("no worktree was made: {reason}")]
    Denied { reason: String },
    #[error("`{0}` is not a directory")]
    NoDirectory(String),
    #[error("git's end was not reported")]
    Unreported,
    #[error("`git {args}` failed ({end:?}): {words}")]
    Git { args: String, end: process::End, words: String },
}

/// Runs Git and returns its output.
async fn run_git(directory: &Path, args: &[&str]) -> Result<String, WorktreeError> {
    let mut command = process::Command::new("git", args, directory);
    command.env = vec![("PATH".into(), tool::PATH.into())];
    let (done, finished) = tokio::sync::oneshot::channel();
    let _child = process::start_with_whole_input(command, |child| {
        child.on_finish(move |report| {
            let _ = done.send(report);
        });
    });
    let report = finished.await.map_err(|_| WorktreeError::Unreported)?;
    match report.end {
        process::End::Exited(0) => {
            Ok(String::from_utf8_lossy(&report.stdout.bytes).trim().to_owned())
        }
        end => {
            let words = String::from_utf8_lossy(&report.stderr.bytes).trim().to_owned();
            Err(WorktreeError::Git { args: args.join(" "), end, words })
        }
    }
}
