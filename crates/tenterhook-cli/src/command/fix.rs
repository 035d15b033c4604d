//! `check --fix`: mends what can only be meant one way, in place, with everything else of the text as it stands (C-88).
//!
//! A finding is mended when its help names the word that stands there in another case (`sessionstart`, `SessionStart`), or
//! what a key of another format is called here. A file is written when less is wrong in it then.

use std::path::Path;
use std::sync::Arc;

use tenterhook_core::config::{self, Added, Loaded, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic, Severity};
use tenterhook_core::hook::{Arming, Hook, Layer, Run};
use tenterhook_core::matcher::MatcherSpec;

use super::change::replace_text_atomically;
use crate::load::Loaded as Setup;
use crate::problem::Problem;
use crate::show::diff;
use crate::show::layout::{self, format_count};
use crate::show::paint::{GOOD, HELP, paint};
use crate::term::Term;

/// One replacement: a range of the text, and the new text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
    /// Whether a key gets another name, and not only other letters.
    renames: bool,
}

/// A file as it would be.
#[derive(Debug)]
struct Mended<'a> {
    source: &'a Source,
    text: String,
    fixes: usize,
}

/// What can be fixed in a file, and what only seems so.
#[derive(Debug)]
struct Fixed<'a> {
    mended: Option<Mended<'a>>,
    refusals: Vec<Refusal>,
}

/// What came of the edit for one finding.
#[derive(Debug)]
enum Attempt {
    /// The file is better with it.
    Fixed(Box<Source>),
    /// It would change what the file's hooks do.
    Refused(Refusal),
    /// There is no edit, or the file is no better with it.
    Useless,
}

/// An edit that is not made.
#[derive(Debug)]
struct Refusal {
    line: usize,
    column: usize,
    there: String,
    right: String,
    reason: Reason,
}

/// Why an edit is not made.
#[derive(Debug)]
enum Reason {
    /// The new key is in the object already.
    KeyTwice,
    /// This hook would run no longer, on fewer calls, or restrain less.
    LosesHook(String),
}

impl Refusal {
    /// Renders the refusal as one line, for a file with this name.
    fn to_line(&self, name: &str) -> String {
        let Self { line, column, there, right, .. } = self;
        let (there, right) = (layout::to_safe_line(there), layout::to_safe_line(right));
        let lead = format!("{name}:{line}:{column}: `{there}` is not changed to `{right}`");
        match &self.reason {
            Reason::KeyTwice => format!(
                "{lead}: that key is there already, and only one of the two would apply; move the entries of `{there}` into `{right}`"
            ),
            Reason::LosesHook(hook) => format!(
                "{lead}: the hook `{}` works now, and would run less often or no longer; change it by hand",
                layout::to_safe_line(hook)
            ),
        }
    }
}

/// Shows what can be fixed, and writes it if `write` is set. Returns whether anything was written.
pub(super) fn run(loaded: &Setup, write: bool, term: Term) -> Result<bool, Problem> {
    let (ours, others): (Vec<&Source>, Vec<&Source>) =
        loaded.sources.iter().partition(|source| may_fix(source, loaded));
    let ours: Vec<(&Source, Fixed<'_>)> =
        ours.into_iter().map(|source| (source, fix_source(source))).collect();
    let refusals: Vec<String> =
        ours.iter().flat_map(|(source, fixed)| refusal_lines(source, fixed, loaded)).collect();
    let mended: Vec<Mended<'_>> = ours.into_iter().filter_map(|(_, fixed)| fixed.mended).collect();
    let others: Vec<Mended<'_>> =
        others.into_iter().filter_map(|source| fix_source(source).mended).collect();
    for edit in &mended {
        let name = loaded.texts.display_name(&edit.source.name);
        term.print_data(&format!("{}\n", diff::unified_diff(name, &edit.source.text, &edit.text)))?;
    }
    let fixes = format_count(mended.iter().map(|m| m.fixes).sum(), "finding");
    let (style, sum) = match (mended.len(), write) {
        (0, _) if others.is_empty() => (HELP, "nothing can be mended safely".to_owned()),
        (0, _) => (HELP, "nothing can be mended safely in the files of this project".to_owned()),
        (_, false) => (HELP, format!("{fixes} can be mended with `--fix`")),
        (files, true) => (GOOD, format!("mended {fixes} in {}", format_count(files, "file"))),
    };
    for edit in mended.iter().filter(|_| write) {
        replace_text_atomically(Path::new(&*edit.source.name), &edit.text).map_err(|error| {
            let shown = loaded.texts.display_name(&edit.source.name);
            Problem::new(format!("`{shown}` cannot be written: {error}"))
        })?;
    }
    let mut page = format!("{}\n", paint(style, sum));
    for edit in &others {
        let (name, fixes) =
            (loaded.texts.display_name(&edit.source.name), format_count(edit.fixes, "finding"));
        page.push_str(&format!(
            "{fixes} can be mended in {name}, which is outside this project: `tenterhook check --fix {name}`\n"
        ));
    }
    refusals.iter().for_each(|line| page.push_str(&format!("{line}\n")));
    term.print_data(&format!("{page}\n"))?;
    Ok(write && !mended.is_empty())
}

fn refusal_lines(source: &Source, fixed: &Fixed<'_>, loaded: &Setup) -> Vec<String> {
    let name = loaded.texts.display_name(&source.name);
    fixed.refusals.iter().map(|refusal| refusal.to_line(name)).collect()
}

/// Fixes everything in a file that can be fixed, one finding at a time, because a fix may reveal
/// further findings.
fn fix_source(source: &Source) -> Fixed<'_> {
    let before = read_source(source);
    let mut now = source.clone();
    let mut fixes = 0;
    while let Some(next) = fix_one_finding(&now, &before).filter(|_| fixes < MOST) {
        now = next;
        fixes += 1;
    }
    let after = read_source(&now);
    let is_better = count_errors_and_warnings(&after.diagnostics)
        < count_errors_and_warnings(&before.diagnostics);
    let mended = is_better.then(|| Mended { source, text: now.text.to_string(), fixes });
    let left = if is_better { &now } else { source };
    Fixed { mended, refusals: refusals_in_source(left, &before) }
}

