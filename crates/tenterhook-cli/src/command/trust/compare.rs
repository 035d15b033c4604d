//! `trust --compare`: does a gate answer from its copy as it does from the project? Runs both in a sandbox, without network and with
//! only a private directory to write to. Approves nothing.

use std::path::{Path, PathBuf};

use tenterhook::internal::trust::Entry;
use tenterhook::trust::{Review, Trust};
use tenterhook_core::hook::{Command, Hook, Invocation, Run, Shell};

use super::trial;
use crate::ambient::Here;
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::person;
use crate::problem::Problem;
use crate::scratch::Scratch;
use crate::show::layout::{to_safe_line, wrap_text};
use crate::show::paint::{BOLD, ERROR, paint};
use crate::term::Term;

/// The width of a hook's line number and the blanks behind it.
const INDENT: usize = 8;
/// How many digits the name of a copy has.
const DIGITS: usize = 64;

/// The answers of one hook from one place.
#[derive(PartialEq, Eq)]
struct Answer {
    decision: String,
    ended: String,
    errors: String,
}

pub(super) fn run(named: &[PathBuf], here: &Here, term: Term) -> Result<Exit, Problem> {
    person::require_no_calling_agent("tenterhook trust", here)?;
    trial::require_sandbox()?;
    let reviews = super::find_reviews(named, &here.trust_store(), here)?;
    let scratch = Scratch::create_or_warn(&here.state, term);
    let kept = tempfile::TempDir::new()
        .map_err(|error| Problem::new(format!("no directory for copies can be made: {error}")))?;
    let trust = Trust::at(kept.path()).within(&here.env);
    let (mut compared, mut differ) = (0, 0);
    for review in &reviews {
        let mut page =
            format!("{}\n", paint(BOLD, to_safe_line(&shorten_path(&review.source, &here.roots))));
        for (entry, copied) in review.entries.iter().zip(trust.rehearse(review)) {
            let Some(found) = compare_gate_with_approved_copy(
                entry,
                copied,
                review,
                (kept.path(), &scratch),
                here,
                term,
            )?
            else {
                continue;
            };
            compared += 1;
            differ += usize::from(!found.is_same);
            page.push_str(&comparison_row(entry, &found, term.width()));
        }
        term.print_data(&page)?;
    }
    scratch.discard();
    if compared == 0 {
        term.print_note("no gate of this project runs from a copy");
    }
    Ok(if differ == 0 { Exit::Good } else { Exit::Wrong })
}

/// What a comparison found, in words.
struct Found {
    is_same: bool,
    lines: Vec<String>,
}

/// Compares the answers of a gate and of its approved copy; `None` if it has no copy.
fn compare_gate_with_approved_copy(
    entry: &Entry,
    copied: std::io::Result<Hook>,
    review: &Review,
    (kept, scratch): (&Path, &Scratch),
    here: &Here,
    term: Term,
) -> Result<Option<Found>, Problem> {
    let is_gate = entry.can.contains(&"block calls");
    if !is_gate || !matches!(entry.hook.run, Run::Command(_)) {
        return Ok(None);
    }
    if let Some(why) = &entry.pins.from_place {
        let line = format!("runs from the project in any case: {why}");
        return Ok(Some(Found { is_same: true, lines: vec![line] }));
    }
    let copy = match copied {
        Ok(hook) => hook,
        Err(error) => {
            let line = format!("its copy cannot be made: {error}");
            return Ok(Some(Found { is_same: false, lines: vec![line] }));
        }
    };
    let answers = term.run_with_progress("comparing the gates", || {
        let plain = |hook| run_twice(hook, (kept, &review.project), scratch, here);
        Ok::<_, Problem>((plain(&entry.hook)?, plain(&copy)?))
    });
    let (project, copy) = answers?;
    let shown = [
        ("decision", &project.decision, &copy.decision),
        ("end", &project.ended, &copy.ended),
        ("stderr", &project.errors, &copy.errors),
    ];
    let differs = shown.iter().filter(|(_, one, other)| one != other);
    let lines: Vec<String> = differs
        .map(|(what, one, other)| {
            format!("{what} from the project: `{one}`; from the copy: `{other}`")
        })
        .collect();
    Ok(Some(Found { is_same: lines.is_empty(), lines }))
}

/// Runs a hook twice: unchanged, and once more to get what it writes to stderr.
fn run_twice(
    hook: &Hook,
    (kept, project): (&Path, &Path),
    scratch: &Scratch,
    here: &Here,
) -> Result<Answer, Problem> {
    let outcome = trial::fire_confined(hook, scratch, here)?;
    let ended = outcome
        .steps
        .first()
        .map_or_else(|| "did not run".to_owned(), |step| step.ended.to_string());
    let errors = trial::fire_confined(&with_stderr_as_denial(hook), scratch, here)?
        .reason()
        .unwrap_or_default();
    let reason = outcome.reason().unwrap_or_default();
    let decision = format!("{:?} {reason}", outcome.restraint);
    let plain = |text: &str| with_copy_paths_replaced(text, kept, project);
    Ok(Answer { decision: plain(&decision), ended, errors: plain(&errors) })
}

/// Returns the hook changed so that it always denies, with what it writes to stderr as the reason.
fn with_stderr_as_denial(hook: &Hook) -> Hook {
    let mut hook = hook.clone();
    let Run::Command(command) = &mut hook.run else { return hook };
    let (text, shell) = match &command.invocation {
        Invocation::Shell { text, shell } => (text.clone(), *shell),
        Invocation::Argv { program, args } => {
            let words = std::iter::once(program).chain(args);
            let words: Vec<String> = words.map(|word| shell_quote(word)).collect();
            (words.join(" "), Shell::Sh)
        }
    };
    let text = format!("( {text}\n) 2>&1 >/dev/null | head -c 4096 >&2; exit 2");
    let invocation = Invocation::Shell { text, shell };
    *command = Command { invocation, ..command.clone() };
    hook
}

/// Quotes a text as one word for the shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a text with the paths of copies replaced by those of the project.
fn with_copy_paths_replaced(text: &str, kept: &Path, project: &Path) -> String {
    let root = kept.join("trust/copies").display().to_string();
    let mut plain = String::new();
    let mut parts = text.split(&root);
    plain.extend(parts.next());
    for part in parts {
        // A slash and the digest.
        plain.push_str(&project.display().to_string());
        plain.push_str(part.get(DIGITS + 1..).unwrap_or_default());
    }
    plain
}

fn comparison_row(entry: &Entry, found: &Found, width: usize) -> String {
    let number = entry.hook.place.as_ref().map_or(0, |place| place.line);
    let state = if found.is_same { "answers the same".to_owned() } else { paint(ERROR, "differs") };
    let mut out = format!("{number:>6}  {}: {state}\n", to_safe_line(entry.hook.id.as_str()));
    for text in &found.lines {
        for row in wrap_text(&to_safe_line(text), width.saturating_sub(INDENT)) {
            out.push_str(&format!("{:INDENT$}{row}\n", ""));
        }
    }
    out
}
