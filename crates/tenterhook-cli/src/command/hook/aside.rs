//! Hooks that no event waits for, behind an agent: a second process runs them after the reply, so that they delay no call (SH-7,
//! BR-158). It prints nothing; the record has the results, and what the agent should read waits for its next event.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};
use tenterhook::internal::discover;
use tenterhook::record::{Journal, Late, Number, Record, Sink, Unrecorded};
use tenterhook::session::Store;
use tenterhook::{Event, Outcome, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Ruleset;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{HookId, Wait};
use tenterhook_core::outcome::{Ended, Fault};

use super::Called;
use super::carry;
use crate::args::Hook;
use crate::deliveries::{Deliveries, Delivery, Undeliverable};
use crate::exit::Exit;
use crate::session_store::open_private_file;
use crate::show::outcome::hook_display_name;

/// The number that stands for no record.
const NONE: u64 = 0;
/// How many second processes a session has at once (BR-158).
const MOST_PROCESSES: usize = 16;

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

    fn begin_record_number(&self) -> u64 {
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

/// Where the second process leaves results: in the record, whose firing began and ended elsewhere, and for the agent.
#[derive(Debug)]
pub(super) struct Behind {
    pub(super) to: Option<Arc<Journal>>,
    pub(super) begun: u64,
    pub(super) agent: tenterhook_core::dialect::DialectId,
    pub(super) deliveries: Option<Deliveries>,
}

impl Behind {
    /// Stores what a background hook left for the agent.
    fn store_delivery(&self, late: &Late<'_>) -> Result<(), Undeliverable> {
        let Some(delivery) = delivery_of_step(late, self.begun) else { return Ok(()) };
        let has_text = !delivery.texts.is_empty() || !delivery.messages.is_empty();
        let stored = match &self.deliveries {
            None => Err(Undeliverable::NoSession),
            Some(_) if !carry::can_ever_carry(self.agent, &delivery) => Err(Undeliverable::NoEvent),
            Some(deliveries) => deliveries.add(delivery),
        };
        // Warnings are on record as faults already.
        if has_text { stored } else { Ok(()) }
    }
}

/// Returns what a background hook left for the agent, if anything.
fn delivery_of_step(late: &Late<'_>, begun: u64) -> Option<Delivery> {
    let outcome = late.outcome;
    let step = outcome.steps.first().filter(|step| step.shadow.is_none())?;
    let wakes = late.hook.wait == Wait::Rewake && outcome.restraint == Restraint::Deny;
    let reasons = outcome.reasons.iter().filter(|_| wakes).map(|reason| reason.text.clone());
    let agent_id = late.event.within.facts.get("agent_id").and_then(Value::as_str);
    let name = late.hook.short_name();
    let delivery = Delivery {
        begun,
        hook: late.hook.id.to_string(),
        source: step.source.clone(),
        line: step.line,
        agent_id: agent_id.map(str::to_owned),
        wakes,
        texts: reasons.chain(outcome.effects.context.iter().cloned()).collect(),
        messages: outcome.effects.messages.clone(),
        warnings: outcome
            .faults
            .iter()
            .map(|fault| format!("hook `{name}`: {}", fault.message))
            .collect(),
        ..Delivery::default()
    };
    let is_empty = [&delivery.texts, &delivery.messages, &delivery.warnings]
        .iter()
        .all(|texts| texts.is_empty());
    (!is_empty).then_some(delivery)
}

impl Sink for Behind {
    fn begin(&self, _: &Event) -> Result<Number, Unrecorded> {
        Ok(Number(self.begun))
    }

    fn end(&self, _: &Record<'_>) -> Result<(), Unrecorded> {
        Ok(())
    }

    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded> {
        let mut outcome = late.outcome.clone();
        if let Err(why) = self.store_delivery(late) {
            outcome.faults.push(Fault::new(&late.hook.id, Code::Undelivered, why.to_string()));
        }
        let begun = late.begun.filter(|number| number.0 != NONE);
        let Some(to) = &self.to else { return Ok(()) };
        to.late(&Late { begun, outcome: &outcome, ..*late })
    }
}

/// The hooks that the second process runs, and what it needs for that.
#[derive(Debug)]
pub(super) struct Handover {
    hooks: Vec<HookId>,
    begun: u64,
    /// Locked while the second process lives, and the ending of its path.
    slot: (File, String),
    deliveries: Option<Deliveries>,
}

impl Handover {
    /// Prepares the second process for the hooks that the outcome reports as detached; `None`
    /// without one. If the session has too many such processes, the hooks do not run: that is
    /// recorded, and added to `warnings`.
    pub(super) fn prepare(
        outcome: &Outcome,
        (ruleset, begun): (&Ruleset, Option<&Begun<Journal>>),
        called: &Called,
        state: &Path,
        warnings: &mut Vec<String>,
    ) -> Option<Self> {
        let detached = outcome.steps.iter().filter(|step| step.ended == Ended::Detached);
        // Without a record, a hook in shadow has no effect.
        let hooks: Vec<HookId> = detached
            .filter(|step| step.shadow.is_none() || begun.is_some())
            .map(|step| step.hook.clone())
            .collect();
        if hooks.is_empty() {
            return None;
        }
        let number = begun.map_or(NONE, Begun::begin_record_number);
        let deliveries = called.open_session_store(state).map(|store| store.deliveries());
        match lock_free_slot(&slot_path(called, state)) {
            Ok(Some(slot)) => Some(Self { hooks, begun: number, slot, deliveries }),
            Ok(None) => {
                let why = format!(
                    "it was not started: {MOST_PROCESSES} background processes of this session run already"
                );
                refuse(&hooks, &why, (called, ruleset, begun), warnings);
                None
            }
            Err(error) => {
                let why = format!("it was not started: no state can be written: {error}");
                refuse(&hooks, &why, (called, ruleset, begun), warnings);
                None
            }
        }
    }

    /// Starts the second process. It outlives this one.
    pub(super) fn spawn(self, args: &Hook, fields: &Map<String, Value>) {
        if let Some(deliveries) = &self.deliveries {
            deliveries.begin_run(&self.slot.1, &self.hooks);
        }
        // If it cannot start, the session's next event reports its hooks.
        let _: io::Result<()> = self.spawn_process(args, fields);
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "it outlives this process on purpose, and is its last act: nothing of the supervision of hooks is for it"
    )]
    fn spawn_process(self, args: &Hook, fields: &Map<String, Value>) -> io::Result<()> {
        let hooks: Vec<&str> = self.hooks.iter().map(HookId::as_str).collect();
        let mut input = tempfile::tempfile()?;
        input.write_all(&serde_json::to_vec(
            &json!({ HOOKS: hooks, SLOT: self.slot.1, EVENT: fields }),
        )?)?;
        input.rewind()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["hook", "--agent", args.agent.as_str(), "--event", &args.event]);
        command.args(["--aside", &self.begun.to_string()]);
        for named in &args.config {
            let path = named.path.to_string_lossy();
            let text = named.dialect.map(|dialect| format!("{dialect}={path}"));
            command.arg("--config").arg(text.as_deref().unwrap_or(&path));
        }
        // The open slot stays locked as long as the process has it, however it ends.
        command.stdin(input).stdout(Stdio::null()).stderr(self.slot.0);
        // What ends the agent's call ends nothing of this.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(drop)
    }
}

