//! What does a process hold, seen from outside? Reads `/proc` and a directory; changes nothing.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a process held when it stood still.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) runs: u64,
    descriptors: u64,
    threads: u64,
    children: u64,
    zombies: u64,
    survivors: u64,
    files: u64,
    memory: u64,
}

/// A figure of a sample, by its name.
type Measure = (&'static str, fn(&Sample) -> u64);

/// The figures; the last is the memory, in KiB.
pub(super) const MEASURES: &[Measure] = &[
    ("descriptors", |sample| sample.descriptors),
    ("threads", |sample| sample.threads),
    ("children", |sample| sample.children),
    ("zombies", |sample| sample.zombies),
    ("survivors", |sample| sample.survivors),
    ("files", |sample| sample.files),
    ("KiB", |sample| sample.memory),
];

/// By which variable the descendants of a firing are known.
const TAG: &[u8] = b"TENTERHOOK_RUN=";

/// How long a process may take to come to rest: what is ended asynchronously is over by then on any machine.
const PATIENCE: Duration = Duration::from_secs(3);

/// As many samples as one that is told from a growth.
const FEW: usize = 5;

/// How long passes between two looks.
const BETWEEN: Duration = Duration::from_millis(10);

/// The sample of a process that fires nothing, once no process ends any more: two samples agree, and do not exceed one of those
/// `before`. While there are few, a host may still warm up.
pub(super) fn at_rest(process: u32, room: &Path, runs: u64, before: &[Sample]) -> Sample {
    let until = Instant::now() + PATIENCE;
    let mut last = sample(process, room, runs);
    loop {
        std::thread::sleep(BETWEEN);
        let sample = sample(process, room, runs);
        let is_still = sample.counts() == last.counts() && sample.zombies == 0;
        let is_more = before.len() >= FEW && sample.is_more_than(before);
        if (is_still && !is_more) || Instant::now() >= until {
            return sample;
        }
        last = sample;
    }
}

impl Sample {
    /// Whether a count is higher than it ever was.
    fn is_more_than(&self, before: &[Self]) -> bool {
        let counts = self.counts();
        let ever =
            |at: usize| before.iter().filter_map(|sample| sample.counts().get(at).copied()).max();
        counts.iter().enumerate().any(|(at, now)| ever(at).is_some_and(|count| *now > count))
    }

    /// All but the memory, which is never at rest.
    const fn counts(&self) -> [u64; 6] {
        [self.descriptors, self.threads, self.children, self.zombies, self.survivors, self.files]
    }
}

fn sample(process: u32, room: &Path, runs: u64) -> Sample {
    let own = format!("/proc/{process}");
    let status = fs::read_to_string(format!("{own}/status")).unwrap_or_default();
    let of_status = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let mut sample = Sample {
        runs,
        descriptors: entries(Path::new(&format!("{own}/fd"))),
        threads: of_status("Threads:").unwrap_or_default(),
        memory: of_status("VmRSS:").unwrap_or_default(),
        files: below(&room.join("tmp")),
        ..Sample::default()
    };
    let tag = format!("{process:x}-");
    for other in processes().filter(|n| *n != process) {
        let Some((state, parent)) = state(other) else { continue };
        if parent == process {
            sample.children += 1;
            sample.zombies += u64::from(state == 'Z');
        }
        sample.survivors += u64::from(has_tag(other, tag.as_bytes()));
    }
    sample
}

fn entries(directory: &Path) -> u64 {
    fs::read_dir(directory).map_or(0, |entries| entries.count() as u64)
}

/// How many files lie below a directory.
fn below(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| 1 + if entry.path().is_dir() { below(&entry.path()) } else { 0 }).sum()
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// In what state a process is, and whose child.
fn state(process: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_whitespace();
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

/// Whether a process descends from a firing of the host whose words begin like that.
fn has_tag(process: u32, host: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    variables.any(|variable| {
        let runs = variable.strip_prefix(TAG).unwrap_or_default();
        runs.split(|byte| *byte == b',').any(|run| run.starts_with(host))
    })
}
