//! A fixture for one test, with a running program that takes lines of input.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenterhook_testkit::Sandbox;

use crate::approve::{approve, unconfine};

/// How long a test waits for something that should come at once: only a broken program needs it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A model that writes a file and is done.
pub(crate) const WRITE: &str = r#"
[[reply]]
call = [{ tool = "Write", input = { file_path = "out.txt", content = "one" } }]
[[reply]]
text = "done"
"#;

/// A home, a project, hooks and a script for the model.
pub(crate) struct Fixture {
    pub(crate) sandbox: Sandbox,
    /// Which model, and the variables that give access to it.
    model: String,
    env: Vec<(String, String)>,
}

/// A run of the agent.
pub(crate) struct Run {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Every line that the program printed.
    pub(crate) received: Vec<Value>,
}

impl Fixture {
    /// A fixture whose hooks are this `tenterhook.toml` and whose model plays these replies.
    pub(crate) fn new(hooks: &str, script: &str) -> Self {
        let sandbox = Sandbox::new().unwrap();
        sandbox.write("tenterhook.toml", hooks).unwrap();
        sandbox.write("script.toml", script).unwrap();
        Self { sandbox, model: "scripted:script.toml".to_owned(), env: Vec::new() }
    }

    /// A fixture whose hooks are this `tenterhook.toml` and whose model belongs to a service.
    pub(crate) fn with_model(hooks: &str, model: &str, env: &[(&str, &str)]) -> Self {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { model: model.to_owned(), env: env.collect(), ..Self::new(hooks, "") }
    }

    /// Starts the agent with lines of JSON in both directions.
    pub(crate) fn start(&self, args: &[&str]) -> Run {
        let mut child = self
            .command()
            .args(["--stdin", "--output-format", "stream-json", "--model", &self.model])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let stdin = child.stdin.take();
        Run { child, stdin, lines, received: Vec::new() }
    }

    /// The program in its place, with nothing said to it yet.
    pub(crate) fn command(&self) -> Command {
        unconfine(&self.sandbox);
        approve(&self.sandbox, None);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook-agent"));
        command.current_dir(self.sandbox.project()).env_clear();
        command.envs(self.sandbox.env()).envs(self.env.iter().cloned());
        command
    }

    /// Sends one prompt and runs to the end.
    pub(crate) fn ask(&self, prompt: &str, args: &[&str]) -> Run {
        let mut run = self.start(args);
        run.prompt(prompt);
        run.end();
        run
    }

    /// Puts a whole file in its place: no watcher sees half of it.
    pub(crate) fn swap(&self, name: &str, text: &str) -> PathBuf {
        let next = self.sandbox.write(&format!("{name}.next"), text).unwrap();
        let path = next.with_extension("");
        approve(&self.sandbox, Some((&path, text)));
        std::fs::rename(next, &path).unwrap();
        path
    }

    /// Leaves files to the agent that self-protection keeps it away from.
    pub(crate) fn allow_writes(&self, patterns: &[&str]) {
        let file = "~/.config/tenterhook/tenterhook.toml";
        self.sandbox.write(file, &format!("[protect]\nwritable = {patterns:?}\n")).unwrap();
    }

    /// Waits until this holds.
    pub(crate) fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < until, "waited in vain for {what}");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// The messages of a transcript, and what else it says of the conversation; not the originals of what hooks rewrote, which
    /// it keeps beside that.
    pub(crate) fn conversation(transcript: &str) -> String {
        let text = std::fs::read_to_string(transcript).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with(r#"{"type":"rewritten""#));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// The text of a file of the project; empty for a missing one.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.sandbox.project().join(name)).unwrap_or_default()
    }
}

impl Run {
    /// Says a line.
    pub(crate) fn send_line(&mut self, line: Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Says bytes that may be no line of JSON.
    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Says no more, and waits for nothing.
    pub(crate) fn close(&mut self) {
        drop(self.stdin.take());
    }

    /// Sends a prompt.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.send_line(json!({"type": "prompt", "text": text}));
    }

    /// Waits for the next line for which `is` holds.
    pub(crate) fn wait(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("no {what} came; received {:#?}", self.received);
            };
            self.received.push(line.clone());
            if is(&line) {
                return line;
            }
        }
    }

    /// Waits for so many lines for which `is` holds.
    pub(crate) fn wait_many(&mut self, what: &str, times: usize, is: impl Fn(&Value) -> bool) {
        for _ in 0..times {
            self.wait(what, &is);
        }
    }

    /// Sends the program a signal.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        Command::new("kill").args([format!("-{name}"), id]).status().unwrap();
    }

    /// The most memory that the program held so far, in KiB; `None` where the system does not say.
    pub(crate) fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Waits for a line of this type.
    pub(crate) fn wait_for(&mut self, kind: &str) -> Value {
        self.wait(kind, |line| line["type"] == kind)
    }

    /// Says no more and waits for the end; the exit code.
    pub(crate) fn end(&mut self) -> i32 {
        drop(self.stdin.take());
        self.wait_for("ended");
        self.code()
    }

    /// Waits for the end of the program, whose input stays open; the exit code.
    pub(crate) fn code(&mut self) -> i32 {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.received.push(line),
                // Its output is closed when it is gone.
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("no end came; received {:#?}", self.received)
                }
            }
        }
        self.child.wait().unwrap().code().unwrap()
    }

    /// The lines of this type, in order.
    pub(crate) fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.received.iter().filter(|line| line["type"] == kind).collect()
    }

    /// The events at which hooks ran, in order.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.of_kind("hooks").into_iter().map(|line| line["event"].as_str().unwrap()).collect()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // A test that failed half-way leaves nothing behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
