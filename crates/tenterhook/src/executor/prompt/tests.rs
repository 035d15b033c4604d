//! Models asked through the engine: a host's own model with scripted replies.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::super::model::{Asking, Form, Message, Model, Question, Reply, Stop, ToolCall, Usage};
use super::*;
use crate::executor::Ambient;
use crate::{Engine, Outcome, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::{Compat, Hook, HookId, Run, Wait};

/// Returns one reply after the other, and stores the questions.
#[derive(Debug, Default)]
struct Scripted {
    replies: Mutex<Vec<Result<Reply, ModelFault>>>,
    asked: Mutex<Vec<Question>>,
    takes: Duration,
}

impl Model for Scripted {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(question.clone());
            tokio::time::sleep(self.takes).await;
            let mut replies = self.replies.lock().unwrap();
            assert!(!replies.is_empty(), "asked too often");
            replies.remove(0)
        })
    }
}

impl Scripted {
    fn new(replies: impl IntoIterator<Item = Result<Reply, ModelFault>>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into_iter().collect()), ..Self::default() })
    }

    fn saying(words: &str) -> Arc<Self> {
        Self::new([Ok(Reply::text(words))])
    }

    fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap().clone()
    }
}

fn hook(dialect: DialectId, event: &str, prompt: Prompt) -> Hook {
    Hook::new(HookId::new("asks"), dialect, event.into(), Run::Prompt(prompt))
}

fn event(name: &str) -> Event {
    Event::new(name, Surroundings::at("/"))
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": "ls"}))
}

fn engine(model: &Arc<Scripted>, hook: Hook) -> Engine {
    let model: Arc<dyn Model> = Arc::clone(model) as _;
    let ambient = Ambient { model: Some(model), ..Ambient::default() };
    let (engine, diagnostics) = Engine::builder().ambient(ambient).hook(hook).build();
    assert_eq!(diagnostics, []);
    engine
}

async fn fire(model: &Arc<Scripted>, hook: Hook) -> Outcome {
    let event = event(hook.event.as_str());
    engine(model, hook).fire(event, &Session::default()).await
}

