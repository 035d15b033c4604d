//! Hooks in shadow: an agent sees nothing of them, the record does, and a person lets them count.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{Fixture, installable_agents};

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
fn shadows(fixture: &Fixture, count: usize) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let output = fixture.run(&["log", "--shadow", "--format", "json"], "");
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
    for agent in installable_agents() {
        let fixture = Fixture::new();
        fixture.write(USER, GATE);
        let output =
            fixture.run(&["hook", "--agent", agent, "--event", "PreToolUse"], &call("rm -rf x"));
        let none = Fixture::new()
            .run(&["hook", "--agent", agent, "--event", "PreToolUse"], &call("rm -rf x"));
        assert_eq!((output.code, output.stdout), (none.code, none.stdout), "{agent}");
        assert_eq!(output.stderr, none.stderr, "{agent}");
        if agent != "claude" {
            continue;
        }
        let records = shadows(&fixture, 3);
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
        let page = fixture.run(&["log", "--shadow"], "").stdout;
        assert!(page.contains("would deny") && page.contains("SHADOWED rule"), "{page}");
        let sums = fixture.run(&["log", "--shadow", "--stats"], "").stdout;
        assert!(
            sums.contains("deny 1")
                && sums.contains("stop 1")
                && sums.contains("3 hooks in shadow"),
            "{sums}"
        );
        let verified = fixture.run(&["log", "verify"], "");
        assert_eq!(verified.code, 0, "{}", verified.stdout);
    }
}

/// SH-7: an event that does not say its name is one of its agent for the process that asks later, too.
#[test]
fn a_shadow_is_asked_about_an_event_without_a_name() {
    let fixture = Fixture::new();
    fixture.write(USER, "[hook.slow]\non = \"PreToolUse\"\nshell = 'exit 2'\nmode = \"shadow\"\n");
    let call = json!({ "sessionId": "s-1", "timestamp": 1_795_443_886_721_u64, "cwd": "/", "toolName": "bash",
        "toolArgs": { "command": "rm -rf x" } });
    let args = ["hook", "--agent", "copilot", "--event", "preToolUse"];
    let output = fixture.run(&args, &call.to_string());
    assert_eq!((output.code, &*output.stderr), (0, ""));
    let records = shadows(&fixture, 1);
    assert_eq!(records[0]["event"], "PreToolUse");
    assert_eq!(records[0]["hooks"][0]["shadow"]["decision"], "deny", "{records:#?}");
}

/// A hook of a settings file has one name in lists, in the log and for `promote`.
#[test]
fn shadow_hook_without_its_own_name_is_called_by_its_file() {
    let fixture = Fixture::new();
    let hooks = json!([{ "type": "command", "command": "~/.claude/hooks/guard.sh" }]);
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": hooks }] } });
    fixture.write("home/.claude/settings.json", &settings.to_string());
    fixture.write(USER, "[source.\"~/.claude/settings.json\"]\nmode = \"shadow\"\n");
    fixture.run(&["fire", "Bash", "ls"], "");
    let sums = fixture.run(&["log", "--shadow", "--stats"], "");
    assert!(sums.stdout.contains("guard.sh"), "{}", sums.all());
    let near = fixture.run(&["promote", "gaurd.sh"], "");
    assert!(near.stderr.contains("did you mean `guard.sh`?"), "{}", near.all());
    let promoted = fixture.run(&["promote", "guard.sh"], "");
    assert!(promoted.stdout.contains("1 hook counts from now on"), "{}", promoted.all());
}

