//! Which files run by themselves later, or tell an agent what to do: at the next commit, when a folder is opened, on `cd`, on
//! another machine? Data, with a reason for each; a write to one of them is asked about (AG-16).
//!
//! Source code, `Makefile`, `build.rs`, `Dockerfile` and their like are not among them: they run when somebody starts them, and
//! to change them is what an agent is for.

use std::path::Path;

use serde_json::Value;

/// A file, or a directory with everything in it, by the end of its path. `*` stands for any text in a name.
struct Row {
    places: &'static [&'static str],
    /// When it runs, or what it changes.
    why: &'static str,
    /// The row applies only where one of these keys changes; an empty list means always.
    keys: &'static [&'static str],
}

const fn new_row(why: &'static str, places: &'static [&'static str]) -> Row {
    Row { places, why, keys: &[] }
}

/// Each of them.
const ROWS: &[Row] = &[
    new_row("git runs it at a commit, a push or a merge", &[".husky", ".githooks", ".git-hooks"]),
    new_row(
        "a hook manager runs what it says at a commit or a push",
        &[
            ".pre-commit-config.yaml",
            ".pre-commit-config.yml",
            ".pre-commit-hooks.yaml",
            "lefthook.*",
            ".lefthook.*",
            "lefthook-local.*",
            ".lefthook-local.*",
            ".overcommit.yml",
            ".lintstagedrc*",
            "lint-staged.config.*",
            ".simple-git-hooks.*",
            "simple-git-hooks.*",
            ".huskyrc*",
        ],
    ),
    new_row("it chooses programs that git runs on files", &[".gitattributes"]),
    new_row("it says from where git fetches code", &[".gitmodules"]),
    new_row(
        "an editor runs what it says when the folder is opened",
        &[
            ".vscode/tasks.json",
            ".vscode/settings.json",
            ".vscode/launch.json",
            ".vscode/mcp.json",
            "*.code-workspace",
            ".idea",
            ".fleet",
            ".zed",
            ".nvim.lua",
            ".nvimrc",
            ".exrc",
            ".vimrc",
            ".lvimrc",
            ".dir-locals.el",
        ],
    ),
    new_row(
        "a container runs what it says when it is made",
        &[".devcontainer", ".devcontainer.json", ".gitpod.yml", ".gitpod.Dockerfile"],
    ),
    new_row(
        "a shell runs what it says when somebody goes to the directory",
        &[
            ".envrc",
            "mise.toml",
            ".mise.toml",
            "mise.*.toml",
            ".mise.*.toml",
            ".mise/config.toml",
            ".config/mise",
            ".autoenv",
            ".autoenv.zsh",
            "devbox.json",
        ],
    ),
    new_row(
        "another machine runs it at a push",
        &[
            ".github/workflows",
            ".github/actions",
            ".gitlab-ci.yml",
            ".gitlab/ci",
            ".circleci",
            ".travis.yml",
            ".drone.yml",
            ".woodpecker",
            ".woodpecker.yml",
            ".buildkite",
            ".forgejo/workflows",
            ".gitea/workflows",
            "azure-pipelines.yml",
            "azure-pipelines.yaml",
            "bitbucket-pipelines.yml",
            "appveyor.yml",
            ".appveyor.yml",
            "Jenkinsfile",
        ],
    ),
    new_row(
        "a package manager goes by it: it names registries, scripts and programs",
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".yarn/releases",
            ".yarn/plugins",
            ".pnpmfile.cjs",
            ".pnpmfile.mjs",
            "bunfig.toml",
            "pip.conf",
            ".mvn",
            ".bundle/config",
        ],
    ),
    new_row("cargo runs the programs that it names", &[".cargo/config", ".cargo/config.toml"]),
    new_row(
        "a debugger or an interactive shell of a language runs it when it starts",
        &[".gdbinit", ".lldbinit", ".pdbrc", ".irbrc", ".pryrc", ".Rprofile"],
    ),
    new_row(
        "agents read it as instructions",
        &[
            "AGENTS.md",
            "AGENTS.override.md",
            "CLAUDE.md",
            "CLAUDE.local.md",
            "GEMINI.md",
            "QWEN.md",
            ".cursorrules",
            ".cursor",
            ".windsurfrules",
            ".windsurf",
            ".clinerules",
            ".roorules",
            ".roo",
            ".goosehints",
            ".github/copilot-instructions.md",
            ".github/instructions",
            ".gemini",
            ".qwen",
        ],
    ),
    Row {
        why: "a package manager runs what it says when packages are installed, and people by short names",
        places: &["package.json"],
        keys: &["scripts", "husky", "gitHooks", "simple-git-hooks", "lint-staged", "pre-commit"],
    },
    Row {
        why: "composer runs what it says when packages are installed",
        places: &["composer.json"],
        keys: &["scripts"],
    },
];

