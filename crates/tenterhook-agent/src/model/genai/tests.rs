//! What needs no server: a conversation as services take it, and an answer as the crate hands it over.

use std::time::Duration;

use genai::chat::{ContentPart, MessageContent, StopReason, StreamEnd, ToolCall};
use serde_json::{Value, json};

use super::fault::{Again, Fault};
use super::{FIRST_WAIT, Genai, wire};
use crate::conversation::{Call, Echo, Message, Reply, ToolResult};
use crate::hooks::services::{ModelTier, Target, choose_target};
use crate::model::{Delta, Request, Stop};

fn target(model: &str) -> Target {
    let env = ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_API_KEY"];
    let env: Vec<_> =
        env.iter().map(|variable| ((*variable).to_owned(), "secret-key".to_owned())).collect();
    choose_target(&env, Some(model), ModelTier::Able).unwrap()
}

fn call(id: &str) -> Call {
    Call { id: id.into(), tool: "Read".into(), input: json!({"file_path": id}) }
}

fn reply(text: &str, ids: &[&str]) -> Reply {
    let calls = ids.iter().map(|id| call(id)).collect();
    Reply { text: text.into(), calls, ..Reply::default() }
}

fn result(id: &str) -> ToolResult {
    ToolResult {
        id: id.into(),
        text: format!("result of {id}"),
        is_error: false,
        ..ToolResult::default()
    }
}

/// Role and parts of every message that would be sent.
fn sent(messages: Vec<Message>, model: &str) -> Vec<(String, Value)> {
    let request = Request { messages, ..Request::default() };
    let sent = wire::chat_request(&request, &target(model)).messages;
    sent.iter()
        .map(|message| (message.role.to_string(), serde_json::to_value(&message.content).unwrap()))
        .collect()
}

fn roles(sent: &[(String, Value)]) -> Vec<&str> {
    sent.iter().map(|(role, _)| role.as_str()).collect()
}

/// Whatever a crash left out of a transcript, no service is handed a conversation that it does not take.
#[test]
fn no_message_is_empty_and_every_call_has_its_result() {
    let messages = vec![
        Message::from_user("", Vec::new()),
        Message::from_user("first", vec!["context".into(), " ".into()]),
        Message::from_user("second", Vec::new()),
        Message::Assistant(Reply::default()),
        Message::Assistant(reply("", &["a", "b"])),
        Message::Tools {
            results: vec![result("b"), result("orphan")],
            context: vec!["second".into()],
        },
        Message::from_user("third", Vec::new()),
        Message::Assistant(reply("hm", &["c"])),
        Message::from_user("fourth", Vec::new()),
        Message::Tools { results: vec![result("lost")], context: Vec::new() },
    ];
    let sent = sent(messages, "gpt-x");
    assert_eq!(roles(&sent), ["User", "Assistant", "Tool", "User", "Assistant", "Tool", "User"]);
    for words in ["first", "context", "second"] {
        assert!(sent[0].1.to_string().contains(words), "{}", sent[0].1);
    }
    let results = sent[2].1.to_string();
    assert!(
        results.contains("result of b") && results.contains("its result was lost"),
        "{results}"
    );
    assert!(!format!("{sent:?}").contains("orphan"));
    assert!(sent[3].1.to_string().contains("second") && sent[3].1.to_string().contains("third"));
    assert!(sent[5].1.to_string().contains("its result was lost"));
}

/// The signed thoughts of a service go back only to it; plain thoughts go to the one service that wants them.
#[test]
fn a_service_is_handed_its_own_words_alone() {
    let content = MessageContent::from_parts(vec![
        ContentPart::ThoughtSignature("signed".into()),
        ContentPart::ToolCall(ToolCall {
            call_id: "a".into(),
            fn_name: "Read".into(),
            fn_arguments: json!({}),
            thought_signatures: Some(vec!["signed".into()]),
        }),
    ]);
    let content = serde_json::to_value(content).unwrap();
    let echo = Some(Echo { from: "gemini::gemini-x".into(), content });
    let reply =
        Message::Assistant(Reply { echo, reasoning: "I think".into(), ..reply("", &["a"]) });
    for (model, signed, thought) in [
        ("gemini-x", true, false),
        ("gemini-y", false, false),
        ("claude-x", false, false),
        ("deepseek-x", false, true),
    ] {
        let parts = sent(vec![reply.clone()], model)[0].1.to_string();
        assert_eq!(parts.contains("signed"), signed, "{model}: {parts}");
        assert_eq!(parts.contains("I think"), thought, "{model}: {parts}");
    }
}

