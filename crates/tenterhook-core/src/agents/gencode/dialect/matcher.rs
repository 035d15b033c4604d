//! Reads the text of a `matcher`: everything, names, a regular expression or a tool pattern (G-20
//! to G-22). Tests no event.

use super::events;
use crate::hook::Compat;
use crate::matcher::rule::Reading;
use crate::matcher::{Condition, Matcher, MatcherSpec};

/// A parsed matcher.
#[derive(Clone, Debug)]
pub(super) struct ParsedMatcher {
    /// The test of the subject.
    pub(super) spec: MatcherSpec,
    /// The test of the call, if the text is a tool pattern with an argument, or several.
    pub(super) condition: Option<Condition>,
    /// Why the text is not a valid expression.
    pub(super) broken: Option<String>,
    /// Whether the text, read as an expression, could also be a tool pattern.
    pub(super) ambiguous: bool,
}

/// Tools whose argument the agent can match. An expression over tool names does not begin with one
/// of them and a parenthesis.
pub(super) const TOOLS: &[&str] = &[
    "Bash",
    "PowerShell",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "LS",
    "WebFetch",
    "WebSearch",
    "Skill",
    "Agent",
    "Task",
];

/// Tools whose argument is a path.
const PATHS: &[&str] = &["Read", "Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Reads the matcher of a group for `event`.
pub(super) fn parse_matcher(event: &str, text: &str, compat: Compat) -> ParsedMatcher {
    let plain = |spec| ParsedMatcher { spec, condition: None, broken: None, ambiguous: false };
    if matches!(text, "" | "*") {
        return plain(MatcherSpec::Any);
    }
    if let Some(names) = split_plain_names(text) {
        return plain(MatcherSpec::Words(add_neutral_spellings(event, names)));
    }
    if events::is_tool_event(event)
        && let Some((tools, parts)) = split_tool_patterns(text)
    {
        let condition =
            Condition::any(text, parts.into_iter().map(tool_pattern_condition).collect());
        return ParsedMatcher { condition: Some(condition), ..plain(MatcherSpec::Words(tools)) };
    }
    if events::is_tool_event(event)
        && let Some((tool, argument)) = split_tool_pattern(text)
    {
        if !is_name_list(argument) {
            let spec = MatcherSpec::Words(vec![tool.to_owned()]);
            return ParsedMatcher { condition: Some(tool_pattern_condition(text)), ..plain(spec) };
        }
        return ParsedMatcher { ambiguous: true, ..parse_whole_subject_regex(text, compat) };
    }
    parse_whole_subject_regex(text, compat)
}

/// The condition of a tool pattern, in `if` or in a matcher.
pub(super) fn tool_pattern_condition(text: &str) -> Condition {
    Condition::rule(&tool_pattern_to_rule(text), Reading::Native)
}

/// The names in `text`, if it consists of plain names separated by `|`.
fn split_plain_names(text: &str) -> Option<Vec<String>> {
    let plain = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_- :/".contains(c))
    };
    let names: Vec<String> = text.split('|').map(str::to_owned).collect();
    names.iter().all(|name| plain(name)).then_some(names)
}

/// Adds the neutral spelling of each value that the agent spells differently, because matchers test
/// neutral values.
fn add_neutral_spellings(event: &str, mut names: Vec<String>) -> Vec<String> {
    if let Some(spelling) = events::event_spelling(event) {
        let listed = |own: &str| names.iter().any(|name| name == own);
        let others: Vec<String> = spelling
            .values
            .iter()
            .filter(|(own, _)| listed(own))
            .map(|(_, neutral)| (*neutral).to_owned())
            .collect();
        names.extend(others);
    }
    names
}

/// Reads a regular expression that must match the whole subject. It must be valid without the
/// anchors, so that no alternation escapes them.
fn parse_whole_subject_regex(text: &str, compat: Compat) -> ParsedMatcher {
    let broken = Matcher::new(MatcherSpec::Regex(text.to_owned())).compile().err();
    let spec = match (&broken, compat) {
        (None, _) => MatcherSpec::Regex(format!("^(?:{text})$")),
        // The invalid expression stays, so that the hook fails on every event (S-3).
        (Some(_), Compat::Guarded) => MatcherSpec::Regex(text.to_owned()),
        (Some(_), Compat::Exact) => MatcherSpec::Words(vec![text.to_owned()]),
    };
    let broken = broken.map(|why| why.to_string());
    ParsedMatcher { spec, condition: None, broken, ambiguous: false }
}

/// Splits `Bash(git:*)` into a tool and its argument.
fn split_tool_pattern(text: &str) -> Option<(&str, &str)> {
    let (tool, rest) = text.split_once('(')?;
    let argument = rest.strip_suffix(')')?;
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let known = TOOLS.contains(&tool);
    // An unknown tool could begin an expression, unless its argument cannot be part of a name.
    let is_argument = argument.contains([':', ' ', '/']) && !argument.contains('|');
    let is_pattern = !tool.is_empty() && tool.chars().all(name) && is_argument;
    (known || is_pattern).then_some((tool, argument))
}

/// Splits `Bash(npm:*)|Edit` into the tools and the patterns; at least one has an argument.
fn split_tool_patterns(text: &str) -> Option<(Vec<String>, Vec<&str>)> {
    let mut depth = 0_usize;
    let parts: Vec<&str> = text
        .split(|c| {
            depth = match c {
                '(' => depth + 1,
                ')' => depth.saturating_sub(1),
                _ => depth,
            };
            c == '|' && depth == 0
        })
        .collect();
    let tool = |part: &&str| match split_tool_pattern(part) {
        Some((tool, argument)) => (!is_name_list(argument)).then(|| tool.to_owned()),
        None => split_plain_names(part).is_some().then(|| (*part).to_owned()),
    };
    let tools: Vec<String> = parts.iter().map(tool).collect::<Option<_>>()?;
    (parts.len() > 1 && text.contains('(')).then_some((tools, parts))
}

/// Whether `argument` is a list of names such as `Create|Update`, as in an expression over names.
fn is_name_list(argument: &str) -> bool {
    argument.contains('|')
        && argument.chars().all(|c| c.is_ascii_alphanumeric() || "_|".contains(c))
}

/// Translates a tool pattern to a rule. The agent writes a command and its arguments as `git:push
/// *`, a rule with a space; the agent tests absolute paths, for which a rule needs `//` (G-21).
fn tool_pattern_to_rule(text: &str) -> String {
    let Some((tool, argument)) = text.split_once('(') else { return text.to_owned() };
    if PATHS.contains(&tool) {
        let rooted = !argument.starts_with("//");
        return match (argument.strip_prefix('/'), argument.strip_prefix("*/")) {
            (Some(_), _) if rooted => format!("{tool}(/{argument}"),
            (_, Some(rest)) => format!("{tool}(//**/{rest}"),
            _ => text.to_owned(),
        };
    }
    let Some((command, rest)) = argument.split_once(':').filter(|_| tool == "Bash") else {
        return text.to_owned();
    };
    let prefix = rest.trim_end_matches(')') == "*";
    if prefix || command.is_empty() || command.contains(char::is_whitespace) {
        return text.to_owned();
    }
    format!("Bash({command} {rest}")
}
