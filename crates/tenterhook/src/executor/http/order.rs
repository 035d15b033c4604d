//! Builds the request of one step, complete with its headers and signature. Sends nothing.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request};
use rustls::crypto::SecureRandom;

use super::connection::Post;
use super::destination::Destination;
use super::failure::{Failure, Kind};
use super::signature;
use crate::executor::{Sealed, Task};
use tenterhook_core::hook::Http;
use tenterhook_core::request::headers::{self, BadHeader};

/// The header with the id of a request; a reply may name the request it belongs to (HT-52).
pub(super) const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// How large an envelope may be (HT-3).
const HEAVIEST: usize = 8 << 20;

/// One request, ready to be sent.
pub(super) struct Order {
    pub(super) post: Post,
    /// Its id, unique among requests; the same in a second attempt.
    pub(super) id: String,
    /// The variables without a value, which left their header empty.
    pub(super) missing: Vec<BadHeader>,
}

impl Order {
    pub(super) fn new(task: &Task, http: &Http, to: &Destination) -> Result<Self, Failure> {
        if task.envelope.body.len() > HEAVIEST {
            let what = format!("its event is larger than {} MiB", HEAVIEST >> 20);
            return Err(Failure::new(Kind::Heavy, what));
        }
        let id = random_request_id()?;
        let body = Bytes::from_owner(Body(Arc::clone(&task.envelope)));
        let mut post = Request::new(Full::new(body));
        *post.method_mut() = Method::POST;
        *post.uri_mut() = to.path.clone();
        *post.headers_mut() = to.headers.clone();
        let headers = post.headers_mut();
        let missing = insert_entry_headers(task, http, headers)?;
        headers.insert(ID, sensitive_header_value(&id)?);
        if let Some(variable) = &http.secret {
            for (name, text) in signature_headers(task, variable, &id)? {
                headers.insert(name, sensitive_header_value(&text)?);
            }
        }
        Ok(Self { post, id, missing })
    }
}

/// The body of an envelope, sent without a copy: an event may hold a file.
struct Body(Arc<Sealed>);

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.0.body
    }
}

/// Returns the value of an environment variable of the host.
fn env_variable<'t>(task: &'t Task, name: &str) -> Option<&'t str> {
    let (_, value) = task.ambient.env.iter().rfind(|(key, _)| key == name)?;
    Some(value)
}

/// Returns the URL of `http`, with its variables filled in if its agent does so (HT-25).
pub(super) fn request_url(task: &Task, http: &Http) -> Result<String, Failure> {
    if !http.interpolation.in_url {
        return Ok(http.url.clone());
    }
    let lookup = |name: &str| env_variable(task, name);
    let filled =
        headers::fill_variables("url", &http.url, &http.variables, http.interpolation, lookup);
    filled.map(|filled| filled.text).map_err(|error| Failure::new(Kind::Url, error.to_string()))
}

/// Sets the headers of the hook's entry, each with its variables filled in. Returns the variables that have no value.
fn insert_entry_headers(
    task: &Task,
    http: &Http,
    map: &mut HeaderMap,
) -> Result<Vec<BadHeader>, Failure> {
    let mut missing = Vec::new();
    for (name, text) in http.headers.iter().filter(|(name, _)| !headers::is_reserved_header(name)) {
        let bad = |error: BadHeader| Failure::new(Kind::Header, error.to_string());
        let lookup = |name: &str| env_variable(task, name);
        let filled =
            headers::fill_header_value(name, text, &http.variables, http.interpolation, lookup);
        let filled = filled.map_err(bad)?;
        let torn = |_| bad(BadHeader::Name(name.clone()));
        map.insert(
            HeaderName::from_bytes(name.as_bytes()).map_err(torn)?,
            sensitive_header_value(&filled.text)?,
        );
        missing.extend(filled.missing);
    }
    Ok(missing)
}

/// Returns a header value that libraries must not log.
fn sensitive_header_value(text: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::from_bytes(text.as_bytes())
        .map_err(|_| Failure::new(Kind::Header, "the value of a header cannot be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn signature_headers(
    task: &Task,
    name: &str,
    id: &str,
) -> Result<[(HeaderName, String); 2], Failure> {
    let failed = |what: &str| {
        Failure::new(Kind::Secret, format!("the variable `{}` {what}", headers::shorten_name(name)))
    };
    let secrets = env_variable(task, name).filter(|variable| !variable.is_empty());
    let secrets = secrets.ok_or_else(|| failed("that holds the secret is not set or empty"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let signature = signature::webhook_signatures(secrets, id, now, &task.envelope.body)
        .ok_or_else(|| failed("holds no secret that can be read"))?;
    Ok([(TIMESTAMP, now.to_string()), (SIGNATURE, signature)])
}

fn random_request_id() -> Result<String, Failure> {
    let number = random_bytes()
        .ok_or_else(|| Failure::new(Kind::Client, "the system has no random numbers"))?;
    let digits = number.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    let mut id = String::with_capacity("msg_".len() + 2 * NUMBER);
    id.push_str("msg_");
    id.extend(digits);
    Ok(id)
}

/// How long a random number is.
const NUMBER: usize = 16;

/// Random numbers drawn in advance. They distinguish requests and are no secrets; asking the system
/// each time takes longer than building the rest of a request.
struct Drawn {
    numbers: [[u8; NUMBER]; 64],
    left: usize,
}

fn random_bytes() -> Option<[u8; NUMBER]> {
    /// Asking for the provider builds its cipher tables each time.
    static RANDOM: LazyLock<&dyn SecureRandom> =
        LazyLock::new(|| rustls::crypto::ring::default_provider().secure_random);
    static DRAWN: Mutex<Drawn> = Mutex::new(Drawn { numbers: [[0; NUMBER]; 64], left: 0 });
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    if drawn.left == 0 {
        RANDOM.fill(drawn.numbers.as_flattened_mut()).ok()?;
        drawn.left = drawn.numbers.len();
    }
    drawn.left -= 1;
    drawn.numbers.get(drawn.left).copied()
}
