//! Plays one subject with each of its faults, and looks at it afterwards. Decides nothing of what is right.

use std::time::Duration;

use super::Options;
use super::calls::{self, Error};
use super::fixture::{Ended, Fault, Files, Fixture, Programs};
use super::judge::{self, Run, reply};
use super::subjects::{Must, Subject};

/// What came of a subject.
#[derive(Default)]
pub(super) struct Played {
    /// How many calls it makes when nothing fails.
    pub(super) calls: u64,
    /// How often one failed.
    pub(super) faults: u64,
    pub(super) found: Vec<Found>,
    pub(super) longest: Duration,
}

/// A fault with which something was wrong.
pub(super) struct Found {
    pub(super) fault: Fault,
    pub(super) error: &'static str,
    pub(super) call: String,
    pub(super) wrong: Vec<String>,
    /// What it said.
    pub(super) words: String,
}

/// A subject, how it ends when nothing fails, and what it leaves then.
struct Scene<'a> {
    place: Fixture<'a>,
    subject: &'a Subject,
    before: Files,
    should: Files,
    usual: Ended,
}

pub(super) fn subject(
    room: &Programs,
    number: usize,
    subject: &Subject,
    options: &Options,
) -> Result<Played, String> {
    let place = Fixture::new(room, number, subject)?;
    let before = place.files();
    let usual = place.count(subject.run)?;
    let should = place.files();
    let scene = Scene { place, subject, before, should, usual };
    scene.is_as_it_should_be()?;
    let made = |calls: &str| -> u64 {
        scene.usual.made.iter().filter(|pair| pair.0 == calls).map(|pair| pair.1).sum()
    };
    let mut played =
        Played { calls: scene.usual.made.iter().map(|pair| pair.1).sum(), ..Played::default() };
    for (at, row) in calls::ROWS.iter().enumerate().filter(|pair| options.has_calls(pair.1.calls)) {
        for (which, error) in row.errors.iter().enumerate() {
            for lasts in [false, true].into_iter().take(1 + usize::from(error.lasts)) {
                let least = made(row.calls);
                for nth in 1.. {
                    let place = [number, at, which, usize::from(lasts)];
                    let seed = place.iter().fold(nth, |all, n| all * 61 + *n as u64);
                    if nth > least && options.every > 1 {
                        break;
                    }
                    if !options.plays(seed) {
                        continue;
                    }
                    let fault = Fault { calls: row.calls, error: error.number, nth, lasts };
                    if !scene.fail(fault, error, &mut played)? {
                        break;
                    }
                }
            }
        }
    }
    Ok(played)
}

impl Scene<'_> {
    fn is_agent(&self) -> bool {
        self.subject.run.contains("{entry}")
    }

    fn fires(&self) -> bool {
        matches!(self.subject.must, Must::Deny | Must::Hold | Must::Hear | Must::HearOnRecord)
    }

    /// A play that proves nothing is an error.
    fn is_as_it_should_be(&self) -> Result<(), String> {
        let reply = reply(&self.usual, self.is_agent());
        let holds = match self.subject.must {
            Must::Deny | Must::Hold => reply.restrains,
            Must::Hear | Must::HearOnRecord => !reply.restrains,
            Must::Tell { approved } => (self.usual.code == Some(0)) == approved,
            Must::Approve | Must::Forget | Must::Write => self.usual.code == Some(0),
        };
        if holds {
            Ok(())
        } else {
            Err(format!("nothing failed, and this came of it: {:?}", self.usual))
        }
    }

    /// Whether a call failed.
    fn fail(&self, fault: Fault, error: &Error, played: &mut Played) -> Result<bool, String> {
        self.place.put_back()?;
        let ended = self.place.play(self.subject.run, Some(&fault))?;
        if ended.injected == 0 {
            return Ok(false);
        }
        played.faults += 1;
        played.longest = played.longest.max(ended.took);
        let now = self.place.files();
        let run = Run {
            must: self.subject.must,
            ended: &ended,
            before: &self.before,
            should: &self.should,
            now: &now,
            usual: &self.usual,
        };
        let mut wrong = run.wrong(error, self.is_agent());
        wrong.extend(self.afterwards(&ended)?);
        if !wrong.is_empty() {
            let words = format!("{} {}", ended.stdout, ended.stderr);
            let words =
                words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect();
            let call = ended.call.clone();
            played.found.push(Found { fault, error: error.name, call, wrong, words });
        }
        Ok(true)
    }

    /// The findings about the next run, in which nothing fails.
    fn afterwards(&self, ended: &Ended) -> Result<Vec<String>, String> {
        let mut wrong = Vec::new();
        match self.subject.must {
            Must::Approve | Must::Forget | Must::Tell { .. } => self.answered(ended, &mut wrong)?,
            _ => {}
        }
        let again = self.place.play(self.subject.run, None)?;
        let is_agent = self.is_agent();
        if again.code != self.usual.code
            || (self.fires() && reply(&again, is_agent) != reply(&self.usual, is_agent))
        {
            wrong.push(format!("the next run differs: exit {:?}, {}", again.code, flat(&again)));
        }
        if self.subject.must == Must::Write {
            let now = self.place.files();
            let settled = |path: &&std::path::PathBuf| judge::is_settled(path);
            for path in self.should.keys().chain(now.keys()).filter(settled) {
                if now.get(path) != self.should.get(path) {
                    wrong.push(format!("the next run does not mend `{}`", path.display()));
                }
            }
        }
        if self.fires() {
            let verified = self.place.play("exec {program} log verify", None)?;
            if verified.code != Some(0) {
                wrong.push(format!("the record is not whole: {}", flat(&verified)));
            }
        }
        Ok(wrong)
    }

    /// What the store says of it.
    fn answered(&self, ended: &Ended, wrong: &mut Vec<String>) -> Result<(), String> {
        let status = self.place.play("exec {program} trust status", None)?;
        let is_approved = status.code == Some(0);
        let done = ended.code == Some(0);
        let holds = match self.subject.must {
            Must::Approve => is_approved || !done,
            Must::Forget => !is_approved || !done,
            Must::Tell { approved } => is_approved == approved,
            _ => true,
        };
        if !holds {
            wrong.push(format!("it ended with {:?}, and now: {}", ended.code, flat(&status)));
        }
        let words = flat(&status);
        if ["cannot be believed", "torn"].iter().any(|text| words.contains(text)) {
            wrong.push(format!("the answer is not whole: {words}"));
        }
        Ok(())
    }
}

fn flat(ended: &Ended) -> String {
    let words = format!("{} {}", ended.stdout, ended.stderr);
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}
