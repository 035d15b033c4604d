//! Chores of the repository: `cargo xtask VERB`.

mod bench;
mod clients;
mod conformance;
mod convert;
mod corpus;
mod generate;
mod prewarm;
mod starved;
mod terminal;
mod tidy;
mod tree;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB
  tidy          do the files of the repository keep its rules?
  gen           write the generated pages anew
  conformance   fire every case through the library and the command line
  clients       do the example clients of the stream hear every outcome? (Python, Node)
  prewarm       do scripts behave prewarmed as they do started plainly? (python3 and node; other interpreters may follow)
  starved       does `fire` say no in whatever environment, where a hook objects?
  terminal      does the agent's interactive face hold in a real terminal? (tmux; `--bless` writes docs/screens anew)
  bench         how long does what is typed take to be seen, while a hook sleeps and the model streams?
  corpus DIR    does `check` find what is known of a directory of real configs?
  convert DIR   does `convert` give native files that select and answer as real configs do?";

/// What a verb has to say, and whether all is well.
type Said = Result<(String, bool), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done: Said = match args.as_slice() {
        ["tidy"] => tidy::run(),
        ["gen"] => generate::run(),
        ["conformance"] => conformance::run(),
        ["clients"] => clients::run(),
        ["prewarm", interpreters @ ..] => prewarm::run(interpreters),
        ["starved"] => starved::run(),
        ["bench"] => bench::run(),
        ["terminal", args @ ..] => terminal::run(args),
        ["convert", directory] => convert::run(Path::new(directory)),
        ["corpus", directory] => corpus::run(Path::new(directory)),
        _ => Err(USAGE.to_owned()),
    };
    let (text, holds) = done.unwrap_or_else(|error| (format!("{error}\n"), false));
    let printed = std::io::stdout().write_all(text.as_bytes());
    if holds && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
