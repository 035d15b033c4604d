//! Crush: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;

use super::repository::{
    CommandKey, Condition, Consent, DISABLED, MCP_START, RepositoryFile, code_file, hook_file, key,
    settings_file,
};
use super::{
    Agent, Event, EventLists, Evidence, FLAT_MCP_NAMES, Field, Form, Guarded, HookFile,
    Installation, JsonFile, Layout, Syntax, tool_gate_event,
};
use crate::syntax::NotStrict;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "crush",
    title: "Crush",
    programs: &["crush"],
    packages: &["@charmland/crush"],
    is_part_of_words: true,
    guarded: Guarded {
        files: &["crush.json", ".crush.json", "crushrc", ".crushrc", "~/.config/crush/"],
        variables: &["CRUSH_GLOBAL_CONFIG"],
        options: &["--yolo", "-y"],
        ..Guarded::NONE
    },
    evidence: Evidence::Read { source: "docs/hooks/README.md of charmbracelet/crush at 0388f5f" },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".config/crush"],
        home: ".config/crush",
        user_file: Some("crush.json"),
        project_file: Some(HOOK_FILE.path),
        form: Form::Shared(&HOOK_FILE),
        events: EVENTS,
        switch_variables: &["CRUSH_GLOBAL_CONFIG"],
        gone: "tool calls are denied",
        gaps: &[
            "a hook cannot ask: that becomes a denial",
            FLAT_MCP_NAMES,
            "subagents run no hooks: only the call that starts one is judged",
            "prompts and the end of a turn call no hook",
            "hooks run side by side, and the call that the last one changed is not judged again",
            "a hook that exceeds its timeout lets the call run; ours ends before",
        ],
        next: "Crush reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: "crush.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Comment]),
        lists: EventLists::Entries,
        ..JsonFile::USUAL
    }),
    keys: &[(Field::Matcher, "matcher"), (Field::Line, "command"), (Field::Seconds, "timeout")],
};

/// What Crush runs of a project, by its documents.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file("crush.json", &["hooks"], Consent::Unknown),
    hook_file(".crush.json", &["hooks"], Consent::Unknown),
    settings_file("{crush,.crush}.json", PROGRAMS, Consent::Unknown),
    // Its present config is a shell script (docs/config/README.md of charmbracelet/crush, 2026-11).
    code_file("{crushrc,.crushrc}", "at start, as a shell script", Consent::Unknown),
];
const PROGRAMS: &[CommandKey] = &[
    key(&["mcp", "*"], MCP_START).given(DISABLED),
    key(&["lsp", "*"], "at start, as a language server").given(DISABLED),
    key(&["providers", "*", "api_key"], EXPANDED).given(SUBSTITUTION),
    key(&["providers", "*", "base_url"], EXPANDED).given(SUBSTITUTION),
    key(&["providers", "*", "extra_headers", "*"], EXPANDED).given(SUBSTITUTION),
    key(&["mcp", "*", "url"], MCP_START).given(SUBSTITUTION),
    key(&["mcp", "*", "headers", "*"], MCP_START).given(SUBSTITUTION),
    key(&["mcp", "*", "env", "*"], MCP_START).given(SUBSTITUTION),
    key(&["lsp", "*", "env", "*"], EXPANDED).given(SUBSTITUTION),
];

const EXPANDED: &str = "when the value is expanded";
/// A value with a command whose output becomes a part of it.
const SUBSTITUTION: Condition = Condition::Containing(&["$(", "`"]);

/// The event for which Crush calls Tenterhook. Older versions know no other that judges a call.
const EVENTS: &[Event] = &[tool_gate_event("PreToolUse", 600)];
