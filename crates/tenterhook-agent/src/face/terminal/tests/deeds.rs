//! What hooks did is on the screen: who rewrote what, who holds a call, and for how long.

use super::*;
use crate::update::{Deed, EventNames, Hold, Rewritten};

fn rewritten() -> Rewritten {
    Rewritten {
        event: "PreToolUse".to_owned(),
        hooks: vec!["safe".to_owned()],
        call: Some("1".to_owned()),
        was: json!({"command": "ls\nrm x"}),
        now: json!({"command": "ls\ntrue"}),
    }
}

fn deed() -> Deed {
    Deed {
        hooks: vec!["safe".to_owned()],
        did: "rewrote the call".to_owned(),
        call: Some("1".to_owned()),
        change: Some(rewritten()),
        ..Deed::default()
    }
}

fn control(screen: &mut Screen, key: char) {
    keys::handle_key(screen, KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL));
}

/// AG-40: the call says who rewrote it and what it was, and a key opens the difference.
#[test]
fn a_rewrite_stands_with_its_call_and_a_key_opens_the_difference() {
    let mut screen = screen();
    screen.apply_update(Update::ToolAsked(call("1")));
    screen.apply_update(Update::Did(deed()));
    let lines = seen(&mut screen, 60, 16);
    assert!(
        lines.contains("* Bash ls …\n  · hook `safe` rewrote the call; it was: ls …"),
        "{lines}"
    );
    control(&mut screen, 'o');
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.contains("    - rm x\n    + true"), "{lines}");
    assert!(lines.contains("all is open, Ctrl-O closes"), "{lines}");
    control(&mut screen, 'o');
    assert!(!seen(&mut screen, 60, 16).contains("- rm x"));
}

/// AG-40: the question shows both calls, the one that would run and the one that the model asked for.
#[test]
fn a_question_about_a_rewritten_call_shows_both() {
    let mut screen = screen();
    let (decide, _decided) = oneshot::channel();
    let now = Call { input: json!({"command": "ls\ntrue"}), ..call("1") };
    let (id, reason) = ("1".to_owned(), String::new());
    screen.apply_update(Update::Ask(Ask { id, call: now, was: Some(rewritten()), reason, decide }));
    screen.set_current_time(screen.now + Duration::from_millis(500));
    let lines = seen(&mut screen, 70, 30);
    for words in
        ["    ls\n    true\n", "`safe` rewrote what the model asked for:", "    - rm x\n    + true"]
    {
        assert!(lines.contains(words), "`{words}` is not in\n{lines}");
    }
}

/// AG-41: who holds a call, and for how long.
#[test]
fn a_call_says_who_holds_it_and_for_how_long() {
    let mut screen = screen();
    screen.apply_update(Update::Loading(true));
    screen.apply_update(Update::ToolAsked(call("1")));
    assert!(seen(&mut screen, 60, 16).contains("* Bash ls …\n  asked for, not begun"));
    let hooks = vec!["slow".to_owned(), "other".to_owned()];
    let (event, id) = (EventNames::from_neutral("PreToolUse"), Some("1".to_owned()));
    let hold = Hold { event, call: id, hooks };
    screen.apply_update(Update::Delayed(hold.clone()));
    screen.set_current_time(screen.now + Duration::from_secs(3));
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.contains("  held by hooks `slow`, `other` at PreToolUse (3 s)"), "{lines}");
    screen.apply_update(Update::Released(hold));
    let decided = asked(&mut screen);
    assert!(seen(&mut screen, 60, 24).contains("  waits for your answer (0 s)"));
    press(&mut screen, KeyCode::Esc);
    assert!(seen(&mut screen, 60, 24).contains("  asked for, not begun"));
    screen.apply_update(Update::ToolStarted(call("1")));
    screen.set_current_time(screen.now + Duration::from_secs(2));
    assert!(seen(&mut screen, 60, 16).contains("  running (2 s)"));
    drop(decided);
}

/// AG-41: the same of a prompt, on the line of what is under way.
#[test]
fn a_prompt_says_who_holds_it() {
    let mut screen = screen();
    types(&mut screen, "hello");
    press(&mut screen, KeyCode::Enter);
    let (event, hooks) = (EventNames::from_neutral("UserPromptSubmit"), vec!["slow".to_owned()]);
    screen.apply_update(Update::Delayed(Hold { event, call: None, hooks }));
    assert!(seen(&mut screen, 80, 16).contains("sending (0 s)"), "a quick one is not shown");
    screen.set_current_time(screen.now + Duration::from_secs(2));
    assert!(seen(&mut screen, 80, 16).contains("hook `slow` at UserPromptSubmit (2 s)"));
}

/// The same key opens a long text.
#[test]
fn long_output_opens() {
    let mut screen = screen();
    let text: String = (0..30).map(|at| format!("line {at}\n")).collect();
    let result = ToolResult { id: "1".to_owned(), text, is_error: false, ..ToolResult::default() };
    screen.apply_update(Update::ToolEnded { call: call("1"), result });
    let lines = seen(&mut screen, 40, 50);
    assert!(lines.contains("(22 lines more, Ctrl-O)") && !lines.contains("line 29"), "{lines}");
    control(&mut screen, 'o');
    assert!(seen(&mut screen, 40, 50).contains("line 29"));
}
