//! Checks whether `match` and `if` can select any call. Hosts may have tools of any name, so only
//! impossible names and misspellings of known ones are reported (C-48, C-53).

use super::fields::Fields;
use super::{Reader, check, values};
use crate::diagnostic::{Code, Diagnostic, Severity, edit_distance, nearest_word};
use crate::dialect::kit::lint::NEVER;
use crate::dialect::native::table;
use crate::dialect::{EventRow, Subject};
use crate::hook::{Hook, Phase, Wait};
use crate::matcher::rule::Rule;
use crate::matcher::{Matcher, MatcherSpec};
use crate::syntax::Node;

/// Characters by which people separate the items of a list; no tool has one in its name.
const DIVIDERS: &[char] = &[',', ';', '|', '&', '(', ')'];

/// Words that were meant for every tool.
const EVERY: &[&str] = &["all", "any", "every", "everything"];

impl Reader<'_> {
    /// Reports what is wrong with `match` and `if` on a tool event.
    pub(super) fn check_tool_matchers(&mut self, fields: &Fields<'_>, row: &EventRow) {
        if row.subject != Subject::Field("tool_name") {
            return;
        }
        for word in exact_match_words(fields) {
            // Most files name tools that there are, and there may be thousands of entries.
            if !table::TOOLS.contains(&word) {
                self.check_tool_name(word, fields);
            }
        }
        self.check_match_expression_for_tools(fields);
        if fields.has_key("if") {
            self.check_rules_against_match(fields);
            self.check_rules_of_two_tools(fields);
        }
    }

    /// Reports names that no tool has: misspellings such as `bash` or `Bsh`, and lists such as
    /// `Bash,Edit`.
    fn check_tool_name(&mut self, word: &str, fields: &Fields<'_>) {
        let span = fields.value_span("match");
        if let Some(tool) = known_tool_of_rule(word) {
            return self.report_rule_as_matcher(word, &tool, fields);
        }
        if let Some(list) = suggest_array(word) {
            let message =
                format!("`{}` is no name of a tool: a list is an array", word.escape_default());
            self.report(diagnostic_code_for_bad_matcher(fields), span, message).help =
                Some(format!("write `match = {list}`"));
            return;
        }
        let (message, help) = if let Some((wrong, right)) = tool_with_other_case(word) {
            (format!("no tool is called `{wrong}`"), format!("case counts: write `{right}`"))
        } else if let Some(near) = nearest_tool_name(word) {
            (format!("no agent has a tool `{word}`"), format!("did you mean `{near}`?"))
        } else if EVERY.contains(&word) {
            let help = "leave `match` out: without it the hook runs on every one";
            (format!("no agent has a tool `{word}`"), help.to_owned())
        } else if !word.is_ascii() {
            let help = "write it anew: some letters of other alphabets look like these";
            (format!("`{word}` has letters that no tool's name has"), help.to_owned())
        } else {
            return;
        };
        self.report(Code::DeadMatcher, span, message).help = Some(help);
    }

    /// Makes an error of each finding from `first` on that says that `match` matches nothing, if that is all that
    /// `match` names and the hook is a gate: it can never stop anything. The hook stays armed, because a host may have
    /// such a tool.
    pub(super) fn make_dead_gate_findings_errors(
        &mut self,
        fields: &Fields<'_>,
        hooks: &[Hook],
        first: usize,
    ) {
        let is_gate = |hook: &Hook| {
            check::is_gate_event(hook.event.as_str())
                && (hook.phase, hook.wait) == (Phase::Decide, Wait::Attached)
        };
        let names = exact_match_words(fields).len().max(1);
        let dead = |found: &&mut Diagnostic| found.code == Code::DeadMatcher;
        let count = self
            .out
            .diagnostics
            .iter()
            .skip(first)
            .filter(|found| found.code == Code::DeadMatcher)
            .count();
        let is_native = !fields.has_key("speaks") && !hooks.is_empty();
        if !is_native || !hooks.iter().all(is_gate) || count < names * hooks.len() {
            return;
        }
        for found in self.out.diagnostics.iter_mut().skip(first).filter(dead) {
            found.severity = Severity::Error;
            NEVER.clone_into(&mut found.label);
        }
    }

    /// Reports an expression that matches no tool because of its case or form.
    fn check_match_expression_for_tools(&mut self, fields: &Fields<'_>) {
        let Some(text) = fields.text("match") else { return };
        if text.starts_with('/')
            && text.trim_end_matches(['i', 'g', 'm', 's', 'u']).ends_with('/')
            && !text.ends_with('/')
        {
            let message = format!("`{text}` ends with the flags of another language");
            self.report(
                diagnostic_code_for_bad_matcher(fields),
                fields.value_span("match"),
                message,
            )
            .help = Some(
                "end it with the slash, and begin it with `(?i)` where case is not to count"
                    .to_owned(),
            );
            return;
        }
        let Some(expression) = values::expression_between_slashes(text) else { return };
        if let Some(tool) = known_tool_of_rule(expression) {
            return self.report_rule_as_matcher(expression, &tool, fields);
        }
        let finds = |spec: &str| {
            let matcher = Matcher::new(MatcherSpec::Regex(spec.to_owned()));
            table::TOOLS.iter().any(|tool| matcher.matches(Some(tool)).unwrap_or(true))
        };
        if !finds(expression) && finds(&format!("(?i){expression}")) {
            let message = format!("`/{expression}/` finds no tool as its name is written");
            self.report(Code::DeadMatcher, fields.value_span("match"), message).help =
                Some("case counts: write the name as agents do, such as `Bash`".to_owned());
        }
    }

    /// Reports a rule in a position that takes the name of a tool.
    fn report_rule_as_matcher(&mut self, rule: &str, tool: &str, fields: &Fields<'_>) {
        let message =
            format!("`{rule}` is a rule about calls of `{tool}`, and no tool is called so");
        self.report(diagnostic_code_for_bad_matcher(fields), fields.value_span("match"), message)
            .help = Some(format!("write `match = \"{tool}\"` and `if = \"{rule}\"`"));
    }

    /// Reports a rule about a tool that does not exist, and a text that is not a rule.
    pub(super) fn check_tool_rule(&mut self, node: &Node, fields: &Fields<'_>) {
        let Some(text) = node.as_str() else { return };
        if has_several_rules(text) {
            let message = format!("`{text}` is read as one rule, of the first tool in it");
            self.report(diagnostic_code_for_bad_rule(fields), node.span, message).help =
                Some("write one rule, and a hook for each of several".to_owned());
            return;
        }
        let tool = text.split('(').next().unwrap_or_default().trim();
        if EXPRESSION.iter().any(|prefix| tool.starts_with(prefix)) {
            let message =
                format!("`{text}` is an expression, and `if` is a rule such as `Bash(rm *)`");
            self.report(diagnostic_code_for_bad_rule(fields), node.span, message).help =
                Some(format!("write `if = {{ when = '{text}' }}`"));
            return;
        }
        let (wrong, help) = match (tool_with_other_case(tool), nearest_tool_name(tool)) {
            (Some((wrong, right)), _) => (wrong, format!("case counts: write `{right}`")),
            (None, Some(near)) => (tool, format!("did you mean `{near}`?")),
            (None, None) => return,
        };
        let message = format!("no tool is called `{wrong}`, so this rule never holds");
        self.report(Code::DeadCondition, node.span, message).help = Some(help);
    }

    /// Reports a rule about a tool that `match` excludes: it never holds.
    fn check_rules_against_match(&mut self, fields: &Fields<'_>) {
        let words = exact_match_words(fields);
        if words.is_empty() {
            return;
        }
        for (text, span) in fields.strings("if") {
            let rule = Rule::parse(text).ok();
            let Some(tool) = rule.as_ref().and_then(Rule::tool_name) else { continue };
            if words.contains(&tool)
                || tool_with_other_case(tool).is_some()
                || nearest_tool_name(tool).is_some()
            {
                continue;
            }
            let message = format!("`match` lets no `{tool}` through, so this rule never holds");
            self.report(Code::DeadCondition, span, message).help =
                Some(format!("add `{tool}` to `match`, or change the rule"));
        }
    }

    /// Reports rules about different tools: all rules of `if` must hold, and no call is of two
    /// tools.
    fn check_rules_of_two_tools(&mut self, fields: &Fields<'_>) {
        let rules = fields.strings("if").into_iter();
        let mut tools = rules.filter_map(|(text, span)| {
            Some((Rule::parse(text).ok()?.tool_name()?.to_owned(), span))
        });
        let Some((first, _)) = tools.next() else { return };
        let Some((other, span)) = tools.find(|(tool, _)| *tool != first) else { return };
        let message = format!(
            "all rules of `if` must hold, and no call is one of `{first}` and of `{other}`"
        );
        self.report(Code::DeadCondition, span, message).help =
            Some("write a hook for each of them".to_owned());
    }
}