/// The fields of the second process's input.
const HOOKS: &str = "hooks";
const SLOT: &str = "slot";
const EVENT: &str = "event";

/// Takes the hooks to run and the slot out of the second process's input, and leaves the event's
/// fields.
pub(super) fn take_hooks_and_slot(fields: &mut Map<String, Value>) -> (Arc<[HookId]>, String) {
    let hooks = fields.remove(HOOKS).unwrap_or_default();
    let slot = fields.remove(SLOT).unwrap_or_default();
    if let Some(Value::Object(event)) = fields.remove(EVENT) {
        *fields = event;
    }
    let hooks = hooks.as_array().into_iter().flatten().filter_map(Value::as_str).map(HookId::new);
    (hooks.collect(), slot.as_str().unwrap_or_default().to_owned())
}

/// Records that hooks were not started, and warns.
fn refuse(
    hooks: &[HookId],
    why: &str,
    (called, ruleset, begun): (&Called, &Ruleset, Option<&Begun<Journal>>),
    warnings: &mut Vec<String>,
) {
    for id in hooks {
        warnings.push(format!("hook `{}`: {why}", hook_display_name(id, ruleset)));
        let Some(hook) = ruleset.hooks().iter().find(|hook| hook.id == *id) else { continue };
        let mut outcome = Outcome::without_answer();
        outcome.faults.push(Fault::new(id, Code::BackgroundFull, why));
        if let Some(begun) = begun {
            let number = Some(begun.begin_record_number()).filter(|number| *number != NONE);
            let late =
                Late { begun: number.map(Number), event: &called.event, outcome: &outcome, hook };
            let _ = begun.late(&late);
        }
    }
}

/// Returns the path that the session's slots begin with.
fn slot_path(called: &Called, state: &Path) -> PathBuf {
    let of_agent = || state.join("sessions").join(format!("{}.slots", called.agent));
    called.open_session_store(state).map_or_else(of_agent, |store| store.path("slots"))
}

/// Locks one of the session's slots, and returns it with the ending of its path; `None` if all are
/// taken.
fn lock_free_slot(path: &Path) -> io::Result<Option<(File, String)>> {
    discover::create_private_dir(path.parent().ok_or(io::ErrorKind::NotFound)?)?;
    for number in 0..MOST_PROCESSES {
        let ending = format!("slot-{number}");
        let file = open_private_file(&path.with_extension(&ending), true)?;
        match file.try_lock() {
            Ok(()) => return Ok(Some((file, ending))),
            Err(std::fs::TryLockError::WouldBlock) => {}
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Creates a session for hooks in the background, which shares the state of earlier calls.
pub(super) fn background_session(kept: Option<Arc<dyn Store>>) -> Session {
    kept.map_or_else(Session::of_one_event, Session::of_one_event_in)
}

/// Prints nothing.
pub(super) const DONE: Exit = Exit::Replied(0);
