//! Finds the files that an agent would load in a working directory. Reads files, never the
//! environment; does not parse a config, except to ask a dialect whether a text belongs to it.
//!
//! Implements `docs/spec/configuration.md` (C-4 to C-7).

mod candidates;
mod decode;
#[cfg(feature = "env")]
mod environment;
mod file;
mod given;
mod keep;
mod lock;
mod nearby;
mod owner;
mod project;
mod roots;
mod saved;
mod servers;
mod silencers;
mod system;
mod view;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use candidates::{all_config_candidates, user_config_candidates};
pub(crate) use system::System;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::{
    Candidate, DIALECTS, Dialect, DialectId, Fit, GROUPS, Plugins, Roots,
};
use tenterhook_core::hook::{Compat, Layer};
#[cfg(feature = "trust")]
use tenterhook_core::source::Completeness;
use tenterhook_core::source::{Flaw, RecordTable, Standing};
use tenterhook_core::syntax::{self, Format};

#[cfg(feature = "env")]
pub use environment::roots_from_env;
#[cfg(feature = "trust")]
pub(crate) use file::read_regular_file_with_metadata;
pub use given::given;
pub(crate) use internal::*;
#[cfg(any(feature = "rule", feature = "trust"))]
pub(crate) use roots::is_in_project;
pub use roots::roots;
#[cfg(feature = "trust")]
pub(crate) use servers::{FileOfServers, find_server_files, servers_in_source};

/// What only the programs use (see [`crate::internal`]).
pub(crate) mod internal {
    #[cfg(feature = "env")]
    pub use super::environment::{account_home, replace_home_inside_project, roots_with_cwd};
    pub use super::{
        candidates::{moved_entries_file, path_of_moved_entries_note, searched_paths},
        file::{
            open, read_config_file, read_regular_file, set_linkless_open, set_nonblocking_open,
        },
        keep::{create_private_dir, missing_home_above, missing_home_message},
        lock::{LockPatience, wait_for_lock},
        nearby::{Hidden, find_unread_hook_files, is_file_of_other_dialect},
        owner::{find_barrier_for_other_users, writer_of_shared_program},
        servers::{find_agent_servers, find_servers_for_hooks, servers_for_hooks_found_by},
        silencers::{find_silencers, plugin_hooks_source, silencers_in_files},
        system::{MANAGED, Stat, Unsupported, managed_file_path, set_owner_only_create_mode},
    };
}

use view::View;

#[cfg(test)]
mod tests;

/// The files that were found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The sources, in the order in which the dialects load them. One that cannot be read is a
    /// source, too, with a [flaw](Source::flaw): what cannot be read is not absent (C-70).
    pub sources: Vec<Source>,
}

/// Reads every file that the dialects would load from `roots` (C-4). A file that does not exist is
/// no finding; one that cannot be read is a source with a flaw (C-70).
#[must_use]
pub fn find(roots: &Roots) -> Found {
    find_with_plugin_sources(roots, <[Source]>::to_vec)
}

/// As [`find`], except that `effective` selects the sources that decide which plugins exist (T-15).
pub(crate) fn find_with_plugin_sources(
    roots: &Roots,
    effective: impl FnOnce(&[Source]) -> Vec<Source>,
) -> Found {
    let mut found = Found::default();
    let account = roots.with_account_directories();
    let view = View::default();
    let mut usual = all_config_candidates(roots, &view);
    let candidates_of_account =
        account.as_ref().map(|account| user_config_candidates(account, &view));
    let candidates_of_account = candidates_of_account.unwrap_or_default();
    let standing = |candidate: &(DialectId, Candidate)| match &account {
        Some(_)
            if candidate.1.layer == Layer::User && !candidates_of_account.contains(candidate) =>
        {
            Standing::Moved
        }
        _ => Standing::Usual,
    };
    let mut all: Vec<_> =
        usual.drain(..).map(|candidate| (standing(&candidate), candidate)).collect();
    for candidate in &candidates_of_account {
        if !all.iter().any(|(_, usual)| usual == candidate) {
            all.push((Standing::Account, candidate.clone()));
        }
    }
    let (closed_home, mut is_reported) = (file::unsearchable_home_flaw(&roots.home), false);
    for (standing, (dialect, Candidate { path, layer })) in all {
        let is_closed = layer == Layer::User && path.starts_with(&roots.home);
        let closed_home = closed_home.as_ref().filter(|_| is_closed);
        // One source holds what all of them would hold (C-131).
        if closed_home.is_some() && std::mem::replace(&mut is_reported, true) {
            continue;
        }
        let roots = account.as_ref().filter(|_| standing == Standing::Account).unwrap_or(roots);
        let Some((text, flaw)) = read_config_checking_writers(&path, layer, roots, &view) else {
            continue;
        };
        let is_again =
            || found.sources.iter().any(|read| is_same_file(Path::new(&*read.name), &path));
        if standing == Standing::Account && is_again() {
            continue;
        }
        let moved_from = candidates::origin_of_moved_entries(dialect, &path, roots);
        let source = new_source(&path, dialect, layer, text, roots);
        let flaw = closed_home.cloned().or(flaw);
        found.sources.push(Source { flaw, moved_from, standing, ..source });
    }
    let effective = effective(&found.sources);
    add_plugin_sources(&mut found, &effective, roots, &view);
    found
}

