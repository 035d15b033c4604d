//! The parts of an engine, and how they are put together. Fires nothing.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::Semaphore;

#[cfg(feature = "mcp")]
use super::connected;
use super::judge::Judge;
use super::{BackgroundHooks, Engine, Inner, preconditions, projects};
use crate::executor::Ambient;
#[cfg(all(feature = "rule", feature = "trust"))]
use crate::exemptions;
use crate::record::Sink;
#[cfg(feature = "trust")]
use crate::trust::Trust;
use tenterhook_core::config::{Added, Source};
use tenterhook_core::diagnostic::Diagnostic;
#[cfg(all(feature = "rule", feature = "trust"))]
use tenterhook_core::dialect::Roots;
use tenterhook_core::dialect::{DialectId, EventRow};
use tenterhook_core::hook::Hook;

/// Default limit of steps that one engine runs at once. More than any known agent starts for one
/// event (the longest list in public configs has 37 hooks), and few enough for a small machine.
const PARALLEL: usize = 64;

/// The parts of an engine.
#[derive(Debug, Default)]
pub struct Builder {
    sources: Vec<Source>,
    added: Added,
    ambient: Ambient,
    parallel: Option<usize>,
    sink: Option<Arc<dyn Sink>>,
    #[cfg(feature = "mcp")]
    connect: Option<tenterhook_core::dialect::Roots>,
    judge: Judge,
    background_hooks: BackgroundHooks,
    of_several_projects: bool,
    /// The user's home, for events that name none.
    home: PathBuf,
    /// Whether approved programs are looked up in the `PATH` of `ambient`.
    #[cfg(feature = "trust")]
    searches_ambient: bool,
}

impl Builder {
    /// Adds a source; the order of the calls is the order of configuration.
    #[must_use]
    pub fn source(mut self, source: Source) -> Self {
        self.sources.push(source);
        self
    }

    /// Adds several sources, in their order.
    #[must_use]
    pub fn sources(mut self, sources: impl IntoIterator<Item = Source>) -> Self {
        self.sources.extend(sources);
        self
    }

    /// Adds a hook that no file configures; such hooks come after all others.
    #[must_use]
    pub fn hook(mut self, hook: Hook) -> Self {
        self.added.hooks.push(hook);
        self
    }

    /// Enables the built-in rules that keep tool calls away from what restrains the agent: its hooks,
    /// its settings and this engine. Only a managed source can disable them. A reload keeps them.
    #[cfg(feature = "rule")]
    #[must_use]
    pub fn self_protection(mut self) -> Self {
        self.added.self_protection = true;
        self
    }

    /// Runs a repository's commands and workers in the sandbox `standard`, as far as this machine
    /// supports it, unless their entries or the user set another profile.
    #[must_use]
    pub const fn confine_repositories(mut self) -> Self {
        self.added.confines_repositories = true;
        self
    }

    /// Skips the hooks that `caller` runs itself, because it is the agent that calls (BR-30).
    #[must_use]
    pub const fn behind(mut self, caller: DialectId) -> Self {
        self.added.caller = Some(caller);
        self
    }

    /// Sets which process runs the hooks that no event waits for.
    // Hidden because only `tenterhook hook` divides a firing between two processes.
    #[doc(hidden)]
    #[must_use]
    pub fn background_hooks(mut self, which: BackgroundHooks) -> Self {
        self.background_hooks = which;
        self
    }

    /// Runs each hook of a project's file for that project, whichever project the event names: the
    /// sources belong to several projects (BR-18).
    #[must_use]
    pub const fn of_several_projects(mut self) -> Self {
        self.of_several_projects = true;
        self
    }

    /// Declares a custom event of the host: its subject, and what hooks of every dialect may do on it.
    #[must_use]
    pub fn event(mut self, row: EventRow) -> Self {
        self.added.events.push(row);
        self
    }

    /// Sets what hooks get from the host's process. They get nothing unless this is called.
    #[must_use]
    pub fn ambient(mut self, ambient: Ambient) -> Self {
        self.ambient = ambient;
        self
    }

    /// Connects the MCP servers that hooks call, in place of [`Ambient::servers`]: those of native files, and those that an
    /// agent would connect from `roots`. Each starts with the first call of one of its tools, a reload looks for them
    /// anew, and all of them end with the engine (MC-14).
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn connect(mut self, roots: &tenterhook_core::dialect::Roots) -> Self {
        self.connect = Some(roots.clone());
        self
    }

    /// Sets how many steps may run at once (64 by default, at least 1), and as many in the
    /// background. Further steps wait.
    #[must_use]
    pub fn parallel(mut self, steps: usize) -> Self {
        self.parallel = Some(steps.max(1));
        self
    }

