//! What the runtime tells a face, and what a face tells the runtime. Values and two channels; decides nothing.
//!
//! Every face receives the same updates and may send the same inputs, so that no face can have
//! separate events.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::conversation::{Call, ToolResult};
use crate::sandbox::Sandbox;
use crate::submission::{Submission, SubmissionId};

/// What a face may say.
#[derive(Debug)]
pub(crate) enum Input {
    /// A prompt, or a command that begins with a slash.
    Prompt(Submission),
    /// A prompt for after the turn under way.
    Queue(Submission),
    /// Take the last prompt back that waits for the turn to end.
    TakeBack,
    /// Go on in the next permission mode.
    NextMode,
    /// Stop what is under way.
    Interrupt,
    /// The person is typing.
    Typing,
    /// The input is closed: pending work is done to its end.
    Close,
    /// The person is leaving, and why: a matcher subject of `SessionEnd`.
    Quit(&'static str),
    /// The person leaves without waiting for hooks.
    QuitNow,
}

/// An update for a face.
#[derive(Debug)]
pub(crate) enum Update {
    /// The session began, or goes on.
    Session { id: String, model: String, cwd: String, transcript: String, sandbox: Sandbox },
    /// The conversation was cleared.
    Cleared,
    /// A prompt was taken in: its final text, as history has it.
    Prompt { id: SubmissionId, text: String },
    /// A prompt was refused: nothing of it is kept, and its text belongs back into the composer.
    /// `None`: one that had been taken in before.
    Refused { id: Option<SubmissionId>, text: String, reason: String },
    /// A command was obeyed, which is no prompt.
    Obeyed(SubmissionId),
    /// These wait for the turn to end, in this order; every other submission is on its way.
    Queued(Vec<Submission>),
    /// This one waits no longer: its text belongs back into the composer.
    TakenBack(Submission),
    /// The permission mode.
    Mode(&'static str),
    /// How much was used.
    Used(Used),
    /// Whether a turn is under way.
    Loading(bool),
    /// More of the model's words.
    Text(String),
    /// More of the model's thoughts.
    Reasoning(String),
    /// The model's words of one call are complete.
    Reply(String),
    /// What hooks made of the model's words, for the screen alone.
    Rewrite { text: String, hooks: Vec<String> },
    /// The model asks for a tool: hooks and rules judge it first.
    ToolAsked(Call),
    /// A tool is about to run.
    ToolStarted(Call),
    /// A tool ran, failed or was refused.
    ToolEnded { call: Call, result: ToolResult },
    /// The user is to decide.
    Ask(Ask),
    /// The decision was taken elsewhere: the question is void.
    AskVoid { id: String },
    /// A call was refused because there is no user to ask.
    Unanswered { call: Call, reason: String },
    /// Something went wrong that stops nothing.
    Warn { event: String, reason: String },
    /// Something to know.
    Notice(String),
    /// What hooks did at one event.
    Hooks(Trace),
    /// One thing that a hook did to what a person, the model or a tool says.
    Did(Deed),
    /// These hooks hold an event up, and the call that it is about.
    Delayed(Hold),
    /// They do no longer.
    Released(Hold),
    /// What hooks are doing right now.
    Status(Option<String>),
    /// A turn is over.
    TurnEnded { error: Option<String> },
    /// A page of text, the answer to a command.
    Page { title: String, text: String },
    /// What a subagent tells that this call began.
    Within { call: String, update: Box<Self> },
    /// The program ends when these hooks have ended.
    Leaving(Vec<String>),
    /// The session is over.
    Ended,
}

impl Update {
    /// Returns the inner update, and the calls that started the subagents that sent it, the
    /// outermost first.
    pub(crate) fn unwrap_subagents(self) -> (Vec<String>, Self) {
        let (mut calls, mut inner) = (Vec::new(), self);
        while let Self::Within { call, update } = inner {
            calls.push(call);
            inner = *update;
        }
        (calls, inner)
    }
}

/// How much was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// How full the conversation is, in percent of where it is made short by itself.
    pub(crate) full: usize,
    /// The tokens of the session.
    pub(crate) tokens: u64,
}

/// A question to the user about one tool call.
#[derive(Debug)]
pub(crate) struct Ask {
    /// The call's id.
    pub(crate) id: String,
    /// The call as it would run.
    pub(crate) call: Call,
    /// What hooks made it of, where they rewrote it.
    pub(crate) was: Option<Rewritten>,
    /// Why the question is asked.
    pub(crate) reason: String,
    /// Where the decision goes. Dropping it refuses.
    pub(crate) decide: oneshot::Sender<Decision>,
}

/// What the user decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    /// This once.
    Once,
    /// From now on, in this session.
    Always,
    /// No, and why.
    No(String),
}

