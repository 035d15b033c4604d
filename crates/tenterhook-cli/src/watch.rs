//! `--watch`: does a thing again whenever one of its files changes, until a signal ends it. Knows no command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};

use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::paint::{DIM, paint};
use crate::term::Term;
use crate::wait::call_handler_on_first_signal;

/// Editors write a file in several steps; what follows this soon belongs to the same change.
const TOGETHER: Duration = Duration::from_millis(100);

/// Runs `round`, waits until something changes in a directory of `files`, and runs it again. A
/// problem of a round is printed: the next change may fix it.
pub(crate) fn run_on_changes(
    term: Term,
    files: impl Fn() -> BTreeSet<PathBuf>,
    round: impl Fn() -> Result<Exit, Problem>,
) -> Result<Exit, Problem> {
    let (sender, wakes) = channel();
    let signals = sender.clone();
    // Without a receiver the program is about to end.
    call_handler_on_first_signal(move |signal| drop(signals.send(Wake::Signal(signal))))?;
    let own = Printed::current_outputs();
    loop {
        let changed = sender.clone();
        let printed = own.clone();
        let on_event = move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, |event| is_file_change(event, &printed)) {
                drop(changed.send(Wake::Change));
            }
        };
        let cannot =
            |error: notify::Error| Problem::new(format!("files cannot be watched: {error}"));
        let mut watcher = notify::recommended_watcher(on_event).map_err(cannot)?;
        // What changes while the round runs is not missed: it is watched before.
        for directory in parent_directories(&files()) {
            // One that has just gone away comes back with the next change.
            let _ = watcher.watch(&directory, RecursiveMode::NonRecursive);
        }
        match round() {
            Ok(exit @ Exit::Cancelled(_)) => return Ok(exit),
            Ok(_) => {}
            Err(problem) => term.print_problem(&problem),
        }
        term.print_note(&format!("\n{}", paint(DIM, "waiting for a change; Ctrl-C ends this")));
        let mut next = wakes.recv().ok();
        while let Some(Wake::Change) = next {
            match wakes.recv_timeout(TOGETHER) {
                Ok(more) => next = Some(more),
                Err(_) => break,
            }
        }
        if let Some(Wake::Signal(signal)) = next {
            return Ok(Exit::Cancelled(signal));
        }
    }
}

/// Returns whether an event means that somebody changed a file. Reading is no change, and neither
/// is the output of this program if it goes into a watched directory.
fn is_file_change(event: &notify::Event, printed: &Printed) -> bool {
    let is_own =
        !event.paths.is_empty() && event.paths.iter().all(|path| printed.is_output_file(path));
    !matches!(event.kind, EventKind::Access(_)) && !is_own
}

/// The files that standard output and standard error go to, where they go to files.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix tells which files they are"))]
struct Printed(Vec<(u64, u64)>);

#[cfg(unix)]
impl Printed {
    fn current_outputs() -> Self {
        use std::os::fd::AsFd;
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        let streams = [stdout.as_fd(), stderr.as_fd()].into_iter();
        let files = streams
            .filter_map(|stream| Some(std::fs::File::from(stream.try_clone_to_owned().ok()?)));
        Self(files.filter_map(|file| Some(Self::file_identity(&file.metadata().ok()?))).collect())
    }

    fn is_output_file(&self, path: &Path) -> bool {
        path.metadata().is_ok_and(|metadata| {
            metadata.is_file() && self.0.contains(&Self::file_identity(&metadata))
        })
    }

    fn file_identity(of: &std::fs::Metadata) -> (u64, u64) {
        use std::os::unix::fs::MetadataExt;
        (of.dev(), of.ino())
    }
}

#[cfg(not(unix))]
impl Printed {
    fn current_outputs() -> Self {
        Self::default()
    }

    fn is_output_file(&self, _: &Path) -> bool {
        false
    }
}

/// What ends the wait for the next round.
enum Wake {
    Change,
    Signal(u8),
}

/// Returns the directories of files: editors replace a file by a new one, which only shows in the
/// directory.
fn parent_directories(files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let directories = files.iter().filter_map(|file| file.parent());
    directories.filter(|directory| directory.is_dir()).map(ToOwned::to_owned).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use notify::event::ModifyKind;

    use super::*;

    /// Checks `check --watch > report.txt` with the report in the watched directory.
    #[test]
    fn redirected_output_is_ignored() {
        let room = tempfile::tempdir().expect("a directory");
        let [report, config] = ["report.txt", "tenterhook.toml"].map(|text| room.path().join(text));
        let opened = [&report, &config].map(|path| std::fs::File::create(path).expect("a file"));
        let metadata = opened.first().expect("one").metadata().expect("its identity");
        let printed = Printed(vec![Printed::file_identity(&metadata)]);
        let event = |path: &Path| {
            notify::Event::new(EventKind::Modify(ModifyKind::Any)).add_path(path.to_owned())
        };
        assert!(!is_file_change(&event(&report), &printed));
        assert!(is_file_change(&event(&config), &printed));
        assert!(is_file_change(&event(&room.path().join("gone")), &printed));
    }
}
