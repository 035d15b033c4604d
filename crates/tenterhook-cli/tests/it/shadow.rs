//! Hooks in shadow: an agent sees nothing of them, the record does, and a person lets them count.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::room::Room;

const USER: &str = "home/.config/tenterhook/tenterhook.toml";
/// A gate that says everything that a gate can say, in every way.
const GATE: &str = r#"
[record]
content = "redacted"

[hook.slow]
on = "PreToolUse"
shell = '''cat >/dev/null; echo '{"decision": "deny", "reason": "SHADOWED", "context": "SHADOWED", "message": "SHADOWED", "stop": "SHADOWED"}'; echo SHADOWED >&2; exit 2'''
status = "SHADOWED"
mode = "shadow"

[hook.rule]
on = "PreToolUse"
when = 'shell.commands.exists(c, c.program == "rm")'
deny = "SHADOWED rule"
mode = "shadow"

[hook.broken]
on = "PreToolUse"
run = ["/nowhere/SHADOWED"]
mode = "shadow"
"#;

fn call(command: &str) -> String {
    json!({ "hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": "/", "tool_name": "Bash",
        "tool_use_id": "call-1", "tool_input": { "command": command } })
    .to_string()
}

/// What `log --shadow` says once it says that much.
fn shadows(room: &Room, count: usize) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let output = room.run(&["log", "--shadow", "--format", "json"], "");
        let records: Vec<Value> =
            output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if records.len() >= count {
            return records;
        }
        assert!(Instant::now() < end, "not on record: {records:#?}");
        std::thread::yield_now();
    }
}

/// SH-6, SH-7, SH-8: not a byte of it gets to the agent, in the form of any agent; the record has all of it.
/// SH-10.
#[test]
fn an_agent_sees_nothing_of_a_shadow() {
    for agent in ["claude", "codex", "copilot", "gemini", "qwen", "goose", "cline", "opencode"] {
        let room = Room::new();
        room.write(USER, GATE);
        let output =
            room.run(&["hook", "--agent", agent, "--event", "PreToolUse"], &call("rm -rf x"));
        let none = Room::new()
            .run(&["hook", "--agent", agent, "--event", "PreToolUse"], &call("rm -rf x"));
        assert_eq!((output.code, output.stdout), (none.code, none.stdout), "{agent}");
        assert_eq!(output.stderr, none.stderr, "{agent}");
        if agent != "claude" {
            continue;
        }
        let records = shadows(&room, 3);
        let mut hooks: Vec<(&str, &str)> = Vec::new();
        for record in &records {
            assert_eq!(record["decision"], "silent");
            for hook in record["hooks"].as_array().unwrap() {
                if hook["ended"] != "detached" {
                    hooks.push((
                        hook["hook"].as_str().unwrap(),
                        hook["shadow"]["decision"].as_str().unwrap(),
                    ));
                }
            }
        }
        hooks.sort_unstable();
        assert_eq!(hooks, [("broken", "deny"), ("rule", "deny"), ("slow", "stop")]);
        let late: Vec<&Value> = records.iter().filter(|value| value["kind"] == "late").collect();
        assert!(late.len() == 2 && late.iter().all(|value| value["begun"] == 1), "{late:#?}");
        let page = room.run(&["log", "--shadow"], "").stdout;
        assert!(page.contains("would deny") && page.contains("SHADOWED rule"), "{page}");
        let sums = room.run(&["log", "--shadow", "--stats"], "").stdout;
        assert!(
            sums.contains("deny 1")
                && sums.contains("stop 1")
                && sums.contains("3 hooks in shadow"),
            "{sums}"
        );
        let verified = room.run(&["log", "verify"], "");
        assert_eq!(verified.code, 0, "{}", verified.stdout);
    }
}

/// SH-7: an event that does not say its name is one of its agent for the process that asks later, too.
#[test]
fn a_shadow_is_asked_about_an_event_without_a_name() {
    let room = Room::new();
    room.write(USER, "[hook.slow]\non = \"PreToolUse\"\nshell = 'exit 2'\nmode = \"shadow\"\n");
    let call = json!({ "sessionId": "s-1", "timestamp": 1_795_443_886_721_u64, "cwd": "/", "toolName": "bash",
        "toolArgs": { "command": "rm -rf x" } });
    let args = ["hook", "--agent", "copilot", "--event", "preToolUse"];
    let output = room.run(&args, &call.to_string());
    assert_eq!((output.code, &*output.stderr), (0, ""));
    let records = shadows(&room, 1);
    assert_eq!(records[0]["event"], "PreToolUse");
    assert_eq!(records[0]["hooks"][0]["shadow"]["decision"], "deny", "{records:#?}");
}

