//! Can a user keep an agent from running the hooks of the organisation's file? Each attempt, with
//! the real agent; the denial of a managed hook shows whether it worked. Judges nothing.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook_probe::{Agent, Env, Event, Fixture, Front, FrontError, HookAnswer, Script, Step};

use super::Found;
use super::cases::Case;
use super::expected::NOT_PLAYED;
use super::managed::{self, Managing};

/// What a user tries.
pub(super) struct Attempt {
    agent: &'static str,
    /// The name of the case.
    name: &'static str,
    /// The attempt as the guide describes it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the guide is compared with it in a test"))]
    text: &'static str,
    how: How,
}

enum How {
    /// Options of the agent.
    Options(&'static [&'static str]),
    /// A variable with a value; `{elsewhere}` is a directory that does not exist.
    Variable(&'static str, &'static str),
    /// Keys that are added to a JSON file of the home.
    Json(&'static str, &'static str),
    /// Lines that are added to a text file of the home.
    Lines(&'static str, &'static str),
    /// An empty directory over a directory of the machine, in a namespace of the user's own.
    Hidden(&'static str),
}

pub(super) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        agent: "claude",
        name: "off-user-settings",
        text: "`disableAllHooks` in `~/.claude/settings.json`",
        how: How::Json(".claude/settings.json", r#"{"disableAllHooks": true}"#),
    },
    Attempt {
        agent: "claude",
        name: "off-settings-flag",
        text: "`--settings '{\"disableAllHooks\": true}'`",
        how: How::Options(&["--settings", r#"{"disableAllHooks": true}"#]),
    },
    Attempt {
        agent: "claude",
        name: "off-setting-sources",
        text: "`--setting-sources user`",
        how: How::Options(&["--setting-sources", "user"]),
    },
    Attempt { agent: "claude", name: "off-bare", text: "`--bare`", how: How::Options(&["--bare"]) },
    Attempt {
        agent: "claude",
        name: "off-safe-mode",
        text: "`--safe-mode`",
        how: How::Options(&["--safe-mode"]),
    },
    Attempt {
        agent: "claude",
        name: "off-simple",
        text: "`CLAUDE_CODE_SIMPLE=1`",
        how: How::Variable("CLAUDE_CODE_SIMPLE", "1"),
    },
    Attempt {
        agent: "claude",
        name: "off-personal-hooks",
        text: "`CLAUDE_CODE_PERSONAL_HOOKS_OFF=1`",
        how: How::Variable("CLAUDE_CODE_PERSONAL_HOOKS_OFF", "1"),
    },
    Attempt {
        agent: "claude",
        name: "off-config-dir",
        text: "`CLAUDE_CONFIG_DIR=ELSEWHERE`",
        how: How::Variable("CLAUDE_CONFIG_DIR", "{elsewhere}"),
    },
    Attempt {
        agent: "claude",
        name: "off-managed-path",
        text: "`CLAUDE_CODE_MANAGED_SETTINGS_PATH=ELSEWHERE`",
        how: How::Variable("CLAUDE_CODE_MANAGED_SETTINGS_PATH", "{elsewhere}"),
    },
    Attempt {
        agent: "claude",
        name: "off-namespace",
        text: "an empty directory over `/etc/claude-code` in a mount namespace",
        how: How::Hidden("/etc/claude-code"),
    },
    Attempt {
        agent: "codex",
        name: "off-feature-file",
        text: "`[features] hooks = false` in `~/.codex/config.toml`",
        how: How::Lines(".codex/config.toml", "[features]\nhooks = false\n"),
    },
    Attempt {
        agent: "codex",
        name: "off-disable",
        text: "`--disable hooks`",
        how: How::Options(&["--disable", "hooks"]),
    },
    Attempt {
        agent: "codex",
        name: "off-override",
        text: "`-c features.hooks=false`",
        how: How::Options(&["-c", "features.hooks=false"]),
    },
    Attempt {
        agent: "codex",
        name: "off-profile",
        text: "`--profile` with `[features] hooks = false`",
        how: How::Options(&["--profile", "off"]),
    },
    Attempt {
        agent: "codex",
        name: "off-state",
        text: "`[hooks.state]` with `enabled = false` for each entry",
        how: How::Lines(".codex/config.toml", "{state}"),
    },
    Attempt {
        agent: "codex",
        name: "off-namespace",
        text: "an empty directory over `/etc/codex` in a mount namespace",
        how: How::Hidden("/etc/codex"),
    },
    Attempt {
        agent: "copilot",
        name: "off-user-settings",
        text: "`disableAllHooks` in `~/.copilot/settings.json`",
        how: How::Json(".copilot/settings.json", r#"{"disableAllHooks": true}"#),
    },
    Attempt {
        agent: "copilot",
        name: "off-user-config",
        text: "`disableAllHooks` in `~/.copilot/config.json`",
        how: How::Json(".copilot/config.json", r#"{"disableAllHooks": true}"#),
    },
    Attempt {
        agent: "copilot",
        name: "off-namespace",
        text: "an empty directory over `/etc/github-copilot` in a mount namespace",
        how: How::Hidden("/etc/github-copilot"),
    },
    Attempt {
        agent: "gemini",
        name: "off-user-settings",
        text: "`hooksConfig.enabled: false` in `~/.gemini/settings.json`",
        how: How::Json(".gemini/settings.json", r#"{"hooksConfig": {"enabled": false}}"#),
    },
    Attempt {
        agent: "gemini",
        name: "off-user-names",
        text: "`hooksConfig.disabled` with the name of each hook",
        how: How::Json(".gemini/settings.json", r#"{"hooksConfig": {"disabled": "{names}"}}"#),
    },
    Attempt {
        agent: "gemini",
        name: "off-system-path",
        text: "`GEMINI_CLI_SYSTEM_SETTINGS_PATH=ELSEWHERE`",
        how: How::Variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "{elsewhere}"),
    },
    Attempt {
        agent: "gemini",
        name: "off-namespace",
        text: "an empty directory over `/etc/gemini-cli` in a mount namespace",
        how: How::Hidden("/etc/gemini-cli"),
    },
];

/// What an organisation writes by hand so that hooks stay on: the file below `/etc` and its text.
const PINS: &[(&str, &str, &str)] =
    &[("codex", "codex/requirements.toml", "[features]\nhooks = true\n")];

/// Tenterhook in the organisation's file, and what the user tries beside it.
struct Tried<'a> {
    managing: Managing<'a>,
    how: &'a How,
    /// The file and the text of [`PINS`], where it is played with them.
    pin: Option<(&'static str, &'static str)>,
}

impl Front for Tried<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let mut more = self.managing.register(room, agent, env)?;
        let managed = managed_text(room, agent);
        let failed = |error: io::Error| FrontError::from(error.to_string());
        if let Some((file, text)) = self.pin {
            room.write_file(&room.path_of("etc").join(file), text).map_err(failed)?;
        }
        match self.how {
            How::Variable(name, value) => {
                let elsewhere = room.path_of("elsewhere").to_string_lossy().into_owned();
                more.push(((*name).into(), value.replace("{elsewhere}", &elsewhere).into()));
            }
            How::Json(file, keys) => {
                let names = json!(managed_commands(&managed)).to_string();
                let keys = keys.replace("\"{names}\"", &names);
                merge(room, &room.home().join(file), &keys).map_err(failed)?;
            }
            How::Lines(file, lines) => {
                let path = room.home().join(file);
                let old = fs::read_to_string(&path).unwrap_or_default();
                let lines = lines.replace("{state}", &disabled_state(&managed));
                // A table may stand in a file once.
                let old = old.replace("[features]\nhooks = true\n", "[features]\n");
                let new = match lines.strip_prefix("[features]\n") {
                    Some(keys) => old.replace("[features]\n", &format!("[features]\n{keys}")),
                    None => format!("{old}\n{lines}"),
                };
                room.write_file(&path, &new).map_err(failed)?;
            }
            How::Options(["--profile", name]) => {
                let path = room.home().join(format!(".codex/{name}.config.toml"));
                room.write_file(&path, "[features]\nhooks = false\n").map_err(failed)?;
            }
            How::Options(_) | How::Hidden(_) => {}
        }
        Ok(more)
    }

    fn require_called_during_run(&self, _room: &Fixture) -> Result<(), FrontError> {
        // A hook that is switched off leaves no record.
        Ok(())
    }
}

/// Returns the text of the organisation's file.
fn managed_text(room: &Fixture, agent: &Agent) -> String {
    let file = managed_file(agent).unwrap_or_default();
    fs::read_to_string(room.path_of("etc").join(file)).unwrap_or_default()
}

/// Returns the path of the agent's managed file below `/etc`.
fn managed_file(agent: &Agent) -> Option<&'static str> {
    let agent = tenterhook_core::agents::agent_with_hook_installation(agent.name)?;
    agent.installation.managed_file?.strip_prefix("/etc/")
}

