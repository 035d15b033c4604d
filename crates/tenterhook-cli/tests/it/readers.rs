//! Entries and files of one agent that another agent runs: Cursor and VS Code run those of Claude Code.

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};

const DENIES: &str =
    "[hook.no]\non = \"PreToolUse\"\nmatch = \"Bash\"\nwhen = \"true\"\ndeny = \"not here\"\n";

/// Returns whether a reply gives the rule's reason.
fn starts_with_reason(reply: &Value) -> bool {
    reply.as_str().is_some_and(|text| text.starts_with("not here"))
}

fn with_rule() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", DENIES);
    fixture
}

/// The command of the first gate in a file that `install` wrote.
fn command(fixture: &Fixture, file: &str, path: &str) -> String {
    let text = std::fs::read_to_string(fixture.path(file)).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    settings.pointer(path).and_then(Value::as_str).unwrap().to_owned()
}

fn cursor_call() -> Value {
    json!({"conversation_id": "c", "session_id": "c", "hook_event_name": "preToolUse",
        "cursor_version": "2.4.7", "workspace_roots": ["/"], "tool_name": "Shell",
        "tool_input": {"command": "ls", "cwd": ""}, "tool_use_id": "t"})
}

/// Runs a line as Cursor does: the event is a here-document behind it, and nothing is on stdin.
fn run_as_cursor(fixture: &Fixture, line: &str) -> (i32, String) {
    let event = cursor_call();
    let output = fixture.shell(&format!(
        "export CURSOR_VERSION=2.4.7; {line} <<'CURSOR_HOOK_EOF'\n{event}\nCURSOR_HOOK_EOF"
    ));
    (output.code, output.stdout)
}

/// Runs a line as Cursor does, but with no event.
fn run_without_event_as_cursor(fixture: &Fixture, line: &str) -> (i32, String) {
    let output = fixture.shell(&format!("export CURSOR_VERSION=2.4.7; {line} </dev/null"));
    (output.code, output.stdout)
}

/// BR-171: `install` says which other agent runs the file, until that agent calls Tenterhook itself.
#[test]
fn install_names_an_agent_that_runs_the_same_file() {
    let fixture = with_rule();
    let is_named = |fixture: &Fixture| {
        let output = fixture.run(&["install", "claude"], "");
        let text: Vec<&str> = output.stderr.split_whitespace().collect();
        text.join(" ").contains("`tenterhook install cursor --experimental` makes Cursor call")
    };
    assert!(!is_named(&fixture), "Cursor is not here");
    fixture.write("home/.cursor/cli.json", "{}");
    assert!(is_named(&fixture));
    assert_eq!(fixture.run(&["install", "cursor", "--experimental"], "").code, 0);
    assert!(!is_named(&fixture));
}

const CLAUDE: (&str, &str) = ("home/.claude/settings.json", "/hooks/PreToolUse/0/hooks/0/command");
const CURSOR: (&str, &str) = ("home/.cursor/hooks.json", "/hooks/preToolUse/0/command");

