//! Is a path a second name of a guard's file: a link that leads there, or another hard link of it? And does a text mention such a
//! path at all? It asks the host's [`Files`](super::Files); it reads no command.

use std::collections::BTreeSet;

use super::Files;
use crate::call::files::is_copier;
use crate::call::path::{Paths, below};
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

/// Whether a path, written as seen from the project, is at least that much of a guard: by its letters, by where its links lead, or
/// by another name of its file (SP-9, SP-27).
pub(super) fn holds(path: &str, least: Hold, paths: &Paths<'_>) -> bool {
    if protect::hold(path) >= least {
        return true;
    }
    let path = paths.absolute(path, &paths.project);
    is_own_program(&path, least, paths)
        || is_second_name(&path, least, paths)
        || matches(&path, paths).iter().any(|path| is_second_name(path, least, paths))
}

/// Whether an absolute path is a directory outside of the project that holds a guard beside much else, or a part of a guard there: the
/// home and what is above it, `~/.config`. Git and editors of rights may do in a project what they may not do there.
pub(super) fn is_shared_parent_of_guard(path: &str, paths: &Paths<'_>) -> bool {
    if below(&paths.home, path).is_some() {
        return true;
    }
    let seen = paths.seen(path, &paths.project);
    seen.starts_with(['~', '/']) && holds(&seen, Hold::Parent, paths)
}

/// Whether a call runs in a directory that holds a guard and is not below the project: a line that names nothing may empty it (SP-50).
pub(super) fn stands_above(paths: &Paths<'_>) -> bool {
    let is_inside =
        below(&paths.cwd, &paths.project).is_some() && below(&paths.home, &paths.project).is_none();
    !is_inside && protect::hold(&paths.seen(&paths.cwd, &paths.project)) != Hold::Nothing
}

/// The files that a pattern in the last part of a path stands for. `*` without a letter stands for none (SP-6).
fn matches(path: &str, paths: &Paths<'_>) -> Vec<String> {
    let Some((directory, pattern)) = path.rsplit_once('/') else { return Vec::new() };
    let is_pattern = pattern.contains(['*', '?', '[']);
    let Some(files) = paths.files.filter(|_| is_pattern && pattern.contains(char::is_alphanumeric))
    else {
        return Vec::new();
    };
    let names = files.entries(directory).into_iter();
    names
        .filter(|name| protect::is_match(pattern, name))
        .map(|name| format!("{directory}/{name}"))
        .collect()
}

/// Where the links of a path lead, as seen from the project; nothing where no link is on the way.
pub(super) fn real(path: &str, paths: &Paths<'_>) -> Option<String> {
    let files = paths.files?;
    let target = files.behind_links(&paths.absolute(path, &paths.project))?;
    // The project and the home may lie behind links themselves.
    let from = |directory: &String| {
        let real = files.behind_links(directory)?;
        Some(format!("{directory}/{}", below(&target, &real)?))
    };
    let from_start = [&paths.project, &paths.home].into_iter().find_map(from);
    Some(paths.seen(&from_start.unwrap_or(target), "/"))
}

/// Whether a text mentions a path that is a second name of a guard's file, or has to be read in full to know it (SP-25).
pub(super) fn mentions_guard(text: &str, paths: &Paths<'_>) -> bool {
    if paths.files.is_none() {
        return false;
    }
    let mut words = WordList::default();
    split(text, 0, &mut words);
    let WordList { all: words, different } = words;
    // The name under which a file arrives in a directory is no word of the text.
    if different.len() > MOST_WORDS
        || words.len() > MOST_SAID
        || different.iter().any(|word| is_copier(word))
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
            bases.push(paths.absolute(directory, from));
        }
    }
    bases.iter().any(|base| {
        let mut paths_from_base = different.iter().map(|word| paths.absolute(word, base));
        paths_from_base.any(|path| {
            is_own_program(&path, Hold::Parent, paths) || is_second_name(&path, Hold::Parent, paths)
        })
    })
}

