//! `cargo xtask convert DIR`: does `convert` give native files that select and answer as the real configs of a directory
//! do? Each program is replaced by one that answers. The directory belongs to the person who collected it.

mod occasion;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tenterhook::executor::Ambient;
use tenterhook::session::{Session, View};
use tenterhook::{Engine, Event};
use tenterhook_core::config::{self, Added, Ruleset, Source};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::diagnostic::Severity;
use tenterhook_core::dialect::{DialectId, native};
use tenterhook_core::hook::{Command, Hook, Invocation, Run};
use tenterhook_core::plan;
use tenterhook_testkit::fakehook;

use crate::Report;
use crate::error::Error;

/// The dialects that have a folder in the corpus.
const DIALECTS: &[DialectId] = &[
    DialectId::CLAUDE,
    DialectId::GEN,
    DialectId::IGNIS,
    DialectId::CODEWHALE,
    DialectId::REASONIX,
    DialectId::CODEX,
    DialectId::GEMINI,
    DialectId::COPILOT,
];

/// What the replacement programs answer: exit code, stdout, stderr. Each hook gives a different answer in each round.
const ANSWERS: &[(u8, &str, &str)] = &[
    (0, "", ""),
    (2, "", "no"),
    (1, "", "broken"),
    (0, r#"{"continue": false, "stopReason": "enough"}"#, "words"),
    (0, r#"{"decision": "block", "reason": "no"}"#, ""),
    (0, r#"{"hookSpecificOutput": {"updatedInput": "new", "updatedOutput": "new"}}"#, ""),
    (0, r#"{"decision": "deny", "text": "other", "updatedInput": {"command": "ls"}}"#, ""),
    (0, "log\n@@INJECT: said\n@@WARN: noted", ""),
    (0, "KEY=value", ""),
];
/// How many rounds each event is fired.
const ROUNDS: usize = 3;

#[derive(Default)]
struct Tally {
    files: usize,
    hooks: usize,
    lost: usize,
    plans: usize,
    selected: usize,
    fired: usize,
    wrong: Vec<String>,
}

pub(crate) fn run(directory: &Path) -> Report {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::other)?;
    let mut report = String::new();
    let mut holds = true;
    for dialect in DIALECTS {
        let mut tally = Tally::default();
        for path in files(&directory.join(dialect.as_str()))? {
            let text = fs::read(&path).map_err(Error::file(&path))?;
            let text = String::from_utf8_lossy(&text);
            let place = path.to_string_lossy();
            let source =
                Source::from_text(&place, *dialect, &text, directory.join(dialect.as_str()));
            runtime.block_on(tally.file(&source));
        }
        holds &= tally.wrong.is_empty();
        for wrong in &tally.wrong {
            let _ = writeln!(report, "{wrong}");
        }
        let Tally { files, hooks, lost, plans, selected, fired, wrong } = tally;
        let _ = writeln!(
            report,
            "{dialect}: {files} files, {hooks} hooks, {lost} lost and reported; {plans} plans with {selected} selections, {fired} firings, {} differ",
            wrong.len()
        );
    }
    Ok((report, holds))
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(directory)
        .map_err(Error::file(&directory))?
        .filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

fn load(source: Source) -> (Ruleset, Vec<String>) {
    let loaded = config::load(&[source], &Added::default(), None);
    let errors =
        loaded.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors = errors.map(|error| format!("{}: {}", error.code, error.message)).collect();
    (loaded.ruleset, errors)
}

impl Tally {
    async fn file(&mut self, source: &Source) {
        self.files += 1;
        let (before, _) = load(source.clone());
        // A hook that cannot be written is left out and reported; the others must be the same.
        let (converted, lost): (Vec<_>, Vec<_>) = before
            .hooks()
            .iter()
            .cloned()
            .partition(|hook| native::write(std::slice::from_ref(hook)).0.contains("[hook."));
        self.hooks += before.hooks().len();
        self.lost += lost.len();
        let (text, diagnostics) = native::write(before.hooks());
        if diagnostics.iter().filter(|diagnostic| diagnostic.code == Code::NotCarriedOver).count()
            < lost.len()
        {
            self.wrong.push(format!("{}: a hook is silently lost", source.name));
        }
        let directory = source.directory.clone();
        let (after, errors) =
            load(Source::from_text("convert.toml", DialectId::NATIVE, &text, directory));
        // An invalid expression and an unknown event disable their hook on both sides.
        let both =
            |text: &String| text.starts_with("bad-expression") || text.starts_with("unknown-event");
        let errors: Vec<_> = errors.into_iter().filter(|error| !both(error)).collect();
        if !errors.is_empty() || after.hooks().len() != converted.len() {
            let hooks = (converted.len(), after.hooks().len());
            self.wrong.push(format!("{}: {hooks:?} hooks, {errors:?}", source.name));
            return;
        }
        let before =
            Ruleset::new(converted.iter().map(|hook| Hook::clone(hook)).collect(), Vec::new());
        for event in occasion::events(&converted) {
            self.event(source, &before, &after, &event).await;
        }
    }

    async fn event(&mut self, source: &Source, before: &Ruleset, after: &Ruleset, event: &Event) {
        let (wanted, found) = (selected(before, event), selected(after, event));
        self.plans += 1;
        self.selected += wanted.iter().filter(|flag| **flag).count();
        if wanted != found {
            let text =
                format!("{}: {}: selects {found:?}, not {wanted:?}", source.name, event.name);
            return self.wrong.push(text);
        }
        if !wanted.contains(&true) {
            return;
        }
        for round in 0..ROUNDS {
            let one = fire(before, before, event, round).await;
            let two = fire(after, before, event, round).await;
            self.fired += 1;
            if one != two {
                let text = format!("{}: {}: {two}\n  not {one}", source.name, event.name);
                return self.wrong.push(text);
            }
        }
    }
}

fn selected(ruleset: &Ruleset, event: &Event) -> Vec<bool> {
    let explained = plan::explain(ruleset, &View::default(), event);
    explained.into_iter().map(|(_, because)| because.selected).collect()
}

/// Fires the hooks of `ruleset`, called as those of `names`, with programs that answer.
async fn fire(ruleset: &Ruleset, names: &Ruleset, event: &Event, round: usize) -> Value {
    let hooks = ruleset.hooks().iter().zip(names.hooks()).enumerate();
    let mut builder = Engine::builder().ambient(Ambient::default());
    for (at, (hook, name)) in hooks {
        builder = builder.hook(answering(hook, name, at + round));
    }
    let (engine, _) = builder.build();
    let session = Session::default();
    let outcome = engine.fire(event.clone(), &session).await;
    let background = session.drain().await.len();
    let mut outcome = native::encode_outcome(&outcome);
    let steps = outcome.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten();
    for step in steps.filter_map(Value::as_object_mut) {
        step.shift_remove("duration_ms");
    }
    if let Some(fields) = outcome.as_object_mut() {
        fields.insert("background".to_owned(), background.into());
    }
    outcome
}

/// The hook with another program, name and place, so that both sides differ in nothing but what was converted.
fn answering(hook: &Arc<Hook>, name: &Hook, answer: usize) -> Hook {
    let mut hook = Hook::clone(hook);
    hook.id = name.id.clone();
    hook.place.clone_from(&name.place);
    // `convert` reports what a native file cannot express; other tests cover that.
    if let Run::Command(command) = &mut hook.run {
        let (code, stdout, stderr) =
            ANSWERS.get(answer % ANSWERS.len()).copied().unwrap_or_default();
        let options = ["--read-all", "--stdout", stdout, "--stderr", stderr, "--exit"];
        let mut args: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        args.push(code.to_string());
        let program = fakehook().to_string_lossy().into_owned();
        let converted = command.clone();
        *command =
            Command { invocation: Invocation::Argv { program, args }, cwd: None, ..converted };
    }
    hook
}
