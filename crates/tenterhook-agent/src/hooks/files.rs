//! The files that hooks stand in and the files that hooks asked to watch: which they are, and the hook points of their changes.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use tenterhook::discover;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DIALECTS;
use tenterhook_core::hook::{Arming, Layer};
use tenterhook_core::matcher::MatcherSpec;
use tokio::sync::watch;

use super::{Hooks, discovery_roots, findings};

/// The sources of the hooks that are loaded.
#[derive(Debug)]
pub(super) struct Loaded {
    sources: Vec<Source>,
    /// The files whose last change was refused: the text before it holds.
    held: BTreeSet<PathBuf>,
}

impl Loaded {
    pub(super) const fn new(sources: Vec<Source>) -> Self {
        Self { sources, held: BTreeSet::new() }
    }

    /// Returns the sources to load: those that were read, but for files whose change a hook
    /// refused, those that were loaded before.
    fn sources_without_refused_changes(&mut self, read: Vec<Source>) -> &[Source] {
        let old = std::mem::take(&mut self.sources);
        let is_held = |source: &Source| self.held.contains(Path::new(&*source.name));
        let same = |source: &Source, other: &Source| {
            source.name == other.name && source.dialect == other.dialect
        };
        let mut next: Vec<Source> = Vec::new();
        for source in read {
            if is_held(&source) {
                next.extend(old.iter().find(|s| same(s, &source)).cloned());
            } else {
                next.push(source);
            }
        }
        for source in old {
            if is_held(&source) && !next.iter().any(|s| same(s, &source)) {
                next.push(source);
            }
        }
        self.sources = next;
        &self.sources
    }
}

/// What asked for other files.
pub(crate) struct Watching(watch::Receiver<Vec<String>>);

impl Watching {
    /// Waits until hooks ask to watch other files. Pends if none ever will.
    pub(crate) async fn wait_for_watch_request(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

/// Returns the matcher subject of `ConfigChange` for a layer.
const fn config_change_subject(layer: Layer) -> &'static str {
    match layer {
        Layer::Managed | Layer::BuiltIn => "policy_settings",
        Layer::Project => "project_settings",
        Layer::Local => "local_settings",
        Layer::Skill | Layer::Agent | Layer::Plugin => "skills",
        Layer::Given | Layer::User => "user_settings",
    }
}

/// Returns the file names that a matcher lists. The list may be a regular expression, in a dialect
/// that reads the dot of a name as one. Any other expression names no file.
fn listed_file_names(matcher: &MatcherSpec) -> Vec<&str> {
    let plain = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c));
    match matcher {
        MatcherSpec::Words(words) => words.iter().map(String::as_str).collect(),
        MatcherSpec::Regex(text) => {
            // A dialect that matches whole names puts its anchors round the list.
            let anchored = text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$"));
            anchored.unwrap_or(text).split('|').map(str::trim).filter(plain).collect()
        }
        MatcherSpec::Any | MatcherSpec::Never(_) => Vec::new(),
    }
}

impl Hooks {
    /// Returns every file that may hold hooks, whether it exists or not, with its owner.
    pub(crate) fn config_files(&self) -> Vec<(PathBuf, &'static str)> {
        let roots = self.discovery_roots();
        let places = DIALECTS.iter().flat_map(|dialect| dialect.candidate_files(&roots));
        places.map(|candidate| (candidate.path, config_change_subject(candidate.layer))).collect()
    }

    /// Returns the files that hooks ask to watch, in their answers or by the names in their
    /// matchers. Names are relative to the directory in which the agent works.
    pub(crate) fn watched_files(&self) -> Vec<PathBuf> {
        let cwd = self.place.lock().unwrap_or_else(PoisonError::into_inner).cwd.clone();
        let answered: Vec<_> =
            self.session.watched().borrow().iter().map(|text| cwd.join(text)).collect();
        let (loaded, added) = (self.engine.ruleset(), self.session.hooks());
        let hooks = loaded.hooks().iter().chain(added.hooks());
        let watching = hooks.filter(|hook| {
            hook.event.as_str() == "FileChanged" && matches!(hook.arming, Arming::Armed)
        });
        let named = watching
            .flat_map(|hook| listed_file_names(hook.matcher.spec()))
            .map(|name| cwd.join(name));
        // A matcher sees names of files: what happens in a directory of that name, it never hears.
        answered.into_iter().chain(named.filter(|path| !path.is_dir())).collect()
    }

    /// Returns a watcher that reports when hooks ask to watch other files.
    pub(crate) fn observe_watch_requests(&self) -> Watching {
        Watching(self.session.watched())
    }

    /// Fires the event for a changed file with hooks. Returns the reason if hooks refuse the
    /// change; then the file's earlier hooks stay loaded.
    pub(crate) async fn fire_config_changed(&self, source: &str, file: &Path) -> Option<String> {
        let event = self
            .new_event("ConfigChange")
            .with("source", source)
            .with("file_path", file.display().to_string());
        let verdict = self.fire_and_wait_for_hooks(event).await;
        if verdict.blocked.is_some() {
            self.loaded.lock().unwrap_or_else(PoisonError::into_inner).held.insert(file.to_owned());
        }
        verdict.blocked
    }

    /// Fires the event for a changed watched file.
    pub(crate) async fn fire_file_changed(&self, file: &Path, change: &str) {
        let event = self
            .new_event("FileChanged")
            .with("file_path", file.display().to_string())
            .with("event", change);
        self.fire_and_wait_for_hooks(event).await;
    }

    /// Reads all config files again after this one changed. Refused changes of other files stay
    /// refused.
    pub(crate) fn reload_after_change(&self, file: &Path) -> String {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).held.remove(file);
        self.reload_all()
    }

    /// Reads all config files again at the user's request. Events in flight keep their hooks.
    pub(crate) fn reload(&self) -> String {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).held.clear();
        self.reload_all()
    }

    fn reload_all(&self) -> String {
        let roots = self.discovery_roots();
        let found =
            self.trust.as_ref().map_or_else(|| discover::find(&roots), |trust| trust.find(&roots));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = loaded.sources_without_refused_changes(found.sources);
        let mut diagnostics = self.engine.reload(sources);
        let trust = self.trust.as_ref();
        diagnostics.extend(self.means.connect_servers(
            &self.engine.ruleset(),
            trust,
            &roots,
            sources,
        ));
        drop(loaded);
        self.bump_generation();
        let mut text = match self
            .engine
            .ruleset()
            .hooks()
            .iter()
            .filter(|hook| hook.layer != Layer::BuiltIn)
            .count()
        {
            1 => "1 hook is loaded.\n".to_owned(),
            count => format!("{count} hooks are loaded.\n"),
        };
        for diagnostic in &diagnostics {
            let line = findings::finding_line(diagnostic, self.engine.ruleset().hooks());
            let _ = writeln!(text, "{}: {line}", diagnostic.severity);
        }
        text
    }

    /// Returns the files whose hooks are loaded.
    pub(super) fn loaded_files(&self) -> Vec<PathBuf> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.sources.iter().map(|source| PathBuf::from(&*source.name)).collect()
    }

    pub(super) fn discovery_roots(&self) -> tenterhook_core::dialect::Roots {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        discovery_roots(&place, &self.env)
    }
}
