//! What each key does. A key changes the screen, or says something to the runtime, or both.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::outbox::Phase;
use super::screen::Screen;
use super::view::View;
use crate::update::Input;

/// The matcher subject of `SessionEnd` when somebody leaves at the prompt.
const LEFT: &str = "prompt_input_exit";

/// Applies a key press to the screen. Returns the input for the session, if there is one.
pub(super) fn handle_key(screen: &mut Screen, key: KeyEvent) -> Option<Input> {
    let warned = std::mem::take(&mut screen.warned);
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return handle_control_key(screen, key.code, warned);
    }
    // A question takes its own keys only, and none of them is one that a text begins with (AG-1, AG-2).
    if screen.readable_question().is_some() && handle_question_key(screen, key) {
        return None;
    }
    match key.code {
        KeyCode::F(2) => screen.panel = !screen.panel,
        KeyCode::Enter if key.modifiers.contains(KeyModifiers::ALT) => screen.composer.insert("\n"),
        KeyCode::Enter => return screen.submit_text(Phase::Sending).map(Input::Prompt),
        KeyCode::Tab if screen.loading => {
            return screen.submit_text(Phase::Queued).map(Input::Queue);
        }
        KeyCode::Esc if screen.is_busy() => return Some(Input::Interrupt),
        KeyCode::Char(c) => screen.composer.insert(c.encode_utf8(&mut [0; 4])),
        KeyCode::Backspace => screen.composer.delete_char_before(),
        KeyCode::Left => screen.composer.move_left(),
        KeyCode::Right => screen.composer.move_right(),
        KeyCode::Home => screen.composer.move_to_start(),
        KeyCode::End => {
            screen.view = View::default();
            screen.composer.move_to_end();
        }
        KeyCode::BackTab => return Some(Input::NextMode),
        KeyCode::Up
            if screen.composer.text().is_empty()
                && screen.outbox.has_submission_in_phase(Phase::Queued) =>
        {
            return Some(Input::TakeBack);
        }
        KeyCode::Up => screen.composer.recall_older(),
        KeyCode::Down => screen.composer.recall_newer(),
        KeyCode::PageUp => screen.scroll_by_one_page(false),
        KeyCode::PageDown => screen.scroll_by_one_page(true),
        _ => {}
    }
    None
}

fn handle_control_key(screen: &mut Screen, key: KeyCode, warned: bool) -> Option<Input> {
    match key {
        KeyCode::Char('c') => return clear_stop_or_quit(screen, warned),
        KeyCode::Char('d') if screen.composer.text().is_empty() => return Some(Input::Quit(LEFT)),
        KeyCode::Char('z') => screen.aside = true,
        KeyCode::Char('o') => screen.open = !screen.open,
        KeyCode::Char('t') => screen.panel = !screen.panel,
        KeyCode::Char('u') => screen.composer.set_text(""),
        KeyCode::Char('w') => screen.composer.delete_word_before(),
        KeyCode::Char('h') => screen.composer.delete_char_before(),
        KeyCode::Char('a') => screen.composer.move_to_start(),
        KeyCode::Char('e') => screen.composer.move_to_end(),
        KeyCode::Char('j') => screen.composer.insert("\n"),
        // Ctrl-\, which elsewhere ends a program with a core dump: to see that the terminal is given back. In no release.
        KeyCode::Char('4' | '\\') if cfg!(debug_assertions) => panic_on_purpose(),
        _ => {}
    }
    None
}

#[expect(clippy::panic, reason = "it is what the key is for")]
fn panic_on_purpose() {
    panic!("Ctrl-\\ broke the screen, as a mistake in its code would");
}

/// Applies a key to the open question. Returns whether the key was for the question.
fn handle_question_key(screen: &mut Screen, key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Esc => screen.refuse_question(),
        KeyCode::Up => screen.select_next_choice(false),
        KeyCode::Down => screen.select_next_choice(true),
        KeyCode::Enter if !key.modifiers.contains(KeyModifiers::ALT) => {
            match screen.selected_choice() {
                Some(choice) => screen.answer_question(choice),
                None => return false,
            }
        }
        // A person who types on has not agreed.
        KeyCode::Char(_) => {
            screen.on_text_typed();
            return false;
        }
        KeyCode::Backspace => {
            screen.unselect_yes();
            return false;
        }
        _ => return false,
    }
    true
}

/// Clears the typed text, then stops the turn, then ends the session. The end needs a second press,
/// because a turn may end just before the key is pressed.
fn clear_stop_or_quit(screen: &mut Screen, warned: bool) -> Option<Input> {
    if !screen.composer.text().is_empty() {
        screen.composer.set_text("");
        return None;
    }
    if screen.leaving {
        return Some(Input::Quit(LEFT));
    }
    if screen.is_busy() {
        return Some(Input::Interrupt);
    }
    screen.warned = !warned;
    warned.then_some(Input::Quit(LEFT))
}
