//! `cargo e2e sandboxed [WORD]`: do hooks as people write them run unchanged in the sandbox, or does a refusal name the one line that they need?
//!
//! Each hook of the table is fired without a sandbox, which says what it does, and in the one that a repository's hook has where nobody says
//! anything. Either the same comes of it, or one line is told; with that line the same must come of it, and nothing be refused any more.

mod hooks;
mod scene;

use std::fmt::Write as _;

use hooks::{HOOKS, Hook};
use regex::Regex;
use scene::{Came, Scene};
use serde_json::{Value, json};

use crate::{Said, tree};

/// What the sandbox needs of a machine.
const LEAST: tenterhook_process::Tier = tenterhook_process::Tier::T1;

pub(crate) fn run(words: &[&str]) -> Said {
    if tenterhook_process::means().tier() < LEAST {
        return Ok((
            "hooks in the sandbox: was not played, this machine cannot confine\n".to_owned(),
            true,
        ));
    }
    tree::build("tenterhook-cli")?;
    let wanted = HOOKS.iter().filter(|it| words.iter().all(|word| it.name.contains(word)));
    let mut said = format!("{:40} {}\n", "hook", "in `standard`");
    let (mut unchanged, mut helped, mut wrong) = (0, 0, 0);
    for hook in wanted {
        match play(hook) {
            Ok(None) => {
                unchanged += 1;
                let _ = writeln!(said, "{:40} runs unchanged", hook.name);
            }
            Ok(Some(line)) => {
                helped += 1;
                let _ = writeln!(said, "{:40} needs {line}", hook.name);
            }
            Err(why) => {
                wrong += 1;
                let _ = writeln!(said, "{:40} WRONG: {why}", hook.name);
            }
        }
    }
    let _ = writeln!(
        said,
        "{unchanged} run unchanged, {helped} name the one line that they need, {wrong} do neither"
    );
    Ok((said, wrong == 0 && unchanged + helped > 0))
}

/// The line that a hook needs, in the words of the product; none where it runs unchanged.
fn play(hook: &'static Hook) -> Result<Option<String>, String> {
    let scene = Scene::new(hook)?;
    scene.lay_out(Some("sandbox = \"off\""))?;
    let expected = scene.fire()?;
    // A hook that fails anyway proves nothing.
    if expected.outcome.get("faults") != Some(&json!([])) {
        return Err(format!("it fails without a sandbox: {}", expected.outcome));
    }
    scene.lay_out(None)?;
    let came = scene.fire()?;
    let Some(needs) = hook.needs else { return same(&expected, &came).map(|()| None) };
    let needs = scene.filled(needs);
    let told = refusals(&came);
    let line = match told.as_slice() {
        [message] => line(message, &scene)?,
        _ => {
            return Err(format!(
                "it should need `{needs}`, and was told {told:?}: {}",
                came.outcome
            ));
        }
    };
    if !line.starts_with(&needs) {
        return Err(format!("it should need `{needs}`, and was told `{line}`"));
    }
    scene.lay_out(Some(&line))?;
    if let Some(once) = made_once(told.first().map_or("", String::as_str)) {
        scene.make(&once, &expected)?;
    }
    let came = scene.fire()?;
    match refusals(&came).first() {
        Some(more) => Err(format!("with `{line}` it is still refused: {more}")),
        None => same(&expected, &came).map(|()| Some(scene.general(&line))),
    }
}

/// What was told of refusals.
fn refusals(came: &Came) -> Vec<String> {
    let faults = came.outcome.get("faults").and_then(Value::as_array).into_iter().flatten();
    let refused = faults.filter(|it| it.get("code").is_some_and(|it| it == "sandbox-refused"));
    refused.filter_map(|it| Some(it.get("message")?.as_str()?.to_owned())).collect()
}

/// The line that a message says to write, where it says to write it where the hook stands.
fn line(message: &str, scene: &Scene) -> Result<String, String> {
    let place = match scene.is_said_elsewhere() {
        true => {
            r#"below `\[source\."\{root\}/project/\.claude/settings\.json"\]` of a `tenterhook\.toml`"#
        }
        false => "in its entry",
    };
    let pattern =
        Regex::new(&format!("`(sandbox = [^`]*)` {place}")).map_err(|it| it.to_string())?;
    let mut lines = pattern.captures_iter(message).filter_map(|it| it.get(1));
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
    let shown = |it: &Came| format!("{it:?}");
    match expected == came {
        true => Ok(()),
        false => Err(format!(
            "another thing came of it\n  free: {}\n  here: {}",
            shown(expected),
            shown(came)
        )),
    }
}
