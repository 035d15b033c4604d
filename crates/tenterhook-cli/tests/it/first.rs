//! The first five minutes: `init`, `demo --write`, `explain CODE`, `events --sample`, `completions`, and events in words.

use crate::fixture::Fixture;

#[test]
fn a_first_file_is_right_and_its_cases_hold() {
    let fixture = Fixture::new();
    fixture.write("project/.git/HEAD", "");
    fixture.write("project/deep/a", "");
    let output = fixture.run_in("project/deep", &["init"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    for (args, code) in [
        (&["check"][..], 0),
        (&["test"], 0),
        (&["test", "--mutate"], 0),
        (&["fire", "Bash", "git push --force"], 2),
        (&["fire", "Bash", "git push"], 0),
    ] {
        let output = fixture.run(args, "");
        assert_eq!(output.code, code, "{args:?}\n{}{}", output.stdout, output.stderr);
    }
    fixture.write("project/tenterhook.toml", "# mine");
    let output = fixture.run(&["init"], "");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("is there already"), "{}", output.stderr);
    assert_eq!(std::fs::read_to_string(fixture.path("project/tenterhook.toml")).unwrap(), "# mine");
}

#[test]
fn the_examples_can_be_left_and_played_with() {
    let fixture = Fixture::new();
    let output = fixture.run(&["demo", "--write", "play"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(fixture.run_in("project/play", &["test"], "").code, 0);
    assert_eq!(fixture.run_in("project/play", &["check"], "").code, 0);
    assert_eq!(fixture.run_in("project/play", &["demo", "--from", "."], "").code, 0);
    assert_eq!(fixture.run(&["demo", "--write", "play"], "").code, 1);
}

#[test]
fn a_rule_and_a_code_are_explained() {
    let fixture = Fixture::new();
    let output = fixture.run(&["explain", "S-61"], "");
    assert!(
        output.code == 0 && output.stdout.contains("docs/spec/config-claude.md"),
        "{}",
        output.stdout
    );
    let output = fixture.run(&["explain", "dead-matcher", "--format", "json"], "");
    assert!(
        output.code == 0 && output.stdout.contains("docs/spec/diagnostics.md"),
        "{}",
        output.stdout
    );
    let output = fixture.run(&["explain", "ded-matcher"], "");
    assert!(output.code == 1 && output.stderr.contains("did you mean `dead-matcher`?"));
    // No rule has this number.
    assert_eq!(fixture.run(&["explain", &format!("S-{}", 9999)], "").code, 1);
}

#[test]
fn a_sample_can_be_fired() {
    let fixture = Fixture::with_settings(
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "grep -q force && exit 2"}]}]}}"#,
    );
    let claude = "tenterhook events PreToolUse --sample | tenterhook fire -";
    assert_eq!(fixture.shell(claude).code, 2);
    let other = "tenterhook events tool_call_before --sample --dialect codewhale | tenterhook fire --dialect codewhale";
    assert_eq!(fixture.shell(other).code, 2);
    let output = fixture.run(&["events", "PreToolUze", "--sample"], "");
    assert!(output.code == 1 && output.stderr.contains("`PreToolUse`"), "{}", output.stderr);
}

#[test]
fn events_in_words_are_explained_and_fired() {
    let fixture = Fixture::with_settings(
        r#"{"hooks": {
          "Stop": [{"hooks": [{"type": "command", "command": "echo wait >&2; exit 2"}]}],
          "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "grep -q secret && exit 2; exit 0"}]}]}}"#,
    );
    assert!(fixture.run(&["explain", "Stop"], "").stdout.contains("1 of 2 hooks runs"));
    assert!(
        fixture
            .run(&["explain", "UserPromptSubmit", "hi"], "")
            .stdout
            .contains("1 of 2 hooks runs")
    );
    assert_eq!(fixture.run(&["fire", "Stop"], "").code, 2);
    assert_eq!(fixture.run(&["fire", "UserPromptSubmit", "the secret"], "").code, 2);
    assert_eq!(fixture.run(&["fire", "UserPromptSubmit", "the rest"], "").code, 0);
}

