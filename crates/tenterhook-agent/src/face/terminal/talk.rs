//! How the conversation looks: its blocks, broken from the last upwards, and what of them is seen. Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::block::{Block, State};
use super::screen::Screen;
use super::style::{BOLD, DIM, PLAIN, marked};
use super::view::{Span, View};
use super::wrap::wrap;

/// How many lines of a tool's output are shown.
const ROWS: usize = 12;

const THOUGHT: Style = DIM.add_modifier(Modifier::ITALIC);
const WARNING: Style = Style::new().fg(Color::Yellow);
const REFUSAL: Style = BOLD.fg(Color::Red);
const REWRITE: Style = BOLD.fg(Color::Cyan);

/// Draws what the person looks at; what that turned out to be, which is nothing beyond the beginning.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen) -> View {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let Gathered { lines, spans, below } = gather(screen, width, height);
    let below = below.min(lines.len().saturating_sub(height));
    let mut seen: Vec<_> = lines.into_iter().skip(below).take(height).collect();
    let top = (below + seen.len()).saturating_sub(1);
    seen.reverse();
    frame.render_widget(Paragraph::new(seen), area);
    View::settled(below, &spans, top)
}

/// Lines of the conversation, from the last upwards, and no more than are needed: a long one costs no more than a short one.
struct Gathered {
    lines: Vec<Line<'static>>,
    /// Which of them belong to which block, where somebody wants to know.
    spans: Vec<Span>,
    /// How many of them are to lie below what is seen.
    below: usize,
}

fn gather(screen: &Screen, width: usize, height: usize) -> Gathered {
    let at_end = screen.view.at_end();
    // Only whole blocks tell where in them somebody is.
    let wanted = if at_end { height } else { usize::MAX };
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (_, text) in screen.sent.iter().rev() {
        take_up(&mut lines, wanted, marked("> ", text, width, DIM));
        lines.push(Line::default());
    }
    let (mut spans, mut below) = (Vec::new(), None);
    for (block, it) in screen.numbered().rev() {
        below = if at_end { Some(0) } else { screen.view.wanted(&spans, height) };
        if below.is_some_and(|below| lines.len() >= below + height) {
            return Gathered { lines, spans, below: below.unwrap_or(0) };
        }
        let from = lines.len();
        block_lines(it, width, wanted, &mut lines);
        // The line that sets it apart from what is above belongs to it.
        lines.push(Line::default());
        spans.push(Span { block, from, to: lines.len() });
    }
    // What comes first has nothing above it to stand apart from.
    while lines.last().is_some_and(|line| line.width() == 0) {
        lines.pop();
    }
    let below = screen.view.wanted(&spans, height).or(below);
    Gathered { below: below.unwrap_or(usize::MAX), lines, spans }
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

/// What came of a tool.
fn output(state: &State, width: usize) -> Vec<Line<'static>> {
    let (mark, text, more) = match state {
        State::Held => return vec![Line::styled("  asked for, not begun", DIM)],
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
