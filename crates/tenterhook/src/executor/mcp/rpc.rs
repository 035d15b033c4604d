//! Parses and builds the messages of JSON-RPC 2.0 that the Model Context Protocol uses. Pure; routes nothing.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use tenterhook_core::strict::{Whole, read_whole_object};

/// Error codes of JSON-RPC and the protocol.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const RESOURCE_NOT_FOUND: i64 = -32002;

/// The fields that decide what a message is. A message with one of them twice is ambiguous.
const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "result", "error"];

/// The fields of a tool's result. A result with one of them twice is ambiguous.
const ANSWER: &[&str] = &["result.content", "result.structuredContent", "result.isError"];

/// A message that a server sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// The response to a request of ours.
    Reply(Reply),
    /// A request of the server, with the id of its response.
    Request { id: Value, method: String },
    /// A message without a response.
    Notification,
}

/// The response to a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply {
    /// The id of the request; `None` if it is missing or cannot be one of ours.
    pub(super) id: Option<u64>,
    pub(super) outcome: Outcome,
}

/// The result of a request.
pub(super) type Outcome = Result<Value, RpcError>;

/// The error object of a response, as the server wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError(pub(super) Value);

impl RpcError {
    /// Returns the code of the error; 0 if it has none.
    pub(super) fn code(&self) -> i64 {
        self.0.get("code").and_then(Value::as_i64).unwrap_or_default()
    }

