//! Which cases there are, and for which hooks: from files that were named, or from those that are found. Fires nothing.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook::internal::discover;
use tenterhook::trust::{Origin, State, Trust};
use tenterhook_core::config::{self, Added, Ruleset, Source};
use tenterhook_core::diagnostic::{Diagnostic, Severity};
use tenterhook_core::dialect::native::{Case, cases, read_case_file};
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::{Hook, HookId, Layer, Run};

use super::copies::{self, Copies};
use super::sandboxes::Sandboxes;
use crate::ambient::Here;
use crate::args::{self, Named};
use crate::load::{self, Loaded, Texts, Whose, shorten};
use crate::problem::Problem;

/// The cases of one file, and the hooks that they are about.
#[derive(Debug)]
pub(super) struct Suite {
    /// What people call the file.
    pub(super) shown: String,
    /// The files with hooks, as they lie.
    pub(super) sources: Vec<Source>,
    /// Their hooks.
    pub(super) ruleset: Ruleset,
    /// The texts that findings point into.
    pub(super) texts: Texts,
    /// Errors and warnings of all files.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// In whose form events are.
    pub(super) dialect: DialectId,
    /// The directory that every case has a copy of, as far as hooks need it.
    pub(super) project: PathBuf,
    /// What of it they need.
    pub(super) copies: Copies,
    /// The cases.
    pub(super) cases: Vec<Case>,
    /// Whether hooks that ask a model or a server are left out: many calls would cost money, or do something elsewhere.
    pub(super) is_local: bool,
    /// Where each hook stands: an entry that is read for two suites is one gate.
    pub(super) places: HashMap<HookId, At>,
    /// In which sandbox each hook runs when it is fired.
    pub(super) sandboxes: Sandboxes,
    /// From where files are found.
    pub(super) roots: Roots,
}

/// A file and a line.
pub(super) type At = (Arc<str>, usize);

/// The name of a file of cases.
pub(super) const CASE_FILE: &str = "tenterhook.test.toml";

/// The suites of the files named; without any, of those that are found.
pub(super) fn find(files: &[Named], here: &Here) -> Result<Vec<Suite>, Problem> {
    match files {
        [] => {
            let suites = found(here)?;
            suites.iter().try_for_each(|suite| may_run(suite, here))?;
            Ok(suites)
        }
        files => files.iter().map(|file| named(file, here)).collect(),
    }
}

/// Whether the hooks of the suite may run. Naming a file in the arguments permits that; a file that was found in a repository
/// runs only approved programs. Rules start no program, and are always tried.
pub(super) fn may_run(suite: &Suite, here: &Here) -> Result<(), Problem> {
    let runs = |source: &Source| {
        let hooks = suite
            .ruleset
            .hooks()
            .iter()
            .filter(|hook| hook.place.as_ref().is_some_and(|at| at.file == source.name));
        hooks.clone().any(|hook| !matches!(hook.run, Run::Rule(_)))
    };
    let trust = here.trust();
    let known = trust.find(&here.roots).sources;
    // A file of cases in a repository may name any file, so files that agents would not load from here are not approved.
    let approved = |source: &Source| {
        let known = known.iter().find(|other| other.name == source.name);
        known.is_some_and(|source| {
            Trust::origin(source) == Origin::Own || trust.review(source).state == State::Approved
        })
    };
    let strange = suite.sources.iter().find(|source| runs(source) && !approved(source));
    strange.map_or(Ok(()), |source| {
        let shown = shorten(&source.name, &here.roots);
        let message = format!("`{shown}` came with this project and is not approved: its hooks are not run");
        Err(Problem::new(message).help(format!(
            "look at it with `tenterhook trust`, or name it for this run alone: `tenterhook test {}`",
            suite.shown
        )))
    })
}

/// Native files that an agent would load from here and that have cases, and the project's file of cases.
fn found(here: &Here) -> Result<Vec<Suite>, Problem> {
    let mut suites = Vec::new();
    for source in discover::find(&here.roots).sources {
        if source.dialect == DialectId::NATIVE && !cases(&source).is_empty() {
            suites.push(beside_hooks(source, here)?);
        }
    }
    let root =
        here.roots.repository.as_deref().filter(|repository| **repository != *here.roots.cwd);
    for directory in root.into_iter().chain([&*here.roots.cwd]) {
        let file = directory.join(CASE_FILE);
        if file.is_file() {
            suites.push(of_cases(&file, None, here)?);
        }
    }
    Ok(suites)
}

