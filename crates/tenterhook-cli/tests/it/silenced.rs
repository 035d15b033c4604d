//! What silences Claude Code's hooks from beside is reported by every command that looks, with file and line; what the person
//! approved is not an error.

use std::fs;

use serde_json::Value;

use crate::room::{Room, fits_schema};

const SKILL: &str = "project/.claude/skills/x";

/// A home in which Claude Code calls, in a project without an approval.
fn calling() -> Room {
    let room = Room::new().unapproved();
    room.write("home/.claude/settings.json", "{}\n");
    assert_eq!(room.run(&["install", "claude"], "").code, 0);
    room
}

/// A plugin with a module in the folder `root`.
fn write_module(room: &Room, root: &str) {
    room.write(&format!("{root}/.claude-plugin/plugin.json"), "{\"name\": \"x\"}\n");
    room.write(&format!("{root}/hooks/hooks.json"), "{\n  \"modules\": [\"./register.ts\"]\n}\n");
    room.write(&format!("{root}/hooks/register.ts"), "export const register = (on) => {}\n");
}

/// What each command says, which ends with that code.
fn each(room: &Room, code: i32) -> Vec<(&'static str, String)> {
    let commands: [(&str, &[&str]); 4] = [
        ("status", &["status"]),
        ("doctor", &["doctor", "--no-fire", "claude"]),
        ("check", &["check"]),
        ("trust", &["trust", "status"]),
    ];
    let run = |(name, args): (&'static str, &[&str])| {
        let output = room.run(args, "");
        assert_eq!(output.code, code, "{name}: {}", output.all());
        (name, format!("{}{}", output.stdout, output.stderr))
    };
    commands.into_iter().map(run).collect()
}

/// BR-80, BR-81, BR-83: file and line, and exit code 1.
#[test]
fn what_silences_hooks_is_reported_by_each_command() {
    let room = calling();
    for (file, text, line) in [
        (".claude/settings.json", "{\n  \"disableAllHooks\": true\n}\n", 2),
        (".claude/settings.local.json", "{\n\n  \"disableAllHooks\": true\n}\n", 3),
        (".claude/settings.json", "{\"enabledPlugins\": {\n\"sec-default@builtin\": false}}\n", 2),
    ] {
        let path = format!("project/{file}");
        room.write(&path, text);
        for (name, said) in each(&room, 1) {
            let is_named = said.contains(&format!("{file}:{line}"))
                || name == "status" && said.contains(&format!("`disableAllHooks` in {file}"));
            assert!(is_named, "{name} {file}:\n{said}");
        }
        fs::remove_file(room.path(&path)).unwrap();
    }
    write_module(&room, SKILL);
    for (name, said) in each(&room, 1) {
        assert!(said.contains(".claude/skills/x/hooks/hooks.json"), "{name}:\n{said}");
        assert!(name == "trust" || said.contains("hooks.json:2"), "{name}:\n{said}");
        assert!(said.contains("could silence every hook"), "{name}:\n{said}");
    }
    fs::remove_dir_all(room.path(SKILL)).unwrap();
    // Ordinary twins: a skill, and a plugin without modules.
    room.write(&format!("{SKILL}/SKILL.md"), "---\nname: x\n---\n");
    room.write(&format!("{SKILL}/.claude-plugin/plugin.json"), "{\"name\": \"x\"}\n");
    for args in [&["status"][..], &["doctor", "--no-fire", "claude"], &["check"]] {
        let said = room.run(args, "");
        assert_eq!(said.code, 0, "{args:?}: {}", said.all());
    }
}

/// What `claude plugin validate --json` of 2.1.332 prints of a module that hooks this event.
fn analysis(event: &str) -> String {
    serde_json::json!({
        "success": true,
        "contents": [{"type": "hooks", "errors": [], "modules": [{
            "module": "./register.ts",
            "uses": {"events": [event], "calls": [], "env": {"reads": [], "writes": []}, "hosts": {"named": []}},
            "hooks": [{"pattern": event, "matcher": {"has": {}}, "isGate": false}],
            "nextTo": [], "nouns": {"adds": [], "withholds": [], "replaces": []},
        }]}],
    })
    .to_string()
}

