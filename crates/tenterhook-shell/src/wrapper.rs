//! Finds the commands that a wrapper such as `sudo` runs.
//!
//! `table` has the syntax of each wrapper; the code here only walks words. It takes one step: the
//! caller reads the result again, so wrappers compose (S-31 to S-34).

mod options;
mod parallel;
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::flow::process_substitution_code;
use super::stream::INPUTS;
use super::windows::{CmdCode, Language, code_run_by_powershell};
use super::word::{Word, WordKind};
use options::{Options, Split, find_code_option, is_code_option};
use parallel::code_run_by_parallel;
use table::{SHELLS_WHEN_ALONE, WRAPPERS};

/// The syntax of one wrapper.
pub(super) struct Wrapper {
    /// Its program name.
    pub(super) name: &'static str,
    /// Options that take the next word as their value, unless it is attached.
    valued: &'static [&'static str],
    /// Options with which it runs nothing (`command -v`).
    inert: &'static [&'static str],
    /// What follows its options.
    follows: Follows,
}

/// The kinds of code or command that a wrapper runs.
enum Follows {
    /// A command, after this many operands of the wrapper.
    Command { operands: usize, first: First },
    /// A command to which more arguments are appended when it runs; each of these options names a placeholder.
    Appended { placeholders: &'static [&'static str] },
    /// Commands after each of these words, up to `;` or `+`.
    Actions(&'static [&'static str]),
    /// A shell: the operand of `-c`, else its standard input.
    Shell,
    /// Code: the value of `-c` or `--command`; else a command after this many operands, if it takes
    /// one.
    Option { operands: Option<usize> },
    /// Code: all operands, joined by spaces.
    Joined,
    /// Code: the first operand.
    Operand,
    /// Code: the text after `=` in each operand.
    Definitions,
    /// A file of code, which may be standard input or computed.
    File,
    /// Code on standard input, if one of these options names that as its file.
    InputOf(&'static [&'static str]),
    /// Code on standard input, unless it has options or operands other than `-`, or a time.
    Input { operands: usize },
    /// With one of these options, unknown code.
    Computed(&'static [&'static str]),
    /// The text after one of these words, their options and this many operands; without words, at
    /// once.
    Verb { verbs: &'static [&'static str], operands: usize, runs: Runs },
    /// A command line to which the words after `:::` are appended, or its standard input.
    Parallel,
    /// PowerShell code in its parameters.
    PowerShell,
    /// A command line of Windows.
    Cmd(CmdCode),
}

/// The text after a verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// A command.
    Command,
    /// Code: the words, joined by spaces.
    Code,
}

/// What may precede the command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// Nothing.
    Plain,
    /// Assignments, as `env` takes them.
    Assignments,
}

/// The code or command that a wrapper runs.
pub(super) enum Behind {
    /// A command.
    Command(Vec<Word>),
    /// Code to be read as a separate line.
    Code(String),
    /// Code that a name is defined as from here on.
    Definition(String, String),
    /// Code on the wrapper's standard input.
    Input,
    /// Code in a file, which the line may have written.
    File(Word),
    /// Code of a different language; without a text, the wrapper's input.
    Foreign(Language, Option<String>),
    /// Code that a process substitution prints.
    Printed(String),
    /// A script on the disk.
    Script,
    /// Unknown code.
    Unknown,
}

impl Behind {
    /// Returns the language of the code.
    pub(super) const fn code_language(&self) -> Language {
        match self {
            Self::Foreign(language, _) => *language,
            _ => Language::Posix,
        }
    }
}

/// Returns the names of all wrappers, for lists and for `check`.
pub fn wrapper_names() -> impl Iterator<Item = &'static str> {
    WRAPPERS.iter().map(|wrapper| wrapper.name)
}

