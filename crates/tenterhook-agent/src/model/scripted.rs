//! A model that plays from a file: for offline play and for tests. Makes no request.
//!
//! ```toml
//! [[reply]]
//! on = "list"                       # the last message holds this text; without it, the reply fits any message
//! think = "They want to see files." # reasoning
//! text = "Let me look."             # streamed word by word
//! call = [{ tool = "Bash", input = { command = "ls" } }]
//! ```
//!
//! Instead of words, `error = "rate_limit"` (or another kind) fails, and `panic = "..."` breaks.
//!
//! `record = "FILE"` at the top keeps each request there, one JSON object a line.
//!
//! Each request takes the first reply that fits and was not played; `repeat = true` plays again and again. When nothing is
//! left, the model says so and calls no tool, so that a turn always ends.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::{Answer, Delta, ErrorKind, ModelError, Provider, Request, Stop, Usage};
use crate::conversation::{Call, Message};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    record: Option<PathBuf>,
    /// These two are for `scratch_project.rs`.
    #[serde(default, rename = "welcome")]
    _welcome: IgnoredAny,
    #[serde(default, rename = "files")]
    _files: IgnoredAny,
    #[serde(default)]
    reply: Vec<Line>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    on: Option<String>,
    #[serde(default)]
    repeat: bool,
    #[serde(default)]
    think: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    call: Vec<Wanted>,
    /// How long each word takes.
    #[serde(default)]
    word_ms: u64,
    /// The word of an error kind: the model fails with it.
    error: Option<String>,
    /// The message of a panic: the code of the model breaks, as that of a program with a mistake does.
    panic: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    tool: String,
    #[serde(default)]
    input: Value,
}

/// A model that plays from a file.
#[derive(Debug)]
pub(crate) struct Scripted {
    record: Option<PathBuf>,
    lines: Mutex<Lines>,
}

#[derive(Debug)]
struct Lines {
    left: Vec<Line>,
    calls: usize,
}

/// Why a script cannot be played.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScriptError {
    #[error("the script `{path}` cannot be read: {source}", path = .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the script `{path}`: {source}", path = .path.display())]
    Parse { path: PathBuf, source: toml::de::Error },
}

impl Scripted {
    /// Loads the script from the file.
    pub(crate) fn load(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
        Self::parse_script(&text)
            .map_err(|source| ScriptError::Parse { path: path.to_owned(), source })
    }

    fn parse_script(text: &str) -> Result<Self, toml::de::Error> {
        let script: Script = toml::from_str(text)?;
        Ok(Self {
            record: script.record,
            lines: Mutex::new(Lines { left: script.reply, calls: 0 }),
        })
    }

    /// Appends a request to the record file, so that a test can read it.
    fn record_request(&self, request: &Request) -> std::io::Result<()> {
        let Some(path) = &self.record else { return Ok(()) };
        let tools: Vec<_> = request.tools.iter().map(|tool| &*tool.name).collect();
        let line = json!({"system": request.system, "messages": request.messages, "tools": tools});
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{line}")
    }

    fn next_answer(&self, output: &str) -> Vec<(u64, Result<Delta, ModelError>)> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |line: &Line| line.on.as_deref().is_none_or(|on| output.contains(on));
        let Some(at) = lines.left.iter().position(fits) else {
            let text = "(the script has nothing more to say)".to_owned();
            return vec![
                (0, Ok(Delta::Text(text))),
                (0, Ok(Delta::End(Usage::default(), Stop::Done))),
            ];
        };
        let again = lines.left.get(at).filter(|line| line.repeat).cloned();
        let line = again.unwrap_or_else(|| lines.left.remove(at));
        lines.play_line(&line)
    }
}

impl Lines {
    fn play_line(&mut self, line: &Line) -> Vec<(u64, Result<Delta, ModelError>)> {
        if let Some(words) = &line.panic {
            panic_with(words);
        }
        let words = |text: &str| text.split_inclusive(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut deltas: Vec<(u64, Result<Delta, ModelError>)> = Vec::new();
        deltas.extend(
            words(&line.think).into_iter().map(|word| (line.word_ms, Ok(Delta::Reasoning(word)))),
        );
        deltas.extend(
            words(&line.text).into_iter().map(|word| (line.word_ms, Ok(Delta::Text(word)))),
        );
        if let Some(word) = &line.error {
            let kind = ErrorKind::ALL.iter().find(|(_, value)| value == word);
            let kind = kind.map_or(ErrorKind::Unknown, |(kind, _)| *kind);
            let message = format!("the script fails here with `{word}`");
            deltas.push((0, Err(ModelError { kind, message })));
            return deltas;
        }
        for wanted in &line.call {
            self.calls += 1;
            let id = format!("call-{}", self.calls);
            let call = Call { id, tool: wanted.tool.clone(), input: wanted.input.clone() };
            deltas.push((0, Ok(Delta::Call(call))));
        }
        let output = deltas.len() as u64;
        deltas.push((0, Ok(Delta::End(Usage { input: 0, output }, Stop::Done))));
        deltas
    }
}

#[expect(
    clippy::panic,
    reason = "the script asks for it, to see what is left when something breaks"
)]
fn panic_with(words: &str) {
    panic!("{words}");
}

impl Provider for Scripted {
    fn ask(&self, request: Request) -> Answer {
        if let Err(error) = self.record_request(&request) {
            let message = format!("the request cannot be recorded: {error}");
            let failed = Err(ModelError { kind: ErrorKind::Unknown, message });
            return Box::pin(stream::once(async { failed }));
        }
        let last_text = request.messages.last().map(last_text).unwrap_or_default();
        let deltas = self.next_answer(&last_text);
        Box::pin(stream::unfold(deltas.into_iter(), |mut rest| async move {
            let (after, delta) = rest.next()?;
            if after > 0 {
                tokio::time::sleep(Duration::from_millis(after)).await;
            }
            Some((delta, rest))
        }))
    }
}

/// Returns the last text that the model reads.
fn last_text(message: &Message) -> String {
    match message {
        Message::User { text, context, .. } => format!("{text}\n{}", context.join("\n")),
        Message::Assistant(reply) => reply.text.clone(),
        Message::Tools { results, context } => {
            let texts = results.iter().map(|result| result.text.as_str());
            texts.chain(context.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
        }
    }
}
