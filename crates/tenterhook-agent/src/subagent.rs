//! A task given to another agent: the same kind of thing as the main one, with a conversation of its own, and if it likes in a
//! worktree of its own. Its tools pass the same hooks and the same permissions.

use std::path::{Path, PathBuf};

use serde_json::json;
use tenterhook_process as process;

use crate::agent::{Agent, Role, Steering};
use crate::conversation::{Call, Message};
use crate::render::Renderer;
use crate::tool::{self, Output, failed, text};
use crate::transcript::Transcript;
use crate::turn::Ending;
use crate::underway::Underway;

/// What a subagent is when nobody says it.
const GENERAL: &str = "general";

impl Agent {
    /// Gives a task to a subagent and waits for it.
    pub(crate) async fn delegate(&self, call: &Call) -> Output {
        self.give(call).await.unwrap_or_else(failed)
    }

    async fn give(&self, call: &Call) -> Result<Output, String> {
        let prompt = text(call, "prompt").ok_or("`prompt` is missing")?;
        let about = text(call, "description").unwrap_or(prompt);
        let kind = text(call, "subagent_type").unwrap_or(GENERAL);
        if let Some(reason) = self.hooks.task_created(&call.id, about, prompt).await.blocked {
            return Err(format!("the task was not created: {reason}"));
        }
        let worktree = match text(call, "isolation") {
            Some(_) => Some(self.worktree(&call.id).await?),
            None => None,
        };
        let place = worktree.as_ref().map(|it| it.path.as_path());
        let ended = self.run_subagent(call, kind, about, prompt, place).await;
        let left = match &worktree {
            Some(worktree) => self.leave(worktree).await,
            None => String::new(),
        };
        let words = ended.map(|words| words + &left).map_err(|why| why + &left)?;
        if let Some(reason) = self.hooks.task_completed(&call.id, about, prompt).await.blocked {
            return Err(format!("the task does not count as done: {reason}\n{words}"));
        }
        Ok(Output::Done { response: json!({"content": words, "agentType": kind}), text: words })
    }

    async fn run_subagent(
        &self,
        call: &Call,
        kind: &str,
        about: &str,
        prompt: &str,
        worktree: Option<&Path>,
    ) -> Result<String, String> {
        let hooks = self.hooks.of_subagent(&call.id, kind, worktree);
        let started = hooks.subagent_started(about, prompt).await;
        if let Some(reason) = started.stop {
            return Err(reason);
        }
        let name = self.transcript.path().with_extension(format!("{}.jsonl", call.id));
        let transcript = Transcript::open(&name)
            .map_err(|error| format!("`{}` cannot be written: {error}", name.display()))?;
        let mut settings = self.settings.clone();
        if let Some(path) = worktree {
            settings.cwd = path.to_owned();
            settings.project = path.to_owned();
        }
        let mut agent = Agent {
            role: Role::Sub,
            renderer: Renderer::start(hooks.clone(), self.updates.clone()),
            hooks,
            updates: self.updates.clone(),
            provider: self.provider.clone(),
            permissions: self.permissions.clone(),
            transcript,
            steering: Steering::default(),
            tasks: self.tasks.clone(),
            tally: self.tally.clone(),
            settings,
            messages: Vec::new(),
            unfinished: String::new(),
            turns: 0,
        };
        agent.keep(Message::user(prompt, started.context));
        let hooks = agent.hooks.clone();
        let underway = Underway::begin(move || hooks.subagent_interrupted());
        // A turn may run a turn: of unknown size, so in a box.
        let ending = Box::pin(agent.turn(prompt)).await;
        underway.over();
        match ending {
            Ending::Done => Ok(agent.last_reply()),
            Ending::Stopped(reason) => Err(format!("the subagent was stopped: {reason}")),
            Ending::Interrupted => Err("the user stopped it".to_owned()),
            Ending::Failed(error) => Err(format!("the subagent's model failed: {error}")),
        }
    }

    /// A worktree for a task: where a hook made one, else a new one of Git's.
    async fn worktree(&self, name: &str) -> Result<Worktree, String> {
        let said = self.hooks.worktree_wanted(name).await;
        if let Some(reason) = said.blocked {
            return Err(format!("no worktree was made: {reason}"));
        }
        if let Some(path) = said.output.as_ref().and_then(|it| it.as_str()) {
            let path = PathBuf::from(path);
            return if path.is_dir() {
                Ok(Worktree { path, from: None })
            } else {
                Err(format!("`{}` is no directory", path.display()))
            };
        }
        let path = self.transcript.path().with_extension(format!("{name}.worktree"));
        let text = path.display().to_string();
        git(&self.settings.project, &["worktree", "add", "--detach", &text]).await?;
        let from = git(&path, &["rev-parse", "HEAD"]).await?;
        Ok(Worktree { path, from: Some(from) })
    }

    /// Leaves a worktree: one of Git's goes, unless there is work in it. What there is to say about that.
    async fn leave(&self, worktree: &Worktree) -> String {
        let path = worktree.path.display().to_string();
        if let Some(from) = &worktree.from {
            let changed = git(&worktree.path, &["status", "--porcelain"]).await;
            let head = git(&worktree.path, &["rev-parse", "HEAD"]).await;
            if changed.as_deref() != Ok("") || head.as_ref() != Ok(from) {
                return format!("\n\nThe work is in the worktree `{path}`.");
            }
        }
        self.hooks.worktree_removed(&worktree.path).await;
        if worktree.from.is_some()
            && let Err(why) = git(&self.settings.project, &["worktree", "remove", &path]).await
        {
            self.updates.warn("WorktreeRemove", why);
        }
        String::new()
    }
}

/// Where a task works.
struct Worktree {
    path: PathBuf,
    /// The commit that it began at; none where a hook made it, and knows how to remove it.
    from: Option<String>,
}

/// What Git prints.
async fn git(directory: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = process::Command::new("git", args, directory);
    command.env = vec![("PATH".into(), tool::PATH.into())];
    let (done, finished) = tokio::sync::oneshot::channel();
    let _child = process::start_fed(command, |child| {
        child.finish(move |report| {
            let _ = done.send(report);
        });
    });
    let report = finished.await.map_err(|_| "git's end was not reported".to_owned())?;
    match report.end {
        process::End::Exited(0) => {
            Ok(String::from_utf8_lossy(&report.stdout.bytes).trim().to_owned())
        }
        end => {
            let words = String::from_utf8_lossy(&report.stderr.bytes).trim().to_owned();
            Err(format!("`git {}` failed ({end:?}): {words}", args.join(" ")))
        }
    }
}
