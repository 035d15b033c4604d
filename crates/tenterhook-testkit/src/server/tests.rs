//! Whether a scripted server says what its script says, and keeps what it was asked.

use super::*;

fn ask(stream: &mut TcpStream, body: &str) -> String {
    let head = format!(
        "POST /x?y HTTP/1.1\r\nHost: h\r\nX-A: b\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut said = vec![0; 4096];
    let length = stream.read(&mut said).unwrap();
    String::from_utf8_lossy(&said[..length]).into_owned()
}

fn connected(script: Reply) -> (Server, TcpStream) {
    let server = Server::start(script).unwrap();
    let stream = TcpStream::connect(server.address()).unwrap();
    (server, stream)
}

#[test]
fn replies_come_in_order_or_by_what_was_asked() {
    let by_text = Reply { contains: "rm".to_owned(), ..Reply::status(500) };
    let script = Reply {
        when: vec![by_text],
        then: vec![Reply::status(204), Reply::json("{}")],
        ..Reply::default()
    };
    let (server, mut stream) = connected(script);
    let said = ["a", "rm", "b", "c"].map(|body| ask(&mut stream, body));
    let status = said.each_ref().map(|text| text.split(' ').nth(1).unwrap());
    assert_eq!(status, ["204", "500", "200", "200"]);
    assert!(said[3].ends_with("content-type: application/json\r\ncontent-length: 2\r\n\r\n{}"));
    assert!(server.asked(4));
    let requests = server.requests();
    let Request { method, path, headers, body } = &requests[1];
    assert_eq!((method.as_str(), path.as_str(), body.as_str()), ("POST", "/x?y", "rm"));
    assert_eq!(headers["x-a"], "b");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_reply_can_be_closed_reset_or_torn() {
    let said = |manner| {
        let (_server, mut stream) = connected(Reply::json("{}").manner(manner));
        stream.write_all(b"POST / HTTP/1.1\r\n\r\n").unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).map(|_| said)
    };
    assert_eq!(said(Manner::Closed).unwrap(), "");
    assert!(said(Manner::Torn).unwrap().ends_with("content-length: 3\r\n\r\n{}"));
    let reset = said(Manner::Reset).unwrap_err();
    assert_eq!(reset.kind(), io::ErrorKind::ConnectionReset);
}

#[test]
fn what_never_ends_ends_with_the_server() {
    use Manner::{DripBody, DripHead, Endless, Interim, Mute, Unended};
    for manner in [Mute, Unended, Endless, Interim, DripHead, DripBody] {
        let (server, mut stream) = connected(Reply::json("{}").manner(manner));
        stream.write_all(b"POST / HTTP/1.1\r\n\r\n").unwrap();
        assert!(server.asked(1));
        drop(server);
        // The connection ends, whatever was sent before.
        let _ = io::copy(&mut stream, &mut io::sink());
    }
}
