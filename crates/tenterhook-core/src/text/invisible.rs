//! Sorts single characters into text and what only looks like none (H-1, H-2, H-4 to H-7).

/// What a character is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    LineBreak,
    Control,
    Bidi,
    Invisible,
}

pub(super) fn is_control_char(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// Classifies `c` between `before`, the last character that was kept, and `after`, the next one of
/// the source.
pub(super) fn classify_char(c: char, before: Option<char>, after: Option<char>) -> Kind {
    match c {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => Kind::LineBreak,
        c if is_control_char(c) => Kind::Control,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Kind::Bidi
        }
        // Joiners spell words in Arabic and Indic scripts, and join emoji; elsewhere they only hide (H-6).
        '\u{200c}' if both_neighbours_are(before, after, script_uses_joiners) => Kind::Text,
        '\u{200d}'
            if both_neighbours_are(before, after, script_uses_joiners)
                || is_between_emoji(before, after) =>
        {
            Kind::Text
        }
        // Text or emoji style of the emoji before it; a run of selectors, or one after a letter, carries bytes (H-7).
        '\u{fe0e}' | '\u{fe0f}'
            if before.is_some_and(|c| is_emoji(c) && !is_variation_selector(c)) =>
        {
            Kind::Text
        }
        c if is_invisible(c) => Kind::Invisible,
        _ => Kind::Text,
    }
}

fn both_neighbours_are(before: Option<char>, after: Option<char>, test: fn(char) -> bool) -> bool {
    before.is_some_and(test) && after.is_some_and(test)
}

/// Returns true between two emoji. A style selector may precede the joiner, but not follow it.
fn is_between_emoji(before: Option<char>, after: Option<char>) -> bool {
    both_neighbours_are(before, after, is_emoji) && !after.is_some_and(is_variation_selector)
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Returns true for a character of Arabic, Syriac, N'Ko or an Indic script, whose words need
/// joiners.
fn script_uses_joiners(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Returns true for a symbol that may take a style or be joined. It may be too generous, because it
/// only decides whether a joiner stays.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{fe0e}' | '\u{fe0f}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Returns true for a default-ignorable character of Unicode, a blank filler or an annotation mark.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
