//! Runs an agent once, or as often as its calls need, and tells what became of each call. Judges nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenterhook_process::{Announce, Cancel, Command, End, NotStarted, Report, Sweep, run_blocking};

use crate::agent::{Agent, Event, Mode, Registered, Setting};
use crate::fixture::Fixture;
use crate::model::{Asked, Model};
use crate::script::{MAIN, Script};
use crate::way::{Way, reason_marker};

/// One run of an agent.
#[derive(Clone, Copy)]
pub struct Play<'a> {
    /// Which agent.
    pub agent: &'a Agent,
    /// Its program.
    pub program: &'a Path,
    /// The `PATH` on which the agent finds Node and the tools of a shell.
    pub path: &'a str,
    /// The directory that contains its fixture.
    pub scratch: &'a Path,
    /// What it may do unasked.
    pub mode: Mode,
    /// What the model says.
    pub script: &'a Script,
    /// What its hooks say.
    pub ways: &'a [Way],
    /// The events on which the agent is given the hook, where nothing stands in front, or what does finds it there.
    pub events: &'a [Event],
    /// How many seconds the agent gives a hook.
    pub timeout: u32,
    /// How long the run may take.
    pub within: Duration,
    /// The program in front of the hook, if there is one.
    pub front: Option<&'a dyn Front>,
    /// Ends the run before its time.
    pub cancel: &'a Cancel,
}

/// Why a program in front of the hooks cannot do its part.
pub type FrontError = Box<dyn std::error::Error + Send + Sync>;

/// Why a run of an agent shows nothing.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The directories of the run cannot be made.
    #[error("cannot make a home and a project: {0}")]
    Fixture(#[source] io::Error),
    /// The scripted model cannot listen.
    #[error("no port for the model: {0}")]
    Model(#[source] io::Error),
    /// A config file of the agent cannot be written.
    #[error("{path}: {source}", path = .path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// The program in front of the hooks failed.
    #[error("{0}")]
    Front(#[source] FrontError),
    /// The agent was not executed.
    #[error(transparent)]
    NotStarted(#[from] NotStarted),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The agent ended before its first request to the model.
    #[error("it never asked its model\n{tail}")]
    NoRequest {
        /// The last lines that it printed.
        tail: String,
    },
    /// A run with the user's account shows nothing about hooks.
    #[error("{why}\n{tail}")]
    NoControl {
        /// What happened to the command that every hook lets pass.
        why: &'static str,
        /// The last lines that it printed.
        tail: String,
    },
}

/// The environment in which an agent runs.
pub type Env = Vec<(OsString, OsString)>;

/// A program between an agent and its hooks, which edits the agent's config itself.
pub trait Front: Sync {
    /// Registers itself in a fixture in which the agent is set up without hooks. Writes its
    /// files there and returns the variables to add to the agent's environment.
    ///
    /// # Errors
    ///
    /// When it cannot.
    fn register(&self, fixture: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError>;

    /// Returns whether the agent keeps the hooks in its own config, so that the front end finds
    /// them there.
    fn keeps_agent_hooks(&self) -> bool {
        false
    }

    /// Checks the fixture after the run.
    ///
    /// # Errors
    ///
    /// When it was not called, although hooks were asked.
    fn require_called_during_run(&self, fixture: &Fixture) -> Result<(), FrontError>;
}

impl fmt::Debug for Play<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Play").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// What was seen.
#[derive(Debug)]
pub struct Seen {
    /// How the agent ended: an exit code, or why there is no code.
    pub end: Result<i32, End>,
    /// What it printed, both streams.
    pub printed: String,
    /// What the model was sent.
    pub asked: Vec<Asked>,
    /// The marks that tools left.
    pub marks: Vec<String>,
    /// How often hooks were asked, by event and way.
    pub fired: BTreeMap<String, usize>,
    /// What hooks were given, by event.
    pub given: BTreeMap<&'static str, String>,
    /// How long it took.
    pub took: Duration,
}

/// What became of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallOutcome {
    /// It ran as the model wanted it.
    pub ran: bool,
    /// It ran as a hook wanted it.
    pub rewritten: bool,
    /// The model received the hook's message.
    pub shown: bool,
    /// The conversation went on after it.
    pub went_on: bool,
}

impl fmt::Display for CallOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.ran, self.rewritten) {
            (true, _) => "ran",
            (false, true) => "rewritten",
            (false, false) => "stopped",
        };
        let text = if self.shown { ", shown" } else { "" };
        let ended = if self.went_on { "" } else { ", run ended" };
        write!(f, "{what}{text}{ended}")
    }
}

impl Seen {
    /// Returns how many answers of the model the main conversation went through.
    #[must_use]
    pub fn main_answer_count(&self) -> usize {
        self.asked.iter().filter(|a| a.main).map(|a| a.step).max().unwrap_or(0)
    }

    /// Returns whether the model was sent a text, in any conversation.
    #[must_use]
    pub fn model_received(&self, text: &str) -> bool {
        self.asked.iter().any(|a| a.body.contains(text))
    }

