//! Which hooks run for an event, stage by stage, and why each other hook does not. Pure: claims and starts nothing.
//!
//! Implements `docs/spec/planning.md` (P-).

use std::borrow::Cow;
use std::sync::Arc;

use crate::answer::Failure;
use crate::config::{Ruleset, Stage};
use crate::diagnostic::Code;
use crate::dialect::kit::lint::unanchored;
use crate::dialect::{DIALECTS, EventRow, Subject};
use crate::event::Event;
use crate::hook::{Enforcement, Hook, Run, Sandbox, Unread};
use crate::matcher::{Condition, MatchContext, MatcherSpec, PatternError, Picked};
use crate::settle::View;

mod parts;
mod supposed;
mod twins;
mod unknown;

pub use parts::select_parts;
pub use supposed::supposed;
pub use twins::starts_the_same;
pub use unknown::unknown;

#[cfg(test)]
mod tests;

/// One hook that a plan runs.
#[derive(Clone, Debug)]
pub struct Step {
    /// The hook.
    pub hook: Arc<Hook>,
    /// What its dialect lets it do on this event.
    pub row: Arc<EventRow>,
    /// Why its *allow* may not count (S-9).
    pub widened: Option<String>,
    /// Its matcher, its condition or its entry cannot be used: the step is settled by its policy without being run (S-3,
    /// S-59, C-60, C-72).
    pub broken: Option<Failure>,
    /// Which parts of the event it is asked about (P-13); none where it is asked about the event as it came.
    pub parts: Vec<usize>,
}

/// Whether a hook runs for an event, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Because {
    /// Whether it runs.
    pub selected: bool,
    /// One sentence.
    pub because: String,
    /// The number of the rule that decided.
    pub rule: &'static str,
}

/// The steps of one stage on the payload as it stands, in configured order (P-1).
#[must_use]
pub fn select(
    ruleset: &Ruleset,
    view: &View,
    context: &MatchContext<'_>,
    stage: &Stage,
) -> Vec<Step> {
    let event = context.event();
    let subjects = subjects(ruleset, event);
    let eligible = match &subjects {
        Some(subjects) => stage.eligible(subjects),
        None => Cow::Borrowed(stage.hooks.as_slice()),
    };
    // Room for all at once: a list that grows by itself is copied each time.
    let mut steps = Vec::with_capacity(eligible.len());
    for hook in eligible.iter().filter_map(|at| ruleset.hook(*at)) {
        let Some((widened, broken)) = weigh(hook, &stage.row, view, event, context).selected()
        else {
            continue;
        };
        let (hook, row) = (Arc::clone(hook), Arc::clone(&stage.row));
        steps.push(Step { hook, row, widened, broken, parts: Vec::new() });
    }
    steps
}

/// What the plan says of every configured hook, in configured order, on the payload as given (P-5).
#[must_use]
pub fn explain(ruleset: &Ruleset, view: &View, event: &Event) -> Vec<(Arc<Hook>, Because)> {
    let context = MatchContext::for_event(event);
    let parts = crate::event::parts::parts(event);
    let parts: Vec<MatchContext<'_>> = parts.iter().map(MatchContext::for_event).collect();
    let call = event.as_tool_call();
    let call_context = call.as_ref().map(MatchContext::for_event);
    let explained = |hook: &Hook, context: &MatchContext<'_>| {
        let row = ruleset.row(hook.dialect, &context.event().name);
        parts::reason_for(hook, &row, view, context, &parts)
    };
    let runs_itself = |hook: &Arc<Hook>| {
        let own = ruleset.hooks().iter().filter(|own| own.event == event.name);
        let mut same = own.filter(|own| starts_the_same(own, hook));
        same.any(|own| explained(own, &context).selected)
    };
    ruleset
        .hooks()
        .iter()
        .map(|hook| {
            // A hook of tool calls judges the call that the event would be (BR-90).
            let of_call = call_context.as_ref().filter(|call| call.event().name == hook.event);
            let Because { selected, because, rule } = explained(hook, of_call.unwrap_or(&context));
            if selected && of_call.is_some() && runs_itself(hook) {
                let because = format!("it runs for this call as a hook of `{}`", event.name);
                return (Arc::clone(hook), Because { selected: false, because, rule: "BR-101" });
            }
            let because = if selected { confinement(hook, because) } else { because };
            let because = if selected { shadowed(hook, because) } else { because };
            (Arc::clone(hook), Because { selected, because, rule })
        })
        .collect()
}

