//! What does GNU `parallel` run of its words? Walks words, reads no code.

use super::super::LONGEST_LINE;
use super::super::word::{Word, WordKind};
use super::{Behind, as_code};

/// Where `parallel` puts what it was handed.
const PARALLEL_PLACES: &[&str] = &["{}", "{.}", "{/}", "{//}", "{1}", "{2}"];

/// GNU `parallel`: its words are a line of the shell; what comes behind `:::` is quoted and put into it.
pub(super) fn parallel(words: &[Word]) -> Vec<Behind> {
    let is_mark = |word: &Word| matches!(word.text.as_str(), ":::" | ":::+");
    let at = words.iter().position(is_mark);
    let (command, arguments) = words.split_at(at.unwrap_or(words.len()));
    let arguments = arguments.iter().filter(|argument| !is_mark(argument));
    if command.is_empty() && at.is_none() {
        return vec![Behind::Input];
    }
    if command.is_empty() {
        return arguments.map(|argument| as_code(&[argument])).collect();
    }
    if command.iter().any(|word| word.kind == WordKind::Expansion) {
        return vec![Behind::Unknown];
    }
    // A pattern is the shell's before it is a word of `parallel`.
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
        // What it is handed may hold places, too: longer than a line can be, it is not put together.
        let longest = line.matches(place).count().saturating_mul(all.len());
        if longest > LONGEST_LINE {
            return vec![Behind::Unknown];
        }
        line = line.replace(place, &all);
    }
    vec![Behind::Code(line)]
}
