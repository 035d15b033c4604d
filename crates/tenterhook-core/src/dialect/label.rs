//! Event names as people read and write them: the name that a hook's own agent has for its event,
//! with the neutral name behind it where the two differ. Pure; the tables of the dialects hold the
//! names.

use std::borrow::Cow;
use std::fmt;

use super::{DialectId, EventRow};
use crate::event::EventName;
use crate::hook::Hook;

/// An event under the names that hooks have for it: `Stop`, `turn_end (TurnComplete)`,
/// `Stop/TurnEnd (Stop)` (E-12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLabel {
    own: Vec<Cow<'static, str>>,
    neutral: EventName,
}

impl EventLabel {
    /// Creates the label of an event under its name in one dialect.
    #[must_use]
    pub fn new(dialect: DialectId, event: &EventName) -> Self {
        Self { own: vec![own_event_name(dialect, event)], neutral: event.clone() }
    }

    /// Creates the label of the event of a row.
    #[must_use]
    pub fn of_row(row: &EventRow) -> Self {
        Self { own: vec![row.name.clone()], neutral: EventName::new(&*row.event) }
    }

    /// Creates the label of an event under the name that each of these hooks has for it; without
    /// hooks, under its neutral name.
    #[must_use]
    pub fn of_hooks<'h>(event: &EventName, hooks: impl IntoIterator<Item = &'h Hook>) -> Self {
        let mut own = Vec::new();
        for hook in hooks {
            let name = hook.own_event_name();
            if !own.contains(&name) {
                own.push(name);
            }
        }
        if own.is_empty() {
            own.push(Cow::Owned(event.to_string()));
        }
        Self { own, neutral: event.clone() }
    }

    /// Returns the agents' names, joined by `/`, without the neutral name.
    #[must_use]
    pub fn own(&self) -> String {
        self.own.join("/")
    }

    /// Returns the neutral name.
    #[must_use]
    pub fn neutral_name(&self) -> &str {
        self.neutral.as_str()
    }

    /// Returns each of the agents' names, for JSON.
    #[must_use]
    pub fn own_names(&self) -> Vec<String> {
        self.own.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for EventLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own();
        if own == self.neutral.as_str() {
            f.write_str(&own)
        } else {
            write!(f, "{own} ({})", self.neutral)
        }
    }
}

/// Returns the dialect's name for the event; the neutral name if it has none.
fn own_event_name(dialect: DialectId, event: &EventName) -> Cow<'static, str> {
    let row = dialect.dialect().event_row(event);
    row.map_or_else(|| Cow::Owned(event.to_string()), |row| row.name.clone())
}

impl Hook {
    /// Returns the name that the hook's agent has for its event.
    #[must_use]
    pub fn own_event_name(&self) -> Cow<'static, str> {
        self.own_event.map_or_else(|| own_event_name(self.dialect, &self.event), Cow::Borrowed)
    }

    /// Returns the hook's event in the form in which messages show it.
    #[must_use]
    pub fn event_label(&self) -> EventLabel {
        EventLabel::of_hooks(&self.event, [self])
    }
}

/// Returns the events called `name`: by each of `dialects`, else by the neutral name, else by any
/// dialect.
#[must_use]
pub fn event_rows_named(name: &str, dialects: &[DialectId]) -> Vec<(DialectId, &'static EventRow)> {
    let named = |id: DialectId| {
        let rows = id.dialect().event_rows().iter();
        rows.filter(|row| row.name.eq_ignore_ascii_case(name)).map(move |row| (id, row))
    };
    let own: Vec<_> = dialects.iter().flat_map(|id| named(*id)).collect();
    if !own.is_empty() {
        return own;
    }
    let all: Vec<_> = super::DIALECTS.iter().flat_map(|dialect| named(dialect.id())).collect();
    match all.iter().find(|(_, row)| row.name == row.event) {
        Some(neutral) => vec![*neutral],
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::{HookId, Run};

    fn hook(dialect: DialectId, event: &str) -> Hook {
        let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
        Hook::new(HookId::new("h"), dialect, event.into(), run)
    }

    /// E-12.
    #[test]
    fn event_is_labelled_by_its_own_name_with_the_neutral_one_behind_it() {
        for (dialect, event, label) in [
            (DialectId::REASONIX, "TurnComplete", "Stop (TurnComplete)"),
            (DialectId::REASONIX, "Stop", "TurnEnd (Stop)"),
            (DialectId::CODEWHALE, "TurnComplete", "turn_end (TurnComplete)"),
            (DialectId::IGNIS, "MessageDisplay", "AssistantMessageRender (MessageDisplay)"),
            (DialectId::CLAUDE, "Stop", "Stop"),
            (DialectId::GEN, "MyOwn", "MyOwn"),
        ] {
            assert_eq!(hook(dialect, event).event_label().to_string(), label);
            assert_eq!(EventLabel::new(dialect, &event.into()).to_string(), label);
        }
    }

    /// E-12.
    #[test]
    fn hooks_of_several_dialects_give_an_event_each_of_their_names_once() {
        let hooks = [
            hook(DialectId::CLAUDE, "Stop"),
            hook(DialectId::REASONIX, "Stop"),
            hook(DialectId::CLAUDE, "Stop"),
        ];
        let label = EventLabel::of_hooks(&"Stop".into(), &hooks);
        assert_eq!(label.to_string(), "Stop/TurnEnd (Stop)");
        assert_eq!(label.own_names(), ["Stop", "TurnEnd"]);
        assert_eq!(EventLabel::of_hooks(&"Stop".into(), []).to_string(), "Stop");
    }

    /// E-13.
    #[test]
    fn name_is_resolved_in_each_dialect_that_has_hooks() {
        let events = |name: &str, dialects: &[DialectId]| {
            let rows = event_rows_named(name, dialects).into_iter();
            rows.map(|(id, row)| format!("{id} {}", row.event)).collect::<Vec<_>>()
        };
        let both = [DialectId::CLAUDE, DialectId::REASONIX];
        assert_eq!(events("Stop", &both), ["claude Stop", "reasonix TurnComplete"]);
        assert_eq!(events("Stop", &[DialectId::REASONIX]), ["reasonix TurnComplete"]);
        assert_eq!(events("turnend", &both), ["reasonix Stop"]);
        assert_eq!(events("Stop", &[]), ["native Stop"]);
        let after = ["codewhale PostToolUse", "codewhale PostToolUseFailure"];
        assert_eq!(events("tool_call_after", &[DialectId::CODEWHALE]), after);
        assert_eq!(events("message_submit", &both), ["codewhale UserPromptSubmit"]);
        assert!(events("Nothing", &both).is_empty());
    }
}
