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
