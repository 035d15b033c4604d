//! Puts Tenterhook in front of an agent: each of its events calls `tenterhook hook`, and the hooks of the play stand behind it, in the
//! format of Claude Code whatever agent calls.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, json};
use tenterhook_probe::{Agent, Event, Front, Room, named};

use crate::tree;

/// The agent in whose format the hooks are written.
pub(super) const DIALECT: &str = "claude";

/// Longer than the hook that takes too long may take; less than the agent gives us.
const TIMEOUT: u32 = 3;

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

    /// Whether it speaks with an agent, or why it does not.
    pub(super) fn speaks(&self, agent: &Agent) -> Result<(), String> {
        let output = Command::new(&self.program)
            .args(["hook", "--agent", agent.name, "--event", "none"])
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        if String::from_utf8_lossy(&output.stderr).contains("no agent of that name") {
            return Err(format!("there is no dialect `{}` yet", agent.name));
        }
        if (agent.says)(Event::Before, tenterhook_probe::Said::Deny, "").is_none() {
            return Err("there is no plugin for it yet".to_owned());
        }
        Ok(())
    }
}

fn hooks(room: &Room) -> PathBuf {
    room.path("hook/hooks.json")
}

impl Front for Tenterhook {
    fn enter(&self, room: &Room, _: &Agent) -> Result<Vec<(String, String)>, String> {
        let dialect = named(DIALECT).ok_or("no such dialect")?;
        let mut table = Map::new();
        for event in Event::ALL {
            let command = format!("sh {} {}", room.hook().display(), event.name());
            let entry = json!({ "type": "command", "command": command, "timeout": TIMEOUT });
            let name = dialect.event(event).unwrap_or_default();
            table.insert(name.to_owned(), json!([{ "hooks": [entry] }]));
        }
        let path = hooks(room);
        let text = json!({ "hooks": table }).to_string();
        room.write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        let state = room.path("state").display().to_string();
        Ok(vec![("XDG_STATE_HOME".to_owned(), state)])
    }

    fn line(&self, room: &Room, agent: &Agent, event: Event) -> Option<String> {
        let quoted = |path: &Path| path.display().to_string();
        let name = agent.event(event)?;
        let (program, hooks) = (quoted(&self.program), quoted(&hooks(room)));
        Some(format!(
            "{program} hook --agent {} --event {name} --config {DIALECT}={hooks}",
            agent.name
        ))
    }
}
