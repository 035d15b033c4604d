//! No terminal: a prompt and its answer, or lines of JSON in both directions. For scripts and continuous integration.

mod line;

use std::collections::HashMap;
use std::io::{self, BufRead, IsTerminal, Write};

use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::exit_signals::{ExitSignals, GRACE, Left, wait_until_moment};
use crate::conversation::{self, Call};
use crate::hooks;
use crate::submission::Submission;
use crate::update::{Decision, Input, Update};
use line::{LineCommand, LineError};

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The last words of the model.
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON object for each thing that happens.
    StreamJson,
}

/// Where prompts come from.
#[derive(Debug)]
pub(crate) enum Source {
    /// The command line: this one, and no more.
    Prompt(String),
    /// Standard input: one JSON object a line, such as `{"type":"prompt","text":"..."}`.
    Lines,
}

/// How much of a call's arguments stands on standard error.
const SHOWN: usize = 1000;
/// The exit code of a prompt with a call that was refused because there was no user to ask.
const UNANSWERED: u8 = 4;

/// How it went.
#[derive(Debug, Default)]
struct Summary {
    session: String,
    text: String,
    error: Option<String>,
    refused: bool,
    /// A call was refused because there is no user to ask.
    unanswered: bool,
    printed: bool,
}

/// Runs a session without a terminal, and returns how it ended.
pub(crate) async fn run_headless(
    source: Source,
    format: Format,
    inputs: mpsc::UnboundedSender<Input>,
    mut updates: mpsc::UnboundedReceiver<Update>,
) -> io::Result<Left> {
    let mut speaker = Speaker::new(source, inputs);
    let alone = speaker.lines.is_none();
    let mut exit_signals = ExitSignals::new()?;
    let mut summary = Summary::default();
    let mut until = None;
    loop {
        let update = tokio::select! {
            update = updates.recv() => update,
            line = next_line(&mut speaker.lines) => {
                speaker.dispatch_input_line(line?)?;
                continue;
            }
            input = exit_signals.next() => {
                // A session may be where nothing interrupts it (AG-23).
                until = until.or(Some(Instant::now() + GRACE));
                speaker.send_input(input);
                continue;
            }
            () = wait_until_moment(until) => return Ok(Left::Abandoned),
        };
        let Some(update) = update else { break };
        let (within, update) = update.unwrap_subagents();
        print_update(format, &within, &update)?;
        if alone && let Update::Unanswered { call, reason } = &update {
            writeln!(io::stderr(), "{}", refused_call_line(call, reason))?;
        }
        match update {
            Update::Ask(ask) if speaker.lines.is_some() => {
                speaker.asked.insert(ask.id, ask.decide);
            }
            Update::AskVoid { id } => drop(speaker.asked.remove(&id)),
            Update::Ended => break,
            // The answer is known, and does not wait for hooks.
            Update::Leaving(_) => summary.print_answer(format)?,
            // A subagent's reply goes to the agent that called it.
            Update::Reply(_) if !within.is_empty() => {}
            other => summary.record_update(other),
        }
    }
    summary.print_answer(format)?;
    io::stdout().flush()?;
    Ok(Left::Ended(summary.exit_code(alone)))
}

/// The process that started it: its further lines, and its open questions.
struct Speaker {
    inputs: mpsc::UnboundedSender<Input>,
    /// What they write; `None` where they say nothing more.
    lines: Option<Lines>,
    asked: HashMap<String, oneshot::Sender<Decision>>,
}

impl Speaker {
    fn new(source: Source, inputs: mpsc::UnboundedSender<Input>) -> Self {
        let mut speaker = Self { inputs, lines: None, asked: HashMap::new() };
        match source {
            Source::Prompt(text) => {
                speaker.send_input(Input::Prompt(Submission::new(text)));
                speaker.send_input(Input::Close);
            }
            Source::Lines => speaker.lines = Some(read_stdin_lines()),
        }
        speaker
    }

    fn send_input(&self, input: Input) {
        // A session that has ended says so with its last update.
        let _ = self.inputs.send(input);
    }

    /// Sends the command in a line of input to the session, or ends the session at the end of the
    /// input.
    fn dispatch_input_line(
        &mut self,
        line: Option<Result<LineCommand, LineError>>,
    ) -> io::Result<()> {
        match line {
            Some(Ok(LineCommand::Input(input))) => self.send_input(input),
            Some(Ok(LineCommand::Decide(id, decision))) => {
                drop(self.asked.remove(&id).map(|decide| decide.send(decision)));
            }
            Some(Err(why)) => writeln!(io::stderr(), "[warn] input: {why}")?,
            None => {
                // The input is closed, and a question without an answer is a no.
                self.lines = None;
                self.asked.clear();
                self.send_input(Input::Close);
            }
        }
        Ok(())
    }
}

/// The lines of standard input, as they are read.
type Lines = mpsc::Receiver<io::Result<Vec<u8>>>;

/// How many lines may be read ahead.
const AHEAD: usize = 16;

