//! Looks through one object for decisions, wherever they may stand, and says of each how its place
//! and its spelling differ from what the event reads. Judges no text round the object.

mod known;
mod nested;

use serde_json::{Map, Value};

use super::keys::{self, Key, Spelling, normalize_key};
use super::reason::{gives_reason, has_sentence_as_reason};
use super::vocabulary::{self, Meaning, is_false_like, is_true_like};
use super::{Halt, Hearing, Hit, Home};
use crate::answer::{Power, Restraint, SlipKind};
use crate::strict::{self, Found};

use self::known::Known;

/// How far an object is looked into; what lies deeper is found by its pairs.
const DEPTH: usize = 128;
type Fields = Map<String, Value>;

/// Returns the decisions of one object that the event could honour, in the order of the text.
pub(super) fn find_decisions(hearing: &Hearing<'_>, object: &Fields) -> Vec<Hit> {
    let mut search = Search { hearing, hits: Vec::new() };
    let agrees = hearing.asked && object.get("ok") == Some(&Value::Bool(true));
    let known = &Known::new(object);
    search.search_object(&Level { known, outer: &[], path: &[], at: At::Answer, alone: agrees });
    search.hits
}

/// The position of an object in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// It is the answer, or a part of one that some protocol has.
    Answer,
    /// In something that only looks like a wrapping.
    Elsewhere,
}

/// One object on the way down.
struct Level<'a> {
    known: &'a Known<'a>,
    /// Those around it, where its reason may stand, innermost first.
    outer: &'a [&'a Known<'a>],
    path: &'a [&'a str],
    at: At,
    /// Nothing in it is looked into.
    alone: bool,
}

impl<'a> Level<'a> {
    /// Returns the path from the top of the answer to `key`.
    fn path_to_key(&self, key: &'a str) -> Vec<&'a str> {
        self.path.iter().copied().chain([key]).collect()
    }

    /// Returns this object and those around it, innermost first.
    fn objects_outwards(&self) -> Vec<&'a Known<'a>> {
        [self.known].into_iter().chain(self.outer.iter().copied()).collect()
    }

    /// Returns the reason for the decision, searched from the innermost object outwards.
    fn reason(&self) -> Option<&'a str> {
        self.known.reason().or_else(|| self.outer.iter().find_map(|known| known.reason()))
    }

    fn has_reason(&self) -> bool {
        self.reason().is_some()
    }
}

struct Search<'h> {
    hearing: &'h Hearing<'h>,
    hits: Vec<Hit>,
}

