//! Runs a hook as a child process: which program, with which environment. Knows no dialect and
//! judges nothing.
//!
//! `tenterhook-process` owns the process, `running` follows it, and `prewarm` starts one before it
//! is needed. Dropping the future drops the child, which kills it.

mod prewarm;
mod running;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenterhook_process as process;

use super::confine::apply_hook_sandbox;
use super::env_file::EnvFile;
use super::{Progress, Task, not_started_report};
use crate::discover;
pub(crate) use prewarm::start_spares;
use running::{Course, RunFiles, Running};
use tenterhook_core::hook::{Command, FIRING, Inherit, Invocation, Run, Shell, around};
use tenterhook_core::report::{End, Report};

/// Variables that every hook inherits, whatever its source: without these, programs find neither
/// each other nor their files nor their language. Names that change how a program loads code
/// (`LD_PRELOAD`, `BASH_ENV`, `NODE_OPTIONS`, `PYTHONPATH`) are left out on purpose.
pub(crate) const LISTED: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    // Windows programs do not start without these.
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "WINDIR",
];

/// The system's error number for a file that is no program: the same on Linux, macOS and the BSDs.
const NO_PROGRAM: i32 = 8;

/// Explains why a program was not started, and what to do about it.
pub(super) fn not_started_message(error: &process::NotStarted) -> String {
    if error.is_sandbox_fault() {
        return super::confine::no_sandbox_message(error);
    }
    let missing = error.io_error().kind() == std::io::ErrorKind::NotFound;
    let text = describe_start_error(error);
    if let Some(interpreter) = missing.then(|| script_interpreter(&error.path)).flatten() {
        let remedy = missing_interpreter_remedy(&interpreter);
        let named = interpreter.escape_debug();
        return format!("{text}: its first line names `{named}`, which is not there; {remedy}");
    }
    let remedy = match error.io_error().kind() {
        std::io::ErrorKind::NotFound => "; correct the path, or add what it names",
        std::io::ErrorKind::PermissionDenied if error.path.is_dir() => {
            "; it is a directory: name the file in it"
        }
        std::io::ErrorKind::PermissionDenied => {
            "; make it executable, or start it with its interpreter"
        }
        _ if error.errno == NO_PROGRAM => {
            "; begin it with a `#!` line, or start it with its interpreter"
        }
        _ => "",
    };
    format!("{text}{remedy}")
}

/// The remedy for a script whose interpreter is missing.
#[must_use]
pub fn missing_interpreter_remedy(interpreter: &str) -> &'static str {
    match interpreter.ends_with('\r') {
        true => "save it with the line ends of Unix",
        false => "install that, or name one that is there",
    }
}

/// Describes a start error, and names the file that the user can edit: an approved file runs from a
/// copy.
fn describe_start_error(error: &process::NotStarted) -> String {
    #[cfg(feature = "trust")]
    if let Some(original) = crate::trust::original_path_of_copy(&error.path) {
        let (copy, own) = (error.path.display().to_string(), original.display().to_string());
        return error.to_string().replace(&copy, &own);
    }
    error.to_string()
}

/// Returns the interpreter that the first line of an existing script names.
#[must_use]
pub fn script_interpreter(script: &std::path::Path) -> Option<String> {
    // A blank at the end is not part of a name, but a character of another system's line ends is.
    let line = shebang_text(script)?;
    line.trim_matches(' ').split(' ').next().filter(|word| !word.is_empty()).map(str::to_owned)
}