async fn answer_with(dialect: DialectId, name: &str, words: &str) -> Outcome {
    fire(&Scripted::saying(words), hook(dialect, name, Prompt::new("Is $ARGUMENTS fine?"))).await
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

/// MO-1, MO-3: the question that is sent.
#[tokio::test(start_paused = true)]
async fn a_question_carries_the_event_and_the_form_of_the_answer() {
    let model = Scripted::saying(r#"{"ok": true}"#);
    let prompt = Prompt {
        model: Some("small".into()),
        max_tokens: Some(99),
        ..Prompt::new("Is $ARGUMENTS fine?")
    };
    let outcome = fire(&model, hook(DialectId::CLAUDE, "PreToolUse", prompt)).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Silent, vec![]));
    let [question] = model.asked().try_into().expect("one question");
    assert!(question.system.contains(r#"{"ok": false, "reason""#), "{}", question.system);
    assert!(!question.system.contains("impossible"), "a tool call has no such answer");
    assert_eq!((question.model.as_deref(), question.max_tokens), (Some("small"), Some(99)));
    assert_eq!((question.form, question.tools), (Form::Json, vec![]));
    let [Message::User(text)] = question.messages.as_slice() else { panic!() };
    assert!(text.starts_with("Is <event>\n{\"session_id\""), "{text}");
    assert!(text.ends_with("\n</event> fine?"), "{text}");
}

/// MO-3: a dialect describes to its models the fields that its event reads, and no others.
#[tokio::test(start_paused = true)]
async fn model_receives_the_fields_that_its_event_has() {
    for (dialect, name, prompt, included, untold) in [
        (
            DialectId::NATIVE,
            "PreToolUse",
            Prompt::new("?"),
            r#""decision": "deny" or "ask""#,
            "allow",
        ),
        (DialectId::NATIVE, "SessionEnd", Prompt::new("?"), r#""message""#, "decision"),
        (
            DialectId::NATIVE,
            "PreToolUse",
            Prompt { may_allow: true, ..Prompt::new("?") },
            r#""deny" or "ask" or "allow""#,
            "prompt\":",
        ),
        (
            DialectId::GEN,
            "PreToolUse",
            Prompt::new("?"),
            r#""hookEventName": "PreToolUse""#,
            "retry",
        ),
        (DialectId::CLAUDE, "Stop", Prompt::new("?"), r#""impossible": true"#, "decision"),
    ] {
        let model = Scripted::saying("{}");
        let _ = fire(&model, hook(dialect, name, prompt)).await;
        let [question] = model.asked().try_into().expect("one question");
        assert!(question.system.contains(included), "{dialect} {name}: {}", question.system);
        assert!(!question.system.contains(untold), "{dialect} {name}: {}", question.system);
    }
}

/// MO-5
#[tokio::test(start_paused = true)]
async fn a_fenced_answer_is_an_answer() {
    let outcome = answer_with(DialectId::CLAUDE, "Stop", "```json\n{\"ok\": true}\n```\n").await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Silent, vec![]));
    let outcome = answer_with(
        DialectId::NATIVE,
        "PreToolUse",
        "```\n{\"decision\": \"deny\", \"reason\": \"r\"}\n```",
    )
    .await;
    assert_eq!((outcome.reason().as_deref(), codes(&outcome)), (Some("r"), vec![]));
}

/// A-41
/// MO-14.
#[tokio::test(start_paused = true)]
async fn a_models_consent_is_dropped() {
    let words = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "rm"}}}"#;
    let outcome = answer_with(DialectId::GEN, "PreToolUse", words).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Silent, vec!["model-allow"]));
    assert_eq!(outcome.effects.updated_input, None, "what rode on the consent falls with it");
    let mut exact = hook(DialectId::GEN, "PreToolUse", Prompt::new("?"));
    exact.compat = Compat::Exact;
    let outcome = fire(&Scripted::saying(words), exact).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Allow, vec![]));
    assert!(outcome.effects.updated_input.is_some());
    let trusted = Prompt { may_allow: true, ..Prompt::new("?") };
    let model = Scripted::saying(r#"{"decision": "allow"}"#);
    let outcome = fire(&model, hook(DialectId::NATIVE, "PreToolUse", trusted)).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Allow, vec![]));
}

fn calls(name: &str, input: serde_json::Value) -> Result<Reply, ModelFault> {
    let call =
        ToolCall { id: "c-1".into(), name: name.into(), input, signatures: vec!["s".into()] };
    let usage = Usage { input: 10, output: 100 };
    Ok(Reply { calls: vec![call], stop: Stop::Calls, usage, ..Reply::default() })
}

fn agent(turns: u32, tokens: Option<u32>) -> Hook {
    let prompt =
        Prompt { turns: Some(turns), max_tokens: tokens, ..Prompt::new("Are there tests?") };
    hook(DialectId::NATIVE, "PreToolUse", prompt)
}

