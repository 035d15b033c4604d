//! Resources that executors keep between the events of a session, such as workers and prewarmed
//! processes. The session owns them and ends them; only their executor knows what they are.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenterhook_core::config::Ruleset;

/// A resource that lives as long as its session.
pub(crate) trait Resident: Any + Send + Sync {
    /// Ends what runs for hooks that no ruleset contains any longer (N-12).
    fn prune(&self, rulesets: &[Arc<Ruleset>]);

    /// Ends everything. What a running event still needs ends with that event.
    fn end(&self);

    /// How many processes wait for the next event of their hook.
    fn waiting(&self) -> usize {
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
    /// The resident of type `R`, created at the first call.
    pub(super) fn get<R: Resident + Default>(&self) -> Arc<R> {
        let mut state = self.lock();
        let found = state.all.iter().find_map(|resident| {
            let resident: Arc<dyn Any + Send + Sync> = Arc::<dyn Resident>::clone(resident);
            resident.downcast::<R>().ok()
        });
        found.unwrap_or_else(|| {
            let new = Arc::new(R::default());
            if state.ended {
                new.end();
            }
            state.all.push(Arc::<R>::clone(&new));
            new
        })
    }

    pub(super) fn prune(&self, rulesets: &[Arc<Ruleset>]) {
        self.all().iter().for_each(|resident| resident.prune(rulesets));
    }

    /// Ends all residents, including those that are created later.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.all().iter().for_each(|resident| resident.end());
    }

    pub(super) fn waiting(&self) -> usize {
        self.all().iter().map(|resident| resident.waiting()).sum()
    }

    /// A copy of the list, so that a slow resident, or one that calls `get`, does not block others.
    fn all(&self) -> Vec<Arc<dyn Resident>> {
        self.lock().all.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
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
        fn prune(&self, _: &[Arc<Ruleset>]) {}

        fn end(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Resident for Other {
        fn prune(&self, _: &[Arc<Ruleset>]) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn end(&self) {}
    }

    #[test]
    fn residents_are_one_per_type_and_end_with_the_session() {
        let residents = Residents::default();
        let (one, other) = (residents.get::<One>(), residents.get::<Other>());
        assert!(Arc::ptr_eq(&one, &residents.get::<One>()));
        residents.prune(&[]);
        residents.end();
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        assert_eq!((count(&one.0), count(&other.0)), (1, 1));
    }

    #[test]
    fn resident_created_after_the_end_is_ended_at_once() {
        let residents = Residents::default();
        residents.end();
        assert_eq!(residents.get::<One>().0.load(Ordering::Relaxed), 1);
    }
}
