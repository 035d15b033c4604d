//! Reads TOML with spans. Knows no key and no schema.

use toml_edit::{Array, Document, Item, Key, TableLike, Value};

use super::{Entry, FaultKind, Node, NodeValue, Parsed, Span, SyntaxFault};

pub(super) fn parse(text: &str) -> Parsed {
    // `toml_edit` bounds its own recursion (80 levels) and drops a leading byte order mark, which TOML permits.
    match Document::parse(text) {
        Ok(document) => {
            let root = Node {
                span: Span::new(0, text.len()),
                value: table(document.as_table(), Span::new(0, 0)),
            };
            Parsed { root: Some(root), ..Parsed::default() }
        }
        Err(error) => {
            let range = error.span().unwrap_or(0..0);
            let span = Span::new(range.start.min(text.len()), range.end.min(text.len()));
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            if message.contains("recursion limit") {
                return Parsed::failed(SyntaxFault::new(
                    FaultKind::Limit,
                    span,
                    "nested deeper than the TOML reader takes",
                ));
            }
            Parsed::failed(SyntaxFault::new(FaultKind::Broken, span, message))
        }
    }
}

/// The keys and values of a text that is one table without a header; `None` where it is not well formed. Spans count from
/// `base`.
pub(super) fn entries(text: &str, base: usize) -> Option<Vec<Entry>> {
    let document = Document::parse(text).ok()?;
    let NodeValue::Object(mut entries) = table(document.as_table(), Span::new(0, 0)) else {
        return None;
    };
    entries.iter_mut().for_each(|entry| entry.shift(base));
    Some(entries)
}

fn table(table: &dyn TableLike, parent: Span) -> NodeValue {
    let entries = table.iter().map(|(key, item)| {
        let key_span = table.key(key).and_then(Key::span).map_or(parent, from_range);
        Entry { key: key.to_owned(), key_span, node: item_node(item, key_span) }
    });
    NodeValue::Object(entries.collect())
}

/// A table that only its sub-tables or dotted keys imply has no span: it gets that of its key.
fn item_node(item: &Item, parent: Span) -> Node {
    let span = item.span().map_or(parent, from_range);
    let value = match item {
        Item::None => NodeValue::Null,
        Item::Value(value) => return value_node(value, parent),
        Item::Table(inner) => table(inner, span),
        Item::ArrayOfTables(tables) => {
            let items = tables.iter().map(|inner| {
                let span = inner.span().map_or(parent, from_range);
                Node { span, value: table(inner, span) }
            });
            NodeValue::Array(items.collect())
        }
    };
    Node { span, value }
}

fn value_node(value: &Value, parent: Span) -> Node {
    let span = value.span().map_or(parent, from_range);
    let value = match value {
        Value::String(text) => NodeValue::String(text.value().clone()),
        Value::Integer(number) => NodeValue::Number((*number.value()).into()),
        Value::Float(number) => float(*number.value()),
        Value::Boolean(truth) => NodeValue::Bool(*truth.value()),
        Value::Datetime(date) => NodeValue::String(date.value().to_string()),
        Value::Array(array) => NodeValue::Array(items(array, span)),
        Value::InlineTable(inner) => table(inner, span),
    };
    Node { span, value }
}

fn items(array: &Array, parent: Span) -> Vec<Node> {
    array.iter().map(|item| value_node(item, parent)).collect()
}

fn float(number: f64) -> NodeValue {
    serde_json::Number::from_f64(number)
        .map_or_else(|| NodeValue::String(number.to_string()), NodeValue::Number)
}

fn from_range(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}
