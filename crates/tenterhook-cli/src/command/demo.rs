//! `demo`: a recorded agent session, played through the example hooks. Offline; changes nothing.

mod files;
mod timeline;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tenterhook::discover;
use tenterhook::executor::Ambient;
use tenterhook::session::Session;
use tenterhook::{Engine, Event, Outcome};
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::plan;

use super::input;
use crate::ambient::Here;
use crate::args::Demo;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout::{format_count, format_duration, wrap_indented, wrap_text};
use crate::show::paint::{BOLD, DIM, HELP, paint};
use crate::term::Term;
use crate::wait::{Waited, block_on};
use files::{MIXED, PLAIN, Play, Stage};
use timeline::Scene;

pub(crate) fn run(args: &Demo, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(directory) = &args.write {
        return write_examples(directory, here, term);
    }
    let acts: &[&Play] = match (args.mixed, &args.from) {
        (true, _) => &[&MIXED],
        // A directory of one's own holds one session.
        (false, Some(_)) => &[&PLAIN],
        (false, None) => &[&PLAIN, &MIXED],
    };
    for (at, act) in acts.iter().enumerate() {
        if at > 0 {
            term.print_data("\n\n")?;
        }
        if let exit @ Exit::Cancelled(_) = run_play(act, args.from.as_deref(), here, term)? {
            return Ok(exit);
        }
    }
    Ok(Exit::Good)
}

/// Writes the examples into a new directory, for the user to try.
fn write_examples(directory: &Path, here: &Here, term: Term) -> Result<Exit, Problem> {
    let root = here.roots.cwd.join(directory);
    let shown = directory.display();
    if fs::read_dir(&root).map_or(root.exists(), |mut entries| entries.next().is_some()) {
        return Err(Problem::new(format!("`{shown}` already exists and is not empty"))
            .with_help("name a new directory"));
    }
    for (play, below) in [(&PLAIN, ""), (&MIXED, "mixed")] {
        play.write_files(&root.join(below))
            .map_err(|error| Problem::new(format!("`{shown}` cannot be written: {error}")))?;
    }
    term.print_data(&format!("wrote the examples to {shown}\n\n"))?;
    let next = [
        format!("cd {shown}"),
        "tenterhook test tenterhook.toml".to_owned(),
        "tenterhook explain --config tenterhook.toml Bash 'sudo git push -f'".to_owned(),
        "tenterhook demo --from .".to_owned(),
    ];
    let next: String = next.iter().map(|text| format!("  {}\n", paint(BOLD, text))).collect();
    term.print_data(&next)?;
    Ok(Exit::Good)
}

fn run_play(act: &Play, from: Option<&Path>, here: &Here, term: Term) -> Result<Exit, Problem> {
    let stage = Stage::find_or_copy_directory(act, from, &here.roots.cwd)?;
    let roots = Roots { cwd: stage.root.clone(), repository: None, ..here.roots.clone() };
    let events = recorded_events(act, &roots)?;
    let scratch = tempfile::tempdir()
        .map_err(|error| Problem::new(format!("no temporary directory can be made: {error}")))?;
    let ambient = Ambient::default().env(here.env.clone()).scratch(scratch.path());
    let engine = build_engine(act, &roots, ambient, term)?;
    let hooks = format_count(engine.ruleset().hooks().len(), "hook");
    let title = act.title.replace("{hooks}", &hooks).replace("{place}", &stage.name);
    for line in wrap_text(&title, term.width()) {
        term.print_data(&format!("{}\n", paint(BOLD, line)))?;
    }
    term.print_data("\n")?;
    match block_on(fire_events(&engine, &events, term))? {
        Waited::Signal(signal) => Ok(Exit::Cancelled(signal)),
        Waited::Done(played) => {
            term.print_data(&closing_text(&played?, act, &stage.name, term.width()))?;
            Ok(Exit::Good)
        }
    }
}

