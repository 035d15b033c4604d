//! Which cases there are, and for which hooks: from files that were named, or from those that are found. Fires nothing.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook::internal::discover;
use tenterhook::trust::{Origin, State, Trust};
use tenterhook_core::config::{self, Added, Ruleset, Source};
use tenterhook_core::diagnostic::{Diagnostic, Severity};
use tenterhook_core::dialect::native::{Case, read_case_file, read_cases_beside_hooks};
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::{Hook, HookId, Layer, Run};

use super::copies::{self, Copies};
use super::sandboxes::Sandboxes;
use crate::ambient::Here;
use crate::args::{self, Named};
use crate::load::{self, Loaded, Texts, Whose, shorten_path};
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

/// Returns the suites of the named files; without any, those that are found from here.
pub(super) fn find_suites(files: &[Named], here: &Here) -> Result<Vec<Suite>, Problem> {
    match files {
        [] => {
            let suites = discover_suites(here)?;
            suites.iter().try_for_each(|suite| require_hooks_may_run(suite, here))?;
            Ok(suites)
        }
        files => files.iter().map(|file| suite_of_named_file(file, here)).collect(),
    }
}

/// Returns an error if the hooks of the suite may not run. Naming a file in the arguments permits
/// it; a file found in a repository only runs approved programs. Rules start no program and always
/// run.
pub(super) fn require_hooks_may_run(suite: &Suite, here: &Here) -> Result<(), Problem> {
    let runs = |source: &Source| {
        let hooks = suite
            .ruleset
            .hooks()
            .iter()
            .filter(|hook| hook.place.as_ref().is_some_and(|at| at.file == source.name));
        hooks.clone().any(|hook| !matches!(hook.run, Run::Rule(_)))
    };
    let trust = here.trust_store();
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
        let shown = shorten_path(&source.name, &here.roots);
        let message = format!("`{shown}` came with this project and is not approved: its hooks are not run");
        Err(Problem::new(message).with_help(format!(
            "look at it with `tenterhook trust`, or name it for this run alone: `tenterhook test {}`",
            suite.shown
        )))
    })
}

/// Finds native files that an agent would load from here and that have cases, and the project's
/// file of cases.
fn discover_suites(here: &Here) -> Result<Vec<Suite>, Problem> {
    let mut suites = Vec::new();
    for source in discover::find(&here.roots).sources {
        if source.dialect == DialectId::NATIVE && !read_cases_beside_hooks(&source).is_empty() {
            suites.push(suite_of_hook_file(source, here)?);
        }
    }
    let root =
        here.roots.repository.as_deref().filter(|repository| **repository != *here.roots.cwd);
    for directory in root.into_iter().chain([&*here.roots.cwd]) {
        let file = directory.join(CASE_FILE);
        if file.is_file() {
            suites.push(suite_of_case_file(&file, None, here)?);
        }
    }
    Ok(suites)
}

fn suite_of_named_file(file: &Named, here: &Here) -> Result<Suite, Problem> {
    let path = here.roots.cwd.join(&file.path);
    if is_case_file(&path) {
        return suite_of_case_file(&path, file.dialect, here);
    }
    let loaded = load_files(std::slice::from_ref(file), here)?;
    let Some(source) = loaded.sources.into_iter().next() else {
        return Err(Problem::new(format!("`{}` cannot be read", file.path.display())));
    };
    if source.dialect != DialectId::NATIVE {
        let shown = shorten_path(&source.name, &here.roots);
        let message =
            format!("`{shown}` is a file of {}, which has no place for cases", source.dialect);
        return Err(Problem::new(message).with_help(format!(
            "write them into `{CASE_FILE}`; `tenterhook test --config {shown} --record Bash 'ls'` makes the first one"
        )));
    }
    suite_of_hook_file(source, here)
}

pub(crate) fn is_case_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".test.toml", ".test.json"].iter().any(|ending| name.ends_with(ending))
}

fn load_files(files: &[Named], here: &Here) -> Result<Loaded, Problem> {
    let loaded = load::read_sources(files, Whose::Unsaid, here);
    match loaded.diagnostics.first() {
        Some(diagnostic) => {
            Err(Problem { message: diagnostic.message.clone(), help: diagnostic.help.clone() })
        }
        None => Ok(loaded),
    }
}

/// Returns the suite of the cases in a native file: each is about the hook that it belongs to.
fn suite_of_hook_file(source: Source, here: &Here) -> Result<Suite, Problem> {
    let project = match source.directory.starts_with(&source.project) {
        true => source.project.clone(),
        false => source.directory.clone(),
    };
    let roots = Roots { cwd: project.clone(), repository: None, ..here.roots.clone() };
    let shown = shorten_path(&source.name, &here.roots);
    let cases = read_cases_beside_hooks(&source);
    let name = source.name.clone();
    let suite = Suite::new(shown, vec![source], project, DialectId::NATIVE, roots, here);
    let mut suite = suite.with_cases(cases, &[])?;
    // The file itself has the reason.
    suite
        .diagnostics
        .retain(|diagnostic| diagnostic.place.as_ref().is_none_or(|place| place.file == name));
    Ok(suite)
}

