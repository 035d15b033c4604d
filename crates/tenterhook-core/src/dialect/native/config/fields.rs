//! The fields of one table, checked against their shapes. A table with one wrong field is rejected
//! as a whole (C-1).

use std::time::Duration;

use super::Reader;
use super::keys::{Key, Shape, join_quoted, known_synonym};
use super::values;
use crate::diagnostic::{Code, Span, nearest_word};
use crate::hook::Prewarm;
use crate::syntax::{Entry, Node};

/// A table whose keys are known and whose values have the right shape.
pub(super) struct Fields<'n> {
    pub(super) entry: &'n Entry,
}

impl<'n> Fields<'n> {
    /// Checks every key and value of an entry; returns `None` if something is wrong, which is
    /// reported.
    pub(super) fn read_checked(
        reader: &mut Reader<'_>,
        entry: &'n Entry,
        of: &str,
        known: &'static [Key],
    ) -> Option<Self> {
        if entry.node.as_object().is_none() {
            let message = format!("{of} is a table, not {}", entry.node.kind_with_article());
            reader.report(Code::WrongType, entry.node.span, message).help =
                Some(format!("give it {}", first_keys_message(known)));
            return None;
        }
        let before = reader.error_count();
        let mut seen: Vec<&str> = Vec::new();
        for field in entry.node.entries() {
            if seen.contains(&field.key.as_str()) {
                reader.report_repeated_key(field);
                continue;
            }
            seen.push(&field.key);
            match known.iter().find(|key| key.name == field.key) {
                Some(key) => reader.check_value_shape(field, key.shape),
                None => reader.report_unknown_key(field, of, known),
            }
        }
        (reader.error_count() == before).then_some(Self { entry })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry.node.get(key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&'n str> {
        self.get(key)?.as_str()
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    /// Returns a number that was checked to be whole and above 0.
    pub(super) fn positive_number(&self, key: &str) -> Option<u64> {
        let number = self.get(key)?.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "its shape was checked: whole, above 0, and far below where numbers are no longer exact"
        )]
        Some(number as u64)
    }

    pub(super) fn duration(&self, key: &str) -> Option<Duration> {
        values::parse_duration(self.text(key)?).ok()
    }

    /// Returns the items of a list of strings, or the one string, with their spans.
    pub(super) fn strings(&self, key: &str) -> Vec<(&'n str, Span)> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let one = node.as_str().map(|text| (text, node.span));
        let items = node.as_array().into_iter().flatten();
        one.into_iter().chain(items.filter_map(|node| Some((node.as_str()?, node.span)))).collect()
    }

    pub(super) fn value_span(&self, key: &str) -> Span {
        self.get(key).map_or(self.entry.key_span, |node| node.span)
    }

    pub(super) fn key_span(&self, key: &str) -> Span {
        self.entry.node.entry(key).map_or(self.entry.key_span, |field| field.key_span)
    }

    pub(super) fn has_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

impl Reader<'_> {
    pub(super) fn error_count(&self) -> usize {
        self.errors
    }

