//! Adds Tenterhook's entries to a TOML file that lists hooks as tables, and removes exactly these.
//! Changes no other byte.
//!
//! Each entry follows one line break, which is removed with it. Only a file that begins with an
//! entry was created for it.

use serde_json::Value;

use super::entry;
use super::json::{
    Foreign, Wrong, is_own_command, require_accepted_values, require_accepted_values_after_edit,
};
use crate::agents::{Agent, Event, Field, Layout};
use crate::config::is_tenterhook_entry_line;
use crate::diagnostic::{Location, Span};
use crate::syntax::{Format, Node, find_value_of_toml_1_1, parse_by_format};

/// Stands in the names of new entries for the random digits that the caller puts in its place. In
/// some agents an entry of a repository replaces the user's entry of the same name, so no
/// repository may guess the name.
pub const RANDOM_DIGITS: &str = "@RANDOM@";

/// The header of an entry.
const HEADER: &str = "[[hooks]]";
/// How the name of an entry begins; the digits and the event follow.
const NAME: &str = "tenterhook-";

/// Returns the text with Tenterhook's entries, as [`add_own_entries`](super::add_own_entries) does.
pub(super) fn add_own_entries(
    agent: &Agent,
    program: &str,
    text: Option<&str>,
) -> Result<String, Wrong> {
    let before = text.unwrap_or_default();
    let had = !own_entries(agent, before)?.is_empty();
    let mut now = with_own_entries_last(agent, before)?;
    for event in agent.installation.events {
        now = set_own_entry_of_event(agent, event, program, &now)?;
    }
    require_accepted_values_after_edit(agent, parse_tables, before, &now)?;
    if text.is_none() {
        // No line break precedes the first entry of a new file.
        now = now.trim_start_matches('\n').to_owned();
    }
    let broken = |why: String| wrong_at_start(format!("the file would be broken by it: {why}"));
    let again = remove_own_entries(agent, &now).map_err(|error| broken(error.message))?;
    if !had && again.as_deref() != text {
        return Err(broken("it could not be taken out again".to_owned()));
    }
    Ok(now)
}

/// Moves our entries to the end if another's gate follows ours: it could change a judged call.
fn with_own_entries_last(agent: &Agent, text: &str) -> Result<String, Wrong> {
    let root = parse_tables(agent, text)?;
    let own = own_entries(agent, text)?;
    let is_gate = |name: &str| {
        agent.installation.events.iter().any(|event| event.gates && event.name == name)
    };
    let Some(gate) = own.iter().find(|own| is_gate(&own.event)) else { return Ok(text.to_owned()) };
    let is_own = |entry: &Node| own.iter().any(|own| own.span.start == entry.span.start);
    let is_later_gate = |entry: &Node| {
        let event = text_of(entry, key(agent, Field::Event));
        entry.span.start > gate.span.start && !is_own(entry) && event.is_some_and(is_gate)
    };
    if !entries(&root).iter().any(is_later_gate) {
        return Ok(text.to_owned());
    }
    let newline = newline_of(text);
    let mut now = remove_own_entries(agent, text)?.unwrap_or_default();
    for own in &own {
        now = format!("{now}{newline}{}{newline}", span_text(text, own.span).trim_end());
    }
    Ok(now)
}

/// Returns the text without Tenterhook's entries, as
/// [`remove_own_entries`](super::remove_own_entries) does.
pub(super) fn remove_own_entries(agent: &Agent, text: &str) -> Result<Option<String>, Wrong> {
    let own = own_entries(agent, text)?;
    let is_whole = own.first().is_some_and(|first| first.span.start == 0);
    let mut now = text.to_owned();
    for own in own.iter().rev() {
        let before = text.get(..own.span.start).unwrap_or_default();
        let line_break = ["\r\n", "\n"].into_iter().find(|end| before.ends_with(end));
        let start = own.span.start - line_break.map_or(0, str::len);
        now.replace_range(start..own.span.end, "");
    }
    Ok(Some(now).filter(|now| !(is_whole && now.is_empty())))
}

/// Returns the events and commands of Tenterhook's entries.
pub(super) fn own_commands_in_text(
    agent: &Agent,
    text: &str,
) -> Result<Vec<(String, String)>, Wrong> {
    require_accepted_values(agent, &parse_tables(agent, text)?, text)?;
    let own = own_entries(agent, text)?;
    Ok(own.into_iter().map(|own| (own.event, own.command)).collect())
}

/// Returns the entries of others.
pub(super) fn foreign_entries(agent: &Agent, text: &str) -> Result<Vec<Foreign>, Wrong> {
    let root = parse_tables(agent, text)?;
    let shown = |entry: &Node, key| text_of(entry, key).unwrap_or("?").to_owned();
    let all = entries(&root).iter().map(|entry| Foreign {
        event: shown(entry, key(agent, Field::Event)),
        what: shown(entry, key(agent, Field::Line)),
    });
    Ok(all.filter(|entry| !is_tenterhook_entry_line(&entry.what)).collect())
}

/// An entry of Tenterhook in a text.
struct Own {
    event: String,
    command: String,
    name: Option<String>,
    /// From the header to the end of the last line.
    span: Span,
}

