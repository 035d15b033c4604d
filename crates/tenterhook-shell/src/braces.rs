//! Expands the braces of a word as Bash does, before all other expansions (S-69). Knows quotes, and
//! expands nothing else.

/// Most words of one brace expansion; a word with more is left as it is.
const MOST: usize = 64;
/// Deepest nest of braces that is followed, and the longest word and most braces that are examined.
const DEEPEST: usize = 8;
const LONGEST: usize = 4 * 1024;
pub(super) const MOST_BRACES: usize = 64;

/// Returns the words of `a{b,c}d` and `{1..3}`, or `None` if no braces expand.
pub(super) fn expand_braces(source: &str) -> Option<Vec<String>> {
    if source.len() > LONGEST || source.matches('{').count() > MOST_BRACES {
        return None;
    }
    let all = expand_nested(source, 0)?;
    (all.len() != 1 || all.first().is_some_and(|one| one != source)).then_some(all)
}

/// Expands the braces of a text. Returns `None` if there are too many words.
fn expand_nested(source: &str, depth: usize) -> Option<Vec<String>> {
    let mut from = 0;
    while let Some(open) = find_next_brace(source, from) {
        let before = source.get(..open)?;
        let Some((choices, behind)) = expand_brace_content(source.get(open + 1..)?, depth)? else {
            from = open + 1;
            continue;
        };
        let tails = expand_nested(behind, depth)?;
        if choices.len() * tails.len() > MOST {
            return None;
        }
        let one = |choice: &String| {
            tails.iter().map(|tail| format!("{before}{choice}{tail}")).collect::<Vec<_>>()
        };
        return Some(choices.iter().flat_map(one).collect());
    }
    Some(vec![source.to_owned()])
}

/// Returns the position of the next unquoted brace that does not belong to a parameter.
fn find_next_brace(source: &str, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(c) = source.get(at..)?.chars().next() {
        match c {
            '{' => return Some(at),
            _ => at = end_of_piece(source, at)?,
        }
    }
    None
}

/// Returns the end of the piece that starts here: a character, an escape, a text in quotes or an
/// expansion.
fn end_of_piece(source: &str, at: usize) -> Option<usize> {
    let rest = source.get(at..)?;
    let c = rest.chars().next()?;
    let closed = |open: usize, close: char| {
        let inner = rest.get(open..)?;
        let mut escaped = false;
        for (index, c) in inner.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if close != '\'' => escaped = true,
                _ if c == close => return Some(at + open + index + c.len_utf8()),
                _ => {}
            }
        }
        None
    };
    match c {
        '\\' => Some(at + 1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
        '\'' | '"' | '`' => closed(1, c),
        '$' if rest.starts_with("${") => end_of_brackets(source, at + 2, '{', '}'),
        '$' | '<' | '>' if rest.get(1..).is_some_and(|rest| rest.starts_with('(')) => {
            end_of_brackets(source, at + 2, '(', ')')
        }
        _ => Some(at + c.len_utf8()),
    }
}

