//! Questions to a scripted server that speaks the wire formats of the services.

use serde_json::{Value, json};
use tenterhook_testkit::server::{Manner, Reply as Scripted, Request, Server};

use super::super::{Form, Message, Stop, Tool, ToolCall, ToolResult, Usage};
use super::*;

const KEY: &str = "sk-test-0123456789";

fn model(server: &Server, service: &str) -> ModelClient {
    let (key, base, address) = match service {
        "openai" => ("OPENAI_API_KEY", "OPENAI_BASE_URL", format!("{}/v1", server.url())),
        "anthropic" => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", server.url()),
        "gemini" => ("GEMINI_API_KEY", "GEMINI_BASE_URL", server.url()),
        "deepseek" => ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", server.url()),
        _ => ("", "OLLAMA_HOST", server.address().to_string()),
    };
    let env = [(key.to_owned(), KEY.to_owned()), (base.to_owned(), address)];
    ModelClient::new(&env, Some(&format!("{service}::some-model")))
}

fn question() -> Question {
    Question {
        system: "Answer in JSON.".to_owned(),
        messages: vec![Message::User("Is it fine?".to_owned())],
        max_tokens: Some(77),
        form: Form::Json,
        ..Question::default()
    }
}

/// The same, after the model has called a tool once.
fn later() -> Question {
    let call = ToolCall {
        id: "c-1".into(),
        name: "read".into(),
        input: json!({"path": "a"}),
        signatures: Vec::new(),
    };
    let reply = Reply { text: "Let me see.".into(), calls: vec![call], ..Reply::default() };
    let result = ToolResult { id: "c-1".into(), name: "read".into(), text: "what a says".into() };
    let input = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool = Tool { name: "read".into(), about: "Reads.".into(), input };
    let mut question = question();
    question.form = Form::Text;
    question.tools.push(tool);
    question.messages.extend([Message::Model(reply), Message::Results(vec![result])]);
    question
}

async fn asked(service: &str, reply: &str, question: &Question) -> (Request, Value, Reply) {
    let server = Server::start(Scripted::json(reply)).unwrap();
    let reply = model(&server, service).ask(question).await.unwrap();
    let [request] = server.requests().try_into().expect("one request");
    let body = serde_json::from_str(&request.body).unwrap();
    (request, body, reply)
}

const OPENAI: &str = r#"{"id": "1", "model": "some-model", "choices": [{"index": 0, "finish_reason": "stop",
    "message": {"role": "assistant", "content": "{\"ok\": true}"}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}}"#;

/// MO-20: chat completions, which many servers support.
#[tokio::test]
async fn openai_is_spoken() {
    let (request, body, reply) = asked("openai", OPENAI, &question()).await;
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("some-model"), &json!(77)));
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "Answer in JSON."}));
    assert_eq!(body["messages"][1], json!({"role": "user", "content": "Is it fine?"}));
    assert_eq!((reply.text.as_str(), &reply.stop), (r#"{"ok": true}"#, &Stop::Done));
    assert_eq!(reply.usage, Usage { input: 5, output: 7 });
}

const OPENAI_CALLS: &str = r#"{"id": "1", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message":
    {"role": "assistant", "content": null, "tool_calls": [{"id": "c-9", "type": "function",
    "function": {"name": "read", "arguments": "{\"path\": \"b\"}"}}]}}]}"#;

/// MO-6: tools, calls and their results.
#[tokio::test]
async fn openai_calls_tools() {
    let (_, body, reply) = asked("openai", OPENAI_CALLS, &later()).await;
    assert_eq!(body["tools"][0]["function"]["name"], "read");
    assert_eq!(body.get("response_format"), None, "with tools the first replies are no objects");
    assert_eq!(body["messages"][2]["tool_calls"][0]["id"], "c-1");
    assert_eq!(body["messages"][3]["role"], "tool");
    assert_eq!(body["messages"][3]["content"], "what a says");
    let [call] = reply.calls.as_slice() else { panic!("{reply:?}") };
    assert_eq!((call.name.as_str(), &call.input), ("read", &json!({"path": "b"})));
    assert_eq!(reply.stop, Stop::Calls);
}

