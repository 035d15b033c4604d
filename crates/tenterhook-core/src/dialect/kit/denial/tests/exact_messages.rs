//! Exact verdicts of malformed and unreadable answers, from `conformance/denials/messages.json`.

use super::*;
use crate::dialect::DialectId;

/// The sentence behind what is unclear is the same each time: how a denial is written there.
const BEHIND: &str = ", which looks like an answer and cannot be read as one; to deny, ";

/// The lines of a verdict: the restraint, its reason, and each fault with its message.
fn lines(verdict: &Verdict) -> Vec<String> {
    let stop = verdict.effects.stop.as_ref();
    let stop = stop.map(|stop| format!("stop: {}", stop.reason.as_deref().unwrap_or_default()));
    let word = verdict.restraint.name().map(|word| {
        let reason = verdict.reason.as_ref().map(|reason| reason.text.as_str()).unwrap_or_default();
        // What a hook without an answer leaves behind says the fault, too.
        let own = !reason.starts_with("hook `h` gave no answer");
        format!("{word}: {}", if own { reason } else { "(no answer)" })
    });
    let faults =
        verdict.faults.iter().map(|fault| format!("{}: {}", fault.code.name(), fault.message));
    word.into_iter().chain(stop).chain(faults).collect()
}

/// each fault names the key, the value and the location that are wrong.
#[test]
fn what_is_wrong_is_said_to_the_word() {
    let rows = table("denials/messages.json");
    let rows = rows.as_array().expect("an array");
    assert!(!rows.is_empty());
    let mut wrong = Vec::new();
    for (row, output) in rows.iter().zip(outputs(&Value::from(rows.clone()))) {
        let text = |key: &str| row[key].as_str().expect("a text");
        let dialect = DialectId::from_name(text("dialect")).expect("it is spoken").dialect();
        let event = dialect.event_row(&text("event").into()).expect("an event of the dialect");
        let found = lines(&verdict(dialect, event, &output, Compat::Guarded));
        let found: Vec<_> = found.iter().map(|text| text.replace(BEHIND, " [..] ")).collect();
        if row["says"] != Value::from(found.clone()) {
            wrong.push(format!(
                "{} {} {:?}: {found:?}",
                text("dialect"),
                text("event"),
                output.stdout
            ));
        }
    }
    fail_with(&wrong);
}
