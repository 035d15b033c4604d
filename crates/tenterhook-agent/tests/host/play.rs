//! Plays a case: the agent in a scratch home and project, its person, its model. Expects only what
//! the case says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenterhook_testkit::{Sandbox, Server};

use super::approve::{approve, unconfine};
use super::case::{Case, Step};
use super::{look, service};

/// How long something is waited for that should come at once: only a broken program needs it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The agent under way.
struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Drop for Agent {
    fn drop(&mut self) {
        // A case that failed half-way leaves nothing behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A case under way.
struct Stage<'c> {
    case: &'c Case,
    sandbox: Sandbox,
    server: Server,
    servers: BTreeMap<String, Server>,
    agent: Agent,
    /// All updates of faces, in all runs.
    received: Vec<Value>,
    transcript: PathBuf,
    code: i32,
}

/// Plays a case to its end: what is otherwise than it says.
pub(crate) fn play(case: &Case) -> Vec<String> {
    let sandbox = Sandbox::new().unwrap();
    let servers: BTreeMap<String, Server> = case
        .server
        .iter()
        .map(|(name, reply)| (name.clone(), Server::start(reply.clone()).unwrap()))
        .collect();
    for (name, text) in &case.files {
        let text = servers.iter().fold(text.clone(), |text, (name, server)| {
            text.replace(&format!("{{server:{name}}}"), &server.url())
        });
        sandbox.write(name, &text).unwrap();
    }
    let server = service::start(&case.model);
    if !case.confined {
        unconfine(&sandbox);
        unconfine_servers(&sandbox);
    }
    if !case.unapproved {
        approve(&sandbox, None);
    }
    let agent = start(&sandbox, &server, case, &case.args);
    let mut stage = Stage {
        case,
        sandbox,
        server,
        servers,
        agent,
        received: Vec::new(),
        transcript: PathBuf::new(),
        code: 0,
    };
    for step in &case.step {
        if let Err(why) = stage.take(step) {
            return vec![why, format!("received {:#?}", stage.received)];
        }
    }
    if let Err(why) = stage.end() {
        return vec![why];
    }
    stage.differences()
}

/// Gives the servers of the project the rights of their person, as hooks have them here: they write down there what they are asked.
fn unconfine_servers(sandbox: &Sandbox) {
    let name = "~/.config/tenterhook/tenterhook.toml";
    let own = sandbox.home().join(".config/tenterhook/tenterhook.toml");
    let text = std::fs::read_to_string(own).unwrap_or_default();
    let head = format!("[source.{:?}]", sandbox.project().join(".mcp.json"));
    if !text.contains(&head) {
        sandbox.write(name, &format!("{text}\n{head}\nsandbox = \"off\"\n")).unwrap();
    }
}

fn start(sandbox: &Sandbox, server: &Server, case: &Case, args: &[String]) -> Agent {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook-agent"));
    command.current_dir(sandbox.project()).env_clear().envs(sandbox.env());
    command.envs(service::env(server));
    command.args(["--output-format", "stream-json", "--model", service::MODEL]);
    match &case.print {
        Some(prompt) => command.args(["--print", prompt]),
        None => command.arg("--stdin"),
    };
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    let (sender, lines) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let _ = sender.send(serde_json::from_str(&line).unwrap());
        }
    });
    Agent { stdin: child.stdin.take(), child, lines }
}

