//! Finds syntax of regular expressions that other languages have and JavaScript does not: an agent in JavaScript skips the
//! group, or matches something else, where our engine matches as meant.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::findings::finding_without_location;
use crate::matcher::{Matcher, MatcherSpec};

/// The agents that compile matchers with JavaScript: the code or the binary of each is of it.
const AGENTS: &[&str] =
    &["Claude Code", "Gemini CLI", "Qwen Code", "Cursor", "Auggie", "Droid", "Kimi Code CLI"];

/// Returns why JavaScript cannot compile an expression, or our engine cannot.
pub(crate) fn javascript_fault(text: &str) -> Option<String> {
    let compiled = Matcher::new(MatcherSpec::Regex(text.to_owned())).compile();
    compiled.err().map(|why| why.to_string()).or_else(|| {
        let found = find_foreign_syntax(text).filter(|found| found.is_invalid)?;
        Some(format!("JavaScript has no `{}`", found.part))
    })
}

/// Returns the finding for a part of an expression that an agent in JavaScript reads otherwise.
pub(crate) fn foreign_syntax_finding(agent: &str, text: &str) -> Option<Diagnostic> {
    let found = find_foreign_syntax(text).filter(|_| AGENTS.contains(&agent))?;
    let (message, help) = match found.is_invalid {
        true => (
            format!("`{text}` is not valid in {agent}: JavaScript has no `{}`", found.part),
            "write `[Bb]ash` for a letter in both cases, and `(?:...)` for a group",
        ),
        false => (
            format!("`{}` has another meaning in {agent}, in JavaScript", found.part),
            "write `^`, `$` or the characters themselves",
        ),
    };
    Some(finding_without_location(Code::InvalidMatcher, message).help(help))
}

/// A part of an expression that JavaScript reads otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ForeignSyntax<'t> {
    part: &'t str,
    /// Whether the whole expression is invalid; otherwise the part matches other text.
    is_invalid: bool,
}

/// Texts in a pattern, and whether they make it invalid. A part of an alternative ends at the first text that fits.
const OUTSIDE_CLASSES: &[(&str, bool)] = &[
    ("(?P", true),
    ("(?#", true),
    ("(?>", true),
    ("(?|", true),
    ("*+", true),
    ("++", true),
    ("?+", true),
    ("\\A", false),
    ("\\z", false),
    ("\\Z", false),
];
/// The same, wherever they stand.
const ANYWHERE: &[(&str, bool)] =
    &[("\\p{", false), ("\\P{", false), ("\\x{", false), ("[:", false)];

/// Finds the first such part, without the flag `u`, which no agent sets.
fn find_foreign_syntax(pattern: &str) -> Option<ForeignSyntax<'_>> {
    let (mut at, mut is_in_class) = (0, false);
    while let Some(rest) = pattern.get(at..).filter(|rest| !rest.is_empty()) {
        let part = |length: usize, is_invalid: bool| {
            let part = rest.get(..length).unwrap_or(rest);
            Some(ForeignSyntax { part, is_invalid })
        };
        if let Some(length) = flag_group_length(rest).filter(|_| !is_in_class) {
            return part(length, true);
        }
        let outside = OUTSIDE_CLASSES.iter().filter(|_| !is_in_class);
        let within = ANYWHERE.iter().filter(|(text, _)| is_in_class || *text != "[:");
        let mut found = outside.chain(within).filter(|(text, _)| rest.starts_with(text));
        if let Some((text, is_invalid)) = found.next() {
            return part(text.len(), *is_invalid);
        }
        let mut chars = rest.chars();
        match chars.next() {
            Some('\\') => at += 1 + chars.next().map_or(0, char::len_utf8),
            Some(c) => {
                is_in_class = (is_in_class || c == '[') && c != ']';
                at += c.len_utf8();
            }
            None => break,
        }
    }
    None
}

/// Returns the length of a group of flags such as `(?i)`. `(?i:...)` is valid in new JavaScript.
fn flag_group_length(rest: &str) -> Option<usize> {
    let flags = rest.strip_prefix("(?")?;
    let (flags, _) = flags.split_once(')')?;
    let is_flags = !flags.is_empty() && flags.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    is_flags.then_some(flags.len() + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_syntax_is_found_and_javascript_is_not() {
        for (pattern, part, is_invalid) in [
            ("(?i)rm", "(?i)", true),
            ("a|(?is-x)b", "(?is-x)", true),
            ("(?P<a>x)", "(?P", true),
            ("a++", "++", true),
            (r"\Agit\z", r"\A", false),
            (r"git\z", r"\z", false),
            ("[[:alpha:]]", "[:", false),
            (r"[\p{L}]", r"\p{", false),
        ] {
            let found = find_foreign_syntax(pattern);
            assert_eq!(found, Some(ForeignSyntax { part, is_invalid }), "{pattern}");
        }
        for pattern in [
            "^git (push|pull)",
            "(?:a)(?=b)(?!c)(?<=d)(?<!e)(?<name>f)",
            r"\\A",
            r"\(?i\)",
            "[(?i)]",
            "[*+]",
            "(?i:a)",
            "[^:]:",
            "é(",
            r"a\",
            "",
        ] {
            assert_eq!(find_foreign_syntax(pattern), None, "{pattern}");
        }
    }
}
