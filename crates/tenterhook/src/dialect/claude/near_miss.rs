//! The near misses: answers that try to restrain and that Claude Code loses. The table is closed:
//! what is not in it is no denial. Finds only what restrains more than the agent's own reading; an allow is never found.

use serde_json::{Map, Value};

use super::answer::Heard;
use super::events::{Exit2, Field, Plain, Top};
use super::fields;
use super::words::{
    ANSWER_KEYS, DECISION_KEYS, REASON_KEYS, is_in, plain_key, power, restraint, says_no,
};
use crate::answer::{Answer, Failure, Power, Restraint, Slip, SlipKind, Stop};
use crate::report::End;
use crate::strict::{self, Deviation, Found, Object};

/// One restraint that the agent's own reading may have lost.
#[derive(Clone, Debug, Default)]
struct Hit {
    restraint: Restraint,
    stop: bool,
    reason: Option<String>,
    slips: Vec<Slip>,
}

impl Hit {
    fn weight(&self) -> (Restraint, bool) {
        (self.restraint, self.stop)
    }

    fn slip(&mut self, kind: SlipKind, detail: impl Into<String>) {
        if !self.slips.iter().any(|slip| slip.kind == kind) {
            self.slips.push(Slip { kind, detail: detail.into() });
        }
    }
}

/// The agent's own reading, or what it lost with that reading beside it.
pub(super) fn look(heard: &Heard<'_>, exact: Answer) -> Answer {
    let mut hits = hits(heard);
    hits.retain(|hit| {
        let counts = hit.restraint > Restraint::Allow && hit.restraint > exact.restraint;
        counts || (hit.stop && exact.effects.stop.is_none())
    });
    // Of equal hits the first, in the order of the text.
    let strongest = hits.into_iter().rev().max_by_key(Hit::weight);
    let Some(mut hit) = strongest else { return passed_over(heard, exact) };
    circumstances(heard, &mut hit, &exact);
    let stop = hit.stop.then(|| Stop { reason: hit.reason.clone() });
    let (restraint, reason) = if hit.restraint > exact.restraint {
        (hit.restraint, hit.reason)
    } else {
        (exact.restraint, exact.reason.clone())
    };
    let mut answer = Answer { restraint, reason, slips: hit.slips, ..Answer::default() };
    answer.effects.stop = stop.or_else(|| exact.effects.stop.clone());
    answer.remarks.clone_from(&exact.remarks);
    if restraint < Restraint::Deny {
        // A policy that blocks outranks a question that slipped.
        answer.failure.clone_from(&exact.failure);
    }
    answer.plain = Some(Box::new(exact));
    answer
}

/// An answer whose form slipped and that restrains nothing is what the agent says it is; a person should hear of it.
fn passed_over(heard: &Heard<'_>, exact: Answer) -> Answer {
    if !may_be_answer(heard) || exact.restraint > Restraint::Allow {
        return exact;
    }
    let is_answer = |object: &Object| object.fields.keys().any(|key| is_in(ANSWER_KEYS, key));
    if !heard.reading.objects().iter().any(is_answer) {
        return exact;
    }
    let slips: Vec<_> = heard.reading.deviations.iter().map(slip_of).collect();
    if slips.is_empty() {
        return exact;
    }
    Answer {
        slips,
        remarks: exact.remarks.clone(),
        plain: Some(Box::new(exact)),
        ..Answer::default()
    }
}

/// Where plain stdout is context, text that does not begin like an object is never an answer.
fn may_be_answer(heard: &Heard<'_>) -> bool {
    heard.spec.plain != Plain::Context || heard.reading.begins_with_brace()
}

fn hits(heard: &Heard<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if *heard.end == End::Exited(2) && heard.spec.exit2 == Exit2::Unheard && heard.can(Power::Deny)
    {
        let mut hit =
            Hit { restraint: Restraint::Deny, reason: Some(heard.objection()), ..Hit::default() };
        hit.slip(
            SlipKind::WrongExit,
            format!("exit code 2 does nothing on `{}`", heard.event.name),
        );
        hits.push(hit);
    }
    if may_be_answer(heard) {
        for object in heard.reading.objects() {
            for fields in object.readings() {
                Search { heard, hits: &mut hits }.object(fields);
            }
        }
        hits.extend(torn(heard));
    }
    if heard.reading.found == Found::Empty {
        hits.extend(on_stderr(heard));
    }
    hits
}

