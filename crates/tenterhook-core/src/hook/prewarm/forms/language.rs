//! Which words make a command a script of a known interpreter? Tables of options, as the interpreters document them.
//!
//! An option that is missing here costs a cold start. One that stands here wrongly would have the wrong word taken for the
//! script.

use tenterhook_shell::{Word, WordKind};

/// An interpreter whose command lines are read.
#[derive(Debug)]
pub(super) struct Language {
    /// Whether a program of this name is it.
    is_called: fn(&str) -> bool,
    /// Whether an option takes the next word; `None` for one after which no script is read, or that is unknown.
    takes_next: fn(&str) -> Option<bool>,
    /// How a word ends that is a script although a shell fills in some of it.
    endings: &'static [&'static str],
    /// Whether a word must end so to be a script, as where words of other kinds may stand in its place.
    plain_words: PlainWords,
}

/// What a word without anything special is, where a script may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlainWords {
    /// The script.
    Scripts,
    /// The script if it ends like one, else perhaps a command of the interpreter (`node inspect`).
    Either,
}

pub(super) const PYTHON: Language = Language {
    is_called: is_python_program,
    takes_next: python_option_takes_next_word,
    endings: &[".py"],
    plain_words: PlainWords::Scripts,
};

pub(super) const NODE: Language = Language {
    is_called: |program| matches!(program_basename(program), "node" | "nodejs"),
    takes_next: node_option_takes_next_word,
    endings: &[".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"],
    plain_words: PlainWords::Either,
};

impl Language {
    /// Counts the words between the interpreter and its script; `None` if it is uncertain which
    /// word is the script.
    pub(super) fn count_words_before_script(&self, words: &[Word]) -> Option<usize> {
        let (program, args) = words.split_first()?;
        if program.kind != WordKind::Literal || !(self.is_called)(&program.text) {
            return None;
        }
        let ends = |text: &str| self.endings.iter().any(|ending| text.ends_with(ending));
        let mut at = 0;
        loop {
            let word = args.get(at)?;
            match word.kind {
                WordKind::Literal if !word.text.starts_with('-') => {
                    let is_script = match self.plain_words {
                        PlainWords::Scripts => !word.text.is_empty(),
                        PlainWords::Either => ends(&word.text),
                    };
                    return is_script.then_some(at);
                }
                WordKind::Literal => {}
                // `$D/a.py` is a script; the values of `$D` alone and `$D*` are unknown.
                WordKind::Pattern | WordKind::Expansion => {
                    return ends(word.source.trim_end_matches('"')).then_some(at);
                }
            }
            at += if (self.takes_next)(&word.text)? { 2 } else { 1 };
        }
    }
}

/// Returns the name of a program without its directories.
fn program_basename(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Returns true for `python`, `python3` and the like, such as `python3.12`.
fn is_python_program(program: &str) -> bool {
    let Some(version) = program_basename(program).strip_prefix("python") else { return false };
    version.chars().all(|c| c.is_ascii_digit() || c == '.') && !version.starts_with('2')
}

/// Options of Python of one letter that stand alone and leave the script what it is.
const ALONE: &str = "BbdEIOPRsSuvq";

/// Options of Python of one letter that take the rest of their word, or the next word.
const WITH_VALUE: &str = "WX";

/// Returns whether an option of Python takes the next word as its value; `None` if the option is
/// unknown or replaces the script.
fn python_option_takes_next_word(option: &str) -> Option<bool> {
    let letters = option.strip_prefix('-').filter(|rest| !rest.is_empty())?;
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

/// Options of Node that stand alone, leave the script what it is, and do nothing when it is over.
const NODE_ALONE: &[&str] = &[
    "--enable-source-maps",
    "--experimental-strip-types",
    "--experimental-transform-types",
    "--expose-gc",
    "--no-deprecation",
    "--no-experimental-strip-types",
    "--no-warnings",
    "--pending-deprecation",
    "--preserve-symlinks",
    "--preserve-symlinks-main",
    "--throw-deprecation",
    "--trace-deprecation",
    "--trace-uncaught",
    "--trace-warnings",
    "--use-openssl-ca",
    "--use-system-ca",
];

/// Options of Node that take a value, behind `=` or as the next word.
const NODE_WITH_VALUE: &[&str] = &["--conditions", "--import", "--require", "-C", "-r"];

/// Options of Node that take a value behind `=`; whether the next word may be one differs between versions.
const NODE_WITH_EQUALS: &[&str] = &[
    "--disable-warning",
    "--dns-result-order",
    "--max-http-header-size",
    "--max-old-space-size",
    "--max-semi-space-size",
    "--max_old_space_size",
    "--stack-trace-limit",
    "--unhandled-rejections",
];

/// Returns whether an option of Node takes the next word as its value; `None` if the option is
/// unknown or replaces the script.
fn node_option_takes_next_word(option: &str) -> Option<bool> {
    match option.split_once('=') {
        None if NODE_ALONE.contains(&option) => Some(false),
        None if NODE_WITH_VALUE.contains(&option) => Some(true),
        Some((option, _)) if option.starts_with("--") => {
            let mut known = NODE_WITH_VALUE.iter().chain(NODE_WITH_EQUALS);
            known.any(|text| *text == option).then_some(false)
        }
        _ => None,
    }
}
