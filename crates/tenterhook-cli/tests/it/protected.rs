//! Self-protection: with nothing configured, an agent cannot take away what holds it up, and all else goes on.

use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::Fixture;

const NOTHING: &str = "{}";

fn call(tool: &str, input: Value) -> String {
    json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input }).to_string()
}

fn bash(line: &str) -> String {
    call("Bash", json!({ "command": line }))
}

fn decision(fixture: &Fixture, event: &str) -> Option<i32> {
    Some(fixture.run(&["fire", "-", "--format", "json"], event).code)
}

/// The calls of public reports: SP-1, SP-2.
#[test]
fn what_was_reported_is_denied_and_what_stands_beside_it_passes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/self-protection/reported.toml");
    let table: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
    let texts = |key: &str| -> Vec<String> {
        table[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|table| table.as_str().unwrap().to_owned())
            .collect()
    };
    let fixture = Fixture::with_settings(NOTHING);
    for line in texts("deny") {
        assert_eq!(decision(&fixture, &bash(&line)), Some(2), "{line}");
    }
    for path in texts("write") {
        let event = call("Write", json!({ "file_path": path, "content": "{}" }));
        assert_eq!(decision(&fixture, &event), Some(2), "{path}");
    }
    for line in texts("pass") {
        assert_eq!(decision(&fixture, &bash(&line)), Some(0), "{line}");
    }
}

/// SP-8: a patch is read, and its paths decide.
#[test]
fn a_patch_is_read() {
    let fixture = Fixture::with_settings(NOTHING);
    let patch = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
    fixture.write("project/good.patch", &patch("src/a.rs"));
    fixture.write("project/bad.patch", &patch(".claude/settings.json"));
    for (line, code) in [
        ("git apply good.patch", 0),
        ("patch -p1 < good.patch", 0),
        ("git apply bad.patch", 2),
        ("patch -p1 -i bad.patch", 2),
        ("git apply good.patch bad.patch", 2),
        ("git apply gone.patch", 2),
        ("git apply --check bad.patch", 0),
        ("git stash pop", 0),
        ("npm ci", 0),
    ] {
        assert_eq!(decision(&fixture, &bash(line)), Some(code), "{line}");
    }
}

/// SP-9.
#[cfg(unix)]
#[test]
fn a_link_is_where_it_leads() {
    let fixture = Fixture::with_settings(NOTHING);
    std::os::unix::fs::symlink(fixture.path("project/.claude"), fixture.path("project/notes"))
        .unwrap();
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "{}" }));
    assert_eq!(decision(&fixture, &write("notes/settings.json")), Some(2));
    assert_eq!(decision(&fixture, &write("notes/settings.local.json")), Some(2));
    assert_eq!(decision(&fixture, &write("notes/plan.md")), Some(0));
}

/// A project whose `.claude/settings.json` has a symbolic link and a hard link, also below `docs`, beside ordinary twins.
#[cfg(unix)]
fn linked_project() -> Fixture {
    use std::fs::hard_link;
    use std::os::unix::fs::symlink;

    let fixture = Fixture::with_settings(NOTHING);
    for file in ["src/x", "src/a", "src/d.json", "docs/b", ".claude/notes.md", "shared/keep"] {
        fixture.write(&format!("project/{file}"), "x");
    }
    fixture.write("home/.config/tenterhook/tenterhook.toml", "");
    let guard = fixture.path("project/.claude/settings.json");
    symlink(".claude/settings.json", fixture.path("project/s.json")).unwrap();
    symlink("../.claude/settings.json", fixture.path("project/docs/d.json")).unwrap();
    symlink(".claude/settings.json", fixture.path("project/my s.json")).unwrap();
    symlink("s.json", fixture.path("project/second.json")).unwrap();
    symlink(fixture.path("home/.config/tenterhook"), fixture.path("project/own")).unwrap();
    hard_link(&guard, fixture.path("project/hard.json")).unwrap();
    hard_link(&guard, fixture.path("project/docs/h.json")).unwrap();
    symlink("src/a", fixture.path("project/a.txt")).unwrap();
    symlink("shared", fixture.path("project/linked")).unwrap();
    hard_link(fixture.path("project/src/a"), fixture.path("project/a.hard")).unwrap();
    fixture
}

