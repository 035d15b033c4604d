//! Is a path a second name of a guard's file: a link that leads there, or another hard link of it? And does a text mention such a
//! path at all? It asks the host's [`Files`](super::Files); it reads no command.

use std::collections::BTreeSet;

use super::Files;
use crate::call::files::is_copy_program;
use crate::call::path::{Paths, path_below_directory};
use crate::protect::{self, Hold};

/// Most words of a text that are looked up on the disk. A text with more of them is read in full, which finds what it writes.
const MOST_WORDS: usize = 128;
/// Most words of a text in all, those included that it says again and again.
const MOST_SAID: usize = 2048;
/// Deepest nest of quotes that is split into words.
const DEEPEST: usize = 4;
/// Longest word that is looked up: no system has a longer path.
const LONGEST: usize = 4 * 1024;
/// Most changes of the directory that are followed. A text with more of them is read in full.
const MOST_MOVES: usize = 3;

/// WordList whose next word is a directory from where the rest of a text goes on.
const MOVERS: &[&str] = &["cd", "pushd", "chdir", "-C", "--chdir", "--directory"];
/// Characters that end a word of a shell line outside of quotes.
const ENDS: &[char] = &[';', '|', '&', '<', '>', '(', ')', '`'];
/// Characters that end a path inside of a word: `of=FILE`, `open('FILE')`, `{FILE,}`.
const PARTS: &[char] = &['=', ',', ':', '@', '[', ']', '{', '}', '+', '\'', '"'];

/// Whether a path, relative to the project, is at least that much of a guard: by its letters, by
/// the target of its links, or by another name of its file (SP-9, SP-27).
pub(super) fn is_or_contains_guard(path: &str, least: Hold, paths: &Paths<'_>) -> bool {
    if protect::relation_of_path_to_guards(path) >= least {
        return true;
    }
    let path = paths.to_absolute(path, &paths.project);
    is_own_program_path(&path, least, paths)
        || is_guard_second_name(&path, least, paths)
        || expand_file_pattern(&path, paths)
            .iter()
            .any(|path| is_guard_second_name(path, least, paths))
}

/// Whether an absolute path is a directory outside of the project that contains a guard and much
/// else, or a part of a guard there: the home directory and what is above it, `~/.config`. Git and
/// programs that change permissions may do in a project what they may not do there.
pub(super) fn is_shared_parent_of_guard(path: &str, paths: &Paths<'_>) -> bool {
    if path_below_directory(&paths.home, path).is_some() {
        return true;
    }
    let seen = paths.path_seen_from_project(path, &paths.project);
    seen.starts_with(['~', '/']) && is_or_contains_guard(&seen, Hold::Parent, paths)
}

/// Whether a call runs in a directory that contains a guard and is not below the project: a line
/// without any path may empty it (SP-50).
pub(super) fn call_runs_above_guard(paths: &Paths<'_>) -> bool {
    let is_inside = path_below_directory(&paths.cwd, &paths.project).is_some()
        && path_below_directory(&paths.home, &paths.project).is_none();
    !is_inside
        && protect::relation_of_path_to_guards(
            &paths.path_seen_from_project(&paths.cwd, &paths.project),
        ) != Hold::Nothing
}

/// Returns the files that a pattern in the last part of a path matches. `*` without a letter
/// matches none (SP-6).
fn expand_file_pattern(path: &str, paths: &Paths<'_>) -> Vec<String> {
    let Some((directory, pattern)) = path.rsplit_once('/') else { return Vec::new() };
    let is_pattern = pattern.contains(['*', '?', '[']);
    let Some(files) = paths.files.filter(|_| is_pattern && pattern.contains(char::is_alphanumeric))
    else {
        return Vec::new();
    };
    let names = files.directory_entries(directory).into_iter();
    names
        .filter(|name| protect::shell_pattern_matches(pattern, name))
        .map(|name| format!("{directory}/{name}"))
        .collect()
}

