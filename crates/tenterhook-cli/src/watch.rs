//! `--watch`: does a thing again whenever one of its files changes, until a signal ends it. Knows no command.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};

use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::paint::{DIM, paint};
use crate::term::Term;
use crate::wait::hear_signals;

/// Editors write a file in several steps; what follows this soon belongs to the same change.
const TOGETHER: Duration = Duration::from_millis(100);

/// Runs `round`, waits until something changes in a directory of `files`, and runs it again. A problem of a round is told: the
/// next change may mend it.
pub(crate) fn run(
    term: Term,
    files: impl Fn() -> BTreeSet<PathBuf>,
    round: impl Fn() -> Result<Exit, Problem>,
) -> Result<Exit, Problem> {
    let (sender, heard) = channel();
    let signals = sender.clone();
    // Where nobody receives any more, the program is about to end.
    hear_signals(move |signal| drop(signals.send(Heard::Signal(signal))))?;
    loop {
        let changed = sender.clone();
        let told = move |event: notify::Result<notify::Event>| {
            // Reading changes nothing.
            if !matches!(event, Ok(notify::Event { kind: EventKind::Access(_), .. })) {
                drop(changed.send(Heard::Change));
            }
        };
        let cannot =
            |error: notify::Error| Problem::new(format!("files cannot be watched: {error}"));
        let mut watcher = notify::recommended_watcher(told).map_err(cannot)?;
        // What changes while the round runs is not missed: it is watched before.
        for directory in directories(&files()) {
            // One that has just gone away comes back with the next change.
            let _ = watcher.watch(&directory, RecursiveMode::NonRecursive);
        }
        match round() {
            Ok(exit @ Exit::Cancelled(_)) => return Ok(exit),
            Ok(_) => {}
            Err(problem) => term.complain(&problem),
        }
        term.say(&format!("\n{}", paint(DIM, "waiting for a change; Ctrl-C ends this")));
        let mut next = heard.recv().ok();
        while let Some(Heard::Change) = next {
            match heard.recv_timeout(TOGETHER) {
                Ok(more) => next = Some(more),
                Err(_) => break,
            }
        }
        if let Some(Heard::Signal(signal)) = next {
            return Ok(Exit::Cancelled(signal));
        }
    }
}

/// What ends the wait for the next round.
enum Heard {
    Change,
    Signal(u8),
}

/// The directories of files: an editor puts a new file in the place of the old one, and that is seen there alone.
fn directories(files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let directories = files.iter().filter_map(|it| it.parent());
    directories.filter(|it| it.is_dir()).map(ToOwned::to_owned).collect()
}
