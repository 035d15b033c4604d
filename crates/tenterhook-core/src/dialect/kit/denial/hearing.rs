//! What an event hears: which decisions it can honour, where it looks for them, and what else its
//! dialect says of it. Values that dialects fill; finds nothing.

use serde_json::{Map, Value};

use super::vocabulary;
use crate::answer::{Power, Powers, Restraint};
use crate::report::End;
use crate::strict::Reading;

/// One report, and what its event hears of it.
pub(crate) struct Hearing<'a> {
    /// The event in the agent's words.
    pub(crate) event: &'a str,
    pub(crate) end: &'a End,
    pub(crate) reading: &'a Reading,
    pub(crate) stderr: &'a str,
    /// More stdout came than was kept.
    pub(crate) truncated: bool,
    /// What can count at all.
    pub(crate) can: Powers,
    /// Whether a hook may make another call of this one.
    pub(crate) rewrites: bool,
    /// Where the event looks for a new input, if it takes one.
    pub(crate) input_home: Option<String>,
    /// Whether the event comes before an effect, so that a question that cannot be asked is a
    /// denial.
    pub(crate) before_effect: bool,
    /// Where the event looks for a decision, the best place last.
    pub(crate) homes: Vec<Home>,
    /// The reason of exit code 2, if the event ignores that code.
    pub(crate) ignored_objection: Option<String>,
    /// Why the agent ignores it on an event that can be denied.
    pub(crate) ignored_because: Option<&'static str>,
    /// Whether plain stdout is context.
    pub(crate) plain_is_context: bool,
    /// Whether `action` is a decision, and not a log's word.
    pub(crate) replies: bool,
    /// A model was asked for its answer and nothing else: a no counts wherever it stands (MO-9).
    pub(crate) asked: bool,
    pub(crate) protocol: &'static Protocol,
}

/// What holds on every event of a protocol.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// What `continue: false` does.
    pub(crate) halt: Halt,
    /// Whether an answer counts at an exit code that is neither 0 nor 2.
    pub(crate) any_exit: bool,
    /// Whether an answer must name its event.
    pub(crate) named: bool,
    /// Keys of this protocol that look like a decision in another protocol.
    pub(crate) own: &'static [&'static str],
    /// Whether a malformed answer that does not deny is reported: an agent that takes it for text
    /// would not report it.
    pub(crate) tells: bool,
    /// Whether an `updatedInput` that is not an object is unclear; a dialect may read it
    /// otherwise.
    pub(crate) input_is_object: bool,
}

impl Protocol {
    /// An agent whose answers are believed at 0 and 2 alone, name no event, and tell nothing to the
    /// model but a denial: what each dialect says differently stands in its own.
    pub(crate) const PLAIN: Self = Self {
        halt: Halt::Denies,
        any_exit: false,
        named: false,
        own: &[],
        tells: false,
        input_is_object: true,
    };
}

/// What `continue: false` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// Everything ends.
    Stops,
    /// The action is denied.
    Denies,
    /// The protocol has no such key: who writes it wants everything to end.
    Foreign,
}

/// A place where an event looks for a decision, and the words that it takes there.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) path: Vec<&'static str>,
    pub(crate) words: &'static [&'static str],
}

impl Hearing<'_> {
    pub(super) fn event_supports_restraint(&self, restraint: Restraint) -> bool {
        self.can.has(match restraint {
            Restraint::Ask => Power::Ask,
            Restraint::Defer => Power::Defer,
            Restraint::Deny => Power::Deny,
            Restraint::Silent | Restraint::Allow => Power::Allow,
        })
    }

    /// Returns the restraint that the event can honour: if it cannot ask, a question before an
    /// effect becomes a denial.
    pub(super) fn honoured_restraint(&self, restraint: Restraint) -> Option<Restraint> {
        if restraint <= Restraint::Allow {
            return None;
        }
        let denies = self.before_effect && self.event_supports_restraint(Restraint::Deny);
        if self.event_supports_restraint(restraint) {
            Some(restraint)
        } else {
            denies.then_some(Restraint::Deny)
        }
    }

    /// Returns the form in which the event takes a denial, for messages.
    pub(super) fn denial_format(&self) -> String {
        let Some(home) = self.homes.last() else { return "exit with code 2".to_owned() };
        let word =
            home.words.iter().find(|word| vocabulary::restraint_of_word(word) == Restraint::Deny);
        let word = word.map_or(Value::Bool(false), |word| Value::from(*word));
        let nest = |inner: Value, key: &&str| {
            let mut object = Map::from_iter([((*key).to_owned(), inner)]);
            if *key == "hookSpecificOutput" && self.protocol.named {
                object.values_mut().filter_map(Value::as_object_mut).for_each(|object| {
                    object.insert("hookEventName".to_owned(), self.event.into());
                });
            }
            Value::Object(object)
        };
        format!("print `{}`, or exit with code 2", home.path.iter().rev().fold(word, nest))
    }
}