/// BR-171: Claude Code's entry gets no event in Cursor, so it denies in Cursor's words; once Cursor's
/// own entry judges the call, it is silent.
#[test]
fn entry_without_event_denies_until_cursor_has_its_own() {
    let fixture = with_rule();
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    let line = command(&fixture, CLAUDE.0, CLAUDE.1);
    let (code, stdout) = run_as_cursor(&fixture, &line);
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &answer["permission"]), (0, &json!("deny")), "{stdout}");
    assert!(stdout.contains("install cursor --experimental"), "{stdout}");
    fixture.forget_agents();
    let output = fixture.run(&["install", "cursor", "--experimental"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(run_as_cursor(&fixture, &line), (0, "{}\n".to_owned()));
    let own = command(&fixture, CURSOR.0, CURSOR.1);
    let (code, stdout) = run_without_event_as_cursor(&fixture, &own);
    assert!(code == 0 && stdout.contains(r#""permission":"deny""#), "{stdout}");
    let (code, stdout) = run_as_cursor(&fixture, &own);
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &answer["permission"]), (0, &json!("deny")));
    assert!(starts_with_reason(&answer["user_message"]), "{stdout}");
}

/// BR-13, CU-40, VS-1: the entry of Claude Code knows who calls, and replies in that agent's form.
#[test]
fn entry_of_claude_code_replies_to_its_caller() {
    let fixture = with_rule();
    let args = ["hook", "--agent", "claude", "--event", "PreToolUse"];
    let answer: Value =
        serde_json::from_str(&fixture.run(&args, &cursor_call().to_string()).stdout).unwrap();
    assert_eq!(answer["permission"], "deny", "{answer}");
    assert!(starts_with_reason(&answer["user_message"]), "{answer}");
    let call = json!({"timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/", "sessionId": "s",
        "hookEventName": "PreToolUse", "transcript_path": "/t.json", "tool_name": "run_in_terminal",
        "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    for agent in ["claude", "copilot"] {
        let event = if agent == "claude" { "PreToolUse" } else { "preToolUse" };
        let output = fixture.run(&["hook", "--agent", agent, "--event", event], &call.to_string());
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        let decision = &answer["hookSpecificOutput"];
        assert_eq!(decision["permissionDecision"], "deny", "{agent}: {}", output.all());
        assert!(starts_with_reason(&decision["permissionDecisionReason"]), "{}", output.all());
    }
}

/// BR-172: `status` says who else runs the hooks of a file, which run twice, and which never.
#[test]
fn status_names_the_other_readers_of_a_file() {
    let fixture = Fixture::new();
    let entry = |command: &str| json!([{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]);
    let settings = json!({"hooks": {"PreToolUse": entry("mine"), "Notification": entry("ring")}});
    fixture.write("home/.claude/settings.json", &settings.to_string());
    fixture.write("home/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    let status = fixture.json(&["status", "--format", "json"], "", 1);
    fits_schema("status", &status);
    let shared = json!([{"file": "~/.claude/settings.json", "owner": "claude", "reader": "cursor",
        "hooks": 2, "calls_tenterhook": false, "twice": false, "never": ["Notification"],
        "ignores_matchers": false}]);
    assert_eq!(status["shared_files"], shared);
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    let output = fixture.run(&["install", "cursor", "--experimental"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    let status = fixture.json(&["status", "--format", "json"], "", 0);
    assert_eq!(status["shared_files"][0]["twice"], true);
    assert_eq!(status["shared_files"][0]["calls_tenterhook"], true);
    let text = fixture.run(&["status"], "").stdout;
    for part in ["Files that several agents read", "second time", "never runs Notification"] {
        assert!(text.contains(part), "{text}");
    }
}

/// BR-170: an agent known from documents needs the flag, and `status` says so.
#[test]
fn agent_known_from_documents_needs_the_flag() {
    let fixture = Fixture::new();
    fixture.write("home/.cursor/keep", "");
    let output = fixture.run(&["install", "cursor"], "");
    assert!(output.code != 0 && output.all().contains("--experimental"), "{}", output.all());
    let output = fixture.run(&["install", "--all"], "");
    assert!(output.stderr.contains("Cursor is left out"), "{}", output.all());
    let status = fixture.json(&["status", "--format", "json"], "", 0);
    assert!(status["agents"][0]["known_only_from"].is_string(), "{status:#}");
    assert_eq!(fixture.run(&["install", "cursor", "--experimental"], "").code, 0);
    let text = fixture.run(&["status"], "").stdout;
    assert!(text.contains("read, not played") && text.contains("calls Tenterhook"), "{text}");
    assert_eq!(fixture.run(&["uninstall", "cursor"], "").code, 0);
    assert!(!fixture.path("home/.cursor/hooks.json").exists());
}
