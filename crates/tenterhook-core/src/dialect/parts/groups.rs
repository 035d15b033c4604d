//! The groups of options of a dialect, each with its default. Holds values and functions; calls
//! none.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::agents::HookFile;
use crate::answer::{Answer, Failure, SlipKind};
use crate::dialect::kit::reply::Replies;
use crate::dialect::kit::shape::{RefusedValue, StoppedEvent};
use crate::dialect::{
    ConditionFault, DialectId, Disk, EventRow, Plugins, Roots, Scan, ServerFiles, Silencer,
    SlipPolicy, native, parse_condition,
};
use crate::event::Event;
use crate::hook::row::Mode;
use crate::hook::{Compat, Hook, Interpolation, Layer, OnFailure, Phase, Prompt, Run, Sandbox};
use crate::matcher::Condition;
use crate::matcher::rule::Reading;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The files that an agent reads.
pub(crate) struct Files {
    /// Finds the active plugins.
    pub(crate) plugins: fn(&[&Source], &Roots, &dyn Disk) -> Plugins,
    /// Finds what silences the hooks of the agent's settings, or could.
    pub(crate) silencers: Option<fn(Scan<'_>) -> Vec<Silencer>>,
    /// What a wrong value of a settings file does.
    pub(crate) checks: Checks,
    /// The files in which the agent configures MCP servers.
    pub(crate) servers: Option<&'static ServerFiles>,
    /// How its hook file is written, or why it has none, as a clause.
    pub(crate) written: Result<&'static HookFile, &'static str>,
}

impl Files {
    pub(crate) const DEFAULT: Self = Self {
        plugins: |_, _, _| Plugins::default(),
        silencers: None,
        checks: Checks::Nothing,
        servers: None,
        written: Err("it loads modules, and no file of hooks"),
    };
}

/// What a wrong value of a settings file does.
pub(crate) enum Checks {
    /// Nothing, as far as is known.
    Nothing,
    /// The agent refuses the whole file; finds that value.
    File(fn(&Node) -> Option<RefusedValue>),
    /// The agent runs no hook of some events; finds these.
    Events(fn(&Node) -> Vec<StoppedEvent>),
}

/// How the files of an agent combine.
pub(crate) struct Layers {
    /// Whether the agent loads a source and runs the hooks in it.
    pub(crate) loads: fn(&Source, DialectId) -> bool,
    /// Applies the settings of one layer to the hooks of others.
    pub(crate) settle: fn(&mut [(&Source, &mut ReadConfig)]),
    /// The layer whose sources come after all others.
    pub(crate) last: Option<Layer>,
    /// Whether the same entry in two files runs once.
    pub(crate) drops_repeats: bool,
}

impl Layers {
    pub(crate) const DEFAULT: Self = Self {
        loads: |source, own| source.dialect == own,
        settle: |_| {},
        last: None,
        drops_repeats: false,
    };
}

/// How an agent selects the hooks of an event.
pub(crate) struct Matching {
    /// The values that matchers of an event can meet, if the agent has a closed list of them.
    pub(crate) subjects: fn(&str) -> &'static [&'static str],
    /// Reads a condition in a native file for a hook of this dialect.
    pub(crate) condition: fn(&Node, &Source) -> Result<Condition, ConditionFault>,
    /// Whether the agent, too, tests the other names of a tool (S-5).
    pub(crate) tests_other_names: bool,
    /// How matchers name a tool of an MCP server, with `SERVER` and `TOOL` in it.
    pub(crate) server_tool: &'static str,
    /// Whether matchers test the name that the agent gave to a tool, also if the tool is judged under
    /// a different one.
    pub(crate) tests_own_name: bool,
    /// Why no event can select a hook, and the rule that says so.
    pub(crate) unreachable: fn(&Hook) -> Option<(String, &'static str)>,
}

impl Matching {
    pub(crate) const DEFAULT: Self = Self {
        subjects: |_| &[],
        condition: |node, source| parse_condition(node, source, Reading::Native),
        tests_other_names: true,
        server_tool: "mcp__SERVER__TOOL",
        tests_own_name: false,
        unreachable: |_| None,
    };
}

/// How an agent runs the hooks of an event.
pub(crate) struct Runs {
    /// How the hooks of one phase relate.
    pub(crate) mode: fn(Phase) -> Mode,
    /// The timeout of an entry that sets none.
    pub(crate) timeout: fn(&Run, &EventRow) -> Duration,
    /// Whether a first line of output moves the hook to the background.
    pub(crate) detaches: fn(&[u8], Compat) -> bool,
    /// Whether the agent discards the effects of a hook that its entry detaches, unless the hook
    /// may wake the agent.
    pub(crate) discards_detached: bool,
}

impl Runs {
    /// Rewriters see each other's results, and gates run at once.
    pub(crate) const DEFAULT: Self = Self {
        mode: |phase| if matches!(phase, Phase::Rewrite) { Mode::Chained } else { Mode::Parallel },
        timeout: |_, row| row.timeout,
        detaches: |_, _| false,
        discards_detached: false,
    };
}

/// What command hooks get and may do.
pub(crate) struct Commands {
    /// The variables of the host that they inherit.
    pub(crate) inherited: Inherited,
    /// The sandbox of a hook without a setting, for the user's home.
    pub(crate) sandbox: fn(&Hook, &Path) -> Sandbox,
}

impl Commands {
    pub(crate) const DEFAULT: Self =
        Self { inherited: Inherited::All, sandbox: |_, _| Sandbox::Unsaid };
}

/// The variables of the host that command hooks inherit.
pub(crate) enum Inherited {
    All,
    /// All but those with one of these prefixes.
    AllBut(&'static [&'static str]),
    /// A short list.
    Listed,
}