/// What a write makes of a file: its text before and after, where the call says it.
pub(super) type Change<'c> = &'c dyn Fn() -> Option<(String, String)>;

/// Returns when a file of the project runs without a call, given its path in the project. `None` if
/// it does not run, or if the change does not affect what runs.
pub(super) fn why_runs_by_itself(below: &Path, change: Change<'_>) -> Option<String> {
    let row = ROWS.iter().find(|row| row.places.iter().any(|place| lies_at_or_in(below, place)))?;
    if row.keys.is_empty() {
        return Some(row.why.to_owned());
    }
    let Some((before, after)) = change() else { return Some(row.why.to_owned()) };
    let key = find_changed_key(row.keys, &before, &after)?;
    Some(format!("{} (`{key}` changes)", row.why))
}

/// Returns the first of these keys whose value changes. A text that is not a JSON object may
/// contain any of them.
fn find_changed_key<'k>(keys: &[&'k str], before: &str, after: &str) -> Option<&'k str> {
    let object = |text: &str| match text.trim().is_empty() {
        true => Some(Value::Object(serde_json::Map::new())),
        false => serde_json::from_str::<Value>(text).ok().filter(Value::is_object),
    };
    let (Some(before), Some(after)) = (object(before), object(after)) else {
        return keys.first().copied();
    };
    keys.iter().find(|key| before.get(**key) != after.get(**key)).copied()
}

/// Returns whether the path is the place or in it. Case is ignored, as in some file systems.
fn lies_at_or_in(path: &Path, place: &str) -> bool {
    let parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    let place: Vec<String> = place.split('/').map(str::to_lowercase).collect();
    parts
        .windows(place.len())
        .any(|window| window.iter().zip(&place).all(|(part, name)| matches_pattern(name, part)))
}

/// Returns whether a name matches a pattern with at most one `*`.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(path: &str) -> bool {
        why_runs_by_itself(Path::new(path), &|| None).is_some()
    }

    /// AG-16.
    #[test]
    fn file_that_runs_by_itself_is_known_by_its_path() {
        for path in [
            ".husky/pre-commit",
            "web/.husky/_/husky.sh",
            ".vscode/tasks.json",
            ".VSCode/Tasks.json",
            "app.code-workspace",
            ".envrc",
            "sub/mise.local.toml",
            ".github/workflows/ci.yml",
            ".gitattributes",
            ".gitmodules",
            ".npmrc",
            "package.json",
            "packages/a/package.json",
            "CLAUDE.md",
            "docs/AGENTS.md",
            ".devcontainer/devcontainer.json",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            ".cargo/config.toml",
            "Jenkinsfile",
        ] {
            assert!(asks(path), "{path}");
        }
        for path in [
            "src/a.rs",
            "Makefile",
            "build.rs",
            "Dockerfile",
            "Cargo.toml",
            "package-lock.json",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".vscode/extensions.json",
            ".gitignore",
            ".env",
            "docs/husky.md",
            "README.md",
            "mise.md",
        ] {
            assert!(!asks(path), "{path}");
        }
    }

    /// AG-16.
    #[test]
    fn package_file_counts_only_where_what_runs_changes() {
        let before = r#"{"version": "1.0.0", "scripts": {"test": "jest"}}"#;
        let asks = |after: &str| {
            let change = || Some((before.to_owned(), after.to_owned()));
            why_runs_by_itself(Path::new("package.json"), &change).is_some()
        };
        assert!(!asks(r#"{"scripts": {"test": "jest"}, "version": "1.0.1"}"#));
        assert!(asks(r#"{"version": "1.0.0", "scripts": {"test": "jest", "postinstall": "x"}}"#));
        assert!(asks(r#"{"version": "1.0.0", "scripts": {"test": "jest"}, "husky": {}}"#));
        assert!(asks(r#"{"version": "1.0.0"}"#));
        assert!(asks("{not json"));
        let new = |after: &str| {
            let change = || Some((String::new(), after.to_owned()));
            why_runs_by_itself(Path::new("package.json"), &change).is_some()
        };
        assert!(new(before) && !new(r#"{"name": "x"}"#));
    }
}
