//! Servers at an address: what they answer, and how reaching them fails.

use tenterhook_testkit::server::{Reply as Says, Server as Scripted};

use super::*;
use tenterhook_core::hook::Http;

pub(super) const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;

pub(super) fn responding(contains: &str, status: u16, body: &str) -> Says {
    let headers = [("content-type".to_owned(), "application/json".to_owned())].into();
    Says {
        contains: contains.to_owned(),
        status,
        body: body.to_owned(),
        headers,
        ..Says::default()
    }
}

/// Completes the handshake, accepts notifications, and answers calls with `body`; has no stream of
/// its server's messages.
fn scripted(status: u16, body: &str) -> Scripted {
    let when = vec![
        responding("\"method\":\"initialize\"", 200, HELLO),
        responding("\"method\":\"notifications/", 202, ""),
        responding("\"method\":\"tools/call\"", status, body),
    ];
    Scripted::start(Says { when, ..responding("", 405, "") }).expect("a port")
}

pub(super) fn at(url: &str, variables: &[&str]) -> Configured {
    let http = Http {
        url: url.to_owned(),
        headers: vec![("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned())],
        variables: variables.iter().map(|variable| (*variable).to_owned()).collect(),
        secret: None,
        interpolation: tenterhook_core::hook::Interpolation::STRICT,
    };
    let reached = Server { reach: Reach::Address(http), ..server(&[]) };
    Configured::new([reached], vec![("TOKEN".to_owned(), "s3cret-token".to_owned())])
}

/// MC-1, MC-8, MC-13.
#[tokio::test]
async fn a_server_at_an_address_is_asked() {
    let answer =
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}"#;
    let scripted = scripted(200, answer);
    let servers = at(&scripted.url(), &["TOKEN"]);
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    let calls: Vec<_> = scripted
        .requests()
        .into_iter()
        .filter(|request| request.body.contains("tools/call"))
        .collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        calls[0].headers.get("authorization").map(String::as_str),
        Some("Bearer s3cret-token")
    );
}

/// MC-1, MC-7.
#[tokio::test]
async fn an_address_that_fails_is_a_fault_and_no_call_is_sent_twice() {
    for (status, body, kind) in [
        (500, "", CallFaultKind::NotConnected),
        (302, "", CallFaultKind::NotConnected),
        (200, "no json", CallFaultKind::NotConnected),
        (200, r#"{"jsonrpc":"2.0","id":1,"result":"odd"}"#, CallFaultKind::Protocol),
    ] {
        let scripted = scripted(status, body);
        let fault = ask(&at(&scripted.url(), &["TOKEN"]), "say").await.expect_err(body);
        assert_eq!(fault.kind, kind, "{status} {body}: {fault}");
        let calls =
            scripted.requests().into_iter().filter(|request| request.body.contains("tools/call"));
        assert_eq!(calls.count(), 1, "{status} {body}");
    }
}

/// MC-7, MC-13: the rules of `http` hooks apply to addresses and headers.
/// MC-15.
#[tokio::test]
async fn nothing_is_sent_to_a_forbidden_address() {
    let scripted = scripted(200, "");
    for (url, variables, words) in [
        ("http://10.0.0.1/mcp", &["TOKEN"][..], "its URL cannot be used"),
        ("http://example.org/mcp", &["TOKEN"], "`http://` goes to this machine alone"),
        (&scripted.url(), &[], "`TOKEN`, which the hook does not list"),
        (&scripted.url(), &["TOKEN"], ""),
    ] {
        let asked = ask(&at(url, variables), "say").await;
        if !words.is_empty() {
            let fault = asked.expect_err(words);
            assert!(fault.why.contains(words), "{fault}");
            assert!(scripted.requests().is_empty());
        }
    }
    assert!(!scripted.requests().is_empty());
}
