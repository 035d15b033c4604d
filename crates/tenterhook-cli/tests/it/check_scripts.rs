//! `check`: what is wrong in the command of a hook and in the script that it starts.

use crate::fixture::Fixture;

/// Returns the codes, severities and messages that `check` finds for a Claude hook with this command.
fn findings_of_command(fixture: &Fixture, event: &str, command: &str) -> Vec<[String; 3]> {
    let handler = serde_json::json!({ "type": "command", "command": command });
    let hooks = serde_json::json!({ "hooks": { event: [{ "hooks": [handler] }] } });
    fixture.write("project/.claude/settings.json", &hooks.to_string());
    let output = fixture.run(&["check", "--format", "json"], "").stdout;
    let output: serde_json::Value = serde_json::from_str(&output).unwrap();
    let text = |found: &serde_json::Value, key: &str| {
        found.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    let findings = output.get("diagnostics").and_then(serde_json::Value::as_array).unwrap().iter();
    findings.map(|found| ["code", "severity", "message"].map(|key| text(found, key))).collect()
}

/// C-135: a line that drops the exit code of a gate is reported; one that passes it on, or whose script can deny otherwise,
/// is not.
#[test]
fn line_that_drops_the_exit_code_of_a_gate_is_reported() {
    let fixture = Fixture::new();
    fixture.write("project/gate.sh", "#!/bin/sh\ngrep -q push && exit 2\nexit 0\n");
    fixture.write("project/gate.py", "import sys\nsys.exit(2)\n");
    fixture.write("project/json.sh", "#!/bin/sh\necho '{\"decision\": \"block\"}'; exit 2\n");
    fixture.write("project/log.sh", "#!/bin/sh\n# never exit 2\ncat >> log; exit 200\n");
    let codes = |event: &str, command: &str| -> Vec<String> {
        let found = findings_of_command(&fixture, event, command);
        found.into_iter().map(|[code, ..]| code).collect()
    };
    for command in [
        "sh gate.sh || true",
        "sh gate.sh || exit 1",
        "sh gate.sh; exit 0",
        "sh gate.sh | tee -a log",
        "sh gate.sh &",
        "cd src 2>/dev/null; python3 gate.py || :",
        "test -f gate.py && python3 gate.py || true",
        "bash -c 'sh gate.sh || true'",
        "(exit 2) || true",
    ] {
        let found = codes("PreToolUse", command);
        assert!(found.contains(&"exit-code-dropped".to_owned()), "{command}: {found:?}");
    }
    for (event, command) in [
        ("PreToolUse", "sh gate.sh"),
        ("PreToolUse", "cd . && sh gate.sh"),
        ("PreToolUse", "sh gate.sh || exit 2"),
        ("PreToolUse", "set -o pipefail; sh gate.sh | tee log"),
        ("PreToolUse", "sh json.sh || true"),
        ("PreToolUse", "sh log.sh || true"),
        ("PreToolUse", "sh none.sh || true"),
        ("SessionEnd", "sh gate.sh || true"),
    ] {
        let found = codes(event, command);
        assert!(!found.contains(&"exit-code-dropped".to_owned()), "{command}: {found:?}");
    }
}

/// C-136: a script that its interpreter cannot parse is an error that names the consequence, and nothing of it runs.
#[cfg(unix)]
#[test]
fn script_with_a_syntax_error_is_reported_and_not_run() {
    let fixture = Fixture::new();
    fixture.write("project/open.sh", "touch ran\nif true; then\n");
    fixture.write("project/good.sh", "touch ran\nexit 2\n");
    fixture.write("project/open.py", "open('ran', 'w')\ndef x(:\n");
    fixture.write("project/good.py", "open('ran', 'w')\n");
    let found = |command: &str| findings_of_command(&fixture, "PreToolUse", command);
    let broken = found("bash open.sh");
    let [code, severity, message] = broken.first().unwrap();
    assert_eq!((code.as_str(), severity.as_str()), ("script-syntax", "error"), "{broken:?}");
    assert!(message.contains("open.sh` has a syntax error: line 3:"), "{message}");
    let output = fixture.run(&["check"], "").stdout;
    assert!(output.contains("blocks every call"), "{output}");
    // Some machines have no Python.
    let broken = found("python3 open.py");
    let [code, ..] = broken.first().unwrap();
    assert!(matches!(code.as_str(), "script-syntax" | "program-missing"), "{broken:?}");
    for command in ["bash good.sh", "python3 good.py"] {
        assert!(!found(command).iter().any(|[code, ..]| code == "script-syntax"), "{command}");
    }
    assert!(!fixture.path("project/ran").exists());
}

/// C-136, C-140, C-141, C-142: what is wrong in a script, and its twins that are fine.
#[cfg(unix)]
#[test]
fn mistakes_in_scripts_are_reported() {
    let fixture = Fixture::new();
    for (file, text) in [
        ("crlf.sh", "INPUT=$(cat)\r\nexit 0\r\n"),
        ("source.sh", "source ./x\n"),
        ("brackets.sh", "if [[ $(cat) == *push* ]]; then exit 2; fi\n"),
        ("document.sh", "cat <<EOF\n[[ x ]]\nsource x\nEOF\n"),
        ("program.sh", "#!/bin/bash\nCMD=$(no-such-jq -r .x 2>/dev/null)\nexit 0\n"),
        ("asks.sh", "command -v no-such-jq >/dev/null || exit 2\nno-such-jq -r .x\n"),
        ("passes.sh", "command -v no-such-jq >/dev/null 2>&1 || exit 0\nno-such-jq .\n"),
        ("later.sh", "if true; then no-such-jq; fi\n"),
        ("variable.sh", "echo \"$CLAUDE_TOOL_INPUT\" | grep -q push && exit 2\n"),
        ("fallback.sh", "IN=$(cat); echo \"$CLAUDE_TOOL_INPUT\" | grep -q push && exit 2\n"),
        ("default.sh", "echo \"${CLAUDE_TOOL_INPUT:-}\" | grep -q push && exit 2\n"),
    ] {
        fixture.write(&format!("project/{file}"), text);
    }
    let is_dash = std::fs::canonicalize("/bin/sh").is_ok_and(|sh| sh.ends_with("dash"));
    for (command, code, is_found) in [
        ("bash crlf.sh", "script-syntax", true),
        ("sh source.sh", "script-syntax", is_dash),
        ("bash source.sh", "script-syntax", false),
        ("sh brackets.sh", "script-syntax", is_dash),
        ("bash brackets.sh", "script-syntax", false),
        ("[[ $(cat) == *push* ]] && exit 2", "script-syntax", is_dash),
        ("grep -q '[[ ' && exit 2", "script-syntax", false),
        ("sh document.sh", "script-syntax", false),
        ("bash program.sh", "program-missing", true),
        ("bash asks.sh", "program-missing", false),
        ("bash passes.sh", "program-missing", true),
        ("bash later.sh", "program-missing", false),
        ("bash variable.sh", "undocumented-variable", true),
        ("bash fallback.sh", "undocumented-variable", false),
        ("bash default.sh", "undocumented-variable", false),
    ] {
        let found = findings_of_command(&fixture, "PreToolUse", command);
        assert_eq!(found.iter().any(|[found, ..]| found == code), is_found, "{command}: {found:?}");
    }
}

/// C-136: Node parses by the name of the file. Some machines have none.
#[cfg(unix)]
#[test]
fn node_script_with_a_syntax_error_is_reported_and_not_run() {
    let fixture = Fixture::new();
    fixture.write("project/open.js", "require('fs').writeFileSync('ran', '');\nconst x = {\n");
    fixture.write("project/module.mjs", "import fs from 'fs';\nfs.writeFileSync('ran', '');\n");
    let found = findings_of_command(&fixture, "PreToolUse", "node open.js");
    let [code, _, message] = found.first().unwrap();
    let is_reported = code == "script-syntax" && message.contains("has a syntax error: line ");
    assert!(is_reported || code == "program-missing", "{found:?}");
    for command in ["node module.mjs", "node --import ./x.mjs open.js", "node open.ts"] {
        let found = findings_of_command(&fixture, "PreToolUse", command);
        assert!(!found.iter().any(|[code, ..]| code == "script-syntax"), "{command}: {found:?}");
    }
    assert!(!fixture.path("project/ran").exists());
}

/// A script whose first line makes `env` look for a program that is missing never starts.
#[cfg(unix)]
#[test]
fn program_that_env_does_not_find_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;

    let fixture = Fixture::new();
    for (first, is_found) in [
        ("#!/usr/bin/env sh", true),
        ("#!/usr/bin/env -S sh -e", true),
        ("#!/usr/bin/env bash5", false),
        ("#!/usr/bin/env -S no-such-uv run --script", false),
        ("#!/usr/bin/env sh -e", !cfg!(target_os = "linux")),
        ("#!/usr/bin/env sh\r", false),
    ] {
        fixture.write("project/gate", &format!("{first}\nexit 2\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(fixture.path("project/gate"), mode).unwrap();
        let found = findings_of_command(&fixture, "PreToolUse", "./gate");
        let has_error = found
            .iter()
            .any(|[code, severity, _]| code == "script-not-executable" && severity == "error");
        assert_eq!(has_error, !is_found, "{first}: {found:?}");
    }
}
