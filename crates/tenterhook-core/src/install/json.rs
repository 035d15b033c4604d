//! Adds Tenterhook's entries to a settings file that others write, and removes exactly these.
//! Changes no other byte.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::edit::{self, Left};
use super::excluded::excludes_own_file;
use super::{entry, tables, yaml};
use crate::agents::{Agent, Event, Key, Layout, Syntax, Wrapper};
use crate::config::is_tenterhook_entry_line;
use crate::diagnostic::{Location, Span};
use crate::dialect::DialectId;
use crate::dialect::claude::settings_refusal_reason;
use crate::syntax::{
    Entry, FaultKind, Format, Node, NotStrict, Parsed, find_text_with_comment, parse_by_format,
};

/// The reason why a text is not changed, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The message.
    pub message: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
}

/// An entry that Tenterhook did not write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Its event.
    pub event: String,
    /// Its command, or its type.
    pub what: String,
}

/// A switch of all hooks in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// Its key.
    pub key: String,
    /// Whether it disables them.
    pub off: bool,
    /// Whether it disables them because something is missing in it.
    pub is_missing: bool,
}

/// The position of an entry: the indices of its event, its group and the entry in the group.
pub(super) type At = (usize, usize, usize);

/// The matchers that match everything, for each of these agents.
const EVERYTHING: &[&str] = &["", "*"];

/// The most entries that are edited. A loop that needs more does not understand the text.
const MOST: usize = 500;

/// The text with Tenterhook's entries; a new file if there is no text (BR-60).
///
/// # Errors
///
/// If the agent would reject the text or refuse all of it for one value, a key is repeated, or the
/// entries could not be removed to the byte.
pub fn add_own_entries(agent: &Agent, program: &str, text: Option<&str>) -> Result<String, Wrong> {
    match layout(agent) {
        Some(Layout::Tables { .. }) => return tables::add_own_entries(agent, program, text),
        Some(Layout::Yaml) => return yaml::add_own_entries(agent, program, text),
        _ => {}
    }
    let Some(text) = text else {
        let lines = entry::own_command_lines(agent, program);
        return Ok(entry::text_of_new_hook_file(agent, lines));
    };
    parse_settings(agent, text)?;
    let mut now = text.to_owned();
    let had = !own_commands_in_text(agent, text)?.is_empty();
    for event in agent.installation.events {
        now = set_own_entry_of_event(agent, event, program, &now)?;
    }
    // A wrong value in an entry of ours is replaced by now.
    require_accepted_values_after_edit(agent, parse_settings, text, &now)?;
    let broken = |text| Wrong {
        message: format!("the file would be broken by it: {text}"),
        line: 1,
        column: 1,
    };
    parse_settings(agent, &now).map_err(|error| broken(error.message))?;
    if !had && remove_own_entries(agent, &now)?.as_deref() != Some(text) {
        return Err(broken("it could not be taken out again".to_owned()));
    }
    Ok(now)
}

/// Returns how the entries of the agent's hook file are arranged, if it has one.
fn layout(agent: &Agent) -> Option<Layout> {
    agent.installation.form.hook_file().map(|file| file.layout)
}

/// Returns the key that holds the events; `None` if the root does.
fn wrapper_key(agent: &Agent) -> Option<&'static str> {
    agent.installation.json().wrapper.key(entry::NAME)
}

/// The text without Tenterhook's entries; `None` if the file had nothing else (BR-60).
///
/// # Errors
///
/// If the agent would reject the text.
pub fn remove_own_entries(agent: &Agent, text: &str) -> Result<Option<String>, Wrong> {
    match layout(agent) {
        Some(Layout::Tables { .. }) => return tables::remove_own_entries(agent, text),
        Some(Layout::Yaml) => return yaml::remove_own_entries(agent, text),
        _ => {}
    }
    let mut now = text.to_owned();
    for _ in 0..MOST {
        let root = parse_settings(agent, &now)?;
        let Some((at, _)) = own_entries(agent, &root).into_iter().next() else {
            return Ok(Some(now));
        };
        match remove_entry(agent, &root, &now, at) {
            Some(Left::Text(next)) if next != now => now = next,
            Some(Left::Nothing) => return Ok(None),
            _ => break,
        }
    }
    Err(Wrong {
        message: "our entries cannot be told from the others".to_owned(),
        line: 1,
        column: 1,
    })
}

