//! The near misses of protocols that answer as Claude Code does: answers that try to restrain and that the
//! agent loses. The table is closed: what is not in it is no denial. Finds only what restrains more than the agent's own
//! reading; an allow is never found. Reads no report; what an event hears, its dialect says.

mod search;

use super::words::{self, is_in, plain_key, says_no};
use crate::answer::{Answer, Failure, Power, Powers, Restraint, Slip, SlipKind, Stop};
use crate::report::End;
use crate::strict::{self, Deviation, Found, Object, Reading};

/// Keys that hold a decision, as [`plain_key`] spells them. `permission` is Cursor's, which reads this
/// agent's hook files.
const DECISION_KEYS: &[&str] = &["decision", "permissiondecision", "behavior", "permission"];
/// Keys that hold the words for it, best first.
const REASON_KEYS: &[&str] =
    &["permissiondecisionreason", "reason", "message", "stopreason", "usermessage"];
/// Keys that only an answer has.
const ANSWER_KEYS: &[&str] = &["hookspecificoutput", "decision", "permissiondecision", "continue"];

/// One report, and what its event hears of it.
pub(super) struct Hearing<'a> {
    /// The event in the agent's words.
    pub(super) event: &'a str,
    pub(super) end: &'a End,
    pub(super) reading: &'a Reading,
    pub(super) stderr: &'a str,
    /// More stdout came than was kept.
    pub(super) truncated: bool,
    /// What can count at all.
    pub(super) can: Powers,
    /// Where the event looks for a decision, the best place last.
    pub(super) homes: Vec<Home>,
    /// The words of exit code 2, where the event does not hear it.
    pub(super) unheard: Option<String>,
    /// Whether plain stdout is context.
    pub(super) plain_is_context: bool,
    /// Whether `action` is a decision, and not a log's word.
    pub(super) replies: bool,
    pub(super) protocol: &'static Protocol,
}

/// What holds on every event of a protocol.
pub(super) struct Protocol {
    /// What a word of any place means, spelt as the protocol spells it.
    pub(super) spelt: fn(&str) -> Restraint,
    /// What `continue: false` does.
    pub(super) halt: Halt,
    /// Whether an answer counts at an exit code that is neither 0 nor 2.
    pub(super) any_exit: bool,
    /// Whether an answer must name its event.
    pub(super) named: bool,
}

/// What `continue: false` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// Everything ends.
    Stops,
    /// The action is denied.
    Denies,
}

/// A place where an event looks for a decision, and the words that it takes there.
pub(super) struct Home {
    pub(super) path: Vec<&'static str>,
    pub(super) words: &'static [&'static str],
}

impl Hearing<'_> {
    /// What a decision word means, and whether it is spelled as some place of the protocol has it.
    fn restraint(&self, word: &str) -> (Restraint, bool) {
        let restraint = words::restraint(word);
        (restraint, (self.protocol.spelt)(word) == restraint)
    }

    fn can(&self, restraint: Restraint) -> bool {
        self.can.has(match restraint {
            Restraint::Ask => Power::Ask,
            Restraint::Defer => Power::Defer,
            Restraint::Deny => Power::Deny,
            Restraint::Silent | Restraint::Allow => Power::Allow,
        })
    }
}

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
pub(super) fn look(hearing: &Hearing<'_>, exact: Answer) -> Answer {
    let mut hits = hits(hearing);
    hits.retain(|hit| {
        let counts = hit.restraint > Restraint::Allow && hit.restraint > exact.restraint;
        counts || (hit.stop && exact.effects.stop.is_none())
    });
    // Of equal hits the first, in the order of the text.
    let strongest = hits.into_iter().rev().max_by_key(Hit::weight);
    let Some(mut hit) = strongest else { return passed_over(hearing, exact) };
    circumstances(hearing, &mut hit, &exact);
    let stop = hit.stop.then(|| Stop { reason: hit.reason.clone() });
    let (restraint, reason) = if hit.restraint > exact.restraint {
        (hit.restraint, hit.reason)
    } else {
        (exact.restraint, exact.reason.clone())
    };
    let mut answer = Answer { restraint, reason, slips: hit.slips, ..Answer::default() };
    answer.effects.stop = stop.or_else(|| exact.effects.stop.clone());
    answer.remarks.clone_from(&exact.remarks);
    if let End::Failed { code, why } = hearing.end {
        answer.remarks.push(Failure { code, message: why.clone() });
    }
    if restraint < Restraint::Deny {
        // A policy that blocks outranks a question that slipped.
        answer.failure.clone_from(&exact.failure);
    }
    answer.plain = Some(Box::new(exact));
    answer
}

