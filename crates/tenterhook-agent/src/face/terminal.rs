//! The interactive face: draws updates and sends typed input. Fires no event and runs no hook, so
//! that the person does not wait for hooks.

mod ask;
mod block;
mod composer;
mod did;
mod diff;
mod draw;
mod guard;
mod keys;
mod markdown;
mod outbox;
mod panel;
mod question;
mod screen;
mod shown;
mod style;
mod talk;
mod view;
mod wrap;

#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::io::{self, BufWriter, Write};
use std::task::Poll;
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyEventKind};
use futures_util::{Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::exit_signals::{ExitSignals, GRACE, Left, wait_until_moment};
use super::headless;
use crate::update::{Input, Update};
use draw::Drawn;
use guard::Guard;
use screen::Screen;

/// How often something that moves is drawn anew.
const FRAME: Duration = Duration::from_millis(40);
/// How long updates are taken before the person is listened to again.
const TAKEN: Duration = Duration::from_millis(10);
/// How long the session may take to cut its hooks when the person leaves a second time.
const HURRIED: Duration = Duration::from_secs(2);
/// What a frame may write at once.
const WRITTEN: usize = 64 * 1024;

/// When the screen is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Somebody typed, and sees it now.
    Now,
    /// Something came, and is seen with the next frame: a flood of updates costs no more drawings than there are frames.
    Soon,
    /// Nothing changed.
    Not,
}

/// Runs a session in the terminal, until the user or a signal ends it.
pub(crate) async fn run_terminal_session(
    home: &str,
    inputs: mpsc::UnboundedSender<Input>,
    updates: mpsc::UnboundedReceiver<Update>,
) -> io::Result<Left> {
    let exit_signals = exit_signal_receiver()?;
    let guard = Guard::enter_raw_mode()?;
    let out = BufWriter::with_capacity(WRITTEN, io::stdout());
    let terminal = Terminal::new(CrosstermBackend::new(out))?;
    let screen = Screen::new(home, Instant::now());
    let mut life = Life {
        terminal,
        screen,
        inputs,
        due: Due::Now,
        there: true,
        until: None,
        hurried: false,
        last_words: Vec::new(),
    };
    let left = life.run_event_loop(EventStream::new(), exit_signals, updates).await;
    // The screen goes, and with it what was shown there.
    drop(guard);
    for line in life.last_words {
        // A terminal that is gone shows nothing.
        let _ = writeln!(io::stderr(), "{line}");
    }
    Ok(left)
}

/// Starts to receive the signals that end the program.
fn exit_signal_receiver() -> io::Result<mpsc::UnboundedReceiver<()>> {
    let mut exit_signals = ExitSignals::new()?;
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            // Keys of this terminal are no signals, so a second one is no wish of the person.
            let _ = exit_signals.next().await;
            if sender.send(()).is_err() {
                break;
            }
        }
    });
    Ok(receiver)
}

/// A screen on a terminal, and the session behind it.
struct Life<B: Backend> {
    terminal: Terminal<B>,
    screen: Screen,
    inputs: mpsc::UnboundedSender<Input>,
    due: Due,
    /// Whether the terminal is still there.
    there: bool,
    /// When the session is waited for no longer.
    until: Option<Instant>,
    /// Whether the person left a second time.
    hurried: bool,
    /// What was reported while the person left: it is printed when the screen is gone.
    last_words: Vec<String>,
}

impl<B: Backend> Life<B> {
    async fn run_event_loop(
        &mut self,
        mut events: impl Stream<Item = io::Result<Event>> + Unpin,
        mut exit_signals: mpsc::UnboundedReceiver<()>,
        mut updates: mpsc::UnboundedReceiver<Update>,
    ) -> Left {
        let mut frames = interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let inputs = self.inputs.clone();
        loop {
            self.draw_screen();
            tokio::select! {
                // The person first, then the frame that shows, then what there is to show.
                biased;
                event = events.next(), if self.there => {
                    let mut next = Some(event);
                    while let Some(event) = next {
                        if self.on_terminal_event(event) == Some(Left::Abandoned) {
                            return Left::Abandoned;
                        }
                        next = if self.there { poll_ready_item(&mut events).await } else { None };
                    }
                }
                Some(()) = exit_signals.recv() => self.end_session("other"),
                () = wait_until_moment(self.until) => return Left::Abandoned,
                // It says so with its last update, if it can still say something.
                () = inputs.closed() => {
                    // What it said before is printed when the screen is gone.
                    while let Ok(update) = updates.try_recv() {
                        let _ = self.apply_pending_updates(update, &mut updates);
                    }
                    return Left::Ended(0);
                }
                _ = frames.tick(), if self.due == Due::Soon || self.screen.changes_with_time() => {
                    // Not the moment of the tick: the first one after a silence was due when that began.
                    self.screen.set_current_time(Instant::now());
                    self.due = Due::Now;
                }
                Some(update) = updates.recv() => {
                    if self.apply_pending_updates(update, &mut updates) == Some(Left::Ended(0)) {
                        return Left::Ended(0);
                    }
                }
            }
        }
    }