/// Whether two paths lead to the same file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| other == one))
}

/// The settings of the record in the organisation's and the user's files, whichever other files
/// hooks are read from. For each key the stronger file wins (C-77); missing keys are `None`.
#[must_use]
pub fn record(roots: &Roots) -> RecordTable {
    let native = DialectId::NATIVE;
    let (mut managed, mut user) = (RecordTable::default(), RecordTable::default());
    let account =
        roots.with_account_directories().map(|account| native.dialect().candidate_files(&account));
    let is_own = |place: &Candidate| place.layer == Layer::User;
    let account = account.into_iter().flatten().filter(is_own);
    let view = View::default();
    for Candidate { path, layer } in account.chain(native.dialect().candidate_files(roots)) {
        if !matches!(layer, Layer::Managed | Layer::User) || !roots.has_known_base(&path, layer) {
            continue;
        }
        let Some((text, flaw)) = read_config_checking_writers(&path, layer, roots, &view) else {
            continue;
        };
        // The files come from the strongest layer down.
        if text.contains("record") {
            let source = Source { flaw, ..new_source(&path, native, layer, text, roots) };
            let said = native.dialect().read_config(&source).record;
            let table = if layer == Layer::Managed { &mut managed } else { &mut user };
            *table = std::mem::take(table).with_fallback(said);
        }
    }
    user.with_managed(managed)
}

/// Reads a file that an agent would load. A managed file that others than root may write is read as
/// empty, with a flaw (C-89).
fn read_config_checking_writers(
    path: &Path,
    layer: Layer,
    roots: &Roots,
    view: &View,
) -> Option<(Arc<str>, Option<Flaw>)> {
    let (text, flaw) = view.read_config_if_exists(path)?;
    Some(match owner::managed_file_flaw(path, layer, roots) {
        Some(exposed) => ("".into(), Some(Flaw { untrusted: Some(text), ..exposed })),
        None => (text, flaw),
    })
}

/// Adds the hook files of the plugins that the settings found so far enable.
fn add_plugin_sources(found: &mut Found, effective: &[Source], roots: &Roots, view: &View) {
    let mut more = Vec::new();
    for dialect in DIALECTS {
        let of_plugin = |path: &Path, text, flaw, plugin| {
            let source = new_source(path, dialect.id(), Layer::Plugin, text, roots);
            Source { flaw, plugin, ..source }
        };
        let plugins = enabled_plugins(dialect, effective, roots, view);
        // One source says that nothing in the home can be read (C-131).
        let is_reported = |path: &Path| {
            path.starts_with(&roots.home) && file::unsearchable_home_flaw(&roots.home).is_some()
        };
        let flawed = plugins.flawed.filter(|(path, _)| !is_reported(path));
        more.extend(flawed.map(|(path, flaw)| of_plugin(&path, "".into(), Some(flaw), None)));
        for (plugin, files) in plugins.active {
            for path in files {
                let Some((text, flaw)) = view.read_config_if_exists(&path) else { continue };
                more.push(of_plugin(&path, text, flaw, Some(plugin.clone())));
            }
        }
    }
    found.sources.extend(more);
}

/// Returns the plugins of a dialect's agent that `sources` enable.
fn enabled_plugins(dialect: &Dialect, sources: &[Source], roots: &Roots, view: &View) -> Plugins {
    let is_own = |source: &&Source| source.dialect == dialect.id() && source.plugin.is_none();
    let mut settings: Vec<&Source> = sources.iter().filter(is_own).collect();
    // Nothing overrules what the organisation says.
    settings.sort_by_key(|setting| setting.layer == Layer::Managed);
    dialect.active_plugins(&settings, roots, &file::Files::new(roots, view))
}

/// Returns the syntax of a config file by its extension; JSON by default.
fn config_format(path: &Path) -> Format {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => Format::Toml,
        Some("md") => Format::FrontMatter,
        Some("yaml" | "yml") => Format::Yaml,
        _ => Format::Json,
    }
}

