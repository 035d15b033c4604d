//! Which program does this command run behind another one's name?
//!
//! `table` says how each wrapper is written; the code here only walks words. It looks one step behind: what it finds
//! is read again by the caller, so wrappers compose (S-31 to S-34).

mod table;

use super::word::{Word, WordKind};
use table::{SHELLS_WHEN_ALONE, WRAPPERS};

/// How one wrapper is written.
pub(super) struct Wrapper {
    /// Its program name.
    pub(super) name: &'static str,
    /// Options that take the next word as their value, where it is not attached.
    valued: &'static [&'static str],
    /// Options with which it runs nothing (`command -v`).
    inert: &'static [&'static str],
    /// What comes after its options.
    follows: Follows,
}

/// What a wrapper runs.
enum Follows {
    /// A command, after this many operands of the wrapper's own.
    Command { operands: usize, first: First },
    /// A command to which more arguments are appended when it runs; each of these options names a placeholder.
    Appended { placeholders: &'static [&'static str] },
    /// Commands after each of these words, up to `;` or `+`.
    Actions(&'static [&'static str]),
    /// A shell: the operand of `-c`, else what it reads from its standard input.
    Shell,
    /// Code: the value of `-c` or `--command`; else a command after so many operands, where it takes one.
    Option { operands: Option<usize> },
    /// Code: all operands, joined by spaces.
    Joined,
    /// Code: the first operand.
    Operand,
    /// What stands behind one of these words, their options and so many operands of theirs; without words, at once.
    Verb { verbs: &'static [&'static str], operands: usize, runs: Runs },
    /// A command line to which the words behind `:::` are appended, or what it reads from its standard input.
    Parallel,
}

/// What stands behind a verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// A command.
    Command,
    /// Code: the words, joined by spaces.
    Code,
}

/// What may stand before the command itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// Nothing.
    Plain,
    /// Assignments, as `env` takes them.
    Assignments,
}

/// What stands behind a wrapper.
pub(super) enum Behind {
    /// A command.
    Command(Vec<Word>),
    /// Code to be read as a line of its own.
    Code(String),
    /// Code on the wrapper's standard input.
    Input,
    /// Something that cannot be known.
    Unknown,
}

/// The names of all wrappers, for lists and for `check`.
pub fn names() -> impl Iterator<Item = &'static str> {
    WRAPPERS.iter().map(|wrapper| wrapper.name)
}

