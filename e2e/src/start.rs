//! `cargo e2e start [PROGRAM] [--peer NAME=COMMAND]...`: what does one `fire` or `hook` cost from its start to its end, beside
//! `/bin/true`, Python, and other bridges that the user has installed? Prints time, CPU and page faults, each also as a ratio to
//! those of `/bin/true`. Measures the release build, and asserts nothing: the figures are the program's data.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Report, tree};

/// How often each is started, in turn with the others, so that a machine whose speed drifts is fair to all.
const TIMES: u32 = 200;
/// How long the system's tick is in which it counts the time of children.
const TICK: Duration = Duration::from_millis(10);

const NOTHING: &str = "[hook.other]\non = \"PreToolUse\"\nmatch = \"Write\"\nrun = [\"true\"]\n";
const PACK: &str = include_str!("../../crates/tenterhook-cli/packs/guardrails.toml");
/// A hundred hooks of Claude Code, of which none is for the call.
const HUNDRED: &str = ".claude/settings.json";
/// A guard that does by itself what one rule does.
const GUARD: &str = "import json, sys\ncall = json.load(sys.stdin)\nif 'rm -rf' in str(call.get('tool_input')):\n    print('no', file=sys.stderr)\n    sys.exit(2)\n";
/// The same as a rule.
const RULE: &str = "[hook.guard]\non = \"PreToolUse\"\nwhen = 'tool.command.contains(\"rm -rf\")'\ndeny = \"no\"\n";
/// The same, after a question to the session; and with calls of the session, which are noted.
const SEEN: &str = "[hook.guard]\non = \"PreToolUse\"\nwhen = 'session.seen(\"x\") || tool.command.contains(\"rm -rf\")'\ndeny = \"no\"\n";
const CALLS: &str = "[hook.guard]\non = \"PreToolUse\"\nwhen = 'session.last(3).count(c, c.ended == \"denied\") == 3 || tool.command.contains(\"rm -rf\")'\ndeny = \"no\"\n";
/// A command that says nothing, in the form that bridges share.
const COMMAND: &str = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"/bin/true\"}]}]}}";

const USAGE: &str = "usage: cargo e2e start [PROGRAM] [--peer NAME=COMMAND]...";

/// One thing that is started: its name and its words.
type Started = (String, Vec<String>);

/// A row of the table: what is started, in which home, and what each run has cost.
struct Row {
    name: String,
    words: Vec<String>,
    home: PathBuf,
    runs: Vec<Cost>,
}

/// What one run has cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: Duration,
    cpu: Duration,
    faults: u64,
}

/// What was asked: our program, and those of others.
struct Asked {
    program: PathBuf,
    peers: Vec<Started>,
}

impl Asked {
    fn read(args: &[&str]) -> Result<Self, String> {
        let mut asked =
            Self { program: tree::root().join("target/release/tenterhook"), peers: Vec::new() };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            match (*word, word.starts_with('-')) {
                ("--peer", _) => {
                    asked.peers.push(args.next().and_then(|arg| peer(arg)).ok_or(USAGE)?)
                }
                (_, true) => return Err(USAGE.to_owned()),
                (program, false) => asked.program = PathBuf::from(program),
            }
        }
        if asked.program.is_file() {
            return Ok(asked);
        }
        let help = "build it with `cargo build --release`, or name another program";
        Err(format!("{} is not there: {help}", asked.program.display()))
    }
}

/// Words without quotes, so that no shell is measured with them.
fn peer(word: &str) -> Option<Started> {
    let (name, command) = word.split_once('=')?;
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    (!name.is_empty() && !words.is_empty()).then(|| (format!("peer: {name}"), words))
}

/// A call of Codex, whose form is Claude Code's.
fn event(room: &Path) -> String {
    serde_json::json!({
        "session_id": "s", "transcript_path": null, "cwd": room, "hook_event_name": "PreToolUse", "permission_mode": "default",
        "model": "m", "turn_id": "t", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c",
    })
    .to_string()
}

