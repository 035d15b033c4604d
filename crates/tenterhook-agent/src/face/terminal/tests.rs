//! How the screen looks, drawn without a terminal; and that it lives through a flood, a size of nothing and a lost session.

mod deeds;
mod nested;
mod status;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use futures_util::stream;
use ratatui::backend::TestBackend;
use serde_json::json;
use tokio::sync::oneshot;

use super::view::View;
use super::*;
use crate::conversation::{Call, ToolResult};
use crate::sandbox::Sandbox;
use crate::submission::Submission;
use crate::update::{Ask, Decision, EventNames, Trace, TraceStep};

fn screen() -> Screen {
    let mut screen = Screen::new("/home/ann", Instant::now());
    let (model, cwd) = ("gpt-x".to_owned(), "/home/ann/notes".to_owned());
    let (id, transcript, sandbox) = (String::new(), String::new(), Sandbox::Off);
    screen.apply_update(Update::Session { id, model, cwd, transcript, sandbox });
    screen
}

/// The lines as a person sees them.
fn drawn(screen: &Screen, width: u16, height: u16) -> Vec<String> {
    shown(screen, width, height).0
}

/// The same, and then the screen as it goes on from there.
fn seen(screen: &mut Screen, width: u16, height: u16) -> String {
    let (lines, drawn) = shown(screen, width, height);
    (screen.view, screen.read) = (drawn.view, drawn.read);
    lines.join("\n")
}

fn shown(screen: &Screen, width: u16, height: u16) -> (Vec<String>, Drawn) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut drawn = Drawn::default();
    terminal.draw(|frame| drawn = draw::draw_screen(frame, screen)).unwrap();
    let shown = terminal.backend().to_string();
    (shown.lines().map(|line| line.trim_matches('"').trim_end().to_owned()).collect(), drawn)
}

fn press(screen: &mut Screen, code: KeyCode) -> Option<Input> {
    keys::handle_key(screen, KeyEvent::new(code, KeyModifiers::NONE))
}

fn types(screen: &mut Screen, text: &str) {
    for c in text.chars() {
        press(screen, KeyCode::Char(c));
    }
}

fn call(id: &str) -> Call {
    Call { id: id.to_owned(), tool: "Bash".to_owned(), input: json!({"command": "ls\nrm x"}) }
}

fn ask(screen: &mut Screen) -> oneshot::Receiver<Decision> {
    let (decide, decided) = oneshot::channel();
    let reason = "`Bash` is asked about".to_owned();
    screen.apply_update(Update::Ask(Ask {
        id: "1".to_owned(),
        call: call("1"),
        was: None,
        reason,
        decide,
    }));
    decided
}

#[test]
fn wide_characters_keep_their_columns() {
    let mut screen = screen();
    types(&mut screen, "日本語 ok");
    let lines = drawn(&screen, 20, 10);
    assert!(lines.iter().any(|line| line.starts_with("│ 日本語 ok")), "{lines:#?}");
}

#[test]
fn any_size_is_drawn() {
    let mut screen = screen();
    let decided = ask(&mut screen);
    screen.panel = true;
    screen.apply_update(Update::Text("words 日本語 ".repeat(50)));
    types(&mut screen, "some text that needs more than one line in a narrow terminal");
    for width in 1..30 {
        for height in 1..16 {
            drawn(&screen, width, height);
        }
    }
    drop(decided);
}

/// A question that was there long enough to be read, on a screen that was drawn.
fn asked(screen: &mut Screen) -> oneshot::Receiver<Decision> {
    let decided = ask(screen);
    screen.set_current_time(screen.now + Duration::from_millis(500));
    seen(screen, 80, 24);
    decided
}

fn lets(code: KeyCode) -> Option<Decision> {
    let mut screen = screen();
    let mut decided = asked(&mut screen);
    press(&mut screen, code);
    press(&mut screen, KeyCode::Enter);
    decided.try_recv().ok()
}

