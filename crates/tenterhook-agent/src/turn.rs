//! One turn: the model is asked and its tools are run until it has nothing more to do. Reads like the loop that it is;
//! `turn/reply` reads the model's answer, and `turn/call` runs a tool call.

mod call;
mod reply;

use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Role};
use crate::conversation::{self, Author, Call, Message, Reply};
use crate::hooks::TurnEnd;
use crate::model::ModelError;
use crate::update::Update;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ending {
    /// The model had nothing more to do.
    Done,
    /// A hook ended it: why.
    Stopped(String),
    /// The user stopped it.
    Interrupted,
    /// The model could not be reached.
    Failed(ModelError),
}

impl Ending {
    /// The name in `TurnComplete`.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Done => "completed",
            Self::Stopped(_) => "stopped",
            Self::Interrupted => "interrupted",
            Self::Failed(_) => "failed",
        }
    }

    /// What went wrong.
    fn error(&self) -> Option<&str> {
        match self {
            Self::Done => None,
            Self::Stopped(reason) => Some(reason),
            Self::Interrupted => Some("interrupted"),
            Self::Failed(error) => Some(&error.message),
        }
    }
}

/// Whether a step lets the turn go on.
type Step<T = ()> = Result<T, Ending>;

impl Agent {
    /// Runs a turn on a prompt that is in the conversation already.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Ending {
        self.turns += 1;
        let token = self.steering.token();
        if self.role == Role::Main {
            self.tally.begin_turn();
        }
        let ending = tokio::select! {
            // A tool that was stopped has failed, but the model is not to hear of it and go on.
            biased;
            () = token.cancelled() => Ending::Interrupted,
            ending = self.work(prompt) => ending,
        };
        self.keep_unfinished();
        self.mend();
        self.settle(&ending).await;
        ending
    }

    async fn work(&mut self, prompt: &str) -> Ending {
        match self.begin(prompt).await {
            Ok(()) => {}
            Err(ending) => return ending,
        }
        let mut kept_at_work = false;
        loop {
            for message in self.steering.take() {
                self.keep(message);
            }
            self.compact_if_full().await;
            // A model that never comes to its end comes to this one (AG-22).
            if self.tally.counts().requests >= self.settings.steps {
                let times = self.settings.steps;
                return Ending::Stopped(format!(
                    "it asked the model {times} times; a prompt goes on"
                ));
            }
            let reply = match self.ask().await {
                Ok(reply) => reply,
                Err(ending) => return ending,
            };
            let step = if reply.calls.is_empty() {
                self.may_stop(&reply, &mut kept_at_work).await
            } else {
                self.run_tools(reply.calls).await
            };
            if let Err(ending) = step {
                return ending;
            }
        }
    }

    /// `TurnStart`, which blocks.
    async fn begin(&mut self, prompt: &str) -> Step {
        if self.role == Role::Sub {
            return Ok(());
        }
        let verdict = self.hooks.turn_started(prompt, self.turns).await;
        if let Some(reason) = verdict.blocked.or(verdict.stop) {
            // What was refused is no part of the next turn (HO-4).
            self.take_back(&reason);
            return Err(Ending::Stopped(reason));
        }
        if !verdict.context.is_empty() {
            self.keep(Message::User {
                text: String::new(),
                context: verdict.context,
                author: Author::Hook,
            });
        }
        Ok(())
    }

    /// The gate at the end: its words keep the agent at work.
    async fn may_stop(&mut self, reply: &Reply, kept_at_work: &mut bool) -> Step {
        let verdict = self.hooks.about_to_stop(&reply.text, *kept_at_work).await;
        if let Some(reason) = verdict.stop {
            return Err(Ending::Stopped(reason));
        }
        let Some(reason) = verdict.blocked else { return Err(Ending::Done) };
        *kept_at_work = true;
        self.keep(Message::User { text: reason, context: verdict.context, author: Author::Hook });
        Ok(())
    }

    /// Runs the tools of one reply, in their order.
    async fn run_tools(&mut self, calls: Vec<Call>) -> Step {
        self.done.clear();
        let mut context = Vec::new();
        let mut stop = None;
        for call in &calls {
            let (result, tool_context, ends, file) = self.run_tool(call.clone()).await;
            if let Some(file) = file {
                self.learn_from(&file).await;
            }
            self.done.push(result);
            context.extend(tool_context);
            stop = stop.or(ends);
        }
        let verdict = self.hooks.batch_done(&calls).await;
        context.extend(verdict.context);
        let results = std::mem::take(&mut self.done);
        self.keep(Message::Tools { results, context });
        match verdict.blocked.or(verdict.stop).or(stop) {
            Some(reason) => Err(Ending::Stopped(reason)),
            None => Ok(()),
        }
    }

    /// What was read of an answer that broke off stays said.
    fn keep_unfinished(&mut self) {
        let text = std::mem::take(&mut self.unfinished);
        if !text.trim().is_empty() {
            self.keep(Message::Assistant(Reply { text, ..Reply::default() }));
        }
    }

    /// Gives calls that were interrupted a result, because no model takes a conversation in which one lacks it.
    fn mend(&mut self) {
        let Some(Message::Assistant(reply)) = self.messages.last() else { return };
        if reply.calls.is_empty() {
            return;
        }
        // The results of completed hooks are reported; interrupted ones are unknown.
        let mut open = reply.calls.iter().map(|call| call.id.clone()).collect();
        let results = std::mem::take(&mut self.done);
        self.keep(conversation::answered(&mut open, results, Vec::new()));
    }

    /// Tells hooks of an end that no gate has seen.
    async fn settle(&self, ending: &Ending) {
        if let Ending::Failed(error) = ending {
            self.hooks.stop_failed(error.kind, &error.message, &self.last_reply()).await;
            self.hooks.host_error(&error.message).await;
        }
        if self.role == Role::Sub && *ending != Ending::Done {
            let error = ending.error();
            self.hooks.subagent_broke_off(ending.name(), error, &self.last_reply()).await;
        }
    }

    /// Tells that a turn is over, the face first, then hooks: all state says so by now, and the queue waits.
    /// The returned future waits for the hooks, which `stopped` ends.
    pub(crate) fn announce_turn_end(
        &self,
        ending: &Ending,
        stopped: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let error = ending.error();
        self.updates.send(Update::TurnEnded { error: error.map(str::to_owned) });
        let end = TurnEnd {
            turn: self.turns,
            status: ending.name(),
            error,
            counts: self.tally.counts(),
            queued: self.steering.waiting(),
            last: &self.last_reply(),
        };
        self.hooks.turn_completed(&end, stopped)
    }

    /// What the model said last.
    pub(crate) fn last_reply(&self) -> String {
        let reply = |message: &Message| match message {
            Message::Assistant(reply) => Some(reply.text.clone()),
            Message::User { .. } | Message::Tools { .. } => None,
        };
        self.messages.iter().rev().find_map(reply).unwrap_or_default()
    }
}
