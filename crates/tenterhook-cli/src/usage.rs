//! The tokens of a session, read from its transcript as it grows: each call reads only the lines that are new (UG-2). Judges nothing.

use std::fs::Metadata;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde_json::{Map, Value};
use tenterhook::Event;
use tenterhook::internal::discover;
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{Hook, Layer, Run};
use tenterhook_core::transcript::{TranscriptAgent, Usage};

use crate::call_notes::stable_text_hash;
use crate::session_store::{SessionStore, open_private_file};

/// How much of a transcript one call reads.
const MOST: u64 = 256 << 20;
/// How much of it is in memory at once, unless a line is longer.
const CHUNK: u64 = 256 << 10;
/// Longest line that is read. A longer one has no tokens that can be read.
const LONGEST_LINE: u64 = 16 << 20;
/// How many bytes before the read part show that the file is still the same.
const TAIL: u64 = 64;
/// Largest state file.
const LARGEST: u64 = 1 << 10;
/// The field of the event.
const FIELD: &str = "usage";

/// Adds the tokens of the session to the event, if a hook may use them and the agent's transcript has them.
pub(crate) fn add_usage(
    event: &mut Event,
    agent: DialectId,
    ruleset: &Ruleset,
    kept: Option<&SessionStore>,
) {
    let (Some(agent), Some(kept)) = (TranscriptAgent::with_usage(agent.as_str()), kept) else {
        return;
    };
    let Some(transcript) = event.within.transcript.clone() else { return };
    if !ruleset.hooks().iter().any(|hook| may_use_usage(hook, event)) {
        return;
    }
    let growing = GrowingUsage { agent, transcript, state: kept.path("usage") };
    let usage = match growing.read_new_lines() {
        // Before its first message, a session has no transcript.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !growing.state.exists() => {
            Ok(Usage::default())
        }
        read => read,
    };
    if let Ok(usage) = usage {
        event.within.facts.insert(FIELD.to_owned(), usage_json(agent, &usage));
    }
}

/// Returns whether a hook may run for the event and read its field. A rule reads it only if it names it.
fn may_use_usage(hook: &Hook, event: &Event) -> bool {
    let reads = match &hook.run {
        Run::Rule(rule) => rule.mentions(FIELD),
        _ => true,
    };
    hook.layer != Layer::BuiltIn && hook.event == event.name && reads
}

fn usage_json(agent: TranscriptAgent, usage: &Usage) -> Value {
    let mut fields = Map::new();
    fields.insert("output_tokens".to_owned(), usage.output_tokens().into());
    fields.insert("context_tokens".to_owned(), usage.context.into());
    // Before the first answer, the window is empty, whatever its size.
    let share = if usage.context == 0 { Some(0.0) } else { usage.context_share(agent) };
    if let Some(share) = share {
        fields.insert("context_share".to_owned(), share.into());
    }
    Value::Object(fields)
}

/// A transcript that grows, and the file with what was read of it.
#[derive(Debug)]
struct GrowingUsage {
    agent: TranscriptAgent,
    transcript: PathBuf,
    state: PathBuf,
}

/// How far a transcript was read, and what was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    /// The file that was read, so that a different file in its place is read anew.
    identity: [u64; 2],
    /// Where the first line begins that was not read.
    offset: u64,
    /// A hash of the bytes before the offset.
    tail: u64,
    usage: Usage,
}

impl GrowingUsage {
    /// Reads the new whole lines of the transcript. One that was replaced, that shrank, or whose
    /// read part changed is read from its start.
    fn read_new_lines(&self) -> io::Result<Usage> {
        let (mut file, metadata) = discover::open(&self.transcript)?;
        let before = self.read_progress();
        let mut progress =
            before.filter(|progress| progress.identity == identity(&metadata)).unwrap_or_default();
        if progress.offset > metadata.len()
            || progress.tail != hash_of_tail(&mut file, progress.offset)?
        {
            progress = Progress::default();
        }
        progress.identity = identity(&metadata);
        if progress.offset < metadata.len() {
            let end = metadata.len().min(progress.offset.saturating_add(MOST));
            self.read_whole_lines(&mut file, end, &mut progress)?;
            progress.tail = hash_of_tail(&mut file, progress.offset)?;
        }
        if before != Some(progress) {
            // The next call reads the same lines again if this fails.
            let _ = self.write_progress(&progress);
        }
        Ok(progress.usage)
    }

