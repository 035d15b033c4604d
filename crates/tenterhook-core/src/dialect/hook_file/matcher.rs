//! Translates a matcher into the names of another agent, and proposes texts for it.

use crate::dialect::{EventRow, Subject};
use crate::event::tool::names::{ToolWords, find_tool_by_neutral_name, find_tool_by_own_name};
use crate::matcher::{Matcher, MatcherSpec};

/// Returns the matcher in the target's names of tools, and what it does not match there.
pub(super) fn translate_matcher(
    spec: &MatcherSpec,
    from: &EventRow,
    to: &EventRow,
) -> (MatcherSpec, Vec<String>) {
    let (Some(from), Some(to)) = (tool_table(&from.subject), tool_table(&to.subject)) else {
        return (plain(spec), Vec::new());
    };
    match plain(spec) {
        MatcherSpec::Words(words) => {
            let mut names: Vec<String> = Vec::new();
            for word in words {
                let own = own_name(to, neutral_name(from, &word));
                if !names.iter().any(|name| name == own) {
                    names.push(own.to_owned());
                }
            }
            (MatcherSpec::Words(names), Vec::new())
        }
        MatcherSpec::Regex(text) => {
            let translated =
                translate_names(&text, |name| own_name(to, neutral_name(from, name)).to_owned());
            let translated = MatcherSpec::Regex(translated);
            let lost = tools_that_differ(spec, &translated, from, to);
            (translated, lost)
        }
        other @ (MatcherSpec::Any | MatcherSpec::Never(_)) => (other, Vec::new()),
    }
}

/// Returns an agent's names of tools if the subject is a tool; an agent without a table has the
/// neutral names.
fn tool_table(subject: &Subject) -> Option<&'static [ToolWords]> {
    match subject {
        Subject::Tool(table) => Some(table),
        Subject::Field("tool_name") => Some(&[]),
        _ => None,
    }
}

/// Returns the neutral name of a tool: the agent's own one if its table has none.
fn neutral_name<'a>(table: &'static [ToolWords], own: &'a str) -> &'a str {
    find_tool_by_own_name(table, own).map_or(own, |tool| tool.neutral)
}

/// Returns an agent's name of a tool: the neutral one if its table has none.
fn own_name<'a>(table: &'static [ToolWords], neutral: &'a str) -> &'a str {
    let own = find_tool_by_neutral_name(table, neutral).and_then(|tool| tool.own.first());
    own.map_or(neutral, |own| *own)
}

/// Returns the tools that an expression matches by their name in one agent and not by that in the
/// other, or the reverse.
fn tools_that_differ(
    spec: &MatcherSpec,
    translated: &MatcherSpec,
    from: &'static [ToolWords],
    to: &'static [ToolWords],
) -> Vec<String> {
    let (here, there) = (Matcher::new(spec.clone()), Matcher::new(translated.clone()));
    let mut names: Vec<&str> = from.iter().chain(to).map(|tool| tool.neutral).collect();
    names.sort_unstable();
    names.dedup();
    let differs = |neutral: &&str| {
        let here = here.matches(Some(own_name(from, neutral))).ok();
        let there = there.matches(Some(own_name(to, neutral))).ok();
        here != there
    };
    let names: Vec<String> =
        names.into_iter().filter(differs).map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => Vec::new(),
        false => vec![format!("the expression treats {} differently there", names.join(", "))],
    }
}

/// Translates the names in a regular expression. An escaped letter is no name.
fn translate_names(text: &str, translate: impl Fn(&str) -> String) -> String {
    let is_name_char = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        if first == '\\' {
            let length = rest.chars().take(2).map(char::len_utf8).sum();
            let (escape, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            out.push_str(escape);
            rest = after;
            continue;
        }
        let length = rest.find(|char| !is_name_char(char)).unwrap_or(rest.len());
        if length == 0 || !first.is_ascii_alphabetic() {
            out.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (name, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(&translate(name));
        rest = after;
    }
    out
}

/// Returns the simplest form of a matcher: words for an expression that lists whole names.
pub(super) fn plain(spec: &MatcherSpec) -> MatcherSpec {
    let MatcherSpec::Regex(text) = spec else { return spec.clone() };
    let mut text = text.as_str();
    if let Some(inner) = text.strip_prefix("^(?:.*(?:").and_then(|rest| rest.strip_suffix(").*)$"))
    {
        text = inner;
    }
    let anchored = text.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    let without_group = |text: &str| {
        let inner = text.strip_prefix("(?:").or_else(|| text.strip_prefix('('));
        let inner = inner.and_then(|rest| rest.strip_suffix(')'));
        inner.filter(|inner| !inner.contains(['(', ')'])).map(str::to_owned)
    };
    let is_list = |text: &str| {
        !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_-|".contains(char))
    };
    if let Some(anchored) = anchored {
        let inner = without_group(anchored).unwrap_or_else(|| anchored.to_owned());
        // `^a|b$` is a beginning or an end.
        if is_list(&inner) && (inner != anchored || !inner.contains('|')) {
            return MatcherSpec::Words(inner.split('|').map(str::to_owned).collect());
        }
    }
    match text {
        "" | ".*" | "^.*$" => MatcherSpec::Any,
        _ => MatcherSpec::Regex(without_group(text).unwrap_or_else(|| text.to_owned())),
    }
}

/// Returns `true` if two matchers match the same subjects, as far as their texts show.
pub(super) fn is_same_matcher(one: &MatcherSpec, other: &MatcherSpec) -> bool {
    match (plain(one), plain(other)) {
        (MatcherSpec::Words(mut one), MatcherSpec::Words(mut other)) => {
            one.sort();
            other.sort();
            one == other
        }
        (one, other) => one == other,
    }
}

/// Returns texts that an agent may read as this matcher, the plainest first.
pub(super) fn matcher_texts(spec: &MatcherSpec) -> Vec<Option<String>> {
    match spec {
        MatcherSpec::Any | MatcherSpec::Never(_) => vec![None],
        MatcherSpec::Words(words) => {
            let list = words.join("|");
            vec![Some(list.clone()), Some(format!("^(?:{list})$")), Some(format!("^({list})$"))]
        }
        MatcherSpec::Regex(text) => {
            [text.clone(), format!("(?:{text})"), format!(".*(?:{text}).*"), format!("/{text}/")]
                .map(Some)
                .to_vec()
        }
    }
}
