//! Separates the code of a Rust file from its comments and strings. Both parts keep the offsets of the file.

/// A Rust file in two parts of the same length, each with spaces in place of the other.
pub(super) struct Parts {
    /// Without comments, and without what stands between quotes.
    pub(super) code: String,
    /// Comments and the content of strings.
    pub(super) prose: String,
}

/// Splits the text of a Rust file.
pub(super) fn split(text: &str) -> Parts {
    let mut parts =
        Parts { code: String::with_capacity(text.len()), prose: String::with_capacity(text.len()) };
    let mut rest = text;
    while let Some((start, length)) = next_prose(rest) {
        let (code, tail) = rest.split_at(start);
        let (prose, tail) = tail.split_at(length);
        push(&mut parts.code, &mut parts.prose, code);
        push(&mut parts.prose, &mut parts.code, prose);
        rest = tail;
    }
    push(&mut parts.code, &mut parts.prose, rest);
    parts
}

/// Appends `text` to one part and blanks of the same length to the other.
fn push(to: &mut String, other: &mut String, text: &str) {
    to.push_str(text);
    let mut lines = text.split('\n');
    if let Some(first) = lines.next() {
        other.push_str(&" ".repeat(first.len()));
    }
    for line in lines {
        other.push('\n');
        other.push_str(&" ".repeat(line.len()));
    }
}

/// Start and length of the first comment or string; without their marks where these would read as prose.
fn next_prose(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let found = text.as_bytes().get(from..)?.iter().position(|b| b"\"'/".contains(b))?;
        let at = from + found;
        let tail = text.get(at..)?;
        let length = if tail.starts_with("//") {
            Some(tail.find('\n').unwrap_or(tail.len()))
        } else if tail.starts_with("/*") {
            Some(tail.find("*/").map_or(tail.len(), |end| end + 2))
        } else if tail.starts_with('"') {
            Some(string_length(text.get(..at)?, tail))
        } else {
            None
        };
        match length {
            Some(length) => return Some((at, length)),
            None => from = at + skipped(tail),
        }
    }
}

/// Length of the string that begins here. Hashes before its quote make it a raw one, which knows no escapes.
fn string_length(before: &str, text: &str) -> usize {
    let trimmed = before.trim_end_matches('#');
    let hashes = before.len() - trimmed.len();
    if trimmed.ends_with('r') {
        let end = format!("\"{}", "#".repeat(hashes));
        return text.get(1..).and_then(|tail| tail.find(&end)).map_or(text.len(), |at| at + 2);
    }
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// How many bytes to go on after a `/` or a `'`: a character literal may hold a quote, a lifetime has no end.
fn skipped(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    let is_char = text.starts_with('\'');
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, c))) if is_char => {
            let after = at + c.len_utf8();
            text.get(after..).and_then(|tail| tail.find('\'')).map_or(1, |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) if is_char => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_separated_from_code() {
        for (text, code, prose) in [
            ("a(); // told\nb", "a();        \nb", "     // told\n "),
            ("f(\"it \\\" x\", y)", "f(         , y)", "  \"it \\\" x\"    "),
            ("r#\"a \" b\"# + c", "r#       # + c", "  \"a \" b\"     "),
            ("r\"\\\" + \"b\"", "r    +    ", " \"\\\"   \"b\""),
            ("x('\"', '\\'', 'a')", "x('\"', '\\'', 'a')", "                 "),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}", "                       "),
            ("1 / 2 /* who */ / 3", "1 / 2           / 3", "      /* who */    "),
            ("\"\u{e9}\u{4e00}\" a", "        a", "\"\u{e9}\u{4e00}\"  "),
        ] {
            let parts = split(text);
            assert_eq!((parts.code.as_str(), parts.prose.as_str()), (code, prose), "{text}");
            assert_eq!(parts.code.len(), text.len(), "{text}");
        }
    }
}
