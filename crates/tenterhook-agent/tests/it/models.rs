//! Models of services, over HTTP: the requests, the answers, and every way to fail.

mod wire;

use serde_json::{Value, json};
use tenterhook_testkit::server::{Manner, Reply, Server};

use crate::fixture::{Fixture, Run};
use wire::{ANTHROPIC, BOTH, KEY, OPENAI, OTHERS, Other, events};

/// Every hook that sees what goes to the model and what comes back.
const SEE: &str = r#"
[hook.see]
on = ["PreModelCall", "PostModelCall", "StopFailure", "HostError"]
shell = "cat >> events.jsonl; echo >> events.jsonl"
"#;

/// One after the other.
fn in_order(replies: &[Reply]) -> Server {
    Server::start(Reply { then: replies.to_vec(), ..Reply::default() }).unwrap()
}

/// The bodies of all requests.
fn bodies(server: &Server) -> Vec<Value> {
    server.requests().iter().map(|request| serde_json::from_str(&request.body).unwrap()).collect()
}

/// What the hooks of this event were handed.
fn handed(fixture: &Fixture, event: &str) -> Vec<Value> {
    let text = fixture.text("events.jsonl");
    let lines = text.lines().filter(|line| !line.is_empty());
    let all = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|value| value["event"] == event).collect()
}

fn texts(run: &Run, kind: &str) -> Vec<String> {
    run.of_kind(kind).iter().map(|value| value["text"].as_str().unwrap().to_owned()).collect()
}

/// The text is streamed; hooks receive the model's cost and text.
#[test]
fn text_is_streamed_and_passed_to_hooks() {
    for service in BOTH {
        let server = in_order(&[events(service.words)]);
        let fixture = service.fixture(SEE, &server);
        let run = fixture.ask("greet me", &[]);
        assert_eq!(texts(&run, "text"), ["Hello ", "there"]);
        assert_eq!(texts(&run, "reply"), ["Hello there"]);
        let [request] = server.requests().try_into().expect("one request");
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", service.path));
        let [body] = bodies(&server).try_into().unwrap();
        assert_eq!((&body["stream"], &body["model"]), (&json!(true), &json!("some-model")));
        assert!(body["tools"].to_string().contains("Bash"), "{body}");
        let before = handed(&fixture, "PreModelCall");
        assert_eq!(before[0]["prompt"], "greet me", "{before:?}");
        assert_eq!(before[0]["data"]["model"], service.model, "{before:?}");
        let after = handed(&fixture, "PostModelCall");
        assert_eq!(after[0]["data"]["text"], "Hello there", "{after:?}");
        assert_eq!(after[0]["data"]["usage"], json!({"input_tokens": 11, "output_tokens": 2}));
    }
}

/// The words are shown while the rest of the answer is still to come, and an interrupt ends the connection.
#[test]
fn an_interrupt_ends_the_call_under_way() {
    for service in BOTH {
        let begun = service.begun();
        let server = in_order(&[events(&begun).manner(Manner::Unended)]);
        let fixture = service.fixture(SEE, &server);
        let mut run = fixture.start(&[]);
        run.prompt("greet me");
        assert_eq!(run.wait_for("text")["text"], "Hello ");
        run.send_line(json!({"type": "interrupt"}));
        assert_eq!(run.wait_for("turn_ended")["error"], "interrupted");
        assert!(server.left(), "the connection is closed");
        run.prompt("go on");
        assert!(server.asked(2));
        run.send_line(json!({"type": "interrupt"}));
        run.end();
        let second = bodies(&server).pop().unwrap();
        assert!(second["messages"].to_string().contains("Hello "), "what was read stays said");
        assert_eq!(handed(&fixture, "StopFailure").len(), 0, "nothing failed");
    }
}

