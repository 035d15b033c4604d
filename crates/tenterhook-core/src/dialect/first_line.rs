//! The first line of output with which a hook of some agents asks to go on in the background
//! (decision 13).

use serde_json::{Map, Value};

use crate::answer::{Answer, Effects, Restraint};
use crate::hook::Compat;

/// All that an object may say that is a request to go on in the background, and no answer.
const REQUEST: &[&str] = &["async", "asyncTimeout"];

/// Whether the line asks for the background. Under guarded reading it may hold no other field: an
/// object that also answers does not detach the hook.
pub(crate) fn detaches(line: &[u8], compat: Compat) -> bool {
    let says_no_more = |(key, value): (&String, &Value)| {
        REQUEST.contains(&key.as_str()) && !value.is_object() && !value.is_array()
    };
    serde_json::from_slice::<Map<String, Value>>(line).is_ok_and(|object| {
        asks_for_background(&object) && (compat == Compat::Exact || object.iter().all(says_no_more))
    })
}

/// Whether an object has `"async": true`, beside any other keys.
fn asks_for_background(object: &Map<String, Value>) -> bool {
    object.get("async") == Some(&Value::Bool(true))
}

/// The answer of an object that says more than that it asks for the background: its objection
/// counts, and it consents to nothing and rewrites nothing, because its agent reads nothing of it
///
pub(crate) fn promised_answer(object: Option<&Map<String, Value>>, answer: Answer) -> Answer {
    if !object.is_some_and(asks_for_background) {
        return answer;
    }
    let Answer { restraint, reason, effects, .. } = &answer;
    let (restraint, reason) = match *restraint > Restraint::Allow {
        true => (*restraint, reason.clone()),
        false => (Restraint::Silent, None),
    };
    let Effects { stop, context, messages, .. } = effects.clone();
    let effects = Effects { stop, context, messages, ..Effects::default() };
    Answer { restraint, reason, effects, detached: true, ..answer }
}

/// What follows a first line that asks for the background.
pub(crate) fn after(stdout: &[u8]) -> Option<&[u8]> {
    let end = stdout.iter().position(|byte| *byte == b'\n').unwrap_or(stdout.len());
    let (line, rest) = stdout.split_at_checked(end)?;
    detaches(line, Compat::Guarded).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Compat, after, detaches};

    ///
    #[test]
    fn only_an_object_that_says_so_detaches() {
        assert!(detaches(b" { \"async\" : true, \"asyncTimeout\": 5 } ", Compat::Guarded));
        for line in [
            &b"{\"async\": \"true\"}"[..],
            b"[{\"async\": true}]",
            b"async",
            b"",
            b"{\"async\": true, \"decision\": \"block\"}",
            b"{\"async\": true, \"systemMessage\": \"m\"}",
            b"{\"async\": true, \"asyncTimeout\": {\"decision\": \"block\"}}",
        ] {
            assert!(!detaches(line, Compat::Guarded));
            assert_eq!(after(line), None);
        }
        assert_eq!(after(b"{\"async\":true}\n{}"), Some(&b"\n{}"[..]));
        assert_eq!(after(b"{}\n{\"async\":true}"), None);
    }
}
