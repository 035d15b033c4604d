//! Prints how many lines of a list are seen, kind by kind: `cargo xtask lines FILE [--misses KIND]`.
//!
//! A list holds `rows` with an `ask` (`push`, `pack`, `probe`, `self` or `ordinary`) and a `line`, or with a `tool` and its `input`, which
//! self-protection is asked about; or it holds lists of lines under `push_forms`, `dangerous` and `ordinary`. It writes only into a scratch
//! directory.
#![expect(clippy::print_stdout, reason = "an example for people to run")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook::internal::executor::disk_files;
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Compat, Run};
use tenterhook_core::matcher::rule::Reading;
use tenterhook_core::matcher::{Condition, MatchContext, Picked};
use tenterhook_core::protect;
use tenterhook_core::rule::{Incomplete, Rule, RuleInput};

const GUARDRAILS: &str = include_str!("../../tenterhook-cli/packs/guardrails.toml");
/// The permission rule that `push` asks about.
const PUSH: &str = "Bash(git push *)";
/// The lists of a file that holds no rows, and what each is asked about.
const LISTS: &[(&str, &str)] =
    &[("push_forms", "push"), ("dangerous", "pack"), ("ordinary", "ordinary")];

type Fallible<T> = Result<T, Box<dyn Error>>;

/// One line or call of a list.
struct Row {
    ask: String,
    kind: String,
    /// The tool, and what it is given.
    tool: String,
    input: Value,
    /// The expression of a probe.
    when: Option<String>,
    /// Whether it should be held up.
    wanted: bool,
    /// Whether the list says that people disagree about it.
    is_arguable: bool,
}

/// The answer to one row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Yes,
    No,
    /// The rule has no value, so the failure policy holds the call up.
    Doubt,
}

/// The counts of one kind.
#[derive(Default)]
struct Count {
    rows: usize,
    wanted: usize,
    right: usize,
    missed: usize,
    stopped: usize,
    doubts: usize,
    arguable: usize,
}

/// The rules that are asked, and the project in which a call stands.
struct Guards {
    push: Condition,
    guardrails: Vec<Rule>,
    own: Vec<Rule>,
    project: Project,
}

/// A project with the files that hold an agent, and other names of them.
struct Project {
    root: tempfile::TempDir,
}

fn main() -> Fallible<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (file, listed) =
        match args.as_slice() {
            [file] => (*file, None),
            [file, "--misses", kind] | ["--misses", kind, file] => (*file, Some(*kind)),
            _ => return Err(
                "name a file with lines, and `--misses KIND` to list what was not seen as wanted"
                    .into(),
            ),
        };
    let whole = serde_json::from_str(&fs::read_to_string(file)?)?;
    let guards = Guards::new()?;
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    for row in rows(&whole)? {
        let seen = guards.ask(&row)?;
        let count = counts.entry((row.ask.clone(), row.kind.clone())).or_default();
        count.add(&row, seen);
        let is_right = (seen != Seen::No) == row.wanted;
        let is_listed =
            listed.is_some_and(|kind| kind == row.ask || kind == row.kind || kind == "all");
        if is_listed && !is_right && !row.is_arguable {
            let what = if row.wanted { "missed" } else { "false" };
            let shown = row.input.get("command").unwrap_or(&row.input);
            println!("{what}\t{}\t{}\t{} {shown}", row.ask, row.kind, row.tool);
        }
    }
    if listed.is_none() {
        report(&counts);
    }
    Ok(())
}

