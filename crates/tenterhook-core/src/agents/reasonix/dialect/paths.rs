//! The paths of the settings of Reasonix, and whether a file is one of its configs. Opens nothing.

use std::path::Path;

use super::events;
use crate::dialect::{Candidate, Fit, Roots};
use crate::hook::Layer;
use crate::syntax::Node;

/// The path of the settings, below the project and below the home.
const SETTINGS: &str = ".reasonix/settings.json";

/// The settings of the project and of the user. The project's hooks run first (RX-10).
pub(super) fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    [(&roots.cwd, Layer::Project), (&roots.home, Layer::User)]
        .map(|(directory, layer)| Candidate { path: directory.join(SETTINGS), layer })
        .into_iter()
        .collect()
}

/// Events that no other agent has.
const OWN_EVENTS: &[&str] =
    &["TurnStart", "TurnEnd", "PreModelCall", "PostModelCall", "PostLLMCall"];

/// How certain it is that the file at `path` with this content is a config of this agent.
pub(super) fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if path.ends_with(SETTINGS) {
        return Fit::Certain;
    }
    let Some(hooks) = root.and_then(|root| root.get("hooks")) else { return Fit::No };
    let known = hooks.entries().iter().filter(|entry| events::find_by_name(&entry.key).is_some());
    let fits = known.map(|event| {
        let entries = event.node.as_array().unwrap_or_default();
        let flat = |entry: &Node| entry.get("command").is_some() && entry.get("hooks").is_none();
        let own = OWN_EVENTS.contains(&event.key.as_str());
        let matched = |entry: &Node| flat(entry) && entry.get("match").is_some();
        if own || entries.iter().any(matched) {
            Fit::Certain
        } else if entries.iter().any(flat) {
            Fit::Shape
        } else {
            Fit::No
        }
    });
    fits.max().unwrap_or(Fit::No)
}
