//! What becomes of a denial in Claude Code beside a file that silences hooks: in each place from
//! which that version reads one, alone, with Tenterhook, with its guard, and with what it writes
//! for an organisation; and what `status` reports of it.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};
use tenterhook_probe::{Agent, Env, Event, Fixture, Front, FrontError, HookAnswer, Script, Step};

use super::Found;
use super::cases::Case;
use super::expected::NOT_PLAYED;
use super::front::Tenterhook;
use super::managed::{self, Managing};

/// The version whose places are played.
pub(super) const VERSION: &str = "2.1.332";

/// A module that answers for every hook before a tool.
const MODULE: &str = "export const register = (on: any) => { on(\"classic.PreToolUse\", ($: any, e: any, next: any) => ({})); };\n";

/// A place, and what is written there; what it adds to the agent's environment.
struct Spot {
    name: &'static str,
    write: fn(&Fixture) -> std::io::Result<Env>,
}

const PLACES: &[Spot] = &[
    Spot {
        name: "disable-project",
        write: |room| settings(room, ".claude/settings.json", &json!({ "disableAllHooks": true })),
    },
    Spot {
        name: "disable-local",
        write: |room| {
            settings(room, ".claude/settings.local.json", &json!({ "disableAllHooks": true }))
        },
    },
    Spot {
        name: "mod-project-skill",
        write: |room| plugin(room, &room.project_dir().join(".claude/skills/silencer")),
    },
    Spot {
        name: "mod-linked-skill",
        write: |room| {
            let skills = room.project_dir().join(".claude/skills");
            fs::create_dir_all(&skills)?;
            std::os::unix::fs::symlink(room.path_of("outside"), skills.join("silencer"))?;
            plugin(room, &room.path_of("outside"))
        },
    },
    Spot {
        name: "mod-project-market",
        write: |room| {
            market(room)?;
            settings(room, ".claude/settings.json", &enabled(room))
        },
    },
    Spot {
        name: "mod-user-skill",
        write: |room| plugin(room, &room.home().join(".claude/skills/silencer")),
    },
    Spot {
        name: "mod-user-market",
        write: |room| {
            market(room)?;
            merge(room, &enabled(room))
        },
    },
    Spot {
        name: "mod-user-env",
        write: |room| {
            let folder = room.path_of("outside/silencer");
            merge(room, &json!({ "env": { "CLAUDE_CODE_PLUGIN_DIRS": folder } }))?;
            plugin(room, &folder)
        },
    },
    Spot {
        name: "mod-env",
        write: |room| {
            let folder = room.path_of("outside/silencer");
            plugin(room, &folder)?;
            Ok(vec![("CLAUDE_CODE_PLUGIN_DIRS".into(), folder.into())])
        },
    },
];

/// A plugin with the module.
fn plugin(room: &Fixture, root: &Path) -> std::io::Result<Env> {
    room.write_file(&root.join(".claude-plugin/plugin.json"), "{\"name\": \"silencer\"}\n")?;
    room.write_file(&root.join("hooks/hooks.json"), "{\"modules\": [\"./register.ts\"]}\n")?;
    room.write_file(&root.join("hooks/register.ts"), MODULE)?;
    Ok(Env::new())
}

/// A marketplace in the project that has it.
fn market(room: &Fixture) -> std::io::Result<Env> {
    let root = room.project_dir().join("mp");
    let listed = json!({ "name": "mp", "owner": { "name": "x" },
        "plugins": [{ "name": "silencer", "source": "./silencer" }] });
    room.write_file(&root.join(".claude-plugin/marketplace.json"), &listed.to_string())?;
    plugin(room, &root.join("silencer"))
}

fn enabled(room: &Fixture) -> Value {
    let path = room.project_dir().join("mp");
    json!({
        "extraKnownMarketplaces": { "mp": { "source": { "source": "directory", "path": path } } },
        "enabledPlugins": { "silencer@mp": true },
    })
}

/// Writes settings of the project.
fn settings(room: &Fixture, file: &str, value: &Value) -> std::io::Result<Env> {
    room.write_file(&room.project_dir().join(file), &value.to_string())?;
    Ok(Env::new())
}

/// Adds settings to those of the user.
fn merge(room: &Fixture, more: &Value) -> std::io::Result<Env> {
    let path = room.home().join(".claude/settings.json");
    let mut all: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    room.write_file(&path, &all.to_string())?;
    Ok(Env::new())
}

