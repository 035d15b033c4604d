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
    describe_position, number_or_text,
};

const BOM: &str = "\u{feff}";

pub(super) fn parse_json(text: &str) -> Parsed {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let base = text.len() - body.len();
    let (body, halves) = lone::replace_lone_surrogates(body);
    let reader = Reader { text, body: &body, base };
    let mut parsed = reader.parse_body();
    parsed.faults.extend(halves.into_iter().map(|range| {
        let what = NotStrict::Javascript;
        let fault = reader.strictness_fault(
            what,
            range,
            "this escape is half of a character, which only JavaScript reads",
        );
        fault.with_help("write both halves (`\\ud83d\\ude00`), or the character itself")
    }));
    parsed.faults.sort_by_key(|fault| fault.span);
    if reader.base > 0 {
        let mark = SyntaxFault::new(
            FaultKind::NotStrict(NotStrict::ByteOrderMark),
            Span::new(0, reader.base),
            "the file begins with a byte order mark",
        );
        parsed.faults.insert(0, mark.with_help("save it as UTF-8 without BOM"));
    }
    parsed
}

/// Parses JSON5. Only what breaks the text is a fault: everything else is a part of the format.
pub(super) fn parse_json5(text: &str) -> Parsed {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let reader = Reader { text, body, base: text.len() - body.len() };
    let outline = Outline::of_json5(body);
    if let Some(at) = outline.too_deep {
        return reader.too_deep(at);
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: true,
        allow_hexadecimal_numbers: true,
        allow_unary_plus_numbers: true,
        allow_bare_decimal_point_numbers: true,
        allow_non_finite_numbers: true,
        allow_extended_string_escapes: true,
    };
    match jsonc_parser::parse_to_ast(body, &CollectOptions::default(), &options) {
        Err(error) => Parsed::from_fatal_fault(reader.explain_parse_error(&error, &outline)),
        Ok(result) => match result.value {
            None => Parsed::from_fatal_fault(reader.empty_text_fault(!body.trim().is_empty())),
            Some(value) => Parsed { root: Some(reader.to_node(value)), ..Parsed::default() },
        },
    }
}

struct Reader<'a> {
    text: &'a str,
    /// `text` without its byte order mark, and with no half of a character in it.
    body: &'a str,
    /// Where `body` begins in `text`.
    base: usize,
}

