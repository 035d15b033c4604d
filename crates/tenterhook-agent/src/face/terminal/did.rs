//! How does one thing that hooks did read: as one line, and opened, with all of what they put in the place of what? Pure.

use serde_json::Value;

use super::{block, diff, shown};
use crate::update::{Deed, Rewritten};

/// How much of an original stands on the line.
const ORIGINAL: usize = 120;
/// How many characters of a reason do, while it is closed.
const REASON: usize = 300;

/// One thing that hooks did.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Did {
    /// While it is closed.
    pub(super) line: String,
    /// Opened, where that is more.
    pub(super) whole: Option<String>,
}

impl Did {
    /// Creates the short line and the full text of what hooks did.
    pub(super) fn from_deed(deed: &Deed) -> Self {
        let all = deed.summary_line();
        let mut line = shown::single_line(&shown::safe_text(&all, REASON));
        let Some(change) = &deed.change else {
            let whole = shown::safe_text(all.trim_end(), shown::OPENED);
            return Self { whole: (whole != line).then_some(whole), line };
        };
        let was = block::input_subject(&change.was);
        let cut = shown::safe_text(&was, ORIGINAL);
        line.push_str(&format!("; it was: {cut}"));
        Self {
            whole: Some(format!("{}:\n{}", shown::single_line(&all), rewrite_diff(change))),
            line,
        }
    }

    /// The visible text.
    pub(super) fn visible_text(&self, open: bool) -> &str {
        self.whole.as_deref().filter(|_| open).unwrap_or(&self.line)
    }
}

/// Returns the removed and the added lines of a rewrite.
pub(super) fn rewrite_diff(change: &Rewritten) -> String {
    let [was, now] = [&change.was, &change.now]
        .map(|value| shown::escape_invisible(&format_value(value), shown::OPENED));
    diff::line_diff(&was, &now)
}

/// Returns a value as people read it: a text as it is, arguments each with its name.
fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let lines = fields.iter().map(|(name, value)| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let gap = if text.contains('\n') { "\n" } else { " " };
                format!("{name}:{gap}{text}")
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rewritten(was: Value, now: Value) -> Did {
        let change = Rewritten { was, now, ..Rewritten::default() };
        let (hooks, did) = (vec!["x".to_owned()], "rewrote the call".to_owned());
        Did::from_deed(&Deed { hooks, did, change: Some(change), ..Deed::default() })
    }

    /// AG-40.
    #[test]
    fn a_rewrite_is_one_line_and_opened_the_difference() {
        let rewrite =
            rewritten(json!({"command": "rm x", "n": 1}), json!({"command": "true", "n": 1}));
        assert_eq!(rewrite.visible_text(false), "hook `x` rewrote the call; it was: rm x");
        assert_eq!(
            rewrite.visible_text(true),
            "hook `x` rewrote the call:\n- command: rm x\n+ command: true\n  n: 1"
        );
    }

    #[test]
    fn what_drives_a_terminal_is_spelled_out_in_both() {
        let rewrite = rewritten(json!("a\u{1b}[2Jb"), json!("c"));
        for open in [false, true] {
            assert!(
                !rewrite.visible_text(open).contains('\u{1b}'),
                "{:?}",
                rewrite.visible_text(open)
            );
        }
    }

    #[test]
    fn a_long_reason_is_opened_whole() {
        let why = "one\ntwo ".repeat(100);
        let deed =
            Deed { hooks: vec!["x".to_owned()], did: "objects".to_owned(), why, ..Deed::default() };
        let diff = Did::from_deed(&deed);
        assert!(
            diff.visible_text(false).chars().count() <= REASON + 20
                && !diff.visible_text(false).contains('\n')
        );
        assert_eq!(diff.visible_text(true).lines().count(), 101);
    }
}