/// An object that cannot be read: its complete pairs tell.
fn torn(heard: &Heard<'_>) -> Option<Hit> {
    let pairs = heard.reading.pairs();
    let strongest = pairs
        .iter()
        .filter(|(key, _)| is_in(DECISION_KEYS, key))
        .filter_map(|(_, value)| value.as_str().map(|word| restraint(word).0))
        .filter(|restraint| heard.can(power(*restraint)))
        .max()
        .unwrap_or_default();
    let stop = heard.can(Power::Stop)
        && pairs.iter().any(|(key, value)| plain_key(key) == "continue" && says_no(value));
    if strongest <= Restraint::Allow && !stop {
        return None;
    }
    let reason = |wanted: &&str| {
        let found = pairs.iter().find(|(key, _)| plain_key(key) == *wanted)?;
        found.1.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Some(Hit {
        restraint: strongest,
        stop,
        reason: REASON_KEYS.iter().find_map(reason),
        slips: Vec::new(),
    })
}

/// One object alone on stderr, with nothing on stdout.
fn on_stderr(heard: &Heard<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if !heard.stderr.starts_with('{') {
        return hits;
    }
    let reading = strict::read(heard.stderr.as_bytes());
    if let (Found::Object(object), []) = (&reading.found, reading.deviations.as_slice()) {
        Search { heard, hits: &mut hits }.object(&object.fields);
    }
    for hit in &mut hits {
        hit.slip(SlipKind::OnStderr, "the answer stands on stderr, and stdout is empty");
    }
    hits
}

/// Looks through one object.
struct Search<'a, 'b> {
    heard: &'a Heard<'a>,
    hits: &'b mut Vec<Hit>,
}

impl Search<'_, '_> {
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
        let replies = |(_, field): &(&str, Field)| *field == Field::Action;
        is_in(DECISION_KEYS, key)
            || (plain_key(key) == "action" && self.heard.spec.fields.iter().any(replies))
    }

    /// The decisions of one object; `levels` are it and those around it, where its reason may stand.
    fn level(&mut self, levels: &[&Map<String, Value>], path: &[&str]) {
        let Some(fields) = levels.first() else { return };
        for (key, value) in *fields {
            let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            match value {
                Value::String(word) if self.decides(key) => {
                    let (restraint, exact) = restraint(word);
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
        if restraint <= Restraint::Allow || !self.heard.can(power(restraint)) {
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
        let homes = homes(self.heard);
        let alike = |home: &&Home| {
            home.path.len() == path.len()
                && home.path.iter().zip(path).all(|(home, key)| plain_key(home) == plain_key(key))
        };
        let Some(home) = homes.iter().find(alike) else {
            let wanted = match homes.last() {
                Some(home) => format!("`{}`", home.path.join(".")),
                None => "exit code 2".to_owned(),
            };
            let detail =
                format!("`{}` reads no `{dotted}`; it reads {wanted}", self.heard.event.name);
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
            let wanted = home.words.iter().find(|word| fields::restraint(word) == restraint);
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
        let expected = self.heard.event.name.as_str();
        let found = levels.iter().find_map(|fields| fields.get("hookEventName"));
        match found.and_then(Value::as_str) {
            Some(name) if name == expected => {}
            Some(name) => hit.slip(
                SlipKind::WrongEventName,
                format!("`hookEventName` is `{name}`, and the event is `{expected}`"),
            ),
            None => hit.slip(
                SlipKind::WrongEventName,
                format!("`hookEventName` is missing; the event is `{expected}`"),
            ),
        }
    }

    fn stopped(&mut self, path: &[&str], value: &Value, levels: &[&Map<String, Value>]) {
        if !self.heard.can(Power::Stop) {
            return;
        }
        let mut hit = Hit { stop: true, reason: reason(levels), ..Hit::default() };
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

/// Adds what slipped round the decision: the form of the text, and how the hook ended.
fn circumstances(heard: &Heard<'_>, hit: &mut Hit, exact: &Answer) {
    let on_stderr = hit.slips.iter().any(|slip| slip.kind == SlipKind::OnStderr);
    if !on_stderr && hit.slips.iter().all(|slip| slip.kind != SlipKind::WrongExit) {
        for deviation in &heard.reading.deviations {
            let slip = slip_of(deviation);
            hit.slip(slip.kind, slip.detail);
        }
    }
    if heard.truncated {
        hit.slip(SlipKind::Torn, "more output came than is read");
    }
    let ended = match heard.end {
        End::Signalled(signal) => Some(format!("it said no, and then signal {signal} ended it")),
        End::TimedOut => Some("it said no, and then ran out of time".to_owned()),
        End::Cancelled => Some("it said no, and then was cancelled".to_owned()),
        End::NotStarted { .. } | End::Exited(_) => None,
    };
    if let Some(detail) = ended {
        hit.slip(SlipKind::WrongExit, detail);
    }
    if hit.slips.is_empty() {
        // The decision itself is right, so something beside it made the agent reject the answer.
        let (kind, detail) = match &exact.failure {
            Some(Failure { message, .. }) => (SlipKind::WrongType, message.clone()),
            None => {
                (SlipKind::MisplacedDecision, "another field of the answer hides it".to_owned())
            }
        };
        hit.slip(kind, detail);
    }
}

/// A place where an event looks for a decision, and the words that it takes there.
struct Home {
    path: Vec<&'static str>,
    words: &'static [&'static str],
}

/// The best one last.
fn homes(heard: &Heard<'_>) -> Vec<Home> {
    let mut homes = Vec::new();
    if heard.spec.top != Top::Ignored {
        homes.push(Home { path: vec!["decision"], words: &["block"] });
    }
    for (key, field) in heard.spec.fields {
        match field {
            Field::Permission(words) => {
                homes.push(Home { path: vec!["hookSpecificOutput", *key], words });
            }
            Field::Behavior => homes.push(Home {
                path: vec!["hookSpecificOutput", *key, "behavior"],
                words: &["deny"],
            }),
            Field::Action => homes.push(Home {
                path: vec!["hookSpecificOutput", *key],
                words: &["decline", "cancel"],
            }),
            _ => {}
        }
    }
    homes
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

fn slip_of(deviation: &Deviation) -> Slip {
    Slip { kind: deviation.into(), detail: deviation.to_string() }
}
