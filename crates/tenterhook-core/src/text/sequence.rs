//! Measures ECMA-48 escape sequences, so that they can be taken out whole (H-3). Interprets none.

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';
/// String terminator as one character; as two it is `ESC \`.
const ST: char = '\u{9c}';
/// Cancel and substitute end any sequence.
const ABORT: [char; 2] = ['\u{18}', '\u{1a}'];

/// If `first` begins an escape sequence, how many bytes of `rest` belong to it.
pub(super) fn length(first: char, rest: &str) -> Option<usize> {
    let introducer = match first {
        ESC => rest.chars().next(),
        // The one-character form of `ESC [` is U+009B, and so on: 64 apart.
        '\u{80}'..='\u{9f}' => char::from_u32(u32::from(first) - 0x40),
        _ => return None,
    };
    // The introducer is part of `rest` only in its two-character form.
    let skip = if first == ESC { 1 } else { 0 };
    let body = rest.get(skip..).unwrap_or_default();
    match introducer {
        Some('[') => Some(skip + control(body)),
        Some(']') => Some(skip + string(body, true)),
        Some('P' | 'X' | '^' | '_') => Some(skip + string(body, false)),
        _ if first == ESC => Some(escape(rest)),
        // The other C1 characters stand alone; they are controls, not sequences.
        _ => None,
    }
}

/// Parameters, intermediates, one final byte. A sequence that breaks off ends before what does not belong to it.
fn control(body: &str) -> usize {
    let parameters = span(body, '0'..='?');
    let rest = body.get(parameters..).unwrap_or_default();
    finish(parameters, rest, '@'..='~')
}

/// `ESC`, intermediates, one final byte.
fn escape(rest: &str) -> usize {
    finish(0, rest, '0'..='~')
}

fn finish(before: usize, rest: &str, finals: std::ops::RangeInclusive<char>) -> usize {
    let intermediates = span(rest, ' '..='/');
    let last = rest.get(intermediates..).and_then(|rest| rest.chars().next());
    before + intermediates + usize::from(last.is_some_and(|c| finals.contains(&c)))
}

fn span(text: &str, range: std::ops::RangeInclusive<char>) -> usize {
    text.find(|c| !range.contains(&c)).unwrap_or(text.len())
}

/// Everything up to the terminator. Without one, up to the end of the line: a terminal would swallow what follows, a
/// reader should see it. Only an operating system command (title, link, clipboard) ends with BEL.
fn string(body: &str, bell: bool) -> usize {
    for (at, c) in body.char_indices() {
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => return at,
            BEL if bell => return at + 1,
            ST => return at + c.len_utf8(),
            c if ABORT.contains(&c) => return at + 1,
            ESC if body.get(at + 1..).is_some_and(|rest| rest.starts_with('\\')) => return at + 2,
            // Any other escape ends the string and begins a new sequence.
            ESC => return at,
            _ => {}
        }
    }
    body.len()
}
