//! `fire --stream` and the host that goes away: with it goes everything (V-42).

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};

/// A gate that says who it is and then takes its time. It holds a pipe, which ends with it.
pub(crate) const HOOKS: &str = r#"
[hook.slow]
on = "PreToolUse"
match = "Bash"
timeout = "600s"
shell = "exec 8>alive; echo $$ >pids; sleep 100"
"#;

pub(crate) fn event(id: u64, tool: &str) -> String {
    json!({"id": id, "event": "PreToolUse", "tool": {"name": tool, "input": {"command": "ls"}}})
        .to_string()
}

/// A fixture with hooks that report their start and end on pipes.
fn fixture(hooks: &str) -> (Fixture, BufReader<File>, File) {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", hooks);
    let pipe = |name: &str| {
        let path = fixture.path("project").join(name);
        tenterhook_testkit::make_fifo(&path).unwrap();
        // Held for writing too, so that it is open before a hook is there.
        File::options().read(true).write(true).open(path).unwrap()
    };
    let (pids, alive) = (BufReader::new(pipe("pids")), pipe("alive"));
    (fixture, pids, alive)
}

/// Waits until every process has ended that holds the pipe for writing.
fn ended(fixture: &Fixture, alive: File) {
    let mut reader = File::open(fixture.path("project/alive")).unwrap();
    drop(alive);
    reader.read_to_end(&mut Vec::new()).unwrap();
}

pub(crate) struct Stream {
    pub(crate) fixture: Fixture,
    child: Child,
    pub(crate) input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    pids: BufReader<File>,
    alive: File,
}

impl Stream {
    pub(crate) fn start(hooks: &str) -> Self {
        Self::start_with(hooks, &["--config", "tenterhook.toml"])
    }

