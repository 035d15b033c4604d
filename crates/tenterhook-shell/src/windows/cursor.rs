//! Where does the reader of a line stand, and what comes next? Knows no language.

/// A position in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) const fn position(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the text from `start` to the current position.
    pub(super) fn text_since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub(super) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    /// The character before the next one.
    pub(super) fn previous_char(&self) -> Option<char> {
        self.text.get(..self.at).and_then(|text| text.chars().next_back())
    }

    pub(super) fn next_char(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn starts_with(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }

    pub(super) fn eat_text(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Takes characters while `is` returns true for them.
    pub(super) fn take_while(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Takes everything up to and including `end`. Returns `None` if `end` does not follow.
    pub(super) fn take_through_end(&mut self, end: &str) -> Option<&'a str> {
        let rest = self.rest();
        let found = rest.find(end)?;
        self.at += found + end.len();
        rest.get(..found)
    }

    /// Moves to the end of the line or the text.
    pub(super) fn skip_to_line_end(&mut self) {
        self.take_while(|c| c != '\n');
    }

    pub(super) fn move_back_to(&mut self, at: usize) {
        self.at = at;
    }
}
