//! How the screen looks, drawn without a terminal; and that it lives through a flood, a size of nothing and a lost session.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use futures_util::stream;
use ratatui::backend::TestBackend;
use serde_json::json;
use tokio::sync::oneshot;

use super::*;
use crate::conversation::{Call, ToolResult};
use crate::update::{Ask, Decision, Trace, TraceStep};

fn screen() -> Screen {
    let mut screen = Screen::new("/home/ann", Instant::now());
    let (model, cwd) = ("gpt-x".to_owned(), "/home/ann/notes".to_owned());
    screen.take(Update::Session { id: String::new(), model, cwd, transcript: String::new() });
    screen
}

/// The lines as a person sees them.
fn drawn(screen: &Screen, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| _ = draw::draw(frame, screen)).unwrap();
    let shown = terminal.backend().to_string();
    shown.lines().map(|it| it.trim_matches('"').trim_end().to_owned()).collect()
}

fn press(screen: &mut Screen, code: KeyCode) -> Option<Input> {
    keys::press(screen, KeyEvent::new(code, KeyModifiers::NONE))
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
    screen.take(Update::Ask(Ask { id: "1".to_owned(), call: call("1"), reason, decide }));
    decided
}

#[test]
fn wide_characters_keep_their_columns() {
    let mut screen = screen();
    types(&mut screen, "日本語 ok");
    let lines = drawn(&screen, 20, 10);
    assert!(lines.iter().any(|it| it.starts_with("│ 日本語 ok")), "{lines:#?}");
}

#[test]
fn any_size_is_drawn() {
    let mut screen = screen();
    let decided = ask(&mut screen);
    screen.panel = true;
    screen.take(Update::Text("words 日本語 ".repeat(50)));
    types(&mut screen, "some text that needs more than one line in a narrow terminal");
    for width in 1..30 {
        for height in 1..16 {
            drawn(&screen, width, height);
        }
    }
    drop(decided);
}

#[test]
fn a_question_shows_all_and_is_answered_only_once_it_was_read() {
    let mut screen = screen();
    let mut decided = ask(&mut screen);
    types(&mut screen, "y");
    assert!(decided.try_recv().is_err(), "nobody can have read it");
    press(&mut screen, KeyCode::Backspace);
    screen.tick(screen.now + Duration::from_millis(500));
    let lines = drawn(&screen, 60, 20).join("\n");
    for words in ["May Bash run?", "    ls\n    rm x", "[y] once  [a] always this call  [n] no"] {
        assert!(lines.contains(words), "`{words}` is not in\n{lines}");
    }
    types(&mut screen, "y");
    assert_eq!(decided.try_recv(), Ok(Decision::Once));
}

#[test]
fn the_status_says_what_and_for_how_long() {
    let mut screen = screen();
    screen.take(Update::Loading(true));
    screen.tick(screen.now + Duration::from_millis(3100));
    let lines = drawn(&screen, 80, 8).join("\n");
    assert!(lines.contains("working (3 s)  Esc stops"), "{lines}");
    assert!(lines.contains("gpt-x  ~/notes"), "{lines}");
    screen.take(Update::Status(Some("running\u{1b}[2J the tests".to_owned())));
    assert!(drawn(&screen, 80, 8).join("\n").contains("running the tests (3 s)"));
}

#[test]
fn the_panel_stands_beside_where_there_is_room_and_else_below() {
    let mut screen = screen();
    screen.panel = true;
    let step =
        TraceStep { hook: "h".to_owned(), ended: "exit 2".to_owned(), took_ms: 7, verdict: "deny" };
    let (event, came) = ("PreToolUse".to_owned(), "deny".to_owned());
    screen.take(Update::Hooks(Trace { event, came, steps: vec![step], payload: json!({}) }));
    let wide = drawn(&screen, 100, 12);
    assert!(wide[0].starts_with("· gpt-x") && wide[0].contains("┌ hooks"), "{wide:#?}");
    let (event, step) = (wide[1].find("deny").unwrap(), wide[2].find("deny").unwrap());
    assert_eq!(event, step, "{wide:#?}");
    let narrow = drawn(&screen, 40, 16);
    assert!(narrow.iter().any(|it| it.starts_with("┌ hooks")), "{narrow:#?}");
    assert!(narrow.iter().any(|it| it.contains("7 ms  deny")), "{narrow:#?}");
}

