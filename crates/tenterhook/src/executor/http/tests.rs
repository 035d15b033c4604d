//! Misbehaving servers: each is a failure with its code, within the budget, and no secret reaches a
//! second server. Covers every way of row 61 of the zoo, each with a real server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tenterhook_testkit::Server;
use tenterhook_testkit::server::{Manner, Reply};

use super::Network;
use crate::engine::Engine;
use crate::executor::Ambient;
use crate::session::Session;
use tenterhook_core::answer::{Powers, Restraint};
use tenterhook_core::dialect::{DialectId, EventRow};
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::{Hook, HookId, Http, Interpolation, OnFailure, Run, Wait};
use tenterhook_core::outcome::Outcome;

mod connections;
mod hostile;
mod tls;

const EVENT: &str = "deploy.before";
const SECRET: &str = "s3cret-token";
const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const DENIAL: &str = r#"{"decision": "deny", "reason": "not today"}"#;

/// Long enough for any machine.
const LONG: Duration = Duration::from_secs(60);
/// The budget for a server that never ends.
const SHORT: Duration = Duration::from_millis(200);

fn row() -> EventRow {
    let mut row = EventRow::custom(EVENT);
    row.powers = Powers::ALL;
    row.timeout = LONG;
    row.failure = OnFailure::Block;
    row
}

