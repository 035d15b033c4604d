//! How is an agent made to call? The form of its files and events. Types; decide nothing.
//!
//! What is written from these values never changes between versions (BR-62): an agent that trusts hooks by their text would
//! lose them.

use crate::event::tool::Tool;

/// Whose configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's own, for all projects.
    User,
    /// The project's.
    Project,
    /// The organisation's.
    Managed,
}

/// What a file of an agent looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An object `hooks` with a list of groups an event, in a file that holds other things, too.
    Groups,
    /// The same in a file of ours.
    OwnGroups,
    /// A list of entries an event, in a file of ours.
    OwnFlat,
    /// A shell script of ours for each event, by its name.
    Scripts,
    /// One JavaScript file.
    Plugin,
}

/// A path of names to a boolean in an agent's settings that is about all hooks, and the value that switches them off.
pub type Key = (&'static [&'static str], bool);

/// Where a file stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Whose it is.
    pub scope: Scope,
    /// Its path: below the agent's home, below the project, or full.
    pub path: &'static str,
}

/// An event for which the agent calls.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The agent's own name for it.
    pub name: &'static str,
    /// The time-out that is written, in seconds.
    pub seconds: u64,
    /// Whether something is at stake, so that no answer restrains.
    pub gates: bool,
    /// Whether it is about tools, so that a matcher is written where the agent wants one.
    pub tool: bool,
    /// The first version of the agent that has it, and the settings key that closes before it what the event is about; nothing
    /// where every version has it.
    pub since: Option<(&'static str, Key)>,
    /// What the agent leaves open in a version that lacks it.
    pub open_before: &'static str,
}

/// A tool whose own calls go past hooks: what holds it back is a question before it runs.
#[derive(Clone, Copy, Debug)]
pub struct Unhooked {
    /// What the tool does.
    pub tool: Tool,
    /// What that leaves open.
    pub gap: &'static str,
    /// The pack of rules that asks.
    pub pack: &'static str,
}

/// Below which directory a file stands.
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
    /// What its path begins at.
    pub below: Below,
    /// Its path.
    pub file: &'static str,
    /// Where the switch stands in it, and the value that switches off.
    pub key: Key,
}

/// How an agent is made to call: where it reads hooks, in which form, and what it leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Installation {
    /// Directories below the person's home that say it was used here.
    pub seen: &'static [&'static str],
    /// The variable that moves the directory in which its user files are.
    pub home_variable: Option<&'static str>,
    /// That directory below the person's home.
    pub home: &'static str,
    /// Its files.
    pub places: &'static [Place],
    /// What they look like.
    pub form: Form,
    /// Whether it takes comments in them.
    pub comments: bool,
    /// Whether it reads JSON as JavaScript does (C-87).
    pub javascript: bool,
    /// Whether it takes a byte order mark before them.
    pub mark: bool,
    /// Whether it rejects the whole file for a list where the matcher of a group belongs.
    pub lone_matchers: bool,
    /// Whether it refuses the whole file for one value of a known key (BR-102).
    pub checks_values: bool,
    /// The only keys that the root of its file may have; empty where any may.
    pub roots: &'static [&'static str],
    /// For which events it calls.
    pub events: &'static [Event],
    /// The key of a time-out in an entry, and how many of its units are a second.
    pub time: (&'static str, u64),
    /// The key and value with which the agent itself restrains where a gate gives no answer.
    pub closed: Option<(&'static str, &'static str)>,
    /// The file beside the user's in which the agent keeps what the person approved, where it runs nothing else.
    pub approvals: Option<&'static str>,
    /// The keys of its settings that switch hooks off, each with the value that does.
    pub switches: &'static [Key],
    /// Files that `install` does not write and that switch its hooks off, the strongest first.
    pub switches_elsewhere: &'static [SwitchFile],
    /// The organisation's word for: no hooks but its own.
    pub only_managed: Option<SwitchFile>,
    /// Whether no other file switches off hooks of the organisation.
    pub managed_stays: bool,
    /// Whether it is known what closes the places from which its hooks are silenced.
    pub has_guard: bool,
    /// What is written as matcher of tool events.
    pub matcher: Option<&'static str>,
    /// What would happen to tool calls if our program were gone.
    pub gone: &'static str,
    /// Tools whose own calls it does not put before hooks.
    pub unhooked: &'static [Unhooked],
    /// What else it does not put before hooks.
    pub gaps: &'static [&'static str],
    /// What the person does next.
    pub next: &'static str,
}

impl Installation {
    /// That of an agent that cannot be made to call, from which the others differ.
    pub const NONE: Self = Self {
        seen: &[],
        home_variable: None,
        home: "",
        places: &[],
        form: Form::Groups,
        comments: false,
        javascript: false,
        mark: false,
        lone_matchers: false,
        checks_values: false,
        roots: &[],
        events: &[],
        time: ("", 1),
        closed: None,
        approvals: None,
        switches: &[],
        switches_elsewhere: &[],
        only_managed: None,
        managed_stays: false,
        has_guard: false,
        matcher: None,
        gone: "",
        unhooked: &[],
        gaps: &[],
        next: "",
    };

    /// The file in which the person's approvals of what is written in that scope are kept; nothing where none is asked for. What the
    /// organisation writes needs none (Codex CLI 0.169.0 runs it unasked).
    #[must_use]
    pub fn approvals_of(&self, scope: Scope) -> Option<&'static str> {
        self.approvals.filter(|_| scope != Scope::Managed)
    }
}

pub(super) const fn gate(name: &'static str, seconds: u64) -> Event {
    Event { gates: true, ..observer(name, seconds) }
}

pub(super) const fn tool_gate(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..gate(name, seconds) }
}

pub(super) const fn observer(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: false, tool: false, since: None, open_before: "" }
}

pub(super) const fn tool_observer(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..observer(name, seconds) }
}

pub(super) const fn place(scope: Scope, path: &'static str) -> Place {
    Place { scope, path }
}
