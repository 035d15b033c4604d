//! What must be so of ends: each exit code, no core, a start that says what failed.

use serde_json::{Value, json};

use super::stream;
use crate::chaos::judge::{self, Seen};
use crate::chaos::row::Hook;
use crate::chaos::scene::{Ended, Scene};

/// R-1: a crash leaves no file behind, even if the caller of the engine enabled core files.
pub(in crate::chaos) fn no_core(scene: &Scene, _: &Ended) -> Result<(), String> {
    let entries = std::fs::read_dir(scene.path("project")).map_err(|error| error.to_string())?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let cores: Vec<String> = names.filter(|name| name.starts_with("core")).collect();
    if cores.is_empty() { Ok(()) } else { Err(format!("left {}", cores.join(", "))) }
}

/// R-8: the fault names the path, and what the system says of it.
pub(in crate::chaos) fn says_what_failed(scene: &Scene, ended: &Ended) -> Result<(), String> {
    let text = ended.outcome().unwrap_or_default().to_string();
    let project = scene.path("project").display().to_string();
    let errors = ["No such file", "Exec format error", "os error", "interpreter"];
    let named = text.contains(&project) && errors.iter().any(|error| text.contains(error));
    if named { Ok(()) } else { Err(format!("says {}", judge::shortened(&text, 300))) }
}

/// How many events are handed over at once: that many starts at a time are no flood.
const AT_ONCE: usize = 32;

/// A-6: of all exit codes 0 is silence and 2 a denial; the others are no answer, and the policy denies.
pub(in crate::chaos) fn every_code(scene: &Scene) -> Result<Seen, String> {
    let hook = Hook::Shell(r#"read -r it; it=${it##*ends-with-}; exit "${it%%\"*}""#);
    let entry = scene.entry("row", &hook)?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let commands: Vec<String> = (0..256).map(|code| format!("ends-with-{code}")).collect();
    let mut outcomes = Vec::with_capacity(commands.len());
    for some in commands.chunks(AT_ONCE) {
        outcomes.extend(stream::at_once(scene, some)?);
    }
    for (code, outcome) in outcomes.iter().enumerate() {
        let faults = judge::codes(outcome);
        let (decision, fault) = match code {
            0 => ("silence", [].as_slice()),
            2 => ("deny", [].as_slice()),
            _ => ("deny", ["exit-code"].as_slice()),
        };
        let ended = outcome.pointer("/steps/0/ended").and_then(Value::as_str).unwrap_or_default();
        let exact = json!(format!("exit {code}"));
        if judge::decision(outcome) != decision || faults != fault || exact != ended {
            return Err(format!("exit {code}: {}, {ended}", judge::in_short(outcome)));
        }
    }
    Ok(Seen::Holds("256 of 256".to_owned()))
}

/// R-2: a hook that is slow to start has its own time, at most that of the event.
pub(in crate::chaos) fn slow_start(scene: &Scene) -> Result<Seen, String> {
    let entry = scene.entry("row", &Hook::Shell("sleep 30; exec {fake} --stdout '{deny}'"))?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let ended = scene
        .tenterhook("fire --budget 1s --dialect native --format json --config {config} {event}")?;
    let got = judge::answered(&ended, crate::chaos::row::Required::Policy(&["timed-out"]))?;
    let ms = ended.took.as_millis();
    Ok(if ms < 10_000 { Seen::Holds(got) } else { Seen::Late(format!("{got} after {ms} ms")) })
}
