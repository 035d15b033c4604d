//! What does each command of a line say, with what the line itself says before?
//!
//! It follows `cd` and assignments along the line, because `cd ~ && rm -rf .` and `D=/; rm -rf $D` are what they are.

mod arguments;
mod entered;
mod inner;

use std::collections::HashMap;
use std::rc::Rc;

use tenterhook_shell::{
    Context, Expands, Function, Line, Redirect, SimpleCommand, Target, Via, Word,
};

use super::MOST_LINES;
use super::braces::{MOST_UNFOLDED, is_braced};
use super::fill::{Variables, program_path};
use super::find::found_paths;
use super::path::Paths;
use super::quoted::line_of;
use super::view::{Redirected, View};
use crate::event::meter::Meter;
pub(super) use arguments::elements;
use arguments::{expand, meant, reads_names};

/// Most words of a line, with what variables and braces make of them, and most of them that are handed on by `xargs`.
const MOST_WORDS: usize = 64 * 1024;
const MOST_FED: usize = 4 * 1024;

/// What it costs to set the variable of a loop anew, and to work out one of its words, in steps.
const A_LOOP: usize = 8;

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
    paths: &'p Paths<'p>,
    line: &'p Line,
    meter: &'p Meter<'p>,
    variables: Variables<'p>,
    functions: HashMap<&'p str, &'p Function>,
    /// The redirections of groups, and of the last command, as the variables stood when they were last asked for.
    groups: Option<Asked<'p>>,
    own: Option<Asked<'p>>,
    printed: Vec<String>,
    searched: Vec<String>,
    filled: Vec<(String, String)>,
    piped: Vec<String>,
    aliases: HashMap<String, String>,
    /// The directory that the line left last.
    left: Option<String>,
    /// The last wrapper that names a directory, and that directory.
    entered: Option<(&'static str, String)>,
    /// Files that the line writes, with what it writes there.
    files: HashMap<String, String>,
    words: usize,
    fed: usize,
    written: usize,
    too_much: bool,
}

/// Redirections, how the variables stood when they were asked for, and what they were then.
type Asked<'p> = (&'p [Redirect], usize, Rc<Vec<Redirected>>);

/// Follows a line from its start to its end.
pub(super) fn follow_line<'a>(
    line: &'a Line,
    paths: &'a Paths<'a>,
    meter: &'a Meter<'a>,
) -> Seen<'a> {
    let mut variables = Variables::in_directory(&paths.cwd, &paths.project, meter);
    for (name, value) in
        [("HOME", &paths.home), ("PWD", &paths.cwd), ("CLAUDE_PROJECT_DIR", &paths.cwd)]
    {
        variables.set(name, vec![value.clone()]);
    }
    entered::set_directories(&mut variables, &paths.home);
    let mut functions = HashMap::new();
    for function in &line.functions {
        functions.entry(function.name.as_str()).or_insert(function);
    }
    let mut sofar = Sofar {
        paths,
        line,
        meter,
        variables,
        functions,
        groups: None,
        own: None,
        printed: Vec::new(),
        searched: Vec::new(),
        filled: Vec::new(),
        piped: Vec::new(),
        aliases: HashMap::new(),
        left: None,
        entered: None,
        files: HashMap::new(),
        words: 0,
        fed: 0,
        written: 0,
        too_much: false,
    };
    sofar.assign_loop_variables();
    let mut views = Vec::new();
    for command in &line.commands {
        if !meter.spend(command.size()) {
            break;
        }
        views.extend(sofar.view(command));
    }
    let groups = sofar.redirects(&line.redirects);
    let Sofar { variables, filled, mut too_much, .. } = sofar;
    too_much |= variables.is_too_much();
    Seen { views, groups, cwd: variables.cwd, filled, too_much }
}

impl<'p> Sofar<'p> {
    fn cwd(&self) -> &str {
        &self.variables.cwd
    }

    /// The variables of loops are all that they will be.
    fn assign_loop_variables(&mut self) {
        for each in &self.line.loops {
            if !self.meter.spend(A_LOOP * (1 + each.words.len().min(MOST_UNFOLDED))) {
                return;
            }
            let words =
                each.words.iter().flat_map(|word| expand(&self.variables, word, self.meter));
            let values: Vec<String> = words.take(MOST_UNFOLDED + 1).collect();
            self.too_much |= values.len() > MOST_UNFOLDED;
            self.variables.set(&each.variable, values);
        }
    }