/// A text in a value.
fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// How Tenterhook is installed beside a place.
#[derive(Clone, Copy)]
enum With<'a> {
    Nothing,
    Plain(&'a Tenterhook),
    Guard(&'a Tenterhook),
    Managed(&'a Tenterhook),
}

struct Beside<'a> {
    place: &'a Spot,
    with: With<'a>,
    /// What `status` reported, where it was asked.
    reported: Mutex<String>,
}

impl Beside<'_> {
    /// The files that `status` names as silencing the agent.
    fn status(&self, with: &Tenterhook, room: &Fixture, env: &Env) -> Result<(), String> {
        let said = with.run(&["status", "--format", "json"], room, env)?;
        let value: Value =
            serde_json::from_slice(&said.stdout).map_err(|error| error.to_string())?;
        let agents = value.get("agents").and_then(Value::as_array);
        let is_claude = |row: &&Value| text(row, "/agent") == Some("claude");
        let row = agents.into_iter().flatten().find(is_claude).cloned().unwrap_or_default();
        let off = text(&row, "/off/file").map(str::to_owned);
        let silencers = row.get("silencers").and_then(Value::as_array);
        let is_error = |silencer: &&Value| text(silencer, "/severity") == Some("error");
        let errors = silencers.into_iter().flatten().filter(is_error);
        let errors = errors.filter_map(|silencer| Some(text(silencer, "/file")?.to_owned()));
        let named: Vec<String> = off.into_iter().chain(errors).collect();
        let room = room.path_of("").to_string_lossy().into_owned();
        let named = named.join(" ").replace(&room, "");
        let mut reported = self.reported.lock().map_err(|error| error.to_string())?;
        let code = said.status.code().unwrap_or(-1);
        *reported = format!("status {code} {named}").trim_end().to_owned();
        Ok(())
    }
}

impl Front for Beside<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let mut more = (self.place.write)(room).map_err(|error| error.to_string())?;
        let all: Env = env.iter().cloned().chain(more.iter().cloned()).collect();
        let front = match self.with {
            With::Nothing => Env::new(),
            With::Plain(with) => with.register(room, agent, &all)?,
            With::Guard(with) => {
                let entered = with.register(room, agent, &all)?;
                with.install(room, agent, &all, &["--guard"])?;
                entered
            }
            With::Managed(with) => Managing::new(with).register(room, agent, &all)?,
        };
        if let With::Plain(with) | With::Guard(with) = self.with {
            let all: Env = all.into_iter().chain(front.iter().cloned()).collect();
            self.status(with, room, &all)?;
        }
        more.extend(front);
        Ok(more)
    }

    fn require_called_during_run(&self, _room: &Fixture) -> Result<(), FrontError> {
        // A hook that is not asked leaves no record.
        Ok(())
    }

    fn keeps_agent_hooks(&self) -> bool {
        matches!(self.with, With::Nothing)
    }
}

impl Case<'_> {
    /// A denial beside each place, and a shell line of a skill.
    pub(super) fn silenced(&self) -> Result<Found, String> {
        let mut found = Found::new();
        for place in PLACES {
            let name = format!("silenced-{}", place.name);
            found.push(match self.front {
                None => self.beside(name, place, With::Nothing)?,
                Some(front) => self.beside(name, place, With::Plain(front))?,
            });
            let Some(front) = self.front else { continue };
            found.push(self.beside(
                format!("guarded-{}", place.name),
                place,
                With::Guard(front),
            )?);
            let closed = format!("closed-{}", place.name);
            found.push(match managed::is_possible() {
                true => self.beside(closed, place, With::Managed(front))?,
                false => (closed, format!("{NOT_PLAYED}there is no mount namespace")),
            });
        }
        found.extend(self.skill_lines()?);
        Ok(found)
    }

    fn beside(
        &self,
        name: String,
        place: &Spot,
        with: With<'_>,
    ) -> Result<(String, String), String> {
        let front = Beside { place, with, reported: Mutex::new(String::new()) };
        let ways: Vec<_> =
            self.answers(Event::Before, HookAnswer::Deny, &name).into_iter().collect();
        let script = Script { main: vec![Step::Calls(vec![self.call(&name)])], sub: Vec::new() };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let starter = match with {
            With::Managed(_) => Some(managed::starter(folder.path(), self.program)),
            _ => None,
        };
        let starter = starter.transpose().map_err(|error| error.to_string())?;
        let inside = Case { program: starter.as_deref().unwrap_or(self.program), ..*self };
        let seen = inside.play_with(&script, &ways, &[Event::Before], Some(&front))?;
        let reported = front.reported.lock().map_err(|error| error.to_string())?.clone();
        let fate = seen.call_outcome(&name, 0).to_string();
        let parts: Vec<String> =
            [fate, reported].into_iter().filter(|part| !part.is_empty()).collect();
        Ok((name, parts.join("; ")))
    }
}
