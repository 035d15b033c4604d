//! Adds Tenterhook's entries to a YAML file that others write, and removes exactly these. Changes
//! no other byte, and refuses a file in which it cannot be sure of that.
//!
//! Whole lines are inserted and cut where the file is written in blocks; a container in brackets is
//! edited as in JSON. Each new text is parsed again and compared with the old one.

use serde_json::{Map, Value, json};

use super::edit::{self, Left};
use super::entry;
use super::json::{Foreign, Wrong, is_own_command};
use crate::agents::{Agent, Event};
use crate::config::is_tenterhook_entry_line;
use crate::diagnostic::{Location, Span};
use crate::syntax::{Entry, FaultKind, Format, Node, parse_by_format};

/// The most edits of one file.
const MOST: usize = 500;

/// The key of the table of events.
const HOOKS: &str = "hooks";

/// The first line of a file that did not exist before.
fn header(agent: &Agent) -> String {
    format!("# Created by `tenterhook install {}`.\n", agent.name)
}

/// The text with Tenterhook's entries; a new file if there is no text (BR-60).
pub(super) fn add_own_entries(
    agent: &Agent,
    program: &str,
    text: Option<&str>,
) -> Result<String, Wrong> {
    let Some(text) = text else {
        let events: Vec<&Event> = agent.installation.events.iter().collect();
        return Ok(header(agent) + &hooks_block(agent, &events, program, "", "\n"));
    };
    let root = parse(agent, text)?;
    require_editable(agent, text, root.as_ref())?;
    let had = !own_positions(agent, root.as_ref()).is_empty();
    let mut now = text.to_owned();
    for event in agent.installation.events {
        now = remove_other_versions(agent, event, program, now)?;
    }
    for _ in 0..MOST {
        // What `install` wrote last may have broken it.
        let root = parse(agent, &now).map_err(|_: Wrong| cannot_edit(text, Span::default()))?;
        let missing = missing_events(agent, root.as_ref());
        let Some(first) = missing.first() else { break };
        now = insert_events(agent, (first, &missing), program, root.as_ref(), &now)?;
    }
    require_same_rest(agent, text, &now)?;
    if !missing_events(agent, parse(agent, &now)?.as_ref()).is_empty()
        || (!had && remove_own_entries(agent, &now)?.as_deref() != Some(text))
    {
        return Err(cannot_edit(text, Span::default()));
    }
    Ok(now)
}

/// The text without Tenterhook's entries; `None` if `install` created the file and it has nothing
/// else (BR-60).
pub(super) fn remove_own_entries(agent: &Agent, text: &str) -> Result<Option<String>, Wrong> {
    let mut now = text.to_owned();
    for _ in 0..MOST {
        let root = parse(agent, &now)?;
        let Some(at) = own_positions(agent, root.as_ref()).into_iter().next() else {
            require_same_rest(agent, text, &now)?;
            return Ok((now != header(agent)).then_some(now));
        };
        now = remove_entry(root.as_ref(), &now, at)?;
    }
    Err(cannot_edit(text, Span::default()))
}

/// The events for which this text has Tenterhook's entry, with its command.
pub(super) fn installed_events_and_commands(
    agent: &Agent,
    text: &str,
) -> Result<Vec<(String, String)>, Wrong> {
    let root = parse(agent, text)?;
    let own = own_positions(agent, root.as_ref()).into_iter().filter_map(|(event, item)| {
        let event = event_entries(root.as_ref()).get(event)?;
        Some((event.key.clone(), command_of(event.node.as_array()?.get(item)?)?.to_owned()))
    });
    Ok(own.collect())
}

/// The entries of others.
pub(super) fn foreign_entries(agent: &Agent, text: &str) -> Result<Vec<Foreign>, Wrong> {
    let root = parse(agent, text)?;
    let mut found = Vec::new();
    for event in event_entries(root.as_ref()) {
        for command in event.node.as_array().into_iter().flatten().filter_map(command_of) {
            if !is_tenterhook_entry_line(command) {
                found.push(Foreign { event: event.key.clone(), what: command.to_owned() });
            }
        }
    }
    Ok(found)
}

/// The position of an entry: the indices of its event and of the entry in the event's list.
type At = (usize, usize);

fn wrong(text: &str, span: Span, message: String) -> Wrong {
    let place = Location::find(&std::sync::Arc::from(""), text, span);
    Wrong { message, line: place.line, column: place.column }
}

