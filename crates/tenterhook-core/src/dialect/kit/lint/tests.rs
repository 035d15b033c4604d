//! The lints of every agent: the findings of mistakes, and none for what is in order.

use crate::diagnostic::Diagnostic;
use crate::dialect::DialectId;
use crate::hook::Layer;
use crate::source::Source;

/// The agents, each with its event before a tool, its shell tool and a tool for files.
const AGENTS: &[(DialectId, &str, &str, &str)] = &[
    (DialectId::CLAUDE, "PreToolUse", "Bash", "Write"),
    (DialectId::CODEX, "PreToolUse", "Bash", "apply_patch"),
    (DialectId::GEMINI, "BeforeTool", "run_shell_command", "write_file"),
    (DialectId::QWEN, "PreToolUse", "run_shell_command", "write_file"),
    (DialectId::GOOSE, "PreToolUse", "shell", "write"),
    (DialectId::COPILOT, "PreToolUse", "Bash", "Write"),
];

/// Returns the findings of a file without groups: the matcher stands in the entry.
fn findings_of_entry(
    dialect: DialectId,
    key: &str,
    matcher: &str,
    command: &str,
) -> Vec<Diagnostic> {
    let entry = serde_json::json!({key: matcher, "command": command});
    let text = serde_json::json!({"hooks": {"PreToolUse": [entry]}}).to_string();
    let mut source = Source::from_text("hooks.json", dialect, &text, "/repo");
    source.layer = Layer::Project;
    dialect.dialect().read_config(&source).diagnostics
}

/// DR-12, CU-10, GM-11, S-63: agents in JavaScript do not read an expression as others do.
#[test]
fn syntax_that_javascript_lacks_is_reported_for_agents_in_javascript() {
    let groups = |event: &str, matcher: &str| {
        format!(
            r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "a"}}]}}]}}}}"#
        )
    };
    let entry = |matcher: &str| {
        format!(
            r#"{{"version": 1, "hooks": {{"preToolUse": [{{"matcher": "{matcher}", "command": "a"}}]}}}}"#
        )
    };
    let table = |matcher: &str| {
        format!("[[hooks]]\nevent = 'PreToolUse'\nmatcher = '{matcher}'\ncommand = 'a'\n")
    };
    for matcher in ["(?i)bash|shell|launch-process", "(?P<a>Bash|Shell)"] {
        for (dialect, text, is_reported) in [
            (DialectId::CLAUDE, groups("PreToolUse", matcher), true),
            (DialectId::GEMINI, groups("BeforeTool", matcher), true),
            (DialectId::QWEN, groups("PreToolUse", matcher), true),
            (DialectId::AUGMENT, groups("PreToolUse", matcher), true),
            (DialectId::CURSOR, entry(matcher), true),
            (DialectId::KIMI, table(matcher), true),
            (DialectId::CODEX, groups("PreToolUse", matcher), false),
            (DialectId::GOOSE, groups("PreToolUse", matcher), false),
        ] {
            let source = Source::from_text("/hooks", dialect, &text, "/");
            let found = dialect.dialect().read_config(&source).diagnostics;
            let found = found.iter().any(|found| found.message.contains("JavaScript has no `(?"));
            assert_eq!(found, is_reported, "{dialect}: {matcher}");
        }
    }
}

#[test]
fn matcher_in_an_entry_that_matches_nothing_is_found() {
    for (dialect, key) in [(DialectId::REASONIX, "match"), (DialectId::IGNIS, "matcher")] {
        for matcher in ["Bahs", "bahs", "Bash", "exec_shell", "mcp__x", "NoSuchTool", "Bash(rm *)"]
        {
            let found = findings_of_entry(dialect, key, matcher, "true");
            assert!(!found.is_empty(), "{dialect}: `{matcher}` has no finding");
        }
        for matcher in ["", "*", "bash", "read_file", "mcp__github__push", "mcp__github__*"] {
            let found = findings_of_entry(dialect, key, matcher, "true");
            assert_eq!(found, [], "{dialect}: `{matcher}`");
        }
    }
    let help =
        findings_of_entry(DialectId::REASONIX, "match", "Bash(rm *)", "true")[0].help.clone();
    assert_eq!(
        help.as_deref(),
        Some("write `\"match\": \"bash\"`, and test the rest in the program")
    );
}

