//! Does each word of the glossary have one meaning, and is it a word of the pages? Does not judge the meanings.

use std::collections::BTreeSet;

use super::Findings;
use crate::tree::File;

const PAGE: &str = "docs/guide/glossary.md";
/// A word that fewer pages use needs no entry.
const FEWEST_PAGES: usize = 2;

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else {
        return findings.error(PAGE, "does not exist");
    };
    let mut known = BTreeSet::new();
    for word in entries(&page.text) {
        if !known.insert(word) {
            findings
                .error(PAGE, format!("`{word}` has two meanings: keep one, and name the other"));
        }
        let is_page = |file: &&File| file.path.ends_with(".md") && file.path != PAGE;
        let uses = |file: &&File| file.text.to_lowercase().contains(word);
        if files.iter().filter(is_page).filter(uses).count() < FEWEST_PAGES {
            findings.error(PAGE, format!("`{word}` is hardly used in other pages: delete its row"));
        }
    }
}

/// The words of the first column. A cell may hold several, with commas between.
fn entries(page: &str) -> impl Iterator<Item = &str> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    // The head of the table is no word.
    cells.skip(1).flat_map(|(cell, _)| cell.split(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_with_two_rows_or_without_use_is_an_error() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let page =
            "| word | meaning |\n|---|---|\n| hook, gate | a |\n| gate | b |\n| moon | c |\n";
        let text = "A hook is a gate.";
        let files = [file(PAGE, page), file("a.md", text), file("b.md", text)];
        let mut findings = Findings::default();
        check(&files, &mut findings);
        let [two, unused] = &findings.errors[..] else { panic!("{findings:?}") };
        assert!(two.contains("`gate` has two meanings") && unused.contains("`moon`"), "{two}");
    }
}
