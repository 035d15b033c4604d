//! C-150, C-59: each format becomes each other one, and nothing is lost in silence.

use super::*;
use crate::answer::{Failure, Power};
use crate::hook::OnFailure;

/// A file of each format: a gate with a matcher and a timeout, an observer with the same, a hook
/// of each call, and one on an event that few agents have. The commands are `./gate`, `./observe`,
/// `./each` and `./rare`.
const FILES: &[(DialectId, &str)] = &[
    (
        DialectId::CLAUDE,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "./gate", "timeout": 7}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "mcp__s__t", "hooks": [{"type": "command", "command": "./observe", "timeout": 2.5}]}], "WorktreeCreate": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::GEN,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "./gate", "timeout": 7}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "mcp__s__t", "hooks": [{"type": "command", "command": "./observe", "timeout": 9}]}], "WorktreeRemove": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::IGNIS,
        r#"{"hooks": {"PreToolUse": [{"matcher": "bash", "argv": ["./gate"], "timeout_ms": 7000}, {"argv": ["./each"]}], "PostToolUse": [{"matcher": "bash", "argv": ["./observe"], "timeout_ms": 9000}], "AssistantMessageRender": [{"argv": ["./rare"]}]}}"#,
    ),
    (
        DialectId::CODEWHALE,
        "[[hooks]]\nevent = 'tool_call_before'\ncommand = './gate'\ntimeout_secs = 7\ncondition = { type = 'tool_name', name = 'bash' }\n[[hooks]]\nevent = 'tool_call_before'\ncommand = './each'\n[[hooks]]\nevent = 'tool_call_after'\ncommand = './observe'\ntimeout_secs = 9\ncondition = { type = 'tool_name', name = 'e*' }\n[[hooks]]\nevent = 'mode_change'\ncommand = './rare'\n",
    ),
    (
        DialectId::REASONIX,
        r#"{"hooks": {"PreToolUse": [{"match": "bash", "command": "./gate", "timeout": 7000}, {"command": "./each"}], "PostToolUse": [{"match": "bash", "command": "./observe", "timeout": 9000}], "PreModelCall": [{"command": "./rare"}]}}"#,
    ),
    (
        DialectId::CODEX,
        r#"{"hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": [{"type": "command", "command": "./gate", "timeout": 7}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "mcp__s__t", "hooks": [{"type": "command", "command": "./observe", "timeout": 9}]}], "PermissionRequest": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::GEMINI,
        r#"{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "./gate", "timeout": 7000}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "AfterTool": [{"matcher": "mcp_s_.*", "hooks": [{"type": "command", "command": "./observe", "timeout": 2500}]}], "BeforeToolSelection": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::QWEN,
        r#"{"hooks": {"PreToolUse": [{"matcher": "run_shell_command|edit", "hooks": [{"type": "command", "command": "./gate", "timeout": 7}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "mcp__s__t", "hooks": [{"type": "command", "command": "./observe", "timeout": 9}]}], "TodoCreated": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::COPILOT,
        r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "matcher": "bash", "bash": "./gate", "timeoutSec": 7}, {"type": "command", "bash": "./each"}], "postToolUse": [{"type": "command", "matcher": "s-t", "bash": "./observe", "timeoutSec": 9}], "preMcpToolCall": [{"type": "command", "bash": "./rare"}]}}"#,
    ),
    (
        DialectId::DROID,
        r#"{"PreToolUse": [{"matcher": "^Execute$", "commandRegex": "^git", "hooks": [{"type": "command", "command": "./gate", "timeout": 7}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "s___t", "hooks": [{"type": "command", "command": "./observe", "timeout": 9}]}], "SubagentStop": [{"hooks": [{"type": "command", "command": "./rare"}]}]}"#,
    ),
    (
        DialectId::GOOSE,
        r#"{"hooks": {"PreToolUse": [{"matcher": "shell", "hooks": [{"type": "command", "command": "./gate", "timeout": 7, "on_failure": "block"}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "s__t", "hooks": [{"type": "command", "command": "./observe", "timeout": 9}]}], "PreToolUseResult": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::CURSOR,
        r#"{"version": 1, "hooks": {"preToolUse": [{"matcher": "^Shell$", "command": "./gate", "timeout": 7, "failClosed": true, "loop_limit": 2}, {"command": "./each"}], "afterMCPExecution": [{"command": "./observe", "timeout": 2.5}], "afterAgentThought": [{"command": "./rare"}]}}"#,
    ),
    (
        DialectId::VIBE,
        "[[hooks]]\nname = 'a'\ntype = 'pre_tool'\nmatch = 'bash'\ncommand = './gate'\ntimeout = 7\nstrict = true\n[[hooks]]\nname = 'b'\ntype = 'pre_tool'\ncommand = './each'\n[[hooks]]\nname = 'c'\ntype = 'post_tool'\nmatch = 're:edit|write_.*'\ncommand = './observe'\ntimeout = 2.5\n[[hooks]]\nname = 'd'\ntype = 'post_agent'\ncommand = './rare'\n",
    ),
    (
        DialectId::HERMES,
        "hooks:\n  pre_tool_call:\n    - command: ./gate\n      matcher: terminal\n      timeout: 7\n    - command: ./each\n  post_tool_call:\n    - command: ./observe\n      matcher: mcp__s__t\n      timeout: 9\n  transform_llm_output:\n    - command: ./rare\n",
    ),
    (
        DialectId::AUGMENT,
        r#"{"hooks": {"PreToolUse": [{"matcher": "^launch-process$", "hooks": [{"type": "command", "command": "./gate", "timeout": 7000}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "mcp:", "hooks": [{"type": "command", "command": "./observe", "timeout": 2500}]}], "Notification": [{"hooks": [{"type": "command", "command": "./rare"}]}]}}"#,
    ),
    (
        DialectId::WINDSURF,
        r#"{"hooks": {"pre_run_command": [{"command": "./gate"}], "pre_write_code": [{"command": "./each"}], "post_mcp_tool_use": [{"command": "./observe"}], "post_setup_worktree": [{"command": "./rare"}]}}"#,
    ),
    (
        DialectId::CRUSH,
        r#"{"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "./gate", "timeout": 7}, {"command": "./each"}], "PostToolUse": [{"matcher": "mcp_s_t", "command": "./observe", "timeout": 9}], "SessionStart": [{"command": "./rare"}]}}"#,
    ),
    (
        DialectId::ANTIGRAVITY,
        r#"{"mine": {"PreToolUse": [{"matcher": "^run_command$", "hooks": [{"type": "command", "command": "./gate", "timeout": 7}]}, {"hooks": [{"type": "command", "command": "./each"}]}], "PostToolUse": [{"matcher": "mcp_s_t", "hooks": [{"type": "command", "command": "./observe", "timeout": 9}]}], "PostInvocation": [{"type": "command", "command": "./rare"}]}}"#,
    ),
    (
        DialectId::KIRO,
        r#"{"version": "v1", "hooks": [{"name": "a", "trigger": "PreToolUse", "matcher": "^execute_bash$", "action": {"type": "command", "command": "./gate"}, "timeout": 7}, {"name": "b", "trigger": "PreToolUse", "action": {"type": "command", "command": "./each"}}, {"name": "c", "trigger": "PostToolUse", "matcher": "mcp_s_.*", "action": {"type": "command", "command": "./observe"}, "timeout": 9}, {"name": "d", "trigger": "PreTaskExec", "action": {"type": "command", "command": "./rare"}}]}"#,
    ),
    (
        DialectId::KIMI,
        "[[hooks]]\nevent = 'PreToolUse'\nmatcher = '^(Bash|Edit)$'\ncommand = './gate'\ntimeout = 7\n[[hooks]]\nevent = 'PreToolUse'\ncommand = './each'\n[[hooks]]\nevent = 'PostToolUse'\nmatcher = '^mcp__s__'\ncommand = './observe'\ntimeout = 9\n[[hooks]]\nevent = 'SessionHeartbeat'\ncommand = './rare'\n",
    ),
    (
        DialectId::NATIVE,
        "[hook.gate]\non = 'PreToolUse'\nmatch = 'Bash'\nrun = ['./gate']\ntimeout = '7s'\n[hook.each]\non = 'PreToolUse'\nrun = ['./each']\n[hook.observe]\non = 'PostToolUse'\nmatch = '/^mcp__/'\nrun = ['./observe']\n[hook.rare]\non = 'my.event'\nrun = ['./rare']\n[event.\"my.event\"]\n",
    ),
];

