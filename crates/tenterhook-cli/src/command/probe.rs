//! `probe`: what does the agent that is installed here do with what its hooks say? Runs it against a scripted model, prints what it
//! saw and keeps it for others to read. Touches nothing of the user's own agent: its home and project are scratch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tenterhook_probe::{AGENTS, Agent, Row, Survey, named};
use tenterhook_process::{Cancel, Command, run_blocking};

use super::change::{Readers, write_over};
use super::print_json;
use crate::ambient::Here;
use crate::args::{Format, Probe};
use crate::executable;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;

pub(crate) fn run(args: &Probe, here: &Here, term: Term) -> Result<Exit, Problem> {
    let agent = named(&args.agent).ok_or_else(|| unknown(&args.agent))?;
    let path = path(here);
    let program = match &args.program {
        Some(program) => here.roots.cwd.join(program),
        None => find(agent, &path)?,
    };
    // An agent may leave a daemon behind, which is ours to end.
    let _ = tenterhook_process::adopt_orphans();
    let scratch = std::env::temp_dir();
    let version = version(&program, &path, &scratch);
    let survey = Survey { agent, program: &program, path: &path, scratch: &scratch };
    let rows = survey.rows().map_err(|why| {
        Problem::new(format!("{} cannot be probed: {why}", agent.title))
            .help(format!("the probe was written for version {}", agent.version))
    })?;
    let value = value(agent, &program, &version, &rows);
    keep(agent, &value, here)?;
    match args.output.format {
        Format::Json => print_json(&value, term)?,
        Format::Text => term.data(&text(agent, &version, &rows))?,
    }
    Ok(if rows.iter().any(Row::is_open) { Exit::Wrong } else { Exit::Good })
}

fn unknown(name: &str) -> Problem {
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    Problem::new(format!("cannot drive the agent `{name}`"))
        .help(format!("one of {}", names.join(", ")))
}

fn path(here: &Here) -> String {
    let path = here.env.iter().find(|variable| variable.0 == "PATH");
    path.map_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned(), |variable| variable.1.clone())
}

fn find(agent: &Agent, path: &str) -> Result<PathBuf, Problem> {
    let places = path.split(':').filter(|part| part.starts_with('/'));
    let found = places.map(|path| Path::new(path).join(agent.name)).find(|path| {
        path.metadata().is_ok_and(|found| found.is_file() && executable::is_executable(&found))
    });
    found.ok_or_else(|| {
        Problem::new(format!("{} is not on the PATH", agent.title))
            .help(format!("`--program PATH`, or install it: npm install -g {}", agent.package))
    })
}

/// What the program says that it is.
pub(super) fn version(program: &Path, path: &str, cwd: &Path) -> String {
    let mut command = Command::new(program, ["--version"], cwd);
    command.env =
        vec![("PATH".into(), path.into()), ("HOME".into(), cwd.join("tenterhook-no-home").into())];
    command.timeout = Some(Duration::from_secs(30));
    let report = run_blocking(command, &Cancel::new());
    let text = String::from_utf8_lossy(&report.stdout.bytes).into_owned();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(80).collect()
}

fn value(agent: &Agent, program: &Path, version: &str, rows: &[Row]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "axis": row.axis, "hook": row.hook, "hook_asked": row.asked, "reached": row.outcome.is_some(),
                "ran": row.outcome.map(|outcome| outcome.ran), "rewritten": row.outcome.map(|outcome| outcome.rewritten),
                "shown": row.outcome.map(|outcome| outcome.shown), "went_on": row.outcome.map(|outcome| outcome.went_on),
            })
        })
        .collect();
    json!({
        "agent": agent.name, "version": version, "program": program.display().to_string(), "known_version": agent.version,
        "denials_block": !rows.iter().any(|row| row["hook"] == "deny" && row["ran"] == true), "rows": rows,
    })
}

fn text(agent: &Agent, version: &str, rows: &[Row]) -> String {
    let mut text = format!("{} {version}, headless\n", agent.title);
    for row in rows {
        let outcome = row
            .outcome
            .map_or_else(|| "did not get to it".to_owned(), |outcome| outcome.to_string());
        let unasked = if row.asked || row.outcome.is_none() { "" } else { ", no hook asked" };
        let open = if row.is_open() { "  <- a denial does not block" } else { "" };
        text.push_str(&format!("  {:9} {:8} {outcome}{unasked}{open}\n", row.axis, row.hook));
    }
    text
}

/// Where what was seen of an agent is kept.
pub(super) fn kept_at(agent: &str, here: &Here) -> PathBuf {
    let folder = here.state.join("probes");
    folder.join(format!("{agent}.json"))
}

/// Keeps it where `doctor` finds it.
fn keep(agent: &Agent, value: &Value, here: &Here) -> Result<(), Problem> {
    let path = kept_at(agent.name, here);
    let text = super::json_text(value).unwrap_or_default();
    write_over(&path, &text, Readers::Owner)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}", path.display())))
}
