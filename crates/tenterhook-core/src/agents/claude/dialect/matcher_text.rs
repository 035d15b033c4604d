//! Parses the text of a `matcher`: everything, a list of names, or an expression. Pure; matches no
//! event.

use super::vocabulary::ALIASES;
use crate::matcher::MatcherSpec;

/// Events whose lists may contain only letters, digits, `_` and `|`; any other text is an
/// expression (S-62).
const NARROW: &[&str] = &["FileChanged", "StopFailure"];

/// Parses the matcher of a group for `event`; `None` is a missing matcher (S-60 to S-64).
pub(super) fn parse_matcher(event: &str, text: Option<&str>) -> MatcherSpec {
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
        // The agent still accepts the old name of a renamed tool.
        words.extend(current_tool_name(word).map(str::to_owned));
    }
    MatcherSpec::Words(words)
}

/// Returns the current name of a tool whose old name is `word`.
pub(super) fn current_tool_name(word: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(old, _)| *old == word).map(|(_, new)| *new)
}

/// Returns pairs of an old tool name and the current one.
pub(super) const fn tool_aliases() -> &'static [(&'static str, &'static str)] {
    ALIASES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Matcher;

    /// S-60, S-61, S-63.
    #[test]
    fn observed_matchers_match_as_in_the_agent() {
        let observed = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../conformance/observed/claude-code-matching.json"
        ));
        let observed: serde_json::Value = serde_json::from_str(observed).expect("it is JSON");
        let calls = observed["calls"].as_array().expect("calls");
        let rules = observed["rules"].as_array().expect("rules");
        let mut cells = 0;
        for rule in rules.iter().filter(|rule| rule["field"] == "matcher") {
            let matcher = Matcher::new(parse_matcher("PreToolUse", rule["value"].as_str()));
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
    fn lists_of_files_and_errors_allow_fewer_characters() {
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
            assert_eq!(parse_matcher(event, Some(text)), expected, "{event} {text:?}");
        }
    }
}
