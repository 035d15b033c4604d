//! Reads one word of a shell line by its quotes.
//!
//! Knows only quoting and expands nothing. It also checks the grammar: a word whose quotes do not
//! end where the grammar ends it is rejected (S-24).

use std::ops::Range;

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text after removing quotes and escapes where the word is literal, else the source as written (S-25).
    pub text: String,
    /// The word as written.
    pub source: String,
    /// How much of it is known before it runs.
    pub kind: WordKind,
    /// The file name at its end, if that is known although the directories are not (`~/bin/git`).
    pub(crate) file_name: Option<String>,
}

impl Word {
    /// Makes a word with exactly this text.
    #[must_use]
    pub fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { source: text.clone(), text, kind: WordKind::Literal, file_name: None }
    }

    /// Makes a word of which only the source is known.
    #[must_use]
    pub fn unknown(source: impl Into<String>) -> Self {
        let source = source.into();
        Self { text: source.clone(), source, kind: WordKind::Expansion, file_name: None }
    }

    /// Returns whether the file name at the end of the word is known, although the directories are
    /// not (`$(go env GOPATH)/bin/air`).
    pub fn has_known_file_name(&self) -> bool {
        self.file_name.is_some()
    }

    /// Returns whether the value of the word is known only when it runs.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.kind != WordKind::Literal
    }
}

/// How much of a word is known before it runs (S-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordKind {
    /// All of it.
    Literal,
    /// It names files, or several words: `*`, `?`, `[ ]`, a leading `~`, `{a,b}`.
    Pattern,
    /// It holds a variable, a substitution or arithmetic.
    Expansion,
}

/// Reads the word `source`; `holes` are the expansions in it, as ranges of `source`.
///
/// `None` if a quote is left open, or if the shell would end the word earlier: then the grammar was
/// wrong.
pub(super) fn parse_word(source: &str, holes: &[Range<usize>]) -> Option<Word> {
    let mut scan = Scan::new(source, holes);
    while let Some(step) = scan.scan_unquoted() {
        step?;
    }
    Some(scan.into_word())
}

/// Returns the source of a word that a shell reads as this text.
pub fn quote_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:@%,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

struct Scan<'a> {
    source: &'a str,
    holes: &'a [Range<usize>],
    at: usize,
    text: String,
    kind: WordKind,
    /// Whether an unquoted expansion or pattern may split the word.
    splits: bool,
    /// Where the known text after the last `/` starts in `text`, if there is such text.
    file_name_from: Option<usize>,
    brace: Brace,
    /// Whether a `[` waits for its `]`.
    bracket: bool,
}

/// How far a brace expansion has been seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    None,
    Open,
    Separated,
}

impl<'a> Scan<'a> {
    fn new(source: &'a str, holes: &'a [Range<usize>]) -> Self {
        let mut scan = Self {
            source,
            holes,
            at: 0,
            text: String::with_capacity(source.len()),
            kind: WordKind::Literal,
            splits: false,
            file_name_from: None,
            brace: Brace::None,
            bracket: false,
        };
        if source.starts_with('~') {
            scan.kind = WordKind::Pattern;
        }
        scan
    }

