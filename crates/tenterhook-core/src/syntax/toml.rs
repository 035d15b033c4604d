//! Reads TOML with spans. Knows no key and no schema.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue, Error};

use super::{Entry, FaultKind, Node, NodeValue, Parsed, Span, SyntaxFault};

/// Finds the first value that TOML 1.1 permits and 1.0 does not: a reader of 1.0, such as Python's
/// `tomllib`, refuses the whole file.
pub(crate) fn find_value_of_toml_1_1(node: &Node, text: &str) -> Option<Span> {
    let written = text.get(node.span.start..node.span.end).unwrap_or_default();
    let is_newer = match &node.value {
        NodeValue::String(_) if written.starts_with('"') => has_newer_escape(written),
        // A date keeps its text.
        NodeValue::String(_) if !written.starts_with('\'') => has_time_without_seconds(written),
        NodeValue::Object(entries) if written.starts_with('{') => {
            has_newer_layout(node, entries, text)
        }
        _ => false,
    };
    if is_newer {
        return Some(node.span);
    }
    match &node.value {
        NodeValue::Array(items) => items.iter().find_map(|item| find_value_of_toml_1_1(item, text)),
        NodeValue::Object(entries) => {
            entries.iter().find_map(|entry| find_value_of_toml_1_1(&entry.node, text))
        }
        _ => None,
    }
}

/// Returns `true` for a basic string with an escape `\e` or `\x`.
fn has_newer_escape(written: &str) -> bool {
    let mut chars = written.chars();
    while let Some(char) = chars.next() {
        if char == '\\' && matches!(chars.next(), Some('e' | 'x')) {
            return true;
        }
    }
    false
}

/// Returns `true` for a date or time with hours and minutes alone.
fn has_time_without_seconds(written: &str) -> bool {
    let time = written.rsplit(['T', 't', ' ']).next().unwrap_or_default();
    let has_colon_at = |at: usize| time.as_bytes().get(at) == Some(&b':');
    has_colon_at(2) && !has_colon_at(5)
}

/// Returns `true` for a table in braces with a line break between its entries, or a comma behind
/// the last one.
fn has_newer_layout(node: &Node, entries: &[Entry], text: &str) -> bool {
    let mut from = node.span.start + 1;
    let mut is_newer = false;
    for entry in entries {
        let gap = text.get(from..entry.key_span.start).unwrap_or_default();
        is_newer |= gap.contains('\n');
        from = end_of_node(&entry.node);
    }
    let rest = text.get(from..node.span.end.saturating_sub(1)).unwrap_or_default();
    is_newer || rest.contains('\n') || (!entries.is_empty() && rest.contains(','))
}

/// Returns where a value ends. A table of dotted keys has the span of its first key.
fn end_of_node(node: &Node) -> usize {
    let inner = node.entries().iter().map(|entry| end_of_node(&entry.node));
    inner.chain([node.span.end]).max().unwrap_or_default()
}

pub(super) fn parse_toml(text: &str) -> Parsed {
    // `toml` bounds its own recursion (80 levels) and drops a leading byte order mark, which TOML permits.
    match DeTable::parse(text) {
        Ok(document) => {
            let root = Node {
                span: Span::new(0, text.len()),
                value: table_to_value(document.into_inner()),
            };
            Parsed { root: Some(root), ..Parsed::default() }
        }
        Err(error) => Parsed::from_fatal_fault(syntax_fault_from_error(&error, text)),
    }
}

fn syntax_fault_from_error(error: &Error, text: &str) -> SyntaxFault {
    let range = error.span().unwrap_or(0..0);
    let span = Span::new(range.start.min(text.len()), range.end.min(text.len()));
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    if message.contains("recursion limit") {
        let message = "nested deeper than the TOML reader takes";
        return SyntaxFault::new(FaultKind::Limit, span, message);
    }
    SyntaxFault::new(FaultKind::Broken, span, message)
}

/// Parses the keys and values of a text that is one table without a header; `None` if it is
/// malformed. Spans are relative to `base`.
pub(super) fn parse_entries(text: &str, base: usize) -> Option<Vec<Entry>> {
    let document = DeTable::parse(text).ok()?;
    let NodeValue::Object(mut entries) = table_to_value(document.into_inner()) else {
        return None;
    };
    entries.iter_mut().for_each(|entry| entry.shift_spans(base));
    Some(entries)
}

fn table_to_value(table: DeTable<'_>) -> NodeValue {
    let entries = table.into_iter().map(|(key, value)| {
        let key_span = span_from_range(key.span());
        Entry { key: key.into_inner().into_owned(), key_span, node: to_node(value) }
    });
    NodeValue::Object(entries.collect())
}

/// Converts a value to a node. A table that is only implied by its sub-tables or dotted keys has
/// the span of its key.
fn to_node(value: Spanned<DeValue<'_>>) -> Node {
    let span = span_from_range(value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => NodeValue::String(text.into_owned()),
        DeValue::Integer(number) => integer_to_value(&number),
        DeValue::Float(number) => float_to_value(number.as_str()),
        DeValue::Boolean(truth) => NodeValue::Bool(truth),
        DeValue::Datetime(date) => NodeValue::String(date.to_string()),
        DeValue::Array(items) => NodeValue::Array(items.into_iter().map(to_node).collect()),
        DeValue::Table(inner) => table_to_value(inner),
    };
    Node { span, value }
}

fn integer_to_value(number: &DeInteger<'_>) -> NodeValue {
    i64::from_str_radix(number.as_str(), number.radix())
        .map_or_else(|_| NodeValue::String(number.to_string()), |n| NodeValue::Number(n.into()))
}

fn float_to_value(text: &str) -> NodeValue {
    let number = text.parse().ok().and_then(serde_json::Number::from_f64);
    number.map_or_else(|| NodeValue::String(text.to_owned()), NodeValue::Number)
}

fn span_from_range(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}
