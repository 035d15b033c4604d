//! What sets one text apart from another? A mark or a weight, never a colour alone.

use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use super::wrap::wrap_reversed;

/// Less important text.
pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// More important text.
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
/// Ordinary text.
pub(super) const PLAIN: Style = Style::new();

/// Returns the lines of a text from the last to the first. The first line of the text has a mark,
/// and the others are indented below it.
pub(super) fn marked_lines_reversed<'a>(
    mark: &'static str,
    text: &'a str,
    width: usize,
    style: Style,
) -> impl Iterator<Item = Line<'static>> + use<'a> {
    let text = text.trim_end();
    // A mark that would leave no room for words stands alone above them.
    let hang = if mark.width() * 2 <= width { mark.width() } else { 0 };
    let mut rows = wrap_reversed(text, width.saturating_sub(hang)).peekable();
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
