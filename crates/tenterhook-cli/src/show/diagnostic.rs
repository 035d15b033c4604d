//! Diagnostics with carets into the text that they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title};
use tenterhook_core::diagnostic::{Diagnostic, Severity, Span};

use super::layout;
use crate::load::Texts;

/// Renders one diagnostic for a screen of `width` columns.
pub(crate) fn render_diagnostic(diagnostic: &Diagnostic, texts: &Texts, width: usize) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Advice => Level::NOTE.with_name(Some("advice")),
    };
    let title = title_line(diagnostic, level, width);
    let found = diagnostic
        .place
        .as_ref()
        .and_then(|place| Some((place, texts.text_of_source(&place.file)?)));
    let mut group = match found {
        None => Group::with_title(title),
        Some((place, text)) => {
            let label = layout::to_safe_line(&diagnostic.label);
            let beside = width.saturating_sub(AROUND + layout::display_width(&label));
            // Where there is no room for it, the help has to say it.
            let (label, room) = match (label.is_empty(), beside >= LEAST) {
                (false, true) => (Some(label), beside),
                _ => (None, width.saturating_sub(AROUND).max(LEAST)),
            };
            let span = truncate_span(clamp_span(place.span, text), text, room);
            let path = texts.display_name(&place.file);
            match lines_around_span(span, text) {
                Some((from, lines)) => title.element(
                    Snippet::source(lines).line_start(place.line).path(path).annotation(
                        AnnotationKind::Primary
                            .span(span.start - from..span.end - from)
                            .label(label),
                    ),
                ),
                None => {
                    title.element(Origin::path(path).line(place.line).char_column(place.column))
                }
            }
        }
    };
    if let Some(help) = &diagnostic.help {
        // Line numbers of up to four digits, and `  = help: `, stand before it.
        let help = layout::wrap_text(help, width.saturating_sub(14)).join("\n");
        group = group.element(Level::HELP.message(help));
    }
    let mut rendered = Renderer::styled().term_width(width).render(&[group]);
    rendered.push('\n');
    rendered
}

/// Columns of a line of text that are not the text: its number, and the dots where it is cut.
const AROUND: usize = 24;
/// How much of a span is marked on any screen.
const LEAST: usize = 8;
/// Longest line that is shown, in bytes.
const LONGEST: usize = 16 << 10;
/// A message that has fewer columns than this behind `error[code]: ` has its code at the end instead.
const NARROW: usize = 30;

/// Returns the first line: the severity, the code, and the message.
fn title_line<'a>(diagnostic: &'a Diagnostic, level: Level<'a>, width: usize) -> Title<'a> {
    let code = diagnostic.code.name();
    let severity = diagnostic.severity.to_string().len() + ": ".len();
    let room = width.saturating_sub(severity + code.len() + "[]".len());
    if room >= NARROW {
        return level
            .primary_title(layout::wrap_text(&diagnostic.message, room).join("\n"))
            .id(code);
    }
    let message = format!("{} [{code}]", diagnostic.message);
    level.primary_title(layout::wrap_text(&message, width.saturating_sub(severity)).join("\n"))
}

/// Truncates a span that is wider than the screen, because the renderer always shows a marked span
/// completely.
fn truncate_span(span: Span, text: &str, room: usize) -> Span {
    let marked = text.get(span.start..span.end).unwrap_or_default();
    let end = marked.char_indices().nth(room).map_or(span.end, |(at, _)| span.start + at);
    Span::new(span.start, end)
}

/// Returns the lines that contain a span, and their offset; `None` if they are too long. The
/// renderer scans all the text that it gets, for each finding again.
fn lines_around_span(span: Span, text: &str) -> Option<(usize, &str)> {
    let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(span.end..)?.find('\n').map_or(text.len(), |at| span.end + at);
    text.get(start..end).filter(|text| text.len() <= LONGEST).map(|text| (start, text))
}

/// Clamps a span to the text: a span of a different version of the text would make the renderer
/// panic.
fn clamp_span(span: Span, text: &str) -> Span {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start);
    Span::new(start, floor(span.end).max(start))
}