fn build_engine(
    play: &Play,
    roots: &Roots,
    ambient: Ambient,
    term: Term,
) -> Result<Engine, Problem> {
    let mut builder = Engine::builder().ambient(ambient);
    for config in play.configs {
        let source = discover::given(&roots.cwd.join(config), None, DialectId::CLAUDE, roots)
            .map_err(|error| Problem { message: error.message, help: error.help })?;
        builder = builder.source(source);
    }
    let (engine, diagnostics) = builder.build();
    for diagnostic in diagnostics {
        let place = diagnostic.place.map(|location| format!("{location}: ")).unwrap_or_default();
        term.print_note(&format!("{place}{}: {}", diagnostic.severity, diagnostic.message));
    }
    Ok(engine)
}

/// Returns the recorded events, with the paths of the recording replaced by those of the examples.
fn recorded_events(play: &Play, roots: &Roots) -> Result<Vec<Event>, Problem> {
    let path = roots.cwd.join(play.session);
    let text = fs::read_to_string(&path).map_err(|error| {
        Problem::new(format!("the session `{}` cannot be read: {error}", path.display()))
    })?;
    let text = text
        .replace("{project}", &escape_for_json(&roots.cwd))
        .replace("{home}", &escape_for_json(&roots.home));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| Ok(input::decode_event(line.as_bytes(), DialectId::CLAUDE, roots)?.event))
        .collect()
}

/// Escapes a path for the inside of a JSON string.
fn escape_for_json(path: &Path) -> String {
    let quoted = serde_json::Value::from(path.to_string_lossy()).to_string();
    quoted.trim_matches('"').to_owned()
}

/// What came of the whole play.
#[derive(Debug, Default)]
struct Played {
    events: usize,
    runs: usize,
    blocked: usize,
    asked: usize,
    took: Duration,
}

async fn fire_events(engine: &Engine, events: &[Event], term: Term) -> Result<Played, Problem> {
    let session = Session::of_a_waiting_host();
    let ruleset = engine.ruleset();
    let began = Instant::now();
    let mut played = Played::default();
    for event in events {
        let at = began.elapsed();
        let plan = plan::explain(&ruleset, &session.view(&event.name), event);
        let mut outcome = engine.fire(event.clone(), &session).await;
        session.drain_into(&mut outcome).await;
        played.count_outcome(&outcome);
        let scene = Scene { at, event, plan: &plan, outcome: &outcome };
        term.print_data(&timeline::draw_event(&scene, &ruleset, term.width()))?;
    }
    played.took = began.elapsed();
    Ok(played)
}

impl Played {
    fn count_outcome(&mut self, outcome: &Outcome) {
        self.events += 1;
        self.runs += outcome.steps.iter().filter(|step| step.ended.was_attempted()).count();
        self.blocked += usize::from(outcome.restraint == Restraint::Deny);
        self.asked += usize::from(outcome.restraint == Restraint::Ask);
    }
}

fn closing_text(played: &Played, play: &Play, place: &str, columns: usize) -> String {
    let Played { events, runs, blocked, asked, took } = played;
    let sum = wrap_indented(
        &format!(
            "{}, {}, {blocked} blocked, {asked} asked first, in {}",
            format_count(*events, "event"),
            format_count(*runs, "hook run"),
            format_duration(*took)
        ),
        columns,
    );
    let mut out = format!("\n{}\n\n", paint(BOLD, sum));
    let hint = format!("Change a hook of {place} and play again, or ask why a hook runs:");
    for line in wrap_text(&hint, columns) {
        out.push_str(&format!("{}\n", paint(HELP, line)));
    }
    for (at, line) in wrap_text(play.next, columns.saturating_sub(4)).iter().enumerate() {
        let indent = if at == 0 { "  " } else { "    " };
        out.push_str(&format!("{}\n", paint(DIM, format!("{indent}{line}"))));
    }
    out
}
