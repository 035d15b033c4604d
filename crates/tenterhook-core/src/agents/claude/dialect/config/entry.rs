//! Walks the event map: events, groups, and common wrong shapes of both. Reads no handler.

use super::{Off, Reading, finding, shadowed};
use crate::diagnostic::{Code, Severity, nearest};
use crate::dialect::claude::events::{EVENTS, find_event};
use crate::dialect::claude::handler::{Nesting, Scope};
use crate::dialect::claude::lint;
use crate::dialect::claude::matcher_text;
use crate::dialect::kit::lint::null_matcher;
use crate::event::EventName;
use crate::matcher::MatcherSpec;
use crate::syntax::{Entry, Node, NodeValue};

/// Fields that only a handler has: a group with one of them is a handler that lacks its group.
const HANDLER_KEYS: &[&str] = &["command", "type", "prompt", "url"];

/// Keys under which lists of records name their event.
const EVENT_KEYS: &[&str] = &["event", "hook_event", "hook_event_name", "hook", "on", "name"];

impl Reading<'_> {
    /// An object whose keys are events.
    pub(super) fn event_map(&mut self, map: &Node, off: Option<&Off>) {
        if let Some(first) = map.entries().first()
            && !map
                .entries()
                .iter()
                .any(|entry| lint::is_event(&entry.key) || holds_groups(&entry.node))
        {
            let message = format!("`hooks` has no event, only `{}`", keys(map));
            self.report(
                first.key_span,
                finding(Code::HooksObjectNotHookSchema, message).help(lint::SHAPE),
            );
        }
        for (at, entry) in map.entries().iter().enumerate() {
            let again = map.entries().iter().skip(at + 1).any(|later| later.key == entry.key);
            let shadowed = again.then(shadowed);
            self.event(entry, off.or(shadowed.as_ref()));
        }
    }

    /// Reads one event with its groups.
    pub(super) fn event(&mut self, entry: &Entry, off: Option<&Off>) {
        if lint::is_comment(&entry.key) {
            let message = format!("`{}` is ignored: it is not an event", entry.key);
            self.report(entry.key_span, finding(Code::CommentKey, message));
            return;
        }
        let spec = find_event(&entry.key);
        let unknown = spec.is_none().then(|| self.unknown_event(entry));
        let off = off.or(unknown.as_ref());
        let scope = Scope {
            event: EventName::new(entry.key.as_str()),
            spec,
            matcher: MatcherSpec::Any,
            matcher_text: None,
            off: off.cloned(),
            nesting: Nesting::InGroup,
        };
        let misplaced = || Off::new("it does not stand in an array of groups", "C-22");
        match &entry.node.value {
            NodeValue::Array(groups) if groups.is_empty() => self.empty_event(entry),
            NodeValue::Array(groups) => groups.iter().for_each(|group| self.group(group, &scope)),
            NodeValue::Null => self.empty_event(entry),
            NodeValue::Object(_) => {
                let message = format!("`{}` takes an array of groups, found an object", entry.key);
                self.report(
                    entry.key_span,
                    finding(Code::EventValueIsObjectNotArray, message)
                        .help("put the object in `[` and `]`"),
                );
                self.object_for_groups(entry, &scope.or_off(misplaced()));
            }
            NodeValue::String(command) => {
                let message = format!("`{}` takes an array of groups, found a string", entry.key);
                self.report(
                    entry.node.span,
                    finding(Code::EventValueIsString, message).help(lint::group_of(command)),
                );
                self.misplaced(&entry.node, command, &scope.or_off(misplaced()));
            }
            NodeValue::Bool(_) | NodeValue::Number(_) => {
                let message = format!(
                    "`{}` takes an array of groups, found {}",
                    entry.key,
                    entry.node.kind()
                );
                self.report(entry.node.span, finding(Code::EventValueNotArray, message));
            }
        }
    }

    fn empty_event(&mut self, entry: &Entry) {
        let message = format!("`{}` has no group, so nothing runs", entry.key);
        self.report(
            entry.key_span,
            finding(Code::EmptyEventArray, message).help("remove it, or add a group"),
        );
    }

    fn unknown_event(&mut self, entry: &Entry) -> Off {
        let key = &entry.key;
        let near = nearest(key, EVENTS.iter().map(|event| event.name));
        if let Some(near) = near.filter(|near| lint::fold(near) == lint::fold(key)) {
            self.report(
                entry.key_span,
                finding(Code::WrongCaseEvent, format!("no event is called `{key}`: case counts"))
                    .label("never fires")
                    .help(format!("write `{near}`")),
            );
            return Off::new(format!("`{key}` is not `{near}`: case counts"), "C-23");
        }
        let found = finding(Code::UnknownEvent, format!("Claude Code has no event `{key}`"))
            .weighing(Severity::Error)
            .label("never fires");
        let help = match (lint::foreign_event(key), near) {
            (Some(help), _) => help.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => "`tenterhook events --dialect claude` lists the events".to_owned(),
        };
        self.report(entry.key_span, found.help(help));
        Off::new(format!("Claude Code has no event `{key}`"), "C-23")
    }

    /// An object where an array of groups is due: a group, a handler, or a map of commands.
    fn object_for_groups(&mut self, entry: &Entry, scope: &Scope) {
        let node = &entry.node;
        if node.get("hooks").is_some() || is_handler(node) {
            return self.group(node, scope);
        }
        let message = format!("`{}` holds `{}`, not groups", entry.key, keys(node));
        self.report(entry.key_span, finding(Code::EventKeyedByMatcher, message).help(lint::SHAPE));
        for inner in node.entries() {
            let Some(command) = inner.node.as_str().filter(|_| inner.key != "description") else {
                continue;
            };
            let matcher = matcher_text::read(scope.event.as_str(), Some(&inner.key));
            self.misplaced(&inner.node, command, &Scope { matcher, ..scope.clone() });
        }
    }

    /// Reads one group: a matcher and handlers.
    fn group(&mut self, node: &Node, scope: &Scope) {
        match &node.value {
            NodeValue::Object(_) => {}
            NodeValue::String(text) => {
                let message = format!("expected a group, found the text `{text}`");
                self.report(
                    node.span,
                    finding(Code::GroupIsString, message).help(lint::group_of(text)),
                );
                return;
            }
            _ => {
                let message = format!("expected a group, found {}", node.kind());
                self.report(node.span, finding(Code::GroupNotObject, message).help(lint::SHAPE));
                return;
            }
        }
        let scope = self.matcher(node, scope);
        let written: Vec<_> = node.entries().iter().filter(|entry| entry.key == "hooks").collect();
        if written.is_empty() && is_handler(node) {
            let message = "a handler stands where a group is due: its inner `hooks` is missing";
            self.report(
                node.span,
                finding(Code::MissingInnerHooksArray, message)
                    .help("write `{\"matcher\": ..., \"hooks\": [{\"type\": \"command\", ...}]}`"),
            );
            let off = Off::new("it does not stand in the `hooks` of a group", "C-22");
            let scope = Scope { nesting: Nesting::AsGroup, ..scope.or_off(off) };
            return self.handler(node, &scope);
        }
        self.group_fields(node);
        if written.is_empty() {
            let message = "the group has no `hooks`, so nothing runs";
            self.report(
                node.span,
                finding(Code::GroupWithoutHooks, message)
                    .help("write what it runs: `\"hooks\": [{\"type\": \"command\", ...}]`"),
            );
        }
        for (at, entry) in written.iter().enumerate() {
            let last = at + 1 == written.len();
            let scope = if last { scope.clone() } else { scope.or_off(shadowed()) };
            self.handlers(entry, &scope);
        }
    }

    /// Reads the matcher of a group, reports its faults, and returns the group's scope.
    fn matcher(&mut self, node: &Node, scope: &Scope) -> Scope {
        let Some(entry) = node.entry("matcher") else { return scope.clone() };
        if entry.node.is_null() {
            self.report(entry.node.span, null_matcher());
            return scope.clone();
        }
        let Some(text) = entry.node.as_str() else {
            let message = format!("`matcher` takes a string, found {}", entry.node.kind());
            self.report(
                entry.key_span,
                finding(Code::MatcherNotString, message)
                    .help("write the names as one string: `\"Edit|Write\"`"),
            );
            let because = format!("its `matcher` is {}, which cannot be read", entry.node.kind());
            return scope.or_off(Off::new(because, "C-24"));
        };
        let matcher = matcher_text::read(scope.event.as_str(), Some(text));
        if let Some(spec) = scope.spec {
            for found in lint::matcher(spec, text, &matcher) {
                self.report(entry.node.span, found);
            }
        }
        Scope { matcher, matcher_text: Some(text.to_owned()), ..scope.clone() }
    }

    fn group_fields(&mut self, node: &Node) {
        let unknown =
            node.entries().iter().filter(|entry| entry.key != "matcher" && entry.key != "hooks");
        for entry in unknown {
            let (key, span) = (&entry.key, entry.key_span);
            let message = format!("a group has no field `{key}`: it is ignored");
            let found = if lint::is_note(key) {
                finding(Code::UnknownGroupField, message).weighing(Severity::Advice)
            } else {
                finding(Code::UnknownGroupField, message).help(lint::group_field(key))
            };
            self.report(span, found);
        }
    }

    /// Reads the handlers of a group.
    fn handlers(&mut self, entry: &Entry, scope: &Scope) {
        match &entry.node.value {
            NodeValue::Array(handlers) if handlers.is_empty() => {
                let message = "`hooks` is empty, so the group runs nothing";
                self.report(
                    entry.key_span,
                    finding(Code::EmptyInnerHooks, message)
                        .help("remove the group, or add a handler"),
                );
            }
            NodeValue::Array(handlers) => {
                handlers.iter().for_each(|handler| self.handler(handler, scope))
            }
            _ => {
                let message =
                    format!("`hooks` takes an array of handlers, found {}", entry.node.kind());
                self.report(
                    entry.key_span,
                    finding(Code::InnerHooksNotArray, message)
                        .help("put the handler in `[` and `]`"),
                );
                let off = Off::new("it does not stand in an array of handlers", "C-22");
                if is_handler(&entry.node) {
                    self.handler(&entry.node, &scope.or_off(off));
                }
            }
        }
    }

    /// Adds a record of an array in place of the event map, which is shown and never runs.
    pub(super) fn record(&mut self, node: &Node, off: &Off) {
        let text = |keys: &[&str]| keys.iter().find_map(|key| node.get(key)?.as_str());
        let event = text(EVENT_KEYS).unwrap_or("unknown");
        let Some(command) = text(&["command", "script", "run"]) else { return };
        let scope = Scope {
            event: EventName::new(event),
            spec: find_event(event),
            matcher: matcher_text::read(event, text(&["matcher"])),
            matcher_text: None,
            off: Some(off.clone()),
            nesting: Nesting::InGroup,
        };
        self.misplaced(node, command, &scope);
    }
}

/// Whether the node has fields that only handlers have.
fn is_handler(node: &Node) -> bool {
    HANDLER_KEYS.iter().any(|key| node.get(key).is_some())
}

/// Whether the node is an array with a group.
fn holds_groups(node: &Node) -> bool {
    node.as_array().is_some_and(|groups| groups.iter().any(|group| group.get("hooks").is_some()))
}

/// The first keys of an object, for messages.
fn keys(node: &Node) -> String {
    let keys: Vec<&str> = node.entries().iter().take(3).map(|entry| entry.key.as_str()).collect();
    keys.join("`, `")
}
