//! How the executor reads replies of servers, for any implementation of `Servers`.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::*;
use crate::executor::Ambient;
use crate::{Engine, Event, Outcome, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;

/// Answers every call with the same reply, and stores the calls.
#[derive(Debug)]
struct Scripted {
    result: Result<Reply, CallFault>,
    asked: Mutex<Vec<String>>,
}

impl Servers for Scripted {
    fn call<'a>(&'a self, call: Call<'a>) -> Calling<'a> {
        let input = Value::Object(call.input.clone());
        self.asked.lock().unwrap().push(format!("{}/{} {input}", call.server, call.tool));
        Box::pin(std::future::ready(self.result.clone()))
    }
}

const CONFIG: &str = r#"
[hook.guard]
on = "PreToolUse"
mcp = { server = "policy", tool = "judge", input = { path = "${tool.input.file_path}" } }
"#;

async fn fire(config: &str, servers: Option<Arc<dyn Servers>>) -> Outcome {
    let ambient = Ambient { servers, ..Ambient::default() };
    let source = Source::from_text("tenterhook.toml", DialectId::NATIVE, config, "/");
    let (engine, diagnostics) = Engine::builder().ambient(ambient).source(source).build();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let within = Surroundings { cwd: "/".into(), project: "/".into(), ..Surroundings::default() };
    let event = Event::new("PreToolUse", within)
        .with("tool_name", "Read")
        .with("tool_input", json!({"file_path": "/a"}));
    engine.fire(event, &Session::default()).await
}

async fn answered(result: Result<Reply, CallFault>) -> (Restraint, Vec<&'static str>, String) {
    let servers = Arc::new(Scripted { result, asked: Mutex::default() });
    let outcome = fire(CONFIG, Some(servers.clone())).await;
    assert_eq!(*servers.asked.lock().unwrap(), [r#"policy/judge {"path":"/a"}"#]);
    let messages: Vec<&str> = outcome.faults.iter().map(|fault| fault.message.as_str()).collect();
    let messages = messages.join("|");
    (outcome.restraint, outcome.faults.iter().map(|fault| fault.code.name()).collect(), messages)
}

fn reply_with(content: &[Content]) -> Result<Reply, CallFault> {
    Ok(Reply { content: content.to_vec(), is_error: false })
}

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

const DENIAL: &str = r#"{"decision": "deny", "reason": "no"}"#;

/// Panics when it is called, and again when it is awaited.
#[derive(Debug)]
struct Panicking {
    at_once: bool,
}

impl Servers for Panicking {
    fn call<'a>(&'a self, _: Call<'a>) -> Calling<'a> {
        assert!(!self.at_once, "on purpose");
        Box::pin(async { panic!("on purpose") })
    }
}

/// R-15: alone, and beside a second hook, whose task would be lost with it.
#[tokio::test]
async fn a_host_that_panics_gave_no_answer() {
    let beside = format!("{CONFIG}\n{}", CONFIG.replace("hook.guard", "hook.beside"));
    for (config, hooks) in [(CONFIG, 1), (beside.as_str(), 2)] {
        for at_once in [true, false] {
            let outcome = fire(config, Some(Arc::new(Panicking { at_once }))).await;
            assert!(outcome.blocked(), "{outcome:?}");
            let codes: Vec<_> = outcome.faults.iter().map(|fault| fault.code.name()).collect();
            assert_eq!(codes, ["panicked", "signalled"].repeat(hooks));
            assert!(outcome.faults[0].message.contains("on purpose"), "{outcome:?}");
        }
    }
}

/// MC-1, MC-5, MC-40.
#[tokio::test]
async fn first_text_is_the_answer_and_later_denials_apply() {
    use Restraint::{Allow, Deny, Silent};
    let allow = text(r#"{"decision": "allow"}"#);
    let allow_again = allow.clone();
    for (content, restraint, codes) in [
        (vec![text(DENIAL)], Deny, vec![]),
        (vec![allow.clone()], Allow, vec![]),
        (vec![text("")], Silent, vec![]),
        (vec![], Silent, vec![]),
        (vec![text(DENIAL), text("a word")], Deny, vec![]),
        (vec![text(DENIAL), text(DENIAL)], Deny, vec![]),
        (vec![text(DENIAL), allow.clone()], Deny, vec!["several-answers"]),
        (vec![allow.clone(), text(DENIAL)], Deny, vec!["several-answers"]),
        (vec![text("ok"), text(DENIAL)], Deny, vec!["text-before-answer"]),
        (vec![text(&format!("Error: {DENIAL}"))], Deny, vec!["text-before-answer"]),
        (vec![text(""), text(DENIAL)], Deny, vec!["answer-on-stderr"]),
        (vec![text(""), allow.clone()], Silent, vec![]),
        (vec![text("fine by me")], Deny, vec!["unreadable-answer"]),
        (vec![Content::Other("image".into()), text(DENIAL)], Deny, vec!["mcp-no-text"]),
        (vec![Content::Other("structured".into()), allow_again], Deny, vec!["mcp-no-text"]),
        (vec![text(&" ".repeat(KEPT + 1))], Deny, vec!["output-too-large"]),
    ] {
        let found = answered(reply_with(&content)).await;
        assert_eq!((found.0, found.1), (restraint, codes), "{content:.100?}: {}", found.2);
    }
}

/// MC-6, MC-7.
#[tokio::test]
async fn a_fault_has_its_code_and_a_remedy_and_the_policy_decides() {
    for (kind, code, remedy) in KINDS {
        let found = answered(Err(CallFault::new(*kind, "`x` is not there"))).await;
        assert_eq!((found.0, found.1), (Restraint::Deny, vec![code.name()]));
        assert!(found.2.contains("`x` is not there") && found.2.contains(remedy), "{}", found.2);
        assert_eq!(kind.code(), *code);
    }
    let failed = |words| Ok(Reply { content: vec![text(words)], is_error: true });
    let found = answered(failed("no database\nat line 3")).await;
    assert_eq!((found.0, found.1), (Restraint::Deny, vec!["mcp-tool-failed"]));
    assert!(found.2.contains("`policy/judge` failed: no database;"), "{}", found.2);
    // A failed tool's text is no consent.
    let found = answered(failed(r#"{"decision": "allow"}"#)).await;
    assert_eq!(found.0, Restraint::Deny);
}

/// MC-4, MC-7.
#[tokio::test]
async fn call_that_cannot_be_made_is_a_fault() {
    let outcome = fire(CONFIG, None).await;
    assert_eq!(
        outcome.faults.iter().map(|fault| fault.code.name()).collect::<Vec<_>>(),
        ["not-started"]
    );
    let servers = Arc::new(Scripted { result: reply_with(&[]), asked: Mutex::default() });
    let config = CONFIG.replace("file_path", "command");
    let outcome = fire(&config, Some(servers.clone())).await;
    assert_eq!(
        outcome.faults.iter().map(|fault| fault.code.name()).collect::<Vec<_>>(),
        ["mcp-input"]
    );
    assert!(outcome.faults[0].message.contains("`tool.input.command`"));
    assert!(outcome.blocked() && servers.asked.lock().unwrap().is_empty());
}

/// Never answers; records when it is dropped.
#[derive(Debug)]
struct Silent(Arc<Mutex<Vec<&'static str>>>);

struct Dropped(Arc<Mutex<Vec<&'static str>>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.lock().unwrap().push("dropped");
    }
}

impl Servers for Silent {
    fn call<'a>(&'a self, _: Call<'a>) -> Calling<'a> {
        let dropped = Dropped(Arc::clone(&self.0));
        Box::pin(async move {
            let _dropped = dropped;
            std::future::pending().await
        })
    }
}

/// MC-7: the deadline of a step covers the call, and a cancelled call is dropped.
#[tokio::test(start_paused = true)]
async fn a_call_is_over_at_its_deadline() {
    let dropped = Arc::default();
    let servers = Arc::new(Silent(Arc::clone(&dropped)));
    let outcome = fire(&CONFIG.replace("on =", "timeout = '1s'\non ="), Some(servers)).await;
    assert_eq!(
        outcome.faults.iter().map(|fault| fault.code.name()).collect::<Vec<_>>(),
        ["timed-out"]
    );
    assert!(outcome.blocked());
    assert_eq!(*dropped.lock().unwrap(), ["dropped"]);
}

/// MC-46: the grants of a hook do not limit a server that the host started.
#[tokio::test]
async fn confined_hook_calls_no_server_of_its_host() {
    let servers = Arc::new(Scripted { result: reply_with(&[text("{}")]), asked: Mutex::default() });
    let outcome = fire(&format!("{CONFIG}sandbox = \"standard\"\n"), Some(servers.clone())).await;
    assert!(servers.asked.lock().unwrap().is_empty());
    assert!(
        outcome.blocked() && outcome.faults[0].message.contains("does not confine"),
        "{outcome:?}"
    );
}
