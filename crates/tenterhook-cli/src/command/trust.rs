//! `trust` and `untrust`: shows what hooks of a repository would do, asks once a source, and keeps the answer. Runs none of them, but by
//! `trust try`.

mod compare;
mod page;
mod sign;
mod trial;

pub(super) use trial::require_sandbox;

use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use tenterhook::internal::record::UserActionKind;
use tenterhook::trust::{Origin, Review, State, Trust};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::{DialectId, Silencer};

use crate::ambient::Here;
use crate::args::{TrustArgs, TrustDo, TrustWhich};
use crate::exit::Exit;
use crate::journal;
use crate::load::shorten_path;
use crate::person;
use crate::problem::Problem;
use crate::repository;
use crate::show::layout;
use crate::show::paint::{BOLD, GOOD, paint};
use crate::silence;
use crate::term::Term;

pub(crate) fn run(args: &TrustArgs, here: &Here, term: Term) -> Result<Exit, Problem> {
    match &args.what {
        None if args.compare => compare::run(&args.which.sources, here, term),
        None => ask_to_approve_sources(&args.which, here, term),
        Some(TrustDo::Status) => print_status(here, term),
        Some(TrustDo::Diff { sources }) => print_diff(sources, here, term),
        Some(TrustDo::Try { sources }) => trial::run(sources, here, term),
        Some(TrustDo::Sign { key, sources }) => sign::sign_sources(key, sources, here, term),
        Some(TrustDo::Key { file }) => sign::create_or_read_key_and_print(file, here, term),
    }
}

/// Returns the reviews of the named sources. Without names: of all non-empty sources of the
/// repository, and of the user's own files that have an approval.
fn find_reviews(named: &[PathBuf], trust: &Trust, here: &Here) -> Result<Vec<Review>, Problem> {
    let mut found = trust.find(&here.roots).sources;
    let trust = trust.clone().knowing(&found);
    found.extend(trust.server_files(&here.roots, &found));
    let modules = silence::silencer_module_sources(here).into_iter();
    let is_known = |source: &Source| found.iter().any(|known| known.name == source.name);
    let modules: Vec<Source> = modules.filter(|source| !is_known(source)).collect();
    found.extend(modules);
    let review = |source: &Source| trust.review(source);
    if named.is_empty() {
        let all = found.iter().filter(|source| Trust::origin(source) == Origin::Repository);
        let own = found.iter().filter(|source| Trust::origin(source) == Origin::Own);
        // The user's own files need no approval; if there is one, it must match.
        let held = own.map(review).filter(|review| review.state != State::Unknown);
        return Ok(all.map(review).filter(|review| !review.is_empty()).chain(held).collect());
    }
    named.iter().map(|name| find_named_source(name, &found, here).map(review)).collect()
}

/// Finds the source that the user named.
fn find_named_source<'a>(
    name: &Path,
    found: &'a [Source],
    here: &Here,
) -> Result<&'a Source, Problem> {
    let path = here.roots.cwd.join(name);
    found.iter().find(|source| is_same_file(Path::new(&*source.name), &path)).ok_or_else(|| {
        Problem::new(format!("`{}` is not read from here", name.display()))
            .with_help("`tenterhook list` names the files that are")
    })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().ok().is_some_and(|path| Some(path) == other.canonicalize().ok())
}

