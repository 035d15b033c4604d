//! `cargo e2e prewarm`: does a script behave in the form of its interpreter (`prewarm = "python"`, `"node"`) as it does
//! started plainly? Needs interpreters, which `cargo test` does not. Names of others than `python3` and `node` may follow.

mod node;
mod tests;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tests::{SCRIPTS, Script};

use crate::{Report, tree};

const SHIM: &str = "crates/tenterhook/src/executor/command/shim.py";

/// What every script is handed: two lines, so that `input()` has a second one.
const INPUT: &[u8] =
    b"{\"event\": \"PreToolUse\", \"word\": \"gr\xc3\xbc\xc3\x9f\"}\nsecond line\n";

/// How long the shim waits before it is handed its input, so that it is ready and truly waits.
const READY: Duration = Duration::from_millis(150);

/// What came of one run.
#[derive(Debug, PartialEq, Eq)]
struct Behaviour {
    stdout: String,
    stderr: String,
    ended: String,
    written: Option<String>,
}

/// The default interpreters.
const INTERPRETERS: &[&str] = &["python3", "node"];

pub(crate) fn run(named: &[&str]) -> Report {
    let mut said = String::new();
    let mut differing = 0;
    for interpreter in if named.is_empty() { INTERPRETERS } else { named } {
        let file_name = interpreter.rsplit('/').next().unwrap_or(interpreter);
        let (lines, wrong) = match file_name.starts_with("node") {
            true => node::run(interpreter)?,
            false => python(interpreter)?,
        };
        said.push_str(&lines);
        differing += wrong;
    }
    Ok((said, differing == 0))
}

/// Runs all scripts with one Python. Gives what is to be said, and how many behave differently.
fn python(python: &str) -> Result<(String, usize), String> {
    let shim =
        std::fs::read_to_string(tree::root().join(SHIM)).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut differing = 0;
    for script in SCRIPTS {
        let fixture = Fixture::new("script.py", script.text, script.beside)?;
        let plain = behaviour(python, script, None, &fixture)?;
        fixture.clean();
        let shimmed = behaviour(python, script, Some(&shim), &fixture)?;
        if plain != shimmed {
            differing += 1;
            let name = script.name;
            let _ = writeln!(text, "{python}: {name}\n  plain {plain:#?}\n  shim {shimmed:#?}");
        }
    }
    let (all, same) = (SCRIPTS.len(), SCRIPTS.len().saturating_sub(differing));
    let _ = writeln!(text, "{python}: {same} of {all} scripts behave the same");
    Ok((text, differing))
}

/// A directory of one script and the files beside it.
struct Fixture(PathBuf);

impl Fixture {
    fn new(file: &str, text: &str, beside: &[(&str, &str)]) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("tenterhook-prewarm-{}", std::process::id()));
        let fixture = Self(path);
        let make = || -> std::io::Result<()> {
            std::fs::create_dir_all(fixture.0.join("tools"))?;
            std::fs::create_dir_all(fixture.0.join("work"))?;
            std::fs::write(fixture.0.join("tools").join(file), text)?;
            for (name, text) in beside {
                std::fs::write(fixture.0.join(name), text)?;
            }
            Ok(())
        };
        make().map_err(|error| format!("{}: {error}", fixture.0.display()))?;
        Ok(fixture)
    }

    /// Takes away what a run wrote.
    fn clean(&self) {
        let _ = std::fs::remove_file(self.0.join("work/out.txt"));
        let _ = std::fs::remove_dir_all(self.0.join("tools/__pycache__"));
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[expect(clippy::disallowed_methods, reason = "plainly is how the engine does not start it")]
fn behaviour(
    python: &str,
    script: &Script,
    shim: Option<&str>,
    fixture: &Fixture,
) -> Result<Behaviour, String> {
    let work = fixture.0.join("work");
    let mut command = Command::new(python);
    command.args(script.options).args(shim.iter().flat_map(|shim| ["-c", shim]));
    let named = script.named.replace("{dir}", &fixture.0.display().to_string());
    command.arg(named).args(script.args).current_dir(&work);
    command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{python} cannot be run: {error}"))?;
    if shim.is_some() {
        std::thread::sleep(READY);
    }
    if let Some(mut stdin) = child.stdin.take() {
        // A script need not read it.
        let _ = stdin.write_all(INPUT);
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| without_addresses(&String::from_utf8_lossy(bytes));
    Ok(Behaviour {
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        ended: output.status.to_string(),
        written: read(&work.join("out.txt")),
    })
}

/// Objects lie elsewhere in each process.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split(" at 0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + " at " + part.trim_start_matches(|c: char| c.is_ascii_hexdigit())
    })
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
