//! Bad ends of the agent leave no process and no half line, and a message for a caller that cannot be asked.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::fixture::Fixture;

fn kill(name: &str, id: &str) -> bool {
    let mut command = Command::new("kill");
    command.args([name, id]).stderr(Stdio::null()).status().unwrap().success()
}

fn prompted(fixture: &Fixture, args: &[&str]) -> Child {
    let mut command = fixture.command();
    command.args(["-p", "work", "--model", "scripted:script.toml"]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// AG-30: what a shell runs, what it runs beside itself, what left its session, and what goes on in the background.
#[test]
fn nothing_outlives_the_agent() {
    for line in [
        "sleep 1000; true",
        "sleep 1000 & wait; true",
        "setsid sleep 1000 & wait; true",
        "(sh -c 'sleep 1000; true'; true); true",
        "nohup sh -c 'sleep 1000; true' >/dev/null 2>&1 & wait; true",
    ] {
        for (signal, background) in
            [("-KILL", false), ("-KILL", true), ("-QUIT", false), ("-ABRT", false)]
        {
            let call = |line: &str| {
                format!(
                    "{{ tool = \"Bash\", input = {{ command = {}, run_in_background = {background} }} }}",
                    json!(line)
                )
            };
            let fixture = Fixture::new("", "");
            let marked = line.replace("sleep 1000", "sh -c 'echo $$ >>ids; exec sleep 1000'");
            let marked = if line.contains("sh -c '") {
                line.replace("sleep 1000", "echo $$ >>ids; sleep 1000")
            } else {
                marked
            };
            let waits = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"sleep 1000; true\" } }]\n";
            let script = format!("[[reply]]\ncall = [{}]\n{waits}", call(&marked));
            fixture.sandbox.write("script.toml", &script).unwrap();
            let mut child = prompted(&fixture, &["--permission-mode", "bypassPermissions"]);
            fixture.until("the tool", || fixture.text("ids").ends_with('\n'));
            let id = child.id().to_string();
            kill(signal, &id);
            child.wait().unwrap();
            for tool in fixture.text("ids").split_whitespace() {
                let zombie = || {
                    let stat = std::fs::read_to_string(format!("/proc/{tool}/stat"));
                    stat.map_or(true, |text| text.contains(") Z "))
                };
                fixture.until(&format!("the end of `{line}` after {signal}"), zombie);
            }
        }
    }
}

/// A file may grow no further than this for a while: a disk that is full, without a disk.
fn bounded(fixture: &Fixture, args: &[&str]) -> Child {
    let agent = fixture.command();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -S -f 24; exec \"$0\" \"$@\""]).arg(agent.get_program());
    command.env_clear().current_dir(fixture.sandbox.project());
    command.envs(agent.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args(["--stdin", "--output-format", "stream-json", "--model", "scripted:script.toml"]);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn transcript(fixture: &Fixture) -> (std::path::PathBuf, String) {
    let sessions = fixture.sandbox.home().join(".local/share/tenterhook-agent/sessions");
    let mut found = std::fs::read_dir(sessions).unwrap().flatten().map(|entry| entry.path());
    let path =
        found.find(|path| path.extension().is_some_and(|extension| extension == "jsonl")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

/// AG-31.
#[test]
fn a_full_disk_tears_no_line_and_loses_none() {
    let fixture = Fixture::new("", "[[reply]]\nrepeat = true\ntext = \"done\"\n");
    let mut child = bounded(&fixture, &[]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut until = |wanted: &str| {
        let mut line = String::new();
        while std::io::BufRead::read_line(&mut stdout, &mut line).unwrap() > 0 {
            if line.contains(wanted) {
                return;
            }
            line.clear();
        }
        panic!("no {wanted} came");
    };
    let mut say = |words: &str| {
        writeln!(stdin, "{}", json!({"type": "prompt", "text": words.repeat(2000)})).unwrap();
    };
    say("one ");
    until("turn_ended");
    say("two ");
    until("it waits until it can");
    until("turn_ended");
    let (path, text) = transcript(&fixture);
    assert!(text.ends_with('\n'), "half a line is left");
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
    let whole = Command::new("prlimit")
        .args(["--pid", &child.id().to_string(), "--fsize=unlimited"])
        .status();
    assert!(whole.unwrap().success());
    say("three ");
    until("lines that waited");
    until("turn_ended");
    drop(stdin);
    child.wait().unwrap();
    let (_, text) = transcript(&fixture);
    for words in ["one one", "two two", "three three"] {
        assert_eq!(text.lines().filter(|line| line.contains(words)).count(), 1, "{words}");
    }
    // Resumed while the file cannot be written, it goes on.
    let path = path.display().to_string();
    let mut child = bounded(&fixture, &["--resume", &path]);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(transcript(&fixture).1.starts_with(&text));
}

/// AG-33.
#[test]
fn call_without_a_user_to_ask_sets_the_exit_code() {
    let write = "[[reply]]\ncall = [{ tool = \"Write\", input = { file_path = \"out.txt\", content = \"x\" } }]\n[[reply]]\ntext = \"done\"\n";
    for (script, args, code) in [
        (write.to_owned(), &[][..], 4),
        (write.to_owned(), &["--output-format", "stream-json"], 4),
        (write.to_owned(), &["--permission-mode", "acceptEdits"], 0),
        (write.to_owned(), &["--deny", "Write"], 0),
        (
            format!(
                "{}[[reply]]\nerror = \"auth\"\n",
                write.split("[[reply]]\ntext").next().unwrap()
            ),
            &[],
            1,
        ),
    ] {
        let fixture = Fixture::new("", &script);
        let mut command = fixture.command();
        let output = command
            .args(["-p", "work", "--model", "scripted:script.toml"])
            .args(args)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?} {output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        let refused = text.contains("refused: Write {\"file_path\":\"out.txt\",\"content\":\"x\"}")
            && text.contains("there is no user to answer");
        assert_eq!(refused, code != 0, "{text}");
    }
    // The beginning of long arguments.
    let long = write.replace("\"x\"", &format!("\"{}\"", "x".repeat(100_000)));
    let fixture = Fixture::new("", &long);
    let output =
        fixture.command().args(["-p", "work", "--model", "scripted:script.toml"]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.len() < 2000 && text.contains("[cut]: `Write` is asked about"), "{text:.2000}");
}

/// Nothing is no prompt: no session begins.
#[test]
fn an_empty_prompt_is_a_wrong_call() {
    let fixture = Fixture::new("", "record = \"requests.jsonl\"\n[[reply]]\ntext = \"done\"\n");
    for prompt in ["", " \n"] {
        let mut command = fixture.command();
        let output =
            command.args(["-p", prompt, "--model", "scripted:script.toml"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("the prompt is empty"));
        assert_eq!(fixture.text("requests.jsonl"), "");
    }
}
