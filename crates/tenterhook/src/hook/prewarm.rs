//! In which form can the next process of a command be started before its event? Reads the command as text, and looks at no file.
//!
//! It says yes to the form of Python, and no to a program that is deaf, only where it is certain.

use super::{Invocation, Prewarm, Shell};
use crate::shell::{self, Context, Parsed, Word, WordKind};

/// Options of one letter that stand alone and leave the script what it is.
const ALONE: &str = "BbdEIOPRsSuvq";

/// Options of one letter that take the rest of their word, or the next word.
const WITH_VALUE: &str = "WX";

impl Prewarm {
    /// What of it is possible for a command: the form of Python needs one whose script is certain.
    #[must_use]
    pub fn of(self, invocation: &Invocation) -> Self {
        match self {
            Self::Python if !invocation.is_python_script() => Self::Never,
            possible => possible,
        }
    }
}

impl Invocation {
    /// Whether it is an interpreter of Python with a script, in a form that can be read for certain.
    #[must_use]
    pub fn is_python_script(&self) -> bool {
        self.with_python_shim("").is_some()
    }

    /// The same command with the Python text `shim` before the script, which becomes its first argument. `None` where it is
    /// not certain what is the script.
    #[must_use]
    pub fn with_python_shim(&self, shim: &str) -> Option<Self> {
        match self {
            Self::Argv { program, args } => {
                let words: Vec<Word> =
                    std::iter::once(program).chain(args).map(Word::literal).collect();
                let options = options(&words)?;
                let (before, after) = args.split_at_checked(options)?;
                let shim = ["-c".to_owned(), shim.to_owned()];
                let args = before.iter().chain(&shim).chain(after).cloned().collect();
                Some(Self::Argv { program: program.clone(), args })
            }
            Self::Shell { text, shell: shell @ (Shell::Sh | Shell::Bash) } => {
                let at = script_in(text)?;
                let (before, after) = text.split_at_checked(at)?;
                // A text without single quotes stands in single quotes as it is.
                let text =
                    (!shim.contains('\'')).then(|| format!("{before} -c '{shim}'{after}"))?;
                Some(Self::Shell { text, shell: *shell })
            }
            Self::Shell { shell: Shell::PowerShell, .. } => None,
        }
    }
}

/// Programs that never look at their input, whatever their arguments are.
const DEAF: &[&str] = &[
    ":", "[", "date", "echo", "exit", "false", "kill", "ls", "mkdir", "printf", "pwd", "rm",
    "sleep", "test", "touch", "true",
];

impl Invocation {
    /// Whether it is certain that it never reads its input: each of its commands is known for that.
    #[must_use]
    pub fn reads_no_input(&self) -> bool {
        let deaf = |name: &str| DEAF.contains(&name);
        match self {
            Self::Argv { program, .. } => deaf(program),
            Self::Shell { shell: Shell::PowerShell, .. } => false,
            Self::Shell { text, .. } => {
                let line = shell::read(text);
                line.parsed == Parsed::Full
                    && line.written().count() > 0
                    && line
                        .written()
                        .all(|it| it.words.is_empty() || it.program().is_some_and(deaf))
            }
        }
    }
}

/// How many options stand between the interpreter and its script.
fn options(words: &[Word]) -> Option<usize> {
    let (program, args) = words.split_first()?;
    if program.kind != WordKind::Literal || !is_python(&program.text) {
        return None;
    }
    let mut at = 0;
    loop {
        let word = args.get(at)?;
        match word.kind {
            WordKind::Literal if !word.text.starts_with('-') => {
                return (!word.text.is_empty()).then_some(at);
            }
            WordKind::Literal => {}
            // `$D/a.py` is a script; what `$D` alone or `$D*` stands for, nobody knows.
            WordKind::Pattern | WordKind::Expansion => {
                return word.source.trim_end_matches('"').ends_with(".py").then_some(at);
            }
        }
        at += if takes_next(&word.text)? { 2 } else { 1 };
    }
}

/// Whether an option takes the next word; `None` for one after which no script is read, or that nobody knows.
fn takes_next(option: &str) -> Option<bool> {
    let letters = option.strip_prefix('-').filter(|it| !it.is_empty())?;
    for (at, letter) in letters.char_indices() {
        if WITH_VALUE.contains(letter) {
            return Some(at + letter.len_utf8() == letters.len());
        }
        if !ALONE.contains(letter) {
            return None;
        }
    }
    Some(false)
}

