//! The value of a name of the vocabulary: The event's names, and the fields of the shell reader's records.

use tenterhook_shell::{Context, Redirect, SimpleCommand, Target, Via, WordKind};

use super::RuleInput;
use super::cases::ByProgram;
use super::eval::{ELEMENT, Stop};
use super::functions;
use super::value::{List, Map, Record, Value};
use super::vocabulary::{Field, Member};
use crate::call;

/// What the event says under that name; what it does not say is empty (RU-11).
pub(super) fn field(rule_input: &RuleInput, field: Field) -> Value<'_> {
    let within = &rule_input.event().within;
    match field {
        Field::Event => rule_input.event().name.as_str().into(),
        Field::Prompt => rule_input.fact("prompt").into(),
        Field::Cwd => within.cwd.to_string_lossy().into(),
        Field::Project => within.project.to_string_lossy().into(),
        Field::Home => within.home.to_string_lossy().into(),
        Field::Session => within.session_id.as_str().into(),
        Field::Agent => rule_input.fact("agent_type").into(),
        Field::Mode => rule_input.fact("permission_mode").into(),
        Field::Payload => Value::Map(Map::Json(&rule_input.event().payload)),
        Field::HostAgent => {
            rule_input.host("agent").and_then(serde_json::Value::as_str).unwrap_or_default().into()
        }
        Field::HostCan => rule_input.host_words("can").map(Value::from).collect(),
        Field::HostUnhooked => rule_input.host_words("unhooked").map(Value::from).collect(),
        Field::ToolName => rule_input.tool().map_or("", |tool| tool.name).into(),
        Field::ToolKind => rule_input.tool().map_or("", |tool| tool.tool().as_str()).into(),
        Field::ToolInput => match rule_input.tool().map(|tool| tool.input) {
            Some(serde_json::Value::Object(input)) => Value::Map(Map::Json(input)),
            _ => Value::Map(Map::Made(Vec::new().into())),
        },
        Field::ToolCommand => rule_input.command().into(),
        Field::ToolPath => rule_input.first_path().into(),
        Field::ToolPaths => rule_input.paths().map(Value::from).collect(),
        Field::ToolUrl => rule_input.url().into(),
        Field::ToolText => rule_input.text().into(),
        Field::ToolServer => rule_input.server().into(),
        Field::ToolOutput => rule_input.output().into(),
        Field::ShellCommands => Value::List(List::Commands(rule_input.commands())),
        Field::ShellPrograms => rule_input
            .commands()
            .iter()
            .filter_map(SimpleCommand::program)
            .map(Value::from)
            .collect(),
        Field::ShellComplete => Value::Bool(rule_input.is_complete()),
        Field::ShellDoubt => rule_input.doubt().into(),
        Field::CallCommands => Value::List(List::Commands(&rule_input.footprint().commands)),
        Field::Call(list) => {
            rule_input.footprint().list(list).iter().map(|text| text.as_str().into()).collect()
        }
        Field::ShellReads => rule_input.redirected(true).into_iter().map(Value::from).collect(),
        Field::ShellWrites => rule_input.redirected(false).into_iter().map(Value::from).collect(),
    }
}

/// Has everything worked out that the name asks for; a caller runs this before it asks for a value (RU-37).
pub(super) fn prepare(
    rule_input: &RuleInput,
    field: Field,
    go_on: &dyn Fn() -> bool,
) -> Result<(), Stop> {
    match field {
        Field::ToolCommand => rule_input.know_command(),
        Field::Call(list) if list.is_of_guard() && !rule_input.may_concern_guard() => Ok(()),
        Field::Call(_) | Field::CallCommands => rule_input.work_out(go_on),
        Field::ShellCommands
        | Field::ShellPrograms
        | Field::ShellComplete
        | Field::ShellDoubt
        | Field::ShellReads
        | Field::ShellWrites => rule_input.read_line(go_on),
        _ => Ok(()),
    }
}

/// Whether the list under that name may lack elements, because the line cannot be read whole. What names doubt itself
/// (`call.code`), and the lists about an agent's guard, are as they are (RU-40).
pub(super) fn is_incomplete(rule_input: &RuleInput, field: Field) -> bool {
    match field {
        Field::ShellCommands | Field::ShellPrograms | Field::ShellReads | Field::ShellWrites => {
            !rule_input.is_whole()
        }
        Field::CallCommands => !rule_input.is_followed(),
        Field::Call(list) => {
            list != call::List::Code && !list.is_of_guard() && !rule_input.is_followed()
        }
        _ => false,
    }
}

