//! Which files does a pattern of the shell stand for? Looks at the names in directories, and at no content.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// How many paths one pattern may stand for.
const MOST: usize = 10_000;
/// How deep `**` is followed.
const DEEPEST: usize = 32;
/// Characters that make a pattern of a name.
const STARS: &[char] = &['*', '?', '['];
/// How a class of characters begins within brackets.
const CLASSES: &[&str] = &["[:", "[.", "[="];
/// Words that make the patterns of their line fit hidden files, too.
const FITS_HIDDEN: &[&str] = &["dotglob", "setopt", "GLOBIGNORE"];

/// Whether a star at the start of a name stands for a dot, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dots {
    Fit,
    DoNot,
}

impl Dots {
    /// Returns whether patterns in this shell line match hidden files.
    pub(super) fn for_shell_line(line: &str) -> Self {
        if FITS_HIDDEN.iter().any(|word| line.contains(word)) { Self::Fit } else { Self::DoNot }
    }
}

/// The paths that a pattern stands for.
#[derive(Debug)]
pub(super) struct Expanded {
    /// Those that are there; none where the path is no pattern.
    pub(super) paths: Vec<PathBuf>,
    /// Whether these are all.
    pub(super) is_whole: bool,
}

/// Expands an absolute path whose components may be patterns.
pub(super) fn expand_globs(path: &Path, dots: Dots) -> Expanded {
    let is_pattern = |part: Component<'_>| part.as_os_str().to_string_lossy().contains(STARS);
    if !path.components().any(is_pattern) {
        return Expanded { paths: Vec::new(), is_whole: true };
    }
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        let name = part.as_os_str().to_string_lossy();
        found = match () {
            () if !name.contains(STARS) => found.iter().map(|at| at.join(part)).collect(),
            () if name == "**" => {
                found.iter().flat_map(|at| directories_below(at, 0)).take(MOST + 1).collect()
            }
            () => {
                let fits = Fits::new(&name, dots);
                found.iter().flat_map(|at| matching_entries(at, &fits)).take(MOST + 1).collect()
            }
        };
        if found.len() > MOST {
            return Expanded { paths: found, is_whole: false };
        }
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    Expanded { paths: found, is_whole: true }
}

/// Which names a pattern fits. One that cannot be read fits all.
struct Fits {
    matcher: Option<GlobMatcher>,
    hidden: bool,
}

impl Fits {
    fn new(pattern: &str, dots: Dots) -> Self {
        // A class such as `[[:alpha:]]` is read as any character.
        let is_class = |rest: &str| CLASSES.iter().any(|start| rest.contains(start));
        let is_read = pattern.split_once('[').is_none_or(|(_, rest)| !is_class(rest));
        let built = GlobBuilder::new(pattern).backslash_escape(true).build().ok();
        let matcher = built.filter(|_| is_read).map(|glob| glob.compile_matcher());
        let hidden = dots == Dots::Fit || pattern.starts_with(['.', '[']);
        Self { matcher, hidden }
    }

    fn matches(&self, name: &str) -> bool {
        (self.hidden || !name.starts_with('.'))
            && self.matcher.as_ref().is_none_or(|matcher| matcher.is_match(name))
    }
}

/// Returns the entries of a directory whose names match.
fn matching_entries(directory: &Path, fits: &Fits) -> Vec<PathBuf> {
    let Ok(read) = std::fs::read_dir(directory) else { return Vec::new() };
    let named = read.flatten().filter(|entry| fits.matches(&entry.file_name().to_string_lossy()));
    named.map(|entry| entry.path()).take(MOST + 1).collect()
}

/// Returns a directory and every directory below it.
fn directories_below(directory: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    let Ok(read) = std::fs::read_dir(directory) else { return found };
    for entry in read.flatten() {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && depth < DEEPEST && found.len() <= MOST {
            found.extend(directories_below(&entry.path(), depth + 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-15.
    #[test]
    fn pattern_stands_for_the_files_that_a_shell_would_find() {
        let fixture = tempfile::tempdir().unwrap();
        for name in [".env", "src/a.rs", "src/.env", "src/b.md", "src/deep/c.rs"] {
            let path = fixture.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = |pattern: &str, dots| {
            let paths = expand_globs(&fixture.path().join(pattern), dots).paths;
            let names = paths.iter().map(|path| path.strip_prefix(fixture.path()).unwrap());
            let mut names: Vec<_> = names.map(|name| name.display().to_string()).collect();
            names.sort();
            names
        };
        for (pattern, names) in [
            (".e*", vec![".env"]),
            (".e?v", vec![".env"]),
            (".en[v]", vec![".env"]),
            ("[.]env", vec![".env"]),
            ("*", vec!["src"]),
            ("src/*.rs", vec!["src/a.rs"]),
            ("s*/*.rs", vec!["src/a.rs"]),
            ("**/*.rs", vec!["src/a.rs", "src/deep/c.rs"]),
            ("src/[[:alpha:]].md", vec!["src/a.rs", "src/b.md", "src/deep", "src/.env"]),
            ("none/*", vec![]),
            ("src/a.rs", vec![]),
        ] {
            let mut names = names;
            names.sort_unstable();
            assert_eq!(found(pattern, Dots::DoNot), names, "{pattern}");
        }
        assert_eq!(found("src/*", Dots::Fit).len(), 4);
    }
}
