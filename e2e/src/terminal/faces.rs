//! The same session with a person at the terminal and with a program that speaks lines of JSON: do hooks receive the same? Every
//! wait is for what a hook has written down, so that one script serves both.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tenterhook_testkit::everything::{FILLS, REPLIES, SEE, files};

use super::fixture::{Fixture, Terminal, awaited};
use super::{Play, Stage, must};

pub(super) const PLAYS: &[Play] =
    &[("the terminal fires the events that lines of JSON fire", both)];

/// Events with the values that tell one from another, and how often each came.
type Received = BTreeMap<(String, String), usize>;

const ARGS: &[&str] = &[
    "--init",
    "--allow",
    "Bash(*)",
    "--deny",
    "Bash(exit 3)",
    "--idle-after",
    "0.2",
    "--notify-after",
    "0.05",
];

/// What the model calls at once.
const CALLS: &str = r#"
[[reply]]
on = "everything"
text = "at once"
call = [
  { tool = "Read", input = { file_path = "sub/a.txt" } },
  { tool = "Write", input = { file_path = "watched.txt", content = "x" } },
  { tool = "Edit", input = { file_path = "sub/a.txt", old_string = "a", new_string = "b" } },
  { tool = "Bash", input = { command = "until grep -lq FileChanged ~/events/*.json; do sleep 0.01; done" } },
  { tool = "Bash", input = { command = "false" } },
  { tool = "Bash", input = { command = "exit 3" } },
  { tool = "Bash", input = { command = "true", run_in_background = true } },
  { tool = "Task", input = { description = "look", prompt = "look inside", isolation = "worktree" } },
]
"#;

/// The text at this pointer of a value; empty if there is no such text.
fn text_at<'a>(value: &'a Value, place: &str) -> &'a str {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

/// One of the two ways to be there.
trait Face {
    /// Says a line, as a prompt.
    fn prompt(&self, text: &str) -> Result<(), String>;
    /// Agrees to a call of this tool, once asked.
    fn agree(&self, tool: &str) -> Result<(), String>;
    /// Leaves, and waits for the end.
    fn quit(&self) -> Result<(), String>;
}

impl Face for Terminal<'_> {
    fn prompt(&self, text: &str) -> Result<(), String> {
        Terminal::submit(self, text)
    }

    fn agree(&self, tool: &str) -> Result<(), String> {
        let question = format!("May {tool} run?");
        self.until("the question", |screen| {
            screen.contains(&question) && screen.contains("1 yes, once")
        })?;
        self.press("1")?;
        self.press("Enter")
    }

    fn quit(&self) -> Result<(), String> {
        self.press("C-d")?;
        self.see("left with 0").map(drop)
    }
}

/// The program with lines of JSON in both directions.
struct Lines {
    child: Mutex<Child>,
    stdin: Mutex<ChildStdin>,
    lines: Arc<Mutex<Vec<Value>>>,
}

impl Lines {
    #[expect(clippy::disallowed_methods, reason = "it is started as a person starts it")]
    fn start(fixture: &Fixture, args: &[&str]) -> Result<Self, String> {
        let mut command = fixture.command(args);
        command.args(["--stdin", "--output-format", "stream-json"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err("the agent has no pipes".to_owned());
        };
        let lines: Arc<Mutex<Vec<Value>>> = Arc::default();
        let keep = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                keep.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Ok(Self { child: Mutex::new(child), stdin: Mutex::new(stdin), lines })
    }

    fn send(&self, line: &Value) -> Result<(), String> {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(stdin, "{line}").map_err(|error| format!("the agent hears nothing: {error}"))
    }

    /// Waits for a line for which `is` holds.
    fn await_line(&self, what: &str, is: impl Fn(&Value) -> bool) -> Result<Value, String> {
        let mut found = None;
        let lines = awaited(|| {
            let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            found = lines.iter().find(|value| is(value)).cloned();
            Ok(found.is_some())
        });
        lines.map_err(|why| format!("{what} did not arrive{why}"))?;
        found.ok_or_else(|| what.to_owned())
    }
}

impl Face for Lines {
    fn prompt(&self, text: &str) -> Result<(), String> {
        self.send(&json!({"type": "prompt", "text": text}))
    }

    fn agree(&self, tool: &str) -> Result<(), String> {
        let ask = self.await_line("a question", |message| {
            text_at(message, "/type") == "ask" && text_at(message, "/tool") == tool
        })?;
        self.send(&json!({"type": "decide", "id": text_at(&ask, "/id"), "allow": true}))
    }