    fn remaining_text(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn next_char(&mut self) -> Option<char> {
        let next = self.remaining_text().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn push_char(&mut self, c: char) {
        self.text.push(c);
        if c == '/' {
            self.file_name_from = Some(self.text.len());
        }
    }

    /// Skips an expansion that starts here. Returns whether there was one.
    fn skip_expansion(&mut self) -> bool {
        let index = self.holes.partition_point(|hole| hole.start < self.at);
        let Some(hole) = self.holes.get(index).filter(|hole| hole.start == self.at) else {
            return false;
        };
        self.at = hole.end.max(self.at + 1);
        self.kind = WordKind::Expansion;
        self.file_name_from = None;
        true
    }

    fn push_pattern_char(&mut self, c: char) {
        self.kind = self.kind.max(WordKind::Pattern);
        self.splits = true;
        self.push_char(c);
    }

    /// Scans one step outside quotes: `None` at the end, `Some(None)` if this cannot be one word.
    fn scan_unquoted(&mut self) -> Option<Option<()>> {
        if self.at < self.source.len() && self.skip_expansion() {
            self.splits = true;
            return Some(Some(()));
        }
        let rest = self.remaining_text();
        let c = self.next_char()?;
        Some(match c {
            '\\' => self.scan_escape(),
            '\'' => self.scan_single_quoted(),
            '"' => self.scan_double_quoted(),
            '$' if rest.starts_with("$'") => {
                self.next_char();
                self.scan_ansi_c_quoted()
            }
            '$' if rest.starts_with("$\"") => {
                self.next_char();
                self.scan_double_quoted()
            }
            '`' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | ' ' | '\t' | '\n' | '\r' | '\0' => None,
            '*' | '?' => {
                self.push_pattern_char(c);
                Some(())
            }
            ']' if self.bracket => {
                self.push_pattern_char(c);
                Some(())
            }
            _ => {
                // Without its `]` a bracket is an ordinary character, as in `[ -f x ]`.
                self.bracket |= c == '[';
                self.track_brace(c);
                Some(())
            }
        })
    }

    /// Tracks `{a,b}` and `{1..3}`: without a separator a brace is an ordinary character.
    fn track_brace(&mut self, c: char) {
        self.brace = match (c, self.brace) {
            ('{', Brace::None) => Brace::Open,
            (',', Brace::Open) => Brace::Separated,
            ('.', Brace::Open) if self.remaining_text().starts_with('.') => Brace::Separated,
            ('}', Brace::Separated) => {
                self.push_pattern_char(c);
                self.brace = Brace::None;
                return;
            }
            ('}', _) => Brace::None,
            (_, before) => before,
        };
        self.push_char(c);
    }

    fn scan_escape(&mut self) -> Option<()> {
        match self.next_char()? {
            '\n' => {}
            c => self.push_char(c),
        }
        Some(())
    }

    fn scan_single_quoted(&mut self) -> Option<()> {
        loop {
            match self.next_char()? {
                '\'' => return Some(()),
                c => self.push_char(c),
            }
        }
    }

    fn scan_double_quoted(&mut self) -> Option<()> {
        loop {
            if self.skip_expansion() {
                continue;
            }
            match self.next_char()? {
                '"' => return Some(()),
                '`' => return None,
                '\\' => match self.next_char()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => self.push_char(c),
                    c => {
                        self.push_char('\\');
                        self.push_char(c);
                    }
                },
                c => self.push_char(c),
            }
        }
    }

    /// Scans `$'...'`, with the escapes of ANSI C.
    fn scan_ansi_c_quoted(&mut self) -> Option<()> {
        loop {
            match self.next_char()? {
                '\'' => return Some(()),
                '\\' => self.scan_ansi_c_escape()?,
                c => self.push_char(c),
            }
        }
    }

    fn scan_ansi_c_escape(&mut self) -> Option<()> {
        let c = self.next_char()?;
        let plain = ANSI_ESCAPES.iter().find(|(name, _)| *name == c).map(|(_, value)| *value);
        let value = match (c, plain) {
            (_, Some(value)) => Some(value),
            ('x', None) => self.scan_digits(16, 2),
            ('u', None) => self.scan_digits(16, 4),
            ('U', None) => self.scan_digits(16, 8),
            ('0'..='7', None) => {
                self.at -= 1;
                self.scan_digits(8, 3)
            }
            ('c', None) => self.next_char().map(|c| char::from((c as u32 & 0x1f) as u8)),
            _ => {
                self.push_char('\\');
                Some(c)
            }
        };
        // NUL ends the string in Bash, and a number without a character is a byte: neither is
        // guessed.
        self.push_char(value.filter(|c| *c != '\0')?);
        Some(())
    }

    fn scan_digits(&mut self, radix: u32, most: usize) -> Option<char> {
        let rest = self.remaining_text();
        let len = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let value = u32::from_str_radix(rest.get(..len)?, radix).ok()?;
        self.at += len;
        // Above ASCII `\x` and octal give bytes, not characters.
        char::from_u32(value).filter(|c| c.is_ascii() || most > 3)
    }

    fn into_word(self) -> Word {
        let source = self.source.to_owned();
        let file_name = match self.file_name_from {
            Some(from) if self.kind != WordKind::Literal && !self.splits => {
                self.text.get(from..).filter(|name| !name.is_empty()).map(str::to_owned)
            }
            _ => None,
        };
        let text = if self.kind == WordKind::Literal { self.text } else { source.clone() };
        Word { text, source, kind: self.kind, file_name }
    }
}

/// The escapes of `$'...'` for one character each.
const ANSI_ESCAPES: &[(char, char)] = &[
    ('a', '\x07'),
    ('b', '\x08'),
    ('e', '\x1b'),
    ('E', '\x1b'),
    ('f', '\x0c'),
    ('n', '\n'),
    ('r', '\r'),
    ('t', '\t'),
    ('v', '\x0b'),
    ('\\', '\\'),
    ('\'', '\''),
    ('"', '"'),
    ('?', '?'),
];
