//! Finds in a text without objects the lines that are shaped like an answer: `decision: deny`,
//! `DECISION=deny`, a word that denies and nothing else (A-44). Does not decide what they mean.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::keys::{self, Key, Spelling};
use super::{loose, vocabulary};

/// Longer texts are reports; a record in one of them is a quotation.
const MAX_LINES: usize = 40;
/// A text of so few lines has no room for anything but what it says.
const FEW_LINES: usize = 5;

/// Lines that are shaped like an answer.
#[derive(Debug, PartialEq)]
pub(super) enum Lines {
    /// Nothing but records: the object that they are.
    Records(Map<String, Value>),
    /// A word that denies, and nothing else.
    Word(String),
    /// A record among other lines, or a denial and what for: the line.
    One(String),
}

static RECORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x) ^ \s* (?:[-*>|] \s*)? (?:export \s+ | set \s+ | let \s+ | const \s+ | \$)? ["'*_`\[]*
           (?<key> [A-Za-z] [\w.\ -]{1,40}?) ["'*_`\]]* \s* (?: => | := | -> | : | = ) \s* (?<value> .*?) \s* [,;|]? \s* $"#,
    )
    .ok()
});
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"<(?<key>[A-Za-z][\w:-]{1,40})(?:\s[^<>]{0,200})?>\s*(?<value>[^<>]{1,120}?)\s*</")
        .ok()
});
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?:^|[\s<&?,(\[|;])(?<key>[A-Za-z][\w.-]{1,40})(?:=>|[=:])\s?(?<value>"[^"\n]*"|'[^'\n]*'|[^\s&>,;=\])]+)"#,
    )
    .ok()
});

static BESIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?xim) ^ [^A-Za-z\n]* (?: key [^A-Za-z\n]{3,8} )? (?:permission[\ _-]?)? decision \b (?: [^A-Za-z\n|]{2,40} | \s* "? \]? => \n \s* )
           (?: (?: value | string ) [^A-Za-z\n]{1,12} )? (?<word> [A-Za-z]{4,16} ) \b"#,
    )
    .ok()
});

/// Returns the first line of a table, a list or a tuple, as languages print them, in which a denial
/// stands beside its key or before its reason.
pub(super) fn find_denial_row(text: &str) -> Option<String> {
    const MOST: usize = FEW_LINES * 2;
    // Enough lines to see that there are too many: an output can have half a million.
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST + 1).collect();
    if lines.len() > MOST {
        return None;
    }
    let (first, last) = (lines.first()?, lines.last()?);
    let mut beside = BESIDE.as_ref()?.captures_iter(text);
    let found = beside.any(|captures| vocabulary::is_denial_alone(&captures["word"]))
        || is_denial_tuple(&lines);
    (found || is_denial_table(first, last, &lines)).then(|| (*first).to_owned())
}

/// Returns `true` for a tuple alone, such as `(False, 'no rm')` or `["block", "no rm"]`.
fn is_denial_tuple(lines: &[&str]) -> bool {
    let [line] = lines else { return false };
    let inner = line.strip_prefix(['(', '[']).and_then(|rest| rest.strip_suffix([')', ']']));
    let Some((word, rest)) = inner.and_then(|text| text.split_once(',')) else { return false };
    let no = word.trim().eq_ignore_ascii_case("false") || vocabulary::is_denial_alone(word);
    no && rest.trim().starts_with(['"', '\'']) && rest.contains(' ')
}

/// Returns `true` if the text is a table with one row whose columns are keys of an answer and whose
/// decision denies.
fn is_denial_table(head: &str, row: &str, lines: &[&str]) -> bool {
    let body = lines.iter().skip(1).filter(|line| line.contains(char::is_alphanumeric)).count();
    let columns = |line: &str| -> Vec<String> {
        line.split([',', ';', '\t', '|'])
            .flat_map(|part| part.split("  "))
            .flat_map(|part| {
                // A table of two words a column keeps them apart by one space in its head.
                if line == head {
                    part.split(' ').map(str::to_owned).collect()
                } else {
                    vec![part.trim().to_owned()]
                }
            })
            .filter(|word| !word.is_empty())
            .collect()
    };
    let keys = columns(head);
    let known = keys
        .iter()
        .all(|key| matches!(keys::classify_key(key).0, Key::Decision | Key::Verdict | Key::Reason));
    let at = keys.iter().position(|key| keys::classify_key(key).0 == Key::Decision);
    body == 1
        && known
        && at
            .and_then(|at| columns(row).get(at).cloned())
            .is_some_and(|column| vocabulary::is_denial_alone(&column))
}

