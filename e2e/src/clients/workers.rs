//! Do the example workers judge as they say? Each is configured as people would, and asked about four commands in a row.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tenterhook_testkit::Sandbox;

/// What each gate is asked, and whether it denies.
pub(super) const ASKED: &[(&str, bool)] = &[
    ("git status", false),
    ("git push --force origin main", true),
    ("git push origin main", false),
    ("sudo git push --force", true),
];

/// What became of one worker.
pub(super) type Judged = (String, Result<&'static str, String>);

pub(super) fn judge_all(root: &Path, binary: &Path) -> Result<Vec<Judged>, String> {
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let place = sandbox.project();
    let file = |name: &str| root.join("examples/workers").join(name).display().to_string();
    let compiled = place.join("no_force_push").display().to_string();
    compile(&file("no_force_push.rs"), &compiled)?;
    let workers = [
        vec!["python3".to_owned(), file("no_force_push.py")],
        vec!["node".to_owned(), file("no_force_push.mjs")],
        vec![compiled],
    ];
    let names = ["no_force_push.py", "no_force_push.mjs", "no_force_push.rs"];
    let judged = names.iter().zip(workers).map(|(name, words)| {
        let asked = [ASKED, &[("git push -f", true)]].concat();
        let judged = judge(&format!("worker = {}", json!(words)), &asked, binary, &place);
        (format!("workers/{name}"), judged.map(|()| "judges every command"))
    });
    Ok(judged.collect())
}

fn compile(source: &str, program: &str) -> Result<(), String> {
    let output = Command::new("rustc").args(["-O", source, "-o", program]).output();
    let output = output.map_err(|error| format!("rustc cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(said.into_owned()) }
}

/// Fires all commands at a gate that runs what `run` says, in one session, so that one process answers them.
pub(super) fn judge(
    run: &str,
    asked: &[(&str, bool)],
    binary: &Path,
    place: &Path,
) -> Result<(), String> {
    let config = place.join("tenterhook.toml");
    let text = format!("[hook.guard]\non = \"PreToolUse\"\n{run}\n");
    std::fs::write(&config, text).map_err(|error| error.to_string())?;
    let event = |(id, command): (usize, &str)| {
        let tool = json!({"name": "Bash", "input": {"command": command}});
        json!({"id": id, "event": "PreToolUse", "tool": tool}).to_string() + "\n"
    };
    let events = place.join("events.jsonl");
    let lines: String = asked.iter().map(|(command, _)| *command).enumerate().map(event).collect();
    std::fs::write(&events, lines).map_err(|error| error.to_string())?;
    let input = std::fs::File::open(&events).map_err(|error| error.to_string())?;
    let output = Command::new(binary)
        .args(["fire", "--format", "json", "--dialect", "native", "--stream", "--config"])
        .arg(&config)
        .current_dir(place)
        .stdin(input)
        .output();
    let output = output.map_err(|error| format!("tenterhook cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let outcome = |line: &str| serde_json::from_str(line).unwrap_or(Value::Null);
    let mut outcomes: Vec<Value> = said.lines().map(outcome).collect();
    // Events of a stream are fired at once; each outcome says whose it is.
    outcomes.sort_by_key(|outcome| outcome.get("id").and_then(Value::as_u64));
    let as_expected = outcomes.len() == asked.len()
        && outcomes.iter().zip(asked).all(|(outcome, (_, denies))| judged_as(outcome, *denies));
    if as_expected { Ok(()) } else { Err(format!("said {said}")) }
}

/// A denial for the right reason, or silence: a worker that fails is blocked too.
fn judged_as(outcome: &Value, denies: bool) -> bool {
    let denied = outcome.get("decision").and_then(Value::as_str) == Some("deny");
    let faults = outcome.get("faults").and_then(Value::as_array);
    denied == denies && faults.is_none_or(Vec::is_empty)
}
