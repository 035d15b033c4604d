//! Without a named file: what the agent would load from here, and what this directory hides.

use serde_json::json;

use crate::fixture::Fixture;

const HOOK: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;

#[test]
fn a_directory_below_hides_the_projects_hooks() {
    let fixture = Fixture::with_settings(HOOK);
    fixture.write("project/.git/HEAD", "");
    fixture.write("project/app/main.rs", "");
    let output = fixture.run_in("project/app", &["list"], "");
    // Line breaks depend on the length of the fixture's path.
    let words: Vec<&str> = output.stderr.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("(1 hook) is not read here: it is read only by an agent"), "{text}");
    assert!(text.contains("hint: to look at such a file all the same"), "{text}");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (
            0,
            "0 hooks\nbuilt in: self-protection, 3 rules (`tenterhook rules show self-protection`)\n"
        )
    );
}

#[test]
fn the_user_comes_before_the_project() {
    let fixture = Fixture::with_settings(HOOK);
    fixture.write("home/.claude/settings.json", HOOK);
    fixture.write("home/.config/tenterhook/tenterhook.toml", "");
    let value = fixture.json(&["list", "--format", "json"], "", 0);
    let layers: Vec<_> =
        value["files"].as_array().unwrap().iter().map(|file| file["layer"].clone()).collect();
    assert_eq!(layers, ["user", "user", "project"]);
    // The same entry in two files runs once, and the list says why.
    assert_eq!(value["hooks"][1]["armed"], false);
}

#[test]
fn where_nothing_is_found_it_is_said_where_was_searched() {
    let fixture = Fixture::new();
    let output = fixture.run(&["check"], "");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (0, "nothing was checked: there is no file with hooks\n")
    );
    let lines: Vec<&str> = output.stderr.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() <= 3 && lines[0].contains("`-v` lists"), "{}", output.stderr);
    assert!(output.stderr.contains("tenterhook init"), "{}", output.stderr);
    let output = fixture.run(&["check", "-v"], "");
    for place in
        ["tenterhook.toml", ".claude/settings.json", "~/.codex/hooks.json", "tenterhook init"]
    {
        assert!(output.stderr.contains(place), "{place}: {}", output.stderr);
    }
}

/// C-5: a file whose path tells nothing is checked as one agent's, which is named.
#[test]
fn agent_of_a_named_file_is_said_if_it_was_guessed() {
    let fixture = Fixture::new();
    fixture.write("project/x.json", &HOOK.replace("Stop", "preToolUse"));
    let output = fixture.run(&["check", "x.json"], "");
    assert!(
        output.stderr.contains("note: x.json is read as a file of `copilot`"),
        "{}",
        output.all()
    );
    fixture.write("project/.claude/settings.json", HOOK);
    for args in [
        &["check", "claude=x.json"][..],
        &["check", "--dialect", "claude", "x.json"],
        &["check", ".claude/settings.json"],
        &["check"],
    ] {
        let output = fixture.run(args, "");
        assert!(!output.stderr.contains("is read as a file of"), "{}", output.all());
    }
}

/// C-5: what is no JSON is no agent's broken JSON.
#[test]
fn named_file_in_no_known_format_is_refused_with_what_to_write() {
    let fixture = Fixture::new();
    fixture.write("project/tt.ok", "[hook.a]\non = 'Stop'\nshell = 'true'\n");
    let wanted = "hint: name its agent: `native=tt.ok`";
    let output = fixture.run(&["fire", "--config", "tt.ok", "Bash", "ls"], "");
    assert!(output.code == 1 && output.stderr.contains(wanted), "{}", output.all());
    assert!(!output.all().contains("Claude Code"), "{}", output.all());
    let output = fixture.run(&["check", "tt.ok"], "");
    assert!(output.code == 1 && output.all().contains("native=tt.ok"), "{}", output.all());
    assert_eq!(fixture.run(&["fire", "--config", "native=tt.ok", "Bash", "ls"], "").code, 0);
    // A name without `.json` is no obstacle to JSON.
    fixture.write("project/hooks.txt", HOOK);
    assert_eq!(fixture.run(&["check", "hooks.txt"], "").code, 0);
}

/// KM-5.
#[test]
fn hooks_of_enabled_plugins_of_kimi_are_listed() {
    let fixture = Fixture::new();
    let plugins = "home/.kimi-code/plugins";
    let root = |name: &str| fixture.path(&format!("{plugins}/managed/{name}"));
    let installed = ["on", "off", "Bad Name", "dir", "gone"]
        .map(|name| json!({"id": name, "root": root(name), "enabled": name != "off"}));
    let installed = json!({"version": 1, "plugins": installed}).to_string();
    fixture.write(&format!("{plugins}/installed.json"), &installed);
    let manifest = |name: &str| {
        json!({"name": name, "hooks": [{"event": "PreToolUse", "command": "check.sh"}]}).to_string()
    };
    for (name, file) in [
        ("on", "kimi.plugin.json"),
        ("off", "kimi.plugin.json"),
        ("Bad Name", "kimi.plugin.json"),
        ("dir", ".kimi-plugin/plugin.json"),
    ] {
        fixture.write(&format!("{plugins}/managed/{name}/{file}"), &manifest(name));
    }
    fixture.write(&format!("{plugins}/managed/on/.kimi-plugin/plugin.json"), &manifest("x"));
    let list = fixture.json(&["list", "--format", "json"], "", 0);
    let hooks = list["hooks"].as_array().unwrap();
    let found: Vec<_> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(found, ["on:PreToolUse:*:1", "dir:PreToolUse:*:1"], "{list}");
    let status = fixture.run(&["status"], "");
    assert!(status.stdout.contains("managed/on/kimi.plugin.json, 1 hook"), "{}", status.all());
}
