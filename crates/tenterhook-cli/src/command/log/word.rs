//! What a person said of their guard, as the record has it (RE-6). Reads no file.

use serde_json::Value;
use tenterhook::record::read::Entry;

use super::firing;
use crate::args::Log;
use crate::show::paint::{BOLD, DIM, paint};
use crate::show::words;

/// One thing that a person said.
#[derive(Clone, Debug)]
pub(super) struct Word(Entry);

impl Word {
    /// What was said, where a record is of that.
    pub(super) fn of(entry: &Entry) -> Option<Self> {
        let is_said = entry.get("kind").and_then(Value::as_str) == Some("said");
        is_said.then(|| Self(entry.clone()))
    }

    pub(super) fn number(&self) -> u64 {
        firing::number(&self.0)
    }

    fn text(&self, key: &str) -> &str {
        self.0
            .get("said")
            .and_then(|value| value.get(key))
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Whether it was asked for: whoever asks for an event, a hook or a session asks for firings.
    pub(super) fn is_wanted(&self, args: &Log) -> bool {
        let firings = args.event.is_some() || args.hook.is_some() || args.session.is_some();
        let since =
            args.since.is_none_or(|since| firing::time(&self.0).is_some_and(|time| time >= since));
        !firings && !args.denied && since
    }

    pub(super) fn json(&self) -> Value {
        firing::unchained(&self.0)
    }

    pub(super) fn line(&self) -> String {
        let line = format!(
            "{} {}  {}  {}",
            paint(DIM, format!("{:>5}", self.number())),
            paint(DIM, firing::shown_time(&self.0)),
            paint(BOLD, format!("you: {}", self.text("what"))),
            words::line(self.text("about")),
        );
        line.trim_end().to_owned()
    }
}
