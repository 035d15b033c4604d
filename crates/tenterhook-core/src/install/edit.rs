//! Edits a text by spans: appends a child to a container, or removes a child with its separator.
//! Knows no hook.
//!
//! In an empty container, the first child follows one space after the bracket. That space shows,
//! when the child is removed, that the container existed before.

use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::diagnostic::Span;
use crate::syntax::{Node, NodeValue};

/// The text before the first child of a container that existed and was empty.
const EXISTED: &str = " ";

/// Returns the spans of a container's children, including keys.
pub(super) fn child_spans(node: &Node) -> Vec<Span> {
    match &node.value {
        NodeValue::Array(items) => items.iter().map(|node| node.span).collect(),
        NodeValue::Object(entries) => entries
            .iter()
            .map(|entry| Span::new(entry.key_span.start, entry.node.span.end))
            .collect(),
        _ => Vec::new(),
    }
}

/// The text with a child appended to `node`, with a `key` if that is an object.
pub(super) fn append_child(text: &str, node: &Node, key: Option<&str>, value: &Value) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let unit = detect_indent_unit(text);
    let children = child_spans(node);
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        // Other text may share its line, unless the whole file is this empty container.
        let is_whole =
            text.trim_start_matches('\u{feff}').trim_start().len() + node.span.start == text.len();
        let new = match is_whole {
            true => format_child_indented(key, value, "", &unit, newline),
            false => format_child_on_one_line(key, value),
        };
        return insert_text_at(text, node.span.start + 1, &format!("{EXISTED}{new}"));
    };
    let gap = text.get(node.span.start + 1..first.start).unwrap_or_default();
    let new = match gap.rsplit_once('\n') {
        Some((_, indent)) => {
            let indent: String = indent.chars().take_while(|c| c.is_whitespace()).collect();
            let new = format_child_indented(key, value, &indent, &unit, newline);
            format!(",{newline}{indent}{new}")
        }
        None => format!(", {}", format_child_on_one_line(key, value)),
    };
    insert_text_at(text, last.end, &new)
}

/// Returns the text of a file that has only this child.
pub(super) fn file_text_with_one_child(key: &str, value: &Value) -> String {
    format!("{{\n  {}\n}}\n", format_child_indented(Some(key), value, "  ", "  ", "\n"))
}

/// A container without a removed child.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// The text without the child.
    Text(String),
    /// Nothing: the child was the only one, and the container was added with it.
    Nothing,
}

/// The text without child `at` of `node`.
pub(super) fn remove_child(text: &str, node: &Node, at: usize) -> Left {
    let children = child_spans(node);
    let Some(child) = children.get(at) else { return Left::Text(text.to_owned()) };
    let before = at.checked_sub(1).and_then(|n| children.get(n));
    match (before, children.get(at + 1)) {
        (Some(before), _) => {
            Left::Text(cut_child_with_comma(text, before.end, child.start, *child))
        }
        (None, Some(next)) => Left::Text(cut_child_with_comma(text, child.end, next.start, *child)),
        (None, None) => {
            let open = node.span.start + 1;
            let gap = text.get(open..child.start).unwrap_or_default();
            let rest = text.get(child.end..node.span.end.saturating_sub(1)).unwrap_or_default();
            let is_bare = rest.trim().is_empty() || rest.trim() == ",";
            match gap == EXISTED || !gap.trim().is_empty() || !is_bare {
                true => {
                    let start = if gap == EXISTED { open } else { child.start };
                    Left::Text(cut_spans(text, &[Span::new(start, child.end)]))
                }
                false => Left::Nothing,
            }
        }
    }
}

/// Returns the text without the children of `node`; its brackets stay.
pub(super) fn remove_all_children(text: &str, node: &Node) -> String {
    cut_spans(text, &[Span::new(node.span.start + 1, node.span.end.saturating_sub(1))])
}

/// Returns the text without a child and one adjacent comma; without the whole gap if it has nothing
/// else.
fn cut_child_with_comma(text: &str, start: usize, end: usize, child: Span) -> String {
    let gap = text.get(start..end).unwrap_or_default();
    if gap.trim() == "," {
        return cut_spans(text, &[Span::new(start.min(child.start), end.max(child.end))]);
    }
    match find_comma(gap) {
        Some(at) => cut_spans(text, &[Span::new(start + at, start + at + 1), child]),
        None => cut_spans(text, &[child]),
    }
}

/// Returns the offset of the first comma outside comments.
fn find_comma(gap: &str) -> Option<usize> {
    let mut rest = gap;
    loop {
        let at = rest.find(['/', ','])?;
        let here = rest.get(at..)?;
        let end = match () {
            () if here.starts_with("//") => here.find('\n')?,
            () if here.starts_with("/*") => here.find("*/")? + 2,
            () if here.starts_with(',') => return Some(gap.len() - rest.len() + at),
            () => 1,
        };
        rest = here.get(end..)?;
    }
}

fn insert_text_at(text: &str, at: usize, new: &str) -> String {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    format!("{before}{new}{after}")
}

/// The text without these spans, which do not overlap.
fn cut_spans(text: &str, spans: &[Span]) -> String {
    let mut spans = spans.to_vec();
    spans.sort_by_key(|span| span.start);
    let mut out = String::new();
    let mut from = 0;
    for span in spans {
        out.push_str(text.get(from..span.start).unwrap_or_default());
        from = span.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Returns the text with `span` replaced by a value, indented like the line of the span.
pub(super) fn replace_span(text: &str, span: Span, value: &Value) -> String {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    if !text.get(span.start..span.end).unwrap_or_default().contains('\n') {
        return format!("{before}{value}{after}");
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = format_child_indented(None, value, &indent, &detect_indent_unit(text), newline);
    format!("{before}{new}{after}")
}

/// Returns the indentation unit of the text.
fn detect_indent_unit(text: &str) -> String {
    let indent =
        |line: &str| -> String { line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect() };
    let found = text.lines().filter(|line| line.trim_start().starts_with('"')).map(indent);
    let found = found.into_iter().find(|text| !text.is_empty() && text.len() <= 8);
    found.unwrap_or_else(|| "  ".to_owned())
}

/// Formats a child on one line.
fn format_child_on_one_line(key: Option<&str>, value: &Value) -> String {
    match key {
        Some(key) => format!("{}: {value}", Value::from(key)),
        None => value.to_string(),
    }
}

/// Formats a child on several lines, indented by `indent`.
fn format_child_indented(
    key: Option<&str>,
    value: &Value,
    indent: &str,
    unit: &str,
    newline: &str,
) -> String {
    use serde::Serialize as _;
    let mut bytes = Vec::new();
    let format = PrettyFormatter::with_indent(unit.as_bytes());
    let done = value.serialize(&mut Serializer::with_formatter(&mut bytes, format));
    let text = match done {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => value.to_string(),
    };
    // A line break inside a string is escaped, so each one here is of the layout.
    let text = text.replace('\n', &format!("{newline}{indent}"));
    match key {
        Some(key) => format!("{}: {text}", Value::from(key)),
        None => text,
    }
}
