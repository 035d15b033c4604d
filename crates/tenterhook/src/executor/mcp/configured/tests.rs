//! Real servers over standard streams: what they answer, and every way in which they fail.

mod address;
#[cfg(unix)]
mod confined;
mod streamable;

use std::time::Duration;

use serde_json::{Map, Value, json};
use tenterhook_testkit::fakehook;

use super::*;
use crate::executor::mcp::Content;
use crate::executor::restart::STARTS;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{Command, Inherit, Invocation, Layer, Sandbox};
use tenterhook_core::source::{Reach, ServerVariables};

fn server(args: &[&str]) -> Server {
    let program = fakehook().to_string_lossy().into_owned();
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let invocation = Invocation::Argv { program, args };
    let mut command = Command::new(invocation, Inherit::Listed);
    command.cwd = Some("/".into());
    Server {
        name: "fake".to_owned(),
        dialect: DialectId::NATIVE,
        variables: ServerVariables::ListedInHeaders,
        layer: Layer::Given,
        reach: Reach::Program(command),
        sandbox: Sandbox::Unsaid,
        project: "/".into(),
        home: "/".into(),
        place: None,
    }
}

/// The same server with a secret.
fn handed(args: &[&str], secret: &str) -> Server {
    let mut server = server(args);
    if let Reach::Program(command) = &mut server.reach {
        command.env.push(("LICENCE".to_owned(), secret.to_owned()));
    }
    server
}

fn configured() -> Configured {
    Configured::new([server(&["--mcp", "hello"])], Vec::new())
}

/// Long enough: nothing that ends by itself takes this long.
const LONG: Duration = Duration::from_secs(60);

async fn ask(servers: &Configured, tool: &str) -> Result<Reply, CallFault> {
    let input = json!({"path": "/a"}).as_object().cloned().unwrap_or_default();
    call(servers, "fake", tool, &input).await
}

async fn call(
    servers: &Configured,
    server: &str,
    tool: &str,
    input: &Map<String, Value>,
) -> Result<Reply, CallFault> {
    let deadline = Instant::now() + LONG;
    let calling = servers.call(Call { server, tool, input, deadline, sandbox: None });
    tokio::time::timeout_at(deadline, calling).await.expect("an answer in time")
}

/// The texts of a reply.
fn texts(reply: Result<Reply, CallFault>) -> Vec<String> {
    let contents = reply.expect("a reply").content;
    contents
        .into_iter()
        .map(|content| match content {
            Content::Text(text) | Content::Other(text) => text,
        })
        .collect()
}

/// MC-17.
#[tokio::test]
async fn two_replies_in_one_write_are_both_ignored() {
    let servers = configured();
    for _ in 0..20 {
        let reply = ask(&servers, "doubled").await.expect("a reply");
        assert!(reply.is_error, "{reply:?}");
        let texts = texts(Ok(reply));
        assert!(texts[0].contains("twice"), "{texts:?}");
        assert_eq!(texts[1..], ["{}", "hello"]);
    }
}

