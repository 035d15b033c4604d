//! Prints how many recorded shell lines leave each of five common rules unknown (RU-40):
//! `cargo run -p tenterhook --example unknown_lines --features rule -- DIRECTORY`.
//!
//! Reads every `.json` and `.jsonl` file below the directory: the `line` of each row whose `ask` is `ordinary`, and the command
//! of each tool call. Decides nothing and writes nothing.
#![expect(clippy::print_stdout, reason = "an example for people to run")]

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook_core::event::Surroundings;
use tenterhook_core::rule::{Incomplete, Rule, RuleInput};

/// Rules that people write.
const RULES: &[(&str, &str)] = &[
    ("push", r#"call.commands.exists(c, c.runs("git push"))"#),
    ("rm -r", r#"shell.commands.exists(c, c.runs("rm") && c.flag("-r"))"#),
    ("write", r#"call.writes.exists(p, p.startsWith("dist/"))"#),
    ("read", "call.reads.exists(p, p.is_env())"),
    ("host", r#"call.hosts.exists(h, h.endsWith("example.com"))"#),
];

/// Fields that hold what a tool is given, and those of its command.
const INPUTS: &[&str] = &["input", "tool_input", "args", "arguments"];
const COMMANDS: &[&str] = &["command", "cmd"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args_os().nth(1).ok_or("name a directory with recorded lines")?;
    let mut lines = BTreeSet::new();
    let mut directories = vec![PathBuf::from(root)];
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir()? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else {
                read(&path, &mut lines);
            }
        }
    }
    report(&lines);
    Ok(())
}

/// Adds the shell lines of a file; a file that is no JSON has none.
fn read(path: &Path, lines: &mut BTreeSet<String>) {
    let Ok(text) = std::fs::read_to_string(path) else { return };
    match serde_json::from_str(&text) {
        Ok(whole) => collect(&whole, lines),
        Err(_) => {
            let records = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            records.for_each(|record: Value| collect(&record, lines));
        }
    }
}

fn collect(value: &Value, lines: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, lines)),
        Value::Object(fields) => {
            if fields.get("ask").and_then(Value::as_str) == Some("ordinary") {
                lines.extend(fields.get("line").and_then(Value::as_str).map(str::to_owned));
            }
            for input in INPUTS.iter().filter_map(|key| fields.get(*key)) {
                let parsed = input.as_str().and_then(|text| serde_json::from_str(text).ok());
                let input: &Value = parsed.as_ref().unwrap_or(input);
                let commands = COMMANDS.iter().filter_map(|key| input.get(*key)?.as_str());
                lines.extend(commands.map(str::to_owned));
            }
            fields.values().for_each(|field| collect(field, lines));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn report(lines: &BTreeSet<String>) {
    let mut all_unknown = BTreeSet::new();
    for (name, when) in RULES {
        let rule = Rule::new(when).deny("no");
        let is_unknown = |line: &&String| {
            let event = Event::new("PreToolUse", Surroundings::default())
                .with("tool_name", "Bash")
                .with("tool_input", json!({ "command": line }));
            rule.evaluate(&RuleInput::new(&Arc::new(event)), Incomplete::Unknown, &|| true).is_err()
        };
        let unknown: Vec<&String> = lines.iter().filter(is_unknown).collect();
        println!("{name}: {} of {} unknown", unknown.len(), lines.len());
        all_unknown.extend(unknown);
    }
    println!("any of them: {} of {} unknown", all_unknown.len(), lines.len());
    all_unknown.iter().for_each(|line| println!("  {line:?}"));
}
