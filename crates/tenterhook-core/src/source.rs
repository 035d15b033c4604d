//! One config text, as given, and the result of reading it. Values only.
//!
//! `dialect` reads sources; `config` combines them into one ruleset.

mod flaw;
mod record;
mod server;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Location};
use crate::event::EventName;
use crate::hook::named::DialectId;
use crate::hook::row::EventRow;
use crate::hook::{Compat, Hook, Layer, OnFailure, Prewarm, Sandbox};

pub use flaw::{Completeness, Flaw, Lost};
pub use record::{Content, RecordTable, SystemLog};
pub use record::{KEEP_DAYS, MAX_BYTES};
pub use server::{Reach, Server, ServerVariables};

/// One text that configures hooks.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name for people, usually its path.
    pub name: Arc<str>,
    /// The dialect of its format.
    pub dialect: DialectId,
    /// The layer that it belongs to.
    pub layer: Layer,
    /// The text.
    pub text: Arc<str>,
    /// The directory that the file is in.
    pub directory: PathBuf,
    /// The project that relative rules and commands mean.
    pub project: PathBuf,
    /// Where the agent stood when the file was found, where that is not its project (C-100).
    pub found_from: Option<PathBuf>,
    /// The home that `~` means; empty where the caller named none.
    pub home: PathBuf,
    /// The plugin that it belongs to.
    pub plugin: Option<Plugin>,
    /// How strictly the dialect is followed.
    pub compat: Compat,
    /// What happens when a gate of this source gives no answer and says nothing itself.
    pub on_failure: Option<OnFailure>,
    /// Why the text is not all that the file holds, where it is not (C-70).
    pub flaw: Option<Flaw>,
    /// The settings file that its hooks were moved from (BR-75): statements about that file apply
    /// to them, too.
    pub moved_from: Option<PathBuf>,
    /// The reason for reading it, which decides how much of it applies.
    pub standing: Standing,
}

/// The reason for reading a source, which decides how much of it applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Its agent reads it in the working directory: all of it applies.
    #[default]
    Usual,
    /// A variable moved the user's own files there: its statements do not bind hooks of the
    /// account's home (C-94).
    Moved,
    /// It lies in the home of the user's account, and variables name a different home (C-94).
    Account,
    /// It is of a project that the session left: its gates alone apply (BR-19).
    Left,
}

/// The directory of entries that were moved away from agents, with one file for each agent, among
/// the user's files (BR-75).
pub const ADOPTED: &str = "adopted";

impl Source {
    /// Returns true if it is a managed file that users other than root can write, and so has no
    /// effect (C-89).
    pub fn is_writable_by_others(&self) -> bool {
        self.flaw.as_ref().is_some_and(|flaw| flaw.untrusted.is_some())
    }

    /// Returns true if the file exists and no part of it could be read.
    pub fn is_unreadable(&self) -> bool {
        self.flaw.as_ref().is_some_and(|flaw| flaw.kept == Completeness::Nothing)
    }

    /// Returns true if the file was approved and no longer exists (T-70).
    pub fn is_missing_since_approval(&self) -> bool {
        self.flaw.as_ref().is_some_and(|flaw| flaw.kept == Completeness::Gone)
    }

    /// Returns the same source with a different text, which is treated as read completely.
    pub fn with_text(&self, text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), flaw: None, ..self.clone() }
    }

    /// Returns true if the file is being saved, so that its text may be incomplete (C-93).
    pub fn is_being_saved(&self) -> bool {
        self.flaw.as_ref().is_some_and(|flaw| flaw.kept == Completeness::Saving)
    }

    /// Returns the directory from which the file was found. Its settings apply to the files found
    /// from the same directory (BR-98).
    #[must_use]
    pub fn found_from_directory(&self) -> &Path {
        self.found_from.as_ref().unwrap_or(&self.project)
    }

    /// Returns true if the file holds entries that were moved out of an agent's settings.
    pub(crate) fn holds_moved_entries(&self) -> bool {
        self.layer == Layer::User && self.directory.ends_with(Path::new("tenterhook").join(ADOPTED))
    }

    /// Creates a source from a text of the caller: guarded, in no plugin, and its project is
    /// `directory`.
    #[must_use]
    pub fn from_text(
        name: &str,
        dialect: DialectId,
        text: &str,
        directory: impl Into<PathBuf>,
    ) -> Self {
        let directory = directory.into();
        Self {
            name: name.into(),
            dialect,
            layer: Layer::Given,
            text: text.into(),
            project: directory.clone(),
            found_from: None,
            directory,
            home: PathBuf::new(),
            plugin: None,
            compat: Compat::Guarded,
            on_failure: None,
            flaw: None,
            moved_from: None,
            standing: Standing::Usual,
        }
    }
}

/// The plugin that a source belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// Where it is installed: `${CLAUDE_PLUGIN_ROOT}`.
    pub root: PathBuf,
    /// Where it keeps its data: `${CLAUDE_PLUGIN_DATA}`.
    pub data: PathBuf,
}

/// A statement of a source about more than one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// No hook runs but managed ones; from a managed source, none at all.
    DisableAll,
    /// Cancels a `DisableAll` of a weaker layer.
    EnableAll,
    /// Only managed hooks run.
    ManagedOnly(Whose),
    /// Gates of a repository block what they match until the user approves them, for any agent
    /// (T-13).
    HoldUnapproved,
    /// The hook of this name (native) is off.
    DisableHook {
        /// Its name.
        name: String,
        /// The location of the key.
        place: Option<Location>,
    },
    /// `mode` or `enabled = true` for the hook of this name (native), in an entry without a hook. It
    /// has no effect (C-50).
    AdjustHook {
        /// Its name.
        name: String,
        /// The keys, as they are shown.
        keys: &'static str,
        /// The location of the key.
        place: Option<Location>,
    },
    /// Only a managed source puts a hook into shadow (SH-3).
    NoShadow,
    /// Rules for the hooks of another source.
    Govern(Govern),
    /// An allowlist for the `http` hooks of this dialect (C-19).
    Requests {
        /// The subject of the list.
        about: Requests,
        /// Its items.
        allowed: Vec<String>,
        /// Its location.
        place: Option<Location>,
    },
}