/// MC-8.
/// MC-1.
#[tokio::test]
async fn a_server_is_started_once_and_keeps_its_connection() {
    let servers = configured();
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    let echoed = texts(ask(&servers, "echo").await);
    assert!(echoed[0].contains(r#""arguments":{"path":"/a"}"#), "{echoed:?}");
    assert_eq!(texts(ask(&servers, "two").await), ["first", "hello"]);
    assert_eq!(texts(ask(&servers, "image").await), ["image"]);
    // Both are kept: a denial may be in either (MC-5).
    assert_eq!(texts(ask(&servers, "structured").await), ["structured", r#"{"a":1}"#]);
    assert!(texts(ask(&servers, "nothing").await).is_empty());
    assert!(ask(&servers, "fail").await.expect("a reply").is_error);
    assert_eq!(texts(ask(&servers, "noise").await), ["hello"]);
    assert_eq!(texts(ask(&servers, "big").await)[0].len(), 2 << 20);
    let texts = texts(ask(&servers, "methods").await);
    assert!(texts[0].starts_with("initialize notifications/initialized tools/call"), "{texts:?}");
    assert_eq!(texts[0].matches("initialize ").count(), 1);
}

/// MC-20.
#[tokio::test]
async fn server_that_asks_during_a_call_is_answered_or_refused() {
    let responses = texts(ask(&configured(), "ask").await);
    assert_eq!(responses[0], r#"{"jsonrpc":"2.0","id":"s-1","result":{}}"#);
    let refused = r#"{"jsonrpc":"2.0","id":"s-2","error":{"code":-32601,"message":"roots/list"}}"#;
    assert_eq!(responses[1], refused);
}

/// MC-22.
#[tokio::test]
async fn replies_out_of_order_reach_their_calls() {
    let servers = configured();
    let inputs = ["/a", "/b"].map(|path| Map::from_iter([("path".to_owned(), json!(path))]));
    let (one, two) = tokio::join!(
        call(&servers, "fake", "pair", &inputs[0]),
        call(&servers, "fake", "pair", &inputs[1])
    );
    assert!(texts(one)[0].contains("/a"));
    assert!(texts(two)[0].contains("/b"));
}

/// MC-22: in an array, with its id as text, and after messages that answer nothing.
#[tokio::test]
async fn reply_in_an_odd_form_reaches_its_call() {
    let servers = configured();
    for tool in ["batch", "text-id", "strange"] {
        assert_eq!(texts(ask(&servers, tool).await), ["hello"], "{tool}");
    }
}

/// MC-18.
#[tokio::test]
async fn a_server_says_which_tools_it_offers_and_how_many_is_bounded() {
    for (says, count, is_cut) in [
        ("hello", 27, false),
        ("list: none", 0, false),
        ("list: many", 1000, true),
        ("list: endless", 100, true),
        ("list: long", 2, false),
    ] {
        let servers = Configured::new([server(&["--mcp", says])], Vec::new());
        assert_eq!(servers.names(), ["fake"]);
        let offer = servers.offer("fake").await.expect("a list");
        assert_eq!((offer.tools.len(), offer.is_cut), (count, is_cut), "{says}");
    }
    let refused = Configured::new([server(&["--mcp", "list: refused"])], Vec::new());
    let fault = refused.offer("fake").await.expect_err("refused");
    assert_eq!(fault.kind, CallFaultKind::Protocol);
    assert!(fault.why.contains("`fake/tools/list` answered with the error -32000: not today"));
    let fault = refused.offer("other").await.expect_err("not there");
    assert_eq!(fault.kind, CallFaultKind::UnknownServer);
    let gone = Configured::new([server(&["--no-such-flag"])], Vec::new());
    assert_eq!(gone.offer("fake").await.expect_err("gone").kind, CallFaultKind::NotConnected);
}

/// MC-7.
#[tokio::test]
async fn message_that_is_no_result_is_a_fault_of_its_kind() {
    use CallFaultKind::{NotConnected, Protocol, UnknownServer, UnknownTool};
    for (tool, kind, words) in [
        ("sya", UnknownTool, "did you mean `say`?"),
        ("zzzzzzzzzzzz", UnknownTool, "it has `say`, `echo`"),
        ("refuse", Protocol, "the error -32602: refused"),
        ("error", Protocol, "the error -32000: hello"),
        ("odd", Protocol, "not a result of a tool"),
        ("crash", NotConnected, "it ended with exit code 3: hello"),
        ("huge", Protocol, "a line of more than 4 MiB"),
        ("flood", Protocol, "too many messages"),
    ] {
        let fault = ask(&configured(), tool).await.expect_err(tool);
        assert_eq!(fault.kind, kind, "{fault}");
        assert!(fault.why.contains(words), "{fault}");
    }
    let fault = call(&configured(), "fkae", "say", &Map::new()).await.expect_err("no such server");
    assert_eq!(fault.kind, UnknownServer);
    assert!(fault.why.ends_with("did you mean `fake`?"), "{fault}");
}

/// MC-7, MC-13, MC-16.
#[tokio::test]
async fn a_server_that_does_not_come_up_says_why() {
    let mut unset = server(&["${TENTERHOOK_NONE}"]);
    unset.variables = ServerVariables::Everywhere;
    let mut filled = server(&["--stderr", "no file ${KEY_OF_MINE}", "--exit", "7"]);
    filled.variables = ServerVariables::Everywhere;
    let mut missing = server(&[]);
    if let Reach::Program(command) = &mut missing.reach {
        command.invocation = Invocation::Argv { program: "/nowhere/server".into(), args: vec![] };
    }
    for (server, words) in [
        (server(&["--stderr", "no licence", "--exit", "7"]), "exit code 7: no licence"),
        (
            handed(&["--stderr", "no licence for k-12345678!", "--exit", "7"], "k-12345678"),
            "exit code 7: no licence for ***!",
        ),
        (filled, "exit code 7: no file ***"),
        // A path is no secret.
        (handed(&["--stderr", "none in /usr/bin", "--exit", "7"], "/usr/bin"), "none in /usr/bin"),
        (
            server(&[
                "--read-line",
                "--stdout",
                r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
                "--read-all",
            ]),
            "does not speak MCP",
        ),
        (missing, "`/nowhere/server`"),
        (unset, "`TENTERHOOK_NONE`, which is not set"),
    ] {
        let env = vec![("KEY_OF_MINE".to_owned(), "k-87654321".to_owned())];
        let fault = ask(&Configured::new([server], env), "say").await.expect_err(words);
        assert_eq!(fault.kind, CallFaultKind::NotConnected);
        assert!(fault.why.contains(words), "{fault}");
    }
}

/// MC-9.
#[tokio::test]
async fn a_server_that_crashed_is_started_again_and_quarantined_when_it_keeps_crashing() {
    let servers = configured();
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    ask(&servers, "crash").await.expect_err("it crashes");
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    let servers = Configured::new([server(&["--exit", "1"])], Vec::new());
    for _ in 0..STARTS {
        let words = ask(&servers, "say").await.expect_err("it never comes up").why;
        assert!(words.contains("exit code 1") && !words.contains("left alone"), "{words}");
    }
    let words = ask(&servers, "say").await.expect_err("it rests").why;
    assert!(words.contains("exit code 1") && words.contains("is left alone for"), "{words}");
    servers.replace([server(&["--exit", "1"])]);
    let words = ask(&servers, "say").await.expect_err("it is tried again").why;
    assert!(words.contains("exit code 1") && !words.contains("left alone"), "{words}");
}

/// MC-10.
#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_and_a_server_that_hangs_is_started_anew() {
    let servers = configured();
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    give_up(&servers).await;
    let methods = texts(ask(&servers, "methods").await);
    assert!(methods[0].ends_with("tools/call notifications/cancelled tools/call"), "{methods:?}");
    for _ in 0..3 {
        give_up(&servers).await;
    }
    let methods = texts(ask(&servers, "methods").await);
    assert_eq!(methods, ["initialize notifications/initialized tools/call"]);
}

/// Drops a call after it was sent.
async fn give_up(servers: &Configured) {
    let input = Map::new();
    let deadline = Instant::now() + LONG;
    let mut calling =
        servers.call(Call { server: "fake", tool: "hang", input: &input, deadline, sandbox: None });
    // The request is sent after a few turns; other ready tasks of this runtime run in between.
    for _ in 0..100 {
        tokio::select! {
            biased;
            _ = &mut calling => panic!("it hangs"),
            () = tokio::task::yield_now() => {}
        }
    }
}

/// MC-8: no process outlives its owner.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_servers_ends_them() {
    let servers = configured();
    let pid = texts(ask(&servers, "pid").await).remove(0);
    let process = std::path::Path::new("/proc").join(pid);
    assert!(process.exists());
    drop(servers);
    let gone = async {
        while process.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, gone).await.expect("it ends with its owner");
}

/// MC-11.
#[tokio::test]
async fn a_new_configuration_keeps_what_stays_and_ends_what_changed() {
    let servers = configured();
    assert_eq!(texts(ask(&servers, "say").await), ["hello"]);
    servers.replace([server(&["--mcp", "hello"])]);
    let methods = texts(ask(&servers, "methods").await);
    assert_eq!(methods[0].matches("tools/call").count(), 2);
    servers.replace([server(&["--mcp", "good morning"])]);
    assert_eq!(texts(ask(&servers, "say").await), ["good morning"]);
    servers.replace([]);
    ask(&servers, "say").await.expect_err("it is gone");
}
