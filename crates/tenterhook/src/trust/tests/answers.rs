//! What a person said, and took back.

use super::*;

/// T-30: a removed answer has no effect any longer; removing a missing answer reports that.
#[tokio::test]
async fn what_was_forgotten_was_never_said() {
    let fixture = Fixture::new();
    let trust = fixture.trust();
    let forget =
        || trust.forget(&trust.review(&fixture.settings())).expect("the store can be read");
    assert!(!forget(), "there was no answer yet");
    fixture.approve();
    assert_eq!(fixture.call().await.0, Restraint::Deny);
    assert!(forget());
    assert_eq!(fixture.states(), [State::Unknown]);
    assert_eq!(fixture.call().await.0, Restraint::Silent);
    assert!(!forget(), "it was forgotten already");
}

/// T-18: a person is shown the files that are others than they were, each as it was and as it is.
#[test]
fn the_files_that_changed_are_shown() {
    let fixture = Fixture::new();
    fixture.approve();
    let changed = || {
        let trust = fixture.trust();
        let files = trust.changed_files(&trust.review(&fixture.settings())).into_iter();
        let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        files.map(|file| (name(&file.path), file.then, file.now)).collect::<Vec<_>>()
    };
    assert_eq!(changed(), []);
    let words = "WORDS='not here'\n".to_owned();
    fixture.write(".claude/hooks/lib/words.sh", "WORDS='other'\n");
    let other = (Some("words.sh".to_owned()), words.clone(), "WORDS='other'\n".to_owned());
    assert_eq!(changed(), [other]);
    fs::remove_file(fixture.project().join(".claude/hooks/lib/words.sh")).expect("removed");
    fixture.write(".claude/hooks/more.sh", "exit 0\n");
    assert_eq!(
        changed(),
        [
            (Some("words.sh".to_owned()), words, String::new()),
            (Some("more.sh".to_owned()), String::new(), "exit 0\n".to_owned()),
        ]
    );
}

/// T-30: without a directory for answers there is no answer.
#[test]
fn where_nothing_can_be_kept_nothing_was_said() {
    let fixture = Fixture::new();
    fs::write(fixture.home().join("state"), "a file").expect("a file");
    assert_eq!(fixture.states(), [State::Unknown]);
    let trust = fixture.trust();
    trust.approve(&trust.review(&fixture.settings())).expect_err("there is no place for it");
}
