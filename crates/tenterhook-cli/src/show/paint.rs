//! The colours and what they mean. Meaning never hangs on them: every coloured word says the same without.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// No style.
pub(crate) const PLAIN: Style = Style::new();
/// What matters in its line.
pub(crate) const BOLD: Style = Style::new().bold();
/// For details.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Something stops.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Somebody should look.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Something goes on.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What to do, and names.
pub(crate) const HELP: Style = AnsiColor::Cyan.on_default();

/// Returns `text` in `style`.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
