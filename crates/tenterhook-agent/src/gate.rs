//! The gate before each call of the model: hooks see all that the call would send and that no gate has passed yet, and no
//! call is made without the [`Passed`] that comes of it. Reads no answer.

use std::collections::BTreeSet;

use crate::agent::Agent;
use crate::conversation::{self, Author, Came, Message, ToolResult};
use crate::model::{Answer, Request, ToolSpec};
use crate::update::Update;

/// How much of one text is sent where no gate has seen it yet.
const LONGEST: usize = 256 << 10;
/// How much of all of them: what does not fit is cut from the conversation itself, the oldest first, so that nothing is sent
/// that hooks were not shown.
const MOST: usize = 1 << 20;
/// What the model reads where hooks keep something from it.
const WITHHELD: &str = "withheld: a hook keeps it from you";
/// And where they made something else of it.
const REWRITTEN: &str = "a hook rewrote it: see the next message";

/// How much of a conversation has passed a gate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// So many messages have.
    passed: usize,
    /// So many were sent, or were there when the agent took the conversation up: those that a denial leaves where they are.
    sent: usize,
    /// The parts of the system prompt that have.
    system: BTreeSet<String>,
    /// Which hooks were loaded then: others have seen nothing yet.
    hooks: u64,
}

impl Seen {
    /// Creates the state for an earlier session's conversation: it was sent, but other hooks judged
    /// it.
    pub(crate) fn from_earlier_session(messages: usize) -> Self {
        Self { sent: messages, ..Self::default() }
    }

    /// Creates the state for a subagent with the same system prompt.
    pub(crate) fn for_subagent(&self) -> Self {
        Self { passed: 0, sent: 0, ..self.clone() }
    }

    /// Marks the last message as seen, because the model wrote it itself.
    pub(crate) fn mark_model_message_seen(&mut self, messages: usize) {
        for count in [&mut self.passed, &mut self.sent] {
            if *count == messages {
                *count += 1;
            }
        }
    }

    /// Forgets all messages, because the conversation was cleared.
    pub(crate) fn forget_messages(&mut self) {
        (self.passed, self.sent) = (0, 0);
    }

    /// Forgets what hooks have judged, because the hooks or the model changed.
    pub(crate) fn require_rejudging(&mut self) {
        (self.passed, self.system) = (0, BTreeSet::new());
    }
}

/// The consent to one call of the model. Only this module makes one.
pub(crate) struct Passed {
    system: String,
    /// A request beside the conversation.
    beside: Option<String>,
}

/// Why a call is not made.
pub(crate) enum Withheld {
    /// For this reason, and it may be tried again.
    Denied(String),
    /// For this one, and all ends.
    Ends(String),
}

impl Agent {
    /// Has hooks judge the content of a model call, including `beside`, a request in addition to
    /// the conversation.
    pub(crate) async fn pass_model_gate(&mut self, beside: &str) -> Result<Passed, Withheld> {
        let hooks = self.hooks.generation();
        if self.seen.hooks != hooks {
            self.seen.require_rejudging();
            self.seen.hooks = hooks;
        }
        self.truncate_unjudged_texts();
        let system = self.unjudged_system_texts();
        let mut view: Vec<String> = system.clone();
        view.extend(self.unjudged_messages().iter().flat_map(Message::texts_that_model_reads));
        let mut beside = (!beside.is_empty()).then(|| beside.to_owned());
        view.extend(beside.clone());
        let verdict = self.hooks.fire_before_model(&view.join("\n\n"), &self.settings.model).await;
        if let Some(reason) = verdict.stop {
            return Err(Withheld::Ends(reason));
        }
        if let Some(reason) = verdict.blocked {
            return Err(Withheld::Denied(reason));
        }
        if let Some(text) = verdict.prompt {
            if text.trim().is_empty() {
                let why = "a hook left nothing of what would be sent";
                return Err(Withheld::Ends(why.to_owned()));
            }
            self.replace_unjudged_texts(text, &system);
            beside = None;
        }
        if verdict.has_run {
            self.seen.passed = self.messages.len();
            self.seen.system.extend(system);
        }
        let parts = std::iter::once(self.settings.system.clone());
        let parts = parts.chain(self.settings.additional_system_texts()).chain(verdict.context);
        Ok(Passed { system: parts.collect::<Vec<_>>().join("\n\n"), beside })
    }

