//! A session from its first hook to its last.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::Fixture;

const HELLO: &str = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";

/// The requests that the model was given.
fn requests(fixture: &Fixture) -> Vec<Value> {
    fixture.text("requests.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `InitFiresSetupHook`: on request alone, before the session starts, and its words reach the model.
#[test]
fn setup_runs_on_request_before_the_session_starts() {
    let hooks = r#"
[hook.prepare]
on = "Setup"
match = "maintenance"
shell = '''echo '{"context": "the cache is clean"}' '''
[hook.see]
on = ["Setup", "SessionStart", "TurnStart"]
shell = "true"
"#;
    for (args, events) in [
        (&["--init"][..], &["Setup", "SessionStart", "TurnStart"][..]),
        (&["--maintenance"], &["Setup", "SessionStart", "TurnStart"]),
        (&[], &["SessionStart", "TurnStart"]),
    ] {
        let fixture = Fixture::new(hooks, HELLO);
        assert_eq!(fixture.ask("hi", args).events(), events);
        let has_context =
            requests(&fixture)[0]["system"].as_str().unwrap().contains("the cache is clean");
        assert_eq!(has_context, args == ["--maintenance"]);
    }
}

/// Ruling 29: awaited before the first turn, once; bounded; and empty output leaves the prompt's bytes untouched.
#[test]
fn session_start_adds_what_it_says_and_silence_adds_nothing() {
    let system = |hooks: &str| {
        let fixture = Fixture::new(hooks, HELLO);
        let mut run = fixture.start(&[]);
        run.prompt("one");
        run.wait_for("turn_ended");
        run.prompt("two");
        run.end();
        let events = run.events();
        let turns = events.iter().filter(|event| **event == "TurnStart").count();
        assert!(events.is_empty() || (events[0] == "SessionStart" && turns == 2), "{events:?}");
        assert_eq!(
            events.iter().filter(|event| **event == "SessionStart").count(),
            usize::from(turns > 0)
        );
        requests(&fixture)[1]["system"].as_str().unwrap().to_owned()
    };
    let hook = |line: &str| {
        format!(
            "[hook.a]\non = \"SessionStart\"\nshell = '''sleep 0.2; {line}'''\n[hook.b]\non = \"TurnStart\"\nshell = \"true\"\n"
        )
    };
    let plain = system("");
    assert_eq!(system(&hook("true")), plain, "silence changes no byte");
    let text = system(&hook(r#"echo "{\"context\": \"the branch is red\"}""#));
    assert!(text.starts_with(&plain) && text.contains("the branch is red"), "{text}");
    let flood = system(&hook(
        r#"printf '{"context": "'; head -c 300000 /dev/zero | tr '\0' x; printf '"}'"#,
    ));
    assert!(flood.len() < plain.len() + 20_000, "{}", flood.len());
}

/// `ApplyRuntimeHookOutcomeSetsInitialPrompt`: the first message is a prompt like any other, before the person's.
#[test]
fn a_hook_may_say_the_first_message() {
    let hooks = r#"
[hook.greet]
on = "SessionStart"
shell = '''echo '{"first_message": "read the notes"}' '''
[hook.see]
on = "UserPromptSubmit"
shell = "true"
"#;
    let fixture = Fixture::new(hooks, HELLO);
    let run = fixture.ask("then this", &[]);
    let prompts: Vec<_> =
        run.of_kind("prompt").iter().map(|prompt| prompt["text"].as_str().unwrap()).collect();
    assert_eq!(prompts, ["read the notes", "then this"]);
    assert_eq!(run.events(), ["SessionStart", "UserPromptSubmit", "UserPromptSubmit"]);
}

/// `quit` is enough: the program ends while its input is still open.
#[test]
fn quit_ends_the_program_without_a_wait() {
    let fixture = Fixture::new("", HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.send_line(json!({"type": "quit"}));
    run.wait_for("ended");
    assert_eq!(run.code(), 0);
}

/// Ruling 35: one end, however many ways out are taken at once, and with how many turns and why.
#[test]
fn a_session_ends_once_under_concurrent_exits() {
    let hooks = "[hook.last]\non = \"SessionEnd\"\nshell = \"cat >> end.jsonl; echo >> end.jsonl; sleep 0.3\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.send_line(json!({"type": "quit"}));
    run.signal("TERM");
    run.send_line(json!({"type": "quit"}));
    run.signal("HUP");
    run.signal("TERM");
    assert_eq!(run.end(), 0);
    let text = fixture.text("end.jsonl");
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 1, "{text}");
    let end: Value = serde_json::from_str(lines[0]).unwrap();
    let end = &end["data"];
    assert_eq!(end["turns"], 1);
    assert!(["prompt_input_exit", "other"].contains(&end["reason"].as_str().unwrap()));
}

/// Ruling 35: it cannot hold the exit past its budget, and its failure prevents nothing, at idle and in the middle of a turn.
#[test]
fn session_end_is_not_delayed() {
    let hooks = r#"
[hook.hangs]
on = ["SessionEnd", "UserPromptSubmit", "TurnComplete", "MessageDisplay"]
timeout = "1m"
shell = "if test -e hang; then sleep 60; fi"
[hook.crashes]
on = "SessionEnd"
shell = "kill -9 $$"
[hook.missing]
on = "SessionEnd"
run = ["./no-such-program"]
"#;
    for prompt in [None, Some("hi")] {
        let fixture = Fixture::new(hooks, HELLO);
        let mut run = fixture.start(&["--exit-wait", "1"]);
        run.prompt("first");
        run.wait_for("turn_ended");
        fixture.sandbox.write("hang", "").unwrap();
        prompt.into_iter().for_each(|prompt| run.prompt(prompt));
        let began = Instant::now();
        run.send_line(json!({"type": "quit"}));
        run.end();
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        let cut = |line: &&Value| {
            let reason = line["reason"].as_str().unwrap_or_default();
            line["event"] == "SessionEnd"
                && reason.contains("hook `hangs`: the host gave up waiting")
        };
        assert_eq!(run.of_kind("warn").iter().filter(|line| cut(line)).count(), 1);
    }
}

/// AG-34: more time than there is is a wrong call.
#[test]
fn exit_wait_above_a_minute_is_refused() {
    let fixture = Fixture::new("", HELLO);
    let mut command = fixture.command();
    command.args(["-p", "hi", "--model", "scripted:script.toml", "--exit-wait", "61"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("`--exit-wait 61` is too long: write a number up to 60"), "{stderr}");
}

/// quit: a session whose transcript is gone ends like any other, and once.
#[test]
fn a_session_without_its_transcript_still_ends() {
    let hooks = "[hook.last]\non = \"SessionEnd\"\nshell = \"echo ended >> end.txt\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    let session = run.wait_for("session");
    let transcript = std::path::Path::new(session["transcript_path"].as_str().unwrap());
    std::fs::remove_dir_all(transcript.parent().unwrap()).unwrap();
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.send_line(json!({"type": "quit"}));
    assert_eq!(run.end(), 0);
    assert_eq!(fixture.text("end.txt"), "ended\n");
}

/// `session_id_is_stable_across_every_event_and_survives_a_rebind`, and what ran once or was denied in a row stays so.
#[test]
fn a_resumed_session_is_the_same_one() {
    let hooks = r#"
[hook.once]
on = "SessionStart"
once = true
shell = "echo ran >> once.txt"
[hook.again]
on = "Stop"
shell = "cat >> stops.jsonl; echo >> stops.jsonl; echo 'not yet' >&2; exit 2"
[hook.see]
on = ["SessionStart", "SessionEnd"]
shell = "cat >> life.jsonl; echo >> life.jsonl"
"#;
    let script = "[[reply]]\nrepeat = true\nword_ms = 1\ntext = \"done\"\n";
    let fixture = Fixture::new(hooks, script);
    let mut run = fixture.start(&[]);
    run.prompt("work");
    let session = run.wait_for("session");
    let transcript = session["transcript_path"].as_str().unwrap().to_owned();
    // Denied five times: three are left of eight.
    run.wait_many("denied stop", 5, |line| line["type"] == "hooks" && line["event"] == "Stop");
    run.send_line(json!({"type": "quit"}));
    run.end();
    let before = run
        .of_kind("hooks")
        .iter()
        .filter(|hook| hook["event"] == "Stop" && hook["came"] == "deny")
        .count();
    let mut run = fixture.start(&["--resume", &transcript]);
    assert_eq!(run.wait_for("session")["session_id"], session["session_id"]);
    run.prompt("go on");
    run.wait_for("turn_ended");
    run.end();
    let after = run
        .of_kind("hooks")
        .iter()
        .filter(|hook| hook["event"] == "Stop" && hook["came"] == "deny")
        .count();
    assert_eq!(before + after, 8, "the row goes on where it stopped");
    assert!(
        run.of_kind("warn")
            .iter()
            .any(|value| value["reason"].as_str().unwrap().contains("in a row"))
    );
    assert_eq!(fixture.text("once.txt"), "ran\n");
    let life = fixture.text("life.jsonl");
    let id = session["session_id"].as_str().unwrap();
    assert!(life.lines().filter(|line| !line.is_empty()).all(|line| line.contains(id)), "{life}");
}

/// `SessionStart` on `fork`: a copy goes on under a new name, where what ran once runs again, and the session that it
/// was made of stays as it is; by a command and from the command line.
#[test]
fn a_fork_goes_on_under_a_name_of_its_own() {
    let hooks = r#"
[hook.once]
on = "SessionStart"
match = "fork"
once = true
shell = "echo ran >> once.txt"
[hook.see]
on = ["SessionStart", "SessionEnd"]
shell = "cat >> life.jsonl; echo >> life.jsonl"
"#;
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("remember the number 41");
    run.wait_for("turn_ended");
    run.prompt("/fork");
    run.wait_for("page");
    run.prompt("what was it");
    run.wait_for("turn_ended");
    run.end();
    let sessions: Vec<_> =
        run.of_kind("session").iter().map(|session| session["transcript_path"].clone()).collect();
    let text = |at: usize| std::fs::read_to_string(sessions[at].as_str().unwrap()).unwrap();
    assert!(!text(0).contains("what was it"), "the first session stays as it was");
    assert!(text(1).contains("number 41") && text(1).contains("what was it"));
    let again = fixture.ask("and now", &["--resume", sessions[0].as_str().unwrap(), "--fork"]);
    let last = requests(&fixture).pop().unwrap()["messages"].to_string();
    assert!(last.contains("number 41") && !last.contains("what was it"), "{last}");
    let name =
        |run: &crate::fixture::Run, at: usize| run.of_kind("session")[at]["session_id"].clone();
    let names = [name(&run, 0), name(&run, 1), name(&again, 0)];
    assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
    assert_eq!(fixture.text("once.txt"), "ran\nran\n", "once in each");
    let life = fixture.text("life.jsonl");
    let records: Vec<Value> = life
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|value| {
            json!([value["session"]["id"], value["data"]["source"], value["data"]["reason"]])
        })
        .collect();
    assert_eq!(
        records,
        [
            json!([names[0], "startup", null]),
            json!([names[0], null, "resume"]),
            json!([names[1], "fork", null]),
            json!([names[1], null, "other"]),
            json!([names[2], "fork", null]),
            json!([names[2], null, "other"]),
        ]
    );
}

/// A line that a crash tore costs that line alone, and is reported; `/resume` ends this session and goes on with the other.
#[test]
fn a_torn_transcript_loses_one_line_and_says_so() {
    let hooks = "[hook.see]\non = [\"SessionStart\", \"SessionEnd\"]\nshell = \"cat >> life.jsonl; echo >> life.jsonl\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let run = fixture.ask("remember the number 41", &[]);
    let transcript = run.of_kind("session")[0]["transcript_path"].as_str().unwrap().to_owned();
    let mut text = std::fs::read_to_string(&transcript).unwrap();
    text.push_str("{\"type\":\"message\",\"role\":\"user\",\"te");
    std::fs::write(&transcript, text).unwrap();
    let run = fixture.ask("what was it", &["--resume", &transcript]);
    assert!(
        run.of_kind("warn")
            .iter()
            .any(|value| value["reason"].as_str().unwrap().contains("1 lines"))
    );
    let last = requests(&fixture).pop().unwrap();
    assert!(last["messages"].to_string().contains("the number 41"), "{last}");
    assert!(last["messages"].to_string().contains("what was it"), "{last}");

    let mut run = fixture.start(&[]);
    run.prompt("something else");
    run.wait_for("turn_ended");
    run.prompt(&format!("/resume {transcript}"));
    let page = run.wait_for("page");
    assert!(page["text"].as_str().unwrap().contains("could not be read"), "{page}");
    run.prompt("and now");
    run.wait_for("turn_ended");
    run.end();
    let last = requests(&fixture).pop().unwrap()["messages"].to_string();
    assert!(last.contains("the number 41") && !last.contains("something else"), "{last}");
    let life = fixture.text("life.jsonl");
    let (mut reasons, mut sources) = (Vec::new(), Vec::new());
    for line in life.lines().filter(|line| !line.is_empty()) {
        let line: Value = serde_json::from_str(line).unwrap();
        reasons.extend(line["data"]["reason"].as_str().map(str::to_owned));
        sources.extend(line["data"]["source"].as_str().map(str::to_owned));
    }
    assert_eq!(sources, ["startup", "resume", "startup", "resume"]);
    assert_eq!(reasons, ["other", "other", "resume", "other"]);
}

/// A question that waits, and an absent person: hooks may call them. Typing shows that they are there.
#[test]
fn hooks_call_a_person_who_does_not_answer() {
    let hooks =
        "[hook.bell]\non = \"Notification\"\nshell = \"cat >> bell.jsonl; echo >> bell.jsonl\"\n";
    let script = "[[reply]]\non = \"write\"\ncall = [{ tool = \"Write\", input = { file_path = \"a\", content = \"x\" } }]\n[[reply]]\ntext = \"done\"\n";
    let fixture = Fixture::new(hooks, script);
    let mut run = fixture.start(&["--notify-after", "0.05", "--idle-after", "0.05"]);
    run.prompt("write");
    let ask = run.wait_for("ask");
    let rings = |line: &Value| line["type"] == "hooks" && line["event"] == "Notification";
    run.wait("call about the question", rings);
    assert!(fixture.text("bell.jsonl").contains("permission_prompt"));
    run.send_line(json!({"type": "decide", "id": ask["id"], "allow": true}));
    run.wait_for("turn_ended");
    run.wait("call about the silence", rings);
    assert!(fixture.text("bell.jsonl").contains("idle_prompt"));
    run.end();
    assert_eq!(run.events().len(), 2, "each once");
    assert_eq!(fixture.text("a"), "x");

    let fixture = Fixture::new(hooks, script);
    let run = fixture.ask("hello", &["--notify-after", "30", "--idle-after", "30"]);
    assert!(run.events().is_empty());
}

/// What a turn used, how it ended and what waits, after all state and before the queue (CW-S12).
#[test]
fn end_of_turn_is_reported_before_the_queue_goes_on() {
    let hooks = r#"
[hook.end]
on = "TurnComplete"
shell = "cat >> turns.jsonl; echo >> turns.jsonl"
[hook.next]
on = "UserPromptSubmit"
shell = "wc -l < turns.jsonl >> seen.txt || true"
[hook.hold]
on = "PostToolUse"
shell = "until test -e go; do sleep 0.01; done"
"#;
    let script = r#"
[[reply]]
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
text = "one two three"
[[reply]]
error = "overloaded"
"#;
    let fixture = Fixture::new(hooks, script);
    let mut run = fixture.start(&[]);
    run.prompt("first");
    run.wait_for("tool");
    run.send_line(json!({"type": "queue", "text": "second"}));
    // Lines are read in their order: once this is answered, the queue has the earlier ones.
    run.prompt("steer");
    run.wait("the steer", |line| line["type"] == "prompt" && line["text"] == "steer");
    fixture.sandbox.write("go", "").unwrap();
    run.wait_many("end of a turn", 2, |line| line["type"] == "turn_ended");
    run.end();
    let text = fixture.text("turns.jsonl");
    let turns: Vec<Value> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(turns.len(), 2);
    let first = &turns[0]["data"];
    for (key, value) in [
        ("turn_id", json!("turn_1")),
        ("status", json!("completed")),
        ("error", json!(null)),
        ("tool_count", json!(1)),
        ("queued_message_count", json!(1)),
        ("stop_hook_active", json!(false)),
    ] {
        assert_eq!(first[key], value, "{key}: {first}");
    }
    assert!(
        first["duration_ms"].is_u64() && first["usage"]["output_tokens"].as_u64() > Some(0),
        "{first}"
    );
    assert_eq!(first["totals"]["output_tokens"], first["usage"]["output_tokens"]);
    assert_eq!(
        (&turns[1]["data"]["status"], &turns[1]["data"]["turn_id"]),
        (&json!("failed"), &json!("turn_2"))
    );
    assert!(turns[1]["data"]["error"].as_str().unwrap().contains("overloaded"));
    // The hook of the second prompt finds the end of the first turn written.
    let seen = fixture.text("seen.txt");
    assert_eq!(seen.lines().last().map(str::trim), Some("2"), "{seen}");
    let order: Vec<_> = run.received.iter().filter_map(position).collect();
    assert_eq!(
        order,
        [
            "loading true",
            "loading false",
            "turn ended",
            "TurnComplete",
            "loading true",
            "loading false",
            "turn ended",
            "TurnComplete"
        ]
    );
}

/// CW-S12: a prompt that comes while the end hooks of a turn run belongs to the next turn, and
/// waits for them.
#[test]
fn a_prompt_that_comes_at_the_end_of_a_turn_waits_for_the_next() {
    let hooks = r#"
[hook.end]
on = "TurnComplete"
timeout = "1m"
shell = "touch ending; until test -e go; do sleep 0.1; done"
[hook.next]
on = "UserPromptSubmit"
shell = "true"
"#;
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("first");
    fixture.until("the end of the turn", || fixture.sandbox.project().join("ending").exists());
    run.prompt("second");
    // Lines are read in their order: a wrong one is answered when the prompt was read.
    run.send_line(json!({"type": "queue", "text": "/help"}));
    fixture.sandbox.write("go", "").unwrap();
    run.wait_for("page");
    run.end();
    let turn = ["UserPromptSubmit", "TurnComplete"];
    assert_eq!(run.events(), [turn, turn].concat());
}

fn position(line: &Value) -> Option<String> {
    match line["type"].as_str()? {
        "loading" => Some(format!("loading {}", line["loading"])),
        "turn_ended" => Some("turn ended".to_owned()),
        "hooks" if line["event"] == "TurnComplete" => Some("TurnComplete".to_owned()),
        _ => None,
    }
}
