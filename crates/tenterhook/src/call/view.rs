//! What does one simple command say, with its variables put in where the line itself sets them?
//!
//! It follows `cd` and assignments along the line, because `cd ~ && rm -rf .` and `D=/; rm -rf $D` are what they are.

use std::borrow::Cow;
use std::collections::HashMap;

use super::path::Paths;
use crate::shell::{Context, Line, Redirect, SimpleCommand, Target, Via, Word, WordKind};

/// The longest text that variables are put into: `X=$X$X` doubles its value every time, so a short line could ask for all
/// memory there is.
const LONGEST_FILLED: usize = 4 * 1024;
/// What prints the directory that a command runs in.
const HERE: &[&str] = &["(pwd)", "(pwd -P)", "`pwd`"];
/// Shells that run what they find on their input.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "ash", "fish"];

/// Most words that the braces of one word are unfolded into.
const MOST_UNFOLDED: usize = 32;

/// One simple command, by its program's file name.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) command: &'a SimpleCommand,
    pub(super) name: String,
    /// What follows the program, with known variables put in and braces unfolded.
    pub(super) args: Vec<String>,
    /// Its redirections: the operator and the file, with known variables put in.
    pub(super) redirects: Vec<Redirected>,
    /// Where it would run.
    pub(super) cwd: String,
    /// What it finds on its input and is no option: what `echo` prints before `xargs`.
    pub(super) fed: Vec<String>,
}

/// The operator of a redirection and the file that it names.
pub(super) type Redirected = (String, String);

/// What a line holds.
pub(super) struct Seen<'a> {
    /// Every command that is known by name.
    pub(super) views: Vec<View<'a>>,
    /// The redirections of groups.
    pub(super) groups: Vec<Redirected>,
    /// Where the line ends up.
    pub(super) cwd: String,
    /// Commands whose program comes from a variable that the line sets, with its value, and where they would run.
    pub(super) filled: Vec<(String, String)>,
}

/// What the line has said so far.
struct Sofar<'p> {
    paths: &'p Paths,
    variables: HashMap<String, String>,
    cwd: String,
    printed: Vec<String>,
    searched: Vec<String>,
    filled: Vec<(String, String)>,
    piped: Vec<String>,
}

/// Follows a line from its start to its end.
pub(super) fn look<'a>(line: &'a Line, paths: &Paths) -> Seen<'a> {
    let variables =
        [("HOME", &paths.home), ("PWD", &paths.cwd), ("CLAUDE_PROJECT_DIR", &paths.cwd)];
    let mut sofar = Sofar {
        paths,
        variables: variables.map(|(name, value)| (name.to_owned(), value.clone())).into(),
        cwd: paths.cwd.clone(),
        printed: Vec::new(),
        searched: Vec::new(),
        filled: Vec::new(),
        piped: Vec::new(),
    };
    let views = line.commands.iter().filter_map(|command| sofar.view(command)).collect();
    let groups = sofar.redirects(&line.redirects);
    Seen { views, groups, cwd: sofar.cwd, filled: sofar.filled }
}

