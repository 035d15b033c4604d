//! The measured host: fires hooks of every kind in turn through the library, as often as requested, and pauses in between. Knows
//! nothing of what is measured.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;
use tenterhook::executor::Ambient;
use tenterhook::{Engine, Event, Session};
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::Severity;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::event::Surroundings;

use crate::Report;

/// One kind of hook: its name, its entry, and a word that its end must hold.
type Kind = (&'static str, &'static str, &'static str);

/// The hooks to fire in turn. `{fake}` is the program that misbehaves, `{server}` a server that answers.
const KINDS: &[Kind] = &[
    ("command", "run = ['{fake}', '--read-all', '--exit', '0']", "exit 0"),
    ("shell", "shell = 'cat >/dev/null; echo no >&2; exit 2'", "exit 2"),
    ("rule", "when = \"tool.name == 'Bash'\"\ndeny = 'no'", ""),
    ("worker", "worker = ['{fake}', '--worker', '{\"decision\":\"allow\"}']", ""),
    ("http", "http = '{server}'", ""),
    ("mcp", "mcp = { server = 'tools', tool = 'say' }", ""),
    ("async", "background = true\nrun = ['{fake}', '--read-all', '--exit', '0']", ""),
    ("timeout", "timeout = '60ms'\nrun = ['{fake}', '--sleep-ms', '60000']", "timed out"),
    (
        "flood",
        "timeout = '60s'\nrun = ['{fake}', '--read-all', '--fill', '120', '200000', '--exit', '0']",
        "exit 0",
    ),
    ("flood without end", "timeout = '60ms'\nrun = ['{fake}', '--flood', 'stderr']", "timed out"),
    (
        "daemon",
        "timeout = '5s'\nrun = ['{fake}', '--setsid-daemon', '60000', '--exit', '0']",
        "exit 0",
    ),
    ("child", "timeout = '5s'\nrun = ['{fake}', '--child-ms', '60000', '--exit', '0']", "exit 0"),
    ("signal", "run = ['{fake}', '--kill-self', '9']", "signal"),
    ("missing", "run = ['/nowhere/at/all']", ""),
    (
        "sandboxed",
        "sandbox = 'standard'\nshell = 'cat >/dev/null; echo x > \"$TMPDIR/x\"; exit 0'",
        "",
    ),
];

/// The server of the kind that has one.
const SERVER: &str = "[mcp.tools]\nrun = ['{fake}', '--mcp', '{}']\n";

/// After so many rounds a session ends, and another begins.
const SESSION: u64 = 20;

/// A kind that can be fired.
struct Bed {
    kind: &'static Kind,
    engine: Engine,
    session: Session,
}

/// Fires as often as each line of its input says, and says `done`.
pub(super) fn run(args: &[&str]) -> Report {
    let [room, server] = args else { return Err("expected a directory and a server".to_owned()) };
    // As our own programs do: a library does not end daemons that left their sessions, and reports them.
    tenterhook_process::adopt_orphans()
        .map_err(|error| format!("no orphan is adopted: {error}"))?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let mut beds = KINDS
        .iter()
        .map(|kind| bed(kind, Path::new(room), server))
        .collect::<Result<Vec<_>, _>>()?;
    let mut fired = 0;
    for line in std::io::stdin().lock().lines() {
        let times: u64 =
            line.ok().and_then(|line| line.trim().parse().ok()).ok_or("expected a number")?;
        let said = runtime.block_on(fire(&mut beds, Path::new(room), &mut fired, times));
        let mut out = std::io::stdout().lock();
        let word = said.err().unwrap_or_else(|| "done".to_owned());
        writeln!(out, "{word}").map_err(|error| format!("the reader has gone: {error}"))?;
    }
    Ok((String::new(), true))
}

/// Fires the kinds in turn, a round of all of them at once.
async fn fire(beds: &mut [Bed], room: &Path, fired: &mut u64, times: u64) -> Result<(), String> {
    let (mut left, mut rounds) = (times, *fired / beds.len().max(1) as u64);
    while left > 0 {
        // A request for less than a round continues where the last one stopped.
        let first = usize::try_from(*fired % beds.len().max(1) as u64).unwrap_or_default();
        let all = beds.iter().skip(first).take(usize::try_from(left).unwrap_or(usize::MAX));
        let round: Vec<_> = all
            .map(|bed| {
                let (engine, session, event) =
                    (bed.engine.clone(), bed.session.clone(), event(room));
                (bed.kind, tokio::spawn(async move { engine.fire(event, &session).await }))
            })
            .collect();
        for ((name, _, word), outcome) in round {
            let outcome = outcome.await.map_err(|error| format!("{name}: {error}"))?;
            let ended =
                outcome.steps.first().map(|step| step.ended.to_string()).unwrap_or_default();
            if outcome.steps.is_empty() || !ended.contains(word) {
                return Err(format!("{name} ended with `{ended}`: {:?}", outcome.faults));
            }
            left -= 1;
            *fired += 1;
        }
        rounds += 1;
        if rounds % SESSION == 0 {
            renew(beds).await;
        }
    }
    // What stays between events ends with its session: a sample sees what is left of everything.
    renew(beds).await;
    Ok(())
}

async fn renew(beds: &mut [Bed]) {
    for bed in beds {
        bed.session.drain().await;
        bed.session.end();
        bed.session = Session::default();
    }
}

fn bed(kind: &'static Kind, room: &Path, server: &str) -> Result<Bed, String> {
    let (name, entry, _) = kind;
    let fake = room.join("fakehook").display().to_string();
    let mut text = format!("[hook.one]\non = 'PreToolUse'\non_failure = 'continue'\n{entry}\n");
    if *name == "mcp" {
        text.push_str(SERVER);
    }
    let text = text.replace("{fake}", &fake).replace("{server}", server);
    let mut source =
        Source::from_text("tenterhook.toml", DialectId::NATIVE, &text, room.join("project"));
    source.home = room.join("home");
    let env = [
        ("PATH", PathBuf::from("/usr/bin:/bin")),
        ("HOME", room.join("home")),
        ("TMPDIR", room.join("tmp")),
    ];
    let env = env.map(|(name, path)| (name, path.display().to_string()));
    let ambient = Ambient::default().env(env).scratch(room.join("tmp"));
    let roots = Roots { cwd: room.join("project"), home: room.join("home"), ..Roots::default() };
    let (engine, found) = Engine::builder().source(source).ambient(ambient).connect(&roots).build();
    match found.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        Some(wrong) => Err(format!("{name}: {wrong:#}")),
        None => Ok(Bed { kind, engine, session: Session::default() }),
    }
}

fn event(room: &Path) -> Event {
    let within = Surroundings {
        session_id: "soak".to_owned(),
        cwd: room.join("project"),
        project: room.join("project"),
        home: room.join("home"),
        ..Surroundings::default()
    };
    Event::new("PreToolUse", within)
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": "git push origin main"}))
}
