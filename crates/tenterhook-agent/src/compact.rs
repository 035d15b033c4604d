//! Makes a conversation short: the model sums it up, and the summary takes its place.

use futures_util::StreamExt;

use crate::agent::{Agent, Role};
use crate::conversation::{Author, Message};
use crate::gate::Withheld;
use crate::model::{Delta, ModelError, Stop};
use crate::update::{Update, Used};

/// How long a summary may be.
const MAX_TOKENS: u32 = 4096;

/// How many characters a conversation may have before it is made short by itself: about what a context of 200,000 tokens
/// holds, less the answer.
const FULL: usize = 600_000;

const ASK: &str = "Sum up this conversation for yourself: what the user wants, what was decided, what was done, which files \
    matter, what is left. Keep names and numbers exact.";

/// Why the conversation was not made short.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompactError {
    #[error("There is nothing to compact.")]
    Empty,
    #[error("The conversation stays as it is: {reason}")]
    Denied { reason: String },
    #[error("The conversation stays as it is: {0}")]
    Model(#[from] ModelError),
    #[error("The conversation stays as it is: its summary got too long.")]
    TooLong,
    #[error("The conversation stays as it is: the model gave no summary.")]
    NoSummary,
}

impl Agent {
    /// Compacts the conversation when it is almost too long.
    pub(crate) async fn compact_conversation_if_full(&mut self) {
        if self.conversation_size() > FULL
            && let Err(why) = self.compact_conversation("auto", "").await
        {
            self.hooks.warn_about_event("PreCompact", why.to_string());
        }
    }

    fn conversation_size(&self) -> usize {
        self.messages.iter().map(Message::approximate_size).sum()
    }

    /// Reports the tokens used so far, and how close the conversation is to compaction.
    pub(crate) fn report_usage(&self) {
        if self.role == Role::Main {
            let all = self.tally.counts().session;
            let used = Used {
                full: self.conversation_size() * 100 / FULL,
                tokens: all.input + all.output,
            };
            self.updates.send(Update::Used(used));
        }
    }

    /// Compacts the conversation, or returns the reason why it stays as it is.
    pub(crate) async fn compact_conversation(
        &mut self,
        trigger: &str,
        instructions: &str,
    ) -> Result<(), CompactError> {
        if self.messages.is_empty() {
            return Err(CompactError::Empty);
        }
        let verdict = self.hooks.fire_before_compaction(trigger, instructions).await;
        if let Some(reason) = verdict.blocked.or(verdict.stop) {
            return Err(CompactError::Denied { reason });
        }
        let mut ask = vec![ASK.to_owned()];
        ask.extend((!instructions.is_empty()).then(|| instructions.to_owned()));
        ask.extend(verdict.context);
        let summary = self.request_summary(&ask.join("\n\n")).await?;
        self.clear_conversation();
        self.push_message(Message::from_author(
            Author::Agent,
            format!("Summary of the conversation so far:\n\n{summary}"),
        ));
        self.hooks.fire_compacted(trigger, &summary).await;
        self.load_start_instructions("compact").await;
        self.settings.started =
            self.hooks.fire_session_started("compact", &self.settings.model).await.context;
        self.report_usage();
        self.updates.send(Update::Notice("The conversation was compacted.".to_owned()));
        Ok(())
    }

    async fn request_summary(&mut self, ask: &str) -> Result<String, CompactError> {
        let passed = match self.pass_model_gate(ask).await {
            Ok(passed) => passed,
            Err(Withheld::Denied(reason) | Withheld::Ends(reason)) => {
                return Err(CompactError::Denied { reason });
            }
        };
        let mut answer = self.send_to_model(passed, Vec::new(), MAX_TOKENS);
        let mut summary = String::new();
        while let Some(delta) = answer.next().await {
            match delta {
                Ok(Delta::Text(text)) => summary.push_str(&text),
                Ok(Delta::End(_, Stop::Length)) => return Err(CompactError::TooLong),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if summary.trim().is_empty() {
            return Err(CompactError::NoSummary);
        }
        Ok(summary)
    }
}