impl Sofar<'_> {
    fn redirects(&self, redirects: &[Redirect]) -> Vec<Redirected> {
        let files = redirects.iter().filter_map(|it| match &it.target {
            Target::Word(word) if !it.operator.starts_with("<<") => {
                Some((it.operator.clone(), self.fill(word).into_owned()))
            }
            Target::Word(_) | Target::HereDocument { .. } | Target::Closed => None,
        });
        files.collect()
    }

    fn view<'a>(&mut self, command: &'a SimpleCommand) -> Option<View<'a>> {
        for assignment in &command.assignments {
            let value = self.fill(&assignment.value).into_owned();
            self.variables.insert(assignment.name.clone(), value);
        }
        let (name, rest) = match command.words.split_first() {
            None => (String::new(), command.words.as_slice()),
            Some((program, rest)) => (self.fill(program).into_owned(), rest),
        };
        // A program that is named by a path is listed once more, under its file name.
        if name.contains('/') && command.words.first().is_some_and(|it| !it.is_dynamic()) {
            return None;
        }
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let mut args = Vec::new();
        for word in rest {
            unfold(&self.fill(word), &mut args);
        }
        let fed = match command.via.last() {
            Some(Via::Wrapper("xargs")) => self.printed.clone(),
            Some(Via::Wrapper("find")) => self.searched.clone(),
            _ => Vec::new(),
        };
        let redirects = self.redirects(&command.redirects);
        if command.words.first().is_some_and(Word::is_dynamic)
            && !name.contains(['$', '`', '*', '?'])
        {
            let text: Vec<String> =
                std::iter::once(&name).chain(&args).map(|it| quoted(it)).collect();
            self.filled.push((text.join(" "), self.cwd.clone()));
        }
        let view = View { command, name, args, redirects, cwd: self.cwd.clone(), fed };
        self.note(&view);
        Some(view)
    }

    /// What the command changes for those that follow.
    fn note(&mut self, view: &View<'_>) {
        if view.feeds() && matches!(view.name.as_str(), "echo" | "printf") {
            self.piped.push(view.operands(&[]).join(" ").replace("\\n", "\n"));
        }
        let only_options = view.operands(&[]).iter().all(|it| *it == "-");
        if view.feeds() && only_options && SHELLS.contains(&view.name.as_str()) {
            let there = self.cwd.clone();
            self.filled.extend(self.piped.drain(..).map(|text| (text, there.clone())));
        }
        match view.name.as_str() {
            "cd" | "pushd" => {
                if let Some(to) = view.operands(&[]).first() {
                    self.cwd = self.paths.absolute(to, &self.cwd);
                } else if view.name == "cd" {
                    self.cwd.clone_from(&self.paths.home);
                }
            }
            "echo" | "printf" | "ls" | "realpath" => {
                let words = view.operands(&[]).into_iter().flat_map(str::split_whitespace);
                self.printed.extend(words.map(str::to_owned));
            }
            "find" => {
                self.searched = search(view);
                self.printed.extend(self.searched.iter().cloned());
            }
            "export" | "declare" | "readonly" | "local" | "typeset" => {
                let pairs = view.args.iter().filter_map(|it| it.split_once('='));
                self.variables
                    .extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            _ => {}
        }
    }

    /// The word without quotes, with the variables that the line sets.
    fn fill<'w>(&self, word: &'w Word) -> Cow<'w, str> {
        if word.kind == WordKind::Literal {
            return Cow::Borrowed(&word.text);
        }
        let mut filled = String::new();
        let mut rest = word.source.as_str();
        while let Some(at) = rest.find(['$', '"', '\'', '\\', '`']) {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let mut after = from.chars();
            let first = after.next();
            let from = if first == Some('`') { from } else { after.as_str() };
            let here = HERE.iter().find_map(|it| from.strip_prefix(it));
            if let Some(behind) = here.filter(|_| matches!(first, Some('$' | '`'))) {
                filled.push_str(&self.cwd);
                rest = behind;
                continue;
            }
            rest = after.as_str();
            if first == Some('`') {
                filled.push('`');
            }
            if first != Some('$') {
                continue;
            }
            let (name, behind) = variable(rest);
            let value = self.variables.get(name).filter(|_| !name.is_empty());
            match value.filter(|it| filled.len() + it.len() <= LONGEST_FILLED) {
                Some(value) => {
                    filled.push_str(value);
                    rest = behind;
                }
                None => filled.push('$'),
            }
        }
        filled.push_str(rest);
        Cow::Owned(filled)
    }
}

/// A word that a shell reads as this text.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:@%,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The variable's name at the start of what follows `$`, and what comes behind it.
fn variable(text: &str) -> (&str, &str) {
    if let Some(inner) = text.strip_prefix('{') {
        return inner.split_once('}').unwrap_or(("", text));
    }
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or(("", text))
}

