//! How the model's Markdown reads in a terminal: headings, lists, quotes, tables and code as lines that fit. Pure.
//!
//! Markup stays where it carries information beyond weight: the backticks of code, the `#` of
//! headings, the target of a link.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::style::{BOLD, DIM, PLAIN};
use super::wrap::wrap_anywhere;
use crate::hooks;

const ITALIC: Style = Style::new().add_modifier(Modifier::ITALIC);
const STRUCK: Style = Style::new().add_modifier(Modifier::CROSSED_OUT);
/// How far code is set in.
const CODE: &str = "    ";
/// The prefix of each line of a quote.
const QUOTE: &str = "│ ";
/// How deep lists and quotes are set in at most.
const DEEPEST: usize = 6;

/// Renders a Markdown text as lines of at most `width` columns.
pub(super) fn render_markdown(text: &str, width: usize) -> Vec<Line<'static>> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::new(width.max(1));
    for event in Parser::new_ext(text, options) {
        page.push_markdown_event(event);
    }
    page.end_line();
    page.lines
}

/// A piece of text in one style.
type Piece = (String, Style);

/// A page that is being written.
struct Page {
    width: usize,
    lines: Vec<Line<'static>>,
    /// The line under way, not broken yet.
    open: Vec<Piece>,
    styles: Vec<Style>,
    /// The prefixes of each line: quotes, and indents for the marks of lists.
    margins: Vec<String>,
    /// The prefix that replaces the last of these on the next line, once.
    mark: Option<String>,
    /// The lists under way, with the next number.
    lists: Vec<Option<u64>>,
    /// The targets of the links under way.
    links: Vec<String>,
    /// The code under way.
    code: Option<String>,
    /// The rows of the table under way.
    table: Option<Vec<Vec<String>>>,
}

impl Page {
    const fn new(width: usize) -> Self {
        Self {
            width,
            lines: Vec::new(),
            open: Vec::new(),
            styles: Vec::new(),
            margins: Vec::new(),
            mark: None,
            lists: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn push_markdown_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start_tag(tag),
            Event::End(tag) => self.end_tag(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.push_text(&text)
            }
            Event::Code(text) => self.push_text(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.separate_from_above();
                let width = self.line_width();
                self.push_wrapped_line(vec![("─".repeat(width), DIM)]);
            }
            Event::TaskListMarker(done) => self.push_text(if done { "[x] " } else { "[ ] " }),
            // Nothing else is switched on.
            _ => {}
        }
    }

