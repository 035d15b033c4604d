//! What of a repository makes git start programs: its hooks, its settings, whatever those include, and the files that they name. Reads
//! git's files; asks no git, and looks into no file that a setting runs.

mod settings;

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use settings::{Setting, settings};

/// What makes git start programs, in its own directory: hooks and settings, also of submodules and worktrees, and what a rebase that is
/// under way has still to do.
const GIT: &[&str] =
    &["hooks", "config", "config.worktree", "commondir", "modules", "worktrees", "rebase-merge"];

/// The last names of settings whose value is a line of shell, whatever section they stand in.
const PROGRAMS: &[&str] = &[
    "alternaterefscommand",
    "askpass",
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
    "packobjectshook",
    "pager",
    "path",
    "process",
    "program",
    "receivepack",
    "sendmailcmd",
    "smtpserver",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "update",
    "uploadpack",
    "vcs",
];

/// Sections in which every name is such a line.
const SECTIONS: &[&str] = &["alias", "pager"];

/// Settings whose value is a directory of hooks.
const DIRECTORIES: &[&str] = &["hookspath", "templatedir"];

/// The largest of git's files that is looked into.
const LARGEST: u64 = 1 << 20;

/// How many files of settings of one repository are looked into, and how many directories for those of its submodules.
const MOST_FILES: usize = 64;
const MOST_DIRECTORIES: usize = 512;

/// How many submodules of one repository are known, those of submodules with them.
const MOST_SUBMODULES: usize = 256;

/// The repositories of a host: its home, and where settings lie that are meant of all of them.
pub(super) struct Git<'g> {
    home: &'g Path,
    of_all: Vec<PathBuf>,
}

impl<'g> Git<'g> {
    pub(super) fn of(home: &'g Path, env: &[(String, String)]) -> Self {
        let named = |name: &str| env.iter().find(|it| it.0 == name).map(|it| PathBuf::from(&it.1));
        let mut of_all = vec!["/etc/gitconfig".into(), home.join(".gitconfig")];
        of_all.push(
            named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("git/config"),
        );
        of_all.extend(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].iter().filter_map(|it| named(it)));
        of_all.retain(|it| it.is_absolute());
        Self { home, of_all }
    }

    /// What is never changed of the repository whose files lie in `place`, also where it is none yet.
    pub(super) fn held(&self, place: &Path) -> Vec<PathBuf> {
        let mut all = vec![place.join(".gitmodules")];
        // In a submodule and in a worktree this is a file that says where its settings lie.
        all.extend(Some(place.join(".git")).filter(|it| it.is_file()));
        let directories = directories(place);
        for git in &directories {
            all.extend(GIT.iter().map(|it| git.join(it)));
        }
        all.extend(self.named(place, &directories));
        all
    }

    /// Where the submodules of a repository lie, and theirs.
    pub(super) fn submodules(&self, place: &Path) -> BTreeSet<PathBuf> {
        let mut all = BTreeSet::new();
        let mut left = VecDeque::from([place.to_path_buf()]);
        while let Some(next) = left.pop_front() {
            for inner in submodules(&next) {
                if all.len() < MOST_SUBMODULES && inner != place && all.insert(inner.clone()) {
                    left.push_back(inner);
                }
            }
        }
        all
    }

    /// The files and directories that the settings of a repository name: what they include, and what git runs.
    fn named(&self, place: &Path, directories: &[PathBuf]) -> Vec<PathBuf> {
        let own = directories
            .iter()
            .flat_map(|it| ["config", "config.worktree"].map(|name| it.join(name)));
        let mut left: VecDeque<PathBuf> = self.of_all.iter().cloned().chain(own).collect();
        let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
        while let Some(file) = left.pop_front() {
            if seen.len() >= MOST_FILES || !seen.insert(file.clone()) {
                continue;
            }
            let from = file.parent().unwrap_or(place);
            for it in read(&file) {
                if matches!(&*it.section, "include" | "includeif") && it.name == "path" {
                    let included = self.path(from, &it.value);
                    left.push_back(included.clone());
                    all.push(included);
                } else {
                    all.extend(self.run_by(place, &it));
                }
            }
        }
        // Whose hooks lie in a device has none, and devices are granted by their names.
        all.retain(|it| !it.starts_with("/dev"));
        all
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
        if !PROGRAMS.contains(&&*setting.name) && !SECTIONS.contains(&&*setting.section) {
            return Vec::new();
        }
        let line = value.trim_start_matches('!');
        let is_edge = |it: char| it.is_whitespace() || "'\"`;|&()<>={}".contains(it);
        let words = || line.split(is_edge).filter(|it| !it.is_empty());
        // Also where it is not there yet.
        let first = words().next().filter(|it| it.contains('/') && !it.starts_with('$'));
        let first = first.map(|it| self.path(place, it));
        let there = words().flat_map(|it| self.meant(place, it)).filter(|it| it.is_file());
        first.into_iter().chain(there).collect()
    }

    /// What a word may mean, in which something may stand for the top of the repository.
    fn meant(&self, place: &Path, word: &str) -> Vec<PathBuf> {
        let behind =
            word.split_once('/').map(|(_, rest)| rest).filter(|_| word.starts_with(['$', '/']));
        let behind = behind.map(|it| place.join(it.trim_start_matches('/')));
        behind.into_iter().chain([self.path(place, word)]).collect()
    }

    fn path(&self, from: &Path, written: &str) -> PathBuf {
        match written.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => from.join(written),
        }
    }
}

