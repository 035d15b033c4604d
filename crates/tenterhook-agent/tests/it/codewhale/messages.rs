//! The way of a message (CW-S6 to CW-S10), and that of one that steers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{HELLO, entry, lines, room};
use crate::room::{Room, Run};

/// What the transcript keeps beside its first line.
fn kept(run: &Run) -> Vec<String> {
    let path = run.of("session")[0]["transcript_path"].as_str().unwrap();
    let text = Room::conversation(path);
    text.lines().filter(|line| !line.contains(r#""type":"session""#)).map(str::to_owned).collect()
}

fn loading(run: &Run) -> Vec<&Value> {
    run.of("loading").into_iter().map(|value| &value["loading"]).collect()
}

/// The requests that the model was given, each as text.
fn requests(room: &Room) -> Vec<String> {
    room.text("requests.jsonl").lines().map(str::to_owned).collect()
}

/// Takes any text in, and lets `secret` not pass.
const NO_SECRETS: &str = "if grep -q secret; then echo 'no secrets here' >&2; exit 2; fi";

/// `dispatch_user_message_uses_transformed_message_submit_text`, C 5: history, the request, what other hooks are told, the
/// files that are mentioned, and a session that goes on all have the text that came out of the hooks.
#[test]
fn the_text_that_hooks_make_is_the_only_one() {
    let makes = r#"if grep -q 'see @a.txt'; then echo '{"text": "[hooked] see @b.txt"}'; fi"#;
    let room = room(
        &[entry("message_submit", makes, "")],
        "record = \"requests.jsonl\"\n[[reply]]\non = \"content of b\"\ntext = \"b it is\"\n",
    );
    let see = "[hook.see]\non = [\"UserPromptCommitted\", \"TurnStart\", \"PreModelCall\"]\n\
               shell = \"cat >> seen.jsonl; echo >> seen.jsonl\"\n";
    room.sandbox.write("tenterhook.toml", see).unwrap();
    room.sandbox.write("a.txt", "content of a").unwrap();
    room.sandbox.write("b.txt", "content of b").unwrap();
    let mut run = room.start(&[]);
    run.prompt("see @a.txt");
    assert_eq!(run.wait_for("prompt")["text"], "[hooked] see @b.txt");
    assert_eq!(run.wait_for("reply")["text"], "b it is");
    run.end();
    let seen = lines(&room, "seen.jsonl");
    let prompts: Vec<_> = seen.iter().map(|value| &value["prompt"]).collect();
    let text = "[hooked] see @b.txt";
    // The gate before the call sees all that it would send (HO-1).
    let call = format!("{text}\n\nThe file `b.txt`:\ncontent of b");
    assert_eq!(prompts, [text, text, &call], "{seen:?}");
    let [request] = requests(&room).try_into().expect("one request");
    assert!(request.contains("[hooked] see @b.txt") && request.contains("content of b"));
    let history = kept(&run).concat();
    assert!(history.contains("[hooked] see @b.txt"), "{history}");
    let transcript = run.of("session")[0]["transcript_path"].as_str().unwrap().to_owned();
    room.ask("go on", &["--resume", &transcript]);
    let later = requests(&room).pop().unwrap();
    assert!(later.contains("[hooked] see @b.txt") && later.contains("go on"), "{later}");
    for text in [&request, &history, &later] {
        assert!(!text.contains("a.txt") && !text.contains("content of a"), "{text}");
    }
}

/// `dispatch_user_message_blocked_by_message_submit_hook_does_not_start_turn`, CW-S10, C 4: no history, no request, no turn,
/// nothing is loading, the reason is shown, the text comes back, and what waits goes on.
#[test]
fn a_blocked_message_leaves_nothing() {
    let room = room(&[entry("message_submit", NO_SECRETS, "")], HELLO);
    let see = "[hook.see]\non = [\"UserPromptCommitted\", \"TurnStart\", \"TurnComplete\"]\nshell = \"true\"\n";
    room.sandbox.write("tenterhook.toml", see).unwrap();
    let mut run = room.start(&[]);
    run.prompt("tell the secret");
    let refused = run.wait_for("refused");
    assert_eq!(refused["text"], "tell the secret");
    assert!(refused["reason"].as_str().unwrap().contains("no secrets here"), "{refused}");
    assert_eq!(kept(&run), [""; 0]);
    assert_eq!(requests(&room), [""; 0]);
    assert!(loading(&run).is_empty() && run.of("prompt").is_empty(), "{:?}", run.heard);
    // One that waits for its turn is refused the same way, and the one behind it goes on.
    run.say(json!({"type": "queue", "text": "another secret"}));
    run.say(json!({"type": "queue", "text": "say hello"}));
    assert_eq!(run.wait_for("refused")["text"], "another secret");
    assert_eq!(run.wait_for("reply")["text"], "hello");
    run.end();
    let told = ["UserPromptSubmit", "UserPromptSubmit", "UserPromptSubmit"];
    let turn = ["UserPromptCommitted", "TurnStart", "TurnComplete"];
    assert_eq!(run.events(), [&told[..], &turn[..]].concat());
    assert_eq!(loading(&run), [true, false]);
    let [request] = requests(&room).try_into().expect("one request");
    assert!(!(request + &kept(&run).concat()).contains("secret"));
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
        let room = room(&entries, HELLO);
        let run = room.ask("hello", &[]);
        let [warning] = run.of("warn").try_into().expect("one warning");
        assert_eq!(warning["event"], "message_submit");
        assert!(warning["reason"].as_str().unwrap().contains(words), "{warning}");
        assert_eq!(run.of("prompt")[0]["text"], "[hooked] hello");
        let [request] = requests(&room).try_into().expect("one request");
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
    let room = room(&[entry("message_submit", hook, "")], WORKS);
    let mut run = room.start(&["--allow", "Bash(*)"]);
    run.prompt("work");
    run.wait_for("tool");
    run.prompt("the secret way");
    assert_eq!(run.wait_for("refused")["text"], "the secret way");
    run.prompt("faster");
    run.wait("the steer", |message| {
        message["type"] == "prompt" && message["text"] == "[hooked] faster"
    });
    room.sandbox.write("go", "").unwrap();
    run.wait_for("turn_ended");
    run.end();
    let texts: Vec<_> =
        lines(&room, "seen.jsonl").iter().map(|line| line["text"].clone()).collect();
    assert_eq!(texts, ["work", "the secret way", "faster"], "each once");
    let [_, second] = requests(&room).try_into().expect("one turn of two requests");
    assert_eq!(second.matches("faster").count(), 1, "{second}");
    assert!(second.contains("[hooked] faster") && !second.contains("secret"), "{second}");
    assert_eq!(loading(&run), [true, false], "the turn went on");
    assert_eq!(run.of("warn").len(), 1, "the denied one is told");
}

/// `lost_strict_message_submit_executor_keeps_dispatch_atomic_and_recoverable`: a strict gate that is lost refuses the text as
/// it was, nothing of it is kept, and the next one goes.
#[test]
fn a_lost_gate_gives_the_text_back_and_the_next_one_goes() {
    let hook = "if test ! -e mended; then kill -9 $$; fi; cat >/dev/null";
    let room = room(&[entry("message_submit", hook, "continue_on_error = false")], HELLO);
    let mut run = room.start(&[]);
    run.prompt("hello there");
    assert_eq!(run.wait_for("refused")["text"], "hello there");
    assert_eq!((kept(&run), requests(&room)), (vec![], vec![]));
    room.sandbox.write("mended", "").unwrap();
    run.prompt("hello again");
    assert_eq!(run.wait_for("reply")["text"], "hello");
    run.end();
    assert_eq!(loading(&run), [true, false]);
    assert!(!kept(&run).concat().contains("hello there"));
}

/// `full_dispatch_completion_mailbox_restores_message_without_stuck_dispatch` and `closed_...`: however many texts wait for
/// their hooks, none is lost and each is told once; who leaves meanwhile is not held up.
#[test]
fn no_text_is_lost_however_many_wait_for_their_hooks() {
    let hook =
        "touch began; until test -e go; do sleep 0.01; done; if grep -q ' 7\"'; then exit 2; fi";
    let texts: Vec<_> = (0..40).map(|at| format!("text {at}")).collect();
    for goes in [true, false] {
        let room = room(&[entry("message_submit", hook, "")], HELLO);
        let mut run = room.start(&[]);
        for text in &texts {
            run.prompt(text);
        }
        if goes {
            room.sandbox.write("go", "").unwrap();
            let told = |value: &Value| value["type"] == "prompt" || value["type"] == "refused";
            run.wait_many("text", texts.len(), told);
        } else {
            room.until("the hook", || room.sandbox.project().join("began").exists());
            run.say(json!({"type": "quit"}));
        }
        run.end();
        let text = |prompt: &&Value| prompt["text"].as_str().unwrap().to_owned();
        let told: BTreeSet<_> = run.of("prompt").iter().map(text).collect();
        let back: Vec<_> = run.of("refused").iter().map(text).collect();
        if goes {
            assert_eq!(told, texts.iter().filter(|text| *text != "text 7").cloned().collect());
            assert_eq!(back, ["text 7"]);
            assert_eq!(loading(&run).last(), Some(&&json!(false)));
        } else {
            assert_eq!((told.len(), kept(&run)), (0, vec![]), "nobody agreed to any");
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
    let room = room(&[entry("message_submit", hook, "")], &WORKS.replace("work", "begin"));
    let mut run = room.start(&["--allow", "Bash(*)"]);
    run.prompt("begin");
    run.wait_for("tool");
    for (kind, name) in
        [("prompt", "steer"), ("prompt", "another"), ("queue", "waits"), ("queue", "again")]
    {
        run.say(json!({"type": kind, "text": format!("{name} {long}")}));
    }
    run.wait_many("steer", 2, |message| message["type"] == "prompt");
    room.sandbox.write("go", "").unwrap();
    let refused = run.wait_for("refused")["text"].as_str().unwrap().to_owned();
    assert_eq!(refused, format!("again {long}"));
    room.sandbox.write("mended", "").unwrap();
    run.prompt(&refused);
    run.wait("the last", |message| {
        message["type"] == "prompt" && message["text"].as_str().unwrap().contains("again")
    });
    run.end();
    let seen = lines(&room, "seen.jsonl");
    let names: Vec<_> =
        ["steer", "another", "waits", "again", "again"].map(|text| format!("{text} {long}")).into();
    let texts: Vec<_> = seen.iter().skip(1).map(|value| value["text"].as_str().unwrap()).collect();
    assert_eq!(texts, names);
    assert!(seen.iter().all(|value| value["text_truncated"] == false));
    let last = requests(&room).pop().unwrap();
    for name in ["steer", "another", "waits", "again"] {
        assert!(last.contains(&format!("[hooked] {name} {long}")), "{name} is not whole");
    }
}
