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
}

impl Shape {
    /// The word for people.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Map => "an object",
            Self::List(_) => "an array",
            Self::Record(kind) => kind.noun(),
        }
    }

    /// Whether a value of this shape can be one of `wanted`.
    pub(super) fn may_be(self, wanted: Self) -> bool {
        match (self, wanted) {
            (Self::Any, _) | (_, Self::Any) | (Self::List(_), Self::List(_)) => true,
            _ => self == wanted,
        }
    }
}

impl Elements {
    pub(super) const fn shape(self) -> Shape {
        match self {
            Self::Any => Shape::Any,
            Self::Text => Shape::Text,
            Self::Record(kind) => Shape::Record(kind),
        }
    }
}

impl Kind {
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Command => "a command",
            Self::Redirect => "a redirection",
            Self::Assignment => "an assignment",
        }
    }

    /// The fields of such a record.
    pub(super) const fn members(self) -> &'static [Name<Member>] {
        match self {
            Self::Command => COMMAND,
            Self::Redirect => REDIRECT,
            Self::Assignment => ASSIGNMENT,
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

const fn name<T>(name: &'static str, is: T, shape: Shape) -> Name<T> {
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
}

impl Field {
    /// Whether it tells an expression what of a line was not read.
    pub(super) const fn is_doubt(self) -> bool {
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
}

const TEXTS: Shape = Shape::List(Elements::Text);
const fn records(kind: Kind) -> Shape {
    Shape::List(Elements::Record(kind))
}

/// Names that stand alone.
pub(super) const ROOTS: &[Name<Field>] = &[
    name("event", Field::Event, Shape::Text),
    name("prompt", Field::Prompt, Shape::Text),
    name("cwd", Field::Cwd, Shape::Text),
    name("project", Field::Project, Shape::Text),
    name("home", Field::Home, Shape::Text),
    name("session", Field::Session, Shape::Text),
    name("agent", Field::Agent, Shape::Text),
    name("mode", Field::Mode, Shape::Text),
    name("payload", Field::Payload, Shape::Map),
];

/// Names behind `host.`
pub(super) const HOST: &[Name<Field>] = &[
    name("agent", Field::HostAgent, Shape::Text),
    name("can", Field::HostCan, TEXTS),
    name("unhooked", Field::HostUnhooked, TEXTS),
];

/// Names behind `tool.`
pub(super) const TOOL: &[Name<Field>] = &[
    name("name", Field::ToolName, Shape::Text),
    name("kind", Field::ToolKind, Shape::Text),
    name("input", Field::ToolInput, Shape::Map),
    name("command", Field::ToolCommand, Shape::Text),
    name("path", Field::ToolPath, Shape::Text),
    name("paths", Field::ToolPaths, TEXTS),
    name("url", Field::ToolUrl, Shape::Text),
    name("text", Field::ToolText, Shape::Text),
    name("server", Field::ToolServer, Shape::Text),
    name("output", Field::ToolOutput, Shape::Text),
];

/// Names behind `shell.`
pub(super) const SHELL: &[Name<Field>] = &[
    name("commands", Field::ShellCommands, records(Kind::Command)),
    name("programs", Field::ShellPrograms, TEXTS),
    name("complete", Field::ShellComplete, Shape::Bool),
    name("doubt", Field::ShellDoubt, Shape::Text),
    name("reads", Field::ShellReads, TEXTS),
    name("writes", Field::ShellWrites, TEXTS),
];

/// Names behind `call.`
pub(super) const CALL: &[Name<Field>] = &[
    name("commands", Field::CallCommands, records(Kind::Command)),
    name("reads", Field::Call(List::Reads), TEXTS),
    name("shows", Field::Call(List::Shows), TEXTS),
    name("writes", Field::Call(List::Writes), TEXTS),
    name("deletes", Field::Call(List::Deletes), TEXTS),
    name("rights", Field::Call(List::Rights), TEXTS),
    name("hosts", Field::Call(List::Hosts), TEXTS),
    name("drops", Field::Call(List::Drops), TEXTS),
    name("leaks", Field::Call(List::Leaks), TEXTS),
    name("sent_variables", Field::Call(List::SentVariables), TEXTS),
    name("code", Field::Call(List::Code), TEXTS),
    name("sql", Field::Call(List::Sql), TEXTS),
    name("look_alikes", Field::Call(List::LookAlikes), TEXTS),
    name("unpinned", Field::Call(List::Unpinned), TEXTS),
    name("indexes", Field::Call(List::Indexes), TEXTS),
    name("strangers", Field::Call(List::Strangers), TEXTS),
    name("guards", Field::Call(List::Guards), TEXTS),
    name("unguarded", Field::Call(List::Unguarded), TEXTS),
    name("disarms", Field::Call(List::Disarms), TEXTS),
];

/// The names that have names behind them.
pub(super) const GROUPS: &[(&str, &[Name<Field>])] =
    &[("host", HOST), ("tool", TOOL), ("shell", SHELL), ("call", CALL)];

const COMMAND: &[Name<Member>] = &[
    name("program", Member::Program, Shape::Text),
    name("args", Member::Args, TEXTS),
    name("words", Member::Words, TEXTS),
    name("operands", Member::Operands, TEXTS),
    name("redirects", Member::Redirects, records(Kind::Redirect)),
    name("assignments", Member::Assignments, records(Kind::Assignment)),
    name("wrapped", Member::Wrapped, Shape::Bool),
    name("via", Member::Via, TEXTS),
    name("place", Member::Place, Shape::Text),
    name("known", Member::Known, Shape::Bool),
    name("text", Member::Text, Shape::Text),
];

const REDIRECT: &[Name<Member>] = &[
    name("op", Member::Op, Shape::Text),
    name("target", Member::Target, Shape::Text),
    name("descriptor", Member::Descriptor, Shape::Text),
];

const ASSIGNMENT: &[Name<Member>] =
    &[name("name", Member::Name, Shape::Text), name("value", Member::Value, Shape::Text)];

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

const fn function(name: &'static str, takes: &'static [Shape], gives: Shape, does: Do) -> Function {
    Function { name, takes, gives, does }
}

const ONE: &[Shape] = &[Shape::Text];
const TWO: &[Shape] = &[Shape::Text, Shape::Text];
const THREE: &[Shape] = &[Shape::Text, Shape::Text, Shape::Text];
const OF_COMMAND: &[Shape] = &[Shape::Record(Kind::Command), Shape::Text];

/// Every function.
pub(super) const FUNCTIONS: &[Function] = &[
    function("size", &[Shape::Any], Shape::Number, Do::Size),
    function("contains", TWO, Shape::Bool, Do::Contains),
    function("startsWith", TWO, Shape::Bool, Do::StartsWith),
    function("endsWith", TWO, Shape::Bool, Do::EndsWith),
    function("matches", TWO, Shape::Bool, Do::Matches),
    function("find", TWO, Shape::Text, Do::Find),
    function("lower", ONE, Shape::Text, Do::Lower),
    function("upper", ONE, Shape::Text, Do::Upper),
    function("trim", ONE, Shape::Text, Do::Trim),
    function("split", TWO, TEXTS, Do::Split),
    function("join", &[Shape::List(Elements::Any), Shape::Text], Shape::Text, Do::Join),
    function("replace", THREE, Shape::Text, Do::Replace),
    function("string", &[Shape::Any], Shape::Text, Do::String),
    function("int", &[Shape::Any], Shape::Number, Do::Int),
    function("basename", ONE, Shape::Text, Do::Basename),
    function("dirname", ONE, Shape::Text, Do::Dirname),
    function("extension", ONE, Shape::Text, Do::Extension),
    function("resolve", ONE, Shape::Text, Do::Resolve),
    function("inside", TWO, Shape::Bool, Do::Inside),
    function("glob", TWO, Shape::Bool, Do::Glob),
    function("is_secret", ONE, Shape::Bool, Do::IsSecret),
    function("carries_secret", ONE, Shape::Bool, Do::CarriesSecret),
    function("is_vital", ONE, Shape::Bool, Do::Place(Place::Vital)),
    function("is_system", ONE, Shape::Bool, Do::Place(Place::System)),
    function("holds_keys", ONE, Shape::Bool, Do::Place(Place::Keys)),
    function("is_env", ONE, Shape::Bool, Do::Place(Place::Env)),
    function("is_startup", ONE, Shape::Bool, Do::Place(Place::Startup)),
    function("is_git_hook", ONE, Shape::Bool, Do::Place(Place::GitHook)),
    function("is_agent_config", ONE, Shape::Bool, Do::Place(Place::AgentConfig)),
    function("is_instructions", ONE, Shape::Bool, Do::Place(Place::Instructions)),
    function("is_editor_task", ONE, Shape::Bool, Do::Place(Place::EditorTask)),
    function("is_disk", ONE, Shape::Bool, Do::Place(Place::Disk)),
    function("flag", OF_COMMAND, Shape::Bool, Do::Flag),
    function("runs", OF_COMMAND, Shape::Bool, Do::Runs),
    function("with", &[Shape::Map, Shape::Map], Shape::Map, Do::With),
];

/// The macros of CEL over lists, and the one over fields.
pub(super) const MACROS: &[&str] = &["exists", "all", "exists_one", "filter", "map", "has"];
