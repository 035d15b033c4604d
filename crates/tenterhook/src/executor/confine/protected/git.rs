//! Finds what makes git start programs in a repository: its hooks, its settings with their
//! includes, and the files that they name (X-5). Reads git's files; runs no git, and reads no file
//! that a setting runs.

mod settings;

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use settings::{Setting, parse_settings};

use crate::discover;

/// Files in git's directory that make it start programs: hooks and settings, also of submodules and
/// worktrees, and the remaining steps of a rebase.
const GIT: &[&str] =
    &["hooks", "config", "config.worktree", "commondir", "modules", "worktrees", "rebase-merge"];

/// The last names of settings whose value is a shell command, in any section.
const PROGRAMS: &[&str] = &[
    "alternaterefscommand",
    "askpass",
    "authorsprog",
    "cccmd",
    "clean",
    "cmd",
    "command",
    "defaultkeycommand",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "headercmd",
    "helper",
    "httpd",
    "packobjectshook",
    "pager",
    "path",
    "process",
    "program",
    "receivepack",
    "recentobjectshook",
    "sendmailcmd",
    "smtpserver",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "tunnel",
    "update",
    "uploadpack",
    "vcs",
];

/// Sections in which every value is a shell command.
const SECTIONS: &[&str] = &["alias", "pager"];

/// Settings whose value is a directory of hooks.
const DIRECTORIES: &[&str] = &["hookspath", "templatedir"];

/// Limits of one start: bytes of a repository's git files that are read, and steps: a directory, or
/// a setting. The author of a repository decides how much there is. Beyond the limits it is unknown
/// what git runs, so the whole repository is protected.
const MOST_BYTES: u64 = 6 << 20;
const MOST_STEPS: u64 = 60_000;

/// How many bytes of a shell command cost one further step.
const WORD: u64 = 16;

/// The longest shell command and deepest path that are examined: longer ones are treated as beyond
/// the limits.
const LONGEST_LINE: usize = 4_096;
const LONGEST_PATH: usize = 1_024;
const DEEPEST_PATH: usize = 64;

/// How many submodules of one repository are examined, nested ones included. Further ones are
/// protected as a whole.
const MOST_SUBMODULES: usize = 256;

/// Returns the home directories of this machine's users, by name.
fn home_directories_by_user() -> HashMap<String, PathBuf> {
    let users =
        discover::read_regular_file(Path::new("/etc/passwd"), MOST_BYTES).unwrap_or_default();
    let users = String::from_utf8_lossy(&users);
    let named = users.lines().filter_map(|line| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), fields.nth(4)?.into()))
    });
    named.collect()
}

/// Whether git runs the value of a setting.
fn is_value_run_by_git(setting: &Setting) -> bool {
    DIRECTORIES.contains(&&*setting.name)
        || PROGRAMS.contains(&&*setting.name)
        || SECTIONS.contains(&&*setting.section)
}

/// Variables that name files of settings.
pub(super) const VARIABLES: &[&str] =
    &["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

/// What all repositories share: the home, and settings that apply to every repository.
pub(super) struct Git<'g> {
    home: &'g Path,
    /// The settings that apply to all repositories, and their files: the user's own, which cost a
    /// repository none of its limits.
    of_all: Vec<Setting>,
    files: Vec<PathBuf>,
    /// The remaining bytes and steps; 0 once a limit was exceeded.
    bytes: Cell<u64>,
    steps: Cell<u64>,
    is_spent: Cell<bool>,
    /// The homes of users that a path names: read once, and only if needed.
    homes: OnceCell<HashMap<String, PathBuf>>,
}

