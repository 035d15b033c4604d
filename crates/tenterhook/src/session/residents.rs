//! What executors keep running between the events of a session: processes that wait, workers. The session owns it and ends
//! it; what it is, only its executor knows.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenterhook_core::config::Ruleset;

/// What lives as long as its session.
pub(crate) trait Resident: Any + Send + Sync {
    /// Ends what runs for hooks that are in none of `rulesets` any more (N-12).
    fn prune(&self, rulesets: &[Arc<Ruleset>]);

    /// Ends everything. What an event that is under way still needs ends with that event.
    fn end(&self);

    /// How many processes wait for the next event of their hook.
    fn waiting(&self) -> usize {
        0
    }
}

/// The residents of one session, at most one of a type.
#[derive(Default)]
pub(super) struct Residents {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: Vec<Arc<dyn Resident>>,
    ended: bool,
}

impl Residents {
    /// The one of that type, which moves in when it is first asked for.
    pub(super) fn get<R: Resident + Default>(&self) -> Arc<R> {
        let mut held = self.held();
        let found = held.all.iter().find_map(|resident| {
            let resident: Arc<dyn Any + Send + Sync> = Arc::<dyn Resident>::clone(resident);
            resident.downcast::<R>().ok()
        });
        found.unwrap_or_else(|| {
            let new = Arc::new(R::default());
            if held.ended {
                new.end();
            }
            held.all.push(Arc::<R>::clone(&new));
            new
        })
    }

    pub(super) fn prune(&self, rulesets: &[Arc<Ruleset>]) {
        self.all().iter().for_each(|resident| resident.prune(rulesets));
    }

    /// Ends all, and whatever moves in later.
    pub(super) fn end(&self) {
        self.held().ended = true;
        self.all().iter().for_each(|resident| resident.end());
    }

    pub(super) fn waiting(&self) -> usize {
        self.all().iter().map(|resident| resident.waiting()).sum()
    }

    /// A copy of the list: whoever is ended may take its time, and ask for others.
    fn all(&self) -> Vec<Arc<dyn Resident>> {
        self.held().all.clone()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn there_is_one_of_a_type_and_all_end_with_the_session() {
        let residents = Residents::default();
        let (one, other) = (residents.get::<One>(), residents.get::<Other>());
        assert!(Arc::ptr_eq(&one, &residents.get::<One>()));
        residents.prune(&[]);
        residents.end();
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        assert_eq!((count(&one.0), count(&other.0)), (1, 1));
    }

    #[test]
    fn who_moves_in_after_the_end_is_ended_at_once() {
        let residents = Residents::default();
        residents.end();
        assert_eq!(residents.get::<One>().0.load(Ordering::Relaxed), 1);
    }
}
