//! The values for which Droid silently drops a whole `hooks.json`, measured with 0.225.2: it parses
//! the file as one value (DR-6). Table only.

use super::vocabulary::ROWS;
use crate::dialect::kit::shape::{RefusedValue, Shape};
use crate::syntax::Node;

const HANDLER: Shape = Shape::ByType(&[(
    "command",
    &[("command", Shape::Text), ("timeout", Shape::Number), ("preserveRiskLevel", Shape::Bool)],
    &["command"],
)]);

const GROUPS: Shape = Shape::Items(&Shape::Keys(
    &[("matcher", Shape::Text), ("commandRegex", Shape::Text), ("hooks", Shape::Items(&HANDLER))],
    &["hooks"],
));

const EVENTS: Shape = Shape::Events(|| &ROWS, &GROUPS);
const SWITCHES: Shape =
    Shape::Keys(&[("hooksDisabled", Shape::Bool), ("showHookOutput", Shape::Bool)], &[]);

/// Returns the first value for which Droid drops the file with this root.
pub(super) fn find_refused_value(root: &Node) -> Option<RefusedValue> {
    [EVENTS, SWITCHES].into_iter().find_map(|shape| shape.find_refused_value(root))
}
