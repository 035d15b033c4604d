//! Commands whose process was started before their event: what they answer, and what is left of
//! them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tenterhook_testkit::Sandbox;

use super::prewarm::MAX_SPARES;
use crate::executor::Ambient;
use crate::{Engine, Event, Outcome, Session};
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::Severity;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::outcome::Ended;

#[cfg(feature = "prewarm-forms")]
mod forms;

const PATIENCE: Duration = Duration::from_secs(20);

/// A project with an engine that is configured by native text.
struct Scene {
    sandbox: Sandbox,
    engine: Engine,
    session: Session,
}

impl Scene {
    fn new(config: &str) -> Self {
        let sandbox = Sandbox::new().unwrap();
        let (engine, diagnostics) = builder(&sandbox, config).build();
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{diagnostics:?}");
        Self { sandbox, engine, session: Session::default() }
    }

    /// A shell hook of this text, prewarmed, with other keys.
    fn shell(text: &str, keys: &str) -> Self {
        Self::new(&format!(
            "[hook.h]\non = \"PreToolUse\"\nshell = {}\nprewarm = true\n{keys}\n",
            json!(text)
        ))
    }

    fn event(&self, command: &str) -> Event {
        let within = Surroundings {
            session_id: "s".to_owned(),
            cwd: self.sandbox.project(),
            project: self.sandbox.project(),
            home: self.sandbox.home(),
            ..Surroundings::default()
        };
        Event::new("PreToolUse", within)
            .with("tool_name", "Bash")
            .with("tool_input", json!({"command": command}))
    }

    async fn fire(&self, command: &str) -> Outcome {
        self.engine.fire(self.event(command), &self.session).await
    }

    /// Waits until so many processes wait.
    async fn waiting(&self, count: usize) {
        until(|| self.session.spare_processes() == count).await;
    }

    fn file(&self, name: &str) -> PathBuf {
        self.sandbox.project().join(name)
    }
}

fn builder(sandbox: &Sandbox, config: &str) -> crate::engine::Builder {
    let env = sandbox.env();
    let ambient = Ambient { env, scratch: Some(sandbox.scripts()), ..Ambient::default() };
    Engine::builder().ambient(ambient).source(source(sandbox, config))
}

fn source(sandbox: &Sandbox, config: &str) -> Source {
    Source::from_text("tenterhook.toml", DialectId::NATIVE, config, sandbox.project())
}

/// Waits for a condition that becomes true soon.
async fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "it never came");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|text| !text.contains(") Z "))
}

/// A gate that writes its process id before it reads, and denies events that contain the word.
const GATE: &str = "echo $$ >>pids; read -r event; case $event in *rm*) echo no >&2; exit 2;; esac";

/// PW-2.
#[tokio::test]
async fn a_spare_answers_like_a_cold_start_and_is_replaced() {
    let scene = Scene::shell(GATE, "");
    for (command, blocked) in [("ls", false), ("rm -r x", true), ("ls", false)] {
        let outcome = scene.fire(command).await;
        assert_eq!(outcome.blocked(), blocked, "{outcome:?}");
        assert_eq!(outcome.faults, []);
        scene.waiting(1).await;
    }
    assert!(scene.fire("rm").await.reason().unwrap().contains("no"));
    scene.waiting(1).await;
    // Each event had a separate process: one cold start, and then the one that waited.
    until(|| lines(&scene.file("pids")).len() == 5).await;
    let mut pids = lines(&scene.file("pids"));
    pids.sort_unstable();
    pids.dedup();
    assert_eq!(pids.len(), 5);
}

/// PW-4.
#[tokio::test]
async fn the_session_takes_its_processes_with_it() {
    let scene = Scene::shell(&format!("sleep 30 & {GATE}; kill $!"), "");
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    until(|| lines(&scene.file("pids")).len() == 2).await;
    let pid = lines(&scene.file("pids")).pop().unwrap();
    assert!(is_alive(&pid));
    let Scene { session, sandbox: _sandbox, .. } = scene;
    drop(session);
    until(|| !is_alive(&pid)).await;
}

