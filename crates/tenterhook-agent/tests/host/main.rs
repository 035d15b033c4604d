//! Scripted sessions of the real agent: what the model, the history, hooks and the screen get. The cases of `conformance/host`,
//! listed and chosen like any other test: `cargo test -p tenterhook-agent --test host NAME`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a suite of tests prints how they went, may fail, and starts the program as a person does"
)]

#[path = "../approve/mod.rs"]
mod approve;
mod case;
mod look;
mod play;
mod service;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;

/// How many sessions run at once.
const AT_ONCE: usize = 4;

/// What the suite was asked for, in the words of the standard one.
#[derive(Default)]
struct Asked {
    list: bool,
    exact: bool,
    ignored: bool,
    names: Vec<String>,
    skip: Vec<String>,
}

impl Asked {
    fn read(mut args: impl Iterator<Item = String>) -> Self {
        let mut asked = Self::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--list" => asked.list = true,
                "--exact" => asked.exact = true,
                "--ignored" => asked.ignored = true,
                "--skip" => asked.skip.extend(args.next()),
                "--format" | "--test-threads" | "--color" | "-Z" => drop(args.next()),
                flag if flag.starts_with('-') => {}
                name => asked.names.push(name.to_owned()),
            }
        }
        asked
    }

    fn wants(&self, name: &str) -> bool {
        let fits =
            |text: &String| if self.exact { name == text } else { name.contains(text.as_str()) };
        let wanted = self.names.is_empty() || self.names.iter().any(fits);
        wanted && !self.ignored && !self.skip.iter().any(fits)
    }
}

fn main() -> ExitCode {
    let asked = Asked::read(std::env::args().skip(1));
    let mut cases = case::all();
    cases.retain(|(name, _)| asked.wants(name));
    if asked.list {
        cases.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let failed = run(&cases);
    println!("\nhost: {} sessions, {failed} not as they should be", cases.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs them all; how many failed.
fn run(cases: &[(String, Case)]) -> usize {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((name, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let broke = |_| vec!["the suite broke; what it said is above".to_owned()];
                    let differences =
                        std::panic::catch_unwind(|| play::play(case)).unwrap_or_else(broke);
                    let mut failed = failed.lock().unwrap();
                    if differences.is_empty() {
                        println!("test {name} ... ok");
                        continue;
                    }
                    *failed += 1;
                    println!("test {name} ... FAILED\n  {}", case.about);
                    differences.iter().for_each(|difference| println!("  {difference}"));
                }
            });
        }
    });
    failed.into_inner().unwrap()
}
