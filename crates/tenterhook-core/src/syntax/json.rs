//! Reads JSON with spans: takes comments and trailing commas but says so, and says in plain words what breaks a text.
//! Knows no key and no schema.

mod lone;
mod outline;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseStringErrorKind};

use self::outline::Outline;
use super::{
    Entry, FaultKind, MAX_DEPTH, Node, NodeValue, NotStrict, Parsed, Span, SyntaxFault,
    number_or_text, position,
};

const BOM: &str = "\u{feff}";

pub(super) fn parse(text: &str) -> Parsed {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let base = text.len() - body.len();
    let (body, halves) = lone::replaced(body);
    let reader = Reader { text, body: &body, base };
    let mut parsed = reader.read();
    parsed.faults.extend(halves.into_iter().map(|range| {
        let what = NotStrict::Javascript;
        let fault = reader.lapse(
            what,
            range,
            "this escape is half of a character, which only JavaScript reads",
        );
        fault.help("write both halves (`\\ud83d\\ude00`), or the character itself")
    }));
    parsed.faults.sort_by_key(|fault| fault.span);
    if reader.base > 0 {
        let mark = SyntaxFault::new(
            FaultKind::NotStrict(NotStrict::ByteOrderMark),
            Span::new(0, reader.base),
            "the file begins with a byte order mark",
        );
        parsed.faults.insert(0, mark.help("save it as UTF-8 without BOM"));
    }
    parsed
}

struct Reader<'a> {
    text: &'a str,
    /// `text` without its byte order mark, and with no half of a character in it.
    body: &'a str,
    /// Where `body` begins in `text`.
    base: usize,
}

