//! One configured entry: its source, its matcher, what it runs. Values only; runs nothing.

mod arming;
pub mod around;
pub(crate) mod enforcement;
pub mod files;
mod function;
mod model;
pub(crate) mod named;
mod prewarm;
pub mod row;
mod run;
mod sandbox;
pub mod script;
mod short_name;
mod wants;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::diagnostic::Location;
use crate::event::EventName;
use crate::matcher::{Condition, Matcher};

use crate::rule::{CallQuestions, Incomplete};
use named::DialectId;
use row::EventRow;

pub use self::{
    run::{Interpolation, Missing, OpenBrace},
    sandbox::{Grants, Peers, Profile, Tier},
};
pub use crate::compat::Compat;
pub use arming::Arming;
pub use around::FIRING;
pub use enforcement::Enforcement;
pub use function::Function;
pub use run::{
    Command, Http, Inherit, Invocation, McpTool, Prewarm, Prompt, Run, Shell, Unread, Worker,
};
pub use sandbox::Sandbox;
pub use script::{DroppedScript, Program, Script, ScriptCommand, commands_of_shell_script};
pub use wants::{Want, Wanted};

/// The id of a hook, unique in a ruleset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HookId(Arc<str>);

impl HookId {
    /// Creates a name from a text.
    #[must_use]
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose configuration a source is. The order is the order of trust: an earlier layer may restrict
/// a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The organisation's; no other layer loosens it.
    Managed,
    /// The engine's, which a host enabled; only a managed source disables it.
    BuiltIn,
    /// Given to this run by the caller.
    Given,
    /// The user's.
    User,
    /// The repository's.
    Project,
    /// The user's for this repository.
    Local,
    /// A plugin's.
    Plugin,
    /// A skill's front matter, from its invocation on.
    Skill,
    /// A subagent's front matter, while it runs.
    Agent,
}

impl Layer {
    /// Returns the name of the layer, as output shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::BuiltIn => "built-in",
            Self::Given => "given",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Plugin => "plugin",
            Self::Skill => "skill",
            Self::Agent => "agent",
        }
    }
}

/// What a gate's missing answer means (decision 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OnFailure {
    /// The action continues, with a fault.
    Continue,
    /// The user is asked.
    Ask,
    /// The action is denied.
    Block,
}

impl OnFailure {
    /// Returns the name of the policy in configs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }

    /// Says what happens to each `event` for which a hook with this policy gives no answer, as a
    /// clause of a message.
    #[must_use]
    pub fn describe_consequence(self, event: &str) -> String {
        match self {
            Self::Continue => format!("each `{event}` goes on without it"),
            Self::Ask => format!("the user is asked at each `{event}` that it is for"),
            Self::Block => format!("each `{event}` that it is for is blocked"),
        }
    }
}

/// When, within one event, a hook runs (decision 3). The order of the variants is the order of the
/// phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// One after the other, each seeing the last rewrite.
    Rewrite,
    /// All at once on the same payload; their answers count.
    Decide,
    /// All at once, last; their answers cannot restrain.
    Observe,
}

impl Phase {
    /// Every phase, in the order in which they run.
    pub const ALL: [Self; 3] = [Self::Rewrite, Self::Decide, Self::Observe];
}

/// Whether the event waits for the hook (decision 13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wait {
    /// The event waits.
    #[default]
    Attached,
    /// The hook goes on in the background; its verdict goes to the session.
    Detached,
    /// The same, and a denial wakes an idle agent.
    Rewake,
}

/// One configured entry. A host makes its own with [`Hook::new`], and changes what it means
/// otherwise.
#[derive(Clone, Debug)]
pub struct Hook {
    /// Its id.
    pub id: HookId,
    /// The dialect of its protocol.
    pub dialect: DialectId,
    /// Where it is written; `None` for hooks that the host added.
    pub place: Option<Location>,
    /// The layer of its configuration.
    pub layer: Layer,
    /// The event that it is for.
    pub event: EventName,
    /// What its entry calls that event, where its dialect has more than one name for it.
    pub own_event: Option<&'static str>,
    /// On which subjects of the event it runs.
    pub matcher: Matcher,
    /// A further condition.
    pub condition: Option<Condition>,
    /// What it runs.
    pub run: Run,
    /// When, within the event.
    pub phase: Phase,
    /// Whether the event waits for it.
    pub wait: Wait,
    /// How long it may take; `None` leaves it to the dialect.
    pub timeout: Option<Duration>,
    /// What happens when it gives no answer, where its own entry or its source says so.
    pub on_failure: Option<OnFailure>,
    /// The agent that calls, where one does: what it makes of a hook without an answer holds at
    /// least (BR-9).
    pub caller: Option<DialectId>,
    /// Whether exit 0 with empty stdout is no answer (`answer = "required"`).
    pub answer_required: bool,
    /// Runs at most once in a session.
    pub once: bool,
    /// How strictly its dialect is followed.
    pub compat: Compat,
    /// Its sandbox.
    pub sandbox: Sandbox,
    /// The text that a host may show while it runs.
    pub status: Option<String>,
    /// Keys of its entry that only its own agent knows, and that Tenterhook does not apply.
    pub own_keys: Vec<&'static str>,
    /// Whether it may run at all.
    pub arming: Arming,
    /// Whether the user may pause it (SP-22).
    pub pausable: bool,
    /// Whether it enforces or runs in shadow.
    pub enforcement: Enforcement,
    /// Whether it restrains and does nothing else: it is of another place than where the agent
    /// works (BR-19, C-94).
    pub gates_only: bool,
    /// What hooks of its configuration are granted to change, when all are known.
    pub granted: Arc<[std::path::PathBuf]>,
}

