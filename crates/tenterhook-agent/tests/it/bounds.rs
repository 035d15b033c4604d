//! A model that answers too much, in too many pieces, too long or for ever: it fails in clear words, soon, and interrupts still work.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tenterhook_testkit::server::{Manner, Reply, Server};

use crate::fixture::Fixture;

const KEY: &str = "sk-test-0123456789";
/// More than any of these takes, and a tenth of what they took.
const SOON: Duration = Duration::from_secs(20);

fn events(body: String) -> Reply {
    Reply { body, ..Reply::default() }.header("content-type", "text/event-stream")
}

fn fixture(server: &Server) -> Fixture {
    let env = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &server.url())];
    Fixture::with_model("", "openai::some-model", &env)
}

/// AG-21.
#[test]
fn an_answer_beyond_all_bounds_fails_in_clear_words() {
    let call = |index: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"id\":\"c\",\"function\":{{\"name\":\"Read\",\"arguments\":\"{{}}\"}}}}]}}}}]}}\n\ndata: [DONE]\n\n"
        )
    };
    let line = |words: String| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n")
    };
    let packed = events("not even packed".to_owned()).header("content-encoding", "gzip");
    for (reply, words) in [
        (events(call("99999999")), "has the number 99999999, beyond 1000"),
        (events(call("4294967295")), "has the number 4294967295, beyond 1000"),
        (events(line("x".repeat(60 << 20))), "a line of its answer is longer than 1024 KiB"),
        (events(line("words ".repeat(10_000)).repeat(600)), "its answer is longer than 32768 KiB"),
        (packed, "its answer is compressed, which was not asked for"),
    ] {
        let server = Server::start(reply).unwrap();
        let run = fixture(&server).ask("greet me", &[]);
        let ended = run.of_kind("turn_ended");
        let error = ended[0]["error"].as_str().unwrap();
        assert!(error.contains(words), "{error}");
    }
}

/// AG-21.
#[test]
fn more_calls_than_anybody_makes_run_not_at_all() {
    let calls = "{ tool = \"Bash\", input = { command = \"touch ran\" } },".repeat(129);
    let fixture = Fixture::new("", &format!("[[reply]]\ncall = [{calls}]\n"));
    let run = fixture.ask("work", &["--permission-mode", "bypassPermissions"]);
    let error = run.of_kind("turn_ended")[0]["error"].clone();
    assert_eq!(error, "the answer calls more than 128 tools at once");
    assert!(!fixture.sandbox.project().join("ran").exists());
}

/// AG-22: also where a hook keeps the agent at work, and where a subagent is what never ends.
#[test]
fn a_turn_that_does_not_end_ends() {
    let endless = "[[reply]]\nrepeat = true\ncall = [{ tool = \"Read\", input = { file_path = \"script.toml\" } }]\n";
    let within = format!(
        "[[reply]]\non = \"work\"\ncall = [{{ tool = \"Task\", input = {{ description = \"d\", prompt = \"dig\" }} }}]\n{endless}"
    );
    for script in [endless, &within] {
        let fixture = Fixture::new("", &format!("record = \"requests.jsonl\"\n{script}"));
        let run = fixture.ask("work", &["--max-steps", "7"]);
        let error = run.of_kind("turn_ended")[0]["error"].clone();
        assert_eq!(error, "it asked the model 7 times; a prompt goes on");
        assert_eq!(fixture.text("requests.jsonl").lines().count(), 7);
    }
    let fixture = Fixture::new("", endless);
    let mut run = fixture.start(&["--max-steps", "3"]);
    for _ in 0..2 {
        run.prompt("go on");
        run.wait_for("turn_ended");
    }
    run.send_line(json!({"type": "quit"}));
}

/// AG-23: whatever a service does.
#[test]
fn interrupt_during_an_answer_ends_it() {
    for (manner, body) in
        [(Manner::Endless, ": nothing\n\n"), (Manner::DripBody, "data: {}\n\n"), (Manner::Mute, "")]
    {
        let server = Server::start(Reply { manner, ..events(body.to_owned()) }).unwrap();
        let fixture = fixture(&server);
        let mut run = fixture.start(&[]);
        run.prompt("greet me");
        run.wait("the turn", |message| message["type"] == "loading" && message["loading"] == true);
        run.signal("INT");
        let began = Instant::now();
        run.end();
        assert!(began.elapsed() < SOON, "{manner:?}");
    }
}

/// AG-23: Ctrl-\ ends the program as any other signal does, and with it what it runs.
#[test]
fn a_signal_to_quit_leaves_nothing_behind() {
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"echo $$ >tool; exec sleep 1000\" } }]\n";
    let hooks = "[hook.ends]\non = \"SessionEnd\"\nshell = \"echo once >>ended\"\n";
    let fixture = Fixture::new(hooks, script);
    let mut child = fixture
        .command()
        .args(["-p", "work", "--model", "scripted:script.toml"])
        .args(["--permission-mode", "bypassPermissions"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    fixture.until("the tool", || fixture.text("tool").ends_with('\n'));
    let tool = fixture.text("tool").trim().to_owned();
    let kill = |name: &str, id: &str| {
        let mut command = std::process::Command::new("kill");
        command.args([name, id]).stderr(Stdio::null()).status().unwrap().success()
    };
    kill("-QUIT", &child.id().to_string());
    assert!(child.wait().unwrap().code().is_some(), "it ends by itself");
    fixture.until("the end of the tool", || !kill("-0", &tool));
    assert_eq!(fixture.text("ended"), "once\n");
}
