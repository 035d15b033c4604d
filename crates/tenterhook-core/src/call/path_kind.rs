//! Classifies paths by tables of names. A path is text, as [`super::CallFootprint`] writes it.
//!
//! Every home is treated alike: `/home/bob/.ssh/id_rsa` is judged as `~/.ssh/id_rsa`.

mod table;

use std::sync::LazyLock;

use table::{Table, path_matches};

/// Directories of the system whose loss breaks the machine.
const SYSTEM: &str = include_str!("path_kind/system.txt");

/// Directories of a home that hold a person's work, keys or settings as a whole.
const OF_HOME: &str = include_str!("path_kind/home.txt");

/// Files with keys, tokens and passwords. A directory includes everything in it; `*` matches any
/// text in a name.
const SECRETS: &str = include_str!("path_kind/keys.txt");

/// Paths among them that hold no keys.
const NO_SECRETS: &[&str] =
    &["~/.ssh/config", "~/.ssh/known_hosts", "~/.ssh/*.pub", "~/.ssh/authorized_keys"];

/// Directories that contain such files and others: reading a whole directory reads them, too.
const MIXED_DIRECTORIES: &[&str] = &["~/.aws", "~/.kube", "~/.docker", "~/.config/gh"];

/// Names of private keys, wherever they lie.
const KEYS: &[&str] =
    &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"];

/// Endings of a `.env` file that make it an example or a test.
const ENV_EXAMPLES: &[&str] = &[
    "example", "sample", "template", "dist", "defaults", "default", "schema", "test", "testing",
    "ci", "tpl", "d",
];
/// The beginnings of names such as `prod.env`: environment files with real values.
const ENV_STEMS: &[&str] = &[
    "dev",
    "development",
    "live",
    "local",
    "prod",
    "production",
    "secret",
    "secrets",
    "stage",
    "staging",
];

/// Files that a shell, a session or the system runs when it starts.
const STARTUP: &str = include_str!("path_kind/startup.txt");

/// Files that give an agent its hooks, servers and permissions. A name alone matches in any
/// directory.
const AGENT: &str = include_str!("path_kind/agent.txt");

/// Files that an agent reads as instructions.
const INSTRUCTIONS: &str = include_str!("path_kind/instructions.txt");

/// Files that an editor runs when a folder is opened.
const EDITOR: &[&str] = &[
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".devcontainer",
    ".devcontainer.json",
    ".idea/runConfigurations",
    ".idea/externalDependencies.xml",
    ".envrc",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
];

/// Files that git runs by itself.
const GIT_HOOKS: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/modules",
    "~/.gitconfig",
    "~/.config/git",
    "/etc/gitconfig",
    ".githooks",
];

/// Devices that hold a file system, by the start of their name.
const DISKS: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "md", "mapper/", "loop",
    "nbd", "zd", "pmem",
];

/// The tables above, each sorted at first use.
macro_rules! table {
    ($name:ident, $places:expr) => {
        static $name: LazyLock<Table> = LazyLock::new(|| Table::from_paths($places));
    };
}

table!(SYSTEMS, SYSTEM.lines().chain(OF_HOME.lines()));
table!(SECRET_FILES, SECRETS.lines());
table!(NO_SECRET_FILES, NO_SECRETS.iter().copied());
table!(STARTUP_PLACES, STARTUP.lines());
table!(AGENT_PLACES, AGENT.lines());
table!(INSTRUCTION_PLACES, INSTRUCTIONS.lines());
table!(EDITOR_PLACES, EDITOR.iter().copied());
table!(HOOK_PLACES, GIT_HOOKS.iter().copied());
table!(REPOSITORY_PLACES, [".git/hooks", ".git/config"].into_iter());

/// The kinds of paths that rules can test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The machine, a home, the project or its history.
    Vital,
    /// A directory of the system, a home, or one of its main directories.
    System,
    /// Keys, tokens or passwords.
    Keys,
    /// An environment file with real values.
    Env,
    /// Run when a shell, a session or the system starts.
    Startup,
    /// Run by git.
    GitHook,
    /// What an agent may do.
    AgentConfig,
    /// Instructions for an agent.
    Instructions,
    /// Run by an editor.
    EditorTask,
    /// A disk.
    Disk,
}

/// Whether `path` is of the kind `kind`.
#[must_use]
pub fn is_of_kind(path: &str, kind: Kind) -> bool {
    match kind {
        Kind::Vital => is_vital(path),
        Kind::System => is_system_directory(path),
        Kind::Keys => holds_credentials(path),
        Kind::Env => is_env_file(path),
        Kind::Startup => is_startup_file(path),
        Kind::GitHook => runs_as_git_hook(path),
        Kind::AgentConfig => is_agent_config(path),
        Kind::Instructions => is_agent_instructions(path),
        Kind::EditorTask => is_editor_task_file(path),
        Kind::Disk => is_disk_device(path),
    }
}

