//! `--watch`: does a thing again whenever one of its files changes, until a signal ends it. Knows no command.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::paint::{DIM, paint};
use crate::term::Term;
use crate::wait::{Waited, block_on};

/// Editors write a file in several steps; what follows this soon belongs to the same change.
const TOGETHER: Duration = Duration::from_millis(100);

/// Runs `round`, waits until something changes in a directory of `files`, and runs it again. A problem of a round is told: the
/// next change may mend it.
pub(crate) fn run(
    term: Term,
    files: impl Fn() -> BTreeSet<PathBuf>,
    round: impl Fn() -> Result<Exit, Problem>,
) -> Result<Exit, Problem> {
    loop {
        let (changed, mut changes) = unbounded_channel();
        let heard = move |event: notify::Result<notify::Event>| {
            // Reading changes nothing.
            if !matches!(event, Ok(notify::Event { kind: EventKind::Access(_), .. })) {
                // Nobody waits any more when this fails.
                let _ = changed.send(());
            }
        };
        let cannot =
            |error: notify::Error| Problem::new(format!("files cannot be watched: {error}"));
        let mut watcher = notify::recommended_watcher(heard).map_err(cannot)?;
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
        let waited = block_on(async {
            let first = changes.recv().await;
            while let Ok(Some(())) = timeout(TOGETHER, changes.recv()).await {}
            first
        })?;
        if let Waited::Signal(signal) = waited {
            return Ok(Exit::Cancelled(signal));
        }
    }
}

/// The directories of files: an editor puts a new file in the place of the old one, and that is seen there alone.
fn directories(files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let directories = files.iter().filter_map(|it| it.parent());
    directories.filter(|it| it.is_dir()).map(ToOwned::to_owned).collect()
}
