//! Resources that executors keep between the events of a session, such as workers and prewarmed
//! processes. The session owns them and ends them; only their executor knows what they are.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenterhook_core::config::Ruleset;

/// A resource that lives as long as its session.
pub(crate) trait Resident: Any + Send + Sync {
    /// Ends what runs for hooks that no ruleset contains any longer (N-12).
    fn end_unused(&self, rulesets: &[Arc<Ruleset>]);

    /// Ends everything. What a running event still needs ends with that event.
    fn end_all(&self);

    /// Returns how many processes wait for the next event of their hook.
    fn spare_processes(&self) -> usize {
        0
    }
}

/// The residents of one session, at most one of each type.
#[derive(Default)]
pub(super) struct Residents {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    all: Vec<Arc<dyn Resident>>,
    ended: bool,
}

impl Residents {
    /// Returns the resident of type `R`, which is created at the first call.
    pub(super) fn get_or_create<R: Resident + Default>(&self) -> Arc<R> {
        let mut state = self.lock_state();
        let found = state.all.iter().find_map(|resident| {
            let resident: Arc<dyn Any + Send + Sync> = Arc::<dyn Resident>::clone(resident);
            resident.downcast::<R>().ok()
        });
        found.unwrap_or_else(|| {
            let new = Arc::new(R::default());
            if state.ended {
                new.end_all();
            }
            state.all.push(Arc::<R>::clone(&new));
            new
        })
    }

    pub(super) fn end_unused(&self, rulesets: &[Arc<Ruleset>]) {
        self.snapshot().iter().for_each(|resident| resident.end_unused(rulesets));
    }

    /// Ends all residents, including those that are created later.
    pub(super) fn end_all(&self) {
        self.lock_state().ended = true;
        self.snapshot().iter().for_each(|resident| resident.end_all());
    }

    pub(super) fn spare_processes(&self) -> usize {
        self.snapshot().iter().map(|resident| resident.spare_processes()).sum()
    }

    /// Returns a copy of the list, so that a slow resident, or one that calls `get_or_create`, does
    /// not block others.
    fn snapshot(&self) -> Vec<Arc<dyn Resident>> {
        self.lock_state().all.clone()
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct One(AtomicUsize);

    #[derive(Default)]
    struct Other(AtomicUsize);

    impl Resident for One {
        fn end_unused(&self, _: &[Arc<Ruleset>]) {}

        fn end_all(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Resident for Other {
        fn end_unused(&self, _: &[Arc<Ruleset>]) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn end_all(&self) {}
    }

    #[test]
    fn residents_are_one_per_type_and_end_with_the_session() {
        let residents = Residents::default();
        let (one, other) = (residents.get_or_create::<One>(), residents.get_or_create::<Other>());
        assert!(Arc::ptr_eq(&one, &residents.get_or_create::<One>()));
        residents.end_unused(&[]);
        residents.end_all();
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        assert_eq!((count(&one.0), count(&other.0)), (1, 1));
    }

    #[test]
    fn resident_created_after_the_end_is_ended_at_once() {
        let residents = Residents::default();
        residents.end_all();
        assert_eq!(residents.get_or_create::<One>().0.load(Ordering::Relaxed), 1);
    }
}
