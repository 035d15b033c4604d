//! Whether the result of a background hook reached its agent (BR-160), for the lines of `log`. Reads no file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tenterhook::internal::record::read::Entry;

use crate::deliveries::Delivery;

/// The field that a late step gets.
pub(super) const FIELD: &str = "delivery";
/// What a result is called that no event has carried yet.
pub(super) const WAITING: &str = "waiting";
/// How the record calls a result that an event carried, before the number of the record that began.
const DELIVERED: &str = "delivered, of record ";

/// A hook that an event started, by the number of the event's record.
type Run = (u64, String);

/// Adds to each step that ended after its event whether its result waits, was delivered, or cannot be. A delivered result gets the
/// name that the hook has where it ended.
pub(super) fn add_deliveries(entries: &mut [Entry], waiting: &[Delivery]) {
    let waiting: BTreeSet<Run> = waiting.iter().map(|one| (one.begun, one.hook.clone())).collect();
    let mut names: BTreeMap<Run, Value> = BTreeMap::new();
    let mut delivered: BTreeSet<Run> = BTreeSet::new();
    for entry in entries.iter() {
        for hook in hooks(entry) {
            if let Some(run) = delivered_run(hook) {
                delivered.insert(run);
            } else if let (Some(run), Some(name)) = (late_run(entry), hook.get("name")) {
                names.insert(run, name.clone());
            }
        }
    }
    for entry in entries {
        if let Some(run) = late_run(entry) {
            let word = match () {
                () if delivered.contains(&run) => Some("delivered"),
                () if waiting.contains(&run) => Some(WAITING),
                () if has_fault(entry) => Some("undelivered"),
                () => None,
            };
            word.map(|word| entry.insert(FIELD.to_owned(), word.into()));
            continue;
        }
        let Some(Value::Array(hooks)) = entry.get_mut("hooks") else { continue };
        for hook in hooks.iter_mut().filter_map(Value::as_object_mut) {
            if let Some(name) = delivered_run(hook).and_then(|run| names.get(&run)) {
                hook.insert("name".to_owned(), name.clone());
            }
        }
    }
}

fn hooks(entry: &Entry) -> impl Iterator<Item = &Map<String, Value>> {
    let hooks = entry.get("hooks").and_then(Value::as_array).into_iter().flatten();
    hooks.filter_map(Value::as_object)
}

/// Returns the run that an entry about a late step is about.
fn late_run(entry: &Entry) -> Option<Run> {
    let is_late = entry.get("kind").and_then(Value::as_str) == Some("late");
    let hook = hooks(entry).next().filter(|_| is_late)?.get("hook")?.as_str()?;
    Some((entry.get("begun")?.as_u64()?, hook.to_owned()))
}

/// Returns the run whose result came with this hook's event.
fn delivered_run(hook: &Map<String, Value>) -> Option<Run> {
    let begun = hook.get("ended")?.as_str()?.strip_prefix(DELIVERED)?.parse().ok()?;
    Some((begun, hook.get("hook")?.as_str()?.to_owned()))
}

fn has_fault(entry: &Entry) -> bool {
    let faults = entry.get("faults").and_then(Value::as_array).into_iter().flatten();
    faults.into_iter().any(|fault| fault == "undelivered")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(value: Value) -> Entry {
        value.as_object().cloned().unwrap()
    }

    /// BR-160.
    #[test]
    fn late_steps_say_whether_their_result_was_delivered() {
        let late = |hook: &str, faults: Value| {
            entry(json!({ "kind": "late", "begun": 4, "faults": faults,
                "hooks": [{ "hook": hook, "name": hook.to_uppercase(), "ended": "exit 2, detached" }] }))
        };
        let carries = json!({ "hook": "a", "ended": "delivered, of record 4" });
        let end = entry(json!({ "kind": "end", "hooks": [carries] }));
        let mut entries = vec![
            late("a", json!([])),
            late("b", json!([])),
            late("c", json!(["undelivered"])),
            late("d", json!([])),
            end,
        ];
        let waits = Delivery { begun: 4, hook: "b".to_owned(), ..Delivery::default() };
        add_deliveries(&mut entries, &[waits]);
        let found: Vec<_> =
            entries.iter().map(|entry| entry.get(FIELD).and_then(Value::as_str)).collect();
        assert_eq!(found, [Some("delivered"), Some("waiting"), Some("undelivered"), None, None]);
        assert_eq!(entries[4]["hooks"][0]["name"], "A");
    }
}
