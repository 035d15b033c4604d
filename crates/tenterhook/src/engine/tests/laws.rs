//! Laws that the engine adds to those of merging: what a rewrite does to consent, what the clock
//! covers, and that the order of completion decides nothing.

use proptest::prelude::*;

use super::*;
use tenterhook_core::hook::Compat;
use tenterhook_core::matcher::{Matcher, MatcherSpec};

fn rewrite(command: &str) -> Answer {
    rewriting(json!({ "command": command }))
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

fn answer(restraint: Restraint) -> Answer {
    let reason = (restraint > Restraint::Allow).then(|| format!("{restraint:?}"));
    Answer { restraint, reason, ..Answer::default() }
}

fn ended(outcome: &Outcome) -> Vec<(&str, Ended)> {
    outcome.steps.iter().map(|step| (step.hook.as_str(), step.ended.clone())).collect()
}

/// M-8: a restraint or report of a gate in the first round is kept in the second.
#[tokio::test]
async fn second_round_keeps_restraints_of_the_first() {
    let asks_once = hook("gate", |event| {
        let first = event.payload["tool_input"]["command"] == "first";
        std::future::ready(answer(if first { Restraint::Ask } else { Restraint::Allow }))
    });
    let outcome = fire(vec![asks_once, answering("author", rewrite("pwd"))]).await;
    assert_eq!(outcome.restraint, Restraint::Ask);
    assert_eq!(outcome.reason().as_deref(), Some("Ask"));
}

/// M-10: an allow was for the payload that its hook saw; after another hook's rewrite it becomes
/// silent. An allow by the author of the rewrite stays.
#[tokio::test]
async fn an_allow_does_not_outlive_a_rewrite() {
    let allow = || Hook { once: true, ..answering("consent", answer(Restraint::Allow)) };
    let outcome = fire(vec![allow(), answering("author", rewrite("rm"))]).await;
    assert_eq!(
        (outcome.restraint, codes(&outcome)),
        (Restraint::Silent, vec!["allow-not-covered"])
    );

    let early = Hook { phase: Phase::Rewrite, ..allow() };
    let late = Hook { phase: Phase::Rewrite, ..answering("author", rewrite("rm")) };
    assert_eq!(fire(vec![early, late]).await.restraint, Restraint::Silent);

    let exact = Hook { compat: Compat::Exact, ..allow() };
    assert_eq!(
        fire(vec![exact, answering("author", rewrite("rm"))]).await.restraint,
        Restraint::Allow
    );

    let own = Answer { restraint: Restraint::Allow, ..rewrite("pwd") };
    assert_eq!(fire(vec![answering("author", own)]).await.restraint, Restraint::Allow);
}

/// a hook gets the smaller of its timeout and the rest of the host's budget.
#[tokio::test(start_paused = true)]
async fn the_budget_holds_for_the_whole_event() {
    let slow = |id: &str| Hook {
        on_failure: Some(OnFailure::Block),
        timeout: Some(Duration::from_secs(60)),
        ..after(id, 30000, Answer::default())
    };
    let chained = |id: &str| Hook { phase: Phase::Rewrite, ..slow(id) };
    let began = Instant::now();
    let engine = engine(vec![chained("one"), chained("two"), slow("three")]);
    let budget = Some(Duration::from_secs(40));
    let outcome = engine.fire_within(event(), &Session::default(), budget).await;
    assert_eq!(began.elapsed().as_secs(), 40);
    assert!(outcome.blocked());
    assert_eq!(ended(&outcome)[..2], [("one", Ended::Answered), ("two", Ended::TimedOut)]);
}

/// without a budget each hook has its own timeout, which does not shorten another's.
#[tokio::test(start_paused = true)]
async fn each_hook_has_its_own_timeout() {
    let of = |id: &str, seconds| Hook {
        timeout: Some(Duration::from_secs(seconds)),
        ..after(id, 5000, Answer::default())
    };
    let outcome = fire(vec![of("short", 1), of("long", 10)]).await;
    assert_eq!(ended(&outcome), [("short", Ended::TimedOut), ("long", Ended::Answered)]);
}

/// the event's clock runs while a gate waits for a turn, and background steps take no turn
/// from a gate.
///
#[tokio::test(start_paused = true)]
async fn a_gate_waits_for_no_turn_past_its_budget() {
    let slow = || Hook {
        timeout: Some(Duration::from_secs(100)),
        on_failure: Some(OnFailure::Block),
        ..after("slow", 50000, Answer::default())
    };
    let build = |hooks: Vec<Hook>| {
        let builder = Engine::builder().event(row()).parallel(1);
        hooks.into_iter().fold(builder, Builder::hook).build().0
    };
    let session = Session::default();
    let two = build(vec![slow(), Hook { id: HookId::new("waits"), ..slow() }]);
    let outcome = two.fire_within(event(), &session, Some(Duration::from_secs(10))).await;
    assert_eq!(ended(&outcome), [("slow", Ended::TimedOut), ("waits", Ended::TimedOut)]);

    let began = Instant::now();
    let background = Hook { wait: Wait::Detached, ..slow() };
    let both = build(vec![background, answering("gate", answer(Restraint::Deny))]);
    let outcome = both.fire(event(), &session).await;
    assert!(outcome.blocked() && began.elapsed().is_zero());
}

/// a host that shuts its runtime down during a firing ends the tasks of its steps.
#[test]
fn runtime_shutdown_during_a_firing_blocks() {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_time().build().unwrap();
    let (entered, begun) = std::sync::mpsc::channel();
    let hooks = ["first", "second"].map(|id| {
        let entered = entered.clone();
        hook(id, move |_| {
            let entered = entered.clone();
            async move {
                // Its timer is set when it was polled twice, and no timer can be set after the
                // runtime has ended.
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
                entered.send(()).unwrap();
                std::future::pending().await
            }
        })
    });
    let (engine, handle) = (engine(hooks), runtime.handle().clone());
    let waits = std::thread::spawn(move || {
        handle.block_on(async { engine.fire(event(), &Session::default()).await })
    });
    begun.iter().take(2).for_each(drop);
    runtime.shutdown_background();
    let outcome = waits.join().unwrap();
    assert!(outcome.blocked(), "{outcome:?}");
    assert_eq!(codes(&outcome), ["cancelled", "cancelled"]);
    assert_eq!(outcome.steps.len(), 2);
}

/// S-3: a hook with a broken matcher does not run, and its failure policy decides.
#[tokio::test]
async fn a_broken_matcher_is_a_failure() {
    let broken = Hook {
        matcher: Matcher::new(MatcherSpec::Regex("(".into())),
        on_failure: Some(OnFailure::Block),
        ..answering("broken", answer(Restraint::Allow))
    };
    let outcome = fire(vec![broken]).await;
    assert!(outcome.blocked());
    assert_eq!(codes(&outcome), ["matcher-failed"]);
}

/// C-2: an event in flight keeps the hooks with which it began.
#[tokio::test(start_paused = true)]
async fn a_reload_does_not_touch_an_event_in_flight() {
    let (engine, _) =
        Engine::builder().event(row()).hook(after("slow", 5000, answer(Restraint::Deny))).build();
    let session = Session::default();
    let reload = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        engine.reload(&[])
    };
    let (outcome, _) = tokio::join!(engine.fire(event(), &session), reload);
    assert!(outcome.blocked());
    assert!(engine.fire(event(), &session).await.blocked(), "added hooks outlive a reload");
}

