//! What would this tool call read, write, delete, send, install and run, as far as its input tells?
//!
//! Pure: it looks at the event and at what the shell reader made of its command, and at no file. It
//! works out what rules then judge, in texts that rules can compare; it judges nothing itself. What
//! it cannot see it leaves out: a variable from elsewhere, a script on disk, a remote shell
//! (`docs/guide/guardrails.md` says so to people).

mod braces;
mod code;
pub(crate) mod disarm;
mod files;
mod fill;
mod find;
mod follow;
mod hosts;
mod installs;
mod judged;
mod literals;
mod packages;
pub(crate) mod path;
pub mod path_kind;
mod programs;
mod quoted;
mod send;
mod tools;
mod trees;
mod view;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use tenterhook_shell::guess::{self, Languages};
use tenterhook_shell::{Line, SimpleCommand, Word};

use crate::event::meter::{Cut, Meter};
use crate::event::tool::command::Command;
use crate::event::tool::encoded::decoded_input;
use crate::event::tool::{Tool, ToolCall};
use crate::event::{Event, Surroundings};
pub use trees::{Skips, Tree};

/// Most texts that are read as separate lines: commands from variables, code in quotes, scripts
/// that the line writes.
const MOST_LINES: usize = 64;
/// Most guesses about what the programs of a call may run, and most of them one within the other
/// (S-36): each of them may be as long as the line.
const MOST_GUESSES: usize = 16;
const DEEPEST_GUESS: usize = 3;

/// What one tool call would do. Every list is sorted and holds each text once.
///
/// Paths are written as seen from the project: `src/a.rs` in it, `.` for it, `..` for what is above
/// it, `~/x` in the home and absolute elsewhere, so that a rule needs to know neither place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFootprint {
    /// Every simple command of its shell line, also those whose program stands in a variable that
    /// the line sets.
    pub commands: Vec<SimpleCommand>,
    /// Files whose content it reads, copies or hands on.
    pub reads: Vec<String>,
    /// Those of them whose content it shows, copies or sends: not those that a program only needs
    /// (`source .env`).
    pub shows: Vec<String>,
    /// Files that it creates, changes, moves or removes.
    pub writes: Vec<String>,
    /// Directories in which it writes files that it does not name, beyond those in `writes`.
    pub written_trees: Vec<String>,
    /// What it removes with everything in it.
    pub deletes: Vec<String>,
    /// Directories that it reads with everything in them.
    pub trees: Vec<Tree>,
    /// Where it changes owners or rights with everything in it.
    pub rights: Vec<String>,
    /// Other machines that it sends something to or fetches something from.
    pub hosts: Vec<String>,
    /// Hosts of `hosts` that anybody can pick things up from, where something is put there.
    pub drops: Vec<String>,
    /// Secrets that would leave the machine, each as where it comes from.
    pub leaks: Vec<String>,
    /// Variables that are named like secrets and stand in what is sent, outside headers.
    pub sent_variables: Vec<String>,
    /// Sources of code that was not reviewed: `downloaded`, `decoded`, `hidden`, `fork bomb`.
    pub code: Vec<String>,
    /// Statements for a database.
    pub sql: Vec<String>,
    /// Packages whose names are nearly those of well-known ones: `reqeusts for requests`.
    pub look_alikes: Vec<String>,
    /// Packages from an address that says no exact version.
    pub unpinned: Vec<String>,
    /// Package indexes that are not the usual ones.
    pub indexes: Vec<String>,
    /// Packages that would be fetched and run at once, and are not well known.
    pub strangers: Vec<String>,
    /// Parts of an agent's guard that it changes.
    pub guards: Vec<String>,
    /// Agents that it starts without their guard, each as it would be started.
    pub unguarded: Vec<String>,
    /// What else of it ends a guard, each as what would happen.
    pub disarms: Vec<String>,
    /// Whether it holds more lines or words than are followed, so that the lists may lack
    /// something.
    pub is_cut: bool,
}

