//! The one finder of denials: what a hook's output says against the event where the
//! dialect's own reading does not hear it. It finds denials, and what is shaped like an answer and
//! cannot be read as one; never consent. Reads no report; what an event hears, its dialect says.

mod hearing;
mod keys;
mod lines;
mod loose;
mod object;
mod reason;
mod rewrite;
mod shapes;
mod vocabulary;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub(crate) use hearing::{Halt, Hearing, Home, Protocol};
pub(crate) use keys::plain_key;
pub(crate) use vocabulary::says_no;

use self::lines::Lines;
use self::shapes::{Shape, Stands};
use crate::answer::{Answer, Failure, Powers, Restraint, Slip, SlipKind, Stop};
use crate::diagnostic::Code;
use crate::report::End;
use crate::strict::{Deviation, Found, Object};

/// Keys that only an answer has.
const ANSWER_KEYS: &[&str] = &["hookspecificoutput", "decision", "permissiondecision", "continue"];
/// How many characters of an unclear answer its fault quotes.
const QUOTED: usize = 160;

/// One restraint that the agent's own reading may have lost, or something that cannot be read.
#[derive(Clone, Debug)]
struct Hit {
    restraint: Restraint,
    stop: bool,
    /// Shaped like an answer, and not to be read as one: what is wrong with it.
    unclear: Option<String>,
    reason: Option<String>,
    slips: Vec<Slip>,
    /// It stands on stderr.
    on_stderr: bool,
}

impl Hit {
    const fn new(restraint: Restraint) -> Self {
        Self {
            restraint,
            stop: false,
            unclear: None,
            reason: None,
            slips: Vec::new(),
            on_stderr: false,
        }
    }

