//! Follows wrappers to the commands that they run.
//!
//! `wrapper` knows the syntax of each wrapper; this lists the commands that it finds, and those
//! behind them in turn.

use std::sync::Arc;

use super::braces::{MOST_BRACES, expand_braces};
use super::command::is_word_before_command;
use super::named::{
    expanded_variable, looked_up_program, may_redefine_program, words_assigned_to_variable,
};
use super::read::{Code, Reader};
use super::setup::is_shell_setup;
use super::stream::{Flow, Stream};
use super::windows::Language;
use super::word::{self, Word, WordKind};
use super::wrapper::{self, Behind, Wrapper};
use super::{Assignment, Doubt, MOST_WRAPPERS, SimpleCommand, Via, strings};

/// Records a command and everything that its wrappers run (S-31). Its output goes to `output`.
pub(super) fn record_command_and_wrapped(
    reader: &mut Reader<'_>,
    code: &Code<'_>,
    command: SimpleCommand,
    output: Option<usize>,
) {
    let mut queue = vec![command];
    let mut is_known = false;
    while let Some(mut command) = queue.pop() {
        if !reader.spend_steps(code, command.size()) {
            return;
        }
        set_script_file_as_input(reader, &mut command);
        let names = command.assignments.iter().map(|assignment| assignment.name.as_str());
        names.for_each(|name| reader.note_assigned_variable(name));
        reader.commands.push(command.clone());
        if let Some(variable) = command.assignments.iter().find_map(computed_startup_variable) {
            reader.record_doubt(code, Doubt::Code { wrapper: variable });
        }
        let Some(program) = command.words.first() else { continue };
        read_evaluated_words(reader, code, &command);
        is_known |= reader.streams.append_command_output(&command, output);
        if let Some(words) = brace_expanded_words(reader, code, &command) {
            queue.push(derive_command(&command, words, Via::Wrapper(BRACES)));
        } else if command.via.len() < MOST_WRAPPERS {
            let mut look = Look { reader, code, command: &command, output, is_known: false };
            queue.extend(look.commands_run_by_program(program).into_iter().rev());
            is_known |= look.is_known;
        } else if program.is_dynamic() || wrapper::find_wrapper(&program.text).is_some() {
            reader.record_doubt(code, Doubt::TooDeep);
        }
    }
    if let Some(output) = output.filter(|_| !is_known) {
        reader.streams.append_output(output, &Stream { lacks: true, ..Stream::default() });
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

/// Returns the startup variable that is assigned computed code, as in `BASH_ENV=<(...)`.
fn computed_startup_variable(assignment: &Assignment) -> Option<&'static str> {
    let name = STARTED.iter().find(|name| **name == assignment.name)?;
    let source = assignment.value.source.as_str();
    source.contains(['(', '`']).then_some(*name)
}

/// Adds the script file of an interpreter of another language as the command's input, if the line
/// wrote that file.
fn set_script_file_as_input(reader: &mut Reader<'_>, command: &mut SimpleCommand) {
    let Some(options) = command.program_name().and_then(strings::interpreter_code_options) else {
        return;
    };
    let mut words = command.words.iter().skip(1);
    if command.input.is_some() || words.clone().any(|word| options.contains(&word.text.as_str())) {
        return;
    }
    let file = words.find(|word| !word.text.starts_with('-'));
    if let Some((key, mut stream)) = file.and_then(|file| reader.streams.take_file(file)) {
        (command.input, command.input_lacks) = stream.shared_text_and_gaps();
        reader.streams.put_file_back(key, stream);
    }
}

/// Reads substitutions in quoted words that the command evaluates, as in `let 'a[$(x)]=1'`.
fn read_evaluated_words(reader: &mut Reader<'_>, code: &Code<'_>, command: &SimpleCommand) {
    if !command.program_name().is_some_and(|name| EVALUATING.contains(&name)) {
        return;
    }
    for word in command.words.iter().skip(1) {
        read_arithmetic(reader, code, &command.via, &word.text);
    }
}

/// Reads the substitutions in a text that is evaluated as arithmetic.
pub(super) fn read_arithmetic(
    reader: &mut Reader<'_>,
    code: &Code<'_>,
    via: &Arc<[Via]>,
    text: &str,
) {
    let is_code = |text: &str| text.contains("$(") || text.contains('`');
    if !text.contains('[') || !is_code(text) {
        return;
    }
    let text = format!(": \"{}\"", text.replace(['"', '\\'], ""));
    let (depth, flow) = (code.depth + 1, Flow::default());
    let via = &append_step(via, Via::Wrapper("[ ]"));
    let (language, wrapper) = (Language::Posix, Some("[ ]"));
    reader.read_code(&Code { text: &text, language, via, depth, flow, wrapper, ..*code });
}

/// Returns the words of a command with its braces expanded, or `None` if it has none (S-69).
fn brace_expanded_words(
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
        if is_braced && !reader.spend_steps(code, 1 + MOST_BRACES * word.source.len() / 256) {
            return None;
        }
        let sources = if is_braced { expand_braces(&word.source) } else { None };
        let Some(sources) = sources else {
            words.push(word.clone());
            continue;
        };
        is_any = true;
        if !reader.spend_steps(code, sources.iter().map(|source| 1 + source.len() / 16).sum()) {
            return None;
        }
        words.extend(
            sources.into_iter().filter(|source| !source.is_empty()).map(parse_expanded_word),
        );
    }
    is_any.then_some(words)
}

