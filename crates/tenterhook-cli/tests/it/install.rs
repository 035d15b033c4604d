//! `install`, `uninstall`, `status`: every agent calls, its files can be restored, and its state is shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::{Fixture, installable_agents};

/// Every file and folder of a home, with its bytes.
fn all(path: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for path in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => {
                found.extend(all(&path));
                found.push((path, None));
            }
            false => found.push((path.clone(), Some(fs::read(&path).unwrap()))),
        }
    }
    found.sort();
    found
}

/// A home in which every agent was used.
fn used() -> Fixture {
    let fixture = Fixture::new();
    let mine =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "mine"}]}]}});
    fixture.write("home/.claude/settings.json", &format!("{mine:#}\n"));
    fixture.write(
        "home/.qwen/settings.json",
        "{\n  // mine\n  \"telemetry\": { \"enabled\": false }\n}\n",
    );
    fixture.write("home/.gemini/settings.json", "{}");
    fixture.write("home/.codex/hooks.json", "{\"description\":\"d\",\"hooks\":{\"Stop\":[]}}");
    fixture.write("home/.copilot/hooks/mine.json", "{\"version\":1,\"hooks\":{}}");
    fixture.write("home/.config/opencode/plugin/mine.js", "export default {}\n");
    fixture.write("home/.config/kilo/plugin/mine.js", "export default {}\n");
    fixture.write("home/.pi/agent/extensions/mine.ts", "export default function () {}\n");
    fixture
        .write("home/.openclaw/openclaw.json", "{\n  // mine\n  plugins: { allow: ['x'] },\n}\n");
    fixture.write("home/.agents/plugins/mine/hooks/hooks.json", "{}");
    fixture.write("home/.config/goose/config.yaml", "");
    fixture.write("home/.cline/hooks/Mine", "#!/bin/sh\n");
    fixture.write("home/.factory/hooks.json", "{\"Stop\": []}");
    fixture.write("home/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    fixture.write("home/.vibe/hooks.toml", "# mine\n");
    fixture.write("home/.hermes/config.yaml", "# mine\nmodel: {default: m1}\nhooks: {}");
    fixture.write("home/.gemini/antigravity-cli/settings.json", "{}");
    fixture.write("home/.gemini/config/hooks.json", "{\"mine\": {\"Stop\": []}}\n");
    fixture.write("home/.codeium/windsurf/hooks.json", "{\"hooks\": {\"pre_run_command\": []}}");
    fixture.write("home/.augment/settings.json", "{\n  // mine\n  \"model\": \"m\"\n}\n");
    fixture.write("home/.config/crush/crush.json", "{\"hooks\": {}, /* mine */ \"lsp\": {}}\n");
    fixture.write("home/.kiro/settings/cli.json", "{}\n");
    fixture.write("home/.kimi-code/config.toml", "# mine\n");
    fixture.write("home/.config/amp/settings.json", "{}\n");
    fixture
}

