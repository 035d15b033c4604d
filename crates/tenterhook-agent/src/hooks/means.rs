//! What the hooks of a session may use beside their event: models, MCP servers, a directory for their files. Fires nothing.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenterhook::executor::Ambient;
use tenterhook::executor::http::Network;
use tenterhook::executor::mcp::{Configured, Servers};
use tenterhook::executor::model::ModelClient;
use tenterhook::internal::discover;
use tenterhook::internal::executor::{create_scratch_root, scratch_prefix};
use tenterhook::internal::exemptions;
use tenterhook::trust::Trust;
use tenterhook_core::config::{Reach, Ruleset, Server, Source, settle_servers};
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::{Command, Run};

use crate::update::Updates;

/// Goes with the session: its servers are ended, and its directory is removed.
#[derive(Debug)]
pub(super) struct Means {
    env: Vec<(String, String)>,
    network: Network,
    servers: Arc<Configured>,
    /// The servers that are configured, and whether their tools are for the model.
    configured: Mutex<Vec<(Server, bool)>>,
    /// How often servers were configured.
    generation: AtomicU64,
    /// The last one: what still ends writes into it.
    directory: Option<Scratch>,
}

/// A directory for the files of hooks. It is removed when this is dropped, as far as that is done in time: hooks filled it as they liked.
#[derive(Debug)]
struct Scratch(PathBuf);

/// How long the end of a session waits for that.
#[cfg(unix)]
const REMOVAL_WAIT: std::time::Duration = std::time::Duration::from_millis(500);

impl Drop for Scratch {
    fn drop(&mut self) {
        #[cfg(unix)]
        let _ = tenterhook_process::internal::remove_tree(
            &self.0,
            Some(std::time::Instant::now() + REMOVAL_WAIT),
        );
        #[cfg(not(unix))]
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the state directory of the current user, if there is a home.
fn state_directory(env: &[(String, String)]) -> Option<std::path::PathBuf> {
    let (_, home) = env.iter().find(|(name, _)| name == "HOME")?;
    home.starts_with('/').then(|| exemptions::state_directory(env, home.as_ref()))
}

impl Means {
    /// Creates the means without servers: they are known when hooks are loaded, see
    /// [`Means::connect_servers`].
    pub(super) fn new(env: &[(String, String)], updates: &Updates) -> Self {
        let network = Network::default();
        let prefix = scratch_prefix();
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        // A home that does not exist was reported with the transcript (BR-43).
        let state =
            state_directory(env).filter(|state| discover::missing_home_above(state).is_none());
        let directory = match state.map(|state| create_scratch_root(&state)) {
            Some(Ok(place)) => builder.tempdir_in(place),
            // Where that cannot be had, among everybody's.
            Some(Err(error)) => {
                updates.warn("hooks", format!("the files of hooks lie where a hook that may write there reaches those of others, as no directory of state can be used ({error})"));
                builder.tempdir()
            }
            None => builder.tempdir(),
        };
        let directory = directory.map(|directory| Scratch(directory.keep())).map_err(|error| {
            updates.warn("hooks", format!("no directory for the files of hooks: {error}"));
        });
        let mut ambient = Ambient::default();
        ambient.scratch = directory.as_ref().ok().map(|directory| directory.0.clone());
        let servers =
            Configured::new([], env.to_vec()).reached_by(network.clone()).within(&ambient);
        Self {
            env: env.to_vec(),
            network,
            servers: Arc::new(servers),
            configured: Mutex::default(),
            generation: AtomicU64::new(0),
            directory: directory.ok(),
        }
    }

    /// Returns the environment, models, servers and directories that the engine works with.
    pub(super) fn engine_ambient(&self) -> Ambient {
        let mut ambient = Ambient::default()
            .env(self.env.clone())
            // The models of hooks, which may be others than the agent's own.
            .model(Arc::new(ModelClient::new(&self.env, None)))
            .servers(Arc::clone(&self.servers) as Arc<dyn Servers>)
            .network(self.network.clone());
        if let Some(state) = state_directory(&self.env) {
            exemptions::lineage::record_self_as_agent(&state);
            ambient = ambient.state(state);
        }
        ambient.scratch = self.directory.as_ref().map(|directory| directory.0.clone());
        ambient
    }

    /// Returns the surroundings of a command of the model: with a scratch directory, without a user
    /// to ask.
    pub(super) fn model_command_ambient(&self) -> Ambient {
        let mut ambient = Ambient::default().env(self.env.clone());
        ambient.scratch = self.directory.as_ref().map(|directory| directory.0.clone());
        ambient
    }

    /// Lets hooks and the model call the servers that are configured now. Project servers need an
    /// approval in `trust`. Returns the mistakes in the configuration.
    pub(super) fn connect_servers(
        &self,
        ruleset: &Ruleset,
        trust: Option<&Trust>,
        roots: &Roots,
        sources: &[Source],
    ) -> Vec<Diagnostic> {
        let (found, mut diagnostics) = match trust {
            Some(trust) => trust.servers(roots, sources),
            None => discover::find_agent_servers(roots, sources),
        };
        let servers = settle_servers(ruleset, found, &mut diagnostics);
        let marked =
            servers.iter().map(|server| (server.clone(), is_server_for_model(server, ruleset)));
        *self.lock_configured() = marked.collect();
        self.servers.replace(servers);
        self.generation.fetch_add(1, Ordering::AcqRel);
        diagnostics
    }

    /// Returns the sorted names of the servers whose tools the model is offered.
    pub(super) fn server_names_for_model(&self) -> Vec<String> {
        let configured = self.lock_configured();
        let offering = configured.iter().filter(|(_, is_for_model)| *is_for_model);
        let mut names: Vec<String> = offering.map(|(server, _)| server.name.clone()).collect();
        names.sort();
        names
    }

    /// Returns the name of the first server whose command satisfies the predicate.
    pub(super) fn find_server_by_command(&self, is: impl Fn(&Command) -> bool) -> Option<String> {
        let is = |server: &Server| matches!(&server.reach, Reach::Program(command) if is(command));
        self.lock_configured()
            .iter()
            .find(|(server, _)| is(server))
            .map(|(server, _)| server.name.clone())
    }

    /// Returns the commands that start servers.
    pub(super) fn server_commands(&self) -> Vec<Command> {
        let program = |pair: &(Server, bool)| match &pair.0.reach {
            Reach::Program(command) => Some(command.clone()),
            _ => None,
        };
        self.lock_configured().iter().filter_map(program).collect()
    }

    fn lock_configured(&self) -> MutexGuard<'_, Vec<(Server, bool)>> {
        self.configured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn configured_servers(&self) -> &Configured {
        &self.servers
    }

    pub(super) fn servers_generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}

/// Returns whether the model may use the server's tools. A server of a native file that a hook
/// calls exists to judge the model, and offers it no tools (AG-50).
fn is_server_for_model(server: &Server, ruleset: &Ruleset) -> bool {
    let called = |run: &Run| matches!(run, Run::McpTool(tool) if *tool.server == *server.name);
    // A server that changed since its approval stays for the hooks that call it, which get an
    // error; it offers nothing.
    if matches!(server.reach, Reach::Withheld(_)) {
        return false;
    }
    server.dialect != DialectId::NATIVE || !ruleset.hooks().iter().any(|hook| called(&hook.run))
}