/// An answer whose form slipped and that restrains nothing is what the agent says it is; a person should hear of it.
fn passed_over(hearing: &Hearing<'_>, exact: Answer) -> Answer {
    if !may_be_answer(hearing) || exact.restraint > Restraint::Allow {
        return exact;
    }
    let is_answer = |object: &Object| object.fields.keys().any(|key| is_in(ANSWER_KEYS, key));
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

/// Where plain stdout is context, text that does not begin like an object is never an answer.
fn may_be_answer(hearing: &Hearing<'_>) -> bool {
    !hearing.plain_is_context || hearing.reading.begins_with_brace()
}

fn hits(hearing: &Hearing<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if let Some(words) = &hearing.unheard
        && *hearing.end == End::Exited(2)
        && hearing.can(Restraint::Deny)
    {
        let mut hit =
            Hit { restraint: Restraint::Deny, reason: Some(words.clone()), ..Hit::default() };
        hit.slip(SlipKind::WrongExit, format!("exit code 2 does nothing on `{}`", hearing.event));
        hits.push(hit);
    }
    if may_be_answer(hearing) {
        for object in hearing.reading.objects() {
            for fields in object.readings() {
                hits.extend(search::decisions(hearing, fields));
            }
        }
        hits.extend(torn(hearing));
    }
    if hearing.reading.found == Found::Empty {
        hits.extend(on_stderr(hearing));
    }
    hits
}

/// An object that cannot be read: its complete pairs tell.
fn torn(hearing: &Hearing<'_>) -> Option<Hit> {
    let pairs = hearing.reading.pairs();
    let strongest = pairs
        .iter()
        .filter(|(key, _)| is_in(DECISION_KEYS, key))
        .filter_map(|(_, value)| value.as_str().map(|word| hearing.restraint(word).0))
        .filter(|restraint| hearing.can(*restraint))
        .max()
        .unwrap_or_default();
    let halts = pairs.iter().any(|(key, value)| plain_key(key) == "continue" && says_no(value));
    let (stop, strongest) = match hearing.protocol.halt {
        Halt::Stops => (halts && hearing.can.has(Power::Stop), strongest),
        Halt::Denies if halts && hearing.can(Restraint::Deny) => (false, Restraint::Deny),
        Halt::Denies => (false, strongest),
    };
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
fn on_stderr(hearing: &Hearing<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if !hearing.stderr.starts_with('{') {
        return hits;
    }
    let reading = strict::read(hearing.stderr.as_bytes());
    if let (Found::Object(object), []) = (&reading.found, reading.deviations.as_slice()) {
        hits = search::decisions(hearing, &object.fields);
    }
    for hit in &mut hits {
        hit.slip(SlipKind::OnStderr, "the answer stands on stderr, and stdout is empty");
    }
    hits
}

/// Adds what slipped round the decision: the form of the text, and how the hook ended.
fn circumstances(hearing: &Hearing<'_>, hit: &mut Hit, exact: &Answer) {
    let on_stderr = hit.slips.iter().any(|slip| slip.kind == SlipKind::OnStderr);
    if !on_stderr && hit.slips.iter().all(|slip| slip.kind != SlipKind::WrongExit) {
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
        // The failure is told beside the answer, with its own remedy.
        End::Failed { .. } | End::NotStarted { .. } | End::Exited(_) => None,
    };
    if let Some(detail) = ended {
        hit.slip(SlipKind::WrongExit, detail);
    }
    if hit.slips.is_empty() && !matches!(hearing.end, End::Failed { .. }) {
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

fn slip_of(deviation: &Deviation) -> Slip {
    Slip { kind: deviation.into(), detail: deviation.to_string() }
}
