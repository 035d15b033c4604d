//! The one finder of denials: what a hook's output says against the event where the
//! dialect's own reading does not hear it. It finds denials, and what is shaped like an answer and
//! cannot be read as one; never consent. Reads no report; what an event hears, its dialect says.

mod context;
mod hearing;
mod keys;
mod lines;
mod loose;
mod object;
mod objection;
mod reason;
mod rewrite;
mod shapes;
mod vocabulary;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub(crate) use hearing::{Halt, Hearing, Home, Protocol};
pub(crate) use keys::{has_same_purpose, normalize_key, takes_decision};
pub(crate) use vocabulary::{is_consent, is_false_like};

use self::lines::Lines;
use self::shapes::{Shape, Stands};
use crate::answer::{Answer, Failure, Powers, Restraint, Slip, SlipKind, Stop};
use crate::diagnostic::Code;
use crate::report::End;
use crate::strict::{Deviation, Found};

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

    /// Creates a hit that looks like an answer but cannot be read as one.
    fn new_unclear(detail: String) -> Self {
        Self { unclear: Some(detail), ..Self::new(Restraint::Silent) }
    }

    /// Returns what hits are ranked by: the restraint, then whether it stops the agent.
    fn strictness_for_ranking(&self) -> (Restraint, bool) {
        (self.restraint, self.stop)
    }

    fn add_slip(&mut self, kind: SlipKind, detail: impl Into<String>) {
        if !self.slips.iter().any(|slip| slip.kind == kind) {
            self.slips.push(Slip { kind, detail: detail.into() });
        }
    }
}

/// Returns `true` if an object has a key that only an answer has.
fn is_answer(fields: &Map<String, Value>) -> bool {
    fields.keys().any(|key| ANSWER_KEYS.contains(&&*normalize_key(key)))
}

/// Returns the agent's own reading of the answer, or the denial that the agent lost, with that
/// reading attached.
pub(crate) fn recover_denial(hearing: &Hearing<'_>, exact: Answer) -> Answer {
    let mut hits = find_hits(hearing, &exact);
    // A stop that the agent lost is a separate effect, and brings its reason.
    let stops = exact.effects.stop.is_none() && hits.iter().any(|hit| hit.stop);
    if !stops && let Some(answer) = objection::with_reason_of_object(hearing, &hits, &exact) {
        return answer;
    }
    objection::drop_superseded_objection(&mut hits);
    let unclear = hits.iter().find_map(|hit| hit.unclear.clone());
    hits.retain(|hit| {
        let counts = hit.restraint > Restraint::Allow && hit.restraint > exact.restraint;
        counts || (hit.stop && exact.effects.stop.is_none())
    });
    // The first of equal hits wins, in the order of the text.
    let strongest = hits.into_iter().rev().max_by_key(Hit::strictness_for_ranking);
    let Some(hit) = strongest else { return answer_without_hit(hearing, exact, unclear) };
    answer_from_hit(hearing, hit, exact)
}

