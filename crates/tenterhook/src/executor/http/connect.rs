//! Opens a connection to one of the vetted addresses. Sends no request on it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::connection::Connection;
use super::failure::{Failure, Kind};
use super::network::Network;
use super::wire::{Allowance, Metered, Wire};
use tenterhook_core::request::address::Target;

/// How long an address is awaited before the next one is tried in parallel: the value that RFC 8305
/// recommends.
const STAGGER: Duration = Duration::from_millis(250);

/// How much a server may send before the first request: chains of certificates are long, but not
/// that long.
const GREETING: usize = 256 << 10;

/// Opens a connection to `target`.
pub(super) async fn open_connection(
    network: &Network,
    target: &Target,
) -> Result<Box<Connection>, Failure> {
    let failed = |error: &io::Error| Failure::from_connect_error(error, &target.origin);
    let allowance = Allowance::default();
    allowance.allow_reply_bytes(GREETING);
    let addresses = match target.host.parse() {
        Ok(address) => vec![address],
        Err(_) => network
            .resolver()
            .allowed_addresses(&target.host)
            .await
            .map_err(|error| failed(&error))?,
    };
    let socket = connect_to_first_that_accepts(addresses, target.port)
        .await
        .map_err(|error| failed(&error))?;
    let metered = Metered::new(socket, allowance.clone());
    let wire: Wire = if target.secure {
        let connector = network.tls().connector().map_err(|why| {
            Failure::new(Kind::Client, format!("no request can be sent from this machine: {why}"))
        })?;
        let secured = connector.connect(certificate_name(target)?, metered).await;
        Box::new(secured.map_err(|error| failed(&error))?)
    } else {
        Box::new(metered)
    };
    let opened = Connection::handshake(wire, allowance).await;
    opened.map(Box::new).map_err(|error| Failure::from_exchange_error(&error, &target.origin))
}

/// Connects to the first of `addresses` that accepts. After [`STAGGER`] the next one is tried in
/// parallel.
pub(super) async fn connect_to_first_that_accepts(
    addresses: Vec<IpAddr>,
    port: u16,
) -> io::Result<TcpStream> {
    let mut rest = addresses.into_iter().map(|address| SocketAddr::new(address, port));
    let mut attempts = JoinSet::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        let next = rest.next();
        let more = next.is_some();
        if let Some(address) = next {
            attempts.spawn(TcpStream::connect(address));
        }
        let came = if more {
            tokio::time::timeout(STAGGER, attempts.join_next()).await
        } else {
            Ok(attempts.join_next().await)
        };
        match came {
            Ok(Some(Ok(Ok(socket)))) => {
                socket.set_nodelay(true)?;
                return Ok(socket);
            }
            Ok(Some(Ok(Err(error)))) => last = error,
            // The runtime is about to end.
            Ok(Some(Err(_))) => {}
            Ok(None) => return Err(last),
            Err(_) => {}
        }
    }
}

/// The name that the server's certificate must have.
fn certificate_name(target: &Target) -> Result<ServerName<'static>, Failure> {
    let host = target.host.strip_suffix('.').unwrap_or(&target.host).to_owned();
    let bad = |_| Failure::new(Kind::Url, "its host is not a name that a certificate can be for");
    ServerName::try_from(host).map_err(bad)
}

/// The state that all encrypted connections share.
#[derive(Default)]
pub(super) struct Tls {
    /// Certificates that are trusted in addition to the system's, each as DER.
    roots: Vec<Vec<u8>>,
    /// Created for the first encrypted connection: loading a system's certificates takes longer
    /// than most hooks.
    connector: OnceLock<Result<TlsConnector, rustls::Error>>,
}

impl Tls {
    /// Trusts these certificate authorities, too.
    pub(super) const fn with_extra_roots(roots: Vec<Vec<u8>>) -> Self {
        Self { roots, connector: OnceLock::new() }
    }

    /// Returns the TLS connector, or the reason why it cannot be built: a system may have no
    /// certificates.
    pub(super) fn connector(&self) -> Result<&TlsConnector, rustls::Error> {
        self.connector.get_or_init(|| build_connector(&self.roots)).as_ref().map_err(Clone::clone)
    }
}

/// Builds a TLS connector. It names the crypto provider, because a library must not choose one for
/// its host's whole process.
fn build_connector(roots: &[Vec<u8>]) -> Result<TlsConnector, rustls::Error> {
    let provider: Arc<CryptoProvider> = Arc::new(rustls::crypto::ring::default_provider());
    let roots = roots.iter().cloned().map(CertificateDer::from);
    let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-12
    #[tokio::test]
    async fn first_address_that_answers_is_used() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let list =
            |text: &str| text.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<_>>();
        let reached = connect_to_first_that_accepts(list("127.0.0.2 127.0.0.1"), address.port())
            .await
            .unwrap();
        assert_eq!(reached.peer_addr().unwrap(), address);
        assert!(
            connect_to_first_that_accepts(list("127.0.0.2 127.0.0.3"), address.port())
                .await
                .is_err()
        );
    }
}
