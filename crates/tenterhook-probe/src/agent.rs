//! The agents that can be driven without a person and without a network: how each is set up, run and given hooks. Data and the
//! writing of config; starts nothing.

mod chat;
mod claude;
mod codex;
mod extension;
mod gemini;
mod kimi;
mod openclaw;
mod plugin;
mod vibe;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook_core::agents;

use crate::fixture::Fixture;
use crate::model::Wire;
use crate::script::Call;

/// When a hook is run, in words that are no agent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Before a tool.
    Before,
    /// After a tool.
    After,
    /// When a prompt was submitted.
    Prompt,
    /// When the session starts.
    Session,
    /// When the agent wants to stop.
    Stop,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Before, Self::After, Self::Prompt, Self::Session, Self::Stop];

    /// Returns the name of the event in the probe's files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "Before",
            Self::After => "After",
            Self::Prompt => "Prompt",
            Self::Session => "Session",
            Self::Stop => "Stop",
        }
    }
}

/// What a hook wants to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookAnswer {
    /// No, and why; on a stop: go on, and with what.
    Deny,
    /// Yes.
    Allow,
    /// A person shall decide.
    Ask,
    /// This command instead.
    Rewrite,
    /// The model shall know this.
    Context,
}

/// What an agent may do without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What its rules allow.
    Default,
    /// Everything: its own switch that skips its permissions.
    Bypass,
}

/// A hook as it is to stand in an agent's config.
#[derive(Clone, Debug)]
pub struct Registered {
    /// When it runs.
    pub event: Event,
    /// A line of shell.
    pub command: String,
    /// In seconds.
    pub timeout: u32,
}

/// A tool of an agent: its name to the model, and its arguments for a text.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its arguments: for a shell a line, for the start of a sub-agent its prompt.
    pub input: fn(&str) -> Value,
}

/// One run that is to be set up.
#[derive(Debug)]
pub struct Setting<'a> {
    pub(crate) fixture: &'a Fixture,
    /// Where the model listens.
    pub(crate) url: &'a str,
    pub(crate) mode: Mode,
    pub(crate) hooks: &'a [Registered],
}

impl Setting<'_> {
    fn mcp_script_path(&self) -> String {
        self.fixture.mcp_script_path().display().to_string()
    }
}

/// Files to write, as paths and texts.
type Files = Vec<(PathBuf, String)>;

