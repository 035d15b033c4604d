//! Follows wrappers to the commands that they run.
//!
//! `wrapper` knows the syntax of each wrapper; this lists the commands that it finds, and those
//! behind them in turn.

use std::sync::Arc;

use super::braces::{MOST_BRACES, unfold};
use super::command::is_leading;
use super::named::{defines, looked_up, set_words, variable};
use super::read::{Code, Reader};
use super::setup::is_setup;
use super::stream::{Flow, Stream};
use super::windows::Language;
use super::word::{self, Word, WordKind};
use super::wrapper::{self, Behind, Wrapper};
use super::{Assignment, Doubt, MOST_WRAPPERS, SimpleCommand, Via, strings};

/// Lists a command and everything behind its wrappers (S-31). Its output goes to `output`.
pub(super) fn follow(
    reader: &mut Reader<'_>,
    code: &Code<'_>,
    command: SimpleCommand,
    output: Option<usize>,
) {
    let mut queue = vec![command];
    let mut is_known = false;
    while let Some(mut command) = queue.pop() {
        if !reader.pay(code, command.size()) {
            return;
        }
        script(reader, &mut command);
        let names = command.assignments.iter().map(|assignment| assignment.name.as_str());
        names.for_each(|name| reader.assigned(name));
        reader.commands.push(command.clone());
        if let Some(variable) = command.assignments.iter().find_map(computed_start) {
            reader.doubt(code, Doubt::Code { wrapper: variable });
        }
        let Some(program) = command.words.first() else { continue };
        evaluated(reader, code, &command);
        is_known |= reader.streams.print(&command, output);
        if let Some(words) = unfolded(reader, code, &command) {
            queue.push(derived(&command, words, Via::Wrapper(BRACES)));
        } else if command.via.len() < MOST_WRAPPERS {
            let mut look = Look { reader, code, command: &command, output, is_known: false };
            queue.extend(look.behind(program).into_iter().rev());
            is_known |= look.is_known;
        } else if program.is_dynamic() || wrapper::find(&program.text).is_some() {
            reader.doubt(code, Doubt::TooDeep);
        }
    }
    if let Some(output) = output.filter(|_| !is_known) {
        reader.streams.append(output, &Stream { lacks: true, ..Stream::default() });
    }
}

/// The step by which a command is found in a brace expansion.
const BRACES: &str = "{a,b}";

/// Variables that name or hold what a shell runs when it starts or prompts.
const STARTED: &[&str] = &["BASH_ENV", "ENV", "PROMPT_COMMAND"];

/// Programs of the shell that evaluate their operands as arithmetic, in which a substitution runs (S-70).
const EVALUATING: &[&str] = &[
    "let", "declare", "typeset", "local", "export", "readonly", "test", "[", "printf", "read",
    "unset", "wait", "shift", "return", "exit",
];

/// `BASH_ENV=<(...)`: the start of a shell that a program writes.
fn computed_start(assignment: &Assignment) -> Option<&'static str> {
    let name = STARTED.iter().find(|name| **name == assignment.name)?;
    let source = assignment.value.source.as_str();
    source.contains(['(', '`']).then_some(*name)
}

/// Adds the script that an interpreter of a different language reads from its input, if the line
/// has it.
fn script(reader: &mut Reader<'_>, command: &mut SimpleCommand) {
    let Some(options) = command.program().and_then(strings::interpreter) else { return };
    let mut words = command.words.iter().skip(1);
    if command.input.is_some() || words.clone().any(|word| options.contains(&word.text.as_str())) {
        return;
    }
    let file = words.find(|word| !word.text.starts_with('-'));
    if let Some((key, mut stream)) = file.and_then(|file| reader.streams.take_file(file)) {
        (command.input, command.input_lacks) = stream.share();
        reader.streams.put_file(key, stream);
    }
}

