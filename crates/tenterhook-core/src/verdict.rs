//! What an answer means here. Only this module applies the powers of the event, the slips and
//! `on_failure`.
//!
//! Pure. Implements `docs/spec/answers.md` (A-).

use crate::answer::{Answer, Effects, Failure, Power, Powers, Restraint, Slip};
use crate::diagnostic::Code;
use crate::dialect::{DialectId, EventRow, SlipPolicy};
use crate::hook::{Compat, Hook, OnFailure, Phase, Run, Wait};
use crate::outcome::{Fault, Reason};

mod permit;
mod remedy;
mod unclear;

#[cfg(test)]
mod tests;

/// What one hook's answer means for the event.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How far it restrains.
    pub restraint: Restraint,
    /// Its words for that.
    pub reason: Option<Reason>,
    /// What it adds to the reason if another hook denies (M-12).
    pub if_denied: Option<Reason>,
    /// What else it wants and may have.
    pub effects: Effects,
    /// What it did not get, and what went wrong.
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Creates a verdict without any effect, as of a hook that stays silent.
    #[must_use]
    pub fn without_effect() -> Self {
        Self {
            restraint: Restraint::Silent,
            reason: None,
            if_denied: None,
            effects: Effects::default(),
            faults: Vec::new(),
        }
    }

    /// Returns true if the verdict has no effect at all.
    pub fn has_no_effect(&self) -> bool {
        let Self { restraint, reason, if_denied, effects, faults } = self;
        let is_mute = reason.is_none() && if_denied.is_none() && faults.is_empty();
        *restraint == Restraint::Silent && is_mute && effects.is_empty()
    }
}

/// What judging needs to know of a step beside its answer.
#[derive(Clone, Copy, Debug)]
pub struct JudgeContext<'a> {
    /// The hook.
    pub hook: &'a Hook,
    /// What its dialect lets it do on this event.
    pub row: &'a EventRow,
    /// Set if the match is widened: the call only may be what the hook's condition names. Then an
    /// *allow* has no effect, for this reason (S-9).
    pub widened: Option<&'a str>,
}

/// Whether the event that an answer is about still waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    InTime,
    /// The host has gone on: nothing can be held up or changed any more.
    Late,
}

/// Judges one answer.
///
/// The order of the steps is the rule: slips first, because they decide how much of the answer is
/// believed; then what is unclear; then failure; then what the event
/// permits; then what a model may say; then what the way of selection permits (S-9).
#[must_use]
pub fn judge_answer(judge_context: JudgeContext<'_>, answer: Answer) -> Verdict {
    // If the first line asks for the background, the agent goes on at once and reads no later
    // line as a denial. With exact compatibility, so do we (R-22).
    let is_gone = answer.detached && judge_context.hook.compat == Compat::Exact;
    judge_answer_timely_or_late(
        judge_context,
        answer,
        if is_gone { When::Late } else { When::InTime },
    )
}

/// Judges an answer that came after the host had gone on. Its objection is reported but no longer
/// blocks.
#[must_use]
pub fn judge_late_answer(judge_context: JudgeContext<'_>, answer: Answer) -> Verdict {
    judge_answer_timely_or_late(judge_context, answer, When::Late)
}

fn judge_answer_timely_or_late(
    judge_context: JudgeContext<'_>,
    mut answer: Answer,
    when: When,
) -> Verdict {
    let mut faults = Vec::new();
    let is_background = when == When::Late || answer.detached;
    // An ignored part is reported, and has no other effect.
    for remark in &answer.remarks {
        faults.push(Fault::new(&judge_context.hook.id, remark.code, remark.message.clone()));
    }
    let unclear = answer.unclear.take();
    apply_slips(judge_context, &mut answer, &mut faults);
    judge_unclear_answer(judge_context, unclear, &mut answer, &mut faults);
    apply_failure_policy(judge_context, is_background, &mut answer, &mut faults);
    permit::drop_unpermitted_effects(judge_context, when, &mut answer, &mut faults);
    silence_consent_of_model(judge_context, &mut answer, &mut faults);
    silence_consent_if_widened(judge_context, &mut answer, &mut faults);
    let Answer { restraint, printed, if_denied, effects, .. } = answer;
    let reason = answer.reason.or_else(|| {
        let words = answer.default_reason.filter(|_| restraint > Restraint::Allow);
        words.map(str::to_owned)
    });
    let said = |text| Reason { hook: judge_context.hook.id.clone(), text };
    let words =
        reason.or_else(|| default_denial_reason(judge_context.hook, restraint, printed.as_deref()));
    let (reason, if_denied) = (words.map(said), if_denied.map(said));
    let verdict = Verdict { restraint, reason, if_denied, effects, faults };
    if judge_context.hook.gates_only { drop_consent_and_additions(verdict) } else { verdict }
}

