//! Names of tools of MCP servers, by the pattern of each agent: `mcp__SERVER__TOOL` and the like.

/// The neutral pattern, which most agents have.
pub(in crate::dialect) const NEUTRAL: &str = "mcp__SERVER__TOOL";

/// The name of a tool of a server, or the beginning of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) struct ServerTool<'a> {
    /// The server; `None` for an agent that does not name it.
    server: Option<&'a str>,
    /// The tool; `None` if the text ends before it.
    tool: Option<&'a str>,
}

/// A pattern in its parts.
struct Pattern {
    /// The text before the first name.
    before: &'static str,
    /// The text between server and tool; `None` if no server is named.
    between: Option<&'static str>,
}

fn parts(pattern: &'static str) -> Pattern {
    match pattern.split_once("SERVER") {
        Some((before, rest)) => Pattern { before, between: rest.strip_suffix("TOOL") },
        None => Pattern { before: pattern.strip_suffix("TOOL").unwrap_or(pattern), between: None },
    }
}

/// Returns how each name of a pattern begins.
pub(in crate::dialect) fn beginning(pattern: &'static str) -> &'static str {
    parts(pattern).before
}

/// Reads a name, or the beginning of one, by the pattern of an agent.
pub(in crate::dialect) fn parse_name<'a>(
    pattern: &'static str,
    text: &'a str,
) -> Option<ServerTool<'a>> {
    let Pattern { before, between } = parts(pattern);
    let rest = text.strip_prefix(before)?;
    let Some(between) = between else {
        return Some(ServerTool { server: None, tool: Some(rest).filter(|tool| !tool.is_empty()) });
    };
    match rest.split_once(between) {
        Some((server, tool)) if !server.is_empty() => {
            Some(ServerTool { server: Some(server), tool: Some(tool) })
        }
        // Without a beginning, each name might be that of a server.
        None if !before.is_empty() => {
            Some(ServerTool { server: Some(rest).filter(|rest| !rest.is_empty()), tool: None })
        }
        _ => None,
    }
}

/// Returns the neutral name of a tool of a server that an agent calls by its pattern.
pub(in crate::dialect) fn neutral_name(pattern: &'static str, own: &str) -> Option<String> {
    let tool = parse_name(pattern, own).filter(|_| !own.starts_with(beginning(NEUTRAL)))?;
    let is_whole = tool.server.is_some() && tool.tool.is_some_and(|tool| !tool.is_empty());
    is_whole.then(|| tool.expression(NEUTRAL).0)
}

/// Returns the name of a tool of a server by the pattern of an agent; `None` if the name is not
/// neutral, or the same.
pub(in crate::dialect) fn own_name(pattern: &'static str, neutral: &str) -> Option<String> {
    let tool = parse_name(NEUTRAL, neutral).filter(|tool| tool.tool.is_some())?;
    (pattern != NEUTRAL).then(|| tool.expression(pattern).0)
}

impl ServerTool<'_> {
    /// Any tool of any server.
    pub(in crate::dialect) const ANY: Self = ServerTool { server: None, tool: None };

    /// Returns the name by the pattern of another agent, as a part of a regular expression, and
    /// whether it matches the tools of more servers.
    pub(in crate::dialect) fn expression(self, pattern: &'static str) -> (String, bool) {
        let Pattern { before, between } = parts(pattern);
        let Some(between) = between else {
            return (format!("{before}{}", self.tool.unwrap_or_default()), self.server.is_some());
        };
        let text = match (self.server, self.tool) {
            (Some(server), Some(tool)) => format!("{before}{server}{between}{tool}"),
            (Some(server), None) => format!("{before}{server}"),
            (None, Some(tool)) => format!("{before}.+{between}{tool}"),
            (None, None) if before.is_empty() => format!(".+{between}"),
            (None, None) => before.to_owned(),
        };
        (text, false)
    }

    /// Returns a whole name by a pattern: that of any tool if the text names none.
    pub(in crate::dialect) fn sample(self, pattern: &'static str) -> String {
        let tool = self.tool.filter(|tool| !tool.is_empty()).unwrap_or("TOOL");
        let sample = ServerTool { server: Some(self.server.unwrap_or("SERVER")), tool: Some(tool) };
        sample.expression(pattern).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_server_tool_is_translated() {
        for (from, text, to, expected, is_wider) in [
            (NEUTRAL, "mcp__github__create", "mcp_SERVER_TOOL", "mcp_github_create", false),
            (NEUTRAL, "mcp__github__", "mcp_SERVER_TOOL", "mcp_github_", false),
            (NEUTRAL, "mcp__github", "mcp_SERVER_TOOL", "mcp_github", false),
            (NEUTRAL, "mcp__", "mcp_SERVER_TOOL", "mcp_", false),
            (NEUTRAL, "mcp__", "SERVER___TOOL", ".+___", false),
            (NEUTRAL, "mcp__github__create", "MCP:TOOL", "MCP:create", true),
            ("MCP:TOOL", "MCP:create", NEUTRAL, "mcp__.+__create", false),
            ("MCP:TOOL", "MCP:", NEUTRAL, "mcp__", false),
            ("SERVER-TOOL", "github-create", NEUTRAL, "mcp__github__create", false),
        ] {
            let name = parse_name(from, text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(name.expression(to), (expected.to_owned(), is_wider), "{text} to {to}");
        }
        assert_eq!(parse_name("SERVER___TOOL", "Execute"), None);
        assert_eq!(parse_name(NEUTRAL, "Bash"), None);
    }
}
