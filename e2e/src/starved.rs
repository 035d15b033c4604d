//! `cargo e2e starved`: does any environment that starves the program turn an objection into a pass?
//!
//! A hook objects with exit code 2. Whatever the program inherits (limits, signals, streams, directories, a full disk), it must
//! exit with a code that is not 0, in good time: a lost answer of the hook is no reason to go on. Rows that this machine or this
//! user cannot make are skipped, and say why.

mod rows;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rows::{ROWS, Row, Who};
use serde_json::Value;

use crate::{Report, tree};

/// What objects, in two dialects: one whose agent goes on where a hook fails, and one that blocks.
const CONFIGS: &[(&str, &str)] = &[
    (
        "claude=hooks.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo no >&2; exit 2"}]}]}}"#,
    ),
    ("native=hooks.toml", "[hook.no]\non = 'PreToolUse'\nshell = 'echo no >&2; exit 2'\n"),
];

/// What comes out in each form.
const FORMS: &[&str] = &["--format json", ""];

/// Longer than any of it takes on a busy machine. What takes longer hangs.
const HANGS: Duration = Duration::from_secs(60);

/// A user who owns nothing, for limits that do not bind root.
const NOBODY: u32 = 65534;

pub(crate) fn run() -> Report {
    tree::build("tenterhook-cli")?;
    let room = Fixture::new().map_err(|error| format!("no room for it: {error}"))?;
    let mut said = format!("{:34} {:8} {:>5}  {}\n", "environment", "hooks", "exit", "output");
    let (mut open, mut skipped, mut tried) = (0, 0, 0);
    for row in ROWS {
        if let Some(why) = room.cannot(row) {
            skipped += 1;
            let _ = writeln!(said, "{:34} skipped: {why}", row.name);
            continue;
        }
        for (config, _) in CONFIGS {
            for form in FORMS {
                let ended = room.fire(row, config, form)?;
                tried += 1;
                let held = ended.holds(row, form);
                open += usize::from(!held);
                let dialect = config.split('=').next().unwrap_or_default();
                if !held || !form.is_empty() {
                    let mark = if held { "" } else { "  <- OPEN" };
                    let _ = writeln!(
                        said,
                        "{:34} {dialect:8} {:>5}  {}{mark}",
                        row.name,
                        ended.code(),
                        ended.summary()
                    );
                }
            }
        }
    }
    let _ = writeln!(
        said,
        "{tried} firings, {open} that passed, hung or said nothing; {skipped} environments skipped"
    );
    Ok((said, open == 0 && tried > 0))
}

/// How one firing ended.
struct Ended {
    /// None where it hung and was killed.
    status: Option<ExitStatus>,
    stdout: String,
}

impl Ended {
    fn code(&self) -> String {
        match self.status {
            None => "hangs".to_owned(),
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => code.to_string(),
                (None, signal) => format!("s{}", signal.unwrap_or_default()),
            },
        }
    }

    /// It ended, and not with 0; and where the environment leaves it its voice, it says so in the form that was asked for.
    fn holds(&self, row: &Row, form: &str) -> bool {
        let Some(status) = self.status else { return false };
        let restrains = match form {
            "" => ["BLOCKED", "ASK FIRST"].iter().any(|text| self.stdout.contains(text)),
            _ => self.decision().is_some(),
        };
        // A program that was never loaded has no voice. One that a signal ended has had one, and a word for it.
        let speechless = row.mute || status.code().is_some_and(|code| code > 4);
        !status.success() && (speechless || restrains)
    }

    fn decision(&self) -> Option<String> {
        let outcome: Value = serde_json::from_str(&self.stdout).ok()?;
        outcome.get("decision")?.as_str().map(str::to_owned)
    }

    fn summary(&self) -> String {
        let outcome: Option<Value> = serde_json::from_str(&self.stdout).ok();
        let Some(outcome) = outcome else { return "(no outcome)".to_owned() };
        let fault = outcome.pointer("/faults/0/code").and_then(Value::as_str);
        let decision = outcome.get("decision").and_then(Value::as_str).unwrap_or("silence");
        fault.map_or_else(|| decision.to_owned(), |code| format!("{decision} ({code})"))
    }
}

/// A directory that any user may read, with the program in it.
struct Fixture {
    directory: PathBuf,
    root: bool,
}

