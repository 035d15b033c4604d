//! What the text of a `matcher` means: all, a list of names, or an expression. Pure; tests nothing on events.

use super::vocabulary::ALIASES;
use crate::matcher::MatcherSpec;

/// Events whose lists may hold letters, digits, `_` and `|` only; anything else there is an expression (S-62).
const NARROW: &[&str] = &["FileChanged", "StopFailure"];

/// Reads the matcher of a group for `event`; `None` is a matcher that is missing (S-60 to S-64).
pub(super) fn read(event: &str, text: Option<&str>) -> MatcherSpec {
    let Some(text) = text.filter(|text| !matches!(*text, "" | "*")) else {
        return MatcherSpec::Any;
    };
    let is_narrow = NARROW.contains(&event);
    let in_list = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '|')
            || (!is_narrow && matches!(c, ' ' | ',' | '-'))
    };
    if !text.chars().all(in_list) {
        return MatcherSpec::Regex(text.to_owned());
    }
    let mut words: Vec<String> = Vec::new();
    for word in text.split(['|', ',']).map(str::trim).filter(|word| !word.is_empty()) {
        words.push(word.to_owned());
        // Configs outlive renamings: the agent still takes the old name for the present one.
        words.extend(present_name(word).map(str::to_owned));
    }
    MatcherSpec::Words(words)
}

/// The present name of a tool whose old name is `word`.
pub(super) fn present_name(word: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(old, _)| *old == word).map(|(_, new)| *new)
}

/// Pairs of an old tool name and the present one.
pub(super) const fn aliases() -> &'static [(&'static str, &'static str)] {
    ALIASES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Matcher;

    /// S-60, S-61, S-63.
    #[test]
    fn every_observed_matcher_fires_where_the_agent_fires() {
        let observed = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../conformance/observed/claude-code-matching.json"
        ));
        let observed: serde_json::Value = serde_json::from_str(observed).expect("it is JSON");
        let calls = observed["calls"].as_array().expect("calls");
        let rules = observed["rules"].as_array().expect("rules");
        let mut cells = 0;
        for rule in rules.iter().filter(|rule| rule["field"] == "matcher") {
            let matcher = Matcher::new(read("PreToolUse", rule["value"].as_str()));
            for (at, call) in calls.iter().enumerate() {
                let fires = rule["fires_on"].as_array().is_some_and(|on| on.contains(&at.into()));
                let matched = matcher.matches(call["tool"].as_str());
                assert_eq!(matched, Ok(fires), "{} on call {at}", rule["value"]);
                cells += 1;
            }
        }
        assert!(cells > 1000, "only {cells} cells were there");
    }

    /// S-62, S-64.
    #[test]
    fn lists_are_narrower_where_names_of_files_and_errors_are_matched() {
        let regex = |text: &str| MatcherSpec::Regex(text.to_owned());
        let words = |words: &[&str]| {
            MatcherSpec::Words(words.iter().map(|word| (*word).to_owned()).collect())
        };
        for (event, text, expected) in [
            ("PreToolUse", "my-tool, Other", words(&["my-tool", "Other"])),
            ("StopFailure", "rate_limit|overloaded", words(&["rate_limit", "overloaded"])),
            ("StopFailure", "rate_limit, overloaded", regex("rate_limit, overloaded")),
            ("FileChanged", "my-file", regex("my-file")),
            ("FileChanged", ".envrc|.env", regex(".envrc|.env")),
            ("PreToolUse", "Task", words(&["Task", "Agent"])),
            ("PreToolUse", "|", words(&[])),
        ] {
            assert_eq!(read(event, Some(text)), expected, "{event} {text:?}");
        }
    }
}
