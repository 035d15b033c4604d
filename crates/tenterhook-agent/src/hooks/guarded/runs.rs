//! Which files does a command run, as far as its line names them? Reads the line, the directories that it names and the scripts of `npm run`;
//! runs nothing, and what a script runs in turn is not looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::hook::{Command, Invocation};
use tenterhook_shell::{self as shell, Context, SimpleCommand, Target, Word};

use super::runners::{INTERPRETERS, LAUNCHERS, MAIN, OF_DIRECTORIES, PACKAGE, RUNNERS, SHELLS};

/// How many lines are followed from one that names another.
const DEEPEST: usize = 4;

/// The largest `package.json` that is looked into.
const LARGEST: u64 = 1 << 20;

/// How many directories a line is taken to be run from.
const MOST_PLACES: usize = 32;

/// Returns every path that the command may run when it is started in one of `from`, as written and
/// whether the file exists or not.
pub(super) fn files_run_by_command(command: &Command, from: &[&Path]) -> BTreeSet<PathBuf> {
    let mut found = Found { all: BTreeSet::new(), depth: 0, read: BTreeSet::new() };
    let mut from: Vec<PathBuf> = from.iter().map(|path| path.to_path_buf()).collect();
    match &command.invocation {
        Invocation::Shell { text, .. } => found.collect_from_line(text, &mut from),
        Invocation::Argv { program, args } => {
            let words: Vec<String> = std::iter::once(program).chain(args).cloned().collect();
            found.collect_from_command(&words, &mut from.clone());
            // `sh -c LINE`
            for arg in args.iter().filter(|arg| arg.contains(char::is_whitespace)) {
                found.collect_from_line(arg, &mut from.clone());
            }
        }
    }
    found.all
}

struct Found {
    all: BTreeSet<PathBuf>,
    depth: usize,
    /// The files of scripts that were looked into.
    read: BTreeSet<(PathBuf, String)>,
}

impl Found {
    fn collect_from_line(&mut self, text: &str, from: &mut Vec<PathBuf>) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        let line = shell::parse_line(text);
        let mut set = BTreeMap::new();
        let is_fed = line.commands.iter().any(runs_piped_input);
        for command in &line.commands {
            for assignment in command.assignments.iter() {
                set.insert(assignment.name.clone(), unquoted_word(&assignment.value));
            }
            let words: Vec<String> = command
                .words
                .iter()
                .map(|word| expand_line_variables(&set, &unquoted_word(word)))
                .collect();
            self.collect_from_command(&words, from);
            let program = words.first().map_or("", |word| program_name(word));
            let reads = INTERPRETERS.contains(&program);
            let inner = matches!(
                command.context,
                Context::Pipeline | Context::CommandSubstitution | Context::ProcessSubstitution
            );
            // The line of a shell may come from any program that prints it.
            if inner && is_fed && !reads {
                self.collect_named_paths(words.get(1..).unwrap_or_default(), from);
            }
            let fed = command.redirects.iter().chain(&line.redirects);
            let fed = fed
                .filter(|redirect| redirect.operator == "<" && (reads || command.words.is_empty()));
            let fed: Vec<String> = fed
                .filter_map(|redirect| match &redirect.target {
                    Target::Word(word) => Some(expand_line_variables(&set, &unquoted_word(word))),
                    _ => None,
                })
                .collect();
            self.collect_named_paths(&fed, from);
        }
        self.depth -= 1;
    }

    /// Collects the files of one simple command. A directory that it names is added to those that
    /// later names may be relative to.
    fn collect_from_command(&mut self, words: &[String], from: &mut Vec<PathBuf>) {
        let Some((program, rest)) = words.split_first() else { return };
        let base = program_name(program);
        let mut here = from.clone();
        for word in rest.iter().flat_map(|text| word_and_option_values(text)) {
            let directories: Vec<PathBuf> =
                candidate_paths(word, from).into_iter().filter(|path| path.is_dir()).collect();
            here.extend(directories);
        }
        here.truncate(MOST_PLACES);
        if matches!(base, "cd" | "pushd") {
            *from = here;
            return;
        }
        self.collect_named_paths(std::slice::from_ref(program), &here);
        if INTERPRETERS.contains(&base) {
            self.collect_named_paths(rest, &here);
            self.collect_python_module(rest, &here);
        }
        if OF_DIRECTORIES.contains(&base) {
            let directories = rest.iter().flat_map(|text| candidate_paths(text, &here));
            let inside =
                directories.flat_map(|directory| MAIN.iter().map(move |name| directory.join(name)));
            self.all.extend(inside.filter(|path| path.is_file()));
        }
        if LAUNCHERS.contains(&base) {
            self.collect_launched_program(rest, &mut here);
        }
        for runner in RUNNERS.iter().filter(|runner| runner.programs.contains(&base)) {
            let above = here.iter().flat_map(|path| path.ancestors().map(Path::to_path_buf));
            let above: BTreeSet<PathBuf> = above.collect();
            for file in
                above.iter().flat_map(|path| runner.files.iter().map(|name| path.join(name)))
            {
                if file.is_file() {
                    self.collect_package_scripts(&file, rest);
                    self.all.insert(file);
                }
            }
            self.collect_named_paths(&option_values(rest, runner.options), &here);
        }
    }

    /// Collects the files that these words name.
    fn collect_named_paths(&mut self, words: &[String], from: &[PathBuf]) {
        let paths = words
            .iter()
            .flat_map(|word| word_and_option_values(word))
            .flat_map(|text| candidate_paths(text, from));
        self.all.extend(paths.filter(|path| !path.is_dir()));
    }

    /// Collects the program after a launcher's subcommand: a known one, or the first file.
    fn collect_launched_program(&mut self, words: &[String], from: &mut Vec<PathBuf>) {
        let is_known = |word: &String| {
            INTERPRETERS.contains(&program_name(word))
                || RUNNERS.iter().any(|row| row.programs.contains(&program_name(word)))
        };
        if let Some(rest) = words.iter().position(is_known).and_then(|at| words.get(at..)) {
            return self.collect_from_command(rest, from);
        }
        let is_file =
            |word: &&String| candidate_paths(word, from).iter().any(|path| path.is_file());
        if let Some(file) = words.iter().find(is_file) {
            self.collect_named_paths(std::slice::from_ref(file), from);
        }
        self.collect_python_module(words, from);
    }

    /// Collects the module of `python -m NAME` and the packages that contain it.
    fn collect_python_module(&mut self, words: &[String], from: &[PathBuf]) {
        for module in option_values(words, &["-m"]) {
            let parts: Vec<&str> = module.split('.').collect();
            for place in from {
                let mut path = place.clone();
                for part in &parts {
                    path.push(part);
                    let files = [
                        path.join("__init__.py"),
                        path.join("__main__.py"),
                        path.with_extension("py"),
                    ];
                    self.all.extend(files.into_iter().filter(|file| file.is_file()));
                }
            }
        }
    }

    /// Collects what the scripts of a package run that a line calls by their names.
    fn collect_package_scripts(&mut self, file: &Path, words: &[String]) {
        if !file.ends_with(PACKAGE) {
            return;
        }
        let text = discover::read_regular_file(file, LARGEST).unwrap_or_default();
        let Ok(package) = serde_json::from_slice::<serde_json::Value>(&text) else { return };
        let Some(scripts) = package.get("scripts").and_then(serde_json::Value::as_object) else {
            return;
        };
        for (name, line) in scripts {
            let own = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
            let asked = words.iter().any(|word| word == name || Some(word.as_str()) == own);
            let is_new = asked && self.read.insert((file.to_path_buf(), name.clone()));
            if let Some(line) = line.as_str().filter(|_| is_new) {
                self.collect_from_line(
                    line,
                    &mut file.parent().map(Path::to_path_buf).into_iter().collect(),
                );
            }
        }
    }
}