impl Fixture {
    fn new() -> std::io::Result<Self> {
        let directory = std::env::temp_dir().join(format!("starved-{}", std::process::id()));
        fs::create_dir_all(directory.join("home"))?;
        let room = Self { directory, root: rustix::process::geteuid().is_root() };
        let binary = tree::root().join("target/debug/tenterhook");
        // A link costs nothing; a directory of another user may not be entered.
        let own = room.directory.join("tenterhook");
        fs::hard_link(&binary, &own).or_else(|_| fs::copy(&binary, &own).map(drop))?;
        for (config, text) in CONFIGS {
            let (_, file) = config.split_once('=').unwrap_or_default();
            fs::write(room.directory.join(file), text)?;
        }
        let event = |command: &str| {
            let input = serde_json::json!({ "command": command });
            serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input})
        };
        fs::write(room.directory.join("event.json"), event("ls").to_string())?;
        fs::write(room.directory.join("large.json"), event(&"a ".repeat(16 << 20)).to_string())?;
        for (name, text) in rows::FILES {
            fs::write(room.directory.join(name), text)?;
        }
        // The program keeps its mode: where it is a link, that is the mode of what was built.
        for path in [room.directory.clone(), room.directory.join("home")] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o777))?;
        }
        Ok(room)
    }

    /// Why a row cannot be tried here.
    fn cannot(&self, row: &Row) -> Option<String> {
        if row.who == Who::Root && !self.root {
            return Some("needs root".to_owned());
        }
        if row.who == Who::Unprivileged && self.root && !works("setpriv --version") {
            return Some(
                "limits of processes do not bind root, and there is no `setpriv`".to_owned(),
            );
        }
        let missing = row.needs.iter().find(|need| !self.works_here(need))?;
        Some(format!("`{missing}` does not work here"))
    }

    fn works_here(&self, line: &str) -> bool {
        let line = line.replace("{dir}", &self.directory.display().to_string());
        works(&format!("cd '{}' && {line}", self.directory.display()))
    }

    fn fire(&self, row: &Row, config: &str, form: &str) -> Result<Ended, String> {
        let config = config.replace('=', "={dir}/");
        let fire =
            format!("{{dir}}/tenterhook fire --config {config} {form} {{dir}}/{}", row.event);
        let line = row.line.replace("{fire}", &format!("exec {fire}")).replace("{run}", &fire);
        let line = line.replace("{dir}", &self.directory.display().to_string());
        let (program, args) = match row.who {
            Who::Unprivileged if self.root => {
                let user = NOBODY.to_string();
                (
                    "setpriv",
                    vec![
                        "--reuid".into(),
                        user.clone(),
                        "--regid".into(),
                        user,
                        "--clear-groups".into(),
                        "bash".into(),
                        "-c".into(),
                        line,
                    ],
                )
            }
            _ => ("bash", vec!["-c".to_owned(), line]),
        };
        let stdout = self.directory.join("stdout");
        let error = |error| format!("{}: {error}", row.name);
        let file = fs::File::create(&stdout).map_err(error)?;
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&self.directory)
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.directory.join("home"))
            .env("TMPDIR", self.directory.join("home"))
            // Without a home, the record would be in that of the current user.
            .env("XDG_STATE_HOME", self.directory.join("state"))
            .stdin(std::process::Stdio::null())
            .stdout(file)
            .stderr(std::process::Stdio::null());
        let status = wait(&mut command).map_err(error)?;
        Ok(Ended { status, stdout: fs::read_to_string(&stdout).unwrap_or_default() })
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // What a row mounted is gone with its namespace; what cannot be removed lies in the directory for such things.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Whether a line of shell ends well.
fn works(line: &str) -> bool {
    let output = Command::new("bash").args(["-c", line]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Waits for it; nothing where it hangs.
#[expect(
    clippy::disallowed_methods,
    reason = "the starved program must not be started by its own means"
)]
fn wait(command: &mut Command) -> std::io::Result<Option<ExitStatus>> {
    use std::os::unix::process::CommandExt as _;
    let mut child = command.process_group(0).spawn()?;
    let until = Instant::now() + HANGS;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            let group = rustix::process::Pid::from_child(&child);
            // It may have ended at this moment.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: i32, stdout: &str) -> Ended {
        Ended { status: Some(ExitStatus::from_raw(code << 8)), stdout: stdout.to_owned() }
    }

    #[test]
    fn a_pass_a_hang_and_a_shrug_are_open() {
        let row = &ROWS[0];
        let holds = |output: Ended| output.holds(row, "--format json");
        assert!(holds(ended(2, r#"{"decision":"deny"}"#)));
        assert!(holds(ended(3, r#"{"decision":"ask"}"#)));
        assert!(holds(ended(127, "")), "it was never loaded");
        assert!(!holds(ended(0, r#"{"decision":"deny"}"#)));
        assert!(!holds(ended(2, r#"{"decision":null}"#)));
        assert!(!holds(ended(2, "")));
        assert!(!holds(Ended { status: None, stdout: String::new() }));
    }

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let mut names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROWS.len());
        assert!(ROWS.iter().all(|row| row.line.contains("{fire}") || row.line.contains("{run}")));
    }
}