/// The lists while they are filled.
#[derive(Debug, Default)]
struct Found {
    /// How many texts were read as separate lines.
    lines: usize,
    /// What was guessed, each text once, and how many guesses the line that is looked at stands in.
    guesses: BTreeSet<String>,
    guess: usize,
    commands: Vec<SimpleCommand>,
    /// Files that it reads and does not show.
    reads: BTreeSet<String>,
    shows: BTreeSet<String>,
    writes: BTreeSet<String>,
    written_trees: BTreeSet<String>,
    deletes: BTreeSet<String>,
    trees: BTreeSet<Tree>,
    rights: BTreeSet<String>,
    hosts: BTreeSet<String>,
    drops: BTreeSet<String>,
    leaks: BTreeSet<String>,
    sent_variables: BTreeSet<String>,
    code: BTreeSet<String>,
    sql: BTreeSet<String>,
    look_alikes: BTreeSet<String>,
    unpinned: BTreeSet<String>,
    indexes: BTreeSet<String>,
    strangers: BTreeSet<String>,
    /// Whether the call may concern a guard: nothing of the next three is looked for otherwise.
    concerns: bool,
    guards: BTreeSet<String>,
    unguarded: BTreeSet<String>,
    disarms: BTreeSet<String>,
    is_cut: bool,
}

/// One of the lists of [`CallFootprint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Files whose content it reads, copies or hands on.
    Reads,
    /// Those of them whose content it shows, copies or sends.
    Shows,
    /// Files that it creates, changes, moves or removes.
    Writes,
    /// What it removes with everything in it.
    Deletes,
    /// Where it changes owners or rights with everything in it.
    Rights,
    /// Other machines that it sends something to or fetches something from.
    Hosts,
    /// Hosts of `hosts` that anybody can pick things up from, where something is put there.
    Drops,
    /// Secrets that would leave the machine, each as where it comes from.
    Leaks,
    /// Variables that are named like secrets and stand in what is sent, outside headers.
    SentVariables,
    /// Sources of code that was not reviewed: `downloaded`, `decoded`, `hidden`, `fork bomb`.
    Code,
    /// Statements for a database.
    Sql,
    /// Packages whose names are nearly those of well-known ones: `reqeusts for requests`.
    LookAlikes,
    /// Packages from an address that says no exact version.
    Unpinned,
    /// Package indexes that are not the usual ones.
    Indexes,
    /// Packages that would be fetched and run at once, and are not well known.
    Strangers,
    /// Parts of an agent's guard that it changes.
    Guards,
    /// Agents that it starts without their guard, each as it would be started.
    Unguarded,
    /// What else of it ends a guard, each as what would happen.
    Disarms,
}

impl List {
    /// Whether the list is about an agent's guard. Most calls do not concern one.
    pub(crate) const fn is_about_guards(self) -> bool {
        matches!(self, Self::Guards | Self::Unguarded | Self::Disarms)
    }
}

impl CallFootprint {
    /// Returns the entries of one list of the footprint.
    #[must_use]
    pub fn entries_of_list(&self, list: List) -> &[String] {
        match list {
            List::Reads => &self.reads,
            List::Shows => &self.shows,
            List::Writes => &self.writes,
            List::Deletes => &self.deletes,
            List::Rights => &self.rights,
            List::Hosts => &self.hosts,
            List::Drops => &self.drops,
            List::Leaks => &self.leaks,
            List::SentVariables => &self.sent_variables,
            List::Code => &self.code,
            List::Sql => &self.sql,
            List::LookAlikes => &self.look_alikes,
            List::Unpinned => &self.unpinned,
            List::Indexes => &self.indexes,
            List::Strangers => &self.strangers,
            List::Guards => &self.guards,
            List::Unguarded => &self.unguarded,
            List::Disarms => &self.disarms,
        }
    }
}

