//! Reads the lines of a file one at a time, with bounded memory. Knows no agent.

use std::io::{self, BufRead};

/// The longest line that is read as a record, in bytes. Agents write images and whole files into
/// one line, but no agent writes lines of hundreds of megabytes.
const LONGEST: usize = 64 << 20;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its content; `None` if it is too long.
    pub bytes: Option<&'a [u8]>,
    /// Whether it ends with a newline: the last line of a file that is being written may not.
    pub is_whole: bool,
}

/// Reads the lines of an input.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    longest: usize,
    /// Whether the end was reached. An agent may append to the file later, in the middle of a line.
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    /// Creates a reader of the lines of `input`.
    #[must_use]
    pub const fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0, longest: LONGEST, ended: false }
    }

    /// Reads the next line.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn read_line(&mut self) -> io::Result<Option<Line<'_>>> {
        // Free the memory of a long line at once, not at the end of the file.
        if self.line.capacity() > 1 << 20 {
            self.line = Vec::new();
        }
        self.line.clear();
        if self.ended {
            return Ok(None);
        }
        let (mut any, mut long) = (false, false);
        let is_whole = loop {
            let part = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            if part.is_empty() {
                self.ended = true;
                break false;
            }
            any = true;
            let end = memchr::memchr(b'\n', part);
            let taken = end.unwrap_or(part.len());
            long |= self.line.len() + taken > self.longest;
            if long {
                self.line = Vec::new();
            } else {
                reserve_line_capacity(&mut self.line, taken, self.longest);
                self.line.extend_from_slice(part.get(..taken).unwrap_or_default());
            }
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                break true;
            }
        };
        if !any {
            return Ok(None);
        }
        self.number += 1;
        let bytes = (!long).then_some(self.line.as_slice());
        Ok(Some(Line { number: self.number, bytes, is_whole }))
    }
}

/// Reserves capacity for `more` bytes of a line. A vector that grows by itself doubles: the longest
/// line would use three times its length during the last copy.
fn reserve_line_capacity(line: &mut Vec<u8>, more: usize, longest: usize) {
    let needed = line.len() + more;
    if needed > line.capacity() {
        let capacity = (line.capacity() + line.capacity() / 2).min(longest).max(needed);
        line.reserve_exact(capacity - line.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_line_reserves_at_most_the_longest_length() {
        let mut line = Vec::new();
        for _ in 0..1000 {
            reserve_line_capacity(&mut line, 1, 1000);
            line.push(b'a');
            assert!(line.capacity() <= 1000.max(line.len() * 3 / 2));
        }
        assert_eq!(line.capacity(), 1000);
    }

    /// TR-3: text that is appended after the end was reached is the rest of a line, not a line.
    #[test]
    fn text_appended_after_the_end_is_not_read() {
        /// A file that grows after its end was read.
        struct Growing(Vec<&'static str>);
        impl io::Read for Growing {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let part = self.0.pop().unwrap_or_default();
                into[..part.len()].copy_from_slice(part.as_bytes());
                Ok(part.len())
            }
        }
        let mut lines = Lines::new(io::BufReader::new(Growing(vec!["d\n", "c\n", "", "a\nb"])));
        let mut next =
            || lines.read_line().expect("memory").map(|line| (line.number, line.is_whole));
        assert_eq!(
            [next(), next(), next(), next()],
            [Some((1, true)), Some((2, false)), None, None]
        );
    }

    /// TR-3.
    #[test]
    fn line_above_the_limit_is_skipped() {
        let text = "a\n\nbbbbbbbbbb\nc";
        let mut lines = Lines::new(io::BufReader::with_capacity(3, text.as_bytes()));
        lines.longest = 5;
        let mut found = Vec::new();
        while let Some(line) = lines.read_line().expect("memory") {
            found.push((line.number, line.bytes.map(<[u8]>::to_vec), line.is_whole));
        }
        let some = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(
            found,
            [(1, some("a"), true), (2, some(""), true), (3, None, true), (4, some("c"), false)]
        );
    }
}
