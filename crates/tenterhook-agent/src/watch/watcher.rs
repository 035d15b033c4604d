//! Which of some files changed, and how: looks at them when the system says that something moved there. Knows no hook.
//!
//! What the system tells is a hint alone: events are merged, lost and doubled. What counts is how each file stands, before and
//! after.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// How long it must be quiet before files are looked at: who saves one writes several times.
const QUIET: Duration = Duration::from_millis(50);
/// How long it may go on until they are looked at all the same.
const LONGEST: Duration = Duration::from_millis(500);
/// How many files of a directory are looked at.
const MOST: usize = 10_000;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It came.
    Add,
    /// It changed.
    Differ,
    /// It went.
    Unlink,
}

impl Change {
    /// Returns the name for hooks.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Differ => "change",
            Self::Unlink => "unlink",
        }
    }
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) change: Change,
}

/// How a file stands: two files that stand the same are the same. Moment, size, place.
type Stamp = (i64, i64, u64, u64);

/// The one who looks.
pub(super) struct Watcher {
    watcher: RecommendedWatcher,
    stirred: Arc<Notify>,
    /// Something moved since files were looked at: stored here, because the waiting task may be
    /// cancelled before it is quiet.
    stirs: bool,
    /// The watched files and directories.
    wanted: BTreeSet<PathBuf>,
    /// How each file stood last.
    known: BTreeMap<PathBuf, Option<Stamp>>,
    /// The directories that the system looks at, and which they were.
    places: BTreeMap<PathBuf, (u64, u64)>,
}

impl Watcher {
    /// Creates a watcher that watches nothing yet.
    pub(super) fn open() -> notify::Result<Self> {
        let stirred = Arc::new(Notify::new());
        let stir = Arc::clone(&stirred);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading changes nothing, and looking at a directory is reading.
            if !matches!(event, Ok(notify::Event { kind: EventKind::Access(_), .. })) {
                stir.notify_one();
            }
        })?;
        Ok(Self {
            watcher,
            stirred,
            stirs: false,
            wanted: BTreeSet::new(),
            known: BTreeMap::new(),
            places: BTreeMap::new(),
        })
    }

    /// Watches these paths from now on, and no others.
    pub(super) fn look_at(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.wanted = paths.into_iter().collect();
        self.update_os_watches();
        let standing = self.current_stamps();
        self.known.retain(|path, _| standing.contains_key(path));
        for (path, stamp) in standing {
            self.known.entry(path).or_insert(stamp);
        }
    }

    /// Waits for the next changes. Pends while nothing changes; cancel safe.
    pub(super) async fn next(&mut self) -> Vec<Seen> {
        loop {
            if !self.stirs {
                self.stirred.notified().await;
                self.stirs = true;
            }
            let latest = Instant::now() + LONGEST;
            while Instant::now() < latest {
                tokio::select! {
                    () = self.stirred.notified() => {}
                    () = sleep(QUIET) => break,
                }
            }
            self.stirs = false;
            let seen = self.detect_changes();
            if !seen.is_empty() {
                return seen;
            }
        }
    }

    fn detect_changes(&mut self) -> Vec<Seen> {
        self.update_os_watches();
        let standing = self.current_stamps();
        let mut seen = Vec::new();
        for path in self.known.keys().chain(standing.keys()).collect::<BTreeSet<_>>() {
            let before = self.known.get(path).copied().flatten();
            let change = match (before, standing.get(path).copied().flatten()) {
                (None, Some(_)) => Change::Add,
                (Some(_), None) => Change::Unlink,
                (Some(before), Some(now)) if before != now => Change::Differ,
                _ => continue,
            };
            seen.push(Seen { path: path.clone(), change });
        }
        self.known = standing;
        seen
    }

    /// Returns the current stamps of all watched files.
    fn current_stamps(&self) -> BTreeMap<PathBuf, Option<Stamp>> {
        let mut standing = BTreeMap::new();
        for path in &self.wanted {
            if path.is_dir() {
                standing.extend(
                    files_below(path).into_iter().map(|path| (path.clone(), file_stamp(&path))),
                );
            } else {
                standing.insert(path.clone(), file_stamp(path));
            }
        }
        standing
    }

    /// Makes the system watch the directories in which something can change; for those that do not
    /// exist yet, their parents.
    fn update_os_watches(&mut self) {
        let mut needed: BTreeMap<PathBuf, (RecursiveMode, (u64, u64))> = BTreeMap::new();
        for path in &self.wanted {
            let mode =
                if path.is_dir() { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            let from = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
            let place =
                from.into_iter().flat_map(Path::ancestors).find(|ancestor| ancestor.is_dir());
            let Some((place, which)) = place.and_then(|path| Some((path, device_and_inode(path)?)))
            else {
                continue;
            };
            let entry = needed.entry(place.to_owned()).or_insert((mode, which));
            if mode == RecursiveMode::Recursive {
                entry.0 = mode;
            }
        }
        let gone = |place: &PathBuf, which| needed.get(place).is_none_or(|value| value.1 != which);
        let old: Vec<_> = self
            .places
            .iter()
            .filter(|(path, which)| gone(path, **which))
            .map(|(path, _)| path.clone())
            .collect();
        for place in old {
            self.places.remove(&place);
            // One that was removed is looked at no more anyway.
            let _ = self.watcher.unwatch(&place);
        }
        for (place, (mode, which)) in needed {
            // Where the system cannot look, it is tried again at the next change elsewhere.
            if !self.places.contains_key(&place) && self.watcher.watch(&place, mode).is_ok() {
                self.places.insert(place, which);
            }
        }
    }
}

