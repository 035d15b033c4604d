//! Prepares a URL once: its target, the common headers of its requests, and the state of its
//! server. Sends nothing.

use std::sync::Arc;

use hyper::Uri;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName};
use hyper::header::{HeaderValue, USER_AGENT};

use super::failure::{Failure, Kind};
use super::origin::Origin;
use tenterhook_core::request::address::Target;

/// The headers that every request has.
const FIXED: &[(HeaderName, &str)] = &[
    (CONTENT_TYPE, "application/json"),
    (ACCEPT, "application/json"),
    (ACCEPT_ENCODING, "identity"),
    (USER_AGENT, concat!("tenterhook/", env!("CARGO_PKG_VERSION"))),
];

/// Initial capacity for headers: adding a header to a copy without free capacity rehashes it.
const HEADER_CAPACITY: usize = 12;

/// A destination of requests.
pub(super) struct Destination {
    pub(super) target: Target,
    /// Path and query, as in a request line.
    pub(super) path: Uri,
    /// The headers of every request; a hook may override some.
    pub(super) headers: HeaderMap,
    /// The state of the server, shared by all paths.
    pub(super) origin: Arc<Origin>,
}

impl Destination {
    pub(super) fn new(target: Target, origin: Arc<Origin>) -> Result<Self, Failure> {
        let unlike = |what| Failure::new(Kind::Url, what);
        let path =
            Uri::try_from(target.path.as_str()).map_err(|_| unlike("its path cannot be sent"))?;
        let host = HeaderValue::try_from(target.host_and_port())
            .map_err(|_| unlike("its host cannot be sent"))?;
        let mut headers = HeaderMap::with_capacity(HEADER_CAPACITY);
        for (name, text) in FIXED {
            headers.insert(name, HeaderValue::from_static(text));
        }
        headers.insert(HOST, host);
        Ok(Self { target, path, headers, origin })
    }

    /// Whether both lead to the same server, whatever their paths.
    pub(super) fn is_same_server(&self, other: &Target) -> bool {
        let server = |target: &Target| (target.secure, target.port, target.host.clone());
        server(&self.target) == server(other)
    }
}