/// Where git keeps what belongs to a working tree: its own directory, and the one that it shares with other working trees.
fn directories(place: &Path) -> Vec<PathBuf> {
    let git = place.join(".git");
    if let Some(led) = text(&git).strip_prefix("gitdir:") {
        let own = place.join(led.trim());
        let common = text(&own.join("commondir"));
        let shared = Some(own.join(common.trim())).filter(|_| !common.trim().is_empty());
        return shared.into_iter().chain([own]).collect();
    }
    // A repository without a working tree is such a directory itself.
    let is_bare =
        !git.exists() && ["HEAD", "objects", "refs"].iter().all(|it| place.join(it).exists());
    if is_bare { vec![place.to_path_buf(), git] } else { vec![git] }
}

/// The submodules of one repository: those that it says that it has, and those that are there.
fn submodules(place: &Path) -> Vec<PathBuf> {
    let said = read(&place.join(".gitmodules")).into_iter().filter(|it| it.name == "path");
    let mut all: Vec<PathBuf> = said.map(|it| place.join(it.value)).collect();
    for git in directories(place) {
        // Their name is mostly where they lie.
        let active = read(&git.join("config")).into_iter().filter(|it| it.section == "submodule");
        all.extend(active.filter(|it| !it.sub.is_empty()).map(|it| place.join(it.sub)));
        all.extend(trees_of(&git.join("modules")));
    }
    all
}

/// Where the working trees lie of the repositories in a directory of submodules.
fn trees_of(modules: &Path) -> Vec<PathBuf> {
    let (mut left, mut looked, mut all) = (VecDeque::from([modules.to_path_buf()]), 0, Vec::new());
    while let Some(directory) = left.pop_front().filter(|_| looked < MOST_DIRECTORIES) {
        looked += 1;
        if directory.join("HEAD").is_file() {
            let tree = read(&directory.join("config")).into_iter().find(|it| it.name == "worktree");
            all.extend(tree.map(|it| tenterhook_process::resolved(&directory.join(it.value))));
            left.push_back(directory.join("modules"));
            continue;
        }
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        left.extend(
            entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir())).map(|it| it.path()),
        );
    }
    all
}

fn read(file: &Path) -> Vec<Setting> {
    settings(&text(file))
}

/// The text of one of git's files; nothing where it is none, or too large.
fn text(file: &Path) -> String {
    let is_small = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
    let bytes = is_small.then(|| fs::read(file).ok()).flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
