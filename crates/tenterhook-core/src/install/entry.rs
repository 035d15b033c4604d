//! The registered texts: the command of an event, its entry, and the files that only Tenterhook
//! writes. Knows no file that others write.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use tenterhook_shell::quote_word;

use crate::agents::{Agent, EntryValue, Event, Fallback, Form};

/// The message to the model if the `tenterhook` program is missing or broken. A part of the
/// registered text, so it never changes.
const GONE: &str = "Tenterhook did not answer, so this is not done. Tell the user to install tenterhook again, or to take its hooks out of this agent.";

/// The beginning of every plugin: it asks about an event and reads the reply. `@AGENT@` stands for the
/// agent's name, `@TITLE@` for its name for people, `@PROGRAM@` for the path of the `tenterhook`
/// program as a JSON string.
const PLUGIN: &str = include_str!("plugin.js");

/// The name of the plugin in a folder with other files.
const PLUGIN_IN_FOLDER: &str = "index.js";
/// What runs a line that any shell of an agent can start.
const SHELL: &str = "sh -c";
/// The beginning of a line that captures a reply, before the program.
const CAPTURE: &str = "reply=$( ";

/// The command that an agent runs for an event (BR-61, BR-62). On a gate, it denies even if the
/// program is missing: sh, bash, zsh and fish all run the part after `||`. A reply that is captured
/// is printed as a whole or not at all.
#[must_use]
pub fn hook_command_line(agent: &Agent, event: &Event, program: &str) -> String {
    let mut line = format!(
        "{} hook --agent {} --event {} --within {}",
        quote_word(program),
        agent.name,
        event.name,
        inner_timeout_arg(event.seconds)
    );
    if !event.gates {
        return line;
    }
    match agent.installation.entry.fallback {
        Fallback::ExitCode => {
            let _ = write!(line, " || sh -c 'echo \"{GONE}\" >&2; exit 2'");
        }
        Fallback::OnlyExitCode => {
            // A denial of ours, which is exit code 2, has its own reason.
            let script = format!("{line} || {{ [ $? -eq 2 ] || echo \"{GONE}\" >&2; exit 2; }}");
            line = format!("{SHELL} {}", quote_word(&script));
        }
        Fallback::Print(denial) => {
            let denial = quote_word(&denial.replace("@REASON@", GONE));
            let script = format!("{CAPTURE}{line} ) || reply={denial}; printf '%s\\n' \"$reply\"");
            line = format!("{SHELL} {}", quote_word(&script));
        }
        Fallback::Outside => {}
    }
    line
}

/// Returns the program that one of these lines starts, without its quotes; `None` for any other
/// line.
#[must_use]
pub fn program_in_command_line(line: &str) -> Option<String> {
    let script = line.strip_prefix(SHELL).map(|word| unquoted(word.trim_start()));
    let line = script.as_deref().unwrap_or(line);
    let line = line.strip_prefix(CAPTURE).unwrap_or(line);
    let (program, _) = line.split_once(" hook --agent ")?;
    Some(unquoted(program))
}

/// Reverses [`quote_word`].
fn unquoted(word: &str) -> String {
    let inner = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.map_or_else(|| word.to_owned(), |text| text.replace("'\\''", "'"))
}

/// Returns a timeout slightly shorter than the agent's.
fn inner_timeout_arg(seconds: u64) -> String {
    match seconds {
        0..=3 => "2500ms".to_owned(),
        4..=30 => format!("{}s", seconds - 1),
        31..=60 => format!("{}s", seconds - 5),
        _ => format!("{}s", seconds - 10),
    }
}

/// Returns the entry with which the agent calls Tenterhook on an event.
pub(super) fn handler_entry(agent: &Agent, event: &Event, program: &str) -> Value {
    command_entry(agent, event, &hook_command_line(agent, event, program))
}

/// Returns the entry that runs a command line on an event.
fn command_entry(agent: &Agent, event: &Event, line: &str) -> Value {
    let form = agent.installation.entry;
    let mut entry = Map::new();
    if let Some(kind) = form.kind {
        entry.insert("type".to_owned(), kind.into());
    }
    entry.insert("command".to_owned(), line.into());
    if let Some((key, units)) = form.timeout {
        entry.insert(key.to_owned(), (event.seconds * units).into());
    }
    if let Some((key, value)) = form.closed_of_event(event) {
        entry.insert(key.to_owned(), value_as_json(value));
    }
    Value::Object(entry)
}

pub(super) fn value_as_json(value: EntryValue) -> Value {
    match value {
        EntryValue::Text(text) => text.into(),
        EntryValue::True => true.into(),
    }
}

