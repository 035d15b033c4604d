//! What hooks make of the model's words, and what a person is shown beside them.

use serde_json::{Value, json};

use crate::fixture::{Fixture, Run};

/// A hook of ignis on words that are about to be shown: whatever it prints for them.
fn shows(line: &str) -> String {
    serde_json::json!({"hooks": {"AssistantMessageRender": [{"argv": ["sh", "-c", line], "sandbox": false}]}})
        .to_string()
}

fn texts<'a>(run: &'a Run, kind: &str) -> Vec<&'a str> {
    run.of_kind(kind).into_iter().map(|value| value["text"].as_str().unwrap()).collect()
}

fn warnings(run: &Run, event: &str) -> Vec<String> {
    let warned = run.of_kind("warn").into_iter().filter(|value| value["event"] == event);
    warned.map(|value| value["reason"].as_str().unwrap().to_owned()).collect()
}

/// IG-S6: the rewrite is a separate block beside the text, and history and the next request keep the text.
#[test]
fn a_rewrite_is_a_block_of_its_own_and_history_keeps_the_original() {
    let script = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"good day\"\n";
    let fixture = Fixture::new("", script);
    let translate = shows(r#"echo '{"hookSpecificOutput": {"updatedOutput": "guten Tag"}}'"#);
    fixture.sandbox.write("~/.ignis/hooks.json", &translate).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("greet me");
    let transcript = run.wait_for("session")["transcript_path"].as_str().unwrap().to_owned();
    assert_eq!(run.wait_for("hook_rewrite")["text"], "guten Tag");
    run.prompt("again");
    run.end();
    assert_eq!(texts(&run, "reply"), ["good day", "good day"]);
    for kept in [fixture.text("requests.jsonl"), Fixture::conversation(&transcript)] {
        assert!(kept.contains("good day") && !kept.contains("guten Tag"), "{kept}");
    }
}

/// IG-S6: a hook that blocks a shown text causes a warning, and the same text again is no separate block.
#[test]
fn shown_text_cannot_be_blocked() {
    for (line, warned) in [
        ("echo 'not in front of the children' >&2; exit 2", true),
        (r#"echo '{"hookSpecificOutput": {"updatedOutput": "good day"}}'"#, false),
    ] {
        let fixture = Fixture::new("", "[[reply]]\ntext = \"good day\"\n");
        fixture.sandbox.write("~/.ignis/hooks.json", &shows(line)).unwrap();
        let run = fixture.ask("greet me", &[]);
        assert_eq!(texts(&run, "reply"), ["good day"]);
        assert!(run.of_kind("hook_rewrite").is_empty());
        let texts = warnings(&run, "AssistantMessageRender");
        assert_eq!(
            texts.iter().any(|text| text.contains("does not honour `deny`")),
            warned,
            "{texts:?}"
        );
        assert_eq!(run.of_kind("turn_ended")[0]["error"], Value::Null);
    }
}

/// A reply of words, and one of thoughts alone, on the way through two calls of a tool.
const WORDS: &str = r#"
[[reply]]
think = "hm"
text = "one"
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
think = "this stays hidden"
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
text = "two"
"#;

/// IG-S12, `render_hook_preserves_order_when_first_hook_is_slower`: one after the other, whichever hook is slower.
#[test]
fn what_was_said_first_is_shown_first_however_slow_its_hook() {
    let fixture = Fixture::new("", WORDS);
    let slow = shows(
        r#"in=$(cat); echo began >> order.txt
case $in in *'"content":"one"'*) until test -e go; do sleep 0.01; done; text=ONE;; *) text=TWO;; esac
echo ended >> order.txt
printf '{"hookSpecificOutput": {"updatedOutput": "%s"}}' $text"#,
    );
    fixture.sandbox.write("~/.ignis/hooks.json", &slow).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("count");
    // The turn waits for none of them: it is over while the first one still runs.
    run.wait_for("turn_ended");
    assert!(run.of_kind("hook_rewrite").is_empty());
    fixture.sandbox.write("go", "").unwrap();
    run.end();
    assert_eq!(texts(&run, "hook_rewrite"), ["ONE", "TWO"]);
    assert_eq!(fixture.text("order.txt"), "began\nended\nbegan\nended\n", "one at a time");
}

/// IG-S12, `render_hook_skips_reasoning_only_messages`: hooks do not rewrite thoughts, alone or beside text.
#[test]
fn thoughts_are_given_to_no_hook() {
    let fixture = Fixture::new("", WORDS);
    fixture
        .sandbox
        .write("~/.ignis/hooks.json", &shows("cat >> seen.jsonl; echo >> seen.jsonl"))
        .unwrap();
    let run = fixture.ask("count", &[]);
    assert_eq!(texts(&run, "reasoning").len(), 4, "the model did think");
    let seen = fixture.text("seen.jsonl");
    let seen = seen.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let seen: Vec<_> = seen.map(|value| value["content"].as_str().unwrap().to_owned()).collect();
    assert_eq!(seen, ["one", "two"]);
}

