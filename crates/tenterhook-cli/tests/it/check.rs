//! `check`: what is wrong, where, and what to write.

use insta::assert_snapshot;

use crate::fixture::{Fixture, fits_schema};

const SLIPS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash(git *)",
        "hooks": [{ "type": "command", "command": "true", "timeout": 5000 }]
      }
    ],
    "preToolUse": []
  }
}
"#;

#[test]
fn carets_into_the_config() {
    let fixture = Fixture::with_settings(SLIPS);
    assert_snapshot!(fixture.run(&["check", ".claude/settings.json"], "").all(), @r##"
exit 1
--- stdout
error[permission-rule-in-matcher]: `Bash(git *)` is a permission rule: as a
                                   matcher it matches nothing
 --> .claude/settings.json:5:20
  |
5 |         "matcher": "Bash(git *)",
  |                    ^^^^^^^^^^^^^ never runs
  |
  = help: write `"matcher": "Bash"`, and `"if": "Bash(git *)"` in the
          handler

warning[timeout-looks-like-ms]: `timeout` is in seconds: this waits 1 h 23 min
 --> .claude/settings.json:6:70
  |
6 |         "hooks": [{ "type": "command", "command": "true", "timeout": 5000 }]
  |                                                                      ^^^^
  |
  = help: if milliseconds were meant, write `5`

error[wrong-case-event]: no event is called `preToolUse`: case counts
 --> .claude/settings.json:9:5
  |
9 |     "preToolUse": []
  |     ^^^^^^^^^^^^ never fires
  |
  = help: write `PreToolUse`

advice[empty-event-array]: `preToolUse` has no group, so nothing runs
 --> .claude/settings.json:9:5
  |
9 |     "preToolUse": []
  |     ^^^^^^^^^^^^
  |
  = help: remove it, or add a group

Hooks that can never run
  .claude/settings.json:6  `Bash(git *)` is a permission rule: as a         S-61
                           matcher it matches nothing

2 errors, 1 warning, 1 advice in 1 file with 1 hook, of which 1 never runs
--- stderr
"##);
}

#[test]
fn as_json_with_lines() {
    let fixture = Fixture::with_settings(SLIPS);
    let args = ["check", ".claude/settings.json", "--format", "json"];
    let output = fixture.run(&args, "");
    let value: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("check", &value);
    let found = value["diagnostics"].as_array().unwrap();
    assert!(found.len() >= 3, "{value:#}");
    assert!(found.iter().all(|value| value["file"] == ".claude/settings.json"), "{value:#}");
    assert!(found.iter().any(|value| value["line"] == 6), "{value:#}");
    let errors = found.iter().any(|value| value["severity"] == "error");
    assert_eq!(output.code, i32::from(errors));
}

#[test]
fn a_clean_file_is_zero_and_a_broken_one_is_not() {
    let fixture = Fixture::with_settings(r#"{"hooks": {}}"#);
    assert_snapshot!(fixture.run(&["check"], "").all(), @r##"
exit 0
--- stdout
no findings in 1 file with 0 hooks
--- stderr
reading .claude/settings.json (claude, project)
"##);
    fixture.write("project/.claude/settings.json", "{\"hooks\": {");
    assert_eq!(fixture.run(&["check"], "").code, 1);
    fixture.write("project/.claude/settings.json", "");
    fixture.run(&["check"], "");
}

#[test]
fn every_file_that_cannot_be_read_is_named() {
    let fixture = Fixture::new();
    let output = fixture.run(&["check", "none.json", "../home"], "");
    assert_snapshot!(output.all(), @r##"
exit 1
--- stdout
error[unreadable-file]: there is no file `none.json`
 |
 = help: name a file that exists

error[unreadable-file]: `../home` cannot be read: it is a directory, not a file
 |
 = help: a config is a regular UTF-8 file of at most 16 MiB

2 errors in 0 files with 0 hooks
--- stderr
"##);
}

/// C-72: the substitute for an unreadable part has a finding, and is not counted among the hooks of the file.
#[test]
fn what_is_held_is_no_hook_that_never_runs() {
    let torn =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}, {"#;
    let fixture = Fixture::with_settings(torn);
    let found = fixture.json(&["check", "--format", "json"], "", 1);
    assert_eq!(found["hooks"].as_array().unwrap().len(), 1, "{found}");
    let out = fixture.run(&["check"], "").all();
    assert!(out.contains("calls-held") && !out.contains("can never run"), "{out}");
    assert!(out.contains("in 1 file with 1 hook\n"), "{out}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_in_the_place_of_a_config_is_not_waited_for() {
    let fixture = Fixture::with_settings("{}");
    let fifo = fixture.path("home/.claude/settings.json");
    std::fs::create_dir_all(fifo.parent().unwrap()).unwrap();
    tenterhook_testkit::make_fifo(&fifo).unwrap();
    let output = fixture.run(&["check"], "");
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("it is a FIFO, not a file"), "{}", output.stdout);
}

#[test]
fn nothing_that_a_terminal_obeys_comes_out() {
    let fixture = Fixture::with_settings("{\"hooks\": {\"Pre\\u001b[2JTool\\u202eUse\": []}}");
    let output = fixture.run(&["check"], "");
    assert!(!output.all().contains(['\u{1b}', '\u{202e}']), "{}", output.all());
}

#[test]
fn fits_eighty_columns() {
    let fixture = Fixture::with_settings(SLIPS);
    let output = fixture.run(&["check"], "");
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{}", output.stdout);
}

/// MC-14, MC-42.
#[test]
fn a_hook_that_calls_a_server_that_is_not_there() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [
  {"type": "mcp_tool", "server": "polcy", "tool": "judge"},
  {"type": "mcp_tool", "server": "policy", "tool": "judge"},
  {"type": "mcp_tool", "server": "old", "tool": "judge"}
]}]}}"#;
    let fixture = Fixture::with_settings(settings);
    fixture.write(
        "project/.mcp.json",
        r#"{"mcpServers": {"policy": {"command": "true"}, "old": {"type": "sse", "url": "x"}}}"#,
    );
    let found = fixture.json(&["check", ".claude/settings.json", "--format", "json"], "", 0);
    let found_codes: Vec<_> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|diagnostic| {
            (diagnostic["code"].as_str().unwrap(), diagnostic["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found_codes, [("unusable-server", 1), ("unknown-server", 2), ("unknown-server", 4)]);
    assert_eq!(found["diagnostics"][1]["help"], "did you mean `policy`?");
}

/// Bad hooks of every kind that a dialect has: the code, the line, and what to write instead.
#[test]
fn a_bad_hook_comes_with_its_line_and_with_what_to_write() {
    let claude = |group: &str| {
        format!("{{\"hooks\": {{\"PreToolUse\": [\n{group}\n]}}}}").replace('\'', "\"")
    };
    let native = |lines: &str| format!("[hook.a]\non = 'PreToolUse'\n{lines}\n");
    for (file, text, code, line, help) in [
        (
            ".claude/settings.json",
            claude("{'matchr': 'Bash', 'hooks': [{'type': 'command', 'command': 'true'}]}"),
            "unknown-group-field",
            2,
            "did you mean `matcher`?",
        ),
        (
            ".claude/settings.json",
            claude("{'matcher': 'Bash', 'hooks': [{'type': 'htpp', 'url': 'https://x.example/'}]}"),
            "unknown-handler-type",
            2,
            "did you mean `http`?",
        ),
        (
            ".claude/settings.json",
            claude("{'hooks': [{'type': 'http'}]}"),
            "handler-missing-field",
            2,
            "add `\"url\": \"...\"`",
        ),
        (
            ".claude/settings.json",
            claude("{'hooks': [{'type': 'agent'}]}"),
            "handler-missing-field",
            2,
            "add `\"prompt\": \"...\"`",
        ),
        (
            ".claude/settings.json",
            claude("{'hooks': [{'type': 'mcp_tool', 'server': 's'}]}"),
            "handler-missing-field",
            2,
            "add `\"tool\": \"...\"`",
        ),
        (
            ".claude/settings.json",
            claude(
                "{'hooks': [{'type': 'http', 'url': 'https://x.example/', 'allowedEnvVars': 'T'}]}",
            ),
            "wrong-field-type",
            2,
            "write `\"allowedEnvVars\": [\"NAME\"]`",
        ),
        (
            ".gen/settings.json",
            claude("{'matchr': 'Bash', 'hooks': [{'type': 'command', 'command': 'true'}]}"),
            "unknown-group-field",
            2,
            "did you mean `matcher`?",
        ),
        (
            ".gen/settings.json",
            claude("{'hooks': [{'type': 'prompt'}]}"),
            "handler-missing-field",
            2,
            "add `\"prompt\": \"...\"`",
        ),
        (
            ".gen/settings.json",
            claude("{'hooks': [{'type': 'promt', 'prompt': 'x'}]}"),
            "unknown-handler-type",
            2,
            "did you mean `prompt`?",
        ),
        (
            ".reasonix/settings.json",
            claude("{'match': 'bash'}"),
            "missing-command",
            2,
            "add `\"command\": \"...\"`",
        ),
        (
            ".codewhale/hooks.toml",
            "[[hooks]]\nevent = 'tool_call_before'\n".to_owned(),
            "missing-command",
            1,
            "add `command = ",
        ),
        (
            ".codewhale/hooks.toml",
            "[[hooks]]\nevent = tool_call_before\n\n[[hooks]]\n".to_owned(),
            "broken-file",
            2,
            "lost until then: `[[hooks]]` in line 1",
        ),
        ("tenterhook.toml", native("prompt = ''"), "empty-run", 3, "write `prompt = \"...\"`"),
        (
            "tenterhook.toml",
            native("http = { headers = {} }"),
            "empty-run",
            3,
            "write `url = \"...\"`",
        ),
        (
            "tenterhook.toml",
            native("mcp = { server = 's' }"),
            "empty-run",
            3,
            "write `tool = \"...\"`",
        ),
        (
            "tenterhook.toml",
            native("worker = []"),
            "empty-run",
            3,
            "write `worker = [\"program\", \"argument\"]`",
        ),
        ("tenterhook.toml", native("wroker = ['x']"), "unknown-key", 3, "did you mean `worker`?"),
        ("tenterhook.toml", native("shell = true"), "wrong-type", 3, "write"),
        (
            "tenterhook.toml",
            native("shell = 'x"),
            "broken-file",
            3,
            "lost until then: `[hook.a]` in line 1",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{file}"), &text);
        let said = fixture.run(&["check", "--format", "json", file], "").stdout;
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        let found = said["diagnostics"].as_array().unwrap();
        let one = found
            .iter()
            .find(|value| value["code"] == code)
            .unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert_eq!(one["line"], line, "{text}: {one}");
        assert!(one["help"].as_str().unwrap_or_default().contains(help), "{text}: {one}");
    }
}

/// A missing program is reported with its consequence, and a hook that blocks everything is not reported as one that never runs.
#[test]
fn a_program_that_is_missing_is_a_warning_and_a_script_an_error() {
    let fixture = Fixture::new();
    fixture.write(
        "project/tenterhook.toml",
        "[hook.one]\non = \"PreToolUse\"\nrun = [\"no-such-program\"]\n\n\
         [hook.two]\non = \"PreToolUse\"\non_failure = \"continue\"\nrun = [\"python3\", \"none.py\"]\n",
    );
    assert_snapshot!(fixture.run(&["check"], "").all(), @r##"
exit 1
--- stdout
warning[program-missing]: `no-such-program` is not found here
 --> tenterhook.toml:1:7
  |
1 | [hook.one]
  |       ^^^ blocks every call
  |
  = help: install it, or write its path: it blocks every call until then

error[script-missing]: `[FIXTURE]/project/none.py` cannot be started:
                       there is no such file
 --> tenterhook.toml:5:7
  |
5 | [hook.two]
  |       ^^^ blocks every call
  |
  = help: correct the path, or add the file: it blocks every call until then

Hooks that block everything they are asked about
  tenterhook.toml:1  `no-such-program` is not found here
  tenterhook.toml:5  `[FIXTURE]/project/none.py` cannot be started:
                     there is no such file

1 error, 1 warning in 1 file with 2 hooks, of which 2 block everything
--- stderr
reading tenterhook.toml (native, project)
"##);
}

/// X-21: the rights that the text of a line and of its script need are reported as one line, until that line is granted.
#[cfg(target_os = "linux")]
#[test]
fn confined_hook_that_needs_more_gets_the_line_to_add() {
    let fixture = Fixture::new();
    fixture
        .write("project/hooks/log.sh", "#!/bin/sh\nif true; then ssh x; fi\ncurl -s x.example\n");
    fixture.write("home/team.md", "");
    let found = |entry: &str| {
        fixture.write("project/tenterhook.toml", &format!("[hook.one]\non = \"Stop\"\n{entry}\n"));
        let said = fixture.run(&["check", "--format", "json"], "").stdout;
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        let found = said["diagnostics"].as_array().unwrap().iter();
        let helps = found
            .filter(|value| value["code"] == "needs-grant")
            .map(|value| value["help"].to_string());
        helps.collect::<Vec<_>>().join("\n").replace('\\', "")
    };
    for (entry, line) in [
        (
            "shell = 'cat ~/team.md; date >> ~/log; chmod +x a'",
            "`sandbox = { read = [\"~/team.md\"], write = [\"~/log\"], attributes = true }` in its entry",
        ),
        ("shell = 'sh hooks/log.sh'", "`sandbox = { net = \"open\" }` in its entry"),
        (
            "shell = 'curl localhost:8080'\nsandbox = { net = ['tcp:443'] }",
            "`sandbox = { net = [\"tcp:443\", \"tcp:8080\"] }` in its entry",
        ),
        ("shell = 'date >> src/log'\nsandbox = { write = ['$PROJECT'] }", ""),
        ("shell = 'curl x.example'\nsandbox = 'off'", ""),
        ("shell = 'cat ~/none; git status; if true; then curl x; fi'", ""),
    ] {
        let text = found(entry);
        assert!(text.contains(line) && text.is_empty() == line.is_empty(), "{entry}: {text}");
    }
}

/// X-3, X-21: a grant of a missing path is reported once for each path, whichever setting grants it.
#[cfg(target_os = "linux")]
#[test]
fn grant_of_a_missing_path_is_reported() {
    let fixture = Fixture::new();
    fixture.write("project/src/lib.rs", "");
    fixture.write("home/team.md", "");
    let hook = "on = \"Stop\"\nrun = [\"/bin/true\"]\nsandbox = { read = ['~/taem.md', '~/team.md'], write = ['$PROJECT/src', '$PROJECT/out'] }\n";
    fixture.write("project/tenterhook.toml", &format!("[hook.one]\n{hook}[hook.two]\n{hook}"));
    let said = fixture.run(&["check", "--format", "json"], "").stdout;
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let found = said["diagnostics"].as_array().unwrap().iter();
    let found = found.filter(|value| value["code"] == "absent-grant");
    let found_codes: Vec<_> =
        found.map(|value| (value["line"].as_u64(), value["message"].as_str())).collect();
    let both = [
        (Some(1), Some("its sandbox grants `~/taem.md`, which is not there")),
        (Some(1), Some("its sandbox grants `$PROJECT/out`, which is not there")),
    ];
    assert_eq!(found_codes, both);
}

/// C-137: a warning ends `check` with 1 only with `--strict`, an error always, whatever the format.
#[test]
fn strict_check_ends_with_1_on_a_warning_in_every_format() {
    let fixture = Fixture::new();
    let hook =
        |timeout: &str| format!("[hook.a]\non = \"Stop\"\nrun = [\"/bin/true\"]\n{timeout}\n");
    for (text, plain, strict) in [
        (hook(""), 0, 0),
        (hook("").replace("/bin/true", "no-such-program"), 0, 1),
        (hook("matchr = 1"), 1, 1),
    ] {
        fixture.write("project/tenterhook.toml", &text);
        for format in [&[][..], &["--format", "json"]] {
            let code = |args: &[&str]| fixture.run(&[&["check"], args, format].concat(), "").code;
            assert_eq!((code(&[]), code(&["--strict"])), (plain, strict), "{format:?} {text}");
        }
    }
}

/// C-139.
#[test]
fn file_of_unknown_format_is_named() {
    let fixture = Fixture::new();
    fixture.write("project/notes.txt", "remember");
    let output = fixture.run(&["check", "notes.txt"], "");
    let words = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with("error[foreign-format]: `notes.txt` is not JSON"), "{words}");
    assert_eq!(output.code, 1);
    let named = fixture.run(&["check", "native=notes.txt"], "").stdout;
    assert!(!named.contains("foreign-format"), "{named}");
}
