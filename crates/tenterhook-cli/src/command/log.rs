//! `log`: what is on record, a line a firing; what each hook has done so far; whether the record is whole. Changes nothing.

mod decision;
mod delivery;
pub(crate) mod firing;
mod names;
mod shadow;
mod stats;
mod verify;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use tenterhook::internal::record::read::{self, Entry};

use crate::ambient::Here;
use crate::args::{Format, Log, LogDo};
use crate::deliveries;
use crate::exit::Exit;
use crate::journal;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{DIM, ERROR, GOOD, PLAIN, WARNING, paint};
use crate::term::{Reader, Term};
use crate::wait::{Waited, block_on};
use decision::UserDecision;
use firing::Firing;
use names::HookNames;

/// How often `--follow` looks for more.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &Log, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(LogDo::Verify { head, output }) = &args.what {
        return verify::run(head.as_ref(), output.format, here, term);
    }
    let mut log = Following::new(here)?;
    let entries = log.read_new_entries()?;
    if args.shadow {
        let firings = firing::firings_from_entries(entries);
        let firings: Vec<_> = firings.into_iter().filter(|firing| args.selects(firing)).collect();
        return shadow::print_shadow_results(&firings, args, term);
    }
    if args.stats {
        let firings =
            firing::firings_from_entries(entries).into_iter().filter(|firing| args.selects(firing));
        return stats::run(firings, args, here, term);
    }
    if entries.is_empty() && !args.follow {
        term.print_note(&format!("nothing is on record in {}", log.records.display()));
    }
    let is_recorded = !entries.is_empty();
    let items = select_items(entries, args);
    if items.is_empty() && is_recorded && !args.follow {
        term.print_note("no recorded firing matches; `tenterhook log --stats` lists the hooks");
    }
    let shows_account = term.is_verbose() || has_several_accounts(&items);
    for entry in items {
        if print_item(&entry, args.output.format, shows_account, term)? == Reader::Gone {
            return Ok(Exit::Good);
        }
    }
    if let Some(message) = journal::unsent_records_message(here) {
        term.print_labelled_note(WARNING, "warning:", &message);
    }
    match args.follow {
        true => follow_log(args, log, shows_account, term),
        false => Ok(Exit::Good),
    }
}

