//! The answer of a hook, read in its dialect, and its slips. Judges nothing.

mod exemption;
mod mark;
mod slip;

use std::fmt;

use serde_json::{Map, Value};

use crate::diagnostic::Code;
pub use exemption::{Exemption, Lifted};
pub use mark::Mark;
pub use slip::{Slip, SlipKind};

/// How far a hook, or all hooks together, restrain an action.
///
/// The order of the variants *is* rules A-1 and M-1: the later variant wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Restraint {
    /// No objection, and no consent either.
    Silent,
    /// Consents: a routine prompt may be skipped.
    Allow,
    /// The user must be asked.
    Ask,
    /// The host must put the action off.
    Defer,
    /// The action must not happen.
    Deny,
}

impl Restraint {
    /// The host's name of the decision; `None` for silence.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Silent => None,
            Self::Allow => Some("allow"),
            Self::Ask => Some("ask"),
            Self::Defer => Some("defer"),
            Self::Deny => Some("deny"),
        }
    }
}

/// The turn, or the whole run, must end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// The message for the user.
    pub reason: Option<String>,
}

/// The effects of a hook besides its restraint. Answer, verdict and outcome share this type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// The tool input that replaces the whole original one.
    pub updated_input: Option<Value>,
    /// The prompt that replaces the user's.
    pub updated_prompt: Option<String>,
    /// The tool output, or the shown text, that replaces the original.
    pub updated_output: Option<Value>,
    /// Texts for the model, in configured order.
    pub context: Vec<String>,
    /// Texts for the user, in configured order.
    pub messages: Vec<String>,
    /// The hook stops the agent.
    pub stop: Option<Stop>,
    /// Permission updates, in the host's format.
    pub updated_permissions: Vec<Value>,
    /// Paths to watch from now on; an empty list stops watching.
    pub watch_paths: Option<Vec<String>>,
    /// The first message of the session.
    pub initial_user_message: Option<String>,
    /// The model may try the denied call again.
    pub retry: Option<bool>,
    /// Variables for the shell commands of the session.
    pub env: Map<String, Value>,
    /// Fields of the agent's answer for which this type has no separate field.
    pub extra: Map<String, Value>,
    /// What a rule changes in the session, in the order in which it applies (SS-1).
    pub marks: Vec<Mark>,
}

impl Effects {
    /// Whether there are no effects.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            updated_input,
            updated_prompt,
            updated_output,
            context,
            messages,
            stop,
            updated_permissions,
            watch_paths,
            initial_user_message,
            retry,
            env,
            extra,
            marks,
        } = self;
        let is_single = updated_input.is_none()
            && updated_prompt.is_none()
            && updated_output.is_none()
            && stop.is_none()
            && watch_paths.is_none()
            && initial_user_message.is_none()
            && retry.is_none();
        is_single
            && context.is_empty()
            && messages.is_empty()
            && updated_permissions.is_empty()
            && env.is_empty()
            && extra.is_empty()
            && marks.is_empty()
    }

    /// Sets a tool input that replaces the whole original one.
    #[must_use]
    pub fn updated_input(mut self, input: impl Into<Value>) -> Self {
        self.updated_input = Some(input.into());
        self
    }

    /// Sets a prompt that replaces the user's.
    #[must_use]
    pub fn updated_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.updated_prompt = Some(prompt.into());
        self
    }

    /// Sets the tool output, or the shown text, that replaces the original.
    #[must_use]
    pub fn updated_output(mut self, output: impl Into<Value>) -> Self {
        self.updated_output = Some(output.into());
        self
    }

    /// Adds a text for the model.
    #[must_use]
    pub fn context(mut self, text: impl Into<String>) -> Self {
        self.context.push(text.into());
        self
    }

    /// Adds a text for the user.
    #[must_use]
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.messages.push(text.into());
        self
    }

    /// Sets a stop of the agent, with its message for the user.
    #[must_use]
    pub fn stop(mut self, reason: impl Into<String>) -> Self {
        self.stop = Some(Stop { reason: Some(reason.into()) });
        self
    }

    /// Whether the effects replace a value of the event.
    #[must_use]
    pub const fn rewrite(&self) -> bool {
        self.updated_input.is_some()
            || self.updated_prompt.is_some()
            || self.updated_output.is_some()
    }
}

/// A kind of effect that a hook can have; each event permits some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Power {
    /// Deny the action, or object to what was done.
    Deny = 1,
    /// Demand that the user is asked.
    Ask = 1 << 1,
    /// Put the action off.
    Defer = 1 << 2,
    /// Consent.
    Allow = 1 << 3,
    /// Replace the tool input.
    Input = 1 << 4,
    /// Replace the prompt.
    Prompt = 1 << 5,
    /// Replace the output or the shown text.
    Output = 1 << 6,
    /// Add context for the model.
    Context = 1 << 7,
    /// Show the user a message.
    Message = 1 << 8,
    /// Stop the agent.
    Stop = 1 << 9,
    /// Change permissions.
    Permissions = 1 << 10,
    /// Change what is watched.
    Watch = 1 << 11,
    /// Give the session its first message.
    InitialMessage = 1 << 12,
    /// Let the model try again.
    Retry = 1 << 13,
    /// Set variables.
    Env = 1 << 14,
}

