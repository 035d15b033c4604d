//! Hook files that cannot be read, through the program: what is blocked, and what is reported.
#![cfg(unix)]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::fixture::{Fixture, install};

const CALL: &str = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}"#;
const PROMPT: &str = r#"{"hook_event_name": "UserPromptSubmit", "prompt": "mend it"}"#;

/// C-72.
#[test]
fn a_file_that_is_torn_holds_calls_and_no_prompt() {
    for (file, code) in [
        ("tenterhook.toml", 2),
        (".claude/settings.json", 3),
        (".gen/settings.json", 3),
        (".reasonix/settings.json", 3),
        (".codewhale/hooks.toml", 3),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{file}"), "{\"hooks\": {");
        let output = fixture.run(&["fire"], CALL);
        assert_eq!(output.code, code, "{file}: {}", output.all());
        assert!(
            output.stdout.contains("`tenterhook check` shows more"),
            "{file}: {}",
            output.all()
        );
        assert_eq!(fixture.run(&["fire"], PROMPT).code, 0, "{file}");
        let check = fixture.json(&["check", "--format", "json"], "", 1);
        let codes: Vec<_> = check["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|diagnostic| diagnostic["code"].clone())
            .collect();
        assert!(codes.contains(&"calls-held".into()), "{file}: {codes:?}");
        let list = fixture.json(&["list", "--format", "json"], "", 0);
        assert_eq!(list["hooks"][0]["event"], "PreToolUse", "{file}: {list}");
        let explain = fixture.run(&["explain"], CALL);
        assert!(explain.stdout.contains("C-72"), "{file}: {}", explain.all());
    }
}

/// C-70: removing the right to read a guard does not disarm it.
#[test]
fn a_file_that_may_not_be_read_holds_calls() {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", "[hook.a]\non = 'Stop'\nshell = 'true'\n");
    fixture.write("project/.claude/settings.json", "{}");
    let fire = || {
        let program = fixture.path("tenterhook");
        if !program.exists() {
            install(Path::new(env!("CARGO_BIN_EXE_tenterhook")), &program);
        }
        let mut command = Command::new(program);
        command.arg("fire").env("PATH", "/usr/bin:/bin");
        fixture.say_as_a_normal_user(command, CALL)
    };
    let set = |name: &str, mode| {
        std::fs::set_permissions(fixture.path(name), Permissions::from_mode(mode)).unwrap();
    };
    assert_eq!(fire().code, 0, "{}", fire().all());
    set("project/tenterhook.toml", 0);
    let output = fire();
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stdout.contains("ermission denied"), "{}", output.all());
    set("project/tenterhook.toml", 0o644);
    set("project/.claude", 0);
    assert_eq!(fire().code, 3, "a directory that may not be searched");
    set("project/.claude", 0o755);
    assert_eq!(fire().code, 0);
}
