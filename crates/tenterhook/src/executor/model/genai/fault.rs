//! What went wrong with a service, in words of our own: the crate's own messages hold whole requests. Never a key (MO-23).

use genai::Error;
use genai::webc::Error as WebError;
use reqwest::StatusCode;
use serde_json::Value;

use crate::executor::model::{FaultKind, ModelFault};
use crate::text;

/// How much of what a server says is repeated.
const WORDS: usize = 300;

/// What a status means, first that holds.
const STATUSES: &[(std::ops::RangeInclusive<u16>, FaultKind)] = &[
    (401..=401, FaultKind::Auth),
    (403..=403, FaultKind::Auth),
    (402..=402, FaultKind::RateLimit),
    (429..=429, FaultKind::RateLimit),
    (502..=504, FaultKind::Overloaded),
    (529..=529, FaultKind::Overloaded),
];

/// The fault that an error of the crate is. `name` is the service and its model, `address` where it is.
pub(super) fn of(error: &Error, name: &str, address: &str, key: Option<&str>) -> ModelFault {
    let (kind, what) = match error {
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            web(webc_error, address)
        }
        Error::HttpError { status, body, .. } => refused(*status, body),
        Error::RequiresApiKey { .. } | Error::NoAuthData { .. } | Error::NoAuthResolver { .. } => {
            (FaultKind::NoCredentials, "it needs a key".to_owned())
        }
        Error::ChatResponseGeneration { cause, .. } => {
            (FaultKind::Other, format!("its reply cannot be read: {cause}"))
        }
        Error::NoChatResponse { .. } => (FaultKind::Other, "its reply holds no answer".to_owned()),
        _ => (FaultKind::Other, "the question could not be put".to_owned()),
    };
    let said = text::clean(&what, WORDS * 2).text;
    ModelFault::new(kind, without(&format!("`{name}`: {said}"), key))
}

/// The fault of a reply that holds nothing.
pub(super) fn empty(name: &str) -> ModelFault {
    ModelFault::new(FaultKind::Other, format!("`{name}`: its reply holds no answer"))
}

fn web(error: &WebError, address: &str) -> (FaultKind, String) {
    match error {
        WebError::ResponseFailedStatus { status, body, .. } => refused(*status, body),
        WebError::ResponseFailedNotJson { content_type, .. } => {
            (FaultKind::Other, format!("`{address}` replied with `{content_type}`, not with JSON"))
        }
        WebError::ResponseFailedInvalidJson { cause, .. } => {
            (FaultKind::Other, format!("`{address}` replied with broken JSON: {cause}"))
        }
        WebError::Reqwest(error) => {
            // The innermost cause says what happened; those round it repeat the address.
            let mut cause: &dyn std::error::Error = error;
            while let Some(inner) = cause.source() {
                cause = inner;
            }
            (FaultKind::Network, format!("`{address}` did not answer: {cause}"))
        }
        WebError::JsonValueExt(_) => (FaultKind::Other, "its reply cannot be read".to_owned()),
    }
}

fn refused(status: StatusCode, body: &str) -> (FaultKind, String) {
    let code = status.as_u16();
    let kind = STATUSES.iter().find(|(range, _)| range.contains(&code));
    let kind = kind.map_or(FaultKind::Other, |(_, kind)| *kind);
    let words = words(body);
    let colon = if words.is_empty() { "" } else { ": " };
    (kind, format!("status {code}{colon}{words}"))
}

/// What a server says is wrong: the message of the object that all of them send, else the start of the text.
fn words(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let message = json.as_ref().and_then(|it| {
        let error = it.get("error").or_else(|| it.get(0)?.get("error"))?;
        error.get("message").unwrap_or(error).as_str()
    });
    message.unwrap_or(body).trim().chars().take(WORDS).collect()
}

/// The text without the key, which some servers repeat.
fn without(text: &str, key: Option<&str>) -> String {
    match key.filter(|it| it.len() >= 4) {
        Some(key) => text.replace(key, "[key]"),
        None => text.to_owned(),
    }
}
