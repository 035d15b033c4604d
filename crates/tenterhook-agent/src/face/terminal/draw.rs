//! How the screen looks. Draws what stands in it; changes nothing.
//!
//! Every mark is a word or a sign before it is a colour: who sees no colour misses nothing.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block as Boxed, Borders, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::screen::{Block, Screen};
use super::wrap::wrap;
use crate::update::{Ask, Trace};

/// What turns while something is under way.
const SPINNER: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// How many lines of a tool's output are shown.
const SHOWN: usize = 8;
/// How wide the terminal must be for the panel to stand beside the conversation.
const WIDE: u16 = 100;
/// How many lines the composer may take.
const TALL: usize = 6;

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws the screen.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen) {
    let area = frame.area();
    let inner = usize::from(area.width.saturating_sub(4)).max(1);
    let typed = wrap(screen.composer.text(), inner);
    let tall = u16::try_from(typed.len().clamp(1, TALL)).unwrap_or(1) + 2;
    let asked = screen.asks.front().map(|ask| question(ask, usize::from(area.width)));
    let asking =
        u16::try_from(asked.as_ref().map_or(0, Vec::len)).unwrap_or(0).min(area.height / 2);
    let [main, ask, status, composer] = Layout::vertical([
        Constraint::Min(1),
        Constraint::Length(asking),
        Constraint::Length(1),
        Constraint::Length(tall),
    ])
    .areas(area);
    let (talk, panel) = split(main, screen.panel);
    conversation(frame, talk, screen);
    if let Some(panel) = panel {
        traces(frame, panel, screen);
    }
    frame.render_widget(Paragraph::new(asked.unwrap_or_default()), ask);
    frame.render_widget(Paragraph::new(status_line(screen, usize::from(area.width))), status);
    compose(frame, composer, screen, &typed);
}

fn split(area: Rect, panel: bool) -> (Rect, Option<Rect>) {
    if !panel {
        return (area, None);
    }
    let [talk, panel] = if area.width >= WIDE {
        Layout::horizontal([Constraint::Min(40), Constraint::Length(46)]).areas(area)
    } else {
        Layout::vertical([Constraint::Min(3), Constraint::Percentage(50)]).areas(area)
    };
    (talk, Some(panel))
}

/// The end of the conversation, or what lies so many lines above it.
fn conversation(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut lines: Vec<Line<'_>> = Vec::new();
    // From the end, and no further than is seen: a long conversation costs no more than a short one.
    for block in screen.blocks.iter().rev() {
        let mut shown = block_lines(block, width);
        shown.push(Line::default());
        shown.reverse();
        lines.extend(shown);
        if lines.len() > height + screen.scroll {
            break;
        }
    }
    let scroll = screen.scroll.min(lines.len().saturating_sub(height));
    let mut seen: Vec<_> = lines.into_iter().skip(scroll).take(height).collect();
    seen.reverse();
    frame.render_widget(Paragraph::new(seen), area);
}

fn block_lines(block: &Block, width: usize) -> Vec<Line<'static>> {
    match block {
        Block::User(text) => marked("> ", text, width, BOLD),
        Block::Model(text) => marked("", text, width, Style::new()),
        Block::Thought(text) => marked("~ ", text, width, DIM.add_modifier(Modifier::ITALIC)),
        Block::Rewrite(text) => {
            let mut lines = vec![Line::styled("[hook rewrite]", BOLD)];
            lines.extend(marked("", text, width, Style::new()));
            lines
        }
        Block::Tool { call, result } => tool(call, result.as_ref(), width),
        Block::Warn(text) => marked("[warn] ", text, width, Style::new()),
        Block::Notice(text) => marked("· ", text, width, DIM),
        Block::Refused(reason) => marked("[not sent] ", reason, width, BOLD),
        Block::Page { title, text } => {
            let mut lines = vec![Line::styled(title.clone(), BOLD)];
            lines.extend(marked("  ", text.trim_end(), width, Style::new()));
            lines
        }
    }
}

/// A text whose first line carries a mark; the others stand under it.
fn marked(mark: &'static str, text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let room = width.saturating_sub(mark.width());
    let lines = wrap(text, room).into_iter().enumerate().map(|(at, line)| {
        let lead = if at == 0 { mark.to_owned() } else { " ".repeat(mark.width()) };
        Line::styled(format!("{lead}{line}"), style)
    });
    lines.collect()
}

