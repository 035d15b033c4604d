//! Reads one settings file of Gen, or a plugin's manifest: its events and its matchers (G-4, G-5).
//! `handler.rs` reads the handlers. Only the bad entry is rejected; the agent skips the whole file.

use super::{events, handler, matcher};
use crate::diagnostic::Code;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::Fields;
use crate::dialect::kit::field::Case;
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::Groups;
use crate::dialect::kit::lint::{About, Lints};
use crate::dialect::kit::protocol::Subjects;
use crate::dialect::{DialectId, Subject};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node, NodeValue};

/// The format of the files.
static FILE: File = File {
    rules: Rules::with_one_rule("G-4"),
    // The agent ignores the case of keys.
    case: Case::Ignored,
    // Event names are open (ruling 13): a hook is armed for an event with any name.
    is_open: true,
    lints: Some(&LINTS),
    find: find_hooks_object,
    ..File::new(
        "Gen",
        DialectId::GEN,
        || events::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// What the lints need to know of Gen, which has Claude Code's names of tools and variables.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        matcher::TOOLS,
        &["TodoCreate", "TodoGet", "TodoList", "TodoUpdate", "TodoWrite", "TrackerCreate"],
        &["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop"],
        &["TrackerGet", "TrackerList", "TrackerUpdate", "AgentOutput", "AgentStop", "KillShell"],
        &["EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree", "AskUserQuestion"],
        &["CronCreate", "CronDelete", "CronList", "ToolSearch", "SendMessage", "ContinueAgent"],
    ],
    variables: &[
        "GEN_PROJECT_DIR",
        "CLAUDE_PROJECT_DIR",
        "GEN_SESSION_ID",
        "CLAUDE_SESSION_ID",
        "GEN_EVENT_TYPE",
        "CLAUDE_EVENT_TYPE",
        "GEN_TOOL_NAME",
        "CLAUDE_TOOL_NAME",
        "GEN_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT",
    ],
    paths: &["GEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEN_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"],
    prefix: "GEN_",
    project: Some("$GEN_PROJECT_DIR"),
    ..Lints::new("Gen")
};

/// The format of the groups.
static GROUPS: Groups = Groups {
    types: &[("command", "command"), ("prompt", "prompt"), ("agent", "prompt"), ("http", "url")],
    default_type: Some("command"),
    more: &[],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &[
            "type",
            "command",
            "prompt",
            "url",
            "if",
            "shell",
            "model",
            "async",
            "asyncRewake",
            "timeout",
            "statusMessage",
            "once",
            "headers",
            "allowedEnvVars",
        ],
        foreign: &[],
    },
    is_empty_matcher: |_| false,
    matcher: check_matcher,
    run: handler::read_run,
    read_options: handler::read_options_into_hook,
};

/// Reads the hooks of a config file. An event that it mentions replaces weaker layers, even with an
/// empty list (G-2).
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

fn find_hooks_object<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    let hooks = root.get("hooks")?;
    let is_manifest = reader.source.name.ends_with("plugin.json");
    match &hooks.value {
        // A plugin's manifest contains the hooks, or the path of a file, which is a separate
        // source.
        NodeValue::String(_) if is_manifest => None,
        NodeValue::Object(_) if is_manifest && hooks.get("hooks").is_some() => hooks.get("hooks"),
        _ => Some(hooks),
    }
}

/// Reports an ignored, broken or ambiguous matcher of a group.
fn check_matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let text = scope.matcher.as_str();
    let span = entry.node.span;
    let parsed = matcher::parse_matcher(scope.event_name().as_str(), text, reader.source.compat);
    let about_nothing = scope.row.is_some_and(|row| row.subject == Subject::None);
    if about_nothing && !matches!(text, "" | "*") {
        let message = format!("`{}` has no subject that a matcher could test", scope.event_name());
        let found = finding_without_location(Code::MatcherIgnored, message)
            .help("Gen never runs the hooks of this group; here they run every time");
        reader.report(span, found);
    }
    if let Some(why) = &parsed.broken {
        let message = format!("the matcher is not a valid regular expression: {why}");
        let found = finding_without_location(Code::InvalidMatcher, message)
            .help("correct it; until then the hook's failure policy decides each time");
        reader.report(span, found);
    }
    if parsed.ambiguous {
        let message = "this is read as a regular expression, not as a tool and its argument";
        let found = finding_without_location(Code::MatcherIsExpression, message)
            .help("for several arguments of one tool, write one group per argument");
        return reader.report(span, found);
    }
    let is_tool_event = events::is_tool_event(scope.event_name().as_str());
    if is_tool_event && parsed.condition.is_none() && parsed.broken.is_none() {
        let about = About { event: &scope.name, subjects: Subjects::Tools, table: &[] };
        for found in LINTS.check_matcher(about, text, &parsed.spec) {
            reader.report(span, found);
        }
    }
}
