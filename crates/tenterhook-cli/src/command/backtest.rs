//! `backtest`: what would these hooks have said to what agents did? Reads recorded sessions, asks rules and callbacks. Starts no
//! program, except confined scripts where the user asks for that.

mod joined;
mod page;
mod recent;
mod report;
mod scripts;
mod shape;
mod tally;
mod turns;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use jiff::Timestamp;
use tenterhook::Event;
use tenterhook::backtest::{Backtest, Judged};
use tenterhook_core::config::Ruleset;
use tenterhook_core::transcript::{Action, Copies, Facts, Kind, TranscriptRecord};

use crate::ambient::Here;
use crate::args::{Backtest as Args, Named, Which};
use crate::exit::Exit;
use crate::load::{self, Loaded};
use crate::problem::Problem;
use crate::progress::{Progress, Steps};
use crate::sessions::{self, Session as File};
use crate::show::layout;
use crate::show::paint::WARNING;
use crate::term::Term;
use crate::wait;
use page::{Asked, Gathering, Row};
use recent::RecentSessions;
use scripts::Scripts;
use tally::{Location, Tally};
use turns::Turns;

/// No signal has come.
const NONE: u8 = 0;
/// How many threads read at most.
const THREADS: usize = 8;
/// How many calls of a file may wait for their results.
const MOST_OPEN_CALLS: usize = 1_000;
/// How many bytes of a file are read before its turn. The rest is read and tried in that turn, while other files wait.
const WAITING: usize = 8 << 20;

pub(crate) fn run(args: &Args, here: &Here, term: Term) -> Result<Exit, Problem> {
    let (loaded, ruleset) = load_hooks(&args.hooks, here)?;
    let new = Backtest::new(&ruleset);
    loaded.announce_files(term, &here.roots);
    let old = match args.against.as_slice() {
        [] => None,
        named => Some(Backtest::new(&load_hooks(named, here)?.1)),
    };
    let scripts = args.run_scripts.map(|most| Scripts::new(&ruleset, most, here, term));
    let scripts = scripts.transpose()?;
    loaded.print_warnings(term);
    let found = sessions::find_sessions(&args.paths, args.agent, here)?;
    found.strange.iter().for_each(|(path, why)| warn_file_skipped(path, why, here, term));
    let needs_results = new.needs_results() || old.as_ref().is_some_and(Backtest::needs_results);
    let files = select_files_since(&found.sessions, args.since);
    let (files, groups) = joined::group_files(files, needs_results);
    let signal = Arc::new(AtomicU8::new(NONE));
    let received = Arc::clone(&signal);
    wait::call_handler_on_first_signal(move |byte| received.store(byte, Ordering::Relaxed))?;
    let progress = Progress::begin("asking about recorded sessions", files.len(), term.width());
    let work = Work {
        needs_results,
        new,
        old,
        scripts,
        files,
        groups,
        next: AtomicUsize::new(0),
        copies: Mutex::default(),
        turns: Turns::default(),
        since: args.since.map(|time| time.as_millisecond()),
        project: args.project.as_ref().map(|p| p.canonicalize().unwrap_or_else(|_| p.clone())),
        home: here.roots.home.clone(),
        signal: Arc::clone(&signal),
        steps: progress.step_counter(),
        page: args.html.as_ref().map(|_| Gathering::new(args)),
    };
    let mut tally = work.replay_all_files()?;
    drop(progress);
    let signal = signal.load(Ordering::Relaxed);
    tally.problems.sort();
    for problem in &tally.problems {
        term.print_labelled_note(WARNING, "warning:", &layout::to_safe_line(problem));
    }
    if let (Some(path), Some(all)) = (&args.html, &work.page) {
        let rows = std::mem::take(&mut tally.rows);
        page::write_page(path, rows, &tally, all, signal != NONE)?;
    }
    report::print_report(&tally, &work.new, args, signal != NONE, here, term)?;
    if let Some(path) = &args.html {
        term.print_note(&format!(
            "wrote {}",
            load::shorten_path(&path.to_string_lossy(), &here.roots)
        ));
    }
    match signal {
        NONE => Ok(Exit::Good),
        signal => Ok(Exit::Cancelled(signal)),
    }
}

/// Returns the files that may tell of what came after a time: those that were not last written
/// before it.
fn select_files_since(files: &[File], since: Option<Timestamp>) -> Vec<File> {
    let is_new =
        |file: &&File| since.is_none_or(|since| file.modified.is_none_or(|at| at >= since));
    files.iter().filter(is_new).cloned().collect()
}

