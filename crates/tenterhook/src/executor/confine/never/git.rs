//! What of a repository makes git start programs: its hooks, its settings, whatever those include, and the files that they name (X-5). Reads
//! git's files; asks no git, and looks into no file that a setting runs.

mod settings;

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use settings::{Setting, settings};

use crate::discover;

/// What makes git start programs, in its own directory: hooks and settings, also of submodules and worktrees, and what a rebase that is
/// under way has still to do.
const GIT: &[&str] =
    &["hooks", "config", "config.worktree", "commondir", "modules", "worktrees", "rebase-merge"];

/// The last names of settings whose value is a line of shell, whatever section they stand in.
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

/// Sections in which every name is such a line.
const SECTIONS: &[&str] = &["alias", "pager"];

/// Settings whose value is a directory of hooks.
const DIRECTORIES: &[&str] = &["hookspath", "templatedir"];

/// How many bytes of a repository's git files are read for one start, and how many steps are taken: a directory, or a setting of a repository.
/// Whoever brings a repository decides how long that takes. Where there is more, what git runs cannot be told, and all is held as a whole.
const MOST_BYTES: u64 = 6 << 20;
const MOST_STEPS: u64 = 60_000;

/// How many bytes of a line of shell are a step more.
const WORD: u64 = 16;

/// How long a line of shell, and how deep a path, is looked at: what is longer counts as more than can be.
const LONGEST_LINE: usize = 4_096;
const LONGEST_PATH: usize = 1_024;
const DEEPEST_PATH: usize = 64;

/// How many submodules of one repository are looked into, those of submodules with them. Further ones are held as a whole.
const MOST_SUBMODULES: usize = 256;

/// The homes of this machine's users.
fn homes() -> HashMap<String, PathBuf> {
    let users = discover::bytes(Path::new("/etc/passwd"), MOST_BYTES).unwrap_or_default();
    let users = String::from_utf8_lossy(&users);
    let named = users.lines().filter_map(|line| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), fields.nth(4)?.into()))
    });
    named.collect()
}

/// Whether a setting has git run something.
fn runs(setting: &Setting) -> bool {
    DIRECTORIES.contains(&&*setting.name)
        || PROGRAMS.contains(&&*setting.name)
        || SECTIONS.contains(&&*setting.section)
}

/// Variables that say where settings lie.
pub(super) const VARIABLES: &[&str] =
    &["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

/// The repositories of a host: its home, and where settings lie that are meant of all of them.
pub(super) struct Git<'g> {
    home: &'g Path,
    /// The settings that are meant of all repositories, and the files that hold them: the person's own, which cost no repository anything.
    of_all: Vec<Setting>,
    files: Vec<PathBuf>,
    /// What may still be read, and how many steps taken; once more was there, it is spent.
    bytes: Cell<u64>,
    steps: Cell<u64>,
    is_spent: Cell<bool>,
    /// Where users live whom a path names: read once, and only where one is named.
    homes: OnceCell<HashMap<String, PathBuf>>,
}

impl<'g> Git<'g> {
    pub(super) fn of(home: &'g Path, env: &[(String, String)]) -> Self {
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
        (git.of_all, git.files) = git.included(of_all);
        // Where the person's own were more than can be read, that stays so: all is held.
        (git.bytes, git.steps, _) = budget();
        git
    }

    /// Whether there was more than could be looked into, so that not all is known that git runs.
    pub(super) const fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// What is never changed of the repository whose files lie in `place`, also where it is none yet.
    pub(super) fn held(&self, place: &Path) -> Vec<PathBuf> {
        let mut all = vec![place.join(".gitmodules")];
        // In a submodule and in a worktree this is a file that says where its settings lie.
        all.extend(Some(place.join(".git")).filter(|path| path.is_file()));
        let directories = self.directories(place);
        for git in &directories {
            all.extend(GIT.iter().map(|text| git.join(text)));
        }
        all.extend(self.named(place, &directories));
        all
    }

