//! What do paths in rules mean? By their letters alone: no file is looked at, so a link is its own path (RU-16).

use std::path::Path;

use globset::GlobBuilder;

use super::bad_pattern::BadPattern;
use super::eval::Stop;
use super::expr::{Anchor, Glob};
use super::search::{Search, Written};
use crate::Event;
use crate::call::path::normalize_path;

/// Deepest nest of `{ }` that is compiled; the compiler recurses.
const DEEPEST_BRACES: usize = 8;

/// Returns the last part of a path.
pub(super) fn basename(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns everything before the last part.
pub(super) fn dirname(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => ".",
    }
}

/// Returns the text after the last dot of the file name; empty for a name whose only dot is its
/// first character.
pub(super) fn extension(path: &str) -> &str {
    match basename(path).rsplit_once('.') {
        Some((name, extension)) if !name.is_empty() => extension,
        _ => "",
    }
}

/// Returns the absolute path without `.`, `..`, `~`, `$HOME` and repeated slashes.
pub(super) fn resolve_path(path: &str, event: &Event) -> String {
    let home = || event.within.home.to_string_lossy();
    let tilde = ["~", "$HOME", "${HOME}"].iter().find_map(|prefix| {
        path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let whole = match tilde {
        Some(rest) => format!("{}{rest}", home()),
        None if Path::new(path).is_absolute() => path.to_owned(),
        None => format!("{}/{path}", event.within.cwd.to_string_lossy()),
    };
    // Nothing is relative here, also where the event names no directory.
    normalize_path(&format!("/{whole}"))
}

/// Returns true if a path is the directory or lies in it; false if either is empty.
pub(super) fn is_inside_directory(path: &str, directory: &str, event: &Event) -> bool {
    if path.is_empty() || directory.is_empty() {
        return false;
    }
    Path::new(&resolve_path(path, event)).starts_with(resolve_path(directory, event))
}

/// Compiles a glob. Without a slash it is matched against the file name, otherwise against the path
/// from the project, the home (`~/`) or the root (`/`, `**`).
pub(super) fn compile_glob(text: &str, written: Written) -> Result<Glob, BadPattern> {
    if text.matches('{').count() > DEEPEST_BRACES {
        return Err(BadPattern::TooManyBraces);
    }
    let (anchor, rest) = match text {
        _ if text.starts_with("**") || text.starts_with('/') => (Anchor::Root, text.to_owned()),
        _ => match text.strip_prefix("~/") {
            Some(rest) => (Anchor::Home, rest.to_owned()),
            None if text.contains('/') => (Anchor::Project, text.to_owned()),
            None => (Anchor::Name, text.to_owned()),
        },
    };
    let built = GlobBuilder::new(&rest).literal_separator(true).backslash_escape(true).build();
    let glob = built
        .map_err(|error| BadPattern::Glob { text: text.to_owned(), kind: error.kind().clone() })?;
    Ok(Glob { matcher: Search::compile_glob_regex(glob.regex(), written)?, anchor })
}

/// Returns true if a glob matches a path.
pub(super) fn glob_matches(
    glob: &Glob,
    path: &str,
    event: &Event,
    spend: &dyn Fn(usize) -> Result<(), Stop>,
) -> Result<bool, Stop> {
    if path.is_empty() {
        return Ok(false);
    }
    let from = |directory: &Path| {
        let whole = resolve_path(path, event);
        let directory = resolve_path(&directory.to_string_lossy(), event);
        let rest = Path::new(&whole).strip_prefix(directory).ok();
        rest.and_then(Path::to_str).map_or(Ok(false), |rest| glob.matcher.is_match(rest, spend))
    };
    match glob.anchor {
        Anchor::Name => glob.matcher.is_match(basename(path), spend),
        Anchor::Project => from(&event.within.project),
        Anchor::Home => from(&event.within.home),
        Anchor::Root => glob.matcher.is_match(&resolve_path(path, event), spend),
    }
}