/// Resolves the links of a path, and returns the target relative to the project; `None` if there is
/// no link on it.
pub(super) fn resolve_path_links(path: &str, paths: &Paths<'_>) -> Option<String> {
    let files = paths.files?;
    let target = files.resolve_links(&paths.to_absolute(path, &paths.project))?;
    // The project and the home may lie behind links themselves.
    let from = |directory: &String| {
        let real = files.resolve_links(directory)?;
        Some(format!("{directory}/{}", path_below_directory(&target, &real)?))
    };
    let from_start = [&paths.project, &paths.home].into_iter().find_map(from);
    Some(paths.path_seen_from_project(&from_start.unwrap_or(target), "/"))
}

/// Whether a text mentions a path that is a second name of a guard's file, or has to be read in
/// full to find out (SP-25).
pub(super) fn may_mention_guard(text: &str, paths: &Paths<'_>) -> bool {
    if paths.files.is_none() {
        return false;
    }
    let mut words = WordList::default();
    split_into_words(text, 0, &mut words);
    let WordList { all: words, different } = words;
    // The name under which a file arrives in a directory is no word of the text.
    if different.len() > MOST_WORDS
        || words.len() > MOST_SAID
        || different.iter().any(|word| is_copy_program(word))
    {
        return true;
    }
    let mut bases = vec![paths.cwd.clone()];
    for (mover, directory) in words.iter().zip(words.iter().skip(1)) {
        if MOVERS.contains(&mover.as_str()) {
            if bases.len() > MOST_MOVES {
                return true;
            }
            let from = bases.last().unwrap_or(&paths.cwd);
            bases.push(paths.to_absolute(directory, from));
        }
    }
    bases.iter().any(|base| {
        let mut paths_from_base = different.iter().map(|word| paths.to_absolute(word, base));
        paths_from_base.any(|path| {
            is_own_program_path(&path, Hold::Parent, paths)
                || is_guard_second_name(&path, Hold::Parent, paths)
        })
    })
}

/// Whether an absolute path is the running program, or a directory around it (SP-41).
fn is_own_program_path(path: &str, least: Hold, paths: &Paths<'_>) -> bool {
    let Some(own) = paths.files.and_then(Files::own_program_path) else { return false };
    own == path
        || least == Hold::Parent && path.len() > 1 && path_below_directory(own, path).is_some()
}

fn is_guard_second_name(path: &str, least: Hold, paths: &Paths<'_>) -> bool {
    let Some(files) = paths.files else { return false };
    let is_below = |base: &&String| path_below_directory(path, base).is_some();
    let base = [&paths.project, &paths.home].into_iter().find(is_below);
    if !files.may_be_second_name(base.map_or("", String::as_str), path) {
        return false;
    }
    let is_own = |real: String| is_own_program_path(&real, least, paths);
    files.resolve_links(path).is_some_and(is_own)
        || resolve_path_links(path, paths)
            .is_some_and(|target| protect::relation_of_path_to_guards(&target) >= least)
        || files.hard_links(path, &|| directories_of_guard_files(paths)).iter().any(|name| {
            protect::relation_of_path_to_guards(&paths.path_seen_from_project(name, "/"))
                == Hold::Part
        })
}

