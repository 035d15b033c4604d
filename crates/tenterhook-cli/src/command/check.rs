//! `check`: every mistake in hook files, and whether each hook can ever run.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook_core::config::{Ruleset, is_own};
use tenterhook_core::diagnostic::{Diagnostic, Severity};
use tenterhook_core::hook::Hook;

use super::{fix, json_text, test};
use crate::ambient::Here;
use crate::args::{Check, Format};
use crate::exit::Exit;
use crate::grants;
use crate::load::{self, Loaded, Texts, Whose};
use crate::problem::Problem;
use crate::reach;
use crate::scripts::{self, Consequence, Missing};
use crate::servers;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::show::{diagnostic, layout};
use crate::silence;
use crate::term::Term;
use crate::wants;
use crate::watch;

pub(crate) fn run(args: &Check, here: &Here, term: Term) -> Result<Exit, Problem> {
    if args.watch {
        return watch::run(term, || watched(args, here), || once(args, here, term));
    }
    once(args, here, term)
}

/// The files that a check looks at.
fn watched(args: &Check, here: &Here) -> BTreeSet<PathBuf> {
    let loaded = read(args, here);
    let mut files: BTreeSet<PathBuf> =
        loaded.sources.iter().map(|source| PathBuf::from(&*source.name)).collect();
    // A file that is not there yet may come.
    files.insert(here.roots.cwd.join("tenterhook.toml"));
    files.extend(args.files.iter().chain(&args.config).map(|file| here.roots.cwd.join(&file.path)));
    files
}

fn read(args: &Check, here: &Here) -> Loaded {
    let files = [&*args.files, &*args.config].concat();
    load::read(&files, Whose::of_files(args.dialect), here)
}

fn once(args: &Check, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(cases) = args.files.iter().find(|file| test::is_case_file(&file.path)) {
        let shown = cases.path.display();
        return Err(Problem::new(format!("`{shown}` is a file of cases, and configures no hooks"))
            .help(format!("`tenterhook test {shown}` checks it, and runs them")));
    }
    let mut loaded = term.doing("reading hook files", || read(args, here));
    if (args.fix || args.diff) && fix::run(&loaded, args.fix, term)? {
        loaded = read(args, here);
    }
    loaded.announce(term, &here.roots);
    let page = term.doing("checking hooks", || examine(&mut loaded, args, here, term.width()))?;
    term.data(&page)?;
    let least = if args.strict { Severity::Warning } else { Severity::Error };
    let wrong = loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity >= least);
    Ok(if wrong { Exit::Wrong } else { Exit::Good })
}

/// Adds what only shows in the whole to what was found in each file, and writes the page.
fn examine(
    loaded: &mut Loaded,
    args: &Check,
    here: &Here,
    width: usize,
) -> Result<String, Problem> {
    let ruleset = loaded.engine(|builder| builder).ruleset();
    // `check` examines a file whether it is approved or not: people check a file before they approve it.
    let written = loaded.as_written().ruleset();
    let missing = scripts::check(&written, &loaded.sources, &here.env);
    loaded.diagnostics.extend(missing.iter().map(|missing| missing.diagnostic.clone()));
    loaded.diagnostics.extend(wants::check(&written, &loaded.sources, &here.env));
    loaded.diagnostics.extend(grants::check(&written, &loaded.sources));
    silencers(loaded, here);
    let known = servers::find(loaded, &written, &here.roots);
    loaded.diagnostics.extend(servers::check(&written, &known));
    match args.output.format {
        Format::Json => json_text(&to_json(loaded, &ruleset, &missing)),
        Format::Text => Ok(to_text(loaded, &written, &missing, width)),
    }
}

/// Adds what silences the hooks of agents, or could: all of it here, or what the files that were named say.
fn silencers(loaded: &mut Loaded, here: &Here) {
    let found = match loaded.found {
        true => silence::of_all(here),
        false => discover::silencers_in(&loaded.sources.iter().collect::<Vec<_>>(), &here.roots),
    };
    for silencer in found {
        let is_same = |found: &Diagnostic| {
            (found.code, &found.place) == (silencer.finding.code, &silencer.finding.place)
        };
        loaded.diagnostics.retain(|found| !is_same(found));
        if let Some(source) = silence::source(&silencer, here) {
            let shown = load::shorten(&source.name, &here.roots);
            loaded.texts.add_unknown(&source, shown);
        }
        loaded.diagnostics.push(silencer.finding);
    }
}

