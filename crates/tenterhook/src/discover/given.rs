//! Classifies a file that the caller names: its layer, dialect, project and plugin (C-5). Reads
//! that file.

use std::path::Path;
use std::sync::Arc;

use super::file::{read_config_file, read_config_if_exists, unreadable_file_diagnostic};
use super::owner;
use super::{absolute_path, config_format, new_source, project, recognize_dialect};
use tenterhook_core::config::{Plugin, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::{Candidate, DIALECTS, DialectId, Fit, Roots};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::{Completeness, Flaw};
use tenterhook_core::syntax::Format;

/// Reads one file that the caller names (C-5).
///
/// Its dialect is `dialect` where the caller says it, else the one whose place or shape the file
/// has, else `fallback`.
///
/// # Errors
///
/// When the file cannot be read, or nothing tells its format.
pub fn given(
    path: &Path,
    dialect: Option<DialectId>,
    fallback: DialectId,
    roots: &Roots,
) -> Result<Source, Box<Diagnostic>> {
    let full = absolute_path(path, &roots.cwd);
    let (text, flaw) = read_given_file(&full)
        .map_err(|error| Box::new(unreadable_file_diagnostic(path, &error)))?;
    if dialect.is_none() && is_unrecognizable(&full, &text) {
        return Err(Box::new(unrecognized_format_diagnostic(path)));
    }
    let of_machine = || {
        DIALECTS.iter().map(|dialect| dialect.id()).find(|id| is_managed_path(&full, *id, roots))
    };
    let dialect =
        dialect.or_else(of_machine).unwrap_or_else(|| recognize_dialect(&full, &text, fallback));
    if is_managed_path(&full, dialect, roots) {
        let (text, flaw) = match owner::managed_file_flaw(&full, Layer::Managed, roots) {
            Some(exposed) => ("".into(), Some(Flaw { untrusted: Some(text), ..exposed })),
            None => (text, flaw),
        };
        return Ok(Source { flaw, ..new_source(&full, dialect, Layer::Managed, text, roots) });
    }
    let layer = layer_of_given_file(&full, dialect, roots);
    let moved_from = super::candidates::origin_of_moved_entries(dialect, &full, roots);
    let mut source = Source { flaw, moved_from, ..new_source(&full, dialect, layer, text, roots) };
    if let Some(project) = project::project_directory_of(&full, dialect) {
        (source.project, source.found_from) = (project, None);
    }
    if let Some(plugin) = plugin_of_hooks_file(&full) {
        source.layer = Layer::Plugin;
        source.plugin = Some(plugin);
    }
    Ok(source)
}

/// Returns whether neither the name of a file nor its first character tells its format.
fn is_unrecognizable(path: &Path, text: &str) -> bool {
    let is_named_json = path
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| extension.starts_with("json"));
    let first = text.trim_start_matches('\u{feff}').trim_start().chars().next();
    config_format(path) == Format::Json
        && !is_named_json
        && first.is_some_and(|first| !matches!(first, '{' | '/'))
        && DIALECTS.iter().all(|dialect| dialect.recognize_config_file(path, None) == Fit::No)
}

fn unrecognized_format_diagnostic(path: &Path) -> Diagnostic {
    let shown = path.display();
    let message = format!("`{shown}` is not JSON, and its name tells no other format");
    let help = format!("name its agent: `native={shown}` for hooks of Tenterhook in TOML");
    Diagnostic::new(Code::ForeignFormat, message, None).help(help)
}

/// Reads a file that the caller names. If it cannot be read completely, the caller gets the error
/// at once.
fn read_given_file(path: &Path) -> std::io::Result<(Arc<str>, Option<Flaw>)> {
    match read_config_if_exists(path) {
        Some((text, flaw)) if flaw.as_ref().is_none_or(|flaw| flaw.kept == Completeness::All) => {
            Ok((text, flaw))
        }
        _ => Ok((read_config_file(path)?, None)),
    }
}

/// Whether a file lies where the organisation keeps a managed file of that dialect.
fn is_managed_path(path: &Path, dialect: DialectId, roots: &Roots) -> bool {
    let places = dialect.dialect().candidate_files(roots);
    let mut managed = places.iter().filter(|place| place.layer == Layer::Managed);
    managed.any(|place| {
        path.parent() == place.path.parent() && has_name_of_candidate(path, &place.path)
    })
}

/// Returns the layer of a file that the caller names: managed if its name is that of a managed
/// file, because such a file may contain different settings.
fn layer_of_given_file(path: &Path, dialect: DialectId, roots: &Roots) -> Layer {
    let roots =
        Roots { managed: roots.managed.clone().or_else(|| Some("/".into())), ..roots.clone() };
    let places = dialect.dialect().candidate_files(&roots);
    let named = |candidate: &&Candidate| has_name_of_candidate(path, &candidate.path);
    let mut layers = places.iter().filter(named).map(|candidate| candidate.layer);
    match layers.next() {
        Some(Layer::Managed) if layers.all(|layer| layer == Layer::Managed) => Layer::Managed,
        _ => Layer::Given,
    }
}

/// Whether a file has the name of a candidate path. If that name is a pattern, the names of the
/// parent directories must be equal, too.
pub(super) fn has_name_of_candidate(path: &Path, place: &Path) -> bool {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let (Some(own), Some(asked)) = (name(path), name(place)) else { return false };
    match asked.split_once('*') {
        None => own == asked,
        Some((before, after)) => {
            let directory = |path: &Path| path.parent().and_then(name);
            let fits = own.strip_prefix(before).is_some_and(|rest| rest.ends_with(after));
            fits && directory(path) == directory(place)
        }
    }
}

/// Returns the plugin that a `hooks/hooks.json` belongs to, by the usual layout of plugins.
pub(super) fn plugin_of_hooks_file(path: &Path) -> Option<Plugin> {
    let directory = path.parent()?;
    let root = directory.parent()?;
    let manifest = root.join(".claude-plugin/plugin.json");
    // `.claude/hooks/hooks.json` is a file that no agent reads, not a plugin's.
    let conventional = path.ends_with("hooks/hooks.json") && !root.ends_with(".claude");
    if !conventional && !manifest.is_file() {
        return None;
    }
    let name = root.file_name()?.to_string_lossy().into_owned();
    Some(Plugin { name, root: root.to_owned(), data: root.join("data") })
}
