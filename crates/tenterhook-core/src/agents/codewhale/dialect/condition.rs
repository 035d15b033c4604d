//! The conditions of a hook: the tests, and whether a test can hold on an event (CW-30 to CW-36).
//! `config/condition.rs` reads them; this file reads no config.

use toml_edit::{InlineTable, Value};

use super::events::Spec;
use super::modes;
use super::vocabulary::{self, Category};
use crate::event::Event;
use crate::matcher::{Condition, Picked};

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Always,
    /// A name, with `*` for any characters.
    ToolName(String),
    ToolCategory(Category),
    Mode(String),
    ExitCode(i64),
    All(Vec<Test>),
    Any(Vec<Test>),
    /// A condition that cannot be read. It holds, because a typing error must not disable a gate
    /// (CW-36).
    Unreadable,
}

/// Why a single test does not hold on an event.
#[derive(Debug, thiserror::Error)]
enum Mismatch {
    #[error("the event is not about a tool call")]
    NoTool,
    #[error("the tool is `{0}`")]
    Tool(String),
    #[error("the event does not say in which mode it is")]
    NoMode,
    #[error("the mode is `{0}`")]
    Mode(String),
    #[error("the tool gave no exit code")]
    NoExitCode,
    #[error("the exit code is {0}")]
    ExitCode(i64),
}

/// A fact about an event that a test needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Tool,
    ExitCode,
    Mode,
}

impl Test {
    /// Returns the fact that the test needs but events of `spec` never have, so that the test can
    /// never hold.
    pub(super) fn missing_fact(&self, spec: &Spec) -> Option<Needs> {
        match self {
            Self::ToolName(_) | Self::ToolCategory(_) if !spec.has_tool => Some(Needs::Tool),
            Self::ExitCode(_) if !spec.has_exit_code => Some(Needs::ExitCode),
            Self::Mode(_) if !spec.has_mode => Some(Needs::Mode),
            Self::All(tests) | Self::Any(tests) => {
                tests.iter().find_map(|test| test.missing_fact(spec))
            }
            _ => None,
        }
    }

    /// Whether any part of the condition could not be read.
    pub(super) fn has_unreadable_part(&self) -> bool {
        match self {
            Self::All(tests) | Self::Any(tests) => tests.iter().any(Self::has_unreadable_part),
            _ => *self == Self::Unreadable,
        }
    }

    /// Converts the test to the condition of a hook; `None` if it always holds.
    pub(super) fn into_condition(self) -> Option<Condition> {
        if self == Self::Always {
            return None;
        }
        let (text, written) = (self.to_text(), self.to_toml());
        let condition = Condition::custom(text, move |event| self.match_event(event));
        Some(match written {
            Some(written) => condition.with_native_toml(written.to_string()),
            None => condition,
        })
    }

    /// The test as a TOML table; `None` if a part of it could not be read.
    fn to_toml(&self) -> Option<InlineTable> {
        let mut table = InlineTable::new();
        let (kind, key, value) = match self {
            Self::Always => ("always", "", None),
            Self::ToolName(name) => ("tool_name", "name", Some(name.as_str().into())),
            Self::ToolCategory(category) => {
                let (word, _) = Category::ALL.iter().find(|(_, other)| other == category)?;
                ("tool_category", "category", Some((*word).into()))
            }
            Self::Mode(mode) => ("mode", "mode", Some(mode.as_str().into())),
            Self::ExitCode(code) => ("exit_code", "code", Some((*code).into())),
            Self::All(tests) => ("all", "conditions", Some(tests_to_toml(tests)?)),
            Self::Any(tests) => ("any", "conditions", Some(tests_to_toml(tests)?)),
            Self::Unreadable => return None,
        };
        table.insert("type", kind.into());
        if let Some(value) = value {
            table.insert(key, value);
        }
        Some(table)
    }

    /// The condition as text for messages.
    pub(super) fn to_text(&self) -> String {
        let joined = |tests: &[Self], operator: &str| {
            let texts: Vec<String> = tests.iter().map(Self::to_text).collect();
            format!("({})", texts.join(operator))
        };
        match self {
            Self::Always => "always".to_owned(),
            Self::ToolName(name) => format!("tool_name = {name}"),
            Self::ToolCategory(category) => {
                let word = Category::ALL.iter().find(|(_, other)| other == category);
                format!("tool_category = {}", word.map_or("", |(word, _)| word))
            }
            Self::Mode(mode) => format!("mode = {mode}"),
            Self::ExitCode(code) => format!("exit_code = {code}"),
            Self::All(tests) => joined(tests, " and "),
            Self::Any(tests) => joined(tests, " or "),
            Self::Unreadable => "(unreadable)".to_owned(),
        }
    }

