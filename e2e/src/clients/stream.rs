//! Do the example clients of `fire --stream` report every outcome, and deny when the program is missing or ends? Runs each client;
//! parses only what it prints.

use std::fs::Permissions;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tenterhook_testkit::Sandbox;

use super::workers::Judged;
use crate::approve::approve;

/// A client: its command, and whether its language must be installed.
type Client = (&'static [&'static str], bool);

const CLIENTS: &[Client] = &[
    (&["python3", "stream/client.py"], true),
    (&["node", "stream/client.mjs"], true),
    (&["go", "run", "stream/types.go", "stream/client.go"], false),
];

/// How long a client may take, a compiled one included. A client that waits for a dead program takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// The user's own hook: it rewrites one of the commands.
const REWRITE: &str = r#"[hook.no-install-scripts]
on = "PreToolUse"
if = "Bash(npm install)"
phase = "rewrite"
shell = """echo '{"input": {"command": "npm install --ignore-scripts"}}'"""
"#;

/// A program that answers one event with a rewrite, and ends.
const ENDS: &str = r#"#!/bin/sh
read -r line
id=$(printf '%s' "$line" | sed -n 's/.*"id": *\([0-9]*\).*/\1/p')
echo "{\"id\":$id,\"blocked\":false,\"decision\":null,\"reason\":null,\"updated_input\":{\"command\":\"ls -l\"},\"stop\":null}"
"#;

/// A program that ends within its first line.
const CUT: &str = "#!/bin/sh\nread -r line\nprintf '{\"id\":'\n";

/// A program that never answers.
const MUTE: &str = "#!/bin/sh\nexec sleep 600\n";

/// The limit of a client in seconds, behind the program that never answers.
const LIMIT: &str = "0.5";

/// The answer that a client prints for a call that it must not run.
const GONE: &str = "deny tenterhook is not running: nothing may proceed";

/// The commands that each client asks about.
const COMMANDS: [&str; 4] = ["ls", "rm -rf build", "cat .env", "npm install"];

/// The start of each line that a client prints behind Tenterhook, and behind programs that fail.
fn plays(binary: &Path, scripts: &Path) -> [(&'static str, PathBuf, Vec<String>); 5] {
    let lines = |answers: [&str; 4]| {
        let pairs = COMMANDS.iter().zip(answers);
        pairs.map(|(command, answer)| format!("{command}: {answer}")).collect()
    };
    let judged = ["proceed", "deny Delete", "deny This", "proceed as npm install --ignore-scripts"];
    [
        ("Tenterhook", binary.to_owned(), lines(judged)),
        ("a missing program", scripts.join("missing"), lines([GONE; 4])),
        (
            "a program that ends",
            scripts.join("ends"),
            lines(["proceed as ls -l", GONE, GONE, GONE]),
        ),
        ("a program that ends within a line", scripts.join("cut"), lines([GONE; 4])),
        ("a program that never answers", scripts.join("mute"), lines([GONE; 4])),
    ]
}

pub(super) fn judge_all(root: &Path, binary: &Path) -> Result<Vec<Judged>, String> {
    let failed = |error: std::io::Error| error.to_string();
    // A temporary home, whose user has reviewed the hooks of the examples.
    let sandbox = Sandbox::new().map_err(failed)?;
    let examples = root.join("examples");
    approve(binary, &examples, &sandbox.env())?;
    sandbox.write("~/.config/tenterhook/tenterhook.toml", REWRITE).map_err(failed)?;
    for (name, text) in [("ends", ENDS), ("cut", CUT), ("mute", MUTE)] {
        let path = sandbox.scripts().join(name);
        std::fs::write(&path, text).map_err(failed)?;
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).map_err(failed)?;
    }
    let plays = plays(binary, &sandbox.scripts());
    let judge = |(command, is_needed): &Client| {
        let name = command.last().copied().unwrap_or_default().to_owned();
        let answers = plays.iter().map(|(what, program, expected)| {
            let Some(printed) = run_client(command, program, &examples, &sandbox)? else {
                return Ok(false);
            };
            let lines: Vec<&str> = printed.lines().collect();
            let fits = lines.len() == expected.len()
                && lines.iter().zip(expected).all(|(line, start)| line.starts_with(start));
            if fits { Ok(true) } else { Err(format!("with {what}, it printed {printed:?}")) }
        });
        let judged = match answers.collect::<Result<Vec<bool>, String>>() {
            Ok(ran) if ran.iter().all(|ran| *ran) => {
                Ok("reports every outcome, and denies without Tenterhook")
            }
            Ok(_) if !is_needed => Ok("skipped: its language is not installed"),
            Ok(_) => Err("its language is not installed".to_owned()),
            Err(error) => Err(error),
        };
        (name, judged)
    };
    Ok(CLIENTS.iter().map(judge).collect())
}

/// Returns the output of a client of `program`; `None` if its language is not installed.
#[expect(clippy::disallowed_methods, reason = "a client is started as its users start it")]
fn run_client(
    command: &[&str],
    program: &Path,
    examples: &Path,
    sandbox: &Sandbox,
) -> Result<Option<String>, String> {
    let [language, arguments @ ..] = command else { return Ok(None) };
    let started = Command::new(language)
        .args(arguments)
        .arg(program)
        .args(program.ends_with("mute").then_some(LIMIT))
        .current_dir(examples)
        .envs(sandbox.env())
        .stdout(Stdio::piped())
        .spawn();
    match started {
        Ok(client) => wait_for_output(client).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{language} cannot be run: {error}")),
    }
}

/// Waits until a client ends, and returns its output.
fn wait_for_output(mut client: Child) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let until = Instant::now() + PATIENCE;
    while client.try_wait().map_err(failed)?.is_none() {
        if Instant::now() >= until {
            client.kill().map_err(failed)?;
            client.wait().map_err(failed)?;
            return Err("it did not end".to_owned());
        }
        thread::sleep(Duration::from_millis(5));
    }
    let mut printed = String::new();
    let output = client.stdout.take().map(|mut output| output.read_to_string(&mut printed));
    output.transpose().map_err(failed)?;
    Ok(printed)
}
