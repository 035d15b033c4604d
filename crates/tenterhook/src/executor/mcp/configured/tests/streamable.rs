//! Servers at an address that use streams, keep sessions, or misbehave: the result of the call, and
//! of the next one.

use tenterhook_testkit::server::{Manner, Reply as Says, Server as Scripted};

use super::address::{HELLO, at, responding};
use super::*;

const TOKEN: &[&str] = &["TOKEN"];

/// A message that answers nothing.
const NOTHING: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"WORDS"}}"#;

fn answer(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"hello"}}]}}}}"#
    )
}

/// These messages as a stream.
fn stream(messages: &[&str]) -> Says {
    let events: String =
        messages.iter().map(|message| format!("event: message\ndata: {message}\n\n")).collect();
    responding("", 200, &format!(": a comment\n\n{events}"))
        .header("content-type", "text/event-stream")
}

/// Completes the handshake with a session, accepts notifications, and replies to calls with one of
/// `calls` after the other.
fn keeping_a_session(calls: &[Says]) -> Scripted {
    let when = vec![
        responding("\"method\":\"initialize\"", 200, HELLO).header("mcp-session-id", "s-1"),
        responding("\"method\":\"notifications/", 202, ""),
        Says { then: calls.to_vec(), ..responding("\"method\":\"tools/call\"", 500, "") },
    ];
    Scripted::start(Says { when, ..responding("", 405, "") }).expect("a port")
}

fn times(scripted: &Scripted, word: &str) -> usize {
    scripted.requests().iter().filter(|request| request.body.contains(word)).count()
}

/// Waits until the server received a request that is `wanted`.
async fn sent(scripted: &Scripted, wanted: impl Fn(&tenterhook_testkit::server::Request) -> bool) {
    let sent = async {
        while !scripted.requests().iter().any(&wanted) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, sent).await.expect("it is sent in time");
}

/// MC-8.
/// MC-15.
#[tokio::test]
async fn an_answer_may_come_in_a_stream_behind_other_messages() {
    let scripted = keeping_a_session(&[stream(&[NOTHING, &answer(1)]), stream(&[&answer(2)])]);
    let servers = at(&scripted.url(), TOKEN);
    for _ in 0..2 {
        assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    }
    assert_eq!([times(&scripted, "\"initialize\""), times(&scripted, "tools/call")], [1, 2]);
}

/// MC-17: whichever of two replies a denial is in, and whatever is between them.
#[tokio::test]
async fn two_replies_in_one_stream_are_both_ignored() {
    let other = answer(1).replace("hello", "other");
    let scripted =
        keeping_a_session(&[stream(&[&answer(1), NOTHING, &other]), stream(&[&answer(2)])]);
    let servers = at(&scripted.url(), TOKEN);
    let reply = ask(&servers, "say").await.expect("a reply");
    assert!(reply.is_error, "{reply:?}");
    let said = texts(Ok(reply));
    assert!(said[0].contains("twice"), "{said:?}");
    assert_eq!(said[1..], ["hello", "other"]);
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
}

/// MC-17: the same without a stream, one after the other and in an array.
#[tokio::test]
async fn two_replies_in_one_body_are_both_ignored() {
    let other = answer(1).replace("hello", "other");
    for body in [format!("{}\n{other}", answer(1)), format!("[{},{other}]", answer(1))] {
        let scripted =
            keeping_a_session(&[responding("", 200, &body), responding("", 200, &answer(2))]);
        let servers = at(&scripted.url(), TOKEN);
        let reply = ask(&servers, "say").await.expect("a reply");
        assert!(reply.is_error, "{reply:?}");
        let said = texts(Ok(reply));
        assert!(said[0].contains("twice"), "{said:?}");
        assert_eq!(said[1..], ["hello", "other"]);
        assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    }
}

