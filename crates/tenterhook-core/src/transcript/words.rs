//! What was told, as the event that hooks would have been asked about: the agents' tools in neutral words. Knows no hook.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::codex::shell_line;
use super::{Agent, Call, Kind, Told, What};
use crate::event::tool::names::{ToolWords, by_own};
use crate::event::{Event, Surroundings};

const fn tool(
    own: &'static [&'static str],
    neutral: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> ToolWords {
    ToolWords { own, neutral, keys }
}

const COPILOT: &[ToolWords] = &[
    tool(&["bash"], "Bash", &[]),
    tool(&["powershell"], "PowerShell", &[]),
    tool(&["create"], "Write", &[("path", "file_path"), ("file_text", "content")]),
    tool(
        &["edit"],
        "Edit",
        &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")],
    ),
    tool(&["view"], "Read", &[("path", "file_path")]),
    tool(&["glob"], "Glob", &[]),
    tool(&["grep"], "Grep", &[]),
    tool(&["web_fetch"], "WebFetch", &[]),
    tool(&["task"], "Agent", &[("agent_type", "subagent_type")]),
];

const GEMINI: &[ToolWords] = &[
    tool(&["run_shell_command"], "Bash", &[]),
    tool(&["write_file"], "Write", &[]),
    tool(&["replace", "edit"], "Edit", &[]),
    tool(&["read_file"], "Read", &[("absolute_path", "file_path"), ("path", "file_path")]),
    tool(&["glob"], "Glob", &[]),
    tool(&["search_file_content", "grep_search"], "Grep", &[]),
    tool(&["web_fetch"], "WebFetch", &[]),
    tool(&["google_web_search", "web_search"], "WebSearch", &[]),
    tool(&["invoke_agent", "agent", "task"], "Agent", &[("agent_name", "subagent_type")]),
];

const OPENCODE: &[ToolWords] = &[
    tool(&["bash"], "Bash", &[]),
    tool(&["write"], "Write", &[("filePath", "file_path")]),
    tool(
        &["edit"],
        "Edit",
        &[
            ("filePath", "file_path"),
            ("oldString", "old_string"),
            ("newString", "new_string"),
            ("replaceAll", "replace_all"),
        ],
    ),
    tool(&["read"], "Read", &[("filePath", "file_path")]),
    tool(&["glob"], "Glob", &[]),
    tool(&["grep"], "Grep", &[]),
    tool(&["webfetch"], "WebFetch", &[]),
    tool(&["websearch"], "WebSearch", &[]),
    tool(&["task"], "Agent", &[]),
];

impl Agent {
    const fn words(self) -> &'static [ToolWords] {
        match self {
            Self::Claude | Self::Codex | Self::Tenterhook => &[],
            Self::Copilot => COPILOT,
            Self::Gemini | Self::Qwen => GEMINI,
            Self::OpenCode => OPENCODE,
        }
    }
}

impl Call<'_> {
    /// The tool and its input in neutral words, as hooks of this agent know them.
    #[must_use]
    pub fn neutral(&self, agent: Agent) -> (String, Value) {
        let input: Value =
            serde_json::from_str(&self.input).unwrap_or_else(|_| Value::from(&*self.input));
        if agent == Agent::Codex {
            return codex(&self.tool, input);
        }
        if let Some(words) = by_own(agent.words(), &self.tool) {
            return (words.neutral.to_owned(), words.neutral_input(&input));
        }
        (other(agent, &self.tool), input)
    }
}

/// A tool that stands in no table: one of an MCP server has the neutral name of such tools.
fn other(agent: Agent, tool: &str) -> String {
    match agent {
        // Which part is the server is not told; the first word is what it is called by default.
        Agent::Gemini => match tool
            .strip_prefix("mcp_")
            .filter(|rest| !rest.starts_with('_'))
            .and_then(|rest| rest.split_once('_'))
        {
            Some((server, tool)) => format!("mcp__{server}__{tool}"),
            None => tool.to_owned(),
        },
        _ => tool.to_owned(),
    }
}

/// Codex hands its hooks the command alone.
fn codex(tool: &str, input: Value) -> (String, Value) {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let words =
        || -> Option<Vec<String>> { serde_json::from_value(input.get("command")?.clone()).ok() };
    let command = match tool {
        "exec_command" => text("cmd").map(str::to_owned),
        "shell" | "local_shell" => words().map(|argv| shell_line(&argv)),
        "shell_command" => text("command").map(str::to_owned),
        _ => None,
    };
    match command {
        Some(command) => ("Bash".to_owned(), json!({ "command": command })),
        None => (tool.to_owned(), input),
    }
}

/// What of an event no transcript tells.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The user's home.
    pub home: PathBuf,
    /// Where the agent worked, where the transcript does not say.
    pub cwd: PathBuf,
    /// The transcript.
    pub transcript: Option<PathBuf>,
}

impl Told<'_> {
    /// The event about which hooks would have been asked, where there is one: a prompt, a tool call, the end of a turn.
    #[must_use]
    pub fn event(&self, agent: Agent, around: &Around) -> Option<Event> {
        let event = |name: &str| Event::new(name, self.surroundings(around));
        match &self.what {
            What::Prompt(text) => Some(event("UserPromptSubmit").with("prompt", &**text)),
            What::Call(call) if call.kind != Kind::Script => {
                let (tool, input) = call.neutral(agent);
                let event = event("PreToolUse").with("tool_name", tool).with("tool_input", input);
                Some(event.with("tool_use_id", &*call.id))
            }
            What::Stop => {
                Some(event(if self.subagent.is_some() { "SubagentStop" } else { "Stop" }))
            }
            _ => None,
        }
    }

    fn surroundings(&self, around: &Around) -> Surroundings {
        let cwd =
            self.cwd.as_deref().map_or_else(|| around.cwd.clone(), |cwd| Path::new(cwd).to_owned());
        let mut within = Surroundings {
            session_id: self.session.as_deref().unwrap_or_default().to_owned(),
            project: cwd.clone(),
            cwd,
            home: around.home.clone(),
            transcript: around.transcript.clone(),
            ..Surroundings::default()
        };
        let facts: [(&str, &Option<Arc<str>>); 2] =
            [("permission_mode", &self.mode), ("agent_id", &self.subagent)];
        for (key, value) in facts {
            if let Some(value) = value {
                within.facts.insert(key.to_owned(), (&**value).into());
            }
        }
        within
    }
}
