//! Which hooks there are: layers of sources into one ruleset, with all diagnostics at once. Pure: opens no file.
//!
//! A bad entry is rejected alone and loudly, its siblings live (C-1).

mod beside;
mod bound;
mod built;
mod caller;
mod hold;
mod names;
#[cfg(feature = "rule")]
mod protection;
mod record;
mod repeats;
mod requests;
pub(crate) mod ruleset;
mod sandbox;
mod server;
mod shadow;
mod statements;
mod switches;
mod unasked;

pub use caller::is_tenterhook_entry;
pub(crate) use caller::is_tenterhook_entry_line;
pub use ruleset::Ruleset;
pub use ruleset::{Mode, Stage};
pub use sandbox::is_repository_program;
pub use sandbox::is_server_of_repository;
pub use server::merge_servers as settle_servers;
pub use unasked::disarm_repository_hooks;
pub use unasked::withhold_if_repository_server;

pub use crate::source::{
    Completeness, Flaw, Govern, Lost, ModeWord, Protect, ReadConfig, Requests, Standing, Switch,
};
pub use crate::source::{Content, Plugin, Reach, RecordTable, Server, Source};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{DIALECTS, DialectId, EventRow};
use crate::event::EventName;
use crate::hook::{Hook, Layer};
use repeats::drop_repeated_hooks;
use switches::apply_statements_to_hooks;

#[cfg(test)]
mod tests;

/// What the host itself adds: hooks and events that no file configures.
#[derive(Clone, Debug, Default)]
pub struct Added {
    /// Hooks, in order.
    pub hooks: Vec<Hook>,
    /// Custom events.
    pub events: Vec<EventRow>,
    /// The agent that calls and runs the hooks in its files itself.
    pub caller: Option<DialectId>,
    /// Whether programs of repositories are confined by default.
    pub confines_repositories: bool,
    /// Whether the built-in rules that protect an agent's guard are on.
    #[cfg(feature = "rule")]
    pub self_protection: bool,
}

/// A ruleset with everything that there is to say about how it came to be.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The hooks.
    pub ruleset: Ruleset,
    /// The problems of the sources, in the order of the sources.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads `sources`, in the order in which the host names them, into one ruleset.
///
/// `added` comes after all of them. `last` is the ruleset that is replaced: a source that can no longer be read keeps the
/// hooks it had there.
#[must_use]
pub fn load(sources: &[Source], added: &Added, last: Option<&Ruleset>) -> Loaded {
    let last_good =
        |source: &Source| last.and_then(|last| last.last_good_source(&source.name)).cloned();
    load_with_approval_filter(sources, added, &last_good, |_| Vec::new())
}

/// Like `load`, but `judge` sees all sources as they were read, before any of them applies, and may
/// remove from each what is not approved (T-10). `last_good` returns a source as it was when it
/// could last be read.
pub fn load_with_approval_filter(
    sources: &[Source],
    added: &Added,
    last_good: &dyn Fn(&Source) -> Option<Source>,
    judge: impl FnOnce(&mut [(Source, ReadConfig)]) -> Vec<Diagnostic>,
) -> Loaded {
    let mut diagnostics = Vec::new();
    let mut good = Vec::new();
    let mut read: Vec<(Source, ReadConfig)> = Vec::new();
    for source in sources {
        let (source, mut config, is_good) = read_source_or_last_good(source, last_good);
        good.extend(is_good.then(|| source.clone()));
        diagnostics.append(&mut config.diagnostics);
        read.push((source, config));
    }
    diagnostics.extend(judge(&mut read));
    for (source, config) in &mut read {
        hold::add_hooks_for_lost_part(source, config);
    }
    beside::reduce_sources_to_gates(&mut read);
    diagnostics.extend(beside::account_home_finding(&read));
    move_last_sources_to_end(&mut read);
    #[cfg(feature = "rule")]
    if added.self_protection {
        diagnostics.extend(protection::add_built_in_rules(&mut read));
    }
    apply_dialect_layers(&mut read);
    diagnostics
        .extend(read.iter_mut().flat_map(|(_, config)| std::mem::take(&mut config.diagnostics)));
    diagnostics.extend(apply_statements_to_hooks(&mut read));
    if added.confines_repositories {
        sandbox::sandbox_repository_hooks(&mut read);
    }
    diagnostics.extend(record::overridden_record_key_findings(&read));
    diagnostics.extend(hold::findings_of_held_calls(&read));
    diagnostics.extend(shadow::shadow_findings(read.iter().flat_map(|(_, config)| &config.hooks)));
    diagnostics.extend(names::unmatched_statement_findings(&read));
    diagnostics.extend(names::findings_of_managed_names(&read));
    names::make_names_unique(&mut read);
    drop_repeated_hooks(&mut read);
    caller::disarm_tenterhook_entries(&mut read);
    if let Some(caller) = added.caller {
        caller::disarm_caller_hooks(&mut read, caller);
    }
    let declared = collect_declared_events(&mut read).into_iter();
    let events = keep_first_event_declarations(
        added.events.iter().cloned().chain(declared),
        &mut diagnostics,
    );
    let words = sandbox::ServerSandboxes::from_configs(&read, added.confines_repositories);
    let declared = read.iter_mut().flat_map(|(_, config)| std::mem::take(&mut config.servers));
    let declared = declared.map(|server| words.apply_to_server(server));
    let servers = server::keep_one_server_per_name(declared, &mut diagnostics);
    let configured = read.into_iter().flat_map(|(_, config)| config.hooks);
    let hooks: Vec<Hook> = configured.chain(added.hooks.iter().cloned()).collect();
    diagnostics.extend(built::missing_feature_findings(&hooks));
    let ruleset =
        Ruleset::new(hooks, events).with_last_good_sources(good).with_servers(servers, words);
    Loaded { ruleset, diagnostics }
}