/// Builds the source of a file that was found, with the project that it belongs to.
fn new_source(
    path: &Path,
    dialect: DialectId,
    layer: Layer,
    text: Arc<str>,
    roots: &Roots,
) -> Source {
    let project = project::project_of_found_file(path, (dialect, layer), roots);
    Source {
        name: path.to_string_lossy().into(),
        dialect,
        layer,
        text,
        directory: path.parent().unwrap_or(path).to_owned(),
        found_from: (project != roots.cwd).then(|| roots.cwd.clone()),
        project,
        home: roots.home.clone(),
        plugin: None,
        compat: Compat::Guarded,
        on_failure: None,
        flaw: None,
        moved_from: None,
        standing: Standing::Usual,
    }
}

/// Makes a path absolute. Removes `.`, and removes `..` where the result is the same file.
fn absolute_path(path: &Path, cwd: &Path) -> PathBuf {
    let full: PathBuf = cwd.join(path).components().collect();
    let mut short = PathBuf::new();
    for component in full.components() {
        match component {
            Component::ParentDir => drop(short.pop()),
            other => short.push(other),
        }
    }
    // Behind a symbolic link, `..` leads elsewhere than the text says.
    let same = full == short || full.canonicalize().ok() == short.canonicalize().ok();
    if same { short } else { full }
}

/// Returns a source for a project's file that does not exist, if an agent started from `roots`
/// would load it (T-70).
#[cfg(feature = "trust")]
pub(crate) fn source_for_missing_project_file(
    path: &Path,
    dialect: DialectId,
    roots: &Roots,
) -> Option<Source> {
    let is_absent = || matches!(path.symlink_metadata(), Err(error) if file::is_not_found(&error));
    let mut candidates =
        candidates::config_candidates_of_dialect(dialect.dialect(), roots).into_iter();
    let layer = candidates
        .find(|place| candidates::matches_path_pattern(path, &place.path))
        .map(|place| place.layer);
    let plugin = match layer {
        None => Some(given::plugin_of_hooks_file(path).filter(|_| is_in_project(roots, path))?),
        Some(_) => None,
    };
    let layer = layer.unwrap_or(Layer::Plugin);
    if !matches!(layer, Layer::Project | Layer::Local | Layer::Plugin) || !is_absent() {
        return None;
    }
    let flaw = Flaw {
        why: "you approved it, and it is not there".to_owned(),
        help: format!("restore the file, or run `tenterhook untrust {}`", path.display()),
        kept: Completeness::Gone,
        untrusted: None,
    };
    let source = new_source(path, dialect, layer, "".into(), roots);
    Some(Source { flaw: Some(flaw), plugin, ..source })
}

/// How much of a long text is looked at first.
const START: usize = 16 * 1024;

/// Returns the one dialect that the first tables of a long text identify with certainty; the whole
/// text is read again later. Always `None` for JSON.
fn recognize_dialect_by_start(path: &Path, text: &str, format: Format) -> Option<DialectId> {
    let start =
        text.get(..text.floor_char_boundary(START)).filter(|other| other.len() < text.len())?;
    let whole = start.get(..start.rfind("\n[")?).filter(|_| format == Format::Toml)?;
    let root = syntax::parse_by_format(whole, format).root;
    let certain =
        |id: &DialectId| id.dialect().recognize_config_file(path, root.as_ref()) == Fit::Certain;
    let mut sure = DIALECTS.iter().map(|dialect| dialect.id()).filter(certain);
    sure.next().filter(|_| sure.next().is_none())
}

/// Returns the dialect that recognizes the file with the most certainty. If no dialect is certain,
/// returns `fallback` if the file fits it as well.
fn recognize_dialect(path: &Path, text: &str, fallback: DialectId) -> DialectId {
    let format = config_format(path);
    if let Some(sure) = recognize_dialect_by_start(path, text, format) {
        return sure;
    }
    let root = syntax::parse_or_salvage(text, format, GROUPS).root;
    let fit = |id: DialectId| id.dialect().recognize_config_file(path, root.as_ref());
    let mut best = (fit(fallback), fallback);
    for dialect in DIALECTS {
        let other = fit(dialect.id());
        if other > best.0 {
            best = (other, dialect.id());
        }
    }
    match best.0 {
        // Report errors in invalid TOML as errors in TOML.
        Fit::No if format == Format::Toml && !fallback.dialect().has_toml_files() => {
            let other = DIALECTS.iter().find(|dialect| dialect.has_toml_files());
            other.map_or(fallback, |other| other.id())
        }
        Fit::No => fallback,
        Fit::Shape | Fit::Certain => best.1,
    }
}
