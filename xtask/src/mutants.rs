//! `cargo xtask mutants [ROOM...] [--shard K/N] [--trusted]`: does a test notice when a line of the contract is changed? Runs `cargo-mutants`
//! over the rooms that decide, each against the tests that guard it, and prints what no test noticed. Writes no test, and judges no
//! mutant: what remains, and why, stands in `docs/design/mutants.md`.
//!
//! The changed code lies in a copy of the tree, and is built where the last one was, so that a mutant costs what changed. The tests inside of
//! the library are asked first; the programs beside it that guard the room are run where they notice nothing.

mod copy;
mod rooms;

use std::path::Path;
use std::process::Command;

use crate::{Said, shard, tree};
use rooms::{ROOMS, Room};

/// The crates whose tests guard a room.
const TESTED: &[&str] = &["tenterhook-core", "tenterhook"];
/// Seconds that the tests of one mutant may take: several times what they need. One that never ends has been noticed.
const PATIENCE: &str = "150";
/// Seconds that one mutant may be compiled for. The first pays for the crates below it.
const BUILDING: &str = "1200";
/// Cases of each property: a mutant that few inputs tell is worth a case of its own.
const INPUTS: (&str, &str) = ("PROPTEST_CASES", "64");
/// The share of viable mutants that has to be noticed, in percent.
const ENOUGH: usize = 90;

/// What is asked for.
struct Asked<'a> {
    rooms: Vec<&'a str>,
    shard: (usize, usize),
    /// Whether the tests are known to pass, so that they are not run on what is unchanged.
    trusted: bool,
}

pub(crate) fn run(args: &[&str]) -> Said {
    let asked = read(args)?;
    let rooms = chosen(&asked)?;
    let mut said = format!(
        "{:<8} {:>6} {:>7} {:>7} {:>9} {:>9} {:>8}\n",
        "room", "share", "caught", "missed", "time-outs", "unviable", "noticed"
    );
    let (mut holds, mut remain) = (true, String::new());
    for room in rooms {
        let found = change(room, &asked)?;
        holds &= found.is_enough();
        said.push_str(&found.row(room, asked.shard));
        remain.push_str(&found.missed);
    }
    Ok((said + &remain, holds))
}

fn read<'a>(args: &[&'a str]) -> Result<Asked<'a>, String> {
    let mut asked = Asked { rooms: Vec::new(), shard: (1, 1), trusted: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--shard" => {
                let value = args.next().ok_or_else(|| format!("`{arg}` needs a value"))?;
                asked.shard = shard::read(value)?;
            }
            "--trusted" => asked.trusted = true,
            other if other.starts_with('-') => {
                return Err(format!("`{other}` is not an option of `mutants`"));
            }
            room => asked.rooms.push(room),
        }
    }
    Ok(asked)
}

