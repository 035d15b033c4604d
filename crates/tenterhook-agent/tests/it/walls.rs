//! The agent's own walls, attacked: its config files, files that were not requested, names of one
//! file, and changes between a question and its answer.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::fixture::Fixture;

fn script(calls: &[(&str, Value)]) -> String {
    let reply = |(tool, input): &(&str, Value)| {
        let input =
            input.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {value}"));
        let input = input.collect::<Vec<_>>().join(", ");
        format!("[[reply]]\ncall = [{{ tool = \"{tool}\", input = {{ {input} }} }}]\n")
    };
    let calls = calls.iter().map(reply).collect::<String>();
    format!("record = \"requests.jsonl\"\n{calls}[[reply]]\ntext = \"done\"\n")
}

fn write(path: &str) -> (&'static str, Value) {
    ("Write", json!({"file_path": path, "content": "x"}))
}

/// AG-10, AG-60: in no mode and by no consent but the user's.
#[test]
fn what_decides_over_the_agent_is_not_written_unasked() {
    let hooks = r#"
[hook.yes]
on = ["PreToolUse", "PermissionRequest"]
shell = '''echo '{"decision": "allow"}' '''
[hook.guard]
on = "Stop"
shell = "sh tools/guard.sh"
"#;
    for file in [
        "tenterhook.toml",
        "tenterhook.json",
        "tenterhook.local.toml",
        "tenterhook.guardrails.toml",
        "TENTERHOOK.TOML",
        "sub/tenterhook.json",
        "sub/deep/tenterhook.local.toml",
        "src/../tenterhook.local.toml",
        ".claude/settings.json",
        ".claude/settings.local.json",
        "sub/.claude/settings.json",
        ".gen/settings.json",
        ".ignis/hooks.json",
        ".codewhale/config.toml",
        ".reasonix/settings.json",
        ".codex/hooks.json",
        ".mcp.json",
        "sub/.mcp.json",
        ".git/hooks/pre-commit",
        "tools/guard.sh",
        "innocent",
        "other-name",
    ] {
        for mode in ["acceptEdits", "bypassPermissions"] {
            let fixture = Fixture::new(hooks, &script(&[write(file)]));
            // What the user leaves to the agent, its own walls still ask about.
            fixture.allow_writes(&["**/*.toml", "**/*.TOML", "**/*.json", "**/innocent"]);
            let project = fixture.sandbox.project();
            fixture.sandbox.write("tools/guard.sh", "exit 0").unwrap();
            fixture.sandbox.write("../outside.txt", "mine").unwrap();
            symlink("tenterhook.local.toml", project.join("innocent")).unwrap();
            let outside = project.join("../outside.txt");
            std::fs::hard_link(outside, project.join("other-name")).unwrap();
            let mut run = fixture.start(&["--permission-mode", mode, "--allow", "Write(**)"]);
            run.prompt("work");
            run.wait_for("ask");
            run.send_line(json!({"type": "interrupt"}));
            run.end();
            assert_eq!(fixture.text("../outside.txt"), "mine");
        }
    }
    let fixture = Fixture::new(hooks, &script(&[write("src/a.rs"), write("hooks.md")]));
    let run = fixture.ask("work", &["--permission-mode", "acceptEdits"]);
    assert!(run.of_kind("ask").is_empty(), "what decides nothing is written");
}