    /// Returns what happened to the call that names `way` and is in answer number `step`.
    #[must_use]
    pub fn call_outcome(&self, way: &str, step: usize) -> CallOutcome {
        let left = |kind: &str| self.marks.iter().any(|mark| *mark == format!("{kind}.{way}"));
        CallOutcome {
            ran: left("ran"),
            rewritten: left("new"),
            shown: self.model_received(&reason_marker(way)),
            went_on: self.main_answer_count() > step,
        }
    }

    /// Returns the last lines that the agent printed, to show why a run failed.
    #[must_use]
    pub fn last_printed_lines(&self) -> String {
        last_lines(&self.printed)
    }
}

/// Runs an agent once.
///
/// # Errors
///
/// When the fixture or the model's port cannot be made, or the agent cannot be prepared or started.
pub fn run_agent(play: &Play<'_>) -> Result<Seen, PlayError> {
    let fixture = Fixture::new(play.scratch, play.ways).map_err(PlayError::Fixture)?;
    let model =
        Model::start(play.script.clone(), play.agent.shell.name).map_err(PlayError::Model)?;
    let url = model.base_url();
    let hooks: Vec<Registered> = match play.front {
        Some(front) if !front.keeps_agent_hooks() => Vec::new(),
        _ => play.events.iter().map(|event| registered_hook(&fixture, *event, play)).collect(),
    };
    let setting = Setting { fixture: &fixture, url: &url, mode: play.mode, hooks: &hooks };
    for (path, text) in (play.agent.files)(&setting) {
        fixture.write_file(&path, &text).map_err(|source| PlayError::Config { path, source })?;
    }
    let mut env = agent_environment(play, &setting);
    let entered = play.front.map_or(Ok(Vec::new()), |f| f.register(&fixture, play.agent, &env));
    env.extend(entered.map_err(PlayError::Front)?);
    if let Some(args) = (play.agent.before)(&setting) {
        run_agent_program(play, &fixture, args, env.clone())?;
    }
    let prompt = format!("{MAIN} please do what the model says");
    let began = Instant::now();
    let report = run_agent_program(play, &fixture, (play.agent.args)(&setting, &prompt), env)?;
    let printed = printed_text(&report);
    let end = match report.end {
        End::Exited(code) => Ok(code),
        other => Err(other),
    };
    play.front
        .map_or(Ok(()), |f| f.require_called_during_run(&fixture))
        .map_err(PlayError::Front)?;
    Ok(Seen {
        end,
        printed,
        asked: model.requested_turns(),
        marks: fixture.created_mark_file_names(),
        fired: fixture.hook_call_counts(),
        given: Event::ALL.map(|event| (event.name(), fixture.hook_inputs(event.name()))).into(),
        took: began.elapsed(),
    })
}

fn registered_hook(fixture: &Fixture, event: Event, play: &Play<'_>) -> Registered {
    Registered { event, command: fixture.hook_command_line(event), timeout: play.timeout }
}

fn agent_environment(play: &Play<'_>, setting: &Setting<'_>) -> Env {
    let fixture = setting.fixture;
    let mut env: Env = vec![
        ("HOME".into(), fixture.home().into()),
        ("PATH".into(), play.path.into()),
        ("TMPDIR".into(), fixture.path_of("tmp").into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TERM".into(), "dumb".into()),
        ("SHELL".into(), "/bin/sh".into()),
    ];
    let own = (play.agent.env)(setting);
    env.extend(own.into_iter().map(|(key, value)| (key.into(), value.into())));
    env
}

fn run_agent_program(
    play: &Play<'_>,
    fixture: &Fixture,
    args: Vec<String>,
    env: Env,
) -> Result<Report, PlayError> {
    run_program_in_project(play.program, args, fixture, env, play.within, play.cancel)
}

/// Runs an agent's program in the project of a fixture. It and everything that it started end at the
/// time limit, or when they are cancelled.
pub(crate) fn run_program_in_project(
    program: &Path,
    args: Vec<String>,
    fixture: &Fixture,
    env: Env,
    within: Duration,
    cancel: &Cancel,
) -> Result<Report, PlayError> {
    let program: PathBuf = program.to_owned();
    let mut command = Command::new(program, args, fixture.project_dir());
    command.env = env;
    command.timeout = Some(within);
    command.limits.stdout = 4 << 20;
    command.limits.start = Duration::from_secs(30);
    command.limits.leak_grace = Duration::from_millis(500);
    // An agent may leave a daemon behind.
    command.sweep = Sweep::Always;
    command.announce = Announce::Never;
    command.umask = Some(0o022);
    let report = run_blocking(command, cancel);
    match report.end {
        End::NotStarted(why) => Err(why.into()),
        End::Cancelled => Err(PlayError::Cancelled),
        _ => Ok(report),
    }
}

/// Returns everything that a program printed.
pub(crate) fn printed_text(report: &Report) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&report.stdout.bytes) + &text(&report.stderr.bytes)
}

/// Returns the last lines of what an agent printed, to show why a run failed.
pub(crate) fn last_lines(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(12);
    lines.get(from..).unwrap_or_default().join("\n")
}
