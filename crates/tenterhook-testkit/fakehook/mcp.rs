//! `--mcp TEXT`: an MCP server over standard streams whose tools say TEXT, or misbehave, each as its name says.
//!
//! Reads no JSON: of a request it needs the method, the id and the tool's name, which stand in it as plain text.
//!
//! `ask` asks its client two things, and repeats what the client responds; of two calls of `pair` it replies to the second first.

use std::io::BufRead;

use crate::{exit, fill, flood, line, put, shut};

/// The tools, as `tools/list` names them.
const TOOLS: &[&str] = &[
    "say", "echo", "methods", "pid", "two", "fail", "image", "nothing", "structured", "error", "refuse", "doubled",
    "hang", "crash", "garbage", "odd", "wrong-id", "huge", "big", "flood", "noise", "close", "ask", "pair",
    "batch", "text-id", "strange",
];

/// A message that answers nothing.
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;

/// Serves until its input ends.
pub(crate) fn serve(text: &str) {
    let mut methods: Vec<String> = Vec::new();
    // The id of the call of `ask` and the responses to it; the first call of `pair`.
    let (mut asking, mut first) = ((String::new(), Vec::new()), None);
    for request in std::io::stdin().lock().lines().map_while(Result::ok) {
        let method = field(&request, "\"method\":\"", '"').to_owned();
        let id = field(&request, "\"id\":", ',').trim_end_matches('}').to_owned();
        methods.push(method.clone());
        match method.as_str() {
            "initialize" => result(&id, r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"fakehook","version":"1"}}"#),
            "tools/list" => list(&id, text),
            "tools/call" => match field(&request, "\"name\":\"", '"') {
                "ask" => asking = (ask(&id), Vec::new()),
                "pair" => match first.take() {
                    None => first = Some((id, request)),
                    Some((other, earlier)) => {
                        result(&id, &texts(&[&request]));
                        result(&other, &texts(&[&earlier]));
                    }
                },
                _ => call(&request, &id, text, &methods),
            },
            "" => {
                asking.1.push(request);
                if let [one, two] = asking.1.as_slice() {
                    result(&asking.0, &texts(&[one, two]));
                }
            }
            _ => {}
        }
    }
}

/// Lists the tools, or misbehaves where TEXT says so.
fn list(id: &str, text: &str) {
    let tool = |name: &str, about: &str| {
        let about = quoted(about);
        format!(r#"{{"name":"{name}","description":{about},"inputSchema":{{"type":"object"}}}}"#)
    };
    let page = |tools: Vec<String>, next: &str| {
        result(id, &format!(r#"{{"tools":[{}]{next}}}"#, tools.join(",")));
    };
    match text {
        "list: endless" => {
            page(vec![tool(&format!("tool-{id}"), "")], r#","nextCursor":"more""#);
        }
        "list: many" => page((0..3000).map(|i| tool(&format!("tool-{i}"), "")).collect(), ""),
        "list: long" => page(vec![tool("short", ""), tool("long", &"x".repeat(3 << 20))], ""),
        "list: none" => error(id, -32601, "no such method"),
        "list: refused" => error(id, -32000, "not today"),
        "list: never" => {}
        _ => page(TOOLS.iter().map(|text| tool(text, "")).collect(), ""),
    }
}

fn call(request: &str, id: &str, text: &str, methods: &[String]) {
    match field(request, "\"name\":\"", '"') {
        "say" => result(id, &texts(&[text])),
        "echo" => result(id, &texts(&[request])),
        "methods" => result(id, &texts(&[&methods.join(" ")])),
        "two" => result(id, &texts(&["first", text])),
        "fail" => result(id, &texts(&[text]).replacen('{', r#"{"isError":true,"#, 1)),
        "image" => result(id, r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}"#),
        "pid" => result(id, &texts(&[&std::process::id().to_string()])),
        "nothing" => result(id, r#"{"content":[]}"#),
        "structured" => result(id, r#"{"structuredContent":{"a":1}}"#),
        "error" => error(id, -32000, text),
        "refuse" => error(id, -32602, "refused"),
        "doubled" => {
            let line = |text| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, texts(&[text]));
            put(1, format!("{}\n{}\n", line("{}"), line(text)).as_bytes());
        }
        "hang" => {}
        "crash" => {
            put(2, format!("starting up\n{text}\n").as_bytes());
            exit(3);
        }
        "garbage" => line(b"} this is no message {"),
        "odd" => result(id, r#""odd""#),
        "wrong-id" => result("4711", &texts(&[text])),
        "huge" => {
            fill(b'x', 5 << 20);
            line(b"");
        }
        "big" => result(id, &texts(&[&"x".repeat(2 << 20)])),
        "flood" => flood(1),
        "noise" => {
            line(b"INFO asked");
            line(br#"{"level":"info"}"#);
            result(id, &texts(&[text]));
        }
        "close" => shut(1),
        "batch" => line(format!(r#"[{NOTE},{{"jsonrpc":"2.0","id":{id},"result":{}}}]"#, texts(&[text])).as_bytes()),
        "text-id" => result(&quoted(id), &texts(&[text])),
        "strange" => {
            result("4711", &texts(&["other"]));
            error("null", -32700, "what?");
            line(NOTE.as_bytes());
            result(id, &texts(&[text]));
        }
        _ => error(id, -32602, "no such tool"),
    }
}

/// Asks the client two things in the course of a call.
fn ask(id: &str) -> String {
    for (number, method) in [("s-1", "ping"), ("s-2", "roots/list")] {
        line(format!(r#"{{"jsonrpc":"2.0","id":"{number}","method":"{method}"}}"#).as_bytes());
    }
    id.to_owned()
}

/// The text between `key` and `end`, without reading what is around it.
fn field<'a>(request: &'a str, key: &str, end: char) -> &'a str {
    let after = request.split_once(key).map_or("", |(_, after)| after);
    after.split(end).next().unwrap_or("")
}

fn result(id: &str, result: &str) {
    line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).as_bytes());
}

fn error(id: &str, code: i32, message: &str) {
    let message = quoted(message);
    line(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#).as_bytes());
}

fn texts(texts: &[&str]) -> String {
    let texts: Vec<String> =
        texts.iter().map(|text| format!(r#"{{"type":"text","text":{}}}"#, quoted(text))).collect();
    format!(r#"{{"content":[{}]}}"#, texts.join(","))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
