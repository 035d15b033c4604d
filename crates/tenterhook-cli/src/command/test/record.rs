//! `test --record`: makes a case of an event and of what the hooks make of it now (TE-40). Appends; changes nothing that is there.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tenterhook::Event;
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Location, Span};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::dialect::native::{Case, Expectation, Happens};

use super::play::{self, Came, Job, World};
use super::suite::{self, CASE_FILE, Suite};
use crate::ambient::Here;
use crate::args::{Named, Test};
use crate::command::{recorded, what};
use crate::exit::Exit;
use crate::load::{self, Whose, shorten_path};
use crate::problem::Problem;
use crate::show::layout::to_safe_line;
use crate::term::Term;
use crate::wait::{Waited, block_on};

pub(super) fn run(given: &[String], args: &Test, here: &Here, term: Term) -> Result<Exit, Problem> {
    let file = target_case_file(args, here)?;
    let (suite, begins) = hooks_and_header(&file, args, here)?;
    let suite = Arc::new(suite);
    let event = event_text(given, &suite, here)?;
    let begins = begins + &dialect_line(&event, &file, &suite);
    let case = Case {
        hook: None,
        on: None,
        name: String::new(),
        place: Location { file: "record".into(), span: Span::new(0, 0), line: 1, column: 1 },
        event: Happens::Words(event.clone()),
        expect: Expectation::new(Restraint::Silent),
        files: Vec::new(),
    };
    let job = Job { suite: Arc::clone(&suite), case: Arc::new(case), mutant: None };
    let world = World::new(std::slice::from_ref(&suite), here, term);
    let came = match block_on(play::play_all("playing the event", vec![job], &world))? {
        Waited::Signal(signal) => return Ok(Exit::Cancelled(signal)),
        Waited::Done(came) => came.into_iter().next(),
    };
    let came = came.unwrap_or_else(|| Err(Problem::new("the event did not finish")))?;
    let entry = case_toml(&event, &came);
    append_case(&file, &begins, &entry).map_err(|error| {
        Problem::new(format!("`{}` cannot be written: {error}", file.display()))
    })?;
    let shown = shorten_path(&file.to_string_lossy(), &here.roots);
    term.print_data(&format!("{entry}\n"))?;
    term.print_note(&format!("added to {shown}: check that the expected answer is right"));
    Ok(Exit::Good)
}

/// Returns the file of cases that gets the new case: the named one, otherwise the project's.
fn target_case_file(args: &Test, here: &Here) -> Result<PathBuf, Problem> {
    match args.files.as_slice() {
        [] => {
            let root = here.roots.repository.as_ref().unwrap_or(&here.roots.cwd);
            Ok(root.join(CASE_FILE))
        }
        [Named { path, .. }] if suite::is_case_file(path) => Ok(here.roots.cwd.join(path)),
        _ => Err(Problem::new("`--record` writes into one file of cases")
            .with_help(format!("name a file that ends in `.test.toml`, or none for `{CASE_FILE}`; `--config` names files with hooks"))),
    }
}

/// Returns the hooks that the case will be played with, and the header of a new file of cases.
fn hooks_and_header(file: &Path, args: &Test, here: &Here) -> Result<(Suite, String), Problem> {
    if !file.exists() {
        let begins = new_file_header(file, &args.config, here);
        let suite = suite::suite_of_case_text(file, &begins, Some(DialectId::CLAUDE), here)?;
        if args.config.is_empty() {
            suite::require_hooks_may_run(&suite, here)?;
        }
        return Ok((suite, begins));
    }
    let suite = suite::suite_of_case_file(file, None, here)?;
    if args.files.is_empty() && args.config.is_empty() {
        suite::require_hooks_may_run(&suite, here)?;
    }
    if suite.has_errors() {
        return Err(Problem::new(format!("`{}` has errors", suite.shown))
            .with_help("`tenterhook test` shows them"));
    }
    require_same_hooks(&suite, &args.config, here)?;
    Ok((suite, String::new()))
}