/// Returns all commands of hooks in a file.
fn managed_commands(text: &str) -> Vec<String> {
    fn collect(value: &Value, commands: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                commands.extend(fields.get("command").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|value| collect(value, commands));
            }
            Value::Array(items) => items.iter().for_each(|value| collect(value, commands)),
            _ => {}
        }
    }
    let mut commands = Vec::new();
    collect(&serde_json::from_str(text).unwrap_or_default(), &mut commands);
    commands
}

/// Returns the state in which Codex keeps that a user switched each entry of its managed file off.
fn disabled_state(managed: &str) -> String {
    let value: Value = serde_json::from_str(managed).unwrap_or_default();
    let events = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut text = String::new();
    for (event, _) in events {
        let mut snake = String::new();
        for c in event.chars() {
            if c.is_ascii_uppercase() && !snake.is_empty() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        let key = format!("/etc/codex/hooks.json:{snake}:0:0");
        let _ = writeln!(text, "[hooks.state.{key:?}]\nenabled = false");
    }
    text
}

/// Adds keys to a JSON file.
fn merge(room: &Fixture, path: &Path, keys: &str) -> io::Result<()> {
    let old = fs::read_to_string(path).unwrap_or_default();
    let mut all: Value = serde_json::from_str(&old).unwrap_or_else(|_| json!({}));
    if let (Some(all), Value::Object(keys)) = (all.as_object_mut(), serde_json::from_str(keys)?) {
        all.extend(keys);
    }
    room.write_file(path, &all.to_string())
}

/// Writes a program that starts the agent on a machine with the managed file, as the user tries it.
fn starter(folder: &Path, agent: &Path, how: &How) -> io::Result<PathBuf> {
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let agent = quote(&agent.to_string_lossy());
    let command = match how {
        How::Options(options) => {
            let options: Vec<String> = options.iter().map(|option| quote(option)).collect();
            format!("exec {agent} {} \"$@\"", options.join(" "))
        }
        How::Hidden(directory) => {
            let script = format!("mount -t tmpfs none {directory} && exec \"$@\"");
            let script = quote(&script);
            format!("exec unshare --user --map-root-user --mount sh -c {script} - {agent} \"$@\"")
        }
        How::Variable(..) | How::Json(..) | How::Lines(..) => format!("exec {agent} \"$@\""),
    };
    let inner = folder.join("tried");
    fs::write(&inner, format!("#!/bin/sh\n{command}\n"))?;
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o700))?;
    managed::starter(folder, &inner)
}

