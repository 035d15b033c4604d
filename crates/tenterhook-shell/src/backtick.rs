//! Finds a substitution in a text that the grammar did not split, and removes the escapes between
//! two backticks. Knows only escapes.

/// Returns the position of the first unescaped substitution in a text without quotes.
pub(super) fn find_substitution(text: &str) -> Option<usize> {
    let mut escaped = false;
    let mut dollar = false;
    for (at, c) in text.char_indices() {
        let before = dollar;
        dollar = c == '$' && !escaped;
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return Some(at),
            '(' if before => return Some(at - 1),
            _ => {}
        }
    }
    None
}

pub(super) fn unescape_backticks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some('`' | '\\' | '$') if c == '\\' => plain.extend(chars.next()),
            _ => plain.push(c),
        }
    }
    plain
}
