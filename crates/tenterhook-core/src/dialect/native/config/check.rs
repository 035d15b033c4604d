//! Checks whether a hook can do what its entry says: whether its event, tools and values exist, and
//! whether the event waits for its answer.

use super::fields::Fields;
use super::tools::match_words;
use super::{Reader, keys};
use crate::answer::Power;
use crate::diagnostic::{Code, Diagnostic, Severity, Span, nearest};
use crate::dialect::native::table;
use crate::dialect::{DIALECTS, EventRow, Subject};
use crate::hook::{Hook, OnFailure, Phase, Wait};

/// A name in lower case without punctuation: agents spell one name in several ways.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Reader<'_> {
    /// A hook whose expression does not compile is kept: its failure policy decides each time
    /// (S-3), which is safer than a missing gate.
    pub(super) fn check_expression(&mut self, fields: &Fields<'_>, hook: Option<&Hook>) {
        let Some(hook) = hook else { return };
        let Err(why) = hook.matcher.compile() else { return };
        let policy = hook.on_failure.unwrap_or_else(|| self.row(&hook.event).failure);
        let until = format!("until it is mended, {}", policy.consequence(hook.event.as_str()));
        let help =
            why.remedy().map_or_else(|| until.clone(), |remedy| format!("{remedy}; {until}"));
        let message = format!("`match` is not a valid regular expression: {why}");
        self.report(Code::BadExpression, fields.span("match"), message).help = Some(help);
    }

    /// A name that is nearly that of an event before an effect was meant for a gate, and rejects
    /// the entry (C-49).
    pub(super) fn check_event(&mut self, word: &str, span: Span) {
        let meant = self.meant(word);
        if meant.as_deref() == Some(word) {
            return;
        }
        let declare = format!("declare it with `[event.\"{word}\"]` if it is one of your own");
        let (severity, message, help) = match meant {
            Some(near) if is_gate(&near) => (
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
        let place = self.place_of(span);
        self.push(
            Diagnostic::new(Code::UnknownEvent, message, place).weighing(severity).help(help),
        );
    }

    /// The event that is called `word`, or else the one that an agent calls so, or that is nearly
    /// called so.
    pub(super) fn meant(&self, word: &str) -> Option<String> {
        let built_in = || DIALECTS.iter().flat_map(|dialect| dialect.rows()).map(|row| &*row.event);
        let declared = || self.out.events.iter().map(|row| &*row.event);
        let all = || built_in().chain(declared());
        if all().any(|event| event == word) {
            return Some(word.to_owned());
        }
        let letters = letters(word);
        let mut rows = DIALECTS.iter().flat_map(|dialect| dialect.rows());
        let of_agent = rows.find(|row| self::letters(&row.name) == letters).map(|row| &*row.event);
        of_agent.or_else(|| nearest(word, all())).map(str::to_owned)
    }

    /// A pattern or rule on an event that has nothing to test it on restricts nothing, or
    /// everything (C-48).
    pub(super) fn check_subject(&mut self, fields: &Fields<'_>, row: &EventRow) {
        // For a misspelt event, the event that was meant may have a subject.
        let is_slip = |text: &str| text != &*row.event;
        if row.subject == Subject::None
            && fields.has("match")
            && !self.meant(&row.event).as_deref().is_some_and(is_slip)
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
        self.check_tools(fields, row);
        let Some((_, values)) = table::VALUES.iter().find(|(event, _)| *event == row.event) else {
            return;
        };
        self.check_values(fields, row, values);
    }

    fn check_values(&mut self, fields: &Fields<'_>, row: &EventRow, known: &[&str]) {
        for word in match_words(fields).into_iter().filter(|word| !known.contains(word)) {
            let help = nearest(word, known.iter().copied()).map_or_else(
                || format!("it can be {}", keys::listed(known.iter().copied())),
                |near| format!("did you mean `{near}`?"),
            );
            self.report(
                Code::DeadMatcher,
                fields.span("match"),
                format!("`{}` never has `{word}` for its subject", row.name),
            )
            .help = Some(help);
        }
    }

    /// The answer of a hook in the background decides nothing (C-51).
    pub(super) fn check_waiting(&mut self, fields: &Fields<'_>, hooks: &[Hook]) {
        let Some(hook) = hooks.first().filter(|hook| hook.wait != Wait::Attached) else { return };
        let key = if hook.wait == Wait::Rewake { "wake" } else { "background" };
        if hook.phase == Phase::Rewrite {
            self.report(
                Code::BackgroundRewrite,
                fields.key_span(key),
                "the event does not wait for a hook in the background, so it can rewrite nothing",
            )
            .help = Some(format!("leave out `{key}` or `phase`"));
        } else if fields.has("on_failure") && hook.on_failure != Some(OnFailure::Continue) {
            self.report(
                Code::BackgroundGate,
                fields.key_span("on_failure"),
                "the event does not wait for a hook in the background, so its failure cannot restrain anything",
            )
            .help = Some(format!("leave out `{key}` to make it a gate, or `on_failure`"));
        } else if hook.wait == Wait::Detached
            && self.row(&hook.event).powers.has(Power::Deny)
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

/// Whether the event of that name is before an effect, so that a hook there is a gate.
pub(super) fn is_gate(event: &str) -> bool {
    table::row(event).is_some_and(EventRow::is_before_effect)
}
