//! Reads from the text of a regular expression that it is valid and small, and which texts cannot match it.
//!
//! To parse a pattern takes some 30 microseconds and to compile it more, and each start of the program would pay that for
//! all patterns of all rules. So this reads ahead of the parser, and gives up (`None`) at whatever it is not sure of,
//! mistakes above all: then the parser decides. It must not match a text, only rule one out (RU-33).

/// Deepest nest of groups. Each is at most four levels to the parser, whose limit is 64.
const DEEPEST: usize = 10;

/// Upper bounds of the states of one element, which the test `bounds_of_states_hold` measures.
const STATES_OF_CLASS: usize = 60;
const STATES_OF_WORD_CLASS: usize = 1500;
const STATES_OF_LETTER: usize = 4;
/// The Kelvin character and the long s are other cases of these.
const STATES_OF_FOLDED_K_OR_S: usize = 80;

/// A set of ASCII characters.
type Chars = u128;

/// The known properties of a pattern, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    /// An upper bound of the number of its states.
    pub(super) states: usize,
    /// The ASCII characters with which a match that is not empty may begin and end.
    starts: Chars,
    ends: Chars,
    /// The fewest characters of a match.
    shortest: usize,
    /// Whether each match begins at the start of the text, or ends at its end.
    is_at_start: bool,
    is_at_end: bool,
}

impl Outline {
    /// Reads a pattern. `None` says nothing: the pattern may be valid or not.
    pub(super) fn read(pattern: &str) -> Option<Self> {
        let (rest, folds) = match pattern.strip_prefix("(?i)") {
            Some(rest) => (rest, true),
            None => (pattern, false),
        };
        let mut reader = Reader { rest: rest.as_bytes(), folds };
        let whole = reader.read_alternatives(DEEPEST)?;
        reader.rest.is_empty().then_some(whole)
    }

    /// Returns true if no part of the text can match. False says nothing.
    pub(super) fn rules_out(&self, text: &str) -> bool {
        if !text.is_ascii() {
            return false;
        }
        if text.len() < self.shortest {
            return true;
        }
        let (Some(first), Some(last)) = (text.bytes().next(), text.bytes().next_back()) else {
            return false;
        };
        self.shortest > 0
            && (self.is_at_start && self.starts & bit(first) == 0
                || self.is_at_end && self.ends & bit(last) == 0
                || !text.bytes().any(|byte| self.starts & bit(byte) != 0))
    }

    /// The outline of a part that takes up no text.
    const EMPTY: Self =
        Self { states: 1, starts: 0, ends: 0, shortest: 0, is_at_start: false, is_at_end: false };

    const fn of_one_character(chars: Chars, states: usize) -> Self {
        Self { states, starts: chars, ends: chars, shortest: 1, ..Self::EMPTY }
    }

    const fn followed_by(self, next: Self) -> Self {
        Self {
            states: self.states.saturating_add(next.states),
            starts: if self.shortest == 0 { self.starts | next.starts } else { self.starts },
            ends: if next.shortest == 0 { self.ends | next.ends } else { next.ends },
            shortest: self.shortest.saturating_add(next.shortest),
            is_at_start: self.is_at_start,
            is_at_end: next.is_at_end,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            states: self.states.saturating_add(other.states),
            starts: self.starts | other.starts,
            ends: self.ends | other.ends,
            shortest: self.shortest.min(other.shortest),
            is_at_start: self.is_at_start && other.is_at_start,
            is_at_end: self.is_at_end && other.is_at_end,
        }
    }

    fn repeated(self, least: usize, most: Option<usize>) -> Self {
        let times = most.unwrap_or(least).max(1);
        Self {
            states: self.states.saturating_add(2).saturating_mul(times),
            shortest: self.shortest.saturating_mul(least),
            is_at_start: self.is_at_start && least > 0,
            is_at_end: self.is_at_end && least > 0,
            ..self
        }
    }
}

