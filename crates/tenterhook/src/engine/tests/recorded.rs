//! What the engine records of a firing: when, in which order, and what follows if it cannot.

use std::sync::Mutex;

use super::*;
use crate::record::{Late, Number, Record, Unrecorded};

/// A sink that stores what it receives as lines, or fails.
#[derive(Debug, Default)]
struct MemorySink {
    recorded_lines: Mutex<Vec<String>>,
    outcomes: Mutex<Vec<Option<Outcome>>>,
    /// The kind of record that it refuses.
    fails: Option<&'static str>,
    is_required: bool,
}

impl MemorySink {
    fn push(&self, kind: &str, line: String) -> Result<(), Unrecorded> {
        if self.fails == Some(kind) {
            let why = "the disk is full".to_owned();
            return Err(Unrecorded { why, is_required: self.is_required, is_reported: false });
        }
        self.recorded_lines.lock().unwrap().push(line);
        Ok(())
    }

    fn recorded_lines(&self) -> Vec<String> {
        self.recorded_lines.lock().unwrap().clone()
    }
}

impl Sink for MemorySink {
    fn begin(&self, event: &Event) -> Result<Number, Unrecorded> {
        self.push("begin", format!("begin {}", event.name))?;
        Ok(Number(7))
    }

    fn end(&self, record: &Record<'_>) -> Result<(), Unrecorded> {
        let begun = record.begun.map_or("nothing".to_owned(), |number| number.to_string());
        let hooks: Vec<&str> = record.hooks.iter().map(|hook| hook.id.as_str()).collect();
        self.outcomes.lock().unwrap().push(record.outcome.cloned());
        self.push("end", format!("end of {begun}: {}", hooks.join(" ")).trim_end().to_owned())
    }

    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded> {
        let begun = late.begun.map_or("nothing".to_owned(), |number| number.to_string());
        self.push("late", format!("late of {begun}: {}", late.hook.id))
    }
}

fn recording(sink: &Arc<MemorySink>, hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let sink = Arc::clone(sink) as Arc<dyn Sink>;
    let builder = Engine::builder().event(row()).sink(sink);
    hooks.into_iter().fold(builder, Builder::hook).build().0
}

/// RE-1: before any hook runs, and with the outcome that the host gets.
#[tokio::test]
async fn firing_is_recorded() {
    let sink = Arc::new(MemorySink::default());
    let (seen, at) = (Arc::clone(&sink), Arc::new(Mutex::new(Vec::new())));
    let before = Arc::clone(&at);
    let gate = hook("gate", move |_| {
        before.lock().unwrap().extend(seen.recorded_lines());
        async { Answer::deny("no") }
    });
    let engine = recording(&sink, [gate, answering("other", Answer::default())]);
    let outcome = engine.fire(event(), &Session::default()).await;
    assert_eq!(*at.lock().unwrap(), ["begin deploy.before"]);
    assert_eq!(sink.recorded_lines(), ["begin deploy.before", "end of 7: gate other"]);
    assert_eq!(*sink.outcomes.lock().unwrap(), [Some(outcome)]);

    // Without hooks, only an event that could have been denied is recorded.
    let sink = Arc::new(MemorySink::default());
    let engine = recording(&sink, []);
    for name in ["PreToolUse", "SessionStart", "Notification"] {
        drop(engine.fire(Event::new(name, Surroundings::at("/")), &Session::default()).await);
    }
    assert_eq!(sink.recorded_lines(), ["end of nothing:"]);
}

/// RE-2.
#[tokio::test(start_paused = true)]
async fn dropped_firing_is_recorded_as_cancelled() {
    let sink = Arc::new(MemorySink::default());
    let engine = recording(&sink, [after("slow", 60_000, Answer::default())]);
    let session = Session::default();
    let fired = engine.fire(event(), &session);
    assert!(tokio::time::timeout(Duration::from_secs(1), fired).await.is_err());
    assert_eq!(sink.recorded_lines(), ["begin deploy.before", "end of 7:"]);
    assert_eq!(*sink.outcomes.lock().unwrap(), [None]);
}

/// RE-3.
#[tokio::test(start_paused = true)]
async fn late_step_has_a_separate_record() {
    let sink = Arc::new(MemorySink::default());
    let observer = after("observer", 60_000, Answer::default());
    let engine = recording(&sink, [Hook { wait: Wait::Detached, ..observer }]);
    let session = Session::default();
    drop(engine.fire(event(), &session).await);
    assert_eq!(sink.recorded_lines(), ["begin deploy.before", "end of 7: observer"]);
    session.drain().await;
    assert_eq!(sink.recorded_lines().last().map(String::as_str), Some("late of 7: observer"));
}

/// N-14, RE-3: a step that is cut off is recorded, whether its host asks for the reports or drops
/// the session.
#[tokio::test(start_paused = true)]
async fn cut_step_has_a_separate_record() {
    for is_dropped in [false, true] {
        let sink = Arc::new(MemorySink::default());
        let observer = after("observer", 60_000, Answer::default());
        let engine = recording(&sink, [Hook { wait: Wait::Detached, ..observer }]);
        let session = Session::default();
        drop(engine.fire(event(), &session).await);
        match is_dropped {
            true => drop(session),
            false => drop(session.cut().await),
        }
        while sink.recorded_lines().len() < 3 {
            tokio::task::yield_now().await;
        }
        assert_eq!(sink.recorded_lines().last().map(String::as_str), Some("late of 7: observer"));
    }
}

/// RE-20, RE-21.
#[tokio::test]
async fn required_record_that_fails_blocks_gates() {
    for fails in ["begin", "end"] {
        for is_required in [false, true] {
            let sink = MemorySink { fails: Some(fails), is_required, ..MemorySink::default() };
            let sink = Arc::new(sink);
            let asked = Arc::new(AtomicUsize::new(0));
            let counts = Arc::clone(&asked);
            let gate = Hook {
                event: "PreToolUse".into(),
                ..hook("gate", move |_| {
                    counts.fetch_add(1, Ordering::Relaxed);
                    async { Answer::default() }
                })
            };
            let observer =
                Hook { event: "SessionStart".into(), ..answering("o", Answer::default()) };
            let engine = recording(&sink, [gate, observer]);
            let call = Event::pre_tool_use("Bash", json!({"command": "ls"}));
            let call = call.within(&Surroundings::at("/"));
            let outcome = engine.fire(call, &Session::default()).await;
            assert_eq!(outcome.blocked(), is_required, "{fails}: {outcome:?}");
            let codes: Vec<_> = outcome.faults.iter().map(|fault| fault.code.name()).collect();
            assert_eq!(codes, ["unrecorded"], "{fails}");
            let is_asked = !is_required || fails == "end";
            assert_eq!(asked.load(Ordering::Relaxed), usize::from(is_asked), "{fails}");

            let event = Event::new("SessionStart", Surroundings::at("/"));
            let outcome = engine.fire(event, &Session::default()).await;
            assert!(!outcome.blocked() && outcome.faults.len() == 1, "{outcome:?}");
        }
    }
}
