//! `probe` of agents that work only with their user's account, with stand-ins for their programs.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tenterhook_testkit::make_fifo;

use crate::fixture::{CliOutput, Fixture};

/// The beginning of each stand-in for Cursor: `line` is the command that the prompt asks for, and `ask EVENT` runs the project's
/// hook of that event, with its timeout.
const CURSOR: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 2026.11.03-abc; exit; }
echo "$*" >>"$HOME/starts"
for prompt; do :; done
line=$(printf '%s\n' "$prompt" | tail -n 1 | sed 's/^ *//')
ask() {
  command=$(sed -n "/\"$1\"/,/\"command\":/s/.*\"command\": \"\(.*\)\".*/\1/p" .cursor/hooks.json)
  printf '{"hook_event_name":"%s","user_email":"ann@example.com","transcript_path":"%s/t.json","tool_name":"Shell","tool_input":{"command":"%s"}}' \
    "$1" "$HOME" "$line" | timeout 3 $command
}
"#;

/// Denies whatever is not a consent, as `failClosed` means.
const HONOURS: &str = r#"
for event in beforeSubmitPrompt preToolUse; do
  answer=$(ask $event) && [ "$answer" = '{}' ] || exit 0
done
sh -c "$line"
"#;

/// Asks before a tool, and runs it whatever the answer is. Calls no hook for prompts.
const IGNORES: &str = "ask preToolUse\nsh -c \"$line\"\n";

/// Its model runs the command, and it calls no hook.
const CALLS_NO_HOOK: &str = "sh -c \"$line\"\n";

/// Its model calls no tool.
const CALLS_NO_TOOL: &str = "echo 'You are not logged in'\n";

/// A fixture with a stand-in for Cursor that goes on like this.
fn with_cursor(rest: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("cursor-agent", &format!("{CURSOR}{rest}"));
    let path = fixture.path("cursor-agent");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    fixture
}

fn probe_cursor(fixture: &Fixture, more: &[&str]) -> CliOutput {
    let program = fixture.path("cursor-agent").display().to_string();
    let args = ["probe", "cursor", "--use-my-account", "--program", &program];
    fixture.run(&[&args, more].concat(), "")
}

fn stored_result(fixture: &Fixture) -> Option<Value> {
    let path = fixture.path("home/.local/state/tenterhook/probes/cursor.json");
    Some(serde_json::from_str(&fs::read_to_string(path).ok()?).unwrap())
}

