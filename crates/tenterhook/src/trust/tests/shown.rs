//! What a person is shown before they approve.

use super::*;

/// T-40: all that an entry says, to the end of it, and what it can do.
#[test]
fn all_that_an_entry_says_is_shown() {
    let room = Room::new();
    room.write("guard.sh", "#!/bin/sh\n");
    room.write(
        "tenterhook.toml",
        "[hook.worker]\non = 'PreToolUse'\nmatch = 'Bash'\nworker = ['./guard.sh', '--strict']\n\
         timeout = '15s'\non_failure = 'ask'\nenv = { LEVEL = '3' }\n\
         [hook.rule]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'not here'\n",
    );
    let review = room.trust().review(&room.source("tenterhook.toml"));
    let [worker, rule] = review.entries.as_slice() else { panic!("{review:?}") };
    let says = |entry: &Entry, lead: &str, text: &str| {
        let found = entry.says.iter().any(|(it, said)| *it == lead && said.contains(text));
        assert!(found, "`{lead}` `{text}`: {:?}", entry.says);
    };
    for (lead, text) in [
        ("for", "Bash"),
        ("runs", "guard.sh --strict"),
        ("env", "LEVEL=3"),
        ("how", "for at most 15s"),
        ("how", "`on_failure` is `ask`"),
    ] {
        says(worker, lead, text);
    }
    says(rule, "deny", "not here");
    assert!(worker.can.contains(&"block calls"), "{:?}", worker.can);
    assert!(rule.can.contains(&"look at the call"), "{:?}", rule.can);
    assert!(!rule.can.contains(&"allow without a question"), "a rule never allows");
}

/// T-40: whether an entry is new, what it runs is another, or it says something else; and what is gone.
#[test]
fn how_an_entry_differs_from_what_was_approved_is_shown() {
    let room = Room::new();
    let found = || {
        let review = room.trust().review(&room.settings());
        (review.entries.iter().map(|it| it.change).collect::<Vec<_>>(), review.gone.len())
    };
    assert_eq!(found(), (vec![Change::New], 0));
    room.approve();
    assert_eq!(found(), (vec![Change::Same], 0));
    room.write(".claude/hooks/lib/words.sh", "WORDS='other'\n");
    assert_eq!(found(), (vec![Change::Files], 0));
    room.write(".claude/settings.json", &GATE.replace("Bash", "Edit"));
    assert_eq!(found(), (vec![Change::Entry], 1));
    let gone = room.trust().review(&room.settings()).gone;
    assert!(gone.iter().all(|it| it.contains("PreToolUse") && it.contains("gate.sh")), "{gone:?}");
    room.write(".claude/settings.json", "{}");
    assert_eq!(found(), (Vec::new(), 1));
}

/// T-6, T-7: a folder is followed so deep and no deeper, and what lies deeper cannot be approved.
#[test]
fn a_folder_that_is_too_deep_cannot_be_approved() {
    for (deep, is_read) in [(pins::DEEPEST, true), (pins::DEEPEST + 1, false)] {
        let room = Room::new();
        room.write(&format!(".claude/hooks/{}x", "d/".repeat(deep)), "");
        let why = room.trust().review(&room.settings()).too_much();
        assert_eq!(why.is_none(), is_read, "{deep}: {why:?}");
        assert!(why.is_none_or(|it| it.contains("folders deep")));
    }
}

/// T-11, T-7: what was approved and cannot be read any more is not said to have been changed.
#[tokio::test]
async fn what_cannot_be_read_any_more_is_told_as_such() {
    let room = Room::new();
    room.approve();
    room.write(&format!(".claude/hooks/{}x", "d/".repeat(pins::DEEPEST + 1)), "");
    let (restraint, reason) = room.call().await;
    assert_eq!(restraint, Restraint::Ask, "{reason}");
    assert!(reason.contains("whether it is what you approved is not known"), "{reason}");
}

/// T-40: the program that a script's first line looks up is one that runs it.
#[test]
fn the_program_of_a_first_line_is_shown() {
    let room = Room::new();
    for (line, program) in [
        ("#!/bin/sh", None),
        ("#!/usr/bin/env sh", Some("sh")),
        ("#!/usr/bin/env -S A=b sh -e", Some("sh")),
        ("# /usr/bin/env sh", None),
    ] {
        room.write(".claude/hooks/gate.sh", &format!("{line}\nexit 0\n"));
        let review = room.trust().review(&room.settings());
        let found: Vec<_> = review.entries.iter().flat_map(|it| &it.pins.interpreters).collect();
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, program.into_iter().collect::<Vec<_>>(), "{line}");
    }
}