fn to_json(loaded: &Loaded, ruleset: &Ruleset, missing: &[Missing]) -> Value {
    let diagnostics: Vec<Value> =
        loaded.diagnostics.iter().map(|diagnostic| finding(diagnostic, &loaded.texts)).collect();
    let hooks: Vec<Value> = ruleset
        .hooks()
        .iter()
        .enumerate()
        .filter(|(_, hook)| !hook.is_hold())
        .map(|(ordinal, hook)| {
            let never = reach::why_unreachable(ruleset, hook);
            let place = hook.place.as_ref();
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "own_event": hook.own_event(),
                "file": place.map(|location| loaded.texts.shown(&location.file)),
                "line": place.map(|location| location.line),
                "can_run": never.is_none(),
                "blocks_all": blocking(hook, missing).is_some(),
                "because": never.as_ref().map(|(because, _)| because),
                "rule": never.as_ref().map(|(_, rule)| rule),
            })
        })
        .collect();
    let files: Vec<&str> =
        loaded.sources.iter().map(|source| loaded.texts.shown(&source.name)).collect();
    json!({ "diagnostics": diagnostics, "hooks": hooks, "files": files })
}

/// One finding, as every command prints it.
pub(super) fn finding(diagnostic: &Diagnostic, texts: &Texts) -> Value {
    let place = diagnostic.place.as_ref();
    json!({
        "file": place.map(|location| texts.shown(&location.file)),
        "line": place.map(|location| location.line),
        "column": place.map(|location| location.column),
        "code": diagnostic.code,
        "severity": diagnostic.severity.to_string(),
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

/// What `hook` cannot start, where it holds up all that it is asked about for that reason.
fn blocking<'a>(hook: &Hook, missing: &'a [Missing]) -> Option<&'a Missing> {
    missing
        .iter()
        .filter(|missing| missing.hook.as_ref() == Some(&hook.id))
        .find(|missing| missing.consequence.is_some_and(Consequence::blocks))
}

fn to_text(loaded: &Loaded, ruleset: &Ruleset, missing: &[Missing], width: usize) -> String {
    let mut out = String::new();
    for diagnostic in &loaded.diagnostics {
        out.push_str(&diagnostic::render(diagnostic, &loaded.texts, width));
        out.push('\n');
    }
    // The substitute for an unreadable part is not a hook of the file, and has its own finding (C-72). The entries with which an
    // agent calls Tenterhook are not hooks either (BR-31).
    let is_hook = |hook: &&Hook| !hook.is_hold() && !is_own(&hook.run);
    let hooks: Vec<&Hook> = ruleset.hooks().iter().map(|hook| &**hook).filter(is_hook).collect();
    let at = |hook: &Hook| {
        let place = hook.place.as_ref();
        place.map_or_else(
            || hook.id.to_string(),
            |location| format!("{}:{}", loaded.texts.shown(&location.file), location.line),
        )
    };
    let never: Vec<[Cell; 3]> = hooks
        .iter()
        .filter_map(|&hook| {
            let (because, rule) = reach::why_unreachable(ruleset, hook)?;
            Some([at(hook).into(), because.into(), Cell::new(DIM, rule)])
        })
        .collect();
    let all: Vec<[Cell; 3]> = hooks
        .iter()
        .filter_map(|&hook| {
            let because = blocking(hook, missing)?.diagnostic.message.clone();
            Some([at(hook).into(), because.into(), Cell::from("")])
        })
        .collect();
    let counts = (never.len(), all.len());
    out.push_str(&listed("Hooks that can never run", never, width));
    out.push_str(&listed("Hooks that block everything they are asked about", all, width));
    out.push_str(&layout::flow(&summary(loaded, hooks.len(), counts), width));
    out
}

/// Hooks under a heading: where, why, and by which rule.
fn listed(heading: &str, rows: Vec<[Cell; 3]>, width: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        Column::new("", Give::Fold),
        Column::new("", Give::Wrap),
        Column::new("", Give::Keep),
    ]);
    for row in rows {
        table.row(row);
    }
    format!("{}\n{}\n", paint(BOLD, heading), table.render(width))
}

fn summary(loaded: &Loaded, hooks: usize, (never, all): (usize, usize)) -> String {
    let count = |severity| {
        loaded.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    };
    let found: Vec<String> = [
        (Severity::Error, "error", ERROR),
        (Severity::Warning, "warning", WARNING),
        (Severity::Advice, "advice", BOLD),
    ]
    .into_iter()
    .filter_map(|(severity, noun, style)| {
        let number = count(severity);
        let noun =
            if noun == "advice" { format!("{number} {noun}") } else { layout::count(number, noun) };
        (number > 0).then(|| paint(style, noun))
    })
    .collect();
    let verdict = if found.is_empty() { paint(GOOD, "no findings") } else { found.join(", ") };
    let files = loaded.sources.iter().map(|source| &source.name).collect::<HashSet<_>>().len();
    if files == 0 && found.is_empty() {
        return "nothing was checked: there is no file with hooks\n".to_owned();
    }
    let events = layout::count(hooks, "hook");
    let never = match never {
        0 => String::new(),
        1 => ", of which 1 never runs".to_owned(),
        many => format!(", of which {many} never run"),
    };
    let all = match all {
        0 => String::new(),
        1 => ", of which 1 blocks everything".to_owned(),
        many => format!(", of which {many} block everything"),
    };
    format!("{verdict} in {} with {events}{never}{all}\n", layout::count(files, "file"))
}
