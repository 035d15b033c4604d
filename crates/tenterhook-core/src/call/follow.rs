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
use super::braces::{MOST_UNFOLDED, has_unexpanded_braces};
use super::fill::{Variables, program_lookup_output};
use super::find::paths_listed_by_find;
use super::path::Paths;
use super::quoted::quote_command_line;
use super::view::{Redirected, View};
use crate::event::meter::Meter;
pub(super) use arguments::elements_of_list;
use arguments::{expand_to_words, reads_file_names_from_input, redirect_targets};

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
    let mut variables = Variables::new_in_directory(&paths.cwd, &paths.project, meter);
    for (name, value) in
        [("HOME", &paths.home), ("PWD", &paths.cwd), ("CLAUDE_PROJECT_DIR", &paths.cwd)]
    {
        variables.set_values(name, vec![value.clone()]);
    }
    entered::set_xdg_directories(&mut variables, &paths.home);
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
        if !meter.spend_steps(command.size()) {
            break;
        }
        views.extend(sofar.follow_command(command));
    }
    let groups = sofar.expand_redirects(&line.redirects);
    let Sofar { variables, filled, mut too_much, .. } = sofar;
    too_much |= variables.has_exceeded_limit();
    Seen { views, groups, cwd: variables.cwd, filled, too_much }
}

impl<'p> Sofar<'p> {
    fn cwd(&self) -> &str {
        &self.variables.cwd
    }

    /// Sets the variables of loops to all the values that they will have.
    fn assign_loop_variables(&mut self) {
        for each in &self.line.loops {
            if !self.meter.spend_steps(A_LOOP * (1 + each.words.len().min(MOST_UNFOLDED))) {
                return;
            }
            let words = each
                .words
                .iter()
                .flat_map(|word| expand_to_words(&self.variables, word, self.meter));
            let values: Vec<String> = words.take(MOST_UNFOLDED + 1).collect();
            self.too_much |= values.len() > MOST_UNFOLDED;
            self.variables.set_values(&each.variable, values);
        }
    }

    /// Returns the redirections of groups, expanded again only if a variable changed.
    fn group_redirects(&mut self) -> Rc<Vec<Redirected>> {
        let asked = self.groups.take();
        self.groups = Some(self.cached_redirects(asked, &self.line.redirects));
        self.groups.as_ref().map(|(.., shared)| Rc::clone(shared)).unwrap_or_default()
    }

    /// Returns the redirections of a command; a command inside its arguments has the same ones.
    fn command_redirects(&mut self, command: &'p SimpleCommand) -> Rc<Vec<Redirected>> {
        let asked = self.own.take();
        self.own = Some(self.cached_redirects(asked, &command.redirects));
        self.own.as_ref().map(|(.., shared)| Rc::clone(shared)).unwrap_or_default()
    }

