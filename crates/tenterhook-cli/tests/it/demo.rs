//! `demo`: plays anywhere, and shows what the hooks in front of it do.

use std::fs;

use crate::fixture::{Fixture, copy, examples};

#[test]
fn plays_from_copies_where_there_is_no_repository() {
    let output = Fixture::new().run(&["demo"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("the built-in examples"), "{}", output.stdout);
    for verdict in ["BLOCKED", "ASK FIRST", "proceed", "text-before-answer"] {
        assert!(output.stdout.contains(verdict), "{verdict}: {}", output.stdout);
    }
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines.len() <= 124, "{}", lines.len());
    for dialect in ["claude", "gen", "ignis", "codewhale", "reasonix"] {
        assert!(output.stdout.contains(&format!("ran {dialect} ")), "{dialect}: {}", output.stdout);
    }
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", output.stdout);
}

#[test]
fn a_changed_hook_changes_the_timeline() {
    let fixture = Fixture::new();
    copy(&examples(), &fixture.path("project"));
    let before = fixture.run(&["demo", "--from", "."], "");
    assert!(!before.stdout.contains("changed by hand"), "{}", before.stderr);
    let hook = fixture.path("project/hooks/protect-secrets.sh");
    let text = fs::read_to_string(&hook).unwrap();
    fs::write(&hook, text.replace("This file holds secrets.", "changed by hand.")).unwrap();
    let after = fixture.run(&["demo", "--from", "."], "");
    assert!(after.stdout.contains("changed by hand"), "{}", after.stdout);
}

#[test]
fn hooks_of_five_agents_answer_the_same_one() {
    let output = Fixture::new().run(&["demo", "--mixed"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    for shown in [
        "ran claude     say-what-to-run.sh",
        "ran gen        ask-before-publish.sh",
        "ran ignis      write-out.sh",
        "ran codewhale  name-the-issue.sh",
        "ran reasonix   nothing-left-to-do.sh  (exit 2)",
        "new prompt: please publish the client as soon as you can (issue #12)",
        "reason: You wrote TODO.",
        "9 events, 14 hook runs, 3 blocked, 1 asked first",
    ] {
        assert!(output.stdout.contains(shown), "{shown}: {}", output.stdout);
    }
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines.len() <= 60, "{}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", output.stdout);
}
