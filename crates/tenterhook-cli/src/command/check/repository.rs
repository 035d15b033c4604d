//! `check --repo`: what agents would run of a repository, and whether each command was accepted. Asks nothing, and approves nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook::trust::{Review, State};
use tenterhook_core::entry::digest::Digest;

use crate::ambient::Here;
use crate::args::{Check, Format};
use crate::command::print_json;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::repository::{self, FoundCommand};
use crate::show::layout::format_count;
use crate::show::paint::{ERROR, GOOD, HELP, WARNING, paint};
use crate::term::Term;

/// How many directories are searched.
const MOST_DIRECTORIES: usize = 20_000;

/// Lists what agents would run of the repository at `directory`, in whichever of its directories they
/// are started (T-193).
pub(super) fn run(
    directory: &Path,
    args: &Check,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    let root = here.roots.cwd.join(directory);
    let root = root.canonicalize().ok().filter(|root| root.is_dir()).ok_or_else(|| {
        Problem::new(format!("`{}` is not a directory", directory.display()))
            .with_help("give the root of a clone, as in `tenterhook check --repo clone`")
    })?;
    let here = Here { roots: roots_of(&root, here)?, ..here.clone() };
    let (directories, is_complete) = directories_below(&root);
    let found = term.run_with_progress("reading the repository", || {
        repository::find_commands_in(&directories, &here)
    });
    let mut accepted = Accepted::new(&args.allow, &root);
    let rows: Vec<(&FoundCommand, bool)> =
        found.iter().map(|found| (found, accepted.includes(found, &here))).collect();
    let open = count_distinct(
        rows.iter().filter(|(found, is_accepted)| found.consent.may_run_unasked() && !is_accepted),
    );
    match args.output.format {
        Format::Json => print_json(&to_json(&root, &rows, is_complete), term)?,
        Format::Text => print_page(&rows, open, term)?,
    }
    for unused in accepted.unused() {
        let text = format!("`--allow {unused}` names no file from which an agent runs a command");
        term.print_labelled_note(WARNING, "warning:", &text);
    }
    if !is_complete {
        let text = format!("only the first {MOST_DIRECTORIES} directories were searched");
        term.print_labelled_note(ERROR, "error:", &text);
    }
    Ok(if open == 0 && is_complete { Exit::Good } else { Exit::Wrong })
}

fn roots_of(directory: &Path, here: &Here) -> Result<tenterhook_core::dialect::Roots, Problem> {
    discover::roots_with_cwd(&here.roots, directory.to_owned())
        .map_err(|error| Problem::new(error.to_string()))
}

/// Returns the directories of a repository in which an agent may be started, and whether they are
/// all. Hidden directories, symlinks and installed packages are left out.
fn directories_below(root: &Path) -> (Vec<PathBuf>, bool) {
    let mut found = vec![root.to_owned()];
    let mut at = 0;
    while let Some(directory) = found.get(at).cloned() {
        at += 1;
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let mut below: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                !name.starts_with('.') && name != "node_modules"
            })
            .map(|entry| entry.path())
            .collect();
        below.sort();
        found.extend(below);
        if found.len() > MOST_DIRECTORIES {
            found.truncate(MOST_DIRECTORIES);
            return (found, false);
        }
    }
    (found, true)
}

/// What was accepted: by `--allow`, or by an approval.
struct Accepted<'a> {
    allowed: Vec<Allowed<'a>>,
    /// The reviews of the sources that are found from a directory.
    reviews: BTreeMap<PathBuf, Vec<Review>>,
}

/// One `--allow`.
struct Allowed<'a> {
    text: &'a str,
    path: PathBuf,
    is_used: bool,
}

impl<'a> Accepted<'a> {
    fn new(allowed: &'a [String], root: &Path) -> Self {
        let allowed =
            allowed.iter().map(|text| Allowed { text, path: root.join(text), is_used: false });
        Self { allowed: allowed.collect(), reviews: BTreeMap::new() }
    }

