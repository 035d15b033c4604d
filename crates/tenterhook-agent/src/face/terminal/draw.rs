//! How the screen looks. Draws what stands in it; changes nothing.
//!
//! Every mark is a word or a sign before it is a colour: who sees no colour misses nothing. The backend leaves colours out
//! where `NO_COLOR` says so.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block as Boxed, Borders, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::panel;
use super::screen::{Block, Question, Screen, State};
use super::wrap::{chop, upward, wrap};

/// What turns while something is under way, and how long each of them stands.
const SPINNER: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TURN: u128 = 80;
/// How many lines of a tool's output, or of one argument that is asked about, are shown.
const ROWS: usize = 12;
/// How wide the terminal must be for the panel to stand beside the conversation, and how wide it is then.
const WIDE: u16 = 100;
const PANEL: u16 = 46;
/// How many lines the composer may take, and how much of a text that is longer it looks at.
const TALL: usize = 6;
const LOOKED_AT: usize = 4000;
/// What the composer says when it is empty.
const INVITES: &str = "Type a prompt, or /help";

pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const PLAIN: Style = Style::new();
const THOUGHT: Style = DIM.add_modifier(Modifier::ITALIC);
const WARNING: Style = Style::new().fg(Color::Yellow);
const REFUSAL: Style = BOLD.fg(Color::Red);
const REWRITE: Style = BOLD.fg(Color::Cyan);

/// Draws the screen; how far it is scrolled, which is no further than there are lines.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen) -> usize {
    let area = frame.area();
    let width = usize::from(area.width);
    let typed = Typed::of(screen, area);
    let tall = u16::try_from(typed.lines.len()).unwrap_or(1) + 2;
    let mut asked = screen.questions.front().map(|it| question(it, screen, width));
    let room = usize::from(area.height.saturating_sub(tall + 1)) * 2 / 3;
    if let Some(lines) = &mut asked {
        fit(lines, room);
    }
    let asking = u16::try_from(asked.as_ref().map_or(0, Vec::len)).unwrap_or(0);
    let [main, ask, status, composer] = Layout::vertical([
        Constraint::Min(1),
        Constraint::Length(asking),
        Constraint::Length(1),
        Constraint::Length(tall),
    ])
    .areas(area);
    let (talk, beside) = split(main, screen.panel);
    let top = conversation(frame, talk, screen);
    if let Some(beside) = beside {
        panel::draw(frame, beside, screen);
    }
    frame.render_widget(Paragraph::new(asked.unwrap_or_default()), ask);
    frame.render_widget(Paragraph::new(status_line(screen, width)), status);
    compose(frame, composer, &typed);
    top
}

