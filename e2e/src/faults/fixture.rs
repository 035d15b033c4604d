//! Where one subject is played again and again: a home, a project and what lies in them, put back before each run. Judges nothing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::subjects::Subject;
use crate::tree;

/// Longer than anything takes on a busy machine: hooks have five seconds.
const HANGS: &str = "25";
const DIRECTORIES: &[&str] = &[
    "home/.config/tenterhook",
    "home/.claude",
    "project/.git",
    "project/below",
    "tmp",
    "home/.local/state",
];
const SOURCES: &[(&str, &str)] =
    &[("inject.c", include_str!("inject.c")), ("calls.h", include_str!("calls.h"))];
/// What no call has: nothing fails.
const NO_CALLS: &str = "none";

/// Which call fails, and how.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) calls: &'static str,
    pub(super) error: i32,
    pub(super) nth: u64,
    pub(super) lasts: bool,
}

/// How one run ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    /// How often something failed; none where the call was never reached.
    pub(super) injected: u64,
    /// The exit code; none where a signal ended it, or it hung.
    pub(super) code: Option<i32>,
    pub(super) hung: bool,
    pub(super) survivors: u32,
    pub(super) took: Duration,
    /// Thread, number and first arguments of the first call that failed.
    pub(super) call: String,
    /// How often each call was made, where that was asked.
    pub(super) made: Vec<(String, u64)>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Paths and what they hold, with links as `-> TARGET`.
pub(super) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What all places share: the programs.
pub(super) struct Programs {
    directory: tempfile::TempDir,
    /// The user that everything runs as; `None` without root.
    user: Option<u32>,
}

impl Programs {
    pub(super) fn new() -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("no room for it: {error}");
        let directory = tempfile::Builder::new().prefix("faults-").tempdir().map_err(failed)?;
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
        let user = rustix::process::geteuid().is_root().then(crate::users::spare);
        let room = Self { directory, user };
        fs::copy(tree::root().join("target/debug/tenterhook"), room.path("tenterhook"))
            .map_err(failed)?;
        for (name, text) in SOURCES {
            fs::write(room.path(name), text).map_err(failed)?;
        }
        let built = Command::new("cc")
            .args(["-O1", "-pthread", "-o"])
            .args([room.path("inject"), room.path("inject.c")])
            .output()
            .map_err(|error| format!("there is no C compiler: {error}"))?;
        match built.status.success() {
            true => Ok(room),
            false => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Why nothing can be made to fail here.
    pub(super) fn cannot(&self) -> Result<(), String> {
        let place = Fixture {
            room: self,
            directory: self.path("probe"),
            entry: String::new(),
            digest: String::new(),
        };
        place.clear()?;
        let ended = place.play("exit 7", None)?;
        match ended.code {
            Some(7) => Ok(()),
            _ => Err(ended.stderr.trim().to_owned()),
        }
    }
}

/// One place. Its path never changes: approvals name it.
pub(super) struct Fixture<'a> {
    room: &'a Programs,
    directory: PathBuf,
    entry: String,
    digest: String,
}

impl<'a> Fixture<'a> {
    /// Lays out what the subject needs, and keeps a copy to be put back.
    pub(super) fn new(
        room: &'a Programs,
        number: usize,
        subject: &Subject,
    ) -> Result<Self, String> {
        let directory = room.path(&format!("place-{number}"));
        let mut place = Self { room, directory, entry: String::new(), digest: String::new() };
        place.clear()?;
        place.entry = place.installed()?;
        place.clear()?;
        for (path, text) in subject.files {
            place.write(path, text)?;
        }
        place.digest = place.reviewed()?;
        for words in subject.before {
            let line = format!("exec {{program}} {words}");
            let ended = place.play(&line, None)?;
            if ended.code != Some(0) {
                return Err(format!("{}: `{words}`: {ended:?}", subject.name));
            }
        }
        for (path, text) in subject.changed {
            place.write(path, text)?;
        }
        if !subject.changed.is_empty() {
            place.digest = place.reviewed()?;
        }
        copy(&place.directory, &place.backup(), room.user).map_err(|error| error.to_string())?;
        Ok(place)
    }