/// What the tool call of `event` would do; `line` is its shell command as read, where it has one.
/// The lists about guards stay empty unless it `concerns` one ([`may_concern_guard`]).
///
/// # Errors
///
/// Where the meter was cut on the way: a part of what a call would do is no answer (RU-37).
pub fn call_footprint(
    event: &Event,
    line: Option<&Line>,
    files: Option<&dyn disarm::Files>,
    concerns: bool,
    meter: &Meter<'_>,
) -> Result<CallFootprint, Cut> {
    let paths = path::Paths { files, ..path::Paths::from_surroundings(&event.within) };
    call_footprint_with_paths(event, line, &paths, concerns, meter)
}

/// Computes the footprint of a tool call like [`call_footprint`], with known directories that its
/// paths are relative to.
pub(crate) fn call_footprint_with_paths(
    event: &Event,
    line: Option<&Line>,
    paths: &path::Paths<'_>,
    concerns: bool,
    meter: &Meter<'_>,
) -> Result<CallFootprint, Cut> {
    let Some(call) = event.tool() else { return Ok(CallFootprint::default()) };
    let decoded = decoded_input(call.input);
    let call = ToolCall { input: decoded.as_ref().unwrap_or(call.input), ..call };
    let text = line.map(|_| Command::from_call(call).into_line());
    let mut found = Found { concerns, ..Found::default() };
    match (call.tool(), line) {
        (Tool::Shell, Some(line)) => {
            let at =
                path::Paths { cwd: tools::working_directory(call.input, paths), ..paths.clone() };
            let text = text.as_deref().unwrap_or_default();
            note_shell_line(line, text, &at, meter, &mut found);
            let exports = tools::export_lines_of_home_variables(call.input, 0);
            if !exports.is_empty() {
                note_inner_line(&format!("{exports}{text}"), &at, meter, &mut found);
            }
        }
        _ => tools::note_tool_call(call, paths, meter, &mut found),
    }
    if found.concerns {
        match (call.tool(), &text) {
            (Tool::Shell, Some(text)) => {
                disarm::note_guard_in_written_text(|| Cow::Borrowed(text), &mut found)
            }
            _ => disarm::note_guards_changed_by_call(call, paths, meter, &mut found),
        }
        disarm::note_guards_in_found_files(paths, meter, &mut found);
    }
    meter.why_cut().map_or_else(|| Ok(found.into_footprint()), Err)
}

/// Whether a call may concern an agent's guard: by its text, or, if `files` is set, by a word that
/// is a second name of a guard's file.
#[must_use]
pub fn may_concern_guard(event: &Event, line: &str, files: Option<&dyn disarm::Files>) -> bool {
    let paths = path::Paths { files, ..path::Paths::from_surroundings(&event.within) };
    event.tool().is_some_and(|call| {
        let decoded = decoded_input(call.input);
        let call = ToolCall { input: decoded.as_ref().unwrap_or(call.input), ..call };
        disarm::may_concern_guard(call, Some(line), &paths)
    })
}

/// Returns an absolute path as [`CallFootprint`] writes it; any other text is returned unchanged.
#[must_use]
pub fn path_seen_from_project<'a>(path: &'a str, within: &Surroundings) -> Cow<'a, str> {
    if path.starts_with('/') {
        Cow::Owned(path::Paths::from_surroundings(within).path_seen_from_project(path, ""))
    } else {
        Cow::Borrowed(path)
    }
}

/// Returns the absolute path of an entry of a [`CallFootprint`], whose relative paths begin at the
/// project.
pub(crate) fn absolute_path_of_entry(path: &str, within: &Surroundings) -> String {
    let paths = path::Paths::from_surroundings(within);
    paths.to_absolute(path, &paths.project)
}

