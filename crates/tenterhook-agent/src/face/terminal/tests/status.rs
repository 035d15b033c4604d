//! What waits, in which mode the agent works and how much was used: seen, and changed with a key.

use super::*;
use crate::sandbox::Sandbox;
use crate::submission::Submission;
use crate::update::Used;

/// AG-44: what waits can be read, and the last of it is taken back.
#[test]
fn what_waits_is_read_and_taken_back() {
    let mut screen = screen();
    screen.apply_update(Update::Loading(true));
    let (first, second) = (Submission::new("first"), Submission::new("second\nline"));
    screen.apply_update(Update::Queued(vec![first.clone(), second.clone()]));
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.contains("queued: first\nqueued: second line"), "{lines}");
    assert!(matches!(press(&mut screen, KeyCode::Up), Some(Input::TakeBack)));
    screen.apply_update(Update::TakenBack(second));
    screen.apply_update(Update::Queued(vec![first]));
    assert_eq!(screen.composer.text(), "second\nline");
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.contains("queued: first") && !lines.contains("queued: second"), "{lines}");
    assert!(!lines.contains("> second"), "it is not on its way: {lines}");
    assert!(press(&mut screen, KeyCode::Up).is_none(), "a text that stands there is not lost");
    screen.apply_update(Update::Queued(Vec::new()));
    assert!(seen(&mut screen, 60, 16).contains("> first"), "this one is");
}

fn sent(screen: &mut Screen, text: &str) -> Submission {
    types(screen, text);
    match press(screen, KeyCode::Enter) {
        Some(Input::Prompt(submission)) => submission,
        other => panic!("Enter sent {other:?}"),
    }
}

/// AG-44: a text that is sent and has to wait is no second one, whatever becomes of it.
#[test]
fn text_sent_while_the_turn_ends_leaves_nothing_behind() {
    type Settle = fn(&Submission) -> Update;
    let settle: [Settle; 4] = [
        |sent| Update::Prompt { id: sent.id, text: "rewritten".to_owned() },
        |sent| {
            let (text, reason) = (sent.text.clone(), "no".to_owned());
            Update::Refused { id: Some(sent.id), text, reason }
        },
        |sent| Update::TakenBack(sent.clone()),
        |sent| Update::Obeyed(sent.id),
    ];
    for settle in settle {
        let mut screen = screen();
        let two = sent(&mut screen, "two");
        assert!(screen.is_busy());
        screen.apply_update(Update::Queued(vec![two.clone()]));
        let lines = seen(&mut screen, 60, 16);
        assert!(lines.contains("queued: two") && !lines.contains("> two"), "{lines}");
        assert!(lines.contains("waiting") && !lines.contains("sending"), "{lines}");
        screen.apply_update(Update::Queued(Vec::new()));
        let lines = seen(&mut screen, 60, 16);
        assert_eq!(lines.matches("> two").count(), 1, "{lines}");
        screen.apply_update(settle(&two));
        let lines = seen(&mut screen, 60, 16);
        assert!(!lines.contains("> two") && !lines.contains("queued"), "{lines}");
        assert!(!screen.is_busy(), "something is still on its way: {lines}");
    }
}

/// AG-44: what goes back from an earlier turn settles no text that is on its way.
#[test]
fn refusal_of_an_earlier_text_keeps_the_one_that_was_sent() {
    let mut screen = screen();
    sent(&mut screen, "two");
    let (text, reason) = ("one".to_owned(), "no".to_owned());
    screen.apply_update(Update::Refused { id: None, text, reason });
    assert!(seen(&mut screen, 60, 16).contains("> two"));
}

/// AG-47, AG-54, AG-63: the mode, the sandbox of commands and what was used stand on the line of what is under way, before the model and the directory.
#[test]
fn the_mode_and_what_was_used_are_seen() {
    let mut screen = screen();
    assert!(matches!(press(&mut screen, KeyCode::BackTab), Some(Input::NextMode)));
    screen.apply_update(Update::Mode("plan"));
    screen.apply_update(Update::Used(Used { full: 12, tokens: 3456 }));
    let wide = seen(&mut screen, 80, 16);
    assert!(wide.contains("plan  12% full  3.4k tokens  gpt-x  ~/notes"), "{wide}");
    let narrow = seen(&mut screen, 34, 16);
    assert!(narrow.contains("plan  12% full  3.4k tokens"), "{narrow}");
    screen.sandbox = Sandbox::Strict;
    let wide = seen(&mut screen, 80, 16);
    assert!(wide.contains("plan  sandbox strict  12% full  3.4k tokens  gpt-x"), "{wide}");
    screen.apply_update(Update::Mode("default"));
    assert!(!seen(&mut screen, 80, 16).contains("default"));
}

/// AG-34: names of hooks are cut, and never for how long the end waits and what ends it.
#[test]
fn long_names_on_the_status_line_when_narrow_keep_the_time_and_the_key() {
    let mut screen = screen();
    let hooks = ["user:PostToolUse:Edit|Write:1".to_owned(), "b".to_owned(), "c".to_owned()];
    screen.apply_update(Update::Leaving(hooks.to_vec()));
    let lines = drawn(&screen, 80, 8).join("\n");
    assert!(lines.contains("leaving when hook `user:PostToolUse:Edit"), "{lines}");
    assert!(lines.contains("(0 s)  Ctrl-C ends it"), "{lines}");
    let mut screen = super::screen();
    screen.apply_update(Update::Loading(true));
    screen.apply_update(Update::Status(Some("a long message ".repeat(9))));
    let lines = drawn(&screen, 60, 8).join("\n");
    assert!(lines.contains("… (0 s)  Esc stops"), "{lines}");
}

/// A hook in the background while nothing else is under way is shown, and Esc is not offered for it.
#[test]
fn status_of_a_background_hook_when_idle_offers_no_esc() {
    let mut screen = screen();
    screen.apply_update(Update::Status(Some("Linting...".to_owned())));
    let lines = drawn(&screen, 80, 8).join("\n");
    assert!(lines.contains("Linting... (0 s)") && !lines.contains("Esc stops"), "{lines}");
    screen.apply_update(Update::Loading(true));
    let lines = drawn(&screen, 80, 8).join("\n");
    assert!(lines.contains("Linting... (0 s)  Esc stops"), "{lines}");
}
