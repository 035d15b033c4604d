//! Slow shadow hooks behind an agent: a separate process runs them after the reply, so that they delay no call (SH-7). It prints
//! nothing; the record has the results.

use std::io::{Seek, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};
use tenterhook::record::{Late, Number, Record, Sink, Unrecorded};
use tenterhook::session::Store;
use tenterhook::{Event, Outcome, Session};
use tenterhook_core::outcome::Ended;

use crate::args::Hook;
use crate::exit::Exit;

/// The number that stands for no record.
const NONE: u64 = 0;

/// The record of the firing that replies: it keeps the number by which what ends later is tied to it.
#[derive(Debug)]
pub(super) struct Begun<S> {
    to: Arc<S>,
    number: AtomicU64,
}

impl<S: Sink> Begun<S> {
    pub(super) const fn new(to: Arc<S>) -> Self {
        Self { to, number: AtomicU64::new(NONE) }
    }

    pub(super) fn begin_record_number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }
}

impl<S: Sink> Sink for Begun<S> {
    fn begin(&self, event: &Event) -> Result<Number, Unrecorded> {
        let number = self.to.begin(event)?;
        self.number.store(number.0, Ordering::Relaxed);
        Ok(number)
    }

    fn end(&self, record: &Record<'_>) -> Result<(), Unrecorded> {
        self.to.end(record)
    }

    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded> {
        self.to.late(late)
    }
}

/// The record of the process that asks later: the firing began elsewhere and has its end.
#[derive(Debug)]
pub(super) struct Behind<S> {
    pub(super) to: Arc<S>,
    pub(super) begun: u64,
}

impl<S: Sink> Sink for Behind<S> {
    fn begin(&self, _: &Event) -> Result<Number, Unrecorded> {
        Ok(Number(self.begun))
    }

    fn end(&self, _: &Record<'_>) -> Result<(), Unrecorded> {
        Ok(())
    }

    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded> {
        let begun = late.begun.filter(|number| number.0 != NONE);
        self.to.late(&Late { begun, ..*late })
    }
}

/// Returns whether a shadow hook was deferred.
pub(super) fn has_deferred_shadow_hook(outcome: &Outcome) -> bool {
    outcome.steps.iter().any(|step| step.shadow.is_some() && step.ended == Ended::Detached)
}

/// Starts the process that runs the hooks. A failure is not reported: only shadow results are lost.
#[expect(
    clippy::disallowed_methods,
    reason = "it outlives this process on purpose, and is its last act: nothing of the supervision of hooks is for it"
)]
pub(super) fn spawn_background_process(args: &Hook, fields: &Map<String, Value>, begun: u64) {
    let asked = || {
        let mut event = tempfile::tempfile()?;
        event.write_all(&serde_json::to_vec(fields)?)?;
        event.rewind()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["hook", "--agent", args.agent.as_str(), "--event", &args.event]);
        command.args(["--aside", &begun.to_string()]);
        for named in &args.config {
            let path = named.path.to_string_lossy();
            let text = named.dialect.map(|dialect| format!("{dialect}={path}"));
            command.arg("--config").arg(text.as_deref().unwrap_or(&path));
        }
        command.stdin(event).stdout(Stdio::null()).stderr(Stdio::null());
        // What ends the agent's call ends nothing of this.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(drop)
    };
    let _: std::io::Result<()> = asked();
}

/// Creates a session for hooks in the background, which shares the state of earlier calls.
pub(super) fn background_session(kept: Option<Arc<dyn Store>>) -> Session {
    kept.map_or_else(Session::of_one_event, Session::of_one_event_in)
}

/// Prints nothing.
pub(super) const DONE: Exit = Exit::Replied(0);
