//! Without a home the agent works and keeps nothing.

use crate::fixture::{Fixture, WRITE};

/// BR-43: the home is not made, the turn runs, and the user is warned once.
#[test]
fn missing_home_is_not_made_by_the_agent() {
    let fixture = Fixture::new("", WRITE);
    let absent = fixture.sandbox.home().join("absent");
    let output = fixture
        .command()
        .env("HOME", &absent)
        .args(["--model", "scripted:script.toml", "--permission-mode", "acceptEdits", "-p", "go"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(fixture.text("out.txt"), "one", "{stderr}");
    assert_eq!(stderr.matches("does not exist, so nothing is kept").count(), 1, "{stderr}");
    assert_eq!(stderr.matches("[warn]").count(), 1, "{stderr}");
    assert!(!absent.exists(), "{stderr}");
}
