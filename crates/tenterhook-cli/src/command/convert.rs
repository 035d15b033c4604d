//! `convert`: the hooks of one file in another format, and what of them that format cannot say.

use std::sync::Arc;

use serde_json::json;
use tenterhook_core::agents::agent_with_hook_installation;
use tenterhook_core::config::{self, Added};
use tenterhook_core::diagnostic::{Code, Diagnostic, Severity};
use tenterhook_core::dialect::{DIALECTS, DialectId, native};
use tenterhook_core::hook::Hook;

use super::fire::TORN;
use super::{check, print_json};
use crate::ambient::Here;
use crate::args::{Convert, Format};
use crate::exit::Exit;
use crate::load::{self, Whose};
use crate::problem::Problem;
use crate::show::diagnostic;
use crate::show::paint::HELP;
use crate::term::Term;

pub(crate) fn run(args: &Convert, here: &Here, term: Term) -> Result<Exit, Problem> {
    let named = std::slice::from_ref(&args.file);
    let mut loaded = load::read_sources(named, Whose::from_dialect(args.dialect), here);
    if let Some(first) = loaded.diagnostics.first() {
        return Err(Problem { message: first.message.clone(), help: first.help.clone() });
    }
    let shown = args.file.path.display().to_string();
    let load = || config::load(&loaded.sources, &Added::default(), None);
    let read = term.run_with_progress("reading hooks", load);
    if let Some(broken) = read.diagnostics.iter().find(|diagnostic| TORN.contains(&diagnostic.code))
    {
        term.print_note(&diagnostic::render_diagnostic(broken, &loaded.texts, term.width()));
        let message = format!("`{shown}` is not well formed, so nothing was converted");
        return Err(Problem::new(message)
            .with_help("fix it first: unreadable parts would be missing from the result"));
    }
    if read.ruleset.hooks().is_empty() {
        return Err(no_hooks_problem(&shown, args, &read.diagnostics));
    }
    if loaded.sources.iter().all(|source| source.dialect == args.to) {
        let message = format!("`{shown}` is {} already", args.to.as_str());
        return Err(
            Problem::new(message).with_help("`--dialect NAME` says whose it is, if it is not")
        );
    }
    let write = || write_hooks(read.ruleset.hooks(), args.to);
    let (text, unsaid) = term.run_with_progress("writing hooks", write)?;
    // The errors of the file also affect the result, so they come before the list of what is lost.
    loaded.diagnostics.extend(read.diagnostics);
    loaded.diagnostics.extend(unsaid);
    match args.output.format {
        Format::Json => {
            let found: Vec<_> = loaded
                .diagnostics
                .iter()
                .map(|diagnostic| check::finding_json(diagnostic, &loaded.texts))
                .collect();
            print_json(
                &json!({ "config": text, "path": args.to.dialect().written_file_path(), "diagnostics": found }),
                term,
            )?;
        }
        Format::Text => {
            term.print_data(&text)?;
            if let Some(path) = args.to.dialect().written_file_path() {
                let note = format!("`{to}` reads this from `{path}`", to = args.to);
                term.print_labelled_note(HELP, "note:", &note);
            }
            let is_shown = |found: &&Diagnostic| found.severity > Severity::Advice;
            for found in loaded.diagnostics.iter().filter(is_shown) {
                term.print_note(&diagnostic::render_diagnostic(found, &loaded.texts, term.width()));
            }
        }
    }
    let lost = loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(if lost { Exit::Wrong } else { Exit::Good })
}

/// Writes hooks in a format. For an agent, the entries with which it already calls Tenterhook are left
/// out: `install` writes them.
fn write_hooks(hooks: &[Arc<Hook>], to: DialectId) -> Result<(String, Vec<Diagnostic>), Problem> {
    if to == DialectId::NATIVE {
        return Ok(native::write(hooks));
    }
    let (own, others): (Vec<_>, Vec<_>) =
        hooks.iter().cloned().partition(|hook| config::is_tenterhook_entry(&hook.run));
    let written = to.dialect().write_hook_file(&others).ok_or_else(|| {
        let why = to.dialect().why_not_written();
        let problem = Problem::new(format!("no hooks are written for `{to}`: {why}"));
        match agent_with_hook_installation(to.as_str()) {
            Some(_) => problem.with_help(format!(
                "`tenterhook install {to}` makes it call your hooks where they are"
            )),
            None => problem,
        }
    })?;
    let left = own.into_iter().map(|hook| {
        let message = format!("hook `{}`: it calls Tenterhook, and is left out", hook.id);
        let help = format!("`tenterhook install {to}` writes such entries");
        Diagnostic::new(Code::PartlyCarriedOver, message, hook.place.clone()).help(help)
    });
    Ok((written.0, written.1.into_iter().chain(left).collect()))
}

/// Returns the problem of a file without hooks: which dialect was tried, and how to name a
/// different one.
fn no_hooks_problem(shown: &str, args: &Convert, found: &[Diagnostic]) -> Problem {
    let dialect = args.dialect.or(args.file.dialect);
    let whose =
        dialect.map_or_else(String::new, |dialect| format!(" in the format of `{dialect}`"));
    let first =
        found.first().map_or_else(String::new, |diagnostic| format!(": {}", diagnostic.message));
    let problem = Problem::new(format!("`{shown}` configures no hooks{whose}{first}"));
    let names: Vec<String> = DIALECTS.iter().map(|dialect| format!("`{}`", dialect.id())).collect();
    problem.with_help(format!(
        "give a file with hooks, such as `.claude/settings.json`; `--dialect NAME` says whose format it is in, of {}",
        names.join(", ")
    ))
}
