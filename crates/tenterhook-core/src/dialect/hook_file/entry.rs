//! Writes one hook as an entry, by the keys of the agent's table.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tenterhook_shell::quote_word;

use super::matcher::matcher_texts;
use super::{NotWritten, Target, WrittenEntry, row_of_hook};
use crate::agents::{Field, HookFile};
use crate::dialect::EventRow;
use crate::hook::{Command, Hook, Http, Invocation, OnFailure, Run, Shell, Wait};
use crate::matcher::{MatcherSpec, Written};

/// Returns the entries that may say what the hook says, the plainest first; the error says why none
/// can.
pub(super) fn entry_candidates(
    hook: &Hook,
    target: Target<'_>,
    row: &EventRow,
    matcher: &MatcherSpec,
) -> Result<Vec<WrittenEntry>, NotWritten> {
    let mut candidates = Vec::new();
    for entry in run_candidates(&hook.run, target)? {
        for entry in with_options(&entry, hook, target, row) {
            for matcher in matcher_texts(matcher, row) {
                let event = row.name.clone().into_owned();
                candidates.push(WrittenEntry { event, matcher, entry: entry.clone() });
            }
        }
    }
    Ok(candidates)
}

/// Returns entries that run what a hook runs.
fn run_candidates(
    run: &Run,
    Target { file, agent, .. }: Target<'_>,
) -> Result<Vec<Map<String, Value>>, NotWritten> {
    match run {
        Run::Command(command) => command_candidates(command, file),
        Run::Http(http) => {
            let key = file.key(Field::Url);
            let key =
                key.ok_or_else(|| NotWritten(format!("`url`: no hook of {agent} is a request")))?;
            Ok(vec![http_entry(http, file, key)])
        }
        Run::Prompt(prompt) => {
            let key = file.key(Field::Prompt).filter(|_| prompt.turns.is_none());
            let key = key.ok_or_else(|| {
                NotWritten(format!("`prompt`: {agent} asks no model for a hook like this"))
            })?;
            let mut entry = new_entry(file, "prompt");
            entry.insert(key.to_owned(), prompt.text.clone().into());
            entry.extend(
                prompt.model.iter().map(|model| ("model".to_owned(), model.clone().into())),
            );
            Ok(vec![entry])
        }
        Run::McpTool(call) => {
            let key = file.key(Field::Server);
            let key = key.ok_or_else(|| {
                NotWritten(format!("`mcp`: no hook of {agent} calls a tool of a server"))
            })?;
            let mut entry = new_entry(file, "mcp_tool");
            entry.insert(key.to_owned(), call.server.clone().into());
            entry.insert("tool".to_owned(), call.tool.clone().into());
            entry.insert("input".to_owned(), Value::Object(call.input.clone()));
            Ok(vec![entry])
        }
        Run::Rule(_) => not_written(&format!(
            "it is a rule, and {agent} has none: `tenterhook install` makes an agent ask Tenterhook, which runs it"
        )),
        Run::Worker(_) => {
            not_written(&format!("`worker`: {agent} starts a program for each event"))
        }
        Run::Function(_) => not_written("it is a callback of its host, which no file can name"),
        Run::Unusable { part, why } => not_written(&part.problem_message(why)),
    }
}

fn not_written<T>(why: &str) -> Result<T, NotWritten> {
    Err(NotWritten(why.to_owned()))
}

fn new_entry(file: &HookFile, kind: &str) -> Map<String, Value> {
    let field = file.key(Field::Type).map(|key| (key.to_owned(), kind.into()));
    field.into_iter().collect()
}

fn command_candidates(
    command: &Command,
    file: &HookFile,
) -> Result<Vec<Map<String, Value>>, NotWritten> {
    let mut entries = Vec::new();
    let mut add = |fields: Vec<(&str, Value)>| {
        let mut entry = new_entry(file, "command");
        entry.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
        entries.push(entry);
    };
    let (line_key, argv_key) = (file.key(Field::Line), file.key(Field::Argv));
    // An agent that expands variables gets the words as they are, others a line for a shell.
    let mut invocations = vec![Cow::Borrowed(&command.invocation)];
    invocations
        .extend(Some(command.portable_invocation()).filter(|line| **line != command.invocation));
    for invocation in &invocations {
        let words = words_of_invocation(invocation);
        if let (Invocation::Argv { program, args }, Some(line), Some(key)) =
            (&**invocation, line_key, file.key(Field::Args))
        {
            add(vec![(line, program.as_str().into()), (key, json!(args))]);
        }
        if let Some(key) = argv_key {
            add(vec![(key, json!(words))]);
        }
        if let (Invocation::Shell { text, .. }, Some(key)) = (&**invocation, line_key) {
            add(vec![(key, text.as_str().into())]);
        }
        if let Some(key) = line_key {
            let quoted: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
            add(vec![(key, quoted.join(" ").into())]);
        }
    }
    Ok(entries)
}

