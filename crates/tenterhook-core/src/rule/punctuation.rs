//! Which characters of an expression are no part of a text, a comment, a name or a number?
//!
//! Sees texts exactly as the grammar does, and stops at one that the grammar refuses: behind it the two could disagree on
//! what is text, and a nest of brackets could pass for one (RU-31).

/// The punctuation of an expression with its positions; `Err` is the place of a text that is not well formed, and the end.
pub(super) struct Punctuation<'a> {
    text: &'a [u8],
    at: usize,
}

/// What may follow a backslash by itself.
const ESCAPED: &[u8] = b"abfnrtv\"'\\?`";
/// What may follow a backslash with so many hexadecimal digits.
const HEXADECIMAL: &[(u8, usize)] = &[(b'x', 2), (b'X', 2), (b'u', 4), (b'U', 8)];
/// What may stand directly before a text, and whether its backslashes are plain letters then.
const PREFIXES: &[(&str, bool)] = &[("", false), ("r", true), ("b", false), ("br", true)];

impl<'a> Punctuation<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }

    fn peek_byte(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// Skips a name or a number, and returns it.
    fn skip_name(&mut self) -> &'a [u8] {
        let from = self.at;
        while self.peek_byte(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// Skips the string literal that begins here.
    fn skip_string(&mut self, prefix: &[u8]) -> Option<()> {
        let quote = self.peek_byte(0)?;
        let (_, raw) =
            *PREFIXES.iter().find(|(name, _)| prefix.eq_ignore_ascii_case(name.as_bytes()))?;
        let marks = if self.peek_byte(1) == Some(quote) && self.peek_byte(2) == Some(quote) {
            3
        } else {
            1
        };
        self.at += marks;
        loop {
            match self.peek_byte(0)? {
                b'\\' if !raw => self.skip_escape()?,
                b'\n' | b'\r' if marks == 1 => return None,
                _ if (0..marks).all(|ahead| self.peek_byte(ahead) == Some(quote)) => {
                    self.at += marks;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip_escape(&mut self) -> Option<()> {
        let sign = self.peek_byte(1)?;
        let octal = |byte: Option<u8>| byte.is_some_and(|byte| (b'0'..=b'7').contains(&byte));
        let hexadecimal = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
        let digits = match HEXADECIMAL.iter().find(|(byte, _)| *byte == sign) {
            Some((_, digits)) => {
                (0..*digits).all(|at| hexadecimal(self.peek_byte(2 + at))).then_some(*digits)?
            }
            None if (b'0'..=b'3').contains(&sign) => {
                (octal(self.peek_byte(2)) && octal(self.peek_byte(3))).then_some(2)?
            }
            None => ESCAPED.contains(&sign).then_some(0)?,
        };
        self.at += 2 + digits;
        Some(())
    }
}

impl Iterator for Punctuation<'_> {
    type Item = Result<(usize, u8), usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut prefix: &[u8] = b"";
        loop {
            let byte = self.peek_byte(0)?;
            let from = self.at;
            match byte {
                b'"' | b'\'' => {
                    if self.skip_string(prefix).is_none() {
                        self.at = self.text.len();
                        return Some(Err(from));
                    }
                    prefix = b"";
                    continue;
                }
                b'/' if self.peek_byte(1) == Some(b'/') => {
                    while self.peek_byte(0).is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                b'_' => {}
                // A name in backticks is no part of the language of rules.
                b'`' => {
                    self.at = self.text.len();
                    return Some(Err(from));
                }
                byte if byte.is_ascii_punctuation() => {
                    self.at += 1;
                    return Some(Ok((from, byte)));
                }
                byte if byte.is_ascii_alphanumeric() => {}
                _ => {
                    self.at += 1;
                    prefix = b"";
                    continue;
                }
            }
            prefix = self.skip_name();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn punctuation(text: &str) -> Result<String, usize> {
        Punctuation::new(text).map(|result| result.map(|(_, sign)| char::from(sign))).collect()
    }

    #[test]
    fn brackets_in_texts_and_comments_do_not_count() {
        assert_eq!(punctuation(r#"a.b("(\"(" + '\'(' + r'\' + """("(""" // (("#).unwrap(), ".(+++");
        assert_eq!(punctuation("_a_1 == br\"(\"[").unwrap(), "==[");
        assert_eq!(punctuation("é + \"é(\"").unwrap(), "+");
    }

    /// The grammar ends or refuses each of these where a careless reader would go on.
    #[test]
    fn a_text_that_is_not_well_formed_ends_the_reading() {
        for text in
            ["\"(", "\"\n(\"", "\"\\q(\"", "'\\400('", "bar\"(\"", "1r'('", "\"\\u12(\"", "`(`"]
        {
            assert!(punctuation(text).is_err(), "{text}");
        }
    }
}
