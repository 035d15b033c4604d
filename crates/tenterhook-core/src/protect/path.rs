//! What of a guard does a path hold? By its letters, as `call` writes paths: seen from the project, `~/` for a home.

use std::sync::LazyLock;

use crate::agents::{self, AGENTS};

/// What a path is to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Nothing.
    Nothing,
    /// Something of it lies below: to lose or to replace the whole directory is to lose that.
    Parent,
    /// It is a part of it, or lies in one.
    Part,
}

/// Directories that hold a guard by their files, wherever the project or home lies.
const PARENTS: &[&str] = &[".", "..", "~", "/", "/etc", "/home", "/root", "/Users"];

/// What shells and sessions run when they start, where a path to programs or an alias may be set.
const STARTUP: &[&str] = &[
    "~/.bashrc",
    "~/.bash_profile",
    "~/.bash_login",
    "~/.bash_aliases",
    "~/.profile",
    "~/.zshrc",
    "~/.zshenv",
    "~/.zprofile",
    "~/.zlogin",
    "~/.kshrc",
    "~/.config/fish/",
    "~/.pam_environment",
    "~/.config/environment.d/",
    "/etc/profile",
    "/etc/profile.d/",
    "/etc/environment",
    "/etc/bash.bashrc",
    "/etc/zsh/",
];

/// What sets variables for shells, programs and agents that start later, where it may also say much else.
const ENVIRONMENT: &[&str] = &[
    ".envrc",
    ".env",
    ".env.*",
    ".flaskenv",
    "mise.toml",
    "mise.*.toml",
    ".mise.toml",
    ".mise.*.toml",
    ".mise/config.toml",
    "mise/config.toml",
    ".config/mise.toml",
    ".rtx.toml",
    "direnvrc",
    "direnv/direnv.toml",
    ".autoenv.zsh",
    ".autoenv",
    ".devcontainer.json",
    ".devcontainer/",
    "devbox.json",
    "devenv.nix",
    "flake.nix",
    "shell.nix",
    ".vscode/settings.json",
    ".zed/settings.json",
    "~/.ssh/environment",
    "~/.ssh/rc",
    "~/.tmux.conf",
    "~/.config/tmux/tmux.conf",
    "~/.screenrc",
    "~/.xprofile",
    "~/.xsessionrc",
    "~/.xinitrc",
    "~/.config/nushell/",
    "~/.config/systemd/user/",
    "~/.config/systemd/user.conf.d/",
    "~/.config/powershell/",
    "~/Library/LaunchAgents/",
    "/etc/systemd/",
];

/// What our programs are called, and directories in which installed programs lie.
const OWN_PROGRAMS: &[&str] =
    &["tenterhook", "tenterhook-agent", "tenterhook-cli", "tenterhook.exe", "tenterhook.cmd"];
const PROGRAM_DIRECTORIES: &[&str] = &["bin", ".bin", "sbin", "shims", "Scripts"];

/// Where git keeps its settings.
const GIT: &[&str] = &[
    ".git/config",
    ".git/config.worktree",
    "~/.gitconfig",
    "~/.config/git/config",
    "/etc/gitconfig",
];

/// Directories that hold much beside a guard: what is copied or moved *to* them replaces nothing of it.
const SHARED: &[&str] = &[
    ".github",
    "bin",
    ".config",
    ".local",
    "share",
    "state",
    "Library",
    "Application Support",
    "Documents",
    agents::CLINE.title,
    "etc",
    "usr",
    "local",
    "opt",
    "homebrew",
    ".cargo",
    ".npm-global",
];

/// Where files lie for a while and no agent works.
const ASIDE: &[&str] = &["/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/", "/proc/"];

/// Whether `path` is a directory that holds a guard and little else, such as `.claude`.
#[must_use]
pub fn is_home_of_guard(path: &str) -> bool {
    let top = path.trim_end_matches('/');
    let name = top.rsplit('/').next().unwrap_or_default();
    hold(top) == Hold::Parent && !PARENTS.contains(&top) && !SHARED.contains(&name)
}

/// The directories in which the files of the table lie, written as they are there: one that ends in `/` belongs to a guard with
/// everything below it, and `""` is the directory that a file without a start lies in.
pub fn directories() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().flat_map(|agent| agent.guarded.files).map(|file| match file.rsplit_once('/') {
        Some((_, "")) => file,
        Some((directory, _)) => directory,
        None => "",
    })
}

/// The names of the table's files, without their directories.
pub fn file_names() -> impl Iterator<Item = &'static str> {
    let files =
        AGENTS.iter().flat_map(|agent| agent.guarded.files).filter(|file| !file.contains('*'));
    files.map(|file| file.rsplit('/').next().unwrap_or(file)).filter(|name| !name.is_empty())
}

