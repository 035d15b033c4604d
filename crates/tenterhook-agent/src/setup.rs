//! Builds a session from the command line and the environment: the only file that reads either.
#![expect(
    clippy::disallowed_methods,
    reason = "the program is the one that may ask its environment"
)]

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tenterhook::internal::discover;
use tenterhook_core::agents::CLAUDE;

use crate::agent::{Agent, Patience, Role, Settings, Steering};
use crate::args::Args;
use crate::gate::Seen;
use crate::hooks::{AgentContext, BadRule, Hooks, PermissionRule};
use crate::model::{self, OpenError, Opened};
use crate::permission::{Mode, Permissions, Rules};
use crate::render::Renderer;
use crate::scratch_project::{ScratchError, ScratchProject};
use crate::session::Session;
use crate::tally::Tally;
use crate::tasks::Tasks;
use crate::toolbox::Toolbox;
use crate::transcript::{self, StoredSession, Transcript};
use crate::update::Updates;

/// The beginning of the system prompt.
const SYSTEM: &str = "You are a coding agent in a terminal. Use your tools to look before you change, keep changes small, \
    and say briefly what you did.";

/// Variables that lead to the user's own files, beside that of Claude Code: a project that a script brings has separate ones.
const HOMES: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// The longest time that the end of a session waits for hooks.
const EXIT_WAIT: Duration = Duration::from_mins(1);

