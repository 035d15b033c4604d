//! Makes the clients that reach servers at an address: no redirect, no proxy, no retry, no address that was not vetted.
//! Sends nothing. The protocol's crate brings its own HTTP library; whom it trusts and connects to is decided as for `http`
//! hooks.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::executor::http::Network;
use crate::executor::http::resolver::Resolver;

/// How long a connection is kept that nobody uses: less than the five seconds after which common servers close theirs.
const IDLE: Duration = Duration::from_secs(4);

/// The clients of a network, each made when it is first needed.
#[derive(Default)]
pub(in crate::executor) struct Clients {
    secure: Made,
    plain: Made,
}

type Made = OnceLock<Result<reqwest::Client, String>>;

impl Clients {
    /// Plain requests go to this machine alone and have a client of their own, so that one without certificates of its
    /// system can still send them, and none waits for certificates that it does not need.
    pub(in crate::executor) fn get(
        &self,
        secure: bool,
        network: &Network,
    ) -> Result<&reqwest::Client, String> {
        let made = if secure { &self.secure } else { &self.plain };
        made.get_or_init(|| make(secure, network)).as_ref().map_err(Clone::clone)
    }
}

fn make(secure: bool, network: &Network) -> Result<reqwest::Client, String> {
    let tls = tls(secure, network.roots()).map_err(|error| error.to_string())?;
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .https_only(secure)
        .dns_resolver(Arc::new(Vetted(network.resolver().clone())))
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

/// The resolver of `http` hooks, in the shape that this library asks for.
struct Vetted(Resolver);

impl Resolve for Vetted {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, host) = (self.0.clone(), name.as_str().to_ascii_lowercase());
        Box::pin(async move {
            let addresses = resolver.addresses(&host).await?;
            // The client fills the port in.
            let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