fn end(calls: &[(&str, Value)], stop: Option<&str>) -> StreamEnd {
    let calls = calls.iter().map(|(id, input)| ToolCall {
        call_id: (*id).into(),
        fn_name: "Read".into(),
        fn_arguments: input.clone(),
        thought_signatures: None,
    });
    StreamEnd {
        captured_content: Some(MessageContent::from_tool_calls(calls.collect())),
        captured_stop_reason: stop.map(|stop| StopReason::from(stop.to_owned())),
        ..StreamEnd::default()
    }
}

fn calls(deltas: Option<Vec<Delta>>) -> Vec<(String, Value)> {
    let call = |delta| match delta {
        Delta::Call(call) => Some((call.id, call.input)),
        _ => None,
    };
    deltas.unwrap().into_iter().filter_map(call).collect()
}

/// The name of a call is its own in the whole session, and can be part of a file's name.
#[test]
fn calls_get_names_of_their_own() {
    let messages = vec![Message::Assistant(reply("", &["call_0", "call-4"]))];
    let request = Request { messages, ..Request::default() };
    let reply = ["call_0", "toolu_1", "../../x", "", "toolu_1"].map(|id| (id, json!({})));
    let received = calls(wire::final_deltas(end(&reply, Some("stop")), &request, &target("gpt-x")));
    let ids: Vec<_> = received.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["call-3", "toolu_1", "call-5", "call-6", "call-7"]);
}

/// A tool without arguments may be called with nothing, unless it is nothing because the answer was cut.
#[test]
fn nothing_is_an_object_where_the_answer_is_whole() {
    let (request, target) = (Request::default(), target("gpt-x"));
    let reply = [("a", json!("")), ("b", Value::Null), ("c", json!("{\"x"))];
    let inputs = |why| {
        let received = calls(wire::final_deltas(end(&reply, Some(why)), &request, &target));
        received.into_iter().map(|(_, input)| input).collect::<Vec<_>>()
    };
    assert_eq!(inputs("tool_calls"), [json!({}), json!({}), json!("{\"x")]);
    assert_eq!(inputs("length"), [json!(""), Value::Null, json!("{\"x")]);
}

/// Some services of the crate make up an end where the connection broke off: it says not why.
#[test]
fn an_end_without_a_reason_is_none() {
    let (request, target) = (Request::default(), target("gemini-x"));
    assert_eq!(wire::final_deltas(end(&[], None), &request, &target), None);
    let deltas = wire::final_deltas(end(&[], Some("SAFETY")), &request, &target).unwrap();
    assert!(matches!(deltas.last(), Some(Delta::End(_, Stop::Refused(_)))), "{deltas:?}");
}

/// How long is waited grows, and never beyond what a person would wait.
#[test]
fn waits_are_bounded() {
    let model = Genai { target: target("gpt-x").into(), client: std::sync::Arc::default() };
    let fault = |again| Fault { again, ..Fault::incomplete_answer(&model.target) };
    let mut call = model.start_exchange(Request::default());
    let mut waits = Vec::new();
    for attempt in 1..=4 {
        call.attempts = attempt;
        waits.push(call.retry_delay(&fault(Again::Soon)));
    }
    let second = FIRST_WAIT;
    assert_eq!(waits, [Some(second), Some(second * 2), Some(second * 4), None]);
    call.attempts = 1;
    assert_eq!(call.retry_delay(&fault(Again::Never)), None);
    let wish = |secs| fault(Again::After(Duration::from_secs(secs)));
    assert_eq!(call.retry_delay(&wish(7)), Some(Duration::from_secs(7)));
    assert_eq!(call.retry_delay(&wish(3600)), None);
    call.spoke = true;
    assert_eq!(
        call.retry_delay(&fault(Again::Soon)),
        None,
        "a received text is not requested again"
    );
    assert!(!format!("{model:?}").contains("secret"));
}