/// BR-60, BR-115.
#[test]
fn every_agent_is_left_as_it_was() {
    let fixture = used();
    let before = all(&fixture.path("home"));
    let agents = installable_agents();
    let mut installed = vec!["install", "--experimental"];
    installed.extend(&agents);
    let output = fixture.run(&installed, "");
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let with = all(&fixture.path("home"));
    assert!(with.len() > before.len());
    let output = fixture.run(&installed, "");
    assert_eq!(
        output.stdout.matches("nothing to change").count(),
        agents.len(),
        "{}",
        output.stdout
    );
    let output = fixture.run(&["install", "codex", "--scope", "managed", "--print"], "");
    // A machine may have it.
    let is_reported = ["/etc/codex/hooks.json", "nothing to change"]
        .iter()
        .any(|text| output.stderr.contains(text));
    assert!(output.code == 0 && is_reported, "{}", output.all());
    let output = fixture.run(&["install", "codex", "--print"], "");
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("nothing to change"), "{}", output.all());
    assert_eq!(all(&fixture.path("home")), with);
    assert_eq!(fixture.run(&["uninstall", "--all", "--dry-run"], "").code, 0);
    assert_eq!(all(&fixture.path("home")), with);
    let output = fixture.run(&["uninstall", "--all"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(all(&fixture.path("home")), before);
}

/// BR-126.
#[cfg(target_os = "linux")]
#[test]
fn purge_removes_state_and_keeps_the_users_files() {
    let fixture = Fixture::new();
    let own = "home/.config/tenterhook/tenterhook.toml";
    fixture.write(own, "");
    fixture.write("home/.local/state/tenterhook/note", "");
    let purge = ["uninstall", "--all", "--purge"];
    assert_eq!(fixture.run(&purge, "").code, 1, "it needs a terminal");
    let dry = fixture.run(&[&purge[..], &["--dry-run"]].concat(), "");
    assert!(dry.stdout.contains("would remove `~/.local/state/tenterhook`"), "{}", dry.all());
    let output = fixture.at_terminal(&purge);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(!fixture.path("home/.local/state/tenterhook").exists());
    assert!(fixture.path(own).exists());
}

/// BR-124.
#[test]
fn install_lists_hooks_of_other_agents_and_only_own_leaves_them_out() {
    let fixture = Fixture::new();
    let hook = |text: &str| {
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": text}]}]}})
            .to_string()
    };
    fixture.write("home/.codex/hooks.json", &hook("echo by-codex >&2; exit 2"));
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.own]\non = 'PreToolUse'\nshell = 'if grep -q by-own; then echo by-own >&2; exit 2; fi'\n",
    );
    let before = all(&fixture.path("home"));
    let call = |text: &str| {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": fixture.path("project"),
            "tool_name": "Bash", "tool_input": {"command": text}});
        let hook = ["hook", "--agent", "claude", "--event", "PreToolUse"];
        fixture.run(&hook, &event.to_string()).all()
    };
    let output = fixture.run(&["install", "claude"], "").all().replace("\n      ", " ");
    let lists = [
        "`~/.codex/hooks.json` (1 hook, written for Codex)",
        "`~/.config/tenterhook/tenterhook.toml` (1 hook)",
        "`tenterhook install claude --only-own`",
    ];
    lists.iter().for_each(|text| assert!(output.contains(text), "{text}: {output}"));
    assert!(call("ls").contains("by-codex"), "{}", call("ls"));
    let output = fixture.run(&["install", "claude", "--only-own"], "").all();
    assert!(!output.contains("codex"), "{output}");
    assert!(!call("ls").contains("by-codex"));
    assert!(call("by-own").contains("by-own"));
    let explained = fixture.run(&["explain", "--agent", "claude", "Bash", "ls"], "").all();
    assert!(!explained.contains("by-codex"), "{explained}");
    let fired = fixture.run(&["fire", "Bash", "ls"], "").all();
    assert!(fired.contains("by-codex"), "{fired}");
    let wrong = fixture.run(&["install", "claude", "--only-own", "--scope", "project"], "");
    assert!(wrong.code == 1 && wrong.stderr.contains("leave `--scope` out"), "{}", wrong.all());
    fixture.run(&["install", "claude"], "");
    assert!(call("ls").contains("by-codex"));
    fixture.run(&["install", "claude", "--only-own"], "");
    fixture.forget_agents();
    fixture.run(&["uninstall", "claude"], "");
    let state = fixture.path("home/.local/state");
    let rest: Vec<_> = all(&fixture.path("home"))
        .into_iter()
        .filter(|(path, _)| !path.starts_with(&state) && *path != fixture.path("home/.local"))
        .collect();
    assert_eq!(rest, before);
    assert!(!all(&state).iter().any(|(path, _)| path.to_string_lossy().contains("only-own")));
}

/// The command that Claude Code or another agent in its shape has for an event.
fn command(fixture: &Fixture, file: &str, event: &str) -> String {
    let text = fs::read_to_string(fixture.path(file)).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let groups = json.pointer(&format!("/hooks/{event}")).and_then(Value::as_array).unwrap();
    let last = groups.last().unwrap();
    let entry = last.pointer("/hooks/0").unwrap_or(last);
    entry.get("command").and_then(Value::as_str).unwrap().to_owned()
}