    fn backup(&self) -> PathBuf {
        self.directory.with_extension("kept")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let place = self.path(path);
        fs::write(&place, self.fill(text)).map_err(|error| format!("{path}: {error}"))?;
        if path.ends_with(".sh") {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&place, mode).map_err(|error| error.to_string())?;
        }
        own(&place, self.room.user).map_err(|error| error.to_string())
    }

    /// An empty home and project.
    fn clear(&self) -> Result<(), String> {
        let made = || -> std::io::Result<()> {
            remove(&self.directory)?;
            remove(&self.backup())?;
            for name in DIRECTORIES {
                fs::create_dir_all(self.path(name))?;
            }
            own_all(&self.directory, self.room.user)
        };
        made().map_err(|error| error.to_string())?;
        let input = json!({"command": "ls"});
        let event = json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input,
            "cwd": self.path("project/below"),
        });
        self.write("event.json", &event.to_string())
    }

    /// Everything as it was in the beginning.
    pub(super) fn put_back(&self) -> Result<(), String> {
        remove(&self.directory)
            .and_then(|()| copy(&self.backup(), &self.directory, self.room.user))
            .map_err(|error| format!("the place cannot be put back: {error}"))
    }

    /// The line that Claude Code runs before a tool, once Tenterhook is installed.
    fn installed(&self) -> Result<String, String> {
        self.play("exec {program} install claude --program {program}", None)?;
        let text = fs::read_to_string(self.path("home/.claude/settings.json"))
            .map_err(|error| format!("nothing was installed: {error}"))?;
        let settings: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let entry = settings.pointer("/hooks/PreToolUse/0/hooks/0/command").and_then(Value::as_str);
        entry.map(str::to_owned).ok_or("there is no entry for tools".to_owned())
    }

    /// The digest of the review of the hooks of the project.
    fn reviewed(&self) -> Result<String, String> {
        let status = self.play("exec {program} trust status", None)?.stdout;
        let is_digest =
            |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(status.split_whitespace().find(is_digest).unwrap_or_default().to_owned())
    }

    fn fill(&self, text: &str) -> String {
        let path = |name: &str| self.path(name).display().to_string();
        text.replace("{entry}", &self.entry)
            .replace("{home}", &path("home"))
            .replace("{project}", &path("project"))
            .replace("{program}", &self.room.path("tenterhook").display().to_string())
            .replace("{digest}", &self.digest)
    }

    /// Counts the calls of a run.
    pub(super) fn count(&self, line: &str) -> Result<Ended, String> {
        self.start(line, ["count", "0", "0", "once"])
    }

    /// Plays a line of shell, in which a system call fails if `fault` is given.
    pub(super) fn play(&self, line: &str, fault: Option<&Fault>) -> Result<Ended, String> {
        let Some(fault) = fault else { return self.start(line, [NO_CALLS, "0", "0", "once"]) };
        let how = if fault.lasts { "on" } else { "once" };
        self.start(line, [fault.calls, &fault.error.to_string(), &fault.nth.to_string(), how])
    }

    fn start(&self, line: &str, words: [&str; 4]) -> Result<Ended, String> {
        let failed = |error: std::io::Error| format!("the injector: {error}");
        let [calls, error, nth, how] = words;
        let side = |name: &str| self.directory.with_extension(name);
        let user = self.room.user.unwrap_or_default().to_string();
        // Messages go into a pipe, which is never full: a failed write of a message could not be reported.
        let output = Command::new(self.room.path("inject"))
            .arg(side("report"))
            .args([user.as_str(), calls, error, nth, how, HANGS])
            .arg(self.room.path("tenterhook"))
            .args(["--", "/bin/sh", "-c", &self.fill(line)])
            .current_dir(self.path("project/below"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .stdin(
                fs::File::open(self.path("event.json")).map_or_else(|_| Stdio::null(), Stdio::from),
            )
            .stdout(fs::File::create(side("stdout")).map_err(failed)?)
            .output()
            .map_err(failed)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let report = fs::read_to_string(side("report")).unwrap_or_default();
        let stdout = text(&fs::read(side("stdout")).unwrap_or_default());
        let stderr = text(&output.stderr);
        match read(&report, stdout, stderr.clone()) {
            Some(ended) if output.status.success() => Ok(ended),
            _ => Err(format!("the injector failed ({}): {report}{stderr}", output.status)),
        }
    }

    /// What lies in the place now.
    pub(super) fn files(&self) -> Files {
        let mut all = Files::new();
        gather(&self.directory, &self.directory, &mut all);
        all
    }
}

/// Reads the injector's report.
fn read(report: &str, stdout: String, stderr: String) -> Option<Ended> {
    let mut lines = report.lines();
    let mut words = lines.next()?.split(' ');
    let injected = words.next()?.parse().ok()?;
    let status: i32 = words.next()?.parse().ok()?;
    let hung = words.next()? != "0";
    let survivors = words.next()?.parse().ok()?;
    let took = Duration::from_millis(words.next()?.parse().ok()?);
    let call = words.collect::<Vec<_>>().join(" ");
    let made = lines.filter_map(|line| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    });
    let code = (!hung && status & 0x7f == 0).then_some((status >> 8) & 0xff);
    Some(Ended {
        injected,
        code,
        hung,
        survivors,
        took,
        call,
        made: made.collect(),
        stdout,
        stderr,
    })
}

fn own(path: &Path, user: Option<u32>) -> std::io::Result<()> {
    let Some(user) = user else { return Ok(()) };
    let (user, group) =
        (rustix::process::Uid::from_raw(user), rustix::process::Gid::from_raw(user));
    let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
    Ok(rustix::fs::chownat(rustix::fs::CWD, path, Some(user), Some(group), flags)?)
}

fn own_all(path: &Path, user: Option<u32>) -> std::io::Result<()> {
    own(path, user)?;
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            own_all(&entry?.path(), user)?;
        }
    }
    Ok(())
}

/// Removes a directory with all that is in it, also what may not be changed.
fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn copy(from: &Path, to: &Path, user: Option<u32>) -> std::io::Result<()> {
    let found = from.symlink_metadata()?;
    if found.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
    } else if found.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()), user)?;
        }
        fs::set_permissions(to, found.permissions())?;
    } else {
        fs::copy(from, to)?;
    }
    own(to, user)
}

fn gather(root: &Path, at: &Path, all: &mut Files) {
    for entry in fs::read_dir(at).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(found) = path.symlink_metadata() else { continue };
        if found.is_dir() {
            gather(root, &path, all);
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
        let bytes = match fs::read_link(&path) {
            Ok(target) => format!("-> {}", target.display()).into_bytes(),
            Err(_) => fs::read(&path).unwrap_or_default(),
        };
        all.insert(name, bytes);
    }
}
