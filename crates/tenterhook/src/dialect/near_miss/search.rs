//! Looks through one object for decisions, wherever they may stand, and says of each how its place and its spelling differ
//! from what the event reads.

use serde_json::{Map, Value};

use super::super::words::{is_in, plain_key, says_no};
use super::{DECISION_KEYS, Halt, Hearing, Hit, REASON_KEYS};
use crate::answer::{Power, Restraint, SlipKind};

/// The decisions of one object that the event could honour, in the order of the text.
pub(super) fn decisions(hearing: &Hearing<'_>, object: &Map<String, Value>) -> Vec<Hit> {
    let mut search = Search { hearing, hits: Vec::new() };
    search.object(object);
    search.hits
}

struct Search<'a> {
    hearing: &'a Hearing<'a>,
    hits: Vec<Hit>,
}

impl Search<'_> {
    fn object(&mut self, fields: &Map<String, Value>) {
        self.level(&[fields], &[]);
        for (key, value) in fields {
            match (plain_key(key).as_str(), value) {
                ("hookspecificoutput", Value::Object(output)) => {
                    self.level(&[output, fields], &[key]);
                    self.nested(output, fields, &[key]);
                }
                // How a model that serves as a hook says no.
                ("ok", Value::Bool(false)) => {
                    self.decided(&[key], Restraint::Deny, true, &[fields]);
                }
                _ => {}
            }
        }
        self.nested(fields, fields, &[]);
    }

    /// A decision that is an object itself: `{"decision": {"behavior": "deny"}}`.
    fn nested(&mut self, fields: &Map<String, Value>, top: &Map<String, Value>, path: &[&str]) {
        for (key, value) in fields {
            if let (true, Value::Object(decision)) = (is_in(DECISION_KEYS, key), value) {
                let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
                self.level(&[decision, fields, top], &path);
            }
        }
    }

    /// Whether a key holds a decision; `action` does only where a form is replied to, and is a log's word elsewhere.
    fn decides(&self, key: &str) -> bool {
        is_in(DECISION_KEYS, key) || (self.hearing.replies && plain_key(key) == "action")
    }

    /// The decisions of one object; `levels` are it and those around it, where its reason may stand.
    fn level(&mut self, levels: &[&Map<String, Value>], path: &[&str]) {
        let Some(fields) = levels.first() else { return };
        for (key, value) in *fields {
            let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            match value {
                Value::String(word) if self.decides(key) => {
                    let (restraint, exact) = self.hearing.restraint(word);
                    if self.decided(&path, restraint, exact, levels)
                        && !exact
                        && let Some(hit) = self.hits.last_mut()
                    {
                        hit.slip(SlipKind::MisspeltDecision, format!("`{key}` is `{word}`"));
                    }
                }
                Value::Bool(false) if self.decides(key) => {
                    if self.decided(&path, Restraint::Deny, true, levels)
                        && let Some(hit) = self.hits.last_mut()
                    {
                        hit.slip(SlipKind::WrongType, format!("`{key}` is `false`, not a word"));
                    }
                }
                value if plain_key(key) == "continue" && says_no(value) => {
                    self.stopped(&path, value, levels);
                }
                _ => {}
            }
        }
    }

    /// Whether a hit was recorded.
    fn decided(
        &mut self,
        path: &[&str],
        restraint: Restraint,
        exact_word: bool,
        levels: &[&Map<String, Value>],
    ) -> bool {
        if restraint <= Restraint::Allow || !self.hearing.can(restraint) {
            return false;
        }
        let mut hit = Hit { restraint, reason: reason(levels), ..Hit::default() };
        self.place(&mut hit, path, restraint, exact_word, levels);
        self.hits.push(hit);
        true
    }

    /// How the place of a decision differs from where this event looks for it.
    fn place(
        &self,
        hit: &mut Hit,
        path: &[&str],
        restraint: Restraint,
        exact_word: bool,
        levels: &[&Map<String, Value>],
    ) {
        let dotted = path.join(".");
        let homes = &self.hearing.homes;
        let alike = |home: &&super::Home| {
            home.path.len() == path.len()
                && home.path.iter().zip(path).all(|(home, key)| plain_key(home) == plain_key(key))
        };
        let Some(home) = homes.iter().find(alike) else {
            let wanted = match homes.last() {
                Some(home) => format!("`{}`", home.path.join(".")),
                None => "exit code 2".to_owned(),
            };
            let detail = format!("`{}` reads no `{dotted}`; it reads {wanted}", self.hearing.event);
            hit.slip(SlipKind::MisplacedDecision, detail);
            return;
        };
        if home.path != path {
            let wanted = home.path.join(".");
            hit.slip(SlipKind::MisspeltKey, format!("`{dotted}` should be `{wanted}`"));
        }
        let said = levels.first().and_then(|fields| fields.get(*path.last()?)?.as_str());
        let known = said.is_some_and(|word| home.words.contains(&word));
        if exact_word && !known && said.is_some() {
            let wanted =
                home.words.iter().find(|word| (self.hearing.protocol.spelt)(word) == restraint);
            let detail = format!(
                "`{dotted}` is `{}`, but should be `{}`",
                said.unwrap_or_default(),
                wanted.unwrap_or(&"deny")
            );
            hit.slip(SlipKind::MisspeltDecision, detail);
        }
        if path.len() > 1 {
            self.event_name(hit, levels);
        }
    }

    fn event_name(&self, hit: &mut Hit, levels: &[&Map<String, Value>]) {
        let expected = self.hearing.event;
        let found = levels.iter().find_map(|fields| fields.get("hookEventName"));
        match found.and_then(Value::as_str) {
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

    fn stopped(&mut self, path: &[&str], value: &Value, levels: &[&Map<String, Value>]) {
        let (restraint, stop, counts) = match self.hearing.protocol.halt {
            Halt::Stops => (Restraint::Silent, true, self.hearing.can.has(Power::Stop)),
            Halt::Denies => (Restraint::Deny, false, self.hearing.can(Restraint::Deny)),
        };
        if !counts {
            return;
        }
        let mut hit = Hit { restraint, stop, reason: reason(levels), ..Hit::default() };
        let dotted = path.join(".");
        match path {
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

/// The first text that gives a reason, from the innermost object outwards.
fn reason(levels: &[&Map<String, Value>]) -> Option<String> {
    levels.iter().find_map(|fields| {
        REASON_KEYS.iter().find_map(|wanted| {
            let (_, value) = fields.iter().find(|(key, _)| plain_key(key) == *wanted)?;
            value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
        })
    })
}
