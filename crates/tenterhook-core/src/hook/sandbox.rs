//! What of the machine may a hook touch, as its configuration says it? Values only; the executor makes it so.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use crate::report::Tier;

/// Whether a hook is confined, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sandbox {
    /// No source has a setting.
    #[default]
    Unsaid,
    /// It has the rights of its user, and somebody said so.
    Off,
    /// It is left what is granted, and nothing else.
    In(Arc<Grants>),
}

impl Sandbox {
    /// Returns the profile `standard` without additions.
    #[must_use]
    pub fn standard() -> Self {
        Self::In(Arc::new(Grants::from_profile(Profile::Standard)))
    }

    /// Returns the default sandbox for programs of a repository: `standard`, as far as the machine
    /// supports it.
    #[must_use]
    pub fn repository_default() -> Self {
        let at_least = Tier::T0;
        Self::In(Arc::new(Grants { at_least, ..Grants::from_profile(Profile::Standard) }))
    }

    /// Returns the grants if the program is confined.
    #[must_use]
    pub fn grants(&self) -> Option<&Grants> {
        match self {
            Self::In(grants) => Some(grants),
            Self::Unsaid | Self::Off => None,
        }
    }

    /// Returns the profile and its additions in words for people.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Unsaid | Self::Off => "off".to_owned(),
            Self::In(grants) => grants.summary_text(),
        }
    }
}

/// The rights of a confined hook.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grants {
    /// What it begins with.
    pub profile: Profile,
    /// What it may read beside it, each with all below. `$PROJECT` begins a path in the project.
    pub read: Vec<PathBuf>,
    /// What it may change, each with all below, written the same way.
    pub write: Vec<PathBuf>,
    /// Whom it may talk to.
    pub net: Peers,
    /// Variables of the host that it sees beside the list of R-6.
    pub env: Vec<String>,
    /// Whether it may change modes, owners, times and extended attributes of files: of all that are its user's.
    pub attributes: bool,
    /// How many processes it may have at a time; only T2 counts them.
    pub processes: Option<u64>,
    /// How much address space each of its processes may have, in bytes.
    pub memory: Option<u64>,
    /// How much processor time each of its processes may take.
    pub cpu: Option<Duration>,
    /// The least with which it runs.
    pub at_least: Tier,
}

impl Grants {
    /// The placeholder of the project in a path that is granted.
    pub const PROJECT: &str = "$PROJECT";

    /// Resolves a granted path against `project`.
    #[must_use]
    pub fn resolve_granted_path(path: &Path, project: &Path) -> PathBuf {
        let rest = path.strip_prefix(Self::PROJECT);
        rest.map_or_else(|_| path.to_path_buf(), |rest| project.join(rest))
    }

    /// Creates the grants of `profile` without additions. The lowest tier that a person requires
    /// this way is T1.
    #[must_use]
    pub const fn from_profile(profile: Profile) -> Self {
        Self {
            profile,
            read: Vec::new(),
            write: Vec::new(),
            net: Peers::None,
            env: Vec::new(),
            attributes: false,
            processes: None,
            memory: None,
            cpu: None,
            at_least: Tier::T1,
        }
    }

    /// Returns a sandbox with additional grants. On the default for repositories, the additions
    /// start from the profile `standard`.
    #[must_use]
    pub fn to_sandbox_with(&self, more: impl FnOnce(&mut Self)) -> Sandbox {
        let is_default = Sandbox::repository_default().grants() == Some(self);
        let mut grants =
            if is_default { Self::from_profile(Profile::Standard) } else { self.clone() };
        more(&mut grants);
        Sandbox::In(Arc::new(grants))
    }

    /// Returns the lowest sandbox tier that can enforce the grants; without it, the hook does not
    /// run.
    #[must_use]
    pub fn required_tier(&self) -> Tier {
        if self.processes.is_some() { Tier::T2 } else { self.at_least }
    }

    fn summary_text(&self) -> String {
        let listed = |verb: &str, paths: &[PathBuf]| {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            (!paths.is_empty()).then(|| format!("{verb} {}", paths.join(", ")))
        };
        let net = match &self.net {
            Peers::None => None,
            Peers::Tcp(ports) => {
                let ports: Vec<String> = ports.iter().map(|port| format!("tcp:{port}")).collect();
                Some(format!("net {}", ports.join(", ")))
            }
            Peers::Everybody => Some("net open".to_owned()),
        };
        let mut parts = vec![self.profile.as_str().to_owned()];
        parts.extend(listed("read", &self.read));
        parts.extend(listed("write", &self.write));
        parts.extend(net);
        parts.extend((!self.env.is_empty()).then(|| format!("env {}", self.env.join(", "))));
        parts.extend(self.attributes.then(|| "attributes of all files".to_owned()));
        parts.join("; ")
    }
}

/// What a confined hook begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Programs and libraries of the system, the project to read, a separate directory for passing files.
    #[default]
    Standard,
    /// The same without the project.
    Strict,
}

impl Profile {
    /// Returns the word for it in config files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }
}

/// Whom a confined hook may talk to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Peers {
    /// No peer.
    #[default]
    None,
    /// TCP ports of any host.
    Tcp(Vec<u16>),
    /// Everybody.
    Everybody,
}

impl Peers {
    /// Adds a port on any host; without a port, adds every peer.
    #[must_use]
    pub fn with_port(&self, port: Option<u16>) -> Self {
        match (self, port) {
            (Self::Everybody, _) | (_, None) => Self::Everybody,
            (Self::None, Some(port)) => Self::Tcp(vec![port]),
            (Self::Tcp(ports), Some(port)) => {
                let new = (!ports.contains(&port)).then_some(port);
                Self::Tcp(ports.iter().copied().chain(new).collect())
            }
        }
    }
}
