//! Puts our entries into a settings file that others write, and takes exactly them out. Changes no byte beside them.

use serde_json::{Value, json};

use super::edit::{self, Left};
use super::entry;
use crate::agents::{Agent, Event, Key};
use crate::config::is_own_line;
use crate::diagnostic::{Location, Span};
use crate::dialect::claude::{refused_key, why_refused};
use crate::syntax::{FaultKind, Format, Node, NotStrict, Parsed, parse};

/// Why a text is left alone, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong.
    pub message: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
}

/// An entry that is not ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Its event.
    pub event: String,
    /// Its command, or what kind of hook it is.
    pub what: String,
}

/// What a settings file says of all hooks of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// The key that says it.
    pub key: String,
    /// Whether it switches them off.
    pub off: bool,
}

/// Where an entry stands: the number of its event, group and place in the group.
pub(super) type At = (usize, usize, usize);

/// The matchers that match everything, for each of these agents.
const EVERYTHING: &[&str] = &["", "*"];

/// More entries than anybody writes; what loops for longer has met a text that it does not understand.
const MOST: usize = 500;

/// The text with our entries: of no file, the whole of one (BR-60).
///
/// # Errors
///
/// Where the agent would reject the text, a key stands twice in it, or ours could not be taken out again to the byte.
pub fn put_in(agent: &Agent, program: &str, text: Option<&str>) -> Result<String, Wrong> {
    let Some(text) = text else { return Ok(fresh(agent, program)) };
    read(agent, text)?;
    let mut now = text.to_owned();
    let had = !installed_in(agent, text)?.is_empty();
    for event in agent.installation.events {
        now = put_event(agent, event, program, &now)?;
    }
    let broken = |text| Wrong {
        message: format!("the file would be broken by it: {text}"),
        line: 1,
        column: 1,
    };
    read(agent, &now).map_err(|error| broken(error.message))?;
    if !had && take_out(agent, &now)?.as_deref() != Some(text) {
        return Err(broken("it could not be taken out again".to_owned()));
    }
    Ok(now)
}

fn fresh(agent: &Agent, program: &str) -> String {
    let of = |event: &Event| (event.name.to_owned(), json!([entry::group(agent, event, program)]));
    edit::whole("hooks", &Value::Object(agent.installation.events.iter().map(of).collect()))
}