    /// Checks one value against its shape.
    pub(super) fn check_value_shape(&mut self, field: &Entry, shape: Shape) {
        let node = &field.node;
        let strings = |items: &[Node]| items.iter().all(|item| item.as_str().is_some());
        let list = node.as_array().is_some_and(strings);
        let right = match shape {
            Shape::Text => node.as_str().is_some(),
            Shape::Flag => node.as_bool().is_some(),
            Shape::Words => node.as_str().is_some() || list,
            Shape::List => list,
            Shape::Time => return self.check_duration(field),
            Shape::Choice(words) => return self.check_choice(field, words),
            Shape::Variables => node
                .as_object()
                .is_some_and(|all| all.iter().all(|entry| entry.node.as_str().is_some())),
            Shape::Table => node.as_object().is_some(),
            Shape::TextOrTable => node.as_str().is_some() || node.as_object().is_some(),
            // The items of the list are checked one by one.
            Shape::Cases => node.as_object().is_some() || node.as_array().is_some(),
            Shape::Conditions => {
                let one = |node: &Node| node.as_str().is_some() || node.as_object().is_some();
                one(node) || node.as_array().is_some_and(|items| items.iter().all(one))
            }
            Shape::Prewarm => {
                node.as_bool().is_some() || node.as_str().and_then(Prewarm::from_name).is_some()
            }
            Shape::Count => node.as_f64().is_some_and(values::is_count),
            Shape::Bytes => node.as_f64().is_some_and(values::is_byte_count),
            Shape::TextOr(_) if node.as_str().is_some() => true,
            Shape::TextOr(known) if node.as_object().is_none() => {
                let (key, found) = (&field.key, node.kind_with_article());
                let message = format!("`{key}` is a string or a table, not {found}");
                let help = format!(
                    "write `{key} = \"...\"`, or a table with {}",
                    first_keys_message(known)
                );
                self.report(Code::WrongType, node.span, message).help = Some(help);
                return;
            }
            Shape::TextOr(known) | Shape::Fields(known) => {
                let of = format!("`{}`", field.key);
                let _ = Fields::read_checked(self, field, &of, known);
                return;
            }
        };
        if !right {
            let (expected, help) = expected_value_and_help(field, shape);
            let (found, span) = describe_misfitting_value(node, shape);
            let message = format!("`{}` is {expected}, not {found}", field.key);
            self.report(Code::WrongType, span, message).help = Some(help);
        }
    }

    fn check_duration(&mut self, field: &Entry) {
        let node = &field.node;
        let (code, message, help) = match node.as_str().map(values::parse_duration) {
            Some(Ok(_)) => return,
            Some(Err(fault)) => (
                Code::BadDuration,
                fault.to_string(),
                "write `\"250ms\"`, `\"5s\"` or `\"2m\"`".to_owned(),
            ),
            None => match node.as_f64() {
                Some(number) if number < 0.0 => (
                    Code::BadDuration,
                    format!("`{} = {number}` lies in the past", field.key),
                    "write `\"250ms\"`, `\"5s\"` or `\"2m\"`".to_owned(),
                ),
                Some(number) => (
                    Code::DurationWithoutUnit,
                    format!("`{} = {number}` has no unit", field.key),
                    format!(
                        "write `\"{number}s\"` for seconds or `\"{number}ms\"` for milliseconds"
                    ),
                ),
                None => (
                    Code::WrongType,
                    format!("`{}` is a duration, not {}", field.key, node.kind_with_article()),
                    "write `\"250ms\"`, `\"5s\"` or `\"2m\"`".to_owned(),
                ),
            },
        };
        self.report(code, node.span, message).help = Some(help);
    }

    fn check_choice(&mut self, field: &Entry, words: &'static [&'static str]) {
        let Some(word) = field.node.as_str() else {
            let help = format!("write one of {}", join_quoted(words.iter().copied()));
            self.report(
                Code::WrongType,
                field.node.span,
                format!("`{}` is a word, not {}", field.key, field.node.kind_with_article()),
            )
            .help = Some(help);
            return;
        };
        if words.contains(&word) {
            return;
        }
        let meant =
            nearest_word(word, words.iter().copied()).or_else(|| known_synonym(word, words));
        let help = meant.map_or_else(
            || format!("write one of {}", join_quoted(words.iter().copied())),
            |near| format!("did you mean `{near}`?"),
        );
        self.report(
            Code::UnknownWord,
            field.node.span,
            format!("`{}` cannot be `{word}`", field.key),
        )
        .help = Some(help);
    }
}

/// Lists the first keys of a table, for messages.
fn first_keys_message(known: &[Key]) -> String {
    join_quoted(known.iter().map(|key| key.name).take(3))
}