/// `python`, `python3`, `python3.12`, with or without directories.
fn is_python(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let Some(version) = name.strip_prefix("python") else { return false };
    version.chars().all(|it| it.is_ascii_digit() || it == '.') && !version.starts_with('2')
}

/// Where, in a line that is one command and nothing else, the options of its interpreter end.
fn script_in(text: &str) -> Option<usize> {
    let line = shell::read(text);
    let mut written = line.written();
    let command = written.next().filter(|it| it.context == Context::TopLevel)?;
    let is_alone = written.next().is_none() && line.parsed == Parsed::Full;
    // Its input must be ours, and it must stand in the foreground, or it has none.
    let reads_elsewhere = command.redirects.iter().any(|it| it.operator.starts_with('<'));
    if !is_alone || reads_elsewhere || !line.constructs.is_empty() || stands_behind(text) {
        return None;
    }
    let options = options(&command.words)?;
    let mut at = 0;
    let sources = command
        .assignments
        .iter()
        .map(|it| format!("{}={}", it.name, it.value.source))
        .chain(command.words.iter().map(|it| it.source.clone()))
        .take(command.assignments.len() + 1 + options);
    for source in sources {
        let rest = text.get(at..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len();
        at += blank;
        // Anything else between two words, such as a redirection: it is not certain what is what.
        at += text.get(at..)?.starts_with(&source).then_some(source.len())?;
    }
    Some(at)
}

/// Whether an `&` stands in it that is no part of a redirection.
fn stands_behind(text: &str) -> bool {
    let plain = text.replace("&>", "").replace(">&", "").replace("<&", "");
    plain.contains('&')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shimmed(text: &str) -> Option<String> {
        let line = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
        match line.with_python_shim("SHIM")? {
            Invocation::Shell { text, .. } => Some(text),
            Invocation::Argv { .. } => None,
        }
    }

    #[test]
    fn a_line_keeps_all_but_the_place_of_its_script() {
        for (line, expected) in [
            ("python3 a.py x", "python3 -c 'SHIM' a.py x"),
            (
                " A=1 B='x y' python3 -u -W error -Xdev \"$D\"/a.py",
                " A=1 B='x y' python3 -u -W error -Xdev -c 'SHIM' \"$D\"/a.py",
            ),
            ("/usr/bin/python3.12 -uB ./a b 2>&1", "/usr/bin/python3.12 -uB -c 'SHIM' ./a b 2>&1"),
            ("python3 -u\\\n a.py", "python3 -u -c 'SHIM'\\\n a.py"),
            ("python a.py 2>/dev/null", "python -c 'SHIM' a.py 2>/dev/null"),
        ] {
            assert_eq!(shimmed(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn in_every_doubt_there_is_no_place_for_it() {
        for line in [
            "python3",
            "python3 -c 'x'",
            "python3 -m mod",
            "python3 -",
            "python3 -i a.py",
            "python3 -x a.py",
            "python3 a.py < file",
            "python3 a.py &",
            "cat | python3 a.py",
            "python3 a.py; true",
            "python3 a.py && true",
            "./a.py",
            "node a.js",
            "uv run a.py",
            "python2.7 a.py",
            "pythonic a.py",
            "python3 $FLAGS",
            "python3 \"$F\" a.py",
            "2>/dev/null python3 a.py",
            "(python3 a.py)",
            "python3 --version",
            "env python3 a.py",
            "python3 <<E\nE",
        ] {
            assert_eq!(shimmed(line), None, "{line}");
        }
    }

    #[test]
    fn arguments_keep_their_order() {
        let argv = |args: &[&str]| Invocation::Argv {
            program: "python3".into(),
            args: args.iter().map(|it| (*it).to_owned()).collect(),
        };
        let given = argv(&["-W", "error", "-u", "a.py", "-x"]);
        let expected = argv(&["-W", "error", "-u", "-c", "SHIM", "a.py", "-x"]);
        assert_eq!(given.with_python_shim("SHIM"), Some(expected));
        assert_eq!(argv(&["-W"]).with_python_shim("SHIM"), None);
        assert_eq!(argv(&["-W", "error"]).with_python_shim("SHIM"), None);
    }
}