fn ask_to_approve_sources(which: &TrustWhich, here: &Here, term: Term) -> Result<Exit, Problem> {
    person::require_no_calling_agent("tenterhook trust", here)?;
    let trust = here.trust_store();
    let (mut left, mut open) = (0, Vec::new());
    let reviews = find_reviews(&which.sources, &trust, here)?;
    require_known_digests(&which.yes, &reviews)?;
    if which.yes.is_empty() && which.sources.is_empty() {
        let commands = repository::find_commands(here);
        term.print_data(&repository::commands_beside_tool_calls_text(&commands))?;
        term.print_data(&repository::hook_files_text(&commands))?;
    }
    for review in &reviews {
        let shown = shorten_path(&review.source, &here.roots);
        // A user who names digests reads only those sources.
        if !which.yes.is_empty() && !which.yes.contains(&review.digest.to_string()) {
            continue;
        }
        if review.state == State::Approved {
            term.print_note(&format!("{shown} is already approved"));
            continue;
        }
        if !open.is_empty() {
            term.print_data("\n")?;
        }
        term.print_data(&page::render_review(review, &shown, term.width()))?;
        if review.state == State::Changed {
            term.print_data(&describe_changes(review, &trust, here))?;
        }
        if let Some(why) = review.too_much() {
            let problem = Problem::new(format!("`{shown}` cannot be approved: {why}"));
            return Err(match review.unread {
                Some(_) => problem.with_help("mend it, or delete it"),
                None => problem.with_help("keep hooks in a separate folder"),
            });
        }
        let answer = match which.yes.is_empty() {
            false => Answer::Yes,
            true if can_ask_user() => ask_about_source(review, term)?,
            true => {
                open.push(format!("--yes {}", review.digest));
                continue;
            }
        };
        left += usize::from(answer == Answer::Later);
        record_decision(review, answer.action_to_record(), here, term)?;
        store_answer(&trust, review, &shown, answer, term)?;
    }
    if reviews.is_empty() {
        term.print_note("no hooks came with this project");
    }
    let silencers = unsettled_silencers(here);
    term.print_data(&page::silencers_text(&silencers, here))?;
    if !open.is_empty() {
        return Err(Problem::new("cannot ask for approval here: no terminal").with_help(format!(
            "type `tenterhook trust` in a terminal; a script that knows what it approves says `{}`",
            open.join(" ")
        )));
    }
    Ok(if left == 0 && silencers.is_empty() { Exit::Good } else { Exit::Wrong })
}

/// Returns what silences hooks of agents and is not settled by an approval.
fn unsettled_silencers(here: &Here) -> Vec<Silencer> {
    silence::silencers_of_all_agents(here).into_iter().filter(silence::has_error_severity).collect()
}

/// Returns an error if a digest in the arguments matches no source.
fn require_known_digests(yes: &[String], reviews: &[Review]) -> Result<(), Problem> {
    let unknown = yes.iter().find(|text| !reviews.iter().any(|at| at.digest.to_string() == **text));
    // An unreadable source has a different digest, although its bytes are unchanged.
    let unread = reviews.iter().find_map(Review::too_much);
    let why = unread.unwrap_or_else(|| "something changed".to_owned());
    unknown.map_or(Ok(()), |digest| {
        Err(Problem::new(format!("no review has the digest `{digest}`: {why}"))
            .with_help("`tenterhook trust status` prints the digests of what is there"))
    })
}

/// Records the user's decision, before it takes effect.
fn record_decision(
    review: &Review,
    kind: Option<UserActionKind>,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    let Some(kind) = kind else { return Ok(()) };
    journal::record_user_decision((kind, &review.source, &review.digest.to_string()), here, term)
}

fn store_answer(
    trust: &Trust,
    review: &Review,
    shown: &str,
    answer: Answer,
    term: Term,
) -> Result<(), Problem> {
    let (kept, said) = match answer {
        Answer::Yes => (trust.approve(review), format!("{} {shown}", paint(GOOD, "approved"))),
        Answer::Never => (trust.refuse(review), format!("refused {shown}, as it stands")),
        Answer::Later => {
            let held = match review.dialect {
                DialectId::NATIVE => ", and its gates hold the calls that they match",
                _ => "",
            };
            (Ok(()), format!("{shown} is not approved: nothing of it runs{held}"))
        }
    };
    kept.map_err(|error| {
        Problem::new(format!("the answer cannot be stored: {error}"))
            .with_help("the directory of state must be yours alone: `chmod go-w` it")
    })?;
    term.print_note(&said);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    Later,
    Never,
}

