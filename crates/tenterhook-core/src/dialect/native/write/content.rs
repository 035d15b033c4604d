//! How a native file says what runs that is no command. Decides nothing.

use serde_json::Value as Json;
use toml_edit::{InlineTable, Item, Table, Value};

use super::{Writer, string_array};
use crate::hook::{Hook, Http, McpTool, Prompt};

impl Writer {
    pub(super) fn write_http(&mut self, hook: &Hook, http: &Http, table: &mut Table) -> Option<()> {
        let mut inner = InlineTable::new();
        inner.insert("url", http.url.as_str().into());
        if !http.headers.is_empty() {
            let mut headers = InlineTable::new();
            for (name, value) in &http.headers {
                headers.insert(name, value.as_str().into());
            }
            if headers.len() < http.headers.len() {
                self.report_partly_carried_over(
                    hook,
                    "a header is given twice; the last one is written",
                );
            }
            inner.insert("headers", headers.into());
        }
        if let Some(secret) = &http.secret {
            inner.insert("secret", secret.as_str().into());
        }
        let value = if inner.len() == 1 { http.url.as_str().into() } else { Value::from(inner) };
        table.insert("http", Item::Value(value));
        if !http.variables.is_empty() {
            table.insert("pass", Item::Value(string_array(&http.variables)));
        }
        Some(())
    }

    pub(super) fn write_mcp_tool(
        &mut self,
        hook: &Hook,
        call: &McpTool,
        table: &mut Table,
    ) -> Option<()> {
        let mut inner = InlineTable::new();
        inner.insert("server", call.server.as_str().into());
        inner.insert("tool", call.tool.as_str().into());
        if !call.input.is_empty() {
            let Some(input) = json_to_toml(&Json::Object(call.input.clone())) else {
                self.report_not_carried_over(
                    hook,
                    "TOML has no word for the `null` in its `input`",
                );
                return None;
            };
            inner.insert("input", input);
        }
        table.insert("mcp", Item::Value(inner.into()));
        Some(())
    }
}

/// Returns the key and the table of a question to a model.
pub(super) fn prompt_table(prompt: &Prompt) -> (&'static str, InlineTable) {
    let mut inner = InlineTable::new();
    inner.insert("text", prompt.text.as_str().into());
    if let Some(model) = &prompt.model {
        inner.insert("model", model.as_str().into());
    }
    if let Some(tokens) = prompt.max_tokens {
        inner.insert("tokens", i64::from(tokens).into());
    }
    if prompt.may_allow {
        inner.insert("allow", true.into());
    }
    if prompt.goes_on {
        inner.insert("goes_on", true.into());
    }
    let Some(turns) = prompt.turns else { return ("prompt", inner) };
    inner.insert("turns", i64::from(turns).into());
    ("agent", inner)
}

/// Converts a JSON value to TOML; returns `None` for `null`, which TOML lacks.
fn json_to_toml(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64()?.into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => {
            let items = items.iter().map(json_to_toml).collect::<Option<toml_edit::Array>>()?;
            items.into()
        }
        Json::Object(fields) => {
            let mut table = InlineTable::new();
            for (key, value) in fields {
                table.insert(key, json_to_toml(value)?);
            }
            table.into()
        }
    })
}
