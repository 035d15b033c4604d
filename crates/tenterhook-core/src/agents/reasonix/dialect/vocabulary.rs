//! The words of Reasonix: its tools and their inputs, the fields of its payloads, what others call the fields of its entries. Tables only.

use crate::dialect::tools::ToolWords;

const PATH: (&str, &str) = ("path", "file_path");

/// Its tools (RX-8). `bash` is what later versions call `run_command`.
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

/// The text of a tool's result, and the result as the tool gave it, where that is more than a text (RX-7).
pub(super) const RESULT: &str = "toolResult";
pub(super) const STRUCTURE: &str = "toolResponse";

/// Fields of a payload and the neutral fields, where they are not the same name in another style (RX-7).
pub(super) const FIELDS: &[(&str, &str)] = &[
    ("toolCallId", "tool_use_id"),
    ("toolArgs", "tool_input"),
    (RESULT, "tool_response"),
    ("lastAssistantText", "last_assistant_message"),
];

/// The fields that come first, in the order in which the agent writes them.
pub(super) const ORDER: &[&str] =
    &["toolName", "toolArgs", RESULT, STRUCTURE, "prompt", "lastAssistantText", "turn"];

/// Under this fact an event keeps the tool's name as its agent told it, where that is not the name that hooks are told
/// by default.
pub(super) const TOLD_TOOL: &str = "reasonix_tool";

/// What other agents, and slips of the pen, call a field of an entry, and what to do about it.
pub(super) const FOREIGN_FIELDS: &[(&str, &str)] = &[
    ("timeoutms", "write `timeout`, in milliseconds"),
    ("timeoutsec", "write `timeout`, in milliseconds"),
    ("workingdirectory", "write `cwd`"),
    ("workdir", "write `cwd`"),
    ("type", "every hook of Reasonix is a command: remove it"),
    ("if", "Reasonix has no conditions: test in the program"),
    ("once", "Reasonix knows no hook that runs once: keep a marker file in the program"),
];
