//! What does the text of an expression say? The grammar is the crate's; this file bounds what it is
//! given and finds the place of what it complains about.
//!
//! The parser recurses, and so does everything that walks over its tree or drops it. So nesting and
//! the number of operators are counted before it sees the text (RU-31).

use std::ops::Range;

use cel::IdedExpr;
use cel::common::ast::SourceInfo;

use super::punctuation::Punctuation;
use super::quick;

/// Longest expression, in bytes.
pub(super) const LONGEST: usize = 8 * 1024;
/// Deepest nest of brackets.
pub(super) const DEEPEST: usize = 24;
/// Most operators, calls and selections: each may put the tree one level deeper.
pub(super) const MOST_OPERATORS: usize = 300;

/// A parsed expression and where its parts stand.
pub(super) struct Parsed<'t> {
    pub(super) root: IdedExpr,
    places: SourceInfo,
    text: &'t str,
}

/// Why a text is no expression.
#[derive(Debug)]
pub(super) enum NotParsed {
    /// It is not well formed.
    Malformed { at: Range<usize>, message: String },
    /// It is larger or deeper than an expression may be.
    TooLarge { at: Range<usize>, message: String },
}

impl Parsed<'_> {
    /// Returns the byte range of the node `id`.
    pub(super) fn node_span(&self, id: u64) -> Range<usize> {
        let whole = 0..self.text.len();
        let Some((start, stop)) = self.places.offset_for(id) else { return whole };
        // The parser names the last byte, not the one after it.
        let place = start as usize..(stop as usize).saturating_add(1);
        if self.text.get(place.clone()).is_some() { place } else { whole }
    }

    /// Returns the byte range of the node's name. The parser only gives the position of its dot or
    /// bracket.
    pub(super) fn name_span(&self, id: u64, name: &str) -> Range<usize> {
        let place = self.node_span(id);
        let behind = || self.text.get(place.start..)?.find(name).map(|at| place.start + at);
        let before = || self.text.get(..place.start)?.rfind(name);
        let is_call = self.text.get(place.clone()).is_some_and(|text| text.starts_with('('));
        let found = if is_call { before() } else { behind() };
        found.map_or(place.clone(), |at| at..at + name.len())
    }
}

/// Parses a simple expression without spans, quickly; `None` if it needs the full parser.
pub(super) fn parse_without_spans(text: &str) -> Option<Parsed<'_>> {
    check_size_and_depth(text).ok()?;
    Some(Parsed {
        root: quick::parse_simple_expression(text)?,
        places: SourceInfo::default(),
        text,
    })
}

/// Parses `text`. CEL macros stay calls.
pub(super) fn parse_expression(text: &str) -> Result<Parsed<'_>, NotParsed> {
    check_size_and_depth(text)?;
    let parser = cel::Env::default().parser().enable_optional_syntax(false).max_recursion_depth(64);
    match parser.parse_with_source_info(text) {
        Ok((root, places)) => Ok(Parsed { root, places, text }),
        Err(errors) => Err(errors.errors.first().map_or_else(
            || NotParsed::Malformed { at: 0..text.len(), message: "it cannot be read".to_owned() },
            |error| {
                let at = byte_offset(text, error.pos);
                NotParsed::Malformed { at: at..at, message: simplify_parser_message(&error.msg) }
            },
        )),
    }
}

/// Returns the byte offset of a line and a column, which both begin at 1.
fn byte_offset(text: &str, (line, column): (isize, isize)) -> usize {
    let lines = usize::try_from(line - 1).unwrap_or(0);
    let column = usize::try_from(column - 1).unwrap_or(0);
    let before: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
    let rest = text.get(before..).unwrap_or_default();
    before + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
}

/// How the parser begins to complain of what it met, which it then quotes.
const MET: &[&str] = &[
    "mismatched input '",
    "extraneous input '",
    "no viable alternative at input '",
    "token recognition error at: '",
];

/// Operators of other languages, and what to write instead.
const OTHERWISE: &[(&str, &str)] = &[("=", "=="), ("and", "&&"), ("or", "||")];

/// Returns the parser's error without terms of its grammar.
fn simplify_parser_message(message: &str) -> String {
    let message = message.strip_prefix("Syntax error: ").unwrap_or(message);
    let line = message.lines().next().unwrap_or_default();
    let met = MET.iter().find_map(|prefix| line.strip_prefix(prefix)?.split('\'').next());
    let lacks = line.strip_prefix("missing '").and_then(|rest| rest.split('\'').next());
    if met == Some("<EOF>") || line.starts_with("Incomplete") {
        return "it ends before it is complete".to_owned();
    }
    match (met, lacks) {
        (Some(met), _) => unexpected_token_message(met.trim()),
        (None, Some(token)) => format!("`{token}` is missing"),
        (None, None) => shorten_for_message(line),
    }
}

fn unexpected_token_message(met: &str) -> String {
    let text = format!("`{}` does not belong here", shorten_for_message(met));
    let here = OTHERWISE.iter().find(|(name, _)| *name == met);
    here.map_or_else(|| text.clone(), |(_, token)| format!("{text}: write `{token}`"))
}

fn shorten_for_message(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Rejects a text that could exhaust the stack.
fn check_size_and_depth(text: &str) -> Result<(), NotParsed> {
    let too_large = |at, message: String| Err(NotParsed::TooLarge { at, message });
    if text.len() > LONGEST {
        return too_large(0..text.len(), format!("it is longer than {LONGEST} bytes"));
    }
    let (mut depth, mut operators) = (0_usize, 0_usize);
    for sign in Punctuation::new(text) {
        let (at, sign) = sign.map_err(|at| NotParsed::Malformed {
            at: at..at + 1,
            message: "this begins no text that is well formed".to_owned(),
        })?;
        match sign {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        operators += usize::from(!matches!(sign, b',' | b':'));
        if depth > DEEPEST {
            return too_large(at..at + 1, format!("its brackets nest deeper than {DEEPEST}"));
        }
        if operators > MOST_OPERATORS {
            let message =
                format!("it has more than {MOST_OPERATORS} operators, calls and brackets");
            return too_large(at..at + 1, message);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_in_words_for_people() {
        for (text, message) in [
            ("tool.name ==", "it ends before it is complete"),
            ("tool.name == \"Bash\" tool", "`tool` does not belong here"),
            ("tool.name = \"Bash\"", "`=` does not belong here: write `==`"),
            ("a and b", "`and` does not belong here: write `&&`"),
            ("a && || b", "`||` does not belong here"),
            ("[1, 2", "it ends before it is complete"),
            ("(a || b", "`)` is missing"),
            ("a ? b", "it ends before it is complete"),
            ("", "it ends before it is complete"),
        ] {
            match parse_expression(text) {
                Err(NotParsed::Malformed { message: output, .. }) => {
                    assert_eq!(output, message, "{text}")
                }
                _ => panic!("`{text}` was read"),
            }
        }
    }
}
