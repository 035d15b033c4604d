//! What the text of a `matcher` means: all, names, a regular expression or a tool pattern (G-20 to G-22). Pure; tests
//! nothing on events.

use super::events;
use crate::hook::Compat;
use crate::matcher::rule::Reading;
use crate::matcher::{Condition, Matcher, MatcherSpec};

/// A matcher, read.
#[derive(Clone, Debug)]
pub(super) struct Means {
    /// What the subject must be.
    pub(super) spec: MatcherSpec,
    /// What the call must be, where the text is a tool pattern with an argument, or several.
    pub(super) condition: Option<Condition>,
    /// Why the text is no expression.
    pub(super) broken: Option<String>,
    /// The text could be a tool pattern as well as the expression that it is read as.
    pub(super) ambiguous: bool,
}

/// Tools whose argument the agent can match; no expression over names begins with one and a parenthesis.
const TOOLS: &[&str] = &[
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
pub(super) fn read(event: &str, text: &str, compat: Compat) -> Means {
    let plain = |spec| Means { spec, condition: None, broken: None, ambiguous: false };
    if matches!(text, "" | "*") {
        return plain(MatcherSpec::Any);
    }
    if let Some(words) = words(text) {
        return plain(MatcherSpec::Words(in_other_words(event, words)));
    }
    if events::is_about_tool(event)
        && let Some((tools, parts)) = tool_patterns(text)
    {
        let condition = Condition::any(text, parts.into_iter().map(condition).collect());
        return Means { condition: Some(condition), ..plain(MatcherSpec::Words(tools)) };
    }
    if events::is_about_tool(event)
        && let Some((tool, argument)) = tool_pattern(text)
    {
        if !is_list(argument) {
            let spec = MatcherSpec::Words(vec![tool.to_owned()]);
            return Means { condition: Some(condition(text)), ..plain(spec) };
        }
        return Means { ambiguous: true, ..expression(text, compat) };
    }
    expression(text, compat)
}

/// The condition of a tool pattern, as `if` and as a matcher.
pub(super) fn condition(text: &str) -> Condition {
    Condition::rule(&pattern(text), Reading::Native)
}

/// Plain names, one or several: the expression that matches them and nothing else.
fn words(text: &str) -> Option<Vec<String>> {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_- :/".contains(c))
    };
    let words: Vec<String> = text.split('|').map(str::to_owned).collect();
    words.iter().all(|word| plain(word)).then_some(words)
}

/// Events are matched in neutral words: a value that the agent spells in its own way is listed in both spellings.
fn in_other_words(event: &str, mut words: Vec<String>) -> Vec<String> {
    if let Some(spelling) = events::spelling(event) {
        let listed = |own: &str| words.iter().any(|word| word == own);
        let others: Vec<String> = spelling
            .values
            .iter()
            .filter(|(own, _)| listed(own))
            .map(|(_, new)| (*new).to_owned())
            .collect();
        words.extend(others);
    }
    words
}

/// The expression holds for the whole subject, and no alternation gets out of the anchors: it must be one by itself.
fn expression(text: &str, compat: Compat) -> Means {
    let broken = Matcher::new(MatcherSpec::Regex(text.to_owned())).compile().err();
    let spec = match (&broken, compat) {
        (None, _) => MatcherSpec::Regex(format!("^(?:{text})$")),
        // Left as it is, it is a failure of its hook each time (S-3).
        (Some(_), Compat::Guarded) => MatcherSpec::Regex(text.to_owned()),
        (Some(_), Compat::Exact) => MatcherSpec::Words(vec![text.to_owned()]),
    };
    let broken = broken.map(|why| why.to_string());
    Means { spec, condition: None, broken, ambiguous: false }
}

/// `Bash(git:*)`: a tool and its argument.
fn tool_pattern(text: &str) -> Option<(&str, &str)> {
    let (tool, rest) = text.split_once('(')?;
    let argument = rest.strip_suffix(')')?;
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let known = TOOLS.contains(&tool);
    // A tool that nobody knows could be the beginning of an expression, unless no name is like its argument.
    let telling = argument.contains([':', ' ', '/']) && !argument.contains('|');
    (known || !tool.is_empty() && tool.chars().all(name) && telling).then_some((tool, argument))
}

/// `Bash(npm:*)|Edit`: several tools, at least one with its argument; each with what it says.
fn tool_patterns(text: &str) -> Option<(Vec<String>, Vec<&str>)> {
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
    let tool = |part: &&str| match tool_pattern(part) {
        Some((tool, argument)) => (!is_list(argument)).then(|| tool.to_owned()),
        None => words(part).is_some().then(|| (*part).to_owned()),
    };
    let tools: Vec<String> = parts.iter().map(tool).collect::<Option<_>>()?;
    (parts.len() > 1 && text.contains('(')).then_some((tools, parts))
}

/// `Create|Update`: what an expression over names has in its parentheses.
fn is_list(argument: &str) -> bool {
    argument.contains('|')
        && argument.chars().all(|c| c.is_ascii_alphanumeric() || "_|".contains(c))
}

/// The agent writes a command and its arguments as `git:push *`, where a rule has a space, and holds a pattern of paths
/// against the absolute path, where a rule has `//` (G-21).
fn pattern(text: &str) -> String {
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
