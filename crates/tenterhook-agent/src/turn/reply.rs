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

fn too_many() -> ModelError {
    let message = format!("the answer calls more than {CALLS} tools at once");
    ModelError { kind: ErrorKind::Unknown, message }
}

impl Agent {
    /// Asks the model once, as often as hooks want it asked again.
    pub(super) async fn ask(&mut self) -> Step<Reply> {
        self.look_for_tools().await;
        let passed = loop {
            match self.pass("").await {
                Ok(passed) => break passed,
                // Its words are a message, and the call is tried again with all that it would send in view; the engine counts,
                // and ends it (HO-3).
                Err(Withheld::Denied(reason)) => self.keep(Message::from(Author::Hook, reason)),
                Err(Withheld::Ends(reason)) => {
                    self.take_back(&reason);
                    return Err(Ending::Stopped(reason));
                }
            }
        };
        self.tally.asks();
        let answer = self.send(passed, self.toolbox.specs(), MAX_TOKENS);
        let (reply, usage, stop) = self.read_answer(answer).await.map_err(Ending::Failed)?;
        self.tally.called(usage);
        let all = self.tally.counts().session;
        self.hooks.fact("total_tokens", all.input + all.output);
        self.keep(Message::Assistant(reply.clone()));
        self.tell_used();
        self.hooks.after_model(&reply.text, usage).await;
        if !reply.text.is_empty() {
            self.updates.send(Update::Reply(reply.text.clone()));
            self.renderer.show(&reply.text);
        }
        self.is_whole(&reply, stop).map_err(Ending::Failed)?;
        Ok(reply)
    }

    /// Whether an answer can be worked with. One that was cut can where it calls tools: the model reads what became of those.
    fn is_whole(&self, reply: &Reply, stop: Stop) -> Result<(), ModelError> {
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

    /// Listens to one answer to its end.
    async fn read_answer(
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
                Delta::Call(_) if reply.calls.len() >= CALLS => return Err(too_many()),
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
