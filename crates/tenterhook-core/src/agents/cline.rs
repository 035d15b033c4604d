//! Cline: its names, what decides whether its hooks run, and how it is made to call. Data; decides
//! nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, code_file};
use super::{
    Agent, Event, Fallback, Form, Guarded, Installation, gate_event, observer_event,
    tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "cline",
    title: "Cline",
    programs: &["cline"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".clinerules/hooks/",
            ".cline/hooks/",
            ".cline/plugins/",
            "~/.cline/plugins/",
            "~/.cline/data/settings/",
            "~/Documents/Cline/Hooks/",
        ],
        variables: &["CLINE_DIR", "CLINE_DATA_DIR"],
        options: &["--yolo", "-y", "--hooks-dir", "--config"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".cline", "Documents/Cline"],
        home: ".cline",
        user_file: Some("hooks"),
        project_file: Some(".clinerules/hooks"),
        form: Form::Scripts,
        fallback: Fallback::Outside,
        events: EVENTS,
        gone: "tool calls are denied, and the run ends",
        gaps: &[
            "a denial of any tool but the shell ends the whole run",
            "a hook that takes longer than 120 seconds lets the call run; ours ends before",
            "prompts of headless runs call no hook",
            "a hook cannot ask: a question becomes a denial",
        ],
        next: "Cline runs them from its next task on",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// What Cline 3.0.65 runs of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    code_file(".clinerules/hooks/*", "as a hook of the event in its name", Consent::Unasked),
    // Observed in 3.0.65.
    code_file(".cline/plugins/**/*.{js,ts,mjs,cjs}", "at start, as a plugin", Consent::Unasked),
    code_file(".cline/hooks/*", "as a hook of the event in its name", Consent::Unasked),
];

/// The events that call hooks. Cline stops waiting for a hook after 120 seconds, a fixed timeout.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 120),
    tool_observer_event("PostToolUse", 120),
    gate_event("UserPromptSubmit", 120),
    observer_event("TaskStart", 120),
    observer_event("TaskResume", 120),
    observer_event("TaskCancel", 120),
    observer_event("TaskComplete", 120),
    observer_event("SessionShutdown", 120),
];