/// Returns the row of the table for a program.
pub(super) fn find_wrapper(name: &str) -> Option<&'static Wrapper> {
    // Every program of a line is looked up, and more than once.
    static ROWS: LazyLock<HashMap<&str, &Wrapper>> = LazyLock::new(|| {
        // Backwards: of two rows with one name the first applies.
        WRAPPERS.iter().rev().map(|wrapper| (wrapper.name, wrapper)).collect()
    });
    let row = |name: &str| ROWS.get(name).copied();
    row(name).or_else(|| {
        // `bash5`, `zsh-5.9`, `ksh93`
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        row(plain.trim_end_matches('-')).filter(|row| matches!(row.follows, Follows::Shell))
    })
}

/// Returns whether a program is a shell, also as `bash5`.
pub fn is_shell_name(name: &str) -> bool {
    find_wrapper(name).is_some_and(|row| matches!(row.follows, Follows::Shell))
}

impl Wrapper {
    /// Returns the code or command that the wrapper runs. `words` begins with its name, and `input`
    /// is its input if all of that is known.
    pub(super) fn code_run_by_wrapper(&self, words: &[Word], input: Option<&str>) -> Vec<Behind> {
        let words = words.get(1..).unwrap_or_default();
        if let Follows::Actions(starts) = self.follows {
            return find_exec_commands(words, starts);
        }
        if let Some(found) = self.code_regardless_of_options(words) {
            return found;
        }
        if let Follows::Option { .. } = self.follows
            && let Some(found) = find_code_option(words)
        {
            return vec![found];
        }
        let Options { code, placeholder, rest } = self.parse_options(words);
        let Some(rest) = rest else { return Vec::new() };
        match self.follows {
            Follows::Command { operands, .. }
                if rest.len() <= operands && SHELLS_WHEN_ALONE.contains(&self.name) =>
            {
                vec![Behind::Input]
            }
            Follows::Option { operands: Some(operands) } => {
                command_from_words(rest.get(operands..).unwrap_or_default(), First::Plain)
            }
            Follows::Option { operands: None } => Vec::new(),
            Follows::Command { operands, first } => match code {
                Some(code) => env_split_code(&code, rest),
                None => command_from_words(rest.get(operands..).unwrap_or_default(), first),
            },
            Follows::Appended { .. } => xargs_command(rest, placeholder, input),
            Follows::Shell => match code {
                Some(Split::Operand) => {
                    vec![rest.first().map_or(Behind::Unknown, |word| join_as_code(&[word]))]
                }
                Some(_) => vec![Behind::Input],
                None if rest.is_empty() => vec![Behind::Input],
                None => rest.first().and_then(code_in_file).into_iter().collect(),
            },
            Follows::File => rest.first().and_then(code_in_file).into_iter().collect(),
            Follows::Joined if rest.is_empty() => Vec::new(),
            Follows::Joined => vec![join_as_code(&rest.iter().collect::<Vec<_>>())],
            Follows::Verb { verbs, operands, runs } => {
                self.code_after_subcommand(rest, verbs, operands, runs).unwrap_or_default()
            }
            Follows::Parallel => code_run_by_parallel(rest),
            Follows::Operand => {
                rest.first().map(|word| join_as_code(&[word])).into_iter().collect()
            }
            Follows::Definitions => rest.iter().filter_map(alias_definition).collect(),
            Follows::Input { operands } => scheduled_job_code(words, rest, operands),
            _ => Vec::new(),
        }
    }

    /// Returns the code of a wrapper whose options are not separated from its operands.
    fn code_regardless_of_options(&self, words: &[Word]) -> Option<Vec<Behind>> {
        Some(match self.follows {
            Follows::InputOf(options) => code_from_input_option(words, options),
            Follows::Computed(options) => {
                let computed = words.iter().any(|word| options.contains(&word.text.as_str()));
                if computed { vec![Behind::Unknown] } else { Vec::new() }
            }
            Follows::PowerShell => code_run_by_powershell(words),
            Follows::Cmd(code) => code.command_line_after_name(words),
            _ => return None,
        })
    }

