//! What does one agent do with what its hooks say, along the axes on which agents differ? A few runs, one row a call; judges nothing.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tenterhook_process::Cancel;

use crate::agent::{Agent, Event, HookAnswer, Mode};
use crate::play::{CallOutcome, Play, PlayError, Seen, run_agent};
use crate::script::{Call, Script, Step};
use crate::way::{Way, reason_marker};

/// What became of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where the call was made: `default`, `bypass`, `parallel`, `mcp`, `subagent`.
    pub axis: &'static str,
    /// What the hook did: `deny`, `exit2`, `ask`, `rewrite`, `context`, `crash`, `slow`, `silent`.
    pub hook: &'static str,
    /// What became of it; none where the agent did not get to it.
    pub outcome: Option<CallOutcome>,
    /// Whether the hook was asked at all.
    pub asked: bool,
}

impl Row {
    /// Returns whether a denial did not block the call.
    #[must_use]
    pub fn has_failed_to_block(&self) -> bool {
        self.hook == "deny" && self.outcome.is_some_and(|outcome| outcome.ran)
    }
}

/// Which agent is looked at, and with what.
#[derive(Clone, Copy, Debug)]
pub struct Survey<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// Its program.
    pub program: &'a Path,
    /// The `PATH` on which it finds what it needs.
    pub path: &'a str,
    /// The directory that contains its fixtures.
    pub scratch: &'a Path,
    /// Ends the runs before their time.
    pub cancel: &'a Cancel,
}

/// How long the agent gives a hook, and one run at most takes.
const TIMEOUT: u32 = 3;
const WITHIN: Duration = Duration::from_secs(120);

/// The hooks to try with default permissions and with skipped permissions.
const HOOKS: [&str; 8] = ["deny", "exit2", "ask", "rewrite", "context", "crash", "slow", "silent"];

