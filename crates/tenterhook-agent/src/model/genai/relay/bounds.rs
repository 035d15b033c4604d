//! How much of an answer is let through, and in which pieces? Pure. It looks at lines and at the numbers of parts in them, and at
//! nothing that a protocol means.

/// How long one line, and one event of several lines, may be: a hundred times the longest that services send.
const LONGEST: usize = 1 << 20;
/// How long an answer may be: ten times one of as many tokens as are requested, each in a separate event.
const MOST: usize = 32 << 20;
/// How high the number of a call, or of another part of an answer, may be: who reads makes room for all below it.
const HIGHEST: u64 = 1000;
/// The text before such a number.
const INDEX: &[u8] = b"index\"";

/// Why the rest of an answer is not let through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::model::genai) enum BoundsError {
    #[error("its answer is longer than {} KiB", .most >> 10)]
    Answer { most: usize },
    #[error("a line of its answer is longer than {} KiB", LONGEST >> 10)]
    Line,
    #[error("a part of its answer has the number {0}, beyond {HIGHEST}")]
    Number(String),
}

/// What was let through so far.
#[derive(Debug)]
pub(super) struct Bounds {
    /// The beginning of an event that is not complete yet.
    held: Vec<u8>,
    /// How far that was looked at, and where the line begins that is not complete.
    seen: usize,
    line: usize,
    total: usize,
    most: usize,
    /// Whether an empty line ends an event; else each line is one.
    of_events: bool,
    /// Whether it passes unchanged: an error, which is not parsed here.
    plain: bool,
}

impl Bounds {
    pub(super) const fn new(of_events: bool) -> Self {
        Self { held: Vec::new(), seen: 0, line: 0, total: 0, most: MOST, of_events, plain: false }
    }

    /// Creates the bounds of an error answer, of which at most `most` bytes are read.
    pub(super) const fn for_error_body(most: usize) -> Self {
        Self { held: Vec::new(), seen: 0, line: 0, total: 0, most, of_events: false, plain: true }
    }

    /// Adds a piece. Returns the events that are complete now, or an error if a bound is exceeded.
    /// Looks at each byte once.
    pub(super) fn push_piece_and_take_events(
        &mut self,
        piece: &[u8],
    ) -> Result<Vec<u8>, BoundsError> {
        self.total += piece.len();
        if self.total > self.most {
            return Err(BoundsError::Answer { most: self.most });
        }
        if self.plain {
            return Ok(piece.to_vec());
        }
        self.held.extend_from_slice(piece);
        let (mut line, mut complete, mut at) = (self.line, 0, self.seen);
        while let Some(&byte) = self.held.get(at) {
            at += 1;
            if !matches!(byte, b'\n' | b'\r') {
                continue;
            }
            let text = self.held.get(line..at - 1).unwrap_or_default();
            if text.len() > LONGEST {
                return Err(BoundsError::Line);
            }
            check_part_numbers(text)?;
            // After `\r\n` the line between the two is empty, and ends nothing that the next one would not end.
            if !self.of_events || text.is_empty() {
                complete = at;
            }
            line = at;
        }
        let rest = self.held.split_off(complete);
        (self.seen, self.line) = (at - complete, line - complete);
        if rest.len() > LONGEST {
            return Err(BoundsError::Line);
        }
        Ok(std::mem::replace(&mut self.held, rest))
    }

    /// Returns the incomplete rest when nothing more comes.
    pub(super) fn take_rest(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.held);
        // A last line without an end is a line.
        if check_part_numbers(&rest).is_ok() { rest } else { Vec::new() }
    }
}

/// Returns an error if a part in the line has a number beyond the bounds. In a text of the model
/// the quote would have a backslash.
fn check_part_numbers(line: &[u8]) -> Result<(), BoundsError> {
    let mut rest = line;
    while let Some(at) = rest.windows(INDEX.len()).position(|window| window == INDEX) {
        rest = rest.get(at + INDEX.len()..).unwrap_or_default();
        let number = rest.trim_ascii_start().strip_prefix(b":").unwrap_or_default();
        let number = number.trim_ascii_start();
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
        let digits = String::from_utf8_lossy(number.get(..digits.count()).unwrap_or_default());
        // `1e9` is a number, too, and no service writes it.
        let exponent =
            number.get(digits.len()).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'));
        let high = digits.parse::<f64>().is_ok_and(|digit| digit > HIGHEST as f64);
        if high || exponent && !digits.is_empty() {
            return Err(BoundsError::Number(digits.into_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(of_events: bool, pieces: &[&str]) -> Result<Vec<String>, BoundsError> {
        let mut bounds = Bounds::new(of_events);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let mut all: Vec<_> = pieces
            .iter()
            .map(|piece| bounds.push_piece_and_take_events(piece.as_bytes()).map(text))
            .collect::<Result<_, _>>()?;
        all.push(text(bounds.take_rest()));
        Ok(all)
    }

    #[test]
    fn events_come_whole_and_nothing_is_lost() {
        let events = ["data: a\n", "\ndata: b\nda", "ta: c\n\ndata: d"];
        let wanted = ["", "data: a\n\n", "data: b\ndata: c\n\n", "data: d"];
        assert_eq!(through(true, &events).unwrap(), wanted);
        let lines = ["{\"a\":1}\n{\"b", "\":2}\n", "{}"];
        assert_eq!(through(false, &lines).unwrap(), ["{\"a\":1}\n", "{\"b\":2}\n", "", "{}"]);
        let returns = through(true, &["data: a\r\n\r\ndata: b\r\rx"]).unwrap().concat();
        assert_eq!(returns, "data: a\r\n\r\ndata: b\r\rx");
    }

    /// AG-21.
    #[test]
    fn what_is_too_much_is_not_let_through() {
        let long = "x".repeat(LONGEST + 1);
        assert!(through(true, &["data: ", &long]) == Err(BoundsError::Line));
        assert!(through(false, &[&format!("{long}\n")]).is_err());
        assert!(through(true, &[&"data: x\n".repeat(LONGEST / 8 + 1)]).is_err(), "one event");
        let much = "data: x\n\n".repeat(100_000);
        let pieces: Vec<&str> = std::iter::repeat_n(much.as_str(), 40).collect();
        assert!(through(true, &pieces) == Err(BoundsError::Answer { most: MOST }));
        for line in [
            r#"data: {"tool_calls":[{"index":99999999}]}"#,
            r#"data: {"tool_calls":[{"index" : 4294967295 }]}"#,
            r#"data: {"output_index":1e9}"#,
            r#"data: {"a":{"index":0},"content_index":  1001}"#,
        ] {
            assert!(through(true, &[line, "\n\n"]).is_err(), "{line}");
        }
        for line in
            [r#"{"index":127,"x":99999999}"#, r#"{"text":"\"index\":99999999"}"#, "\"index\""]
        {
            assert!(through(true, &[line, "\n\n"]).is_ok(), "{line}");
        }
    }
}