#[test]
fn matcher_of_gen_that_matches_nothing_is_found() {
    for matcher in ["Bahs", "bash", "tool == \"Bash\"", "run_shell_command", "mcp__x"] {
        let found = findings(DialectId::GEN, "PreToolUse", matcher, "true");
        assert!(!found.is_empty(), "`{matcher}` has no finding");
    }
    for matcher in ["", "*", "Bash", "Bash|Edit", "Bash(git push*)", "mcp__.*", "TodoWrite", ".*"] {
        assert_eq!(findings(DialectId::GEN, "PreToolUse", matcher, "true"), [], "`{matcher}`");
    }
}

/// Each mistake of a native or CodeWhale line is found, and no hook is lost by it.
#[test]
fn mistake_of_a_line_in_toml_is_found() {
    for (line, code) in [
        ("$TENTERHOOK_PROJECT_DIR/x.sh", "unquoted-path-var"),
        ("'$TENTERHOOK_PROJECT_DIR/x.sh'", "unquoted-path-var"),
        ("\\\"$CLAUDE_PROJECT_DIR\\\"/x.sh", "undocumented-variable"),
        ("echo $TOOL_INPUT", "undocumented-variable"),
        ("/home/ann/x.sh", "absolute-home-path-in-command"),
        ("\\\"$TENTERHOOK_PROJECT_DIR\\\"/x.sh", ""),
        ("echo $HOME $TENTERHOOK_EVENT", ""),
    ] {
        let text = format!("[hook.a]\non = \"PreToolUse\"\nshell = \"{line}\"\n");
        let mut source = Source::from_text("tenterhook.toml", DialectId::NATIVE, &text, "/repo");
        source.layer = Layer::Project;
        let read = DialectId::NATIVE.dialect().read_config(&source);
        assert_eq!(codes(&read.diagnostics).concat(), code, "{line}");
        let is_usable = !matches!(read.hooks[0].run, crate::hook::Run::Unusable { .. });
        assert!(is_usable, "{line}");
    }
    for (line, code) in [
        ("$DEEPSEEK_WORKSPACE/x.sh", "unquoted-path-var"),
        ("\\\"$CLAUDE_PROJECT_DIR\\\"/x.sh", "undocumented-variable"),
        ("echo $TOOL_NAME", "unset-variable"),
        ("\\\"$DEEPSEEK_WORKSPACE\\\"/x.sh", ""),
    ] {
        let text = format!("[[hooks]]\nevent = \"tool_call_before\"\ncommand = \"{line}\"\n");
        let source = Source::from_text("hooks.toml", DialectId::CODEWHALE, &text, "/repo");
        let found = DialectId::CODEWHALE.dialect().read_config(&source).diagnostics;
        assert_eq!(codes(&found).concat(), code, "{line}");
    }
}

fn findings(dialect: DialectId, event: &str, matcher: &str, command: &str) -> Vec<Diagnostic> {
    let handler = serde_json::json!({"type": "command", "command": command});
    let group = serde_json::json!({"matcher": matcher, "hooks": [handler]});
    let text = serde_json::json!({"hooks": {event: [group]}}).to_string();
    let mut source = Source::from_text("hooks.json", dialect, &text, "/repo");
    source.layer = Layer::Project;
    dialect.dialect().read_config(&source).diagnostics
}

fn codes(found: &[Diagnostic]) -> Vec<&'static str> {
    found.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

