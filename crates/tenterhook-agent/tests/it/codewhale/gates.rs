//! Tool calls: gates that are lost, rewrites that are judged, and the hooks that see the calls that ran.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{entry, fixture, lines};

/// One call, and what it leaves.
const RUNS: &str = r#"
[[reply]]
call = [{ tool = "Bash", input = { command = "echo ran >> ran.txt" } }]
[[reply]]
text = "done"
"#;

/// `lost_executor_fails_closed_for_every_matched_strict_gate`, `lost_executor_does_not_deny_when_no_strict_gate_matched`: a
/// gate whose process is gone gave no answer, and where it is strict and was meant, that denies.
#[test]
fn a_lost_gate_denies_where_it_is_strict_and_was_meant() {
    const STRICT: &str = "continue_on_error = false";
    const ELSEWHERE: &str =
        "continue_on_error = false\ncondition = { type = \"tool_name\", name = \"File\" }";
    for (gates, runs, texts) in [
        (&[("one", STRICT)][..], false, &["one"][..]),
        (&[("one", ""), ("two", STRICT)], false, &["one", "two"]),
        (&[("one", STRICT), ("two", STRICT)], false, &["one", "two"]),
        (&[("one", ELSEWHERE)], true, &[]),
        (&[("one", "")], true, &["one"]),
    ] {
        let gates: Vec<_> = gates
            .iter()
            .map(|(name, rest)| {
                entry("tool_call_before", "kill -9 $$", &format!("name = \"{name}\"\n{rest}"))
            })
            .collect();
        let fixture = fixture(&gates, RUNS);
        let run = fixture.ask("go", &["--allow", "Bash(*)"]);
        assert_eq!(fixture.text("ran.txt"), if runs { "ran\n" } else { "" }, "{gates:?}");
        let result = run.of_kind("tool_result")[0];
        assert_eq!(result["is_error"], !runs, "{result}");
        let warnings: Vec<_> =
            run.of_kind("warn").iter().map(|value| value["reason"].as_str().unwrap()).collect();
        let names: Vec<_> =
            warnings.iter().map(|reason| reason.split('`').nth(1).unwrap()).collect();
        assert_eq!(names, texts, "{gates:?}: {warnings:?}");
    }
}

/// `lost_executor_receipts_are_bounded_and_defanged`: the model and the person read which gate it was, in one short line
/// without what drives a terminal, and nothing of its command.
#[test]
fn what_is_said_of_a_lost_gate_is_one_short_line() {
    let name = format!("evil\\u001b[2J\\nname {}", "x".repeat(500));
    let rest = format!("continue_on_error = false\nname = \"{name}\"");
    let gate = entry("tool_call_before", "token=hush-hush; kill -9 $$", &rest);
    let fixture = fixture(&[gate], RUNS);
    let run = fixture.ask("go", &["--allow", "Bash(*)"]);
    let text = run.of_kind("tool_result")[0]["text"].as_str().unwrap();
    assert!(text.contains("evil"), "{text}");
    assert!(text.chars().count() <= 400 && !text.contains(char::is_control), "{text}");
    assert!(!format!("{:?}", run.received).contains("hush-hush"), "{:?}", run.received);
}