/// Starts a thread that reads the lines of standard input. A runtime would wait for a blocked read,
/// and the program could not exit until the input is closed.
fn read_stdin_lines() -> Lines {
    let (sender, lines) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n') {
            // The session is over.
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Returns the next line. Pends if no input is read.
async fn next_line(
    lines: &mut Option<Lines>,
) -> io::Result<Option<Result<LineCommand, LineError>>> {
    match lines {
        Some(lines) => {
            Ok(lines.recv().await.transpose()?.map(|line| line::parse_line_command(&line)))
        }
        None => std::future::pending().await,
    }
}

/// Prints an update in the output format. `within` lists the calls of the subagents in which it
/// happened.
fn print_update(format: Format, within: &[String], update: &Update) -> io::Result<()> {
    match format {
        Format::Text => print_to_stderr(update),
        // What went wrong is no part of the object, and no secret either.
        Format::Json if matches!(update, Update::Warn { .. }) => print_to_stderr(update),
        Format::Json => Ok(()),
        Format::StreamJson => {
            let Some(mut line) = line::encode_update(update) else { return Ok(()) };
            if let (Some(fields), Some(call)) = (line.as_object_mut(), within.last()) {
                fields.insert("within".to_owned(), call.as_str().into());
            }
            writeln!(io::stdout(), "{line}")
        }
    }
}

/// Returns the line that people read beside the answer, without terminal control characters.
pub(super) fn plain_line_beside_answer(update: &Update) -> Option<String> {
    let text = match update {
        Update::Warn { event, reason } => format!("[warn] {event}: {reason}"),
        Update::Notice(text) => text.clone(),
        Update::Rewrite { text, .. } => format!("[hook rewrite]\n{text}"),
        Update::Did(deed) => deed.summary_line(),
        _ => return None,
    };
    Some(hooks::strip_control_text(&text))
}

/// Returns a notice of the hooks that the end of the session waits for, if standard error is a
/// terminal.
fn awaited_hooks_notice(hooks: &[String]) -> Option<String> {
    let names: Vec<_> = hooks.iter().map(|hook| format!("`{hook}`")).collect();
    let is_shown = !names.is_empty() && io::stderr().is_terminal();
    is_shown.then(|| {
        hooks::strip_control_text(&format!("waits for {}; Ctrl-C twice ends it", names.join(", ")))
    })
}

fn print_to_stderr(update: &Update) -> io::Result<()> {
    let line = match update {
        Update::Leaving(hooks) => awaited_hooks_notice(hooks),
        update => plain_line_beside_answer(update),
    };
    line.map_or(Ok(()), |line| writeln!(io::stderr(), "{line}"))
}

/// Returns the answer: unchanged where a program reads it, safe to show on a terminal.
fn answer_text(text: &str, terminal: bool) -> String {
    if terminal { hooks::strip_control_text(text) } else { text.to_owned() }
}

/// Returns a line with the refused call and the reason. Long arguments are cut.
fn refused_call_line(call: &Call, reason: &str) -> String {
    let mut input = call.input.to_string();
    if input.len() > SHOWN {
        conversation::truncate_text(&mut input, SHOWN);
    }
    hooks::strip_control_text(&format!("refused: {} {input}: {reason}", call.tool))
}

impl Summary {
    fn record_update(&mut self, update: Update) {
        match update {
            Update::Session { id, .. } => self.session = id,
            Update::Reply(text) | Update::Page { text, .. } => self.text = text,
            Update::Refused { reason, .. } => {
                self.refused = true;
                self.error = Some(reason);
            }
            Update::TurnEnded { error } => self.error = error,
            Update::Unanswered { .. } => self.unanswered = true,
            _ => {}
        }
    }

    /// Returns the exit code: it shows whether a prompt was not done (AG-33).
    fn exit_code(&self, alone: bool) -> u8 {
        match &self.error {
            Some(_) => 1,
            None if alone && self.unanswered => UNANSWERED,
            None => 0,
        }
    }

    /// Prints the answer, once.
    fn print_answer(&mut self, format: Format) -> io::Result<()> {
        if std::mem::replace(&mut self.printed, true) {
            return Ok(());
        }
        match (format, &self.error) {
            (Format::Text, Some(error)) => {
                writeln!(io::stderr(), "{}", hooks::strip_control_text(&format!("error: {error}")))
            }
            (Format::Text, None) => {
                let mut out = io::stdout();
                writeln!(out, "{}", answer_text(&self.text, out.is_terminal()))
            }
            (Format::Json, _) => {
                let value = json!({
                    "session_id": self.session,
                    "result": self.text,
                    "error": self.error,
                    "blocked": self.refused,
                });
                writeln!(io::stdout(), "{value}")
            }
            (Format::StreamJson, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_drives_no_terminal_and_is_whole_elsewhere() {
        let text = "a\u{1b}]0;title\u{7}\u{1b}[2Jb";
        assert_eq!(answer_text(text, true), "ab");
        assert_eq!(answer_text(text, false), text);
    }
}
