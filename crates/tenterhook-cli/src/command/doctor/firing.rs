//! Does the entry answer? Calls through it once about a command that does nothing, as its agent would: its command line, its
//! variables, its words, and reads the reply as the agent reads it. Nothing of the call itself is run.

use std::time::Duration;

use serde_json::json;
use tenterhook::Event;
use tenterhook::internal::executor::process_for_command;
use tenterhook_core::agents::Agent;
use tenterhook_core::answer::{Effects, Restraint};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::{EventName, Surroundings};
use tenterhook_core::hook::{self, Inherit, Invocation, Run, Shell};
use tenterhook_core::report::{End, Output, Report, StepOutput};
use tenterhook_process::{Cancel, Command, End as Ended, run_blocking};

use super::entries::{Call, Entry, File};
use super::finding::{Finding, Kind, Mend};
use crate::ambient::Here;
use crate::command::hook::canary;

/// A call through an entry.
#[derive(Clone, Debug)]
pub(super) struct Fired {
    pub(super) event: &'static str,
    pub(super) took: Duration,
    pub(super) finding: Option<Finding>,
}

/// A harmless call takes no longer, whatever an agent would wait.
const LONGEST: Duration = Duration::from_secs(60);
/// What an entry says for itself where our program says nothing.
const GONE: &str = "Tenterhook did not answer";
/// How each reason begins for which no hook was asked.
const UNASKED: &str = "blocked, because no hook";

/// Calls Tenterhook through the first entry of a file that is for a gate.
pub(super) fn call_through_first_gate_entry(
    agent: &'static Agent,
    file: &File,
    here: &Here,
) -> Option<Fired> {
    let entry = file.entries.iter().find(|entry| is_tool_gate_entry(entry))?;
    let session = format!("{}{}", canary::DOCTOR, std::process::id());
    let (took, response) = call_through_entry((agent, file, entry), (&session, "true"), here)?;
    let finding = response_finding(agent, response)
        .map(|finding| finding.with_location(&file.path, entry.line, here));
    Some(Fired { event: entry.event.name, took, finding })
}

/// Returns whether an entry is asked before a tool call.
pub(super) const fn is_tool_gate_entry(entry: &Entry) -> bool {
    entry.event.gates && entry.event.tool
}

