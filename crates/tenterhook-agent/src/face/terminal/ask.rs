//! How a question looks. What would run can be read to its end, however low the terminal is, and the choices are always seen.
//! Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::question::{Question, Read};
use super::screen::Screen;
use super::style::{BOLD, DIM, PLAIN, marked};

/// What can be said to it, the first that fits.
const CHOICES: &[&str] =
    &["[y] once  [a] always this call  [n] no", "[y] once  [a] always  [n] no", "[y] [a]lways [n]"];
/// From how many rows on a line sets it apart from what is above.
const RULED: usize = 6;

/// The lines of a question.
pub(super) struct Asked {
    title: Vec<Line<'static>>,
    body: Vec<Line<'static>>,
    choices: Vec<Line<'static>>,
}

impl Asked {
    /// The question that stands before the person, as wide as their terminal.
    pub(super) fn of(screen: &Screen, width: usize) -> Option<Self> {
        let asked = screen.questions.front()?;
        let more = screen.questions.len() - 1;
        let after = if more > 0 { format!("   ({more} more after this)") } else { String::new() };
        let title = rows(&format!("May {} run?{after}", asked.title), width, BOLD);
        Some(Self { title, body: body(asked, width), choices: choices(screen, width) })
    }

    /// How many rows it would like to have.
    pub(super) fn height(&self) -> usize {
        1 + self.title.len() + self.body.len() + self.choices.len()
    }

    /// Draws it in this room; how far it is read.
    pub(super) fn draw(self, frame: &mut Frame<'_>, area: Rect, read: Read) -> Read {
        let height = usize::from(area.height);
        let fits = self.height() <= height;
        let ruled = usize::from(fits || height >= RULED);
        // The choices first, then what they are about.
        let left = height.saturating_sub(self.choices.len() + ruled);
        let title = self.title.len().min(left.saturating_sub(2).max(1)).min(left);
        let room = left - title;
        let all = self.body.len();
        let shown = if all <= room { room } else { room.saturating_sub(1) };
        let from = read.from.min(all.saturating_sub(shown));
        let mut lines = Vec::new();
        if ruled > 0 {
            lines.push(Line::styled("─".repeat(usize::from(area.width)), DIM));
        }
        lines.extend(self.title.into_iter().take(title));
        lines.extend(self.body.into_iter().skip(from).take(shown));
        if all > room && room > 0 {
            let to = (from + shown).min(all);
            let seen = if shown == 0 { "none".to_owned() } else { format!("{} to {to}", from + 1) };
            lines.push(Line::styled(format!("  ({seen} of {all} lines, PageDown)"), DIM));
        }
        lines.extend(self.choices);
        frame.render_widget(Paragraph::new(lines), area);
        Read { from, page: shown.max(1), whole: all <= shown }
    }
}

fn rows(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let mut rows: Vec<_> = marked("  ", text, width, style).collect();
    rows.reverse();
    rows
}

fn body(asked: &Question, width: usize) -> Vec<Line<'static>> {
    let arguments = asked.arguments.iter().map(|it| (it.replace('\n', "\n  "), PLAIN));
    let all = arguments.chain([(asked.reason.clone(), DIM)]);
    all.flat_map(|(text, style)| rows(&text, width, style)).collect()
}

fn choices(screen: &Screen, width: usize) -> Vec<Line<'static>> {
    let fits = |it: &&&str| it.width() + 2 <= width;
    let text = match screen.asked() {
        Some(_) => CHOICES.iter().find(fits).or(CHOICES.last()).map_or("", |it| it),
        None if screen.composer.text().is_empty() => "…",
        None => "Send or empty the line (Ctrl-U) to answer.",
    };
    rows(text, width, BOLD)
}
