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
    /// Returns the name in `TurnComplete`.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Done => "completed",
            Self::Stopped(_) => "stopped",
            Self::Interrupted => "interrupted",
            Self::Failed(_) => "failed",
        }
    }

    /// Returns the error message, if the turn failed.
    fn error_text(&self) -> Option<&str> {
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
    /// Runs a turn for a prompt that is already in the conversation.
    pub(crate) async fn run_turn(&mut self, prompt: &str) -> Ending {
        self.turns += 1;
        let token = self.steering.cancellation_token();
        if self.role == Role::Main {
            self.tally.begin_turn();
        }
        let ending = tokio::select! {
            // A tool that was stopped has failed, but the model is not to hear of it and go on.
            biased;
            () = token.cancelled() => Ending::Interrupted,
            ending = self.run_turn_steps(prompt) => ending,
        };
        self.keep_partial_reply();
        self.add_missing_results();
        self.report_failed_ending(&ending).await;
        ending
    }

    async fn run_turn_steps(&mut self, prompt: &str) -> Ending {
        match self.fire_turn_start(prompt).await {
            Ok(()) => {}
            Err(ending) => return ending,
        }
        let mut kept_at_work = false;
        loop {
            for message in self.steering.take_messages() {
                self.push_message(message);
            }
            self.compact_conversation_if_full().await;
            // A model that never comes to its end comes to this one (AG-22).
            if self.tally.counts().requests >= self.settings.steps {
                let times = self.settings.steps;
                return Ending::Stopped(format!(
                    "it asked the model {times} times; a prompt goes on"
                ));
            }
            let reply = match self.ask_model().await {
                Ok(reply) => reply,
                Err(ending) => return ending,
            };
            let step = if reply.calls.is_empty() {
                self.fire_stop_gate(&reply, &mut kept_at_work).await
            } else {
                self.run_tool_calls(reply.calls).await
            };
            if let Err(ending) = step {
                return ending;
            }
        }
    }

    /// Fires `TurnStart`, which may block the turn.
    async fn fire_turn_start(&mut self, prompt: &str) -> Step {
        if self.role == Role::Sub {
            return Ok(());
        }
        let verdict = self.hooks.fire_turn_started(prompt, self.turns).await;
        if let Some(reason) = verdict.blocked.or(verdict.stop) {
            // What was refused is no part of the next turn (HO-4).
            self.withdraw_unsent_messages(&reason);
            return Err(Ending::Stopped(reason));
        }
        if !verdict.context.is_empty() {
            self.push_message(Message::User {
                text: String::new(),
                context: verdict.context,
                author: Author::Hook,
            });
        }
        Ok(())
    }

    /// Asks hooks whether the turn may end. The reason of a hook that denies becomes a message that
    /// keeps the agent at work.
    async fn fire_stop_gate(&mut self, reply: &Reply, kept_at_work: &mut bool) -> Step {
        let verdict = self.hooks.fire_before_turn_end(&reply.text, *kept_at_work).await;
        if let Some(reason) = verdict.stop {
            return Err(Ending::Stopped(reason));
        }
        let Some(reason) = verdict.blocked else { return Err(Ending::Done) };
        *kept_at_work = true;
        self.push_message(Message::User {
            text: reason,
            context: verdict.context,
            author: Author::Hook,
        });
        Ok(())
    }

    /// Runs the tool calls of one reply in order.
    async fn run_tool_calls(&mut self, calls: Vec<Call>) -> Step {
        self.done.clear();
        let mut context = Vec::new();
        let mut stop = None;
        for call in &calls {
            let (result, tool_context, ends, file) = self.run_tool_call(call.clone()).await;
            if let Some(file) = file {
                self.load_instructions_for_file(&file).await;
            }
            self.done.push(result);
            context.extend(tool_context);
            stop = stop.or(ends);
        }
        let verdict = self.hooks.fire_batch_done(&calls).await;
        context.extend(verdict.context);
        let results = std::mem::take(&mut self.done);
        self.push_message(Message::Tools { results, context });
        match verdict.blocked.or(verdict.stop).or(stop) {
            Some(reason) => Err(Ending::Stopped(reason)),
            None => Ok(()),
        }
    }

    /// Adds the received part of an interrupted answer to the conversation.
    fn keep_partial_reply(&mut self) {
        let text = std::mem::take(&mut self.unfinished);
        if !text.trim().is_empty() {
            self.push_message(Message::Assistant(Reply { text, ..Reply::default() }));
        }
    }

    /// Adds a result for each interrupted call, because no model accepts a call without one.
    fn add_missing_results(&mut self) {
        let Some(Message::Assistant(reply)) = self.messages.last() else { return };
        if reply.calls.is_empty() {
            return;
        }
        // The results of completed hooks are reported; interrupted ones are unknown.
        let mut open = reply.calls.iter().map(|call| call.id.clone()).collect();
        let results = std::mem::take(&mut self.done);
        self.push_message(conversation::tool_results_message(&mut open, results, Vec::new()));
    }

    /// Fires events for an end of the turn that no gate has judged.
    async fn report_failed_ending(&self, ending: &Ending) {
        if let Ending::Failed(error) = ending {
            self.hooks.fire_stop_failed(error.kind, &error.message, &self.last_reply_text()).await;
            self.hooks.fire_host_error(&error.message).await;
        }
        if self.role == Role::Sub && *ending != Ending::Done {
            let error = ending.error_text();
            self.hooks.fire_subagent_aborted(ending.name(), error, &self.last_reply_text()).await;
        }
    }

    /// Reports the end of a turn, first to the user interface, then to hooks. The returned future
    /// waits for the hooks, which `stopped` ends.
    pub(crate) fn announce_turn_end(
        &self,
        ending: &Ending,
        stopped: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let error = ending.error_text();
        self.updates.send(Update::TurnEnded { error: error.map(str::to_owned) });
        let end = TurnEnd {
            turn: self.turns,
            status: ending.name(),
            error,
            counts: self.tally.counts(),
            queued: self.steering.pending_message_count(),
            last: &self.last_reply_text(),
        };
        self.hooks.fire_turn_completed(&end, stopped)
    }

    /// Returns the text of the model's last reply.
    pub(crate) fn last_reply_text(&self) -> String {
        let reply = |message: &Message| match message {
            Message::Assistant(reply) => Some(reply.text.clone()),
            Message::User { .. } | Message::Tools { .. } => None,
        };
        self.messages.iter().rev().find_map(reply).unwrap_or_default()
    }
}
