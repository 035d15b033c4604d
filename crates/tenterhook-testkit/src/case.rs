//! What does a case say? Reads one neutral case file and sets its stage; fires nothing. Format: `conformance/README.md`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

mod callback;
mod quote;
mod script;
mod tools;

pub use callback::Callback;
pub use script::Script;
pub use tools::{Tool, server_that_says};

use crate::Sandbox;
use crate::server::{Reply, Server};

/// Why a case cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct CaseFault {
    file: String,
    why: String,
}

/// One case: a configuration, an event, scripted programs, and what must come out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Where it is written; filled by [`Case::load`].
    #[serde(skip)]
    pub file: PathBuf,
    /// The rules of the specification that it proves.
    pub rule: Vec<String>,
    /// What it shows, in one sentence.
    pub about: String,
    /// In whose form the events are.
    #[serde(default = "claude")]
    pub dialect: String,
    /// Which ways of firing it can be expressed in.
    #[serde(default)]
    pub only: Only,
    /// The host's budget for each event.
    pub budget_ms: Option<u64>,
    /// Codes of the errors that the configuration has; a case has none that it does not name.
    #[serde(default)]
    pub errors: Vec<String>,
    /// What the host's environment holds beside the usual.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The first event.
    pub event: Map<String, Value>,
    /// The configuration, in configured order.
    #[serde(default)]
    pub source: Vec<Source>,
    /// The programs that the configuration runs.
    #[serde(default)]
    pub hook: BTreeMap<String, Script>,
    /// The callbacks of the host, behind the configured hooks; a case that has any is for the library alone.
    #[serde(default)]
    pub callback: BTreeMap<String, Callback>,
    /// The servers that the configuration speaks to.
    #[serde(default)]
    pub server: BTreeMap<String, Reply>,
    /// Files beside the configuration.
    #[serde(default)]
    pub file_text: BTreeMap<String, String>,
    /// What must come out of the first event; what is not named must be silent.
    #[serde(default)]
    pub expect: Map<String, Value>,
    /// Further events of the same session.
    #[serde(default)]
    pub then: Vec<Then>,
}

/// Which ways of firing can express a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// All of them.
    #[default]
    Every,
    /// The library alone: a budget, a callback, or a layer that no command line can claim.
    Library,
}

/// One text that configures hooks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its path, from the project or `~/`.
    pub name: String,
    /// Whose format it is in.
    #[serde(default = "claude")]
    pub dialect: String,
    /// `exact` where the agent's own losses are wanted.
    pub compat: Option<String>,
    /// Whose configuration it is: `managed`, `given`, `user`, `project`, `local`.
    pub layer: Option<String>,
    /// The text, with places to fill.
    pub text: String,
}

/// A further event of the session.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// What differs from the first event.
    #[serde(default)]
    pub event: Map<String, Value>,
    /// What must come out.
    #[serde(default)]
    pub expect: Map<String, Value>,
}

/// A case whose files are written and whose places are filled.
#[derive(Debug)]
pub struct Staged {
    /// The configuration, in configured order.
    pub sources: Vec<StagedSource>,
    /// The events with what must come of them.
    pub shots: Vec<Shot>,
    /// What the host's environment holds beside the usual.
    pub env: BTreeMap<String, String>,
    /// The scripted servers, which run as long as this lives.
    pub servers: BTreeMap<String, Server>,
}

/// A source as it lies on disk.
#[derive(Clone, Debug)]
pub struct StagedSource {
    /// What the case says of it.
    pub source: Source,
    /// Where it lies.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// One event to fire.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The event in the case's dialect.
    pub event: Map<String, Value>,
    /// What must come out.
    pub expect: Map<String, Value>,
}

fn claude() -> String {
    "claude".to_owned()
}

impl Case {
    /// Reads the case at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is no case.
    pub fn load(path: &Path) -> Result<Self, CaseFault> {
        let fault = |why: String| CaseFault {
            file: path.display().to_string(),
            why: why.trim().to_owned(),
        };
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let mut case: Self = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        case.file = path.to_owned();
        if case.rule.is_empty() {
            return Err(fault("a case cites at least one rule".to_owned()));
        }
        if !case.callback.is_empty() && case.only != Only::Library {
            return Err(fault(
                "no command line has callbacks: say `only = \"library\"`".to_owned(),
            ));
        }
        Ok(case)
    }

    /// Every case file under `directory`, in the order of paths, each read or not.
    ///
    /// # Errors
    ///
    /// When a directory cannot be listed.
    pub fn all(directory: &Path) -> io::Result<Vec<Result<Self, CaseFault>>> {
        let mut files = Vec::new();
        collect(directory, &mut files)?;
        files.sort();
        Ok(files.iter().map(|path| Self::load(path)).collect())
    }

