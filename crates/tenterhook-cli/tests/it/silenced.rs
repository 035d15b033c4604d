//! What silences Claude Code's hooks from beside is reported by every command that looks, with file and line; what the person
//! approved is not an error.

use std::fs;

use serde_json::Value;

use crate::fixture::{Fixture, fits_schema};

const SKILL: &str = "project/.claude/skills/x";

/// A home in which Claude Code calls, in a project without an approval.
fn calling() -> Fixture {
    let fixture = Fixture::new().unapproved();
    fixture.write("home/.claude/settings.json", "{}\n");
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    fixture
}

/// A plugin with a module in the folder `root`.
fn write_module(fixture: &Fixture, root: &str) {
    fixture.write(&format!("{root}/.claude-plugin/plugin.json"), "{\"name\": \"x\"}\n");
    fixture
        .write(&format!("{root}/hooks/hooks.json"), "{\n  \"modules\": [\"./register.ts\"]\n}\n");
    fixture.write(&format!("{root}/hooks/register.ts"), "export const register = (on) => {}\n");
}

/// What each command says, which ends with that code.
fn each(fixture: &Fixture, code: i32) -> Vec<(&'static str, String)> {
    let commands: [(&str, &[&str]); 4] = [
        ("status", &["status"]),
        ("doctor", &["doctor", "--no-fire", "claude"]),
        ("check", &["check"]),
        ("trust", &["trust", "status"]),
    ];
    let run = |(name, args): (&'static str, &[&str])| {
        let output = fixture.run(args, "");
        assert_eq!(output.code, code, "{name}: {}", output.all());
        (name, format!("{}{}", output.stdout, output.stderr))
    };
    commands.into_iter().map(run).collect()
}

