//! How is a scene played, and what must hold after every one of them?

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tenterhook_process::{Cancel, Closed, Command, End, Report, TAG, run_blocking};
use tenterhook_testkit::fakehook;

/// What a test allows beyond timeout and grace, on a machine that is busy with other tests. The
/// contract is 250 ms; every program here would take 30 s if it were not stopped.
pub(crate) const SLACK: Duration = Duration::from_secs(12);

/// The timeout of programs that are meant to run into it.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// One run of `fakehook`, with an extra tag around that of the run.
pub(crate) struct Scene {
    pub(crate) command: Command,
    tag: String,
}

/// What came of it.
pub(crate) struct Played {
    pub(crate) report: Report,
    pub(crate) took: Duration,
}

/// A scene whose program does what the words of `script` say; quotes keep a text together.
pub(crate) fn scene(script: &str) -> Scene {
    Scene::new(Command::new(fakehook(), arguments(script), "/"))
}

fn arguments(script: &str) -> Vec<OsString> {
    let mut arguments = Vec::new();
    for (index, part) in script.split('\'').enumerate() {
        match index % 2 {
            0 => arguments.extend(part.split_whitespace().map(OsString::from)),
            _ => arguments.push(part.into()),
        }
    }
    arguments
}

impl Scene {
    pub(crate) fn new(mut command: Command) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let tag = format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        command.env.push((TAG.into(), tag.clone().into()));
        command.timeout = Some(Duration::from_secs(20));
        Self { command, tag }
    }

    pub(crate) fn timeout(mut self, timeout: Duration) -> Self {
        self.command.timeout = Some(timeout);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.command.stdin = bytes.into().into();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Command)) -> Self {
        change(&mut self.command);
        self
    }

    /// Runs to the end, and asserts that no process is left.
    pub(crate) fn play(self) -> Played {
        let tag = self.tag.clone();
        let played = self.play_with_survivors();
        assert_eq!(left(&tag), [] as [u32; 0], "left over after {:?}", played.report);
        played
    }

    /// Runs to the end of a scene from which somebody is known to be left.
    pub(crate) fn play_with_survivors(self) -> Played {
        let allowed = self.command.timeout.unwrap_or_default() + self.command.limits.grace + SLACK;
        let begun = Instant::now();
        let report = run_blocking(self.command, &Cancel::new());
        let took = begun.elapsed();
        assert!(took < allowed, "took {took:?}: {report:?}");
        Played { report, took }
    }

    pub(crate) fn tag(&self) -> String {
        self.tag.clone()
    }
}

impl Played {
    pub(crate) fn ended(self, end: End) -> Self {
        assert_eq!(self.report.end, end, "{:?}", self.report);
        self
    }

    pub(crate) fn printed(self, text: &str) -> Self {
        assert_eq!(String::from_utf8_lossy(&self.report.stdout.bytes), text);
        self
    }

    pub(crate) fn closed(self, closed: Closed) -> Self {
        assert_eq!(self.report.stdout.closed, closed);
        self
    }

    /// Asserts that it was over long before any program that sleeps.
    pub(crate) fn within(self, limit: Duration) -> Self {
        assert!(self.took < limit + SLACK, "took {:?}", self.took);
        self
    }
}

/// The processes that carry `tag` and are alive.
///
/// Looks again for a moment: a process that was killed may still be on its way out, also one that
/// the supervisor has no claim on.
pub(crate) fn left(tag: &str) -> Vec<u32> {
    let until = Instant::now() + SLACK;
    loop {
        let found = tagged(tag);
        if found.is_empty() || Instant::now() > until {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that carry `tag` at this moment.
pub(crate) fn tagged(tag: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let own = std::process::id();
    pids.filter(|pid| *pid != own && is_tagged(*pid, tag) && !is_zombie(*pid)).collect()
}

fn is_tagged(pid: u32, tag: &str) -> bool {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environ
        .split(|byte| *byte == 0)
        .filter_map(|part| part.strip_prefix(b"TENTERHOOK_RUN="))
        .any(|value| value.split(|byte| *byte == b',').any(|word| word == tag.as_bytes()))
}

pub(crate) fn is_zombie(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

/// Kills a process that a scene was meant to leave.
pub(crate) fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    // Gone already is as good.
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

/// A directory of one test, removed when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (process, next) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // The number of a process comes again, and so would what an aborted run left.
        let age = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        let name = format!("process-{process}-{next}-{age}");
        // The temporary folder of the build belongs to who built; tests may run as somebody else.
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, executable for its owner.
    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.file(name, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A scene may have removed it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The errors of a run that was not started.
pub(crate) fn not_started(report: &Report) -> &tenterhook_process::NotStarted {
    match &report.end {
        End::NotStarted(fault) => fault,
        other => panic!("started: {other:?}"),
    }
}