#[test]
fn matcher_that_matches_nothing_is_found_for_every_agent() {
    for (dialect, event, shell, file) in AGENTS {
        let near = format!("{}x", shell.get(..shell.len() - 1).unwrap());
        for matcher in [
            "Bash(git push*)",
            "tool == \"Bash\"",
            "*.py",
            "Bahs",
            &near,
            "tool_input.command matches 'x'",
            "src/**",
            "str_replace",
            "NoSuchTool",
        ] {
            let found = findings(*dialect, event, matcher, "true");
            assert!(!found.is_empty(), "{dialect}: `{matcher}` has no finding");
        }
        let servers = match *dialect {
            DialectId::GEMINI => "mcp_github_push|mcp_github_pull",
            DialectId::COPILOT => "github-push|github-pull",
            DialectId::GOOSE => "github__push|github__pull",
            _ => "mcp__github__push|mcp__github__pull",
        };
        for matcher in [
            "",
            "*",
            shell,
            file,
            &format!("{shell}|{file}"),
            &format!("^{shell}$"),
            &format!("{shell}|SomebodysTool|mcp__.*"),
            servers,
            ".*",
        ] {
            let found = findings(*dialect, event, matcher, "true");
            let warns = |d: &&Diagnostic| d.severity > crate::diagnostic::Severity::Advice;
            let stars = ["*"].contains(&matcher) && *dialect == DialectId::GOOSE;
            assert_eq!(found.iter().find(warns).filter(|_| !stars), None, "{dialect}: `{matcher}`");
        }
    }
}

#[test]
fn unreachable_hook_is_known_for_every_agent() {
    for (dialect, event, ..) in AGENTS {
        for (matcher, never) in [("Bash(git push*)", true), ("NoSuchTool", false)] {
            let handler = serde_json::json!({"type": "command", "command": "true"});
            let group = serde_json::json!({"matcher": matcher, "hooks": [handler]});
            let text = serde_json::json!({"hooks": {*event: [group]}}).to_string();
            let source = Source::from_text("hooks.json", *dialect, &text, "/repo");
            let read = dialect.dialect().read_config(&source);
            let why = dialect.dialect().why_never_selected(read.hooks.first().unwrap());
            assert_eq!(why.is_some(), never, "{dialect}: `{matcher}` {why:?}");
        }
    }
}

#[test]
fn neutral_name_of_a_tool_runs_only_here() {
    let found = findings(DialectId::GEMINI, "BeforeTool", "Bash", "true");
    assert_eq!(codes(&found), ["foreign-tool-name-in-matcher"]);
    assert_eq!(found[0].help.as_deref(), Some("Gemini CLI calls it `run_shell_command`"));
}

#[test]
fn part_with_a_path_behind_a_tool_is_found() {
    let found = findings(DialectId::CLAUDE, "PreToolUse", "Edit|Write:*.ts", "true");
    assert_eq!(codes(&found), ["matcher-is-glob"]);
    assert_eq!(findings(DialectId::CLAUDE, "PreToolUse", "Edit|Write", "true"), []);
}

#[test]
fn matcher_null_is_named() {
    for (dialect, event, ..) in AGENTS {
        let text = format!(
            r#"{{"hooks": {{"{event}": [{{"matcher": null, "hooks": [{{"type": "command", "command": "true"}}]}}]}}}}"#
        );
        let source = Source::from_text("hooks.json", *dialect, &text, "/repo");
        let found = dialect.dialect().read_config(&source).diagnostics;
        assert_eq!(codes(&found), ["matcher-not-string"], "{dialect}");
    }
}

