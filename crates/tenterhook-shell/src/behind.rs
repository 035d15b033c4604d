//! What stands behind a command's wrapper?
//!
//! `wrapper` says how each wrapper is written; this lists what it finds, and what stands behind that in turn.

use std::sync::Arc;

use super::command::is_leading;
use super::read::{Code, Reader};
use super::setup::is_setup;
use super::word::{Word, WordKind};
use super::wrapper::{self, Behind, Wrapper};
use super::{Assignment, Doubt, Expands, MOST_WRAPPERS, SimpleCommand, Target, Via};

/// Lists a command and everything behind its wrappers (S-31).
pub(super) fn follow(reader: &mut Reader, code: &Code<'_>, command: SimpleCommand) {
    let mut queue = vec![command];
    while let Some(command) = queue.pop() {
        if !reader.pay(code, command.size()) {
            return;
        }
        reader.commands.push(command.clone());
        if let Some(variable) = command.assignments.iter().find_map(computed_start) {
            reader.doubt(code, Doubt::Code { wrapper: variable });
        }
        let Some(program) = command.words.first() else { continue };
        if command.via.len() < MOST_WRAPPERS {
            queue.extend(look_behind(reader, code, &command, program).into_iter().rev());
        } else if program.is_dynamic() || wrapper::find(&program.text).is_some() {
            reader.doubt(code, Doubt::TooDeep);
        }
    }
}

/// Variables that name or hold what a shell runs when it starts or prompts.
const STARTED: &[&str] = &["BASH_ENV", "ENV", "PROMPT_COMMAND"];

/// `BASH_ENV=<(...)`: the start of a shell that another program writes.
fn computed_start(assignment: &Assignment) -> Option<&'static str> {
    let name = STARTED.iter().find(|name| **name == assignment.name)?;
    let source = assignment.value.source.as_str();
    source.contains(['(', '`']).then_some(*name)
}

/// One step behind a command's program.
fn look_behind(
    reader: &mut Reader,
    code: &Code<'_>,
    command: &SimpleCommand,
    program: &Word,
) -> Vec<SimpleCommand> {
    if let Some(name) = file_name(program).filter(|name| !name.is_empty()) {
        let mut words = command.words.to_vec();
        if let Some(first) = words.first_mut() {
            *first = Word::literal(name);
        }
        return vec![derived(command, words, Via::Path(program.source.clone()))];
    }
    if program.kind != WordKind::Literal {
        reader.doubt(code, Doubt::Program { source: program.source.clone() });
        return Vec::new();
    }
    let Some(wrapper) = wrapper::find(&program.text) else { return Vec::new() };
    let all = wrapper.behind(&command.words).into_iter();
    all.filter_map(|behind| one_behind(reader, code, command, wrapper, behind)).collect()
}

/// The name of a program that is named by a path.
fn file_name(program: &Word) -> Option<String> {
    match program.kind {
        WordKind::Literal => program.text.rsplit_once('/').map(|(_, name)| name.to_owned()),
        _ => program.file_name.clone(),
    }
}

/// The command that is found one step behind another.
fn derived(command: &SimpleCommand, words: Vec<Word>, step: Via) -> SimpleCommand {
    SimpleCommand { words: words.into(), via: one_more(&command.via, step), ..command.clone() }
}

/// The way to what is found one step behind.
fn one_more(via: &[Via], step: Via) -> Arc<[Via]> {
    via.iter().cloned().chain([step]).collect()
}

/// A command that stands behind a wrapper; code is read as a line of its own, and what cannot be known is a doubt.
fn one_behind(
    reader: &mut Reader,
    code: &Code<'_>,
    command: &SimpleCommand,
    wrapper: &Wrapper,
    behind: Behind,
) -> Option<SimpleCommand> {
    let step = Via::Wrapper(wrapper.name);
    let inner = match behind {
        // `coproc NAME { ...; }`: the group's name is no program.
        Behind::Command(words) if words.get(1).is_some_and(|word| word.source == "{") => None,
        Behind::Command(mut words) => {
            let group = words.iter().take_while(|word| is_leading(word)).count();
            words.drain(..group);
            return (!words.is_empty()).then(|| derived(command, words, step));
        }
        Behind::Code(text) => Some(text),
        Behind::Input => input(command),
        Behind::Unknown => None,
    };
    match inner {
        Some(text) => reader.code(&Code {
            text: &text,
            via: &one_more(&command.via, step),
            context: command.context,
            depth: code.depth + 1,
            wrapper: Some(wrapper.name),
        }),
        None if is_setup(&command.words) => reader.doubt(code, Doubt::Setup),
        None => reader.doubt(code, Doubt::Code { wrapper: wrapper.name }),
    }
    None
}

/// The code that a shell reads from its standard input, where the line holds it.
fn input(command: &SimpleCommand) -> Option<String> {
    command.redirects.iter().rev().find_map(|redirect| match &redirect.target {
        Target::Word(word) if redirect.operator == "<<<" && word.kind == WordKind::Literal => {
            Some(word.text.clone())
        }
        Target::HereDocument { body, expands: Expands::No } => Some(body.clone()),
        Target::HereDocument { body, expands: Expands::Yes }
            if !body.contains(['$', '`', '\\']) =>
        {
            Some(body.clone())
        }
        _ => None,
    })
}
