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
    /// Returns the decision, if the record is about one.
    pub(super) fn from_entry(entry: &Entry) -> Option<Self> {
        let is_said = entry.get("kind").and_then(Value::as_str) == Some("said");
        is_said.then(|| Self(entry.clone()))
    }

    pub(super) fn entry_number(&self) -> u64 {
        firing::entry_number(&self.0)
    }

    fn text_field(&self, key: &str) -> &str {
        self.0
            .get("said")
            .and_then(|value| value.get(key))
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Returns whether the arguments select this decision: arguments that select an event, a hook,
    /// a session or an agent ask for firings only.
    pub(super) fn is_selected(&self, args: &Log) -> bool {
        let firings = [&args.event, &args.hook, &args.session, &args.agent];
        let firings = firings.into_iter().any(Option::is_some);
        let since = args
            .since
            .is_none_or(|since| firing::entry_time(&self.0).is_some_and(|time| time >= since));
        !firings && !args.denied && since
    }

    pub(super) fn to_json(&self) -> Value {
        firing::without_chain_fields(&self.0)
    }

    pub(super) fn to_line(&self) -> String {
        let line = format!(
            "{} {}  {}  {}",
            paint(DIM, format!("{:>5}", self.entry_number())),
            paint(DIM, firing::local_entry_time(&self.0)),
            paint(BOLD, format!("you: {}", self.text_field("what"))),
            layout::to_safe_line(self.text_field("about")),
        );
        line.trim_end().to_owned()
    }
}