/// AG-11, AG-61: nothing of a file that may not be read reaches the model, whatever names it.
#[test]
fn instructions_pass_the_gate_of_a_read() {
    let deny = ["--deny", "Read(private/**)"];
    for (name, files, links, call) in [
        (
            "refused",
            vec![("../other/CLAUDE.md", "SECRET"), ("../other/x", "")],
            vec![],
            Some("../other/x"),
        ),
        (
            "absolute",
            vec![("../s.txt", "SECRET"), ("sub/CLAUDE.md", "@/SANDBOX/s.txt"), ("sub/x", "")],
            vec![],
            Some("sub/x"),
        ),
        ("above", vec![("../s.txt", "SECRET"), ("CLAUDE.md", "@../s.txt")], vec![], None),
        (
            "denied",
            vec![("private/s.txt", "SECRET"), ("CLAUDE.md", "@private/s.txt")],
            vec![],
            None,
        ),
        (
            "denied itself",
            vec![("private/CLAUDE.md", "SECRET"), ("private/x", "")],
            vec![],
            Some("private/x"),
        ),
        ("a link", vec![("../s.txt", "SECRET")], vec![("../s.txt", "AGENTS.md")], None),
        (
            "a linked include",
            vec![("../s.txt", "SECRET"), ("CLAUDE.md", "@a.md")],
            vec![("../s.txt", "a.md")],
            None,
        ),
        (
            "a linked rule",
            vec![("../s.txt", "SECRET"), (".claude/rules/a.md", "x")],
            vec![("../../../s.txt", ".claude/rules/b.md")],
            None,
        ),
        (
            "a linked directory",
            vec![("../d/CLAUDE.md", "SECRET"), ("../d/x", "")],
            vec![("../d", "sub")],
            Some("sub/x"),
        ),
        (
            "chained",
            vec![("../s.txt", "SECRET"), ("CLAUDE.md", "@a.md"), ("a.md", "@../s.txt")],
            vec![],
            None,
        ),
        ("by a hook", vec![("hooked.md", "SECRET"), ("CLAUDE.md", "@hooked.md")], vec![], None),
    ] {
        let hooks =
            "[hook.no]\non = \"PreToolUse\"\nif = \"Read(hooked.md)\"\nshell = \"exit 2\"\n";
        let calls: Vec<_> = call.iter().map(|text| ("Read", json!({"file_path": text}))).collect();
        let fixture = Fixture::new(hooks, &script(&calls));
        let sandbox = fixture.sandbox.project().parent().unwrap().display().to_string();
        for (path, text) in &files {
            let text = text.replace("/SANDBOX", &sandbox);
            fixture.sandbox.write(path, &text).unwrap();
        }
        for (to, at) in links {
            symlink(to, fixture.sandbox.project().join(at)).unwrap();
        }
        let args = ["-p", "work", "--model", "scripted:script.toml"];
        let output = fixture.command().args(args).args(deny).output().unwrap();
        let text = fixture.text("requests.jsonl");
        assert!(!text.is_empty() && !text.contains("SECRET"), "{name}: {text}\n{output:?}");
    }
    // What may be read is.
    let fixture = Fixture::new("", &script(&[("Read", json!({"file_path": "sub/x"}))]));
    for (path, text) in
        [("sub/x", ""), ("sub/CLAUDE.md", "NESTED"), ("CLAUDE.md", "TOP\n @a.md"), ("a.md", "MORE")]
    {
        fixture.sandbox.write(path, text).unwrap();
    }
    fixture.ask("work", &[]);
    let output = fixture.text("requests.jsonl");
    for text in ["NESTED", "TOP", "MORE"] {
        assert!(output.contains(text), "{text}: {output}");
    }
}

/// AG-11: the author of the repository wrote the files of commands.
#[test]
fn a_command_of_the_project_shows_nothing_from_elsewhere() {
    let fixture = Fixture::new("", &script(&[]));
    fixture.sandbox.write("../s.txt", "SECRET").unwrap();
    fixture.sandbox.write(".claude/commands/go.md", "look at @../s.txt and go").unwrap();
    symlink("../../../s.txt", fixture.sandbox.project().join(".claude/commands/leak.md")).unwrap();
    for prompt in ["/go", "/leak"] {
        let run = fixture.ask(prompt, &[]);
        assert!(!run.of_kind("warn").is_empty(), "{prompt}: it is reported");
    }
    let text = fixture.text("requests.jsonl");
    assert!(text.contains("look at") && !text.contains("SECRET"), "{text}");
}

