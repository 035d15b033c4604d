//! `check --fix`: mends what can only be meant one way, in place, with everything else of the text as it stands (C-88).
//!
//! A finding is mended when its help names the word that stands there in another case (`sessionstart`, `SessionStart`), or
//! what a key of another format is called here. A file is written when less is wrong in it then.

use std::path::Path;
use std::sync::Arc;

use tenterhook_core::config::{self, Added, Source};
use tenterhook_core::diagnostic::{Diagnostic, Severity};
use tenterhook_core::hook::Layer;

use super::change::replace_text_atomically;
use crate::load::Loaded;
use crate::problem::Problem;
use crate::show::diff;
use crate::show::layout::format_count;
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

/// Shows what can be fixed, and writes it if `write` is set. Returns whether anything was written.
pub(super) fn run(loaded: &Loaded, write: bool, term: Term) -> Result<bool, Problem> {
    let (ours, others): (Vec<&Source>, Vec<&Source>) =
        loaded.sources.iter().partition(|source| may_fix(source, loaded));
    let mended: Vec<Mended<'_>> = ours.into_iter().filter_map(fix_source).collect();
    let others: Vec<Mended<'_>> = others.into_iter().filter_map(fix_source).collect();
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
    term.print_data(&format!("{page}\n"))?;
    Ok(write && !mended.is_empty())
}

/// Fixes everything in a file that can be fixed, one finding at a time, because a fix may reveal
/// further findings.
fn fix_source(source: &Source) -> Option<Mended<'_>> {
    let mut now = source.clone();
    let mut fixes = 0;
    while let Some(next) = fix_one_finding(&now).filter(|_| fixes < MOST) {
        now = next;
        fixes += 1;
    }
    let is_better = count_errors_and_warnings(&diagnose_source(&now))
        < count_errors_and_warnings(&diagnose_source(source));
    is_better.then(|| Mended { source, text: now.text.to_string(), fixes })
}

/// Most fixes of one kind in one file. A text that seems to need more is left as it is.
const MOST: usize = 100;

/// Returns a source with one finding fixed; `None` if nothing can be fixed.
fn fix_one_finding(source: &Source) -> Option<Source> {
    let found = diagnose_source(source);
    let here = |diagnostic: &&Diagnostic| {
        diagnostic.place.as_ref().is_some_and(|place| place.file == source.name)
    };
    found.iter().filter(here).find_map(|diagnostic| {
        let edit = edit_for_diagnostic(diagnostic, &source.text)?;
        let text = apply_edit(&source.text, &edit);
        let next = Source { text: Arc::from(text), ..source.clone() };
        let left = self::diagnose_source(&next);
        let count =
            |all: &[Diagnostic]| all.iter().filter(|other| other.code == diagnostic.code).count();
        let is_gone = count(&left) < count(&found);
        // An entry that is read now may have its own mistake; a renamed key must not collide with an existing one.
        let is_better = count_errors_and_warnings(&left) < count_errors_and_warnings(&found)
            || (!edit.renames
                && count_errors_and_warnings(&left) == count_errors_and_warnings(&found));
        (is_gone && is_better).then_some(next)
    })
}

fn diagnose_source(source: &Source) -> Vec<Diagnostic> {
    config::load(std::slice::from_ref(source), &Added::default(), None).diagnostics
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
fn may_fix(source: &Source, loaded: &Loaded) -> bool {
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