/// That nothing of what it says counts, and who says so (SH-12).
fn shadowed(hook: &Hook, because: String) -> String {
    match &hook.enforcement {
        Enforcement::Shadow { because: who, .. } => format!("{because}; in shadow: {who}"),
        Enforcement::Usual | Enforcement::Enforced => because,
    }
}

/// In what it runs. The default of repositories is not repeated.
fn confinement(hook: &Hook, because: String) -> String {
    if hook.sandbox == Sandbox::of_repositories() {
        return because;
    }
    if let Sandbox::In(grants) = &hook.sandbox {
        let (text, least) = (hook.sandbox.summary(), grants.demands().as_str());
        return format!("{because}; it runs in the sandbox {text}, at least {least} (X-1)");
    }
    because
}

/// Every text that some dialect's matchers are tested on: few, and mostly the same one. `None` when the event lacks the
/// field that one of them looks for, because then its matchers are ignored (S-2).
fn subjects<'a>(ruleset: &Ruleset, event: &'a Event) -> Option<Vec<&'a str>> {
    let mut subjects: Vec<&str> = Vec::with_capacity(DIALECTS.len());
    let rows = DIALECTS.iter().filter_map(|dialect| dialect.row(&event.name));
    for row in rows.chain(ruleset.custom(&event.name)) {
        if row.subject == Subject::None {
            continue;
        }
        let subject = row.subject.text(event)?;
        for subject in std::iter::once(subject).chain(row.subject.others(event)) {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
    }
    Some(subjects)
}

/// What a matcher matched.
#[derive(Clone, Copy)]
struct Match<'a> {
    subject: Option<&'a str>,
    /// Another name of the subject, where the matcher knows only that one (S-5).
    other: Option<&'a str>,
}

/// What decided on one hook. The sentence for it is made for those who ask (P-5): most firings ask for none.
enum Weighed<'a> {
    /// It is for another event.
    Elsewhere,
    Disarmed {
        because: &'a str,
        rule: &'static str,
    },
    /// The user switched it off for the session.
    Off,
    /// It had its one run.
    Spent,
    Mismatched(Option<&'a str>),
    Matched(Match<'a>),
    /// Its matcher matched, and its condition says this.
    Picked(Match<'a>, &'a Condition, Picked),
    /// It is selected, and stands in for what cannot be read.
    Unread(Unread, &'a str),
    /// It is selected and cannot be run.
    Broken {
        part: &'static str,
        code: Code,
        why: String,
        rule: &'static str,
    },
}

impl Weighed<'_> {
    /// Whether the hook runs: why its allow may not count, and why it is settled without being run.
    fn selected(self) -> Option<(Option<String>, Option<Failure>)> {
        match self {
            Self::Matched(_) | Self::Picked(.., Picked::Exactly) => Some((None, None)),
            Self::Picked(.., Picked::Widely(why)) => Some((Some(why), None)),
            Self::Unread(part, why) => {
                Some((None, Some(Failure::new(part.code(), part.because(why)))))
            }
            Self::Broken { part, code, why, .. } => {
                let message = format!("its {part} cannot be used: {why}");
                Some((None, Some(Failure::new(code, message))))
            }
            Self::Elsewhere
            | Self::Disarmed { .. }
            | Self::Off
            | Self::Spent
            | Self::Mismatched(_)
            | Self::Picked(.., Picked::No(_) | Picked::Failed(_)) => None,
        }
    }

    /// The sentence, and the rule that decided.
    fn because(&self, hook: &Hook) -> (String, &'static str) {
        match self {
            Self::Elsewhere => (format!("it is for `{}`", hook.event_label()), "P-2"),
            Self::Disarmed { because, rule } => ((*because).to_owned(), rule),
            Self::Off => ("it is switched off for this session".to_owned(), "N-11"),
            Self::Spent => ("it runs once in a session, and did".to_owned(), "P-4"),
            Self::Mismatched(subject) => (mismatch(hook, *subject), "S-1"),
            Self::Matched(subject) => (match_sentence(hook, *subject), "S-1"),
            Self::Picked(subject, condition, picked) => {
                let behind = |link: &str| match hook.matcher.spec() {
                    MatcherSpec::Any => String::new(),
                    _ => format!("{}, {link} ", match_sentence(hook, *subject)),
                };
                let condition = format!("its condition `{}`", condition.text());
                match picked {
                    Picked::Exactly => (format!("{}{condition} is met", behind("and")), "S-4"),
                    Picked::Widely(why) => {
                        let may = format!("{condition} may be met, so it may restrain");
                        (format!("{}{may}: {why}", behind("and")), "S-9")
                    }
                    Picked::No(why) | Picked::Failed(why) => {
                        (format!("{}{condition} is not met: {why}", behind("but")), "S-4")
                    }
                }
            }
            Self::Unread(part, why) => {
                let said = match part {
                    Unread::Entry => format!("its entry cannot be used ({why})"),
                    Unread::File => format!("its file cannot be read ({why})"),
                    Unread::Exposed => part.because(why),
                    Unread::Approval => return (format!("it holds the call: {why}"), part.rule()),
                };
                (format!("{said}, so its failure policy decides"), part.rule())
            }
            Self::Broken { part, why, rule, .. } => {
                let because =
                    format!("its {part} cannot be used ({why}), so its failure policy decides");
                (because, rule)
            }
        }
    }
}

/// The one place that says whether a hook runs. The order of the questions is the order of rules P-2 to P-4.
fn weigh<'a>(
    hook: &'a Hook,
    row: &EventRow,
    view: &View,
    event: &'a Event,
    context: &MatchContext<'_>,
) -> Weighed<'a> {
    if hook.event != event.name {
        return Weighed::Elsewhere;
    }
    if let Some((because, rule)) = hook.arming.off() {
        return Weighed::Disarmed { because, rule };
    }
    if !hook.is_settled() && view.is_off(&hook.id) {
        return Weighed::Off;
    }
    if hook.once && view.claimed(&hook.id) {
        return Weighed::Spent;
    }
    let subject = row.subject.text(event);
    let matched = match find_match(hook, row, event, subject) {
        Err(why) => {
            let (part, code) = ("matcher", Code::MatcherFailed);
            return Weighed::Broken { part, code, why: why.to_string(), rule: "S-3" };
        }
        Ok(None) => return Weighed::Mismatched(subject),
        Ok(Some(matched)) => matched,
    };
    let incomplete = hook.incomplete_lists(row);
    let picked = hook.condition.as_ref();
    let picked =
        picked.map(|condition| (condition, condition.pick_for(context, hook.compat, incomplete)));
    if let Run::Unusable { part, why } = &hook.run
        && !matches!(picked, Some((_, Picked::No(_))))
    {
        return Weighed::Unread(*part, why);
    }
    match picked {
        None => Weighed::Matched(matched),
        Some((_, Picked::Failed(why))) => {
            let (part, code) = ("condition", Code::ConditionFailed);
            Weighed::Broken { part, code, why, rule: "S-59" }
        }
        Some((condition, picked)) => Weighed::Picked(matched, condition, picked),
    }
}