/// Whether an absolute path is the program that runs, or a directory around it (SP-41).
fn is_own_program(path: &str, least: Hold, paths: &Paths<'_>) -> bool {
    let Some(own) = paths.files.and_then(Files::own_program) else { return false };
    own == path || least == Hold::Parent && path.len() > 1 && below(own, path).is_some()
}

fn is_second_name(path: &str, least: Hold, paths: &Paths<'_>) -> bool {
    let Some(files) = paths.files else { return false };
    let is_below = |base: &&String| below(path, base).is_some();
    let base = [&paths.project, &paths.home].into_iter().find(is_below);
    if !files.may_be_second_name(base.map_or("", String::as_str), path) {
        return false;
    }
    let is_own = |real: String| is_own_program(&real, least, paths);
    files.behind_links(path).is_some_and(is_own)
        || real(path, paths).is_some_and(|target| protect::hold(&target) >= least)
        || files
            .other_names(path, &|| directories(paths))
            .iter()
            .any(|name| protect::hold(&paths.seen(name, "/")) == Hold::Part)
}

/// The directories in which files of a guard may lie: those of the table, in the project, in the home and where the agent is.
fn directories(paths: &Paths<'_>) -> Vec<String> {
    let starts = [&paths.project, &paths.cwd, &paths.home];
    let mut found: Vec<String> = protect::directories()
        .flat_map(|directory| match directory {
            rooted if rooted.starts_with(['/', '~']) => vec![in_home(rooted, paths)],
            below => starts.iter().map(|start| format!("{start}/{below}")).collect(),
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A directory of the table that is written from the home, as an absolute path.
fn in_home(directory: &str, paths: &Paths<'_>) -> String {
    match directory.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", paths.home),
        None => directory.to_owned(),
    }
}

/// The words of a text, without their quotes, and the parts of each word that may be paths themselves.
fn split(text: &str, depth: usize, found: &mut WordList) {
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
                text.into_iter().for_each(|text| add(text, depth, found));
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                quoted_from = word.len();
            }
            (None, _) if is_end(c) => add(&std::mem::take(&mut word), depth, found),
            _ => word.push(c),
        }
        if found.is_full() {
            return;
        }
    }
    add(&word, depth, found);
    if quote.is_some() {
        // An apostrophe that opens nothing, as in a comment.
        let is_end = |c: char| c.is_whitespace() || ENDS.contains(&c) || PARTS.contains(&c);
        text.split(is_end).for_each(|word| add(word, DEEPEST, found));
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
    fn push(&mut self, word: &str) {
        self.all.push(word.to_owned());
        if !self.different.contains(word) {
            self.different.insert(word.to_owned());
        }
    }

    /// Whether there are more words than are looked at.
    fn is_full(&self) -> bool {
        self.different.len() > MOST_WORDS || self.all.len() > MOST_SAID
    }
}

/// Adds a word, what an option holds, and the words in it.
fn add(word: &str, depth: usize, found: &mut WordList) {
    if word.is_empty() || found.is_full() {
        return;
    }
    if word.len() <= LONGEST && !word.contains('\n') {
        found.push(word);
        let attached = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        attached.and_then(|rest| rest.get(1..)).into_iter().for_each(|value| found.push(value));
    }
    let is_nested = |c: char| c.is_whitespace() || ENDS.contains(&c) || PARTS.contains(&c);
    if depth < DEEPEST && word.contains(is_nested) {
        split(word, depth + 1, found);
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
            split(text, 0, &mut words);
            assert!(words.all.iter().any(|word| word == "s.json"), "{text}: {words:?}");
        }
        let mut words = WordList::default();
        split("echo > 'my s.json'", 0, &mut words);
        assert!(words.all.iter().any(|word| word == "my s.json"), "{words:?}");
    }

    #[test]
    fn long_text_stops_at_the_limit() {
        let mut words = WordList::default();
        split(&"a ".repeat(10_000), 0, &mut words);
        assert!(words.all.len() <= MOST_SAID + 2, "{}", words.all.len());
    }
}
