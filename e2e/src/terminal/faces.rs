//! The same session with a person at the terminal and with a program that speaks lines of JSON: are hooks told the same? Every
//! wait is for what a hook has written down, so that one script serves both.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tenterhook_testkit::everything::{FILLS, REPLIES, SEE, files};

use super::room::{Room, Terminal, awaited};
use super::{Play, Stage, must};

pub(super) const PLAYS: &[Play] =
    &[("the terminal fires the events that lines of JSON fire", both)];

/// Events with the values that tell one from another, and how often each came.
type Told = BTreeMap<(String, String), usize>;

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

/// The text at this place of a value; empty where there is none.
fn of<'a>(value: &'a Value, place: &str) -> &'a str {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

/// One of the two ways to be there.
trait Face {
    /// Says a line, as a prompt.
    fn say(&self, text: &str) -> Result<(), String>;
    /// Agrees to a call of this tool, once asked.
    fn agree(&self, tool: &str) -> Result<(), String>;
    /// Leaves, and waits for the end.
    fn leave(&self) -> Result<(), String>;
}

impl Face for Terminal<'_> {
    fn say(&self, text: &str) -> Result<(), String> {
        Terminal::say(self, text)
    }

    fn agree(&self, tool: &str) -> Result<(), String> {
        let question = format!("May {tool} run?");
        self.until("the question", |screen| {
            screen.contains(&question) && screen.contains("1 yes, once")
        })?;
        self.press("1")?;
        self.press("Enter")
    }

    fn leave(&self) -> Result<(), String> {
        self.press("C-d")?;
        self.see("left with 0").map(drop)
    }
}

/// The program with lines of JSON in both directions.
struct Lines {
    child: Mutex<Child>,
    stdin: Mutex<ChildStdin>,
    heard: Arc<Mutex<Vec<Value>>>,
}

impl Lines {
    #[expect(clippy::disallowed_methods, reason = "it is started as a person starts it")]
    fn start(room: &Room, args: &[&str]) -> Result<Self, String> {
        let mut command = room.command(args);
        command.args(["--stdin", "--output-format", "stream-json"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err("the agent has no pipes".to_owned());
        };
        let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
        let keep = Arc::clone(&heard);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                keep.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Ok(Self { child: Mutex::new(child), stdin: Mutex::new(stdin), heard })
    }

    fn send(&self, line: &Value) -> Result<(), String> {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(stdin, "{line}").map_err(|error| format!("the agent hears nothing: {error}"))
    }

    /// Waits for a line for which `is` holds.
    fn hear(&self, what: &str, is: impl Fn(&Value) -> bool) -> Result<Value, String> {
        let mut found = None;
        let heard = awaited(|| {
            let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            found = heard.iter().find(|value| is(value)).cloned();
            Ok(found.is_some())
        });
        heard.map_err(|why| format!("{what} is not heard{why}"))?;
        found.ok_or_else(|| what.to_owned())
    }
}

impl Face for Lines {
    fn say(&self, text: &str) -> Result<(), String> {
        self.send(&json!({"type": "prompt", "text": text}))
    }

    fn agree(&self, tool: &str) -> Result<(), String> {
        let ask = self.hear("a question", |message| {
            of(message, "/type") == "ask" && of(message, "/tool") == tool
        })?;
        self.send(&json!({"type": "decide", "id": of(&ask, "/id"), "allow": true}))
    }

