//! What is sent? Makes the request of one step, complete with its headers and signature; sends nothing.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use rustls::crypto::SecureRandom;

use super::address::Target;
use super::connection::Post;
use super::failure::{Failure, Kind};
use super::{headers, signature};
use crate::executor::Task;
use crate::hook::Http;

/// What every request says of itself.
const FIXED: &[(&str, &str)] = &[
    ("content-type", "application/json"),
    ("accept", "application/json"),
    ("accept-encoding", "identity"),
    ("user-agent", concat!("tenterhook/", env!("CARGO_PKG_VERSION"))),
];

/// How large an envelope may be (HT-3).
const HEAVIEST: usize = 8 << 20;

/// One request, ready to be sent.
pub(super) struct Order {
    pub(super) target: Target,
    pub(super) post: Post,
    /// Tells it from every other one; the same in a second attempt.
    pub(super) id: String,
}

impl Order {
    pub(super) fn new(task: &Task, http: &Http) -> Result<Self, Failure> {
        let target = read_target(&http.url)?;
        let body = &task.envelope.body;
        if body.len() > HEAVIEST {
            let what = format!("its event is larger than {} MiB", HEAVIEST >> 20);
            return Err(Failure::new(Kind::Heavy, what));
        }
        let id = random_id()?;
        let mut post = Request::new(Full::new(Bytes::from(body.clone())));
        *post.method_mut() = Method::POST;
        *post.uri_mut() = path(&target)?;
        *post.headers_mut() = own_headers(task, http)?;
        let headers = post.headers_mut();
        for (name, text) in FIXED {
            headers.entry(*name).or_insert(HeaderValue::from_static(text));
        }
        headers.insert("host", value(&target.authority())?);
        headers.insert("webhook-id", value(&id)?);
        if let Some(variable) = &http.secret {
            for (name, text) in sign(task, variable, &id)? {
                headers.insert(name, value(&text)?);
            }
        }
        Ok(Self { target, post, id })
    }
}

fn read_target(url: &str) -> Result<Target, Failure> {
    Target::read(url)
        .map_err(|error| Failure::new(Kind::Url, format!("its URL cannot be used: {error}")))
}

fn path(target: &Target) -> Result<Uri, Failure> {
    let unlike = |_| Failure::new(Kind::Url, "its path cannot be sent");
    Uri::try_from(target.path.as_str()).map_err(unlike)
}

fn variable<'t>(task: &'t Task, name: &str) -> Option<&'t str> {
    let (_, value) = task.ambient.env.iter().rfind(|(it, _)| it == name)?;
    Some(value)
}

/// The headers that the hook's entry says, each with its variables filled in.
fn own_headers(task: &Task, http: &Http) -> Result<HeaderMap, Failure> {
    let mut map = HeaderMap::new();
    for (name, text) in http.headers.iter().filter(|(name, _)| !headers::is_reserved(name)) {
        let bad = |error: headers::BadHeader| Failure::new(Kind::Header, error.to_string());
        let filled = headers::fill(name, text, &http.variables, |it| variable(task, it));
        let filled = filled.map_err(bad)?;
        let torn = |_| bad(headers::BadHeader::Name(name.clone()));
        map.insert(HeaderName::from_bytes(name.as_bytes()).map_err(torn)?, value(&filled)?);
    }
    Ok(map)
}

/// A value that no log of a library below shows.
fn value(text: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| Failure::new(Kind::Header, "the value of a header cannot be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn sign(task: &Task, name: &str, id: &str) -> Result<[(&'static str, String); 2], Failure> {
    let failed = |what: &str| {
        Failure::new(Kind::Secret, format!("the variable `{}` {what}", headers::shown(name)))
    };
    let secrets = variable(task, name).filter(|it| !it.is_empty());
    let secrets = secrets.ok_or_else(|| failed("that holds the secret is not set or empty"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let signature = signature::sign(secrets, id, now, &task.envelope.body)
        .ok_or_else(|| failed("holds no secret that can be read"))?;
    Ok([("webhook-timestamp", now.to_string()), ("webhook-signature", signature)])
}

fn random_id() -> Result<String, Failure> {
    /// To ask for the provider makes its tables of ciphers anew.
    static RANDOM: LazyLock<&dyn SecureRandom> =
        LazyLock::new(|| rustls::crypto::ring::default_provider().secure_random);
    let mut bytes = [0; 16];
    RANDOM
        .fill(&mut bytes)
        .map_err(|_| Failure::new(Kind::Client, "the system has no random numbers"))?;
    Ok(format!("msg_{:032x}", u128::from_be_bytes(bytes)))
}