    fn includes(&mut self, found: &FoundCommand, here: &Here) -> bool {
        let mut is_allowed = false;
        for allowed in &mut self.allowed {
            let digest = allowed.text.strip_prefix("sha256:").unwrap_or(allowed.text);
            let is_this = match Digest::parse(&digest.to_lowercase()) {
                Some(digest) => digest == found.digest,
                None => found.path.starts_with(&allowed.path),
            };
            allowed.is_used |= is_this;
            is_allowed |= is_this;
        }
        is_allowed || self.is_approved(found, here)
    }

    /// Returns `true` if the user, or a pinned key, approved the source with this command. An approval
    /// covers hooks and MCP servers, and no other setting of their file.
    fn is_approved(&mut self, found: &FoundCommand, here: &Here) -> bool {
        let reviews = self.reviews.entry(found.directory.clone()).or_insert_with(|| {
            let roots = roots_of(&found.directory, here);
            roots.map(|roots| review_sources(&Here { roots, ..here.clone() })).unwrap_or_default()
        });
        reviews.iter().any(|review| {
            review.state == State::Approved
                && Path::new(&*review.source) == found.path
                && (found.command.is_hook || review.servers() > 0)
        })
    }

    fn unused(&self) -> impl Iterator<Item = &str> {
        self.allowed.iter().filter(|allowed| !allowed.is_used).map(|allowed| allowed.text)
    }
}

fn review_sources(here: &Here) -> Vec<Review> {
    let trust = here.trust_store();
    let mut found = trust.find(&here.roots).sources;
    let trust = trust.clone().knowing(&found);
    found.extend(trust.server_files(&here.roots, &found));
    found.iter().map(|source| trust.review(source)).collect()
}

/// Counts commands; one that several agents run is one.
fn count_distinct<'a>(rows: impl Iterator<Item = &'a (&'a FoundCommand, bool)>) -> usize {
    let places = rows.map(|(found, _)| (&found.path, found.command.line, &found.command.text));
    places.collect::<BTreeSet<_>>().len()
}

fn print_page(rows: &[(&FoundCommand, bool)], open: usize, term: Term) -> Result<(), Problem> {
    let found: Vec<&FoundCommand> = rows.iter().map(|(found, _)| *found).collect();
    let is_accepted = |command: &FoundCommand| {
        rows.iter().any(|(found, is_accepted)| std::ptr::eq(*found, command) && *is_accepted)
    };
    let note = |command: &FoundCommand| match is_accepted(command) {
        true => format!("  {}", paint(GOOD, "(accepted)")),
        false => String::new(),
    };
    term.print_data(&repository::command_lines(&found, note))?;
    let commands = format_count(count_distinct(rows.iter()), "command");
    term.print_data(&match (rows.len(), open) {
        (0, _) => format!("{}\n", paint(GOOD, "agents run nothing of this repository")),
        (_, 0) => format!(
            "{commands}: {}\n",
            paint(GOOD, "each is accepted, or runs only after a question")
        ),
        (_, open) => {
            let text = format!("{open} may run unasked, without your approval");
            format!("{commands}: {}\n", paint(ERROR, text))
        }
    })?;
    if open > 0 {
        let hint = "read these files before you start an agent here; `tenterhook trust` approves hooks and MCP servers, and `--allow FILE` accepts a file";
        term.print_labelled_note(HELP, "hint:", hint);
    }
    Ok(())
}

fn to_json(root: &Path, rows: &[(&FoundCommand, bool)], is_complete: bool) -> Value {
    let commands = rows.iter().map(|(found, is_accepted)| {
        let mut row = repository::command_json(found);
        row.insert("hook".to_owned(), found.command.is_hook.into());
        row.insert("digest".to_owned(), found.digest.to_string().into());
        row.insert("accepted".to_owned(), (*is_accepted).into());
        Value::Object(row)
    });
    let commands: Vec<Value> = commands.collect();
    json!({ "directory": root.to_string_lossy(), "complete": is_complete, "commands": commands })
}
