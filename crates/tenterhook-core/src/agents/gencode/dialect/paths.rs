//! The paths of the settings of Gen, whether a file is one of its configs, and how its layers
//! replace each other (G-1 to G-3). Opens nothing.

use std::collections::HashSet;
use std::path::Path;

use super::events;
use crate::dialect::{Candidate, Fit, Roots};
use crate::event::EventName;
use crate::hook::Layer;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The settings, weakest first. The project is the directory in which the agent was started; its
/// parents are not searched.
pub(super) fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    // `CLAUDE_CONFIG_DIR` does not apply to this agent.
    let user = roots.home.join(".gen");
    [
        (user.join("settings.json"), Layer::User),
        (roots.cwd.join(".gen/settings.json"), Layer::Project),
        (roots.cwd.join(".gen/settings.local.json"), Layer::Local),
    ]
    .into_iter()
    .map(|(path, layer)| Candidate { path, layer })
    .collect()
}

/// Ends of paths that only this agent reads.
const OWN: &[&str] = &[".gen/settings.json", ".gen/settings.local.json", ".gen-plugin/plugin.json"];

/// Recognizes a file by its path. The structure is that of Claude Code's settings, so a file
/// elsewhere is only a weak match.
pub(super) fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if OWN.iter().any(|end| path.ends_with(end)) {
        return Fit::Certain;
    }
    let hooks = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let has_event = hooks.iter().any(|hook| events::find_event_row(&hook.key).is_some());
    if has_event { Fit::Shape } else { Fit::No }
}

/// Returns the strength of a settings layer; other layers neither replace others nor are replaced.
const fn layer_rank(layer: Layer) -> Option<u8> {
    match layer {
        Layer::User => Some(0),
        Layer::Project => Some(1),
        Layer::Local => Some(2),
        Layer::Managed
        | Layer::BuiltIn
        | Layer::Given
        | Layer::Plugin
        | Layer::Skill
        | Layer::Agent => None,
    }
}

/// Disarms the hooks of an event that a stronger settings file mentions, even with an empty list.
pub(super) fn disarm_replaced_hooks(layers: &mut [(&Source, &mut ReadConfig)]) {
    let mentioned: Vec<(u8, String, HashSet<EventName>)> = layers
        .iter()
        .filter_map(|(source, config)| {
            let events = config.mentions.iter().cloned().collect();
            Some((layer_rank(source.layer)?, source.name.to_string(), events))
        })
        .collect();
    for (source, config) in layers.iter_mut() {
        let Some(own) = layer_rank(source.layer) else { continue };
        for hook in &mut config.hooks {
            let stronger = mentioned
                .iter()
                .filter(|(rank, _, events)| *rank > own && events.contains(&hook.event));
            if let Some((_, name, _)) = stronger.max_by_key(|(rank, ..)| *rank) {
                let because = format!("`{name}` replaces the hooks of `{}`", hook.event);
                hook.disarm(because, "G-2");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-1.
    #[test]
    fn config_directory_of_claude_code_does_not_apply() {
        let roots = Roots {
            cwd: "/p".into(),
            home: "/home/x".into(),
            config_home: Some("/elsewhere".into()),
            ..Roots::default()
        };
        let paths: Vec<_> =
            config_candidates(&roots).into_iter().map(|candidate| candidate.path).collect();
        assert_eq!(paths[0], Path::new("/home/x/.gen/settings.json"));
        assert!(paths.iter().all(|path| !path.starts_with("/elsewhere")), "{paths:?}");
    }
}
