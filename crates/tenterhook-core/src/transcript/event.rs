//! Turns a record into the event that hooks would have received, with neutral tool names.
//! Knows no hook.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::codex::command_line_text;
use super::{Action, Call, Ended, Kind, TranscriptAgent, TranscriptRecord};
use crate::dialect::{self, Dialect, Roots};
use crate::event::tool::names::{ToolWords, find_tool_by_own_name};
use crate::event::{Event, EventName, Surroundings};

const fn new_tool_words(
    own: &'static [&'static str],
    neutral: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> ToolWords {
    ToolWords { own, neutral, keys }
}

const COPILOT: &[ToolWords] = &[
    new_tool_words(&["bash"], "Bash", &[]),
    new_tool_words(&["powershell"], "PowerShell", &[]),
    new_tool_words(&["create"], "Write", &[("path", "file_path"), ("file_text", "content")]),
    new_tool_words(
        &["edit"],
        "Edit",
        &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")],
    ),
    new_tool_words(&["view"], "Read", &[("path", "file_path")]),
    new_tool_words(&["glob"], "Glob", &[]),
    new_tool_words(&["grep"], "Grep", &[]),
    new_tool_words(&["web_fetch"], "WebFetch", &[]),
    new_tool_words(&["task"], "Agent", &[("agent_type", "subagent_type")]),
];

const GEMINI: &[ToolWords] = &[
    new_tool_words(&["run_shell_command"], "Bash", &[]),
    new_tool_words(&["write_file"], "Write", &[]),
    new_tool_words(&["replace", "edit"], "Edit", &[]),
    new_tool_words(
        &["read_file"],
        "Read",
        &[("absolute_path", "file_path"), ("path", "file_path")],
    ),
    new_tool_words(&["glob"], "Glob", &[]),
    new_tool_words(&["search_file_content", "grep_search"], "Grep", &[]),
    new_tool_words(&["web_fetch"], "WebFetch", &[]),
    new_tool_words(&["google_web_search", "web_search"], "WebSearch", &[]),
    new_tool_words(&["invoke_agent", "agent", "task"], "Agent", &[("agent_name", "subagent_type")]),
];

impl TranscriptAgent {
    const fn tool_words_table(self) -> &'static [ToolWords] {
        match self {
            Self::Copilot => COPILOT,
            Self::Gemini | Self::Qwen => GEMINI,
            _ => &[],
        }
    }

    /// Returns the dialect that reads a call, if its payloads name tools and inputs as records do.
    const fn dialect_of_calls(self) -> Option<&'static Dialect> {
        match self {
            Self::OpenCode => Some(&dialect::opencode::OPENCODE),
            Self::Kilo => Some(&dialect::kilo::KILO),
            Self::Droid => Some(&dialect::droid::DROID),
            Self::Pi => Some(&dialect::pi::PI),
            Self::OpenClaw => Some(&dialect::openclaw::OPENCLAW),
            Self::Vibe => Some(&dialect::vibe::VIBE),
            Self::Hermes => Some(&dialect::hermes::HERMES),
            _ => None,
        }
    }
}

impl Call<'_> {
    /// Returns the neutral name of the tool and its neutral input, as hooks of this agent receive
    /// them.
    #[must_use]
    pub fn to_neutral(&self, agent: TranscriptAgent) -> (String, Value) {
        let input: Value =
            serde_json::from_str(&self.input).unwrap_or_else(|_| Value::from(&*self.input));
        if agent == TranscriptAgent::Codex {
            return neutral_codex_call(&self.tool, input);
        }
        if let Some(names) = find_tool_by_own_name(agent.tool_words_table(), &self.tool) {
            return (names.neutral.to_owned(), names.to_neutral_input(&input));
        }
        if let Some(dialect) = agent.dialect_of_calls() {
            return neutral_call_of_dialect(dialect, &self.tool, input);
        }
        (neutral_name_of_unlisted_tool(agent, &self.tool), input)
    }
}