impl Answer {
    /// Returns the decision to record.
    const fn action_to_record(self) -> Option<UserActionKind> {
        match self {
            Self::Yes => Some(UserActionKind::Approve),
            Self::Later => None,
            Self::Never => Some(UserActionKind::Refuse),
        }
    }
}

/// Asks a question whose default is no.
fn confirm(question: &str, term: Term) -> Result<bool, Problem> {
    Ok(matches!(&*read_answer(&format!("{} [y/N] ", paint(BOLD, question)), term)?, "y" | "yes"))
}

/// Prints a question and reads what the user types.
fn read_answer(question: &str, term: Term) -> Result<String, Problem> {
    term.print_prompt(question);
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Problem::new(format!("the answer cannot be read: {error}")))?;
    Ok(line.trim().to_lowercase())
}

/// Returns whether a user sees the question and can answer: without a terminal there is no answer
/// (T-18).
fn can_ask_user() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks once for all hooks of a source.
fn ask_about_source(review: &Review, term: Term) -> Result<Answer, Problem> {
    let hooks = layout::format_count(review.entries.len(), "hook");
    let question = match review.state {
        State::Changed => "approve the changes?".to_owned(),
        _ => match (review.entries.len(), review.servers()) {
            (0, 1) => "may this MCP server start?".to_owned(),
            (0, many) if many > 0 => format!("may these {many} MCP servers start?"),
            (0, _) => "may what it says count?".to_owned(),
            (1, _) => "may this hook run?".to_owned(),
            _ => format!("may these {hooks} run?"),
        },
    };
    let question = format!("{} [y/N/never] ", paint(BOLD, &question));
    loop {
        return Ok(match &*read_answer(&question, term)? {
            "y" | "yes" => Answer::Yes,
            "never" => Answer::Never,
            "" | "n" | "no" => Answer::Later,
            _ => {
                term.print_note("please answer `y`, `n` or `never`");
                continue;
            }
        });
    }
}

/// Removes the stored approvals.
pub(crate) fn untrust_sources(
    which: &TrustWhich,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    person::require_no_calling_agent("tenterhook untrust", here)?;
    let trust = here.trust_store();
    let reviews = find_reviews(&which.sources, &trust, here)?;
    require_known_digests(&which.yes, &reviews)?;
    let said: Vec<&Review> =
        reviews.iter().filter(|review| review.state != State::Unknown).collect();
    if said.is_empty() {
        term.print_note("no approval or refusal is stored for hooks here");
        return Ok(Exit::Good);
    }
    for review in said {
        let shown = shorten_path(&review.source, &here.roots);
        let asked = which.yes.is_empty();
        // A gate that is approved guards something: to take that back is a person's word, too.
        if asked && !can_ask_user() {
            return Err(Problem::new("cannot ask for confirmation here: no terminal").with_help(
                format!(
                    "type `tenterhook untrust` in a terminal; a script says `--yes {}`",
                    review.digest
                ),
            ));
        }
        let says_yes = match asked {
            true => confirm(&format!("remove the approval of {shown}?"), term)?,
            false => which.yes.contains(&review.digest.to_string()),
        };
        if !says_yes {
            term.print_note(&format!("{shown} stays as it is"));
            continue;
        }
        record_decision(review, Some(UserActionKind::Forget), here, term)?;
        trust.forget(review).map_err(|error| {
            Problem::new(format!("cannot remove the approval of `{shown}`: {error}"))
        })?;
        term.print_note(&format!("removed the approval of {shown}"));
    }
    Ok(Exit::Good)
}

fn print_status(here: &Here, term: Term) -> Result<Exit, Problem> {
    let reviews = find_reviews(&[], &here.trust_store(), here)?;
    let commands = repository::find_commands(here);
    let mut out = repository::hook_files_text(&commands);
    for review in &reviews {
        out.push_str(&page::status_line(review, &shorten_path(&review.source, &here.roots)));
    }
    if reviews.is_empty() {
        out.push_str("no hooks came with this project\n");
    }
    let silencers = unsettled_silencers(here);
    out.push_str(&page::silencers_text(&silencers, here));
    out.push_str(&repository::commands_beside_tool_calls_text(&commands));
    term.print_data(&out)?;
    let settled = |review: &Review| matches!(review.state, State::Approved | State::Refused);
    let is_settled = reviews.iter().all(settled) && silencers.is_empty();
    Ok(if is_settled { Exit::Good } else { Exit::Wrong })
}

