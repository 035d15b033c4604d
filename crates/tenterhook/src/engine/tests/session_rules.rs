//! What rules leave in their session, and when: not of an event that is denied, and not without a place for it.

use std::collections::HashSet;
use std::io;

use super::*;
use crate::session::{Memory, Store};
use tenterhook_core::answer::Mark;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::rule::{Part, Rule, SessionHistory};

/// A store that counts reads, and fails where a test says so.
#[derive(Debug, Default)]
struct Watched {
    memory: Memory,
    reads: AtomicUsize,
    is_full: bool,
    is_torn: bool,
}

impl Store for Watched {
    fn claim_once(&self, hook: &HookId) -> bool {
        self.memory.claim_once(hook)
    }
    fn claimed(&self) -> Arc<HashSet<HookId>> {
        self.memory.claimed()
    }
    fn forget_claim(&self, hook: &HookId) {
        self.memory.forget_claim(hook);
    }
    fn add_strike(&self, event: &EventName) -> u32 {
        self.memory.add_strike(event)
    }
    fn strikes(&self, event: &EventName) -> u32 {
        self.memory.strikes(event)
    }
    fn reset_strikes(&self, event: &EventName) {
        self.memory.reset_strikes(event);
    }
    fn history(&self) -> io::Result<String> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        match self.is_torn {
            true => Ok("{\"tenterhook-session\":1}\n{\"label\":\"a".to_owned()),
            false => self.memory.history(),
        }
    }
    fn add_to_history(&self, lines: &str) -> io::Result<()> {
        match self.is_full {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => self.memory.add_to_history(lines),
        }
    }
}

fn rule(id: &str, on: &str, rule: Rule) -> Hook {
    Hook::new(HookId::new(id), DialectId::NATIVE, on.into(), Run::Rule(rule))
}

fn labelling(on: &str, label: &str) -> Hook {
    rule(&format!("label-{label}"), on, Rule::new("true").with_part(Part::Label, label))
}

fn call(event: &str, command: &str) -> Event {
    Event::new(event, Surroundings::at("/srv"))
        .with("tool_name", "Bash")
        .with("tool_input", json!({ "command": command }))
}

fn engine_of(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    hooks.into_iter().fold(Engine::builder(), Builder::hook).build().0
}

fn text(store: &Watched) -> String {
    store.memory.history().unwrap()
}