fn named(file: &Named, here: &Here) -> Result<Suite, Problem> {
    let path = here.roots.cwd.join(&file.path);
    if is_case_file(&path) {
        return of_cases(&path, file.dialect, here);
    }
    let loaded = read(std::slice::from_ref(file), here)?;
    let Some(source) = loaded.sources.into_iter().next() else {
        return Err(Problem::new(format!("`{}` cannot be read", file.path.display())));
    };
    if source.dialect != DialectId::NATIVE {
        let shown = shorten(&source.name, &here.roots);
        let message =
            format!("`{shown}` is a file of {}, which has no place for cases", source.dialect);
        return Err(Problem::new(message).help(format!(
            "write them into `{CASE_FILE}`; `tenterhook test --config {shown} --record Bash 'ls'` makes the first one"
        )));
    }
    beside_hooks(source, here)
}

pub(crate) fn is_case_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".test.toml", ".test.json"].iter().any(|ending| name.ends_with(ending))
}

fn read(files: &[Named], here: &Here) -> Result<Loaded, Problem> {
    let loaded = load::read(files, Whose::Unsaid, here);
    match loaded.diagnostics.first() {
        Some(diagnostic) => {
            Err(Problem { message: diagnostic.message.clone(), help: diagnostic.help.clone() })
        }
        None => Ok(loaded),
    }
}

/// The cases beside the hooks of a native file: each is about its hook alone.
fn beside_hooks(source: Source, here: &Here) -> Result<Suite, Problem> {
    let project = match source.directory.starts_with(&source.project) {
        true => source.project.clone(),
        false => source.directory.clone(),
    };
    let roots = Roots { cwd: project.clone(), repository: None, ..here.roots.clone() };
    let shown = shorten(&source.name, &here.roots);
    let cases = cases(&source);
    let name = source.name.clone();
    let suite = Suite::new(shown, vec![source], project, DialectId::NATIVE, roots, here);
    let mut suite = suite.with(cases, &[])?;
    // The file itself has the reason.
    suite
        .diagnostics
        .retain(|diagnostic| diagnostic.place.as_ref().is_none_or(|place| place.file == name));
    Ok(suite)
}

/// The cases of a file of cases, and the hooks of the files that it names.
pub(super) fn of_cases(
    path: &Path,
    dialect: Option<DialectId>,
    here: &Here,
) -> Result<Suite, Problem> {
    let text = discover::read(path).map_err(|error| {
        Problem::new(format!("the file `{}` cannot be read: {error}", path.display()))
    })?;
    of_case_text(path, &text, dialect, here)
}

/// The same for a file of cases that may not exist yet.
pub(super) fn of_case_text(
    path: &Path,
    text: &str,
    dialect: Option<DialectId>,
    here: &Here,
) -> Result<Suite, Problem> {
    let directory = path.parent().unwrap_or(path).to_owned();
    let name = path.to_string_lossy();
    let source = Source::given(&name, DialectId::NATIVE, text, &*directory);
    let file = read_case_file(&source);
    let there = Here {
        roots: Roots { cwd: directory.clone(), repository: None, ..here.roots.clone() },
        ..here.clone()
    };
    let mut configs = Vec::new();
    for config in &file.config {
        let named = args::named(config).map_err(|error| Problem::new(error.to_string()))?;
        let of_home = named.path.strip_prefix("~").map(|rest| here.roots.home.join(rest));
        configs.push(Named { path: of_home.unwrap_or(named.path), ..named });
    }
    let loaded = read(&configs, &there)?;
    let project = |source: &Source| matches!(source.layer, Layer::Project | Layer::Local);
    let all = loaded.sources.into_iter();
    let sources: Vec<Source> = all.filter(|source| !loaded.found || project(source)).collect();
    let shown = shorten(&name, &here.roots);
    let Some(first) = sources.first() else {
        let message = format!("`{shown}` names no files with hooks, and none lie beside it");
        return Err(
            Problem::new(message).help("write `config = [\".claude/settings.json\"]` into it; `--record` takes `--config FILE` for a new one")
        );
    };
    let dialect = dialect.or(file.dialect).unwrap_or(first.dialect);
    let mut suite = Suite::new(shown.clone(), sources, directory, dialect, there.roots, here);
    suite.texts.add(&source, shown);
    suite.diagnostics.extend(file.diagnostics);
    suite.with(file.cases, &file.copy)
}