/// PW-3.
#[tokio::test]
async fn an_ended_session_starts_nothing_ahead() {
    let scene = Scene::shell(GATE, "");
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    scene.session.end();
    assert_eq!(scene.session.spare_processes(), 0);
    assert!(scene.fire("rm").await.blocked());
    assert_eq!(scene.session.spare_processes(), 0);
    let scene = Scene { session: Session::of_one_event(), ..scene };
    assert!(scene.fire("rm").await.blocked());
    assert_eq!(scene.session.spare_processes(), 0);
}

/// PW-6.
#[tokio::test]
async fn killed_spare_is_replaced_by_a_cold_start() {
    let scene = Scene::shell(GATE, "");
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    until(|| lines(&scene.file("pids")).len() == 2).await;
    let pid = lines(&scene.file("pids")).pop().unwrap();
    let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
    assert!(killed.success());
    until(|| !is_alive(&pid)).await;
    let outcome = scene.fire("rm").await;
    assert!(outcome.blocked());
    assert_eq!(outcome.faults, []);
    scene.waiting(1).await;
}

/// PW-9.
#[tokio::test]
async fn hook_that_does_not_wait_is_reported_and_prewarmed_no_more() {
    let scene = Scene::shell("echo ran >>ran; exit 0", "");
    assert_eq!(scene.fire("ls").await.faults, []);
    scene.waiting(1).await;
    until(|| lines(&scene.file("ran")).len() == 2).await;
    let mut codes = Vec::new();
    // Its end may be seen a moment later than what it wrote.
    let began = Instant::now();
    while codes.is_empty() {
        assert!(began.elapsed() < PATIENCE);
        codes = scene.fire("ls").await.faults.iter().map(|fault| fault.code.name()).collect();
    }
    assert_eq!(codes, ["prewarm-ended"]);
    assert_eq!(scene.fire("ls").await.faults, []);
    assert_eq!(scene.session.spare_processes(), 0);
}

/// PW-5.
#[tokio::test]
async fn a_changed_script_is_started_cold() {
    let scene = Scene::shell("sh ./guard.sh", "");
    let guard = |word: &str| {
        let text = format!("echo $$ >>pids\nread -r event\necho {word} >&2\nexit 2\n");
        scene.sandbox.write("guard.sh", &text).unwrap()
    };
    guard("one");
    assert_eq!(scene.fire("ls").await.reason().as_deref(), Some("one"));
    scene.waiting(1).await;
    guard("another");
    assert_eq!(scene.fire("ls").await.reason().as_deref(), Some("another"));
}

/// PW-5.
#[tokio::test]
async fn event_in_a_different_directory_gets_a_different_process() {
    let scene = Scene::shell("read -r event; pwd -P >&2; exit 2", "");
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    let elsewhere = scene.sandbox.home().canonicalize().unwrap();
    let mut event = scene.event("ls");
    event.within.cwd = elsewhere.clone();
    let outcome = scene.engine.fire(event, &scene.session).await;
    assert_eq!(outcome.reason(), Some(elsewhere.display().to_string()));
}

/// PW-9.
#[tokio::test]
async fn environment_that_never_fits_ends_prewarming() {
    let scene = Scene::shell("read -r event; echo $TENTERHOOK_SESSION_ID >&2; exit 2", "");
    let mut faults = Vec::new();
    for session_id in ["a", "b", "c", "d"] {
        let mut event = scene.event("ls");
        event.within.session_id = session_id.to_owned();
        let outcome = scene.engine.fire(event, &scene.session).await;
        assert_eq!(outcome.reason().as_deref(), Some(session_id));
        faults.extend(outcome.faults.iter().map(|fault| fault.code.name()));
        if session_id != "d" {
            scene.waiting(1).await;
        }
    }
    assert_eq!(faults, ["prewarm-unfit"]);
    assert_eq!(scene.session.spare_processes(), 0);
}

