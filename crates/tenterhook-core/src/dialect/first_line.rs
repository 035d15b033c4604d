//! The first line of output with which a hook of some agents asks to go on in the background
//! (decision 13).

use serde_json::{Map, Value};

use crate::answer::{Answer, Effects, Restraint};
use crate::hook::Compat;

/// All that an object may say that is a request to go on in the background, and no answer.
const REQUEST: &[&str] = &["async", "asyncTimeout"];

/// Returns `true` if the line asks to run the hook in the background. Under guarded reading it may
/// hold no other field: an object that also answers does not detach the hook.
pub(crate) fn asks_to_detach(line: &[u8], compat: Compat) -> bool {
    let says_no_more = |(key, value): (&String, &Value)| {
        REQUEST.contains(&key.as_str()) && !value.is_object() && !value.is_array()
    };
    serde_json::from_slice::<Map<String, Value>>(line).is_ok_and(|object| {
        has_async_flag(&object) && (compat == Compat::Exact || object.iter().all(says_no_more))
    })
}

/// Returns `true` if an object has `"async": true`, beside any other keys.
fn has_async_flag(object: &Map<String, Value>) -> bool {
    object.get("async") == Some(&Value::Bool(true))
}

/// Returns the answer of an object that holds more than the request for the background. Its denial
/// applies, but it consents to nothing and rewrites nothing, because its agent reads nothing of it
///
pub(crate) fn answer_of_detaching_object(
    object: Option<&Map<String, Value>>,
    answer: Answer,
) -> Answer {
    if !object.is_some_and(has_async_flag) {
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

/// Returns the output that follows a first line that asks for the background.
pub(crate) fn output_after_detach_line(stdout: &[u8]) -> Option<&[u8]> {
    let end = stdout.iter().position(|byte| *byte == b'\n').unwrap_or(stdout.len());
    let (line, rest) = stdout.split_at_checked(end)?;
    asks_to_detach(line, Compat::Guarded).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Compat, asks_to_detach, output_after_detach_line};

    ///
    #[test]
    fn only_an_object_that_says_so_detaches() {
        assert!(asks_to_detach(b" { \"async\" : true, \"asyncTimeout\": 5 } ", Compat::Guarded));
        for line in [
            &b"{\"async\": \"true\"}"[..],
            b"[{\"async\": true}]",
            b"async",
            b"",
            b"{\"async\": true, \"decision\": \"block\"}",
            b"{\"async\": true, \"systemMessage\": \"m\"}",
            b"{\"async\": true, \"asyncTimeout\": {\"decision\": \"block\"}}",
        ] {
            assert!(!asks_to_detach(line, Compat::Guarded));
            assert_eq!(output_after_detach_line(line), None);
        }
        assert_eq!(output_after_detach_line(b"{\"async\":true}\n{}"), Some(&b"\n{}"[..]));
        assert_eq!(output_after_detach_line(b"{}\n{\"async\":true}"), None);
    }
}
