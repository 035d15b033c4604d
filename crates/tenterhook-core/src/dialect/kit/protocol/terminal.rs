//! Which terminal sequences a hook may send: a bell, titles and notifications, and nothing that
//! moves, reads or writes anything else.

/// Window titles (0, 1, 2) and notifications (9, 99, 777).
const ALLOWED: &[&str] = &["0", "1", "2", "9", "99", "777"];

/// Returns `true` if `text` consists of allowed escape sequences and bells alone.
pub(super) fn has_only_harmless_sequences(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let Some(after) = rest.strip_prefix('\u{7}').or_else(|| strip_osc_sequence(rest)) else {
            return false;
        };
        rest = after;
    }
    true
}

/// Returns the text after an allowed `ESC ] number ; text` that a bell or `ESC \` ends.
fn strip_osc_sequence(text: &str) -> Option<&str> {
    let (number, body) = text.strip_prefix("\u{1b}]")?.split_once(';')?;
    let end = body.find(char::is_control)?;
    let rest = body.get(end..)?;
    let after = rest.strip_prefix('\u{7}').or_else(|| rest.strip_prefix("\u{1b}\\"))?;
    ALLOWED.contains(&number).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::has_only_harmless_sequences;

    #[test]
    fn titles_and_notifications_pass_and_nothing_else() {
        for text in [
            "\u{7}",
            "\u{1b}]0;title\u{7}",
            "\u{1b}]777;notify;a;b\u{1b}\\\u{7}",
            "\u{1b}]9;é\u{7}",
        ] {
            assert!(has_only_harmless_sequences(text), "{text:?}");
        }
        for text in [
            "x",
            "\u{1b}[2J",
            "\u{1b}]52;c;aGk=\u{7}",
            "\u{1b}]0;title",
            "\u{1b}]0;a\u{1b}[2J\u{7}",
            "\u{1b}]8;;http://x\u{7}",
            "\u{1b}]0;ok\u{7}rm",
        ] {
            assert!(!has_only_harmless_sequences(text), "{text:?}");
        }
    }
}