    fn match_event(&self, event: &Event) -> Picked {
        match self {
            Self::Unreadable => {
                Picked::Widely("the condition cannot be read, so the hook runs".to_owned())
            }
            Self::All(tests) => match_all_tests(tests, event),
            Self::Any(tests) => match_any_test(tests, event),
            _ => match self.single_test_holds(event) {
                Ok(true) => Picked::Exactly,
                Ok(false) => Picked::No("it is something else".to_owned()),
                Err(why) => Picked::No(why.to_string()),
            },
        }
    }

    /// Whether a single test holds for the event; a missing fact never matches (CW-34).
    fn single_test_holds(&self, event: &Event) -> Result<bool, Mismatch> {
        let about_tool = || event.text("tool_name").ok_or(Mismatch::NoTool);
        match self {
            Self::ToolName(pattern) => {
                about_tool()?;
                let names = vocabulary::tool_names_for_conditions(event);
                let name = vocabulary::tool_name_for_hooks(event).unwrap_or_default();
                let found = names.iter().any(|name| glob_matches(pattern, name));
                found.then_some(true).ok_or_else(|| Mismatch::Tool(name.to_owned()))
            }
            Self::ToolCategory(wanted) => {
                about_tool()?;
                let category = vocabulary::call_category(event);
                let found = Category::ALL.iter().find(|(_, other)| *other == category);
                let word = found.map_or("", |(word, _)| *word);
                (category == *wanted).then_some(true).ok_or_else(|| Mismatch::Tool(word.to_owned()))
            }
            Self::Mode(wanted) => {
                let mode = modes::current_mode(event).ok_or(Mismatch::NoMode)?;
                modes::mode_matches(wanted, mode)
                    .then_some(true)
                    .ok_or_else(|| Mismatch::Mode(mode.to_owned()))
            }
            Self::ExitCode(wanted) => {
                let code = reported_exit_code(event).ok_or(Mismatch::NoExitCode)?;
                (code == *wanted).then_some(true).ok_or(Mismatch::ExitCode(code))
            }
            _ => Ok(true),
        }
    }
}

fn tests_to_toml(tests: &[Test]) -> Option<Value> {
    let tables = tests.iter().map(Test::to_toml).collect::<Option<Vec<_>>>()?;
    Some(Value::Array(tables.into_iter().collect()))
}

fn match_all_tests(tests: &[Test], event: &Event) -> Picked {
    let mut found = Picked::Exactly;
    for test in tests {
        match test.match_event(event) {
            Picked::Exactly => {}
            doubt @ (Picked::Widely(_) | Picked::Failed(_)) => found = doubt,
            Picked::No(why) => return Picked::No(format!("`{}` does not: {why}", test.to_text())),
        }
    }
    found
}

fn match_any_test(tests: &[Test], event: &Event) -> Picked {
    let mut found = Picked::No("none of its conditions does".to_owned());
    for test in tests {
        match test.match_event(event) {
            Picked::Exactly => return Picked::Exactly,
            doubt @ (Picked::Widely(_) | Picked::Failed(_)) => found = doubt,
            Picked::No(_) => {}
        }
    }
    found
}

/// The exit code that the tool reported; `None` if it reported none.
pub(super) fn reported_exit_code(event: &Event) -> Option<i64> {
    let code = event.payload.get("exit_code").and_then(serde_json::Value::as_i64);
    code.or_else(|| {
        let response = event.payload.get("tool_response")?;
        response.get("exit_code").or_else(|| response.get("exitCode"))?.as_i64()
    })
}

/// Whether `text` matches `pattern`, in which `*` matches any characters.
fn glob_matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::glob_matches;

    #[test]
    fn star_is_the_only_special_character_of_a_glob() {
        for (pattern, text, expected) in [
            ("mcp__*", "mcp__github__search", true),
            ("mcp__*", "mcp_github", false),
            ("bash", "bash", true),
            ("bash", "bash2", false),
            ("bash", "Bash", false),
            ("*_file", "read_file", true),
            ("mcp__*__read*", "mcp__fs__read_file", true),
            ("mcp__*__read", "mcp__fs__read_file", false),
            ("a.c", "abc", false),
            ("a[bc]", "ab", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("**", "x", true),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(glob_matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
