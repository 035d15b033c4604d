//! A host that is killed at each point of a firing: nothing of its hooks lives on, its record is whole, and the next one works.

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::super::judge::{self, Seen};
use super::super::look;
use super::super::row::{Hook, LIMITS, Required};
use super::super::scene::Scene;

/// When it is killed.
enum When {
    /// As soon as it runs.
    Started,
    /// As soon as the beginning is on record.
    OnRecord,
    /// As soon as there is a second process.
    Starting,
    /// As soon as the hook's mark is there.
    Mark,
}

/// A point: its name, what the hook does there, and when the engine is killed.
const POINTS: &[(&str, Hook, When)] = &[
    ("killed_reading_its_event", Hook::Fake(&["--stdout", "{deny}"]), When::Started),
    ("killed_when_it_began", Hook::Fake(&["--sleep-ms", "30000"]), When::OnRecord),
    ("killed_starting_a_hook", Hook::Fake(&["--sleep-ms", "30000"]), When::Starting),
    (
        "killed_while_a_hook_reads",
        Hook::Fake(&["--read", "1", "--touch", "{marks}", "--sleep-ms", "30000"]),
        When::Mark,
    ),
    (
        "killed_while_a_hook_runs",
        Hook::Fake(&["--read-all", "--touch", "{marks}", "--ignore-term", "--spin"]),
        When::Mark,
    ),
    (
        "killed_while_a_hook_writes",
        Hook::Fake(&["--raw", r#"{"decision":"#, "--touch", "{marks}", "--flood", "stdout"]),
        When::Mark,
    ),
    (
        "killed_after_the_answer",
        Hook::Fake(&["--stdout", "{deny}", "--touch", "{marks}", "--sleep-ms", "30000"]),
        When::Mark,
    ),
    (
        "killed_after_a_closed_answer",
        Hook::Fake(&[
            "--stdout",
            "{deny}",
            "--close-stdout",
            "--close-stderr",
            "--touch",
            "{marks}",
            "--sleep-ms",
            "30000",
        ]),
        When::Mark,
    ),
    (
        "killed_within_the_grace",
        // It must have asked for the signal before its time is over: it starts fast, and has long.
        Hook::Fake(&["--touch-on-term", "{marks}", "--sleep-ms", "30000"]),
        When::Mark,
    ),
    (
        "killed_while_a_hook_is_stopped",
        Hook::Fake(&["--touch", "{marks}", "--stop-self"]),
        When::Mark,
    ),
    (
        "killed_while_a_worker_judges",
        Hook::Worker(&[
            "--read-line",
            "--touch",
            "{marks}",
            "--ignore-term",
            "--sleep-ms",
            "30000",
        ]),
        When::Mark,
    ),
    (
        "killed_while_a_hook_has_children",
        Hook::Fake(&["--spawn", "3", "--touch", "{marks}", "--sleep-ms", "30000"]),
        When::Mark,
    ),
];

/// How long a condition is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many further moments are tried, a millisecond further each.
const MOMENTS: u64 = 24;

pub(in crate::chaos) fn at_a_point(scene: &Scene) -> Result<Seen, String> {
    let point =
        POINTS.iter().find(|point| point.0 == scene.row.name).ok_or("there is no such point")?;
    let (name, hook, when) = point;
    let failed = |error: std::io::Error| error.to_string();
    scene.write("marks/none", "").map_err(failed)?;
    let marks = scene.path("marks/mark").display().to_string();
    let granted = format!(r#""standard", write = ["{}"]"#, scene.path("marks").display());
    let entry = scene.entry("row", hook)?.replace("{marks}", &marks);
    let entry = entry.replace("\"standard\"", &granted);
    scene.write("tenterhook.toml", entry).map_err(failed)?;
    let large = if *name == "killed_while_a_hook_reads" { 4 << 20 } else { 0 };
    scene.write("event.json", scene.event("ls", large)).map_err(failed)?;
    kill_when(scene, when)?;
    afterwards(scene, *name == "killed_while_a_hook_has_children")
}

/// Starts a firing and kills it at its point.
fn kill_when(scene: &Scene, when: &When) -> Result<(), String> {
    let reads = matches!(when, When::Started);
    let line = scene.fire_line();
    let line = if reads { line.replace(&scene.fill("{event}"), "-") } else { line };
    let input = if reads { Stdio::piped() } else { Stdio::null() };
    let (mut child, ..) = scene.start(&format!("exec {line}"), input, LIMITS)?;
    if let Some(input) = child.stdin.as_mut() {
        // Half of it: the other half never comes.
        input.write_all(b"{\"event\":").map_err(|error| error.to_string())?;
    }
    let until = Instant::now() + PATIENCE;
    while !is_there(scene, &child, when) {
        let over = child.try_wait().map_err(|error| error.to_string())?.is_some();
        if over || Instant::now() >= until {
            let _ = child.kill();
            let _ = child.wait();
            return Err("its point was never reached".to_owned());
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    kill(child)
}

fn is_there(scene: &Scene, child: &Child, when: &When) -> bool {
    match when {
        When::Started => look::peak_kib(child.id()) > 0,
        When::OnRecord => begun(scene),
        When::Starting => look::has_child(child.id()),
        When::Mark => scene.path("marks/mark").exists(),
    }
}

fn begun(scene: &Scene) -> bool {
    let records = scene.path("home/.local/state/tenterhook/records");
    let files = std::fs::read_dir(records).into_iter().flatten().flatten();
    files.into_iter().any(|file| file.metadata().is_ok_and(|metadata| metadata.len() > 0))
}

fn kill(mut child: Child) -> Result<(), String> {
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map(drop).map_err(|error| error.to_string())
}

/// What must be so when the host is gone.
fn afterwards(scene: &Scene, had_children: bool) -> Result<Seen, String> {
    let left = scene.left_after(judge::GONE);
    let may_leave = had_children && !scene.cell.isolates();
    if !left.is_empty() && !may_leave {
        return Err(format!(
            "{} survivors: {}",
            left.len(),
            left.first().map_or("", |process| &*process.said)
        ));
    }
    scene.sweep();
    whole(scene)?;
    goes_on(scene)?;
    let text = format!("{} survivors, the record is whole, the next one works", left.len());
    let kept = scene.temporary().len();
    match (left.is_empty(), kept) {
        (true, 0) => Ok(Seen::Holds(text)),
        (true, _) => {
            Ok(Seen::Documented(format!("{text}; its directory for temporary files stays")))
        }
        (false, _) => Ok(Seen::Documented(format!(
            "{text} (what hooks start outlives a host that is killed)"
        ))),
    }
}

fn whole(scene: &Scene) -> Result<(), String> {
    let verified = scene.tenterhook("log verify --format json")?;
    // Killed before anything was on record, there is nothing to verify.
    let nothing = !begun(scene);
    let whole =
        verified.outcome().is_some_and(|outcome| outcome.get("whole") == Some(&true.into()));
    if nothing || whole {
        return Ok(());
    }
    Err(format!(
        "`log verify`: {}",
        judge::shortened(&String::from_utf8_lossy(&verified.stdout), 200)
    ))
}

fn goes_on(scene: &Scene) -> Result<(), String> {
    let entry = scene.entry("row", &Hook::Fake(&["--stdout", "{deny}"]))?;
    let error = |error: std::io::Error| error.to_string();
    scene.write("tenterhook.toml", entry).map_err(error)?;
    scene.write("event.json", scene.event("ls", 0)).map_err(error)?;
    judge::answered(&scene.fire()?, Required::Deny)?;
    whole(scene)
}

/// At arbitrary moments: each millisecond of a short firing.
pub(in crate::chaos) fn at_any_moment(scene: &Scene) -> Result<Seen, String> {
    let entry = scene
        .entry("row", &Hook::Fake(&["--read-all", "--sleep-ms", "5", "--stdout", "{deny}"]))?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    for moment in 0..MOMENTS {
        let line = format!("exec {}", scene.fire_line());
        let (mut child, ..) = scene.start(&line, Stdio::null(), LIMITS)?;
        let until = Instant::now() + PATIENCE;
        while look::peak_kib(child.id()) == 0 && Instant::now() < until {
            if child.try_wait().map_err(|error| error.to_string())?.is_some() {
                break;
            }
        }
        // Not a wait for something: the moment itself is what is tried.
        std::thread::sleep(Duration::from_millis(2 * moment));
        kill(child)?;
        judge::gone(scene).map_err(|error| format!("at {} ms: {error}", 2 * moment))?;
        whole(scene).map_err(|error| format!("at {} ms: {error}", 2 * moment))?;
    }
    goes_on(scene)?;
    Ok(Seen::Holds(format!(
        "0 survivors after {MOMENTS} kills, the record is whole, the next one works"
    )))
}
