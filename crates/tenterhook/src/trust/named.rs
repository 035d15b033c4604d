//! Which files does the text of a command name that it runs, and what does it run that nobody can name? Pure: whether a file is
//! there is asked elsewhere.

use std::path::{Component, Path, PathBuf};

use tenterhook_shell::{self as shell, Parsed, Word, WordKind};

use crate::hook::script::{ENDINGS, INLINE, INTERPRETERS, expand};
use crate::hook::{Command, Invocation, Shell};

/// Programs that run what stands in files of other names than their arguments', or what they fetch.
const RUNNERS: &[&str] = &[
    "bundle",
    "bunx",
    "cargo",
    "composer",
    "docker",
    "go",
    "gradle",
    "gulp",
    "just",
    "make",
    "mise",
    "mvn",
    "npm",
    "npx",
    "nx",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "pre-commit",
    "rake",
    "ssh",
    "task",
    "turbo",
    "uvx",
    "yarn",
];

/// Words of shells that run a file.
const SOURCES: &[&str] = &[".", "source", "exec"];

/// What a command names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// The text of a shell line with the variables whose values are known.
    pub(super) text: Option<String>,
    /// Words that may be files which run.
    pub(super) files: Vec<Mention>,
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
}

/// What `command` names, where it starts in `base`.
pub(super) fn named(command: &Command, base: &Path, project: &Path, home: &Path) -> Named {
    let mut named = Named::default();
    match &command.invocation {
        Invocation::Argv { program, args } => {
            let words: Vec<Word> =
                std::iter::once(program).chain(args).map(Word::literal).collect();
            named.command(&words, base, home);
        }
        Invocation::Shell { shell: Shell::PowerShell, .. } => {
            named.unpinned.push("a PowerShell line is not read".to_owned());
        }
        Invocation::Shell { text, .. } => match expand(text, command, project, home) {
            Some(text) => {
                named.line(&text, base, home);
                named.text = Some(text);
            }
            None => named.unpinned.push("its paths hold characters that shells read".to_owned()),
        },
    }
    named.unpinned.dedup();
    named
}

/// Every word of `command` that is known before it runs, as the file that it would be; `text` is its line with what is known put
/// in.
pub(super) fn words(
    command: &Command,
    text: Option<&str>,
    base: &Path,
    home: &Path,
) -> Vec<Mention> {
    let words: Vec<Word> = match (&command.invocation, text) {
        (Invocation::Argv { program, args }, _) => {
            std::iter::once(program).chain(args).map(Word::literal).collect()
        }
        (Invocation::Shell { .. }, Some(text)) => {
            shell::read(text).commands.iter().flat_map(|it| it.words.to_vec()).collect()
        }
        (Invocation::Shell { .. }, None) => Vec::new(),
    };
    let mut named = Named::default();
    for word in words.iter().filter(|it| is_known(it)) {
        named.mention(word, base, home, false);
    }
    named.files
}

fn is_known(word: &Word) -> bool {
    word.kind == WordKind::Literal || word.text.starts_with("~/")
}

impl Named {
    fn line(&mut self, text: &str, base: &Path, home: &Path) {
        let line = shell::read(text);
        if let Parsed::Doubtful(why) = &line.parsed {
            self.unpinned.push(why.to_string());
        }
        for command in &line.commands {
            self.command(&command.words, base, home);
        }
    }

    fn command(&mut self, words: &[Word], base: &Path, home: &Path) {
        let Some((program, args)) = words.split_first() else { return };
        let name = program.text.as_str();
        if program.kind != WordKind::Literal && !name.starts_with("~/") {
            self.unpinned.push(format!("`{name}` is known only when it runs"));
        } else if name.contains('/') {
            self.mention(program, base, home, true);
        } else if !self.files.iter().any(|it| it.path.ends_with(name)) {
            // A reader that looks through paths tells of a file by its bare name, too.
            self.programs.push(name.to_owned());
        }
        let short = name.rsplit('/').next().unwrap_or(name);
        if RUNNERS.contains(&short) {
            let what = args.first().map(|it| format!(" {}", it.text)).unwrap_or_default();
            self.unpinned.push(format!("what `{short}{what}` runs"));
        }
        let interprets = is_interpreter(short);
        if interprets
            && args.iter().any(|it| INLINE.contains(&&*it.text))
            && !shell::is_shell(short)
        {
            self.unpinned.push(format!("what the code handed to `{short}` loads"));
        }
        for word in args {
            let ends = ENDINGS.iter().any(|ending| word.text.ends_with(ending));
            if word.kind != WordKind::Literal && !word.text.starts_with("~/") {
                if ends {
                    self.unpinned.push(format!("`{}` is known only when it runs", word.text));
                }
            } else if ends || interprets || SOURCES.contains(&short) {
                self.mention(word, base, home, false);
            }
        }
    }

    fn mention(&mut self, word: &Word, base: &Path, home: &Path, certain: bool) {
        if word.text.starts_with('-') || word.text.is_empty() {
            return;
        }
        let path = match word.text.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => base.join(&word.text),
        };
        let mention = Mention { word: word.source.clone(), path: lexical(&path), certain };
        if !self.files.contains(&mention) {
            self.files.push(mention);
        }
    }
}

/// Whether a program runs the file that is its first argument, in whichever of its versions.
fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&plain)
}

/// A path without `.`, and without `..` as far as the text says what they mean.
pub(super) fn lexical(path: &Path) -> PathBuf {
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

/// The text in which `word` stands as `instead`, wherever it is a word of its own; `None` where it is found nowhere.
pub(super) fn replaced(text: &str, word: &str, instead: &str) -> Option<String> {
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
    use crate::hook::Inherit;

    fn of(text: &str) -> Named {
        let invocation = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
        let command = Command::new(invocation, Inherit::All);
        named(&command, Path::new("/p"), Path::new("/p"), Path::new("/h"))
    }

    /// T-4.
    #[test]
    fn files_that_a_line_runs_are_named() {
        for (text, files) in [
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.sh", &["/p/.claude/hooks/a.sh"][..]),
            ("cd x && ./b.sh | python3 -u tools/c.py --x", &["/p/b.sh", "/p/tools/c.py"]),
            ("bash -c './d.sh; node e.mjs'", &["/p/d.sh", "/p/e.mjs"]),
            ("source ./env && ~/bin/f", &["/p/env", "/h/bin/f"]),
            ("bash ~/bin/h.sh", &["/h/bin/h.sh"]),
            ("python3.12 a/../g.py", &["/p/g.py"]),
            ("python3.12 tools/guard", &["/p/tools/guard"]),
            ("jq -r .tool_input data.json", &[]),
            ("[ -f k.sh ] && bash k.sh", &["/p/k.sh"]),
        ] {
            let found: Vec<_> = of(text).files.iter().map(|it| it.path.clone()).collect();
            let found: Vec<_> = found.iter().filter_map(|it| it.to_str()).collect();
            assert_eq!(
                found.iter().filter(|it| !it.contains("; ")).collect::<Vec<_>>(),
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
            assert!(!of(text).unpinned.is_empty(), "{text}");
        }
        for text in ["jq .x", "./a.sh", "python3 a.py", "bash a.sh \"$1\"", "bash -c ./a.sh"] {
            assert_eq!(of(text).unpinned, Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_word_is_replaced_where_it_stands_alone() {
        assert_eq!(
            replaced("bash a.sh; xa.sh a.sh", "a.sh", "'/s/a'").as_deref(),
            Some("bash '/s/a'; xa.sh '/s/a'")
        );
        assert_eq!(replaced("bash xa.sh", "a.sh", "'/s/a'"), None);
    }
}