    fn unclear(detail: String) -> Self {
        Self { unclear: Some(detail), ..Self::new(Restraint::Silent) }
    }

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
pub(crate) fn recover_denial(hearing: &Hearing<'_>, exact: Answer) -> Answer {
    let mut hits = hits(hearing, &exact);
    let unclear = hits.iter().find_map(|hit| hit.unclear.clone());
    hits.retain(|hit| {
        let counts = hit.restraint > Restraint::Allow && hit.restraint > exact.restraint;
        counts || (hit.stop && exact.effects.stop.is_none())
    });
    // The first of equal hits wins, in the order of the text.
    let strongest = hits.into_iter().rev().max_by_key(Hit::weight);
    let Some(hit) = strongest else { return unanswered(hearing, exact, unclear) };
    restrained(hearing, hit, exact)
}

/// What the agent lost.
fn restrained(hearing: &Hearing<'_>, mut hit: Hit, exact: Answer) -> Answer {
    circumstances(hearing, &mut hit, &exact);
    let stop = hit.stop.then(|| Stop { reason: hit.reason.clone() });
    let (restraint, reason) = if hit.restraint > exact.restraint {
        (hit.restraint, hit.reason)
    } else {
        (exact.restraint, exact.reason.clone())
    };
    let default_reason = exact.default_reason;
    let mut answer =
        Answer { restraint, reason, default_reason, slips: hit.slips, ..Answer::default() };
    answer.effects.stop = stop.or_else(|| exact.effects.stop.clone());
    answer.remarks.clone_from(&exact.remarks);
    if let End::Failed { code, why } = hearing.end {
        answer.remarks.push(Failure::new(*code, why.clone()));
    }
    if restraint < Restraint::Deny {
        // A policy that blocks outranks a question in a malformed answer.
        answer.failure.clone_from(&exact.failure);
    }
    answer.plain = Some(Box::new(exact));
    answer
}

/// No hit restrains: the agent's own reading, with faults for unclear or malformed answers.
fn unanswered(hearing: &Hearing<'_>, exact: Answer, unclear: Option<String>) -> Answer {
    let counts = exact.restraint <= Restraint::Allow && exact.effects.stop.is_none();
    let unclear = unclear.or_else(|| rewrite::lost(hearing, &exact));
    let mut answer = passed_over(hearing, exact);
    if let Some(detail) = unclear.filter(|_| counts && hearing.can(Restraint::Deny)) {
        let message = format!(
            "{detail}, which looks like an answer and cannot be read as one; to deny, {}",
            hearing.form()
        );
        answer.unclear = Some(Failure::new(Code::UnclearAnswer, message));
    }
    answer
}

/// An answer whose form slipped and that restrains nothing is what the agent says it is; a person
/// should hear of it.
fn passed_over(hearing: &Hearing<'_>, exact: Answer) -> Answer {
    let may_answer = !hearing.plain_is_context || hearing.reading.begins_with_brace();
    if !hearing.protocol.tells || !may_answer || exact.restraint > Restraint::Allow {
        return exact;
    }
    let is_answer =
        |object: &Object| object.fields.keys().any(|key| ANSWER_KEYS.contains(&&*plain_key(key)));
    if !hearing.reading.objects().iter().any(is_answer) {
        return exact;
    }
    let slips: Vec<_> = hearing.reading.deviations.iter().map(slip_of).collect();
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

fn hits(hearing: &Hearing<'_>, exact: &Answer) -> Vec<Hit> {
    let mut hits = Vec::new();
    if let Some(words) = &hearing.ignored_objection
        && *hearing.end == End::Exited(2)
        && hearing.can(Restraint::Deny)
    {
        let mut hit = Hit { reason: Some(words.clone()), ..Hit::new(Restraint::Deny) };
        hit.slip(SlipKind::WrongExit, format!("exit code 2 does nothing on `{}`", hearing.event));
        hits.push(hit);
    }
    for object in hearing.reading.objects() {
        for fields in object.readings() {
            hits.extend(object::decisions(hearing, fields));
        }
    }
    if exact.restraint == Restraint::Deny || hearing.can == Powers::NONE {
        return hits;
    }
    if hearing.reading.found != Found::Empty && hearing.reading.common().is_none() {
        hits.extend(pairs(hearing));
        in_text(hearing, &hearing.reading.text, &mut hits);
    }
    if !hearing.stderr.is_empty() {
        on_stderr(hearing, &mut hits);
    }
    hits
}

/// What the shapes of a text say, where the event's stdout is read.
fn in_text(hearing: &Hearing<'_>, text: &str, hits: &mut Vec<Hit>) {
    let text = shapes::plain(text);
    let text = shapes::decoded(&text).map_or(text, Cow::Owned);
    let shapes = shapes::find(&text);
    // `{deny}` is a word in braces.
    let says = |shape: &Shape<'_>| {
        shape.readings.iter().any(|object| object.values().any(|value| !value.is_null()))
    };
    let none = !shapes.iter().any(says);
    for shape in shapes {
        let whole = shape.stands == Stands::Alone && shape.at_margin;
        if whole || (!hearing.plain_is_context && shape.stands != Stands::Shown) {
            hits.extend(decisions_in(hearing, &shape));
        }
    }
    if hearing.plain_is_context {
        return;
    }
    let listed = ["[", "array("].iter().any(|prefix| text.trim_start().starts_with(prefix));
    if (none || listed)
        && hits.is_empty()
        && let Some(line) = lines::tabled(&text)
    {
        hits.push(Hit::unclear(format!("it printed {}", quoted(&line))));
    }
    if !none {
        return;
    }
    match lines::read(&text) {
        Some(Lines::Records(fields)) => hits.extend(loosely(object::decisions(hearing, &fields))),
        Some(Lines::Word(word)) => hits.extend(word_alone(hearing, &word)),
        Some(Lines::One(line)) => hits.push(Hit::unclear(format!("it printed {}", quoted(&line)))),
        None => {}
    }
}

/// A word that denies or asks and is all that was printed.
fn word_alone(hearing: &Hearing<'_>, word: &str) -> Option<Hit> {
    let restraint = hearing.honoured(vocabulary::restraint(word))?;
    let mut hit = Hit::new(restraint);
    hit.slip(SlipKind::Wrapped, format!("{} stands alone", quoted(word)));
    Some(hit)
}

/// The decisions of one object in a text.
fn decisions_in(hearing: &Hearing<'_>, shape: &Shape<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let (mut broken, mut quoted) = (false, false);
    for fields in &shape.readings {
        if shape.readings.len() > 1 && keys::is_state(fields) {
            // One record of several.
            continue;
        }
        let found = object::decisions(hearing, fields);
        let example = !reason::has_reason(fields) && shape.stands != Stands::Alone;
        match (example, shape.stands) {
            (true, Stands::Labelled) => broken |= !found.is_empty(),
            (true, _) => {}
            (false, _) if found.is_empty() && shape.torn && breaks_off(fields) => broken = true,
            (false, _) => hits.extend(found),
        }
        // Once for all: the whole of it is quoted, and a list may hold thousands.
        if broken && !quoted {
            hits.push(unreadable(shape));
            quoted = true;
        }
    }
    let hits = if shape.loose { loosely(hits) } else { hits };
    if shape.listed {
        slipping(hits, SlipKind::Wrapped, "the answer stands in an array")
    } else {
        hits
    }
}

/// Whether an unfinished object began like an answer and says no word of consent.
fn breaks_off(fields: &Map<String, Value>) -> bool {
    fields.iter().any(|(key, value)| match value {
        Value::Null => keys::begins(key),
        Value::Object(inner) => {
            let output = keys::kind(key).0 == keys::Key::Output;
            breaks_off(inner)
                || (output && !inner.keys().any(|key| keys::kind(key).0 == keys::Key::Decision))
        }
        _ => false,
    })
}

fn unreadable(shape: &Shape<'_>) -> Hit {
    Hit::unclear(format!("it printed {}", quoted(shape.bytes)))
}

fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("`{}`", crate::text::clean(&line, QUOTED).text)
}

