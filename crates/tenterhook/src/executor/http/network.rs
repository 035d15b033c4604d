//! The connections that `http` hooks share, and the certificates that they trust. A value of the
//! host; opens nothing itself.

use std::fmt;
use std::sync::Arc;

/// What the `http` hooks of an engine share: kept connections, and certificates that are trusted in
/// addition to the system's.
///
/// Cheap to clone; every clone is the same network.
#[derive(Clone, Default)]
pub struct Network {
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing connects then"))]
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Certificates, each as DER.
    #[cfg(not(feature = "http"))]
    #[expect(dead_code, reason = "nothing connects then")]
    roots: Vec<Vec<u8>>,
    #[cfg(feature = "http")]
    tls: Arc<super::connect::Tls>,
    #[cfg(feature = "http")]
    resolver: super::resolver::Resolver,
    #[cfg(feature = "http")]
    origins: Arc<super::origins::Origins>,
    #[cfg(feature = "mcp")]
    mcp: std::sync::OnceLock<super::client::Client>,
}

impl Network {
    /// A network that also trusts these authorities, each given as the DER of its certificate: for
    /// example a company's own.
    #[must_use]
    pub fn trusting(roots: Vec<Vec<u8>>) -> Self {
        #[cfg(not(feature = "http"))]
        let inner = Inner { roots };
        #[cfg(feature = "http")]
        let inner = Inner {
            tls: Arc::new(super::connect::Tls::with_extra_roots(roots)),
            ..Inner::default()
        };
        Self { inner: Arc::new(inner) }
    }
}

#[cfg(feature = "http")]
impl Network {
    /// Looks names up with `look_up`.
    #[cfg(test)]
    pub(super) fn with_name_lookup(
        roots: Vec<Vec<u8>>,
        look_up: impl Fn(&str) -> std::io::Result<Vec<std::net::IpAddr>> + Send + Sync + 'static,
    ) -> Self {
        let resolver = super::resolver::Resolver::new(Arc::new(look_up));
        let tls = Arc::new(super::connect::Tls::with_extra_roots(roots));
        Self { inner: Arc::new(Inner { tls, resolver, ..Inner::default() }) }
    }

    /// Sets how long idle connections are kept.
    #[cfg(test)]
    pub(super) fn with_idle_time(idle: std::time::Duration) -> Self {
        let origins = Arc::new(super::origins::Origins::with_idle_time(idle));
        Self { inner: Arc::new(Inner { origins, ..Inner::default() }) }
    }

    pub(super) fn resolver(&self) -> &super::resolver::Resolver {
        &self.inner.resolver
    }

    pub(super) fn origins(&self) -> &Arc<super::origins::Origins> {
        &self.inner.origins
    }

    pub(super) fn tls(&self) -> &Arc<super::connect::Tls> {
        &self.inner.tls
    }

    /// Returns the client for MCP servers, which all share its connections.
    #[cfg(feature = "mcp")]
    pub(in crate::executor) fn mcp_client(&self) -> super::client::Client {
        use super::client::{Addresses, Client};
        self.inner.mcp.get_or_init(|| Client::new(self, Addresses::Vetted)).clone()
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}
