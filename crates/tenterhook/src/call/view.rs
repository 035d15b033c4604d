//! What does one simple command say, with its variables put in where the line itself sets them?
//!
//! It follows `cd` and assignments along the line, because `cd ~ && rm -rf .` and `D=/; rm -rf $D` are what they are.

use std::collections::HashMap;

use super::fill::Variables;
use super::find::search;
use super::path::Paths;
use crate::shell::{Context, Expands, Line, Redirect, SimpleCommand, Target, Via, Word, WordKind};

/// Shells that run what they find on their input.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "ash", "fish"];

/// Programs that run the text of their option `-c` as a shell does.
const RUNNERS: &[&str] = &["su", "runuser", "sg"];
/// Programs that read a file as code of this shell.
const READERS: &[&str] = &["source", "."];

/// Most words that the braces of one word are unfolded into.
const MOST_UNFOLDED: usize = 32;
/// Most words of a line, with what variables and braces make of them, and most of them that are handed on by `xargs`.
const MOST_WORDS: usize = 64 * 1024;
const MOST_FED: usize = 4 * 1024;
/// Most bytes that are kept of what the line writes into files.
const MOST_WRITTEN: usize = 64 * 1024;

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
    /// Texts that a shell would run once what is known is put in, and where they would run.
    pub(super) filled: Vec<(String, String)>,
    /// Whether the line holds more of something than is followed.
    pub(super) too_much: bool,
}

/// What the line has said so far.
struct Sofar<'p> {
    paths: &'p Paths,
    line: &'p Line,
    variables: Variables,
    printed: Vec<String>,
    searched: Vec<String>,
    filled: Vec<(String, String)>,
    piped: Vec<String>,
    aliases: HashMap<String, String>,
    /// Files that the line writes, with what it writes there.
    files: HashMap<String, String>,
    words: usize,
    fed: usize,
    written: usize,
    too_much: bool,
}

/// Follows a line from its start to its end.
pub(super) fn look<'a>(line: &'a Line, paths: &Paths) -> Seen<'a> {
    let mut variables = Variables::at(&paths.cwd, &paths.project);
    for (name, value) in
        [("HOME", &paths.home), ("PWD", &paths.cwd), ("CLAUDE_PROJECT_DIR", &paths.cwd)]
    {
        variables.set(name, vec![value.clone()]);
    }
    let mut sofar = Sofar {
        paths,
        line,
        variables,
        printed: Vec::new(),
        searched: Vec::new(),
        filled: Vec::new(),
        piped: Vec::new(),
        aliases: HashMap::new(),
        files: HashMap::new(),
        words: 0,
        fed: 0,
        written: 0,
        too_much: false,
    };
    sofar.loops();
    let views = line.commands.iter().filter_map(|command| sofar.view(command)).collect();
    let groups = sofar.redirects(&line.redirects);
    let Sofar { variables, filled, too_much, .. } = sofar;
    Seen { views, groups, cwd: variables.cwd, filled, too_much }
}

