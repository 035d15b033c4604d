//! Which hooks run for an event, stage by stage, and why each other hook does not. Pure: claims and starts nothing.
//!
//! Implements `docs/spec/planning.md` (P-).

use std::borrow::Cow;
use std::sync::Arc;

use crate::answer::Failure;
use crate::config::{Ruleset, Stage};
use crate::diagnostic::Code;
use crate::dialect::kit::lint::without_anchors;
use crate::dialect::{DIALECTS, Dialect, EventRow, Subject};
use crate::event::Event;
use crate::hook::{Compat, Enforcement, Hook, Run, Sandbox, Unread};
use crate::matcher::{Condition, MatchContext, MatcherSpec, PatternError, Picked};
use crate::settle::View;

mod parts;
mod supposed;
mod twins;
mod unknown;

pub use parts::select_steps_of_parts;
pub use supposed::restraint_if_hook_ended_with;
pub use twins::start_same_program_alike;
pub use unknown::verdict_on_unknown_event;

#[cfg(test)]
mod tests;

/// One hook that a plan runs.
#[derive(Clone, Debug)]
pub struct Step {
    /// The hook.
    pub hook: Arc<Hook>,
    /// What its dialect lets it do on this event.
    pub row: Arc<EventRow>,
    /// If set, an *allow* of this hook has no effect, for this reason (S-9).
    pub widened: Option<String>,
    /// Set if its matcher, condition or entry cannot be used: the step is not run, and its failure
    /// policy decides (S-3, S-59, C-60, C-72).
    pub broken: Option<Failure>,
    /// The indices of the parts that it judges (P-13); empty if it judges the event as a whole.
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

/// Returns the steps of one stage for the current payload, in configured order (P-1).
#[must_use]
pub fn select_steps(
    ruleset: &Ruleset,
    view: &View,
    context: &MatchContext<'_>,
    stage: &Stage,
) -> Vec<Step> {
    let event = context.event();
    let subjects = matcher_subjects(ruleset, event);
    let eligible = match &subjects {
        Some(subjects) => stage.hooks_for_subjects(subjects),
        None => Cow::Borrowed(stage.hooks.as_slice()),
    };
    // Room for all at once: a list that grows by itself is copied each time.
    let mut steps = Vec::with_capacity(eligible.len());
    for hook in eligible.iter().filter_map(|at| ruleset.hook_at(*at)) {
        let Some((widened, broken)) =
            decide_if_hook_runs(hook, &stage.row, view, event, context).run_limits_if_selected()
        else {
            continue;
        };
        let (hook, row) = (Arc::clone(hook), Arc::clone(&stage.row));
        steps.push(Step { hook, row, widened, broken, parts: Vec::new() });
    }
    steps
}

/// Returns for every configured hook, in configured order, whether it runs for the payload as
/// given, and why (P-5).
#[must_use]
pub fn explain(ruleset: &Ruleset, view: &View, event: &Event) -> Vec<(Arc<Hook>, Because)> {
    let context = MatchContext::for_event(event);
    let parts = crate::event::parts::split_patch_event(event);
    let parts: Vec<MatchContext<'_>> = parts.iter().map(MatchContext::for_event).collect();
    let call = event.as_tool_call();
    let call_context = call.as_ref().map(MatchContext::for_event);
    let explained = |hook: &Hook, context: &MatchContext<'_>| {
        let row = ruleset.event_row(hook.dialect, &context.event().name);
        parts::explain_by_part(hook, &row, view, context, &parts)
    };
    let runs_itself = |hook: &Arc<Hook>| {
        let own = ruleset.hooks().iter().filter(|own| own.event == event.name);
        let mut same = own.filter(|own| start_same_program_alike(own, hook));
        same.any(|own| explained(own, &context).selected)
    };
    ruleset
        .hooks()
        .iter()
        .map(|hook| {
            // If the event stands for a tool call, hooks of such calls judge it as that call
            // (BR-90).
            let of_call = call_context.as_ref().filter(|call| call.event().name == hook.event);
            let Because { selected, because, rule } = explained(hook, of_call.unwrap_or(&context));
            if selected && of_call.is_some() && runs_itself(hook) {
                let because = format!("it runs for this call as a hook of `{}`", event.name);
                return (Arc::clone(hook), Because { selected: false, because, rule: "BR-101" });
            }
            let because = if selected { append_sandbox_note(hook, because) } else { because };
            let because = if selected { append_shadow_note(hook, because) } else { because };
            (Arc::clone(hook), Because { selected, because, rule })
        })
        .collect()
}

