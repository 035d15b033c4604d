//! What the readers of all configs share: findings that get their place, and numbers for entries of
//! the same name. Knows no format.

use std::collections::HashMap;

use crate::diagnostic::{Code, Diagnostic, Lines, Location, Severity, Span};
use crate::dialect::kit::shape::RefusedValue;
use crate::request::placeholder;
use crate::source::Source;

/// Creates a finding that has no location yet.
pub(crate) fn finding_without_location(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, message, None)
}

/// Reports a misspelt `$ARGUMENTS` in a prompt: it would not be replaced, and the model would read
/// it.
pub(crate) fn misspelt_placeholder_finding(text: &str) -> Option<Diagnostic> {
    let mut rest = text;
    while let Some(sign) = placeholder::find_first_placeholder(rest) {
        (_, rest) = sign.split_dollar_from_rest();
        let inner = rest.strip_prefix('{').unwrap_or(rest);
        let end = inner.find(|c: char| !c.is_ascii_alphabetic() && c != '_');
        let word = inner.get(..end.unwrap_or(inner.len())).unwrap_or_default();
        let braced = inner.len() < rest.len();
        let meant = MEANT.contains(&word.to_ascii_uppercase().as_str());
        if meant && (braced || word != "ARGUMENTS") && !sign.before.ends_with('\\') {
            let found = if braced { format!("${{{word}}}") } else { format!("${word}") };
            let message =
                format!("`{found}` is not the place of the event: the model reads it as it stands");
            return Some(
                finding_without_location(Code::MisspeltPlace, message).help("write `$ARGUMENTS`"),
            );
        }
    }
    None
}

/// Words for the place of the event that people write.
const MEANT: &[&str] =
    &["ARGUMENTS", "ARGUMENT", "ARGS", "INPUT", "HOOK_INPUT", "EVENT", "PAYLOAD"];

/// The findings of one text.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    lines: Lines<'a>,
    /// How many entries have each name so far.
    ordinals: HashMap<String, usize>,
    found: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        Self {
            lines: Lines::new(&source.name, &source.text),
            ordinals: HashMap::new(),
            found: Vec::new(),
        }
    }

    pub(crate) fn location(&self, span: Span) -> Location {
        self.lines.location(span)
    }

    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Drops all findings behind the first `count`.
    pub(crate) fn keep_first(&mut self, count: usize) {
        self.found.truncate(count);
    }

    pub(crate) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        let place = Some(self.location(span));
        self.found.push(Diagnostic { place, ..diagnostic });
    }

    /// Reports a value for which the agent refuses the whole file, as `refuses` says. If there is a
    /// finding about that value, its message is replaced.
    pub(crate) fn report_refused_value(&mut self, refused: &RefusedValue, refuses: &str) {
        let message = format!("{refuses}: {}", refused.sentence());
        let starts = [Some(refused.span), refused.key_span].map(|span| span.map(|span| span.start));
        let is_about_value = |found: &&mut Diagnostic| {
            found.place.as_ref().is_some_and(|place| starts.contains(&Some(place.span.start)))
        };
        if let Some(found) = self.found.iter_mut().find(is_about_value) {
            found.message = message;
            found.severity = Severity::Error;
            return;
        }
        let found = finding_without_location(Code::WrongFieldType, message);
        self.report(refused.span, found.with_severity(Severity::Error));
    }

    /// Returns a number, counted from one, that no other entry has under the same `name`.
    pub(crate) fn next_ordinal(&mut self, name: &str) -> usize {
        let count = self.ordinals.entry(name.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// Returns the first error, if there is one.
    pub(crate) fn first_error(&self) -> Option<&Diagnostic> {
        self.found.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
    }

    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        self.found
    }
}
