//! `[hook.NAME]`: one entry, one hook for each of its events (C-42 to C-53).

use super::fields::Fields;
use super::{Reader, keys, source, values};
use crate::answer::Power;
use crate::config::Switch;
use crate::diagnostic::{Severity, Span, nearest};
use crate::dialect::native::{Native, cases, table};
use crate::dialect::{DIALECTS, Dialect, DialectId, EventRow, Subject};
use crate::event::EventName;
use crate::hook::{Arming, Hook, HookId, OnFailure, Phase, Wait};
use crate::matcher::rule::Rule;
use crate::matcher::{Condition, Matcher, MatcherSpec};
use crate::syntax::{Entry, Node};

impl Reader<'_> {
    pub(super) fn hook(&mut self, entry: &Entry) {
        let told = self.out.diagnostics.len();
        if self.good_hook(entry).is_none() {
            self.unusable(entry, told);
        }
    }

    /// The hooks of an entry in which everything is right; `None` where something is wrong, which was reported.
    fn good_hook(&mut self, entry: &Entry) -> Option<()> {
        if !values::is_name(&entry.key) {
            self.report(
                "bad-name",
                Severity::Error,
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
        if self.errors() > before {
            return None;
        }
        self.check_expression(&fields, hooks.first());
        self.out.hooks.extend(hooks);
        Some(())
    }

    /// An expression that cannot be compiled costs nobody the hook: its failure policy decides each time (S-3), which is
    /// safer than a gate that is gone.
    fn check_expression(&mut self, fields: &Fields<'_>, hook: Option<&Hook>) {
        let Some(Err(why)) = hook.map(|hook| hook.matcher.compile()) else { return };
        self.report(
            "bad-expression",
            Severity::Error,
            fields.span("match"),
            format!("`match` is no expression: {why}"),
        )
        .help = Some("until it is mended, the hook's failure policy decides each time".to_owned());
    }

    fn hooks_of(&mut self, fields: &Fields<'_>) -> Vec<Hook> {
        let speaks = self.speaks(fields);
        let run = self.run(fields, speaks);
        let events = self.events(fields);
        let matcher = self.matcher(fields);
        let condition = self.condition(fields, speaks);
        self.check_cases(fields);
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
            hook.timeout = hook.timeout.or(Some(Native.timeout(&hook.run, row)));
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
        let names = || DIALECTS.iter().map(|it| it.id().as_str());
        let help = nearest(word, names()).map_or_else(
            || format!("this build speaks {}", keys::listed(names())),
            |near| format!("did you mean `{near}`?"),
        );
        self.report(
            "unknown-dialect",
            Severity::Error,
            fields.span("speaks"),
            format!("there is no dialect `{word}`"),
        )
        .help = Some(help);
        DialectId::NATIVE
    }

    /// The events of `on`; one that nobody declares is armed all the same (C-49).
    fn events(&mut self, fields: &Fields<'_>) -> Vec<EventName> {
        let words = fields.words("on");
        if words.is_empty() {
            self.report(
                "missing-event",
                Severity::Error,
                fields.entry.key_span,
                format!("hook `{}` says no event", fields.entry.key),
            )
            .help = Some("add `on = \"PreToolUse\"`; `tenterhook events` lists them".to_owned());
        }
        let mut events: Vec<EventName> = Vec::with_capacity(words.len());
        for (word, span) in words {
            if !values::is_name(word) {
                self.report(
                    "bad-name",
                    Severity::Error,
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

    fn check_event(&mut self, word: &str, span: Span) {
        let built_in = DIALECTS.iter().flat_map(|it| it.rows()).map(|row| &*row.event);
        let declared: Vec<String> =
            self.out.events.iter().map(|row| row.event.to_string()).collect();
        let all: Vec<&str> = built_in.chain(declared.iter().map(String::as_str)).collect();
        if all.contains(&word) {
            return;
        }
        let help = match nearest(word, all) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it with `[event.\"{word}\"]` if it is one of your own"),
        };
        self.report(
            "unknown-event",
            Severity::Warning,
            span,
            format!("no event is called `{word}`; the hook waits for one of that name, and only observes it"),
        )
        .help = Some(help);
    }

    pub(super) fn row(&self, event: &EventName) -> EventRow {
        let declared = self.out.events.iter().find(|row| row.event == event.as_str());
        let found = declared.or_else(|| table::row(event.as_str())).cloned();
        found.unwrap_or_else(|| table::unknown(event))
    }

    /// What the dialect that the hook speaks says of the event: its matchers are tested on that subject.
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
                fields.words("match").into_iter().map(|(word, _)| word.to_owned()).collect();
            if words.is_empty() || words.iter().any(String::is_empty) {
                let message = "`match` has no word, so the hook would never run".to_owned();
                self.report("bad-matcher", Severity::Error, node.span, message).help =
                    Some("leave `match` out to run on every one, or write a word".to_owned());
            }
            return MatcherSpec::Words(words);
        };
        match values::pattern(text) {
            Ok(spec) => spec,
            Err(help) => {
                self.report(
                    "bad-matcher",
                    Severity::Error,
                    node.span,
                    format!("`match = \"{text}\"` is no list of words"),
                )
                .help = Some(help);
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
        for part in node.as_array().unwrap_or(std::slice::from_ref(node)) {
            if part.as_str().is_some_and(|text| text.trim().is_empty()) {
                self.report("bad-condition", Severity::Error, part.span, "`if` is empty").help =
                    Some("leave `if` out to run on every tool call, or write a rule".to_owned());
                continue;
            }
            if part.get("when").is_some() {
                all.extend(self.when(part));
                continue;
            }
            match speaks.dialect().condition(part, self.source) {
                Ok(condition) => {
                    self.check_tool(part);
                    all.push(condition);
                }
                Err(why) => self.bad_condition(part, &why),
            }
        }
        Condition::all(all)
    }

    fn bad_condition(&mut self, node: &Node, why: &str) {
        let message = match node.as_str() {
            Some(text) => format!("`{text}` is no rule: {why}"),
            None => format!("this is no condition: {why}"),
        };
        self.report("bad-condition", Severity::Error, node.span, message).help =
            Some("write one rule, such as `Bash(git push *)` or `Edit(src/**)`".to_owned());
    }

    fn check_tool(&mut self, node: &Node) {
        let text = node.as_str().unwrap_or_default();
        let Some((wrong, right)) = text.split('(').next().and_then(miscased) else { return };
        let message = format!("no tool is called `{wrong}`, so this rule never holds");
        self.report("dead-condition", Severity::Warning, node.span, message).help =
            Some(format!("case counts: write `{right}`"));
    }

    /// A pattern or rule on an event that has nothing to test it on restricts nothing, or everything (C-48).
    pub(super) fn check_subject(&mut self, fields: &Fields<'_>, row: &EventRow) {
        if row.subject == Subject::None && fields.has("match") {
            self.report(
                "matcher-without-subject",
                Severity::Warning,
                fields.key_span("match"),
                format!(
                    "`{}` has no subject, so `match` is ignored and the hook runs on every one",
                    row.name
                ),
            )
            .help = Some("leave `match` out".to_owned());
        }
        // What is no rule about a tool call, a dialect of its own reads.
        let about_tool = matches!(row.subject, Subject::Field("tool_name") | Subject::Tool(_));
        if !about_tool && fields.get("if").is_some_and(|it| it.as_str().is_some()) {
            self.report(
                "condition-without-tool",
                Severity::Error,
                fields.key_span("if"),
                format!("`if` is a rule about a tool call, and `{}` is about none", row.name),
            )
            .help = Some("leave `if` out, or use an event such as `PreToolUse`".to_owned());
        }
        self.check_tools(fields, row);
        self.check_let_through(fields, row);
        let Some((_, values)) = table::VALUES.iter().find(|(event, _)| *event == row.event) else {
            return;
        };
        self.check_values(fields, row, values);
    }

    /// The names of tools are open, but nobody calls one `bash` beside `Bash`.
    fn check_tools(&mut self, fields: &Fields<'_>, row: &EventRow) {
        if row.subject != Subject::Field("tool_name") {
            return;
        }
        for word in match_words(fields) {
            let Some((wrong, right)) = miscased(word) else { continue };
            let message = format!("no tool is called `{wrong}`");
            self.report("dead-matcher", Severity::Warning, fields.span("match"), message).help =
                Some(format!("case counts: write `{right}`"));
        }
    }

    /// A rule about a tool that `match` keeps out never holds.
    fn check_let_through(&mut self, fields: &Fields<'_>, row: &EventRow) {
        let words = match_words(fields);
        if row.subject != Subject::Field("tool_name") || words.is_empty() {
            return;
        }
        for (text, span) in fields.words("if") {
            let rule = Rule::parse(text).ok();
            let Some(tool) = rule.as_ref().and_then(Rule::tool) else { continue };
            if words.contains(&tool) || miscased(tool).is_some() {
                continue;
            }
            let message = format!("`match` lets no `{tool}` through, so this rule never holds");
            self.report("dead-condition", Severity::Warning, span, message).help =
                Some(format!("add `{tool}` to `match`, or change the rule"));
        }
    }

    fn check_values(&mut self, fields: &Fields<'_>, row: &EventRow, known: &[&str]) {
        for word in match_words(fields).into_iter().filter(|word| !known.contains(word)) {
            let help = nearest(word, known.iter().copied()).map_or_else(
                || format!("it can be {}", keys::listed(known.iter().copied())),
                |near| format!("did you mean `{near}`?"),
            );
            self.report(
                "dead-matcher",
                Severity::Warning,
                fields.span("match"),
                format!("`{}` never has `{word}` for its subject", row.name),
            )
            .help = Some(help);
        }
    }

    /// What a hook says while nobody waits for it decides nothing (C-51).
    fn check_waiting(&mut self, fields: &Fields<'_>, hooks: &[Hook]) {
        let Some(hook) = hooks.first().filter(|hook| hook.wait != Wait::Attached) else { return };
        let key = if hook.wait == Wait::Rewake { "wake" } else { "background" };
        if hook.phase == Phase::Rewrite {
            self.report(
                "background-rewrite",
                Severity::Error,
                fields.key_span(key),
                "nobody waits for a hook in the background, so it can rewrite nothing",
            )
            .help = Some(format!("leave out `{key}` or `phase`"));
        } else if fields.has("on_failure") && hook.on_failure != Some(OnFailure::Continue) {
            self.report(
                "background-gate",
                Severity::Warning,
                fields.key_span("on_failure"),
                "nobody waits for a hook in the background, so its failure cannot restrain anything",
            )
            .help = Some(format!("leave out `{key}` to make it a gate, or `on_failure`"));
        } else if hook.wait == Wait::Detached
            && self.row(&hook.event).powers.has(Power::Deny)
            && fields.text("phase") == Some("decide")
        {
            self.report(
                "background-gate",
                Severity::Warning,
                fields.key_span(key),
                "nobody waits for a hook in the background, so it can decide nothing",
            )
            .help = Some(format!("leave out `{key}` to make it a gate"));
        }
    }

    fn check_cases(&mut self, fields: &Fields<'_>) {
        let Some(node) = fields.get("test") else { return };
        for node in cases::nodes(node) {
            let entry = Entry { key: "test".to_owned(), key_span: node.span, node: node.clone() };
            let Some(case) = self.fields(&entry, "a case of `test`", keys::TEST) else { continue };
            for key in ["event", "expect"].into_iter().filter(|key| !case.has(key)) {
                self.report(
                    "missing-key",
                    Severity::Error,
                    node.span,
                    format!("a case of `test` needs `{key}`"),
                )
                .help = Some("write `test = [{ event = { ... }, expect = \"deny\" }]`".to_owned());
            }
        }
    }
}

/// The exact words of `match`; of an expression, none.
fn match_words<'n>(fields: &Fields<'n>) -> Vec<&'n str> {
    match fields.text("match") {
        Some(text) if matches!(values::pattern(text), Ok(MatcherSpec::Words(_))) => {
            text.split('|').map(str::trim).collect()
        }
        Some(_) => Vec::new(),
        None => fields.words("match").into_iter().map(|(word, _)| word).collect(),
    }
}

/// A name that differs from that of a known tool in nothing but case, and that of the tool.
fn miscased(word: &str) -> Option<(&str, &'static str)> {
    let word = word.trim();
    let near = table::TOOLS.iter().find(|tool| tool.eq_ignore_ascii_case(word))?;
    (*near != word).then_some((word, *near))
}
