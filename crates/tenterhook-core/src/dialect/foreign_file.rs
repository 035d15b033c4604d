//! Recognizes hook files of agents whose hook files Tenterhook does not read, by their events. Reads no hook.

use super::DialectId;
use crate::agents::{AGENTS, Agent};
use crate::syntax::Node;

/// Returns the agent of a hook file, if its events show that no dialect reads the file.
#[must_use]
pub fn foreign_agent_of_file(root: Option<&Node>) -> Option<&'static Agent> {
    let mut foreign =
        AGENTS.iter().copied().filter(|agent| DialectId::from_name(agent.name).is_none());
    foreign.find(|agent| root.is_some_and(|root| has_foreign_events(root, agent)))
}

/// Returns `true` if `hooks` has an event of the agent, and none that begins like those of Claude Code and of agents
/// that took over its format.
fn has_foreign_events(root: &Node, agent: &Agent) -> bool {
    let Some(events) = root.get("hooks").map(Node::entries) else { return false };
    let is_claude_like = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    events.iter().any(|event| agent.foreign_events.contains(&event.key.as_str()))
        && !events.iter().any(|event| is_claude_like(&event.key))
}

#[cfg(test)]
mod tests {
    use super::foreign_agent_of_file;
    use crate::syntax::{self, Format};

    /// C-139: a file of an agent without a dialect is recognized by its events.
    #[test]
    fn file_of_an_agent_without_a_dialect_is_recognized() {
        for (text, expected) in [
            (r#"{"hooks": {"agentSpawn": []}}"#, Some("kiro")),
            (r#"{"hooks": {"preToolUse": []}}"#, None),
            (r#"{"hooks": {"PreToolUse": [], "agentSpawn": []}}"#, None),
            (r#"{"hooks": {"PreToolUse": []}}"#, None),
            (r#"{"agentSpawn": []}"#, None),
        ] {
            let root = syntax::parse_by_format(text, Format::Json).root;
            let agent = foreign_agent_of_file(root.as_ref());
            assert_eq!(agent.map(|agent| agent.name), expected, "{text}");
        }
    }
}