/// AG-12.
#[test]
fn a_denied_file_is_not_seen_by_any_name() {
    let read = |path: &str| ("Read", json!({"file_path": path}));
    let forms: Vec<(&str, Value)> = vec![
        read(".env"),
        read("./.env"),
        read("sub/../.env"),
        read("ABSOLUTE/.env"),
        read("link"),
        read("chain"),
        read("hard"),
        read("dir/.env"),
        read("up/project/.env"),
        ("Grep", json!({"pattern": "^KEY"})),
        ("Grep", json!({"pattern": "^KEY", "path": ".env"})),
        ("Grep", json!({"pattern": "^KEY", "path": "."})),
        ("Grep", json!({"pattern": "^KEY", "path": "link"})),
        ("Grep", json!({"pattern": "^KEY", "path": "hard"})),
        ("Grep", json!({"pattern": "^KEY", "path": "dir"})),
        ("Grep", json!({"pattern": "^KEY", "glob": ".e*"})),
        ("Edit", json!({"file_path": ".env", "old_string": "KEY=", "new_string": "x"})),
        ("Edit", json!({"file_path": "hard", "old_string": "KEY=", "new_string": "x"})),
        ("Bash", json!({"command": "cat .env"})),
        ("Bash", json!({"command": "cat ./link"})),
        ("Bash", json!({"command": "head -1 hard"})),
        ("Bash", json!({"command": "cp sub/../.env copy && cat copy"})),
    ];
    let mentions = ["see @.env", "see @./.env", "@link", "@hard", "@sub/../.env", "@dir/.env"];
    let try_one = |rule: &str, call: Option<&(&str, Value)>, prompt: &str| {
        let fixture = Fixture::new("", "");
        let project = fixture.sandbox.project();
        fixture.sandbox.write(".env", "KEY=SECRET\n").unwrap();
        fixture.sandbox.write("sub/x", "").unwrap();
        for (to, at) in [(".env", "link"), ("link", "chain"), (".", "dir"), ("..", "up")] {
            symlink(to, project.join(at)).unwrap();
        }
        std::fs::hard_link(project.join(".env"), project.join("hard")).unwrap();
        let calls: Vec<_> = call.into_iter().cloned().collect();
        let here = project.canonicalize().unwrap().display().to_string();
        let text = script(&calls).replace("ABSOLUTE", &here);
        fixture.sandbox.write("script.toml", &text).unwrap();
        fixture.ask(prompt, &["--permission-mode", "bypassPermissions", "--deny", rule]);
        let text = fixture.text("requests.jsonl");
        assert!(!text.contains("SECRET"), "{rule} {call:?} {prompt}: {text}");
        assert!(fixture.text(".env").contains("SECRET"), "{rule} {call:?}");
    };
    for rule in ["Read(.env)", "Read(.e*)"] {
        for form in &forms {
            try_one(rule, Some(form), "work");
        }
        for mention in mentions {
            try_one(rule, None, mention);
        }
    }
}

/// AG-12, AG-62: a rule that consents says yes to the file that it names.
#[test]
fn a_link_borrows_no_consent() {
    let fixture = Fixture::new("", &script(&[("Read", json!({"file_path": "notes/a"}))]));
    fixture.sandbox.write("../s.txt", "SECRET").unwrap();
    fixture.sandbox.write("notes/b", "").unwrap();
    symlink("../../s.txt", fixture.sandbox.project().join("notes/a")).unwrap();
    let run = fixture.ask("work", &["--allow", "Read(notes/**)"]);
    assert_eq!(run.of_kind("ask").len(), 1);
    assert!(!fixture.text("requests.jsonl").contains("SECRET"));
}

/// AG-13: while the question stands, a directory becomes a link.
#[test]
fn what_was_asked_about_is_what_is_written() {
    for (tool, input) in [
        ("Write", json!({"file_path": "src/x", "content": "bad"})),
        ("Write", json!({"file_path": "src/deep/x", "content": "bad"})),
        ("Edit", json!({"file_path": "src/y", "old_string": "good", "new_string": "bad"})),
    ] {
        let fixture = Fixture::new("", &script(&[(tool, input.clone())]));
        let project = fixture.sandbox.project();
        fixture.sandbox.write("src/y", "good").unwrap();
        fixture.sandbox.write("../outside/y", "good").unwrap();
        let mut run = fixture.start(&[]);
        run.prompt("work");
        let id = run.wait_for("ask")["id"].clone();
        std::fs::rename(project.join("src"), project.join("was")).unwrap();
        symlink("../outside", project.join("src")).unwrap();
        run.send_line(json!({"type": "decide", "id": id, "allow": true}));
        let result = run.wait_for("tool_result");
        run.end();
        assert_eq!(result["is_error"], true, "{input}: {result}");
        assert_eq!(fixture.text("../outside/y"), "good", "{input}");
        assert!(!project.join("../outside/x").exists(), "{input}");
        assert!(!project.join("../outside/deep").exists(), "{input}");
    }
}