impl Survey<'_> {
    /// All rows.
    ///
    /// # Errors
    ///
    /// When the agent cannot be run, or never asked its model.
    pub fn run_all_checks(&self) -> Result<Vec<Row>, PlayError> {
        let mut rows = self.run_checks_in_mode("default", Mode::Default)?;
        rows.extend(self.run_checks_in_mode("bypass", Mode::Bypass)?);
        rows.extend(self.run_parallel_mcp_subagent_checks()?);
        Ok(rows)
    }

    fn run_checks_in_mode(&self, axis: &'static str, mode: Mode) -> Result<Vec<Row>, PlayError> {
        let ways: Vec<(&str, Way)> = HOOKS
            .iter()
            .filter_map(|hook| Some((*hook, self.build_hook_way(hook, hook)?)))
            .collect();
        let (mut rows, mut rest) = (Vec::new(), ways.as_slice());
        let all: Vec<Way> = ways.iter().map(|pair| pair.1.clone()).collect();
        while !rest.is_empty() {
            let main = rest
                .iter()
                .map(|pair| Step::Calls(vec![self.agent.shell_call_creating_mark_file(pair.0)]))
                .collect();
            let seen = self.run_agent_in_mode(mode, &Script { main, sub: Vec::new() }, &all)?;
            // Some denials end the run: what comes after them needs a further run.
            let reached = rest.len().min(seen.main_answer_count() + 1);
            for (step, (hook, _)) in rest.iter().take(reached).enumerate() {
                let asked = seen.fired.contains_key(&format!("Before.{hook}"));
                rows.push(Row { axis, hook, outcome: Some(seen.call_outcome(hook, step)), asked });
            }
            rest = rest.get(reached..).unwrap_or_default();
        }
        Ok(rows)
    }

    /// Runs the denials of parallel calls, MCP tools and sub-agents, and returns their rows.
    fn run_parallel_mcp_subagent_checks(&self) -> Result<Vec<Row>, PlayError> {
        let calls = [
            ("parallel", "deny", "parallel-1", 0),
            ("parallel", "silent", "parallel-2", 0),
            ("parallel", "deny", "parallel-3", 0),
            ("mcp", "deny", "mcp", 1),
            ("subagent", "deny", "subagent", 2),
        ];
        let ways: Vec<Way> =
            calls.iter().filter_map(|row| self.build_hook_way(row.1, row.2)).collect();
        let batch = calls
            .iter()
            .filter(|row| row.3 == 0)
            .map(|row| self.agent.shell_call_creating_mark_file(row.2))
            .collect();
        // A missing tool becomes an uncounted shell call, so that the others keep their positions.
        let none = || (self.agent.shell.name.to_owned(), (self.agent.shell.input)("true"));
        let ping = self.agent.mcp.map(|mcp| (mcp.to_owned(), json!({ "text": "WAY-mcp-END" })));
        let task = self.agent.delegate.map(|delegate| {
            (delegate.name.to_owned(), (delegate.input)("SUBTASK please do what the model says"))
        });
        let wait = (self.agent.shell.name.to_owned(), (self.agent.shell.input)("sleep 3"));
        let single =
            |(name, input): (String, serde_json::Value)| Step::Calls(vec![Call { name, input }]);
        let main = vec![
            Step::Calls(batch),
            single(ping.clone().unwrap_or_else(none)),
            single(task.clone().unwrap_or_else(none)),
            // Some agents start a sub-agent and go on; the end of the session would end it too.
            single(wait),
        ];
        let sub = vec![Step::Calls(vec![self.agent.shell_call_creating_mark_file("subagent")])];
        let seen = self.run_agent_in_mode(Mode::Bypass, &Script { main, sub }, &ways)?;
        let row = |(axis, hook, name, step): (&'static str, &'static str, &str, usize)| {
            let had = match axis {
                "mcp" => ping.is_some() && seen.main_answer_count() >= step,
                "subagent" => seen.asked.iter().any(|a| !a.main),
                _ => true,
            };
            let asked = seen.fired.contains_key(&format!("Before.{name}"));
            let outcome = seen.call_outcome(name, step);
            // A tool that no hook was asked for and that left no mark was not called.
            let outcome = (had && (asked || outcome.ran)).then_some(outcome);
            Row { axis, hook, outcome, asked }
        };
        Ok(calls.map(row).to_vec())
    }

    /// Returns a way named `name` in which a hook behaves as `hook` says (`deny`, `crash`, `slow`),
    /// or `None` if the agent cannot express it.
    fn build_hook_way(&self, hook: &str, name: &str) -> Option<Way> {
        let new = format!("touch marks/new.{name} && echo new");
        let reason = reason_marker(name);
        if (self.agent.answer)(Event::Before, HookAnswer::Deny, "").is_none() {
            let text = match hook {
                "deny" | "rewrite" => {
                    let mut ways = self.agent.plugin_ways.iter();
                    let text = ways.find_map(|way| (way.0 == hook).then_some(way.1))?;
                    text.replace("{reason}", &reason).replace("{new}", &new)
                }
                "crash" => "null.x".to_owned(),
                "silent" => "return".to_owned(),
                _ => return None,
            };
            return Some(Way {
                language: "js",
                ..Way::from_shell_script(Event::Before, name, text)
            });
        }
        let answer = |answer_kind, text: &str| {
            let text = (self.agent.answer)(Event::Before, answer_kind, text)?;
            Some(Way::printing(Event::Before, name, &text))
        };
        match hook {
            "deny" => answer(HookAnswer::Deny, &reason),
            "ask" => answer(HookAnswer::Ask, &reason),
            "rewrite" => answer(HookAnswer::Rewrite, &new),
            "context" => answer(HookAnswer::Context, &reason),
            "exit2" => Some(Way::from_shell_script(
                Event::Before,
                name,
                format!("echo {reason} >&2\nexit 2"),
            )),
            "crash" => Some(Way::from_shell_script(Event::Before, name, "kill -9 $$")),
            "slow" => Some(Way::from_shell_script(Event::Before, name, "sleep 20")),
            _ => Some(Way::from_shell_script(Event::Before, name, "exit 0")),
        }
    }

    fn run_agent_in_mode(
        &self,
        mode: Mode,
        script: &Script,
        ways: &[Way],
    ) -> Result<Seen, PlayError> {
        let seen = run_agent(&Play {
            agent: self.agent,
            program: self.program,
            path: self.path,
            scratch: self.scratch,
            mode,
            script,
            ways,
            events: &[Event::Before],
            timeout: TIMEOUT,
            within: WITHIN,
            front: None,
            cancel: self.cancel,
        })?;
        if seen.asked.is_empty() {
            return Err(PlayError::NoRequest { tail: seen.last_printed_lines() });
        }
        Ok(seen)
    }
}