/// The events for which this text has Tenterhook's entry, with its command.
///
/// # Errors
///
/// If the agent would reject the text, or refuse all of it for one value.
pub fn installed_events_and_commands(
    agent: &Agent,
    text: &str,
) -> Result<Vec<(String, String)>, Wrong> {
    match layout(agent) {
        Some(Layout::Tables { .. }) => return tables::own_commands_in_text(agent, text),
        Some(Layout::Yaml) => return yaml::installed_events_and_commands(agent, text),
        Some(Layout::Actions) => {
            let all = entries_of_actions(text);
            return Ok(all.filter(|(_, command)| is_own_command(agent, command)).collect());
        }
        _ => {}
    }
    require_accepted_values(agent, &parse_settings(agent, text)?, text)?;
    own_commands_in_text(agent, text)
}

/// Returns the entries of a file of [`Layout::Actions`]: the event of each, and its command or its
/// type. A file that cannot be read has none.
fn entries_of_actions(text: &str) -> impl Iterator<Item = (String, String)> {
    let mut root: Value = serde_json::from_str(text).unwrap_or_default();
    let entries = root.get_mut("hooks").and_then(Value::as_array_mut).map(std::mem::take);
    entries.into_iter().flatten().map(|entry| {
        let action = |key| entry.get("action").and_then(|action| action.get(key));
        let what = action("command").or_else(|| action("type"));
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("?").to_owned();
        (text(entry.get("trigger")), text(what))
    })
}

/// Returns an error if the agent refuses the edited text for one value, at its place before the edit
/// if it was there.
pub(super) fn require_accepted_values_after_edit(
    agent: &Agent,
    parse: fn(&Agent, &str) -> Result<Node, Wrong>,
    before: &str,
    after: &str,
) -> Result<(), Wrong> {
    let check = |text| require_accepted_values(agent, &parse(agent, text)?, text);
    check(after).map_err(|wrong| check(before).err().unwrap_or(wrong))
}

/// Returns an error if the agent refuses all of a text for one value, or runs no hook of an event
/// because of one, so that entries in it have no effect (BR-102).
pub(super) fn require_accepted_values(agent: &Agent, root: &Node, text: &str) -> Result<(), Wrong> {
    let dialect = DialectId::from_name(agent.name).map(DialectId::dialect);
    let refused = dialect.and_then(|dialect| dialect.find_refused_value(root));
    let refused = refused.map(|value| (format!("{} refuses the whole file", agent.title), value));
    let stopped = dialect.and_then(|dialect| dialect.find_stopped_events(root).into_iter().next());
    let stopped = stopped.map(|stopped| (stopped.effect(agent.title), stopped.value));
    let Some((effect, value)) = refused.or(stopped) else { return Ok(()) };
    let place = Location::find(&std::sync::Arc::from(""), text, value.span);
    let message = format!("{effect}: {}", value.sentence());
    Err(Wrong { message, line: place.line, column: place.column })
}

fn own_commands_in_text(agent: &Agent, text: &str) -> Result<Vec<(String, String)>, Wrong> {
    let root = parse_settings(agent, text)?;
    let named = |(at, command): (At, String)| {
        let event =
            event_members_of_hooks(agent, &root).get(at.0).map(|event| event.key.clone())?;
        Some((event, command))
    };
    Ok(own_entries(agent, &root).into_iter().filter_map(named).collect())
}

