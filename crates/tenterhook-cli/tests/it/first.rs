//! The first five minutes: `init`, `demo --write`, `explain CODE`, `events --sample`, `completions`, and events in words.

use crate::room::Room;

#[test]
fn a_first_file_is_right_and_its_cases_hold() {
    let room = Room::new();
    room.write("project/.git/HEAD", "");
    room.write("project/deep/a", "");
    let output = room.run_in("project/deep", &["init"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    for (args, code) in [
        (&["check"][..], 0),
        (&["test"], 0),
        (&["test", "--mutate"], 0),
        (&["fire", "Bash", "git push --force"], 2),
        (&["fire", "Bash", "git push"], 0),
    ] {
        let output = room.run(args, "");
        assert_eq!(output.code, code, "{args:?}\n{}{}", output.stdout, output.stderr);
    }
    room.write("project/tenterhook.toml", "# mine");
    let output = room.run(&["init"], "");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("is there already"), "{}", output.stderr);
    assert_eq!(std::fs::read_to_string(room.path("project/tenterhook.toml")).unwrap(), "# mine");
}

#[test]
fn the_examples_can_be_left_and_played_with() {
    let room = Room::new();
    let output = room.run(&["demo", "--write", "play"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(room.run_in("project/play", &["test"], "").code, 0);
    assert_eq!(room.run_in("project/play", &["check"], "").code, 0);
    assert_eq!(room.run_in("project/play", &["demo", "--from", "."], "").code, 0);
    assert_eq!(room.run(&["demo", "--write", "play"], "").code, 1);
}

#[test]
fn a_rule_and_a_code_are_explained() {
    let room = Room::new();
    let output = room.run(&["explain", "S-61"], "");
    assert!(
        output.code == 0 && output.stdout.contains("docs/spec/config-claude.md"),
        "{}",
        output.stdout
    );
    let output = room.run(&["explain", "dead-matcher", "--format", "json"], "");
    assert!(
        output.code == 0 && output.stdout.contains("docs/spec/diagnostics.md"),
        "{}",
        output.stdout
    );
    let output = room.run(&["explain", "ded-matcher"], "");
    assert!(output.code == 1 && output.stderr.contains("did you mean `dead-matcher`?"));
    // No rule has this number.
    assert_eq!(room.run(&["explain", &format!("S-{}", 9999)], "").code, 1);
}

#[test]
fn a_sample_can_be_fired() {
    let room = Room::with_settings(
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "grep -q force && exit 2"}]}]}}"#,
    );
    let claude = "tenterhook events PreToolUse --sample | tenterhook fire -";
    assert_eq!(room.shell(claude).code, 2);
    let other = "tenterhook events tool_call_before --sample --dialect codewhale | tenterhook fire --dialect codewhale";
    assert_eq!(room.shell(other).code, 2);
    let output = room.run(&["events", "PreToolUze", "--sample"], "");
    assert!(output.code == 1 && output.stderr.contains("`PreToolUse`"), "{}", output.stderr);
}

#[test]
fn events_in_words_are_explained_and_fired() {
    let room = Room::with_settings(
        r#"{"hooks": {
          "Stop": [{"hooks": [{"type": "command", "command": "echo wait >&2; exit 2"}]}],
          "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "grep -q secret && exit 2; exit 0"}]}]}}"#,
    );
    assert!(room.run(&["explain", "Stop"], "").stdout.contains("1 of 2 hooks runs"));
    assert!(
        room.run(&["explain", "UserPromptSubmit", "hi"], "").stdout.contains("1 of 2 hooks runs")
    );
    assert_eq!(room.run(&["fire", "Stop"], "").code, 2);
    assert_eq!(room.run(&["fire", "UserPromptSubmit", "the secret"], "").code, 2);
    assert_eq!(room.run(&["fire", "UserPromptSubmit", "the rest"], "").code, 0);
}

#[test]
fn files_are_named_the_same_way_everywhere() {
    let room = Room::new();
    room.write("project/a.toml", "[hook.a]\non = 'Stop'\nshell = 'true'\n");
    for command in ["check", "list"] {
        let behind = room.run(&[command, "native=a.toml"], "");
        let with = room.run(&[command, "--config", "native=a.toml"], "");
        assert_eq!((behind.code, &behind.stdout), (0, &with.stdout), "{command}: {}", with.stderr);
    }
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let output = Room::new().run(&["completions", shell], "");
        assert!(output.code == 0 && output.stdout.contains("canaries"), "{shell}");
    }
}

#[test]
fn a_pack_is_taken_away_unless_it_was_changed() {
    let room = Room::new();
    assert_eq!(room.run(&["rules", "remove", "guardrails"], "").code, 1);
    room.run(&["rules", "add", "guardrails", "--project"], "");
    let file = "project/tenterhook.guardrails.toml";
    let text = std::fs::read_to_string(room.path(file)).unwrap();
    room.write(file, &text.replacen("deny = ", "ask = ", 1));
    assert_eq!(room.run(&["rules", "remove", "guardrails", "--project"], "").code, 1);
    assert!(room.path(file).exists());
    assert_eq!(room.run(&["rules", "remove", "guardrails", "--project", "--force"], "").code, 0);
    assert!(!room.path(file).exists());
}