    /// Sends the request that hooks passed to the model.
    pub(crate) fn send_to_model(
        &mut self,
        passed: Passed,
        tools: Vec<ToolSpec>,
        max_tokens: u32,
    ) -> Answer {
        let Passed { system, beside } = passed;
        self.seen.sent = self.messages.len();
        let beside = beside.map(|text| Message::from_author(Author::Agent, text));
        let messages = self.messages.iter().cloned().chain(beside).collect();
        self.provider.ask(Request { system, messages, tools, max_tokens })
    }

    /// Removes the messages that were never sent to the model from the conversation, and gives the
    /// user's texts back. A tool call keeps a result, because no model accepts a call without one.
    pub(crate) fn withdraw_unsent_messages(&mut self, reason: &str) {
        let sent = self.seen.sent.min(self.messages.len());
        let unsent = self.messages.split_off(sent);
        self.seen.passed = self.seen.passed.min(sent);
        self.record_removed_messages(unsent.len());
        self.fill_missing_results(WITHHELD, true);
        let by_user = unsent.into_iter().filter(|message| message.is_by_author(Author::User));
        let mut texts: Vec<String> =
            by_user.map(|message| message.user_text().to_owned()).collect();
        if let (Some((prompt, typed)), Some(first)) = (self.typed.take(), texts.first_mut())
            && *first == prompt
        {
            *first = typed;
        }
        let text = texts.join("\n\n");
        if !text.is_empty() {
            self.updates.send(Update::Refused { id: None, text, reason: reason.to_owned() });
        }
        if self.seen.passed < sent {
            let why = "earlier messages have passed no hook of this session either; if hooks object to those, \
                `/clear` forgets it";
            self.updates.send(Update::Notice(why.to_owned()));
        }
    }

    /// Returns the parts of the system prompt that hooks have not judged yet.
    fn unjudged_system_texts(&self) -> Vec<String> {
        let system_texts =
            self.settings.additional_system_texts().chain(self.toolbox.server_tool_texts());
        system_texts.filter(|text| !self.seen.system.contains(text)).collect()
    }

    fn unjudged_messages(&self) -> &[Message] {
        self.messages.get(self.seen.passed..).unwrap_or_default()
    }

    /// Cuts texts that are too long to be shown to hooks.
    fn truncate_unjudged_texts(&mut self) {
        let new = self.messages.get_mut(self.seen.passed..).unwrap_or_default();
        let mut left = MOST;
        let mut cut = 0_usize;
        for text in new.iter_mut().rev().flat_map(Message::cuttable_texts_mut) {
            let most = LONGEST.min(left);
            if text.len() > most {
                let long = text.len();
                conversation::truncate_text(text, most);
                cut += long - text.len();
            }
            left = left.saturating_sub(text.len());
        }
        if cut > 0 {
            let why = format!("{cut} bytes are more than hooks are shown, and are not sent");
            self.hooks.warn_about_event("PreModelCall", why);
        }
    }

    /// Replaces everything that hooks were shown with the text that they made of it.
    fn replace_unjudged_texts(&mut self, text: String, system: &[String]) {
        let at = self.seen.passed.min(self.messages.len());
        let shown = self.messages.split_off(at);
        self.seen.sent = self.seen.sent.min(at);
        self.record_removed_messages(shown.len());
        self.settings.started.retain(|text| !system.contains(text));
        self.settings
            .instructions
            .retain(|instruction| !system.contains(&instruction.text_for_model()));
        // What was made of the words about a tool cannot be told apart: one whose words are not left as they were is not offered.
        let gone = self.toolbox.remove_tools_by_text(|t| system.contains(t) && !text.contains(t));
        if gone > 0 {
            let why = format!(
                "{gone} tools of servers are not offered: a hook rewrote their descriptions"
            );
            self.hooks.warn_about_event("PreModelCall", why);
        }
        self.fill_missing_results(REWRITTEN, false);
        let by_user = shown.iter().any(|message| message.is_by_author(Author::User));
        self.push_message(Message::from_author(
            if by_user { Author::User } else { Author::Hook },
            text,
        ));
    }

    /// Adds this text as the result of each call of the last reply that has no result.
    fn fill_missing_results(&mut self, text: &str, is_error: bool) {
        let Some(Message::Assistant(reply)) = self.messages.last() else { return };
        let result = |id: &str| ToolResult {
            id: id.to_owned(),
            text: text.to_owned(),
            is_error,
            outcome: Some(Came::DeniedByHook),
            ..ToolResult::default()
        };
        let results: Vec<_> = reply.calls.iter().map(|call| result(&call.id)).collect();
        if !results.is_empty() {
            self.push_message(Message::Tools { results, context: Vec::new() });
        }
    }
}
