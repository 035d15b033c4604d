//! Are the programs that this one started up and waiting? Looks at `/proc` alone, and ends nothing.

use std::path::Path;
use std::time::{Duration, Instant};

/// How long between two looks at a program that seems to wait.
const BETWEEN: Duration = Duration::from_millis(10);

/// How long to wait at most: on a machine as busy as that the figures say nothing anyway.
const AT_MOST: Duration = Duration::from_secs(5);

/// Waits until at least one program that this one started is there, and all of them sleep and have not computed between
/// two looks. Where there is no `/proc` it waits for `otherwise`.
pub(crate) fn wait(otherwise: Duration) {
    if !Path::new("/proc/self/stat").exists() {
        return std::thread::sleep(otherwise);
    }
    let began = Instant::now();
    let mut before = None;
    while began.elapsed() < AT_MOST {
        let now = asleep();
        if now.is_some() && now == before {
            return;
        }
        before = now;
        std::thread::sleep(BETWEEN);
    }
}

/// The nanoseconds that each thread of each child has computed; `None` where there is no child, or one does not sleep.
fn asleep() -> Option<Vec<String>> {
    let this = std::process::id().to_string();
    let mut computed = Vec::new();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let path = process.path();
        let Some((_, parent)) = state(&path) else { continue };
        if parent != this {
            continue;
        }
        for thread in std::fs::read_dir(path.join("task")).ok()?.flatten() {
            let path = thread.path();
            if state(&path).is_none_or(|(state, _)| state != "S") {
                return None;
            }
            computed.push(std::fs::read_to_string(path.join("schedstat")).ok()?);
        }
    }
    (!computed.is_empty()).then_some(computed)
}

/// The state of a process or thread, and its parent. Its name stands before, in brackets, and may hold anything.
fn state(path: &Path) -> Option<(String, String)> {
    let text = std::fs::read_to_string(path.join("stat")).ok()?;
    let mut words = text.rsplit_once(')')?.1.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.to_owned()))
}