/// What `path` is to the guard of any agent.
#[must_use]
pub fn hold(path: &str) -> Hold {
    let path = in_a_home(path);
    let path = if path.contains('(') { without_groups(&path).into() } else { path };
    let top = path.trim_end_matches('/');
    if PARENTS.contains(&top) || (top.is_empty() && path.starts_with('/')) {
        return Hold::Parent;
    }
    if ASIDE.iter().any(|prefix| path.starts_with(prefix)) {
        return Hold::Nothing;
    }
    if is_own_program(top) {
        return Hold::Part;
    }
    PathSuffixes::from_path(top).guarded()
}

/// The files of all agents by the first byte that a path to them may have, in small letters.
static FILES_BY_FIRST_BYTE: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let all = || AGENTS.iter().flat_map(|agent| agent.guarded.files).copied();
    (0..=u8::MAX).map(|byte| all().filter(|file| may_begin(file, byte)).collect()).collect()
});

/// A path with `*` in the place of each group of patterns: `!(ssh)`, `@(a|b)`.
fn without_groups(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('(') {
        let Some((group, behind)) = behind.split_once(')') else { break };
        match before.strip_suffix(['!', '@', '+', '*', '?']) {
            // Patterns with a dot stand for names with one.
            Some(before) if group.split('|').any(|part| part.starts_with('.')) => {
                plain.extend([before, ".*"]);
            }
            Some(before) => plain.extend([before, "*"]),
            None => plain.push_str(rest.get(..rest.len() - behind.len()).unwrap_or_default()),
        }
        rest = behind;
    }
    plain.push_str(rest);
    plain
}

/// Whether a shell or a session runs it when it starts.
#[must_use]
pub fn is_startup_file(path: &str) -> bool {
    PathSuffixes::from_path(&in_a_home(path)).is_one_of(STARTUP)
}

/// Whether `path` is the file of a table that is written as `place`, or lies in it.
#[must_use]
pub fn is_part_of(path: &str, place: &str) -> bool {
    PathSuffixes::from_path(&in_a_home(path)).is_one_of(&[place])
}

/// Whether it sets variables for what starts later.
#[must_use]
pub fn is_environment_file(path: &str) -> bool {
    PathSuffixes::from_path(&in_a_home(path)).is_one_of(ENVIRONMENT)
}

/// Whether it is a program of ours, wherever it is installed: a shim before it on the path would run in its stead.
fn is_own_program(path: &str) -> bool {
    let Some((directory, name)) = path.rsplit_once('/') else { return false };
    let directory = directory.rsplit('/').next().unwrap_or(directory);
    OWN_PROGRAMS.contains(&name) && PROGRAM_DIRECTORIES.contains(&directory)
}

/// Whether git keeps its settings there.
#[must_use]
pub fn is_git_config(path: &str) -> bool {
    PathSuffixes::from_path(&in_a_home(path)).is_one_of(GIT)
}

/// A path, and what is left of it behind each of its directories: it is held against a hundred places.
struct PathSuffixes<'p>(Vec<&'p str>);

impl<'p> PathSuffixes<'p> {
    fn from_path(path: &'p str) -> Self {
        let behind = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/');
        let below = behind.filter_map(|(at, _)| path.get(at + 1..));
        Self(std::iter::once(path).chain(below).collect())
    }

    fn is_one_of(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.held_against(place) == Hold::Part)
    }

    /// What the path is to the files of all agents.
    fn guarded(&self) -> Hold {
        let mut most = Hold::Nothing;
        for (at, part) in self.0.iter().enumerate() {
            let first = part.bytes().next().unwrap_or(b'*').to_ascii_lowercase();
            let files = FILES_BY_FIRST_BYTE.get(usize::from(first)).into_iter().flatten();
            for file in files.filter(|file| at == 0 || !is_anchored(file)) {
                most = most.max(from_here(file, part));
                if most == Hold::Part {
                    return most;
                }
            }
        }
        most
    }

    /// What the path is to one place.
    fn held_against(&self, place: &str) -> Hold {
        let parts = self.0.iter().take(if is_anchored(place) { 1 } else { self.0.len() });
        let parts =
            parts.filter(|part| part.bytes().next().is_none_or(|byte| may_begin(place, byte)));
        parts.map(|part| from_here(place, part)).max().unwrap_or(Hold::Nothing)
    }
}

/// Whether a place starts in a home or at the root. Any other may be in any directory; in a home it is the person's own, which is the
/// same place.
fn is_anchored(place: &str) -> bool {
    place.starts_with(['~', '/'])
}

