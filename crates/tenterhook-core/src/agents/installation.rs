//! How to register hooks with an agent: its files and events. Types only.
//!
//! The text written from these values never changes between versions (BR-62): an agent that trusts
//! hooks by their text would drop them.

use super::hook_file::{HookFile, JsonFile, Layout, Syntax};
use crate::event::tool::Tool;

/// The configuration that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// The project's.
    Project,
    /// The organization's.
    Managed,
}

/// How an agent is made to call Tenterhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is not: the agent has no hooks for that, or none are known.
    Missing,
    /// By entries in its hook file, which others also write.
    Shared(&'static HookFile),
    /// By a hook file that only Tenterhook writes.
    Own(&'static HookFile),
    /// By a shell script for each event, with the event's name.
    Scripts,
    /// By a JavaScript file that the agent loads as a module.
    Plugin(Plugin),
}

impl Form {
    /// Returns whether the user and others write the file, too.
    #[must_use]
    pub const fn is_shared_file(self) -> bool {
        matches!(self, Self::Shared(_))
    }

    /// Returns whether the file is JSON that the user and others write, too.
    #[must_use]
    pub const fn is_shared_json(self) -> bool {
        matches!(self, Self::Shared(HookFile { layout: Layout::Json(_), .. }))
    }

    /// The hook file that gets entries.
    #[must_use]
    pub const fn hook_file(self) -> Option<&'static HookFile> {
        match self {
            Self::Shared(file) | Self::Own(file) => Some(file),
            Self::Missing | Self::Scripts | Self::Plugin(_) => None,
        }
    }
}

/// The module of [`Form::Plugin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The part of its text that registers with the agent.
    pub end: &'static str,
    /// The other files of the plugin, with their names. If there are any, the config path is their
    /// folder, and the module is `index.js` in it.
    pub beside: &'static [(&'static str, &'static str)],
    /// The file that lists the plugins which the agent loads, if it loads no others.
    pub list: Option<PluginList>,
}

/// How the command of a gate denies if the `tenterhook` program is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It exits with 2.
    ExitCode,
    /// It exits with 2, as for each of our denials: the agent reads no other.
    OnlyExitCode,
    /// It prints this, where `@REASON@` stands for the reason: the agent runs no shell, and exit
    /// codes deny nothing.
    Print(&'static str),
    /// It does not: the agent or the script around it denies.
    Outside,
}