/// The entries of others, which the agent runs itself (BR-66).
///
/// # Errors
///
/// If the agent would reject the text.
pub fn foreign_entries(agent: &Agent, text: &str) -> Result<Vec<Foreign>, Wrong> {
    match layout(agent) {
        Some(Layout::Tables { .. }) => return tables::foreign_entries(agent, text),
        Some(Layout::Yaml) => return yaml::foreign_entries(agent, text),
        Some(Layout::Actions) => {
            let others =
                entries_of_actions(text).filter(|(_, what)| !is_tenterhook_entry_line(what));
            return Ok(others.map(|(event, what)| Foreign { event, what }).collect());
        }
        _ => {}
    }
    let root = parse_settings(agent, text)?;
    let mut found = Vec::new();
    let members: Vec<_> = match agent.installation.json().wrapper {
        Wrapper::Hooks { .. } | Wrapper::Root => {
            event_members_of_hooks(agent, &root).iter().collect()
        }
        Wrapper::Name => root.entries().iter().flat_map(|named| named.node.entries()).collect(),
    };
    for event in members {
        let items = event.node.as_array().into_iter().flatten();
        for handler in items.flat_map(|item| item_entries(agent, &event.key, item)) {
            let text = |key| handler.get(key).and_then(Node::as_str);
            let what = text("command").or_else(|| text("type")).unwrap_or("?").to_owned();
            if !is_tenterhook_entry_line(&what) {
                found.push(Foreign { event: event.key.clone(), what });
            }
        }
    }
    Ok(found)
}

/// Whether the group of an entry is plain JSON, which can be moved unchanged, and not only
/// JavaScript (C-87).
pub(super) fn is_plain_json_group(agent: &Agent, root: &Node, text: &str, place: At) -> bool {
    let written = group_of_entry(agent, root, place)
        .and_then(|group| text.get(group.span.start..group.span.end));
    written.is_some_and(|text| find_javascript_only_value(text).is_none())
}

/// Returns the fault of the first value that only JavaScript can read, and that a rewrite would
/// change.
pub(super) fn find_javascript_only_value(text: &str) -> Option<Wrong> {
    let mut faults = parse_by_format(text, Format::Json).faults.into_iter();
    let fault = faults.find(|fault| fault.kind == FaultKind::NotStrict(NotStrict::Javascript))?;
    let message = format!("it would not be moved as it stands: {}", fault.message);
    let Location { line, column, .. } = Location::find(&std::sync::Arc::from(""), text, fault.span);
    Some(Wrong { message, line, column })
}

/// Whether the agent may refuse this settings file, so that it has no effect.
#[must_use]
pub fn agent_may_reject_settings(agent: &Agent, text: &str) -> bool {
    agent.installation.json().checks_values && settings_refusal_reason(text).is_some()
}

/// Returns the switch of all hooks that this text sets with one of these keys
/// ([`Installation::switches`](crate::agents::Installation::switches)), if any.
#[must_use]
pub fn find_hook_switch(agent: &Agent, switches: &[Key], text: &str) -> Option<Switched> {
    let root =
        |format| parse_by_format(text, format).root.filter(|root| root.as_object().is_some());
    // The switches of Codex are in TOML.
    let root = root(Format::Json).or_else(|| root(Format::Toml))?;
    let switched = |(keys, off): &Key| {
        let ignores_case = agent.installation.json().ignores_case;
        let is_key = |written: &str, key: &str| match ignores_case {
            true => written.eq_ignore_ascii_case(key),
            false => written == key,
        };
        let node = keys.iter().try_fold(&root, |node, key| {
            let mut entries = node.entries().iter().rev();
            entries.find(|entry| is_key(&entry.key, key)).map(|entry| &entry.node)
        })?;
        let is_set = match node.as_array() {
            Some(list) => excludes_own_file(agent, list),
            None => node.as_bool()?,
        };
        let off = is_set == *off;
        // A file that the agent refuses cannot enable hooks.
        (off || !agent_may_reject_settings(agent, text)).then(|| Switched {
            key: keys.join("."),
            off,
            is_missing: false,
        })
    };
    let all: Vec<Switched> = switches.iter().filter_map(switched).collect();
    // One key that disables hooks wins over all others.
    all.iter().find(|switched| switched.off).or_else(|| all.first()).cloned()
}

