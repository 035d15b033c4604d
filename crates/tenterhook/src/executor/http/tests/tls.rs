//! Encrypted connections: which servers get a secret, and which connections are kept. Certificates
//! are created for each run, so none expires.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tenterhook_testkit::server::{Stream, Wrap};

use super::*;

/// The authority of these tests.
fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// The TLS configuration of a server.
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
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
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
async fn server_without_a_valid_certificate_receives_no_secret() {
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

/// HT-40: the first connection broke before any byte of the request was sent.
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

/// HT-2: a server without HTTP/1.1 is detected before it gets a secret.
#[tokio::test]
async fn server_with_only_http_2_gets_no_request() {
    let authority = authority();
    let server = start(config(&authority, "localhost", false, &["h2"]), Reply::json("{}"));
    let outcome = fire_hook(hook(http(&url(&server)), LONG), trusting(&authority)).await;
    assert_fails(&outcome, "http-tls");
    assert_eq!((server.connections(), server.requests().len()), (1, 0));
}

/// HT-42
#[tokio::test]
async fn an_encrypted_connection_is_kept_and_shared() {
    let authority = authority();
    let server = start(config(&authority, "localhost", false, &["http/1.1"]), Reply::json("{}"));
    let engine = engine_of(hook(http(&url(&server)), LONG), trusting(&authority));
    for _ in 0..3 {
        assert_eq!(codes(&engine.fire(event(), &Session::default()).await), [""; 0]);
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 1));
}

/// Data that a server sends on an encrypted connection long after its reply.
type Late = fn(&mut StreamOwned<ServerConnection, TcpStream>);

/// A connection that sends late data on a signal, and signals when that is done.
struct Tardy {
    stream: StreamOwned<ServerConnection, TcpStream>,
    replied: bool,
    late: Late,
    signal: Arc<Mutex<Receiver<()>>>,
    done: Sender<()>,
}

impl Read for Tardy {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.replied) && self.signal.lock().unwrap().recv().is_ok() {
            (self.late)(&mut self.stream);
            self.stream.flush()?;
            self.done.send(()).unwrap();
        }
        self.stream.read(buf)
    }
}

impl Write for Tardy {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.replied = true;
        self.stream.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// HT-42, HT-43: key updates of the encryption do not disturb the connection; its end and unasked
/// data do.
#[tokio::test]
async fn a_kept_connection_may_renew_its_keys() {
    let ways: [(&str, Late, usize); 3] = [
        ("new keys", |stream| stream.conn.refresh_traffic_keys().unwrap(), 1),
        ("an end", |stream| stream.conn.send_close_notify(), 2),
        ("a byte", |stream| stream.write_all(b"\n").unwrap(), 2),
    ];
    let authority = authority();
    for (way, late, connections) in ways {
        let config = config(&authority, "localhost", false, &[]);
        let (go, signal) = channel();
        let (done, over) = channel();
        let signal = Arc::new(Mutex::new(signal));
        let wrap: Box<Wrap> = Box::new(move |stream| {
            let connection =
                ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
            let stream = StreamOwned::new(connection, stream);
            let (signal, done) = (Arc::clone(&signal), done.clone());
            Ok(Box::new(Tardy { stream, replied: false, late, signal, done }))
        });
        let server = Server::start_with(Reply::json("{}"), None, wrap).unwrap();
        // The server ends when no sender can signal it any more.
        let go = go;
        let engine = engine_of(hook(http(&url(&server)), LONG), trusting(&authority));
        assert_eq!(codes(&engine.fire(event(), &Session::default()).await), [""; 0], "{way}");
        go.send(()).unwrap();
        over.recv().unwrap();
        assert_eq!(codes(&engine.fire(event(), &Session::default()).await), [""; 0], "{way}");
        assert_eq!((server.requests().len(), server.connections()), (2, connections), "{way}");
    }
}