    fn start_tag(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.separate_from_above(),
            Tag::Heading { level, .. } => {
                self.separate_from_above();
                self.styles.push(BOLD);
                self.push_text(&format!("{} ", "#".repeat(heading_depth(level))));
            }
            Tag::BlockQuote(_) => {
                self.separate_from_above();
                self.margins.push(QUOTE.to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.separate_from_above();
                self.code = Some(String::new());
                if let CodeBlockKind::Fenced(name) = kind
                    && !name.is_empty()
                {
                    self.push_wrapped_line(vec![(
                        hooks::strip_control_text(&format!("{CODE}({name})")),
                        DIM,
                    )]);
                }
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.separate_from_above();
                }
                self.end_line();
                self.lists.push(first);
            }
            Tag::Item => self.start_list_item(),
            Tag::Emphasis => self.styles.push(ITALIC),
            Tag::Strong => self.styles.push(BOLD),
            Tag::Strikethrough => self.styles.push(STRUCK),
            Tag::Link { dest_url, .. } => self.links.push(dest_url.to_string()),
            Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.to_string());
                self.push_text("image: ");
            }
            Tag::Table(_) => {
                self.separate_from_above();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                self.table.iter_mut().for_each(|rows| rows.push(Vec::new()));
            }
            Tag::TableCell => self.edit_table_row(|row| row.push(String::new())),
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_line(),
            TagEnd::Heading(_) => {
                self.end_line();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.margins.pop();
            }
            TagEnd::CodeBlock => self.end_code_block(),
            TagEnd::List(_) => {
                self.end_line();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.end_line();
                self.margins.pop();
                self.mark = None;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    /// Adds a text to the current line. Removes characters that an entity stands for and that must
    /// not be shown.
    fn push_text(&mut self, text: &str) {
        let text = hooks::strip_control_text(text);
        if let Some(code) = &mut self.code {
            code.push_str(&text);
        } else if self.table.is_some() {
            self.edit_table_row(|row| {
                row.last_mut().into_iter().for_each(|cell| cell.push_str(&text))
            });
        } else {
            let style = self.styles.iter().fold(PLAIN, |all, style| all.patch(*style));
            for (at, part) in text.split('\n').enumerate() {
                if at > 0 {
                    self.end_line();
                }
                if !part.is_empty() {
                    self.open.push((part.to_owned(), style));
                }
            }
        }
    }

    fn edit_table_row(&mut self, change: impl FnOnce(&mut Vec<String>)) {
        if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
            change(row);
        }
    }

    fn start_list_item(&mut self) {
        self.end_line();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            _ => "- ".to_owned(),
        };
        self.margins.push(" ".repeat(mark.width()));
        self.mark = Some(mark);
    }

    fn end_link(&mut self) {
        let Some(target) = self.links.pop() else { return };
        let said = self.open.last().is_some_and(|(text, _)| *text == target);
        if !said && !target.is_empty() {
            self.push_text(&format!(" ({target})"));
        }
    }

    fn end_code_block(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let room = self.line_width().saturating_sub(CODE.width()).max(1);
        for line in code.trim_end_matches('\n').split('\n') {
            for part in wrap_anywhere(line, room) {
                self.push_wrapped_line(vec![(format!("{CODE}{part}"), PLAIN)]);
            }
        }
    }

    /// Adds the table in columns where they fit, otherwise each row as one text.
    fn end_table(&mut self) {
        let rows = self.table.take().unwrap_or_default();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |at: usize| {
            rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let fits =
            widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1) <= self.line_width();
        for (at, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).map(|(cell, width)| {
                let gap = if fits { width.saturating_sub(cell.width()) } else { 0 };
                format!("{cell}{}", " ".repeat(gap))
            });
            let text = cells.collect::<Vec<_>>().join(" │ ");
            let style = if at == 0 { BOLD } else { PLAIN };
            self.push_wrapped_line(vec![(text.trim_end().to_owned(), style)]);
        }
    }

    /// Ends the line, and adds a blank line before the next block, unless it is in a list or
    /// nothing is above it.
    fn separate_from_above(&mut self) {
        self.end_line();
        let above = self.lines.last().is_some_and(|line| line.width() > 0);
        if above && self.mark.is_none() && self.lists.is_empty() {
            let margin = self.margins.concat();
            self.lines.push(Line::styled(margin.trim_end().to_owned(), DIM));
        }
    }

    fn end_line(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.push_wrapped_line(open);
        }
    }

    /// Returns how wide a line may be without its prefixes.
    fn line_width(&self) -> usize {
        let margin: usize = self.fitting_margins().iter().map(|margin| margin.width()).sum();
        self.width.saturating_sub(margin).max(1)
    }

    /// Returns the prefixes of a line that leave space for text.
    fn fitting_margins(&self) -> &[String] {
        let mut all = self.margins.get(..self.margins.len().min(DEEPEST)).unwrap_or_default();
        while all.iter().map(|text| text.width()).sum::<usize>() * 2 > self.width {
            all = all.split_last().map(|(_, rest)| rest).unwrap_or_default();
        }
        all
    }

    /// Wraps a line between its words and adds the resulting rows.
    fn push_wrapped_line(&mut self, pieces: Vec<Piece>) {
        let room = self.line_width();
        let mut margins = self.fitting_margins().to_vec();
        let next = margins.concat();
        if let (Some(mark), Some(last)) = (self.mark.take(), margins.last_mut()) {
            *last = mark;
        }
        let mut margin = margins.concat();
        for row in wrap_pieces(pieces, room) {
            let spans = row.into_iter().map(|(text, style)| Span::styled(text, style));
            let lead = std::mem::replace(&mut margin, next.clone());
            self.lines.push(Line::from_iter(std::iter::once(Span::raw(lead)).chain(spans)));
        }
    }
}

const fn heading_depth(level: HeadingLevel) -> usize {
    level as usize
}

