//! The result for the host: the fold of all verdicts, with its faults and steps. Values only.

mod decision;

use std::fmt;
use std::time::Duration;

use crate::answer::{Effects, Exemption, Mark, Restraint};
use crate::diagnostic::Code;
use crate::hook::{HookId, Tier};
use crate::text;
pub use decision::{Decision, Rewrite};

/// A problem, or an ignored answer, of an event. Never an error: the outcome stays valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub code: Code,
    /// The hook that it is about; `None` when it is about the event.
    pub hook: Option<HookId>,
    /// What happened and, where there is one, the remedy.
    pub message: String,
}

impl Fault {
    /// Creates a fault of `hook`.
    #[must_use]
    pub fn new(hook: &HookId, code: Code, message: impl Into<String>) -> Self {
        Self { code, hook: Some(hook.clone()), message: message.into() }
    }
}

/// The reason of one hook for the outcome's restraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The hook that gave the reason.
    pub hook: HookId,
    /// The text of the reason.
    pub text: String,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// With an answer, from an executor that has no exit code, such as a rule, an HTTP request or
    /// an MCP call.
    Answered,
    /// By this signal.
    Signalled(i32),
    /// Its executor could not bring an answer back; the code of the fault.
    Failed(Code),
    /// Its time was up.
    TimedOut,
    /// The host gave up waiting.
    Cancelled,
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It was not run, for this reason.
    NotRun(String),
    /// It goes on in the background.
    Detached,
    /// It went on in the background, and ended there like this.
    InBackground(Box<Self>),
    /// It ended in the background of an earlier event, whose record has this number, and its
    /// result comes with this event.
    Delivered(u64),
}

impl Ended {
    /// Returns true if the step ran, or at least was tried.
    #[must_use]
    pub fn was_attempted(&self) -> bool {
        match self {
            Self::NotRun(_) => false,
            Self::InBackground(ended) => ended.was_attempted(),
            _ => true,
        }
    }

    /// Returns true if the agent runs the hook in the background, because its entry or its first
    /// line of output asks for that.
    #[must_use]
    pub const fn is_in_background(&self) -> bool {
        matches!(self, Self::Detached | Self::InBackground(_) | Self::Delivered(_))
    }

    /// Returns the text that others may have written, such as a path, for editing.
    pub fn untrusted_text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::NotStarted(why) | Self::NotRun(why) => Some(why),
            Self::InBackground(ended) => ended.untrusted_text_mut(),
            _ => None,
        }
    }
}

/// In the words of records and screens: `exit 0`, `answered`, `signal 9`, `timed out`, `detached`,
/// `not run: ...`.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit {code}"),
            Self::Answered => f.write_str("answered"),
            Self::Signalled(signal) => write!(f, "signal {signal}"),
            Self::Failed(code) => f.write_str(code.name()),
            Self::TimedOut => f.write_str("timed out"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NotStarted(why) => write!(f, "not started: {why}"),
            Self::NotRun(why) => write!(f, "not run: {why}"),
            Self::Detached => f.write_str("detached"),
            Self::InBackground(ended) => write!(f, "{ended}, detached"),
            Self::Delivered(record) => write!(f, "delivered, of record {record}"),
        }
    }
}

/// How one step of the plan went, for people and logs.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The hook.
    pub hook: HookId,
    /// `file:line` of its entry; empty for hooks that the host added.
    pub source: String,
    /// 1-based line of its entry; 0 for hooks that the host added.
    pub line: usize,
    /// The executor that ran it.
    pub executor: &'static str,
    /// How it ended.
    pub ended: Ended,
    /// The time from its start to its report.
    pub took: Duration,
    /// Its own restraint, after judging.
    pub verdict: Restraint,
    /// Its part of the outcome's context for the model.
    pub context: Vec<String>,
    /// Its part of the outcome's messages to the user.
    pub messages: Vec<String>,
    /// Whether it replaced the prompt, the tool input or the output, for the next step or the host.
    pub rewrote: bool,
    /// Whether it stops the agent.
    pub stopped: bool,
    /// What it changed in the session, if it is a rule (SS-2).
    pub marks: Vec<Mark>,
    /// How the user lifted its denial, if it is a built-in rule (SP-21).
    pub exemption: Option<Exemption>,
    /// The sandbox tier that its process tested; `None` if no sandbox was requested, or no process
    /// started.
    pub tier: Option<Tier>,
    /// For a shadow step, the outcome that it alone would have caused. It does not affect the real
    /// outcome. It is empty while the step still runs in the background.
    pub shadow: Option<Box<Outcome>>,
}

/// What the hooks of an event together want; [`Outcome::decision`] says what the host does. A later
/// version of this crate may add to it.
///
/// Deliberately without `Default`: a host that has no outcome has not asked the hooks.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "an action whose outcome is not read is not gated"]
pub struct Outcome {
    /// The strongest restraint of all hooks (M-1).
    pub restraint: Restraint,
    /// The words of the hooks that carried it, in configured order (M-2).
    pub reasons: Vec<Reason>,
    /// Their other effects, folded.
    pub effects: Effects,
    /// The faults.
    pub faults: Vec<Fault>,
    /// The steps that ran.
    pub steps: Vec<Step>,
}

impl Outcome {
    /// Creates the outcome of an event without an answer: the action proceeds.
    pub fn without_answer() -> Self {
        Self {
            restraint: Restraint::Silent,
            reasons: Vec::new(),
            effects: Effects::default(),
            faults: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Sets the steps that ran.
    pub fn with_steps(self, steps: Vec<Step>) -> Self {
        Self { steps, ..self }
    }

    /// Returns true if a hook denies. Other decisions can also hold the action up: use
    /// [`Outcome::decision`].
    #[must_use]
    pub fn blocked(&self) -> bool {
        self.restraint == Restraint::Deny
    }

    /// Returns the decision for the host as one word, as `fire` and the record write it.
    pub fn decision_word(&self) -> &'static str {
        match &self.effects.stop {
            Some(_) => "stop",
            None => self.restraint.name().unwrap_or("silent"),
        }
    }

    /// Returns true if hooks replaced the prompt, the tool input or the output.
    pub fn is_rewritten(&self) -> bool {
        self.effects.rewrite() || self.effects.updated_output.is_some()
    }

    /// Returns the context for a model, each text in a block that names its hook. Hosts inject this
    /// form, so that a hook is not taken for the user or the system (H-11).
    #[must_use]
    pub fn labelled_context(&self) -> Vec<String> {
        let labelled = self
            .steps
            .iter()
            .flat_map(|step| step.context.iter().map(|text| text::label(step.hook.as_str(), text)));
        labelled.collect()
    }

    /// Returns all reasons as one text; `None` if no hook gave a reason.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let texts: Vec<&str> = self.reasons.iter().map(|reason| reason.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}