    fn quit(&self) -> Result<(), String> {
        self.send(&json!({"type": "quit"}))?;
        self.await_line("the end", |message| text_at(message, "/type") == "ended")?;
        awaited(|| {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            child.try_wait().map(|status| status.is_some()).map_err(|error| error.to_string())
        })
        .map_err(|why| format!("the agent does not end{why}"))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // Where it has ended, there is nothing to end.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Every event that the agent says it fires.
fn table(stage: &Stage) -> Result<BTreeSet<String>, String> {
    let fixture = stage.fixture("", "")?;
    let lines = Lines::start(&fixture, &[])?;
    lines.prompt("/hooks events")?;
    let page = lines.await_line("the page", |message| text_at(message, "/type") == "page")?;
    lines.quit()?;
    let (mut names, mut last) = (BTreeSet::new(), String::new());
    for line in text_at(&page, "/text").lines() {
        if !line.starts_with(' ') {
            last = line.split(' ').next().unwrap_or_default().to_owned();
            names.insert(last.clone());
        } else if line.contains("never fires it") {
            names.remove(&last);
        }
    }
    Ok(names)
}

/// A place with everything that the session needs.
fn furnished(stage: &Stage, events: &BTreeSet<String>) -> Result<Fixture, String> {
    let names: Vec<_> = events.iter().map(|event| format!("\"{event}\"")).collect();
    let hooks = format!("[hook.sees]\non = [{}]\n{SEE}", names.join(", "));
    let fixture = stage.fixture(&hooks, &format!("{CALLS}{REPLIES}"))?;
    for (name, text) in files() {
        fixture.write(&name, &text)?;
    }
    fixture.repository()?;
    fixture.approve()?;
    Ok(fixture)
}

/// The events that hooks received so far.
fn received(fixture: &Fixture) -> Result<Received, String> {
    const VALUES: &[&str] = &[
        "/data/source",
        "/data/trigger",
        "/data/reason",
        "/data/load_reason",
        "/data/notification_type",
        "/data/mode",
        "/tool/name",
    ];
    let mut received = Received::new();
    for text in fixture.events()? {
        let event: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let values: Vec<_> = VALUES
            .iter()
            .map(|text| text_at(&event, text))
            .filter(|text| !text.is_empty())
            .collect();
        let name = text_at(&event, "/event").to_owned();
        *received.entry((name, values.join(" "))).or_default() += 1;
    }
    Ok(received)
}

/// Waits until an event came so often with this value.
fn comes(fixture: &Fixture, event: &str, value: &str, times: usize) -> Result<(), String> {
    let mut last = Received::new();
    awaited(|| {
        last = received(fixture)?;
        let of = last.iter().filter(|((name, with), _)| name == event && with.contains(value));
        Ok(of.map(|(_, count)| count).sum::<usize>() >= times)
    })
    .map_err(|why| format!("{event} on `{value}` did not come {times} times{why}: {last:#?}"))
}

/// The session, through either interface.
fn session(fixture: &Fixture, face: &dyn Face) -> Result<(), String> {
    comes(fixture, "SessionStart", "startup", 1)?;
    face.prompt("everything")?;
    for (at, tool) in ["Write", "Edit"].into_iter().enumerate() {
        comes(fixture, "Notification", "permission_prompt", at + 1)?;
        face.agree(tool)?;
    }
    // The task in the background ends in this turn, or wakes the agent for a new one.
    comes(fixture, "TaskCompleted", "", 2)?;
    comes(fixture, "Notification", "idle_prompt", 1)?;
    face.prompt("rate_limit")?;
    comes(fixture, "StopFailure", "", 1)?;
    face.prompt("/hello you")?;
    comes(fixture, "UserPromptExpansion", "", 1)?;
    for (command, event, times) in [
        ("/model scripted:script.toml", "PostModelSwitch", 1),
        ("/add-dir ..", "DirectoryAdded", 1),
        ("/cd sub", "CwdChanged", 1),
        ("/cd ..", "CwdChanged", 2),
        // One command is over before the next begins: by now the files of this directory are watched again.
        ("/permissions plan", "ModeChange", 1),
    ] {
        face.prompt(command)?;
        comes(fixture, event, "", times)?;
    }
    fixture.write(".claude/settings.json", "{}")?;
    comes(fixture, "ConfigChange", "project_settings", 1)?;
    face.prompt("/compact")?;
    comes(fixture, "PostCompact", "manual", 1)?;
    face.prompt(FILLS)?;
    comes(fixture, "PostCompact", "auto", 1)?;
    face.prompt("/clear")?;
    comes(fixture, "SessionStart", "clear", 1)?;
    face.prompt("/fork")?;
    comes(fixture, "SessionStart", "fork", 1)?;
    face.quit()
}

fn both(stage: &Stage) -> Result<(), String> {
    let events = table(stage)?;
    let fixture = furnished(stage, &events)?;
    session(&fixture, &fixture.start((100, 30), ARGS)?)?;
    let in_terminal = received(&fixture)?;
    let fixture = furnished(stage, &events)?;
    session(&fixture, &Lines::start(&fixture, ARGS)?)?;
    let in_lines = received(&fixture)?;
    let names = |received: &Received| {
        received.keys().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>()
    };
    must(names(&in_terminal) == events, || {
        format!("the table has\n{events:?}\nand the terminal fired\n{:?}", names(&in_terminal))
    })?;
    let kinds = |received: &Received| received.keys().cloned().collect::<BTreeSet<_>>();
    let (one, other) = (kinds(&in_terminal), kinds(&in_lines));
    must(one == other, || {
        let differ: Vec<_> = one.symmetric_difference(&other).collect();
        format!("in one face alone came {differ:?}")
    })
}
