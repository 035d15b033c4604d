//! Enters Tenterhook's commands in the list of approved hooks that Hermes keeps, and takes exactly
//! these out again: Hermes skips a command that is not in it unless a person at a terminal says yes
//! (BR-64). Changes no other byte; opens no file.
//!
//! Hermes compares the event and the command, and no other field (0.19.0).

use serde_json::{Value, json};

use super::edit::{self, Left};
use super::json::{Wrong, is_own_command};
use crate::agents::Agent;
use crate::diagnostic::{Location, Span};
use crate::syntax::{Format, Node, parse_by_format};

/// The key of the list.
const APPROVALS: &str = "approvals";
/// The most edits of one list.
const MOST: usize = 500;

/// The list with these events and commands (HE-50); a new one if there is no text.
///
/// # Errors
///
/// If the text is no such list: Hermes would replace it.
pub fn with_own_approvals(
    agent: &Agent,
    text: Option<&str>,
    entries: &[(String, String)],
) -> Result<String, Wrong> {
    let value = |(event, command): &(String, String)| json!({"event": event, "command": command});
    let Some(text) = text else {
        let all: Vec<Value> = entries.iter().map(value).collect();
        return Ok(edit::file_text_with_one_child(APPROVALS, &all.into()));
    };
    let mut now = text.to_owned();
    for entry in entries {
        let root = parse_list(agent, &now)?;
        if approved_items(&root).any(|node| is_any_of(node, std::slice::from_ref(entry))) {
            continue;
        }
        now = match root.get(APPROVALS) {
            Some(list) => edit::append_child(&now, list, None, &value(entry)),
            None => edit::append_child(&now, &root, Some(APPROVALS), &json!([value(entry)])),
        };
    }
    // Last, so that the list does not become empty.
    for _ in 0..MOST {
        let root = parse_list(agent, &now)?;
        let is_outdated = |node: &&Node| is_own(agent, node) && !is_any_of(node, entries);
        let outdated = position_of_item(&root, is_outdated);
        let Some(next) = outdated.and_then(|at| remove_item(&root, &now, at)) else { break };
        now = next;
    }
    parse_list(agent, &now)?;
    Ok(now)
}

/// The list without Tenterhook's commands; `None` if it has nothing else and did not exist before.
///
/// # Errors
///
/// If the text is no such list.
pub fn without_own_approvals(agent: &Agent, text: &str) -> Result<Option<String>, Wrong> {
    let mut now = text.to_owned();
    for _ in 0..MOST {
        let root = parse_list(agent, &now)?;
        let Some(at) = position_of_item(&root, |node| is_own(agent, node)) else { break };
        match remove_item(&root, &now, at) {
            Some(next) => now = next,
            None => return Ok(None),
        }
    }
    Ok(Some(now))
}

/// The events of these entries that Hermes does not run: those that are not in the list, unless the
/// config approves every hook. A text that cannot be read approves none.
#[must_use]
pub fn unapproved_events(entries: &[(String, String)], config: &str, text: &str) -> Vec<String> {
    if approves_every_hook(config) {
        return Vec::new();
    }
    let root = parse_by_format(text, Format::Json).root;
    let is_missing = |entry: &&(String, String)| {
        let mut items = root.iter().flat_map(approved_items);
        !items.any(|node| is_any_of(node, std::slice::from_ref(entry)))
    };
    entries.iter().filter(is_missing).map(|entry| entry.0.clone()).collect()
}

/// Whether a config has `hooks_auto_accept`, as Hermes reads it.
fn approves_every_hook(config: &str) -> bool {
    let root = parse_by_format(config, Format::Yaml).root;
    let Some(value) = root.as_ref().and_then(|root| root.get("hooks_auto_accept")) else {
        return false;
    };
    let text = value.as_str().unwrap_or_default().trim().to_lowercase();
    value.as_bool() == Some(true) || ["1", "true", "yes", "on"].contains(&text.as_str())
}

fn text_of<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

fn is_own(agent: &Agent, node: &Node) -> bool {
    is_own_command(agent, text_of(node, "command"))
}

fn is_any_of(node: &Node, entries: &[(String, String)]) -> bool {
    let is_same = |(event, command): &(String, String)| {
        text_of(node, "event") == event && text_of(node, "command") == command
    };
    entries.iter().any(is_same)
}

fn approved_items(root: &Node) -> impl Iterator<Item = &Node> {
    root.get(APPROVALS).and_then(Node::as_array).into_iter().flatten()
}

