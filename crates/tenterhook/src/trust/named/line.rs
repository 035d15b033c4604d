//! Which words of a line count, and what does it run that they do not name? Follows the commands of a line one by one. Pure.

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;

use tenterhook_shell::{
    self as shell, Parsed, Redirect, SimpleCommand, Target, Via, Word, WordKind,
};

use super::base::Bases;
use super::part::{self, Known, Part};
use super::programs::{self, ENTER, ENTER_OPTIONS, Modules, RUN_DIRECTORIES, SOURCES};
use super::variables::{self, Value};
use super::{Candidate, Directory, Mention, Named, is_interpreter};
use tenterhook_core::hook::script::{ENDINGS, INLINE};

/// Options with which a program runs nothing.
const INERT: &[&str] = &["--version", "--help", "-V", "-h", "-v"];

impl Named {
    /// Removes repeated entries of `unpinned`.
    pub(super) fn once(mut self) -> Self {
        let mut known = HashSet::new();
        self.unpinned.retain(|text| known.insert(text.clone()));
        self
    }

    /// Reads a line; `argv` are the words of which it was made, where it is no line that a person wrote.
    pub(super) fn line(&mut self, text: &str, argv: Option<&[&str]>, bases: &mut Bases<'_>) {
        let line = shell::read(text);
        if let Parsed::Doubtful(why) = &line.parsed {
            self.unpinned.push(why.to_string());
        }
        let redirects = line.commands.iter().flat_map(|command| command.redirects.iter());
        let written: Vec<&Word> =
            redirects.chain(&line.redirects).filter_map(|redirect| target(redirect, ">")).collect();
        for command in &line.commands {
            // A program that is named by a path is listed once more, under its file name.
            if !matches!(command.via.last(), Some(Via::Path(_))) {
                self.command(command, argv, bases);
            }
        }
        for word in line.redirects.iter().filter_map(|redirect| target(redirect, "<")) {
            self.count(word, Directory::Data, bases);
        }
        for word in line.loops.iter().flat_map(|each| &each.words) {
            self.count(word, Directory::Data, bases);
        }
        self.drop_written(&written, bases);
    }

    /// A file that the line itself writes is what the hook remembers, and no part of what was approved.
    fn drop_written(&mut self, written: &[&Word], bases: &Bases<'_>) {
        let paths: Vec<PathBuf> =
            written.iter().flat_map(|word| bases.paths(&word.text)).map(|(path, _)| path).collect();
        let is_written = |candidate: &Candidate| paths.contains(&candidate.path);
        for candidate in self.counted.iter().filter(|candidate| is_written(candidate)) {
            self.unpinned.push(format!("`{}`, which the line itself writes", candidate.word));
        }
        self.counted.retain(|candidate| !is_written(candidate));
    }

    fn command(&mut self, command: &SimpleCommand, argv: Option<&[&str]>, bases: &mut Bases<'_>) {
        for assignment in command.assignments.iter() {
            self.assigned(&assignment.name, &assignment.value, bases);
        }
        for word in command.redirects.iter().filter_map(|redirect| target(redirect, "<")) {
            self.count(word, Directory::Data, bases);
        }
        let Some((program, args)) = command.words.split_first() else { return };
        let name = program.text.as_str();
        let short = name.rsplit('/').next().unwrap_or(name);
        if program.kind != WordKind::Literal && !name.starts_with("~/") {
            self.unpinned.push(format!("`{name}` is known only when it runs"));
            self.count(program, Directory::Data, bases);
        } else if name.contains('/') {
            self.mention(&as_written(program, argv), bases, true, None);
        } else if !self.files.iter().any(|file| file.path.ends_with(name)) {
            // A reader that looks through paths tells of a file by its bare name, too.
            self.programs.push(name.to_owned());
        }
        if ENTER.contains(&short) {
            bases.enter(args, command.context, &mut self.unpinned);
            return;
        }
        bases.enter_for(args, ENTER_OPTIONS);
        self.unnamed(short, command);
        self.run_by(short, args, argv, bases);
        self.counted_words(short, &command.words, bases);
    }

