//! Draws the screen; changes nothing.
//!
//! Every mark is a word or a character as well as a colour, so that no information depends on colours. The backend leaves colours out
//! where `NO_COLOR` says so.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block as Boxed, Borders, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::ask::Asked;
use super::outbox::Phase;
use super::question::Read;
use super::screen::Screen;
use super::style::DIM;
use super::view::View;
use super::wrap::{truncate_to_width, wrap_anywhere};
use super::{panel, talk};

/// What turns while something is under way, and how long each of them stands.
const SPINNER: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TURN: u128 = 80;
/// How wide the terminal must be for the panel to stand beside the conversation, and how wide it is then.
const WIDE: u16 = 100;
const PANEL: u16 = 46;
/// How many lines the composer may take, and how much of a text that is longer it looks at.
const TALL: usize = 6;
const LOOKED_AT: usize = 4000;
/// How many rows a question may take in any case, if there are so many.
const FEW: usize = 8;
/// In how few rows a composer in which nothing stands gives way to a question.
const LOW: u16 = 8;
/// How much of the name of what is under way is shown in any case.
const LEAST: usize = 8;
/// The mode that is not worth a word.
const USUAL: &str = "default";
/// What the composer says when it is empty.
const INVITES: &str = "Type a prompt, or /help";

/// What the person was shown, where that is not for them alone to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawn {
    /// The rows of the conversation.
    pub(super) view: View,
    /// The rows of the question.
    pub(super) read: Read,
}

/// Draws the screen.
pub(super) fn draw_screen(frame: &mut Frame<'_>, screen: &Screen) -> Drawn {
    let area = frame.area();
    let width = usize::from(area.width);
    let typed = Typed::from_screen(screen, area);
    let asked = Asked::from_screen(screen, width);
    let mut tall = u16::try_from(typed.lines.len()).unwrap_or(1) + 2;
    if asked.is_some() && typed.empty && area.height < LOW {
        tall = 0;
    }
    let left = usize::from(area.height.saturating_sub(tall + 1));
    let asking = asked.as_ref().map_or(0, |a| a.preferred_height().min(max_question_rows(left)));
    let [main, ask, status, composer] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(u16::try_from(asking).unwrap_or(0)),
        Constraint::Length(1),
        Constraint::Length(tall),
    ])
    .areas(area);
    let (conversation, beside) = split_off_panel(main, screen.panel);
    let view = talk::draw_conversation(frame, conversation, screen);
    if let Some(beside) = beside {
        panel::draw_panel(frame, beside, screen);
    }
    let read = asked.map_or_else(Read::default, |a| a.draw(frame, ask, screen.read));
    frame.render_widget(Paragraph::new(status_line(screen, view.below, width)), status);
    draw_input_box(frame, composer, &typed);
    Drawn { view, read }
}

/// Returns how many of the remaining rows a question may take: most of them, and nearly all if
/// there are few.
const fn max_question_rows(left: usize) -> usize {
    let most = left * 2 / 3;
    let few = if left > FEW { FEW } else { left };
    if most > few { most } else { few }
}

fn split_off_panel(area: Rect, panel: bool) -> (Rect, Option<Rect>) {
    if !panel {
        return (area, None);
    }
    let [talk, panel] = if area.width >= WIDE {
        Layout::horizontal([Constraint::Min(40), Constraint::Length(PANEL)]).areas(area)
    } else {
        Layout::vertical([Constraint::Min(3), Constraint::Percentage(50)]).areas(area)
    };
    (talk, Some(panel))
}

/// Returns the current activity with its duration, the waiting texts, and the scroll position.
fn status_line(screen: &Screen, below: usize, width: usize) -> Line<'static> {
    let left = truncate_to_width(&activity_text(screen, below, width), width);
    let right = session_summary(screen, width.saturating_sub(left.width() + 2));
    let gap = width.saturating_sub(left.width() + right.width());
    Line::from(vec![Span::raw(left), Span::raw(" ".repeat(gap)), Span::styled(right, DIM)])
}

/// Returns the mode, the sandbox of commands, the usage, the model and the directory, in this
/// order, as far as they fit.
fn session_summary(screen: &Screen, room: usize) -> String {
    let mode = if screen.mode == USUAL { "" } else { screen.mode };
    let used = match (screen.used.full, screen.used.tokens) {
        (0, 0) => String::new(),
        (full, tokens) => format!("{full}% full  {} tokens", abbreviate_number(tokens)),
    };
    let mut right = String::new();
    for part in [mode, screen.sandbox.screen_label(), &used, &screen.model, &screen.cwd] {
        let gap = if right.is_empty() || part.is_empty() { "" } else { "  " };
        if right.width() + gap.width() + part.width() <= room {
            right = format!("{right}{gap}{part}");
        }
    }
    right
}

