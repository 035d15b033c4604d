//! Which hooks there are: layers of sources into one ruleset, with all diagnostics at once. Pure: opens no file.
//!
//! A bad entry is rejected alone and loudly, its siblings live (C-1).

mod names;
mod repeats;
mod requests;
pub mod ruleset;
mod server;
mod switches;

use std::path::PathBuf;
use std::sync::Arc;

pub use ruleset::{Mode, Ruleset, Stage};
pub use server::{Reach, Server, settle as settle_servers};

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::dialect::{DIALECTS, DialectId, EventRow};
use crate::event::EventName;
use crate::hook::{Arming, Compat, Hook, Layer, OnFailure, Prewarm};
use repeats::drop_repeats;
use switches::apply_switches;

#[cfg(test)]
mod tests;

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

/// One text that configures hooks.
#[derive(Clone, Debug)]
pub struct Source {
    /// What people call it, usually its path.
    pub name: Arc<str>,
    /// Whose format it is in.
    pub dialect: DialectId,
    /// Whose configuration it is.
    pub layer: Layer,
    /// The text.
    pub text: Arc<str>,
    /// The directory that the file is in.
    pub directory: PathBuf,
    /// The project that relative rules and commands mean.
    pub project: PathBuf,
    /// The home that `~` means; empty where the caller named none.
    pub home: PathBuf,
    /// The plugin that it belongs to.
    pub plugin: Option<Plugin>,
    /// How strictly the dialect is followed.
    pub compat: Compat,
    /// What happens when a gate of this source gives no answer and says nothing itself.
    pub on_failure: Option<OnFailure>,
}

impl Source {
    /// A source given by the caller, guarded, in no plugin, whose project is its directory.
    #[must_use]
    pub fn given(
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
            directory,
            home: PathBuf::new(),
            plugin: None,
            compat: Compat::Guarded,
            on_failure: None,
        }
    }
}

/// A statement of a source about more than one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// No hook runs but managed ones; from a managed source, none at all.
    DisableAll,
    /// Takes back a `DisableAll` of a weaker layer.
    EnableAll,
    /// Only managed hooks run.
    ManagedOnly,
    /// The hook of this name (native) is off.
    DisableHook {
        /// Its name.
        name: String,
        /// Where that is said.
        place: Option<Place>,
    },
    /// Rules for the hooks of another source.
    Govern(Govern),
    /// What `http` hooks of this dialect may do, a list of theirs (C-19).
    Requests {
        /// What the list is about.
        about: Requests,
        /// Its items.
        allowed: Vec<String>,
        /// Where it stands.
        place: Option<Place>,
    },
}

/// What of a request a list allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// URLs, with `*` for anything.
    Urls,
    /// Variables that headers may name.
    Variables,
}

/// What one source says about another file's hooks: `[source."~/.claude/settings.json"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Govern {
    /// The file, with `~` and relative paths already resolved.
    pub file: PathBuf,
    /// What happens when its gates give no answer.
    pub on_failure: Option<OnFailure>,
    /// How strictly its dialect is followed.
    pub compat: Option<Compat>,
    /// Whether its hooks run.
    pub enabled: Option<bool>,
    /// Whether the next process of its commands is started before it is needed.
    pub prewarm: Option<Prewarm>,
    /// Where that is said.
    pub place: Option<Place>,
}

impl Switch {
    /// Where it is said, if that is known.
    #[must_use]
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Self::DisableHook { place, .. } => place.as_ref(),
            Self::Requests { place, .. } => place.as_ref(),
            Self::Govern(govern) => govern.place.as_ref(),
            Self::DisableAll | Self::EnableAll | Self::ManagedOnly => None,
        }
    }
}

/// What a dialect read from one source.
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
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The text could not be read at all: on reload the last good hooks of this source stay (C-3).
    pub unreadable: bool,
}

/// What the host itself adds: hooks and events that no file configures.
#[derive(Clone, Debug, Default)]
pub struct Added {
    /// Hooks, in order.
    pub hooks: Vec<Hook>,
    /// Custom events.
    pub events: Vec<EventRow>,
}

/// A ruleset with everything that there is to say about how it came to be.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The hooks.
    pub ruleset: Ruleset,
    /// What is wrong with the sources, in the order of the sources.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads `sources`, in the order in which the host names them, into one ruleset.
