//! The files that Claude Code loads from given roots, and whether a file is one of its configs.
//! Opens no file.

use std::path::Path;

use super::events::find_event;
use crate::dialect::{Candidate, Fit, Roots, machine};
use crate::hook::Layer;
use crate::syntax::Node;

/// The organisation's files.
pub(crate) const MACHINE: &[machine::File] =
    &[(None, "managed-settings.json"), (None, "managed-settings.d/*.json")];

/// The files of the settings layers, strongest first (C-38). A project's file is read only from the
/// directory where the agent starts, not from its parents; the local file only from the
/// repository's root.
pub(super) fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let user = roots.config_home.clone().unwrap_or_else(|| roots.home.join(".claude"));
    let repository = roots.repository.as_ref().unwrap_or(&roots.cwd);
    let others = [
        (user.join("settings.json"), Layer::User),
        (roots.cwd.join(".claude/settings.json"), Layer::Project),
        (repository.join(".claude/settings.local.json"), Layer::Local),
    ];
    let others = others.into_iter().map(|(path, layer)| Candidate { path, layer });
    machine::machine_wide_files(MACHINE, roots).into_iter().chain(others).collect()
}

/// Ends of paths that only this agent reads.
const OWN: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    "managed-settings.json",
    ".claude-plugin/plugin.json",
    ".claude-plugin/hooks.json",
];

/// How certainly the file at `path` with this content is a config of this agent.
pub(super) fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if OWN.iter().any(|end| path.ends_with(end)) || is_in_managed_directory(path) {
        return Fit::Certain;
    }
    let Some(root) = root else { return Fit::No };
    if has_front_matter_hooks(path) {
        return if root.get("hooks").is_some() { Fit::Shape } else { Fit::No };
    }
    let maps = [root.get("hooks"), Some(root)];
    let names_event =
        |node: &Node| node.entries().iter().any(|entry| find_event(&entry.key).is_some());
    if maps.into_iter().flatten().any(names_event) { Fit::Shape } else { Fit::No }
}

fn is_in_managed_directory(path: &Path) -> bool {
    path.parent().is_some_and(|parent| parent.ends_with("managed-settings.d"))
}

/// Whether this file has its hooks in front matter.
pub(super) fn has_front_matter_hooks(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Format, parse_by_format};

    /// C-38, C-130.
    #[test]
    fn layers_come_strongest_first_and_the_local_file_from_the_root_of_the_repository() {
        let roots = Roots {
            cwd: "/repo/app/api".into(),
            repository: Some("/repo/app".into()),
            home: "/home/a".into(),
            managed: Some("/etc/claude-code".into()),
            managed_owner: None,
            config_home: None,
            homes: Vec::new(),
            user_config: None,
            user_state: None,
            account_home: None,
        };
        let found = config_candidates(&roots);
        let found: Vec<_> = found
            .iter()
            .map(|candidate| (candidate.path.to_str().unwrap_or_default(), candidate.layer))
            .collect();
        assert_eq!(
            found,
            [
                ("/etc/claude-code/managed-settings.json", Layer::Managed),
                ("/etc/claude-code/managed-settings.d/*.json", Layer::Managed),
                ("/home/a/.claude/settings.json", Layer::User),
                ("/repo/app/api/.claude/settings.json", Layer::Project),
                ("/repo/app/.claude/settings.local.json", Layer::Local),
            ]
        );
    }

    #[test]
    fn config_is_recognized_by_its_path_or_an_event() {
        for (path, text, expected) in [
            ("/a/.claude/settings.json", "{", Fit::Certain),
            ("/a/managed-settings.d/10.json", "{}", Fit::Certain),
            ("/a/my.json", r#"{"hooks": {"PreToolUse": []}}"#, Fit::Shape),
            ("/a/my.json", r#"{"PreToolUse": []}"#, Fit::Shape),
            ("/a/my.json", r#"{"hooks": {"BeforeTool": []}}"#, Fit::No),
            ("/a/package.json", r#"{"name": "x"}"#, Fit::No),
        ] {
            let parsed = parse_by_format(text, Format::Json);
            assert_eq!(
                recognize_config(Path::new(path), parsed.root.as_ref()),
                expected,
                "{path} {text}"
            );
        }
    }
}