/// Whether losing `path` means losing the machine, the home directory, or the project with its
/// history.
#[must_use]
pub fn is_vital(path: &str) -> bool {
    let own = to_home_path(path);
    let top = strip_star(&own);
    matches!(top, "." | ".." | ".git") || top.ends_with("/.git") || is_system_directory(path)
}

/// Whether `path` is a directory of the system, or a home or one of its main directories, as a
/// whole.
#[must_use]
pub fn is_system_directory(path: &str) -> bool {
    let own = to_home_path(path);
    let top = strip_star(&own);
    SYSTEMS.contains_exactly(top)
        || top == ".."
        || (top.contains(['*', '?', '[']) && top.len() > 1 && SYSTEMS.pattern_may_match(top))
}

/// Whether `path` holds keys, tokens or passwords. A `.env` file is a separate case:
/// [`is_env_file`].
#[must_use]
pub fn holds_credentials(path: &str) -> bool {
    let own = to_home_path(path);
    let name = own.rsplit('/').next().unwrap_or_default();
    if NO_SECRET_FILES.contains(&own) {
        return false;
    }
    KEYS.contains(&name)
        || MIXED_DIRECTORIES.contains(&strip_star(&own))
        || SECRET_FILES.contains(&own)
        || may_match_sample(&own, SECRET_SAMPLES)
}

/// Whether `path` is an environment file with real values: `.env`, `.env.local`, `.envrc`, not
/// `.env.example`.
#[must_use]
pub fn is_env_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.strip_prefix(".env") {
        Some("" | "rc" | "~") => true,
        Some(rest) if rest.starts_with(['.', '_', '-']) => {
            let mut parts = rest.trim_start_matches(['.', '_', '-']).split('.');
            !parts.any(|part| ENV_EXAMPLES.contains(&part)) && !rest.contains(['*', '?'])
        }
        _ if name.strip_suffix(".env").is_some_and(|stem| ENV_STEMS.contains(&stem)) => true,
        _ if name.starts_with(['.', '[']) && name.contains(['*', '?', '[']) => {
            path_matches(&brackets_to_any_char(name), ".env")
        }
        _ => false,
    }
}

/// Replaces each `[...]` in a pattern by `?`, ignoring the characters in the brackets.
fn brackets_to_any_char(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, from)) = rest.split_once('[') {
        let Some((_, behind)) = from.split_once(']') else { break };
        plain.push_str(before);
        plain.push('?');
        rest = behind;
    }
    plain + rest
}

/// Whether a shell, a session or the system runs `path` when it starts, or uses it to decide who
/// may log in.
#[must_use]
pub fn is_startup_file(path: &str) -> bool {
    STARTUP_PLACES.contains(&to_home_path(path))
}

/// Whether `path` configures an agent's hooks, servers or permissions.
#[must_use]
pub fn is_agent_config(path: &str) -> bool {
    AGENT_PLACES.contains_anywhere(path)
}

/// Whether an agent reads `path` as instructions.
#[must_use]
pub fn is_agent_instructions(path: &str) -> bool {
    // A page about agents may be called `agents.md`; the file that agents read is written in
    // capitals.
    let name = path.rsplit('/').next().unwrap_or_default();
    let known = INSTRUCTIONS.lines().find(|line| line.eq_ignore_ascii_case(name));
    known.is_none_or(|line| line == name) && INSTRUCTION_PLACES.contains_anywhere(path)
}

/// Whether an editor runs the commands in `path` when a folder is opened.
#[must_use]
pub fn is_editor_task_file(path: &str) -> bool {
    EDITOR_PLACES.contains_anywhere(path)
}

/// Whether git runs the commands in `path`.
#[must_use]
pub fn runs_as_git_hook(path: &str) -> bool {
    let sample = path.ends_with(".sample");
    !sample
        && (HOOK_PLACES.contains(&to_home_path(path)) || REPOSITORY_PLACES.contains_anywhere(path))
}

/// Whether `path` is a disk or a part of one.
#[must_use]
pub fn is_disk_device(path: &str) -> bool {
    let name = path.strip_prefix("/dev/").unwrap_or_default();
    DISKS.iter().any(|disk| name.starts_with(disk))
}

/// Sample files that a shell pattern may match.
const SECRET_SAMPLES: &[&str] = &[
    "~/.ssh/id_rsa",
    "~/.ssh/id_ed25519",
    "~/.aws/credentials",
    "~/.netrc",
    "~/.kube/config",
    "~/.git-credentials",
    "~/.docker/config.json",
    "/etc/shadow",
];

