//! The values for which Cursor drops a whole `hooks.json` (CU-6). Table, and the names of events.

use super::config::all_event_rows;
use crate::dialect::kit::shape::{RefusedValue, Shape};
use crate::syntax::Node;

const HOOK: Shape = Shape::Keys(
    &[
        ("type", Shape::OneOf(&["command", "prompt"])),
        ("command", Shape::Text),
        ("prompt", Shape::Text),
        ("model", Shape::Text),
        ("matcher", Shape::Pattern),
        ("timeout", Shape::AboveZero),
        ("loop_limit", Shape::OrNull(&Shape::Whole(1))),
        ("failClosed", Shape::Bool),
    ],
    &[],
);

const FILE: Shape = Shape::Keys(
    &[("version", Shape::Whole(1)), ("hooks", Shape::Events(all_event_rows, &Shape::Items(&HOOK)))],
    &["version", "hooks"],
);

/// Returns the first value for which Cursor drops the file with this root.
pub(super) fn find_refused_value(root: &Node) -> Option<RefusedValue> {
    FILE.find_refused_value(root).or_else(|| find_unknown_event(root))
}

/// Returns the first event that Cursor does not have.
fn find_unknown_event(root: &Node) -> Option<RefusedValue> {
    let is_known = |name: &str| all_event_rows().iter().any(|row| row.name == name);
    let unknown = root.get("hooks")?.entries().iter().find(|event| !is_known(&event.key))?;
    Some(RefusedValue {
        path: format!("hooks.{}", unknown.key),
        span: unknown.key_span,
        key_span: Some(unknown.key_span),
        fault: "is no event of Cursor".to_owned(),
    })
}