/// Parses a word that a brace expansion produced.
fn parse_expanded_word(source: String) -> Word {
    let is_literal = !source.contains(['$', '`']);
    let word = is_literal.then(|| word::parse_word(&source, &[])).flatten();
    word.unwrap_or_else(|| Word::unknown(source))
}

/// Returns the name of a program that is given as a path, or with a Windows extension.
fn program_file_name(program: &Word) -> Option<String> {
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

/// Returns the words of the equivalent program: `git-push` is `git push`, and `hub` runs git's
/// commands.
fn equivalent_program_words(program: &str) -> Option<Vec<&str>> {
    let other = OTHER_NAMES.iter().find(|(name, _)| *name == program);
    let verb = || program.strip_prefix("git-").filter(|verb| !verb.is_empty());
    other.map(|(_, name)| vec![*name]).or_else(|| Some(vec!["git", verb()?]))
}

/// Makes the command that is found one step further.
fn derive_command(command: &SimpleCommand, words: Vec<Word>, step: Via) -> SimpleCommand {
    SimpleCommand { words: words.into(), via: append_step(&command.via, step), ..command.clone() }
}

/// Returns the steps to a command that is found one step further.
fn append_step(via: &[Via], step: Via) -> Arc<[Via]> {
    via.iter().cloned().chain([step]).collect()
}

/// Returns the interpreter that the first line of a script names.
fn shebang_interpreter(text: &str) -> Option<&str> {
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
    /// Returns the commands that a program runs.
    fn commands_run_by_program(&mut self, program: &Word) -> Vec<SimpleCommand> {
        let command = self.command;
        if let Some(name) = program_file_name(program).filter(|name| !name.is_empty()) {
            let step = Via::Path(program.source.clone());
            let mut found = self.read_written_script(program, step.clone());
            let named = [Word::literal(name)].into_iter();
            let words = named.chain(command.words.iter().skip(1).cloned()).collect();
            found.push(derive_command(command, words, step));
            return found;
        }
        if program.kind != WordKind::Literal {
            if let Some(words) = self.computed_program_words(program) {
                let words = words.into_iter().chain(command.words.iter().skip(1).cloned());
                return vec![derive_command(command, words.collect(), Via::Wrapper("$( )"))];
            }
            self.reader.record_doubt(self.code, Doubt::Program { source: program.source.clone() });
            self.read_input_as_code();
            return Vec::new();
        }
        if let Some((name, definition)) = self.reader.aliases.remove_entry(&program.text) {
            let rest = command.words.iter().skip(1).map(|word| word.source.as_str());
            let text = [definition.as_str()].into_iter().chain(rest).collect::<Vec<_>>().join(" ");
            self.read_shell_code(&text, Via::Wrapper("alias"), "alias");
            self.reader.aliases.insert(name, definition);
        }
        if let Some(words) = equivalent_program_words(&program.text) {
            let words = words.into_iter().map(Word::literal);
            let words = words.chain(command.words.iter().skip(1).cloned()).collect();
            return vec![derive_command(command, words, Via::Path(program.source.clone()))];
        }
        let Some(wrapper) = wrapper::find_wrapper(&program.text) else { return Vec::new() };
        let input = command.input.as_deref().filter(|_| !command.input_lacks);
        let all = wrapper.code_run_by_wrapper(&command.words, input).into_iter();
        all.filter_map(|behind| self.read_wrapped_command(wrapper, behind)).collect()
    }

    /// Returns the words of a computed program, if the line contains them.
    fn computed_program_words(&mut self, program: &Word) -> Option<Vec<Word>> {
        let source = program.source.as_str();
        if let Some(name) =
            looked_up_program(source).filter(|_| !may_redefine_program(self.code.text))
        {
            return Some(vec![Word::literal(name)]);
        }
        let cost = 1 + self.code.text.len() / 32 + self.reader.commands.len() / 8;
        let is_set =
            expanded_variable(source).is_some_and(|name| self.reader.is_variable_assigned(name));
        if is_set && self.reader.spend_steps(self.code, cost) {
            let commands = &self.reader.commands;
            let words =
                words_assigned_to_variable(self.code.text, commands, &self.command.via, source);
            if words.is_some() {
                return words;
            }
        }
        self.substitution_words(program)
    }

    /// Returns the words that a substitution prints, if its output is on the line: `$(echo git)
    /// push`.
    fn substitution_words(&mut self, program: &Word) -> Option<Vec<Word>> {
        let bare = program.source.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
        let inner = bare.or_else(|| program.source.strip_prefix('`')?.strip_suffix('`'));
        let inner = inner.filter(|inner| !inner.contains(['(', ')', '`']))?;
        let stream =
            self.reader.substitution_output(self.code, inner).filter(|stream| !stream.lacks)?;
        let words: Vec<Word> = stream.text.split_whitespace().map(Word::literal).collect();
        (!words.is_empty()).then_some(words)
    }

    /// Reads a script that the line itself wrote and runs by its path.
    fn read_written_script(&mut self, program: &Word, step: Via) -> Vec<SimpleCommand> {
        let Some((key, mut stream)) = self.reader.streams.take_file(program) else {
            return Vec::new();
        };
        let other = shebang_interpreter(&stream.text).filter(|name| !wrapper::is_shell_name(name));
        let mut found = Vec::new();
        match other.map(Word::literal) {
            Some(language) => {
                let words = [language].into_iter().chain(self.command.words.iter().cloned());
                let mut command = derive_command(self.command, words.collect(), step);
                (command.input, command.input_lacks) = stream.shared_text_and_gaps();
                found.push(command);
            }
            None => {
                self.read_shell_code(&stream.text, step, "sh");
                if stream.lacks {
                    self.reader.record_doubt(self.code, Doubt::Code { wrapper: "sh" });
                }
            }
        }
        self.reader.streams.put_file_back(key, stream);
        found
    }

    /// Reads what a wrapper runs. Returns it if it is a command; code is read as a separate line,
    /// and what is unknown becomes a doubt.
    fn read_wrapped_command(&mut self, wrapper: &Wrapper, behind: Behind) -> Option<SimpleCommand> {
        let step = Via::Wrapper(wrapper.name);
        let language = behind.code_language();
        // Code that runs itself is read once: its name and its file are defined only after it.
        let (mut defined, mut file) = (None, None);
        let (text, lacks) = match behind {
            // `coproc NAME { ...; }`: the group's name is no program.
            Behind::Command(words) if words.get(1).is_some_and(|word| word.source == "{") => {
                (None, true)
            }
            Behind::Command(mut words) => {
                let group = words.iter().take_while(|word| is_word_before_command(word)).count();
                words.drain(..group);
                return (!words.is_empty()).then(|| derive_command(self.command, words, step));
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
            Behind::Printed(inner) => match self.reader.substitution_output(self.code, &inner) {
                Some(stream) => (Some(stream.text).filter(|text| !text.is_empty()), stream.lacks),
                None => (None, true),
            },
            Behind::Script => {
                self.reader.record_doubt(self.code, Doubt::Script);
                return None;
            }
            Behind::Unknown => (None, true),
        };
        if let Some(text) = &text {
            self.read_code_in_language(language, text, step, wrapper.name);
            self.is_known = true;
        }
        self.reader.aliases.extend(defined);
        if let Some((key, stream)) = file {
            self.reader.streams.put_file_back(key, stream);
        }
        if lacks {
            let doubt = match is_shell_setup(&self.command.words) {
                true => Doubt::Setup,
                false => Doubt::Code { wrapper: wrapper.name },
            };
            self.reader.record_doubt(self.code, doubt);
            if text.is_none() {
                self.read_input_as_code();
            }
        }
        None
    }

    /// Reads the command's input as code, because computed code may come from there: `while read l;
    /// do eval "$l"; done <<E`.
    fn read_input_as_code(&mut self) {
        if let Some(input) = self.command.input.as_deref() {
            self.read_shell_code(input, Via::Wrapper("eval"), "eval");
        }
    }

    /// Reads shell code that the command runs.
    fn read_shell_code(&mut self, text: &str, step: Via, wrapper: &'static str) {
        self.read_code_in_language(Language::Posix, text, step, wrapper);
    }

    fn read_code_in_language(
        &mut self,
        language: Language,
        text: &str,
        step: Via,
        wrapper: &'static str,
    ) {
        let command = self.command;
        let input = command.input.as_deref().filter(|input| *input != text);
        let input = input
            .and_then(|input| self.reader.streams.add_stream_with_text(input, command.input_lacks));
        self.reader.read_code(&Code {
            text,
            language,
            via: &append_step(&command.via, step),
            context: command.context,
            depth: self.code.depth + 1,
            wrapper: Some(wrapper),
            flow: Flow { input, output: self.output },
        });
    }
}