fn set_own_entry_of_event(
    agent: &Agent,
    event: &Event,
    program: &str,
    text: &str,
) -> Result<String, Wrong> {
    let mut now = text.to_owned();
    let handler = entry::handler_entry(agent, event, program);
    for _ in 0..MOST {
        let root = parse_settings(agent, &now)?;
        let here: Vec<At> = own_entries(agent, &root)
            .into_iter()
            .map(|(at, _)| at)
            .filter(|at| {
                event_members_of_hooks(agent, &root)
                    .get(at.0)
                    .is_some_and(|entry| entry.key == event.name)
            })
            .collect();
        match here.as_slice() {
            [] => return Ok(add_own_group_to_event(agent, event, program, &root, &now)),
            // Remove an entry from a group with a narrow matcher; it gets a separate group.
            [only] if group_has_narrow_matcher(agent, &root, *only) => {
                match remove_entry(agent, &root, &now, *only) {
                    Some(Left::Text(next)) => now = next,
                    Some(Left::Nothing) => "{}\n".clone_into(&mut now),
                    None => return Ok(now),
                }
            }
            [only] => {
                let Some(node) = entry_node(agent, &root, *only) else { return Ok(now) };
                return Ok(match node.to_json() == handler {
                    true => now,
                    false => edit::replace_span(&now, node.span, &handler),
                });
            }
            // An agent calls once for each entry, so remove repeated ones.
            [.., last] => match remove_entry(agent, &root, &now, *last) {
                Some(Left::Text(next)) => now = next,
                _ => return Ok(now),
            },
        }
    }
    Ok(now)
}

/// Returns true if the group of an entry has a matcher that does not match everything (BR-69).
fn group_has_narrow_matcher(agent: &Agent, root: &Node, place: At) -> bool {
    let matcher = group_of_entry(agent, root, place).and_then(|group| group.get("matcher"));
    let is_wide =
        |text: &str| EVERYTHING.contains(&text) || agent.installation.matcher == Some(text);
    matcher.is_some_and(|matcher| !matcher.as_str().is_some_and(is_wide))
}

fn add_own_group_to_event(
    agent: &Agent,
    event: &Event,
    program: &str,
    root: &Node,
    text: &str,
) -> String {
    let line = entry::hook_command_line(agent, event, program);
    let item = entry::list_item(agent, event, &line);
    append_group_to_event(agent, (event.name, &item), root, text)
}

/// The text with a group, or an entry without one, appended to an event.
pub(super) fn append_group_to_event(
    agent: &Agent,
    (event, group): (&str, &Value),
    root: &Node,
    text: &str,
) -> String {
    let list = json!([group]);
    let Some(hooks) = events_node(agent, root) else {
        return edit::append_child(text, root, wrapper_key(agent), &json!({ event: list }));
    };
    match hooks.get(event) {
        None => edit::append_child(text, hooks, Some(event), &list),
        Some(groups) => edit::append_child(text, groups, None, group),
    }
}