/// Creates the error for a file that would be changed elsewhere, too.
fn cannot_edit(text: &str, span: Span) -> Wrong {
    let message = "it cannot be edited without changing more than `hooks`: write `hooks:`, its \
                   events and `- command:` on separate lines, without anchors";
    wrong(text, span, message.to_owned())
}

/// Parses a text, with an error if the agent would reject it; `None` if it has no value.
fn parse(agent: &Agent, text: &str) -> Result<Option<Node>, Wrong> {
    let parsed = parse_by_format(text, Format::Yaml);
    if let Some(fault) = parsed.faults.iter().find(|fault| fault.kind != FaultKind::Empty) {
        let message = format!("{} would not read it: {}", agent.title, fault.message);
        return Err(wrong(text, fault.span, message));
    }
    let Some(root) = parsed.root else { return Ok(None) };
    if let Some(twice) = root.duplicate_keys().into_iter().next() {
        return Err(wrong(text, twice.again, format!("the key `{}` stands twice", twice.key)));
    }
    match root.as_object() {
        Some(_) => Ok(Some(root)),
        None => {
            let message = format!("the file must be one object, not {}", root.kind_with_article());
            Err(wrong(text, root.span, message))
        }
    }
}

/// Returns an error if a container that gets entries is no container, or merges keys.
fn require_editable(agent: &Agent, text: &str, root: Option<&Node>) -> Result<(), Wrong> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with('\t') && !line.trim().is_empty() {
            let message = "the line begins with a tab, which YAML does not allow: write spaces";
            return Err(wrong(text, Span::new(at, at + 1), message.to_owned()));
        }
        at += line.len();
    }
    let hooks = root.and_then(|root| root.get(HOOKS));
    for node in root.into_iter().chain(hooks) {
        if let Some(merged) = node.entry("<<") {
            let message = "`<<` merges keys, which `install` cannot edit: write them out";
            return Err(wrong(text, merged.key_span, message.to_owned()));
        }
    }
    let Some(hooks) = hooks else { return Ok(()) };
    let require = |is_right: bool, node: &Node, name: &str, empty: &str, what: &str| {
        let message = match (is_right, node.is_null()) {
            (true, _) => return Ok(()),
            (_, true) => {
                format!("`{name}` has no value: write `{name}: {empty}`, or remove the line")
            }
            (_, false) => format!("`{name}` must be {what}, not {}", node.kind_with_article()),
        };
        Err(wrong(text, node.span, message))
    };
    require(hooks.as_object().is_some(), hooks, HOOKS, "{}", "an object")?;
    let is_ours =
        |entry: &&Entry| agent.installation.events.iter().any(|event| event.name == entry.key);
    hooks.entries().iter().filter(is_ours).try_for_each(|entry| {
        require(entry.node.as_array().is_some(), &entry.node, &entry.key, "[]", "a list")
    })
}

fn event_entries(root: Option<&Node>) -> &[Entry] {
    root.and_then(|root| root.get(HOOKS)).map_or(&[], Node::entries)
}

fn command_of(entry: &Node) -> Option<&str> {
    entry.get("command").and_then(Node::as_str)
}

/// Returns the positions of Tenterhook's entries, in the order of the text.
fn own_positions(agent: &Agent, root: Option<&Node>) -> Vec<At> {
    let is_own = |node: &Node| command_of(node).is_some_and(|line| is_own_command(agent, line));
    let mut found = Vec::new();
    for (event, entry) in event_entries(root).iter().enumerate() {
        let items = entry.node.as_array().into_iter().flatten().enumerate();
        found.extend(items.filter(|(_, node)| is_own(node)).map(|(item, _)| (event, item)));
    }
    found
}

/// Returns the positions of Tenterhook's entries of one event.
fn own_positions_of_event(agent: &Agent, root: Option<&Node>, event: &str) -> Vec<At> {
    let is_of_event =
        |at: &At| event_entries(root).get(at.0).is_some_and(|entry| entry.key == event);
    own_positions(agent, root).into_iter().filter(is_of_event).collect()
}

fn missing_events(agent: &Agent, root: Option<&Node>) -> Vec<&'static Event> {
    let is_missing = |event: &&Event| own_positions_of_event(agent, root, event.name).is_empty();
    agent.installation.events.iter().filter(is_missing).collect()
}