/// SS-2: what is denied leaves nothing, what is asked about or happened does.
#[tokio::test]
async fn denied_event_leaves_no_label() {
    let gate = |id: &str, when: &str| rule(id, "PreToolUse", Rule::new(when).deny("no"));
    let asks = rule("asks", "PreToolUse", Rule::new(r#"tool.command == "ask""#).ask("sure?"));
    let objects = rule("objects", "PostToolUse", Rule::new("true").deny("look at it"));
    let engine = engine_of([
        labelling("PreToolUse", "called"),
        gate("gate", r#"tool.command == "denied""#),
        asks,
        labelling("PostToolUse", "ran"),
        objects,
    ]);
    for (event, command, left) in [
        ("PreToolUse", "denied", ""),
        ("PreToolUse", "ask", "called"),
        ("PreToolUse", "plain", "called"),
        ("PostToolUse", "plain", "ran"),
    ] {
        let store = Arc::new(Watched::default());
        let outcome = engine.fire(call(event, command), &Session::new(store.clone())).await;
        assert!(text(&store).contains(left), "{event} {command}");
        let marks: Vec<Mark> = outcome.steps.iter().flat_map(|step| step.marks.clone()).collect();
        let expected: Vec<Mark> =
            (!left.is_empty()).then(|| Mark::Label(left.into())).into_iter().collect();
        assert_eq!((&marks, &outcome.effects.marks), (&expected, &expected), "{event} {command}");
        assert_eq!(text(&store).is_empty(), left.is_empty());
    }
}

/// SS-4.
#[tokio::test]
async fn shadow_rule_leaves_nothing() {
    let store = Arc::new(Watched::default());
    let engine = engine_of([labelling("PreToolUse", "called").shadow()]);
    let outcome = engine.fire(call("PreToolUse", "a"), &Session::new(store.clone())).await;
    assert!(text(&store).is_empty() && outcome.effects.marks.is_empty());
}

/// SS-3: rules of one event see what was before it.
#[tokio::test]
async fn rules_of_one_event_do_not_see_its_labels() {
    let seen = rule("seen", "PreToolUse", Rule::new(r#"session.seen("called")"#).deny("again"));
    let engine = engine_of([labelling("PreToolUse", "called"), seen]);
    let session = Session::default();
    assert!(!engine.fire(call("PreToolUse", "a"), &session).await.blocked());
    assert!(engine.fire(call("PreToolUse", "b"), &session).await.blocked());
    assert!(!engine.fire(call("PreToolUse", "b"), &Session::default()).await.blocked());
}

/// SS-15: nothing is read before a rule asks, and no call is noted that no rule asks for.
#[tokio::test]
async fn store_is_used_only_for_rules_that_ask() {
    let plain = rule("plain", "PreToolUse", Rule::new(r#"tool.name == "X""#).deny("no"));
    let store = Arc::new(Watched::default());
    let session = Session::new(store.clone());
    let _ = engine_of([plain.clone()]).fire(call("PreToolUse", "a"), &session).await;
    assert_eq!((store.reads.load(Ordering::Relaxed), text(&store)), (0, String::new()));
    // A rule of another event asks for calls: they are noted, and nothing is read.
    let asks = rule("asks", "Stop", Rule::new("size(session.calls) > 1").deny("two"));
    let engine = engine_of([plain, asks.clone(), rule("again", "Stop", asks_twice())]);
    for command in ["a", "b"] {
        let _ = engine.fire(call("PreToolUse", command), &session).await;
    }
    assert_eq!(store.reads.load(Ordering::Relaxed), 0);
    assert!(text(&store).contains("\"tool\":\"Bash\""));
    let stop = Event::new("Stop", Surroundings::at("/srv"));
    assert!(engine.fire(stop, &session).await.blocked());
    assert_eq!(store.reads.load(Ordering::Relaxed), 1, "once for all rules of an event");
}

fn asks_twice() -> Rule {
    Rule::new(r#"session.seen("x") || session.count("y") > 0"#).deny("no")
}

/// SS-12: how a call ended, by the events after it.
#[tokio::test]
async fn results_belong_to_their_calls() {
    let gate = rule("gate", "PreToolUse", Rule::new(r#"tool.command == "no""#).deny("no"));
    let asks = rule("asks", "Stop", Rule::new("session.calls == []").deny("none"));
    let engine = engine_of([gate, asks]);
    let store = Arc::new(Watched::default());
    let session = Session::new(store.clone());
    for (event, command) in [
        ("PreToolUse", "ran"),
        ("PreToolUse", "failed"),
        ("PreToolUse", "no"),
        ("PostToolUseFailure", "failed"),
        ("PostToolUse", "ran"),
    ] {
        let outcome = engine.fire(call(event, command), &session).await;
        assert_eq!(outcome.blocked(), command == "no");
    }
    let shortest = SessionHistory::read(text(&store)).unwrap().to_text().unwrap();
    let ends: Vec<&str> = ["ran", "failed", "denied", "passed"]
        .into_iter()
        .filter(|end| shortest.contains(end))
        .collect();
    assert_eq!(ends, ["ran", "failed", "denied"]);
}

/// SS-21, SS-22: a store that cannot be used is a fault, and the failure policy decides.
#[tokio::test]
async fn unusable_store_holds_gates_up() {
    let asks = rule("asks", "PreToolUse", Rule::new(r#"session.seen("x")"#).deny("no"));
    let codes = |outcome: &Outcome| -> Vec<Code> {
        outcome.faults.iter().map(|fault| fault.code).collect()
    };
    let torn = || Session::new(Arc::new(Watched { is_torn: true, ..Watched::default() }));
    let full = || Session::new(Arc::new(Watched { is_full: true, ..Watched::default() }));
    let outcome = engine_of([asks.clone()]).fire(call("PreToolUse", "a"), &torn()).await;
    assert!(outcome.blocked() && codes(&outcome) == [Code::RuleFailed], "{outcome:?}");

    let labels = labelling("PreToolUse", "a");
    let outcome = engine_of([labels.clone()]).fire(call("PreToolUse", "a"), &full()).await;
    assert!(outcome.blocked() && codes(&outcome) == [Code::SessionNotStored], "{outcome:?}");
    assert!(outcome.steps.iter().all(|step| step.marks.is_empty()));

    let goes_on = Hook { on_failure: Some(OnFailure::Continue), ..labels };
    let outcome = engine_of([goes_on]).fire(call("PreToolUse", "a"), &full()).await;
    assert!(!outcome.blocked() && codes(&outcome) == [Code::SessionNotStored], "{outcome:?}");

    // A rule of another event asks for the call, which cannot be noted.
    let stop = rule("stop", "Stop", Rule::new("session.calls == []").deny("none"));
    let outcome = engine_of([stop]).fire(call("PreToolUse", "a"), &full()).await;
    assert!(outcome.blocked() && codes(&outcome) == [Code::SessionNotStored], "{outcome:?}");

    // Nothing is noted, so a store that takes nothing is no fault.
    let outcome = engine_of([asks]).fire(call("PreToolUse", "a"), &full()).await;
    assert!(!outcome.blocked() && outcome.faults.is_empty(), "{outcome:?}");
}
