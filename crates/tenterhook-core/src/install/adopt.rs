//! Moves a user's entries behind the bridge, and moves them back. Pure: texts in, texts out.
//!
//! An agent may lose answers of the hooks that it runs itself (BR-66). Moved entries are in a file
//! of the same format, which Tenterhook reads and the agent does not.

use serde_json::{Map, Value};

use super::edit::Left;
use super::entry::NAME;
use super::json::{self, Wrong};
use crate::agents::{Agent, HookFile};
use crate::config::is_tenterhook_entry_line;
use crate::dialect::DialectId;
use crate::dialect::hook_file::json_file_text;
use crate::hook::Run;
use crate::source::Source;
use crate::syntax::Node;

/// A settings file whose entries are moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The settings without the entries; `None` if the file had nothing else.
    pub left: Option<String>,
    /// The file that Tenterhook reads.
    pub moved: String,
    /// The number of moved entries.
    pub count: usize,
}

/// Moves the movable entries (BR-75); `None` if no entry is movable.
///
/// # Errors
///
/// If the agent would reject the text, or its settings disable all hooks: moved entries would run.
pub fn move_entries_to_tenterhook(agent: &Agent, text: &str) -> Result<Option<Adopted>, Wrong> {
    if let Some(switched) =
        json::find_hook_switch(agent, agent.installation.switches, text).filter(|s| s.off)
    {
        let message =
            format!("`{}` switches all hooks off, and what is moved would run", switched.key);
        return Err(Wrong { message, line: 1, column: 1 });
    }
    let (mut left, mut moved, mut count) = (Some(text.to_owned()), Map::new(), 0);
    while let Some(now) = &left {
        let root = json::parse_settings(agent, now)?;
        let mut all = json::positions_of_all_entries(agent, &root).into_iter();
        let Some(at) = all.find(|at| {
            is_movable_entry(agent, &root, *at) && json::is_plain_json_group(agent, &root, now, *at)
        }) else {
            break;
        };
        let Some((event, group)) = copy_group_with_only_entry(agent, &root, at) else { break };
        merge_group_into_event(&mut moved, event, group);
        count += 1;
        left = match json::remove_entry(agent, &root, now, at) {
            Some(Left::Text(next)) if next != *now => Some(next),
            Some(Left::Nothing) => None,
            _ => break,
        };
    }
    let moved = json_file_text(agent.installation.json(), NAME, moved);
    Ok((count > 0).then_some(Adopted { left, moved, count }))
}

/// The settings with the moved entries after the present ones (BR-75).
///
/// # Errors
///
/// If the agent would reject one of the texts.
pub fn restore_moved_entries(
    agent: &Agent,
    text: Option<&str>,
    moved: &str,
) -> Result<String, Wrong> {
    let root = json::parse_settings(agent, moved)?;
    if let Some(wrong) = json::find_javascript_only_value(moved) {
        return Err(wrong);
    }
    let Some(text) = text else { return Ok(moved.to_owned()) };
    let mut now = text.to_owned();
    for event in json::event_members_of_hooks(agent, &root) {
        for group in event.node.as_array().into_iter().flatten() {
            let settings = json::parse_settings(agent, &now)?;
            let group = (event.key.as_str(), &group.to_json());
            now = json::append_group_to_event(agent, group, &settings, &now);
        }
    }
    json::parse_settings(agent, &now)?;
    Ok(now)
}

/// Returns true if Tenterhook would run an entry as its agent does: a command on a registered event
/// for which the agent waits.
fn is_movable_entry(agent: &Agent, root: &Node, at: json::At) -> bool {
    let Some((event, handler)) =
        json::event_name_of_entry(agent, root, at).zip(json::entry_node(agent, root, at))
    else {
        return false;
    };
    let is_set = |key| handler.get(key).and_then(Node::as_bool) == Some(true);
    let is_command = match handler.get("type") {
        Some(kind) => {
            let file = agent.installation.form.hook_file();
            kind.as_str() == Some("command") && file.and_then(HookFile::type_key).is_some()
        }
        None => is_read_as_command(agent, root, at),
    };
    let command = handler.get("command").and_then(Node::as_str);
    is_command
        && command.is_some_and(|command| !is_tenterhook_entry_line(command))
        && agent.installation.events.iter().any(|other| other.name == event)
        && !is_set("async")
        && !is_set("asyncRewake")
        && !NOT_APPLIED.iter().any(|key| handler.get(key).is_some())
}

/// Keys of entries that Tenterhook does not apply: with one, an entry stays.
const NOT_APPLIED: &[&str] = &["loop_limit"];

/// Returns true if the agent's dialect reads an entry without a type as one command.
fn is_read_as_command(agent: &Agent, root: &Node, at: json::At) -> bool {
    let id = DialectId::agents().find(|id| id.as_str() == agent.name);
    let (Some(id), Some((event, group))) = (id, copy_group_with_only_entry(agent, root, at)) else {
        return false;
    };
    let mut events = Map::new();
    events.insert(event, Value::Array(vec![Value::Object(group)]));
    let text = json_file_text(agent.installation.json(), NAME, events);
    let read = id.dialect().read_config(&Source::from_text("hooks.json", id, &text, "/"));
    matches!(&read.hooks[..], [hook] if matches!(hook.run, Run::Command(_))
        && hook.arming.disabled_reason().is_none())
}

/// Returns the event of an entry, and its group with only that entry.
fn copy_group_with_only_entry(
    agent: &Agent,
    root: &Node,
    at: json::At,
) -> Option<(String, Map<String, Value>)> {
    let event = json::event_name_of_entry(agent, root, at)?.to_owned();
    let handler = json::entry_node(agent, root, at)?.to_json();
    let Value::Object(mut group) = json::group_of_entry(agent, root, at)?.to_json() else {
        return None;
    };
    if agent.installation.json().has_groups(&event) {
        group.insert("hooks".to_owned(), Value::Array(vec![handler]));
    }
    Some((event, group))
}

/// Adds a group to its event, or its entries to the last group if only the entries differ.
fn merge_group_into_event(
    moved: &mut Map<String, Value>,
    event: String,
    mut group: Map<String, Value>,
) {
    let groups = moved.entry(event).or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(groups) = groups else { return };
    let handlers = group.remove("hooks");
    if let Some(Value::Object(last)) = groups.last_mut() {
        let mut like = last.clone();
        like.remove("hooks");
        if let (true, Some(Value::Array(there)), Some(Value::Array(new))) =
            (like == group, last.get_mut("hooks"), &handlers)
        {
            there.extend(new.iter().cloned());
            return;
        }
    }
    group.extend(handlers.map(|handler| ("hooks".to_owned(), handler)));
    groups.push(Value::Object(group));
}