    /// Reports the code that a program runs and its words do not name.
    fn unnamed(&mut self, short: &str, command: &SimpleCommand) {
        let args = command.words.get(1..).unwrap_or_default();
        if programs::runs_unnamed(short, &command.words) {
            let what = args.first().map(|word| format!(" {}", word.text)).unwrap_or_default();
            self.unpinned.push(format!("what `{short}{what}` runs"));
        }
        if programs::code_in_words_loads(short, &command.words) {
            self.unpinned.push(format!("what the code handed to `{short}` loads"));
        }
        if !is_interpreter(short) || shell::is_shell(short) {
            return;
        }
        let script = args.iter().position(|word| !word.text.starts_with('-'));
        let options = args.get(..script.unwrap_or(args.len())).unwrap_or_default();
        let is_inline = args.iter().any(|word| INLINE.contains(&&*word.text))
            || options.iter().any(|word| is_inline(&word.text));
        let is_inert = options.iter().any(|word| INERT.contains(&&*word.text));
        if is_inline || script.is_none() && !is_inert {
            self.unpinned.push(format!("what the code handed to `{short}` loads"));
        }
    }

    /// The words that an interpreter or a shell runs.
    fn run_by(&mut self, short: &str, args: &[Word], argv: Option<&[&str]>, bases: &Bases<'_>) {
        let interprets = is_interpreter(short);
        let modules = programs::modules(short);
        let (mut may_be_script, mut behind_option) = (true, false);
        for word in args {
            if word.text.starts_with('-') {
                behind_option = true;
                continue;
            }
            let ends = ENDINGS.iter().any(|ending| word.text.ends_with(ending));
            let is_script = may_be_script;
            // The word behind an option may be its value; then the next word is the script.
            may_be_script &= std::mem::take(&mut behind_option) && !ends;
            if word.kind != WordKind::Literal && !word.text.starts_with("~/") {
                if ends || is_script && (interprets || matches!(short, "." | "source")) {
                    self.unpinned.push(format!("`{}` is known only when it runs", word.text));
                }
            } else if ends || interprets || SOURCES.contains(&short) {
                let modules = modules.filter(|_| is_script);
                self.mention(&as_written(word, argv), bases, false, modules);
            }
        }
    }

    /// The words that count where they are files of the project.
    fn counted_words(&mut self, short: &str, words: &[Word], bases: &Bases<'_>) {
        let args = words.get(1..).unwrap_or_default();
        let script = args.iter().position(|word| !word.text.starts_with('-'));
        let skipped = programs::uncounted(short, words);
        for (at, (word, skipped)) in args.iter().zip(skipped).enumerate() {
            if skipped {
                continue;
            }
            let is_variable = word.text.split_once('=').filter(|(name, _)| is_name(name));
            if let Some((name, _)) = is_variable.filter(|_| !word.is_dynamic()) {
                let value = word.text.get(name.len() + 1..).unwrap_or_default();
                self.assigned(name, &Word::literal(value), bases);
                continue;
            }
            let is_option = word.text.starts_with('-');
            let directory = if RUN_DIRECTORIES.contains(&short) {
                Directory::Searched
            } else if is_interpreter(short) && is_option && script.is_none_or(|script| at < script)
            {
                // `perl -Ilib`
                Directory::Searched
            } else if programs::runs_unnamed(short, words) {
                Directory::Unread
            } else {
                Directory::Data
            };
            self.count(word, directory, bases);
        }
    }

    /// A variable that the line sets.
    fn assigned(&mut self, name: &str, value: &Word, bases: &Bases<'_>) {
        match (value.kind, variables::reading(name)) {
            (WordKind::Literal, _) => self.variable(name, &value.text, None, bases),
            (_, Value::Ignored) => {}
            (_, Value::Directories(_) | Value::Files(_)) => {
                self.count(value, Directory::Searched, bases);
            }
            _ => self.count(value, Directory::Data, bases),
        }
    }

