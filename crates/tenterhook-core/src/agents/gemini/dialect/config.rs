//! Reads the settings of Gemini CLI (GM-1 to GM-12): the command of each handler, its matcher,
//! timeout and name. Opens no file.

use super::settings::{self, HookSwitch, SettingsPaths};
use super::vocabulary;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::Groups;
use crate::dialect::kit::lint::Lints;
use crate::hook::Hook;
use crate::matcher::Matcher;
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

pub(super) static SETTINGS_PATHS: SettingsPaths =
    SettingsPaths { id: DialectId::GEMINI, folder: ".gemini", machine: "gemini-cli" };

/// Gemini CLI 0.61.0 reads neither `disableAllHooks` nor `hooks.enabled` (played).
static SWITCH: HookSwitch = HookSwitch {
    keys: &[settings::SWITCHES, "enabled"],
    off: false,
    unread: &[&["disableAllHooks"], &["hooks", "enabled"], &["hooks", "disabled"]],
    help: "write `\"hooksConfig\": {\"enabled\": false}`, or names of hooks in `hooksConfig.disabled`",
};

static FILE: File = File {
    own_keys: &["description"],
    shape: r#"write `{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "..."}]}]}}`"#,
    rules: Rules::with_one_rule("GM-4"),
    beside: &["enabled", "disabled", "notifications"],
    takes_comments: true,
    is_javascript: true,
    find: |reader, root| settings::find_events_table(reader, root, &SWITCH),
    lints: Some(&LINTS),
    ..File::new(
        "Gemini CLI",
        DialectId::GEMINI,
        || &vocabulary::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// What the lints need to know of Gemini CLI, by its package 0.61.0. It replaces the directories itself, with quotes, before a shell reads them.
pub(super) static LINTS: Lints = Lints {
    tools: &[&[
        "activate_skill",
        "ask_user",
        "codebase_investigator",
        "complete_task",
        "delegate_to_agent",
        "enter_plan_mode",
        "exit_plan_mode",
        "get_internal_docs",
        "take_snapshot",
        "list_directory",
        "list_mcp_resources",
        "read_many_files",
        "read_mcp_resource",
        "save_memory",
        "cli_help",
        "tracker_add_dependency",
        "tracker_create_task",
        "tracker_get_task",
        "tracker_list_tasks",
        "tracker_update_task",
        "tracker_visualize",
        "update_topic",
    ]],
    gone_names: &[
        ("search_file_content", "grep_search"),
        ("edit", "replace"),
        ("edit_file", "replace"),
    ],
    mcp: "mcp_SERVER_TOOL",
    variables: &[
        "GEMINI_PROJECT_DIR",
        "GEMINI_PLANS_DIR",
        "GEMINI_CWD",
        "GEMINI_SESSION_ID",
        "CLAUDE_PROJECT_DIR",
    ],
    never_set: &["GEMINI_TOOL_INPUT", "GEMINI_TOOL_NAME", "GEMINI_FILE_PATH"],
    project: Some("$GEMINI_PROJECT_DIR"),
    ..Lints::new("Gemini CLI")
};

static GROUPS: Groups = Groups {
    types: &[("command", "command")],
    default_type: None,
    more: &["sequential"],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &["type", "command", "name", "description", "timeout", "env"],
        foreign: &[
            ("timeoutms", "write `timeout`, in milliseconds"),
            ("timeoutsec", "write `timeout`, in milliseconds"),
            ("statusmessage", "write `name`, which the agent shows while the hook runs"),
            ("enabled", "list the hook's `name` in `hooksConfig.disabled` to switch it off"),
        ],
    },
    is_empty_matcher: settings::is_javascript_false,
    matcher: |reader, entry, scope| {
        let read = settings::read_matcher_spec(scope, reader.source.compat);
        settings::check_matcher(reader, entry, scope, read);
    },
    run: |reader, node, _, text| Ok(settings::build_command(reader, node, text)),
    read_options: read_options_into_hook,
};

/// Fewer milliseconds than a second end a script before it answers.
const SECOND: f64 = 1000.0;

/// Reads the hooks of Gemini CLI's settings, which may contain comments.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher = Matcher::new(settings::read_matcher_spec(scope, reader.source.compat).0);
    hook.timeout = reader
        .non_null_entry(node, "timeout")
        .and_then(|entry| reader.findings.read_timeout_in_millis(entry, SECOND));
    let description = reader.read_text(node, "description");
    hook.status = reader.read_text(node, "name").or(description).filter(|text| !text.is_empty());
    Ok(())
}