/// Appends to the explanation that the hook runs in shadow and has no effect, and who decided that
/// (SH-12).
fn append_shadow_note(hook: &Hook, because: String) -> String {
    match &hook.enforcement {
        Enforcement::Shadow { because: who, .. } => format!("{because}; in shadow: {who}"),
        Enforcement::Usual | Enforcement::Enforced => because,
    }
}

/// Appends the sandbox of the hook to the explanation, unless it is the default for
/// repositories.
fn append_sandbox_note(hook: &Hook, because: String) -> String {
    if hook.sandbox == Sandbox::repository_default() {
        return because;
    }
    if let Sandbox::In(grants) = &hook.sandbox {
        let (text, least) = (hook.sandbox.summary(), grants.required_tier().as_str());
        return format!("{because}; it runs in the sandbox {text}, at least {least} (X-1)");
    }
    because
}

/// Returns the texts that matchers can test for this event, in all dialects. `None` if the event
/// lacks the field that the matchers of some dialect test: they are then ignored (S-2), so no hook
/// can be excluded by its matcher.
fn matcher_subjects<'a>(ruleset: &Ruleset, event: &'a Event) -> Option<Vec<Cow<'a, str>>> {
    let mut subjects: Vec<Cow<'a, str>> = Vec::with_capacity(DIALECTS.len());
    let mut add = |subject: Cow<'a, str>| {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    };
    let of_dialect =
        |dialect: &&'static Dialect| Some((dialect.event_row(&event.name)?, Some(*dialect)));
    let custom = ruleset.custom_event_row(&event.name).map(|row| (row, None));
    for (row, dialect) in DIALECTS.iter().filter_map(of_dialect).chain(custom) {
        if row.subject == Subject::None {
            continue;
        }
        add(row.subject.matcher_text(event)?.into());
        dialect
            .and_then(|dialect| dialect.matcher_subject(row, event))
            .into_iter()
            .for_each(&mut add);
        row.subject.alternative_names(event).into_iter().for_each(|name| add(name.into()));
    }
    other_divisions(event).for_each(|name| add(name.into()));
    Some(subjects)
}

/// What a matcher matched.
struct Match<'a> {
    subject: Option<Cow<'a, str>>,
    /// Another name of the subject, where the matcher knows only that one (S-5).
    other: Option<Cow<'a, str>>,
    /// Whether that may be the name of another server's tool: the hook cannot allow (S-6, S-9).
    is_guess: bool,
}

