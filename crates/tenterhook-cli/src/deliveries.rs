//! What background hooks left for an agent until an event of their session can carry it (BR-159): one small file a session,
//! changed under a lock. Starts nothing and judges nothing.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenterhook::internal::discover::{self, LockPatience};
use tenterhook_core::answer::{Effects, Restraint};
use tenterhook_core::hook::HookId;
use tenterhook_core::outcome::{Ended, Outcome, Reason, Step};

use crate::session_store::open_private_file;

/// How many results wait at most.
const MOST: usize = 64;
/// Largest file that is written or read.
const LARGEST: usize = 256 << 10;

/// The results that wait in one session.
#[derive(Debug)]
pub(crate) struct Deliveries {
    file: PathBuf,
    patience: LockPatience,
}

/// The result of one background hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// Its number in the file.
    pub(crate) number: u64,
    /// The number of the record of the event that started the hook; 0 without a record.
    pub(crate) begun: u64,
    pub(crate) hook: String,
    /// `file:line` of the hook's entry.
    pub(crate) source: String,
    pub(crate) line: usize,
    /// The subagent in which the event happened.
    pub(crate) agent_id: Option<String>,
    /// Whether it is an objection that wakes the agent.
    pub(crate) wakes: bool,
    /// Texts for the model.
    pub(crate) texts: Vec<String>,
    /// Texts for the user.
    pub(crate) messages: Vec<String>,
    /// What went wrong, for the user.
    pub(crate) warnings: Vec<String>,
}

/// Why a result cannot wait for an event.
#[derive(Debug)]
pub(crate) enum Undeliverable {
    /// The agent does not name its session.
    NoSession,
    /// No event of the agent can carry it.
    NoEvent,
    /// The session has ended.
    SessionEnded,
    /// Too many results wait, or too large ones.
    Full,
    /// Its process ended before it.
    Killed,
    /// The file cannot be changed.
    Unwritable(io::Error),
}

impl fmt::Display for Undeliverable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its result does not reach the agent: ")?;
        match self {
            Self::NoSession => f.write_str("the agent names no session"),
            Self::NoEvent => f.write_str("no event of this agent takes text from hooks"),
            Self::SessionEnded => f.write_str("the session ended before the hook"),
            Self::Full => {
                write!(f, "{MOST} results of background hooks wait already, or they are too large")
            }
            Self::Killed => f.write_str("its process was killed before the hook ended"),
            Self::Unwritable(error) => write!(f, "it cannot be stored: {error}"),
        }
    }
}

/// The content of the file.
#[derive(Debug, Default)]
struct Waiting {
    /// Whether the session has ended.
    is_closed: bool,
    /// The number of the last result.
    last: u64,
    results: Vec<Delivery>,
    /// The second processes that have not ended by themselves.
    runs: Vec<Run>,
    /// The hooks of those that were killed, until an event reports them.
    lost: Vec<String>,
}

/// A second process of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    /// The ending of the file that is locked while it lives.
    slot: String,
    /// The ids of its hooks.
    hooks: Vec<String>,
}

impl Deliveries {
    pub(crate) fn at_path(file: PathBuf, patience: LockPatience) -> Self {
        Self { file, patience }
    }

    /// Makes the session take results: hooks are about to start in a second process that keeps
    /// `slot` locked.
    pub(crate) fn begin_run(&self, slot: &str, hooks: &[HookId]) {
        let hooks = hooks.iter().map(HookId::to_string).collect();
        let _ = self.change(|waiting| {
            waiting.is_closed = false;
            // The process that had the slot before is gone.
            waiting.lose_runs(|run| run.slot == slot);
            waiting.runs.push(Run { slot: slot.to_owned(), hooks });
        });
    }

    /// Notes that a second process has ended by itself.
    pub(crate) fn end_run(&self, slot: &str) {
        let _ = self.change(|waiting| waiting.runs.retain(|run| run.slot != slot));
    }

    /// Takes the ids of hooks whose process was killed; a second call does not return them again.
    pub(crate) fn take_lost_hooks(&self) -> Vec<HookId> {
        if !self.file.exists() {
            return Vec::new();
        }
        let seen = self.read();
        let is_dead = |run: &Run| {
            let slot = open_private_file(&self.file.with_extension(&run.slot), false);
            slot.is_ok_and(|slot| slot.try_lock().is_ok())
        };
        let dead: Vec<Run> = seen.runs.into_iter().filter(is_dead).collect();
        if dead.is_empty() && seen.lost.is_empty() {
            return Vec::new();
        }
        let taken = self.change(|waiting| {
            waiting.lose_runs(|run| dead.contains(run));
            std::mem::take(&mut waiting.lost)
        });
        taken.unwrap_or_default().iter().map(|id| HookId::new(&**id)).collect()
    }

