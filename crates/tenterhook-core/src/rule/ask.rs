//! The value of a name of the vocabulary: The event's names, and the fields of the shell reader's records.

use tenterhook_shell::{Context, Redirect, SimpleCommand, Target, Via, WordKind};

use super::RuleInput;
use super::cases::ByProgram;
use super::eval::{ELEMENT, Stop};
use super::functions;
use super::history::PastCall;
use super::value::{List, Map, Record, Value};
use super::vocabulary::{Field, Member};
use crate::call;

/// Returns the value of a field of the event; a field that the event lacks is empty (RU-11).
pub(super) fn field_value(rule_input: &RuleInput, field: Field) -> Value<'_> {
    let within = &rule_input.event().within;
    match field {
        Field::Event => rule_input.event().name.as_str().into(),
        Field::Prompt => rule_input.payload_field_or_fact("prompt").into(),
        Field::Cwd => within.cwd.to_string_lossy().into(),
        Field::Project => within.project.to_string_lossy().into(),
        Field::Home => within.home.to_string_lossy().into(),
        Field::Session => within.session_id.as_str().into(),
        Field::Agent => rule_input.payload_field_or_fact("agent_type").into(),
        Field::Mode => rule_input.payload_field_or_fact("permission_mode").into(),
        Field::Payload => Value::Map(Map::Json(&rule_input.event().payload)),
        Field::HostAgent => calling_agent(rule_input).into(),
        Field::HostCan => list_about_calling_agent(rule_input, "can"),
        Field::HostUnhooked => list_about_calling_agent(rule_input, "unhooked"),
        Field::Usage(name) => rule_input.usage_number(name).map_or(Value::Int(0), Value::from),
        Field::ToolName => rule_input.tool_call().map_or("", |tool| tool.name).into(),
        Field::ToolKind => rule_input.tool_call().map_or("", |tool| tool.tool().as_str()).into(),
        Field::ToolInput => match rule_input.tool_call().map(|tool| tool.input) {
            Some(serde_json::Value::Object(input)) => Value::Map(Map::Json(input)),
            _ => Value::Map(Map::Made(Vec::new().into())),
        },
        Field::ToolCommand => rule_input.shell_line().into(),
        Field::ToolPath => rule_input.first_path_of_call().into(),
        Field::ToolPaths => rule_input.paths_named_by_call().map(Value::from).collect(),
        Field::ToolUrl => rule_input.url_of_call().into(),
        Field::ToolText => rule_input.text_call_would_write().into(),
        Field::ToolServer => rule_input.mcp_server_name().into(),
        Field::ToolOutput => rule_input.tool_response_text().into(),
        Field::ToolFailed => Value::Bool(rule_input.has_tool_failed()),
        Field::SessionCalls => Value::List(List::PastCalls(rule_input.calls_of_session())),
        Field::SessionWrites => written_files(rule_input),
        Field::ShellCommands => Value::List(List::Commands(rule_input.line_commands())),
        Field::ShellPrograms => rule_input
            .line_commands()
            .iter()
            .filter_map(SimpleCommand::program_name)
            .map(Value::from)
            .collect(),
        Field::ShellComplete => Value::Bool(rule_input.is_line_fully_parsed()),
        Field::ShellDoubt => rule_input.line_doubt_message().into(),
        Field::CallCommands => Value::List(List::Commands(&rule_input.footprint().commands)),
        Field::Call(list) => rule_input
            .footprint()
            .entries_of_list(list)
            .iter()
            .map(|text| text.as_str().into())
            .collect(),
        Field::ShellReads => {
            rule_input.redirected_files(true).into_iter().map(Value::from).collect()
        }
        Field::ShellWrites => {
            rule_input.redirected_files(false).into_iter().map(Value::from).collect()
        }
    }
}

fn calling_agent(rule_input: &RuleInput) -> &str {
    let agent = rule_input.fact_about_calling_agent("agent");
    agent.and_then(serde_json::Value::as_str).unwrap_or_default()
}

fn written_files(rule_input: &RuleInput) -> Value<'_> {
    rule_input.files_written_by_session().map(Value::from).collect()
}

fn list_about_calling_agent<'a>(rule_input: &'a RuleInput, key: &str) -> Value<'a> {
    rule_input.fact_list_about_calling_agent(key).map(Value::from).collect()
}

/// Computes everything that the field needs. Callers run this before they read the value (RU-37).
pub(super) fn prepare_field(
    rule_input: &RuleInput,
    field: Field,
    go_on: &dyn Fn() -> bool,
) -> Result<(), Stop> {
    match field {
        Field::ToolCommand => rule_input.check_command_is_readable(),
        Field::Call(list) if list.is_about_guards() && !rule_input.may_concern_guard() => Ok(()),
        Field::Call(_) | Field::CallCommands => rule_input.compute_footprint_once(go_on),
        Field::ShellCommands
        | Field::ShellPrograms
        | Field::ShellComplete
        | Field::ShellDoubt
        | Field::ShellReads
        | Field::ShellWrites => rule_input.parse_line_once(go_on),
        Field::SessionCalls => rule_input.check_calls_are_readable(),
        Field::SessionWrites => rule_input.check_past_writes_are_readable(),
        _ => Ok(()),
    }
}

