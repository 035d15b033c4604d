//! What went wrong with a service, in words of our own, of which kind it is, and whether to try again: the crate's own
//! messages hold whole requests. Never a key.

use std::error::Error as Cause;
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime};

use genai::Error;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::LONGEST_WAIT;
use super::relay::Trouble;
use crate::hooks::services::Target;
use crate::model::{ErrorKind, ModelError};

/// How much of what a server says is repeated.
const WORDS: usize = 300;

/// What went wrong, and whether the same request may do better later.
#[derive(Debug)]
pub(super) struct Fault {
    /// What the person reads.
    pub(super) error: ModelError,
    /// The same, without what to do about it.
    pub(super) what: String,
    pub(super) again: Again,
}

/// Whether to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    Never,
    /// When we see fit.
    Soon,
    /// When the service says so.
    After(Duration),
}

/// What a status means, first that holds, and what to do about it.
const STATUSES: &[(RangeInclusive<u16>, ErrorKind, Again)] = &[
    (401..=401, ErrorKind::Auth, Again::Never),
    (402..=402, ErrorKind::Billing, Again::Never),
    (403..=403, ErrorKind::Auth, Again::Never),
    (404..=404, ErrorKind::NoModel, Again::Never),
    (408..=408, ErrorKind::Server, Again::Soon),
    (429..=429, ErrorKind::RateLimit, Again::Soon),
    (400..=499, ErrorKind::InvalidRequest, Again::Never),
    (503..=503, ErrorKind::Overloaded, Again::Soon),
    (529..=529, ErrorKind::Overloaded, Again::Soon),
    (500..=599, ErrorKind::Server, Again::Soon),
];

/// What the words mean that services put into `type` or `code` of an error.
const CODES: &[(&str, ErrorKind, Again)] = &[
    ("insufficient_quota", ErrorKind::Billing, Again::Never),
    ("billing_error", ErrorKind::Billing, Again::Never),
    ("rate_limit_error", ErrorKind::RateLimit, Again::Soon),
    ("rate_limit_exceeded", ErrorKind::RateLimit, Again::Soon),
    ("overloaded_error", ErrorKind::Overloaded, Again::Soon),
    ("api_error", ErrorKind::Server, Again::Soon),
    ("server_error", ErrorKind::Server, Again::Soon),
    ("authentication_error", ErrorKind::Auth, Again::Never),
    ("permission_error", ErrorKind::Auth, Again::Never),
    ("not_found_error", ErrorKind::NoModel, Again::Never),
    ("invalid_request_error", ErrorKind::InvalidRequest, Again::Never),
];

impl Fault {
    /// Creates the fault from an error of the crate.
    pub(super) fn from_error(error: &Error, target: &Target) -> Self {
        match error {
            Error::HttpError { status, body, headers, .. } => {
                from_http_status(status.as_u16(), body, headers, target)
            }
            // The crate puts its own errors in a box here, and those of the connection.
            Error::WebStream { error, .. } => match error.downcast_ref::<Error>() {
                Some(inner) => Self::from_error(inner, target),
                None => network_fault(error.as_ref(), target),
            },
            Error::ChatResponse { body, .. } => from_error_body(body, target),
            Error::StreamParse { serde_error, .. } => {
                Self::unknown(&format!("its reply cannot be read: {serde_error}"), target)
            }
            _ => Self::unknown("the request could not be put in its words", target),
        }
    }

    /// Creates the fault from a failure that the relay recorded.
    pub(super) fn from_relay_trouble(trouble: &Trouble, target: &Target) -> Self {
        match trouble {
            Trouble::Network(error) => network_fault(error, target),
            Trouble::Bounds(error) => Self::unknown(&error.to_string(), target),
            Trouble::Compressed => {
                Self::unknown("its answer is compressed, which was not asked for", target)
            }
        }
    }

    /// Creates the fault of an answer that stopped before its end.
    pub(super) fn incomplete_answer(target: &Target) -> Self {
        Self::unknown("its answer ended before it was complete", target)
    }

    /// Creates a fault of unknown kind.
    pub(super) fn unknown(what: &str, target: &Target) -> Self {
        Self::new(ErrorKind::Unknown, Again::Never, what, target)
    }

    fn new(kind: ErrorKind, again: Again, what: &str, target: &Target) -> Self {
        let what =
            format!("`{}`: {}", target.name, sanitize_server_text(what, target.key.as_deref()));
        let message = format!("{what}{}", remedy_hint(kind, again, &target.wants));
        Self { error: ModelError { kind, message }, what, again }
    }
}

/// Returns what the user can do about it.
fn remedy_hint(kind: ErrorKind, again: Again, wants: &str) -> String {
    if let Again::After(wait) = again
        && wait > LONGEST_WAIT
    {
        let seconds = wait.as_secs();
        return format!("; try again in {seconds} s, or name another model with `/model`");
    }
    match kind {
        ErrorKind::Auth => format!("; check the key in {wants}, and that it may use this model"),
        ErrorKind::Billing => "; see to the account, or name another model".to_owned(),
        ErrorKind::RateLimit | ErrorKind::Overloaded | ErrorKind::Server => {
            "; try again later, or name another model with `/model`".to_owned()
        }
        ErrorKind::NoModel => "; check the name of the model and its service".to_owned(),
        ErrorKind::InvalidRequest | ErrorKind::MaxTokens | ErrorKind::Unknown => String::new(),
    }
}

