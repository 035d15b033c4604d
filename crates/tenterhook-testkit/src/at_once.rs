//! How does a test run many things at the same time? It runs so many at once and gives the results in their order; it knows no test.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Calls `play` with every item and its index, in `jobs` threads at a time. The results stand in the order of `items`.
///
/// A panic of `play` ends the call with a panic, after the threads have ended.
pub fn each<T: Sync, R: Send>(
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
                    let result = play(at, item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_items() {
        let items: Vec<u64> = (0..100).collect();
        let result = each(&items, 7, |at, item| (at as u64 * 2, item * 2));
        assert_eq!(result, items.iter().map(|n| (n * 2, n * 2)).collect::<Vec<_>>());
        assert!(each(&[] as &[u64], 7, |_, n| *n).is_empty());
    }
}