/// BR-61: with the program, the denial of a hook arrives; without it, nothing passes at which something is at stake.
#[test]
fn a_program_that_is_gone_restrains() {
    let fixture = used();
    fixture.run(&["install", "claude", "codex", "copilot", "goose", "cline"], "");
    let program = env!("CARGO_BIN_EXE_tenterhook");
    for (file, gate, text) in [
        ("home/.claude/settings.json", "PreToolUse", "Stop"),
        ("home/.codex/hooks.json", "PreToolUse", "Stop"),
        ("home/.copilot/hooks/tenterhook.json", "preToolUse", "agentStop"),
        ("home/.agents/plugins/tenterhook/hooks/hooks.json", "PreToolUse", "Stop"),
    ] {
        let gone = command(&fixture, file, gate).replace(program, "/nowhere/tenterhook");
        let output = fixture.shell(&gone);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{gone}");
        assert!(output.stderr.contains("Tenterhook did not answer"), "{}", output.stderr);
        // If the end of a turn were always blocked, the turn would never end.
        let gone = command(&fixture, file, text).replace(program, "/nowhere/tenterhook");
        assert_eq!(
            (fixture.shell(&gone).code, fixture.shell(&gone).stdout.as_str()),
            (127, ""),
            "{gone}"
        );
    }
    let script = fs::read_to_string(fixture.path("home/.cline/hooks/PreToolUse")).unwrap();
    let output = fixture.shell(&script.replace(program, "/nowhere/tenterhook"));
    let control: Value =
        serde_json::from_str(output.stdout.trim().strip_prefix("HOOK_CONTROL\t").unwrap()).unwrap();
    assert_eq!((output.code, &control["cancel"]), (0, &json!(true)), "{}", output.stdout);
}

/// BR-61: what is installed is what denies, run as the agent runs it.
#[test]
fn what_is_installed_denies() {
    let fixture = used();
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.push]\non = \"PreToolUse\"\nwhen = 'call.commands.exists(c, c.runs(\"git push\"))'\ndeny = \"not with force\"\n",
    );
    fixture.run(&["install", "codex"], "");
    let event = json!({
        "session_id": "s", "transcript_path": null, "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": "t",
    });
    fixture.write("event", &event.to_string());
    let command = command(&fixture, "home/.codex/hooks.json", "PreToolUse");
    let run = fixture.shell(&format!("({command}) < {}", fixture.path("event").display()));
    let reply: Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
    let output = &reply["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{}", run.stdout);
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.starts_with("not with force [tenterhook explain "), "{reason}");
    assert!(reason.contains("]\nThe user, "), "{reason}");
}

/// BR-63: nothing is done where one file is wrong.
#[test]
fn one_wrong_file_stops_all() {
    for (file, text, place) in [
        ("home/.codex/hooks.json", "{\n  \"hooks\": {},\n}", "~/.codex/hooks.json:2:14: "),
        ("home/.codex/hooks.json", "{\"hooks\": {}, \"hooks\": {}}", "~/.codex/hooks.json:1:15: "),
        (
            "home/.copilot/hooks/tenterhook.json",
            "{}",
            "`~/.copilot/hooks/tenterhook.json` is there",
        ),
        ("home/.cline/hooks/pretooluse.py", "", "`~/.cline/hooks/pretooluse.py` is there"),
    ] {
        let fixture = used();
        fixture.write(file, text);
        let before = all(&fixture.path("home"));
        let output = fixture.run(&["install", "claude", "codex", "copilot", "cline"], "");
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
        let words = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(place), "{words}");
        assert_eq!(all(&fixture.path("home")), before);
    }
}