/// `let 'a[$(x)]=1'`: a substitution in a quoted word runs when the word is evaluated.
fn evaluated(reader: &mut Reader<'_>, code: &Code<'_>, command: &SimpleCommand) {
    if !command.program().is_some_and(|name| EVALUATING.contains(&name)) {
        return;
    }
    for word in command.words.iter().skip(1) {
        arithmetic(reader, code, &command.via, &word.text);
    }
}

/// Reads the substitutions in a text that is evaluated as arithmetic.
pub(super) fn arithmetic(reader: &mut Reader<'_>, code: &Code<'_>, via: &Arc<[Via]>, text: &str) {
    let is_code = |text: &str| text.contains("$(") || text.contains('`');
    if !text.contains('[') || !is_code(text) {
        return;
    }
    let text = format!(": \"{}\"", text.replace(['"', '\\'], ""));
    let (depth, flow) = (code.depth + 1, Flow::default());
    let via = &one_more(via, Via::Wrapper("[ ]"));
    let (language, wrapper) = (Language::Posix, Some("[ ]"));
    reader.code(&Code { text: &text, language, via, depth, flow, wrapper, ..*code });
}

/// The words of a command with its braces expanded, if there are any (S-69).
fn unfolded(
    reader: &mut Reader<'_>,
    code: &Code<'_>,
    command: &SimpleCommand,
) -> Option<Vec<Word>> {
    if !command.words.iter().any(|word| word.is_dynamic() && word.source.contains('{')) {
        return None;
    }
    let mut words = Vec::new();
    let mut is_any = false;
    for word in command.words.iter() {
        let is_braced = word.is_dynamic() && word.source.contains('{');
        if is_braced && !reader.pay(code, 1 + MOST_BRACES * word.source.len() / 256) {
            return None;
        }
        let sources = if is_braced { unfold(&word.source) } else { None };
        let Some(sources) = sources else {
            words.push(word.clone());
            continue;
        };
        is_any = true;
        if !reader.pay(code, sources.iter().map(|source| 1 + source.len() / 16).sum()) {
            return None;
        }
        words.extend(sources.into_iter().filter(|source| !source.is_empty()).map(read_again));
    }
    is_any.then_some(words)
}

/// A word of a brace expansion.
fn read_again(source: String) -> Word {
    let is_literal = !source.contains(['$', '`']);
    let word = is_literal.then(|| word::read(&source, &[])).flatten();
    word.unwrap_or_else(|| Word::unknown(source))
}

/// The name of a program that is given as a path, or with a Windows extension.
fn file_name(program: &Word) -> Option<String> {
    match program.kind {
        WordKind::Literal => {
            let name = program.text.rsplit(['/', '\\']).next().unwrap_or_default();
            let plain = name.strip_suffix(".exe").unwrap_or(name);
            (plain != program.text).then(|| plain.to_owned())
        }
        _ => program.file_name.clone(),
    }
}

/// Alternative names of programs.
const OTHER_NAMES: &[(&str, &str)] = &[("hub", "git"), ("kubecolor", "kubectl"), ("gsed", "sed")];

/// `git-push` is `git push`, and `hub` runs git's commands.
fn other_name(program: &str) -> Option<Vec<&str>> {
    let other = OTHER_NAMES.iter().find(|(name, _)| *name == program);
    let verb = || program.strip_prefix("git-").filter(|verb| !verb.is_empty());
    other.map(|(_, name)| vec![*name]).or_else(|| Some(vec!["git", verb()?]))
}

/// The command that is found one step further.
fn derived(command: &SimpleCommand, words: Vec<Word>, step: Via) -> SimpleCommand {
    SimpleCommand { words: words.into(), via: one_more(&command.via, step), ..command.clone() }
}

/// The steps to a command that is found one step further.
fn one_more(via: &[Via], step: Via) -> Arc<[Via]> {
    via.iter().cloned().chain([step]).collect()
}

/// The interpreter that the first line of a script names.
fn shebang(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.next()?;
    if program == "env" { words.find(|word| !word.starts_with('-')) } else { Some(program) }
}

