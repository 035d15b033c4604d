//! Reads the directives that a hook may print at the end of a turn: `@@INJECT:` and `@@WARN:`
//! (RX-26 to RX-31). Reads text only.

/// The maximal length of a value, and of the context of one hook, in characters (RX-24).
pub(super) const CAP: usize = 4_096;

/// The directives of one hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Directives {
    /// Instructions to the model.
    pub(super) inject: Vec<String>,
    /// Warnings to the user.
    pub(super) warn: Vec<String>,
    /// Lines that begin like a directive but lack the colon.
    pub(super) broken: Vec<String>,
}

/// Reads the complete lines of `text`. If `truncated` is set, the last line is incomplete.
pub(super) fn parse_directives(text: &str, truncated: bool) -> Directives {
    let mut found = Directives::default();
    let complete = match text.rfind('\n') {
        Some(end) if truncated => text.get(..end).unwrap_or_default(),
        None if truncated => "",
        _ => text,
    };
    for line in complete.lines().map(str::trim).filter(|line| line.starts_with("@@")) {
        let Some((name, value)) = line.split_once(':') else {
            if [INJECT, WARN].iter().any(|text| begins_with_directive(line, text)) {
                found.broken.push(truncate_text(line).0);
            }
            continue;
        };
        let (value, _) = truncate_text(value.trim());
        let values = match name.trim_end() {
            name if name.eq_ignore_ascii_case(INJECT) => &mut found.inject,
            name if name.eq_ignore_ascii_case(WARN) => &mut found.warn,
            _ => continue,
        };
        if !value.is_empty() {
            values.push(value);
        }
    }
    found
}

const INJECT: &str = "@@INJECT";
const WARN: &str = "@@WARN";

fn begins_with_directive(line: &str, name: &str) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// The first [`CAP`] characters of `text`, and the number of characters that were cut.
pub(super) fn truncate_text(text: &str) -> (String, usize) {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(CAP).collect();
    (start, chars.count())
}
