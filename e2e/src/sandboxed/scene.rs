//! A home and a project of a hook's own: lays them out, lets `fire` run it as its configuration says, and says what came of it.
//! Judges nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use regex::Regex;
use serde_json::{Value, json};
use tenterhook_testkit::server::{Reply, Server};

use super::hooks::{Hook, Written};
use crate::filter::{self, ENOSYS, LANDLOCK};
use crate::{approve, tree};

/// What no hook is about: caches of interpreters, and what git keeps for itself.
const NO_EFFECT: &[&str] = &["__pycache__", ".git"];

/// By what means the sandbox is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Landlock,
    /// Namespaces, on a machine without Landlock: its calls are taken away from the program.
    Namespaces,
}

impl Cell {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Landlock => "L",
            Self::Namespaces => "N",
        }
    }
}

/// Everything that a hook can reach, and nothing of the user who runs the play.
pub(super) struct Scene {
    root: tempfile::TempDir,
    server: Server,
    /// What came over the socket of the desktop.
    received: Arc<Mutex<Vec<String>>>,
    hook: &'static Hook,
    cell: Cell,
}

/// What came of a firing, with the paths of its scene taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Came {
    /// The outcome that the host receives, without times.
    pub(super) outcome: Value,
    /// The files of project and home, each with its mode and text.
    pub(super) files: BTreeMap<String, (u32, String)>,
    /// The references of the repository.
    pub(super) refs: String,
    pub(super) received: Vec<String>,
}

impl Scene {
    pub(super) fn new(hook: &'static Hook, cell: Cell) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("no scene for it: {error}");
        let root = tempfile::Builder::new().prefix("sandboxed-").tempdir().map_err(failed)?;
        for directory in ["run", "state", "tmp"] {
            fs::create_dir(root.path().join(directory)).map_err(failed)?;
        }
        let server = Server::start(Reply::json("{}")).map_err(failed)?;
        let received = listen(&root.path().join("run/bus")).map_err(failed)?;
        Ok(Self { root, server, received, hook, cell })
    }

    /// Lays out home and project as they are before anything happened, with a word on the hook's sandbox where one is given.
    pub(super) fn lay_out(&self, line: Option<&str>) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("no scene for it: {error}");
        for directory in ["home", "project", "bin"] {
            let directory = self.root.path().join(directory);
            if directory.exists() {
                fs::remove_dir_all(&directory).map_err(failed)?;
            }
            fs::create_dir(directory).map_err(failed)?;
        }
        self.write("README.md", "A project.\n").map_err(failed)?;
        self.repository()?;
        for (name, text) in self.hook.files {
            self.write(name, &self.filled(text)).map_err(failed)?;
        }
        self.git(&["add", "-A"])?;
        self.configure(line).map_err(failed)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// A text of the table, with the placeholders of this scene filled in.
    pub(super) fn filled(&self, text: &str) -> String {
        let port = self.server.address().port().to_string();
        text.replace("{port}", &port)
            .replace("{project}", &self.project().display().to_string())
            .replace("{home}", &self.home().display().to_string())
    }

    /// A text that says the same in any scene, as it is in this one.
    pub(super) fn special(&self, text: &str) -> String {
        let port = format!(":{}", self.server.address().port());
        text.replace("{root}", &self.root.path().display().to_string()).replace(":{port}", &port)
    }

    /// A text of this scene, as it would be in any other.
    pub(super) fn general(&self, text: &str) -> String {
        let port = format!(":{}", self.server.address().port());
        text.replace(&self.root.path().display().to_string(), "{root}").replace(&port, ":{port}")
    }

    /// Writes the hook down, with a word on its sandbox where the product says that such a word stands.
    fn configure(&self, line: Option<&str>) -> std::io::Result<()> {
        let (event, tool) = self.hook.on;
        match self.hook.written {
            Written::Claude(command) => {
                let hooks = json!([{"type": "command", "command": command}]);
                let settings = json!({"hooks": {event: [{"matcher": tool, "hooks": hooks}]}});
                self.write(".claude/settings.json", &settings.to_string())?;
                let file = self.project().join(".claude/settings.json");
                let said = line.map(|line| format!("[source.\"{}\"]\n{line}\n", file.display()));
                self.write(
                    "~/.config/tenterhook/tenterhook.toml",
                    &said.unwrap_or_else(|| "# nothing\n".to_owned()),
                )
            }
            Written::Native(entry) => {
                let matches = Some(tool).filter(|tool| !tool.is_empty());
                let matches =
                    matches.map(|text| format!("match = \"{text}\"\n")).unwrap_or_default();
                let line = line.unwrap_or_default();
                let text = format!("[hook.real]\non = \"{event}\"\n{matches}{entry}\n{line}\n");
                self.write("tenterhook.toml", &text)
            }
        }
    }

    /// Whether a word on its sandbox stands elsewhere than in its entry.
    pub(super) fn is_said_elsewhere(&self) -> bool {
        matches!(self.hook.written, Written::Claude(_))
    }