    /// Starts its servers, writes its files into `sandbox` and fills the places of its texts.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, or a server finds no port.
    pub fn stage(&self, sandbox: &Sandbox) -> io::Result<Staged> {
        let servers = self.server.iter().map(|(name, script)| {
            let server = Server::marking(script.clone(), sandbox.scripts().join(name))?;
            Ok((name.clone(), server))
        });
        let servers = servers.collect::<io::Result<BTreeMap<_, _>>>()?;
        let placeholders = self.placeholders(sandbox, &servers);
        for (name, script) in &self.hook {
            script.write(name, &sandbox.scripts())?;
        }
        for (name, text) in &self.file_text {
            sandbox.write(name, &fill(text, &placeholders))?;
        }
        let sources = self.source.iter().map(|source| {
            let text = fill(&source.text, &placeholders);
            let path = sandbox.write(&source.name, &text)?;
            Ok(StagedSource { source: source.clone(), path, text })
        });
        let sources = sources.collect::<io::Result<Vec<_>>>()?;
        let mut shots = vec![self.shot(&Map::new(), &self.expect, &placeholders)];
        shots.extend(self.then.iter().map(|t| self.shot(&t.event, &t.expect, &placeholders)));
        let filled = |(name, value): (&String, &String)| (name.clone(), fill(value, &placeholders));
        let env = self.env.iter().map(filled).collect();
        Ok(Staged { sources, shots, env, servers })
    }

    fn shot(
        &self,
        changes: &Map<String, Value>,
        expect: &Map<String, Value>,
        placeholders: &Placeholders,
    ) -> Shot {
        let mut event = Map::new();
        let usual =
            [("session_id", "s-1"), ("cwd", "{project}"), ("transcript_path", "{home}/t.jsonl")];
        let known = match self.dialect.as_str() {
            "claude" => 3,
            "ignis" => 2,
            _ => 0,
        };
        let usual = usual.into_iter().take(known);
        event.extend(usual.map(|(key, value)| (key.to_owned(), value.into())));
        event.extend(self.event.clone());
        event.extend(changes.clone());
        let fill = |map: Map<String, Value>| match fill_all(Value::Object(map), placeholders) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Shot { event: fill(event), expect: fill(expect.clone()) }
    }

    /// The values of `{project}`, `{home}`, `{hook:NAME}` (a command line), `{script:NAME}` (its path alone) and
    /// `{server:NAME}` (its URL).
    fn placeholders(&self, sandbox: &Sandbox, servers: &BTreeMap<String, Server>) -> Placeholders {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut placeholders = vec![
            ("{project}".to_owned(), text(sandbox.project())),
            ("{home}".to_owned(), text(sandbox.home())),
        ];
        for name in self.hook.keys() {
            let path = text(sandbox.scripts().join(name));
            // Through `sh`, not by itself: a file just written may still be open in a process that is being started.
            placeholders.push((format!("{{hook:{name}}}"), format!("sh {path}")));
            placeholders.push((format!("{{script:{name}}}"), path));
        }
        for (name, server) in servers {
            placeholders.push((format!("{{server:{name}}}"), server.url()));
        }
        placeholders
    }
}

/// Placeholders in a case's texts, each with its value.
type Placeholders = Vec<(String, String)>;

fn fill(text: &str, placeholders: &Placeholders) -> String {
    placeholders
        .iter()
        .fold(text.to_owned(), |text, (placeholder, with)| text.replace(placeholder, with))
}

fn fill_all(value: Value, placeholders: &Placeholders) -> Value {
    match value {
        Value::String(text) => Value::String(fill(&text, placeholders)),
        Value::Array(list) => {
            list.into_iter().map(|value| fill_all(value, placeholders)).collect::<Vec<_>>().into()
        }
        Value::Object(map) => {
            let filled = map.into_iter().map(|(key, value)| (key, fill_all(value, placeholders)));
            Value::Object(filled.collect())
        }
        other => other,
    }
}

/// Folders of `conformance` that hold something else than cases.
const OTHERS: &[&str] = &[
    "bridge",
    "check",
    "denials",
    "guardrails",
    "host",
    "near-misses",
    "neutered",
    "observed",
    "self-protection",
];

/// The folders of cases in `conformance`, sorted.
///
/// # Errors
///
/// When it cannot be listed.
pub fn folders(conformance: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(conformance)? {
        let path = entry?.path();
        if path.is_dir() && !OTHERS.iter().any(|other| path.ends_with(other)) {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn collect(directory: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        // Tables of one dialect's answers, which that dialect's own tests read, are no cases.
        let tables = path.ends_with("near-misses");
        if path.is_dir() && !tables {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            into.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