/// A tool is called, its result goes back beside the call, and what a service signed goes back as it came.
#[test]
fn a_tool_call_makes_its_round() {
    for service in BOTH {
        let server = in_order(&[events(service.call), events(service.words)]);
        let hooks = "[hook.add]\non = \"PostToolUse\"\nshell = '''echo '{\"context\": \"mind the gap\"}' '''\n";
        let fixture = service.fixture(hooks, &server);
        fixture.sandbox.write("notes.txt", "buy milk\n").unwrap();
        let run = fixture.ask("read my notes", &[]);
        assert_eq!(run.of_kind("tool")[0]["input"], json!({"file_path": "notes.txt"}));
        assert_eq!(texts(&run, "reply"), ["Hello there"]);
        let [_, second] = bodies(&server).try_into().expect("two requests");
        let messages = second["messages"].as_array().unwrap();
        let messages: Vec<_> =
            messages.iter().filter(|message| message["role"] != "system").collect();
        assert_eq!(messages[0]["role"], "user");
        if service.path == OPENAI.path {
            let call = &messages[1]["tool_calls"][0];
            assert_eq!((&call["id"], &call["function"]["name"]), (&json!("c-1"), &json!("Read")));
            assert_eq!(messages[2]["role"], "tool");
            assert_eq!(messages[2]["tool_call_id"], "c-1");
            assert!(messages[2]["content"].as_str().unwrap().contains("buy milk"));
        } else {
            let records = messages[1]["content"].as_array().unwrap();
            let thought = json!({"type": "thinking", "thinking": "They want notes.", "signature": "c2lnbmVk"});
            assert_eq!(records[0], thought);
            assert_eq!(
                (&records[1]["type"], &records[1]["id"]),
                (&json!("tool_use"), &json!("c-1"))
            );
            let result = &messages[2]["content"][0];
            assert_eq!(result["tool_use_id"], "c-1");
            assert!(result["content"].as_str().unwrap().contains("buy milk"));
            assert_eq!(texts(&run, "reasoning"), ["They want notes."]);
        }
        assert_eq!(messages[3]["role"], "user");
        assert!(messages[3].to_string().contains("mind the gap"), "{second}");
    }
}

/// What hooks add reaches the model: to the system prompt from the start and before one call, beside the prompt, alone.
#[test]
fn what_hooks_add_is_in_the_request() {
    let hooks = r#"
[hook.start]
on = "SessionStart"
shell = '''echo '{"context": "from the start"}' '''
[hook.call]
on = "PreModelCall"
shell = '''echo '{"context": "before this call"}' '''
[hook.prompt]
on = "UserPromptSubmit"
phase = "rewrite"
shell = '''echo '{"prompt": "the final text", "context": "beside the prompt"}' '''
[hook.turn]
on = "TurnStart"
shell = '''echo '{"context": "of this turn"}' '''
"#;
    for service in BOTH {
        let server = in_order(&[events(service.words)]);
        let run = service.fixture(hooks, &server).ask("the first text", &[]);
        assert_eq!(texts(&run, "reply"), ["Hello there"], "{:?}", run.received);
        let [request] = server.requests().try_into().expect("one request");
        assert!(!request.body.contains("the first text"), "{}", request.body);
        let [body] = bodies(&server).try_into().unwrap();
        let messages = body["messages"].as_array().unwrap();
        let system = if service.path == OPENAI.path { &messages[0] } else { &body["system"] };
        let (system, user) = (system.to_string(), messages.last().unwrap().to_string());
        for text in ["You are a coding agent", "from the start", "before this call"] {
            assert!(system.contains(text), "{text}: {body}");
        }
        for text in ["the final text", "beside the prompt", "of this turn"] {
            assert!(user.contains(text) && !system.contains(text), "{text}: {body}");
        }
    }
}