/// AG-1.
#[test]
fn a_question_shows_all_and_is_answered_by_a_choice_and_enter() {
    let mut screen = screen();
    let mut decided = ask(&mut screen);
    types(&mut screen, "1");
    press(&mut screen, KeyCode::Enter);
    assert!(decided.try_recv().is_err(), "it cannot have been read");
    screen.set_current_time(screen.now + Duration::from_millis(500));
    let lines = seen(&mut screen, 60, 20);
    for words in
        ["May Bash run?", "    ls\n    rm x", "  1 yes, once\n  2 yes, always this call\n  3 no"]
    {
        assert!(lines.contains(words), "`{words}` is not in\n{lines}");
    }
    types(&mut screen, "1");
    assert!(decided.try_recv().is_err(), "a number is not an answer before Enter");
    assert!(seen(&mut screen, 60, 20).contains("> 1 yes, once"));
    press(&mut screen, KeyCode::Enter);
    assert_eq!(decided.try_recv(), Ok(Decision::Once));
    assert_eq!(screen.composer.text(), "");
    assert_eq!(lets(KeyCode::Down), Some(Decision::Once));
    assert_eq!(lets(KeyCode::Char('2')), Some(Decision::Always));
    let no = Some(Decision::No("the user said no".to_owned()));
    for code in [KeyCode::Up, KeyCode::Char('3'), KeyCode::Esc] {
        assert_eq!(lets(code), no, "{code:?}");
    }
    for code in [KeyCode::Enter, KeyCode::Char('y'), KeyCode::Char('a'), KeyCode::Char(' ')] {
        assert_eq!(lets(code), None, "{code:?}");
    }
}

/// AG-1: whatever somebody types, and with whatever it begins, it is a text.
#[test]
fn what_is_typed_answers_no_question() {
    for text in ["also run tests", "no, use printf", "yes", "1 more thing", "123", "n", "2.", " 1"]
    {
        let mut screen = screen();
        let mut decided = asked(&mut screen);
        types(&mut screen, text);
        assert_eq!(screen.composer.text(), text);
        let sent = press(&mut screen, KeyCode::Enter);
        assert!(matches!(sent, Some(Input::Prompt(sent)) if sent.text == text), "{text}");
        assert!(decided.try_recv().is_err(), "`{text}` answered");
    }
    let mut screen = screen();
    let mut decided = asked(&mut screen);
    press(&mut screen, KeyCode::Down);
    types(&mut screen, "wait");
    assert!(matches!(press(&mut screen, KeyCode::Enter), Some(Input::Prompt(_))));
    assert!(decided.try_recv().is_err(), "typing on is no consent");
}

/// AG-2.
#[test]
fn a_no_says_why() {
    for arrow_first in [true, false] {
        let mut screen = screen();
        let mut decided = asked(&mut screen);
        if arrow_first {
            press(&mut screen, KeyCode::Up);
        }
        types(&mut screen, "use printf");
        if !arrow_first {
            press(&mut screen, KeyCode::Up);
        }
        press(&mut screen, KeyCode::Enter);
        assert_eq!(decided.try_recv(), Ok(Decision::No("use printf".to_owned())));
        assert_eq!(screen.composer.text(), "");
    }
    let mut screen = screen();
    let mut decided = asked(&mut screen);
    types(&mut screen, "later");
    press(&mut screen, KeyCode::Esc);
    assert_eq!(decided.try_recv(), Ok(Decision::No("the user said no".to_owned())));
    assert_eq!(screen.composer.text(), "later", "Esc takes no text");
}