/// What decided on one hook. The explanation is written only on request (P-5), because most firings
/// need none.
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
    Mismatched(Option<Cow<'a, str>>),
    Matched(Match<'a>),
    /// Its matcher matched, and its condition says this.
    Picked(Match<'a>, &'a Condition, Picked),
    /// It is selected, but runs nothing: its entry or file cannot be used, or its approval is
    /// missing.
    Unread(Unread, &'a str),
    /// It is selected and cannot be run.
    Broken {
        part: &'static str,
        code: Code,
        why: String,
        rule: &'static str,
    },
}

impl Match<'_> {
    fn reason_that_it_cannot_allow(&self) -> Option<String> {
        let subject = self.subject.as_deref().filter(|_| self.is_guess)?;
        Some(format!("`{subject}` does not show where the name of the server ends"))
    }
}

impl Weighed<'_> {
    /// Returns `None` if the hook does not run; otherwise why its *allow* has no effect, if so, and
    /// the failure that replaces its run.
    fn run_limits_if_selected(self) -> Option<(Option<String>, Option<Failure>)> {
        match self {
            Self::Matched(matched) | Self::Picked(matched, _, Picked::Exactly) => {
                Some((matched.reason_that_it_cannot_allow(), None))
            }
            Self::Picked(.., Picked::Widely(why)) => Some((Some(why), None)),
            Self::Unread(part, why) => {
                Some((None, Some(Failure::new(part.code(), part.problem_message(why)))))
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

    /// Returns the explanation as a sentence, and the rule that decided.
    fn explanation_and_rule(&self, hook: &Hook) -> (String, &'static str) {
        match self {
            Self::Elsewhere => (format!("it is for `{}`", hook.event_label()), "P-2"),
            Self::Disarmed { because, rule } => ((*because).to_owned(), rule),
            Self::Off => ("it is switched off for this session".to_owned(), "N-11"),
            Self::Spent => ("it runs once in a session and has already run".to_owned(), "P-4"),
            Self::Mismatched(subject) => (explain_mismatch(hook, subject.as_deref()), "S-1"),
            Self::Matched(subject) => (explain_match(hook, subject), "S-1"),
            Self::Picked(subject, condition, picked) => {
                let behind = |link: &str| match hook.matcher.spec() {
                    MatcherSpec::Any => String::new(),
                    _ => format!("{}, {link} ", explain_match(hook, subject)),
                };
                let condition = format!("its condition `{}`", condition.text());
                match picked {
                    Picked::Exactly => (format!("{}{condition} is met", behind("and")), "S-4"),
                    Picked::Widely(why) => {
                        let may = format!("{condition} may be met, so it runs, but cannot allow");
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
                    Unread::Exposed => part.problem_message(why),
                    Unread::Approval => {
                        return (format!("it holds the call: {why}"), part.spec_rule_number());
                    }
                };
                (format!("{said}, so its failure policy decides"), part.spec_rule_number())
            }
            Self::Broken { part, why, rule, .. } => {
                let because =
                    format!("its {part} cannot be used ({why}), so its failure policy decides");
                (because, rule)
            }
        }
    }
}

/// Decides whether a hook runs; no other function decides that. The checks are in the order of
/// rules P-2 to P-4.
fn decide_if_hook_runs<'a>(
    hook: &'a Hook,
    row: &EventRow,
    view: &View,
    event: &'a Event,
    context: &MatchContext<'_>,
) -> Weighed<'a> {
    if hook.event != event.name {
        return Weighed::Elsewhere;
    }
    if let Some((because, rule)) = hook.arming.disabled_reason() {
        return Weighed::Disarmed { because, rule };
    }
    if !hook.is_managed_or_built_in() && view.is_hook_switched_off(&hook.id) {
        return Weighed::Off;
    }
    if hook.once && view.has_hook_had_only_run(&hook.id) {
        return Weighed::Spent;
    }
    let subject = hook.dialect.dialect().matcher_subject(row, event);
    let matched = match find_matched_subject(hook, row, event, subject.clone()) {
        Err(why) => {
            let (part, code) = ("matcher", Code::MatcherFailed);
            return Weighed::Broken { part, code, why: why.to_string(), rule: "S-3" };
        }
        Ok(None) => return Weighed::Mismatched(subject),
        Ok(Some(matched)) => matched,
    };
    let incomplete = hook.incomplete_line_policy(row);
    let picked = hook.condition.as_ref();
    let picked = picked.map(|condition| {
        (condition, condition.pick_with_incomplete_lists(context, hook.compat, incomplete))
    });
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

/// Returns what the matcher matches: the subject or another name of it (S-1, S-5).
fn find_matched_subject<'a>(
    hook: &Hook,
    row: &EventRow,
    event: &'a Event,
    subject: Option<Cow<'a, str>>,
) -> Result<Option<Match<'a>>, PatternError> {
    if hook.matcher.matches(subject.as_deref())? {
        return Ok(Some(Match { subject, other: None, is_guess: false }));
    }
    let tests_one_name = hook.dialect.dialect().agent_that_tests_one_name().is_some();
    if hook.compat == Compat::Exact && tests_one_name {
        return Ok(None);
    }
    // An agent's own name of a server's tool differs from the neutral one.
    let neutral =
        row.subject.matcher_text(event).filter(|_| matches!(subject, Some(Cow::Owned(_))));
    for other in row.subject.alternative_names(event).into_iter().chain(neutral) {
        if hook.matcher.matches(Some(other))? {
            return Ok(Some(Match { subject, other: Some(other.into()), is_guess: false }));
        }
    }
    for guess in other_divisions(event).filter(|_| hook.compat == Compat::Guarded) {
        if hook.matcher.matches(Some(&guess))? {
            return Ok(Some(Match { subject, other: Some(guess.into()), is_guess: true }));
        }
    }
    Ok(None)
}

/// Returns the names that a tool of a server has if the server's name ends at another underscore or
/// dash: for `mcp__my__server_find`, `mcp__my_server__find`. Agents that call it
/// `mcp_my_server_find` do not say where it ends (S-6).
fn other_divisions(event: &Event) -> impl Iterator<Item = String> {
    let name = event.text("tool_name").and_then(|name| name.strip_prefix("mcp__"));
    let parts = name.and_then(|name| name.split_once("__"));
    parts.into_iter().flat_map(|(server, tool)| {
        ['_', '-'].into_iter().flat_map(move |mark| {
            let flat = format!("{server}{mark}{tool}");
            let ends: Vec<usize> = flat.match_indices(mark).map(|(end, _)| end).collect();
            ends.into_iter().filter(move |end| *end != server.len()).filter_map(move |end| {
                let (server, tool) = (flat.get(..end)?, flat.get(end + 1..)?);
                (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
            })
        })
    })
}

fn explain_match(hook: &Hook, matched: &Match<'_>) -> String {
    let subject = matched.subject.as_deref();
    let sentence = explain_matched_name(hook, matched.other.as_deref().or(subject));
    match (&matched.other, subject) {
        (Some(_), Some(subject)) if matched.is_guess => {
            format!("{sentence}, which `{subject}` may be")
        }
        (Some(_), Some(subject)) => {
            let sentence = format!("{sentence}, another name of `{subject}`");
            match hook.dialect.dialect().agent_that_tests_one_name() {
                Some(agent) => format!("{sentence}; {agent} tests `{subject}` alone and skips it"),
                None => sentence,
            }
        }
        _ => sentence,
    }
}

fn explain_matched_name(hook: &Hook, name: Option<&str>) -> String {
    match (hook.matcher.spec(), name) {
        (MatcherSpec::Any, _) => {
            format!("it has no matcher, so it runs for every `{}`", hook.event_label())
        }
        (_, None) => "this event has no subject, so its matcher is ignored".to_owned(),
        (MatcherSpec::Words(words), Some(subject)) => {
            format!("`{}` names `{subject}`", words.join("|"))
        }
        (MatcherSpec::Regex(text) | MatcherSpec::Never(text), Some(subject)) => {
            match without_anchors(text) {
                name if name == subject => format!("its matcher is `{subject}`"),
                // The whole name matches, not a part of it.
                inner if inner != text => format!("`{inner}` matches `{subject}`"),
                text => format!("`{text}` is found in `{subject}`"),
            }
        }
    }
}

fn explain_mismatch(hook: &Hook, found: Option<&str>) -> String {
    let found = found.unwrap_or_default();
    match hook.matcher.spec() {
        MatcherSpec::Words(words) => format!("`{found}` is not one of `{}`", words.join("|")),
        MatcherSpec::Regex(text) => match without_anchors(text) {
            inner if inner != text => format!("`{inner}` does not match `{found}`"),
            text => format!("`{text}` is not found in `{found}`"),
        },
        MatcherSpec::Never(why) => format!("its matcher can never match: {why}"),
        MatcherSpec::Any => String::new(),
    }
}
