//! Reads the model's answer. Hooks run before the request and after the whole answer.

use futures_util::StreamExt;

use super::{Ending, Step};
use crate::agent::Agent;
use crate::conversation::{Author, Message, Reply};
use crate::gate::Withheld;
use crate::model::{Answer, Delta, ErrorKind, ModelError, Stop, Usage};
use crate::update::Update;

/// How long one answer may be, in tokens.
const MAX_TOKENS: u32 = 8192;

/// How many tools one answer may call (AG-21).
const CALLS: usize = 128;

fn too_many_calls_error() -> ModelError {
    let message = format!("the answer calls more than {CALLS} tools at once");
    ModelError { kind: ErrorKind::Unknown, message }
}

impl Agent {
    /// Asks the model, and repeats the request if hooks want that.
    pub(super) async fn ask_model(&mut self) -> Step<Reply> {
        self.refresh_server_tools().await;
        let passed = loop {
            match self.pass_model_gate("").await {
                Ok(passed) => break passed,
                // Its words are a message, and the call is tried again with all that it would send in view; the engine counts,
                // and ends it (HO-3).
                Err(Withheld::Denied(reason)) => {
                    self.push_message(Message::from_author(Author::Hook, reason))
                }
                Err(Withheld::Ends(reason)) => {
                    self.withdraw_unsent_messages(&reason);
                    return Err(Ending::Stopped(reason));
                }
            }
        };
        self.tally.count_request();
        let answer = self.send_to_model(passed, self.toolbox.tool_specs(), MAX_TOKENS);
        let (reply, usage, stop) = self.receive_answer(answer).await.map_err(Ending::Failed)?;
        self.tally.add_usage(usage);
        let all = self.tally.counts().session;
        self.hooks.set_session_fact("total_tokens", all.input + all.output);
        self.push_message(Message::Assistant(reply.clone()));
        self.report_usage();
        self.hooks.fire_after_model(&reply.text, usage).await;
        if !reply.text.is_empty() {
            self.updates.send(Update::Reply(reply.text.clone()));
            self.renderer.queue_message(&reply.text);
        }
        self.check_usable_answer(&reply, stop).map_err(Ending::Failed)?;
        Ok(reply)
    }

    /// Returns an error if the answer is unusable. A cut answer is usable if it calls tools,
    /// because the model reads their results.
    fn check_usable_answer(&self, reply: &Reply, stop: Stop) -> Result<(), ModelError> {
        let (kind, message) = match stop {
            Stop::Done => return Ok(()),
            Stop::Length => {
                let message = format!("the answer was cut at its limit of {MAX_TOKENS} tokens");
                if !reply.calls.is_empty() {
                    self.updates.warn("model", message);
                    return Ok(());
                }
                (ErrorKind::MaxTokens, message)
            }
            Stop::Refused(word) => {
                (ErrorKind::InvalidRequest, format!("the service refused to answer: `{word}`"))
            }
        };
        Err(ModelError { kind, message })
    }

    /// Receives one answer to its end.
    async fn receive_answer(
        &mut self,
        mut answer: Answer,
    ) -> Result<(Reply, Usage, Stop), ModelError> {
        let (mut reply, mut usage, mut stop) = (Reply::default(), Usage::default(), Stop::Done);
        while let Some(delta) = answer.next().await {
            match delta? {
                Delta::Text(text) => {
                    self.unfinished.push_str(&text);
                    self.updates.send(Update::Text(text));
                }
                Delta::Reasoning(text) => {
                    reply.reasoning.push_str(&text);
                    self.updates.send(Update::Reasoning(text));
                }
                Delta::Call(_) if reply.calls.len() >= CALLS => return Err(too_many_calls_error()),
                Delta::Call(call) => reply.calls.push(call),
                Delta::Echo(echo) => reply.echo = Some(echo),
                Delta::Waits { why, wait } => {
                    self.updates.warn("model", format!("{why}; asked again in {wait:?}"));
                }
                Delta::End(cost, why) => (usage, stop) = (cost, why),
            }
        }
        reply.text = std::mem::take(&mut self.unfinished);
        Ok((reply, usage, stop))
    }
}
