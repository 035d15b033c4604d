//! Lints of a matcher: one that matches nothing, or a condition, a glob or a rule in its place.

use super::NEVER;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest};
use crate::dialect::claude::config::finding;
use crate::dialect::claude::vocabulary::{ALIASES, FOREIGN_TOOLS, FORMER_TOOLS, TOOLS};
use crate::dialect::kit::protocol::{Spec, Subjects};
use crate::matcher::{Matcher, MatcherSpec};

/// Texts that show that the user wrote a condition.
const EXPRESSION: &[&str] =
    &["==", "!=", "&&", " || ", " matches ", " contains ", "tool_input", "tool_name", "toolName"];

/// Texts that show that the user wrote a glob, or the filter of another system.
const GLOB: &[&str] = &["**", "tools:", "file_paths:", " AND ", " OR ", "*."];

/// Checks the matcher `text`, read as `spec`, of a group of `event`.
pub(crate) fn check(event: &Spec, text: &str, spec: &MatcherSpec) -> Vec<Diagnostic> {
    if *spec == MatcherSpec::Any {
        return Vec::new();
    }
    match (event.subjects(), spec) {
        (Subjects::None, _) => vec![ignored(event, text)],
        (Subjects::Open, MatcherSpec::Regex(_)) => broken(event, text, spec).into_iter().collect(),
        (Subjects::Files, _) => files(text).into_iter().collect(),
        (Subjects::Tools, MatcherSpec::Words(words)) => tool_words(text, words),
        (Subjects::Closed(known), MatcherSpec::Words(words)) => {
            closed_words(event, text, words, known)
        }
        (Subjects::Tools, MatcherSpec::Regex(_)) => {
            let known: Vec<&str> = tools().collect();
            let mut found: Vec<Diagnostic> = regex(event, text, spec, &known).into_iter().collect();
            found.extend(foreign_parts(text));
            found
        }
        (Subjects::Closed(known), MatcherSpec::Regex(_)) => {
            regex(event, text, spec, known).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn tools() -> impl Iterator<Item = &'static str> {
    let old = ALIASES.iter().map(|(old, _)| old);
    TOOLS.iter().chain(FORMER_TOOLS).chain(old).copied()
}

fn ignored(event: &Spec, text: &str) -> Diagnostic {
    let message = format!("`{}` ignores matchers: this runs every time", event.name);
    if matches!(text, ".*" | "^.*$" | ".+") {
        return finding(Code::MatcherIgnored, message)
            .weighing(Severity::Advice)
            .help("remove the matcher");
    }
    finding(Code::MatcherIgnored, message).help("remove the matcher, and test in the program")
}

fn files(text: &str) -> Option<Diagnostic> {
    let is_pattern = text.contains(['*', '^', '$', '(', '[', '\\', '/']);
    is_pattern.then(|| {
        let message = format!("`{text}`: `FileChanged` watches files of exactly these names");
        finding(Code::FileMatcherIsPattern, message)
            .help("list the names, separated by `|`: `.env|.envrc`")
    })
}

/// The finding for an expression that does not compile, by what the user probably meant.
fn broken(event: &Spec, text: &str, spec: &MatcherSpec) -> Option<Diagnostic> {
    let why = Matcher::new(spec.clone()).compile().err()?;
    Some(meant(event, text).unwrap_or_else(|| {
        let message = format!("`{text}` is not a valid regular expression: {why}");
        let found = finding(Code::InvalidMatcher, message).label("matches nothing");
        match why.remedy() {
            Some(remedy) => found.help(remedy),
            None => found,
        }
    }))
}

/// The finding for a text that is no name and no expression, by what the user probably meant.
fn meant(event: &Spec, text: &str) -> Option<Diagnostic> {
    if permission_rule(text) {
        let message = format!("`{text}` is a permission rule: as a matcher it matches nothing");
        let tool = text.split('(').next().unwrap_or_default();
        return Some(finding(Code::PermissionRuleInMatcher, message).label(NEVER).help(format!(
            "write `\"matcher\": \"{tool}\"`, and `\"if\": \"{text}\"` in the handler"
        )));
    }
    if EXPRESSION.iter().any(|pattern| text.contains(pattern)) {
        let message = "a matcher is a name or a regular expression, not a condition";
        return Some(finding(Code::MatcherIsExpression, message).weighing(Severity::Error).label(NEVER).help(
            "write the tool in `matcher`; for its arguments, a permission rule in `if` of the handler",
        ));
    }
    if GLOB.iter().any(|pattern| text.contains(pattern)) || text.starts_with('*') {
        let subject =
            if event.subjects() == Subjects::Tools { "the name of the tool" } else { "a word" };
        let message = format!("`{text}` looks like a glob: a matcher is tested on {subject}");
        return Some(
            finding(Code::MatcherIsGlob, message)
                .label(NEVER)
                .help("write the tool in `matcher`; for paths, a rule in `if`: `Edit(src/**)`"),
        );
    }
    None
}

/// Whether the text is `Tool(...)` with a known tool.
fn permission_rule(text: &str) -> bool {
    let Some((tool, _)) = text.split_once('(') else { return false };
    text.ends_with(')') && tools().any(|known| known == tool)
}

fn regex(event: &Spec, text: &str, spec: &MatcherSpec, known: &[&str]) -> Option<Diagnostic> {
    if let Some(found) = broken(event, text, spec) {
        return Some(found);
    }
    let matcher = Matcher::new(spec.clone());
    let lives = known.iter().any(|subject| matcher.matches(Some(subject)) == Ok(true));
    // The tools of MCP servers are unknown here.
    if lives || event.subjects() == Subjects::Tools && may_be_mcp(text) {
        return None;
    }
    Some(meant(event, text).unwrap_or_else(|| {
        finding(Code::DeadMatcher, format!("`{text}` is found in {}", nothing(event)))
            .label(NEVER)
            .help("a matcher is a list of names, `Edit|Write`, or a regular expression")
    }))
}

fn may_be_mcp(text: &str) -> bool {
    text.contains("mcp") && !EXPRESSION.iter().any(|pattern| text.contains(pattern))
}

fn nothing(event: &Spec) -> &'static str {
    match event.subjects() {
        Subjects::Tools => "the name of no tool",
        _ => "none of the words that this event has",
    }
}

/// Why a name in a list matches nothing.
enum Dead<'a> {
    Case(&'a str),
    Server,
    Foreign { agent: &'a str, own: &'a str },
    Unknown(Option<&'a str>),
}

fn tool_words(text: &str, words: &[String]) -> Vec<Diagnostic> {
    let dead: Vec<(&str, Dead<'_>)> =
        words.iter().filter_map(|word| Some((word.as_str(), dead_tool(word)?))).collect();
    // A union over agents is how one file serves several of them.
    let all = dead.len() == words.len();
    if all && words.is_empty() {
        return vec![
            finding(Code::DeadMatcher, format!("`{text}` names nothing"))
                .weighing(Severity::Error)
                .label(NEVER),
        ];
    }
    dead.into_iter().map(|(word, dead)| dead_finding(word, &dead, all)).collect()
}

fn dead_tool(word: &str) -> Option<Dead<'_>> {
    if tools().any(|tool| tool == word) {
        return None;
    }
    if let Some(rest) = word.strip_prefix("mcp__") {
        return (!rest.contains("__")).then_some(Dead::Server);
    }
    if let Some((_, agent, own)) = FOREIGN_TOOLS.iter().find(|(name, ..)| *name == word) {
        return Some(Dead::Foreign { agent, own });
    }
    match tools().find(|tool| tool.eq_ignore_ascii_case(word)) {
        Some(tool) => Some(Dead::Case(tool)),
        None => Some(Dead::Unknown(nearest(word, tools()))),
    }
}

fn dead_finding(word: &str, dead: &Dead<'_>, all: bool) -> Diagnostic {
    let runs = if all { NEVER } else { "matches nothing" };
    match dead {
        Dead::Case(tool) => {
            let message = format!("no tool is called `{word}`: case counts");
            let found = if all {
                finding(Code::DeadMatcher, message).weighing(Severity::Error)
            } else {
                finding(Code::DeadMatcher, message)
            };
            found.label(runs).help(format!("write `{tool}`"))
        }
        Dead::Server => {
            let message =
                format!("`{word}` is the name of no tool: an MCP tool has its own behind it");
            let found = if all {
                finding(Code::DeadMatcher, message).weighing(Severity::Error)
            } else {
                finding(Code::DeadMatcher, message)
            };
            found.label(runs).help(format!("write `{word}__.*` for every tool of that server"))
        }
        Dead::Foreign { agent, own } => {
            let message = format!("`{word}` is a tool of {agent}");
            let severity = if all { Severity::Error } else { Severity::Advice };
            finding(Code::ForeignToolNameInMatcher, message)
                .weighing(severity)
                .label(runs)
                .help(format!("Claude Code calls it `{own}`"))
        }
        Dead::Unknown(near) => {
            let message = format!("Claude Code has no tool `{word}`");
            let severity = if all { Severity::Warning } else { Severity::Advice };
            let found = finding(Code::DeadMatcher, message).weighing(severity).label(runs);
            match near {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found,
            }
        }
    }
}

/// Names of other agents among the alternatives of an expression.
fn foreign_parts(text: &str) -> Vec<Diagnostic> {
    let parts = text.split(['|', '(', ')', '^', '$']).filter(|part| !part.is_empty());
    let foreign = parts.filter_map(|part| match dead_tool(part) {
        Some(dead @ Dead::Foreign { .. }) => Some(dead_finding(part, &dead, false)),
        _ => None,
    });
    foreign.collect()
}

fn closed_words(
    event: &Spec,
    text: &str,
    words: &[String],
    known: &[&'static str],
) -> Vec<Diagnostic> {
    let dead: Vec<&String> = words.iter().filter(|word| !known.contains(&word.as_str())).collect();
    let all = dead.len() == words.len();
    if all && words.is_empty() {
        return vec![
            finding(Code::DeadMatcher, format!("`{text}` names nothing"))
                .weighing(Severity::Error)
                .label(NEVER),
        ];
    }
    let runs = if all { NEVER } else { "matches nothing" };
    let finding = |word: &String| {
        let message = format!("`{}` never has `{word}`", event.name);
        let near = nearest(word, known.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has `{}`", known.join("`, `")),
        };
        // New versions of the agent add values, so an unknown one proves little.
        let certain = all && near.is_some();
        let severity = if certain { Severity::Error } else { Severity::Warning };
        finding(Code::DeadMatcher, message).weighing(severity).label(runs).help(help)
    };
    dead.into_iter().map(finding).collect()
}