    /// Makes what was to be made once, empty: a directory where `came` holds one, else a file.
    pub(super) fn make(&self, name: &str, came: &Came) -> Result<(), String> {
        let path = PathBuf::from(self.special(name));
        let is_directory = came.files.keys().any(|key| key.starts_with(&format!("{name}/")));
        let made = match is_directory {
            true => fs::create_dir(&path),
            false => fs::write(&path, ""),
        };
        made.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Approves what is written down, fires the event, and says what came of it.
    pub(super) fn fire(&self) -> Result<Came, String> {
        let program = tree::root().join("target/debug/tenterhook");
        approve::approve(&program, &self.project(), &self.env())?;
        let earlier = self.received().len();
        let mut command = match self.cell {
            Cell::Landlock => Command::new(&program),
            Cell::Namespaces => filter::behind(LANDLOCK, ENOSYS, &program),
        };
        let command = self.at_home(&mut command);
        let output = command.args(["fire", "--format", "json", &self.event()?]).output();
        let output = output.map_err(|error| format!("`tenterhook` cannot be run: {error}"))?;
        let outcome: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
        Ok(Came {
            outcome: self.comparable(outcome),
            files: self.files(),
            refs: self.git(&["for-each-ref", "--format=%(refname)"])?,
            received: self.received().split_off(earlier),
        })
    }

    /// Messages that arrived outside, over the socket of the desktop or the server: a hook of the table uses at most one of
    /// them.
    fn received(&self) -> Vec<String> {
        let mut all = self.received.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asked = self.server.requests().into_iter();
        all.extend(asked.map(|request| format!("{} {}", request.path, request.body)));
        all
    }

    fn event(&self) -> Result<String, String> {
        let (event, tool) = self.hook.on;
        let rest = self.filled(&format!("{{{}}}", self.hook.event));
        let mut all: Value =
            serde_json::from_str(&rest).map_err(|error| format!("{error}: {rest}"))?;
        let fields = all.as_object_mut().ok_or("an event is a table")?;
        fields.insert("hook_event_name".to_owned(), event.into());
        fields.insert("session_id".to_owned(), "s".into());
        fields.insert("cwd".to_owned(), self.project().display().to_string().into());
        if !tool.is_empty() {
            fields.insert("tool_name".to_owned(), tool.into());
        }
        Ok(all.to_string())
    }

    /// An outcome without what differs between two firings that came to the same.
    fn comparable(&self, mut outcome: Value) -> Value {
        for step in
            outcome.pointer_mut("/steps").and_then(Value::as_array_mut).into_iter().flatten()
        {
            if let Some(step) = step.as_object_mut() {
                step.remove("duration_ms");
            }
        }
        let text = self.general(&outcome.to_string());
        // How long tests took is a measure of the machine.
        let text = Regex::new(r" in \d+\.\d+s")
            .map_or(text.clone(), |regex| regex.replace_all(&text, "").into());
        serde_json::from_str(&text).unwrap_or(outcome)
    }

    /// Whatever lies in project and home, but for what says which hooks run.
    fn files(&self) -> BTreeMap<String, (u32, String)> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.home(), self.project()];
        let ours = self.home().join(".config/tenterhook");
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                if NO_EFFECT.iter().any(|text| name == *text)
                    || path == ours
                    || name == "tenterhook.toml"
                {
                    continue;
                }
                let Ok(about) = entry.metadata() else { continue };
                if about.is_dir() {
                    open.push(path.clone());
                }
                let text = fs::read_to_string(&path).unwrap_or_default();
                let mode = about.permissions().mode();
                all.insert(self.general(&path.display().to_string()), (mode, self.general(&text)));
            }
        }
        all
    }

    fn repository(&self) -> Result<(), String> {
        self.git(&["init", "-q", "-b", "main"])?;
        self.git(&["config", "user.name", "somebody"])?;
        self.git(&["config", "user.email", "somebody@example.com"])?;
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-qm", "begin"]).map(drop)
    }

    fn git(&self, args: &[&str]) -> Result<String, String> {
        let output = self.at_home(&mut Command::new("git")).args(args).output();
        let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    fn at_home<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.current_dir(self.project()).env_clear().envs(self.env())
    }

    fn env(&self) -> Vec<(String, String)> {
        let at = |name: &str| self.root.path().join(name).display().to_string();
        vec![
            ("HOME".to_owned(), at("home")),
            ("PATH".to_owned(), format!("{}:/usr/local/bin:/usr/bin:/bin", at("bin"))),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TMPDIR".to_owned(), at("tmp")),
            ("XDG_STATE_HOME".to_owned(), at("state")),
            ("XDG_RUNTIME_DIR".to_owned(), at("run")),
        ]
    }

    /// A file of the project, the home (`~/`) or the path (`bin/`); what begins with `#!` can be started.
    fn write(&self, name: &str, text: &str) -> std::io::Result<()> {
        let path = match (name.strip_prefix("~/"), name.strip_prefix("bin/")) {
            (Some(rest), _) => self.home().join(rest),
            (_, Some(rest)) => self.root.path().join("bin").join(rest),
            _ => self.project().join(name),
        };
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(&path, text)?;
        let is_program = text.starts_with("#!") && !name.starts_with("src/");
        let mode = if is_program { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }
}

/// Hears what is sent to a socket, as a desktop's bus does. Ends with the play.
fn listen(path: &Path) -> std::io::Result<Arc<Mutex<Vec<String>>>> {
    let listener = UnixListener::bind(path)?;
    let received = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&received);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut text = String::new();
            // The stream ends when this is noted: until then the program waits, and its hook with it.
            if stream.read_to_string(&mut text).is_ok() {
                notes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
            }
        }
    });
    Ok(received)
}
