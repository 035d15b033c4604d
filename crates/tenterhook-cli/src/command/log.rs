//! `log`: what is on record, a line a firing; what each hook has done so far; whether the record is whole. Changes nothing.

mod decision;
pub(crate) mod firing;
mod shadow;
mod stats;
mod verify;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenterhook::internal::record::read::{self, Entry};
use tenterhook_core::hook::Hook;

use crate::ambient::Here;
use crate::args::{Format, Log, LogDo, Which};
use crate::exit::Exit;
use crate::journal;
use crate::load;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{DIM, ERROR, GOOD, PLAIN, WARNING, paint};
use crate::term::{Reader, Term};
use crate::wait::{Waited, block_on};
use decision::UserDecision;
use firing::Firing;

/// How often `--follow` looks for more.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &Log, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(LogDo::Verify { head, output }) = &args.what {
        return verify::run(head.as_ref(), output.format, here, term);
    }
    let mut log = Following::new(here)?;
    let entries = log.more()?;
    let args = &as_recorded(args, here)?;
    if args.shadow {
        let firings = firing::all(entries);
        let firings: Vec<_> = firings.into_iter().filter(|firing| args.wants(firing)).collect();
        return shadow::run(&firings, args, term);
    }
    if args.stats {
        let firings = firing::all(entries).into_iter().filter(|firing| args.wants(firing));
        return stats::run(firings, args.output.format, here, term);
    }
    if entries.is_empty() && !args.follow {
        term.note(&format!("nothing is on record in {}", log.records.display()));
    }
    let is_recorded = !entries.is_empty();
    let items = items(entries, args);
    if items.is_empty() && is_recorded && !args.follow {
        term.note("no recorded firing matches; `tenterhook log --stats` lists the hooks");
    }
    for entry in items {
        if print_item(&entry, args.output.format, term)? == Reader::Gone {
            return Ok(Exit::Good);
        }
    }
    match args.follow {
        true => follow(args, log, term),
        false => Ok(Exit::Good),
    }
}

/// The same arguments, with the hook named as on record: by its id, where neither its entry nor its program has a name.
fn as_recorded(args: &Log, here: &Here) -> Result<Log, Problem> {
    let Some(name) = &args.hook else { return Ok(args.clone()) };
    let which = Which { config: Vec::new(), dialect: None, compat: None };
    let ruleset = load::load(&which, here)?.engine(|builder| builder).ruleset();
    let is_called = |hook: &&Arc<Hook>| hook.program_name().is_none() && hook.short_name() == *name;
    let called = ruleset.hooks().iter().find(is_called);
    let hook = called.map_or_else(|| name.clone(), |hook| hook.id.to_string());
    Ok(Log { hook: Some(hook), ..args.clone() })
}

fn follow(args: &Log, mut log: Following, term: Term) -> Result<Exit, Problem> {
    let work = async {
        loop {
            for entry in log.more()? {
                for entry in items(vec![entry], args) {
                    if print_item(&entry, args.output.format, term)? == Reader::Gone {
                        return Ok(Exit::Good);
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    match block_on(work)? {
        Waited::Done(exit) => exit,
        Waited::Signal(signal) => Ok(Exit::Cancelled(signal)),
    }
}

/// The files with records, and how far each was read.
struct Following {
    records: PathBuf,
    place: tenterhook::internal::record::Location,
    read: HashMap<PathBuf, u64>,
}

impl Following {
    fn new(here: &Here) -> Result<Self, Problem> {
        let place = journal::location(here);
        Ok(Self { records: place.records.clone(), place, read: HashMap::new() })
    }

    /// What was not read yet.
    fn more(&mut self) -> Result<Vec<Entry>, Problem> {
        let cannot = |path: &std::path::Path, error| {
            Problem::new(format!("`{}` cannot be read: {error}", path.display()))
        };
        let files = read::files(&self.place).map_err(|error| cannot(&self.records, error))?;
        let mut all = Vec::new();
        for path in files {
            let from = self.read.get(&path).copied().unwrap_or_default();
            let (entries, next) = match read::entries(&path, from) {
                // Removed in good order since it was listed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                read => read.map_err(|error| cannot(&path, error))?,
            };
            all.extend(entries);
            self.read.insert(path, next);
        }
        Ok(all)
    }
}

/// Everything that is on record.
pub(crate) fn entries(here: &Here) -> Result<Vec<Entry>, Problem> {
    Following::new(here)?.more()
}

/// What there is to tell of: firings, and what a person said.
enum Item {
    Firing(Firing),
    UserDecision(UserDecision),
}

/// The requested entries, in the order of their numbers. With `--follow`, a firing is shown once it has ended.
fn items(entries: Vec<Entry>, args: &Log) -> Vec<Item> {
    let words: Vec<UserDecision> = entries.iter().filter_map(UserDecision::from_entry).collect();
    let words = words.into_iter().filter(|word| word.is_wanted(args));
    let firings = firing::all(entries).into_iter();
    let firings = firings.filter(|firing| args.wants(firing) && !(args.follow && firing.is_open()));
    let mut all: Vec<(u64, Item)> =
        words.map(|word| (word.number(), Item::UserDecision(word))).collect();
    all.extend(firings.map(|firing| (firing.number(), Item::Firing(firing))));
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, word)| word).collect()
}

fn print_item(item: &Item, format: Format, term: Term) -> Result<Reader, Problem> {
    let line = match (item, format) {
        (Item::Firing(firing), Format::Json) => firing.json().to_string(),
        (Item::Firing(firing), Format::Text) => line(firing),
        (Item::UserDecision(word), Format::Json) => word.json().to_string(),
        (Item::UserDecision(word), Format::Text) => word.line(),
    };
    term.offer(&format!("{line}\n"))
}

/// How a decision looks.
fn style_of(decision: &str) -> anstyle::Style {
    match decision {
        "deny" | "stop" => ERROR,
        "ask" | "defer" | "given up" | "no end" => WARNING,
        "allow" => GOOD,
        _ => PLAIN,
    }
}

fn padded(text: &str, width: usize) -> String {
    let text = layout::line(text);
    format!("{text}{}", " ".repeat(width.saturating_sub(layout::width(&text))))
}

/// Number, time, event, tool, decision, hook, duration, code. The columns keep their width, for `--follow`; a value that is too long
/// pushes the others to the right.
fn line(firing: &Firing) -> String {
    let style = style_of(firing.decision());
    let took = firing.took().map(layout::time).unwrap_or_default();
    let faults = match firing.faults().join(", ") {
        faults if faults.is_empty() => faults,
        faults => format!("  {}", paint(WARNING, layout::line(&faults))),
    };
    let code = firing.code().map(|code| format!("  {}", layout::line(code))).unwrap_or_default();
    let line = format!(
        "{} {}  {}  {}  {}  {}  {}{code}{faults}",
        paint(DIM, format!("{:>5}", firing.number())),
        paint(DIM, firing.shown_time()),
        padded(firing.event(), 16),
        padded(firing.tool().unwrap_or("-"), 8),
        paint(style, padded(firing.decision(), 6)),
        padded(&firing.whose(), 24),
        took,
    );
    line.trim_end().to_owned()
}