impl Sofar<'_> {
    fn cwd(&self) -> &str {
        &self.variables.cwd
    }

    /// The variables of loops are all that they will be.
    fn loops(&mut self) {
        for each in &self.line.loops {
            let words = each.words.iter().flat_map(|word| words(&self.variables, word));
            let values: Vec<String> = words.take(MOST_UNFOLDED + 1).collect();
            self.too_much |= values.len() > MOST_UNFOLDED;
            self.variables.set(&each.variable, values);
        }
    }

    fn redirects(&self, redirects: &[Redirect]) -> Vec<Redirected> {
        let files = redirects.iter().filter_map(|it| match &it.target {
            Target::Word(word) if !it.operator.starts_with("<<") => {
                Some((it.operator.clone(), self.variables.fill(word).first()))
            }
            Target::Word(_) | Target::HereDocument { .. } | Target::Closed => None,
        });
        files.collect()
    }

    fn view<'a>(&mut self, command: &'a SimpleCommand) -> Option<View<'a>> {
        for assignment in &command.assignments {
            let name = assignment.name.split('[').next().unwrap_or_default();
            self.variables.assign(name, &assignment.value);
        }
        if !command.assignments.is_empty() {
            self.loops();
        }
        let (program, rest) = match command.words.split_first() {
            None => (None, command.words.as_slice()),
            Some((program, rest)) => (Some(program), rest),
        };
        let dynamic = program.is_some_and(Word::is_dynamic);
        let mut choices = self.programs(program).into_iter();
        let (name, mut args) = choices.next().unwrap_or_default();
        // A program that is named by a path is listed once more, under its file name.
        if name.contains('/') && !dynamic {
            self.runs_file(&name);
            return None;
        }
        let own: Vec<String> = self.args(rest);
        for (name, before) in choices.filter(|(name, _)| is_known(name)) {
            let text = line_of(&name, before.iter().chain(&own));
            self.run(text);
        }
        args.extend(own);
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        if dynamic && is_known(&name) {
            self.run(line_of(&name, args.iter()));
        }
        let fed = self.handed(command);
        let redirects = self.redirects(&command.redirects);
        let cwd = self.cwd().to_owned();
        let view = View { command, name, args, redirects, cwd, fed };
        self.note(&view);
        self.code(&view);
        Some(view)
    }

    /// Each program that a word may name, with the words that come with it: `X='rm -rf'; $X`.
    fn programs(&self, program: Option<&Word>) -> Vec<(String, Vec<String>)> {
        let Some(program) = program else { return vec![Default::default()] };
        let choices = self.variables.fill(program);
        let split = |words: Vec<String>| {
            let mut words = words.into_iter();
            (words.next().unwrap_or_default(), words.collect())
        };
        choices.choices().map(split).collect()
    }

    /// The arguments, with known variables put in and braces unfolded.
    fn args(&mut self, rest: &[Word]) -> Vec<String> {
        let mut args = Vec::new();
        for word in rest {
            args.extend(words(&self.variables, word));
            if self.words + args.len() > MOST_WORDS {
                self.too_much = true;
                break;
            }
        }
        self.too_much |= args.iter().any(|it| is_braced(it)) && args.len() >= MOST_UNFOLDED;
        self.words += args.len();
        args
    }

    /// What `xargs` and `find` hand to a command.
    fn handed(&mut self, command: &SimpleCommand) -> Vec<String> {
        let from: Vec<&String> = match command.via.last() {
            Some(Via::Wrapper("xargs" | "parallel")) => self.printed.iter().collect(),
            Some(Via::Wrapper("find")) => self.searched.iter().collect(),
            _ => Vec::new(),
        };
        self.fed += from.len();
        if self.fed > MOST_FED {
            self.too_much = true;
            return Vec::new();
        }
        let mut handed: Vec<String> = from.into_iter().cloned().collect();
        if command.via.last() == Some(&Via::Wrapper("xargs")) {
            let here = self.here(command);
            handed.extend(here.iter().flat_map(|it| it.split_whitespace()).map(str::to_owned));
        }
        handed
    }

    /// The texts that a command finds on its input because they stand on the line.
    fn here(&self, command: &SimpleCommand) -> Vec<String> {
        let texts = command.redirects.iter().filter_map(|it| match &it.target {
            Target::HereDocument { body, expands: Expands::No } => Some(body.clone()),
            Target::HereDocument { body, .. } if !body.contains(['$', '`', '\\']) => {
                Some(body.clone())
            }
            Target::HereDocument { body, .. } => Some(self.variables.fill_text(body)),
            Target::Word(word) if it.operator == "<<<" => Some(self.variables.fill(word).first()),
            Target::Word(_) | Target::Closed => None,
        });
        texts.collect()
    }

    /// Has a text be read as one that a shell runs here.
    fn run(&mut self, text: String) {
        let entry = (text, self.cwd().to_owned());
        if !self.filled.contains(&entry) {
            self.filled.push(entry);
        }
    }

    /// The same for one that was put together; of what another program prints nothing is known.
    fn expanded(&mut self, text: String) {
        if !text.trim_start().starts_with("$(") && !text.trim_start().starts_with('`') {
            self.run(text);
        }
    }

    /// A file that the line itself wrote.
    fn runs_file(&mut self, path: &str) {
        let path = self.paths.absolute(path, self.cwd());
        if let Some(text) = self.files.get(&path).cloned() {
            self.run(text);
        }
    }

    /// The code that a shell or a function is handed, where it is only known with what the line says before.
    fn code(&mut self, view: &View<'_>) {
        let name = view.name.as_str();
        let is_shell = SHELLS.contains(&name);
        let expands = view.command.words.iter().skip(1).any(|it| it.kind == WordKind::Expansion);
        if name == "eval" && expands {
            self.expanded(view.args.join(" "));
        }
        let option = |arg: &String| {
            let cluster = is_shell && arg.starts_with('-') && !arg.starts_with("--");
            arg == "-c" || (cluster && arg.contains('c'))
        };
        let coded = is_shell || RUNNERS.contains(&name);
        match view.args.iter().position(option).filter(|_| coded) {
            Some(at) => self.shell_code(view, at + 1, expands),
            None if is_shell => {
                let from = view.redirects.iter().filter(|(operator, _)| operator == "<");
                let files: Vec<String> = from.map(|(_, file)| file.clone()).collect();
                let script = view.operands(&[]).first().map(|it| (*it).to_owned());
                files.iter().chain(script.iter()).for_each(|it| self.runs_file(it));
                // A here-document without variables the reader has read.
                let here = self.here(view.command);
                here.into_iter().filter(|_| script.is_none()).for_each(|it| self.run(it));
            }
            None if READERS.contains(&name) => {
                let script = view.operands(&[]).first().map(|it| (*it).to_owned());
                script.iter().for_each(|it| self.runs_file(it));
            }
            None => {}
        }
        let called = self.line.functions.iter().find(|it| it.name == name);
        if let Some(function) = called.filter(|it| !view.args.is_empty() && it.body.contains('$')) {
            let parameters = line_of("set -- ", view.args.iter());
            self.run(format!("{parameters}; {}", function.body));
        }
        if let Some(alias) = self.aliases.get(name) {
            let rest = line_of("", view.args.iter());
            self.run(format!("{alias} {rest}"));
        }
    }

    /// `bash -c 'rm -rf "$1"' _ /`, `xargs -I{} sh -c 'rm -rf {}'`
    fn shell_code(&mut self, view: &View<'_>, at: usize, expands: bool) {
        let Some(code) = view.args.get(at) else { return };
        let rest = view.args.get(at + 2..).unwrap_or_default();
        let handed = view.fed.join(" ");
        let code = if view.fed.is_empty() { code.clone() } else { code.replace("{}", &handed) };
        let parameters = line_of("set -- ", rest.iter().filter(|it| *it != "{}").chain(&view.fed));
        if code.contains('$') && !(rest.is_empty() && view.fed.is_empty()) {
            self.run(format!("{parameters}; {code}"));
        } else if expands {
            self.expanded(code);
        }
    }

    /// What the command changes for those that follow.
    fn note(&mut self, view: &View<'_>) {
        let name = view.name.as_str();
        self.pipe(view);
        self.write(view);
        match name {
            "cd" | "pushd" => {
                if let Some(to) = view.operands(&[]).first() {
                    self.variables.cwd = self.paths.absolute(to, self.cwd());
                } else if name == "cd" {
                    self.variables.cwd.clone_from(&self.paths.home);
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
                for (name, value) in view.args.iter().filter_map(|it| it.split_once('=')) {
                    self.variables.set(name, vec![value.to_owned()]);
                }
            }
            "alias" => {
                let pairs = view.args.iter().filter_map(|it| it.split_once('='));
                let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
                self.aliases.extend(pairs);
            }
            "set" => {
                if let Some(at) = view.args.iter().position(|it| it == "--") {
                    self.variables.parameters(view.args.get(at + 1..).unwrap_or_default());
                }
            }
            "read" => {
                let said = self.here(view.command).concat();
                let names = view.operands(&["-d", "-n", "-p", "-t", "-u", "-i", "-N"]);
                let said = said
                    .split_whitespace()
                    .map(str::to_owned)
                    .chain(std::iter::repeat_with(String::new));
                for (name, value) in names.into_iter().zip(said) {
                    self.variables.set(name, vec![value]);
                }
            }
            _ => {}
        }
    }

    /// What a command prints into a pipe, and a shell that runs it.
    fn pipe(&mut self, view: &View<'_>) {
        let only_options = view.operands(&[]).iter().all(|it| *it == "-");
        if view.feeds() {
            self.piped.extend(self.printed_by(view));
        }
        if view.feeds() && only_options && SHELLS.contains(&view.name.as_str()) {
            let piped: Vec<String> = self.piped.drain(..).collect();
            piped.into_iter().for_each(|text| self.run(text));
        }
    }

    /// What a command prints, where it stands on the line.
    fn printed_by(&self, view: &View<'_>) -> Vec<String> {
        match view.name.as_str() {
            "echo" | "printf" => vec![view.operands(&[]).join(" ").replace("\\n", "\n")],
            "cat" => self.here(view.command),
            _ => Vec::new(),
        }
    }

    /// What the line writes into files, which it may run.
    fn write(&mut self, view: &View<'_>) {
        let mut said = self.printed_by(view);
        let mut files: Vec<(bool, &str)> = Vec::new();
        // `true && echo x > y`: the file belongs to the list, and to all that it prints.
        let groups = self.redirects(&self.line.redirects);
        let own = || view.redirects.iter().filter(|(operator, _)| operator.starts_with('>'));
        let all = groups.iter().filter(|(operator, _)| operator.starts_with('>'));
        files.extend(own().map(|(operator, file)| (operator == ">>", file.as_str())));
        files.extend(all.filter(|_| own().next().is_none()).map(|(_, file)| (true, file.as_str())));
        if view.name == "tee" {
            files.extend(view.operands(&[]).into_iter().map(|it| (view.has('a', "append"), it)));
            said = self.here(view.command);
            said.extend(self.piped.iter().cloned());
        }
        if said.is_empty() {
            return;
        }
        let said = said.join("\n") + "\n";
        for (appends, file) in files {
            self.written += said.len();
            if self.written > MOST_WRITTEN {
                self.too_much = true;
                return;
            }
            let path = self.paths.absolute(file, &self.variables.cwd);
            let text = self.files.entry(path).or_default();
            if !appends {
                text.clear();
            }
            text.push_str(&said);
        }
    }
}

