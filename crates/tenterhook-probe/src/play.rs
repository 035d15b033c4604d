//! Runs an agent once, or as often as its calls need, and tells what became of each call. Judges nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenterhook_process::{Announce, Cancel, Command, End, Sweep, run_blocking};

use crate::agent::{Agent, Event, Mode, Registered, Setting};
use crate::model::{Asked, Model};
use crate::room::Room;
use crate::script::{MAIN, Script};
use crate::way::{Way, mark};

/// What is to be run.
#[derive(Clone, Copy)]
pub struct Play<'a> {
    /// Which agent.
    pub agent: &'a Agent,
    /// Its program.
    pub program: &'a Path,
    /// The `PATH` on which the agent finds Node and the tools of a shell.
    pub path: &'a str,
    /// Under which directory its room lies.
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
    /// What stands in front of the hook, if anything does.
    pub front: Option<&'a dyn Front>,
}

/// The environment in which an agent runs.
pub type Env = Vec<(OsString, OsString)>;

/// What stands between an agent and its hooks: the agent's own config is its business.
pub trait Front: Sync {
    /// Puts itself into a room in which the agent is set up without hooks: what it writes there, and what it adds to the agent's
    /// environment.
    ///
    /// # Errors
    ///
    /// When it cannot.
    fn enter(&self, room: &Room, agent: &Agent, env: &Env) -> Result<Env, String>;

    /// Whether the agent has its hooks in its own config all the same: what enters finds them there.
    fn is_beside_hooks(&self) -> bool {
        false
    }

    /// Looks at what is left in the room, behind the run.
    ///
    /// # Errors
    ///
    /// When it was not called, although hooks were asked.
    fn leave(&self, room: &Room) -> Result<(), String>;
}

impl fmt::Debug for Play<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Play").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// What was seen.
#[derive(Debug)]
pub struct Seen {
    /// How the agent ended: an exit code, or why there is none.
    pub end: Result<i32, String>,
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
pub struct Fate {
    /// It ran as the model wanted it.
    pub ran: bool,
    /// It ran as a hook wanted it.
    pub rewritten: bool,
    /// The model was told what the hook said.
    pub told: bool,
    /// The conversation went on after it.
    pub went_on: bool,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.ran, self.rewritten) {
            (true, _) => "ran",
            (false, true) => "rewritten",
            (false, false) => "stopped",
        };
        let text = if self.told { ", told" } else { "" };
        let ended = if self.went_on { "" } else { ", run ended" };
        write!(f, "{what}{text}{ended}")
    }
}

impl Seen {
    /// How many answers of the model the main conversation went through.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.asked.iter().filter(|a| a.main).map(|a| a.step).max().unwrap_or(0)
    }

    /// Whether the model was sent a text, in any conversation.
    #[must_use]
    pub fn was_told(&self, text: &str) -> bool {
        self.asked.iter().any(|a| a.body.contains(text))
    }

    /// What became of the call that names a way and is the answer number `step`.
    #[must_use]
    pub fn fate(&self, way: &str, step: usize) -> Fate {
        let left = |kind: &str| self.marks.iter().any(|mark| *mark == format!("{kind}.{way}"));
        Fate {
            ran: left("ran"),
            rewritten: left("new"),
            told: self.was_told(&mark(way)),
            went_on: self.steps() > step,
        }
    }

    /// The last lines of what the agent printed, for whoever must find out why it did not play.
    #[must_use]
    pub fn tail(&self) -> String {
        let lines: Vec<&str> =
            self.printed.lines().filter(|line| !line.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(12);
        lines.get(from..).unwrap_or_default().join("\n")
    }
}

/// Runs an agent once.
///
/// # Errors
///
/// When there is no room or no port for it, when it cannot be prepared or started.
pub fn play(play: &Play<'_>) -> Result<Seen, String> {
    let room = Room::new(play.scratch, play.ways).map_err(|error| format!("no room: {error}"))?;
    let model = Model::start(play.script.clone(), play.agent.shell.name)
        .map_err(|error| format!("no port for the model: {error}"))?;
    let url = model.url();
    let hooks: Vec<Registered> = match play.front {
        Some(front) if !front.is_beside_hooks() => Vec::new(),
        _ => play.events.iter().map(|event| registered(&room, *event, play)).collect(),
    };
    let setting = Setting { room: &room, url: &url, mode: play.mode, hooks: &hooks };
    for (path, text) in (play.agent.files)(&setting) {
        room.write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let mut env = environment(play, &setting);
    env.extend(play.front.map_or(Ok(Vec::new()), |f| f.enter(&room, play.agent, &env))?);
    if let Some(args) = (play.agent.before)(&setting) {
        start(play, &room, args, env.clone());
    }
    let prompt = format!("{MAIN} please do what the model says");
    let began = Instant::now();
    let report = start(play, &room, (play.agent.args)(&setting, &prompt), env);
    let end = match report.end {
        End::Exited(code) => Ok(code),
        End::NotStarted(why) => return Err(why.to_string()),
        other => Err(format!("{other:?}")),
    };
    play.front.map_or(Ok(()), |f| f.leave(&room))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Seen {
        end,
        printed: text(&report.stdout.bytes) + &text(&report.stderr.bytes),
        asked: model.asked(),
        marks: room.marks(),
        fired: room.fired(),
        given: Event::ALL.map(|event| (event.name(), room.given(event.name()))).into(),
        took: began.elapsed(),
    })
}

fn registered(room: &Room, event: Event, play: &Play<'_>) -> Registered {
    let command = format!("sh {} {}", room.hook().display(), event.name());
    Registered { event, command, timeout: play.timeout }
}

fn environment(play: &Play<'_>, setting: &Setting<'_>) -> Env {
    let room = setting.room;
    let mut env: Env = vec![
        ("HOME".into(), room.home().into()),
        ("PATH".into(), play.path.into()),
        ("TMPDIR".into(), room.path("tmp").into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TERM".into(), "dumb".into()),
        ("SHELL".into(), "/bin/sh".into()),
    ];
    let own = (play.agent.env)(setting);
    env.extend(own.into_iter().map(|(key, value)| (key.into(), value.into())));
    env
}

fn start(play: &Play<'_>, room: &Room, args: Vec<String>, env: Env) -> tenterhook_process::Report {
    let program: PathBuf = play.program.to_owned();
    let mut command = Command::new(program, args, room.project());
    command.env = env;
    command.timeout = Some(play.within);
    command.limits.stdout = 4 << 20;
    command.limits.start = Duration::from_secs(30);
    command.limits.leak_grace = Duration::from_millis(500);
    // An agent may leave a daemon behind.
    command.sweep = Sweep::Always;
    command.announce = Announce::Never;
    command.umask = Some(0o022);
    run_blocking(command, &Cancel::new())
}
