//! What kind of place is a path? Tables of names; a path is text, as [`super::CallFootprint`] writes it.
//!
//! Who else's home it is makes no difference: `/home/bob/.ssh/id_rsa` is judged as `~/.ssh/id_rsa`.

/// Directories of the system whose loss takes the machine along.
const SYSTEM: &str = include_str!("places/system.txt");

/// Directories of a home that hold a person's work, keys or settings as a whole.
const OF_HOME: &str = include_str!("places/home.txt");

/// Where people keep keys, tokens and passwords. A directory stands for everything in it, `*` for any text in a name.
const KEPT: &str = include_str!("places/keys.txt");

/// What lies among them and is none.
const NOT_KEPT: &[&str] =
    &["~/.ssh/config", "~/.ssh/known_hosts", "~/.ssh/*.pub", "~/.ssh/authorized_keys"];

/// Directories that hold such files beside others: who reads all of them reads those, too.
const AMONG: &[&str] = &["~/.aws", "~/.kube", "~/.docker", "~/.config/gh"];

/// Names of private keys, wherever they lie.
const KEYS: &[&str] =
    &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"];

/// Endings of a `.env` file that make it an example or a test.
const ENV_EXAMPLES: &[&str] = &[
    "example", "sample", "template", "dist", "defaults", "default", "schema", "test", "testing",
    "ci", "tpl", "d",
];

/// What a shell, a session or the system runs when it starts.
const STARTUP: &str = include_str!("places/startup.txt");

/// Where an agent is told which hooks, servers and permissions it has. A name alone is one in any directory.
const AGENT: &str = include_str!("places/agent.txt");

/// What an agent reads as instructions.
const INSTRUCTIONS: &str = include_str!("places/instructions.txt");

/// What an editor runs when a folder is opened.
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

/// What git runs by itself.
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

/// The kinds of places that rules can ask for.
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
    /// What an agent is told.
    Instructions,
    /// Run by an editor.
    EditorTask,
    /// A disk.
    Disk,
}

/// Whether `path` is a place of this kind.
#[must_use]
pub fn is(path: &str, kind: Kind) -> bool {
    match kind {
        Kind::Vital => is_vital(path),
        Kind::System => is_system(path),
        Kind::Keys => holds_keys(path),
        Kind::Env => is_env(path),
        Kind::Startup => is_startup(path),
        Kind::GitHook => is_git_hook(path),
        Kind::AgentConfig => is_agent_config(path),
        Kind::Instructions => is_instructions(path),
        Kind::EditorTask => is_editor_task(path),
        Kind::Disk => is_disk(path),
    }
}

/// Whether the loss of `path` is the loss of the machine, the home, or the project with its history.
#[must_use]
pub fn is_vital(path: &str) -> bool {
    let own = own(path);
    let top = without_stars(&own);
    matches!(top, "." | ".." | ".git") || top.ends_with("/.git") || is_system(path)
}

/// Whether `path` is a directory of the system, or a home or one of its main directories, as a whole.
#[must_use]
pub fn is_system(path: &str) -> bool {
    let own = own(path);
    let top = without_stars(&own);
    let places = || SYSTEM.lines().chain(OF_HOME.lines());
    places().any(|it| it.eq_ignore_ascii_case(top))
        || top == ".."
        || (top.contains(['*', '?', '[']) && top.len() > 1 && places().any(|it| like(top, it)))
}

/// Whether `path` holds keys, tokens or passwords. A `.env` file is a case of its own: [`is_env`].
#[must_use]
pub fn holds_keys(path: &str) -> bool {
    let own = own(path);
    let name = own.rsplit('/').next().unwrap_or_default();
    if any(NOT_KEPT.iter().copied(), &own) {
        return false;
    }
    KEYS.contains(&name)
        || AMONG.contains(&without_stars(&own))
        || any(KEPT.lines(), &own)
        || may_be(&own, KEPT_SAMPLES)
}

/// Whether `path` is an environment file with real values: `.env`, `.env.local`, `.envrc`, not `.env.example`.
#[must_use]
pub fn is_env(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.strip_prefix(".env") {
        Some("" | "rc") => true,
        Some(rest) if rest.starts_with('.') => {
            !rest.split('.').any(|part| ENV_EXAMPLES.contains(&part)) && !rest.contains(['*', '?'])
        }
        _ => name.contains(['*', '?', '[']) && name.starts_with('.') && like(name, ".env"),
    }
}

/// Whether a shell, a session or the system runs `path` when it starts, or lets people in by it.
#[must_use]
pub fn is_startup(path: &str) -> bool {
    any(STARTUP.lines(), &own(path))
}

/// Whether `path` says which hooks, servers or permissions an agent has.
#[must_use]
pub fn is_agent_config(path: &str) -> bool {
    anywhere(AGENT.lines(), path)
}

/// Whether an agent reads `path` as instructions.
#[must_use]
pub fn is_instructions(path: &str) -> bool {
    // A page about agents may be called `agents.md`; the file that agents read is written in capitals.
    let name = path.rsplit('/').next().unwrap_or_default();
    let known = INSTRUCTIONS.lines().find(|it| it.eq_ignore_ascii_case(name));
    known.is_none_or(|it| it == name) && anywhere(INSTRUCTIONS.lines(), path)
}

/// Whether an editor runs what `path` says when a folder is opened.
#[must_use]
pub fn is_editor_task(path: &str) -> bool {
    anywhere(EDITOR.iter().copied(), path)
}