/// AG-3.
#[test]
fn what_cannot_be_shown_is_not_agreed_to() {
    for (width, height, may) in [
        (20, 3, false),
        (20, 2, false),
        (3, 3, false),
        (80, 3, false),
        (80, 24, true),
        (40, 8, true),
    ] {
        for code in [KeyCode::Char('1'), KeyCode::Char('2'), KeyCode::Down] {
            let mut screen = screen();
            let mut decided = ask(&mut screen);
            screen.set_current_time(screen.now + Duration::from_millis(500));
            seen(&mut screen, width, height);
            press(&mut screen, code);
            seen(&mut screen, width, height);
            press(&mut screen, KeyCode::Enter);
            assert_eq!(decided.try_recv().is_ok(), may, "{width}x{height} {code:?}");
            if !may {
                press(&mut screen, KeyCode::Esc);
                assert!(matches!(decided.try_recv(), Ok(Decision::No(_))), "{width}x{height}");
            }
        }
    }
    let mut screen = screen();
    let (decide, mut decided) = oneshot::channel();
    let long = "x".repeat(shown::ASKED) + "; rm -rf ~";
    let call = Call { input: json!({"command": long}), ..call("1") };
    screen.apply_update(Update::Ask(Ask {
        id: "1".to_owned(),
        call,
        was: None,
        reason: String::new(),
        decide,
    }));
    screen.set_current_time(screen.now + Duration::from_millis(500));
    assert!(seen(&mut screen, 80, 24).contains("It is too long to be shown"));
    types(&mut screen, "1");
    press(&mut screen, KeyCode::Enter);
    assert!(decided.try_recv().is_err());
}

/// AG-4.
#[test]
fn an_edit_is_asked_about_as_what_goes_and_comes() {
    let mut screen = screen();
    let input = json!({"file_path": "a.rs", "old_string": "fn a() {\n    1\n}", "new_string": "fn a() {\n    2\n}"});
    let call = Call { id: "1".to_owned(), tool: "Edit".to_owned(), input };
    let (decide, _decided) = oneshot::channel();
    screen.apply_update(Update::Ask(Ask {
        id: "1".to_owned(),
        call,
        was: None,
        reason: String::new(),
        decide,
    }));
    let lines = seen(&mut screen, 60, 24);
    assert!(
        lines.contains(
            "  file_path: a.rs\n  change:\n      fn a() {\n    -     1\n    +     2\n      }"
        ),
        "{lines}"
    );
}

/// However much would run, and however low the terminal is: all of it can be read, and the choices are seen meanwhile.
#[test]
fn a_question_that_is_taller_than_its_room_is_read_in_pages() {
    for (width, height) in [(80, 24), (40, 12), (40, 10), (60, 7), (40, 5), (40, 3), (20, 8)] {
        let mut screen = screen();
        let command = (0..30).map(|at| format!("step-{at};\n")).collect::<String>();
        let call = Call { input: json!({"command": command}), ..call("1") };
        let (decide, _decided) = oneshot::channel();
        let reason = "`Bash` is asked about".to_owned();
        screen.apply_update(Update::Ask(Ask {
            id: "1".to_owned(),
            call,
            was: None,
            reason,
            decide,
        }));
        screen.set_current_time(screen.now + Duration::from_millis(500));
        let mut all = String::new();
        for _ in 0..40 {
            let lines = seen(&mut screen, width, height);
            let choices = if height < 4 { "Esc" } else { "3 no" };
            assert!(lines.contains(choices), "{width}x{height}: `{choices}` is not in\n{lines}");
            all.push_str(&lines);
            press(&mut screen, KeyCode::PageDown);
        }
        let read = (0..30).filter(|at| all.contains(&format!("step-{at};"))).count();
        assert!(read == 30 || height < 5, "{width}x{height}: {read} of 30 lines were shown");
        for _ in 0..40 {
            press(&mut screen, KeyCode::PageUp);
        }
        assert!(height < 5 || seen(&mut screen, width, height).contains("  command:"));
        assert_eq!(screen.view, View::default(), "the conversation stands still");
    }
}