/// One step from a command to those behind it.
struct Look<'l, 's> {
    reader: &'l mut Reader<'s>,
    code: &'l Code<'l>,
    command: &'l SimpleCommand,
    output: Option<usize>,
    /// Whether the output of the command is what was found behind it.
    is_known: bool,
}

impl Look<'_, '_> {
    /// The commands behind a program.
    fn behind(&mut self, program: &Word) -> Vec<SimpleCommand> {
        let command = self.command;
        if let Some(name) = file_name(program).filter(|name| !name.is_empty()) {
            let step = Via::Path(program.source.clone());
            let mut found = self.written(program, step.clone());
            let named = [Word::literal(name)].into_iter();
            let words = named.chain(command.words.iter().skip(1).cloned()).collect();
            found.push(derived(command, words, step));
            return found;
        }
        if program.kind != WordKind::Literal {
            if let Some(words) = self.known_words(program) {
                let words = words.into_iter().chain(command.words.iter().skip(1).cloned());
                return vec![derived(command, words.collect(), Via::Wrapper("$( )"))];
            }
            self.reader.doubt(self.code, Doubt::Program { source: program.source.clone() });
            self.read_input();
            return Vec::new();
        }
        if let Some((name, definition)) = self.reader.aliases.remove_entry(&program.text) {
            let rest = command.words.iter().skip(1).map(|word| word.source.as_str());
            let text = [definition.as_str()].into_iter().chain(rest).collect::<Vec<_>>().join(" ");
            self.read(&text, Via::Wrapper("alias"), "alias");
            self.reader.aliases.insert(name, definition);
        }
        if let Some(words) = other_name(&program.text) {
            let words = words.into_iter().map(Word::literal);
            let words = words.chain(command.words.iter().skip(1).cloned()).collect();
            return vec![derived(command, words, Via::Path(program.source.clone()))];
        }
        let Some(wrapper) = wrapper::find(&program.text) else { return Vec::new() };
        let input = command.input.as_deref().filter(|_| !command.input_lacks);
        let all = wrapper.behind(&command.words, input).into_iter();
        all.filter_map(|behind| self.one(wrapper, behind)).collect()
    }

    /// The words of a computed program, if the line has them.
    fn known_words(&mut self, program: &Word) -> Option<Vec<Word>> {
        let source = program.source.as_str();
        if let Some(name) = looked_up(source).filter(|_| !defines(self.code.text)) {
            return Some(vec![Word::literal(name)]);
        }
        let cost = 1 + self.code.text.len() / 32 + self.reader.commands.len() / 8;
        let is_set = variable(source).is_some_and(|name| self.reader.is_assigned(name));
        if is_set && self.reader.pay(self.code, cost) {
            let commands = &self.reader.commands;
            let words = set_words(self.code.text, commands, &self.command.via, source);
            if words.is_some() {
                return words;
            }
        }
        self.printed_words(program)
    }

    /// `$(echo git) push`: the words of a substitution whose output is on the line.
    fn printed_words(&mut self, program: &Word) -> Option<Vec<Word>> {
        let bare = program.source.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
        let inner = bare.or_else(|| program.source.strip_prefix('`')?.strip_suffix('`'));
        let inner = inner.filter(|inner| !inner.contains(['(', ')', '`']))?;
        let stream = self.reader.printed(self.code, inner).filter(|stream| !stream.lacks)?;
        let words: Vec<Word> = stream.text.split_whitespace().map(Word::literal).collect();
        (!words.is_empty()).then_some(words)
    }