/// Describes the value that does not fit, and returns its span: in a list or table of the right
/// type, that of the first item that is not a string.
fn describe_misfitting_value(node: &Node, shape: Shape) -> (String, Span) {
    let whole = (node.kind_with_article().to_owned(), node.span);
    let within =
        |item: &Node, kind| (format!("{kind} that holds {}", item.kind_with_article()), item.span);
    let odd = |item: &&Node| item.as_str().is_none();
    match shape {
        Shape::Words | Shape::List => {
            let item = node.as_array().and_then(|items| items.iter().find(odd));
            item.map_or(whole, |item| within(item, "one"))
        }
        Shape::Variables => {
            let mut values = node.as_object().into_iter().flatten().map(|entry| &entry.node);
            values.find(odd).map_or(whole, |item| within(item, "one"))
        }
        Shape::Conditions => {
            let odd = |node: &&Node| node.as_str().is_none() && node.as_object().is_none();
            let item = node.as_array().and_then(|items| items.iter().find(odd));
            item.map_or(whole, |item| within(item, "one"))
        }
        // The kind is right, and the number is not.
        Shape::Count | Shape::Bytes => match node.as_f64() {
            Some(number) => (number.to_string(), node.span),
            None => whole,
        },
        // The type is right, but the value is unknown.
        Shape::Prewarm if node.as_str().is_some() => ("another word".to_owned(), node.span),
        _ => whole,
    }
}

/// Says how to write a flag that was written as another value.
fn flag_help(key: &str, found: &Node) -> String {
    let word = found.as_str().map(str::to_ascii_lowercase);
    match word.as_deref() {
        Some("true" | "yes" | "on") => format!("write `{key} = true`, without quotes"),
        Some("false" | "no" | "off") => format!("write `{key} = false`, without quotes"),
        _ => format!("write `{key} = true` or `{key} = false`, without quotes"),
    }
}

/// Returns what the value of a field must be, and the help that says how to write it.
fn expected_value_and_help(field: &Entry, shape: Shape) -> (&'static str, String) {
    let key = field.key.as_str();
    match shape {
        Shape::Text => ("a string", format!("write `{key} = \"...\"`")),
        Shape::Flag => ("`true` or `false`", flag_help(key, &field.node)),
        Shape::Words => (
            "a string or an array of strings",
            format!("write `{key} = \"...\"` or `{key} = [\"...\", \"...\"]`"),
        ),
        Shape::List if key == "run" => (
            "an array: the program and its arguments",
            "write `run = [\"program\", \"argument\"]`, or `shell = \"...\"` for a shell line"
                .to_owned(),
        ),
        Shape::List if key == "worker" => (
            "an array: the program and its arguments",
            "write `worker = [\"program\", \"argument\"]`".to_owned(),
        ),
        Shape::List => ("an array of strings", format!("write `{key} = [\"...\"]`")),
        Shape::Variables => {
            ("a table of strings", format!("write `{key} = {{ NAME = \"value\" }}`"))
        }
        Shape::Cases => (
            "an array of tables",
            format!("write `{key} = [{{ event = \"Bash git push -f\", expect = \"deny\" }}]`"),
        ),
        Shape::Conditions => {
            ("a rule, or a list of rules", format!("write `{key} = \"Bash(git push *)\"`"))
        }
        Shape::Table => ("a table", format!("write `{key} = {{ ... }}`")),
        Shape::TextOrTable => {
            ("a string or a table", format!("write `{key} = \"...\"` or `{key} = {{ ... }}`"))
        }
        Shape::Prewarm => (
            "`true`, `false`, `\"python\"` or `\"node\"`",
            format!(
                "write `{key} = true`, or `{key} = \"python\"` or `{key} = \"node\"` for such a script"
            ),
        ),
        Shape::Count => {
            let quoted = field.node.as_str().and_then(|text| text.parse().ok());
            let meant = quoted.filter(|n| *n > 0).unwrap_or(10_u32);
            ("a whole number above 0", format!("write `{key} = {meant}`"))
        }
        Shape::Bytes => {
            ("a whole number of bytes, at least 65536", format!("write `{key} = 67108864`"))
        }
        Shape::Time | Shape::Choice(_) | Shape::Fields(_) | Shape::TextOr(_) => {
            ("something else", format!("give `{key}` a value"))
        }
    }
}