/// MO-6, MO-8
#[tokio::test]
async fn an_agent_looks_around_until_it_answers() {
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("a.rs"), "#[test]\n").unwrap();
    let model = Scripted::new([
        calls("search", json!({"pattern": "test"})),
        calls("read", json!({"path": "/etc/passwd"})),
        Ok(Reply::text(r#"{"decision": "ask", "reason": "one"}"#)),
    ]);
    let mut event = event("PreToolUse");
    event.within.project = room.path().to_owned();
    let engine = engine(&model, agent(2, Some(1_000)));
    let outcome = engine.fire(event, &Session::default()).await;
    assert_eq!((outcome.restraint, outcome.reason().as_deref()), (Restraint::Ask, Some("one")));
    let asked = model.asked();
    assert_eq!(
        asked.iter().map(|question| question.max_tokens).collect::<Vec<_>>(),
        [Some(1_000), Some(900), Some(800)]
    );
    assert_eq!((asked[0].tools.len(), asked[0].form), (2, Form::Text));
    let results = |at: usize| match asked[at].messages.last() {
        Some(Message::Results(results)) => results[0].text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(results(1), "a.rs:1: #[test]");
    assert_eq!(
        results(2),
        "refused: `/etc/passwd` is outside the project\n[you have no more turns to look around: answer now]"
    );
    assert_eq!(asked[2].messages.len(), 5, "the whole conversation goes out each time");
}

/// MO-8
#[tokio::test]
async fn an_agent_is_bounded() {
    let endless = || Scripted::new((0..9).map(|_| calls("search", json!({"glob": "*"}))));
    let model = endless();
    let outcome = fire(&model, agent(2, None)).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Deny, vec!["model-turns"]));
    assert_eq!(model.asked().len(), 3);
    let model = endless();
    let outcome = fire(&model, agent(9, Some(250))).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Deny, vec!["model-tokens"]));
    assert_eq!(model.asked().len(), 3);
}

/// MO-9
/// MO-4.
#[tokio::test(start_paused = true)]
async fn missing_answer_is_settled_by_the_policy() {
    let refused = Reply { stop: Stop::Refused, ..Reply::text("") };
    let cut = Reply { stop: Stop::Length, ..Reply::text("{\"decision\": \"al") };
    for (reply, code, said) in [
        (Ok(Reply::text("")), "no-answer", "said nothing"),
        (Ok(Reply::text("Looks fine to me.")), "unreadable-answer", "Looks fine"),
        (Ok(Reply::text("{\"verdict\": 1}")), "invalid-answer", "verdict"),
        (Ok(refused), "model-refused", "would not answer"),
        (Ok(cut), "model-tokens", "raise `tokens`"),
        (
            Err(ModelFault::new(FaultKind::Auth, "status 401")),
            "model-auth",
            "status 401; check the key",
        ),
        (
            Err(ModelFault::new(FaultKind::Network, "gone")),
            "model-network",
            "gone; check the address",
        ),
    ] {
        let model = Scripted::new([reply]);
        let outcome = fire(&model, hook(DialectId::NATIVE, "PreToolUse", Prompt::new("?"))).await;
        assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Deny, vec![code]));
        assert!(outcome.faults[0].message.contains(said), "{}", outcome.faults[0].message);
        assert_eq!(model.asked().len(), 1, "no question is put twice");
    }
}

/// MO-9: a denial that is recognized in prose denies, with the model's reason.
#[tokio::test(start_paused = true)]
async fn a_denial_in_prose_denies() {
    let words = "I looked at it.\n{\"decision\": \"deny\", \"reason\": \"no tests\"}";
    let outcome = answer_with(DialectId::NATIVE, "PreToolUse", words).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Deny, vec!["text-before-answer"]));
    assert_eq!(outcome.reason().as_deref(), Some("no tests"));
}

/// MO-12, R-2
#[tokio::test(start_paused = true)]
async fn a_model_has_its_time_and_no_more() {
    for (dialect, turns, seconds) in [
        (DialectId::CLAUDE, None, 30),
        (DialectId::CLAUDE, Some(3), 60),
        (DialectId::NATIVE, None, 30),
        (DialectId::NATIVE, Some(3), 60),
        (DialectId::GEN, None, 300),
    ] {
        let model = Arc::new(Scripted { takes: Duration::from_hours(1), ..Scripted::default() });
        let prompt = Prompt { turns, ..Prompt::new("?") };
        let before = tokio::time::Instant::now();
        let outcome = fire(&model, hook(dialect, "PreToolUse", prompt)).await;
        assert_eq!(before.elapsed().as_secs(), seconds, "{dialect}");
        assert_eq!(codes(&outcome), ["timed-out"]);
    }
    let model = Arc::new(Scripted { takes: Duration::from_hours(1), ..Scripted::default() });
    let engine = engine(&model, hook(DialectId::CLAUDE, "PreToolUse", Prompt::new("?")));
    let before = tokio::time::Instant::now();
    let budget = Some(Duration::from_secs(2));
    let _ = engine.fire_within(event("PreToolUse"), &Session::default(), budget).await;
    assert_eq!(before.elapsed().as_secs(), 2, "the event's budget counts too");
}

