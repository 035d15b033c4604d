//! Reads the fields of a handler that is no command: a request, a prompt, or a call of an MCP tool
//! (C-24).

use crate::diagnostic::Code;
use crate::dialect::claude::config::{Off, Reading, finding_without_location};
use crate::dialect::claude::lint;
pub(crate) use crate::dialect::findings::misspelt_placeholder_finding;
use crate::dialect::kit::field::{Case, strings_of_array};
use crate::dialect::requests;
use crate::hook::{Http, McpTool, Prompt};
use crate::syntax::Node;

impl Reading<'_> {
    pub(super) fn read_http(&mut self, node: &Node) -> Result<Http, Off> {
        let url = self.read_required_text(node, "url")?;
        let http = Http {
            url: self.placeholders.replace_in_word(&url),
            headers: self.read_headers(node),
            variables: self.read_allowed_variables(node),
            secret: None,
            interpolation: self.source.dialect.dialect().interpolation(),
        };
        let span = node.entry("url").map_or(node.span, |entry| entry.node.span);
        let headers = node.entry("headers").map(|entry| entry.node.entries()).unwrap_or_default();
        for (span, found) in requests::check_http_request(&http, span, headers, "allowedEnvVars") {
            self.report_finding(span, found);
        }
        Ok(http)
    }

    pub(super) fn read_prompt(&mut self, node: &Node, turns: Option<u32>) -> Result<Prompt, Off> {
        let text = self.read_required_text(node, "prompt")?;
        if let (Some(found), Some(entry)) =
            (misspelt_placeholder_finding(&text), node.entry("prompt"))
        {
            self.report_finding(entry.node.span, found);
        }
        Ok(Prompt {
            model: self.read_text(node, "model"),
            // A denial of an `agent` hook never ends the turn.
            goes_on: turns.is_some() || self.read_flag(node, "continueOnBlock"),
            turns,
            ..Prompt::new(text)
        })
    }

    pub(super) fn read_mcp_tool(&mut self, node: &Node) -> Result<McpTool, Off> {
        let (server, tool) =
            (self.read_required_text(node, "server")?, self.read_required_text(node, "tool")?);
        let entry = Case::Counts.non_null_entry_of_key(node, "input");
        let input = match entry.map(|entry| entry.node.to_json()) {
            None => serde_json::Map::new(),
            Some(serde_json::Value::Object(input)) => input,
            Some(_) => {
                let message = "`input` takes an object";
                self.report_finding(
                    node.span,
                    finding_without_location(Code::WrongFieldType, message).label(lint::NEVER),
                );
                return Err(Off::new("its `input` is not an object", "C-24"));
            }
        };
        Ok(McpTool { server, tool, input })
    }

    /// Reads a required text. The check of the fields reports a missing one.
    fn read_required_text(&mut self, node: &Node, key: &str) -> Result<String, Off> {
        let missing = || Off::new(format!("it has no `{key}`"), "C-24");
        let entry = Case::Counts.non_null_entry_of_key(node, key).ok_or_else(missing)?;
        let Some(text) = entry.node.as_str().filter(|text| !text.trim().is_empty()) else {
            let found = match entry.node.as_str() {
                Some(_) => "an empty one",
                None => entry.node.kind_with_article(),
            };
            let message = format!("`{key}` takes a string, found {found}");
            self.report_finding(
                entry.node.span,
                finding_without_location(Code::WrongFieldType, message).label(lint::NEVER),
            );
            return Err(Off::new(format!("its `{key}` is not a string"), "C-24"));
        };
        Ok(text.to_owned())
    }

    fn read_headers(&mut self, node: &Node) -> Vec<(String, String)> {
        let Some(entry) = Case::Counts.non_null_entry_of_key(node, "headers") else {
            return Vec::new();
        };
        let mut headers = Vec::new();
        for header in entry.node.entries() {
            match header.node.as_str() {
                Some(value) => headers.push((header.key.clone(), value.to_owned())),
                None => {
                    let message = format!("the header `{}` takes a string", header.key);
                    self.report_finding(
                        header.node.span,
                        finding_without_location(Code::WrongFieldType, message),
                    );
                }
            }
        }
        if entry.node.as_object().is_none() {
            let message =
                format!("`headers` takes an object, found {}", entry.node.kind_with_article());
            self.report_finding(
                entry.node.span,
                finding_without_location(Code::WrongFieldType, message),
            );
        }
        headers
    }

    fn read_allowed_variables(&mut self, node: &Node) -> Vec<String> {
        let Some(entry) = Case::Counts.non_null_entry_of_key(node, "allowedEnvVars") else {
            return Vec::new();
        };
        if let Some(names) = strings_of_array(&entry.node) {
            return names;
        }
        let message = "`allowedEnvVars` takes an array of strings";
        let found = finding_without_location(Code::WrongFieldType, message);
        self.report_finding(entry.node.span, found.help("write `\"allowedEnvVars\": [\"NAME\"]`"));
        Vec::new()
    }
}