fn split(area: Rect, panel: bool) -> (Rect, Option<Rect>) {
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

/// The end of the conversation, or what lies so many lines above it.
fn conversation(frame: &mut Frame<'_>, area: Rect, screen: &Screen) -> usize {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    // From the end, and no further than is seen: a long conversation costs no more than a short one.
    let wanted = height + screen.scroll;
    let mut lines: Vec<Line<'static>> = Vec::new();
    for text in screen.sent.iter().rev() {
        take_up(&mut lines, wanted, marked("> ", text, width, DIM));
        lines.push(Line::default());
    }
    for block in screen.blocks.iter().rev() {
        if lines.len() >= wanted {
            break;
        }
        block_lines(block, width, wanted, &mut lines);
        lines.push(Line::default());
    }
    // What comes first has nothing above it to stand apart from.
    while lines.last().is_some_and(|line| line.width() == 0) {
        lines.pop();
    }
    let scroll = screen.scroll.min(lines.len().saturating_sub(height));
    let mut seen: Vec<_> = lines.into_iter().skip(scroll).take(height).collect();
    seen.reverse();
    frame.render_widget(Paragraph::new(seen), area);
    scroll
}

/// Adds lines that come from the last to the first, until there are enough.
fn take_up(
    lines: &mut Vec<Line<'static>>,
    wanted: usize,
    more: impl Iterator<Item = Line<'static>>,
) {
    let room = wanted.saturating_sub(lines.len());
    lines.extend(more.take(room));
}

/// The lines of a block, from the last to the first.
fn block_lines(block: &Block, width: usize, wanted: usize, lines: &mut Vec<Line<'static>>) {
    match block {
        Block::User(text) => take_up(lines, wanted, marked("> ", text, width, BOLD)),
        Block::Model(text) => take_up(lines, wanted, marked("", text, width, PLAIN)),
        Block::Thought(text) => take_up(lines, wanted, marked("~ ", text, width, THOUGHT)),
        Block::Rewrite(text) => {
            take_up(lines, wanted, marked("", text, width, PLAIN));
            lines.push(Line::styled("[hook rewrite]", REWRITE));
        }
        Block::Tool { title, state, .. } => {
            lines.extend(output(state, width).into_iter().rev());
            take_up(lines, usize::MAX, marked("* ", title, width, BOLD));
        }
        Block::Warn(text) => take_up(lines, wanted, marked("[warn] ", text, width, WARNING)),
        Block::Notice(text) => take_up(lines, wanted, marked("· ", text, width, DIM)),
        Block::Refused(text) => take_up(lines, wanted, marked("[not sent] ", text, width, REFUSAL)),
        Block::Page { title, text } => {
            take_up(lines, wanted, marked("  ", text, width, PLAIN));
            take_up(lines, usize::MAX, marked("", title, width, BOLD));
        }
    }
}

/// A text whose first line carries a mark, from the last line to the first; the others stand under it.
fn marked<'a>(
    mark: &'static str,
    text: &'a str,
    width: usize,
    style: Style,
) -> impl Iterator<Item = Line<'static>> + use<'a> {
    let text = text.trim_end();
    // A mark that would leave no room for words stands alone above them.
    let hang = if mark.width() * 2 <= width { mark.width() } else { 0 };
    let mut rows = upward(text, width.saturating_sub(hang)).peekable();
    let mut done = false;
    std::iter::from_fn(move || {
        let Some(row) = rows.next() else {
            let alone = hang == 0 && !mark.is_empty() && !std::mem::replace(&mut done, true);
            return alone.then(|| Line::styled(mark.trim_end(), style));
        };
        let lead = if rows.peek().is_none() && hang > 0 { mark } else { "" };
        Some(Line::styled(format!("{lead:<hang$}{row}"), style))
    })
}

/// What came of a tool.
fn output(state: &State, width: usize) -> Vec<Line<'static>> {
    let (mark, text, more) = match state {
        State::Running => return vec![Line::styled("  running", DIM)],
        State::Done { text, more } => ("", text, *more),
        State::Failed { text, more } => ("failed: ", text, *more),
    };
    let all = wrap(&format!("{mark}{text}"), width.saturating_sub(2));
    let hidden = all.len() > ROWS;
    let style = if mark.is_empty() { DIM } else { PLAIN };
    let mut lines: Vec<_> =
        all.into_iter().take(ROWS).map(|line| Line::styled(format!("  {line}"), style)).collect();
    match (more, hidden) {
        (0, false) => {}
        (0, true) => lines.push(Line::styled("  (more)", DIM)),
        (1, _) => lines.push(Line::styled("  (1 line more)", DIM)),
        (more, _) => lines.push(Line::styled(format!("  ({more} lines more)"), DIM)),
    }
    lines
}

fn question(asked: &Question, screen: &Screen, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled("─".repeat(width), DIM)];
    let mut add = |text: &str, style: Style| {
        let mut rows: Vec<_> = marked("  ", text, width, style).collect();
        rows.reverse();
        let hidden = rows.len().saturating_sub(ROWS);
        lines.extend(rows.into_iter().take(ROWS));
        if hidden > 0 {
            lines.push(Line::styled(format!("  ({hidden} lines more)"), DIM));
        }
    };
    let more = screen.questions.len() - 1;
    let after = if more > 0 { format!("   ({more} more after this)") } else { String::new() };
    add(&format!("May {} run?{after}", asked.title), BOLD);
    for argument in &asked.arguments {
        add(&argument.replace('\n', "\n  "), PLAIN);
    }
    add(&asked.reason, DIM);
    let choices = match screen.asked() {
        Some(_) => "[y] once  [a] always this call  [n] no",
        None if screen.composer.text().is_empty() => "…",
        None => "Send or empty the line (Ctrl-U) to answer.",
    };
    add(choices, BOLD);
    lines
}

