//! Recognizes hook files of agents whose hook files Tenterhook does not read, by their path and their events. Reads no
//! hook.

use std::path::Path;

use super::DialectId;
use crate::agents::{AGENTS, Agent};
use crate::syntax::Node;

/// Returns the agent of a hook file, if the file certainly is in a format that Tenterhook does not read.
#[must_use]
pub fn foreign_agent_of_file(path: &Path, root: Option<&Node>) -> Option<&'static Agent> {
    foreign_agents().find(|agent| {
        foreign_hook_files(agent).any(|file| path.ends_with(file))
            || root.is_some_and(|root| has_foreign_events(root, agent))
    })
}

/// Iterates over the agents whose hook files Tenterhook does not read.
pub fn foreign_agents() -> impl Iterator<Item = &'static Agent> {
    let is_foreign = |agent: &&'static Agent| DialectId::from_name(agent.name).is_none();
    AGENTS.iter().copied().filter(is_foreign)
}

/// Iterates over the hook files of such an agent, relative to a project.
pub fn foreign_hook_files(agent: &'static Agent) -> impl Iterator<Item = &'static str> {
    let is_hook_file = |file: &&str| file.starts_with('.') && file.ends_with("/hooks.json");
    agent.guarded.files.iter().copied().filter(is_hook_file)
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
    use std::path::Path;

    use super::foreign_agent_of_file;
    use crate::syntax::{self, Format};

    /// C-139: a file of an agent without a dialect is recognized by its path or by its events.
    #[test]
    fn file_of_an_agent_without_a_dialect_is_recognized() {
        for (path, text, expected) in [
            ("/p/.cursor/hooks.json", "{}", None),
            ("/p/.windsurf/hooks.json", "{}", None),
            ("/p/.kiro/hooks/x.json", "{", None),
            ("/p/.factory/hooks.json", r#"{"PreToolUse": []}"#, None),
            ("/p/x.json", r#"{"hooks": {"agentSpawn": []}}"#, Some("kiro")),
            ("/p/x.json", r#"{"hooks": {"preToolUse": []}}"#, None),
            ("/p/x.json", r#"{"hooks": {"PreToolUse": [], "pre_run_command": []}}"#, None),
            ("/p/.claude/settings.json", r#"{"hooks": {"PreToolUse": []}}"#, None),
            ("/p/.codex/hooks.json", "{}", None),
        ] {
            let root = syntax::parse_by_format(text, Format::Json).root;
            let agent = foreign_agent_of_file(Path::new(path), root.as_ref());
            assert_eq!(agent.map(|agent| agent.name), expected, "{path} {text}");
        }
    }
}