/// The rows of a list, in any of its three forms.
fn rows(whole: &Value) -> Fallible<Vec<Row>> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let is = |value: &Value, key: &str| value.get(key).and_then(Value::as_bool);
    let Some(list) = whole.get("rows").and_then(Value::as_array) else {
        let lines = LISTS.iter().flat_map(|(list, ask)| {
            let lines = whole.get(*list).and_then(Value::as_array).into_iter().flatten();
            lines.filter_map(Value::as_str).map(|line| bash(ask, list, line))
        });
        return Ok(lines.collect());
    };
    let row = |value: &Value| -> Fallible<Row> {
        let Some(line) = text(value, "line") else {
            let tool = text(value, "tool").ok_or("a row has neither a `line` nor a `tool`")?;
            let input = value.get("input").cloned().unwrap_or_default();
            let is_arguable = is(value, "arguable") == Some(true);
            return Ok(Row { tool, input, is_arguable, ..bash("self", "tool calls", "") });
        };
        let ask = text(value, "ask").ok_or("a row has no `ask`")?;
        let kind = text(value, "kind").unwrap_or_else(|| ask.clone());
        let when = text(value, "probe").map(|probe| {
            let of_list = whole.pointer(&format!("/probes/{probe}")).and_then(Value::as_str);
            of_list.map(str::to_owned).ok_or(format!("there is no probe `{probe}`"))
        });
        let wanted = is(value, "want").unwrap_or(ask != "ordinary");
        Ok(Row { when: when.transpose()?, wanted, ..bash(&ask, &kind, &line) })
    };
    list.iter().map(row).collect()
}

/// A line for the shell.
fn bash(ask: &str, kind: &str, line: &str) -> Row {
    Row {
        ask: ask.to_owned(),
        kind: kind.to_owned(),
        tool: "Bash".to_owned(),
        input: json!({ "command": line }),
        when: None,
        wanted: ask != "ordinary",
        is_arguable: false,
    }
}

/// The rules of a pack.
fn pack(text: &str) -> Fallible<Vec<Rule>> {
    let mut source = Source::from_text("tenterhook.pack.toml", DialectId::NATIVE, text, "/nowhere");
    source.home = PathBuf::from("/home/u");
    let read = DialectId::NATIVE.dialect().read_config(&source);
    if let Some(found) = read.diagnostics.first() {
        let line = found.place.as_ref().map_or(0, |place| place.line);
        return Err(format!("line {line} of the pack: {}", found.message).into());
    }
    let hooks = read.hooks.into_iter();
    let rule = |run| match run {
        Run::Rule(rule) => Ok(rule),
        _ => Err("the pack holds a hook that is no rule".into()),
    };
    hooks.map(|hook| rule(hook.run)).collect()
}

impl Guards {
    fn new() -> Fallible<Self> {
        Ok(Self {
            push: Condition::rule(PUSH, Reading::Native),
            guardrails: pack(GUARDRAILS)?,
            own: pack(protect::PACK)?,
            project: Project::new()?,
        })
    }

    /// Whether what a row asks about is held up.
    fn ask(&self, row: &Row) -> Fallible<Seen> {
        let event = self.project.event(row);
        let input = RuleInput::new(&event).with_file_reader(disk_files());
        match (row.ask.as_str(), &row.when) {
            ("push", _) => {
                let picked = self.push.pick(&MatchContext::for_event(&event), Compat::Guarded);
                Ok(if matches!(picked, Picked::No(_)) { Seen::No } else { Seen::Yes })
            }
            (_, Some(when)) => {
                Ok(answer_of(&[Rule::new(when).deny("no")], &input, Incomplete::Unknown))
            }
            ("pack" | "ordinary", None) => {
                let own = answer_of(&self.own, &input, Incomplete::Ignored);
                let pack = answer_of(&self.guardrails, &input, Incomplete::Unknown);
                Ok(if own == Seen::Yes { own } else { pack })
            }
            ("self", None) => Ok(answer_of(&self.own, &input, Incomplete::Ignored)),
            (ask, None) => Err(format!("it is not known what `{ask}` asks about").into()),
        }
    }
}

/// Whether one of the rules holds; else whether one has no value.
fn answer_of(rules: &[Rule], input: &RuleInput, incomplete: Incomplete) -> Seen {
    let mut seen = Seen::No;
    for rule in rules {
        match rule.evaluate(input, incomplete, &|| true) {
            Ok(Some(answer)) if answer.restraint != Restraint::Silent => return Seen::Yes,
            Ok(_) => {}
            Err(_) => seen = Seen::Doubt,
        }
    }
    seen
}