/// A prompt that is blocked makes no request, announces nothing, and is in no later request (IG-S5).
#[test]
fn a_blocked_prompt_reaches_no_service() {
    let hooks = r#"
[hook.no-secrets]
on = "UserPromptSubmit"
shell = '''if grep -q secret; then echo "no secrets here" >&2; exit 2; fi'''
[hook.committed]
on = "UserPromptCommitted"
shell = "cat >> events.jsonl; echo >> events.jsonl"
"#;
    for service in BOTH {
        let server = in_order(&[events(service.words)]);
        let fixture = service.fixture(hooks, &server);
        let mut run = fixture.start(&[]);
        run.prompt("tell the secret");
        assert_eq!(run.wait_for("refused")["reason"], "no secrets here");
        assert_eq!(server.requests().len(), 0);
        assert_eq!(handed(&fixture, "UserPromptCommitted").len(), 0);
        run.prompt("say hello");
        run.wait_for("reply");
        run.end();
        let [request] = server.requests().try_into().expect("one request");
        assert!(!request.body.contains("secret"), "{}", request.body);
        assert_eq!(handed(&fixture, "UserPromptCommitted").len(), 1);
    }
}

/// A call that hooks block makes no request; their reason is a message of the next one, until the engine has counted enough
/// of them and the turn ends (ruling 32).
#[test]
fn blocked_call_makes_no_request_and_shows_its_reason() {
    let hooks = r#"
[hook.once]
on = "PreModelCall"
shell = '''if test ! -e seen; then touch seen; echo "look at the tests first" >&2; exit 2; fi'''
"#;
    for service in BOTH {
        let server = in_order(&[events(service.words)]);
        let run = service.fixture(hooks, &server).ask("fix it", &[]);
        assert_eq!(texts(&run, "reply"), ["Hello there"]);
        let [body] = bodies(&server).try_into().expect("one request");
        let messages = body["messages"].to_string();
        assert!(messages.contains("fix it"), "{messages}");
        assert!(messages.contains("look at the tests first"), "{messages}");
    }
    let always = "[hook.no]\non = \"PreModelCall\"\nshell = \"echo no >&2; exit 2\"\n";
    let server = in_order(&[events(OPENAI.words)]);
    let run = OPENAI.fixture(always, &server).ask("fix it", &[]);
    assert_eq!(server.requests().len(), 0);
    assert!(run.of_kind("turn_ended")[0]["error"].is_string(), "{:?}", run.received);
}

/// A prompt of nothing is legal where hooks say something with it.
#[test]
fn a_message_of_context_alone_is_sent() {
    let hooks = "[hook.turn]\non = \"UserPromptSubmit\"\nshell = '''echo '{\"context\": \"only this\"}' '''\n";
    for service in BOTH {
        let server = in_order(&[events(service.words)]);
        let run = service.fixture(hooks, &server).ask("", &[]);
        assert_eq!(texts(&run, "reply"), ["Hello there"], "{:?}", run.received);
        let [body] = bodies(&server).try_into().expect("one request");
        assert!(body["messages"].to_string().contains("only this"), "{body}");
    }
}

