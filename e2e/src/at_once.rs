//! How are many things played at the same time? So many at once, and what came of them in their order; knows no play.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Plays all `items`, `jobs` at a time. `play` is given the place of its item, too.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    play: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let came = play(at, item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, came));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, came)| came).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_played_and_stand_in_their_order() {
        let items: Vec<u64> = (0..100).collect();
        let came = each(&items, 7, |at, item| (at as u64 * 2, item * 2));
        assert_eq!(came, items.iter().map(|n| (n * 2, n * 2)).collect::<Vec<_>>());
        assert!(each(&[] as &[u64], 7, |_, n| *n).is_empty());
    }
}
