//! The agent's shell stands outside the project that the agent names: BR-18 of `docs/spec/bridge.md`.

use std::fs;

use serde_json::json;

use crate::fixture::{CliOutput, Fixture};

/// A gate whose reason is the project that it is run for.
fn gate(command: &str) -> String {
    format!(
        "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash({command})\"\nshell = 'echo \"for ${{TENTERHOOK_PROJECT_DIR##*/}}\" >&2; exit 2'\n"
    )
}

/// A project with a gate, and directories in which its agent's shell may stand.
fn project_with_gate() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", &gate("deploy-prod"));
    for directory in ["project/vendor/.git", "project/sub", "outside"] {
        fs::create_dir_all(fixture.path(directory)).unwrap();
    }
    fixture
}

/// A call from a directory, by an agent whose environment names the project in `variable`, if in any.
fn call(
    fixture: &Fixture,
    (agent, event): (&str, &str),
    from: &str,
    variable: &str,
    cwd: &str,
) -> CliOutput {
    let payload = json!({
        "session_id": "s", "cwd": fixture.path(cwd), "hook_event_name": event,
        "tool_name": if agent == "claude" || agent == "codex" { "Bash" } else { "run_shell_command" },
        "tool_input": {"command": "cd .. && deploy-prod"},
    });
    fixture.write("call.json", &payload.to_string());
    let [project, from, call] = ["project", from, "call.json"].map(|name| fixture.path(name));
    let variable = match variable {
        "" => String::new(),
        name => format!("{name}='{}'", project.display()),
    };
    fixture.shell(&format!(
        "cd '{}' && {variable} tenterhook hook --agent {agent} --event {event} <'{}'",
        from.display(),
        call.display()
    ))
}

const CLAUDE: (&str, &str) = ("claude", "PreToolUse");

/// BR-18.
#[test]
fn gates_of_the_project_that_the_agent_names_apply_wherever_the_shell_stands() {
    let fixture = project_with_gate();
    let agents = [
        (CLAUDE, "CLAUDE_PROJECT_DIR"),
        (("qwen", "PreToolUse"), "QWEN_PROJECT_DIR"),
        (("gemini", "BeforeTool"), "GEMINI_PROJECT_DIR"),
    ];
    for from in ["project", "project/vendor", "project/sub", "outside"] {
        for (agent, variable) in agents {
            let answer = call(&fixture, agent, from, variable, from);
            let is_denied = answer.stdout.contains("for project");
            assert!(is_denied, "{agent:?} from {from}: {}", answer.all());
        }
    }
}

/// BR-18.
#[test]
fn gates_of_the_directory_that_the_payload_names_apply() {
    let fixture = project_with_gate();
    let answer = call(&fixture, ("codex", "PreToolUse"), "outside", "", "project");
    assert!(answer.stdout.contains("for project"), "{}", answer.all());
}

/// BR-18.
#[test]
fn gates_of_each_folder_of_a_workspace_apply() {
    let fixture = project_with_gate();
    let [outside, project] = ["outside", "project"].map(|folder| fixture.path(folder));
    let gone = fixture.path("gone");
    for (agent, event, call) in [
        (
            "cursor",
            "preToolUse",
            json!({"hook_event_name": "preToolUse", "conversation_id": "c", "tool_name": "Shell",
                "workspace_roots": [outside, gone, project], "tool_input": {"command": "deploy-prod"}}),
        ),
        (
            "antigravity",
            "PreToolUse",
            json!({"workspacePaths": [outside, gone, project],
                "toolCall": {"name": "run_command", "args": {"CommandLine": "deploy-prod"}}}),
        ),
    ] {
        fixture.write("call.json", &call.to_string());
        let call = fixture.path("call.json");
        let line = format!(
            "cd '{}' && tenterhook hook --agent {agent} --event {event} <'{}'",
            outside.display(),
            call.display()
        );
        let answer = fixture.shell(&line);
        assert!(answer.stdout.contains("for project"), "{agent}: {}", answer.all());
    }
}