fn position_of_item(root: &Node, is_wanted: impl Fn(&&Node) -> bool) -> Option<usize> {
    approved_items(root).position(|node| is_wanted(&node))
}

/// Returns the text without an item; `None` if nothing else is in it.
fn remove_item(root: &Node, text: &str, at: usize) -> Option<String> {
    let list = root.get(APPROVALS)?;
    if let Left::Text(text) = edit::remove_child(text, list, at) {
        return Some(text);
    }
    let key = root.entries().iter().position(|entry| entry.key == APPROVALS)?;
    match edit::remove_child(text, root, key) {
        Left::Text(text) => Some(text),
        Left::Nothing => None,
    }
}

fn parse_list(agent: &Agent, text: &str) -> Result<Node, Wrong> {
    let parsed = parse_by_format(text, Format::Json);
    let wrong = |span: Span, message: String| {
        let place = Location::find(&std::sync::Arc::from(""), text, span);
        Wrong { message, line: place.line, column: place.column }
    };
    if let Some(fault) = parsed.faults.into_iter().next() {
        let message = format!("{} would not read it: {}", agent.title, fault.message);
        return Err(wrong(fault.span, message));
    }
    let Some(root) = parsed.root else {
        return Err(wrong(Span::default(), "it is empty".to_owned()));
    };
    let is_list = root.get(APPROVALS).is_none_or(|list| list.as_array().is_some());
    match root.as_object().is_some() && is_list {
        true => Ok(root),
        false => Err(wrong(root.span, format!("it is no object with a list `{APPROVALS}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::HERMES;

    fn entries() -> Vec<(String, String)> {
        let command = |event: &str| format!("/bin/tenterhook hook --agent hermes --event {event} ");
        ["pre_tool_call", "pre_verify"].map(|event| (event.to_owned(), command(event))).to_vec()
    }

    /// HE-50: as Hermes 0.19.0 writes the list, and as people do.
    #[test]
    fn own_approvals_are_added_and_removed_to_the_byte() {
        let dumped = "{\n  \"approvals\": [\n    {\n      \"approved_at\": \"2026-01-01T00:00:00Z\",\n      \"command\": \"~/h.py\",\n      \"event\": \"pre_tool_call\",\n      \"script_mtime_at_approval\": null\n    }\n  ]\n}";
        for text in [dumped, "{\"approvals\": []}", "{}", "{\"x\": 1}\n", "{ \"approvals\":[ ] }"] {
            let with = with_own_approvals(&HERMES, Some(text), &entries()).unwrap();
            assert_eq!(unapproved_events(&entries(), "", &with), [""; 0], "{with}");
            assert_eq!(unapproved_events(&entries(), "", text), ["pre_tool_call", "pre_verify"]);
            assert_eq!(with_own_approvals(&HERMES, Some(&with), &entries()).unwrap(), with);
            let without = without_own_approvals(&HERMES, &with).unwrap();
            assert_eq!(without.as_deref(), Some(text), "{with}");
        }
        let new = with_own_approvals(&HERMES, None, &entries()).unwrap();
        assert_eq!(without_own_approvals(&HERMES, &new).unwrap(), None, "{new}");
    }

    /// HE-50.
    #[test]
    fn config_may_approve_every_hook() {
        for (config, is_approved) in [
            ("hooks_auto_accept: true\n", true),
            ("hooks_auto_accept: yes\n", true),
            ("hooks_auto_accept: \"ON\"\n", true),
            ("hooks_auto_accept: false\n", false),
            ("hooks_auto_accept: 1\n", false),
            ("model: m1\n", false),
            ("a: [", false),
        ] {
            let left = unapproved_events(&entries(), config, "");
            assert_eq!(left.is_empty(), is_approved, "{config}");
        }
    }

    /// HE-50: an entry for a different path of the program is replaced, and a text that Hermes would
    /// replace is refused.
    #[test]
    fn outdated_approvals_are_replaced() {
        let old = with_own_approvals(&HERMES, None, &entries()).unwrap();
        let moved: Vec<_> = entries()
            .into_iter()
            .map(|(event, command)| (event, command.replace("/bin", "/opt")))
            .collect();
        let new = with_own_approvals(&HERMES, Some(&old), &moved).unwrap();
        assert!(!new.contains("/bin/tenterhook"), "{new}");
        assert_eq!(unapproved_events(&moved, "", &new), [""; 0]);
        for text in ["", "[]", "{\"approvals\": 1}", "{"] {
            assert!(with_own_approvals(&HERMES, Some(text), &entries()).is_err(), "{text}");
        }
    }
}
