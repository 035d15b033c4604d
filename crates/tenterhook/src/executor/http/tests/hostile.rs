//! Servers that violate the protocol: whatever they send, a step ends in time, an answer belongs to
//! its request, and no denial is lost.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// A connection, as the script of a server sees it.
struct Line {
    stream: TcpStream,
    /// The number of the connection at its server, from 0.
    number: usize,
}

impl Line {
    /// Waits for any request.
    fn asked(&mut self) {
        let (mut request, mut piece) = (Vec::new(), [0; 4096]);
        // The requests of these tests all end like an envelope.
        while !request.ends_with(b"}\n") && !request.ends_with(b"}") {
            match self.stream.read(&mut piece) {
                Ok(0) | Err(_) => return,
                Ok(length) => request.extend_from_slice(&piece[..length]),
            }
        }
    }

    /// Sends the text, and ignores whether the client received it.
    fn send(&mut self, text: &str) {
        let _ = self.stream.write_all(text.as_bytes());
    }

    /// Sends the text again and again, with pauses in which the client can close the connection.
    fn drip(&mut self, text: &str) {
        self.stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        while self.stream.write_all(text.as_bytes()).is_ok() {
            if self.stream.read(&mut [0]).is_ok() {
                return;
            }
        }
    }

    /// Waits until the client closes the connection.
    fn wait(&mut self) {
        while self.stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {}
    }
}

/// A server whose connections each run the script. It ends with its last connection.
fn server(script: impl Fn(Line) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let script = Arc::new(script);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let script = Arc::clone(&script);
            std::thread::spawn(move || script(Line { stream, number }));
        }
    });
    address
}

fn at(address: SocketAddr, timeout: Duration) -> Hook {
    hook(http(&format!("http://{address}/")), timeout)
}

fn open(hook: Hook) -> Hook {
    Hook { on_failure: Some(OnFailure::Continue), ..hook }
}

fn reply(body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Sends one reply, and keeps the connection.
fn answers_with(text: String) -> SocketAddr {
    server(move |mut line| {
        line.asked();
        line.send(&text);
        line.wait();
    })
}

/// HT-1, HT-54: slow interim replies end with the deadline, floods of them as a reply that is too
/// long.
#[tokio::test]
async fn interim_replies_extend_nothing() {
    for code in ["100 Continue", "102 Processing", "103 Early Hints"] {
        let address = server(move |mut line| {
            line.asked();
            line.drip(&format!("HTTP/1.1 {code}\r\n\r\n"));
        });
        let outcome = fire_hook(at(address, SHORT), Network::default()).await;
        assert_fails(&outcome, "timed-out");
    }
    // One of them before the reply is ordinary use.
    let answered = format!("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n{}", reply(DENIAL));
    let outcome = fire_hook(at(answers_with(answered), LONG), Network::default()).await;
    assert_eq!((outcome.blocked(), codes(&outcome).len()), (true, 0), "{outcome:?}");
}

/// HT-50: a reply is complete when its length says so, whatever happens to the connection.
#[tokio::test]
async fn a_complete_reply_is_not_waited_on() {
    let length = DENIAL.len();
    let chunked = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n{DENIAL}\r\n0\r\n\r\n"
    );
    for text in [reply(DENIAL), chunked] {
        let hook = open(at(answers_with(text), LONG));
        let outcome = fire_hook(hook, Network::default()).await;
        assert_eq!((outcome.reason().as_deref(), codes(&outcome)), (Some("not today"), vec![]));
    }
}

/// HT-53
#[tokio::test]
async fn a_denial_that_came_before_the_deadline_counts() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    let unlike = "HTTP/1.1 500 Oops\r\ncontent-type: text/html\r\n";
    let long = format!("content-length: {}\r\n\r\n{DENIAL}", DENIAL.len() + 1);
    let chunk = format!("transfer-encoding: chunked\r\n\r\n{:x}\r\n{DENIAL}\r\n", DENIAL.len());
    let half = r#"content-length: 900

