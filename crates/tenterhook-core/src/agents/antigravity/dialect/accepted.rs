//! The values for which Antigravity silently drops a whole `hooks.json` (AY-6), as skillsaw 0.22.0
//! measured them with 1.1.25 and 1.1.26. Tables, except for fields that exclude each other.

use crate::agents::antigravity::GROUPED;
use crate::dialect::kit::field::Case;
use crate::dialect::kit::shape::{RefusedValue, Shape};
use crate::syntax::{Entry, Node};

const HANDLER: Shape = Shape::Keys(
    &[
        ("type", Shape::OrNull(&Shape::OneOf(&["command", "prompt", ""]))),
        ("command", Shape::OrNull(&Shape::Text)),
        ("prompt", Shape::OrNull(&Shape::Text)),
        ("model", Shape::OrNull(&Shape::Text)),
        ("timeout", Shape::OrNull(&Shape::Int32)),
    ],
    &[],
);

const HANDLERS: Shape = Shape::OrNull(&Shape::Items(&Shape::OrNull(&HANDLER)));

const GROUPS: Shape = Shape::OrNull(&Shape::Items(&Shape::OrNull(&Shape::Keys(
    &[("matcher", Shape::OrNull(&Shape::Text)), ("hooks", HANDLERS)],
    &[],
))));

const NAMED: Shape = Shape::OrNull(&Shape::Keys(
    &[
        ("enabled", Shape::OrNull(&Shape::Bool)),
        ("PreToolUse", GROUPS),
        ("PostToolUse", GROUPS),
        ("PreInvocation", HANDLERS),
        ("PostInvocation", HANDLERS),
        ("Stop", HANDLERS),
        ("SessionStart", HANDLERS),
    ],
    &[],
));

/// Returns the first value for which Antigravity drops the file with this root.
pub(super) fn find_refused_value(root: &Node) -> Option<RefusedValue> {
    Shape::Each(&NAMED).find_refused_value(root).or_else(|| {
        root.entries().iter().find_map(|named| {
            let mut events = named.node.entries().iter();
            events.find_map(|event| find_conflict_in_event(&named.key, event))
        })
    })
}

/// Returns the field of a handler in an event that a handler of its type must not have.
fn find_conflict_in_event(hook: &str, event: &Entry) -> Option<RefusedValue> {
    let items = event.node.as_array()?.iter();
    let is_grouped = GROUPED.iter().any(|name| Case::Ignored.matches_key(&event.key, name));
    let mut handlers = items.flat_map(|item| match is_grouped {
        true => item.get("hooks").and_then(Node::as_array).unwrap_or_default(),
        false => std::slice::from_ref(item),
    });
    handlers.find_map(find_conflicting_field).map(|(field, kind)| RefusedValue {
        path: format!("{hook}.{}.{}", event.key, field.key),
        span: field.node.span,
        key_span: Some(field.key_span),
        fault: format!("is no field of a handler of the type `{kind}`"),
    })
}

/// Returns the field of a handler that its type excludes, with the type.
fn find_conflicting_field(handler: &Node) -> Option<(&Entry, &'static str)> {
    let (kind, others): (_, &[&str]) = match handler.get("type").and_then(Node::as_str) {
        Some("prompt") => ("prompt", &["command"]),
        _ => ("command", &["prompt", "model"]),
    };
    let is_set = |entry: &&Entry| entry.node.as_str().is_some_and(|text| !text.is_empty());
    let field = others.iter().find_map(|key| handler.entry(key).filter(is_set))?;
    Some((field, kind))
}
