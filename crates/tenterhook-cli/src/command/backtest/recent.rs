//! Which sessions of a file are kept while it is read? The last ones that anything came of. Judges nothing.

use std::collections::HashMap;

use tenterhook::Session;

/// How many sessions of one file are kept at a time. A file has one as a rule; a database has all of an agent.
const MOST: usize = 256;

/// What hooks remember of a session, by its id.
#[derive(Default)]
pub(super) struct RecentSessions {
    by_id: HashMap<String, (usize, Pair)>,
    /// Rises with each event.
    now: usize,
}

/// The session for the hooks, and for those that they are compared with.
#[derive(Clone, Default)]
pub(super) struct Pair {
    pub(super) new: Session,
    pub(super) old: Option<Session>,
}

impl RecentSessions {
    /// Returns the session with that id. A session that was evicted starts afresh.
    pub(super) fn get_or_create_session(&mut self, id: &str, compares: bool) -> Pair {
        self.now += 1;
        if let Some((at, pair)) = self.by_id.get_mut(id) {
            *at = self.now;
            return pair.clone();
        }
        if self.by_id.len() >= MOST {
            self.evict_one_session();
        }
        let pair = Pair { old: compares.then(Session::default), ..Pair::default() };
        self.by_id.insert(id.to_owned(), (self.now, pair.clone()));
        pair
    }

    fn evict_one_session(&mut self) {
        let oldest = self.by_id.iter().min_by_key(|(_, (at, _))| *at).map(|(id, _)| id.clone());
        oldest.and_then(|id| self.by_id.remove(&id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BT-1.
    #[test]
    fn what_was_used_last_is_kept() {
        let mut kept = RecentSessions::default();
        for at in 0..10_000 {
            kept.get_or_create_session("first", false);
            kept.get_or_create_session(&at.to_string(), false);
            assert!(kept.by_id.len() <= MOST);
        }
        assert!(kept.by_id.contains_key("first") && kept.by_id.contains_key("9999"));
        assert!(!kept.by_id.contains_key("0"));
        assert!(
            kept.get_or_create_session("first", true).old.is_none()
                && kept.get_or_create_session("new", true).old.is_some()
        );
    }
}