    /// Adds a result. It waits until an event takes it.
    pub(crate) fn add(&self, delivery: Delivery) -> Result<(), Undeliverable> {
        let added = self.change(|waiting| {
            if waiting.is_closed {
                return Err(Undeliverable::SessionEnded);
            }
            waiting.last += 1;
            waiting.results.push(Delivery { number: waiting.last, ..delivery });
            let is_full = waiting.results.len() > MOST || waiting.to_bytes().len() > LARGEST;
            if is_full {
                waiting.results.pop();
                return Err(Undeliverable::Full);
            }
            Ok(())
        });
        added.unwrap_or_else(|error| Err(Undeliverable::Unwritable(error)))
    }

    /// Returns the waiting results that `fits` selects; `None` without one, or while another call
    /// carries results of the session. They wait until the lease is finished: a call that is killed
    /// loses none of them.
    pub(crate) fn lease(&self, fits: impl Fn(&Delivery) -> bool) -> Option<Lease> {
        if !self.file.exists() {
            return None;
        }
        let lock = open_private_file(&self.file.with_extension("carried"), false).ok()?;
        lock.try_lock().ok()?;
        let results: Vec<Delivery> =
            self.read().results.into_iter().filter(|one| fits(one)).collect();
        (!results.is_empty()).then(|| Lease { file: self.file.clone(), results, _lock: lock })
    }

    /// Ends the session: returns the results that no event carried, and refuses later ones.
    pub(crate) fn close_session(&self) -> Vec<Delivery> {
        if !self.file.exists() {
            return Vec::new();
        }
        let closed = self.change(|waiting| {
            waiting.is_closed = true;
            std::mem::take(&mut waiting.results)
        });
        closed.unwrap_or_default()
    }

    /// Reads the file; an unreadable one holds nothing.
    fn read(&self) -> Waiting {
        let read = || -> io::Result<Vec<u8>> {
            let (file, _) = discover::open(&self.file)?;
            let mut text = Vec::new();
            file.take(LARGEST as u64 + 1).read_to_end(&mut text)?;
            Ok(text)
        };
        Waiting::parse(&read().unwrap_or_default())
    }

    fn change<T>(&self, with: impl FnOnce(&mut Waiting) -> T) -> io::Result<T> {
        let directory = self.file.parent().ok_or(io::ErrorKind::NotFound)?;
        discover::create_private_dir(directory)?;
        let lock = open_private_file(&self.file.with_extension("lock"), false)?;
        self.patience.wait_for_lock(|| lock.try_lock())?;
        let mut waiting = self.read();
        let result = with(&mut waiting);
        let mut new = tempfile::NamedTempFile::new_in(directory)?;
        new.write_all(&waiting.to_bytes())?;
        new.persist(&self.file)?;
        Ok(result)
    }
}

/// Results that an event carries.
#[derive(Debug)]
pub(crate) struct Lease {
    file: PathBuf,
    pub(crate) results: Vec<Delivery>,
    /// Held until the reply is sent, so that no other call carries the same results.
    _lock: File,
}

impl Lease {
    /// Removes the results: the agent has them.
    pub(crate) fn finish(self) {
        let is_carried = |one: &Delivery| self.results.iter().any(|own| own.number == one.number);
        let deliveries = Deliveries::at_path(self.file.clone(), LockPatience::default());
        let _ = deliveries.change(|waiting| waiting.results.retain(|one| !is_carried(one)));
    }
}

impl Waiting {
    fn parse(bytes: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let results = value.get("results").and_then(Value::as_array).into_iter().flatten();
        Self {
            is_closed: value.get("closed").and_then(Value::as_bool).unwrap_or_default(),
            last: value.get("last").and_then(Value::as_u64).unwrap_or_default(),
            results: results.filter_map(Value::as_object).map(Delivery::parse).collect(),
            runs: value
                .get("runs")
                .and_then(Value::as_array)
                .map_or_else(Vec::new, |runs| runs.iter().filter_map(Run::parse).collect()),
            lost: texts_of(value.get("lost")),
        }
    }

    /// Moves the hooks of some runs to those that are lost.
    fn lose_runs(&mut self, is_lost: impl Fn(&Run) -> bool) {
        for run in self.runs.extract_if(.., |run| is_lost(run)) {
            self.lost.extend(run.hooks);
        }
        self.lost.truncate(MOST);
    }

