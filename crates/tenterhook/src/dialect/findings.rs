//! What the readers of all configs share: findings that get their place, and numbers for entries of the same name.
//! Knows no format.

use std::collections::HashMap;

use crate::config::Source;
use crate::diagnostic::{Diagnostic, Lines, Place, Severity, Span};

/// A finding that has no place yet.
pub(super) fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, message, None)
}

/// A finding that has no place yet.
pub(super) fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Warning, message, None)
}

/// A finding that has no place yet.
pub(super) fn advice(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Advice, message, None)
}

/// The findings of one text.
#[derive(Debug)]
pub(super) struct Findings<'a> {
    lines: Lines<'a>,
    /// How many entries have each name so far.
    ordinals: HashMap<String, usize>,
    found: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub(super) fn of(source: &'a Source) -> Self {
        Self {
            lines: Lines::of(&source.name, &source.text),
            ordinals: HashMap::new(),
            found: Vec::new(),
        }
    }

    pub(super) fn place(&self, span: Span) -> Place {
        self.lines.place(span)
    }

    pub(super) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        let place = Some(self.place(span));
        self.found.push(Diagnostic { place, ..diagnostic });
    }

    /// A number that no other entry has under the same `name`, from one.
    pub(super) fn ordinal(&mut self, name: &str) -> usize {
        let count = self.ordinals.entry(name.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// The first error, if there is one.
    pub(super) fn first_error(&self) -> Option<&Diagnostic> {
        self.found.iter().find(|it| it.severity == Severity::Error)
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.found
    }
}
