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
    /// How many processes it may have at a time, itself among them. Only [`Tier::T2`] counts them, so that it is demanded, too.
    pub processes: Option<u64>,
    /// Whether it is heard what it asks for ([`Report::asked`](crate::Report::asked)): for looking at a program, because each such call then
    /// takes two changes of process more.
    pub watched: bool,
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
            processes: None,
            watched: false,
            at_least,
            pretended: None,
        }
    }

    /// The least with which the child may run, with all that is demanded.
    #[must_use]
    pub const fn demands(&self) -> Tier {
        if self.processes.is_some() { Tier::T2 } else { self.at_least }
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
    /// The same, in namespaces of its own: nothing outlives it, and it sees no process but its own.
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
    /// Whether namespaces can be made, by this user and this build.
    pub namespaces: bool,
    /// Whether the number of processes in them can be bounded: the kernel holds root to no such number.
    pub processes: bool,
}

impl Means {
    /// Before version 3 a file could be cut short that may not be written.
    pub const LEAST_LANDLOCK: u32 = 3;

    /// The highest tier that these reach.
    #[must_use]
    pub const fn tier(self) -> Tier {
        match (self.landlock >= Self::LEAST_LANDLOCK && self.seccomp, self.namespaces) {
            (false, _) => Tier::T0,
            (true, false) => Tier::T1,
            (true, true) => Tier::T2,
        }
    }

    /// The tier that a child gets which demands `at_least` this much. Only who demands namespaces has them, for a start in them costs more
    /// and ends what a program means to leave behind: this is the one place that says so.
    #[must_use]
    pub const fn tier_for(self, at_least: Tier) -> Tier {
        match (self.tier(), at_least) {
            (Tier::T2, Tier::T0 | Tier::T1) => Tier::T1,
            (reached, _) => reached,
        }
    }
}