/// The text without our entries; `None` where nothing else was in the file (BR-60).
///
/// # Errors
///
/// Where the agent would reject the text.
pub fn take_out(agent: &Agent, text: &str) -> Result<Option<String>, Wrong> {
    let mut now = text.to_owned();
    for _ in 0..MOST {
        let root = read(agent, &now)?;
        let Some((at, _)) = ours(agent, &root).into_iter().next() else { return Ok(Some(now)) };
        match take_one(&root, &now, at) {
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

/// The events for which this text has our entry, with its command.
///
/// # Errors
///
/// Where the agent would reject the text, or refuse all of it for one value.
pub fn installed(agent: &Agent, text: &str) -> Result<Vec<(String, String)>, Wrong> {
    let root = read(agent, text)?;
    match refused_key(&root).filter(|_| agent.installation.checks_values) {
        None => installed_in(agent, text),
        Some(entry) => {
            let place = Location::find(&std::sync::Arc::from(""), text, entry.node.span);
            let message =
                format!("{} refuses the whole file for the value of `{}`", agent.title, entry.key);
            Err(Wrong { message, line: place.line, column: place.column })
        }
    }
}

fn installed_in(agent: &Agent, text: &str) -> Result<Vec<(String, String)>, Wrong> {
    let root = read(agent, text)?;
    let named = |(at, command): (At, String)| {
        let event = events(&root).get(at.0).map(|event| event.key.clone())?;
        Some((event, command))
    };
    Ok(ours(agent, &root).into_iter().filter_map(named).collect())
}

/// The entries of others, which the agent runs itself (BR-66).
///
/// # Errors
///
/// Where the agent would reject the text.
pub fn foreign(agent: &Agent, text: &str) -> Result<Vec<Foreign>, Wrong> {
    let root = read(agent, text)?;
    let mut found = Vec::new();
    for event in events(&root) {
        for handler in event.node.as_array().into_iter().flatten().flat_map(handlers) {
            let word = |key| handler.get(key).and_then(Node::as_str);
            let what = word("command").or_else(|| word("type")).unwrap_or("?").to_owned();
            if !is_own_line(&what) {
                found.push(Foreign { event: event.key.clone(), what });
            }
        }
    }
    Ok(found)
}

/// Whether the group of an entry is a value outside JavaScript, too: else it could not be written elsewhere as it stands (C-87).
pub(super) fn is_portable(root: &Node, text: &str, place: At) -> bool {
    let written = group(root, place).and_then(|group| text.get(group.span.start..group.span.end));
    written.is_some_and(|text| unportable(text).is_none())
}

/// The first value of a text that is none outside JavaScript: written anew it would be another one.
pub(super) fn unportable(text: &str) -> Option<Wrong> {
    let mut faults = parse(text, Format::Json).faults.into_iter();
    let fault = faults.find(|fault| fault.kind == FaultKind::NotStrict(NotStrict::Javascript))?;
    let message = format!("it would not be moved as it stands: {}", fault.message);
    let Location { line, column, .. } = Location::find(&std::sync::Arc::from(""), text, fault.span);
    Some(Wrong { message, line, column })
}

/// Whether the agent may refuse this settings file, so that what it says has no effect.
#[must_use]
pub fn may_refuse(agent: &Agent, text: &str) -> bool {
    agent.installation.checks_values && why_refused(text).is_some()
}

/// What this text says of all hooks of its agent by these keys ([`Installation::switches`](crate::agents::Installation::switches)), if it says anything.
#[must_use]
pub fn switched(agent: &Agent, switches: &[Key], text: &str) -> Option<Switched> {
    let root = |format| parse(text, format).root.filter(|root| root.as_object().is_some());
    // Codex keeps its switches in TOML, which is no object to a reader of JSON.
    let root = root(Format::Json).or_else(|| root(Format::Toml))?;
    let said = |(keys, off): &Key| {
        let node = keys.iter().try_fold(&root, |node, key| node.get(key))?;
        let off = node.as_bool()? == *off;
        // What a file that the agent refuses says against the switch has no effect.
        (off || !may_refuse(agent, text)).then(|| Switched { key: keys.join("."), off })
    };
    let all: Vec<Switched> = switches.iter().filter_map(said).collect();
    // One key that switches off is enough, whatever the others say.
    all.iter().find(|switched| switched.off).or_else(|| all.first()).cloned()
}

fn put_event(agent: &Agent, event: &Event, program: &str, text: &str) -> Result<String, Wrong> {
    let mut now = text.to_owned();
    let handler = entry::handler(agent, event, program);
    for _ in 0..MOST {
        let root = read(agent, &now)?;
        let here: Vec<At> = ours(agent, &root)
            .into_iter()
            .map(|(at, _)| at)
            .filter(|at| events(&root).get(at.0).is_some_and(|entry| entry.key == event.name))
            .collect();
        match here.as_slice() {
            [] => return Ok(add(agent, event, program, &root, &now)),
            // In a group of its own it is asked about everything again.
            [only] if is_narrowed(&root, *only) => match take_one(&root, &now, *only) {
                Some(Left::Text(next)) => now = next,
                Some(Left::Nothing) => "{}\n".clone_into(&mut now),
                None => return Ok(now),
            },
            [only] => {
                let Some(node) = at(&root, *only) else { return Ok(now) };
                return Ok(match node.to_json() == handler {
                    true => now,
                    false => edit::replace(&now, node.span, &handler),
                });
            }
            // An agent would call as often as we stand there.
            [.., last] => match take_one(&root, &now, *last) {
                Some(Left::Text(next)) => now = next,
                _ => return Ok(now),
            },
        }
    }
    Ok(now)
}

/// Whether the group of an entry has it called for less than all that happens (BR-69).
fn is_narrowed(root: &Node, place: At) -> bool {
    let matcher = group(root, place).and_then(|group| group.get("matcher"));
    matcher.is_some_and(|matcher| {
        !matcher.as_str().is_some_and(|matcher| EVERYTHING.contains(&matcher))
    })
}

fn add(agent: &Agent, event: &Event, program: &str, root: &Node, text: &str) -> String {
    append(event.name, &entry::group(agent, event, program), root, text)
}

/// The text with a group behind those of an event.
pub(super) fn append(event: &str, group: &Value, root: &Node, text: &str) -> String {
    let list = json!([group]);
    let Some(hooks) = root.get("hooks") else {
        return edit::append(text, root, Some("hooks"), &json!({ event: list }));
    };
    match hooks.get(event) {
        None => edit::append(text, hooks, Some(event), &list),
        Some(groups) => edit::append(text, groups, None, group),
    }
}

/// Takes one entry out, and what would be empty without it.
pub(super) fn take_one(root: &Node, text: &str, (event, group, handler): At) -> Option<Left> {
    let hooks = root.get("hooks")?;
    let groups = &hooks.entries().get(event)?.node;
    let list = groups.as_array()?.get(group)?.get("hooks")?;
    let at = root.entries().iter().position(|entry| entry.key == "hooks")?;
    let steps: [(&Node, usize, bool); 4] =
        [(list, handler, true), (groups, group, false), (hooks, event, false), (root, at, false)];
    for (node, at, may_be_emptied) in steps {
        let is_only = edit::children(node).len() == 1;
        // A group without an entry is nothing; what was there and empty before stays.
        if is_only && may_be_emptied {
            continue;
        }
        match edit::remove(text, node, at) {
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
            Some(Left::Text(edit::replace(text, inside, &json!({}))))
        }
    }
}

/// Our entries, in the order of the text.
fn ours(agent: &Agent, root: &Node) -> Vec<(At, String)> {
    let call = format!("--agent {} ", agent.name);
    let own = |place: At| {
        let command = at(root, place)?.get("command").and_then(Node::as_str)?;
        (command.contains(&call) && is_own_line(command)).then(|| (place, command.to_owned()))
    };
    all(root).into_iter().filter_map(own).collect()
}

/// Every entry, in the order of the text.
pub(super) fn all(root: &Node) -> Vec<At> {
    let mut found = Vec::new();
    for (event, entry) in events(root).iter().enumerate() {
        for (group, node) in entry.node.as_array().into_iter().flatten().enumerate() {
            found.extend(handlers(node).enumerate().map(|(at, _)| (event, group, at)));
        }
    }
    found
}

/// The event of an entry.
pub(super) fn event_of(root: &Node, at: At) -> Option<&str> {
    events(root).get(at.0).map(|event| event.key.as_str())
}

fn events(root: &Node) -> &[crate::syntax::Entry] {
    root.get("hooks").map_or(&[], Node::entries)
}

/// The matchers of all groups.
fn matchers(root: &Node) -> impl Iterator<Item = &Node> {
    let groups = events(root).iter().flat_map(|event| event.node.as_array().into_iter().flatten());
    groups.filter_map(|group| group.get("matcher"))
}

fn handlers(group: &Node) -> impl Iterator<Item = &Node> {
    group.get("hooks").and_then(Node::as_array).into_iter().flatten()
}

/// The group of an entry.
pub(super) fn group(root: &Node, (event, group, _): At) -> Option<&Node> {
    events(root).get(event)?.node.as_array()?.get(group)
}

/// The entry that stands there.
pub(super) fn at(root: &Node, place: At) -> Option<&Node> {
    group(root, place)?.get("hooks")?.as_array()?.get(place.2)
}

/// The tree of a text that the agent would take (BR-63).
pub(super) fn read(agent: &Agent, text: &str) -> Result<Node, Wrong> {
    let Parsed { root, faults, .. } = parse(text, Format::Json);
    let wrong = |span: Span, message: String| {
        let place = Location::find(&std::sync::Arc::from(""), text, span);
        Wrong { message, line: place.line, column: place.column }
    };
    let taken = |kind| match kind {
        FaultKind::NotStrict(NotStrict::ByteOrderMark) => agent.installation.mark,
        FaultKind::NotStrict(NotStrict::Comment) => agent.installation.comments,
        FaultKind::NotStrict(NotStrict::Javascript) => agent.installation.javascript,
        _ => false,
    };
    if let Some(fault) = faults.into_iter().find(|fault| !taken(fault.kind)) {
        let message = format!("{} would not read it: {}", agent.title, fault.message);
        return Err(wrong(fault.span, message));
    }
    let Some(root) = root else { return Err(wrong(Span::new(0, 0), "it is empty".to_owned())) };
    if let Some(twice) = root.duplicates().into_iter().next() {
        return Err(wrong(twice.again, format!("the key `{}` stands twice", twice.key)));
    }
    let shape = |node: &Node, is: bool, what: &str| match is {
        true => Ok(()),
        false => Err(wrong(node.span, format!("{what}, not {}", node.kind()))),
    };
    shape(&root, root.as_object().is_some(), "the file is one object")?;
    let taken =
        |key: &str| agent.installation.roots.is_empty() || agent.installation.roots.contains(&key);
    if let Some(entry) = root.entries().iter().find(|entry| !taken(&entry.key)) {
        let message = format!("{} rejects a file with the key `{}`", agent.title, entry.key);
        return Err(wrong(entry.key_span, message));
    }
    if let Some(hooks) = root.get("hooks") {
        shape(hooks, hooks.as_object().is_some(), "`hooks` is an object")?;
        for entry in hooks
            .entries()
            .iter()
            .filter(|entry| agent.installation.events.iter().any(|ours| ours.name == entry.key))
        {
            shape(
                &entry.node,
                entry.node.as_array().is_some(),
                &format!("`{}` is a list", entry.key),
            )?;
        }
    }
    let many = matchers(&root)
        .find(|matcher| agent.installation.lone_matchers && matcher.as_array().is_some());
    if let Some(many) = many {
        let message = format!("{} rejects a file in which a `matcher` is a list", agent.title);
        return Err(wrong(many.span, message));
    }
    Ok(root)
}
