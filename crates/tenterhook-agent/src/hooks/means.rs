//! What the hooks of a session may use beside their event: models, MCP servers, a directory for their files. Fires nothing.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use tenterhook::config::{Ruleset, Source};
use tenterhook::diagnostic::Diagnostic;
use tenterhook::dialect::Roots;
use tenterhook::discover;
use tenterhook::executor::Ambient;
use tenterhook::executor::http::Network;
use tenterhook::executor::mcp::{Configured, Servers};
use tenterhook::executor::model::{Model, ModelClient};

use crate::update::Updates;

/// Goes with the session: its servers are ended, and its directory is removed.
#[derive(Debug)]
pub(super) struct Means {
    env: Vec<(String, String)>,
    network: Network,
    servers: Arc<Configured>,
    directory: Option<TempDir>,
}

impl Means {
    /// Servers are known when hooks are loaded: see [`Means::connect`].
    pub(super) fn new(env: &[(String, String)], updates: &Updates) -> Self {
        let network = Network::default();
        let servers = Configured::new([], env.to_vec()).reached_by(network.clone());
        // In the host's own place for such files, which is also that of what a script of a model brings.
        let directory = tempfile::Builder::new().prefix("tenterhook-agent-").tempdir();
        let directory = directory.map_err(|error| {
            updates.warn("hooks", format!("no directory for the files of hooks: {error}"));
        });
        Self { env: env.to_vec(), network, servers: Arc::new(servers), directory: directory.ok() }
    }

    /// What the engine is given.
    pub(super) fn ambient(&self) -> Ambient {
        Ambient {
            env: self.env.clone(),
            scratch: self.directory.as_ref().map(|it| PathBuf::from(it.path())),
            // The models of hooks, which may be others than the agent's own.
            model: Some(Arc::new(ModelClient::new(&self.env, None)) as Arc<dyn Model>),
            servers: Some(Arc::clone(&self.servers) as Arc<dyn Servers>),
            network: self.network.clone(),
        }
    }

    /// Lets hooks call the servers that are configured for them now. What is wrong with those.
    pub(super) fn connect(
        &self,
        ruleset: &Ruleset,
        roots: &Roots,
        sources: &[Source],
    ) -> Vec<Diagnostic> {
        let (servers, told) = discover::servers_for(ruleset, roots, sources);
        self.servers.replace(servers);
        told
    }
}