/// The words that `a{b,c}d` stands for.
fn unfold(word: &str, out: &mut Vec<String>) {
    let parts = || {
        let (before, rest) = word.split_once('{').filter(|(before, _)| !before.ends_with('$'))?;
        let (inner, after) = rest.split_once('}')?;
        (inner.contains(',') && !inner.contains(['{', ' '])).then_some((before, inner, after))
    };
    match parts() {
        Some((before, inner, after)) if out.len() < MOST_UNFOLDED => {
            for choice in inner.split(',') {
                unfold(&format!("{before}{choice}{after}"), out);
            }
        }
        _ => out.push(word.to_owned()),
    }
}

/// Tests of `find` that leave out most of what lies there.
const NARROWING: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newer",
    "-size",
    "-empty",
    "-user",
    "-perm",
    "-inum",
    "-links",
];

/// What a `find` comes upon: where it starts, or the names that it looks for there.
fn search(view: &View<'_>) -> Vec<String> {
    let starts = view.args.iter().take_while(|it| !it.starts_with('-') && *it != "(" && *it != "!");
    let mut starts: Vec<&str> = starts.map(String::as_str).collect();
    if starts.is_empty() {
        starts.push(".");
    }
    if !is_narrow(view) {
        return starts.into_iter().map(str::to_owned).collect();
    }
    let named = view.args.iter().zip(view.args.iter().skip(1));
    let names = named.filter(|(test, _)| matches!(test.as_str(), "-name" | "-iname"));
    let names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
    starts
        .iter()
        .flat_map(|start| names.iter().map(move |name| format!("{start}/{name}")))
        .collect()
}

/// Whether a `find` has a test that leaves out most of what lies there.
pub(super) fn is_narrow(view: &View<'_>) -> bool {
    view.args.iter().any(|it| NARROWING.contains(&it.as_str()))
}

impl View<'_> {
    /// Whether a short option stands alone or in a cluster, or the long one is written.
    pub(super) fn has(&self, short: char, long: &str) -> bool {
        self.options().any(|option| match option.strip_prefix("--") {
            Some(name) => name.split('=').next() == Some(long),
            None => option.starts_with('-') && option.contains(short),
        })
    }

    /// Whether one of these words is among the arguments.
    pub(super) fn says(&self, words: &[&str]) -> bool {
        self.args.iter().any(|arg| words.contains(&arg.as_str()))
    }

    fn options(&self) -> impl Iterator<Item = &str> {
        self.args
            .iter()
            .map(String::as_str)
            .take_while(|it| *it != "--")
            .filter(|it| it.starts_with('-'))
    }

    /// The values of options that are written as one of `names`: `-o X`, `-oX`, `--output X`, `--output=X`.
    pub(super) fn values(&self, names: &[&str]) -> Vec<&str> {
        let mut found = Vec::new();
        let mut args = self.args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            for name in names {
                let Some(attached) = arg.strip_prefix(name) else { continue };
                if attached.is_empty() {
                    found.extend(args.next());
                } else if name.starts_with("--") {
                    let Some(value) = attached.strip_prefix('=') else { continue };
                    found.push(value);
                } else if arg.starts_with("--") {
                    continue;
                } else {
                    found.push(attached);
                }
                break;
            }
        }
        found
    }

    /// What is no option, and no value of one that is `valued`.
    pub(super) fn operands(&self, valued: &[&str]) -> Vec<&str> {
        let mut found = Vec::new();
        let mut args = self.args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            if arg == "--" {
                found.extend(args);
                break;
            }
            if arg.starts_with('-') && arg.len() > 1 {
                if valued.contains(&arg) {
                    args.next();
                }
            } else {
                found.push(arg);
            }
        }
        found
    }

    /// Whether what it prints goes to another program, or into a word.
    pub(super) fn feeds(&self) -> bool {
        matches!(
            self.command.context,
            Context::Pipeline | Context::CommandSubstitution | Context::ProcessSubstitution
        )
    }

    /// Every text that it is handed: arguments, here-documents, here-strings.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let bodies = self.command.redirects.iter().filter_map(|it| match &it.target {
            Target::HereDocument { body, .. } => Some(body.as_str()),
            Target::Word(word) if it.operator == "<<<" => Some(word.text.as_str()),
            Target::Word(_) | Target::Closed => None,
        });
        self.args.iter().map(String::as_str).chain(bodies)
    }
}