/// Moves the sources that must come last to the end of their dialect; the other dialects keep their
/// order.
fn move_last_sources_to_end(read: &mut Vec<(Source, ReadConfig)>) {
    for dialect in DIALECTS {
        let own: Vec<usize> = (0..read.len())
            .filter(|at| read.get(*at).is_some_and(|(source, _)| source.dialect == dialect.id()))
            .collect();
        let last = |at: &usize| {
            read.get(*at).is_some_and(|(source, _)| dialect.runs_layer_last(source.layer))
        };
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

/// Lets each dialect apply the settings of its layers to each other.
fn apply_dialect_layers(read: &mut [(Source, ReadConfig)]) {
    for dialect in DIALECTS {
        // A source of another place replaces nothing here, and nothing here replaces it.
        let is_here = |source: &Source| {
            source.dialect == dialect.id() && !beside::do_only_gates_apply(source)
        };
        let layers = read.iter_mut().filter(|(source, _)| is_here(source));
        let mut layers: Vec<_> = layers.map(|(source, config)| (&*source, config)).collect();
        dialect.apply_layer_settings(&mut layers);
    }
}

/// Returns the events that sources declare: those of managed files first, those of files of which
/// nothing else applies last.
fn collect_declared_events(read: &mut [(Source, ReadConfig)]) -> Vec<EventRow> {
    let mut all: Vec<(u8, EventRow)> = Vec::new();
    for (source, config) in read {
        let rank = match source.layer {
            _ if source.is_writable_by_others() => 2,
            Layer::Managed => 0,
            _ => 1,
        };
        all.extend(std::mem::take(&mut config.events).into_iter().map(|row| (rank, row)));
    }
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, row)| row).collect()
}

/// Keeps the first declaration of each event, the host's before all others, and none of an event
/// that a dialect knows (E-6). Otherwise a repository could remove an event's gates by declaring it
/// again.
fn keep_first_event_declarations(
    rows: impl Iterator<Item = EventRow>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<EventRow> {
    let mut kept: Vec<EventRow> = Vec::new();
    for row in rows {
        let event = EventName::new(&*row.event);
        let known = DIALECTS.iter().any(|dialect| dialect.event_row(&event).is_some());
        let first = kept.iter().find(|other| other.event == row.event);
        if !known && first.is_none() {
            kept.push(row);
        } else if known || first != Some(&row) {
            let message = format!("`{event}` is declared already; this declaration is ignored");
            diagnostics.push(Diagnostic::new(Code::EventDeclaredTwice, message, None));
        }
    }
    kept
}

/// Returns `true` if a source has hooks or statements. An empty source has no last good version.
fn has_content(config: &ReadConfig) -> bool {
    !(config.hooks.is_empty() && config.switches.is_empty() && config.mentions.is_empty())
}

/// Reads a source, or its last good version if it cannot be read. The returned flag says whether
/// the version is worth keeping.
fn read_source_or_last_good(
    source: &Source,
    last_good: &dyn Fn(&Source) -> Option<Source>,
) -> (Source, ReadConfig, bool) {
    let mut config = hold::read_as_flaw_allows(source);
    if !config.unreadable {
        let is_good = has_content(&config);
        return (source.clone(), config, is_good);
    }
    match last_good(source) {
        Some(good) => {
            replace_by_last_good_version(source, &good, &mut config);
            (good, config, true)
        }
        None => (source.clone(), config, false),
    }
}

/// Replaces a source that cannot be read by its last good version, so that no guard vanishes in the
/// middle of an edit (C-3). That version is read again, so that the statements of other sources
/// apply to it.
fn replace_by_last_good_version(source: &Source, good: &Source, config: &mut ReadConfig) {
    let broken = std::mem::replace(config, hold::read_as_flaw_allows(good));
    config.diagnostics = broken.diagnostics;
    let count = config.hooks.len();
    let saving = source.flaw.as_ref().filter(|flaw| flaw.kept == Completeness::Saving);
    let (why, help) = match saving {
        Some(flaw) => (format!("is not read, because {}", flaw.why), flaw.help.as_str()),
        None => (
            "cannot be read".to_owned(),
            "mend the file; the hooks are replaced as soon as it can be read",
        ),
    };
    let message = format!("`{}` {why}; its {count} last good hooks stay armed", source.name);
    config.diagnostics.push(Diagnostic::new(Code::KeptLastGood, message, None).help(help));
}
