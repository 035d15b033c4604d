//! How a question looks. What would run can be read to its end, however low the terminal is, and the choices are always seen.
//! Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::question::{Choice, Question, Read};
use super::screen::Screen;
use super::style::{BOLD, DIM, PLAIN, marked_lines_reversed};
use super::wrap::truncate_to_width;

/// How one chooses, the first that fits.
const HOW: &[&str] = &[
    "Up, Down or a number, then Enter. With 3, what you type says why.",
    "A number, then Enter; with 3 type why.",
    "Number, Enter.",
];
/// The text in place of a yes where the call cannot be read (AG-3).
const TOO_LOW: &[&str] =
    &["The screen is too low for the call: Esc refuses.", "Too low. Esc: no.", "Esc: no"];
/// The same where it is longer than anybody reads.
const TOO_LONG: &[&str] =
    &["It is too long to be shown: Esc refuses.", "Too long. Esc: no.", "Esc: no"];
/// From how many rows on a line sets it apart from what is above.
const RULED: usize = 6;
/// From how many rows on each choice has a separate row.
const ROOMY: usize = 9;

/// The lines of a question.
pub(super) struct Asked {
    title: Vec<Line<'static>>,
    body: Vec<Line<'static>>,
    chosen: Option<Choice>,
    /// Whether keys answer it yet.
    open: bool,
    /// Whether all of it can be read.
    readable: bool,
    width: usize,
}

impl Asked {
    /// Returns the question that the user sees now, at this width.
    pub(super) fn from_screen(screen: &Screen, width: usize) -> Option<Self> {
        let asked = screen.questions.front()?;
        let more = screen.questions.len() - 1;
        let after = if more > 0 { format!("   ({more} more after this)") } else { String::new() };
        let title = wrapped_rows(&format!("May {} run?{after}", asked.title), width, BOLD);
        let (open, chosen) = (screen.readable_question().is_some(), screen.selected_choice());
        let readable = asked.readable;
        Some(Self { title, body: question_body(asked, width), chosen, open, readable, width })
    }

    /// Returns how many rows the question needs.
    pub(super) fn preferred_height(&self) -> usize {
        2 + self.title.len() + self.body.len() + Choice::ALL.len()
    }

    /// Draws the question in this area. Returns how much of it was read.
    pub(super) fn draw(self, frame: &mut Frame<'_>, area: Rect, read: Read) -> Read {
        let height = usize::from(area.height);
        let ruled = usize::from(self.preferred_height() <= height || height >= RULED);
        let choices = self.choice_lines(height, ruled);
        // The choices first, then what they are about.
        let left = height.saturating_sub(choices.len() + ruled);
        let title = self.title.len().min(left.saturating_sub(2).max(1)).min(left);
        let room = left - title;
        let all = self.body.len();
        let shown = if all <= room { all } else { room.saturating_sub(1) };
        let from = read.from.min(all.saturating_sub(shown));
        let seen = title > 0 && shown > 0;
        let may = seen && self.readable;
        let choices = match (self.open, may) {
            (true, false) => {
                vec![self.first_fitting_sentence(if seen { TOO_LONG } else { TOO_LOW })]
            }
            _ => choices,
        };
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
        lines.extend(choices);
        frame.render_widget(Paragraph::new(lines), area);
        Read { from, page: shown.max(1), whole: all <= shown, may_agree: may }
    }

    /// Returns the choices: each on a row with its key where they fit, otherwise all on one row.
    fn choice_lines(&self, height: usize, ruled: usize) -> Vec<Line<'static>> {
        if !self.open {
            return wrapped_rows("…", self.width, BOLD);
        }
        let all = self.title.len() + self.body.len() + Choice::ALL.len() + 1 + ruled;
        if height < ROOMY && height < all {
            return vec![Line::styled(self.choices_on_one_row(), BOLD)];
        }
        let row = |choice: &Choice| {
            let mark = if self.chosen == Some(*choice) { '>' } else { ' ' };
            let [words, ..] = choice.labels();
            let text = format!("{mark} {} {words}", choice.number_key());
            Line::styled(truncate_to_width(&text, self.width), BOLD)
        };
        let mut lines: Vec<_> = Choice::ALL.iter().map(row).collect();
        lines.push(self.first_fitting_sentence(HOW));
        lines
    }

    fn choices_on_one_row(&self) -> String {
        let row = |short: usize| {
            let choice = |choice: &Choice| {
                let mark = if self.chosen == Some(*choice) { '>' } else { ' ' };
                let words = choice.labels();
                format!("{mark}{} {}", choice.number_key(), words.get(short).unwrap_or(&""))
            };
            Choice::ALL.iter().map(choice).collect::<Vec<_>>().join(" ")
        };
        let long = format!("{}   then Enter", row(0));
        let rows = [long, row(1), row(2)];
        let fits = rows.iter().find(|row| row.width() <= self.width).or(rows.last());
        truncate_to_width(fits.map_or("", String::as_str), self.width)
    }

    /// Returns the first of these sentences that fits the width.
    fn first_fitting_sentence(&self, sentences: &[&'static str]) -> Line<'static> {
        let fits = |text: &&&str| text.width() + 2 <= self.width;
        let text = sentences.iter().find(fits).or(sentences.last()).map_or("", |sentence| sentence);
        Line::styled(truncate_to_width(&format!("  {text}"), self.width), DIM)
    }
}

fn wrapped_rows(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let mut rows: Vec<_> = marked_lines_reversed("  ", text, width, style).collect();
    rows.reverse();
    rows
}

fn question_body(asked: &Question, width: usize) -> Vec<Line<'static>> {
    let arguments = asked.arguments.iter().map(|argument| (argument.replace('\n', "\n  "), PLAIN));
    let change = asked.change.iter().map(|change| (change.replace('\n', "\n  "), PLAIN));
    let all = arguments.chain(change).chain([(asked.reason.clone(), DIM)]);
    all.flat_map(|(text, style)| wrapped_rows(&text, width, style)).collect()
}
