//! What a stranger tries who wants to break the agent: files without an end, hooks that hang, ends in the middle of things.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::{Fixture, Run};

const HELLO: &str = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";

fn fifo(fixture: &Fixture, name: &str) {
    let path = fixture.sandbox.project().join(name);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn there(fixture: &Fixture, name: &str) -> bool {
    fixture.sandbox.project().join(name).exists()
}

fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn warned(run: &Run, words: &str) -> bool {
    run.of_kind("warn").iter().any(|value| value["reason"].as_str().unwrap().contains(words))
}

fn requests(fixture: &Fixture) -> Vec<Value> {
    let text = fixture.text("requests.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A mention of a path that is no file, or that a rule keeps from the model, is reported and adds
/// nothing; of a large file the beginning is added, and a word that only looks like a mention is
/// ignored.
#[test]
fn a_mention_adds_a_file_and_nothing_else() {
    let fixture = Fixture::new("", HELLO);
    fifo(&fixture, "fifo");
    fixture.sandbox.write("key.txt", "the-key").unwrap();
    fixture.sandbox.write("large.txt", &"0123456789abcde\n".repeat(1 << 20)).unwrap();
    let prompt = "see @fifo @/dev/zero @src/ @key.txt @absent and @large.txt";
    fixture.sandbox.write("src/a.rs", "").unwrap();
    let run = fixture.ask(prompt, &["--deny", "Read(key.txt)"]);
    assert_eq!(run.of_kind("reply").len(), 1);
    for words in [
        "`fifo` is not added: it is a FIFO",
        "`/dev/zero` is not added: it is a device",
        "`src/` is not added: it is a directory",
        "`key.txt` is not added: the rule",
    ] {
        assert!(warned(&run, words), "{words}: {:?}", run.of_kind("warn"));
    }
    assert_eq!(run.of_kind("warn").len(), 4);
    let asked = fixture.text("requests.jsonl");
    assert!(asked.contains("The file `large.txt`, its beginning:") && asked.len() < 80_000);
    assert!(!asked.contains("the-key"));
}

/// Tools and instructions wait for no FIFO, read no file that has no end, and follow no link in a circle.
#[test]
fn mention_that_is_no_file_is_skipped_without_a_wait() {
    let script = r#"
[[reply]]
call = [
  { tool = "Read", input = { file_path = "fifo" } },
  { tool = "Write", input = { file_path = "fifo", content = "x" } },
  { tool = "Edit", input = { file_path = "fifo", old_string = "x", new_string = "y" } },
  { tool = "Grep", input = { pattern = "x", path = "fifo" } },
  { tool = "Grep", input = { pattern = "needle", glob = "*.txt" } },
  { tool = "Glob", input = { pattern = "**/*.txt" } },
  { tool = "Read", input = { file_path = "zeroes" } },
]
[[reply]]
text = "done"
"#;
    let fixture = Fixture::new("", script);
    fixture.sandbox.write("sub/a.txt", "needle").unwrap();
    for name in ["fifo", "AGENTS.md", "sub/deep.fifo"] {
        fifo(&fixture, name);
    }
    let project = fixture.sandbox.project();
    std::os::unix::fs::symlink(&project, project.join("sub/loop")).unwrap();
    std::fs::File::create(project.join("zeroes")).unwrap().set_len(1 << 30).unwrap();
    let run = fixture.ask("look", &["--permission-mode", "acceptEdits"]);
    let results = run.of_kind("tool_result");
    let texts: Vec<_> =
        results.iter().map(|tool_result| tool_result["text"].as_str().unwrap()).collect();
    let fifo = "it is a FIFO, not a file";
    let wanted = [fifo, fifo, fifo, "(nothing found)", "sub/a.txt:1:needle", "sub/a.txt", "16 MiB"];
    for (text, words) in texts.iter().zip(wanted) {
        assert!(text.contains(words), "{words}: {texts:?}");
    }
    assert_eq!((texts.len(), texts[5]), (7, "sub/a.txt"));
}

/// A line that is no text, or says nothing that is known, costs that line alone.
#[test]
fn a_broken_line_of_input_costs_itself_alone() {
    let fixture = Fixture::new("", HELLO);
    let mut run = fixture.start(&[]);
    run.say_bytes(b"\xff\xfe\n[]\n{\"type\": \"prompt\", \"text\": \"\xff\"}\n\n");
    run.prompt("hi");
    run.wait_for("turn_ended");
    assert_eq!(run.end(), 0);
    assert_eq!(requests(&fixture).len(), 1);
}

/// Hooks on what is shown do not delay leaving, also where the session had nothing else to do any more.
#[test]
fn leaving_does_not_wait_for_display_hooks() {
    let hooks = "[hook.hangs]\non = \"MessageDisplay\"\ntimeout = \"10m\"\nshell = \"touch began; exec sleep 600\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.close();
    fixture.until("the hook", || there(&fixture, "began"));
    run.signal("TERM");
    run.code();
}

const HANGS: &str = r#"
[hook.hangs]
on = "UserPromptSubmit"
timeout = "10m"
shell = '''if grep -q slow; then touch began; exec sleep 600; fi'''
"#;

/// A steering text is given back when the person stops it while its hooks judge it, also after the turn; the next one is
/// judged as usual, and leaving does not wait for it.
#[test]
fn a_steer_whose_hooks_hang_is_given_back() {
    let script = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\nword_ms = 20\ntext = \"one two three four five six seven eight nine ten eleven twelve\"\n";
    let fixture = Fixture::new(HANGS, script);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("text");
    run.prompt("slow down");
    fixture.until("the hook", || there(&fixture, "began"));
    run.wait_for("turn_ended");
    run.send_line(json!({"type": "interrupt"}));
    let back = run.wait_for("refused");
    assert_eq!((&back["text"], &back["reason"]), (&json!("slow down"), &json!("interrupted")));
    run.prompt("go on");
    run.wait_for("text");
    run.prompt("slow and steady");
    run.wait_for("turn_ended");
    run.send_line(json!({"type": "quit"}));
    run.code();
    let text = fixture.text("requests.jsonl");
    assert!(text.contains("go on") && !text.contains("slow"), "{text}");
}

/// A prompt that was announced as final stays in, even if the announcement is stopped: no hook sees
/// a text that is taken back.
#[test]
fn a_prompt_that_was_announced_is_not_taken_back() {
    let hooks = "[hook.hangs]\non = \"UserPromptCommitted\"\ntimeout = \"10m\"\nshell = \"touch began; exec sleep 600\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    fixture.until("the hook", || there(&fixture, "began"));
    run.send_line(json!({"type": "interrupt"}));
    assert_eq!(run.wait_for("turn_ended")["error"], "interrupted");
    let transcript = run.of_kind("session")[0]["transcript_path"].as_str().unwrap().to_owned();
    assert!(run.of_kind("refused").is_empty() && run.of_kind("prompt").len() == 1);
    run.end();
    assert!(std::fs::read_to_string(transcript).unwrap().contains("\"text\":\"hi\""));
}

/// A session that was killed in the middle of a call goes on as one that a model takes: the call has a result.
#[test]
fn a_session_that_was_killed_in_the_middle_of_a_call_goes_on() {
    let script = "record = \"requests.jsonl\"\n[[reply]]\non = \"go\"\ncall = [{ tool = \"Bash\", input = { command = \"touch began; exec sleep 600\" } }]\n[[reply]]\ntext = \"fine\"\n";
    let fixture = Fixture::new("", script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("go");
    let transcript = run.wait_for("session")["transcript_path"].as_str().unwrap().to_owned();
    fixture.until("the call", || there(&fixture, "began"));
    run.signal("KILL");
    drop(run);
    let run = fixture.ask("again", &["--resume", &transcript]);
    assert_eq!(run.of_kind("reply")[0]["text"], "fine");
    let last = requests(&fixture).pop().unwrap()["messages"].clone();
    let roles: Vec<_> =
        last.as_array().unwrap().iter().map(|value| value["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tools", "user"], "{last:#}");
    assert_eq!(last[2]["results"][0]["id"], last[1]["calls"][0]["id"]);
}

/// One session at a time writes a transcript, and no file of another kind becomes one.
#[test]
fn a_transcript_is_written_by_one_session() {
    let fixture = Fixture::new("", HELLO);
    let mut run = fixture.start(&[]);
    let transcript = run.wait_for("session")["transcript_path"].as_str().unwrap().to_owned();
    fixture.sandbox.write("notes.txt", "dear diary\n").unwrap();
    fifo(&fixture, "fifo");
    for (file, why) in [
        (transcript.as_str(), "in use"),
        ("notes.txt", "not a transcript"),
        ("fifo", "a FIFO"),
        (".", "a directory"),
        ("nowhere", "No such file"),
    ] {
        let mut other = fixture.command();
        other.args(["--model", "scripted:script.toml", "-p", "hi", "--resume", file]);
        let output = other.output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(why), "{text}");
        let why = if why == "in use" { "Going on with 0 messages" } else { why };
        run.prompt(&format!("/resume {file}"));
        let page = run.wait_for("page");
        assert!(page["text"].as_str().unwrap().contains(why), "{page}");
    }
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.end();
    assert_eq!(fixture.text("notes.txt"), "dear diary\n");
    let run = fixture.ask("again", &["--resume", &transcript]);
    assert_eq!(run.of_kind("reply").len(), 1, "it is free again");
}

const INSIDE: &str = r#"
[[reply]]
on = "delegate"
call = [{ tool = "Task", input = { description = "look", prompt = "look inside", isolation = "worktree" } }]
[[reply]]
on = "look inside"
call = [{ tool = "Bash", input = { command = "WORK; sh ~/report.sh; exec sleep 600" } }]
[[reply]]
repeat = true
text = "well"
"#;

/// A task that is stopped leaves no worktree behind, unless there is work in it: then the person reads where.
#[test]
fn a_stopped_task_leaves_its_worktree() {
    for (work, stays) in [("true", false), ("echo new > new.txt", true)] {
        let hooks = "[hook.see]\non = \"WorktreeRemove\"\nshell = \"true\"\n";
        let fixture = Fixture::new(hooks, &INSIDE.replace("WORK", work));
        fixture.sandbox.write("~/report.sh", "pwd > $HOME/where\n").unwrap();
        super::gates::repository(&fixture);
        let mut run = fixture.start(&["--allow", "Bash(*)"]);
        run.prompt("delegate");
        fixture.until("the task", || fixture.text("../home/where").ends_with('\n'));
        run.send_line(json!({"type": "interrupt"}));
        run.wait_for("turn_ended");
        let text = fixture.text("../home/where");
        let worktree = Path::new(text.trim());
        if stays {
            let json = run.wait_for("notice");
            assert!(json["text"].as_str().unwrap().contains(text.trim()), "{json}");
            assert!(worktree.join("new.txt").exists());
        } else {
            fixture.until("the worktree to go", || !worktree.exists());
        }
        run.end();
        assert_eq!(run.events().contains(&"WorktreeRemove"), !stays);
    }
}

/// Processes of commands end with the session, also those in a new session.
#[test]
fn nothing_of_a_command_outlives_the_session() {
    let script = r#"
[[reply]]
on = "go"
call = [
  { tool = "Bash", input = { command = "setsid sh -c 'echo $$ > daemon; exec sleep 600' & echo $$ > leader; sleep 600", run_in_background = true } },
  { tool = "Bash", input = { command = "until test -s left; do test -e begun || { touch begun; sh -c 'echo $$ > left; exec sleep 600' > /dev/null 2>&1 & }; done" } },
]
[[reply]]
repeat = true
text = "well"
"#;
    for how in ["quit", "TERM", "close"] {
        let fixture = Fixture::new("", script);
        let mut run = fixture.start(&["--allow", "Bash(*)"]);
        run.prompt("go");
        run.wait_for("turn_ended");
        let pid = |name: &str| fixture.text(name);
        fixture.until("the processes", || !pid("daemon").is_empty() && !pid("leader").is_empty());
        assert!(lives(&pid("daemon")) && lives(&pid("leader")));
        match how {
            "quit" => run.send_line(json!({"type": "quit"})),
            "TERM" => run.signal("TERM"),
            _ => {}
        }
        run.end();
        for name in ["daemon", "leader", "left"] {
            assert!(!lives(&pid(name)), "{name} outlives {how}");
        }
    }
}

/// Texts that came too late to steer reach the model in their order, and an announced text is
/// stored even if the person leaves; a call that was done before an interrupt has its result, and
/// each call that was shown to begin is shown to end.
#[test]
fn announced_texts_are_not_lost() {
    let script = r#"
record = "requests.jsonl"
[[reply]]
on = "go"
call = [
  { tool = "Bash", input = { command = "echo first it is" } },
  { tool = "Read", input = { file_path = "script.toml" } },
]
[[reply]]
repeat = true
text = "well"
"#;
    let hooks = "[hook.hangs]\non = \"PostToolUse\"\nmatch = \"Read\"\ntimeout = \"10m\"\nshell = \"touch began; exec sleep 600\"\n\
                 [hook.ends]\non = \"TurnComplete\"\ntimeout = \"10m\"\nshell = \"until test -e go; do sleep 0.01; done\"\n";
    let fixture = Fixture::new(hooks, script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("go");
    fixture.until("the hook", || there(&fixture, "began"));
    for text in ["steer one", "steer two", "steer three"] {
        run.prompt(text);
        run.wait("the steer", |line| line["type"] == "prompt" && line["text"] == text);
    }
    run.send_line(json!({"type": "interrupt"}));
    run.wait_for("turn_ended");
    assert_eq!(run.of_kind("tool").len(), run.of_kind("tool_result").len());
    fixture.sandbox.write("go", "").unwrap();
    run.wait_for("turn_ended");
    let last = requests(&fixture).pop().unwrap()["messages"].clone();
    let texts: Vec<_> = last
        .as_array()
        .unwrap()
        .iter()
        .filter(|value| value["role"] == "user")
        .map(|value| value["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["go", "steer one", "steer two", "steer three"]);
    let results = &last[2]["results"];
    assert_eq!(
        (&results[0]["text"], &results[0]["is_error"]),
        (&json!("first it is"), &json!(false))
    );
    assert_eq!(results[1]["is_error"], true, "what its hooks would have made of it is not known");
    run.end();
}

/// An announced text is stored where the person leaves before the model could read it.
#[test]
fn steering_text_is_stored_when_the_person_leaves() {
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"touch began; exec sleep 600\" } }]\n";
    let fixture = Fixture::new("", script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("go");
    fixture.until("the call", || there(&fixture, "began"));
    run.prompt("steer");
    run.wait("the steer", |line| line["type"] == "prompt" && line["text"] == "steer");
    run.send_line(json!({"type": "quit"}));
    run.end();
    let transcript = run.of_kind("session")[0]["transcript_path"].as_str().unwrap();
    assert!(std::fs::read_to_string(transcript).unwrap().contains("\"text\":\"steer\""));
}

/// A directory whose name is no text is one to work in, and a file of marks that is no file is
/// reported and not waited for.
#[test]
fn odd_names_and_odd_marks_cause_no_delay() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new("", HELLO);
    let odd = fixture.sandbox.project().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).unwrap();
    let script = format!("scripted:{}/script.toml", fixture.sandbox.project().display());
    let mut agent = fixture.command();
    let output = agent.current_dir(odd).args(["--model", &script, "-p", "hi"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "hello\n");

    let run = fixture.ask("hi", &[]);
    let transcript = run.of_kind("session")[0]["transcript_path"].as_str().unwrap().to_owned();
    let marks = Path::new(&transcript).with_extension("hooks.json");
    assert!(Command::new("mkfifo").arg(marks).status().unwrap().success());
    let run = fixture.ask("again", &["--resume", &transcript]);
    assert_eq!(run.of_kind("reply").len(), 1);
    assert!(warned(&run, "it is a FIFO"), "{:?}", run.of_kind("warn"));
}

/// Hooks that wake the agent whenever it rests have it work only so often without input; their later texts
/// join the next prompt.
#[test]
fn hooks_that_wake_the_agent_for_ever_are_bounded() {
    let hooks =
        "[hook.again]\non = \"Stop\"\nwake = true\nshell = \"echo 'once more' >&2; exit 2\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait("the end of it", |line| {
        line["type"] == "warn" && line["reason"].as_str().unwrap().contains("8 times in a row")
    });
    assert_eq!(run.of_kind("turn_ended").len(), 9);
    run.prompt("enough");
    run.wait_for("turn_ended");
    run.send_line(json!({"type": "quit"}));
    run.end();
    let all = requests(&fixture);
    let said = all[9]["messages"].as_array().unwrap();
    let said: Vec<_> = said.iter().map(|value| value["text"].as_str().unwrap()).collect();
    assert!(said.ends_with(&["enough", "once more"]), "{said:?}");
}

/// What a model or a hook writes into the arguments is held to all that the schema says: bounds and lists, too.
#[test]
fn arguments_are_held_to_their_bounds() {
    let script = r#"
[[reply]]
call = [
  { tool = "Bash", input = { command = "touch ran", timeout = 0 } },
  { tool = "Bash", input = { command = "touch ran", timeout = 600001 } },
  { tool = "Read", input = { file_path = "script.toml", limit = -1 } },
  { tool = "Task", input = { description = "d", prompt = "p", isolation = "none" } },
  { tool = "Bash", input = { command = "true", timeout = 600000 } },
]
[[reply]]
text = "done"
"#;
    let fixture = Fixture::new("", script);
    let run = fixture.ask("go", &["--allow", "Bash(*)"]);
    let failed: Vec<_> = run
        .of_kind("tool_result")
        .iter()
        .map(|tool_result| tool_result["is_error"] == true)
        .collect();
    assert_eq!(failed, [true, true, true, true, false]);
    assert!(!there(&fixture, "ran"));
}
