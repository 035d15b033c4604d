//! How single values stand in a native file.

use std::time::Duration;

/// Nothing that an agent waits for takes longer (C-47).
const LONGEST: Duration = Duration::from_hours(24);

/// Returns a duration as a number with its unit; less than a millisecond becomes one millisecond.
pub(super) fn duration_text(time: Duration) -> String {
    let millis = time.min(LONGEST).as_millis().max(1);
    if millis.is_multiple_of(1_000) {
        format!("{}s", millis / 1_000)
    } else {
        format!("{millis}ms")
    }
}

/// Returns a comment line, with whatever the text holds kept on that line.
pub(super) fn comment_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {clean}\n")
}
