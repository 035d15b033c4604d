//! The conditions of a hook: what each kind tests, and whether it can hold on an event at all (CW-30 to CW-36). Reads no
//! config; `config/condition.rs` does.

use toml_edit::{InlineTable, Value};

use super::events::Spec;
use super::modes;
use super::words::{self, Category};
use crate::event::Event;
use crate::matcher::{Condition, Picked};

/// One condition.
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
    /// What is written cannot be read: it holds, because a gate must not vanish by a slip of the pen (CW-36).
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

/// What can be known where an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Tool,
    ExitCode,
    Mode,
}

impl Test {
    /// What the test needs to know and `spec` never tells, so that it can never hold there.
    pub(super) fn lacks(&self, spec: &Spec) -> Option<Needs> {
        match self {
            Self::ToolName(_) | Self::ToolCategory(_) if !spec.has_tool => Some(Needs::Tool),
            Self::ExitCode(_) if !spec.has_exit_code => Some(Needs::ExitCode),
            Self::Mode(_) if !spec.has_mode => Some(Needs::Mode),
            Self::All(tests) | Self::Any(tests) => tests.iter().find_map(|test| test.lacks(spec)),
            _ => None,
        }
    }

    /// Whether any part of it could not be read.
    pub(super) fn is_unreadable(&self) -> bool {
        match self {
            Self::All(tests) | Self::Any(tests) => tests.iter().any(Self::is_unreadable),
            _ => *self == Self::Unreadable,
        }
    }

    /// The condition that planning asks.
    pub(super) fn into_condition(self) -> Option<Condition> {
        if self == Self::Always {
            return None;
        }
        let (text, written) = (self.text(), self.written());
        let condition = Condition::custom(text, move |event| self.pick(event));
        Some(match written {
            Some(written) => condition.written_as(written.to_string()),
            None => condition,
        })
    }

    /// The table that says the same; what could not be read cannot be written.
    fn written(&self) -> Option<InlineTable> {
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
            Self::All(tests) => ("all", "conditions", Some(written_all(tests)?)),
            Self::Any(tests) => ("any", "conditions", Some(written_all(tests)?)),
            Self::Unreadable => return None,
        };
        table.insert("type", kind.into());
        if let Some(value) = value {
            table.insert(key, value);
        }
        Some(table)
    }

    /// The condition in words.
    pub(super) fn text(&self) -> String {
        let joined = |tests: &[Self], word: &str| {
            let texts: Vec<String> = tests.iter().map(Self::text).collect();
            format!("({})", texts.join(word))
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

    fn pick(&self, event: &Event) -> Picked {
        match self {
            Self::Unreadable => {
                Picked::Widely("what is written cannot be read, so the hook runs".to_owned())
            }
            Self::All(tests) => all(tests, event),
            Self::Any(tests) => any(tests, event),
            _ => match self.found(event) {
                Ok(true) => Picked::Exactly,
                Ok(false) => Picked::No("it is something else".to_owned()),
                Err(why) => Picked::No(why.to_string()),
            },
        }
    }

    /// Whether a single test holds; what is missing matches nothing (CW-34).
    fn found(&self, event: &Event) -> Result<bool, Mismatch> {
        let about_tool = || event.text("tool_name").ok_or(Mismatch::NoTool);
        match self {
            Self::ToolName(pattern) => {
                about_tool()?;
                let names = words::names(event);
                let name = words::name(event).unwrap_or_default();
                let found = names.iter().any(|name| glob(pattern, name));
                found.then_some(true).ok_or_else(|| Mismatch::Tool(name.to_owned()))
            }
            Self::ToolCategory(wanted) => {
                about_tool()?;
                let category = words::category(event);
                let found = Category::ALL.iter().find(|(_, other)| *other == category);
                let word = found.map_or("", |(word, _)| *word);
                (category == *wanted).then_some(true).ok_or_else(|| Mismatch::Tool(word.to_owned()))
            }
            Self::Mode(wanted) => {
                let mode = modes::of(event).ok_or(Mismatch::NoMode)?;
                modes::holds(wanted, mode)
                    .then_some(true)
                    .ok_or_else(|| Mismatch::Mode(mode.to_owned()))
            }
            Self::ExitCode(wanted) => {
                let code = exit_code(event).ok_or(Mismatch::NoExitCode)?;
                (code == *wanted).then_some(true).ok_or(Mismatch::ExitCode(code))
            }
            _ => Ok(true),
        }
    }
}

fn written_all(tests: &[Test]) -> Option<Value> {
    let tables = tests.iter().map(Test::written).collect::<Option<Vec<_>>>()?;
    Some(Value::Array(tables.into_iter().collect()))
}

fn all(tests: &[Test], event: &Event) -> Picked {
    let mut found = Picked::Exactly;
    for test in tests {
        match test.pick(event) {
            Picked::Exactly => {}
            doubt @ (Picked::Widely(_) | Picked::Failed(_)) => found = doubt,
            Picked::No(why) => return Picked::No(format!("`{}` does not: {why}", test.text())),
        }
    }
    found
}

fn any(tests: &[Test], event: &Event) -> Picked {
    let mut found = Picked::No("none of its conditions does".to_owned());
    for test in tests {
        match test.pick(event) {
            Picked::Exactly => return Picked::Exactly,
            doubt @ (Picked::Widely(_) | Picked::Failed(_)) => found = doubt,
            Picked::No(_) => {}
        }
    }
    found
}

/// The exit code that the tool itself gave; one that nobody gave is not made up.
pub(super) fn exit_code(event: &Event) -> Option<i64> {
    let told = event.payload.get("exit_code").and_then(serde_json::Value::as_i64);
    told.or_else(|| {
        let response = event.payload.get("tool_response")?;
        response.get("exit_code").or_else(|| response.get("exitCode"))?.as_i64()
    })
}

/// Whether `text` is `pattern`, in which `*` stands for any characters and everything else for itself.
fn glob(pattern: &str, text: &str) -> bool {
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
    use super::glob;

    #[test]
    fn a_star_stands_for_any_characters_and_nothing_else_does() {
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
            assert_eq!(glob(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