/// Wraps the pieces into rows that fit, between words where that is possible.
fn wrap_pieces(pieces: Vec<Piece>, room: usize) -> Vec<Vec<Piece>> {
    let mut rows = vec![Vec::new()];
    let mut used = 0;
    for word in split_words(pieces) {
        let bare: usize = word.iter().map(|(text, _)| text.trim_end_matches(' ').width()).sum();
        if used > 0 && used + bare > room {
            rows.push(Vec::new());
            used = 0;
        }
        for (text, style) in word {
            let mut part = String::new();
            for sign in text.graphemes(true) {
                if used + sign.width() > room {
                    // A space at the edge needs no separate row.
                    if sign == " " {
                        continue;
                    }
                    push_piece(&mut rows, std::mem::take(&mut part), style);
                    rows.push(Vec::new());
                    used = 0;
                }
                part.push_str(sign);
                used += sign.width();
            }
            push_piece(&mut rows, part, style);
        }
    }
    rows
}

fn push_piece(rows: &mut [Vec<Piece>], text: String, style: Style) {
    if let Some(row) = rows.last_mut()
        && !text.is_empty()
    {
        row.push((text, style));
    }
}

/// Splits the pieces into words, each with the blanks after it. A word may have several styles.
fn split_words(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut words: Vec<Vec<Piece>> = Vec::new();
    let mut open: Vec<Piece> = Vec::new();
    for (text, style) in pieces {
        let text = text.replace('\t', "    ");
        for part in text.split_inclusive(' ') {
            open.push((part.to_owned(), style));
            if part.ends_with(' ') {
                words.push(std::mem::take(&mut open));
            }
        }
    }
    words.push(open);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, width: usize) -> String {
        let rows: Vec<_> =
            render_markdown(text, width).iter().map(|line| line.to_string()).collect();
        for row in &rows {
            assert!(row.width() <= width, "{row:?} is wider than {width}");
        }
        rows.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    /// AG-48.
    #[test]
    fn markdown_reads_as_what_it_means() {
        let text = "# Plan\nFirst **bold** and *soft*, `code`.\n\n- one\n- two\n  1. deep\n  2. er\n\n> quoted\n> twice\n\n```rust\nfn main() {}\n```\nsee [docs](https://x.org/a)";
        let wanted = "# Plan\n\nFirst bold and soft, `code`.\n\n- one\n- two\n  1. deep\n  2. er\n\n│ quoted\n│ twice\n\n    (rust)\n    fn main() {}\n\nsee docs (https://x.org/a)";
        assert_eq!(shown(text, 60), wanted);
    }

    #[test]
    fn weights_are_kept() {
        let all = render_markdown("a **b** *c*", 40);
        let style = |text: &str| {
            all[0].spans.iter().find(|span| span.content.trim() == text).map(|span| span.style)
        };
        assert_eq!((style("b"), style("c")), (Some(BOLD), Some(ITALIC)));
    }

    #[test]
    fn a_table_stands_in_columns_where_they_fit() {
        let text = "| name | what |\n|---|---|\n| a | first |\n| bb | second one |\n";
        assert_eq!(shown(text, 40), "name │ what\na    │ first\nbb   │ second one");
        assert!(shown(text, 12).contains("second"));
    }

    #[test]
    fn lines_are_broken_between_words_and_under_their_marks() {
        assert_eq!(shown("- one two three four", 11), "- one two\n  three\n  four");
        assert_eq!(shown("one\ntwo", 20), "one\ntwo");
        assert_eq!(shown("日本語 **日本語**", 6), "日本語\n日本語");
        assert_eq!(shown("abcdefghij", 4), "abcd\nefgh\nij");
    }

    /// AG-48: an entity stands for a character, and that may be one that drives a terminal.
    #[test]
    fn an_entity_drives_no_terminal() {
        for text in ["&#27;[2J a", "`x` &#x202e;b", "[c](&#x9b;2J)", "| &#27;[2J |\n|-|\n"] {
            let all = shown(text, 40);
            assert!(!all.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{all:?}");
        }
    }

    #[test]
    fn any_text_and_width_is_drawn() {
        let deep = "> ".repeat(40) + "x\n" + &"- ".repeat(40) + "y";
        let texts = ["", "\n\n", "```", "|", "**", "[a](", &deep, "| a |\n|-|\n| b", "1. \n2. x"];
        for text in texts {
            for width in 0..12 {
                let rows = render_markdown(text, width);
                assert!(rows.iter().all(|row| row.width() <= width.max(2)), "{text:?} in {width}");
            }
        }
    }
}