/// PW-7.
#[tokio::test]
async fn the_clock_begins_with_the_event() {
    let scene = Scene::shell("read -r event; exec sleep 30", "timeout = \"300ms\"");
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    // Longer than its timeout: its clock does not run while it waits.
    tokio::time::sleep(Duration::from_millis(400)).await;
    let outcome = scene.fire("ls").await;
    assert!(outcome.blocked());
    assert_eq!(outcome.faults[0].code.name(), "timed-out");
    let took = outcome.steps[0].took;
    assert!(took >= Duration::from_millis(300) && took < PATIENCE, "{took:?}");
}

/// PW-7.
#[tokio::test]
async fn a_budget_ends_a_spare_too() {
    let scene = Scene::shell("read -r event; exec sleep 30", "timeout = \"20s\"");
    let budget = Some(Duration::from_millis(100));
    for _ in 0..2 {
        let outcome = scene.engine.fire_within(scene.event("ls"), &scene.session, budget).await;
        assert_eq!(outcome.faults[0].code.name(), "timed-out");
        scene.waiting(1).await;
    }
}

/// PW-8.
#[tokio::test]
async fn a_dropped_firing_ends_its_spare() {
    let scene = Scene::shell("echo $$ >>pids; read -r event; touch began; exec sleep 30", "");
    let budget = Some(Duration::from_millis(50));
    drop(scene.engine.fire_within(scene.event("ls"), &scene.session, budget).await);
    scene.waiting(1).await;
    until(|| lines(&scene.file("pids")).len() == 2).await;
    let pid = lines(&scene.file("pids")).pop().unwrap();
    let _ = std::fs::remove_file(scene.file("began"));
    tokio::select! {
        _ = scene.fire("ls") => panic!("it sleeps"),
        () = until(|| scene.file("began").exists()) => {}
    }
    until(|| !is_alive(&pid)).await;
}

/// PW-4, PW-8.
#[tokio::test]
async fn an_env_file_belongs_to_one_run() {
    let scene = Scene::new(
        "[hook.h]\non = \"SessionStart\"\nprewarm = true\n\
         shell = 'read -r event; echo \"N=$(ls ../scripts | wc -l)\" >>\"$TENTERHOOK_ENV_FILE\"'\n",
    );
    let start = || Event { name: "SessionStart".into(), ..scene.event("ls") };
    for _ in 0..3 {
        let outcome = scene.engine.fire(start(), &scene.session).await;
        assert_eq!(outcome.faults, []);
        assert!(outcome.effects.env.contains_key("N"), "{outcome:?}");
        scene.waiting(1).await;
    }
    scene.session.end();
    assert_eq!(std::fs::read_dir(scene.sandbox.scripts()).unwrap().count(), 0);
}

/// C-86: a hook that puts a FIFO there has set no variables, and delays no event.
#[cfg(unix)]
#[tokio::test]
async fn fifo_in_place_of_the_env_file_is_not_waited_for() {
    let scene = Scene::new(
        "[hook.h]\non = \"SessionStart\"\n\
         shell = 'rm \"$TENTERHOOK_ENV_FILE\"; mkfifo \"$TENTERHOOK_ENV_FILE\"; test -p \"$TENTERHOOK_ENV_FILE\" || exit 1'\n",
    );
    let start = Event { name: "SessionStart".into(), ..scene.event("ls") };
    let outcome = scene.engine.fire(start, &scene.session).await;
    assert!(outcome.effects.env.is_empty() && outcome.faults.is_empty(), "{outcome:?}");
}

