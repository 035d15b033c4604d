//! Looks through one object for decisions, wherever they may stand, and says of each how its place
//! and its spelling differ from what the event reads. Judges no text round the object.

mod known;
mod nested;

use serde_json::{Map, Value};

use super::keys::{self, Key, Spelling, plain_key};
use super::reason::{explains, gives_reason};
use super::vocabulary::{self, Meaning, says_no, says_yes};
use super::{Halt, Hearing, Hit, Home};
use crate::answer::{Power, Restraint, SlipKind};
use crate::strict::{self, Found};

use self::known::Known;

/// How far an object is looked into; what lies deeper is found by its pairs.
const DEPTH: usize = 128;
type Fields = Map<String, Value>;

/// The decisions of one object that the event could honour, in the order of the text.
pub(super) fn decisions(hearing: &Hearing<'_>, object: &Fields) -> Vec<Hit> {
    let mut search = Search { hearing, hits: Vec::new() };
    let agrees = hearing.asked && object.get("ok") == Some(&Value::Bool(true));
    let known = &Known::new(object);
    search.level(&Level { known, outer: &[], path: &[], at: At::Answer, alone: agrees });
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
    fn path(&self, key: &'a str) -> Vec<&'a str> {
        self.path.iter().copied().chain([key]).collect()
    }

    fn levels(&self) -> Vec<&'a Known<'a>> {
        [self.known].into_iter().chain(self.outer.iter().copied()).collect()
    }

    /// The words for what it decides, from the innermost object outwards.
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
    /// Whether the like of it was found: of equal ones only the first counts, and an object may say
    /// the same at each of its keys.
    fn has(&self, restraint: Restraint, stop: bool) -> bool {
        self.hits.iter().any(|hit| hit.unclear.is_none() && hit.weight() == (restraint, stop))
    }

    fn level(&mut self, level: &Level<'_>) {
        for (key, value) in level.known.fields.iter().filter(|(_, value)| !value.is_null()) {
            // Where nothing ends everything, a stop comes nearest to a denial.
            let is_read = key != "stop" || self.hearing.can.has(Power::Stop);
            let own =
                level.path.is_empty() && is_read && self.hearing.protocol.own.contains(&&**key);
            if !own {
                self.field(level, key, value);
            }
        }
    }

    fn field(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let (kind, spelling) = keys::kind(key);
        match kind {
            Key::Decision | Key::Verdict => self.decision(level, key, value, (kind, spelling)),
            Key::State => self.state(level, key, value),
            Key::Continue => match value.as_str().map(vocabulary::meaning) {
                Some(Meaning::Nearly) => self.unclear(level, key, value),
                Some(Meaning::Restrains(_)) => self.stopped(level, key, value),
                _ if says_no(value) => self.stopped(level, key, value),
                _ => {}
            },
            Key::Consent if says_no(value) => self.flag(level, key),
            Key::Success if says_no(value) && self.objects(level, key) => self.flag(level, key),
            Key::Outcome if says_no(value) && explains(level.known.fields) => {
                self.unclear(level, key, value);
            }
            Key::Denial if says_yes(value) => self.flag(level, key),
            Key::Denial
                if gives_reason(value, || level.known.names_buttons())
                    && level.known.is_plain()
                    && !level.known.decides_beside(key) =>
            {
                self.unclear(level, key, value);
            }
            Key::Danger if says_yes(value) && level.has_reason() => {
                self.unclear(level, key, value);
            }
            Key::Tag => self.tag(level, key, value),
            Key::Holder => self.holder(level, key, value),
            Key::Reason => self.inner(level, key, value, At::Elsewhere),
            Key::Output => self.output(level, key, value),
            Key::Wrapper => self.inner(level, key, value, At::Answer),
            Key::Other => {
                let at = if level.known.fields.len() == 1 { level.at } else { At::Elsewhere };
                self.inner(level, key, value, at);
            }
            _ => {}
        }
    }

    /// The value of a key that takes a decision.
    fn decision(&mut self, level: &Level<'_>, key: &str, value: &Value, kind: (Key, Spelling)) {
        let sure = kind.0 == Key::Decision && (kind.1 == Spelling::Right || key.len() > 12);
        match value {
            // A variable that was never set.
            Value::String(word) if word.is_empty() && sure && explains(level.known.fields) => {
                self.unclear(level, key, value);
            }
            Value::String(word) => match vocabulary::meaning(word) {
                Meaning::Restrains(restraint) if kind.0 == Key::Decision || self.counts(level) => {
                    self.decided(level, key, restraint);
                }
                Meaning::Nearly if sure || level.known.is_plain() => {
                    self.unclear(level, key, value)
                }
                Meaning::Unknown if sure => self.unclear(level, key, value),
                _ => {}
            },
            Value::Object(inner) if sure && nested::tagged(inner) => {
                self.unclear(level, key, value)
            }
            Value::Object(inner) => {
                let levels = level.levels();
                let path = level.path(key);
                let known = &Known::new(inner);
                self.level(&Level { known, outer: &levels, path: &path, ..*level });
            }
            Value::Array(items) => {
                for item in items {
                    self.decision(level, key, item, kind);
                }
            }
            value if says_no(value) && sure => self.decided(level, key, Restraint::Deny),
            Value::Number(_) if sure => self.unclear(level, key, value),
            _ => {}
        }
    }

    /// Whether it objects that something is not well: where a reason or another decision stands
    /// beside it.
    fn objects(&self, level: &Level<'_>, key: &str) -> bool {
        self.hearing.asked || level.has_reason() || level.known.decides_beside(key)
    }

    /// Whether an ambiguous value is read as a decision: the object has no other content, or it
    /// gives a reason.
    fn counts(&self, level: &Level<'_>) -> bool {
        self.hearing.asked || self.hearing.replies || level.known.is_plain() || level.has_reason()
    }

    /// A state that is a denial, in an object that says nothing else.
    fn state(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        match value {
            Value::String(word) if !word.trim_start().starts_with('{') => {
                let denies = vocabulary::restraint(word) > Restraint::Allow;
                // The state of another event is no answer to this one.
                let foreign = level
                    .known
                    .fields
                    .get("event")
                    .is_some_and(|event| event != self.hearing.event);
                if denies && !foreign && level.known.is_state() {
                    self.unclear(level, key, value);
                }
            }
            _ if plain_key(key) == "output" && self.hearing.can.has(Power::Output) => {}
            _ => self.inner(level, key, value, At::Answer),
        }
    }

    /// `hookSpecificOutput`, which must be an object.
    fn output(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        match value {
            Value::Array(items) if items.is_empty() => {}
            Value::Object(_) => self.inner(level, key, value, At::Answer),
            Value::Array(items) if items.iter().any(Value::is_object) => {
                self.inner(level, key, value, At::Answer);
            }
            Value::String(text) if text.trim_start().starts_with('{') => {
                self.inner(level, key, value, At::Answer);
            }
            _ => self.unclear(level, key, value),
        }
    }

    /// What a wrapping holds: objects, in lists or not, or one in a string.
    fn inner(&mut self, level: &Level<'_>, key: &str, value: &Value, at: At) {
        if level.alone || level.path.len() >= DEPTH {
            return;
        }
        match value {
            Value::Object(inner) => {
                let (levels, path) = (level.levels(), level.path(key));
                // The reasons of all levels count, but only the nearest are looked at: the way down
                // may be long.
                let outer = levels.get(..levels.len().min(4)).unwrap_or_default();
                let known = &Known::new(inner);
                self.level(&Level { known, outer, path: &path, at, alone: false });
            }
            Value::Array(items) => items.iter().for_each(|value| self.inner(level, key, value, at)),
            Value::String(text) if at == At::Answer && text.trim_start().starts_with('{') => {
                if let Found::Object(object) = strict::read(text.as_bytes()).found {
                    let path = level.path(key);
                    let outer = level.levels();
                    self.level(&Level {
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

    /// A truth value that objects.
    fn flag(&mut self, level: &Level<'_>, key: &str) {
        if self.hearing.asked || level.known.is_plain() || level.has_reason() {
            self.decided(level, key, Restraint::Deny);
        } else if level.path.is_empty()
            && !level.known.is_record()
            && keys::kind(key).1 == Spelling::Right
        {
            self.unclear(level, key, level.known.fields.get(key).unwrap_or(&Value::Null));
        }
    }

    fn unclear(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let known = self.hits.iter().any(|hit| hit.unclear.is_some());
        if known || (level.at == At::Elsewhere && !level.has_reason()) {
            return;
        }
        let detail = format!("`{}` is `{}`", level.path(key).join("."), shown(value));
        self.hits.push(Hit::unclear(detail));
    }

    /// Records a decision, where the event could honour it.
    fn decided(&mut self, level: &Level<'_>, key: &str, restraint: Restraint) {
        let Some(restraint) = self.hearing.honoured(restraint) else { return };
        if level.at == At::Elsewhere && !self.hearing.asked {
            return self.unclear(level, key, level.known.fields.get(key).unwrap_or(&Value::Null));
        }
        if self.has(restraint, false) {
            return;
        }
        let reason = level.reason().map(str::to_owned);
        let mut hit = Hit { reason, ..Hit::new(restraint) };
        let path = level.path(key);
        self.locate(&mut hit, &path, level);
        self.hits.push(hit);
    }

    /// How the place, the key and the word of a decision differ from what this event looks for.
    fn locate(&self, hit: &mut Hit, path: &[&str], level: &Level<'_>) {
        let dotted = path.join(".");
        let homes = &self.hearing.homes;
        let Some(home) = homes.iter().find(|home| home.is_like(path)) else {
            let wanted = match homes.last() {
                Some(home) => format!("`{}`", home.path.join(".")),
                None => "exit code 2".to_owned(),
            };
            let detail = format!("`{}` reads no `{dotted}`; it reads {wanted}", self.hearing.event);
            return hit.slip(SlipKind::MisplacedDecision, detail);
        };
        if home.path != path {
            let wanted = home.path.join(".");
            hit.slip(SlipKind::MisspeltKey, format!("`{dotted}` should be `{wanted}`"));
        }
        let value = path.last().and_then(|key| level.known.fields.get(*key));
        match value {
            Some(Value::String(word))
                if !home.words.is_empty() && !home.words.contains(&&**word) =>
            {
                hit.slip(SlipKind::MisspeltDecision, self.wrong_word(home, &dotted, word));
            }
            Some(Value::String(_)) | None => {}
            Some(value) if !home.words.is_empty() => {
                hit.slip(
                    SlipKind::WrongType,
                    format!("`{dotted}` is `{}`, not a word", shown(value)),
                );
            }
            Some(_) => {}
        }
        if path.len() > 1 {
            self.event_name(hit, level);
        }
    }

    fn wrong_word(&self, home: &Home, dotted: &str, word: &str) -> String {
        let restraint = vocabulary::restraint(word);
        let wanted = home.words.iter().find(|word| vocabulary::restraint(word) == restraint);
        format!("`{dotted}` is `{word}`, but should be `{}`", wanted.unwrap_or(&"deny"))
    }

    fn event_name(&self, hit: &mut Hit, level: &Level<'_>) {
        let expected = self.hearing.event;
        let levels = level.levels();
        match levels.iter().find_map(|level| level.event()) {
            Some(name) if name == expected => {}
            Some(name) => hit.slip(
                SlipKind::WrongEventName,
                format!("`hookEventName` is `{name}`, and the event is `{expected}`"),
            ),
            None if !self.hearing.protocol.named => {}
            None => hit.slip(
                SlipKind::WrongEventName,
                format!("`hookEventName` is missing; the event is `{expected}`"),
            ),
        }
    }

    fn stopped(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let can = self.hearing.can;
        let (restraint, stop) = match self.hearing.protocol.halt {
            Halt::Stops | Halt::Foreign if can.has(Power::Stop) => (Restraint::Silent, true),
            // Where nothing ends everything, what comes nearest is a denial.
            Halt::Denies | Halt::Foreign if can.has(Power::Deny) => (Restraint::Deny, false),
            _ => return,
        };
        if self.has(restraint, stop) {
            return;
        }
        let reason = level.reason().map(str::to_owned);
        let mut hit = Hit { stop, reason, ..Hit::new(restraint) };
        let path = level.path(key);
        let dotted = path.join(".");
        match &*path {
            _ if self.hearing.protocol.halt == Halt::Foreign => {
                hit.slip(SlipKind::MisplacedDecision, format!("`{dotted}`"));
            }
            ["continue"] => {}
            [_] => hit.slip(SlipKind::MisspeltKey, format!("`{dotted}` should be `continue`")),
            _ => hit.slip(
                SlipKind::MisplacedDecision,
                format!("`{dotted}` should stand at the top level"),
            ),
        }
        if *value != Value::Bool(false) {
            hit.slip(SlipKind::WrongType, format!("`{dotted}` is `{value}`, not `false`"));
        }
        self.hits.push(hit);
    }
}

impl Home {
    fn is_like(&self, path: &[&str]) -> bool {
        let alike = |(home, key): (&&str, &&str)| {
            let (home, key) = (plain_key(home), plain_key(key));
            home == key
                || (keys::kind(&key).1 == Spelling::Nearly
                    && keys::kind(&home).0 == keys::kind(&key).0)
        };
        self.path.len() == path.len() && self.path.iter().zip(path).all(alike)
    }
}

/// A value for people.
fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(80).collect()
}
