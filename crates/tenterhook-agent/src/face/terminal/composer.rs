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
    /// Returns the typed text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text after the cursor.
    pub(super) fn text_after_cursor(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    /// Returns the text before the cursor.
    pub(super) fn text_before_cursor(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// Inserts a text at the cursor. A pasted text loses its invisible characters: a prompt must
    /// contain only text that its author can read.
    pub(super) fn insert(&mut self, text: &str) {
        let text = hooks::strip_control_text(&text.replace("\r\n", "\n").replace('\r', "\n"));
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Replaces the whole text.
    pub(super) fn set_text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.cursor = self.text.len();
    }

    /// Restores a text that was not sent. The typed text stays; the restored one can be recalled.
    pub(super) fn restore_unsent(&mut self, text: &str) {
        if self.text.is_empty() {
            self.set_text(&hooks::strip_control_text(text));
        }
    }

    /// Deletes the character before the cursor.
    pub(super) fn delete_char_before(&mut self) {
        let end = self.cursor;
        self.move_left();
        self.text.drain(self.cursor..end);
    }

    /// Deletes the word before the cursor.
    pub(super) fn delete_word_before(&mut self) {
        while self.text_before_cursor().ends_with(' ') {
            self.delete_char_before();
        }
        while self.text_before_cursor().chars().next_back().is_some_and(|c| !c.is_whitespace()) {
            self.delete_char_before();
        }
    }

    /// Moves the cursor left by one character.
    pub(super) fn move_left(&mut self) {
        self.cursor -= self.text_before_cursor().graphemes(true).next_back().map_or(0, str::len);
    }

    /// Moves the cursor right by one character.
    pub(super) fn move_right(&mut self) {
        self.cursor += self.text_after_cursor().graphemes(true).next().map_or(0, str::len);
    }

    /// Moves the cursor to the start.
    pub(super) const fn move_to_start(&mut self) {
        self.cursor = 0;
    }

    /// Moves the cursor to the end.
    pub(super) const fn move_to_end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Takes the text to send it; `None` if it is empty. The text can be recalled.
    pub(super) fn take_text(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.text);
        (self.cursor, self.back) = (0, 0);
        if text.trim().is_empty() {
            return None;
        }
        self.sent.push(text.clone());
        Some(text)
    }

    /// Shows the text that was sent before the shown one.
    pub(super) fn recall_older(&mut self) {
        if self.back < self.sent.len() {
            if self.back == 0 {
                self.draft = std::mem::take(&mut self.text);
            }
            self.back += 1;
            self.show_recalled();
        }
    }

    /// Shows the text that was sent after the shown one, and finally the text that was being typed.
    pub(super) fn recall_newer(&mut self) {
        if self.back > 0 {
            self.back -= 1;
            self.show_recalled();
        }
    }

    fn show_recalled(&mut self) {
        let at = self.sent.len() - self.back;
        let text = self.sent.get(at).cloned().unwrap_or_else(|| std::mem::take(&mut self.draft));
        self.set_text(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_any_width_are_typed_and_removed_whole() {
        let mut composer = Composer::default();
        composer.insert("an\u{303}b🦀");
        composer.move_left();
        composer.delete_char_before();
        assert_eq!((composer.text(), composer.text_before_cursor()), ("an\u{303}🦀", "an\u{303}"));
        composer.move_right();
        composer.move_right();
        composer.delete_char_before();
        composer.delete_word_before();
        assert_eq!(composer.text(), "");
        composer.delete_char_before();
        composer.move_left();
    }

    #[test]
    fn draft_comes_back_after_older_texts_were_shown() {
        let mut composer = Composer::default();
        composer.insert("sent");
        let _ = composer.take_text();
        composer.insert("a draft");
        composer.recall_older();
        assert_eq!(composer.text(), "sent");
        composer.recall_newer();
        assert_eq!(composer.text(), "a draft");
    }

    #[test]
    fn what_was_sent_comes_back() {
        let mut composer = Composer::default();
        for text in ["one", "two"] {
            composer.insert(text);
            assert_eq!(composer.take_text().as_deref(), Some(text));
        }
        assert_eq!(composer.take_text(), None);
        composer.recall_older();
        composer.recall_older();
        composer.recall_older();
        assert_eq!(composer.text(), "one");
        composer.recall_newer();
        composer.recall_newer();
        assert_eq!(composer.text(), "");
    }
}