fn warn_file_skipped(path: &Path, why: &impl std::fmt::Display, here: &Here, term: Term) {
    let text =
        format!("{} is left out: {why}", load::shorten_path(&path.to_string_lossy(), &here.roots));
    term.print_labelled_note(WARNING, "warning:", &layout::to_safe_line(&text));
}

/// Loads the hooks of these files, or those that an agent would load from here.
fn load_hooks(named: &[Named], here: &Here) -> Result<(Loaded, Arc<Ruleset>), Problem> {
    let which = Which { config: named.to_vec(), dialect: None, compat: None };
    let mut loaded = load::load_hooks(&which, here)?;
    let ruleset = loaded.build_engine(|builder| builder).ruleset();
    Ok((loaded, ruleset))
}

/// What all threads share.
struct Work {
    new: Backtest,
    old: Option<Backtest>,
    /// Whether rules note the results of calls.
    needs_results: bool,
    scripts: Option<Scripts>,
    /// All files; those of a group lie side by side.
    files: Vec<File>,
    groups: Vec<Range<usize>>,
    /// The number of the next group.
    next: AtomicUsize,
    copies: Mutex<Copies>,
    turns: Turns,
    since: Option<i64>,
    project: Option<PathBuf>,
    home: PathBuf,
    signal: Arc<AtomicU8>,
    steps: Steps,
    /// What a page is made of, where one is wanted.
    page: Option<Gathering>,
}

impl Work {
    /// Replays every file, on as many threads as there are processors.
    fn replay_all_files(&self) -> Result<Tally, Problem> {
        // With scripts one thread reads: which runs exceed the bound must not depend on threads (BT-9).
        let most = if self.scripts.is_some() { 1 } else { THREADS };
        let threads =
            available_parallelism().map_or(1, usize::from).min(most).min(self.groups.len().max(1));
        let lost = || Problem::new("a thread that reads sessions panicked");
        std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| self.replay_files_on_thread())).collect();
            let mut all = Tally::default();
            for thread in running {
                all.merge(thread.join().map_err(|_| lost())??);
            }
            Ok(all)
        })
    }

    fn is_interrupted(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != NONE
    }

    fn replay_files_on_thread(&self) -> Result<Tally, Problem> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder
            .enable_all()
            .build()
            .map_err(|error| Problem::new(format!("rules cannot be asked: {error}")))?;
        let mut tally = Tally::default();
        while let Some(group) = self.take_next_group() {
            let Some(file) = self.files.get(group.start) else { break };
            let (sessions, calls) = (RecentSessions::default(), HashMap::new());
            let number = group.start;
            let mut of_file =
                OfFile { work: self, runtime: &runtime, file, number, sessions, calls };
            match group.len() {
                1 => {
                    let facts = of_file.replay_file(&mut tally);
                    tally.add_facts_or_problem(file, facts);
                    self.steps.count_step();
                }
                _ => of_file.replay_joined_files(group, &mut tally),
            }
        }
        Ok(tally)
    }

    fn take_next_group(&self) -> Option<Range<usize>> {
        // A thread that takes a group must also take the turns of its files: others wait for them.
        if self.is_interrupted() {
            return None;
        }
        self.groups.get(self.next.fetch_add(1, Ordering::Relaxed)).cloned()
    }

    fn is_record_selected(&self, record: &TranscriptRecord<'_>) -> bool {
        let is_new = self.since.is_none_or(|since| record.time.is_none_or(|time| time >= since));
        let is_here = self.project.as_ref().is_none_or(|project| {
            record.cwd.as_deref().is_some_and(|cwd| std::path::Path::new(cwd).starts_with(project))
        });
        is_new && is_here
    }
}

/// One file, with the sessions that are in it and in the files of its group.
struct OfFile<'a> {
    work: &'a Work,
    runtime: &'a tokio::runtime::Runtime,
    file: &'a File,
    number: usize,
    sessions: RecentSessions,
    /// The calls whose results are to come, by id.
    calls: HashMap<String, Event>,
}

