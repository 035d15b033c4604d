//! The samples that real agents wrote, repeated to files of any length, each time as another
//! session. Measures nothing.

use std::io::{self, BufRead, Read};
use std::path::Path;

use tenterhook_core::transcript::{Action, Decoder, Lines, TranscriptAgent};

/// What one agent wrote.
pub(crate) struct Sample {
    pub(crate) agent: TranscriptAgent,
    text: Vec<u8>,
    /// How many calls are in it.
    calls: usize,
    /// Where the session's name stands in it.
    names: Vec<usize>,
    name: usize,
}

/// The files that are repeated: one of each agent that writes lines.
const FILES: &[&str] = &[
    "claude-2.1.330-main-resumed.jsonl",
    "codex-0.169.0-gpt5-main-resumed.jsonl",
    "copilot-1.0.102-main-resumed.jsonl",
    "qwen-0.15.10-main-resumed.jsonl",
];

pub(crate) fn samples() -> Vec<Sample> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/observed/transcripts");
    FILES.iter().map(|name| Sample::new(std::fs::read(place.join(name)).expect(name))).collect()
}

impl Sample {
    fn new(mut text: Vec<u8>) -> Self {
        if text.last() != Some(&b'\n') {
            text.push(b'\n');
        }
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let agent = TranscriptAgent::recognize_by_line(first).expect("an agent");
        let mut decoder = Decoder::new(agent);
        let mut lines = Lines::new(&*text);
        let mut calls = 0;
        while let Some(line) = lines.read_line().expect("memory") {
            decoder.decode_line(line, &mut |record| {
                calls += usize::from(matches!(record.action, Action::Call(_)))
            });
        }
        let session = decoder.facts_so_far().session.clone().unwrap_or_default();
        let name = session.len();
        let found = |at: &usize| text.get(*at..at + name) == Some(session.as_bytes());
        let names = (0..text.len()).filter(|_| name > 0).filter(found).collect();
        Self { agent, text, calls: calls.max(1), names, name }
    }

    /// A file of at least so many calls.
    pub(crate) fn repeated(&self, calls: usize) -> Repeated<'_> {
        let times = calls.div_ceil(self.calls);
        Repeated { of: self, text: self.text.clone(), at: self.text.len(), round: 0, times }
    }
}

/// The text of a sample, many times over; nothing of it is kept.
pub(crate) struct Repeated<'a> {
    of: &'a Sample,
    text: Vec<u8>,
    at: usize,
    round: usize,
    times: usize,
}

impl Repeated<'_> {
    /// Begins the next round, in a session of another name as long as the first.
    fn next(&mut self) {
        self.round += 1;
        self.at = 0;
        let width = self.of.name;
        let name = format!("{:0width$}", self.round);
        for at in &self.of.names {
            if let Some(place) = self.text.get_mut(*at..at + width) {
                place
                    .copy_from_slice(name.as_bytes().get(name.len() - width..).unwrap_or_default());
            }
        }
    }
}

impl Read for Repeated<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let part = self.fill_buf()?;
        let taken = part.len().min(into.len());
        for (place, byte) in into.iter_mut().zip(part) {
            *place = *byte;
        }
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for Repeated<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.text.len() && self.round < self.times {
            self.next();
        }
        // As much at once as a file is read.
        let end = self.text.len().min(self.at + (64 << 10));
        Ok(self.text.get(self.at..end).unwrap_or_default())
    }

    fn consume(&mut self, taken: usize) {
        self.at += taken;
    }
}
