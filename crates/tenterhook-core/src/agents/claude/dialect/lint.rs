//! Lints of Claude Code's readable configs beside those of every agent, and the messages of such findings. Pure; reports
//! nothing itself and changes no hook.

mod command;
mod condition;

pub(super) use command::check_command as command;
pub(super) use condition::check_condition as condition;

use super::events::{EVENTS, find_event};
use super::vocabulary::{ALIASES, FORMER_TOOLS, PHANTOM_VARIABLES, TOOLS, VARIABLES};
use crate::diagnostic::{Diagnostic, nearest_word};
pub(super) use crate::dialect::kit::entry::{is_comment_key, letters_and_digits as fold};
use crate::dialect::kit::lint::{self, About, Lints};
use crate::dialect::kit::protocol::Spec;
use crate::hook::Hook;
use crate::matcher::MatcherSpec;

pub(super) use crate::dialect::kit::lint::NEVER;

/// What the lints of every agent need to know of this one.
static LINTS: Lints = Lints {
    tools: &[TOOLS, FORMER_TOOLS],
    old_names: ALIASES,
    variables: VARIABLES,
    paths: &["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"],
    never_set: PHANTOM_VARIABLES,
    prefix: "CLAUDE_",
    has_args: true,
    project: Some("$CLAUDE_PROJECT_DIR"),
    ..Lints::new("Claude Code")
};

/// Checks the matcher `text`, read as `spec`, of a group of `event`.
pub(super) fn check_matcher(event: &Spec, text: &str, spec: &MatcherSpec) -> Vec<Diagnostic> {
    let about = About { event: event.name, subjects: event.matcher_subjects(), table: &[] };
    LINTS.check_matcher(about, text, spec)
}

/// Returns the reason why no event can select `hook`, and the rule: its matcher or its condition
/// never matches.
pub(super) fn unreachable_hook_reason(hook: &Hook) -> Option<(String, &'static str)> {
    let event = find_event(hook.event.as_str())?;
    let text = match hook.matcher.spec() {
        MatcherSpec::Any | MatcherSpec::Never(_) => None,
        MatcherSpec::Words(words) => Some(words.join("|")),
        MatcherSpec::Regex(text) => Some(text.clone()),
    };
    // The failure policy handles a matcher that does not compile, so it is not dead (S-3).
    let compiles = hook.matcher.compile().is_ok();
    let matchers = text.iter().filter(|_| compiles);
    let of_matcher = matchers.flat_map(|text| check_matcher(event, text, hook.matcher.spec()));
    let conditions = hook.condition.iter();
    let of_condition = conditions.flat_map(|c| condition(c.text(), text.as_deref()));
    let found = of_matcher
        .map(|diagnostic| (diagnostic, "S-61"))
        .chain(of_condition.map(|diagnostic| (diagnostic, "S-43")));
    found
        .filter(|(diagnostic, _)| lint::says_hook_never_runs(diagnostic))
        .map(|(diagnostic, rule)| (diagnostic.message, rule))
        .next()
}

/// The shape of the event map, for help.
pub(super) const SHAPE: &str = "write `\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \
     \"hooks\": [{\"type\": \"command\", \"command\": \"...\"}]}]}`";

/// Keys that people use for notes. They have no effect.
const NOTES: &[&str] = &["description", "comment", "id", "name", "note", "notes", "label", "title"];

/// Names of events in other agents and older formats, common guesses, and what to write instead.
const FOREIGN_EVENTS: &[(&str, &str)] = &[
    ("beforetool", "Gemini CLI calls it so: write `PreToolUse`"),
    ("aftertool", "Gemini CLI calls it so: write `PostToolUse`"),
    ("beforeagent", "Gemini CLI calls it so: write `UserPromptSubmit`"),
    ("afteragent", "Gemini CLI calls it so: write `Stop`"),
    ("precompress", "Gemini CLI calls it so: write `PreCompact`"),
    ("beforeshellexecution", "Cursor calls it so: write `PreToolUse` with the matcher `Bash`"),
    ("aftershellexecution", "Cursor calls it so: write `PostToolUse` with the matcher `Bash`"),
    ("beforesubmitprompt", "Cursor calls it so: write `UserPromptSubmit`"),
    ("beforereadfile", "Cursor calls it so: write `PreToolUse` with the matcher `Read`"),
    ("afterfileedit", "Cursor calls it so: write `PostToolUse` with the matcher `Edit|Write`"),
    ("userpromptsubmitted", "Copilot calls it so: write `UserPromptSubmit`"),
    ("erroroccurred", "Copilot calls it so: write `StopFailure` or `PostToolUseFailure`"),
    ("agentstop", "Copilot calls it so: write `Stop`"),
    ("pretool", "write `PreToolUse`"),
    ("posttool", "write `PostToolUse`"),
    ("precommand", "write `PreToolUse` with the matcher `Bash`"),
    ("postcommand", "write `PostToolUse` with the matcher `Bash`"),
    ("prewrite", "write `PreToolUse` with the matcher `Edit|Write`"),
    ("postwrite", "write `PostToolUse` with the matcher `Edit|Write`"),
    ("onsessionstart", "write `SessionStart`"),
    ("poststart", "write `SessionStart`"),
    ("startup", "write `SessionStart` with the matcher `startup`"),
    ("ondirectorychange", "write `CwdChanged`"),
    (
        "precommit",
        "write `PreToolUse` with the matcher `Bash` and `\"if\": \"Bash(git commit *)\"`",
    ),
    (
        "postmerge",
        "write `PostToolUse` with the matcher `Bash` and `\"if\": \"Bash(git merge *)\"`",
    ),
    ("posttaskvalidation", "write `TaskCompleted`"),
    ("bash", "`Bash` is a tool: write `PreToolUse` with the matcher `Bash`"),
];