/// R-12: the background works the same for every executor.
#[tokio::test(start_paused = true)]
async fn a_model_may_be_asked_in_the_background() {
    let model = Scripted::saying(r#"{"message": "later"}"#);
    let mut hook = hook(DialectId::NATIVE, "PreToolUse", Prompt::new("?"));
    hook.wait = Wait::Detached;
    let session = Session::default();
    let outcome = engine(&model, hook).fire(event("PreToolUse"), &session).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Silent, vec![]));
    let [finished] = session.drain().await.try_into().expect("one");
    assert_eq!(finished.outcome.effects.messages, ["later"]);
}

/// R-15
#[tokio::test(start_paused = true)]
async fn a_model_that_panics_is_a_hook_that_did_not_answer() {
    let outcome =
        fire(&Scripted::new([]), hook(DialectId::NATIVE, "PreToolUse", Prompt::new("?"))).await;
    assert_eq!(
        (outcome.restraint, codes(&outcome)),
        (Restraint::Deny, vec!["panicked", "signalled"])
    );
}

/// MO-10, MO-11: the meaning of an answer in Claude Code, per event.
#[tokio::test(start_paused = true)]
async fn no_means_what_claude_code_says() {
    use Restraint::{Deny, Silent};
    let no = r#"{"ok": false, "reason": "why"}"#;
    let given_up = r#"{"ok": false, "reason": "why", "impossible": true}"#;
    for (name, words, restraint, stops, faults) in [
        ("Stop", no, Deny, false, &[][..]),
        ("SubagentStop", no, Deny, false, &[]),
        ("Stop", given_up, Silent, false, &[]),
        ("PreToolUse", given_up, Deny, true, &[]),
        ("PreToolUse", no, Deny, true, &[]),
        ("PostToolUse", no, Deny, true, &[]),
        ("PostToolBatch", no, Deny, true, &[]),
        ("PostToolUseFailure", no, Deny, false, &[]),
        ("UserPromptSubmit", no, Deny, false, &[]),
        ("UserPromptExpansion", no, Deny, false, &[]),
        ("TaskCreated", no, Deny, false, &[]),
        ("TaskCompleted", no, Deny, false, &[]),
        ("TeammateIdle", no, Deny, true, &[]),
        ("PermissionRequest", no, Deny, false, &["not-honoured", "misplaced-decision"]),
        ("PermissionDenied", no, Silent, false, &["not-honoured"]),
        ("Stop", r#"{"ok": "false", "reason": "why"}"#, Deny, false, &["wrong-type"]),
        ("Stop", r#"{"decision": "block", "reason": "why"}"#, Deny, false, &["misplaced-decision"]),
        (
            "Stop",
            "Well.\n{\"ok\": false, \"reason\": \"why\"}",
            Deny,
            false,
            &["text-before-answer"],
        ),
        ("Stop", "Well.\n{\"ok\": true}", Silent, false, &["unreadable-answer"]),
        ("Stop", "It is fine.", Silent, false, &["unreadable-answer"]),
        ("Stop", r#"{"fine": true}"#, Silent, false, &["invalid-answer"]),
        ("Stop", r#"{"ok": 1}"#, Silent, false, &["invalid-answer"]),
        ("Stop", r#"{"ok": true, "extra": 1}"#, Silent, false, &["unknown-field"]),
        ("Stop", "", Silent, false, &["no-answer"]),
    ] {
        let outcome = answer_with(DialectId::CLAUDE, name, words).await;
        let said = (outcome.restraint, outcome.effects.stop.is_some(), codes(&outcome));
        assert_eq!(said, (restraint, stops, faults.to_vec()), "{name}: {words}");
        if restraint == Deny {
            assert_eq!(outcome.reason().as_deref(), Some("why"), "{name}: {words}");
        }
    }
    let goes_on = Prompt { goes_on: true, ..Prompt::new("?") };
    let outcome = fire(&Scripted::saying(no), hook(DialectId::CLAUDE, "PreToolUse", goes_on)).await;
    assert_eq!((outcome.restraint, outcome.effects.stop), (Deny, None));
    let mut exact = hook(DialectId::CLAUDE, "PermissionRequest", Prompt::new("?"));
    exact.compat = Compat::Exact;
    let outcome = fire(&Scripted::saying(no), exact).await;
    assert_eq!(outcome.restraint, Silent, "exactly, the agent does nothing with it");
}

/// MO-13: a hook for an agent without such hooks answers as a native one.
#[tokio::test(start_paused = true)]
async fn other_dialects_take_a_native_answer() {
    let outcome =
        answer_with(DialectId::CODEWHALE, "PreToolUse", r#"{"decision": "deny", "reason": "r"}"#)
            .await;
    assert_eq!((outcome.restraint, outcome.reason().as_deref()), (Restraint::Deny, Some("r")));
}

/// MO-40: in every dialect with model hooks, at any depth, and of any type.
#[tokio::test(start_paused = true)]
async fn malformed_no_is_no_consent() {
    for words in [
        r#"{"ok": "false", "reason": "why"}"#,
        r#"{"ok": "No.", "reason": "why"}"#,
        r#"{"approved": 0, "reason": "why"}"#,
        r#"{"blocked": "yes", "reason": "why"}"#,
        r#"{"verdict": "no", "reason": "why"}"#,
        r#"{"response": {"decision": "deny", "reason": "why"}}"#,
        r#"{"analysis": {"verdict": {"decision": "block"}}, "reason": "why"}"#,
        r#"{"hook": {"hookSpecificOutput": {"permissionDecision": "deny"}}, "reason": "why"}"#,
        r#"{"decisions": [{"decision": "allow"}, {"allowed": false, "reason": "why"}]}"#,
        "Well.\n{\"data\": {\"ok\": \"false\", \"reason\": \"why\"}}",
    ] {
        for dialect in [DialectId::NATIVE, DialectId::GEN, DialectId::CLAUDE] {
            let outcome = answer_with(dialect, "PreToolUse", words).await;
            assert_eq!(outcome.restraint, Restraint::Deny, "{dialect:?}: {words}");
            assert_eq!(outcome.reason().as_deref(), Some("why"), "{dialect:?}: {words}");
            assert!(
                codes(&outcome).contains(&"misplaced-decision")
                    || dialect == DialectId::CLAUDE && words.starts_with(r#"{"ok""#),
                "{dialect:?}: {:?}",
                codes(&outcome)
            );
        }
    }
    // Content, a yes, and a no on an event that cannot be denied.
    for (dialect, name, words) in [
        (DialectId::GEN, "PreToolUse", r#"{"ok": "true"}"#),
        (DialectId::GEN, "PreToolUse", r#"{"note": {"input": {"blocked": true}}}"#),
        (DialectId::CLAUDE, "Stop", r#"{"ok": true, "checks": [{"ok": false}]}"#),
        (DialectId::CLAUDE, "Stop", r#"{"ok": false, "impossible": true, "x": 1}"#),
        (DialectId::GEN, "PostToolUse", r#"{"result": {"decision": "ask"}}"#),
    ] {
        let outcome = answer_with(dialect, name, words).await;
        assert_eq!(outcome.restraint, Restraint::Silent, "{name}: {words}");
    }
}