/// SH-12.
#[test]
fn a_shadow_is_shown() {
    let fixture = Fixture::new();
    fixture.write(USER, GATE);
    let check = fixture.run(&["check"], "").stdout;
    assert!(check.contains("in-shadow"), "{check}");
    let list = fixture.run(&["list"], "").stdout;
    assert!(list.contains("in shadow") && list.contains("3 hooks, 3 in shadow"), "{list}");
    let modes: Value =
        serde_json::from_str(&fixture.run(&["list", "--format", "json"], "").stdout).unwrap();
    assert!(modes["hooks"].as_array().unwrap().iter().all(|hook| hook["mode"] == "shadow"));
    let explain = fixture.run(&["explain", "Bash", "rm x"], "").stdout;
    assert_eq!(explain.matches("\"shadow\"").count(), 3, "{explain}");
    let fire = fixture.run(&["fire", "Bash", "rm x"], "");
    assert_eq!(fire.code, 0, "{}", fire.stdout);
    assert_eq!(fire.stdout.matches("would ").count(), 3, "{}", fire.stdout);
    let fire = fixture.run(&["fire", "Bash", "rm x", "--format", "json"], "").stdout;
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
    let fixture = Fixture::new();
    let case = "test = [{ event = { tool = { name = 'Bash', input = { command = 'rm x' } } }, expect = 'deny' }]\n";
    fixture.write(
        "project/tenterhook.toml",
        &format!(
            "[hook.a]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\nmode = 'shadow'\n{case}"
        ),
    );
    let output = fixture.run(&["test"], "");
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
}

/// SH-11.
#[test]
fn a_person_lets_a_hook_count() {
    let fixture = Fixture::new();
    let file = "# mine\n[hook.a]   # why\non   = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\nmode = 'shadow'   # since Monday\n\n[hook.other]\non = 'Stop'\nrun = ['true']\nmode = 'shadow'\n";
    fixture.write("project/tenterhook.toml", file);
    assert_eq!(fixture.run(&["fire", "Bash", "ls"], "").code, 0);
    let shown = fixture.run(&["promote", "a", "--diff"], "");
    assert!(shown.stdout.contains("+mode = 'enforce'   # since Monday"), "{}", shown.stdout);
    let there = || std::fs::read_to_string(fixture.path("project/tenterhook.toml")).unwrap();
    assert_eq!(there(), file);
    assert_eq!(fixture.run(&["promote", "a"], "").code, 0);
    assert_eq!(there(), file.replacen("'shadow'", "'enforce'", 1));
    assert_eq!(fixture.run(&["fire", "Bash", "ls"], "").code, 2);
    let again = fixture.run(&["promote", "a"], "");
    assert!(again.code == 1 && again.stderr.contains("counts already"), "{}", again.stderr);
    let none = fixture.run(&["promote", "othr"], "");
    assert!(none.code == 1 && none.stderr.contains("did you mean `other`"), "{}", none.stderr);
}

/// SH-11: one hook of a pack gets a separate setting; the whole pack, and a file that a different file governs, are promoted by
/// name.
#[test]
fn a_pack_and_a_file_count_as_a_whole() {
    let fixture = Fixture::new();
    let pack = "project/tenterhook.guardrails.toml";
    fixture.write(pack, "mode = \"shadow\"\n\n[hook.\"guardrails/a\"]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'a'\n\n[hook.\"guardrails/b\"]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'b'\n");
    let reasons = || {
        let said = fixture.run(&["fire", "Bash", "ls", "--format", "json"], "").stdout;
        serde_json::from_str::<Value>(&said).unwrap()["reason"].clone()
    };
    assert_eq!(reasons(), Value::Null);
    let said = fixture.run(&["promote", "guardrails/b"], "");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(reasons(), "b");
    assert_eq!(fixture.run(&["promote", "guardrails"], "").code, 0);
    assert_eq!(reasons(), "a\nb");

    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}});
    let fixture = Fixture::with_settings(&settings.to_string());
    fixture.write(
        "project/tenterhook.toml",
        "[source.\".claude/settings.json\"]\nmode = \"shadow\"\n",
    );
    let fires = || fixture.run(&["fire", "Bash", "ls"], "").code;
    assert_eq!(fires(), 0);
    let said = fixture.run(&["promote", ".claude/settings.json"], "");
    assert_eq!((said.code, fires()), (0, 2), "{}", said.stderr);
}