/// Each way to fail has its name in `StopFailure`, is shown to the person, and contains no key.
#[test]
fn every_failure_is_reported_by_its_kind() {
    let says = |code: u16, kind: &str| {
        let body =
            json!({"type": "error", "error": {"type": kind, "message": format!("no, {KEY}")}});
        Reply { status: code, ..Reply::json(&body.to_string()) }.header("retry-after", "0")
    };
    const FAR: &str = "Fri, 01 Jan 2100 00:00:00 GMT";
    for service in BOTH {
        let begun = service.begun();
        let overloaded = "event: error\ndata: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
        for (reply, kind, text, asked) in [
            (says(401, "authentication_error"), "authentication_failed", "check the key in", 1),
            (says(402, "x"), "billing_error", "status 402", 1),
            (says(429, "insufficient_quota"), "billing_error", "see to the account", 1),
            (says(429, "rate_limit_error"), "rate_limit", "status 429: no, [key]", 4),
            (says(429, "x").header("retry-after", "3600"), "rate_limit", "try again in 3600 s", 1),
            (says(429, "x").header("retry-after", FAR), "rate_limit", "try again in ", 1),
            (says(529, "overloaded_error"), "overloaded", "status 529", 4),
            (says(500, "api_error"), "server_error", "status 500", 4),
            (says(500, "x").header("x-should-retry", "false"), "server_error", "status 500", 1),
            (says(404, "not_found_error"), "model_not_found", "check the name", 1),
            (says(400, "invalid_request_error"), "invalid_request", "status 400", 1),
            (says(302, "x").header("location", "http://127.0.0.1:9/"), "unknown", "status 302", 1),
            (events(&begun).manner(Manner::Torn), "unknown", "did not answer to the end", 1),
            (events(&begun), "unknown", "ended before it was complete", 1),
            (
                events("data: {\"choices\": \n\nevent: message_start\ndata: {\n\n"),
                "unknown",
                "cannot be read",
                1,
            ),
            (events("<html>no</html>"), "unknown", "ended before it was complete", 1),
            (events(&(begun.clone() + overloaded)), "overloaded", "busy", 1),
            (events("").manner(Manner::Reset), "unknown", "did not answer to the end", 1),
        ] {
            let shown = format!("{}: {} {}", service.model, reply.status, reply.body);
            let server = in_order(&[reply]);
            let fixture = service.fixture(SEE, &server);
            let run = fixture.ask("greet me", &[]);
            let ended = run.of_kind("turn_ended")[0]["error"].as_str().unwrap().to_owned();
            assert!(ended.contains(text) && ended.contains(service.model), "{shown}: {ended}");
            let failures = handed(&fixture, "StopFailure");
            assert_eq!(failures.len(), 1, "{shown}: {:#?}", run.received);
            assert_eq!(failures[0]["data"]["error"], kind, "{shown}: {failures:?}");
            assert_eq!(failures[0]["data"]["error_details"], ended.as_str());
            assert_eq!(server.requests().len(), asked, "{shown}: {ended}");
            assert_eq!(run.of_kind("warn").len(), asked - 1, "each wait is shown: {shown}");
            assert!(!format!("{:?}", run.received).contains(KEY), "{shown}");
        }
    }
}

/// A service that is overloaded gets a new request, as long as it has sent nothing of an answer.
#[test]
fn a_busy_service_is_asked_again() {
    for service in BOTH {
        let busy = Reply::status(529).header("retry-after-ms", "0");
        let server = in_order(&[busy.clone(), busy, events(service.words)]);
        let fixture = service.fixture(SEE, &server);
        let run = fixture.ask("greet me", &[]);
        assert_eq!(texts(&run, "reply"), ["Hello there"]);
        assert_eq!(run.of_kind("warn").len(), 2);
        assert_eq!(server.requests().len(), 3);
        let bodies = bodies(&server);
        assert!(bodies.iter().all(|body| *body == bodies[0]), "the same request");
        assert_eq!(handed(&fixture, "PreModelCall").len(), 1, "one call for hooks");
        assert_eq!(handed(&fixture, "StopFailure").len(), 0);
    }
}

/// Arguments that are no JSON go back to the model, run nothing, and the turn goes on; the request
/// stays one that the service takes.
#[test]
fn broken_arguments_go_back_to_the_model() {
    for service in BOTH {
        for why in [service.calls(), service.too_long] {
            let server = in_order(&[events(&(service.broken)(why)), events(service.words)]);
            let hooks = "[hook.see]\non = [\"PreToolUse\", \"PostToolUse\"]\nshell = \"cat >> events.jsonl\"\n";
            let fixture = service.fixture(hooks, &server);
            let run = fixture.ask("write it", &["--permission-mode", "bypassPermissions"]);
            let result = &run.of_kind("tool_result")[0];
            assert_eq!(result["is_error"], true);
            let text = result["text"].as_str().unwrap();
            assert!(text.contains("the arguments of `Write` are not a JSON object: EOF"), "{text}");
            assert_eq!(texts(&run, "reply"), ["Hello there"]);
            assert_eq!(fixture.text("events.jsonl"), "", "there is nothing to judge");
            let cut = run
                .of_kind("warn")
                .iter()
                .any(|value| value["reason"].as_str().unwrap().contains("cut"));
            assert_eq!(cut, why == service.too_long);
            let [_, second] = bodies(&server).try_into().expect("two requests");
            let messages = second["messages"].to_string();
            assert!(
                messages.contains("unreadable") && messages.contains("not a JSON object"),
                "{messages}"
            );
            if service.path == ANTHROPIC.path {
                assert!(second["messages"][1]["content"][0]["input"].is_object(), "{messages}");
            }
        }
    }
}

