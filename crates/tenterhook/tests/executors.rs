//! What holds for every executor, whatever it runs: `once`, the background, waking, the status.
//! Each kind stands in a table, as people configure it, and each has the same to say: no.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenterhook::executor::Ambient;
use tenterhook::executor::mcp::{Call, Calling, Content, Reply as ToolReply, Servers};
use tenterhook::executor::model::{Asking, Model, Question, Reply as Worded};
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::answer::{Answer, Restraint};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Function, Hook, HookId, Run, Wait};
use tenterhook_core::outcome::Ended;
use tenterhook_testkit::Sandbox;
use tenterhook_testkit::server::{Reply, Server};

const NO: &str = r#"{"decision": "deny", "reason": "no"}"#;

const COMMAND: &str = "cat >/dev/null; echo '{\"decision\": \"deny\", \"reason\": \"no\"}'";

const WORKER: &str = "while IFS= read -r line; do id=${line#*'\"id\":'}; \
    echo \"{\\\"id\\\":${id%%,*},\\\"answer\\\":{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"no\\\"}}\"; done";

/// The kinds, and what a file says to get one; `{command}`, `{worker}` and `{url}` are filled in.
const KINDS: &[(&str, &str)] = &[
    ("rule", "when = 'true'\ndeny = 'no'"),
    ("worker", "worker = ['sh', '-c', {worker}]"),
    ("http", "http = '{url}'"),
    ("command", "shell = {command}"),
    ("command", "shell = {command}\nprewarm = true"),
    ("mcp", "mcp = { server = 's', tool = 't' }"),
    ("prompt", "prompt = 'fine?'"),
    ("agent", "agent = 'fine?'"),
];

#[derive(Debug)]
struct Host;

impl Model for Host {
    fn ask<'a>(&'a self, _: &'a Question) -> Asking<'a> {
        Box::pin(async { Ok(Worded::text(NO)) })
    }
}

impl Servers for Host {
    fn call<'a>(&'a self, _: Call<'a>) -> Calling<'a> {
        let content = vec![Content::Text(NO.to_owned())];
        Box::pin(async { Ok(ToolReply { content, is_error: false }) })
    }
}

/// The directories and the server of one test.
struct Fixture {
    sandbox: Sandbox,
    server: Server,
}

impl Fixture {
    fn new() -> Self {
        Self { sandbox: Sandbox::new().unwrap(), server: Server::start(Reply::json(NO)).unwrap() }
    }

    /// One engine for each kind, whose hook has `keys` beside what it runs; and one with a
    /// callback.
    fn engines(&self, keys: &str) -> Vec<(&'static str, Engine)> {
        let mut all: Vec<_> = KINDS
            .iter()
            .map(|(kind, run)| {
                let run = run
                    .replace("{url}", &self.server.url())
                    .replace("{command}", &json!(COMMAND).to_string())
                    .replace("{worker}", &json!(WORKER).to_string());
                let text = format!("[hook.says-no]\non = 'PreToolUse'\n{run}\n{keys}\n");
                let project = self.sandbox.project();
                let source =
                    Source::from_text("tenterhook.toml", DialectId::NATIVE, &text, &project);
                (*kind, self.engine(|builder| builder.source(source)))
            })
            .collect();
        all.push(("function", self.engine(|builder| builder.hook(callback(keys)))));
        all
    }

    fn engine(
        &self,
        add: impl FnOnce(tenterhook::engine::Builder) -> tenterhook::engine::Builder,
    ) -> Engine {
        let ambient = Ambient::default()
            .env(self.sandbox.env())
            .model(Arc::new(Host))
            .servers(Arc::new(Host));
        let (engine, diagnostics) = add(Engine::builder().ambient(ambient)).build();
        // These tests are about background gates, which restrain nothing, and about prewarmed hooks
        // that run once: both are reported.
        let known = ["background-gate", "prewarm-without-effect"];
        let others =
            diagnostics.iter().filter(|diagnostic| !known.contains(&diagnostic.code.name()));
        assert_eq!(others.count(), 0, "{diagnostics:?}");
        engine
    }

