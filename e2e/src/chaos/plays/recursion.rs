//! Hooks that fire hooks.

use serde_json::Value;

use super::super::judge::{self, Seen};
use super::super::row::Hook;
use super::super::scene::Scene;

const GRANTS: &str = r#", read = ["{program}", "{scene}"], write = ["{tmp}"]"#;

/// Fires a hook of another name each time.
const OTHERS: &str = "n=$(wc -l <'{tmp}/runs' 2>/dev/null); n=$((n + 1)); echo x >>'{tmp}/runs'; \
        sed \"s/^.hook[.].*/[hook.row$n]/\" '{scene}tenterhook.toml' >'{tmp}/'$n.toml; \
        {program} fire --dialect native --format json --config '{tmp}/'$n.toml {event} >'{tmp}/inner'.$n; exit $?";

fn entry(scene: &Scene, line: &'static str) -> Result<String, String> {
    let entry = scene.entry("row", &Hook::Shell(line))?;
    let sandbox = if scene.cell.confines() { scene.fill(GRANTS) } else { String::new() };
    Ok(entry.replace("\"standard\"", &format!("\"standard\"{sandbox}")))
}

/// A hook that fires itself: it is not run within itself, and that denies.
pub(in crate::chaos) fn fires_itself(scene: &Scene) -> Result<Seen, String> {
    let line = "echo x >>'{tmp}/runs'; \
        {program} fire --dialect native --format json --config {config} {event} >'{tmp}/inner'; exit $?";
    plays(scene, line, "already-firing", 1)
}

/// A hook that fires one of another name each time: where more than eight would be firing round it, nothing runs.
pub(in crate::chaos) fn fires_others(scene: &Scene) -> Result<Seen, String> {
    plays(scene, OTHERS, "nested-too-deep", 9)
}

/// The same in namespaces: within them none are made, so that the second hook is not started.
pub(in crate::chaos) fn makes_no_namespaces_within(scene: &Scene) -> Result<Seen, String> {
    plays(scene, OTHERS, "not-started", 1)
}

fn plays(scene: &Scene, line: &'static str, code: &str, most: usize) -> Result<Seen, String> {
    let entry = entry(scene, line)?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let ended = scene.fire()?;
    let outcome = ended.outcome().ok_or_else(|| format!("no outcome: {}", ended.stderr))?;
    let runs = std::fs::read_to_string(scene.path("tmp/runs")).unwrap_or_default().lines().count();
    let inner = deepest(scene);
    let is_reported = inner.as_ref().is_some_and(|value| judge::codes(value).contains(&code));
    let text = format!(
        "{} after {runs} runs; within: {}",
        judge::in_short(&outcome),
        inner.as_ref().map(judge::in_short).unwrap_or_default()
    );
    let denied = judge::decision(&outcome) == "deny" && ended.code() == Some(2);
    if denied && is_reported && (1..=most).contains(&runs) {
        Ok(Seen::Holds(text))
    } else {
        Err(text)
    }
}

/// What the firing said that is within all others.
fn deepest(scene: &Scene) -> Option<Value> {
    let name = |depth: usize| {
        if depth == 0 { "tmp/inner".to_owned() } else { format!("tmp/inner.{depth}") }
    };
    let files = (0..32).rev().map(|depth| scene.path(&name(depth)));
    let text = files.filter(|file| file.exists()).find_map(|file| std::fs::read(file).ok())?;
    serde_json::from_slice(&text).ok()
}