/// Returns the entry for an event in a list for all events, where an object below `action` holds the
/// command.
fn list_entry(agent: &Agent, event: &Event, line: &str) -> Value {
    let mut entry = json!({
        "name": format!("tenterhook {}", event.name),
        "trigger": event.name,
        "action": { "type": "command", "command": line },
    });
    if let (Some((key, units)), Some(entry)) =
        (agent.installation.entry.timeout, entry.as_object_mut())
    {
        entry.insert(key.to_owned(), (event.seconds * units).into());
    }
    entry
}

/// The group of an event, with the entry that calls Tenterhook.
fn handler_group(agent: &Agent, event: &Event, program: &str) -> Value {
    group_with_entry(agent, event, &handler_entry(agent, event, program))
}

fn group_with_entry(agent: &Agent, event: &Event, entry: &Value) -> Value {
    let mut group = Map::new();
    if let Some(matcher) = agent.installation.entry.matcher.filter(|_| event.tool) {
        group.insert("matcher".to_owned(), matcher.into());
    }
    group.insert("hooks".to_owned(), json!([entry]));
    Value::Object(group)
}

/// Returns what the list of an event gets: a group with the entry, or the entry itself.
pub(super) fn list_item(agent: &Agent, event: &Event, program: &str) -> Value {
    list_item_running(agent, event, &hook_command_line(agent, event, program))
}

/// Returns the same with any command line.
pub(super) fn list_item_running(agent: &Agent, event: &Event, line: &str) -> Value {
    let entry = command_entry(agent, event, line);
    match agent.installation.has_groups(event.name) {
        true => group_with_entry(agent, event, &entry),
        false => entry,
    }
}

/// Returns the text of a file with a list for all events, which runs these command lines.
pub(super) fn text_of_own_list(
    agent: &Agent,
    lines: impl IntoIterator<Item = (Event, String)>,
) -> String {
    let entries = lines.into_iter().map(|(event, line)| list_entry(agent, &event, &line));
    let hooks: Vec<Value> = entries.collect();
    format!("{:#}\n", json!({ "version": "v1", "hooks": hooks }))
}

/// Returns each event that is registered, with the command line that calls Tenterhook.
pub(super) fn own_command_lines(
    agent: &Agent,
    program: &str,
) -> impl Iterator<Item = (Event, String)> {
    let events = agent.installation.events.iter();
    events.map(move |event| (*event, hook_command_line(agent, event, program)))
}

/// The files that only Tenterhook writes: each file's name in the agent's folder, empty if the
/// config path is the file itself, and its text.
#[must_use]
pub fn tenterhook_files_with_texts(agent: &Agent, program: &str) -> Vec<(String, String)> {
    let list = |entry: fn(&Agent, &Event, &str) -> Value| -> Map<String, Value> {
        let of = |event: &Event| (event.name.to_owned(), json!([entry(agent, event, program)]));
        agent.installation.events.iter().map(of).collect()
    };
    let one = |value: &Value| vec![(String::new(), format!("{value:#}\n"))];
    match agent.installation.form {
        Form::Groups | Form::Tables | Form::Yaml => Vec::new(),
        Form::OwnGroups => one(&json!({ "hooks": list(handler_group) })),
        Form::OwnFlat => one(&json!({ "version": 1, "hooks": list(handler_entry) })),
        Form::OwnList => {
            vec![(String::new(), text_of_own_list(agent, own_command_lines(agent, program)))]
        }
        Form::Scripts => {
            let of = |event: &Event| (event.name.to_owned(), hook_script(agent, event, program));
            agent.installation.events.iter().map(of).collect()
        }
        Form::Plugin(plugin) => {
            let program = Value::from(program).to_string();
            let text = PLUGIN.replace("@AGENT@", agent.name);
            let text = text.replace("@TITLE@", agent.title).replace("@PROGRAM@", &program);
            let beside = plugin.beside;
            let name = if beside.is_empty() { "" } else { PLUGIN_IN_FOLDER };
            let others = beside.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            let module = (name.to_owned(), text + plugin.end);
            std::iter::once(module).chain(others).collect()
        }
    }
}

/// The script of an event. Cline reads a denial only from standard output, and only after
/// `HOOK_CONTROL`; the last one wins.
fn hook_script(agent: &Agent, event: &Event, program: &str) -> String {
    let line = hook_command_line(agent, event, program);
    let control = json!({ "cancel": true, "errorMessage": GONE });
    let otherwise = match event.gates {
        true => format!(" || printf 'HOOK_CONTROL\\t%s\\n' '{control}'"),
        false => String::new(),
    };
    format!("#!/bin/sh\n# Written by `tenterhook install {}`.\n{line}{otherwise}\n", agent.name)
}