    /// A script that the line itself wrote and runs by its path.
    fn written(&mut self, program: &Word, step: Via) -> Vec<SimpleCommand> {
        let Some((key, mut stream)) = self.reader.streams.take_file(program) else {
            return Vec::new();
        };
        let other = shebang(&stream.text).filter(|name| !wrapper::is_shell(name));
        let mut found = Vec::new();
        match other.map(Word::literal) {
            Some(language) => {
                let words = [language].into_iter().chain(self.command.words.iter().cloned());
                let mut command = derived(self.command, words.collect(), step);
                (command.input, command.input_lacks) = stream.share();
                found.push(command);
            }
            None => {
                self.read(&stream.text, step, "sh");
                if stream.lacks {
                    self.reader.doubt(self.code, Doubt::Code { wrapper: "sh" });
                }
            }
        }
        self.reader.streams.put_file(key, stream);
        found
    }

    /// A command behind a wrapper. Code is read as a separate line; what cannot be known is a
    /// doubt.
    fn one(&mut self, wrapper: &Wrapper, behind: Behind) -> Option<SimpleCommand> {
        let step = Via::Wrapper(wrapper.name);
        let language = behind.language();
        // Code that runs itself is read once: its name and its file are defined only after it.
        let (mut defined, mut file) = (None, None);
        let (text, lacks) = match behind {
            // `coproc NAME { ...; }`: the group's name is no program.
            Behind::Command(words) if words.get(1).is_some_and(|word| word.source == "{") => {
                (None, true)
            }
            Behind::Command(mut words) => {
                let group = words.iter().take_while(|word| is_leading(word)).count();
                words.drain(..group);
                return (!words.is_empty()).then(|| derived(self.command, words, step));
            }
            Behind::Definition(name, text) => {
                defined = Some((name, text.clone()));
                (Some(text), false)
            }
            Behind::Code(text) | Behind::Foreign(_, Some(text)) => (Some(text), false),
            Behind::Input | Behind::Foreign(_, None) => {
                let input = self.command.input.as_deref().map(str::to_owned);
                (input, self.command.input_lacks || self.command.input.is_none())
            }
            Behind::File(name) => {
                let (key, stream) = self.reader.streams.take_file(&name)?;
                let found = (Some(stream.text.clone()), stream.lacks);
                file = Some((key, stream));
                found
            }
            Behind::Printed(inner) => match self.reader.printed(self.code, &inner) {
                Some(stream) => (Some(stream.text).filter(|text| !text.is_empty()), stream.lacks),
                None => (None, true),
            },
            Behind::Script => {
                self.reader.doubt(self.code, Doubt::Script);
                return None;
            }
            Behind::Unknown => (None, true),
        };
        if let Some(text) = &text {
            self.read_as(language, text, step, wrapper.name);
            self.is_known = true;
        }
        self.reader.aliases.extend(defined);
        if let Some((key, stream)) = file {
            self.reader.streams.put_file(key, stream);
        }
        if lacks {
            let doubt = match is_setup(&self.command.words) {
                true => Doubt::Setup,
                false => Doubt::Code { wrapper: wrapper.name },
            };
            self.reader.doubt(self.code, doubt);
            if text.is_none() {
                self.read_input();
            }
        }
        None
    }

    /// Computed code may come from the command's input: `while read l; do eval "$l"; done <<E`.
    fn read_input(&mut self) {
        if let Some(input) = self.command.input.as_deref() {
            self.read(input, Via::Wrapper("eval"), "eval");
        }
    }

    /// Reads code that the command runs.
    fn read(&mut self, text: &str, step: Via, wrapper: &'static str) {
        self.read_as(Language::Posix, text, step, wrapper);
    }

    fn read_as(&mut self, language: Language, text: &str, step: Via, wrapper: &'static str) {
        let command = self.command;
        let input = command.input.as_deref().filter(|input| *input != text);
        let input =
            input.and_then(|input| self.reader.streams.open_with(input, command.input_lacks));
        self.reader.code(&Code {
            text,
            language,
            via: &one_more(&command.via, step),
            context: command.context,
            depth: self.code.depth + 1,
            wrapper: Some(wrapper),
            flow: Flow { input, output: self.output },
        });
    }
}