/// What the matcher matches: the subject, or another name of it (S-1, S-5).
fn find_match<'a>(
    hook: &Hook,
    row: &EventRow,
    event: &'a Event,
    subject: Option<&'a str>,
) -> Result<Option<Match<'a>>, PatternError> {
    if hook.matcher.matches(subject)? {
        return Ok(Some(Match { subject, other: None }));
    }
    for other in row.subject.others(event) {
        if hook.matcher.matches(Some(other))? {
            return Ok(Some(Match { subject, other: Some(other) }));
        }
    }
    Ok(None)
}

fn match_sentence(hook: &Hook, matched: Match<'_>) -> String {
    let sentence = matched_name(hook, matched.other.or(matched.subject));
    match (matched.other, matched.subject) {
        (Some(_), Some(subject)) => format!("{sentence}, another name of `{subject}`"),
        _ => sentence,
    }
}

fn matched_name(hook: &Hook, name: Option<&str>) -> String {
    match (hook.matcher.spec(), name) {
        (MatcherSpec::Any, _) => {
            format!("it has no matcher, so it runs for every `{}`", hook.event_label())
        }
        (_, None) => "this event has no subject, so its matcher is ignored".to_owned(),
        (MatcherSpec::Words(words), Some(subject)) => {
            format!("`{}` names `{subject}`", words.join("|"))
        }
        (MatcherSpec::Regex(text) | MatcherSpec::Never(text), Some(subject)) => {
            match unanchored(text) {
                name if name == subject => format!("its matcher is `{subject}`"),
                text => format!("`{text}` is found in `{subject}`"),
            }
        }
    }
}

fn mismatch(hook: &Hook, found: Option<&str>) -> String {
    let found = found.unwrap_or_default();
    match hook.matcher.spec() {
        MatcherSpec::Words(words) => format!("`{found}` is not one of `{}`", words.join("|")),
        MatcherSpec::Regex(text) => format!("`{}` is not found in `{found}`", unanchored(text)),
        MatcherSpec::Never(why) => format!("its matcher can never match: {why}"),
        MatcherSpec::Any => String::new(),
    }
}
