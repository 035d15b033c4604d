//! Reads the condition of an entry; an unreadable condition becomes a test that holds (CW-36).

use super::super::condition::Test;
use super::super::modes;
use super::super::vocabulary::{self, Category};
use super::Reader;
use crate::diagnostic::{Code, Span, nearest_word};
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::syntax::Node;

/// The kinds of condition, with the key that each needs.
const KINDS: &[(&str, &str)] = &[
    ("always", ""),
    ("tool_name", "name"),
    ("tool_category", "category"),
    ("mode", "mode"),
    ("exit_code", "code"),
    ("all", "conditions"),
    ("any", "conditions"),
];

/// The maximal nesting depth of conditions; a deeper condition is unreadable.
const MAX_DEPTH: usize = 32;

impl Reader<'_> {
    pub(super) fn read_test(&mut self, node: &Node, depth: usize) -> Test {
        self.try_read_test(node, depth).unwrap_or(Test::Unreadable)
    }

    /// Reads a condition; `None` if it cannot be read, which is reported.
    fn try_read_test(&mut self, node: &Node, depth: usize) -> Option<Test> {
        if node.as_object().is_none() || depth > MAX_DEPTH {
            let message = format!("a condition is a table, not {}", node.kind_with_article());
            return self.report_invalid_condition(
                node.span,
                message,
                "write `{ type = \"tool_name\", name = \"bash\" }`",
            );
        }
        let (word, key) = self.read_test_type(node)?;
        for field in node.entries().iter().filter(|entry| entry.key != "type" && entry.key != key) {
            let finding = self.unknown_key_finding(field, &["type", key]);
            self.findings.report(field.key_span, finding);
        }
        if key.is_empty() {
            return Some(Test::Always);
        }
        let Some(value) = node.get(key) else {
            let message = format!("a condition of type `{word}` needs `{key}`");
            return self.report_invalid_condition(node.span, message, &format!("add `{key}`"));
        };
        match word {
            "tool_name" => self
                .read_text_value(value, key)
                .map(|text| self.read_tool_name_test(text, value.span)),
            "tool_category" => self
                .read_text_value(value, key)
                .and_then(|text| self.read_category_test(text, value.span)),
            "mode" => {
                self.read_text_value(value, key).map(|text| self.read_mode_test(text, value.span))
            }
            "exit_code" => self.read_exit_code_test(value),
            _ => self.read_nested_tests(word, value, depth),
        }
    }

    /// Reads the type of a condition, and returns it with the key that it needs.
    fn read_test_type(&mut self, node: &Node) -> Option<(&'static str, &'static str)> {
        let Some(kind) = node.get("type") else {
            let help = format!("add `type`: {}", test_type_names());
            self.report_invalid_condition(node.span, "a condition needs a `type`", &help);
            return None;
        };
        let word = kind.as_str().unwrap_or_default();
        let found = KINDS.iter().find(|(name, _)| *name == word).copied();
        if found.is_none() {
            let help = nearest_word(word, KINDS.iter().map(|(name, _)| *name)).map_or_else(
                || format!("it can be {}", test_type_names()),
                |near| format!("did you mean `{near}`?"),
            );
            self.report_invalid_condition(
                kind.span,
                format!("there is no condition of type `{word}`"),
                &help,
            );
        }
        found
    }

    fn report_invalid_condition(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) -> Option<Test> {
        self.findings
            .report(span, finding_without_location(Code::UnreadableCondition, message).help(help));
        None
    }

    fn read_text_value<'n>(&mut self, value: &'n Node, key: &str) -> Option<&'n str> {
        if value.as_str().is_none() {
            let message = format!("`{key}` is a string, not {}", value.kind_with_article());
            self.report_invalid_condition(value.span, message, "write it in quotes");
        }
        value.as_str()
    }

    fn read_tool_name_test(&mut self, name: &str, span: Span) -> Test {
        let known = || {
            vocabulary::TOOLS.iter().flat_map(|tool| tool.own.iter().copied().chain([tool.neutral]))
        };
        let near = known().find(|text| text.eq_ignore_ascii_case(name));
        if let Some(near) = near.filter(|_| known().all(|text| text != name)) {
            let message = format!("unknown tool `{name}`: this condition never holds");
            let found = finding_without_location(Code::DeadCondition, message);
            let help = format!("tool names are case-sensitive: write `{near}`");
            self.findings.report(span, found.help(help));
        } else if known().all(|text| text != name)
            && let Some(near) = nearest_word(name, known())
        {
            // A server or a later version may have such a tool.
            let message = format!("CodeWhale has no tool `{name}`");
            let found = finding_without_location(Code::DeadCondition, message);
            self.findings.report(span, found.help(format!("did you mean `{near}`?")));
        }
        Test::ToolName(name.to_owned())
    }

    fn read_category_test(&mut self, word: &str, span: Span) -> Option<Test> {
        let names = || Category::ALL.iter().map(|(name, _)| *name);
        let found = Category::ALL.iter().find(|(name, _)| *name == word);
        if found.is_none() {
            let help = nearest_word(word, names()).map_or_else(
                || "it can be `shell`, `file_write`, `safe` or `other`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.report_invalid_condition(span, format!("there is no category `{word}`"), &help);
        }
        found.map(|(_, category)| Test::ToolCategory(*category))
    }

    fn read_mode_test(&mut self, word: &str, span: Span) -> Test {
        if !modes::mode_names().any(|text| text.eq_ignore_ascii_case(word)) {
            let help = nearest_word(word, modes::mode_names()).map_or_else(
                || "the modes are `agent`, `plan`, `operate`, `auto` and `yolo`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("CodeWhale has no mode `{word}`");
            self.findings
                .report(span, finding_without_location(Code::DeadCondition, message).help(help));
        }
        Test::Mode(word.to_owned())
    }

    fn read_exit_code_test(&mut self, value: &Node) -> Option<Test> {
        let code = value.to_json().as_i64();
        if code.is_none() {
            let message = format!("`code` is a whole number, not {}", value.kind_with_article());
            self.report_invalid_condition(value.span, message, "write `code = 1`");
        }
        code.map(Test::ExitCode)
    }

    fn read_nested_tests(&mut self, word: &str, value: &Node, depth: usize) -> Option<Test> {
        let Some(items) = value.as_array() else {
            let message = format!("`conditions` is an array, not {}", value.kind_with_article());
            return self.report_invalid_condition(
                value.span,
                message,
                "write `conditions = [{ type = ... }, ...]`",
            );
        };
        let tests: Vec<Test> = items.iter().map(|node| self.read_test(node, depth + 1)).collect();
        if word == "all" {
            return Some(Test::All(tests));
        }
        if tests.is_empty() {
            let found = finding_without_location(
                Code::DeadCondition,
                "`any` without conditions never holds",
            );
            self.findings.report(value.span, found.help("name at least one condition"));
        }
        Some(Test::Any(tests))
    }
}

fn test_type_names() -> String {
    KINDS.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