/// Every word that a word stands for.
fn words(variables: &Variables, word: &Word) -> Vec<String> {
    if word.kind == WordKind::Literal {
        return vec![word.text.clone()];
    }
    let mut unfolded = Vec::new();
    for text in variables.fill(word).words() {
        unfold(&text, &mut unfolded);
    }
    unfolded
}

/// Whether a program is known by its name.
fn is_known(name: &str) -> bool {
    !name.is_empty() && !name.contains(['$', '`', '*', '?'])
}

/// A program and its arguments as a line.
fn line_of<'t>(program: &str, args: impl Iterator<Item = &'t String>) -> String {
    let mut line = if program.ends_with(' ') { program.to_owned() } else { quoted(program) + " " };
    if program.is_empty() {
        line.clear();
    }
    for arg in args {
        line.push_str(&quoted(arg));
        line.push(' ');
    }
    line.trim_end().to_owned()
}

/// A word that a shell reads as this text.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:@%,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The words that `a{b,c}d` stands for.
fn unfold(word: &str, out: &mut Vec<String>) {
    match braces(word) {
        Some((before, inner, after)) if out.len() < MOST_UNFOLDED => {
            for choice in inner.split(',') {
                unfold(&format!("{before}{choice}{after}"), out);
            }
        }
        _ => out.push(word.to_owned()),
    }
}

/// What stands before, in and behind the first braces that unfold.
fn braces(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{').filter(|(before, _)| !before.ends_with('$'))?;
    let (inner, after) = rest.split_once('}')?;
    (inner.contains(',') && !inner.contains(['{', ' ', ':', '"'])).then_some((before, inner, after))
}

/// Whether braces are left that were not unfolded.
fn is_braced(word: &str) -> bool {
    word.contains("{/") && braces(word).is_some()
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
