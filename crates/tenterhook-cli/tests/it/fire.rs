//! `fire`: one event, one outcome, one exit code.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};

fn settings(event: &str, command: &str) -> String {
    let hook = json!({"type": "command", "command": command, "timeout": 20});
    json!({"hooks": {event: [{"hooks": [hook]}]}}).to_string()
}

fn bash(command: &str) -> String {
    json!({
        "session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1",
    })
    .to_string()
}

#[test]
fn the_exit_code_says_whether_to_proceed() {
    let answer = |word: &str| {
        format!(
            r#"echo '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}"}}}}'"#
        )
    };
    for (command, code, decision) in [
        ("true".to_owned(), 0, Value::Null),
        (answer("allow"), 0, "allow".into()),
        (answer("ask"), 3, "ask".into()),
        (answer("deny"), 2, "deny".into()),
        ("echo no >&2; exit 2".to_owned(), 2, "deny".into()),
        (r#"echo '{"continue": false}'"#.to_owned(), 2, Value::Null),
    ] {
        let fixture = Fixture::with_settings(&settings("PreToolUse", &command));
        let value = fixture.json(&["fire", "--format", "json"], &bash("ls"), code);
        assert_eq!(value["decision"], decision, "{command}");
        assert_eq!(value["blocked"], decision == "deny", "{command}");
        fits_schema("outcome", &value);
    }
}

#[test]
fn a_page_for_people() {
    let command = "echo checking; echo 'never on a Friday' >&2; exit 2";
    let fixture = Fixture::with_settings(&settings("PreToolUse", command));
    assert_snapshot!(fixture.run(&["fire"], &bash("deploy --now")).all(), @r##"
exit 2
--- stdout
PreToolUse  Bash  deploy --now

  BLOCKED
  reason     never on a Friday

  HOOK                          FROM                     ENDED     TOOK  VERDICT
  echo checking; echo 'never …  .claude/settings.json:1  exit 2 [TIME]  deny
--- stderr
reading .claude/settings.json (claude, project)
"##);
}

#[test]
fn silence_has_every_key() {
    let fixture = Fixture::with_settings("{}");
    let value = fixture.json(&["fire", "--format", "json"], &bash("ls"), 0);
    fits_schema("outcome", &value);
    assert_eq!(value["steps"], json!([]));
}

#[test]
fn an_event_that_was_not_given_is_a_wrong_call() {
    let fixture = Fixture::with_settings("{}");
    for args in [&["fire", "none.json"][..], &["fire", "."]] {
        let output = fixture.run(args, "");
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{args:?}");
        assert!(output.stderr.contains("error:"), "{}", output.stderr);
    }
}

#[test]
fn unreadable_event_is_reported_with_a_fix() {
    let fixture = Fixture::with_settings("{}");
    let native = r#"{"event": "PreToolUse", "tool": {"name": "Bash", "input": {}}}"#;
    let text = fixture.run(&["fire"], native).stderr;
    assert!(text.contains("it can be read with `--dialect native`"), "{text}");
    assert_snapshot!(fixture.run(&["fire"], "{\"hook_event_name\": 7}").all(), @r##"
exit 2
--- stdout

  BLOCKED
  blocked, because no hook could see it: the event cannot be read as claude: `hook_event_name` must be a string, not a number
--- stderr
error: the event cannot be read as claude: `hook_event_name` must be a string,
       not a number

hint: `tenterhook events --dialect claude` lists the events; `--dialect` names
      another agent's
"##);
}

#[test]
fn a_background_step_is_waited_for_and_decides_nothing() {
    let hook = json!({"type": "command", "async": true, "command": "echo late >&2; exit 2"});
    let config = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string();
    let fixture = Fixture::with_settings(&config);
    let value = fixture.json(&["fire", "--format", "json"], &bash("ls"), 0);
    assert_eq!(value["steps"][0]["ended"], "exit 2, detached");
}

/// R-22: `fire` waits, so what a hook says counts, whenever it says it.
#[test]
fn a_denial_behind_a_first_line_that_asks_for_the_background_denies() {
    for pause in ["", "sleep 0.1; "] {
        for denial in ["echo no >&2; exit 2", r#"echo '{"decision": "block", "reason": "no"}'"#] {
            let command = format!(r#"echo '{{"async": true}}'; {pause}{denial}"#);
            let fixture = Fixture::with_settings(&settings("PreToolUse", &command));
            let value = fixture.json(&["fire", "--format", "json"], &bash("ls"), 2);
            assert_eq!(
                (&value["reason"], &value["faults"]),
                (&json!("no"), &json!([])),
                "{command}"
            );
            let exact = fixture.run(&["fire", "--compat", "exact"], &bash("ls"));
            assert_eq!(exact.code, 0, "{}", exact.all());
        }
    }
}

/// R-28: the agent does not wait for such a hook, and people see that.
#[test]
fn denial_behind_async_line_says_that_the_agent_goes_on() {
    let hook =
        |first: &str| json!({"type": "command", "command": format!("{first}echo no >&2; exit 2")});
    for (first, noted) in [("echo '{\"async\": true}'; ", true), ("", false)] {
        let config = json!({"hooks": {"PreToolUse": [{"hooks": [hook(first)]}]}}).to_string();
        let fixture = Fixture::new();
        fixture.write("project/.gen/settings.json", &config);
        let config = ["--dialect", "gen", "--config", ".gen/settings.json"];
        let fired = fixture.run(&[&["fire"], &config[..], &["Bash", "ls"]].concat(), "");
        assert_eq!(fired.code, 2, "{}", fired.all());
        let words = fired.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let note = "runs in the background, because its first line of output asks for that: it would not stop this";
        assert_eq!(words.contains(note), noted, "{}", fired.all());
    }
}

/// N-4: the result of a background hook has the same keys wherever it is printed.
#[test]
fn what_a_background_hook_says_is_the_same_everywhere() {
    let answer = json!({
        "context": "c", "message": "m", "watch": ["/w"], "env": {"A": "1"}, "first_message": "f",
        "extra": {"k": 1},
    });
    let fixture = Fixture::new();
    fixture.write("project/answer.json", &answer.to_string());
    let hook = "[hook.b]\non = 'SessionStart'\nbackground = true\nshell = 'cat answer.json'\n";
    fixture.write("project/tenterhook.toml", hook);
    let event = json!({"event": "SessionStart", "data": {"source": "startup"}}).to_string();
    let args = ["--dialect", "native", "--config", "tenterhook.toml"];
    let at_once = [&["fire", "--format", "json"], &args[..]].concat();
    let fired = fixture.json(&at_once, &event, 0);
    let streamed = fixture.run(&[&["fire", "--stream"], &args[..]].concat(), &event);
    let late = streamed.stdout.lines().last().unwrap();
    let late = &serde_json::from_str::<serde_json::Value>(late).unwrap()["finished"]["outcome"];
    let without_time = |mut value: serde_json::Value| {
        value["steps"][0]["duration_ms"] = json!(0);
        value
    };
    assert_eq!(without_time(fired.clone()), without_time(late.clone()));
    assert_eq!(
        (&fired["env"]["A"], &fired["watch_paths"]),
        (&json!("1"), &json!(["/w"])),
        "{fired}"
    );
}

/// V-43: a worker costs its start, and the outcome does not wait for its end.
#[test]
fn a_worker_costs_about_what_a_command_does() {
    let fixture = Fixture::new();
    let worker = r#"while read -r line; do id=${line#*:}; echo "{\"id\":${id%%,*}}"; done"#;
    fixture.write("project/worker.sh", worker);
    let config = |run: &str| format!("[hook.h]\non = 'PreToolUse'\n{run}\n");
    fixture.write("project/command.toml", &config("run = ['/bin/sh', '-c', 'cat']"));
    fixture.write("project/worker.toml", &config("worker = ['/bin/sh', 'worker.sh']"));
    let least = |file: &str| {
        let runs = (0..5).map(|_| {
            let began = std::time::Instant::now();
            let output = fixture.run(&["fire", "--config", file], &bash("ls"));
            assert_eq!(output.code, 0, "{}", output.all());
            began.elapsed()
        });
        runs.min().unwrap()
    };
    let (command, worker) = (least("command.toml"), least("worker.toml"));
    assert!(worker < command * 5, "{worker:?} against {command:?}");
}

#[test]
fn a_budget_ends_the_wait() {
    let fixture = Fixture::with_settings(&settings("PreToolUse", "exec sleep 20"));
    let args = ["fire", "--budget", "200ms", "--format", "json"];
    let value = fixture.json(&args, &bash("ls"), 0);
    assert_eq!(value["steps"][0]["ended"], "timed out");
    assert_eq!(value["faults"][0]["code"], "timed-out");
}

#[test]
fn exact_loses_what_the_agent_loses() {
    let noisy = r#"echo log; echo '{"decision": "block", "reason": "no"}'"#;
    let fixture = Fixture::with_settings(&settings("PreToolUse", noisy));
    assert_eq!(fixture.run(&["fire"], &bash("ls")).code, 2);
    assert_eq!(fixture.run(&["fire", "--compat", "exact"], &bash("ls")).code, 0);
}

#[test]
fn a_rejected_hook_is_a_fault_of_the_outcome() {
    let config = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}"#;
    let fixture = Fixture::with_settings(config);
    let value = fixture.json(&["fire", "--format", "json"], &bash("ls"), 0);
    let codes: Vec<_> =
        value["faults"].as_array().unwrap().iter().map(|fault| fault["code"].clone()).collect();
    assert!(!codes.is_empty(), "{value:#}");
}

#[test]
fn the_native_form_goes_in_under_its_name() {
    let fixture = Fixture::new();
    fixture.write("guard.toml", "[hook.no]\non = 'PreToolUse'\nshell = 'echo no >&2; exit 2'\n");
    let event = json!({"v": 1, "event": "PreToolUse", "tool": {"name": "Bash", "input": {}}});
    let args = ["fire", "--dialect", "native", "--config", "native=../guard.toml"];
    let output = fixture.run(&args, &event.to_string());
    assert_eq!(output.code, 2, "{}", output.all());
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_gone_changes_no_verdict() {
    let fixture = Fixture::with_settings(&settings("PreToolUse", "exit 2"));
    fixture.approve("project");
    fixture.write("event.json", &bash("ls"));
    let script = format!(
        "{} fire ../event.json | true; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_tenterhook")
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(fixture.path("project"))
        .env("HOME", fixture.path("home"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("error"), "{errors}");
}

#[test]
fn a_long_context_stays_where_the_outcome_says() {
    let fixture = Fixture::new();
    fixture.write(
        "long.toml",
        "[hook.a]\non = 'PreToolUse'\nshell = '''printf '{\"context\":\"'; head -c 30000 /dev/zero | tr '\\0' x; printf '\"}' '''\n",
    );
    let args = ["fire", "--config", "../long.toml", "--format", "json"];
    let value = fixture.json(&args, &bash("ls"), 0);
    let context = value["additional_context"].as_str().unwrap();
    let (_, path) = context.rsplit_once("[FIXTURE]/").unwrap();
    let text = std::fs::read_to_string(fixture.path(path.trim_end_matches(']'))).unwrap();
    assert_eq!(text.len(), 30000);
}

#[test]
fn nothing_stays_in_the_temporary_directory() {
    let fixture = Fixture::with_settings(&settings("SessionStart", "echo hello"));
    let event = json!({"hook_event_name": "SessionStart", "source": "startup"}).to_string();
    assert_eq!(fixture.run(&["fire"], &event).code, 0);
    let left = std::fs::read_dir(fixture.path("home")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    // The record of the firing lies in the home, which here is the temporary directory, too.
    assert_eq!(left, [".local"]);
}

#[test]
fn a_named_file_that_cannot_be_read_is_no_consent() {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", "[hook.x\n");
    fixture.write("project/other.toml", "[hook.x\n");
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let output = fixture.run(&["fire", "--config", "tenterhook.toml"], event);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stderr.contains("tenterhook.toml:1:"), "{}", output.stderr);
    let other = fixture.run(&["fire", "--config", "other.toml"], event);
    assert_eq!(other.stderr, output.stderr.replace("tenterhook.toml", "other.toml"));
    let exact = fixture.run(&["fire", "--config", "tenterhook.toml", "--compat", "exact"], event);
    assert_eq!(exact.code, 0, "{}", exact.all());
}

/// An error of a file stands once on a page, as a fault; a program that reads JSON is not the person who reads standard error.
#[test]
fn what_is_wrong_with_a_file_is_said_once() {
    let fixture = Fixture::new();
    let text =
        r#"{"hooks": {"sessionstart": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    fixture.write("project/a.json", text);
    let args = ["fire", "--config", "a.json", "Bash", "ls"];
    let text = fixture.run(&args, "").all();
    assert_eq!(text.matches("no event is called `sessionstart`").count(), 1, "{text}");
    assert!(text.contains("    a.json:1:12: no event"), "{text}");
    let json = fixture.run(&[&args[..3], &["--format", "json"], &args[3..]].concat(), "");
    assert!(json.stderr.contains("error: a.json:1: no event"), "{}", json.stderr);
}

/// R-9: a script whose interpreter is not there is there itself.
#[test]
fn a_missing_interpreter_is_named() {
    let fixture = Fixture::new();
    for (first, named) in
        [("#!/bin/sh\r", "line ends of Unix"), ("#!/no/such/shell -e", "`/no/such/shell`")]
    {
        crate::test::program(&fixture, "project/guard", &format!("{first}\nexit 0\n"));
        fixture.write(
            "project/tenterhook.toml",
            "[hook.guard]\non = 'PreToolUse'\nrun = ['./guard']\n",
        );
        let output = fixture.run(&["fire", "--config", "tenterhook.toml", "Bash", "ls"], "");
        let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.code == 2 && text.contains(named), "{}", output.all());
    }
}

/// H-1: the name of a file is somebody's words, too.
#[test]
fn a_name_of_a_file_is_made_safe() {
    let fixture = Fixture::new();
    fixture.write("project/a\u{202e}b\n.toml", "[hook.a]\non = 'Stop'\nrun = ['true']\nx = 1\n");
    for command in ["check", "list"] {
        let output = fixture.run(&[command, "a\u{202e}b\n.toml"], "");
        assert!(!output.all().contains('\u{202e}'), "{}", output.all());
        assert!(!output.all().contains("b\n.toml"), "{}", output.all());
    }
}