impl<'g> Git<'g> {
    pub(super) fn new(home: &'g Path, env: &[(String, String)]) -> Self {
        let named = |name: &str| {
            env.iter()
                .find(|variable| variable.0 == name)
                .map(|variable| PathBuf::from(&variable.1))
        };
        let mut of_all = vec!["/etc/gitconfig".into(), home.join(".gitconfig")];
        of_all.push(
            named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("git/config"),
        );
        of_all.extend(
            ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].iter().filter_map(|text| named(text)),
        );
        of_all.retain(|path| path.is_absolute());
        let budget = || (Cell::new(MOST_BYTES), Cell::new(MOST_STEPS), Cell::new(false));
        let (bytes, steps, is_spent) = budget();
        let homes = OnceCell::new();
        let (none, files) = (Vec::new(), Vec::new());
        let mut git = Self { home, of_all: none, files, bytes, steps, is_spent, homes };
        (git.of_all, git.files) = git.read_settings_run_by_git(of_all);
        // If the user's own settings exceeded a limit, that stays so: everything is protected.
        (git.bytes, git.steps, _) = budget();
        git
    }

    /// Whether a limit was exceeded, so that it is unknown what git runs.
    pub(super) const fn is_limit_exceeded(&self) -> bool {
        self.is_spent.get()
    }

    /// Returns the protected paths of the repository at `place`, even if it does not exist yet.
    pub(super) fn protected_paths_of_repository(&self, place: &Path) -> Vec<PathBuf> {
        let mut all = vec![place.join(".gitmodules")];
        // In a submodule and in a worktree, `.git` is a file that names the directory of its
        // settings.
        all.extend(Some(place.join(".git")).filter(|path| path.is_file()));
        let directories = self.git_directories(place);
        for git in &directories {
            all.extend(GIT.iter().map(|text| git.join(text)));
        }
        all.extend(self.paths_named_by_settings(place, &directories));
        all
    }

    /// Returns the directories of a repository's submodules, nested ones included, and those that
    /// are not examined.
    pub(super) fn all_submodules(&self, place: &Path) -> (BTreeSet<PathBuf>, Vec<PathBuf>) {
        let (mut all, mut further) = (BTreeSet::new(), Vec::new());
        let mut left = VecDeque::from([place.to_path_buf()]);
        while let Some(next) = left.pop_front() {
            for inner in self.direct_submodules(&next) {
                if inner == place || all.contains(&inner) {
                    continue;
                }
                if all.len() >= MOST_SUBMODULES {
                    further.push(inner);
                    continue;
                }
                all.insert(inner.clone());
                left.push_back(inner);
            }
        }
        (all, further)
    }

    /// Returns the files and directories that the settings of a repository name: includes, and what
    /// git runs.
    fn paths_named_by_settings(&self, place: &Path, directories: &[PathBuf]) -> Vec<PathBuf> {
        let own = directories
            .iter()
            .flat_map(|directory| ["config", "config.worktree"].map(|name| directory.join(name)));
        let (settings, mut all) = self.read_settings_run_by_git(own.collect());
        all.extend(self.files.iter().cloned());
        // The user's own settings apply whatever the repository sets.
        all.extend(
            self.of_all.iter().flat_map(|setting| self.paths_run_by_setting(place, setting)),
        );
        for setting in &settings {
            if setting.value.len() > LONGEST_LINE {
                self.is_spent.set(true);
            }
            // Each word of the command is searched for.
            if !self.spend_settings_steps(1 + setting.value.len() as u64 / WORD) {
                break;
            }
            all.extend(self.paths_run_by_setting(place, setting));
        }
        // A hooks directory in `/dev` has no hooks, and devices are granted by their names.
        all.retain(|path| !path.starts_with("/dev"));
        all
    }

    /// Reads these files and the files that they include. Returns the settings whose values git
    /// runs, and the paths of the includes.
    fn read_settings_run_by_git(&self, files: Vec<PathBuf>) -> (Vec<Setting>, Vec<PathBuf>) {
        let mut left = VecDeque::from(files);
        let (mut seen, mut settings, mut included) = (BTreeSet::new(), Vec::new(), Vec::new());
        while let Some(file) = left.pop_front() {
            // A file can have many names, and include itself by each. Includes are relative to the
            // name that was used.
            if !seen.insert(tenterhook_process::internal::resolve_path(&file)) {
                continue;
            }
            let from = file.parent().unwrap_or(&file);
            for setting in self.read_settings(&file) {
                if !self.spend_settings_steps(1) {
                    return (settings, included);
                }
                if matches!(&*setting.section, "include" | "includeif") && setting.name == "path" {
                    let path = self.resolve_settings_path(from, &setting.value);
                    left.push_back(path.clone());
                    included.push(path);
                } else if is_value_run_by_git(&setting) {
                    settings.push(setting);
                }
            }
        }
        (settings, included)
    }

    /// Uses up this many steps. Returns whether that many were left.
    fn spend_settings_steps(&self, steps: u64) -> bool {
        match self.steps.get().checked_sub(steps) {
            Some(left) => self.steps.set(left),
            None => self.is_spent.set(true),
        }
        !self.is_spent.get()
    }

    /// Returns the paths that git runs by a setting, as far as the words of its value name them.
    fn paths_run_by_setting(&self, place: &Path, setting: &Setting) -> Vec<PathBuf> {
        let value = setting.value.as_str();
        if value.is_empty() {
            return Vec::new();
        }
        if DIRECTORIES.contains(&&*setting.name) {
            let directory = self.resolve_settings_path(place, value);
            // Husky's hooks lie beside the directory that git uses, whose files call them.
            let handed_on = directory.parent().filter(|_| directory.ends_with("_"));
            return handed_on
                .map(Path::to_path_buf)
                .into_iter()
                .chain([directory.clone()])
                .collect();
        }
        let line = value.trim_start_matches('!');
        let is_edge = |c: char| c.is_whitespace() || "'\"`;|&()<>={}".contains(c);
        let words = || line.split(is_edge).filter(|part| !part.is_empty());
        // Even if it does not exist yet.
        let first = words().next().filter(|word| word.contains('/') && !word.starts_with('$'));
        let first = first.map(|word| self.resolve_settings_path(place, word));
        let there = words()
            .flat_map(|word| self.possible_paths_of_word(place, word))
            .filter(|path| path.is_file());
        first.into_iter().chain(there).collect()
    }

    /// Returns the paths that a word may mean if a variable stands for the top of the repository.
    fn possible_paths_of_word(&self, place: &Path, word: &str) -> Vec<PathBuf> {
        let behind =
            word.split_once('/').map(|(_, rest)| rest).filter(|_| word.starts_with(['$', '/']));
        let behind = behind.map(|text| place.join(text.trim_start_matches('/')));
        behind.into_iter().chain([self.resolve_settings_path(place, word)]).collect()
    }

    /// Resolves a path in a settings file. A path that is too long or too deep is not examined, and
    /// is treated as an exceeded limit.
    fn resolve_settings_path(&self, from: &Path, written: &str) -> PathBuf {
        if written.len() > LONGEST_PATH || written.matches('/').count() > DEEPEST_PATH {
            self.is_spent.set(true);
            return from.to_path_buf();
        }
        // A path that is not UTF-8 cannot be resolved here, nor can one relative to git's
        // installation.
        if written.contains('\u{FFFD}') || written.starts_with("%(prefix)") {
            self.is_spent.set(true);
        }
        match written.strip_prefix('~').map(|rest| rest.split_once('/').unwrap_or((rest, ""))) {
            Some(("", rest)) => self.home.join(rest),
            Some((user, rest)) => {
                match self.homes.get_or_init(home_directories_by_user).get(user) {
                    Some(home) => home.join(rest),
                    None => from.join(written),
                }
            }
            None => from.join(written),
        }
    }

    /// Returns the directories that git keeps for a working tree: its own, and the one that it
    /// shares with other working trees.
    fn git_directories(&self, place: &Path) -> Vec<PathBuf> {
        let git = place.join(".git");
        if let Some(led) = self.read_file_within_budget(&git).strip_prefix("gitdir:") {
            let own = self.resolve_settings_path(place, led.trim());
            let common = self.read_file_within_budget(&own.join("commondir"));
            let shared = self.resolve_settings_path(&own, common.trim());
            let shared = Some(shared).filter(|_| !common.trim().is_empty());
            return shared.into_iter().chain([own]).collect();
        }
        // A repository without a working tree is such a directory itself.
        let is_bare = !git.exists()
            && ["HEAD", "objects", "refs"].iter().all(|text| place.join(text).exists());
        if is_bare { vec![place.to_path_buf(), git] } else { vec![git] }
    }

    /// Returns the submodules of one repository: those in its settings, and those that exist.
    fn direct_submodules(&self, place: &Path) -> Vec<PathBuf> {
        let said = self.read_settings(&place.join(".gitmodules")).into_iter();
        let said = said.filter(|setting| setting.name == "path").map(|setting| setting.value);
        // Many settings may belong to one name.
        let mut names: BTreeSet<String> = said.collect();
        let mut all = Vec::new();
        for git in self.git_directories(place) {
            // A submodule's name is mostly its path.
            let active = self.read_settings(&git.join("config")).into_iter();
            let active = active
                .filter(|setting| &*setting.section == "submodule" && !setting.sub.is_empty());
            let mut last: Option<Rc<str>> = None;
            for setting in active {
                if last.as_ref().is_none_or(|last| !Rc::ptr_eq(last, &setting.sub)) {
                    names.insert(setting.sub.to_string());
                }
                last = Some(setting.sub);
            }
            all.extend(self.working_trees_of_modules(&git.join("modules")));
        }
        // One that is not there has nothing that git would run.
        all.extend(
            names
                .iter()
                .map(|name| self.resolve_settings_path(place, name))
                .filter(|path| path.is_dir()),
        );
        all
    }

    /// Returns the working trees of the repositories in a directory of submodules.
    fn working_trees_of_modules(&self, modules: &Path) -> Vec<PathBuf> {
        let (mut left, mut all) = (VecDeque::from([modules.to_path_buf()]), Vec::new());
        while let Some(directory) = left.pop_front().filter(|_| self.spend_settings_steps(1)) {
            // A link leads to files of a different owner.
            if !directory.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                continue;
            }
            if directory.join("HEAD").is_file() {
                let config = self.read_settings(&directory.join("config"));
                let tree = config.into_iter().find(|setting| setting.name == "worktree");
                let tree = tree.map(|tree| self.resolve_settings_path(&directory, &tree.value));
                all.extend(tree.map(|tree| tenterhook_process::internal::resolve_path(&tree)));
                left.push_back(directory.join("modules"));
                continue;
            }
            let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
            left.extend(
                entries
                    .filter(|entry| entry.file_type().is_ok_and(|file_type| file_type.is_dir()))
                    .map(|entry| entry.path()),
            );
        }
        all
    }

    fn read_settings(&self, file: &Path) -> Vec<Setting> {
        parse_settings(&self.read_file_within_budget(file))
    }

    /// Returns the text of one of git's files; empty if it is missing or exceeds the remaining
    /// bytes.
    fn read_file_within_budget(&self, file: &Path) -> String {
        let left = self.bytes.get();
        if fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() > left) {
            self.is_spent.set(true);
            return String::new();
        }
        let bytes = discover::read_regular_file(file, left).unwrap_or_default();
        self.bytes.set(left.saturating_sub(bytes.len() as u64));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X-5: a path is resolved as git does, and one that cannot be resolved is protected with
    /// everything.
    #[cfg(unix)]
    #[test]
    fn a_path_is_read_as_git_reads_it() {
        let git = Git::new(Path::new("/h"), &[]);
        for (written, path) in [
            ("a/b", "/r/a/b"),
            ("/a", "/a"),
            ("~/a", "/h/a"),
            ("~", "/h"),
            ("~root/a", "/root/a"),
            ("~nobody-of-that-name/a", "/r/~nobody-of-that-name/a"),
        ] {
            assert_eq!(
                git.resolve_settings_path(Path::new("/r"), written),
                Path::new(path),
                "{written}"
            );
            assert!(!git.is_limit_exceeded(), "{written}");
        }
        for written in ["%(prefix)/a", "a\u{FFFD}"] {
            let git = Git::new(Path::new("/h"), &[]);
            git.resolve_settings_path(Path::new("/r"), written);
            assert!(git.is_limit_exceeded(), "{written}");
        }
    }
}