fn chosen(asked: &Asked<'_>) -> Result<Vec<&'static Room>, String> {
    let is_known = |name: &&&str| ROOMS.iter().any(|room| room.name == **name);
    if let Some(unknown) = asked.rooms.iter().find(|text| !is_known(text)) {
        let all: Vec<&str> = ROOMS.iter().map(|fixture| fixture.name).collect();
        return Err(format!("`{unknown}` is not a room: there are {}", all.join(", ")));
    }
    let is_meant = |fixture: &&Room| asked.rooms.is_empty() || asked.rooms.contains(&fixture.name);
    Ok(ROOMS.iter().filter(is_meant).collect())
}

/// Has each mutant of a room's share tested; what came of it.
fn change(room: &Room, asked: &Asked<'_>) -> Result<Found, String> {
    let place = tree::root().join("target/mutants");
    copy::refresh(&tree::root(), &place.join("tree"))?;
    let out = place.join(room.name);
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let (k, n) = asked.shard;
    let mut command = Command::new(env!("CARGO"));
    command.args(["mutants", "--in-place", "--package", room.package, "--all-features"]);
    command.args(TESTED.iter().flat_map(|package| ["--test-package", package]));
    command.args(["--timeout", PATIENCE, "--build-timeout", BUILDING]);
    // Neighbours are alike: of a share each file has its part. `cargo-mutants` counts from nought.
    command.args(["--sharding", "round-robin", "--shard", &format!("{}/{n}", k - 1)]);
    command.args(["--baseline", if asked.trusted { "skip" } else { "run" }]);
    command.arg("--output").arg(&out);
    command.args(room.files.iter().flat_map(|file| ["--file".to_owned(), room.path(file)]));
    command.arg("--cargo-arg=--lib");
    command.args(room.programs.iter().map(|program| format!("--cargo-arg=--test={program}")));
    command.args(["--", "--"]).args(room.tests);
    command.current_dir(place.join("tree")).env(INPUTS.0, INPUTS.1);
    command.env("CARGO_TARGET_DIR", place.join("built")).env("CARGO_INCREMENTAL", "1");
    let status = command.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    // 2 and 3 say that mutants were missed, or took too long; all else that nothing can be said of them.
    match status.code() {
        Some(0 | 2 | 3) => Found::read(&out.join("mutants.out")),
        _ => Err(format!("`cargo mutants` came to nothing in room `{}`: {status}", room.name)),
    }
}

/// What came of the mutants of one room: a line each.
struct Found {
    caught: String,
    endless: String,
    unviable: String,
    missed: String,
}

impl Found {
    fn read(out: &Path) -> Result<Self, String> {
        let text = |name: &str| -> Result<String, String> {
            let file = out.join(name);
            std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
        };
        Ok(Self {
            caught: text("caught.txt")?,
            endless: text("timeout.txt")?,
            unviable: text("unviable.txt")?,
            missed: text("missed.txt")?,
        })
    }

    /// How many of a hundred were noticed, of those that compile.
    fn noticed(&self) -> usize {
        let noticed = count(&self.caught) + count(&self.endless);
        (noticed * 100).checked_div(noticed + count(&self.missed)).unwrap_or(100)
    }

    fn is_enough(&self) -> bool {
        self.noticed() >= ENOUGH
    }

    fn row(&self, room: &Room, (k, n): (usize, usize)) -> String {
        let [caught, missed, endless, unviable] =
            [&self.caught, &self.missed, &self.endless, &self.unviable].map(|text| count(text));
        let (name, share, noticed) = (room.name, format!("{k}/{n}"), self.noticed());
        format!(
            "{name:<8} {share:>6} {caught:>7} {missed:>7} {endless:>9} {unviable:>9} {noticed:>6} %\n"
        )
    }
}

fn count(lines: &str) -> usize {
    lines.lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_room_is_there() {
        for room in ROOMS {
            for file in room.files {
                let plain = file.split_once("/*").map_or(*file, |(folder, _)| folder);
                let path = tree::root().join(room.path(plain));
                assert!(path.exists(), "{} is not in room `{}`", path.display(), room.name);
            }
        }
    }

    fn found(caught: usize, endless: &str, missed: &str) -> Found {
        let caught = (0..caught).map(|i| format!("c{i}\n")).collect();
        Found { caught, endless: endless.into(), unviable: "u\n".into(), missed: missed.into() }
    }

    #[test]
    fn what_never_ended_was_noticed_and_what_does_not_compile_does_not_count() {
        assert_eq!(found(8, "e\n", "a\n").noticed(), 90);
        assert!(found(8, "e\n", "a\n").is_enough() && !found(8, "", "a\n").is_enough());
        assert_eq!(found(0, "", "").noticed(), 100);
    }

    #[test]
    fn a_room_that_is_not_there_is_told() {
        let asked = |rooms| Asked { rooms, shard: (1, 1), trusted: false };
        assert!(chosen(&asked(vec!["attic"])).is_err_and(|error| error.contains("merge, verdict")));
        assert_eq!(chosen(&asked(vec!["trust"])).map(|fixtures| fixtures.len()), Ok(1));
        assert_eq!(chosen(&asked(Vec::new())).map(|fixtures| fixtures.len()), Ok(ROOMS.len()));
    }
}
