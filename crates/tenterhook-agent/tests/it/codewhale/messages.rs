//! The way of a message (CW-S6 to CW-S10), and that of one that steers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{HELLO, entry, fixture, lines};
use crate::fixture::{Fixture, Run};

/// What the transcript keeps beside its first line.
fn stored_texts(run: &Run) -> Vec<String> {
    let path = run.of_kind("session")[0]["transcript_path"].as_str().unwrap();
    let text = Fixture::conversation(path);
    text.lines().filter(|line| !line.contains(r#""type":"session""#)).map(str::to_owned).collect()
}

fn loading(run: &Run) -> Vec<&Value> {
    run.of_kind("loading").into_iter().map(|value| &value["loading"]).collect()
}

/// The requests that the model was given, each as text.
fn requests(fixture: &Fixture) -> Vec<String> {
    fixture.text("requests.jsonl").lines().map(str::to_owned).collect()
}

/// Takes any text in, and lets `secret` not pass.
const NO_SECRETS: &str = "if grep -q secret; then echo 'no secrets here' >&2; exit 2; fi";

/// `dispatch_user_message_uses_transformed_message_submit_text`, C 5: history, the request, the payload of other hooks, the
/// files that are mentioned, and a session that goes on all have the text that came out of the hooks.
#[test]
fn the_text_that_hooks_make_is_the_only_one() {
    let makes = r#"if grep -q 'see @a.txt'; then echo '{"text": "[hooked] see @b.txt"}'; fi"#;
    let fixture = fixture(
        &[entry("message_submit", makes, "")],
        "record = \"requests.jsonl\"\n[[reply]]\non = \"content of b\"\ntext = \"b it is\"\n",
    );
    let see = "[hook.see]\non = [\"UserPromptCommitted\", \"TurnStart\", \"PreModelCall\"]\n\
               shell = \"cat >> seen.jsonl; echo >> seen.jsonl\"\n";
    fixture.sandbox.write("tenterhook.toml", see).unwrap();
    fixture.sandbox.write("a.txt", "content of a").unwrap();
    fixture.sandbox.write("b.txt", "content of b").unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("see @a.txt");
    assert_eq!(run.wait_for("prompt")["text"], "[hooked] see @b.txt");
    assert_eq!(run.wait_for("reply")["text"], "b it is");
    run.end();
    let seen = lines(&fixture, "seen.jsonl");
    let prompts: Vec<_> = seen.iter().map(|value| &value["prompt"]).collect();
    let text = "[hooked] see @b.txt";
    // The gate before the call sees all that it would send (HO-1).
    let call = format!("{text}\n\nThe file `b.txt`:\ncontent of b");
    assert_eq!(prompts, [text, text, &call], "{seen:?}");
    let [request] = requests(&fixture).try_into().expect("one request");
    assert!(request.contains("[hooked] see @b.txt") && request.contains("content of b"));
    let history = stored_texts(&run).concat();
    assert!(history.contains("[hooked] see @b.txt"), "{history}");
    let transcript = run.of_kind("session")[0]["transcript_path"].as_str().unwrap().to_owned();
    fixture.ask("go on", &["--resume", &transcript]);
    let later = requests(&fixture).pop().unwrap();
    assert!(later.contains("[hooked] see @b.txt") && later.contains("go on"), "{later}");
    for text in [&request, &history, &later] {
        assert!(!text.contains("a.txt") && !text.contains("content of a"), "{text}");
    }
}

/// `dispatch_user_message_blocked_by_message_submit_hook_does_not_start_turn`, CW-S10, C 4: no history, no request, no turn,
/// nothing is loading, the reason is shown, the text comes back, and what waits goes on.
#[test]
fn a_blocked_message_leaves_nothing() {
    let fixture = fixture(&[entry("message_submit", NO_SECRETS, "")], HELLO);
    let see = "[hook.see]\non = [\"UserPromptCommitted\", \"TurnStart\", \"TurnComplete\"]\nshell = \"true\"\n";
    fixture.sandbox.write("tenterhook.toml", see).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("tell the secret");
    let refused = run.wait_for("refused");
    assert_eq!(refused["text"], "tell the secret");
    assert!(refused["reason"].as_str().unwrap().contains("no secrets here"), "{refused}");
    assert_eq!(stored_texts(&run), [""; 0]);
    assert_eq!(requests(&fixture), [""; 0]);
    assert!(loading(&run).is_empty() && run.of_kind("prompt").is_empty(), "{:?}", run.received);
    // One that waits for its turn is refused the same way, and the one behind it goes on.
    run.send_line(json!({"type": "queue", "text": "another secret"}));
    run.send_line(json!({"type": "queue", "text": "say hello"}));
    assert_eq!(run.wait_for("refused")["text"], "another secret");
    assert_eq!(run.wait_for("reply")["text"], "hello");
    run.end();
    let expected = ["UserPromptSubmit", "UserPromptSubmit", "UserPromptSubmit"];
    let turn = ["UserPromptCommitted", "TurnStart", "TurnComplete"];
    assert_eq!(run.events(), [&expected[..], &turn[..]].concat());
    assert_eq!(loading(&run), [true, false]);
    let [request] = requests(&fixture).try_into().expect("one request");
    assert!(!(request + &stored_texts(&run).concat()).contains("secret"));
}

/// `dispatch_user_message_surfaces_continued_message_submit_timeout` and `..._stderr`: a warning is shown, and the text of the
/// hook behind is the one that is sent.
#[test]
fn a_failure_is_shown_and_the_hook_behind_it_makes_the_text() {
    for (command, words) in [
        ("echo 'the list is missing' >&2; exit 1", "the list is missing"),
        ("sleep 60", "longer than it may"),
    ] {
        let entries = [
            entry("message_submit", command, "timeout_secs = 1"),
            entry("message_submit", r#"cat >seen; echo '{"text": "[hooked] hello"}'"#, ""),
        ];
        let fixture = fixture(&entries, HELLO);
        let run = fixture.ask("hello", &[]);
        let [warning] = run.of_kind("warn").try_into().expect("one warning");
        assert_eq!(warning["event"], "message_submit");
        assert!(warning["reason"].as_str().unwrap().contains(words), "{warning}");
        assert_eq!(run.of_kind("prompt")[0]["text"], "[hooked] hello");
        let [request] = requests(&fixture).try_into().expect("one request");
        assert!(request.contains("[hooked] hello"), "{request}");
    }
}

/// The tool holds the turn until the test has said what it wants to say.
const WORKS: &str = r#"
record = "requests.jsonl"
[[reply]]
on = "work"
call = [{ tool = "Bash", input = { command = "until test -e go; do sleep 0.01; done" } }]
[[reply]]
repeat = true
text = "done"
"#;

/// `live_steer_crosses_message_submit_transform_exactly_once`, `denied_steer_restores_queued_draft_and_keeps_active_turn`.
#[test]
fn a_steer_is_transformed_once_and_a_denied_one_comes_back() {
    let hook = r#"read -r line; printf '%s\n' "$line" >> seen.jsonl
case "$line" in *secret*) exit 2;; *faster*) echo '{"text": "[hooked] faster"}';; esac"#;
    let fixture = fixture(&[entry("message_submit", hook, "")], WORKS);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("work");
    run.wait_for("tool");
    run.prompt("the secret way");
    assert_eq!(run.wait_for("refused")["text"], "the secret way");
    run.prompt("faster");
    run.wait("the steer", |message| {
        message["type"] == "prompt" && message["text"] == "[hooked] faster"
    });
    fixture.sandbox.write("go", "").unwrap();
    run.wait_for("turn_ended");
    run.end();
    let texts: Vec<_> =
        lines(&fixture, "seen.jsonl").iter().map(|line| line["text"].clone()).collect();
    assert_eq!(texts, ["work", "the secret way", "faster"], "each once");
    let [_, second] = requests(&fixture).try_into().expect("one turn of two requests");
    assert_eq!(second.matches("faster").count(), 1, "{second}");
    assert!(second.contains("[hooked] faster") && !second.contains("secret"), "{second}");
    assert_eq!(loading(&run), [true, false], "the turn went on");
    assert_eq!(run.of_kind("warn").len(), 1, "the denied one is reported");
}

/// `lost_strict_message_submit_executor_keeps_dispatch_atomic_and_recoverable`: a strict gate that is lost refuses the text as
/// it was, nothing of it is kept, and the next one goes.
#[test]
fn a_lost_gate_gives_the_text_back_and_the_next_one_goes() {
    let hook = "if test ! -e mended; then kill -9 $$; fi; cat >/dev/null";
    let fixture = fixture(&[entry("message_submit", hook, "continue_on_error = false")], HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hello there");
    assert_eq!(run.wait_for("refused")["text"], "hello there");
    assert_eq!((stored_texts(&run), requests(&fixture)), (vec![], vec![]));
    fixture.sandbox.write("mended", "").unwrap();
    run.prompt("hello again");
    assert_eq!(run.wait_for("reply")["text"], "hello");
    run.end();
    assert_eq!(loading(&run), [true, false]);
    assert!(!stored_texts(&run).concat().contains("hello there"));
}

/// `full_dispatch_completion_mailbox_restores_message_without_stuck_dispatch` and `closed_...`: however many texts wait for
/// their hooks, none is lost and each is reported once; leaving meanwhile is not delayed.
#[test]
fn no_text_is_lost_however_many_wait_for_their_hooks() {
    let hook =
        "touch began; until test -e go; do sleep 0.01; done; if grep -q ' 7\"'; then exit 2; fi";
    let texts: Vec<_> = (0..40).map(|at| format!("text {at}")).collect();
    for goes in [true, false] {
        let fixture = fixture(&[entry("message_submit", hook, "")], HELLO);
        let mut run = fixture.start(&[]);
        for text in &texts {
            run.prompt(text);
        }
        if goes {
            fixture.sandbox.write("go", "").unwrap();
            let is_result = |value: &Value| value["type"] == "prompt" || value["type"] == "refused";
            run.wait_many("text", texts.len(), is_result);
        } else {
            fixture.until("the hook", || fixture.sandbox.project().join("began").exists());
            run.send_line(json!({"type": "quit"}));
        }
        run.end();
        let text = |prompt: &&Value| prompt["text"].as_str().unwrap().to_owned();
        let prompts: BTreeSet<_> = run.of_kind("prompt").iter().map(text).collect();
        let back: Vec<_> = run.of_kind("refused").iter().map(text).collect();
        if goes {
            assert_eq!(prompts, texts.iter().filter(|text| *text != "text 7").cloned().collect());
            assert_eq!(back, ["text 7"]);
            assert_eq!(loading(&run).last(), Some(&&json!(false)));
        } else {
            assert_eq!((prompts.len(), stored_texts(&run)), (0, vec![]), "no hook agreed to any");
            assert_eq!(back, ["text 0"], "the one that was to begin a turn");
        }
    }
}

/// `restored_queued_message_crosses_bounded_message_submit_serialization` and `merged_pending_steers_...`: a text that waited,
/// one that came back and was sent again, and one that steers reach their hooks whole, and so does what hooks make of it.
#[test]
fn a_long_text_that_waited_is_whole() {
    // Longer in bytes than what CodeWhale cuts such a message to.
    let long = format!("{} end", "ü".repeat(20_000));
    let hook = r#"read -r line; printf '%s\n' "$line" >> seen.jsonl
case "$line" in *again*) test -e mended || exit 2;; esac
printf '%s' "$line" | sed 's/.*"text":"\([^"]*\)".*/{"text": "[hooked] \1"}/'"#;
    let fixture = fixture(&[entry("message_submit", hook, "")], &WORKS.replace("work", "begin"));
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("begin");
    run.wait_for("tool");
    for (kind, name) in
        [("prompt", "steer"), ("prompt", "another"), ("queue", "waits"), ("queue", "again")]
    {
        run.send_line(json!({"type": kind, "text": format!("{name} {long}")}));
    }
    run.wait_many("steer", 2, |message| message["type"] == "prompt");
    fixture.sandbox.write("go", "").unwrap();
    let refused = run.wait_for("refused")["text"].as_str().unwrap().to_owned();
    assert_eq!(refused, format!("again {long}"));
    fixture.sandbox.write("mended", "").unwrap();
    run.prompt(&refused);
    run.wait("the last", |message| {
        message["type"] == "prompt" && message["text"].as_str().unwrap().contains("again")
    });
    run.end();
    let seen = lines(&fixture, "seen.jsonl");
    let names: Vec<_> =
        ["steer", "another", "waits", "again", "again"].map(|text| format!("{text} {long}")).into();
    let texts: Vec<_> = seen.iter().skip(1).map(|value| value["text"].as_str().unwrap()).collect();
    assert_eq!(texts, names);
    assert!(seen.iter().all(|value| value["text_truncated"] == false));
    let last = requests(&fixture).pop().unwrap();
    for name in ["steer", "another", "waits", "again"] {
        assert!(last.contains(&format!("[hooked] {name} {long}")), "{name} is not whole");
    }
}
