//! `cargo e2e faults [SUBJECT...] [--all | --every N] [--shard K/N]`: does the program keep its promises whichever system call fails?
//!
//! Each subject is something that a person or an agent does: a firing, an approval, an installation. It is played again and
//! again, and each time another call of the program fails with an error that the kernel may give it, once or from then on.
//! Whatever fails: nothing hangs, panics or outlives it; no call passes that a hook would restrain; only approved hooks run; no
//! file is lost or half written; the record stays whole; the cause is reported; and the next run, in which nothing fails, does
//! what it should. Everything runs as an unprivileged user, with limits, in a separate home.

mod calls;
mod fixture;
mod judge;
mod play;
mod subjects;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

use tenterhook_testkit::at_once;

use fixture::Programs;
use play::{Found, Played};
use subjects::{SUBJECTS, Subject};

use crate::{Report, tree};

const USAGE: &str = "usage: cargo e2e faults [SUBJECT...] [--all | --every N] [--shard K/N] [--calls NAME] [--jobs N]";
/// Default: one fault of so many is played.
const EVERY: u64 = 160;

/// What was asked.
pub(super) struct Options {
    only: Vec<String>,
    calls: Option<String>,
    every: u64,
    shard: (u64, u64),
    jobs: usize,
}

impl Options {
    fn read(args: &[&str]) -> Result<Self, String> {
        let mut options =
            Self { only: Vec::new(), calls: None, every: EVERY, shard: (1, 1), jobs: 3 };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("`{word}` needs a value\n{USAGE}"));
            let number = |text: &str| {
                let number = text.parse::<u64>().ok().filter(|n| *n > 0);
                number.ok_or(format!("`{text}` is no number\n{USAGE}"))
            };
            match *word {
                "--all" => options.every = 1,
                "--every" => options.every = number(value()?)?,
                "--jobs" => options.jobs = usize::try_from(number(value()?)?).unwrap_or(1),
                "--calls" => options.calls = Some((*value()?).to_owned()),
                "--shard" => {
                    let (k, n) = value()?.split_once('/').ok_or(USAGE)?;
                    options.shard = (number(k)?, number(n)?);
                }
                name if SUBJECTS.iter().any(|subject| subject.name == name) => {
                    options.only.push(name.to_owned());
                }
                name => {
                    let names: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
                    return Err(format!("`{name}` is no subject of {}\n{USAGE}", names.join(", ")));
                }
            }
        }
        Ok(options)
    }

    fn wants(&self, subject: &Subject) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| text == subject.name)
    }

    /// Whether a fault is among those that are played: always the same ones, spread over all.
    pub(super) fn plays(&self, at: u64) -> bool {
        let mixed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let (k, n) = self.shard;
        mixed.is_multiple_of(self.every) && mixed / self.every % n == k - 1
    }

    pub(super) fn has_calls(&self, name: &str) -> bool {
        self.calls.as_deref().is_none_or(|call| call == name)
    }
}

pub(crate) fn run(args: &[&str]) -> Report {
    let options = Options::read(args)?;
    tree::build("tenterhook-cli")?;
    let room = Programs::new()?;
    if let Err(why) = room.cannot() {
        return Ok((
            format!("e2e faults was not played: no call can be made to fail here ({why})\n"),
            true,
        ));
    }
    let began = Instant::now();
    let wanted: Vec<&Subject> = SUBJECTS.iter().filter(|subject| options.wants(subject)).collect();
    let all = at_once::each(&wanted, options.jobs, |at, subject| {
        let played = play::subject(&room, at, subject, &options);
        // A long run says how far it is.
        let _ = writeln!(std::io::stderr(), "{}", subject.name);
        played
    });
    let (mut said, faults, wrong) = table(&wanted, &all);
    let _ = writeln!(
        said,
        "{faults} faults, {wrong} of which something was wrong, in {} s",
        began.elapsed().as_secs()
    );
    Ok((said, wrong == 0 && faults > 0))
}

/// A line a subject, and behind them what was wrong; how many faults there were, and how many wrongs.
fn table(subjects: &[&Subject], all: &[Result<Played, String>]) -> (String, u64, usize) {
    let row = |cells: [&str; 5]| {
        let [subject, calls, faults, wrong, longest] = cells;
        format!("{subject:18} {calls:>6} {faults:>7} {wrong:>6} {longest:>8}\n")
    };
    let mut text = row(["subject", "calls", "faults", "wrong", "longest"]);
    let (mut faults, mut wrong) = (0, 0);
    let mut details = String::new();
    for (subject, played) in subjects.iter().zip(all) {
        match played {
            Ok(played) => {
                faults += played.faults;
                wrong += played.found.len();
                text.push_str(&row([
                    subject.name,
                    &played.calls.to_string(),
                    &played.faults.to_string(),
                    &played.found.len().to_string(),
                    &format!("{:.1} s", played.longest.as_secs_f64()),
                ]));
                details.push_str(&details_of(subject, &played.found));
            }
            Err(error) => {
                wrong += 1;
                let _ = writeln!(details, "{}: {error}", subject.name);
            }
        }
    }
    (text + &details, faults, wrong)
}

/// The findings, each distinct one once.
fn details_of(subject: &Subject, found: &[Found]) -> String {
    let mut groups: BTreeMap<(&str, &str, bool, &str), Vec<&Found>> = BTreeMap::new();
    for finding in found {
        for wrong in &finding.wrong {
            let key = (finding.fault.calls, finding.error, finding.fault.lasts, wrong.as_str());
            groups.entry(key).or_default().push(finding);
        }
    }
    let mut said = String::new();
    for ((calls, error, lasts, wrong), of) in groups {
        let times: Vec<String> =
            of.iter().take(8).map(|found| found.fault.nth.to_string()).collect();
        let from = if lasts { " and later" } else { "" };
        let _ = writeln!(
            said,
            "{}: {calls} {error} at {}{from} ({}): {wrong}",
            subject.name,
            times.join(","),
            of.len()
        );
        if let Some(finding) = of.first() {
            let _ = writeln!(said, "    call {}; {}", finding.call, finding.words);
        }
    }
    said
}