/// The hooks that an organization's setting applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The hooks of every dialect.
    All,
    /// Those of the dialect of its file.
    Own,
}

impl Switch {
    /// Returns the location of the switch, if known.
    #[must_use]
    pub const fn location(&self) -> Option<&Location> {
        match self {
            Self::DisableHook { place, .. } | Self::AdjustHook { place, .. } => place.as_ref(),
            Self::Requests { place, .. } => place.as_ref(),
            Self::Govern(govern) => govern.place.as_ref(),
            Self::DisableAll
            | Self::EnableAll
            | Self::ManagedOnly(_)
            | Self::HoldUnapproved
            | Self::NoShadow => None,
        }
    }
}

/// The part of a request that an allowlist is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// URLs, with `*` for anything.
    Urls,
    /// Variables that headers may name.
    Variables,
}

impl Requests {
    /// Returns the key that holds the list.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Urls => "allowedHttpHookUrls",
            Self::Variables => "httpHookAllowedEnvVars",
        }
    }
}

/// The settings in one source for another file's hooks: `[source."~/.claude/settings.json"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Govern {
    /// The file, with `~` and relative paths already resolved.
    pub file: PathBuf,
    /// What a missing answer of its gates means.
    pub on_failure: Option<OnFailure>,
    /// What becomes of the tool calls that it might gate while it cannot be read.
    pub on_broken: Option<OnFailure>,
    /// How strictly its dialect is followed.
    pub compat: Option<Compat>,
    /// Whether its hooks run.
    pub enabled: Option<bool>,
    /// The sandbox of its hooks.
    pub sandbox: Sandbox,
    /// Whether the next process of its commands is started before it is needed.
    pub prewarm: Option<Prewarm>,
    /// Whether its hooks enforce or run in shadow.
    pub mode: Option<ModeWord>,
    /// The location of the key.
    pub place: Option<Location>,
}

impl Govern {
    /// Returns the settings, each as it is written in the file.
    #[must_use]
    pub fn settings(&self) -> Vec<String> {
        let mode = self.mode.as_ref().map(|mode| if mode.shadow { "shadow" } else { "enforce" });
        let compat = self.compat.map(|compat| match compat {
            Compat::Exact => "exact",
            Compat::Guarded => "guarded",
        });
        let texts = [
            ("on_failure", self.on_failure.map(OnFailure::as_str)),
            ("on_broken", self.on_broken.map(OnFailure::as_str)),
            ("compat", compat),
            ("mode", mode),
        ];
        let texts =
            texts.into_iter().filter_map(|(key, word)| Some(format!("{key} = \"{}\"", word?)));
        let enabled = self.enabled.map(|enabled| format!("enabled = {enabled}"));
        let sandbox = (self.sandbox != Sandbox::Unsaid).then(|| "`sandbox`".to_owned());
        let prewarm = self.prewarm.map(|_| "`prewarm`".to_owned());
        texts.chain(enabled).chain(sandbox).chain(prewarm).collect()
    }

    /// Returns true if the settings apply to the hooks of a source: the file is the source itself,
    /// or the one that its hooks were moved from (BR-78).
    pub(crate) fn applies_to_source(&self, source: &Source) -> bool {
        Path::new(&*source.name) == self.file || source.moved_from.as_ref() == Some(&self.file)
    }
}

/// The mode of hooks: `mode = "shadow"` or `mode = "enforce"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeWord {
    /// Whether they do not.
    pub shadow: bool,
    /// Its name.
    pub place: Location,
}

/// The settings in one source for the rules that protect an agent's guard: `[protect]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protect {
    /// Parts of a guard that an agent may change all the same, as patterns of paths; `None` where
    /// the file has no such list.
    pub writable: Option<Vec<String>>,
    /// Whether the user may pause the rules.
    pub pause: Option<bool>,
    /// Whether the rules enforce or run in shadow.
    pub mode: Option<ModeWord>,
    /// The location of the key.
    pub place: Option<Location>,
}

/// The result of reading one source.
#[derive(Clone, Debug, Default)]
pub struct ReadConfig {
    /// Its hooks, in the order of the file.
    pub hooks: Vec<Hook>,
    /// Its statements about more than one hook.
    pub switches: Vec<Switch>,
    /// Events that it says anything about, an empty list included: some dialects replace by event.
    pub mentions: Vec<EventName>,
    /// Custom events that it declares.
    pub events: Vec<EventRow>,
    /// The MCP servers that it configures.
    pub servers: Vec<Server>,
    /// The modules that it makes its agent load, which could silence every hook (BR-81).
    pub modules: Vec<String>,
    /// Its settings of the record.
    pub record: RecordTable,
    /// Where each key of that stands.
    pub record_places: Vec<(String, Location)>,
    /// Its settings of the built-in rules that protect an agent's guard.
    pub protect: Option<Protect>,
    /// The keys whose signatures arm what they signed (T-50).
    pub keys: Vec<String>,
    /// The problem.
    pub diagnostics: Vec<Diagnostic>,
    /// The text is not well formed: on reload the last good hooks of this source stay (C-3).
    pub unreadable: bool,
    /// What of it could not be read, even entry by entry: what that might gate is held (C-72).
    pub lost: Option<Lost>,
}
