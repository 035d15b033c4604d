//! What is made once of a URL: where it leads, how every request to it begins, and what is known of the server there. Sends
//! nothing.

use std::sync::Arc;

use hyper::Uri;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName};
use hyper::header::{HeaderValue, USER_AGENT};

use super::failure::{Failure, Kind};
use super::origin::Origin;
use tenterhook_core::request::address::Target;

/// What every request says of itself.
const FIXED: &[(HeaderName, &str)] = &[
    (CONTENT_TYPE, "application/json"),
    (ACCEPT, "application/json"),
    (ACCEPT_ENCODING, "identity"),
    (USER_AGENT, concat!("tenterhook/", env!("CARGO_PKG_VERSION"))),
];

/// For how many headers there is room from the start: a copy that has to make some when a request adds its own is sorted
/// anew.
const ROOM: usize = 12;

/// Where requests are sent.
pub(super) struct Destination {
    pub(super) target: Target,
    /// Path and query, as a request line has them.
    pub(super) path: Uri,
    /// What every request says; a hook may say some of it otherwise.
    pub(super) headers: HeaderMap,
    /// What is known of the server, whatever the path.
    pub(super) origin: Arc<Origin>,
}

impl Destination {
    pub(super) fn new(target: Target, origin: Arc<Origin>) -> Result<Self, Failure> {
        let unlike = |what| Failure::new(Kind::Url, what);
        let path =
            Uri::try_from(target.path.as_str()).map_err(|_| unlike("its path cannot be sent"))?;
        let host = HeaderValue::try_from(target.authority())
            .map_err(|_| unlike("its host cannot be sent"))?;
        let mut headers = HeaderMap::with_capacity(ROOM);
        for (name, text) in FIXED {
            headers.insert(name, HeaderValue::from_static(text));
        }
        headers.insert(HOST, host);
        Ok(Self { target, path, headers, origin })
    }

    /// Whether both lead to one server, whatever is asked of it.
    pub(super) fn is_on_the_server_of(&self, other: &Target) -> bool {
        let server = |target: &Target| (target.secure, target.port, target.host.clone());
        server(&self.target) == server(other)
    }
}
