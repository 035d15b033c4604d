//! The protocols of agents: events and answers are decoded and encoded, and config files are read.
//! Pure: opens no file and starts no program.
//!
//! ```text
//!  agent ──decode_event──▶  Event  ──encode_event──▶ Envelope ──▶ program
//!                           Answer ◀──read_answer─── Report   ◀── program
//!  config file ──read_config──▶ hooks + diagnostics with spans
//! ```
//!
//! A dialect is one folder and one row of [`DIALECTS`]. Nothing outside its folder knows its
//! spelling.

pub(crate) mod broken;
pub(crate) mod by_form;
pub(crate) mod claimed;
pub(crate) mod condition;
pub(crate) mod event_fault;
pub(crate) mod files;
pub(crate) mod findings;
pub(crate) mod first_line;
pub(crate) mod hook_file;
pub(crate) mod kit;
pub(crate) mod label;
pub(crate) mod machine;
pub mod native;
pub(crate) mod parts;
pub(crate) mod repository;
pub(crate) mod requests;
mod servers;
pub mod tools;
pub(crate) mod typed;
pub(crate) mod variables;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::hook::{Hook, Layer};
use crate::syntax::Lists;

pub(crate) use self::condition::{ConditionFault, parse_condition};
pub use self::{
    event_fault::EventFault,
    files::{Disk, Plugins, ReadServers, Scan, ServerFile, ServerFiles, Silencer},
    kit::reply::Reply,
    label::{EventLabel, event_rows_named},
    parts::Dialect,
    repository::{RepositoryCommand, read_repository_commands},
};
pub use crate::agents::{
    amp::dialect as amp, antigravity::dialect as antigravity, augment::dialect as augment,
    claude::dialect as claude, cline::dialect as cline, codewhale::dialect as codewhale,
    codex::dialect as codex, copilot::dialect as copilot, crush::dialect as crush,
    cursor::dialect as cursor, droid::dialect as droid, gemini::dialect as gemini,
    gencode::dialect as gencode, goose::dialect as goose, hermes::dialect as hermes,
    ignis::dialect as ignis, kilo::dialect as kilo, kimi::dialect as kimi, kiro::dialect as kiro,
    openclaw::dialect as openclaw, opencode::dialect as opencode, pi::dialect as pi,
    qwen::dialect as qwen, reasonix::dialect as reasonix, vibe::dialect as vibe,
    vscode::dialect as vscode, windsurf::dialect as windsurf,
};
pub use crate::hook::named::DialectId;
pub use crate::hook::row::{Cap, EventRow, Subject, Then};
pub use crate::{
    hook::row::Dispatch,
    strict::{Whole, read_whole_object as whole_object},
};

/// Every dialect that this build speaks, in the order in which files are offered to them.
pub static DIALECTS: &[&Dialect] = &[
    &native::NATIVE,
    &claude::CLAUDE,
    &gencode::GEN,
    &ignis::IGNIS,
    &codewhale::CODEWHALE,
    &reasonix::REASONIX,
    &codex::CODEX,
    &gemini::GEMINI,
    &qwen::QWEN,
    &copilot::COPILOT,
    &copilot::PASCAL,
    &droid::DROID,
    &cursor::CURSOR,
    &cursor::ACTION,
    &vibe::VIBE,
    &kimi::KIMI,
    &antigravity::ANTIGRAVITY,
    &windsurf::WINDSURF,
    &augment::AUGMENT,
    &crush::CRUSH,
    &kiro::KIRO,
    &kiro::DEFINITION,
    &goose::GOOSE,
    &hermes::HERMES,
    &cline::CLINE,
];

/// Agents without separate hook files: they call Tenterhook through a module of ours
/// (BR-27), or through the files of other agents (VS-1).
static PLUGINS: &[&Dialect] =
    &[&opencode::OPENCODE, &kilo::KILO, &pi::PI, &openclaw::OPENCLAW, &amp::AMP, &vscode::VSCODE];

/// How the agents' files group entries, where they do: what is whole is found by it in one that is
/// broken (C-71).
pub const GROUPS: Lists = Lists { inner: "hooks", known_by: "matcher" };

