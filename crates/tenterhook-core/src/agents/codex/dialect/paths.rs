//! The files that Codex loads from given roots, and whether a file is one of its configs (CX-1 to
//! CX-3). Opens no file.

use std::path::Path;

use super::events::ROWS;
use crate::dialect::{Candidate, DialectId, Fit, Roots, machine};
use crate::hook::Layer;
use crate::syntax::Node;

/// The two files in which a layer configures hooks.
const FORMS: [&str; 2] = ["hooks.json", "config.toml"];

/// The organization's requirements, and the machine's files in both forms.
pub(crate) const MACHINE: &[machine::File] = &[
    (Some("codex"), "requirements.toml"),
    (Some("codex"), "hooks.json"),
    (Some("codex"), "config.toml"),
];

/// The managed files, the user's, and those of each directory from the repository's root to the
/// working directory.
pub(super) fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let home = roots.agent_home(DialectId::CODEX);
    let user = FORMS.map(|form| (home.join(form), Layer::User));
    let root = roots.repository.as_deref().unwrap_or(&roots.cwd);
    let mut around: Vec<&Path> =
        roots.cwd.ancestors().take_while(|ancestor| ancestor.starts_with(root)).collect();
    around.reverse();
    let project = around.into_iter().flat_map(|directory| {
        FORMS.map(|form| (directory.join(".codex").join(form), Layer::Project))
    });
    let others = user.into_iter().chain(project).map(|(path, layer)| Candidate { path, layer });
    machine::machine_wide_files(MACHINE, roots).into_iter().chain(others).collect()
}

/// Ends of paths that only this agent reads.
const OWN: &[&str] = &[".codex/hooks.json", ".codex/config.toml", "codex/requirements.toml"];

/// How certainly a file is a config of this agent: by its path, or as TOML with groups in an event.
/// JSON of that shape is Claude Code's unless the caller names an agent.
pub(super) fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if OWN.iter().any(|end| path.ends_with(end)) {
        return Fit::Certain;
    }
    let hooks = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let is_event = |key: &str| ROWS.iter().any(|row| row.name == key);
    let groups = hooks.iter().any(|hook| is_event(&hook.key) && hook.node.as_array().is_some());
    if groups { Fit::Shape } else { Fit::No }
}