///
/// `added` comes after all of them. `last` is the ruleset that is replaced: a source that can no longer be read keeps the
/// hooks it had there.
#[must_use]
pub fn load(sources: &[Source], added: &Added, last: Option<&Ruleset>) -> Loaded {
    let mut diagnostics = Vec::new();
    let mut read: Vec<(Source, ReadConfig)> = Vec::new();
    let mut as_read = Vec::new();
    for source in sources {
        let mut config = source.dialect.dialect().read_config(source);
        if config.unreadable {
            keep_last_good(source, &mut config, last);
        }
        diagnostics.append(&mut config.diagnostics);
        as_read.push((Arc::clone(&source.name), config.clone()));
        read.push((source.clone(), config));
    }
    put_last(&mut read);
    settle_layers(&mut read);
    diagnostics.extend(apply_switches(&mut read));
    diagnostics.extend(names::unmet(&read));
    names::set_apart(&mut read);
    drop_repeats(&mut read);
    let declared = read.iter_mut().flat_map(|(_, config)| std::mem::take(&mut config.events));
    let events = first_declared(added.events.iter().cloned().chain(declared), &mut diagnostics);
    let declared = read.iter_mut().flat_map(|(_, config)| std::mem::take(&mut config.servers));
    let servers = server::settle(declared, &mut diagnostics);
    let configured = read.into_iter().flat_map(|(_, config)| config.hooks);
    let hooks = configured.chain(added.hooks.iter().cloned()).collect();
    let ruleset = Ruleset::new(hooks, events).remember(as_read).with_servers(servers);
    Loaded { ruleset, diagnostics }
}

/// Moves the sources of a dialect that come last to the end of its own, so that no other dialect's place changes.
fn put_last(read: &mut Vec<(Source, ReadConfig)>) {
    for dialect in DIALECTS {
        let own: Vec<usize> = (0..read.len())
            .filter(|at| read.get(*at).is_some_and(|(source, _)| source.dialect == dialect.id()))
            .collect();
        let last = |at: &usize| read.get(*at).is_some_and(|(it, _)| dialect.runs_last(it.layer));
        let mut order = own.clone();
        order.sort_by_key(last);
        if order == own {
            continue;
        }
        let mut places: Vec<usize> = (0..read.len()).collect();
        for (to, from) in own.iter().zip(&order) {
            if let Some(place) = places.get_mut(*to) {
                *place = *from;
            }
        }
        let mut taken: Vec<Option<_>> = std::mem::take(read).into_iter().map(Some).collect();
        read.extend(places.iter().filter_map(|at| taken.get_mut(*at).and_then(Option::take)));
    }
}

/// Lets each dialect say what its layers do to each other.
fn settle_layers(read: &mut [(Source, ReadConfig)]) {
    for dialect in DIALECTS {
        let layers = read.iter_mut().filter(|(source, _)| source.dialect == dialect.id());
        let mut layers: Vec<_> = layers.map(|(source, config)| (&*source, config)).collect();
        dialect.settle_layers(&mut layers);
    }
}

/// E-6: the first declaration of an event stands, the host's before all; and none replaces what a dialect says of it.
/// Otherwise a repository could take an event's gates away by declaring it anew.
fn first_declared(
    rows: impl Iterator<Item = EventRow>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<EventRow> {
    let mut kept: Vec<EventRow> = Vec::new();
    for row in rows {
        let event = EventName::new(&*row.event);
        let known = DIALECTS.iter().any(|dialect| dialect.row(&event).is_some());
        let first = kept.iter().find(|it| it.event == row.event);
        if !known && first.is_none() {
            kept.push(row);
        } else if known || first != Some(&row) {
            let message = format!("`{event}` is declared already; this declaration is ignored");
            diagnostics.push(Diagnostic::new(
                "event-declared-twice",
                Severity::Warning,
                message,
                None,
            ));
        }
    }
    kept
}

/// C-3: a guard must not vanish because somebody is in the middle of an edit. What is kept is the source as it was read,
/// with its switches and events and before the switches of others: those are applied anew.
fn keep_last_good(source: &Source, config: &mut ReadConfig, last: Option<&Ruleset>) {
    let Some(kept) = last.and_then(|last| last.as_read(&source.name)) else { return };
    // What was read of a text that could not be read either is nothing good.
    let is_empty = kept.hooks.is_empty() && kept.switches.is_empty() && kept.mentions.is_empty();
    if kept.unreadable || is_empty {
        return;
    }
    config.unreadable = false;
    config.hooks.clone_from(&kept.hooks);
    config.switches.clone_from(&kept.switches);
    config.events.clone_from(&kept.events);
    config.servers.clone_from(&kept.servers);
    config.mentions.clone_from(&kept.mentions);
    let count = kept.hooks.len();
    let message =
        format!("`{}` cannot be read; its {count} last good hooks stay armed", source.name);
    config.diagnostics.push(
        Diagnostic::new("kept-last-good", Severity::Warning, message, None)
            .help("mend the file; the hooks are replaced as soon as it can be read"),
    );
}

/// Switches a hook off for good, where nothing else has yet: the first reason is the one that is told.
pub(crate) fn disarm(hook: &mut Hook, because: String, rule: &'static str) {
    if hook.arming == Arming::Armed {
        hook.arming = Arming::Disarmed { because, rule };
    }
}