/// Returns what the lines of a plain text say: records, a single word, or a line that looks like a
/// denial.
pub(super) fn classify_lines(text: &str) -> Option<Lines> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !is_frame_line(line))
        .take(MAX_LINES + 1)
        .collect();
    if lines.is_empty() || lines.len() > MAX_LINES {
        return None;
    }
    match &*lines {
        [line] if vocabulary::is_denial_alone(line) => {
            let word = line.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
            // A bare `no` may answer anything.
            let doubt = word.eq_ignore_ascii_case("no");
            return Some(if doubt { Lines::One(word) } else { Lines::Word(word) });
        }
        [line] if is_shouted_denial(line) => return Some(Lines::One((*line).to_owned())),
        _ => {}
    }
    let logged = lines.iter().find(|line| {
        let pairs = captured_pairs(PAIR.as_ref(), line);
        (pairs.len() > 1 || line.starts_with('<') || line.ends_with([')', ']']))
            && pairs.iter().any(|(key, pair)| is_denial_pair(key, pair))
    });
    if let Some(line) = logged.filter(|_| lines.len() <= FEW_LINES) {
        return Some(Lines::One((*line).to_owned()));
    }
    let trimmed = text.trim();
    if trimmed.starts_with(['"', '\'']) && trimmed.contains(':') {
        // The brace is missing.
        let fields = loose::read_loose_json(&format!("{{{trimmed}")).fields;
        return Some(Lines::Records(fields));
    }
    let records: Vec<Option<(String, Value)>> =
        lines.iter().map(|line| parse_key_value_line(line)).collect();
    if records.iter().all(Option::is_some) {
        return Some(Lines::Records(records.into_iter().flatten().collect()));
    }
    let tagged = captured_pairs(TAG.as_ref(), text);
    if !tagged.is_empty() && text.trim_start().starts_with('<') {
        return Some(Lines::Records(tagged));
    }
    match &*lines {
        [line] if is_short_decision_phrase(line) => Some(Lines::One((*line).to_owned())),
        _ => denial_among_lines(&lines, &records),
    }
}

/// Returns a record that denies among other lines, or a last line that is a denial alone.
fn denial_among_lines(lines: &[&str], records: &[Option<(String, Value)>]) -> Option<Lines> {
    let few = lines.len() <= FEW_LINES;
    let reasoned =
        records.iter().flatten().any(|(key, _)| keys::classify_key(key).0 == Key::Reason);
    if let Some(at) = records
        .iter()
        .position(|record| record.as_ref().is_some_and(|(key, value)| is_denial_pair(key, value)))
        && (few || reasoned)
    {
        return lines.get(at).map(|line| Lines::One((*line).to_owned()));
    }
    let last = lines.last().filter(|line| {
        few && (is_shouted_denial(line)
            || (vocabulary::is_denial_alone(line) && has_no_lowercase(line)))
    });
    last.map(|line| Lines::One((*line).to_owned()))
}

/// Returns `true` for a few words that hold a decision, such as `Decision.DENY` or `the decision is
/// deny`.
fn is_short_decision_phrase(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let few: Vec<&str> = words.by_ref().take(5).collect();
    words.next().is_none()
        && few.iter().any(|text| text.eq_ignore_ascii_case("decision"))
        && few.last().is_some_and(|text| vocabulary::is_denial_alone(text))
}

/// Returns `true` if a pair is a decision that denies.
fn is_denial_pair(key: &str, value: &Value) -> bool {
    keys::classify_key(key) == (Key::Decision, Spelling::Right)
        && value.as_str().is_some_and(vocabulary::is_denial_alone)
}

/// Returns `true` for a line that only frames others, such as a code fence.
fn is_frame_line(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("```")
        || line.starts_with("~~~")
        || matches!(line, "---" | "..." | "{" | "}")
        || line.starts_with("<?xml")
}

/// Returns the key and the value of a line that is such a pair.
fn parse_key_value_line(line: &str) -> Option<(String, Value)> {
    let captures = RECORD.as_ref()?.captures(line)?;
    let (key, value) = (captures["key"].trim().to_owned(), parse_scalar(&captures["value"]));
    // `denied: requested access to the resource`: the beginning of a sentence.
    let sentence = keys::classify_key(&key).0 == Key::Denial
        && value.as_str().is_some_and(|text| text.contains(' '));
    (!sentence).then_some((key, value))
}

fn captured_pairs(regex: Option<&Regex>, text: &str) -> Map<String, Value> {
    let found = regex.into_iter().flat_map(|regex| regex.captures_iter(text)).take(MAX_LINES);
    found.map(|captures| (captures["key"].to_owned(), parse_scalar(&captures["value"]))).collect()
}

fn parse_scalar(text: &str) -> Value {
    let bare = text.trim().trim_matches(['"', '\'', '*', '`', '_']);
    match bare.to_ascii_lowercase().as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "" | "null" | "~" => Value::Null,
        _ => Value::String(bare.to_owned()),
    }
}

fn has_no_lowercase(line: &str) -> bool {
    !line.contains(char::is_lowercase)
}

