//! `cargo xtask mutants [MODULE...] [--shard K/N] [--trusted]`: does a test notice when a line of the contract is changed? Runs `cargo-mutants`
//! over the modules that decide, each against the tests that guard it, and prints what no test noticed. Writes no test, and judges no
//! mutant: what remains, and why, stands in `docs/design/mutants.md`.
//!
//! The changed code lies in a copy of the tree, and is built where the last one was, so that a mutant costs what changed. The tests inside of
//! the library are asked first; the programs beside it that guard the module are run if those notice nothing.

mod copy;
mod modules;

use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::{Report, shard, tree};
use modules::{MODULES, Module};

/// The crates whose tests guard a module.
const TESTED: &[&str] = &["tenterhook-core", "tenterhook"];
/// Seconds that the tests of one mutant may take: several times what they need. One that never ends has been noticed.
const PATIENCE: &str = "150";
/// Seconds that one mutant may be compiled for. The first pays for the crates below it.
const BUILDING: &str = "1200";
/// Cases of each property: a mutant that only few inputs reveal deserves its own test.
const INPUTS: (&str, &str) = ("PROPTEST_CASES", "64");
/// The share of viable mutants that has to be noticed, in percent.
const ENOUGH: usize = 90;

/// The parsed arguments.
struct Arguments<'a> {
    modules: Vec<&'a str>,
    shard: (usize, usize),
    /// Whether the tests are known to pass, so that they are not run on what is unchanged.
    trusted: bool,
}

pub(crate) fn run(args: &[&str]) -> Report {
    let arguments = read(args)?;
    let modules = chosen(&arguments)?;
    let mut report = format!(
        "{:<8} {:>6} {:>7} {:>7} {:>9} {:>9} {:>8}\n",
        "module", "share", "caught", "missed", "timeouts", "unviable", "noticed"
    );
    let (mut holds, mut remain) = (true, String::new());
    for module in modules {
        let found = change(module, &arguments)?;
        holds &= found.is_enough();
        report.push_str(&found.row(module, arguments.shard));
        remain.push_str(&found.missed);
    }
    Ok((report + &remain, holds))
}

fn read<'a>(args: &[&'a str]) -> Result<Arguments<'a>, Error> {
    let mut arguments = Arguments { modules: Vec::new(), shard: (1, 1), trusted: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--shard" => {
                let value =
                    args.next().ok_or_else(|| Error::Usage(format!("`{arg}` needs a value")))?;
                arguments.shard = shard::read(value)?;
            }
            "--trusted" => arguments.trusted = true,
            other if other.starts_with('-') => {
                return Err(Error::Usage(format!("`{other}` is not an option of `mutants`")));
            }
            module => arguments.modules.push(module),
        }
    }
    Ok(arguments)
}

fn chosen(arguments: &Arguments<'_>) -> Result<Vec<&'static Module>, Error> {
    let is_known = |name: &&&str| MODULES.iter().any(|module| module.name == **name);
    if let Some(unknown) = arguments.modules.iter().find(|text| !is_known(text)) {
        let all: Vec<&str> = MODULES.iter().map(|module| module.name).collect();
        return Err(Error::Usage(format!(
            "`{unknown}` is not a module: there are {}",
            all.join(", ")
        )));
    }
    let is_selected =
        |module: &&Module| arguments.modules.is_empty() || arguments.modules.contains(&module.name);
    Ok(MODULES.iter().filter(is_selected).collect())
}

/// Tests each mutant of this shard of a module, and returns the result.
fn change(module: &Module, arguments: &Arguments<'_>) -> Result<Found, Error> {
    let scratch_dir = tree::root().join("target/mutants");
    copy::refresh(&tree::root(), &scratch_dir.join("tree"))?;
    let out = scratch_dir.join(module.name);
    std::fs::create_dir_all(&out).map_err(Error::file(&out))?;
    let (k, n) = arguments.shard;
    let mut command = Command::new(env!("CARGO"));
    command.args(["mutants", "--in-place", "--package", module.package, "--all-features"]);
    command.args(TESTED.iter().flat_map(|package| ["--test-package", package]));
    command.args(["--timeout", PATIENCE, "--build-timeout", BUILDING]);
    // Neighbours are alike: of a share each file has its part. `cargo-mutants` counts from nought.
    command.args(["--sharding", "round-robin", "--shard", &format!("{}/{n}", k - 1)]);
    command.args(["--baseline", if arguments.trusted { "skip" } else { "run" }]);
    command.arg("--output").arg(&out);
    command.args(module.files.iter().flat_map(|file| ["--file".to_owned(), module.path(file)]));
    command.arg("--cargo-arg=--lib");
    command.args(module.programs.iter().map(|program| format!("--cargo-arg=--test={program}")));
    command.args(["--", "--"]).args(module.tests);
    command.current_dir(scratch_dir.join("tree")).env(INPUTS.0, INPUTS.1);
    command.env("CARGO_TARGET_DIR", scratch_dir.join("built")).env("CARGO_INCREMENTAL", "1");
    let status = command.status().map_err(Error::spawn("cargo"))?;
    // 2 and 3: mutants were missed or took too long. Any other code: the run itself failed.
    match status.code() {
        Some(0 | 2 | 3) => Found::read(&out.join("mutants.out")),
        _ => Err(Error::Invalid(format!(
            "`cargo mutants` failed in module `{}`: {status}",
            module.name
        ))),
    }
}

/// The result for the mutants of one module: one line for each mutant.
struct Found {
    caught: String,
    endless: String,
    unviable: String,
    missed: String,
}

impl Found {
    fn read(out: &Path) -> Result<Self, Error> {
        let text = |name: &str| -> Result<String, Error> {
            let file = out.join(name);
            std::fs::read_to_string(&file).map_err(Error::file(&file))
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

    fn row(&self, module: &Module, (k, n): (usize, usize)) -> String {
        let [caught, missed, endless, unviable] =
            [&self.caught, &self.missed, &self.endless, &self.unviable].map(|text| count(text));
        let (name, share, noticed) = (module.name, format!("{k}/{n}"), self.noticed());
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
    fn every_file_of_a_module_exists() {
        for module in MODULES {
            for file in module.files {
                let plain = file.split_once("/*").map_or(*file, |(folder, _)| folder);
                let path = tree::root().join(module.path(plain));
                assert!(path.exists(), "{} is not in module `{}`", path.display(), module.name);
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
    fn unknown_module_is_refused_with_the_list() {
        let arguments = |modules| Arguments { modules, shard: (1, 1), trusted: false };
        assert!(
            chosen(&arguments(vec!["attic"]))
                .is_err_and(|error| error.to_string().contains("merge, verdict"))
        );
        assert_eq!(chosen(&arguments(vec!["trust"])).map(|modules| modules.len()).ok(), Some(1));
        assert_eq!(
            chosen(&arguments(Vec::new())).map(|modules| modules.len()).ok(),
            Some(MODULES.len())
        );
    }
}
