//! The agent's shell stands outside the project that the agent names: BR-18 of `docs/spec/bridge.md`.

use std::fs;

use serde_json::json;

use crate::room::{Room, Said};

/// A gate whose reason is the project that it is run for.
fn gate(command: &str) -> String {
    format!(
        "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash({command})\"\nshell = 'echo \"for ${{TENTERHOOK_PROJECT_DIR##*/}}\" >&2; exit 2'\n"
    )
}

/// A project with a gate, and directories in which its agent's shell may stand.
fn project_with_gate() -> Room {
    let room = Room::new();
    room.write("project/tenterhook.toml", &gate("deploy-prod"));
    for directory in ["project/vendor/.git", "project/sub", "outside"] {
        fs::create_dir_all(room.path(directory)).unwrap();
    }
    room
}

/// A call from a directory, by an agent whose environment names the project in `variable`, if in any.
fn call(room: &Room, (agent, event): (&str, &str), from: &str, variable: &str, cwd: &str) -> Said {
    let payload = json!({
        "session_id": "s", "cwd": room.path(cwd), "hook_event_name": event,
        "tool_name": if agent == "claude" || agent == "codex" { "Bash" } else { "run_shell_command" },
        "tool_input": {"command": "cd .. && deploy-prod"},
    });
    room.write("call.json", &payload.to_string());
    let [project, from, call] = ["project", from, "call.json"].map(|name| room.path(name));
    let variable = match variable {
        "" => String::new(),
        name => format!("{name}='{}'", project.display()),
    };
    room.shell(&format!(
        "cd '{}' && {variable} tenterhook hook --agent {agent} --event {event} <'{}'",
        from.display(),
        call.display()
    ))
}

const CLAUDE: (&str, &str) = ("claude", "PreToolUse");

#[test]
fn gates_of_the_project_that_the_agent_names_apply_wherever_the_shell_stands() {
    let room = project_with_gate();
    let agents = [
        (CLAUDE, "CLAUDE_PROJECT_DIR"),
        (("qwen", "PreToolUse"), "QWEN_PROJECT_DIR"),
        (("gemini", "BeforeTool"), "GEMINI_PROJECT_DIR"),
    ];
    for from in ["project", "project/vendor", "project/sub", "outside"] {
        for (agent, variable) in agents {
            let answer = call(&room, agent, from, variable, from);
            let is_denied = answer.stdout.contains("for project");
            assert!(is_denied, "{agent:?} from {from}: {}", answer.all());
        }
    }
}

#[test]
fn gates_of_the_directory_that_the_payload_names_apply() {
    let room = project_with_gate();
    let answer = call(&room, ("codex", "PreToolUse"), "outside", "", "project");
    assert!(answer.stdout.contains("for project"), "{}", answer.all());
}

#[test]
fn hooks_of_two_projects_run_each_for_its_own_project() {
    let room = project_with_gate();
    room.write("project/vendor/tenterhook.toml", &gate("cd *"));
    room.approve("project/vendor");
    let answer = call(&room, CLAUDE, "project/vendor", "CLAUDE_PROJECT_DIR", "project/vendor");
    for project in ["for project", "for vendor"] {
        assert!(answer.stdout.contains(project), "{project}: {}", answer.all());
    }
}

#[test]
fn each_project_is_trusted_on_its_own() {
    let room = project_with_gate();
    // A hook of the same name in a project that is not approved.
    room.write("project/vendor/tenterhook.toml", &gate("cd *"));
    let answer = call(&room, CLAUDE, "project/vendor", "CLAUDE_PROJECT_DIR", "project/vendor");
    assert!(answer.stdout.contains("for project"), "{}", answer.all());
    assert!(!answer.stdout.contains("for vendor"), "{}", answer.all());
    let room = project_with_gate().unapproved();
    let answer = call(&room, CLAUDE, "outside", "CLAUDE_PROJECT_DIR", "outside");
    assert!(!answer.stdout.contains("for project"), "{}", answer.all());
}
