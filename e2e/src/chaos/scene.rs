//! The scene of one row: a directory, a home and, if possible, a separate user, started behind limits. Judges nothing.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::look;
use super::row::{Cell, Hook, LIMITS, Limits, Row};
use crate::filter::{ENOSYS, FILTER, LANDLOCK};
use crate::users;

/// The answer of a hook that denies, which occurs nowhere else.
pub(super) const DENY: &str = r#"{"decision":"deny","reason":"the hook said so"}"#;
pub(super) const ALLOW: &str = r#"{"decision":"allow"}"#;
/// Starts what follows where its processes are counted apart.
const APART: &str = "unshare -U --map-current-user";
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Longer than any hook has. What takes longer hangs.
const HANGS: Duration = Duration::from_secs(90);

/// What tries something and denies where it is refused. Another error than a refusal is no denial.
const REFUSED: &str = r#"
import ctypes, errno, os, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *words):
    found = libc.syscall(name, *words) if isinstance(name, int) else getattr(libc, name)(*words)
    if found < 0:
        # A call that is not there leads nowhere either.
        error = ctypes.get_errno()
        raise PermissionError if error == errno.ENOSYS else OSError(error, name)
try:
    {tries}
except {refusal}:
    print('{deny}')
else:
    sys.exit("it got through")
"#;

/// What all rows share: the programs, where everybody may start them.
pub(super) struct Programs {
    directory: tempfile::TempDir,
    /// The first of the otherwise unused users; `None` if only root could become them.
    users: Option<u32>,
}

impl Programs {
    pub(super) fn new(programs: &[(&Path, &str)]) -> std::io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("tenterhook-chaos-").tempdir()?;
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755))?;
        for (from, name) in programs {
            // A link costs nothing; a directory of another user may not be entered.
            let to = directory.path().join(name);
            fs::hard_link(from, &to).or_else(|_| fs::copy(from, &to).map(drop))?;
        }
        let users = rustix::process::geteuid().is_root().then(users::spare);
        Ok(Self { directory, users })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A new place, number `number` of this run.
    pub(super) fn scene(&self, number: usize, row: &Row, cell: Cell) -> std::io::Result<Scene> {
        let user = self.users.map(|first| first + u32::try_from(number).unwrap_or_default());
        let directory = self.path(&format!("scene-{number}"));
        let scene = Scene { room: self.path(""), directory, user, cell, row: *row };
        for name in ["", "home", "project", "tmp"] {
            let path = scene.directory.join(name);
            fs::create_dir_all(&path)?;
            scene.own(&path)?;
        }
        fs::hard_link(self.path("fakehook"), scene.path("project/fakehook"))?;
        scene.write("event.json", scene.event(row.command, row.padding))?;
        Ok(scene)
    }
}

/// Where one row plays.
pub(super) struct Scene {
    room: PathBuf,
    pub(super) directory: PathBuf,
    user: Option<u32>,
    pub(super) cell: Cell,
    pub(super) row: Row,
}

/// How a program ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// None where it hung and was killed.
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) took: Duration,
    /// The most memory that it had, when it was last looked at: at most some milliseconds before its end.
    pub(super) peak_kib: u64,
}

impl Ended {
    pub(super) fn outcome(&self) -> Option<Value> {
        serde_json::from_slice(&self.stdout).ok()
    }

    pub(super) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }
}

impl Scene {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn shared_path(&self, name: &str) -> PathBuf {
        self.room.join(name)
    }

    fn own(&self, path: &Path) -> std::io::Result<()> {
        let user = self.user.map(rustix::process::Uid::from_raw);
        let group = self.user.map(rustix::process::Gid::from_raw);
        Ok(rustix::fs::chown(path, user, group)?)
    }

