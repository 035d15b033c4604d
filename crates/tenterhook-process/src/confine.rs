//! How little of the machine a child may touch: plain values, for every system.

use std::path::PathBuf;

/// What is left to a child. Whatever is not granted is refused by the kernel, not by good will.
///
/// ```
/// use tenterhook_process::{Confinement, Net, Tier};
///
/// let mut confinement = Confinement::new(Tier::T1);
/// confinement.read.push("/usr".into());
/// assert_eq!(confinement.net, Net::Denied);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// What may be read and executed, each with all below it. A path that is not there grants nothing.
    pub read: Vec<PathBuf>,
    /// What may be read, executed and changed, each with all below it. A path that is not there grants nothing.
    pub write: Vec<PathBuf>,
    /// What is never changed, also below a path of `write`, and cannot be made where it is not there. Landlock cannot take
    /// back a part of what it grants: in a directory above such a path nothing can be made, removed or renamed; what
    /// stands in it beside the way to that path is granted piece by piece.
    pub never: Vec<PathBuf>,
    /// Whom it may talk to.
    pub net: Net,
    /// Whether it may change modes, owners, times and extended attributes: of every file that is its user's, for nothing here tells
    /// them apart.
    pub attributes: bool,
    /// The least with which the child may run. Where less is reached it is not started.
    pub at_least: Tier,
    /// In place of what this machine can do: for tests of machines that can do less.
    #[doc(hidden)]
    pub pretended: Option<Means>,
}

impl Confinement {
    /// Grants nothing: no file, no peer.
    #[must_use]
    pub const fn new(at_least: Tier) -> Self {
        Self {
            read: Vec::new(),
            write: Vec::new(),
            never: Vec::new(),
            net: Net::Denied,
            attributes: false,
            at_least,
            pretended: None,
        }
    }
}

/// Whom a child may talk to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Net {
    /// Nobody: no socket of any family can be made. Pairs of connected sockets can.
    #[default]
    Denied,
    /// TCP connections to these ports, of any host. Nothing else: no UDP, hence no name is looked up over it, and no server.
    TcpTo(Vec<u16>),
    /// Everybody.
    Open,
}

/// How far a child is confined. A higher tier holds all that a lower one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Not at all: it has the rights of its user.
    #[default]
    T0,
    /// Files, peers, privileges and signals are limited by Landlock and seccomp.
    T1,
    /// The same, in namespaces of its own: nothing outlives it. No build reaches it yet.
    T2,
}

impl Tier {
    /// The word that configurations and records use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::T0 => "T0",
            Self::T1 => "T1",
            Self::T2 => "T2",
        }
    }
}

/// What a machine offers to confine a child with, found by trying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means {
    /// The version of Landlock; 0 where there is none.
    pub landlock: u32,
    /// Whether system calls can be filtered, on a processor that this crate knows.
    pub seccomp: bool,
}

impl Means {
    /// Before version 3 a file could be cut short that may not be written.
    pub const LEAST_LANDLOCK: u32 = 3;

    /// The tier that these reach.
    #[must_use]
    pub const fn tier(self) -> Tier {
        if self.landlock >= Self::LEAST_LANDLOCK && self.seccomp { Tier::T1 } else { Tier::T0 }
    }
}