/// AG-2: what is typed after a 3 says why; the 3 is no part of it, and no number in it chooses another answer.
#[test]
fn text_after_a_chosen_3_is_the_reason_without_the_number() {
    let typed = |keys: &[KeyCode], text: &str| {
        let mut screen = screen();
        let mut decided = asked(&mut screen);
        for key in keys.iter().copied().chain(text.chars().map(KeyCode::Char)) {
            assert!(press(&mut screen, key).is_none());
        }
        let lines = drawn(&screen, 80, 24).join("\n");
        assert!(lines.contains("> 3 no"), "{lines}");
        assert!(press(&mut screen, KeyCode::Enter).is_none());
        decided.try_recv().unwrap()
    };
    let no = |reason: &str| Decision::No(reason.to_owned());
    let three = KeyCode::Char('3');
    assert_eq!(typed(&[three], "not now"), no("not now"));
    assert_eq!(typed(&[three], " not now"), no("not now"));
    assert_eq!(typed(&[three], "1"), no("1"));
    assert_eq!(typed(&[KeyCode::Down, KeyCode::Down, KeyCode::Down], "not now"), no("not now"));
    assert_eq!(typed(&[KeyCode::Down, three], "not now"), no("not now"));
}

/// A key that is pressed twice does not answer the next question, whatever removes the first one.
#[test]
fn the_next_question_was_not_read_yet() {
    let mut screen = screen();
    let _first = ask(&mut screen);
    let (decide, mut second) = oneshot::channel();
    let (id, call) = ("2".to_owned(), call("2"));
    screen.apply_update(Update::Ask(Ask { id, call, was: None, reason: String::new(), decide }));
    screen.set_current_time(screen.now + Duration::from_millis(500));
    assert!(drawn(&screen, 60, 20).join("\n").contains("(1 more after this)"));
    screen.apply_update(Update::AskVoid { id: "1".to_owned() });
    seen(&mut screen, 60, 20);
    types(&mut screen, "1");
    press(&mut screen, KeyCode::Enter);
    assert!(second.try_recv().is_err(), "it cannot have been read");
}

#[test]
fn the_view_stays_where_it_is_while_more_comes() {
    let mut screen = screen();
    for at in 0..40 {
        screen.apply_update(Update::Notice(format!(
            "notice {at} with words that are broken where it is narrow"
        )));
    }
    seen(&mut screen, 60, 16);
    press(&mut screen, KeyCode::PageUp);
    press(&mut screen, KeyCode::PageUp);
    let before = seen(&mut screen, 60, 16);
    assert!(before.contains("20 lines below, End returns"), "{before}");
    screen.apply_update(Update::Text("now ".to_owned()));
    for at in 0..30 {
        screen.apply_update(Update::Text(format!("the model speaks {at}\n")));
        screen.apply_update(Update::Notice(format!("and hooks do {at}")));
        let after = seen(&mut screen, 60, 16);
        let talk = |text: &str| text.lines().take(12).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(talk(&after), talk(&before));
    }
    // The place stays in another width, and where blocks go on from before are forgotten.
    let top = |text: &str| {
        text.lines().next().unwrap().trim_start_matches("· ").chars().take(9).collect::<String>()
    };
    assert_eq!(top(&seen(&mut screen, 30, 16)), top(&before));
    for at in 0..2000 {
        screen.apply_update(Update::Notice(format!("later {at}")));
    }
    assert!(seen(&mut screen, 60, 16).starts_with("· later 1000"), "the oldest there is");
    for _ in 0..1000 {
        press(&mut screen, KeyCode::PageDown);
        seen(&mut screen, 60, 16);
    }
    assert!(seen(&mut screen, 60, 16).contains("later 1999"));
    assert_eq!(screen.view, View::default());
}

#[test]
fn scrolling_stops_at_the_beginning() {
    let mut screen = screen();
    for at in 0..20 {
        screen.apply_update(Update::Notice(format!("notice {at}")));
    }
    for _ in 0..50 {
        press(&mut screen, KeyCode::PageUp);
    }
    let lines = seen(&mut screen, 60, 16);
    assert!(lines.starts_with("· gpt-x works in ~/notes."), "{lines}");
    press(&mut screen, KeyCode::PageDown);
    assert!(!seen(&mut screen, 60, 16).contains("gpt-x works in"));
    press(&mut screen, KeyCode::End);
    assert!(seen(&mut screen, 60, 16).contains("notice 19"));
}