impl DialectId {
    /// Finds the dialect of that name, if this build has it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        DIALECTS.iter().map(|dialect| dialect.id()).find(|id| id.as_str() == name)
    }

    /// Returns `true` if the event, by its own or its neutral name, may precede something that
    /// cannot be undone. This holds for every event that no dialect has, because a config may have
    /// declared it (E-10).
    #[must_use]
    pub fn may_precede_effect(self, event: &str) -> bool {
        let own =
            self.dialect().event_rows().iter().find(|row| row.name == event || row.event == event);
        let others = DIALECTS.iter().flat_map(|dialect| dialect.event_rows());
        let row = own.or_else(|| others.into_iter().find(|row| row.event == event));
        row.is_none_or(EventRow::is_before_effect)
    }

    /// Returns the dialect.
    #[must_use]
    pub fn dialect(self) -> &'static Dialect {
        let all = DIALECTS.iter().chain(PLUGINS);
        all.into_iter().find(|dialect| dialect.id() == self).unwrap_or(&&native::NATIVE)
    }

    /// Iterates over the agents that can call Tenterhook, in the order in which lists show them.
    pub fn agents() -> impl Iterator<Item = Self> {
        let all = DIALECTS.iter().chain(PLUGINS);
        all.filter(|dialect| dialect.calling_agent_title().is_some()).map(|dialect| dialect.id())
    }

    /// Returns the dialect of an event by the form of its payload, if the form is unique.
    #[must_use]
    pub fn from_event_form(
        event: &serde_json::Map<String, serde_json::Value>,
        claimed: Self,
    ) -> Option<Self> {
        by_form::dialect_of_payload(event, claimed)
    }
}

impl Hook {
    /// Returns how long the hook may run on an event of this row: its own timeout, else that of its
    /// dialect.
    #[must_use]
    pub fn effective_timeout(&self, row: &EventRow) -> Duration {
        self.timeout.unwrap_or_else(|| self.dialect.dialect().default_timeout(&self.run, row))
    }
}

/// What an agent does with an answer that slipped, under exact reading. The order is the order of
/// precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlipPolicy {
    /// The agent follows the answer.
    Counts,
    /// The agent does not see it: [`Answer::plain`](crate::answer::Answer::plain) stands.
    PlainText,
    /// It is an error: no answer.
    Fails,
}

/// What a hook is handed, built once per dialect and event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Standard input, or the body of a request.
    pub body: Vec<u8>,
    /// Variables.
    pub env: Vec<(String, String)>,
    /// The variable that names a file into which the hook may write `export` lines; its content
    /// comes back in the report.
    pub env_file: Option<&'static str>,
}

/// How long most envelopes are at least: bytes that grow from nothing are copied again and again.
const USUAL: usize = 1 << 10;

impl Envelope {
    /// Serializes a payload as bytes. Serializing it as text first would take twice as long.
    pub(crate) fn serialize_payload(form: &impl serde::Serialize) -> Vec<u8> {
        // Its keys are texts and its values JSON: there is nothing in it that cannot be written.
        let mut bytes = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut bytes, form).map(|()| bytes).unwrap_or_default()
    }
}

/// The directories from which hooks and their settings are found; the caller names them.
///
/// `discover::roots` takes the working directory and the user's home; with the feature `env`,
/// `Roots::from_env` asks the process. A directory that is empty is not named: nothing is found
/// from it, and nothing at all from [`Roots::default`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    /// Where the agent would be started.
    pub cwd: PathBuf,
    /// The root of the repository round `cwd`, if there is one.
    pub repository: Option<PathBuf>,
    /// The user's home.
    pub home: PathBuf,
    /// Where the organisation keeps managed files.
    pub managed: Option<PathBuf>,
    /// The user beside root who may own managed files, for a host that keeps them under a separate
    /// account (C-89).
    pub managed_owner: Option<u32>,
    /// Where the user's configuration of the agent lies, when not at its usual place under `home`.
    pub config_home: Option<PathBuf>,
    /// Where the user's configuration of other agents lies, when not at its usual place under
    /// `home`.
    pub homes: Vec<(DialectId, PathBuf)>,
    /// Where the user keeps the configuration of all programs, when not in `.config` under `home`.
    pub user_config: Option<PathBuf>,
    /// Where the user keeps the state of all programs, approvals among it, when not in
    /// `.local/state` under `home`.
    pub user_state: Option<PathBuf>,
    /// The home that the system has for the user's account: what lies there is read as well, where
    /// variables name other places (C-94).
    pub account_home: Option<PathBuf>,
}

impl Roots {
    /// Returns the agents' [homes](Self::homes) that variables name; `value` returns the value of a
    /// variable if it is a full path.
    #[must_use]
    pub fn agent_homes_from_variables(
        value: impl Fn(&str) -> Option<PathBuf>,
    ) -> Vec<(DialectId, PathBuf)> {
        let named = |dialect: &&Dialect| Some((dialect.id(), value(dialect.home_variable()?)?));
        DIALECTS.iter().filter_map(named).collect()
    }

    /// Returns these roots with the usual directories of the account; `None` if no variable names
    /// others (C-94).
    pub fn with_account_directories(&self) -> Option<Self> {
        let home = self.account_home.clone()?;
        let is_usual =
            home == self.home && self.config_home.is_none() && self.user_config.is_none();
        (!is_usual || !self.homes.is_empty()).then(|| Self {
            home,
            config_home: None,
            homes: Vec::new(),
            user_config: None,
            account_home: None,
            ..self.clone()
        })
    }