/// Creates the fault of a server that answered with an error status.
fn from_http_status(status: u16, body: &str, headers: &HeaderMap, target: &Target) -> Fault {
    let row = STATUSES.iter().find(|(range, ..)| range.contains(&status));
    let (mut kind, mut again) =
        row.map_or((ErrorKind::Unknown, Again::Never), |(_, kind, again)| (*kind, *again));
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    // Services report an empty account with many a status, and waiting does not fill it.
    if let Some((ErrorKind::Billing, never)) = kind_by_error_code(&json) {
        (kind, again) = (ErrorKind::Billing, never);
    }
    if again == Again::Soon {
        again = requested_retry(headers).unwrap_or(again);
    }
    let words = error_message(&json).unwrap_or(body).trim();
    let colon = if words.is_empty() { "" } else { ": " };
    Fault::new(kind, again, &format!("status {status}{colon}{words}"), target)
}

/// Returns when the server wants the request to be repeated, if it says so.
fn requested_retry(headers: &HeaderMap) -> Option<Again> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    if header("x-should-retry") == Some("false") {
        return Some(Again::Never);
    }
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|header| header / 1000.0).or(number("retry-after"));
    let wait = match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        None => {
            let moment = |name: &str| httpdate::parse_http_date(header(name)?.trim()).ok();
            // The server's own clock gives the duration, whatever ours says. A moment in the past is no wish.
            let now = moment("date").unwrap_or_else(SystemTime::now);
            moment("retry-after")?.duration_since(now).ok()?
        }
    };
    Some(Again::After(wait))
}

/// Creates the fault of an error that arrived in place of an answer.
fn from_error_body(body: &Value, target: &Target) -> Fault {
    let (kind, again) = kind_by_error_code(body).unwrap_or((ErrorKind::Unknown, Again::Never));
    let words = error_message(body).map_or_else(|| body.to_string(), str::to_owned);
    Fault::new(kind, again, &words, target)
}

fn network_fault(error: &(dyn Cause + Send + Sync + 'static), target: &Target) -> Fault {
    let reached = error.downcast_ref::<reqwest::Error>().is_none_or(|error| !error.is_connect());
    let what = if reached { "did not answer to the end" } else { "cannot be reached" };
    // The innermost cause says what happened; those round it repeat the address.
    let mut cause: &dyn Cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Fault::unknown(&format!("`{}` {what}: {cause}", target.address), target)
}

/// Returns the object that describes the error. All services send one, some inside a list, some
/// without a wrapper.
fn error_object(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    body.get("error").unwrap_or(body)
}

fn error_message(body: &Value) -> Option<&str> {
    let object = error_object(body);
    object.get("message").unwrap_or(object).as_str()
}

fn kind_by_error_code(body: &Value) -> Option<(ErrorKind, Again)> {
    let object = error_object(body);
    let words = ["code", "type"].into_iter().filter_map(|key| object.get(key)?.as_str());
    words
        .filter_map(|word| CODES.iter().find(|(code, ..)| *code == word))
        .map(|(_, kind, again)| (*kind, *again))
        .next()
}

/// Makes a server's text fit to be shown: bounded, on one line, without control characters, and
/// without the key, which some servers repeat.
fn sanitize_server_text(text: &str, key: Option<&str>) -> String {
    let text = match key.filter(|key| key.len() >= 4) {
        Some(key) => text.replace(key, "[key]"),
        None => text.to_owned(),
    };
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(WORDS).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{DATE, HeaderName, RETRY_AFTER};

    use super::*;

    /// A wish is a number of seconds or a moment, by the server's clock; anything else, and a
    /// moment in the past, is ignored.
    #[test]
    fn a_service_says_when_it_wants_to_be_asked_again() {
        const NOW: &str = "Sun, 22 Nov 2026 12:00:00 GMT";
        let after = |seconds| Some(Again::After(Duration::from_secs_f64(seconds)));
        for (wish, date, wanted) in [
            ("7", NOW, after(7.0)),
            ("0.5", NOW, after(0.5)),
            ("Sun, 22 Nov 2026 12:00:20 GMT", NOW, after(20.0)),
            ("Sunday, 22-Nov-26 12:00:20 GMT", NOW, after(20.0)),
            ("Sun Nov 22 12:00:20 2026", NOW, after(20.0)),
            ("Mon, 23 Nov 2026 12:00:00 GMT", NOW, after(86400.0)),
            ("Sun, 22 Nov 2026 11:59:59 GMT", NOW, None),
            ("Wed, 01 Jan 2020 00:00:00 GMT", "no date", None),
            ("soon", NOW, None),
            ("-1", NOW, None),
            ("NaN", NOW, None),
            ("1e300", NOW, None),
        ] {
            let headers: HeaderMap = [(RETRY_AFTER, wish), (DATE, date)]
                .into_iter()
                .map(|(name, value)| (name, value.parse().unwrap()))
                .collect();
            assert_eq!(requested_retry(&headers), wanted, "{wish}");
        }
        let no = (HeaderName::from_static("x-should-retry"), "false".parse().unwrap());
        assert_eq!(requested_retry(&[no].into_iter().collect()), Some(Again::Never));
        let far = Again::After(Duration::from_secs(86400));
        assert!(
            remedy_hint(ErrorKind::RateLimit, far, "").starts_with("; try again in 86400 s, or")
        );
    }
}