/// Returns the verdict without consent and additions: only its restraint, its stop, its messages and
/// its changes of the session stay (BR-19, C-94).
fn drop_consent_and_additions(verdict: Verdict) -> Verdict {
    let Effects { messages, stop, marks, .. } = verdict.effects;
    let effects = Effects { messages, stop, marks, ..Effects::default() };
    match verdict.restraint {
        Restraint::Silent | Restraint::Allow => Verdict {
            restraint: Restraint::Silent,
            reason: None,
            if_denied: None,
            effects,
            faults: verdict.faults,
        },
        Restraint::Ask | Restraint::Defer | Restraint::Deny => {
            Verdict { if_denied: None, effects, ..verdict }
        }
    }
}

/// Returns a reason for a denial that has none, because a model that is refused without a reason
/// tries again.
fn default_denial_reason(
    hook: &Hook,
    restraint: Restraint,
    printed: Option<&str>,
) -> Option<String> {
    (restraint > Restraint::Allow).then(|| {
        let word = match restraint {
            Restraint::Deny => "denied",
            Restraint::Defer => "put off",
            Restraint::Ask | Restraint::Allow | Restraint::Silent => "asked about",
        };
        match printed {
            Some(printed) => format!("{word} by hook `{}`: {printed}", hook.id),
            None => format!("{word} by hook `{}`, which gave no reason", hook.id),
        }
    })
}

/// Applies the slips: guarded reading keeps the restraint and drops the rest; exact reading does
/// what the agent does.
fn apply_slips(judge_context: JudgeContext<'_>, answer: &mut Answer, faults: &mut Vec<Fault>) {
    if answer.slips.is_empty() {
        let own = answer.plain.take();
        // With exact compatibility, use the agent's own reading if its restraint is the same: its
        // reason may differ.
        if judge_context.hook.compat == Compat::Exact
            && let Some(own) = own.filter(|own| own.restraint == answer.restraint)
        {
            *answer = *own;
        }
        return;
    }
    faults.extend(answer.slips.iter().map(|slip| fault_from_slip(judge_context.hook, slip)));
    *answer = counted_part_of_slipped_answer(judge_context, std::mem::take(answer));
}

/// Handles an unclear answer. It is no consent. On an event before an action, the user is
/// asked unless a policy says otherwise; elsewhere it is a fault. Exact compatibility keeps the agent's own
/// reading.
fn judge_unclear_answer(
    judge_context: JudgeContext<'_>,
    unclear: Option<Failure>,
    answer: &mut Answer,
    faults: &mut Vec<Fault>,
) {
    let Some(unclear) = unclear.filter(|_| judge_context.hook.compat == Compat::Guarded) else {
        return;
    };
    if answer.restraint == Restraint::Allow {
        answer.restraint = Restraint::Silent;
        answer.reason = None;
        answer.effects.updated_input = None;
    }
    answer.effects.updated_permissions.clear();
    let fault = |failure: &Failure| {
        Fault::new(&judge_context.hook.id, failure.code, failure.message.clone())
    };
    if !judge_context.row.is_before_effect() || answer.restraint > Restraint::Allow {
        return faults.push(fault(&unclear));
    }
    // A more specific failure that restrains replaces this one. `UnreadableAnswer` and
    // `InvalidAnswer` are not more specific: they say the same.
    let is_specific =
        |failure: &Failure| !matches!(failure.code, Code::UnreadableAnswer | Code::InvalidAnswer);
    let other = answer.failure.take().filter(is_specific);
    match other {
        Some(other) if failure_policy(judge_context, &other) != OnFailure::Continue => {
            answer.failure = Some(other)
        }
        other => {
            faults.extend(other.as_ref().map(fault));
            answer.failure = Some(unclear);
        }
    }
}

