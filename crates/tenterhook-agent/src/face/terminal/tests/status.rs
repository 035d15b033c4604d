//! What waits, in which mode the agent works and how much was used: seen, and changed with a key.

use super::*;
use crate::sandbox::Sandbox;
use crate::update::Used;

/// AG-44: what waits can be read, and the last of it is taken back.
#[test]
fn what_waits_is_read_and_taken_back() {
    let mut screen = screen();
    screen.take(Update::Loading(true));
    screen.take(Update::Queued(vec!["first".to_owned(), "second\nline".to_owned()]));
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.contains("queued: first\nqueued: second line"), "{lines}");
    assert!(matches!(press(&mut screen, KeyCode::Up), Some(Input::TakeBack)));
    screen.take(Update::TakenBack { text: "second\nline".to_owned() });
    screen.take(Update::Queued(vec!["first".to_owned()]));
    assert_eq!(screen.composer.text(), "second\nline");
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.contains("queued: first") && !lines.contains("queued: second"), "{lines}");
    assert!(!lines.contains("> second"), "it is not on its way: {lines}");
    assert!(press(&mut screen, KeyCode::Up).is_none(), "a text that stands there is not lost");
    screen.take(Update::Queued(Vec::new()));
    assert!(seen(&mut screen, 60, 16).contains("> first"), "this one is");
}

/// AG-47, AG-54: the mode, the sandbox of commands and what was used stand on the line of what is under way, before the model and the directory.
#[test]
fn the_mode_and_what_was_used_are_seen() {
    let mut screen = screen();
    assert!(matches!(press(&mut screen, KeyCode::BackTab), Some(Input::NextMode)));
    screen.take(Update::Mode("plan"));
    screen.take(Update::Used(Used { full: 12, tokens: 3456 }));
    let wide = seen(&mut screen, 80, 16);
    assert!(wide.contains("plan  12% full  3.4k tokens  gpt-x  ~/notes"), "{wide}");
    let narrow = seen(&mut screen, 34, 16);
    assert!(narrow.contains("plan  12% full  3.4k tokens"), "{narrow}");
    screen.sandbox = Sandbox::Strict;
    let wide = seen(&mut screen, 80, 16);
    assert!(wide.contains("plan  sandbox strict  12% full  3.4k tokens  gpt-x"), "{wide}");
    screen.take(Update::Mode("default"));
    assert!(!seen(&mut screen, 80, 16).contains("default"));
}
