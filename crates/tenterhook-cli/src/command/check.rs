//! `check`: every mistake in hook files, and whether each hook can ever run.

use std::collections::HashSet;

use serde_json::{Value, json};
use tenterhook::config::Ruleset;
use tenterhook::diagnostic::{Diagnostic, Severity};
use tenterhook::executor::Ambient;
use tenterhook::hook::Hook;

use super::print_json;
use crate::ambient::Here;
use crate::args::{Check, Format};
use crate::exit::Exit;
use crate::load::{self, Loaded, Texts, Whose};
use crate::problem::Problem;
use crate::reach;
use crate::scripts;
use crate::servers;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::show::{diagnostic, words};
use crate::term::Term;

pub(crate) fn run(args: &Check, here: &Here, term: Term) -> Result<Exit, Problem> {
    let mut loaded = load::read(&args.files, Whose::of_files(args.dialect), here);
    loaded.announce(term, &here.roots);
    let ruleset = loaded.engine(Ambient::default()).ruleset();
    loaded.diagnostics.extend(scripts::check(&ruleset, &loaded.sources));
    let known = servers::find(&mut loaded, &ruleset, &here.roots);
    loaded.diagnostics.extend(servers::check(&ruleset, &known));
    match args.output.format {
        Format::Json => print_json(&to_json(&loaded, &ruleset), term)?,
        Format::Text => term.data(&to_text(&loaded, &ruleset, term.width()))?,
    }
    let wrong = loaded.diagnostics.iter().any(|it| it.severity == Severity::Error);
    Ok(if wrong { Exit::Wrong } else { Exit::Good })
}

fn to_json(loaded: &Loaded, ruleset: &Ruleset) -> Value {
    let diagnostics: Vec<Value> =
        loaded.diagnostics.iter().map(|it| finding(it, &loaded.texts)).collect();
    let hooks: Vec<Value> = ruleset
        .hooks()
        .iter()
        .enumerate()
        .filter(|(_, hook)| !hook.is_hold())
        .map(|(ordinal, hook)| {
            let never = reach::never(ruleset, hook);
            let place = hook.place.as_ref();
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "file": place.map(|it| loaded.texts.shown(&it.file)),
                "line": place.map(|it| it.line),
                "canRun": never.is_none(),
                "because": never.as_ref().map(|(because, _)| because),
                "rule": never.as_ref().map(|(_, rule)| rule),
            })
        })
        .collect();
    let files: Vec<&str> = loaded.sources.iter().map(|it| loaded.texts.shown(&it.name)).collect();
    json!({ "diagnostics": diagnostics, "hooks": hooks, "files": files })
}

/// One finding, as every command prints it.
pub(super) fn finding(it: &Diagnostic, texts: &Texts) -> Value {
    let place = it.place.as_ref();
    json!({
        "file": place.map(|it| texts.shown(&it.file)),
        "line": place.map(|it| it.line),
        "column": place.map(|it| it.column),
        "code": it.code,
        "severity": it.severity.to_string(),
        "message": it.message,
        "help": it.help,
    })
}

fn to_text(loaded: &Loaded, ruleset: &Ruleset, width: usize) -> String {
    let mut out = String::new();
    for it in &loaded.diagnostics {
        out.push_str(&diagnostic::render(it, &loaded.texts, width));
        out.push('\n');
    }
    // What stands in for a part that cannot be read is no hook of the file, and has a finding of its own (C-72).
    let hooks: Vec<&Hook> =
        ruleset.hooks().iter().map(|it| &**it).filter(|it| !it.is_hold()).collect();
    let never: Vec<(&Hook, String, &str)> = hooks
        .iter()
        .filter_map(|&hook| {
            let (because, rule) = reach::never(ruleset, hook)?;
            Some((hook, because, rule))
        })
        .collect();
    if !never.is_empty() {
        out.push_str(&format!("{}\n", paint(BOLD, "Hooks that can never run")));
        let mut table = Table::new(&[
            Column::new("", Give::Cut),
            Column::new("", Give::Wrap),
            Column::new("", Give::Keep),
        ]);
        for (hook, because, rule) in &never {
            let at = hook.place.as_ref().map_or_else(
                || hook.id.to_string(),
                |it| format!("{}:{}", loaded.texts.shown(&it.file), it.line),
            );
            table.row([at.into(), because.clone().into(), Cell::new(DIM, *rule)]);
        }
        out.push_str(&table.render(width));
        out.push('\n');
    }
    out.push_str(&summary(loaded, hooks.len(), never.len()));
    out
}

fn summary(loaded: &Loaded, hooks: usize, never: usize) -> String {
    let count = |severity| loaded.diagnostics.iter().filter(|it| it.severity == severity).count();
    let found: Vec<String> = [
        (Severity::Error, "error", ERROR),
        (Severity::Warning, "warning", WARNING),
        (Severity::Advice, "advice", BOLD),
    ]
    .into_iter()
    .filter_map(|(severity, noun, style)| {
        let number = count(severity);
        let noun =
            if noun == "advice" { format!("{number} {noun}") } else { words::count(number, noun) };
        (number > 0).then(|| paint(style, noun))
    })
    .collect();
    let verdict = if found.is_empty() { paint(GOOD, "no findings") } else { found.join(", ") };
    let files = loaded.sources.iter().map(|it| &it.name).collect::<HashSet<_>>().len();
    let events = words::count(hooks, "hook");
    let never = match never {
        0 => String::new(),
        1 => ", of which 1 never runs".to_owned(),
        many => format!(", of which {many} never run"),
    };
    format!("{verdict} in {} with {events}{never}\n", words::count(files, "file"))
}
