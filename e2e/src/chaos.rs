//! `cargo e2e chaos [NUMBER...]`: does the engine keep its promises whatever a hook does?
//!
//! Each row is a hook that misbehaves in one way, fired by the command line, once in each cell: held by nothing but its supervision
//! (`none`), by Landlock and the filter of system calls (`L`), by namespaces and that filter on a machine without Landlock (`N`), and by all of them (`LN`). Required are the right outcome, in time, no process that outlives
//! it, one record, and an engine that has not grown. A row that cannot be played on this machine says why; a means of confinement that
//! the machine has and that was not tried is a failure of the play.

mod judge;
mod look;
mod plays;
mod row;
mod rows;
mod scene;
mod table;

use std::time::{Duration, Instant};

use tenterhook_testkit::at_once;

use judge::Pace;
use row::{Cell, Row};
use scene::Programs;
use table::{Line, Means};

use crate::{Report, tree};

const USAGE: &str = "usage: cargo e2e chaos [NUMBER | NAME...] [--times N] [--jobs N]";

/// What was asked.
struct Options {
    only: Vec<String>,
    times: usize,
    jobs: usize,
}

impl Options {
    fn read(args: &[&str]) -> Result<Self, String> {
        let mut options = Self { only: Vec::new(), times: 1, jobs: 4 };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut number = || {
                let value = args.next().and_then(|arg| arg.parse().ok()).filter(|arg| *arg > 0);
                value.ok_or(format!("`{word}` needs a number\n{USAGE}"))
            };
            match *word {
                "--times" => options.times = number()?,
                "--jobs" => options.jobs = number()?,
                name => options.only.push(name.to_owned()),
            }
        }
        let known = |text: &&String| !rows::all().any(|row| is_called(row, text));
        match options.only.iter().find(known) {
            Some(name) => Err(format!("`{name}` is no row\n{USAGE}")),
            None => Ok(options),
        }
    }

    fn wants(&self, row: &Row) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| is_called(row, text))
    }
}

fn is_called(row: &Row, name: &str) -> bool {
    row.name == name || row.number.to_string() == name
}

pub(crate) fn run(args: &[&str]) -> Report {
    let options = Options::read(args)?;
    tree::build("tenterhook-cli")?;
    tree::build("tenterhook-agent")?;
    let program = tree::root().join("target/debug/tenterhook");
    let agent = tree::root().join("target/debug/tenterhook-agent");
    let fakehook = tenterhook_testkit::fakehook();
    let room = Programs::new(&[
        (&program, "tenterhook"),
        (&agent, "tenterhook-agent"),
        (fakehook, "fakehook"),
    ]);
    let room = room.map_err(|error| format!("no room for it: {error}"))?;
    let began = Instant::now();
    let means = Means::ask(&program)?;
    let pace = pace(&room)?;
    let wanted: Vec<(Row, Cell)> = rows::all()
        .filter(|row| options.wants(row))
        .flat_map(|row| row.cells.iter().map(|cell| (*row, *cell)))
        .collect();
    let turns: Vec<(Row, Cell)> =
        std::iter::repeat_n(wanted.as_slice(), options.times).flatten().copied().collect();
    let mut lines = at_once::each(&turns, options.jobs, |at, (row, cell)| {
        play(&room, at + 1, row, *cell, pace, &means)
    });
    // Beside others a play may be late for their sake. Whether it is late by itself shows when nothing is beside it.
    for (at, line) in lines.iter_mut().filter(|line| line.is_late()).enumerate() {
        *line = play(&room, turns.len() + at + 1, &line.row, line.cell, pace, &means);
    }
    let (mut said, holds) = table::print(&means, &lines, &wanted);
    said.push_str(&format!("{} s\n", began.elapsed().as_secs()));
    Ok((said, holds))
}

/// What a plain firing costs here: three, so that the first one pays for what is not in memory yet.
fn pace(room: &Programs) -> Result<Pace, String> {
    let plain = rows::all().next().ok_or("there are no rows")?;
    let scene = room.scene(0, plain, Cell::Off).map_err(|error| error.to_string())?;
    scene.configure()?;
    let mut pace = Pace::default();
    for _ in 0..3 {
        let ended = scene.fire()?;
        judge::answered(&ended, plain.required)?;
        pace.peak_kib = pace.peak_kib.max(ended.peak_kib);
        pace.slack = Duration::from_secs(5).max(ended.took * 20);
    }
    Ok(pace)
}

fn play(room: &Programs, at: usize, row: &Row, cell: Cell, pace: Pace, means: &Means) -> Line {
    let began = Instant::now();
    let seen = match means.cannot(cell) {
        Some(why) => Ok(judge::Seen::NotHere(why)),
        None => room.scene(at, row, cell).map_err(|error| error.to_string()).and_then(|scene| {
            let seen = judge::play(&scene, pace);
            scene.sweep();
            scene.remove();
            seen
        }),
    };
    Line { row: *row, cell, seen, took: began.elapsed() }
}
