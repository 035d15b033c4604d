//! Whether a hook can ever run. Says why not and what becomes of its events, in one sentence; reads nothing but the ruleset.

use tenterhook_core::config::Ruleset;
use tenterhook_core::hook::{Hook, OnFailure, Phase, Run, Wait};
use tenterhook_core::matcher::MatcherSpec;

/// Why `hook` never runs, and the rule that says so; `None` when some event can start it.
pub(crate) fn why_unreachable(ruleset: &Ruleset, hook: &Hook) -> Option<(String, &'static str)> {
    if let Some((because, rule)) = hook.arming.off() {
        return Some((because.clone(), rule));
    }
    let dialect = hook.dialect.dialect();
    let known = dialect.row(&hook.event).is_some() || ruleset.custom(&hook.event).is_some();
    if !known
        && !dialect.rows().is_empty()
        && hook.dialect != tenterhook_core::dialect::DialectId::NATIVE
    {
        return Some((format!("no agent fires `{}`", hook.event), "E-4"));
    }
    if let MatcherSpec::Never(why) = hook.matcher.spec() {
        return Some((format!("its matcher can never match: {why}"), "S-1"));
    }
    if let Some(never) = dialect.unreachable(hook) {
        return Some(never);
    }
    if let Run::Unusable { part, why } = &hook.run {
        return Some((
            format!("{}; {}", part.because(why), without_answer(ruleset, hook)),
            part.rule(),
        ));
    }
    if let Err(why) = hook.matcher.compile() {
        let because =
            format!("its matcher cannot be used: {why}; {}", without_answer(ruleset, hook));
        return Some((because, "S-3"));
    }
    None
}

/// What happens when `hook` gives no answer, as `verdict` will decide it.
pub(crate) fn on_failure(ruleset: &Ruleset, hook: &Hook) -> OnFailure {
    if hook.phase == Phase::Observe || hook.wait != Wait::Attached {
        return OnFailure::Continue;
    }
    hook.on_failure.unwrap_or_else(|| ruleset.row(hook.dialect, &hook.event).failure)
}

/// The same in words.
pub(crate) fn without_answer(ruleset: &Ruleset, hook: &Hook) -> String {
    on_failure(ruleset, hook).consequence(&hook.own_event())
}