/// Returns the part of an answer with slips that counts: for guarded reading its restraining part,
/// for exact reading what the agent takes.
fn counted_part_of_slipped_answer(judge_context: JudgeContext<'_>, answer: Answer) -> Answer {
    match judge_context.hook.compat {
        Compat::Guarded => restraining_part_after_slip(answer),
        Compat::Exact => {
            let dialect = judge_context.hook.dialect.dialect();
            let honour = answer.slips.iter().map(|slip| dialect.slip_policy(slip.kind)).max();
            match honour.unwrap_or(SlipPolicy::Counts) {
                SlipPolicy::Counts => answer,
                SlipPolicy::PlainText => answer.plain.map_or_else(Answer::default, |plain| *plain),
                SlipPolicy::Fails => {
                    let detail =
                        answer.slips.into_iter().map(|slip| slip.detail).collect::<Vec<_>>();
                    Answer::failed(Code::UnreadableAnswer, detail.join("; "))
                }
            }
        }
    }
}

fn fault_from_slip(hook: &Hook, slip: &Slip) -> Fault {
    let failure = slip.to_failure();
    Fault::new(&hook.id, failure.code, failure.message)
}

/// Returns what a malformed answer may still do: ask, defer, deny or stop.
/// If it does none of these, it is read as the agent would read it, but any consent is dropped: a
/// malformed answer never allows.
fn restraining_part_after_slip(answer: Answer) -> Answer {
    let restrains = answer.restraint > Restraint::Allow || answer.effects.stop.is_some();
    if !restrains {
        let failure = answer.failure;
        let mut plain = answer.plain.map(|plain| *plain).unwrap_or_default();
        if plain.restraint == Restraint::Allow {
            plain.restraint = Restraint::Silent;
            plain.reason = None;
            plain.effects.updated_input = None;
            plain.effects.updated_permissions.clear();
        }
        return Answer { failure: plain.failure.clone().or(failure), ..plain };
    }
    Answer {
        restraint: if answer.restraint > Restraint::Allow {
            answer.restraint
        } else {
            Restraint::Silent
        },
        reason: answer.reason,
        printed: answer.printed,
        default_reason: answer.default_reason,
        effects: Effects { stop: answer.effects.stop, ..Effects::default() },
        // An ask in a malformed answer must not weaken a failure policy that blocks.
        failure: answer.failure,
        ..Answer::default()
    }
}

/// Applies the failure policy of a gate that gave no answer.
fn apply_failure_policy(
    judge_context: JudgeContext<'_>,
    is_background: bool,
    answer: &mut Answer,
    faults: &mut Vec<Fault>,
) {
    // Silence is an answer, unless the hook's entry wants words.
    if judge_context.hook.answer_required && *answer == Answer::default() {
        *answer = Answer::failed(Code::NoAnswer, "it must answer, and said nothing");
    }
    let Some(failure) = answer.failure.take() else { return };
    let policy = match is_background {
        // A hook that asked for the background must not hold up the event by failing. Its
        // explicit answer still counts.
        true => OnFailure::Continue,
        false => {
            enforceable_policy(failure_policy(judge_context, &failure), judge_context.row.powers)
        }
    };
    let hook = &judge_context.hook.id;
    // Such a hook was not asked at all.
    let holds = matches!(failure.code, Code::AwaitsApproval | Code::FileUnread);
    let consequence = match policy {
        OnFailure::Block if holds => "; the call is held",
        OnFailure::Ask if holds => "; the user is asked",
        OnFailure::Block => "; the action is blocked, because the hook's failure policy says so",
        OnFailure::Ask => "; the user is asked, because the hook's failure policy says so",
        OnFailure::Continue => "",
    };
    let message =
        remedy::message_with_remedy(judge_context.hook.dialect, failure.code, &failure.message);
    faults.push(Fault::new(hook, failure.code, format!("{message}{consequence}")));
    let restraint = match policy {
        OnFailure::Block => Restraint::Deny,
        OnFailure::Ask => Restraint::Ask,
        OnFailure::Continue => return,
    };
    // A readable denial beside the failure keeps its own words.
    if answer.restraint < restraint {
        answer.restraint = restraint;
        let verb = if holds { "holds this call" } else { "gave no answer" };
        answer.reason = Some(format!("hook `{hook}` {verb}: {}", failure.message));
    }
}

