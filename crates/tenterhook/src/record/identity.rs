//! What ran, as one digest: of a hook as it is configured. The one seam for a better one, which knows the bytes of its files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::chain::digest_of;
use tenterhook_core::hook::{Hook, HookId};

/// The digests of hooks, each made once.
#[derive(Debug, Default)]
pub(super) struct Identities(Mutex<HashMap<HookId, Known>>);

/// The digest of one hook.
type Known = (Weak<Hook>, Arc<str>);

impl Identities {
    /// The digest of a hook.
    pub(super) fn of(&self, hook: &Arc<Hook>) -> Arc<str> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, digest)) = known.get(&hook.id)
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(hook))
        {
            return Arc::clone(digest);
        }
        let digest: Arc<str> = digest(hook).into();
        known.insert(hook.id.clone(), (Arc::downgrade(hook), Arc::clone(&digest)));
        digest
    }
}

/// What an entry says that decides what runs and when. It is opaque: another version of the program may make another digest
/// of the same entry.
fn digest(hook: &Hook) -> String {
    let parts = (
        hook.dialect.as_str(),
        hook.layer.as_str(),
        hook.event.as_str(),
        hook.id.as_str(),
        hook.phase,
        hook.run.executor(),
    );
    digest_of(format!("{parts:?} {:?}", hook.run).as_bytes())
}