fn http(url: &str) -> Http {
    Http {
        url: url.to_owned(),
        headers: vec![("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned())],
        variables: vec!["TOKEN".to_owned()],
        secret: Some("KEY".to_owned()),
        interpolation: Interpolation::STRICT,
    }
}

fn hook(http: Http, timeout: Duration) -> Hook {
    let hook = Hook::new(HookId::new("remote"), DialectId::NATIVE, EVENT.into(), Run::Http(http));
    Hook { timeout: Some(timeout), ..hook }
}

fn ambient(network: Network) -> Ambient {
    let env = [("TOKEN", SECRET), ("KEY", KEY), ("EMPTY", "")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Ambient { env, network, ..Ambient::default() }
}

fn engine_of(hook: Hook, network: Network) -> Engine {
    Engine::builder().event(row()).hook(hook).ambient(ambient(network)).build().0
}

fn event() -> Event {
    Event::new(EVENT, Surroundings::at("/")).with("branch", "main")
}

async fn fire_hook(hook: Hook, network: Network) -> Outcome {
    engine_of(hook, network).fire(event(), &Session::default()).await
}

async fn fire(url: &str) -> Outcome {
    fire_hook(hook(http(url), LONG), Network::default()).await
}

/// The outcome of a reply.
async fn reply(reply: Reply) -> Outcome {
    let server = Server::start(reply).unwrap();
    fire(&server.url()).await
}

/// The codes of an outcome, whose messages hold no secret.
fn codes(outcome: &Outcome) -> Vec<&'static str> {
    for secret in [SECRET, KEY] {
        assert!(!format!("{outcome:?}").contains(secret), "{outcome:?}");
    }
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

/// A gate that failed with this code blocks.
#[track_caller]
fn assert_fails(outcome: &Outcome, code: &str) {
    assert_eq!(codes(outcome), [code], "{outcome:?}");
    assert!(outcome.blocked(), "{outcome:?}");
}

/// HT-2, HT-20, HT-30
#[tokio::test]
async fn a_server_is_handed_the_envelope_with_headers_and_signature() {
    let server = Server::start(Reply::json(DENIAL)).unwrap();
    let outcome = fire(&format!("{}/gate?x=1", server.url())).await;
    assert_eq!(outcome.reason().as_deref(), Some("not today"));
    assert_eq!(codes(&outcome), [""; 0]);
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/gate?x=1"));
    let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!((&body["event"], &body["data"]["branch"]), (&EVENT.into(), &"main".into()));
    let header = |name: &str| request.headers[name].as_str();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(header("accept-encoding"), "identity");
    assert_eq!(header("authorization"), format!("Bearer {SECRET}"));
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp").parse().unwrap());
    let signature =
        super::signature::webhook_signatures(KEY, id, timestamp, request.body.as_bytes());
    assert_eq!(Some(header("webhook-signature")), signature.as_deref());
}

/// HT-50
#[tokio::test]
async fn empty_reply_is_silence_and_object_is_an_answer() {
    for quiet in [Reply::status(204), Reply::status(200), Reply::json("{}"), Reply::status(202)] {
        let outcome = reply(quiet).await;
        assert_eq!((outcome.restraint, codes(&outcome).len()), (Restraint::Silent, 0));
    }
    assert_eq!(reply(Reply::json(r#"{"decision": "ask"}"#)).await.restraint, Restraint::Ask);
}

/// HT-50, HT-51, HT-52, HT-54
#[tokio::test]
async fn reply_that_is_no_answer_fails_with_its_code() {
    let html = Reply { body: "<html>deny</html>".to_owned(), ..Reply::default() };
    let gzip = Reply::json("\u{1f}zzz").header("content-encoding", "gzip");
    let large = Reply::json("{").header("content-length", "10737418240");
    for (said, code) in [
        (html.clone().header("content-type", "text/html"), "http-not-json"),
        (html, "http-not-json"),
        (Reply::json("[]"), "http-not-json"),
        (Reply::status(429).header("retry-after", "31536000"), "http-limited"),
        (Reply::status(410), "http-gone"),
        (Reply::status(403), "http-status"),
        (Reply::status(500), "http-status"),
        (gzip, "http-encoding"),
        (large, "http-too-large"),
        (Reply::json("{ ").manner(Manner::Endless), "http-too-large"),
        (Reply::json("{}").manner(Manner::Interim), "http-too-large"),
        (Reply::json("{}").header("x-long", &"x".repeat(256 << 10)), "http-broken"),
        (Reply::json("{}").header("webhook-id", "msg_of_another"), "http-stale"),
    ] {
        assert_fails(&reply(said).await, code);
    }
}

/// HT-51: a status alone never denies, and without a failure policy it decides nothing.
#[tokio::test]
async fn a_status_alone_is_no_denial() {
    let server = Server::start(Reply::status(403)).unwrap();
    let open = Hook { on_failure: Some(OnFailure::Continue), ..hook(http(&server.url()), LONG) };
    let outcome = fire_hook(open, Network::default()).await;
    assert_eq!((outcome.restraint, codes(&outcome)), (Restraint::Silent, vec!["http-status"]));
}

/// HT-53
#[tokio::test]
async fn a_denial_counts_at_any_status_and_a_consent_at_none() {
    for status in [403, 500, 301] {
        for (body, restraint) in
            [(DENIAL, Restraint::Deny), (r#"{"decision": "allow"}"#, Restraint::Silent)]
        {
            let server = Server::start(Reply { status, ..Reply::json(body) }).unwrap();
            let open =
                Hook { on_failure: Some(OnFailure::Continue), ..hook(http(&server.url()), LONG) };
            let outcome = fire_hook(open, Network::default()).await;
            assert_eq!(outcome.restraint, restraint, "{status} {body}: {outcome:?}");
            assert!(!codes(&outcome).is_empty());
        }
    }
}

/// HT-14
#[tokio::test]
async fn no_redirect_is_followed_and_no_second_server_gets_a_secret() {
    let second = Server::start(Reply::json("{}")).unwrap();
    for to in ["http://169.254.169.254/latest/meta-data/".to_owned(), second.url()] {
        for status in [301, 302, 303, 307, 308] {
            let first = Server::start(Reply::status(status).header("location", &to)).unwrap();
            assert_fails(&fire(&first.url()).await, "http-redirect");
            assert_eq!(first.requests().len(), 1);
        }
    }
    assert_eq!(second.connections(), 0);
}

/// HT-1
#[tokio::test]
async fn one_deadline_covers_every_way_of_being_slow() {
    for manner in [Manner::DripHead, Manner::DripBody, Manner::Unended, Manner::Mute] {
        let server = Server::start(Reply::json("{}").manner(manner)).unwrap();
        let outcome = fire_hook(hook(http(&server.url()), SHORT), Network::default()).await;
        assert_fails(&outcome, "timed-out");
        assert_eq!(server.requests().len(), 1, "{manner:?}");
    }
    // A listener that never accepts: its queue takes the connection, and no byte ever comes.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    assert_fails(&fire_hook(hook(http(&url), SHORT), Network::default()).await, "timed-out");
}

/// HT-10, HT-62, HT-31
#[tokio::test]
async fn what_cannot_be_sent_as_it_is_written_is_not_sent() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let with = |change: &dyn Fn(&mut Http)| {
        let mut http = http(&server.url());
        change(&mut http);
        hook(http, LONG)
    };
    let header =
        |value: &'static str| with(&move |request| request.headers[0].1 = value.to_owned());
    let port = server.address().port();
    for (hook, code) in [
        (with(&|request| request.url = "http://example.com/".to_owned()), "http-url"),
        (with(&move |request| request.url = format!("http://127.1:{port}/")), "http-url"),
        (
            with(&move |request| request.url = format!("http://user:{SECRET}@127.0.0.1:{port}/")),
            "http-url",
        ),
        (with(&move |request| request.url = "https://10.0.0.1/".to_owned()), "http-url"),
        (header("$EMPTY"), "http-header"),
        (header("$KEY"), "http-header"),
        (with(&|request| request.variables.push("GONE".to_owned())), ""),
        (header("Bearer\r\nX-Evil: 1"), "http-header"),
        (with(&|request| request.secret = Some("GONE".to_owned())), "http-secret"),
        (with(&|request| request.secret = Some("TOKEN".to_owned())), "http-secret"),
    ] {
        let outcome = fire_hook(hook, Network::default()).await;
        if code.is_empty() {
            assert_eq!(codes(&outcome), [""; 0]);
        } else {
            assert_fails(&outcome, code);
        }
    }
    assert_eq!(server.requests().len(), 1, "only what could be sent was");
}

/// HT-3
#[tokio::test]
async fn what_is_too_heavy_is_not_sent_in_part() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let engine = engine_of(hook(http(&server.url()), LONG), Network::default());
    for (size, sent) in [(9 << 20, 0), (7 << 20, 1)] {
        let event = event().with("content", "x".repeat(size));
        let outcome = engine.fire(event, &Session::default()).await;
        assert_eq!(codes(&outcome).first().copied(), (sent == 0).then_some("http-too-heavy"));
        assert_eq!(server.requests().len(), sent);
    }
}

/// HT-22
#[tokio::test]
async fn hook_cannot_set_connection_headers() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let mut http = http(&server.url());
    for name in ["Content-Length", "Transfer-Encoding", "Host", "Accept-Encoding", "Content-Type"] {
        http.headers.push((name.to_owned(), "7".to_owned()));
    }
    assert_eq!(codes(&fire_hook(hook(http, LONG), Network::default()).await), [""; 0]);
    let headers = &server.requests()[0].headers;
    assert_eq!(headers["host"], server.address().to_string());
    assert!(headers["content-length"] != "7" && headers["content-type"] != "7");
    assert!(!headers.contains_key("transfer-encoding") && headers["accept-encoding"] == "identity");
}

/// HT-23
#[test]
fn no_secret_is_shown_of_what_is_kept() {
    let shown = format!("{:?} {:?}", ambient(Network::default()), http("https://example.com"));
    assert!(!shown.contains(SECRET) && !shown.contains(KEY), "{shown}");
    let mut literal = http("https://example.com");
    literal.headers[0].1 = SECRET.to_owned();
    assert!(!format!("{literal:?}").contains(SECRET));
}