/// Returns why fixes that look possible are not made, a line each.
fn refusals_in_source(source: &Source, before: &Loaded) -> Vec<Refusal> {
    let found = read_source(source);
    found
        .diagnostics
        .iter()
        .filter_map(|diagnostic| match try_fix(diagnostic, source, &found, before) {
            Attempt::Refused(refusal) => Some(refusal),
            Attempt::Fixed(_) | Attempt::Useless => None,
        })
        .collect()
}

/// Most fixes of one kind in one file. A text that seems to need more is left as it is.
const MOST: usize = 100;

/// Returns a source with one finding fixed; `None` if nothing can be fixed. `before` is the file as
/// the user wrote it.
fn fix_one_finding(source: &Source, before: &Loaded) -> Option<Source> {
    let found = read_source(source);
    found.diagnostics.iter().find_map(|diagnostic| {
        match try_fix(diagnostic, source, &found, before) {
            Attempt::Fixed(next) => Some(*next),
            Attempt::Refused(_) | Attempt::Useless => None,
        }
    })
}

/// Makes the edit for one finding, and reads the result.
fn try_fix(diagnostic: &Diagnostic, source: &Source, found: &Loaded, before: &Loaded) -> Attempt {
    let place = diagnostic.place.as_ref().filter(|place| place.file == source.name);
    let Some((place, edit)) = place.zip(edit_for_diagnostic(diagnostic, &source.text)) else {
        return Attempt::Useless;
    };
    let text = apply_edit(&source.text, &edit);
    let next = Source { text: Arc::from(text), ..source.clone() };
    let left = read_source(&next);
    let count =
        |all: &Loaded, code| all.diagnostics.iter().filter(|other| other.code == code).count();
    let refuse = |reason| {
        let there = source.text.get(edit.start..edit.end).unwrap_or_default().to_owned();
        let (line, column, right) = (place.line, place.column, edit.text.clone());
        Attempt::Refused(Refusal { line, column, there, right, reason })
    };
    let repeats = |all: &Loaded| count(all, Code::DuplicateKeys) + count(all, Code::DuplicateKey);
    if repeats(&left) > repeats(found) {
        return refuse(Reason::KeyTwice);
    }
    if let Some(hook) = loosened_hook(before, &left) {
        return refuse(Reason::LosesHook(hook));
    }
    let is_gone = count(&left, diagnostic.code) < count(found, diagnostic.code);
    let (now, then) = (
        count_errors_and_warnings(&left.diagnostics),
        count_errors_and_warnings(&found.diagnostics),
    );
    // An entry that is read now may have its own mistake; a renamed key must not collide with an existing one.
    let is_better = now < then || (!edit.renames && now == then);
    if is_gone && is_better { Attempt::Fixed(Box::new(next)) } else { Attempt::Useless }
}

