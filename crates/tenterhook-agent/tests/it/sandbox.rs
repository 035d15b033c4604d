//! The commands of the model in the sandbox that the person named: what they reach, and the message
//! where they do not.

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::fixture::Fixture;

fn can() -> bool {
    tenterhook_process::available_sandbox_means().highest_tier() >= tenterhook_process::Tier::T1
}

/// A project with a secret beside it, a link out of it, and a gate whose script lies in it.
fn fixture(line: &str) -> Fixture {
    let hooks = "[hook.guard]\non = \"Stop\"\nshell = \"sh tools/guard.sh\"\n";
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"sh src/line.sh\" } }]\n\
                  [[reply]]\ntext = \"done\"\n";
    let fixture = Fixture::with_model(hooks, "scripted:script.toml", &[("OPENAI_API_KEY", "KEY")]);
    fixture.sandbox.write("script.toml", script).unwrap();
    for (file, text) in [
        // From a script, because what a call says is looked at by those who are asked.
        ("src/line.sh", line),
        ("~/.ssh/id", "KEY"),
        ("src/a.rs", "one"),
        ("tools/guard.sh", "exit 0"),
        (".claude/settings.json", "{}"),
        (".git/hooks/x", ""),
        ("sub/.claude/settings.json", "{}"),
        ("in/a/.git/hooks/x", ""),
    ] {
        fixture.sandbox.write(file, text).unwrap();
    }
    symlink(fixture.sandbox.home(), fixture.sandbox.project().join("src/home")).unwrap();
    fixture
}

/// What the model read of the command in this sandbox, and whether it failed.
fn ran(fixture: &Fixture, sandbox: &str) -> (String, bool) {
    let args = ["--sandbox", sandbox, "--permission-mode", "bypassPermissions", "--allow", "Bash"];
    let run = fixture.ask("work", &args);
    let ended = run.of_kind("tool_result");
    let ended = ended.first().unwrap_or_else(|| panic!("{:?}", run.received));
    let text = ended["text"].as_str().unwrap_or_default().to_owned();
    (text, ended["is_error"] == Value::Bool(true))
}

/// A line, whether it works in `standard` and in `strict`, and the message for the model where it does not.
const LINES: &[(&str, bool, bool, &str)] = &[
    ("cat src/a.rs", true, true, ""),
    (
        "echo x > src/new.rs && rm src/new.rs && echo two > src/a.rs",
        true,
        false,
        "did not let the command change",
    ),
    ("echo x > $TMPDIR/a && cat $TMPDIR/a", true, true, ""),
    ("cat ~/.ssh/id", false, false, "did not let the command read"),
    ("cat src/home/.ssh/id", false, false, "did not let the command read"),
    ("echo x > src/home/new", false, false, "did not let the command change"),
    ("cd / && cat \"$HOME/.ssh/id\"", false, false, "did not let the command read"),
    ("echo x > .claude/settings.json", false, false, "says which hooks run"),
    ("echo x > sub/../.claude/settings.json", false, false, "says which hooks run"),
    ("echo x > tools/guard.sh", false, false, "lets no command change"),
    ("mv tools other", false, false, "lets nothing be made"),
    ("echo x > .git/hooks/pre-commit", false, false, "says which hooks run"),
    ("mkdir .codex", false, false, ".codex"),
    ("echo x > tenterhook.local.toml", false, false, "tenterhook.local.toml"),
    ("echo x > \"$HOME/.config/tenterhook/tenterhook.toml\"", false, false, "tenterhook.toml"),
    ("echo x > sub/.claude/settings.json", false, false, "says which hooks run"),
    ("echo x > in/a/.git/hooks/post-checkout", false, false, "says which hooks run"),
    ("mv in other", false, false, "lets nothing be made"),
    ("rm -r sub/.claude && mkdir sub/.claude", false, false, "says which hooks run"),
    ("chmod 777 src/a.rs", false, false, "mode, owner, times"),
];

