//! The values for which Kimi Code CLI ignores all hooks of its `config.toml`, played with 2.1.0
//! (KM-4).

use super::config::KEYS;
use super::vocabulary::ROWS;
use crate::dialect::kit::shape::RefusedValue;
use crate::syntax::{Entry, Node};

/// The longest timeout, in seconds.
const LONGEST_TIMEOUT: f64 = 600.0;

/// Returns the first value for which Kimi Code CLI ignores all hooks in the file with this root.
pub(super) fn find_refused_value(root: &Node) -> Option<RefusedValue> {
    let hooks = root.entry("hooks")?;
    let Some(entries) = hooks.node.as_array() else {
        let kind = hooks.node.kind_with_article();
        let fault = format!("takes an array of tables, found {kind}");
        return Some(new_refused_value("hooks".to_owned(), hooks, fault));
    };
    entries.iter().enumerate().find_map(|(at, node)| find_fault_of_entry(at, node))
}

/// Returns the first value for which Kimi Code CLI refuses an entry.
pub(super) fn find_fault_of_entry(at: usize, node: &Node) -> Option<RefusedValue> {
    let refused = |fault: String| {
        let path = format!("hooks.{at}");
        Some(RefusedValue { path, span: node.span, key_span: None, fault })
    };
    let Some(fields) = node.as_object() else {
        return refused(format!("takes a table, found {}", node.kind_with_article()));
    };
    for field in fields {
        if let Some(fault) = fault_of_field(field) {
            return Some(new_refused_value(format!("hooks.{at}.{}", field.key), field, fault));
        }
    }
    let missing = ["event", "command"].into_iter().find(|key| node.entry(key).is_none())?;
    refused(format!("has no `{missing}`"))
}

fn new_refused_value(path: String, field: &Entry, fault: String) -> RefusedValue {
    RefusedValue { path, span: field.node.span, key_span: Some(field.key_span), fault }
}

fn fault_of_field(field: &Entry) -> Option<String> {
    let (node, key) = (&field.node, field.key.as_str());
    if !KEYS.contains(&key) {
        return Some("is no key of an entry".to_owned());
    }
    if key == "timeout" {
        let is_whole =
            |number: &f64| number.fract() == 0.0 && (1.0..=LONGEST_TIMEOUT).contains(number);
        return match node.as_f64().filter(is_whole) {
            Some(_) => None,
            None => Some("takes a whole number of seconds from 1 to 600".to_owned()),
        };
    }
    let Some(text) = node.as_str() else {
        return Some(format!("takes a string, found {}", node.kind_with_article()));
    };
    match key {
        "event" if !ROWS.iter().any(|row| row.name == text) => {
            Some(format!("takes the name of an event, found `{text}`"))
        }
        "command" if text.is_empty() => Some("is empty".to_owned()),
        _ => None,
    }
}