/// MC-15: with every line ending, data on several lines, and comments and ids between.
#[tokio::test]
async fn answer_in_a_stream_is_read_however_the_stream_is_written() {
    let data = answer(1).replace(",\"result\"", ",\r\ndata: \"result\"");
    let events = format!(": hello\r\nid: 1\r\n\r\nevent: message\r\nid: 2\r\ndata: {data}\r\n\r\n");
    let scripted = keeping_a_session(&[Says { body: events, ..stream(&[]) }]);
    assert_eq!(texts(ask(&at(&scripted.url(), TOKEN), "say").await), ["hello"]);
}

/// MC-20.
#[tokio::test]
async fn ping_in_a_stream_is_answered() {
    let ping = r#"{"jsonrpc":"2.0","id":"s-1","method":"ping"}"#;
    let scripted = keeping_a_session(&[stream(&[ping, &answer(1)])]);
    let servers = at(&scripted.url(), TOKEN);
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    let pong = r#"{"jsonrpc":"2.0","id":"s-1","result":{}}"#;
    sent(&scripted, |request| request.body == pong).await;
}

/// Answers calls with `call` and requests for a stream with `stream`; keeps no session.
fn without_session(call: Says, stream: Says) -> Scripted {
    let when = vec![
        responding("\"method\":\"initialize\"", 200, HELLO),
        responding("\"method\":\"notifications/", 202, ""),
        Says { contains: "tools/call".to_owned(), ..call },
    ];
    Scripted::start(Says { when, ..stream }).expect("a port")
}

/// MC-21.
#[tokio::test]
async fn stream_that_ends_before_its_answer_is_resumed_after_its_last_event() {
    let begun = |retry: &str| Says { body: format!("id: 7{retry}\ndata:\n\n"), ..stream(&[]) };
    for (begun, is_resumed) in [
        (begun("\nretry: 1"), true),
        (begun("").manner(Manner::Torn), true),
        (begun(""), false),
        (Says { body: "retry: 1\n\n".into(), ..stream(&[]) }, false),
    ] {
        let scripted = without_session(begun, stream(&[&answer(1)]));
        let asked = ask(&at(&scripted.url(), TOKEN), "say").await;
        let requests = scripted.requests();
        let last = requests.iter().filter_map(|request| request.headers.get("last-event-id"));
        let last: Vec<&str> = last.map(String::as_str).collect();
        if is_resumed {
            assert_eq!((texts(asked), last), (vec!["hello".to_owned()], vec!["7"]));
        } else {
            let fault = asked.expect_err("it is not resumed");
            assert!(fault.why.contains("its answer broke off") && last.is_empty(), "{fault}");
        }
    }
}

/// MC-21.
#[tokio::test]
async fn call_that_is_only_accepted_fails_without_a_session() {
    for status in [202, 204] {
        let scripted = without_session(Says::status(status), responding("", 405, ""));
        let fault = ask(&at(&scripted.url(), TOKEN), "say").await.expect_err("no answer");
        assert!(fault.why.contains("its answer broke off"), "{fault}");
    }
}

/// MC-43.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_named_in_each_request_and_left_at_the_end() {
    let scripted = keeping_a_session(&[stream(&[&answer(1)])]);
    let servers = at(&scripted.url(), TOKEN);
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    drop(servers);
    sent(&scripted, |request| request.method == "DELETE").await;
    for request in scripted.requests() {
        let header = |name: &str| request.headers.get(name).map(String::as_str);
        let is_first = request.body.contains("\"method\":\"initialize\"");
        let after = |text| (!is_first).then_some(text);
        assert_eq!(header("mcp-session-id"), after("s-1"), "{request:?}");
        assert_eq!(header("mcp-protocol-version"), after("2025-06-18"), "{request:?}");
        assert_eq!(header("authorization"), Some("Bearer s3cret-token"), "{request:?}");
    }
}

