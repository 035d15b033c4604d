//! How the conversation looks: its blocks, broken from the last upwards, and what of them is seen. Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span as Words};
use ratatui::widgets::Paragraph;
use tokio::time::Instant;
use unicode_width::UnicodeWidthStr;

use super::block::{Block, Holder, State, Tool};
use super::outbox::Phase;
use super::screen::Screen;
use super::shown;
use super::style::{BOLD, DIM, PLAIN, marked_lines_reversed};
use super::view::{Span, View};
use super::wrap::{truncate_to_width, wrap_text};
use crate::update::Hold;

/// How many lines of a tool's output are shown while it is closed, and in how many rows.
const LINES: usize = 8;
const ROWS: usize = 12;

/// How deep subagents are set in at most.
const DEEPEST: usize = 4;

const THOUGHT: Style = DIM.add_modifier(Modifier::ITALIC);
const WARNING: Style = Style::new().fg(Color::Yellow);
const REFUSAL: Style = BOLD.fg(Color::Red);
const REWRITE: Style = BOLD.fg(Color::Cyan);

/// Draws the visible part of the conversation. Returns the view, limited to the lines that exist.
pub(super) fn draw_conversation(frame: &mut Frame<'_>, area: Rect, screen: &Screen) -> View {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let Gathered { lines, spans, below } = gather_lines(screen, width, height);
    let below = below.min(lines.len().saturating_sub(height));
    let mut seen: Vec<_> = lines.into_iter().skip(below).take(height).collect();
    let top = (below + seen.len()).saturating_sub(1);
    seen.reverse();
    frame.render_widget(Paragraph::new(seen), area);
    View::from_lines_below(below, &spans, top)
}

/// Lines of the conversation, from the last upwards, only as many as needed: a long one costs as
/// much as a short one.
struct Gathered {
    lines: Vec<Line<'static>>,
    /// Which of them belong to which block, where somebody wants to know.
    spans: Vec<Span>,
    /// How many of them are to lie below what is seen.
    below: usize,
}

fn gather_lines(screen: &Screen, width: usize, height: usize) -> Gathered {
    let at_end = screen.view.is_at_end();
    // Only whole blocks tell where in them somebody is.
    let wanted = if at_end { height } else { usize::MAX };
    let mut lines: Vec<Line<'static>> = Vec::new();
    for text in screen.outbox.shown_texts(Phase::Queued).rev() {
        let text = shown::single_line(text);
        extend_lines_up_to(
            &mut lines,
            wanted,
            marked_lines_reversed("queued: ", &text, width, DIM),
        );
    }
    if screen.outbox.has_submission_in_phase(Phase::Queued) {
        lines.push(Line::default());
    }
    for text in screen.outbox.shown_texts(Phase::Sending).rev() {
        extend_lines_up_to(&mut lines, wanted, marked_lines_reversed("> ", text, width, DIM));
        lines.push(Line::default());
    }
    let (mut spans, mut below) = (Vec::new(), None);
    for (block, entry) in screen.numbered_blocks().rev() {
        below = if at_end { Some(0) } else { screen.view.wanted_lines_below(&spans, height) };
        if below.is_some_and(|below| lines.len() >= below + height) {
            return Gathered { lines, spans, below: below.unwrap_or(0) };
        }
        let from = lines.len();
        let margin = subagent_margin(entry.depth, width);
        let sight =
            Sight { width: width - margin.width(), wanted, open: screen.open, now: screen.now };
        sight.push_block_lines(&entry.block, &mut lines);
        // The line that sets it apart from what is above belongs to it.
        lines.push(Line::default());
        if !margin.is_empty() {
            for line in lines.iter_mut().skip(from) {
                line.spans.insert(0, Words::styled(margin.clone(), DIM));
            }
        }
        spans.push(Span { block, from, to: lines.len() });
    }
    // What comes first has nothing above it to stand apart from.
    while lines.last().is_some_and(|line| line.width() == 0) {
        lines.pop();
    }
    let below = screen.view.wanted_lines_below(&spans, height).or(below);
    Gathered { below: below.unwrap_or(usize::MAX), lines, spans }
}

/// Returns the prefix of a subagent's blocks, if it fits.
fn subagent_margin(depth: usize, width: usize) -> String {
    let margin = "│ ".repeat(depth.min(DEEPEST));
    if margin.width() * 3 <= width { margin } else { String::new() }
}

/// Adds lines, which come from the last to the first, until there are `wanted`.
fn extend_lines_up_to(
    lines: &mut Vec<Line<'static>>,
    wanted: usize,
    more: impl Iterator<Item = Line<'static>>,
) {
    let room = wanted.saturating_sub(lines.len());
    lines.extend(more.take(room));
}

/// How a block is looked at.
#[derive(Clone, Copy)]
struct Sight {
    width: usize,
    wanted: usize,
    /// Whether what is long or was rewritten is shown whole.
    open: bool,
    now: Instant,
}