    /// Where the submodules of a repository lie, and theirs; and those that nobody looks into.
    pub(super) fn submodules(&self, place: &Path) -> (BTreeSet<PathBuf>, Vec<PathBuf>) {
        let (mut all, mut further) = (BTreeSet::new(), Vec::new());
        let mut left = VecDeque::from([place.to_path_buf()]);
        while let Some(next) = left.pop_front() {
            for inner in self.submodules_of(&next) {
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

    /// The files and directories that the settings of a repository name: what they include, and what git runs.
    fn named(&self, place: &Path, directories: &[PathBuf]) -> Vec<PathBuf> {
        let own = directories
            .iter()
            .flat_map(|directory| ["config", "config.worktree"].map(|name| directory.join(name)));
        let (settings, mut all) = self.included(own.collect());
        all.extend(self.files.iter().cloned());
        // What the person says of all is known, whatever the repository says.
        all.extend(self.of_all.iter().flat_map(|setting| self.run_by(place, setting)));
        for setting in &settings {
            if setting.value.len() > LONGEST_LINE {
                self.is_spent.set(true);
            }
            // Each of its words is looked for.
            if !self.takes(1 + setting.value.len() as u64 / WORD) {
                break;
            }
            all.extend(self.run_by(place, setting));
        }
        // Whose hooks lie in a device has none, and devices are granted by their names.
        all.retain(|path| !path.starts_with("/dev"));
        all
    }

    /// The settings of these files and of those that they include, and those.
    fn included(&self, files: Vec<PathBuf>) -> (Vec<Setting>, Vec<PathBuf>) {
        let mut left = VecDeque::from(files);
        let (mut seen, mut settings, mut included) = (BTreeSet::new(), Vec::new(), Vec::new());
        while let Some(file) = left.pop_front() {
            // One file has many names, and may include itself by each. What it includes is found from the name by which it was.
            if !seen.insert(tenterhook_process::resolved(&file)) {
                continue;
            }
            let from = file.parent().unwrap_or(&file);
            for setting in self.read(&file) {
                if !self.takes(1) {
                    return (settings, included);
                }
                if matches!(&*setting.section, "include" | "includeif") && setting.name == "path" {
                    let path = self.path(from, &setting.value);
                    left.push_back(path.clone());
                    included.push(path);
                } else if runs(&setting) {
                    settings.push(setting);
                }
            }
        }
        (settings, included)
    }

    /// Takes so many of the steps that are left. Whether there were as many.
    fn takes(&self, steps: u64) -> bool {
        match self.steps.get().checked_sub(steps) {
            Some(left) => self.steps.set(left),
            None => self.is_spent.set(true),
        }
        !self.is_spent.get()
    }

    /// What a setting has git run, as far as its words name it.
    fn run_by(&self, place: &Path, setting: &Setting) -> Vec<PathBuf> {
        let value = setting.value.as_str();
        if value.is_empty() {
            return Vec::new();
        }
        if DIRECTORIES.contains(&&*setting.name) {
            let directory = self.path(place, value);
            // The hooks of husky lie beside the directory that git is told of, whose files hand on to them.
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
        // Also where it is not there yet.
        let first = words().next().filter(|word| word.contains('/') && !word.starts_with('$'));
        let first = first.map(|word| self.path(place, word));
        let there = words().flat_map(|word| self.meant(place, word)).filter(|path| path.is_file());
        first.into_iter().chain(there).collect()
    }

    /// What a word may mean, in which something may stand for the top of the repository.
    fn meant(&self, place: &Path, word: &str) -> Vec<PathBuf> {
        let behind =
            word.split_once('/').map(|(_, rest)| rest).filter(|_| word.starts_with(['$', '/']));
        let behind = behind.map(|text| place.join(text.trim_start_matches('/')));
        behind.into_iter().chain([self.path(place, word)]).collect()
    }

    /// A path that a file writes. One that is too long or too deep leads nowhere that is looked at.
    fn path(&self, from: &Path, written: &str) -> PathBuf {
        if written.len() > LONGEST_PATH || written.matches('/').count() > DEEPEST_PATH {
            self.is_spent.set(true);
            return from.to_path_buf();
        }
        // A path of other letters is not known here by its name, nor is one below where git itself lies.
        if written.contains('\u{FFFD}') || written.starts_with("%(prefix)") {
            self.is_spent.set(true);
        }
        match written.strip_prefix('~').map(|rest| rest.split_once('/').unwrap_or((rest, ""))) {
            Some(("", rest)) => self.home.join(rest),
            Some((user, rest)) => match self.homes.get_or_init(homes).get(user) {
                Some(home) => home.join(rest),
                None => from.join(written),
            },
            None => from.join(written),
        }
    }

    /// Where git keeps what belongs to a working tree: its own directory, and the one that it shares with other working trees.
    fn directories(&self, place: &Path) -> Vec<PathBuf> {
        let git = place.join(".git");
        if let Some(led) = self.text(&git).strip_prefix("gitdir:") {
            let own = self.path(place, led.trim());
            let common = self.text(&own.join("commondir"));
            let shared = self.path(&own, common.trim());
            let shared = Some(shared).filter(|_| !common.trim().is_empty());
            return shared.into_iter().chain([own]).collect();
        }
        // A repository without a working tree is such a directory itself.
        let is_bare = !git.exists()
            && ["HEAD", "objects", "refs"].iter().all(|text| place.join(text).exists());
        if is_bare { vec![place.to_path_buf(), git] } else { vec![git] }
    }

    /// The submodules of one repository: those that it says that it has, and those that are there.
    fn submodules_of(&self, place: &Path) -> Vec<PathBuf> {
        let said = self.read(&place.join(".gitmodules")).into_iter();
        let said = said.filter(|setting| setting.name == "path").map(|setting| setting.value);
        // Many settings stand below one name.
        let mut names: BTreeSet<String> = said.collect();
        let mut all = Vec::new();
        for git in self.directories(place) {
            // Their name is mostly where they lie.
            let active = self.read(&git.join("config")).into_iter();
            let active = active
                .filter(|setting| &*setting.section == "submodule" && !setting.sub.is_empty());
            let mut last: Option<Rc<str>> = None;
            for setting in active {
                if last.as_ref().is_none_or(|last| !Rc::ptr_eq(last, &setting.sub)) {
                    names.insert(setting.sub.to_string());
                }
                last = Some(setting.sub);
            }
            all.extend(self.trees_of(&git.join("modules")));
        }
        // One that is not there has nothing that git would run.
        all.extend(names.iter().map(|name| self.path(place, name)).filter(|path| path.is_dir()));
        all
    }

    /// Where the working trees lie of the repositories in a directory of submodules.
    fn trees_of(&self, modules: &Path) -> Vec<PathBuf> {
        let (mut left, mut all) = (VecDeque::from([modules.to_path_buf()]), Vec::new());
        while let Some(directory) = left.pop_front().filter(|_| self.takes(1)) {
            // A link leads to what somebody else keeps.
            if !directory.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                continue;
            }
            if directory.join("HEAD").is_file() {
                let config = self.read(&directory.join("config"));
                let tree = config.into_iter().find(|setting| setting.name == "worktree");
                let tree = tree.map(|tree| self.path(&directory, &tree.value));
                all.extend(tree.map(|tree| tenterhook_process::resolved(&tree)));
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

    fn read(&self, file: &Path) -> Vec<Setting> {
        settings(&self.text(file))
    }

    /// The text of one of git's files; nothing where it is none, or more than may still be read.
    fn text(&self, file: &Path) -> String {
        let left = self.bytes.get();
        if fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() > left) {
            self.is_spent.set(true);
            return String::new();
        }
        let bytes = discover::bytes(file, left).unwrap_or_default();
        self.bytes.set(left.saturating_sub(bytes.len() as u64));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X-5: a path is what it is to git, and one that is not known is held with all.
    #[cfg(unix)]
    #[test]
    fn a_path_is_read_as_git_reads_it() {
        let git = Git::of(Path::new("/h"), &[]);
        for (written, path) in [
            ("a/b", "/r/a/b"),
            ("/a", "/a"),
            ("~/a", "/h/a"),
            ("~", "/h"),
            ("~root/a", "/root/a"),
            ("~nobody-of-that-name/a", "/r/~nobody-of-that-name/a"),
        ] {
            assert_eq!(git.path(Path::new("/r"), written), Path::new(path), "{written}");
            assert!(!git.is_spent(), "{written}");
        }
        for written in ["%(prefix)/a", "a\u{FFFD}"] {
            let git = Git::of(Path::new("/h"), &[]);
            git.path(Path::new("/r"), written);
            assert!(git.is_spent(), "{written}");
        }
    }
}
