//! `test`: runs the cases of hooks and says which do not hold (`docs/spec/test.md`).

mod canaries;
mod compare;
mod copies;
mod fixture;
mod mutant;
mod mutate;
mod play;
mod record;
mod report;
mod sandboxes;
mod suite;

pub(crate) use suite::is_case_file;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenterhook_core::diagnostic::Severity;
use tenterhook_core::dialect::native::Case;

use super::print_json;
use crate::ambient::Here;
use crate::args::{Named, Test, TestFormat};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::paint::WARNING;
use crate::show::{diagnostic, layout};
use crate::term::Term;
use crate::wait::{Waited, block_on};
use crate::watch;
use compare::{Mismatch, differences};
use play::{Came, Job, World};
use suite::{At, CASE_FILE, Suite};

/// A case that was played.
#[derive(Debug)]
pub(crate) struct Played {
    job: Job,
    came: Result<Came, Problem>,
    mismatches: Vec<Mismatch>,
}

impl Played {
    fn new(job: Job, came: Result<Came, Problem>) -> Self {
        let mismatches = match &came {
            Ok(came) => differences(&job.case.expect, came),
            Err(_) => Vec::new(),
        };
        Self { job, came, mismatches }
    }

    fn has_passed(&self) -> bool {
        self.came.is_ok() && self.mismatches.is_empty()
    }
}

/// What came of all cases.
#[derive(Debug)]
struct Results {
    suites: Vec<Arc<Suite>>,
    played: Vec<Played>,
    took: Duration,
}

pub(crate) fn run(args: &Test, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(given) = &args.record {
        return record::run(given, args, here, term);
    }
    if args.watch {
        return watch::run_on_changes(
            term,
            || watched_files(args, here),
            || run_once(args, here, term),
        );
    }
    run_once(args, here, term)
}

/// Returns the files that cases depend on: hooks, their scripts, and the cases.
fn watched_files(args: &Test, here: &Here) -> BTreeSet<PathBuf> {
    let cwd = &here.roots.cwd;
    // Where nothing can be read, what was named is waited for.
    let mut watched: BTreeSet<PathBuf> = named_files(args)
        .iter()
        .map(|file| cwd.join(&file.path))
        .chain([cwd.join(CASE_FILE)])
        .collect();
    for suite in suite::find_suites(&named_files(args), here).unwrap_or_default() {
        watched.extend(suite.sources.iter().map(|source| PathBuf::from(&*source.name)));
        watched.extend(suite.copies.files.keys().map(|key| suite.project.join(key)));
    }
    watched
}

fn run_once(args: &Test, here: &Here, term: Term) -> Result<Exit, Problem> {
    if args.canaries {
        return run_canaries(args, here, term);
    }
    let suites: Vec<Arc<Suite>> =
        suite::find_suites(&named_files(args), here)?.into_iter().map(Arc::new).collect();
    let broken = print_findings(&suites, term);
    let jobs = case_jobs(&suites, args.only.as_deref());
    if jobs.is_empty() && !broken {
        return Err(no_cases_problem(args, &suites));
    }
    let world = World::new(&suites, here, term);
    let began = Instant::now();
    let waited = block_on(async {
        let came = play::play_all("playing cases", jobs.clone(), &world).await;
        let played: Vec<Played> =
            jobs.into_iter().zip(came).map(|(job, came)| Played::new(job, came)).collect();
        let gates = match args.mutate && mutate::require_all_passed(&played).is_ok() {
            true => mutate::run_mutants(&suites, &played, &world).await,
            false => Vec::new(),
        };
        (played, gates)
    })?;
    let (played, gates) = match waited {
        Waited::Signal(signal) => return Ok(Exit::Cancelled(signal)),
        Waited::Done(done) => done,
    };
    let results = Results { suites, played, took: began.elapsed() };
    if args.mutate && results.played.iter().all(Played::has_passed) && !broken {
        match args.format {
            TestFormat::Json => print_json(&mutate::tested_gates_json(&gates), term)?,
            _ => term.print_data(&mutate::tested_gates_text(&gates))?,
        }
        return Ok(mutate::exit_code(&gates));
    }
    report::print_report(&results, args.format, term)?;
    if args.mutate {
        mutate::require_all_passed(&results.played)?;
    }
    let held = !broken && results.played.iter().all(Played::has_passed);
    Ok(if held { Exit::Good } else { Exit::Wrong })
}

