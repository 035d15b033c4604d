//! Every name that a rule can use, in tables: the public language of rules (RU-10 to RU-16).

use crate::call::List;
use crate::call::path_kind::Kind as Place;

/// What the value of a name or an expression is known to be before it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing is known.
    Any,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A text.
    Text,
    /// An object.
    Map,
    /// A list.
    List(Elements),
    /// A record of the shell reader.
    Record(Kind),
}

/// What the elements of a list are known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    /// Nothing is known.
    Any,
    /// Texts.
    Text,
    /// Records.
    Record(Kind),
}

/// The records of the shell reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A simple command.
    Command,
    /// A redirection.
    Redirect,
    /// A leading assignment.
    Assignment,
    /// An earlier call of the session.
    PastCall,
}

impl Shape {
    /// Returns the word for people.
    pub(super) const fn kind_name(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Map => "an object",
            Self::List(_) => "an array",
            Self::Record(kind) => kind.kind_name(),
        }
    }

    /// Returns true if a value of this shape can have the shape `wanted`.
    pub(super) fn is_compatible_with(self, wanted: Self) -> bool {
        match (self, wanted) {
            (Self::Any, _) | (_, Self::Any) | (Self::List(_), Self::List(_)) => true,
            _ => self == wanted,
        }
    }
}

impl Elements {
    pub(super) const fn element_shape(self) -> Shape {
        match self {
            Self::Any => Shape::Any,
            Self::Text => Shape::Text,
            Self::Record(kind) => Shape::Record(kind),
        }
    }
}

impl Kind {
    pub(super) const fn kind_name(self) -> &'static str {
        match self {
            Self::Command => "a command",
            Self::Redirect => "a redirection",
            Self::Assignment => "an assignment",
            Self::PastCall => "a call",
        }
    }

    /// Returns the fields of such a record.
    pub(super) const fn record_members(self) -> &'static [Name<Member>] {
        match self {
            Self::Command => COMMAND,
            Self::Redirect => REDIRECT,
            Self::Assignment => ASSIGNMENT,
            Self::PastCall => PAST_CALL,
        }
    }
}

/// One name and what it stands for.
#[derive(Debug)]
pub(super) struct Name<T> {
    pub(super) name: &'static str,
    pub(super) is: T,
    pub(super) shape: Shape,
}

const fn new_name<T>(name: &'static str, is: T, shape: Shape) -> Name<T> {
    Name { name, is, shape }
}

/// What a rule can ask of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Event,
    Prompt,
    Cwd,
    Project,
    Home,
    Session,
    Agent,
    Mode,
    Payload,
    HostAgent,
    HostCan,
    HostUnhooked,
    /// A number of `usage`, by its name.
    Usage(&'static str),
    ToolName,
    ToolKind,
    ToolInput,
    ToolCommand,
    ToolPath,
    ToolPaths,
    ToolUrl,
    ToolText,
    ToolServer,
    ToolOutput,
    ShellCommands,
    ShellPrograms,
    ShellComplete,
    ShellDoubt,
    ShellReads,
    ShellWrites,
    Call(List),
    CallCommands,
    SessionCalls,
    SessionWrites,
    ToolFailed,
}

impl Field {
    /// Returns true if the field tells an expression which part of a line was not read.
    pub(super) const fn is_about_unread_parts(self) -> bool {
        matches!(self, Self::ShellComplete | Self::ShellDoubt | Self::Call(List::Code))
    }
}

/// What a rule can ask of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Program,
    Args,
    Words,
    Operands,
    Redirects,
    Assignments,
    Wrapped,
    Via,
    Place,
    Known,
    Text,
    Op,
    Target,
    Descriptor,
    Name,
    Value,
    Tool,
    ToolKind,
    Programs,
    Ended,
}

const TEXTS: Shape = Shape::List(Elements::Text);
const fn record_list_shape(kind: Kind) -> Shape {
    Shape::List(Elements::Record(kind))
}

/// Names that stand alone.
pub(super) const ROOTS: &[Name<Field>] = &[
    new_name("event", Field::Event, Shape::Text),
    new_name("prompt", Field::Prompt, Shape::Text),
    new_name("cwd", Field::Cwd, Shape::Text),
    new_name("project", Field::Project, Shape::Text),
    new_name("home", Field::Home, Shape::Text),
    new_name("session", Field::Session, Shape::Text),
    new_name("agent", Field::Agent, Shape::Text),
    new_name("mode", Field::Mode, Shape::Text),
    new_name("payload", Field::Payload, Shape::Map),
];

/// Names behind `host.`
pub(super) const HOST: &[Name<Field>] = &[
    new_name("agent", Field::HostAgent, Shape::Text),
    new_name("can", Field::HostCan, TEXTS),
    new_name("unhooked", Field::HostUnhooked, TEXTS),
];

/// Names behind `usage.`
pub(super) const USAGE: &[Name<Field>] = &[
    new_name("output_tokens", Field::Usage("output_tokens"), Shape::Number),
    new_name("context_tokens", Field::Usage("context_tokens"), Shape::Number),
    new_name("context_share", Field::Usage("context_share"), Shape::Number),
];