/// Returns the answer of the strongest hit, which the agent lost.
fn answer_from_hit(hearing: &Hearing<'_>, mut hit: Hit, exact: Answer) -> Answer {
    add_text_and_exit_slips(hearing, &mut hit, &exact);
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

/// Returns the agent's own reading if no hit restrains, with faults for unclear or malformed
/// answers.
fn answer_without_hit(hearing: &Hearing<'_>, exact: Answer, unclear: Option<String>) -> Answer {
    let counts = exact.restraint <= Restraint::Allow && exact.effects.stop.is_none();
    let unclear = unclear.or_else(|| rewrite::find_lost_rewrite(hearing, &exact));
    let mut answer = match rewrite::unread_input_slip(hearing, &exact) {
        Some(slip) => Answer {
            slips: vec![slip],
            remarks: exact.remarks.clone(),
            plain: Some(Box::new(exact)),
            ..Answer::default()
        },
        None => match context::with_answers_replaced_by_context(hearing, &exact) {
            Some(answer) => answer,
            None => add_slips_of_malformed_answer(hearing, exact),
        },
    };
    if let Some(detail) =
        unclear.filter(|_| counts && hearing.event_supports_restraint(Restraint::Deny))
    {
        let message = format!(
            "{detail}, which looks like an answer and cannot be read as one; to deny, {}",
            hearing.denial_format()
        );
        answer.unclear = Some(Failure::new(Code::UnclearAnswer, message));
    }
    answer
}

/// Adds the slips of a malformed answer that restrains nothing, so that somebody learns of it; the
/// agent's own reading is unchanged.
fn add_slips_of_malformed_answer(hearing: &Hearing<'_>, exact: Answer) -> Answer {
    let may_answer = !hearing.plain_is_context || hearing.reading.begins_with_brace();
    if !hearing.protocol.tells || !may_answer || exact.restraint > Restraint::Allow {
        return exact;
    }
    if !hearing.reading.found_objects().iter().any(|object| is_answer(&object.fields)) {
        return exact;
    }
    let slips: Vec<_> = hearing.reading.deviations.iter().map(slip_from_deviation).collect();
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

/// Finds all decisions in the output of a hook that the agent may have lost.
fn find_hits(hearing: &Hearing<'_>, exact: &Answer) -> Vec<Hit> {
    let mut hits = Vec::new();
    if let Some(words) = &hearing.ignored_objection
        && *hearing.end == End::Exited(2)
        && hearing.event_supports_restraint(Restraint::Deny)
    {
        let mut hit = Hit { reason: Some(words.clone()), ..Hit::new(Restraint::Deny) };
        let message = match hearing.ignored_because {
            Some(why) => why.to_owned(),
            None => format!("exit code 2 does nothing on `{}`", hearing.event),
        };
        hit.add_slip(SlipKind::WrongExit, message);
        hits.push(hit);
    }
    for object in hearing.reading.found_objects() {
        for fields in object.possible_readings() {
            hits.extend(object::find_decisions(hearing, fields));
        }
    }
    let by_exit_code = objection::is_denial_by_exit_code(hearing, exact);
    if (exact.restraint == Restraint::Deny && !by_exit_code) || hearing.can == Powers::NONE {
        return hits;
    }
    if hearing.reading.found != Found::Empty && hearing.reading.as_lenient_object().is_none() {
        hits.extend(hits_in_complete_pairs(hearing));
        find_hits_in_text(hearing, &hearing.reading.text, &mut hits);
    }
    if !hearing.stderr.is_empty() {
        find_hits_on_stderr(hearing, &mut hits);
    }
    hits
}

/// Finds the decisions in plain text, if the event reads stdout.
fn find_hits_in_text(hearing: &Hearing<'_>, text: &str, hits: &mut Vec<Hit>) {
    let text = shapes::remove_decoration(text);
    let text = shapes::decode_whole_text(&text).map_or(text, Cow::Owned);
    let shapes = shapes::find_shapes(&text);
    // `{deny}` is a word in braces.
    let says = |shape: &Shape<'_>| {
        shape.readings.iter().any(|object| object.values().any(|value| !value.is_null()))
    };
    let none = !shapes.iter().any(says);
    for shape in shapes {
        let whole = shape.stands == Stands::Alone && shape.at_margin;
        if whole || (!hearing.plain_is_context && shape.stands != Stands::Shown) {
            hits.extend(hits_in_shape(hearing, &shape));
        }
    }
    if hearing.plain_is_context {
        return;
    }
    let listed = ["[", "array("].iter().any(|prefix| text.trim_start().starts_with(prefix));
    if (none || listed)
        && hits.is_empty()
        && let Some(line) = lines::find_denial_row(&text)
    {
        hits.push(Hit::new_unclear(format!("it printed {}", quote_shortened(&line))));
    }
    if !none {
        return;
    }
    match lines::classify_lines(&text) {
        Some(Lines::Records(fields)) => {
            hits.extend(add_not_json_slip(object::find_decisions(hearing, &fields)))
        }
        Some(Lines::Word(word)) => hits.extend(hit_of_single_word(hearing, &word)),
        Some(Lines::One(line)) => {
            hits.push(Hit::new_unclear(format!("it printed {}", quote_shortened(&line))))
        }
        None => {}
    }
}

/// Returns the hit of a word that denies or asks and is all that was printed.
fn hit_of_single_word(hearing: &Hearing<'_>, word: &str) -> Option<Hit> {
    let restraint = hearing.honoured_restraint(vocabulary::restraint_of_word(word))?;
    let mut hit = Hit::new(restraint);
    hit.add_slip(SlipKind::Wrapped, format!("{} stands alone", quote_shortened(word)));
    Some(hit)
}

/// Returns the decisions of one object in a text.
fn hits_in_shape(hearing: &Hearing<'_>, shape: &Shape<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let (mut broken, mut quoted) = (false, false);
    for fields in &shape.readings {
        if shape.readings.len() > 1 && keys::is_state_object(fields) {
            // One record of several.
            continue;
        }
        let found = object::find_decisions(hearing, fields);
        let example = !reason::has_reason(fields) && shape.stands != Stands::Alone;
        match (example, shape.stands) {
            (true, Stands::Labelled) => broken |= !found.is_empty(),
            (true, _) => {}
            (false, _) if found.is_empty() && shape.torn && is_cut_off_answer(fields) => {
                broken = true
            }
            (false, _) => hits.extend(found),
        }
        // Once for all: the whole of it is quoted, and a list may hold thousands.
        if broken && !quoted {
            hits.push(unreadable_shape_hit(shape));
            quoted = true;
        }
    }
    let hits = if shape.loose { add_not_json_slip(hits) } else { hits };
    if shape.listed {
        add_slip_to_hits(hits, SlipKind::Wrapped, "the answer stands in an array")
    } else {
        hits
    }
}

/// Returns `true` if an unfinished object began like an answer and has no word of consent.
fn is_cut_off_answer(fields: &Map<String, Value>) -> bool {
    fields.iter().any(|(key, value)| match value {
        Value::Null => keys::is_answer_key_prefix(key),
        Value::Object(inner) => {
            let output = keys::classify_key(key).0 == keys::Key::Output;
            is_cut_off_answer(inner)
                || (output
                    && !inner.keys().any(|key| keys::classify_key(key).0 == keys::Key::Decision))
        }
        _ => false,
    })
}

fn unreadable_shape_hit(shape: &Shape<'_>) -> Hit {
    Hit::new_unclear(format!("it printed {}", quote_shortened(shape.bytes)))
}

fn quote_shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("`{}`", crate::text::clean(&line, QUOTED).text)
}