/// Whether an agent runs only approved hooks, and the user file in which it stores the approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approvals {
    /// It runs all.
    NotNeeded,
    /// The user approves hooks in the agent.
    ByUser(&'static str),
    /// `install` enters its own hooks in the file.
    ByInstall(&'static str),
}

/// What keeps the organization's hooks enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Nothing.
    Missing,
    /// The agent: no other file can disable them. `install` also writes these settings, so that
    /// users' files silence them less.
    Agent(&'static [Key]),
    /// These settings, which `install` writes beside them.
    Settings(&'static [Key]),
    /// What the organization can write by hand, as a clause.
    ByHand(&'static str),
}

/// What keeps others from silencing an agent's hooks.
#[derive(Clone, Copy, Debug)]
pub struct Protection {
    /// The organization's switch that allows only managed hooks.
    pub only_managed: Option<SwitchFile>,
    /// What keeps the organization's hooks enabled.
    pub pin: Pin,
    /// Whether `install` can write a guard against everything that silences its hooks.
    pub has_guard: bool,
}

impl Protection {
    /// No protection.
    pub const NONE: Self = Self { only_managed: None, pin: Pin::Missing, has_guard: false };
}

/// The path to a boolean in an agent's settings that applies to all hooks, and the value that
/// disables them. If there is a list, it is `true` if it excludes the file of the installation.
pub type Key = (&'static [&'static str], bool);

/// An event for which the agent calls Tenterhook.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The agent's own name for it.
    pub name: &'static str,
    /// The timeout that is written, in seconds.
    pub seconds: u64,
    /// Whether the event is a gate, so that a missing answer denies.
    pub gates: bool,
    /// Whether it is about tools, so that its entry gets a matcher if the agent requires one.
    pub tool: bool,
    /// The first version of the agent that has it, and the settings key that disables the gated
    /// action in older versions; `None` if every version has it.
    pub since: Option<(&'static str, Key)>,
    /// The gap of a version without it.
    pub open_before: &'static str,
}

/// A tool whose nested calls bypass hooks: a rule can only ask before the tool itself runs.
#[derive(Clone, Copy, Debug)]
pub struct Unhooked {
    /// The tool.
    pub tool: Tool,
    /// The gap that this leaves.
    pub gap: &'static str,
    /// The rule pack that asks.
    pub pack: &'static str,
}

/// The directory that a file's path is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// The directory of the agent's user files.
    AgentHome,
    /// The user's home.
    UserHome,
    /// The project.
    Project,
    /// The root of the file system.
    Root,
}

/// A switch in a file that `install` does not write.
#[derive(Clone, Copy, Debug)]
pub struct SwitchFile {
    /// The directory that its path is relative to.
    pub below: Below,
    /// Its path.
    pub file: &'static str,
    /// The key of the switch, and the value that disables hooks.
    pub key: Key,
}

/// A file of variables (`NAME=value`) that the agent loads into its environment.
#[derive(Clone, Copy, Debug)]
pub struct EnvFile {
    /// The directory that its path is relative to.
    pub below: Below,
    /// Its path.
    pub file: &'static str,
    /// Whether it replaces variables that are already set.
    pub overrides: bool,
}

/// A JSON5 settings file that lists the plugins which an agent loads. Each value is the path of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginList {
    /// The file, relative to the agent's home.
    pub file: &'static str,
    /// The variable that holds another path of the file.
    pub variable: Option<&'static str>,
    /// The list of the folders of plugins.
    pub folders: &'static [&'static str],
    /// Switches of the plugin that must be on.
    pub flags: &'static [&'static [&'static str]],
    /// The list of the names that may be loaded; all may, if it does not exist.
    pub allowed: &'static [&'static str],
    /// The list of the names that are not loaded.
    pub denied: &'static [&'static str],
    /// The switch that loads no plugin if it is off.
    pub all: &'static [&'static str],
    /// The key that stands for the content of other files.
    pub include: &'static str,
}

/// What agents do not cover that call a tool of an MCP server `mcp_SERVER_TOOL`.
pub(super) const FLAT_MCP_NAMES: &str = "an MCP tool is called `mcp_SERVER_TOOL`: if the server's name has `_`, rules see its first word as the server";

/// How to register hooks with an agent: its files, their format, and the gaps that remain.
#[derive(Clone, Copy, Debug)]
pub struct Installation {
    /// Directories in the user's home that exist if the agent was used.
    pub seen: &'static [&'static str],
    /// The variable that overrides the directory of its user files.
    pub home_variable: Option<&'static str>,
    /// The default directory of its user files, relative to the user's home.
    pub home: &'static str,
    /// The user's config file, below the agent's home.
    pub user_file: Option<&'static str>,
    /// The project's config file, if the agent reads one.
    pub project_file: Option<&'static str>,
    /// The absolute path of the organization's config file, if the agent reads one.
    pub managed_file: Option<&'static str>,
    /// How it calls Tenterhook.
    pub form: Form,
    /// The matcher that is written for tool events.
    pub matcher: Option<&'static str>,
    /// How the command of a gate denies if the program is missing.
    pub fallback: Fallback,
    /// The events that are registered.
    pub events: &'static [Event],
    /// Whether it runs only approved hooks.
    pub approvals: Approvals,
    /// The keys of its settings that disable hooks, each with the value that does.
    pub switches: &'static [Key],
    /// Files that `install` does not write and that disable its hooks, the strongest first.
    pub switches_elsewhere: &'static [SwitchFile],
    /// Variables that disable its hooks, or move its files to where `install` does not write, if they
    /// are set.
    pub switch_variables: &'static [&'static str],
    /// The files of variables that it loads, the strongest first.
    pub env_files: &'static [EnvFile],
    /// What keeps others from silencing its hooks.
    pub protection: Protection,
    /// What happens to tool calls if the `tenterhook` program is missing.
    pub gone: &'static str,
    /// Tools whose nested calls run without hooks.
    pub unhooked: &'static [Unhooked],
    /// Other actions that run without hooks.
    pub gaps: &'static [&'static str],
    /// Actions that disable its hooks, unless the organization keeps these enabled.
    pub switch_gaps: &'static [&'static str],
    /// What the user does next.
    pub next: &'static str,
}

