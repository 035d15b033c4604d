//! The dialect of VS Code's own agent, read in `docs/agents/reference/hooks-reference.md` of
//! microsoft/vscode-docs, approved 2026-07-29. It only translates events and replies: VS Code runs
//! the hook files of Copilot CLI and of Claude Code.
//!
//! Implements `docs/spec/dialect-vscode.md` (VS-).

use std::sync::LazyLock;

use crate::answer::Power;
use crate::answer::{Answer, Powers};
use crate::dialect::kit::call::{Keys, TIMEOUT, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ASK_CALL, BLOCK, CHANGE_CALL, CONTEXT, DENY_CALL, MESSAGE, NAMED, PowerPhrase, STOP,
};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::{self, Ended, ReplyForm};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files};
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventRow, Fit, Subject};
use crate::source::ReadConfig;

/// The dialect.
pub static VSCODE: Dialect = Dialect {
    files: Files {
        written: Err("it reads the files of `copilot` and of `claude`"),
        ..Files::DEFAULT
    },
    calls: Calls { replies: Some(&REPLIES), ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::VSCODE,
        rows: || &ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, TIMEOUT),
        recognizes: |_, _| Fit::No,
        places: |_| Vec::new(),
        read_config: |_| ReadConfig::default(),
        decode_event: |json, roots| WORDS.decode_event(json, roots),
        encode_event: |event| WORDS.encode_event(event),
        read_answer: |event, row, report| reply_form::read_report(&FORM, event, row, report),
    })
};

static WORDS: Vocabulary = Vocabulary {
    agent: "VS Code",
    name: "hookEventName",
    keys: KEYS,
    tools: TOOLS,
    server_tool: "mcp_SERVER_TOOL",
    rows: || &ROWS,
};

static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const AGENT_TYPE: Subject = Subject::Field("agent_type");

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::Field("source"), &[], "a session starts"),
    event_row("UserPromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PreCompact", "PreCompact", Subject::Field("trigger"), &[], "the conversation is about to be compacted"),
    event_row("SubagentStart", "SubagentStart", AGENT_TYPE, &[], "a subagent starts"),
    end_of_turn_row("SubagentStop", "SubagentStop", AGENT_TYPE, "a subagent is about to finish"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
];

const KEYS: Keys = &[("sessionId", "session_id")];

const PATH: (&str, &str) = ("filePath", "file_path");

/// The tools, as microsoft/vscode-copilot-chat names them to the model (VS-30).
#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_in_terminal"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["create_file"], neutral: "Write", keys: &[PATH] },
    ToolWords { own: &["replace_string_in_file"], neutral: "Edit", keys: &[PATH, ("oldString", "old_string"), ("newString", "new_string")] },
    ToolWords { own: &["multi_replace_string_in_file"], neutral: "MultiEdit", keys: &[("replacements", "edits")] },
    ToolWords { own: &["insert_edit_into_file"], neutral: "Edit", keys: &[PATH, ("code", "new_string")] },
    ToolWords { own: &["edit_notebook_file"], neutral: "NotebookEdit", keys: &[("filePath", "notebook_path"), ("newCode", "new_source")] },
    ToolWords { own: &["apply_patch"], neutral: "apply_patch", keys: &[] },
    ToolWords { own: &["file_search"], neutral: "Glob", keys: &[("query", "pattern")] },
    ToolWords { own: &["grep_search"], neutral: "Grep", keys: &[("query", "pattern"), ("includePattern", "glob")] },
    ToolWords { own: &["list_dir"], neutral: "LS", keys: &[] },
    ToolWords { own: &["fetch_webpage"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["runSubagent"], neutral: "Agent", keys: &[] },
];

static REPLIES: Replies = Replies::new("VS Code", TOOLS, REPLY_EVENTS);

/// A prompt takes the common output alone.
const REFUSE: PowerPhrase =
    (Power::Deny, &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)]);

/// The end of a turn has its decision in its own part of the object.
const KEEP_AT_WORK: PowerPhrase = (
    Power::Deny,
    &[
        NAMED,
        (&["hookSpecificOutput", "decision"], Part::Word("block")),
        (&["hookSpecificOutput", "reason"], Part::Reason),
    ],
);

static REPLY_EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("SessionStart", &[CONTEXT, MESSAGE, STOP]),
    EventReplies::with_phrases("UserPromptSubmit", &[REFUSE, MESSAGE]),
    EventReplies {
        input: |event, input| Ok(WORDS.to_agent_input(event, input)),
        ..EventReplies::with_phrases(
            "PreToolUse",
            &[DENY_CALL, ASK_CALL, ALLOW_CALL, CHANGE_CALL, CONTEXT, MESSAGE, STOP],
        )
    },
    EventReplies::with_phrases("PostToolUse", &[BLOCK, CONTEXT, MESSAGE, STOP]),
    EventReplies::with_phrases("PreCompact", &[MESSAGE]),
    EventReplies::with_phrases("SubagentStart", &[CONTEXT, MESSAGE]),
    EventReplies::with_phrases("SubagentStop", &[BLOCK, MESSAGE]),
    EventReplies::with_phrases("Stop", &[KEEP_AT_WORK, MESSAGE]),
];

static FORM: ReplyForm = ReplyForm {
    carried: &["suppressOutput"],
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Stops, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads plain output: exit code 2 denies, with stderr as the reason; other codes are failures.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    match (output.code, output.stderr) {
        (2, "") if output.can_be_denied() => Answer::deny("the hook exited with code 2"),
        _ => output.answer_by_usual_exit_codes(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::VSCODE;
    use crate::dialect::{DialectId, Roots};

    /// VS-1, VS-20, VS-30: the payload of the documents is known by its form, and goes back.
    #[test]
    fn payload_of_the_documents_is_known() {
        for (tool, input, neutral) in [
            ("run_in_terminal", json!({"command": "ls"}), "Bash"),
            ("create_file", json!({"filePath": "/p/a", "content": "x"}), "Write"),
            ("multi_replace_string_in_file", json!({"replacements": []}), "MultiEdit"),
            ("edit_notebook_file", json!({"filePath": "/p/a", "newCode": "x"}), "NotebookEdit"),
            ("mcp_github_create_issue", json!({"title": "x"}), "mcp__github__create_issue"),
            ("editFiles", json!({"files": ["src/main.ts"]}), "editFiles"),
        ] {
            let given = json!({"timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/p",
                "sessionId": "s", "hookEventName": "PreToolUse", "transcript_path": "/t.json",
                "tool_name": tool, "tool_input": input, "tool_use_id": "tool-123"});
            let fields = given.as_object().expect("an object");
            for claimed in [DialectId::CLAUDE, DialectId::COPILOT] {
                assert_eq!(DialectId::from_event_form(fields, claimed), Some(DialectId::VSCODE));
            }
            let event = VSCODE.decode_event(fields, &Roots::default()).expect("an event");
            assert_eq!(event.text("tool_name"), Some(neutral));
            assert_eq!(&*event.within.session_id, "s");
            let written: Value =
                serde_json::from_slice(&VSCODE.encode_event(&event).body).expect("JSON");
            assert_eq!(written, given);
        }
    }
}
