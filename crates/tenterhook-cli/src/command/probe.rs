//! `probe`: what does the agent that is installed here do with what its hooks say? Runs it, prints what was seen and stores it for
//! others to read. An agent that runs offline gets a scratch home; `account` has the others.

mod account;

use std::io::{self, BufRead as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use tenterhook_probe::{Agent, Row, Survey};
use tenterhook_process::{Cancel, Command, run_blocking};

pub(super) use self::account::stored_result_note;
use super::change::{Readers, write_file_atomically};
use super::install::files::find_on_path;
use super::print_json;
use crate::ambient::Here;
use crate::args::{Format, Probe, Probed};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;
use crate::wait::call_handler_on_first_signal;

pub(crate) fn run(args: &Probe, here: &Here, term: Term) -> Result<Exit, Problem> {
    match args.agent {
        Probed::WithAccount(agent) => account::run(agent, args, here, term),
        Probed::Offline(agent) if args.use_my_account => {
            let problem = format!("{} is probed offline, without your account", agent.title);
            Err(Problem::new(problem).with_help("leave out `--use-my-account`"))
        }
        Probed::Offline(agent) => run_offline(agent, args, here, term),
    }
}

fn run_offline(agent: &Agent, args: &Probe, here: &Here, term: Term) -> Result<Exit, Problem> {
    let path = path_variable(here);
    let program = find_agent_program(agent.name, args, here).ok_or_else(|| {
        Problem::new(format!("{} is not on the PATH", agent.title))
            .with_help(format!("`--program PATH`, or install it: {}", agent.install_command()))
    })?;
    // An agent may leave a daemon behind, which is ours to end.
    let _ = tenterhook_process::adopt_orphans();
    let interruption = Interruption::listen()?;
    let scratch = std::env::temp_dir();
    let version = program_version(&program, &path, &scratch);
    let cancel = &interruption.cancel;
    let survey = Survey { agent, program: &program, path: &path, scratch: &scratch, cancel };
    let rows = survey.run_all_checks();
    if let Some(exit) = interruption.exit() {
        return Ok(exit);
    }
    let rows = rows.map_err(|why| {
        Problem::new(format!("{} cannot be probed: {why}", agent.title))
            .with_help(format!("the probe was written for version {}", agent.version))
    })?;
    let value = result_json(agent, &program, &version, &rows);
    store_result(agent.name, &value, here)?;
    match args.output.format {
        Format::Json => print_json(&value, term)?,
        Format::Text => term.print_data(&result_text(agent, &version, &rows))?,
    }
    Ok(if rows.iter().any(Row::has_failed_to_block) { Exit::Wrong } else { Exit::Good })
}

/// Cancels an agent's runs at the first signal, so that its folders are removed (BR-194).
struct Interruption {
    cancel: Cancel,
    signal: Arc<OnceLock<u8>>,
    sender: Sender<Option<io::Result<usize>>>,
    lines: Receiver<Option<io::Result<usize>>>,
}

impl Interruption {
    fn listen() -> Result<Self, Problem> {
        let (sender, lines) = channel();
        let (cancel, signal) = (Cancel::new(), Arc::new(OnceLock::new()));
        let (token, received, waiting) = (cancel.clone(), Arc::clone(&signal), sender.clone());
        call_handler_on_first_signal(move |number| {
            let _ = received.set(number);
            token.cancel();
            // Without a receiver the program is about to end.
            drop(waiting.send(None));
        })?;
        Ok(Self { cancel, signal, sender, lines })
    }

    /// Returns the exit code if a signal came.
    fn exit(&self) -> Option<Exit> {
        self.signal.get().copied().map(Exit::Cancelled)
    }

    /// Waits for a line on standard input and returns its length; `None` if a signal came first.
    fn wait_for_line(&self) -> Option<io::Result<usize>> {
        let lines = self.sender.clone();
        // Reading cannot be cancelled; the thread ends with the program.
        std::thread::spawn(move || {
            let read = io::stdin().lock().read_line(&mut String::new());
            drop(lines.send(Some(read)));
        });
        self.lines.recv().unwrap_or_default()
    }
}

fn path_variable(here: &Here) -> String {
    let path = here.env.iter().find(|variable| variable.0 == "PATH");
    path.map_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned(), |variable| variable.1.clone())
}

/// Returns the program that the arguments name, else the first of this name on the `PATH`.
fn find_agent_program(name: &str, args: &Probe, here: &Here) -> Option<PathBuf> {
    let named = args.program.as_ref().map(|program| here.roots.cwd.join(program));
    named.or_else(|| find_on_path(name, here).next())
}

/// Returns what the program prints for `--version`.
pub(super) fn program_version(program: &Path, path: &str, cwd: &Path) -> String {
    let mut command = Command::new(program, ["--version"], cwd);
    command.env =
        vec![("PATH".into(), path.into()), ("HOME".into(), cwd.join("tenterhook-no-home").into())];
    command.timeout = Some(Duration::from_secs(30));
    let report = run_blocking(command, &Cancel::new());
    let text = String::from_utf8_lossy(&report.stdout.bytes).into_owned();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(80).collect()
}

fn result_json(agent: &Agent, program: &Path, version: &str, rows: &[Row]) -> Value {
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

fn result_text(agent: &Agent, version: &str, rows: &[Row]) -> String {
    let mut text = format!("{} {version}, headless\n", agent.title);
    for row in rows {
        let outcome = row
            .outcome
            .map_or_else(|| "did not get to it".to_owned(), |outcome| outcome.to_string());
        let unasked = if row.asked || row.outcome.is_none() { "" } else { ", no hook asked" };
        let open = if row.has_failed_to_block() { "  <- a denial does not block" } else { "" };
        text.push_str(&format!("  {:9} {:8} {outcome}{unasked}{open}\n", row.axis, row.hook));
    }
    text
}

/// Returns the path at which the probe result of an agent is stored.
pub(super) fn stored_result_path(agent: &str, here: &Here) -> PathBuf {
    let folder = here.state.join("probes");
    folder.join(format!("{agent}.json"))
}

/// Stores the result where `doctor` finds it.
fn store_result(agent: &str, value: &Value, here: &Here) -> Result<(), Problem> {
    let path = stored_result_path(agent, here);
    let text = super::to_pretty_json(value).unwrap_or_default();
    write_file_atomically(&path, &text, Readers::Owner)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}", path.display())))
}
