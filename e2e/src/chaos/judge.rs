//! Did a row keep what is required of it? Compares; starts nothing but the log's own reader.

use std::time::Duration;

use serde_json::Value;

use super::row::Required;
use super::scene::{Ended, Scene};

/// What was seen where nothing is wrong.
#[derive(Debug)]
pub(super) enum Seen {
    /// The required result.
    Holds(String),
    /// Less than that, as the documentation says.
    Documented(String),
    /// It cannot be played here, for this reason.
    NotHere(String),
    /// The required result, but too late.
    Late(String),
}

/// How much memory a flood may cost the engine: a small part of the flood, and more than twice what it costs to read and tell the mebibyte
/// that is kept of it (3 to 8 MiB).
const FLAT_KIB: u64 = 20 << 10;

/// How long a survivor has to vanish: who was killed is gone when the kernel has taken it apart.
pub(super) const GONE: Duration = Duration::from_secs(10);

/// What a machine is like: how long a plain firing takes on it, and how much memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    pub(super) slack: Duration,
    pub(super) peak_kib: u64,
}

/// Plays the row of a scene and judges what came of it.
pub(super) fn play(scene: &Scene, pace: Pace) -> Result<Seen, String> {
    if let Some(why) = scene.cannot() {
        return Ok(Seen::NotHere(why));
    }
    if let Some(play) = scene.row.play {
        let seen = play(scene)?;
        gone(scene)?;
        return Ok(seen);
    }
    scene.configure()?;
    let ended = scene.fire()?;
    let got = answered(&ended, scene.row.required)?;
    gone(scene)?;
    let late = late(scene, &ended, pace);
    if scene.row.flat {
        flat(&ended, pace)?;
    }
    recorded(scene)?;
    if let Some(also) = scene.row.also {
        also(scene, &ended)?;
    }
    if let Some(late) = late {
        return Ok(late);
    }
    let grown = ended.peak_kib.saturating_sub(pace.peak_kib) / 1024;
    Ok(Seen::Holds(if scene.row.flat { format!("{got}, +{grown} MiB") } else { got }))
}

/// Whether the outcome is what is required. What came, in short.
pub(super) fn answered(ended: &Ended, required: Required) -> Result<String, String> {
    if ended.status.is_none() {
        return Err("hangs".to_owned());
    }
    let outcome = ended.outcome().ok_or_else(|| {
        format!("no outcome; {:?}, {}", ended.status, shortened(&ended.stderr, 200))
    })?;
    let got = in_short(&outcome);
    let holds = is_as_required(&outcome, required);
    let stops = ended.code() == Some(2);
    let proceeds = ended.code() == Some(0);
    let coded = if matches!(required, Required::Passes) { proceeds } else { stops };
    if holds && coded {
        return Ok(got);
    }
    let text = outcome.pointer("/faults/0/message").and_then(Value::as_str).unwrap_or_default();
    Err(format!("{got}, exit {:?}; {}", ended.code(), shortened(text, 200)))
}

fn is_as_required(outcome: &Value, required: Required) -> bool {
    let codes = codes(outcome);
    let denied = decision(outcome) == "deny";
    let reason = outcome.get("reason").and_then(Value::as_str).unwrap_or_default();
    let own = denied && reason.contains("the hook said so");
    let all = |among: &[&str]| codes.iter().all(|code| among.contains(code));
    let any = |among: &[&str]| codes.iter().any(|code| among.contains(code));
    match required {
        Required::Deny => own && codes.is_empty(),
        Required::DenyWith(among) => own && all(among) && any(among),
        Required::Policy(among) => denied && any(among),
        Required::DenyOr(among) => denied && (own || any(among)) && all(among),
        Required::Passes => decision(outcome) == "silence" && codes.is_empty(),
        Required::Played(_) => true,
    }
}

pub(super) fn decision(outcome: &Value) -> &str {
    outcome.get("decision").and_then(Value::as_str).unwrap_or("silence")
}

