//! `cargo e2e agents`: what do real agents do with the answers of their hooks, alone and with Tenterhook in front? Installs
//! pinned agents from npm or PyPI into a cache, runs each, unmodified and offline, against a scripted model, and compares the result
//! with `agents/expected.tsv`. An agent that cannot be installed is reported, and is no failure.

mod adopted;
mod background;
mod cases;
mod chains;
mod expected;
mod front;
mod gaps;
mod install;
mod later;
mod load;
mod managed;
mod options;
mod python;
mod silenced;
mod skill_lines;
mod stored;
mod switched_off;
mod yesterday;

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

use tenterhook_probe::Agent;
use tenterhook_testkit::at_once;

use crate::Report;
use cases::{Case, Column};
use expected::Table;
use options::Options;
use stored::Stored;

/// What was found in one column: cases and what became of them.
type Found = Vec<(String, String)>;

pub(crate) fn run(args: &[&str]) -> Report {
    let options = Options::read(args)?;
    // A daemon that an agent leaves behind is ours to end.
    tenterhook_process::adopt_orphans().map_err(|error| error.to_string())?;
    let (mut said, mut agents) = (String::new(), Vec::new());
    for agent in options.agents() {
        match install::installed(&agent, &options.cache) {
            Ok(program) => agents.push((agent, program)),
            Err(why) => {
                let _ = writeln!(said, "{} {} was not played: {why}", agent.title, agent.version);
            }
        }
    }
    let front = if options.columns.contains(&Column::With) {
        Some(front::Tenterhook::build()?)
    } else {
        None
    };
    let mut table = Table::read()?;
    let mut holds = true;
    for round in 1..=options.times {
        let rounds = plays(&agents, &options, front.as_ref())?;
        for ((agent, column), found) in rounds {
            let name = install::name(&agent);
            match found {
                Ok(found) if options.loaded > 0 => {
                    let (text, good) = load::judge(&name, column, &found, options.loaded);
                    holds &= good;
                    said.push_str(&text);
                }
                Ok(found) if options.bless => table.take(&name, column, &found),
                Ok(found) => {
                    let (text, good) = table.compare(&name, column, &found, options.whole);
                    holds &= good;
                    said.push_str(&text);
                }
                Err(why) => {
                    holds = false;
                    let _ = writeln!(said, "{name}, {}: {why}", column.name());
                }
            }
        }
        if options.times > 1 {
            let _ = writeln!(said, "round {round} of {}", options.times);
        }
    }
    if options.bless {
        table.write()?;
    }
    holds &= table.judge(&mut said);
    if agents.is_empty() {
        said.push_str("no agent could be played\n");
    }
    Ok((said, holds))
}

/// One agent in one column, and what came of it.
type Played = ((Agent, Column), Result<Found, String>);

/// Plays all agents in all columns, some at the same time, and says on stderr how long each took.
fn plays(
    agents: &[(Agent, std::path::PathBuf)],
    options: &Options,
    front: Option<&front::Tenterhook>,
) -> Result<Vec<Played>, String> {
    let all: Vec<_> = agents
        .iter()
        .flat_map(|(agent, program)| {
            options.columns.iter().map(move |column| (agent, program, *column))
        })
        .collect();
    let open = |folder| Stored::open(folder, front.map(front::Tenterhook::program));
    let stored = options.resume.as_deref().map(open).transpose()?;
    let _load = (options.loaded > 0).then(load::Load::start);
    Ok(at_once::each(&all, options.jobs, |_, (agent, program, column)| {
        let (column, began) = (*column, Instant::now());
        let front = front.filter(|_| column == Column::With);
        let case = Case { agent, program, column, front, options };
        let name = format!("{}, {}", install::name(agent), column.name());
        let size = if options.whole { "whole" } else { "sampled" };
        let found = match &stored {
            Some(stored) => {
                stored.find_or_play(&format!("{name}, {size}"), column, || case.play_all())
            }
            None => case.play_all(),
        };
        let _ = writeln!(std::io::stderr(), "{name}: {} s", began.elapsed().as_secs());
        ((**agent, column), found)
    }))
}