/// BR-190.
#[test]
fn without_the_flag_nothing_is_started_and_the_plan_is_printed() {
    let fixture = with_cursor("");
    let hooks = json!({"version": 1, "hooks": {"stop": [{"command": "true"}]}}).to_string();
    fixture.write("home/.cursor/hooks.json", &hooks);
    let program = fixture.path("cursor-agent").display().to_string();
    let output = fixture.run(&["probe", "cursor", "--program", &program], "");
    assert_snapshot!(output.all(), @r##"
    exit 0
    --- stdout
    Cursor works only with your account. Nothing was started.

    `tenterhook probe cursor --use-my-account` does this:

      program  [FIXTURE]/cursor-agent
      runs     `cursor-agent -p --force --trust PROMPT`, 9 times, each for 180 s at
               most
      prompt   asks the model to run harmless commands, such as `touch
               marks/ran.deny`
      cost     9 conversations with its model, of two or three requests each, on
               your account
      risk     Cursor asks you nothing in these runs: its model may call other
               tools, too
      writes   a new folder in `~/` with `.cursor/hooks.json`, removed at the end
      home     yours, with your login and settings; your hooks run, too:
               ~/.cursor/hooks.json (1 hook)
      result   `~/.local/state/tenterhook/probes/cursor.json`; nothing is sent
      source   cursor.com/docs/cli/headless of 2026-11

    Before each command, our hook does one of these:

      allow        does not object
      deny         denies in the agent's own form
      exit2        exits with 2, with a reason on stderr
      line-before  prints a line of a log before the denial
      cut          prints a denial whose end is missing
      exit1        exits with 1
      missing      its program is missing
      slow         takes longer than its timeout
      prompt       denies the prompt
    --- stderr
    "##);
    assert!(!fixture.path("home/starts").exists());
    let plan = fixture.json(&["probe", "cursor", "--format", "json"], "", 0);
    assert_eq!((&plan["started"], &plan["program"]), (&json!(false), &Value::Null));
}

#[test]
fn plan_of_agent_without_headless_start_names_the_steps_of_the_user() {
    assert_snapshot!(Fixture::new().run(&["probe", "vscode"], "").all(), @r##"
    exit 0
    --- stdout
    VS Code works only with your account. Nothing was started.

    `tenterhook probe vscode --use-my-account` does this:

      runs     you start VS Code, open a folder, give its agent one prompt, and
               press Enter here
      prompt   asks the model to run harmless commands, such as `touch
               marks/ran.deny`
      cost     one conversation with its model, on your account
      writes   a new folder in `~/` with `.claude/settings.json`, removed at the end
      home     yours, with your login and settings; no hooks of yours were found
      result   `~/.local/state/tenterhook/probes/vscode.json`; nothing is sent
      source   its documents of 2026-10-14: its agent has no start without a window

    Before each command, our hook does one of these:

      allow        does not object
      deny         denies in the agent's own form
      exit2        exits with 2, with a reason on stderr
      line-before  prints a line of a log before the denial
      cut          prints a denial whose end is missing
      exit1        exits with 1
      missing      its program is missing
      slow         takes longer than its timeout
    --- stderr
    "##);
}

#[test]
fn missing_program_and_needless_flag_are_reported() {
    let fixture = Fixture::new();
    assert_snapshot!(fixture.run(&["probe", "cursor", "--use-my-account"], "").all(), @r##"
    exit 1
    --- stdout
    --- stderr
    error: Cursor is not on the PATH: no program `cursor-agent`

    hint: install it and log in, or give `--program PATH`
    "##);
    assert_snapshot!(fixture.run(&["probe", "codex", "--use-my-account"], "").all(), @r##"
    exit 1
    --- stdout
    --- stderr
    error: Codex CLI is probed offline, without your account

    hint: leave out `--use-my-account`
    "##);
}

/// BR-190, BR-191, BR-192.
#[test]
fn agent_that_honours_denials_is_as_the_documents_say() {
    let fixture = with_cursor(HONOURS);
    let output = probe_cursor(&fixture, &[]);
    assert_snapshot!(output.all(), @r##"
    exit 0
    --- stdout
    Cursor 2026.11.03-abc, with your account
      allow        ran
      deny         stopped
      exit2        stopped
      line-before  stopped
      cut          stopped
      exit1        stopped
      missing      stopped
      slow         stopped
      prompt       stopped

    9 of 9 as the documents say; different: 0; not reached: 0
    Please send `~/.local/state/tenterhook/probes/cursor.json` to
    https://github.com/tenterhook/tenterhook/issues. Read it first: it has the
    inputs of our hooks.
    --- stderr
    run 1 of 9: allow
    run 2 of 9: deny
    run 3 of 9: exit2
    run 4 of 9: line-before
    run 5 of 9: cut
    run 6 of 9: exit1
    run 7 of 9: missing
    run 8 of 9: slow
    run 9 of 9: prompt
    "##);
    let starts = fs::read_to_string(fixture.path("home/starts")).unwrap();
    assert_eq!(starts.matches("-p --force --trust Run this one shell command").count(), 9);
    let result = stored_result(&fixture).unwrap();
    assert_eq!(result["denials_block"], true);
    assert_eq!(result["version"], "2026.11.03-abc");
    let deny = &result["rows"][1];
    let seen = [&deny["hook"], &deny["ran"], &deny["documents_say"], &deny["differs"]];
    assert_eq!(seen, [&json!("deny"), &json!(false), &json!("stopped"), &json!(false)]);
    // The input of the hook, without the user's address and home.
    assert_eq!(deny["input"]["tool_name"], "Shell");
    assert_eq!(deny["input"]["user_email"], "[redacted]");
    assert_eq!(deny["input"]["transcript_path"], "~/t.json");
    assert_eq!(probe_folders(&fixture), 0);
}

/// BR-191, BR-192.
#[test]
fn agent_that_ignores_denials_is_named_way_by_way() {
    let fixture = with_cursor(IGNORES);
    assert_snapshot!(probe_cursor(&fixture, &[]).all(), @r##"
    exit 1
    --- stdout
    Cursor 2026.11.03-abc, with your account
      allow        ran
      deny         ran  <- documents say: stopped  <- a denial does not block
      exit2        ran  <- documents say: stopped
      line-before  ran  <- documents say: stopped
      cut          ran  <- documents say: stopped
      exit1        ran  <- documents say: stopped
      missing      ran  <- documents say: stopped
      slow         ran  <- documents say: stopped
      prompt       ran, no hook asked  <- documents say: stopped

    1 of 9 as the documents say; different: 8; not reached: 0
    Please send `~/.local/state/tenterhook/probes/cursor.json` to
    https://github.com/tenterhook/tenterhook/issues. Read it first: it has the
    inputs of our hooks.
    --- stderr
    run 1 of 9: allow
    run 2 of 9: deny
    run 3 of 9: exit2
    run 4 of 9: line-before
    run 5 of 9: cut
    run 6 of 9: exit1
    run 7 of 9: missing
    run 8 of 9: slow
    run 9 of 9: prompt
    "##);
    assert_eq!(stored_result(&fixture).unwrap()["denials_block"], false);
    fixture.write("home/.cursor/argv.json", "{}");
    let status = fixture.run(&["status"], "").stdout;
    assert!(status.contains("with version 2026.11.03-abc: 8 answers not as they say"), "{status}");
}

/// BR-191: one run shows it, so that no other is paid for.
#[test]
fn agent_that_calls_no_hook_is_started_once() {
    let fixture = with_cursor(CALLS_NO_HOOK);
    assert_snapshot!(probe_cursor(&fixture, &[]).all(), @r##"
    exit 1
    --- stdout
    Cursor 2026.11.03-abc, with your account
      allow        ran, no hook asked  <- documents say: a hook is asked  <- a denial does not block

    No hook started, so 8 other ways were not tried.

    0 of 1 as the documents say; different: 1; not reached: 0
    Please send `~/.local/state/tenterhook/probes/cursor.json` to
    https://github.com/tenterhook/tenterhook/issues. Read it first: it has the
    inputs of our hooks.
    --- stderr
    run 1 of 9: allow
    "##);
    assert_eq!(fs::read_to_string(fixture.path("home/starts")).unwrap().lines().count(), 2);
}

/// BR-191: a model that calls no tool proves nothing.
#[test]
fn agent_whose_model_calls_no_tool_is_not_probed() {
    let fixture = with_cursor(CALLS_NO_TOOL);
    assert_snapshot!(probe_cursor(&fixture, &[]).all(), @r##"
    exit 1
    --- stdout
    --- stderr
    run 1 of 9: allow
    error: Cursor cannot be probed: its model did not call the command, or no answer
           came in time
           You are not logged in

    hint: nothing was stored; try one prompt in Cursor yourself: is it logged in?
    "##);
    assert!(stored_result(&fixture).is_none());
}

/// BR-191: where another hook stops every command, denials of ours prove nothing.
#[test]
fn agent_that_stops_every_command_is_not_probed() {
    let fixture = with_cursor("ask preToolUse\necho 'blocked by company-hook'\n");
    let output = probe_cursor(&fixture, &[]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("other hooks or the agent's permissions"), "{}", output.stderr);
    assert!(output.stderr.contains("blocked by company-hook"), "{}", output.stderr);
    assert!(stored_result(&fixture).is_none());
}

/// BR-191: a run that had to be ended shows nothing, and leaves no process.
#[test]
fn run_that_does_not_end_is_ended_with_its_children() {
    let rest = format!(
        "case $line in *WAY-deny-END) ask preToolUse; sleep 1000 & echo $! >\"$HOME/child\"; wait ;; esac\n{HONOURS}"
    );
    let fixture = with_cursor(&rest);
    let output = probe_cursor(&fixture, &["--run-timeout", "5s"]);
    assert!(output.stdout.contains("  deny         did not get to it\n"), "{}", output.all());
    assert!(output.stdout.contains("  exit2        stopped\n"), "{}", output.all());
    let child = fs::read_to_string(fixture.path("home/child")).unwrap();
    assert!(!std::path::Path::new("/proc").join(child.trim()).exists(), "{child}");
}

/// The program's start with these arguments, to be signalled by a test.
#[expect(clippy::disallowed_methods, reason = "the program is played from outside")]
fn start(fixture: &Fixture, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tenterhook"))
        .args(["probe"])
        .args(args)
        .current_dir(fixture.path("project"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", fixture.path("home"))
        .env("TMPDIR", fixture.path("home"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn probe_folders(fixture: &Fixture) -> usize {
    let names =
        fs::read_dir(fixture.path("home")).unwrap().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("tenterhook-probe-")).count()
}

/// BR-194.
#[test]
fn interrupted_run_ends_its_children_and_removes_its_folder() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let fixture = with_cursor(
            "trap '' TERM INT\nsleep 1000 & echo $! >\"$HOME/child\"; echo >\"$HOME/ready\"; wait\n",
        );
        let ready = fixture.path("home/ready");
        make_fifo(&ready).unwrap();
        let program = fixture.path("cursor-agent").display().to_string();
        let probe = start(&fixture, &["cursor", "--use-my-account", "--program", &program]);
        fs::read_to_string(&ready).unwrap();
        assert_eq!(probe_folders(&fixture), 1);
        kill_process(Pid::from_child(&probe), signal).unwrap();
        assert_eq!(probe.wait_with_output().unwrap().status.code(), Some(code));
        assert_eq!(probe_folders(&fixture), 0);
        let child = fs::read_to_string(fixture.path("home/child")).unwrap();
        assert!(!std::path::Path::new("/proc").join(child.trim()).exists(), "{child}");
        assert!(stored_result(&fixture).is_none());
    }
}

/// BR-194.
#[test]
fn interrupted_wait_for_the_user_removes_the_folder() {
    let fixture = Fixture::new();
    let mut probe = start(&fixture, &["windsurf", "--use-my-account"]);
    let mut stderr = BufReader::new(probe.stderr.take().unwrap());
    while !stderr.by_ref().lines().next().unwrap().unwrap().contains("ran.missing") {}
    assert_eq!(probe_folders(&fixture), 1);
    // Waiting would close it, which ends the program, too.
    let stdin = probe.stdin.take();
    kill_process(Pid::from_child(&probe), Signal::INT).unwrap();
    assert_eq!(probe.wait().unwrap().code(), Some(130));
    drop(stdin);
    assert_eq!(probe_folders(&fixture), 0);
}

/// BR-193.
#[test]
fn agent_without_headless_start_is_run_by_hand() {
    let fixture = Fixture::new();
    let mut program = start(&fixture, &["windsurf", "--use-my-account"]);
    let mut instructions = Vec::new();
    let mut stderr = BufReader::new(program.stderr.take().unwrap());
    for line in stderr.by_ref().lines() {
        instructions.push(line.unwrap());
        if instructions.last().unwrap().contains("ran.missing") {
            break;
        }
    }
    let trimmed = |line: &String| line.trim().to_owned();
    let folder = instructions.iter().map(trimmed).find(|line| line.starts_with('/')).unwrap();
    // What Windsurf does: exit code 2 denies, and it knows no other denial (WS-40).
    for command in instructions.iter().map(trimmed).filter(|line| line.starts_with("touch ")) {
        let script = format!(
            "line='{command}'; printf '{{\"tool_info\":{{\"command_line\":\"%s\"}}}}' \"$line\" | sh ../hook/hook.sh Before; [ $? = 2 ] || eval \"$line\""
        );
        let run = Command::new("/bin/sh").args(["-c", &script]).current_dir(&folder).output();
        assert!(run.unwrap().status.code().is_some());
    }
    program.stdin.take().unwrap().write_all(b"\n").unwrap();
    let output = program.wait_with_output().unwrap();
    assert_snapshot!(fixture.filter(&String::from_utf8_lossy(&output.stdout)), @r##"
    Windsurf (version unknown), with your account
      allow        ran
      deny         stopped
      exit1        ran
      missing      ran

    4 of 4 as the documents say; different: 0; not reached: 0
    Please send `~/.local/state/tenterhook/probes/windsurf.json` to
    https://github.com/tenterhook/tenterhook/issues. Read it first: it has the
    inputs of our hooks.
    "##);
    assert_snapshot!(fixture.filter(&instructions.join("\n")).split("tenterhook-probe-").next().unwrap(), @r##"
    1. Open this folder in Windsurf, and trust it if asked:

       [FIXTURE]/home/
    "##);
}