/// BR-63: with `--all`, the broken file of one agent keeps no other agent from its entries.
#[test]
fn all_goes_on_after_a_file_that_cannot_be_changed() {
    let fixture = used();
    fixture.write("home/.codex/hooks.json", "{ broken");
    let read = |file: &str| std::fs::read_to_string(fixture.path(file)).unwrap();
    let output = fixture.run(&["install", "--all"], "");
    assert_eq!(output.code, 1, "{}", output.all());
    let words = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Codex CLI is left as it is: ~/.codex/hooks.json:1:"), "{words}");
    assert_eq!(read("home/.codex/hooks.json"), "{ broken");
    assert!(read("home/.claude/settings.json").contains("hook --agent claude"));
    let output = fixture.run(&["uninstall", "--all"], "");
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(!read("home/.claude/settings.json").contains("hook --agent claude"));
}

/// BR-64.
#[test]
fn the_next_step_is_said() {
    let fixture = used();
    let output = fixture.run(&["install", "codex"], "");
    assert!(
        output.stdout.contains("next: start `codex`, type `/hooks` and approve"),
        "{}",
        output.stdout
    );
    assert!(!fixture.path("home/.codex/config.toml").exists(), "approval is the person's");
}

/// BR-65.
#[cfg(unix)]
#[test]
fn the_place_where_it_is_found_is_registered() {
    let fixture = used();
    let program = Path::new(env!("CARGO_BIN_EXE_tenterhook"));
    let (bin, versioned) = (fixture.path("bin"), fixture.path("Cellar/tenterhook/0.1.0"));
    for path in [&bin, &versioned] {
        fs::create_dir_all(path).unwrap();
    }
    fs::copy(program, versioned.join("tenterhook")).unwrap();
    let run = |path: &Path, program: &Path, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).env_clear().env("HOME", fixture.path("home")).env("PATH", path);
        command.current_dir(fixture.path("project")).output().unwrap()
    };
    let fleeting = versioned.join("tenterhook");
    let output = run(Path::new("/usr/bin"), &fleeting, &["install", "gemini"]);
    assert_eq!(output.status.code(), Some(1), "it goes away with the next version");
    std::os::unix::fs::symlink(&fleeting, bin.join("tenterhook")).unwrap();
    let output = run(&bin, &fleeting, &["install", "gemini"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let command = command(&fixture, "home/.gemini/settings.json", "BeforeTool");
    assert!(command.starts_with(bin.join("tenterhook").to_str().unwrap()), "{command}");
    run(&bin, &fleeting, &["install", "gemini", "--scope", "project"]);
    let command = self::command(&fixture, "project/.gemini/settings.json", "BeforeTool");
    assert!(command.starts_with("tenterhook hook --agent gemini "), "{command}");
}

/// BR-66, BR-67.
/// BR-68.
#[test]
fn status_says_who_calls() {
    let fixture = used();
    let said = fixture.json(&["status", "--format", "json"], "", 1);
    let agents = said["agents"].as_array().unwrap();
    assert_eq!(agents.len(), installable_agents().len());
    assert!(agents.iter().all(|agent| agent["covered"] == false), "{said:#}");
    assert_eq!(agents[0]["files"][0]["other_hooks"], 1, "the hook of Claude Code's own");
    assert_eq!(fixture.run(&["install", "--all", "--experimental"], "").code, 0);
    // Codex skips what its user did not approve in it: it is not covered yet.
    let said = fixture.json(&["status", "--format", "json"], "", 1);
    let program = json!([env!("CARGO_BIN_EXE_tenterhook")]);
    for agent in said["agents"].as_array().unwrap() {
        let covered = json!(agent["agent"] != "codex");
        assert_eq!(
            (&agent["covered"], &agent["files"][0]["programs"]),
            (&covered, &program),
            "{agent:#}"
        );
        let waits = agent["files"][0]["waiting"].as_array().unwrap();
        assert_eq!(waits.is_empty(), agent["agent"] != "codex", "{agent:#}");
        assert!(waits.iter().all(|value| value["approval"] == "not approved"), "{agent:#}");
    }
    let file = fixture.path("home/.claude/settings.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(env!("CARGO_BIN_EXE_tenterhook"), "/nowhere/tenterhook"))
        .unwrap();
    let said = fixture.run(&["status"], "");
    assert_eq!(said.code, 1);
    assert!(said.stdout.contains("`/nowhere/tenterhook` is gone"), "{}", said.stdout);
}

/// The row of an agent in `status`, where only Claude Code is found.
fn claude(fixture: &Fixture) -> Value {
    let code = fixture.run(&["status"], "").code;
    let json = fixture.json(&["status", "--format", "json"], "", code);
    let row = json.pointer("/agents/0").unwrap().clone();
    assert_eq!(json.pointer("/agents/1"), None, "{json:#}");
    assert_eq!(row.get("covered"), Some(&json!(code == 0)), "{row:#}");
    row
}

/// A home in which Claude Code calls, and its settings.
fn calling() -> (Fixture, String) {
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", "{}\n");
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    assert_eq!(fixture.run(&["status"], "").code, 0);
    let text = fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap();
    (fixture, text)
}

/// BR-69.
#[test]
fn an_entry_that_somebody_weakened_covers_nothing() {
    let (fixture, text) = calling();
    for (from, to) in
        [("\"block\"", "\"continue\""), ("\"timeout\": ", "\"timeout\": 1"), ("--within", "--slow")]
    {
        assert!(text.contains(from), "{text}");
        fixture.write("home/.claude/settings.json", &text.replacen(from, to, 1));
        let row = claude(&fixture);
        assert_eq!((&row["covered"], &row["files"][0]["altered"]), (&json!(false), &json!(true)));
    }
    let text = fixture.run(&["status"], "").stdout;
    assert!(text.contains("differ from what `install` writes"), "{text}");
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    assert_eq!(claude(&fixture)["covered"], true, "`install` mends it");
}

/// BR-102: one wrong value of a neighbour takes all entries of the file with it, ours included.
#[test]
fn file_that_the_agent_refuses_is_not_installed_into_and_not_covered() {
    let (fixture, text) = calling();
    let neighbour = r#""PreToolUse": [ {"matcher": null, "hooks": []}, "#;
    let broken = text.replacen("\"PreToolUse\": [", neighbour, 1);
    assert_ne!(broken, text);
    fixture.write("home/.claude/settings.json", &broken);
    for (args, code) in [(&["install", "claude"][..], 1), (&["status"], 5), (&["check"], 1)] {
        let output = fixture.run(args, "");
        assert_eq!(output.code, code, "{args:?}: {}", output.all());
        let words: Vec<String> = output.all().split_whitespace().map(str::to_owned).collect();
        let said = words.join(" ");
        assert!(said.contains("refuses the whole file"), "{args:?}: {said}");
        assert!(said.contains("`hooks.PreToolUse.0.matcher` takes a string"), "{args:?}: {said}");
    }
    assert_eq!(claude(&fixture)["covered"], false);
    assert_eq!(fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap(), broken);
}

/// BR-69, BR-120.
#[test]
fn hooks_that_are_switched_off_cover_nothing() {
    let (fixture, text) = calling();
    fixture
        .write("home/.claude/settings.json", &text.replacen('{', "{\"disableAllHooks\": true,", 1));
    let row = claude(&fixture);
    assert_eq!(row["files"][0]["switched_off"], true, "{row:#}");
    let text = fixture.run(&["status"], "").stdout;
    assert!(text.contains("`disableAllHooks` in"), "{text}");
    // The file nearer to the call takes precedence.
    fixture.write("project/.claude/settings.json", "{\"disableAllHooks\": false}");
    assert_eq!(claude(&fixture)["covered"], true);
}

/// BR-69, BR-121.
#[test]
fn a_program_that_is_not_found_and_two_that_are_called_are_said() {
    let (fixture, text) = calling();
    fixture.write("project/.claude/settings.json", &text);
    let output = fixture.run(&["status"], "");
    assert_eq!(output.code, 0);
    assert!(output.stdout.contains("called twice"), "{}", output.stdout);
    fs::remove_file(fixture.path("project/.claude/settings.json")).unwrap();
    let nameless = text.replace(env!("CARGO_BIN_EXE_tenterhook"), "tenterhook");
    fixture.write("home/.claude/settings.json", &nameless);
    let output = fixture.run(&["status"], "");
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("`tenterhook` is not on `PATH`"), "{}", output.stdout);
}

/// BR-75, BR-60, BR-118: a moved hook is fired by the bridge only, and is restored to the byte; if the file was edited, it is restored
/// all the same.
#[test]
fn hooks_of_ones_own_move_behind_the_bridge_and_back() {
    const SETTINGS: &str = "home/.claude/settings.json";
    const MOVED: &str = "home/.config/tenterhook/adopted/claude.json";
    let fixture = Fixture::new();
    let slip = "echo checking; echo '\"DENY\"'; echo x >>$HOME/ran";
    let mine = json!({"model": "m", "hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": slip}]}]}});
    let text = format!("{mine:#}\n");
    fixture.write(SETTINGS, &text);
    let before = all(&fixture.path("home/.claude"));
    let output = fixture.run(&["install", "claude", "--adopt", "--dry-run"], "");
    assert!(output.code == 0 && output.stdout.contains("would change 2 files"), "{}", output.all());
    assert_eq!(all(&fixture.path("home/.claude")), before);
    let output = fixture.run(&["install", "claude", "--adopt"], "");
    let note = "note: `claude` is not on `PATH`; only `~/.claude` is here\n";
    assert_eq!((output.code, output.stderr.as_str()), (0, note), "{}", output.all());
    let settings = fs::read_to_string(fixture.path(SETTINGS)).unwrap();
    assert!(!settings.contains("DENY"), "{settings}");
    let again = fixture.run(&["install", "claude", "--adopt"], "");
    assert!(again.stdout.contains("nothing to change"), "{}", again.all());
    let event = json!({
        "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t",
    });
    fixture.write("event", &event.to_string());
    let command = command(&fixture, SETTINGS, "PreToolUse");
    let output = fixture.shell(&format!("({command}) < {}", fixture.path("event").display()));
    let reply: Value = serde_json::from_str(&output.stdout).expect(&output.stderr);
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask", "{}", output.stdout);
    assert_eq!(fs::read_to_string(fixture.path("home/ran")).unwrap(), "x\n");
    let listed = fixture.run(&["list"], "").stdout;
    assert!(
        listed.contains("adopted/claude.json") && listed.contains("entries of Tenterhook itself"),
        "{listed}"
    );
    fixture.forget_agents();
    assert_eq!(fixture.run(&["uninstall", "claude"], "").code, 0);
    assert_eq!(all(&fixture.path("home/.claude")), before);
    assert!(!fixture.path(MOVED).exists() && !fixture.path("home/.config/tenterhook").exists());
    // Somebody edits in between, and moves more.
    fixture.run(&["install", "claude", "--adopt"], "");
    let edited = fs::read_to_string(fixture.path(SETTINGS)).unwrap();
    let stop = "\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"later\"}]},";
    fixture.write(SETTINGS, &edited.replacen("\"Stop\": [", stop, 1));
    assert_eq!(fixture.run(&["install", "claude", "--adopt"], "").code, 0);
    let moved = fs::read_to_string(fixture.path(MOVED)).unwrap();
    assert!(moved.contains("DENY") && moved.contains("later"), "{moved}");
    fixture.forget_agents();
    assert_eq!(fixture.run(&["uninstall", "claude"], "").code, 0);
    let back: Value =
        serde_json::from_str(&fs::read_to_string(fixture.path(SETTINGS)).unwrap()).unwrap();
    assert_eq!(back.pointer("/hooks/PreToolUse"), mine.pointer("/hooks/PreToolUse"), "{back:#}");
    assert_eq!(back.pointer("/hooks/Stop/0/hooks/0/command"), Some(&json!("later")), "{back:#}");
    assert_eq!(back["model"], "m");
}

