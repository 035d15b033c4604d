//! Finds the files that the text of a command runs, and reports what it runs that cannot be known.
//! Pure: does not look whether a file exists.

mod base;
mod line;
mod part;
mod programs;
mod variables;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use tenterhook_shell::{self as shell, Word, WordKind};

use base::Bases;
pub(super) use part::Known;
pub(super) use programs::{
    Modules, inline_code_loads_files, runs_unnamed_code, which_words_are_not_files,
};
use tenterhook_core::hook::script::{INTERPRETERS, expand_known_variables};
use tenterhook_core::hook::{Command, Invocation, Shell};

/// What a command names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// The text of a shell line with the variables whose values are known.
    pub(super) text: Option<String>,
    /// Words that may be files which run.
    pub(super) files: Vec<Mention>,
    /// Words that count where they are files of the project.
    pub(super) counted: Vec<Candidate>,
    /// Programs that are looked up by their names.
    pub(super) programs: Vec<String>,
    /// What runs and cannot be named, in words.
    pub(super) unpinned: Vec<String>,
}

/// A word that may be a file which runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// The word as it stands in the text, or in the list of arguments.
    pub(super) word: String,
    /// The file.
    pub(super) path: PathBuf,
    /// Whether it must run: else it may be something else of that name.
    pub(super) certain: bool,
    /// Whether it counts only where it is there: the line may stand elsewhere by then.
    pub(super) if_there: bool,
    /// How its interpreter finds it, where that does more than open the file; for the word that is
    /// run alone.
    pub(super) modules: Option<&'static Modules>,
}

/// A path that counts where something of the project lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The path.
    pub(super) path: PathBuf,
    /// The word that it was made of.
    pub(super) word: String,
    /// How much of the path is known.
    pub(super) known: Known,
    /// The use of a directory there.
    pub(super) directory: Directory,
    /// How what loads it finds it, where that does more than open the file.
    pub(super) modules: Option<&'static Modules>,
    /// The variable of the entry whose value it is a part of: its position in the list, and its
    /// range in the value.
    pub(super) variable: Option<(usize, Range<usize>)>,
}

/// The use of a directory that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directory {
    /// Programs look there for what they run or load: all of it counts.
    Searched,
    /// Its files are read as data; which of them is not known.
    Data,
    /// Nothing of it is read.
    Unread,
}

/// Returns the files and programs that `command` names, if it starts in `base`.
pub(super) fn named_files(command: &Command, base: &Path, project: &Path, home: &Path) -> Named {
    let mut named = Named::default();
    let mut bases = Bases::new(base, project, home);
    match &command.invocation {
        Invocation::Argv { program, args } => {
            let words: Vec<&str> =
                std::iter::once(program).chain(args).map(String::as_str).collect();
            let quoted: Vec<String> = words.iter().map(|word| shell::quote_word(word)).collect();
            named.read_line(&quoted.join(" "), Some(&words), &mut bases);
        }
        Invocation::Shell { shell: Shell::PowerShell, .. } => {
            named.unpinned.push("a PowerShell line is not read".to_owned());
        }
        Invocation::Shell { text, .. } => {
            match expand_known_variables(text, command, project, home) {
                Some(text) => {
                    named.read_line(&text, None, &mut bases);
                    named.text = Some(text);
                }
                None => {
                    named.unpinned.push("its paths hold characters that shells read".to_owned())
                }
            }
        }
    }
    let bases = Bases::new(base, project, home);
    for (at, (name, value)) in command.env.iter().enumerate() {
        named.read_variable(name, value, Some(at), &bases);
    }
    named.dedup_unpinned()
}

/// Reads the first line of a script, which names the program that runs it.
pub(super) fn read_shebang(
    line: &str,
    script: &Path,
    base: &Path,
    project: &Path,
    home: &Path,
) -> Named {
    let mut named = Named::default();
    let script = shell::quote_word(&script.to_string_lossy());
    named.read_line(&format!("{line} {script}"), None, &mut Bases::new(base, project, home));
    named.dedup_unpinned()
}

/// Returns every argument of `command` that is known before it runs, as a path. `text` is its line
/// with known variables expanded.
pub(super) fn known_argument_mentions(
    command: &Command,
    text: Option<&str>,
    base: &Path,
    home: &Path,
) -> Vec<Mention> {
    let words: Vec<Word> = match (&command.invocation, text) {
        (Invocation::Argv { program, args }, _) => {
            std::iter::once(program).chain(args).map(Word::literal).collect()
        }
        (Invocation::Shell { .. }, Some(text)) => shell::parse_line(text)
            .commands
            .iter()
            .flat_map(|command| command.words.to_vec())
            .collect(),
        (Invocation::Shell { .. }, None) => Vec::new(),
    };
    let mut named = Named::default();
    let bases = Bases::new(base, base, home);
    for word in words.iter().filter(|word| is_known_word(word)) {
        named.add_mentions_of_word(word, &bases, false, None);
    }
    named.files
}