fn spoken(word: u8) -> Answer {
    let context = vec![word.to_string()];
    let effects = |restraint| Answer {
        effects: Effects { context: context.clone(), ..Effects::default() },
        ..answer(restraint)
    };
    match word % 5 {
        0 => effects(Restraint::Silent),
        1 => effects(Restraint::Allow),
        2 => effects(Restraint::Ask),
        3 => effects(Restraint::Deny),
        _ => rewrite(&word.to_string()),
    }
}

/// What the host gets, without the times.
fn timeless(mut outcome: Outcome) -> Outcome {
    outcome.steps.iter_mut().for_each(|step| step.took = Duration::ZERO);
    outcome
}

fn fire_with_delays(words: &[u8], delays: &[u64]) -> Outcome {
    let hooks = words.iter().zip(delays).enumerate();
    let hooks = hooks.map(|(n, (&word, &delay))| after(&format!("h{n}"), delay, spoken(word)));
    let hooks: Vec<Hook> = hooks.collect();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    timeless(runtime.block_on(fire(hooks)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// M-11: the order of completion decides nothing: the whole outcome is the same under every
    /// order.
    #[test]
    fn completion_order_never_decides(
        words in proptest::collection::vec(any::<u8>(), 1..6),
        delays in proptest::collection::vec(0..50_u64, 6),
    ) {
        let reference = fire_with_delays(&words, &[0; 6]);
        prop_assert_eq!(fire_with_delays(&words, &delays), reference);
    }
}

/// The outcome is a value that a host may store: it borrows nothing and crosses threads.
#[test]
fn an_outcome_is_a_plain_value() {
    fn plain<T: Send + Sync + Clone + 'static>() {}
    plain::<Outcome>();
}

/// H-10: long context goes to a separate file; the model gets the beginning and the path.
#[tokio::test]
async fn long_context_goes_to_a_file() {
    let scratch = tempfile::tempdir().unwrap();
    let ambient = Ambient { scratch: Some(scratch.path().to_owned()), ..Ambient::default() };
    let text = "word ".repeat(3_000);
    let hook = answering("talks", Answer::context(text.clone()));
    let builder = Engine::builder().event(row()).ambient(ambient);
    let outcome = builder.hook(hook).build().0.fire(event(), &Session::default()).await;
    let [context] = outcome.effects.context.as_slice() else { panic!("one context") };
    assert!(context.chars().count() < 3_000 && context.starts_with("word word"));
    let file = std::fs::read_dir(scratch.path()).unwrap().next().unwrap().unwrap().path();
    assert!(context.contains(&*file.to_string_lossy()));
    assert_eq!(std::fs::read_to_string(file).unwrap().trim_end(), text.trim_end());
}
