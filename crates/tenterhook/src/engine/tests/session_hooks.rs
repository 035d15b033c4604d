//! Hooks of a session beside configured ones (G-42), and hooks that wake the agent (G-43).

use super::*;
use crate::session::Session;
use tenterhook_core::matcher::{Matcher, MatcherSpec};

fn function(id: &str, matcher: &str, answer: Answer) -> Hook {
    let run = Run::Function(Function::new(id, move |_| {
        let answer = answer.clone();
        async move { answer }
    }));
    let mut hook = Hook::new(HookId::new(id), DialectId::GEN, "PreToolUse".into(), run);
    if !matcher.is_empty() {
        hook.matcher = Matcher::new(MatcherSpec::Words(vec![matcher.to_owned()]));
    }
    hook
}

fn call(tool: &str) -> Event {
    Event::new("PreToolUse", Surroundings::default())
        .with("tool_name", tool)
        .with("tool_input", json!({ "command": "ls" }))
}

/// G-42, and the agent's own tests of session hooks: a matcher filters, one is removed by its name, all are cleared.
#[tokio::test]
async fn configured_hooks_run_before_those_of_the_session() {
    let (engine, _) =
        Engine::builder().hook(function("configured", "Bash", Answer::context("one"))).build();
    let session = Session::default();
    session.add_hook(function("session", "Bash", Answer::context("two")));
    session.add_hook(function("other", "Edit", Answer::context("three")));
    let context = |outcome: tenterhook_core::outcome::Outcome| outcome.effects.context;
    assert_eq!(context(engine.fire(call("Bash"), &session).await), ["one", "two"]);
    assert_eq!(context(engine.fire(call("Edit"), &session).await), ["three"]);
    assert!(session.remove_hook(&"PreToolUse".into(), &HookId::new("session")));
    assert!(!session.remove_hook(&"PreToolUse".into(), &HookId::new("session")));
    assert_eq!(context(engine.fire(call("Bash"), &session).await), ["one"]);
    session.clear_hooks();
    assert_eq!(context(engine.fire(call("Edit"), &session).await), Vec::<String>::new());
}

/// G-40 over both: a block by a configured hook skips the session's hooks, too.
#[tokio::test]
async fn block_by_configured_hook_skips_session_hooks() {
    let (engine, _) = Engine::builder().hook(function("guard", "", Answer::deny("no"))).build();
    let session = Session::default();
    session.add_hook(function("session", "", Answer::context("never")));
    let outcome = engine.fire(call("Bash"), &session).await;
    assert!(outcome.blocked() && outcome.effects.context.is_empty());
}

/// G-43: the caller does not wait, and the reason of a block reaches the host; a hook that passes
/// is silent.
#[tokio::test]
async fn a_block_in_the_background_wakes_the_agent_with_its_reason() {
    let mut scan = function("scan", "", Answer::deny("a leak in line 3"));
    scan.wait = Wait::Rewake;
    scan.event = "Stop".into();
    let mut clean = function("clean", "", Answer::default());
    clean.wait = Wait::Rewake;
    clean.event = "Stop".into();
    let (engine, _) = Engine::builder().hook(scan).hook(clean).build();
    let session = Session::default();
    let outcome = engine.fire(Event::new("Stop", Surroundings::default()), &session).await;
    assert!(!outcome.blocked());
    let finished = session.drain().await;
    let woken: Vec<_> = finished.iter().filter(|f| f.wakes).collect();
    assert_eq!((finished.len(), woken.len()), (2, 1));
    assert_eq!(woken[0].outcome.reason().as_deref(), Some("a leak in line 3"));
}