/// SP-25, SP-27.
#[cfg(unix)]
#[test]
fn write_through_a_link_to_a_guard_is_denied() {
    let fixture = linked_project();
    for target in
        ["s.json", "hard.json", "second.json", "docs/d.json", "'my s.json'", "./docs/h.json"]
    {
        for line in [
            "echo x > {}",
            "echo >{}",
            "cp src/x {}",
            "tee {} < src/x",
            "cat src/x > {}",
            "dd if=src/x of={}",
            "truncate -s0 {}",
            "sed -i s/a/b/ {}",
            "sort -o {} src/x",
            "ls && : > {}",
            "bash -c \"echo x > {}\"",
        ] {
            let line = line.replace("{}", target);
            assert_eq!(decision(&fixture, &bash(&line)), Some(2), "{line}");
        }
    }
    for line in [
        "python3 -c \"open('s.json','w').write('x')\"",
        "node -e \"require('fs').writeFileSync('hard.json', 'x')\"",
        "cd docs && echo x > d.json",
        "cd docs; tee h.json < b",
        "cd src && cd ../docs && truncate -s0 h.json",
        "cp src/d.json docs",
        "install -t docs src/d.json",
        "echo x > own/x.toml",
        "f=s.json; echo x > $f",
        "tee s.js{on,} < src/x",
        "echo x > s.j*",
        "truncate -s0 har?.json",
        "tee docs/[h].json < src/x",
        "cp -l s.json q",
        "ln hard.json q",
        "mv src/x own/tenterhook.toml",
    ] {
        assert_eq!(decision(&fixture, &bash(line)), Some(2), "{line}");
    }
    for tool in ["Write", "Edit"] {
        for path in ["hard.json", "docs/h.json", "s.json", "docs/d.json"] {
            let path = fixture.path("project").join(path).display().to_string();
            let input =
                json!({ "file_path": path, "content": "{}", "old_string": "a", "new_string": "b" });
            assert_eq!(decision(&fixture, &call(tool, input)), Some(2), "{tool} {path}");
        }
    }
    let written = json!({ "path": "hard.json", "content": "x" });
    assert_eq!(decision(&fixture, &call("mcp__fs__write_file", written)), Some(2));
}

/// SP-7, SP-25: what reads through these links, and what writes through links to other files, passes.
#[cfg(unix)]
#[test]
fn ordinary_use_of_links_passes() {
    let fixture = linked_project();
    for line in [
        "cat s.json",
        "cat hard.json > out.txt",
        "cp s.json q.json",
        "jq . < s.json | tee out.txt",
        "ls -la s.json hard.json",
        "git add s.json",
        "echo x > a.txt",
        "echo x > a.hard",
        "echo x > linked/keep",
        "echo x > linked/new",
        "cp src/a docs",
        "cp -l src/a b",
        "cp -s ../src/a docs/b2",
        "ln -s ../x y",
        "ln src/a c",
        "link src/a d",
        "python3 -c \"import os; os.link('src/a', 'e')\"",
        "python3 -c \"import os; print(os.readlink('s.json'))\"",
        "echo s.json",
        "rm -f *.txt",
        "echo x > src/[a]",
        "cp tenterhook.toml q.txt",
        "cp ~/.config/tenterhook/tenterhook.toml backup",
        "cp .claude/settings.json q.txt",
    ] {
        assert_eq!(decision(&fixture, &bash(line)), Some(0), "{line}");
    }
    let input = json!({ "file_path": "a.hard", "content": "x" });
    assert_eq!(decision(&fixture, &call("Write", input)), Some(0));
}

/// SP-2: no file that a repository or an agent may write switches a rule off, nor says what an agent may write.
#[test]
fn nothing_of_a_repository_switches_it_off() {
    let off = "[hook.\"self-protection/change-guard\"]\nenabled = false\n[protect]\nwritable = [\".claude/settings.json\"]\n";
    let event = bash("echo '{}' > .claude/settings.json");
    let fixture = Fixture::with_settings("{\"disableAllHooks\": true}");
    for file in ["project/tenterhook.toml", "project/tenterhook.local.toml"] {
        fixture.write(file, off);
        let output = fixture.run(&["fire", "-"], &event);
        assert_eq!(output.code, 2, "{file}: {}", output.stdout);
        fixture.write(file, "");
    }
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.\"self-protection/change-guard\"]\nenabled = false\n",
    );
    assert_eq!(fixture.run(&["fire", "-"], &event).code, 2);
}