/// Whether git runs what `path` says.
#[must_use]
pub fn is_git_hook(path: &str) -> bool {
    let sample = path.ends_with(".sample");
    !sample
        && (any(GIT_HOOKS.iter().copied(), &own(path))
            || anywhere([".git/hooks", ".git/config"].into_iter(), path))
}

/// Whether `path` is a disk or a part of one.
#[must_use]
pub fn is_disk(path: &str) -> bool {
    let name = path.strip_prefix("/dev/").unwrap_or_default();
    DISKS.iter().any(|disk| name.starts_with(disk))
}

/// The files that a pattern of the shell may be meant for.
const KEPT_SAMPLES: &[&str] = &[
    "~/.ssh/id_rsa",
    "~/.ssh/id_ed25519",
    "~/.aws/credentials",
    "~/.netrc",
    "~/.kube/config",
    "~/.git-credentials",
    "~/.docker/config.json",
    "/etc/shadow",
];

/// A path in somebody's home as one in the home.
fn own(path: &str) -> std::borrow::Cow<'_, str> {
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

/// `x/*` and `x/.*` take what is in `x`.
fn without_stars(path: &str) -> &str {
    let mut top = path;
    while let Some((before, last)) = top.rsplit_once('/') {
        if !matches!(last, "*" | ".*" | "**" | ".[!.]*" | ".??*" | "*.*" | "{*,.*}") {
            break;
        }
        top = if before.is_empty() { "/" } else { before };
    }
    if matches!(top, "*" | ".*" | "**") { "." } else { top }
}

/// Whether `path` is one of `places` or lies in one.
fn any<'p>(mut places: impl Iterator<Item = &'p str>, path: &str) -> bool {
    places.any(|place| is_or_below(place, path))
}

fn is_or_below(place: &str, path: &str) -> bool {
    if place.contains('*') {
        return like(place, path);
    }
    // Some file systems take `.Git/Hooks` for `.git/hooks`.
    let (Some(start), Some(rest)) = (path.get(..place.len()), path.get(place.len()..)) else {
        return false;
    };
    start.eq_ignore_ascii_case(place) && (rest.is_empty() || rest.starts_with('/'))
}

/// The same for places that may lie in any directory.
fn anywhere<'p>(mut places: impl Iterator<Item = &'p str>, path: &str) -> bool {
    places.any(|place| {
        let mut rest = Some(path);
        while let Some(part) = rest {
            if is_or_below(place, part) {
                return true;
            }
            rest = part.split_once('/').map(|(_, rest)| rest);
        }
        false
    })
}

/// Whether a path with `*` or `?` may stand for one of `samples`.
fn may_be(path: &str, samples: &[&str]) -> bool {
    path.contains(['*', '?', '[']) && samples.iter().any(|sample| like(path, sample))
}

/// Whether `text` fits `pattern`, name by name; `*` takes no leading dot.
fn like(pattern: &str, text: &str) -> bool {
    let (mut patterns, mut texts) = (pattern.split('/'), text.split('/'));
    loop {
        match (patterns.next(), texts.next()) {
            (None, None) => return true,
            (Some(pattern), Some(text)) if name_like(pattern.as_bytes(), text.as_bytes()) => {}
            _ => return false,
        }
    }
}

/// Greedy with one way back, so that it stays quadratic.
fn name_like(pattern: &[u8], text: &[u8]) -> bool {
    if text.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(b'?') => (p, t) = (p + 1, t + 1),
            Some(c) if text.get(t).is_some_and(|it| it.eq_ignore_ascii_case(c)) => {
                (p, t) = (p + 1, t + 1);
            }
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|c| *c == b'*')
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
        assert!(!is_system(".") && is_system("~"));
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
            assert!(holds_keys(path), "{path}");
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
            assert!(!holds_keys(path), "{path}");
        }
    }

    #[test]
    fn what_is_an_environment_file() {
        for path in [".env", "app/.env.local", ".env.production", ".envrc", ".e*v", ".??v"] {
            assert!(is_env(path), "{path}");
        }
        for path in [
            ".env.example",
            ".env.test",
            "env",
            ".environment",
            "src/env.ts",
            ".env.d.ts",
            "*",
            "*.env",
        ] {
            assert!(!is_env(path), "{path}");
        }
    }

    #[test]
    fn what_runs_by_itself() {
        assert!(
            is_startup("~/.bashrc")
                && is_startup("/etc/cron.d/x")
                && is_startup("/home/bob/.zshrc")
        );
        assert!(!is_startup("dotfiles/.bashrc") && !is_startup("~/.bashrc.d.md"));
        assert!(is_git_hook(".git/hooks/pre-commit") && is_git_hook("vendor/.git/config"));
        assert!(!is_git_hook(".git/hooks/pre-commit.sample") && !is_git_hook(".github/hooks"));
        assert!(
            is_git_hook(".Git/Hooks/pre-commit")
                && is_agent_config("a/.claude/settings.json")
                && is_agent_config("~/.config/tenterhook/tenterhook.toml")
        );
        assert!(!is_agent_config(".claude/plans/x.md") && !is_agent_config("docs/tenterhook.md"));
        assert!(!is_instructions("docs/agents.md") && !is_instructions("claude.md"));
        assert!(is_instructions("web/CLAUDE.md") && is_editor_task(".vscode/tasks.json"));
        assert!(
            is_disk("/dev/sda1")
                && is_disk("/dev/nvme0n1")
                && !is_disk("/dev/null")
                && !is_disk("/dev/stderr")
        );
    }
}
