//! Where native files lie, and how one is told from another dialect's. Opens nothing.

use std::path::Path;

use crate::dialect::{Candidate, Fit, Roots, machine};
use crate::hook::Layer;
use crate::syntax::Node;

/// The file of a person or a project, in both shapes (C-40).
const FILES: [&str; 2] = ["tenterhook.toml", "tenterhook.json"];
/// The rule packs that may lie beside it, in separate files, so that neither hides the other's
/// changes.
const PACKS: [&str; 2] = ["tenterhook.guardrails.toml", "tenterhook.hold-subagents.toml"];
/// The file beside it that is not committed.
const LOCAL: [&str; 2] = ["tenterhook.local.toml", "tenterhook.local.json"];

/// An organisation has a directory for us beside that of Claude Code, which is read as well.
const MACHINE: &[machine::File] = &[
    (OWN, "tenterhook.toml"),
    (OWN, "tenterhook.json"),
    (OWN, "tenterhook.guardrails.toml"),
    (OWN, "tenterhook.hold-subagents.toml"),
    (None, "tenterhook.toml"),
    (None, "tenterhook.json"),
    (None, "tenterhook.guardrails.toml"),
    (None, "tenterhook.hold-subagents.toml"),
];

const OWN: Option<&str> = Some("tenterhook");

/// Returns the native files that are looked for: managed, user, project, local, the strongest layer
/// first (C-41).
pub(super) fn candidate_files(roots: &Roots) -> Vec<Candidate> {
    let user = roots.user_tenterhook_dir();
    let project = roots.repository.as_deref().unwrap_or(&roots.cwd);
    let directories = [
        (user.as_path(), Layer::User, FILES),
        (project, Layer::Project, FILES),
        (project, Layer::Local, LOCAL),
    ];
    let mut found = machine::machine_wide_files(MACHINE, roots);
    for (directory, layer, names) in directories {
        let packs = if layer == Layer::Local { &[][..] } else { &PACKS[..] };
        let names = names.iter().chain(packs);
        found.extend(names.map(|name| Candidate { path: directory.join(name), layer }));
    }
    found
}

/// Returns whether a file is a native config: certainly by its name; a file with another name needs
/// a `hook` table of tables whose entries run something (C-40).
pub(super) fn recognize_config_file(path: &Path, root: Option<&Node>) -> Fit {
    let name = path.file_name().unwrap_or_default();
    if FILES.iter().chain(&LOCAL).chain(&PACKS).any(|known| name == *known) {
        return Fit::Certain;
    }
    let Some(root) = root else { return Fit::No };
    let hooks = root.get("hook").map(Node::entries).unwrap_or_default();
    let governs = root.get("source").is_some_and(|source| !source.entries().is_empty());
    if hooks.iter().any(|hook| hook.node.get("on").is_some() || hook.node.get("enabled").is_some())
    {
        return Fit::Certain;
    }
    if governs || !hooks.is_empty() { Fit::Shape } else { Fit::No }
}