/// BR-75: what was cut off between two files, by a full disk or a kill, neither doubles a hook nor loses it.
#[test]
fn an_adoption_that_was_cut_off_is_gone_on_with() {
    const SETTINGS: &str = "home/.claude/settings.json";
    const MOVED: &str = "home/.config/tenterhook/adopted/claude.json";
    let fixture = Fixture::new();
    let mine = json!({"model": "m", "hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo once"}]}]}});
    let text = format!("{mine:#}\n");
    fixture.write(SETTINGS, &text);
    fixture.run(&["install", "claude", "--adopt"], "");
    let (settings, moved) =
        (all(&fixture.path("home/.claude")), all(&fixture.path("home/.config")));
    // The entries were moved, and still stand where they were.
    fixture.write(SETTINGS, &text);
    assert_eq!(fixture.run(&["install", "claude", "--adopt"], "").code, 0);
    assert_eq!(all(&fixture.path("home/.claude")), settings);
    assert_eq!(all(&fixture.path("home/.config")), moved);
    // They were moved back, and still stand where they had been moved to.
    fixture.write(SETTINGS, &text);
    assert_eq!(fixture.run(&["uninstall", "claude"], "").code, 0);
    assert_eq!(fs::read_to_string(fixture.path(SETTINGS)).unwrap(), text);
    assert!(!fixture.path(MOVED).exists());
}