/// What a hook does, in parts that a loss names by these words.
fn parts(hook: &Hook) -> Vec<(&'static [&'static str], String)> {
    let dialect = hook.dialect.dialect();
    let row = dialect.event_row(&hook.event);
    let (timeout, failure) = row.map_or_else(Default::default, |row| {
        let failure = dialect.default_failure_policy(hook, row, &Failure::exit_code_failure(1, ""));
        let is_gate = row.powers.has(Power::Deny);
        let failure = hook.on_failure.unwrap_or(failure);
        let failure = if is_gate { failure } else { OnFailure::Continue };
        (format!("{:?}", hook.effective_timeout(row)), format!("{failure:?}"))
    });
    vec![
        (&["`timeout`"], timeout),
        (&["`on_failure`", "`answer`"], failure),
        (&["`matcher`", "`if`", "`event`"], format!("{:?}", matched_tools(hook))),
        (&["`background`"], format!("{:?}", hook.wait)),
        (&["`once`"], hook.once.to_string()),
        (&["`loop_limit`"], format!("{:?}", hook.own_keys)),
    ]
}

/// Returns the tools of whose calls a hook runs, by the names that its agent has for them.
fn matched_tools(hook: &Hook) -> Vec<&'static str> {
    let dialect = hook.dialect.dialect();
    let row = row_of_hook(hook);
    let Some(names) = row.and_then(|row| ToolNames::of_event(dialect, row)) else {
        return Vec::new();
    };
    let matcher = Matcher::new(selection_of_hook(hook).0);
    let is_matched = |tool: &&&str| {
        let own = names.all_of_tool(tool);
        own.into_iter().any(|name| matcher.matches(Some(&name)) == Ok(true))
    };
    TOOLS.iter().filter(is_matched).copied().collect()
}