/// PW-1.
#[tokio::test]
async fn a_file_of_another_agent_is_prewarmed_by_its_source_and_its_first_line_still_detaches() {
    let sandbox = Sandbox::new().unwrap();
    let shell = "echo $$ >>pids; read -r e; echo '{\"async\": true}'; echo '{}'; sleep 0.05";
    let hook = json!({"type": "command", "command": shell});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string();
    let native = "[source.\".claude/settings.json\"]\nprewarm = true\n";
    let path = sandbox.project().join(".claude/settings.json");
    let settings =
        Source::from_text(path.to_str().unwrap(), DialectId::CLAUDE, &settings, sandbox.project());
    let (engine, diagnostics) = builder(&sandbox, native).source(settings).build();
    assert_eq!(diagnostics, []);
    let scene = Scene { sandbox, engine, session: Session::default() };
    for count in 1..4 {
        let outcome = scene.fire("ls").await;
        assert_eq!(outcome.steps[0].ended, Ended::Detached, "{outcome:?}");
        let finished = scene.session.next_finished().await.unwrap();
        assert_eq!(finished.outcome.steps[0].ended.to_string(), "exit 0, detached");
        scene.waiting(1).await;
        until(|| lines(&scene.file("pids")).len() == count + 1).await;
    }
}

/// PW-4.
#[tokio::test]
async fn a_hook_that_leaves_the_configuration_takes_its_process_with_it() {
    let scene = Scene::shell(GATE, "");
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    until(|| lines(&scene.file("pids")).len() == 2).await;
    let pid = lines(&scene.file("pids")).pop().unwrap();
    assert_eq!(scene.engine.reload(&[source(&scene.sandbox, "")]), []);
    drop(scene.fire("ls").await);
    assert_eq!(scene.session.spare_processes(), 0);
    until(|| !is_alive(&pid)).await;
}

/// PW-2, PW-3.
#[tokio::test]
async fn the_first_event_of_a_session_starts_what_others_will_need() {
    let hooks: String = (0..MAX_SPARES + 4)
        .map(|at| {
            format!(
                "[hook.h{at}]\non = \"PreToolUse\"\nmatch = \"Bash\"\nprewarm = true\nshell = 'echo $$ >>pids; cat >/dev/null'\n"
            )
        })
        .collect();
    let scene = Scene::new(&hooks);
    let first = Event { name: "SessionStart".into(), ..scene.event("ls") };
    assert_eq!(scene.engine.fire(first, &scene.session).await.faults, []);
    scene.waiting(MAX_SPARES).await;
    assert_eq!(scene.fire("ls").await.faults, []);
    until(|| scene.session.spare_processes() == MAX_SPARES).await;
}

/// PW-1.
#[tokio::test]
async fn once_hook_starts_no_second_process() {
    let scene = Scene::shell(GATE, "once = true");
    assert!(scene.fire("rm").await.blocked());
    assert!(!scene.fire("rm").await.blocked());
    assert_eq!(scene.session.spare_processes(), 0);
    assert_eq!(lines(&scene.file("pids")).len(), 1);
}

/// PW-8.
#[tokio::test]
async fn a_background_hook_is_handed_its_event_by_a_spare_too() {
    let scene = Scene::shell("read -r event; echo \"$event\" >>seen", "background = true");
    for count in 1..4 {
        drop(scene.fire("ls").await);
        let finished = scene.session.next_finished().await.unwrap();
        assert_eq!(finished.outcome.faults, []);
        assert_eq!(lines(&scene.file("seen")).len(), count);
        scene.waiting(1).await;
    }
}

/// PW-2.
#[tokio::test]
async fn concurrent_events_share_no_process() {
    let scene = Arc::new(Scene::shell(GATE, ""));
    drop(scene.fire("ls").await);
    scene.waiting(1).await;
    let mut set = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let scene = Arc::clone(&scene);
        set.spawn(async move { scene.fire("rm").await.blocked() });
    }
    assert!(set.join_all().await.into_iter().all(|flag| flag));
    scene.waiting(1).await;
}