    /// Returns the message of the error; empty if it has none.
    pub(super) fn message(&self) -> &str {
        self.0.get("message").or(Some(&self.0)).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Parses a text that holds one message, several in a row or arrays of them. Skips values that are no messages; a text that
/// is not JSON has none.
pub(super) fn parse_messages(text: &[u8]) -> Vec<Message> {
    let values = serde_json::Deserializer::from_slice(text).into_iter::<Box<RawValue>>();
    let Ok(values) = values.collect::<Result<Vec<_>, _>>() else { return Vec::new() };
    let batch = |value: &RawValue| serde_json::from_str::<Vec<Box<RawValue>>>(value.get()).ok();
    values
        .into_iter()
        .flat_map(|value| batch(&value).unwrap_or_else(|| vec![value]))
        .filter_map(|value| parse_message(value.get()))
        .collect()
}

fn parse_message(text: &str) -> Option<Message> {
    let Whole { mut fields, twice } = read_whole_object(text.as_bytes()).ok()?;
    let stands_twice = |names: &[&str]| twice.iter().any(|path| names.contains(&path.as_str()));
    if fields.get("jsonrpc")? != "2.0" || stands_twice(ENVELOPE) {
        return None;
    }
    let id = fields.remove("id").filter(|id| !id.is_null());
    if let Some(method) = fields.remove("method") {
        let method = method.as_str()?.to_owned();
        return Some(id.map_or(Message::Notification, |id| Message::Request { id, method }));
    }
    let error = fields.remove("error").filter(|error| !error.is_null());
    let outcome = match (error, fields.remove("result")) {
        (Some(error), _) => Err(RpcError(error)),
        // A response with two results has no valid result.
        (None, Some(_)) if stands_twice(ANSWER) => Ok(Value::Null),
        (None, Some(result)) => Ok(result),
        (None, None) => return None,
    };
    Some(Message::Reply(Reply { id: id.as_ref().and_then(parse_request_id), outcome }))
}

/// Reads the id of a request of ours, which servers write as `1`, `1.0` or `"1"`.
fn parse_request_id(id: &Value) -> Option<u64> {
    let whole = |id: f64| (id.fract() == 0.0 && (0.0..1e15).contains(&id)).then_some(id as u64);
    match id {
        Value::Number(id) => id.as_u64().or_else(|| id.as_f64().and_then(whole)),
        Value::String(id) => id.parse().ok(),
        _ => None,
    }
}

/// Builds a request. The token allows the server to report progress, which keeps proxies from closing the connection.
pub(super) fn build_request(id: u64, method: &str, mut params: Map<String, Value>) -> Value {
    if method != "initialize" {
        params.insert("_meta".to_owned(), json!({ "progressToken": id }));
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Builds a notification.
pub(super) fn build_notification(method: &str, params: Option<Value>) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if let (Some(params), Some(fields)) = (params, message.as_object_mut()) {
        fields.insert("params".to_owned(), params);
    }
    message
}

/// Builds the response to a request of the server: a client without capabilities answers `ping` alone.
pub(super) fn build_response(id: &Value, method: &str) -> Value {
    match method {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => json!({
            "jsonrpc": "2.0", "id": id, "error": {"code": METHOD_NOT_FOUND, "message": method}
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: Option<u64>, outcome: Outcome) -> Message {
        Message::Reply(Reply { id, outcome })
    }

    /// MC-17, MC-22.
    #[test]
    fn text_with_replies_in_any_form_is_read() {
        let one = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let is_one = || reply(Some(1), Ok(json!({})));
        for (text, messages) in [
            (one.to_owned(), vec![is_one()]),
            (one.replace(":1,", ":\"1\","), vec![is_one()]),
            (one.replace(":1,", ":1.0,"), vec![is_one()]),
            (one.replace(":1,", ":1,\"error\":null,"), vec![is_one()]),
            (format!("{one}\n{one}"), vec![is_one(), is_one()]),
            (format!("[{one},7,{one}]"), vec![is_one(), is_one()]),
            ("[]".to_owned(), vec![]),
            (one.replace(":1,", ":\"a\","), vec![reply(None, Ok(json!({})))]),
            (one.replace(":1,", ":-1,"), vec![reply(None, Ok(json!({})))]),
            (one.replace(":1,", ":1.5,"), vec![reply(None, Ok(json!({})))]),
            (one.replace("2.0", "1.0"), vec![]),
            (one.replace("\"jsonrpc\":\"2.0\",", ""), vec![]),
            (format!("{one} and more"), vec![]),
            (one.replace("result", "nothing"), vec![]),
            ("INFO".to_owned(), vec![]),
        ] {
            assert_eq!(parse_messages(text.as_bytes()), messages, "{text}");
        }
    }

    /// MC-7, MC-22.
    #[test]
    fn error_without_message_or_id_is_an_error() {
        for (text, id, code, message) in [
            (r#""id":1,"error":{"code":-32000,"message":"no"}"#, Some(1), -32000, "no"),
            (r#""id":1,"error":{"code":-32000}"#, Some(1), -32000, ""),
            (r#""id":1,"error":"no""#, Some(1), 0, "no"),
            (r#""id":null,"error":{"message":"no"}"#, None, 0, "no"),
            (r#""error":7"#, None, 0, ""),
            (r#""id":1,"error":{},"result":{}"#, Some(1), 0, ""),
        ] {
            let messages = parse_messages(format!(r#"{{"jsonrpc":"2.0",{text}}}"#).as_bytes());
            let [Message::Reply(Reply { id: found, outcome: Err(error) })] = messages.as_slice()
            else {
                panic!("{text}: {messages:?}");
            };
            assert_eq!((*found, error.code(), error.message()), (id, code, message), "{text}");
        }
    }

    /// MC-22.
    #[test]
    fn message_whose_answer_stands_twice_has_none() {
        let content = r#""content":[]"#;
        for (text, messages) in [
            (r#""id":1,"id":2,"result":{}"#.to_owned(), vec![]),
            (r#""id":1,"result":{},"result":{}"#.to_owned(), vec![]),
            (
                format!(r#""id":1,"result":{{{content},{content}}}"#),
                vec![reply(Some(1), Ok(Value::Null))],
            ),
            (
                r#""id":1,"result":{"structuredContent":{"a":1,"a":2}}"#.to_owned(),
                vec![reply(Some(1), Ok(json!({"structuredContent": {"a": 2}})))],
            ),
        ] {
            assert_eq!(
                parse_messages(format!(r#"{{"jsonrpc":"2.0",{text}}}"#).as_bytes()),
                messages
            );
        }
    }

    /// MC-20.
    #[test]
    fn request_of_a_server_is_refused_unless_it_is_a_ping() {
        for (method, answer) in [
            ("ping", json!({"result": {}})),
            ("roots/list", json!({"error": {"code": -32601, "message": "roots/list"}})),
            ("sampling/createMessage", json!({"error": {"code": -32601}})),
            ("elicitation/create", json!({"error": {"code": -32601}})),
        ] {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":"s-1","method":"{method}","params":{{}}}}"#);
            let messages = parse_messages(text.as_bytes());
            let [Message::Request { id, method }] = messages.as_slice() else {
                panic!("{messages:?}");
            };
            let json = build_response(id, method);
            assert_eq!(json["id"], "s-1");
            assert_eq!(json["result"], answer["result"]);
            assert_eq!(json["error"]["code"], answer["error"]["code"]);
        }
        assert_eq!(
            parse_messages(br#"{"jsonrpc":"2.0","method":"notifications/message"}"#),
            [Message::Notification]
        );
    }
}
