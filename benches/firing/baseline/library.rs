//! The same request through the HTTP library that the engine uses, without the engine: what is the library's, what ours?

use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// One connection of the library's, and what is posted on it.
pub(crate) struct Library {
    sender: http1::SendRequest<Full<Bytes>>,
    address: SocketAddr,
    body: Bytes,
}

impl Library {
    /// Connects to `address` as the library's own pages show it, with the connection in a separate task; `None` where that
    /// fails.
    pub(crate) async fn connect(address: SocketAddr, body: Vec<u8>) -> Option<Self> {
        let socket = TcpStream::connect(address).await.ok()?;
        socket.set_nodelay(true).ok()?;
        let (sender, connection) = http1::handshake(TokioIo::new(socket)).await.ok()?;
        // It ends with its sender.
        tokio::spawn(connection);
        Some(Self { sender, address, body: body.into() })
    }

    /// One request and its reply; how long that is.
    pub(crate) async fn turn(&mut self) -> Option<usize> {
        self.sender.ready().await.ok()?;
        let request = Request::post("/")
            .header("host", self.address.to_string())
            .header("content-type", "application/json")
            .body(Full::new(self.body.clone()))
            .ok()?;
        let reply = self.sender.send_request(request).await.ok()?;
        Some(reply.into_body().collect().await.ok()?.to_bytes().len())
    }
}
