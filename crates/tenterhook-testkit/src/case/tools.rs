//! What does a scripted MCP server do? Draws it as a POSIX shell script that answers a line with a line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::quote::quote;

/// A tool that says what the case says; one that says nothing never answers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tool {
    /// In a `when`: the text that the request must contain.
    pub contains: String,
    /// The texts of its reply.
    pub text: Vec<String>,
    /// Whether it says that it failed.
    pub is_error: bool,
    /// The whole result instead, as JSON.
    pub result: Option<Value>,
    /// The message of an error instead of a result.
    pub error: Option<String>,
    /// A line instead of a message, as it stands.
    pub line: Option<String>,
    /// The server's exit code: it ends instead of answering.
    pub exit: Option<u8>,
    /// On standard error, before all else.
    pub stderr: String,
    /// What it does instead where the request contains a text; the first that applies.
    pub when: Vec<Tool>,
}

/// Shell that takes the id out of each request; what follows answers `$id`.
const EACH: &str = r#"while IFS= read -r line; do
rest=${line#*'"id":'}
id=${rest%%[,\}]*}
case $line in
"#;

const METHODS: &str = r#"*'"method":"initialize"'*) reply "$base.hello" ;;
*'"method":"tools/list"'*) reply "$base.tools" ;;
*'"method":"tools/call"'*)
echo ran >>"$base.ran"
printf '%s\n' "$line" >"$base.stdin"
case $line in
"#;

const REPLY: &str = r#"reply() {
printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"
cat "$1"
printf '}\n'
}
refuse() {
printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":' "$id" "$1"
cat "$2"
printf '}}\n'
}
"#;

/// A server of one file, which answers every call of a tool with `text`.
#[must_use]
pub fn server_that_says(text: &str) -> String {
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "scripted", "version": "1"},
    });
    let json = json!({"content": [{"type": "text", "text": text}]});
    let replies =
        [("initialize", hello), ("tools/list", json!({"tools": []})), ("tools/call", json)];
    let mut out = format!("#!/bin/sh\n{EACH}");
    for (method, result) in replies {
        let result = quote(&result.to_string());
        let _ = writeln!(out, "*'\"method\":\"{method}\"'*) result={result} ;;");
    }
    out.push_str("*) continue ;;\nesac\nprintf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$result\"\ndone\n");
    out
}

/// Writes the server `name` into `directory`.
pub(super) fn write(
    tools: &BTreeMap<String, Tool>,
    name: &str,
    directory: &Path,
) -> io::Result<()> {
    let base = directory.join(name);
    let put = |end: &str, value: &Value| {
        std::fs::write(directory.join(format!("{name}.{end}")), value.to_string())
    };
    put(
        "hello",
        &json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": name, "version": "1"},
        }),
    )?;
    let listed = tools.keys().map(|key| json!({"name": key, "inputSchema": {"type": "object"}}));
    put("tools", &json!({ "tools": listed.collect::<Vec<_>>() }))?;
    put("unknown", &json!("there is no such tool"))?;
    let mut text =
        format!("#!/bin/sh\nbase={}\n{REPLY}{EACH}{METHODS}", quote(&base.to_string_lossy()));
    for (tool, says) in tools {
        let pattern = quote(&format!("\"name\":\"{tool}\""));
        let _ =
            writeln!(text, "*{pattern}*)\n{};;", draw(says, &format!("{name}.{tool}"), directory)?);
    }
    text.push_str("*) refuse -32602 \"$base.unknown\" ;;\nesac ;;\nesac\ndone\n");
    std::fs::write(base, text)
}

/// What a tool does, as shell.
fn draw(says: &Tool, name: &str, directory: &Path) -> io::Result<String> {
    let mut text = String::new();
    for (at, when) in says.when.iter().enumerate() {
        let part = draw(when, &format!("{name}.{at}"), directory)?;
        let pattern = quote(&when.contains);
        let _ = writeln!(text, "case $line in *{pattern}*)\n{part}continue ;; esac");
    }
    let file = directory.join(format!("{name}.reply"));
    let quoted = quote(&file.to_string_lossy());
    if !says.stderr.is_empty() {
        let _ = writeln!(text, "printf '%s\\n' {} >&2", quote(&says.stderr));
    }
    let contents: Vec<Value> =
        says.text.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let result = says.result.clone().or_else(|| {
        let said = !contents.is_empty() || says.is_error;
        said.then(|| json!({"content": contents, "isError": says.is_error}))
    });
    if let Some(code) = says.exit {
        let _ = writeln!(text, "exit {code}");
    } else if let Some(line) = &says.line {
        let _ = writeln!(text, "printf '%s\\n' {}", quote(line));
    } else if let Some(error) = &says.error {
        std::fs::write(&file, json!(error).to_string())?;
        let _ = writeln!(text, "refuse -32000 {quoted}");
    } else if let Some(result) = result {
        std::fs::write(&file, result.to_string())?;
        let _ = writeln!(text, "reply {quoted}");
    }
    Ok(text)
}