/// Returns whether a command runs the output of others: a shell without a file, or a computed line.
fn runs_piped_input(command: &SimpleCommand) -> bool {
    let words: Vec<String> = command.words.iter().map(unquoted_word).collect();
    let Some((program, rest)) = words.split_first() else { return false };
    let program = program_name(program);
    program == "eval"
        || matches!(program, "." | "source")
        || SHELLS.contains(&program)
            && (rest.iter().all(|text| text.starts_with('-'))
                || rest.iter().any(|text| text == "-c" || text.starts_with("<(")))
}

/// Returns a word as written, because a variable stands for the project, but without quotes.
fn unquoted_word(word: &Word) -> String {
    word.source.replace(['"', '\'', '\\'], "")
}

/// Expands the variables that the line itself sets.
fn expand_line_variables(set: &BTreeMap<String, String>, word: &str) -> String {
    if !word.contains('$') {
        return word.to_owned();
    }
    set.iter().fold(word.to_owned(), |word, (name, value)| {
        let mut word = word.replace(&format!("${{{name}}}"), value);
        let whole = format!("${name}");
        let goes_on = |c: char| c.is_alphanumeric() || c == '_';
        let ends = |at: &usize| {
            word.get(at + whole.len()..).is_some_and(|word| !word.starts_with(goes_on))
        };
        if let Some(at) = word.find(&whole).filter(ends) {
            word.replace_range(at..at + whole.len(), value);
        }
        word
    })
}

/// Returns the name of a program without its directory and the digits of its version.
fn program_name(program: &str) -> &str {
    let base = program.rsplit('/').next().unwrap_or(program);
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' && base.len() > 1)
}

/// Returns a word, and the value of an option in it.
fn word_and_option_values(word: &str) -> impl Iterator<Item = &str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let attached = word
        .get(2..)
        .filter(|text| word.starts_with('-') && !word.starts_with("--") && !text.is_empty());
    std::iter::once(word).chain(behind).chain(attached)
}

/// Returns the values that follow one of these options, or are attached to it.
fn option_values(words: &[String], options: &[&str]) -> Vec<String> {
    let next = words.iter().zip(words.iter().skip(1));
    let next =
        next.filter(|(word, _)| options.contains(&word.as_str())).map(|(_, value)| value.clone());
    let attached = |word: &String, option: &&str| {
        let rest = word.strip_prefix(option)?;
        Some(rest.strip_prefix('=').unwrap_or(rest).to_owned()).filter(|rest| !rest.is_empty())
    };
    let attached = words
        .iter()
        .flat_map(|word| options.iter().filter_map(move |option| attached(word, option)));
    next.chain(attached).collect()
}

/// Returns the paths that a word may mean. A computed beginning stands for any of the directories.
fn candidate_paths(word: &str, from: &[PathBuf]) -> Vec<PathBuf> {
    if word.is_empty() || word.starts_with('-') {
        return Vec::new();
    }
    let rest = match word.starts_with(['$', '`', '~']) {
        true => word.split_once('/').map_or("", |(_, rest)| rest),
        false => word,
    };
    // `$(dirname "$0")/x` and `$A/$B/x`: the part after the last computed one is known.
    let last = word.rsplit(['$', '`', ')', '}']).next().and_then(|part| part.split_once('/'));
    let last =
        last.map(|(_, rest)| rest).filter(|_| word.starts_with(['$', '`']) && !rest.is_empty());
    let rests = [Some(rest), last.filter(|text| *text != rest)];
    let rests = rests.into_iter().flatten().filter(|rest| !rest.contains(['$', '`']));
    rests.flat_map(|rest| from.iter().map(move |path| path.join(rest))).collect()
}
