//! Observers: in the background, without delay, and what they receive of the session and its turns.

use serde_json::json;

use super::{HELLO, entry, fixture, lines};

/// Ruling 8: every event of CodeWhale fires here, under its own name and with its variables.
#[test]
fn all_eleven_events_fire_with_their_variables() {
    const EVENTS: &[(&str, &str)] = &[
        ("session_start", "$DEEPSEEK_MODE"),
        ("message_submit", "$DEEPSEEK_MESSAGE"),
        ("tool_call_before", "$DEEPSEEK_TOOL_NAME"),
        ("shell_env", "$DEEPSEEK_TOOL_NAME"),
        ("tool_call_after", "$DEEPSEEK_TOOL_SUCCESS"),
        ("subagent_spawn", "$DEEPSEEK_MESSAGE"),
        ("subagent_complete", "$DEEPSEEK_MESSAGE"),
        ("turn_end", "$DEEPSEEK_MODE"),
        ("on_error", "$DEEPSEEK_ERROR"),
        ("mode_change", "$DEEPSEEK_PREVIOUS_MODE $DEEPSEEK_MODE"),
        ("session_end", "$DEEPSEEK_MODE"),
    ];
    let says = |(event, words): &(&str, &str)| {
        entry(event, &format!("echo \"{event} {words}\" >> fired.txt"), "")
    };
    let script = r#"
[[reply]]
on = "work"
call = [
  { tool = "Bash", input = { command = "true" } },
  { tool = "Task", input = { description = "look", prompt = "look inside" } },
]
[[reply]]
on = "look inside"
text = "seen"
[[reply]]
on = "fall over"
error = "overloaded"
[[reply]]
text = "done"
"#;
    let fixture = fixture(&EVENTS.iter().map(says).collect::<Vec<_>>(), script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    for prompt in ["work", "fall over"] {
        run.prompt(prompt);
        run.wait_for("turn_ended");
    }
    run.prompt("/permissions plan");
    run.end();
    let fired = fixture.text("fired.txt");
    assert_eq!(
        fired.lines().collect::<Vec<_>>(),
        [
            "session_start agent",
            "message_submit work",
            "tool_call_before bash",
            "shell_env bash",
            "tool_call_after true",
            "tool_call_before Task",
            "subagent_spawn look inside",
            "subagent_complete seen",
            "tool_call_after true",
            "turn_end agent",
            "message_submit fall over",
            "on_error the script fails here with `overloaded`",
            "turn_end agent",
            "mode_change agent plan",
            "session_end plan",
        ]
    );
    let fires = |pair: &&(&str, &str)| fired.lines().any(|line| line.starts_with(pair.0));
    assert!(EVENTS.iter().all(|event| fires(&event)));
}

/// Ruling 12, CW-S17: `/hooks events` says in CodeWhale's words what its hooks may do.
#[test]
fn events_are_listed_in_the_words_of_codewhale() {
    let fixture = fixture(&[], HELLO);
    let mut run = fixture.start(&[]);
    let mut page = |command: &str| {
        run.prompt(command);
        run.wait_for("page")["text"].as_str().unwrap().to_owned()
    };
    let text = page("/hooks events codewhale");
    let words = |event: &str| {
        let (_, rest) = text.split_once(&format!("{event} ")).unwrap();
        rest.lines().nth(1).unwrap().trim().to_owned()
    };
    assert!(text.contains("a hook may transform or block its text"), "{text}");
    assert_eq!(words("message_submit"), "a hook may: deny, rewrite prompt");
    for event in ["turn_end", "subagent_spawn", "subagent_complete"] {
        assert_eq!(words(event), "a hook may: observe", "{event}");
    }
    assert!(page("/hooks events whale").contains("no agent is called `whale`: it is one of"));
    run.end();
}

/// `bounded_observer_dispatcher_executes_a_submitted_event`: an observer in the background runs, and the agent does not wait for it.
#[test]
fn background_observer_runs_without_delay() {
    let hook =
        "until test -e go; do sleep 0.01; done; cat > seen.$$; mv seen.$$ seen.json; touch done";
    let waits = "if test -e go; then until test -e done; do sleep 0.01; done; fi";
    let entries =
        [entry("turn_end", hook, "background = true"), entry("message_submit", waits, "")];
    let fixture = fixture(&entries, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    // The next turn begins and ends while the hook of the first still waits.
    run.prompt("again");
    run.wait_for("turn_ended");
    assert_eq!(fixture.text("seen.json"), "");
    fixture.sandbox.write("go", "").unwrap();
    run.prompt("go on when it has run");
    run.wait_for("turn_ended");
    assert!(fixture.text("seen.json").contains("\"turn_end\""));
}

/// C 9, CW-S13: an observer that fails, strict or not, is a warning, and the next one runs; the turn ends as it did.
#[test]
fn failing_observer_does_not_stop_the_next() {
    let mut entries: Vec<_> = ["exit 1", "exit 2", "kill -9 $$", "./no-such-program"]
        .map(|text| entry("turn_end", text, "continue_on_error = false"))
        .into();
    entries.push(entry("turn_end", "cat >> seen.jsonl", ""));
    let fixture = fixture(&entries, HELLO);
    let run = fixture.ask("hi", &[]);
    let warned = run.of_kind("warn").into_iter().filter(|value| value["event"] == "turn_end");
    assert_eq!(warned.count(), 4);
    assert_eq!(lines(&fixture, "seen.jsonl")[0]["status"], "completed");
    assert_eq!(run.of_kind("turn_ended")[0]["error"], json!(null));
}

/// `observer_dispatch_failures_are_event_specific_and_fixed`: an observer that cannot be started any more is reported with its
/// event, in words that hold nothing of the payload or the command.
#[test]
fn observer_over_the_limit_is_reported_with_its_event() {
    let holds = entry("session_start", "sleep 1000", "background = true").repeat(256);
    let late = |event: &str| entry(event, "token=hush-hush", "background = true");
    let script = "[[reply]]\ncall = [{ tool = \"Read\", input = { file_path = \"script.toml\" } }]\n\
                  [[reply]]\ntext = \"hello\"\n";
    let fixture = fixture(&[holds, late("tool_call_after"), late("turn_end")], script);
    let run = fixture.ask("a private prompt", &["--exit-wait", "0"]);
    assert_eq!(run.of_kind("reply")[0]["text"], "hello", "it stops nothing");
    let all = run.of_kind("warn");
    let cut = all.iter().filter(|line| line.to_string().contains("--exit-wait")).count();
    assert_eq!(cut, 17, "16 of those that were ended are named, and the rest are counted");
    let warnings: Vec<_> =
        all.into_iter().filter(|line| !line.to_string().contains("--exit-wait")).collect();
    let events: Vec<_> = warnings.iter().map(|value| value["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["tool_call_after", "turn_end"]);
    let reason = |at: usize| {
        let whole = warnings[at]["reason"].as_str().unwrap();
        whole.split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(reason(0), reason(1), "behind the name of the hook the words are fixed");
    assert!(warnings.iter().all(|value| {
        let text = value.to_string();
        !text.contains("hush-hush") && !text.contains("script.toml")
    }));
}

/// `test_executor_session_id`: a session has a name, which every hook receives, as a variable and in the object; a second session
/// has a different one.
#[test]
fn every_session_has_a_name_of_its_own() {
    let by_variable = r#"echo "$DEEPSEEK_SESSION_ID" >> ids.txt"#;
    let by_object = r#"sed 's/.*"session_id":"\([^"]*\)".*/\1/' >> ids.txt"#;
    let entries = [
        entry("session_start", by_variable, ""),
        entry("message_submit", by_object, ""),
        entry("turn_end", by_object, ""),
        entry("session_end", by_variable, ""),
    ];
    let fixture = fixture(&entries, HELLO);
    let mut names = Vec::new();
    for _ in 0..2 {
        let run = fixture.ask("hi", &[]);
        names.push(run.of_kind("session")[0]["session_id"].as_str().unwrap().to_owned());
    }
    assert!(names[0] != names[1] && !names[0].is_empty(), "{names:?}");
    let text = fixture.text("ids.txt");
    let expected: Vec<_> =
        names.iter().flat_map(|name| std::iter::repeat_n(name.as_str(), 4)).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

/// `completion_only_hook_metadata_is_synthetic_and_non_model`: a turn that ended before any model was asked says so, and has a
/// name like every other.
#[test]
fn a_turn_that_asked_no_model_says_so() {
    let fixture = fixture(&[entry("turn_end", "cat >> turns.jsonl", "")], HELLO);
    let gate =
        "[hook.gate]\non = \"TurnStart\"\nshell = \"if grep -q forbidden; then exit 2; fi\"\n";
    fixture.sandbox.write("tenterhook.toml", gate).unwrap();
    let mut run = fixture.start(&[]);
    for prompt in ["forbidden", "hi"] {
        run.prompt(prompt);
        run.wait_for("turn_ended");
    }
    run.end();
    let turns = lines(&fixture, "turns.jsonl");
    let records: Vec<_> = turns
        .iter()
        .map(|turn| json!([turn["turn_id"], turn["status"], turn["model_backed"]]))
        .collect();
    assert_eq!(
        records,
        [json!(["turn_1", "stopped", false]), json!(["turn_2", "completed", true])]
    );
}