{"decision": "de"#;
    let allow = "content-length: 900\r\n\r\n{\"decision\": \"allow\"}".to_owned();
    for (head, body, restraint) in [
        (head, long.clone(), Restraint::Deny),
        (head, chunk, Restraint::Deny),
        (head, format!("\r\n{DENIAL}"), Restraint::Deny),
        (head, half.to_owned(), Restraint::Silent),
        (head, allow, Restraint::Silent),
        (unlike, long, Restraint::Deny),
    ] {
        let address = answers_with(format!("{head}{body}"));
        let outcome = fire_hook(open(at(address, SHORT)), Network::default()).await;
        assert_eq!(outcome.restraint, restraint, "{body}: {outcome:?}");
        assert!(!codes(&outcome).is_empty(), "{body}");
    }
}

/// HT-43, HT-42: whatever a server does to a kept connection after its reply, the next request uses
/// a different one.
#[tokio::test]
async fn a_kept_connection_is_looked_at_before_it_is_used_again() {
    let silence = reply("{}");
    let behind = silence.clone() + &reply(r#"{"decision": "allow"}"#);
    type After = fn(&mut Line);
    let ways: [(&str, String, After); 5] = [
        ("a second reply, later", silence.clone(), |line| line.send(&reply("{}"))),
        ("a second reply, at once", behind, |_| {}),
        ("a byte", silence.clone(), |line| line.send("\n")),
        ("the end", silence.clone(), |line| drop(line.stream.shutdown(Shutdown::Both))),
        ("half an end", silence, |line| drop(line.stream.shutdown(Shutdown::Write))),
    ];
    for (way, text, after) in ways {
        let (go, signal): (Sender<()>, Receiver<()>) = channel();
        let (done, over) = channel();
        let (signal, done) = (Mutex::new(signal), Mutex::new(done));
        let address = server(move |mut line| {
            line.asked();
            if line.number == 0 {
                line.send(&text);
                signal.lock().unwrap().recv().unwrap();
                after(&mut line);
                done.lock().unwrap().send(()).unwrap();
            } else {
                line.send(&reply(DENIAL));
            }
            line.wait();
        });
        let engine = engine_of(open(at(address, LONG)), Network::default());
        let first = engine.fire(event(), &Session::default()).await;
        assert_eq!((first.restraint, codes(&first)), (Restraint::Silent, vec![]), "{way}");
        go.send(()).unwrap();
        over.recv().unwrap();
        let second = engine.fire(event(), &Session::default()).await;
        assert_eq!((second.restraint, codes(&second)), (Restraint::Deny, vec![]), "{way}");
    }
}

/// HT-50: a reply that is not HTTP/1.1, or has two lengths, is no answer, and is not retried.
#[tokio::test]
async fn a_reply_that_contradicts_itself_is_a_failure() {
    for text in [
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n{}",
        "{}",
        "\0\0\0\x04\0\0\0\0\0",
    ] {
        let asked = Arc::new(Mutex::new(0));
        let counter = Arc::clone(&asked);
        let address = server(move |mut line| {
            line.asked();
            *counter.lock().unwrap() += 1;
            line.send(text);
            // Some of them become complete, or wrong, at the end of the connection.
            let _ = line.stream.shutdown(Shutdown::Write);
            line.wait();
        });
        let outcome = fire_hook(at(address, LONG), Network::default()).await;
        assert_fails(&outcome, "http-broken");
        assert_eq!(*asked.lock().unwrap(), 1, "{text}");
    }
    let switching = "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n";
    let outcome = fire_hook(at(answers_with(switching.to_owned()), LONG), Network::default()).await;
    assert_fails(&outcome, "http-status");
}

/// HT-15
#[tokio::test]
async fn server_without_encryption_receives_nothing() {
    let address = server(|mut line| {
        line.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        line.wait();
    });
    let url = format!("https://localhost:{}/", address.port());
    assert_fails(&fire_hook(hook(http(&url), LONG), Network::default()).await, "http-tls");
}
