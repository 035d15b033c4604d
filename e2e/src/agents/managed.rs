//! A denial if Tenterhook is registered in the organisation's file of an agent only: each agent
//! runs in a separate mount namespace, whose `/etc` is the system's with that file over it. Nothing
//! is written to the system's.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tenterhook_probe::{Agent, Env, Event, Fixture, Front, FrontError, HookAnswer, Script, Step};

use super::Found;
use super::cases::Case;
use super::expected::NOT_PLAYED;
use super::front::Tenterhook;

const CASE: &str = "managed";

/// The directory whose files lie over those of `/etc`.
const OVER: &str = "PLAY_ETC";

/// Both lie there to be read: an overlay without an upper directory takes no writes. Without it,
/// nothing is started. A `/` that does not belong to root in there makes every managed file one
/// that others may write (C-89).
const WITHIN: &str = "exec unshare --user --map-root-user --mount sh -c 'test -O / && mount -t overlay none -o ro,lowerdir=\"$PLAY_ETC\":/etc /etc && exec \"$@\"' -";

/// Tenterhook in the organisation's file.
pub(super) struct Managing<'a> {
    with: &'a Tenterhook,
    file: &'static str,
}

impl<'a> Managing<'a> {
    /// In the file of Claude Code.
    pub(super) const fn new(with: &'a Tenterhook) -> Self {
        Self { with, file: "claude-code/managed-settings.json" }
    }

    /// In the file with this path below `/etc`.
    pub(super) const fn in_file(with: &'a Tenterhook, file: &'static str) -> Self {
        Self { with, file }
    }
}

impl Front for Managing<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let more = self.with.configure(room)?;
        let all: Env = env.iter().cloned().chain(more.iter().cloned()).collect();
        let print = ["install", agent.name, "--scope", "managed", "--print"];
        let output = self.with.run(&print, room, &all)?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let (over, text) = (room.path_of("etc"), String::from_utf8_lossy(&output.stdout));
        let file = over.join(self.file);
        room.write_file(&file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(more.into_iter().chain([(OVER.into(), over.into())]).collect())
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        self.with.require_called_during_run(room)
    }
}

impl Case<'_> {
    /// A denial by a hook of the person, of whom no file of the agent knows.
    pub(super) fn managed(&self) -> Result<Found, String> {
        let agent = tenterhook_core::agents::agent_with_hook_installation(self.agent.name);
        let file = agent.and_then(|agent| agent.installation.managed_file?.strip_prefix("/etc/"));
        let (Some(front), Some(file)) = (self.front, file) else { return Ok(Found::new()) };
        if !is_possible() {
            let why = format!("{NOT_PLAYED}there is no mount namespace for a separate `/etc`");
            return Ok(vec![(CASE.to_owned(), why)]);
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let program = starter(folder.path(), self.program).map_err(|error| error.to_string())?;
        let inside = Case { program: &program, ..*self };
        let front = Managing { with: front, file };
        let ways: Vec<_> =
            self.answers(Event::Before, HookAnswer::Deny, CASE).into_iter().collect();
        let script = Script { main: vec![Step::Calls(vec![self.call(CASE)])], sub: Vec::new() };
        let seen = inside.play_with(&script, &ways, &[Event::Before], Some(&front))?;
        let asked = seen.fired.get(&format!("Before.{CASE}")).copied().unwrap_or_default();
        let times = if asked == 1 { "once".to_owned() } else { format!("{asked} times") };
        Ok(vec![(CASE.to_owned(), format!("{}, asked {times}", seen.call_outcome(CASE, 0)))])
    }
}

/// Whether such a namespace can be had here.
pub(super) fn is_possible() -> bool {
    let Ok(folder) = tempfile::tempdir() else { return false };
    let ran = starter(folder.path(), Path::new("true"))
        .and_then(|path| Command::new(path).env(OVER, folder.path()).status());
    ran.is_ok_and(|status| status.success())
}

/// A program that starts the agent there.
pub(super) fn starter(folder: &Path, agent: &Path) -> std::io::Result<PathBuf> {
    let program = folder.join("agent");
    let quoted = agent.to_string_lossy().replace('\'', "'\\''");
    std::fs::write(&program, format!("#!/bin/sh\n{WITHIN} '{quoted}' \"$@\"\n"))?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700))?;
    Ok(program)
}
