//! What hooks in the background say when they end.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use serde_json::Value;

use crate::fixture::Fixture;

/// The messages of each request that the model was given.
fn requests(fixture: &Fixture) -> Vec<Vec<Value>> {
    let text = fixture.text("requests.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["messages"].as_array().unwrap().clone()).collect()
}

const HELLO: &str = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";

/// A hook that waits for a file in the background, and then says this.
fn wakes(name: &str, on: &str, says: &str) -> String {
    format!(
        "[hook.{name}]\non = \"{on}\"\nonce = true\nwake = true\n\
         shell = '''until test -e {name}; do sleep 0.01; done; {says}'''\n"
    )
}

/// `AsyncHookTickInjectsNoticeAndContext`: an idle agent is woken, and reads why as well as what there is to know.
#[test]
fn an_idle_agent_reads_why_it_is_woken_and_what_there_is_to_know() {
    let says = r#"echo '{"decision": "deny", "reason": "the scan found a key", "context": "it is in a.rs"}'"#;
    let fixture = Fixture::new(&wakes("scan", "Stop", says), HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    fixture.sandbox.write("scan", "").unwrap();
    run.wait_for("turn_ended");
    run.end();
    let requests = requests(&fixture);
    assert_eq!(requests.len(), 2);
    let last = requests[1].last().unwrap();
    assert_eq!((&last["role"], &last["author"]), (&"user".into(), &"hook".into()), "{last}");
    assert_eq!(last["text"], "the scan found a key");
    assert!(last["context"].to_string().contains("it is in a.rs"), "{last}");
}

/// `AsyncHookTickDoesNotInjectWhileToolExecutionPending`: nothing comes between a call and its result.
#[test]
fn nothing_is_said_between_a_call_and_its_result() {
    let script = r#"
record = "requests.jsonl"
[[reply]]
call = [
  { tool = "Bash", input = { command = "touch scan; until test -e pid && ! kill -0 $(cat pid); do sleep 0.01; done" } },
  { tool = "Read", input = { file_path = "script.toml" } },
]
[[reply]]
repeat = true
text = "done"
"#;
    let hooks =
        wakes("scan", "TurnStart", "echo $$ > pid; echo 'the scan found a key' >&2; exit 2");
    let fixture = Fixture::new(&hooks, script);
    let run = fixture.ask("work", &["--allow", "Bash(*)"]);
    assert_eq!(run.of_kind("tool_result").len(), 2);
    let requests = requests(&fixture);
    for messages in &requests {
        for pair in messages.windows(2) {
            if pair[0]["calls"].is_array() {
                assert_eq!(pair[1]["role"], "tools", "{messages:#?}");
            }
        }
    }
    let is_report = |record: &Value| record["text"] == "the scan found a key";
    assert!(requests.last().unwrap().iter().any(is_report), "it comes after the results");
}

/// X3.14: only a hook that objects wakes; each in its turn, in the order in which they end.
#[test]
fn hooks_wake_an_idle_agent_in_the_order_in_which_they_end() {
    let hooks = [
        wakes("quiet", "Stop", "touch quiet-ended"),
        wakes("first", "Stop", "echo 'first it was' >&2; exit 2"),
        wakes("second", "Stop", "echo 'second it was' >&2; exit 2"),
    ];
    let fixture = Fixture::new(&hooks.concat(), HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    // The one that was started last ends first.
    for name in ["quiet", "second", "first"] {
        fixture.sandbox.write(name, "").unwrap();
        if name != "quiet" {
            run.wait_for("turn_ended");
        }
    }
    run.end();
    assert_eq!(run.of_kind("turn_ended").len(), 3);
    let last: Vec<_> =
        requests(&fixture).iter().map(|request| request.last().unwrap()["text"].clone()).collect();
    assert_eq!(last, ["hi", "second it was", "first it was"]);
}

/// X3.14: hooks of a cleared conversation do not wake the agent in the next one.
#[test]
fn cleared_conversation_does_not_wake_the_agent() {
    let old = wakes("old", "Stop", "echo $$ > pid; echo 'an old story' >&2; exit 2");
    let new = r#"
[hook.new]
on = "UserPromptSubmit"
wake = true
shell = '''grep -q again || exit 0
until test -e pid && ! kill -0 $(cat pid); do sleep 0.01; done; echo 'a new story' >&2; exit 2'''
"#;
    let fixture = Fixture::new(&(old + new), HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.prompt("/clear");
    run.prompt("hi again");
    run.wait_for("turn_ended");
    fixture.sandbox.write("old", "").unwrap();
    run.wait_for("turn_ended");
    run.end();
    let text = fixture.text("requests.jsonl");
    assert!(text.contains("a new story") && !text.contains("an old story"), "{text}");
}
