//! Connections: which address is used, which requests are sent twice, which connections are kept,
//! and that nothing runs after a step.

use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A network on which every name leads to these addresses, one list after the other, and then to
/// the last one.
fn leading_to(lists: &[&'static str]) -> (Network, Arc<AtomicUsize>) {
    let lists: Vec<_> = lists.iter().map(|text| text.to_string()).collect();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let look_up = move |_: &str| {
        let list = lists.get(counter.fetch_add(1, Ordering::SeqCst)).or(lists.last());
        Ok(list.unwrap().split(' ').map(|word| word.parse::<IpAddr>().unwrap()).collect())
    };
    (Network::with_name_lookup(Vec::new(), look_up), asked)
}

/// HT-12
#[tokio::test]
async fn a_name_that_leads_inside_is_not_connected_to() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let port = server.address().port();
    let rebinding = format!("https://rebinding.example:{port}/");
    for inside in ["127.0.0.1", "::1", "169.254.169.254 10.0.0.1", "::ffff:127.0.0.1"] {
        let (network, asked) = leading_to(&[inside, "8.8.8.8"]);
        let outcome = fire_hook(hook(http(&rebinding), LONG), network).await;
        assert_fails(&outcome, "http-address");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "a refused answer is not asked for again");
    }
    // A name that looks like this machine's address is still a name.
    let (network, _) = leading_to(&["127.0.0.1"]);
    let like = format!("https://localhost.example:{port}/");
    assert_fails(&fire_hook(hook(http(&like), LONG), network).await, "http-address");
    assert_eq!(server.connections(), 0);
}

/// HT-11
#[tokio::test]
async fn this_machine_is_never_looked_up() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let (network, asked) = leading_to(&["8.8.8.8"]);
    let url = format!("http://LocalHost:{}/", server.address().port());
    assert_eq!(codes(&fire_hook(hook(http(&url), LONG), network).await), [""; 0]);
    assert_eq!((server.requests().len(), asked.load(Ordering::SeqCst)), (1, 0));
}

/// HT-1, HT-13
#[tokio::test]
async fn a_name_that_is_not_found_is_a_failure_and_a_look_up_that_hangs_is_left_behind() {
    let unknown = Network::with_name_lookup(Vec::new(), |_| Err(io::ErrorKind::NotFound.into()));
    let hook = |timeout| hook(http("https://nowhere.example/"), timeout);
    assert_fails(&fire_hook(hook(LONG), unknown).await, "http-unresolved");
    let (end, hangs) = std::sync::mpsc::channel::<()>();
    let hangs = Mutex::new(hangs);
    let hanging = Network::with_name_lookup(Vec::new(), move |_| {
        let _ = hangs.lock().unwrap().recv();
        Ok(Vec::new())
    });
    assert_fails(&fire_hook(hook(SHORT), hanging).await, "timed-out");
    drop(end);
}

/// HT-41
#[tokio::test]
async fn a_request_that_may_have_arrived_is_not_sent_again() {
    for manner in [Manner::Closed, Manner::Reset, Manner::Torn] {
        let server = Server::start(Reply::json(DENIAL).manner(manner)).unwrap();
        assert_fails(&fire(&server.url()).await, "http-broken");
        assert_eq!((server.requests().len(), server.connections()), (1, 1), "{manner:?}");
    }
}

/// HT-40
#[tokio::test]
async fn a_server_that_cannot_be_reached_is_a_failure() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_fails(&fire(&format!("http://{closed}/")).await, "http-connect");
}

/// HT-42
#[tokio::test]
async fn connections_are_kept_and_shared() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let engine = engine_of(hook(http(&server.url()), LONG), Network::default());
    for _ in 0..5 {
        let outcome = engine.clone().fire(event(), &Session::default()).await;
        assert_eq!(codes(&outcome), [""; 0]);
    }
    assert_eq!((server.requests().len(), server.connections()), (5, 1));
    let ids: std::collections::BTreeSet<_> =
        server.requests().iter().map(|request| request.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), 5, "each request has a separate id");
}

