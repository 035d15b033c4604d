//! A task for a subagent: the same kind of agent as the main one, with a separate conversation, and
//! on request in a separate worktree. Its tools pass the same hooks and the same permissions.

mod worktree;

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::agent::{Agent, Role, Settings, Steering};
use crate::conversation::{Call, Message};
use crate::model::ModelError;
use crate::render::Renderer;
use crate::task_gate::{self, Came, TaskInfo};
use crate::tool::{Output, failed_output, text_argument};
use crate::transcript::Transcript;
use crate::turn::Ending;
use crate::underway::Underway;
use worktree::{Worktree, WorktreeError};

/// The default kind of a subagent.
const GENERAL: &str = "general";
/// How much of a call's name stands in the names of files.
const LONGEST: usize = 64;

/// Why a subagent did not do its task.
#[derive(Debug, thiserror::Error)]
enum SubagentError {
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    #[error("{reason}")]
    Denied { reason: String },
    #[error("`{path}` cannot be written: {source}", path = .path.display())]
    Transcript { path: PathBuf, source: io::Error },
    #[error("the subagent was stopped: {reason}")]
    Stopped { reason: String },
    #[error("the user stopped it")]
    Interrupted,
    #[error("the subagent's model failed: {0}")]
    Model(#[from] ModelError),
    /// It failed, and this became of its worktree.
    #[error("{source}\n\n{note}")]
    InWorktree { source: Box<Self>, note: String },
}

impl Agent {
    /// Gives a task to a subagent and waits for its result.
    pub(crate) async fn delegate_task(&self, call: &Call) -> Came {
        let Some(prompt) = text_argument(call, "prompt") else {
            return failed_output("`prompt` is missing").into();
        };
        let about = text_argument(call, "description").unwrap_or(prompt);
        let task = TaskInfo { id: &call.id, subject: about, description: prompt };
        let context = match task_gate::judge_task_start(&self.hooks, task).await {
            Ok(context) => context,
            Err(came) => return came,
        };
        let mut came = match self.run_task(call, about, prompt).await {
            Ok(done) => task_gate::judge_finished_task(&self.hooks, task, done).await,
            Err(error) => failed_output(error.to_string()).into(),
        };
        came.context.splice(0..0, context);
        came
    }

    async fn run_task(
        &self,
        call: &Call,
        about: &str,
        prompt: &str,
    ) -> Result<Output, SubagentError> {
        let kind = text_argument(call, "subagent_type").unwrap_or(GENERAL);
        let worktree = match text_argument(call, "isolation") {
            Some(_) => Some(Worktree::create(self, &sanitize_call_id(&call.id)).await?),
            None => None,
        };
        let place = worktree.as_ref().map(Worktree::path);
        let underway =
            worktree.clone().map(|worktree| Underway::new(move || worktree.remove_in_background()));
        let ended = self.run_subagent(call, kind, about, prompt, place).await;
        if let Some(underway) = underway {
            underway.disarm();
        }
        let note = match worktree {
            Some(worktree) => worktree.remove_unless_it_has_work().await,
            None => None,
        };
        let words = match (ended, note) {
            (Ok(words), Some(note)) => format!("{words}\n\n{note}"),
            (Err(error), Some(note)) => {
                return Err(SubagentError::InWorktree { source: Box::new(error), note });
            }
            (ended, None) => ended?,
        };
        Ok(Output::Done { response: json!({"content": words, "agentType": kind}), text: words })
    }

    fn open_subagent_transcript(&self, call: &Call) -> Result<Transcript, SubagentError> {
        let name =
            self.transcript.path().with_extension(format!("{}.jsonl", sanitize_call_id(&call.id)));
        Transcript::open(&name).map_err(|source| SubagentError::Transcript { path: name, source })
    }

    /// Returns the settings of a subagent, which works in its worktree if it has one.
    fn subagent_settings(&self, worktree: Option<&Path>) -> Settings {
        let mut settings = self.settings.clone();
        if let Some(path) = worktree {
            settings.cwd = path.to_owned();
            settings.project = path.to_owned();
        }
        settings
    }

    async fn run_subagent(
        &self,
        call: &Call,
        kind: &str,
        about: &str,
        prompt: &str,
        worktree: Option<&Path>,
    ) -> Result<String, SubagentError> {
        let hooks = self.hooks.for_subagent(&call.id, kind, worktree);
        // Before its first event: what a background hook adds there is for its model.
        let steering = Steering::default();
        let mailbox = hooks.open_mailbox(&call.id, &steering);
        let started = hooks.fire_subagent_started(about, prompt).await;
        if let Some(reason) = started.stop {
            return Err(SubagentError::Denied { reason });
        }
        let transcript = self.open_subagent_transcript(call)?;
        let updates = self.updates.for_subagent(&call.id);
        let mut agent = Agent {
            role: Role::Sub,
            renderer: Renderer::start(hooks.clone(), updates.clone()),
            hooks,
            updates,
            provider: self.provider.clone(),
            permissions: self.permissions.clone(),
            transcript,
            steering,
            tasks: self.tasks.clone(),
            toolbox: self.toolbox.clone(),
            tally: self.tally.clone(),
            settings: self.subagent_settings(worktree),
            messages: Vec::new(),
            seen: self.seen.for_subagent(),
            typed: None,
            unfinished: String::new(),
            done: Vec::new(),
            turns: 0,
        };
        agent.push_message(Message::from_user(prompt, started.context));
        let hooks = agent.hooks.clone();
        let underway = Underway::new(move || hooks.fire_subagent_interrupted());
        // A turn may run a turn: of unknown size, so in a box.
        let ending = Box::pin(agent.run_turn(prompt)).await;
        underway.disarm();
        drop(mailbox);
        // What came too late for the subagent is for the agent that asked it.
        agent
            .steering
            .take_messages()
            .into_iter()
            .for_each(|message| self.steering.add_message_without_model_call(message));
        match ending {
            Ending::Done => Ok(agent.last_reply_text()),
            Ending::Stopped(reason) => Err(SubagentError::Stopped { reason }),
            Ending::Interrupted => Err(SubagentError::Interrupted),
            Ending::Failed(error) => Err(error.into()),
        }
    }
}

/// Returns a call's id as part of a file name. The model chose the id, so it may contain anything.
fn sanitize_call_id(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    id.chars().take(LONGEST).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calls_name_leads_nowhere() {
        assert_eq!(sanitize_call_id("toolu_01-a"), "toolu_01-a");
        assert_eq!(sanitize_call_id("../../etc/x\0y z"), "------etc-x-y-z");
        assert_eq!(sanitize_call_id(&"é".repeat(300)), "-".repeat(LONGEST));
    }
}
