//! Aligned columns that fit the screen. Does not interpret their content.

use anstyle::Style;

use super::layout::{display_width, wrap_text};
use super::paint::{DIM, PLAIN, paint};

/// How a column gives way when the table is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Give {
    /// It does not.
    Keep,
    /// It goes on in the next line, and is cut where it would fill a screen.
    Fold,
    /// It goes on in the next line.
    Wrap,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    title: &'static str,
    give: Give,
    right: bool,
    /// It is never narrower.
    least: usize,
    /// By how much it may be wider than others when all must give way.
    favour: usize,
    /// Whether its cells move below their rows where the columns do not fit.
    below: bool,
}

impl Column {
    pub(crate) const fn new(title: &'static str, give: Give) -> Self {
        Self { title, give, right: false, least: 0, favour: 0, below: false }
    }

    /// Creates a column that only wraps between words: no word of `texts` is broken.
    pub(crate) fn wrapping_at_words<T: AsRef<str>>(
        title: &'static str,
        texts: impl IntoIterator<Item = T>,
    ) -> Self {
        let longest =
            |text: T| text.as_ref().split(' ').map(display_width).max().unwrap_or_default();
        let least = texts.into_iter().map(longest).max().unwrap_or_default();
        Self { least, ..Self::new(title, Give::Wrap) }
    }

    /// Creates a right-aligned column, for numbers.
    pub(crate) const fn right_aligned(title: &'static str) -> Self {
        Self { right: true, ..Self::new(title, Give::Keep) }
    }

    /// Creates a right-aligned column for durations, of a fixed width.
    pub(crate) const fn duration_column(title: &'static str) -> Self {
        Self { least: TIME, ..Self::right_aligned(title) }
    }

    /// Makes this column shrink only after the others.
    pub(crate) const fn shrinking_last(self) -> Self {
        Self { favour: 10, ..self }
    }

    /// Moves the cells of this column below their rows where the columns do not fit.
    pub(crate) const fn moving_below(self) -> Self {
        Self { below: true, ..self }
    }
}

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn new(style: Style, text: impl Into<String>) -> Self {
        Self { text: super::layout::to_safe_line(&text.into()), style }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(PLAIN, text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(PLAIN, text)
    }
}

/// A table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
    indent: usize,
}

#[derive(Clone, Debug)]
struct Row {
    cells: Vec<Cell>,
    /// Lines under the row, from this column on.
    notes: Vec<(usize, Cell)>,
}

