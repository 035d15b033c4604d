//! The registered texts: the command of an event, its entry, and the files that only Tenterhook
//! writes. Knows no file that others write.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use tenterhook_shell::quote_word;

use crate::agents::{Agent, Event, Fallback, Form, HookFile, Layout};
use crate::dialect::hook_file::{
    WrittenEntry, action_entry, actions_text, json_file_text, whole_entry,
};

/// The message to the model if the `tenterhook` program is missing or broken. A part of the
/// registered text, so it never changes.
const GONE: &str = "Tenterhook did not answer, so this is not done. Tell the user to install tenterhook again, or to take its hooks out of this agent.";

/// The name of hooks of ours in a file of named hooks.
pub(super) const NAME: &str = "tenterhook";

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
    match agent.installation.fallback {
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
    command_entry(agent, event, &hook_command_line(agent, event, program)).into()
}

/// Returns the entry that runs a command line on an event.
fn command_entry(agent: &Agent, event: &Event, line: &str) -> Map<String, Value> {
    let file = agent.installation.form.hook_file();
    let timeout = file.and_then(HookFile::timeout);
    let closed = file.and_then(|file| file.closed_of_event(event));
    let fields: [Option<(&str, Value)>; 4] = [
        file.and_then(HookFile::type_key).map(|key| (key, "command".into())),
        Some(("command", line.into())),
        timeout.map(|(key, second)| (key, (event.seconds * u64::from(second)).into())),
        closed.map(|(key, value)| (key, value.into())),
    ];
    fields.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn written_entry(agent: &Agent, event: &Event, line: &str) -> WrittenEntry {
    let entry = command_entry(agent, event, line);
    WrittenEntry { event: event.name.to_owned(), matcher: None, entry }
}

/// Returns the entry of an event that also says its event, and its name if entries have one.
pub(super) fn listed_entry(
    agent: &Agent,
    event: &Event,
    program: &str,
    name: String,
) -> Map<String, Value> {
    let written = written_entry(agent, event, &hook_command_line(agent, event, program));
    match agent.installation.form.hook_file() {
        Some(file) => whole_entry(file, &written, name),
        None => written.entry,
    }
}

/// Returns what the list of an event gets that runs a command line: a group with the entry, or the
/// entry itself.
pub(super) fn list_item(agent: &Agent, event: &Event, line: &str) -> Value {
    let entry = command_entry(agent, event, line);
    if !agent.installation.json().has_groups(event.name) {
        return entry.into();
    }
    let mut group = Map::new();
    if let Some(matcher) = agent.installation.matcher.filter(|_| event.tool) {
        group.insert("matcher".to_owned(), matcher.into());
    }
    group.insert("hooks".to_owned(), json!([entry]));
    group.into()
}

/// Returns the text of a JSON file in which the agent runs a command line on each of these events.
pub fn text_of_new_hook_file(
    agent: &Agent,
    lines: impl IntoIterator<Item = (Event, String)>,
) -> String {
    let lines = lines.into_iter();
    match agent.installation.form.hook_file() {
        Some(file) if file.layout == Layout::Actions => actions_text(lines.map(|(event, line)| {
            let written = written_entry(agent, &event, &line);
            let mut entry = action_entry(file, &written, format!("{NAME} {}", event.name));
            // Where it was in the first version (BR-62).
            let timeout = file.timeout().and_then(|(key, _)| entry.shift_remove_entry(key));
            entry.extend(timeout);
            entry
        })),
        _ => {
            let item = |(event, line): (Event, String)| {
                (event.name.to_owned(), json!([list_item(agent, &event, &line)]))
            };
            json_file_text(agent.installation.json(), NAME, lines.map(item).collect())
        }
    }
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
    match agent.installation.form {
        Form::Missing | Form::Shared(_) => Vec::new(),
        Form::Own(_) => {
            let text = text_of_new_hook_file(agent, own_command_lines(agent, program));
            vec![(String::new(), text)]
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
