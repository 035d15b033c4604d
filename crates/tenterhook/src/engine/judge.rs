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
    /// The same, with approved programs looked up in this environment.
    #[cfg(feature = "trust")]
    pub(super) fn searching(self, env: &[(String, String)]) -> Self {
        match self {
            Self::Approved(trust) => Self::Approved(trust.within(env)),
            other => other,
        }
    }

    /// Finds the files that the agents would load.
    pub(super) fn find(&self, roots: &Roots) -> Found {
        match self {
            #[cfg(feature = "trust")]
            Self::Approved(trust) => trust.find(roots),
            Self::Unsaid | Self::Unasked => discover::find(roots),
        }
    }

    /// Loads `sources`, with their hooks armed as far as they may run.
    pub(super) fn load(&self, sources: &[Source], added: &Added, last: Option<&Ruleset>) -> Loaded {
        let last_good = |source: &Source| last.and_then(|last| last.good(&source.name)).cloned();
        match self {
            Self::Unsaid => config::load_judged(sources, added, &last_good, config::withhold),
            Self::Unasked => config::load(sources, added, last),
            #[cfg(feature = "trust")]
            Self::Approved(trust) => {
                let last_good =
                    |source: &Source| last_good(source).or_else(|| trust.last_good(source));
                let loaded =
                    config::load_judged(sources, added, &last_good, |read| trust.judge(read));
                trust.keep_good(loaded.ruleset.good_sources());
                loaded
            }
        }
    }

    /// The MCP servers that agents would connect and that may start (T-23).
    #[cfg(feature = "mcp")]
    pub(super) fn servers(
        &self,
        roots: &Roots,
        sources: &[Source],
    ) -> (Vec<Server>, Vec<Diagnostic>) {
        match self {
            Self::Unsaid => {
                let (servers, diagnostics) = discover::servers(roots, sources);
                (servers.into_iter().map(config::withhold_server).collect(), diagnostics)
            }
            Self::Unasked => discover::servers(roots, sources),
            #[cfg(feature = "trust")]
            Self::Approved(trust) => trust.servers(roots, sources),
        }
    }
}