/// Whether the key is the name of an event, spelled correctly or not.
pub(super) fn is_like_event_name(key: &str) -> bool {
    find_event(key).is_some() || EVENTS.iter().any(|event| fold(event.name) == fold(key))
}

/// Returns what to write instead of an event of another agent.
pub(super) fn foreign_event_help(key: &str) -> Option<&'static str> {
    let key = fold(key);
    FOREIGN_EVENTS.iter().find(|(name, _)| *name == key).map(|(_, help)| *help)
}

/// Whether an unknown field is only a comment for readers of the file.
pub(super) fn is_comment_field(key: &str) -> bool {
    is_comment_key(key) || NOTES.contains(&key)
}

/// Returns advice about a field that a group does not have.
pub(super) fn unknown_group_field_help(key: &str) -> String {
    match key {
        "matchers" | "match" | "tools" | "toolNames" => {
            "write the names as one string in `matcher`: `\"Edit|Write\"`".to_owned()
        }
        "pattern" | "filePattern" | "file_patterns" | "paths" | "condition" | "conditions" => {
            "a group filters by `matcher` only: put a permission rule in `if` of the handler, or \
             test in the program"
                .to_owned()
        }
        "enabled" | "disabled" => {
            "a group cannot be switched off: remove it, or set `disableAllHooks`".to_owned()
        }
        "priority" | "order" => "all hooks of an event start at once: there is no order".to_owned(),
        "if" | "timeout" | "once" | "async" | "type" | "command" | "statusMessage" => {
            format!("`{key}` is a field of a handler: move it into `hooks`")
        }
        _ => match nearest_word(key, ["matcher", "hooks"]) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a group has `matcher` and `hooks`".to_owned(),
        },
    }
}

/// Returns advice about a field that a handler does not have.
pub(super) fn unknown_handler_field_help(key: &str, near: Option<&str>) -> String {
    match (key, near) {
        ("timeoutMs" | "timeout_ms" | "timeoutSec" | "timeout_secs", _) => {
            "write `timeout`, in seconds".to_owned()
        }
        ("env" | "environment", _) => {
            "a handler sets no variables: put them in `env` of the settings, or before the command"
                .to_owned()
        }
        ("cwd" | "workingDirectory" | "working_directory", _) => {
            "hooks start in the agent's directory: begin the command with `cd`".to_owned()
        }
        ("matcher" | "matchers", _) => "a matcher belongs to the group".to_owned(),
        ("continueOnError" | "failClosed" | "blocking", _) => {
            "set `onFailure` to decide what a failure means".to_owned()
        }
        (_, Some(near)) => format!("did you mean `{near}`?"),
        (_, None) => "remove it".to_owned(),
    }
}

/// Returns a help text that shows the group that runs this command.
pub(super) fn group_example_help(command: &str) -> String {
    format!("write `[{{\"hooks\": [{}]}}]`", handler_json(command))
}

/// Returns a help text that shows the handler that runs this command.
pub(super) fn handler_example_help(command: &str) -> String {
    format!("write `{}`", handler_json(command))
}

fn handler_json(command: &str) -> String {
    let short: String = command.chars().take(60).collect();
    let short = if short.len() < command.len() { "...".to_owned() } else { short };
    format!("{{\"type\": \"command\", \"command\": {}}}", serde_json::Value::String(short))
}

#[cfg(test)]
mod tests;