    fn leave(&self) -> Result<(), String> {
        self.send(&json!({"type": "quit"}))?;
        self.hear("the end", |message| of(message, "/type") == "ended")?;
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
    let room = stage.room("", "")?;
    let lines = Lines::start(&room, &[])?;
    lines.say("/hooks events")?;
    let page = lines.hear("the page", |message| of(message, "/type") == "page")?;
    lines.leave()?;
    let (mut names, mut last) = (BTreeSet::new(), String::new());
    for line in of(&page, "/text").lines() {
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
fn furnished(stage: &Stage, events: &BTreeSet<String>) -> Result<Room, String> {
    let names: Vec<_> = events.iter().map(|event| format!("\"{event}\"")).collect();
    let hooks = format!("[hook.sees]\non = [{}]\n{SEE}", names.join(", "));
    let room = stage.room(&hooks, &format!("{CALLS}{REPLIES}"))?;
    for (name, text) in files() {
        room.write(&name, &text)?;
    }
    room.repository()?;
    room.approve()?;
    Ok(room)
}

/// What hooks were told so far.
fn told(room: &Room) -> Result<Told, String> {
    const VALUES: &[&str] = &[
        "/data/source",
        "/data/trigger",
        "/data/reason",
        "/data/load_reason",
        "/data/notification_type",
        "/data/mode",
        "/tool/name",
    ];
    let mut told = Told::new();
    for text in room.events()? {
        let event: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let values: Vec<_> =
            VALUES.iter().map(|text| of(&event, text)).filter(|text| !text.is_empty()).collect();
        let name = of(&event, "/event").to_owned();
        *told.entry((name, values.join(" "))).or_default() += 1;
    }
    Ok(told)
}

/// Waits until an event came so often with this value.
fn comes(room: &Room, event: &str, value: &str, times: usize) -> Result<(), String> {
    let mut last = Told::new();
    awaited(|| {
        last = told(room)?;
        let of = last.iter().filter(|((name, with), _)| name == event && with.contains(value));
        Ok(of.map(|(_, count)| count).sum::<usize>() >= times)
    })
    .map_err(|why| format!("{event} on `{value}` did not come {times} times{why}: {last:#?}"))
}

/// The session, whoever is there.
fn session(room: &Room, face: &dyn Face) -> Result<(), String> {
    comes(room, "SessionStart", "startup", 1)?;
    face.say("everything")?;
    for (at, tool) in ["Write", "Edit"].into_iter().enumerate() {
        comes(room, "Notification", "permission_prompt", at + 1)?;
        face.agree(tool)?;
    }
    // The task in the background ends in this turn, or wakes the agent for one of its own.
    comes(room, "TaskCompleted", "", 2)?;
    comes(room, "Notification", "idle_prompt", 1)?;
    face.say("rate_limit")?;
    comes(room, "StopFailure", "", 1)?;
    face.say("/hello you")?;
    comes(room, "UserPromptExpansion", "", 1)?;
    for (command, event, times) in [
        ("/model scripted:script.toml", "PostModelSwitch", 1),
        ("/add-dir ..", "DirectoryAdded", 1),
        ("/cd sub", "CwdChanged", 1),
        ("/cd ..", "CwdChanged", 2),
        // One command is over before the next begins: by now the files of this directory are watched again.
        ("/permissions plan", "ModeChange", 1),
    ] {
        face.say(command)?;
        comes(room, event, "", times)?;
    }
    room.write(".claude/settings.json", "{}")?;
    comes(room, "ConfigChange", "project_settings", 1)?;
    face.say("/compact")?;
    comes(room, "PostCompact", "manual", 1)?;
    face.say(FILLS)?;
    comes(room, "PostCompact", "auto", 1)?;
    face.say("/clear")?;
    comes(room, "SessionStart", "clear", 1)?;
    face.say("/fork")?;
    comes(room, "SessionStart", "fork", 1)?;
    face.leave()
}

fn both(stage: &Stage) -> Result<(), String> {
    let events = table(stage)?;
    let room = furnished(stage, &events)?;
    session(&room, &room.start((100, 30), ARGS)?)?;
    let in_terminal = told(&room)?;
    let room = furnished(stage, &events)?;
    session(&room, &Lines::start(&room, ARGS)?)?;
    let in_lines = told(&room)?;
    let names = |told: &Told| told.keys().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
    must(names(&in_terminal) == events, || {
        format!("the table has\n{events:?}\nand the terminal fired\n{:?}", names(&in_terminal))
    })?;
    let kinds = |told: &Told| told.keys().cloned().collect::<BTreeSet<_>>();
    let (one, other) = (kinds(&in_terminal), kinds(&in_lines));
    must(one == other, || {
        let differ: Vec<_> = one.symmetric_difference(&other).collect();
        format!("in one face alone came {differ:?}")
    })
}