/// Returns the id of a hook that runs before a fix, and after it no longer runs, runs on fewer calls
/// or restrains less.
fn loosened_hook(before: &Loaded, after: &Loaded) -> Option<String> {
    let mut left = working_hooks(after);
    let lost = working_hooks(before).into_iter().find(|hook| {
        let replacement = left.iter().position(|other| replaces(other, hook));
        replacement.map(|at| left.swap_remove(at)).is_none()
    });
    lost.map(|hook| hook.id.to_string())
}

/// Returns the hooks that run when they are selected.
fn working_hooks(loaded: &Loaded) -> Vec<&Hook> {
    let hooks = loaded.ruleset.hooks().iter().map(Arc::as_ref);
    let works =
        |hook: &&Hook| hook.arming == Arming::Armed && !matches!(hook.run, Run::Unusable { .. });
    hooks.filter(works).collect()
}

/// Returns whether a hook of a fixed file runs what a hook of the file before runs, on all its
/// calls, and restrains as much.
fn replaces(after: &Hook, before: &Hook) -> bool {
    let printed = |hook: &Hook| format!("{:?}", hook.run);
    let has_matcher = |hook: &Hook| !matches!(hook.matcher.spec(), MatcherSpec::Any);
    let narrows = (has_matcher(after) && !has_matcher(before))
        || (after.condition.is_some() && before.condition.is_none());
    after.event == before.event
        && (after.phase, after.wait) == (before.phase, before.wait)
        && after.enforcement == before.enforcement
        && !narrows
        && printed(after) == printed(before)
}

fn read_source(source: &Source) -> Loaded {
    config::load(std::slice::from_ref(source), &Added::default(), None)
}

/// Counts errors and warnings. One error outweighs any number of warnings, so each fix gets nearer
/// to the end.
fn count_errors_and_warnings(found: &[Diagnostic]) -> (usize, usize) {
    let count =
        |severity| found.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    (count(Severity::Error), count(Severity::Warning))
}

/// Returns whether a fix may change the file: one that was named, or one of the project. A check
/// must not change other files.
fn may_fix(source: &Source, loaded: &Setup) -> bool {
    !loaded.found || matches!(source.layer, Layer::Project | Layer::Local)
}

/// Returns the edit that fixes a finding, if there is only one possible fix.
fn edit_for_diagnostic(diagnostic: &Diagnostic, text: &str) -> Option<Edit> {
    let span = diagnostic.place.as_ref()?.span;
    let there = text.get(span.start..span.end)?;
    let help = diagnostic.help.as_deref()?;
    let right = help.split('`').nth(1)?;
    if help == format!("it is called `{right}` here") {
        let bare = there.trim_matches(['"', '\'']);
        let start = span.start + there.find(bare)?;
        return Some(Edit {
            start,
            end: start + bare.len(),
            text: right.to_owned(),
            renames: true,
        });
    }
    let at = find_unique_word_ignoring_case(there, right)?;
    let start = span.start + at;
    let end = start + right.len();
    (text.get(start..end)? != right).then(|| Edit {
        start,
        end,
        text: right.to_owned(),
        renames: false,
    })
}

/// Returns the position of a whole word in a text, ignoring case; `None` if it does not occur
/// exactly once.
fn find_unique_word_ignoring_case(text: &str, word: &str) -> Option<usize> {
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.char_indices().map(|(at, _)| at).filter(|&at| {
        let same = |text: &str| text.eq_ignore_ascii_case(word);
        let before = text.get(..at).is_some_and(|text| text.ends_with(part));
        let after = text.get(at + word.len()..).is_some_and(|text| text.starts_with(part));
        text.get(at..at + word.len()).is_some_and(same) && !before && !after
    });
    let first = found.next().filter(|_| is_word)?;
    found.next().is_none().then_some(first)
}

fn apply_edit(text: &str, edit: &Edit) -> String {
    let before = text.get(..edit.start).unwrap_or_default();
    let after = text.get(edit.end..).unwrap_or_default();
    format!("{before}{}{after}", edit.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whole_and_once() {
        for (text, word, at) in [
            ("\"sessionstart\"", "SessionStart", Some(1)),
            ("bash(git *)", "Bash", Some(0)),
            ("bashful", "Bash", None),
            ("bash|BASH", "Bash", None),
            ("écrit bash", "Bash", Some(7)),
            ("a", "\"", None),
        ] {
            assert_eq!(find_unique_word_ignoring_case(text, word), at, "{text}");
        }
    }
}