/// HT-43: data that a server sends unasked is not the reply to the next request.
#[tokio::test]
async fn a_kept_connection_is_not_poisoned() {
    let allow = Reply::json(r#"{"decision": "allow"}"#).manner(Manner::Twice);
    let script = Reply { then: vec![allow, Reply::json(DENIAL)], ..Reply::default() };
    let server = Server::start(script).unwrap();
    let engine = engine_of(hook(http(&server.url()), LONG), Network::default());
    let first = engine.fire(event(), &Session::default()).await;
    assert_eq!(first.restraint, Restraint::Allow);
    let second = engine.fire(event(), &Session::default()).await;
    assert!(second.blocked(), "{second:?}");
}

/// R-13
#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let server = Arc::new(Server::start(Reply::json("{}").manner(Manner::Mute)).unwrap());
    let engine = engine_of(hook(http(&server.url()), LONG), Network::default());
    let asked = {
        let server = Arc::clone(&server);
        tokio::task::spawn_blocking(move || server.asked(1))
    };
    let session = Session::default();
    tokio::select! {
        outcome = engine.fire(event(), &session) => panic!("{outcome:?}"),
        asked = asked => assert!(asked.unwrap()),
    }
    assert!(tokio::task::spawn_blocking(move || server.left()).await.unwrap());
}

/// R-12
#[tokio::test]
async fn background_request_blocks_nothing_and_wakes_the_agent() {
    for (wait, wakes) in [(Wait::Detached, false), (Wait::Rewake, true)] {
        let server = Server::start(Reply::json(DENIAL)).unwrap();
        let engine =
            engine_of(Hook { wait, ..hook(http(&server.url()), LONG) }, Network::default());
        let session = Session::default();
        let outcome = engine.fire(event(), &session).await;
        assert_eq!((outcome.restraint, codes(&outcome).len()), (Restraint::Silent, 0));
        let finished = session.drain().await;
        let [one] = finished.as_slice() else { panic!("{finished:?}") };
        assert_eq!((one.wakes, server.requests().len()), (wakes, 1));
    }
}

/// HT-42: a server that keeps a thread for each connection gets it back.
#[tokio::test]
async fn idle_connection_is_closed() {
    let server = Arc::new(Server::start(Reply::json("{}")).unwrap());
    let engine = engine_of(hook(http(&server.url()), LONG), Network::with_idle_time(SHORT));
    assert_eq!(codes(&engine.fire(event(), &Session::default()).await), [""; 0]);
    let left = Arc::clone(&server);
    assert!(tokio::task::spawn_blocking(move || left.left()).await.unwrap());
    assert_eq!(server.connections(), 1);
    drop(engine);
}

/// HT-42: on a different runtime no reactor would wake its task.
#[test]
fn a_connection_is_used_on_its_own_runtime_alone() {
    let server = Server::start(Reply::json("{}")).unwrap();
    let engine = engine_of(hook(http(&server.url()), LONG), Network::default());
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (one, other) = (runtime(), runtime());
    for (runtime, connections) in [(&one, 1), (&other, 2), (&one, 2), (&other, 2)] {
        let outcome = runtime.block_on(engine.fire(event(), &Session::default()));
        assert_eq!((codes(&outcome).len(), server.connections()), (0, connections));
    }
}

/// HT-61
#[tokio::test]
async fn a_server_that_is_busy_is_left_alone_in_the_background_alone() {
    let server = Server::start(Reply::status(429).header("retry-after", "31536000")).unwrap();
    let engine = |wait| {
        let hook = Hook { wait, ..hook(http(&server.url()), LONG) };
        Engine::builder().event(row()).hook(hook)
    };
    let network = Network::default();
    for (wait, requests) in [(Wait::Detached, 1), (Wait::Detached, 1), (Wait::Attached, 2)] {
        let engine = engine(wait).ambient(ambient(network.clone())).build().0;
        let session = Session::default();
        let outcome = engine.fire(event(), &session).await;
        let finished = session.drain().await;
        let reported = finished.iter().flat_map(|f| &f.outcome.faults).chain(&outcome.faults);
        assert_eq!(
            reported.map(|fault| fault.code.name()).collect::<Vec<_>>(),
            ["http-limited"],
            "{wait:?}"
        );
        assert_eq!(server.requests().len(), requests, "{wait:?}");
    }
}