/// Names behind `tool.`
pub(super) const TOOL: &[Name<Field>] = &[
    new_name("name", Field::ToolName, Shape::Text),
    new_name("kind", Field::ToolKind, Shape::Text),
    new_name("input", Field::ToolInput, Shape::Map),
    new_name("command", Field::ToolCommand, Shape::Text),
    new_name("path", Field::ToolPath, Shape::Text),
    new_name("paths", Field::ToolPaths, TEXTS),
    new_name("url", Field::ToolUrl, Shape::Text),
    new_name("text", Field::ToolText, Shape::Text),
    new_name("server", Field::ToolServer, Shape::Text),
    new_name("output", Field::ToolOutput, Shape::Text),
    new_name("failed", Field::ToolFailed, Shape::Bool),
];

/// Names behind `shell.`
pub(super) const SHELL: &[Name<Field>] = &[
    new_name("commands", Field::ShellCommands, record_list_shape(Kind::Command)),
    new_name("programs", Field::ShellPrograms, TEXTS),
    new_name("complete", Field::ShellComplete, Shape::Bool),
    new_name("doubt", Field::ShellDoubt, Shape::Text),
    new_name("reads", Field::ShellReads, TEXTS),
    new_name("writes", Field::ShellWrites, TEXTS),
];

/// Names behind `call.`
pub(super) const CALL: &[Name<Field>] = &[
    new_name("commands", Field::CallCommands, record_list_shape(Kind::Command)),
    new_name("reads", Field::Call(List::Reads), TEXTS),
    new_name("shows", Field::Call(List::Shows), TEXTS),
    new_name("writes", Field::Call(List::Writes), TEXTS),
    new_name("deletes", Field::Call(List::Deletes), TEXTS),
    new_name("rights", Field::Call(List::Rights), TEXTS),
    new_name("hosts", Field::Call(List::Hosts), TEXTS),
    new_name("drops", Field::Call(List::Drops), TEXTS),
    new_name("leaks", Field::Call(List::Leaks), TEXTS),
    new_name("sent_variables", Field::Call(List::SentVariables), TEXTS),
    new_name("code", Field::Call(List::Code), TEXTS),
    new_name("sql", Field::Call(List::Sql), TEXTS),
    new_name("look_alikes", Field::Call(List::LookAlikes), TEXTS),
    new_name("unpinned", Field::Call(List::Unpinned), TEXTS),
    new_name("indexes", Field::Call(List::Indexes), TEXTS),
    new_name("strangers", Field::Call(List::Strangers), TEXTS),
    new_name("guards", Field::Call(List::Guards), TEXTS),
    new_name("unguarded", Field::Call(List::Unguarded), TEXTS),
    new_name("disarms", Field::Call(List::Disarms), TEXTS),
];

/// Names behind `session.`; without one, `session` is the session's id.
pub(super) const SESSION: &[Name<Field>] = &[
    new_name("calls", Field::SessionCalls, record_list_shape(Kind::PastCall)),
    new_name("writes", Field::SessionWrites, TEXTS),
];

/// The names that have names behind them.
pub(super) const GROUPS: &[(&str, &[Name<Field>])] = &[
    ("host", HOST),
    ("usage", USAGE),
    ("tool", TOOL),
    ("shell", SHELL),
    ("call", CALL),
    ("session", SESSION),
];

const COMMAND: &[Name<Member>] = &[
    new_name("program", Member::Program, Shape::Text),
    new_name("args", Member::Args, TEXTS),
    new_name("words", Member::Words, TEXTS),
    new_name("operands", Member::Operands, TEXTS),
    new_name("redirects", Member::Redirects, record_list_shape(Kind::Redirect)),
    new_name("assignments", Member::Assignments, record_list_shape(Kind::Assignment)),
    new_name("wrapped", Member::Wrapped, Shape::Bool),
    new_name("via", Member::Via, TEXTS),
    new_name("place", Member::Place, Shape::Text),
    new_name("known", Member::Known, Shape::Bool),
    new_name("text", Member::Text, Shape::Text),
];

const REDIRECT: &[Name<Member>] = &[
    new_name("op", Member::Op, Shape::Text),
    new_name("target", Member::Target, Shape::Text),
    new_name("descriptor", Member::Descriptor, Shape::Text),
];

const ASSIGNMENT: &[Name<Member>] =
    &[new_name("name", Member::Name, Shape::Text), new_name("value", Member::Value, Shape::Text)];

const PAST_CALL: &[Name<Member>] = &[
    new_name("tool", Member::Tool, Shape::Text),
    new_name("kind", Member::ToolKind, Shape::Text),
    new_name("programs", Member::Programs, TEXTS),
    new_name("ended", Member::Ended, Shape::Text),
];

/// What a question to the session asks for (SS-10, SS-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionQuestion {
    Seen,
    Count,
    Last,
    Wrote,
}

