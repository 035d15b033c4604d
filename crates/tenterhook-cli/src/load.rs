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
    /// Adds the text of a source, which people call `shown`.
    pub(crate) fn add(&mut self, source: &Source, shown: String) {
        self.by_name.insert(Arc::clone(&source.name), (Arc::clone(&source.text), shown));
    }

    /// The same, unless it is known by another name.
    pub(crate) fn add_unknown(&mut self, source: &Source, shown: String) {
        if self.text(&source.name).is_none() {
            self.add(source, shown);
        }
    }

    /// The text of a source.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|(text, _)| &**text)
    }

    /// What people call it: as they named it, or from here, or from home.
    pub(crate) fn shown<'a>(&'a self, name: &'a str) -> &'a str {
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
    /// What lies nearby and is not read; empty when files were named.
    pub(crate) hidden: Vec<Hidden>,
    /// Whether the files were found rather than named.
    pub(crate) found: bool,
    /// Where the caller stands.
    pub(crate) cwd: PathBuf,
    /// Whether files of several projects were looked for.
    of_several_projects: bool,
    /// What the user approved; none where files were named, which is approval for this run (T-18).
    trust: Option<Trust>,
}

/// Reads what `which` says.
pub(crate) fn load(which: &Which, here: &Here) -> Result<Loaded, Problem> {
    let compat = match which.compat {
        Some(CompatArg::Exact) => Compat::Exact,
        None => Compat::Guarded,
    };
    let whose = which.dialect.map_or(Whose::Unsaid, Whose::OfTheEvent);
    let mut loaded = read(&which.config, whose, here);
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
    pub(crate) fn of_files(dialect: Option<DialectId>) -> Self {
        dialect.map_or(Self::Unsaid, Self::OfFiles)
    }

    /// The dialect of one file, where that is settled before it is looked at.
    fn settled(self, named: &Named, here: &Here) -> Option<DialectId> {
        match self {
            _ if named.dialect.is_some() => named.dialect,
            Self::Unsaid => None,
            Self::OfFiles(dialect) => Some(dialect),
            Self::OfTheEvent(dialect) => {
                (!discover::is_anothers(&named.path, dialect, &here.roots)).then_some(dialect)
            }
        }
    }
}