/// Notes what a shell line would do, also a line inside code of another language.
fn note_shell_line(
    line: &Line,
    text: &str,
    paths: &path::Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    let commands = line.commands.iter().take_while(|command| meter.spend_steps(command.size()));
    found.commands.extend(commands.cloned());
    let follow::Seen { views, groups, cwd, filled, too_much } =
        follow::follow_line(line, paths, meter);
    files::note_redirects(&groups, &cwd, paths, meter, found);
    for (at, view) in views.iter().enumerate().take_while(|(_, view)| view.charge_for_reading()) {
        found.commands.extend(view.fill_in_known_words());
        if !views.get(at + 1).is_some_and(|next| next.is_other_system_equivalent_of(view)) {
            files::note_files(view, paths, found);
        }
        installs::note_installs(view, found);
        literals::note_inline_code_literals(view, paths, found);
    }
    trees::note_read_trees(&views, paths, &mut found.trees);
    let named = found
        .trees
        .iter()
        .map(|tree| &tree.path)
        .filter(|path| trees::is_relative_to_project(path));
    found.shows.extend(named.map(|path| format!("{path}/*")));
    if found.concerns {
        disarm::note_guards_changed_by_line(&views, paths, found);
    }
    // A deletion is a write, too.
    found.writes.extend(found.deletes.iter().cloned());
    code::note_code_from_elsewhere(line, &views, &groups, text, meter, found);
    send::note_sent_data(&views, &groups, found);
    if too_much {
        found.note_unfollowed_code();
    }
    note_lines_guessed_in_arguments(line, &path::Paths { cwd, ..paths.clone() }, meter, found);
    for (text, cwd) in filled {
        note_inner_line(&text, &path::Paths { cwd, ..paths.clone() }, meter, found);
    }
}

/// Notes the lines that programs of a line may run from their arguments (S-36).
fn note_lines_guessed_in_arguments(
    line: &Line,
    paths: &path::Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    // Every word may be the start of a guess, and every part of it the name of a program.
    let is_looked_into = |word: &&Word| !word.source.trim_start_matches('"').starts_with("$(");
    let is_paid_for = |command: &SimpleCommand| {
        let words = command.words.iter().filter(is_looked_into);
        let bytes: usize = words.map(|word| word.source.len()).sum();
        meter.spend_steps(4 * command.size()) && meter.spend_steps_for_bytes(4 * bytes)
    };
    if found.guess >= DEEPEST_GUESS || !line.commands.iter().all(is_paid_for) {
        return;
    }
    for guess in
        guess::guess_commands_in_line(line, &judged::is_program_named_by_rules, Languages::Skip)
    {
        if found.guesses.len() >= MOST_GUESSES || !meter.spend_steps_for_bytes(guess.text.len()) {
            return;
        }
        // The words of one are often those of another.
        if found.guesses.insert(guess.text.clone()) {
            found.guess += 1;
            note_inner_line(&guess.text, paths, meter, found);
            found.guess -= 1;
        }
    }
}

/// Reads a text that would be run as a separate line. Beyond the limit, the rest is noted as hidden
/// code.
fn note_inner_line(text: &str, paths: &path::Paths<'_>, meter: &Meter<'_>, found: &mut Found) {
    if found.lines >= MOST_LINES {
        return found.note_unfollowed_code();
    }
    found.lines += 1;
    if let Some(line) =
        tenterhook_shell::parse_line_with_budget(text, &|steps| meter.spend_steps(steps))
    {
        note_shell_line(&line, text, paths, meter, found);
    }
}

impl Found {
    /// Notes that there is more code than is followed.
    fn note_unfollowed_code(&mut self) {
        self.is_cut = true;
        self.code.insert("hidden".to_owned());
    }

    fn into_footprint(self) -> CallFootprint {
        let list = |set: BTreeSet<String>| set.into_iter().collect();
        CallFootprint {
            commands: self.commands,
            reads: list(self.shows.union(&self.reads).cloned().collect()),
            shows: list(self.shows),
            writes: list(self.writes),
            written_trees: list(self.written_trees),
            deletes: list(self.deletes),
            trees: self.trees.into_iter().collect(),
            rights: list(self.rights),
            hosts: list(self.hosts),
            drops: list(self.drops),
            leaks: list(self.leaks),
            sent_variables: list(self.sent_variables),
            code: list(self.code),
            sql: list(self.sql),
            look_alikes: list(self.look_alikes),
            unpinned: list(self.unpinned),
            indexes: list(self.indexes),
            strangers: list(self.strangers),
            guards: list(self.guards),
            unguarded: list(self.unguarded),
            disarms: list(self.disarms),
            is_cut: self.is_cut,
        }
    }
}