impl Suite {
    fn new(
        shown: String,
        sources: Vec<Source>,
        project: PathBuf,
        dialect: DialectId,
        roots: Roots,
        here: &Here,
    ) -> Self {
        let read = config::load(&sources, &Added::default(), None);
        let mut texts = Texts::default();
        for source in &sources {
            texts.add(source, shorten(&source.name, &here.roots));
        }
        let placed = read.ruleset.hooks().iter().filter_map(|hook| {
            let place = hook.place.as_ref()?;
            Some((hook.id.clone(), (Arc::clone(&place.file), place.line)))
        });
        Self {
            shown,
            places: placed.collect(),
            is_local: false,
            sandboxes: Sandboxes::new(&read.ruleset, &project, here),
            ruleset: read.ruleset,
            sources,
            texts,
            diagnostics: read.diagnostics,
            dialect,
            project,
            copies: Copies::default(),
            cases: Vec::new(),
            roots,
        }
    }

    fn with(mut self, cases: Vec<Case>, copy: &[String]) -> Result<Self, Problem> {
        self.cases = cases;
        self.copies = copies::collect(&self, copy)?;
        Ok(self)
    }

    /// The hooks that a case is about: one, by its name or by what it runs, or all.
    pub(super) fn about(&self, case: &Case) -> HashSet<&HookId> {
        let Some(name) = &case.hook else {
            let asked = self.ruleset.hooks().iter().filter(|hook| !self.is_local || is_local(hook));
            return asked.map(|hook| &hook.id).collect();
        };
        if let Some((id, _)) = self.places.get_key_value(name) {
            return HashSet::from([id]);
        }
        let called = |hook: &&Arc<Hook>| hook.id == *name || hook.short_name() == name.as_str();
        self.ruleset.hooks().iter().filter(called).map(|hook| &hook.id).collect()
    }

    /// Whether any of the files has an error, which makes the result meaningless.
    pub(super) fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The hooks of the files named (of a file of cases: those that it is about), or of the files that an agent would load from here;
/// no cases.
pub(super) fn of_hooks(files: &[Named], here: &Here) -> Result<Suite, Problem> {
    let (of_cases, of_hooks): (Vec<Named>, Vec<Named>) =
        files.iter().cloned().partition(|file| is_case_file(&file.path));
    let mut sources = match of_cases.is_empty() || !of_hooks.is_empty() {
        true => read(&of_hooks, here)?.sources,
        false => Vec::new(),
    };
    for file in &of_cases {
        sources.extend(named(file, here)?.sources);
    }
    if sources.is_empty() {
        return Err(Problem::new("no hook files are read from here").help("name one"));
    }
    let project = match sources.as_slice() {
        [only] => only.project.clone(),
        _ => here.roots.cwd.clone(),
    };
    let roots = Roots { cwd: project.clone(), repository: None, ..here.roots.clone() };
    let dialect = DialectId::CLAUDE;
    let shown = "FILE".to_owned();
    let suite = Suite::new(shown, sources, project, dialect, roots, here).with(Vec::new(), &[])?;
    if files.is_empty() {
        may_run(&suite, here)?;
    }
    Ok(suite)
}

/// Whether a hook is asked on this machine alone, as far as its entry says.
fn is_local(hook: &Hook) -> bool {
    !matches!(hook.run, Run::Http(_) | Run::Prompt(_) | Run::McpTool(_))
}

/// How many hooks are left out where only local ones are asked.
pub(super) fn left_out(suite: &Suite) -> usize {
    suite.ruleset.hooks().iter().filter(|hook| !is_local(hook)).count()
}
