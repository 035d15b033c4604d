//! The traces of a run with hooks in shadow: what `log --shadow` reports, and how many of its calls
//! can be read back from the agent's own record. Runs the command line in the fixture of the agent,
//! after the run.

use std::sync::Mutex;

use serde_json::{Value, json};
use tenterhook_probe::{
    Agent, Call, Env, Event, Fixture, Front, FrontError, HookAnswer, Script, Step, reason_marker,
};

use super::Found;
use super::cases::Case;
use super::expected::NOT_PLAYED;
use super::front::Tenterhook;

/// A line of shell that ends once a program in shadow is on record: the agent's last call, because
/// the end of the agent also ends what is in the background. It ends by itself if that never
/// happens.
const UNTIL_ON_RECORD: &str = "i=0; while [ $i -lt 200 ] && ! grep -qs '\"late\",\"event\":\"PreToolUse\"' ../state/tenterhook/records/*.jsonl; do i=$((i+1)); sleep 0.1; done";

/// Agents whose sessions are read.
#[rustfmt::skip]
const READ: &[&str] = &[
    "claude", "codex", "copilot", "droid", "gemini", "hermes", "kilo", "openclaw", "opencode", "pi", "qwen", "vibe",
];

/// What a build says that cannot read the databases of some agents.
const NO_READER: &str = "this build has no reader for SQLite databases";

/// Tenterhook, with every hook of the play in shadow.
struct Shadowed<'a> {
    of: &'a Tenterhook,
    env: Mutex<Env>,
    agent: &'static str,
    left: Mutex<Left>,
}

/// What was found behind a run.
#[derive(Clone, Debug, Default)]
struct Left {
    /// What the hooks would have decided, by `log --shadow`.
    would: Vec<String>,
    /// How many of its calls are on record, or why this build cannot read them; `None` if no decoder
    /// reads the record of this agent.
    calls: Option<Result<Calls, String>>,
}

/// The calls that an agent recorded, each counted once, by who saw them.
#[derive(Clone, Copy, Debug)]
struct Calls {
    all: u64,
    seen: u64,
    refused: u64,
}

impl Calls {
    fn summary(self, made: usize) -> String {
        let Self { all, seen, refused } = self;
        let refused =
            if refused > 0 { format!(", {refused} refused before") } else { String::new() };
        format!("{all} of {made} calls read, {seen} seen by a hook{refused}")
    }
}

impl Case<'_> {
    /// A denial in shadow: the call runs, neither agent nor model hears of it, `log --shadow` does;
    /// and every call of that run is read back from what the agent itself recorded.
    pub(super) fn shadow(&self) -> Result<Found, String> {
        let (Some(front), Some(way)) =
            (self.front, self.answers(Event::Before, HookAnswer::Deny, "shadow"))
        else {
            return Ok(Found::new());
        };
        let front = Shadowed::new(front, self.agent.name);
        let wait = (self.agent.shell.input)(UNTIL_ON_RECORD);
        let wait = Call { name: self.agent.shell.name.to_owned(), input: wait };
        let mut steps = vec![vec![self.call("shadow")]];
        steps.push(["parallel-1", "parallel-2"].map(|text| self.call(text)).to_vec());
        if let Some(name) = self.agent.mcp {
            let input = json!({ "text": "WAY-mcp-END" });
            steps.push(vec![Call { name: name.to_owned(), input }]);
        }
        let mut sub = Vec::new();
        if let Some(tool) = self.agent.delegate {
            let input = (tool.input)("SUBTASK please do what the model says");
            steps.push(vec![Call { name: tool.name.to_owned(), input }]);
            // Some start it and go on, as above.
            let input = (self.agent.shell.input)("sleep 3");
            steps.push(vec![Call { name: self.agent.shell.name.to_owned(), input }]);
            sub.push(vec![self.call("subagent")]);
        }
        steps.push(vec![wait]);
        let made: usize = steps.iter().chain(&sub).map(Vec::len).sum();
        let calls = |turns: Vec<Vec<Call>>| turns.into_iter().map(Step::Calls).collect();
        let script = Script { main: calls(steps), sub: calls(sub) };
        let seen = self.play_with(&script, &[way], &[Event::Before], Some(&front))?;
        let left = front.left();
        let would = match left.would.as_slice() {
            [] => "not on record".to_owned(),
            some => format!("on record: {}", some.join(", ")),
        };
        // Neither the model nor the user may see the shadow hook's answer.
        let shown = if seen.printed.contains(&reason_marker("shadow")) {
            ", shown by the agent"
        } else {
            ""
        };
        let fate = format!("{}{shown}, {would}", seen.call_outcome("shadow", 0));
        let mut found = vec![("shadow".to_owned(), fate)];
        let read = left.calls.map(|calls| match calls {
            Ok(calls) => calls.summary(made),
            Err(why) => format!("{NOT_PLAYED}{why}"),
        });
        found.extend(read.map(|read| ("read-back".to_owned(), read)));
        Ok(found)
    }
}

impl<'a> Shadowed<'a> {
    fn new(of: &'a Tenterhook, agent: &'static str) -> Self {
        Self { of, env: Mutex::default(), agent, left: Mutex::default() }
    }

    fn left(&self) -> Left {
        self.left.lock().map(|rest| rest.clone()).unwrap_or_default()
    }

    fn output(&self, args: &[&str], room: &Fixture) -> Result<String, String> {
        let env = self.env.lock().map(|env| env.clone()).unwrap_or_default();
        let output = self.of.run(args, room, &env)?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            // Lines are wrapped for people, at any word.
            let why: Vec<&str> = why.split_whitespace().collect();
            return Err(format!("`tenterhook {}`: {}", args.join(" "), why.join(" ")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn json(&self, args: &[&str], room: &Fixture) -> Result<Value, String> {
        serde_json::from_str(&self.output(args, room)?).map_err(|error| error.to_string())
    }

    /// The recorded calls of this agent.
    fn calls(&self, room: &Fixture) -> Result<Calls, String> {
        let format = ["--agent", self.agent, "--format", "json"];
        let read = self.json(&[&["transcripts"], &format[..]].concat(), room)?;
        let seen = self.json(&[&["reconcile"], &format[..]].concat(), room)?;
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or_default();
        Ok(Calls {
            all: number(read.pointer("/sum/calls")),
            seen: number(seen.get("seen")),
            refused: number(seen.get("refused_before_hooks")),
        })
    }
}

impl Front for Shadowed<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let more = self.of.enter_in_shadow(room, agent, env)?;
        if let Ok(mut kept) = self.env.lock() {
            *kept = env.iter().chain(&more).cloned().collect();
        }
        Ok(more)
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        let lines = self.output(&["log", "--shadow", "--format", "json"], room)?;
        let records = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut would: Vec<String> = records.flat_map(|record| decisions(&record)).collect();
        would.sort_unstable();
        let is_read = READ.contains(&self.agent);
        let calls = match is_read.then(|| self.calls(room)) {
            Some(Err(why)) if !why.contains(NO_READER) => return Err(why.into()),
            Some(calls) => Some(calls.map_err(|_| NO_READER.to_owned())),
            None => None,
        };
        if let Ok(mut kept) = self.left.lock() {
            *kept = Left { would, calls };
        }
        Ok(())
    }
}

/// What the hooks in shadow of one record would have decided.
fn decisions(record: &Value) -> Vec<String> {
    let hooks = record.get("hooks").and_then(Value::as_array).into_iter().flatten();
    let decision = |hook: &Value| Some(hook.pointer("/shadow/decision")?.as_str()?.to_owned());
    hooks.filter_map(decision).filter(|decision| decision != "silent").collect()
}