/// Removes the entries of an event that differ from what is written now, and repetitions.
fn remove_other_versions(
    agent: &Agent,
    event: &Event,
    program: &str,
    mut now: String,
) -> Result<String, Wrong> {
    let wanted = entry::handler_entry(agent, event, program);
    for _ in 0..MOST {
        let root = parse(agent, &now)?;
        let all = own_positions_of_event(agent, root.as_ref(), event.name);
        let is_wanted = |at: &At| {
            let list = event_entries(root.as_ref()).get(at.0)?.node.as_array()?;
            Some(list.get(at.1)?.to_json() == wanted)
        };
        let kept = all.iter().position(|at| is_wanted(at) == Some(true));
        let Some(other) = all.iter().enumerate().rfind(|(n, _)| Some(*n) != kept) else { break };
        now = remove_entry(root.as_ref(), &now, *other.1)?;
    }
    Ok(now)
}

/// Inserts the entry of the first missing event whose list exists, else the keys of all events that
/// have none.
fn insert_events(
    agent: &Agent,
    (first, missing): (&Event, &[&'static Event]),
    program: &str,
    root: Option<&Node>,
    text: &str,
) -> Result<String, Wrong> {
    let newline = newline_of(text);
    let Some(root) = root else {
        return Ok(append_lines(text, &hooks_block(agent, missing, program, "", newline)));
    };
    let value = |event: &Event| json!([entry::handler_entry(agent, event, program)]);
    let Some(hooks) = root.get(HOOKS) else {
        if is_in_brackets(text, root) {
            let events: Map<String, Value> =
                missing.iter().map(|event| (event.name.to_owned(), value(event))).collect();
            return Ok(edit::append_child(text, root, Some(HOOKS), &events.into()));
        }
        let indent = indent_of_first_key(text, root)?;
        return Ok(append_lines(text, &hooks_block(agent, missing, program, &indent, newline)));
    };
    if let Some(list) = hooks.get(first.name) {
        return insert_into_list(text, list, &entry::handler_entry(agent, first, program));
    }
    if is_in_brackets(text, hooks) {
        return Ok(edit::append_child(text, hooks, Some(first.name), &value(first)));
    }
    let (indent, at) = (indent_of_first_key(text, hooks)?, first_key_line(text, hooks));
    let new: Vec<&Event> =
        missing.iter().filter(|event| hooks.get(event.name).is_none()).copied().collect();
    Ok(insert_at(text, at, &event_lines(agent, &new, program, &indent, newline)))
}

/// Inserts an entry into the list of an event, before its first one if it is written in lines.
fn insert_into_list(text: &str, list: &Node, entry: &Value) -> Result<String, Wrong> {
    if is_in_brackets(text, list) {
        return Ok(edit::append_child(text, list, None, entry));
    }
    let first = list.as_array().and_then(<[Node]>::first);
    let Some(first) = first else { return Err(cannot_edit(text, list.span)) };
    let (start, indent) = item_line(text, first)?;
    Ok(insert_at(text, start, &item_lines(entry, &indent, newline_of(text))))
}

/// Removes an entry, and the containers that were written with it.
fn remove_entry(root: Option<&Node>, text: &str, (event, item): At) -> Result<String, Wrong> {
    let refused = || cannot_edit(text, Span::default());
    let root = root.ok_or_else(refused)?;
    let hooks = root.entry(HOOKS).ok_or_else(refused)?;
    let events = hooks.node.entries();
    let of_event = events.get(event).ok_or_else(refused)?;
    let list = of_event.node.as_array().ok_or_else(refused)?;
    let entry = list.get(item).ok_or_else(refused)?;
    // From the inside out: each container, the index of its child, and the bytes of the child.
    let position = root.entries().iter().position(|entry| entry.key == HOOKS).unwrap_or_default();
    let span = |entry: &Entry| Span::new(entry.key_span.start, entry.node.span.end);
    let steps = [
        (&of_event.node, item, entry.span),
        (&hooks.node, event, span(of_event)),
        (root, position, span(hooks)),
    ];
    let mut lines: Vec<Span> = Vec::new();
    for (container, at, child) in steps {
        if is_in_brackets(text, container) {
            match edit::remove_child(text, container, at) {
                Left::Text(text) => return Ok(text),
                Left::Nothing => continue,
            }
        }
        if container.as_array().is_some() {
            item_line(text, entry)?;
        }
        // The lines of a container that goes with its only child: its key, and the child's own.
        let end = if lines.is_empty() { child.end } else { child.start };
        lines.push(whole_lines(text, Span::new(child.start, end)));
        let count = container.as_array().map_or(container.entries().len(), <[Node]>::len);
        if count > 1 {
            break;
        }
    }
    lines.reverse();
    Ok(cut_lines(text, &lines))
}

/// Returns an error unless two texts have the same values apart from Tenterhook's entries.
fn require_same_rest(agent: &Agent, before: &str, after: &str) -> Result<(), Wrong> {
    let rest = |text: &str| {
        let root = parse(agent, text)?;
        Ok::<_, Wrong>(root.map(|root| without_own_entries(agent, &root)))
    };
    let empty = || Value::Object(Map::new());
    let wanted = rest(before)?.unwrap_or_else(empty);
    let is_same = rest(after).is_ok_and(|rest| rest.unwrap_or_else(empty) == wanted);
    if is_same { Ok(()) } else { Err(cannot_edit(before, Span::default())) }
}

/// Returns the value of a file without Tenterhook's entries, and without containers of hooks that
/// have nothing else.
fn without_own_entries(agent: &Agent, root: &Node) -> Value {
    let own = own_positions(agent, Some(root));
    let mut events = Map::new();
    for (at, entry) in event_entries(Some(root)).iter().enumerate() {
        let value = match entry.node.as_array() {
            Some(list) => {
                let others = list.iter().enumerate().filter(|(n, _)| !own.contains(&(at, *n)));
                others.map(|(_, node)| node.to_json()).collect()
            }
            None => entry.node.to_json(),
        };
        if value != json!([]) {
            events.insert(entry.key.clone(), value);
        }
    }
    let mut value = root.to_json();
    if let (Value::Object(value), Some(hooks)) = (&mut value, root.get(HOOKS)) {
        match hooks.as_object() {
            Some(_) if events.is_empty() => drop(value.shift_remove(HOOKS)),
            Some(_) => drop(value.insert(HOOKS.to_owned(), events.into())),
            None => {}
        }
    }
    value
}

/// Returns the lines of `hooks` with these events.
fn hooks_block(
    agent: &Agent,
    events: &[&Event],
    program: &str,
    indent: &str,
    newline: &str,
) -> String {
    let inner = format!("{indent}  ");
    let events = event_lines(agent, events, program, &inner, newline);
    format!("{indent}{HOOKS}:{newline}{events}")
}

/// Returns the lines of these events, each with its entry.
fn event_lines(
    agent: &Agent,
    events: &[&Event],
    program: &str,
    indent: &str,
    newline: &str,
) -> String {
    let inner = format!("{indent}  ");
    let lines = events.iter().map(|event| {
        let entry = entry::handler_entry(agent, event, program);
        format!("{indent}{}:{newline}{}", event.name, item_lines(&entry, &inner, newline))
    });
    lines.collect()
}

/// Returns the lines of an entry of a list. A JSON value is a YAML value.
fn item_lines(entry: &Value, indent: &str, newline: &str) -> String {
    let fields = entry.as_object().into_iter().flatten().enumerate();
    let lines = fields.map(|(at, (key, value))| {
        let mark = if at == 0 { "- " } else { "  " };
        format!("{indent}{mark}{key}: {value}{newline}")
    });
    lines.collect()
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Whether a container begins with a bracket. A list in lines may begin where its first item does.
fn is_in_brackets(text: &str, node: &Node) -> bool {
    let first = edit::child_spans(node).first().map(|child| child.start);
    first.is_none_or(|first| first > node.span.start)
        && text.get(node.span.start..).is_some_and(|rest| rest.starts_with(['{', '[']))
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Extends a span to whole lines.
fn whole_lines(text: &str, span: Span) -> Span {
    let rest = text.get(span.end..).unwrap_or_default();
    let end = rest.find('\n').map_or(text.len(), |newline| span.end + newline + 1);
    Span::new(line_start(text, span.start), end)
}

fn first_key_line(text: &str, node: &Node) -> usize {
    node.entries().first().map_or(0, |first| line_start(text, first.key_span.start))
}

/// Returns the spaces before the first key of a container; an error if its line has more.
fn indent_of_first_key(text: &str, node: &Node) -> Result<String, Wrong> {
    let first = node.entries().first().map_or(node.span, |first| first.key_span);
    let indent = text.get(line_start(text, first.start)..first.start).unwrap_or_default();
    let body = indent.strip_prefix('\u{feff}').unwrap_or(indent);
    match body.chars().all(|c| c == ' ') {
        true => Ok(body.to_owned()),
        false => Err(cannot_edit(text, first)),
    }
}

/// Returns the first byte of the line of a list's item and the spaces before its hyphen; an error
/// if the line has more.
fn item_line(text: &str, item: &Node) -> Result<(usize, String), Wrong> {
    let start = line_start(text, item.span.start);
    let before = text.get(start..item.span.start).unwrap_or_default();
    match before.split_once('-') {
        Some((indent, rest)) if indent.trim().is_empty() && rest.trim().is_empty() => {
            Ok((start, indent.to_owned()))
        }
        _ => Err(cannot_edit(text, item.span)),
    }
}

fn insert_at(text: &str, at: usize, new: &str) -> String {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    format!("{before}{new}{after}")
}

/// Appends lines to a text, which afterwards ends with a line break only if it did before.
fn append_lines(text: &str, lines: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        return format!("{text}{lines}");
    }
    format!("{text}{}{}", newline_of(text), without_last_newline(lines))
}

fn without_last_newline(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// Returns the text without these lines. If they are its last ones and it ends without a line
/// break, the rest does, too.
fn cut_lines(text: &str, lines: &[Span]) -> String {
    let mut left = String::new();
    let mut from = 0;
    for span in lines {
        left.push_str(text.get(from..span.start).unwrap_or_default());
        from = span.end.max(from);
    }
    left.push_str(text.get(from..).unwrap_or_default());
    if from == text.len() && !text.ends_with('\n') {
        return without_last_newline(&left).to_owned();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::HERMES;

    const PROGRAM: &str = "/usr/local/bin/tenterhook";

    /// Texts of `config.yaml` as people, Hermes and other tools write them.
    const TEXTS: &[&str] = &[
        "model:\n  default: m1\n",
        "model: {default: m1}\n# the end",
        "model: m1",
        "model: m1\r\nhooks:\r\n  pre_llm_call:\r\n    - command: a\r\n",
        "# only a comment\n",
        "",
        "\n",
        "---\nmodel: m1\n",
        "\u{feff}model: m1\n",
        "hooks: {}\nhooks_auto_accept: false\n",
        "hooks: {pre_tool_call: [{command: a}]}\n",
        "hooks: { }\n",
        "{\"model\": \"m1\"}",
        "{\"model\": \"m1\", \"hooks\": {\"pre_tool_call\": []}}\n",
        "hooks:\n  pre_tool_call: []\nmodel: m1\n",
        "hooks:\n  pre_tool_call:\n  - command: a\n    matcher: terminal # mine\n\n  # more\n  post_tool_call:\n  - command: b\nmodel: m1\n",
        "hooks:\n    # mine\n    on_session_end:\n        -   command: \"a\"\n            timeout: 5\n    output_spill: {max: 1}\nx:\n  - y\n",
        "hooks:\n  pre_tool_call:\n    - command: >-\n        a\n        b\n    - command: |\n        c\n",
        "text: |+\n  keep\n\n\n",
        "personas:\n  a: &x {b: 1}\n  c: *x\nhooks:\n  pre_verify: [ {command: a}, ]\n",
        "model: m1\nhooks:\n  on_session_start:\n    - {command: a}",
        "hooks:\n    post_tool_call:\n    - {command: a}\n    - {command: b}\n",
        "hooks:\n  post_tool_call:\n  - {\"command\": \"a\",\n     \"timeout\": 5}\n",
    ];

    /// BR-60, BR-62: what is added is there, stays as it is, and comes out to the byte.
    #[test]
    fn own_entries_are_added_and_removed_to_the_byte() {
        for text in TEXTS {
            let with = add_own_entries(&HERMES, PROGRAM, Some(text))
                .unwrap_or_else(|wrong| panic!("{text:?}: {wrong:?}"));
            let events = installed_events_and_commands(&HERMES, &with).unwrap();
            assert_eq!(events.len(), HERMES.installation.events.len(), "{with}");
            let others = |text: &str| foreign_entries(&HERMES, text).unwrap().len();
            assert_eq!(others(&with), others(text), "{with}");
            let again = add_own_entries(&HERMES, PROGRAM, Some(&with)).unwrap();
            assert_eq!(again, with);
            assert_eq!(
                remove_own_entries(&HERMES, &with).unwrap().as_deref(),
                Some(*text),
                "{with}"
            );
        }
    }

    /// BR-60: a file that did not exist goes.
    #[test]
    fn new_file_is_removed() {
        let new = add_own_entries(&HERMES, PROGRAM, None).unwrap();
        assert!(new.starts_with("# Created by `tenterhook install hermes`.\nhooks:\n  pre_tool_call:\n    - command: \"sh -c '"), "{new}");
        assert_eq!(remove_own_entries(&HERMES, &new).unwrap(), None);
        let used = new.clone() + "model: m1\n";
        let left = remove_own_entries(&HERMES, &used).unwrap();
        assert_eq!(left.as_deref(), Some("# Created by `tenterhook install hermes`.\nmodel: m1\n"));
    }

    /// BR-62: another path of the program replaces its entry, and an entry that a person changed is
    /// written anew.
    #[test]
    fn changed_entries_are_written_anew() {
        for text in TEXTS {
            let with = add_own_entries(&HERMES, PROGRAM, Some(text)).unwrap();
            let elsewhere = add_own_entries(&HERMES, "/opt/tenterhook", Some(&with)).unwrap();
            assert!(!elsewhere.contains(PROGRAM), "{elsewhere}");
            assert_eq!(remove_own_entries(&HERMES, &elsewhere).unwrap().as_deref(), Some(*text));
            let changed = with.replace("timeout: 300", "timeout: 1");
            assert_eq!(add_own_entries(&HERMES, PROGRAM, Some(&changed)).unwrap(), with);
        }
    }

    /// As Hermes itself writes the file again: sorted by nothing, without comments, with long lines
    /// folded.
    #[test]
    fn file_that_hermes_rewrote_is_cleaned() {
        let text = "model: m1\nhooks:\n  pre_tool_call:\n  - command: sh -c 'reply=$( /bin/tenterhook hook --agent hermes --event pre_tool_call\n      --within 290s ) || reply=x; printf \"$reply\"'\n    timeout: 300\n  on_session_start:\n  - command: /bin/tenterhook hook --agent hermes --event on_session_start --within 55s\n    timeout: 60\nhooks_auto_accept: false\n";
        let left = remove_own_entries(&HERMES, text).unwrap();
        assert_eq!(left.as_deref(), Some("model: m1\nhooks_auto_accept: false\n"));
    }

    /// BR-63, HE-51: a text that Hermes would not read, or that cannot be edited alone, is refused.
    #[test]
    fn texts_that_cannot_be_edited_are_refused() {
        for (text, message) in [
            ("a: [", "Hermes would not read it"),
            ("a: 1\n---\nb: 2\n", "second document"),
            ("hooks:\n  pre_tool_call: []\nhooks: {}\n", "stands twice"),
            ("- a\n", "one object"),
            ("hooks:\n", "`hooks` has no value: write `hooks: {}`"),
            ("hooks: []\n", "`hooks` must be an object"),
            ("hooks:\n  pre_tool_call:\n", "`pre_tool_call` has no value"),
            ("hooks:\n  pre_tool_call: {command: a}\n", "`pre_tool_call` must be a list"),
            ("a: &x {pre_llm_call: []}\nhooks:\n  <<: *x\n", "`<<` merges keys"),
            ("a: &x\n  pre_llm_call:\n    - command: a\nhooks: *x\n", "cannot be edited"),
            ("a: 1\n...\n", "cannot be edited"),
            ("a: 1\n\thooks: 1\n", "Hermes would not read it"),
            ("\thooks: {}\n", "begins with a tab"),
            ("hooks:\n  pre_tool_call:\n    -\n      command: a\n", "cannot be edited"),
            ("hooks:\n  ? pre_llm_call\n  : []\n", "cannot be edited"),
        ] {
            let wrong = add_own_entries(&HERMES, PROGRAM, Some(text)).expect_err(text);
            assert!(wrong.message.contains(message), "{text}: {wrong:?}");
        }
    }
}