/// The row of the table for a program.
pub(super) fn find(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

impl Wrapper {
    /// What stands behind the wrapper; `words` begins with its name.
    pub(super) fn behind(&self, words: &[Word]) -> Vec<Behind> {
        let words = words.get(1..).unwrap_or_default();
        if let Follows::Actions(starts) = self.follows {
            return actions(words, starts);
        }
        if let Follows::Option { .. } = self.follows
            && let Some(found) = code_option(words)
        {
            return vec![found];
        }
        let Options { code, placeholder, rest } = self.options(words);
        let Some(rest) = rest else { return Vec::new() };
        match self.follows {
            Follows::Command { operands, .. }
                if rest.len() <= operands && SHELLS_WHEN_ALONE.contains(&self.name) =>
            {
                vec![Behind::Input]
            }
            Follows::Option { operands: Some(operands) } => {
                plain(rest.get(operands..).unwrap_or_default(), First::Plain)
            }
            Follows::Option { operands: None } => Vec::new(),
            Follows::Command { operands, first } => match code {
                Some(code) => split_string(&code, rest),
                None => plain(rest.get(operands..).unwrap_or_default(), first),
            },
            Follows::Appended { .. } => appended(rest, placeholder),
            Follows::Shell => match code {
                Some(Split::Operand) => {
                    vec![rest.first().map_or(Behind::Unknown, |word| as_code(&[word]))]
                }
                Some(_) => vec![Behind::Input],
                None if rest.is_empty() => vec![Behind::Input],
                None => Vec::new(),
            },
            Follows::Joined if rest.is_empty() => Vec::new(),
            Follows::Joined => vec![as_code(&rest.iter().collect::<Vec<_>>())],
            Follows::Verb { verbs, operands, runs } => {
                self.behind_verb(rest, verbs, operands, runs).unwrap_or_default()
            }
            Follows::Parallel => parallel(rest),
            Follows::Operand => rest.first().map(|word| as_code(&[word])).into_iter().collect(),
            Follows::Actions(_) => Vec::new(),
        }
    }

    /// `uv run --with x COMMAND`, `npm exec -c CODE`
    fn behind_verb(
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
                return Some(vec![as_code(&[code])]);
            }
            rest = self.options(behind).rest?;
        }
        rest = rest.get(operands..)?;
        rest = rest.strip_prefix(&[Word::literal("--")][..]).unwrap_or(rest);
        // `uv run -` reads a script of another language.
        rest.first().filter(|it| it.text != "-")?;
        Some(match runs {
            Runs::Command => plain(rest, First::Plain),
            Runs::Code => {
                let is_key = |word: &&Word| KEYS.contains(&word.text.as_str());
                vec![as_code(&rest.iter().filter(|it| !is_key(it)).collect::<Vec<_>>())]
            }
        })
    }

    /// Walks over the wrapper's own options.
    fn options<'a>(&self, words: &'a [Word]) -> Options<'a> {
        let mut options = Options { code: None, placeholder: None, rest: None };
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            let long_enough = text.len() > 1 || (text == "-" && self.takes_assignments());
            let plus = matches!(self.follows, Follows::Shell) && text.starts_with('+');
            if word.kind == WordKind::Expansion || !(text.starts_with('-') || plus) || !long_enough
            {
                break;
            }
            if self.inert.contains(&text) {
                return options;
            }
            at += 1;
            if self.note(text, words.get(at), &mut options) == Value::NextWord {
                at += 1;
            }
            if self.name == "env" && options.code.is_some() {
                // The words after `-S` follow the text that it splits; they are no options of `env`.
                break;
            }
        }
        options.rest = Some(words.get(at..).unwrap_or_default());
        options
    }

    fn takes_assignments(&self) -> bool {
        matches!(self.follows, Follows::Command { first: First::Assignments, .. })
    }

    /// Remembers what an option says about the command, and says whether its value is the next word.
    fn note<'a>(&self, text: &'a str, next: Option<&'a Word>, options: &mut Options<'a>) -> Value {
        let is_long = text.starts_with("--");
        let valued = |option: &str| self.valued.contains(&option);
        match &self.follows {
            // `bash -lc CODE`: any short cluster with a `c`.
            Follows::Shell if !is_long && text.contains('c') && text.starts_with('-') => {
                options.code = Some(Split::Operand);
                return if text.ends_with('o') { Value::NextWord } else { Value::None };
            }
            // `bash -s ARG`: the operands belong to the code on standard input.
            Follows::Shell if text.starts_with('-') && !is_long && text.contains('s') => {
                options.code.get_or_insert(Split::Unknown);
            }
            Follows::Command { first: First::Assignments, .. } if self.name == "env" => {
                if let Some(found) = env_split(text, next) {
                    options.code = Some(found.0);
                    return found.1;
                }
            }
            Follows::Appended { placeholders } => {
                for option in *placeholders {
                    if let Some(attached) = text.strip_prefix(option) {
                        let attached = attached.trim_start_matches('=');
                        let takes_next = attached.is_empty() && valued(option);
                        options.placeholder = match next {
                            Some(next) if takes_next => Some(next.text.as_str()),
                            _ if attached.is_empty() => Some("{}"),
                            _ => Some(attached),
                        };
                    }
                }
            }
            _ => {}
        }
        if is_long {
            return if valued(text) { Value::NextWord } else { Value::None };
        }
        // In a cluster the first option with a value takes the rest of the word, or the next word where none is left.
        let sign = text.get(..1).unwrap_or_default();
        if valued(text) {
            return Value::NextWord;
        }
        let mut letters = text.chars().skip(1);
        let taker = letters.find(|letter| valued(&format!("{sign}{letter}")));
        match taker {
            Some(_) if letters.next().is_none() => Value::NextWord,
            _ => Value::None,
        }
    }
}

/// Where an option's value is.
#[derive(PartialEq, Eq)]
enum Value {
    /// It has none, or it is attached.
    None,
    /// The next word.
    NextWord,
}

/// What the wrapper's own options say.
struct Options<'a> {
    code: Option<Split<'a>>,
    placeholder: Option<&'a str>,
    /// The words after the options; `None` where nothing is run.
    rest: Option<&'a [Word]>,
}

/// Where the code of an option is.
enum Split<'a> {
    /// The first operand (`bash -c`).
    Operand,
    /// This text (`env -S`).
    Text(&'a str),
    /// Not known before it runs.
    Unknown,
}

/// `su -c 'git push'`, wherever the option stands.
fn code_option(words: &[Word]) -> Option<Behind> {
    let at =
        words.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command" | "--run"));
    if let Some(at) = at {
        return Some(words.get(at + 1).map_or(Behind::Unknown, |word| as_code(&[word])));
    }
    let attached = words.iter().find(|word| word.text.starts_with("--command="))?;
    let known = attached.kind == WordKind::Literal;
    let code = attached.text.strip_prefix("--command=").filter(|_| known);
    Some(code.map_or(Behind::Unknown, |code| Behind::Code(code.to_owned())))
}

