//! Lists the simple commands that a shell line would run, and the wrappers they are behind.
//!
//! For programs that judge a line before it runs: an agent's gate, a linter, an audit of typed
//! commands. Reads a line in the grammar of Bash into every simple command that it would run,
//! including those in substitutions, pipelines, here-documents that a shell reads, and behind
//! programs that run others (`sudo`, `env`, `xargs`, `find -exec`, `bash -c` and some hundred
//! more).
//!
//! ```
//! use tenterhook_shell::{Parsed, parse_line};
//!
//! let line = parse_line("cd /srv && sudo -u www env A=1 git push --force");
//! assert_eq!(line.parsed, Parsed::Full);
//! let commands: Vec<_> = line.commands.iter().map(|command| command.unquoted_text()).collect();
//! assert_eq!(
//!     commands,
//!     [
//!         "cd /srv",
//!         "sudo -u www env A=1 git push --force",
//!         "env A=1 git push --force",
//!         "git push --force",
//!     ],
//! );
//! // A program that the line computes is reported as a doubt, never guessed.
//! assert!(matches!(parse_line("$(fetch-tool) --all").parsed, Parsed::Doubtful(_)));
//! ```
//!
//! Pure: runs nothing, expands nothing, reads no file. It answers for every input in bounded time
//! and depth, and reports doubts instead of guessing: the grammar and Bash differ in places, and a
//! guard that trusts a wrong reading is worse than one that asks.
//!
//! Most callers only need [`parse_line`]. [`guess`] examines programs that no table lists, [`program`]
//! separates options from operands, and [`strings`] finds texts in the code of other languages.
//! Numbers such as S-21 are the rules of Tenterhook's specification, `docs/spec/matching-shell.md`,
//! each of which has a test.

/// Compiles the example of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod backtick;
mod behind;
mod braces;
mod command;
mod exit_code;
mod flow;
pub mod guess;
mod named;
mod parse;
mod printed;
pub mod program;
mod read;
mod redirect;
mod setup;
mod stream;
pub mod strings;
mod windows;
mod word;
mod wrapper;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use exit_code::{DroppedExitCode, find_dropped_exit_codes};
pub use windows::Language;
pub use word::quote_word;
pub use word::{Word, WordKind};
pub use wrapper::{is_shell_name, wrapper_names};

/// Longest line that is read at all, in bytes (S-22).
///
/// A model's line is rarely over 10 KiB; the parser stays linear far beyond this, so the bound
/// limits time, not memory.
pub const LONGEST_LINE: usize = 64 * 1024;
/// Deepest nest of groups and substitutions that is followed (S-22).
pub const DEEPEST_NEST: usize = 200;
/// Most nested wrappers that are followed (S-32).
pub const MOST_WRAPPERS: usize = 8;

/// Reads one line: everything that it would run, and whether that is all (S-21).
#[must_use]
pub fn parse_line(line: &str) -> Line {
    read::parse_line(Language::Posix, line, &|_| true)
        .unwrap_or_else(|| Line::unknown(Doubt::TooDeep))
}

/// Reads one line with a budget: `spend` is called with a number of steps before they are taken,
/// and returns whether they may be taken. `None` if they may not (S-22).
pub fn parse_line_with_budget(line: &str, spend: &dyn Fn(usize) -> bool) -> Option<Line> {
    read::parse_line(Language::Posix, line, spend)
}

/// Reads a line of any language. A PowerShell command is listed with the full names of its cmdlet
/// and parameters, followed by the equivalent command of other systems (S-80).
pub fn parse_line_in_language(
    language: Language,
    line: &str,
    spend: &dyn Fn(usize) -> bool,
) -> Option<Line> {
    read::parse_line(language, line, spend)
}

/// The result of reading one shell line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Every simple command that would run, in the order in which it is written; one that was found
    /// through wrappers follows the command that wraps it.
    pub commands: Vec<SimpleCommand>,
    /// Whether the list is known to be complete.
    pub parsed: Parsed,
    /// The constructs on the line that some agents do not examine, each once, in order of
    /// appearance (S-50).
    pub constructs: Vec<Construct>,
    /// Redirections of a group or a list, which belong to no single command of it (S-26).
    pub redirects: Vec<Redirect>,
    /// The variables of loops over words (S-27).
    pub loops: Vec<Loop>,
    /// The functions that the line defines (S-27).
    pub functions: Vec<Function>,
}

/// `for NAME in WORDS`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The variable.
    pub variable: String,
    /// Its values, one after the other.
    pub words: Vec<Word>,
}

/// `NAME() { BODY; }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The body as written, with its braces.
    pub body: String,
}

impl Line {
    /// Returns a line about which nothing is known, with the reason.
    #[must_use]
    pub const fn unknown(doubt: Doubt) -> Self {
        Self {
            commands: Vec::new(),
            parsed: Parsed::Doubtful(doubt),
            constructs: Vec::new(),
            redirects: Vec::new(),
            loops: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Returns the commands as written, without those that only the wrapper rule finds.
    pub fn commands_as_written(&self) -> impl Iterator<Item = &SimpleCommand> {
        self.commands.iter().filter(|command| command.via.is_empty())
    }
}

/// Whether everything that the line would run is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// The line was read in full: it runs the listed commands and no others.
    Full,
    /// A part of the line could not be read; the first such part.
    Doubtful(Doubt),
}

/// Why a line is not fully known (S-23).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Over [`LONGEST_LINE`].
    TooLong,
    /// Over [`DEEPEST_NEST`] or [`MOST_WRAPPERS`], or more work than any plain line needs.
    TooDeep,
    /// At this byte, not a shell line as far as this reader can tell.
    Syntax {
        /// Byte offset into the line.
        at: usize,
    },
    /// The name of a program comes from an expansion.
    Program {
        /// The word as written.
        source: String,
    },
    /// A wrapper runs code that is computed, or that cannot be read.
    Code {
        /// Which wrapper.
        wrapper: &'static str,
    },
    /// A name that means a cmdlet in some versions of PowerShell, and a program in others.
    Alias {
        /// The name.
        name: String,
    },
    /// A script on the disk runs.
    Script,
    /// `eval` runs what a well-known program prints to set up a shell (S-66).
    Setup,
}

