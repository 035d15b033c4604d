//! What each key does. A key changes the screen, or says something to the runtime, or both.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::screen::Screen;
use crate::update::{Decision, Input};

/// The matcher subject of `SessionEnd` when somebody leaves at the prompt.
const LEFT: &str = "prompt_input_exit";
/// How far a page is.
const PAGE: usize = 10;

/// Presses a key.
pub(super) fn press(screen: &mut Screen, key: KeyEvent) -> Option<Input> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if !screen.asks.is_empty()
        && let Some(decision) = decision(key.code)
    {
        screen.decide(decision);
        return None;
    }
    match key.code {
        KeyCode::Char('c') if control => return stop(screen),
        KeyCode::Char('d') if control && screen.composer.text().is_empty() => {
            return Some(Input::Quit(LEFT));
        }
        KeyCode::Char('t') if control => screen.panel = !screen.panel,
        KeyCode::F(2) => screen.panel = !screen.panel,
        KeyCode::Char('u') if control => screen.composer.set(""),
        KeyCode::Char('w') if control => screen.composer.backspace_word(),
        KeyCode::Char('a') if control => screen.composer.home(),
        KeyCode::Char('e') if control => screen.composer.end(),
        KeyCode::Char('j') if control => screen.composer.insert("\n"),
        KeyCode::Enter if key.modifiers.contains(KeyModifiers::ALT) => screen.composer.insert("\n"),
        KeyCode::Enter => {
            screen.scroll = 0;
            return screen.composer.send().map(Input::Prompt);
        }
        KeyCode::Tab if screen.loading => return screen.composer.send().map(Input::Queue),
        KeyCode::Esc if screen.loading => return Some(Input::Interrupt),
        KeyCode::Char(c) if !control => screen.composer.insert(c.encode_utf8(&mut [0; 4])),
        KeyCode::Backspace => screen.composer.backspace(),
        KeyCode::Left => screen.composer.left(),
        KeyCode::Right => screen.composer.right(),
        KeyCode::Home => screen.composer.home(),
        KeyCode::End => screen.composer.end(),
        KeyCode::Up => screen.composer.older(),
        KeyCode::Down => screen.composer.newer(),
        KeyCode::PageUp => screen.scroll += PAGE,
        KeyCode::PageDown => screen.scroll = screen.scroll.saturating_sub(PAGE),
        _ => {}
    }
    None
}

/// What a key says to a question.
fn decision(key: KeyCode) -> Option<Decision> {
    match key {
        KeyCode::Char('y') => Some(Decision::Once),
        KeyCode::Char('a') => Some(Decision::Always),
        KeyCode::Char('n') | KeyCode::Esc => Some(Decision::No("the user said no".to_owned())),
        _ => None,
    }
}

/// What is typed first, then what is under way, then the session.
fn stop(screen: &mut Screen) -> Option<Input> {
    if !screen.composer.text().is_empty() {
        screen.composer.set("");
        return None;
    }
    Some(if screen.loading { Input::Interrupt } else { Input::Quit(LEFT) })
}
