//! The programs played from outside, as people and interpreters meet them: `cargo e2e NAME`. What needs only the library or
//! the command line is a test or a case instead.

mod agents;
mod approve;
mod bench;
mod chaos;
mod clients;
mod docs;
mod faults;
mod filter;
mod install;
mod pace;
mod page;
mod prewarm;
mod sandboxed;
mod soak;
mod start;
mod starved;
mod terminal;
mod tree;
mod users;

use std::io::Write as _;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo e2e NAME
  agents    what do real agents do with what their hooks say, alone and with Tenterhook? (npm; --whole, --proprietary)
  clients   do the example clients of the stream hear every outcome? (Python, Node)
  install   do the tarball, the npm package and the wheel run where there is no Rust?
  docs      do the commands of README and guides print the output that the page shows? (Python, Node)
  prewarm   do scripts behave prewarmed as they do started plainly? (python3 and node; other interpreters may follow)
  chaos     does the engine keep its promises whatever a hook does? (NUMBER..., `--times N`; Python, openssl)
  faults    does the program keep its promises whichever system call fails? (SUBJECT..., `--all`, `--every N`, `--shard K/N`; a C compiler)
  sandboxed do hooks as people write them run in the sandbox, or name the one line that they need? (a word of their names may follow)
  soak      does a host that fires for long hold ever more of anything? (--runs N, --minutes M; by default 2,000 runs)
  starved   does `fire` say no in whatever environment, where a hook objects?
  terminal  does the agent's interactive face hold in a real terminal? (tmux; `--bless` writes docs/screens anew)
  page      does the page of `backtest --html` hold in a browser? (Chromium; `--bless` writes its pictures anew)
  pace      how long from a tarball to the first `check`? (--dist DIR, --corpus DIR)
  start     what does one `fire` of the release build cost, beside `/bin/true` and Python? (another build may follow)
  bench     how long does what is typed take to be seen, while a hook sleeps and the model streams?";

/// What a play has to say, and whether all is well.
type Report = Result<(String, bool), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done: Report = match args.as_slice() {
        ["agents", args @ ..] => agents::run(args),
        ["clients"] => clients::run(),
        ["install", args @ ..] => install::run(args),
        ["pace", args @ ..] => pace::run(args),
        ["page", args @ ..] => page::run(args),
        ["docs"] => docs::run(),
        ["prewarm", interpreters @ ..] => prewarm::run(interpreters),
        ["sandboxed", words @ ..] => sandboxed::run(words),
        ["soak", args @ ..] => soak::run(args),
        ["start", program @ ..] => start::run(program),
        ["chaos", args @ ..] => chaos::run(args),
        ["faults", args @ ..] => faults::run(args),
        ["starved"] => starved::run(),
        ["terminal", args @ ..] => terminal::run(args),
        ["bench"] => bench::run(),
        _ => Err(USAGE.to_owned()),
    };
    let (text, holds) = done.unwrap_or_else(|error| (format!("{error}\n"), false));
    let printed = std::io::stdout().write_all(text.as_bytes());
    if holds && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
