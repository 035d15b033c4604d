//! The parts of Claude Code's answers that are the same on every event: the fields of an answer,
//! and the other effects of a hook.

use super::env_file;
use super::events::{CUSTOM, EVENTS};
use crate::answer::Answer;
use crate::diagnostic::Code;
use crate::dialect::kit::answer::deny_incomplete_input;
use crate::dialect::kit::denial::{self, Halt};
use crate::dialect::kit::protocol::Answers;
pub(crate) use crate::dialect::typed::Type;
use crate::report::Report;

/// How the agent reads answers.
pub(super) static ANSWERS: Answers = Answers {
    events: EVENTS,
    custom: &CUSTOM,
    top: &[
        ("continue", Type::Flag),
        ("stopReason", Type::Text),
        ("suppressOutput", Type::Flag),
        ("systemMessage", Type::Text),
        ("terminalSequence", Type::Text),
        ("decision", Type::Text),
        ("reason", Type::Text),
        ("hookSpecificOutput", Type::Object),
        ("async", Type::Flag),
        ("asyncTimeout", Type::Number),
        ("metrics", Type::Object),
        ("rewakeSummary", Type::Text),
        ("rewakeMessage", Type::Text),
    ],
    carried: &["suppressOutput", "metrics", "rewakeSummary", "rewakeMessage"],
    behavior: &[
        ("behavior", Type::Text),
        ("updatedInput", Type::Object),
        ("updatedPermissions", Type::List),
        ("message", Type::Text),
        ("interrupt", Type::Flag),
    ],
    is_closed: false,
    ignored_exit2: why_exit_2_is_ignored,
    refuses: |_, _| Ok(()),
    adds: |event, report, answer| {
        add_env_file_variables(report, answer);
        deny_incomplete_input(event, INPUTS, incomplete_input_reason, answer);
    },
    denial: denial::Protocol {
        halt: Halt::Stops,
        any_exit: true,
        named: true,
        tells: true,
        ..denial::Protocol::PLAIN
    },
};

/// Events on which Claude Code 2.1.332 takes exit code 2 for an interpreter without its script.
const FORGIVING: &[&str] = &["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"];

/// Returns why the agent ignores exit code 2 (A-11; `Stop` played with 2.1.332).
fn why_exit_2_is_ignored(event: &str, stdout: &str, stderr: &str) -> Option<&'static str> {
    let stderr = stderr.to_ascii_lowercase();
    let looks_missing = ["no such file", "can't open"].iter().any(|text| stderr.contains(text));
    (FORGIVING.contains(&event) && stdout.trim().is_empty() && looks_missing).then_some(
        "it exited with code 2, which Claude Code ignores: stderr says that a file is missing",
    )
}

/// Texts that the new input of a tool needs: Claude Code 2.1.332 refuses a call without them.
const INPUTS: &[(&str, &[&str])] = &[
    ("Bash", &["command"]),
    ("Read", &["file_path"]),
    ("Write", &["file_path", "content"]),
    ("Edit", &["file_path", "old_string", "new_string"]),
];

fn incomplete_input_reason(tool: &str, key: &str) -> String {
    format!(
        "the hook's new input for `{tool}` has no `{key}`, and replaces the whole input: print every field of it"
    )
}

/// Adds the variables in the environment file that the hook wrote to the answer.
fn add_env_file_variables(report: &Report, answer: &mut Answer) {
    let Some(text) = &report.env_file else { return };
    let variables = env_file::read_variables(text);
    answer.effects.env.extend(variables.set);
    if variables.left_over {
        // Only the agent's shell can evaluate these lines: it gets them unchanged.
        answer.effects.extra.insert("envFile".to_owned(), text.as_str().into());
    }
}

/// Reads the worktree that a hook printed: its last line that is not empty, without colours, must
/// be an absolute path without detours.
pub(super) fn read_worktree_path(text: &str) -> Answer {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let path = crate::text::clean(line, line.len()).text;
    let path = path.trim();
    let absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let detours = path.split(['/', '\\']).any(|part| part == "." || part == "..");
    if path.is_empty() {
        return Answer::failed(
            Code::NoAnswer,
            "it must print the path of the worktree, and printed nothing",
        );
    }
    if !absolute || detours {
        let message = format!("`{path}` is not an absolute path without `.` and `..`");
        return Answer::failed(Code::InvalidAnswer, message);
    }
    let mut answer = Answer::default();
    answer.effects.extra.insert("worktreePath".to_owned(), path.into());
    answer
}