/// Returns the end of the brackets that are open here.
fn end_of_brackets(source: &str, from: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 1_usize;
    let mut at = from;
    while let Some(c) = source.get(at..)?.chars().next() {
        match c {
            _ if c == open => depth += 1,
            _ if c == close => depth -= 1,
            '\\' | '\'' | '"' | '`' => {
                at = end_of_piece(source, at)?;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the words of the braces whose content starts here, and the text after them. `None` if
/// there are too many, `Some(None)` if the braces are ordinary characters.
#[expect(clippy::option_option, reason = "too much and nothing are two answers")]
fn expand_brace_content(source: &str, depth: usize) -> Option<Option<(Vec<String>, &str)>> {
    let mut parts = Vec::new();
    let (mut start, mut at, mut level) = (0, 0, 0_usize);
    while let Some(c) = source.get(at..).and_then(|rest| rest.chars().next()) {
        match c {
            '{' => level += 1,
            '}' if level > 0 => level -= 1,
            '}' => {
                parts.push(source.get(start..at)?);
                let behind = source.get(at + 1..)?;
                return expand_alternatives(&parts, depth).map(|all| all.map(|all| (all, behind)));
            }
            ',' if level == 0 => {
                parts.push(source.get(start..at)?);
                start = at + 1;
            }
            _ => {
                let Some(next) = end_of_piece(source, at) else { return Some(None) };
                at = next;
                continue;
            }
        }
        at += 1;
    }
    Some(None)
}

/// Returns the words of the parts between commas, or of a sequence.
#[expect(clippy::option_option, reason = "too much and nothing are two answers")]
fn expand_alternatives(parts: &[&str], depth: usize) -> Option<Option<Vec<String>>> {
    if depth >= DEEPEST {
        return None;
    }
    match parts {
        [one] => match expand_sequence(one) {
            Some(all) => Some(Some(all)),
            None => Some(None),
        },
        parts => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(expand_nested(part, depth + 1)?);
            }
            (all.len() <= MOST).then_some(Some(all))
        }
    }
}

/// Expands a sequence such as `1..3`, `a..c` or `01..10..2`.
fn expand_sequence(inner: &str) -> Option<Vec<String>> {
    let mut parts = inner.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step: i64 = parts.next().map_or(Some(1), |step| step.parse().ok())?;
    if parts.next().is_some() {
        return None;
    }
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    if let (Some(first), Some(last)) = (letter(first), letter(last)) {
        let all = number_range(u32::from(first).into(), u32::from(last).into(), step)?;
        let char = |code: i64| u32::try_from(code).ok().and_then(char::from_u32);
        return all.into_iter().map(|code| char(code).map(String::from)).collect();
    }
    let width = match [first, last]
        .iter()
        .any(|text| text.trim_start_matches('-').starts_with('0') && text.len() > 1)
    {
        true => first.len().max(last.len()),
        false => 0,
    };
    let all = number_range(first.parse().ok()?, last.parse().ok()?, step)?;
    Some(all.into_iter().map(|number| format!("{number:0width$}")).collect())
}

/// Returns the numbers from `first` to `last`.
fn number_range(first: i64, last: i64, step: i64) -> Option<Vec<i64>> {
    let step = step.checked_abs()?.max(1);
    let count = last.checked_sub(first)?.checked_abs()? / step + 1;
    let most = i64::try_from(MOST).ok()?;
    let sign = if last < first { -1 } else { 1 };
    (count <= most).then(|| (0..count).map(|at| first + sign * at * step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-69.
    #[test]
    fn braces_unfold_as_bash_does() {
        for (source, wanted) in [
            ("{push,}", &["push", ""][..]),
            ("pus{h,}", &["push", "pus"]),
            ("r{m,}", &["rm", "r"]),
            ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
            ("a{b,{c,d}}e", &["abe", "ace", "ade"]),
            ("{1..3}", &["1", "2", "3"]),
            ("{c..a}", &["c", "b", "a"]),
            ("{01..03..2}", &["01", "03"]),
            ("-{f,u}", &["-f", "-u"]),
            ("'x'{a,\"b c\"}", &["'x'a", "'x'\"b c\""]),
            ("${X}{a,b}", &["${X}a", "${X}b"]),
            ("{a,b}$(echo {c,d})", &["a$(echo {c,d})", "b$(echo {c,d})"]),
            ("{x}{a,b}", &["{x}a", "{x}b"]),
        ] {
            assert_eq!(expand_braces(source).unwrap_or_default(), wanted, "{source}");
        }
        for source in [
            "{}",
            "{a}",
            "'{a,b}'",
            "\"{a,b}\"",
            "\\{a,b}",
            "${X:-{a,b}}",
            "{a,b",
            "{1..9999}",
            "a",
        ] {
            assert_eq!(expand_braces(source), None, "{source}");
        }
    }

    #[test]
    fn word_that_stands_for_too_many_is_left() {
        assert_eq!(expand_braces(&"{a,b}".repeat(40)), None);
        assert_eq!(expand_braces(&format!("{}a,b{}", "{x,".repeat(60), "}".repeat(60))), None);
        assert_eq!(expand_braces(&"{".repeat(64 * 1024)), None);
    }
}
