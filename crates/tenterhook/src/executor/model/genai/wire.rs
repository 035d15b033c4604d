//! Questions and replies in the values of the crate `genai`, there and back. Nothing is sent here.

use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponse, ChatResponseFormat, ContentPart,
    MessageContent, StopReason, Tool as GenaiTool, ToolCall as GenaiCall, ToolResponse,
};

use crate::executor::model::{
    Form, Message, Question, Reply, Stop, Tool, ToolCall, ToolResult, Usage,
};

pub(super) fn request(question: &Question) -> ChatRequest {
    let messages = question.messages.iter().map(message).collect();
    let mut request = ChatRequest::new(messages);
    if !question.system.is_empty() {
        request = request.with_system(question.system.clone());
    }
    if !question.tools.is_empty() {
        request = request.with_tools(question.tools.iter().map(tool).collect::<Vec<_>>());
    }
    request
}

pub(super) fn options(question: &Question) -> ChatOptions {
    let mut options = ChatOptions::default();
    if let Some(tokens) = question.max_tokens {
        options = options.with_max_tokens(tokens);
    }
    if question.form == Form::Json {
        options = options.with_response_format(ChatResponseFormat::JsonMode);
    }
    options
}

fn message(message: &Message) -> ChatMessage {
    match message {
        Message::User(text) => ChatMessage::user(text.clone()),
        Message::Model(reply) => said(reply),
        Message::Results(results) => {
            let results = results.iter().map(result).collect();
            ChatMessage::tool(MessageContent::from_tool_responses(results))
        }
    }
}

fn said(reply: &Reply) -> ChatMessage {
    let text = Some(&reply.text).filter(|it| !it.is_empty());
    let text = text.map(|it| ContentPart::Text(it.clone()));
    let calls = reply.calls.iter().map(|it| {
        let signatures = Some(it.signatures.clone()).filter(|it| !it.is_empty());
        ContentPart::ToolCall(GenaiCall {
            call_id: it.id.clone(),
            fn_name: it.name.clone(),
            fn_arguments: it.input.clone(),
            thought_signatures: signatures,
        })
    });
    let parts: Vec<_> = text.into_iter().chain(calls).collect();
    let message = ChatMessage::assistant(MessageContent::from_parts(parts));
    message.with_reasoning_content(reply.thoughts.clone())
}

fn result(result: &ToolResult) -> ToolResponse {
    ToolResponse::new(result.id.clone(), result.text.clone()).with_fn_name(result.name.clone())
}

fn tool(tool: &Tool) -> GenaiTool {
    GenaiTool::new(tool.name.clone())
        .with_description(tool.about.clone())
        .with_schema(tool.input.clone())
}

/// The reply; `None` where the service said nothing that is one: no words, no calls, and no reason for that. The crate is
/// generous there, and an answer that nobody gave may not be read as silence.
pub(super) fn reply(response: ChatResponse) -> Option<Reply> {
    let ended = response.stop_reason.is_some();
    let usage = Usage {
        input: tokens(response.usage.prompt_tokens),
        output: tokens(response.usage.completion_tokens),
    };
    let stop = match &response.stop_reason {
        None | Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => Stop::Done,
        Some(StopReason::ToolCall(_)) => Stop::Calls,
        Some(StopReason::MaxTokens(_)) => Stop::Length,
        Some(StopReason::ContentFilter(_)) => Stop::Refused,
        Some(StopReason::Other(words)) => Stop::Other(words.clone()),
    };
    let reply = Reply {
        text: response.texts().concat(),
        thoughts: response.reasoning_content.clone(),
        stop,
        usage,
        calls: response.into_tool_calls().into_iter().map(call).collect(),
    };
    (ended || !reply.text.is_empty() || !reply.calls.is_empty()).then_some(reply)
}

fn call(call: GenaiCall) -> ToolCall {
    ToolCall {
        id: call.call_id,
        name: call.fn_name,
        input: call.fn_arguments,
        signatures: call.thought_signatures.unwrap_or_default(),
    }
}

fn tokens(count: Option<i32>) -> u64 {
    count.and_then(|it| u64::try_from(it).ok()).unwrap_or(0)
}
