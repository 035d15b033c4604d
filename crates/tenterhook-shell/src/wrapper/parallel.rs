//! Finds the commands that GNU `parallel` runs. Walks words, reads no code.

use super::super::LONGEST_LINE;
use super::super::word::{Word, WordKind};
use super::{Behind, join_as_code};

/// The placeholders of `parallel`.
const PARALLEL_PLACES: &[&str] = &["{}", "{.}", "{/}", "{//}", "{1}", "{2}"];

/// Returns the code that GNU `parallel` runs: its words are a shell line; the words after `:::` are
/// quoted and inserted.
pub(super) fn code_run_by_parallel(words: &[Word]) -> Vec<Behind> {
    let is_mark = |word: &Word| matches!(word.text.as_str(), ":::" | ":::+");
    let at = words.iter().position(is_mark);
    let (command, arguments) = words.split_at(at.unwrap_or(words.len()));
    let arguments = arguments.iter().filter(|argument| !is_mark(argument));
    if command.is_empty() && at.is_none() {
        return vec![Behind::Input];
    }
    if command.is_empty() {
        return arguments.map(|argument| join_as_code(&[argument])).collect();
    }
    if command.iter().any(|word| word.kind == WordKind::Expansion) {
        return vec![Behind::Unknown];
    }
    // A pattern is expanded by the shell before `parallel` reads it.
    let as_read = |word: &Word| match word.kind {
        WordKind::Literal => word.text.clone(),
        WordKind::Pattern | WordKind::Expansion => word.source.clone(),
    };
    let mut line = command.iter().map(as_read).collect::<Vec<_>>().join(" ");
    let mut all = arguments.map(|argument| argument.source.as_str()).collect::<Vec<_>>().join(" ");
    if at.is_none() {
        "$@".clone_into(&mut all);
    }
    if !PARALLEL_PLACES.iter().any(|place| line.contains(place)) {
        return vec![Behind::Code(format!("{line} {all}"))];
    }
    for place in PARALLEL_PLACES {
        // Inserted words may hold placeholders, too: a result longer than a line may be is not
        // built.
        let longest = line.matches(place).count().saturating_mul(all.len());
        if longest > LONGEST_LINE {
            return vec![Behind::Unknown];
        }
        line = line.replace(place, &all);
    }
    vec![Behind::Code(line)]
}
