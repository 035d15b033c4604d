//! How single values stand in a native file.

use std::time::Duration;

/// Nothing that an agent waits for takes longer (C-47).
const LONGEST: Duration = Duration::from_hours(24);

/// A number with its unit; what is less than a millisecond is one.
pub(super) fn duration(time: Duration) -> String {
    let millis = time.min(LONGEST).as_millis().max(1);
    if millis.is_multiple_of(1_000) {
        format!("{}s", millis / 1_000)
    } else {
        format!("{millis}ms")
    }
}

/// A line of comment, whatever the text holds.
pub(super) fn comment(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {clean}\n")
}
