//! What a hook runs that is no command: a request, a question to a model, a call of an MCP tool, a
//! worker, a rule (C-43).

use super::Reader;
use super::fields::Fields;
use super::keys::join_quoted;
use crate::answer::Power;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::dialect::{DialectId, EventRow, findings, requests};
use crate::hook::{Http, Interpolation, McpTool, Prompt, Run, Worker};
use crate::matcher::Condition;
use crate::request::input;
use crate::rule::{Doubt, Expression, Part, Rule};
use crate::syntax::{Entry, Node};

/// Keys that mean something only beside some of the keys that say what runs.
const BESIDE: &[(&str, &[&str])] = &[
    ("env", &["run", "shell", "worker"]),
    ("cwd", &["run", "shell", "worker"]),
    ("pass", &["run", "shell", "worker", "http"]),
    ("files", &["run", "shell", "worker"]),
    ("prewarm", &["run", "shell"]),
    ("sandbox", &["run", "shell", "worker", "mcp"]),
    ("deny", &["when"]),
    ("ask", &["when"]),
    ("context", &["when"]),
    ("rewrite", &["when"]),
    ("clear", &["when"]),
    ("label", &["when"]),
    ("count", &["when"]),
    (Doubt::KEY, &["when"]),
];

/// How many turns an agent takes to look around that says nothing itself.
const AGENT_TURNS: u32 = 10;

