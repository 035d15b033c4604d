//! The line that a person types: text, cursor, and what was sent before. Pure.

use unicode_segmentation::UnicodeSegmentation;

use crate::hooks;

/// The composer.
#[derive(Clone, Debug, Default)]
pub(super) struct Composer {
    text: String,
    /// Where the cursor is, in bytes, always between characters.
    cursor: usize,
    sent: Vec<String>,
    /// Which of them is shown, counted from the newest.
    back: usize,
    /// The text that was being typed when older ones were recalled.
    draft: String,
}

impl Composer {
    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text from the cursor.
    pub(super) fn after(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    /// The text up to the cursor.
    pub(super) fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// Puts a text at the cursor. A pasted text loses its invisible characters: a prompt must contain only text that its author can read.
    pub(super) fn insert(&mut self, text: &str) {
        let text = hooks::safe(&text.replace("\r\n", "\n").replace('\r', "\n"));
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Replaces everything.
    pub(super) fn set(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.cursor = self.text.len();
    }

    /// Restores a text that was not sent. The typed text stays; the restored one can be recalled.
    pub(super) fn give_back(&mut self, text: &str) {
        if self.text.is_empty() {
            self.set(&hooks::safe(text));
        }
    }

    /// Removes the character before the cursor.
    pub(super) fn backspace(&mut self) {
        let end = self.cursor;
        self.left();
        self.text.drain(self.cursor..end);
    }

    /// Removes the word before the cursor.
    pub(super) fn backspace_word(&mut self) {
        while self.before().ends_with(' ') {
            self.backspace();
        }
        while self.before().chars().next_back().is_some_and(|c| !c.is_whitespace()) {
            self.backspace();
        }
    }

    /// Moves the cursor by one character.
    pub(super) fn left(&mut self) {
        self.cursor -= self.before().graphemes(true).next_back().map_or(0, str::len);
    }

    /// Moves the cursor by one character.
    pub(super) fn right(&mut self) {
        self.cursor += self.after().graphemes(true).next().map_or(0, str::len);
    }

    /// Moves the cursor to the start.
    pub(super) const fn home(&mut self) {
        self.cursor = 0;
    }

    /// Moves the cursor to the end.
    pub(super) const fn end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Takes the text to send it; nothing where it is empty. It can be recalled.
    pub(super) fn send(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.text);
        (self.cursor, self.back) = (0, 0);
        if text.trim().is_empty() {
            return None;
        }
        self.sent.push(text.clone());
        Some(text)
    }

    /// Shows what was sent before.
    pub(super) fn older(&mut self) {
        if self.back < self.sent.len() {
            if self.back == 0 {
                self.draft = std::mem::take(&mut self.text);
            }
            self.back += 1;
            self.recall();
        }
    }

    /// Shows what was sent after that, and at last the text that was being typed.
    pub(super) fn newer(&mut self) {
        if self.back > 0 {
            self.back -= 1;
            self.recall();
        }
    }

    fn recall(&mut self) {
        let at = self.sent.len() - self.back;
        let text = self.sent.get(at).cloned().unwrap_or_else(|| std::mem::take(&mut self.draft));
        self.set(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_any_width_are_typed_and_removed_whole() {
        let mut composer = Composer::default();
        composer.insert("an\u{303}b🦀");
        composer.left();
        composer.backspace();
        assert_eq!((composer.text(), composer.before()), ("an\u{303}🦀", "an\u{303}"));
        composer.right();
        composer.right();
        composer.backspace();
        composer.backspace_word();
        assert_eq!(composer.text(), "");
        composer.backspace();
        composer.left();
    }

    #[test]
    fn draft_comes_back_after_older_texts_were_shown() {
        let mut composer = Composer::default();
        composer.insert("sent");
        let _ = composer.send();
        composer.insert("a draft");
        composer.older();
        assert_eq!(composer.text(), "sent");
        composer.newer();
        assert_eq!(composer.text(), "a draft");
    }

    #[test]
    fn what_was_sent_comes_back() {
        let mut composer = Composer::default();
        for text in ["one", "two"] {
            composer.insert(text);
            assert_eq!(composer.send().as_deref(), Some(text));
        }
        assert_eq!(composer.send(), None);
        composer.older();
        composer.older();
        composer.older();
        assert_eq!(composer.text(), "one");
        composer.newer();
        composer.newer();
        assert_eq!(composer.text(), "");
    }
}
