//! The text of what is registered: the command of an event, its entry, and the files that are ours alone. Knows no file that
//! others write.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use tenterhook_shell::quote;

use crate::agents::{Agent, Event, Form};

/// What is said where our program is gone or broken: to the model, which hands it on. Part of what is registered: it never
/// changes.
const GONE: &str = "Tenterhook did not answer, so this is not done. Tell the user to install tenterhook again, or to take its hooks out of this agent.";

/// The plugin for OpenCode, with `@PROGRAM@` for the path of our program as a JSON string.
const PLUGIN: &str = include_str!("../agents/opencode/plugin.js");

/// The command that an agent runs for an event (BR-61, BR-62). Where something is at stake it restrains by itself: what
/// stands behind `||` is read alike by sh, bash, zsh and fish.
#[must_use]
pub fn line(agent: &Agent, event: &Event, program: &str) -> String {
    let mut line = format!(
        "{} hook --agent {} --event {} --within {}",
        quote(program),
        agent.name,
        event.name,
        within(event.seconds)
    );
    if event.gates && agent.installation.form != Form::Scripts {
        let _ = write!(line, " || sh -c 'echo \"{GONE}\" >&2; exit 2'");
    }
    line
}

/// A little less than the agent waits.
fn within(seconds: u64) -> String {
    match seconds {
        0..=3 => "2500ms".to_owned(),
        4..=30 => format!("{}s", seconds - 1),
        31..=60 => format!("{}s", seconds - 5),
        _ => format!("{}s", seconds - 10),
    }
}

/// The entry that calls for an event.
pub(super) fn handler(agent: &Agent, event: &Event, program: &str) -> Value {
    let (key, units) = agent.installation.time;
    let mut entry = Map::new();
    entry.insert("type".to_owned(), "command".into());
    entry.insert("command".to_owned(), line(agent, event, program).into());
    entry.insert(key.to_owned(), (event.seconds * units).into());
    if let Some((key, value)) = agent.installation.closed.filter(|_| event.gates) {
        entry.insert(key.to_owned(), value.into());
    }
    Value::Object(entry)
}

/// The group of the entry that calls for an event.
pub(super) fn group(agent: &Agent, event: &Event, program: &str) -> Value {
    let mut group = Map::new();
    if let Some(matcher) = agent.installation.matcher.filter(|_| event.tool) {
        group.insert("matcher".to_owned(), matcher.into());
    }
    group.insert("hooks".to_owned(), json!([handler(agent, event, program)]));
    Value::Object(group)
}

/// The files that are ours alone: the name below the place of the agent, empty for the place itself, and the text.
#[must_use]
pub fn own_file(agent: &Agent, program: &str) -> Vec<(String, String)> {
    let list = |entry: fn(&Agent, &Event, &str) -> Value| -> Map<String, Value> {
        let of = |event: &Event| (event.name.to_owned(), json!([entry(agent, event, program)]));
        agent.installation.events.iter().map(of).collect()
    };
    let one = |value: &Value| vec![(String::new(), format!("{value:#}\n"))];
    match agent.installation.form {
        Form::Groups => Vec::new(),
        Form::OwnGroups => one(&json!({ "hooks": list(group) })),
        Form::OwnFlat => one(&json!({ "version": 1, "hooks": list(handler) })),
        Form::Scripts => {
            let of = |event: &Event| (event.name.to_owned(), script(agent, event, program));
            agent.installation.events.iter().map(of).collect()
        }
        Form::Plugin => {
            let program = Value::from(program).to_string();
            vec![(String::new(), PLUGIN.replace("@PROGRAM@", &program))]
        }
    }
}

/// A script of ours. Cline reads a denial from standard output alone, and only behind this word; the last one counts.
fn script(agent: &Agent, event: &Event, program: &str) -> String {
    let line = line(agent, event, program);
    let control = json!({ "cancel": true, "errorMessage": GONE });
    let otherwise = match event.gates {
        true => format!(" || printf 'HOOK_CONTROL\\t%s\\n' '{control}'"),
        false => String::new(),
    };
    format!("#!/bin/sh\n# Written by `tenterhook install {}`.\n{line}{otherwise}\n", agent.name)
}
