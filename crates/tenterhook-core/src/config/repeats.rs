//! The same entry in two files of one dialect runs once (C-13). Pure.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{ReadConfig, Source};
use crate::dialect::DialectId;
use crate::event::EventName;
use crate::hook::{Arming, Hook, Invocation, Layer, Run};
use crate::matcher::MatcherSpec;

/// C-13: the same entry in two files of one dialect runs once; copies in plugins and skills are other entries.
///
/// The reader of a dialect finds copies within one file, as it knows the format.
pub(super) fn drop_repeated_hooks(read: &mut [(Source, ReadConfig)]) {
    let mut seen: HashMap<(DialectId, Fingerprint), (usize, String)> = HashMap::new();
    for (file, (source, config)) in read.iter_mut().enumerate() {
        if source.plugin.is_some() || !source.dialect.dialect().drops_repeated_entries() {
            continue;
        }
        for hook in &mut config.hooks {
            if hook.arming != Arming::Armed || matches!(hook.layer, Layer::Skill | Layer::Agent) {
                continue;
            }
            let Some(hook_fingerprint) = hook_fingerprint(hook) else { continue };
            match seen.entry((source.dialect, hook_fingerprint)) {
                Entry::Occupied(first) if first.get().0 == file => {}
                Entry::Occupied(first) => {
                    hook.disarm(format!("the same entry stands at {}", first.get().1), "C-13");
                }
                Entry::Vacant(slot) => {
                    let place = hook.place.as_ref().map(ToString::to_string).unwrap_or_default();
                    slot.insert((file, place));
                }
            }
        }
    }
}

/// What makes two entries the same: the event, what they match, what they run, and whether it counts: one in shadow stands in for none
/// that does.
type Fingerprint = (EventName, MatcherSpec, Option<String>, Invocation, bool);

/// Returns what identifies a hook for the comparison; `None` if repeats of it are not dropped.
fn hook_fingerprint(hook: &Hook) -> Option<Fingerprint> {
    let Run::Command(command) = &hook.run else { return None };
    let condition = hook.condition.as_ref().map(|condition| condition.text().to_owned());
    let (event, matcher) = (hook.event.clone(), hook.matcher.spec().clone());
    Some((event, matcher, condition, command.invocation.clone(), hook.enforcement.is_shadow()))
}