struct Reader<'p> {
    rest: &'p [u8],
    /// Whether upper and lower case are alike.
    folds: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let rest = self.rest.strip_prefix(&[byte]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next_byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Reads alternatives up to the end of a group or of the pattern.
    fn read_alternatives(&mut self, depth: usize) -> Option<Outline> {
        let mut all = self.read_sequence(depth)?;
        while self.eat(b'|') {
            all = all.or(self.read_sequence(depth)?);
        }
        Some(Outline { states: all.states.saturating_add(2), ..all })
    }

    fn read_sequence(&mut self, depth: usize) -> Option<Outline> {
        let mut all = None;
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let part = self.read_repeated(depth)?;
            all = Some(all.map_or(part, |all: Outline| all.followed_by(part)));
        }
        let all = all.unwrap_or(Outline::EMPTY);
        Some(Outline { states: all.states.saturating_add(2), ..all })
    }

    fn read_repeated(&mut self, depth: usize) -> Option<Outline> {
        let part = self.read_part(depth)?;
        let (least, most) = match self.peek() {
            Some(b'?') => (0, Some(1)),
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'{') => {
                let (least, most) = self.read_counts()?;
                self.eat(b'?');
                return self.end_repetition(part, least, most);
            }
            _ => return Some(part),
        };
        self.next_byte();
        self.eat(b'?');
        self.end_repetition(part, least, most)
    }

    /// A second repetition, and one of a place such as `^`, is for the parser.
    fn end_repetition(&self, part: Outline, least: usize, most: Option<usize>) -> Option<Outline> {
        let is_plain = part.shortest > 0 && !matches!(self.peek(), Some(b'?' | b'*' | b'+' | b'{'));
        is_plain.then(|| part.repeated(least, most))
    }

    /// Reads `{2}`, `{2,}` or `{2,5}`.
    fn read_counts(&mut self) -> Option<(usize, Option<usize>)> {
        self.next_byte();
        let least = self.read_number()?;
        let most = match self.eat(b',') {
            false => Some(least),
            true if self.peek()? == b'}' => None,
            true => Some(self.read_number()?),
        };
        (self.eat(b'}') && most.is_none_or(|most| least <= most)).then_some((least, most))
    }

    fn read_number(&mut self) -> Option<usize> {
        let end = self.rest.iter().position(|byte| !byte.is_ascii_digit())?;
        let (digits, rest) =
            self.rest.split_at_checked(end).filter(|(digits, _)| digits.len() < 5)?;
        self.rest = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    fn read_part(&mut self, depth: usize) -> Option<Outline> {
        match self.next_byte()? {
            b'(' => self.read_group(depth.checked_sub(1)?),
            b'[' => self.read_class(),
            b'\\' => self.read_escape(),
            b'^' => Some(Outline { is_at_start: true, ..Outline::EMPTY }),
            b'$' => Some(Outline { is_at_end: true, ..Outline::EMPTY }),
            b'.' => Some(Outline::of_one_character(!bit(b'\n'), STATES_OF_CLASS)),
            b'?' | b'*' | b'+' | b'{' | b'}' | b']' => None,
            byte if byte.is_ascii() => Some(self.outline_of_character(byte)),
            _ => None,
        }
    }

    fn read_group(&mut self, depth: usize) -> Option<Outline> {
        if self.eat(b'?') && !self.eat(b':') {
            return None;
        }
        let inner = self.read_alternatives(depth)?;
        self.eat(b')').then_some(inner)
    }

    fn read_escape(&mut self) -> Option<Outline> {
        let byte = self.next_byte()?;
        match byte {
            // `\b{start}` has another meaning.
            b'b' | b'B' => (self.peek() != Some(b'{')).then_some(Outline::EMPTY),
            _ => match named_class(byte) {
                Some((chars, states)) => Some(Outline::of_one_character(chars, states)),
                None => Some(self.outline_of_character(escaped_character(byte)?)),
            },
        }
    }

    const fn outline_of_character(&self, byte: u8) -> Outline {
        if self.folds && byte.is_ascii_alphabetic() {
            let both = bit(byte.to_ascii_lowercase()) | bit(byte.to_ascii_uppercase());
            let is_odd = matches!(byte, b'k' | b'K' | b's' | b'S');
            let states = if is_odd { STATES_OF_FOLDED_K_OR_S } else { STATES_OF_LETTER };
            return Outline::of_one_character(both, states);
        }
        Outline::of_one_character(bit(byte), STATES_OF_LETTER)
    }

    /// Reads a class behind its `[`.
    fn read_class(&mut self) -> Option<Outline> {
        let is_negated = self.eat(b'^');
        let (mut chars, mut states): (Chars, usize) = (0, STATES_OF_CLASS);
        let mut names: Vec<u8> = Vec::new();
        let mut is_first = true;
        loop {
            let byte = self.next_byte()?;
            let start = match byte {
                b']' if !is_first => break,
                b']' | b'[' => return None,
                // `&&`, `~~` and `--` join classes.
                b'&' | b'~' if self.peek() == Some(byte) => return None,
                b'-' if self.peek() == Some(b'-') || !is_first && self.peek() != Some(b']') => {
                    return None;
                }
                b'\\' => {
                    let byte = self.next_byte()?;
                    if let Some((named, more)) = named_class(byte) {
                        (chars, states) = (chars | named, states.saturating_add(more));
                        names.push(byte);
                        is_first = false;
                        // `\s-x` is for the parser.
                        if self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']') {
                            return None;
                        }
                        continue;
                    }
                    escaped_character(byte)?
                }
                byte if byte.is_ascii() => byte,
                _ => return None,
            };
            is_first = false;
            let is_range = self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']');
            let end = if is_range { self.read_range_end()? } else { start };
            if start > end {
                return None;
            }
            chars |= (start..=end).fold(0, |chars, byte| chars | self.with_other_case(byte));
            states = states.saturating_add(STATES_OF_LETTER);
        }
        let chars = if is_negated { !chars } else { chars };
        // `[\s\S]` is any character.
        let is_all = names.iter().any(|name| names.contains(&(name ^ b' ')));
        let states = if is_all { STATES_OF_CLASS } else { states };
        Some(Outline::of_one_character(chars, states))
    }

    fn read_range_end(&mut self) -> Option<u8> {
        self.next_byte();
        match self.next_byte()? {
            b'[' | b']' | b'-' | b'&' | b'~' => None,
            b'\\' => escaped_character(self.next_byte()?),
            byte => byte.is_ascii().then_some(byte),
        }
    }

    const fn with_other_case(&self, byte: u8) -> Chars {
        match self.folds {
            true => bit(byte.to_ascii_lowercase()) | bit(byte.to_ascii_uppercase()),
            false => bit(byte),
        }
    }
}

/// Returns the character that an escape stands for.
fn escaped_character(byte: u8) -> Option<u8> {
    match byte {
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'r' => Some(b'\r'),
        b'<' | b'>' => None,
        _ => byte.is_ascii_punctuation().then_some(byte),
    }
}

/// Returns the ASCII characters of a class such as `\s`, and how many states it may have.
fn named_class(byte: u8) -> Option<(Chars, usize)> {
    let all = |holds: fn(&u8) -> bool| {
        (0..128_u8).filter(holds).fold(0, |chars: Chars, byte| chars | bit(byte))
    };
    let is_space = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let chars = match byte.to_ascii_lowercase() {
        b's' => all(is_space),
        b'd' => all(u8::is_ascii_digit),
        b'w' => all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
        _ => return None,
    };
    let states = if matches!(byte, b's' | b'S') { STATES_OF_CLASS } else { STATES_OF_WORD_CLASS };
    Some((if byte.is_ascii_uppercase() { !chars } else { chars }, states))
}

/// The set of one ASCII character.
const fn bit(byte: u8) -> Chars {
    if byte < 128 { 1 << byte } else { 0 }
}