    fn to_bytes(&self) -> Vec<u8> {
        let results: Vec<Value> = self.results.iter().map(Delivery::to_json).collect();
        let runs: Vec<Value> =
            self.runs.iter().map(|run| json!({ "slot": run.slot, "hooks": run.hooks })).collect();
        json!({ "closed": self.is_closed, "last": self.last, "results": results, "runs": runs,
            "lost": self.lost })
        .to_string()
        .into_bytes()
    }
}

impl Run {
    fn parse(value: &Value) -> Option<Self> {
        let slot = value.get("slot")?.as_str()?.to_owned();
        // An ending of a file beside this one.
        let is_ending = slot.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_ending.then(|| Self { slot, hooks: texts_of(value.get("hooks")) })
    }
}

/// Returns the texts of a list.
fn texts_of(list: Option<&Value>) -> Vec<String> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Delivery {
    fn parse(fields: &Map<String, Value>) -> Self {
        let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| fields.get(key).and_then(Value::as_u64).unwrap_or_default();
        let texts = |key: &str| texts_of(fields.get(key));
        Self {
            number: number("number"),
            begun: number("begun"),
            hook: text("hook").unwrap_or_default(),
            source: text("source").unwrap_or_default(),
            line: usize::try_from(number("line")).unwrap_or_default(),
            agent_id: text("agent_id"),
            wakes: fields.get("wakes").and_then(Value::as_bool).unwrap_or_default(),
            texts: texts("texts"),
            messages: texts("messages"),
            warnings: texts("warnings"),
        }
    }

    fn to_json(&self) -> Value {
        let Self { number, begun, hook, source, line, agent_id, wakes, texts, messages, warnings } =
            self;
        json!({ "number": number, "begun": begun, "hook": hook, "source": source, "line": line,
            "agent_id": agent_id, "wakes": wakes, "texts": texts, "messages": messages,
            "warnings": warnings })
    }

    /// Returns the result as the outcome of a step. If it wakes the agent at the end of a turn, it
    /// is a denial; otherwise its texts are context.
    pub(crate) fn to_outcome(&self, ends_turn: bool) -> Outcome {
        let hook = HookId::new(&*self.hook);
        let denies = self.wakes && ends_turn;
        let (texts, reasons) = match denies {
            true => (Vec::new(), self.texts.clone()),
            false => (self.texts.clone(), Vec::new()),
        };
        let restraint = if denies { Restraint::Deny } else { Restraint::Silent };
        let effects = Effects {
            context: texts.clone(),
            messages: self.messages.clone(),
            ..Effects::default()
        };
        let step = Step {
            hook: hook.clone(),
            source: self.source.clone(),
            line: self.line,
            executor: "background",
            ended: Ended::Delivered(self.begun),
            took: Duration::ZERO,
            verdict: restraint,
            context: texts,
            messages: self.messages.clone(),
            marks: Vec::new(),
            rewrote: false,
            stopped: false,
            exemption: None,
            tier: None,
            shadow: None,
        };
        let reasons = reasons.into_iter().map(|text| Reason { hook: hook.clone(), text }).collect();
        Outcome { restraint, reasons, effects, ..Outcome::without_answer() }.with_steps(vec![step])
    }
}

/// Returns the results that wait in the files of all sessions below `directory`, each with the
/// number of the record of its event (`log`).
pub(crate) fn waiting_results(directory: &Path) -> Vec<Delivery> {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let files = files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    files
        .flat_map(|file| Deliveries::at_path(file, LockPatience::default()).read().results)
        .collect()
}

/// What the names of these files end with.
pub(crate) const EXTENSION: &str = "late";

#[cfg(test)]
mod tests {
    use super::*;

    fn deliveries(directory: &tempfile::TempDir) -> Deliveries {
        Deliveries::at_path(
            directory.path().join("sessions").join("s.late"),
            LockPatience::default(),
        )
    }

    fn delivery(hook: &str) -> Delivery {
        Delivery {
            hook: hook.to_owned(),
            begun: 7,
            wakes: true,
            agent_id: Some("a".to_owned()),
            texts: vec!["text".to_owned()],
            messages: vec!["message".to_owned()],
            warnings: vec!["warning".to_owned()],
            ..Delivery::default()
        }
    }

    fn hooks(lease: Option<&Lease>) -> Vec<&str> {
        lease.into_iter().flat_map(|lease| &lease.results).map(|one| one.hook.as_str()).collect()
    }