/// The codes of its faults, each once.
pub(super) fn codes(outcome: &Value) -> Vec<&str> {
    let faults = outcome.get("faults").and_then(Value::as_array);
    let mut codes: Vec<&str> =
        faults.into_iter().flatten().filter_map(|fault| fault.get("code")?.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// An outcome in a line.
pub(super) fn in_short(outcome: &Value) -> String {
    let codes = codes(outcome);
    let decision = decision(outcome);
    if codes.is_empty() {
        decision.to_owned()
    } else {
        format!("{decision} ({})", codes.join(", "))
    }
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    text.trim().replace('\n', " / ").chars().take(most).collect()
}

fn late(scene: &Scene, ended: &Ended, pace: Pace) -> Option<Seen> {
    let bound = Duration::from_millis(scene.row.bound_ms()) + pace.slack;
    (ended.took > bound).then(|| {
        let (took, bound) = (ended.took.as_millis(), bound.as_millis());
        Seen::Late(format!("settled after {took} ms, bound {bound} ms"))
    })
}

/// Nothing of the scene lives on.
pub(super) fn gone(scene: &Scene) -> Result<(), String> {
    let left = scene.left_after(GONE);
    let Some(first) = left.first() else { return Ok(()) };
    Err(format!("{} survivors: {}", left.len(), first.said))
}

fn flat(ended: &Ended, pace: Pace) -> Result<(), String> {
    let grown = ended.peak_kib.saturating_sub(pace.peak_kib);
    if ended.peak_kib > 0 && grown <= FLAT_KIB {
        return Ok(());
    }
    Err(format!("the engine had {} KiB, {grown} more than for a plain hook", ended.peak_kib))
}

/// The firing is on record once, in a record that is whole, and the hook was held as the cell says.
pub(super) fn recorded(scene: &Scene) -> Result<(), String> {
    let verified = scene.tenterhook("log verify --format json")?;
    let verified = verified.outcome().ok_or("`log verify` says nothing")?;
    let says = |key: &str| verified.get(key).cloned().unwrap_or_default();
    if says("whole") != true || says("records") != 2 || says("open") != Value::Array(Vec::new()) {
        return Err(format!("`log verify` says {}", shortened(&verified.to_string(), 200)));
    }
    let log = scene.tenterhook("log --format json")?;
    let tier = log
        .outcome()
        .and_then(|outcome| outcome.pointer("/hooks/0/tier")?.as_str().map(str::to_owned));
    let ended = log
        .outcome()
        .and_then(|outcome| outcome.pointer("/hooks/0/ended")?.as_str().map(str::to_owned));
    let started = ended.is_some_and(|text| !text.starts_with("not started"));
    let cell = scene.cell;
    match tier.as_deref() {
        Some(tier) if tier == cell.tier() => Ok(()),
        None if !started || !cell.confines() => Ok(()),
        tier => Err(format!("on record is {tier:?} for cell {}", cell.name())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(decision: &str, reason: &str, codes: &[&str]) -> Value {
        let faults: Vec<Value> = codes.iter().map(|code| json!({"code": code})).collect();
        json!({"decision": decision, "reason": reason, "faults": faults})
    }

    #[test]
    fn a_denial_by_policy_is_not_the_hooks_own() {
        let own = outcome("deny", "the hook said so", &[]);
        let policy = outcome("deny", "it gave no answer", &["timed-out"]);
        assert!(is_as_required(&own, Required::Deny));
        assert!(!is_as_required(&policy, Required::Deny));
        assert!(is_as_required(&policy, Required::Policy(&["timed-out"])));
        assert!(!is_as_required(&policy, Required::Policy(&["exit-code"])));
        assert!(!is_as_required(&own, Required::Policy(&["timed-out"])));
    }

    #[test]
    fn consent_and_silence_are_no_denial() {
        for decision in ["allow", "ask", "silence"] {
            let outcome = outcome(decision, "the hook said so", &["timed-out"]);
            for required in
                [Required::Deny, Required::Policy(&["timed-out"]), Required::DenyOr(&["timed-out"])]
            {
                assert!(!is_as_required(&outcome, required));
            }
        }
    }

    #[test]
    fn a_note_that_is_missing_is_missed() {
        let required = Required::DenyWith(&["timed-out"]);
        assert!(!is_as_required(&outcome("deny", "the hook said so", &[]), required));
        assert!(is_as_required(&outcome("deny", "the hook said so", &["timed-out"]), required));
        assert!(!is_as_required(
            &outcome("deny", "the hook said so", &["survivors", "timed-out"]),
            required
        ));
    }
}