/// An answer that got too long, or that the service will not give, ends the turn and says why; its words are kept.
#[test]
fn an_answer_that_was_cut_or_refused_says_so() {
    for service in BOTH {
        let refused = if service.path == OPENAI.path { "content_filter" } else { "refusal" };
        for (why, kind, text) in [
            (service.too_long, "max_output_tokens", "cut at its limit of"),
            (refused, "invalid_request", "refused to answer"),
        ] {
            let server = in_order(&[events(&(service.ended)(why)), events(service.words)]);
            let fixture = service.fixture(SEE, &server);
            let mut run = fixture.start(&[]);
            run.prompt("tell a story");
            let ended = run.wait_for("turn_ended")["error"].as_str().unwrap().to_owned();
            assert!(ended.contains(text), "{ended}");
            run.prompt("go on");
            assert_eq!(
                run.wait("the second answer", |message| message["text"] == "Hello there")["type"],
                "reply"
            );
            run.end();
            let failures = handed(&fixture, "StopFailure");
            assert_eq!((failures.len(), &failures[0]["data"]["error"]), (1, &json!(kind)));
            assert_eq!(failures[0]["data"]["last_assistant_message"], "Once upon");
            let [_, second] = bodies(&server).try_into().expect("two requests");
            assert!(second["messages"].to_string().contains("Once upon"), "{second}");
        }
    }
}

/// Without credentials nothing starts, and the message names the variable to set; in a session, the
/// model stays.
#[test]
fn what_is_missing_is_said_before_anything_starts() {
    for (model, message) in [
        (Some("gpt-5"), "needs `OPENAI_API_KEY`, which is not set"),
        (Some("nowhere::x"), "no service is called `nowhere`"),
        (None, "none of `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`"),
        (Some(" "), "none of `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`"),
        (Some("scripted:absent.toml"), "the script `absent.toml` cannot be read"),
    ] {
        let hooks = "[hook.see]\non = \"SessionStart\"\nshell = \"touch started\"\n";
        let fixture = Fixture::new(hooks, "");
        let mut command = fixture.command();
        command.args(["-p", "hello"]).args(model.iter().flat_map(|text| ["--model", text]));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{model:?}");
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(words.contains(message), "{words}");
        assert!(!fixture.sandbox.project().join("started").exists());
    }
    let fixture = Fixture::new("", "[[reply]]\ntext = \"still here\"\n");
    let mut run = fixture.start(&[]);
    run.prompt("/model claude-x");
    let page = run.wait_for("page");
    assert!(page["text"].as_str().unwrap().contains("needs `ANTHROPIC_API_KEY`"), "{page}");
    run.prompt("hello");
    assert_eq!(run.wait_for("reply")["text"], "still here");
    run.end();
}