/// An agent.
#[derive(Clone, Copy)]
pub struct Agent {
    /// Its name here and in the engine.
    pub name: &'static str,
    /// Its name to people.
    pub title: &'static str,
    /// Where it comes from: a package of npm, or of PyPI behind `pypi:`.
    pub package: &'static str,
    /// The version that the tables were made with.
    pub version: &'static str,
    /// Its program.
    pub program: &'static str,
    /// Whether its licence is open, so that it is installed unasked.
    pub open: bool,
    /// What it speaks to its model.
    pub wire: Wire,
    /// Its shell.
    pub shell: Tool,
    /// What starts a sub-agent.
    pub delegate: Option<Tool>,
    /// The name of the tool `ping` of the MCP server `probe`.
    pub mcp: Option<&'static str>,
    /// The word for no in its hooks' answers.
    pub no: &'static str,
    /// Its names for the events; empty where it has none.
    pub events: [&'static str; 5],
    /// What its hooks print to say something on an event; none where they cannot.
    pub answer: fn(Event, HookAnswer, &str) -> Option<String>,
    pub(crate) files: fn(&Setting<'_>) -> Files,
    pub(crate) env: fn(&Setting<'_>) -> Vec<(&'static str, String)>,
    pub(crate) args: fn(&Setting<'_>, &str) -> Vec<String>,
    /// What must be run once in a home, before it can be used.
    pub(crate) before: fn(&Setting<'_>) -> Option<Vec<String>>,
    /// What its own plugins may do to deny, if it runs plugins and no commands.
    pub plugin_ways: &'static [(&'static str, &'static str)],
    /// A plugin that loads after ours and puts [`REWRITTEN_LATER`] in the place of every command: its path in the home,
    /// and its text.
    pub later_plugin: Option<(&'static str, &'static str)>,
    /// Further packages that it needs, such as a newer Node, and further arguments of `npm install`.
    /// On PyPI, one takes the place of what its package requires under that name.
    pub beside: &'static [&'static str],
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Agent {
    /// Returns the agent's own name for `event`, or `None` if the agent runs no hooks on it.
    #[must_use]
    pub fn event_name(&self, event: Event) -> Option<&'static str> {
        let at = Event::ALL.iter().position(|other| *other == event)?;
        self.events.get(at).copied().filter(|event| !event.is_empty())
    }

    /// Returns the name of its package on PyPI, if it comes from there.
    #[must_use]
    pub fn python_package(&self) -> Option<&'static str> {
        self.package.strip_prefix("pypi:")
    }

    /// Returns the command by which a person installs it.
    #[must_use]
    pub fn install_command(&self) -> String {
        match self.python_package() {
            Some(package) => format!("pip install {package}"),
            None => format!("npm install -g {}", self.package),
        }
    }

    /// Returns a call of the agent's shell that names `way` and creates the mark file `ran.WAY`
    /// when it runs.
    #[must_use]
    pub fn shell_call_creating_mark_file(&self, way: &str) -> Call {
        let line = line_creating_mark_file(way);
        Call { name: self.shell.name.to_owned(), input: (self.shell.input)(&line) }
    }
}

/// Returns a line of shell that names `way` and creates the mark file `ran.WAY`.
pub(crate) fn line_creating_mark_file(way: &str) -> String {
    format!("touch marks/ran.{way} && echo WAY-{way}-END")
}

/// The way that the command of a later plugin names.
pub const REWRITTEN_LATER: &str = "changed-later";

/// All of them: those that are driven in every play first.
pub const AGENTS: &[Agent] = &[
    claude::CLAUDE,
    codex::CODEX,
    chat::COPILOT,
    plugin::OPENCODE,
    plugin::KILO,
    extension::PI,
    openclaw::OPENCLAW,
    chat::GOOSE,
    chat::QWEN,
    plugin::CLINE,
    gemini::GEMINI,
    chat::DROID,
    vibe::VIBE,
    chat::HERMES,
    kimi::KIMI,
];

/// Returns the agent with this name.
#[must_use]
pub fn find_agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

const fn no_setup_command(_: &Setting<'_>) -> Option<Vec<String>> {
    None
}

fn to_strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns the input of a shell tool whose only argument is the command line.
pub(crate) fn command_input(text: &str) -> Value {
    json!({ "command": text })
}

/// Returns the input of a shell tool that requires a description of the command.
fn described_command_input(text: &str) -> Value {
    json!({ "command": text, "description": "probe" })
}

/// Returns the hook configuration in groups, in the format of Claude Code, Codex, Qwen, Goose and
/// Gemini.
fn grouped_hooks_config(
    agent: &Agent,
    hooks: &[Registered],
    entry: impl Fn(&Registered) -> Value,
    matcher: Option<&str>,
) -> Value {
    let mut table = serde_json::Map::new();
    for hook in hooks {
        let Some(name) = agent.event_name(hook.event) else { continue };
        let mut group = json!({ "hooks": [entry(hook)] });
        let has_matcher = matches!(hook.event, Event::Before | Event::After);
        if let (Some(matcher), true, Some(group)) = (matcher, has_matcher, group.as_object_mut()) {
            group.insert("matcher".to_owned(), json!(matcher));
        }
        table.insert(name.to_owned(), json!([group]));
    }
    Value::Object(table)
}

/// Returns a hook entry whose timeout is in seconds.
fn hook_entry_with_timeout_seconds(hook: &Registered) -> Value {
    json!({ "type": "command", "command": hook.command, "timeout": hook.timeout })
}

fn path_in_home(setting: &Setting<'_>, name: &str) -> PathBuf {
    setting.fixture.home().join(name)
}

/// Returns the path of the user's config file in which `install` registers hooks.
fn user_config_path(setting: &Setting<'_>, agent: &agents::Agent) -> PathBuf {
    let file = agent.installation.user_file.unwrap_or_default();
    path_in_home(setting, agent.installation.home).join(file)
}

/// Returns the first of several names of a program or a package, which is the usual one.
pub(crate) const fn first_of_names(names: &'static [&'static str]) -> &'static str {
    match names {
        [name, ..] => name,
        [] => "",
    }
}

fn path_to_string(path: &Path) -> String {
    path.display().to_string()
}

/// Returns what a hook prints in Claude Code's protocol, which other agents follow. `shell` makes
/// the input of a rewritten call.
fn claude_hook_output(
    event: Event,
    answer_kind: HookAnswer,
    text: &str,
    shell: fn(&str) -> Value,
) -> Option<String> {
    let specific = |name: &str, fields: Value| {
        let mut output = json!({ "hookEventName": name });
        if let (Some(output), Value::Object(fields)) = (output.as_object_mut(), fields) {
            output.extend(fields);
        }
        json!({ "hookSpecificOutput": output })
    };
    let decision = |word: &str| {
        specific(
            "PreToolUse",
            json!({ "permissionDecision": word, "permissionDecisionReason": text }),
        )
    };
    let context = |name: &str| specific(name, json!({ "additionalContext": text }));
    let value = match (event, answer_kind) {
        (Event::Before, HookAnswer::Deny) => decision("deny"),
        (Event::Before, HookAnswer::Ask) => decision("ask"),
        (Event::Before, HookAnswer::Allow) => decision("allow"),
        (Event::Before, HookAnswer::Rewrite) => specific(
            "PreToolUse",
            json!({ "permissionDecision": "allow", "updatedInput": shell(text) }),
        ),
        (Event::Before, HookAnswer::Context) => context("PreToolUse"),
        (Event::After, HookAnswer::Context) => context("PostToolUse"),
        (Event::Prompt, HookAnswer::Context) => context("UserPromptSubmit"),
        (Event::Session, HookAnswer::Context) => context("SessionStart"),
        (Event::After | Event::Prompt | Event::Stop, HookAnswer::Deny) => {
            json!({ "decision": "block", "reason": text })
        }
        _ => return None,
    };
    Some(value.to_string())
}
