//! Is a path one of many places, or in one? The names are sorted once; a path is looked up, and not
//! held against each of them.

use std::collections::HashSet;

/// A table of places. A directory stands for everything in it, `*` for any text in a name.
#[derive(Debug)]
pub(super) struct Table {
    /// Those without a `*`, in small letters: some file systems take `.Git/Hooks` for `.git/hooks`.
    plain: HashSet<String>,
    starred: Vec<&'static str>,
    /// The most names that one of the plain ones has.
    deepest: usize,
}

impl Table {
    pub(super) fn from_paths(places: impl Iterator<Item = &'static str>) -> Self {
        let (starred, plain): (Vec<_>, Vec<_>) = places.partition(|text| text.contains('*'));
        let deepest =
            plain.iter().map(|text| text.matches('/').count() + 1).max().unwrap_or_default();
        let plain = plain.into_iter().map(str::to_ascii_lowercase).collect();
        Self { plain, starred, deepest }
    }

    /// Whether `path` is one of the table's paths, as it is written.
    pub(super) fn contains_exactly(&self, path: &str) -> bool {
        self.plain.contains(&*path.to_ascii_lowercase())
    }

    /// Whether `pattern` may match one of the table's paths.
    pub(super) fn pattern_may_match(&self, pattern: &str) -> bool {
        self.plain.iter().any(|place| path_matches(pattern, place))
    }

    /// Whether `path` is one of the table's paths or is inside one.
    pub(super) fn contains(&self, path: &str) -> bool {
        self.is_below_plain_path(&path.to_ascii_lowercase()) || self.matches_starred_path(path)
    }

    /// Whether `path` is one of the table's paths or is inside one, in any directory.
    pub(super) fn contains_anywhere(&self, path: &str) -> bool {
        let small = path.to_ascii_lowercase();
        path_suffixes(&small).any(|tail| self.is_below_plain_path(tail))
            || path_suffixes(path).any(|tail| self.matches_starred_path(tail))
    }

    fn is_below_plain_path(&self, small: &str) -> bool {
        let ends = small.match_indices('/').map(|(at, _)| at).chain([small.len()]);
        let mut starts = ends.take(self.deepest).filter_map(|end| small.get(..end));
        starts.any(|start| self.plain.contains(start))
    }

    fn matches_starred_path(&self, path: &str) -> bool {
        self.starred.iter().any(|place| path_matches(place, path))
    }
}

/// Iterates over a path and what remains of it after each of its directories.
fn path_suffixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.split_once('/').map(|(_, rest)| rest))
}

/// Whether `text` matches `pattern`, name by name; `*` does not match a leading dot.
pub(super) fn path_matches(pattern: &str, text: &str) -> bool {
    let (mut patterns, mut texts) = (pattern.split('/'), text.split('/'));
    loop {
        match (patterns.next(), texts.next()) {
            (None, None) => return true,
            (Some(pattern), Some(text)) if name_matches(pattern.as_bytes(), text.as_bytes()) => {}
            _ => return false,
        }
    }
}

/// Whether a name matches a pattern. The matching is greedy with one backtrack point, so that it
/// takes at most quadratic time.
fn name_matches(pattern: &[u8], text: &[u8]) -> bool {
    if text.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(b'?') => (p, t) = (p + 1, t + 1),
            Some(c) if text.get(t).is_some_and(|byte| byte.eq_ignore_ascii_case(c)) => {
                (p, t) = (p + 1, t + 1);
            }
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|c| *c == b'*')
}
