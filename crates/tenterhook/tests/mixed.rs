//! Do hooks of all dialects live in one event? Real programs, each spoken to in its own protocol:
//! what it finds on standard input and in its environment, who runs at once with whom and who after
//! whom, and one outcome.

#![expect(clippy::expect_used, reason = "a test that cannot be set up fails")]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tenterhook::executor::Ambient;
use tenterhook::session::Session;
use tenterhook::{Engine, Event, Outcome};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_testkit::Sandbox;

/// One hook of a dialect for `PreToolUse`, or what its agent calls it: the config that runs
/// `command`.
fn config(dialect: DialectId, command: &str) -> String {
    let entry = json!({ "type": "command", "command": command });
    let group = json!({ "hooks": { "PreToolUse": [{ "hooks": [entry] }] } });
    match dialect.as_str() {
        "native" => format!("[hook.own]\non = 'PreToolUse'\nshell = {}\n", json!(command)),
        "codewhale" => {
            format!("[[hooks]]\nevent = 'tool_call_before'\ncommand = {}\n", json!(command))
        }
        "ignis" => {
            let entry = json!({ "argv": ["sh", "-c", command], "sandbox": false });
            json!({ "hooks": { "PreToolUse": [entry] } }).to_string()
        }
        "reasonix" => json!({ "hooks": { "PreToolUse": [{ "command": command }] } }).to_string(),
        _ => group.to_string(),
    }
}

const ALL: [DialectId; 6] = [
    DialectId::CLAUDE,
    DialectId::GEN,
    DialectId::IGNIS,
    DialectId::CODEWHALE,
    DialectId::REASONIX,
    DialectId::NATIVE,
];

fn source(dialect: DialectId, text: &str, sandbox: &Sandbox) -> Source {
    let name = sandbox.project().join(dialect.as_str());
    let mut source = Source::from_text(&name.to_string_lossy(), dialect, text, sandbox.project());
    source.home = sandbox.home();
    source
}

/// Fires one `PreToolUse` at a hook of each of `dialects`, whose command `command` gives.
async fn fire(
    sandbox: &Sandbox,
    dialects: &[DialectId],
    content: &str,
    command: impl Fn(DialectId) -> String,
) -> Outcome {
    let ambient = Ambient::default().env(sandbox.env()).scratch(sandbox.scripts());
    let sources = dialects
        .iter()
        .map(|dialect| source(*dialect, &config(*dialect, &command(*dialect)), sandbox));
    let builder = Engine::builder().ambient(ambient);
    let (engine, diagnostics) =
        sources.fold(builder, |builder, source| builder.source(source)).build();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let within = Surroundings {
        session_id: "s-1".to_owned(),
        cwd: sandbox.project(),
        project: sandbox.project(),
        home: sandbox.home(),
        ..Surroundings::default()
    };
    let event = Event::new("PreToolUse", within)
        .with("tool_name", "Write")
        .with("tool_input", json!({ "file_path": "a", "content": content }));
    engine.fire(event, &Session::default()).await
}

fn recorded(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.scripts().join(name)).expect("the hook wrote it")
}

/// A command that keeps its input and its environment under its dialect's name.
fn keeps(scripts: &Path, dialect: DialectId) -> String {
    let base = scripts.join(dialect.as_str());
    format!("cat >'{0}.in'; env >'{0}.env'", base.display())
}