impl OfFile<'_> {
    /// Reads the file and runs the hooks on its events. Threads read and run hooks at any time; in
    /// between, they decide in file order which calls are copies.
    fn replay_file(&mut self, tally: &mut Tally) -> Result<Facts, Problem> {
        let (work, file) = (self.work, self.file);
        let turn = work.turns.turn_of_file(self.number);
        let (mut waiting, mut room) = (Vec::new(), WAITING);
        let facts = file.read_records(&mut |record| {
            if !work.is_record_selected(record) {
                return !work.is_interrupted();
            }
            tally.add_day_and_session(file.agent, record);
            if !self.is_replayable_record(record) {
                return !work.is_interrupted();
            }
            if let Some(left) = room.checked_sub(record.action.estimated_bytes()) {
                room = left;
                waiting.push(record.to_owned());
                return !work.is_interrupted();
            }
            turn.wait();
            room = 0;
            for record in waiting.drain(..).chain([record.to_owned()]) {
                let is_copy = self.is_copied_call(&record);
                self.replay_record(&record, is_copy, tally);
            }
            !work.is_interrupted()
        });
        turn.wait();
        let known: Vec<_> =
            waiting.into_iter().map(|record| (self.is_copied_call(&record), record)).collect();
        drop(turn);
        for (is_copy, record) in known.into_iter().take_while(|_| !work.is_interrupted()) {
            self.replay_record(&record, is_copy, tally);
        }
        facts
    }

    fn is_copied_call(&self, record: &TranscriptRecord<'_>) -> bool {
        let Action::Call(call) = &record.action else { return false };
        let mut copies = self.work.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.is_known_call_else_remember(self.file.agent, record, call)
    }

    /// Returns whether the record is a call or another event that hooks are run on, or a result that
    /// their rules may note.
    fn is_replayable_record(&self, record: &TranscriptRecord<'_>) -> bool {
        match record.action {
            Action::Prompt(_) | Action::Call(_) | Action::Stop => true,
            Action::Result { .. } => self.work.needs_results,
            _ => false,
        }
    }

    /// Lets rules note the result of a call in its session. Nothing else comes of it (SS-24).
    fn note_result(&mut self, record: &TranscriptRecord<'_>, call: &str) {
        let Some(called) = self.calls.remove(call) else { return };
        let Some(event) = record.event_after_call(&called) else { return };
        let id = record.session.as_deref().unwrap_or_default();
        let session = self.sessions.get_or_create_session(id, self.work.old.is_some());
        self.runtime.block_on(self.work.new.judge(event.clone(), &session.new));
        if let Some((old, session)) = self.work.old.as_ref().zip(session.old.as_ref()) {
            self.runtime.block_on(old.judge(event, session));
        }
    }

    /// Remembers a call until its result, if that matters.
    fn remember_call(&mut self, record: &TranscriptRecord<'_>, event: &Event) {
        let Action::Call(call) = &record.action else { return };
        if self.work.needs_results {
            if self.calls.len() >= MOST_OPEN_CALLS {
                self.calls.clear();
            }
            self.calls.insert(call.id.clone().into_owned(), event.clone());
        }
    }

    fn replay_record(&mut self, record: &TranscriptRecord<'_>, is_copy: bool, tally: &mut Tally) {
        if let Action::Result { call, .. } = &record.action {
            return self.note_result(record, call);
        }
        if is_copy {
            tally.copied += 1;
            return;
        }
        if let Action::Call(call) = &record.action {
            if call.kind == Kind::Script {
                tally.count_unjudged_event("a script of code mode: its calls are asked about, those that were denied are not recorded");
                return;
            }
            tally.calls += 1;
        }
        let around = self.file.event_context(&self.work.home);
        let Some(event) = record.event(self.file.agent, &around) else { return };
        if let Some(why) = missing_call_data(&event) {
            tally.count_unjudged_event(why);
        }
        let id = record.session.as_deref().unwrap_or_default();
        let session = self.sessions.get_or_create_session(id, self.work.old.is_some());
        let Judged { mut outcome, mut not_replayed } =
            self.runtime.block_on(self.work.new.judge(event.clone(), &session.new));
        if let Some(scripts) = &self.work.scripts {
            let run = scripts.run_and_merge_scripts(&event, &mut outcome, &mut not_replayed);
            if self.runtime.block_on(run) {
                tally.count_unjudged_event("a script failed, perhaps because of the sandbox");
            }
        }
        self.remember_call(record, &event);
        let old = self.work.old.as_ref().zip(session.old.as_ref());
        let old = old
            .map(|(old, session)| self.runtime.block_on(old.judge(event.clone(), session)).outcome);
        if let Some(all) = &self.work.page {
            let asked = Asked {
                record,
                agent: self.file.agent,
                file: &self.file.path,
                number: self.number,
                event: &event,
                outcome: &outcome,
                old: old.as_ref(),
                not_replayed: &not_replayed,
            };
            tally.rows.extend(Row::new(all, &asked, &self.work.new, &session.new));
        }
        let place = Location::new(self.number, self.file, record);
        tally.add_judged_event(&event, &outcome, old.as_ref(), &not_replayed, place);
    }
}

/// Returns which part of a call was not recorded, so that hooks see less than they originally did.
fn missing_call_data(event: &tenterhook::Event) -> Option<&'static str> {
    let call = event.tool()?;
    match call.name {
        "invalid" => Some("OpenCode does not keep what an unknown tool was given"),
        _ if !call.input.is_object() => Some("its input is no object"),
        _ => None,
    }
}