    /// The value of a variable, where it is known; `at` is its place among those of the entry.
    pub(super) fn variable(
        &mut self,
        name: &str,
        value: &str,
        at: Option<usize>,
        bases: &Bases<'_>,
    ) {
        let shown = format!("{name}={value}");
        let mut add = |text: &str, directory: Directory, place: Option<Range<usize>>| {
            let part = Part { text: text.to_owned(), known: Known::Whole };
            self.candidates(&shown, &part, directory, at.zip(place), bases);
        };
        match variables::reading(name) {
            Value::Ignored => {}
            Value::Directories(separators) => {
                for (place, part) in pieces(value, separators) {
                    // An empty part of such a list is the directory in which a program stands.
                    add(if part.is_empty() { "." } else { part }, Directory::Searched, Some(place));
                }
            }
            Value::Files(separators) => {
                for (place, part) in pieces(value, separators) {
                    add(part, Directory::Searched, Some(place));
                }
            }
            Value::Options => {
                let mut parts = Vec::new();
                let words = value.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
                words.for_each(|word| part::of_text(word, &mut parts));
                parts.iter().for_each(|part| add(&part.text, Directory::Searched, None));
            }
            Value::Line => self.line(value, None, &mut bases.clone()),
            Value::Any => {
                let mut parts = Vec::new();
                part::of_text(value, &mut parts);
                parts.iter().for_each(|part| add(&part.text, Directory::Data, None));
            }
        }
    }

    /// The paths that a word may stand for.
    fn count(&mut self, word: &Word, directory: Directory, bases: &Bases<'_>) {
        for part in part::parts(word, bases.project_text()) {
            self.candidates(&word.text, &part, directory, None, bases);
        }
    }

    fn candidates(
        &mut self,
        word: &str,
        part: &Part,
        directory: Directory,
        variable: Option<(usize, Range<usize>)>,
        bases: &Bases<'_>,
    ) {
        let Part { text, known } = part;
        for (path, _) in bases.paths(text) {
            let candidate = Candidate {
                path,
                word: word.to_owned(),
                known: *known,
                directory,
                modules: programs::modules_of_variable(word),
                variable: variable.clone(),
            };
            if !self.counted.contains(&candidate) {
                self.counted.push(candidate);
            }
        }
    }

    pub(super) fn mention(
        &mut self,
        word: &Word,
        bases: &Bases<'_>,
        certain: bool,
        modules: Option<&'static Modules>,
    ) {
        if word.text.starts_with('-') || word.text.is_empty() {
            return;
        }
        for (path, is_current) in bases.paths(&word.text) {
            let mention = Mention {
                word: word.source.clone(),
                path,
                certain: certain && is_current,
                if_there: !is_current,
                modules,
            };
            if !self.files.contains(&mention) {
                self.files.push(mention);
            }
        }
    }
}

/// The file that a redirection opens in this direction.
fn target<'a>(redirect: &'a Redirect, direction: &str) -> Option<&'a Word> {
    let operator = redirect.operator.as_str();
    let fits = match direction {
        "<" => matches!(operator, "<" | "<>"),
        _ => operator.contains('>') && operator != "<>",
    };
    match &redirect.target {
        Target::Word(word) if fits => Some(word),
        Target::Word(_) | Target::HereDocument { .. } | Target::Closed => None,
    }
}

/// The word as it is found in the entry: of a list of words, the word itself and not as a shell would quote it.
fn as_written(word: &Word, argv: Option<&[&str]>) -> Word {
    match argv {
        Some(argv) if argv.contains(&&*word.text) => Word::literal(&word.text),
        _ => word.clone(),
    }
}

/// The parts of a list, each with its range.
fn pieces<'a>(
    value: &'a str,
    separators: &'a str,
) -> impl Iterator<Item = (Range<usize>, &'a str)> {
    let mut start = 0;
    value.split(|c| separators.contains(c)).map(move |piece| {
        let place = start..start + piece.len();
        // Each separator is one byte long.
        start = place.end + 1;
        (place, piece)
    })
}

/// Whether a text is the name of a variable.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether an option hands code over, or names a module: `-Ic`, `-ne`, `-mguard`, `-MPol`.
fn is_inline(option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return ["--eval=", "--print=", "--import=", "--loader="]
            .iter()
            .any(|start| option.starts_with(start));
    };
    let is_cluster = letters.len() <= 5 && letters.chars().all(|c| c.is_ascii_alphabetic());
    letters.starts_with(['M', 'm', 'c', 'e'])
        || is_cluster && letters.ends_with(['c', 'e', 'm', 'r'])
}
