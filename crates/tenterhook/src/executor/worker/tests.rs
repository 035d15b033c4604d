//! Workers that behave and misbehave, asked through the engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tenterhook_testkit::fakehook;

use crate::{Engine, Event, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::outcome::Outcome;

const DENY: &str = r#"{"decision":"deny","reason":"not here"}"#;

/// A project with an engine and a separate session.
struct Scene {
    directory: TempDir,
    engine: Engine,
    session: Session,
}

impl Scene {
    fn new(hooks: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (engine, diagnostics) =
            Engine::builder().source(source(hooks, directory.path())).build();
        assert_eq!(diagnostics, []);
        Self { directory, engine, session: Session::default() }
    }

    fn event(&self, command: &str) -> Event {
        let within = Surroundings {
            cwd: self.directory.path().to_owned(),
            project: self.directory.path().to_owned(),
            ..Surroundings::default()
        };
        Event::new("PreToolUse", within)
            .with("tool_name", "Bash")
            .with("tool_input", json!({ "command": command }))
    }

    async fn fire(&self, command: &str) -> Outcome {
        self.engine.fire(self.event(command), &self.session).await
    }

    async fn within(&self, milliseconds: u64, command: &str) -> Outcome {
        let budget = Some(Duration::from_millis(milliseconds));
        self.engine.fire_within(self.event(command), &self.session, budget).await
    }

    /// The worker's report about itself: its process id, its directory, the names of its variables.
    async fn reported(&self) -> Vec<String> {
        let outcome = self.fire("do:tell").await;
        let context = outcome.effects.context.first().unwrap_or_else(|| panic!("{outcome:?}"));
        context.split_whitespace().map(str::to_owned).collect()
    }

    async fn pid(&self) -> String {
        self.reported().await.remove(0)
    }

    fn reload(&self, hooks: &str) {
        assert_eq!(self.engine.reload(&[source(hooks, self.directory.path())]), []);
    }
}

fn source(hooks: &str, directory: &Path) -> Source {
    Source::from_text("tenterhook.toml", DialectId::NATIVE, hooks, directory)
}

/// A hook whose worker is `fakehook` with these arguments.
fn worker(name: &str, words: &[&str]) -> String {
    let program = fakehook().display().to_string();
    let words: Vec<&str> = std::iter::once(&*program).chain(words.iter().copied()).collect();
    format!("[hook.{name}]\non = \"PreToolUse\"\nworker = {}\n", json!(words))
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

async fn gone(pid: &str) {
    while lives(pid) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// WK-1, WK-3, WK-10: one process, asked again and again.
#[tokio::test]
async fn one_process_answers_every_event() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    let pid = scene.pid().await;
    for _ in 0..20 {
        let outcome = scene.fire("ls").await;
        assert!(outcome.blocked());
        assert_eq!(outcome.reasons.first().unwrap().text, "not here");
        assert_eq!(scene.fire("do:silence").await.restraint, Restraint::Silent);
    }
    assert_eq!(scene.pid().await, pid);
    assert!(lives(&pid));
}

/// WK-11: concurrent events are sent one after the other, and each gets its own answer.
#[tokio::test]
async fn events_at_once_take_turns() {
    let scene = Arc::new(Scene::new(&worker("guard", &["--worker", DENY])));
    let tasks = (0..32).map(|at| {
        let scene = Arc::clone(&scene);
        let command = if at % 2 == 0 { "ls" } else { "do:silence" };
        tokio::spawn(async move { (at % 2 == 0, scene.fire(command).await.blocked()) })
    });
    for task in tasks.collect::<Vec<_>>() {
        let (expected, blocked) = task.await.unwrap();
        assert_eq!(blocked, expected);
    }
}

/// WK-2: a worker's environment belongs to its session; an event's variables are not part of it.
#[tokio::test]
async fn worker_gets_no_variables_of_an_event() {
    let hook = worker("guard", &["--worker", DENY]) + "env = { MODE = \"strict\" }\n";
    let scene = Scene::new(&hook);
    let texts = scene.reported().await;
    let here = scene.directory.path().canonicalize().unwrap();
    assert_eq!(Path::new(&texts[1]), here);
    assert!(texts.contains(&"MODE".to_owned()));
    assert!(!texts.iter().any(|name| name.starts_with("TENTERHOOK_EVENT")), "{texts:?}");
}

/// Zoo 58 (WK-6, WK-12, WK-14): whatever a worker does instead of answering, the event's policy
/// decides, the next event gets a new worker, and other hooks notice nothing.
#[tokio::test]
async fn zoo_58_a_worker_that_misbehaves_costs_its_event_alone() {
    let hooks = worker("guard", &["--worker", "{}"])
        + &worker("other", &["--worker", r#"{"context":"on"}"#]);
    let scene = Scene::new(&hooks);
    for (word, code) in [
        ("wrong-id", "worker-protocol"),
        ("string-id", "worker-protocol"),
        ("log", "worker-protocol"),
        ("half", "worker-protocol"),
        ("giant", "worker-protocol"),
        ("flood", "worker-protocol"),
        ("exit", "worker-ended"),
        ("close", "worker-ended"),
        ("error", "worker-error"),
    ] {
        // Both workers misbehave alike.
        let outcome = scene.fire(&format!("do:{word}")).await;
        assert!(outcome.blocked(), "{word}: {outcome:?}");
        assert_eq!(codes(&outcome), [code, code], "{word}: {outcome:?}");
        let outcome = scene.fire("ls").await;
        assert!(!outcome.blocked(), "{word}: {outcome:?}");
        assert_eq!(outcome.effects.context, ["on"], "{word}");
    }
}

/// Zoo 58: the last lines of its standard error are part of the fault.
/// WK-8.
#[tokio::test]
async fn last_output_of_a_worker_is_reported() {
    let scene = Scene::new(&worker("guard", &["--worker", "{}"]));
    let outcome = scene.fire("do:exit").await;
    let message = &outcome.faults[0].message;
    assert!(message.contains("exited with code 3"), "{message}");
    assert!(message.contains("no such table: rules"), "{message}");
}

/// Zoo 58: a second reply invalidates no answer, but the worker is replaced.
/// WK-6.
#[tokio::test]
async fn a_duplicate_reply_replaces_the_worker() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    let pid = scene.pid().await;
    assert!(scene.fire("do:twice").await.blocked());
    gone(&pid).await;
    assert_ne!(scene.pid().await, pid);
}

/// WK-6: two replies in one write are both invalid, in either order, and a denial in either
/// applies.
#[tokio::test]
async fn two_replies_in_one_write_are_invalid() {
    let scene = Scene::new(&(worker("guard", &["--worker", DENY]) + "on_failure = \"continue\"\n"));
    for (word, denies) in [
        ("late-denial", true),
        ("early-denial", true),
        ("twice-silent", false),
        ("log-behind", false),
    ] {
        let outcome = scene.fire(&format!("do:{word}")).await;
        assert_eq!(
            (outcome.blocked(), codes(&outcome)),
            (denies, vec!["worker-protocol"]),
            "{word}"
        );
    }
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    for word in ["twice-silent", "log-behind"] {
        let outcome = scene.fire(&format!("do:{word}")).await;
        assert!(outcome.blocked(), "{word}: its policy decides: {outcome:?}");
    }
}

/// WK-30: a reply that comes after the outcome changes nothing, and is reported at the next event.
#[tokio::test]
async fn late_second_reply_is_reported() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    let pid = scene.pid().await;
    let first = scene.fire("do:twice").await;
    gone(&pid).await;
    let second = scene.fire("ls").await;
    assert!(first.blocked() && second.blocked());
    let texts = [codes(&first), codes(&second)].concat();
    let protocol = texts.iter().filter(|code| **code == "worker-protocol");
    assert_eq!(protocol.count(), 1, "reported, and reported once: {first:?} {second:?}");
}

/// N-12: an ended session has no worker, although the engine with its hooks lives on.
#[tokio::test]
async fn an_ended_session_has_no_worker() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    let pid = scene.pid().await;
    scene.session.end();
    gone(&pid).await;
}

/// Zoo 58: a reply before the request answers nothing, whatever number it has.
/// WK-6.
#[tokio::test]
async fn a_reply_before_the_request_is_no_answer() {
    let hook = worker("guard", &["--raw", r#"{"id":1}\n"#, "--worker", "{}"]);
    let scene = Scene::new(&hook);
    let outcome = scene.fire("ls").await;
    assert!(outcome.blocked());
    assert!(codes(&outcome).contains(&"worker-protocol"), "{outcome:?}");
}

/// WK-12: a worker that timed out is ended, and its late reply reaches no event.
#[tokio::test]
async fn worker_is_ended_with_its_timeout() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    for word in ["never", "no-newline"] {
        let pid = scene.pid().await;
        let outcome = scene.within(50, &format!("do:{word}")).await;
        assert!(outcome.blocked());
        assert_eq!(codes(&outcome), ["timed-out"], "{word}");
        gone(&pid).await;
        assert!(!scene.fire("do:silence").await.blocked());
    }
}

/// Zoo 60 (WK-21): failures that an input causes never disable the gate, and the gate judges again
/// at once.
#[tokio::test]
async fn zoo_60_induced_failures_disarm_no_gate() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    for _ in 0..10 {
        let outcome = scene.within(20, "do:never").await;
        assert!(outcome.blocked());
        assert_eq!(codes(&outcome), ["timed-out"]);
    }
    let outcome = scene.fire("ls").await;
    assert_eq!(outcome.reasons.first().unwrap().text, "not here");
    assert!(!scene.fire("do:silence").await.blocked());
}

/// Zoo 59 (WK-20, WK-22): a worker that ends at its start is quarantined; its gate still blocks, a
/// fault reports it once, and a reload lifts the quarantine.
/// WK-21.
#[tokio::test]
async fn zoo_59_a_crash_loop_is_quarantined_and_blocks() {
    let hook = worker("guard", &["--exit", "3"]);
    let scene = Scene::new(&hook);
    // A worker that ends before it gets a request has failed, and the same event meets the
    // next start (WK-14). How many events the starts take depends on timing; the rule is that they
    // end in a quarantine.
    let mut reported = false;
    for _ in 0..2 * crate::executor::restart::STARTS {
        let outcome = scene.fire("ls").await;
        assert!(outcome.blocked());
        reported = codes(&outcome).contains(&"worker-quarantined");
        if reported {
            break;
        }
    }
    assert!(reported, "the quarantine is reported");
    for _ in 0..5 {
        let outcome = scene.fire("ls").await;
        assert!(outcome.blocked());
        assert_eq!(codes(&outcome), ["not-started"]);
        assert!(outcome.faults[0].message.contains("quarantined"));
    }
    scene.reload(&hook);
    assert_eq!(codes(&scene.fire("ls").await), ["worker-ended"]);
}

/// WK-14: exiting after an answer is no crash; the next event starts a new worker.
#[tokio::test]
async fn worker_may_exit_between_events() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    for _ in 0..10 {
        let outcome = scene.fire("do:leave").await;
        assert_eq!(codes(&outcome), [""; 0]);
        assert!(outcome.blocked());
    }
}