/// Blanks between two columns.
const GAP: usize = 2;
/// Room for any time that is shown.
const TIME: usize = 6;
/// Below this, a column says nothing.
const NARROWEST: usize = 14;
/// How many lines a cell takes that folds, and how many characters at least.
const FOLDS: usize = 6;
const FOLDED: usize = 320;

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), indent: 2 }
    }

    pub(crate) fn push_row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(Row { cells: cells.into_iter().collect(), notes: Vec::new() });
    }

    /// Adds a line under the last row, starting at column `from`.
    pub(crate) fn add_note(&mut self, from: usize, cell: Cell) {
        if let Some(row) = self.rows.last_mut() {
            row.notes.push((from, cell));
        }
    }

    /// Renders the table in lines of at most `columns`.
    pub(crate) fn render(&self, columns: usize) -> String {
        let Some(widths) = self.column_widths(columns) else {
            let narrower = self.with_column_below();
            return match narrower.filter(|table| table.column_widths(columns).is_some()) {
                Some(table) => table.render(columns),
                None => self.render_stacked(columns),
            };
        };
        let mut out = String::new();
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles: Vec<Cell> =
                self.columns.iter().map(|column| Cell::new(DIM, column.title)).collect();
            self.render_row(&titles, &widths, &mut out);
        }
        for row in &self.rows {
            self.render_row(&row.cells, &widths, &mut out);
            for (from, cell) in &row.notes {
                let before: usize = widths.iter().take(*from).map(|width| width + GAP).sum();
                // Under the first column it must not look like another row.
                let before = before.max(GAP);
                let room = columns.saturating_sub(self.indent + before);
                for line in wrap_text(&cell.text, room) {
                    let pad = " ".repeat(self.indent + before);
                    out.push_str(&format!("{pad}{}\n", paint(cell.style, line)));
                }
            }
        }
        out
    }

    /// Returns this table with the cells of the column that may move as notes of their rows.
    fn with_column_below(&self) -> Option<Self> {
        let at = self.columns.iter().position(|column| column.below)?;
        let mut table = self.clone();
        table.columns.remove(at);
        for row in table.rows.iter_mut().filter(|row| row.cells.len() > at) {
            let cell = row.cells.remove(at);
            for (from, _) in &mut row.notes {
                *from -= usize::from(*from > at);
            }
            row.notes.insert(0, (0, cell));
        }
        Some(table)
    }

    /// Returns the width of each column; `None` if the screen is too narrow for all of them.
    fn column_widths(&self, columns: usize) -> Option<Vec<usize>> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                let cells = self.rows.iter().filter_map(|row| row.cells.get(at));
                let widest = cells.map(|cell| display_width(&cell.text)).max().unwrap_or(0);
                widest.max(display_width(column.title)).max(column.least)
            })
            .collect();
        let room = columns.saturating_sub(self.indent + GAP * widths.len().saturating_sub(1));
        // The widest column that can give way gives, one column of the screen at a time.
        while widths.iter().sum::<usize>() > room {
            let widest = widths
                .iter_mut()
                .zip(&self.columns)
                .filter(|(width, column)| {
                    column.give != Give::Keep && **width > NARROWEST.max(column.least)
                })
                .max_by_key(|(width, column)| width.saturating_sub(column.favour));
            *widest?.0 -= 1;
        }
        Some(widths)
    }

    /// Renders the cells of each row below each other, each after its title, for a screen too
    /// narrow for columns.
    fn render_stacked(&self, columns: usize) -> String {
        let titles =
            self.columns.iter().map(|column| display_width(column.title)).max().unwrap_or(0);
        let inset = self.indent + titles + if titles == 0 { 0 } else { GAP };
        let room = columns.saturating_sub(inset);
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                out.push('\n');
            }
            let cells =
                self.columns.iter().zip(&row.cells).map(|(column, cell)| (column.title, cell));
            let notes = row.notes.iter().map(|(_, cell)| ("", cell));
            for (title, cell) in cells.chain(notes).filter(|(_, cell)| !cell.text.is_empty()) {
                for (at, line) in wrap_text(&cell.text, room).iter().enumerate() {
                    let title = if at == 0 { title } else { "" };
                    let lead =
                        format!("{}{title:1$}", " ".repeat(self.indent), inset - self.indent);
                    out.push_str(&format!("{}{}\n", paint(DIM, lead), paint(cell.style, line)));
                }
            }
        }
        out
    }

    fn render_row(&self, cells: &[Cell], widths: &[usize], out: &mut String) {
        let parts: Vec<Vec<String>> = cells
            .iter()
            .zip(widths)
            .zip(&self.columns)
            .map(|((cell, width), column)| match column.give {
                Give::Keep => vec![cell.text.clone()],
                Give::Fold => drop_middle_lines(
                    wrap_text(&cell.text, *width),
                    FOLDS.max(FOLDED / width.max(&1)),
                ),
                Give::Wrap => wrap_text(&cell.text, *width),
            })
            .collect();
        let height = parts.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let mut text = " ".repeat(self.indent);
            let mut owed = 0;
            for (((part, cell), column_width), column) in
                parts.iter().zip(cells).zip(widths).zip(&self.columns)
            {
                let piece = part.get(at).map_or("", String::as_str);
                let pad = column_width.saturating_sub(display_width(piece));
                if column.right {
                    owed += pad;
                }
                if !piece.is_empty() {
                    text.push_str(&" ".repeat(owed));
                    text.push_str(&paint(cell.style, piece));
                    owed = 0;
                } else {
                    owed += display_width(piece);
                }
                owed += GAP + if column.right { 0 } else { pad };
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
}

/// Keeps the first lines and the last one: long texts often differ at their ends.
fn drop_middle_lines(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        let last = lines.pop();
        lines.truncate(most - 2);
        lines.push("…".to_owned());
        lines.extend(last);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table, columns: usize) -> String {
        anstream::adapter::strip_str(&table.render(columns)).to_string()
    }

    #[test]
    fn columns_align_and_give_way() {
        let mut table = Table::new(&[
            Column::new("NAME", Give::Keep),
            Column::duration_column("TOOK"),
            Column::new("WHY", Give::Wrap),
        ]);
        table.push_row(["a".into(), "12 ms".into(), "it is for another event".into()]);
        table.add_note(1, "a note".into());
        table.push_row(["long".into(), "1 s".into(), "no".into()]);
        let expected = "  NAME    TOOK  WHY\n  a      12 ms  it is for another event\n        a note\n  long     1 s  no\n";
        assert_eq!(plain(&table, 80), expected);
        let narrow = plain(&table, 30);
        assert!(narrow.lines().all(|line| display_width(line) <= 30), "{narrow}");
        assert!(narrow.contains("it is for\n"), "{narrow}");
    }

    #[test]
    fn column_that_does_not_fit_moves_below_its_rows() {
        let mut table = Table::new(&[
            Column::wrapping_at_words("HOOK", ["a-long-name"]),
            Column::wrapping_at_words("FROM", ["~/a/path/that/is/long.toml:1"]).moving_below(),
            Column::new("VERDICT", Give::Keep),
        ]);
        table.push_row([
            "a-long-name".into(),
            "~/a/path/that/is/long.toml:1".into(),
            "deny".into(),
        ]);
        let narrow =
            "  HOOK         VERDICT\n  a-long-name  deny\n    ~/a/path/that/is/long.toml:1\n";
        assert_eq!(plain(&table, 40), narrow);
        assert!(plain(&table, 80).starts_with("  HOOK         FROM "));
    }

    #[test]
    fn a_screen_that_is_too_narrow_has_one_cell_a_line() {
        let mut table = Table::new(&[
            Column::new("EVENT", Give::Keep),
            Column::new("RUNS", Give::Fold),
            Column::new("RULE", Give::Keep),
        ]);
        table.push_row([
            "UserPromptSubmit".into(),
            "uv run .claude/hooks/one.py".into(),
            "S-1".into(),
        ]);
        table.add_note(1, "a note".into());
        table.push_row(["Stop".into(), "".into(), "P-2".into()]);
        let expected = "  EVENT  UserPromptSubmit\n  RUNS   uv run\n         .claude/hooks/one.py\n  RULE   S-1\n         a note\n\n  EVENT  Stop\n  RULE   P-2\n";
        assert_eq!(plain(&table, 32), expected);
    }

    #[test]
    fn a_long_cell_shows_its_beginning_and_its_end() {
        let mut table = Table::new(&[Column::new("RUNS", Give::Fold)]);
        table.push_row([format!("{} end", "word ".repeat(200)).into()]);
        let lines: Vec<String> = plain(&table, 40).lines().map(str::to_owned).collect();
        assert!(lines.len() < 12, "{lines:?}");
        let [.., dots, end] = lines.as_slice() else { return };
        assert!(end.ends_with("end") && dots.trim() == "…", "{lines:?}");
    }
}
