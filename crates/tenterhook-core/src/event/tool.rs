//! Which tool a call is for, in neutral words. Pure data: dialects map their names and keys onto these.

pub(crate) mod command;
pub mod effect;
#[cfg(feature = "rule")]
pub(crate) mod encoded;
pub(crate) mod names;

use serde_json::Value;

/// What a tool does, whatever an agent calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Runs a shell command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes part of a file.
    Edit,
    /// Finds files or text.
    Search,
    /// Fetches a URL.
    Fetch,
    /// Starts a subagent.
    Agent,
    /// A tool of an MCP server.
    Mcp,
    /// Anything else.
    Other,
}

/// Neutral tool of each neutral tool name. Claude Code's spelling is the neutral one; `mcp__` names are recognized by prefix.
const TOOLS: &[(&str, Tool)] = &[
    ("Bash", Tool::Shell),
    ("PowerShell", Tool::Shell),
    ("Read", Tool::Read),
    ("Write", Tool::Write),
    ("Edit", Tool::Edit),
    ("MultiEdit", Tool::Edit),
    ("NotebookEdit", Tool::Edit),
    ("Glob", Tool::Search),
    ("Grep", Tool::Search),
    ("WebSearch", Tool::Search),
    ("WebFetch", Tool::Fetch),
    ("Agent", Tool::Agent),
    ("Task", Tool::Agent),
];

/// A tool call as an event carries it; the input is the agent's own, untouched.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The tool's neutral name.
    pub name: &'a str,
    /// The arguments; `null` when the event carries none.
    pub input: &'a Value,
}

impl ToolCall<'_> {
    /// Returns what the tool does.
    #[must_use]
    pub fn tool(&self) -> Tool {
        if self.name.starts_with("mcp__") {
            return Tool::Mcp;
        }
        TOOLS.iter().find(|(name, _)| *name == self.name).map_or(Tool::Other, |(_, tool)| *tool)
    }
}

impl Tool {
    /// Returns the name of the kind of tool, as native events write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Search => "search",
            Self::Fetch => "fetch",
            Self::Agent => "agent",
            Self::Mcp => "mcp",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-5.
    #[test]
    fn a_name_tells_what_its_tool_does() {
        let tool = |name| ToolCall { name, input: &Value::Null }.tool();
        assert_eq!(tool("Bash"), Tool::Shell);
        assert_eq!(tool("MultiEdit"), Tool::Edit);
        assert_eq!(tool("mcp__db__query"), Tool::Mcp);
        assert_eq!(tool("bash"), Tool::Other);
        assert_eq!(tool("Invented"), Tool::Other);
    }
}
