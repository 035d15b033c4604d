//! Whether a hook can ever run. Says why not, in one sentence; reads nothing but the ruleset.

use tenterhook::config::Ruleset;
use tenterhook::hook::{Arming, Hook, Run};
use tenterhook::matcher::MatcherSpec;

/// Why `hook` never runs, and the rule that says so; `None` when some event can start it.
pub(crate) fn never(ruleset: &Ruleset, hook: &Hook) -> Option<(String, &'static str)> {
    if let Arming::Disarmed { because, rule } = &hook.arming {
        return Some((because.clone(), rule));
    }
    let dialect = hook.dialect.dialect();
    let known = dialect.row(&hook.event).is_some() || ruleset.custom(&hook.event).is_some();
    if !known
        && !dialect.rows().is_empty()
        && hook.dialect != tenterhook::dialect::DialectId::NATIVE
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
        let because = format!("{}; its failure policy decides", part.because(why));
        return Some((because, part.rule()));
    }
    None
}
