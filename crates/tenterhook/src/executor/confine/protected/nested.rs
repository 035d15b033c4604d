//! Finds repositories and agents' files anywhere below a directory. One bounded walk; a directory
//! that did not change since the last walk is not read again. Reads names only; misses what is
//! created later.

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How many directories are examined, the nearest first.
const MOST: usize = 20_000;

/// Directories that are skipped: installed or built files, and git's own.
const SKIPPED: &[&str] = &[".git", "node_modules", "target"];

/// A directory that changed this recently before it was read may change again without a new
/// timestamp.
const FRESH: Duration = Duration::from_secs(2);

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Nested {
    /// The working trees of repositories, and repositories without one.
    pub(super) repositories: Vec<PathBuf>,
    /// Agents' files that decide which hooks run.
    pub(super) files: Vec<PathBuf>,
}

/// The relevant entries of a directory at some time.
#[derive(Clone, Debug, Default)]
struct Listing {
    stamp: Option<Stamp>,
    directories: Vec<OsString>,
    marks: Vec<OsString>,
    is_repository: bool,
}

/// The identity of a directory, and its change time, which no program can set.
type Stamp = (u64, u64, i64, i64);

/// The directories that were read: kept as long as the host, which runs many hooks and commands
/// while trees change little.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Listing>>> = LazyLock::new(Mutex::default);

/// The agents' files that may be in any directory, by the first part of their names.
static FILES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<&str>> = HashMap::new();
    for file in super::guarded_paths_of_agents()
        .map(|(_, file)| file)
        .filter(|file| !file.starts_with(['~', '/']))
    {
        all.entry(file.split('/').next().unwrap_or(file)).or_default().push(file);
    }
    all
});

/// Finds the repositories and the files of agents in and below each of these directories.
pub(super) fn find_repositories_and_agent_files(roots: &[PathBuf]) -> Nested {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() > 2 * MOST {
        known.clear();
    }
    let (mut nested, mut looked) = (Nested::default(), 0);
    let mut left: VecDeque<PathBuf> = roots.iter().cloned().collect();
    while let Some(directory) = left.pop_front().filter(|_| looked < MOST) {
        looked += 1;
        let stamp = directory_stamp(&directory);
        let is_known =
            known.get(&directory).is_some_and(|value| stamp.is_some() && value.stamp == stamp);
        if !is_known {
            known.insert(directory.clone(), Listing::read_directory(&directory, stamp));
        }
        let Some(listing) = known.get(&directory) else { continue };
        left.extend(listing.directories.iter().map(|value| directory.join(value)));
        nested.files.extend(
            listing
                .marks
                .iter()
                .flat_map(|mark| existing_agent_files_starting_at(&directory, mark)),
        );
        if listing.is_repository {
            nested.repositories.push(directory);
        }
    }
    nested
}

impl Listing {
    fn read_directory(directory: &Path, stamp: Option<Stamp>) -> Self {
        let mut listing = Self { stamp: stamp.filter(is_reliable_stamp), ..Self::default() };
        let mut of_bare = 0;
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            of_bare += usize::from(["HEAD", "objects", "refs"].iter().any(|text| name == *text));
            listing.is_repository |= name == ".git";
            if agent_file_rows_starting_with(&name).next().is_some() {
                listing.marks.push(name.clone());
            }
            let is_directory = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
            if is_directory && !SKIPPED.iter().any(|text| name == *text) {
                listing.directories.push(name);
            }
        }
        listing.is_repository |= of_bare == 3;
        listing
    }
}

/// Returns the rows of the table of agents' files whose first part matches a name.
fn agent_file_rows_starting_with(name: &OsStr) -> impl Iterator<Item = &'static str> {
    let name = name.to_str().unwrap_or_default();
    let named = FILES.get(name).into_iter().flatten().copied();
    // Only our own file names are prefixes.
    let ours = FILES.iter().filter(move |_| name.starts_with("tenterhook."));
    let ours = ours.filter(move |(first, _)| first.contains('*') && matches_wildcard(first, name));
    named.chain(ours.flat_map(|(_, rows)| rows.iter().copied()))
}

/// Returns the existing files of agents, as the table lists them, whose path in a directory starts
/// with a name.
fn existing_agent_files_starting_at(directory: &Path, name: &OsStr) -> Vec<PathBuf> {
    agent_file_rows_starting_with(name)
        .flat_map(|row| match row.rsplit_once('/') {
            Some((parent, last)) if last.contains('*') => {
                let entries = fs::read_dir(directory.join(parent)).into_iter().flatten().flatten();
                let fitting = entries.filter(|entry| {
                    entry.file_name().to_str().is_some_and(|name| matches_wildcard(last, name))
                });
                fitting.map(|entry| entry.path()).collect()
            }
            Some(_) => Some(directory.join(row))
                .filter(|path| path.symlink_metadata().is_ok())
                .into_iter()
                .collect(),
            None => vec![directory.join(name)],
        })
        .collect()
}

pub(super) fn matches_wildcard(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => name.starts_with(before) && name.ends_with(after),
        None => pattern == name,
    }
}

#[cfg(unix)]
fn directory_stamp(directory: &Path) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::symlink_metadata(directory).ok()?;
    Some((metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(not(unix))]
fn directory_stamp(_: &Path) -> Option<Stamp> {
    None
}

/// Whether the directory was changed long enough ago that its stamp can be trusted.
fn is_reliable_stamp(stamp: &Stamp) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let changed = Duration::from_secs(u64::try_from(stamp.2).unwrap_or_default());
    now.checked_sub(changed).is_some_and(|duration| duration > FRESH)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// found at any depth, and again once it is made.
    #[test]
    fn what_lies_below_is_found() {
        let fixture = tempfile::tempdir().expect("a fixture");
        let make = |file: &str| {
            let path = fixture.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a fixture");
            fs::write(&path, "").expect("a fixture");
        };
        let all = [
            "a/b/c/.claude/settings.json",
            "a/.codex/my.config.toml",
            "a/tenterhook.my.toml",
            "src/.github/hooks/x.json",
        ];
        for file in all.iter().chain(&[
            "in/repo/.git/config",
            "sub/.git",
            "bare/HEAD",
            "bare/objects/x",
            "bare/refs/x",
            "node_modules/a/.git/config",
            "a/.claude/other.json",
            "a/tenterhook.txt",
        ]) {
            make(file);
        }
        let found = || {
            let nested = find_repositories_and_agent_files(&[fixture.path().to_path_buf()]);
            let sorted = |mut paths: Vec<PathBuf>| {
                paths.sort();
                paths
                    .iter()
                    .map(|path| {
                        path.strip_prefix(fixture.path()).expect("below").display().to_string()
                    })
                    .collect::<Vec<_>>()
            };
            (sorted(nested.files), sorted(nested.repositories))
        };
        let files = [
            "a/.codex/my.config.toml",
            "a/b/c/.claude/settings.json",
            "a/tenterhook.my.toml",
            "src/.github/hooks",
        ];
        assert_eq!(found().0, files);
        assert_eq!(found().1, ["bare", "in/repo", "sub"]);
        make("later/x/.git/HEAD");
        assert_eq!(found().1, ["bare", "in/repo", "later/x", "sub"]);
    }
}