/// Why no session can begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    #[error(transparent)]
    Model(#[from] OpenError),
    #[error(transparent)]
    Rule(#[from] BadRule),
    #[error("the current directory cannot be read: {0}")]
    CurrentDirectory(#[source] io::Error),
    #[error("`HOME` is `{home}`: set it to an absolute path", home = .0.display())]
    RelativeHome(PathBuf),
    #[error("the transcript `{path}` cannot be {action}: {source}", path = .path.display())]
    Transcript { action: &'static str, path: PathBuf, source: io::Error },
    #[error("`{given}` is not a valid permission mode: say one of {known}")]
    Mode { given: String, known: String },
    /// The number is negative, too large or no number.
    #[error("`{option} {value}` is not a valid number of seconds")]
    NotSeconds { option: &'static str, value: f64 },
    #[error("`--exit-wait {0}` is too long: write a number up to {most}", most = EXIT_WAIT.as_secs())]
    ExitWait(f64),
}

/// Builds the session.
pub(crate) fn build_session(args: Args, updates: Updates) -> Result<Session, SetupError> {
    let scratch_project = ScratchProject::for_model(args.model.as_deref())?;
    let Around { cwd, home, env } = find_surroundings(scratch_project.as_ref())?;
    let Opened { name: model, provider } = model::open(args.model.as_deref(), &env)?;
    let permissions = initial_permissions(&args)?;
    let patience = parse_wait_times(&args)?;
    let own = || transcript_path(&home, &transcript::new_session_id(), &env);
    let begun = open_transcript(&args, own, &updates)?;
    let id = begun.write_transcript_start(&model, &cwd, &updates);
    let Begun { source, stored, transcript } = begun;
    let place = AgentContext {
        session: id,
        cwd: cwd.clone(),
        project: cwd.clone(),
        home: home.clone(),
        is_named: scratch_project.is_some(),
        transcript: transcript.path().to_owned(),
        facts: session_facts(&permissions, &model),
    };
    let hooks = Hooks::load(place, &env, updates.clone());
    let agent = Agent {
        role: Role::Main,
        tasks: Tasks::default(),
        toolbox: if args.no_mcp_tools { Toolbox::without_servers() } else { Toolbox::default() },
        tally: Tally::default(),
        renderer: Renderer::start(hooks.clone(), updates.clone()),
        hooks,
        updates,
        provider,
        permissions: Arc::new(permissions),
        transcript,
        steering: Steering::default(),
        settings: Settings {
            model,
            system: format!("{SYSTEM}{}", args.sandbox.system_note()),
            started: Vec::new(),
            instructions: Vec::new(),
            cwd: cwd.clone(),
            project: cwd,
            home,
            env,
            sandbox: args.sandbox,
            attended: args.print.is_none(),
            patience,
            steps: args.max_steps,
        },
        seen: Seen::from_earlier_session(stored.messages.len()),
        messages: stored.messages,
        typed: None,
        unfinished: String::new(),
        done: Vec::new(),
        turns: 0,
    };
    Ok(Session::new(agent, source, setup_trigger(&args)).with_scratch_project(scratch_project))
}

/// Returns the facts that every event contains from the start of the session.
fn session_facts(permissions: &Permissions, model: &str) -> Map<String, Value> {
    Map::from_iter([
        ("permission_mode".to_owned(), permissions.mode().name().into()),
        ("model".to_owned(), model.into()),
        // Nothing was used yet, as hooks that ask can read.
        ("total_tokens".to_owned(), 0.into()),
    ])
}

/// Returns the trigger of the `Setup` event that was requested.
fn setup_trigger(args: &Args) -> Option<&'static str> {
    match (args.init, args.maintenance) {
        (true, _) => Some("init"),
        (false, true) => Some("maintenance"),
        (false, false) => None,
    }
}

/// What the program finds round itself, or the scratch project of a script in its place.
struct Around {
    cwd: PathBuf,
    home: PathBuf,
    env: Vec<(String, String)>,
}

fn find_surroundings(scratch_project: Option<&ScratchProject>) -> Result<Around, SetupError> {
    let mut env: Vec<(String, String)> = env::vars_os()
        .map(|(name, value)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
        })
        .collect();
    let Some(scratch_project) = scratch_project else {
        let cwd = env::current_dir().map_err(SetupError::CurrentDirectory)?;
        let home = env::home_dir().unwrap_or_else(|| "/".into());
        // Its hooks would be missed, or taken from whatever directory this is.
        if home.is_relative() {
            return Err(SetupError::RelativeHome(home));
        }
        return Ok(Around { cwd, home, env });
    };
    let home = scratch_project.home_path();
    let of_claude = CLAUDE.installation.home_variable;
    env.retain(|(name, _)| !HOMES.contains(&name.as_str()) && of_claude != Some(name.as_str()));
    env.push(("HOME".to_owned(), home.display().to_string()));
    Ok(Around { cwd: scratch_project.project(), home, env })
}

/// How a session begins.
struct Begun {
    /// Why: a matcher subject of `SessionStart`.
    source: &'static str,
    /// What an earlier one has kept for it.
    stored: StoredSession,
    /// Where it keeps what comes.
    transcript: Transcript,
}

impl Begun {
    /// Writes the beginning of the transcript; for a copy, the whole conversation. Returns the id
    /// of the session. If it cannot be written, the lines wait and the session continues.
    fn write_transcript_start(&self, model: &str, cwd: &Path, updates: &Updates) -> String {
        let Self { source, stored, transcript } = self;
        let (id, begun) = transcript.write_session_start(stored, model, cwd);
        let copied = if *source == "fork" { transcript.copy_messages(stored) } else { Ok(()) };
        if let Err(error) = begun.and(copied) {
            updates.warn("transcript", file_error("written", transcript.path(), error).to_string());
        }
        id
    }
}

fn open_transcript(
    args: &Args,
    own: impl FnOnce() -> PathBuf,
    updates: &Updates,
) -> Result<Begun, SetupError> {
    let anew = || {
        let path = own();
        let begun = match discover::missing_home_above(&path) {
            Some(home) => {
                updates.warn("transcript", discover::missing_home_message(&home));
                Transcript::open_temporary(&path)
            }
            None => Transcript::open(&path),
        };
        begun.map_err(|error| file_error("written", &path, error))
    };
    let Some(path) = &args.resume else {
        return Ok(Begun {
            source: "startup",
            stored: StoredSession::default(),
            transcript: anew()?,
        });
    };
    let begun = if args.fork {
        let stored =
            Transcript::read_session(path).map_err(|error| file_error("read", path, error))?;
        let mut copy = StoredSession::forked_from(stored.messages);
        copy.torn = stored.torn;
        Begun { source: "fork", stored: copy, transcript: anew()? }
    } else {
        let resumed = Transcript::resume(path).map_err(|error| file_error("read", path, error));
        resumed.map(|(stored, transcript)| Begun { source: "resume", stored, transcript })?
    };
    if begun.stored.torn > 0 {
        updates.warn("transcript", format!("{} lines of it could not be read", begun.stored.torn));
    }
    Ok(begun)
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> SetupError {
    SetupError::Transcript { action, path: path.to_owned(), source }
}

fn initial_permissions(args: &Args) -> Result<Permissions, SetupError> {
    let mode = Mode::from_name(&args.permission_mode).ok_or_else(|| {
        let words: Vec<_> = Mode::ALL.iter().map(|(_, word)| *word).collect();
        SetupError::Mode { given: args.permission_mode.clone(), known: words.join(", ") }
    })?;
    let read = |rules: &[String]| -> Result<Vec<_>, BadRule> {
        rules.iter().map(|rule| PermissionRule::parse(rule)).collect()
    };
    let rules = Rules { deny: read(&args.deny)?, ask: read(&args.ask)?, allow: read(&args.allow)? };
    let permissions = Permissions::default();
    permissions.set_mode(mode);
    permissions.read_or_change_rules(|all| *all = rules);
    Ok(permissions)
}

fn parse_wait_times(args: &Args) -> Result<Patience, SetupError> {
    Ok(Patience {
        question: parse_seconds("--notify-after", args.notify_after)?,
        idle: parse_seconds("--idle-after", args.idle_after)?,
        exit: parse_exit_wait(args.exit_wait)?,
    })
}

fn parse_exit_wait(value: f64) -> Result<Duration, SetupError> {
    let wait = parse_seconds("--exit-wait", value)?;
    if wait > EXIT_WAIT { Err(SetupError::ExitWait(value)) } else { Ok(wait) }
}

fn parse_seconds(option: &'static str, value: f64) -> Result<Duration, SetupError> {
    Duration::try_from_secs_f64(value).map_err(|_| SetupError::NotSeconds { option, value })
}

fn transcript_path(home: &Path, id: &str, env: &[(String, String)]) -> PathBuf {
    let data = env.iter().find(|(name, _)| name == "XDG_DATA_HOME");
    let data = data.map(|(_, path)| PathBuf::from(path)).filter(|path| path.is_absolute());
    let data = data.unwrap_or_else(|| home.join(".local/share"));
    data.join("tenterhook-agent").join("sessions").join(format!("{id}.jsonl"))
}