/// One question to the session: `session.seen("a label")`.
#[derive(Debug)]
pub(super) struct SessionFunction {
    pub(super) name: &'static str,
    pub(super) takes: Shape,
    pub(super) gives: Shape,
    pub(super) asks: SessionQuestion,
}

/// Every question to the session.
pub(super) const SESSION_FUNCTIONS: &[SessionFunction] = &[
    SessionFunction {
        name: "seen",
        takes: Shape::Text,
        gives: Shape::Bool,
        asks: SessionQuestion::Seen,
    },
    SessionFunction {
        name: "count",
        takes: Shape::Text,
        gives: Shape::Number,
        asks: SessionQuestion::Count,
    },
    SessionFunction {
        name: "last",
        takes: Shape::Number,
        gives: record_list_shape(Kind::PastCall),
        asks: SessionQuestion::Last,
    },
    SessionFunction {
        name: "wrote",
        takes: Shape::Text,
        gives: Shape::Bool,
        asks: SessionQuestion::Wrote,
    },
];

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Do {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    Find,
    Lower,
    Upper,
    Trim,
    Split,
    Join,
    Replace,
    String,
    Int,
    Basename,
    Dirname,
    Extension,
    Resolve,
    Inside,
    Glob,
    IsSecret,
    CarriesSecret,
    Place(Place),
    Flag,
    Runs,
    With,
}

/// One function: `f(x, y)` and `x.f(y)` are the same (RU-15).
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) takes: &'static [Shape],
    pub(super) gives: Shape,
    pub(super) does: Do,
}

const fn new_function(
    name: &'static str,
    takes: &'static [Shape],
    gives: Shape,
    does: Do,
) -> Function {
    Function { name, takes, gives, does }
}

const ONE: &[Shape] = &[Shape::Text];
const TWO: &[Shape] = &[Shape::Text, Shape::Text];
const THREE: &[Shape] = &[Shape::Text, Shape::Text, Shape::Text];
const OF_COMMAND: &[Shape] = &[Shape::Record(Kind::Command), Shape::Text];

/// Every function.
pub(super) const FUNCTIONS: &[Function] = &[
    new_function("size", &[Shape::Any], Shape::Number, Do::Size),
    new_function("contains", TWO, Shape::Bool, Do::Contains),
    new_function("startsWith", TWO, Shape::Bool, Do::StartsWith),
    new_function("endsWith", TWO, Shape::Bool, Do::EndsWith),
    new_function("matches", TWO, Shape::Bool, Do::Matches),
    new_function("find", TWO, Shape::Text, Do::Find),
    new_function("lower", ONE, Shape::Text, Do::Lower),
    new_function("upper", ONE, Shape::Text, Do::Upper),
    new_function("trim", ONE, Shape::Text, Do::Trim),
    new_function("split", TWO, TEXTS, Do::Split),
    new_function("join", &[Shape::List(Elements::Any), Shape::Text], Shape::Text, Do::Join),
    new_function("replace", THREE, Shape::Text, Do::Replace),
    new_function("string", &[Shape::Any], Shape::Text, Do::String),
    new_function("int", &[Shape::Any], Shape::Number, Do::Int),
    new_function("basename", ONE, Shape::Text, Do::Basename),
    new_function("dirname", ONE, Shape::Text, Do::Dirname),
    new_function("extension", ONE, Shape::Text, Do::Extension),
    new_function("resolve", ONE, Shape::Text, Do::Resolve),
    new_function("inside", TWO, Shape::Bool, Do::Inside),
    new_function("glob", TWO, Shape::Bool, Do::Glob),
    new_function("is_secret", ONE, Shape::Bool, Do::IsSecret),
    new_function("carries_secret", ONE, Shape::Bool, Do::CarriesSecret),
    new_function("is_vital", ONE, Shape::Bool, Do::Place(Place::Vital)),
    new_function("is_system", ONE, Shape::Bool, Do::Place(Place::System)),
    new_function("holds_keys", ONE, Shape::Bool, Do::Place(Place::Keys)),
    new_function("is_env", ONE, Shape::Bool, Do::Place(Place::Env)),
    new_function("is_startup", ONE, Shape::Bool, Do::Place(Place::Startup)),
    new_function("is_git_hook", ONE, Shape::Bool, Do::Place(Place::GitHook)),
    new_function("is_agent_config", ONE, Shape::Bool, Do::Place(Place::AgentConfig)),
    new_function("is_instructions", ONE, Shape::Bool, Do::Place(Place::Instructions)),
    new_function("is_editor_task", ONE, Shape::Bool, Do::Place(Place::EditorTask)),
    new_function("is_disk", ONE, Shape::Bool, Do::Place(Place::Disk)),
    new_function("flag", OF_COMMAND, Shape::Bool, Do::Flag),
    new_function("runs", OF_COMMAND, Shape::Bool, Do::Runs),
    new_function("with", &[Shape::Map, Shape::Map], Shape::Map, Do::With),
];

/// The macros of CEL over lists, and the one over fields.
pub(super) const MACROS: &[&str] =
    &["exists", "all", "exists_one", "filter", "map", "count", "has"];
