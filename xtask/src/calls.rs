//! `cargo xtask lines FILE` for a list of tool calls: which of them does self-protection deny, kind by kind?
//!
//! A row has `tool`, `input` and perhaps `kind`; `pass` marks an ordinary call, `arguable` one that is counted apart. `{P}` is a project with guards
//! and links to them, `{home}` a home. The rules are asked in this process, with the files of the project.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tenterhook::internal::executor;
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::Run;
use tenterhook_core::protect;
use tenterhook_core::rule::{Rule, RuleInput};
use tenterhook_testkit::Sandbox;

use crate::Report;
use crate::error::Error;

/// Whether a file is a list of tool calls.
pub(crate) fn is_list(path: &Path) -> bool {
    rows(path).is_ok_and(|rows| rows.iter().any(|row| row.get("tool").is_some()))
}

pub(crate) fn run(path: &Path) -> Report {
    table(&rows(path).map_err(Error::file(&path))?)
}

fn rows(path: &Path) -> std::io::Result<Vec<Value>> {
    let list: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    Ok(list.get("rows").and_then(Value::as_array).cloned().unwrap_or_default())
}

/// How many calls of each kind are judged as wanted.
fn table(rows: &[Value]) -> Report {
    let sandbox = Sandbox::new().map_err(Error::other)?;
    let project = project(&sandbox).map_err(Error::other)?;
    let rules = rules();
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut report, mut holds) = (String::new(), true);
    for row in rows {
        let has = |key: &str| row.get(key).and_then(Value::as_bool).unwrap_or_default();
        let kind = row.get("kind").and_then(Value::as_str).unwrap_or("calls");
        let tool = row.get("tool").and_then(Value::as_str).unwrap_or_default();
        let mark = match (has("arguable"), has("pass"), tool) {
            (true, ..) => ", arguable",
            (_, true, _) => ", ordinary",
            (_, _, "PowerShell") => ", PowerShell",
            _ => "",
        };
        let event = event(row, tool, &project, &sandbox.home()).map_err(Error::other)?;
        let is_as_wanted = is_denied(&rules, event) != has("pass");
        let (right, all) = kinds.entry(format!("{kind}{mark}")).or_default();
        *right += usize::from(is_as_wanted);
        *all += 1;
        let is_counted = matches!(mark, "" | ", ordinary");
        if !is_as_wanted {
            holds &= !is_counted;
            let _ = writeln!(
                report,
                "{kind}{mark}: {tool} {}",
                row.get("input").unwrap_or(&Value::Null)
            );
        }
    }
    for (kind, (right, all)) in kinds {
        let _ = writeln!(report, "{right:>4} of {all:<4} {kind}");
    }
    Ok((report, holds))
}

/// A project with guards, a link to each kind of them, and a hard link.
fn project(sandbox: &Sandbox) -> std::io::Result<std::path::PathBuf> {
    let project = sandbox.project();
    fs::create_dir_all(project.join(".claude"))?;
    fs::write(project.join(".claude/settings.json"), "{}")?;
    fs::write(project.join("tenterhook.toml"), "")?;
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(".claude", project.join("lnk"))?;
        std::os::unix::fs::symlink(".claude/settings.json", project.join("s.json"))?;
    }
    fs::hard_link(project.join(".claude/settings.json"), project.join("hard.json"))?;
    Ok(project)
}

fn event(row: &Value, tool: &str, project: &Path, home: &Path) -> serde_json::Result<Event> {
    let input = row.get("input").unwrap_or(&Value::Null).to_string();
    let input =
        input.replace("{P}", &project.to_string_lossy()).replace("{home}", &home.to_string_lossy());
    let input: Value = serde_json::from_str(&input)?;
    let within = Surroundings {
        session_id: "s".to_owned(),
        cwd: project.to_owned(),
        project: project.to_owned(),
        home: home.to_owned(),
        ..Surroundings::default()
    };
    Ok(Event::new("PreToolUse", within).with("tool_name", tool).with("tool_input", input))
}

/// The rules of the pack.
fn rules() -> Vec<Arc<Rule>> {
    let mut source =
        Source::from_text("tenterhook.pack.toml", DialectId::NATIVE, protect::PACK, "/nowhere");
    source.home = "/nowhere".into();
    let hooks = DialectId::NATIVE.dialect().read_config(&source).hooks;
    hooks
        .into_iter()
        .filter_map(|hook| if let Run::Rule(rule) = hook.run { Some(Arc::new(rule)) } else { None })
        .collect()
}

fn is_denied(rules: &[Arc<Rule>], event: Event) -> bool {
    let rule_input = RuleInput::new(&Arc::new(event)).with_file_reader(executor::disk_files());
    // What cannot be judged is held.
    rules.iter().any(|rule| {
        rule.evaluate_or_silent(&rule_input, &|| true)
            .map_or(true, |answer| answer.restraint == Restraint::Deny)
    })
}
