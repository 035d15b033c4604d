//! Encrypted connections: to whom a secret is told, and HTTP/2. Certificates are made for each run, so none runs out.

use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tenterhook_testkit::server::{Stream, Wrap};

use super::*;

/// An authority of this test's own.
fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// What a server shows of itself.
fn config(
    authority: &CertifiedIssuer<'_, KeyPair>,
    name: &str,
    expired: bool,
    protocols: &[&str],
) -> Arc<ServerConfig> {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if expired {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    Arc::new(config)
}

fn encrypt(config: &Arc<ServerConfig>, stream: TcpStream) -> io::Result<Box<dyn Stream>> {
    let connection = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
    Ok(Box::new(StreamOwned::new(connection, stream)))
}

fn start(config: Arc<ServerConfig>, reply: Reply) -> Server {
    let wrap: Box<Wrap> = Box::new(move |stream| encrypt(&config, stream));
    Server::start_with(reply, None, wrap).unwrap()
}

fn url(server: &Server) -> String {
    format!("https://localhost:{}/", server.address().port())
}

fn trusting(authority: &CertifiedIssuer<'_, KeyPair>) -> Network {
    Network::trusting(vec![authority.der().to_vec()])
}

/// HT-15
#[tokio::test]
async fn an_authority_that_the_host_names_is_trusted() {
    let authority = authority();
    let server = start(config(&authority, "localhost", false, &[]), Reply::json(DENIAL));
    let outcome = fire_hook(hook(http(&url(&server)), LONG), trusting(&authority)).await;
    assert_eq!((outcome.blocked(), codes(&outcome).len()), (true, 0), "{outcome:?}");
}

/// HT-15
#[tokio::test]
async fn no_secret_is_told_to_a_server_that_cannot_show_who_it_is() {
    let (known, unknown) = (authority(), authority());
    for config in [
        config(&known, "localhost", true, &[]),
        config(&known, "elsewhere.example", false, &[]),
        config(&unknown, "localhost", false, &[]),
    ] {
        let server = start(config, Reply::json("{}"));
        assert_fails(
            &fire_hook(hook(http(&url(&server)), LONG), trusting(&known)).await,
            "http-tls",
        );
        assert_eq!((server.requests().len(), server.connections()), (0, 1));
    }
}

/// HT-40: nothing of the request had left when the first connection broke.
#[tokio::test]
async fn a_connection_that_fails_is_tried_once_more_with_the_same_request() {
    let authority = authority();
    for (broken, code) in [(1, None), (2, Some("http-connect"))] {
        let config = config(&authority, "localhost", false, &[]);
        let opened = AtomicUsize::new(0);
        let wrap: Box<Wrap> = Box::new(move |stream| {
            if opened.fetch_add(1, Ordering::SeqCst) < broken {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            encrypt(&config, stream)
        });
        let server = Server::start_with(Reply::json("{}"), None, wrap).unwrap();
        let outcome = fire_hook(hook(http(&url(&server)), LONG), trusting(&authority)).await;
        assert_eq!(codes(&outcome), code.into_iter().collect::<Vec<_>>(), "{outcome:?}");
        assert_eq!((server.connections(), server.requests().len()), (2, 2 - broken));
    }
}

/// HT-41: the server may have acted before it said goodbye.
#[tokio::test]
async fn a_server_of_http_2_that_says_goodbye_is_not_asked_again() {
    let authority = authority();
    // An empty SETTINGS, then a GOAWAY that names no stream and no error.
    let goodbye = "\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let script = Reply { body: goodbye.to_owned(), manner: Manner::Raw, ..Reply::default() };
    let server = start(config(&authority, "localhost", false, &["h2"]), script);
    let outcome = fire_hook(hook(http(&url(&server)), LONG), trusting(&authority)).await;
    assert_fails(&outcome, "http-broken");
    assert_eq!((server.connections(), server.requests()[0].method.as_str()), (1, "PRI"));
}
