//! What a person said, and took back.

use super::*;

/// T-30: what was said is forgotten when it says so, and nothing of it counts from then on; what was never said cannot be.
#[tokio::test]
async fn what_was_forgotten_was_never_said() {
    let room = Room::new();
    let trust = room.trust();
    let forget = || trust.forget(&trust.review(&room.settings())).expect("the store can be read");
    assert!(!forget(), "nothing was said yet");
    room.approve();
    assert_eq!(room.call().await.0, Restraint::Deny);
    assert!(forget());
    assert_eq!(room.states(), [State::Unknown]);
    assert_eq!(room.call().await.0, Restraint::Silent);
    assert!(!forget(), "it was forgotten already");
}

/// T-18: a person is shown the files that are others than they were, each as it was and as it is.
#[test]
fn the_files_that_changed_are_shown() {
    let room = Room::new();
    room.approve();
    let changed = || {
        let trust = room.trust();
        let files = trust.changed_files(&trust.review(&room.settings())).into_iter();
        let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        files.map(|file| (name(&file.path), file.then, file.now)).collect::<Vec<_>>()
    };
    assert_eq!(changed(), []);
    let words = "WORDS='not here'\n".to_owned();
    room.write(".claude/hooks/lib/words.sh", "WORDS='other'\n");
    let other = (Some("words.sh".to_owned()), words.clone(), "WORDS='other'\n".to_owned());
    assert_eq!(changed(), [other]);
    fs::remove_file(room.project().join(".claude/hooks/lib/words.sh")).expect("removed");
    room.write(".claude/hooks/more.sh", "exit 0\n");
    assert_eq!(
        changed(),
        [
            (Some("words.sh".to_owned()), words, String::new()),
            (Some("more.sh".to_owned()), String::new(), "exit 0\n".to_owned()),
        ]
    );
}

/// T-30: where there is no place for answers nothing was said.
#[test]
fn where_nothing_can_be_kept_nothing_was_said() {
    let room = Room::new();
    fs::write(room.home().join("state"), "a file").expect("a file");
    assert_eq!(room.states(), [State::Unknown]);
    let trust = room.trust();
    trust.approve(&trust.review(&room.settings())).expect_err("there is no place for it");
}