impl Installation {
    /// The defaults, which are those of an agent that cannot call Tenterhook.
    pub const NONE: Self = Self {
        seen: &[],
        home_variable: None,
        home: "",
        user_file: None,
        project_file: None,
        managed_file: None,
        form: Form::Missing,
        matcher: None,
        fallback: Fallback::ExitCode,
        events: &[],
        approvals: Approvals::NotNeeded,
        switches: &[],
        switches_elsewhere: &[],
        switch_variables: &[],
        env_files: &[],
        protection: Protection::NONE,
        gone: "",
        unhooked: &[],
        gaps: &[],
        switch_gaps: &[],
        next: "",
    };

    /// The config file of that scope, if the agent reads one.
    #[must_use]
    pub const fn path(&self, scope: Scope) -> Option<&'static str> {
        match scope {
            Scope::User => self.user_file,
            Scope::Project => self.project_file,
            Scope::Managed => self.managed_file,
        }
    }

    /// What the JSON file may hold that `install` edits: the hook file, or the list of plugins.
    #[must_use]
    pub fn json(&self) -> &'static JsonFile {
        const LIST: &JsonFile = &JsonFile { syntax: Syntax::Json5, ..JsonFile::USUAL };
        match self.form.hook_file().map(|file| &file.layout) {
            Some(Layout::Json(json)) => json,
            _ if self.plugin_list().is_some() => LIST,
            _ => &JsonFile::USUAL,
        }
    }

    /// The file with the user's approvals of hooks in that scope; `None` if they need no approval.
    /// Managed hooks need none (Codex CLI 0.169.0 runs them unasked).
    #[must_use]
    pub fn approvals_file(&self, scope: Scope) -> Option<&'static str> {
        match self.approvals {
            Approvals::ByUser(file) | Approvals::ByInstall(file) if scope != Scope::Managed => {
                Some(file)
            }
            _ => None,
        }
    }

    /// The settings that `install` writes beside managed entries.
    #[must_use]
    pub const fn managed_settings(&self) -> &'static [Key] {
        match self.protection.pin {
            Pin::Agent(settings) | Pin::Settings(settings) => settings,
            Pin::Missing | Pin::ByHand(_) => &[],
        }
    }

    /// The file that lists the plugins which the agent loads, if it loads no others.
    #[must_use]
    pub const fn plugin_list(&self) -> Option<&PluginList> {
        match &self.form {
            Form::Plugin(plugin) => plugin.list.as_ref(),
            _ => None,
        }
    }
}

pub(super) const fn gate_event(name: &'static str, seconds: u64) -> Event {
    Event { gates: true, ..observer_event(name, seconds) }
}

pub(super) const fn tool_gate_event(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..gate_event(name, seconds) }
}

pub(super) const fn observer_event(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: false, tool: false, since: None, open_before: "" }
}

pub(super) const fn tool_observer_event(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..observer_event(name, seconds) }
}

pub(super) const fn env_file(below: Below, file: &'static str) -> EnvFile {
    EnvFile { below, file, overrides: false }
}

pub(super) const fn overriding_env_file(below: Below, file: &'static str) -> EnvFile {
    EnvFile { below, file, overrides: true }
}