/// Returns the suite of a file of cases, with the hooks of the files that it names.
pub(super) fn suite_of_case_file(
    path: &Path,
    dialect: Option<DialectId>,
    here: &Here,
) -> Result<Suite, Problem> {
    let text = discover::read_config_file(path).map_err(|error| {
        Problem::new(format!("the file `{}` cannot be read: {error}", path.display()))
    })?;
    suite_of_case_text(path, &text, dialect, here)
}

/// Returns the suite of a text of cases, whose file may not exist yet.
pub(super) fn suite_of_case_text(
    path: &Path,
    text: &str,
    dialect: Option<DialectId>,
    here: &Here,
) -> Result<Suite, Problem> {
    let directory = path.parent().unwrap_or(path).to_owned();
    let name = path.to_string_lossy();
    let source = Source::from_text(&name, DialectId::NATIVE, text, &*directory);
    let file = read_case_file(&source);
    let there = Here {
        roots: Roots { cwd: directory.clone(), repository: None, ..here.roots.clone() },
        ..here.clone()
    };
    let mut configs = Vec::new();
    for config in &file.config {
        let named =
            args::parse_named_file(config).map_err(|error| Problem::new(error.to_string()))?;
        let of_home = named.path.strip_prefix("~").map(|rest| here.roots.home.join(rest));
        configs.push(Named { path: of_home.unwrap_or(named.path), ..named });
    }
    let loaded = load_files(&configs, &there)?;
    let project = |source: &Source| matches!(source.layer, Layer::Project | Layer::Local);
    let all = loaded.sources.into_iter();
    let sources: Vec<Source> = all.filter(|source| !loaded.found || project(source)).collect();
    let shown = shorten_path(&name, &here.roots);
    let Some(first) = sources.first() else {
        let message = format!("`{shown}` names no files with hooks, and none lie beside it");
        return Err(
            Problem::new(message).with_help("write `config = [\".claude/settings.json\"]` into it; `--record` takes `--config FILE` for a new one")
        );
    };
    let dialect = dialect.or(file.dialect).unwrap_or(first.dialect);
    let mut suite = Suite::new(shown.clone(), sources, directory, dialect, there.roots, here);
    suite.texts.add_source(&source, shown);
    suite.diagnostics.extend(file.diagnostics);
    suite.with_cases(file.cases, &file.copy)
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
            texts.add_source(source, shorten_path(&source.name, &here.roots));
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

    fn with_cases(mut self, cases: Vec<Case>, copy: &[String]) -> Result<Self, Problem> {
        self.cases = cases;
        self.copies = copies::collect_files(&self, copy)?;
        Ok(self)
    }

    /// Returns the hooks that a case is about: one, by its name or by what it runs, or all.
    pub(super) fn hooks_of_case(&self, case: &Case) -> HashSet<&HookId> {
        let Some(name) = &case.hook else {
            let asked =
                self.ruleset.hooks().iter().filter(|hook| !self.is_local || runs_locally(hook));
            return asked.map(|hook| &hook.id).collect();
        };
        if let Some((id, _)) = self.places.get_key_value(name) {
            return HashSet::from([id]);
        }
        let called = |hook: &&Arc<Hook>| hook.id == *name || hook.short_name() == name.as_str();
        self.ruleset.hooks().iter().filter(called).map(|hook| &hook.id).collect()
    }

    /// Returns whether any of the files has an error, which makes the results meaningless.
    pub(super) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Returns the suite of the hooks of the named files (for a file of cases: those that it is about),
/// or of the files that an agent would load from here; no cases.
pub(super) fn suite_without_cases(files: &[Named], here: &Here) -> Result<Suite, Problem> {
    let (of_cases, of_hooks): (Vec<Named>, Vec<Named>) =
        files.iter().cloned().partition(|file| is_case_file(&file.path));
    let mut sources = match of_cases.is_empty() || !of_hooks.is_empty() {
        true => load_files(&of_hooks, here)?.sources,
        false => Vec::new(),
    };
    for file in &of_cases {
        sources.extend(suite_of_named_file(file, here)?.sources);
    }
    if sources.is_empty() {
        return Err(Problem::new("no hook files are read from here").with_help("name one"));
    }
    let project = match sources.as_slice() {
        [only] => only.project.clone(),
        _ => here.roots.cwd.clone(),
    };
    let roots = Roots { cwd: project.clone(), repository: None, ..here.roots.clone() };
    let dialect = DialectId::CLAUDE;
    let shown = "FILE".to_owned();
    let suite =
        Suite::new(shown, sources, project, dialect, roots, here).with_cases(Vec::new(), &[])?;
    if files.is_empty() {
        require_hooks_may_run(&suite, here)?;
    }
    Ok(suite)
}

/// Returns whether a hook only uses this machine, as far as its entry shows.
fn runs_locally(hook: &Hook) -> bool {
    !matches!(hook.run, Run::Http(_) | Run::Prompt(_) | Run::McpTool(_))
}

/// Returns how many hooks are skipped because only local ones run.
pub(super) fn count_non_local_hooks(suite: &Suite) -> usize {
    suite.ruleset.hooks().iter().filter(|hook| !runs_locally(hook)).count()
}