/// The same, where both start in the same directory.
fn from_here(place: &str, path: &str) -> Hold {
    let (place, whole) = match place.strip_suffix('/') {
        Some(place) => (place, true),
        None => (place, false),
    };
    let (mut places, mut paths) = (place.split('/'), path.split('/'));
    // `*` in some directory stands for whatever lies there, and that is seldom a guard; `.*` and `tent*` are meant.
    let first = path.split('/').next().unwrap_or_default();
    let letters = || first.chars().filter(|c| c.is_ascii_alphanumeric()).count();
    if first.contains('*') && letters() < 3 && !first.starts_with(['.', '[']) {
        return Hold::Nothing;
    }
    loop {
        match (places.next(), paths.next()) {
            (None, None) => return Hold::Part,
            (None, Some(_)) if whole => return Hold::Part,
            (None, Some(_)) => return Hold::Nothing,
            (Some(_), None) => return Hold::Parent,
            (Some(place), Some(name)) if is_name(place, name) => {}
            _ => return Hold::Nothing,
        }
    }
}

/// Whether a path that begins with a byte may be a place: nearly always the first letter tells.
fn may_begin(place: &str, path: u8) -> bool {
    let stands_for_many = |byte: u8| matches!(byte, b'*' | b'?' | b'[');
    place.bytes().next().is_none_or(|place| {
        place.eq_ignore_ascii_case(&path) || stands_for_many(place) || stands_for_many(path)
    })
}

/// Whether a pattern of a shell may stand for a name.
#[must_use]
pub fn is_match(pattern: &str, name: &str) -> bool {
    like(pattern.as_bytes(), name.as_bytes())
}

/// Whether a name may be meant, where both the table and the path may hold `*`. Some file systems do not know capitals.
fn is_name(place: &str, name: &str) -> bool {
    if name.contains(['*', '?', '[']) && !place.contains('*') {
        return like(name.as_bytes(), place.as_bytes());
    }
    like(place.as_bytes(), name.as_bytes())
}

/// Greedy with one way back, so that it stays quadratic; `*` takes no leading dot, and `[` stands for any one byte.
fn like(pattern: &[u8], text: &[u8]) -> bool {
    if text.first() == Some(&b'.') && matches!(pattern.first(), Some(b'*' | b'?')) {
        return false;
    }
    let (mut p, mut t, mut back) = (0, 0, None);
    while let Some(byte) = text.get(t) {
        let set = pattern.get(p) == Some(&b'[');
        let end =
            || pattern.iter().skip(p).position(|byte| *byte == b']').map(|index| p + index + 1);
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, t));
                p += 1;
                continue;
            }
            Some(b'?') => p += 1,
            Some(b'[') if set => match end() {
                Some(end) => p = end,
                None => return false,
            },
            Some(own) if own.eq_ignore_ascii_case(byte) => p += 1,
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
                continue;
            }
        }
        t += 1;
    }
    pattern.iter().skip(p).all(|byte| *byte == b'*')
}

/// A path in somebody's home as one in the home.
fn in_a_home(path: &str) -> std::borrow::Cow<'_, str> {
    let rest = path.strip_prefix("/root/").map(|rest| (0, rest)).or_else(|| {
        let of = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        let end = of.find('/').filter(|end| *end > 0)?;
        Some((end, of.get(end + 1..)?))
    });
    match rest {
        Some((_, rest)) => format!("~/{rest}").into(),
        None => path.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_holds() {
        for path in [
            ".claude/settings.json",
            "web/.claude/settings.local.json",
            "~/.claude/settings.json",
            "/home/bob/.claude/settings.json",
            ".CLAUDE/Settings.json",
            ".claude/*",
            ".c*/settings.json",
            ".[c]laude/settings.json",
            ".github/hooks/x.json",
            ".github/hooks",
            "~/.config/tenterhook/tenterhook.guardrails.toml",
            "tenterhook.local.toml",
            "~/.local/bin/tenterhook",
            "/usr/bin/tenterhook",
            "~/.local/share/opencode/plugin.ts",
            ".agents/plugins/x/hooks/hooks.json",
            "~/.!(ssh)",
            ".@(claude|x)",
            "~/@(.config|.local)",
        ] {
            assert_eq!(hold(path), Hold::Part, "{path}");
        }
        for path in [
            ".claude",
            ".github",
            ".",
            "~",
            "..",
            "/",
            "~/.config",
            ".c*",
            "~/.local/bin",
            ".codex",
            "/etc",
            ".??????",
        ] {
            assert_eq!(hold(path), Hold::Parent, "{path}");
        }
        for path in [
            ".claude/hooks/check.py",
            ".claude/commands/x.md",
            "src/settings.json",
            "docs/tenterhook.md",
            "*",
            "target",
            "src/hooks/useX.ts",
            ".github/workflows/ci.yml",
            "~/code/tenterhook",
            "tests/claude/settings.json",
        ] {
            assert_eq!(hold(path), Hold::Nothing, "{path}");
        }
    }

    #[test]
    fn what_runs_at_the_start() {
        assert!(is_startup_file("~/.zshrc") && is_startup_file("/home/bob/.bashrc"));
        assert!(!is_startup_file("dotfiles/zshrc") && is_git_config("sub/.git/config"));
    }
}