/// Returns the first line of an existing script, without its `#!`.
#[must_use]
pub fn shebang_text(script: &std::path::Path) -> Option<String> {
    use std::io::Read as _;

    let mut start = [0; 256];
    let count = discover::open(script).ok()?.0.read(&mut start).ok()?;
    let line = start.get(..count)?.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

pub(super) async fn run_command(task: Task) -> Progress {
    let Run::Command(command) = &task.hook.run else {
        return Progress::Ended(Report::without_output(End::Cancelled, Duration::ZERO));
    };
    if task.hook.is_prewarmed() {
        return prewarm::run_prewarmed(task).await;
    }
    start_and_follow_command(&task, command).await.into_progress()
}

/// Starts the command with its input, and waits for its report or for its request to run in the
/// background.
async fn start_and_follow_command(task: &Task, command: &Command) -> Course {
    match EnvFile::create(task) {
        Ok(env_file) => {
            let mut described = process_for_task(task, command, env_file.as_ref());
            let confined =
                apply_hook_sandbox(task, env_file.as_ref().map(EnvFile::path), &mut described);
            Running::start_with_input(described, RunFiles { env_file, confined })
                .wait_for_end_or_detach(task)
                .await
        }
        Err(error) => {
            Course::Over(not_started_report(format!("its env file cannot be made: {error}")))
        }
    }
}

/// Builds the process of a task, with its environment, input and timeout.
fn process_for_task(
    task: &Task,
    command: &Command,
    env_file: Option<&EnvFile>,
) -> process::Command {
    let within = &task.event.within;
    let cwd = command.cwd.clone().unwrap_or_else(|| within.cwd.clone());
    let mut described = process_for_command(command, cwd);
    let file =
        env_file.map(|file| (file.variable_name().to_owned(), file.path().display().to_string()));
    described.env = environment_for_process(task, command, task.envelope.env.iter().chain(&file));
    if command.expands {
        let invocation = command.expanded_invocation(|name| {
            described.env.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.to_str())
        });
        described.program = to_process_program(&invocation);
    }
    // A hook must still judge after the agent's directory was deleted; the report says where it
    // ran. A directory that the hook's entry names is part of what it judges, so it has no fallback
    //
    described.fallback_cwd = Some(within.project.clone())
        .filter(|project| command.cwd.is_none() && project.is_absolute());
    described.stdin = Arc::from(task.envelope.body.as_slice());
    described.timeout = Some(task.timeout);
    described.deadline = task.deadline.map(tokio::time::Instant::into_std);
    described
}

/// If memory runs out, the kernel should kill the hook's processes, not the host that denies
///
const GOES_FIRST: i16 = 800;

/// Returns the process of a command, in `cwd`.
pub fn process_for_command(command: &Command, cwd: PathBuf) -> process::Command {
    let mut described = process::Command::shell("", cwd);
    described.program = to_process_program(command.invocation());
    // Files that a hook creates (a formatter, say) belong to the project, not to the engine.
    described.umask = None;
    described.oom_score_adj = Some(GOES_FIRST);
    described
}

/// Converts the invocation of a hook into the program to start.
fn to_process_program(invocation: &Invocation) -> process::Program {
    match invocation {
        Invocation::Argv { program, args } => process::Program::Argv {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
        },
        Invocation::Shell { text, shell } => {
            process::Program::Shell { shell: to_process_shell(*shell), text: text.into() }
        }
    }
}

/// Converts the shell that an entry names into the shell to start.
fn to_process_shell(shell: Shell) -> process::Shell {
    match shell {
        Shell::Sh => process::Shell::sh(),
        Shell::Bash => process::Shell::posix("bash"),
        Shell::Login => {
            let mut shell = process::Shell::sh();
            shell.before.push(Shell::LOGIN.into());
            shell
        }
        Shell::PowerShell => process::Shell::powershell("pwsh"),
    }
}

/// Returns the complete environment: inherited variables, then those `set` for the run, then those
/// of the hook's entry. The last one wins; it marks the hook that fires (P-10).
pub(super) fn environment_for_process<'a>(
    task: &'a Task,
    command: &'a Command,
    set: impl Iterator<Item = &'a (String, String)>,
) -> Vec<(OsString, OsString)> {
    let grants = task.hook.sandbox.grants();
    // Even if its dialect promises every variable: a confined hook sees only granted ones.
    let inherit = if grants.is_some() { Inherit::Listed } else { command.inherit };
    let named = grants.map(|grant| grant.env.as_slice()).unwrap_or_default();
    let is_named = |name: &str| command.pass.iter().chain(named).any(|text| text == name);
    let passes = |name: &str| match inherit {
        Inherit::All => !task.dialect().withholds_variable(name),
        Inherit::Listed => LISTED.contains(&name) || is_named(name),
    };
    let inherited = task.ambient.env.iter().filter(|(name, _)| passes(name));
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for (name, value) in inherited.chain(set).chain(&command.env) {
        seen.insert(name, value);
    }
    let firing = around::firing_marks_for_program(&task.hook, &task.ambient.env);
    seen.insert(FIRING, &firing);
    seen.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}
