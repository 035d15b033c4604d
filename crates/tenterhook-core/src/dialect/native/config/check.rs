//! Checks whether a hook can do what its entry says: whether its event, tools and values exist, and
//! whether the event waits for its answer.

use super::fields::Fields;
use super::tools::exact_match_words;
use super::{Reader, keys};
use crate::answer::Power;
use crate::diagnostic::{Code, Diagnostic, Severity, Span, nearest_word};
use crate::dialect::native::table;
use crate::dialect::{DIALECTS, EventRow, Subject};
use crate::hook::{Hook, OnFailure, Phase, Wait};

/// Returns a name in lower case without punctuation, because agents spell one name in several ways.
fn normalize_name_spelling(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Reader<'_> {
    /// Reports an invalid regular expression in `match`. The hook is kept, and its failure policy
    /// decides each time (S-3), which is safer than a missing gate.
    pub(super) fn check_match_regex(&mut self, fields: &Fields<'_>, hook: Option<&Hook>) {
        let Some(hook) = hook else { return };
        let Err(why) = hook.matcher.compile() else { return };
        let policy = hook.on_failure.unwrap_or_else(|| self.native_event_row(&hook.event).failure);
        let until =
            format!("until it is mended, {}", policy.describe_consequence(hook.event.as_str()));
        let help =
            why.remedy().map_or_else(|| until.clone(), |remedy| format!("{remedy}; {until}"));
        let message = format!("`match` is not a valid regular expression: {why}");
        self.report(Code::BadExpression, fields.value_span("match"), message).help = Some(help);
    }

    /// Reports an unknown event. A name close to that of an event before an effect was meant for a
    /// gate, and rejects the entry (C-49).
    pub(super) fn check_event_name(&mut self, word: &str, span: Span) {
        let meant = self.name_of_meant_event(word);
        if meant.as_deref() == Some(word) {
            return;
        }
        let declare = format!("declare it with `[event.\"{word}\"]` if it is one of your own");
        let (severity, message, help) = match meant {
            Some(near) if is_gate_event(&near) => (
                Severity::Error,
                format!("no event is called `{word}`, and a gate of `{near}` may be meant"),
                format!("write `{near}`; {declare}"),
            ),
            near => (
                Severity::Warning,
                format!(
                    "no event is called `{word}`; the hook waits for one of that name, and only observes it"
                ),
                near.map_or(declare, |near| format!("did you mean `{near}`?")),
            ),
        };
        let place = self.location_of(span);
        self.push_diagnostic(
            Diagnostic::new(Code::UnknownEvent, message, place).with_severity(severity).help(help),
        );
    }

    /// Returns the event that is called `word`, else the one that an agent calls so, else the
    /// nearest.
    pub(super) fn name_of_meant_event(&self, word: &str) -> Option<String> {
        let built_in =
            || DIALECTS.iter().flat_map(|dialect| dialect.event_rows()).map(|row| &*row.event);
        let declared = || self.out.events.iter().map(|row| &*row.event);
        let all = || built_in().chain(declared());
        if all().any(|event| event == word) {
            return Some(word.to_owned());
        }
        let letters = normalize_name_spelling(word);
        let mut rows = DIALECTS.iter().flat_map(|dialect| dialect.event_rows());
        let of_agent = rows
            .find(|row| self::normalize_name_spelling(&row.name) == letters)
            .map(|row| &*row.event);
        of_agent.or_else(|| nearest_word(word, all())).map(str::to_owned)
    }

    /// Reports a pattern or rule on an event that has nothing to test it on: it restricts nothing,
    /// or everything (C-48).
    pub(super) fn check_match_and_if(&mut self, fields: &Fields<'_>, row: &EventRow) {
        // For a misspelt event, the event that was meant may have a subject.
        let is_slip = |text: &str| text != &*row.event;
        if row.subject == Subject::None
            && fields.has_key("match")
            && !self.name_of_meant_event(&row.event).as_deref().is_some_and(is_slip)
        {
            self.report(
                Code::MatcherWithoutSubject,
                fields.key_span("match"),
                format!(
                    "`{}` has no subject, so `match` is ignored and the hook runs on every one",
                    row.name
                ),
            )
            .help = Some("leave `match` out".to_owned());
        }
        // A condition that is not a rule about a tool call is read by its dialect.
        let about_tool = matches!(row.subject, Subject::Field("tool_name") | Subject::Tool(_));
        if !about_tool && fields.get("if").is_some_and(|node| node.as_str().is_some()) {
            self.report(
                Code::ConditionWithoutTool,
                fields.key_span("if"),
                format!("`if` is a rule about a tool call, and `{}` is about none", row.name),
            )
            .help = Some("leave `if` out, or use an event such as `PreToolUse`".to_owned());
        }
        self.check_tool_matchers(fields, row);
        let Some((_, values)) = table::VALUES.iter().find(|(event, _)| *event == row.event) else {
            return;
        };
        self.check_match_values(fields, row, values);
    }

    fn check_match_values(&mut self, fields: &Fields<'_>, row: &EventRow, known: &[&str]) {
        for word in exact_match_words(fields).into_iter().filter(|word| !known.contains(word)) {
            let help = nearest_word(word, known.iter().copied()).map_or_else(
                || format!("it can be {}", keys::join_quoted(known.iter().copied())),
                |near| format!("did you mean `{near}`?"),
            );
            self.report(
                Code::DeadMatcher,
                fields.value_span("match"),
                format!("`{}` never has `{word}` for its subject", row.name),
            )
            .help = Some(help);
        }
    }

    /// Reports a hook in the background that is meant to decide something, because its answer
    /// decides nothing (C-51).
    pub(super) fn report_background_gate(&mut self, fields: &Fields<'_>, hooks: &[Hook]) {
        let Some(hook) = hooks.first().filter(|hook| hook.wait != Wait::Attached) else { return };
        let key = if hook.wait == Wait::Rewake { "wake" } else { "background" };
        if hook.phase == Phase::Rewrite {
            self.report(
                Code::BackgroundRewrite,
                fields.key_span(key),
                "the event does not wait for a hook in the background, so it can rewrite nothing",
            )
            .help = Some(format!("leave out `{key}` or `phase`"));
        } else if fields.has_key("on_failure") && hook.on_failure != Some(OnFailure::Continue) {
            self.report(
                Code::BackgroundGate,
                fields.key_span("on_failure"),
                "the event does not wait for a hook in the background, so its failure cannot restrain anything",
            )
            .help = Some(format!("leave out `{key}` to make it a gate, or `on_failure`"));
        } else if hook.wait == Wait::Detached
            && self.native_event_row(&hook.event).powers.has(Power::Deny)
            && fields.text("phase") == Some("decide")
        {
            self.report(
                Code::BackgroundGate,
                fields.key_span(key),
                "the event does not wait for a hook in the background, so it can decide nothing",
            )
            .help = Some(format!("leave out `{key}` to make it a gate"));
        }
    }
}

/// Returns `true` if the event of that name comes before an effect, so that a hook there is a gate.
pub(super) fn is_gate_event(event: &str) -> bool {
    table::built_in_row(event).is_some_and(EventRow::is_before_effect)
}