fn device_and_inode(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

fn file_stamp(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((found.mtime(), found.mtime_nsec(), found.len(), found.ino()))
}

/// Returns the files in a directory and below it.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => left.push(entry.path()),
                Ok(_) if found.len() < MOST => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_testkit::Sandbox;

    /// `FileWatcherFiresFileChangedForWatchedPath`: a file that comes, changes and goes, in a directory that is not there yet.
    #[tokio::test]
    async fn a_file_comes_changes_and_goes() {
        let room = Sandbox::new().unwrap();
        let (path, tree) = (room.project().join("deep/er/file"), room.project().join("tree"));
        room.write("tree/old", "").unwrap();
        let mut watcher = Watcher::open().unwrap();
        watcher.look_at([path.clone(), tree.clone()]);
        let mut expect = async |path: &Path, change| {
            assert_eq!(watcher.next().await, [Seen { path: path.to_owned(), change }]);
        };
        room.write("deep/er/file", "one").unwrap();
        expect(&path, Change::Add).await;
        room.write("deep/er/file", "three").unwrap();
        expect(&path, Change::Differ).await;
        room.write("deep/er/other", "not looked at").unwrap();
        std::fs::remove_dir_all(room.project().join("deep")).unwrap();
        expect(&path, Change::Unlink).await;
        room.write("deep/er/file", "again").unwrap();
        expect(&path, Change::Add).await;
        room.write("tree/new/leaf", "").unwrap();
        expect(&tree.join("new/leaf"), Change::Add).await;
    }

    /// The waiting task may be cancelled at any moment and start again.
    #[tokio::test]
    async fn what_moved_is_seen_by_who_was_called_away() {
        let room = Sandbox::new().unwrap();
        let path = room.project().join("file");
        let mut watcher = Watcher::open().unwrap();
        watcher.look_at([path.clone()]);
        room.write("file", "one").unwrap();
        let mut seen = Vec::new();
        while !watcher.stirs && seen.is_empty() {
            seen = tokio::time::timeout(QUIET / 10, watcher.next()).await.unwrap_or_default();
        }
        if seen.is_empty() {
            watcher.look_at([path.clone()]);
            seen = watcher.next().await;
        }
        assert_eq!(seen, [Seen { path, change: Change::Add }]);
    }
}
