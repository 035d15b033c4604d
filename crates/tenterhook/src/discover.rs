//! Which files an agent would load from where the caller stands. Reads files, never the environment; parses no config
//! beyond asking a dialect whether a text is its own.
//!
//! Implements `docs/spec/configuration.md` (C-4 to C-7).

mod file;
mod servers;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::config::{Plugin, Source};
use crate::diagnostic::Diagnostic;
use crate::dialect::claude::plugins;
use crate::dialect::{Candidate, DIALECTS, DialectId, Fit, Roots};
use crate::hook::{Compat, Layer};
use crate::syntax::{self, Format};
use file::{absent, unreadable};

pub use file::{MAX_BYTES, read};
pub use servers::{servers, servers_for};

#[cfg(test)]
mod tests;

/// How many directories above the caller's are searched for files that it hides.
const MAX_ANCESTORS: usize = 16;

/// What there is to load.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The sources, in the order in which the dialects load them.
    pub sources: Vec<Source>,
    /// What stands at a place where a config belongs, and cannot be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file with hooks that the agent does not read from here, although one may think so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The file.
    pub path: PathBuf,
    /// Whose format it is in.
    pub dialect: DialectId,
    /// How many hooks it configures.
    pub hooks: usize,
    /// Why it is not read.
    pub because: String,
}

/// Reads every file that the dialects would load from `roots` (C-4). A file that does not exist is no finding.
#[must_use]
pub fn find(roots: &Roots) -> Found {
    let mut found = Found::default();
    for (dialect, Candidate { path, layer }) in places(roots) {
        match read(&path) {
            Ok(text) => {
                found.sources.push(source(&path, dialect, layer, text, roots));
            }
            Err(error) if absent(&error) => {}
            Err(error) => found.diagnostics.push(unreadable(&path, &error)),
        }
    }
    add_plugins(&mut found, roots);
    found
}

/// The hook files of the plugins that the settings found so far switch on.
fn add_plugins(found: &mut Found, roots: &Roots) {
    for plugin in active_plugins(&found.sources, roots) {
        let manifest = read(&plugins::manifest(&plugin)).ok();
        for path in plugins::files(&plugin, manifest.as_deref()) {
            match read(&path) {
                Ok(text) => {
                    let mut source = source(&path, DialectId::CLAUDE, Layer::Plugin, text, roots);
                    source.plugin = Some(plugin.clone());
                    found.sources.push(source);
                }
                Err(error) if absent(&error) => {}
                Err(error) => found.diagnostics.push(unreadable(&path, &error)),
            }
        }
    }
}

/// The plugins that `sources` switch on.
fn active_plugins(sources: &[Source], roots: &Roots) -> Vec<Plugin> {
    let Ok(registry) = read(&plugins::registry(roots)) else { return Vec::new() };
    let mut settings: Vec<&Source> = sources
        .iter()
        .filter(|it| it.dialect == DialectId::CLAUDE && it.plugin.is_none())
        .collect();
    // Nothing overrules what the organisation says.
    settings.sort_by_key(|it| it.layer == Layer::Managed);
    let texts: Vec<&str> = settings.iter().map(|it| &*it.text).collect();
    plugins::active(&registry, &texts, roots)
}

/// Reads one file that the caller names (C-5).
///
/// Its dialect is `dialect` where the caller says it, else the one whose place or shape the file has, else `fallback`.
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
    let text = read(&full).map_err(|error| Box::new(unreadable(path, &error)))?;
    let dialect = dialect.unwrap_or_else(|| recognize(&full, &text, fallback));
    let layer = given_layer(&full, dialect, roots);
    let mut source = source(&full, dialect, layer, text, roots);
    if let Some(project) = project_of(&full, dialect) {
        source.project = project;
    }
    if let Some(plugin) = plugin_of(&full) {
        source.layer = Layer::Plugin;
        source.plugin = Some(plugin);
    }
    Ok(source)
}

