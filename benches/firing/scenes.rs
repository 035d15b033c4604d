//! The measurements: each scene makes a bed of an engine and its hooks, fires it many times and
//! names the baseline.

pub(crate) mod command;
pub(crate) mod history;
pub(crate) mod http;
pub(crate) mod inside;
pub(crate) mod interpreter;
pub(crate) mod lines;
pub(crate) mod record;
pub(crate) mod sandbox;
pub(crate) mod sessions;
pub(crate) mod trust;
pub(crate) mod worker;

use std::path::{Path, PathBuf};

use serde_json::json;
use tenterhook::engine::Builder;
use tenterhook::executor::Ambient;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::outcome::Fault;
use tokio::runtime::Runtime;

/// The event that all scenes fire.
pub(crate) fn event() -> Event {
    let directory = PathBuf::from("/tmp");
    let within = Surroundings {
        session_id: "bench".to_owned(),
        cwd: directory.clone(),
        project: directory.clone(),
        home: directory,
        ..Surroundings::default()
    };
    Event::new("PreToolUse", within)
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": "git push origin main", "description": "push"}))
}

/// What a native hook is handed for it.
fn envelope() -> Vec<u8> {
    DialectId::NATIVE.dialect().encode_event(&event()).body
}

/// An engine, the runtime that it fires on, and a session.
struct Bed {
    runtime: Runtime,
    engine: Engine,
    session: Session,
}

impl Bed {
    fn new(builder: Builder) -> Self {
        let (engine, diagnostics) = builder.build();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        Self { runtime: runtime(), engine, session: Session::default() }
    }

    /// A bed of hooks that are written down, each in its own native table.
    fn written(hooks: impl IntoIterator<Item = String>) -> Self {
        Self::new(configured(hooks))
    }

    /// The same in a host that gives a place for the files of its session.
    fn written_beside(hooks: impl IntoIterator<Item = String>, scratch: &Path) -> Self {
        Self::written_in(hooks, Ambient::default().scratch(scratch))
    }

    /// The same in a host that gives `ambient`.
    fn written_in(hooks: impl IntoIterator<Item = String>, ambient: Ambient) -> Self {
        Self::new(configured(hooks).ambient(ambient))
    }

    fn fire(&self) -> Outcome {
        self.runtime.block_on(self.engine.fire(event(), &self.session))
    }

    /// Fires once; where that goes wrong, its figures would be those of a failure.
    fn ready(self) -> Result<Self, Fault> {
        match self.fire().faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(self),
        }
    }
}

fn configured(hooks: impl IntoIterator<Item = String>) -> Builder {
    let text: String = hooks.into_iter().collect();
    Engine::builder().source(Source::from_text("tenterhook.toml", DialectId::NATIVE, &text, "/tmp"))
}

#[expect(clippy::expect_used, reason = "without a runtime there is nothing to measure")]
fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

/// How many threads of this program run at once.
fn cores() -> u32 {
    std::thread::available_parallelism()
        .ok()
        .and_then(|cores| u32::try_from(cores.get()).ok())
        .unwrap_or(1)
}

/// One hook on the event, from the line that says what it runs.
fn hook(at: usize, runs: &str) -> String {
    format!("[hook.h{at}]\non = \"PreToolUse\"\n{runs}\n")
}

/// `KEY = ["program", "arg"]`.
fn argv(key: &str, program: &Path, args: &[&str]) -> String {
    let line = std::iter::once(program.display().to_string());
    let line: Vec<String> = line.chain(args.iter().map(|arg| (*arg).to_owned())).collect();
    format!("{key} = {}", json!(line))
}
