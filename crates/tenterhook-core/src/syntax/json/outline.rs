//! Which brackets and strings of a text are open? For words about what breaks it; knows no value.

use crate::syntax::MAX_DEPTH;

/// The brackets of a text outside strings and comments, found in one pass and without recursion.
pub(super) struct Outline {
    /// Brackets that are still open at the end, outermost first.
    pub(super) open: Vec<(usize, char)>,
    /// The bracket that opens one level too many; the pass ends there.
    pub(super) too_deep: Option<usize>,
    /// The first string that is still open at the end of its line.
    pub(super) open_string: Option<usize>,
}

impl Outline {
    pub(super) fn new(text: &str, end: usize) -> Self {
        Self::with_quotes(text, end, b"\"")
    }

    /// The brackets of a JSON5 text, whose strings may have single quotes.
    pub(super) fn of_json5(text: &str) -> Self {
        Self::with_quotes(text, text.len(), b"\"'")
    }

    fn with_quotes(text: &str, end: usize, quotes: &[u8]) -> Self {
        let mut outline = Self { open: Vec::new(), too_deep: None, open_string: None };
        let bytes = text.as_bytes().get(..end).unwrap_or_default();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                quote if quotes.contains(quote) => at = outline.skip_string(bytes, at, *quote),
                b'/' if bytes.get(at + 1) == Some(&b'/') => at = skip_past_mark(bytes, at, b"\n"),
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    at = skip_past_mark(bytes, at + 2, b"*/")
                }
                b'{' | b'[' => {
                    outline.open.push((at, char::from(*byte)));
                    if outline.open.len() > MAX_DEPTH {
                        outline.too_deep = Some(at);
                        return outline;
                    }
                }
                b'}' | b']' => drop(outline.open.pop()),
                _ => {}
            }
            at += 1;
        }
        outline
    }

    /// Returns the offset of the quote that closes the string at `start`.
    fn skip_string(&mut self, bytes: &[u8], start: usize, quote: u8) -> usize {
        let mut at = start + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                byte if *byte == quote => return at,
                b'\\' => at += 1,
                b'\n' if self.open_string.is_none() => self.open_string = Some(start),
                _ => {}
            }
            at += 1;
        }
        self.open_string = self.open_string.or(Some(start));
        at
    }
}

/// Returns the offset of the last byte of the first `mark` at or after `from`.
fn skip_past_mark(bytes: &[u8], from: usize, mark: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let found = rest.windows(mark.len()).position(|window| window == mark);
    found.map_or(bytes.len(), |at| from + at + mark.len() - 1)
}
