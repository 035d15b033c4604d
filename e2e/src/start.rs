//! `cargo e2e start [PROGRAM] [--peer NAME=COMMAND]...`: what does one `fire` or `hook` cost from its start to its end, beside
//! `/bin/true`, Python, and other bridges that the user has installed? Measures the release build, and asserts nothing: the
//! figures are the program's data.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Report, tree};

/// How often each is started, in turn with the others, so that a machine whose speed drifts is fair to all.
const TIMES: u32 = 40;
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
        ("hook, 100 hooks, nothing matches", hook(&[])),
        ("hook, the guardrails, `ls`", hook(&["--config", "pack.toml"])),
        ("hook, one rule as guard.py", hook(&["--config", "rule.toml"])),
        ("hook, the same, asks `session.seen`", hook(&["--config", "seen.toml"])),
        ("hook, the same, asks for calls", hook(&["--config", "calls.toml"])),
        ("hook, a command `/bin/true`", hook(&["--config", "claude=hooks.json"])),
    ];
    let all = all.into_iter().map(|(name, words)| (name.to_owned(), words)).chain(peers);
    let mut took: Vec<_> = all.map(|pair| (pair, Vec::new(), Duration::ZERO)).collect();
    for _ in 0..TIMES {
        for ((name, words), walls, cpu) in &mut took {
            let (wall, spent) = once(words, &room).map_err(|why| format!("{name}: {why}"))?;
            walls.push(wall);
            *cpu += spent;
        }
    }
    Ok((table(&mut took), true))
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

/// The wall time and the share of a core; the latter is counted in ticks, whose errors even out.
fn once(words: &[String], room: &Path) -> Result<(Duration, Duration), String> {
    let (program, args) = words.split_first().ok_or("it has no name")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(room).env("HOME", home(room));
    // What agents hand to a hook; the others do not read it.
    let input = std::fs::File::open(room.join("event.json")).map_err(|error| error.to_string())?;
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null());
    let (before, began) = (of_children()?, Instant::now());
    let status = command.status().map_err(|error| error.to_string())?;
    let wall = began.elapsed();
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    Ok((wall, of_children()?.saturating_sub(before)))
}

/// The time that ended children spent on a core.
fn of_children() -> Result<Duration, String> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // Behind the name, which may hold blanks: the fields 16 and 17 of the whole line.
    let (_, fields) = stat.rsplit_once(')').ok_or("no line of a process")?;
    let ticks: u32 = fields
        .split_whitespace()
        .skip(13)
        .take(2)
        .filter_map(|word| word.parse::<u32>().ok())
        .sum();
    Ok(TICK * ticks)
}

fn table(took: &mut [(Started, Vec<Duration>, Duration)]) -> String {
    let mut lines = format!("{:<36} {:>10} {:>8} {:>14}\n", "what", "median", "ratio", "of a core");
    let median = |walls: &mut Vec<Duration>| {
        walls.sort_unstable();
        walls.get(walls.len() / 2).copied().unwrap_or_default()
    };
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let mut base = Duration::ZERO;
    for ((name, _), walls, cpu) in took {
        let wall = median(walls);
        base = if base.is_zero() { wall } else { base };
        let ratio = wall.as_secs_f64() / base.as_secs_f64().max(f64::EPSILON);
        let cpu = ms(*cpu) / f64::from(TIMES);
        lines.push_str(&format!("{name:<36} {:>7.1} ms {ratio:>7.1}x {cpu:>11.1} ms\n", ms(wall)));
    }
    lines
}