/// Makes a question fit: its beginning and its choices stay.
fn fit(lines: &mut Vec<Line<'_>>, room: usize) {
    let room = room.max(3);
    if lines.len() > room {
        let hidden = lines.len() - room + 1;
        lines.splice(
            room - 2..lines.len() - 1,
            [Line::styled(format!("  ({hidden} lines more)"), DIM)],
        );
    }
}

/// What is under way and for how long, what waits, and where the person is.
fn status_line(screen: &Screen, width: usize) -> Line<'static> {
    let left = cut(&under_way(screen), width);
    let right = format!("{}  {}", screen.model, screen.cwd);
    let room = width.saturating_sub(left.width() + 2);
    let right = if right.width() <= room { right } else { String::new() };
    let gap = width.saturating_sub(left.width() + right.width());
    Line::from(vec![Span::raw(left), Span::raw(" ".repeat(gap)), Span::styled(right, DIM)])
}

fn under_way(screen: &Screen) -> String {
    let mut parts = Vec::new();
    if screen.busy() {
        let took = screen.now.saturating_duration_since(screen.since);
        let turned = usize::try_from(took.as_millis() / TURN).unwrap_or(0) % SPINNER.len();
        let what = match &screen.status {
            _ if screen.leaving => "leaving",
            Some(status) => status,
            None if screen.loading => "working",
            None => "sending",
        };
        parts.push(format!(
            "{} {what} ({} s)",
            SPINNER.get(turned).unwrap_or(&"*"),
            took.as_secs()
        ));
        parts.push(if screen.leaving { "Ctrl-C waits no longer" } else { "Esc stops" }.to_owned());
    }
    if screen.warned {
        parts.push("Ctrl-C again leaves".to_owned());
    }
    if screen.queued > 0 {
        parts.push(format!("{} queued", screen.queued));
    }
    if screen.scroll > 0 {
        parts.push(format!("{} lines up, End returns", screen.scroll));
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
    fn of(screen: &Screen, area: Rect) -> Self {
        let width = usize::from(area.width.saturating_sub(4)).max(1);
        let height = TALL.min(usize::from(area.height / 3)).max(1);
        let (before, after) = (screen.composer.before(), screen.composer.after());
        let from = before.ceil_char_boundary(before.len().saturating_sub(LOOKED_AT));
        let before = before.get(from..).unwrap_or_default();
        let after = after.get(..after.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        let above = chop(before, width);
        let row = above.len().saturating_sub(1);
        let column = above.last().map_or(0, |line| line.width());
        let all = chop(&format!("{before}{after}"), width);
        let first = (row + 1).saturating_sub(height);
        let lines: Vec<_> = all.into_iter().skip(first).take(height).collect();
        Self { lines, row: row - first, column, empty: screen.composer.text().is_empty() }
    }
}

fn compose(frame: &mut Frame<'_>, area: Rect, typed: &Typed) {
    let boxed = Boxed::new().borders(Borders::ALL);
    let inner = boxed.inner(area);
    frame.render_widget(boxed, area);
    let text = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let lines: Vec<Line<'_>> = match typed.empty {
        true => vec![Line::styled(cut(INVITES, usize::from(text.width)), DIM)],
        false => typed.lines.iter().map(|it| Line::raw(it.as_str())).collect(),
    };
    frame.render_widget(Paragraph::new(lines), text);
    let right = text.width.saturating_sub(1);
    let x = text.x + u16::try_from(typed.column).unwrap_or(right).min(right);
    let y = text.y + u16::try_from(typed.row).unwrap_or(0);
    if inner.contains(Position { x, y }) {
        frame.set_cursor_position(Position { x, y });
    }
}

/// The text as far as it fits.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut start = chop(text, width.saturating_sub(1)).into_iter().next().unwrap_or_default();
    if width > 0 {
        start.push('…');
    }
    start
}
