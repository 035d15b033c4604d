//! How to register hooks with an agent: the format of its files and events. Types only.
//!
//! The text written from these values never changes between versions (BR-62): an agent that trusts
//! hooks by their text would drop them.

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

/// The format of an agent's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An object `hooks` with a list of groups for each event, in a file with other settings.
    Groups,
    /// The same object as in [`Form::Groups`], in a file that only Tenterhook writes.
    OwnGroups,
    /// A list `hooks` of TOML tables, in a file with the entries of others.
    Tables,
    /// A list of entries for each event, in a file that only Tenterhook writes.
    OwnFlat,
    /// A shell script for each event, with the event's name.
    Scripts,
    /// One JavaScript file that the agent loads as a module.
    Plugin,
    /// A YAML file that others also write, whose key `hooks` holds a list of entries for each event.
    Yaml,
}

impl Form {
    /// Returns whether the user and others write the file, too.
    #[must_use]
    pub const fn is_shared_file(self) -> bool {
        matches!(self, Self::Groups | Self::Tables | Self::Yaml)
    }
}

/// The value of a key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// This text.
    Text(&'static str),
    /// `true`.
    True,
}

/// The path to a boolean in an agent's settings that applies to all hooks, and the value that
/// disables them. If there is a list, it is `true` if it excludes the file of the installation.
pub type Key = (&'static [&'static str], bool);

/// The path of an agent's config file.
#[derive(Clone, Copy, Debug)]
pub struct ConfigPath {
    /// The configuration that it belongs to.
    pub scope: Scope,
    /// The path: relative to the agent's home or to the project, or absolute.
    pub path: &'static str,
}

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

/// A settings file that lists the plugins which an agent loads. Each value is the path of a key.
#[derive(Clone, Copy, Debug)]
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

/// How to register hooks with an agent: its files, their format, and the gaps that remain.
#[derive(Clone, Copy, Debug)]
pub struct Installation {
    /// Directories in the user's home that exist if the agent was used.
    pub seen: &'static [&'static str],
    /// The variable that overrides the directory of its user files.
    pub home_variable: Option<&'static str>,
    /// The default directory of its user files, relative to the user's home.
    pub home: &'static str,
    /// Its config files.
    pub places: &'static [ConfigPath],
    /// The format of its config files.
    pub form: Form,
    /// The part of the file of [`Form::Plugin`] that registers with the agent.
    pub plugin: &'static str,
    /// The key of the object that holds the events in its file; empty if the root holds them.
    pub wrapper: &'static str,
    /// The events whose lists hold groups, if the lists of the others hold the entries directly.
    pub grouped: Option<&'static [&'static str]>,
    /// The value of the key `type` of an entry, if its entries have that key.
    pub entry_type: Option<&'static str>,
    /// The other files of the plugin, with their names. If there are any, the config path is their
    /// folder, and the plugin is `index.js` in it.
    pub beside_plugin: &'static [(&'static str, &'static str)],
    /// The file that lists the plugins which the agent loads, if it loads no others.
    pub plugin_list: Option<PluginList>,
    /// What a gate prints if the program is missing, if the agent runs no shell and exit codes deny
    /// nothing: `@REASON@` stands for the reason.
    pub printed_denial: Option<&'static str>,
    /// Whether it accepts comments in them.
    pub comments: bool,
    /// Whether it reads JSON as JavaScript does (C-87).
    pub javascript: bool,
    /// Whether its files are JSON5.
    pub json5: bool,
    /// Whether it accepts a byte order mark before them.
    pub mark: bool,
    /// Whether it rejects the whole file if the matcher of a group is a list.
    pub lone_matchers: bool,
    /// Whether it refuses the whole file for one value of a known key (BR-102).
    pub checks_values: bool,
    /// The only keys that the root of its file may have; empty if it may have any.
    pub roots: &'static [&'static str],
    /// The events that are registered.
    pub events: &'static [Event],
    /// The key of a timeout in an entry, and how many of its units are a second; empty if an entry
    /// has no timeout.
    pub time: (&'static str, u64),
    /// The key and value with which the agent itself denies if a gate gives no answer.
    pub closed: Option<(&'static str, EntryValue)>,
    /// Whether exit code 2 is the only denial, so that our replies end with it, too.
    pub denies_by_exit: bool,
    /// Whether the agent appends the event to a command line as a here-document. Only the last
    /// command of the line reads it, so the line is one command.
    pub sends_here_document: bool,
    /// The number that the agent requires under `version` at the root of a file of hooks.
    pub file_version: Option<u64>,
    /// Whether the agent cuts everything from `//` to the end of a line, also within a text.
    pub cuts_at_slashes: bool,
    /// The user file in which the agent stores approvals, if it runs only approved hooks.
    pub approvals: Option<&'static str>,
    /// Whether `install` enters its own hooks there.
    pub enters_approvals: bool,
    /// The keys of its settings that disable hooks, each with the value that does.
    pub switches: &'static [Key],
    /// Files that `install` does not write and that disable its hooks, the strongest first.
    pub switches_elsewhere: &'static [SwitchFile],
    /// The organization's switch that allows only managed hooks.
    pub only_managed: Option<SwitchFile>,
    /// Whether no other file can disable the organization's hooks.
    pub managed_stays: bool,
    /// The settings that `install` writes beside managed entries, so that users' files disable or
    /// silence them less.
    pub managed_settings: &'static [Key],
    /// What the organization can write by hand so that users cannot disable its hooks, as a clause.
    pub pin_by_hand: Option<&'static str>,
    /// Whether `install` can write a guard against everything that silences its hooks.
    pub has_guard: bool,
    /// The matcher that is written for tool events.
    pub matcher: Option<&'static str>,
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
        places: &[],
        form: Form::Groups,
        plugin: "",
        wrapper: "hooks",
        grouped: None,
        entry_type: Some("command"),
        beside_plugin: &[],
        plugin_list: None,
        printed_denial: None,
        comments: false,
        javascript: false,
        json5: false,
        mark: false,
        lone_matchers: false,
        checks_values: false,
        roots: &[],
        events: &[],
        time: ("", 1),
        closed: None,
        denies_by_exit: false,
        sends_here_document: false,
        file_version: None,
        cuts_at_slashes: false,
        approvals: None,
        enters_approvals: false,
        switches: &[],
        switches_elsewhere: &[],
        only_managed: None,
        managed_stays: false,
        managed_settings: &[],
        pin_by_hand: None,
        has_guard: false,
        matcher: None,
        gone: "",
        unhooked: &[],
        gaps: &[],
        switch_gaps: &[],
        next: "",
    };

    /// Returns `true` if the list of an event holds groups, each with its entries.
    #[must_use]
    pub fn has_groups(&self, event: &str) -> bool {
        self.grouped.is_none_or(|grouped| grouped.contains(&event))
    }

    /// The file with the user's approvals of hooks in that scope; `None` if they need no approval.
    /// Managed hooks need none (Codex CLI 0.169.0 runs them unasked).
    #[must_use]
    pub fn approvals_file(&self, scope: Scope) -> Option<&'static str> {
        self.approvals.filter(|_| scope != Scope::Managed)
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

pub(super) const fn new_config_path(scope: Scope, path: &'static str) -> ConfigPath {
    ConfigPath { scope, path }
}
