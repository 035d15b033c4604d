//! How Mistral Vibe selects the hooks of an event: a glob, or a regular expression behind `re:`, over
//! the names of the tool or of the agent (VI-10 to VI-12). Pure; reports nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use super::vocabulary::{TOOLS, own_tool_name};
use crate::dialect::tools::ToolWords;
use crate::event::Event;
use crate::hook::Compat;
use crate::matcher::{Condition, Matcher, MatcherSpec, Picked};

/// The prefix of a regular expression.
const REGEX: &str = "re:";
/// The name to which the agent of a main session answers besides its own.
const MAIN: &str = "main";

/// Returns what a `match` matches: a pattern for a whole name, in any case.
pub(super) fn parse_match(text: &str) -> MatcherSpec {
    match text.strip_prefix(REGEX) {
        _ if text == "*" => MatcherSpec::Any,
        Some(regex) => MatcherSpec::Regex(format!("(?i)^(?:{regex})$")),
        None => MatcherSpec::Regex(format!("(?is)^(?:{})$", regex_of_glob(text))),
    }
}

/// Returns why a `match` cannot be compiled.
pub(super) fn match_fault(text: &str) -> Option<String> {
    Matcher::new(parse_match(text)).compile().err().map(|why| why.to_string())
}

/// Creates the condition of a `match`. If it cannot be compiled, Mistral Vibe matches nothing; a
/// guarded hook fails instead (S-3).
pub(super) fn match_condition(text: &str, compat: Compat) -> Condition {
    let matcher = Arc::new(Matcher::new(parse_match(text)));
    Condition::custom(format!("match: {text}"), move |event: &Event| {
        let mut fault = None;
        for name in names_of_subject(event, compat) {
            match matcher.matches(Some(&name)) {
                Ok(true) => return Picked::Exactly,
                Ok(false) => {}
                Err(why) => fault = Some(why.to_string()),
            }
        }
        match fault {
            Some(why) if compat == Compat::Guarded => Picked::Failed(why),
            Some(why) => Picked::No(why),
            None => Picked::No("no name of it matches".to_owned()),
        }
    })
    .with_matcher(matcher_of_text(text))
}

/// Returns the matcher that a `match` is for other agents: a name, or an expression.
fn matcher_of_text(text: &str) -> MatcherSpec {
    match text.strip_prefix(REGEX) {
        Some(regex) => MatcherSpec::Regex(format!("^(?:{regex})$")),
        None if text.contains(['*', '?', '[']) => {
            MatcherSpec::Regex(format!("^(?:{})$", regex_of_glob(text)))
        }
        None => MatcherSpec::Words(vec![text.to_owned()]),
    }
}

/// Returns the names that a `match` is tested on: those of the tool, or, at the end of a turn, those
/// of the agent. A guarded reading also tests the tool's neutral name (S-5).
fn names_of_subject(event: &Event, compat: Compat) -> Vec<String> {
    let Some(own) = own_tool_name(event) else { return names_of_agent(event) };
    let mut names = names_of_tool(&own);
    let neutral = event.text("tool_name").filter(|_| compat == Compat::Guarded);
    names.extend(neutral.map(str::to_owned));
    names
}

/// Returns the names of a tool: the one that hooks receive, its last part, the same with `_`, and
/// what the model calls it.
fn names_of_tool(own: &str) -> Vec<String> {
    let last = own.rsplit('.').next().unwrap_or_default();
    let model = MODEL_NAMES.iter().find(|(tool, _)| *tool == own).map(|(_, model)| *model);
    let names = [own.to_owned(), last.to_owned(), own.replace('.', "_")];
    names.into_iter().chain(model.map(str::to_owned)).collect()
}

/// What the model calls tools, where that is no other name of the tool.
const MODEL_NAMES: &[(&str, &str)] = &[("skill.read", "skill"), ("subagent.spawn", "agent_spawn")];

/// Returns the names of the agent that ends its turn. Only that of a main session is called `main`.
fn names_of_agent(event: &Event) -> Vec<String> {
    let is_main = event.text("parent_session_id").is_none();
    let name = event.text("agent_name");
    let name = name.filter(|name| is_main || !name.eq_ignore_ascii_case(MAIN));
    name.into_iter().chain(is_main.then_some(MAIN)).map(str::to_owned).collect()
}

/// Returns `true` if a name of a tool that Mistral Vibe has matches.
pub(super) fn matches_known_tool(spec: &MatcherSpec) -> bool {
    let matcher = Matcher::new(spec.clone());
    let own = TOOLS.iter().filter_map(|tool| tool.own.first()).chain(OTHER_TOOLS);
    let mut names = own.flat_map(|own| names_of_tool(own));
    names.any(|name| matcher.matches(Some(&name)) == Ok(true))
}

/// Returns the tool whose neutral name a pattern matches.
pub(super) fn tool_of_neutral_name(spec: &MatcherSpec) -> Option<&'static ToolWords> {
    let matcher = Matcher::new(spec.clone());
    TOOLS.iter().find(|tool| matcher.matches(Some(tool.neutral)) == Ok(true))
}

/// The other tools that call hooks (3.0.3).
const OTHER_TOOLS: &[&str] = &[
    "self.wait",
    "self.sleep",
    "todo",
    "process.start",
    "process.output",
    "process.write",
    "process.list",
    "process.stop",
    "agents.list_configs",
    "agents.list",
    "agents.send_message",
    "agents.interrupt",
    "subagent.spawn",
];

/// Returns the regular expression of a glob as Python's `fnmatch` reads it: `*`, `?` and `[...]`.
fn regex_of_glob(glob: &str) -> String {
    let mut regex = String::new();
    let mut rest = glob.chars();
    while let Some(char) = rest.next() {
        match char {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '[' => {
                let text = rest.as_str();
                let first = usize::from(text.starts_with('!'));
                // A `]` in the first place is one of the characters.
                let from =
                    first + usize::from(text.get(first..).is_some_and(|t| t.starts_with(']')));
                let end = text.get(from..).and_then(|text| text.find(']')).map(|at| from + at);
                match end.and_then(|end| Some((text.get(first..end)?, text.get(end + 1..)?))) {
                    Some((set, after)) => {
                        regex.push_str(if first == 1 { "[^" } else { "[" });
                        push_set_chars(&mut regex, set);
                        regex.push(']');
                        rest = after.chars();
                    }
                    None => regex.push_str(r"\["),
                }
            }
            char => regex.push_str(&escape_char(char)),
        }
    }
    regex
}

/// Adds the characters of a set; only `-` keeps its meaning.
fn push_set_chars(regex: &mut String, set: &str) {
    for char in set.chars() {
        match char {
            '-' => regex.push('-'),
            char if char.is_alphanumeric() => regex.push(char),
            char => {
                let _ = write!(regex, "\\x{{{:x}}}", u32::from(char));
            }
        }
    }
}

fn escape_char(char: char) -> String {
    match char.is_alphanumeric() || char == '_' {
        true => char.to_string(),
        false => format!("\\x{{{:x}}}", u32::from(char)),
    }
}
