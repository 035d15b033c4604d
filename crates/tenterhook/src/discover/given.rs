//! Classifies a file that the caller names: its layer, dialect, project and plugin (C-5). Reads
//! that file.

use std::path::Path;
use std::sync::Arc;

use super::file::{read, take, unreadable};
use super::owner;
use super::{absolute, project, recognize, source};
use tenterhook_core::config::{Plugin, Source};
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::dialect::{Candidate, DIALECTS, DialectId, Roots};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::{Completeness, Flaw};

/// Reads one file that the caller names (C-5).
///
/// Its dialect is `dialect` where the caller says it, else the one whose place or shape the file
/// has, else `fallback`.
///
/// # Errors
///
/// When the file cannot be read.
pub fn given(
    path: &Path,
    dialect: Option<DialectId>,
    fallback: DialectId,
    roots: &Roots,
) -> Result<Source, Box<Diagnostic>> {
    let full = absolute(path, &roots.cwd);
    let (text, flaw) = text_of(&full).map_err(|error| Box::new(unreadable(path, &error)))?;
    let of_machine = || {
        DIALECTS.iter().map(|dialect| dialect.id()).find(|id| is_managed_place(&full, *id, roots))
    };
    let dialect = dialect.or_else(of_machine).unwrap_or_else(|| recognize(&full, &text, fallback));
    if is_managed_place(&full, dialect, roots) {
        let (text, flaw) = match owner::exposed(&full, Layer::Managed, roots) {
            Some(exposed) => ("".into(), Some(Flaw { untrusted: Some(text), ..exposed })),
            None => (text, flaw),
        };
        return Ok(Source { flaw, ..source(&full, dialect, Layer::Managed, text, roots) });
    }
    let layer = given_layer(&full, dialect, roots);
    let moved_from = super::candidates::moved_from(dialect, &full, roots);
    let mut source = Source { flaw, moved_from, ..source(&full, dialect, layer, text, roots) };
    if let Some(project) = project::holder(&full, dialect) {
        (source.project, source.found_from) = (project, None);
    }
    if let Some(plugin) = plugin_of(&full) {
        source.layer = Layer::Plugin;
        source.plugin = Some(plugin);
    }
    Ok(source)
}

/// The text of a file that the caller names. If it cannot be read, that is the mistake of the
/// caller, who gets the error at once.
fn text_of(path: &Path) -> std::io::Result<(Arc<str>, Option<Flaw>)> {
    match take(path) {
        Some((text, flaw)) if flaw.as_ref().is_none_or(|flaw| flaw.kept == Completeness::All) => {
            Ok((text, flaw))
        }
        _ => Ok((read(path)?, None)),
    }
}

/// Whether a file lies where the organisation keeps a file of that dialect.
fn is_managed_place(path: &Path, dialect: DialectId, roots: &Roots) -> bool {
    let places = dialect.dialect().candidates(roots);
    let mut managed = places.iter().filter(|place| place.layer == Layer::Managed);
    managed.any(|place| path.parent() == place.path.parent() && is_named(path, &place.path))
}

/// A file whose name is that of a managed one is one: what it may say is different.
fn given_layer(path: &Path, dialect: DialectId, roots: &Roots) -> Layer {
    let roots =
        Roots { managed: roots.managed.clone().or_else(|| Some("/".into())), ..roots.clone() };
    let places = dialect.dialect().candidates(&roots);
    let named = |candidate: &&Candidate| is_named(path, &candidate.path);
    let mut layers = places.iter().filter(named).map(|candidate| candidate.layer);
    match layers.next() {
        Some(Layer::Managed) if layers.all(|layer| layer == Layer::Managed) => Layer::Managed,
        _ => Layer::Given,
    }
}

/// Whether a file has the name that a place asks for; where that is a pattern, the name of its
/// directory too.
pub(super) fn is_named(path: &Path, place: &Path) -> bool {
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

/// The plugin that a `hooks/hooks.json` belongs to, by the layout that plugins have.
pub(super) fn plugin_of(path: &Path) -> Option<Plugin> {
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
