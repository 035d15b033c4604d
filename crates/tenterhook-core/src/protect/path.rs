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

/// Returns true if `path` is a directory that holds mostly a guard, such as `.claude`.
#[must_use]
pub fn is_guard_directory(path: &str) -> bool {
    let top = path.trim_end_matches('/');
    let name = top.rsplit('/').next().unwrap_or_default();
    relation_of_path_to_guards(top) == Hold::Parent
        && !PARENTS.contains(&top)
        && !SHARED.contains(&name)
}

/// Returns the directories of the guarded files, as the table writes them. One that ends in `/` is
/// guarded with everything in it; `""` stands for any directory.
pub fn guarded_directories() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().flat_map(|agent| agent.guarded.files).map(|file| match file.rsplit_once('/') {
        Some((_, "")) => file,
        Some((directory, _)) => directory,
        None => "",
    })
}

/// Returns the names of the guarded files, without directories.
pub fn guarded_file_names() -> impl Iterator<Item = &'static str> {
    let files =
        AGENTS.iter().flat_map(|agent| agent.guarded.files).filter(|file| !file.contains('*'));
    files.map(|file| file.rsplit('/').next().unwrap_or(file)).filter(|name| !name.is_empty())
}

/// Returns how `path` relates to the guard of any agent: a part of it, a parent directory, or
/// nothing.
#[must_use]
pub fn relation_of_path_to_guards(path: &str) -> Hold {
    let path = replace_home_with_tilde(path);
    let path = if path.contains('(') { replace_extglobs_with_star(&path).into() } else { path };
    let top = path.trim_end_matches('/');
    if PARENTS.contains(&top) || (top.is_empty() && path.starts_with('/')) {
        return Hold::Parent;
    }
    if ASIDE.iter().any(|prefix| path.starts_with(prefix)) {
        return Hold::Nothing;
    }
    if is_tenterhook_program(top) {
        return Hold::Part;
    }
    PathSuffixes::from_path(top).relation_to_agent_files()
}

/// The files of all agents by the first byte that a path to them may have, in small letters.
static FILES_BY_FIRST_BYTE: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let all = || AGENTS.iter().flat_map(|agent| agent.guarded.files).copied();
    (0..=u8::MAX)
        .map(|byte| all().filter(|file| place_may_start_with_byte(file, byte)).collect())
        .collect()
});

/// Replaces each extended glob, such as `!(ssh)` or `@(a|b)`, with `*`.
fn replace_extglobs_with_star(path: &str) -> String {
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

/// Returns true if a shell or a session runs the file when it starts.
#[must_use]
pub fn is_startup_file(path: &str) -> bool {
    PathSuffixes::from_path(&replace_home_with_tilde(path)).matches_any_place(STARTUP)
}

/// Returns true if `path` is the file that the table writes as `place`, or lies in it.
#[must_use]
pub fn is_at_or_below(path: &str, place: &str) -> bool {
    PathSuffixes::from_path(&replace_home_with_tilde(path)).matches_any_place(&[place])
}

/// Returns how the path relates to what the table writes as `place`.
pub(super) fn relation_of_path_to_place(path: &str, place: &str) -> Hold {
    PathSuffixes::from_path(replace_home_with_tilde(path).trim_end_matches('/'))
        .relation_to_place(place)
}

/// Returns true if the file sets variables for programs that start later.
#[must_use]
pub fn is_environment_file(path: &str) -> bool {
    PathSuffixes::from_path(&replace_home_with_tilde(path)).matches_any_place(ENVIRONMENT)
}

/// Returns true if the file is one of our programs, in any installation. A file of that name
/// earlier in `PATH` would run instead.
fn is_tenterhook_program(path: &str) -> bool {
    let Some((directory, name)) = path.rsplit_once('/') else { return false };
    let directory = directory.rsplit('/').next().unwrap_or(directory);
    OWN_PROGRAMS.contains(&name) && PROGRAM_DIRECTORIES.contains(&directory)
}

/// Returns true if git reads its settings from the file.
#[must_use]
pub fn is_git_config(path: &str) -> bool {
    PathSuffixes::from_path(&replace_home_with_tilde(path)).matches_any_place(GIT)
}

/// A path, and what is left of it behind each of its directories: it is held against a hundred places.
struct PathSuffixes<'p>(Vec<&'p str>);