#[test]
fn what_is_forgotten_is_gone_from_the_screen() {
    let mut screen = screen();
    screen.apply_update(Update::Prompt {
        id: Submission::new("").id,
        text: "the old plan".to_owned(),
    });
    screen.apply_update(Update::Text("half a".to_owned()));
    screen.apply_update(Update::Cleared);
    screen.apply_update(Update::Text("afresh".to_owned()));
    let lines = drawn(&screen, 60, 16).join("\n");
    assert!(!lines.contains("old plan") && !lines.contains("half a"), "{lines}");
    assert!(lines.starts_with("afresh"), "{lines}");
}

#[test]
fn the_status_says_what_and_for_how_long() {
    let mut screen = screen();
    screen.apply_update(Update::Loading(true));
    screen.set_current_time(screen.now + Duration::from_millis(3100));
    let lines = drawn(&screen, 80, 8).join("\n");
    assert!(lines.contains("working (3 s)  Esc stops"), "{lines}");
    assert!(lines.contains("gpt-x  ~/notes"), "{lines}");
    screen.apply_update(Update::Status(Some("running\u{1b}[2J the tests".to_owned())));
    assert!(drawn(&screen, 80, 8).join("\n").contains("running the tests (3 s)"));
}

#[test]
fn the_panel_stands_beside_where_there_is_room_and_else_below() {
    let mut screen = screen();
    screen.panel = true;
    let step =
        TraceStep { hook: "h".to_owned(), ended: "exit 2".to_owned(), took_ms: 7, verdict: "deny" };
    let (event, came) = (EventNames::from_neutral("PreToolUse"), "deny".to_owned());
    screen.apply_update(Update::Hooks(Trace { event, came, steps: vec![step] }));
    let wide = drawn(&screen, 100, 12);
    assert!(wide[0].starts_with("· gpt-x") && wide[0].contains("┌ hooks"), "{wide:#?}");
    let (event, step) = (wide[1].find("deny").unwrap(), wide[2].find("deny").unwrap());
    assert_eq!(event, step, "{wide:#?}");
    let narrow = drawn(&screen, 40, 16);
    assert!(narrow.iter().any(|text| text.starts_with("┌ hooks")), "{narrow:#?}");
    assert!(narrow.iter().any(|text| text.contains("7 ms  deny")), "{narrow:#?}");
}

#[test]
fn output_is_bounded_and_says_so() {
    let mut screen = screen();
    screen.apply_update(Update::ToolStarted(call("1")));
    let text = (0..100).map(|at| format!("line {at}\n")).collect();
    let result = ToolResult { id: "1".to_owned(), text, is_error: false, ..ToolResult::default() };
    screen.apply_update(Update::ToolEnded { call: call("1"), result });
    let lines = drawn(&screen, 40, 24).join("\n");
    assert!(lines.contains("line 7\n  (92 lines more, Ctrl-O)"), "{lines}");
    assert!(!lines.contains("running"), "{lines}");
}

#[test]
fn words_that_something_came_between_are_not_said_twice() {
    let mut screen = screen();
    screen.apply_update(Update::Text("first ".to_owned()));
    screen.apply_update(Update::Notice("meanwhile".to_owned()));
    screen.apply_update(Update::Text("last".to_owned()));
    screen.apply_update(Update::Reply("first last".to_owned()));
    assert_eq!(drawn(&screen, 40, 20).join("\n").matches("first").count(), 1);
}

#[test]
fn what_is_sent_stands_there_until_hooks_have_judged_it() {
    let mut screen = screen();
    types(&mut screen, "hello");
    let Some(Input::Prompt(Submission { id, text })) = press(&mut screen, KeyCode::Enter) else {
        panic!("nothing was sent");
    };
    assert!(drawn(&screen, 40, 10).join("\n").contains("> hello"));
    screen.apply_update(Update::Refused { id: Some(id), text, reason: "no".to_owned() });
    let lines = drawn(&screen, 40, 10).join("\n");
    assert!(!lines.contains("> hello") && lines.contains("│ hello"), "{lines}");
    assert!(!screen.is_busy());
}

