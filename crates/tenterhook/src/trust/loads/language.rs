//! In which language is a script written, and what are that language's names for paths and for loading files? Data.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::vocabulary::{NODE, PERL, PYTHON, RUBY};

/// A language of scripts whose loads are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::trust) enum Language {
    Shell,
    Python,
    Node,
    Ruby,
    Perl,
    /// A `package.json`, which names the file that a directory stands for.
    Package,
}

/// The endings of each language's files, and the names of its interpreters without version.
const LANGUAGES: &[(Language, &[&str], &[&str])] = &[
    (
        Language::Shell,
        &["sh", "bash", "zsh", "ksh", "dash"],
        &["sh", "bash", "dash", "zsh", "ksh", "ash"],
    ),
    (Language::Python, &["py", "pyw"], &["python", "pypy", "uv"]),
    (
        Language::Node,
        &["js", "cjs", "mjs", "ts", "cts", "mts", "jsx", "tsx"],
        &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
    ),
    (Language::Ruby, &["rb"], &["ruby", "jruby"]),
    (Language::Perl, &["pl", "pm"], &["perl"]),
];

impl Language {
    /// Returns the language that an interpreter runs, whatever its version.
    pub(in crate::trust) fn of_interpreter(program: &str) -> Option<Self> {
        let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let row = LANGUAGES
            .iter()
            .find(|(_, _, names)| names.contains(&plain) || names.contains(&program));
        row.map(|(language, _, _)| *language)
    }

    /// Returns the language of a file by its first line, or else by its extension.
    pub(in crate::trust) fn of_file(path: &Path, bytes: &[u8]) -> Option<Self> {
        if path.file_name().is_some_and(|name| name == "package.json") {
            return Some(Self::Package);
        }
        if let Some(line) =
            bytes.strip_prefix(b"#!").and_then(|rest| rest.split(|byte| *byte == b'\n').next())
        {
            let line = String::from_utf8_lossy(line);
            let names = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            return names.filter_map(Self::of_interpreter).next();
        }
        let ending = path.extension()?.to_str()?;
        LANGUAGES
            .iter()
            .find(|(_, endings, _)| endings.contains(&ending))
            .map(|(language, _, _)| *language)
    }

    /// Returns what the reader of code knows about the language.
    pub(super) fn vocabulary(self) -> Option<&'static Vocabulary> {
        match self {
            Self::Shell | Self::Package => None,
            Self::Python => Some(&PYTHON),
            Self::Node => Some(&NODE),
            Self::Ruby => Some(&RUBY),
            Self::Perl => Some(&PERL),
        }
    }
}

/// What a function makes of its arguments, or an attribute of what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Makes {
    /// The same path.
    Same,
    /// The path behind links.
    Real,
    /// The directory that holds it.
    Parent,
    /// `parents[N]`: as many directories up.
    Parents,
    /// All arguments, one in the other.
    Join,
    /// The first argument, from the second one: `File.expand_path("x", directory)`.
    From,
    /// The first argument, beside the second one: `new URL("./x", file)`.
    Beside,
    /// The name at its end, which is no path.
    Name,
    /// A variable of the environment.
    Variable,
}

/// What a function does with the file that it is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Runs the file that is this argument.
    Runs(usize),
    /// Runs a program: any argument, and any entry of a list of them.
    Starts,
    /// The same, behind as many arguments: a path, and then all words of the program, its name among them.
    Replaces(usize),
    /// Runs a line of a shell.
    Line,
    /// Runs a script by the interpreter that runs this one.
    Node,
    /// Loads a module by its name or path.
    Module,
    /// Adds directories in which modules are looked up.
    Searches,
    /// Runs a text as code.
    Evaluates,
    /// Opens the file that is the first argument, to write it where the next argument says so.
    Opens,
    /// The same of the last argument; the one before it says how.
    OpensLast,
    /// Reads the files of a directory, or those that a pattern names.
    Lists,
    /// Writes the file that is the first argument.
    Writes,
    /// Changes the working directory.
    Enters,
}

/// The names of one language.
pub(super) struct Vocabulary {
    /// What begins a comment up to the end of the line.
    pub(super) comment: &'static str,
    /// Names of the script's own path.
    pub(super) file: &'static [&'static str],
    /// Names of the directory of the script.
    pub(super) directory: &'static [&'static str],
    /// Whether those two are the path behind links.
    pub(super) is_real: bool,
    /// Names of the working directory.
    pub(super) base: &'static [&'static str],
    pub(super) makes: &'static [(&'static str, Makes)],
    pub(super) does: &'static [(&'static str, Does)],
    /// What a path does that is an object.
    pub(super) methods: &'static [(&'static str, Does)],
    /// Names that stand for a program.
    pub(super) programs: &'static [(&'static str, &'static str)],
    /// Words after which an argument stands without brackets.
    pub(super) commands: &'static [&'static str],
    /// Texts that show that the script writes files.
    pub(super) writes: &'static [&'static str],
    /// What joins two texts.
    pub(super) joins: &'static [char],
}
