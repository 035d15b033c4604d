//! The cases that stand beside a hook (C-56), as data: whoever runs them fires each event at that hook alone.

use serde_json::{Map, Value};

use super::config::{self, Reader, keys};
use crate::answer::Restraint;
use crate::diagnostic::Place;
use crate::hook::HookId;
use crate::source::Source;
use crate::syntax::{self, Node};

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The hook that it stands beside.
    pub hook: HookId,
    /// What people call it; empty when it has no name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The event, in the native form; what it leaves out (`event`, `v`) is filled in from the hook.
    pub event: Map<String, Value>,
    /// What the hook must say.
    pub expect: Restraint,
}

/// The cases of every hook of a native file, in the order of the file. What is wrong with them, `read_config` says.
#[must_use]
pub fn cases(source: &Source) -> Vec<Case> {
    let Some(root) = syntax::parse(&source.text, config::format(source)).root else {
        return Vec::new();
    };
    let reader = Reader::new(source);
    let hooks = root.get("hook").map(Node::entries).unwrap_or_default();
    let mut cases = Vec::new();
    for hook in hooks {
        let on = hook.node.get("on");
        let first = on.and_then(|on| on.as_str().or_else(|| on.as_array()?.first()?.as_str()));
        let found = hook.node.get("test").into_iter().flat_map(nodes);
        cases.extend(found.filter_map(|node| {
            let mut event = node.get("event")?.to_json().as_object()?.clone();
            if let Some(name) = first {
                event.entry("event").or_insert_with(|| name.into());
            }
            Some(Case {
                hook: HookId::new(hook.key.as_str()),
                name: node.get("name").and_then(Node::as_str).unwrap_or_default().to_owned(),
                place: reader.place_of(node.span),
                event,
                expect: expectation(node.get("expect")?.as_str()?)?,
            })
        }));
    }
    cases
}

/// One table, or a list of them.
pub(super) fn nodes(test: &Node) -> &[Node] {
    test.as_array().unwrap_or(std::slice::from_ref(test))
}

/// The restraint that a word of `expect` names.
fn expectation(word: &str) -> Option<Restraint> {
    use Restraint::{Allow, Ask, Defer, Deny, Silent};
    let known = keys::EXPECT.contains(&word);
    let found = [Silent, Allow, Ask, Defer, Deny].into_iter();
    found.filter(|_| known).find(|it| it.word().unwrap_or("silent") == word)
}
