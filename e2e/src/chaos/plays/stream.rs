//! Several events in one process of the engine: `fire --stream`. Judges nothing.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chaos::row::LIMITS;
use crate::chaos::scene::Scene;

const LINE: &str = "exec {program} fire --stream --dialect native --format json --config {config}";

/// How long one outcome is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

fn event((id, command): (usize, &String)) -> String {
    let tool = json!({"name": "Bash", "input": {"command": command}});
    json!({"id": id, "event": "PreToolUse", "tool": tool}).to_string() + "\n"
}

/// Fires an event for each command at the scene's configuration, all at once; the outcomes in the order of the commands.
pub(in crate::chaos) fn at_once(scene: &Scene, commands: &[String]) -> Result<Vec<Value>, String> {
    let lines: String = commands.iter().enumerate().map(event).collect();
    let events = scene.write("events.jsonl", lines).map_err(|error| error.to_string())?;
    let ended = scene.run(&scene.fill(LINE), &events.display().to_string(), LIMITS)?;
    let mut outcomes = outcomes(&String::from_utf8_lossy(&ended.stdout));
    outcomes.sort_by_key(|outcome| outcome.get("id").and_then(Value::as_u64));
    if outcomes.len() == commands.len() {
        return Ok(outcomes);
    }
    Err(format!("{} outcomes for {} events; {}", outcomes.len(), commands.len(), ended.stderr))
}

/// The same one after the other: the next event when the outcome of the last one is there.
pub(in crate::chaos) fn in_turn(scene: &Scene, commands: &[String]) -> Result<Vec<Value>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let (mut child, out, _) = scene.start(&scene.fill(LINE), Stdio::piped(), LIMITS)?;
    let mut input = child.stdin.take().ok_or("it has no input")?;
    let mut records = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let sent = input.write_all(event((at, command)).as_bytes()).map_err(failed);
        records =
            sent.and_then(|()| await_outcomes(&out, at + 1)).inspect_err(|_| drop(child.kill()))?;
    }
    drop(input);
    scene.wait(child).map_err(failed)?;
    Ok(records)
}

fn await_outcomes(out: &Path, count: usize) -> Result<Vec<Value>, String> {
    let until = Instant::now() + PATIENCE;
    loop {
        let text = File::open(out).and_then(std::io::read_to_string).unwrap_or_default();
        let records = outcomes(&text);
        if records.len() >= count {
            return Ok(records);
        }
        if Instant::now() >= until {
            return Err(format!("{} outcomes for {count} events", records.len()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The outcomes whose lines are whole.
fn outcomes(text: &str) -> Vec<Value> {
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect()
}
