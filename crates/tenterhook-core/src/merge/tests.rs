//! Whether the fold keeps its laws: by example for each rule, and by property for what must hold of every list.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::answer::Stop;
use crate::hook::HookId;
use crate::outcome::Reason;

fn verdict_of(hook: &str, restraint: Restraint) -> Verdict {
    let reason = (restraint != Restraint::Silent)
        .then(|| Reason { hook: HookId::new(hook), text: format!("{hook} says so") });
    Verdict { restraint, reason, ..Verdict::without_effect() }
}

fn wants(effects: Effects) -> Verdict {
    Verdict { effects, ..Verdict::without_effect() }
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

/// M-1, M-2: the strongest wins, and only those that carried it are quoted.
#[test]
fn restraint_wins_and_its_bearers_explain_it() {
    let outcome = merge_verdicts(vec![
        verdict_of("a", Restraint::Deny),
        verdict_of("b", Restraint::Allow),
        verdict_of("c", Restraint::Defer),
        verdict_of("d", Restraint::Deny),
        verdict_of("e", Restraint::Ask),
    ]);
    assert!(outcome.blocked());
    assert_eq!(outcome.reason().as_deref(), Some("a says so\nd says so"));
}

/// M-12.
#[test]
fn words_for_another_hooks_denial_stand_beside_it_and_nowhere_else() {
    let text = Reason { hook: HookId::new("a"), text: "and the tests".to_owned() };
    let adds = || Verdict { if_denied: Some(text.clone()), ..Verdict::without_effect() };
    let denied = merge_verdicts(vec![adds(), verdict_of("b", Restraint::Deny)]);
    assert_eq!(denied.reason().as_deref(), Some("and the tests\nb says so"));
    assert_eq!(
        merge_verdicts(vec![adds(), verdict_of("b", Restraint::Ask)]).reason().as_deref(),
        Some("b says so")
    );
    assert_eq!(merge_verdicts(vec![adds()]), Outcome::without_answer());
}

#[test]
fn nothing_said_is_silence() {
    assert_eq!(merge_verdicts(Vec::new()), Outcome::without_answer());
    assert_eq!(
        merge_verdicts(vec![verdict_of("a", Restraint::Silent); 3]),
        Outcome::without_answer()
    );
}

/// M-3: the last rewrite in configured order stands, and a conflict is reported.
#[test]
fn last_rewrite_applies_and_conflict_is_reported() {
    let input = |n: i32| wants(Effects { updated_input: Some(json!(n)), ..Effects::default() });
    let outcome = merge_verdicts(vec![input(1), verdict_of("quiet", Restraint::Silent), input(2)]);
    assert_eq!(outcome.effects.updated_input, Some(json!(2)));
    assert_eq!(codes(&outcome), ["rewrite-conflict"]);
    assert!(
        merge_verdicts(vec![input(1), input(1)]).faults.is_empty(),
        "agreement is not a conflict"
    );
}

/// M-3: lists grow in configured order.
#[test]
fn texts_keep_configured_order() {
    let texts = |word: &str| {
        wants(Effects {
            context: vec![word.to_owned()],
            messages: vec![word.to_owned()],
            updated_permissions: vec![json!(word)],
            ..Effects::default()
        })
    };
    let effects = merge_verdicts(vec![texts("b"), texts("a")]).effects;
    assert_eq!(effects.context, ["b", "a"]);
    assert_eq!(effects.messages, ["b", "a"]);
    assert_eq!(effects.updated_permissions, [json!("b"), json!("a")]);
}

/// M-4: nothing is left to rewrite of what is denied, but a hidden output stays hidden; an ask keeps the rewrite,
/// because the user is asked about it.
#[test]
fn a_denied_action_is_not_rewritten() {
    let rewrite = || {
        wants(Effects {
            updated_input: Some(json!({"command": "ls"})),
            updated_prompt: Some("p".to_owned()),
            updated_output: Some(json!("o")),
            context: vec!["kept".to_owned()],
            ..Effects::default()
        })
    };
    let denied = merge_verdicts(vec![rewrite(), verdict_of("no", Restraint::Deny)]).effects;
    let kept = Effects {
        updated_output: Some(json!("o")),
        context: vec!["kept".to_owned()],
        ..Effects::default()
    };
    assert_eq!(denied, kept);
    let asked = merge_verdicts(vec![rewrite(), verdict_of("hm", Restraint::Ask)]).effects;
    assert!(asked.updated_input.is_some());
}

/// M-9: a permission update is consent for the future, so it falls with the consent that it came with.
#[test]
fn permissions_do_not_outlive_an_overruled_allow() {
    let consent = || Verdict {
        effects: Effects { updated_permissions: vec![json!("rule")], ..Effects::default() },
        ..verdict_of("yes", Restraint::Allow)
    };
    assert_eq!(merge_verdicts(vec![consent()]).effects.updated_permissions.len(), 1);
    for stronger in [Restraint::Ask, Restraint::Defer, Restraint::Deny] {
        let outcome = merge_verdicts(vec![consent(), verdict_of("no", stronger)]);
        assert!(outcome.effects.updated_permissions.is_empty(), "{stronger:?}");
        assert_eq!(codes(&outcome), ["permissions-overruled"]);
    }
}

/// M-5, M-6: the first stop is quoted; one permission to retry is enough.
#[test]
fn first_stop_is_quoted_and_one_retry_is_enough() {
    let one = |stop: &str, retry| {
        wants(Effects {
            stop: Some(Stop { reason: Some(stop.to_owned()) }),
            retry: Some(retry),
            ..Effects::default()
        })
    };
    let effects = merge_verdicts(vec![one("first", false), one("second", true)]).effects;
    assert_eq!(effects.stop, Some(Stop { reason: Some("first".to_owned()) }));
    assert_eq!(effects.retry, Some(true));
    assert_eq!(merge_verdicts(vec![one("a", false), one("b", false)]).effects.retry, Some(false));
}

/// Ten thousand cases; `PROPTEST_CASES` raises it.
fn cases() -> ProptestConfig {
    /// The default of the crate.
    const UNSAID: u32 = 256;
    let default = ProptestConfig::default();
    let cases = if default.cases == UNSAID { 10_000 } else { default.cases };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

fn restraint() -> impl Strategy<Value = Restraint> {
    prop_oneof![
        Just(Restraint::Silent),
        Just(Restraint::Allow),
        Just(Restraint::Ask),
        Just(Restraint::Defer),
        Just(Restraint::Deny),
    ]
}

prop_compose! {
    fn effects()(
        input in option(0..3_u8),
        prompt in option(0..3_u8),
        context in option(0..3_u8),
        stop in option(0..3_u8),
        permission in option(0..3_u8),
        retry in option(0..2_u8),
        env in option(0..3_u8),
    ) -> Effects {
        Effects {
            updated_input: input.map(|n| json!({ "command": n })),
            updated_prompt: prompt.map(|n| n.to_string()),
            context: context.map(|n| n.to_string()).into_iter().collect(),
            stop: stop.map(|n| Stop { reason: Some(n.to_string()) }),
            updated_permissions: permission.map(Value::from).into_iter().collect(),
            retry: retry.map(|n| n == 1),
            env: env.map(|n| ("KEY".to_owned(), Value::from(n))).into_iter().collect::<Map<_, _>>(),
            ..Effects::default()
        }
    }
}

fn option(range: std::ops::Range<u8>) -> impl Strategy<Value = Option<u8>> {
    proptest::option::weighted(0.3, range)
}

prop_compose! {
    fn verdict()(name in 0..9_u8, restraint in restraint(), effects in effects()) -> Verdict {
        Verdict { effects, ..verdict_of(&format!("hook-{name}"), restraint) }
    }
}

fn without_allow(verdict: Verdict) -> Verdict {
    match verdict.restraint {
        Restraint::Allow => Verdict { restraint: Restraint::Silent, reason: None, ..verdict },
        _ => verdict,
    }
}

fn verdicts() -> impl Strategy<Value = Vec<Verdict>> {
    proptest::collection::vec(verdict(), 0..7)
}

/// A list, and the same list in another order.
fn shuffled() -> impl Strategy<Value = (Vec<Verdict>, Vec<Verdict>)> {
    verdicts().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
}

proptest! {
    #![proptest_config(cases())]

    /// M-1: what is decided does not depend on any order at all.
    #[test]
    fn no_order_changes_the_decision((one, other) in shuffled()) {
        let (one, other) = (merge_verdicts(one), merge_verdicts(other));
        prop_assert_eq!(one.restraint, other.restraint);
        prop_assert_eq!(one.effects.stop.is_some(), other.effects.stop.is_some());
        prop_assert_eq!(one.effects.retry, other.effects.retry);
        prop_assert_eq!(
            one.effects.updated_permissions.is_empty(),
            other.effects.updated_permissions.is_empty()
        );
    }

    /// A hook that never says allow never loosens: not ask or silent into allow, not deny into anything.
    #[test]
    fn a_hook_that_never_allows_never_loosens(
        all in verdicts(),
        extra in verdict().prop_map(without_allow),
        at in any::<prop::sample::Index>(),
    ) {
        let before = merge_verdicts(all.clone());
        let mut more = all;
        more.insert(at.index(more.len() + 1), extra);
        let after = merge_verdicts(more);
        prop_assert!(after.restraint >= before.restraint);
        if before.restraint != Restraint::Allow {
            prop_assert_ne!(after.restraint, Restraint::Allow);
        }
        if before.restraint == Restraint::Deny {
            prop_assert_eq!(after.restraint, Restraint::Deny);
            prop_assert_eq!(after.effects.updated_input, None);
        }
        prop_assert!(before.effects.stop.is_none() || after.effects.stop.is_some());
    }

    /// An explicit allow never outranks another hook's ask, defer or deny.
    #[test]
    fn an_allow_never_outranks_a_restraint(all in verdicts(), allow in verdict()) {
        let strongest = all.iter().map(|verdict| verdict.restraint).max();
        let strongest = strongest.unwrap_or(Restraint::Silent);
        let mut more = all;
        more.push(Verdict { restraint: Restraint::Allow, ..allow });
        let outcome = merge_verdicts(more);
        prop_assert_eq!(outcome.restraint, strongest.max(Restraint::Allow));
        if strongest > Restraint::Allow {
            prop_assert!(outcome.effects.updated_permissions.is_empty());
        }
    }

    /// M-2: every reason is that of a hook that carried the decision, in configured order.
    #[test]
    fn only_bearers_are_quoted(all in verdicts()) {
        let outcome = merge_verdicts(all.clone());
        let bearers: Vec<Reason> = all
            .into_iter()
            .filter(|verdict| verdict.restraint == outcome.restraint)
            .filter_map(|verdict| verdict.reason)
            .collect();
        prop_assert_eq!(outcome.reasons, bearers);
    }
}