/// Returns true if the list may lack elements because the line cannot be read whole. Not for fields
/// about the doubt itself (`call.code`) or lists about an agent's guard (RU-40).
pub(super) fn is_list_field_incomplete(rule_input: &RuleInput, field: Field) -> bool {
    match field {
        Field::ShellCommands | Field::ShellPrograms | Field::ShellReads | Field::ShellWrites => {
            !rule_input.hides_no_commands()
        }
        Field::CallCommands => !rule_input.is_footprint_complete(),
        Field::SessionWrites => rule_input.past_writes().lacks_some,
        Field::Call(list) => {
            list != call::List::Code
                && !list.is_about_guards()
                && !rule_input.is_footprint_complete()
        }
        _ => false,
    }
}

/// Returns the commands of a field, and their index by program.
pub(super) fn commands_and_program_index(
    rule_input: &RuleInput,
    field: Field,
) -> Option<(&[SimpleCommand], &ByProgram)> {
    let (commands, sorted) = match field {
        Field::ShellCommands => (rule_input.line_commands(), &rule_input.shell_programs),
        Field::CallCommands => {
            (rule_input.footprint().commands.as_slice(), &rule_input.call_programs)
        }
        _ => return None,
    };
    Some((commands, sorted.get_or_init(|| ByProgram::new(commands))))
}

/// Returns the cost in steps of building the value of a field. A value that exists already costs
/// nothing.
pub(super) fn field_cost(rule_input: &RuleInput, field: Field) -> usize {
    match field {
        Field::ToolPath | Field::ToolPaths => rule_input.count_path_candidates() * ELEMENT,
        Field::HostCan => rule_input.fact_list_about_calling_agent("can").count() * ELEMENT,
        Field::HostUnhooked => {
            rule_input.fact_list_about_calling_agent("unhooked").count() * ELEMENT
        }
        Field::ShellPrograms => rule_input.line_commands().len() * ELEMENT,
        Field::ShellReads | Field::ShellWrites => rule_input.count_redirects() * ELEMENT,
        Field::Call(list) => rule_input.footprint().entries_of_list(list).len() * ELEMENT,
        Field::SessionWrites => rule_input.past_writes().paths.len() * ELEMENT * 4,
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
        | Field::Usage(_)
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
        | Field::ToolFailed
        | Field::SessionCalls
        | Field::CallCommands => 0,
    }
}

/// Returns the cost in steps of building the value of a record's member.
pub(super) fn member_cost(record: Record<'_>, member: Member) -> usize {
    let command = match record {
        Record::Command(command) => command,
        Record::PastCall(call) if member == Member::Programs => {
            return call.programs.len() * ELEMENT;
        }
        _ => return 0,
    };
    match member {
        Member::Operands | Member::Known => command.words.len(),
        Member::Text => command.words.iter().map(|word| 1 + word.text.len() / 16).sum(),
        _ => 0,
    }
}

/// Returns the value of a record's member.
pub(super) fn member_value(record: Record<'_>, member: Member) -> Value<'_> {
    match record {
        Record::Command(command) => command_member_value(command, member),
        Record::Redirect(redirect) => redirect_member_value(redirect, member),
        Record::PastCall(call) => past_call_member_value(call, member),
        Record::Assignment(assignment) => match member {
            Member::Name => assignment.name.as_str().into(),
            Member::Value => assignment.value.text.as_str().into(),
            _ => Value::Null,
        },
    }
}

fn past_call_member_value(call: &PastCall, member: Member) -> Value<'_> {
    match member {
        Member::Tool => (&call.tool).into(),
        Member::ToolKind => (&call.kind).into(),
        Member::Programs => call.programs.iter().map(Value::from).collect(),
        Member::Ended => call.ended.label().into(),
        _ => Value::Null,
    }
}

fn command_member_value(command: &SimpleCommand, member: Member) -> Value<'_> {
    match member {
        Member::Program => command.program_name().unwrap_or_default().into(),
        Member::Args => Value::List(List::Words(command.words.get(1..).unwrap_or_default())),
        Member::Words => Value::List(List::Words(&command.words)),
        Member::Operands => functions::command_operands(command).map(Value::from).collect(),
        Member::Redirects => Value::List(List::Redirects(&command.redirects)),
        Member::Assignments => Value::List(List::Assignments(&command.assignments)),
        Member::Wrapped => Value::Bool(!command.via.is_empty()),
        Member::Via => {
            command.via.iter().map(|v| Value::from(name_of_wrapper_step(v).to_owned())).collect()
        }
        Member::Place => context_name(command.context).into(),
        Member::Known => {
            Value::Bool(command.words.iter().all(|word| word.kind == WordKind::Literal))
        }
        Member::Text => command.unquoted_text().into(),
        _ => Value::Null,
    }
}

/// Returns the name of the step by which a command was found: its wrapper, its equivalent or its
/// path.
fn name_of_wrapper_step(via: &Via) -> &str {
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

fn redirect_member_value(redirect: &Redirect, member: Member) -> Value<'_> {
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