/// BR-75, BR-119: what others share, and what is off, is not moved.
#[test]
fn what_others_share_and_what_is_off_stays() {
    let fixture = used();
    let before = all(&fixture.path("home"));
    for (args, text) in [
        (&["claude", "--scope", "project"][..], "none that others share"),
        (&["opencode"], "are not moved"),
        (&["claude", "copilot"], "are not moved"),
    ] {
        let output = fixture.run(&[&["install", "--adopt"], args].concat(), "");
        assert!(output.code == 1 && output.stderr.contains(text), "{}", output.all());
    }
    fixture.write("home/.claude/settings.json", "{\"disableAllHooks\": true, \"hooks\": {}}");
    let off = fixture.run(&["install", "--adopt", "claude"], "");
    assert!(off.code == 1 && off.stderr.contains("`disableAllHooks` switches"), "{}", off.all());
    assert_eq!(all(&fixture.path("home")).len(), before.len());
}

/// BR-69: `install` reports at once that the agent's hooks are switched off, and the fix.
#[test]
fn what_stays_switched_off_is_said() {
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", "{\"disableAllHooks\": true}\n");
    let output = fixture.run(&["install", "claude"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    let text = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("`disableAllHooks` in ~/.claude/settings.json switches all hooks"),
        "{text}"
    );
    let status = fixture.run(&["status"], "").stdout;
    let text = status.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("take `disableAllHooks` out of ~/.claude/settings.json"), "{status}");
}