fn print_diff(named: &[PathBuf], here: &Here, term: Term) -> Result<Exit, Problem> {
    let trust = here.trust_store();
    let mut out = String::new();
    for review in find_reviews(named, &trust, here)? {
        let shown = shorten_path(&review.source, &here.roots);
        if review.approved_text.is_none() {
            out.push_str(&format!(
                "{shown} was never approved: `tenterhook trust` shows all of it\n"
            ));
            continue;
        }
        let mut changes = describe_changes(&review, &trust, here);
        let mut moved: Vec<&String> =
            review.entries.iter().flat_map(|entry| &entry.moved_programs).collect();
        moved.dedup();
        moved.iter().for_each(|moved| changes.push_str(&format!("{shown}: {moved}\n")));
        if changes.is_empty() {
            let state = review.state.label();
            out.push_str(&format!("{shown} stands as it did when it was approved ({state})\n"));
        }
        out.push_str(&changes);
    }
    term.print_data(&out)?;
    Ok(Exit::Good)
}

/// Describes how a source, and each file that its hooks run, differs from what was approved; empty
/// without differences.
fn describe_changes(review: &Review, trust: &Trust, here: &Here) -> String {
    let Some(then) = &review.approved_text else { return String::new() };
    let shown = shorten_path(&review.source, &here.roots);
    let mut out = String::new();
    if *then != *review.text {
        out.push_str(&crate::show::diff::unified_diff(&shown, then, &review.text));
    }
    for file in trust.changed_files(review) {
        let name = shorten_path(&file.path.to_string_lossy(), &here.roots);
        match file.sizes {
            Some((then, now)) => {
                let name = layout::to_safe_line(&name);
                let text = format!("{name}: binary file changed ({then} bytes -> {now} bytes)\n");
                out.push_str(&text);
            }
            None => out.push_str(&crate::show::diff::unified_diff(&name, &file.then, &file.now)),
        }
    }
    out
}

/// Approves a file that this program has just written on the user's request, so that its own
/// entries do not block anything (T-19).
pub(crate) fn approve_written_file(path: &Path, here: &Here, term: Term) {
    let trust = here.trust_store();
    let Some(review) = review_project_file(path, &trust, here) else { return };
    let approved = record_decision(&review, Some(UserActionKind::Approve), here, term)
        .and_then(|()| trust.approve(&review).map_err(|error| Problem::new(error.to_string())));
    if let Err(problem) = approved {
        term.print_note(&format!("it is not approved yet: {}", problem.message));
    }
}

/// Removes the approval of a project file that this program is about to remove on the user's
/// request, so that its absence blocks nothing (T-71). What an agent removes stays approved.
pub(crate) fn forget_approval_of_removed_file(
    path: &Path,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    let trust = here.trust_store();
    let said =
        review_project_file(path, &trust, here).filter(|review| review.state != State::Unknown);
    let Some(review) = said else { return Ok(()) };
    if person::require_no_calling_agent("tenterhook rules remove", here).is_err() {
        return Ok(());
    }
    record_decision(&review, Some(UserActionKind::Forget), here, term)?;
    trust.forget(&review).map(drop).map_err(|error| {
        Problem::new(format!("the approval of `{}` cannot be removed: {error}", path.display()))
    })
}

/// Returns the review of a file that came with the project.
fn review_project_file(path: &Path, trust: &Trust, here: &Here) -> Option<Review> {
    let found = trust.find(&here.roots).sources;
    let is_own = |source: &&Source| {
        Path::new(&*source.name) == path && Trust::origin(source) == Origin::Repository
    };
    found.iter().find(is_own).map(|source| trust.review(source))
}