    fn draw_screen(&mut self) {
        if self.due != Due::Now || !self.there {
            return;
        }
        self.due = Due::Not;
        let mut drawn = Drawn::default();
        let screen = &self.screen;
        match self.terminal.draw(|frame| drawn = draw::draw_screen(frame, screen)) {
            // Scrolling stops at the beginning and at the end.
            Ok(_) => (self.screen.view, self.screen.read) = (drawn.view, drawn.read),
            Err(_) => self.on_terminal_lost(),
        }
    }

    /// Handles a key or another event of the terminal. Returns how the session ended, if it did.
    fn on_terminal_event(&mut self, event: Option<io::Result<Event>>) -> Option<Left> {
        self.due = Due::Now;
        match event {
            Some(Ok(Event::Key(key))) if key.kind != KeyEventKind::Release => {
                self.screen.set_current_time(Instant::now());
                let action = keys::handle_key(&mut self.screen, key);
                if std::mem::take(&mut self.screen.aside) {
                    self.suspend();
                }
                match action {
                    Some(Input::Quit(_)) if self.hurried => return Some(Left::Abandoned),
                    Some(Input::Quit(_)) if self.screen.leaving => self.force_quit(),
                    Some(Input::Quit(reason)) => self.request_quit(reason),
                    // A key without a meaning only shows that the person is there.
                    input => self.send_input(input.unwrap_or(Input::Typing)),
                }
            }
            Some(Ok(Event::Paste(text))) => {
                self.screen.on_text_typed();
                self.screen.composer.insert(&text);
                self.send_input(Input::Typing);
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => self.on_terminal_lost(),
        }
        None
    }

    /// Suspends the program, so that the shell has the terminal until the program continues.
    fn suspend(&mut self) {
        if guard::suspend_program().is_err() || self.terminal.clear().is_err() {
            self.on_terminal_lost();
        }
        self.screen.set_current_time(Instant::now());
    }

    /// Applies the waiting updates for a limited time. Returns how the session ended, if it did.
    fn apply_pending_updates(
        &mut self,
        first: Update,
        more: &mut mpsc::UnboundedReceiver<Update>,
    ) -> Option<Left> {
        if self.due == Due::Not {
            self.due = Due::Soon;
        }
        let now = Instant::now();
        self.screen.set_current_time(now);
        let until = now + TAKEN;
        let mut next = Some(first);
        while let Some(update) = next {
            if matches!(update, Update::Ended) {
                return Some(Left::Ended(0));
            }
            if self.screen.leaving {
                self.last_words.extend(headless::plain_line_beside_answer(&update));
            }
            self.screen.apply_update(update);
            next = if Instant::now() < until { more.try_recv().ok() } else { None };
        }
        None
    }

    /// Ends the session because the terminal is gone: no more questions and no more output.
    fn on_terminal_lost(&mut self) {
        self.there = false;
        self.end_session("other");
    }

    /// Ends the session because the user cannot be asked.
    fn end_session(&mut self, reason: &'static str) {
        if self.until.is_none() {
            self.until = Some(Instant::now() + GRACE);
            self.request_quit(reason);
        }
        self.due = Due::Now;
    }

    /// Makes the session cut its hooks. A session that does not end in time is abandoned.
    fn force_quit(&mut self) {
        self.hurried = true;
        let until = Instant::now() + HURRIED;
        self.until = Some(self.until.map_or(until, |earlier| earlier.min(until)));
        self.send_input(Input::QuitNow);
    }

    fn request_quit(&mut self, reason: &'static str) {
        self.screen.mark_leaving();
        self.send_input(Input::Quit(reason));
    }

    fn send_input(&self, input: Input) {
        // The end of a session arrives as an update.
        let _ = self.inputs.send(input);
    }
}

/// Returns the next item if it is ready. Polls with the waker of this task: a stream of keys stores
/// the first waker that it gets, so a waker without effect would lose the next key.
async fn poll_ready_item<S: Stream + Unpin>(stream: &mut S) -> Option<Option<S::Item>> {
    poll_fn(|context| match stream.poll_next_unpin(context) {
        Poll::Ready(item) => Poll::Ready(Some(item)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
