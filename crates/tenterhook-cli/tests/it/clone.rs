//! What `check --repo` lists of a clone, a row for each file of each agent: T-190, T-193, T-194.

use crate::fixture::{Fixture, fits_schema};

/// A clone with something for each agent: the file, its text, the line and the command that are listed, and what must be listed of the
/// agents and their questions.
pub(crate) const CLONE: &[(&str, &str, usize, &str, &[&str])] = &[
    (".pi/extensions/a.ts", "x\n", 1, "1 line of code", &["Pi, at start", "unasked in Pi 0.73"]),
    (".pi/extensions/b/index.js", "x\n", 1, "1 line of code", &["Pi, at start"]),
    (
        ".factory/hooks.json",
        r#"{"Stop": [{"hooks": [{"type": "command", "command": "./f1"}]}]}"#,
        1,
        "./f1",
        &["Droid, as a hook of `Stop`; unasked\n"],
    ),
    (
        ".factory/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "./f2"}]}]}}"#,
        1,
        "./f2",
        &["Droid, as a hook of `Stop`; unasked\n"],
    ),
    (".kilo/plugin/a.js", "x\n", 1, "1 line of code", &["Kilo, at start, as a plugin; unasked\n"]),
    (".kilo/plugins/a.js", "x\n", 1, "1 line of code", &["Kilo"]),
    (".kilocode/plugin/a.js", "x\n", 1, "1 line of code", &["Kilo"]),
    (
        ".kilo/tool/a.ts",
        "x\n",
        1,
        "1 line of code",
        &["Kilo, with a session, as a tool; unasked\n"],
    ),
    (".kilocode/tools/a.js", "x\n", 1, "1 line of code", &["Kilo"]),
    (".opencode/tool/a.ts", "x\n", 1, "1 line of code", &["OpenCode, with a session, as a tool"]),
    (
        ".kilocode/mcp.json",
        r#"{"mcpServers": {"x": {"command": "./m"}}}"#,
        1,
        "./m",
        &["Kilo, `mcpServers.x`: at start, as an MCP server"],
    ),
    (
        ".vscode/settings.json",
        r#"{"chat.hookFilesLocations": {"evil/hooks": true, "off": false}}"#,
        1,
        "true",
        &["VS Code, `chat.hookFilesLocations.evil/hooks`: its hook files"],
    ),
    (
        ".github/agents/a.agent.md",
        "---\nname: a\nhooks:\n  Stop:\n    - type: command\n      command: ./g\n---\n",
        6,
        "./g",
        &["VS Code, as a hook of `Stop`"],
    ),
    ("kilo.json", "{\n\"plugin\": [\"./k.js\"]}", 2, "./k.js", &["Kilo"]),
    (
        "kilo.jsonc",
        "{\n\"provider\": {\"p\": {\"npm\": \"file:///p.js\"}}}",
        2,
        "file:///p.js",
        &["Kilo, `provider.p.npm`: when a model of this provider is used; unasked\n"],
    ),
    (
        ".kilo/command/a.md",
        "x\n!`./k2`\n",
        2,
        "./k2",
        &["Kilo, when the command is used; unasked\n"],
    ),
    (".kilo/setup-script", "x\n", 1, "1 line of code", &["Kilo, when a worktree is made"]),
    (
        "opencode.json",
        "{\"plugin\": [\n[\"./o1.js\", {\"a\": 1}]]}",
        2,
        "./o1.js",
        &["OpenCode, Kilo, `plugin`: at start, as a plugin; unasked\n"],
    ),
    (
        ".opencode/opencode.jsonc",
        r#"{"formatter": {"f": {"command": ["./o2", "a"]}}}"#,
        1,
        "./o2 a",
        &["OpenCode, `formatter.f.command`: after a file is edited; unasked\n"],
    ),
    (
        ".pi/settings.json",
        r#"{"npmCommand": ["./p1", "a"]}"#,
        1,
        "./p1 a",
        &["Pi, `npmCommand`: when a package is installed; unasked in Pi 0.73\n"],
    ),
    (
        ".pi/mcp.json",
        r#"{"mcpServers": {"s": {"command": "./p2"}}}"#,
        1,
        "./p2",
        &["Pi, `mcpServers.s`: at start, as an MCP server; only after you trust the project\n"],
    ),
    (
        ".opencode/plugin/a.ts",
        "x\n",
        1,
        "1 line of code",
        &["OpenCode, at start, as a plugin; unasked\n"],
    ),
    (
        ".vibe/hooks.toml",
        "[[hooks]]\nname = \"n\"\ntype = \"pre_tool\"\ncommand = \"./v\"\n",
        4,
        "./v",
        &["Mistral Vibe, as a hook of `pre_tool`; only after you trust the folder"],
    ),
    (
        ".cursor/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"command": "./c"}]}}"#,
        1,
        "./c",
        &["Cursor, as a hook of `stop`; whether it asks first is not known"],
    ),
    (
        ".agents/hooks.json",
        r#"{"mine": {"PreToolUse": [{"matcher": "x", "hooks": [{"command": "./a"}]}]}}"#,
        1,
        "./a",
        &["Antigravity, as a hook of `PreToolUse`"],
    ),
    (
        ".agents/plugins/p/hooks/hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "./g"}]}]}}"#,
        1,
        "./g",
        &["Goose, as a hook of `Stop`; unasked\n"],
    ),
    (
        ".windsurf/hooks.json",
        r#"{"hooks": {"pre_run_command": [{"command": "./w"}]}}"#,
        1,
        "./w",
        &["Windsurf, as a hook of `pre_run_command`"],
    ),
    (
        ".augment/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "./u"}]}]}}"#,
        1,
        "./u",
        &["Auggie, as a hook of `Stop`"],
    ),
    (
        "crush.json",
        r#"{"hooks": {"PreToolUse": [{"command": "./r"}]}}"#,
        1,
        "./r",
        &["Crush, as a hook of `PreToolUse`"],
    ),
    (
        ".kiro/agents/a.json",
        r#"{"hooks": {"agentSpawn": [{"command": "./i"}]}}"#,
        1,
        "./i",
        &["Kiro, as a hook of `agentSpawn`"],
    ),
    (
        ".kiro/hooks/a.json",
        r#"{"version": "v1", "hooks": [{"name": "a", "trigger": "Stop", "action": {"type": "command", "command": "./q"}}]}"#,
        1,
        "./q",
        &["Kiro, as a hook of `Stop`"],
    ),
    (".crushrc", "x\n", 1, "1 line of code", &["Crush, at start, as a shell script"]),
    (
        ".crush.json",
        r#"{"providers": {"p": {"api_key": "$(./r2)"}}}"#,
        1,
        "$(./r2)",
        &["Crush, `providers.p.api_key`: when the value is expanded"],
    ),
    (
        ".agents/plugins/q/.mcp.json",
        r#"{"mcpServers": {"s": {"command": "./g2"}}}"#,
        1,
        "./g2",
        &["Goose, `mcpServers.s`: at start, as an MCP server; unasked\n"],
    ),
    (
        ".agents/plugins/q/.plugin/plugin.json",
        r#"{"mcpServers": {"s": {"command": "./g3"}}}"#,
        1,
        "./g3",
        &["Goose, `mcpServers.s`"],
    ),
    (".cline/plugins/a/b.js", "x\n", 1, "1 line of code", &["Cline, at start, as a plugin"]),
    (
        ".kilocode/workflows/a.md",
        "!`./k3`\n",
        1,
        "./k3",
        &["Kilo, when the command is used; unasked\n"],
    ),
    (
        ".hermes/plugins/a/__init__.py",
        "x\n",
        1,
        "1 line of code",
        &["Hermes, at start, as a plugin; only after you set"],
    ),
    (
        ".cline/plugins/a.ts",
        "x\n",
        1,
        "1 line of code",
        &["Cline, at start, as a plugin; unasked\n"],
    ),
    (
        ".factory/mcp.json",
        r#"{"mcpServers": {"s": {"command": "./f3"}}}"#,
        1,
        "./f3",
        &["Droid, `mcpServers.s`: at start, as an MCP server; unasked\n"],
    ),
    (
        ".cursor/environment.json",
        "{\"install\": \"./c2\"}",
        1,
        "./c2",
        &["Cursor, `install`: when a cloud agent starts; unasked\n"],
    ),
    (
        ".vscode/tasks.json",
        r#"{"tasks": [{"command": "./t", "args": ["a"], "runOptions": {"runOn": "folderOpen"}}]}"#,
        1,
        "./t a",
        &["Cursor, `tasks`: when the folder is opened; unasked unless", "VS Code, `tasks`"],
    ),
    (
        ".mcp.json",
        r#"{"mcpServers": {"s": {"command": "./m2"}}}"#,
        1,
        "./m2",
        &[
            "Copilot CLI",
            "Qwen Code, `mcpServers.s`: at start, as an MCP server; unasked with `--yolo`",
        ],
    ),
    (
        ".qwen/commands/a.toml",
        "prompt = \"a !{./q2}\"\n",
        1,
        "./q2",
        &["Qwen Code, when the command is used; unasked with `--yolo`\n"],
    ),
    (
        ".lsp.json",
        r#"{"l": {"command": "./q3"}}"#,
        1,
        "./q3",
        &["Qwen Code, `l`: at start, as a language server; unasked with `--experimental-lsp`"],
    ),
    (
        ".github/agents/b.agent.md",
        "---\nname: a\nmcp-servers:\n  s:\n    command: ./h2\n---\n",
        4,
        "./h2",
        &["Copilot CLI, `mcp-servers.s`: when this agent is used; unasked with `-p`"],
    ),
    (".vibe/tools/a.py", "x\n", 1, "1 line of code", &["Mistral Vibe, at start, as a tool; only"]),
    (".amp/plugins/a.ts", "x\n", 1, "1 line of code", &["Amp, at start, as a plugin"]),
    (
        ".clinerules/hooks/PreToolUse",
        "#!/bin/sh\ntrue\n",
        1,
        "2 lines of code",
        &["Cline, as a hook of the event in its name; unasked\n"],
    ),
    (
        ".codex/hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "./x"}]}]}}"#,
        1,
        "./x",
        &["Codex CLI, as a hook of `Stop`; only after you approve each"],
    ),
    (
        ".gemini/settings.json",
        r#"{"mcpServers": {"s": {"command": "./m"}}}"#,
        1,
        "./m",
        &["Gemini CLI, `mcpServers.s`", "only after you trust the folder"],
    ),
    (
        ".qwen/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "./q"}]}]}}"#,
        1,
        "./q",
        &["Qwen Code, as a hook of `Stop`; unasked unless"],
    ),
    (
        ".github/hooks/a.json",
        r#"{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "./h"}]}}"#,
        1,
        "./h",
        &["Copilot CLI, as a hook of `agentStop`; unasked with `-p`", "VS Code"],
    ),
    (
        ".claude/settings.json",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\",\n\"command\": \"./l\"}]}]}}",
        2,
        "./l",
        &[
            "Claude Code, Copilot CLI, as a hook of `Stop`; unasked with `-p`",
            "Cursor, VS Code, as a hook",
        ],
    ),
    (
        ".claude/agents/a.md",
        "---\nname: a\ndescription: b\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ./n\n---\n",
        8,
        "./n",
        &["Claude Code, as a hook of `Stop`; only after you trust this very folder"],
    ),
    (
        ".gen/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "./e"}]}]}}"#,
        1,
        "./e",
        &["as a hook of `Stop`; unasked\n"],
    ),
    (
        ".codewhale/hooks.toml",
        "[[hooks]]\nevent = \"turn_end\"\ncommand = \"./d\"\n",
        3,
        "./d",
        &["as a hook of `turn_end`; only after you trust"],
    ),
    (
        ".reasonix/settings.json",
        r#"{"hooks": {"Stop": [{"command": "./o"}]}}"#,
        1,
        "./o",
        &["as a hook of `Stop`; unasked\n"],
    ),
];