/// T-120: `doctor` asks the agent, and what it says counts for these bytes and this version.
#[test]
fn module_is_no_error_where_the_installed_agent_says_that_it_silences_nothing() {
    let room = calling();
    write_module(&room, SKILL);
    room.write(
        "agent/claude",
        "#!/bin/sh\n[ \"$1\" = plugin ] || { echo 2.1.332; exit; }\ncat \"$4/analysis.json\"\n",
    );
    fs::create_dir_all(room.path("home/lib/bin")).unwrap();
    crate::room::install(&room.path("agent/claude"), &room.path("home/lib/bin/claude"));
    let installed = |version: &str| {
        room.write("home/lib/package.json", &format!("{{\"version\": \"{version}\"}}"));
    };
    let run = |words: &str| {
        let path = room.path("home/lib/bin");
        let line = format!("PATH={}:$PATH tenterhook {words}", path.display());
        room.shell(&line)
    };
    installed("2.1.332");
    for (text, code) in [
        (analysis("classic.PreToolUse"), 1),
        (analysis("!ui.render"), 1),
        (analysis("ui.render").replace("true", "false"), 1),
        (analysis("ui.render").replace("\"nextTo\":[]", "\"nextTo\":[\"core\"]"), 1),
        ("no JSON".to_owned(), 1),
        (analysis("ui.render"), 0),
    ] {
        room.write(&format!("{SKILL}/analysis.json"), &text);
        let doctor = run("doctor --no-fire claude");
        assert_eq!(doctor.code, code, "{text}: {}", doctor.all());
        assert_eq!(run("status").code, code, "{text}");
        assert_eq!(run("check").code, code, "{text}");
    }
    // Another version, or other bytes, are asked about anew.
    installed("2.1.333");
    assert_eq!(run("status").code, 1);
    installed("2.1.332");
    assert_eq!(run("status").code, 0);
    room.write(&format!("{SKILL}/hooks/register.ts"), "export const register = (on) => { on() }\n");
    assert_eq!(run("status").code, 1);
}

/// BR-81: from the person's own folder of skills, and from the environment of the person's settings.
#[test]
fn module_of_the_persons_own_is_reported() {
    let room = calling();
    write_module(&room, "home/.claude/skills/x");
    let output = room.run(&["status"], "");
    assert!(output.stdout.contains("~/.claude/skills/x/hooks/hooks.json:2"), "{}", output.all());
    let status = room.json(&["status", "--format", "json"], "", 1);
    assert_eq!(status["agents"][0]["covered"], false, "{status:#}");
    assert_eq!(status["agents"][0]["silencers"][0]["kind"], "mod-could-silence", "{status:#}");
    assert_eq!(status["agents"][0]["silencers"][0]["line"], 2, "{status:#}");
}

/// BR-84, T-60: any change of any file of the folder asks again.
/// T-120.
#[test]
fn module_is_approved_by_the_bytes_of_its_folder() {
    let room = calling();
    write_module(&room, SKILL);
    room.write(&format!("{SKILL}/run.log"), "a log, which other reviews leave out\n");
    let review = room.run(&["trust", "status"], "").stdout;
    let digest =
        review.split_whitespace().find(|word| word.starts_with("sha256:") || word.len() > 40);
    let digest = digest.unwrap_or_else(|| panic!("no digest in {review}")).to_owned();
    let said = room.run(&["trust", "--yes", &digest], "");
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(said.stdout.contains("loads `./register.ts` into its agent"), "{}", said.all());
    assert!(said.stdout.contains("run.log"), "{}", said.all());
    for (name, said) in each(&room, 0) {
        assert!(name == "trust" || said.contains("you approved it"), "{name}:\n{said}");
    }
    let found = room.json(&["doctor", "--format", "json", "--no-fire", "claude"], "", 0);
    fits_schema("doctor", &found);
    let kinds: Vec<&Value> =
        found["findings"].as_array().unwrap().iter().map(|finding| &finding["kind"]).collect();
    assert!(kinds.contains(&&Value::from("silencer-known")), "{found:#}");
    for (file, text) in [
        ("hooks/register.ts", "export const register = 1\n"),
        ("run.log", "another\n"),
        ("new.ts", "\n"),
    ] {
        let path = format!("{SKILL}/{file}");
        let before = fs::read(room.path(&path)).ok();
        room.write(&path, text);
        let said = room.run(&["status"], "");
        assert_eq!(said.code, 1, "{file}: {}", said.all());
        match before {
            Some(before) => fs::write(room.path(&path), before).unwrap(),
            None => fs::remove_file(room.path(&path)).unwrap(),
        }
        assert_eq!(room.run(&["status"], "").code, 0, "{file}");
    }
}