/// BR-18.
#[test]
fn hooks_of_two_projects_run_each_for_its_own_project() {
    let fixture = project_with_gate();
    fixture.write("project/vendor/tenterhook.toml", &gate("cd *"));
    fixture.approve("project/vendor");
    let answer = call(&fixture, CLAUDE, "project/vendor", "CLAUDE_PROJECT_DIR", "project/vendor");
    for project in ["for project", "for vendor"] {
        assert!(answer.stdout.contains(project), "{project}: {}", answer.all());
    }
}

/// BR-18.
#[test]
fn each_project_is_trusted_on_its_own() {
    let fixture = project_with_gate();
    // A hook of the same name in a project that is not approved.
    fixture.write("project/vendor/tenterhook.toml", &gate("cd *"));
    let answer = call(&fixture, CLAUDE, "project/vendor", "CLAUDE_PROJECT_DIR", "project/vendor");
    assert!(answer.stdout.contains("for project"), "{}", answer.all());
    assert!(!answer.stdout.contains("for vendor"), "{}", answer.all());
    let fixture = project_with_gate().unapproved();
    let answer = call(&fixture, CLAUDE, "outside", "CLAUDE_PROJECT_DIR", "outside");
    assert!(!answer.stdout.contains("for project"), "{}", answer.all());
}

/// A call behind an agent that names no project, in a session, from a directory.
fn call_in(fixture: &Fixture, session: &str, from: &str, command: &str) -> CliOutput {
    let payload = json!({
        "session_id": session, "cwd": fixture.path(from), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command},
    });
    fixture.write("call.json", &payload.to_string());
    let [from, call] = [from, "call.json"].map(|name| fixture.path(name));
    let line = "tenterhook hook --agent codex --event PreToolUse";
    fixture.shell(&format!("cd '{}' && {line} <'{}'", from.display(), call.display()))
}

/// BR-19.
#[test]
fn gates_of_a_project_that_the_session_left_still_apply_and_that_is_reported_once() {
    let fixture = project_with_gate();
    assert!(call_in(&fixture, "s", "project", "ls").stdout.is_empty());
    for (at, from) in ["outside", "project/vendor", "outside"].into_iter().enumerate() {
        let output = call_in(&fixture, "s", from, "deploy-prod");
        assert!(output.stdout.contains("for project"), "{from}: {}", output.all());
        let is_reported = output.all().contains("the session left the project");
        assert_eq!(is_reported, at == 0, "{from}: {}", output.all());
    }
    assert!(call_in(&fixture, "s", "outside", "ls").stdout.is_empty());
    let output = call_in(&fixture, "s", "project", "deploy-prod");
    assert!(output.stdout.contains("for project"), "back again: {}", output.all());
    // Another session was never there.
    let output = call_in(&fixture, "other", "outside", "deploy-prod");
    assert!(output.stdout.is_empty(), "{}", output.all());
}

/// BR-19.
/// BR-98.
#[test]
fn project_that_the_session_left_contributes_gates_alone() {
    let fixture = Fixture::new();
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"ctx","updatedInput":{"command":"other"}}}"#;
    fixture.write(
        "project/tenterhook.toml",
        &format!(
            "[hook.adds]\non = \"PreToolUse\"\nspeaks = \"claude\"\nshell = '''echo '{answer}' '''\n\n[hook.sees]\non = \"PostToolUse\"\nshell = 'touch \"$TENTERHOOK_PROJECT_DIR/../home/seen\"'\nsandbox = \"off\"\n\n[hook.gate]\nenabled = false\n",
        ),
    );
    fixture.write("outside/tenterhook.toml", &gate("deploy-prod"));
    fixture.approve("outside");
    let here = call_in(&fixture, "s", "project", "ls");
    assert!(here.stdout.contains("ctx") || here.stdout.contains("other"), "{}", here.all());
    let left = call_in(&fixture, "s", "outside", "ls");
    assert!(!left.stdout.contains("ctx") && !left.stdout.contains("other"), "{}", left.all());
    // What its file says of a hook of that name binds no other project.
    let output = call_in(&fixture, "s", "outside", "deploy-prod");
    assert!(output.stdout.contains("for outside"), "{}", output.all());
}