/// How an agent sends HTTP hooks.
pub(crate) struct Requests {
    /// How it fills in variables.
    pub(crate) interpolation: Interpolation,
    /// Whether it follows redirects.
    pub(crate) follows_redirects: bool,
}

impl Requests {
    pub(crate) const DEFAULT: Self =
        Self { interpolation: Interpolation::STRICT, follows_redirects: false };
}

/// Models that serve as hooks.
pub(crate) struct ModelHooks {
    /// The instructions on the form of the answer.
    pub(crate) shape: fn(&Prompt, &EventRow) -> String,
    /// Reads the model's answer.
    pub(crate) read: fn(&Prompt, &Event, &EventRow, &Report) -> Answer,
}

impl ModelHooks {
    /// The form of native answers.
    pub(crate) const DEFAULT: Self = Self {
        shape: native::answer_instructions,
        read: |_, _, row, report| native::read_model_answer(row, report),
    };
}

/// The effect of invalid and missing answers.
pub(crate) struct Failures {
    /// What the agent does with an answer that deviates from its protocol.
    pub(crate) slips: fn(SlipKind) -> SlipPolicy,
    /// The least restraint while a file cannot be read; `None` for the policy of the event.
    pub(crate) while_unread: Option<OnFailure>,
    /// The policy of a failed gate whose entry and source set none.
    pub(crate) promise: fn(&Hook, &EventRow, &Failure) -> OnFailure,
    /// What the agent does on an event, by its neutral name, if a hook gives no answer.
    pub(crate) without_answer: fn(&str, &Failure) -> OnFailure,
}

impl Failures {
    pub(crate) const DEFAULT: Self = Self {
        slips: |_| SlipPolicy::PlainText,
        while_unread: Some(OnFailure::Ask),
        promise: |_, row, _| row.failure,
        without_answer: |_, _| OnFailure::Continue,
    };
}

/// The calls of an agent that runs Tenterhook as its hook.
pub(crate) struct Calls {
    /// The replies that the agent accepts; `None` if it does not call Tenterhook.
    pub(crate) replies: Option<&'static Replies>,
    /// A variable that the agent sets for its hooks alone: a call without an event that has it is
    /// the agent's (BR-171).
    pub(crate) own_variable: Option<&'static str>,
    /// Events of another table for which the agent's entries may call, too.
    pub(crate) more_entries: fn() -> &'static [EventRow],
    /// The variables in which the agent names its project to hooks; the first that is set is used.
    pub(crate) project_variables: &'static [&'static str],
    /// Where the agent tells hooks its version; the first that holds one is used.
    pub(crate) versions: &'static [VersionSource],
    /// Whether `stop_hook_active` means that an earlier hook delayed the end of the turn.
    pub(crate) says_stopped_before: bool,
    /// Whether the agent sends an event that describes no action.
    pub(crate) is_noise: fn(&Event) -> bool,
    /// Whether the events before and after a call have the same id, and each call that runs fires
    /// both (BR-93).
    pub(crate) pairs_calls: bool,
}

impl Calls {
    pub(crate) const DEFAULT: Self = Self {
        replies: None,
        own_variable: None,
        more_entries: || &[],
        project_variables: &[],
        versions: &[],
        says_stopped_before: true,
        is_noise: |_| false,
        pairs_calls: false,
    };
}

/// Where an agent tells hooks its version.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VersionSource {
    /// In a variable, after a prefix.
    Variable { name: &'static str, prefix: &'static str },
    /// In a field of each payload.
    Field(&'static str),
}

impl VersionSource {
    /// Returns the version that a call tells.
    pub(super) fn find_version<'a>(
        self,
        fields: &'a Map<String, Value>,
        variable: impl Fn(&str) -> Option<&'a str>,
    ) -> Option<String> {
        match self {
            Self::Variable { name, prefix } => parse_version(variable(name)?.strip_prefix(prefix)?),
            Self::Field(name) => parse_version(fields.get(name)?.as_str()?),
        }
    }
}

/// Returns the version at the start of a text. A text without dots may separate the numbers by
/// hyphens.
fn parse_version(text: &str) -> Option<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".-+".contains(char);
    let version = text.split(|char| !is_part(char)).next()?;
    let is_version = version.starts_with(|char: char| char.is_ascii_digit()) && version.len() <= 64;
    let separator = if version.contains('.') { "-" } else { "." };
    is_version.then(|| version.replace('-', separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RE-7.
    #[test]
    fn version_is_read_after_the_prefix() {
        for (text, expected) in [
            ("2-1-332_harness", Some("2.1.332")),
            ("1.0.88", Some("1.0.88")),
            ("1.0.88-beta.1", Some("1.0.88-beta.1")),
            ("3.17.5 (build 4)", Some("3.17.5")),
            ("", None),
            ("unknown", None),
        ] {
            assert_eq!(parse_version(text).as_deref(), expected, "{text}");
        }
    }
}
