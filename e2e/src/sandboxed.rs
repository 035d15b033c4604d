//! `cargo e2e sandboxed [WORD]`: do hooks as people write them run unchanged in the sandbox, or does a refusal name the one line that they need?
//!
//! Each hook of the table is fired, by each means of this machine, without a sandbox, which shows what it does, and in the
//! default one of a repository's hook. Either the result is the same, or one line is reported; with that line the result must be
//! the same, and nothing refused any more.

mod hooks;
mod scene;

use std::fmt::Write as _;

use hooks::{HOOKS, Hook};
use regex::Regex;
use scene::{Came, Cell, Scene};
use serde_json::{Value, json};

use crate::{Report, tree};

pub(crate) fn run(words: &[&str]) -> Report {
    let cells = cells();
    if cells.is_empty() {
        return Ok((
            "hooks in the sandbox: was not played, this machine cannot confine\n".to_owned(),
            true,
        ));
    }
    tree::build("tenterhook-cli")?;
    let mut said = format!("{:40} {:4} in `standard`\n", "hook", "cell");
    let mut holds = true;
    for cell in cells {
        let tally = column(words, cell, &mut said);
        holds &= tally.wrong == 0 && tally.unchanged + tally.helped > 0;
        let Tally { unchanged, helped, wrong } = tally;
        let _ = writeln!(
            said,
            "{}: {unchanged} run unchanged, {helped} name the one line that they need, {wrong} do neither",
            cell.name()
        );
    }
    Ok((said, holds))
}

/// What this machine can make a sandbox of.
fn cells() -> Vec<Cell> {
    let means = tenterhook_process::available_sandbox_means();
    let landlock = means.can_limit_files().then_some(Cell::Landlock);
    landlock.into_iter().chain(means.roots.then_some(Cell::Namespaces)).collect()
}

/// How the hooks of one column fared.
#[derive(Default)]
struct Tally {
    unchanged: usize,
    helped: usize,
    wrong: usize,
}

fn column(words: &[&str], cell: Cell, text: &mut String) -> Tally {
    let mut tally = Tally::default();
    for hook in HOOKS.iter().filter(|hook| words.iter().all(|word| hook.name.contains(word))) {
        let (count, what) = match play(hook, cell) {
            Ok(None) => (&mut tally.unchanged, "runs unchanged".to_owned()),
            Ok(Some(line)) => (&mut tally.helped, format!("needs {line}")),
            Err(why) => (&mut tally.wrong, format!("WRONG: {why}")),
        };
        *count += 1;
        let _ = writeln!(text, "{:40} {:4} {what}", hook.name, cell.name());
    }
    tally
}

/// The line that a hook needs, in the words of the product; none where it runs unchanged.
fn play(hook: &'static Hook, cell: Cell) -> Result<Option<String>, String> {
    let scene = Scene::new(hook, cell)?;
    scene.lay_out(Some("sandbox = \"off\""))?;
    let expected = scene.fire()?;
    // A hook that fails anyway proves nothing.
    if expected.outcome.get("faults") != Some(&json!([])) {
        return Err(format!("it fails without a sandbox: {}", expected.outcome));
    }
    scene.lay_out(None)?;
    let came = scene.fire()?;
    let Some(needs) = hook.needs(cell) else { return same(&expected, &came).map(|()| None) };
    let needs = scene.filled(needs);
    let texts = refusals(&came);
    let line = match texts.as_slice() {
        [message] => line(message, &scene)?,
        _ => {
            return Err(format!(
                "it should need `{needs}`, and the report is {texts:?}: {}",
                came.outcome
            ));
        }
    };
    if !line.starts_with(&needs) {
        return Err(format!("it should need `{needs}`, and the report is `{line}`"));
    }
    scene.lay_out(Some(&line))?;
    if let Some(once) = made_once(texts.first().map_or("", String::as_str)) {
        scene.make(&once, &expected)?;
    }
    let came = scene.fire()?;
    match refusals(&came).first() {
        Some(more) => Err(format!("with `{line}` it is still refused: {more}")),
        None => same(&expected, &came).map(|()| Some(scene.general(&line))),
    }
}

/// The reported refusals.
fn refusals(came: &Came) -> Vec<String> {
    let faults = came.outcome.get("faults").and_then(Value::as_array).into_iter().flatten();
    let refused =
        faults.filter(|fault| fault.get("code").is_some_and(|code| code == "sandbox-refused"));
    refused.filter_map(|fault| Some(fault.get("message")?.as_str()?.to_owned())).collect()
}

/// The line that a message says to write, where it says to write it where the hook stands.
fn line(message: &str, scene: &Scene) -> Result<String, String> {
    let place = match scene.is_said_elsewhere() {
        true => {
            r#"below `\[source\."\{root\}/project/\.claude/settings\.json"\]` in `~/\.config/tenterhook/tenterhook\.toml`"#
        }
        false => "in its entry",
    };
    let pattern =
        Regex::new(&format!("`(sandbox = [^`]*)` {place}")).map_err(|error| error.to_string())?;
    let mut lines = pattern.captures_iter(message).filter_map(|captures| captures.get(1));
    match (lines.next(), lines.next()) {
        (Some(line), None) => Ok(scene.special(line.as_str())),
        _ => Err(format!("it names not one line: {message}")),
    }
}

/// What a message says to make once, before the line is of use.
fn made_once(message: &str) -> Option<String> {
    let (before, _) = message.split_once("`; make it once")?;
    Some(before.rsplit_once('`')?.1.to_owned())
}

/// Whether the same came of two firings, effects and all.
fn same(expected: &Came, came: &Came) -> Result<(), String> {
    let shown = |came: &Came| format!("{came:?}");
    match expected == came {
        true => Ok(()),
        false => Err(format!(
            "another thing came of it\n  free: {}\n  here: {}",
            shown(expected),
            shown(came)
        )),
    }
}