/// BR-80: a file that is named is looked at alone.
#[test]
fn named_file_is_checked_alone() {
    let room = calling();
    write_module(&room, SKILL);
    room.write("project/ok.json", "{\"hooks\": {}}\n");
    room.write("project/.claude/settings.json", "{\"disableAllHooks\": true}\n");
    for (file, code, count) in [
        ("ok.json", 0, 0),
        (".claude/settings.json", 1, 1),
        (".claude/skills/x/hooks/hooks.json", 1, 1),
    ] {
        let output = room.run(&["check", "--dialect", "claude", "--format", "json", file], "");
        let value: Value = serde_json::from_str(&output.stdout).unwrap();
        let found = value["diagnostics"].as_array().unwrap();
        let errors = found.iter().filter(|finding| finding["severity"] == "error").count();
        assert_eq!((output.code, errors), (code, count), "{file}: {value:#}");
    }
}

/// Every file below the home and the project that is not state, with its bytes.
fn files(room: &Room) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut all = vec![room.path("home"), room.path("project")];
    while let Some(path) = all.pop() {
        if path.is_dir() {
            all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.starts_with(room.path("home/.local")) {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// BR-86: the guard holds modules, says what it does not hold, and is taken out to the byte.
/// BR-100.
#[test]
fn guard_is_written_and_taken_out_to_the_byte() {
    for settings in
        ["{}\n", "{\n  \"env\": {\n    \"A\": \"b\"\n  },\n  \"prependPlugins\": [\"x@y\"]\n}\n"]
    {
        let room = Room::new().unapproved();
        room.write("home/.claude/settings.json", settings);
        room.write("project/.claude/settings.json", "{\"disableAllHooks\": true}\n");
        let before = files(&room);
        let output = room.run(&["install", "claude", "--guard"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        for gap in ["`disableAllHooks: true` in a project's settings", "--plugin-dir", "--bare"] {
            assert!(output.stderr.contains(gap), "{gap}: {}", output.all());
        }
        let now: Value =
            serde_json::from_slice(&fs::read(room.path("home/.claude/settings.json")).unwrap())
                .unwrap();
        let folder = now["env"]["CLAUDE_CODE_PLUGIN_DIRS"].as_str().unwrap().to_owned();
        let name = folder.rsplit('/').next().unwrap();
        let listed = now["prependPlugins"].as_array().unwrap();
        assert_eq!(listed.last().unwrap(), &Value::from(format!("{name}@inline")));
        assert!(
            fs::read_to_string(format!("{folder}/hooks/guard.ts"))
                .unwrap()
                .contains("plugin.register")
        );
        let local = fs::read_to_string(room.path("project/.claude/settings.local.json")).unwrap();
        assert!(local.contains("\"disableAllHooks\": false"), "{local}");
        // It holds a module of the project, and `status` says by what.
        write_module(&room, SKILL);
        let status = room.run(&["status"], "");
        assert_eq!(status.code, 0, "{}", status.all());
        assert!(status.stdout.contains("the guard of `install --guard`"), "{}", status.all());
        fs::write(format!("{folder}/hooks/guard.ts"), "export const register = () => {}\n")
            .unwrap();
        assert_eq!(room.run(&["status"], "").code, 1);
        // Done twice it is done once, and mended.
        assert_eq!(room.run(&["install", "claude", "--guard"], "").code, 0);
        assert_eq!(room.run(&["status"], "").code, 0);
        assert_eq!(fs::read_dir(room.path("home/.config/tenterhook/guard")).unwrap().count(), 1);
        fs::remove_dir_all(room.path(SKILL)).unwrap();
        fs::remove_dir_all(room.path("project/.claude/skills")).unwrap();
        let output = room.run(&["uninstall", "claude"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        assert_eq!(files(&room), before, "{}", output.all());
        assert!(!room.path("home/.config").exists());
    }
}

/// BR-85: what the organisation's settings become.
#[test]
fn managed_settings_close_what_silences() {
    let room = Room::new();
    let output = room.run(&["install", "claude", "--scope", "managed", "--print"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(value["disableAllHooks"], false);
    let options = &value["pluginConfigs"]["cc-plugin-sec-default@builtin"]["options"];
    assert_eq!(options["allowManagedModsOnly"], true);
    assert!(value.get("prependPlugins").is_none());
    let project = room.run(&["install", "claude", "--scope", "project", "--guard"], "");
    assert!(project.code != 0 && project.stderr.contains("`--guard`"), "{}", project.all());
}
