//! Which files are read: those that were named, or what the agent would load from here. Starts nothing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook::Engine;
use tenterhook::engine::Builder;
use tenterhook::internal::discover::{self, Hidden};
use tenterhook::trust::Trust;
use tenterhook_core::config::{Source, Standing};
use tenterhook_core::diagnostic::{Code, Diagnostic, Severity};
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::{Compat, Layer};
use tenterhook_core::outcome::Fault;

use crate::ambient::Here;
use crate::args::{CompatArg, Named, Which};
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{DIM, ERROR, HELP, WARNING, paint};
use crate::term::Term;

/// The texts that diagnostics point into, and what their files are called on the screen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    by_name: HashMap<Arc<str>, (Arc<str>, String)>,
}

impl Texts {
    /// Adds the text of a source, which is displayed as `shown`.
    pub(crate) fn add_source(&mut self, source: &Source, shown: String) {
        self.by_name.insert(Arc::clone(&source.name), (Arc::clone(&source.text), shown));
    }

    /// Adds the text of a source, unless it has been added under another name.
    pub(crate) fn add_source_if_missing(&mut self, source: &Source, shown: String) {
        if self.text_of_source(&source.name).is_none() {
            self.add_source(source, shown);
        }
    }

    /// Returns the text of a source.
    pub(crate) fn text_of_source(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|(text, _)| &**text)
    }

    /// Returns the display name of a source: as the user named it, or relative to the working
    /// directory or the home.
    pub(crate) fn display_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.by_name.get(name).map_or(name, |(_, shown)| shown)
    }
}

/// The codes of findings about hooks that are not approved, or that changed since.
const APPROVALS: &[Code] =
    &[Code::NotApproved, Code::ChangedSinceApproved, Code::LockIgnored, Code::ApprovalUnusable];

/// What was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The sources, in order.
    pub(crate) sources: Vec<Source>,
    /// Their texts.
    pub(crate) texts: Texts,
    /// What cannot be read.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether the files were found rather than named.
    pub(crate) found: bool,
    /// Where the caller stands.
    pub(crate) cwd: PathBuf,
    /// Whether files of several projects were looked for.
    of_several_projects: bool,
    /// What the user approved; none where files were named, which is approval for this run (T-18).
    trust: Option<Trust>,
}

/// Loads the hooks that `which` selects.
pub(crate) fn load_hooks(which: &Which, here: &Here) -> Result<Loaded, Problem> {
    let compat = match which.compat {
        Some(CompatArg::Exact) => Compat::Exact,
        None => Compat::Guarded,
    };
    let whose = which.dialect.map_or(Whose::Unsaid, Whose::OfTheEvent);
    let mut loaded = read_sources(&which.config, whose, here);
    for source in &mut loaded.sources {
        source.compat = compat;
    }
    // A file that was named and cannot be read is a wrong call: to fire without it would fake an answer.
    match loaded.diagnostics.first() {
        Some(first) if !loaded.found => {
            Err(Problem { message: first.message.clone(), help: first.help.clone() })
        }
        _ => Ok(loaded),
    }
}

/// Which dialect files have that do not name theirs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose {
    /// Nothing: their places and shapes tell.
    Unsaid,
    /// The dialect of the event, also for files, except those whose name belongs to another dialect.
    OfTheEvent(DialectId),
    /// They are in this one.
    OfFiles(DialectId),
}

impl Whose {
    pub(crate) fn from_dialect(dialect: Option<DialectId>) -> Self {
        dialect.map_or(Self::Unsaid, Self::OfFiles)
    }

    /// Returns the dialect of one file, if it is known without reading the file.
    fn known_dialect(self, named: &Named, here: &Here) -> Option<DialectId> {
        match self {
            _ if named.dialect.is_some() => named.dialect,
            Self::Unsaid => None,
            Self::OfFiles(dialect) => Some(dialect),
            Self::OfTheEvent(dialect) => {
                (!discover::is_file_of_other_dialect(&named.path, dialect, &here.roots))
                    .then_some(dialect)
            }
        }
    }
}