/// SP-20.
/// C-69.
#[test]
fn the_user_leaves_files_to_an_agent() {
    let fixture = Fixture::with_settings(NOTHING);
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[protect]\nwritable = [\".claude/settings.json\"]\n",
    );
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "{}" }));
    assert_eq!(decision(&fixture, &write(".claude/settings.json")), Some(0));
    assert_eq!(decision(&fixture, &write(".claude/settings.local.json")), Some(2));
    assert_eq!(decision(&fixture, &bash("rm -rf .claude")), Some(2));
}

/// SP-3.
#[test]
fn it_is_shown_as_built_in() {
    let fixture = Fixture::new();
    let output = fixture.run(&["rules", "add", "self-protection"], "");
    assert_eq!(output.code, 0);
    assert_eq!(output.stdout, "`self-protection` is built in, and on already: it needs no file\n");
    assert_ne!(fixture.run(&["rules", "remove", "self-protection"], "").code, 0);
    assert!(fixture.run(&["rules", "list"], "").stdout.contains("built in and on"));
    assert!(fixture.run(&["list"], "").stdout.contains("built in: self-protection, 3 rules"));
    let explained = fixture.run(&["explain", "Bash", "rm -rf .claude"], "").stdout;
    assert!(explained.contains("self-protection/change-guard"), "{explained}");
    assert!(!fixture.run(&["explain", "Bash", "ls"], "").stdout.contains("self-protection"));
    assert_eq!(fixture.run(&["rules", "show", "self-protection"], "").code, 0);
}

/// The words of a denial, from an event in a file: a person tries it out.
#[cfg(target_os = "linux")]
fn denied(fixture: &Fixture, line: &str) -> String {
    fixture.write("event.json", &bash(line));
    let event = fixture.path("event.json").display().to_string();
    let said = fixture.run(&["fire", &event, "--format", "json"], "");
    assert_eq!(said.code, 2, "{}", said.stdout);
    let outcome: Value = serde_json::from_str(&said.stdout).unwrap();
    outcome.get("reason").and_then(Value::as_str).unwrap().to_owned()
}

#[cfg(target_os = "linux")]
fn code(reason: &str) -> String {
    reason.split("allow once ").nth(1).and_then(|part| part.get(..6)).unwrap().to_owned()
}

/// SP-21.
#[cfg(target_os = "linux")]
#[test]
fn a_person_allows_one_call_once() {
    let fixture = Fixture::with_settings(NOTHING);
    let reason = denied(&fixture, "rm -rf .claude");
    assert!(reason.contains("`tenterhook pause`"), "{reason}");
    let code = code(&reason);
    let refused = fixture.run(&["allow", "once", &code], "");
    assert!(refused.code != 0 && refused.stderr.contains("not a terminal"), "{}", refused.stderr);
    let output = fixture.at_terminal(&["allow", "once", &code]);
    assert_eq!(
        (output.code, &*output.stdout),
        (0, "allowed once, within 10 minutes: Bash rm -rf .claude\n")
    );
    denied(&fixture, "rm -rf .codex");
    let event = fixture.path("event.json").display().to_string();
    fixture.write("event.json", &bash("rm -rf .claude"));
    let passed = fixture.run(&["fire", &event], "");
    assert_eq!(passed.code, 0, "{}", passed.stdout);
    let words: Vec<&str> = passed.stdout.split_whitespace().collect();
    assert!(words.join(" ").contains("allowed this call once"), "{}", passed.stdout);
    denied(&fixture, "rm -rf .claude");
    let unknown = fixture.at_terminal(&["allow", "once", "AAAAAA"]);
    assert!(
        unknown.code != 0 && unknown.stderr.contains("no denied call has"),
        "{}",
        unknown.all()
    );
    assert!(unknown.stderr.contains(&code), "{}", unknown.all());
    let log = fixture.run(&["log"], "").stdout;
    assert_eq!(log.matches("you: allow once").count(), 1, "only what was granted: {log}");
}