/// `acp_strict_tool_call_before_deny_blocks_before_execution`, `acp_hook_rewrite_is_reprepared_and_policy_is_re_evaluated`: on
/// the lines of JSON as everywhere, a denied call never starts, and a rewritten one is judged as the call that it became.
#[test]
fn a_program_that_speaks_lines_is_held_to_the_same_gates() {
    let deny =
        entry("tool_call_before", "echo 'not here' >&2; exit 2", "continue_on_error = false");
    let room_of_deny = fixture(&[deny], RUNS);
    let run = room_of_deny.ask("go", &["--allow", "Bash(*)"]);
    assert!(run.of_kind("tool").is_empty(), "it never starts");
    assert!(run.of_kind("tool_result")[0]["text"].as_str().unwrap().contains("not here"));
    assert_eq!(room_of_deny.text("ran.txt"), "");

    let rewrite = entry(
        "tool_call_before",
        r#"echo '{"updatedInput": {"command": "echo other >> ran.txt"}}'"#,
        "",
    );
    for (args, ran) in [
        (&["--allow", "Bash(*)"][..], "other\n"),
        (&["--allow", "Bash(*)", "--deny", "Bash(echo other *)"], ""),
        // What may run without a question is the call that runs, not the one that was asked for.
        (&["--allow", "Bash(echo ran *)"], ""),
    ] {
        let fixture = fixture(std::slice::from_ref(&rewrite), RUNS);
        let mut run = fixture.start(args);
        run.prompt("go");
        let next = run.wait("the call or the question", |message| {
            message["type"] == "ask" || message["type"] == "tool_result"
        });
        if next["type"] == "ask" {
            assert_eq!(next["input"]["command"], "echo other >> ran.txt");
            run.send_line(json!({"type": "decide", "id": next["id"], "allow": false}));
        }
        run.end();
        assert_eq!(fixture.text("ran.txt"), ran, "{args:?}");
    }
}

/// `ignored_tool_calls_still_fire_after_and_error_hooks_once`: every call that ran is reported once, those of a subagent, which
/// the conversation never shows, too; a failed one once more to those who wait for errors.
#[test]
fn every_call_that_ran_is_reported_once() {
    let says = |file: &str| {
        format!(
            "printf '{{\"id\": \"%s\", \"ok\": \"%s\"}}\\n' \"$DEEPSEEK_TOOL_CALL_ID\" \"$DEEPSEEK_TOOL_SUCCESS\" >> {file}"
        )
    };
    let entries = [
        entry("tool_call_after", &says("after.jsonl"), ""),
        entry("on_error", &says("errors.jsonl"), ""),
        entry("tool_call_before", "if grep -q forbidden; then exit 2; fi", ""),
    ];
    let script = r#"
[[reply]]
on = "go"
call = [
  { tool = "Bash", input = { command = "true" } },
  { tool = "Bash", input = { command = "false" } },
  { tool = "Bash", input = { command = "echo forbidden" } },
  { tool = "Task", input = { description = "look", prompt = "look inside" } },
]
[[reply]]
on = "look inside"
call = [{ tool = "Bash", input = { command = "exit 3" } }]
[[reply]]
repeat = true
text = "done"
"#;
    let fixture = fixture(&entries, script);
    let run = fixture.ask("go", &["--allow", "Bash(*)"]);
    let ran: BTreeMap<String, bool> = run
        .of_kind("tool_result")
        .iter()
        .filter(|tool_result| !tool_result["text"].as_str().unwrap().contains("was refused"))
        .map(|tool_result| {
            (tool_result["id"].as_str().unwrap().to_owned(), tool_result["is_error"] == false)
        })
        .collect();
    assert_eq!(ran.len(), 4);
    let records_in = |file: &str| {
        let mut all: Vec<_> = lines(&fixture, file)
            .into_iter()
            .map(|line| (line["id"].as_str().unwrap().to_owned(), line["ok"] == "true"))
            .collect();
        all.sort();
        all
    };
    assert_eq!(records_in("after.jsonl"), ran.clone().into_iter().collect::<Vec<_>>());
    let failed: Vec<_> = ran.into_iter().filter(|(_, ok)| !ok).collect();
    assert_eq!((records_in("errors.jsonl"), failed.len()), (failed.clone(), 2));
}

/// `read_only_shell_skips_shell_env_hooks`: where nothing may run, no hook is asked for its environment.
#[test]
fn a_shell_that_may_not_run_asks_for_no_environment() {
    for (mode, asked) in [("plan", ""), ("bypassPermissions", "asked\n")] {
        let fixture = fixture(&[entry("shell_env", "echo asked >> asked.txt", "")], RUNS);
        let run = fixture.ask("go", &["--permission-mode", mode]);
        assert_eq!(run.of_kind("tool_result")[0]["is_error"], Value::Bool(mode == "plan"));
        assert_eq!(fixture.text("asked.txt"), asked, "{mode}");
    }
}
