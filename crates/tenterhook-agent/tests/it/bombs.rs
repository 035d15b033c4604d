//! A model's answer that is small on its way and gigabytes once it is unpacked: it is not unpacked, whatever it says of itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use flate2::{Compress, Compression, FlushCompress};

use crate::fixture::{Fixture, Run};

/// So many pieces of a MiB it grows to.
const PIECES: usize = 4096;
/// What a program may hold that unpacked none of it, in KiB: an eighth of the answer.
const MOST: u64 = 512 << 10;

/// A gzip stream of four GiB of events: one compressed piece, which begins anew each time, again and again.
fn bomb() -> Vec<u8> {
    let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    let plain = event.repeat((1 << 20) / event.len());
    let mut piece = Vec::with_capacity(64 << 10);
    let mut compress = Compress::new(Compression::best(), false);
    compress.compress_vec(plain.as_bytes(), &mut piece, FlushCompress::Full).unwrap();
    assert!(piece.len() < 16 << 10, "{}", piece.len());
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    head.iter().copied().chain(piece.repeat(PIECES)).collect()
}

/// A service that says this head and this body to everybody, for as long as the test runs.
fn service(head: &'static str, body: Arc<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let body = Arc::clone(&body);
            // A client that hangs up has read enough.
            std::thread::spawn(move || drop(answer(stream, head, &body)));
        }
    });
    format!("http://{address}")
}

fn answer(stream: TcpStream, head: &str, body: &[u8]) -> std::io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?);
    let mut long = 0;
    loop {
        let mut line = String::new();
        request.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        let length = line.to_ascii_lowercase();
        let length = length.strip_prefix("content-length:").map(|rest| rest.trim().parse());
        long = length.and_then(Result::ok).unwrap_or(long);
    }
    std::io::copy(&mut request.take(long), &mut std::io::sink())?;
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {head}\r\nconnection: close\r\n\r\n")?;
    stream.write_all(body)
}

fn asked(head: &'static str, body: &Arc<Vec<u8>>) -> (Run, String) {
    let url = service(head, Arc::clone(body));
    let env = [("OPENAI_API_KEY", "sk-test-0123456789"), ("OPENAI_BASE_URL", &*url)];
    let fixture = Fixture::with_model("", "openai::some-model", &env);
    let mut run = fixture.start(&[]);
    run.prompt("greet me");
    let ended = run.wait_for("turn_ended");
    (run, ended.get("error").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned())
}

/// AG-21.
#[test]
fn an_answer_that_would_grow_to_gigabytes_is_not_unpacked() {
    let bomb = Arc::new(bomb());
    for (head, words) in [
        ("200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip", "is compressed"),
        (
            "200 OK\r\ncontent-type: text/event-stream\r\nContent-Encoding: x-gzip, identity",
            "is compressed",
        ),
        ("200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: gzip", ""),
        ("200 OK\r\ncontent-type: text/event-stream", ""),
        ("200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip", "is compressed"),
        ("400 Bad Request\r\ncontent-type: application/json\r\ncontent-encoding: gzip", ""),
    ] {
        let (mut run, error) = asked(head, &bomb);
        assert!(!error.is_empty() && error.contains(words), "{head}: {error:?}");
        assert!(error.len() < 1000 && !error.contains('\u{1f}'), "{head}: {error:?}");
        if let Some(peak) = run.peak() {
            assert!(peak < MOST, "{head}: {peak} KiB");
        }
        run.end();
    }
}

/// AG-23: also where it comes so slowly, or so often, that no bound is met.
#[test]
fn interrupt_during_a_compressed_answer_ends_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, begun) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().flatten() {
            // What answers before it was asked is a fault of the server's, and not what is tried here.
            let head = BufReader::new(&stream).lines().map_while(Result::ok);
            head.take_while(|line| !line.is_empty()).for_each(drop);
            // The head alone and the first bytes; then silence.
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\u{1f}";
            let _ = stream.write_all(head.as_bytes());
            let _ = sender.send(());
            open.push(stream);
        }
    });
    let env = [("OPENAI_API_KEY", "sk-test-0123456789"), ("OPENAI_BASE_URL", &*url)];
    let fixture = Fixture::with_model("", "openai::some-model", &env);
    let mut run = fixture.start(&[]);
    run.prompt("greet me");
    begun.recv().unwrap();
    run.send_line(serde_json::json!({"type": "interrupt"}));
    assert_eq!(run.wait_for("turn_ended")["error"], "interrupted");
    run.end();
}
