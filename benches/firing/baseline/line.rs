//! The raw pipe: one line written to a program that is up, one line read from it. Also that program.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The argument with which this program answers lines instead of measuring.
pub(crate) const ANSWER_LINES: &str = "--answer-lines";

/// Answers every line with the shortest one that a worker may give: the same number, and no objection.
pub(crate) fn answer_lines() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let reply = format!("{{\"id\":{}}}\n", id(&line));
        // A reader that closed the pipe needs no more replies.
        if out.write_all(reply.as_bytes()).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// The text after the first `"id":`, without reading the whole of the JSON around it.
fn id(line: &str) -> &str {
    let after = line.split_once("\"id\":").map_or("0", |(_, after)| after);
    after.split([',', '}']).next().unwrap_or("0")
}

/// A program that is up, and the two pipes to it.
pub(crate) struct PingPong {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    reply: String,
}

impl PingPong {
    /// Starts this program as the one that answers.
    pub(crate) fn start() -> Option<Self> {
        let mut child = Command::new(std::env::current_exe().ok()?)
            .arg(ANSWER_LINES)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take()?);
        Some(Self { child, stdin, stdout, reply: String::new() })
    }

    /// One line there and one back.
    pub(crate) fn turn(&mut self, line: &[u8]) -> usize {
        self.reply.clear();
        let sent = self.stdin.as_mut().map(|stdin| stdin.write_all(line));
        assert!(matches!(sent, Some(Ok(()))), "the program that answers is gone");
        self.stdout.read_line(&mut self.reply).unwrap_or(0)
    }
}

impl Drop for PingPong {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
