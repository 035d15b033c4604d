//! What an agent's hook file holds: `install` adds entries to it, `convert` writes one, and both read
//! these values. Types only.

use super::Event;
use crate::syntax::{Format, NotStrict};

/// A file in which an agent looks for hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookFile {
    /// The path of a converted file, below a project; below a home if the agent reads none of a
    /// project.
    pub path: &'static str,
    /// How its entries are arranged.
    pub layout: Layout,
    /// The keys of an entry, by what they say. What has no key cannot be said.
    pub keys: &'static [(Field, &'static str)],
}

impl HookFile {
    /// Returns the key that says this.
    #[must_use]
    pub fn key(&self, field: Field) -> Option<&'static str> {
        self.keys.iter().find(|(known, _)| *known == field).map(|(_, key)| *key)
    }

    /// Returns the key of the type of an entry, be it required or not.
    #[must_use]
    pub fn type_key(&self) -> Option<&'static str> {
        self.key(Field::Type).or_else(|| self.key(Field::DefaultType))
    }

    /// Returns the key of the timeout, and how many of its units are a second.
    #[must_use]
    pub fn timeout(&self) -> Option<(&'static str, u32)> {
        let seconds = self.key(Field::Seconds).map(|key| (key, 1));
        seconds.or_else(|| Some((self.key(Field::Milliseconds)?, 1000)))
    }

    /// Returns the key and value with which the agent itself denies if a gate gives no answer.
    #[must_use]
    pub fn closed(&self) -> Option<(&'static str, EntryValue)> {
        self.keys.iter().find_map(|(field, key)| match field {
            Field::Closed(value) | Field::ClosedForTools(value) => Some((*key, *value)),
            _ => None,
        })
    }

    /// Returns the same for an event of these.
    #[must_use]
    pub fn closed_of_event(&self, event: &Event) -> Option<(&'static str, EntryValue)> {
        let mut fields = self.keys.iter().map(|(field, _)| field);
        let is_for_tools = fields.any(|field| matches!(field, Field::ClosedForTools(_)));
        self.closed().filter(|_| event.gates && (event.tool || !is_for_tools))
    }
}

/// How the entries of a file are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// JSON, with a list for each event.
    Json(JsonFile),
    /// JSON: below `hooks`, a list of entries, which name their events and have an `action`.
    Actions,
    /// TOML, with a table `[[hooks]]` for each entry, which names its event.
    Tables {
        /// Whether the agent is known to read what only TOML 1.1 permits.
        is_1_1: bool,
    },
    /// YAML: below `hooks`, each event has a list of entries.
    Yaml,
}

/// What a JSON file with a list for each event may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonFile {
    /// Its syntax.
    pub syntax: Syntax,
    /// The only keys that its root may have; empty if it may have any.
    pub root_keys: &'static [&'static str],
    /// What holds the events.
    pub wrapper: Wrapper,
    /// What the lists of its events hold.
    pub lists: EventLists,
    /// Whether the agent refuses the whole file for one value of a known key (BR-102), such as a
    /// list of matchers.
    pub checks_values: bool,
    /// Whether the agent ignores the case of keys below the root, so that `Enabled` is `enabled`.
    pub ignores_case: bool,
}

impl JsonFile {
    /// The most common rules.
    pub const USUAL: Self = Self {
        syntax: Syntax::Json(&[]),
        root_keys: &[],
        wrapper: Wrapper::Hooks { version: None },
        lists: EventLists::Groups,
        checks_values: false,
        ignores_case: false,
    };

    /// Returns `true` if the list of an event holds groups, each with its entries.
    #[must_use]
    pub fn has_groups(&self, event: &str) -> bool {
        match self.lists {
            EventLists::Groups => true,
            EventLists::Entries => false,
            EventLists::GroupsOf(events) => events.contains(&event),
        }
    }

    /// Returns the number that the agent requires under `version` at the root.
    #[must_use]
    pub const fn version(&self) -> Option<u64> {
        match self.wrapper {
            Wrapper::Hooks { version } => version,
            Wrapper::Name | Wrapper::Root => None,
        }
    }
}

/// The syntax of an agent's JSON file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON with these deviations.
    Json(&'static [NotStrict]),
    /// JSON with comments, where `//` and `/*` begin a comment also within a text.
    CommentsInTexts,
    /// JSON5.
    Json5,
}

impl Syntax {
    /// The format to parse it with.
    #[must_use]
    pub const fn format(self) -> Format {
        match self {
            Self::Json(_) | Self::CommentsInTexts => Format::Json,
            Self::Json5 => Format::Json5,
        }
    }

    /// Returns `true` if the agent accepts this deviation from strict JSON.
    #[must_use]
    pub fn accepts(self, deviation: NotStrict) -> bool {
        match self {
            Self::Json(accepted) => accepted.contains(&deviation),
            Self::CommentsInTexts => deviation == NotStrict::Comment,
            Self::Json5 => false,
        }
    }
}

/// What holds the events of a JSON file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// The key `hooks`, beside the `version` that the agent requires, if any.
    Hooks {
        /// The version.
        version: Option<u64>,
    },
    /// A key that names some hooks; others have other names.
    Name,
    /// The root.
    Root,
}

impl Wrapper {
    /// Returns its key, if hooks that need a name get this one.
    #[must_use]
    pub const fn key(self, name: &'static str) -> Option<&'static str> {
        match self {
            Self::Hooks { .. } => Some("hooks"),
            Self::Name => Some(name),
            Self::Root => None,
        }
    }
}

/// What the list of an event holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventLists {
    /// Groups: a matcher, and a list of entries.
    Groups,
    /// Entries.
    Entries,
    /// Groups for these events, entries for the others.
    GroupsOf(&'static [&'static str]),
}

/// What a key of an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The type: `command`, `http`, `prompt` or `mcp_tool`.
    Type,
    /// The same, if the agent reads an entry without it as a command. Only `install` writes it.
    DefaultType,
    /// The name of the entry, which no other entry has.
    Name,
    /// The event, in a file without lists of events.
    Event,
    /// The matcher.
    Matcher,
    /// The line for a shell.
    Line,
    /// The program and its arguments.
    Argv,
    /// The arguments of the program in the line, which no shell reads then.
    Args,
    /// The time that it may take, in seconds.
    Seconds,
    /// The time that it may take, in milliseconds.
    Milliseconds,
    /// That a missing answer of a gate denies, with this value.
    Closed(EntryValue),
    /// The same, for an agent that applies it only to events about tools.
    ClosedForTools(EntryValue),
    /// Variables.
    Env,
    /// The directory in which it starts.
    Cwd,
    /// The text that is shown while it runs.
    Status,
    /// That it runs once in a session.
    Once,
    /// That the event does not wait for it.
    Background,
    /// The same, and that a denial wakes the agent.
    Wake,
    /// A condition on the call, as a rule.
    Condition,
    /// The address of a request, its headers, and the variables that these may name.
    Url,
    /// The question to a model.
    Prompt,
    /// The server and tool of a call.
    Server,
}

/// The value of a key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// This text.
    Text(&'static str),
    /// `true`.
    True,
}

impl From<EntryValue> for serde_json::Value {
    fn from(value: EntryValue) -> Self {
        match value {
            EntryValue::Text(text) => text.into(),
            EntryValue::True => true.into(),
        }
    }
}