    /// Sets where records go; by default none are kept.
    #[must_use]
    pub fn sink(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Records every firing in files. `None` means that the user wants no records, and changes
    /// nothing.
    #[cfg(feature = "record")]
    #[must_use]
    pub fn record(self, journal: Option<Arc<crate::record::Journal>>) -> Self {
        match journal {
            Some(journal) => self.sink(journal),
            None => self,
        }
    }

    /// Runs and applies only what the user approved of sources that came with a repository, now and
    /// at each reload (T-10).
    ///
    /// Find the files with [`Trust::find`], so that no file chooses plugins before it was approved.
    /// [`Engine::discover`] does both.
    #[cfg(feature = "trust")]
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Self {
        self.judge = Judge::Approved(trust);
        self.searches_ambient = false;
        self
    }

    /// Runs everything that a repository brings without an approval: its hooks, its plugins and its
    /// servers start programs with the user's rights. For a host that asked the user itself, or for
    /// files that the user named.
    ///
    /// Without this call and without an approval the hooks of a repository are off, and a
    /// diagnostic reports it (T-97).
    #[must_use]
    pub fn trust_repositories_unasked(mut self) -> Self {
        self.judge = Judge::Unasked;
        self
    }

    /// Builds the engine, and returns diagnostics of everything that is wrong with its sources.
    /// There is always an engine: a source that cannot be read is reported, and the rest works. If
    /// this is called in a runtime without timers, that is reported, too.
    #[must_use]
    #[cfg_attr(
        not(any(feature = "mcp", feature = "trust")),
        expect(unused_mut, reason = "nothing is connected or approved then")
    )]
    pub fn build(mut self) -> (Engine, Vec<Diagnostic>) {
        #[cfg(feature = "trust")]
        if self.searches_ambient {
            self.judge = self.judge.with_program_search_env(&self.ambient.env);
        }
        let mut loaded = self.judge.load_sources(&self.sources, &self.added, None);
        loaded.diagnostics.extend(preconditions::missing_timers_diagnostic());
        #[cfg(feature = "mcp")]
        let connected = self
            .connect
            .map(|roots| connected::Connected::attach_to_ambient(roots, &mut self.ambient));
        #[cfg(feature = "mcp")]
        loaded.diagnostics.extend(
            connected
                .iter()
                .flat_map(|all| all.replace_servers(&self.judge, &loaded.ruleset, &self.sources)),
        );
        let turns = || Arc::new(Semaphore::new(self.parallel.unwrap_or(PARALLEL)));
        let inner = Inner {
            ruleset: ArcSwap::from_pointee(loaded.ruleset),
            added: self.added,
            ambient: Arc::new(self.ambient),
            parallel: turns(),
            background: turns(),
            sink: self.sink,
            #[cfg(feature = "mcp")]
            connected,
            judge: self.judge,
            home: self.home,
            background_hooks: self.background_hooks,
            projects: projects::Projects::from_sources(&self.sources, self.of_several_projects),
        };
        (Engine { inner: Arc::new(inner) }, loaded.diagnostics)
    }
}

#[cfg(all(feature = "rule", feature = "trust"))]
impl Engine {
    /// Starts an engine with the hooks that the agents would load from `roots`, so that a repository which somebody cloned runs
    /// nothing unasked.
    ///
    /// The hooks of the user and of the organisation are armed. Those of a repository run where the person approved exactly
    /// them, with `tenterhook trust` or by a [`Trust`] of the host; they run in the sandbox `standard`
    /// ([`Builder::confine_repositories`]). The built-in rules that protect the agent's guard are on
    /// ([`Builder::self_protection`]). The diagnostics of [`Builder::build`] say what is off, and why.
    ///
    /// An event that names no home happens in that of `roots`. Approvals are those of the person's state directory, as
    /// [`Roots::user_state`] names it; [`Builder::trust`] names a different one. Reads the files at once and writes none; a file that
    /// cannot be read holds what it might gate (C-70).
    #[must_use]
    pub fn discover(roots: &Roots) -> Builder {
        let trust = saved_approvals(roots);
        let found = trust.find(roots);
        let builder = Self::builder().sources(found.sources).trust(trust);
        let home = roots.home.clone();
        Builder { home, searches_ambient: true, ..builder }.confine_repositories().self_protection()
    }
}

/// Returns what the user approved, as the command line stores it.
#[cfg(all(feature = "rule", feature = "trust"))]
fn saved_approvals(roots: &Roots) -> Trust {
    let named = roots.user_state.as_ref().map(|path| path.to_string_lossy().into_owned());
    let env: Vec<_> = named.map(|path| ("XDG_STATE_HOME".to_owned(), path)).into_iter().collect();
    let state = exemptions::state_directory_outside(&env, std::iter::once(roots));
    match exemptions::account_state_directory(roots) {
        Some(usual) if usual != state => Trust::at(&state).and_at(usual),
        _ => Trust::at(&state),
    }
}

impl Engine {
    /// Starts an engine without hooks; sources that came with a repository are off unless the host says otherwise (T-97).
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }
}