/// Removes one entry, and the containers that would be empty without it.
pub(super) fn remove_entry(
    agent: &Agent,
    root: &Node,
    text: &str,
    (event, group, handler): At,
) -> Option<Left> {
    let json = agent.installation.json();
    let events = events_node(agent, root)?;
    let member = events.entries().get(event)?;
    let mut steps: Vec<(&Node, usize, bool)> = Vec::new();
    if json.has_groups(&member.key) {
        steps.push((member.node.as_array()?.get(group)?.get("hooks")?, handler, true));
    }
    steps.extend([(&member.node, group, false), (events, event, false)]);
    if let Some(key) = wrapper_key(agent) {
        let mut keys = root.entries().iter().map(|entry| entry.key.as_str());
        let at = keys.clone().position(|other| other == key);
        // A file that has only the version besides is refused without hooks: it is ours.
        let is_rest_ours =
            json.version().is_some() && keys.all(|other| ["version", key].contains(&other));
        steps.extend(at.filter(|_| !is_rest_ours).map(|at| (root, at, false)));
    }
    for (node, at, may_be_emptied) in steps {
        let is_only = edit::child_spans(node).len() == 1;
        // Remove a group without an entry; containers that were empty before stay.
        if is_only && may_be_emptied {
            continue;
        }
        match edit::remove_child(text, node, at) {
            Left::Text(text) => return Some(Left::Text(text)),
            Left::Nothing => {}
        }
    }
    let outside = [text.get(..root.span.start), text.get(root.span.end..)];
    let is_bare = outside.into_iter().flatten().all(|text| text.trim().is_empty());
    match is_bare {
        true => Some(Left::Nothing),
        false => {
            let inside = Span::new(root.span.start, root.span.end);
            Some(Left::Text(edit::replace_span(text, inside, &json!({}))))
        }
    }
}

/// Returns whether a command calls Tenterhook for this agent.
pub(super) fn is_own_command(agent: &Agent, command: &str) -> bool {
    command.contains(&format!("--agent {} ", agent.name)) && is_tenterhook_entry_line(command)
}

/// Tenterhook's entries, in the order of the text.
fn own_entries(agent: &Agent, root: &Node) -> Vec<(At, String)> {
    let own = |place: At| {
        let command = entry_node(agent, root, place)?.get("command").and_then(Node::as_str)?;
        is_own_command(agent, command).then(|| (place, command.to_owned()))
    };
    positions_of_all_entries(agent, root).into_iter().filter_map(own).collect()
}

/// Returns the position of every entry, in the order of the text.
pub(super) fn positions_of_all_entries(agent: &Agent, root: &Node) -> Vec<At> {
    let mut found = Vec::new();
    for (event, entry) in event_members_of_hooks(agent, root).iter().enumerate() {
        for (group, node) in entry.node.as_array().into_iter().flatten().enumerate() {
            let entries = item_entries(agent, &entry.key, node).iter().enumerate();
            found.extend(entries.map(|(at, _)| (event, group, at)));
        }
    }
    found
}

/// The event of an entry.
pub(super) fn event_name_of_entry<'n>(agent: &Agent, root: &'n Node, at: At) -> Option<&'n str> {
    event_members_of_hooks(agent, root).get(at.0).map(|event| event.key.as_str())
}

/// Returns the object that holds the events: the root, or the value of one of its keys.
fn events_node<'n>(agent: &Agent, root: &'n Node) -> Option<&'n Node> {
    wrapper_key(agent).map_or(Some(root), |key| root.get(key))
}

/// Returns the members of the object of events: under the name of each event, its groups.
pub(super) fn event_members_of_hooks<'n>(
    agent: &Agent,
    root: &'n Node,
) -> &'n [crate::syntax::Entry] {
    events_node(agent, root).map_or(&[], Node::entries)
}

/// The matchers of all groups.
fn group_matchers<'n>(agent: &Agent, root: &'n Node) -> impl Iterator<Item = &'n Node> {
    let groups = event_members_of_hooks(agent, root)
        .iter()
        .flat_map(|event| event.node.as_array().into_iter().flatten());
    groups.filter_map(|group| group.get("matcher"))
}

/// Returns the entries of one item in the list of an event: those of a group, or the item itself.
pub(super) fn item_entries<'n>(agent: &Agent, event: &str, item: &'n Node) -> &'n [Node] {
    match agent.installation.json().has_groups(event) {
        true => item.get("hooks").and_then(Node::as_array).unwrap_or_default(),
        false => std::slice::from_ref(item),
    }
}

/// The group of an entry; the entry itself if it has none.
pub(super) fn group_of_entry<'n>(
    agent: &Agent,
    root: &'n Node,
    (event, group, _): At,
) -> Option<&'n Node> {
    event_members_of_hooks(agent, root).get(event)?.node.as_array()?.get(group)
}