/// Returns the word of the command of a hook by which the files tell hooks apart.
fn command_of(hook: &Hook) -> &'static str {
    let shown = format!("{:?}", hook.run);
    let all = ["/gate", "/observe", "/each", "/rare"];
    all.into_iter().find(|word| shown.contains(word)).unwrap_or_else(|| panic!("{shown}"))
}

/// Returns `true` if entries of an agent have no timeout: a default of the target is no loss.
fn lacks_timeout(id: DialectId) -> bool {
    id.dialect().files.written.is_ok_and(|file| file.timeout().is_none())
}

/// Returns what of a hook differs in the file of the target and is not listed with its place.
fn silent_losses(
    hook: &Hook,
    all: &[Arc<Hook>],
    read: &[Arc<Hook>],
    lost: &[Diagnostic],
) -> Vec<String> {
    let of_hook = format!("hook `{}`: ", hook.id);
    let lost: Vec<&Diagnostic> =
        lost.iter().filter(|found| found.message.starts_with(&of_hook)).collect();
    let is_said = |word: &str| lost.iter().any(|found| found.message.contains(word));
    let is_gone = lost.iter().any(|found| found.code == Code::NotCarriedOver);
    let mut silent = Vec::new();
    let mut assert = |is_true: bool, what: String| silent.extend((!is_true).then_some(what));
    assert(lost.iter().all(|found| found.place.is_some()), format!("{of_hook}no place"));
    // The same command on another event may be of another hook.
    let is_of_other = |read: &Hook| {
        let mut others = all.iter().filter(|other| other.event == read.event);
        read.event != hook.event && others.any(|other| command_of(other) == command_of(read))
    };
    let same: Vec<&Arc<Hook>> = read
        .iter()
        .filter(|read| command_of(read) == command_of(hook) && !is_of_other(read))
        .collect();
    assert(is_gone == same.is_empty(), format!("{of_hook}there {} times: {lost:#?}", same.len()));
    for read in same {
        if read.event != hook.event {
            assert(is_said(&format!("also runs it on `{}`", read.event)), of_hook.clone());
            continue;
        }
        let is_default_lost = lacks_timeout(read.dialect) && hook.timeout.is_none();
        for ((words, wanted), (_, got)) in parts(hook).into_iter().zip(parts(read)) {
            assert(
                wanted == got
                    || is_default_lost && words.contains(&"`timeout`")
                    || words.iter().any(|word| is_said(word)),
                format!("{of_hook}{words:?}: {wanted} became {got}: {lost:#?}"),
            );
        }
    }
    silent
}

/// C-150, C-59.
#[test]
fn file_of_each_format_becomes_one_of_each_other_and_each_loss_is_listed() {
    let written = DIALECTS.iter().filter(|dialect| dialect.written_file_path().is_some());
    let targets: Vec<DialectId> = written.map(|dialect| dialect.id()).collect();
    for target in &targets {
        assert!(FILES.iter().any(|(id, _)| id == target), "a file of {target:?} is missing");
    }
    let mut silent = Vec::new();
    for (from, text) in FILES {
        let hooks = read(*from, text);
        // An event may be several events here.
        assert!(hooks.len() >= 4, "{from:?}: {hooks:#?}");
        for to in targets.iter().filter(|to| *to != from) {
            let (file, lost) = to.dialect().write_hook_file(&hooks).unwrap();
            let read = read(*to, &file);
            for hook in &hooks {
                let losses = silent_losses(hook, &hooks, &read, &lost);
                silent.extend(losses.iter().map(|loss| format!("{from:?} to {to:?}: {loss}")));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