    /// The redirections of groups. Each command may ask.
    fn of_groups(&mut self) -> Rc<Vec<Redirected>> {
        let asked = self.groups.take();
        self.groups = Some(self.asks_for_another_pass(asked, &self.line.redirects));
        self.groups.as_ref().map(|(.., shared)| Rc::clone(shared)).unwrap_or_default()
    }

    /// The redirections of a command; the words behind it have the same ones.
    fn of_command(&mut self, command: &'p SimpleCommand) -> Rc<Vec<Redirected>> {
        let asked = self.own.take();
        self.own = Some(self.asks_for_another_pass(asked, &command.redirects));
        self.own.as_ref().map(|(.., shared)| Rc::clone(shared)).unwrap_or_default()
    }

    /// Only a variable that was set makes others of them.
    fn asks_for_another_pass(
        &self,
        asked: Option<Asked<'p>>,
        redirects: &'p [Redirect],
    ) -> Asked<'p> {
        let version = self.variables.version();
        let same = |(of, at, _): &Asked<'p>| std::ptr::eq(*of, redirects) && *at == version;
        asked
            .filter(same)
            .unwrap_or_else(|| (redirects, version, Rc::new(self.redirects(redirects))))
    }

    fn redirects(&self, redirects: &[Redirect]) -> Vec<Redirected> {
        let redirects = redirects.iter().take_while(|_| self.meter.spend(4));
        let files = redirects.flat_map(|redirect| {
            let files = match &redirect.target {
                Target::Word(word) if !redirect.operator.starts_with("<<") => {
                    meant(word, self.variables.fill(word).into_texts(), self.meter)
                }
                Target::Word(_) | Target::HereDocument { .. } | Target::Closed => Vec::new(),
            };
            files.into_iter().map(|file| (redirect.operator.clone(), file))
        });
        files.collect()
    }

    fn view(&mut self, command: &'p SimpleCommand) -> Option<View<'p>> {
        for assignment in command.assignments.iter() {
            let name = assignment.name.split('[').next().unwrap_or_default();
            let may_not_run = matches!(command.context, Context::List | Context::Body);
            self.variables.assign(name, &assignment.value, may_not_run);
        }
        if !command.assignments.is_empty() {
            self.assign_loop_variables();
        }
        let (program, rest) = match command.words.split_first() {
            None => (None, &*command.words),
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
        let redirects = self.of_command(command);
        let cwd = self.directory_of(command);
        let view = View { command, name, args, redirects, cwd, fed, meter: self.meter };
        view.is_paid_for();
        self.push_entered_directory(&view);
        self.note_effects(&view);
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
            args.extend(expand(&self.variables, word, self.meter));
            if self.words + args.len() > MOST_WORDS {
                self.too_much = true;
                break;
            }
        }
        self.too_much |= args.iter().any(|arg| is_braced(arg)) && args.len() >= MOST_UNFOLDED;
        self.words += args.len();
        args
    }

    /// What `xargs` and `find` hand to a command.
    fn handed(&mut self, command: &SimpleCommand) -> Vec<String> {
        let by_name = reads_names(command);
        let from: &[String] = match command.via.last() {
            Some(Via::Wrapper("xargs" | "parallel")) => &self.printed,
            Some(Via::Wrapper("find")) => &self.searched,
            _ if by_name => &self.printed,
            _ => &[],
        };
        self.fed += from.len();
        if self.fed > MOST_FED {
            self.too_much = true;
            return Vec::new();
        }
        let mut handed = from.to_vec();
        if by_name || command.via.last() == Some(&Via::Wrapper("xargs")) {
            let here = self.input(command);
            handed.extend(here.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned));
        }
        handed
    }

    /// The texts that a command finds on its input because they stand on the line.
    fn here(&self, command: &SimpleCommand) -> Vec<String> {
        let paid = command.redirects.iter().take_while(|redirect| match &redirect.target {
            Target::HereDocument { body, .. } => self.meter.read(4 * body.len()),
            Target::Word(_) | Target::Closed => self.meter.spend(1),
        });
        let texts = paid.filter_map(|redirect| match &redirect.target {
            Target::HereDocument { body, expands: Expands::No } => Some(body.clone()),
            Target::HereDocument { body, .. } if !body.contains(['$', '`', '\\']) => {
                Some(body.clone())
            }
            Target::HereDocument { body, .. } => Some(self.variables.fill_text(body)),
            Target::Word(word) if redirect.operator == "<<<" => {
                Some(self.variables.fill(word).into_first_text())
            }
            Target::Word(_) | Target::Closed => None,
        });
        texts.collect()
    }

    /// The same, or what the line prints into its pipe or its group.
    fn input(&self, command: &SimpleCommand) -> Vec<String> {
        let here = self.here(command);
        let input = command.input.as_deref().filter(|_| here.is_empty());
        let input = input.filter(|input| self.meter.read(4 * input.len())).map(str::to_owned);
        here.into_iter().chain(input).collect()
    }

    /// What the command changes for those that follow.
    fn note_effects(&mut self, view: &View<'_>) {
        self.pipe(view);
        self.write(view);
        match view.name.as_str() {
            "cd" | "pushd" => self.follow_cd(view),
            "printf" if view.has_argument(&["-v"]) => {
                let behind = view.args.iter().skip_while(|arg| *arg != "-v").skip(1);
                let words: Vec<&str> =
                    behind.map(String::as_str).filter(|word| *word != "--").collect();
                if let Some((name, values)) = words.split_first() {
                    let values = values.get(usize::from(values.len() > 1)..).unwrap_or_default();
                    self.variables.set(name, vec![values.join(" ")]);
                }
            }
            "echo" | "printf" | "ls" | "realpath" => {
                let words = view.operands(&[]).into_iter().flat_map(str::split_whitespace);
                self.printed.extend(words.map(str::to_owned));
            }
            "which" | "whereis" | "whence" => {
                self.printed.extend(view.operands(&[]).into_iter().map(program_path));
            }
            "find" => {
                self.searched = found_paths(view);
                if self.searched.len() > MOST_FED {
                    self.searched.truncate(MOST_FED);
                    self.too_much = true;
                }
                self.printed.extend(self.searched.iter().cloned());
            }
            "export" | "declare" | "readonly" | "local" | "typeset" => {
                for (name, value) in view.args.iter().filter_map(|arg| arg.split_once('=')) {
                    self.variables.set(name, vec![elements(value)]);
                }
            }
            "alias" => {
                let pairs = view.args.iter().filter_map(|arg| arg.split_once('='));
                let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
                self.aliases.extend(pairs);
            }
            "set" => {
                if let Some(at) = view.args.iter().position(|arg| arg == "--") {
                    self.variables.parameters(view.args.get(at + 1..).unwrap_or_default());
                    self.assign_loop_variables();
                }
            }
            "shift" => {
                let count = view.args.first().and_then(|arg| arg.parse().ok()).unwrap_or(1);
                self.variables.shift_parameters(count);
            }
            "read" => self.read(view),
            _ => {}
        }
    }

    /// The variables that `read` sets from texts of the line: in a loop it reads each line, one after the other.
    fn read(&mut self, view: &View<'_>) {
        let said = self.input(view.command).concat();
        let names = view.operands(&["-d", "-n", "-p", "-t", "-u", "-i", "-N"]);
        let piped = view.command.redirects.is_empty() && said.is_empty();
        let printed = if self.searched.is_empty() { &self.printed } else { &self.searched };
        // `find ... | while read f`
        let mut lines: Vec<String> = match piped {
            true => printed.iter().take(MOST_UNFOLDED).cloned().collect(),
            false => said.lines().take(MOST_UNFOLDED).map(str::to_owned).collect(),
        };
        lines.extend(lines.is_empty().then(String::new));
        // Each line is parted once, however many variables take a part of it.
        let parted: Vec<Vec<&str>> = match names.len() {
            1 => lines.iter().map(|line| vec![line.trim()]).collect(),
            _ => lines.iter().map(|line| line.split_whitespace().collect()).collect(),
        };
        let last = names.len().saturating_sub(1);
        for (at, name) in names.into_iter().enumerate() {
            if !self.meter.spend(1 + parted.len()) {
                return;
            }
            let value = |line: &Vec<&str>| match at == last {
                true => line.get(at..).unwrap_or_default().join(" "),
                false => line.get(at).copied().unwrap_or_default().to_owned(),
            };
            self.variables.set(name, parted.iter().map(value).collect());
        }
    }
}

/// Whether a program is known by its name.
fn is_known(name: &str) -> bool {
    !name.is_empty() && !name.contains(['$', '`', '*', '?'])
}
