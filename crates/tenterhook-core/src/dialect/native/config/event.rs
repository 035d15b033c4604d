//! `[event."deploy.before"]`: an event of the user's own (C-55).

use std::borrow::Cow;
use std::sync::Arc;

use super::fields::Fields;
use super::keys::{self, join_quoted};
use super::{Reader, values};
use crate::answer::{Power, Powers};
use crate::diagnostic::{Code, nearest_word};
use crate::dialect::native::{answer, table};
use crate::dialect::{DIALECTS, Dispatch, EventRow, Subject};
use crate::hook::OnFailure;
use crate::syntax::Entry;

/// What a gate that says nothing of its answers takes.
const GATE: &[Power] = &[Power::Deny, Power::Ask, Power::Allow, Power::Context, Power::Message];
/// What a gate takes whose declaration cannot be used.
const RESTRAINING: &[Power] = &[Power::Deny, Power::Ask, Power::Context, Power::Message];
/// What any other event takes.
const OBSERVED: &[Power] = &[Power::Context, Power::Message];

impl Reader<'_> {
    pub(super) fn read_event_declaration(&mut self, entry: &Entry) {
        let name = entry.key.as_str();
        let known =
            |name: &str| DIALECTS.iter().any(|dialect| dialect.event_row(&name.into()).is_some());
        let wrong = if !values::is_valid_name(name) {
            Some((
                Code::BadName,
                "letters, digits and `.`, `_`, `-`, `:`, `/` make a name, at most 64",
            ))
        } else if known(name) {
            // A second row would change what every gate on that event can do.
            Some((
                Code::ReservedEvent,
                "give the event of your own another name, such as `deploy.before`",
            ))
        } else {
            None
        };
        if let Some((code, help)) = wrong {
            let message = match code {
                Code::ReservedEvent => format!("`{name}` is a built-in event"),
                _ => format!("`{}` cannot name an event", name.escape_default()),
            };
            self.report(code, entry.key_span, message).help = Some(help.to_owned());
            return;
        }
        if self.read_declaration_if_valid(entry).is_none() {
            self.out.events.push(Self::row_of_unusable_declaration(entry));
        }
    }

    fn read_declaration_if_valid(&mut self, entry: &Entry) -> Option<()> {
        let fields = self.read_checked_fields(entry, "an event", keys::EVENT)?;
        let gate = fields.flag("gate").unwrap_or(false);
        let powers = self.read_declared_powers(&fields, gate)?;
        let row = EventRow { powers, ..declared_row_without_powers(&fields, gate) };
        self.out.events.push(row);
        Some(())
    }

    /// Returns the row for a declaration that cannot be used (C-62). Its gates must not become
    /// observers: the event can be denied unless the declaration clearly says otherwise, and
    /// nothing is allowed because of it.
    fn row_of_unusable_declaration(entry: &Entry) -> EventRow {
        let written = entry.node.entries();
        let known = |key: &str| keys::EVENT.iter().any(|other| other.name == key);
        let doubtful = |field: &Entry| match field.key.as_str() {
            "gate" => field.node.as_bool() != Some(false),
            "answers" => true,
            key => !known(key),
        };
        let gate = entry.node.as_object().is_none() || written.iter().any(doubtful);
        let powers = if gate { RESTRAINING } else { OBSERVED };
        EventRow {
            powers: Powers::from_slice(powers),
            ..declared_row_without_powers(&Fields { entry }, gate)
        }
    }

    fn read_declared_powers(&mut self, fields: &Fields<'_>, gate: bool) -> Option<Powers> {
        if !fields.has_key("answers") {
            return Some(Powers::from_slice(if gate { GATE } else { OBSERVED }));
        }
        let mut powers = Powers::NONE;
        let before = self.error_count();
        for (word, span) in fields.strings("answers") {
            if let Some((_, power)) = answer_words().find(|(name, _)| *name == word) {
                powers = powers.with(power);
                continue;
            }
            let names = || answer_words().map(|(name, _)| name);
            let help = nearest_word(word, names()).map_or_else(
                || format!("there are {}", join_quoted(names())),
                |near| format!("did you mean `{near}`?"),
            );
            self.report(Code::UnknownWord, span, format!("`{word}` is not an answer")).help =
                Some(help);
        }
        if gate && !powers.has(Power::Deny) && self.error_count() == before {
            self.report(
                Code::GateWithoutDeny,
                fields.value_span("answers"),
                "a gate that takes no `deny` can hold nothing up",
            )
            .help = Some("add `deny` to `answers`, or leave `gate` out".to_owned());
        }
        (self.error_count() == before).then_some(powers)
    }
}

/// Returns the row of a declaration, without its powers.
fn declared_row_without_powers(fields: &Fields<'_>, gate: bool) -> EventRow {
    let name = fields.entry.key.as_str();
    EventRow {
        name: Cow::Owned(name.to_owned()),
        event: Cow::Owned(name.to_owned()),
        subject: fields
            .text("subject")
            .map_or(Subject::None, |key| Subject::Declared(Arc::from(key))),
        powers: Powers::NONE,
        timeout: fields.duration("timeout").unwrap_or(table::TIMEOUT),
        failure: if gate { OnFailure::Block } else { OnFailure::Continue },
        cap: None,
        dispatch: Dispatch::Awaited,
        when: Cow::Owned(
            fields.text("when").unwrap_or("an event of this configuration").to_owned(),
        ),
    }
}

/// Iterates over the words of `answers`: the decisions and the keys of an answer.
pub(crate) fn answer_words() -> impl Iterator<Item = (&'static str, Power)> {
    const DECISIONS: [(&str, Power); 4] = [
        ("deny", Power::Deny),
        ("ask", Power::Ask),
        ("allow", Power::Allow),
        ("defer", Power::Defer),
    ];
    let keys = answer::KEYS.iter().filter_map(|(key, power)| Some((*key, (*power)?)));
    DECISIONS.into_iter().chain(keys)
}