/// MO-20
#[tokio::test]
async fn anthropic_is_spoken() {
    let reply = r#"{"id": "1", "type": "message", "role": "assistant", "model": "some-model", "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "Hm."}, {"type": "tool_use", "id": "t-1", "name": "read", "input": {"path": "b"}}],
        "usage": {"input_tokens": 5, "output_tokens": 7}}"#;
    let (request, body, reply) = asked("anthropic", reply, &later()).await;
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.headers["x-api-key"], KEY);
    assert_eq!((&body["max_tokens"], &body["model"]), (&json!(77), &json!("some-model")));
    assert!(body["system"].to_string().contains("Answer in JSON."), "{body}");
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
    assert_eq!(body["messages"][1]["content"][1]["type"], "tool_use");
    assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], "c-1");
    assert_eq!((reply.text.as_str(), reply.calls.len(), &reply.stop), ("Hm.", 1, &Stop::Calls));
    assert_eq!(reply.usage, Usage { input: 5, output: 7 });
}

/// MO-20
#[tokio::test]
async fn gemini_is_spoken() {
    let reply = r#"{"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": "{}"}]}}],
        "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7, "totalTokenCount": 12}, "modelVersion": "m"}"#;
    let (request, body, reply) = asked("gemini", reply, &later()).await;
    assert_eq!(request.path, "/v1beta/models/some-model:generateContent");
    assert_eq!(request.headers["x-goog-api-key"], KEY);
    assert_eq!(body["generationConfig"]["maxOutputTokens"], 77);
    assert!(body["systemInstruction"].to_string().contains("Answer in JSON."), "{body}");
    assert!(body["tools"].to_string().contains("functionDeclarations"), "{body}");
    assert!(body["contents"].to_string().contains("functionResponse"), "{body}");
    assert_eq!((reply.text.as_str(), reply.usage), ("{}", Usage { input: 5, output: 7 }));
}

/// MO-20
#[tokio::test]
async fn deepseek_and_ollama_are_spoken() {
    let (request, body, said) = asked("deepseek", OPENAI, &question()).await;
    assert_eq!((request.path.as_str(), &body["max_tokens"]), ("/v1/chat/completions", &json!(77)));
    assert_eq!(said.text, r#"{"ok": true}"#);
    let reply = r#"{"model": "some-model", "message": {"role": "assistant", "content": "{}"}, "done": true,
        "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 7}"#;
    let (request, body, said) = asked("ollama", reply, &question()).await;
    assert_eq!((request.path.as_str(), &body["format"]), ("/api/chat", &json!("json")));
    assert_eq!((&body["options"]["num_predict"], &body["stream"]), (&json!(77), &json!(false)));
    assert_eq!((said.text.as_str(), said.usage), ("{}", Usage { input: 5, output: 7 }));
}

/// MO-6: data that a service needs back with a call is sent back; a call without an id gets one of
/// ours, which is not sent.
#[tokio::test]
async fn gemini_calls_tools() {
    let reply = r#"{"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
        {"text": "Hm.", "thought": true},
        {"functionCall": {"name": "read", "args": {"path": "b"}}, "thoughtSignature": "sig"}]}}]}"#;
    let (_, body, said) = asked("gemini", reply, &later()).await;
    assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "read");
    assert_eq!((said.text.as_str(), said.thoughts.as_deref()), ("", Some("Hm.")));
    assert_eq!((&said.stop, said.calls.len()), (&Stop::Calls, 1));
    let mut again = later();
    let call = &said.calls[0];
    let brought =
        ToolResult { id: call.id.clone(), name: call.name.clone(), text: "what b says".into() };
    again.messages.extend([Message::Model(said.clone()), Message::Results(vec![brought])]);
    let (_, body, _) = asked("gemini", reply, &again).await;
    let function = json!({"name": "read", "args": {"path": "b"}});
    let expected = json!({"functionCall": function, "thoughtSignature": "sig"});
    assert_eq!(body["contents"][3]["parts"][0], expected);
    let response = json!({"name": "read", "response": {"name": "read", "content": "what b says"}});
    assert_eq!(body["contents"][4]["parts"][0]["functionResponse"], response);
}

/// MO-6, MO-9: Ollama's stop reason is always `stop`.
#[tokio::test]
async fn ollama_calls_tools() {
    let reply = r#"{"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read",
        "arguments": {"path": "b"}}}]}, "done": true, "done_reason": "stop"}"#;
    let (_, body, reply) = asked("ollama", reply, &later()).await;
    assert_eq!(
        body["messages"][3],
        json!({"role": "tool", "content": "what a says", "tool_name": "read"})
    );
    assert_eq!((&reply.stop, &reply.calls[0].input), (&Stop::Calls, &json!({"path": "b"})));
}