/// SH-12.
#[test]
fn a_shadow_is_shown() {
    let room = Room::new();
    room.write(USER, GATE);
    let check = room.run(&["check"], "").stdout;
    assert!(check.contains("in-shadow"), "{check}");
    let list = room.run(&["list"], "").stdout;
    assert!(list.contains("in shadow") && list.contains("3 hooks, 3 in shadow"), "{list}");
    let modes: Value =
        serde_json::from_str(&room.run(&["list", "--format", "json"], "").stdout).unwrap();
    assert!(modes["hooks"].as_array().unwrap().iter().all(|hook| hook["mode"] == "shadow"));
    let explain = room.run(&["explain", "Bash", "rm x"], "").stdout;
    assert_eq!(explain.matches("in shadow").count(), 3, "{explain}");
    let fire = room.run(&["fire", "Bash", "rm x"], "");
    assert_eq!(fire.code, 0, "{}", fire.stdout);
    assert_eq!(fire.stdout.matches("would ").count(), 3, "{}", fire.stdout);
    let fire = room.run(&["fire", "Bash", "rm x", "--format", "json"], "").stdout;
    let fire: Value = serde_json::from_str(&fire).unwrap();
    assert_eq!(fire["decision"], Value::Null);
    assert!(
        fire["steps"]
            .as_array()
            .unwrap()
            .iter()
            .all(|step| step["verdict"].is_null() && step["shadow"]["decision"] != "silent"),
        "{fire:#}"
    );
}

/// SH-13.
#[test]
fn a_case_is_about_what_a_hook_says() {
    let room = Room::new();
    let case = "test = [{ event = { tool = { name = 'Bash', input = { command = 'rm x' } } }, expect = 'deny' }]\n";
    room.write(
        "project/tenterhook.toml",
        &format!(
            "[hook.a]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\nmode = 'shadow'\n{case}"
        ),
    );
    let output = room.run(&["test"], "");
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
}

/// SH-11.
#[test]
fn a_person_lets_a_hook_count() {
    let room = Room::new();
    let file = "# mine\n[hook.a]   # why\non   = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\nmode = 'shadow'   # since Monday\n\n[hook.other]\non = 'Stop'\nrun = ['true']\nmode = 'shadow'\n";
    room.write("project/tenterhook.toml", file);
    assert_eq!(room.run(&["fire", "Bash", "ls"], "").code, 0);
    let shown = room.run(&["promote", "a", "--diff"], "");
    assert!(shown.stdout.contains("+mode = 'enforce'   # since Monday"), "{}", shown.stdout);
    let there = || std::fs::read_to_string(room.path("project/tenterhook.toml")).unwrap();
    assert_eq!(there(), file);
    assert_eq!(room.run(&["promote", "a"], "").code, 0);
    assert_eq!(there(), file.replacen("'shadow'", "'enforce'", 1));
    assert_eq!(room.run(&["fire", "Bash", "ls"], "").code, 2);
    let again = room.run(&["promote", "a"], "");
    assert!(again.code == 1 && again.stderr.contains("counts already"), "{}", again.stderr);
    let none = room.run(&["promote", "othr"], "");
    assert!(none.code == 1 && none.stderr.contains("did you mean `other`"), "{}", none.stderr);
}

/// SH-11: one hook of a pack gets a word of its own; the whole pack, and a file that another one governs, by their names.
#[test]
fn a_pack_and_a_file_count_as_a_whole() {
    let room = Room::new();
    let pack = "project/tenterhook.guardrails.toml";
    room.write(pack, "mode = \"shadow\"\n\n[hook.\"guardrails/a\"]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'a'\n\n[hook.\"guardrails/b\"]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'b'\n");
    let reasons = || {
        let said = room.run(&["fire", "Bash", "ls", "--format", "json"], "").stdout;
        serde_json::from_str::<Value>(&said).unwrap()["reason"].clone()
    };
    assert_eq!(reasons(), Value::Null);
    let said = room.run(&["promote", "guardrails/b"], "");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(reasons(), "b");
    assert_eq!(room.run(&["promote", "guardrails"], "").code, 0);
    assert_eq!(reasons(), "a\nb");

    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}});
    let room = Room::with_settings(&settings.to_string());
    room.write(
        "project/tenterhook.toml",
        "[source.\".claude/settings.json\"]\nmode = \"shadow\"\n",
    );
    let fires = || room.run(&["fire", "Bash", "ls"], "").code;
    assert_eq!(fires(), 0);
    let said = room.run(&["promote", ".claude/settings.json"], "");
    assert_eq!((said.code, fires()), (0, 2), "{}", said.stderr);
}
