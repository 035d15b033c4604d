//! Requests and answers in the values of the crate `genai`, there and back. Sends nothing.

use std::collections::HashSet;
use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, MessageContent,
    StopReason, StreamEnd, Tool, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ModelSpec, ServiceTarget};
use serde_json::{Map, Value, json};

use super::relay;
use crate::conversation::{Call, Echo, Message, Reply, ToolResult};
use crate::hooks::services::{Protocol, Target};
use crate::model::{Delta, Request, Stop, ToolSpec, Usage};

/// How long a service may say nothing at all: some think for minutes.
const SILENCE: Duration = Duration::from_mins(5);

/// Returns the target of a request in the crate's form. It is complete: the crate looks up nothing
/// in the environment.
pub(super) fn model_spec(target: &Target) -> ModelSpec {
    let speaks = match target.speaks {
        Protocol::Anthropic => AdapterKind::Anthropic,
        Protocol::Gemini => AdapterKind::Gemini,
        Protocol::DeepSeek => AdapterKind::DeepSeek,
        Protocol::Ollama => AdapterKind::Ollama,
        // What a later table adds speaks what most services do.
        _ => AdapterKind::OpenAI,
    };
    // Servers of one's own want no key, and the crate has no way to send none.
    let key = target.key.as_deref().unwrap_or("none");
    ModelSpec::Target(ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{}{}", relay::HERE, split_address(target).1)),
        auth: AuthData::from_single(key),
        model: ModelIden::new(speaks, target.model.as_str()),
    })
}

/// Splits the address of a service after its host.
fn split_address(target: &Target) -> (&str, &str) {
    let address = target.address.as_str();
    let host = address.find("://").map_or(0, |at| at + 3);
    let rest = address.get(host..).unwrap_or_default();
    let path = rest.find('/').map_or(address.len(), |at| host + at);
    address.split_at(path)
}

/// Returns the request in the crate's form.
pub(super) fn chat_request(request: &Request, target: &Target) -> ChatRequest {
    let mut messages = chat_messages(&request.messages, target);
    // The one service that needs a mark of what it may cache: everything so far, which the next
    // request begins with.
    if let Some(last) = messages.last_mut().filter(|_| target.speaks == Protocol::Anthropic) {
        last.options = Some(CacheControl::Ephemeral.into());
    }
    let mut out = ChatRequest::new(messages);
    if !request.system.is_empty() {
        out = out.with_system(request.system.clone());
    }
    if !request.tools.is_empty() {
        out = out.with_tools(request.tools.iter().map(tool_to_wire).collect::<Vec<_>>());
    }
    out
}

/// Returns the options that say how the request is to be answered.
pub(super) fn chat_options(request: &Request, target: &Target, number: u64) -> ChatOptions {
    let headers = [
        (relay::NUMBER.to_owned(), number.to_string()),
        (relay::TO.to_owned(), split_address(target).0.to_owned()),
    ];
    ChatOptions::default()
        .with_extra_headers(headers.to_vec())
        .with_max_tokens(request.max_tokens)
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_reasoning_content(true)
        .with_capture_tool_calls(true)
        .with_stream_header_timeout(SILENCE)
        .with_stream_read_timeout(SILENCE)
}

fn tool_to_wire(spec: &ToolSpec) -> Tool {
    Tool::new(&*spec.name).with_description(&*spec.about).with_schema(spec.schema.clone())
}

/// Returns the conversation in the form that services accept: no message is empty, and every call
/// is followed by its result, even if a crash or an interrupt left it out.
fn chat_messages(history: &[Message], target: &Target) -> Vec<ChatMessage> {
    let mut out: Vec<ChatMessage> = Vec::new();
    for (at, message) in history.iter().enumerate() {
        match message {
            Message::User { text, context, .. } => {
                let all = std::iter::once(text).chain(context);
                all.for_each(|text| push_user_text(&mut out, text));
            }
            Message::Assistant(reply) => {
                let content = reply_content(reply, target);
                if content.is_empty() {
                    continue;
                }
                out.push(ChatMessage::assistant(content));
                if !reply.calls.is_empty() {
                    let results = match history.get(at + 1) {
                        Some(Message::Tools { results, .. }) => results.as_slice(),
                        _ => &[],
                    };
                    let all = reply.calls.iter().map(|call| tool_response(call, results)).collect();
                    out.push(ChatMessage::tool(MessageContent::from_tool_responses(all)));
                }
            }
            Message::Tools { context, .. } => {
                context.iter().for_each(|text| push_user_text(&mut out, text))
            }
        }
    }
    out
}

/// Adds a text of the user. It joins a preceding one, because some services require alternating
/// roles.
fn push_user_text(out: &mut Vec<ChatMessage>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    match out.last_mut().filter(|message| message.role == ChatRole::User) {
        Some(last) => last.content.push(ContentPart::Text(text.to_owned())),
        None => out.push(ChatMessage::user(text)),
    }
}

