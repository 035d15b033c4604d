//! What `trust` and `status` list of a project that agents run by themselves: commands without a gate of tool calls, hooks, and what an
//! older version leaves open: T-65, T-190, T-192, BR-97.

use serde_json::Value;

use crate::clone::CLONE;
use crate::fixture::Fixture;

/// T-65, KI-3, PI-7: with file and line, in every place that is looked at before an agent is started, and nothing is started.
#[test]
fn project_lists_what_runs_without_a_gate() {
    let fixture = Fixture::new().unapproved();
    let settings = "{\n \"apiKeyHelper\": \"touch ran1\",\n \"env\": {\"BASH_ENV\": \"./ran2.sh\", \"HARMLESS\": \"1\"},\n \"statusLine\": {\"type\": \"command\", \"command\": \"touch ran3\"},\n \"model\": \"x\"}";
    fixture.write("project/.claude/settings.json", settings);
    fixture.write("project/.claude/settings.local.json", "{\"awsAuthRefresh\": \"touch ran4\"}");
    fixture.write(
        "project/.mcp.json",
        "{\"mcpServers\": {\"x\": {\"command\": \"touch\", \"args\": [\"ran5\"]}}}",
    );
    fixture.write("project/.claude/skills/look/SKILL.md", "---\nname: look\n---\n!`touch ran6`\n");
    fixture.write("project/.claude/commands/a/b.md", "Run !`touch ran7` now\n");
    fixture.write("project/.pi/extensions/a.ts", "export default function () {}\n");
    fixture.write("project/.kilo/plugin/b.js", "export default {}\n// two\n");
    fixture.write("project/kilo.json", "{\n \"plugin\": [\"./ran8.js\", \"x\"]}");
    let wanted = [
        ".pi/extensions/a.ts:1  1 line of code",
        ".kilo/plugin/b.js:1  2 lines of code",
        "kilo.json:2  ./ran8.js",
        "kilo.json:2  x",
        ".claude/settings.json:2  touch ran1",
        ".claude/settings.json:3  ./ran2.sh",
        ".claude/settings.json:4  touch ran3",
        ".claude/settings.local.json:1  touch ran4",
        ".mcp.json:1  touch ran5",
        ".claude/skills/look/SKILL.md:4  touch ran6",
        ".claude/commands/a/b.md:1  touch ran7",
    ];
    fixture.write("home/.claude/settings.json", "{}");
    for args in [&["trust"][..], &["trust", "status"], &["status"]] {
        let page = fixture.run(args, "").stdout;
        for line in wanted {
            assert_eq!(page.matches(line).count(), 1, "{args:?}: {line}: {page}");
        }
        assert!(!page.contains("HARMLESS"), "{page}");
        assert_eq!(page.matches("without asking a gate").count(), 1, "{page}");
    }
    let json = fixture.run(&["status", "--format", "json"], "").stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    // Three agents beside Claude Code start the server of `.mcp.json`.
    assert_eq!(json["unasked"].as_array().unwrap().len(), wanted.len() + 3, "{json}");
    let ran = std::fs::read_dir(fixture.path("project")).unwrap();
    assert!(!ran.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("ran")));
}

/// T-65: a project without such files says nothing.
#[test]
fn ordinary_project_lists_nothing() {
    let fixture = Fixture::new().unapproved();
    fixture.write(
        "project/.claude/settings.json",
        "{\"permissions\": {\"allow\": [\"Bash(ls)\"]}, \"env\": {\"DEBUG\": \"1\"}}",
    );
    fixture.write(
        "project/.claude/skills/look/SKILL.md",
        "---\nname: look\n---\nRun `ls`! It is fast.\n```sh\nls\n```\n",
    );
    // Claude Code hands the files beside it over as they are.
    fixture.write("project/.claude/skills/look/more.md", "Run !`touch ran8` first\n");
    fixture.write("project/.claude/skills/group/deep/SKILL.md", "Run !`touch ran9` first\n");
    #[cfg(unix)]
    {
        fixture.write("elsewhere/notes/a.md", "Run !`touch ran10` first\n");
        std::fs::create_dir_all(fixture.path("project/.claude/commands")).unwrap();
        for (link, to) in [("notes", "elsewhere/notes"), ("a.md", "elsewhere/notes/a.md")] {
            let link = fixture.path(&format!("project/.claude/commands/{link}"));
            std::os::unix::fs::symlink(fixture.path(to), link).unwrap();
        }
    }
    fixture.write(
        "project/.mcp.json",
        "{\"mcpServers\": {\"x\": {\"type\": \"http\", \"url\": \"https://example.org\"}}}",
    );
    for args in [&["trust", "status"][..], &["status"]] {
        let page = fixture.run(args, "").stdout;
        assert!(!page.contains("without asking a gate"), "{page}");
    }
}