impl Reader<'_> {
    /// Reports keys that have no effect beside what the hook runs.
    pub(super) fn report_keys_without_effect(&mut self, fields: &Fields<'_>, kind: &str) {
        let without =
            |(key, beside): &&(&str, &[&str])| fields.has_key(key) && !beside.contains(&kind);
        for (key, beside) in BESIDE.iter().filter(without) {
            let beside = join_quoted(beside.iter().copied());
            self.report(
                Code::NoEffect,
                fields.key_span(key),
                format!("`{key}` means something only beside {beside}"),
            )
            .help = Some(format!("leave `{key}` out"));
        }
    }

    /// Reports the decision of a rule on an event that no hook can deny.
    pub(super) fn report_decision_without_effect(&mut self, fields: &Fields<'_>, row: &EventRow) {
        let is_rule = fields.has_key("when");
        let keys = ["deny", "ask"].into_iter().filter(|key| is_rule && fields.has_key(key));
        for key in keys.filter(|_| !row.powers.has(Power::Deny)) {
            let message =
                format!("`{key}` has no effect on `{}`, which no hook can deny", row.event);
            self.report(Code::NoEffect, fields.key_span(key), message).help =
                Some("deny the tool call or the prompt before it".to_owned());
        }
    }

    pub(super) fn read_worker(&mut self, fields: &Fields<'_>, speaks: DialectId) -> Option<Run> {
        let invocation = self.read_program_and_args(fields, "worker")?;
        Some(Run::Worker(Worker { command: self.build_command(fields, invocation, speaks) }))
    }

    pub(super) fn read_http(&mut self, fields: &Fields<'_>, speaks: DialectId) -> Option<Run> {
        let (url, table) = self.read_text_or_table(fields, "http", "url")?;
        let headers =
            table.and_then(|table| table.get("headers")).map(Node::entries).unwrap_or_default();
        let text = |key| table.and_then(|table| table.get(key)).and_then(Node::as_str);
        let node = table.and_then(|table| table.get("url")).or_else(|| fields.get("http"));
        let span = node.map_or_else(|| fields.value_span("http"), |node| node.span);
        let http = Http {
            secret: text("secret").map(str::to_owned),
            ..self.read_request(fields, (url, span), headers, speaks.dialect().interpolation())
        };
        Some(Run::Http(http))
    }

    /// Reads a request with these headers, which may name the variables in `pass`.
    pub(super) fn read_request(
        &mut self,
        fields: &Fields<'_>,
        (url, span): (String, Span),
        headers: &[Entry],
        interpolation: Interpolation,
    ) -> Http {
        let text = |header: &Entry| Some((header.key.clone(), header.node.as_str()?.to_owned()));
        let names = fields.strings("pass").into_iter();
        let http = Http {
            url,
            headers: headers.iter().filter_map(text).collect(),
            variables: names.map(|(name, _)| name.to_owned()).collect(),
            secret: None,
            interpolation,
        };
        for (span, found) in requests::check_http_request(&http, span, headers, "pass") {
            let place = Some(self.location_of(span));
            self.push_diagnostic(Diagnostic { place, ..found });
        }
        http
    }

    /// Reads `prompt` or `agent`: both ask a model, the second with turns to use tools.
    pub(super) fn read_prompt_or_agent(
        &mut self,
        fields: &Fields<'_>,
        kind: &'static str,
    ) -> Option<Run> {
        let (text, table) = self.read_text_or_table(fields, kind, "text")?;
        let get = |key| table.and_then(|table| table.get(key));
        if let Some(found) = findings::misspelt_placeholder_finding(&text) {
            let span = get("text").map_or_else(|| fields.value_span(kind), |table| table.span);
            self.report(found.code, span, found.message).help = found.help;
        }
        let turns = || get("turns").and_then(checked_count_to_u32).unwrap_or(AGENT_TURNS);
        Some(Run::Prompt(Prompt {
            model: get("model").and_then(Node::as_str).map(str::to_owned),
            max_tokens: get("tokens").and_then(checked_count_to_u32),
            may_allow: get("allow").and_then(Node::as_bool) == Some(true),
            goes_on: get("goes_on").and_then(Node::as_bool) == Some(true),
            turns: (kind == "agent").then(turns),
            ..Prompt::new(text)
        }))
    }

    pub(super) fn read_mcp_tool(&mut self, fields: &Fields<'_>) -> Option<Run> {
        let table = fields.get("mcp")?;
        let server = self.read_required_text(fields, "mcp", table.get("server"), "server");
        let tool = self.read_required_text(fields, "mcp", table.get("tool"), "tool");
        let placed = table.get("input").is_none_or(|input| self.check_placeholders(input));
        let input = match table.get("input").map(Node::to_json) {
            Some(serde_json::Value::Object(input)) => input,
            _ => serde_json::Map::new(),
        };
        placed.then_some(Run::McpTool(McpTool { server: server?, tool: tool?, input }))
    }

    /// Returns `true` if every `${...}` in the texts of an input names a field, and reports those
    /// that do not: no call could ever be made.
    fn check_placeholders(&mut self, node: &Node) -> bool {
        let inner = node.entries().iter().map(|entry| &entry.node);
        let mut right = true;
        for node in inner.chain(node.as_array().into_iter().flatten()) {
            right &= self.check_placeholders(node);
        }
        let Some(Err(wrong)) = node.as_str().map(input::check_placeholders) else { return right };
        self.report(Code::BadPlace, node.span, wrong.to_string()).help =
            Some("write `${tool.input.file_path}`, or `$${` for a literal `${`".to_owned());
        false
    }

    pub(super) fn read_rule(&mut self, fields: &Fields<'_>) -> Option<Run> {
        let when = self.read_required_text(fields, "when", fields.get("when"), "when")?;
        let said = Part::ALL.iter().filter(|part| **part != Part::When);
        let rule = said.fold(Rule::new(&when), |rule, part| match fields.text(part.key()) {
            Some(text) => rule.with_part(*part, text),
            None => rule,
        });
        let doubt = fields.text(Doubt::KEY);
        let doubt = Doubt::ALL.into_iter().find(|setting| Some(setting.label()) == doubt);
        let rule = match doubt {
            Some(doubt) => rule.with_doubt(doubt),
            None => rule,
        };
        self.check_rule(fields, &rule);
        Some(Run::Rule(rule))
    }

    /// Reads `{ when = "..." }`, an expression over the event (S-58).
    pub(super) fn read_when_condition(&mut self, table: &Node) -> Option<Condition> {
        for other in table.entries().iter().filter(|entry| entry.key != "when") {
            let message = format!("a condition with `when` has no `{}`", other.key);
            self.report(Code::BadCondition, other.key_span, message).help =
                Some("write `if = { when = \"...\" }` with the expression alone".to_owned());
        }
        let node = table.get("when")?;
        let Some(text) = node.as_str().filter(|text| !text.trim().is_empty()) else {
            let message = "`when` holds no expression".to_owned();
            self.report(Code::BadCondition, node.span, message).help = Some(
                "write an expression, such as `if = { when = \"tool.kind == 'write'\" }`"
                    .to_owned(),
            );
            return None;
        };
        let expression = Expression::new(text);
        self.check_when_expression(&expression, node.span);
        Some(Condition::when(expression))
    }

    #[cfg(feature = "rule")]
    fn check_when_expression(&mut self, expression: &Expression, at: Span) {
        if let Some(flaw) = expression.find_flaw() {
            let span = self.span_of_part(at, Some(expression.text()), &flaw.at);
            let message = format!("`when`: {}", flaw.message);
            self.report(flaw.code, span, message).help = Some(flaw.help.clone());
        }
    }

    #[cfg(not(feature = "rule"))]
    #[expect(clippy::unused_self, reason = "the other form needs it")]
    fn check_when_expression(&mut self, _expression: &Expression, _at: Span) {}

    /// Reports everything that is wrong with a rule, at its location in the file.
    #[cfg(feature = "rule")]
    fn check_rule(&mut self, fields: &Fields<'_>, rule: &Rule) {
        for flaw in rule.check() {
            let span = self.span_of_part(
                fields.value_span(flaw.part.key()),
                rule.part_text(flaw.part),
                &flaw.at,
            );
            let message = format!("`{}`: {}", flaw.part.key(), flaw.message);
            self.report(flaw.code, span, message).help = Some(flaw.help.clone());
        }
    }

    /// Does nothing: a build without rules cannot check one, and running it is a fault.
    #[cfg(not(feature = "rule"))]
    #[expect(clippy::unused_self, reason = "the other form needs it")]
    fn check_rule(&mut self, _fields: &Fields<'_>, _rule: &Rule) {}

    /// Returns the span of a part of the text at `span`; the whole span if escapes shift the
    /// offsets.
    #[cfg(feature = "rule")]
    fn span_of_part(&self, span: Span, text: Option<&str>, at: &std::ops::Range<usize>) -> Span {
        let written = self.source.text.get(span.start..span.end).unwrap_or_default();
        match text.and_then(|text| written.find(text)) {
            Some(from) => Span::new(span.start + from + at.start, span.start + from + at.end),
            None => span,
        }
    }

    /// Reads a key that holds a text, or a table whose key `main` holds the text.
    fn read_text_or_table<'n>(
        &mut self,
        fields: &Fields<'n>,
        key: &'static str,
        main: &str,
    ) -> Option<(String, Option<&'n Node>)> {
        let node = fields.get(key)?;
        let table = node.as_object().is_some().then_some(node);
        let text = if table.is_some() { node.get(main) } else { Some(node) };
        let name = if table.is_some() { main } else { key };
        Some((self.read_required_text(fields, key, text, name)?, table))
    }

    /// Returns the text of a node, or reports that it is missing or empty.
    pub(super) fn read_required_text(
        &mut self,
        fields: &Fields<'_>,
        key: &'static str,
        node: Option<&Node>,
        name: &str,
    ) -> Option<String> {
        let text = node.and_then(Node::as_str).filter(|text| !text.trim().is_empty());
        if text.is_none() {
            let message = match node {
                Some(_) => format!("`{name}` is empty"),
                None => format!("`{key}` has no `{name}`"),
            };
            let span = node.map_or_else(|| fields.value_span(key), |node| node.span);
            self.report(Code::EmptyRun, span, message).help =
                Some(format!("write `{name} = \"...\"`, or remove the hook"));
        }
        text.map(str::to_owned)
    }
}

/// A number that [`super::values::is_count`] took.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a count"
)]
/// Converts a number that [`super::values::is_count`] accepted.
fn checked_count_to_u32(node: &Node) -> Option<u32> {
    node.as_f64().map(|number| number as u32)
}
