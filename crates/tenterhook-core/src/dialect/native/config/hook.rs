//! `[hook.NAME]`: one entry, one hook for each of its events (C-42 to C-53).

use super::fields::Fields;
use super::{Reader, keys, source, values};
use crate::diagnostic::{Code, nearest};
use crate::dialect::native::{NATIVE, table};
use crate::dialect::{ConditionFault, DIALECTS, DialectId, EventRow};
use crate::event::EventName;
use crate::hook::{Arming, Hook, HookId, Phase, Wait};
use crate::matcher::{Condition, Matcher, MatcherSpec};
use crate::source::Switch;
use crate::syntax::{Entry, Node};

impl Reader<'_> {
    pub(super) fn hook(&mut self, entry: &Entry) {
        let count = self.out.diagnostics.len();
        if self.parsed.is_torn(&entry.node) {
            // The first error is what tears the file.
            self.unusable(entry, 0);
        } else if self.good_hook(entry).is_none() {
            self.unusable(entry, count);
        }
    }

    /// The hooks of an entry in which everything is right; `None` where something is wrong, which
    /// was reported.
    fn good_hook(&mut self, entry: &Entry) -> Option<()> {
        if !values::is_name(&entry.key) {
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
        let fields = self.fields(entry, &of, keys::HOOK)?;
        // Nothing but `enabled = false` speaks of a hook that stands elsewhere (C-50).
        if fields.flag("enabled") == Some(false) && entry.node.entries().len() == 1 {
            let place = Some(self.place_of(entry.key_span));
            self.out.switches.push(Switch::DisableHook { name: entry.key.clone(), place });
            return Some(());
        }
        let before = self.errors();
        let hooks = self.hooks_of(&fields);
        let is_rejected = self.errors() > before;
        self.check_expression(&fields, hooks.first());
        // A case that is wrong says nothing of its hook (C-56).
        self.check_cases(&fields);
        if is_rejected {
            return None;
        }
        self.out.hooks.extend(hooks);
        Some(())
    }

    fn hooks_of(&mut self, fields: &Fields<'_>) -> Vec<Hook> {
        let speaks = self.speaks(fields);
        let run = self.run(fields, speaks);
        let events = self.events(fields);
        let matcher = self.matcher(fields);
        let condition = self.condition(fields, speaks);
        let sandbox = self.sandbox(fields);
        let Some(run) = run else { return Vec::new() };
        let mut hooks = Vec::with_capacity(events.len());
        for event in events {
            let row = self.row(&event);
            self.check_subject(fields, &self.spoken(&event, speaks));
            let mut hook =
                Hook::new(HookId::new(fields.entry.key.as_str()), speaks, event, run.clone());
            hook.place = Some(self.place_of(fields.entry.key_span));
            hook.layer = self.source.layer;
            hook.compat = self.source.compat;
            hook.matcher = Matcher::new(matcher.clone());
            hook.condition.clone_from(&condition);
            self.settings(fields, &row, &mut hook);
            hook.sandbox = sandbox.clone();
            hooks.push(hook);
        }
        self.check_waiting(fields, hooks.as_slice());
        hooks
    }

    pub(super) fn settings(&self, fields: &Fields<'_>, row: &EventRow, hook: &mut Hook) {
        hook.timeout = fields.time("timeout");
        hook.on_failure = fields.text("on_failure").and_then(source::on_failure);
        if hook.dialect != DialectId::NATIVE {
            // What this file promises holds for all its hooks, whatever they speak (C-53).
            hook.timeout = hook.timeout.or(Some(NATIVE.timeout(&hook.run, row)));
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
        hook.enforcement = self.enforcement(fields);
        if fields.flag("enabled") == Some(false) {
            let because = "its own entry says `enabled = false`".to_owned();
            hook.arming = Arming::Disarmed { because, rule: "C-50" };
        }
    }

    pub(super) fn speaks(&mut self, fields: &Fields<'_>) -> DialectId {
        let Some(word) = fields.text("speaks") else { return DialectId::NATIVE };
        if let Some(id) = DialectId::find(word) {
            return id;
        }
        let names = || DIALECTS.iter().map(|dialect| dialect.id().as_str());
        let help = nearest(word, names()).map_or_else(
            || format!("this build speaks {}", keys::listed(names())),
            |near| format!("did you mean `{near}`?"),
        );
        self.report(
            Code::UnknownDialect,
            fields.span("speaks"),
            format!("there is no dialect `{word}`"),
        )
        .help = Some(help);
        DialectId::NATIVE
    }

    /// The events of `on`. A hook on an undeclared event is armed, too (C-49).
    fn events(&mut self, fields: &Fields<'_>) -> Vec<EventName> {
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
            if !values::is_name(word) {
                self.report(
                    Code::BadName,
                    span,
                    format!("`{}` cannot name an event", word.escape_default()),
                )
                .help = Some("`tenterhook events` lists the events".to_owned());
                continue;
            }
            self.check_event(word, span);
            let name = EventName::from(word);
            if !events.contains(&name) {
                events.push(name);
            }
        }
        events
    }

    pub(super) fn row(&self, event: &EventName) -> EventRow {
        let declared = self.out.events.iter().find(|row| row.event == event.as_str());
        let found = declared.or_else(|| table::row(event.as_str())).cloned();
        found.unwrap_or_else(|| table::unknown(event))
    }

    /// What the dialect that the hook speaks says of the event: its matchers are tested on that
    /// subject.
    pub(super) fn spoken(&self, event: &EventName, speaks: DialectId) -> EventRow {
        if speaks == DialectId::NATIVE {
            return self.row(event);
        }
        let declared = self.out.events.iter().find(|row| row.event == event.as_str());
        let dialect = speaks.dialect();
        let found = declared.or_else(|| dialect.row(event)).cloned();
        found.unwrap_or_else(|| dialect.unknown_row(event))
    }

    /// A string is words or an expression; a list is exact words (C-48).
    pub(super) fn matcher(&mut self, fields: &Fields<'_>) -> MatcherSpec {
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
        match values::pattern(text) {
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

    /// One rule, or several that must all hold, in the words of what the hook speaks (C-48, C-53).
    pub(super) fn condition(
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
                all.extend(self.when(part));
                continue;
            }
            match speaks.dialect().condition(part, self.source) {
                Ok(condition) => {
                    self.check_condition(part, fields);
                    all.push(condition);
                }
                Err(fault) => self.bad_condition(part, &fault),
            }
        }
        Condition::all(all)
    }

    fn bad_condition(&mut self, node: &Node, fault: &ConditionFault) {
        let message = match node.as_str() {
            Some(text) => format!("`{text}` is not a valid rule: {fault}"),
            None => format!("this is not a valid condition: {fault}"),
        };
        // An object is meant to hold an expression.
        let meant = node.entries().iter().find_map(|entry| nearest(&entry.key, ["when"]));
        let help = match (meant, node.entries()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "write one rule, such as `Bash(git push *)` or `Edit(src/**)`".to_owned(),
            (None, _) => "write an expression as `{ when = \"...\" }`, or one rule, such as `Bash(git push *)`".to_owned(),
        };
        self.report(Code::BadCondition, node.span, message).help = Some(help);
    }
}