pub(crate) fn run(args: &[&str]) -> Report {
    let Asked { program, peers } = Asked::read(args)?;
    let directory = tempfile::tempdir().map_err(|error| format!("no directory: {error}"))?;
    let room = directory.path().join("project");
    std::fs::create_dir(&room).map_err(|error| format!("no project: {error}"))?;
    let many =
        (0..20_000).map(|at| NOTHING.replace("other", &format!("h{at}"))).collect::<String>();
    for (name, text) in [
        ("nothing.toml", NOTHING),
        ("pack.toml", PACK),
        ("many.toml", &many),
        ("event.json", &event(&room)),
        ("rule.toml", RULE),
        ("seen.toml", SEEN),
        ("calls.toml", CALLS),
        ("hooks.json", COMMAND),
        ("guard.py", GUARD),
    ] {
        std::fs::write(room.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    hundred(&home(&room)).map_err(|error| format!("{HUNDRED}: {error}"))?;
    std::fs::create_dir(room.with_file_name("empty"))
        .map_err(|error| format!("no home: {error}"))?;
    let said = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let ours = |words: &[&str]| [said(&[&program.to_string_lossy()]), said(words)].concat();
    let fire = |file: &str| ours(&["fire", "--config", file, "event.json"]);
    let hook = |more: &[&str]| {
        ours(&[&["hook", "--agent", "codex", "--event", "PreToolUse"], more].concat())
    };
    let all = [
        ("/bin/true", said(&["/bin/true"])),
        ("python3 -c pass", said(&["python3", "-c", "pass"])),
        ("tenterhook --version", ours(&["--version"])),
        ("fire, nothing matches", fire("nothing.toml")),
        ("fire, the guardrails, `ls`", fire("pack.toml")),
        ("fire, 20,000 hooks, none selected", fire("many.toml")),
        ("python3 guard.py", said(&["python3", "guard.py"])),
        (UNCONFIGURED, hook(&[])),
        ("hook, 100 hooks, nothing matches", hook(&[])),
        ("hook, the guardrails, `ls`", hook(&["--config", "pack.toml"])),
        ("hook, one rule as guard.py", hook(&["--config", "rule.toml"])),
        ("hook, the same, asks `session.seen`", hook(&["--config", "seen.toml"])),
        ("hook, the same, asks for calls", hook(&["--config", "calls.toml"])),
        ("hook, a command `/bin/true`", hook(&["--config", "claude=hooks.json"])),
    ];
    let all = all.into_iter().map(|(name, words)| (name.to_owned(), words)).chain(peers);
    let mut rows: Vec<Row> = all.map(|started| Row::new(started, &room)).collect();
    for _ in 0..TIMES {
        for row in &mut rows {
            let cost = once(row, &room).map_err(|why| format!("{}: {why}", row.name))?;
            row.runs.push(cost);
        }
    }
    Ok((table(&rows), true))
}

/// The row of a call for which no hook is configured anywhere.
const UNCONFIGURED: &str = "hook, nothing configured";

impl Row {
    fn new((name, words): Started, room: &Path) -> Self {
        let home = if name == UNCONFIGURED { room.with_file_name("empty") } else { home(room) };
        Self { name, words, home, runs: Vec::new() }
    }

    /// The time below which this share of the runs stays.
    fn wall_at_percent(&self, percent: usize) -> Duration {
        let mut walls: Vec<Duration> = self.runs.iter().map(|run| run.wall).collect();
        walls.sort_unstable();
        walls.get(walls.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
    }

    fn mean_cpu(&self) -> Duration {
        self.runs.iter().map(|run| run.cpu).sum::<Duration>() / TIMES
    }

    fn mean_faults(&self) -> u64 {
        self.runs.iter().map(|run| run.faults).sum::<u64>() / u64::from(TIMES)
    }
}

/// A separate home: one that is the project, or that leads into it, is not trusted (C-95).
fn home(room: &Path) -> PathBuf {
    room.with_file_name("home")
}

fn hundred(home: &Path) -> std::io::Result<()> {
    let entry = "{\"matcher\":\"Write\",\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}";
    let entries = vec![entry; 100].join(",");
    std::fs::create_dir_all(home.join(".claude"))?;
    std::fs::write(home.join(HUNDRED), format!("{{\"hooks\":{{\"PreToolUse\":[{entries}]}}}}"))
}

/// The costs of one run. CPU is counted in ticks, whose errors even out.
fn once(row: &Row, room: &Path) -> Result<Cost, String> {
    let (program, args) = row.words.split_first().ok_or("it has no name")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(room).env("HOME", &row.home);
    // What agents hand to a hook; the others do not read it.
    let input = std::fs::File::open(room.join("event.json")).map_err(|error| error.to_string())?;
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null());
    let (before, began) = (of_children()?, Instant::now());
    let status = command.status().map_err(|error| error.to_string())?;
    let wall = began.elapsed();
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    let (cpu, faults) = of_children()?;
    Ok(Cost { wall, cpu: cpu.saturating_sub(before.0), faults: faults.saturating_sub(before.1) })
}

/// The time that ended children spent on a core, and their page faults without I/O.
fn of_children() -> Result<(Duration, u64), String> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // Behind the name, which may hold blanks: the fields 11, 16 and 17 of the whole line.
    let (_, fields) = stat.rsplit_once(')').ok_or("no line of a process")?;
    let fields: Vec<u64> =
        fields.split_whitespace().map(|word| word.parse().unwrap_or_default()).collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let ticks = u32::try_from(field(13) + field(14)).unwrap_or(u32::MAX);
    Ok((TICK.saturating_mul(ticks), field(8)))
}

fn table(rows: &[Row]) -> String {
    let ratio = |cost: f64, base: f64| cost / base.max(f64::EPSILON);
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let figures = |row: &Row| {
        #[expect(clippy::cast_precision_loss, reason = "no run has so many faults")]
        let faults = row.mean_faults() as f64;
        (ms(row.wall_at_percent(50)), ms(row.mean_cpu()), faults)
    };
    let base = rows.first().map(figures).unwrap_or_default();
    let mut lines = format!(
        "{:<36} {:>11} {:>7} {:>11} {:>11} {:>7} {:>8} {:>7}\n",
        "what", "median", "ratio", "p99", "of a core", "ratio", "faults", "ratio"
    );
    for row in rows {
        let (wall, cpu, faults) = figures(row);
        lines.push_str(&format!(
            "{:<36} {wall:>8.2} ms {:>6.1}x {:>8.2} ms {cpu:>8.2} ms {:>6.1}x {faults:>8.0} {:>6.1}x\n",
            row.name,
            ratio(wall, base.0),
            ms(row.wall_at_percent(99)),
            ratio(cpu, base.1),
            ratio(faults, base.2),
        ));
    }
    lines
}