impl Case<'_> {
    /// A denial of a managed hook, for each attempt of the user to switch it off.
    pub(super) fn switched_off(&self) -> Result<Found, String> {
        let attempts = ATTEMPTS.iter().filter(|attempt| attempt.agent == self.agent.name);
        let (Some(front), Some(file)) = (self.front, managed_file(self.agent)) else {
            return Ok(Found::new());
        };
        let pins = PINS.iter().filter(|pin| pin.0 == self.agent.name);
        let pins: Vec<_> = pins.map(|(_, file, text)| Some((*file, *text))).collect();
        let mut found = Found::new();
        for attempt in attempts {
            for pin in [&[None][..], &pins].concat() {
                let front =
                    Tried { managing: Managing::in_file(front, file), how: &attempt.how, pin };
                found.push(self.try_to_switch_off(attempt, &front)?);
            }
        }
        Ok(found)
    }

    fn try_to_switch_off(
        &self,
        attempt: &Attempt,
        front: &Tried<'_>,
    ) -> Result<(String, String), String> {
        let name = match front.pin {
            Some(_) => &attempt.name.replacen("off-", "pinned-", 1),
            None => attempt.name,
        };
        if !managed::is_possible() {
            let why = format!("{NOT_PLAYED}there is no mount namespace for a separate `/etc`");
            return Ok((name.to_owned(), why));
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let program = starter(folder.path(), self.program, &attempt.how);
        let program = program.map_err(|error| error.to_string())?;
        let inside = Case { program: &program, ..*self };
        let ways: Vec<_> =
            self.answers(Event::Before, HookAnswer::Deny, name).into_iter().collect();
        let script = Script { main: vec![Step::Calls(vec![self.call(name)])], sub: Vec::new() };
        let seen = match inside.play_with(&script, &ways, &[Event::Before], Some(front)) {
            Ok(seen) => seen,
            // An agent that refuses to start lets no call pass.
            Err(why) if why.contains("never asked") => {
                if self.options.verbose {
                    return Err(why);
                }
                return Ok((name.to_owned(), "did not start".to_owned()));
            }
            Err(why) => return Err(format!("{name}: {why}")),
        };
        Ok((name.to_owned(), seen.call_outcome(name, 0).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    /// The guide says of each attempt what was seen.
    #[test]
    fn guide_lists_each_attempt_with_its_result() {
        let read = |path: &str| fs::read_to_string(tree::root().join(path)).unwrap();
        let (page, table) =
            (read("docs/guide/organisation.md"), read("e2e/src/agents/expected.tsv"));
        let result = |agent: &str, case: &str| {
            let is_row = |line: &&str| {
                line.starts_with(&format!("{agent}-")) && line.contains(&format!("\t{case}\t"))
            };
            let row = table.lines().find(is_row)?;
            Some(match row.split('\t').nth(3).unwrap_or_default() {
                ran if ran.starts_with("ran") => "**the call runs**",
                "did not start" => "the agent does not start",
                _ => "denied",
            })
        };
        for Attempt { agent, name, text, .. } in ATTEMPTS {
            let alone = result(agent, name);
            let alone = alone.unwrap_or_else(|| panic!("{agent} {name} was not played"));
            let pinned = result(agent, &name.replacen("off-", "pinned-", 1)).unwrap_or("-");
            let title = tenterhook_probe::find_agent(agent).unwrap().title;
            let line = format!("| {title} | {text} | {alone} | {pinned} |");
            assert!(page.contains(&line), "the guide lacks this line:\n{line}");
        }
    }
}
