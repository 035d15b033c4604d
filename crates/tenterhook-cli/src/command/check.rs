//! `check`: every mistake in hook files, and whether each hook can ever run.

mod repository;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::engine::Builder;
use tenterhook::internal::discover;
use tenterhook_core::config::{Ruleset, is_tenterhook_entry};
use tenterhook_core::diagnostic::{Diagnostic, Severity};
use tenterhook_core::dialect::Fit;
use tenterhook_core::hook::{Hook, Layer, Run};

use super::{fix, test, to_pretty_json};
use crate::ambient::Here;
use crate::args::{Check, Format, ScopeArg};
use crate::exit::Exit;
use crate::grants;
use crate::load::{self, Loaded, Texts, Whose};
use crate::problem::Problem;
use crate::reach;
use crate::scripts::{self, Consequence, Missing};
use crate::servers;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, HELP, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::show::{diagnostic, layout};
use crate::silence;
use crate::term::Term;
use crate::wants;
use crate::watch;

pub(crate) fn run(args: &Check, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(directory) = &args.repo {
        return repository::run(directory, args, here, term);
    }
    if args.watch {
        return watch::run_on_changes(
            term,
            || watched_files(args, here),
            || run_once(args, here, term),
        );
    }
    run_once(args, here, term)
}

/// Returns the files that a check reads.
fn watched_files(args: &Check, here: &Here) -> BTreeSet<PathBuf> {
    let loaded = load_files(args, here);
    let mut files: BTreeSet<PathBuf> =
        loaded.sources.iter().map(|source| PathBuf::from(&*source.name)).collect();
    // A file that is not there yet may come.
    files.insert(here.roots.cwd.join("tenterhook.toml"));
    files.extend(args.files.iter().chain(&args.config).map(|file| here.roots.cwd.join(&file.path)));
    files
}

fn load_files(args: &Check, here: &Here) -> Loaded {
    let files = [&*args.files, &*args.config].concat();
    let mut loaded = load::read_sources(&files, Whose::from_dialect(args.dialect), here);
    if let Some(scope) = args.scope {
        let layer = match scope {
            ScopeArg::User => Layer::User,
            ScopeArg::Project => Layer::Project,
            ScopeArg::Managed => Layer::Managed,
        };
        loaded.sources.iter_mut().for_each(|source| source.layer = layer);
    }
    loaded
}

fn run_once(args: &Check, here: &Here, term: Term) -> Result<Exit, Problem> {
    if let Some(cases) = args.files.iter().find(|file| test::is_case_file(&file.path)) {
        let shown = cases.path.display();
        return Err(Problem::new(format!("`{shown}` is a file of cases, and configures no hooks"))
            .with_help(format!("`tenterhook test {shown}` checks it, and runs them")));
    }
    let mut loaded = term.run_with_progress("reading hook files", || load_files(args, here));
    if (args.fix || args.diff) && fix::run(&loaded, args.fix && !args.diff, term)? {
        loaded = load_files(args, here);
    }
    loaded.announce_files(term, &here.roots);
    print_guessed_dialects(&loaded, args, term);
    let page = term.run_with_progress("checking hooks", || {
        complete_and_render_findings(&mut loaded, args, here, term.width())
    })?;
    term.print_data(&page)?;
    if args.output.format == Format::Text && loaded.diagnostics.is_empty() && runs_programs(&loaded)
    {
        let hint = "check starts no hook; `tenterhook fire Bash ls` shows what they answer";
        term.print_labelled_note(HELP, "hint:", hint);
    }
    let least = if args.strict { Severity::Warning } else { Severity::Error };
    let wrong = loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity >= least);
    Ok(if wrong { Exit::Wrong } else { Exit::Good })
}

/// Prints as whose file each named one is read, if neither the caller nor its path says so.
fn print_guessed_dialects(loaded: &Loaded, args: &Check, term: Term) {
    let files = || args.files.iter().chain(&args.config);
    if loaded.found || args.dialect.is_some() || files().any(|file| file.dialect.is_some()) {
        return;
    }
    for source in loaded.sources.iter().filter(|source| source.layer == Layer::Given) {
        let path = Path::new(&*source.name);
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        let by_path = source.dialect.dialect().recognize_config_file(path, None);
        if is_json && by_path != Fit::Certain {
            let (shown, id) = (loaded.texts.display_name(&source.name), source.dialect.as_str());
            let text = format!(
                "{shown} is read as a file of `{id}`; if another agent reads it, write AGENT={shown}"
            );
            term.print_labelled_note(HELP, "note:", &text);
        }
    }
}