/// Returns a path in any user's home directory as a path in `~`.
fn to_home_path(path: &str) -> std::borrow::Cow<'_, str> {
    let rest = path.strip_prefix("/root").or_else(|| {
        let of = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        let end = of.find('/').unwrap_or(of.len());
        of.get(end..).filter(|_| end > 0 && !of.starts_with('*'))
    });
    match rest {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}").into(),
        _ => path.into(),
    }
}

/// Returns the directory `x` of `x/*` and `x/.*`, which match its contents.
fn strip_star(path: &str) -> &str {
    let mut top = path;
    while let Some((before, last)) = top.rsplit_once('/') {
        if !matches!(last, "*" | ".*" | "**" | ".[!.]*" | ".??*" | "*.*" | "{*,.*}") {
            break;
        }
        top = if before.is_empty() { "/" } else { before };
    }
    if matches!(top, "*" | ".*" | "**") { "." } else { top }
}

/// Whether a path with `*` or `?` may match one of `samples`.
fn may_match_sample(path: &str, samples: &[&str]) -> bool {
    path.contains(['*', '?', '[']) && samples.iter().any(|sample| path_matches(path, sample))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_vital() {
        for path in [
            "/",
            "/*",
            "~",
            "~/*",
            "~/.*",
            ".",
            "..",
            "*",
            "./*",
            ".git",
            "vendor/x/.git",
            "/usr",
            "/root",
            "/home/bob",
            "/e*",
            "/us?",
            "~/Doc*",
        ] {
            assert!(is_vital(path), "{path}");
        }
        for path in [
            "target",
            "/tmp",
            "/tmp/*",
            "build/*",
            "~/.cache/pip",
            ".github",
            "/opt/x",
            "~/code/app",
            "*.o",
            "/tmp/x*",
            "~/code/a*",
            "build*",
        ] {
            assert!(!is_vital(path), "{path}");
        }
        assert!(!is_system_directory(".") && is_system_directory("~"));
    }

    #[test]
    fn what_holds_keys() {
        for path in [
            "~/.ssh",
            "~/.ssh/id_rsa",
            "/home/carol/.ssh/work",
            "/home/bob/.aws/credentials",
            "keys/id_ed25519",
            "/proc/1/environ",
            "~/.ssh/id_*",
            "~/.ss?/id_rsa",
            "~/.s*/id_r*",
        ] {
            assert!(holds_credentials(path), "{path}");
        }
        for path in [
            "~/.ssh/config",
            "~/.ssh/id_rsa.pub",
            "~/.aws/config",
            ".npmrc",
            "docs/id_rsa.md",
            "*",
            "~/*",
            "/proc/cpuinfo",
        ] {
            assert!(!holds_credentials(path), "{path}");
        }
    }

    #[test]
    fn what_is_an_environment_file() {
        for path in
            [".env", "prod.env", "app/.env.local", ".env.production", ".envrc", ".e*v", ".??v"]
        {
            assert!(is_env_file(path), "{path}");
        }
        for path in [
            ".env.example",
            ".env.test",
            "env",
            ".environment",
            "src/env.ts",
            ".env_example",
            ".env.d.ts",
            "*",
            "*.env",
            "process.env",
            "example.env",
        ] {
            assert!(!is_env_file(path), "{path}");
        }
    }

    #[test]
    fn what_runs_by_itself() {
        assert!(
            is_startup_file("~/.bashrc")
                && is_startup_file("/etc/cron.d/x")
                && is_startup_file("/home/bob/.zshrc")
        );
        assert!(!is_startup_file("dotfiles/.bashrc") && !is_startup_file("~/.bashrc.d.md"));
        assert!(
            runs_as_git_hook(".git/hooks/pre-commit") && runs_as_git_hook("vendor/.git/config")
        );
        assert!(
            !runs_as_git_hook(".git/hooks/pre-commit.sample") && !runs_as_git_hook(".github/hooks")
        );
        assert!(
            runs_as_git_hook(".Git/Hooks/pre-commit")
                && is_agent_config("a/.claude/settings.json")
                && is_agent_config("~/.config/tenterhook/tenterhook.toml")
        );
        assert!(!is_agent_config(".claude/plans/x.md") && !is_agent_config("docs/tenterhook.md"));
        assert!(!is_agent_instructions("docs/agents.md") && !is_agent_instructions("claude.md"));
        assert!(
            is_agent_instructions("web/CLAUDE.md") && is_editor_task_file(".vscode/tasks.json")
        );
        assert!(
            is_disk_device("/dev/sda1")
                && is_disk_device("/dev/nvme0n1")
                && !is_disk_device("/dev/null")
                && !is_disk_device("/dev/stderr")
        );
    }
}
