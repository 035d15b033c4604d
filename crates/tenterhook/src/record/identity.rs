//! The identity of a hook in records: a digest of its configuration. Does not read the hook's
//! files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::chain::sha256_text;
use tenterhook_core::hook::{Hook, HookId, Run};
use tenterhook_core::rule::Part;

/// The digests of hooks, each computed once.
#[derive(Debug, Default)]
pub(super) struct Identities(Mutex<HashMap<HookId, Known>>);

/// The digest of one hook.
type Known = (Weak<Hook>, Arc<str>);

impl Identities {
    /// Returns the digest of a hook, which is computed once.
    pub(super) fn cached_hook_digest(&self, hook: &Arc<Hook>) -> Arc<str> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((owner, digest)) = known.get(&hook.id)
            && std::ptr::eq(owner.as_ptr(), Arc::as_ptr(hook))
        {
            return Arc::clone(digest);
        }
        let digest: Arc<str> = hook_digest(hook).into();
        known.insert(hook.id.clone(), (Arc::downgrade(hook), Arc::clone(&digest)));
        digest
    }
}

/// Hashes what decides what a hook runs and when. The digest is opaque: a different version of the
/// program may compute a different one for the same entry.
#[must_use]
pub fn hook_digest(hook: &Hook) -> String {
    let parts = (
        hook.dialect.as_str(),
        hook.layer.as_str(),
        hook.event.as_str(),
        hook.id.as_str(),
        hook.phase,
        hook.run.executor_name(),
    );
    let run = match &hook.run {
        // Quoted, a long text takes longer than its digest.
        Run::Rule(rule) => {
            let texts = Part::ALL.map(|part| rule.part_text(part));
            let lengths = texts.map(|text| text.map(str::len));
            let texts = texts.map(Option::unwrap_or_default).concat();
            format!("{lengths:?} {:?} {texts}", rule.doubt_setting())
        }
        run => format!("{run:?}"),
    };
    sha256_text(format!("{parts:?} {run}").as_bytes())
}
