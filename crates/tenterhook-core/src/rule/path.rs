//! What do paths in rules mean? By their letters alone: no file is looked at, so a link is its own path (RU-16).

use std::path::Path;

use globset::GlobBuilder;

use super::bad_pattern::BadPattern;
use super::eval::Stop;
use super::expr::{Anchor, Glob};
use super::search::{Search, Written};
use crate::Event;
use crate::call::path::plain;

/// Deepest nest of `{ }` that is compiled; the compiler recurses.
const DEEPEST_BRACES: usize = 8;

/// The last part of a path.
pub(super) fn basename(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Everything before the last part.
pub(super) fn dirname(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => ".",
    }
}

/// The text behind the last dot of the file name, without the dot; a name that begins with its only dot has none.
pub(super) fn extension(path: &str) -> &str {
    match basename(path).rsplit_once('.') {
        Some((name, extension)) if !name.is_empty() => extension,
        _ => "",
    }
}

/// The path without `.`, `..`, `~`, `$HOME` and doubled slashes, absolute.
pub(super) fn resolve(path: &str, event: &Event) -> String {
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
    plain(&format!("/{whole}"))
}

/// Whether a path is the directory, or stands in it. An empty path is nowhere; nothing is inside an empty directory.
pub(super) fn is_inside(path: &str, directory: &str, event: &Event) -> bool {
    if path.is_empty() || directory.is_empty() {
        return false;
    }
    Path::new(&resolve(path, event)).starts_with(resolve(directory, event))
}

/// Compiles a glob: without a slash it is held against the file name, else against the path from the project, the home
/// (`~/`) or the root (`/`, `**`) on.
pub(super) fn glob(text: &str, written: Written) -> Result<Glob, BadPattern> {
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
    Ok(Glob { matcher: Search::of_glob(glob.regex(), written)?, anchor })
}

/// Whether a glob selects a path.
pub(super) fn selects(
    glob: &Glob,
    path: &str,
    event: &Event,
    spend: &dyn Fn(usize) -> Result<(), Stop>,
) -> Result<bool, Stop> {
    if path.is_empty() {
        return Ok(false);
    }
    let from = |directory: &Path| {
        let whole = resolve(path, event);
        let directory = resolve(&directory.to_string_lossy(), event);
        let rest = Path::new(&whole).strip_prefix(directory).ok();
        rest.and_then(Path::to_str).map_or(Ok(false), |rest| glob.matcher.is_in(rest, spend))
    };
    match glob.anchor {
        Anchor::Name => glob.matcher.is_in(basename(path), spend),
        Anchor::Project => from(&event.within.project),
        Anchor::Home => from(&event.within.home),
        Anchor::Root => glob.matcher.is_in(&resolve(path, event), spend),
    }
}