impl Project {
    fn new() -> Fallible<Self> {
        let root = tempfile::tempdir()?;
        let project = root.path().join("home/project");
        let settings = project.join(".claude/settings.json");
        for directory in [".claude", "src", ".git/hooks", "sub"] {
            fs::create_dir_all(project.join(directory))?;
        }
        fs::create_dir_all(root.path().join("home/.claude"))?;
        fs::write(&settings, "{}")?;
        fs::write(project.join("tenterhook.toml"), "")?;
        fs::hard_link(&settings, project.join("hard.json"))?;
        #[cfg(unix)]
        for (target, link) in [(".claude", "lnk"), (".claude/settings.json", "s.json")] {
            std::os::unix::fs::symlink(target, project.join(link))?;
        }
        Ok(Self { root })
    }

    /// The call of a row. Lines stand in a project that is not there; only self-protection looks at files.
    fn event(&self, row: &Row) -> Arc<Event> {
        let root = if row.ask == "self" { self.root.path() } else { Path::new("/nowhere") };
        let (home, project) = (root.join("home"), root.join("home/project"));
        let within = Surroundings {
            session_id: "s".to_owned(),
            cwd: project.clone(),
            project: project.clone(),
            home: home.clone(),
            ..Surroundings::default()
        };
        let mut input = row.input.clone();
        fill(&mut input, &[("{P}", &project), ("{home}", &home)]);
        let event = Event::new("PreToolUse", within).with("tool_name", row.tool.as_str());
        Arc::new(event.with("tool_input", input))
    }
}

/// Puts paths into the texts of an input.
fn fill(value: &mut Value, paths: &[(&str, &PathBuf)]) {
    match value {
        Value::String(text) => {
            for (name, path) in paths {
                *text = text.replace(name, &path.to_string_lossy());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, paths)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill(field, paths)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Count {
    fn add(&mut self, row: &Row, seen: Seen) {
        if row.is_arguable {
            self.arguable += 1;
            return;
        }
        let is_seen = seen != Seen::No;
        self.rows += 1;
        self.wanted += usize::from(row.wanted);
        self.right += usize::from(is_seen == row.wanted);
        self.missed += usize::from(row.wanted && !is_seen);
        self.stopped += usize::from(is_seen && !row.wanted);
        self.doubts += usize::from(seen == Seen::Doubt);
    }

    fn join(&mut self, other: &Self) {
        self.rows += other.rows;
        self.wanted += other.wanted;
        self.right += other.right;
        self.missed += other.missed;
        self.stopped += other.stopped;
        self.doubts += other.doubts;
        self.arguable += other.arguable;
    }

    fn show(&self, name: &str) {
        let share = 100.0 * share(self.right, self.rows);
        let Self { rows, wanted, right, missed, stopped, doubts, arguable } = self;
        println!(
            "{name:<22}{rows:>6}{wanted:>8}{right:>11}{missed:>8}{stopped:>7}{doubts:>8}{arguable:>10}{share:>8.1}%"
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "a list has few rows")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// A line for each kind, and one for everything that is asked the same.
fn report(counts: &BTreeMap<(String, String), Count>) {
    println!(
        "{:<22}{:>6}{:>8}{:>11}{:>8}{:>7}{:>8}{:>10}{:>9}",
        "kind", "rows", "wanted", "as wanted", "missed", "false", "doubt", "arguable", "share"
    );
    let mut sums: BTreeMap<String, Count> = BTreeMap::new();
    for ((ask, kind), count) in counts {
        count.show(&format!("{ask} {kind}"));
        sums.entry(ask.clone()).or_default().join(count);
        // Files and hosts are counted apart.
        if ask == "probe" && !kind.starts_with("call-") {
            sums.entry("probe but call-*".to_owned()).or_default().join(count);
        }
    }
    println!();
    sums.iter().for_each(|(ask, count)| count.show(ask));
}
