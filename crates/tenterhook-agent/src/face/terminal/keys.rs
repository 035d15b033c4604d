//! What each key does. A key changes the screen, or says something to the runtime, or both.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::outbox::Phase;
use super::screen::Screen;
use super::view::View;
use crate::update::Input;

/// The matcher subject of `SessionEnd` when somebody leaves at the prompt.
const LEFT: &str = "prompt_input_exit";

/// Presses a key.
pub(super) fn press(screen: &mut Screen, key: KeyEvent) -> Option<Input> {
    let warned = std::mem::take(&mut screen.warned);
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return control(screen, key.code, warned);
    }
    // A question takes its own keys only, and none of them is one that a text begins with (AG-1, AG-2).
    if screen.asked().is_some() && answers(screen, key) {
        return None;
    }
    match key.code {
        KeyCode::F(2) => screen.panel = !screen.panel,
        KeyCode::Enter if key.modifiers.contains(KeyModifiers::ALT) => screen.composer.insert("\n"),
        KeyCode::Enter => return screen.submit(Phase::Sending).map(Input::Prompt),
        KeyCode::Tab if screen.loading => return screen.submit(Phase::Queued).map(Input::Queue),
        KeyCode::Esc if screen.busy() => return Some(Input::Interrupt),
        KeyCode::Char(c) => screen.composer.insert(c.encode_utf8(&mut [0; 4])),
        KeyCode::Backspace => screen.composer.backspace(),
        KeyCode::Left => screen.composer.left(),
        KeyCode::Right => screen.composer.right(),
        KeyCode::Home => screen.composer.home(),
        KeyCode::End => {
            screen.view = View::default();
            screen.composer.end();
        }
        KeyCode::BackTab => return Some(Input::NextMode),
        KeyCode::Up if screen.composer.text().is_empty() && screen.outbox.has(Phase::Queued) => {
            return Some(Input::TakeBack);
        }
        KeyCode::Up => screen.composer.older(),
        KeyCode::Down => screen.composer.newer(),
        KeyCode::PageUp => screen.page(false),
        KeyCode::PageDown => screen.page(true),
        _ => {}
    }
    None
}

fn control(screen: &mut Screen, key: KeyCode, warned: bool) -> Option<Input> {
    match key {
        KeyCode::Char('c') => return stop(screen, warned),
        KeyCode::Char('d') if screen.composer.text().is_empty() => return Some(Input::Quit(LEFT)),
        KeyCode::Char('z') => screen.aside = true,
        KeyCode::Char('o') => screen.open = !screen.open,
        KeyCode::Char('t') => screen.panel = !screen.panel,
        KeyCode::Char('u') => screen.composer.set(""),
        KeyCode::Char('w') => screen.composer.backspace_word(),
        KeyCode::Char('h') => screen.composer.backspace(),
        KeyCode::Char('a') => screen.composer.home(),
        KeyCode::Char('e') => screen.composer.end(),
        KeyCode::Char('j') => screen.composer.insert("\n"),
        // Ctrl-\, which elsewhere ends a program with a core dump: to see that the terminal is given back. In no release.
        KeyCode::Char('4' | '\\') if cfg!(debug_assertions) => broken(),
        _ => {}
    }
    None
}

#[expect(clippy::panic, reason = "it is what the key is for")]
fn broken() {
    panic!("Ctrl-\\ broke the screen, as a mistake in its code would");
}

/// Whether a key was for the question: a choice, or what makes it count.
fn answers(screen: &mut Screen, key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Esc => screen.refuse(),
        KeyCode::Up => screen.choose(false),
        KeyCode::Down => screen.choose(true),
        KeyCode::Enter if !key.modifiers.contains(KeyModifiers::ALT) => match screen.chosen() {
            Some(choice) => screen.decide(choice),
            None => return false,
        },
        // A person who types on has not agreed.
        KeyCode::Char(_) => {
            screen.typed();
            return false;
        }
        KeyCode::Backspace => {
            screen.erased();
            return false;
        }
        _ => return false,
    }
    true
}

/// Clears the typed text, then stops the turn, then ends the session, which needs a second press,
/// because a turn may end just before the key is pressed.
fn stop(screen: &mut Screen, warned: bool) -> Option<Input> {
    if !screen.composer.text().is_empty() {
        screen.composer.set("");
        return None;
    }
    if screen.leaving {
        return Some(Input::Quit(LEFT));
    }
    if screen.busy() {
        return Some(Input::Interrupt);
    }
    screen.warned = !warned;
    warned.then_some(Input::Quit(LEFT))
}