fn own_entries(agent: &Agent, text: &str) -> Result<Vec<Own>, Wrong> {
    let root = parse_tables(agent, text)?;
    let own = |entry: &Node| {
        let value = |field| text_of(entry, key(agent, field)).map(str::to_owned);
        let command = value(Field::Line).filter(|command| is_own_command(agent, command))?;
        let event = value(Field::Event).unwrap_or_default();
        let ends = entry.entries().iter().map(|entry| entry.node.span.end);
        let end = ends.chain([entry.span.end]).max().unwrap_or_default();
        let line =
            text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at + 1);
        let name = value(Field::Name);
        Some(Own { event, command, name, span: Span::new(entry.span.start, line) })
    };
    Ok(entries(&root).iter().filter_map(own).collect())
}

/// Writes the entry of an event: in the place of the present one if that differs, else at the end.
fn set_own_entry_of_event(
    agent: &Agent,
    event: &Event,
    program: &str,
    text: &str,
) -> Result<String, Wrong> {
    let own = own_entries(agent, text)?;
    let digits = own.iter().find_map(|own| random_digits_of_name(own.name.as_deref()?));
    let digits = digits.unwrap_or(RANDOM_DIGITS).to_owned();
    let newline = newline_of(text);
    let mut here = own.iter().filter(|own| own.event == event.name);
    let (Some(first), again) = (here.next(), here.next()) else {
        let name = format!("{NAME}{digits}-{}", event.name);
        let entry = entry_text(agent, event, program, name).replace('\n', newline);
        return Ok(format!("{text}{newline}{entry}"));
    };
    if let Some(again) = again {
        // An agent calls once for each entry, so remove repeated ones.
        let mut now = text.to_owned();
        now.replace_range(again.span.start..again.span.end, "");
        return set_own_entry_of_event(agent, event, program, &now);
    }
    let name = first.name.clone().filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| format!("{NAME}{digits}-{}", event.name));
    let wanted = entry_text(agent, event, program, name);
    let (value, present) = (entry_value(&wanted), entry_value(span_text(text, first.span)));
    if value.is_some() && value == present {
        return Ok(text.to_owned());
    }
    let mut now = text.to_owned();
    now.replace_range(first.span.start..first.span.end, &wanted.replace('\n', newline));
    Ok(now)
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the random part of a name that `install` wrote.
fn random_digits_of_name(name: &str) -> Option<&str> {
    let (digits, _) = name.strip_prefix(NAME)?.split_once('-')?;
    let is_random = digits.len() >= 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_random.then_some(digits)
}

/// Returns the text of an entry (BR-62).
fn entry_text(agent: &Agent, event: &Event, program: &str, name: String) -> String {
    // A JSON string without a DEL is a basic string of TOML.
    let value = |value: Value| value.to_string().replace('\u{7f}', "\\u007f");
    let entry = entry::listed_entry(agent, event, program, name).into_iter();
    let lines = entry.map(|(key, json)| format!("{key} = {}\n", value(json)));
    std::iter::once(format!("{HEADER}\n")).chain(lines).collect()
}

fn entry_value(text: &str) -> Option<Value> {
    parse_by_format(text, Format::Toml).root.map(|root| root.to_json())
}

fn span_text(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).unwrap_or_default()
}

/// Returns the key of an entry that says this, if the agent has one.
fn key(agent: &Agent, field: Field) -> Option<&'static str> {
    agent.installation.form.hook_file()?.key(field)
}

fn text_of<'n>(entry: &'n Node, key: Option<&str>) -> Option<&'n str> {
    entry.get(key?)?.as_str()
}

fn entries(root: &Node) -> &[Node] {
    root.get("hooks").and_then(Node::as_array).unwrap_or_default()
}

/// Parses a text; an empty one has no entries.
///
/// # Errors
///
/// If the agent would reject the text, or its entries are no tables with a header each.
fn parse_tables(agent: &Agent, text: &str) -> Result<Node, Wrong> {
    let parsed = parse_by_format(text, Format::Toml);
    let wrong = |span: Span, message: String| {
        let place = Location::find(&std::sync::Arc::from(""), text, span);
        Wrong { message, line: place.line, column: place.column }
    };
    let title = agent.title;
    let Some(root) = parsed.root else {
        let fault = parsed.faults.first();
        let why = fault.map_or_else(String::new, |fault| fault.message.clone());
        let span = fault.map_or(Span::new(0, 0), |fault| fault.span);
        return Err(wrong(span, format!("{title} would not read it: {why}")));
    };
    let layout = agent.installation.form.hook_file().map(|file| file.layout);
    if layout != Some(Layout::Tables { is_1_1: true })
        && let Some(span) = find_value_of_toml_1_1(&root, text)
    {
        let message = format!("{title} would not read it: only TOML 1.1 permits this value");
        return Err(wrong(span, message));
    }
    let Some(hooks) = root.entry("hooks") else { return Ok(root) };
    let is_header = |node: &Node| span_text(text, node.span).trim_start().starts_with("[[");
    match hooks.node.as_array() {
        Some(list) if list.iter().all(is_header) && !list.is_empty() => Ok(root),
        Some(_) => {
            let message =
                "`hooks` is a list in brackets: write each entry as a table below `[[hooks]]`";
            Err(wrong(hooks.key_span, message.to_owned()))
        }
        None => {
            let kind = hooks.node.kind_with_article();
            let message = format!("{title} would not read it: `hooks` is {kind}, and no list");
            Err(wrong(hooks.key_span, message))
        }
    }
}

fn wrong_at_start(message: String) -> Wrong {
    Wrong { message, line: 1, column: 1 }
}