/// WK-8: standard error is read and discarded.
#[tokio::test]
async fn a_flood_on_standard_error_costs_nothing() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    assert_eq!(codes(&scene.fire("do:stderr").await), [""; 0]);
}

/// R-8: a missing program is reported each time, and tried each time.
#[tokio::test]
async fn missing_program_is_reported() {
    let scene = Scene::new("[hook.guard]\non = \"PreToolUse\"\nworker = [\"./missing\"]\n");
    for _ in 0..10 {
        let outcome = scene.fire("ls").await;
        assert!(outcome.blocked());
        assert_eq!(codes(&outcome), ["not-started"]);
        assert!(outcome.faults[0].message.contains("missing"), "{outcome:?}");
    }
}

/// R-13: dropping a firing ends the worker that it waits for.
/// WK-12.
#[tokio::test]
async fn a_dropped_firing_ends_its_worker() {
    let scene = Scene::new(&worker("guard", &["--worker", DENY]));
    let pid = scene.pid().await;
    tokio::select! {
        biased;
        _ = scene.fire("do:never") => panic!("it never answers"),
        () = tokio::time::sleep(Duration::from_millis(20)) => {}
    }
    gone(&pid).await;
    assert!(scene.fire("ls").await.blocked());
}

/// N-12: a worker ends with its session, and when its entry changes or is removed.
#[tokio::test]
async fn a_worker_ends_with_its_session_and_with_its_entry() {
    let first = worker("guard", &["--worker", DENY]);
    let scene = Scene::new(&first);
    let pid = scene.pid().await;
    scene.reload(&first);
    assert_eq!(scene.pid().await, pid, "the same entry keeps its worker");
    scene.reload(&(first.clone() + "env = { A = \"1\" }\n"));
    let second = scene.pid().await;
    assert_ne!(second, pid);
    gone(&pid).await;
    scene.reload("");
    assert_eq!(scene.fire("ls").await.steps, []);
    gone(&second).await;
    scene.reload(&first);
    let third = scene.pid().await;
    let Scene { directory: _directory, session, .. } = scene;
    drop(session);
    gone(&third).await;
}

