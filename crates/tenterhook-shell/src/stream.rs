//! Tracks the texts that a line itself passes between commands: through a pipe, a here-document, or
//! a file that it writes.
//!
//! Stores texts and decides which command gets which; does not read them as code (S-67, S-68).

use std::collections::HashMap;
use std::sync::Arc;

use super::printed::{echo, printf};
use super::word::{Word, WordKind};
use super::{Expands, Redirect, SimpleCommand, Target};

/// Most bytes of text that are stored for one line, and most texts.
pub(super) const MOST_BYTES: usize = 64 * 1024;
const MOST_STREAMS: usize = 4 * 1024;
/// Names of standard input, and of standard output.
pub(super) const INPUTS: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
const OUTPUTS: &[&str] = &["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Programs that print their input.
const PASSING: &[&str] = &["cat", "tee", "sponge", "tac", "bat", "pv"];
/// Programs that write their input to the files among their operands.
const WRITING: &[&str] = &["tee", "sponge"];
/// Programs that rename or copy a file, from all operands to the last one.
const COPYING: &[&str] = &["cp", "mv", "ln", "install"];

/// A text that one command passes to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    pub(super) text: String,
    /// Whether part of it is not on the line.
    pub(super) lacks: bool,
    /// Whether it is the here-document of a group or a pipeline.
    pub(super) is_here: bool,
    /// The text as commands share it, until it is extended.
    pub(super) shared: Option<Arc<str>>,
}

/// Where a command reads and writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    pub(super) input: Option<usize>,
    pub(super) output: Option<usize>,
}

/// The texts of one line, and the files to which it writes some of them.
#[derive(Debug, Default)]
pub(super) struct Streams {
    streams: Vec<Stream>,
    files: HashMap<String, usize>,
    bytes: usize,
}