/// BR-97.
#[test]
fn status_names_skill_lines_that_an_older_version_does_not_cover() {
    let page = |version: &str, settings: &str| {
        let fixture = Fixture::new();
        fixture.write("home/.claude/settings.json", settings);
        fixture.write(
            "home/lib/package.json",
            &format!("{{\"name\": \"x\", \"version\": \"{version}\"}}"),
        );
        fixture.write("home/lib/bin/claude", "#!/bin/sh\nexit 1\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(fixture.path("home/lib/bin/claude"), mode).unwrap();
        }
        let path = fixture.path("home/lib/bin");
        fixture
            .shell(&format!(
                "tenterhook install claude >&2; PATH={}:$PATH tenterhook status",
                path.display()
            ))
            .stdout
    };
    let key = "disableSkillShellExecution";
    let old = page("2.1.330", "{}");
    assert!(old.contains("2.1.330") && old.contains(key), "{old}");
    assert!(!page("2.1.332", "{}").contains(key));
    assert!(!page("2.2.0", "{}").contains(key));
    assert!(!page("2.1.330", &format!("{{\"{key}\": true}}")).contains("skills and commands call"));
    let unknown = page("none", "{}");
    assert!(unknown.contains("cannot be found") && unknown.contains(key), "{unknown}");
}

/// T-190: `trust` lists files with hooks once, with the agents that run them by themselves.
#[test]
fn trust_names_the_agents_that_run_hooks_of_the_project_themselves() {
    let fixture = Fixture::new().unapproved();
    for (file, text, ..) in CLONE {
        fixture.write(&format!("project/{file}"), text);
    }
    for args in [&["trust"][..], &["trust", "status"]] {
        let page = fixture.run(args, "").stdout;
        let (_, hooks) = page.split_once("run hooks of this project by themselves").unwrap();
        for file in [
            ".factory/hooks.json",
            ".claude/settings.json",
            ".cursor/hooks.json",
            ".vibe/hooks.toml",
        ] {
            assert_eq!(hooks.matches(&format!("  {file}  1 hook\n")).count(), 1, "{file}: {hooks}");
        }
        assert!(hooks.contains("Droid: unasked\n"), "{hooks}");
        assert!(hooks.contains("Claude Code, Copilot CLI: unasked with `-p`\n"), "{hooks}");
        assert!(hooks.contains("Mistral Vibe: only after you trust the folder"), "{hooks}");
        assert!(page.contains(".pi/extensions/a.ts:1  1 line of code"), "{page}");
    }
}

/// T-192: what `install --scope project` wrote is not listed, and what only looks like it is.
#[test]
fn own_files_and_entries_in_a_repository_are_not_listed() {
    let fixture = Fixture::new().unapproved();
    let agents = [
        "claude", "codex", "copilot", "opencode", "kilo", "pi", "goose", "qwen", "cline", "gemini",
        "droid",
    ];
    for agent in agents {
        let output = fixture.run(&["install", agent, "--scope", "project"], "");
        assert_eq!(output.code, 0, "{agent}: {}", output.stderr);
    }
    let list = || fixture.run(&["check", "--repo", "--format", "json"], "").stdout;
    let empty: Value = serde_json::from_str(&list()).unwrap();
    assert_eq!(empty["commands"].as_array().unwrap().len(), 0, "{empty:#}");
    let output = fixture.run(&["check", "--repo"], "");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (0, "agents run nothing of this repository\n")
    );
    for file in
        [".pi/extensions/zz-tenterhook.js", ".clinerules/hooks/PreToolUse", ".factory/hooks.json"]
    {
        let path = fixture.path(&format!("project/{file}"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(
            &path,
            text.replace(" hook ", " hook; ./x ")
                .replace("const PROGRAM", "run('x')\nconst PROGRAM"),
        )
        .unwrap();
        assert!(list().contains(file), "{file}: {}", list());
        std::fs::write(&path, text).unwrap();
    }
}
