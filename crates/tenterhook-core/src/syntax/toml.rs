//! Reads TOML with spans. Knows no key and no schema.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue, Error};

use super::{Entry, FaultKind, Node, NodeValue, Parsed, Span, SyntaxFault};

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