/// Returns the failure policy: the hook's own or its source's, otherwise what the dialect promises
/// for the event.
fn failure_policy(judge_context: JudgeContext<'_>, failure: &Failure) -> OnFailure {
    if judge_context.hook.phase == Phase::Observe || judge_context.hook.wait != Wait::Attached {
        return OnFailure::Continue;
    }
    let dialect = judge_context.hook.dialect.dialect();
    let promised = || {
        let own = dialect.default_failure_policy(judge_context.hook, judge_context.row, failure);
        // If an agent calls Tenterhook, the policy is at least as strict as that agent's own
        // (BR-9).
        let caller = judge_context.hook.caller.map(DialectId::dialect);
        let callers =
            caller.map(|caller| caller.policy_without_answer(&judge_context.row.event, failure));
        let promise = callers.map_or(own, |callers| own.max(callers));
        if unclear::must_ask_user(failure, judge_context.row, dialect) {
            promise.max(OnFailure::Ask)
        } else {
            promise
        }
    };
    judge_context.hook.on_failure.unwrap_or_else(promised)
}

/// Returns the policy that the event can enforce. If it cannot ask, asking becomes blocking, so
/// that a policy never gets weaker. If it cannot block either, only the fault remains.
const fn enforceable_policy(policy: OnFailure, powers: Powers) -> OnFailure {
    match policy {
        OnFailure::Ask if powers.has(Power::Ask) => OnFailure::Ask,
        OnFailure::Ask | OnFailure::Block if powers.has(Power::Deny) => OnFailure::Block,
        OnFailure::Ask | OnFailure::Block | OnFailure::Continue => OnFailure::Continue,
    }
}

/// Drops the *allow* of a model with its new input, and its permission updates, because texts that
/// the model reads can talk it into consent. The user can configure otherwise.
fn silence_consent_of_model(
    judge_context: JudgeContext<'_>,
    answer: &mut Answer,
    faults: &mut Vec<Fault>,
) {
    let Run::Prompt(prompt) = &judge_context.hook.run else { return };
    if prompt.may_allow || judge_context.hook.compat == Compat::Exact {
        return;
    }
    let effects = &mut answer.effects;
    let consents = answer.restraint == Restraint::Allow;
    let grants = !effects.updated_permissions.is_empty();
    if consents {
        answer.restraint = Restraint::Silent;
        answer.reason = None;
        effects.updated_input = None;
    }
    effects.updated_permissions.clear();
    if consents || grants {
        let message =
            "a model's consent is ignored; set `allow = true` in a native entry to accept it";
        faults.push(Fault::new(&judge_context.hook.id, Code::ModelAllow, message.to_owned()));
    }
}

/// Drops the *allow* of a widened match (the call only may be what the condition names), because
/// such a match may only restrain (S-9).
fn silence_consent_if_widened(
    judge_context: JudgeContext<'_>,
    answer: &mut Answer,
    faults: &mut Vec<Fault>,
) {
    let Some(why) = judge_context.widened else { return };
    if answer.restraint != Restraint::Allow {
        return;
    }
    let message = format!("its allow is ignored: {why}");
    faults.push(Fault::new(&judge_context.hook.id, Code::AllowNotCovered, message));
    answer.restraint = Restraint::Silent;
    answer.reason = None;
    // A rewrite with the allow may be for a different command than the matched one.
    answer.effects.updated_input = None;
}
