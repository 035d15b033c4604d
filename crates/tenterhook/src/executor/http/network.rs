//! Whom do `http` hooks trust, and which connections do they share? A value of the host; opens nothing itself.

use std::fmt;
use std::sync::Arc;
#[cfg(feature = "http")]
use std::sync::OnceLock;

/// What the `http` hooks of an engine share: connections that are kept, and certificates that count beside the system's.
///
/// Cheap to clone; every clone is the same network.
#[derive(Clone, Default)]
pub struct Network {
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nobody connects then"))]
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Certificates, each as DER.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nobody connects then"))]
    roots: Vec<Vec<u8>>,
    #[cfg(feature = "http")]
    resolver: super::resolver::Resolver,
    #[cfg(feature = "http")]
    origins: Arc<super::origins::Origins>,
    /// Made when the first encrypted connection is opened: to load the certificates of a system takes longer than most hooks.
    #[cfg(feature = "http")]
    connector: OnceLock<Result<tokio_rustls::TlsConnector, String>>,
    #[cfg(feature = "mcp")]
    clients: crate::executor::mcp::client::Clients,
}

impl Network {
    /// A network whose servers may also be vouched for by these authorities, each given as the DER of its certificate: a
    /// company's own, say.
    #[must_use]
    #[cfg_attr(
        not(feature = "http"),
        expect(clippy::needless_update, reason = "nothing else is shared then")
    )]
    pub fn trusting(roots: Vec<Vec<u8>>) -> Self {
        Self { inner: Arc::new(Inner { roots, ..Inner::default() }) }
    }
}

#[cfg(feature = "http")]
impl Network {
    /// The same, with names that are looked up by `look_up`.
    #[cfg(test)]
    pub(super) fn looking_up(
        roots: Vec<Vec<u8>>,
        look_up: impl Fn(&str) -> std::io::Result<Vec<std::net::IpAddr>> + Send + Sync + 'static,
    ) -> Self {
        let resolver = super::resolver::Resolver::new(Arc::new(look_up));
        Self { inner: Arc::new(Inner { roots, resolver, ..Inner::default() }) }
    }

    /// The same, with connections that are kept for so long.
    #[cfg(test)]
    pub(super) fn idling(idle: std::time::Duration) -> Self {
        let origins = Arc::new(super::origins::Origins::idling(idle));
        Self { inner: Arc::new(Inner { origins, ..Inner::default() }) }
    }

    pub(in crate::executor) fn resolver(&self) -> &super::resolver::Resolver {
        &self.inner.resolver
    }

    pub(super) fn origins(&self) -> &Arc<super::origins::Origins> {
        &self.inner.origins
    }

    /// What encrypts; a system without certificates says why there is none.
    pub(super) fn connector(&self) -> Result<&tokio_rustls::TlsConnector, String> {
        let make = || super::connect::connector(&self.inner.roots).map_err(|it| it.to_string());
        self.inner.connector.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// The client for such requests to MCP servers.
    #[cfg(feature = "mcp")]
    pub(in crate::executor) fn client(&self, secure: bool) -> Result<&reqwest::Client, String> {
        self.inner.clients.get(secure, self)
    }

    /// The certificates that count beside the system's, each as DER.
    #[cfg(feature = "mcp")]
    pub(in crate::executor) fn roots(&self) -> &[Vec<u8>] {
        &self.inner.roots
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}