impl Hook {
    /// Returns how the hook's expressions treat a shell line that cannot be read completely: a gate
    /// before an effect does not consider it harmless; observers and the built-in rules take the
    /// lists as they are (RU-42).
    #[must_use]
    pub fn incomplete_line_policy(&self, row: &EventRow) -> Incomplete {
        let gates = self.phase != Phase::Observe && self.wait == Wait::Attached;
        match gates && row.is_before_effect() && self.layer != Layer::BuiltIn {
            true => Incomplete::Unknown,
            false => Incomplete::Ignored,
        }
    }

    /// Creates a hook that runs on every `event`, with defaults for all other settings.
    #[must_use]
    pub fn new(id: HookId, dialect: DialectId, event: EventName, run: Run) -> Self {
        Self {
            id,
            dialect,
            place: None,
            layer: Layer::Given,
            event,
            own_event: None,
            matcher: Matcher::any(),
            condition: None,
            run,
            phase: Phase::Decide,
            wait: Wait::Attached,
            timeout: None,
            on_failure: None,
            caller: None,
            answer_required: false,
            once: false,
            compat: Compat::Guarded,
            sandbox: Sandbox::Unsaid,
            status: None,
            own_keys: Vec::new(),
            arming: Arming::Armed,
            pausable: false,
            enforcement: Enforcement::Usual,
            gates_only: false,
            granted: Arc::default(),
        }
    }

    /// Sets the matcher, which limits the hook to some subjects of the event.
    #[must_use]
    pub fn matcher(mut self, matcher: Matcher) -> Self {
        self.matcher = matcher;
        self
    }

    /// Sets a further condition.
    #[must_use]
    pub fn condition(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Sets the phase of the event.
    #[must_use]
    pub const fn phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// Sets whether the event waits for the hook.
    #[must_use]
    pub const fn wait(mut self, wait: Wait) -> Self {
        self.wait = wait;
        self
    }

    /// Sets how long the hook may run.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the policy for a missing answer.
    #[must_use]
    pub const fn on_failure(mut self, policy: OnFailure) -> Self {
        self.on_failure = Some(policy);
        self
    }

    /// Limits the hook to one run in a session.
    #[must_use]
    pub const fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Puts the hook in shadow mode: its answer is only recorded (SH-6).
    #[must_use]
    pub fn shadow(mut self) -> Self {
        let because = "its host says so".to_owned();
        self.enforcement = Enforcement::Shadow { because, place: None };
        self
    }

    /// Returns `true` if the event does not wait for the hook although it was not configured to run
    /// in the background. A hook in shadow is not waited for, unless it is a rule, which ends at
    /// once (SH-7).
    pub fn runs_detached(&self) -> bool {
        let is_rule = matches!(self.run, Run::Rule(_));
        self.enforcement.is_shadow() && self.wait == Wait::Attached && !is_rule
    }

    /// Returns what its rule and its condition may ask of earlier calls (SS-15).
    pub fn call_questions(&self) -> CallQuestions {
        if self.layer == Layer::BuiltIn {
            return CallQuestions::default();
        }
        let by_rule = match &self.run {
            Run::Rule(rule) => rule.call_questions(),
            _ => CallQuestions::default(),
        };
        self.condition.iter().map(Condition::call_questions).chain([by_rule]).collect()
    }

    /// Returns true if its rule changes the session (SS-1).
    pub fn changes_session(&self) -> bool {
        matches!(&self.run, Run::Rule(rule) if rule.changes_session())
    }

    /// Returns `true` if only a managed source can disable the hook.
    #[must_use]
    pub const fn is_managed_or_built_in(&self) -> bool {
        matches!(self.layer, Layer::Managed | Layer::BuiltIn)
    }

    /// Returns `true` if the hook is disabled because it came with a repository and is not approved
    /// (T-10).
    #[must_use]
    pub const fn is_unapproved(&self) -> bool {
        matches!(self.arming, Arming::Unapproved { .. })
    }

    /// Disables the hook because it came with a repository and is not approved (T-10).
    pub fn disarm_unapproved(&mut self, because: String) {
        if self.arming == Arming::Armed {
            self.arming = Arming::Unapproved { because };
        }
    }

    /// Disables the hook permanently, unless it is disabled already: the first reason is the one
    /// that is shown.
    pub fn disarm(&mut self, because: String, rule: &'static str) {
        if self.arming == Arming::Armed {
            self.arming = Arming::Disarmed { because, rule };
        }
    }

    /// Returns `true` if the hook replaces what a file might forbid that cannot be read (C-72).
    #[must_use]
    pub const fn is_hold_for_unread_file(&self) -> bool {
        matches!(self.run, Run::Unusable { part: Unread::File | Unread::Exposed, .. })
    }

    /// Returns the key by which the message of a hook that restrains without having run is shown
    /// once in a session; hooks that wait for the same approval share one key (C-74, T-12).
    pub fn shown_once_key(&self) -> Option<HookId> {
        match &self.run {
            Run::Unusable { part: Unread::File | Unread::Exposed, .. } => Some(self.id.clone()),
            Run::Unusable { part: Unread::Approval, .. } => {
                let file = self.place.as_ref().map_or("", |location| &location.file);
                Some(HookId::new(format!("unapproved:{file}")))
            }
            _ => None,
        }
    }

    /// Returns `true` if the next process is started before it is needed: the entry asks for it,
    /// and the hook runs more than once.
    #[must_use]
    pub fn is_prewarmed(&self) -> bool {
        let Run::Command(command) = &self.run else { return false };
        command.prewarm != Prewarm::Never && !self.once
    }
}
