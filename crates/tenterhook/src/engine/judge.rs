//! Names who may arm the hooks of a repository: the host, the user, or no one. Loads sources accordingly;
//! decides nothing.

use crate::discover::{self, Found};
#[cfg(feature = "trust")]
use crate::trust::Trust;
#[cfg(feature = "mcp")]
use crate::{config::Server, diagnostic::Diagnostic};
use tenterhook_core::config::{self, Added, Loaded, Ruleset, Source};
use tenterhook_core::dialect::Roots;

/// The authority that arms the hooks of a repository.
#[derive(Debug, Default)]
pub(super) enum Judge {
    /// The host chose nothing: they are off (T-97).
    #[default]
    Unsaid,
    /// The host arms all of them.
    Unasked,
    /// The user arms what they approved (T-10).
    #[cfg(feature = "trust")]
    Approved(Trust),
}

impl Judge {
    /// Makes approved programs be looked up in this environment.
    #[cfg(feature = "trust")]
    pub(super) fn with_program_search_env(self, env: &[(String, String)]) -> Self {
        match self {
            Self::Approved(trust) => Self::Approved(trust.within(env)),
            other => other,
        }
    }

    /// Finds the files that the agents would load.
    pub(super) fn find_sources(&self, roots: &Roots) -> Found {
        match self {
            #[cfg(feature = "trust")]
            Self::Approved(trust) => trust.find(roots),
            Self::Unsaid | Self::Unasked => discover::find(roots),
        }
    }

    /// Loads `sources` and arms their hooks as far as they may run.
    pub(super) fn load_sources(
        &self,
        sources: &[Source],
        added: &Added,
        last: Option<&Ruleset>,
    ) -> Loaded {
        let last_good =
            |source: &Source| last.and_then(|last| last.last_good_source(&source.name)).cloned();
        match self {
            Self::Unsaid => config::load_with_approval_filter(
                sources,
                added,
                &last_good,
                config::disarm_repository_hooks,
            ),
            Self::Unasked => config::load(sources, added, last),
            #[cfg(feature = "trust")]
            Self::Approved(trust) => {
                let last_good =
                    |source: &Source| last_good(source).or_else(|| trust.last_good_source(source));
                let loaded =
                    config::load_with_approval_filter(sources, added, &last_good, |read| {
                        trust.judge_sources(read)
                    });
                trust.save_last_good(loaded.ruleset.last_good_sources());
                loaded
            }
        }
    }

    /// Returns the MCP servers that agents would connect and that may start (T-23).
    #[cfg(feature = "mcp")]
    pub(super) fn startable_servers(
        &self,
        roots: &Roots,
        sources: &[Source],
    ) -> (Vec<Server>, Vec<Diagnostic>) {
        match self {
            Self::Unsaid => {
                let (servers, diagnostics) = discover::find_agent_servers(roots, sources);
                (
                    servers.into_iter().map(config::withhold_if_repository_server).collect(),
                    diagnostics,
                )
            }
            Self::Unasked => discover::find_agent_servers(roots, sources),
            #[cfg(feature = "trust")]
            Self::Approved(trust) => trust.servers(roots, sources),
        }
    }
}
