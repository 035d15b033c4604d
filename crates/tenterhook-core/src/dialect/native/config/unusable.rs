//! Replaces a rejected entry by a hook that always fails, so that its failure policy decides and a
//! typo removes no gate (C-60, C-61). Reports nothing: the mistake was reported when the entry was
//! rejected.

use super::fields::Fields;
use super::{Reader, check, keys, values};
use crate::diagnostic::Severity;
use crate::dialect::DialectId;
use crate::dialect::native::table;
use crate::event::EventName;
use crate::hook::row::events_gated_if_config_unreadable;
use crate::hook::{Hook, HookId, OnFailure, Phase, Run, Unread, Wait};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::Lost;
use crate::syntax::{Entry, Node, NodeValue};

impl Reader<'_> {
    /// Adds a hook that always fails for each event that `entry` names; the diagnostics of the
    /// entry begin at `count`.
    pub(super) fn add_unusable_hooks(&mut self, entry: &Entry, count: usize) {
        let why = self.first_error_message(count);
        let count = self.out.diagnostics.len();
        let left = self.entry_with_only_valid_fields(entry);
        let run = Run::Unusable { part: Unread::Entry, why: why.clone() };
        let hooks = self.build_unusable_hooks(entry, &Fields { entry: &left }, &run);
        // An entry without a known event may be a gate on any event (C-61).
        let is_off = left.node.get("enabled").and_then(Node::as_bool) == Some(false);
        if self.out.lost.is_none() && !is_off && !has_readable_event_names(entry) {
            self.out.lost = Some(Lost { why, place: self.location_of(entry.key_span) });
        }
        self.out.hooks.extend(hooks);
        self.truncate_diagnostics(count);
    }

    fn first_error_message(&self, from: usize) -> String {
        let reported = self.out.diagnostics.iter().skip(from);
        let mut errors = reported.filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.next().map(|error| error.message.clone()).unwrap_or_default()
    }

    /// Returns the entry reduced to the keys that are written once and have a valid value.
    fn entry_with_only_valid_fields(&mut self, entry: &Entry) -> Entry {
        let written = entry.node.entries();
        let fields = written.iter().filter(|field| {
            let known = keys::HOOK.iter().find(|key| key.name == field.key);
            let once = written.iter().filter(|entry| entry.key == field.key).count() == 1;
            known.is_some_and(|key| {
                once && self
                    .reads_without_error(|reader| reader.check_value_shape(field, key.shape))
            })
        });
        let value = NodeValue::Object(fields.cloned().collect());
        Entry { node: Node { span: entry.node.span, value }, ..entry.clone() }
    }

    fn build_unusable_hooks(&mut self, entry: &Entry, left: &Fields<'_>, run: &Run) -> Vec<Hook> {
        let speaks = self.read_spoken_dialect(left);
        let mut matcher = MatcherSpec::Any;
        if !self.reads_without_error(|reader| matcher = reader.read_matcher(left)) {
            matcher = MatcherSpec::Any;
        }
        let mut condition = None;
        if !self.reads_without_error(|reader| condition = reader.read_condition(left, speaks)) {
            condition = None;
        }
        let mut hooks = Vec::new();
        for event in self.events_of_unusable_entry(entry) {
            let row = self.native_event_row(&event);
            let spoken = self.event_row_in_dialect(&event, speaks);
            let id = HookId::new(printable_name(&entry.key));
            let mut hook = Hook::new(id, speaks, event, run.clone());
            hook.place = Some(self.location_of(entry.key_span));
            hook.layer = self.source.layer;
            hook.compat = self.source.compat;
            hook.matcher = Matcher::new(matcher.clone());
            // A rule on an event that it cannot be about would never hold: the gate would be gone
            // after all.
            if self.reads_without_error(|reader| reader.check_match_and_if(left, &spoken)) {
                hook.condition.clone_from(&condition);
            } else {
                hook.matcher = Matcher::new(MatcherSpec::Any);
            }
            self.apply_settings_to_hook(left, &row, &mut hook);
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
            if is_event_needed_for_repair(&hook.event) {
                hook.on_failure = Some(OnFailure::Continue);
            }
            hooks.push(hook);
        }
        hooks
    }

    /// Returns every event that some `on` of the entry names. For a misspelt gate, the event that
    /// was meant is used (C-49).
    fn events_of_unusable_entry(&self, entry: &Entry) -> Vec<EventName> {
        let mut events: Vec<EventName> = Vec::new();
        for field in entry.node.entries().iter().filter(|field| field.key == "on") {
            let list = field.node.as_array().unwrap_or(std::slice::from_ref(&field.node));
            for word in
                list.iter().filter_map(Node::as_str).filter(|word| values::is_valid_name(word))
            {
                let meant =
                    self.name_of_meant_event(word).filter(|text| check::is_gate_event(text));
                let event = EventName::from(meant.as_deref().unwrap_or(word));
                if !events.contains(&event) {
                    events.push(event);
                }
            }
        }
        events
    }

    fn reads_without_error(&mut self, read: impl FnOnce(&mut Self)) -> bool {
        let before = self.error_count();
        read(self);
        self.error_count() == before
    }
}

/// Returns `true` if a mistake in a file does not block the event: it is a built-in event and not a
/// call.
fn is_event_needed_for_repair(event: &EventName) -> bool {
    table::built_in_row(event.as_str()).is_some()
        && !events_gated_if_config_unreadable().any(|(held, _)| event.as_str() == held)
}

/// Returns `true` if everything that the entry says about its events can be read.
fn has_readable_event_names(entry: &Entry) -> bool {
    let mut written = entry.node.entries().iter().filter(|field| field.key == "on").peekable();
    let is_good = |node: &Node| {
        let list = node.as_array().unwrap_or(std::slice::from_ref(node));
        !list.is_empty() && list.iter().all(|node| node.as_str().is_some_and(values::is_valid_name))
    };
    written.peek().is_some() && written.all(|field| is_good(&field.node))
}

/// Returns the name in characters that a terminal can show safely.
fn printable_name(text: &str) -> String {
    if values::is_valid_name(text) {
        return text.to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = text.chars().take(64).map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}