    fn event(&self) -> Event {
        let project = self.sandbox.project();
        let within = Surroundings { cwd: project.clone(), project, ..Surroundings::default() };
        Event::new("PreToolUse", within)
            .with("tool_name", "Bash")
            .with("tool_input", json!({"command": "ls"}))
    }
}

fn callback(keys: &str) -> Hook {
    let run = Function::new("says-no", |_| async { Answer::deny("no") });
    let id = HookId::new("says-no");
    let mut hook = Hook::new(id, DialectId::NATIVE, "PreToolUse".into(), Run::Function(run));
    hook.once = keys.contains("once");
    hook.status = keys.contains("status").then(|| "looking".to_owned());
    hook.wait = match (keys.contains("wake"), keys.contains("background")) {
        (true, _) => Wait::Rewake,
        (_, true) => Wait::Detached,
        _ => Wait::Attached,
    };
    hook
}

fn denied(kind: &str, outcome: &Outcome) {
    assert!(outcome.blocked(), "{kind}: {outcome:?}");
    assert_eq!(outcome.reason().as_deref(), Some("no"), "{kind}");
    assert_eq!(outcome.faults, [], "{kind}");
    let executors: Vec<_> = outcome.steps.iter().map(|step| step.executor).collect();
    assert_eq!(executors, [kind]);
}

#[tokio::test]
async fn each_kind_is_waited_for_and_shows_its_status() {
    let fixture = Fixture::new();
    for (kind, engine) in fixture.engines("status = 'looking'") {
        let session = Session::default();
        let mut status = session.status();
        let outcome = engine.fire(fixture.event(), &session).await;
        denied(kind, &outcome);
        let shown = tokio::time::timeout(Duration::from_secs(30), status.changed()).await;
        assert_eq!(shown, Ok(true), "{kind}");
        assert_eq!(status.current(), None, "{kind}: it is over");
    }
}

#[tokio::test]
async fn each_kind_runs_once_where_it_should() {
    let fixture = Fixture::new();
    for (kind, engine) in fixture.engines("once = true") {
        let session = Session::default();
        denied(kind, &engine.fire(fixture.event(), &session).await);
        let outcome = engine.fire(fixture.event(), &session).await;
        assert_eq!(outcome.restraint, Restraint::Silent, "{kind}: {outcome:?}");
        assert!(outcome.steps.is_empty(), "{kind}: {outcome:?}");
        denied(kind, &engine.fire(fixture.event(), &Session::default()).await);
    }
}

#[tokio::test]
async fn each_kind_goes_on_in_the_background_and_may_wake() {
    let fixture = Fixture::new();
    for (keys, wakes) in [("background = true", false), ("wake = true", true)] {
        for (kind, engine) in fixture.engines(keys) {
            let session = Session::default();
            for _ in 0..2 {
                let outcome = engine.fire(fixture.event(), &session).await;
                assert!(!outcome.blocked(), "{kind}: {outcome:?}");
                assert_eq!(outcome.steps[0].ended, Ended::Detached, "{kind}");
                let finished = session.next_finished().await.unwrap();
                assert_eq!((finished.wakes, finished.stale), (wakes, false), "{kind}");
                let Outcome { effects, faults, .. } = &finished.outcome;
                let codes: Vec<_> = faults.iter().map(|fault| fault.code.name()).collect();
                // R-22: an objection that comes too late is reported as such.
                let late = if wakes { "" } else { "too-late" };
                assert_eq!(
                    codes,
                    Vec::from_iter(Some(late).filter(|text| !text.is_empty())),
                    "{kind}"
                );
                let said = finished.outcome.reason().or(effects.messages.first().cloned());
                assert_eq!(said.as_deref(), Some("no"), "{kind}");
            }
        }
    }
}

/// N-13.
#[tokio::test]
async fn no_kind_wakes_for_what_is_over() {
    let fixture = Fixture::new();
    for (kind, engine) in fixture.engines("wake = true") {
        let session = Session::default();
        drop(engine.fire(fixture.event(), &session).await);
        session.begin_anew();
        let finished = session.next_finished().await.unwrap();
        assert_eq!((finished.wakes, finished.stale), (false, true), "{kind}");
    }
}
