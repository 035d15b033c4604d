//! What of an entry's settings makes it another one than was approved.

use super::*;

/// SH-14: a gate of a repository that takes the force from itself is not the gate that was approved.
#[tokio::test]
async fn a_hook_in_shadow_is_another_one() {
    let room = Room::new();
    let gate = "[hook.gate]\non = \"PreToolUse\"\nwhen = \"true\"\ndeny = \"no\"\n";
    room.write("tenterhook.toml", gate);
    let source = || room.source("tenterhook.toml");
    let trust = room.trust();
    trust.approve(&trust.review(&source())).expect("an approval");
    for (text, found) in [
        (format!("mode = \"shadow\"\n{gate}"), vec!["changed-since-approved"]),
        (format!("{gate}mode = \"shadow\"\n"), vec!["changed-since-approved"]),
        (gate.to_owned(), Vec::new()),
    ] {
        room.write("tenterhook.toml", &text);
        let (engine, told) = room.engine_of([source()]);
        let (restraint, _) = room.call_of(&engine, &Session::default()).await;
        assert_eq!(restraint, Restraint::Deny, "{text}");
        assert_eq!(told.iter().map(|it| it.code.name()).collect::<Vec<_>>(), found, "{text}");
    }
}

///
#[tokio::test]
async fn a_hook_in_another_sandbox_is_another_one() {
    let room = Room::new();
    let gate = "[hook.gate]\non = \"PreToolUse\"\nshell = \"exit 2\"\n";
    let within = |word: &str| format!("{gate}sandbox = {word}\n");
    let source = || room.source("tenterhook.toml");
    let trust = room.trust();
    for (approved, then, changed) in [
        (gate.to_owned(), within("\"off\""), true),
        (within("\"strict\""), within("\"standard\""), true),
        (within("\"standard\""), within("{ write = [\"$PROJECT\"] }"), true),
        (within("{ net = [\"tcp:443\"] }"), within("{ net = \"open\" }"), true),
        (within("\"standard\""), within("{ isolation_min = \"T0\" }"), true),
        (within("\"standard\""), within("{ profile = \"standard\" }"), false),
    ] {
        room.write("tenterhook.toml", &approved);
        trust.approve(&trust.review(&source())).expect("an approval");
        room.write("tenterhook.toml", &then);
        let (_, told) = room.engine_of([source()]);
        let codes: Vec<_> = told.iter().map(|it| it.code.name()).collect();
        assert_eq!(
            codes.contains(&"changed-since-approved"),
            changed,
            "{approved} -> {then}: {codes:?}"
        );
    }
}
