//! A turn from its start to its end.

use serde_json::json;

use crate::fixture::Fixture;

/// What hooks say at the end keeps the agent at work, as a user message, until they have nothing more to say.
#[test]
fn the_gate_at_the_end_keeps_the_agent_at_work() {
    let hooks = r#"
[hook.tests]
on = "Stop"
shell = '''if test ! -e tested; then touch tested; echo "run the tests" >&2; exit 2; fi'''
"#;
    let script =
        "[[reply]]\ntext = \"finished\"\n[[reply]]\non = \"run the tests\"\ntext = \"tested\"\n";
    let fixture = Fixture::new(hooks, script);
    let run = fixture.ask("do it", &[]);
    let texts: Vec<_> =
        run.of_kind("reply").iter().map(|value| value["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["finished", "tested"]);
}

/// The events of a turn, in their order.
#[test]
fn a_turn_fires_its_events_in_order() {
    let hooks = r#"
[hook.see]
on = ["SessionStart", "UserPromptSubmit", "UserPromptCommitted", "TurnStart", "PreModelCall", "PostModelCall", "PreToolUse",
  "PostToolUse", "PostToolBatch", "Stop", "TurnComplete", "SessionEnd"]
shell = "true"
"#;
    let script = r#"
[[reply]]
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
text = "done"
"#;
    let run = Fixture::new(hooks, script).ask("read", &[]);
    assert_eq!(
        run.events(),
        [
            "SessionStart",
            "UserPromptSubmit",
            "UserPromptCommitted",
            "TurnStart",
            "PreModelCall",
            "PostModelCall",
            "PreToolUse",
            "PostToolUse",
            "PostToolBatch",
            "PreModelCall",
            "PostModelCall",
            "Stop",
            "TurnComplete",
            "SessionEnd",
        ]
    );
}

/// A denial in the background wakes an idle agent with its words.
#[test]
fn a_hook_in_the_background_wakes_an_idle_agent() {
    let hooks = r#"
[hook.later]
on = "Stop"
once = true
wake = true
shell = '''until test -e go; do sleep 0.01; done; echo "the build is red" >&2; exit 2'''
"#;
    let script = "[[reply]]\ntext = \"finished\"\n[[reply]]\non = \"the build is red\"\ntext = \"mending\"\n";
    let fixture = Fixture::new(hooks, script);
    let mut run = fixture.start(&[]);
    run.prompt("do it");
    run.wait_for("turn_ended");
    fixture.sandbox.write("go", "").unwrap();
    run.wait("the answer to the hook", |line| line["text"] == "mending");
    run.end();
}

/// The gate of a stopped turn is not asked, because it has no end to judge. One that ends with an
/// empty text is judged like any other, because silence is no way past a gate.
#[test]
fn the_gate_at_the_end_judges_every_turn_that_was_not_stopped() {
    let hooks = r#"
[hook.gate]
on = "Stop"
shell = '''if test ! -e asked; then touch asked; echo "run the tests" >&2; exit 2; fi'''
"#;
    let slow =
        "[[reply]]\nword_ms = 20\ntext = \"one two three four five six seven eight nine ten\"\n";
    let fixture = Fixture::new(hooks, slow);
    let mut run = fixture.start(&[]);
    run.prompt("count");
    run.wait_for("text");
    run.send_line(json!({"type": "interrupt"}));
    assert_eq!(run.wait_for("turn_ended")["error"], "interrupted");
    run.end();
    assert!(run.events().is_empty(), "{:?}", run.events());

    let fixture = Fixture::new(
        hooks,
        "[[reply]]\nthink = \"hm\"\n[[reply]]\non = \"run the tests\"\ntext = \"they pass\"\n",
    );
    let run = fixture.ask("work", &[]);
    assert_eq!(run.events(), ["Stop", "Stop"]);
    assert_eq!(run.of_kind("reply").last().unwrap()["text"], "they pass");
}
