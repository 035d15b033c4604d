//! Recovers the complete parts of a broken text as one tree, and the positions of the lost parts.
//! Knows no schema: an object is an entry by its position.
//!
//! Nothing is guessed. A part is recovered if it would read the same in a complete text. An
//! unfinished part, or one at a position that its format does not allow, is lost, and reported as
//! lost.

mod json;
mod toml;

use super::{FaultKind, Format, Node, NodeValue, Parsed, yaml};

/// How entries that stand in groups are told from groups: `hooks` and `matcher` of `{"matcher":
/// "...", "hooks": [...]}`.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    /// The key under which a group has its entries.
    pub inner: &'static str,
    /// The key without which a group that is torn says too little: its entries would run where no
    /// author wanted them.
    pub known_by: &'static str,
}

/// Reads `text` like [`parse_by_format`](super::parse_by_format), and what is whole of it where it is broken.
///
/// An object of a list that is torn is lost as a whole, unless it is a group: an entry without its
/// condition would be another entry.
#[must_use]
pub fn parse_or_salvage(text: &str, format: Format, lists: Lists) -> Parsed {
    let mut parsed = super::parse_by_format(text, format);
    if !parsed.fatal_fault().is_some_and(|fault| fault.kind != FaultKind::Empty) {
        return parsed;
    }
    let saved = match format {
        Format::Json | Format::Json5 => json::salvage_json(text),
        Format::Toml => toml::salvage_toml(text),
        Format::FrontMatter => yaml::salvage_front_matter(text),
        Format::Yaml => yaml::salvage_yaml(text),
    };
    if let Some(help) = saved.help {
        parsed.faults.iter_mut().for_each(|fault| fault.help = Some(help.clone()));
    }
    parsed.lost = saved.lost;
    parsed.torn = saved.torn;
    parsed.root = saved.root.filter(|root| root.as_object().is_some());
    if parsed.root.is_none() && parsed.lost.is_empty() {
        parsed.lost = parsed.faults.iter().map(|fault| fault.span).collect();
    }
    if let Some(mut root) = parsed.root.take() {
        let lost = remove_torn_entries_in_object(&parsed, lists, &mut root);
        parsed.lost.extend(lost);
        parsed.root = Some(root);
    }
    parsed
}

/// What was found of a broken text.
#[derive(Debug, Default)]
pub(super) struct Saved {
    pub(super) root: Option<Node>,
    pub(super) lost: Vec<super::Span>,
    pub(super) torn: Vec<super::Span>,
    /// The name of the lost part, where it has one.
    pub(super) help: Option<String>,
}

/// Removes the torn entries of the lists in an object, and returns their spans.
fn remove_torn_entries_in_object(
    parsed: &Parsed,
    lists: Lists,
    node: &mut Node,
) -> Vec<super::Span> {
    let NodeValue::Object(entries) = &mut node.value else { return Vec::new() };
    let mut lost = Vec::new();
    // A list of which nothing is left is not an empty list, which says something.
    entries.retain(|entry| {
        let is_empty = matches!(&entry.node.value, NodeValue::Array(items) if items.is_empty());
        !(is_empty && parsed.torn.contains(&entry.node.span))
    });
    for entry in entries {
        match entry.node.value {
            NodeValue::Object(_) => {
                lost.extend(remove_torn_entries_in_object(parsed, lists, &mut entry.node))
            }
            NodeValue::Array(_) => {
                lost.extend(remove_torn_entries_in_list(parsed, lists, &mut entry.node))
            }
            _ => {}
        }
    }
    lost
}

fn remove_torn_entries_in_list(parsed: &Parsed, lists: Lists, node: &mut Node) -> Vec<super::Span> {
    let NodeValue::Array(items) = &mut node.value else { return Vec::new() };
    let mut lost = Vec::new();
    items.retain_mut(|item| {
        if !parsed.is_torn(item) || remove_torn_entries_in_group(parsed, lists, item, &mut lost) {
            return true;
        }
        lost.push(item.span);
        false
    });
    lost
}

/// Removes the torn entries of a group; returns false if the object is no group, or is torn
/// elsewhere.
fn remove_torn_entries_in_group(
    parsed: &Parsed,
    lists: Lists,
    node: &mut Node,
    lost: &mut Vec<super::Span>,
) -> bool {
    let is_known = !parsed.torn.contains(&node.span) || node.get(lists.known_by).is_some();
    let torn_elsewhere =
        node.entries().iter().any(|entry| entry.key != lists.inner && parsed.is_torn(&entry.node));
    if !is_known || torn_elsewhere {
        return false;
    }
    let NodeValue::Object(entries) = &mut node.value else { return false };
    for entry in entries.iter_mut().filter(|entry| entry.key == lists.inner) {
        lost.extend(remove_torn_entries_in_list(parsed, lists, &mut entry.node));
    }
    true
}