/// Returns the neutral name and input of a call, as the dialect reads them from a hook's payload.
fn neutral_call_of_dialect(dialect: &Dialect, tool: &str, input: Value) -> (String, Value) {
    let mut payload = Map::new();
    payload.insert("hook_event_name".to_owned(), "PreToolUse".into());
    payload.insert("tool_name".to_owned(), tool.into());
    payload.insert("tool_input".to_owned(), input.clone());
    let Ok(mut event) = dialect.decode_event(&payload, &Roots::default()) else {
        return (tool.to_owned(), input);
    };
    let name = event.text("tool_name").unwrap_or(tool).to_owned();
    (name, event.payload.shift_remove("tool_input").unwrap_or(input))
}

/// The neutral name of a tool that no table lists, e.g. a tool of an MCP server.
fn neutral_name_of_unlisted_tool(agent: TranscriptAgent, tool: &str) -> String {
    match agent {
        // The name does not show where the server's name ends: by default it is the first part.
        TranscriptAgent::Gemini => match tool
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

/// Returns the neutral name and input of a Codex tool. Codex passes only the command to its hooks.
fn neutral_codex_call(tool: &str, input: Value) -> (String, Value) {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let arguments =
        || -> Option<Vec<String>> { serde_json::from_value(input.get("command")?.clone()).ok() };
    let command = match tool {
        "exec_command" => text("cmd").map(str::to_owned),
        "shell" | "local_shell" => arguments().map(|argv| command_line_text(&argv)),
        "shell_command" => text("command").map(str::to_owned),
        _ => None,
    };
    match command {
        Some(command) => ("Bash".to_owned(), json!({ "command": command })),
        None => (tool.to_owned(), input),
    }
}

/// The values of an event that no transcript records.
#[derive(Clone, Debug, Default)]
pub struct EventContext {
    /// The user's home directory.
    pub home: PathBuf,
    /// The working directory, if the transcript does not record one.
    pub cwd: PathBuf,
    /// The path of the transcript.
    pub transcript: Option<PathBuf>,
}

impl TranscriptRecord<'_> {
    /// Returns the event that hooks would have received for a prompt, a tool call or the end of a
    /// turn.
    #[must_use]
    pub fn event(&self, agent: TranscriptAgent, context: &EventContext) -> Option<Event> {
        let event = |name: &str| Event::new(name, self.to_surroundings(context));
        match &self.action {
            Action::Prompt(text) => Some(event("UserPromptSubmit").with("prompt", &**text)),
            Action::Call(call) if call.kind != Kind::Script => {
                let (tool, input) = call.to_neutral(agent);
                let event = event("PreToolUse").with("tool_name", tool).with("tool_input", input);
                Some(event.with("tool_use_id", &*call.id))
            }
            Action::Stop => {
                Some(event(if self.subagent.is_some() { "SubagentStop" } else { "Stop" }))
            }
            _ => None,
        }
    }

    /// Returns the event after the call `called`, of which this record is the result. It has no
    /// output. `None` for other records, and for a call that did not run.
    #[must_use]
    pub fn event_after_call(&self, called: &Event) -> Option<Event> {
        let Action::Result { ended, .. } = &self.action else { return None };
        let name = match ended {
            Ended::Ran => "PostToolUse",
            Ended::Failed => "PostToolUseFailure",
            Ended::Refused => return None,
        };
        Some(Event { name: EventName::new(name), ..called.clone() })
    }

    fn to_surroundings(&self, context: &EventContext) -> Surroundings {
        let cwd = self
            .cwd
            .as_deref()
            .map_or_else(|| context.cwd.clone(), |cwd| Path::new(cwd).to_owned());
        let mut surroundings = Surroundings {
            session_id: self.session.as_deref().unwrap_or_default().to_owned(),
            project: cwd.clone(),
            cwd,
            home: context.home.clone(),
            transcript: context.transcript.clone(),
            ..Surroundings::default()
        };
        let facts: [(&str, &Option<Arc<str>>); 2] =
            [("permission_mode", &self.mode), ("agent_id", &self.subagent)];
        for (key, value) in facts {
            if let Some(value) = value {
                surroundings.facts.insert(key.to_owned(), (&**value).into());
            }
        }
        surroundings
    }
}