fn loosely(hits: Vec<Hit>) -> Vec<Hit> {
    slipping(hits, SlipKind::Relaxed, "the answer is not JSON")
}

fn slipping(mut hits: Vec<Hit>, kind: SlipKind, detail: &str) -> Vec<Hit> {
    for hit in hits.iter_mut().filter(|hit| hit.unclear.is_none()) {
        hit.slip(kind, detail);
    }
    hits
}

/// An object that cannot be read: its complete pairs tell.
fn pairs(hearing: &Hearing<'_>) -> Vec<Hit> {
    let pairs = hearing.reading.pairs();
    if pairs.is_empty() {
        return Vec::new();
    }
    // The value of a content key is not a decision of the hook, and neither is the name of a flag
    // in it.
    let decides = |key: &str| {
        matches!(keys::kind(key).0, keys::Key::Decision | keys::Key::Verdict | keys::Key::Continue)
    };
    let found = pairs.iter().filter(|(key, _)| decides(key)).flat_map(|(key, value)| {
        object::decisions(hearing, &Map::from_iter([(key.clone(), value.clone())]))
    });
    let all: Map<String, Value> = pairs.iter().cloned().collect();
    let reason = reason::reason_of(&all);
    let restraining = found.filter(|hit| hit.unclear.is_none());
    restraining.map(|hit| Hit { slips: Vec::new(), reason: reason.clone(), ..hit }).collect()
}

/// Finds an object on separate lines of stderr, whatever stdout holds.
fn on_stderr(hearing: &Hearing<'_>, hits: &mut Vec<Hit>) {
    if !hearing.stderr.contains(['{', '[']) {
        return;
    }
    let text = shapes::plain(hearing.stderr);
    for shape in shapes::find(&text).iter().filter(|shape| shape.stands == Stands::Alone) {
        if shape.readings.iter().any(reason::is_record) {
            continue;
        }
        for mut hit in decisions_in(hearing, shape) {
            hit.on_stderr = true;
            hit.slip(SlipKind::OnStderr, "the answer stands on stderr");
            hits.push(hit);
        }
    }
}

/// Adds what slipped round the decision: the form of the text, and how the hook ended.
fn circumstances(hearing: &Hearing<'_>, hit: &mut Hit, exact: &Answer) {
    if !hit.on_stderr && hit.slips.iter().all(|slip| slip.kind != SlipKind::WrongExit) {
        for deviation in &hearing.reading.deviations {
            let slip = slip_of(deviation);
            hit.slip(slip.kind, slip.detail);
        }
    }
    if hearing.truncated {
        hit.slip(SlipKind::Torn, "more output came than is read");
    }
    let ended = match &hearing.end {
        End::Signalled(signal) => Some(format!("it said no, and then signal {signal} ended it")),
        End::TimedOut => Some("it said no, and then ran out of time".to_owned()),
        End::Cancelled => Some("it said no, and then was cancelled".to_owned()),
        End::Exited(code) if !matches!(*code, 0 | 2) && !hearing.protocol.any_exit => {
            Some(format!("it said no, and exited with code {code}"))
        }
        // The failure is reported beside the answer, with its own remedy.
        End::Failed { .. } | End::NotStarted { .. } | End::Exited(_) => None,
    };
    if let Some(detail) = ended {
        hit.slip(SlipKind::WrongExit, detail);
    }
    if hit.slips.is_empty() && !matches!(hearing.end, End::Failed { .. }) {
        hit.slips.push(hidden(hearing, exact));
    }
}

/// The decision itself is right: something beside it or round it made the agent pass it over.
fn hidden(hearing: &Hearing<'_>, exact: &Answer) -> Slip {
    if hearing.reading.found == Found::Text {
        let detail = "the answer stands among other text".to_owned();
        return Slip { kind: SlipKind::TextBefore, detail };
    }
    let (kind, detail) = match &exact.failure {
        Some(Failure { message, .. }) => (SlipKind::WrongType, Cow::Owned(message.clone())),
        None => {
            (SlipKind::MisplacedDecision, Cow::Borrowed("another field of the answer hides it"))
        }
    };
    Slip { kind, detail: detail.into_owned() }
}

fn slip_of(deviation: &Deviation) -> Slip {
    Slip { kind: deviation.into(), detail: deviation.to_string() }
}

#[cfg(test)]
mod tests;