    /// Returns `true` if a file of this layer is found from a known directory. A path below an
    /// empty directory would be looked up in the process's directory, which belongs to another
    /// project.
    pub fn has_known_base(&self, path: &Path, layer: Layer) -> bool {
        let directory = match layer {
            Layer::Managed | Layer::BuiltIn | Layer::Given => return true,
            Layer::User => &self.home,
            _ => &self.cwd,
        };
        path.is_absolute() || !directory.as_os_str().is_empty()
    }

    /// Returns the directory of the user's Tenterhook files.
    pub fn user_tenterhook_dir(&self) -> PathBuf {
        let config = self.user_config.clone().unwrap_or_else(|| self.home.join(".config"));
        config.join("tenterhook")
    }

    /// Returns the directory of the user's configuration of an agent.
    pub(crate) fn agent_home(&self, dialect: DialectId) -> PathBuf {
        let named = self.homes.iter().find(|(dialect_id, _)| *dialect_id == dialect);
        let usual = || dialect.dialect().installation().map_or("", |agent| agent.home);
        named.map_or_else(|| self.home.join(usual()), |(_, path)| path.clone())
    }
}

/// A file that an agent would load from given roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file. A `*` in its name, or in a directory's, stands for every one that is there, in
    /// sorted order.
    pub path: PathBuf,
    /// The layer of the file.
    pub layer: Layer,
}

/// How surely a text is a config of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is not.
    No,
    /// Its shape would do.
    Shape,
    /// Its place, or an unmistakable key, says so.
    Certain,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// E-7, CW-59: `fire` replaced the place of an event by its own directory.
    #[test]
    fn an_event_keeps_its_place_wherever_it_is_handed_on() {
        let events = [
            ("claude", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            ("gen", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            (
                "ignis",
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "", "cwd": "/repo/p"}),
            ),
            ("reasonix", json!({"event": "Stop", "cwd": "/repo/p"})),
            ("codex", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            ("gemini", json!({"hook_event_name": "AfterAgent", "cwd": "/repo/p"})),
            ("qwen", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            (
                "antigravity",
                json!({"conversationId": "s", "fullyIdle": true, "workspacePaths": ["/repo/p"]}),
            ),
            (
                "windsurf",
                json!({"agent_action_name": "post_run_command", "tool_info": {"cwd": "/repo/p"}}),
            ),
            (
                "augment",
                json!({"hook_event_name": "Stop", "conversation_id": "s", "workspace_roots": ["/repo/p"]}),
            ),
            ("crush", json!({"event": "PreCompact", "session_id": "s", "cwd": "/repo/p"})),
            ("kiro", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            ("kiro-agent", json!({"hook_event_name": "stop", "cwd": "/repo/p"})),
            ("droid", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            ("cursor", json!({"hook_event_name": "stop", "workspace_roots": ["/repo/p"]})),
            (
                "cursor-action",
                json!({"hook_event_name": "beforeReadFile", "file_path": "a", "cwd": "/repo/p"}),
            ),
            ("vibe", json!({"hook_event_name": "post_agent", "cwd": "/repo/p"})),
            ("kimi", json!({"hook_event_name": "Stop", "client_type": "x", "cwd": "/repo/p"})),
            ("copilot", json!({"sessionId": "s", "stopReason": "end_turn", "cwd": "/repo/p"})),
            ("copilot-pascal", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            ("goose", json!({"event": "Stop", "working_dir": "/repo/p"})),
            ("hermes", json!({"hook_event_name": "pre_verify", "cwd": "/repo/p", "extra": {}})),
            ("cline", json!({"hookName": "agent_end", "workspaceRoots": ["/repo/p"]})),
            ("codewhale", json!({"event": "turn_end", "workspace": "/repo/p"})),
            ("native", json!({"v": 1, "event": "Stop", "session": {"cwd": "/repo/p"}})),
        ];
        assert_eq!(events.len(), DIALECTS.len());
        for (dialect, event) in events {
            for from in ["/elsewhere", "/repo", "/repo/p/deep", ""] {
                let roots = Roots { cwd: from.into(), ..Roots::default() };
                let decoder = DialectId::from_name(dialect).unwrap().dialect();
                let event = decoder.decode_event(event.as_object().unwrap(), &roots).unwrap();
                assert_eq!(event.within.cwd, Path::new("/repo/p"), "{dialect} from `{from}`");
                let envelope = decoder.encode_event(&event);
                let body = String::from_utf8_lossy(&envelope.body);
                assert!(body.is_empty() || body.contains("\"/repo/p\""), "{dialect}: {body}");
                for (name, value) in
                    envelope.env.iter().filter(|variable| variable.0.ends_with("_WORKSPACE"))
                {
                    assert_eq!(value, "/repo/p", "{name} from `{from}`");
                }
            }
        }
    }
}
