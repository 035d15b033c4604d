//! Whether a hook can ever run. Says why not and what becomes of its events, in one sentence; reads nothing but the ruleset.

use tenterhook_core::config::Ruleset;
use tenterhook_core::hook::{Hook, OnFailure, Phase, Run, Wait};
use tenterhook_core::matcher::MatcherSpec;

/// Returns why `hook` never runs, and the rule that says so; `None` if some event can start it.
pub(crate) fn why_hook_never_runs(
    ruleset: &Ruleset,
    hook: &Hook,
) -> Option<(String, &'static str)> {
    if let Some((because, rule)) = hook.arming.disabled_reason() {
        return Some((because.clone(), rule));
    }
    let dialect = hook.dialect.dialect();
    let known =
        dialect.event_row(&hook.event).is_some() || ruleset.custom_event_row(&hook.event).is_some();
    if !known
        && !dialect.event_rows().is_empty()
        && hook.dialect != tenterhook_core::dialect::DialectId::NATIVE
    {
        return Some((format!("no agent fires `{}`", hook.event), "E-4"));
    }
    if let MatcherSpec::Never(why) = hook.matcher.spec() {
        return Some((format!("its matcher can never match: {why}"), "S-1"));
    }
    if let Some(never) = dialect.why_never_selected(hook) {
        return Some(never);
    }
    if let Run::Unusable { part, why } = &hook.run {
        return Some((
            format!("{}; {}", part.problem_message(why), failure_consequence(ruleset, hook)),
            part.spec_rule_number(),
        ));
    }
    if let Err(why) = hook.matcher.compile() {
        let because =
            format!("its matcher cannot be used: {why}; {}", failure_consequence(ruleset, hook));
        return Some((because, "S-3"));
    }
    None
}

/// Returns what happens if `hook` gives no answer, by the same rules as `verdict`.
pub(crate) fn effective_on_failure(ruleset: &Ruleset, hook: &Hook) -> OnFailure {
    if hook.phase == Phase::Observe || hook.wait != Wait::Attached {
        return OnFailure::Continue;
    }
    hook.on_failure.unwrap_or_else(|| ruleset.event_row(hook.dialect, &hook.event).failure)
}

/// Describes what happens if `hook` gives no answer.
pub(crate) fn failure_consequence(ruleset: &Ruleset, hook: &Hook) -> String {
    effective_on_failure(ruleset, hook).describe_consequence(&hook.own_event_name())
}
