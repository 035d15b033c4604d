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
    pub(super) fn new(places: impl Iterator<Item = &'static str>) -> Self {
        let (starred, plain): (Vec<_>, Vec<_>) = places.partition(|text| text.contains('*'));
        let deepest =
            plain.iter().map(|text| text.matches('/').count() + 1).max().unwrap_or_default();
        let plain = plain.into_iter().map(str::to_ascii_lowercase).collect();
        Self { plain, starred, deepest }
    }

    /// Whether `path` is one of the places as it is written.
    pub(super) fn names(&self, path: &str) -> bool {
        self.plain.contains(&*path.to_ascii_lowercase())
    }

    /// Whether one of the places may be meant by `pattern`.
    pub(super) fn may_match(&self, pattern: &str) -> bool {
        self.plain.iter().any(|place| like(pattern, place))
    }

    /// Whether `path` is one of the places or lies in one.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.is_below(&path.to_ascii_lowercase()) || self.fits(path)
    }

    /// The same for places that may lie in any directory.
    pub(super) fn holds_anywhere(&self, path: &str) -> bool {
        let small = path.to_ascii_lowercase();
        tails(&small).any(|tail| self.is_below(tail)) || tails(path).any(|tail| self.fits(tail))
    }

    fn is_below(&self, small: &str) -> bool {
        let ends = small.match_indices('/').map(|(at, _)| at).chain([small.len()]);
        let mut starts = ends.take(self.deepest).filter_map(|end| small.get(..end));
        starts.any(|start| self.plain.contains(start))
    }

    fn fits(&self, path: &str) -> bool {
        self.starred.iter().any(|place| like(place, path))
    }
}

/// A path, and what is left of it behind each of its directories.
fn tails(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.split_once('/').map(|(_, rest)| rest))
}

/// Whether `text` fits `pattern`, name by name; `*` takes no leading dot.
pub(super) fn like(pattern: &str, text: &str) -> bool {
    let (mut patterns, mut texts) = (pattern.split('/'), text.split('/'));
    loop {
        match (patterns.next(), texts.next()) {
            (None, None) => return true,
            (Some(pattern), Some(text)) if name_like(pattern.as_bytes(), text.as_bytes()) => {}
            _ => return false,
        }
    }
}

/// Greedy with one way back, so that it stays quadratic.
fn name_like(pattern: &[u8], text: &[u8]) -> bool {
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
