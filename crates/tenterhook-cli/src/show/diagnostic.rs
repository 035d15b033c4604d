//! Diagnostics with carets into the text that they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tenterhook::diagnostic::{Diagnostic, Severity, Span};

use super::words;
use crate::load::Texts;

/// One diagnostic, as it looks on a screen of `width` columns.
pub(crate) fn render(diagnostic: &Diagnostic, texts: &Texts, width: usize) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Advice => Level::NOTE.with_name(Some("advice")),
    };
    // `error[code]: ` stands before the first line.
    let lead = diagnostic.severity.to_string().len() + diagnostic.code.name().len() + "[]: ".len();
    let message = words::wrap(&diagnostic.message, width.saturating_sub(lead)).join("\n");
    let title = level.primary_title(message).id(diagnostic.code.name());
    let found = diagnostic.place.as_ref().and_then(|place| Some((place, texts.text(&place.file)?)));
    let mut group = match found {
        None => Group::with_title(title),
        Some((place, text)) => {
            let label = (!diagnostic.label.is_empty()).then(|| words::line(&diagnostic.label));
            let Span { start, end } = inside(place.span, text);
            title.element(
                Snippet::source(text)
                    .path(texts.shown(&place.file))
                    .annotation(AnnotationKind::Primary.span(start..end).label(label)),
            )
        }
    };
    if let Some(help) = &diagnostic.help {
        // Line numbers of up to four digits, and `  = help: `, stand before it.
        let help = words::wrap(help, width.saturating_sub(14)).join("\n");
        group = group.element(Level::HELP.message(help));
    }
    let mut rendered = Renderer::styled().term_width(width).render(&[group]);
    rendered.push('\n');
    rendered
}

/// A span of another version of the text must not bring the renderer down.
fn inside(span: Span, text: &str) -> Span {
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
