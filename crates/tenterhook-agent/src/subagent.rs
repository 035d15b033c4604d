//! A task for a subagent: the same kind of agent as the main one, with a separate conversation, and
//! on request in a separate worktree. Its tools pass the same hooks and the same permissions.

mod worktree;

use std::io;
use std::path::Path;

use serde_json::json;

use crate::agent::{Agent, Role, Steering};
use crate::conversation::{Call, Message};
use crate::render::Renderer;
use crate::task_gate::{self, Came, TaskInfo};
use crate::tool::{Output, failed, text};
use crate::transcript::Transcript;
use crate::turn::Ending;
use crate::underway::Underway;
use worktree::Worktree;

/// The default kind of a subagent.
const GENERAL: &str = "general";
/// How much of a call's name stands in the names of files.
const LONGEST: usize = 64;

impl Agent {
    /// Gives a task to a subagent and waits for it.
    pub(crate) async fn delegate(&self, call: &Call) -> Came {
        let Some(prompt) = text(call, "prompt") else {
            return failed("`prompt` is missing").into();
        };
        let about = text(call, "description").unwrap_or(prompt);
        let task = TaskInfo { id: &call.id, subject: about, description: prompt };
        let context = match task_gate::may_begin(&self.hooks, task).await {
            Ok(context) => context,
            Err(came) => return came,
        };
        let mut came = match self.give(call, about, prompt).await {
            Ok(done) => task_gate::counts_as_done(&self.hooks, task, done).await,
            Err(why) => failed(why).into(),
        };
        came.context.splice(0..0, context);
        came
    }

    async fn give(&self, call: &Call, about: &str, prompt: &str) -> Result<Output, String> {
        let kind = text(call, "subagent_type").unwrap_or(GENERAL);
        let worktree = match text(call, "isolation") {
            Some(_) => {
                Some(Worktree::make(self, &plain(&call.id)).await.map_err(|why| why.to_string())?)
            }
            None => None,
        };
        let place = worktree.as_ref().map(Worktree::path);
        let underway = worktree.clone().map(|worktree| Underway::begin(move || worktree.abandon()));
        let ended = self.run_subagent(call, kind, about, prompt, place).await;
        if let Some(underway) = underway {
            underway.over();
        }
        let left = match worktree {
            Some(worktree) => worktree.finish().await,
            None => None,
        };
        let left = left.map(|words| format!("\n\n{words}")).unwrap_or_default();
        let words = ended.map(|words| words + &left).map_err(|why| why + &left)?;
        Ok(Output::Done { response: json!({"content": words, "agentType": kind}), text: words })
    }

    fn open_transcript_of(&self, call: &Call) -> io::Result<Transcript> {
        let name = self.transcript.path().with_extension(format!("{}.jsonl", plain(&call.id)));
        let opened = Transcript::open(&name);
        opened.map_err(|error| {
            let message = format!("`{}` cannot be written: {error}", name.display());
            io::Error::new(error.kind(), message)
        })
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
        // Before its first event: what a background hook adds there is for its model.
        let steering = Steering::default();
        let mailbox = hooks.open_mailbox(&call.id, &steering);
        let started = hooks.subagent_started(about, prompt).await;
        if let Some(reason) = started.stop {
            return Err(reason);
        }
        let transcript = self.open_transcript_of(call).map_err(|error| error.to_string())?;
        let mut settings = self.settings.clone();
        if let Some(path) = worktree {
            settings.cwd = path.to_owned();
            settings.project = path.to_owned();
        }
        let updates = self.updates.within(&call.id);
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
            settings,
            messages: Vec::new(),
            seen: self.seen.of_subagent(),
            typed: None,
            unfinished: String::new(),
            done: Vec::new(),
            turns: 0,
        };
        agent.keep(Message::user(prompt, started.context));
        let hooks = agent.hooks.clone();
        let underway = Underway::begin(move || hooks.subagent_interrupted());
        // A turn may run a turn: of unknown size, so in a box.
        let ending = Box::pin(agent.turn(prompt)).await;
        underway.over();
        drop(mailbox);
        // What came too late for the subagent is for the agent that asked it.
        agent.steering.take().into_iter().for_each(|message| self.steering.add_later(message));
        match ending {
            Ending::Done => Ok(agent.last_reply()),
            Ending::Stopped(reason) => Err(format!("the subagent was stopped: {reason}")),
            Ending::Interrupted => Err("the user stopped it".to_owned()),
            Ending::Failed(error) => Err(format!("the subagent's model failed: {error}")),
        }
    }
}

/// A call's name as part of the name of a file: it is the model's, and may hold anything.
fn plain(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    id.chars().take(LONGEST).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calls_name_leads_nowhere() {
        assert_eq!(plain("toolu_01-a"), "toolu_01-a");
        assert_eq!(plain("../../etc/x\0y z"), "------etc-x-y-z");
        assert_eq!(plain(&"é".repeat(300)), "-".repeat(LONGEST));
    }
}