/// T-190, T-193: each file of each agent, with the command, when it runs, and whether the agent asks; nothing runs.
#[test]
fn check_repo_lists_what_each_agent_runs_of_a_clone() {
    let fixture = Fixture::new().unapproved();
    for (file, text, ..) in CLONE {
        fixture.write(&format!("clone/{file}"), text);
    }
    let output = fixture.run(&["check", "--repo", "../clone"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    for (file, _, line, command, clauses) in CLONE {
        let row = format!("  {file}:{line}  {command}\n");
        let (_, rest) =
            output.stdout.split_once(&row).unwrap_or_else(|| panic!("{row}: {}", output.stdout));
        let agents: String =
            rest.split_inclusive('\n').take_while(|line| line.starts_with("      ")).collect();
        for clause in *clauses {
            assert!(agents.contains(clause), "{file}: {clause}: {agents}");
        }
    }
    let json = fixture.json(&["check", "--repo", "../clone", "--format", "json"], "", 1);
    fits_schema("repository", &json);
    // Each file that may run unasked must be accepted by its path, a directory above it, or its digest.
    let rows = json["commands"].as_array().unwrap();
    let digest = |file: &str| {
        let row = rows.iter().find(|row| row["file"] == file).unwrap();
        row["digest"].as_str().unwrap().to_owned()
    };
    let mut args = vec!["check".to_owned(), "--repo".to_owned(), "../clone".to_owned()];
    for (file, ..) in
        CLONE.iter().filter(|(file, ..)| !file.starts_with(".pi/") && *file != "kilo.json")
    {
        args.extend(["--allow".to_owned(), (*file).to_owned()]);
    }
    args.extend(["--allow".to_owned(), digest("kilo.json")]);
    let run =
        |args: &[String]| fixture.run(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
    let output = run(&args);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(output.stdout.contains("3 may run unasked"), "{}", output.stdout);
    args.extend(["--allow", ".pi", "--allow", "gone.json"].map(str::to_owned));
    let output = run(&args);
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(output.stderr.contains("`--allow gone.json` names no file"), "{}", output.stderr);
    fixture.write("clone/kilo.json", r#"{"plugin": ["./other.js"]}"#);
    assert_eq!(run(&args).code, 1, "another text has another digest");
}

/// T-194: what an agent does not run, because of a switch, an exclusion or a value, is not listed.
#[test]
fn what_is_switched_off_in_a_repository_is_not_listed() {
    let off = r#""command": "./off", "disabled": true"#;
    let server = format!(r#"{{"mcpServers": {{"s": {{{off}}}}}}}"#);
    let fixture = Fixture::new().unapproved();
    for (file, text) in [
        (
            "kilo.json",
            r#"{"mcp": {"s": {"type": "local", "command": ["./off"], "enabled": false}},
                "formatter": {"f": {"command": ["./off"], "disabled": true}},
                "command": {"c": {"template": "no `line`"}}, "shell": "/bin/bash",
                "provider": {"p": {"npm": "@ai-sdk/openai-compatible"}}}"#,
        ),
        (".pi/settings.json", r#"{"extensions": ["!off.ts", "-off.ts", "+off.ts"]}"#),
        (".kilocode/mcp.json", &server),
        (".factory/mcp.json", &server),
        (".kiro/settings/mcp.json", &server),
        (".crush.json", &format!(r#"{{"mcp": {{"s": {{{off}}}}}, "lsp": {{"l": {{{off}}}}}}}"#)),
        (".codex/config.toml", "[mcp_servers.s]\ncommand = \"./off\"\nenabled = false\n"),
        (".vscode/tasks.json", r#"{"tasks": [{"command": "./off"}]}"#),
    ] {
        fixture.write(&format!("project/{file}"), text);
    }
    let output = fixture.run(&["check", "--repo"], "");
    let nothing = "agents run nothing of this repository\n";
    assert_eq!((output.code, output.stdout.as_str()), (0, nothing));
    // Another switch than that of the agent switches nothing off.
    fixture.write(
        "project/.kilocode/mcp.json",
        &server.replace(r#""disabled": true"#, r#""enabled": false"#),
    );
    fixture.write("project/.mcp.json", &server);
    let page = fixture.run(&["check", "--repo"], "").stdout;
    assert!(page.contains("  .kilocode/mcp.json:1  ./off\n"), "{page}");
    let (_, claude) = page.split_once("  .mcp.json:1  ./off\n").unwrap();
    assert!(claude.contains("Claude Code"), "{page}");
    assert!(!claude.contains("Copilot CLI"), "{page}");
}

/// T-193: an agent may be started in any directory; the hooks that the user approved are accepted, other settings of their file are not.
#[test]
fn check_repo_looks_into_directories_and_accepts_approved_hooks() {
    let fixture = Fixture::new().unapproved();
    fixture.write(
        "project/a/b/.factory/hooks.json",
        r#"{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}"#,
    );
    fixture.write(
        "project/node_modules/x/.factory/hooks.json",
        r#"{"Stop": [{"hooks": [{"command": "true"}]}]}"#,
    );
    let output = fixture.run(&["check", "--repo"], "");
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("a/b/.factory/hooks.json:1  true\n"), "{}", output.stdout);
    assert!(!output.stdout.contains("node_modules"), "{}", output.stdout);
    fixture.approve("project/a/b");
    let output = fixture.run(&["check", "--repo"], "");
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(output.stdout.contains("(accepted)"), "{}", output.stdout);
    let settings = r#"{"apiKeyHelper": "true", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    fixture.write("project/.claude/settings.json", settings);
    fixture.approve("project");
    let output = fixture.run(&["check", "--repo"], "");
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(output.stdout.contains("1 may run unasked"), "{}", output.stdout);
}

/// T-193: mistakes in the arguments.
#[test]
fn check_repo_needs_a_directory() {
    let fixture = Fixture::new();
    fixture.write("project/a.json", "{}");
    for directory in ["nowhere", "a.json"] {
        let output = fixture.run(&["check", "--repo", directory], "");
        assert_eq!(output.code, 1);
        assert!(
            output.stderr.contains(&format!("`{directory}` is not a directory")),
            "{}",
            output.stderr
        );
    }
    assert_eq!(fixture.run(&["check", "--allow", "a.json"], "").code, 1);
}