impl Reader<'_> {
    fn read(&self) -> Parsed {
        let outline = Outline::new(self.body, self.body.len());
        if let Some(at) = outline.too_deep {
            return Parsed::failed(SyntaxFault::new(
                FaultKind::Limit,
                self.span(Range::new(at, at + 1)),
                format!("nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        // Only what the tree can hold faithfully is taken; the rest is an error with its own words.
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        match jsonc_parser::parse_to_ast(self.body, &collect, &options) {
            Err(error) => Parsed::failed(self.explain(&error, &outline)),
            Ok(result) => {
                let tokens = result.tokens.unwrap_or_default();
                match result.value {
                    None => Parsed::failed(self.empty(!tokens.is_empty())),
                    Some(value) => {
                        let faults = self.lapses(&tokens);
                        Parsed { root: Some(self.node(value)), faults, ..Parsed::default() }
                    }
                }
            }
        }
    }

    fn span(&self, range: Range) -> Span {
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn node(&self, value: Value<'_>) -> Node {
        let span = self.span(value.range());
        let value = match value {
            Value::NullKeyword(_) => NodeValue::Null,
            Value::BooleanLit(truth) => NodeValue::Bool(truth.value),
            Value::NumberLit(number) => number_or_text(number.value),
            Value::StringLit(text) => NodeValue::String(text.value.into_owned()),
            Value::Array(array) => {
                NodeValue::Array(array.elements.into_iter().map(|item| self.node(item)).collect())
            }
            Value::Object(object) => NodeValue::Object(
                object
                    .properties
                    .into_iter()
                    .map(|property| Entry {
                        key_span: self.span(property.name.range()),
                        key: match property.name {
                            ObjectPropName::String(name) => name.value.into_owned(),
                            ObjectPropName::Word(name) => name.value.to_owned(),
                        },
                        node: self.node(property.value),
                    })
                    .collect(),
            ),
        };
        Node { span, value }
    }

    fn empty(&self, comments: bool) -> SyntaxFault {
        let span = Span::new(self.base, self.text.len());
        let message =
            if comments { "the file holds nothing but comments" } else { "the file is empty" };
        SyntaxFault::new(FaultKind::Empty, span, message)
            .help("write at least `{}`, or remove the file")
    }

    /// What a strict parser refuses in a text that was read all the same.
    fn lapses(&self, tokens: &[TokenAndRange<'_>]) -> Vec<SyntaxFault> {
        let mut faults = Vec::new();
        let mut strict = self.body.as_bytes().to_vec();
        let mut comma: Option<Range> = None;
        for TokenAndRange { token, range } in tokens {
            match token {
                Token::CommentLine(_) | Token::CommentBlock(_) => {
                    blank(&mut strict, *range);
                    let fault = self.lapse(NotStrict::Comment, *range, "JSON has no comments");
                    faults.push(fault.help("remove it: a strict parser refuses the whole file"));
                }
                Token::CloseBrace | Token::CloseBracket => {
                    if let Some(range) = comma.take() {
                        blank(&mut strict, range);
                        let message = format!("a comma before the closing `{}`", token.as_str());
                        let fault = self.lapse(NotStrict::TrailingComma, range, message);
                        faults
                            .push(fault.help("remove it: a strict parser refuses the whole file"));
                    }
                }
                Token::Comma => comma = Some(*range),
                Token::Number(number) => {
                    comma = None;
                    if number.parse::<f64>().is_ok_and(f64::is_infinite) {
                        blank(&mut strict, *range);
                        zero(&mut strict, range.start);
                        let what = NotStrict::Javascript;
                        let fault = self.lapse(what, *range, "not valid JSON: number out of range");
                        faults.push(fault.help("write a number that is nearer to zero"));
                    }
                }
                _ => comma = None,
            }
        }
        faults.extend(self.cross_check(&strict));
        faults.sort_by_key(|fault| fault.span);
        faults
    }

    fn lapse(&self, what: NotStrict, range: Range, message: impl Into<String>) -> SyntaxFault {
        SyntaxFault::new(FaultKind::NotStrict(what), self.span(range), message)
    }

    /// Asks a second, strict parser about the text without its comments and trailing commas.
    fn cross_check(&self, strict: &[u8]) -> Option<SyntaxFault> {
        let error = serde_json::from_slice::<serde::de::IgnoredAny>(strict)
            .map(drop)
            .and_then(|()| numbers(strict))
            .err()?;
        let line_start = match error.line() {
            0 | 1 => 0,
            line => self.body.match_indices('\n').nth(line - 2).map_or(0, |(at, _)| at + 1),
        };
        let at = (line_start + error.column().saturating_sub(1)).min(self.body.len());
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        let help = if words.contains("control character") {
            "write a line break in a string as `\\n`, a tab as `\\t`"
        } else {
            "a strict parser refuses the whole file"
        };
        let message = format!("not valid JSON: {words}");
        Some(self.lapse(NotStrict::Other, Range::new(at, at), message).help(help))
    }

    fn explain(&self, error: &ParseError, outline: &Outline) -> SyntaxFault {
        let range = error.range();
        let fault = |range: Range, message: &str| {
            SyntaxFault::new(FaultKind::Broken, self.span(range), message)
        };
        // A string that runs over the end of its line lost its closing quote, and everything after it reads wrong.
        if let Some(start) = outline.open_string.filter(|start| *start <= range.end) {
            let end = self.body.get(start..).and_then(|rest| rest.find('\n'));
            let range = Range::new(start, end.map_or(self.body.len(), |length| start + length));
            return fault(range, "this string is not closed on its line")
                .help("close it with `\"`; write a line break inside a string as `\\n`");
        }
        // An escape at the beginning of a string stands behind a quote, too.
        let is_string = matches!(error.kind(), ParseErrorKind::String(_));
        if !is_string && self.splits_word(range.start) {
            return fault(range, "the string ends here, but its text goes on")
                .help("write a quote inside a string as `\\\"`");
        }
        if self.body.get(range.start..).is_some_and(|rest| rest.starts_with(['}', ']'])) {
            return self.stray_closer(range);
        }
        match error.kind() {
            ParseErrorKind::UnterminatedObject | ParseErrorKind::UnterminatedArray => {
                self.unclosed(outline, range)
            }
            kind => {
                let (message, help) = describe(kind);
                let fault = fault(range, &message);
                if help.is_empty() { fault } else { fault.help(help) }
            }
        }
    }

    /// Whether a string ends right before `at` and a word goes on there: `"say "hi" now"`.
    fn splits_word(&self, at: usize) -> bool {
        let before = self.body.get(..at).is_some_and(|text| text.ends_with('"'));
        let after = self.body.get(at..).and_then(|text| text.chars().next());
        before && after.is_some_and(|c| c.is_alphanumeric() || "-_$\\/.%*'".contains(c))
    }

    fn unclosed(&self, outline: &Outline, range: Range) -> SyntaxFault {
        let (at, bracket) = outline.open.last().copied().unwrap_or((range.start, '{'));
        let message = format!("the file ends before this `{bracket}` is closed");
        SyntaxFault::new(FaultKind::Broken, self.span(Range::new(at, at + 1)), message).help(
            format!(
                "add `{}`; the `{bracket}` was opened at {}",
                partner(bracket),
                position(self.text, self.base + at)
            ),
        )
    }

    fn stray_closer(&self, range: Range) -> SyntaxFault {
        let found = self.body.get(range.start..range.end).unwrap_or_default();
        let open = Outline::new(self.body, range.start).open;
        let fault =
            |message: String| SyntaxFault::new(FaultKind::Broken, self.span(range), message);
        match open.last() {
            Some((at, bracket)) if !found.starts_with(partner(*bracket)) => {
                fault(format!("`{found}` where `{}` has to come first", partner(*bracket))).help(
                    format!(
                        "the `{bracket}` opened at {} is still open",
                        position(self.text, self.base + at)
                    ),
                )
            }
            Some(_) => fault(format!("a value is missing before `{found}`")),
            None => fault(format!("`{found}` closes nothing")).help("remove it"),
        }
    }
}

/// Checks the numbers: skipping a value does not read them.
fn numbers(strict: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice::<serde_json::Value>(strict).map(drop)
}

fn blank(text: &mut [u8], range: Range) {
    for byte in text.get_mut(range.start..range.end).unwrap_or_default() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

fn zero(text: &mut [u8], at: usize) {
    if let Some(byte) = text.get_mut(at) {
        *byte = b'0';
    }
}

fn partner(bracket: char) -> char {
    if bracket == '[' { ']' } else { '}' }
}

/// What the parser found, in words, and what to write instead.
fn describe(kind: &ParseErrorKind) -> (String, &'static str) {
    let (message, help) = match kind {
        ParseErrorKind::ExpectedComma => ("a comma is missing here", "put `,` between two entries"),
        ParseErrorKind::ExpectedColonAfterObjectKey => {
            ("a `:` is missing after the key", "write `\"key\": value`")
        }
        ParseErrorKind::ExpectedObjectValue => ("a value is missing after the `:`", ""),
        ParseErrorKind::ExpectedStringObjectProperty => {
            ("the key has no quotes", "write keys in double quotes")
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            ("a string in single quotes", "write strings in double quotes")
        }
        ParseErrorKind::MultipleRootJsonValues => {
            ("more text after the end of the document", "a file holds one JSON value")
        }
        ParseErrorKind::UnexpectedComma => {
            ("a value is missing before the comma", "remove the comma, or write a value")
        }
        ParseErrorKind::UnexpectedColon => ("a `:` where a value was expected", ""),
        ParseErrorKind::UnexpectedTokenInObject => {
            ("a key was expected here", "an object holds `\"key\": value` pairs")
        }
        ParseErrorKind::UnexpectedWord | ParseErrorKind::UnexpectedToken => (
            "this is neither a string, a number, `true`, `false` nor `null`",
            "write text in double quotes",
        ),
        ParseErrorKind::UnterminatedCommentBlock => {
            ("this comment is not closed", "JSON has no comments: remove it")
        }
        ParseErrorKind::NonFiniteNumbersNotAllowed => ("JSON has no such number", ""),
        ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            ("this string is not closed", "close it with `\"`")
        }
        ParseErrorKind::String(_) => {
            ("an escape that JSON does not have", "write a backslash as `\\\\`")
        }
        ParseErrorKind::NestingDepthExceeded => ("nested too deep", ""),
        other => {
            let text = other.to_string();
            let mut chars = text.chars();
            let first: String = chars.next().into_iter().flat_map(char::to_lowercase).collect();
            return (format!("{first}{}", chars.as_str()), "");
        }
    };
    (message.to_owned(), help)
}