/// BR-80, BR-81, BR-83: file and line, and exit code 1.
#[test]
fn what_silences_hooks_is_reported_by_each_command() {
    let fixture = calling();
    for (file, text, line) in [
        (".claude/settings.json", "{\n  \"disableAllHooks\": true\n}\n", 2),
        (".claude/settings.local.json", "{\n\n  \"disableAllHooks\": true\n}\n", 3),
        (".claude/settings.json", "{\"enabledPlugins\": {\n\"sec-default@builtin\": false}}\n", 2),
    ] {
        let path = format!("project/{file}");
        fixture.write(&path, text);
        for (name, said) in each(&fixture, 1) {
            let is_named = said.contains(&format!("{file}:{line}"))
                || name == "status" && said.contains(&format!("`disableAllHooks` in {file}"));
            assert!(is_named, "{name} {file}:\n{said}");
        }
        fs::remove_file(fixture.path(&path)).unwrap();
    }
    write_module(&fixture, SKILL);
    for (name, said) in each(&fixture, 1) {
        assert!(said.contains(".claude/skills/x/hooks/hooks.json"), "{name}:\n{said}");
        assert!(name == "trust" || said.contains("hooks.json:2"), "{name}:\n{said}");
        assert!(said.contains("could silence every hook"), "{name}:\n{said}");
    }
    fs::remove_dir_all(fixture.path(SKILL)).unwrap();
    // Ordinary twins: a skill, and a plugin without modules.
    fixture.write(&format!("{SKILL}/SKILL.md"), "---\nname: x\n---\n");
    fixture.write(&format!("{SKILL}/.claude-plugin/plugin.json"), "{\"name\": \"x\"}\n");
    for args in [&["status"][..], &["doctor", "--no-fire", "claude"], &["check"]] {
        let said = fixture.run(args, "");
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
    let fixture = calling();
    write_module(&fixture, SKILL);
    fixture.write(
        "agent/claude",
        "#!/bin/sh\n[ \"$1\" = plugin ] || { echo 2.1.332; exit; }\ncat \"$4/analysis.json\"\n",
    );
    fs::create_dir_all(fixture.path("home/lib/bin")).unwrap();
    crate::fixture::install(&fixture.path("agent/claude"), &fixture.path("home/lib/bin/claude"));
    let installed = |version: &str| {
        fixture.write("home/lib/package.json", &format!("{{\"version\": \"{version}\"}}"));
    };
    let run = |words: &str| {
        let path = fixture.path("home/lib/bin");
        let line = format!("PATH={}:$PATH tenterhook {words}", path.display());
        fixture.shell(&line)
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
        fixture.write(&format!("{SKILL}/analysis.json"), &text);
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
    fixture
        .write(&format!("{SKILL}/hooks/register.ts"), "export const register = (on) => { on() }\n");
    assert_eq!(run("status").code, 1);
}

/// BR-81: from the person's own folder of skills, and from the environment of the person's settings.
#[test]
fn module_of_the_persons_own_is_reported() {
    let fixture = calling();
    write_module(&fixture, "home/.claude/skills/x");
    let output = fixture.run(&["status"], "");
    assert!(output.stdout.contains("~/.claude/skills/x/hooks/hooks.json:2"), "{}", output.all());
    let status = fixture.json(&["status", "--format", "json"], "", 1);
    assert_eq!(status["agents"][0]["covered"], false, "{status:#}");
    assert_eq!(status["agents"][0]["silencers"][0]["kind"], "mod-could-silence", "{status:#}");
    assert_eq!(status["agents"][0]["silencers"][0]["line"], 2, "{status:#}");
}

/// BR-84, T-60: any change of any file of the folder asks again.
/// T-120.
#[test]
fn module_is_approved_by_the_bytes_of_its_folder() {
    let fixture = calling();
    write_module(&fixture, SKILL);
    fixture.write(&format!("{SKILL}/run.log"), "a log, which other reviews leave out\n");
    let review = fixture.run(&["trust", "status"], "").stdout;
    let digest =
        review.split_whitespace().find(|word| word.starts_with("sha256:") || word.len() > 40);
    let digest = digest.unwrap_or_else(|| panic!("no digest in {review}")).to_owned();
    let said = fixture.run(&["trust", "--yes", &digest], "");
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(said.stdout.contains("loads `./register.ts` into its agent"), "{}", said.all());
    assert!(said.stdout.contains("run.log"), "{}", said.all());
    for (name, said) in each(&fixture, 0) {
        assert!(name == "trust" || said.contains("you approved it"), "{name}:\n{said}");
    }
    let found = fixture.json(&["doctor", "--format", "json", "--no-fire", "claude"], "", 0);
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
        let before = fs::read(fixture.path(&path)).ok();
        fixture.write(&path, text);
        let said = fixture.run(&["status"], "");
        assert_eq!(said.code, 1, "{file}: {}", said.all());
        match before {
            Some(before) => fs::write(fixture.path(&path), before).unwrap(),
            None => fs::remove_file(fixture.path(&path)).unwrap(),
        }
        assert_eq!(fixture.run(&["status"], "").code, 0, "{file}");
    }
}

/// BR-80: a file that is named is looked at alone.
#[test]
fn named_file_is_checked_alone() {
    let fixture = calling();
    write_module(&fixture, SKILL);
    fixture.write("project/ok.json", "{\"hooks\": {}}\n");
    fixture.write("project/.claude/settings.json", "{\"disableAllHooks\": true}\n");
    for (file, code, count) in [
        ("ok.json", 0, 0),
        (".claude/settings.json", 1, 1),
        (".claude/skills/x/hooks/hooks.json", 1, 1),
    ] {
        let output = fixture.run(&["check", "--dialect", "claude", "--format", "json", file], "");
        let value: Value = serde_json::from_str(&output.stdout).unwrap();
        let found = value["diagnostics"].as_array().unwrap();
        let errors = found.iter().filter(|finding| finding["severity"] == "error").count();
        assert_eq!((output.code, errors), (code, count), "{file}: {value:#}");
    }
}

/// Every file below the home and the project that is not state, with its bytes.
fn files(fixture: &Fixture) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut all = vec![fixture.path("home"), fixture.path("project")];
    while let Some(path) = all.pop() {
        if path.is_dir() {
            all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.starts_with(fixture.path("home/.local")) {
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
        let fixture = Fixture::new().unapproved();
        fixture.write("home/.claude/settings.json", settings);
        fixture.write("project/.claude/settings.json", "{\"disableAllHooks\": true}\n");
        let before = files(&fixture);
        let output = fixture.run(&["install", "claude", "--guard"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        for gap in ["`disableAllHooks: true` in a project's settings", "--plugin-dir", "--bare"] {
            assert!(output.stderr.contains(gap), "{gap}: {}", output.all());
        }
        let now: Value =
            serde_json::from_slice(&fs::read(fixture.path("home/.claude/settings.json")).unwrap())
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
        let local =
            fs::read_to_string(fixture.path("project/.claude/settings.local.json")).unwrap();
        assert!(local.contains("\"disableAllHooks\": false"), "{local}");
        // It holds a module of the project, and `status` says by what.
        write_module(&fixture, SKILL);
        let status = fixture.run(&["status"], "");
        assert_eq!(status.code, 0, "{}", status.all());
        assert!(status.stdout.contains("the guard of `install --guard`"), "{}", status.all());
        fs::write(format!("{folder}/hooks/guard.ts"), "export const register = () => {}\n")
            .unwrap();
        assert_eq!(fixture.run(&["status"], "").code, 1);
        // Done twice it is done once, and mended.
        assert_eq!(fixture.run(&["install", "claude", "--guard"], "").code, 0);
        assert_eq!(fixture.run(&["status"], "").code, 0);
        assert_eq!(fs::read_dir(fixture.path("home/.config/tenterhook/guard")).unwrap().count(), 1);
        fs::remove_dir_all(fixture.path(SKILL)).unwrap();
        fs::remove_dir_all(fixture.path("project/.claude/skills")).unwrap();
        let output = fixture.run(&["uninstall", "claude"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        assert_eq!(files(&fixture), before, "{}", output.all());
        assert!(!fixture.path("home/.config").exists());
    }
}

/// BR-85: what the organisation's settings become.
#[test]
fn managed_settings_close_what_silences() {
    let fixture = Fixture::new();
    let output = fixture.run(&["install", "claude", "--scope", "managed", "--print"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(value["disableAllHooks"], false);
    let options = &value["pluginConfigs"]["cc-plugin-sec-default@builtin"]["options"];
    assert_eq!(options["allowManagedModsOnly"], true);
    assert!(value.get("prependPlugins").is_none());
    let project = fixture.run(&["install", "claude", "--scope", "project", "--guard"], "");
    assert!(project.code != 0 && project.stderr.contains("`--guard`"), "{}", project.all());
}
