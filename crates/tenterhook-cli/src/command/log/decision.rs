//! A decision of a person about their guard, as recorded (RE-6). Reads no file.

use serde_json::Value;
use tenterhook::internal::record::read::Entry;

use super::firing;
use crate::args::Log;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM, paint};

/// One thing that a person said.
#[derive(Clone, Debug)]
pub(super) struct UserDecision(Entry);

impl UserDecision {
    /// The decision, if the record is about one.
    pub(super) fn from_entry(entry: &Entry) -> Option<Self> {
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

    /// Whether the arguments select it: those that select an event, a hook or a session ask for firings only.
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
            layout::line(self.text("about")),
        );
        line.trim_end().to_owned()
    }
}
