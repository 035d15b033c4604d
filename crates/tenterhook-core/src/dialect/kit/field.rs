//! Reads one field of an entry: keys by the agent's rules, values of the documented type. A value
//! of another type is reported and treated as absent.

use std::time::Duration;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::findings::{Findings, finding};
use crate::syntax::{Entry, Node};

/// Whether the case of a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Counts,
    Ignored,
}

impl Case {
    /// Whether a key that was written is `key`.
    pub(crate) fn is(self, written: &str, key: &str) -> bool {
        match self {
            Self::Counts => written == key,
            Self::Ignored => written.eq_ignore_ascii_case(key),
        }
    }

    /// The entry of a key, `null` included; the last one if it is written twice.
    pub(crate) fn written<'n>(self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        node.entries().iter().rev().find(|entry| self.is(&entry.key, key))
    }

    /// The entry of a key; `null` is the same as absent.
    pub(crate) fn non_null_entry<'n>(self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        self.written(node, key).filter(|entry| !entry.node.is_null())
    }
}

/// More seconds than this were meant as milliseconds.
const LONG: f64 = 1000.0;
/// Fewer milliseconds than this are no time for a process: seconds were meant.
pub(crate) const SHORT: f64 = 100.0;

impl Findings<'_> {
    /// Tells that a field holds something else than it takes.
    pub(crate) fn takes(&mut self, field: &Entry, what: &str) {
        let message = format!("`{}` takes {what}, found {}", field.key, field.node.kind());
        self.report(field.node.span, finding(Code::WrongFieldType, message));
    }

    /// A text.
    pub(crate) fn text<'n>(&mut self, field: Option<&'n Entry>) -> Option<&'n str> {
        let field = field?;
        if field.node.as_str().is_none() {
            self.takes(field, "a string");
        }
        field.node.as_str()
    }

    /// A flag; `false` if it is absent or not a boolean.
    pub(crate) fn flag(&mut self, field: Option<&Entry>) -> bool {
        let Some(field) = field else { return false };
        field.node.as_bool().unwrap_or_else(|| {
            self.takes(field, "`true` or `false`");
            false
        })
    }

    /// A timeout in milliseconds; an invalid one leaves the default, so that a gate is not lost. Fewer than `least` are
    /// reported.
    pub(crate) fn millis(&mut self, field: &Entry, least: f64) -> Option<Duration> {
        let (key, span) = (&field.key, field.node.span);
        let Some(millis) = field.node.as_f64().filter(|node| *node > 0.0) else {
            let message =
                format!("`{key}` takes a number of milliseconds above 0; the default counts");
            self.report(span, in_a_string(field, finding(Code::WrongFieldType, message), 1000.0));
            return None;
        };
        if millis < least {
            let message = format!("`{key}` is in milliseconds: this gives the hook {millis} ms");
            let help = format!("if seconds were meant, write `{}`", millis * 1000.0);
            self.report(span, finding(Code::TimeoutLooksLikeSeconds, message).help(help));
        }
        Duration::try_from_secs_f64(millis / 1000.0).ok()
    }

    /// A timeout in seconds; an invalid one is reported, and leaves the default.
    pub(crate) fn seconds(&mut self, field: &Entry) -> Option<Duration> {
        let Some(number) = field.node.as_f64().filter(|node| *node > 0.0) else {
            self.takes(field, "a number of seconds above 0");
            return None;
        };
        self.many_seconds(field, number);
        seconds(number)
    }

    /// So many seconds are many: milliseconds were meant.
    pub(crate) fn many_seconds(&mut self, field: &Entry, seconds: f64) {
        if seconds < LONG {
            return;
        }
        let message =
            format!("`{}` is in seconds: this waits {}", field.key, span_of_time(seconds));
        let found = finding(Code::TimeoutLooksLikeMs, message)
            .help(format!("if milliseconds were meant, write `{}`", seconds / LONG));
        self.report(field.node.span, found);
    }
}

/// `found`, about a number that was written as a text, with how to write it: `5000`, or `5s` where
/// a second is so many.
pub(crate) fn in_a_string(field: &Entry, found: Diagnostic, second: f64) -> Diagnostic {
    let text = field.node.as_str().map_or("", str::trim);
    let in_unit = |unit: &str, worth: f64| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * worth)
    };
    let number = in_unit("", 1.0)
        .or_else(|| in_unit("ms", second / 1000.0))
        .or_else(|| in_unit("s", second))
        .or_else(|| in_unit("m", second * 60.0));
    match number {
        Some(number) if number > 0.0 => found.help(format!("write `{number}`, without quotes")),
        _ => found,
    }
}

/// A number of seconds as people say it.
fn span_of_time(seconds: f64) -> String {
    let seconds =
        Duration::try_from_secs_f64(seconds).map_or(u64::MAX, |duration| duration.as_secs());
    match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// The strings of an array of nothing else.
pub(crate) fn texts(node: &Node) -> Option<Vec<String>> {
    node.as_array()?.iter().map(|node| node.as_str().map(str::to_owned)).collect()
}

/// Converts seconds to a timeout, if they are a valid one.
pub(crate) fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok().filter(|duration| !duration.is_zero())
}