/// The commands that a name stands for, and the same by their programs.
pub(super) fn by_program(
    rule_input: &RuleInput,
    field: Field,
) -> Option<(&[SimpleCommand], &ByProgram)> {
    let (commands, sorted) = match field {
        Field::ShellCommands => (rule_input.commands(), &rule_input.shell_programs),
        Field::CallCommands => {
            (rule_input.footprint().commands.as_slice(), &rule_input.call_programs)
        }
        _ => return None,
    };
    Some((commands, sorted.get_or_init(|| ByProgram::new(commands))))
}

/// What it costs to put that together, in steps; what is only handed on costs nothing.
pub(super) fn field_cost(rule_input: &RuleInput, field: Field) -> usize {
    match field {
        Field::ToolPath | Field::ToolPaths => rule_input.listed_paths() * ELEMENT,
        Field::HostCan => rule_input.host_words("can").count() * ELEMENT,
        Field::HostUnhooked => rule_input.host_words("unhooked").count() * ELEMENT,
        Field::ShellPrograms => rule_input.commands().len() * ELEMENT,
        Field::ShellReads | Field::ShellWrites => rule_input.redirects() * ELEMENT,
        Field::Call(list) => rule_input.footprint().list(list).len() * ELEMENT,
        Field::Event
        | Field::Prompt
        | Field::Cwd
        | Field::Project
        | Field::Home
        | Field::Session
        | Field::Agent
        | Field::Mode
        | Field::Payload
        | Field::HostAgent
        | Field::ToolName
        | Field::ToolKind
        | Field::ToolInput
        | Field::ToolCommand
        | Field::ToolUrl
        | Field::ToolText
        | Field::ToolServer
        | Field::ToolOutput
        | Field::ShellCommands
        | Field::ShellComplete
        | Field::ShellDoubt
        | Field::CallCommands => 0,
    }
}

/// The same for a field of a record.
pub(super) fn member_cost(record: Record<'_>, member: Member) -> usize {
    let Record::Command(command) = record else { return 0 };
    match member {
        Member::Operands | Member::Known => command.words.len(),
        Member::Text => command.words.iter().map(|word| 1 + word.text.len() / 16).sum(),
        _ => 0,
    }
}

/// A field of a record.
pub(super) fn member(record: Record<'_>, member: Member) -> Value<'_> {
    match record {
        Record::Command(command) => of_command(command, member),
        Record::Redirect(redirect) => of_redirect(redirect, member),
        Record::Assignment(assignment) => match member {
            Member::Name => assignment.name.as_str().into(),
            Member::Value => assignment.value.text.as_str().into(),
            _ => Value::Null,
        },
    }
}

fn of_command(command: &SimpleCommand, member: Member) -> Value<'_> {
    match member {
        Member::Program => command.program().unwrap_or_default().into(),
        Member::Args => Value::List(List::Words(command.words.get(1..).unwrap_or_default())),
        Member::Words => Value::List(List::Words(&command.words)),
        Member::Operands => functions::operands(command).map(Value::from).collect(),
        Member::Redirects => Value::List(List::Redirects(&command.redirects)),
        Member::Assignments => Value::List(List::Assignments(&command.assignments)),
        Member::Wrapped => Value::Bool(!command.via.is_empty()),
        Member::Via => command.via.iter().map(|v| Value::from(via(v).to_owned())).collect(),
        Member::Place => context_name(command.context).into(),
        Member::Known => {
            Value::Bool(command.words.iter().all(|word| word.kind == WordKind::Literal))
        }
        Member::Text => command.text().into(),
        _ => Value::Null,
    }
}

fn via(via: &Via) -> &str {
    match via {
        Via::Wrapper(name) | Via::Equivalent(name) => name,
        Via::Path(path) => path,
    }
}

const fn context_name(context: Context) -> &'static str {
    match context {
        Context::TopLevel => "line",
        Context::Pipeline => "pipeline",
        Context::List => "list",
        Context::Subshell => "subshell",
        Context::BraceGroup => "group",
        Context::Body => "body",
        Context::Function => "function",
        Context::CommandSubstitution => "substitution",
        Context::ProcessSubstitution => "process",
        Context::Test => "test",
    }
}

fn of_redirect(redirect: &Redirect, member: Member) -> Value<'_> {
    match member {
        Member::Op => redirect.operator.as_str().into(),
        Member::Descriptor => redirect.descriptor.as_deref().unwrap_or_default().into(),
        Member::Target => match &redirect.target {
            Target::Word(word) => word.text.as_str().into(),
            Target::HereDocument { body, .. } => body.as_str().into(),
            Target::Closed => "".into(),
        },
        _ => Value::Null,
    }
}
