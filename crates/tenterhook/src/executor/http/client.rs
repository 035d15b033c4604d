//! Makes the clients that connect: no redirect, no proxy, no retry, no address that was not vetted. Sends nothing.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::resolver::{LookUp, Resolver};

/// How long a connection is kept that nobody uses: less than the five seconds after which common servers (Node's, uvicorn)
/// close theirs, because a request that crosses such a close is lost, and a gate's is not sent twice (HT-42).
const IDLE: Duration = Duration::from_secs(4);

/// The clients of a network, each made when it is first needed.
#[derive(Default)]
pub(super) struct Clients {
    look_up: Option<Arc<LookUp>>,
    secure: Made,
    plain: Made,
}

type Made = OnceLock<Result<reqwest::Client, String>>;

impl Clients {
    #[cfg(test)]
    pub(super) fn looking_up(look_up: Arc<LookUp>) -> Self {
        Self { look_up: Some(look_up), ..Self::default() }
    }

    /// Plain requests go to this machine alone and have a client of their own, so that one without certificates of its
    /// system can still send them, and none waits for certificates that it does not need.
    pub(super) fn get(&self, secure: bool, roots: &[Vec<u8>]) -> Result<&reqwest::Client, String> {
        let made = if secure { &self.secure } else { &self.plain };
        made.get_or_init(|| self.make(secure, roots)).as_ref().map_err(Clone::clone)
    }

    fn make(&self, secure: bool, roots: &[Vec<u8>]) -> Result<reqwest::Client, String> {
        let tls = tls(secure, roots).map_err(|error| error.to_string())?;
        let resolver = self.look_up.clone().map_or_else(Resolver::default, Resolver::new);
        reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .https_only(secure)
            .dns_resolver(Arc::new(resolver))
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .retry(reqwest::retry::never())
            .referer(false)
            // Another crate may have switched these on for the whole build.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("tenterhook/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())
    }
}

/// The provider is named, because a library must not choose one for the whole process of its host.
fn tls(secure: bool, roots: &[Vec<u8>]) -> Result<ClientConfig, rustls::Error> {
    let provider: Arc<CryptoProvider> = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = if secure {
        let roots = roots.iter().cloned().map(CertificateDer::from);
        let verifier = Verifier::new_with_extra_roots(roots, provider)?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
