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
    /// An earlier session's conversation: it was sent under other hooks.
    pub(crate) fn of_earlier(messages: usize) -> Self {
        Self { sent: messages, ..Self::default() }
    }

    /// A subagent with the same system prompt.
    pub(crate) fn of_subagent(&self) -> Self {
        Self { passed: 0, sent: 0, ..self.clone() }
    }

    /// What the model says it knows.
    pub(crate) fn said_by_model(&mut self, messages: usize) {
        for count in [&mut self.passed, &mut self.sent] {
            if *count == messages {
                *count += 1;
            }
        }
    }

    /// Nothing is left of the conversation.
    pub(crate) fn forget(&mut self) {
        (self.passed, self.sent) = (0, 0);
    }

    /// Somebody else is asked from now on, or others judge: nothing has passed.
    pub(crate) fn anew(&mut self) {
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
    /// Has hooks judge what a call would send, with what is asked beside the conversation.
    pub(crate) async fn pass(&mut self, beside: &str) -> Result<Passed, Withheld> {
        let hooks = self.hooks.generation();
        if self.seen.hooks != hooks {
            self.seen.anew();
            self.seen.hooks = hooks;
        }
        self.bound();
        let system = self.new_in_system();
        let mut view: Vec<String> = system.clone();
        view.extend(self.new_messages().iter().flat_map(Message::texts));
        let mut beside = (!beside.is_empty()).then(|| beside.to_owned());
        view.extend(beside.clone());
        let verdict = self.hooks.before_model(&view.join("\n\n"), &self.settings.model).await;
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
            self.replace(text, &system);
            beside = None;
        }
        if verdict.has_run {
            self.seen.passed = self.messages.len();
            self.seen.system.extend(system);
        }
        let parts = std::iter::once(self.settings.system.clone());
        let parts = parts.chain(self.settings.system_texts()).chain(verdict.context);
        Ok(Passed { system: parts.collect::<Vec<_>>().join("\n\n"), beside })
    }

    /// Asks the model what hooks let pass.
    pub(crate) fn send(&mut self, passed: Passed, tools: Vec<ToolSpec>, max_tokens: u32) -> Answer {
        let Passed { system, beside } = passed;
        self.seen.sent = self.messages.len();
        let beside = beside.map(|text| Message::from(Author::Agent, text));
        let messages = self.messages.iter().cloned().chain(beside).collect();
        self.provider.ask(Request { system, messages, tools, max_tokens })
    }

    /// Takes what the model was never sent out of the conversation, and gives the person back what they wrote of it. A tool
    /// call keeps a result, because no model takes a conversation in which one lacks it.
    pub(crate) fn take_back(&mut self, reason: &str) {
        let sent = self.seen.sent.min(self.messages.len());
        let unsent = self.messages.split_off(sent);
        self.seen.passed = self.seen.passed.min(sent);
        self.record_taken_back(unsent.len());
        self.close_calls(WITHHELD, true);
        let by_user = unsent.into_iter().filter(|message| message.is_by(Author::User));
        let mut texts: Vec<String> = by_user.map(|message| message.text().to_owned()).collect();
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

    /// The parts of the system prompt that no gate has passed.
    fn new_in_system(&self) -> Vec<String> {
        let system_texts = self.settings.system_texts().chain(self.toolbox.texts());
        system_texts.filter(|text| !self.seen.system.contains(text)).collect()
    }

    fn new_messages(&self) -> &[Message] {
        self.messages.get(self.seen.passed..).unwrap_or_default()
    }

    /// Cuts what is too long to be shown to hooks.
    fn bound(&mut self) {
        let new = self.messages.get_mut(self.seen.passed..).unwrap_or_default();
        let mut left = MOST;
        let mut cut = 0_usize;
        for text in new.iter_mut().rev().flat_map(Message::texts_mut) {
            let most = LONGEST.min(left);
            if text.len() > most {
                let long = text.len();
                conversation::shorten(text, most);
                cut += long - text.len();
            }
            left = left.saturating_sub(text.len());
        }
        if cut > 0 {
            let why = format!("{cut} bytes are more than hooks are shown, and are not sent");
            self.hooks.warn("PreModelCall", why);
        }
    }

    /// Puts what hooks made of it in the place of all that they were shown.
    fn replace(&mut self, text: String, system: &[String]) {
        let at = self.seen.passed.min(self.messages.len());
        let shown = self.messages.split_off(at);
        self.seen.sent = self.seen.sent.min(at);
        self.record_taken_back(shown.len());
        self.settings.started.retain(|text| !system.contains(text));
        self.settings
            .instructions
            .retain(|instruction| !system.contains(&instruction.prompt_text()));
        // What was made of the words about a tool cannot be told apart: one whose words are not left as they were is not offered.
        let gone = self.toolbox.withdraw(|t| system.contains(t) && !text.contains(t));
        if gone > 0 {
            let why = format!(
                "{gone} tools of servers are not offered: a hook rewrote their descriptions"
            );
            self.hooks.warn("PreModelCall", why);
        }
        self.close_calls(REWRITTEN, false);
        let by_user = shown.iter().any(|message| message.is_by(Author::User));
        self.keep(Message::from(if by_user { Author::User } else { Author::Hook }, text));
    }

    /// Gives the calls of the last reply this result, where they have none.
    fn close_calls(&mut self, text: &str, is_error: bool) {
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
            self.keep(Message::Tools { results, context: Vec::new() });
        }
    }
}
