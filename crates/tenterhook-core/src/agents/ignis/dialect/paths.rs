//! The path of the config of ignis, and whether a file is one (I-1, I-2). Opens nothing.

use std::path::Path;

use super::events;
use crate::dialect::{Candidate, Fit, Roots};
use crate::hook::Layer;
use crate::syntax::Node;

/// The user's file, the only one. There is no project file, so a repository cannot add a hook.
pub(super) fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    vec![Candidate { path: roots.home.join(".ignis/hooks.json"), layer: Layer::User }]
}

/// Keys that no other agent has in an entry of `hooks`.
const OWN: &[&str] = &["argv", "timeout_ms", "sandbox"];

/// How certain it is that the file at `path` with this content is a config of this agent: its
/// entries are directly under their event, and have no `type`.
pub(super) fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if path.ends_with(".ignis/hooks.json") {
        return Fit::Certain;
    }
    let events = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let events = events.iter().filter(|event| events::find_event_row(&event.key).is_some());
    let mut fit = Fit::No;
    for event in events {
        let entries = event.node.as_array().unwrap_or_default();
        let flat = |entry: &&Node| entry.get("hooks").is_none() && entry.get("type").is_none();
        for entry in entries.iter().filter(flat) {
            let own = OWN.iter().any(|key| entry.get(key).is_some());
            if own || event.key == "AssistantMessageRender" {
                return Fit::Certain;
            }
            if entry.as_object().is_some() {
                fit = Fit::Shape;
            }
        }
    }
    fit
}
