//! How busy is the machine while denials are asked for, and did all of them arrive? Plays nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Found;
use super::cases::Column;

/// What the case is called.
const CASE: &str = "loaded";

/// How much more there is to do than there are cores.
const TIMES: usize = 4;

/// Threads that do nothing as fast as they can, until dropped: one set of them for all agents that play at the same time.
pub(super) struct Load(Arc<AtomicBool>);

impl Load {
    pub(super) fn start() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores * TIMES {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(over)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The result of that many denials, each of a separate call.
pub(super) fn arrived(fates: &[(String, String)], wanted: usize) -> (String, String) {
    let arrived = fates.iter().filter(|fate| fate.1.starts_with("stopped, shown")).count();
    (CASE.to_owned(), summary(arrived, wanted))
}

/// Compares with what must be: with us, every one arrives. Alone, an agent is as good as it is.
pub(super) fn judge(agent: &str, column: Column, found: &Found, wanted: usize) -> (String, bool) {
    let all = summary(wanted, wanted);
    let good = column == Column::Without || found.iter().all(|pair| pair.1 == all);
    let fates: Vec<&str> = found.iter().map(|pair| pair.1.as_str()).collect();
    let mark = if good { "" } else { "  <- not all" };
    (format!("{agent}, {}\n  {CASE:20} {}{mark}\n", column.name(), fates.join(", ")), good)
}

fn summary(arrived: usize, wanted: usize) -> String {
    format!("{arrived} of {wanted} denials arrived")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_denial_that_does_not_arrive_is_a_fault_with_us() {
        let fate = |text: &str| ("x".to_owned(), text.to_owned());
        let all = vec![arrived(&[fate("stopped, shown"), fate("stopped, shown")], 2)];
        let most = vec![arrived(&[fate("stopped, shown"), fate("stopped")], 2)];
        assert!(judge("x", Column::With, &all, 2).1);
        assert!(!judge("x", Column::With, &most, 2).1);
        assert!(judge("x", Column::Without, &most, 2).1);
    }
}
