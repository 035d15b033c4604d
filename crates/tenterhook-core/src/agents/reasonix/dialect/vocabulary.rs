//! The vocabulary of Reasonix: its tools and their inputs, its payload fields, and the names that
//! other agents use for the fields of an entry. Tables only.

use crate::dialect::tools::ToolWords;

const PATH: (&str, &str) = ("path", "file_path");

/// The tools (RX-8). Later versions call `run_command` `bash`.
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash", "run_command", "run_background"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["write_file"], neutral: "Write", keys: &[PATH] },
    ToolWords { own: &["edit_file"], neutral: "Edit", keys: &[PATH, ("search", "old_string"), ("replace", "new_string")] },
    ToolWords { own: &["multi_edit"], neutral: "MultiEdit", keys: &[PATH] },
    ToolWords { own: &["glob", "search_files"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep", "search_content"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["task", "spawn_subagent"], neutral: "Agent", keys: &[] },
];

/// The fields of a tool's result: its text, and the result itself if it is not only a text (RX-7).
pub(super) const RESULT: &str = "toolResult";
pub(super) const STRUCTURE: &str = "toolResponse";

/// Payload fields and their neutral fields, if they differ in more than the case style (RX-7).
pub(super) const FIELDS: &[(&str, &str)] = &[
    ("toolCallId", "tool_use_id"),
    ("toolArgs", "tool_input"),
    (RESULT, "tool_response"),
    ("lastAssistantText", "last_assistant_message"),
];

/// The fields that the agent writes first, in its order.
pub(super) const ORDER: &[&str] =
    &["toolName", "toolArgs", RESULT, STRUCTURE, "prompt", "lastAssistantText", "turn"];

/// The fact that stores the tool name of the agent, if it differs from the name that hooks receive
/// by default.
pub(super) const AGENT_TOOL: &str = "reasonix_tool";

/// Names that other agents, or typing errors, give a field of an entry, and what to write instead.
pub(super) const FOREIGN_FIELDS: &[(&str, &str)] = &[
    ("timeoutms", "write `timeout`, in milliseconds"),
    ("timeoutsec", "write `timeout`, in milliseconds"),
    ("workingdirectory", "write `cwd`"),
    ("workdir", "write `cwd`"),
    ("type", "every hook of Reasonix is a command: remove it"),
    ("if", "Reasonix has no conditions: test in the program"),
    ("once", "Reasonix knows no hook that runs once: keep a marker file in the program"),
];
