//! Lints of an `if`: a rule that never holds, several rules, a path with a command's suffix.

use super::NEVER;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
use crate::dialect::claude::config::finding_without_location;
use crate::dialect::claude::matcher_text::{self, current_tool_name};
use crate::dialect::claude::vocabulary::{ALIASES, FORMER_TOOLS, TOOLS};
use crate::matcher::Matcher;
use crate::matcher::rule::{Rule, RuleRemark};

/// Tools whose rules hold a path.
const PATH_TOOLS: &[&str] = &["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep"];

/// Checks the rule of a handler whose group has this matcher.
pub(crate) fn check_condition(text: &str, matcher: Option<&str>) -> Vec<Diagnostic> {
    if text.trim().is_empty() {
        return vec![finding_without_location(
            Code::IfIsEmpty,
            "an empty `if` says nothing: the hook always runs",
        )];
    }
    if [" && ", " || ", " and ", " or "].iter().any(|word| text.contains(word))
        && !text.ends_with(')')
        || text.contains(") && ")
        || text.contains(") || ")
        || text.contains("),")
        || has_second_rule(text)
        || lists_commands(text)
    {
        return vec![several_rules_finding(text)];
    }
    let rule = match Rule::parse(text) {
        Ok(rule) => rule,
        Err(_) if text.contains('|') => return vec![several_rules_finding(text)],
        Err(fault) => {
            return vec![
                finding_without_location(
                    Code::IfNeverHolds,
                    format!("`{text}` is not a valid rule: {fault}"),
                )
                .label(NEVER)
                .help("write one permission rule, such as `Bash(git push *)` or `Edit(src/**)`"),
            ];
        }
    };
    let mut found = Vec::new();
    if rule.style_warnings().contains(&RuleRemark::LooksLikeAList) {
        found.push(several_rules_finding(text));
    }
    if rule.style_warnings().contains(&RuleRemark::OneSlash) {
        let message = format!("`{text}`: one `/` begins at the project, not at the root");
        found.push(
            finding_without_location(Code::IfOneSlash, message)
                .help("write `//` for an absolute path"),
        );
    }
    if let Some(tool) = rule.tool_name() {
        found.extend(check_rule_tool_name(tool, text, matcher));
    }
    found
}

/// Returns `true` if the rule of another tool, or of the same one, begins behind a parenthesis that
/// closes: `Bash(a) or Bash(b)`.
fn has_second_rule(text: &str) -> bool {
    let Some((_, rest)) = text.split_once(')') else { return false };
    let begins = |tool: &&str| {
        rest.match_indices(&format!("{tool}(")).any(|(at, _)| {
            rest.get(..at).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
        })
    };
    TOOLS.iter().any(begins)
}

/// Returns `true` if the pattern of a command lists commands, as in `Bash(git commit|git push)`:
/// each simple command is tested alone, so only quoted text has a `|`.
fn lists_commands(text: &str) -> bool {
    let is_shell = ["Bash(", "PowerShell("].iter().any(|tool| text.trim_start().starts_with(tool));
    let mut parts = text.split('|');
    let first = parts.next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == ' ';
    let is_list = parts.clone().count() > 0
        && first.ends_with(is_plain)
        && parts.all(|part| part.trim_start().starts_with(|c: char| c.is_ascii_alphanumeric()));
    is_shell && is_list && !text.contains(['"', '\'', '\\', '*'])
}

fn several_rules_finding(text: &str) -> Diagnostic {
    finding_without_location(Code::IfSeveralRules, format!("`{text}`: `if` takes one rule"))
        .label("read as one rule, which holds for something else or for nothing")
        .help("write one handler for each rule")
}

fn check_rule_tool_name(tool: &str, text: &str, matcher: Option<&str>) -> Option<Diagnostic> {
    let known = || {
        let old = ALIASES.iter().map(|(old, _)| old);
        TOOLS.iter().chain(FORMER_TOOLS).chain(old).copied()
    };
    let never =
        |message: String| finding_without_location(Code::IfNeverHolds, message).label(NEVER);
    if !known().any(|text| text == tool) {
        return Some(match nearest_word(tool, known()) {
            Some(near) => never(format!("no tool is called `{tool}`: case counts"))
                .help(format!("write `{near}`")),
            None => finding_without_location(
                Code::IfNeverHolds,
                format!("Claude Code has no tool `{tool}`"),
            )
            .with_severity(Severity::Warning),
        });
    }
    let present = current_tool_name(tool).unwrap_or(tool);
    let allowed = matcher
        .map(|matcher| Matcher::new(matcher_text::parse_matcher("PreToolUse", Some(matcher))));
    if let Some(allowed) = allowed
        && [tool, present].iter().all(|text| allowed.matches(Some(text)) == Ok(false))
    {
        let matcher = matcher.unwrap_or_default();
        return Some(
            never(format!("the matcher `{matcher}` lets no `{tool}` through to `if`"))
                .help(format!("add `{tool}` to the matcher, or change the rule")),
        );
    }
    (PATH_TOOLS.contains(&tool) && text.ends_with(":*)")).then(|| {
        finding_without_location(
            Code::IfPrefixOnPath,
            format!("`{text}`: `:*` belongs to commands, not to paths"),
        )
        .help("end the path with `*` or `/**`")
    })
}