/// MC-43: a restarted server reports this.
#[tokio::test]
async fn a_session_that_is_forgotten_is_begun_anew_by_the_next_call() {
    let scripted = keeping_a_session(&[responding("", 404, ""), responding("", 200, &answer(1))]);
    let servers = at(&scripted.url(), TOKEN);
    let fault = ask(&servers, "say").await.expect_err("it forgot");
    assert!(fault.why.contains("knows our session no more"), "{fault}");
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    assert_eq!([times(&scripted, "\"initialize\""), times(&scripted, "tools/call")], [2, 2]);
}

/// MC-15: the status alone does not end the session.
#[tokio::test]
async fn one_bad_reply_costs_one_call() {
    let scripted = keeping_a_session(&[responding("", 503, ""), responding("", 200, &answer(2))]);
    let servers = at(&scripted.url(), TOKEN);
    ask(&servers, "say").await.expect_err("it is busy");
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    assert_eq!(times(&scripted, "\"initialize\""), 1);
}

/// MC-7, MC-16, MC-22: no call is sent twice, no redirect is followed, and the server's secrets do
/// not appear.
/// MC-15.
#[tokio::test]
async fn whatever_a_server_at_an_address_does_wrong_is_a_fault() {
    use CallFaultKind::{NotConnected, Protocol};
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no s3cret-token"}}"#;
    let failed = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"it failed"}}"#;
    let challenge =
        |status| responding("", status, "").header("www-authenticate", "Bearer realm=\"x\"");
    let long = NOTHING.replace("WORDS", &"x".repeat(1 << 16));
    for (call, kind, words) in [
        (
            responding("", 400, "what s3cret-token?"),
            NotConnected,
            "HTTP 400 Bad Request: what ***?",
        ),
        (responding("", 400, error), Protocol, "the error -32600: no ***"),
        (responding("", 500, failed), Protocol, "the error -32603: it failed"),
        (
            responding("", 400, &error.replace(":1,", ":null,")),
            Protocol,
            "the error -32600: no ***",
        ),
        (
            responding("", 200, &error.replace(":1,", ":null,")),
            Protocol,
            "the error -32600: no ***",
        ),
        (responding("", 200, r#"{"jsonrpc":"2.0","id":1,"error":{}}"#), Protocol, "the error 0"),
        (responding("", 200, &answer(77)), NotConnected, "its answer broke off"),
        (
            responding("", 200, &answer(1).replace(":1,", ":\"a\",")),
            NotConnected,
            "its answer broke off",
        ),
        (
            responding("", 200, &answer(1).replacen('{', r#"{"id":1,"#, 1)),
            NotConnected,
            "unrecognized",
        ),
        (responding("", 405, ""), NotConnected, "HTTP 405"),
        (responding("", 401, ""), NotConnected, "HTTP 401"),
        (challenge(401), NotConnected, "the status 401; give it an `Authorization` header"),
        (challenge(403), NotConnected, "the status 403"),
        (responding("", 429, ""), NotConnected, "the status 429"),
        (responding("", 503, ""), NotConnected, "the status 503"),
        (
            responding("", 307, "").header("location", "http://127.0.0.1:1/"),
            NotConnected,
            "HTTP 307",
        ),
        (responding("", 200, "").header("content-type", "text/html"), NotConnected, "text/html"),
        (responding("", 200, "").manner(Manner::Closed), NotConnected, "connection closed"),
        (responding("", 200, "{}").manner(Manner::Torn), NotConnected, "end of file"),
        (
            responding("", 200, " ").manner(Manner::Endless),
            NotConnected,
            "exceeded the maximum size",
        ),
        (stream(&[]), NotConnected, "its answer broke off"),
        (stream(&[NOTHING]), NotConnected, "its answer broke off"),
        (stream(&[NOTHING]).manner(Manner::Torn), NotConnected, "its answer broke off"),
        (stream(&["no json"]), NotConnected, "its answer broke off"),
        (stream(&[&long]).manner(Manner::Endless), Protocol, "too many messages"),
        (
            Says { body: "data: x".into(), ..stream(&[]).manner(Manner::Endless) },
            NotConnected,
            "its answer broke off",
        ),
    ] {
        let scripted = keeping_a_session(&[call]);
        let fault = ask(&at(&scripted.url(), TOKEN), "say").await.expect_err(words);
        assert_eq!(fault.kind, kind, "{words}: {fault}");
        assert!(fault.why.contains(words), "{words}: {fault}");
        let shown = fault.why.contains("s3cret") || fault.why.contains(&scripted.url());
        assert!(!shown, "{fault}");
        assert_eq!(times(&scripted, "tools/call"), 1, "{words}");
    }
}

/// MC-10.
#[tokio::test]
async fn a_call_that_is_given_up_at_an_address_is_cancelled_and_three_are_a_hang() {
    let mute = responding("", 200, "").manner(Manner::Mute);
    let scripted = keeping_a_session(&[mute]);
    let servers = at(&scripted.url(), TOKEN);
    for call in 1..=3 {
        let input = Map::new();
        let deadline = Instant::now() + LONG;
        let calling = servers.call(Call {
            server: "fake",
            tool: "hang",
            input: &input,
            deadline,
            sandbox: None,
        });
        let is_asked = sent(&scripted, |request| {
            request.body.contains("tools/call") && times(&scripted, "tools/call") == call
        });
        tokio::select! {
            _ = calling => panic!("it hangs"),
            () = is_asked => {}
        }
        // The third one is a hang, and the server only receives the end of the session.
        let cancelled = format!("\"requestId\":{call}");
        let is_left = |method: &str| call == 3 && method == "DELETE";
        sent(&scripted, |request| request.body.contains(&cancelled) || is_left(&request.method))
            .await;
        assert_eq!(times(&scripted, "\"initialize\""), 1);
    }
    let input = Map::new();
    let deadline = Instant::now() + LONG;
    let again =
        servers.call(Call { server: "fake", tool: "hang", input: &input, deadline, sandbox: None });
    tokio::select! {
        _ = again => panic!("it hangs"),
        () = sent(&scripted, |_| times(&scripted, "\"initialize\"") == 2) => {}
    }
}

/// MC-41: the bound also holds if no call waits.
#[tokio::test]
async fn server_that_floods_its_own_stream_is_disconnected() {
    let long = NOTHING.replace("WORDS", &"x".repeat(1 << 16));
    let flood = stream(&[&long]).manner(Manner::Endless);
    let when = vec![
        responding("\"method\":\"initialize\"", 200, HELLO).header("mcp-session-id", "s-1"),
        responding("\"method\":\"notifications/", 202, ""),
        Says { contains: "tools/call".into(), ..responding("", 200, "").manner(Manner::Mute) },
    ];
    let scripted = Scripted::start(Says { when, ..flood }).expect("a port");
    let servers = at(&scripted.url(), TOKEN);
    let fault = ask(&servers, "say").await.expect_err("it was left");
    assert!(fault.why.contains("too many messages"), "{fault}");
}

/// MC-7, MC-16: no server at the address, or one that does not speak MCP.
#[tokio::test]
async fn failed_handshake_reports_why() {
    let closed = Scripted::start(Says::default()).expect("a port").url();
    let fault = ask(&at(&format!("{closed}/?key=s3cret-token"), TOKEN), "say")
        .await
        .expect_err("no server");
    assert!(fault.why.contains("it cannot be asked") && !fault.why.contains("s3cret"), "{fault}");
    for (reply, words) in [
        (responding("", 200, "{}"), "unrecognized JSON-RPC message"),
        (responding("", 404, "no s3cret-token"), "HTTP 404 Not Found: no ***"),
    ] {
        let scripted = Scripted::start(reply).expect("a port");
        let fault = ask(&at(&scripted.url(), TOKEN), "say").await.expect_err(words);
        assert_eq!(fault.kind, CallFaultKind::NotConnected);
        assert!(fault.why.contains(words), "{words}: {fault}");
    }
}
