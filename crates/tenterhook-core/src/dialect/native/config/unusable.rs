//! Replaces a rejected entry by a hook that always fails, so that its failure policy decides and a
//! typo removes no gate (C-60, C-61). Reports nothing: the mistake was reported when the entry was
//! rejected.

use super::fields::Fields;
use super::{Reader, check, keys, values};
use crate::diagnostic::Severity;
use crate::dialect::DialectId;
use crate::dialect::native::table;
use crate::event::EventName;
use crate::hook::row::held_events;
use crate::hook::{Hook, HookId, OnFailure, Phase, Run, Unread, Wait};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::Lost;
use crate::syntax::{Entry, Node, NodeValue};

impl Reader<'_> {
    /// Adds a hook that always fails for each event that `entry` names; the diagnostics of the
    /// entry begin at `count`.
    pub(super) fn unusable(&mut self, entry: &Entry, count: usize) {
        let why = self.first_error(count);
        let count = self.out.diagnostics.len();
        let left = self.readable(entry);
        let run = Run::Unusable { part: Unread::Entry, why: why.clone() };
        let hooks = self.hooks_left(entry, &Fields { entry: &left }, &run);
        // An entry without a known event may be a gate on any event (C-61).
        let is_off = left.node.get("enabled").and_then(Node::as_bool) == Some(false);
        if self.out.lost.is_none() && !is_off && !names_events(entry) {
            self.out.lost = Some(Lost { why, place: self.place_of(entry.key_span) });
        }
        self.out.hooks.extend(hooks);
        self.forget(count);
    }

    fn first_error(&self, from: usize) -> String {
        let reported = self.out.diagnostics.iter().skip(from);
        let mut errors = reported.filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.next().map(|error| error.message.clone()).unwrap_or_default()
    }

    /// The entry with nothing but the keys that are written once and hold what they should.
    fn readable(&mut self, entry: &Entry) -> Entry {
        let written = entry.node.entries();
        let fields = written.iter().filter(|field| {
            let known = keys::HOOK.iter().find(|key| key.name == field.key);
            let once = written.iter().filter(|entry| entry.key == field.key).count() == 1;
            known.is_some_and(|key| once && self.is_good(|reader| reader.check(field, key.shape)))
        });
        let value = NodeValue::Object(fields.cloned().collect());
        Entry { node: Node { span: entry.node.span, value }, ..entry.clone() }
    }

    fn hooks_left(&mut self, entry: &Entry, left: &Fields<'_>, run: &Run) -> Vec<Hook> {
        let speaks = self.speaks(left);
        let mut matcher = MatcherSpec::Any;
        if !self.is_good(|reader| matcher = reader.matcher(left)) {
            matcher = MatcherSpec::Any;
        }
        let mut condition = None;
        if !self.is_good(|reader| condition = reader.condition(left, speaks)) {
            condition = None;
        }
        let mut hooks = Vec::new();
        for event in self.events_left(entry) {
            let row = self.row(&event);
            let spoken = self.spoken(&event, speaks);
            let id = HookId::new(name(&entry.key));
            let mut hook = Hook::new(id, speaks, event, run.clone());
            hook.place = Some(self.place_of(entry.key_span));
            hook.layer = self.source.layer;
            hook.compat = self.source.compat;
            hook.matcher = Matcher::new(matcher.clone());
            // A rule on an event that it cannot be about would never hold: the gate would be gone
            // after all.
            if self.is_good(|reader| reader.check_subject(left, &spoken)) {
                hook.condition.clone_from(&condition);
            } else {
                hook.matcher = Matcher::new(MatcherSpec::Any);
            }
            self.settings(left, &row, &mut hook);
            // A rewrite cannot happen in the background: the option that restrains more wins.
            if hook.phase == Phase::Rewrite {
                hook.wait = Wait::Attached;
            }
            // What never runs has not run, and no protocol promises anything about an entry of this
            // file.
            hook.once = false;
            if speaks != DialectId::NATIVE {
                hook.on_failure = hook.on_failure.or(Some(row.failure));
            }
            // A user who repairs the file with an agent needs prompts and the end of a turn (C-60).
            if is_repair(&hook.event) {
                hook.on_failure = Some(OnFailure::Continue);
            }
            hooks.push(hook);
        }
        hooks
    }

    /// Every event that some `on` of the entry names; a gate stands at the event that was meant
    /// (C-49).
    fn events_left(&self, entry: &Entry) -> Vec<EventName> {
        let mut events: Vec<EventName> = Vec::new();
        for field in entry.node.entries().iter().filter(|field| field.key == "on") {
            let list = field.node.as_array().unwrap_or(std::slice::from_ref(&field.node));
            for word in list.iter().filter_map(Node::as_str).filter(|word| values::is_name(word)) {
                let meant = self.meant(word).filter(|text| check::is_gate(text));
                let event = EventName::from(meant.as_deref().unwrap_or(word));
                if !events.contains(&event) {
                    events.push(event);
                }
            }
        }
        events
    }

    fn is_good(&mut self, read: impl FnOnce(&mut Self)) -> bool {
        let before = self.errors();
        read(self);
        self.errors() == before
    }
}

/// Whether a mistake in a file does not block an event: a built-in event that is not a call.
fn is_repair(event: &EventName) -> bool {
    table::row(event.as_str()).is_some() && !held_events().any(|(held, _)| event.as_str() == held)
}

/// Whether all that the entry says about its events can be read.
fn names_events(entry: &Entry) -> bool {
    let mut written = entry.node.entries().iter().filter(|field| field.key == "on").peekable();
    let is_good = |node: &Node| {
        let list = node.as_array().unwrap_or(std::slice::from_ref(node));
        !list.is_empty() && list.iter().all(|node| node.as_str().is_some_and(values::is_name))
    };
    written.peek().is_some() && written.all(|field| is_good(&field.node))
}

/// A name that can stand on a screen, made of one that cannot.
fn name(text: &str) -> String {
    if values::is_name(text) {
        return text.to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = text.chars().take(64).map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}
