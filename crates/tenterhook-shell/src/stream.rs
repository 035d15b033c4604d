//! Tracks the texts that a line itself passes between commands: through a pipe, a here-document, or
//! a file that it writes.
//!
//! Stores texts and decides which command gets which; does not read them as code (S-67, S-68).

use std::collections::HashMap;
use std::sync::Arc;

use super::printed::{echo_output, printf_output};
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
    /// Adds a stream without a text. Returns `None` if there are too many.
    pub(super) fn add_empty_stream(&mut self) -> Option<usize> {
        let at = self.streams.len();
        (at < MOST_STREAMS).then(|| self.streams.push(Stream::default()))?;
        Some(at)
    }

    pub(super) fn get_stream(&self, at: usize) -> Option<&Stream> {
        self.streams.get(at)
    }

    /// Returns whether a stream is the here-document of a group.
    pub(super) fn is_group_here_document(&self, at: usize) -> bool {
        self.get_stream(at).is_some_and(|stream| stream.is_here)
    }

    /// Returns the standard input of a group according to its redirections, if they set one.
    pub(super) fn group_input(&mut self, redirects: &[Redirect]) -> Option<usize> {
        let stream = self.redirected_input(redirects)??;
        let at = self.add_stream_with_text(&stream.text, stream.lacks)?;
        if let Some(stream) = self.streams.get_mut(at) {
            stream.is_here = true;
        }
        Some(at)
    }

    /// Returns where the redirections send the output: to a file of the line, or to a target that
    /// is not tracked.
    pub(super) fn output_target(&mut self, redirects: &[Redirect]) -> Option<Option<usize>> {
        let redirect = redirects.iter().rev().find(|redirect| {
            let is_output = matches!(redirect.descriptor.as_deref(), None | Some("1"));
            is_output && redirect.operator.contains('>') && redirect.operator != "<>"
        })?;
        let Target::Word(word) = &redirect.target else { return Some(None) };
        if OUTPUTS.contains(&word.text.as_str()) {
            return None;
        }
        Some(self.stream_of_file(word, redirect.operator.contains(">>")))
    }

    /// Returns the stream of a file.
    fn stream_of_file(&mut self, word: &Word, appends: bool) -> Option<usize> {
        let key = file_key(word);
        if appends && let Some(at) = self.files.get(&key) {
            return Some(*at);
        }
        let at = self.add_empty_stream()?;
        self.bytes += key.len();
        (self.bytes < MOST_BYTES).then(|| self.files.insert(key, at))?;
        Some(at)
    }

    /// Removes and returns the text that the line wrote into a file, so that a file which runs
    /// itself is read once.
    pub(super) fn take_file(&mut self, word: &Word) -> Option<(String, Stream)> {
        let key = file_key(word);
        let stream = self.files.get(&key).and_then(|at| self.get_stream(*at))?;
        // The output of an unknown program is not on the line.
        let stream = Some(stream).filter(|stream| !stream.text.is_empty())?.clone();
        self.files.remove(&key);
        Some((key, stream))
    }

    /// Puts a file back.
    pub(super) fn put_file_back(&mut self, key: String, stream: Stream) {
        if let Some(at) = self.add_empty_stream()
            && let Some(slot) = self.streams.get_mut(at)
        {
            *slot = stream;
            self.files.entry(key).or_insert(at);
        }
    }

    /// Adds the output of a command to a stream.
    pub(super) fn append_output(&mut self, at: usize, more: &Stream) {
        let Some(stream) = self.streams.get_mut(at) else { return };
        self.bytes += more.text.len();
        let fits = self.bytes < MOST_BYTES;
        stream.lacks |= more.lacks || !fits;
        if fits {
            stream.text.push_str(&more.text);
            stream.shared = None;
        }
    }

    /// Returns the standard input according to the redirections: `None` if they set none,
    /// `Some(None)` if it is not on the line.
    fn redirected_input(&self, redirects: &[Redirect]) -> Option<Option<Stream>> {
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
                let text = format!("{}\n", remove_outer_quotes(word));
                Some(Stream { text, lacks: word.kind != WordKind::Literal, ..Stream::default() })
            }
            Target::Word(word) if redirect.operator == "<" => {
                self.files.get(&file_key(word)).and_then(|at| self.get_stream(*at)).cloned()
            }
            Target::Word(_) | Target::Closed => None,
        })
    }

    /// Returns the standard input of a command, and whether part of it is not on the line.
    pub(super) fn command_input(
        &mut self,
        redirects: &[Redirect],
        flow: Flow,
    ) -> (Option<Arc<str>>, bool) {
        match self.redirected_input(redirects) {
            Some(stream) => stream.map_or((None, true), |mut stream| stream.shared_text_and_gaps()),
            None => {
                let stream = flow.input.and_then(|at| self.streams.get_mut(at));
                stream.map_or((None, false), Stream::shared_text_and_gaps)
            }
        }
    }

    /// Adds a stream with this text.
    pub(super) fn add_stream_with_text(&mut self, text: &str, lacks: bool) -> Option<usize> {
        let at = self.add_empty_stream()?;
        self.append_output(at, &Stream { text: text.to_owned(), lacks, ..Stream::default() });
        Some(at)
    }

    /// Adds the output of a command to its stream. Returns `false` if its output is unknown.
    pub(super) fn append_command_output(
        &mut self,
        command: &SimpleCommand,
        output: Option<usize>,
    ) -> bool {
        let Some(program) = command.program_name() else { return false };
        let name = program.rsplit('/').next().unwrap_or_default();
        if output.is_none() && !WRITING.contains(&name) && !COPYING.contains(&name) && name != "dd"
        {
            return false;
        }
        if COPYING.contains(&name) {
            self.record_file_copy(command);
        }
        let Some(printed) = self.command_output(name, command) else { return false };
        if WRITING.contains(&name) {
            let appends =
                command.words.iter().any(|word| matches!(word.text.as_str(), "-a" | "--append"));
            for word in operand_words(command) {
                if let Some(at) = self.stream_of_file(word, appends) {
                    self.append_output(at, &printed);
                }
            }
        }
        if let Some(at) = output {
            self.append_output(at, &printed);
        }
        true
    }

    /// Records that a command copies a file: `cp a b`, `mv a b`, `install /dev/stdin b`, `dd of=b`.
    fn record_file_copy(&mut self, command: &SimpleCommand) {
        let all: Vec<&Word> = operand_words(command).collect();
        let Some((to, from)) = all.split_last() else { return };
        for word in from {
            let stream = match INPUTS.contains(&word.text.as_str()) {
                true => command.input.as_ref().map(|text| Stream {
                    text: text.to_string(),
                    lacks: command.input_lacks,
                    ..Stream::default()
                }),
                false => {
                    self.files.get(&file_key(word)).and_then(|at| self.get_stream(*at)).cloned()
                }
            };
            if let Some(stream) = stream
                && let Some(at) = self.stream_of_file(to, false)
            {
                self.append_output(at, &stream);
            }
        }
    }

    /// Returns the output of a command, if it is on the line.
    fn command_output(&mut self, name: &str, command: &SimpleCommand) -> Option<Stream> {
        match name {
            "echo" => Some(echo_output(command.words.get(1..)?)),
            "printf" => printf_output(command.words.get(1..)?),
            "dd" => {
                let input = input_passed_through(command)?;
                let to = command.words.iter().find_map(|word| word.text.strip_prefix("of="))?;
                let at = self.stream_of_file(&Word::literal(to), false)?;
                self.append_output(at, &input);
                Some(Stream::default())
            }
            _ if PASSING.contains(&name) => {
                let mut files =
                    operand_words(command).filter(|_| !WRITING.contains(&name)).peekable();
                if files.peek().is_none() {
                    return input_passed_through(command);
                }
                let mut printed = Stream::default();
                for word in files {
                    let stream = match INPUTS.contains(&word.text.as_str()) {
                        true => input_passed_through(command),
                        false => self
                            .files
                            .get(&file_key(word))
                            .and_then(|at| self.get_stream(*at))
                            .cloned(),
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

/// Returns the input of a command that passes it on.
fn input_passed_through(command: &SimpleCommand) -> Option<Stream> {
    let text = command.input.as_ref()?.to_string();
    Some(Stream { text, lacks: command.input_lacks, ..Stream::default() })
}

/// Returns the words that are no options.
fn operand_words(command: &SimpleCommand) -> impl Iterator<Item = &Word> {
    let is_operand =
        |word: &&Word| !word.text.starts_with('-') || INPUTS.contains(&word.text.as_str());
    command.words.iter().skip(1).filter(is_operand)
}

/// Returns the key of a file: its name, or its source if the name is computed.
fn file_key(word: &Word) -> String {
    match (&word.file_name, word.kind) {
        (Some(name), _) => name.clone(),
        (None, WordKind::Literal) => word.text.rsplit('/').next().unwrap_or_default().to_owned(),
        (None, _) => word.source.trim_matches('"').to_owned(),
    }
}

/// Returns a word without the quotes around it, even if it contains an expansion.
pub(super) fn remove_outer_quotes(word: &Word) -> &str {
    if word.kind == WordKind::Literal {
        return &word.text;
    }
    let inner = word.source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(&word.source)
}

impl Stream {
    /// Returns the text and whether parts of it are missing, for a command.
    pub(super) fn shared_text_and_gaps(&mut self) -> (Option<Arc<str>>, bool) {
        if self.shared.is_none() && !self.text.is_empty() {
            self.shared = Some(self.text.as_str().into());
        }
        (self.shared.clone(), self.lacks)
    }
}