#[test]
fn output_is_bounded_and_says_so() {
    let mut screen = screen();
    screen.take(Update::ToolStarted(call("1")));
    let text = (0..100).map(|at| format!("line {at}\n")).collect();
    let result = ToolResult { id: "1".to_owned(), text, is_error: false };
    screen.take(Update::ToolEnded { call: call("1"), result });
    let lines = drawn(&screen, 40, 24).join("\n");
    assert!(lines.contains("line 7\n  (92 lines more)"), "{lines}");
    assert!(!lines.contains("running"), "{lines}");
}

#[test]
fn words_that_something_came_between_are_not_said_twice() {
    let mut screen = screen();
    screen.take(Update::Text("first ".to_owned()));
    screen.take(Update::Notice("meanwhile".to_owned()));
    screen.take(Update::Text("last".to_owned()));
    screen.take(Update::Reply("first last".to_owned()));
    assert_eq!(drawn(&screen, 40, 20).join("\n").matches("first").count(), 1);
}

#[test]
fn what_is_sent_stands_there_until_hooks_have_judged_it() {
    let mut screen = screen();
    types(&mut screen, "hello");
    assert!(matches!(press(&mut screen, KeyCode::Enter), Some(Input::Prompt(_))));
    assert!(drawn(&screen, 40, 10).join("\n").contains("> hello"));
    let (text, reason) = ("hello".to_owned(), "no".to_owned());
    screen.take(Update::Refused { text, reason });
    let lines = drawn(&screen, 40, 10).join("\n");
    assert!(!lines.contains("> hello") && lines.contains("│ hello"), "{lines}");
    assert!(!screen.busy());
}

fn life(inputs: mpsc::UnboundedSender<Input>) -> Life<TestBackend> {
    let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    Life { terminal, screen: screen(), inputs, due: Due::Now, there: true, until: None }
}

/// A session that broke off says nothing more; nobody waits for it.
#[tokio::test]
async fn a_session_that_broke_off_ends_the_face() {
    let (inputs, said) = mpsc::unbounded_channel();
    let (_sender, updates) = mpsc::unbounded_channel();
    let (_tell, told) = mpsc::unbounded_channel();
    drop(said);
    assert_eq!(life(inputs).live(stream::pending(), told, updates).await, Left::Ended);
}

/// Whoever leaves twice does not wait for a session that does not end.
#[tokio::test]
async fn whoever_cannot_wait_for_the_end_need_not() {
    let (inputs, mut said) = mpsc::unbounded_channel();
    let (_sender, updates) = mpsc::unbounded_channel();
    let (_tell, told) = mpsc::unbounded_channel();
    let key = |c| Ok(Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)));
    let events = stream::iter([key('d'), key('c')]).chain(stream::pending());
    assert_eq!(life(inputs).live(events, told, updates).await, Left::Abandoned);
    assert!(matches!(said.recv().await, Some(Input::Quit("prompt_input_exit"))));
}

/// Keys are heard while updates come faster than they can be taken.
#[tokio::test]
async fn a_flood_does_not_drown_the_keys() {
    let (inputs, mut said) = mpsc::unbounded_channel();
    let (sender, updates) = mpsc::unbounded_channel();
    let (_tell, told) = mpsc::unbounded_channel();
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
    let heard = async {
        while !matches!(said.recv().await.unwrap(), Input::Prompt(text) if text == "hi") {}
        sender.send(Update::Ended).unwrap();
        // The session is not over for the channel yet: what was told first is taken first.
        said
    };
    let (left, said) = tokio::join!(life.live(Box::pin(events), told, updates), heard);
    assert_eq!(left, Left::Ended);
    drop((said, keys));
}
