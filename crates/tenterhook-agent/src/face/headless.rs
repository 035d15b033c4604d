//! No terminal: a prompt and its answer, or lines of JSON in both directions. For scripts and continuous integration.

mod line;

use std::collections::HashMap;
use std::io::{self, BufRead, IsTerminal, Write};

use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::exit_signals::{ExitSignals, GRACE, Left, ends};
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

/// Runs a session without a terminal; how it was left.
pub(crate) async fn run(
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
            line = next(&mut speaker.lines) => {
                speaker.handle_line(line?)?;
                continue;
            }
            input = exit_signals.next() => {
                // A session may be where nothing interrupts it (AG-23).
                until = until.or(Some(Instant::now() + GRACE));
                speaker.send(input);
                continue;
            }
            () = ends(until) => return Ok(Left::Abandoned),
        };
        let Some(update) = update else { break };
        let (within, update) = update.opened();
        show(format, &within, &update)?;
        if alone && let Update::Unanswered { call, reason } = &update {
            writeln!(io::stderr(), "{}", refused(call, reason))?;
        }
        match update {
            Update::Ask(ask) if speaker.lines.is_some() => {
                speaker.asked.insert(ask.id, ask.decide);
            }
            Update::AskVoid { id } => drop(speaker.asked.remove(&id)),
            Update::Ended => break,
            // The answer is known, and does not wait for hooks.
            Update::Leaving(_) => summary.print(format)?,
            // A subagent's reply goes to the agent that called it.
            Update::Reply(_) if !within.is_empty() => {}
            other => summary.take(other),
        }
    }
    summary.print(format)?;
    io::stdout().flush()?;
    Ok(Left::Ended(summary.code(alone)))
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
                speaker.send(Input::Prompt(Submission::new(text)));
                speaker.send(Input::Close);
            }
            Source::Lines => speaker.lines = Some(lines()),
        }
        speaker
    }

    fn send(&self, input: Input) {
        // A session that has ended says so with its last update.
        let _ = self.inputs.send(input);
    }

    /// Handles a line of input, or its end.
    fn handle_line(&mut self, line: Option<Result<LineCommand, LineError>>) -> io::Result<()> {
        match line {
            Some(Ok(LineCommand::Input(input))) => self.send(input),
            Some(Ok(LineCommand::Decide(id, decision))) => {
                drop(self.asked.remove(&id).map(|decide| decide.send(decision)));
            }
            Some(Err(why)) => writeln!(io::stderr(), "[warn] input: {why}")?,
            None => {
                // The input is closed, and a question without an answer is a no.
                self.lines = None;
                self.asked.clear();
                self.send(Input::Close);
            }
        }
        Ok(())
    }
}

/// The lines of standard input, as they are read.
type Lines = mpsc::Receiver<io::Result<Vec<u8>>>;

/// How many lines may be read ahead.
const AHEAD: usize = 16;

/// The lines of standard input, read by a separate thread: a runtime would wait for one that is blocked there, and a
/// program that must quit would go on until somebody closes its input.
fn lines() -> Lines {
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

/// The next line; pends where none is read.
async fn next(lines: &mut Option<Lines>) -> io::Result<Option<Result<LineCommand, LineError>>> {
    match lines {
        Some(lines) => Ok(lines.recv().await.transpose()?.map(|line| line::read(&line))),
        None => std::future::pending().await,
    }
}

/// Prints an update as the format has it; `within`: the calls of subagents in which it happened.
fn show(format: Format, within: &[String], update: &Update) -> io::Result<()> {
    match format {
        Format::Text => aside(update),
        // What went wrong is no part of the object, and no secret either.
        Format::Json if matches!(update, Update::Warn { .. }) => aside(update),
        Format::Json => Ok(()),
        Format::StreamJson => {
            let Some(mut line) = line::encode(update) else { return Ok(()) };
            if let (Some(fields), Some(call)) = (line.as_object_mut(), within.last()) {
                fields.insert("within".to_owned(), call.as_str().into());
            }
            writeln!(io::stdout(), "{line}")
        }
    }
}

/// What people read beside the answer; others wrote it, and it drives no terminal.
pub(super) fn plain_line(update: &Update) -> Option<String> {
    let text = match update {
        Update::Warn { event, reason } => format!("[warn] {event}: {reason}"),
        Update::Notice(text) => text.clone(),
        Update::Rewrite { text, .. } => format!("[hook rewrite]\n{text}"),
        Update::Did(deed) => deed.line(),
        _ => return None,
    };
    Some(hooks::safe(&text))
}

/// The hooks that the end waits for: a person who sees an answer and no prompt learns why.
fn awaited(hooks: &[String]) -> Option<String> {
    let names: Vec<_> = hooks.iter().map(|hook| format!("`{hook}`")).collect();
    let is_shown = !names.is_empty() && io::stderr().is_terminal();
    is_shown.then(|| hooks::safe(&format!("waits for {}; Ctrl-C twice ends it", names.join(", "))))
}

fn aside(update: &Update) -> io::Result<()> {
    let line = match update {
        Update::Leaving(hooks) => awaited(hooks),
        update => plain_line(update),
    };
    line.map_or(Ok(()), |line| writeln!(io::stderr(), "{line}"))
}

/// The answer: byte for byte where a program reads it, safe to show where a person does.
fn answer(text: &str, terminal: bool) -> String {
    if terminal { hooks::safe(text) } else { text.to_owned() }
}

/// Which call was refused and why, in a line: of long arguments the beginning.
fn refused(call: &Call, reason: &str) -> String {
    let mut input = call.input.to_string();
    if input.len() > SHOWN {
        conversation::shorten(&mut input, SHOWN);
    }
    hooks::safe(&format!("refused: {} {input}: {reason}", call.tool))
}

impl Summary {
    fn take(&mut self, update: Update) {
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

    /// The exit code: it tells the starter of a prompt that something was not done (AG-33).
    fn code(&self, alone: bool) -> u8 {
        match &self.error {
            Some(_) => 1,
            None if alone && self.unanswered => UNANSWERED,
            None => 0,
        }
    }

    /// Prints the answer, once.
    fn print(&mut self, format: Format) -> io::Result<()> {
        if std::mem::replace(&mut self.printed, true) {
            return Ok(());
        }
        match (format, &self.error) {
            (Format::Text, Some(error)) => {
                writeln!(io::stderr(), "{}", hooks::safe(&format!("error: {error}")))
            }
            (Format::Text, None) => {
                let mut out = io::stdout();
                writeln!(out, "{}", answer(&self.text, out.is_terminal()))
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
        assert_eq!(answer(text, true), "ab");
        assert_eq!(answer(text, false), text);
    }
}