#[test]
fn mistakes_of_commands_are_found_for_every_agent() {
    let mistakes = [
        (DialectId::CLAUDE, "'$CLAUDE_PROJECT_DIR/.claude/hooks/g.sh'", "unquoted-path-var"),
        (DialectId::CLAUDE, "'${CLAUDE_PROJECT_DIR}/.claude/hooks/g.sh' x", "unquoted-path-var"),
        (DialectId::CLAUDE, "bash -c '$CLAUDE_PROJECT_DIR/x/g.sh'", "unquoted-path-var"),
        (DialectId::CLAUDE, "$env:CLAUDE_PROJECT_DIR/x.sh", "undocumented-variable"),
        (DialectId::CLAUDE, "node \"$GEMINI_PROJECT_DIR/x.js\"", "undocumented-variable"),
        (DialectId::CODEX, "node ${CODEX_PLUGIN_ROOT}/dist/x.js", "undocumented-variable"),
        (DialectId::CODEX, "node \"$CLAUDE_PROJECT_DIR/x.js\"", "undocumented-variable"),
        (DialectId::CODEX, "node ${CLAUDE_PLUGIN_ROOT}/x.js", "unquoted-path-var"),
        (DialectId::CODEX, "/Users/ann/x.sh", "absolute-home-path-in-command"),
        (DialectId::GEMINI, "\"$QWEN_PROJECT_DIR/x.sh\"", "undocumented-variable"),
        (DialectId::GEMINI, "/home/ann/x.sh", "absolute-home-path-in-command"),
        (DialectId::GEMINI, "echo $TOOL_INPUT", "undocumented-variable"),
        (DialectId::QWEN, "$QWEN_PROJECT_DIR/x.sh", "unquoted-path-var"),
        (DialectId::COPILOT, "node ${workspaceFolder}/x.js", "undocumented-variable"),
        (DialectId::COPILOT, "$CLAUDE_PROJECT_DIR/x.sh", "unquoted-path-var"),
        (DialectId::GOOSE, "$PLUGIN_ROOT/x.sh", "unquoted-path-var"),
        (DialectId::GOOSE, "\"$CLAUDE_PLUGIN_ROOT/x.sh\"", "undocumented-variable"),
    ];
    for (dialect, command, code) in mistakes {
        let event = AGENTS.iter().find(|(id, ..)| *id == dialect).unwrap().1;
        let found = findings(dialect, event, "", command);
        assert_eq!(codes(&found), [code], "{dialect}: {command}");
    }
}

#[test]
fn command_in_order_has_no_finding() {
    for (dialect, command) in [
        (DialectId::CLAUDE, "\"$CLAUDE_PROJECT_DIR\"/x.sh"),
        (DialectId::CLAUDE, "jq -r '.a' | grep '$CLAUDE' && echo 'a $env:PATH'"),
        (DialectId::CLAUDE, "node \"${GEMINI_PROJECT_DIR:-$CLAUDE_PROJECT_DIR}/x.js\""),
        (DialectId::CLAUDE, "powershell -Command \"$r = $env:USERPROFILE; & $r\""),
        (DialectId::CODEX, "node \"$PLUGIN_ROOT/x.js\""),
        (
            DialectId::CODEX,
            "[ -n \"$CLAUDE_PROJECT_DIR\" ] || cd \"$(git rev-parse --show-toplevel)\"",
        ),
        (DialectId::GEMINI, "$GEMINI_PROJECT_DIR/x.sh"),
        (DialectId::GEMINI, "$CLAUDE_PROJECT_DIR/x.sh"),
        (DialectId::QWEN, "\"$QWEN_PROJECT_DIR\"/x.sh"),
        (DialectId::COPILOT, "\"$COPILOT_PROJECT_DIR\"/x.sh"),
        (DialectId::GOOSE, "\"$PLUGIN_ROOT/x.sh\""),
    ] {
        let event = AGENTS.iter().find(|(id, ..)| *id == dialect).unwrap().1;
        assert_eq!(findings(dialect, event, "", command), [], "{dialect}: {command}");
    }
}

#[test]
fn event_of_another_agent_gets_its_own_name() {
    let found = findings(DialectId::GEMINI, "PreToolUse", "", "true");
    assert_eq!(codes(&found), ["unknown-event"]);
    assert_eq!(found[0].help.as_deref(), Some("Gemini CLI calls it `BeforeTool`"));
}
