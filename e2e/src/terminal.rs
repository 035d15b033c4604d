//! `cargo e2e terminal`: is the agent's interactive face what a person wants in front of them? Plays it in tmux: types,
//! reads the screen, interrupts, resizes, ends it every way. `--bless` writes the screens of `docs/screens` anew; words that
//! follow choose the plays whose names hold them.

mod asking;
mod faces;
pub(crate) mod fixture;
mod leaving;
mod looks;
mod prompts;
mod screens;
mod tour;
mod turn_end;
mod working;

use std::path::PathBuf;
use std::time::Instant;

use tenterhook_testkit::at_once;

use crate::{Report, tree};
use fixture::Fixture;

/// How many play at once: they mostly wait.
const AT_ONCE: usize = 4;

/// One play: what must be seen, and how it is made to be.
pub(crate) type Play = (&'static str, fn(&Stage) -> Result<(), String>);

/// What every play is given.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The agent.
    program: PathBuf,
    /// Whether the screens are written anew.
    bless: bool,
}

impl Stage {
    /// A home and a project with these hooks, and a model that plays this script.
    fn fixture(&self, hooks: &str, script: &str) -> Result<Fixture, String> {
        Fixture::new(&self.program, hooks, script)
    }
}

pub(crate) fn run(args: &[&str]) -> Report {
    tree::build("tenterhook-agent")?;
    tree::build("tenterhook-cli")?;
    let bless = args.contains(&"--bless");
    let chosen: Vec<&&str> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let stage = Stage { program: tree::root().join("target/debug/tenterhook-agent"), bless };
    let plays = [
        prompts::PLAYS,
        asking::PLAYS,
        working::PLAYS,
        leaving::PLAYS,
        looks::PLAYS,
        faces::PLAYS,
        tour::PLAYS,
        turn_end::PLAYS,
    ];
    let plays = plays.concat().into_iter();
    let plays = plays
        .filter(|(name, _)| chosen.is_empty() || chosen.iter().any(|text| name.contains(**text)));
    let plays: Vec<Play> = plays.collect();
    let results = at_once::each(&plays, AT_ONCE, |_, (name, play)| {
        let began = Instant::now();
        let done = play(&stage);
        let took = began.elapsed().as_secs_f64();
        match done {
            Ok(()) => (true, format!("ok      {name} ({took:.1} s)\n")),
            Err(why) => (false, format!("FAILED  {name} ({took:.1} s)\n{why}\n")),
        }
    });
    // What fails stands last: that is what is read of a long run.
    let (passed, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(|(holds, _)| *holds);
    let text: String = passed.iter().chain(&failed).map(|(_, text)| text.as_str()).collect();
    let said = format!("{text}{} plays hold, {} fail\n", passed.len(), failed.len());
    Ok((said, failed.is_empty() && !passed.is_empty()))
}

/// Fails with these words unless `holds`.
fn must(holds: bool, words: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(words()) }
}