/// `env -S 'git push'`, in its four spellings.
fn env_split<'a>(text: &'a str, next: Option<&'a Word>) -> Option<(Split<'a>, Value)> {
    let attached = |prefix: &str| text.strip_prefix(prefix).filter(|rest| !rest.is_empty());
    if text == "--split-string" || (!text.starts_with("--") && text.ends_with('S')) {
        let split = match next {
            Some(word) if word.kind == WordKind::Literal => Split::Text(&word.text),
            _ => Split::Unknown,
        };
        return Some((split, Value::NextWord));
    }
    let code =
        attached("--split-string=").or_else(|| attached("-S")).or_else(|| attached("-vS"))?;
    Some((Split::Text(code), Value::None))
}

fn split_string(code: &Split<'_>, rest: &[Word]) -> Vec<Behind> {
    let Split::Text(code) = code else { return vec![Behind::Unknown] };
    let mut line = (*code).to_owned();
    for word in rest {
        line.push(' ');
        line.push_str(&word.source);
    }
    vec![Behind::Code(line)]
}

fn plain(words: &[Word], first: First) -> Vec<Behind> {
    let is_assignment = |word: &&Word| first == First::Assignments && word.text.contains('=');
    let skipped = words.iter().take_while(is_assignment).count();
    match words.get(skipped..) {
        None | Some([]) => Vec::new(),
        Some(words) => vec![Behind::Command(words.to_vec())],
    }
}

/// `xargs`: what it appends, or puts in the place of its placeholder, is unknown.
fn appended(words: &[Word], placeholder: Option<&str>) -> Vec<Behind> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut words = words.to_vec();
    match placeholder {
        Some(placeholder) => mark(&mut words, placeholder),
        None => words.push(Word::unknown("$@")),
    }
    vec![Behind::Command(words)]
}

/// GNU `parallel`: its words are a line of the shell; what comes behind `:::` is quoted and put into it.
fn parallel(words: &[Word]) -> Vec<Behind> {
    let is_mark = |word: &Word| matches!(word.text.as_str(), ":::" | ":::+");
    let at = words.iter().position(is_mark);
    let (command, arguments) = words.split_at(at.unwrap_or(words.len()));
    let arguments = arguments.iter().filter(|it| !is_mark(it));
    if command.is_empty() {
        return arguments.map(|it| as_code(&[it])).collect();
    }
    if command.iter().any(|it| it.kind == WordKind::Expansion) {
        return vec![Behind::Unknown];
    }
    // A pattern is the shell's before it is a word of `parallel`.
    let as_read = |word: &Word| match word.kind {
        WordKind::Literal => word.text.clone(),
        WordKind::Pattern | WordKind::Expansion => word.source.clone(),
    };
    let mut line = command.iter().map(as_read).collect::<Vec<_>>().join(" ");
    let mut all = arguments.map(|it| it.source.as_str()).collect::<Vec<_>>().join(" ");
    if at.is_none() {
        "$@".clone_into(&mut all);
    }
    match PARALLEL_PLACES.iter().any(|place| line.contains(place)) {
        true => PARALLEL_PLACES.iter().for_each(|place| line = line.replace(place, &all)),
        false => line = format!("{line} {all}"),
    }
    vec![Behind::Code(line)]
}

/// Keys that end what is typed into a pane.
const KEYS: &[&str] = &["Enter", "C-m", "C-j", "KPEnter"];

/// Where `parallel` puts what it was handed.
const PARALLEL_PLACES: &[&str] = &["{}", "{.}", "{/}", "{//}", "{1}", "{2}"];

/// `find -exec ... ;`, as often as it occurs.
fn actions(words: &[Word], starts: &[&str]) -> Vec<Behind> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while words.any(|word| starts.contains(&word.text.as_str())) {
        let ends = |word: &&Word| !matches!(word.text.as_str(), ";" | "+");
        let mut action: Vec<Word> = words.by_ref().take_while(ends).cloned().collect();
        mark(&mut action, "{}");
        if !action.is_empty() {
            found.push(Behind::Command(action));
        }
    }
    found
}

/// Marks the words that hold a placeholder as unknown.
fn mark(words: &mut [Word], placeholder: &str) {
    for word in words.iter_mut().filter(|word| word.text.contains(placeholder)) {
        word.kind = WordKind::Expansion;
    }
}

/// Words that a wrapper reads as code: known only where each of them is literal.
fn as_code(words: &[&Word]) -> Behind {
    if words.iter().any(|word| word.kind != WordKind::Literal) {
        return Behind::Unknown;
    }
    Behind::Code(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
}
