//! Measures ECMA-48 escape sequences, so that they can be taken out whole (H-3). Interprets none.

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';
/// String terminator as one character; as two it is `ESC \`.
const ST: char = '\u{9c}';
/// Cancel and substitute end any sequence.
const ABORT: [char; 2] = ['\u{18}', '\u{1a}'];

/// Returns how many bytes of `rest` belong to the escape sequence that `first` begins, if it begins
/// one.
pub(super) fn escape_sequence_length(first: char, rest: &str) -> Option<usize> {
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
        Some('[') => Some(skip + control_sequence_length(body)),
        Some(']') => Some(skip + string_sequence_length(body, true)),
        Some('P' | 'X' | '^' | '_') => Some(skip + string_sequence_length(body, false)),
        _ if first == ESC => Some(simple_escape_length(rest)),
        // The other C1 characters stand alone; they are controls, not sequences.
        _ => None,
    }
}

/// Returns the length of parameters, intermediates and one final byte. A truncated sequence ends
/// before the first byte that does not belong to it.
fn control_sequence_length(body: &str) -> usize {
    let parameters = prefix_length_in_range(body, '0'..='?');
    let rest = body.get(parameters..).unwrap_or_default();
    length_with_final_byte(parameters, rest, '@'..='~')
}

/// Returns the length of intermediates and one final byte after `ESC`.
fn simple_escape_length(rest: &str) -> usize {
    length_with_final_byte(0, rest, '0'..='~')
}

fn length_with_final_byte(
    before: usize,
    rest: &str,
    finals: std::ops::RangeInclusive<char>,
) -> usize {
    let intermediates = prefix_length_in_range(rest, ' '..='/');
    let last = rest.get(intermediates..).and_then(|rest| rest.chars().next());
    before + intermediates + usize::from(last.is_some_and(|c| finals.contains(&c)))
}

fn prefix_length_in_range(text: &str, range: std::ops::RangeInclusive<char>) -> usize {
    text.find(|c| !range.contains(&c)).unwrap_or(text.len())
}

/// Returns the length up to and including the terminator, otherwise to the end of the line, so that
/// a reader sees what follows. Only an operating system command (title, link, clipboard) ends with
/// BEL.
fn string_sequence_length(body: &str, bell: bool) -> usize {
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
