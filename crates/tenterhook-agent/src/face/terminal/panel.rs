//! How the panel of hooks looks: what fired, how long each hook took, what it decided; newest at the end. Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block as Boxed, Borders, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::screen::Screen;
use super::style::{BOLD, DIM};
use super::wrap::truncate_to_width;
use crate::update::{Trace, TraceStep};

/// How wide the column of times is.
const TIME: usize = 9;
/// How wide the column of decisions is: the longest word has five letters.
const WORD: usize = 7;

/// Draws the panel.
pub(super) fn draw_panel(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let boxed = Boxed::new().borders(Borders::ALL).title(" hooks, newest last ");
    let inner = boxed.inner(area);
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    let mut lines: Vec<Line<'_>> = Vec::new();
    for trace in screen.traces.iter().rev() {
        lines.extend(trace.steps.iter().rev().map(|step| Line::raw(step_row(step, width))));
        lines.push(Line::styled(event_row(trace, width), BOLD));
        if lines.len() >= height {
            break;
        }
    }
    if lines.is_empty() {
        lines.push(Line::styled(truncate_to_width(" no hook has run yet", width), DIM));
    }
    lines.truncate(height);
    lines.reverse();
    frame.render_widget(boxed, area);
    frame.render_widget(Paragraph::new(lines), inner);
}

fn event_row(trace: &Trace, width: usize) -> String {
    two_column_row(&format!(" {}", trace.event.label), &trace.came, width)
}

fn step_row(step: &TraceStep, width: usize) -> String {
    let took = format!("{} ms", step.took_ms);
    let right = format!("{took:>TIME$}  {:<WORD$}", step.verdict);
    two_column_row(&format!("   {}  {}", step.hook, step.ended), right.trim_end(), width)
}

/// Formats a row with a text at the left and one in the columns at the right. The left text is cut
/// if necessary.
fn two_column_row(left: &str, right: &str, width: usize) -> String {
    let column = (TIME + 2 + WORD).min(width);
    let right = if right.width() <= WORD {
        format!("{:>1$}{right}", "", TIME + 2)
    } else {
        right.to_owned()
    };
    let left = truncate_to_width(left, width.saturating_sub(column));
    let gap = width.saturating_sub(column + left.width());
    truncate_to_width(&format!("{left}{}{right}", " ".repeat(gap)), width)
}