impl Power {
    /// Every power with its name in output, in the order of tables.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Deny, "deny"),
        (Self::Ask, "ask"),
        (Self::Defer, "defer"),
        (Self::Allow, "allow"),
        (Self::Input, "rewrite input"),
        (Self::Prompt, "rewrite prompt"),
        (Self::Output, "rewrite output"),
        (Self::Context, "context"),
        (Self::Message, "message"),
        (Self::Stop, "stop"),
        (Self::Permissions, "permissions"),
        (Self::Watch, "watch paths"),
        (Self::InitialMessage, "first message"),
        (Self::Retry, "retry"),
        (Self::Env, "env"),
    ];

    /// Its name in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(power, _)| *power == self).map_or("", |(_, word)| word)
    }
}

/// A set of powers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Powers(u32);

impl Powers {
    /// No power.
    pub const NONE: Self = Self(0);
    /// Every power.
    pub const ALL: Self = Self((1 << 15) - 1);

    /// The set of `powers`.
    #[must_use]
    pub const fn from_slice(powers: &[Power]) -> Self {
        let mut bits = 0;
        let mut rest = powers;
        while let [first, tail @ ..] = rest {
            bits |= *first as u32;
            rest = tail;
        }
        Self(bits)
    }

    /// Whether `power` is in the set.
    #[must_use]
    pub const fn has(self, power: Power) -> bool {
        self.0 & power as u32 != 0
    }

    /// The set with `power` in it.
    #[must_use]
    pub const fn with(self, power: Power) -> Self {
        Self(self.0 | power as u32)
    }

    /// The powers that both sets have.
    #[must_use]
    pub const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The powers of the set, in table order.
    pub fn iter(self) -> impl Iterator<Item = Power> {
        Power::ALL.iter().map(|(power, _)| *power).filter(move |power| self.has(*power))
    }
}

impl fmt::Debug for Powers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The answer of a hook, read leniently, with its deviations from the protocol as slips.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The decision, if it took one.
    pub restraint: Restraint,
    /// Why.
    pub reason: Option<String>,
    /// The text that is added to the reason if another hook denies (M-12).
    pub if_denied: Option<String>,
    /// The output beside a restraint that gives no reason; the reason that is made for it quotes
    /// this output.
    pub printed: Option<String>,
    /// The reason that the agent itself shows for a restraint without a reason.
    pub default_reason: Option<&'static str>,
    /// Its other effects.
    pub effects: Effects,
    /// The hook asked to continue in the background.
    pub detached: bool,
    /// The deviations from the protocol, in the order found.
    pub slips: Vec<Slip>,
    /// Parts of the output that are ignored, such as an unknown key: each is a fault, the rest
    /// applies.
    pub remarks: Vec<Failure>,
    /// Why there is no answer: crash, timeout, unreadable output.
    pub failure: Option<Failure>,
    /// Set if a part of the output looks like an answer but cannot be read as one.
    pub unclear: Option<Failure>,
    /// How the user lifted the denial of this built-in rule (SP-21).
    pub exemption: Option<Exemption>,
    /// The same output as the agent itself reads it, if the guarded reading differs. Exact reading
    /// uses it instead; guarded reading uses it where the deviations restrain nothing.
    pub plain: Option<Box<Answer>>,
}

/// An answer without restraint and effects, which lets an action pass.
impl Default for Answer {
    fn default() -> Self {
        Self {
            restraint: Restraint::Silent,
            reason: None,
            if_denied: None,
            printed: None,
            default_reason: None,
            effects: Effects::default(),
            detached: false,
            slips: Vec::new(),
            remarks: Vec::new(),
            failure: None,
            unclear: None,
            exemption: None,
            plain: None,
        }
    }
}

impl Answer {
    /// Creates an answer with a decision and its reason.
    #[must_use]
    pub fn decided(restraint: Restraint, reason: impl Into<String>) -> Self {
        Self { restraint, reason: Some(reason.into()), ..Self::default() }
    }

    /// Creates a denial with its reason.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decided(Restraint::Deny, reason)
    }

    /// Creates an answer that adds a text for the model.
    #[must_use]
    pub fn context(text: impl Into<String>) -> Self {
        Self::default().with(Effects::default().context(text))
    }

    /// Sets the effects of the answer.
    #[must_use]
    pub fn with(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    /// Creates the answer of a step that failed.
    #[must_use]
    pub fn failed(code: Code, message: impl Into<String>) -> Self {
        Self { failure: Some(Failure::new(code, message)), ..Self::default() }
    }

    /// Adds a slip to the answer.
    #[must_use]
    pub fn slipped(mut self, kind: SlipKind, detail: impl Into<String>) -> Self {
        self.slips.push(Slip { kind, detail: detail.into() });
        self
    }
}

/// Why a step gave no answer, or why a part of its answer is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure, which becomes the code of the fault.
    pub code: Code,
    /// The exit code of its process, if that is the reason for the missing answer.
    pub exit: Option<i32>,
    /// The message.
    pub message: String,
}

impl Failure {
    /// A failure of a kind, with a message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, exit: None, message: message.into() }
    }

    /// Creates the failure of a process that exited with a nonzero code, with the text that
    /// explains it, if there is any.
    pub(crate) fn exit_code_failure(exit: i32, words: &str) -> Self {
        let separator = if words.is_empty() { "" } else { ": " };
        let message = format!("it exited with code {exit}{separator}{words}");
        Self { code: Code::ExitCode, exit: Some(exit), message }
    }
}
