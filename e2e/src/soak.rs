//! `cargo e2e soak [--runs N] [--minutes M]`: does a host that fires hooks for long hold ever more of anything?
//!
//! One process fires hooks of every kind in turn, also such as hang, flood and leave children, and pauses at intervals while it
//! is measured from outside. Descriptors, threads, children, survivors and files must not grow at all; memory may grow only by
//! what noise explains, which a run of some thousands can show. If it starts as root, that process runs as an unprivileged user,
//! and in any case it has limits.

mod firing;
mod looked;
mod slope;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use looked::Sample;
use tenterhook_testkit::fakehook;
use tenterhook_testkit::server::{Reply, Server};

use crate::Report;

/// The default number of firings: half a minute for each change.
const RUNS: u64 = 2_000;
/// How many samples are taken on the way.
const SAMPLES: u64 = 25;
/// A run by time is looked at this often.
const EVERY: u64 = 500;
/// The first word of the process that fires.
const INSIDE: &str = "--inside";
/// A user who owns nothing.
const NOBODY: &str = "65534";
/// Its limits: processes, blocks of a file, KiB of addresses, seconds of a core.
const LIMITS: &str = "ulimit -u 400 -f 65536 -v 16777216 -t 36000";

pub(crate) fn run(args: &[&str]) -> Report {
    if let [INSIDE, rest @ ..] = args {
        return firing::run(rest);
    }
    let (runs, minutes) = asked(args)?;
    let failed = |error: std::io::Error| format!("no room for it: {error}");
    let room = tempfile::Builder::new().prefix("soak-").tempdir().map_err(failed)?;
    let server = Server::start(Reply::json("{}")).map_err(failed)?;
    prepare(room.path()).map_err(failed)?;
    let mut child = start(room.path(), &server.url()).map_err(failed)?;
    let taken = samples(&mut child, room.path(), runs, minutes);
    // Whatever came of it, nothing of this stays.
    let ended = child.kill().and_then(|()| child.wait());
    let taken = taken?;
    ended.map_err(|error| format!("the process that fires cannot be ended: {error}"))?;
    let (text, holds) = slope::judge(&taken);
    Ok((format!("{}{text}", table(&taken)), holds))
}

/// How many runs, and for how long at most.
fn asked(args: &[&str]) -> Result<(u64, Option<Duration>), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("`{text}`: {error}"));
    match args {
        [] => Ok((RUNS, None)),
        ["--runs", runs] => Ok((number(runs)?, None)),
        ["--minutes", minutes] => Ok((u64::MAX, Some(Duration::from_secs(60 * number(minutes)?)))),
        ["--runs", runs, "--minutes", minutes] => {
            Ok((number(runs)?, Some(Duration::from_secs(60 * number(minutes)?))))
        }
        _ => Err("usage: cargo e2e soak [--runs N] [--minutes M]".to_owned()),
    }
}

/// Copies the files to where every user can read them.
fn prepare(room: &Path) -> std::io::Result<()> {
    fs::set_permissions(room, fs::Permissions::from_mode(0o755))?;
    let this = std::env::current_exe()?;
    for (name, from) in [("e2e", this.as_path()), ("fakehook", fakehook())] {
        fs::copy(from, room.join(name))?;
        fs::set_permissions(room.join(name), fs::Permissions::from_mode(0o755))?;
    }
    for name in ["home", "project", "tmp"] {
        fs::create_dir(room.join(name))?;
        fs::set_permissions(room.join(name), fs::Permissions::from_mode(0o777))?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host that is looked at must not be started by its own means"
)]
fn start(room: &Path, server: &str) -> std::io::Result<Child> {
    let shown = room.display();
    let line = format!("{LIMITS} && exec '{shown}/e2e' soak {INSIDE} '{shown}' '{server}'");
    let mut words = vec!["bash", "-c", &line];
    if rustix::process::geteuid().is_root() {
        words.splice(0..0, ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
    }
    let (program, args) = words.split_first().ok_or_else(|| std::io::Error::other("no words"))?;
    Command::new(program)
        .args(args)
        .current_dir(room.join("project"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", room.join("home"))
        .env("TMPDIR", room.join("tmp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
}

/// Lets it fire step by step and looks at it in between.
fn samples(
    child: &mut Child,
    room: &Path,
    runs: u64,
    limit: Option<Duration>,
) -> Result<Vec<Sample>, String> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (Some(mut orders), Some(words)) = (stdin, stdout) else {
        return Err("it has no streams".to_owned());
    };
    let mut words = BufReader::new(words).lines();
    let step = if limit.is_some() { EVERY } else { (runs / SAMPLES).max(1) };
    let (began, mut fired) = (Instant::now(), 0);
    let mut all: Vec<Sample> = Vec::new();
    while fired < runs && limit.is_none_or(|limit| began.elapsed() < limit) {
        let next = step.min(runs - fired);
        writeln!(orders, "{next}").map_err(|error| format!("it is gone: {error}"))?;
        let text = words.next().and_then(Result::ok).ok_or("it ended before its time")?;
        if text != "done" {
            return Err(format!("it went wrong: {text}"));
        }
        fired += next;
        let sample = looked::at_rest(child.id(), room, fired, &all);
        all.push(sample);
    }
    Ok(all)
}

fn table(all: &[Sample]) -> String {
    let mut out = format!("{:>9}", "runs");
    for (name, _) in looked::MEASURES {
        let _ = write!(out, " {name:>12}");
    }
    out.push('\n');
    // A long run is shown in as many lines as a short one.
    let step = all.len().div_ceil(usize::try_from(SAMPLES).unwrap_or(1)).max(1);
    for sample in all.iter().step_by(step) {
        let _ = write!(out, "{:>9}", sample.runs);
        for (_, value) in looked::MEASURES {
            let _ = write!(out, " {:>12}", value(sample));
        }
        out.push('\n');
    }
    out
}