fn tool(
    call: &crate::conversation::Call,
    result: Option<&crate::conversation::ToolResult>,
    width: usize,
) -> Vec<Line<'static>> {
    let mut lines = marked("* ", &format!("{} {}", call.tool, subject(&call.input)), width, BOLD);
    match result {
        None => lines.push(Line::styled("  running", DIM)),
        Some(result) => {
            let mark = if result.is_error { "  failed: " } else { "  " };
            let all = marked(mark, &result.text, width, DIM);
            let more = all.len().saturating_sub(SHOWN);
            lines.extend(all.into_iter().take(SHOWN));
            if more > 0 {
                lines.push(Line::styled(format!("  ({more} lines more)"), DIM));
            }
        }
    }
    lines
}

/// What a call is about: its first text argument.
fn subject(input: &serde_json::Value) -> String {
    let texts = input.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
    texts.map(|it| it.lines().next().unwrap_or_default().to_owned()).next().unwrap_or_default()
}

fn question(ask: &Ask, width: usize) -> Vec<Line<'static>> {
    let mut lines =
        marked("? ", &format!("{} {}", ask.call.tool, subject(&ask.call.input)), width, BOLD);
    lines.extend(marked("  ", &ask.reason, width, Style::new()));
    lines.extend(marked("  ", "[y] yes, once   [a] always, this very call   [n] no", width, BOLD));
    lines
}

/// What is under way and for how long, what waits, and where the person is.
fn status_line(screen: &Screen, width: usize) -> Line<'static> {
    let mut left = String::new();
    if screen.moves() {
        let took = screen.now.saturating_duration_since(screen.since);
        let frame = usize::try_from(took.as_millis() / 80).unwrap_or(0) % SPINNER.len();
        let what = screen.status.clone().unwrap_or_else(|| "working".to_owned());
        left = format!("{} {what} ({} s)", SPINNER.get(frame).unwrap_or(&"*"), took.as_secs());
        if screen.loading {
            left.push_str("  Esc stops");
        }
    }
    if screen.queued > 0 {
        left.push_str(&format!("  {} queued", screen.queued));
    }
    let right = format!("{}  {}", screen.model, screen.cwd);
    let room = width.saturating_sub(left.width() + 2);
    let right: String = if right.width() <= room { right } else { String::new() };
    let gap = width.saturating_sub(left.width() + right.width());
    Line::from(vec![Span::raw(left), Span::raw(" ".repeat(gap)), Span::styled(right, DIM)])
}

fn compose(frame: &mut Frame<'_>, area: Rect, screen: &Screen, typed: &[String]) {
    let height = usize::from(area.height.saturating_sub(2)).max(1);
    let before = wrap(screen.composer.before(), usize::from(area.width.saturating_sub(4)).max(1));
    let row = before.len().saturating_sub(1);
    let first = (row + 1).saturating_sub(height);
    let lines: Vec<Line<'_>> =
        typed.iter().skip(first).take(height).map(|it| Line::raw(it.clone())).collect();
    let boxed = Boxed::new().borders(Borders::ALL);
    let inner = boxed.inner(area);
    frame.render_widget(boxed, area);
    let text = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    frame.render_widget(Paragraph::new(lines), text);
    let column = before.last().map_or(0, |line| line.width());
    // A space before the cursor is not part of a wrapped line, but the cursor stands behind it.
    let trailing =
        screen.composer.before().len() - screen.composer.before().trim_end_matches(' ').len();
    let x =
        text.x + u16::try_from(column + trailing).unwrap_or(0).min(text.width.saturating_sub(1));
    let y = text.y + u16::try_from(row - first.min(row)).unwrap_or(0);
    if area.height > 2 {
        frame.set_cursor_position(Position { x, y });
    }
}

/// What fired, how long it took, what it decided; newest at the end.
fn traces(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let boxed = Boxed::new().borders(Borders::ALL).title(" hooks ");
    let inner = boxed.inner(area);
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    let mut lines: Vec<Line<'_>> = Vec::new();
    for trace in screen.traces.iter().rev() {
        let mut shown = trace_lines(trace, width);
        shown.reverse();
        lines.extend(shown);
        if lines.len() >= height {
            break;
        }
    }
    lines.truncate(height);
    lines.reverse();
    frame.render_widget(boxed, area);
    frame.render_widget(Paragraph::new(lines), inner);
}

fn trace_lines(trace: &Trace, width: usize) -> Vec<Line<'static>> {
    let mut lines =
        vec![Line::styled(cut(&format!("{}  {}", trace.event, trace.came), width), BOLD)];
    for step in &trace.steps {
        let verdict =
            if step.verdict.is_empty() { String::new() } else { format!("  {}", step.verdict) };
        let text = format!("  {}  {}  {} ms{verdict}", step.hook, step.ended, step.took_ms);
        lines.push(Line::raw(cut(&text, width)));
    }
    lines
}

fn cut(text: &str, width: usize) -> String {
    wrap(text, width).into_iter().next().unwrap_or_default()
}