    /// Starts it in a repository whose hooks are not approved.
    pub(crate) fn start_unapproved(hooks: &str) -> Self {
        Self::start_with(hooks, &[])
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is started as its users start it"
    )]
    fn start_with(hooks: &str, args: &[&str]) -> Self {
        let (fixture, pids, alive) = fixture(hooks);
        let mut child = Command::new(env!("CARGO_BIN_EXE_tenterhook"))
            .args(["fire", "--stream", "--dialect", "native"])
            .args(args)
            .current_dir(fixture.path("project"))
            .env_clear()
            .envs([("PATH", "/usr/bin:/bin".into()), ("HOME", fixture.path("home"))])
            .env("TMPDIR", fixture.path("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = child.stdout.take().map(BufReader::new);
        Self { fixture, child, input, output, pids, alive }
    }

    pub(crate) fn ask(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Returns the next line.
    pub(crate) fn next_line(&mut self) -> Value {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Waits until so many hooks have begun.
    pub(crate) fn begun(&mut self, count: usize) {
        for _ in 0..count {
            self.pids.read_line(&mut String::new()).unwrap();
        }
    }

    pub(crate) fn lines(&mut self) -> Vec<Value> {
        let output = self.output.take().unwrap();
        output.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
    }

    /// Its exit code, when everything that it started is over.
    pub(crate) fn ended(mut self) -> Option<i32> {
        let status = self.child.wait().unwrap();
        ended(&self.fixture, self.alive);
        status.code()
    }
}

/// V-51: what hooks started ends with a program that is killed, which can end nothing itself.
#[cfg(target_os = "linux")]
#[test]
fn killed_program_leaves_no_process_of_its_hooks() {
    // The gate's own child: the kernel ends only the gate.
    let hooks = HOOKS.replace("sleep 100", "sleep 600; true");
    let mut stream = Stream::start(&hooks);
    stream.ask(&event(1, "Bash"));
    stream.begun(1);
    stream.child.kill().unwrap();
    assert_eq!(stream.ended(), None, "a signal ended it");
}

/// V-42.
#[test]
fn the_end_of_input_cancels_what_runs() {
    let mut stream = Stream::start(HOOKS);
    stream.ask(&event(1, "Bash"));
    stream.ask(&event(2, "Bash"));
    stream.begun(2);
    stream.input = None;
    let mut lines = stream.lines();
    lines.sort_by_key(|line| line["id"].as_u64());
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, id) in lines.iter().zip([1, 2]) {
        fits_schema("outcome", line);
        assert_eq!((&line["id"], &line["decision"]), (&json!(id), &json!("deny")));
        assert_eq!(line["faults"][0]["code"], "cancelled");
        // A user who piped an event in and closed the pipe reads what to do.
        for words in [&line["reason"], &line["faults"][0]["message"]] {
            let words = words.as_str().unwrap();
            assert!(words.contains("the input ended") && words.contains("keep the input open"));
        }
    }
    assert_eq!(stream.ended(), Some(1));
}

/// V-42.
#[test]
fn the_end_of_input_ends_what_runs_in_the_background() {
    let mut stream = Stream::start(&(HOOKS.to_owned() + "background = true\n"));
    stream.ask(&event(1, "Bash"));
    stream.begun(1);
    stream.input = None;
    let lines = stream.lines();
    assert_eq!((lines.len(), &lines[0]["blocked"]), (1, &json!(false)), "{lines:?}");
    assert_eq!(stream.ended(), Some(0));
}

/// The end of input is seen behind lines that are not read yet, and each of them is answered. V-42.
#[test]
fn lines_that_wait_are_cancelled_with_the_rest() {
    let mut stream = Stream::start(HOOKS);
    const MANY: u64 = 200;
    (0..MANY).for_each(|id| stream.ask(&event(id, "Bash")));
    stream.input = None;
    let lines = stream.lines();
    let mut ids: Vec<_> = lines.iter().map(|line| line["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..MANY).collect::<Vec<_>>());
    assert!(lines.iter().all(|line| line["blocked"] == true));
    assert_eq!(stream.ended(), Some(1));
}

/// A host that was killed reads nothing more, even where somebody else still holds the other end.
/// V-42.
#[test]
fn a_reader_that_is_gone_ends_everything() {
    let mut stream = Stream::start(HOOKS);
    stream.ask(&event(1, "Bash"));
    stream.begun(1);
    drop(stream.output.take());
    assert_eq!(stream.ended(), Some(0));
}

/// V-42.
#[test]
#[expect(clippy::disallowed_methods, reason = "the host of the program under test")]
fn a_host_that_is_killed_ends_everything() {
    let (fixture, mut pids, alive) = fixture(HOOKS);
    fixture.write("project/event.json", &(event(1, "Bash") + "\n"));
    let program = env!("CARGO_BIN_EXE_tenterhook");
    // The host writes to the program and reads from it, as one process; the program holds the pipe, too.
    let script = format!(
        "exec 9>alive; coproc '{program}' fire --stream --dialect native --config tenterhook.toml; \
         cat event.json >&${{COPROC[1]}}; read -r line <&${{COPROC[0]}}"
    );
    let mut host = Command::new("bash")
        .args(["-c", &script])
        .current_dir(fixture.path("project"))
        .env("HOME", fixture.path("home"))
        .spawn()
        .unwrap();
    pids.read_line(&mut String::new()).unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    ended(&fixture, alive);
}

/// A host that reads nothing is not listened to, and can go all the same.
/// V-42.
#[test]
fn a_host_that_reads_nothing_may_go() {
    let mut stream = Stream::start(HOOKS);
    let mut input = stream.input.take().unwrap();
    let (wrote, written) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        // The id comes back, so that the other pipe is soon full as well.
        let event = json!({"event": "PreToolUse", "tool": {"name": "Read", "input": {}}});
        for number in 0..1_000 {
            let mut event = event.clone();
            event["id"] = format!("{number}{}", "x".repeat(4_000)).into();
            if writeln!(input, "{event}").is_err() {
                return false;
            }
            let _ = wrote.send(());
        }
        true
    });
    // As many as it takes without being read.
    written.iter().take(64).for_each(drop);
    drop(stream.output.take());
    stream.ended();
    assert!(!writer.join().unwrap(), "it was not listened to");
}