impl<'p> PathSuffixes<'p> {
    fn from_path(path: &'p str) -> Self {
        let behind = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/');
        let below = behind.filter_map(|(at, _)| path.get(at + 1..));
        Self(std::iter::once(path).chain(below).collect())
    }

    fn matches_any_place(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.relation_to_place(place) == Hold::Part)
    }

    /// Returns how the path relates to the files of all agents.
    fn relation_to_agent_files(&self) -> Hold {
        let mut most = Hold::Nothing;
        for (at, part) in self.0.iter().enumerate() {
            let first = part.bytes().next().unwrap_or(b'*').to_ascii_lowercase();
            let files = FILES_BY_FIRST_BYTE.get(usize::from(first)).into_iter().flatten();
            for file in files.filter(|file| at == 0 || !is_anchored_place(file)) {
                most = most.max(relation_from_same_start(file, part));
                if most == Hold::Part {
                    return most;
                }
            }
        }
        most
    }

    /// Returns how the path relates to one place of the table.
    fn relation_to_place(&self, place: &str) -> Hold {
        let parts = self.0.iter().take(if is_anchored_place(place) { 1 } else { self.0.len() });
        let parts = parts.filter(|part| {
            part.bytes().next().is_none_or(|byte| place_may_start_with_byte(place, byte))
        });
        parts.map(|part| relation_from_same_start(place, part)).max().unwrap_or(Hold::Nothing)
    }
}

/// Returns true if a place starts in the home or at the root. Any other place may be in any
/// directory, including the home.
fn is_anchored_place(place: &str) -> bool {
    place.starts_with(['~', '/'])
}

/// Returns how the path relates to a place, if both start in the same directory.
fn relation_from_same_start(place: &str, path: &str) -> Hold {
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
            (Some(place), Some(name)) if names_may_match(place, name) => {}
            _ => return Hold::Nothing,
        }
    }
}

/// Returns true if a path that begins with this byte may match the place. The first letter nearly
/// always decides.
fn place_may_start_with_byte(place: &str, path: u8) -> bool {
    let stands_for_many = |byte: u8| matches!(byte, b'*' | b'?' | b'[');
    place.bytes().next().is_none_or(|place| {
        place.eq_ignore_ascii_case(&path) || stands_for_many(place) || stands_for_many(path)
    })
}

/// Returns true if a shell pattern may match a name.
#[must_use]
pub fn shell_pattern_matches(pattern: &str, name: &str) -> bool {
    glob_matches(pattern.as_bytes(), name.as_bytes())
}

/// Returns true if the names may match, ignoring case. Both the table and the path may have `*`.
fn names_may_match(place: &str, name: &str) -> bool {
    if name.contains(['*', '?', '[']) && !place.contains('*') {
        return glob_matches(name.as_bytes(), place.as_bytes());
    }
    glob_matches(place.as_bytes(), name.as_bytes())
}

/// Matches greedily with one backtrack position, so the time is at most quadratic. `*` does not
/// match a leading dot; `[...]` matches any byte.
fn glob_matches(pattern: &[u8], text: &[u8]) -> bool {
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

/// Replaces any user's home directory at the start of a path with `~`.
fn replace_home_with_tilde(path: &str) -> std::borrow::Cow<'_, str> {
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
            // It may be `.crush.json`.
            ".c*",
            ".@(claude|x)",
            "~/@(.config|.local)",
        ] {
            assert_eq!(relation_of_path_to_guards(path), Hold::Part, "{path}");
        }
        for path in [
            ".claude",
            ".github",
            ".",
            "~",
            "..",
            "/",
            "~/.config",
            ".co*",
            "~/.local/bin",
            ".codex",
            "/etc",
            ".??????",
        ] {
            assert_eq!(relation_of_path_to_guards(path), Hold::Parent, "{path}");
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
            assert_eq!(relation_of_path_to_guards(path), Hold::Nothing, "{path}");
        }
    }

    #[test]
    fn what_runs_at_the_start() {
        assert!(is_startup_file("~/.zshrc") && is_startup_file("/home/bob/.bashrc"));
        assert!(!is_startup_file("dotfiles/zshrc") && is_git_config("sub/.git/config"));
    }
}