fn add_not_json_slip(hits: Vec<Hit>) -> Vec<Hit> {
    add_slip_to_hits(hits, SlipKind::Relaxed, "the answer is not JSON")
}

fn add_slip_to_hits(mut hits: Vec<Hit>, kind: SlipKind, detail: &str) -> Vec<Hit> {
    for hit in hits.iter_mut().filter(|hit| hit.unclear.is_none()) {
        hit.add_slip(kind, detail);
    }
    hits
}

/// Returns the decisions in the complete pairs of an object that cannot be read.
fn hits_in_complete_pairs(hearing: &Hearing<'_>) -> Vec<Hit> {
    let pairs = hearing.reading.torn_pairs();
    if pairs.is_empty() {
        return Vec::new();
    }
    // The value of a content key is not a decision of the hook, and neither is the name of a flag
    // in it.
    let decides = |key: &str| {
        matches!(
            keys::classify_key(key).0,
            keys::Key::Decision | keys::Key::Verdict | keys::Key::Continue
        )
    };
    let found = pairs.iter().filter(|(key, _)| decides(key)).flat_map(|(key, value)| {
        object::find_decisions(hearing, &Map::from_iter([(key.clone(), value.clone())]))
    });
    let all: Map<String, Value> = pairs.iter().cloned().collect();
    let reason = reason::reason_of_object(&all);
    let restraining = found.filter(|hit| hit.unclear.is_none());
    restraining.map(|hit| Hit { slips: Vec::new(), reason: reason.clone(), ..hit }).collect()
}

/// Finds an object on separate lines of stderr, whatever stdout holds.
fn find_hits_on_stderr(hearing: &Hearing<'_>, hits: &mut Vec<Hit>) {
    if !hearing.stderr.contains(['{', '[']) {
        return;
    }
    let text = shapes::remove_decoration(hearing.stderr);
    for shape in shapes::find_shapes(&text).iter().filter(|shape| shape.stands == Stands::Alone) {
        if shape.readings.iter().any(reason::is_log_record) {
            continue;
        }
        for mut hit in hits_in_shape(hearing, shape) {
            hit.on_stderr = true;
            hit.add_slip(SlipKind::OnStderr, "the answer stands on stderr");
            hits.push(hit);
        }
    }
}

/// Adds the slips around the decision: the form of the text, and how the hook ended.
fn add_text_and_exit_slips(hearing: &Hearing<'_>, hit: &mut Hit, exact: &Answer) {
    if !hit.on_stderr && hit.slips.iter().all(|slip| slip.kind != SlipKind::WrongExit) {
        for deviation in &hearing.reading.deviations {
            let slip = slip_from_deviation(deviation);
            hit.add_slip(slip.kind, slip.detail);
        }
    }
    if hearing.truncated {
        hit.add_slip(SlipKind::Torn, "more output came than is read");
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
        hit.add_slip(SlipKind::WrongExit, detail);
    }
    if hit.slips.is_empty() && !matches!(hearing.end, End::Failed { .. }) {
        hit.slips.push(hidden_decision_slip(hearing, exact));
    }
}

/// Returns the slip of a correct decision that the agent missed because of something beside or
/// around it.
fn hidden_decision_slip(hearing: &Hearing<'_>, exact: &Answer) -> Slip {
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

fn slip_from_deviation(deviation: &Deviation) -> Slip {
    Slip { kind: deviation.into(), detail: deviation.to_string() }
}

#[cfg(test)]
mod tests;