/// Returns an error if the named hooks are not those of the file of cases: the case would later be
/// played with other hooks.
fn require_same_hooks(suite: &Suite, config: &[Named], here: &Here) -> Result<(), Problem> {
    let wanted = load::read_sources(config, Whose::Unsaid, here);
    if let Some(diagnostic) = wanted.diagnostics.first() {
        return Err(Problem::new(diagnostic.message.clone()));
    }
    let real = |source: &Source| std::fs::canonicalize(&*source.name).unwrap_or_default();
    let of_suite: BTreeSet<PathBuf> = suite.sources.iter().map(real).collect();
    if config.is_empty() || wanted.sources.iter().map(real).collect::<BTreeSet<_>>() == of_suite {
        return Ok(());
    }
    let names = |sources: &[Source]| {
        let names = sources.iter().map(|source| shorten_path(&source.name, &here.roots));
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let (ours, theirs) = (names(&suite.sources), names(&wanted.sources));
    let message = format!("`{}` tests {ours}, not {theirs}: nothing was recorded", suite.shown);
    Err(Problem::new(message).with_help(
        "name a file of cases for these hooks, which is made if it does not exist: \
         `tenterhook test other.test.toml --config FILE --record EVENT`",
    ))
}

/// Returns the header of a new file of cases: its schema, and the files with hooks that were named.
fn new_file_header(file: &Path, config: &[Named], here: &Here) -> String {
    let directory = file.parent().unwrap_or(file);
    let names = config.iter().map(|named| {
        let path = here.roots.cwd.join(&named.path);
        let path = match (path.strip_prefix(directory), path.strip_prefix(&here.roots.home)) {
            (Ok(below), _) => below.to_owned(),
            (_, Ok(of_home)) => Path::new("~").join(of_home),
            _ => path,
        };
        let path = path.to_string_lossy();
        toml_text(&match named.dialect {
            Some(dialect) => format!("{dialect}={path}"),
            None => path.into_owned(),
        })
    });
    let names: Vec<String> = names.collect();
    let config =
        if names.is_empty() { String::new() } else { format!("config = [{}]\n", names.join(", ")) };
    format!("#:schema https://tenterhook.dev/schema/v1/cases.json\n{config}")
}

/// Returns the event as a case writes it: words unchanged, everything else as JSON in the dialect
/// of the file.
fn event_text(given: &[String], suite: &Suite, here: &Here) -> Result<String, Problem> {
    let is_words = given.len() > 1
        || given.first().is_some_and(|text| what::is_event_name(text, suite.dialect));
    if is_words {
        // Report an impossible event before anything is written.
        what::parse_event(given, suite.dialect, &here.roots)?;
        return Ok(given.join(" "));
    }
    let event = match given {
        [] => last_recorded_event(here)?,
        _ => what::parse_event(given, suite.dialect, &here.roots)?.event,
    };
    let body = suite.dialect.dialect().encode_event(&event).body;
    let value: Value = serde_json::from_slice(&body).map_err(|_| {
        Problem::new(format!("{} passes this event in variables only", suite.dialect))
            .with_help("say it in words")
    })?;
    let text = value.to_string();
    let project = here.roots.cwd.to_string_lossy();
    let home = here.roots.home.to_string_lossy();
    let text = text.replace(&*project, "{project}");
    Ok(if home.len() > 1 { text.replace(&*home, "{home}") } else { text })
}

/// Returns the line that names the dialect of the events, for a new file whose hooks would suggest
/// a different one.
fn dialect_line(event: &str, file: &Path, suite: &Suite) -> String {
    let others = suite.sources.first().is_some_and(|source| source.dialect != suite.dialect);
    match event.starts_with('{') && others && !file.exists() {
        true => format!("dialect = \"{}\"\n", suite.dialect),
        false => String::new(),
    }
}

/// Returns the last event whose content was recorded.
fn last_recorded_event(here: &Here) -> Result<Event, Problem> {
    let firing = recorded::find_firing(None, here)?;
    recorded::event_of_firing(&firing, here).ok_or_else(|| {
        let message = format!("what the event of record {} was is not on record", firing.number());
        Problem::new(message).with_help(format!("give the event, or {}", recorded::CHOICE))
    })
}

fn case_toml(event: &str, came: &Came) -> String {
    let mut out =
        format!("[[case]]\nevent = {}\nexpect = \"{}\"\n", toml_text(event), came.decision);
    if let Some(reason) = &came.reason {
        let first = reason.lines().next().unwrap_or_default();
        out.push_str(&format!("reason = {}\n", toml_text(&regex::escape(&to_safe_line(first)))));
    }
    if let Some(first) = came.context.first().and_then(|text| text.lines().next()) {
        out.push_str(&format!("context = {}\n", toml_text(&regex::escape(&to_safe_line(first)))));
    }
    if let Some(rewrite) = &came.rewrite {
        out.push_str(&format!("rewrite = {}\n", toml_value(rewrite)));
    }
    if came.background {
        out.push_str("background = true\n");
    }
    let mut codes: Vec<&str> = came.faults.iter().map(|fault| fault.code.name()).collect();
    codes.dedup();
    if !codes.is_empty() {
        let codes: Vec<String> = codes.into_iter().map(toml_text).collect();
        out.push_str(&format!("faults = [{}]\n", codes.join(", ")));
    }
    out
}

/// Returns a text as a TOML string, literal if possible, because JSON and expressions are full of
/// backslashes.
fn toml_text(text: &str) -> String {
    let quotes = ["\"", "'", "'''"];
    let fits = |quote: &&&str| match **quote {
        "\"" => !text.contains(['"', '\\']),
        "'" => !text.contains('\''),
        _ => !text.contains("'''") && !text.starts_with('\'') && !text.ends_with('\''),
    };
    let plain = !text.chars().any(char::is_control);
    match quotes.iter().find(fits).filter(|_| plain) {
        Some(quote) => format!("{quote}{text}{quote}"),
        // A JSON string is a TOML string, but for one character.
        None => Value::from(text).to_string().replace('\u{7f}', "\\u007f"),
    }
}

/// Returns a value as TOML on one line.
fn toml_value(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::String(text) => toml_text(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml_value).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| {
                format!("{} = {}", Value::from(key.as_str()), toml_value(value))
            });
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn append_case(file: &Path, begins: &str, entry: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    file.write_all(format!("{begins}\n{entry}").as_bytes())
}
