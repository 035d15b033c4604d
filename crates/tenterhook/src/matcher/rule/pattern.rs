//! Does a text match a pattern in which `*` stands for any text? Knows nothing of paths or commands.

/// A pattern in which `*` stands for any text, also for none and for spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stars {
    text: String,
}

impl Stars {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Finds each piece between two stars at its first place after the one before: one pass over the text.
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
    /// Holds a set of places in the pattern: before each place, what was read so far may have matched.
    pub(super) fn may_match(&self, parts: &[Option<&str>]) -> bool {
        let pattern: Vec<char> = self.text.chars().collect();
        let mut places = vec![false; pattern.len() + 1];
        let open = |places: &mut Vec<bool>| {
            for at in 0..pattern.len() {
                if places.get(at) == Some(&true)
                    && pattern.get(at) == Some(&'*')
                    && let Some(next) = places.get_mut(at + 1)
                {
                    *next = true;
                }
            }
        };
        if let Some(first) = places.first_mut() {
            *first = true;
        }
        open(&mut places);
        for part in parts {
            let Some(text) = part else {
                let first = places.iter().position(|place| *place);
                let Some(first) = first else { return false };
                places.iter_mut().skip(first).for_each(|place| *place = true);
                continue;
            };
            for c in text.chars() {
                let mut after = vec![false; places.len()];
                for (at, expected) in pattern.iter().enumerate() {
                    let here = places.get(at) == Some(&true);
                    let to = if *expected == '*' { at } else { at + 1 };
                    if here
                        && (*expected == '*' || *expected == c)
                        && let Some(place) = after.get_mut(to)
                    {
                        *place = true;
                    }
                }
                open(&mut after);
                if !after.contains(&true) {
                    return false;
                }
                places = after;
            }
        }
        places.last() == Some(&true)
    }
}
