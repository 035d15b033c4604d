//! The names of the agent's tools, and the category of each in conditions. Tables, and lookups in
//! them.

use serde_json::Value;

pub(super) use crate::dialect::tools::OWN_NAME;
use crate::dialect::tools::{self, ToolWords};
use crate::event::Event;

/// The agent's tools that other agents have too. Older names follow the current one, because
/// configs still use them.
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash", "exec_shell", "Bash", "Run", "run"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["task_shell_start"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read", "read_file"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["write", "write_file"], neutral: "Write", keys: &[("path", "file_path")] },
    ToolWords { own: &["edit", "edit_file"], neutral: "Edit", keys: &[("path", "file_path"), ("search", "old_string"), ("replace", "new_string")] },
    ToolWords { own: &["grep_files"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["file_search"], neutral: "Glob", keys: &[("query", "pattern")] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["fetch_url"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["todo_write", "checklist_write"], neutral: "TodoWrite", keys: &[] },
    ToolWords { own: &["agent", "agent_open"], neutral: "Agent", keys: &[] },
];

/// A category of tools in conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    Shell,
    FileWrite,
    Safe,
    Other,
}

impl Category {
    /// Every category with its name.
    pub(super) const ALL: &'static [(&'static str, Self)] = &[
        ("shell", Self::Shell),
        ("file_write", Self::FileWrite),
        ("safe", Self::Safe),
        ("other", Self::Other),
    ];
}

/// The category of each tool, by its neutral name, or by the agent's name if it has no neutral one.
const CATEGORIES: &[(&str, Category)] = &[
    ("Bash", Category::Shell),
    ("PowerShell", Category::Shell),
    ("Read", Category::Safe),
    ("Glob", Category::Safe),
    ("Grep", Category::Safe),
    ("TodoWrite", Category::Safe),
    ("list_dir", Category::Safe),
    ("Write", Category::FileWrite),
    ("Edit", Category::FileWrite),
    ("MultiEdit", Category::FileWrite),
    ("NotebookEdit", Category::FileWrite),
    ("apply_patch", Category::FileWrite),
    ("patch_file", Category::FileWrite),
];

/// The actions of the tool `Git` that change nothing.
const GIT_READS: &[&str] = &["status", "diff", "log", "show", "blame"];

/// The row of the tool of `event`, by the agent's name if the event stores it.
fn tool_row(event: &Event) -> Option<&'static ToolWords> {
    let neutral = event.text("tool_name")?;
    let own = event.text(OWN_NAME).and_then(|own| tools::find_tool_by_own_name(TOOLS, own));
    own.filter(|tool| tool.neutral == neutral)
        .or_else(|| tools::find_tool_by_neutral_name(TOOLS, neutral))
}

/// The tool name that hooks receive.
pub(super) fn tool_name_for_hooks(event: &Event) -> Option<&str> {
    let neutral = event.text("tool_name")?;
    let own = event.text(OWN_NAME).filter(|own| {
        tools::find_tool_by_own_name(TOOLS, own).is_some_and(|tool| tool.neutral == neutral)
    });
    own.or_else(|| tool_row(event)?.own.first().copied()).or(Some(neutral))
}

/// Every name of the tool that a condition may use: those of all versions, and the neutral one
/// (CW-32).
pub(super) fn tool_names_for_conditions(event: &Event) -> Vec<String> {
    let Some(neutral) = event.text("tool_name") else { return Vec::new() };
    let mut names = vec![neutral.to_owned()];
    names.extend(
        tool_row(event).into_iter().flat_map(|entry| entry.own).map(|&text| text.to_owned()),
    );
    // The names of MCP tools have one underscore or two, depending on the version.
    if let Some(rest) = neutral.strip_prefix("mcp__") {
        names.push(format!("mcp_{}", rest.replacen("__", "_", 1)));
    } else if let Some(rest) = neutral.strip_prefix("mcp_") {
        names.push(format!("mcp__{rest}"));
    }
    names
}

/// The arguments of the tool, with the agent's keys.
pub(super) fn tool_input_for_hooks(event: &Event) -> Option<Value> {
    let input = event.payload.get("tool_input")?;
    Some(tool_row(event).map_or_else(|| input.clone(), |entry| entry.to_agent_input(input)))
}

/// Translates arguments that a hook wrote to the neutral keys.
pub(super) fn to_neutral_input(event: &Event, input: &Value) -> Value {
    tool_row(event).map_or_else(|| input.clone(), |entry| entry.to_neutral_input(input))
}

/// The category of the call; unreadable arguments of `File` and `Git` are not safe.
pub(super) fn call_category(event: &Event) -> Category {
    let neutral = event.text("tool_name").unwrap_or_default();
    let action = || event.payload.get("tool_input")?.get("action")?.as_str();
    match neutral {
        "File" => match action() {
            Some("read" | "list") => Category::Safe,
            Some(action) if action.starts_with("search_") => Category::Safe,
            _ => Category::FileWrite,
        },
        "Git" if action().is_some_and(|action| GIT_READS.contains(&action)) => Category::Safe,
        _ => CATEGORIES
            .iter()
            .find(|(name, _)| *name == neutral)
            .map_or(Category::Other, |pair| pair.1),
    }
}
