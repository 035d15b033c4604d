//! `cargo xtask fuzz [TARGET...] [--minutes M] [--shard K/N] [--seeds DIR]`: does anything that is read from outside panic, hang or cost too
//! much? Builds the targets with the toolchain that is here, runs each for its time, and prints what it looked at. Finds no bug by itself:
//! what a target asserts stands in `fuzz/fuzz_targets`.
//!
//! What a run found worth keeping lies in `fuzz/corpus/TARGET`, and the next one begins with it.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::{Report, shard, tree};

/// The counters of a stable compiler that libFuzzer reads: all but the checks of memory, which safe code needs least.
const COUNTED: &str = "--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1 \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";
/// Longest input, in bytes. What repeats its input needs short ones.
const LONGEST: &str = "4096";
const SHORT: (&str, &str) = ("cost", "256");
/// Most seconds for one input.
const PATIENCE: &str = "-timeout=25";
/// Default time for each target, in minutes.
const MINUTES: u64 = 10;

/// The parsed arguments.
struct Arguments<'a> {
    targets: Vec<&'a str>,
    minutes: u64,
    shard: (usize, usize),
    seeds: Option<&'a Path>,
}

pub(crate) fn run(args: &[&str]) -> Report {
    let arguments = read(args)?;
    let targets = chosen(&arguments, targets()?)?;
    let programs = build()?;
    let mut table = format!("{:<12} {:>8} {:>12} {:>10}\n", "target", "seconds", "inputs", "found");
    let mut holds = true;
    for target in targets {
        let (row, is_clean) = fuzz(&programs, &target, &arguments)?;
        holds &= is_clean;
        table.push_str(&row);
    }
    Ok((table, holds))
}

fn read<'a>(args: &[&'a str]) -> Result<Arguments<'a>, Error> {
    let mut arguments =
        Arguments { targets: Vec::new(), minutes: MINUTES, shard: (1, 1), seeds: None };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value =
            || args.next().copied().ok_or_else(|| Error::Usage(format!("`{arg}` needs a value")));
        match *arg {
            "--minutes" => arguments.minutes = minutes(value()?)?,
            "--shard" => arguments.shard = shard::read(value()?)?,
            "--seeds" => arguments.seeds = Some(Path::new(value()?)),
            other if other.starts_with('-') => {
                return Err(Error::Usage(format!("`{other}` is not an option of `fuzz`")));
            }
            target => arguments.targets.push(target),
        }
    }
    Ok(arguments)
}

/// None at all is nothing to ask for: libFuzzer would run for ever.
fn minutes(text: &str) -> Result<u64, Error> {
    let minutes = text.parse::<NonZeroU64>();
    minutes
        .map(NonZeroU64::get)
        .map_err(|_| Error::Usage(format!("`{text}` is not a whole number of minutes, from 1 on")))
}

/// Every target, in order.
fn targets() -> Result<Vec<String>, Error> {
    let folder = tree::root().join("fuzz/fuzz_targets");
    let found = std::fs::read_dir(&folder).map_err(Error::file(&folder))?;
    let stem = |entry: std::fs::DirEntry| Some(entry.path().file_stem()?.to_str()?.to_owned());
    let mut all: Vec<String> = found.flatten().filter_map(stem).collect();
    all.sort();
    Ok(all)
}

fn chosen(arguments: &Arguments<'_>, all: Vec<String>) -> Result<Vec<String>, Error> {
    if let Some(unknown) =
        arguments.targets.iter().find(|target| !all.iter().any(|known| known == *target))
    {
        return Err(Error::Usage(format!(
            "`{unknown}` is not a target: there are {}",
            all.join(", ")
        )));
    }
    let is_selected =
        |text: &String| arguments.targets.is_empty() || arguments.targets.contains(&text.as_str());
    let (k, n) = arguments.shard;
    let mine = all.into_iter().filter(is_selected).enumerate().filter(|(at, _)| at % n == k - 1);
    Ok(mine.map(|(_, value)| value).collect())
}

/// What this machine is called by the compiler. A platform that is named keeps what is built for it apart from build scripts, which are
/// not counted.
fn platform() -> Result<String, Error> {
    let report = Command::new("rustc").arg("-vV").output();
    let report = report.map_err(Error::spawn("rustc"))?;
    let report = String::from_utf8_lossy(&report.stdout);
    let host = report.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Error::Invalid("rustc does not say what it builds for".to_owned()))
}

/// Builds all targets; where their programs lie.
fn build() -> Result<PathBuf, Error> {
    let folder = tree::root().join("fuzz");
    let platform = platform()?;
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked", "--bins", "--target", &platform])
        .current_dir(&folder)
        .env("RUSTFLAGS", COUNTED)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .status()
        .map_err(Error::spawn("cargo"))?;
    let programs = folder.join("target").join(&platform).join("release");
    if built.success() {
        Ok(programs)
    } else {
        Err(Error::Invalid("the targets cannot be built".to_owned()))
    }
}

/// Runs one target for its time; its row, and whether it found nothing.
fn fuzz(programs: &Path, target: &str, arguments: &Arguments<'_>) -> Result<(String, bool), Error> {
    let folder = tree::root().join("fuzz");
    let (corpus, artifacts) =
        (folder.join("corpus").join(target), folder.join("artifacts").join(target));
    for needed in [&corpus, &artifacts] {
        std::fs::create_dir_all(needed).map_err(Error::file(&needed))?;
    }
    let seconds = arguments.minutes * 60;
    let longest = if target == SHORT.0 { SHORT.1 } else { LONGEST };
    let ran = Command::new(programs.join(target))
        .args([&format!("-max_total_time={seconds}"), &format!("-max_len={longest}"), PATIENCE])
        .arg("-print_final_stats=1")
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(&corpus)
        .args(arguments.seeds)
        .output()
        .map_err(Error::spawn(target))?;
    let text = String::from_utf8_lossy(&ran.stderr);
    let inputs = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let inputs = inputs.unwrap_or("?").trim();
    let found =
        text.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, at)| at);
    let row =
        format!("{target:<12} {seconds:>8} {inputs:>12} {:>10}\n", found.unwrap_or("nothing"));
    Ok((row, ran.status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_of_one_shard() {
        let all = targets().expect("the targets");
        let arguments = |shard| Arguments { targets: Vec::new(), minutes: 1, shard, seeds: None };
        let mut sharded: Vec<String> = (1..=3)
            .flat_map(|k| chosen(&arguments((k, 3)), all.clone()).expect("a shard"))
            .collect();
        sharded.sort();
        assert_eq!(sharded, all);
    }
}