/// The queue is bounded, and what does not fit is shown as it is, with a warning: nothing is lost, nothing waits for ever.
#[test]
fn more_words_than_fit_are_shown_as_they_are_and_say_so() {
    let reply = "[[reply]]\ntext = \"word\"\ncall = [{ tool = \"Glob\", input = { pattern = \"none\" } }]\n";
    let fixture = Fixture::new("", &format!("{}[[reply]]\ntext = \"end\"\n", reply.repeat(24)));
    let hold = shows(
        r#"until test -e go; do sleep 0.01; done; echo '{"hookSpecificOutput": {"updatedOutput": "WORD"}}'"#,
    );
    fixture.sandbox.write("~/.ignis/hooks.json", &hold).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("talk");
    run.wait_for("turn_ended");
    fixture.sandbox.write("go", "").unwrap();
    run.end();
    assert_eq!(texts(&run, "reply").len(), 25);
    let over = warnings(&run, "AssistantMessageRender").len();
    assert!(over >= 8, "one under way and sixteen that wait are all there is room for: {over}");
    assert_eq!(run.of_kind("hook_rewrite").len() + over, 25);
}

/// Ruling 24, `[warn] hooks: soft fail` is shown: one line an event, with what the hook said, cut between characters; and the
/// rewrite has its label. Beside the answer, which stands alone on standard output.
#[test]
fn people_are_shown_warnings_and_rewrites_with_their_labels() {
    let fixture = Fixture::new("", "[[reply]]\ntext = \"good day\"\n");
    let hooks = serde_json::json!({"hooks": {
        "UserPromptSubmit": [{"argv": ["sh", "-c", "echo 'the list is missing' >&2; echo '字字字' >&2; exit 1"], "sandbox": false}],
        "AssistantMessageRender": [
            {"argv": ["sh", "-c", r#"echo '{"hookSpecificOutput": {"updatedOutput": "guten Tag"}}'"#], "sandbox": false},
        ],
    }});
    fixture.sandbox.write("~/.ignis/hooks.json", &hooks.to_string()).unwrap();
    let output =
        fixture.command().args(["--model", "scripted:script.toml", "-p", "hi"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "good day\n");
    let aside = String::from_utf8(output.stderr).unwrap();
    let warned: Vec<_> = aside.lines().filter(|line| line.starts_with("[warn] ")).collect();
    assert_eq!(warned.len(), 1, "{aside}");
    assert!(warned[0].starts_with("[warn] UserPromptSubmit: "), "{aside}");
    assert!(warned[0].contains("the list is missing"), "{aside}");
    assert!(aside.contains("[hook rewrite]\nguten Tag\n"), "{aside}");
}

/// AG-40: a hook's change of a prompt, a call or the end of a turn is shown, with the hook and the original.
#[test]
fn nothing_that_a_hook_did_is_silent() {
    let hooks = r#"
[hook.polite]
on = "UserPromptSubmit"
phase = "rewrite"
run = ["sh", "-c", "cat >/dev/null; echo '{\"prompt\": \"please work\"}'"]
[hook.safe]
on = "PreToolUse"
phase = "rewrite"
run = ["sh", "-c", "cat >/dev/null; echo '{\"input\": {\"command\": \"true\"}}'"]
[hook.tests-first]
on = "Stop"
shell = "test -e asked || { touch asked; echo 'run the tests' >&2; exit 2; }"
"#;
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"rm x\" } }]\n[[reply]]\nrepeat = true\ntext = \"done\"\n";
    let fixture = Fixture::new(hooks, script);
    let run = fixture.ask("work", &["--permission-mode", "bypassPermissions"]);
    let changes: Vec<_> =
        run.of_kind("hook_did").iter().map(|value| (&value["text"], &value["was"])).collect();
    let (work, rm) = (json!("work"), json!({"command": "rm x"}));
    for (line, was) in [
        ("hook `polite` rewrote the prompt", &work),
        ("hook `safe` rewrote the call", &rm),
        ("hook `tests-first` keeps the agent at work: run the tests", &Value::Null),
    ] {
        assert!(changes.contains(&(&json!(line), was)), "{line}: {changes:#?}");
    }
    assert_eq!(run.of_kind("tool_asked")[0]["input"]["command"], "rm x");
    assert_eq!(run.of_kind("tool")[0]["input"]["command"], "true");
    let came = |event: &str| {
        let all = run.of_kind("hooks");
        let of = all.iter().find(|record| record["event"] == event).unwrap();
        of["came"].as_str().unwrap().to_owned()
    };
    assert_eq!(came("UserPromptSubmit"), "rewrote");
    assert_eq!(came("PreToolUse"), "rewrote");
}