/// BR-19.
#[test]
fn ninth_project_of_a_session_is_reported_and_not_kept() {
    let fixture = Fixture::new();
    for number in 1..=9 {
        let project = format!("p{number}");
        fixture.write(&format!("{project}/tenterhook.toml"), &gate(&format!("deploy-{number}")));
        fixture.approve(&project);
        let output = call_in(&fixture, "s", &project, "ls");
        assert_eq!(output.all().contains("was in 8 projects"), number == 9, "{}", output.all());
    }
    fs::create_dir(fixture.path("outside")).unwrap();
    for number in 1..=9 {
        let output = call_in(&fixture, "s", "outside", &format!("deploy-{number}"));
        assert_eq!(output.stdout.contains("for p"), number < 9, "{number}: {}", output.all());
    }
}

/// The places below the root from which the gates of the root are asked for.
const BELOW: &[&str] = &["", "/a", "/a/b/c", "/hooks", "/.claude", "/.codex", "/.github/hooks"];

/// A file of a repository's root with a gate: its place, its text, and an agent that calls.
const OF_ROOT: &[(&str, &str, &str)] = &[
    (
        "tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nrun = [\"./hooks/gate.sh\"]\n",
        "claude",
    ),
    ("tenterhook.toml", "[hook.gate]\non = \"PreToolUse\"\nrun = [\"hooks/gate.sh\"]\n", "codex"),
    (
        "tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nrun = [\"sh\", \"hooks/gate.sh\"]\n",
        "codex",
    ),
    (
        "tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nshell = \"sh hooks/gate.sh\"\n",
        "codex",
    ),
    (
        "tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nshell = 'sh \"$TENTERHOOK_PROJECT_DIR/hooks/gate.sh\"'\n",
        "codex",
    ),
    (
        "tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nrun = [\"./hooks/gate.sh\"]\ncwd = \"hooks\"\n",
        "codex",
    ),
    (
        "tenterhook.local.toml",
        "[hook.gate]\non = \"PreToolUse\"\nrun = [\"./hooks/gate.sh\"]\n",
        "codex",
    ),
    (
        "tenterhook.json",
        r#"{"hook": {"gate": {"on": "PreToolUse", "run": ["./hooks/gate.sh"]}}}"#,
        "codex",
    ),
    (
        ".claude/settings.local.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hooks/gate.sh"}]}]}}"#,
        "codex",
    ),
    (
        ".claude/settings.local.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh", "args": ["${CLAUDE_PROJECT_DIR}/hooks/gate.sh"]}]}]}}"#,
        "codex",
    ),
    (
        ".codex/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh hooks/gate.sh"}]}]}}"#,
        "claude",
    ),
    (
        ".github/hooks/a.json",
        r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "sh hooks/gate.sh"}]}}"#,
        "codex",
    ),
];

/// C-100: an approval of a file at the root of a repository counts wherever below it the agent stands.
#[test]
fn gate_of_the_root_denies_from_every_subdirectory_wherever_it_was_approved() {
    for (file, text, agent) in OF_ROOT {
        for approved in ["project", "project/a/b/c"] {
            let fixture = Fixture::new().unapproved();
            for directory in BELOW
                .iter()
                .map(|below| format!("project{below}"))
                .chain(["project/.git".to_owned()])
            {
                fs::create_dir_all(fixture.path(&directory)).unwrap();
            }
            fixture.write(&format!("project/{file}"), text);
            let script = "#!/bin/sh\ngrep -q deploy-prod || exit 0\necho 'not in this repository' >&2\nexit 2\n";
            fixture.write("project/hooks/gate.sh", script);
            fixture.shell("chmod 755 hooks/gate.sh");
            fixture.approve(approved);
            for below in BELOW {
                let from = format!("project{below}");
                let call = |command: &str| {
                    let payload = json!({ "session_id": "s", "cwd": fixture.path(&from), "hook_event_name": "PreToolUse",
                        "tool_name": "Bash", "tool_input": { "command": command } });
                    let args = ["hook", "--agent", agent, "--event", "PreToolUse"];
                    fixture.run_in(&from, &args, &payload.to_string())
                };
                let shown = format!("{file} {text}, approved in {approved}, {agent} in {from}");
                let denied = call("deploy-prod");
                assert!(
                    denied.stdout.contains("not in this repository"),
                    "{shown}: {}",
                    denied.all()
                );
                let passed = call("ls");
                assert!(!passed.stdout.contains("deny"), "{shown}: {}", passed.all());
            }
        }
    }
}