/// A variable may name the model, and a key alone is enough.
#[test]
fn the_environment_names_the_model() {
    let server = in_order(&[events(OPENAI.words)]);
    let url = server.url();
    for (env, model) in [
        (&[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &url)][..], "gpt-5.4-mini"),
        (&[("OPENAI_BASE_URL", &url), ("TENTERHOOK_MODEL", "house-model")], "house-model"),
    ] {
        let fixture = Fixture::with_model("", "", env);
        let output = fixture.command().args(["-p", "hello"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Hello there\n");
        assert_eq!(bodies(&server).last().unwrap()["model"], model);
    }
}

/// The services that speak otherwise stream and call tools, too, and each is handed back what it must have.
#[test]
fn other_services_stream_and_call_tools() {
    for Other { name, base, path, call, words, handed_back } in OTHERS {
        let server = in_order(&[events(call), events(words)]);
        let key = format!("{}_API_KEY", name.to_uppercase());
        let model = format!("{name}::some-model");
        let fixture = Fixture::with_model("", &model, &[(&key, KEY), (base, &server.url())]);
        fixture.sandbox.write("notes.txt", "buy milk\n").unwrap();
        let run = fixture.ask("read my notes", &[]);
        assert_eq!(run.of_kind("tool")[0]["input"], json!({"file_path": "notes.txt"}), "{name}");
        assert_eq!(texts(&run, "text"), ["Hello ", "there"], "{name}");
        let [first, second] = server.requests().try_into().expect("two requests");
        assert_eq!((first.path.as_str(), second.path.as_str()), (path, path));
        for text in handed_back {
            assert!(second.body.contains(text), "{text}: {}", second.body);
        }
    }
}

/// A session that goes on hands the service its own words again, signed thoughts and all.
#[test]
fn a_resumed_session_says_the_same() {
    let server = in_order(&[events(ANTHROPIC.call), events(ANTHROPIC.words)]);
    let fixture = ANTHROPIC.fixture(SEE, &server);
    fixture.ask("read my notes", &[]);
    let transcript = handed(&fixture, "PreModelCall")[0]["session"]["transcript"].clone();
    fixture.ask("and now", &["--resume", transcript.as_str().unwrap()]);
    let bodies = bodies(&server);
    let said = |body: &Value| body["messages"].as_array().unwrap().clone();
    let (before, after) = (said(&bodies[1]), said(&bodies[2]));
    assert_eq!(after.len(), before.len() + 2, "{after:#?}");
    assert_eq!(after[..2], before[..2]);
    assert!(after[1].to_string().contains("c2lnbmVk"), "{after:#?}");
    assert!(after.last().unwrap().to_string().contains("and now"));
}

/// Another model goes on with the conversation, and is handed nothing that only the first one understands.
#[test]
fn another_model_goes_on_with_the_conversation() {
    let first = in_order(&[events(ANTHROPIC.call), events(ANTHROPIC.words)]);
    let second = in_order(&[events(OPENAI.words)]);
    let env = [
        (ANTHROPIC.key, KEY),
        (ANTHROPIC.base, &first.url()),
        (OPENAI.key, KEY),
        (OPENAI.base, &second.url()),
    ];
    let fixture = Fixture::with_model("", ANTHROPIC.model, &env);
    let mut run = fixture.start(&[]);
    run.prompt("read my notes");
    run.wait_for("turn_ended");
    run.prompt("/model openai::other-model");
    run.wait_for("page");
    run.prompt("and now");
    run.wait_for("turn_ended");
    run.end();
    let [body] = bodies(&second).try_into().expect("one request");
    let messages = body["messages"].to_string();
    for text in ["read my notes", "Hello there", "and now", "\"tool_call_id\":\"c-1\""] {
        assert!(messages.contains(text), "{text}: {messages}");
    }
    assert!(!messages.contains("c2lnbmVk"), "{messages}");
}

/// A hook of a model asks the services that the agent has access to.
#[test]
fn a_prompt_hook_asks_a_model_of_its_own() {
    let verdict = json!({"choices": [{"index": 0, "finish_reason": "stop", "message":
        {"role": "assistant", "content": "{\"decision\": \"deny\", \"reason\": \"not like this\"}"}}]});
    let server = Server::start(Reply {
        when: vec![Reply {
            contains: "may this be asked".into(),
            ..Reply::json(&verdict.to_string())
        }],
        ..events(OPENAI.words)
    });
    let server = server.unwrap();
    let hooks = "[hook.judge]\non = \"UserPromptSubmit\"\nprompt = { text = \"may this be asked?\", model = \"openai::judge\" }\n";
    let fixture = OPENAI.fixture(hooks, &server);
    let mut run = fixture.start(&[]);
    run.prompt("hello");
    let refused = run.wait("the verdict", |message| {
        message["type"] == "refused" || message["type"] == "turn_ended"
    });
    assert!(refused["reason"].as_str().unwrap().contains("not like this"), "{:?}", run.received);
    run.end();
    assert_eq!(bodies(&server)[0]["model"], "judge");
}