impl Reader<'_> {
    fn parse_body(&self) -> Parsed {
        let outline = Outline::new(self.body, self.body.len());
        if let Some(at) = outline.too_deep {
            return self.too_deep(at);
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
            Err(error) => Parsed::from_fatal_fault(self.explain_parse_error(&error, &outline)),
            Ok(result) => {
                let tokens = result.tokens.unwrap_or_default();
                match result.value {
                    None => Parsed::from_fatal_fault(self.empty_text_fault(!tokens.is_empty())),
                    Some(value) => {
                        let faults = self.find_strictness_faults(&tokens);
                        Parsed { root: Some(self.to_node(value)), faults, ..Parsed::default() }
                    }
                }
            }
        }
    }

    fn too_deep(&self, at: usize) -> Parsed {
        Parsed::from_fatal_fault(SyntaxFault::new(
            FaultKind::Limit,
            self.to_span(Range::new(at, at + 1)),
            format!("nested deeper than {MAX_DEPTH} levels"),
        ))
    }

    fn to_span(&self, range: Range) -> Span {
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn to_node(&self, value: Value<'_>) -> Node {
        let span = self.to_span(value.range());
        let value = match value {
            Value::NullKeyword(_) => NodeValue::Null,
            Value::BooleanLit(truth) => NodeValue::Bool(truth.value),
            Value::NumberLit(number) => number_or_text(number.value),
            Value::StringLit(text) => NodeValue::String(text.value.into_owned()),
            Value::Array(array) => NodeValue::Array(
                array.elements.into_iter().map(|item| self.to_node(item)).collect(),
            ),
            Value::Object(object) => NodeValue::Object(
                object
                    .properties
                    .into_iter()
                    .map(|property| Entry {
                        key_span: self.to_span(property.name.range()),
                        key: match property.name {
                            ObjectPropName::String(name) => name.value.into_owned(),
                            ObjectPropName::Word(name) => name.value.to_owned(),
                        },
                        node: self.to_node(property.value),
                    })
                    .collect(),
            ),
        };
        Node { span, value }
    }

    fn empty_text_fault(&self, comments: bool) -> SyntaxFault {
        let span = Span::new(self.base, self.text.len());
        let message =
            if comments { "the file holds nothing but comments" } else { "the file is empty" };
        SyntaxFault::new(FaultKind::Empty, span, message)
            .with_help("write at least `{}`, or remove the file")
    }

    /// Returns what a strict parser would reject in a text that was read anyway.
    fn find_strictness_faults(&self, tokens: &[TokenAndRange<'_>]) -> Vec<SyntaxFault> {
        let mut faults = Vec::new();
        let mut strict = self.body.as_bytes().to_vec();
        let mut comma: Option<Range> = None;
        for TokenAndRange { token, range } in tokens {
            match token {
                Token::CommentLine(_) | Token::CommentBlock(_) => {
                    blank_out(&mut strict, *range);
                    let fault =
                        self.strictness_fault(NotStrict::Comment, *range, "JSON has no comments");
                    faults
                        .push(fault.with_help("remove it: a strict parser refuses the whole file"));
                }
                Token::CloseBrace | Token::CloseBracket => {
                    if let Some(range) = comma.take() {
                        blank_out(&mut strict, range);
                        let message = format!("a comma before the closing `{}`", token.as_str());
                        let fault = self.strictness_fault(NotStrict::TrailingComma, range, message);
                        faults.push(
                            fault.with_help("remove it: a strict parser refuses the whole file"),
                        );
                    }
                }
                Token::Comma => comma = Some(*range),
                Token::Number(number) => {
                    comma = None;
                    if number.parse::<f64>().is_ok_and(f64::is_infinite) {
                        blank_out(&mut strict, *range);
                        overwrite_with_zero(&mut strict, range.start);
                        let what = NotStrict::Javascript;
                        let fault = self.strictness_fault(
                            what,
                            *range,
                            "not valid JSON: number out of range",
                        );
                        faults.push(fault.with_help("write a number that is nearer to zero"));
                    }
                }
                _ => comma = None,
            }
        }
        faults.extend(self.check_with_strict_parser(&strict));
        faults.sort_by_key(|fault| fault.span);
        faults
    }

    fn strictness_fault(
        &self,
        what: NotStrict,
        range: Range,
        message: impl Into<String>,
    ) -> SyntaxFault {
        SyntaxFault::new(FaultKind::NotStrict(what), self.to_span(range), message)
    }

    /// Parses the text, without its comments and trailing commas, with a second, strict parser and
    /// returns its fault.
    fn check_with_strict_parser(&self, strict: &[u8]) -> Option<SyntaxFault> {
        let error = serde_json::from_slice::<serde::de::IgnoredAny>(strict)
            .map(drop)
            .and_then(|()| check_numbers(strict))
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
        Some(self.strictness_fault(NotStrict::Other, Range::new(at, at), message).with_help(help))
    }

    fn explain_parse_error(&self, error: &ParseError, outline: &Outline) -> SyntaxFault {
        let range = error.range();
        let fault = |range: Range, message: &str| {
            SyntaxFault::new(FaultKind::Broken, self.to_span(range), message)
        };
        // A string that runs over the end of its line lost its closing quote, and everything after it reads wrong.
        if let Some(start) = outline.open_string.filter(|start| *start <= range.end) {
            let end = self.body.get(start..).and_then(|rest| rest.find('\n'));
            let range = Range::new(start, end.map_or(self.body.len(), |length| start + length));
            return fault(range, "this string is not closed on its line")
                .with_help("close it with `\"`; write a line break inside a string as `\\n`");
        }
        // An escape at the beginning of a string stands behind a quote, too.
        let is_string = matches!(error.kind(), ParseErrorKind::String(_));
        if !is_string && self.is_word_after_string(range.start) {
            return fault(range, "the string ends here, but its text goes on")
                .with_help("write a quote inside a string as `\\\"`");
        }
        if self.body.get(range.start..).is_some_and(|rest| rest.starts_with(['}', ']'])) {
            return self.stray_closer_fault(range);
        }
        match error.kind() {
            ParseErrorKind::UnterminatedObject | ParseErrorKind::UnterminatedArray => {
                self.unclosed_bracket_fault(outline, range)
            }
            kind => {
                let (message, help) = describe_parse_error(kind);
                let fault = fault(range, &message);
                if help.is_empty() { fault } else { fault.with_help(help) }
            }
        }
    }

    /// Returns true if a string ends right before `at` and a word follows: `"say "hi" now"`.
    fn is_word_after_string(&self, at: usize) -> bool {
        let before = self.body.get(..at).is_some_and(|text| text.ends_with('"'));
        let after = self.body.get(at..).and_then(|text| text.chars().next());
        before && after.is_some_and(|c| c.is_alphanumeric() || "-_$\\/.%*'".contains(c))
    }

    fn unclosed_bracket_fault(&self, outline: &Outline, range: Range) -> SyntaxFault {
        let (at, bracket) = outline.open.last().copied().unwrap_or((range.start, '{'));
        let message = format!("the file ends before this `{bracket}` is closed");
        SyntaxFault::new(FaultKind::Broken, self.to_span(Range::new(at, at + 1)), message)
            .with_help(format!(
                "add `{}`; the `{bracket}` was opened at {}",
                closing_bracket(bracket),
                describe_position(self.text, self.base + at)
            ))
    }

    fn stray_closer_fault(&self, range: Range) -> SyntaxFault {
        let found = self.body.get(range.start..range.end).unwrap_or_default();
        let open = Outline::new(self.body, range.start).open;
        let fault =
            |message: String| SyntaxFault::new(FaultKind::Broken, self.to_span(range), message);
        match open.last() {
            Some((at, bracket)) if !found.starts_with(closing_bracket(*bracket)) => {
                fault(format!("`{found}` where `{}` has to come first", closing_bracket(*bracket)))
                    .with_help(format!(
                        "the `{bracket}` opened at {} is still open",
                        describe_position(self.text, self.base + at)
                    ))
            }
            Some(_) => fault(format!("a value is missing before `{found}`")),
            None => fault(format!("`{found}` closes nothing")).with_help("remove it"),
        }
    }
}

/// Checks the numbers, which a parser that skips values does not read.
fn check_numbers(strict: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice::<serde_json::Value>(strict).map(drop)
}

fn blank_out(text: &mut [u8], range: Range) {
    for byte in text.get_mut(range.start..range.end).unwrap_or_default() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

fn overwrite_with_zero(text: &mut [u8], at: usize) {
    if let Some(byte) = text.get_mut(at) {
        *byte = b'0';
    }
}

fn closing_bracket(bracket: char) -> char {
    if bracket == '[' { ']' } else { '}' }
}

/// Returns what the parser found, in words, and what to write instead.
fn describe_parse_error(kind: &ParseErrorKind) -> (String, &'static str) {
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
