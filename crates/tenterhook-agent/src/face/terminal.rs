//! The interactive face: draws what it is told, says what is typed. Fires no event and runs no hook; what a hook takes, the
//! person does not wait for.

mod composer;
mod draw;
mod guard;
mod keys;
mod screen;
mod wrap;

use std::io;
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyEventKind};
use futures_util::StreamExt;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::told::Told;
use crate::update::{Input, Update};
use guard::Guard;
use screen::Screen;

/// How often something that moves is drawn anew.
const FRAME: Duration = Duration::from_millis(80);

/// Runs a session in the terminal, until the person leaves or the program is told to; the exit code.
pub(crate) async fn run(
    inputs: mpsc::UnboundedSender<Input>,
    mut updates: mpsc::UnboundedReceiver<Update>,
) -> io::Result<u8> {
    let _guard = Guard::enter()?;
    let mut terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
    let mut events = EventStream::new();
    let mut told = Told::new()?;
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut screen = Screen::new(Instant::now());
    loop {
        terminal.draw(|frame| draw::draw(frame, &screen))?;
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(event)) => {
                    if let Some(input) = hear(&mut screen, event) {
                        send(&inputs, input);
                    }
                }
                // The terminal is gone: nobody is left to ask.
                Some(Err(_)) | None => send(&inputs, Input::Quit("other")),
            },
            update = updates.recv() => {
                let mut next = update;
                // Everything that waits is taken before the next frame: a flood of text costs one drawing.
                while let Some(update) = next {
                    if matches!(update, Update::Ended) {
                        return Ok(0);
                    }
                    screen.take(update);
                    next = updates.try_recv().ok();
                }
            }
            now = frames.tick(), if screen.moves() => screen.tick(now),
            () = told.leave() => send(&inputs, Input::Quit("other")),
        }
    }
}

fn hear(screen: &mut Screen, event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            Some(keys::press(screen, key).unwrap_or(Input::Typing))
        }
        Event::Paste(text) => {
            screen.composer.insert(&text);
            Some(Input::Typing)
        }
        _ => None,
    }
}

fn send(inputs: &mpsc::UnboundedSender<Input>, input: Input) {
    // A session that has ended says so with its last update.
    let _ = inputs.send(input);
}
