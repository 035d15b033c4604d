//! What is sent? Makes the request of one step, complete with its headers and signature; sends nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request, Url};

use super::address::Target;
use super::failure::{Failure, Kind};
use super::{headers, signature};
use crate::executor::Task;
use crate::hook::Http;

/// One request, ready to be sent, and sent again unchanged.
pub(super) struct Order {
    pub(super) target: Target,
    pub(super) request: Request,
    /// Tells it from every other one; the same in a second attempt.
    pub(super) id: String,
}

impl Order {
    pub(super) fn new(task: &Task, http: &Http) -> Result<Self, Failure> {
        let target = read_target(&http.url)?;
        let url = read_url(&http.url, &target)?;
        let id = random_id()?;
        let mut request = Request::new(Method::POST, url);
        *request.headers_mut() = own_headers(task, http)?;
        let fixed = [("content-type", "application/json"), ("accept-encoding", "identity")];
        for (name, value) in fixed {
            request.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        request.headers_mut().insert("webhook-id", value(&id)?);
        if let Some(variable) = &http.secret {
            for (name, text) in sign(task, variable, &id)? {
                request.headers_mut().insert(name, value(&text)?);
            }
        }
        *request.body_mut() = Some(task.envelope.body.clone().into());
        Ok(Self { target, request, id })
    }
}

fn read_target(url: &str) -> Result<Target, Failure> {
    Target::read(url)
        .map_err(|error| Failure::new(Kind::Url, format!("its URL cannot be used: {error}")))
}

/// The client's own reading of the URL must not find another host than ours (HT-10).
fn read_url(url: &str, target: &Target) -> Result<Url, Failure> {
    let unlike = || Failure::new(Kind::Url, "its URL can be read in several ways");
    let url = Url::parse(url).map_err(|_| unlike())?;
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
    let same = host == target.host && url.username().is_empty() && url.password().is_none();
    if same { Ok(url) } else { Err(unlike()) }
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
    let failed = |what: &str| Failure::new(Kind::Secret, format!("the variable `{name}` {what}"));
    let secrets = variable(task, name).filter(|it| !it.is_empty());
    let secrets = secrets.ok_or_else(|| failed("that holds the secret is not set or empty"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let signature = signature::sign(secrets, id, now, &task.envelope.body)
        .ok_or_else(|| failed("holds no secret that can be read"))?;
    Ok([("webhook-timestamp", now.to_string()), ("webhook-signature", signature)])
}

fn random_id() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut bytes)
        .map_err(|_| Failure::new(Kind::Client, "the system has no random numbers"))?;
    Ok(format!("msg_{:032x}", u128::from_be_bytes(bytes)))
}