/// Returns the files that were named, as arguments or as options.
fn named_files(args: &Test) -> Vec<Named> {
    [&*args.files, &*args.config].concat()
}

/// Fires ordinary calls at the hooks, and reports those that are denied or held.
fn run_canaries(args: &Test, here: &Here, term: Term) -> Result<Exit, Problem> {
    let suite = Suite { is_local: true, ..suite::suite_without_cases(&named_files(args), here)? };
    let suite = Arc::new(suite);
    let broken = print_findings(std::slice::from_ref(&suite), term);
    let left_out = suite::count_non_local_hooks(&suite);
    let hooks = suite.ruleset.hooks().len() - left_out;
    if left_out > 0 {
        let hooks = layout::format_count(left_out, "hook");
        let text = format!("{hooks} that ask a model or a server are left out");
        term.print_labelled_note(WARNING, "warning:", &text);
    }
    if hooks == 0 {
        return Err(Problem::new("there is no hook to send the calls through")
            .with_help("name a file with hooks that run a program or a rule"));
    }
    let world = World::new(std::slice::from_ref(&suite), here, term);
    let jobs = canaries::canary_jobs(&suite);
    let came = match block_on(play::play_all("playing ordinary calls", jobs.clone(), &world))? {
        Waited::Signal(signal) => return Ok(Exit::Cancelled(signal)),
        Waited::Done(came) => came,
    };
    let stopped = canaries::stopped_calls(&jobs, came)?;
    match args.format {
        TestFormat::Json => print_json(&canaries::stopped_calls_json(&stopped, jobs.len()), term)?,
        _ => term.print_data(&canaries::stopped_calls_text(
            &stopped,
            jobs.len(),
            hooks,
            term.width(),
        ))?,
    }
    Ok(if broken { Exit::Wrong } else { canaries::exit_code(&stopped) })
}

/// Counts how many cases ran the hook at each location.
fn count_runs_per_hook(played: &[Played]) -> HashMap<&At, usize> {
    let mut runs = HashMap::new();
    for result in played {
        let ran = result.came.iter().flat_map(|came| &came.ran);
        let places: HashSet<&At> = ran.filter_map(|id| result.job.suite.places.get(id)).collect();
        for place in places {
            *runs.entry(place).or_default() += 1;
        }
    }
    runs
}

/// Creates a job for each case whose name or event contains `only`.
fn case_jobs(suites: &[Arc<Suite>], only: Option<&str>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for suite in suites {
        for case in suite.cases.iter().filter(|case| matches_filter(case, only)) {
            let case = Arc::new(case.clone());
            jobs.push(Job { suite: Arc::clone(suite), case, mutant: None });
        }
    }
    jobs
}

fn matches_filter(case: &Case, only: Option<&str>) -> bool {
    let Some(only) = only else { return true };
    let hook = case.hook.as_ref().map(|hook_id| hook_id.as_str()).unwrap_or_default();
    [&case.name, hook, &report::event_text(case)].iter().any(|text| text.contains(only))
}

/// Prints what is wrong with the files. Returns whether one of the findings is an error.
fn print_findings(suites: &[Arc<Suite>], term: Term) -> bool {
    for suite in suites {
        for diagnostic in
            suite.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
        {
            term.print_note(&diagnostic::render_diagnostic(diagnostic, &suite.texts, term.width()));
        }
    }
    suites.iter().any(|suite| suite.has_errors())
}

fn no_cases_problem(args: &Test, suites: &[Arc<Suite>]) -> Problem {
    if let Some(only) =
        args.only.as_deref().filter(|_| suites.iter().any(|suite| !suite.cases.is_empty()))
    {
        return Problem::new(format!("no case has `{only}` in its name, hook or event"));
    }
    Problem::new("no cases were found").with_help(format!(
        "write `test = [{{ event = \"Bash git push -f\", expect = \"deny\" }}]` beside a hook of a `tenterhook.toml`, or `[[case]]` into `{CASE_FILE}`"
    ))
}