fn life(inputs: mpsc::UnboundedSender<Input>) -> Life<TestBackend> {
    let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    Life {
        terminal,
        screen: screen(),
        inputs,
        due: Due::Now,
        there: true,
        until: None,
        hurried: false,
        last_words: Vec::new(),
    }
}

/// The end of a session that broke off is not awaited.
#[tokio::test]
async fn a_session_that_broke_off_ends_the_face() {
    let (inputs, input_receiver) = mpsc::unbounded_channel();
    let (_sender, updates) = mpsc::unbounded_channel();
    let (_exit_sender, exit_requests) = mpsc::unbounded_channel();
    drop(input_receiver);
    assert_eq!(
        life(inputs).run_event_loop(stream::pending(), exit_requests, updates).await,
        Left::Ended(0)
    );
}

/// A second request to leave does not wait for a session that does not end.
#[tokio::test(start_paused = true)]
async fn second_request_abandons_a_session_that_does_not_end() {
    let (inputs, mut input_receiver) = mpsc::unbounded_channel();
    let (_sender, updates) = mpsc::unbounded_channel();
    let (_exit_sender, exit_requests) = mpsc::unbounded_channel();
    let key = |c| Ok(Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)));
    let events = stream::iter([key('d'), key('c')]).chain(stream::pending());
    assert_eq!(life(inputs).run_event_loop(events, exit_requests, updates).await, Left::Abandoned);
    assert!(matches!(input_receiver.recv().await, Some(Input::Quit("prompt_input_exit"))));
    assert!(matches!(input_receiver.recv().await, Some(Input::QuitNow)));
}

/// However long nothing happened before: what is under way is as old as it is.
#[tokio::test(start_paused = true)]
async fn a_silence_counts_for_nothing() {
    let (inputs, input_receiver) = mpsc::unbounded_channel();
    let (sender, updates) = mpsc::unbounded_channel();
    let (_exit_sender, exit_requests) = mpsc::unbounded_channel();
    let mut life = life(inputs);
    let happens = async {
        tokio::time::sleep(Duration::from_mins(1)).await;
        sender.send(Update::Notice("a frame is due".to_owned())).unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        sender.send(Update::Loading(true)).unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        sender.send(Update::Ended).unwrap();
        input_receiver
    };
    let _ = tokio::join!(life.run_event_loop(stream::pending(), exit_requests, updates), happens);
    assert_eq!((life.screen.now - life.screen.since).as_secs(), 5);
}

/// Keys are read while updates come faster than they can be taken.
#[tokio::test]
async fn a_flood_does_not_drown_the_keys() {
    let (inputs, mut input_receiver) = mpsc::unbounded_channel();
    let (sender, updates) = mpsc::unbounded_channel();
    let (_exit_sender, exit_requests) = mpsc::unbounded_channel();
    let (keys, typed) = mpsc::unbounded_channel();
    let events = stream::unfold(typed, |mut typed: mpsc::UnboundedReceiver<_>| async move {
        typed.recv().await.map(|key| (Ok(Event::Key(key)), typed))
    });
    for _ in 0..300_000 {
        sender.send(Update::Text("word ".to_owned())).unwrap();
    }
    for c in "hi".chars() {
        keys.send(KeyEvent::from(KeyCode::Char(c))).unwrap();
    }
    keys.send(KeyEvent::from(KeyCode::Enter)).unwrap();
    let mut life = life(inputs);
    let receives = async {
        while !matches!(input_receiver.recv().await.unwrap(), Input::Prompt(sent) if sent.text == "hi")
        {
        }
        sender.send(Update::Ended).unwrap();
        // The session has not ended for the channel yet: earlier updates are taken first.
        input_receiver
    };
    let (left, input_receiver) =
        tokio::join!(life.run_event_loop(Box::pin(events), exit_requests, updates), receives);
    assert_eq!(left, Left::Ended(0));
    drop((input_receiver, keys));
}