impl Search<'_> {
    /// Returns `true` if an equal hit was found already: only the first of equal ones is kept, and
    /// an object may repeat a decision at several keys.
    fn has_equal_hit(&self, restraint: Restraint, stop: bool) -> bool {
        self.hits
            .iter()
            .any(|hit| hit.unclear.is_none() && hit.strictness_for_ranking() == (restraint, stop))
    }

    /// Searches the fields of one object for decisions.
    fn search_object(&mut self, level: &Level<'_>) {
        for (key, value) in level.known.fields.iter().filter(|(_, value)| !value.is_null()) {
            // Where nothing ends everything, a stop comes nearest to a denial.
            let is_read = key != "stop" || self.hearing.can.has(Power::Stop);
            let own =
                level.path.is_empty() && is_read && self.hearing.protocol.own.contains(&&**key);
            if !own {
                self.search_field(level, key, value);
            }
        }
    }

    /// Searches one field for a decision, by the meaning of its key.
    fn search_field(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let (kind, spelling) = keys::classify_key(key);
        match kind {
            Key::Decision | Key::Verdict => {
                self.search_decision_value(level, key, value, (kind, spelling))
            }
            Key::State => self.search_state_value(level, key, value),
            Key::Continue => match value.as_str().map(vocabulary::meaning_of_word) {
                Some(Meaning::Nearly) => self.note_unclear(level, key, value),
                Some(Meaning::Restrains(_)) => self.note_stop(level, key, value),
                _ if is_false_like(value) => self.note_stop(level, key, value),
                _ => {}
            },
            Key::Consent if is_false_like(value) => self.note_denying_flag(level, key),
            Key::Success if is_false_like(value) && self.is_negative_flag_objection(level, key) => {
                self.note_denying_flag(level, key)
            }
            Key::Outcome if is_false_like(value) && has_sentence_as_reason(level.known.fields) => {
                self.note_unclear(level, key, value);
            }
            Key::Denial if is_true_like(value) => self.note_denying_flag(level, key),
            Key::Denial
                if gives_reason(value, || level.known.flags_hold_button_names())
                    && level.known.has_only_answer_keys()
                    && !level.known.decides_at_other_key(key) =>
            {
                self.note_unclear(level, key, value);
            }
            Key::Danger if is_true_like(value) && level.has_reason() => {
                self.note_unclear(level, key, value);
            }
            Key::Tag => self.search_decision_tag(level, key, value),
            Key::Holder => self.search_message_text(level, key, value),
            Key::Reason => self.search_nested(level, key, value, At::Elsewhere),
            Key::Output => self.search_event_output(level, key, value),
            Key::Wrapper => self.search_nested(level, key, value, At::Answer),
            Key::Other => {
                let at = if level.known.fields.len() == 1 { level.at } else { At::Elsewhere };
                self.search_nested(level, key, value, at);
            }
            _ => {}
        }
    }

    /// Reads the value of a key that takes a decision.
    fn search_decision_value(
        &mut self,
        level: &Level<'_>,
        key: &str,
        value: &Value,
        kind: (Key, Spelling),
    ) {
        let sure = kind.0 == Key::Decision && (kind.1 == Spelling::Right || key.len() > 12);
        match value {
            // A variable that was never set.
            Value::String(word)
                if word.is_empty() && sure && has_sentence_as_reason(level.known.fields) =>
            {
                self.note_unclear(level, key, value);
            }
            Value::String(word) => match vocabulary::meaning_of_word(word) {
                Meaning::Restrains(restraint)
                    if kind.0 == Key::Decision || self.is_ambiguous_value_decision(level) =>
                {
                    self.note_decision(level, key, restraint);
                }
                Meaning::Nearly if sure || level.known.has_only_answer_keys() => {
                    self.note_unclear(level, key, value)
                }
                Meaning::Unknown if sure => self.note_unclear(level, key, value),
                _ => {}
            },
            Value::Object(inner) if sure && nested::has_denying_tag(inner) => {
                self.note_unclear(level, key, value)
            }
            Value::Object(inner) => {
                let levels = level.objects_outwards();
                let path = level.path_to_key(key);
                let known = &Known::new(inner);
                self.search_object(&Level { known, outer: &levels, path: &path, ..*level });
            }
            Value::Array(items) => {
                for item in items {
                    self.search_decision_value(level, key, item, kind);
                }
            }
            value if is_false_like(value) && sure => {
                self.note_decision(level, key, Restraint::Deny)
            }
            Value::Number(_) if sure => self.note_unclear(level, key, value),
            _ => {}
        }
    }

    /// Returns `true` if a negative flag is an objection: a reason or another decision stands
    /// beside it.
    fn is_negative_flag_objection(&self, level: &Level<'_>, key: &str) -> bool {
        self.hearing.asked || level.has_reason() || level.known.decides_at_other_key(key)
    }

    /// Returns `true` if an ambiguous value is read as a decision: the object has no other content,
    /// or it gives a reason.
    fn is_ambiguous_value_decision(&self, level: &Level<'_>) -> bool {
        self.hearing.asked
            || self.hearing.replies
            || level.known.has_only_answer_keys()
            || level.has_reason()
    }

    /// Reports a state that denies as unclear, in an object that has nothing else.
    fn search_state_value(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        match value {
            Value::String(word) if !word.trim_start().starts_with('{') => {
                let denies = vocabulary::restraint_of_word(word) > Restraint::Allow;
                // The state of another event is no answer to this one.
                let foreign = level
                    .known
                    .fields
                    .get("event")
                    .is_some_and(|event| event != self.hearing.event);
                if denies && !foreign && level.known.is_state_object() {
                    self.note_unclear(level, key, value);
                }
            }
            _ if normalize_key(key) == "output" && self.hearing.can.has(Power::Output) => {}
            _ => self.search_nested(level, key, value, At::Answer),
        }
    }

    /// Searches `hookSpecificOutput`, which must be an object.
    fn search_event_output(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        match value {
            Value::Array(items) if items.is_empty() => {}
            Value::Object(_) => self.search_nested(level, key, value, At::Answer),
            Value::Array(items) if items.iter().any(Value::is_object) => {
                self.search_nested(level, key, value, At::Answer);
            }
            Value::String(text) if text.trim_start().starts_with('{') => {
                self.search_nested(level, key, value, At::Answer);
            }
            _ => self.note_unclear(level, key, value),
        }
    }

    /// Searches the content of a wrapper: objects, also in lists, or an object in a string.
    fn search_nested(&mut self, level: &Level<'_>, key: &str, value: &Value, at: At) {
        if level.alone || level.path.len() >= DEPTH {
            return;
        }
        match value {
            Value::Object(inner) => {
                let (levels, path) = (level.objects_outwards(), level.path_to_key(key));
                // The reasons of all levels count, but only the nearest are looked at: the way down
                // may be long.
                let outer = levels.get(..levels.len().min(4)).unwrap_or_default();
                let known = &Known::new(inner);
                self.search_object(&Level { known, outer, path: &path, at, alone: false });
            }
            Value::Array(items) => {
                items.iter().for_each(|value| self.search_nested(level, key, value, at))
            }
            Value::String(text) if at == At::Answer && text.trim_start().starts_with('{') => {
                if let Found::Object(object) = strict::read_output(text.as_bytes()).found {
                    let path = level.path_to_key(key);
                    let outer = level.objects_outwards();
                    self.search_object(&Level {
                        known: &Known::new(&object.fields),
                        outer: &outer,
                        path: &path,
                        at,
                        alone: true,
                    });
                }
            }
            _ => {}
        }
    }

    /// Records a boolean flag that denies, or reports it as unclear.
    fn note_denying_flag(&mut self, level: &Level<'_>, key: &str) {
        if self.hearing.asked || level.known.has_only_answer_keys() || level.has_reason() {
            self.note_decision(level, key, Restraint::Deny);
        } else if level.path.is_empty()
            && !level.known.is_log_record()
            && keys::classify_key(key).1 == Spelling::Right
        {
            self.note_unclear(level, key, level.known.fields.get(key).unwrap_or(&Value::Null));
        }
    }

    /// Records that a value looks like a decision and cannot be read as one.
    fn note_unclear(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let known = self.hits.iter().any(|hit| hit.unclear.is_some());
        if known || (level.at == At::Elsewhere && !level.has_reason()) {
            return;
        }
        let detail =
            format!("`{}` is `{}`", level.path_to_key(key).join("."), shortened_value(value));
        self.hits.push(Hit::new_unclear(detail));
    }

    /// Records a decision, if the event could honour it.
    fn note_decision(&mut self, level: &Level<'_>, key: &str, restraint: Restraint) {
        let Some(restraint) = self.hearing.honoured_restraint(restraint) else { return };
        if level.at == At::Elsewhere && !self.hearing.asked {
            return self.note_unclear(
                level,
                key,
                level.known.fields.get(key).unwrap_or(&Value::Null),
            );
        }
        if self.has_equal_hit(restraint, false) {
            return;
        }
        let reason = level.reason().map(str::to_owned);
        let mut hit = Hit { reason, ..Hit::new(restraint) };
        let path = level.path_to_key(key);
        self.add_location_slips(&mut hit, &path, level);
        self.hits.push(hit);
    }

    /// Adds the slips of a decision whose position, key or word differs from what this event reads.
    fn add_location_slips(&self, hit: &mut Hit, path: &[&str], level: &Level<'_>) {
        let dotted = path.join(".");
        let homes = &self.hearing.homes;
        let Some(home) = homes.iter().find(|home| home.resembles_path(path)) else {
            let wanted = match homes.last() {
                Some(home) => format!("`{}`", home.path.join(".")),
                None => "exit code 2".to_owned(),
            };
            let detail = format!("`{}` reads no `{dotted}`; it reads {wanted}", self.hearing.event);
            return hit.add_slip(SlipKind::MisplacedDecision, detail);
        };
        if home.path != path {
            let wanted = home.path.join(".");
            hit.add_slip(SlipKind::MisspeltKey, format!("`{dotted}` should be `{wanted}`"));
        }
        let value = path.last().and_then(|key| level.known.fields.get(*key));
        match value {
            Some(Value::String(word))
                if !home.words.is_empty() && !home.words.contains(&&**word) =>
            {
                hit.add_slip(
                    SlipKind::MisspeltDecision,
                    self.wrong_word_detail(home, &dotted, word),
                );
            }
            Some(Value::String(_)) | None => {}
            Some(value) if !home.words.is_empty() => {
                hit.add_slip(
                    SlipKind::WrongType,
                    format!("`{dotted}` is `{}`, not a word", shortened_value(value)),
                );
            }
            Some(_) => {}
        }
        if path.len() > 1 {
            self.add_event_name_slip(hit, level);
        }
    }

    fn wrong_word_detail(&self, home: &Home, dotted: &str, word: &str) -> String {
        let restraint = vocabulary::restraint_of_word(word);
        let wanted =
            home.words.iter().find(|word| vocabulary::restraint_of_word(word) == restraint);
        format!("`{dotted}` is `{word}`, but should be `{}`", wanted.unwrap_or(&"deny"))
    }

    /// Adds a slip if the answer names no event or another event.
    fn add_event_name_slip(&self, hit: &mut Hit, level: &Level<'_>) {
        let expected = self.hearing.event;
        let levels = level.objects_outwards();
        match levels.iter().find_map(|level| level.event_name()) {
            Some(name) if name == expected => {}
            Some(name) => hit.add_slip(
                SlipKind::WrongEventName,
                format!("`hookEventName` is `{name}`, and the event is `{expected}`"),
            ),
            None if !self.hearing.protocol.named => {}
            None => hit.add_slip(
                SlipKind::WrongEventName,
                format!("`hookEventName` is missing; the event is `{expected}`"),
            ),
        }
    }

    /// Records `continue: false`, as a stop or as a denial.
    fn note_stop(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let can = self.hearing.can;
        let (restraint, stop) = match self.hearing.protocol.halt {
            Halt::Stops | Halt::Foreign if can.has(Power::Stop) => (Restraint::Silent, true),
            // Where nothing ends everything, what comes nearest is a denial.
            Halt::Denies | Halt::Foreign if can.has(Power::Deny) => (Restraint::Deny, false),
            _ => return,
        };
        if self.has_equal_hit(restraint, stop) {
            return;
        }
        let reason = level.reason().map(str::to_owned);
        let mut hit = Hit { stop, reason, ..Hit::new(restraint) };
        let path = level.path_to_key(key);
        let dotted = path.join(".");
        match &*path {
            _ if self.hearing.protocol.halt == Halt::Foreign => {
                hit.add_slip(SlipKind::MisplacedDecision, format!("`{dotted}`"));
            }
            ["continue"] => {}
            [_] => hit.add_slip(SlipKind::MisspeltKey, format!("`{dotted}` should be `continue`")),
            _ => hit.add_slip(
                SlipKind::MisplacedDecision,
                format!("`{dotted}` should stand at the top level"),
            ),
        }
        if *value != Value::Bool(false) {
            hit.add_slip(SlipKind::WrongType, format!("`{dotted}` is `{value}`, not `false`"));
        }
        self.hits.push(hit);
    }
}

impl Home {
    /// Returns `true` if `path` is this one up to the spelling of its keys.
    fn resembles_path(&self, path: &[&str]) -> bool {
        let alike = |(home, key): (&&str, &&str)| {
            let (home, key) = (normalize_key(home), normalize_key(key));
            home == key
                || (keys::classify_key(&key).1 == Spelling::Nearly
                    && keys::classify_key(&home).0 == keys::classify_key(&key).0)
        };
        self.path.len() == path.len() && self.path.iter().zip(path).all(alike)
    }
}

/// Returns a value as text for messages, cut to 80 characters.
fn shortened_value(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(80).collect()
}