/// P-1, R-6: each hook gets the format and the variables of its agent only.
#[tokio::test]
async fn each_hook_is_spoken_to_in_its_own_protocol() {
    let sandbox = Sandbox::new().expect("a place to run in");
    let scripts = sandbox.scripts();
    let outcome = fire(&sandbox, &ALL, "b", |dialect_id| keeps(&scripts, dialect_id)).await;
    assert!(!outcome.blocked() && outcome.faults.is_empty(), "{outcome:?}");
    for (dialect, has, ends, variable) in [
        ("claude", r#""hook_event_name":"PreToolUse","#, true, Some("CLAUDE_CODE_SESSION_ID=s-1")),
        ("gen", r#""permission_mode":"default","#, false, Some("GEN_SESSION_ID=s-1")),
        ("ignis", r#""toolName":"create_file""#, false, None),
        ("codewhale", r#""event":"tool_call_before""#, true, Some("DEEPSEEK_SESSION_ID=s-1")),
        ("reasonix", r#""toolName":"write_file","#, true, None),
        ("native", r#""event":"PreToolUse","#, true, Some("TENTERHOOK_SESSION_ID=s-1")),
    ] {
        let (input, env) = (
            recorded(&sandbox, &format!("{dialect}.in")),
            recorded(&sandbox, &format!("{dialect}.env")),
        );
        assert!(input.contains(has), "{dialect}: {input}");
        assert_eq!((input.lines().count(), input.ends_with('\n')), (1, ends), "{dialect}: {input}");
        for mark in ["CLAUDE_CODE_SESSION_ID=", "GEN_", "DEEPSEEK_", "TENTERHOOK_SESSION_ID="] {
            let found = env.lines().any(|line| line.starts_with(mark));
            let own = variable.is_some_and(|variable| variable.starts_with(mark));
            assert_eq!(found, own, "{dialect} and {mark}: {env}");
        }
    }
}

/// P-1, P-8: rewriters first, then the gates, one dialect after the other in the order of the
/// files.
#[tokio::test]
async fn dialects_run_one_after_the_other_in_the_order_of_their_files() {
    let order = [DialectId::REASONIX, DialectId::IGNIS, DialectId::CLAUDE, DialectId::GEN];
    let sandbox = Sandbox::new().expect("a place to run in");
    let log = sandbox.scripts().join("log");
    let outcome = fire(&sandbox, &order, "b", |dialect_id| {
        format!("echo {dialect_id} >>'{}'", log.display())
    })
    .await;
    assert_eq!(recorded(&sandbox, "log"), "ignis\nreasonix\nclaude\ngen\n");
    assert_eq!(outcome.steps.len(), 4, "{outcome:?}");
}

/// M-7: only the first denial is quoted, whichever protocol it uses.
#[tokio::test]
async fn a_denial_of_any_protocol_stops_those_behind_it() {
    for (at, first) in ALL.iter().enumerate() {
        let mut order = ALL.to_vec();
        order.rotate_left(at);
        let sandbox = Sandbox::new().expect("a place to run in");
        let outcome = fire(&sandbox, &order, "b", |dialect_id| {
            format!("echo {dialect_id} says no >&2; exit 2")
        })
        .await;
        let reason = outcome.reason().expect("a reason");
        // Those who rewrite come first, whatever file is named first.
        assert!(reason == "ignis says no" || reason == format!("{first} says no"), "{reason}");
        let ran = outcome.steps.iter().filter(|step| step.ended.was_attempted()).count();
        assert_eq!((outcome.blocked(), ran, outcome.steps.len()), (true, 1, 6), "{outcome:?}");
    }
}

/// RX-6, G-31, decision 4: a hook that exits at once beside a mebibyte of input keeps its word, in
/// every protocol.
#[tokio::test]
async fn a_hook_that_reads_nothing_still_blocks() {
    let content = "x".repeat(1 << 20);
    for dialect in ALL {
        let sandbox = Sandbox::new().expect("a place to run in");
        let outcome = fire(&sandbox, &[dialect], &content, |_| "exit 2".to_owned()).await;
        assert!(outcome.blocked(), "{dialect}: {outcome:?}");
    }
}

/// RX-21: a descendant that holds the output open delays the answer of no protocol.
#[tokio::test]
async fn a_descendant_delays_no_protocol() {
    let sandbox = Sandbox::new().expect("a place to run in");
    let began = Instant::now();
    let outcome = fire(&sandbox, &ALL, "b", |_| "sleep 60 & exit 0".to_owned()).await;
    assert!(!outcome.blocked(), "{outcome:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}