/// Returns the program of an invocation and its arguments; that of a shell line is its shell.
pub(super) fn words_of_invocation(invocation: &Invocation) -> Vec<String> {
    let words: &[&str] = match invocation {
        Invocation::Argv { program, args } => {
            return std::iter::once(program).chain(args).cloned().collect();
        }
        Invocation::Shell { shell: Shell::Sh, .. } => &["sh", "-c"],
        Invocation::Shell { shell: Shell::Bash, .. } => &["bash", "-c"],
        Invocation::Shell { shell: Shell::Login, .. } => &["/bin/sh", "-c", Shell::LOGIN],
        Invocation::Shell { shell: Shell::PowerShell, .. } => {
            &["pwsh", "-NoProfile", "-NonInteractive", "-Command"]
        }
    };
    let text = match invocation {
        Invocation::Shell { text, .. } => text.as_str(),
        Invocation::Argv { .. } => "",
    };
    words.iter().copied().chain([text]).map(str::to_owned).collect()
}

fn http_entry(http: &Http, file: &HookFile, key: &str) -> Map<String, Value> {
    let mut entry = new_entry(file, "http");
    entry.insert(key.to_owned(), http.url.clone().into());
    if !http.headers.is_empty() {
        let headers = http.headers.iter().map(|(name, value)| (name.clone(), value.clone().into()));
        entry.insert("headers".to_owned(), Value::Object(headers.collect()));
    }
    if !http.variables.is_empty() {
        entry.insert("allowedEnvVars".to_owned(), json!(http.variables));
    }
    entry
}

/// Returns the entry with the options of a hook that have a key: first with all of them, then with a
/// whole number of units as the timeout, then the same without the key by which a missing answer
/// denies, for agents that refuse these.
fn with_options(
    entry: &Map<String, Value>,
    hook: &Hook,
    Target { dialect, file, .. }: Target<'_>,
    row: &EventRow,
) -> Vec<Map<String, Value>> {
    let mut entry = entry.clone();
    let mut set = |key: Option<&str>, value: Option<Value>| {
        entry.extend(key.map(str::to_owned).zip(value));
    };
    if let Run::Command(command) = &hook.run {
        let env: Map<String, Value> =
            command.env.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        set(file.key(Field::Env), (!env.is_empty()).then_some(Value::Object(env)));
        set(file.key(Field::Cwd), command.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into()));
    }
    let source_row = row_of_hook(hook).unwrap_or(row);
    let wanted = hook.effective_timeout(source_row);
    let is_needed = hook.timeout.is_some() || wanted != dialect.default_timeout(&hook.run, row);
    let timeout = file.timeout().filter(|_| is_needed);
    let timeout = timeout.map(|(key, second)| (key, wanted.as_secs_f64() * f64::from(second)));
    set(timeout.map(|(key, _)| key), timeout.map(|(_, units)| timeout_number(units)));
    set(file.key(Field::Status), hook.status.as_deref().map(Value::from));
    set(file.key(Field::Once), hook.once.then_some(true.into()));
    set(file.key(Field::Background), (hook.wait == Wait::Detached).then_some(true.into()));
    set(file.key(Field::Wake), (hook.wait == Wait::Rewake).then_some(true.into()));
    set(file.key(Field::Condition), rule_text(hook).map(Value::from));
    let with = |entry: &Map<String, Value>, key: &str, value: Value| {
        let mut entry = entry.clone();
        entry.insert(key.to_owned(), value);
        entry
    };
    let broken = timeout.filter(|(_, units)| units.fract() != 0.0);
    let whole = broken.map(|(key, units)| with(&entry, key, timeout_number(units.ceil())));
    let mut entries: Vec<_> = std::iter::once(entry).chain(whole).collect();
    let closes = hook.on_failure == Some(OnFailure::Block)
        || (hook.on_failure.is_none() && source_row.failure == OnFailure::Block);
    if let Some((key, value)) = file.closed().filter(|_| closes && hook.wait == Wait::Attached) {
        let closed = entries.iter().map(|entry| with(entry, key, value.into()));
        entries = closed.collect::<Vec<_>>().into_iter().chain(entries).collect();
    }
    entries
}

/// Returns a number as an integer if it is whole.
fn timeout_number(number: f64) -> Value {
    let text = format!("{number}");
    text.parse::<u64>().map_or_else(|_| json!(number), Value::from)
}

/// Returns the condition of a hook if it is one rule about a tool call.
fn rule_text(hook: &Hook) -> Option<&str> {
    match hook.condition.as_ref()?.native_parts()[..] {
        [Written::Rule(rule)] => Some(rule),
        _ => None,
    }
}