    /// Returns the command or code after a subcommand: `uv run --with x COMMAND`, `npm exec -c
    /// CODE`.
    fn code_after_subcommand(
        &self,
        rest: &[Word],
        verbs: &[&str],
        operands: usize,
        runs: Runs,
    ) -> Option<Vec<Behind>> {
        let mut rest = rest;
        if !verbs.is_empty() {
            let (verb, behind) = rest.split_first()?;
            verbs.contains(&verb.text.as_str()).then_some(())?;
            if let [option, code, ..] = behind
                && matches!(option.text.as_str(), "-c" | "--call")
                && self.name != "tmux"
            {
                return Some(vec![join_as_code(&[code])]);
            }
            rest = self.parse_options(behind).rest?;
        }
        rest = rest.get(operands..)?;
        rest = rest.strip_prefix(&[Word::literal("--")][..]).unwrap_or(rest);
        // `uv run -` reads a script of a different language.
        rest.first().filter(|word| word.text != "-")?;
        Some(match runs {
            Runs::Command => command_from_words(rest, First::Plain),
            Runs::Code => {
                let is_key = |word: &&Word| KEYS.contains(&word.text.as_str());
                vec![join_as_code(&rest.iter().filter(|word| !is_key(word)).collect::<Vec<_>>())]
            }
        })
    }
}

/// Returns whether a program reads code from its input, with these words and at most this many
/// operands.
fn reads_code_from_input(words: &[Word], rest: &[Word], operands: usize) -> bool {
    let is_other = |word: &Word| {
        is_option(&word.text) && !(operands > 1 && STAYING.contains(&word.text.as_str()))
    };
    let is_input = rest.iter().all(|word| INPUTS.contains(&word.text.as_str()) || operands > 1);
    is_input && rest.len() <= operands && !words.iter().any(is_other)
}

/// Options with which programs that read jobs still read them.
const STAYING: &[&str] = &["-m", "-M", "-v", "-t", "-q"];

fn is_option(text: &str) -> bool {
    text.starts_with('-') && !INPUTS.contains(&text)
}

/// Returns the code of a file that is run: standard input, the output of a program, or a file that
/// the line may have written.
fn code_in_file(word: &Word) -> Option<Behind> {
    if INPUTS.contains(&word.text.as_str()) {
        return Some(Behind::Input);
    }
    Some(match process_substitution_code(&word.source) {
        Some(code) => Behind::Printed(code.to_owned()),
        None => Behind::File(word.clone()),
    })
}

/// Returns the code of `at`, `batch` and `crontab`: the file of `-f`, or their input.
fn scheduled_job_code(words: &[Word], rest: &[Word], operands: usize) -> Vec<Behind> {
    if let Some(script) = words.iter().skip_while(|word| word.text != "-f").nth(1) {
        return code_in_file(script).into_iter().collect();
    }
    reads_code_from_input(words, rest, operands).then_some(Behind::Input).into_iter().collect()
}

/// Returns the definition in `alias gp='git push'`.
fn alias_definition(word: &Word) -> Option<Behind> {
    let (name, code) = word.text.split_once('=').filter(|_| word.kind == WordKind::Literal)?;
    Some(Behind::Definition(name.to_owned(), code.to_owned()))
}

/// Returns the input as code if an option names it as the file: `make -f -`, `make
/// --file=/dev/stdin`.
fn code_from_input_option(words: &[Word], options: &[&str]) -> Vec<Behind> {
    let attached = |word: &Word| {
        options.iter().any(|option| {
            let rest = word.text.strip_prefix(option);
            rest.is_some_and(|rest| INPUTS.contains(&rest.trim_start_matches('=')))
        })
    };
    let behind = |pair: &[Word]| match pair {
        [option, file] => {
            options.contains(&option.text.as_str()) && INPUTS.contains(&file.text.as_str())
        }
        _ => false,
    };
    let found = words.iter().any(attached) || words.windows(2).any(behind);
    if found {
        return vec![Behind::Input];
    }
    let printed = words.iter().filter_map(|word| process_substitution_code(&word.source));
    printed.map(|code| Behind::Printed(code.to_owned())).collect()
}