/// Returns the code for a matcher that no tool's name can match. In a hook that was taken over from
/// another agent's file, such a matcher is as dead there, and stays so.
fn diagnostic_code_for_bad_matcher(fields: &Fields<'_>) -> Code {
    if fields.has_key("speaks") { Code::DeadMatcher } else { Code::BadMatcher }
}

/// Returns the code for a rule that no tool call can match.
fn diagnostic_code_for_bad_rule(fields: &Fields<'_>) -> Code {
    if fields.has_key("speaks") { Code::DeadCondition } else { Code::BadCondition }
}

/// Prefixes of expressions; no tool has such a name.
const EXPRESSION: &[&str] = &["tool.", "call.", "event.", "prompt.", "c.", "!"];

/// Returns `true` if a text holds several rules: another tool is named after a parenthesis and a
/// separator. A separator inside a command, as in `Bash(grep -E '(a)|b')`, is not followed by the
/// name of a tool.
fn has_several_rules(text: &str) -> bool {
    let names_tool = |rest: &str| {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix(DIVIDERS).unwrap_or_default().trim_start();
        rest.split_once('(').is_some_and(|(tool, _)| table::TOOLS.contains(&tool.trim()))
    };
    text.match_indices(')').any(|(at, _)| text.get(at + 1..).is_some_and(names_tool))
}