/// Returns a number in a short form for people.
fn abbreviate_number(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{}.{}k", number / 1000, number % 1000 / 100),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// Returns what the end of the session waits for.
fn exit_wait_text(awaited: &[String]) -> String {
    match awaited {
        [] => "leaving".to_owned(),
        [hook] => format!("leaving when hook `{hook}` has ended"),
        [first, more @ ..] => {
            format!("leaving when hook `{first}` and {} more have ended", more.len())
        }
    }
}

/// Describes the current work. If it is too long, its name is cut, never its duration and the key
/// that stops it.
fn activity_text(screen: &Screen, below: usize, width: usize) -> String {
    let mut parts = Vec::new();
    if screen.is_busy() {
        let (what, since) = match (&screen.status, screen.longest_hold_without_call()) {
            _ if screen.leaving => (exit_wait_text(&screen.awaited), screen.since),
            (Some(status), _) => (status.clone(), screen.since),
            (None, Some((hold, since))) => (talk::hold_text(hold), since),
            _ if screen.loading => ("working".to_owned(), screen.since),
            _ if screen.outbox.has_submission_in_phase(Phase::Sending) => {
                ("sending".to_owned(), screen.since)
            }
            _ => ("waiting".to_owned(), screen.since),
        };
        let took = screen.now.saturating_duration_since(since);
        let all = screen.now.saturating_duration_since(screen.since);
        let turned = usize::try_from(all.as_millis() / TURN).unwrap_or(0) % SPINNER.len();
        let spinner = SPINNER.get(turned).unwrap_or(&"*");
        let key = match (screen.leaving, screen.can_esc_stop()) {
            (true, _) => "  Ctrl-C ends it",
            (false, true) => "  Esc stops",
            (false, false) => "",
        };
        let end = format!(" ({} s){key}", took.as_secs());
        let width_left = width.saturating_sub(spinner.width() + 1 + end.width());
        parts.push(format!("{spinner} {}{end}", truncate_to_width(&what, width_left.max(LEAST))));
    }
    if screen.open {
        parts.push("all is open, Ctrl-O closes".to_owned());
    }
    if screen.warned {
        parts.push("Ctrl-C again leaves".to_owned());
    }
    if below > 0 {
        let lines = if below == 1 { "line" } else { "lines" };
        parts.push(format!("{below} {lines} below, End returns"));
    }
    parts.join("  ")
}

/// What of the typed text is seen, and where its cursor is.
struct Typed {
    lines: Vec<String>,
    row: usize,
    column: usize,
    empty: bool,
}

impl Typed {
    fn from_screen(screen: &Screen, area: Rect) -> Self {
        let width = usize::from(area.width.saturating_sub(4)).max(1);
        let height = TALL.min(usize::from(area.height / 3)).max(1);
        let (before, after) =
            (screen.composer.text_before_cursor(), screen.composer.text_after_cursor());
        let from = before.ceil_char_boundary(before.len().saturating_sub(LOOKED_AT));
        let before = before.get(from..).unwrap_or_default();
        let after = after.get(..after.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        let above = wrap_anywhere(before, width);
        let row = above.len().saturating_sub(1);
        let column = above.last().map_or(0, |line| line.width());
        let all = wrap_anywhere(&format!("{before}{after}"), width);
        let first = (row + 1).saturating_sub(height);
        let lines: Vec<_> = all.into_iter().skip(first).take(height).collect();
        Self { lines, row: row - first, column, empty: screen.composer.text().is_empty() }
    }
}

fn draw_input_box(frame: &mut Frame<'_>, area: Rect, typed: &Typed) {
    let boxed = Boxed::new().borders(Borders::ALL);
    let inner = boxed.inner(area);
    frame.render_widget(boxed, area);
    let text = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let lines: Vec<Line<'_>> = match typed.empty {
        true => vec![Line::styled(truncate_to_width(INVITES, usize::from(text.width)), DIM)],
        false => typed.lines.iter().map(|line| Line::raw(line.as_str())).collect(),
    };
    frame.render_widget(Paragraph::new(lines), text);
    let right = text.width.saturating_sub(1);
    let x = text.x + u16::try_from(typed.column).unwrap_or(right).min(right);
    let y = text.y + u16::try_from(typed.row).unwrap_or(0);
    if inner.contains(Position { x, y }) {
        frame.set_cursor_position(Position { x, y });
    }
}