/// Reads the named files, or those that the agent would load from here.
pub(crate) fn read_sources(named: &[Named], whose: Whose, here: &Here) -> Loaded {
    let mut texts = Texts::default();
    let mut sources: Vec<Source> = Vec::new();
    let mut diagnostics = Vec::new();
    for named in named {
        let (path, dialect) = (&named.path, whose.known_dialect(named, here));
        match discover::given(path, dialect, DialectId::CLAUDE, &here.roots) {
            Ok(source) => {
                let shown = layout::to_safe_line(&path.to_string_lossy());
                let entry = (Arc::clone(&source.text), shown);
                texts.by_name.insert(Arc::clone(&source.name), entry);
                sources.push(source);
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    let found = named.is_empty();
    let trust = found.then(|| here.trust_store());
    if let Some(trust) = &trust {
        let all = trust.find(&here.roots);
        sources = all.sources;
        let beside = here.beside.iter().map(|roots| (roots, false));
        for (roots, is_left) in beside.chain(here.left.iter().map(|roots| (roots, true))) {
            // The person's own files are found from everywhere.
            let is_new = |new: &Source| !sources.iter().any(|source| source.name == new.name);
            let mut others: Vec<Source> =
                trust.find(roots).sources.into_iter().filter(is_new).collect();
            if is_left {
                others.retain(is_project_source);
                others.iter_mut().for_each(|source| source.standing = Standing::Left);
            }
            sources.extend(others);
        }
        for source in &sources {
            let entry = (Arc::clone(&source.text), shorten_path(&source.name, &here.roots));
            texts.by_name.insert(Arc::clone(&source.name), entry);
        }
    }
    let is_alone = here.beside.is_empty() && here.left.is_empty();
    let (cwd, of_several_projects) = (here.roots.cwd.clone(), found && !is_alone);
    Loaded { sources, texts, diagnostics, found, cwd, of_several_projects, trust }
}

/// Returns whether a hook was written for a different agent. Hooks of the organisation and of the
/// call are for all agents.
pub(crate) fn is_hook_for_other_agent(dialect: DialectId, layer: Layer, agent: DialectId) -> bool {
    let is_own = dialect == DialectId::NATIVE || dialect == agent;
    !is_own && !matches!(layer, Layer::Managed | Layer::BuiltIn | Layer::Given)
}

/// Returns whether a source belongs to a project, and not to the user or the machine.
pub(crate) fn is_project_source(source: &Source) -> bool {
    !matches!(source.layer, Layer::Managed | Layer::User | Layer::BuiltIn | Layer::Given)
}

/// Returns a path relative to the working directory or the home, if that is shorter; safe to
/// display.
pub(crate) fn shorten_path(name: &str, roots: &Roots) -> String {
    let path = Path::new(name);
    // From the root every path is whole, and shows it.
    let from_here = path.strip_prefix(&roots.cwd).ok().filter(|_| roots.cwd.parent().is_some());
    if let Some(rest) = from_here {
        return layout::to_safe_line(&rest.to_string_lossy());
    }
    match path.strip_prefix(&roots.home) {
        Ok(rest) => layout::to_safe_line(&PathBuf::from("~").join(rest).to_string_lossy()),
        Err(_) => layout::to_safe_line(name),
    }
}

/// What to do without a file.
const BEGIN: &str = "name a file, or begin one with `tenterhook init`";

/// How many places of an agent are named.
const SHOWN: usize = 6;

/// Prints that there is no file with hooks, and where one would have been found.
fn print_no_files_note(term: Term, roots: &Roots) {
    let searched = discover::searched_paths(roots);
    let nothing = format!("no file with hooks was found from {}", roots.cwd.display());
    if !term.is_verbose() {
        term.print_note(&format!("{nothing}; `-v` lists the {} places searched", searched.len()));
        term.print_labelled_note(HELP, "hint:", BEGIN);
        term.print_note("");
        return;
    }
    term.print_note(&format!("{nothing}; searched:"));
    let mut by_dialect: Vec<(DialectId, Vec<String>)> = Vec::new();
    for (dialect, path) in searched {
        let path = shorten_path(&path.to_string_lossy(), roots);
        match by_dialect.iter_mut().find(|(id, _)| *id == dialect) {
            Some((_, paths)) => paths.push(path),
            None => by_dialect.push((dialect, vec![path])),
        }
    }
    let widest = by_dialect.iter().map(|(id, _)| id.as_str().len()).max().unwrap_or(0);
    for (dialect, paths) in by_dialect {
        // Some agents read a file for each event.
        let more = match paths.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let first: Vec<&str> = paths.iter().take(SHOWN).map(String::as_str).collect();
        let text = format!("{}{more}", first.join(", "));
        term.print_labelled_note(DIM, &format!("  {:widest$} ", dialect.as_str()), &text);
    }
    term.print_note("");
    term.print_labelled_note(HELP, "hint:", BEGIN);
    term.print_note("");
}

impl Loaded {
    /// Returns a fault for each rejected hook: it might have guarded the event, so the caller must
    /// learn about it.
    pub(crate) fn faults_of_rejected_hooks(&self) -> Vec<Fault> {
        let counts = |found: &&Diagnostic| {
            let is_reported = matches!(found.code, Code::KeptLastGood | Code::HomeMoved);
            is_reported || found.severity == Severity::Error
        };
        let errors = self.diagnostics.iter().filter(counts);
        let fault = |diagnostic: &Diagnostic| {
            let place = diagnostic.place.as_ref().map_or_else(String::new, |place| {
                format!(
                    "{}:{}:{}: ",
                    self.texts.display_name(&place.file),
                    place.line,
                    place.column
                )
            });
            Fault {
                code: diagnostic.code,
                hook: None,
                message: format!("{place}{}", diagnostic.message),
            }
        };
        errors.map(fault).collect()
    }

    /// Prepares for a run that fires events: reports once for each repository what is off because
    /// it is not approved (T-14), and keeps the last good copies of files while they are being
    /// saved (C-93).
    pub(crate) fn prepare_for_firing(mut self) -> Self {
        self.trust = self.trust.map(|trust| trust.telling_once().keeping_last_good());
        self
    }

    /// Removes the hooks of other agents' files if the user installed this agent with `--only-own`
    /// (BR-124).
    pub(crate) fn retain_own_hooks(&mut self, agent: DialectId, here: &Here) {
        if here.only_own_hooks_marker_path(agent.as_str()).is_file() {
            self.sources
                .retain(|source| !is_hook_for_other_agent(source.dialect, source.layer, agent));
        }
    }

    /// Returns the named files as arguments for a further command; empty if the files were
    /// discovered.
    fn file_arguments(&self) -> String {
        if self.found {
            return String::new();
        }
        let mut files: Vec<&str> =
            self.sources.iter().map(|source| self.texts.display_name(&source.name)).collect();
        files.dedup();
        files.iter().map(|file| format!(" {file}")).collect()
    }

    /// Builds the engine, and adds problems of the sources to the diagnostics.
    pub(crate) fn build_engine(&mut self, equip: impl FnOnce(Builder) -> Builder) -> Engine {
        let builder = Engine::builder().sources(self.sources.iter().cloned());
        let builder = match &self.trust {
            // Programs of a repository: each right beyond the project is granted by name. A file in the arguments belongs
            // to the user.
            Some(trust) => builder.trust(trust.clone()).confine_repositories(),
            None => builder.trust_repositories_unasked(),
        };
        let builder = match self.of_several_projects {
            true => builder.of_several_projects(),
            false => builder,
        };
        let (engine, diagnostics) = equip(builder).build();
        self.diagnostics.extend(diagnostics);
        engine
    }

    /// Builds an engine with the hooks as if all were approved, and its findings: missing approval
    /// has its own finding.
    pub(crate) fn build_engine_as_if_approved(&self) -> (Engine, Vec<Diagnostic>) {
        let builder = Engine::builder().sources(self.sources.iter().cloned());
        let builder = if self.trust.is_some() { builder.confine_repositories() } else { builder };
        builder.trust_repositories_unasked().build()
    }

    /// Finds the files with hooks that lie nearby and are not read; none if files were named.
    pub(crate) fn find_unread_files(&self, roots: &Roots) -> Vec<Hidden> {
        if self.found { discover::find_unread_hook_files(roots) } else { Vec::new() }
    }

    /// Prints which files were found and which files nearby are not read, on standard error only.
    pub(crate) fn announce_files(&self, term: Term, roots: &Roots) {
        if !self.found {
            return;
        }
        if self.sources.is_empty() {
            print_no_files_note(term, roots);
        }
        for (at, source) in self.sources.iter().enumerate() {
            let lead = if at == 0 { "reading" } else { "       " };
            let about = format!("({}, {})", source.dialect, source.layer.as_str());
            let shown = self.texts.display_name(&source.name);
            term.print_note(&format!("{} {shown} {}", paint(DIM, lead), paint(DIM, about)));
        }
        let unread = self.find_unread_files(roots);
        for hidden in &unread {
            let path = shorten_path(&hidden.path.to_string_lossy(), roots);
            let hooks = layout::format_count(hidden.hooks, "hook");
            let text = format!("{path} ({hooks}) is not read here: {}", hidden.because);
            term.print_labelled_note(WARNING, "warning:", &text);
        }
        if !unread.is_empty() {
            term.print_note("");
            term.print_labelled_note(
                HELP,
                "hint:",
                "to look at such a file all the same, name it with `--config`",
            );
            term.print_note("");
        }
    }

    /// Prints one line for each diagnostic, for commands whose output is something else; `check`
    /// shows the locations.
    pub(crate) fn print_warnings(&self, term: Term) {
        self.print_errors(term);
        self.print_approval_warnings_and_count(term);
    }

    fn print_errors(&self, term: Term) {
        let errors =
            self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        for error in errors {
            let place = error.place.as_ref().map_or_else(String::new, |place| {
                format!("{}:{}: ", self.texts.display_name(&place.file), place.line)
            });
            term.print_labelled_note(ERROR, "error:", &format!("{place}{}", error.message));
        }
    }

    /// Prints warnings about approvals in full, and the number of the others, for commands whose
    /// output contains the errors as [faults](Self::faults).
    pub(crate) fn print_approval_warnings_and_count(&self, term: Term) {
        // A finding that blocks calls or disables hooks is printed in full: it contains the command to type.
        let is_approval = |diagnostic: &&Diagnostic| APPROVALS.contains(&diagnostic.code);
        for diagnostic in self.diagnostics.iter().filter(is_approval) {
            term.print_labelled_note(WARNING, "warning:", &diagnostic.message);
            if let Some(help) = &diagnostic.help {
                term.print_labelled_note(HELP, "hint:", help);
            }
        }
        let counted = |diagnostic: &&Diagnostic| {
            diagnostic.severity == Severity::Warning && !APPROVALS.contains(&diagnostic.code)
        };
        let warnings = self.diagnostics.iter().filter(counted).count();
        if warnings > 0 {
            let errors =
                self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            let noun = if errors { "further finding" } else { "finding" };
            term.print_labelled_note(WARNING, "warning:", &layout::format_count(warnings, noun));
        }
        let shown = |diagnostic: &Diagnostic| {
            diagnostic.severity > Severity::Advice && !APPROVALS.contains(&diagnostic.code)
        };
        if self.diagnostics.iter().any(shown) {
            term.print_labelled_note(
                HELP,
                "hint:",
                &format!(
                    "`tenterhook check{}` shows the places and says what to write",
                    self.file_arguments()
                ),
            );
            term.print_note("");
        }
    }
}