fn is_known_word(word: &Word) -> bool {
    word.kind == WordKind::Literal || word.text.starts_with("~/")
}

/// Keeps the words that name one file each: a word that names several files is not redirected to
/// the copy.
pub(super) fn keep_unambiguous_mentions(mentions: Vec<Mention>) -> Vec<Mention> {
    let mut paths: BTreeMap<&str, &Path> = BTreeMap::new();
    let mut several: Vec<&str> = Vec::new();
    for mention in &mentions {
        let known = *paths.entry(&mention.word).or_insert(&mention.path);
        if known != mention.path {
            several.push(&mention.word);
        }
    }
    let mut found: Vec<Mention> = Vec::new();
    for mention in &mentions {
        let is_known = found.iter().any(|known| known.word == mention.word);
        if !is_known && !several.contains(&&*mention.word) {
            found.push(mention.clone());
        }
    }
    found
}

/// Returns whether a program runs the file that is its first argument, whatever its version.
fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&plain)
}

/// Returns a path without `.`, and without `..` as far as the text alone resolves it.
pub(super) fn normalize_path(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if short.file_name().is_some() => drop(short.pop()),
            other => short.push(other),
        }
    }
    short
}

/// Replaces `word` in `text` by `instead` wherever it is a whole word; `None` if it does not occur.
pub(super) fn replace_word(text: &str, word: &str, instead: &str) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || "();|&<>\"'`=".contains(c);
    let (mut out, mut rest, mut found) = (String::new(), text, false);
    while let Some((before, after)) = rest.split_once(word) {
        let begins = out.chars().chain(before.chars()).next_back().is_none_or(ends);
        let is_word = begins && after.chars().next().is_none_or(ends);
        out.push_str(before);
        out.push_str(if is_word { instead } else { word });
        found |= is_word;
        rest = after;
    }
    out.push_str(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::hook::Inherit;

    fn named_by(text: &str) -> Named {
        let invocation = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
        let command = Command::new(invocation, Inherit::All);
        named_files(&command, Path::new("/p"), Path::new("/p"), Path::new("/h"))
    }

    /// T-4.
    /// T-21.
    #[test]
    fn files_that_a_line_runs_are_named() {
        for (text, files) in [
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.sh", &["/p/.claude/hooks/a.sh"][..]),
            (
                "cd x && ./b.sh | python3 -u tools/c.py --x",
                &["/p/x/b.sh", "/p/b.sh", "/p/x/tools/c.py", "/p/tools/c.py"],
            ),
            ("bash -c './d.sh; node e.mjs'", &["/p/d.sh", "/p/e.mjs"]),
            ("source ./env && ~/bin/f", &["/p/env", "/h/bin/f"]),
            ("bash ~/bin/h.sh", &["/h/bin/h.sh"]),
            ("python3.12 a/../g.py", &["/p/g.py"]),
            ("python3.12 tools/guard", &["/p/tools/guard"]),
            ("jq -r .tool_input data.json", &[]),
            ("[ -f k.sh ] && bash k.sh", &["/p/k.sh"]),
        ] {
            let found: Vec<_> = named_by(text).files.iter().map(|file| file.path.clone()).collect();
            let found: Vec<_> = found.iter().filter_map(|path| path.to_str()).collect();
            assert_eq!(
                found.iter().filter(|path| !path.contains("; ")).collect::<Vec<_>>(),
                files.iter().collect::<Vec<_>>(),
                "{text}"
            );
        }
    }

    /// T-5.
    #[test]
    fn what_cannot_be_named_is_said() {
        for text in [
            "npm run lint",
            "make x",
            "$TOOL x",
            "\"$X\"/a.sh",
            "npx -y eslint",
            "python3 -m x",
            "python3 -c 'import x'",
            "python3 \"$X\"/a.py",
            "node -e 'require(`x`)'",
            "((",
        ] {
            assert!(!named_by(text).unpinned.is_empty(), "{text}");
        }
        for text in ["jq .x", "./a.sh", "python3 a.py", "bash a.sh \"$1\"", "bash -c ./a.sh"] {
            assert_eq!(named_by(text).unpinned, Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_word_is_replaced_where_it_stands_alone() {
        assert_eq!(
            replace_word("bash a.sh; xa.sh a.sh", "a.sh", "'/s/a'").as_deref(),
            Some("bash '/s/a'; xa.sh '/s/a'")
        );
        assert_eq!(replace_word("bash xa.sh", "a.sh", "'/s/a'"), None);
    }
}
