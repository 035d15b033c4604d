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

/// Every path that the command may run, started in one of `from`, whether a file is there or not, and as it is written.
pub(super) fn files(command: &Command, from: &[&Path]) -> BTreeSet<PathBuf> {
    let mut found = Found { all: BTreeSet::new(), depth: 0, read: BTreeSet::new() };
    let mut from: Vec<PathBuf> = from.iter().map(|path| path.to_path_buf()).collect();
    match &command.invocation {
        Invocation::Shell { text, .. } => found.line(text, &mut from),
        Invocation::Argv { program, args } => {
            let words: Vec<String> = std::iter::once(program).chain(args).cloned().collect();
            found.visit_command(&words, &mut from.clone());
            // `sh -c LINE`
            for arg in args.iter().filter(|arg| arg.contains(char::is_whitespace)) {
                found.line(arg, &mut from.clone());
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
    fn line(&mut self, text: &str, from: &mut Vec<PathBuf>) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        let line = shell::read(text);
        let mut set = BTreeMap::new();
        let is_fed = line.commands.iter().any(is_fed);
        for command in &line.commands {
            for assignment in command.assignments.iter() {
                set.insert(assignment.name.clone(), bare(&assignment.value));
            }
            let words: Vec<String> =
                command.words.iter().map(|word| with(&set, &bare(word))).collect();
            self.visit_command(&words, from);
            let program = words.first().map_or("", |word| name(word));
            let reads = INTERPRETERS.contains(&program);
            let inner = matches!(
                command.context,
                Context::Pipeline | Context::CommandSubstitution | Context::ProcessSubstitution
            );
            // The line of a shell may come from any program that prints it.
            if inner && is_fed && !reads {
                self.given(words.get(1..).unwrap_or_default(), from);
            }
            let fed = command.redirects.iter().chain(&line.redirects);
            let fed = fed
                .filter(|redirect| redirect.operator == "<" && (reads || command.words.is_empty()));
            let fed: Vec<String> = fed
                .filter_map(|redirect| match &redirect.target {
                    Target::Word(word) => Some(with(&set, &bare(word))),
                    _ => None,
                })
                .collect();
            self.given(&fed, from);
        }
        self.depth -= 1;
    }

    /// One simple command. A directory that it names is one from which others may be named.
    fn visit_command(&mut self, words: &[String], from: &mut Vec<PathBuf>) {
        let Some((program, rest)) = words.split_first() else { return };
        let base = name(program);
        let mut here = from.clone();
        for word in rest.iter().flat_map(|text| values(text)) {
            let directories: Vec<PathBuf> =
                meant(word, from).into_iter().filter(|path| path.is_dir()).collect();
            here.extend(directories);
        }
        here.truncate(MOST_PLACES);
        if matches!(base, "cd" | "pushd") {
            *from = here;
            return;
        }
        self.given(std::slice::from_ref(program), &here);
        if INTERPRETERS.contains(&base) {
            self.given(rest, &here);
            self.modules(rest, &here);
        }
        if OF_DIRECTORIES.contains(&base) {
            let directories = rest.iter().flat_map(|text| meant(text, &here));
            let inside =
                directories.flat_map(|directory| MAIN.iter().map(move |name| directory.join(name)));
            self.all.extend(inside.filter(|path| path.is_file()));
        }
        if LAUNCHERS.contains(&base) {
            self.launched(rest, &mut here);
        }
        for runner in RUNNERS.iter().filter(|runner| runner.programs.contains(&base)) {
            let above = here.iter().flat_map(|path| path.ancestors().map(Path::to_path_buf));
            let above: BTreeSet<PathBuf> = above.collect();
            for file in
                above.iter().flat_map(|path| runner.files.iter().map(|name| path.join(name)))
            {
                if file.is_file() {
                    self.scripts(&file, rest);
                    self.all.insert(file);
                }
            }
            self.given(&options(rest, runner.options), &here);
        }
    }

    /// Words that name what is run.
    fn given(&mut self, words: &[String], from: &[PathBuf]) {
        let paths = words.iter().flat_map(|word| values(word)).flat_map(|text| meant(text, from));
        self.all.extend(paths.filter(|path| !path.is_dir()));
    }

    /// The program after a launcher's subcommand: a known one, or the first file.
    fn launched(&mut self, words: &[String], from: &mut Vec<PathBuf>) {
        let is_known = |word: &String| {
            INTERPRETERS.contains(&name(word))
                || RUNNERS.iter().any(|row| row.programs.contains(&name(word)))
        };
        if let Some(rest) = words.iter().position(is_known).and_then(|at| words.get(at..)) {
            return self.visit_command(rest, from);
        }
        let is_file = |word: &&String| meant(word, from).iter().any(|path| path.is_file());
        if let Some(file) = words.iter().find(is_file) {
            self.given(std::slice::from_ref(file), from);
        }
        self.modules(words, from);
    }

    /// `python -m NAME`: the module, and the packages in which it lies.
    fn modules(&mut self, words: &[String], from: &[PathBuf]) {
        for module in options(words, &["-m"]) {
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

    /// What the scripts of a package run that a line asks for by their names.
    fn scripts(&mut self, file: &Path, words: &[String]) {
        if !file.ends_with(PACKAGE) {
            return;
        }
        let text = discover::bytes(file, LARGEST).unwrap_or_default();
        let Ok(package) = serde_json::from_slice::<serde_json::Value>(&text) else { return };
        let Some(scripts) = package.get("scripts").and_then(serde_json::Value::as_object) else {
            return;
        };
        for (name, line) in scripts {
            let own = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
            let asked = words.iter().any(|word| word == name || Some(word.as_str()) == own);
            let is_new = asked && self.read.insert((file.to_path_buf(), name.clone()));
            if let Some(line) = line.as_str().filter(|_| is_new) {
                self.line(line, &mut file.parent().map(Path::to_path_buf).into_iter().collect());
            }
        }
    }
}

/// Whether a command runs what others print: a shell that is given no file, or a line that is computed.
fn is_fed(command: &SimpleCommand) -> bool {
    let words: Vec<String> = command.words.iter().map(bare).collect();
    let Some((program, rest)) = words.split_first() else { return false };
    let program = name(program);
    program == "eval"
        || matches!(program, "." | "source")
        || SHELLS.contains(&program)
            && (rest.iter().all(|text| text.starts_with('-'))
                || rest.iter().any(|text| text == "-c" || text.starts_with("<(")))
}

/// A word as written, because a variable stands for the project, and without quotes.
fn bare(word: &Word) -> String {
    word.source.replace(['"', '\'', '\\'], "")
}

/// With what the line sets itself.
fn with(set: &BTreeMap<String, String>, word: &str) -> String {
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

/// The name of a program, less its directory and the digits of its version.
fn name(program: &str) -> &str {
    let base = program.rsplit('/').next().unwrap_or(program);
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' && base.len() > 1)
}

/// A word, and the value of an option in it.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let attached = word
        .get(2..)
        .filter(|text| word.starts_with('-') && !word.starts_with("--") && !text.is_empty());
    std::iter::once(word).chain(behind).chain(attached)
}

/// What follows one of these options, or is attached to it.
fn options(words: &[String], options: &[&str]) -> Vec<String> {
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

/// The paths that a word may mean. A computed beginning stands for any of the directories.
fn meant(word: &str, from: &[PathBuf]) -> Vec<PathBuf> {
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
