//! `fire --stream`: the requests of a host beside its events.

use serde_json::{Value, json};

use crate::fixture::fits_schema;
use crate::stream_host::{HOOKS, Stream, event};

/// Asks for something, and returns the reply.
fn request(stream: &mut Stream, request: &Value) -> Value {
    stream.ask(&request.to_string());
    let reply = stream.next_line();
    fits_schema("stream", &reply);
    reply
}

/// A rule that denies everything.
const DENY_ALL: &str = "[hook.no]\non = \"PreToolUse\"\nwhen = \"true\"\ndeny = \"no\"\n";

/// V-45.
#[test]
fn hello_names_version_and_requests() {
    let mut stream = Stream::start("");
    let reply = request(&mut stream, &json!({"id": "h", "hello": true}));
    assert_eq!(
        reply,
        json!({"id": "h", "hello": {
            "version": env!("CARGO_PKG_VERSION"), "protocol": 1, "dialect": "native",
            "requests": ["hello", "cancel", "reload", "status"], "max_open": 64,
        }})
    );
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-45.
#[test]
fn request_that_cannot_be_read_is_denied() {
    let mut stream = Stream::start("");
    stream.ask(&json!({"id": 1, "reload": "now"}).to_string());
    let line = stream.next_line();
    fits_schema("outcome", &line);
    assert_eq!((&line["id"], &line["decision"]), (&json!(1), &json!("deny")), "{line}");
    let fault = &line["faults"][0];
    assert_eq!(fault["code"], "unreadable-event");
    assert_eq!(
        fault["message"], "`reload` is `\"now\"` in the request: write `true` instead",
        "{line}"
    );
    stream.input = None;
    assert_eq!(stream.ended(), Some(1));
}

/// V-46: the hooks of the event end, it is denied, and no other event is.
#[test]
fn cancel_ends_one_event() {
    let mut stream = Stream::start(HOOKS);
    stream.ask(&event(1, "Bash"));
    stream.begun(1);
    let reply = request(&mut stream, &json!({"cancel": 1}));
    assert_eq!(reply, json!({"id": null, "cancel": {"id": 1, "open": true}}));
    let line = stream.next_line();
    fits_schema("outcome", &line);
    assert_eq!((&line["id"], &line["blocked"]), (&json!(1), &json!(true)));
    assert_eq!(line["faults"][0]["code"], "cancelled");
    assert_eq!(
        line["faults"][0]["message"],
        "the host cancelled the event before its hooks had answered"
    );
    let reply = request(&mut stream, &json!({"cancel": 1}));
    assert_eq!(reply["cancel"], json!({"id": 1, "open": false}));
    stream.ask(&event(2, "Read"));
    assert_eq!(stream.next_line()["blocked"], false);
    stream.input = None;
    assert_eq!(stream.ended(), Some(0), "a cancelled event is no error of the host");
}

/// V-46.
#[test]
fn cancel_passes_events_that_fill_the_stream() {
    let mut stream = Stream::start(HOOKS);
    (0..64).for_each(|id| stream.ask(&event(id, "Bash")));
    stream.ask(&json!({"id": "s", "status": true}).to_string());
    let open = stream.next_line()["status"]["open"].as_array().unwrap().len();
    assert_eq!(open, 64);
    (0..64).for_each(|id| stream.ask(&json!({"cancel": id}).to_string()));
    let lines: Vec<Value> = (0..128).map(|_| stream.next_line()).collect();
    let denied = lines.iter().filter(|line| line["faults"][0]["code"] == "cancelled");
    assert_eq!(denied.count(), 64);
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-47.
#[test]
fn reload_applies_to_later_events() {
    let mut stream = Stream::start("");
    stream.ask(&event(1, "Bash"));
    assert_eq!(stream.next_line()["blocked"], false);
    stream.fixture.write("project/tenterhook.toml", DENY_ALL);
    stream.ask(&event(2, "Bash"));
    assert_eq!(stream.next_line()["blocked"], false, "files are not read without a request");
    let reply = request(&mut stream, &json!({"reload": true}));
    assert_eq!(reply["reload"]["error"], Value::Null);
    assert_eq!(reply["reload"]["faults"], json!([]));
    stream.ask(&event(3, "Bash"));
    assert_eq!(stream.next_line()["reason"], "no");
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-47: a broken or missing file does not take its gates away.
#[test]
fn reload_of_broken_file_keeps_its_hooks() {
    let mut stream = Stream::start(DENY_ALL);
    // The reply shows that the file was read.
    request(&mut stream, &json!({"hello": true}));
    stream.fixture.write("project/tenterhook.toml", "[hook.no\n");
    let reply = request(&mut stream, &json!({"reload": true}));
    assert!(!reply["reload"]["faults"].as_array().unwrap().is_empty(), "{reply}");
    stream.ask(&event(1, "Bash"));
    let line = stream.next_line();
    assert_eq!(line["reason"], "no", "{line}");
    assert_eq!(line["faults"], reply["reload"]["faults"], "later outcomes have the new faults");
    std::fs::remove_file(stream.fixture.path("project/tenterhook.toml")).unwrap();
    let reply = request(&mut stream, &json!({"reload": true}));
    let error = reply["reload"]["error"].as_str().unwrap();
    assert!(error.contains("tenterhook.toml"), "{error}");
    stream.ask(&event(2, "Bash"));
    assert_eq!(stream.next_line()["blocked"], true);
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-49: a reload reports what it holds until it is approved, and counts the built-in rules apart.
#[test]
fn reload_reports_unapproved_hooks() {
    let mut stream = Stream::start_unapproved("");
    let reply = request(&mut stream, &json!({"status": true}));
    assert_eq!(reply["status"]["hooks"], reply["status"]["built_in"], "{reply}");
    stream.fixture.write("project/tenterhook.toml", HOOKS);
    let reply = request(&mut stream, &json!({"reload": true}));
    let reload = &reply["reload"];
    let own = |count: &str| reload[count].as_u64().unwrap();
    assert_eq!(own("hooks") - own("built_in"), 1, "{reply}");
    assert_eq!(reload["faults"][0]["code"], "awaits-approval", "{reply}");
    assert_eq!(reload["faults"][0]["hook"], "slow", "{reply}");
    let message = reload["faults"][0]["message"].as_str().unwrap();
    assert!(message.contains("tenterhook trust"), "{message}");
    // T-12: each call is denied for this reason, and the first has the fault.
    for (id, codes) in [(1, json!(["awaits-approval"])), (2, json!([]))] {
        stream.ask(&event(id, "Bash"));
        let line = stream.next_line();
        assert!(line["reason"].as_str().unwrap().contains("tenterhook trust"), "{line}");
        let faults = line["faults"].as_array().unwrap().iter();
        assert_eq!(faults.map(|fault| fault["code"].clone()).collect::<Value>(), codes, "{line}");
    }
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-50: the stream's schema permits kinds of lines and keys that a later version adds.
#[test]
fn stream_schema_permits_new_kinds_of_lines() {
    let schema = Stream::start("").fixture.json(&["schema", "stream"], "", 0);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for line in [
        json!({"id": 1, "weather": {}}),
        json!({"id": 1, "hello": {"version": "1",
        "protocol": 1, "dialect": "native", "requests": [], "max_open": 1, "new": 1}, "new": 1}),
    ] {
        assert!(validator.is_valid(&line), "{line}");
    }
    assert!(!validator.is_valid(&json!({"id": 1, "hello": {}})), "a known kind has its keys");
}

/// V-48: the status names open events and background steps, and is repeated when its message changes.
#[test]
fn status_follows_the_message_of_the_running_hook() {
    let gate = HOOKS.replace("timeout =", "status = \"thinking it over\"\ntimeout =");
    let mut stream = Stream::start(&gate);
    let reply = request(&mut stream, &json!({"id": "s", "status": "follow"}));
    assert_eq!(reply["id"], "s");
    assert_eq!((&reply["status"]["open"], &reply["status"]["message"]), (&json!([]), &Value::Null));
    stream.ask(&event(1, "Bash"));
    let line = stream.next_line();
    fits_schema("stream", &line);
    assert_eq!(line["status"]["message"], "thinking it over", "{line}");
    assert_eq!(line["status"]["open"], json!([1]));
    assert_eq!(line.get("id"), None, "it answers nothing");
    stream.begun(1);
    stream.ask(&json!({"cancel": 1}).to_string());
    let lines: Vec<Value> = (0..3).map(|_| stream.next_line()).collect();
    let last = lines.iter().filter_map(|line| line.get("status")).next_back().unwrap();
    assert_eq!(last["message"], Value::Null, "{lines:?}");
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-48.
#[test]
fn status_lists_background_steps() {
    let mut stream = Stream::start(&(HOOKS.to_owned() + "background = true\n"));
    stream.ask(&event(1, "Bash"));
    assert_eq!(stream.next_line()["blocked"], false);
    stream.begun(1);
    let reply = request(&mut stream, &json!({"status": true}));
    let expected = json!([{"event": "PreToolUse", "hook": "slow"}]);
    assert_eq!(reply["status"]["background"], expected, "{reply}");
    assert_eq!(reply["status"]["hooks"].as_u64().map(|hooks| hooks > 0), Some(true));
    stream.input = None;
    assert_eq!(stream.ended(), Some(0));
}

/// V-45: an id that an open event has would make a reply its outcome.
#[test]
fn request_with_the_id_of_an_open_event_is_denied() {
    let mut stream = Stream::start(HOOKS);
    stream.ask(&event(1, "Bash"));
    stream.begun(1);
    stream.ask(&json!({"id": 1, "status": true}).to_string());
    let line = stream.next_line();
    assert_eq!((&line["blocked"], &line["faults"][0]["code"]), (&json!(true), &json!("id-in-use")));
    stream.input = None;
    assert_eq!(stream.lines().len(), 1);
    assert_eq!(stream.ended(), Some(1));
}
