//! Whom do `http` hooks trust, and which connections do they share? A value of the host; opens nothing itself.

use std::fmt;
use std::sync::Arc;

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
    clients: super::client::Clients,
}

impl Network {
    /// A network whose servers may also be vouched for by these authorities, each given as the DER of its certificate: a
    /// company's own, say.
    #[must_use]
    pub fn trusting(roots: Vec<Vec<u8>>) -> Self {
        let inner = Inner {
            roots,
            #[cfg(feature = "http")]
            clients: super::client::Clients::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The same, with names that are looked up by `look_up`.
    #[cfg(all(test, feature = "http"))]
    pub(super) fn looking_up(
        roots: Vec<Vec<u8>>,
        look_up: impl Fn(&str) -> std::io::Result<Vec<std::net::IpAddr>> + Send + Sync + 'static,
    ) -> Self {
        let clients = super::client::Clients::looking_up(Arc::new(look_up));
        Self { inner: Arc::new(Inner { roots, clients }) }
    }

    /// The client for such requests; it is made when it is first needed.
    #[cfg(feature = "http")]
    pub(in crate::executor) fn client(&self, secure: bool) -> Result<&reqwest::Client, String> {
        self.inner.clients.get(secure, &self.inner.roots)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}
