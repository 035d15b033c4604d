//! What an agent runs of a project's files: where they are, where commands stand in them, and
//! whether the agent asks first. Types only; opens no file.

/// A kind of file in a project from which an agent runs commands.
#[derive(Clone, Copy, Debug)]
pub struct RepositoryFile {
    /// Its path in the project: `*` is any text in a name, `**` any folders, and `{a,b}` either.
    pub path: &'static str,
    /// Where the commands stand in it.
    pub commands: Commands,
    /// Whether the agent asks the user before it runs them.
    pub consent: Consent,
}

/// Where the commands stand in a file.
#[derive(Clone, Copy, Debug)]
pub enum Commands {
    /// At these keys of a JSON or TOML file.
    Keys(&'static [CommandKey]),
    /// The hooks at or below this key, in the file or in its front matter.
    Hooks(&'static [&'static str]),
    /// In text between these characters behind `!`, and in fenced blocks with that mark.
    Lines(&'static str, [char; 2]),
    /// The whole file is code that the agent loads or runs.
    Code(&'static str),
}

/// A path of keys to a command, and when the agent runs it.
#[derive(Clone, Copy, Debug)]
pub struct CommandKey {
    /// The path: `*` is any key, and any element of a list.
    pub path: &'static [&'static str],
    /// When the agent runs the command.
    pub when: &'static str,
    /// What must hold of it; the agent runs nothing of another.
    pub condition: Condition,
}

/// What must hold of the node at a path of keys, so that the agent runs it.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// Nothing.
    Always,
    /// No entry that `*` selects on the way has this flag with this value.
    Unless(&'static str, bool),
    /// An entry that `*` selects on the way has this text at these keys.
    If(&'static [&'static str], &'static str),
    /// It is a text that begins with none of these.
    NoPrefix(&'static [&'static str]),
    /// It is a text that begins so.
    Prefix(&'static str),
    /// It is a text with one of these in it.
    Containing(&'static [&'static str]),
    /// It differs from each of these texts.
    NoneOf(&'static [&'static str]),
}

impl CommandKey {
    /// Adds a condition.
    pub(super) const fn given(self, condition: Condition) -> Self {
        Self { condition, ..self }
    }
}

/// Creates the row of a command at a path of keys.
pub(super) const fn key(path: &'static [&'static str], when: &'static str) -> CommandKey {
    CommandKey { path, when, condition: Condition::Always }
}

/// Whether an agent asks the user before it runs what a repository brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// It never asks.
    Unasked,
    /// It does not ask in some versions or modes: in which, as a clause.
    UnaskedIf(&'static str),
    /// It runs them only after this, as a clause.
    Asked(&'static str),
    /// Whether it asks is not known.
    Unknown,
}

impl Consent {
    /// Returns `true` if the agent may run the commands without a question.
    #[must_use]
    pub const fn may_run_unasked(self) -> bool {
        !matches!(self, Self::Asked(_))
    }

    /// Returns the name of this value in output for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unasked => "unasked",
            Self::UnaskedIf(_) => "unasked-if",
            Self::Asked(_) => "asked",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the clause that says in which versions or modes, or after what.
    #[must_use]
    pub const fn condition(self) -> Option<&'static str> {
        match self {
            Self::UnaskedIf(clause) | Self::Asked(clause) => Some(clause),
            Self::Unasked | Self::Unknown => None,
        }
    }
}

impl std::fmt::Display for Consent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unasked => f.write_str("unasked"),
            Self::UnaskedIf(clause) => write!(f, "unasked {clause}"),
            Self::Asked(clause) => write!(f, "only {clause}"),
            Self::Unknown => f.write_str("whether it asks first is not known"),
        }
    }
}

/// Creates the row of a file whose hooks are at or below a key.
pub(super) const fn hook_file(
    path: &'static str,
    key: &'static [&'static str],
    consent: Consent,
) -> RepositoryFile {
    RepositoryFile { path, commands: Commands::Hooks(key), consent }
}

/// Creates the row of a file with commands at some keys.
pub(super) const fn settings_file(
    path: &'static str,
    keys: &'static [CommandKey],
    consent: Consent,
) -> RepositoryFile {
    RepositoryFile { path, commands: Commands::Keys(keys), consent }
}

/// Creates the row of a file that is code, and says when the agent runs it.
pub(super) const fn code_file(
    path: &'static str,
    when: &'static str,
    consent: Consent,
) -> RepositoryFile {
    RepositoryFile { path, commands: Commands::Code(when), consent }
}

/// Creates the row of a text with commands between backticks behind `!`.
pub(super) const fn template_file(
    path: &'static str,
    when: &'static str,
    consent: Consent,
) -> RepositoryFile {
    RepositoryFile { path, commands: Commands::Lines(when, ['`', '`']), consent }
}

/// Creates the row of a text with commands between braces behind `!`.
pub(super) const fn prompt_file(
    path: &'static str,
    when: &'static str,
    consent: Consent,
) -> RepositoryFile {
    RepositoryFile { path, commands: Commands::Lines(when, ['{', '}']), consent }
}

/// The MCP servers in a file with the key `mcpServers`.
pub(super) const MCP_SERVERS: &[CommandKey] = &[key(&["mcpServers", "*"], MCP_START)];

/// The same where an agent does not start a server with `disabled: true`.
pub(super) const MCP_SERVERS_UNLESS_DISABLED: &[CommandKey] =
    &[key(&["mcpServers", "*"], MCP_START).given(DISABLED)];

/// The switch `disabled: true` of an entry.
pub(super) const DISABLED: Condition = Condition::Unless("disabled", true);
/// The switch `enabled: false` of an entry.
pub(super) const ENABLED: Condition = Condition::Unless("enabled", false);

/// When an agent starts the MCP servers that a file names.
pub(super) const MCP_START: &str = "at start, as an MCP server";
