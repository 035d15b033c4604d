//! Puts Tenterhook in front of an agent, as a person does: `tenterhook install`, and hooks in a
//! separate `tenterhook.toml`, which speak the protocol of Claude Code whatever agent calls.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tenterhook_probe::{Agent, Env, Event, Fixture, Front, FrontError};

use crate::tree;

/// The agent whose protocol the hooks speak.
pub(super) const DIALECT: &str = "claude";

/// Longer than the hook that takes too long may take; less than the agents give us.
const TIMEOUT: u32 = 3;

/// What the hooks are for, in neutral words.
const EVENTS: [(Event, &str); 5] = [
    (Event::Before, "PreToolUse"),
    (Event::After, "PostToolUse"),
    (Event::Prompt, "UserPromptSubmit"),
    (Event::Session, "SessionStart"),
    (Event::Stop, "Stop"),
];

/// Tenterhook.
#[derive(Debug)]
pub(super) struct Tenterhook {
    program: PathBuf,
}

impl Tenterhook {
    /// Builds it.
    pub(super) fn build() -> Result<Self, String> {
        tree::build("tenterhook-cli")?;
        Ok(Self { program: tree::root().join("target/debug/tenterhook") })
    }

    /// Returns the path of its program.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Runs it in the home of a fixture.
    pub(super) fn run(&self, args: &[&str], room: &Fixture, env: &Env) -> Result<Output, String> {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(room.project_dir()).env_clear().envs(env.iter().cloned());
        let output = command.stdin(std::process::Stdio::null()).output();
        output.map_err(|error| format!("{}: {error}", self.program.display()))
    }

    /// Installs it with the hooks of the play, all of them in shadow.
    pub(super) fn enter_in_shadow(
        &self,
        room: &Fixture,
        agent: &Agent,
        env: &Env,
    ) -> Result<Env, String> {
        self.enter_with_hooks(room, agent, env, &format!("mode = \"shadow\"\n\n{}", hooks(room)))
    }

    /// Writes these hooks where a person has theirs, and installs it.
    pub(super) fn enter_with_hooks(
        &self,
        room: &Fixture,
        agent: &Agent,
        env: &Env,
        hooks: &str,
    ) -> Result<Env, String> {
        own(room, hooks)?;
        self.install(room, agent, env, &[])
    }

    /// Writes the hooks of the play where a person has theirs, and installs it nowhere; what it
    /// adds to the agent's environment.
    pub(super) fn configure(&self, room: &Fixture) -> Result<Env, String> {
        own(room, &hooks(room))?;
        Ok(vec![("XDG_STATE_HOME".into(), state(room).into())])
    }

    /// Installs it; what it adds to the agent's environment.
    pub(super) fn install(
        &self,
        room: &Fixture,
        agent: &Agent,
        env: &Env,
        args: &[&str],
    ) -> Result<Env, String> {
        let more = vec![("XDG_STATE_HOME".into(), state(room).into())];
        let all: Env = env.iter().cloned().chain(more.iter().cloned()).collect();
        let output = self.run(&[&["install", agent.name], args].concat(), room, &all)?;
        if output.status.success() {
            return Ok(more);
        }
        Err(format!(
            "`tenterhook install {}`: {}",
            agent.name,
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// The hooks of the play, as their author would write them: what fails, blocks.
fn hooks(room: &Fixture) -> String {
    let entry = |(event, name): (Event, &str)| {
        let (hook, word) = (room.hook_script_path().display().to_string(), event.name());
        format!(
            "[hook.{}]\non = {name:?}\nspeaks = {DIALECT:?}\nrun = [\"sh\", {hook:?}, {word:?}]\ntimeout = \"{TIMEOUT}s\"\n",
            word.to_lowercase(),
        )
    };
    EVENTS.map(entry).join("\n")
}

/// Writes the hooks of a person.
fn own(room: &Fixture, hooks: &str) -> Result<(), String> {
    let path = room.home().join(".config/tenterhook/tenterhook.toml");
    room.write_file(&path, hooks).map_err(|error| format!("{}: {error}", path.display()))
}

/// Where firings are recorded.
fn state(room: &Fixture) -> PathBuf {
    room.path_of("state")
}

impl Front for Tenterhook {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        Ok(self.enter_with_hooks(room, agent, env, &hooks(room))?)
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        let asked: usize = room.hook_call_counts().values().sum();
        let recorded = records(&state(room).join("tenterhook/records"));
        if asked == 0 || recorded > 0 {
            return Ok(());
        }
        Err(format!("hooks were asked {asked} times, and nothing is on record: who asked them?")
            .into())
    }
}

/// How many firings are on record.
fn records(directory: &Path) -> usize {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let is_end = |line: &str| {
        serde_json::from_str::<Value>(line)
            .is_ok_and(|value| value.get("kind") == Some(&"end".into()))
    };
    texts.map(|text| text.lines().filter(|line| is_end(line)).count()).sum()
}