/// BR-146, BR-92: the notes stand below the diffs of all agents, and an installation prints no diff.
#[cfg(unix)]
#[test]
fn install_prints_a_line_for_each_file_and_a_dry_run_the_diffs() {
    let fixture = used();
    let own = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}});
    fixture.write("home/.claude/settings.json", &own.to_string());
    fixture.write("tools/2.1.330", "#!/bin/sh\n");
    let tools = fixture.path("tools");
    std::os::unix::fs::symlink("2.1.330", tools.join("claude")).unwrap();
    fixture.shell(&format!("chmod +x '{}'", tools.join("2.1.330").display()));
    let install = |option: &str| {
        let line =
            format!("PATH='{}':$PATH tenterhook install claude codex {option}", tools.display());
        let output = fixture.shell(&line);
        let flat = output.all().split_whitespace().collect::<Vec<_>>().join(" ");
        for note in ["holds 1 hook that Claude Code runs itself", "2.1.330 warns of `PreSkill"] {
            assert!(flat.contains(note), "{option}: {note}: {flat}");
        }
        output.stdout
    };
    let dry = install("--dry-run");
    let last_diff = dry.rfind("+++ ").unwrap();
    assert!(dry.find("Claude Code: would change 1 file").unwrap() > last_diff, "{dry}");
    let real = install("");
    assert!(!real.contains("+++ ") && real.lines().count() < 20, "{real}");
    assert!(real.contains("~/.claude/settings.json: "), "{real}");
}