/// Returns whether some hook for tool calls is a program, whose answers only a run shows.
fn runs_programs(loaded: &Loaded) -> bool {
    let is_program = |hook: &Arc<Hook>| {
        hook.event.as_str() == "PreToolUse"
            && matches!(hook.run, Run::Command(_) | Run::Worker(_))
            && !is_tenterhook_entry(&hook.run)
    };
    loaded.build_engine_as_if_approved().0.ruleset().hooks().iter().any(is_program)
}

/// Adds the findings that only show in the whole configuration to those of each file, and renders
/// the page.
fn complete_and_render_findings(
    loaded: &mut Loaded,
    args: &Check,
    here: &Here,
    width: usize,
) -> Result<String, Problem> {
    // With the built-in rules, whose `[protect]` a file may try to change.
    let ruleset = loaded.build_engine(Builder::self_protection).ruleset();
    // `check` examines a file whether it is approved or not: people check a file before they approve it.
    let (written, findings) = loaded.build_engine_as_if_approved();
    let written = written.ruleset();
    for finding in findings {
        if !loaded.diagnostics.contains(&finding) {
            loaded.diagnostics.push(finding);
        }
    }
    let mut missing = scripts::find_missing_programs(&written, &loaded.sources, &here.env);
    missing.extend(scripts::find_unparsable_scripts(&written, &loaded.sources, &here.env));
    loaded.diagnostics.extend(scripts::group_repeats(&missing));
    loaded.diagnostics.extend(scripts::find_dropped_denials(&written, &loaded.sources));
    let mistakes = scripts::find_script_mistakes(&written, &loaded.sources, &here.env);
    loaded.diagnostics.extend(mistakes);
    loaded.diagnostics.extend(wants::check_sandbox_needs(&written, &loaded.sources, &here.env));
    loaded.diagnostics.extend(grants::check_granted_paths_exist(&written, &loaded.sources));
    add_silencer_findings(loaded, here);
    let known = servers::find_servers(loaded, &written, &here.roots);
    loaded.diagnostics.extend(servers::unconfigured_server_findings(&written, &known));
    match args.output.format {
        Format::Json => to_pretty_json(&to_json(loaded, &ruleset, &missing)),
        Format::Text => Ok(to_text(loaded, &written, &missing, width)),
    }
}

/// Adds findings about what silences the hooks of agents, or could: everything that applies here,
/// or only what the named files set.
fn add_silencer_findings(loaded: &mut Loaded, here: &Here) {
    let found = match loaded.found {
        true => silence::silencers_of_all_agents(here),
        false => {
            discover::silencers_in_files(&loaded.sources.iter().collect::<Vec<_>>(), &here.roots)
        }
    };
    for silencer in found {
        let is_same = |found: &Diagnostic| {
            (found.code, &found.place) == (silencer.finding.code, &silencer.finding.place)
        };
        loaded.diagnostics.retain(|found| !is_same(found));
        if let Some(source) = silence::source_of_silencer(&silencer, here) {
            let shown = load::shorten_path(&source.name, &here.roots);
            loaded.texts.add_source_if_missing(&source, shown);
        }
        loaded.diagnostics.push(silencer.finding);
    }
}

fn to_json(loaded: &Loaded, ruleset: &Ruleset, missing: &[Missing]) -> Value {
    let diagnostics: Vec<Value> = loaded
        .diagnostics
        .iter()
        .map(|diagnostic| finding_json(diagnostic, &loaded.texts))
        .collect();
    let hooks: Vec<Value> = ruleset
        .hooks()
        .iter()
        .enumerate()
        .filter(|(_, hook)| !hook.is_hold_for_unread_file() && hook.layer != Layer::BuiltIn)
        .map(|(ordinal, hook)| {
            let never = reach::why_hook_never_runs(ruleset, hook);
            let place = hook.place.as_ref();
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "own_event": hook.own_event_name(),
                "file": place.map(|location| loaded.texts.display_name(&location.file)),
                "line": place.map(|location| location.line),
                "can_run": never.is_none(),
                "blocks_all": missing_program_that_blocks(hook, missing).is_some(),
                "because": never.as_ref().map(|(because, _)| because),
                "rule": never.as_ref().map(|(_, rule)| rule),
            })
        })
        .collect();
    let files: Vec<&str> =
        loaded.sources.iter().map(|source| loaded.texts.display_name(&source.name)).collect();
    json!({ "diagnostics": diagnostics, "hooks": hooks, "files": files })
}