    /// Reads the lines that end before `end`, chunk by chunk.
    fn read_whole_lines(
        &self,
        file: &mut (impl Read + Seek),
        end: u64,
        progress: &mut Progress,
    ) -> io::Result<()> {
        let (mut bytes, mut chunk) = (Vec::new(), CHUNK);
        while progress.offset < end {
            let wanted = chunk.min(end - progress.offset);
            file.seek(SeekFrom::Start(progress.offset))?;
            bytes.clear();
            bytes.reserve(usize::try_from(wanted).unwrap_or_default() + 1);
            (&mut *file).take(wanted).read_to_end(&mut bytes)?;
            let read = match bytes.iter().rposition(|byte| *byte == b'\n') {
                Some(end) => end + 1,
                None if chunk >= LONGEST_LINE && bytes.len() as u64 == chunk => bytes.len(),
                // The line is longer than the chunk, or not whole yet.
                None if bytes.len() as u64 == chunk => {
                    chunk = LONGEST_LINE;
                    continue;
                }
                None => return Ok(()),
            };
            let lines = bytes.get(..read).unwrap_or_default();
            progress.usage.add_lines(self.agent, lines, stable_text_hash);
            progress.offset += read as u64;
        }
        Ok(())
    }

    /// Reads the state; a torn or foreign one is ignored.
    fn read_progress(&self) -> Option<Progress> {
        let (file, _) = discover::open(&self.state).ok()?;
        let mut text = String::with_capacity(256);
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let (text, check) = text.trim_end().rsplit_once(' ')?;
        if format!("{:x}", stable_text_hash(text)) != check {
            return None;
        }
        let numbers: Vec<u64> = text.split(' ').map_while(|word| word.parse().ok()).collect();
        let &[
            device,
            inode,
            offset,
            tail,
            settled_output,
            last_output,
            last_id,
            context,
            largest_context,
            window,
        ] = numbers.as_slice()
        else {
            return None;
        };
        let usage =
            Usage { settled_output, last_output, last_id, context, largest_context, window };
        Some(Progress { identity: [device, inode], offset, tail, usage })
    }

    /// Writes the state in one piece. Two calls at once may both write: each state is true of the
    /// part of the transcript that it names.
    fn write_progress(&self, progress: &Progress) -> io::Result<()> {
        if let Some(directory) = self.state.parent().filter(|directory| !directory.is_dir()) {
            discover::create_private_dir(directory)?;
        }
        let Progress { identity: [device, inode], offset, tail, usage } = progress;
        let Usage { settled_output, last_output, last_id, context, largest_context, window } =
            usage;
        let text = format!(
            "{device} {inode} {offset} {tail} {settled_output} {last_output} {last_id} {context} {largest_context} {window}"
        );
        let line = format!("{text} {:x}\n", stable_text_hash(&text));
        let mut file = open_private_file(&self.state, false)?;
        file.write_all(line.as_bytes())?;
        file.set_len(line.len() as u64)
    }
}

/// Returns the numbers by which the system knows a file.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> [u64; 2] {
    use std::os::unix::fs::MetadataExt;

    [metadata.dev(), metadata.ino()]
}

#[cfg(not(unix))]
const fn identity(_: &Metadata) -> [u64; 2] {
    [0, 0]
}