/// Returns `true` for a denial in capitals with its reason, such as `DENIED: no rm`.
fn is_shouted_denial(line: &str) -> bool {
    let Some((word, rest)) = line.split_once([':', '!', ',']) else { return false };
    let counts = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    vocabulary::is_denial_alone(word) && has_no_lowercase(word) && word.len() >= 4 && !counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-44
    #[test]
    fn lines_that_decide_are_found() {
        for text in [
            "deny",
            "\"blocked\"",
            "[\"deny\"]",
            "DENY.",
            "checking\nDENIED",
            "BLOCKED: no rm",
            "a\nb\ndecision: deny",
        ] {
            assert!(matches!(classify_lines(text), Some(Lines::One(_) | Lines::Word(_))), "{text}");
        }
        for text in [
            "decision: deny\nreason: no",
            "DECISION=deny",
            "<hook><decision>deny</decision></hook>",
        ] {
            let Some(Lines::Records(fields)) = classify_lines(text) else { panic!("{text}") };
            assert!(fields.values().any(|field| field == "deny"), "{text}");
        }
    }

    /// A-40
    /// A-44.
    #[test]
    fn lines_that_tell_of_something_else_are_not() {
        for text in [
            "",
            "checked 3 files",
            "blocked 0 of 3 requests",
            "deny list has 3 entries",
            "Blocked: 0",
            "BLOCKED: 0, ALLOWED: 5",
            "denied: requested access to the resource is denied",
            "deny? the user decides",
            "42",
            "npm test: 4 passed, 1 blocked\nok",
        ] {
            let found = classify_lines(text);
            assert!(!matches!(found, Some(Lines::One(_) | Lines::Word(_))), "{text}: {found:?}");
        }
    }

    /// A-44: a frame, a flag and a value that is not a decision are each read as such.
    #[test]
    fn records_are_read_within_their_frames() {
        use serde_json::json;
        for (text, fields) in [
            ("```\ndecision: deny\nreason: x\n```", json!({"decision": "deny", "reason": "x"})),
            ("~~~\ndecision: deny\n~~~", json!({"decision": "deny"})),
            ("---\nblocked: true\nreason: x", json!({"blocked": true, "reason": "x"})),
            ("{\napproved: false\n}", json!({"approved": false})),
            ("reason: null\ndecision: deny", json!({"reason": null, "decision": "deny"})),
            ("<?xml version='1.0'?>\n<decision>deny</decision>", json!({"decision": "deny"})),
        ] {
            assert_eq!(classify_lines(text).map(shown), Some(fields), "{text}");
        }
    }

    fn shown(lines: Lines) -> Value {
        match lines {
            Lines::Records(fields) => Value::Object(fields),
            Lines::Word(text) | Lines::One(text) => Value::String(text),
        }
    }

    /// A-44, A-86: among others a record counts in few lines, or with its reason, and in no report.
    #[test]
    fn a_record_among_other_lines_counts_in_a_short_text() {
        let among = |notes: usize, end: &str| {
            let text = format!("{}decision: deny{end}", "a note\n".repeat(notes));
            classify_lines(&text).is_some()
        };
        for (notes, end, is_found) in [
            (FEW_LINES - 1, "", true),
            (FEW_LINES, "", false),
            (FEW_LINES, "\nreason: no", true),
            (MAX_LINES - 2, "\nreason: no", true),
            (MAX_LINES - 1, "\nreason: no", false),
        ] {
            assert_eq!(among(notes, end), is_found, "{notes} {end}");
        }
        let first = format!("decision: deny\nreason: no\n{}", "a note\n".repeat(MAX_LINES - 1));
        assert_eq!(classify_lines(&first), None);
        for (text, is_found) in [
            ("Decision.DENY", true),
            ("decision maybe", false),
            ("rule deny", false),
            ("BLOCKED: no rm", true),
            ("BLOCKED: 3 of 5", false),
        ] {
            assert_eq!(matches!(classify_lines(text), Some(Lines::One(_))), is_found, "{text}");
        }
    }

    /// A-43, A-86: a row below its head, and no list of more lines than show an answer.
    #[test]
    fn a_table_of_few_lines_decides() {
        let table = |more: usize| format!("decision: deny\n{}", "a\n".repeat(more));
        for (text, is_found) in [
            ("decision,reason\ndeny,no rm".to_owned(), true),
            ("decision,reason\ndeny,no rm\nallow,yes".to_owned(), false),
            ("decision,file\ndeny,no rm".to_owned(), false),
            ("reason,decision\ndeny,allow".to_owned(), false),
            (table(FEW_LINES * 2 - 1), true),
            (table(FEW_LINES * 2), false),
        ] {
            assert_eq!(find_denial_row(&text).is_some(), is_found, "{text}");
        }
    }
}