/// Files with hooks, here and in the directories above, that an agent started here does not read (C-6).
#[must_use]
pub fn nearby(roots: &Roots) -> Vec<Hidden> {
    let read_here: Vec<PathBuf> = places(roots).into_iter().map(|(_, it)| it.path).collect();
    let mut hidden: Vec<Hidden> = Vec::new();
    for directory in around(roots) {
        // As if the directory were the root of a repository: then each dialect reads what lies in it.
        let there = Roots { cwd: directory.to_owned(), repository: None, ..roots.clone() };
        for (dialect, Candidate { path, layer }) in places(&there) {
            let known = read_here.contains(&path) || hidden.iter().any(|it| it.path == path);
            if known || !matches!(layer, Layer::Project | Layer::Local) {
                continue;
            }
            let Ok(text) = read(&path) else { continue };
            let source = source(&path, dialect, layer, text, &there);
            let hooks = dialect.dialect().read_config(&source).hooks.len();
            if hooks > 0 {
                let because = why_hidden(&path, directory, roots);
                hidden.push(Hidden { path, dialect, hooks, because });
            }
        }
    }
    hidden
}

/// The caller's directory and those above it, as far as they are the same person's ground: not above the repository, and
/// not the home directory, whose own files are the user's layer.
fn around(roots: &Roots) -> impl Iterator<Item = &Path> {
    let inside = |it: &&Path| roots.repository.as_deref().is_none_or(|root| it.starts_with(root));
    let above = roots.cwd.ancestors().take(MAX_ANCESTORS).take_while(inside);
    above.take_while(|it| **it != *roots.home)
}

fn why_hidden(path: &Path, directory: &Path, roots: &Roots) -> String {
    let started_there = Roots { cwd: directory.to_owned(), ..roots.clone() };
    let read_there = places(&started_there).iter().any(|(_, it)| it.path == path);
    match &roots.repository {
        Some(root) if !read_there => {
            format!("it is read only from the root of the repository, `{}`", root.display())
        }
        _ => format!("it is read only by an agent that is started in `{}`", directory.display()),
    }
}

/// Every place of every dialect, with `*` in a path resolved to the files that are there, in sorted order.
fn places(roots: &Roots) -> Vec<(DialectId, Candidate)> {
    let mut all = Vec::new();
    for dialect in DIALECTS {
        for Candidate { path, layer } in dialect.places(roots) {
            let paths = expand(&path).into_iter();
            all.extend(paths.map(|path| (dialect.id(), Candidate { path, layer })));
        }
    }
    // Whoever works in their home has no project there: what is the user's is not the project's, too.
    let users: BTreeSet<_> = all
        .iter()
        .filter(|(_, it)| it.layer == Layer::User)
        .map(|(dialect, it)| (*dialect, it.path.clone()))
        .collect();
    all.retain(|(dialect, it)| {
        it.layer == Layer::User || !users.contains(&(*dialect, it.path.clone()))
    });
    all
}

/// Resolves one `*` a path component: `managed-settings.d/*.json` stands for every such file, sorted by name.
fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::new()];
    for component in pattern.components() {
        let star = match component {
            Component::Normal(name) => name.to_str().and_then(|name| name.split_once('*')),
            _ => None,
        };
        paths = match star {
            None => paths.into_iter().map(|path| path.join(component)).collect(),
            Some((before, after)) => {
                paths.iter().flat_map(|path| entries(path, before, after)).collect()
            }
        };
    }
    paths
}

fn entries(directory: &Path, before: &str, after: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            let fits = name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after));
            // Hidden files are editors' and mounts' leftovers.
            fits && !name.starts_with('.')
        })
        .collect();
    names.sort_unstable();
    names.into_iter().map(|name| directory.join(name)).collect()
}