/// The entry at this position.
pub(super) fn entry_node<'n>(agent: &Agent, root: &'n Node, place: At) -> Option<&'n Node> {
    let event = event_name_of_entry(agent, root, place)?;
    item_entries(agent, event, group_of_entry(agent, root, place)?).get(place.2)
}

/// Returns the second of two keys that differ only in case, in a node or below it. The reader of the
/// agent bounds the depth.
fn find_key_twice_but_for_case(node: &Node) -> Option<&Entry> {
    let entries = node.entries();
    let mut before = HashSet::new();
    let again = entries.iter().find(|entry| !before.insert(entry.key.to_ascii_lowercase()));
    let items = node.as_array().into_iter().flatten();
    let mut below = entries.iter().map(|entry| &entry.node).chain(items);
    again.or_else(|| below.find_map(find_key_twice_but_for_case))
}

/// Parses a text, with an error if the agent would reject it (BR-63).
pub(super) fn parse_settings(agent: &Agent, text: &str) -> Result<Node, Wrong> {
    let file = agent.installation.json();
    let Parsed { root, faults, .. } = parse_by_format(text, file.syntax.format());
    let wrong = |span: Span, message: String| {
        let place = Location::find(&std::sync::Arc::from(""), text, span);
        Wrong { message, line: place.line, column: place.column }
    };
    let is_accepted = |kind| match kind {
        FaultKind::NotStrict(deviation) => file.syntax.accepts(deviation),
        _ => false,
    };
    if let Some(fault) = faults.into_iter().find(|fault| !is_accepted(fault.kind)) {
        let message = format!("{} would not read it: {}", agent.title, fault.message);
        return Err(wrong(fault.span, message));
    }
    let Some(root) = root else { return Err(wrong(Span::new(0, 0), "it is empty".to_owned())) };
    if file.syntax == Syntax::CommentsInTexts
        && let Some(span) = find_text_with_comment(&root, text)
    {
        let message =
            format!("{} takes `//` and `/*` for a comment, also within a text", agent.title);
        return Err(wrong(span, message));
    }
    if let Some(twice) = root.duplicate_keys().into_iter().next() {
        return Err(wrong(twice.again, format!("the key `{}` stands twice", twice.key)));
    }
    let ours = events_node(agent, &root).filter(|_| file.ignores_case);
    if let Some(again) = ours.and_then(find_key_twice_but_for_case) {
        let message = format!("the key `{}` stands twice, in another case", again.key);
        return Err(wrong(again.key_span, message));
    }
    let shape = |node: &Node, is: bool, what: &str| match is {
        true => Ok(()),
        false => Err(wrong(node.span, format!("{what}, not {}", node.kind_with_article()))),
    };
    shape(&root, root.as_object().is_some(), "the file must be one object")?;
    let is_known = |key: &str| file.root_keys.is_empty() || file.root_keys.contains(&key);
    if let Some(entry) = root.entries().iter().find(|entry| !is_known(&entry.key)) {
        let message = format!("{} rejects a file with the key `{}`", agent.title, entry.key);
        return Err(wrong(entry.key_span, message));
    }
    if let Some(hooks) = events_node(agent, &root) {
        let expected = format!("`{}` must be an object", wrapper_key(agent).unwrap_or_default());
        shape(hooks, hooks.as_object().is_some(), &expected)?;
        let events = agent.installation.events;
        let is_ours = |key: &str| events.iter().any(|event| event.name == key);
        for entry in hooks.entries().iter().filter(|entry| is_ours(&entry.key)) {
            let expected = format!("`{}` must be a list", entry.key);
            shape(&entry.node, entry.node.as_array().is_some(), &expected)?;
        }
    }
    let many = group_matchers(agent, &root)
        .find(|matcher| file.checks_values && matcher.as_array().is_some());
    if let Some(many) = many {
        let message = format!("{} rejects a file in which a `matcher` is a list", agent.title);
        return Err(wrong(many.span, message));
    }
    Ok(root)
}