/// Returns the content of a reply of the model, in its service's own form where that is stored.
fn reply_content(reply: &Reply, target: &Target) -> MessageContent {
    let own = reply.echo.as_ref().filter(|e| e.from == target.name);
    let own = own.and_then(|echo| serde_json::from_value(echo.content.clone()).ok());
    let mut content: MessageContent = own.unwrap_or_else(|| {
        let text = Some(&reply.text).filter(|text| !text.trim().is_empty());
        let text = text.map(|text| ContentPart::Text(text.clone()));
        let calls = reply.calls.iter().map(|call| {
            ContentPart::ToolCall(ToolCall {
                call_id: call.id.clone(),
                fn_name: call.tool.clone(),
                fn_arguments: call.input.clone(),
                thought_signatures: None,
            })
        });
        // The one service that wants to read again what it thought, as plain text.
        let thinks = target.speaks == Protocol::DeepSeek && !reply.reasoning.is_empty();
        let thoughts = thinks.then(|| ContentPart::ReasoningContent(reply.reasoning.clone()));
        MessageContent::from_parts(
            text.into_iter().chain(thoughts).chain(calls).collect::<Vec<_>>(),
        )
    });
    for part in &mut content {
        if let ContentPart::ToolCall(call) = part {
            ensure_arguments_object(&mut call.fn_arguments);
        }
    }
    content
}

/// Wraps arguments that are not an object, because no service accepts them back.
fn ensure_arguments_object(arguments: &mut Value) {
    if !arguments.is_object() {
        *arguments = json!({"unreadable": arguments.take()});
    }
}

fn tool_response(call: &Call, results: &[ToolResult]) -> ToolResponse {
    let result = results.iter().find(|result| result.id == call.id);
    let text = match result {
        Some(result) if result.is_error => format!("Error: {}", result.text),
        Some(result) => result.text.clone(),
        None => "Error: its result was lost".to_owned(),
    };
    ToolResponse::new(call.id.clone(), text).with_fn_name(call.tool.clone())
}

/// Returns everything that the end of an answer contains; `None` if it gives no stop reason,
/// because then the answer was cut off.
pub(super) fn final_deltas(
    end: StreamEnd,
    request: &Request,
    target: &Target,
) -> Option<Vec<Delta>> {
    let stop = match end.captured_stop_reason? {
        StopReason::MaxTokens(_) => Stop::Length,
        StopReason::ContentFilter(word) => Stop::Refused(word),
        StopReason::Completed(_)
        | StopReason::StopSequence(_)
        | StopReason::ToolCall(_)
        | StopReason::Other(_) => Stop::Done,
    };
    let mut content = end.captured_content.unwrap_or_default();
    let mut deltas = Vec::new();
    let mut taken = call_ids(&request.messages);
    let mut must_echo = false;
    for part in &mut content {
        match part {
            ContentPart::ToolCall(call) => {
                must_echo |= call.thought_signatures.is_some();
                ensure_unique_call_id(call, &mut taken);
                if stop != Stop::Length {
                    fill_empty_arguments(&mut call.fn_arguments);
                }
                deltas.push(Delta::Call(Call {
                    id: call.call_id.clone(),
                    tool: call.fn_name.clone(),
                    input: call.fn_arguments.clone(),
                }));
            }
            ContentPart::ThoughtSignature(_) | ContentPart::Custom(_) => must_echo = true,
            _ => {}
        }
    }
    if must_echo && let Ok(content) = serde_json::to_value(&content) {
        deltas.push(Delta::Echo(Echo { from: target.name.clone(), content }));
    }
    let usage = end.captured_usage.unwrap_or_default();
    let usage = Usage {
        input: token_count(usage.prompt_tokens),
        output: token_count(usage.completion_tokens),
    };
    deltas.push(Delta::End(usage, stop));
    Some(deltas)
}

/// Replaces missing arguments with an empty object, because some services send none for a tool
/// without parameters.
fn fill_empty_arguments(arguments: &mut Value) {
    let nothing = match arguments {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    };
    if nothing {
        *arguments = Value::Object(Map::new());
    }
}

/// Returns the ids of all calls so far.
fn call_ids(history: &[Message]) -> HashSet<String> {
    let calls = history.iter().flat_map(|message| match message {
        Message::Assistant(reply) => reply.calls.as_slice(),
        Message::User { .. } | Message::Tools { .. } => &[],
    });
    calls.map(|call| call.id.clone()).collect()
}

/// Gives a call a new id if the service gave none, a repeated one, or one that no file name may
/// have.
fn ensure_unique_call_id(call: &mut ToolCall, taken: &mut HashSet<String>) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let fits = (1..=100).contains(&call.call_id.len()) && call.call_id.chars().all(plain);
    if !fits || taken.contains(&call.call_id) {
        call.call_id = format!("call-{}", taken.len() + 1);
        while taken.contains(&call.call_id) {
            call.call_id.push('-');
        }
    }
    taken.insert(call.call_id.clone());
}

fn token_count(count: Option<i32>) -> u64 {
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
}
