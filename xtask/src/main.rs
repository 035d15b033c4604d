//! Chores of the repository: `cargo xtask VERB`.

mod calls;
mod conformance;
mod convert;
mod corpus;
mod dist;
mod error;
mod fuzz;
mod generate;
mod lines;
mod mutants;
mod pictures;
mod portable;
mod shard;
mod surface;
mod tidy;
mod tree;
mod watch;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::error::Error;

const USAGE: &str = "\
usage: cargo xtask VERB
  tidy          do the files of the repository keep its rules?
  gen           write the generated pages, and lower the counts of `gauges.tsv`
  surface       how many public items does the library's documentation show?
  pictures      are the pictures of the README what the program says? (`--bless` draws them anew, `--record` records Claude Code first)
  portable      does the backend of macOS do on Linux what `portable.tsv` says of it?
  conformance   fire every case through the library and the command line
  e2e           what do real agents do, alone and with Tenterhook in front? the same as `cargo e2e agents` (NAME..., `--whole`, `--times N`)
  chaos         does the engine keep its promises whatever a hook does? the same as `cargo e2e chaos` (NUMBER..., `--times N`)
  soak          does a host that fires for long hold what it held? the same as `cargo e2e soak` (`--minutes M`)
  fuzz          does anything that is read panic, hang or cost too much? (TARGET..., `--minutes M`, `--shard K/N`, `--seeds DIR`; a C++ compiler)
  mutants       does a test notice when a line of the contract is changed? (MODULE..., `--shard K/N`, `--trusted`: the tests are known to pass; `cargo-mutants`)
  dist          make what is installed without Rust: tarballs, npm packages, wheels (`--program FILE`, `--out DIR`, TARGET...)
  watch-agents  what did the newest versions of agents change about hooks? (AGENT..., `--package PATH`, `--again`, `--bless`, `--probe`; npm, pip)
  lines FILE    how many lines, or tool calls, of a list are seen, kind by kind? (`--misses KIND` lists those that are not seen as wanted)
  corpus DIR    does `check` find what is known of a directory of real configs?
  convert DIR   does `convert` give native files that select and answer as real configs do?";

/// The text that a verb prints, and whether it succeeded.
pub(crate) type Report = Result<(String, bool), Error>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done: Report = match args.as_slice() {
        ["tidy"] => tidy::run(),
        ["gen"] => generate::run(),
        ["surface"] => surface::run(),
        ["conformance"] => conformance::run(),
        ["portable"] => portable::run(),
        ["pictures", args @ ..] => pictures::run(args),
        ["e2e", args @ ..] => play("agents", args),
        ["chaos", args @ ..] => play("chaos", args),
        ["soak", args @ ..] => play("soak", args),
        ["fuzz", args @ ..] => fuzz::run(args),
        ["mutants", args @ ..] => mutants::run(args),
        ["dist", args @ ..] => dist::run(args),
        ["watch-agents", args @ ..] => watch::run(args),
        ["lines", file] if calls::is_list(Path::new(file)) => calls::run(Path::new(file)),
        ["lines", args @ ..] => lines::run(args),
        ["convert", directory] => convert::run(Path::new(directory)),
        ["corpus", directory] => corpus::run(Path::new(directory)),
        _ => Err(Error::Usage(USAGE.to_owned())),
    };
    let (text, holds) = done.unwrap_or_else(|error| (format!("{error}\n"), false));
    let printed = std::io::stdout().write_all(text.as_bytes());
    if holds && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a suite of `e2e`, a separate program that prints its progress itself.
fn play(suite: &str, args: &[&str]) -> Report {
    let status = std::process::Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "e2e", "--", suite])
        .args(args)
        .current_dir(tree::root())
        .status()
        .map_err(Error::spawn("cargo"))?;
    Ok((String::new(), status.success()))
}