impl Sight {
    /// Adds the lines of a block, from the last to the first.
    fn push_block_lines(self, block: &Block, lines: &mut Vec<Line<'static>>) {
        let Self { width, wanted, .. } = self;
        match block {
            Block::User(text) => {
                extend_lines_up_to(lines, wanted, marked_lines_reversed("> ", text, width, BOLD))
            }
            Block::Model(model_text) => model_text.push_last_lines(width, wanted, lines),
            Block::Thought(text) => {
                extend_lines_up_to(lines, wanted, marked_lines_reversed("~ ", text, width, THOUGHT))
            }
            Block::Rewrite { by, text } => {
                extend_lines_up_to(lines, wanted, marked_lines_reversed("", text, width, PLAIN));
                lines.push(Line::styled(
                    truncate_to_width(&format!("[hook rewrite] {by}"), width),
                    REWRITE,
                ));
            }
            Block::Tool(tool) => self.push_tool_lines(tool, lines),
            Block::Did(did) => extend_lines_up_to(
                lines,
                wanted,
                marked_lines_reversed("· ", did.visible_text(self.open), width, DIM),
            ),
            Block::Warn(text) => extend_lines_up_to(
                lines,
                wanted,
                marked_lines_reversed("[warn] ", text, width, WARNING),
            ),
            Block::Notice(text) => {
                extend_lines_up_to(lines, wanted, marked_lines_reversed("· ", text, width, DIM))
            }
            Block::Refused(text) => {
                extend_lines_up_to(
                    lines,
                    wanted,
                    marked_lines_reversed("[not sent] ", text, width, REFUSAL),
                );
            }
            Block::Page { title, text } => {
                extend_lines_up_to(lines, wanted, marked_lines_reversed("  ", text, width, PLAIN));
                extend_lines_up_to(
                    lines,
                    usize::MAX,
                    marked_lines_reversed("", title, width, BOLD),
                );
            }
        }
    }

    /// Adds the lines of a tool call, from the last to the first.
    fn push_tool_lines(self, tool: &Tool, lines: &mut Vec<Line<'static>>) {
        lines.extend(self.output_lines(tool).into_iter().rev());
        for did in tool.deeds.iter().rev() {
            extend_lines_up_to(
                lines,
                usize::MAX,
                marked_lines_reversed("  · ", did.visible_text(self.open), self.width, DIM),
            );
        }
        extend_lines_up_to(
            lines,
            usize::MAX,
            marked_lines_reversed("* ", &tool.title, self.width, BOLD),
        );
    }

    /// Returns the output of a tool, or what delays it.
    fn output_lines(self, tool: &Tool) -> Vec<Line<'static>> {
        let (mark, output) = match &tool.state {
            State::Steps => return Vec::new(),
            State::Delayed | State::Running => return self.progress_lines(tool),
            State::Done(output) => ("", output),
            State::Failed(output) => ("failed: ", output),
        };
        let style = if mark.is_empty() { DIM } else { PLAIN };
        let inner = self.width.saturating_sub(2);
        let (most, rows) = if self.open { (usize::MAX, usize::MAX) } else { (LINES, ROWS) };
        let whole = if self.open { &output.text } else { shown::collapsed_text(&output.text) };
        let text: Vec<_> = whole.split('\n').take(most).collect();
        let all = wrap_text(&format!("{mark}{}", text.join("\n")), inner);
        let hidden = all.len() > rows;
        let mut lines: Vec<_> = all
            .into_iter()
            .take(rows)
            .map(|text| Line::styled(format!("  {text}"), style))
            .collect();
        let more = match (output.lines.saturating_sub(text.len()), hidden) {
            (0, false) => return lines,
            (0, true) => "  (more, Ctrl-O)".to_owned(),
            (1, _) => "  (1 line more, Ctrl-O)".to_owned(),
            (more, _) => format!("  ({more} lines more, Ctrl-O)"),
        };
        lines.push(Line::styled(truncate_to_width(&more, self.width), DIM));
        lines
    }

    /// Returns the hooks that delay a call, and for how long.
    fn progress_lines(self, tool: &Tool) -> Vec<Line<'static>> {
        let took = |since: Instant| self.now.saturating_duration_since(since).as_secs();
        let mut texts: Vec<String> = tool
            .holds
            .iter()
            .map(|(holder, since)| format!("{} ({} s)", holder_text(holder), took(*since)))
            .collect();
        if texts.is_empty() {
            texts.push(match tool.state {
                State::Running => format!("running ({} s)", took(tool.since)),
                _ => "asked for, not begun".to_owned(),
            });
        }
        let rows = texts.iter().flat_map(|text| {
            let mut rows: Vec<_> = marked_lines_reversed("  ", text, self.width, DIM).collect();
            rows.reverse();
            rows
        });
        rows.collect()
    }
}

fn holder_text(holder: &Holder) -> String {
    match holder {
        Holder::Person => "waits for your answer".to_owned(),
        Holder::Hooks(hold) => format!("held by {}", hold_text(hold)),
    }
}

/// Returns the names of the hooks and of the event that they delay.
pub(super) fn hold_text(hold: &Hold) -> String {
    let names: Vec<_> = hold.hooks.iter().map(|hook| format!("`{hook}`")).collect();
    let word = if names.len() == 1 { "hook" } else { "hooks" };
    shown::single_line(&format!("{word} {} at {}", names.join(", "), hold.event.label))
}