    /// Writes a file of the scene's user, and gives its path.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> std::io::Result<PathBuf> {
        let path = self.path(name);
        if let Some(parent) = path.parent().filter(|parent| !parent.exists()) {
            fs::create_dir_all(parent)?;
            self.own(parent)?;
        }
        fs::write(&path, text)?;
        self.own(&path)?;
        Ok(path)
    }

    /// Writes a program.
    pub(super) fn program(&self, name: &str, text: &str) -> std::io::Result<PathBuf> {
        let path = self.write(name, self.fill(text))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }

    pub(super) fn event(&self, command: &str, padding: usize) -> String {
        let input = json!({"command": command, "padding": "x".repeat(padding)});
        json!({"event": "PreToolUse", "tool": {"name": "Bash", "input": input}}).to_string()
    }

    /// Why its row cannot be played here.
    pub(super) fn cannot(&self) -> Option<String> {
        self.row.limits.processes.filter(|_| self.user.is_none())?;
        let works = Command::new("bash").args(["-c", &format!("{APART} true")]).output();
        let works = works.is_ok_and(|work| work.status.success());
        (!works)
            .then(|| format!("`{APART}` does not work, and nothing else counts a hook's processes"))
    }

    /// Puts paths and answers in the place of their names.
    pub(super) fn fill(&self, text: &str) -> String {
        let path = |name: &str| self.path(name).display().to_string();
        let room = |name: &str| self.shared_path(name).display().to_string();
        text.replace("{fake}", &path("project/fakehook"))
            .replace("{project}", &path("project"))
            .replace("{home}", &path("home"))
            .replace("{tmp}", &path("tmp"))
            .replace("{event}", &path("event.json"))
            .replace("{config}", &path("tenterhook.toml"))
            .replace("{scene}", &path(""))
            .replace("{program}", &room("tenterhook"))
            .replace("{agent}", &room("tenterhook-agent"))
            .replace("{deny}", DENY)
            .replace("{allow}", ALLOW)
    }

    /// The entry of a hook, in the cell of this scene.
    pub(super) fn entry(&self, name: &str, hook: &Hook) -> Result<String, String> {
        let words = |first: String, words: &[&str]| -> Value {
            std::iter::once(first).chain(words.iter().map(|word| self.fill(word))).collect()
        };
        let fake = || self.fill("{fake}");
        let runs = match hook {
            Hook::Fake(args) => format!("run = {}", words(fake(), args)),
            Hook::Worker(args) => format!("worker = {}", words(fake(), args)),
            Hook::Shell(line) => format!("shell = {}", json!(self.fill(line))),
            Hook::Python(text) => self.python(name, text)?,
            Hook::Refused(tries) => {
                // In a separate root it does not find what it is not granted.
                let refusal = match self.cell {
                    Cell::Namespaces => "(PermissionError, FileNotFoundError)",
                    _ => "PermissionError",
                };
                let text = REFUSED.replace("{tries}", tries).replace("{refusal}", refusal);
                self.python(name, &text)?
            }
            Hook::Entry(lines) => self.fill(lines),
        };
        let grants = self.fill(self.row.grants);
        let sandbox = match self.cell {
            Cell::Off => "sandbox = \"off\"".to_owned(),
            Cell::Landlock | Cell::Namespaces => {
                format!("sandbox = {{ profile = \"standard\"{grants} }}")
            }
            Cell::Both => {
                format!("sandbox = {{ profile = \"standard\", isolation_min = \"T2\"{grants} }}")
            }
            Cell::Engine => String::new(),
        };
        let timeout = self.row.timeout_ms;
        Ok(format!(
            "[hook.{name}]\non = \"PreToolUse\"\n{runs}\ntimeout = \"{timeout}ms\"\n{sandbox}\n"
        ))
    }

    fn python(&self, name: &str, text: &str) -> Result<String, String> {
        let file = self.program(&format!("project/{name}.py"), text);
        let file = file.map_err(|error| error.to_string())?;
        Ok(format!("run = {}", json!(["/usr/bin/python3", file])))
    }

    /// Writes the configuration with the row's hook.
    pub(super) fn configure(&self) -> Result<(), String> {
        let entry = self.entry("row", &self.row.hook)?;
        self.write("tenterhook.toml", entry).map(drop).map_err(|error| error.to_string())
    }

    /// The line of shell that fires the event at the configuration.
    pub(super) fn fire_line(&self) -> String {
        self.fill("{program} fire --dialect native --format json --config {config} {event}")
    }

    /// Fires the event at the configuration and waits for the outcome.
    pub(super) fn fire(&self) -> Result<Ended, String> {
        let before = self.fill(self.row.before);
        let line = match before.contains("{fire}") {
            true => before.replace("{fire}", &self.fire_line()),
            false => format!("{before} exec {}", self.fire_line()),
        };
        self.run(&line, "/dev/null", self.row.limits)
    }

    /// Runs the program with these words.
    pub(super) fn tenterhook(&self, words: &str) -> Result<Ended, String> {
        let line = format!("exec {} {}", self.fill("{program}"), self.fill(words));
        self.run(&line, "/dev/null", LIMITS)
    }

    /// Runs a line of shell as the scene's user, in its project.
    pub(super) fn run(&self, line: &str, input: &str, limits: Limits) -> Result<Ended, String> {
        let input = File::open(input).map_err(|error| format!("{input}: {error}"))?;
        let began = Instant::now();
        let (child, out, err) = self.start(line, input.into(), limits)?;
        let (status, peak_kib) = self.wait(child).map_err(|error| error.to_string())?;
        let took = began.elapsed();
        let stdout = fs::read(&out).unwrap_or_default();
        let stderr = String::from_utf8_lossy(&fs::read(&err).unwrap_or_default()).into_owned();
        // The next run gets new files: a descendant of this one may hold these.
        let _ = (fs::remove_file(out), fs::remove_file(err));
        Ok(Ended { status, stdout, stderr, took, peak_kib })
    }

    /// Starts a line of shell as the scene's user. Gives where it writes, too.
    #[expect(
        clippy::disallowed_methods,
        reason = "what is looked at from outside is not started by its own means"
    )]
    pub(super) fn start(
        &self,
        line: &str,
        input: Stdio,
        limits: Limits,
    ) -> Result<(Child, PathBuf, PathBuf), String> {
        let failed = |error: std::io::Error| error.to_string();
        let (out, err) = (look::fresh(&self.path("stdout")), look::fresh(&self.path("stderr")));
        let child = self
            .command(line, limits)?
            .stdin(input)
            .stdout(File::create(&out).map_err(failed)?)
            .stderr(File::create(&err).map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        Ok((child, out, err))
    }

    /// The words behind which a program of the scene finds that calls of these numbers fail with `error`.
    pub(super) fn behind(&self, numbers: &str, error: u32) -> Result<String, String> {
        let file = self.path("filter.py");
        // Another line may be on its way through it.
        if !file.exists() {
            self.program("filter.py", FILTER).map_err(|error| error.to_string())?;
        }
        Ok(format!("/usr/bin/python3 -I {} {numbers} {error}", file.display()))
    }

    /// A line of shell as the scene's user. What bounds it is set before anything of it runs.
    pub(super) fn command(&self, line: &str, limits: Limits) -> Result<Command, String> {
        let most = limits.processes.unwrap_or(1500);
        let (processes, apart) = match (self.user, limits.processes) {
            (Some(user), _) => {
                let apart = format!("setpriv --reuid {user} --regid {user} --clear-groups");
                (most, apart)
            }
            // The limit counts all processes of a user; in a separate namespace, only those in it.
            (None, Some(_)) => (most, APART.to_owned()),
            (None, None) => (look::own_tasks() + 2 * most, String::new()),
        };
        let bounds = format!(
            "ulimit -v {}; ulimit -f {}; ulimit -t {}; ulimit -S -c hard",
            limits.address_space_kib, limits.file_kib, limits.cpu_s
        );
        // As root the limit is set before and binds the user that follows; in a namespace it is set inside.
        let (before, within) = match self.user {
            Some(_) => (format!("ulimit -u {processes};"), String::new()),
            None => (String::new(), format!("ulimit -u {processes};")),
        };
        let line = format!("{within} {line}");
        let filter = match self.cell {
            Cell::Namespaces => self.behind(LANDLOCK, ENOSYS)?,
            _ => String::new(),
        };
        let begin = format!("{bounds}; {before} exec {apart} {filter} /bin/bash -c \"$1\"");
        let mut command = Command::new("bash");
        command
            .args(["-c", &begin, "bash", &line])
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .env("CHAOS_SECRET", "swordfish");
        Ok(command)
    }

    /// Waits for it and looks at its memory meanwhile; no status where it hangs.
    pub(super) fn wait(&self, mut child: Child) -> std::io::Result<(Option<ExitStatus>, u64)> {
        let until = Instant::now() + HANGS;
        let mut peak = 0;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((Some(status), peak));
            }
            peak = peak.max(look::peak_kib(child.id()));
            if Instant::now() >= until {
                child.kill()?;
                child.wait()?;
                return Ok((None, peak));
            }
            std::thread::sleep(Duration::from_millis(3));
        }
    }

    /// What lies in the directory for passing files of its user, and where the engine makes those of its runs.
    pub(super) fn temporary(&self) -> Vec<String> {
        let places = ["tmp", "home/.local/state/tenterhook/scratch"];
        let entries = places.iter().filter_map(|text| fs::read_dir(self.path(text)).ok());
        entries.flatten().flatten().map(|entry| entry.path().display().to_string()).collect()
    }

    /// Processes of this scene.
    pub(super) fn left(&self) -> Vec<look::Process> {
        look::processes(&self.path("").display().to_string(), self.user)
    }

    /// Waits until no process of this scene is left; those that are after `time`.
    pub(super) fn left_after(&self, time: Duration) -> Vec<look::Process> {
        let until = Instant::now() + time;
        loop {
            let left = self.left();
            if left.is_empty() || Instant::now() >= until {
                return left;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Removes its files. Those that cannot be removed are removed with the whole scene.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// Ends what is left of this scene. What forks faster than that runs into its own limits.
    pub(super) fn sweep(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            let left = self.left();
            if left.is_empty() {
                return;
            }
            left.iter().for_each(look::Process::kill);
        }
    }
}
