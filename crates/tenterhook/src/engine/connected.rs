//! The MCP servers that an engine connects for its hooks, found anew with every configuration.
//! Calls none.

use std::sync::Arc;

use super::judge::Judge;
use crate::discover;
use crate::executor::Ambient;
use crate::executor::mcp::Configured;
use tenterhook_core::config::{Ruleset, Source};
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::dialect::Roots;

#[derive(Debug)]
pub(super) struct Connected {
    servers: Arc<Configured>,
    roots: Roots,
}

impl Connected {
    /// Makes hooks that run with `ambient` call these servers. The set is empty until
    /// [`Connected::replace_servers`].
    pub(super) fn attach_to_ambient(roots: Roots, ambient: &mut Ambient) -> Self {
        let servers = Configured::new([], ambient.env.clone());
        let servers = Arc::new(servers.reached_by(ambient.network.clone()).within(ambient));
        ambient.servers = Some(Arc::clone(&servers) as Arc<_>);
        Self { servers, roots }
    }

    /// Finds the servers that these hooks may start, and replaces the connected ones. Returns
    /// diagnostics about them.
    pub(super) fn replace_servers(
        &self,
        judge: &Judge,
        ruleset: &Ruleset,
        sources: &[Source],
    ) -> Vec<Diagnostic> {
        let find = || judge.startable_servers(&self.roots, sources);
        let (servers, diagnostics) = discover::servers_for_hooks_found_by(ruleset, find);
        self.servers.replace(servers);
        diagnostics
    }
}
