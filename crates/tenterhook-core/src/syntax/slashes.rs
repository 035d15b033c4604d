//! Finds a text in JSON that an agent would cut, because it removes comments without a look at
//! texts. Reads no file.

use super::{Node, NodeValue};
use crate::diagnostic::Span;

/// Returns the first text of a parsed document that contains `//` or the whole of a comment
/// `/* */`, as it is written: `\/\/` is no comment.
pub(crate) fn find_text_with_comment(root: &Node, text: &str) -> Option<Span> {
    let is_cut = |span: Span| {
        let written = text.get(span.start..span.end).unwrap_or_default();
        let has_block = written.split_once("/*").is_some_and(|(_, rest)| rest.contains("*/"));
        (written.contains("//") || has_block).then_some(span)
    };
    match &root.value {
        NodeValue::String(_) => is_cut(root.span),
        NodeValue::Array(items) => items.iter().find_map(|item| find_text_with_comment(item, text)),
        NodeValue::Object(entries) => entries.iter().find_map(|entry| {
            is_cut(entry.key_span).or_else(|| find_text_with_comment(&entry.node, text))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::find_text_with_comment;
    use crate::syntax::{Format, parse_by_format};

    /// CU-5.
    #[test]
    fn comments_within_texts_are_found_as_written() {
        for (text, expected) in [
            (r#"{"a": "curl https://x"}"#, Some(6)),
            (r#"{"a": ["b", "x // y"]}"#, Some(12)),
            (r#"{"a//b": 1}"#, Some(1)),
            (r#"{"a": "src/**/x.ts"}"#, Some(6)),
            (r#"{"a": "curl https:\/\/x"}"#, None),
            (r#"{"a": "rm /tmp/*"}"#, None),
            ("{\"a\": 1 // a comment\n}", None),
            (r#"{"a": 1 /* a comment */}"#, None),
        ] {
            let root = parse_by_format(text, Format::Json).root.expect("a root");
            let found = find_text_with_comment(&root, text).map(|span| span.start);
            assert_eq!(found, expected, "{text}");
        }
    }
}
