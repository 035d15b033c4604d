//! Who has a say of sources before anything of them is obeyed: nobody, or what a person approved. Loads them; decides nothing.

use crate::config::{self, Added, Loaded, Ruleset, Source};
#[cfg(feature = "trust")]
use crate::trust::Trust;
#[cfg(feature = "mcp")]
use crate::{config::Server, diagnostic::Diagnostic, dialect::Roots, discover};

/// Whose word arms hooks of a repository.
#[derive(Debug, Default)]
pub(super) struct Judge {
    #[cfg(feature = "trust")]
    trust: Option<Trust>,
}

impl Judge {
    #[cfg(feature = "trust")]
    pub(super) const fn by(trust: Trust) -> Self {
        Self { trust: Some(trust) }
    }

    /// Loads `sources` with what may run of them (T-10).
    pub(super) fn load(&self, sources: &[Source], added: &Added, last: Option<&Ruleset>) -> Loaded {
        #[cfg(feature = "trust")]
        if let Some(trust) = &self.trust {
            let last_good = |source: &Source| {
                let loaded = last.and_then(|last| last.good(&source.name)).cloned();
                loaded.or_else(|| trust.last_good(source))
            };
            let loaded = config::load_judged(sources, added, &last_good, |read| trust.judge(read));
            trust.keep_good(loaded.ruleset.good_sources());
            return loaded;
        }
        config::load(sources, added, last)
    }

    /// The MCP servers that agents would connect, as far as they may start (T-23).
    #[cfg(feature = "mcp")]
    pub(super) fn servers(
        &self,
        roots: &Roots,
        sources: &[Source],
    ) -> (Vec<Server>, Vec<Diagnostic>) {
        #[cfg(feature = "trust")]
        if let Some(trust) = &self.trust {
            return trust.servers(roots, sources);
        }
        discover::servers(roots, sources)
    }
}
