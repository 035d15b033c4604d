//! `test --canaries`: which ordinary calls of a developer's day are held up (TE-33).

use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook_core::answer::Restraint;
use tenterhook_core::diagnostic::{Location, Span};
use tenterhook_core::dialect::native::{Case, Expectation, Happens};

use super::play::{Came, Job};
use super::suite::Suite;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout::{format_count, to_safe_line, truncate_to_width};
use crate::show::outcome::hook_display_name;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, paint};

/// 200 calls of ordinary work: a line for the shell, or a tool and its input. Each stands in `conformance/guardrails/ordinary`.
const CALLS: &str = include_str!("canaries.txt");

/// Creates a job for each call.
pub(super) fn canary_jobs(suite: &Arc<Suite>) -> Vec<Job> {
    let job = |(at, call): (usize, &str)| {
        let place =
            Location { file: "canaries".into(), span: Span::new(0, 0), line: at + 1, column: 1 };
        let case = Case {
            hook: None,
            on: None,
            name: call.to_owned(),
            place,
            event: Happens::Words(case_event_text(call)),
            expect: Expectation::new(Restraint::Silent),
            files: Vec::new(),
        };
        Job { suite: Arc::clone(suite), case: Arc::new(case), mutant: None }
    };
    CALLS.lines().enumerate().map(job).collect()
}

/// Returns a call as a case writes it: a text without a tool name is for the shell.
fn case_event_text(call: &str) -> String {
    let (first, rest) = super::super::what::split_first_word(call);
    let is_tool = rest.starts_with('{') && serde_json::from_str::<Value>(rest).is_ok();
    let is_name = first.starts_with(|c: char| c.is_ascii_uppercase()) || first.starts_with("mcp__");
    if is_tool && is_name { call.to_owned() } else { format!("Bash {call}") }
}

/// A call that was held up.
#[derive(Debug)]
pub(super) struct Stopped {
    call: String,
    decision: &'static str,
    by: Vec<String>,
    reason: Option<String>,
}

/// Returns the calls that were denied or held.
pub(super) fn stopped_calls(
    jobs: &[Job],
    came: Vec<Result<Came, Problem>>,
) -> Result<Vec<Stopped>, Problem> {
    let mut found = Vec::new();
    for (job, came) in jobs.iter().zip(came) {
        let came = came?;
        if matches!(came.decision, "silent" | "allow") {
            continue;
        }
        let ruleset = &job.suite.ruleset;
        found.push(Stopped {
            call: job.case.name.clone(),
            decision: came.decision,
            by: came.held.iter().map(|hook_id| hook_display_name(hook_id, ruleset)).collect(),
            reason: came.reason,
        });
    }
    Ok(found)
}

pub(super) const fn exit_code(stopped: &[Stopped]) -> Exit {
    if stopped.is_empty() { Exit::Good } else { Exit::Wrong }
}

pub(super) fn stopped_calls_json(stopped: &[Stopped], calls: usize) -> Value {
    let one = |stopped: &Stopped| json!({ "call": stopped.call, "decision": stopped.decision, "hooks": stopped.by, "reason": stopped.reason });
    json!({ "calls": calls, "stopped": stopped.iter().map(one).collect::<Vec<_>>() })
}

pub(super) fn stopped_calls_text(
    stopped: &[Stopped],
    calls: usize,
    hooks: usize,
    width: usize,
) -> String {
    let mut out = String::new();
    for stopped_call in stopped {
        let by = stopped_call.by.join(", ");
        out.push_str(&format!(
            "{}  {}\n",
            paint(ERROR, stopped_call.decision),
            paint(BOLD, truncate_to_width(&to_safe_line(&stopped_call.call), width - 8))
        ));
        let why = stopped_call.reason.as_deref().unwrap_or("no reason given");
        out.push_str(&format!(
            "      {}\n",
            paint(DIM, truncate_to_width(&format!("{by}: {}", to_safe_line(why)), width - 8))
        ));
    }
    if !stopped.is_empty() {
        out.push('\n');
    }
    let style = if stopped.is_empty() { GOOD } else { ERROR };
    let sum = format!("{} of {calls} ordinary calls stopped", stopped.len());
    out.push_str(&format!("{} by {}\n", paint(style, sum), format_count(hooks, "hook")));
    out
}
