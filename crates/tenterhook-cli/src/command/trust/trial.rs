//! `trust try`: what do hooks of a repository ask for, when they run once? Approves nothing, and runs nothing outside of a sandbox.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenterhook::executor::Ambient;
use tenterhook::trust::{Origin, Trust};
use tenterhook::{Engine, Event, Session};
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Arming, Command, Hook, Run, Sandbox, Wait};
use tenterhook_core::outcome::Outcome;
use tenterhook_process::{Tier, available_sandbox_means};

use crate::ambient::Here;
use crate::command::sample;
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::person;
use crate::problem::Problem;
use crate::scratch::Scratch;
use crate::show::layout::{format_duration, wrap_text};
use crate::show::paint::{BOLD, paint};
use crate::term::Term;
use crate::wait::{Waited, block_on};

/// How long one hook has, whatever it asks for.
const LONGEST: Duration = Duration::from_secs(30);

/// Indent of a line about a hook: the width of the line number before it.
const INDENT: usize = 8;

/// Tools that hooks are about, with an input of each: the first that a hook is for is the one it is asked about.
const CALLS: &[(&str, &str)] = &[
    ("Bash", r#"{"command": "git status"}"#),
    ("Write", r#"{"file_path": "notes.md", "content": "text"}"#),
    ("Edit", r#"{"file_path": "notes.md", "old_string": "a", "new_string": "b"}"#),
    ("Read", r#"{"file_path": "notes.md"}"#),
    ("WebFetch", r#"{"url": "https://example.com", "prompt": "read it"}"#),
];

pub(super) fn run(named: &[PathBuf], here: &Here, term: Term) -> Result<Exit, Problem> {
    person::require_no_calling_agent("tenterhook trust", here)?;
    require_sandbox()?;
    let scratch = Scratch::create_or_warn(&here.state, term);
    let mut asks = false;
    let mut tried = 0;
    for source in sources_to_try(named, here)? {
        let hooks = program_hooks(&source);
        if hooks.is_empty() {
            continue;
        }
        tried += hooks.len();
        let shown = shorten_path(&source.name, &here.roots);
        let mut page = format!("{}\n", paint(BOLD, &shown));
        for hook in hooks {
            let outcome = term
                .run_with_progress("trying the hooks", || fire_confined(&hook, &scratch, here))?;
            asks |= push_result(&hook, &outcome, term.width(), &mut page);
        }
        term.print_data(&page)?;
    }
    // The trial has no session whose files could be read later.
    scratch.discard();
    if tried == 0 {
        term.print_note("no programs came with this project");
    }
    Ok(if asks { Exit::Wrong } else { Exit::Good })
}

/// Returns an error if this machine cannot create a sandbox.
pub(in crate::command) fn require_sandbox() -> Result<(), Problem> {
    if available_sandbox_means().highest_tier() < Tier::T1 {
        return Err(Problem::new("this machine has no sandbox, and hooks are tried only in one")
            .with_help("`tenterhook doctor` says what is missing"));
    }
    Ok(())
}

/// Returns the named sources, or all that came with the repository.
fn sources_to_try(named: &[PathBuf], here: &Here) -> Result<Vec<Source>, Problem> {
    let found = here.trust_store().find(&here.roots).sources;
    if named.is_empty() {
        let came = found.into_iter().filter(|source| Trust::origin(source) == Origin::Repository);
        return Ok(came.collect());
    }
    named.iter().map(|name| super::find_named_source(name, &found, here).cloned()).collect()
}

/// Returns the hooks of a source that start a program for each event.
fn program_hooks(source: &Source) -> Vec<Hook> {
    let (engine, _) = Engine::builder().source(source.clone()).trust_repositories_unasked().build();
    let starts = |hook: &&Arc<Hook>| {
        hook.arming == Arming::Armed && matches!(hook.run, Run::Command(Command { .. }))
    };
    engine.ruleset().hooks().iter().filter(starts).map(|hook| Hook::clone(hook)).collect()
}

/// Fires an event at one hook, with the sandbox `standard`: the grants of its entry are not
/// approved.
pub(super) fn fire_confined(
    hook: &Hook,
    scratch: &Scratch,
    here: &Here,
) -> Result<Outcome, Problem> {
    let mut hook = hook.clone();
    (hook.sandbox, hook.wait) = (Sandbox::standard(), Wait::default());
    // Its output could put a secret on the page and into the logs of the caller.
    if let Run::Command(command) = &mut hook.run {
        command.pass.clear();
    }
    let mut ambient = Ambient::default().env(here.env.clone());
    ambient.scratch = scratch.path().map(std::path::Path::to_owned);
    ambient.explains_denials = true;
    let events = trial_events(&hook, here);
    let (engine, _) = Engine::builder().ambient(ambient).hook(hook).build();
    let work = async {
        let session = Session::of_one_event();
        let mut last = Outcome::without_answer();
        for event in events {
            last = engine.fire_within(event, &session, Some(LONGEST)).await;
            session.drain_into(&mut last).await;
            if !last.steps.is_empty() {
                break;
            }
        }
        last
    };
    match block_on(work)? {
        Waited::Done(outcome) => Ok(outcome),
        Waited::Signal(_) => Err(Problem::new("the trial was interrupted")),
    }
}

/// Returns events that make a hook run. One of them is usually what the hook is meant for.
fn trial_events(hook: &Hook, here: &Here) -> Vec<Event> {
    let within = Surroundings {
        session_id: "trial".to_owned(),
        cwd: here.roots.cwd.clone(),
        project: here.roots.repository.clone().unwrap_or_else(|| here.roots.cwd.clone()),
        home: here.roots.home.clone(),
        ..Surroundings::default()
    };
    let rows = hook.dialect.dialect().event_rows();
    let row = rows.iter().find(|row| *row.event == *hook.event.as_str());
    let Some(row) = row else { return vec![Event::new(hook.event.clone(), within)] };
    let event = sample::sample_event(row, hook.dialect, within);
    if !event.payload.contains_key("tool_name") {
        return vec![event];
    }
    let about = |(tool, input): &(&str, &str)| {
        let input = serde_json::from_str(input).unwrap_or_else(|_| json!({}));
        event.clone().with("tool_name", *tool).with("tool_input", input)
    };
    CALLS.iter().map(about).collect()
}

/// Appends the result to the page. Returns whether the hook requested more than its sandbox grants.
fn push_result(hook: &Hook, outcome: &Outcome, width: usize, page: &mut String) -> bool {
    let line = hook.place.as_ref().map_or(0, |location| location.line);
    let refused: Vec<&str> = outcome
        .faults
        .iter()
        .filter(|fault| fault.code == Code::SandboxRefused)
        .map(|fault| &*fault.message)
        .collect();
    let ended = match outcome.steps.first() {
        None => "was not tried: no event that is made up here is one that it is for".to_owned(),
        Some(step) => {
            let tier = step.tier.map_or("", |tier| tier.as_str());
            let asks = if refused.is_empty() { "nothing more" } else { "more" };
            format!(
                "{} in {} ({tier}): it asked for {asks}",
                step.ended,
                format_duration(step.took)
            )
        }
    };
    let head = format!("{} {}: {ended}", hook.event_label(), hook.short_name());
    let mut lead = format!("{line:>6}");
    for row in wrap_text(&head, width.saturating_sub(INDENT)) {
        page.push_str(&format!("{lead}  {row}\n"));
        lead = " ".repeat(6);
    }
    let passed = match &hook.run {
        Run::Command(command) => command.pass.as_slice(),
        _ => &[],
    };
    let kept =
        passed.iter().map(|text| format!("it was not handed `{text}`, which its entry passes"));
    for text in kept.chain(refused.iter().map(|text| (*text).to_owned())) {
        let rows = wrap_text(&text, width.saturating_sub(INDENT + 2));
        rows.iter().for_each(|row| page.push_str(&format!("{:INDENT$}  {row}\n", "")));
    }
    !refused.is_empty()
}