/// Hashes the bytes before `offset`; 0 at the start of the file.
fn hash_of_tail(file: &mut (impl Read + Seek), offset: u64) -> io::Result<u64> {
    if offset == 0 {
        return Ok(0);
    }
    file.seek(SeekFrom::Start(offset.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL.min(offset)).read_to_end(&mut bytes)?;
    Ok(stable_text_hash(&String::from_utf8_lossy(&bytes)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn line(id: &str, input: u64, output: u64) -> String {
        let usage = json!({ "input_tokens": input, "output_tokens": output });
        format!("{}\n", json!({ "message": { "id": id, "usage": usage } }))
    }

    fn append(path: &Path, text: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn growing(directory: &tempfile::TempDir) -> GrowingUsage {
        GrowingUsage {
            agent: TranscriptAgent::Claude,
            transcript: directory.path().join("t.jsonl"),
            state: directory.path().join("sessions/s.usage"),
        }
    }

    fn tokens(growing: &GrowingUsage) -> (u64, u64) {
        let usage = growing.read_new_lines().unwrap();
        (usage.output_tokens(), usage.context)
    }

    /// UG-2: only whole new lines, whose answer may go on.
    #[test]
    fn new_lines_of_a_growing_transcript_are_added() {
        let directory = tempfile::tempdir().unwrap();
        let growing = growing(&directory);
        assert!(growing.read_new_lines().is_err(), "there is no transcript yet");
        append(&growing.transcript, &line("a", 100, 5));
        assert_eq!(tokens(&growing), (5, 105));
        let next = line("a", 100, 9);
        append(&growing.transcript, next.split_at(20).0);
        assert_eq!(tokens(&growing), (5, 105), "half a line is not read");
        append(&growing.transcript, next.split_at(20).1);
        append(&growing.transcript, &line("b", 200, 1));
        assert_eq!(tokens(&growing), (10, 201));
        assert_eq!(tokens(&growing), (10, 201));
        assert_eq!(
            growing.read_progress().unwrap().offset,
            std::fs::metadata(&growing.transcript).unwrap().len()
        );
    }

    /// UG-2.
    #[test]
    fn transcript_that_shrank_or_was_replaced_is_read_anew() {
        let directory = tempfile::tempdir().unwrap();
        let growing = growing(&directory);
        append(&growing.transcript, &(line("a", 100, 5) + &line("b", 100, 5)));
        assert_eq!(tokens(&growing), (10, 105));
        std::fs::write(&growing.transcript, line("c", 7, 1)).unwrap();
        assert_eq!(tokens(&growing), (1, 8), "it shrank");
        std::fs::write(&growing.transcript, line("d", 7, 2) + &line("e", 7, 2) + &line("f", 7, 2))
            .unwrap();
        assert_eq!(tokens(&growing), (6, 9), "the same file has other lines");
        let other = directory.path().join("other");
        append(&other, &(line("g", 9, 1) + &line("h", 9, 1) + &line("i", 9, 1) + &line("j", 9, 1)));
        std::fs::rename(&other, &growing.transcript).unwrap();
        assert_eq!(tokens(&growing), (4, 10), "another file has its name");
    }

    /// UG-2: a long transcript is read whole by one call, also behind a line of any length.
    #[test]
    fn long_transcript_is_read_by_one_call() {
        let directory = tempfile::tempdir().unwrap();
        let growing = growing(&directory);
        let filler = format!("{}\n", "x".repeat(3_000));
        let long = format!("{}\n", "y".repeat(300 << 10));
        append(&growing.transcript, &line("a", 100, 5));
        append(&growing.transcript, &filler.repeat(200));
        append(&growing.transcript, &line("b", 100, 5));
        append(&growing.transcript, &long);
        append(&growing.transcript, &format!("{}\n", "z".repeat(17 << 20)));
        append(&growing.transcript, &line("c", 200, 5));
        append(&growing.transcript, "{\"half");
        assert_eq!(tokens(&growing), (15, 205));
        append(&growing.transcript, &format!("\"}}\n{}", line("d", 300, 5)));
        assert_eq!(tokens(&growing), (20, 305));
    }

    /// UG-2: a torn or foreign state is ignored.
    #[test]
    fn unreadable_state_is_read_anew() {
        let directory = tempfile::tempdir().unwrap();
        let growing = growing(&directory);
        append(&growing.transcript, &line("a", 100, 5));
        for state in ["", "1 2", "1 2 3 4 5 6 7 8 9 10 0\n", "\u{0}\u{1}"] {
            std::fs::create_dir_all(growing.state.parent().unwrap()).unwrap();
            std::fs::write(&growing.state, state).unwrap();
            assert_eq!(tokens(&growing), (5, 105), "{state:?}");
        }
        std::fs::remove_file(&growing.state).unwrap();
        std::fs::create_dir(&growing.state).unwrap();
        assert_eq!(tokens(&growing), (5, 105), "nothing can be written");
    }
}
