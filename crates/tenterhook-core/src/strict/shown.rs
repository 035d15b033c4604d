//! Finds the objects that a text shows anywhere: in a sentence, in a fence, after a colon. A program shows them, and means
//! nothing by it (J-2); of what was asked for one answer and gave words round it, they are the answer.

use super::tree::{self, Stop};
use super::{Found, MAX_OBJECTS, read_output, relaxed};

/// Puts the objects inside a text on separate lines after its first line, if nothing can be
/// read in the text as it is (J-19).
pub fn put_objects_on_own_lines(words: &str) -> Option<String> {
    if read_output(words.as_bytes()).found != Found::Text {
        return None;
    }
    let objects = outermost_objects(words);
    let before = words.split(['{', '\n']).map(str::trim).find(|word| !word.is_empty())?;
    // A line that ends with a colon, or that is a fence, would announce what follows as shown.
    let before = before.trim_start_matches(['`', '~']).trim_end_matches(':');
    (!objects.is_empty()).then(|| format!("({before})\n{}", objects.join("\n")))
}

/// Returns the outermost objects in text order. Failed attempts may read text again; together they
/// are limited to a few passes.
fn outermost_objects(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut work = text.len().saturating_mul(8).saturating_add(4096);
    while let Some((_, from)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) {
        let (read, is_object) = match tree::parse_object_with_fallback(from, relaxed::parse_relaxed)
        {
            Ok(parsed) => (parsed.end, true),
            Err(Stop::Broken { at, .. }) => (at, false),
            Err(Stop::Limit(_)) => break,
        };
        let Some(left) = work.checked_sub(read) else { break };
        work = left;
        let end = if is_object { read } else { 1 };
        let Some((object, behind)) = from.split_at_checked(end) else { break };
        if is_object {
            found.push(object);
        }
        if found.len() == MAX_OBJECTS {
            break;
        }
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// J-19
    /// MO-9.
    #[test]
    fn what_prose_shows_stands_on_lines_of_its_own() {
        for (words, lines) in [
            ("Verdict:\n\n```json\n{\"a\": 1}\n```\nBye", "(Verdict)\n{\"a\": 1}"),
            ("I say {\"a\": {\"b\": 1}} or {'c': 2}.", "(I say)\n{\"a\": {\"b\": 1}}\n{'c': 2}"),
            ("<think>hm</think>{\"a\": 1}", "(<think>hm</think>)\n{\"a\": 1}"),
            ("```json\n{\"a\": 1}", "(json)\n{\"a\": 1}"),
            ("data: {\"a\": 1}\n\n", "(data)\n{\"a\": 1}"),
        ] {
            let out = put_objects_on_own_lines(words);
            assert_eq!(out.as_deref(), Some(lines));
            assert!(!read_output(lines.as_bytes()).found_objects().is_empty(), "{lines}");
        }
    }

    /// J-19
    #[test]
    fn what_can_be_read_or_shows_nothing_stays() {
        for words in
            ["", "No.", "{\"a\": 1}", "log\n{\"a\": 1}", "[{\"a\": 1}]", "fn f() { g }", "{{{"]
        {
            assert_eq!(put_objects_on_own_lines(words), None, "{words}");
        }
        let deep = format!("x {}", "{\"a\":".repeat(200_000));
        assert_eq!(put_objects_on_own_lines(&deep), None);
    }
}
