//! What does the agent do by its documents? The answer of its dialect, which is written from them, for what a way prints. Runs the
//! script of a way, and no agent.

use std::time::Duration;

use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::Reply;
use tenterhook_core::event::{Event as Fired, Surroundings};
use tenterhook_core::hook::{Compat, Hook, HookId};
use tenterhook_core::install;
use tenterhook_core::outcome::{Outcome, Reason};
use tenterhook_core::report::{self, Report, StepOutput};
use tenterhook_core::source::Source;
use tenterhook_core::verdict::{JudgeContext, judge_answer};
use tenterhook_process::{self as process, Cancel, Command, End, run_blocking};

use super::{AccountAgent, Effect, TIMEOUT};
use crate::agent::{Event, command_input, line_creating_mark_file};
use crate::fixture::Fixture;
use crate::way::{Way, reason_marker};

/// Returns the reply with which the agent's hook denies `event` in the way `name`.
pub(super) fn denial(agent: &AccountAgent, event: Event, name: &str) -> Reply {
    let reason = Reason { hook: HookId::new("probe"), text: reason_marker(name) };
    let outcome =
        Outcome { restraint: Restraint::Deny, reasons: vec![reason], ..Outcome::without_answer() };
    agent.dialect().encode_outcome(&fired_event(event, name), &outcome, None).unwrap_or_default()
}

/// Returns the reply with which the agent's hook lets `event` pass.
pub(super) fn consent(agent: &AccountAgent, event: Event) -> Reply {
    agent.dialect().silent_reply(&fired_event(event, "").name)
}

/// Returns what happens by the documents to the command of a way; `None` if our reader does not know
/// the event.
pub(super) fn effect(agent: &AccountAgent, way: &Way, fixture: &Fixture) -> Option<Effect> {
    let registered = agent.registered_event(way.event)?;
    let dialect = agent.dialect();
    let row = dialect.event_rows().iter().find(|row| row.name == registered.name)?;
    let hook = registered_hook(agent, way.event, fixture)?;
    let fired = fired_event(way.event, &way.name);
    let answer = dialect.read_answer(&fired, row, &run_script(way, fixture));
    let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
    let is_stopped = verdict.restraint > Restraint::Allow || verdict.effects.stop.is_some();
    Some(if is_stopped { Effect::Stopped } else { Effect::Ran })
}

/// Returns the hook that the project's file registers, as the agent's dialect reads it.
fn registered_hook(agent: &AccountAgent, event: Event, fixture: &Fixture) -> Option<Hook> {
    let line = (agent.registered_event(event)?, fixture.hook_command_line(event));
    let text = install::text_of_new_hook_file(agent.file_of, [line]);
    let owner = agent.file_dialect();
    let source =
        Source::from_text(agent.project_hook_file(), owner.id(), &text, fixture.project_dir());
    let hook = owner.read_config(&source).hooks.into_iter().next()?;
    // An agent that reads the file of another ignores the option of that agent.
    let on_failure = hook.on_failure.filter(|_| agent.file_of.name == agent.name());
    Some(Hook { dialect: agent.dialect().id(), compat: Compat::Exact, on_failure, ..hook })
}

fn fired_event(event: Event, name: &str) -> Fired {
    let line = line_creating_mark_file(name);
    match event {
        Event::Prompt => {
            Fired::new("UserPromptSubmit", Surroundings::default()).with("prompt", line)
        }
        _ => Fired::new("PreToolUse", Surroundings::default())
            .with("tool_name", "Bash")
            .with("tool_input", command_input(&line)),
    }
}

/// Runs the script of a way as the agent would, and reports what it printed and how it ended.
fn run_script(way: &Way, fixture: &Fixture) -> Report {
    let path = fixture.way_path(way);
    let mut command = Command::new("/bin/sh", [path], fixture.project_dir());
    command.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    command.timeout = Some(TIMEOUT);
    let process::Report { end, stdout, stderr, .. } = run_blocking(command, &Cancel::new());
    let end = match end {
        End::Exited(code) => report::End::Exited(code),
        End::Signalled(signal) => report::End::Signalled(signal),
        End::TimedOut => report::End::TimedOut,
        End::Cancelled => report::End::Cancelled,
        other => report::End::NotStarted { why: format!("{other:?}") },
    };
    let said =
        StepOutput::Bytes { stdout: stdout.bytes[..].into(), stderr: stderr.bytes[..].into() };
    Report { said, ..Report::without_output(end, Duration::ZERO) }
}
