//! `[hook.NAME]`: one entry, one hook for each of its events (C-42 to C-53).

use super::fields::Fields;
use super::{Reader, keys, source, values};
use crate::diagnostic::{Code, nearest_word};
use crate::dialect::native::{NATIVE, table};
use crate::dialect::{ConditionFault, DIALECTS, DialectId, EventRow};
use crate::event::EventName;
use crate::hook::{Arming, Hook, HookId, Phase, Wait};
use crate::matcher::{Condition, Matcher, MatcherSpec};
use crate::source::Switch;
use crate::syntax::{Entry, Node};

impl Reader<'_> {
    pub(super) fn read_hook(&mut self, entry: &Entry) {
        let count = self.out.diagnostics.len();
        if self.parsed.is_torn(&entry.node) {
            // The first error is what tears the file.
            self.add_unusable_hooks(entry, 0);
        } else if self.read_hook_if_valid(entry).is_none() {
            self.add_unusable_hooks(entry, count);
        }
    }

    /// Reads an entry without mistakes; returns `None` if something is wrong, which is reported.
    fn read_hook_if_valid(&mut self, entry: &Entry) -> Option<()> {
        if !values::is_valid_name(&entry.key) {
            self.report(
                Code::BadName,
                entry.key_span,
                format!("`{}` cannot name a hook", entry.key.escape_default()),
            )
            .help = Some(
                "letters, digits and `.`, `_`, `-`, `:`, `/` make a name, at most 64".to_owned(),
            );
            return None;
        }
        let of = format!("hook `{}`", entry.key);
        let fields = self.read_checked_fields(entry, &of, keys::HOOK)?;
        if self.read_switches_of_other_hook(&fields) {
            return Some(());
        }
        let (before, first) = (self.error_count(), self.out.diagnostics.len());
        let hooks = self.build_hooks(&fields);
        let is_rejected = self.error_count() > before;
        self.check_match_regex(&fields, hooks.first());
        // A case that is wrong says nothing of its hook (C-56).
        self.check_cases_beside_hook(&fields);
        if is_rejected {
            return None;
        }
        self.make_dead_gate_findings_errors(&fields, &hooks, first);
        self.out.hooks.extend(hooks);
        Some(())
    }

    /// Reads an entry that has no key besides `enabled` and `mode`: it is about a hook that another
    /// file has, and only `enabled = false` has an effect on that (C-50).
    fn read_switches_of_other_hook(&mut self, fields: &Fields<'_>) -> bool {
        let entry = fields.entry;
        let is_switch = |field: &Entry| ["enabled", "mode"].contains(&field.key.as_str());
        if entry.node.entries().is_empty() || !entry.node.entries().iter().all(is_switch) {
            return false;
        }
        let name = || entry.key.clone();
        let place = || Some(self.location_of(entry.key_span));
        let is_off = fields.flag("enabled") == Some(false);
        let keys = match (fields.has_key("mode"), fields.flag("enabled")) {
            (true, Some(true)) => Some("`mode` and `enabled = true`"),
            (true, _) => Some("`mode`"),
            (false, Some(true)) => Some("`enabled = true`"),
            (false, _) => None,
        };
        let off = is_off.then(|| Switch::DisableHook { name: name(), place: place() });
        let adjusted = keys.map(|keys| Switch::AdjustHook { name: name(), keys, place: place() });
        let switches: Vec<Switch> = off.into_iter().chain(adjusted).collect();
        self.out.switches.extend(switches);
        true
    }

    fn build_hooks(&mut self, fields: &Fields<'_>) -> Vec<Hook> {
        let speaks = self.read_spoken_dialect(fields);
        let run = self.read_run(fields, speaks);
        let events = self.read_hook_events(fields);
        let matcher = self.read_matcher(fields);
        let condition = self.read_condition(fields, speaks);
        let sandbox = self.read_sandbox(fields);
        let Some(run) = run else { return Vec::new() };
        let mut hooks = Vec::with_capacity(events.len());
        for event in events {
            let row = self.native_event_row(&event);
            self.report_decision_without_effect(fields, &row);
            self.check_match_and_if(fields, &self.event_row_in_dialect(&event, speaks));
            let mut hook =
                Hook::new(HookId::new(fields.entry.key.as_str()), speaks, event, run.clone());
            hook.place = Some(self.location_of(fields.entry.key_span));
            hook.layer = self.source.layer;
            hook.compat = self.source.compat;
            hook.matcher = Matcher::new(matcher.clone());
            hook.condition.clone_from(&condition);
            self.apply_settings_to_hook(fields, &row, &mut hook);
            hook.sandbox = sandbox.clone();
            hooks.push(hook);
        }
        self.report_background_gate(fields, hooks.as_slice());
        hooks
    }

    pub(super) fn apply_settings_to_hook(
        &self,
        fields: &Fields<'_>,
        row: &EventRow,
        hook: &mut Hook,
    ) {
        hook.timeout = fields.duration("timeout");
        hook.on_failure = fields.text("on_failure").and_then(source::failure_policy_of_word);
        if hook.dialect != DialectId::NATIVE {
            // What this file promises holds for all its hooks, whatever they speak (C-53).
            hook.timeout = hook.timeout.or(Some(NATIVE.default_timeout(&hook.run, row)));
            let promised = fields.text("on_failure") == Some(keys::PROMISED);
            hook.on_failure = hook.on_failure.or(Some(row.failure)).filter(|_| !promised);
        }
        hook.answer_required = fields.text("answer") == Some("required");
        hook.phase = match fields.text("phase") {
            Some("rewrite") => Phase::Rewrite,
            Some("observe") => Phase::Observe,
            _ => Phase::Decide,
        };
        hook.wait = match (fields.flag("wake"), fields.flag("background")) {
            (Some(true), _) => Wait::Rewake,
            (_, Some(true)) => Wait::Detached,
            _ => Wait::Attached,
        };
        hook.once = fields.flag("once").unwrap_or(false);
        hook.status = fields.text("status").map(str::to_owned);
        hook.enforcement = self.read_enforcement(fields);
        if fields.flag("enabled") == Some(false) {
            let because = "its own entry says `enabled = false`".to_owned();
            hook.arming = Arming::Disarmed { because, rule: "C-50" };
        }
    }

    pub(super) fn read_spoken_dialect(&mut self, fields: &Fields<'_>) -> DialectId {
        let Some(word) = fields.text("speaks") else { return DialectId::NATIVE };
        if let Some(id) = DialectId::from_name(word) {
            return id;
        }
        let names = || DIALECTS.iter().map(|dialect| dialect.id().as_str());
        let help = nearest_word(word, names()).map_or_else(
            || format!("this build speaks {}", keys::join_quoted(names())),
            |near| format!("did you mean `{near}`?"),
        );
        self.report(
            Code::UnknownDialect,
            fields.value_span("speaks"),
            format!("there is no dialect `{word}`"),
        )
        .help = Some(help);
        DialectId::NATIVE
    }

    /// Reads the events of `on`. A hook on an undeclared event is armed, too (C-49).
    fn read_hook_events(&mut self, fields: &Fields<'_>) -> Vec<EventName> {
        let words = fields.strings("on");
        if words.is_empty() {
            self.report(
                Code::MissingEvent,
                fields.entry.key_span,
                format!("hook `{}` says no event", fields.entry.key),
            )
            .help = Some("add `on = \"PreToolUse\"`; `tenterhook events` lists them".to_owned());
        }
        let mut events: Vec<EventName> = Vec::with_capacity(words.len());
        for (word, span) in words {
            if !values::is_valid_name(word) {
                self.report(
                    Code::BadName,
                    span,
                    format!("`{}` cannot name an event", word.escape_default()),
                )
                .help = Some("`tenterhook events` lists the events".to_owned());
                continue;
            }
            self.check_event_name(word, span);
            let name = EventName::from(word);
            if !events.contains(&name) {
                events.push(name);
            }
        }
        events
    }

    pub(super) fn native_event_row(&self, event: &EventName) -> EventRow {
        let declared = self.out.events.iter().find(|row| row.event == event.as_str());
        let found = declared.or_else(|| table::built_in_row(event.as_str())).cloned();
        found.unwrap_or_else(|| table::undeclared_row(event))
    }

    /// Returns the row of the event in the dialect that the hook speaks: its matchers are tested on
    /// that subject.
    pub(super) fn event_row_in_dialect(&self, event: &EventName, speaks: DialectId) -> EventRow {
        if speaks == DialectId::NATIVE {
            return self.native_event_row(event);
        }
        let declared = self.out.events.iter().find(|row| row.event == event.as_str());
        let dialect = speaks.dialect();
        let found = declared.or_else(|| dialect.event_row(event)).cloned();
        found.unwrap_or_else(|| dialect.row_for_unknown_event(event))
    }

    /// Reads `match`: a string is words or an expression, a list is exact words (C-48).
    pub(super) fn read_matcher(&mut self, fields: &Fields<'_>) -> MatcherSpec {
        let Some(node) = fields.get("match") else { return MatcherSpec::Any };
        let Some(text) = node.as_str() else {
            let words: Vec<String> =
                fields.strings("match").into_iter().map(|(word, _)| word.to_owned()).collect();
            if words.is_empty() || words.iter().any(String::is_empty) {
                let message = "`match` has no word, so the hook would never run".to_owned();
                self.report(Code::BadMatcher, node.span, message).help =
                    Some("leave `match` out to run on every one, or write a word".to_owned());
            }
            return MatcherSpec::Words(words);
        };
        match values::parse_match_text(text) {
            Ok(spec) => spec,
            Err(fault) => {
                self.report(
                    Code::BadMatcher,
                    node.span,
                    format!("`match = \"{text}\"` is not a valid list of words"),
                )
                .help = Some(fault.to_string());
                MatcherSpec::Any
            }
        }
    }

    /// Reads `if`: one rule, or several that must all hold, in the dialect that the hook speaks
    /// (C-48, C-53).
    pub(super) fn read_condition(
        &mut self,
        fields: &Fields<'_>,
        speaks: DialectId,
    ) -> Option<Condition> {
        let node = fields.get("if")?;
        let mut all = Vec::new();
        if node.as_array().is_some_and(<[Node]>::is_empty) {
            self.report(Code::BadCondition, node.span, "`if` is empty").help =
                Some("leave `if` out to run on every tool call, or write a rule".to_owned());
        }
        for part in node.as_array().unwrap_or(std::slice::from_ref(node)) {
            if part.as_str().is_some_and(|text| text.trim().is_empty()) {
                self.report(Code::BadCondition, part.span, "`if` is empty").help =
                    Some("leave `if` out to run on every tool call, or write a rule".to_owned());
                continue;
            }
            if part.get("when").is_some() {
                all.extend(self.read_when_condition(part));
                continue;
            }
            match speaks.dialect().read_condition(part, self.source) {
                Ok(condition) => {
                    self.check_tool_rule(part, fields);
                    all.push(condition);
                }
                Err(fault) => self.report_bad_condition(part, &fault),
            }
        }
        Condition::all(all)
    }

    fn report_bad_condition(&mut self, node: &Node, fault: &ConditionFault) {
        let message = match node.as_str() {
            Some(text) => format!("`{text}` is not a valid rule: {fault}"),
            None => format!("this is not a valid condition: {fault}"),
        };
        // An object is meant to hold an expression.
        let meant = node.entries().iter().find_map(|entry| nearest_word(&entry.key, ["when"]));
        let help = match (meant, node.entries()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "write one rule, such as `Bash(git push *)` or `Edit(src/**)`".to_owned(),
            (None, _) => "write an expression as `{ when = \"...\" }`, or one rule, such as `Bash(git push *)`".to_owned(),
        };
        self.report(Code::BadCondition, node.span, message).help = Some(help);
    }
}