/// MO-9: a question that a service rejects has a refused reply.
#[tokio::test]
async fn gemini_blocks_a_question() {
    let reply = r#"{"promptFeedback": {"blockReason": "SAFETY"}}"#;
    assert_eq!(asked("gemini", reply, &question()).await.2.stop, Stop::Refused);
}

/// MO-20: newer models of OpenAI reject the older name of the limit.
#[tokio::test]
async fn the_limit_of_tokens_has_the_name_that_the_model_takes() {
    let server = Server::start(Scripted::json(OPENAI)).unwrap();
    let asked = Question { model: Some("openai::gpt-5.4-mini".to_owned()), ..question() };
    model(&server, "openai").ask(&asked).await.unwrap();
    let body: Value = serde_json::from_str(&server.requests()[0].body).unwrap();
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(77)));
}

/// MO-9: a reply that was cut or refused has its reason.
#[tokio::test]
async fn reason_that_a_reply_ended_is_reported() {
    for (word, stop) in [("length", Stop::Length), ("content_filter", Stop::Refused)] {
        let reply = OPENAI.replace("\"stop\"", &format!("\"{word}\""));
        assert_eq!(asked("openai", &reply, &question()).await.2.stop, stop);
    }
}

/// MO-24, MO-4: each failure has its code, and each question is sent once.
#[tokio::test]
async fn every_way_to_fail_has_its_code() {
    let status = |code: u16| Scripted {
        body: format!(r#"{{"error": {{"message": "said the server to {KEY}"}}}}"#),
        ..Scripted::status(code).header("content-type", "application/json")
    };
    let html = Scripted { body: "<html>".into(), ..Scripted::status(200) };
    for (reply, code, said) in [
        (status(401), "model-auth", "status 401: said the server to [key]; check the key"),
        (status(403), "model-auth", "status 403"),
        (status(429), "model-rate-limit", "status 429"),
        (status(529), "model-overloaded", "status 529"),
        (status(503), "model-overloaded", "status 503"),
        (status(500), "model-failed", "status 500"),
        (status(400), "model-failed", "status 400: said the server"),
        (status(302).header("location", "http://127.0.0.1:9/"), "model-failed", "status 302"),
        (html.header("content-type", "text/html"), "model-failed", "`text/html`"),
        (Scripted::json("{\"choices\": "), "model-failed", "broken JSON"),
        (Scripted::json("{}"), "model-failed", "holds no answer"),
        (Scripted::json(OPENAI).manner(Manner::Torn), "model-network", "did not answer"),
        (Scripted::default().manner(Manner::Closed), "model-network", "did not answer"),
        (Scripted::default().manner(Manner::Reset), "model-network", "did not answer"),
    ] {
        let shown = format!("{reply:?}");
        let server = Server::start(reply).unwrap();
        let fault = model(&server, "openai").ask(&question()).await.unwrap_err();
        assert_eq!(fault.kind.code().name(), code, "{shown}: {fault}");
        assert!(fault.to_string().contains(said), "{fault}");
        assert!(!fault.to_string().contains(KEY), "{fault}");
        assert!(fault.to_string().contains(fault.kind.remedy()), "{fault}");
        assert_eq!(server.requests().len(), 1, "{shown}");
    }
    let gone = Server::start(Scripted::default()).unwrap();
    let model = model(&gone, "openai");
    drop(gone);
    let fault = model.ask(&question()).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Network, "{fault}");
}

/// MO-23
#[tokio::test]
async fn no_key_is_ever_shown() {
    let server = Server::start(Scripted::json(OPENAI)).unwrap();
    let model = model(&server, "openai");
    let shown = format!("{model:?}");
    assert!(shown.contains("OPENAI_API_KEY") && !shown.contains(KEY), "{shown}");
    let env = [
        ("PASSWORD".to_owned(), "hunter2".to_owned()),
        (MODEL.to_owned(), " openai::m ".to_owned()),
    ];
    let shown = format!("{:?}", ModelClient::new(&env, None));
    assert_eq!(shown, r#"ModelClient { env: ["TENTERHOOK_MODEL"], model: Some("openai::m"), .. }"#);
}

/// R-13: a question ends when its caller no longer waits.
#[tokio::test]
async fn a_question_can_be_given_up() {
    let server = Server::start(Scripted::default().manner(Manner::Mute)).unwrap();
    let model = model(&server, "openai");
    let question = question();
    {
        let mut asking = model.ask(&question);
        tokio::select! {
            said = &mut asking => panic!("{said:?}"),
            () = async { while !server.requests().len().eq(&1) { tokio::task::yield_now().await; } } => {}
        }
    }
    assert_eq!(server.requests().len(), 1);
}
