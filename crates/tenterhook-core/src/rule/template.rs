//! Which text does a rule say? Plain text with `{expression}` in it; `{{` and `}}` stand for the braces themselves (RU-4).

use std::ops::Range;

use super::punctuation::Punctuation;

/// One piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Said as it is.
    Plain(String),
    /// An expression, by its place in the text.
    Expression(Range<usize>),
}

/// Splits a text into literal pieces and expressions; `Err` is the position of an unmatched brace.
pub(super) fn split_template(text: &str) -> Result<Vec<Piece>, usize> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(brace) = rest.find(['{', '}']) else {
            plain.push_str(rest);
            break;
        };
        plain.push_str(rest.get(..brace).unwrap_or_default());
        at += brace;
        let here = text.get(at..).unwrap_or_default();
        if here.starts_with("{{") || here.starts_with("}}") {
            plain.push_str(here.get(..1).unwrap_or_default());
            at += 2;
        } else if here.starts_with('{') {
            let end = find_closing_brace(here).ok_or(at)?;
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Expression(at + 1..at + end));
            at += end + 1;
        } else {
            return Err(at);
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    Ok(pieces)
}

/// Returns the position of the brace that closes the one at the start of `text`.
fn find_closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for sign in Punctuation::new(text) {
        let (at, sign) = sign.ok()?;
        match sign {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_hold_expressions_and_doubled_ones_are_themselves() {
        let text = r#"no {a["}"]} in {{x}}"#;
        let pieces = split_template(text).unwrap();
        let [Piece::Plain(before), Piece::Expression(place), Piece::Plain(after)] = &pieces[..]
        else {
            panic!("{pieces:?}")
        };
        assert_eq!((before.as_str(), after.as_str()), ("no ", " in {x}"));
        assert_eq!(text.get(place.clone()), Some(r#"a["}"]"#));
        assert_eq!(split_template("a } b"), Err(2));
        assert_eq!(split_template("a { b"), Err(2));
    }
}