/// R-12, N-4: a background worker reports to the session.
#[tokio::test]
async fn a_worker_in_the_background_tells_the_session() {
    let scene = Scene::new(&(worker("guard", &["--worker", DENY]) + "wake = true\n"));
    let outcome = scene.fire("ls").await;
    assert!(!outcome.blocked());
    let finished = scene.session.next_finished().await.unwrap();
    assert!(finished.wakes);
    assert_eq!(finished.outcome.reason().unwrap(), "not here");
}

/// N-6, N-9: the rules of once and status apply to workers, too.
#[tokio::test]
async fn once_and_status_hold_for_workers() {
    // It answers after its status was seen: a fast one would be gone before the test could look.
    let dir = tempfile::tempdir().unwrap();
    let seen = dir.path().join("seen");
    let hook = worker("guard", &["--await-file", seen.to_str().unwrap(), "--worker", DENY])
        + "once = true\nstatus = \"judging\"\n";
    let scene = Scene::new(&hook);
    let mut status = scene.session.status();
    let shown = async {
        while status.current().as_deref() != Some("judging") {
            status.changed().await;
        }
        std::fs::write(&seen, "").unwrap();
    };
    let (outcome, ()) = tokio::join!(scene.fire("ls"), shown);
    assert!(outcome.blocked());
    assert!(!scene.fire("ls").await.blocked());
}