fn follow_log(
    args: &Log,
    mut log: Following,
    shows_account: bool,
    term: Term,
) -> Result<Exit, Problem> {
    let work = async {
        loop {
            for entry in log.read_new_entries()? {
                for entry in select_items(vec![entry], args) {
                    let format = args.output.format;
                    if print_item(&entry, format, shows_account, term)? == Reader::Gone {
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
    names: HookNames,
    /// The directory with the state of sessions.
    sessions: PathBuf,
}

impl Following {
    fn new(here: &Here) -> Result<Self, Problem> {
        let place = journal::journal_location(here);
        let names = HookNames::new(here);
        let sessions = here.state.join("sessions");
        Ok(Self { records: place.records.clone(), place, read: HashMap::new(), names, sessions })
    }

    /// Reads the entries that were added since the last call.
    fn read_new_entries(&mut self) -> Result<Vec<Entry>, Problem> {
        let cannot = |path: &std::path::Path, error| {
            Problem::new(format!("`{}` cannot be read: {error}", path.display()))
        };
        let files =
            read::list_record_files(&self.place).map_err(|error| cannot(&self.records, error))?;
        let mut all = Vec::new();
        for path in files {
            let from = self.read.get(&path).copied().unwrap_or_default();
            let (entries, next) = match read::read_entries(&path, from) {
                // Removed in good order since it was listed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                read => read.map_err(|error| cannot(&path, error))?,
            };
            all.extend(entries);
            self.read.insert(path, next);
        }
        all.iter_mut().for_each(|entry| self.names.add_missing_names(entry));
        delivery::add_deliveries(&mut all, &deliveries::waiting_results(&self.sessions));
        Ok(all)
    }
}

/// Reads all entries of the record.
pub(crate) fn read_all_entries(here: &Here) -> Result<Vec<Entry>, Problem> {
    Following::new(here)?.read_new_entries()
}

/// Returns the lines of the last `count` firings.
pub(crate) fn lines_of_last_firings(count: usize, here: &Here) -> Result<Vec<String>, Problem> {
    let firings = firing::firings_from_entries(read_all_entries(here)?);
    let first = firings.len().saturating_sub(count);
    Ok(firings.iter().skip(first).map(|firing| firing_line(firing, false)).collect())
}

/// What there is to tell of: firings, and what a person said.
enum Item {
    Firing(Firing),
    UserDecision(UserDecision),
}

/// Returns the requested entries, in the order of their numbers. With `--follow`, a firing is shown
/// once it has ended.
fn select_items(entries: Vec<Entry>, args: &Log) -> Vec<Item> {
    let words: Vec<UserDecision> = entries.iter().filter_map(UserDecision::from_entry).collect();
    let words = words.into_iter().filter(|word| word.is_selected(args));
    let firings = firing::firings_from_entries(entries).into_iter();
    let firings =
        firings.filter(|firing| args.selects(firing) && !(args.follow && firing.is_unfinished()));
    let mut all: Vec<(u64, Item)> =
        words.map(|word| (word.entry_number(), Item::UserDecision(word))).collect();
    all.extend(firings.map(|firing| (firing.number(), Item::Firing(firing))));
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, word)| word).collect()
}

/// Returns whether these are firings of more than one user or host.
fn has_several_accounts(items: &[Item]) -> bool {
    let account = |item: &Item| match item {
        Item::Firing(firing) => firing.account(),
        Item::UserDecision(_) => None,
    };
    let mut accounts = items.iter().filter_map(account);
    let first = accounts.next();
    accounts.any(|account| Some(account) != first)
}

fn print_item(
    item: &Item,
    format: Format,
    shows_account: bool,
    term: Term,
) -> Result<Reader, Problem> {
    let line = match (item, format) {
        (Item::Firing(firing), Format::Json) => firing.to_json().to_string(),
        (Item::Firing(firing), Format::Text) => firing_line(firing, shows_account),
        (Item::UserDecision(word), Format::Json) => word.to_json().to_string(),
        (Item::UserDecision(word), Format::Text) => word.to_line(),
    };
    term.print_data_if_read(&format!("{line}\n"))
}

/// Returns the style in which a decision is printed.
fn decision_style(decision: &str) -> anstyle::Style {
    match decision {
        "deny" | "stop" => ERROR,
        "ask" | "defer" | "given up" | "no end" => WARNING,
        "allow" => GOOD,
        _ => PLAIN,
    }
}

fn pad_right(text: &str, width: usize) -> String {
    let text = layout::to_safe_line(text);
    format!("{text}{}", " ".repeat(width.saturating_sub(layout::display_width(&text))))
}

/// Renders a firing as number, time, event, tool, decision, hook, duration, agent, account (if asked
/// for) and code. The columns have a fixed width, for `--follow`; a value that is too long moves the
/// others to the right.
fn firing_line(firing: &Firing, shows_account: bool) -> String {
    let style = decision_style(firing.decision());
    let took = firing.duration().map(layout::format_duration).unwrap_or_default();
    let faults = match firing.fault_codes().join(", ") {
        faults if faults.is_empty() => faults,
        faults => format!("  {}", paint(WARNING, layout::to_safe_line(&faults))),
    };
    let code = firing
        .denial_code()
        .map(|code| format!("  {}", layout::to_safe_line(code)))
        .unwrap_or_default();
    let waits =
        if firing.waits_for_delivery() { "  waits for the session's next event" } else { "" };
    let account = firing.account().filter(|_| shows_account);
    let caller = firing.agent().map(str::to_owned).into_iter().chain(account);
    let caller: String = caller.map(|name| format!("  {}", layout::to_safe_line(&name))).collect();
    let line = format!(
        "{} {}  {}  {}  {}  {}  {}{caller}{code}{faults}{waits}",
        paint(DIM, format!("{:>5}", firing.number())),
        paint(DIM, firing.local_end_time()),
        pad_right(firing.event_name(), 16),
        pad_right(firing.tool_name().unwrap_or("-"), 8),
        paint(style, pad_right(firing.display_decision(), 6)),
        pad_right(&firing.responsible_hooks(), 24),
        took,
    );
    line.trim_end().to_owned()
}
