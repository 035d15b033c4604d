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

    fn passed(&self) -> bool {
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
        return watch::run(term, || watched(args, here), || once(args, here, term));
    }
    once(args, here, term)
}

/// The files that cases depend on: hooks, their scripts, and the cases.
fn watched(args: &Test, here: &Here) -> BTreeSet<PathBuf> {
    let cwd = &here.roots.cwd;
    // Where nothing can be read, what was named is waited for.
    let mut watched: BTreeSet<PathBuf> =
        files(args).iter().map(|file| cwd.join(&file.path)).chain([cwd.join(CASE_FILE)]).collect();
    for suite in suite::find(&files(args), here).unwrap_or_default() {
        watched.extend(suite.sources.iter().map(|source| PathBuf::from(&*source.name)));
        watched.extend(suite.copies.files.keys().map(|key| suite.project.join(key)));
    }
    watched
}

fn once(args: &Test, here: &Here, term: Term) -> Result<Exit, Problem> {
    if args.canaries {
        return sing(args, here, term);
    }
    let suites: Vec<Arc<Suite>> =
        suite::find(&files(args), here)?.into_iter().map(Arc::new).collect();
    let broken = tell_findings(&suites, term);
    let jobs = jobs(&suites, args.only.as_deref());
    if jobs.is_empty() && !broken {
        return Err(no_cases(args, &suites));
    }
    let world = World::new(&suites, here, term);
    let began = Instant::now();
    let waited = block_on(async {
        let came = play::all("playing cases", jobs.clone(), &world).await;
        let played: Vec<Played> =
            jobs.into_iter().zip(came).map(|(job, came)| Played::new(job, came)).collect();
        let gates = match args.mutate && mutate::all_passed(&played).is_ok() {
            true => mutate::run(&suites, &played, &world).await,
            false => Vec::new(),
        };
        (played, gates)
    })?;
    let (played, gates) = match waited {
        Waited::Signal(signal) => return Ok(Exit::Cancelled(signal)),
        Waited::Done(done) => done,
    };
    let results = Results { suites, played, took: began.elapsed() };
    if args.mutate && results.played.iter().all(Played::passed) && !broken {
        match args.format {
            TestFormat::Json => print_json(&mutate::to_json(&gates), term)?,
            _ => term.data(&mutate::to_text(&gates))?,
        }
        return Ok(mutate::exit(&gates));
    }
    report::print(&results, args.format, term)?;
    if args.mutate {
        mutate::all_passed(&results.played)?;
    }
    let held = !broken && results.played.iter().all(Played::passed);
    Ok(if held { Exit::Good } else { Exit::Wrong })
}

/// The files that were named, either way.
fn files(args: &Test) -> Vec<Named> {
    [&*args.files, &*args.config].concat()
}

/// Sends ordinary calls through the hooks.
fn sing(args: &Test, here: &Here, term: Term) -> Result<Exit, Problem> {
    let suite = Suite { is_local: true, ..suite::of_hooks(&files(args), here)? };
    let suite = Arc::new(suite);
    let broken = tell_findings(std::slice::from_ref(&suite), term);
    let left_out = suite::left_out(&suite);
    let hooks = suite.ruleset.hooks().len() - left_out;
    if left_out > 0 {
        let hooks = layout::count(left_out, "hook");
        let text = format!("{hooks} that ask a model or a server are left out");
        term.note_after(WARNING, "warning:", &text);
    }
    if hooks == 0 {
        return Err(Problem::new("there is no hook to send the calls through")
            .help("name a file with hooks that run a program or a rule"));
    }
    let world = World::new(std::slice::from_ref(&suite), here, term);
    let jobs = canaries::jobs(&suite);
    let came = match block_on(play::all("playing ordinary calls", jobs.clone(), &world))? {
        Waited::Signal(signal) => return Ok(Exit::Cancelled(signal)),
        Waited::Done(came) => came,
    };
    let stopped = canaries::stopped(&jobs, came)?;
    match args.format {
        TestFormat::Json => print_json(&canaries::to_json(&stopped, jobs.len()), term)?,
        _ => term.data(&canaries::to_text(&stopped, jobs.len(), hooks, term.width()))?,
    }
    Ok(if broken { Exit::Wrong } else { canaries::exit(&stopped) })
}

/// How many cases ran the hook that stands in each place.
fn runs(played: &[Played]) -> HashMap<&At, usize> {
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

/// A job for each case, of those that have `only` in them.
fn jobs(suites: &[Arc<Suite>], only: Option<&str>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for suite in suites {
        for case in suite.cases.iter().filter(|case| has(case, only)) {
            let case = Arc::new(case.clone());
            jobs.push(Job { suite: Arc::clone(suite), case, mutant: None });
        }
    }
    jobs
}

fn has(case: &Case, only: Option<&str>) -> bool {
    let Some(only) = only else { return true };
    let hook = case.hook.as_ref().map(|hook_id| hook_id.as_str()).unwrap_or_default();
    [&case.name, hook, &report::event(case)].iter().any(|text| text.contains(only))
}

/// Says what is wrong with the files, to people; whether anything of it is an error.
fn tell_findings(suites: &[Arc<Suite>], term: Term) -> bool {
    for suite in suites {
        for diagnostic in
            suite.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
        {
            term.note(&diagnostic::render(diagnostic, &suite.texts, term.width()));
        }
    }
    suites.iter().any(|suite| suite.is_broken())
}

fn no_cases(args: &Test, suites: &[Arc<Suite>]) -> Problem {
    if let Some(only) =
        args.only.as_deref().filter(|_| suites.iter().any(|suite| !suite.cases.is_empty()))
    {
        return Problem::new(format!("no case has `{only}` in its name, hook or event"));
    }
    Problem::new("no cases were found").help(format!(
        "write `test = [{{ event = \"Bash git push -f\", expect = \"deny\" }}]` beside a hook of a `tenterhook.toml`, or `[[case]]` into `{CASE_FILE}`"
    ))
}