/// Returns the tool of a rule such as `Bash(rm *)`, if it is a known one.
fn known_tool_of_rule(text: &str) -> Option<String> {
    let is_rule = text.contains('(') && text.ends_with(')');
    let rule = Rule::parse(text).ok().filter(|_| is_rule)?;
    rule.tool_name().filter(|tool| table::TOOLS.contains(tool)).map(str::to_owned)
}

/// Says what to write instead of an expression that is not marked as one.
pub(super) fn unmarked_expression_help(text: &str) -> String {
    match known_tool_of_rule(text) {
        Some(tool) => format!(
            "a rule about a call goes into `if`: write `match = \"{tool}\"` and `if = \"{text}\"`"
        ),
        None => format!("write it between slashes, `\"/{text}/\"`, if it is an expression"),
    }
}

/// Returns the array that a word with separators in it was meant to be.
fn suggest_array(word: &str) -> Option<String> {
    let is_divided = word.contains(DIVIDERS) || word.contains(char::is_whitespace);
    let is_path =
        word.contains('/') && word.split('/').all(|component| table::TOOLS.contains(&component));
    if !is_divided && !is_path {
        return None;
    }
    let is_edge = |c: char| DIVIDERS.contains(&c) || c.is_whitespace() || is_path && c == '/';
    let words: Vec<String> = word
        .split(is_edge)
        .filter(|part| !part.is_empty())
        .map(|part| format!("\"{part}\""))
        .collect();
    Some(format!("[{}]", words.join(", ")))
}

/// Returns the exact words of `match`; none if it is an expression.
pub(super) fn exact_match_words<'n>(fields: &Fields<'n>) -> Vec<&'n str> {
    match fields.text("match") {
        Some(text) => values::exact_words_of_match(text),
        None => fields.strings("match").into_iter().map(|(word, _)| word).collect(),
    }
}

/// Returns the tool whose name differs from `word` by one letter. Only one is allowed, because a
/// short name of a host's own tool is close to many.
fn nearest_tool_name(word: &str) -> Option<&'static str> {
    let letters = |text: &str| text.to_ascii_lowercase().chars().collect::<Vec<char>>();
    let word = word.trim();
    if table::TOOLS.contains(&word) {
        return None;
    }
    let near = nearest_word(word, table::TOOLS.iter().copied())?;
    (edit_distance(&letters(word), &letters(near)) == 1).then_some(near)
}

/// Returns `word` and the name of the known tool that differs from it only in case.
fn tool_with_other_case(word: &str) -> Option<(&str, &'static str)> {
    let word = word.trim();
    let near = table::TOOLS.iter().find(|tool| tool.eq_ignore_ascii_case(word))?;
    (*near != word).then_some((word, *near))
}