/// SP-24: the outcome of a call that the person let pass has a message and the rule's step, and nothing is lifted by a file that
/// cannot be read.
#[cfg(target_os = "linux")]
#[test]
fn what_is_lifted_is_said() {
    let fixture = Fixture::with_settings(NOTHING);
    assert_eq!(fixture.at_terminal(&["pause", "5m"]).code, 0);
    fixture.write("event.json", &bash("rm -rf .claude"));
    let event = fixture.path("event.json").display().to_string();
    let output = fixture.run(&["fire", &event, "--format", "json"], "");
    assert_eq!(output.code, 0, "{}", output.stdout);
    let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
    let texts = |key: &str| outcome[key].as_array().unwrap().clone();
    let messages = texts("system_messages");
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    let message = message.as_str().unwrap();
    let begins =
        "`self-protection/change-guard` let this call pass: the user paused self-protection for";
    assert!(message.starts_with(begins), "{message}");
    let steps = texts("steps");
    let [step] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!(step["hook"], "self-protection/change-guard");
    fixture.write("home/.local/state/tenterhook/leave.json", "{\"paused\": [0, 9999999999");
    denied(&fixture, "rm -rf .claude");
}

/// SP-22.
#[cfg(target_os = "linux")]
#[test]
fn a_person_pauses_and_ends_the_pause() {
    let fixture = Fixture::with_settings(NOTHING);
    assert_ne!(fixture.run(&["pause"], "").code, 0);
    assert_ne!(fixture.at_terminal(&["pause", "61m"]).code, 0);
    let output = fixture.at_terminal(&["pause", "5m"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    fixture.write("event.json", &bash("rm -rf .claude"));
    let event = fixture.path("event.json").display().to_string();
    assert_eq!(fixture.run(&["fire", &event], "").code, 0);
    assert_eq!(fixture.at_terminal(&["pause", "--end"]).code, 0);
    denied(&fixture, "rm -rf .claude");
}

/// SP-23: a process that calls a hook with an agent's event is an agent, and cannot lift the protection.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_is_refused_in_a_terminal_too() {
    let fixture = Fixture::with_settings(NOTHING);
    let reason = fixture.run(&["fire", "-"], &bash("rm -rf .claude")).stdout;
    let code = code(&reason.split_whitespace().collect::<Vec<_>>().join(" "));
    for args in [&["allow", "once", &code][..], &["pause"], &["uninstall", "claude"]] {
        let output = fixture.at_terminal(args);
        assert!(
            output.code != 0 && output.stderr.contains("is refused: process"),
            "{}",
            output.stderr
        );
    }
}

/// SP-23: also from a script, which the rules do not read.
#[cfg(target_os = "linux")]
#[test]
fn uninstall_below_an_agent_is_refused() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    // Ordinary use: no agent has called yet.
    assert_eq!(fixture.run(&["uninstall", "claude"], "").code, 0);
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    let installed = std::fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap();
    fixture.run(&["hook", "--agent", "claude", "--event", "PreToolUse"], &bash("ls"));
    for args in
        [&["uninstall", "claude"][..], &["uninstall", "--all"], &["uninstall", "--all", "--purge"]]
    {
        let output = fixture.run(args, "");
        assert_eq!(output.code, 1, "{}", output.all());
        assert!(output.stderr.contains("is refused: process"), "{}", output.stderr);
    }
    let settings = std::fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap();
    assert_eq!(settings, installed);
    // It changes nothing, so an agent may look.
    assert_eq!(fixture.run(&["uninstall", "claude", "--dry-run"], "").code, 0);
}

/// SP-41: the file of the program that runs, by its own path, by a link, and with a directory around it.
#[test]
fn program_that_runs_is_kept_wherever_it_lies() {
    let fixture = Fixture::with_settings(NOTHING);
    let program = fixture.path("tools/th");
    std::fs::create_dir_all(fixture.path("tools")).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_tenterhook"), &program).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&program, fixture.path("project/shortcut")).unwrap();
    let path = program.display().to_string();
    let decision = |line: &str| fixture.run_program(&program, &["fire", "-"], &bash(line)).code;
    for line in [
        format!("cp /bin/true {path}"),
        format!("rm {path}"),
        format!("chmod -x {path}"),
        format!("rm -rf {}", fixture.path("tools").display()),
        "cp /bin/true ../tools/th".to_owned(),
        "echo x > shortcut".to_owned(),
    ] {
        assert_eq!(decision(&line), 2, "{line}");
    }
    for line in
        [format!("ls -l {path}"), format!("cp {path} /tmp/x"), "rm -f ../tools/other".to_owned()]
    {
        assert_eq!(decision(&line), 0, "{line}");
    }
}
