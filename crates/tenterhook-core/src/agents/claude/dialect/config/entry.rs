//! Walks the event map: events, groups, and common wrong shapes of both. Reads no handler.

use super::{Off, Reading, finding_without_location, repeated_key_off_reason};
use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
use crate::dialect::claude::events::{EVENTS, find_event};
use crate::dialect::claude::handler::{Nesting, Scope};
use crate::dialect::claude::lint;
use crate::dialect::claude::matcher_text;
use crate::dialect::kit::lint::empty_matcher_finding;
use crate::event::EventName;
use crate::hook::Compat;
use crate::matcher::MatcherSpec;
use crate::syntax::{Entry, Node, NodeValue};

/// Fields that only a handler has: a group with one of them is a handler that lacks its group.
const HANDLER_KEYS: &[&str] = &["command", "type", "prompt", "url"];

/// Keys under which lists of records name their event.
const EVENT_KEYS: &[&str] = &["event", "hook_event", "hook_event_name", "hook", "on", "name"];

impl Reading<'_> {
    /// Reads an object whose keys are events.
    pub(super) fn read_event_map(&mut self, map: &Node, off: Option<&Off>) {
        if let Some(first) = map.entries().first()
            && !map.entries().iter().any(|entry| {
                lint::is_like_event_name(&entry.key) || is_array_with_group(&entry.node)
            })
        {
            let message = format!("`hooks` has no event, only `{}`", first_keys_text(map));
            self.report_finding(
                first.key_span,
                finding_without_location(Code::HooksObjectNotHookSchema, message).help(lint::SHAPE),
            );
        }
        for (at, entry) in map.entries().iter().enumerate() {
            let again = map.entries().iter().skip(at + 1).any(|later| later.key == entry.key);
            let shadowed = again.then(repeated_key_off_reason);
            self.read_event(entry, off.or(shadowed.as_ref()));
        }
    }

    /// Reads one event with its groups.
    pub(super) fn read_event(&mut self, entry: &Entry, off: Option<&Off>) {
        if lint::is_comment_key(&entry.key) {
            let message = format!("`{}` is ignored: it is not an event", entry.key);
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::CommentKey, message),
            );
            return;
        }
        let spec = find_event(&entry.key);
        let unknown = spec.is_none().then(|| self.report_unknown_event(entry));
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
            NodeValue::Array(groups) if groups.is_empty() => self.report_empty_event(entry),
            NodeValue::Array(groups) => {
                groups.iter().for_each(|group| self.read_group(group, &scope))
            }
            NodeValue::Null => self.report_empty_event(entry),
            NodeValue::Object(_) => {
                let message = format!("`{}` takes an array of groups, found an object", entry.key);
                self.report_finding(
                    entry.key_span,
                    finding_without_location(Code::EventValueIsObjectNotArray, message)
                        .help("put the object in `[` and `]`"),
                );
                self.read_object_instead_of_groups(entry, &scope.with_off_reason(misplaced()));
            }
            NodeValue::String(command) => {
                let message = format!("`{}` takes an array of groups, found a string", entry.key);
                self.report_finding(
                    entry.node.span,
                    finding_without_location(Code::EventValueIsString, message)
                        .help(lint::group_example_help(command)),
                );
                self.add_inert_misplaced_command(
                    &entry.node,
                    command,
                    &scope.with_off_reason(misplaced()),
                );
            }
            NodeValue::Bool(_) | NodeValue::Number(_) => self.report_event_without_array(entry),
        }
    }

    /// Reports an event whose value is neither an array nor a wrong shape that can be read.
    fn report_event_without_array(&mut self, entry: &Entry) {
        let found = entry.node.kind_with_article();
        let message = format!("`{}` takes an array of groups, found {found}", entry.key);
        self.report_finding(
            entry.node.span,
            finding_without_location(Code::EventValueNotArray, message),
        );
    }

    fn report_empty_event(&mut self, entry: &Entry) {
        let message = format!("`{}` has no group, so nothing runs", entry.key);
        self.report_finding(
            entry.key_span,
            finding_without_location(Code::EmptyEventArray, message)
                .help("remove it, or add a group"),
        );
    }

    fn report_unknown_event(&mut self, entry: &Entry) -> Off {
        let key = &entry.key;
        let near = nearest_word(key, EVENTS.iter().map(|event| event.name));
        if let Some(near) = near.filter(|near| lint::fold(near) == lint::fold(key)) {
            self.report_finding(
                entry.key_span,
                finding_without_location(
                    Code::WrongCaseEvent,
                    format!("no event is called `{key}`: case counts"),
                )
                .label("never fires")
                .help(format!("write `{near}`")),
            );
            return Off::new(format!("`{key}` is not `{near}`: case counts"), "C-23");
        }
        let found = finding_without_location(
            Code::UnknownEvent,
            format!("Claude Code has no event `{key}`"),
        )
        .with_severity(Severity::Error)
        .label("never fires");
        let help = match (lint::foreign_event_help(key), near) {
            (Some(help), _) => help.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => "`tenterhook events --dialect claude` lists the events".to_owned(),
        };
        self.report_finding(entry.key_span, found.help(help));
        Off::new(format!("Claude Code has no event `{key}`"), "C-23")
    }

    /// Reads an object where an array of groups is expected: a group, a handler, or a map of
    /// commands.
    fn read_object_instead_of_groups(&mut self, entry: &Entry, scope: &Scope) {
        let node = &entry.node;
        if node.get("hooks").is_some() || has_handler_fields(node) {
            return self.read_group(node, scope);
        }
        let message = format!("`{}` holds `{}`, not groups", entry.key, first_keys_text(node));
        self.report_finding(
            entry.key_span,
            finding_without_location(Code::EventKeyedByMatcher, message).help(lint::SHAPE),
        );
        for inner in node.entries() {
            let Some(command) = inner.node.as_str().filter(|_| inner.key != "description") else {
                continue;
            };
            let matcher = matcher_text::parse_matcher(scope.event.as_str(), Some(&inner.key));
            self.add_inert_misplaced_command(
                &inner.node,
                command,
                &Scope { matcher, ..scope.clone() },
            );
        }
    }

    /// Reads one group: a matcher and handlers.
    fn read_group(&mut self, node: &Node, scope: &Scope) {
        match &node.value {
            NodeValue::Object(_) => {}
            NodeValue::String(text) => {
                let message = format!("expected a group, found the text `{text}`");
                self.report_finding(
                    node.span,
                    finding_without_location(Code::GroupIsString, message)
                        .help(lint::group_example_help(text)),
                );
                return;
            }
            _ => {
                let message = format!("expected a group, found {}", node.kind_with_article());
                self.report_finding(
                    node.span,
                    finding_without_location(Code::GroupNotObject, message).help(lint::SHAPE),
                );
                return;
            }
        }
        let scope = self.read_matcher(node, scope);
        let written: Vec<_> = node.entries().iter().filter(|entry| entry.key == "hooks").collect();
        if written.is_empty() && has_handler_fields(node) {
            let message = "a handler stands where a group is due: its inner `hooks` is missing";
            self.report_finding(
                node.span,
                finding_without_location(Code::MissingInnerHooksArray, message)
                    .help("write `{\"matcher\": ..., \"hooks\": [{\"type\": \"command\", ...}]}`"),
            );
            let off = Off::new("it does not stand in the `hooks` of a group", "C-22");
            let scope = Scope { nesting: Nesting::AsGroup, ..scope.with_off_reason(off) };
            return self.read_handler(node, &scope);
        }
        self.report_unknown_group_fields(node);
        if written.is_empty() {
            let message = "the group has no `hooks`, so nothing runs";
            self.report_finding(
                node.span,
                finding_without_location(Code::GroupWithoutHooks, message)
                    .help("write what it runs: `\"hooks\": [{\"type\": \"command\", ...}]`"),
            );
        }
        for (at, entry) in written.iter().enumerate() {
            let last = at + 1 == written.len();
            let scope =
                if last { scope.clone() } else { scope.with_off_reason(repeated_key_off_reason()) };
            self.read_handlers(entry, &scope);
        }
    }

    /// Reports a matcher that is `null`. The agent skips its group; here the hooks run every time,
    /// unless reading is exact (C-24).
    fn read_null_matcher(&mut self, entry: &Entry, scope: &Scope) -> Scope {
        let found = empty_matcher_finding("null");
        if !self.skips_wrong_entries {
            self.report_finding(entry.node.span, found);
            return scope.clone();
        }
        let skips = "Claude Code skips the group, because its `matcher` is `null`";
        if self.source.compat == Compat::Exact {
            let found = finding_without_location(Code::MatcherNotString, skips);
            self.report_finding(entry.node.span, found);
            return scope.with_off_reason(Off::new(skips, "C-24"));
        }
        let found = found.with_severity(Severity::Error);
        let message = format!("{skips}; here its hooks run every time");
        self.report_finding(entry.node.span, Diagnostic { message, ..found });
        scope.clone()
    }

    /// Reads the matcher of a group, reports its faults, and returns the group's scope.
    fn read_matcher(&mut self, node: &Node, scope: &Scope) -> Scope {
        let Some(entry) = node.entry("matcher") else { return scope.clone() };
        if entry.node.is_null() {
            return self.read_null_matcher(entry, scope);
        }
        let Some(text) = entry.node.as_str() else {
            let message =
                format!("`matcher` takes a string, found {}", entry.node.kind_with_article());
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::MatcherNotString, message)
                    .help("write the names as one string: `\"Edit|Write\"`"),
            );
            let because = format!(
                "its `matcher` is {}, which cannot be read",
                entry.node.kind_with_article()
            );
            return scope.with_off_reason(Off::new(because, "C-24"));
        };
        let matcher = matcher_text::parse_matcher(scope.event.as_str(), Some(text));
        if let Some(spec) = scope.spec {
            for found in lint::check_matcher(spec, text, &matcher) {
                self.report_finding(entry.node.span, found);
            }
        }
        Scope { matcher, matcher_text: Some(text.to_owned()), ..scope.clone() }
    }

    fn report_unknown_group_fields(&mut self, node: &Node) {
        let unknown =
            node.entries().iter().filter(|entry| entry.key != "matcher" && entry.key != "hooks");
        for entry in unknown {
            let (key, span) = (&entry.key, entry.key_span);
            let message = format!("a group has no field `{key}`: it is ignored");
            let found = if lint::is_comment_field(key) {
                finding_without_location(Code::UnknownGroupField, message)
                    .with_severity(Severity::Advice)
            } else {
                finding_without_location(Code::UnknownGroupField, message)
                    .help(lint::unknown_group_field_help(key))
            };
            self.report_finding(span, found);
        }
    }

    /// Reads the handlers of a group.
    fn read_handlers(&mut self, entry: &Entry, scope: &Scope) {
        match &entry.node.value {
            NodeValue::Array(handlers) if handlers.is_empty() => {
                let message = "`hooks` is empty, so the group runs nothing";
                self.report_finding(
                    entry.key_span,
                    finding_without_location(Code::EmptyInnerHooks, message)
                        .help("remove the group, or add a handler"),
                );
            }
            NodeValue::Array(handlers) => {
                handlers.iter().for_each(|handler| self.read_handler(handler, scope))
            }
            _ => {
                let message = format!(
                    "`hooks` takes an array of handlers, found {}",
                    entry.node.kind_with_article()
                );
                self.report_finding(
                    entry.key_span,
                    finding_without_location(Code::InnerHooksNotArray, message)
                        .help("put the handler in `[` and `]`"),
                );
                let off = Off::new("it does not stand in an array of handlers", "C-22");
                if has_handler_fields(&entry.node) {
                    self.read_handler(&entry.node, &scope.with_off_reason(off));
                }
            }
        }
    }

    /// Adds an inert hook for an array in place of the event map; it is listed and never runs.
    pub(super) fn add_hook_for_misplaced_array(&mut self, node: &Node, off: &Off) {
        let text = |keys: &[&str]| keys.iter().find_map(|key| node.get(key)?.as_str());
        let event = text(EVENT_KEYS).unwrap_or("unknown");
        let Some(command) = text(&["command", "script", "run"]) else { return };
        let scope = Scope {
            event: EventName::new(event),
            spec: find_event(event),
            matcher: matcher_text::parse_matcher(event, text(&["matcher"])),
            matcher_text: None,
            off: Some(off.clone()),
            nesting: Nesting::InGroup,
        };
        self.add_inert_misplaced_command(node, command, &scope);
    }
}

/// Whether the node has fields that only handlers have.
fn has_handler_fields(node: &Node) -> bool {
    HANDLER_KEYS.iter().any(|key| node.get(key).is_some())
}

/// Whether the node is an array with a group.
fn is_array_with_group(node: &Node) -> bool {
    node.as_array().is_some_and(|groups| groups.iter().any(|group| group.get("hooks").is_some()))
}

/// Lists the first keys of an object, for messages.
fn first_keys_text(node: &Node) -> String {
    let keys: Vec<&str> = node.entries().iter().take(3).map(|entry| entry.key.as_str()).collect();
    keys.join("`, `")
}