/// An event, as it is called here and by the hooks that an update is about (E-12).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventNames {
    /// Its neutral name.
    pub(crate) neutral: String,
    /// Each name that those hooks have for it.
    pub(crate) own: Vec<String>,
    /// What a person is shown.
    pub(crate) label: String,
}

impl EventNames {
    /// Creates the names of an event that hooks call by its neutral name.
    #[cfg(test)]
    pub(crate) fn from_neutral(name: &str) -> Self {
        Self { neutral: name.to_owned(), own: vec![name.to_owned()], label: name.to_owned() }
    }
}

/// What one or more hooks did, as one line for the person (AG-40).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Deed {
    /// The event.
    pub(crate) event: EventNames,
    /// The hooks.
    pub(crate) hooks: Vec<String>,
    /// What they did: `rewrote the prompt`.
    pub(crate) did: String,
    /// Why, or with which words, where those do not stand beside it anyway.
    pub(crate) why: String,
    /// The call that it was done to.
    pub(crate) call: Option<String>,
    /// What they put in the place of what.
    pub(crate) change: Option<Rewritten>,
}

impl Deed {
    /// Returns the hooks, what they did, and the reason, on one line.
    pub(crate) fn summary_line(&self) -> String {
        let names: Vec<_> = self.hooks.iter().map(|hook| format!("`{hook}`")).collect();
        let word = if names.len() == 1 { "hook" } else { "hooks" };
        let mut line = format!("{word} {} {}", names.join(", "), self.did);
        if !self.why.is_empty() {
            line.push_str(": ");
            line.push_str(&self.why);
        }
        line
    }
}

/// What hooks put in the place of what: a prompt, the input of a call, what came of it, the words that are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rewritten {
    /// At which event.
    pub(crate) event: String,
    /// Those that did.
    pub(crate) hooks: Vec<String>,
    /// The call that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    /// The original.
    pub(crate) was: Value,
    /// The replacement.
    pub(crate) now: Value,
}

/// The hooks that delay something.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hold {
    /// The event.
    pub(crate) event: EventNames,
    /// The call that it is about.
    pub(crate) call: Option<String>,
    /// The hooks that judge it.
    pub(crate) hooks: Vec<String>,
}

/// What hooks did at one event, for the panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trace {
    /// The event.
    pub(crate) event: EventNames,
    /// What came of it, in one word.
    pub(crate) came: String,
    /// One line a hook.
    pub(crate) steps: Vec<TraceStep>,
}

/// What one hook did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TraceStep {
    /// The hook.
    pub(crate) hook: String,
    /// How it ended.
    pub(crate) ended: String,
    /// How long it took, in milliseconds.
    pub(crate) took_ms: u64,
    /// What it decided.
    pub(crate) verdict: &'static str,
}

/// The sender of updates. Without a face they are dropped.
#[derive(Clone, Debug)]
pub(crate) struct Updates {
    sender: mpsc::UnboundedSender<Update>,
    /// The calls that began the subagents which tell, the outermost first.
    within: Vec<String>,
}

impl Updates {
    /// Creates a channel to a user interface.
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Update>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender, within: Vec::new() }, receiver)
    }

    /// Returns a sender for the subagent that this call started.
    pub(crate) fn for_subagent(&self, call: &str) -> Self {
        let mut update = self.clone();
        update.within.push(call.to_owned());
        update
    }

    /// Sends an update to the user interface.
    pub(crate) fn send(&self, update: Update) {
        let within =
            |update, call: &String| Update::Within { call: call.clone(), update: Box::new(update) };
        // A face that has left is no reason to stop: the end of the session still runs its hooks.
        let _ = self.sender.send(self.within.iter().rev().fold(update, within));
    }

    /// Sends a warning.
    pub(crate) fn warn(&self, event: &str, reason: impl Into<String>) {
        self.send(Update::Warn { event: event.to_owned(), reason: reason.into() });
    }
}