    /// BR-159: a call that is killed before its reply loses no result, and no two calls carry one.
    #[test]
    fn result_waits_until_one_call_has_carried_it() {
        let directory = tempfile::tempdir().unwrap();
        let waiting = deliveries(&directory);
        assert!(waiting.lease(|_| true).is_none());
        waiting.begin_run("slot-0", &[HookId::new("a")]);
        waiting.add(delivery("a")).unwrap();
        let lease = waiting.lease(|_| true);
        let expected = Delivery { number: 1, ..delivery("a") };
        assert_eq!(lease.as_ref().map(|lease| &*lease.results), Some(&[expected][..]));
        assert!(waiting.lease(|_| true).is_none(), "the first call still carries it");
        drop(lease);
        let lease = waiting.lease(|_| true).expect("the first call was killed");
        waiting.add(delivery("b")).unwrap();
        lease.finish();
        assert_eq!(hooks(waiting.lease(|_| true).as_ref()), ["b"]);
        assert_eq!(hooks(waiting.lease(|one| one.hook == "a").as_ref()), [""; 0]);
    }

    /// BR-166: hooks whose process was killed are reported once; those of a living one are not.
    #[test]
    fn hooks_of_killed_processes_are_lost() {
        let directory = tempfile::tempdir().unwrap();
        let waiting = deliveries(&directory);
        assert!(waiting.take_lost_hooks().is_empty() && !waiting.file.exists());
        let ids = |names: &[&str]| names.iter().map(|name| HookId::new(*name)).collect::<Vec<_>>();
        let slot = |ending: &str| {
            waiting.begin_run(ending, &ids(&[ending]));
            let slot = open_private_file(&waiting.file.with_extension(ending), true).unwrap();
            slot.lock().unwrap();
            slot
        };
        let (ended, killed, lives) = (slot("slot-0"), slot("slot-1"), slot("slot-2"));
        assert_eq!(waiting.take_lost_hooks(), ids(&[]));
        waiting.end_run("slot-0");
        drop((ended, killed));
        assert_eq!(waiting.take_lost_hooks(), ids(&["slot-1"]));
        assert_eq!(waiting.take_lost_hooks(), ids(&[]));
        drop(lives);
        // The slot is taken anew before an event looks.
        let _again = slot("slot-2");
        assert_eq!(waiting.take_lost_hooks(), ids(&["slot-2"]));
        assert_eq!(waiting.take_lost_hooks(), ids(&[]));
    }

    /// BR-160.
    #[test]
    fn result_that_cannot_wait_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let waiting = deliveries(&directory);
        for _ in 0..MOST {
            waiting.add(delivery("a")).unwrap();
        }
        assert!(matches!(waiting.add(delivery("b")), Err(Undeliverable::Full)));
        assert_eq!(waiting.close_session().len(), MOST);
        assert!(matches!(waiting.add(delivery("b")), Err(Undeliverable::SessionEnded)));
        waiting.begin_run("slot-0", &[HookId::new("a")]);
        let large = Delivery { texts: vec!["x".repeat(LARGEST)], ..Delivery::default() };
        assert!(matches!(waiting.add(large), Err(Undeliverable::Full)));
        waiting.add(delivery("b")).unwrap();
        std::fs::write(&waiting.file, "{\"results\": [1, {").unwrap();
        assert!(waiting.lease(|_| true).is_none(), "a torn file holds nothing");
        waiting.add(delivery("c")).unwrap();
        assert_eq!(hooks(waiting.lease(|_| true).as_ref()), ["c"]);
        let nowhere = Deliveries::at_path(waiting.file.join("s.late"), LockPatience::default());
        assert!(matches!(nowhere.add(delivery("a")), Err(Undeliverable::Unwritable(_))));
    }

    /// BR-159: hooks that end at once lose no result.
    #[test]
    fn results_of_processes_that_end_at_once_all_wait() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    (0..8).for_each(|_| deliveries(&directory).add(delivery("a")).unwrap())
                });
            }
        });
        assert_eq!(deliveries(&directory).read().results.len(), 64);
    }

    /// BR-159.
    #[test]
    fn wake_is_a_denial_at_the_end_of_a_turn_only() {
        let denied = delivery("a").to_outcome(true);
        assert_eq!((denied.restraint, denied.reason().as_deref()), (Restraint::Deny, Some("text")));
        assert!(denied.effects.context.is_empty());
        let context = delivery("a").to_outcome(false);
        assert_eq!((context.restraint, context.reason()), (Restraint::Silent, None));
        assert_eq!(
            (&*context.effects.context, &*context.steps[0].context),
            (&["text".to_owned()][..], &["text".to_owned()][..])
        );
        let quiet = Delivery { wakes: false, ..delivery("a") };
        assert_eq!(quiet.to_outcome(true).restraint, Restraint::Silent);
    }
}