impl Stage<'_> {
    fn take(&mut self, step: &Step) -> Result<(), String> {
        if let Some(args) = &step.start {
            self.end()?;
            let transcript = self.transcript.display().to_string();
            let args: Vec<_> =
                args.iter().map(|arg| arg.replace("{transcript}", &transcript)).collect();
            if !self.case.unapproved {
                approve(&self.sandbox, None);
            }
            self.agent = start(&self.sandbox, &self.server, self.case, &args);
        }
        for (name, text) in &step.files {
            // Before it is there, so that a watcher finds it approved.
            if !self.case.unapproved {
                approve(&self.sandbox, Some((&self.sandbox.project().join(name), text)));
            }
            self.sandbox.write(name, text).unwrap();
        }
        if step.approve {
            approve(&self.sandbox, None);
        }
        if let Some(text) = &step.prompt {
            let text = text.replace("{transcript}", &self.transcript.display().to_string());
            self.write_line(&json!({"type": "prompt", "text": text}));
        }
        if let Some(text) = &step.queue {
            self.write_line(&json!({"type": "queue", "text": text}));
        }
        if let Some(word) = &step.say {
            self.write_line(&json!({"type": word}));
        }
        if step.interrupt {
            self.write_line(&json!({"type": "interrupt"}));
        }
        if let Some(word) = &step.decide {
            self.decide(word)?;
        }
        match (step.wait.as_deref(), &step.prompt) {
            (Some("nothing"), _) | (None, None) => Ok(()),
            (Some(what), _) => match what.strip_prefix("file ") {
                Some(name) => self.file(name),
                None => {
                    let (kind, text) = what.split_once(' ').unwrap_or((what, ""));
                    let is = |line: &Value| line["type"] == kind && line.to_string().contains(text);
                    self.wait(what, is).map(drop)
                }
            },
            (None, Some(_)) => self.turn(),
        }
    }

    fn write_line(&mut self, line: &Value) {
        writeln!(self.agent.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Answers the last question.
    fn decide(&mut self, word: &str) -> Result<(), String> {
        let asked = |line: &&Value| line["type"] == "ask";
        let id = match self.received.iter().rev().find(asked) {
            Some(ask) => ask["id"].clone(),
            None => self.wait("question", |line| line["type"] == "ask")?["id"].clone(),
        };
        let reason = word.strip_prefix("no").map(str::trim);
        let (allow, always) = (reason.is_none(), word == "always");
        let reason = reason.unwrap_or_default();
        self.write_line(&json!({"type": "decide", "id": id, "allow": allow, "always": always, "reason": reason}));
        Ok(())
    }

    /// Waits for the end of the turn, or for what takes its place.
    fn turn(&mut self) -> Result<(), String> {
        let mut begun = false;
        loop {
            let line = self.wait("end of the turn", |_| true)?;
            match line["type"].as_str().unwrap_or_default() {
                "loading" => begun = true,
                "turn_ended" | "page" => return Ok(()),
                "refused" if !begun => return Ok(()),
                _ => {}
            }
        }
    }

    fn wait(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Result<Value, String> {
        loop {
            let Ok(line) = self.agent.lines.recv_timeout(PATIENCE) else {
                return Err(format!("no {what} came"));
            };
            self.receive(&line);
            if is(&line) {
                return Ok(line);
            }
        }
    }

    fn receive(&mut self, line: &Value) {
        if let Some(path) = line["transcript_path"].as_str() {
            self.transcript = PathBuf::from(path);
        }
        self.received.push(line.clone());
    }

    fn file(&self, name: &str) -> Result<(), String> {
        let (path, until) = (self.sandbox.project().join(name), Instant::now() + PATIENCE);
        while !path.exists() {
            if Instant::now() > until {
                return Err(format!("`{name}` was never there"));
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Ends the agent as a person does who has nothing more to say.
    fn end(&mut self) -> Result<(), String> {
        drop(self.agent.stdin.take());
        loop {
            match self.agent.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.receive(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err("the agent did not end".to_owned()),
            }
        }
        self.code = self.agent.child.wait().unwrap().code().unwrap_or(-1);
        Ok(())
    }

    fn differences(&self) -> Vec<String> {
        let expect = &self.case.expect;
        let requests: Vec<_> =
            self.server.requests().iter().map(|request| look::opened(&request.body)).collect();
        let screen: Vec<_> = self.received.iter().filter_map(look::screen).collect();
        let mut found = expect.model.differences("the model", &requests);
        found.extend(expect.history.differences("history", &look::history(&self.transcript)));
        let written = std::fs::read_to_string(&self.transcript).unwrap_or_default();
        let written: Vec<_> = written.lines().map(str::to_owned).collect();
        found.extend(expect.transcript.differences("the transcript", &written));
        found.extend(expect.screen.differences("the screen", &screen));
        let read = |name: &str| {
            std::fs::read_to_string(self.sandbox.project().join(name)).unwrap_or_default()
        };
        for (name, expected) in &expect.hook {
            let lines: Vec<_> =
                read(name).lines().filter(|line| !line.is_empty()).map(look::opened).collect();
            found.extend(expected.differences(&format!("the hook of `{name}`"), &lines));
        }
        for (name, expected) in &expect.server {
            let requests = self.servers.get(name).map(Server::requests).unwrap_or_default();
            let lines: Vec<_> = requests.iter().map(look::request).collect();
            found.extend(expected.differences(&format!("the server `{name}`"), &lines));
        }
        for (name, text) in &expect.files {
            let now = read(name);
            if now != *text {
                found.push(format!("`{name}` holds {now:?} instead of {text:?}"));
            }
        }
        if self.code != expect.code {
            found.push(format!("it ended with {} instead of {}", self.code, expect.code));
        }
        found
    }
}