impl Doubt {
    /// Returns whether the line exceeds a bound, so that the rest of it is unknown (S-22).
    pub(crate) const fn is_bound_exceeded(&self) -> bool {
        matches!(self, Self::TooLong | Self::TooDeep)
    }

    /// Returns whether the line may run a command that its author wrote into it and that is not
    /// listed (S-66, S-83).
    #[must_use]
    pub const fn may_hide_commands(&self) -> bool {
        !matches!(self, Self::Setup | Self::Alias { .. } | Self::Script)
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the line is longer than {LONGEST_LINE} bytes"),
            Self::TooDeep => f.write_str("the line nests too deeply"),
            Self::Syntax { at } => write!(f, "the line cannot be read from byte {at}"),
            Self::Program { source } => write!(f, "the program `{source}` is computed"),
            Self::Code { wrapper } => write!(f, "`{wrapper}` runs code that cannot be read"),
            Self::Alias { name } => write!(f, "`{name}` differs between versions of PowerShell"),
            Self::Script => f.write_str("a script of the disk runs"),
            Self::Setup => f.write_str("`eval` runs code that cannot be read"),
        }
    }
}

/// A construct that some agents do not examine (S-50).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `<<EOF`
    HereDocument,
    /// `{ ...; }`
    BraceGroup,
    /// `<(...)` and `>(...)`
    ProcessSubstitution,
    /// `[ ... $(...) ... ]` and the same in `[[ ]]`
    TestSubstitution,
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HereDocument => "a here-document",
            Self::BraceGroup => "a `{ }` group",
            Self::ProcessSubstitution => "a process substitution",
            Self::TestSubstitution => "a substitution in a test",
        })
    }
}

/// One simple command: what a shell would run as one program, builtin or function.
///
/// Its parts are shared: copying costs the same however long the command is, and a command behind a
/// wrapper shares the wrapper's redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments. Empty for assignments or redirections without a command.
    pub words: Arc<[Word]>,
    /// Leading assignments.
    pub assignments: Arc<[Assignment]>,
    /// Redirections, in order.
    pub redirects: Arc<[Redirect]>,
    /// The innermost construct around it.
    pub context: Context,
    /// The wrappers through which it was found, outermost first; empty for a command as written (S-31).
    pub via: Arc<[Via]>,
    /// Its standard input, or its script, if that is on the line (S-67).
    pub input: Option<Arc<str>>,
    /// Whether part of that input is not on the line.
    pub(crate) input_lacks: bool,
}

impl SimpleCommand {
    /// Returns the size, which is the cost of visiting all its words once.
    #[must_use]
    pub fn size(&self) -> usize {
        2 + 2 * (self.words.len() + self.assignments.len() + self.redirects.len())
    }

    /// Returns the name of the program, if it is known.
    #[must_use]
    pub fn program_name(&self) -> Option<&str> {
        self.words
            .first()
            .filter(|word| word.kind == WordKind::Literal)
            .map(|word| word.text.as_str())
    }

    /// Returns the words without quotes, separated by single spaces: patterns are matched against
    /// this text (S-45).
    #[must_use]
    pub fn unquoted_text(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    /// Returns the words as written, separated by single spaces.
    #[must_use]
    pub fn source(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.source.as_str()).collect();
        words.join(" ")
    }
}

/// A leading `NAME=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name, with its subscript if it has one.
    pub name: String,
    /// The value.
    pub value: Word,
}

/// One redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// `>`, `>>`, `<`, `2>` is `>` with descriptor 2, `<<<`, `<<`, ...
    pub operator: String,
    /// The descriptor before the operator, if one is written.
    pub descriptor: Option<String>,
    /// The file or text of the redirection.
    pub target: Target,
}

/// The file or text of a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, a descriptor, or the text of a here-string.
    Word(Word),
    /// A here-document.
    HereDocument {
        /// The text between the delimiters.
        body: String,
        /// Whether the shell expands it.
        expands: Expands,
    },
    /// Closed: `>&-`.
    Closed,
}

/// Whether the shell expands a here-document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expands {
    /// The delimiter is plain: substitutions in the body run.
    Yes,
    /// The delimiter is quoted: the body is text.
    No,
}

/// The innermost construct around a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// On the line itself, also after `;`, `&` or a newline.
    TopLevel,
    /// In a pipeline.
    Pipeline,
    /// In an `&&` or `||` list.
    List,
    /// In `( )`.
    Subshell,
    /// In `{ }`.
    BraceGroup,
    /// In `if`, `for`, `while`, `until`, `select` or `case`.
    Body,
    /// In a function's body: it runs when the function is called.
    Function,
    /// In `$( )` or backticks.
    CommandSubstitution,
    /// In `<( )` or `>( )`.
    ProcessSubstitution,
    /// In `[ ]` or `[[ ]]`.
    Test,
}

/// One step by which the wrapper rule found a command (S-31).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// Behind a program that runs other programs.
    Wrapper(&'static str),
    /// The program is given as this path; it is also listed by its file name.
    Path(String),
    /// The equivalent command of other systems (S-81).
    Equivalent(&'static str),
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrapper(name) => write!(f, "behind `{name}`"),
            Self::Equivalent(name) => write!(f, "as what `{name}` does"),
            Self::Path(path) => write!(f, "by the path `{path}`"),
        }
    }
}
