//! The output of `echo` and `printf`. Knows their options, formats and escapes; expands nothing.

use super::stream::{MOST_BYTES, Stream, remove_outer_quotes};
use super::word::{Word, WordKind};

/// Returns the output of an `echo` command: `echo -e 'a b'`.
pub(super) fn echo_output(words: &[Word]) -> Stream {
    let is_option = |word: &&Word| {
        let letters = word.text.strip_prefix('-').filter(|letters| !letters.is_empty());
        letters.is_some_and(|letters| letters.chars().all(|c| "neE".contains(c)))
    };
    let options = words.iter().take_while(is_option).count();
    let (options, said) = words.split_at(options);
    let mut stream = join_words(said, " ");
    if options.iter().any(|word| word.text.contains('e')) {
        stream.text = replace_escapes(&stream.text);
    }
    if !options.iter().any(|word| word.text.contains('n')) {
        stream.text.push('\n');
    }
    stream
}

/// Returns the output of a `printf` command such as `printf '%s ' a b`, or `None` if it goes into a
/// variable.
pub(super) fn printf_output(words: &[Word]) -> Option<Stream> {
    let words = match words.first().map(|word| word.text.as_str()) {
        Some("-v") => return None,
        Some("--") => words.get(1..)?,
        _ => words,
    };
    let (format, values) = words.split_first()?;
    let mut stream = Stream { lacks: format.kind != WordKind::Literal, ..Stream::default() };
    let format = replace_escapes(remove_outer_quotes(format));
    let mut values = values.iter();
    loop {
        let before = values.len();
        let mut pieces = format.split('%');
        stream.text.push_str(pieces.next().unwrap_or_default());
        let mut is_percent = false;
        for piece in pieces {
            if std::mem::take(&mut is_percent) {
                stream.text.push_str(piece);
                continue;
            }
            if piece.is_empty() {
                stream.text.push('%');
                is_percent = true;
                continue;
            }
            let at = piece.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
            let (directive, rest) = piece.split_at_checked(at + 1).unwrap_or((piece, ""));
            if let Some(value) = values.next() {
                stream.lacks |= value.kind != WordKind::Literal;
                let value = remove_outer_quotes(value);
                match directive.ends_with('b') {
                    true => stream.text.push_str(&replace_escapes(value)),
                    false => stream.text.push_str(value),
                }
            }
            stream.text.push_str(rest);
        }
        // The format is used again for the remaining values.
        if values.len() == 0 || values.len() == before || stream.text.len() > MOST_BYTES {
            return Some(stream);
        }
    }
}

fn join_words(words: &[Word], between: &str) -> Stream {
    let text = words.iter().map(remove_outer_quotes).collect::<Vec<_>>().join(between);
    let lacks = words.iter().any(|word| word.kind != WordKind::Literal);
    Stream { text, lacks, ..Stream::default() }
}

/// Replaces the escapes of `echo -e` and `printf` in a text.
fn replace_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let radix = match chars.peek() {
            Some('x') => {
                chars.next();
                Some((16, 2))
            }
            Some('0'..='7') => Some((8, 4)),
            _ => None,
        };
        let Some((radix, most)) = radix else {
            plain.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            });
            continue;
        };
        let mut value = 0;
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value * radix + digit;
            chars.next();
        }
        plain.extend(char::from_u32(value));
    }
    plain
}
