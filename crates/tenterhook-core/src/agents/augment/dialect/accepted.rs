//! The values for which Auggie drops all hooks of an event in a file (AU-6), from the schema in the
//! code of 0.36.0. Tables, except for matchers that JavaScript cannot compile.

use super::vocabulary::ROWS;
use crate::diagnostic::Span;
use crate::dialect::kit::lint::javascript_fault;
use crate::dialect::kit::shape::{RefusedValue, Shape, StoppedEvent};
use crate::syntax::{Entry, Node};

const HANDLER: Shape = Shape::ByType(&[(
    "command",
    &[("command", Shape::Text), ("args", Shape::Texts), ("timeout", Shape::AboveZero)],
    &["command"],
)]);

const GROUPS: Shape = Shape::Items(&Shape::Keys(
    &[
        ("matcher", Shape::Text),
        ("hooks", Shape::Items(&HANDLER)),
        (
            "metadata",
            Shape::Keys(
                &[
                    ("includeConversationData", Shape::Bool),
                    ("includeMCPMetadata", Shape::Bool),
                    ("includeUserContext", Shape::Bool),
                ],
                &[],
            ),
        ),
    ],
    &["hooks"],
));

/// Returns the events of which Auggie drops all hooks in the file with this root.
pub(super) fn find_stopped_events(root: &Node) -> Vec<StoppedEvent> {
    let events = root.get("hooks").map(Node::entries).unwrap_or_default();
    let known = events.iter().filter(|event| ROWS.iter().any(|row| row.name == event.key));
    known.filter_map(find_stopping_value).collect()
}

fn find_stopping_value(event: &Entry) -> Option<StoppedEvent> {
    let value =
        GROUPS.find_refused_value_in_entry(event).or_else(|| find_invalid_matcher(event))?;
    Some(StoppedEvent { event: event.key.clone(), value, is_of_one_file: true })
}

/// Returns the first matcher that is no regular expression.
fn find_invalid_matcher(event: &Entry) -> Option<RefusedValue> {
    event.node.as_array()?.iter().enumerate().find_map(|(at, group)| {
        let matcher = group.get("matcher")?;
        let why = javascript_fault(matcher.as_str()?)?;
        let path = format!("{}.{at}.matcher", event.key);
        let fault = format!("is not a valid regular expression: {why}");
        Some(RefusedValue { path, span: matcher.span, key_span: None::<Span>, fault })
    })
}