/// X-23, AG-54, AG-55: each line works without a sandbox except for those that the other side refuses anyway; in one, it works or fails
/// as the table says, and the model reads the path.
/// X-5.
#[test]
fn commands_are_left_what_the_person_named() {
    if !can() {
        return;
    }
    for (line, standard, strict, output) in LINES {
        for (sandbox, works) in [("standard", standard), ("strict", strict)] {
            let fixture = fixture(line);
            let (text, failed) = ran(&fixture, sandbox);
            assert_eq!(!failed, *works, "{sandbox}: {line}: {text}");
            if !works && *sandbox == *"standard" {
                assert!(text.contains(output), "{line}: {text}");
            }
            assert!(!text.contains("KEY"), "{line}: {text}");
            assert_eq!(fixture.text(".claude/settings.json"), "{}");
            assert_eq!(fixture.text("tools/guard.sh"), "exit 0");
        }
    }
}

/// How a hook names what it runs, the files that are there, and lines that change what is run then.
const NAMED: &[(&str, &[&str], &[&str])] = &[
    ("shell = \"sh tools//g.sh\"", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("run = [\"sh\", \"tools/../tools/g.sh\"]", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("run = [\"./tools/./g.sh\"]", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("shell = \"sh PROJECT/tools/g.sh\"", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("shell = \"cd tools && ./g.sh\"", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    (
        "shell = \"env -C tools/in sh ../g.sh\"",
        &["tools/g.sh", "tools/in/x"],
        &["echo x > tools/g.sh"],
    ),
    ("shell = \"sh<tools/g.sh\"", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("shell = \"cat tools/g.sh | sh\"", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("shell = 'eval \"$(cat tools/g.sh)\"'", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("shell = 'D=tools; sh \"$D/g.sh\"'", &["tools/g.sh"], &["echo x > tools/g.sh"]),
    ("shell = 'node --require=./tools/g.js -e 1'", &["tools/g.js"], &["echo x > tools/g.js"]),
    (
        "shell = \"python3 -m tools.pkg.g\"",
        &["tools/pkg/g.py", "tools/pkg/__init__.py"],
        &[
            "echo x > tools/pkg/g.py",
            "echo x > tools/pkg/__init__.py",
            "echo x > tools/__init__.py",
        ],
    ),
    ("shell = \"uv run tools/g.py\"", &["tools/g.py"], &["echo x > tools/g.py"]),
    ("shell = \"make guard\"", &["Makefile"], &["echo x > Makefile"]),
    (
        "shell = \"make -C tools -f g.mk\"",
        &["tools/Makefile", "tools/g.mk"],
        &["echo x > tools/Makefile", "echo x > tools/g.mk"],
    ),
    (
        "shell = \"npm run guard\"",
        &["tools/g.js", "tools/h.js"],
        &["echo x > package.json", "echo x > tools/g.js", "echo x > tools/h.js"],
    ),
    (
        "shell = \"sh tools/link\"",
        &["lib/g.sh"],
        &["echo x > lib/g.sh", "rm tools/link && echo x > tools/link", "mv lib/g.sh lib/h.sh"],
    ),
    ("shell = \"sh way/g.sh\"", &["lib/g.sh"], &["echo x > lib/g.sh", "rm way && mkdir way"]),
];

/// AG-55: what a hook runs is found by each name that leads there.
#[test]
fn what_a_hook_runs_is_held_however_its_line_names_it() {
    if !can() {
        return;
    }
    for (hook, files, lines) in NAMED {
        let tries: Vec<String> =
            lines.iter().map(|line| format!("({line}) && echo changed")).collect();
        // Files beside it change as usual.
        let fixture =
            fixture(&format!("echo x > tools/beside || exit 9\n{}\nexit 0", tries.join("\n")));
        let project = fixture.sandbox.project();
        let outer = project.with_extension("link");
        symlink(&project, &outer).unwrap();
        let hook = hook.replace("PROJECT", &outer.display().to_string());
        let text = format!("[hook.guard]\non = \"Stop\"\n{hook}\n");
        let package = r#"{"scripts": {"guard": "node tools/g.js", "preguard": "npm run it", "it": "node tools/h.js"}}"#;
        for (file, text) in
            [("tenterhook.toml", &*text), ("package.json", package), ("tools/beside", "")]
        {
            fixture.sandbox.write(file, text).unwrap();
        }
        for file in *files {
            fixture.sandbox.write(file, "").unwrap();
        }
        symlink("../lib/g.sh", project.join("tools/link")).unwrap();
        symlink("lib", project.join("way")).unwrap();
        let (text, failed) = ran(&fixture, "standard");
        assert!(!failed && !text.contains("changed"), "{hook}: {text}");
        let mut free = std::process::Command::new("sh");
        let home = fixture.sandbox.home();
        let free = free.arg("src/line.sh").current_dir(&project).env("HOME", home).output();
        let free = String::from_utf8(free.unwrap().stdout).unwrap();
        assert_eq!(free.matches("changed").count(), lines.len(), "{hook}: {free}");
    }
}

/// AG-54: who names none has the rights of the person.
#[test]
fn commands_have_all_rights_without_a_sandbox() {
    for line in ["cat ~/.ssh/id", "echo x > src/home/new", "chmod 700 src/a.rs"] {
        let (text, failed) = ran(&fixture(line), "off");
        assert!(!failed, "{line}: {text}");
    }
}

/// X-23, X-60: keys in the environment are no part of it; what hooks set is.
#[test]
fn commands_see_the_variables_that_are_named() {
    if !can() {
        return;
    }
    let fixture = fixture("env");
    let (text, failed) = ran(&fixture, "standard");
    assert!(!failed && !text.contains("KEY") && text.contains("HOME="), "{text}");
}

/// X-23, X-60: no host is reached, of all that are reached without a sandbox.
#[test]
fn commands_reach_no_host() {
    if !can() {
        return;
    }
    let peer = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = peer.local_addr().unwrap().port();
    let line = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'");
    for (sandbox, works) in [("off", true), ("standard", false), ("strict", false)] {
        let (text, failed) = ran(&fixture(&line), sandbox);
        assert_eq!(!failed, works, "{sandbox}: {text}");
        assert_eq!(text.contains("the sandbox lets no command reach a host"), !works, "{text}");
    }
}

/// X-23: what a command leaves behind is confined as it was, and ends with the agent.
#[test]
fn what_stays_is_confined_and_ends() {
    if !can() {
        return;
    }
    let line = "setsid sh -c 'echo $$ > src/pid; cat ~/.ssh/id > src/stolen; sleep 60' >/dev/null 2>&1 & \
                while [ ! -s src/pid ] || [ ! -e src/stolen ]; do :; done";
    let fixture = fixture(line);
    let (text, failed) = ran(&fixture, "standard");
    assert!(!failed, "{text}");
    assert_eq!(fixture.text("src/stolen"), "");
    let pid = fixture.text("src/pid");
    let stat = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(!pid.trim().is_empty());
    fixture.until("its end", || stat().map_or(true, |text| text.contains(" Z ")));
}

/// MC-19, X-15: a server that a repository brings is offered to the model and reads nothing of the home; it does where the person says so.
#[test]
fn a_server_of_the_repository_reads_the_project_and_not_the_home() {
    if !can() {
        return;
    }
    let server = r#"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*)
      said="$(cat src/a.rs 2>/dev/null || echo none) $(cat "$HOME/.ssh/id" 2>/dev/null || echo refused)"
      result='{"content":[{"type":"text","text":"'$said'"}]}';;
    *) continue;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;
    for (is_free, expected) in [(false, "one refused"), (true, "one KEY")] {
        let fixture = fixture("");
        let script = "[[reply]]\ncall = [{ tool = \"mcp__it__look\", input = {} }]\n[[reply]]\ntext = \"done\"\n";
        let servers = r#"{"mcpServers": {"it": {"command": "sh", "args": ["it.sh"]}}}"#;
        for (file, text) in [("script.toml", script), (".mcp.json", servers), ("it.sh", server)] {
            fixture.sandbox.write(file, text).unwrap();
        }
        if is_free {
            let file = fixture.sandbox.project().join(".mcp.json");
            let text = format!("[source.{file:?}]\nsandbox = \"off\"\n");
            fixture.sandbox.write("~/.config/tenterhook/tenterhook.toml", &text).unwrap();
        }
        let run = fixture.ask("work", &["--allow", "mcp__it__*"]);
        assert_eq!(run.of_kind("tool_result")[0]["text"], expected, "{:?}", run.received);
    }
}