fn env_split_code(code: &Split<'_>, rest: &[Word]) -> Vec<Behind> {
    let Split::Text(code) = code else { return vec![Behind::Unknown] };
    let mut line = (*code).to_owned();
    for word in rest {
        line.push(' ');
        line.push_str(&word.source);
    }
    vec![Behind::Code(line)]
}

fn command_from_words(words: &[Word], first: First) -> Vec<Behind> {
    let is_assignment = |word: &&Word| first == First::Assignments && word.text.contains('=');
    let skipped = words.iter().take_while(is_assignment).count();
    match words.get(skipped..) {
        None | Some([]) => Vec::new(),
        Some(words) => vec![Behind::Command(words.to_vec())],
    }
}

/// Returns the command of `xargs`. The words that it appends, or inserts for its placeholder, are
/// unknown unless they are on the line.
fn xargs_command(words: &[Word], placeholder: Option<&str>, input: Option<&str>) -> Vec<Behind> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut words = words.to_vec();
    match (placeholder, input) {
        (Some(placeholder), Some(input)) if input.lines().count() <= MOST_LINES => {
            let one = |line: &str| {
                Behind::Command(insert_at_placeholder(&words, placeholder, line.trim()))
            };
            return input.lines().map(one).collect();
        }
        (Some(placeholder), _) => mark_placeholders_unknown(&mut words, placeholder),
        // `xargs -0 sh -c`: the appended text is the code.
        (None, Some(input)) if words.last().is_some_and(is_code_option) => {
            words.push(Word::literal(input.trim()));
        }
        (None, Some(input)) => {
            let handed = input.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
            words.extend(handed.map(Word::literal));
        }
        (None, None) => words.push(Word::unknown("$@")),
    }
    vec![Behind::Command(words)]
}

/// Most lines of input that `xargs` inserts for its placeholder.
const MOST_LINES: usize = 16;

/// Returns the words with a text inserted for a placeholder.
fn insert_at_placeholder(words: &[Word], placeholder: &str, text: &str) -> Vec<Word> {
    let put = |word: &Word| match word.kind {
        WordKind::Literal => Word::literal(word.text.replace(placeholder, text)),
        // A placeholder with braces is no expansion.
        _ if word.text == placeholder => Word::literal(text),
        _ => Word::unknown(word.source.replace(placeholder, text)),
    };
    words.iter().map(put).collect()
}

/// Keys that end a line typed into a pane.
const KEYS: &[&str] = &["Enter", "C-m", "C-j", "KPEnter"];

/// Returns the command of each `find -exec ... ;`.
fn find_exec_commands(words: &[Word], starts: &[&str]) -> Vec<Behind> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while words.any(|word| starts.contains(&word.text.as_str())) {
        let ends = |word: &&Word| !matches!(word.text.as_str(), ";" | "+");
        let mut action: Vec<Word> = words.by_ref().take_while(ends).cloned().collect();
        mark_placeholders_unknown(&mut action, "{}");
        if !action.is_empty() {
            found.push(Behind::Command(action));
        }
    }
    found
}

/// Marks the words that contain a placeholder as unknown.
fn mark_placeholders_unknown(words: &mut [Word], placeholder: &str) {
    for word in words.iter_mut().filter(|word| word.text.contains(placeholder)) {
        word.kind = WordKind::Expansion;
    }
}

/// Joins words that a wrapper reads as code. The code is known only if each of them is literal.
fn join_as_code(words: &[&Word]) -> Behind {
    if words.iter().any(|word| word.kind != WordKind::Literal) {
        return Behind::Unknown;
    }
    Behind::Code(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
}
