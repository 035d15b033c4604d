//! Reads one field of an entry: keys by the agent's rules, values of the documented type. A value
//! of another type is reported and treated as absent.

use std::time::Duration;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::findings::{Findings, finding_without_location};
use crate::syntax::{Entry, Node};

/// Whether the case of a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Counts,
    Ignored,
}

impl Case {
    /// Returns `true` if a key as written is `key` by the agent's rules on case.
    pub(crate) fn matches_key(self, written: &str, key: &str) -> bool {
        match self {
            Self::Counts => written == key,
            Self::Ignored => written.eq_ignore_ascii_case(key),
        }
    }

    /// Returns the entry of a key, even if it is `null`; the last one if the key is written twice.
    pub(crate) fn last_entry_of_key<'n>(self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        node.entries().iter().rev().find(|entry| self.matches_key(&entry.key, key))
    }

    /// Returns the entry of a key; `null` is the same as absent.
    pub(crate) fn non_null_entry_of_key<'n>(self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        self.last_entry_of_key(node, key).filter(|entry| !entry.node.is_null())
    }
}

/// More seconds than this were meant as milliseconds.
const LONG: f64 = 1000.0;
/// Fewer milliseconds than this are no time for a process: seconds were meant.
pub(crate) const SHORT: f64 = 100.0;

impl Findings<'_> {
    /// Reports a field whose value has another type than `what`.
    pub(crate) fn report_wrong_type(&mut self, field: &Entry, what: &str) {
        let message =
            format!("`{}` takes {what}, found {}", field.key, field.node.kind_with_article());
        self.report(field.node.span, finding_without_location(Code::WrongFieldType, message));
    }

    /// Reads a text field, and reports a value of another type.
    pub(crate) fn read_text<'n>(&mut self, field: Option<&'n Entry>) -> Option<&'n str> {
        let field = field?;
        if field.node.as_str().is_none() {
            self.report_wrong_type(field, "a string");
        }
        field.node.as_str()
    }

    /// Reads a boolean field; `false` if it is absent or not a boolean.
    pub(crate) fn read_flag(&mut self, field: Option<&Entry>) -> bool {
        let Some(field) = field else { return false };
        field.node.as_bool().unwrap_or_else(|| {
            self.report_wrong_type(field, "`true` or `false`");
            false
        })
    }

    /// Reads a timeout in milliseconds. An invalid one leaves the default, so that a gate is not
    /// lost; fewer than `least` are reported.
    pub(crate) fn read_timeout_in_millis(&mut self, field: &Entry, least: f64) -> Option<Duration> {
        let (key, span) = (&field.key, field.node.span);
        let Some(millis) = field.node.as_f64().filter(|node| *node > 0.0) else {
            let message =
                format!("`{key}` takes a number of milliseconds above 0; the default counts");
            self.report(
                span,
                with_number_help(
                    field,
                    finding_without_location(Code::WrongFieldType, message),
                    1000.0,
                ),
            );
            return None;
        };
        if millis < least {
            let message = format!("`{key}` is in milliseconds: this gives the hook {millis} ms");
            let help = format!("if seconds were meant, write `{}`", millis * 1000.0);
            self.report(
                span,
                finding_without_location(Code::TimeoutLooksLikeSeconds, message).help(help),
            );
        }
        Duration::try_from_secs_f64(millis / 1000.0).ok()
    }

    /// Reads a timeout in seconds; an invalid one is reported and leaves the default.
    pub(crate) fn read_timeout_in_seconds(&mut self, field: &Entry) -> Option<Duration> {
        let Some(number) = field.node.as_f64().filter(|node| *node > 0.0) else {
            self.report_wrong_type(field, "a number of seconds above 0");
            return None;
        };
        self.report_excessive_seconds(field, number);
        seconds_to_duration(number)
    }

    /// Reads a number of seconds, which may be 0; reports a number that was probably meant in
    /// milliseconds, and any other value.
    pub(crate) fn read_seconds(&mut self, field: &Entry) -> Option<f64> {
        let number = field.node.as_f64().filter(|number| *number >= 0.0);
        match number {
            Some(seconds) => self.report_excessive_seconds(field, seconds),
            None => self.report_wrong_type(field, "a number of seconds"),
        }
        number
    }

    /// Reports a timeout of so many seconds that milliseconds were probably meant.
    pub(crate) fn report_excessive_seconds(&mut self, field: &Entry, seconds: f64) {
        if seconds < LONG {
            return;
        }
        let message =
            format!("`{}` is in seconds: this waits {}", field.key, format_seconds(seconds));
        let found = finding_without_location(Code::TimeoutLooksLikeMs, message)
            .help(format!("if milliseconds were meant, write `{}`", seconds / LONG));
        self.report(field.node.span, found);
    }
}

/// Adds to `found`, about a number written as a string, how to write it as a number. `second` is
/// how many units are a second.
pub(crate) fn with_number_help(field: &Entry, found: Diagnostic, second: f64) -> Diagnostic {
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

/// Returns a number of seconds in hours, minutes and seconds.
fn format_seconds(seconds: f64) -> String {
    let seconds =
        Duration::try_from_secs_f64(seconds).map_or(u64::MAX, |duration| duration.as_secs());
    match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// Returns the strings of an array; `None` if it holds anything else.
pub(crate) fn strings_of_array(node: &Node) -> Option<Vec<String>> {
    node.as_array()?.iter().map(|node| node.as_str().map(str::to_owned)).collect()
}

/// Converts seconds to a timeout, if they are valid and not zero.
pub(crate) fn seconds_to_duration(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok().filter(|duration| !duration.is_zero())
}