/// Reads the files named, or what the agent would load from here.
pub(crate) fn read(named: &[Named], whose: Whose, here: &Here) -> Loaded {
    let mut texts = Texts::default();
    let mut sources: Vec<Source> = Vec::new();
    let mut diagnostics = Vec::new();
    for named in named {
        let (path, dialect) = (&named.path, whose.settled(named, here));
        match discover::given(path, dialect, DialectId::CLAUDE, &here.roots) {
            Ok(source) => {
                let shown = layout::line(&path.to_string_lossy());
                let entry = (Arc::clone(&source.text), shown);
                texts.by_name.insert(Arc::clone(&source.name), entry);
                sources.push(source);
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    let found = named.is_empty();
    let mut hidden = Vec::new();
    let trust = found.then(|| here.trust());
    if let Some(trust) = &trust {
        let all = trust.find(&here.roots);
        hidden = discover::nearby(&here.roots);
        sources = all.sources;
        let beside = here.beside.iter().map(|roots| (roots, false));
        for (roots, is_left) in beside.chain(here.left.iter().map(|roots| (roots, true))) {
            // The person's own files are found from everywhere.
            let is_new = |new: &Source| !sources.iter().any(|source| source.name == new.name);
            let mut others: Vec<Source> =
                trust.find(roots).sources.into_iter().filter(is_new).collect();
            if is_left {
                others.retain(is_of_project);
                others.iter_mut().for_each(|source| source.standing = Standing::Left);
            }
            sources.extend(others);
        }
        for source in &sources {
            let entry = (Arc::clone(&source.text), shorten(&source.name, &here.roots));
            texts.by_name.insert(Arc::clone(&source.name), entry);
        }
    }
    let is_alone = here.beside.is_empty() && here.left.is_empty();
    let (cwd, of_several_projects) = (here.roots.cwd.clone(), found && !is_alone);
    Loaded { sources, texts, diagnostics, hidden, found, cwd, of_several_projects, trust }
}

/// Whether a hook was written for another agent than this one, and not for all of them by the organisation or in the call.
pub(crate) fn is_of_another(dialect: DialectId, layer: Layer, agent: DialectId) -> bool {
    let is_own = dialect == DialectId::NATIVE || dialect == agent;
    !is_own && !matches!(layer, Layer::Managed | Layer::BuiltIn | Layer::Given)
}

/// Whether a source is of a project, and not of its user or the machine.
pub(crate) fn is_of_project(source: &Source) -> bool {
    !matches!(source.layer, Layer::Managed | Layer::User | Layer::BuiltIn | Layer::Given)
}

/// A path from here, or from home, where that is shorter; safe to show.
pub(crate) fn shorten(name: &str, roots: &Roots) -> String {
    let path = Path::new(name);
    // From the root every path is whole, and shows it.
    let from_here = path.strip_prefix(&roots.cwd).ok().filter(|_| roots.cwd.parent().is_some());
    if let Some(rest) = from_here {
        return layout::line(&rest.to_string_lossy());
    }
    match path.strip_prefix(&roots.home) {
        Ok(rest) => layout::line(&PathBuf::from("~").join(rest).to_string_lossy()),
        Err(_) => layout::line(name),
    }
}

/// What to do without a file.
const BEGIN: &str = "name a file, or begin one with `tenterhook init`";

/// How many places of an agent are named.
const SHOWN: usize = 6;

/// Says that there is no file with hooks, and where one would have been found.
fn say_where(term: Term, roots: &Roots) {
    let searched = discover::searched(roots);
    let nothing = format!("no file with hooks was found from {}", roots.cwd.display());
    if !term.is_verbose() {
        term.note(&format!("{nothing}; `-v` lists the {} places searched", searched.len()));
        term.note_after(HELP, "hint:", BEGIN);
        term.note("");
        return;
    }
    term.note(&format!("{nothing}; searched:"));
    let mut by_dialect: Vec<(DialectId, Vec<String>)> = Vec::new();
    for (dialect, path) in searched {
        let path = shorten(&path.to_string_lossy(), roots);
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
        term.note_after(DIM, &format!("  {:widest$} ", dialect.as_str()), &text);
    }
    term.note("");
    term.note_after(HELP, "hint:", BEGIN);
    term.note("");
}

impl Loaded {
    /// A rejected hook is a fault of every event that it might have guarded: the caller must learn about it.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let counts = |found: &&Diagnostic| {
            let is_reported = matches!(found.code, Code::KeptLastGood | Code::HomeMoved);
            is_reported || found.severity == Severity::Error
        };
        let errors = self.diagnostics.iter().filter(counts);
        let fault = |diagnostic: &Diagnostic| {
            let place = diagnostic.place.as_ref().map_or_else(String::new, |place| {
                format!("{}:{}:{}: ", self.texts.shown(&place.file), place.line, place.column)
            });
            Fault {
                code: diagnostic.code,
                hook: None,
                message: format!("{place}{}", diagnostic.message),
            }
        };
        errors.map(fault).collect()
    }

    /// The same for a run that fires events: it reports once for each repository what is off because it is not approved (T-14), and
    /// keeps copies of files for the moment in which they are saved (C-93).
    pub(crate) fn firing(mut self) -> Self {
        self.trust = self.trust.map(|trust| trust.telling_once().keeping_last_good());
        self
    }

    /// Leaves out the hooks of other agents' files where the user installed this agent so (BR-124).
    pub(crate) fn behind(&mut self, agent: DialectId, here: &Here) {
        if here.only_own(agent.as_str()).is_file() {
            self.sources.retain(|source| !is_of_another(source.dialect, source.layer, agent));
        }
    }

    /// The files as they are named again for another command; nothing where they were found.
    fn named(&self) -> String {
        if self.found {
            return String::new();
        }
        let mut files: Vec<&str> =
            self.sources.iter().map(|source| self.texts.shown(&source.name)).collect();
        files.dedup();
        files.iter().map(|file| format!(" {file}")).collect()
    }

    /// Builds the engine; what is wrong with the sources joins the diagnostics.
    pub(crate) fn engine(&mut self, equip: impl FnOnce(Builder) -> Builder) -> Engine {
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

    /// The hooks as their files define them, as if all were approved: approval has its own finding.
    pub(crate) fn as_written(&self) -> Engine {
        let builder = Engine::builder().sources(self.sources.iter().cloned());
        let builder = if self.trust.is_some() { builder.confine_repositories() } else { builder };
        builder.trust_repositories_unasked().build().0
    }

    /// Says which files were found and which lie nearby unread. People asked for neither, so it goes to them alone.
    pub(crate) fn announce(&self, term: Term, roots: &Roots) {
        if !self.found {
            return;
        }
        if self.sources.is_empty() {
            say_where(term, roots);
        }
        for (at, source) in self.sources.iter().enumerate() {
            let lead = if at == 0 { "reading" } else { "       " };
            let about = format!("({}, {})", source.dialect, source.layer.as_str());
            let shown = self.texts.shown(&source.name);
            term.note(&format!("{} {shown} {}", paint(DIM, lead), paint(DIM, about)));
        }
        for hidden in &self.hidden {
            let path = shorten(&hidden.path.to_string_lossy(), roots);
            let hooks = layout::count(hidden.hooks, "hook");
            let text = format!("{path} ({hooks}) is not read here: {}", hidden.because);
            term.note_after(WARNING, "warning:", &text);
        }
        if !self.hidden.is_empty() {
            term.note("");
            term.note_after(
                HELP,
                "hint:",
                "to look at such a file all the same, name it with `--config`",
            );
            term.note("");
        }
    }

    /// Says what is wrong in a line each, for commands whose data is something else; `check` shows the places.
    pub(crate) fn warn(&self, term: Term) {
        self.warn_of_errors(term);
        self.warn_of_the_rest(term);
    }

    fn warn_of_errors(&self, term: Term) {
        let errors =
            self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        for error in errors {
            let place = error.place.as_ref().map_or_else(String::new, |place| {
                format!("{}:{}: ", self.texts.shown(&place.file), place.line)
            });
            term.note_after(ERROR, "error:", &format!("{place}{}", error.message));
        }
    }

    /// Says that there is more, where the errors stand in the data as [faults](Self::faults).
    pub(crate) fn warn_of_the_rest(&self, term: Term) {
        // A finding that blocks calls or disables hooks is printed in full: it contains the command to type.
        let is_approval = |diagnostic: &&Diagnostic| APPROVALS.contains(&diagnostic.code);
        for diagnostic in self.diagnostics.iter().filter(is_approval) {
            term.note_after(WARNING, "warning:", &diagnostic.message);
            if let Some(help) = &diagnostic.help {
                term.note_after(HELP, "hint:", help);
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
            term.note_after(WARNING, "warning:", &layout::count(warnings, noun));
        }
        let shown = |diagnostic: &Diagnostic| {
            diagnostic.severity > Severity::Advice && !APPROVALS.contains(&diagnostic.code)
        };
        if self.diagnostics.iter().any(shown) {
            term.note_after(
                HELP,
                "hint:",
                &format!(
                    "`tenterhook check{}` shows the places and says what to write",
                    self.named()
                ),
            );
            term.note("");
        }
    }
}