#[test]
fn files_are_named_the_same_way_everywhere() {
    let fixture = Fixture::new();
    fixture.write("project/a.toml", "[hook.a]\non = 'Stop'\nshell = 'true'\n");
    for command in ["check", "list"] {
        let behind = fixture.run(&[command, "native=a.toml"], "");
        let with = fixture.run(&[command, "--config", "native=a.toml"], "");
        assert_eq!((behind.code, &behind.stdout), (0, &with.stdout), "{command}: {}", with.stderr);
    }
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let output = Fixture::new().run(&["completions", shell], "");
        assert!(output.code == 0 && output.stdout.contains("TENTERHOOK_COMPLETE"), "{shell}");
    }
}

/// Returns what Bash offers for the last of the words behind `tenterhook`, by the printed script.
fn completed(fixture: &Fixture, words: &str) -> Vec<String> {
    let index = words.split(' ').count();
    let last = words.rsplit(' ').next().unwrap();
    let script = format!(
        "source <(tenterhook completions bash); COMP_WORDS=(tenterhook {words}); COMP_CWORD={index}; \
         _clap_complete_tenterhook tenterhook {last}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    fixture.write("project/complete.sh", &script);
    fixture.shell("bash complete.sh").stdout.lines().map(str::to_owned).collect()
}

#[test]
fn completions_offer_agents_packs_rules_events_files_and_hooks() {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", "[hook.no-push]\non = 'Stop'\nshell = 'true'\n");
    for (words, offered) in [
        ("install cl", &["claude", "cline"][..]),
        ("hook --agent code", &["codex"]),
        ("reconcile --agent openco", &["opencode"]),
        ("check --dialect ig", &["ignis"]),
        ("rules show gu", &["guardrails"]),
        ("rules show guardrails force-push-", &["force-push-main"]),
        ("fire --event SessionS", &["SessionShutdown", "SessionStart"]),
        ("fire Notifica", &["Notification"]),
        ("check tenterh", &["tenterhook.toml"]),
        ("log --hook no-", &["no-push"]),
        ("promote no-", &["no-push"]),
    ] {
        assert_eq!(completed(&fixture, words), offered, "{words}");
    }
}

#[test]
fn completions_offer_the_codes_of_recent_denials() {
    let fixture = Fixture::new();
    let user = "home/.config/tenterhook/tenterhook.toml";
    fixture.write(user, "[hook.no]\non = 'PreToolUse'\nshell = 'echo no >&2; exit 2'\n");
    fixture.run(&["fire", "Bash", "ls"], "");
    let firing: serde_json::Value =
        serde_json::from_str(&fixture.run(&["log", "--format", "json"], "").stdout).unwrap();
    let code = firing["code"].as_str().unwrap();
    assert_eq!(completed(&fixture, &format!("allow once {}", code.get(..2).unwrap())), [code]);
}

/// The variable of a completion script does not turn a call of an agent into a silent consent.
#[test]
fn completion_variable_without_dashes_leaves_a_call_as_it_is() {
    let fixture = Fixture::new();
    let line = "TENTERHOOK_COMPLETE=bash tenterhook hook --agent claude --event PreToolUse";
    let output = fixture.shell(&format!("{line} </dev/null"));
    assert!(output.stdout.contains("\"permissionDecision\":\"deny\""), "{}", output.all());
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let fixture = Fixture::new();
    let output = fixture.run(&["man", "pages/man1"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    for page in ["tenterhook", "tenterhook-fire", "tenterhook-rules-add"] {
        let text = std::fs::read_to_string(fixture.path(&format!("project/pages/man1/{page}.1")));
        assert!(text.is_ok_and(|text| text.contains(".SH SYNOPSIS")), "{page}");
    }
}

#[test]
fn a_pack_is_taken_away_unless_it_was_changed() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["rules", "remove", "guardrails"], "").code, 1);
    fixture.run(&["rules", "add", "guardrails", "--project"], "");
    let file = "project/tenterhook.guardrails.toml";
    let text = std::fs::read_to_string(fixture.path(file)).unwrap();
    fixture.write(file, &text.replacen("deny = ", "ask = ", 1));
    assert_eq!(fixture.run(&["rules", "remove", "guardrails", "--project"], "").code, 1);
    assert!(fixture.path(file).exists());
    assert_eq!(fixture.run(&["rules", "remove", "guardrails", "--project", "--force"], "").code, 0);
    assert!(!fixture.path(file).exists());
}
