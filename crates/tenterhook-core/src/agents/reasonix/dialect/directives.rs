//! The two words that a hook at the end of a turn may print: `@@INJECT:` and `@@WARN:` (RX-26 to RX-31). Reads text only.

/// How many characters of one value, or of one hook's context, are kept (RX-24).
pub(super) const CAP: usize = 4_096;

/// What the lines of one hook say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Directives {
    /// What the agent is told to do next.
    pub(super) inject: Vec<String>,
    /// What the user is told.
    pub(super) warn: Vec<String>,
    /// Lines that begin like a directive and are none.
    pub(super) broken: Vec<String>,
}

/// Reads the complete lines of `text`; the last one is one unless more came than was kept.
pub(super) fn read(text: &str, truncated: bool) -> Directives {
    let mut found = Directives::default();
    let complete = match text.rfind('\n') {
        Some(end) if truncated => text.get(..end).unwrap_or_default(),
        None if truncated => "",
        _ => text,
    };
    for line in complete.lines().map(str::trim).filter(|line| line.starts_with("@@")) {
        let Some((word, value)) = line.split_once(':') else {
            if [INJECT, WARN].iter().any(|text| begins(line, text)) {
                found.broken.push(cut(line).0);
            }
            continue;
        };
        let (value, _) = cut(value.trim());
        let into = match word.trim_end() {
            word if word.eq_ignore_ascii_case(INJECT) => &mut found.inject,
            word if word.eq_ignore_ascii_case(WARN) => &mut found.warn,
            _ => continue,
        };
        if !value.is_empty() {
            into.push(value);
        }
    }
    found
}

const INJECT: &str = "@@INJECT";
const WARN: &str = "@@WARN";

fn begins(line: &str, word: &str) -> bool {
    line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// The first [`CAP`] characters, and how many more there are.
pub(super) fn cut(text: &str) -> (String, usize) {
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(CAP).collect();
    (kept, chars.count())
}