/// Returns the directories that may contain files of a guard: those of the table, in the project,
/// in the home directory and in the working directory.
fn directories_of_guard_files(paths: &Paths<'_>) -> Vec<String> {
    let starts = [&paths.project, &paths.cwd, &paths.home];
    let mut found: Vec<String> = protect::guarded_directories()
        .flat_map(|directory| match directory {
            rooted if rooted.starts_with(['/', '~']) => vec![absolute_path_in_home(rooted, paths)],
            below => starts.iter().map(|start| format!("{start}/{below}")).collect(),
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns a directory of the table that is relative to the home directory, as an absolute path.
fn absolute_path_in_home(directory: &str, paths: &Paths<'_>) -> String {
    match directory.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", paths.home),
        None => directory.to_owned(),
    }
}

/// Splits a text into words without their quotes, and into the parts of each word that may be
/// paths.
fn split_into_words(text: &str, depth: usize, found: &mut WordList) {
    let (mut word, mut quote, mut is_escaped) = (String::new(), None, false);
    let mut quoted_from = 0;
    let is_end =
        |c: char| c.is_whitespace() || ENDS.contains(&c) || depth > 0 && PARTS.contains(&c);
    for c in text.chars() {
        match (quote, c) {
            _ if is_escaped => {
                word.push(c);
                is_escaped = false;
            }
            (None | Some('"'), '\\') => is_escaped = true,
            (Some(open), _) if open == c => {
                quote = None;
                // Code puts letters before a text, as in `r'FILE'`.
                let text = word.get(quoted_from..).filter(|_| quoted_from > 0);
                text.into_iter().for_each(|text| add_word_and_parts(text, depth, found));
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                quoted_from = word.len();
            }
            (None, _) if is_end(c) => add_word_and_parts(&std::mem::take(&mut word), depth, found),
            _ => word.push(c),
        }
        if found.is_full() {
            return;
        }
    }
    add_word_and_parts(&word, depth, found);
    if quote.is_some() {
        // An apostrophe that opens nothing, as in a comment.
        let is_end = |c: char| c.is_whitespace() || ENDS.contains(&c) || PARTS.contains(&c);
        text.split(is_end).for_each(|word| add_word_and_parts(word, DEEPEST, found));
    }
}

/// The words of a text.
#[derive(Debug, Default)]
struct WordList {
    /// In the order in which the text says them.
    all: Vec<String>,
    /// Each once: it is looked up on the disk once.
    different: BTreeSet<String>,
}

impl WordList {
    fn push_word(&mut self, word: &str) {
        self.all.push(word.to_owned());
        if !self.different.contains(word) {
            self.different.insert(word.to_owned());
        }
    }

    /// Whether there are more words than are checked.
    fn is_full(&self) -> bool {
        self.different.len() > MOST_WORDS || self.all.len() > MOST_SAID
    }
}

/// Adds a word, the value of an option, and the words in it.
fn add_word_and_parts(word: &str, depth: usize, found: &mut WordList) {
    if word.is_empty() || found.is_full() {
        return;
    }
    if word.len() <= LONGEST && !word.contains('\n') {
        found.push_word(word);
        let attached = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        attached
            .and_then(|rest| rest.get(1..))
            .into_iter()
            .for_each(|value| found.push_word(value));
    }
    let is_nested = |c: char| c.is_whitespace() || ENDS.contains(&c) || PARTS.contains(&c);
    if depth < DEEPEST && word.contains(is_nested) {
        split_into_words(word, depth + 1, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_with_quotes_and_code_gives_each_path() {
        for text in [
            "echo x > s.json",
            "echo x >s.json",
            "dd of=s.json",
            "sort -os.json",
            "python3 -c \"open('s.json','w')\"",
            "python3 -c \"open(r's.json','w')\"",
            "bash -c \"bash -c 'echo > s.json'\"",
            "ls # don't\necho x > s.json # can't",
            "echo x > s.\"json\"",
            "echo x > s\\.json",
            "tee {s.json,b}",
            "f=s.json; echo > $f",
        ] {
            let mut words = WordList::default();
            split_into_words(text, 0, &mut words);
            assert!(words.all.iter().any(|word| word == "s.json"), "{text}: {words:?}");
        }
        let mut words = WordList::default();
        split_into_words("echo > 'my s.json'", 0, &mut words);
        assert!(words.all.iter().any(|word| word == "my s.json"), "{words:?}");
    }

    #[test]
    fn long_text_stops_at_the_limit() {
        let mut words = WordList::default();
        split_into_words(&"a ".repeat(10_000), 0, &mut words);
        assert!(words.all.len() <= MOST_SAID + 2, "{}", words.all.len());
    }
}
