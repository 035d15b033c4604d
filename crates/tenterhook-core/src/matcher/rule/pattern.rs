//! Does a text match a pattern in which `*` stands for any text? Knows nothing of paths or commands.

use std::collections::HashMap;

/// A pattern in which `*` stands for any text, also for none and for spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stars {
    text: String,
}

impl Stars {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Returns true if the whole text matches. It searches each piece between two stars at its
    /// first position after the previous one, in one pass.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut pieces = self.text.split('*');
        let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
            return false;
        };
        let Some(last) = pieces.next_back() else { return rest.is_empty() };
        for piece in pieces {
            match rest.split_once(piece) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(last)
    }

    /// Whether some text matches that has any text whatever in the place of each `None`.
    ///
    /// Holds a set of places in the pattern: before each place, what was read so far may have matched. The set is a row of
    /// bits, so that a character of a long text costs a word for 64 of the pattern's.
    pub(super) fn may_match_with_unknown_parts(&self, parts: &[Option<&str>]) -> bool {
        let mut pattern: Vec<char> = self.text.chars().collect();
        pattern.dedup_by(|one, other| (*one, *other) == ('*', '*'));
        let stars = Positions::positions_before_char(&pattern, '*');
        let mut letters: HashMap<char, Positions> = HashMap::new();
        let mut places = Positions::first_only(pattern.len() + 1);
        places.advance_over_empty_stars(&stars);
        for part in parts {
            let Some(text) = part else {
                places.fill_after_first();
                continue;
            };
            for c in text.chars() {
                let letter = letters
                    .entry(c)
                    .or_insert_with(|| Positions::positions_before_char(&pattern, c));
                if !places.advance_by_char(letter, &stars) {
                    return false;
                }
            }
        }
        places.contains(pattern.len())
    }
}

/// A set of places in a pattern, from before its first character to behind its last.
#[derive(Clone, Debug)]
struct Positions(Vec<u64>);

impl Positions {
    fn empty_set(places: usize) -> Self {
        Self(vec![0; places.div_ceil(64)])
    }

    /// Creates a set that has only the first position.
    fn first_only(places: usize) -> Self {
        let mut first = Self::empty_set(places);
        first.insert(0);
        first
    }

    /// Returns the positions directly before each `c` in a pattern.
    fn positions_before_char(pattern: &[char], c: char) -> Self {
        let mut found = Self::empty_set(pattern.len() + 1);
        let all = pattern.iter().enumerate().filter(|(_, other)| **other == c);
        all.for_each(|(at, _)| found.insert(at));
        found
    }

    fn insert(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    fn contains(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Adds every position after the first one in the set. A position after the last one is
    /// harmless.
    fn fill_after_first(&mut self) {
        let mut found = false;
        for word in &mut self.0 {
            *word = if found { u64::MAX } else { *word | word.wrapping_neg() };
            found = found || *word != 0;
        }
    }

    /// Adds the position after each star in the set, because a star may match nothing. Stars are
    /// never adjacent.
    fn advance_over_empty_stars(&mut self, stars: &Self) {
        let mut carried = 0;
        for (word, star) in self.0.iter_mut().zip(&stars.0) {
            let over = *word & star;
            *word |= over << 1 | carried;
            carried = over >> 63;
        }
    }

    /// Advances by one character, which stands at each position of `letter`; returns false if no
    /// position is left.
    fn advance_by_char(&mut self, letter: &Self, stars: &Self) -> bool {
        let (mut carried, mut any) = (0, 0);
        for ((word, letter), star) in self.0.iter_mut().zip(&letter.0).zip(&stars.0) {
            let over = *word & letter & !star;
            *word = *word & star | over << 1 | carried;
            carried = over >> 63;
            any |= *word;
        }
        self.advance_over_empty_stars(stars);
        any != 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same, place by place.
    fn plainly(pattern: &[char], parts: &[Option<&str>]) -> bool {
        match (pattern.split_first(), parts.split_first()) {
            (None, None) => true,
            (_, Some((Some(""), rest))) => plainly(pattern, rest),
            (Some(('*', rest)), _) if plainly(rest, parts) => true,
            (_, Some((None, rest))) => {
                plainly(pattern, rest)
                    || pattern.split_first().is_some_and(|(_, after)| plainly(after, parts))
            }
            (Some((expected, after)), Some((Some(text), rest))) => {
                let Some(c) = text.chars().next() else { return false };
                let text = Some(text.get(c.len_utf8()..).unwrap_or_default());
                let parts: Vec<_> = std::iter::once(text).chain(rest.iter().copied()).collect();
                match expected {
                    '*' => plainly(pattern, &parts),
                    _ => *expected == c && plainly(after, &parts),
                }
            }
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bits_say_what_places_say(
            pattern in "[ab*]{0,8}",
            parts in prop::collection::vec(prop::option::of("[abc]{0,4}"), 0..4),
        ) {
            let parts: Vec<_> = parts.iter().map(|part| part.as_deref()).collect();
            let chars: Vec<char> = pattern.chars().collect();
            prop_assert_eq!(Stars::new(&pattern).may_match_with_unknown_parts(&parts), plainly(&chars, &parts));
            // Behind what fills the first words, too.
            let (long, start) = (format!("{}{pattern}", "x".repeat(62)), "x".repeat(62));
            let parts: Vec<_> = std::iter::once(Some(&*start)).chain(parts).collect();
            prop_assert_eq!(Stars::new(&long).may_match_with_unknown_parts(&parts), plainly(&chars, &parts[1..]));
        }
    }
}