impl Streams {
    /// A stream without a text; `None` if there are too many.
    pub(super) fn open(&mut self) -> Option<usize> {
        let at = self.streams.len();
        (at < MOST_STREAMS).then(|| self.streams.push(Stream::default()))?;
        Some(at)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Stream> {
        self.streams.get(at)
    }

    /// Whether a stream is the here-document of a group.
    pub(super) fn is_here(&self, at: usize) -> bool {
        self.get(at).is_some_and(|stream| stream.is_here)
    }

    /// The standard input of a group by its redirections, if they set one.
    pub(super) fn of_group(&mut self, redirects: &[Redirect]) -> Option<usize> {
        let stream = self.redirected(redirects)??;
        let at = self.open_with(&stream.text, stream.lacks)?;
        if let Some(stream) = self.streams.get_mut(at) {
            stream.is_here = true;
        }
        Some(at)
    }

    /// Where output goes by the redirections: a file of the line, or a target that is not tracked.
    pub(super) fn written(&mut self, redirects: &[Redirect]) -> Option<Option<usize>> {
        let redirect = redirects.iter().rev().find(|redirect| {
            let is_output = matches!(redirect.descriptor.as_deref(), None | Some("1"));
            is_output && redirect.operator.contains('>') && redirect.operator != "<>"
        })?;
        let Target::Word(word) = &redirect.target else { return Some(None) };
        if OUTPUTS.contains(&word.text.as_str()) {
            return None;
        }
        Some(self.file(word, redirect.operator.contains(">>")))
    }

    /// The stream of a file.
    fn file(&mut self, word: &Word, appends: bool) -> Option<usize> {
        let key = key(word);
        if appends && let Some(at) = self.files.get(&key) {
            return Some(*at);
        }
        let at = self.open()?;
        self.bytes += key.len();
        (self.bytes < MOST_BYTES).then(|| self.files.insert(key, at))?;
        Some(at)
    }

    /// Takes out the text that the line wrote into a file, so that a file which runs itself is read
    /// once.
    pub(super) fn take_file(&mut self, word: &Word) -> Option<(String, Stream)> {
        let key = key(word);
        let stream = self.files.get(&key).and_then(|at| self.get(*at))?;
        // The output of an unknown program is not on the line.
        let stream = Some(stream).filter(|stream| !stream.text.is_empty())?.clone();
        self.files.remove(&key);
        Some((key, stream))
    }

    /// Puts a file back.
    pub(super) fn put_file(&mut self, key: String, stream: Stream) {
        if let Some(at) = self.open()
            && let Some(slot) = self.streams.get_mut(at)
        {
            *slot = stream;
            self.files.entry(key).or_insert(at);
        }
    }

    /// Adds the output of a command to a stream.
    pub(super) fn append(&mut self, at: usize, more: &Stream) {
        let Some(stream) = self.streams.get_mut(at) else { return };
        self.bytes += more.text.len();
        let fits = self.bytes < MOST_BYTES;
        stream.lacks |= more.lacks || !fits;
        if fits {
            stream.text.push_str(&more.text);
            stream.shared = None;
        }
    }

    /// The standard input by the redirections: `None` if they set none, `Some(None)` if it is not
    /// on the line.
    fn redirected(&self, redirects: &[Redirect]) -> Option<Option<Stream>> {
        let redirect = redirects.iter().rev().find(|redirect| {
            let is_input = matches!(redirect.descriptor.as_deref(), None | Some("0"));
            is_input && redirect.operator.starts_with('<')
        })?;
        Some(match &redirect.target {
            Target::HereDocument { body, expands } => {
                let lacks = *expands == Expands::Yes && body.contains(['$', '`', '\\']);
                Some(Stream { text: body.clone(), lacks, ..Stream::default() })
            }
            Target::Word(word) if redirect.operator == "<<<" => {
                let text = format!("{}\n", unquoted(word));
                Some(Stream { text, lacks: word.kind != WordKind::Literal, ..Stream::default() })
            }
            Target::Word(word) if redirect.operator == "<" => {
                self.files.get(&key(word)).and_then(|at| self.get(*at)).cloned()
            }
            Target::Word(_) | Target::Closed => None,
        })
    }

    /// The standard input of a command, and whether part of it is not on the line.
    pub(super) fn input(&mut self, redirects: &[Redirect], flow: Flow) -> (Option<Arc<str>>, bool) {
        match self.redirected(redirects) {
            Some(stream) => stream.map_or((None, true), |mut stream| stream.share()),
            None => {
                let stream = flow.input.and_then(|at| self.streams.get_mut(at));
                stream.map_or((None, false), Stream::share)
            }
        }
    }

    /// A stream with this text.
    pub(super) fn open_with(&mut self, text: &str, lacks: bool) -> Option<usize> {
        let at = self.open()?;
        self.append(at, &Stream { text: text.to_owned(), lacks, ..Stream::default() });
        Some(at)
    }

    /// Adds the output of a command to its stream. Returns `false` if its output is unknown.
    pub(super) fn print(&mut self, command: &SimpleCommand, output: Option<usize>) -> bool {
        let Some(program) = command.program() else { return false };
        let name = program.rsplit('/').next().unwrap_or_default();
        if output.is_none() && !WRITING.contains(&name) && !COPYING.contains(&name) && name != "dd"
        {
            return false;
        }
        if COPYING.contains(&name) {
            self.copy(command);
        }
        let Some(printed) = self.printed(name, command) else { return false };
        if WRITING.contains(&name) {
            let appends =
                command.words.iter().any(|word| matches!(word.text.as_str(), "-a" | "--append"));
            for word in operands(command) {
                if let Some(at) = self.file(word, appends) {
                    self.append(at, &printed);
                }
            }
        }
        if let Some(at) = output {
            self.append(at, &printed);
        }
        true
    }

    /// `cp a b`, `mv a b`, `install /dev/stdin b`, `dd of=b`
    fn copy(&mut self, command: &SimpleCommand) {
        let all: Vec<&Word> = operands(command).collect();
        let Some((to, from)) = all.split_last() else { return };
        for word in from {
            let stream = match INPUTS.contains(&word.text.as_str()) {
                true => command.input.as_ref().map(|text| Stream {
                    text: text.to_string(),
                    lacks: command.input_lacks,
                    ..Stream::default()
                }),
                false => self.files.get(&key(word)).and_then(|at| self.get(*at)).cloned(),
            };
            if let Some(stream) = stream
                && let Some(at) = self.file(to, false)
            {
                self.append(at, &stream);
            }
        }
    }

    /// The output of a command, if it is on the line.
    fn printed(&mut self, name: &str, command: &SimpleCommand) -> Option<Stream> {
        match name {
            "echo" => Some(echo(command.words.get(1..)?)),
            "printf" => printf(command.words.get(1..)?),
            "dd" => {
                let input = passed(command)?;
                let to = command.words.iter().find_map(|word| word.text.strip_prefix("of="))?;
                let at = self.file(&Word::literal(to), false)?;
                self.append(at, &input);
                Some(Stream::default())
            }
            _ if PASSING.contains(&name) => {
                let mut files = operands(command).filter(|_| !WRITING.contains(&name)).peekable();
                if files.peek().is_none() {
                    return passed(command);
                }
                let mut printed = Stream::default();
                for word in files {
                    let stream = match INPUTS.contains(&word.text.as_str()) {
                        true => passed(command),
                        false => self.files.get(&key(word)).and_then(|at| self.get(*at)).cloned(),
                    };
                    printed.lacks |= stream.as_ref().is_none_or(|stream| stream.lacks);
                    printed.text.push_str(&stream.unwrap_or_default().text);
                }
                Some(printed)
            }
            _ => None,
        }
    }
}

/// The input of a command that passes it on.
fn passed(command: &SimpleCommand) -> Option<Stream> {
    let text = command.input.as_ref()?.to_string();
    Some(Stream { text, lacks: command.input_lacks, ..Stream::default() })
}

/// The words that are no options.
fn operands(command: &SimpleCommand) -> impl Iterator<Item = &Word> {
    let is_operand =
        |word: &&Word| !word.text.starts_with('-') || INPUTS.contains(&word.text.as_str());
    command.words.iter().skip(1).filter(is_operand)
}

/// The key of a file: its name, or its source if that is computed.
fn key(word: &Word) -> String {
    match (&word.file_name, word.kind) {
        (Some(name), _) => name.clone(),
        (None, WordKind::Literal) => word.text.rsplit('/').next().unwrap_or_default().to_owned(),
        (None, _) => word.source.trim_matches('"').to_owned(),
    }
}

/// A word without the quotes around it, even if it contains an expansion.
pub(super) fn unquoted(word: &Word) -> &str {
    if word.kind == WordKind::Literal {
        return &word.text;
    }
    let inner = word.source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(&word.source)
}

impl Stream {
    /// The text and its gaps, for a command.
    pub(super) fn share(&mut self) -> (Option<Arc<str>>, bool) {
        if self.shared.is_none() && !self.text.is_empty() {
            self.shared = Some(self.text.as_str().into());
        }
        (self.shared.clone(), self.lacks)
    }
}
