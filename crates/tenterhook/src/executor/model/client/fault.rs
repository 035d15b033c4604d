//! Describes what went wrong with a service, for people. Never contains a key (MO-23).

use serde_json::Value;

use crate::executor::http::client::Unanswered;
use crate::executor::model::services::Target;
use crate::executor::model::{FaultKind, ModelFault};
use tenterhook_core::text;

/// How much of a server's message is repeated.
const WORDS: usize = 300;

/// The meaning of a status; the first matching row applies.
const STATUSES: &[(std::ops::RangeInclusive<u16>, FaultKind)] = &[
    (401..=401, FaultKind::Auth),
    (403..=403, FaultKind::Auth),
    (402..=402, FaultKind::RateLimit),
    (429..=429, FaultKind::RateLimit),
    (502..=504, FaultKind::Overloaded),
    (529..=529, FaultKind::Overloaded),
];

/// Why a question has no reply.
#[derive(Debug)]
pub(super) enum Failed {
    /// Its address or its key cannot be written into a request.
    Unsendable,
    /// No complete reply came.
    Network(Unanswered),
    /// An error status, and the server's message.
    Status(u16, String),
    /// A reply of a different content type.
    NotJson(String),
    /// A reply that claims to be JSON and is not.
    BrokenJson(serde_json::Error),
    /// JSON without a message of the model.
    Empty,
}

/// Returns the fault for a failed exchange with a model.
pub(super) fn fault_from_failure(failed: &Failed, target: &Target) -> ModelFault {
    let Target { name, address, key, .. } = target;
    let other = |what| (FaultKind::Other, what);
    let (kind, what) = match failed {
        Failed::Unsendable => other(format!("nothing can be sent to `{address}` with this key")),
        Failed::Network(why) => (FaultKind::Network, format!("`{address}` did not answer: {why}")),
        Failed::Status(status, body) => status_fault(*status, body),
        Failed::NotJson(kind) => other(format!("`{address}` replied with `{kind}`, not with JSON")),
        Failed::BrokenJson(why) => other(format!("`{address}` replied with broken JSON: {why}")),
        Failed::Empty => other("its reply holds no answer".to_owned()),
    };
    let said = text::clean(&what, WORDS * 2).text;
    ModelFault::new(kind, remove_key(&format!("`{name}`: {said}"), key.as_deref()))
}

/// Returns the kind of fault of an HTTP status, with the server's message.
fn status_fault(code: u16, body: &str) -> (FaultKind, String) {
    let kind = STATUSES.iter().find(|(range, _)| range.contains(&code));
    let kind = kind.map_or(FaultKind::Other, |(_, kind)| *kind);
    let words = error_message(body);
    let colon = if words.is_empty() { "" } else { ": " };
    (kind, format!("status {code}{colon}{words}"))
}

/// Returns the server's error message: that of the error object that all services send, otherwise
/// the start of the text.
fn error_message(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let message = json.as_ref().and_then(|json| {
        let error = json.get("error").or_else(|| json.get(0)?.get("error"))?;
        error.get("message").unwrap_or(error).as_str()
    });
    message.unwrap_or(body).trim().chars().take(WORDS).collect()
}

/// Removes the key from the text; some servers repeat it.
fn remove_key(text: &str, key: Option<&str>) -> String {
    match key.filter(|key| key.len() >= 4) {
        Some(key) => text.replace(key, "[key]"),
        None => text.to_owned(),
    }
}