/// Returns one finding as JSON, in the same form for every command.
pub(super) fn finding_json(diagnostic: &Diagnostic, texts: &Texts) -> Value {
    let place = diagnostic.place.as_ref();
    json!({
        "file": place.map(|location| texts.display_name(&location.file)),
        "line": place.map(|location| location.line),
        "column": place.map(|location| location.column),
        "code": diagnostic.code,
        "severity": diagnostic.severity.to_string(),
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

/// Returns the program of `hook` that is missing, if that makes the hook block everything it runs
/// for.
fn missing_program_that_blocks<'a>(hook: &Hook, missing: &'a [Missing]) -> Option<&'a Missing> {
    missing
        .iter()
        .filter(|missing| missing.hook.as_ref() == Some(&hook.id))
        .find(|missing| missing.consequence.is_some_and(Consequence::blocks_everything))
}

fn to_text(loaded: &Loaded, ruleset: &Ruleset, missing: &[Missing], width: usize) -> String {
    let mut out = String::new();
    for diagnostic in &loaded.diagnostics {
        out.push_str(&diagnostic::render_diagnostic(diagnostic, &loaded.texts, width));
        out.push('\n');
    }
    // The substitute for an unreadable part is not a hook of the file, and has its own finding (C-72). The entries with which an
    // agent calls Tenterhook are not hooks either (BR-31).
    let is_hook = |hook: &&Hook| !hook.is_hold_for_unread_file() && !is_tenterhook_entry(&hook.run);
    let hooks: Vec<&Hook> = ruleset.hooks().iter().map(|hook| &**hook).filter(is_hook).collect();
    let at = |hook: &Hook| {
        let place = hook.place.as_ref();
        place.map_or_else(
            || hook.id.to_string(),
            |location| format!("{}:{}", loaded.texts.display_name(&location.file), location.line),
        )
    };
    let never: Vec<[Cell; 3]> = hooks
        .iter()
        .filter_map(|&hook| {
            let (because, rule) = reach::why_hook_never_runs(ruleset, hook)?;
            Some([at(hook).into(), because.into(), Cell::new(DIM, rule)])
        })
        .collect();
    let all: Vec<[Cell; 3]> = hooks
        .iter()
        .filter_map(|&hook| {
            let because = missing_program_that_blocks(hook, missing)?.diagnostic.message.clone();
            Some([at(hook).into(), because.into(), Cell::from("")])
        })
        .collect();
    let counts = (never.len(), all.len());
    out.push_str(&hooks_table("Hooks that can never run", never, width));
    out.push_str(&hooks_table("Hooks that block everything they are asked about", all, width));
    out.push_str(&layout::wrap_indented(&summary(loaded, hooks.len(), counts), width));
    out
}

/// Renders hooks under a heading: location, reason, and rule.
fn hooks_table(heading: &str, rows: Vec<[Cell; 3]>, width: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        Column::new("", Give::Fold),
        Column::new("", Give::Wrap),
        Column::new("", Give::Keep),
    ]);
    for row in rows {
        table.push_row(row);
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
        let noun = if noun == "advice" {
            format!("{number} {noun}")
        } else {
            layout::format_count(number, noun)
        };
        (number > 0).then(|| paint(style, noun))
    })
    .collect();
    let verdict = if found.is_empty() { paint(GOOD, "no findings") } else { found.join(", ") };
    let files = loaded.sources.iter().map(|source| &source.name).collect::<HashSet<_>>().len();
    if files == 0 && found.is_empty() {
        return "nothing was checked: there is no file with hooks\n".to_owned();
    }
    let events = layout::format_count(hooks, "hook");
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
    format!("{verdict} in {} with {events}{never}{all}\n", layout::format_count(files, "file"))
}