/// Calls Tenterhook through an entry about a shell command, as the agent would, and reads the
/// reply.
pub(super) fn call_through_entry(
    (agent, file, entry): (&'static Agent, &File, &Entry),
    (session, line): (&str, &str),
    here: &Here,
) -> Option<(Duration, Response)> {
    let id = DialectId::agents().find(|dialect_id| dialect_id.as_str() == agent.name)?;
    let rows = id.dialect().event_rows();
    let row =
        rows.iter().find(|row| row.name == entry.event.name || row.event == entry.event.name)?;
    let event = test_event(EventName::new(&*row.event), (session, line), here);
    let process = entry_process(&event, id, (file, entry), here);
    let report = run_blocking(process, &Cancel::new());
    let took = report.times.total();
    let stdout = String::from_utf8_lossy(&report.stdout.bytes).into_owned();
    let stderr = String::from_utf8_lossy(&report.stderr.bytes).into_owned();
    let response = match report.end {
        Ended::Exited(code) => {
            let said = StepOutput::Bytes {
                stdout: Output::from(report.stdout.bytes.as_slice()),
                stderr: Output::from(report.stderr.bytes.as_slice()),
            };
            let read = Report { said, ..Report::without_output(End::Exited(code), took) };
            let answer = id.dialect().read_answer(&event, row, &read);
            // The plugin reads its own object format.
            let denied =
                answer.restraint >= Restraint::Ask || stdout.contains("\"decision\":\"deny\"");
            let said = answer.reason.unwrap_or_else(|| first_line_or(&stderr, &stdout));
            let replacement = replaced_command(&answer.effects, line);
            match (answer.failure, denied, code) {
                _ if stderr.contains(GONE) => Response::Nothing(first_foreign_line(&stderr)),
                (_, true, _) if said.contains(UNASKED) => Response::Nothing(said),
                (_, true, _) => Response::Denied(said),
                (Some(failure), ..) => Response::Nothing(failure.message),
                (None, false, 0) => replacement.map_or(Response::Silence, Response::Replaced),
                (None, false, code) => Response::Nothing(format!("it ended with exit code {code}")),
            }
        }
        Ended::TimedOut => {
            Response::Nothing(format!("it took longer than {} s", LONGEST.as_secs()))
        }
        Ended::NotStarted(why) => Response::Nothing(why.to_string()),
        Ended::Signalled(signal) => Response::Nothing(format!("it was ended by signal {signal}")),
        Ended::Unknown | Ended::Unread(_) | Ended::Cancelled => {
            Response::Nothing("its exit status is unknown".to_owned())
        }
    };
    Some((took, response))
}

/// What came of the call.
pub(super) enum Response {
    Silence,
    Denied(String),
    /// The call runs this command instead: where an agent cannot deny one call, that is a command
    /// which prints the reason and fails.
    Replaced(String),
    Nothing(String),
}

fn response_finding(agent: &Agent, response: Response) -> Option<Finding> {
    match response {
        Response::Silence | Response::Replaced(_) => None,
        Response::Denied(why) => Some(Finding::new(
            Kind::HarmlessDenied,
            format!("a call of the command `true` was held up: {}", first_line_or(&why, "")),
            Mend::from_command("tenterhook explain Bash true"),
        )),
        Response::Nothing(why) => Some(Finding::new(
            Kind::NotAnswered,
            format!("the entry was called and did not answer: {}", first_line_or(&why, "")),
            Mend::from_command(format!("tenterhook install {}", agent.name)),
        )),
    }
}

/// Returns the command that replaces `line`, if the answer has one.
fn replaced_command(effects: &Effects, line: &str) -> Option<String> {
    let command = effects.updated_input.as_ref()?.get("command")?.as_str()?;
    (command != line).then(|| command.to_owned())
}

fn test_event(name: EventName, (session, line): (&str, &str), here: &Here) -> Event {
    Event::new(name, Surroundings::at(&here.roots.cwd).session(session))
        .with("tool_name", "Bash")
        .with("tool_input", json!({ "command": line }))
        .with("tool_use_id", "tenterhook-doctor")
}

/// Returns the process that the agent starts for an entry, with the shell that it uses.
fn entry_process(event: &Event, id: DialectId, of: (&File, &Entry), here: &Here) -> Command {
    let (file, entry) = of;
    let envelope = id.dialect().encode_event(event);
    let cwd = here.roots.cwd.clone();
    let mut command = match &entry.call {
        Call::Line(line) => process_for_command(&command_as_agent_reads_it(id, file, line), cwd),
        Call::Script(path) => Command::new(path, std::iter::empty::<&str>(), cwd),
    };
    let variables = here.env.iter().chain(&envelope.env);
    command.env = variables.map(|(name, value)| (name.into(), value.into())).collect();
    command.stdin = envelope.body.into();
    command.timeout = Some(LONGEST);
    // What it writes is for the same people as when the agent calls.
    command.umask = None;
    command
}

/// Returns the command of an entry as the agent's dialect reads it from the file. A line that the
/// dialect does not have, as that of a plugin, is for `sh`.
fn command_as_agent_reads_it(id: DialectId, file: &File, line: &str) -> hook::Command {
    let directory = file.path.parent().unwrap_or(&file.path);
    let source = Source::from_text(&file.path.to_string_lossy(), id, &file.text, directory);
    let hooks = id.dialect().read_config(&source).hooks;
    let found = hooks.into_iter().find_map(|hook| match hook.run {
        Run::Command(command) if is_shell_command_with_text(&command, line) => Some(command),
        _ => None,
    });
    found.unwrap_or_else(|| {
        let shell = Invocation::Shell { text: line.to_owned(), shell: Shell::Sh };
        hook::Command::new(shell, Inherit::All)
    })
}

fn is_shell_command_with_text(command: &hook::Command, line: &str) -> bool {
    matches!(command.invocation(), Invocation::Shell { text, .. } if text == line)
}

/// Returns the first line on stderr that the shell or the program printed before the entry's own
/// fallback.
fn first_foreign_line(stderr: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty() && !line.contains(GONE));
    line.unwrap_or("it said nothing").to_owned()
}

fn first_line_or(text: &str, otherwise: &str) -> String {
    let mut lines = text.lines().chain(otherwise.lines()).map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or("without a reason").to_owned()
}
