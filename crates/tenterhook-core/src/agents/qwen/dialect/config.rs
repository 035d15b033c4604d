//! Reads the settings of Qwen Code (QW-1 to QW-12): what a handler runs, and on which terms.

use std::time::Duration;

use super::vocabulary;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::gemini::settings::{self, HookSwitch, SettingsPaths};
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::field::seconds_to_duration;
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::{self, Groups};
use crate::dialect::kit::lint::Lints;
use crate::dialect::kit::request;
use crate::hook::{Hook, Prompt, Run, Wait};
use crate::matcher::Matcher;
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

pub(super) static SETTINGS_PATHS: SettingsPaths =
    SettingsPaths { id: DialectId::QWEN, folder: ".qwen", machine: "qwen-code" };

static SWITCH: HookSwitch = HookSwitch {
    keys: &["disableAllHooks"],
    off: true,
    unread: &[
        &["hooksConfig", "enabled"],
        &["hooksConfig", "disabled"],
        &["hooks", "enabled"],
        &["hooks", "disabled"],
    ],
    help: "remove the hook, or set `disableAllHooks` to switch all off",
};

static FILE: File = File {
    rules: Rules::with_one_rule("QW-4"),
    beside: &["enabled", "disabled", "notifications"],
    takes_comments: true,
    is_javascript: true,
    find: |reader, root| settings::find_events_table(reader, root, &SWITCH),
    lints: Some(&LINTS),
    ..File::new(
        "Qwen Code",
        DialectId::QWEN,
        || &vocabulary::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// What the lints need to know of Qwen Code, by its package 0.24.4, whose matchers know Claude Code's names of tools too (QW-10). It replaces the
/// directories of Gemini CLI and of Claude Code itself, with quotes, before a shell reads them.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["save_memory", "lsp", "exec", "monitor", "workflow", "zoom_image", "display_image"],
        &["image_gen", "artifact", "record_artifact", "record_source", "report_findings"],
        &["cron_create", "cron_delete", "cron_list", "tool_search", "tool_call", "loop_wakeup"],
        &["task_create", "task_list", "task_update", "task_stop", "structured_output"],
        &["create_sub_session", "list_agents", "send_message", "request_shutdown"],
        &["team_create", "team_delete", "team_plan_approval", "read_mcp_resource"],
        &["enter_worktree", "exit_worktree", "get_goal", "propose_goal", "update_goal"],
        &["omni_caption_audio", "omni_caption_image", "omni_clip_audio", "omni_clip_image"],
        &["omni_clip_video", "omni_convert_image", "omni_downsample_audio", "omni_ocr_image"],
        &["omni_downsample_image", "omni_downscale_video", "omni_extract_audio"],
        &["omni_extract_keyframes", "omni_recall_media_memory", "omni_transcribe_audio"],
        &["omni_understand_video_segments"],
        &["Bash", "Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep", "ExitPlanMode"],
        &["WebFetch", "WebSearch", "TodoWrite", "Agent", "Task", "Skill", "AskUserQuestion"],
    ],
    variables: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "QWEN_HOME"],
    paths: &["QWEN_PROJECT_DIR"],
    never_set: &["QWEN_TOOL_INPUT", "QWEN_TOOL_NAME"],
    project: Some("$QWEN_PROJECT_DIR"),
    ..Lints::new("Qwen Code")
};

static GROUPS: Groups = Groups {
    types: &[("command", "command"), ("http", "url"), ("prompt", "prompt"), ("function", "name")],
    default_type: None,
    more: &["sequential"],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &[
            "type",
            "command",
            "name",
            "description",
            "timeout",
            "env",
            "shell",
            "async",
            "once",
            "statusMessage",
            "url",
            "headers",
            "allowedEnvVars",
            "prompt",
            "model",
        ],
        foreign: &[],
    },
    is_empty_matcher: settings::is_javascript_false,
    matcher: |reader, entry, scope| {
        let read = settings::read_alternatives(&scope.matcher, reader.source.compat);
        settings::check_matcher(reader, entry, scope, read);
    },
    run: read_run,
    read_options: read_options_into_hook,
};

/// Reads the hooks of a config file of Qwen Code.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Reads what a handler of a type runs (QW-7).
fn read_run(
    reader: &mut Reader<'_>,
    node: &Node,
    kind: &str,
    text: String,
) -> Result<Run, EntryFault> {
    match kind {
        "http" => Ok(Run::Http(request::read_http_request(reader, node, text))),
        "prompt" => {
            let model = reader.read_text(node, "model");
            Ok(Run::Prompt(Prompt { model, ..Prompt::new(text) }))
        }
        "function" => groups::report_type_that_never_runs(
            reader,
            node,
            EntryFault::InAgentProcess { name: "function" },
        ),
        _ => Ok(settings::build_command(reader, node, text)),
    }
}

fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher =
        Matcher::new(settings::read_alternatives(&scope.matcher, reader.source.compat).0);
    hook.wait = if reader.read_flag(node, "async") { Wait::Detached } else { Wait::Attached };
    hook.once = reader.read_flag(node, "once");
    hook.timeout = read_timeout(reader, node);
    let name = reader.read_text(node, "name");
    hook.status = name.or(reader.read_text(node, "statusMessage")).filter(|text| !text.is_empty());
    Ok(())
}

/// From so many on, they are milliseconds for the agent.
const MILLIS: f64 = 1000.0;

/// Reads a timeout in seconds; a large number is in milliseconds.
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    let Some(number) = field.node.as_f64().filter(|node| *node > 0.0) else {
        reader.findings.report_wrong_type(field, "a number of seconds above 0");
        return None;
    };
    seconds_to_duration(if number >= MILLIS { number / MILLIS } else { number })
}
