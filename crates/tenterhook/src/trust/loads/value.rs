//! Texts that a script computes, as far as they are known without running it. Values only.

use std::path::{Path, PathBuf};

use crate::trust::named::normalize_path;

/// Longest text that is put together.
const LONGEST_TEXT: usize = 64 << 10;
/// Longest text that is kept behind one that is not known.
const LONGEST_TAIL: usize = 4096;

/// Characters that make a word a pattern.
const WILDCARDS: &[char] = &['*', '?', '[', '{'];

/// The mark in the tail of a value for a text that is not known.
pub(super) const HOLE: &str = "\u{1}";

/// A text that a script computes, and how much of it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The known beginning.
    pub(super) text: String,
    /// What follows it.
    pub(super) rest: Rest,
    /// What follows a text that is not known, with a mark for each further one.
    pub(super) tail: String,
    /// Whether it depends on where the script lies.
    pub(super) is_own: bool,
}

/// What follows the known beginning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing: all of it is known.
    Nothing,
    /// Nothing, and the text is a pattern that names files.
    Pattern,
    /// A parameter that the script was started with, which the entry names.
    Parameter,
    /// A text that is known only when the script runs.
    Unknown,
}

impl Value {
    pub(super) fn from_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), rest: Rest::Nothing, tail: String::new(), is_own: false }
    }

    pub(super) fn from_path(path: &Path) -> Self {
        Self::from_text(path.to_string_lossy())
    }

    /// Creates a path that depends on where the script lies.
    pub(super) fn from_script_path(path: &Path) -> Self {
        Self { is_own: true, ..Self::from_path(path) }
    }

    pub(super) fn unknown() -> Self {
        Self { rest: Rest::Unknown, ..Self::from_text("") }
    }

    pub(super) fn is_known(&self) -> bool {
        self.rest == Rest::Nothing
    }

    /// Returns this text with an unknown part in each place that a format names: `%s`, `%(name)d`.
    pub(super) fn fill_format_with_unknown(&self) -> Self {
        let mut pieces = self.text.split('%');
        let mut filled =
            Self { is_own: self.is_own, ..Self::from_text(pieces.next().unwrap_or_default()) };
        for piece in pieces {
            let end = piece.find(char::is_alphabetic).map_or(piece.len(), |at| at + 1);
            let end = piece.find(')').map_or(end, |at| (at + 2).min(piece.len()));
            filled = filled.append(&Self::unknown());
            filled = filled.append(&Self::from_text(piece.get(end..).unwrap_or_default()));
        }
        filled
    }

    /// Returns this value followed by another.
    pub(super) fn append(mut self, next: &Self) -> Self {
        self.is_own |= next.is_own;
        if self.text.len() + next.text.len() > LONGEST_TEXT {
            self.rest = Rest::Unknown;
            return self;
        }
        match self.rest {
            Rest::Nothing => {
                let is_alone = self.text.is_empty() || next.rest != Rest::Parameter;
                self.text.push_str(&next.text);
                self.rest = if is_alone { next.rest } else { Rest::Unknown };
                self.tail.push_str(&next.tail);
            }
            Rest::Parameter if next.is_known() && next.text.is_empty() => {}
            // What follows a pattern belongs to it.
            Rest::Pattern if next.is_known() || next.rest == Rest::Pattern => {
                self.text.push_str(&next.text)
            }
            Rest::Parameter | Rest::Pattern | Rest::Unknown => {
                self.rest = Rest::Unknown;
                if self.tail.len() < LONGEST_TAIL {
                    self.tail.push_str(&next.text);
                    self.tail.push_str(if next.is_known() { "" } else { HOLE });
                    self.tail.push_str(&next.tail);
                }
            }
        }
        self
    }

    /// Returns the path `next` in the directory that this value names. An absolute path replaces
    /// the directory.
    pub(super) fn join_path(self, next: &Self) -> Self {
        if next.text.starts_with('/') {
            return next.clone();
        }
        if next.text.is_empty() && next.is_known() {
            return self;
        }
        let is_empty = self.text.is_empty() && self.is_known();
        let slash = if is_empty || self.text.ends_with('/') { "" } else { "/" };
        self.append(&Self::from_text(slash)).append(next)
    }

    /// Returns the directory that contains the path.
    pub(super) fn parent(mut self) -> Self {
        let trimmed = if self.is_known() { self.text.trim_end_matches('/') } else { &self.text };
        let parent = match trimmed.rfind('/') {
            Some(0) => "/",
            Some(at) => trimmed.get(..at).unwrap_or_default(),
            None => ".",
        };
        self.text = parent.to_owned();
        self
    }

    /// Returns the last part of the path.
    pub(super) fn file_name(&self) -> Self {
        match self.is_known() {
            true => Self::from_text(self.text.rsplit('/').next().unwrap_or_default()),
            false => Self::unknown(),
        }
    }

    /// Returns the path that the value names from `base`. If only the beginning is known, returns
    /// the directory that contains it.
    pub(super) fn resolve_from(&self, base: &Self) -> Option<PathBuf> {
        let text = match self.rest {
            Rest::Nothing => self.text.as_str(),
            Rest::Parameter | Rest::Pattern | Rest::Unknown => {
                let known = self.text.split(WILDCARDS).next()?;
                known.rfind('/').and_then(|at| known.get(..=at))?
            }
        };
        let is_relative = !text.starts_with('/');
        if text.is_empty() || is_relative && !base.is_known() {
            return None;
        }
        let path = Path::new(&base.text).join(text);
        path.is_absolute().then(|| normalize_path(&path))
    }

    /// Returns the pattern of file names in the directory, if no other part of the path is a
    /// pattern.
    pub(super) fn file_name_pattern(&self) -> Option<&str> {
        let (directory, name) = self.text.rsplit_once('/')?;
        (self.rest == Rest::Pattern && !directory.contains(WILDCARDS)).then_some(name)
    }

    /// Returns whether the path that the value names from `base` depends on where the script lies.
    pub(super) fn depends_on_script_location(&self, base: &Self) -> bool {
        self.is_own || !self.text.starts_with('/') && base.is_own
    }
}
