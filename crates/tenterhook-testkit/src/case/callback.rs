//! What does a callback of the host do? Data only: a runner makes an async function of it, in its own words.

use serde::Deserialize;
use serde_json::Value;

/// A callback that says what the case says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Callback {
    /// The event that it is for.
    pub on: String,
    /// Its decision: `deny`, `ask` or `allow`.
    pub decision: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What it adds for the model.
    pub context: Vec<String>,
    /// What takes the place of the tool's input.
    pub input: Option<Value>,
    /// Whether it panics, with these words.
    pub panics: Option<String>,
    /// Whether it waits for ever.
    pub never: bool,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
    /// What happens where it gives no answer: `block`, `ask` or `continue`.
    pub on_failure: Option<String>,
    /// Whether it runs once in a session.
    pub once: bool,
    /// Whether it runs in the background.
    pub background: bool,
}