fn source(path: &Path, dialect: DialectId, layer: Layer, text: Arc<str>, roots: &Roots) -> Source {
    Source {
        name: path.to_string_lossy().into(),
        dialect,
        layer,
        text,
        directory: path.parent().unwrap_or(path).to_owned(),
        project: roots.cwd.clone(),
        home: roots.home.clone(),
        plugin: None,
        compat: Compat::Guarded,
        on_failure: None,
    }
}

/// The full name of a file, without `.`, and without `..` where that means the same file.
fn absolute(path: &Path, cwd: &Path) -> PathBuf {
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

/// The dialect that is surest of the file; where nothing is more than likely, `fallback` if it fits as well.
fn recognize(path: &Path, text: &str, fallback: DialectId) -> DialectId {
    let format = match path.extension().and_then(|it| it.to_str()) {
        Some("toml") => Format::Toml,
        Some("md") => Format::FrontMatter,
        _ => Format::Json,
    };
    let root = syntax::parse(text, format).root;
    let fit = |id: DialectId| id.dialect().recognizes(path, root.as_ref());
    let mut best = (fit(fallback), fallback);
    for dialect in DIALECTS {
        let other = fit(dialect.id());
        if other > best.0 {
            best = (other, dialect.id());
        }
    }
    match best.0 {
        // Most dialects are written in JSON; TOML that cannot be read is told of as TOML.
        Fit::No if format == Format::Toml && fallback == DialectId::CLAUDE => DialectId::NATIVE,
        Fit::No => fallback,
        Fit::Shape | Fit::Certain => best.1,
    }
}

/// A file whose name is that of a managed one is one: what it may say is different.
fn given_layer(path: &Path, dialect: DialectId, roots: &Roots) -> Layer {
    let roots =
        Roots { managed: roots.managed.clone().or_else(|| Some("/".into())), ..roots.clone() };
    let places = dialect.dialect().places(&roots);
    let named = |candidate: &&Candidate| is_named(path, &candidate.path);
    let mut layers = places.iter().filter(named).map(|candidate| candidate.layer);
    match layers.next() {
        Some(Layer::Managed) if layers.all(|layer| layer == Layer::Managed) => Layer::Managed,
        _ => Layer::Given,
    }
}

/// Whether a file has the name that a place asks for; where that is a pattern, the name of its directory too.
fn is_named(path: &Path, place: &Path) -> bool {
    let name = |it: &Path| it.file_name().and_then(|it| it.to_str()).map(str::to_owned);
    let (Some(own), Some(asked)) = (name(path), name(place)) else { return false };
    match asked.split_once('*') {
        None => own == asked,
        Some((before, after)) => {
            let directory = |it: &Path| it.parent().and_then(name);
            let fits = own.strip_prefix(before).is_some_and(|rest| rest.ends_with(after));
            fits && directory(path) == directory(place)
        }
    }
}

/// The directory from which an agent would find the file as its project's: `/work` for `/repo/.claude/settings.json`.
fn project_of(path: &Path, dialect: DialectId) -> Option<PathBuf> {
    path.ancestors().skip(1).take(3).find_map(|directory| {
        let roots = Roots { cwd: directory.to_owned(), ..Roots::default() };
        let places = dialect.dialect().places(&roots);
        let own = |it: &&Candidate| matches!(it.layer, Layer::Project | Layer::Local);
        places.iter().filter(own).any(|it| it.path == path).then(|| directory.to_owned())
    })
}

/// The plugin that a `hooks/hooks.json` belongs to, by the layout that plugins have.
fn plugin_of(path: &Path) -> Option<Plugin> {
    let directory = path.parent()?;
    let root = directory.parent()?;
    let manifest = root.join(".claude-plugin/plugin.json");
    // `.claude/hooks/hooks.json` is a file that nobody reads, not a plugin's.
    let conventional = path.ends_with("hooks/hooks.json") && !root.ends_with(".claude");
    if !conventional && !manifest.is_file() {
        return None;
    }
    let name = root.file_name()?.to_string_lossy().into_owned();
    Some(Plugin { name, root: root.to_owned(), data: root.join("data") })
}
