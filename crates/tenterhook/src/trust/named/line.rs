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
    pub(super) fn dedup_unpinned(mut self) -> Self {
        let mut known = HashSet::new();
        self.unpinned.retain(|text| known.insert(text.clone()));
        self
    }

    /// Reads a line. If it was built from a list of words, `argv` are these words.
    pub(super) fn read_line(&mut self, text: &str, argv: Option<&[&str]>, bases: &mut Bases<'_>) {
        let line = shell::parse_line(text);
        if let Parsed::Doubtful(why) = &line.parsed {
            self.unpinned.push(why.to_string());
        }
        let redirects = line.commands.iter().flat_map(|command| command.redirects.iter());
        let written: Vec<&Word> = redirects
            .chain(&line.redirects)
            .filter_map(|redirect| redirect_target(redirect, ">"))
            .collect();
        for command in &line.commands {
            // A program that is named by a path is listed once more, under its file name.
            if !matches!(command.via.last(), Some(Via::Path(_))) {
                self.read_command(command, argv, bases);
            }
        }
        for word in line.redirects.iter().filter_map(|redirect| redirect_target(redirect, "<")) {
            self.add_word_candidates(word, Directory::Data, bases);
        }
        for word in line.loops.iter().flat_map(|each| &each.words) {
            self.add_word_candidates(word, Directory::Data, bases);
        }
        self.drop_written_files(&written, bases);
    }

    /// Drops the files that the line itself writes: they are the hook's own state, and no part of
    /// what was approved.
    fn drop_written_files(&mut self, written: &[&Word], bases: &Bases<'_>) {
        let paths: Vec<PathBuf> = written
            .iter()
            .flat_map(|word| bases.candidate_paths(&word.text))
            .map(|(path, _)| path)
            .collect();
        let is_written = |candidate: &Candidate| paths.contains(&candidate.path);
        for candidate in self.counted.iter().filter(|candidate| is_written(candidate)) {
            self.unpinned.push(format!("`{}`, which the line itself writes", candidate.word));
        }
        self.counted.retain(|candidate| !is_written(candidate));
    }

    fn read_command(
        &mut self,
        command: &SimpleCommand,
        argv: Option<&[&str]>,
        bases: &mut Bases<'_>,
    ) {
        for assignment in command.assignments.iter() {
            self.read_assignment(&assignment.name, &assignment.value, bases);
        }
        for word in command.redirects.iter().filter_map(|redirect| redirect_target(redirect, "<")) {
            self.add_word_candidates(word, Directory::Data, bases);
        }
        let Some((program, args)) = command.words.split_first() else { return };
        let name = program.text.as_str();
        let short = name.rsplit('/').next().unwrap_or(name);
        if program.kind != WordKind::Literal && !name.starts_with("~/") {
            self.unpinned.push(format!("`{name}` is known only when it runs"));
            self.add_word_candidates(program, Directory::Data, bases);
        } else if name.contains('/') {
            self.add_mentions_of_word(&word_as_written(program, argv), bases, true, None);
        } else if !self.files.iter().any(|file| file.path.ends_with(name)) {
            // A reader that looks through paths tells of a file by its bare name, too.
            self.programs.push(name.to_owned());
        }
        if ENTER.contains(&short) {
            bases.follow_cd(args, command.context, &mut self.unpinned);
            return;
        }
        bases.follow_directory_options(args, ENTER_OPTIONS);
        self.report_unnamed_code(short, command);
        self.add_executed_words(short, args, argv, bases);
        self.add_project_file_words(short, &command.words, bases);
    }

    /// Reports code that a program runs although none of its words names it.
    fn report_unnamed_code(&mut self, short: &str, command: &SimpleCommand) {
        let args = command.words.get(1..).unwrap_or_default();
        if programs::runs_unnamed_code(short, &command.words) {
            let what = args.first().map(|word| format!(" {}", word.text)).unwrap_or_default();
            self.unpinned.push(format!("what `{short}{what}` runs"));
        }
        if programs::inline_code_loads_files(short, &command.words) {
            self.unpinned.push(format!("what the code handed to `{short}` loads"));
        }
        if !is_interpreter(short) || shell::is_shell_name(short) {
            return;
        }
        let script = args.iter().position(|word| !word.text.starts_with('-'));
        let options = args.get(..script.unwrap_or(args.len())).unwrap_or_default();
        let is_inline = args.iter().any(|word| INLINE.contains(&&*word.text))
            || options.iter().any(|word| is_inline_code_option(&word.text));
        let is_inert = options.iter().any(|word| INERT.contains(&&*word.text));
        if is_inline || script.is_none() && !is_inert {
            self.unpinned.push(format!("what the code handed to `{short}` loads"));
        }
    }

    /// Adds the words that an interpreter or a shell runs.
    fn add_executed_words(
        &mut self,
        short: &str,
        args: &[Word],
        argv: Option<&[&str]>,
        bases: &Bases<'_>,
    ) {
        let interprets = is_interpreter(short);
        let modules = programs::module_search(short);
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
                self.add_mentions_of_word(&word_as_written(word, argv), bases, false, modules);
            }
        }
    }

    /// Adds the words that are pinned if they are files of the project.
    fn add_project_file_words(&mut self, short: &str, words: &[Word], bases: &Bases<'_>) {
        let args = words.get(1..).unwrap_or_default();
        let script = args.iter().position(|word| !word.text.starts_with('-'));
        let skipped = programs::which_words_are_not_files(short, words);
        for (at, (word, skipped)) in args.iter().zip(skipped).enumerate() {
            if skipped {
                continue;
            }
            let is_variable = word.text.split_once('=').filter(|(name, _)| is_variable_name(name));
            if let Some((name, _)) = is_variable.filter(|_| !word.is_dynamic()) {
                let value = word.text.get(name.len() + 1..).unwrap_or_default();
                self.read_assignment(name, &Word::literal(value), bases);
                continue;
            }
            let is_option = word.text.starts_with('-');
            let directory = if RUN_DIRECTORIES.contains(&short) {
                Directory::Searched
            } else if is_interpreter(short) && is_option && script.is_none_or(|script| at < script)
            {
                // `perl -Ilib`
                Directory::Searched
            } else if programs::runs_unnamed_code(short, words) {
                Directory::Unread
            } else {
                Directory::Data
            };
            self.add_word_candidates(word, directory, bases);
        }
    }

    /// Reads a variable that the line sets.
    fn read_assignment(&mut self, name: &str, value: &Word, bases: &Bases<'_>) {
        match (value.kind, variables::variable_value_kind(name)) {
            (WordKind::Literal, _) => self.read_variable(name, &value.text, None, bases),
            (_, Value::Ignored) => {}
            (_, Value::Directories(_) | Value::Files(_)) => {
                self.add_word_candidates(value, Directory::Searched, bases);
            }
            _ => self.add_word_candidates(value, Directory::Data, bases),
        }
    }

    /// Reads the value of a variable, if it is known; `at` is its index among the variables of the
    /// entry.
    pub(super) fn read_variable(
        &mut self,
        name: &str,
        value: &str,
        at: Option<usize>,
        bases: &Bases<'_>,
    ) {
        let shown = format!("{name}={value}");
        let mut add = |text: &str, directory: Directory, place: Option<Range<usize>>| {
            let part = Part { text: text.to_owned(), known: Known::Whole };
            self.add_part_candidates(&shown, &part, directory, at.zip(place), bases);
        };
        match variables::variable_value_kind(name) {
            Value::Ignored => {}
            Value::Directories(separators) => {
                for (place, part) in split_with_ranges(value, separators) {
                    // An empty part of such a list is the directory in which a program stands.
                    add(if part.is_empty() { "." } else { part }, Directory::Searched, Some(place));
                }
            }
            Value::Files(separators) => {
                for (place, part) in split_with_ranges(value, separators) {
                    add(part, Directory::Searched, Some(place));
                }
            }
            Value::Options => {
                let mut parts = Vec::new();
                let words = value.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
                words.for_each(|word| part::add_paths_of_text(word, &mut parts));
                parts.iter().for_each(|part| add(&part.text, Directory::Searched, None));
            }
            Value::Line => self.read_line(value, None, &mut bases.clone()),
            Value::Any => {
                let mut parts = Vec::new();
                part::add_paths_of_text(value, &mut parts);
                parts.iter().for_each(|part| add(&part.text, Directory::Data, None));
            }
        }
    }

    /// Adds the paths that a word may mean.
    fn add_word_candidates(&mut self, word: &Word, directory: Directory, bases: &Bases<'_>) {
        for part in part::possible_paths(word, bases.project_str()) {
            self.add_part_candidates(&word.text, &part, directory, None, bases);
        }
    }

    fn add_part_candidates(
        &mut self,
        word: &str,
        part: &Part,
        directory: Directory,
        variable: Option<(usize, Range<usize>)>,
        bases: &Bases<'_>,
    ) {
        let Part { text, known } = part;
        for (path, _) in bases.candidate_paths(text) {
            let candidate = Candidate {
                path,
                word: word.to_owned(),
                known: *known,
                directory,
                modules: programs::module_search_of_variable(word),
                variable: variable.clone(),
            };
            if !self.counted.contains(&candidate) {
                self.counted.push(candidate);
            }
        }
    }

    pub(super) fn add_mentions_of_word(
        &mut self,
        word: &Word,
        bases: &Bases<'_>,
        certain: bool,
        modules: Option<&'static Modules>,
    ) {
        if word.text.starts_with('-') || word.text.is_empty() {
            return;
        }
        for (path, is_current) in bases.candidate_paths(&word.text) {
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

/// Returns the file that a redirection opens in this direction.
fn redirect_target<'a>(redirect: &'a Redirect, direction: &str) -> Option<&'a Word> {
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

/// Returns the word as the entry contains it: from a list of words, the word itself, without the
/// quotes of a shell.
fn word_as_written(word: &Word, argv: Option<&[&str]>) -> Word {
    match argv {
        Some(argv) if argv.contains(&&*word.text) => Word::literal(&word.text),
        _ => word.clone(),
    }
}

/// Returns the parts of a list, each with its range.
fn split_with_ranges<'a>(
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

/// Returns whether a text is the name of a variable.
fn is_variable_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether an option passes code or names a module: `-Ic`, `-ne`, `-mguard`, `-MPol`.
fn is_inline_code_option(option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return ["--eval=", "--print=", "--import=", "--loader="]
            .iter()
            .any(|start| option.starts_with(start));
    };
    let is_cluster = letters.len() <= 5 && letters.chars().all(|c| c.is_ascii_alphabetic());
    letters.starts_with(['M', 'm', 'c', 'e'])
        || is_cluster && letters.ends_with(['c', 'e', 'm', 'r'])
}
