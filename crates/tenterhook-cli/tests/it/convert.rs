//! `convert`: the same hooks in a native file or in one of another agent, and what is lost.

use crate::fixture::{Fixture, fits_schema};

const IGNIS: &str = r#"{"hooks": {
  "UserPromptSubmit": [{"argv": ["sh", "-c", "echo '{\"hookSpecificOutput\": {\"updatedInput\": \"UP\"}}'"], "sandbox": false}],
  "PreToolUse": [{"argv": ["sh", "-c", "echo no >&2; exit 2"], "matcher": "bash", "sandbox": false}]
}}"#;
const PROMPT: &str = r#"{"hook_event_name": "UserPromptSubmit", "prompt": "up"}"#;
const CALL: &str =
    r#"{"hook_event_name": "PreToolUse", "toolName": "bash", "toolInput": {"command": "ls"}}"#;

#[test]
fn the_native_file_answers_as_the_other_did() {
    let fixture = Fixture::new();
    fixture.write("project/hooks.json", IGNIS);
    let output = fixture.run(&["convert", "hooks.json", "--dialect", "ignis"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    fixture.write("project/tenterhook.toml", &output.stdout);
    for (event, code) in [(PROMPT, 0), (CALL, 2)] {
        let fire = |config| {
            let args = ["fire", "--config", config, "--dialect", "ignis", "--format", "json", "-"];
            let mut outcome = fixture.json(&args, event, code);
            outcome["steps"] = 0.into();
            outcome
        };
        let (before, after) = (fire("hooks.json"), fire("tenterhook.toml"));
        assert_eq!(after, before);
        assert_eq!(after["faults"].as_array().unwrap().len(), 0);
    }
}

#[test]
fn what_is_lost_is_said_and_the_exit_code_tells() {
    let fixture = Fixture::new();
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": null}}, {"type": "http", "url": "https://a.example"}]}]}}"#;
    fixture.write("project/hooks.json", text);
    let output = fixture.run(&["convert", "hooks.json"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stderr.contains("not-carried-over"), "{}", output.stderr);
    let value = fixture.json(&["convert", "hooks.json", "--format", "json"], "", 1);
    fits_schema("convert", &value);
    assert!(value["config"].as_str().unwrap().contains("[hook."));
}

#[test]
fn a_native_file_is_native_already() {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", "[hook.a]\non = 'Stop'\nrun = ['x']\n");
    let output = fixture.run(&["convert", "tenterhook.toml"], "");
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("is native already"), "{}", output.stderr);
    assert_eq!(fixture.run(&["convert", "nowhere.json"], "").code, 1);
}

/// A file without hooks is no empty success: which file, why, and what to give.
#[test]
fn a_file_that_configures_nothing_is_an_error() {
    let fixture = Fixture::new();
    for (name, text, why) in [
        ("x.json", r#"{"no": "config"}"#, "configures no hooks"),
        ("x.json", "", "configures no hooks: the file is empty"),
        ("x.json", "hello", "is not well formed, so nothing was converted"),
        ("x.toml", "a = 1", "configures no hooks: the file has no key `a`"),
    ] {
        fixture.write(&format!("project/{name}"), text);
        let output = fixture.run(&["convert", name], "");
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{text}");
        assert!(output.stderr.contains(&format!("`{name}` {why}")), "{}", output.stderr);
    }
}

/// C-150: what the agent reads of the new file is what the file said, and the losses are listed.
#[test]
fn settings_of_claude_become_a_file_of_each_agent() {
    let fixture = Fixture::new();
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "./deny", "timeout": 5},
        {"type": "command", "command": "tenterhook hook --agent claude --event PreToolUse --within 590s"}]}]}}"#;
    fixture.write("project/.claude/settings.json", text);
    for (agent, matcher) in [
        ("codex", "Bash"),
        ("copilot", "bash"),
        ("droid", "Execute"),
        ("gemini", "run_shell_command"),
        ("gen", "Bash"),
        ("goose", "shell"),
        ("qwen", "run_shell_command"),
        ("reasonix", "bash"),
        ("ignis", "bash"),
        ("cursor", "Shell"),
        ("vibe", "bash|process_start"),
        ("hermes", "terminal"),
        ("augment", "launch-process"),
        ("windsurf", "pre_run_command"),
        ("crush", "bash"),
        ("antigravity", "run_command"),
        ("kimi", "Bash"),
        ("kiro", "execute_bash"),
    ] {
        let output = fixture.run(&["convert", ".claude/settings.json", "--to", agent], "");
        assert_eq!(output.code, 0, "{agent}: {}", output.stderr);
        // Its lines are wrapped.
        let stderr = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.stdout.contains(matcher), "{agent}: {}", output.stdout);
        assert!(
            output.stdout.contains("./deny") && !output.stdout.contains("tenterhook"),
            "{}",
            output.stdout
        );
        assert!(stderr.contains("programs written for `claude` get"), "{agent}: {}", output.stderr);
        assert!(stderr.contains("is left out"), "{agent}: {}", output.stderr);
        let (_, path) = stderr.split_once("reads this from `").unwrap();
        let path = path.split('`').next().unwrap();
        fixture.write(&format!("other/{path}"), &output.stdout);
        let path = format!("{agent}={}", fixture.path(&format!("other/{path}")).display());
        let list = fixture.json(&["list", &path, "--format", "json"], "", 0);
        assert!(list.to_string().contains("PreToolUse"), "{agent}: {list}");
        let back = fixture.run(&["convert", &path, "--to", "claude"], "");
        assert_eq!(back.code, 0, "{agent}: {}", back.stderr);
        assert!(
            back.stdout.contains("./deny") && back.stdout.contains("Bash"),
            "{agent}: {}",
            back.stdout
        );
        // An entry of Windsurf has no timeout.
        let timeout = if agent == "windsurf" { "\"matcher\"" } else { "\"timeout\": 5" };
        assert!(back.stdout.contains(timeout), "{agent}: {}", back.stdout);
    }
    let json = fixture.json(
        &["convert", ".claude/settings.json", "--to", "droid", "--format", "json"],
        "",
        0,
    );
    fits_schema("convert", &json);
    assert_eq!(json["path"], ".factory/hooks.json");
}

/// C-150: an agent without a single file of hooks, and one that does not exist.
#[test]
fn format_that_cannot_be_written_is_named() {
    let fixture = Fixture::with_settings(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./a"}]}]}}"#,
    );
    for (agent, why, can_be_installed) in [
        ("cline", "each of its hooks is a script", true),
        ("pi", "it loads modules, and no file of hooks", true),
        ("vscode", "it reads the files of `copilot` and of `claude`", false),
    ] {
        let output = fixture.run(&["convert", ".claude/settings.json", "--to", agent], "");
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{agent}");
        let shown = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(&format!("no hooks are written for `{agent}`: {why}")), "{shown}");
        let install = format!("tenterhook install {agent}");
        assert_eq!(shown.contains(&install), can_be_installed, "{shown}");
    }
    let output = fixture.run(&["convert", ".claude/settings.json", "--to", "claude"], "");
    assert!(output.stderr.contains("is claude already"), "{}", output.stderr);
    assert_ne!(fixture.run(&["convert", ".claude/settings.json", "--to", "nothing"], "").code, 0);
}
