//! What the seed of Gen says of a host: hooks of its settings, unmodified, in this agent.

use serde_json::{Value, json};
use tenterhook_testkit::server::{Reply, Server};

use crate::fixture::Fixture;

const WRITES: &str = "record = \"requests.jsonl\"\n\
    [[reply]]\ncall = [{ tool = \"Write\", input = { file_path = \"out.txt\", content = \"one\" } }]\n\
    [[reply]]\nrepeat = true\ntext = \"done\"\n";

/// A fixture whose project has these hooks of Gen's, and whose program has these variables.
fn fixture(hooks: &Value, script: &str, env: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::with_model("", "scripted:script.toml", env);
    fixture.sandbox.write("script.toml", script).unwrap();
    fixture.sandbox.write(".gen/settings.json", &json!({"hooks": hooks}).to_string()).unwrap();
    fixture
}

/// asyncRewake: a hook that blocks in the background wakes the idle agent, which hears each reason once, in one turn after the
/// other.
#[test]
fn hooks_that_block_in_the_background_wake_the_idle_agent_one_at_a_time() {
    let hook = |words: &str| {
        json!({"type": "command", "asyncRewake": true, "once": true,
            "command": format!("until test -e go; do sleep 0.01; done; echo '{words}' >&2; exit 2")})
    };
    let hooks = json!({"Stop": [{"hooks": [hook("leak in line 3"), hook("leak in line 7")]}]});
    let script = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"mended\"\n";
    let fixture = fixture(&hooks, script, &[]);
    let mut run = fixture.start(&[]);
    run.prompt("work");
    run.wait_for("turn_ended");
    fixture.sandbox.write("go", "").unwrap();
    let was_sent =
        |words: &str| fixture.text("requests.jsonl").lines().last().unwrap().contains(words);
    while !(was_sent("line 3") && was_sent("line 7")) {
        run.wait_for("turn_ended");
    }
    run.end();
    let last = fixture.text("requests.jsonl").lines().last().unwrap().to_owned();
    for words in ["leak in line 3", "leak in line 7"] {
        assert_eq!(last.matches(words).count(), 1, "{last}");
    }
    // Never two turns at once.
    for (at, line) in run.of_kind("loading").iter().enumerate() {
        assert_eq!(line["loading"], at % 2 == 0, "{:?}", run.of_kind("loading"));
    }
}

/// Headers and `allowedEnvVars`: a hook that is a request says what its headers say, with the variables that it may use and no
/// other, to a server of this machine (R19); what it answers counts. A variable that it may not use is sent empty, as Gen does (HT-21).
#[test]
fn a_request_is_sent_with_its_headers_and_the_variables_that_it_may_use() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "not this file"}});
    let cases = [(json!(["TEAM", "TOKEN"]), "Bearer hush-hush"), (json!(["TEAM"]), "Bearer")];
    for (allowed, sent) in cases {
        let server = Server::start(Reply::json(&answer.to_string())).unwrap();
        let hook = json!({"type": "http", "url": format!("{}/gate", server.url()),
            "headers": {"X-Team": "$TEAM", "Authorization": "Bearer ${TOKEN}"},
            "allowedEnvVars": allowed});
        let hooks = json!({"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]});
        let fixture = fixture(&hooks, WRITES, &[("TEAM", "blue"), ("TOKEN", "hush-hush")]);
        let run = fixture.ask("write", &["--permission-mode", "acceptEdits"]);
        assert!(!format!("{:?}", run.received).contains("hush-hush"));
        let [request] = server.requests().try_into().expect("one request");
        let header = |name: &str| request.headers.get(name).map(|value| value.trim());
        assert_eq!((header("x-team"), header("authorization")), (Some("blue"), Some(sent)));
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(
            (&body["hook_event_name"], &body["tool_input"]["file_path"]),
            (&json!("PreToolUse"), &json!("out.txt"))
        );
        assert!(run.of_kind("tool_result")[0]["text"].as_str().unwrap().contains("not this file"));
        assert_eq!(fixture.text("out.txt"), "");
    }
}

/// `prompt`, `agent`, `$ARGUMENTS` and `model`, and R18: a model is asked by name, with the event in its place; it answers with
/// the whole of what a command would print; its denial counts, its consent does not, but for a source that is followed
/// exactly.
#[test]
fn a_model_of_its_own_judges_a_call() {
    let says = |decision: &str| {
        let output = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": decision, "permissionDecisionReason": "seen by a model"}});
        json!({"choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": output.to_string()}}]})
    };
    for kind in ["prompt", "agent"] {
        for decision in ["deny", "allow"] {
            let server = Server::start(Reply::json(&says(decision).to_string())).unwrap();
            let hook = json!({"type": kind, "prompt": "may this run? $ARGUMENTS",
                "model": "openai::judge"});
            let hooks = json!({"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]});
            let base = server.url();
            let env = [("OPENAI_API_KEY", "sk-test"), ("OPENAI_BASE_URL", base.as_str())];
            let fixture = fixture(&hooks, WRITES, &env);
            let mut run = fixture.start(&[]);
            run.prompt("write");
            let next = run.wait("the call or the question", |message| {
                message["type"] == "ask" || message["type"] == "tool_result"
            });
            if decision == "deny" {
                assert_eq!(next["type"], "tool_result", "{kind}");
                assert!(next["text"].as_str().unwrap().contains("seen by a model"), "{next}");
            } else {
                assert_eq!(next["type"], "ask", "{kind}: its consent is ignored: {next}");
                assert_eq!(run.of_kind("warn")[0]["event"], "PreToolUse", "with a warning");
            }
            run.end();
            assert_eq!(fixture.text("out.txt"), "");
            let [request] = server.requests().try_into().expect("one question");
            let body: Value = serde_json::from_str(&request.body).unwrap();
            assert_eq!(body["model"], "judge");
            let asked = body["messages"].to_string();
            assert!(asked.contains("may this run?") && asked.contains("out.txt"), "{asked}");
            assert!(!asked.contains("$ARGUMENTS"), "{asked}");
            assert_eq!(body["tools"].to_string().contains("search"), kind == "agent", "{body}");
        }
    }
}