    /// Returns the expanded redirections, from the cache unless a variable changed since.
    fn cached_redirects(&self, asked: Option<Asked<'p>>, redirects: &'p [Redirect]) -> Asked<'p> {
        let version = self.variables.assignment_generation();
        let same = |(of, at, _): &Asked<'p>| std::ptr::eq(*of, redirects) && *at == version;
        asked
            .filter(same)
            .unwrap_or_else(|| (redirects, version, Rc::new(self.expand_redirects(redirects))))
    }

    fn expand_redirects(&self, redirects: &[Redirect]) -> Vec<Redirected> {
        let redirects = redirects.iter().take_while(|_| self.meter.spend_steps(4));
        let files = redirects.flat_map(|redirect| {
            let files = match &redirect.target {
                Target::Word(word) if !redirect.operator.starts_with("<<") => redirect_targets(
                    word,
                    self.variables.expand_word(word).into_texts(),
                    self.meter,
                ),
                Target::Word(_) | Target::HereDocument { .. } | Target::Closed => Vec::new(),
            };
            files.into_iter().map(|file| (redirect.operator.clone(), file))
        });
        files.collect()
    }

    /// Follows one command: assigns its variables, expands its words, notes its effects on later
    /// commands, and returns its view; `None` for a program that is named by its path, which is
    /// listed once more under its file name.
    fn follow_command(&mut self, command: &'p SimpleCommand) -> Option<View<'p>> {
        for assignment in command.assignments.iter() {
            let name = assignment.name.split('[').next().unwrap_or_default();
            let may_not_run = matches!(command.context, Context::List | Context::Body);
            self.variables.assign_value(name, &assignment.value, may_not_run);
        }
        if !command.assignments.is_empty() {
            self.assign_loop_variables();
        }
        let (program, rest) = match command.words.split_first() {
            None => (None, &*command.words),
            Some((program, rest)) => (Some(program), rest),
        };
        let dynamic = program.is_some_and(Word::is_dynamic);
        let mut choices = self.possible_programs(program).into_iter();
        let (name, mut args) = choices.next().unwrap_or_default();
        // A program that is named by a path is listed once more, under its file name.
        if name.contains('/') && !dynamic {
            self.queue_written_file(&name);
            return None;
        }
        let own: Vec<String> = self.expand_arguments(rest);
        for (name, before) in choices.filter(|(name, _)| is_known_program(name)) {
            let text = quote_command_line(&name, before.iter().chain(&own));
            self.queue_inner_line(text);
        }
        args.extend(own);
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        if dynamic && is_known_program(&name) {
            self.queue_inner_line(quote_command_line(&name, args.iter()));
        }
        let fed = self.appended_arguments(command);
        let redirects = self.command_redirects(command);
        let cwd = self.command_directory(command);
        let view = View { command, name, args, redirects, cwd, fed, meter: self.meter };
        view.charge_for_reading();
        self.note_wrapper_directory(&view);
        self.note_effects_on_later_commands(&view);
        self.queue_code_arguments(&view);
        Some(view)
    }

    /// Returns each program that a word may name, with the words that come with it: `X='rm -rf';
    /// $X`.
    fn possible_programs(&self, program: Option<&Word>) -> Vec<(String, Vec<String>)> {
        let Some(program) = program else { return vec![Default::default()] };
        let choices = self.variables.expand_word(program);
        let split = |words: Vec<String>| {
            let mut words = words.into_iter();
            (words.next().unwrap_or_default(), words.collect())
        };
        choices.word_choices().map(split).collect()
    }

    /// Expands the arguments: known variables and braces.
    fn expand_arguments(&mut self, rest: &[Word]) -> Vec<String> {
        let mut args = Vec::new();
        for word in rest {
            args.extend(expand_to_words(&self.variables, word, self.meter));
            if self.words + args.len() > MOST_WORDS {
                self.too_much = true;
                break;
            }
        }
        self.too_much |=
            args.iter().any(|arg| has_unexpanded_braces(arg)) && args.len() >= MOST_UNFOLDED;
        self.words += args.len();
        args
    }

    /// Returns the arguments that `xargs` and `find` append to a command.
    fn appended_arguments(&mut self, command: &SimpleCommand) -> Vec<String> {
        let by_name = reads_file_names_from_input(command);
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
            let here = self.input_texts(command);
            handed.extend(here.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned));
        }
        handed
    }

    /// Returns the texts on a command's input that are written on the line.
    fn here_document_texts(&self, command: &SimpleCommand) -> Vec<String> {
        let paid = command.redirects.iter().take_while(|redirect| match &redirect.target {
            Target::HereDocument { body, .. } => self.meter.spend_steps_for_bytes(4 * body.len()),
            Target::Word(_) | Target::Closed => self.meter.spend_steps(1),
        });
        let texts = paid.filter_map(|redirect| match &redirect.target {
            Target::HereDocument { body, expands: Expands::No } => Some(body.clone()),
            Target::HereDocument { body, .. } if !body.contains(['$', '`', '\\']) => {
                Some(body.clone())
            }
            Target::HereDocument { body, .. } => Some(self.variables.expand_text(body)),
            Target::Word(word) if redirect.operator == "<<<" => {
                Some(self.variables.expand_word(word).into_first_text())
            }
            Target::Word(_) | Target::Closed => None,
        });
        texts.collect()
    }

    /// Returns the texts on a command's input: those written on the line, else those that the line
    /// prints into its pipe or its group.
    fn input_texts(&self, command: &SimpleCommand) -> Vec<String> {
        let here = self.here_document_texts(command);
        let input = command.input.as_deref().filter(|_| here.is_empty());
        let input = input
            .filter(|input| self.meter.spend_steps_for_bytes(4 * input.len()))
            .map(str::to_owned);
        here.into_iter().chain(input).collect()
    }

    /// Notes the effects of a command on later commands.
    fn note_effects_on_later_commands(&mut self, view: &View<'_>) {
        self.queue_piped_code(view);
        self.keep_texts_of_written_files(view);
        match view.name.as_str() {
            "cd" | "pushd" => self.follow_cd(view),
            "printf" if view.has_argument(&["-v"]) => {
                let behind = view.args.iter().skip_while(|arg| *arg != "-v").skip(1);
                let words: Vec<&str> =
                    behind.map(String::as_str).filter(|word| *word != "--").collect();
                if let Some((name, values)) = words.split_first() {
                    let values = values.get(usize::from(values.len() > 1)..).unwrap_or_default();
                    self.variables.set_values(name, vec![values.join(" ")]);
                }
            }
            "echo" | "printf" | "ls" | "realpath" => {
                let words = view.operands(&[]).into_iter().flat_map(str::split_whitespace);
                self.printed.extend(words.map(str::to_owned));
            }
            "which" | "whereis" | "whence" => {
                self.printed.extend(view.operands(&[]).into_iter().map(program_lookup_output));
            }
            "find" => {
                self.searched = paths_listed_by_find(view);
                if self.searched.len() > MOST_FED {
                    self.searched.truncate(MOST_FED);
                    self.too_much = true;
                }
                self.printed.extend(self.searched.iter().cloned());
            }
            "export" | "declare" | "readonly" | "local" | "typeset" => {
                for (name, value) in view.args.iter().filter_map(|arg| arg.split_once('=')) {
                    self.variables.set_values(name, vec![elements_of_list(value)]);
                }
            }
            "alias" => {
                let pairs = view.args.iter().filter_map(|arg| arg.split_once('='));
                let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
                self.aliases.extend(pairs);
            }
            "set" => {
                if let Some(at) = view.args.iter().position(|arg| arg == "--") {
                    self.variables.set_parameters(view.args.get(at + 1..).unwrap_or_default());
                    self.assign_loop_variables();
                }
            }
            "shift" => {
                let count = view.args.first().and_then(|arg| arg.parse().ok()).unwrap_or(1);
                self.variables.shift_parameters(count);
            }
            "read" => self.assign_variables_of_read(view),
            _ => {}
        }
    }

    /// Sets the variables that `read` reads from texts of the line; in a loop, it reads one line
    /// after the other.
    fn assign_variables_of_read(&mut self, view: &View<'_>) {
        let said = self.input_texts(view.command).concat();
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
            if !self.meter.spend_steps(1 + parted.len()) {
                return;
            }
            let value = |line: &Vec<&str>| match at == last {
                true => line.get(at..).unwrap_or_default().join(" "),
                false => line.get(at).copied().unwrap_or_default().to_owned(),
            };
            self.variables.set_values(name, parted.iter().map(value).collect());
        }
    }
}

/// Whether a program is known by its name.
fn is_known_program(name: &str) -> bool {
    !name.is_empty() && !name.contains(['$', '`', '*', '?'])
}
