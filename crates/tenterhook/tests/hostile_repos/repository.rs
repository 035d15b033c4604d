//! A repository, a home and a user who may approve, in a temporary directory: the fixture that
//! steps act on.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use tempfile::TempDir;
use tenterhook::executor::Ambient;
use tenterhook::session::Session;
use tenterhook::trust::{State, Trust};
use tenterhook::{Engine, Event};
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::dialect::Roots;
use tenterhook_core::event::Surroundings;

/// What somebody does, in this order: they write, link, set modes and variables, approve, and fire;
/// and what comes of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) why: String,
    /// Files by their names below the root: `project/...` or `home/...`. `{canary}` and `{root}`
    /// stand for paths, `{port}` for that of a server that counts who connects.
    write: BTreeMap<String, String>,
    /// Links, and what they lead to.
    link: BTreeMap<String, String>,
    mode: BTreeMap<String, u32>,
    /// Variables of the agent's own environment, from now on.
    env: BTreeMap<String, String>,
    /// Approves every source that is found, as it stands.
    pub(crate) approve: bool,
    pub(crate) fire: Option<Fired>,
    /// How often a hook of the fixture has run by then, in all.
    pub(crate) ran: Option<usize>,
    /// What became of the call.
    pub(crate) decision: Option<String>,
    /// Text that a diagnostic contains.
    pub(crate) diagnostic: Option<String>,
}

/// An event.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fired {
    event: String,
    #[serde(default)]
    with: Map<String, Value>,
}

/// What came of a step.
#[derive(Debug, Default)]
pub(crate) struct Came {
    pub(crate) ran: usize,
    /// Whether a hook ran that no step approves: it says so.
    pub(crate) evil: bool,
    pub(crate) decision: String,
    pub(crate) diagnostics: String,
    /// What it says for it, and the faults.
    pub(crate) reason: String,
}

pub(crate) struct Repository {
    root: TempDir,
    env: BTreeMap<String, String>,
    connections: Arc<AtomicUsize>,
    port: u16,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().expect("a directory");
        for name in ["home", "project/.git", "scratch"] {
            fs::create_dir_all(root.path().join(name)).expect("a directory");
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
                let _ = stream
                    .and_then(|stream| std::io::Write::write_all(&mut &stream, answer.as_bytes()));
            }
        });
        let env = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
        Self { root, env, connections, port }
    }

    pub(crate) async fn act(&mut self, step: &Step) -> Came {
        for (name, text) in &step.write {
            self.write(name, text);
        }
        for (name, target) in &step.link {
            let path = self.path(name);
            let _ = fs::remove_file(&path);
            #[cfg(unix)]
            std::os::unix::fs::symlink(self.filled(target), path).expect("a link");
        }
        for (name, mode) in &step.mode {
            set_mode(&self.path(name), *mode);
        }
        let variables: Vec<_> =
            step.env.iter().map(|(name, value)| (name.clone(), self.filled(value))).collect();
        self.env.extend(variables);
        if step.approve {
            self.approve();
        }
        let mut came = match &step.fire {
            Some(fired) => self.fire(fired).await,
            None => Came::default(),
        };
        let canary = fs::read_to_string(self.canary()).unwrap_or_default();
        came.evil = canary.contains("evil");
        came.ran = canary.lines().count() + self.connections.load(Ordering::SeqCst);
        came
    }

    fn canary(&self) -> PathBuf {
        self.root.path().join("canary")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn filled(&self, text: &str) -> String {
        text.replace("{canary}", &self.canary().to_string_lossy())
            .replace("{root}", &self.root.path().to_string_lossy())
            .replace("{port}", &self.port.to_string())
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, self.filled(text)).expect("a file");
        if name.ends_with(".sh") {
            set_mode(&path, 0o755);
            // Another test may start a process at this moment, which holds the file open until it
            // executes its program.
            let written = fs::File::open(&path).expect("it is there");
            tenterhook_process::internal::wait_until_no_writer(&written, Duration::from_secs(5));
        }
    }

    fn roots(&self) -> Roots {
        let value = |name: &str| self.env.get(name).map(PathBuf::from);
        Roots {
            cwd: self.path("project"),
            repository: Some(self.path("project")),
            home: self.path("home"),
            managed: Some(self.path("managed")),
            config_home: value("CLAUDE_CONFIG_DIR"),
            homes: Roots::agent_homes_from_variables(value),
            ..Roots::default()
        }
    }

    fn variables(&self) -> Vec<(String, String)> {
        self.env.clone().into_iter().collect()
    }

    fn trust(&self) -> Trust {
        Trust::at(self.path("home/.local/state/tenterhook")).within(&self.variables())
    }

    pub(crate) fn approve(&self) {
        let trust = self.trust();
        for source in trust.find(&self.roots()).sources {
            let review = trust.review(&source);
            if review.state != State::Approved {
                trust.approve(&review).expect("an approval");
            }
        }
    }

    /// An engine with everything that is found, as it stands.
    pub(crate) fn engine(&self) -> (Engine, Vec<Diagnostic>) {
        let found = self.trust().find(&self.roots());
        let ambient = Ambient::default().env(self.variables()).scratch(self.path("scratch"));
        let builder = Engine::builder().ambient(ambient).trust(self.trust());
        found.sources.into_iter().fold(builder, |all, source| all.source(source)).build()
    }

    async fn fire(&self, fired: &Fired) -> Came {
        let (engine, found) = self.engine();
        let diagnostics = found.iter().map(|diagnostic| format!("{diagnostic:#}\n")).collect();
        Came { diagnostics, ..self.fire_on(&engine, fired).await }
    }

    pub(crate) async fn fire_on(&self, engine: &Engine, fired: &Fired) -> Came {
        let within = Surroundings {
            session_id: "s".to_owned(),
            project: self.path("project"),
            home: self.path("home"),
            ..Surroundings::at(self.path("project"))
        };
        let event = Event::new(fired.event.as_str(), within);
        let event =
            fired.with.iter().fold(event, |event, (key, value)| event.with(key, value.clone()));
        let outcome = engine.fire(event, &Session::default()).await;
        Came {
            decision: format!("{:?}", outcome.restraint).to_lowercase(),
            reason: format!("{:?} {:?}", outcome.reason(), outcome.faults),
            ..Came::default()
        }
    }
}

#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
}

#[cfg(not(unix))]
pub(crate) fn set_mode(_path: &Path, _mode: u32) {}
