//! Workers that leave their protocol, and gates that are made to fail again and again.

use serde_json::Value;

use super::super::judge::{self, Seen};
use super::super::row::Hook;
use super::super::scene::Scene;
use super::stream;

const WORKER: Hook = Hook::Worker(&["--worker", "{deny}"]);

fn configure(scene: &Scene, hook: &Hook) -> Result<(), String> {
    let entry = scene.entry("row", hook)?;
    scene.write("tenterhook.toml", entry).map(drop).map_err(|error| error.to_string())
}

/// Row 58: the event before and the one behind are judged; the one between is denied for what went wrong.
pub(in crate::chaos) fn misbehaves(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &WORKER)?;
    let commands = ["ls", scene.row.command, "ls"].map(str::to_owned);
    let outcomes = stream::in_turn(scene, &commands)?;
    let well = |outcome: &Value| judge::codes(outcome).is_empty();
    let as_required = outcomes.iter().enumerate().all(|(at, outcome)| {
        let is_reported = judge::codes(outcome).iter().any(|code| WRONG.contains(code));
        judge::decision(outcome) == "deny" && if at == 1 { is_reported } else { well(outcome) }
    });
    if as_required { Ok(Seen::Holds(shorts(&outcomes))) } else { Err(shorts(&outcomes)) }
}

/// The codes that are reported about a worker that leaves its protocol.
const WRONG: &[&str] = &["worker-protocol", "worker-ended", "timed-out"];

fn shorts(outcomes: &[Value]) -> String {
    outcomes.iter().map(judge::in_short).collect::<Vec<_>>().join("; ")
}

/// Row 58: a worker that consents before it was asked does so at each of its starts.
pub(in crate::chaos) fn replies_early(scene: &Scene) -> Result<Seen, String> {
    let early = &["--stdout", r#"{"id":2,"answer":{"decision":"allow"}}"#, "--worker", "{deny}"];
    configure(scene, &Hook::Worker(early))?;
    let outcomes = stream::in_turn(scene, &vec!["ls".to_owned(); 3])?;
    let denied = outcomes.iter().all(|outcome| {
        judge::decision(outcome) == "deny" && judge::codes(outcome).contains(&"worker-protocol")
    });
    if denied { Ok(Seen::Holds(shorts(&outcomes))) } else { Err(shorts(&outcomes)) }
}

/// Row 58: a worker that closes its output between events is replaced.
pub(in crate::chaos) fn leaves(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &WORKER)?;
    let commands = ["do:leave", "ls", "do:leave", "ls"].map(str::to_owned);
    let outcomes = stream::in_turn(scene, &commands)?;
    let well = outcomes
        .iter()
        .all(|outcome| judge::decision(outcome) == "deny" && judge::codes(outcome).is_empty());
    if well { Ok(Seen::Holds(shorts(&outcomes))) } else { Err(shorts(&outcomes)) }
}

/// Row 59.
pub(in crate::chaos) fn crash_loop(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &Hook::Worker(&["--stderr", "no database", "--exit", "3"]))?;
    let outcomes = stream::in_turn(scene, &vec!["ls".to_owned(); 9])?;
    let notices = outcomes
        .iter()
        .filter(|outcome| judge::codes(outcome).contains(&"worker-quarantined"))
        .count();
    let denied = outcomes.iter().filter(|outcome| judge::decision(outcome) == "deny").count();
    let text = format!("{denied} of 9 denied, {notices} notice");
    if (denied, notices) == (9, 1) { Ok(Seen::Holds(text)) } else { Err(text) }
}

/// How often a gate is made to fail.
const INDUCED: usize = 10;

/// Row 60: an input that costs the gate its time disarms it neither for itself nor for what comes behind.
pub(in crate::chaos) fn induced_failures(scene: &Scene) -> Result<Seen, String> {
    let hook = match scene.row.name {
        "induced_failures_of_a_worker" => WORKER,
        _ => Hook::Shell("case $(cat) in *do:never*) sleep 30 ;; esac; echo '{deny}'"),
    };
    configure(scene, &hook)?;
    let mut commands = vec!["do:never".to_owned(); INDUCED];
    // On a busy machine one of these may take its time, too: that is a denial like the others, and the next one is asked.
    commands.extend(vec!["ls".to_owned(); 5]);
    let outcomes = stream::in_turn(scene, &commands)?;
    let denied = outcomes.iter().all(|outcome| judge::decision(outcome) == "deny");
    let timed_out = |value: &Value| judge::codes(value) == ["timed-out"];
    let (induced, behind) = outcomes.split_at(INDUCED.min(outcomes.len()));
    let own = behind.iter().filter(|value| judge::codes(value).is_empty()).count();
    let others_timed_out =
        behind.iter().all(|value| judge::codes(value).is_empty() || timed_out(value));
    match denied && induced.iter().all(timed_out) && own > 0 && others_timed_out {
        true => Ok(Seen::Holds(format!("{INDUCED} timed-out -> deny, then deny"))),
        false => Err(shorts(&outcomes)),
    }
}
